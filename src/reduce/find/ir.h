/* LLVM IR as its finders see it: functions, what is defined in them, and who uses that.
 *
 * The grammar knows where an instruction begins and ends, not what refers to what. Names do: a
 * token `%x` between the first and the last token of a function is the value or the block of that
 * name. Every value can give way to a constant, for `zeroinitializer` is one of any type. */
#ifndef CULPRIT_REDUCE_FIND_IR_H
#define CULPRIT_REDUCE_FIND_IR_H

#include "reduce/sets.h"

typedef struct Ir {
    const Target *target;
    const Doc *doc;
    const Shapes *shapes;
    EditSets *out;
    TokenIndex index;
} Ir;

/* False: another language; nothing is to be released then. */
bool ir_init(Ir *ir, const Target *t, const Shapes *shapes, EditSets *out);
void ir_release(Ir *ir);

/* The function around a node; 0: none. */
uint32_t ir_function(const Ir *ir, uint32_t node);
/* The instruction around a node, with its name; 0: none. */
uint32_t ir_instruction(const Ir *ir, uint32_t node);
/* What an instruction does: the node after `%x =`. */
uint32_t ir_body(const Ir *ir, uint32_t instruction);
/* The name an instruction gives its value; empty: none. */
Str ir_name(const Ir *ir, uint32_t instruction);
/* The type of its value as it is written; empty: not known without more of the program. */
Str ir_type(const Ir *ir, uint32_t instruction);
/* A constant of a type, as short as possible. */
Str ir_zero(Str type);

static inline Str ir_token(const Ir *ir, uint32_t token) {
    return tree_token_text(&ir->doc->tree, token);
}
static inline const TreeNode *ir_node(const Ir *ir, uint32_t node) {
    return &ir->doc->tree.nodes.at[node];
}
static inline bool ir_within(const Ir *ir, uint32_t token, uint32_t node) {
    return token >= ir_node(ir, node)->token && token < ir_node(ir, node)->token_end;
}

static inline void ir_drop(DocEdits *edits, uint32_t token) {
    vec_push(edits, ((DocEdit){ .token = token }));
}
static inline void ir_put(DocEdits *edits, uint32_t token, Str text) {
    vec_push(edits, ((DocEdit){ .token = token, .text = text }));
}
/* Every mention of a name within a function, but not in `but`, becomes the text. */
void ir_replace(const Ir *ir, uint32_t function, Str name, uint32_t but, Str text, DocEdits *edits);
/* An instruction goes; who uses its value gets a constant. */
void ir_drop_instruction(const Ir *ir, uint32_t instruction, DocEdits *edits);

#endif

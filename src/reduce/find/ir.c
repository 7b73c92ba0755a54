/* See ir.h. */
#include "reduce/find/ir.h"

bool ir_init(Ir *ir, const Target *t, const Shapes *shapes, EditSets *out) {
    *ir = (Ir){ .target = t, .doc = target_doc(t), .shapes = shapes, .out = out };
    if (strcmp(lang_name(ir->doc->tree.lang), "llvm") != 0) return false;
    token_index_init(&ir->index, ir->doc);
    return true;
}

void ir_release(Ir *ir) {
    token_index_release(&ir->index);
}

static uint32_t around(const Ir *ir, uint32_t node, const char *kind) {
    while (node && !doc_is_kind(ir->doc, node, kind)) node = ir_node(ir, node)->parent;
    return node;
}

uint32_t ir_function(const Ir *ir, uint32_t node) {
    return around(ir, node, "fn_define");
}

uint32_t ir_instruction(const Ir *ir, uint32_t node) {
    return around(ir, node, "instruction");
}

Str ir_name(const Ir *ir, uint32_t instruction) {
    uint32_t first = tree_first_child(&ir->doc->tree, instruction);
    return first && doc_is_kind(ir->doc, first, "local_var") ? tree_node_text(&ir->doc->tree, first)
                                                             : (Str){ 0 };
}

uint32_t ir_body(const Ir *ir, uint32_t instruction) {
    const Tree *t = &ir->doc->tree;
    uint32_t c = tree_first_child(t, instruction);
    while (c && !str_starts(str_from(lang_kind_name(t->lang, t->nodes.at[c].kind)), "instruction_"))
        c = tree_next_child(t, instruction, c);
    return c;
}

/* The type before the operand of this number, counted from 0; 0: there is none. */
static uint32_t operand_type(const Ir *ir, uint32_t body, int number) {
    const Tree *t = &ir->doc->tree;
    for (uint32_t c = tree_first_child(t, body); c; c = tree_next_child(t, body, c))
        if (doc_is_kind(ir->doc, c, "type_and_value") && number-- == 0)
            return doc_child(ir->doc, c, "type");
    return 0;
}

static uint32_t last_type(const Ir *ir, uint32_t body) {
    const Tree *t = &ir->doc->tree;
    uint32_t found = 0;
    for (uint32_t c = tree_first_child(t, body); c; c = tree_next_child(t, body, c))
        if (doc_is_kind(ir->doc, c, "type")) found = c;
    return found;
}

Str ir_type(const Ir *ir, uint32_t instruction) {
    static const struct {
        const char *kind;
        int operand; /* whose type it has; -1: what stands for itself, -2: an address, -3: a bit */
    } all[] = {
        { "instruction_bin_op", 0 },         { "instruction_fneg", 0 },
        { "instruction_freeze", 0 },         { "instruction_insertvalue", 0 },
        { "instruction_select", 1 },         { "instruction_insertelement", 0 },
        { "instruction_atomicrmw", 1 },      { "instruction_cast", -1 },
        { "instruction_load", -1 },          { "instruction_phi", -1 },
        { "instruction_call", -1 },          { "instruction_invoke", -1 },
        { "instruction_va_arg", -1 },        { "instruction_alloca", -2 },
        { "instruction_icmp", -3 },          { "instruction_fcmp", -3 },
        { "instruction_getelementptr", -2 },
    };
    uint32_t body = ir_body(ir, instruction);
    for (size_t i = 0; body && i < COUNT_OF(all); i++) {
        if (!doc_is_kind(ir->doc, body, all[i].kind)) continue;
        if (all[i].operand == -2) return STR("ptr");
        if (all[i].operand == -3) return STR("i1");
        uint32_t type =
            all[i].operand == -1 ? last_type(ir, body) : operand_type(ir, body, all[i].operand);
        return type ? tree_node_text(&ir->doc->tree, type) : (Str){ 0 };
    }
    return (Str){ 0 };
}

Str ir_zero(Str type) {
    size_t digits = 1;
    while (digits < type.len && type.at[digits] >= '0' && type.at[digits] <= '9') digits++;
    if (type.len > 1 && type.at[0] == 'i' && digits == type.len) return STR("0");
    if (str_is(type, "ptr") || (type.len && type.at[type.len - 1] == '*')) return STR("null");
    return STR("zeroinitializer");
}

void ir_replace(const Ir *ir, uint32_t function, Str name, uint32_t but, Str text,
                DocEdits *edits) {
    EACH_TOKEN_LIKE(i, &ir->index, name)
    if (ir_within(ir, i, function) && !ir_within(ir, i, but)) ir_put(edits, i, text);
}

void ir_drop_instruction(const Ir *ir, uint32_t instruction, DocEdits *edits) {
    Str name = ir_name(ir, instruction);
    sets_drop_node(ir->doc, instruction, edits);
    if (name.len)
        ir_replace(ir, ir_function(ir, instruction), name, instruction,
                   ir_zero(ir_type(ir, instruction)), edits);
}

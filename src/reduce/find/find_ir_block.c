/* LLVM IR: blocks and the branches between them. What ends a block becomes a branch to one of its
 * targets; a block that nothing branches to any more goes, and so may any other, its branches with
 * it; two blocks become one where the first always goes on in the second. What a phi says of an
 * edge goes with the edge, and a phi of one edge is its value. */
#include "reduce/find/finders.h"
#include "reduce/find/ir.h"

typedef struct IrBlock {
    Str name;          /* `%x`; empty: it has none (the first one) */
    uint32_t label;    /* node; 0: none */
    uint32_t from, to; /* tokens, the label among them */
    uint32_t last;     /* its last instruction: node */
} IrBlock;
typedef VEC(IrBlock) IrBlocks;

static void list_blocks(const Ir *ir, uint32_t body, IrBlocks *out) {
    const Tree *t = &ir->doc->tree;
    out->len = 0;
    for (uint32_t c = tree_first_child(t, body); c; c = tree_next_child(t, body, c)) {
        const TreeNode *n = &t->nodes.at[c];
        if (n->token == n->token_end) continue; /* the parser made it up */
        if (doc_is_kind(ir->doc, c, "label")) {
            Str text = tree_node_text(t, c);
            Str name = str_from(
                arena_fmt(&ir->out->arena, "%%" STR_FMT, STR_ARG(str_sub(text, 0, text.len - 1))));
            vec_push(out, ((IrBlock){ .name = name, .label = c, .from = n->token }));
        } else if (!doc_is_kind(ir->doc, c, "instruction")) {
            continue;
        } else if (!out->len) {
            vec_push(out, ((IrBlock){ .from = n->token }));
        }
        out->at[out->len - 1].to = n->token_end;
        if (doc_is_kind(ir->doc, c, "instruction")) out->at[out->len - 1].last = c;
    }
}

static const IrBlock *block_named(const IrBlocks *blocks, Str name) {
    for (size_t i = 0; i < blocks->len; i++)
        if (name.len && str_eq(blocks->at[i].name, name)) return &blocks->at[i];
    return NULL;
}

static bool in_block(const IrBlock *b, uint32_t token) {
    return token >= b->from && token < b->to;
}

static uint32_t phi_around(const Ir *ir, uint32_t token) {
    uint32_t instruction = ir_instruction(ir, ir->doc->tree.tokens.at[token].node);
    uint32_t body = instruction ? ir_body(ir, instruction) : 0;
    return body && doc_is_kind(ir->doc, body, "instruction_phi") ? body : 0;
}

/* ---- edges of a phi ---- */
static size_t count_edges(const Ir *ir, uint32_t phi) {
    size_t n = 0;
    for (uint32_t i = ir_node(ir, phi)->token; i + 2 < ir_node(ir, phi)->token_end; i++)
        n += str_is(ir_token(ir, i), ",") && str_is(ir_token(ir, i + 2), "]");
    return n;
}

/* `[ v, %b ]`, from the block's name, with a comma. */
static void drop_edge(const Ir *ir, uint32_t phi, uint32_t token, DocEdits *edits) {
    uint32_t from = token - 1, to = token + 2, first = ir_node(ir, phi)->token;
    for (int depth = 0; from > first; from--) { /* the value may have brackets of its own */
        Str text = ir_token(ir, from);
        if (str_is(text, "[") && !depth--) break;
        depth += str_is(text, "]");
    }
    if (to < ir_node(ir, phi)->token_end && str_is(ir_token(ir, to), ","))
        to++;
    else if (str_is(ir_token(ir, from - 1), ","))
        from--;
    for (uint32_t i = from; i < to; i++) ir_drop(edits, i);
}

/* The edge goes; the last one takes the phi along. */
static void lose_edge(const Ir *ir, uint32_t phi, uint32_t token, DocEdits *edits) {
    if (count_edges(ir, phi) > 1)
        drop_edge(ir, phi, token, edits);
    else
        ir_drop_instruction(ir, ir_node(ir, phi)->parent, edits);
}

/* ---- a block goes ---- */
/* The instruction becomes a branch to a block, or, without a name, is never reached. */
static bool put_branch(const Ir *ir, uint32_t instruction, Str name, DocEdits *edits) {
    const TreeNode *n = ir_node(ir, ir_body(ir, instruction));
    uint32_t at = n->token;
    if (!name.len) {
        ir_put(edits, at++, STR("unreachable"));
    } else {
        if (n->token_end < at + 3) return false;
        ir_put(edits, at, STR("br"));
        ir_put(edits, at + 1, STR("label"));
        ir_put(edits, at + 2, name);
        at += 3;
    }
    for (uint32_t i = ir_node(ir, instruction)->token; i < ir_node(ir, instruction)->token_end; i++)
        if (i < n->token || i >= at) ir_drop(edits, i);
    Str value = ir_name(ir, instruction);
    if (value.len)
        ir_replace(ir, ir_function(ir, instruction), value, instruction,
                   ir_zero(ir_type(ir, instruction)), edits);
    return true;
}

/* The other target of a branch on a condition; empty: it has none. */
static Str other_target(const Ir *ir, uint32_t branch, Str name) {
    const TreeNode *n = ir_node(ir, branch);
    Str found = { 0 };
    for (uint32_t i = n->token + 1; i < n->token_end; i++)
        if (str_is(ir_token(ir, i - 1), "label") && !str_eq(ir_token(ir, i), name))
            found = ir_token(ir, i);
    return found;
}

/* `i32 3, label %x` of a switch goes; false: it is where all others go. */
static bool drop_case(const Ir *ir, uint32_t body, uint32_t token, DocEdits *edits) {
    uint32_t from = token - 1, first = ir_node(ir, body)->token;
    while (from > first && !str_is(ir_token(ir, from - 1), "[") && /* the case before ends so */
           !(from > first + 1 && str_is(ir_token(ir, from - 2), "label")))
        from--;
    if (from == first || !str_is(ir_token(ir, token - 1), "label")) return false;
    uint32_t open = first;
    while (open < token && !str_is(ir_token(ir, open), "[")) open++;
    if (open >= from) return false;
    for (uint32_t i = from; i <= token; i++) ir_drop(edits, i);
    return true;
}

/* What branches to the block no longer does. */
static bool lose_target(const Ir *ir, const IrBlock *b, uint32_t token, DocEdits *edits) {
    uint32_t instruction = ir_instruction(ir, ir->doc->tree.tokens.at[token].node);
    uint32_t body = instruction ? ir_body(ir, instruction) : 0;
    if (!body) return false;
    if (doc_is_kind(ir->doc, body, "instruction_phi"))
        lose_edge(ir, body, token, edits);
    else if (doc_is_kind(ir->doc, body, "instruction_br"))
        return put_branch(ir, instruction, other_target(ir, body, b->name), edits);
    else if (doc_is_kind(ir->doc, body, "instruction_switch"))
        return drop_case(ir, body, token, edits);
    else
        return false;
    return true;
}

/* Its values become constants elsewhere. */
static void lose_values(const Ir *ir, uint32_t function, const IrBlock *b, DocEdits *edits) {
    const Tree *t = &ir->doc->tree;
    for (uint32_t n = function; n < function + t->nodes.at[function].size; n++) {
        if (!doc_is_kind(ir->doc, n, "instruction") || !in_block(b, t->nodes.at[n].token)) continue;
        Str name = ir_name(ir, n);
        if (!name.len) continue;
        EACH_TOKEN_LIKE(i, &ir->index, name)
        if (ir_within(ir, i, function) && !in_block(b, i))
            ir_put(edits, i, ir_zero(ir_type(ir, n)));
    }
}

/* The tokens in [but, but_end) may name it: they change anyway. */
static bool drop_block(const Ir *ir, uint32_t function, const IrBlock *b, uint32_t but,
                       DocEdits *edits) {
    bool ok = true;
    for (uint32_t i = b->from; i < b->to; i++) ir_drop(edits, i);
    EACH_TOKEN_LIKE(i, &ir->index, b->name)
    if (ir_within(ir, i, function) && !in_block(b, i) && !(but && ir_within(ir, i, but)))
        ok = ok && lose_target(ir, b, i, edits);
    if (ok) lose_values(ir, function, b, edits);
    return ok;
}

/* ---- the finders ---- */
typedef void (*EachFunction)(const Ir *ir, uint32_t function, const IrBlocks *blocks);

static void each_function(const Target *t, const Shapes *shapes, EditSets *out, EachFunction f) {
    Ir ir;
    IrBlocks blocks = { 0 };
    if (!ir_init(&ir, t, shapes, out)) return;
    for (uint32_t n = 1; n < ir.doc->tree.nodes.len; n++) {
        uint32_t body =
            doc_is_kind(ir.doc, n, "fn_define") ? doc_child(ir.doc, n, "function_body") : 0;
        if (!body) continue;
        list_blocks(&ir, body, &blocks);
        f(&ir, n, &blocks);
    }
    vec_release(&blocks);
    ir_release(&ir);
}

static void add_blocks(const Ir *ir, uint32_t function, const IrBlocks *blocks) {
    for (size_t i = 1; i < blocks->len; i++) {
        DocEdits edits = { 0 };
        if (drop_block(ir, function, &blocks->at[i], 0, &edits))
            sets_add(ir->target, ir->out, &edits);
        vec_release(&edits);
    }
}

void find_ir_blocks(const Target *t, const Shapes *shapes, EditSets *out) {
    each_function(t, shapes, out, add_blocks);
}

/* Whether something other than this instruction and phis mentions the block. */
static bool is_reached(const Ir *ir, uint32_t function, const IrBlock *b, uint32_t but) {
    EACH_TOKEN_LIKE(i, &ir->index, b->name)
    if (ir_within(ir, i, function) && !ir_within(ir, i, but) && !in_block(b, i) &&
        !phi_around(ir, i))
        return true;
    return false;
}

/* The edge from one block to another goes. */
static bool lose_edges(const Ir *ir, const IrBlock *from, const IrBlock *to, DocEdits *edits) {
    EACH_TOKEN_LIKE(i, &ir->index, from->name) {
        uint32_t phi = in_block(to, i) ? phi_around(ir, i) : 0;
        if (phi) lose_edge(ir, phi, i, edits);
    }
    return true;
}

/* The end of the block becomes a branch to one of its targets; what only it leads to goes. */
static void add_branch(const Ir *ir, uint32_t function, const IrBlocks *blocks, const IrBlock *b,
                       uint32_t target) {
    DocEdits edits = { 0 };
    Str name = ir_token(ir, target);
    bool ok = put_branch(ir, b->last, name, &edits);
    for (uint32_t i = ir_node(ir, b->last)->token; ok && i < ir_node(ir, b->last)->token_end; i++) {
        const IrBlock *other = block_named(blocks, ir_token(ir, i));
        if (!other || other == b || str_eq(other->name, name)) continue;
        ok = is_reached(ir, function, other, b->last)
                 ? lose_edges(ir, b, other, &edits)
                 : drop_block(ir, function, other, b->last, &edits);
    }
    if (ok) sets_add(ir->target, ir->out, &edits);
    vec_release(&edits);
}

static void add_branches(const Ir *ir, uint32_t function, const IrBlocks *blocks) {
    for (size_t k = 0; k < blocks->len; k++) {
        const IrBlock *b = &blocks->at[k];
        uint32_t body = b->last ? ir_body(ir, b->last) : 0;
        for (uint32_t i = body ? ir_node(ir, body)->token + 3 : 0;
             body && i < ir_node(ir, body)->token_end; i++)
            if (str_is(ir_token(ir, i - 1), "label") && block_named(blocks, ir_token(ir, i)))
                add_branch(ir, function, blocks, b, i);
    }
}

void find_ir_branches(const Target *t, const Shapes *shapes, EditSets *out) {
    each_function(t, shapes, out, add_branches);
}

/* ---- two blocks become one ---- */
/* Phis of one edge become their value. */
static bool settle_phis(const Ir *ir, uint32_t function, const IrBlock *b, DocEdits *edits) {
    const Tree *t = &ir->doc->tree;
    for (uint32_t n = function; n < function + t->nodes.at[function].size; n++) {
        if (!doc_is_kind(ir->doc, n, "instruction_phi") || !in_block(b, t->nodes.at[n].token))
            continue;
        uint32_t instruction = t->nodes.at[n].parent, value = doc_child(ir->doc, n, "value");
        if (count_edges(ir, n) != 1 || !value || !ir_name(ir, instruction).len) return false;
        sets_drop_node(ir->doc, instruction, edits);
        ir_replace(ir, function, ir_name(ir, instruction), instruction, tree_node_text(t, value),
                   edits);
    }
    return true;
}

/* The block's text, without its label. */
static Str text_of(const Ir *ir, const IrBlock *b) {
    const Tree *t = &ir->doc->tree;
    uint32_t first = b->from + (b->label ? 1 : 0);
    if (first >= b->to) return (Str){ 0 };
    return str_sub(t->text, t->tokens.at[first].start, t->tokens.at[b->to - 1].end);
}

static void add_join(const Ir *ir, uint32_t function, const IrBlock *first, const IrBlock *second) {
    DocEdits edits = { 0 };
    const TreeNode *branch = ir_node(ir, first->last);
    bool beside = first->to == second->from;
    bool ok = settle_phis(ir, function, second, &edits) && (beside || !edits.len);
    EACH_TOKEN_LIKE(i, &ir->index, second->name) {
        if (!ir_within(ir, i, function) || ir_within(ir, i, first->last)) continue;
        ok = ok && first->name.len && phi_around(ir, i) && !in_block(second, i);
        ir_put(&edits, i, first->name);
    }
    for (uint32_t i = branch->token; i < branch->token_end; i++) ir_drop(&edits, i);
    if (beside) {
        ir_drop(&edits, second->from);
    } else {
        edits.at[edits.len - (branch->token_end - branch->token)].text = text_of(ir, second);
        for (uint32_t i = second->from; i < second->to; i++) ir_drop(&edits, i);
    }
    if (ok) sets_add(ir->target, ir->out, &edits);
    vec_release(&edits);
}

static void add_joins(const Ir *ir, uint32_t function, const IrBlocks *blocks) {
    for (size_t k = 0; k < blocks->len; k++) {
        const IrBlock *first = &blocks->at[k];
        uint32_t body = first->last ? ir_body(ir, first->last) : 0;
        if (!body || !doc_is_kind(ir->doc, body, "instruction_br")) continue;
        const TreeNode *n = ir_node(ir, body);
        if (n->token_end != n->token + 3) continue;
        const IrBlock *second = block_named(blocks, ir_token(ir, n->token + 2));
        if (second && second != first && !is_reached(ir, function, second, first->last))
            add_join(ir, function, first, second);
    }
}

void find_ir_joins(const Target *t, const Shapes *shapes, EditSets *out) {
    each_function(t, shapes, out, add_joins);
}

/* LLVM IR: what only advises the compiler goes, all of it at once where that can be: metadata and
 * who refers to it, attributes, alignments, linkage, flags such as nsw. */
#include "reduce/find/finders.h"
#include "reduce/find/ir.h"

static bool is_advice(const Ir *ir, uint32_t node) {
    static const char *const kinds[] = {
        "metadata_refs",     "metadata_attachment",   "global_metadata",
        "unnamed_attr_grp",  "param_or_return_attrs", "attribute",
        "linkage",           "unnamed_addr",          "alignment",
        "target_definition", "source_file_name",      "fast_math",
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (doc_is_kind(ir->doc, node, kinds[i])) return true;
    return false;
}

/* Words of the grammar's own. */
static bool is_flag(const Ir *ir, uint32_t token) {
    static const char *const words[] = { "nsw",      "nuw",      "exact", "nneg",
                                         "disjoint", "inbounds", "tail" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(ir_token(ir, token), words[i])) return true;
    return false;
}

/* With the comma that belongs to it, where it has none of its own. */
static void drop_advice(const Ir *ir, uint32_t node, DocEdits *edits) {
    uint32_t token = ir_node(ir, node)->token;
    bool listed =
        doc_is_kind(ir->doc, node, "alignment") || doc_is_kind(ir->doc, node, "attribute");
    if (listed && token && str_is(ir_token(ir, token - 1), ",")) ir_drop(edits, token - 1);
    sets_drop_node(ir->doc, node, edits);
}

/* One set for all advice of a node: an instruction, a function's head, a global. */
static void add_advice(const Ir *ir, uint32_t node) {
    const TreeNode *n = ir_node(ir, node);
    DocEdits edits = { 0 };
    for (uint32_t inside = node; inside < node + n->size; inside++)
        if (is_advice(ir, inside)) drop_advice(ir, inside, &edits);
    for (uint32_t i = n->token; i < n->token_end; i++)
        if (is_flag(ir, i)) ir_drop(&edits, i);
    sets_add(ir->target, ir->out, &edits);
    vec_release(&edits);
}

void find_ir_trims(const Target *t, const Shapes *shapes, EditSets *out) {
    Ir ir;
    if (!ir_init(&ir, t, shapes, out)) return;
    const Tree *tree = &ir.doc->tree;
    out->together = true;
    for (uint32_t n = 1; n < tree->nodes.len; n++) {
        bool whole = tree->nodes.at[n].parent == 0 && !doc_is_kind(ir.doc, n, "fn_define");
        if (whole || doc_is_kind(ir.doc, n, "instruction") ||
            (doc_is_kind(ir.doc, n, "function_header") && ir_function(&ir, n)))
            add_advice(&ir, n);
    }
    ir_release(&ir);
}

/* Preprocessor: an `#if` gives way to one of its branches, a macro without parameters to its text.
 * A file's own `#include` lines are left to the code that knows the other files. */
#include "reduce/find/finders.h"
#include "reduce/find/rewrite.h"

static CRange range_of(const Tree *t, uint32_t node) {
    return (CRange){ t->nodes.at[node].start, t->nodes.at[node].end };
}

static bool is_branch(const Doc *doc, uint32_t node) {
    return doc_is_kind(doc, node, "preproc_else") || doc_is_kind(doc, node, "preproc_elif") ||
           doc_is_kind(doc, node, "preproc_elifdef");
}

static bool is_conditional(const Doc *doc, uint32_t node) {
    return doc_is_kind(doc, node, "preproc_if") || doc_is_kind(doc, node, "preproc_ifdef");
}

/* What a branch contains: its children after the condition, up to the next branch or #endif; an
 * empty range: nothing. */
static CRange inside_of(const Doc *doc, uint32_t node) {
    const Tree *t = &doc->tree;
    uint32_t line = t->nodes.at[node].start;
    while (line < t->text.len && t->text.at[line] != '\n') line++;
    CRange in = { line, line };
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c)) {
        const TreeNode *n = &t->nodes.at[c];
        if (is_branch(doc, c) || doc_is_kind(doc, c, "#endif")) break;
        if (n->start > line && n->end > in.to) in.to = n->end;
    }
    return in;
}

static void keep_inside(Rewrite *w, CRange all, CRange inside, EditSets *out) {
    rewrite_clear(w);
    if (inside.from < inside.to)
        rewrite_keep(w, all, inside);
    else
        rewrite_drop(w, all);
    rewrite_add(w, out);
}

static void find_branches(const Doc *doc, Rewrite *w, uint32_t node, EditSets *out) {
    const Tree *t = &doc->tree;
    CRange all = range_of(t, node);
    for (uint32_t branch = node; branch;) {
        uint32_t next = 0;
        keep_inside(w, all, inside_of(doc, branch), out);
        for (uint32_t c = tree_first_child(t, branch); c; c = tree_next_child(t, branch, c))
            if (is_branch(doc, c)) next = c;
        branch = next;
    }
}

/* `#define N text`: every N becomes the text. */
static void expand_macro(const Doc *doc, Rewrite *w, const TokenIndex *index, uint32_t node,
                         EditSets *out) {
    const Tree *t = &doc->tree;
    uint32_t name = 0, value = 0;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c)) {
        if (doc_is_kind(doc, c, "identifier")) name = c;
        if (doc_is_kind(doc, c, "preproc_arg")) value = c;
    }
    if (!name) return;
    CRange own = range_of(t, node);
    rewrite_clear(w);
    rewrite_drop(w, own);
    EACH_TOKEN_LIKE(i, index, tree_node_text(t, name)) {
        const TreeToken *k = &t->tokens.at[i];
        if (k->start >= own.from && k->end <= own.to) continue;
        rewrite_at(w, (CRange){ k->start, k->end });
        if (value) rewrite_text(w, arena_str(w->arena, str_trim(tree_node_text(t, value))));
    }
    rewrite_add(w, out);
}

void find_directives(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    TokenIndex index;
    Rewrite w;
    (void)shapes;
    if (!sets_speaks_c(doc)) return;
    token_index_init(&index, doc);
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        if (is_conditional(doc, n)) find_branches(doc, &w, n, out);
        if (doc_is_kind(doc, n, "preproc_def")) expand_macro(doc, &w, &index, n, out);
    }
    rewrite_release(&w);
    token_index_release(&index);
}

/* C++: a concept goes with all that asks for it: `template <C T>` becomes `template <class T>`,
 * `C auto` becomes `auto`, `requires C<T>` goes, and where else it stands it holds. Default
 * arguments go, all at once or one by one. */
#include "reduce/find/finders.h"
#include "reduce/find/rewrite.h"

static CRange range_of(const Tree *t, uint32_t node) {
    return (CRange){ t->nodes.at[node].start, t->nodes.at[node].end };
}

static uint32_t parent_of(const Tree *t, uint32_t node) {
    return t->nodes.at[node].parent;
}

static bool speaks_cpp(const Doc *doc) {
    return strcmp(lang_name(doc->tree.lang), "cpp") == 0;
}

/* ---- concepts ---- */
/* The concept at this name with its arguments. */
static uint32_t with_arguments(const Doc *doc, uint32_t leaf) {
    uint32_t up = parent_of(&doc->tree, leaf);
    bool first = tree_first_child(&doc->tree, up) == leaf;
    bool applied =
        doc_is_kind(doc, up, "template_type") || doc_is_kind(doc, up, "template_function");
    return first && applied ? up : leaf;
}

static void put_use(const Doc *doc, Rewrite *w, uint32_t leaf) {
    const Tree *t = &doc->tree;
    uint32_t use = with_arguments(doc, leaf), holder = parent_of(t, use);
    bool parameter = doc_is_kind(doc, holder, "parameter_declaration") &&
                     doc_is_kind(doc, parent_of(t, holder), "template_parameter_list");
    if (doc_is_kind(doc, holder, "requires_clause"))
        rewrite_drop(w, range_of(t, holder));
    else if (doc_is_kind(doc, holder, "placeholder_type_specifier"))
        rewrite_drop(w, range_of(t, use));
    else
        rewrite_put(w, range_of(t, use), parameter ? STR("class") : STR("true"));
}

/* The template around a concept, and the concept's name; false: it has none. */
static bool concept_named(const Doc *doc, uint32_t node, uint32_t *whole, uint32_t *name) {
    const Tree *t = &doc->tree;
    *whole = parent_of(t, node);
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c)) {
        *name = c;
        if (doc_is_kind(doc, c, "identifier"))
            return doc_is_kind(doc, *whole, "template_declaration");
    }
    return false;
}

void find_concepts(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    const Tree *tree = &doc->tree;
    TokenIndex index;
    Rewrite w;
    (void)shapes;
    if (!speaks_cpp(doc)) return;
    token_index_init(&index, doc);
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < tree->nodes.len; n++) {
        uint32_t whole, name;
        if (!doc_is_kind(doc, n, "concept_definition") || !concept_named(doc, n, &whole, &name))
            continue;
        rewrite_clear(&w);
        rewrite_drop(&w, range_of(tree, whole));
        EACH_TOKEN_LIKE(i, &index, tree_node_text(tree, name))
        if (i < tree->nodes.at[whole].token || i >= tree->nodes.at[whole].token_end)
            put_use(doc, &w, tree->tokens.at[i].node);
        rewrite_add(&w, out);
    }
    rewrite_release(&w);
    token_index_release(&index);
}

/* ---- default arguments ---- */
/* From the `=` on; false: none is there. */
static bool default_of(const Doc *doc, uint32_t node, CRange *out) {
    const Tree *t = &doc->tree;
    if (!doc_is_kind(doc, node, "optional_parameter_declaration") &&
        !doc_is_kind(doc, node, "optional_type_parameter_declaration"))
        return false;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c))
        if (doc_is_kind(doc, c, "=")) {
            *out = (CRange){ t->nodes.at[c].start, t->nodes.at[node].end };
            return true;
        }
    return false;
}

void find_defaults(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    VEC(CRange) found = { 0 };
    CRange one;
    Rewrite w;
    (void)shapes;
    if (!speaks_cpp(doc)) return;
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++)
        if (default_of(doc, n, &one)) vec_push(&found, one);
    rewrite_init(&w, t, &out->arena);
    rewrite_clear(&w);
    for (size_t i = 0; i < found.len; i++) rewrite_drop(&w, found.at[i]);
    if (found.len > 1) rewrite_add(&w, out);
    for (size_t i = 0; i < found.len; i++) {
        rewrite_clear(&w);
        rewrite_drop(&w, found.at[i]);
        rewrite_add(&w, out);
    }
    rewrite_release(&w);
    vec_release(&found);
}

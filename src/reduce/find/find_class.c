/* C++ around classes: a namespace is dissolved and its qualifiers go; a base gives its members to
 * the class that derives from it; a class gives its members to what is around it; an alias gives
 * way to its type; a function is only declared; a long type becomes `auto` or `int`. */
#include "reduce/find/finders.h"
#include "reduce/find/rewrite.h"

static CRange range_of(const Tree *t, uint32_t node) {
    return (CRange){ t->nodes.at[node].start, t->nodes.at[node].end };
}

static bool speaks_cpp(const Doc *doc) {
    return strcmp(lang_name(doc->tree.lang), "cpp") == 0;
}

/* The inside of a node's braces. */
static CRange inside_of(const Tree *t, uint32_t braces) {
    return (CRange){ t->nodes.at[braces].start + 1, t->nodes.at[braces].end - 1 };
}

/* ---- namespaces ---- */
/* `N::` everywhere: the name and the sign after it. */
static void drop_qualifiers(const Doc *doc, Rewrite *w, const TokenIndex *index, Str name) {
    const Tree *t = &doc->tree;
    EACH_TOKEN_LIKE(i, index, name) {
        if (i + 1 >= t->tokens.len || !str_is(tree_token_text(t, i + 1), "::")) continue;
        rewrite_drop(w, (CRange){ t->tokens.at[i].start, t->tokens.at[i + 1].end });
    }
}

static bool open_namespace(const Doc *doc, Rewrite *w, uint32_t node, Str *name) {
    const Tree *t = &doc->tree;
    uint32_t id = doc_child(doc, node, "namespace_identifier");
    uint32_t body = doc_child(doc, node, "declaration_list");
    if (!body) return false;
    *name = id ? tree_node_text(t, id) : (Str){ 0 };
    rewrite_keep(w, range_of(t, node), inside_of(t, body));
    return true;
}

/* All namespaces of a name at once, and `using namespace` of it goes. */
static void add_opened(const Doc *doc, Rewrite *w, const TokenIndex *index, Str name,
                       EditSets *out) {
    const Tree *t = &doc->tree;
    rewrite_clear(w);
    for (uint32_t n = 1; n < t->nodes.len; n++) {
        Str own = { 0 };
        uint32_t id = 0;
        if (doc_is_kind(doc, n, "namespace_definition")) {
            id = doc_child(doc, n, "namespace_identifier");
            own = id ? tree_node_text(t, id) : (Str){ 0 };
            if (str_eq(own, name)) open_namespace(doc, w, n, &own);
        }
        if (doc_is_kind(doc, n, "using_declaration") && doc_child(doc, n, "namespace") &&
            (id = doc_child(doc, n, "identifier")) && str_eq(tree_node_text(t, id), name))
            rewrite_drop(w, range_of(t, n));
    }
    if (name.len) drop_qualifiers(doc, w, index, name);
    rewrite_add(w, out);
}

void find_namespaces(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    TokenIndex index;
    Map seen = { 0 };
    Rewrite w;
    (void)shapes;
    if (!speaks_cpp(doc)) return;
    token_index_init(&index, doc);
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        if (!doc_is_kind(doc, n, "namespace_definition")) continue;
        uint32_t id = doc_child(doc, n, "namespace_identifier");
        Str name = id ? tree_node_text(&doc->tree, id) : (Str){ 0 };
        if (map_put(&seen, name.len ? name : STR("{"), 1)) add_opened(doc, &w, &index, name, out);
    }
    map_release(&seen);
    rewrite_release(&w);
    token_index_release(&index);
}

/* ---- classes ---- */
static bool is_class(const Doc *doc, uint32_t node) {
    return doc_is_kind(doc, node, "struct_specifier") || doc_is_kind(doc, node, "class_specifier");
}

/* The definition of a class of this name on its own; 0: none. */
static uint32_t class_named(const Doc *doc, const TokenIndex *index, Str name) {
    const Tree *t = &doc->tree;
    EACH_TOKEN_LIKE(i, index, name) {
        uint32_t up = t->nodes.at[t->tokens.at[i].node].parent;
        if (is_class(doc, up) && doc_child(doc, up, "field_declaration_list")) return up;
    }
    return 0;
}

/* A base's members before the class's own; the base goes where nothing else names it. */
static void add_absorbed(const Doc *doc, Rewrite *w, const TokenIndex *index, uint32_t node,
                         EditSets *out) {
    const Tree *t = &doc->tree;
    uint32_t clause = doc_child(doc, node, "base_class_clause");
    uint32_t own = doc_child(doc, node, "field_declaration_list");
    for (uint32_t c = clause ? tree_first_child(t, clause) : 0; c && own;
         c = tree_next_child(t, clause, c)) {
        uint32_t base = doc_is_kind(doc, c, "type_identifier")
                            ? class_named(doc, index, tree_node_text(t, c))
                            : 0;
        uint32_t body = base ? doc_child(doc, base, "field_declaration_list") : 0;
        if (!body || base == node || t->nodes.at[base].end > t->nodes.at[node].start) continue;
        rewrite_clear(w);
        rewrite_drop(w, range_of(t, clause));
        uint32_t at = t->nodes.at[own].start + 1;
        rewrite_at(w, (CRange){ at, at });
        rewrite_source(w, inside_of(t, body));
        uint32_t next = tree_next_child(t, t->nodes.at[base].parent, base);
        rewrite_drop(w, (CRange){ t->nodes.at[base].start, next && doc_is_kind(doc, next, ";")
                                                               ? t->nodes.at[next].end
                                                               : t->nodes.at[base].end });
        rewrite_add(w, out);
    }
}

/* The members of a class in place of it: methods become functions. */
static void add_emptied(const Doc *doc, Rewrite *w, const TokenIndex *index, uint32_t node,
                        EditSets *out) {
    const Tree *t = &doc->tree;
    uint32_t body = doc_child(doc, node, "field_declaration_list");
    uint32_t name = doc_child(doc, node, "type_identifier");
    uint32_t next = tree_next_child(t, t->nodes.at[node].parent, node);
    if (!body || !next || !doc_is_kind(doc, next, ";")) return;
    rewrite_clear(w);
    rewrite_drop(w, (CRange){ t->nodes.at[node].start, t->nodes.at[body].start + 1 });
    rewrite_drop(w, (CRange){ t->nodes.at[body].end - 1, t->nodes.at[next].end });
    if (name) drop_qualifiers(doc, w, index, tree_node_text(t, name));
    rewrite_add(w, out);
}

void find_classes(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    TokenIndex index;
    Rewrite w;
    (void)shapes;
    if (!speaks_cpp(doc)) return;
    token_index_init(&index, doc);
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        if (!is_class(doc, n)) continue;
        add_absorbed(doc, &w, &index, n, out);
        add_emptied(doc, &w, &index, n, out);
    }
    rewrite_release(&w);
    token_index_release(&index);
}

/* ---- aliases ---- */
void find_aliases(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    const Tree *tree = &doc->tree;
    TokenIndex index;
    Rewrite w;
    (void)shapes;
    if (!speaks_cpp(doc)) return;
    token_index_init(&index, doc);
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < tree->nodes.len; n++) {
        uint32_t name = 0, type = 0;
        if (!doc_is_kind(doc, n, "alias_declaration") ||
            !(name = doc_child(doc, n, "type_identifier")) ||
            !(type = doc_child(doc, n, "type_descriptor")))
            continue;
        for (int plain = 0; plain < 2; plain++) {
            rewrite_clear(&w);
            rewrite_drop(&w, range_of(tree, n));
            EACH_TOKEN_LIKE(i, &index, tree_node_text(tree, name)) {
                const TreeToken *k = &tree->tokens.at[i];
                if (k->start >= tree->nodes.at[n].start && k->end <= tree->nodes.at[n].end)
                    continue;
                rewrite_at(&w, (CRange){ k->start, k->end });
                if (plain)
                    rewrite_text(&w, STR("int"));
                else
                    rewrite_source(&w, range_of(tree, type));
            }
            rewrite_add(&w, out);
        }
    }
    rewrite_release(&w);
    token_index_release(&index);
}

/* ---- functions that are only declared, and short types ---- */
static bool is_long_type(const Doc *doc, uint32_t node) {
    static const char *const kinds[] = { "template_type", "qualified_identifier", "dependent_type",
                                         "decltype" };
    const TreeNode *n = &doc->tree.nodes.at[node];
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        if (doc_is_kind(doc, node, kinds[k])) return n->token_end - n->token > 1;
    return false;
}

void find_bodiless(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    const Tree *tree = &doc->tree;
    unsigned type = lang_field(tree->lang, "type");
    Rewrite w;
    (void)shapes;
    if (!sets_speaks_c(doc)) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < tree->nodes.len; n++) {
        uint32_t body = doc_is_kind(doc, n, "function_definition")
                            ? doc_child(doc, n, "compound_statement")
                            : 0;
        if (body) {
            uint32_t list = doc_child(doc, n, "field_initializer_list");
            rewrite_clear(&w);
            rewrite_put(
                &w, (CRange){ tree->nodes.at[list ? list : body].start, tree->nodes.at[body].end },
                STR(";"));
            rewrite_add(&w, out);
        }
        if (!speaks_cpp(doc) || !is_long_type(doc, n) || tree->nodes.at[n].field != type) continue;
        for (int k = 0; k < 2; k++) {
            rewrite_clear(&w);
            rewrite_put(&w, range_of(tree, n), k ? STR("auto") : STR("int"));
            rewrite_add(&w, out);
        }
    }
    rewrite_release(&w);
}

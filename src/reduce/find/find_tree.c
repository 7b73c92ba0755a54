/* Finders of edit sets for C and C++: what only works in several places at once; see sets.h. */
#include "reduce/find/finders.h"

bool sets_speaks_c(const Doc *doc) {
    const char *name = lang_name(doc->tree.lang);
    return strcmp(name, "c") == 0 || strcmp(name, "cpp") == 0;
}

/* ---- typedefs ---- */
/* The name a `typedef T name;` introduces: the leaf before the semicolon, with a type before it
 * (the grammar takes some usual names for built-in types); 0: something else. */
static uint32_t typedef_name(const Doc *doc, uint32_t node) {
    const Tree *t = &doc->tree;
    uint32_t name = 0;
    size_t named = 0;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c)) {
        const TreeNode *n = &t->nodes.at[c];
        if (doc_is_kind(doc, c, ",") || strstr(lang_kind_name(t->lang, n->kind), "_declarator"))
            return 0;
        if (!(n->flags & NODE_NAMED) || !doc_alive(doc, c)) continue;
        named++;
        name = n->size == 1 ? c : 0;
    }
    return named > 1 ? name : 0;
}

void find_typedefs(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    TokenIndex index;
    (void)shapes;
    out->together = true;
    token_index_init(&index, doc);
    for (uint32_t n = 0; sets_speaks_c(doc) && n < doc->tree.nodes.len; n++) {
        uint32_t name = doc_is_kind(doc, n, "type_definition") ? typedef_name(doc, n) : 0;
        if (!name || !doc_alive(doc, n)) continue;
        const TreeNode *def = &doc->tree.nodes.at[n], *id = &doc->tree.nodes.at[name];
        uint32_t first = def->token + 1, last = id->token; /* [first, last) is the type */
        if (last <= first) continue;
        Str type = str_sub(doc->tree.text, doc->tree.tokens.at[first].start,
                           doc->tree.tokens.at[last - 1].end);
        Str word = tree_token_text(&doc->tree, id->token);
        for (int simple = 0; simple < 2; simple++) {
            Str with = simple ? STR("int") : type;
            size_t width = simple ? 1 : last - first, uses = 0;
            DocEdits edits = { 0 };
            sets_drop_node(doc, n, &edits);
            EACH_TOKEN_LIKE(i, &index, word) {
                if (i >= def->token && i < def->token_end) continue;
                vec_push(&edits, ((DocEdit){ .token = i, .text = with }));
                uses++;
            }
            if (def->token_end - def->token > uses * (width - 1)) sets_add(t, out, &edits);
            vec_release(&edits);
        }
    }
    token_index_release(&index);
}

/* ---- parameters with their arguments ---- */
/* Takes the k-th element out of a parameter or argument list. */
static bool drop_nth(const Doc *doc, const Shapes *shapes, uint32_t list, size_t k,
                     DocEdits *edits) {
    Row row;
    row_init(&row, doc, shapes, list);
    uint32_t found = 0;
    for (size_t i = 0, at = 0; i < row.child.len; i++)
        if ((doc->tree.nodes.at[row.child.at[i]].flags & NODE_NAMED) && at++ == k)
            found = row.child.at[i];
    row_release(&row);
    return found && sets_drop_around(doc, shapes, found, edits);
}

static size_t count_named(const Doc *doc, uint32_t list) {
    size_t n = 0;
    for (uint32_t c = tree_first_child(&doc->tree, list); c;
         c = tree_next_child(&doc->tree, list, c))
        n += (doc->tree.nodes.at[c].flags & NODE_NAMED) && doc_alive(doc, c);
    return n;
}

/* The list that belongs to a use of the function's name: its parameters or its arguments; 0: none.
 */
static uint32_t list_of(const Doc *doc, uint32_t name) {
    uint32_t parent = doc->tree.nodes.at[name].parent;
    if (doc_is_kind(doc, parent, "function_declarator"))
        return doc_child(doc, parent, "parameter_list");
    if (doc_is_kind(doc, parent, "call_expression")) return doc_child(doc, parent, "argument_list");
    return 0;
}

void find_parameters(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    TokenIndex index;
    out->together = true;
    token_index_init(&index, doc);
    bool small = sets_speaks_c(doc) && doc->count <= SETS_HUGE;
    for (uint32_t n = 0; small && n < doc->tree.nodes.len; n++) {
        uint32_t name =
            doc_is_kind(doc, n, "function_declarator") ? doc_child(doc, n, "identifier") : 0;
        if (!name || !doc_alive(doc, name)) continue;
        Str word = tree_node_text(&doc->tree, name);
        size_t most = count_named(doc, list_of(doc, name));
        for (size_t k = 0; k < most; k++) {
            DocEdits edits = { 0 };
            EACH_TOKEN_LIKE(i, &index, word) {
                uint32_t list = list_of(doc, doc->tree.tokens.at[i].node);
                if (list) drop_nth(doc, shapes, list, k, &edits);
            }
            sets_add(t, out, &edits);
            vec_release(&edits);
        }
    }
    token_index_release(&index);
}

/* ---- one level of array or pointer less ---- */
static bool peels(const Doc *doc, uint32_t parent) {
    static const char *const kinds[] = { "array_declarator", "subscript_expression",
                                         "pointer_declarator", "pointer_expression" };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (doc_is_kind(doc, parent, kinds[i])) return true;
    return false;
}

void find_peels(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    TokenIndex index;
    (void)shapes;
    if (!sets_speaks_c(doc)) return;
    token_index_init(&index, doc);
    for (uint32_t i = 0; i < doc->tree.tokens.len; i++) {
        uint32_t leaf = doc->tree.tokens.at[i].node;
        Str word = tree_token_text(&doc->tree, i);
        bool name =
            doc_is_kind(doc, leaf, "identifier") || doc_is_kind(doc, leaf, "field_identifier");
        if (!name || token_index_first(&index, word) != i) continue;
        DocEdits edits = { 0 };
        EACH_TOKEN_LIKE(k, &index, word) {
            uint32_t node = doc->tree.tokens.at[k].node, parent = doc->tree.nodes.at[node].parent;
            if (peels(doc, parent)) sets_keep_only(doc, parent, node, &edits);
        }
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
    token_index_release(&index);
}

/* ---- int instead of another type ---- */
void find_types(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    static const char *const kinds[] = { "sized_type_specifier", "type_identifier",
                                         "struct_specifier",     "union_specifier",
                                         "enum_specifier",       "primitive_type" };
    for (uint32_t n = 0; sets_speaks_c(doc) && n < doc->tree.nodes.len; n++) {
        bool type = false;
        for (size_t k = 0; k < COUNT_OF(kinds) && !type; k++) type = doc_is_kind(doc, n, kinds[k]);
        Str text = tree_node_text(&doc->tree, n);
        if (!type || text.len <= 3 || doc_alive(doc, n) == 0) continue;
        DocEdits edits = { 0 };
        sets_drop_node(doc, n, &edits);
        edits.at[0].text = STR("int");
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
}

/* ---- a function in place of one that calls it ---- */
static uint32_t function_name(const Doc *doc, uint32_t definition) {
    uint32_t n = definition;
    for (uint32_t c = 1; n && c;) {
        c = doc_child(doc, n, "function_declarator");
        if (!c) c = doc_child(doc, n, "pointer_declarator");
        if (!c) c = doc_child(doc, n, "parenthesized_declarator");
        if (c) n = c;
    }
    return n == definition ? 0 : doc_child(doc, n, "identifier");
}

/* The definition of `word` other than `but`; its name in *name. */
static uint32_t definition_of(const Doc *doc, Str word, uint32_t but, uint32_t *name) {
    const Tree *t = &doc->tree;
    for (uint32_t n = tree_first_child(t, 0); n; n = tree_next_child(t, 0, n)) {
        if (n == but || !doc_is_kind(doc, n, "function_definition") || !doc_alive(doc, n)) continue;
        *name = function_name(doc, n);
        if (*name && str_eq(tree_node_text(t, *name), word)) return n;
    }
    return 0;
}

/* The caller goes, and the one it calls gets its name. */
static void add_takeover(const Target *t, const TokenIndex *index, uint32_t caller, Str own,
                         Str called, EditSets *out) {
    const Doc *doc = target_doc(t);
    const TreeNode *g = &doc->tree.nodes.at[caller];
    DocEdits edits = { 0 };
    sets_drop_node(doc, caller, &edits);
    EACH_TOKEN_LIKE(i, index, called)
    if (i < g->token || i >= g->token_end) vec_push(&edits, ((DocEdit){ .token = i, .text = own }));
    sets_add(t, out, &edits);
    vec_release(&edits);
}

void find_takeovers(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    const Tree *tree = &doc->tree;
    TokenIndex index;
    (void)shapes;
    token_index_init(&index, doc);
    for (uint32_t n = tree_first_child(tree, 0); n && sets_speaks_c(doc);
         n = tree_next_child(tree, 0, n)) {
        uint32_t name = doc_is_kind(doc, n, "function_definition") ? function_name(doc, n) : 0;
        if (!name || !doc_alive(doc, n)) continue;
        Map seen = { 0 };
        for (uint32_t k = n; k < n + tree->nodes.at[n].size; k++) {
            uint32_t callee = doc_is_kind(doc, k, "call_expression") && doc_alive(doc, k)
                                  ? doc_child(doc, k, "identifier")
                                  : 0;
            uint32_t other;
            if (callee && map_put(&seen, tree_node_text(tree, callee), 1) &&
                definition_of(doc, tree_node_text(tree, callee), n, &other))
                add_takeover(t, &index, n, tree_node_text(tree, name), tree_node_text(tree, callee),
                             out);
        }
        map_release(&seen);
    }
    token_index_release(&index);
}

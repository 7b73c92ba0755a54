/* Cuts of programs that are not C to clang (C++, GNU extensions it does not know), through the
 * syntax tree alone: each statement, declaration, definition and member left out, compound
 * statements without what surrounds them. Without a model nothing is known about what calls do, so
 * a cut is honest only where it removes no call, no return and no condition. */
#include "isolate/cuts_impl.h"
#include "tree/tree.h"

/* Node kinds of tree-sitter's C++ grammar that may be removed. */
static bool may_go(const char *kind) {
    static const char *const ends[] = {
        "_statement",        "_definition",     "declaration",
        "_declaration",      "_specifier_list", "preproc_include",
        "preproc_def",       "preproc_call",    "field_initializer_list",
        "base_class_clause", "access_specifier"
    };
    size_t n = strlen(kind);
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        size_t m = strlen(ends[i]);
        if (n >= m && strcmp(kind + n - m, ends[i]) == 0) return true;
    }
    return false;
}

/* Something that may be visible from outside, or decides whether something is. */
static bool shows(const char *kind) {
    static const char *const kinds[] = {
        "call_expression", "return_statement",    "throw_statement",    "if_statement",
        "for_statement",   "while_statement",     "do_statement",       "switch_statement",
        "goto_statement",  "break_statement",     "continue_statement", "for_range_loop",
        "try_statement",   "function_definition", "preproc_def"
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kind, kinds[i]) == 0) return true;
    return false;
}

static const char *kind_of(const Tree *tree, uint32_t node) {
    return lang_kind_name(tree->lang, tree->nodes.at[node].kind);
}

static bool is_honest(const Tree *tree, uint32_t node) {
    for (uint32_t i = node; i < node + tree->nodes.at[node].size; i++)
        if ((tree->nodes.at[i].flags & NODE_NAMED) && shows(kind_of(tree, i))) return false;
    return true;
}

static bool defines_main(const Tree *tree, uint32_t node) {
    const TreeNode *n = &tree->nodes.at[node];
    for (uint32_t t = n->token; t < n->token_end; t++)
        if (str_is(tree_token_text(tree, t), "main")) return true;
    return false;
}

static void add_node(CutMaker *m, const Tree *tree, uint32_t node) {
    const TreeNode *n = &tree->nodes.at[node];
    const char *kind = kind_of(tree, node);
    CRange range = { n->start, n->end };
    if (strcmp(kind, "compound_statement") == 0 && node) {
        const TreeNode *up = &tree->nodes.at[n->parent];
        bool body = strcmp(kind_of(tree, n->parent), "function_definition") != 0;
        if (body && up->end > n->end - 1)
            cuts_add(m, (CRange){ up->start, up->end }, tree_node_text(tree, node), false);
        return;
    }
    bool definition = strcmp(kind, "function_definition") == 0;
    if (!may_go(kind) || (definition && defines_main(tree, node))) return;
    cuts_add(m, range, STR(""), is_honest(tree, node));
}

void cuts_add_tree(CutMaker *m) {
    const Lang *lang = lang_builtin("c++", NULL);
    if (!lang) return;
    Tree tree = { 0 };
    tree_parse(lang, m->text, &tree);
    for (uint32_t i = 1; tree.lang && i < tree.nodes.len; i++)
        if (tree.nodes.at[i].flags & NODE_NAMED) add_node(m, &tree, i);
    tree_release(&tree);
}

/* C++ templates: a parameter goes with its arguments. Inside, its name becomes an argument that was
 * passed for it, or `int` (of a type) or `0` (of a value); without parameters the template becomes
 * an ordinary class or function, and `A<>` becomes `A`. */
#include "reduce/find/finders.h"
#include "reduce/find/rewrite.h"

enum { MOST_VALUES = 2 }; /* arguments tried in place of a parameter */

static CRange range_of(const Tree *t, uint32_t node) {
    return (CRange){ t->nodes.at[node].start, t->nodes.at[node].end };
}

static uint32_t child_like(const Doc *doc, uint32_t node, const char *part) {
    const Tree *t = &doc->tree;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c))
        if (strstr(lang_kind_name(t->lang, t->nodes.at[c].kind), part)) return c;
    return 0;
}

static uint32_t nth_named(const Doc *doc, uint32_t list, size_t k) {
    const Tree *t = &doc->tree;
    for (uint32_t c = tree_first_child(t, list); c; c = tree_next_child(t, list, c))
        if ((t->nodes.at[c].flags & NODE_NAMED) && k-- == 0) return c;
    return 0;
}

/* The name a template declares: the first name of a class, or the one before a function's
 * parameters. 0: something else. */
static uint32_t template_name(const Doc *doc, uint32_t node) {
    const Tree *t = &doc->tree;
    for (uint32_t n = node + 1; n < node + t->nodes.at[node].size; n++) {
        const char *kind = lang_kind_name(t->lang, t->nodes.at[n].kind);
        if (strcmp(kind, "template_parameter_list") == 0 || strcmp(kind, "requires_clause") == 0) {
            n += t->nodes.at[n].size - 1;
            continue;
        }
        uint32_t up = t->nodes.at[n].parent;
        const char *in = lang_kind_name(t->lang, t->nodes.at[up].kind);
        bool holder = strstr(in, "_specifier") || strcmp(in, "function_declarator") == 0 ||
                      strcmp(in, "alias_declaration") == 0 || strcmp(in, "concept_definition") == 0;
        if (holder && strstr(kind, "identifier") && t->nodes.at[n].size == 1) return n;
    }
    return 0;
}

/* The name of a template parameter: its last name, but not in its default. */
static uint32_t parameter_name(const Doc *doc, uint32_t parameter) {
    const Tree *t = &doc->tree;
    uint32_t name = 0;
    for (uint32_t n = parameter + 1; n < parameter + t->nodes.at[parameter].size; n++) {
        if (doc_is_kind(doc, n, "=")) break;
        if (t->nodes.at[n].size == 1 &&
            strstr(lang_kind_name(t->lang, t->nodes.at[n].kind), "identifier"))
            name = n;
    }
    return name;
}

/* An element of a list in angle brackets; the last one takes the brackets with it. */
static void drop_listed(const Doc *doc, Rewrite *w, uint32_t list, uint32_t element) {
    const TreeNode *l = &doc->tree.nodes.at[list];
    if (!nth_named(doc, list, 1))
        rewrite_drop(w, (CRange){ l->start, l->end });
    else
        rewrite_drop_element(w, range_of(&doc->tree, element),
                             (CRange){ l->start + 1, l->end - 1 });
}

typedef struct Parameter {
    uint32_t node;    /* the template_declaration */
    uint32_t list;    /* its parameters */
    uint32_t element; /* the one that goes */
    uint32_t name;    /* its name; 0: none */
    size_t k;         /* its place */
    Str of;           /* the template's name */
} Parameter;

/* Arguments of every use of the template; the first few different ones go to values. */
static void drop_arguments(const Doc *doc, Rewrite *w, const TokenIndex *index, const Parameter *p,
                           uint32_t *values, size_t *n) {
    const Tree *t = &doc->tree;
    EACH_TOKEN_LIKE(i, index, p->of) {
        uint32_t leaf = t->tokens.at[i].node, list = 0;
        if (t->nodes.at[leaf].parent)
            list = child_like(doc, t->nodes.at[leaf].parent, "template_argument_list");
        uint32_t argument = list ? nth_named(doc, list, p->k) : 0;
        if (!argument) continue;
        drop_listed(doc, w, list, argument);
        bool known = *n == MOST_VALUES;
        for (size_t k = 0; k < *n && !known; k++)
            known = str_eq(tree_node_text(t, values[k]), tree_node_text(t, argument));
        if (!known) values[(*n)++] = argument;
    }
}

static void drop_parameter(const Doc *doc, Rewrite *w, const Parameter *p) {
    const TreeNode *n = &doc->tree.nodes.at[p->node], *l = &doc->tree.nodes.at[p->list];
    if (!nth_named(doc, p->list, 1))
        rewrite_drop(w, (CRange){ n->start, l->end }); /* `template <..>` as a whole */
    else
        drop_listed(doc, w, p->list, p->element);
}

/* value: a node, or 0 for a plain word. */
static void put_uses(const Doc *doc, Rewrite *w, const TokenIndex *index, const Parameter *p,
                     uint32_t value) {
    const Tree *t = &doc->tree;
    const TreeNode *own = &t->nodes.at[p->node];
    bool type = strstr(lang_kind_name(t->lang, t->nodes.at[p->element].kind), "type_parameter");
    if (!p->name) return;
    EACH_TOKEN_LIKE(i, index, tree_node_text(t, p->name)) {
        const TreeToken *k = &t->tokens.at[i];
        if (k->start < t->nodes.at[p->list].end || k->end > own->end) continue;
        rewrite_at(w, (CRange){ k->start, k->end });
        if (value)
            rewrite_source(w, range_of(t, value));
        else
            rewrite_text(w, type ? STR("int") : STR("0"));
    }
}

static void find_without(const Doc *doc, Rewrite *w, const TokenIndex *index, const Parameter *p,
                         EditSets *out) {
    uint32_t values[MOST_VALUES];
    size_t n = 0, tried = 0;
    do {
        n = 0;
        rewrite_clear(w);
        drop_arguments(doc, w, index, p, values, &n);
        drop_parameter(doc, w, p);
        put_uses(doc, w, index, p, tried ? values[tried - 1] : 0);
        rewrite_add(w, out);
    } while (tried++ < n);
}

void find_templates(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    TokenIndex index;
    Rewrite w;
    (void)shapes;
    if (strcmp(lang_name(doc->tree.lang), "cpp")) return;
    token_index_init(&index, doc);
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        if (!doc_is_kind(doc, n, "template_declaration")) continue;
        Parameter p = { .node = n, .list = child_like(doc, n, "template_parameter_list") };
        uint32_t name = template_name(doc, n);
        if (!p.list || !name) continue;
        p.of = tree_node_text(&doc->tree, name);
        for (p.k = 0; (p.element = nth_named(doc, p.list, p.k)); p.k++) {
            p.name = parameter_name(doc, p.element);
            find_without(doc, &w, &index, &p, out);
        }
    }
    rewrite_release(&w);
    token_index_release(&index);
}

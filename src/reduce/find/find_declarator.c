/* Pointers of any kind become plain ones: `int (*f)()` becomes `int *f` or `int f`, and so does all
 * that is declared the same way, in one step: what is stored or compared together must stay alike.
 */
#include "reduce/find/finders.h"

typedef struct Plainable {
    uint32_t from, end;  /* tokens of the declarator */
    uint32_t name, star; /* tokens that may stay */
    Str like;            /* its type and declarator, without the name */
} Plainable;
typedef VEC(Plainable) PlainableVec;

/* What stands between the type and the name, all the way down: its name and first star. */
static bool read_declarator(const Doc *doc, uint32_t node, Plainable *out) {
    const Tree *t = &doc->tree;
    *out = (Plainable){
        t->nodes.at[node].token, t->nodes.at[node].token_end, UINT32_MAX, UINT32_MAX, { 0 }
    };
    for (uint32_t i = out->from; i < out->end && out->name == UINT32_MAX; i++) {
        uint32_t leaf = t->tokens.at[i].node;
        if (!doc->alive[i]) continue;
        if (str_is(tree_token_text(t, i), "*") && out->star == UINT32_MAX) out->star = i;
        if (doc_is_kind(doc, leaf, "identifier") || doc_is_kind(doc, leaf, "field_identifier"))
            out->name = i;
    }
    return out->name != UINT32_MAX && out->star != UINT32_MAX && out->end - out->from > 2;
}

/* The words of the declaration that are neither this name nor another declarator. */
static Str likeness(const Doc *doc, uint32_t parent, const Plainable *d, Arena *arena) {
    const Tree *t = &doc->tree;
    Buf text = { 0 };
    for (uint32_t c = tree_first_child(t, parent); c; c = tree_next_child(t, parent, c)) {
        if (t->nodes.at[c].token >= d->from) break;
        if (!strstr(lang_kind_name(t->lang, t->nodes.at[c].kind), "declarator"))
            buf_str(&text, tree_node_text(t, c));
    }
    for (uint32_t i = d->from; i < d->end; i++) {
        buf_str(&text, STR(" "));
        if (i != d->name) buf_str(&text, tree_token_text(t, i));
    }
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

static void list_declared(const Doc *doc, PlainableVec *all, Arena *arena) {
    static const char *const kinds[] = { "function_declarator", "pointer_declarator",
                                         "array_declarator" };
    static const char *const parents[] = { "declaration", "field_declaration",
                                           "parameter_declaration", "init_declarator" };
    const Tree *t = &doc->tree;
    for (uint32_t n = 1; n < t->nodes.len; n++) {
        uint32_t parent = t->nodes.at[n].parent;
        bool kind = false, inside = false;
        for (size_t k = 0; k < COUNT_OF(kinds); k++) kind |= doc_is_kind(doc, n, kinds[k]);
        for (size_t k = 0; k < COUNT_OF(parents) && kind; k++)
            inside |= doc_is_kind(doc, parent, parents[k]);
        Plainable d;
        if (!inside || !doc_alive(doc, n) || !read_declarator(doc, n, &d)) continue;
        if (doc_is_kind(doc, parent, "init_declarator")) parent = t->nodes.at[parent].parent;
        d.like = likeness(doc, parent, &d, arena);
        vec_push(all, d);
    }
}

/* All that are declared like the k-th. */
static void add_alike(const Target *t, const PlainableVec *all, size_t k, bool star,
                      EditSets *out) {
    DocEdits edits = { 0 };
    for (size_t i = k; i < all->len; i++) {
        const Plainable *d = &all->at[i];
        for (uint32_t at = d->from; str_eq(d->like, all->at[k].like) && at < d->end; at++)
            if (at != d->name && (!star || at != d->star))
                vec_push(&edits, ((DocEdit){ .token = at }));
    }
    sets_add(t, out, &edits);
    vec_release(&edits);
}

void find_declarators(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    PlainableVec all = { 0 };
    Map seen = { 0 };
    (void)shapes;
    if (!sets_speaks_c(doc) || doc->count > SETS_HUGE) return;
    list_declared(doc, &all, &out->arena);
    for (size_t k = 0; k < all.len; k++) {
        if (!map_put(&seen, all.at[k].like, 1)) continue;
        add_alike(t, &all, k, false, out);
        add_alike(t, &all, k, true, out);
    }
    map_release(&seen);
    vec_release(&all);
}

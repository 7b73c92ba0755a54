/* See unreferenced.h. */
#include "reduce/bulk/unreferenced.h"
#include "reduce/ppr.h"
#include "reduce/uses.h"
#include "tree/words.h"

typedef enum RootsOf {
    ROOTS_MAIN,   /* main alone */
    ROOTS_BODIES, /* everything that is defined by a body or a value */
    ROOTS_KINDS
} RootsOf;

/* One side: its top-level items, by their nodes. */
typedef struct Items {
    const Doc *doc;
    Uses uses;
    uint32_t *of;       /* token -> item */
    uint8_t *stays;     /* item -> it was reached */
    Map loose;          /* name -> the last item that mentions it and introduces no name + 1 */
    uint32_t *earlier;  /* such an item -> the one before it with that name + 1 */
    VEC(uint32_t) todo; /* items that were reached and not followed yet */
} Items;

/* ---- the items ---- */
static bool introduces(const Items *it, uint32_t item) {
    const TreeNode *n = &it->doc->tree.nodes.at[item];
    for (uint32_t i = n->token; i < n->token_end; i++)
        if (it->uses.declares[i] && it->doc->alive[i]) return true;
    return false;
}

static bool is_name(const Items *it, uint32_t token) {
    const Tree *t = &it->doc->tree;
    return strstr(lang_kind_name(t->lang, t->nodes.at[t->tokens.at[token].node].kind),
                  "identifier");
}

static Str name_at(const Items *it, uint32_t token) {
    return tree_token_text(&it->doc->tree, token);
}

static void items_init(Items *it, const Doc *doc) {
    const Tree *t = &doc->tree;
    *it = (Items){ .doc = doc };
    uses_init(&it->uses, doc);
    it->of = mem_alloc((t->tokens.len + 1) * sizeof *it->of);
    it->stays = mem_alloc(t->nodes.len + 1);
    it->earlier = mem_alloc((t->tokens.len + 1) * sizeof *it->earlier);
    for (uint32_t n = tree_first_child(t, 0); n; n = tree_next_child(t, 0, n)) {
        bool loose = !introduces(it, n);
        for (uint32_t i = t->nodes.at[n].token; i < t->nodes.at[n].token_end; i++) {
            it->of[i] = n;
            if (!loose || !is_name(it, i)) continue;
            uint64_t *last = map_at(&it->loose, name_at(it, i));
            it->earlier[i] = (uint32_t)*last;
            *last = i + 1;
        }
    }
}

static void items_release(Items *it) {
    if (!it->doc) return;
    uses_release(&it->uses);
    mem_free(it->of);
    mem_free(it->stays);
    mem_free(it->earlier);
    map_release(&it->loose);
    vec_release(&it->todo);
}

/* ---- what stays ---- */
static void reach(Items *it, uint32_t item) {
    if (!item || it->stays[item]) return;
    it->stays[item] = 1;
    vec_push(&it->todo, item);
}

/* Whatever introduces the name of this token, and what only mentions it (`struct S;`). */
static void follow(Items *it, uint32_t token) {
    uint32_t symbol = it->uses.symbol[token];
    for (uint32_t k = symbol ? it->uses.first.at[symbol - 1] : UINT32_MAX; k != UINT32_MAX;
         k = it->uses.next[k])
        if (it->uses.declares[k] && it->doc->alive[k]) reach(it, it->of[k]);
    uint64_t last = 0;
    if (is_name(it, token)) map_get(&it->loose, name_at(it, token), &last);
    for (; last; last = it->earlier[last - 1]) reach(it, it->of[last - 1]);
}

static void follow_all(Items *it) {
    while (it->todo.len) {
        const TreeNode *n = &it->doc->tree.nodes.at[vec_pop(&it->todo)];
        for (uint32_t i = n->token; i < n->token_end; i++)
            if (it->doc->alive[i]) follow(it, i);
    }
}

static bool has_body(const Items *it, uint32_t item) {
    const TreeNode *n = &it->doc->tree.nodes.at[item];
    if (!doc_is_kind(it->doc, item, "declaration") &&
        !doc_is_kind(it->doc, item, "type_definition"))
        return !strstr(lang_kind_name(it->doc->tree.lang, n->kind), "_specifier");
    for (uint32_t i = n->token; i < n->token_end; i++)
        if (it->doc->alive[i] && str_is(name_at(it, i), "=")) return true;
    return false;
}

static bool is_main(const Items *it, uint32_t item) {
    const TreeNode *n = &it->doc->tree.nodes.at[item];
    for (uint32_t i = n->token; i < n->token_end; i++)
        if (it->doc->alive[i] && it->uses.declares[i] && it->uses.symbol[i] &&
            str_is(name_at(it, i), "main"))
            return true;
    return false;
}

/* Directives and the like are never guessed about. */
static bool is_declaring(const Items *it, uint32_t item) {
    const char *kind = lang_kind_name(it->doc->tree.lang, it->doc->tree.nodes.at[item].kind);
    return strstr(kind, "declaration") || strstr(kind, "definition") || strstr(kind, "_specifier");
}

/* Does it introduce something that another file mentions? */
static bool is_elsewhere(const Items *it, uint32_t item, const Map *others) {
    const TreeNode *n = &it->doc->tree.nodes.at[item];
    for (uint32_t i = n->token; i < n->token_end && others->len; i++)
        if (it->uses.declares[i] && map_get(others, name_at(it, i), NULL)) return true;
    return false;
}

/* False: there is nothing to begin with, or nothing that would go. */
static bool mark_items(Items *it, RootsOf roots, const Map *others) {
    const Tree *t = &it->doc->tree;
    bool begun = false, some = false;
    memset(it->stays, 0, t->nodes.len + 1);
    for (uint32_t n = tree_first_child(t, 0); n; n = tree_next_child(t, 0, n)) {
        bool root = roots == ROOTS_MAIN ? is_main(it, n) : has_body(it, n);
        root |= is_elsewhere(it, n, others);
        begun |= root;
        if (root || !is_declaring(it, n)) reach(it, n);
    }
    follow_all(it);
    for (uint32_t n = tree_first_child(t, 0); n; n = tree_next_child(t, 0, n))
        some |= !it->stays[n] && doc_alive(it->doc, n);
    return begun && some;
}

/* ---- candidates ---- */
typedef struct DropUnreferenced {
    Reducer *r;
    Items items[SIDES];
    Map others[SIDES]; /* words of the other files */
} DropUnreferenced;

static void propose_side(DropUnreferenced *d, int side, RootsOf roots, Candidate *c) {
    Items *it = &d->items[side];
    DocEdits edits = { 0 };
    if (!mark_items(it, roots, &d->others[side])) return;
    for (uint32_t i = 0; i < it->doc->tree.tokens.len; i++)
        if (it->doc->alive[i] && it->of[i] && !it->stays[it->of[i]])
            vec_push(&edits, ((DocEdit){ .token = i }));
    if (edits.len) doc_change(it->doc, &c->arena, edits.at, edits.len, &c->side[side]);
    vec_release(&edits);
}

static bool propose_roots(void *user, size_t i, Candidate *c) {
    DropUnreferenced *d = user;
    if (i >= ROOTS_KINDS) return false;
    for (int s = 0; s < SIDES; s++)
        if (d->r->side[s].on) propose_side(d, s, (RootsOf)i, c);
    return true;
}

void unreferenced_others(const FileSet *set, Map *words) {
    for (size_t i = 0; i < set->list.len; i++) {
        if (i == set->current || set->list.at[i].gone) continue;
        Str text = buf_view(&set->list.at[i].text), word;
        for (size_t at = 0; at < text.len && (word = words_next(text, &at)).len;)
            map_put(words, word, 1);
    }
}

size_t reduce_unreferenced(Reducer *r) {
    reduce_refresh(r);
    DropUnreferenced d = { .r = r };
    if (reduce_stopped(r)) return 0;
    for (int s = 0; s < SIDES; s++)
        if (r->side[s].on && !r->side[s].doc.tree.lang) return 0;
    reducer_phase(r, "unreferenced");
    for (int s = 0; s < SIDES; s++) {
        if (!r->side[s].on) continue;
        items_init(&d.items[s], &r->side[s].doc);
        unreferenced_others(&r->side[s].files, &d.others[s]);
    }
    size_t steps = reducer_first(r, propose_roots, &d) < SHRINK_STOP;
    for (int s = 0; s < SIDES; s++) {
        items_release(&d.items[s]);
        map_release(&d.others[s]);
    }
    reduce_refresh(r);
    return steps;
}

/* See needed.h. */
#include "reduce/bulk/needed.h"
#include "reduce/bulk/cxx_items.h"
#include "reduce/bulk/unreferenced.h"
#include "reduce/find/finders.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"

typedef struct Needed {
    Reducer *r;
    CxxItems items;
    VEC(uint32_t) spare; /* items that nothing needs, in the order of the text */
    size_t from;         /* of these, those from here on go */
    uint8_t *goes;       /* scratch, item by item */
} Needed;

/* ---- candidates ---- */
/* Marks the spare items from `from` on, and the shells that hold nothing else. */
static void mark_gone(Needed *n) {
    const CxxItems *it = &n->items;
    uint8_t *holds = mem_alloc(it->list.len + 1);
    memset(n->goes, 0, it->list.len);
    for (size_t k = n->from; k < n->spare.len; k++) n->goes[n->spare.at[k]] = 1;
    for (size_t i = it->list.len; i-- > 0;) {
        const CxxItem *item = &it->list.at[i];
        if (item->is_shell) n->goes[i] = !holds[i] && !it->needed[i];
        if (!n->goes[i] && item->shell && it->doc->alive[item->token]) holds[item->shell - 1] = 1;
    }
    mem_free(holds);
}

static bool propose_end(void *user, size_t i, Candidate *c) {
    Needed *n = user;
    const Doc *doc = n->items.doc;
    DocEdits edits = { 0 };
    if (i) return false;
    mark_gone(n);
    for (uint32_t k = 0; k < doc->tree.tokens.len; k++)
        if (doc->alive[k] && n->items.of[k] && n->goes[n->items.of[k] - 1])
            vec_push(&edits, ((DocEdit){ .token = k }));
    if (edits.len) doc_change(doc, &c->arena, edits.at, edits.len, &c->side[VARIANT]);
    vec_release(&edits);
    return true;
}

/* Whether the spare items from `from` on can go; then they are gone. */
static bool drop_from(Needed *n, size_t from) {
    n->from = from;
    n->r->todo = n->spare.len - from;
    return reducer_first(n->r, propose_end, n) < SHRINK_STOP;
}

/* The spare items go, or the largest end of them that halving finds; SHRINK_NONE: all went; else
 * the last one that cannot go. */
static size_t find_blocker(Needed *n) {
    size_t stays = 0, goes = n->spare.len; /* from `stays` on they cannot go, from `goes` on can */
    if (drop_from(n, 0)) return SHRINK_NONE;
    while (goes - stays > 1 && !reduce_stopped(n->r)) {
        size_t middle = stays + (goes - stays) / 2;
        if (drop_from(n, middle))
            goes = middle;
        else
            stays = middle;
    }
    return n->spare.at[stays];
}

/* ---- what is needed ---- */
/* Needed to begin with: main, what other files mention, what was learnt, what nobody knows of. */
static bool is_wanted(const CxxItems *it, uint32_t item, const Map *others, const Map *learnt) {
    uint32_t name = it->list.at[item].name;
    Str word = name ? tree_token_text(&it->doc->tree, name - 1) : (Str){ 0 };
    return it->list.at[item].fixed || str_is(word, "main") ||
           (others->len && map_get(others, word, NULL)) ||
           (learnt->len && map_get(learnt, cxx_items_text(it, item), NULL));
}

static void begin(Needed *n, const Map *learnt) {
    CxxItems *it = &n->items;
    Map others = { 0 };
    cxx_items_init(it, &n->r->side[VARIANT].doc);
    unreferenced_others(&n->r->side[VARIANT].files, &others);
    n->goes = mem_alloc(it->list.len + 1);
    for (uint32_t i = 0; i < it->list.len; i++)
        if (is_wanted(it, i, &others, learnt)) cxx_items_need(it, i);
    cxx_items_settle(it);
    map_release(&others);
    for (uint32_t i = 0; i < it->list.len; i++)
        if (!it->needed[i] && !it->list.at[i].is_shell) vec_push(&n->spare, i);
}

static void end(Needed *n) {
    cxx_items_release(&n->items);
    vec_release(&n->spare);
    mem_free(n->goes);
}

static bool worth_it(const Reducer *r) {
    const Doc *doc = &r->side[VARIANT].doc;
    return !reduce_stopped(r) && !r->pair && doc->tree.lang && sets_speaks_c(doc) &&
           doc->count >= REDUCE_NEEDED_TOKENS;
}

size_t reduce_needed(Reducer *r) {
    size_t steps = 0;
    Map learnt = { 0 }; /* texts of items */
    Arena texts = { 0 };
    reduce_refresh(r);
    for (bool more = true; more && worth_it(r);) {
        reducer_phase(r, "needed");
        Needed n = { .r = r };
        size_t before = r->side[VARIANT].doc.count;
        begin(&n, &learnt);
        size_t blocker = n.spare.len ? find_blocker(&n) : SHRINK_NONE;
        size_t left = r->side[VARIANT].doc.count;
        more = blocker != SHRINK_NONE && (before - left) * REDUCE_NEEDED_PART >= before;
        if (blocker != SHRINK_NONE)
            map_put(&learnt, arena_str(&texts, cxx_items_text(&n.items, (uint32_t)blocker)), 1);
        steps += left < before;
        end(&n);
        reduce_refresh(r);
    }
    map_release(&learnt);
    arena_release(&texts);
    return steps;
}

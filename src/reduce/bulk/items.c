/* See items.h. */
#include "reduce/bulk/items.h"
#include "reduce/ppr.h"

typedef struct Item {
    uint32_t node[SIDES]; /* of each side; 0: that side has none */
} Item;

typedef struct ItemTest {
    Reducer *r;
    Uses uses[SIDES];
    VEC(Item) items; /* in the order of the variant, then what only the seed has */
    const ShrinkRound *round;
    uint8_t *keep; /* scratch */
    size_t steps;
} ItemTest;

/* For each item of the target's side the item of the other one with most of its tokens' partners.
 */
static uint32_t best_match(const Target *t, const uint32_t *item_of, uint32_t node) {
    const Doc *doc = target_doc(t);
    const TreeNode *n = &doc->tree.nodes.at[node];
    Map votes = { 0 };
    uint64_t most = 0;
    uint32_t best = 0;
    for (uint32_t i = n->token; i < n->token_end; i++) {
        if (t->partner[i] == UINT32_MAX) continue;
        uint64_t item = item_of[t->partner[i]];
        uint64_t *count = map_at(&votes, map_key_u64(&item));
        if (++*count > most) most = *count, best = (uint32_t)item;
    }
    map_release(&votes);
    return best;
}

/* The top-level item that each token is in; by token. */
static uint32_t *items_of_tokens(const Tree *t) {
    uint32_t *item_of = mem_alloc((t->tokens.len + 1) * sizeof *item_of);
    for (uint32_t n = tree_first_child(t, 0); n; n = tree_next_child(t, 0, n))
        for (uint32_t i = t->nodes.at[n].token; i < t->nodes.at[n].token_end; i++) item_of[i] = n;
    return item_of;
}

static void list_items(ItemTest *test, const Target *t) {
    const Tree *own = &target_doc(t)->tree, *other = &t->r->side[!t->side].doc.tree;
    uint32_t *item_of = items_of_tokens(other);
    uint8_t *taken = mem_alloc(other->nodes.len + 1);
    for (uint32_t n = tree_first_child(own, 0); n; n = tree_next_child(own, 0, n)) {
        Item item = { { 0 } };
        item.node[t->side] = n;
        uint32_t twin = best_match(t, item_of, n);
        if (twin && !taken[twin] && other->nodes.at[twin].kind == own->nodes.at[n].kind)
            item.node[!t->side] = twin, taken[twin] = 1;
        vec_push(&test->items, item);
    }
    for (uint32_t n = tree_first_child(other, 0); n; n = tree_next_child(other, 0, n)) {
        Item item = { { 0 } };
        item.node[!t->side] = n;
        if (!taken[n]) vec_push(&test->items, item);
    }
    mem_free(item_of);
    mem_free(taken);
}

static int by_token(const void *a, const void *b) {
    const DocEdit *x = a, *y = b;
    return x->token < y->token ? -1 : x->token > y->token;
}

/* Candidate 2i drops whole users, 2i+1 unwraps guards (where that differs). */
static bool propose_items(void *user, size_t i, Candidate *c) {
    ItemTest *test = user;
    if (i / 2 >= test->round->count) return false;
    test->round->make(test->round, i / 2, test->keep);
    bool unwrapped = false;
    for (int s = 0; s < SIDES; s++) {
        const Doc *doc = &test->r->side[s].doc;
        DocEdits edits = { 0 };
        for (size_t k = 0; k < test->items.len; k++) {
            uint32_t node = test->items.at[k].node[s];
            if (test->keep[k] || !node) continue;
            const TreeNode *n = &doc->tree.nodes.at[node];
            for (uint32_t token = n->token; token < n->token_end; token++)
                if (doc->alive[token]) vec_push(&edits, ((DocEdit){ .token = token }));
        }
        if (edits.len) {
            qsort(edits.at, edits.len, sizeof(DocEdit), by_token);
            unwrapped |=
                uses_close(&test->uses[s], i & 1 ? USES_UNWRAP : USES_DROP, &edits).unwrapped;
            doc_change(doc, &c->arena, edits.at, edits.len, &c->side[s]);
        }
        vec_release(&edits);
    }
    if ((i & 1) && !unwrapped) c->side[SEED].touched = c->side[VARIANT].touched = false;
    return true;
}

static size_t first_items(void *user, const ShrinkRound *round) {
    ItemTest *test = user;
    test->round = round;
    test->r->todo = round->count;
    size_t hit = reducer_first(test->r, propose_items, test);
    if (hit >= SHRINK_STOP) return hit;
    test->steps++;
    return hit / 2;
}

size_t reduce_items(Reducer *r) {
    reduce_refresh(r);
    if (reduce_stopped(r) || !r->pair || !r->side[VARIANT].doc.tree.lang ||
        !r->side[SEED].doc.tree.lang)
        return 0;
    reducer_phase(r, "items");
    ItemTest test = { .r = r };
    Target t;
    target_init(&t, r, VARIANT, true);
    list_items(&test, &t);
    target_release(&t);
    for (int s = 0; s < SIDES; s++) uses_init(&test.uses[s], &r->side[s].doc);
    size_t n = test.items.len;
    uint8_t *keep = mem_alloc(n + 1);
    test.keep = mem_alloc(n + 1);
    memset(keep, 1, n);
    ShrinkTest first = { first_items, &test };
    if (n > 1) shrink_cdd(&first, keep, n);
    mem_free(keep);
    mem_free(test.keep);
    vec_release(&test.items);
    for (int s = 0; s < SIDES; s++) uses_release(&test.uses[s]);
    reduce_refresh(r);
    return test.steps;
}

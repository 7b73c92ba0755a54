/* See neighbour.h. Changes in order of their size: one token that goes, a number that becomes
 * another one, runs of tokens that go. Both differences and programs only ever become smaller, as
 * everywhere (reducer.h). */
#include "reduce/find/neighbour.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"

static const char *const numbers[] = { "0", "1", "8" };

typedef struct Neighbour {
    uint32_t token, run; /* so many tokens from here go */
    const char *number;  /* or this comes in place of the one; NULL: they go */
} Neighbour;

typedef struct NeighbourTest {
    Reducer *r;
    VEC(Neighbour) list;
} NeighbourTest;

static bool is_number(const Doc *doc, uint32_t token) {
    char first = doc->tree.text.at[doc->tree.tokens.at[token].start];
    return first >= '0' && first <= '9';
}

static void list_neighbours(NeighbourTest *t) {
    const Doc *doc = &t->r->side[VARIANT].doc;
    uint32_t n = (uint32_t)doc->tree.tokens.len;
    for (uint32_t run = 1; run <= REDUCE_WINDOW_RUN && run < t->r->difference; run++) {
        for (uint32_t i = 0; i + run <= n; i++)
            vec_push(&t->list, ((Neighbour){ .token = i, .run = run }));
        for (uint32_t i = 0; i < n && run == 1 && t->r->difference > 2; i++)
            for (size_t k = 0; k < COUNT_OF(numbers) && is_number(doc, i); k++)
                vec_push(&t->list, ((Neighbour){ i, 1, numbers[k] }));
    }
}

static bool propose_neighbour(void *user, size_t i, Candidate *c) {
    NeighbourTest *t = user;
    if (i >= t->list.len) return false;
    const Neighbour *n = &t->list.at[i];
    DocEdits edits = { 0 };
    DocChange change;
    for (uint32_t k = 0; k < n->run; k++) {
        DocEdit edit = { .token = n->token + k };
        if (n->number) edit.text = str_from(n->number);
        vec_push(&edits, edit);
    }
    doc_change(&t->r->side[VARIANT].doc, &c->arena, edits.at, edits.len, &change);
    doc_replace(&t->r->side[SEED].doc, &c->arena, change.text, &c->side[SEED]);
    vec_release(&edits);
    return true;
}

size_t reduce_neighbour(Reducer *r) {
    reduce_refresh(r);
    reducer_count_difference(r);
    if (reduce_stopped(r) || !r->pair || r->difference < 2 ||
        r->side[VARIANT].doc.count > REDUCE_WINDOW_TOKENS)
        return 0;
    reducer_phase(r, "neighbour");
    NeighbourTest t = { .r = r };
    list_neighbours(&t);
    size_t hit = reducer_first(r, propose_neighbour, &t);
    vec_release(&t.list);
    reduce_refresh(r);
    reducer_count_difference(r);
    return hit < SHRINK_STOP;
}

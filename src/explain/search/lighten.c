/* Leaving out with what complains; see lighten.h. */
#include "explain/search/lighten.h"
#include "explain/explain_knobs.h"

typedef struct Lighter {
    AuxFinder *aux;
    Needs *needs;
    size_t n;
    uint8_t *set;    /* passes */
    uint8_t *needed; /* without it, and what goes with it, the test is known to fail */
    uint8_t *gone;   /* leaves the set in the try at hand */
    uint8_t *left;   /* the set without that */
    double parsed;   /* CPU seconds of the parser at the start */
    int wasted;      /* builds in a row that took nothing away */
} Lighter;

typedef struct LightRank {
    size_t change;
    double weight;
} LightRank;

static int by_weight(const void *a, const void *b) {
    const LightRank *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->change > y->change) - (x->change < y->change);
}

static bool is_spent(const Lighter *l) {
    Oracle *oracle = l->aux->oracle;
    double most = LIGHTEN_PARSE_TIMES * oracle_build_cpu(oracle);
    if (most < LIGHTEN_PARSE_LEAST_S) most = LIGHTEN_PARSE_LEAST_S;
    return oracle_stopped(oracle, NULL) || l->wasted >= LIGHTEN_WASTED ||
           oracle_fit_cpu(oracle) - l->parsed > most;
}

/* The set without what is gone; false: nothing is left, or something needed would go. */
static bool take_out(Lighter *l) {
    size_t size = 0;
    for (size_t c = 0; c < l->n; c++) {
        if (l->gone[c] && l->needed[c]) return false;
        size += l->left[c] = l->set[c] && !l->gone[c];
    }
    return size > 0;
}

/* Whether a set that fits is left when the change goes, with all that complains and what it is tied
 * to without a parser's word; it is in left. */
static bool make_fit(Lighter *l, size_t change) {
    memset(l->gone, 0, l->n);
    l->gone[change] = 1;
    for (;;) {
        needs_drag_unseen(l->needs->text ? l->needs->text : l->needs, l->set, l->gone);
        if (!take_out(l) || is_spent(l)) return false;
        if (!oracle_refuses(l->aux->oracle, l->left)) return true;
        if (!aux_blame(l->aux, l->needs, l->left, l->gone)) return false;
    }
}

static bool leave_out(Lighter *l, size_t change) {
    OracleCounts *counts = oracle_counts(l->aux->oracle);
    size_t builds = counts->builds;
    bool passes = make_fit(l, change) && oracle_ask(l->aux->oracle, l->left) == OUTCOME_PASSES;
    l->needed[change] = !passes;
    if (passes) memcpy(l->set, l->left, l->n);
    if (counts->builds > builds) l->wasted = passes ? 0 : l->wasted + 1;
    return passes;
}

size_t lighten(AuxFinder *aux, Needs *needs, const double *weight, uint8_t *set) {
    size_t n = oracle_set(aux->oracle)->changes.len, len = 0, went = 0;
    if (!oracle_has_fit(aux->oracle)) return 0;
    Arena scratch = { 0 };
    LightRank *ranks = ARENA_ARRAY(&scratch, LightRank, n + 1);
    Lighter l = { .aux = aux,
                  .needs = needs,
                  .n = n,
                  .set = set,
                  .needed = ARENA_ARRAY(&scratch, uint8_t, n + 1),
                  .gone = ARENA_ARRAY(&scratch, uint8_t, n + 1),
                  .left = ARENA_ARRAY(&scratch, uint8_t, n + 1),
                  .parsed = oracle_fit_cpu(aux->oracle) };
    for (size_t c = 0; c < n; c++)
        if (set[c]) ranks[len++] = (LightRank){ c, weight[c] };
    if (len) qsort(ranks, len, sizeof *ranks, by_weight);
    for (size_t i = 0; i < len && !is_spent(&l); i++)
        if (set[ranks[i].change]) leave_out(&l, ranks[i].change);
    for (size_t i = 0; i < len; i++) went += !set[ranks[i].change];
    arena_release(&scratch);
    return went;
}

/* The searches; see revert_search.h. */
#include "explain/search/revert_search.h"
#include "explain/explain_knobs.h"

static size_t list_subset(const uint8_t *subset, size_t n, size_t *list) {
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        if (subset[i]) list[len++] = i;
    return len;
}

static const ShrinkVerdict passing[4] = { SHRINK_PASSES, SHRINK_FAILS, SHRINK_UNRESOLVED,
                                          SHRINK_UNRESOLVED };

/* ---- what of a passing set is needed ---- */

/* We look for what passes: the minimiser's word for "interesting" is FAILS. */
static OracleView passing_view(Oracle *oracle, const size_t *list, size_t len) {
    return (OracleView){ .oracle = oracle,
                         .elements = list,
                         .n = len,
                         .verdict = { SHRINK_FAILS, SHRINK_PASSES, SHRINK_UNRESOLVED,
                                      SHRINK_UNRESOLVED } };
}

/* Leaves out of a passing set what can be left out, one change at a time: most of them are needed
 * by then, and no part of them alone will pass. */
static void keep_least(Oracle *oracle, uint8_t *set) {
    size_t n = oracle_set(oracle)->changes.len;
    size_t *list = mem_alloc((n + 1) * sizeof *list), len = list_subset(set, n, list);
    uint8_t *keep = mem_alloc(n + 1);
    memset(keep, 1, n);
    OracleView view = passing_view(oracle, list, len);
    ShrinkTest test = oracle_test(&view);
    shrink_minimal(&test, keep, len);
    oracle_subset(&view, keep, set);
    mem_free(list);
    mem_free(keep);
}

void search_tell_apart(AuxFinder *aux, Answer *answer) {
    size_t n = oracle_set(aux->oracle)->changes.len, roots = 0, pointed = 0;
    uint8_t *all = mem_alloc(n + 1), *wanted = mem_alloc(n + 1);
    memcpy(wanted, answer->root, n);
    for (size_t i = 0; i < n; i++) pointed += wanted[i];
    for (size_t i = 0; i < n; i++) all[i] = answer->root[i] || answer->rest[i];
    keep_least(aux->oracle, all);
    memset(answer->rest, 0, n);
    memcpy(answer->root, all, n);
    memcpy(all, answer->root, n);
    for (size_t i = 0; i < n; i++) {
        if (!all[i]) continue;
        Outcome outcome;
        all[i] = 0;
        bool builds = (pointed == 1 && wanted[i]) || !oracle_known(aux->oracle, all, &outcome) ||
                      outcome != OUTCOME_NO_BUILD;
        all[i] = 1;
        answer->rest[i] = !builds;
        roots += builds;
    }
    for (size_t i = 0; i < n; i++) {
        if (!roots && all[i]) answer->rest[i] = !wanted[i];
        answer->root[i] = all[i] && !answer->rest[i];
    }
    answer->apart = !oracle_stopped(aux->oracle, NULL);
    mem_free(all);
    mem_free(wanted);
}

/* ---- the baselines ---- */

void search_ddmin(Oracle *oracle, const uint8_t *candidates, Answer *answer) {
    size_t n = oracle_set(oracle)->changes.len;
    size_t *list = mem_alloc((n + 1) * sizeof *list), len = list_subset(candidates, n, list);
    uint8_t *keep = mem_alloc(n + 1);
    memset(keep, 1, n);
    OracleView view = passing_view(oracle, list, len);
    memset(answer->rest, 0, n);
    oracle_subset(&view, keep, answer->root);
    answer->found = oracle_ask(oracle, answer->root) == OUTCOME_PASSES;
    if (answer->found) {
        ShrinkTest test = oracle_test(&view);
        shrink_ddmin(&test, keep, len);
        oracle_subset(&view, keep, answer->root);
        answer->apart = !oracle_stopped(oracle, NULL);
    }
    mem_free(list);
    mem_free(keep);
}

void search_dd(Oracle *oracle, const uint8_t *candidates, Answer *answer) {
    size_t n = oracle_set(oracle)->changes.len;
    size_t *list = mem_alloc((n + 1) * sizeof *list), len = list_subset(candidates, n, list);
    uint8_t *pass = mem_alloc(n + 1), *fail = mem_alloc(n + 1);
    memset(fail, 1, n);
    OracleView view = { .oracle = oracle, .elements = list, .n = len, .keep_is_applied = true };
    memcpy(view.verdict, passing, sizeof passing);
    ShrinkTest test = oracle_test(&view);
    memset(answer->root, 0, n);
    memset(answer->rest, 0, n);
    shrink_dd(&test, pass, fail, len);
    for (size_t i = 0; i < len; i++) answer->root[list[i]] = fail[i] && !pass[i];
    answer->found = oracle_ask(oracle, answer->root) == OUTCOME_PASSES;
    answer->apart = !oracle_stopped(oracle, NULL);
    mem_free(list);
    mem_free(pass);
    mem_free(fail);
}

/* The searches; see search.h. */
#include "explain/revert_search.h"
#include "explain/explain_knobs.h"

static size_t list_subset(const uint8_t *subset, size_t n, size_t *list) {
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        if (subset[i]) list[len++] = i;
    return len;
}

/* ---- Algorithm 2 ---- */

typedef struct SearchParts {
    const size_t *list; /* the set that is narrowed */
    size_t len, parts;
} SearchParts;

/* Even candidates: part i is reverted; odd ones: all but part i. */
static ShrinkVerdict make_part(const ShrinkRound *round, size_t i, uint8_t *keep) {
    const SearchParts *p = round->state;
    size_t from = p->len * (i / 2) / p->parts, to = p->len * (i / 2 + 1) / p->parts;
    for (size_t k = 0; k < p->len; k++) keep[k] = (k >= from && k < to) == (i % 2 == 0);
    return SHRINK_PASSES;
}

static const ShrinkVerdict passing[4] = { SHRINK_PASSES, SHRINK_FAILS, SHRINK_UNRESOLVED,
                                          SHRINK_UNRESOLVED };

/* With two parts each is the other's complement. */
static size_t round_size(size_t parts) {
    return parts == 2 ? 3 : 2 * parts;
}

/* Candidates of the round that do not build as they are, with their auxiliary changes: the first
 * that passes. */
static size_t first_with_aux(AuxFinder *aux, const OracleView *view, const ShrinkRound *round,
                             bool thorough, uint8_t *root, uint8_t *rest) {
    uint8_t *keep = mem_alloc(round->n + 1);
    size_t hit = SHRINK_NONE;
    for (size_t i = 0; i < round->count && hit == SHRINK_NONE; i++) {
        round->make(round, i, keep);
        oracle_subset(view, keep, root);
        Outcome outcome;
        if (!oracle_known(aux->oracle, root, &outcome) || outcome != OUTCOME_NO_BUILD) continue;
        outcome = aux_ask(aux, root, thorough, rest);
        if (outcome == OUTCOME_STOPPED) hit = SHRINK_STOP;
        if (outcome == OUTCOME_PASSES) hit = i;
    }
    mem_free(keep);
    return hit;
}

/* One round: does a part or a complement of list pass? Narrows list to it. */
static size_t narrow(AuxFinder *aux, size_t *list, size_t *len, size_t parts, bool thorough,
                     Answer *answer) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    SearchParts p = { .list = list, .len = *len, .parts = parts };
    OracleView view = { .oracle = aux->oracle, .elements = list, .n = *len };
    memcpy(view.verdict, passing, sizeof passing);
    ShrinkTest test = oracle_test(&view);
    ShrinkRound round = { .count = round_size(parts), .n = *len, .make = make_part, .state = &p };
    uint8_t *root = mem_alloc(n + 1), *rest = mem_alloc(n + 1), *keep = mem_alloc(*len + 1);
    size_t hit = test.first(test.user, &round);
    if (hit == SHRINK_NONE) hit = first_with_aux(aux, &view, &round, thorough, root, rest);
    if (hit != SHRINK_NONE && hit != SHRINK_STOP) {
        make_part(&round, hit, keep);
        oracle_subset(&view, keep, answer->root);
        memcpy(answer->rest, rest, n);
        answer->found = true;
        *len = list_subset(answer->root, n, list);
    }
    mem_free(root);
    mem_free(rest);
    mem_free(keep);
    return hit;
}

/* Of a set that passes, what is needed: each change whose revert cannot be taken out again. What
 * fails without it is a root change, and so is the one that the analysis alone pointed at; what
 * does not even build without it is auxiliary, unless it is all there is. */
static void tell_apart(AuxFinder *aux, Answer *answer) {
    size_t n = oracle_set(aux->oracle)->changes.len, roots = 0, pointed = 0;
    uint8_t *all = mem_alloc(n + 1), *wanted = mem_alloc(n + 1);
    memcpy(wanted, answer->root, n);
    for (size_t i = 0; i < n; i++) pointed += wanted[i];
    for (size_t i = 0; i < n; i++) all[i] = answer->root[i] || answer->rest[i];
    Answer least = { .root = answer->root, .rest = answer->rest };
    search_ddmin(aux->oracle, all, &least);
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
    mem_free(all);
    mem_free(wanted);
}

static bool is_empty(const uint8_t *subset, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (subset[i]) return false;
    return true;
}

void search_dynamic(AuxFinder *aux, const uint8_t *candidates, bool thorough, Answer *answer) {
    size_t n = oracle_set(aux->oracle)->changes.len, parts = PARTS_AT_FIRST;
    size_t *list = mem_alloc((n + 1) * sizeof *list), len = list_subset(candidates, n, list);
    answer->found = false;
    if (len) {
        memcpy(answer->root, candidates, n);
        answer->found = aux_ask(aux, candidates, thorough, answer->rest) == OUTCOME_PASSES;
    }
    while (len > 1 && (answer->found || thorough) && !oracle_stopped(aux->oracle, NULL)) {
        oracle_counts(aux->oracle)->left = len;
        if (parts > len) parts = len;
        size_t hit = narrow(aux, list, &len, parts, thorough, answer);
        if (hit == SHRINK_STOP || (hit == SHRINK_NONE && parts == len)) break;
        if (hit == SHRINK_NONE)
            parts *= 2;
        else
            parts = PARTS_AT_FIRST;
    }
    if (answer->found && !is_empty(answer->rest, n)) tell_apart(aux, answer);
    mem_free(list);
}

/* ---- ranked candidates ---- */

typedef struct Singles {
    size_t first; /* of the list: candidate i is element first + i alone */
} Singles;

static ShrinkVerdict make_single(const ShrinkRound *round, size_t i, uint8_t *keep) {
    const Singles *singles = round->state;
    memset(keep, 0, round->n);
    keep[singles->first + i] = 1;
    return SHRINK_PASSES;
}

/* A function that was written anew does not build with one of its changes reverted: of
 * ranked[from .. to) that do not build alone the first that passes with its whole function, whose
 * other changes go to rest. */
static size_t first_with_function(AuxFinder *aux, const size_t *ranked, size_t from, size_t to,
                                  uint8_t *rest) {
    size_t n = oracle_set(aux->oracle)->changes.len, hit = SHRINK_NONE;
    uint8_t *all = mem_alloc(n + 1);
    for (size_t i = from; i < to && hit == SHRINK_NONE; i++) {
        Outcome outcome;
        memset(all, 0, n);
        all[ranked[i]] = 1;
        if (!oracle_known(aux->oracle, all, &outcome) || outcome != OUTCOME_NO_BUILD) continue;
        size_t others = aux_function(aux, ranked[i], rest);
        if (!others || others > FUNCTION_MOST) continue;
        for (size_t k = 0; k < n; k++) all[k] |= rest[k];
        outcome = oracle_ask(aux->oracle, all);
        if (outcome == OUTCOME_STOPPED) hit = SHRINK_STOP;
        if (outcome == OUTCOME_PASSES) hit = i - from;
    }
    if (hit == SHRINK_NONE) memset(rest, 0, n);
    mem_free(all);
    return hit;
}

/* Does one of ranked[from .. to) alone pass, with what must go along? */
static bool try_singles(AuxFinder *aux, const size_t *ranked, size_t len, size_t from, size_t to,
                        Answer *answer) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    Singles singles = { from };
    OracleView view = { .oracle = aux->oracle, .elements = ranked, .n = len };
    memcpy(view.verdict, passing, sizeof passing);
    ShrinkTest test = oracle_test(&view);
    ShrinkRound round = { .count = to - from, .n = len, .make = make_single, .state = &singles };
    uint8_t *rest = mem_alloc(n + 1);
    size_t hit = test.first(test.user, &round);
    if (hit == SHRINK_NONE) hit = first_with_function(aux, ranked, from, to, rest);
    if (hit == SHRINK_NONE) hit = first_with_aux(aux, &view, &round, false, answer->root, rest);
    bool found = hit != SHRINK_NONE && hit != SHRINK_STOP;
    if (found) {
        memset(answer->root, 0, n);
        answer->root[ranked[from + hit]] = 1;
        memcpy(answer->rest, rest, n);
        answer->found = true;
        if (!is_empty(answer->rest, n)) tell_apart(aux, answer);
    }
    mem_free(rest);
    return found;
}

void search_ranked(AuxFinder *aux, const size_t *ranked, size_t len, size_t sure, Answer *answer) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    uint8_t *all = mem_alloc(n + 1);
    answer->found = false;
    for (size_t from = 0, to = 0; from < len && !oracle_stopped(aux->oracle, NULL); from = to) {
        to = from ? 2 * from : sure < RANKED_AT_FIRST ? RANKED_AT_FIRST : sure;
        if (!from && to > RANKED_ALONE) to = RANKED_ALONE;
        if (to > len) to = len;
        oracle_counts(aux->oracle)->left = len - from;
        for (size_t i = from; i < to; i++) all[ranked[i]] = 1;
        if (from < RANKED_ALONE && try_singles(aux, ranked, len, from, to, answer)) break;
        if (to == 1) continue;
        if (aux_ask(aux, all, false, answer->rest) != OUTCOME_PASSES) continue;
        search_dynamic(aux, all, false, answer);
        break;
    }
    mem_free(all);
}

/* ---- the baselines ---- */

void search_ddmin(Oracle *oracle, const uint8_t *candidates, Answer *answer) {
    size_t n = oracle_set(oracle)->changes.len;
    size_t *list = mem_alloc((n + 1) * sizeof *list), len = list_subset(candidates, n, list);
    uint8_t *keep = mem_alloc(n + 1);
    memset(keep, 1, n);
    /* What is looked for passes: the minimiser's word for "interesting" is FAILS. */
    OracleView view = { .oracle = oracle,
                        .elements = list,
                        .n = len,
                        .verdict = { SHRINK_FAILS, SHRINK_PASSES, SHRINK_UNRESOLVED,
                                     SHRINK_UNRESOLVED } };
    memset(answer->rest, 0, n);
    oracle_subset(&view, keep, answer->root);
    answer->found = oracle_ask(oracle, answer->root) == OUTCOME_PASSES;
    if (answer->found) {
        ShrinkTest test = oracle_test(&view);
        shrink_ddmin(&test, keep, len);
        oracle_subset(&view, keep, answer->root);
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
    mem_free(list);
    mem_free(pass);
    mem_free(fail);
}

/* The search over closed sets; see closed_search.h. */
#include "explain/search/closed_search.h"
#include "explain/explain_knobs.h"
#include "explain/search/lighten.h"
#include "explain/search/row.h"
#include "explain/search/thin.h"

typedef struct Narrowing {
    const ClosedSearch *search;
    Oracle *oracle;
    Needs *needs;    /* what the sets are closed under */
    size_t n;        /* changes */
    uint8_t *needed; /* changes of the units that are known to be needed */
    uint8_t *best;   /* the smallest set known to pass */
    double parsed;   /* CPU seconds of the parser when the last set fitted */
    int broken;      /* sets in a row that were built and did not compile */
    ThinTask thin;   /* set NULL: nothing is reverted in part */
    size_t patience; /* sets that may turn out not to build before it gives up; 0: no limit */
    size_t unbuilt;  /* those so far */
} Narrowing;

static size_t count(const uint8_t *subset, size_t n) {
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += subset[i];
    return sum;
}

/* ---- asking ---- */

/* CPU time that may go into the parser for one set. What it teaches holds for all sets to come, so
 * altogether it may take a share of the time that was spent; later sets get what earlier ones did
 * not need. */
static double parser_budget(const Oracle *oracle) {
    double least = FIT_CLOSE_SHARE * oracle_build_cpu(oracle);
    double left = FIT_WHOLE_SHARE * oracle_cpu() - oracle_fit_cpu(oracle);
    if (least < FIT_CLOSE_LEAST_S) least = FIT_CLOSE_LEAST_S;
    return left > least ? left : least;
}

/* The parser's messages are followed as long as there is time for it; then everything is added that
 * the text ties together, and as much again is spent on what is still missing. Without a parser the
 * text is all there is. */
bool closed_fit(AuxFinder *aux, Needs *needs, uint8_t *set) {
    double before = oracle_fit_cpu(aux->oracle);
    double most = parser_budget(aux->oracle);
    bool wide = !needs->text;
    if (!wide && !oracle_has_fit(aux->oracle)) needs_close(needs->text, set), wide = true;
    for (int i = 0; i < FIT_ROUNDS && !oracle_stopped(aux->oracle, NULL); i++) {
        needs_close(needs, set);
        if (!oracle_refuses(aux->oracle, set)) return true;
        double spent = oracle_fit_cpu(aux->oracle) - before;
        if (spent > 2 * most) return false;
        if (!wide && spent > most) {
            needs_close(needs->text, set);
            wide = true;
        } else if (!aux_learn(aux, needs, set)) {
            return false;
        }
    }
    return false;
}

Outcome closed_ask(AuxFinder *aux, Needs *needs, uint8_t *set) {
    Outcome outcome = OUTCOME_NO_BUILD;
    for (int i = 0; i <= CLOSED_REPAIRS && outcome == OUTCOME_NO_BUILD; i++) {
        if (!closed_fit(aux, needs, set)) break;
        outcome = oracle_ask(aux->oracle, set);
        if (outcome == OUTCOME_NO_BUILD && !aux_learn(aux, needs, set)) break;
    }
    return oracle_stopped(aux->oracle, NULL) && outcome == OUTCOME_NO_BUILD ? OUTCOME_STOPPED
                                                                            : outcome;
}

typedef struct NarrowRound {
    uint8_t *const *sets;
    size_t n;
} NarrowRound;

static ShrinkVerdict make_set(const ShrinkRound *round, size_t i, uint8_t *keep) {
    const NarrowRound *r = round->state;
    memcpy(keep, r->sets[i], r->n);
    return SHRINK_PASSES;
}

/* Which of the sets passes first, in order; several are built at once. */
static size_t first_passing(Narrowing *p, uint8_t *const *sets, size_t len) {
    size_t *all = mem_alloc((p->n + 1) * sizeof *all);
    for (size_t i = 0; i < p->n; i++) all[i] = i;
    OracleView view = { .oracle = p->oracle,
                        .elements = all,
                        .n = p->n,
                        .verdict = { SHRINK_PASSES, SHRINK_FAILS, SHRINK_UNRESOLVED,
                                     SHRINK_UNRESOLVED } };
    ShrinkTest test = oracle_test(&view);
    NarrowRound state = { sets, p->n };
    ShrinkRound round = { .count = len, .n = p->n, .make = make_set, .state = &state };
    size_t hit = test.first(test.user, &round);
    mem_free(all);
    return hit;
}

/* ---- narrowing ---- */

/* --dump=search: how many units a set is, and the largest of them. */
static void dump_units(const Narrowing *p, const uint8_t *set) {
    Arena scratch = { 0 };
    size_t *unit = ARENA_ARRAY(&scratch, size_t, p->n + 1), largest = 0;
    size_t units = row_units(p->needs, p->search->weight, set, NULL, NULL, unit);
    size_t *size = ARENA_ARRAY(&scratch, size_t, units + 1);
    for (size_t c = 0; c < p->n; c++)
        if (unit[c] && ++size[unit[c]] > largest) largest = size[unit[c]];
    oracle_say("%zu changes pass: %zu units, the largest of %zu changes; %zu edges, %.1f s of the "
               "parser",
               count(set, p->n), units, largest, p->needs->edges, oracle_fit_cpu(p->oracle));
    arena_release(&scratch);
}

/* Nothing outside of what passes is needed by what is in it. */
static void stay_within(void *user, const uint8_t *set) {
    Narrowing *p = user;
    if (oracle_dumps(p->oracle)) dump_units(p, set);
    for (size_t c = 0; c < p->n; c++) p->needs->outside[c] = !set[c];
    oracle_counts(p->oracle)->left = count(set, p->n);
}

/* What the text ties together is taken at its word for the changes of a set. */
static bool take_text(Narrowing *p, const uint8_t *set) {
    size_t edges = p->needs->edges;
    for (size_t c = 0; p->needs->text && c < p->n; c++) {
        const NeedList *list = &p->needs->text->of[c];
        for (size_t i = 0; set[c] && i < list->len; i++)
            if (!p->needs->outside[list->at[i]]) needs_add(p->needs, c, list->at[i]);
    }
    return p->needs->edges > edges;
}

/* A set that does not compile: what is missing becomes edges, from its messages or, where a parser
 * has been asked for longer than it is worth, from the text. */
static RowVerdict teach(Narrowing *p, const uint8_t *set) {
    bool dear = oracle_fit_cpu(p->oracle) - p->parsed > parser_budget(p->oracle);
    if (dear) p->parsed = oracle_fit_cpu(p->oracle);
    if (dear && take_text(p, set)) return ROW_TAUGHT;
    return aux_learn(p->search->aux, p->needs, set) ? ROW_TAUGHT : ROW_DEAD;
}

/* What fits by the parser's word and is not built all the same mostly fails in what it does: a
 * build may run the program it has just made (a compiler that compiles its own library). Once its
 * messages have been followed it counts as one that fails. */
static RowVerdict verdict_of(Narrowing *p, const uint8_t *set) {
    Outcome outcome;
    if (!oracle_known(p->oracle, set, &outcome)) return ROW_UNKNOWN;
    if (outcome == OUTCOME_PASSES) return ROW_PASSES;
    if (outcome == OUTCOME_FAILS) return ROW_FAILS;
    if (p->patience && ++p->unbuilt >= p->patience) return ROW_STOPPED;
    bool fits = oracle_has_fit(p->oracle);
    if (p->broken++ < (fits ? FITTING_REPAIRS : CLOSED_REPAIRS)) {
        RowVerdict taught = teach(p, set);
        if (taught == ROW_TAUGHT || !fits) return taught;
    }
    p->broken = 0;
    return fits ? ROW_FAILS : ROW_DEAD;
}

static void ask(void *user, uint8_t *const *sets, size_t len, RowVerdict *verdicts) {
    Narrowing *p = user;
    for (size_t i = 0; i < len; i++) verdicts[i] = ROW_UNKNOWN;
    for (size_t i = 0; i < len && !oracle_stopped(p->oracle, NULL); i++)
        if (oracle_refuses(p->oracle, sets[i])) {
            verdicts[i] = teach(p, sets[i]);
            return;
        }
    p->parsed = oracle_fit_cpu(p->oracle);
    bool stopped = oracle_stopped(p->oracle, NULL) || first_passing(p, sets, len) == SHRINK_STOP;
    for (size_t i = 0; i < len; i++) verdicts[i] = verdict_of(p, sets[i]);
    if (stopped && verdicts[0] == ROW_UNKNOWN) verdicts[0] = ROW_STOPPED;
    for (size_t i = 0; i < len; i++)
        if (verdicts[i] == ROW_PASSES || verdicts[i] == ROW_FAILS) p->broken = 0;
}

static void narrow_by(Narrowing *p, bool rough) {
    RowTask task = { .needs = p->needs,
                     .weight = p->search->weight,
                     .at_once = oracle_workers(p->oracle),
                     .rough = rough,
                     .ask = ask,
                     .smaller = stay_within,
                     .user = p };
    stay_within(p, p->best);
    p->parsed = oracle_fit_cpu(p->oracle);
    row_search(&task, p->best, p->needed);
}

/* Where many builds are ahead, they are made cheaper if they can be. */
static void build_directly(Narrowing *p) {
    const ClosedSearch *search = p->search;
    const char *why;
    OracleDirect direct = { search->direct, search->hard,
                            p->needs->text ? p->needs->text : p->needs };
    bool many = count(p->best, p->n) >= WHOLE_LEAST;
    if (direct.build && many) oracle_use_direct(p->oracle, direct, p->best, &why);
}

/* Finds what of best is needed: of much in whole functions first, which nearly always compile
 * where a part of one does not, and are few. */
static void narrow(Narrowing *p) {
    if (count(p->best, p->n) >= WHOLE_LEAST) {
        Needs *fine = p->needs;
        p->needs = needs_by_function(fine);
        narrow_by(p, true);
        needs_take(fine, p->needs);
        needs_free(p->needs);
        p->needs = fine;
    }
    if (!oracle_stopped(p->oracle, NULL)) narrow_by(p, false);
}

/* ---- the search ---- */

/* All that may be used, closed unless it is known to pass as it is; everything there is where that
 * does not pass. */
static bool start(Narrowing *p, const uint8_t *used) {
    Outcome known;
    memcpy(p->best, used, p->n);
    if (oracle_known(p->oracle, used, &known) && known == OUTCOME_PASSES) return true;
    if (closed_ask(p->search->aux, p->needs, p->best) == OUTCOME_PASSES) return true;
    for (size_t c = 0; c < p->n; c++) p->best[c] = !p->needs->outside[c];
    if (oracle_ask(p->oracle, p->best) == OUTCOME_PASSES) return true;
    memset(p->best, 1, p->n);
    return oracle_ask(p->oracle, p->best) == OUTCOME_PASSES;
}

/* The most suspected change of the function that a change is in, else its own suspicion. */
static double function_weight(const Narrowing *p, size_t change) {
    const size_t *function = p->needs->function;
    double most = p->search->weight[change];
    for (size_t c = 0; function[change] && c < p->n; c++)
        if (p->best[c] && function[c] == function[change] && p->search->weight[c] > most)
            most = p->search->weight[c];
    return most;
}

/* The set, as far as it compiles alone where it would need many others; else closed. */
static bool ask_suspected(Narrowing *p, uint8_t *set) {
    bool passes = false;
    size_t size = count(set, p->n);
    uint8_t *alone = mem_alloc(p->n + 1);
    memcpy(alone, set, p->n);
    bool many = p->thin.set && closed_fit(p->search->aux, p->needs, set) &&
                count(set, p->n) > size + THIN_MANY;
    if (many && thin_ask(&p->thin, alone)) {
        memcpy(set, alone, p->n);
        passes = true;
    }
    mem_free(alone);
    return passes || closed_ask(p->search->aux, p->needs, set) == OUTCOME_PASSES;
}

/* A few builds before all is searched: the functions that are suspected most, then those half as
 * much, .., then all that are suspected, whole. A change that the analysis points at is often one
 * of several in its function that only work together. */
static bool try_share(Narrowing *p, double share, size_t *tried) {
    uint8_t *set = mem_alloc(p->n + 1);
    double most = 0;
    for (size_t c = 0; c < p->n; c++)
        if (p->best[c] && p->search->weight[c] > most) most = p->search->weight[c];
    double least = share * most > WEIGHT_RAN ? share * most : WEIGHT_RAN;
    bool any = SUSPECT_SHARE * most > WEIGHT_RAN, passes = false;
    for (size_t c = 0; any && c < p->n; c++) set[c] = p->best[c] && function_weight(p, c) > least;
    size_t wanted = count(set, p->n);
    if (wanted > *tried) passes = ask_suspected(p, set);
    *tried = wanted;
    if (passes && count(set, p->n) < count(p->best, p->n)) memcpy(p->best, set, p->n);
    mem_free(set);
    return passes;
}

static bool try_suspected(Narrowing *p) {
    size_t tried = 0;
    bool passes = false;
    for (double share = SUSPECT_SHARE; !passes && share >= SUSPECT_LEAST; share /= 2)
        passes = try_share(p, share, &tried);
    return passes || try_share(p, 0, &tried);
}

/* The most suspected change of a set, of equals one in a function; n: the set is empty. */
static size_t most_suspected(const Narrowing *p, const uint8_t *set) {
    const double *weight = p->search->weight;
    const size_t *function = p->search->needs->function;
    size_t best = p->n;
    for (size_t c = 0; c < p->n; c++) {
        if (!set[c]) continue;
        bool more = best == p->n || weight[c] > weight[best] ||
                    (weight[c] == weight[best] && function[c] && !function[best]);
        if (more) best = c;
    }
    return best;
}

/* The roots of the answer and what of it they need to compile, which the answer's own messages
 * tell; false: they do not tell enough. */
static bool close_roots(Narrowing *p, const Answer *answer, uint8_t *set, Outcome *outcome) {
    for (size_t before = 0; !oracle_stopped(p->oracle, NULL);) {
        memcpy(set, answer->root, p->n);
        needs_close(p->needs, set);
        for (size_t c = 0; c < p->n; c++) set[c] = set[c] && p->best[c];
        size_t now = count(set, p->n);
        *outcome = OUTCOME_FAILS;
        if (now) *outcome = oracle_ask(p->oracle, set);
        if (*outcome != OUTCOME_NO_BUILD) return *outcome != OUTCOME_STOPPED;
        if (now == before || !aux_learn(p->search->aux, p->needs, set)) return false;
        before = now;
    }
    return false;
}

/* Auxiliary is what a root needs to compile, and nothing else. Of changes that only compile
 * together, none can be left out alone: as long as the roots with what they need do not pass, the
 * most suspected of the others is a root as well. */
static void name_roots(Narrowing *p, Answer *answer) {
    uint8_t *set = mem_alloc(p->n + 1), *left = mem_alloc(p->n + 1);
    Outcome outcome;
    for (size_t c = 0; c < p->n; c++) p->best[c] = answer->root[c] || answer->rest[c];
    while (close_roots(p, answer, set, &outcome)) {
        for (size_t c = 0; c < p->n; c++) left[c] = p->best[c] && !set[c];
        size_t next = most_suspected(p, left);
        if (next == p->n) break;
        if (outcome == OUTCOME_PASSES) { /* the others are not needed after all */
            for (size_t c = 0; c < p->n; c++) answer->rest[c] = set[c] && !answer->root[c];
            break;
        }
        answer->root[next] = 1, answer->rest[next] = 0;
    }
    if (!count(answer->root, p->n)) {
        size_t one = most_suspected(p, p->best);
        answer->root[one] = 1, answer->rest[one] = 0;
    }
    answer->apart = !oracle_stopped(p->oracle, NULL);
    mem_free(set);
    mem_free(left);
}

/* The same again where changes went after it had been told. */
static void tell_apart(Narrowing *p, Answer *answer) {
    if (!oracle_stopped(p->oracle, NULL)) search_tell_apart(p->search->aux, answer);
    if (answer->apart) name_roots(p, answer);
}

static void put_answer(const Narrowing *p, Answer *answer) {
    for (size_t i = 0; i < p->n; i++) {
        answer->root[i] = p->best[i] && p->needed[i];
        answer->rest[i] = p->best[i] && !answer->root[i];
    }
    answer->apart = false;
}

/* What of a set that passes is the answer. */
static void settle(Narrowing *p, Answer *answer) {
    const double *weight = p->search->weight;
    if (count(p->best, p->n) >= LIGHTEN_LEAST) lighten(p->search->aux, p->needs, weight, p->best);
    put_answer(p, answer);
    tell_apart(p, answer);
    if (!p->thin.set || !answer->apart || !count(answer->rest, p->n)) return;
    for (size_t c = 0; c < p->n; c++) p->best[c] = answer->root[c] || answer->rest[c];
    size_t went = thin_few(&p->thin, weight, answer->root, p->best);
    if (!went) went = thin_out(&p->thin, weight, answer->root, p->best);
    if (!went) return;
    memcpy(p->needed, answer->root, p->n);
    put_answer(p, answer);
    tell_apart(p, answer);
}

size_t closed_units(const ClosedSearch *search) {
    size_t n = search->needs->set->changes.len;
    size_t *unit = mem_alloc((n + 1) * sizeof *unit);
    Needs *whole = needs_by_function(search->needs);
    size_t units = row_units(whole, search->weight, search->used, NULL, NULL, unit);
    needs_free(whole);
    mem_free(unit);
    return units;
}

bool closed_early(const ClosedSearch *search, uint8_t *best, bool *ended) {
    Oracle *oracle = search->aux->oracle;
    size_t n = oracle_set(oracle)->changes.len;
    uint8_t *outside = mem_alloc(n + 1);
    Narrowing p = { .search = search,
                    .oracle = oracle,
                    .needs = search->needs,
                    .n = n,
                    .needed = mem_alloc(n + 1),
                    .best = best,
                    .patience = EARLY_UNBUILT };
    memcpy(outside, search->needs->outside, n);
    bool passes = start(&p, search->used);
    if (passes) narrow(&p);
    *ended = passes && p.unbuilt < p.patience && !oracle_stopped(oracle, NULL);
    memcpy(search->needs->outside, outside, n);
    mem_free(outside);
    mem_free(p.needed);
    return passes;
}

void closed_search(const ClosedSearch *search, Answer *answer) {
    Oracle *oracle = search->aux->oracle;
    size_t n = oracle_set(oracle)->changes.len;
    Arena scratch = { 0 };
    Needs *bare = needs_unparsed(search->needs->text ? search->needs->text : search->needs);
    Narrowing p = { .search = search,
                    .oracle = oracle,
                    .needs = search->needs,
                    .n = n,
                    .needed = ARENA_ARRAY(&scratch, uint8_t, n + 1),
                    .best = ARENA_ARRAY(&scratch, uint8_t, n + 1),
                    .thin = thin_start(search->aux, bare, search->set, &scratch) };
    uint8_t *outside = arena_copy(&scratch, search->needs->outside, n + 1);
    answer->found = start(&p, search->used);
    bool cheap = oracle_build_cpu(oracle) < DIRECT_CHEAP_S;
    if (answer->found && !cheap) build_directly(&p);
    bool suspected = answer->found && try_suspected(&p);
    if (answer->found && !suspected && search->known) memcpy(p.best, search->known, n);
    if (answer->found && cheap) build_directly(&p);
    if (answer->found) narrow(&p);
    if (answer->found)
        settle(&p, answer);
    else
        put_answer(&p, answer);
    for (size_t c = 0; answer->blend && c < n; c++)
        answer->blend[c] = oracle_set(oracle)->changes.at[c].blend;
    memcpy(search->needs->outside, outside, n);
    needs_free(bare);
    arena_release(&scratch);
}

/* The suspected functions without the roots. */
static size_t all_but_roots(const Narrowing *p, const Answer *answer, uint8_t *set) {
    memcpy(p->best, p->search->used, p->n);
    for (size_t c = 0; c < p->n; c++)
        set[c] = p->best[c] && !answer->root[c] && function_weight(p, c) > WEIGHT_RAN;
    return count(set, p->n);
}

void closed_other(const ClosedSearch *search, const Answer *answer, Answer *other) {
    size_t n = search->needs->set->changes.len;
    Arena scratch = { 0 };
    Narrowing p = { .search = search,
                    .oracle = search->aux->oracle,
                    .needs = search->needs,
                    .n = n,
                    .needed = ARENA_ARRAY(&scratch, uint8_t, n + 1),
                    .best = ARENA_ARRAY(&scratch, uint8_t, n + 1) };
    uint8_t *set = ARENA_ARRAY(&scratch, uint8_t, n + 1);
    uint8_t *outside = arena_copy(&scratch, search->needs->outside, n + 1);
    other->found = false;
    if (all_but_roots(&p, answer, set)) {
        for (size_t c = 0; c < n; c++) search->needs->outside[c] |= answer->root[c];
        other->found = closed_ask(search->aux, search->needs, set) == OUTCOME_PASSES;
    }
    for (size_t c = 0; c < n; c++) other->found &= !(set[c] && answer->root[c]);
    memcpy(p.best, set, n);
    if (other->found) {
        narrow(&p);
        put_answer(&p, other);
        tell_apart(&p, other);
    }
    memcpy(search->needs->outside, outside, n);
    arena_release(&scratch);
}

/* The search over closed sets; see closed_search.h. */
#include "explain/closed_search.h"
#include "explain/explain_knobs.h"

#include <math.h>

/* Changes that go together. */
typedef struct ClosedUnit {
    NeedList changes;
    double weight; /* of the most suspected */
    size_t order;  /* of its first change: the order where suspicion is the same */
} ClosedUnit;
typedef VEC(ClosedUnit) ClosedUnits;

typedef struct Prefix {
    const ClosedSearch *search;
    Oracle *oracle;
    Needs *needs; /* what the sets are closed under */
    size_t n;     /* changes */
    ClosedUnits units;
    uint8_t *needed; /* changes of the units that are known to be needed */
    uint8_t *best;   /* the smallest set known to pass */
    size_t best_size;
    size_t lo, hi; /* P(lo) fails, P(hi) passes */
    uint8_t *dead; /* for each k: does not build */
} Prefix;

static size_t count(const uint8_t *subset, size_t n) {
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += subset[i];
    return sum;
}

/* ---- units ---- */

static int by_weight(const void *a, const void *b) {
    const ClosedUnit *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

/* How much goes together, less from level to level: a needed part that was rewritten is first found
 * in one piece, because each needed unit costs a search of its own. */
typedef enum ClosedLevel { LEVEL_FILE, LEVEL_FUNCTION, LEVEL_CHANGE, LEVELS } ClosedLevel;

/* The unit that a change joins: its file's; its function's, else its hunk's; its own. */
static uint64_t unit_key(const ClosedSearch *s, size_t change, ClosedLevel level) {
    if (level == LEVEL_CHANGE) return change;
    if (level == LEVEL_FILE) return s->needs->set->changes.at[change].file;
    size_t function = s->needs->function[change];
    return function ? (uint64_t)1 << 32 | function
                    : (uint64_t)1 << 33 | s->needs->set->changes.at[change].hunk;
}

static void make_units(Prefix *p, const uint8_t *members, ClosedLevel level) {
    Map known = { 0 };
    for (size_t c = 0; c < p->n; c++) {
        if (!members[c]) continue;
        uint64_t key = unit_key(p->search, c, level), *at = map_at(&known, map_key_u64(&key));
        if (!*at) {
            vec_push(&p->units, (ClosedUnit){ .order = c });
            *at = p->units.len;
        }
        ClosedUnit *unit = &p->units.at[*at - 1];
        vec_push(&unit->changes, c);
        if (p->search->weight[c] > unit->weight) unit->weight = p->search->weight[c];
    }
    map_release(&known);
    if (p->units.len) qsort(p->units.at, p->units.len, sizeof *p->units.at, by_weight);
}

static void free_units(Prefix *p) {
    for (size_t i = 0; i < p->units.len; i++) vec_release(&p->units.at[i].changes);
    vec_release(&p->units);
}

/* ---- sets ---- */

/* P(k) */
static void prefix_set(const Prefix *p, size_t k, uint8_t *out) {
    memcpy(out, p->needed, p->n);
    for (size_t i = 0; i < k; i++)
        for (size_t c = 0; c < p->units.at[i].changes.len; c++)
            out[p->units.at[i].changes.at[c]] = 1;
    needs_close(p->needs, out);
}

static void keep_best(Prefix *p, const uint8_t *set) {
    size_t size = count(set, p->n);
    if (size >= p->best_size) return;
    memcpy(p->best, set, p->n);
    p->best_size = size;
}

/* ---- asking ---- */

/* The parser's messages are followed as long as they cost less than half a build; then everything
 * is added that the text ties together, and as much again is spent on what is still missing.
 * Without a parser the text is all there is. */
bool closed_fit(AuxFinder *aux, Needs *needs, uint8_t *set) {
    double before = oracle_fit_cpu(aux->oracle);
    double most = FIT_CLOSE_SHARE * oracle_build_cpu(aux->oracle);
    bool wide = !needs->text;
    if (most < FIT_CLOSE_LEAST_S) most = FIT_CLOSE_LEAST_S;
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

typedef struct PrefixRound {
    uint8_t *const *sets;
    size_t n;
} PrefixRound;

static ShrinkVerdict make_prefix(const ShrinkRound *round, size_t i, uint8_t *keep) {
    const PrefixRound *r = round->state;
    memcpy(keep, r->sets[i], r->n);
    return SHRINK_PASSES;
}

/* Which of the sets passes first, in order; several are built at once. */
static size_t first_passing(Prefix *p, uint8_t *const *sets, size_t len) {
    size_t *all = mem_alloc((p->n + 1) * sizeof *all);
    for (size_t i = 0; i < p->n; i++) all[i] = i;
    OracleView view = { .oracle = p->oracle,
                        .elements = all,
                        .n = p->n,
                        .verdict = { SHRINK_PASSES, SHRINK_FAILS, SHRINK_UNRESOLVED,
                                     SHRINK_UNRESOLVED } };
    ShrinkTest test = oracle_test(&view);
    PrefixRound state = { sets, p->n };
    ShrinkRound round = { .count = len, .n = p->n, .make = make_prefix, .state = &state };
    size_t hit = test.first(test.user, &round);
    mem_free(all);
    return hit;
}

/* Takes the verdict of P(k) into lo and hi. */
static void take(Prefix *p, size_t k, uint8_t *set) {
    Outcome outcome;
    if (!oracle_known(p->oracle, set, &outcome)) return; /* given up behind a passing one */
    if (outcome == OUTCOME_NO_BUILD) outcome = closed_ask(p->search->aux, p->needs, set);
    if (outcome == OUTCOME_NO_BUILD) p->dead[k] = 1;
    if (outcome == OUTCOME_PASSES) {
        keep_best(p, set);
        if (k < p->hi) p->hi = k;
    }
    if (outcome == OUTCOME_FAILS && k > p->lo && k < p->hi) p->lo = k;
}

static double mass(const Prefix *p, size_t from, size_t to) {
    double sum = 0;
    for (size_t i = from; i < to; i++) sum += p->units.at[i].weight;
    return sum;
}

/* The k between lo and hi that has this share of suspicion below it and can be tested; 0: none. */
static size_t choose(const Prefix *p, double part) {
    double want = mass(p, p->lo, p->hi) * part, sum = 0;
    size_t ideal = p->lo + 1, best = 0;
    while (ideal + 1 < p->hi && (sum += p->units.at[ideal - 1].weight) < want) ideal++;
    for (size_t k = p->lo + 1; k < p->hi; k++) {
        size_t far = k < ideal ? ideal - k : k - ideal;
        size_t least = best < ideal ? ideal - best : best - ideal;
        if (!p->dead[k] && (!best || far < least)) best = k;
    }
    return best;
}

/* One round over as many k as there are workers; false: nothing is left to test. */
static bool ask_round(Prefix *p) {
    unsigned workers = oracle_workers(p->oracle);
    size_t *ks = mem_alloc(workers * sizeof *ks), len = 0;
    uint8_t **sets = mem_alloc(workers * sizeof *sets);
    bool dead = false;
    for (unsigned w = 0; w < workers; w++) {
        size_t k = choose(p, (w + 1.0) / (workers + 1.0));
        if (!k || (len && ks[len - 1] >= k)) continue;
        ks[len] = k;
        sets[len] = mem_alloc(p->n + 1);
        prefix_set(p, k, sets[len]);
        if (closed_fit(p->search->aux, p->needs, sets[len]))
            len++;
        else
            p->dead[k] = 1, dead = true, mem_free(sets[len]);
    }
    oracle_counts(p->oracle)->left = p->hi;
    if (len && first_passing(p, sets, len) != SHRINK_STOP)
        for (size_t i = 0; i < len; i++) take(p, ks[i], sets[i]);
    for (size_t i = 0; i < len; i++) mem_free(sets[i]);
    mem_free(sets);
    mem_free(ks);
    return len > 0 || dead;
}

/* ---- the search ---- */

/* Unit hi is needed: what is left to do is before it. */
static bool settle_unit(Prefix *p) {
    uint8_t *set = mem_alloc(p->n + 1);
    const NeedList *unit = &p->units.at[p->hi - 1].changes;
    for (size_t i = 0; i < unit->len; i++) p->needed[unit->at[i]] = 1;
    prefix_set(p, 0, set);
    Outcome outcome = closed_ask(p->search->aux, p->needs, set);
    if (outcome == OUTCOME_PASSES) keep_best(p, set);
    mem_free(set);
    p->hi--; /* P(hi) is the same set as before: the unit is now always in it */
    p->lo = 0;
    memset(p->dead, 0, p->units.len + 1);
    return outcome != OUTCOME_PASSES && outcome != OUTCOME_STOPPED;
}

/* Finds what of members is needed; members pass. */
static void run_level(Prefix *p, const uint8_t *members, ClosedLevel level) {
    make_units(p, members, level);
    p->dead = mem_alloc(p->units.len + 1);
    p->lo = 0;
    p->hi = p->units.len;
    for (bool more = p->hi > 0; more && !oracle_stopped(p->oracle, NULL);) {
        while (p->hi - p->lo > 1 && !oracle_stopped(p->oracle, NULL))
            if (!ask_round(p)) break;
        if (oracle_stopped(p->oracle, NULL)) break;
        more = settle_unit(p) && p->hi > 0;
    }
    mem_free(p->dead);
    free_units(p);
}

/* Takes a change out of a set, with all that need it. */
static void take_out(const Prefix *p, size_t change, uint8_t *set) {
    uint8_t *closed = mem_alloc(p->n + 1);
    for (size_t c = 0; c < p->n; c++) {
        if (!set[c]) continue;
        memset(closed, 0, p->n);
        closed[c] = 1;
        needs_close(p->needs, closed);
        if (closed[change]) set[c] = 0;
    }
    mem_free(closed);
}

/* Which of the changes to leave out next: the least suspected, and of equals one that is in no
 * function, because what runs is the likelier cause. */
static size_t least_suspected(const Prefix *p, const uint8_t *left) {
    const double *weight = p->search->weight;
    const size_t *function = p->search->needs->function;
    size_t least = p->n;
    for (size_t c = 0; c < p->n; c++) {
        if (!left[c]) continue;
        bool less = least == p->n || weight[c] < weight[least] ||
                    (weight[c] == weight[least] && !function[c] && function[least]);
        if (less) least = c;
    }
    return least;
}

/* Whether what passes still does without the change and all that turn out to need it: a set that
 * does not compile tells more of those. Then set is what is left. */
static bool passes_without(Prefix *p, size_t change, uint8_t *set) {
    size_t before = p->n + 1;
    for (int built = 0; built <= CLOSED_REPAIRS && !oracle_stopped(p->oracle, NULL);) {
        memcpy(set, p->best, p->n);
        take_out(p, change, set);
        size_t now = count(set, p->n);
        if (!now || now == before) return false;
        before = now;
        Outcome outcome = OUTCOME_NO_BUILD;
        if (!oracle_refuses(p->oracle, set)) outcome = oracle_ask(p->oracle, set), built++;
        if (outcome != OUTCOME_NO_BUILD) return outcome == OUTCOME_PASSES;
        if (!aux_learn(p->search->aux, p->needs, set)) return false;
    }
    return false;
}

/* Leaves out each change in turn, the least suspected first, until none can go: what is left is
 * minimal over the sets that compile. */
static void leave_out(Prefix *p) {
    uint8_t *set = mem_alloc(p->n + 1), *left = mem_alloc(p->n + 1);
    for (bool again = true; again && !oracle_stopped(p->oracle, NULL);) {
        again = false;
        memcpy(left, p->best, p->n);
        for (size_t c; (c = least_suspected(p, left)) < p->n && !oracle_stopped(p->oracle, NULL);) {
            left[c] = 0;
            if (!p->best[c] || !passes_without(p, c, set)) continue;
            keep_best(p, set);
            again = true;
        }
    }
    mem_free(set);
    mem_free(left);
}

/* All that may be used, closed unless it is known to pass as it is; everything there is where that
 * does not pass. */
static bool start(Prefix *p, const uint8_t *used) {
    Outcome known;
    memcpy(p->best, used, p->n);
    if (oracle_known(p->oracle, used, &known) && known == OUTCOME_PASSES) return true;
    if (closed_ask(p->search->aux, p->needs, p->best) == OUTCOME_PASSES) return true;
    for (size_t c = 0; c < p->n; c++) p->best[c] = !p->needs->outside[c];
    if (oracle_ask(p->oracle, p->best) == OUTCOME_PASSES) return true;
    memset(p->best, 1, p->n);
    return oracle_ask(p->oracle, p->best) == OUTCOME_PASSES;
}

/* One build or two before the files are searched: the functions that are suspected most, then all
 * that are suspected, whole. A change that the analysis points at is often one of several in its
 * function that only work together. */
static bool try_suspected(Prefix *p, const uint8_t *members, double share) {
    bool passes = false;
    uint8_t *set = mem_alloc(p->n + 1);
    make_units(p, members, LEVEL_FUNCTION);
    double most = p->units.len ? p->units.at[0].weight : 0, least = share * most;
    if (least < WEIGHT_RAN) least = WEIGHT_RAN;
    if (SUSPECT_SHARE * most <= WEIGHT_RAN) least = INFINITY; /* none is */
    for (size_t u = 0; u < p->units.len && p->units.at[u].weight > least; u++)
        for (size_t i = 0; i < p->units.at[u].changes.len; i++)
            set[p->units.at[u].changes.at[i]] = 1;
    free_units(p);
    if (count(set, p->n)) passes = closed_ask(p->search->aux, p->needs, set) == OUTCOME_PASSES;
    if (passes) keep_best(p, set);
    mem_free(set);
    return passes;
}

/* The most suspected change of a set, of equals one in a function; n: the set is empty. */
static size_t most_suspected(const Prefix *p, const uint8_t *set) {
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
static bool close_roots(Prefix *p, const Answer *answer, uint8_t *set, Outcome *outcome) {
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
static void name_roots(Prefix *p, Answer *answer) {
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

void closed_search(const ClosedSearch *search, Answer *answer) {
    Oracle *oracle = search->aux->oracle;
    size_t n = oracle_set(oracle)->changes.len;
    Prefix p = { .search = search,
                 .oracle = oracle,
                 .needs = search->needs,
                 .n = n,
                 .needed = mem_alloc(n + 1),
                 .best = mem_alloc(n + 1) };
    uint8_t *members = mem_alloc(n + 1);
    answer->found = start(&p, search->used);
    p.best_size = count(p.best, n);
    bool known =
        answer->found && (try_suspected(&p, p.best, SUSPECT_SHARE) || try_suspected(&p, p.best, 0));
    int first = known ? LEVEL_FUNCTION : LEVEL_FILE;
    for (int level = first; answer->found && level < LEVELS && !oracle_stopped(oracle, NULL);
         level++) {
        memcpy(members, p.best, n);
        if (level == LEVEL_FUNCTION && oracle_has_fit(oracle) && p.best_size <= CLOSED_FEW)
            continue;
        memset(p.needed, 0, n);
        if (p.best_size > CLOSED_SINGLY) run_level(&p, members, (ClosedLevel)level);
    }
    if (answer->found) leave_out(&p);
    for (size_t i = 0; i < n; i++) {
        answer->root[i] = p.best[i] && p.needed[i];
        answer->rest[i] = p.best[i] && !answer->root[i];
    }
    answer->apart = false;
    if (answer->found && !oracle_stopped(oracle, NULL)) search_tell_apart(search->aux, answer);
    if (answer->found && answer->apart) name_roots(&p, answer);
    mem_free(p.needed);
    mem_free(p.best);
    mem_free(members);
}

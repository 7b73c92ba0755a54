/* The search over a row of closed sets; see row.h. */
#include "explain/search/row.h"
#include "explain/explain_knobs.h"

/* ---- the row ---- */

/* Where a change stands before edges are looked at. */
typedef struct RowRank {
    size_t change;
    int group;       /* 0: first, 1: second, 2: the rest */
    double function; /* suspicion of the most suspected change of its function */
    size_t number;   /* of its function: its changes stay together */
    double weight;
} RowRank;

static int by_rank(const void *a, const void *b) {
    const RowRank *x = a, *y = b;
    if (x->group != y->group) return x->group - y->group;
    if (x->function != y->function) return x->function < y->function ? 1 : -1;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->change > y->change) - (x->change < y->change);
}

/* Tarjan's components: each is complete only when all that it needs is, which is the row. */
typedef struct RowWalk {
    const Needs *needs;
    const uint8_t *set;
    size_t *unit;  /* the result */
    size_t *index; /* of a change in the order of visits, from 1 */
    size_t *low;   /* the earliest change that it can reach and that has no unit yet */
    size_t *next;  /* the edge to follow next */
    NeedList path, open;
    size_t visits, units;
} RowWalk;

static void enter(RowWalk *w, size_t change) {
    w->index[change] = w->low[change] = ++w->visits;
    vec_push(&w->path, change);
    vec_push(&w->open, change);
}

/* All edges of the last change of the path were followed. */
static void leave(RowWalk *w) {
    size_t change = vec_pop(&w->path);
    if (w->low[change] == w->index[change]) {
        w->units++;
        for (size_t c = w->needs->set->changes.len; c != change;) {
            c = vec_pop(&w->open);
            w->unit[c] = w->units;
        }
    }
    if (w->path.len && w->low[change] < w->low[vec_last(&w->path)])
        w->low[vec_last(&w->path)] = w->low[change];
}

static void walk(RowWalk *w, size_t from) {
    if (w->index[from]) return;
    enter(w, from);
    while (w->path.len) {
        size_t change = vec_last(&w->path);
        const NeedList *list = &w->needs->of[change];
        if (w->next[change] == list->len) {
            leave(w);
            continue;
        }
        size_t to = list->at[w->next[change]++];
        if (!w->set[to]) continue;
        if (!w->index[to])
            enter(w, to);
        else if (!w->unit[to] && w->index[to] < w->low[change])
            w->low[change] = w->index[to];
    }
}

static size_t function_of(const Needs *needs, size_t change) {
    size_t function = needs->function[change];
    return function ? function : needs->functions + 1 + needs->set->changes.at[change].hunk;
}

static void rank_all(const double *weight, const uint8_t *const groups[2], RowRank *ranks,
                     size_t len) {
    Map most = { 0 }; /* function -> 1 + the most suspected of its changes */
    for (size_t i = 0; i < len; i++) {
        uint64_t key = ranks[i].number, *at = map_at(&most, map_key_u64(&key));
        if (!*at || weight[*at - 1] < weight[ranks[i].change]) *at = ranks[i].change + 1;
    }
    for (size_t i = 0; i < len; i++) {
        uint64_t key = ranks[i].number, at = 0;
        map_get(&most, map_key_u64(&key), &at);
        ranks[i].function = weight[at - 1];
        ranks[i].weight = weight[ranks[i].change];
        ranks[i].group = groups[0] && groups[0][ranks[i].change]   ? 0
                         : groups[1] && groups[1][ranks[i].change] ? 1
                                                                   : 2;
    }
    map_release(&most);
}

size_t row_units(const Needs *needs, const double *weight, const uint8_t *set, const uint8_t *first,
                 const uint8_t *second, size_t *unit) {
    size_t n = needs->set->changes.len, len = 0;
    Arena scratch = { 0 };
    RowRank *ranks = ARENA_ARRAY(&scratch, RowRank, n + 1);
    for (size_t c = 0; c < n; c++) {
        unit[c] = 0;
        if (set[c]) ranks[len++] = (RowRank){ .change = c, .number = function_of(needs, c) };
    }
    rank_all(weight, (const uint8_t *const[2]){ first, second }, ranks, len);
    if (len) qsort(ranks, len, sizeof *ranks, by_rank);
    RowWalk w = { .needs = needs,
                  .set = set,
                  .unit = unit,
                  .index = ARENA_ARRAY(&scratch, size_t, n + 1),
                  .low = ARENA_ARRAY(&scratch, size_t, n + 1),
                  .next = ARENA_ARRAY(&scratch, size_t, n + 1) };
    for (size_t i = 0; i < len; i++) walk(&w, ranks[i].change);
    vec_release(&w.path);
    vec_release(&w.open);
    arena_release(&scratch);
    return w.units;
}

/* ---- the search ---- */

typedef struct RowState {
    const RowTask *task;
    size_t n;        /* changes */
    uint8_t *best;   /* passes */
    uint8_t *needed; /* changes of the units that are known to be needed */
    uint8_t *front;  /* those and what they need */
    uint8_t *failed; /* the largest set that is known to fail and contains front; else empty */
    size_t *unit;    /* of each change, from 1 */
    size_t units;
    double *mass;  /* of each unit */
    uint8_t *dead; /* for each k: cannot be tested */
    size_t base;   /* units of front */
    size_t from;   /* P(k) fails or cannot be tested for each k from base to before this; */
    size_t hi;     /* P(hi) passes */
    size_t found;  /* needed units */
    size_t step;   /* how many are left out at once, from the end */
    bool near;     /* the last needed unit was the next one, */
    bool galloped; /* and steps are still growing */
    bool stopped;
} RowState;

static void close_front(RowState *s) {
    memcpy(s->front, s->needed, s->n);
    needs_close(s->task->needs, s->front);
    for (size_t c = 0; c < s->n; c++) s->front[c] = s->front[c] && s->best[c];
}

/* The row of what is left, after edges, needed or best changed. */
static void make_row(RowState *s) {
    close_front(s);
    s->units = row_units(s->task->needs, s->task->weight, s->best, s->front, s->failed, s->unit);
    memset(s->mass, 0, (s->units + 1) * sizeof *s->mass);
    memset(s->dead, 0, s->units + 1);
    size_t within = s->units; /* the first k units are within what failed */
    s->base = 0;
    for (size_t c = 0; c < s->n; c++) {
        if (!s->unit[c]) continue;
        s->mass[s->unit[c] - 1] += s->task->weight[c];
        if (s->front[c] && s->unit[c] > s->base) s->base = s->unit[c];
        if (!s->failed[c] && s->unit[c] - 1 < within) within = s->unit[c] - 1;
    }
    s->hi = s->units;
    s->from = s->base;
    bool fails = !s->base; /* nothing at all is known to fail */
    for (size_t c = 0; c < s->n; c++) fails |= s->failed[c];
    if (fails && within >= s->base) s->from = within + 1;
    if (s->from > s->hi) s->from = s->hi;
}

static void row_set(const RowState *s, size_t k, uint8_t *out) {
    for (size_t c = 0; c < s->n; c++) out[c] = s->unit[c] && s->unit[c] <= k;
}

/* The k that is nearest to the ideal one and can be tested; hi: there is none. */
static size_t nearest(const RowState *s, size_t ideal) {
    size_t best = s->hi, least = 0;
    for (size_t k = s->from; k < s->hi; k++) {
        size_t far = k < ideal ? ideal - k : k - ideal;
        if (!s->dead[k] && (best == s->hi || far < least)) best = k, least = far;
    }
    return best;
}

/* What to ask about next, as one of several: the part of suspicion that comes before it. */
static size_t choose(RowState *s, double part) {
    bool front = s->from == s->base && s->found > 0;
    if (front && (!s->near || (s->found & (s->found - 1)) == 0)) return nearest(s, s->base);
    if (s->galloped && s->hi - s->from > s->step) return nearest(s, s->hi - s->step);
    if (s->galloped) return nearest(s, s->from);
    double all = 0, sum = 0;
    size_t ideal = s->from ? s->from : 1; /* the last unit of P(ideal) may be the one */
    for (size_t k = ideal; k <= s->hi; k++) all += s->mass[k - 1];
    while (ideal + 1 < s->hi && (sum += s->mass[ideal - 1]) < all * part) ideal++;
    return nearest(s, ideal);
}

static void take(RowState *s, size_t k, const uint8_t *set, RowVerdict verdict) {
    if (verdict == ROW_DEAD) s->dead[k] = 1;
    if (verdict == ROW_PASSES && k < s->hi) {
        memcpy(s->best, set, s->n);
        s->hi = k;
        if (s->from > k) s->from = k;
        s->step *= 2;
        s->near = false;
        if (s->task->smaller) s->task->smaller(s->task->user, s->best);
    }
    if (verdict == ROW_FAILS && k >= s->from && k < s->hi) {
        memcpy(s->failed, set, s->n);
        s->from = k + 1;
        s->galloped &= k == s->base; /* that the front fails says nothing about the end */
    }
}

/* One round; false: nothing is left to ask about. */
static bool ask_round(RowState *s) {
    const RowTask *task = s->task;
    size_t most = task->at_once ? task->at_once : 1, len = 0;
    Arena scratch = { 0 };
    size_t *ks = ARENA_ARRAY(&scratch, size_t, most);
    uint8_t **sets = ARENA_ARRAY(&scratch, uint8_t *, most);
    RowVerdict *verdicts = ARENA_ARRAY(&scratch, RowVerdict, most);
    for (size_t w = 0; w < most; w++) {
        size_t k = choose(s, (double)(w + 1) / (double)(most + 1));
        if (k == s->hi || (len && ks[len - 1] >= k)) continue;
        ks[len] = k;
        sets[len] = ARENA_ARRAY(&scratch, uint8_t, s->n + 1);
        row_set(s, k, sets[len++]);
    }
    if (len) task->ask(task->user, sets, len, verdicts);
    bool taught = false;
    for (size_t i = 0; i < len; i++) {
        s->stopped |= verdicts[i] == ROW_STOPPED;
        taught |= verdicts[i] == ROW_TAUGHT;
        take(s, ks[i], sets[i], verdicts[i]);
    }
    arena_release(&scratch);
    if (taught) make_row(s);
    return len > 0;
}

/* Unit hi is needed: what is left to do is before it. */
static void settle(RowState *s) {
    s->near = s->step == 1;
    for (size_t c = 0; c < s->n; c++) {
        s->best[c] = s->unit[c] && s->unit[c] <= s->hi;
        if (s->unit[c] == s->hi) s->needed[c] = 1;
    }
    memset(s->failed, 0, s->n);
    s->found++;
    s->step = 1;
    s->galloped = s->found >= ROW_HALVED;
    make_row(s);
}

/* wanted[u] becomes 1 for each unit that another one of the set needs. */
static void mark_wanted(const RowState *s, const uint8_t *set, uint8_t *wanted) {
    memset(wanted, 0, s->units + 1);
    for (size_t c = 0; c < s->n; c++)
        for (size_t i = 0; set[c] && i < s->task->needs->of[c].len; i++) {
            size_t to = s->unit[s->task->needs->of[c].at[i]];
            if (to && to != s->unit[c]) wanted[to] = 1;
        }
}

/* Without so many units that no other needs, from *k down: left is the rest, *k the last of them.
 * Returns how many they are. */
static size_t take_last(const RowState *s, size_t batch, size_t *k, uint8_t *left,
                        uint8_t *wanted) {
    size_t took = 0, last = *k;
    memcpy(left, s->best, s->n);
    for (size_t u = *k; u && took < batch; u--) {
        mark_wanted(s, left, wanted);
        if (wanted[u]) continue;
        for (size_t c = 0; c < s->n; c++)
            if (s->unit[c] == u) left[c] = 0;
        took++;
        last = u;
    }
    *k = last;
    return took;
}

static void keep_only(RowState *s, const uint8_t *left) {
    memcpy(s->best, left, s->n);
    for (size_t c = 0; c < s->n; c++) {
        s->needed[c] &= left[c];
        if (!left[c]) s->unit[c] = 0;
    }
    if (s->task->smaller) s->task->smaller(s->task->user, s->best);
}

static bool is_empty(const RowState *s, const uint8_t *set) {
    return !memchr(set, 1, s->n);
}

/* Leaves out once each unit that no other needs, from the end; ever more at once as long as they
 * can go. True: some could. */
static bool leave_out(RowState *s) {
    uint8_t *set = mem_alloc(s->n + 1), *wanted = mem_alloc(s->n + 2), *left = set;
    bool gone = false;
    memset(s->failed, 0, s->n);
    make_row(s);
    for (size_t k = s->units, batch = 1; k && !s->stopped;) {
        size_t low = k, took = take_last(s, batch, &low, left, wanted);
        RowVerdict verdict = ROW_UNKNOWN;
        if (!took) break;
        if (!is_empty(s, left)) s->task->ask(s->task->user, &left, 1, &verdict);
        s->stopped |= verdict == ROW_STOPPED;
        if (verdict == ROW_TAUGHT) {
            make_row(s);
            k = s->units;
        } else if (verdict == ROW_PASSES) {
            keep_only(s, left);
            gone = true;
            k = low - 1;
            batch *= 2;
        } else if (took > 1) {
            batch = took / 2;
        } else {
            k = low - 1;
        }
    }
    mem_free(set);
    mem_free(wanted);
    return gone;
}

static void narrow(RowState *s) {
    s->step = 1;
    make_row(s);
    while (!s->stopped && s->hi > s->base) {
        if (s->from < s->hi && ask_round(s)) continue;
        settle(s);
    }
}

bool row_search(const RowTask *task, uint8_t *best, uint8_t *needed) {
    size_t n = task->needs->set->changes.len;
    Arena scratch = { 0 };
    RowState s = { .task = task,
                   .n = n,
                   .best = best,
                   .needed = needed,
                   .front = ARENA_ARRAY(&scratch, uint8_t, n + 1),
                   .failed = ARENA_ARRAY(&scratch, uint8_t, n + 1),
                   .unit = ARENA_ARRAY(&scratch, size_t, n + 1),
                   .mass = ARENA_ARRAY(&scratch, double, n + 1),
                   .dead = ARENA_ARRAY(&scratch, uint8_t, n + 1) };
    memset(needed, 0, n);
    narrow(&s);
    while (!s.stopped && !task->rough && leave_out(&s)) {
    }
    arena_release(&scratch);
    return !s.stopped;
}

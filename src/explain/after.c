/* AFTER's Algorithm 1 (Yi, Yang, Liu, Zhao, Wang: A synergistic analysis method for explaining
 * failed regression tests, ICSE 2015): semantic analysis says what led to a condition of the
 * failing run, reverting says whether the changes among it are responsible, critical predicates say
 * where to look next.
 *
 * Three refinements of ours keep builds few. A change becomes a candidate only when a step that
 * belongs to it has another value in the good run, or none there; changes on steps that came out
 * alike wait. Changed lines of code are tried as soon as a cause has one, changes that are only
 * tied to a step by a name now and then. And predicates that the good run decided otherwise are
 * analysed before the rest. When no cause is left the waiting changes are added, then all that ran,
 * then all: some set always passes, and what was found without a cause is marked "tested". */
#include "base/file.h"
#include "explain/analysis.h"
#include "explain/changemap.h"
#include "explain/explain.h"
#include "explain/knobs.h"
#include "explain/witness.h"

typedef struct Pending {
    Predicate phi;
    size_t parent; /* node whose critical predicate it is */
    size_t order;  /* nearer to the failure first */
    bool done;
} Pending;

typedef struct After {
    ExplainWork *work;
    const ChangeSet *set;
    Witness witness;
    ChangeMap *map;
    Map changed; /* file, line -> 1 + whether it belongs to a change: for is_changed */
    Analysis *analysis;
    Predicate phi0;
    AuxFinder aux;
    VEC(Pending) pending;
    uint8_t *strong;   /* the best tier of each change on a step that came out otherwise; 0: none */
    uint8_t *weak;     /* on steps that came out alike: 1 */
    uint8_t *excluded; /* their revert only dodges */
    size_t tried[TIERS]; /* how many candidates up to a tier were tried last */
    Answer dodging;      /* the best of those */
} After;

/* ---- changes on steps ---- */

static bool is_changed(void *user, bool in_good, Str file, unsigned line) {
    After *a = user;
    Arena scratch = { 0 };
    char *key = arena_fmt(&scratch, "%d%u:" STR_FMT, in_good, line, STR_ARG(file));
    uint64_t *known = map_at(&a->changed, str_from(key));
    if (!*known) {
        uint8_t *found = ARENA_ARRAY(&scratch, uint8_t, a->set->changes.len + 1);
        *known = 1 + (changemap_find(a->map, in_good, file, line, found) != NO_CHANGE);
    }
    bool is = *known == 2;
    arena_release(&scratch);
    return is;
}

static Str keep(After *a, Str s) {
    return arena_str(&a->work->explanation->arena, s);
}

/* Whether the good run computed the very same here: then this step brings no difference in. */
static bool came_out_alike(const CauseStep *step) {
    return step->was.len && !step->differs;
}

static TreeStep tree_step(After *a, const CauseStep *step) {
    size_t n = a->set->changes.len, count = 0;
    Arena *arena = &a->work->explanation->arena;
    bool in_good = step->kind == CAUSE_MISSING;
    uint8_t *found = mem_alloc(n + 1);
    size_t surest = changemap_find(a->map, in_good, step->place.file, step->place.line, found);
    size_t *maybe = NULL;
    for (size_t c = 0; c < n; c++) count += found[c] != 0;
    if (count) maybe = ARENA_ARRAY(arena, size_t, count);
    count = 0;
    for (size_t c = 0; c < n; c++) {
        if (!found[c]) continue;
        maybe[count++] = c;
        if (!a->work->candidates[c] || a->excluded[c]) continue;
        if (came_out_alike(step))
            a->weak[c] = 1;
        else if (!a->strong[c] || found[c] < a->strong[c])
            a->strong[c] = found[c];
    }
    mem_free(found);
    return (TreeStep){ .file = keep(a, step->place.file),
                       .line = step->place.line,
                       .function = keep(a, step->place.function),
                       .text = keep(
                           a, changemap_text(a->map, in_good, step->place.file, step->place.line)),
                       .what = keep(a, step->what),
                       .now = keep(a, step->now),
                       .was = keep(a, step->was),
                       .change = surest,
                       .maybe = maybe,
                       .n_maybe = count,
                       .in_good = in_good,
                       .mark = step->proved ? MARK_PROVED : MARK_SUSPECTED };
}

/* A cause becomes a node; returns its number. */
static size_t add_node(After *a, const Cause *cause, size_t parent) {
    Explanation *e = a->work->explanation;
    TreeNode node = { .parent = parent,
                      .indirect = cause->phi.link == LINK_INDIRECT,
                      .edge = keep(a, cause->phi.text),
                      .edge_file = keep(a, cause->phi.place.file),
                      .edge_line = cause->phi.place.line,
                      .edge_now = keep(a, cause->phi.now),
                      .edge_was = keep(a, cause->phi.was),
                      .mark = cause->proved ? MARK_PROVED : MARK_SUSPECTED };
    for (size_t i = 0; i < cause->steps.len; i++)
        vec_push(&node.steps, tree_step(a, &cause->steps.at[i]));
    vec_push(&e->nodes, node);
    e->solver_s += cause->solver_s;
    e->cores += cause->core > 0;
    e->checked += cause->proved;
    oracle_counts(a->work->oracle)->causes++;
    return e->nodes.len - 1;
}

/* ---- the loop ---- */

static size_t count(const uint8_t *subset, size_t n) {
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += subset[i];
    return sum;
}

/* Higher is analysed earlier. */
static int urgency(const Pending *p) {
    if (p->phi.link == LINK_FAILURE) return 4;
    if (p->phi.differs) return 3;
    return p->phi.aligned ? 1 : 2;
}

static Pending *take(After *a) {
    Pending *best = NULL;
    for (size_t i = 0; i < a->pending.len; i++) {
        Pending *p = &a->pending.at[i];
        if (p->done) continue;
        if (!best || urgency(p) > urgency(best) ||
            (urgency(p) == urgency(best) && p->order < best->order))
            best = p;
    }
    if (best) best->done = true;
    return best;
}

static void push(After *a, const Predicate *phi, size_t parent) {
    vec_push(&a->pending, (Pending){ .phi = *phi, .parent = parent, .order = a->pending.len });
}

/* Does reverting the answer only keep the failing code from being reached? */
static bool dodges(After *a, const Answer *answer) {
    size_t n = a->set->changes.len;
    uint8_t *all = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) all[i] = answer->root[i] || answer->rest[i];
    bool reached = witness_reaches(&a->witness, a->work->subject, all, &a->phi0.place);
    mem_free(all);
    return !reached;
}

/* DynamicAnalysis of the candidates so far; true when the root is found. */
static bool try_candidates(After *a, const uint8_t *candidates, bool thorough) {
    size_t n = a->set->changes.len;
    Answer *answer = a->work->answer;
    oracle_counts(a->work->oracle)->left = count(candidates, n);
    search_dynamic(&a->aux, candidates, thorough, answer);
    if (!answer->found) return false;
    if (!a->analysis || oracle_stopped(a->work->oracle, NULL) || !dodges(a, answer)) return true;
    if (!a->dodging.found) {
        memcpy(a->dodging.root, answer->root, n);
        memcpy(a->dodging.rest, answer->rest, n);
        a->dodging.found = true;
    }
    for (size_t i = 0; i < n; i++)
        if (answer->root[i]) a->excluded[i] = 1, a->strong[i] = a->weak[i] = 0;
    answer->found = false;
    return false;
}

/* Tries the changes up to a tier, when there is one more than the last time. */
static bool try_tier(After *a, MapTier tier) {
    size_t n = a->set->changes.len;
    uint8_t *chosen = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) chosen[i] = a->strong[i] && a->strong[i] <= tier;
    size_t now = count(chosen, n);
    bool found = now > a->tried[tier] && try_candidates(a, chosen, false);
    a->tried[tier] = now;
    mem_free(chosen);
    return found;
}

/* Changed lines at once; names after 4, 16, 64, .. causes, and at the end. */
static bool try_all(After *a, size_t causes, bool last) {
    if (try_tier(a, TIER_LINE)) return true;
    bool power = causes >= 4 && (causes & (causes - 1)) == 0;
    if ((last || power) && try_tier(a, TIER_NAME)) return true;
    return (last || (power && causes >= 16)) && try_tier(a, TIER_NEAR);
}

static bool iterate(After *a) {
    size_t causes = 0;
    push(a, &a->phi0, NO_NODE);
    for (Pending *p; causes < CAUSES_MOST && (p = take(a));) {
        if (oracle_stopped(a->work->oracle, NULL)) return false;
        size_t parent = p->parent;
        Cause *cause = analysis_cause(a->analysis, &p->phi);
        size_t node = add_node(a, cause, parent);
        causes++;
        if (try_all(a, causes, false)) return true;
        PredicateVec more = { 0 };
        analysis_critical_predicates(a->analysis, cause, &more);
        for (size_t i = 0; i < more.len; i++) push(a, &more.at[i], node);
        vec_release(&more);
    }
    return try_all(a, causes, true);
}

/* ---- what ran ---- */

static bool span_ran(const Trace *trace, Str file, ChangeSpan span) {
    for (size_t l = span.line; l < span.line + span.len; l++)
        if (trace_executed(trace, file, (unsigned)l)) return true;
    return false;
}

/* Changes whose lines ran in either run (in the bad run alone: bad_only), and those that are no
 * code lines of their own. */
static void executed(After *a, bool bad_only, uint8_t *ran) {
    for (size_t i = 0; i < a->set->changes.len; i++) {
        const ChangeFile *file = &a->set->files.at[a->set->changes.at[i].file];
        ran[i] = 0;
        if (!a->work->candidates[i]) continue;
        if (file->bad_path)
            ran[i] |=
                span_ran(a->witness.bad, str_from(file->bad_path), change_bad_span(a->set, i));
        if (!bad_only && file->good_path && a->witness.good)
            ran[i] |=
                span_ran(a->witness.good, str_from(file->good_path), change_good_span(a->set, i));
    }
}

/* By reverting alone, from the likely to the sure. */
static void revert_alone(After *a) {
    size_t n = a->set->changes.len;
    uint8_t *chosen = mem_alloc(n + 1);
    bool found = false;
    if (a->analysis) {
        for (size_t i = 0; i < n; i++) chosen[i] = a->strong[i] || a->weak[i];
        found = count(chosen, n) && try_candidates(a, chosen, true);
        if (!found) {
            executed(a, false, chosen);
            for (size_t i = 0; i < n; i++)
                chosen[i] |= (a->strong[i] || a->weak[i]) && !a->excluded[i];
            found = count(chosen, n) && try_candidates(a, chosen, false);
        }
    }
    if (!found && a->dodging.found) {
        *a->work->answer = a->dodging;
        a->work->explanation->dodges = true;
        found = true;
    }
    if (!found) search_dynamic(&a->aux, a->work->candidates, true, a->work->answer);
    mem_free(chosen);
}

/* ---- set-up ---- */

static bool read_expectation(After *a, Expectation *expected, Error *err) {
    const char *path = a->work->request->expect;
    *expected = (Expectation){ 0 };
    if (!path) return true;
    expected->has_output = true;
    return file_read(&a->work->explanation->arena, path, &expected->output, err);
}

static bool set_up(After *a) {
    Explanation *e = a->work->explanation;
    if (a->work->request->no_trace) return false;
    if (!witness_make(&a->witness, a->work->subject)) {
        explanation_note(e, "no trace, so the answer comes from reverting alone: " STR_FMT,
                         STR_ARG(a->witness.why));
        return false;
    }
    const TraceInfo *info = trace_info(a->witness.bad);
    if (info->end == TRACE_END_LIMIT)
        explanation_note(e, "the trace reached its limit: what came behind it was not analysed");
    e->diverged = info->diverged;
    if (a->witness.good) e->diverged += trace_info(a->witness.good)->diverged;
    a->map = changemap_new(a->set);
    e->traced = true;
    return true;
}

static bool start_analysis(After *a) {
    Explanation *e = a->work->explanation;
    Expectation expected;
    Error err = { 0 };
    a->analysis = analysis_new(a->witness.bad, a->witness.good, is_changed, a);
    bool ok = read_expectation(a, &expected, &err) &&
              analysis_failure(a->analysis, &expected, &a->phi0, &err);
    if (!ok) {
        explanation_note(e, "no starting point for the analysis: %s", err.text);
        analysis_free(a->analysis);
        a->analysis = NULL;
        return false;
    }
    e->failure = keep(a, a->phi0.text);
    e->failure_file = keep(a, a->phi0.place.file);
    e->failure_line = a->phi0.place.line;
    return true;
}

static void init(After *a, ExplainWork *work) {
    Arena *arena = &work->explanation->arena;
    size_t n = work->subject->set->changes.len;
    *a = (After){ .work = work, .set = work->subject->set };
    a->strong = ARENA_ARRAY(arena, uint8_t, n + 1);
    a->weak = ARENA_ARRAY(arena, uint8_t, n + 1);
    a->excluded = ARENA_ARRAY(arena, uint8_t, n + 1);
    a->dodging.root = ARENA_ARRAY(arena, uint8_t, n + 1);
    a->dodging.rest = ARENA_ARRAY(arena, uint8_t, n + 1);
    aux_init(&a->aux, work->oracle);
}

static void release(After *a) {
    if (a->analysis) analysis_free(a->analysis);
    if (a->map) changemap_free(a->map);
    witness_release(&a->witness);
    map_release(&a->changed);
    vec_release(&a->pending);
    aux_release(&a->aux);
}

void after_run(ExplainWork *work) {
    After a;
    init(&a, work);
    bool found = set_up(&a) && start_analysis(&a) && iterate(&a);
    if (!found) revert_alone(&a);
    release(&a);
}

void add_run(ExplainWork *work) {
    After a;
    init(&a, work);
    size_t n = a.set->changes.len;
    uint8_t *ran = mem_alloc(n + 1), *rest = mem_alloc(n + 1);
    memcpy(ran, work->candidates, n);
    if (set_up(&a)) executed(&a, true, ran);
    /* dd needs a passing end: what is not covered but must go along for it to compile goes along.
     */
    if (aux_find(&a.aux, ran, true, rest))
        for (size_t i = 0; i < n; i++) ran[i] |= rest[i];
    search_dd(work->oracle, ran, work->answer);
    mem_free(ran);
    mem_free(rest);
    release(&a);
}

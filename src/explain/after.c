/* AFTER's Algorithm 1 (Yi, Yang, Liu, Zhao, Wang: A synergistic analysis method for explaining
 * failed regression tests, ICSE 2015): semantic analysis says what led to a condition of the
 * failing run, reverting says whether the changes among it are responsible, critical predicates say
 * where to look next.
 *
 * Refinements of ours keep builds few, and no single method is relied on. The dual slice of both
 * runs (dual.h) ranks the changes that can have introduced a difference. The first causes are
 * analysed, and the changes on steps that came out differently in the good run are tried: a few
 * builds, which suffice for a small program. Then one search over all changes takes over
 * (closed_search.h), with what is known by then as its suspicion: it ends with an answer whatever
 * the analysis thought, in about as many builds as delta debugging needs when the analysis is wrong
 * and in a handful when it is right. Only sets that are closed under "needs" are built. The causes
 * between the failure and the root are analysed once it is known, so that the solver only works on
 * that path; what was found without a cause is marked "tested".  */
#include "base/file.h"
#include "change/changemap.h"
#include "change/direct.h"
#include "explain/analysis.h"
#include "explain/early.h"
#include "explain/explain.h"
#include "explain/explain_knobs.h"
#include "explain/guide.h"
#include "explain/inside.h"
#include "explain/search/closed_search.h"
#include "explain/traced_pair.h"
#include "explain/within.h"
#include "trace/replay.h"

typedef struct Pending {
    Predicate phi;
    size_t parent; /* node whose critical predicate it is */
    size_t order;  /* nearer to the failure first */
    bool done;
} Pending;

typedef struct After {
    ExplainWork *work;
    const ChangeSet *set;
    TracedPair witness;
    ChangeMap *map;
    Map changed; /* file, line -> 1 + whether it belongs to a change: for is_changed */
    Analysis *analysis;
    Predicate phi0;
    Dual *duals[GUIDE_DUALS]; /* NULL without a good run */
    Guide guide;              /* empty without them */
    Map node_of;              /* step of a predicate -> node of its cause + 1 */
    AuxFinder aux;
    Needs *text;        /* what the text of the changes ties together */
    Needs *needs;       /* what sets are closed under: the same, or what no parser sees of it */
    const char *direct; /* builds sets without the user's makefiles; NULL */
    uint8_t *hard;      /* changes that need those */
    double *weight;     /* suspicion of each change, for the search over all */
    size_t builds;      /* made before the first candidate was tried */
    VEC(Pending) pending;
    uint8_t *strong; /* the best tier of each change on a step that came out differently; 0: none */
    uint8_t *weak;   /* on steps that came out the same: 1 */
    uint8_t *excluded;    /* their revert only dodges */
    uint8_t *early;       /* passes, by the search before anything was recorded; NULL: none did */
    double path_solver_s; /* spent in the solver on the way to roots, */
    double path_most_s;   /* of so many */
    size_t tried[TIERS];  /* how many candidates of each tier were tried last */
    Answer dodging;       /* the best of those */
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

/* Whether the good run computed exactly the same here: then this step introduces no difference. */
static bool came_out_alike(const CauseStep *step) {
    return step->was.len && !step->differs;
}

/* Changes on the steps of a cause become candidates, as certain as the step is. */
static void suspect(After *a, const Cause *cause) {
    size_t n = a->set->changes.len;
    uint8_t *found = mem_alloc(n + 1);
    for (size_t i = 0; i < cause->steps.len; i++) {
        const CauseStep *step = &cause->steps.at[i];
        memset(found, 0, n);
        changemap_find(a->map, step->kind == CAUSE_MISSING, step->place.file, step->place.line,
                       found);
        for (size_t c = 0; c < n; c++) {
            if (!found[c] || !a->work->candidates[c] || a->excluded[c]) continue;
            if (came_out_alike(step))
                a->weak[c] = 1;
            else if (!a->strong[c] || found[c] < a->strong[c])
                a->strong[c] = found[c];
        }
    }
    mem_free(found);
}

/* ---- the tree ---- */

/* All changes that a step may depend on, in the arena of the explanation; returns the most certain
 * one with a line of its own there: a name alone does not make it this change's line, unless it
 * turns out to be a root. */
static size_t changes_at(After *a, const CauseStep *step, TreeStep *told) {
    size_t n = a->set->changes.len, count = 0;
    uint8_t *found = mem_alloc(n + 1);
    size_t surest = changemap_find(a->map, step->kind == CAUSE_MISSING, step->place.file,
                                   step->place.line, found);
    if (surest != NO_CHANGE && found[surest] != TIER_LINE) surest = NO_CHANGE;
    for (size_t c = 0; c < n; c++) count += found[c] != 0;
    size_t *list = count ? ARENA_ARRAY(&a->work->explanation->arena, size_t, count) : NULL;
    uint8_t *tiers = count ? ARENA_ARRAY(&a->work->explanation->arena, uint8_t, count) : NULL;
    told->maybe = list;
    told->maybe_tier = tiers;
    told->n_maybe = count;
    for (size_t c = 0; c < n; c++)
        if (found[c]) *list++ = c, *tiers++ = found[c];
    mem_free(found);
    return surest;
}

static TreeStep tree_step(After *a, const CauseStep *step) {
    bool in_good = step->kind == CAUSE_MISSING;
    TreeStep told = { .file = keep(a, step->place.file),
                      .line = step->place.line,
                      .function = keep(a, step->place.function),
                      .text = keep(
                          a, changemap_text(a->map, in_good, step->place.file, step->place.line)),
                      .what = keep(a, step->what),
                      .now = keep(a, step->now),
                      .was = keep(a, step->was),
                      .in_good = in_good,
                      .differs = step->differs,
                      .when = step->when,
                      .argument = step->argument,
                      .mark = step->proved ? MARK_PROVED : MARK_SUSPECTED };
    told.change = changes_at(a, step, &told);
    return told;
}

/* A cause becomes a node; returns its number. */
static size_t add_node(After *a, const Cause *cause, size_t parent) {
    Explanation *e = a->work->explanation;
    ExplainNode node = { .parent = parent,
                         .indirect = cause->phi.link == LINK_INDIRECT,
                         .edge = keep(a, cause->phi.text),
                         .edge_file = keep(a, cause->phi.place.file),
                         .edge_line = cause->phi.place.line,
                         .edge_when = cause->phi.step,
                         .edge_now = keep(a, cause->phi.now),
                         .edge_was = keep(a, cause->phi.was),
                         .mark = cause->proved ? MARK_PROVED : MARK_SUSPECTED };
    for (size_t i = 0; i < cause->steps.len; i++)
        vec_push(&node.steps, tree_step(a, &cause->steps.at[i]));
    vec_push(&e->nodes, node);
    e->solver_s += cause->solver_s;
    e->cores += cause->core > 0;
    e->checked += cause->proved;
    uint64_t at = cause->phi.step;
    map_put(&a->node_of, map_key_u64(&at), e->nodes.len);
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

static void dump_phase(const After *a, const char *what) {
    if (a->work->request->dump_search) oracle_say("%s", what);
}

/* Does reverting the answer only keep the failing code from being reached? */
static bool dodges(After *a, const Answer *answer) {
    size_t n = a->set->changes.len;
    uint8_t *all = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) all[i] = answer->root[i] || answer->rest[i];
    bool reached = traced_pair_reaches(&a->witness, a->work->subject, all, &a->phi0.place);
    dump_phase(a, reached ? "it does not dodge" : "it only dodges");
    mem_free(all);
    return !reached;
}

/* Whether the answer of a search stands; one that only dodges is set aside. */
static bool accept(After *a) {
    size_t n = a->set->changes.len;
    Answer *answer = a->work->answer;
    if (!answer->found) return false;
    /* Where it is a guess that the failure comes from there, nothing is known of dodging it. */
    bool known = a->analysis && !a->phi0.guessed && !oracle_stopped(a->work->oracle, NULL);
    if (!known || !dodges(a, answer)) return true;
    if (!a->dodging.found) {
        memcpy(a->dodging.root, answer->root, n);
        memcpy(a->dodging.rest, answer->rest, n);
        memcpy(a->dodging.blend, answer->blend, n * sizeof *answer->blend);
        a->dodging.found = true;
        a->dodging.apart = answer->apart;
    }
    for (size_t i = 0; i < n; i++)
        if (answer->root[i]) a->excluded[i] = 1, a->strong[i] = a->weak[i] = 0;
    answer->found = false;
    return false;
}

/* DynamicAnalysis of the candidates so far, as long as their builds are few; true when the root is
 * found. */
static bool try_candidates(After *a, const uint8_t *candidates) {
    OracleCounts *counts = oracle_counts(a->work->oracle);
    size_t n = a->set->changes.len;
    if (counts->builds >= a->builds + GUIDED_BUILDS) return false;
    uint8_t *all = mem_alloc(n + 1);
    memcpy(all, candidates, n);
    counts->left = count(all, n);
    bool passes = closed_ask(&a->aux, a->needs, all) == OUTCOME_PASSES;
    mem_free(all);
    if (!passes) return false;
    ClosedSearch search = { .aux = &a->aux,
                            .needs = a->needs,
                            .weight = a->weight,
                            .used = candidates,
                            .set = a->work->set };
    closed_search(&search, a->work->answer);
    return accept(a);
}

/* Tries the changes up to a tier, if there are more than last time. */
static bool try_tier(After *a, MapTier tier) {
    size_t n = a->set->changes.len;
    uint8_t *chosen = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) chosen[i] = a->strong[i] && a->strong[i] <= tier;
    size_t now = count(chosen, n);
    bool found = now > a->tried[tier] && try_candidates(a, chosen);
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

/* --dump=search */
static void dump_cause(After *a, const Cause *cause) {
    if (!a->work->request->dump_search) return;
    const Place *p = &cause->phi.place;
    oracle_say("cause of " STR_FMT ":%u (" STR_FMT "): %u constraints, %u in the core, %.1f s, %s",
               STR_ARG(p->file), p->line, STR_ARG(cause->phi.text), cause->constraints, cause->core,
               cause->solver_s, cause->proved ? "proved" : cause->doubt);
}

/* The first nodes of a slice: "bad / good", a star where a difference comes in. */
static void dump_nodes(const Dual *d) {
    for (size_t i = 0; d && i < d->order.len && i < DUAL_DUMPED; i++) {
        const DualNode *n = &d->nodes.at[d->order.at[i]];
        Place bad = { 0 }, good = { 0 };
        if (n->bad != STEP_NONE) bad = trace_place(d->bad, n->bad);
        if (n->good != STEP_NONE) good = trace_place(d->good, n->good);
        oracle_say("node %u of %u: " STR_FMT ":%u / " STR_FMT ":%u%s", d->order.at[i], n->via,
                   STR_ARG(bad.file), bad.line, STR_ARG(good.file), good.line,
                   n->source ? " *" : "");
    }
}

static void dump_ranked(After *a) {
    Arena scratch = { 0 };
    if (!a->work->request->dump_search) return;
    Buf line = { 0 };
    for (size_t i = 0; i < a->guide.ranked.len && i < 20; i++)
        buf_fmt(&line, " %s", change_place(&scratch, a->set, a->guide.ranked.at[i]));
    oracle_say("ranked %zu of %zu changes (%zu sure), %zu nodes in the dual slice:" STR_FMT,
               a->guide.ranked.len, a->set->changes.len, a->guide.sure,
               a->duals[0] ? a->duals[0]->nodes.len : 0, STR_ARG(buf_view(&line)));
    dump_nodes(a->duals[0]);
    buf_release(&line);
    arena_release(&scratch);
}

/* Algorithm 1 until the root is found, no predicate is left, or the given amount was spent. */
static bool iterate(After *a, size_t causes_most, double solver_s) {
    size_t causes = oracle_counts(a->work->oracle)->causes;
    double spent = a->work->explanation->solver_s;
    for (Pending *p; causes < causes_most && (p = take(a));) {
        if (oracle_stopped(a->work->oracle, NULL)) return false;
        size_t parent = p->parent;
        Cause *cause = analysis_cause(a->analysis, &p->phi);
        size_t node = add_node(a, cause, parent);
        suspect(a, cause);
        causes++;
        dump_cause(a, cause);
        if (try_all(a, causes, false)) return true;
        PredicateVec more = { 0 };
        analysis_critical_predicates(a->analysis, cause, &more);
        for (size_t i = 0; i < more.len; i++) push(a, &more.at[i], node);
        vec_release(&more);
        if (a->work->explanation->solver_s - spent > solver_s) break;
    }
    return try_all(a, causes, true);
}

/* ---- by the dual slice ---- */

/* Steps between two causes, the latest first, go before the steps of the node they lead to. */
static void add_passed(After *a, size_t to, const CauseStep *passed, size_t len) {
    ExplainNode *node = &a->work->explanation->nodes.at[to];
    typeof(node->steps) steps = { 0 };
    for (size_t i = len; i-- > 0;) {
        const CauseStep *step = &passed[i];
        bool in_good = step->kind == CAUSE_MISSING, known = !step->place.line;
        TreeStep told = tree_step(a, step);
        for (size_t k = 0; !known && k < steps.len; k++)
            known = steps.at[k].line == step->place.line && steps.at[k].in_good == in_good;
        for (size_t k = 0; !known && k < node->steps.len; k++) {
            TreeStep *own = &node->steps.at[k];
            known = own->line == step->place.line && own->in_good == in_good;
            /* The value that came out otherwise is the one to see. */
            if (known && step->differs && str_eq(own->now, own->was)) *own = told;
        }
        if (!known) vec_push(&steps, told);
    }
    for (size_t k = 0; k < node->steps.len; k++) vec_push(&steps, node->steps.at[k]);
    node = &a->work->explanation->nodes.at[to];
    vec_release(&node->steps);
    node->steps = steps;
}

/* The node of a predicate's cause, which is analysed now if it was not before and there is time. */
static size_t node_for(After *a, const Predicate *phi, size_t parent) {
    uint64_t at = phi->step, known;
    if (map_get(&a->node_of, map_key_u64(&at), &known)) return known - 1;
    Cause bare = { .phi = *phi };
    double left = a->path_most_s - a->path_solver_s;
    bool solve = left > 0 && !oracle_stopped(a->work->oracle, NULL);
    analysis_limit(a->analysis, left);
    Cause *cause = solve ? analysis_cause(a->analysis, phi) : &bare;
    a->path_solver_s += cause->solver_s;
    if (solve) dump_cause(a, cause);
    return add_node(a, cause, parent);
}

static bool is_branch(const Trace *t, Step s) {
    return trace_inst(t, s)->op == OP_CONDBR || trace_inst(t, s)->op == OP_SWITCH;
}

/* Why the change itself came out as it did: the cause of its own branch, or of the branch that led
 * to its step, where that is part of it. */
static void tell_change(After *a, size_t change, const DualNode *end, size_t at) {
    const Trace *t = a->witness.bad;
    Step s = end->bad;
    if (s != STEP_NONE && !is_branch(t, s)) s = inside_controller(t, s);
    if (s == STEP_NONE) return;
    Predicate phi = analysis_branch(a->analysis, s, LINK_DIRECT);
    ChangeSpan span = change_bad_span(a->set, change);
    if (!str_eq(phi.place.file, change_path(a->set, change))) return;
    if (phi.place.line >= span.line && phi.place.line < span.line + span.len) node_for(a, &phi, at);
}

typedef VEC(CauseStep) CauseSteps;

/* The search and the slice stop at new code; which of its lines led on is told as well. */
static void pass_within(After *a, Step bad, CauseSteps *passed) {
    WithinSteps steps = { 0 };
    within_new_code(a->analysis, bad, &steps);
    for (size_t i = 0; i < steps.len; i++)
        vec_push(passed, analysis_step(a->analysis, steps.at[i], STEP_NONE));
    vec_release(&steps);
}

/* The tree between the failure and a change: a cause for each branch on the way that the good run
 * decided differently, and the steps between. Returns the node that is nearest to the change;
 * NO_NODE: there is no way to it. */
static size_t tell_path(After *a, size_t change) {
    GuidePath path = { 0 };
    CauseSteps passed = { 0 };
    guide_path(&a->guide, change, &path);
    const Dual *dual = a->duals[a->guide.dual.at[change]];
    size_t at = path.len ? node_for(a, &a->phi0, NO_NODE) : NO_NODE;
    PredicateLink link = LINK_DIRECT;
    for (size_t i = 0; i < path.len; i++) {
        const DualNode *n = &dual->nodes.at[path.at[i]];
        if (n->bad == STEP_NONE) link = LINK_INDIRECT;
        bool single = n->bad == STEP_NONE || n->good == STEP_NONE;
        if (single || !is_branch(a->witness.bad, n->bad)) {
            CauseStep step = analysis_step(a->analysis, n->bad, n->good);
            /* Of the branches that lead to a step of only one run, those that are new. */
            bool leads = single && is_branch(n->bad == STEP_NONE ? a->witness.good : a->witness.bad,
                                             n->bad == STEP_NONE ? n->good : n->bad);
            if (!leads || step.changed) vec_push(&passed, step);
            if (n->good == STEP_NONE) pass_within(a, n->bad, &passed);
            continue;
        }
        Predicate phi = analysis_branch(a->analysis, n->bad, link);
        add_passed(a, at, passed.at, passed.len);
        vec_clear(&passed);
        at = node_for(a, &phi, at);
        link = LINK_DIRECT;
    }
    if (path.len) {
        add_passed(a, at, passed.at, passed.len);
        tell_change(a, change, &dual->nodes.at[vec_last(&path)], at);
    }
    vec_release(&passed);
    vec_release(&path);
    return at;
}

/* The most suspected change to which there is a way, in the function of another one or else in its
 * file; NO_CHANGE: none. */
static size_t told_near(const After *a, size_t change) {
    const size_t *function = a->needs->function;
    for (int wide = 0; wide < 2; wide++)
        for (size_t i = 0; i < a->guide.ranked.len; i++) {
            size_t c = a->guide.ranked.at[i];
            bool near = wide ? a->set->changes.at[c].file == a->set->changes.at[change].file
                             : function[c] && function[c] == function[change];
            if (near && c != change && a->guide.node.at[c] != DUAL_NONE) return c;
        }
    return NO_CHANGE;
}

/* A root that was found by reverting alone: how what stands near it led to the failure says more
 * than nothing. */
static void tell_beside(After *a, size_t root) {
    size_t near = told_near(a, root), at = near == NO_CHANGE ? NO_NODE : tell_path(a, near);
    if (at != NO_NODE) a->work->explanation->beside[root] = at;
}

/* Whether a step shows the change at work: one of the bad run, where it has code there. */
static bool is_told(const After *a, size_t change) {
    bool removed = !change_bad_span(a->set, change).len;
    const Explanation *e = a->work->explanation;
    for (size_t i = 0; i < e->nodes.len; i++)
        for (size_t k = 0; k < e->nodes.at[i].steps.len; k++)
            if (e->nodes.at[i].steps.at[k].change == change &&
                (removed || !e->nodes.at[i].steps.at[k].in_good))
                return true;
    return false;
}

/* Proofs of the path are not worth much more than finding the root was. */
static void tell_roots(After *a) {
    a->path_most_s = PATH_SOLVER_SHARE * oracle_cpu();
    if (a->path_most_s < PATH_SOLVER_LEAST_S) a->path_most_s = PATH_SOLVER_LEAST_S;
    if (a->path_most_s > PATH_SOLVER_S) a->path_most_s = PATH_SOLVER_S;
    for (size_t c = 0; c < a->guide.node.len; c++)
        if (a->work->answer->root[c] && !is_told(a, c) && tell_path(a, c) == NO_NODE)
            tell_beside(a, c);
}

/* ---- what ran ---- */

static bool span_ran(const Trace *trace, Str file, ChangeSpan span) {
    for (size_t l = span.line; l < span.line + span.len; l++)
        if (trace_executed(trace, file, (unsigned)l)) return true;
    return false;
}

/* Changes whose lines ran in either run (bad_only: in the bad run), and those that are not code
 * lines themselves. */
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

/* ---- the search over all ---- */

static bool is_code(const ChangeSet *set, size_t change) {
    const ChangeFile *file = &set->files.at[set->changes.at[change].file];
    Str path = change_path(set, change);
    return file->is_c && !str_ends(path, ".h");
}

/* What is known by now, as suspicion. */
static void weigh(After *a) {
    size_t n = a->set->changes.len;
    uint8_t *ran = mem_alloc(n + 1);
    if (a->analysis) executed(a, false, ran);
    for (size_t c = 0; c < n; c++) {
        bool idle = is_code(a->set, c) && a->analysis && !ran[c];
        a->weight[c] = ran[c] ? WEIGHT_RAN : idle ? WEIGHT_IDLE : WEIGHT_OTHER;
        if (a->strong[c]) a->weight[c] = 1;
    }
    for (size_t i = 0; i < a->guide.ranked.len; i++) {
        double rank = (double)i + 1, most = i < a->guide.sure ? WEIGHT_SURE : WEIGHT_RANKED;
        size_t c = a->guide.ranked.at[i];
        if (most / rank > a->weight[c]) a->weight[c] = most / rank;
    }
    mem_free(ran);
}

/* Until an answer stands; what only dodges is set aside, and the rest searched again. */
static void search_all(After *a) {
    size_t n = a->set->changes.len;
    uint8_t *used = mem_alloc(n + 1);
    bool found = false, dodged = true;
    weigh(a);
    for (int i = 0; i < DODGES_MOST && dodged && !found; i++) {
        for (size_t c = 0; c < n; c++) used[c] = a->work->candidates[c] && !a->excluded[c];
        ClosedSearch search = { .aux = &a->aux,
                                .needs = a->needs,
                                .weight = a->weight,
                                .used = used,
                                .direct = a->direct,
                                .hard = a->hard,
                                .set = a->work->set,
                                .known = i ? NULL : a->early };
        closed_search(&search, a->work->answer);
        dodged = a->work->answer->found;
        found = accept(a);
    }
    if (!found && a->dodging.found) {
        *a->work->answer = a->dodging;
        for (size_t c = 0; c < n; c++)
            if (a->set->changes.at[c].kind == CHANGE_LINES)
                changeset_blend(a->work->set, c, a->dodging.blend[c]);
        a->work->explanation->dodges = true;
    }
    mem_free(used);
}

/* ---- a second answer ---- */

static size_t answer_size(const Answer *answer, size_t n) {
    return count(answer->root, n) + count(answer->rest, n);
}

/* Which of two answers is given and which is named beside it: the smaller one, else the one that
 * the analysis suspects more, which was found first. */
static void settle_other(After *a, Answer *other) {
    size_t n = a->set->changes.len;
    Answer *answer = a->work->answer;
    bool ended = other->apart, few = answer_size(other, n) <= OTHER_MOST;
    if (!ended && !few) return;
    const Answer *lesser = ended && answer_size(other, n) < answer_size(answer, n) ? answer : other;
    uint8_t *named = a->work->explanation->other;
    for (size_t c = 0; c < n; c++) named[c] = lesser->root[c] || lesser->rest[c];
    if (lesser == other) return;
    memcpy(answer->root, other->root, n);
    memcpy(answer->rest, other->rest, n);
}

static bool is_in_part(const After *a) {
    for (size_t c = 0; c < a->set->changes.len; c++)
        if (a->set->changes.at[c].blend.at) return true;
    return false;
}

/* Looks for one where that costs little beside what was spent. */
static void search_other(After *a) {
    size_t n = a->set->changes.len;
    Oracle *oracle = a->work->oracle;
    double most = OTHER_SHARE * oracle_cpu();
    if (!a->work->answer->apart || oracle_stopped(oracle, NULL) || is_in_part(a)) return;
    if (oracle_build_cpu(oracle) > most) return;
    Arena *arena = &a->work->explanation->arena;
    Answer other = { .root = ARENA_ARRAY(arena, uint8_t, n + 1),
                     .rest = ARENA_ARRAY(arena, uint8_t, n + 1) };
    ClosedSearch search = {
        .aux = &a->aux, .needs = a->needs, .weight = a->weight, .used = a->work->candidates
    };
    oracle_pause_at(oracle, oracle_cpu() + most);
    closed_other(&search, a->work->answer, &other);
    oracle_pause_at(oracle, 0);
    if (other.found) settle_other(a, &other);
    dump_phase(a, other.found ? "there is another answer" : "no other answer is seen");
}

/* ---- set-up ---- */

/* Whether all of it came out of the test as well. */
static bool is_shown(Str written, Str test) {
    return written.len && str_find(test, written, 0) != STR_NONE;
}

static bool read_expectation(After *a, Expectation *expected, Error *err) {
    const char *path = a->work->request->expect;
    const TraceInfo *info = trace_info(a->witness.bad);
    const RunResult *test = &a->witness.bad_build.test;
    *expected = (Expectation){ .output_shown = is_shown(info->first_bytes, test->out),
                               .error_shown = is_shown(info->error_bytes, test->err) };
    if (!path) return true;
    expected->has_output = true;
    return file_read(&a->work->explanation->arena, path, &expected->output, err);
}

static void prepare_direct(After *a) {
    Arena *arena = &a->work->explanation->arena;
    bool varies = !a->witness.fit || fit_varies(a->witness.fit);
    if (!a->witness.direct) {
        if (a->witness.no_direct)
            dump_phase(a,
                       arena_fmt(arena, "no builds without makefiles: %s", a->witness.no_direct));
        return;
    }
    a->direct = arena_fmt(arena, "make -s -f %s", a->witness.direct);
    for (size_t c = 0; c < a->set->changes.len; c++)
        a->hard[c] = direct_is_blind(a->set, c, varies);
}

static bool stopped(void *user) {
    After *a = user;
    return oracle_stopped(a->work->oracle, NULL);
}

static bool set_up(After *a) {
    Explanation *e = a->work->explanation;
    if (a->work->request->no_trace) return false;
    dump_phase(a, "tracing begins");
    bool traced = traced_pair_make(&a->witness, a->work->subject, (TraceStop){ stopped, a });
    dump_phase(a, "both versions are traced");
    oracle_use_fit(a->work->oracle, a->witness.fit);
    /* What the text ties together is more than what must go together. */
    if (a->witness.fit) a->needs = needs_unparsed(a->text);
    prepare_direct(a);
    if (!traced) {
        explanation_note(e, "no trace, so the answer comes from reverting alone: " STR_FMT,
                         STR_ARG(a->witness.why));
        return false;
    }
    const TraceInfo *info = trace_info(a->witness.bad);
    if (info->end == TRACE_END_LIMIT)
        explanation_note(e, "the trace reached its limit: what came after it was not analysed");
    e->diverged = info->diverged;
    if (a->witness.good) e->diverged += trace_info(a->witness.good)->diverged;
    a->map = changemap_new(a->set);
    e->traced = true;
    return true;
}

static void close_analysis(After *a) {
    guide_release(&a->guide);
    a->guide = (Guide){ 0 };
    for (int i = 0; i < GUIDE_DUALS; i++) {
        if (a->duals[i]) dual_free(a->duals[i]);
        a->duals[i] = NULL;
    }
    if (a->analysis) analysis_free(a->analysis);
    a->analysis = NULL;
}

/* The failure of the process whose traces are open, and its slices. */
static bool open_analysis(After *a, Error *err) {
    Expectation expected;
    a->analysis = analysis_new(a->witness.bad, a->witness.good, is_changed, a);
    if (!read_expectation(a, &expected, err) ||
        !analysis_failure(a->analysis, &expected, &a->phi0, err)) {
        close_analysis(a);
        return false;
    }
    for (int i = 0; i < GUIDE_DUALS; i++)
        a->duals[i] = analysis_dual(a->analysis, &expected, i ? ALIGN_COMMON : ALIGN_IN_STEP,
                                    i == GUIDE_WIDE);
    if (a->duals[0]) guide_make(&a->guide, a->duals, a->map, a->set, a->work->candidates);
    return true;
}

/* Whether what the process read was something else, as far as its slice tells. */
static bool reads_otherwise(const After *a) {
    const Dual *d = a->duals[0];
    for (size_t i = 0; d && i < d->nodes.len; i++) {
        const DualNode *n = &d->nodes.at[i];
        if (!n->source || n->bad == STEP_NONE || n->good == STEP_NONE) continue;
        const Inst *bad = trace_inst(d->bad, n->bad), *good = trace_inst(d->good, n->good);
        if (libc_is(bad->libc, LIBC_INPUT) && bad->libc == good->libc) return true;
    }
    return false;
}

/* The process that was chosen. Where its slice ends at something that it read, the first of those
 * that wrote something different to files before it; where it leads to no change at all, the first
 * of all others that does. */
static bool open_process(After *a, Error *err) {
    bool ok = open_analysis(a, err), others = false;
    bool sure = a->guide.sure, reads = ok && reads_otherwise(a);
    for (size_t i = 1; i < a->witness.choices.len; i++) {
        if (sure && !(reads && a->witness.choices.at[i].feeds)) continue;
        close_analysis(a);
        others = true;
        ok = traced_pair_open(&a->witness, i, err) && open_analysis(a, err);
        if (a->guide.sure) return ok;
    }
    if (!others) return ok;
    close_analysis(a);
    return traced_pair_open(&a->witness, 0, err) && open_analysis(a, err);
}

/* What failed; and whose it was, where several processes of the test came out differently. */
static Str told_failure(After *a) {
    const TraceInfo *info = trace_info(a->witness.bad);
    Arena *arena = &a->work->explanation->arena;
    if (a->witness.choices.len < 2 || !info->program.len) return keep(a, a->phi0.text);
    return str_from(arena_fmt(arena, STR_FMT " (in %s%s)", STR_ARG(a->phi0.text),
                              info->parent ? "a child of " : "",
                              file_name(arena_cstr(arena, info->program))));
}

static bool start_analysis(After *a) {
    Explanation *e = a->work->explanation;
    Error err = { 0 };
    if (!open_process(a, &err)) {
        explanation_note(e, "no starting point for the analysis: %s", err.text);
        return false;
    }
    analysis_stop_when(a->analysis, stopped, a);
    push(a, &a->phi0, NO_NODE);
    e->failure = told_failure(a);
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
    a->dodging.blend = ARENA_ARRAY(arena, Str, n + 1);
    a->weight = ARENA_ARRAY(arena, double, n + 1);
    a->hard = ARENA_ARRAY(arena, uint8_t, n + 1);
    for (size_t c = 0; c < n; c++) a->weight[c] = 1;
    a->needs = a->text = needs_new(a->set);
    needs_stay_within(a->needs, work->candidates);
    a->builds = oracle_counts(work->oracle)->builds;
    aux_init(&a->aux, work->oracle);
}

static void search_early(After *a) {
    ClosedSearch search = {
        .aux = &a->aux, .needs = a->text, .weight = a->weight, .used = a->work->candidates
    };
    uint8_t *best = ARENA_ARRAY(&a->work->explanation->arena, uint8_t, a->set->changes.len + 1);
    if (!a->work->request->no_trace && early_search(&search, a->work->subject, best))
        a->early = best;
}

static void release(After *a) {
    oracle_use_fit(a->work->oracle, NULL);
    oracle_end_direct(a->work->oracle);
    close_analysis(a);
    map_release(&a->node_of);
    if (a->map) changemap_free(a->map);
    traced_pair_release(&a->witness);
    map_release(&a->changed);
    vec_release(&a->pending);
    aux_release(&a->aux);
    if (a->needs != a->text) needs_free(a->needs);
    needs_free(a->text);
}

void after_run(ExplainWork *work) {
    After a;
    init(&a, work);
    bool found = false;
    search_early(&a);
    if (set_up(&a) && start_analysis(&a)) {
        dump_ranked(&a);
        weigh(&a);
        /* What the slice is sure of is tried by the search itself: its causes can wait until it is
         * known which of them led to the root. */
        if (!a.guide.ranked.len) found = iterate(&a, CAUSES_FIRST, SOLVER_FIRST_S);
    }
    dump_phase(&a, found ? "the first causes led to it" : "the search over all changes begins");
    if (!found) search_all(&a);
    dump_phase(&a, "the search ends");
    if (work->answer->found) search_other(&a);
    if (a.analysis && work->answer->found) tell_roots(&a);
    dump_phase(&a, "the chain is written");
    release(&a);
}

void add_run(ExplainWork *work) {
    After a;
    init(&a, work);
    size_t n = a.set->changes.len;
    uint8_t *ran = mem_alloc(n + 1), *rest = mem_alloc(n + 1);
    memcpy(ran, work->candidates, n);
    if (set_up(&a)) executed(&a, true, ran);
    /* dd needs a passing end: what is not covered but needed to compile is included. */
    if (aux_find(&a.aux, ran, true, rest))
        for (size_t i = 0; i < n; i++) ran[i] |= rest[i];
    search_dd(work->oracle, ran, work->answer);
    mem_free(ran);
    mem_free(rest);
    release(&a);
}

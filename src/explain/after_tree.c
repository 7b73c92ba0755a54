/* The tree of AFTER (after.c): causes as nodes, and the way from a root to the failure, told once
 * the root is known.
 *
 * A node is a cause with its steps; the way is that of the dual slice, with a cause for each branch
 * on it that the good run decided differently. Where nothing led to a root it is told beside what
 * did, in its function or its file. */
#include "explain/after_inside.h"
#include "explain/explain_knobs.h"
#include "explain/inside.h"
#include "explain/within.h"
#include "trace/replay.h"

Str after_keep(After *a, Str s) {
    return arena_str(&a->work->explanation->arena, s);
}

/* --dump=search */
void after_dump_cause(After *a, const Cause *cause) {
    if (!a->work->request->dump_search) return;
    const Place *p = &cause->phi.place;
    oracle_say("cause of " STR_FMT ":%u (" STR_FMT "): %u constraints, %u in the core, %.1f s, %s",
               STR_ARG(p->file), p->line, STR_ARG(cause->phi.text), cause->constraints, cause->core,
               cause->solver_s, cause->proved ? "proved" : cause->doubt);
}

/* ---- nodes ---- */

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
    TreeStep told = { .file = after_keep(a, step->place.file),
                      .line = step->place.line,
                      .function = after_keep(a, step->place.function),
                      .text = after_keep(
                          a, changemap_text(a->map, in_good, step->place.file, step->place.line)),
                      .what = after_keep(a, step->what),
                      .now = after_keep(a, step->now),
                      .was = after_keep(a, step->was),
                      .in_good = in_good,
                      .differs = step->differs,
                      .when = step->when,
                      .argument = step->argument,
                      .mark = step->proved ? MARK_PROVED : MARK_SUSPECTED };
    told.change = changes_at(a, step, &told);
    return told;
}

/* A cause becomes a node; returns its number. */
size_t after_add_node(After *a, const Cause *cause, size_t parent) {
    Explanation *e = a->work->explanation;
    ExplainNode node = { .parent = parent,
                         .indirect = cause->phi.link == LINK_INDIRECT,
                         .edge = after_keep(a, cause->phi.text),
                         .edge_file = after_keep(a, cause->phi.place.file),
                         .edge_line = cause->phi.place.line,
                         .edge_when = cause->phi.step,
                         .edge_now = after_keep(a, cause->phi.now),
                         .edge_was = after_keep(a, cause->phi.was),
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

/* ---- the way from a root ---- */

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
    if (solve) after_dump_cause(a, cause);
    /* A core of which next to nothing could be left out is the whole run, and tells nothing. */
    if (!cause->proved && cause->core > PATH_CORE_MOST) {
        bare.solver_s = cause->solver_s;
        cause = &bare;
    }
    return after_add_node(a, cause, parent);
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
void after_tell_roots(After *a) {
    a->path_most_s = PATH_SOLVER_SHARE * oracle_cpu();
    if (a->path_most_s < PATH_SOLVER_LEAST_S) a->path_most_s = PATH_SOLVER_LEAST_S;
    if (a->path_most_s > PATH_SOLVER_S) a->path_most_s = PATH_SOLVER_S;
    for (size_t c = 0; c < a->guide.node.len; c++)
        if (a->work->answer->root[c] && !is_told(a, c) && tell_path(a, c) == NO_NODE)
            tell_beside(a, c);
}

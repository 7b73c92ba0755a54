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
#include "change/direct.h"
#include "explain/after_inside.h"
#include "explain/early.h"
#include "explain/explain_knobs.h"
#include "trace/replay.h"

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
        size_t node = after_add_node(a, cause, parent);
        suspect(a, cause);
        causes++;
        after_dump_cause(a, cause);
        if (try_all(a, causes, false)) return true;
        PredicateVec more = { 0 };
        analysis_critical_predicates(a->analysis, cause, &more);
        for (size_t i = 0; i < more.len; i++) push(a, &more.at[i], node);
        vec_release(&more);
        if (a->work->explanation->solver_s - spent > solver_s) break;
    }
    return try_all(a, causes, true);
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
    if (a->witness.choices.len < 2 || !info->program.len) return after_keep(a, a->phi0.text);
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
    e->failure_file = after_keep(a, a->phi0.place.file);
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
    if (a.analysis && work->answer->found) after_tell_roots(&a);
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

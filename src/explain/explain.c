/* The steps of explain; see explain.h. */
#include "explain/explain.h"
#include "base/file.h"
#include "base/quantity.h"

/* ---- what may matter ---- */

static bool is_suspect(const ChangeSet *set, size_t change, const StrVec *suspects) {
    if (!suspects || !suspects->len) return true;
    Str path = change_path(set, change);
    for (size_t i = 0; i < suspects->len; i++) {
        Str s = suspects->at[i];
        if (str_eq(path, s)) return true;
        if (str_ends(path, s.at) && path.at[path.len - s.len - 1] == '/') return true;
        if (s.len > path.len && str_ends(s, path.at) && s.at[s.len - path.len - 1] == '/')
            return true;
    }
    return false;
}

/* Reverting the chosen changes passes: then no other one is needed. */
static bool suffices(ExplainWork *work, const uint8_t *chosen) {
    return oracle_ask(work->oracle, chosen) == OUTCOME_PASSES;
}

/* Idle changes cannot matter to a compiler; changes outside the suspects are left out where that is
 * enough. Returns whether some were left out. */
static bool choose_candidates(ExplainWork *work, uint8_t *chosen) {
    const ChangeSet *set = work->subject->set;
    size_t n = set->changes.len, left = 0;
    const StrVec *suspects = work->request->suspects;
    for (size_t i = 0; i < n; i++)
        chosen[i] = !set->changes.at[i].idle && is_suspect(set, i, suspects);
    if (suspects && suspects->len && !suffices(work, chosen)) {
        if (!oracle_stopped(work->oracle, NULL))
            explanation_note(work->explanation, "changes in the suspects alone do not explain it");
        for (size_t i = 0; i < n; i++) chosen[i] = !set->changes.at[i].idle;
    }
    for (size_t i = 0; i < n; i++) left += !chosen[i];
    if (left == n) memset(chosen, 1, n);
    return left && left < n;
}

/* ---- good and bad as sets ---- */

static const char *skip_name(ChangeSkip skip) {
    static const char *const names[] = { "", "binary", "built", "generated",
                                         "not named by --files" };
    return names[skip];
}

static size_t note_skipped(const ChangeSet *set, Explanation *e) {
    size_t n = 0;
    for (size_t f = 0; f < set->files.len; f++) {
        const ChangeFile *file = &set->files.at[f];
        if (!file->skip || file->skip == SKIP_BUILT) continue;
        n++;
        explanation_note(e, "%s differs but is left out (%s)",
                         file->bad_path ? file->bad_path : file->good_path, skip_name(file->skip));
    }
    return n;
}

static bool has_skipped(const ChangeSet *set) {
    for (size_t f = 0; f < set->files.len; f++)
        if (set->files.at[f].skip) return true;
    return false;
}

static const char *first_skipped(const ChangeSet *set, Arena *arena) {
    for (size_t f = 0; f < set->files.len; f++) {
        const ChangeFile *file = &set->files.at[f];
        if (file->skip && file->skip != SKIP_BUILT)
            return arena_fmt(arena, "%s (%s)", file->bad_path ? file->bad_path : file->good_path,
                             skip_name(file->skip));
    }
    return "a file that was left out";
}

/* Both ends of every search: nothing reverted fails, everything reverted passes. */
static bool know_ends(ExplainWork *work, Error *err) {
    const ChangeSet *set = work->subject->set;
    Arena scratch = { 0 };
    uint8_t *ends = ARENA_ARRAY(&scratch, uint8_t, set->changes.len + 1);
    bool ok = true;
    oracle_tell(work->oracle, ends, OUTCOME_FAILS);
    memset(ends, 1, set->changes.len);
    if (!has_skipped(set) && !set->renamed) oracle_tell(work->oracle, ends, OUTCOME_PASSES);
    /* Good in the names of bad need not be built: what is found is verified. */
    Outcome all =
        has_skipped(set) || !set->renamed ? oracle_ask(work->oracle, ends) : OUTCOME_PASSES;
    if (all == OUTCOME_STOPPED)
        ok = err_set(err, STATUS_NO, "out of time before the search began");
    else if (all != OUTCOME_PASSES)
        ok = err_set(
            err, STATUS_BAD,
            "reverting every change in text does not make the test pass: %s differs as well",
            first_skipped(set, &scratch));
    arena_release(&scratch);
    return ok;
}

/* ---- methods ---- */

static void run_method(ExplainWork *work) {
    const char *method = work->request->method;
    if (strcmp(method, "dd") == 0)
        search_dd(work->oracle, work->candidates, work->answer);
    else if (strcmp(method, "ddmin") == 0)
        search_ddmin(work->oracle, work->candidates, work->answer);
    else if (strcmp(method, "add") == 0)
        add_run(work);
    else
        after_run(work);
}

static void settle(ExplainWork *work) {
    Explanation *e = work->explanation;
    OracleCounts *counts = oracle_counts(work->oracle);
    size_t n = work->subject->set->changes.len;
    memcpy(e->root, work->answer->root, n);
    memcpy(e->rest, work->answer->rest, n);
    e->found = work->answer->found;
    size_t named = 0;
    Error err = { 0 };
    if (e->found) {
        uint8_t *all = ARENA_ARRAY(&e->arena, uint8_t, n + 1);
        for (size_t i = 0; i < n; i++) named += all[i] = e->root[i] || e->rest[i];
        live_line(work->request->live, "explain: verifying the answer from scratch");
        e->verified =
            versions_verify(work->subject, all, oracle_scratch_tree(work->oracle, all), &err);
        if (!e->verified) explanation_note(e, "%s", err.text);
    }
    /* A single change cannot become fewer, however much time is left. */
    e->complete = named == 1 || !oracle_stopped(work->oracle, NULL);
    if (!e->complete)
        explanation_note(e,
                         "stopped before the end: this is the best answer so far; the same command "
                         "goes on from here");
    if (work->subject->varies)
        explanation_note(e, "what the test prints differs from run to run (a clock, an address?)");
    e->builds = counts->builds;
    e->tests = counts->tests;
    e->known = counts->known;
    e->causes = counts->causes;
    explanation_settle(e);
}

static bool search(const ExplainRequest *request, Versions *subject, Explanation *e, double started,
                   Error *err) {
    OracleSpec spec = { .set = subject->set,
                        .includes = &subject->includes,
                        .bad = &subject->bad.tree,
                        .build = request->build,
                        .test = request->test,
                        .state = request->state,
                        .workers = request->workers,
                        .deadline = request->time_s > 0 ? started + request->time_s : 0,
                        .cpu_limit_s = request->cpu_s,
                        .test_limit_s = subject->test_limit_s,
                        .scratch = includes_one_is_most(&subject->includes, subject->set),
                        .dump = request->dump_search,
                        .live = request->live };
    size_t n = subject->set->changes.len;
    Oracle *oracle = oracle_new(&spec, err);
    if (!oracle) return false;
    Answer answer = { .root = ARENA_ARRAY(&e->arena, uint8_t, n + 1),
                      .rest = ARENA_ARRAY(&e->arena, uint8_t, n + 1) };
    uint8_t *candidates = ARENA_ARRAY(&e->arena, uint8_t, n + 1);
    ExplainWork work = { request, subject, oracle, candidates, e, &answer };
    bool ok = know_ends(&work, err);
    if (ok) {
        bool some = choose_candidates(&work, candidates);
        run_method(&work);
        /* A program may read its own lines (__LINE__): then comments matter after all. */
        if (some && !answer.found && strcmp(request->method, "after") == 0 &&
            !oracle_stopped(oracle, NULL)) {
            memset(candidates, 1, n);
            run_method(&work);
        }
        settle(&work);
        e->seconds = clock_now() - started;
        e->cpu_s = clock_own_cpu() + run_children_cpu();
        ok = !oracle_stopped(oracle, err) || !err->status;
    }
    oracle_free(oracle);
    return ok;
}

/* ---- reading ---- */

static bool read_changes(const ExplainRequest *request, ChangeSet *set, bool keep_names,
                         Error *err) {
    ChangeOptions options = { .globs = request->globs, .keep_names = keep_names };
    if (!changeset_read(set, request->good, request->bad, &options, err)) return false;
    if (!set->changes.len && set->renamed) { /* names are all that differs */
        changeset_release(set);
        return read_changes(request, set, true, err);
    }
    if (set->changes.len) return true;
    if (!set->files.len)
        return err_set(err, STATUS_NO, "%s and %s do not differ", request->good, request->bad);
    Arena scratch = { 0 };
    err_set(err, STATUS_BAD, "no text differs that could be reverted: only %s",
            first_skipped(set, &scratch));
    arena_release(&scratch);
    return false;
}

static bool run_once(const ExplainRequest *request, Explanation *e, ChangeSet *set, bool keep_names,
                     double started, Error *err) {
    if (!read_changes(request, set, keep_names, err)) return false;
    explanation_init(e, set, request->method);
    e->good = request->good;
    e->bad = request->bad;
    e->test = request->test;
    note_skipped(set, e);
    if (set->renamed)
        explanation_note(e, "%zu names were changed throughout: they are no changes here",
                         set->renamed);
    Versions subject;
    bool ok = versions_prepare(&subject, set, request->build, request->test, request->live, err) &&
              search(request, &subject, e, started, err);
    versions_release(&subject);
    return ok;
}

/* Good in the names of bad may not be what it was: where nothing is found no name is followed. */
bool explain_run(const ExplainRequest *request, Explanation *e, ChangeSet *set, Error *err) {
    double started = clock_now();
    bool ok = run_once(request, e, set, false, started, err);
    if (!ok || e->verified || !e->complete || !set->renamed) return ok;
    explanation_release(e);
    changeset_release(set);
    return run_once(request, e, set, true, started, err);
}

bool explain_check(const ExplainRequest *request, CheckReport *report, Arena *arena, Error *err) {
    ChangeSet set;
    Versions subject = { 0 };
    *report = (CheckReport){ 0 };
    if (!read_changes(request, &set, false, err)) return false;
    bool ok = versions_prepare(&subject, &set, request->build, request->test, request->live, err);
    report->good_passes = subject.good.passes;
    report->bad_fails = subject.bad.test[1].end == RUN_EXITED && !subject.bad.passes;
    report->good_end = str_from(run_describe(arena, &subject.good.test[0]));
    report->bad_end = str_from(run_describe(arena, &subject.bad.test[0]));
    const char *wrapper = ok ? versions_wrapper(arena) : NULL;
    Traced traced = { 0 };
    if (wrapper) {
        report->alike = versions_trace(&subject, &traced, false, wrapper);
        report->traced_end =
            traced.built ? str_from(run_describe(arena, &traced.test)) : (Str){ "", 0 };
        report->why = arena_str(arena, traced.why);
        traced_release(&traced);
    } else if (ok) {
        ok = err_set(err, STATUS_LACKS,
                     "culprit-cc is not beside culprit: make install puts it there");
    }
    versions_release(&subject);
    changeset_release(&set);
    return ok;
}

/* The steps of explain; see explain.h. */
#include "explain/explain.h"
#include "base/file.h"
#include "base/quantity.h"
#include "explain/explain_knobs.h"
#include "explain/history/history.h"

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

/* From few to all: C alone, what the build reads, everything that is not idle. */
enum { KIND_C, KIND_BUILD, KIND_ALL, KINDS };

static void choose_kind(const ExplainWork *work, int kind, bool suspected, uint8_t *chosen) {
    const ChangeSet *set = work->subject->set;
    for (size_t i = 0; i < set->changes.len; i++) {
        bool is_c = set->files.at[set->changes.at[i].file].is_c;
        bool fits = kind == KIND_ALL || is_c ||
                    (kind == KIND_BUILD && change_is_build_file(change_path(set, i)));
        bool wanted = !suspected || is_suspect(set, i, work->request->suspects);
        chosen[i] = fits && wanted && !set->changes.at[i].idle;
    }
}

static size_t count_chosen(const uint8_t *chosen, size_t n) {
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += chosen[i];
    return sum;
}

/* Idle changes cannot matter to a compiler; changes outside the suspects, and then those in files
 * that are not C, are left out where reverting the others is enough. Returns whether some were left
 * out. */
static bool choose_candidates(ExplainWork *work, uint8_t *chosen) {
    size_t n = work->subject->set->changes.len, all, last = 0;
    const StrVec *suspects = work->request->suspects;
    bool enough = false;
    if (suspects && suspects->len) {
        choose_kind(work, KIND_ALL, true, chosen);
        enough = suffices(work, chosen);
        if (!enough && !oracle_stopped(work->oracle, NULL))
            explanation_note(work->explanation, "changes in the suspects alone do not explain it");
    }
    choose_kind(work, KIND_ALL, enough, work->room);
    all = count_chosen(work->room, n);
    for (int kind = KIND_C; kind < KIND_ALL; kind++) {
        choose_kind(work, kind, enough, chosen);
        size_t now = count_chosen(chosen, n);
        if (!now || now == last || now == all) continue;
        last = now;
        if (!suffices(work, chosen)) continue;
        char left[48];
        explanation_note(
            work->explanation,
            "not looked at: %s in files that are not C%s; reverting the others is enough",
            quantity_show_count(all - now, "change", left),
            kind == KIND_C ? "" : " and not part of the build");
        return true;
    }
    memcpy(chosen, work->room, n);
    if (!all) memset(chosen, 1, n);
    return all && all < n;
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

static bool has_skip(const ChangeSet *set, ChangeSkip skip) {
    for (size_t f = 0; f < set->files.len; f++)
        if (set->files.at[f].skip == skip) return true;
    return false;
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

/* Both ends of every search: nothing reverted fails, everything reverted passes. Where it does not,
 * a file that was left out is needed. */
static Outcome know_ends(ExplainWork *work) {
    const ChangeSet *set = work->subject->set;
    Arena scratch = { 0 };
    uint8_t *ends = ARENA_ARRAY(&scratch, uint8_t, set->changes.len + 1);
    oracle_tell(work->oracle, ends, OUTCOME_FAILS);
    memset(ends, 1, set->changes.len);
    if (!has_skipped(set) && !set->renamed) oracle_tell(work->oracle, ends, OUTCOME_PASSES);
    /* Good with bad's names need not be built: what is found is verified. */
    Outcome all =
        has_skipped(set) || !set->renamed ? oracle_ask(work->oracle, ends) : OUTCOME_PASSES;
    arena_release(&scratch);
    return all;
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

/* What was left when time ran out is not an answer as long as it is large: it is what is known to
 * matter. Within the one commit that broke it, it is: what somebody wrote to go together. */
static void put_aside(const ExplainRequest *request, Explanation *e) {
    size_t n = e->set->changes.len;
    size_t named = explanation_count(e, e->root) + explanation_count(e, e->rest);
    if (named <= ROOTS_MOST || (e->found && (e->complete || request->one_commit))) return;
    for (size_t i = 0; i < n; i++) {
        e->narrowed[i] = e->found && (e->root[i] || e->rest[i]);
        e->root[i] = e->rest[i] = 0;
    }
    e->found = false;
}

/* Where time ended before it was tested which of the changes are roots, none of them is called one:
 * all are named together. A single change needs no telling apart. */
static void name_together(Explanation *e, const Answer *answer) {
    size_t n = e->set->changes.len;
    if (!e->found || answer->apart) return;
    for (size_t i = 0; i < n; i++) e->root[i] |= e->rest[i], e->rest[i] = 0;
    e->together = explanation_count(e, e->root) > 1;
}

static void note_parts(ExplainWork *work) {
    const Explanation *e = work->explanation;
    size_t parts = 0;
    for (size_t c = 0; c < work->set->changes.len; c++)
        parts += (e->root[c] || e->rest[c]) && work->set->changes.at[c].blend.at;
    if (parts)
        explanation_note(work->explanation,
                         "%zu of them reverted in part, as the patch shows: what only follows an "
                         "interface that changed stays",
                         parts);
}

static void settle(ExplainWork *work) {
    Explanation *e = work->explanation;
    OracleCounts *counts = oracle_counts(work->oracle);
    size_t n = work->subject->set->changes.len;
    memcpy(e->root, work->answer->root, n);
    memcpy(e->rest, work->answer->rest, n);
    e->found = work->answer->found;
    if (!oracle_stopped(work->oracle, NULL)) e->complete = true;
    put_aside(work->request, e);
    name_together(e, work->answer);
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
    note_parts(work);
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
    e->direct = counts->direct;
    e->refused = counts->refused;
    e->causes = counts->causes;
    explanation_settle(e);
}

/* How much of the remaining time verifying an answer from scratch will take. */
static double search_deadline(const Versions *v, double started) {
    if (!v->deadline) return 0;
    double whole = v->deadline - started, needed = VERIFY_TIMES * v->build_s + v->test_limit_s / 5;
    if (needed > VERIFY_SHARE * whole) needed = VERIFY_SHARE * whole;
    return v->deadline - needed;
}

static void run_methods(ExplainWork *work, uint8_t *candidates) {
    bool some = choose_candidates(work, candidates);
    run_method(work);
    /* A program may read its own lines (__LINE__): then comments matter after all. */
    if (!some || work->answer->found || strcmp(work->request->method, "after") != 0) return;
    if (oracle_stopped(work->oracle, NULL)) return;
    memset(candidates, 1, work->subject->set->changes.len);
    run_method(work);
}

/* What became of one reading of the two trees. */
typedef enum Attempt { ATTEMPT_DONE, ATTEMPT_ERROR, ATTEMPT_TOO_FEW } Attempt;

static Attempt search(const ExplainRequest *request, Versions *subject, ExplainResult *result,
                      double started, bool scratch, Error *err) {
    Explanation *e = &result->explanation;
    OracleSpec spec = { .set = subject->set,
                        .includes = &subject->includes,
                        .bad = scratch ? NULL : &subject->bad.tree,
                        .good = scratch || has_skipped(subject->set) ? NULL : &subject->good.tree,
                        .build = request->build,
                        .test = request->test,
                        .state = scratch ? NULL : request->state,
                        .workers = request->workers,
                        .deadline = search_deadline(subject, started),
                        .cpu_limit_s = request->cpu_s,
                        .test_limit_s = subject->test_limit_s,
                        .test_cpu_s = subject->test_cpu_s,
                        .build_cpu_s = subject->build_cpu_s,
                        .scratch =
                            scratch || includes_one_is_most(&subject->includes, subject->set),
                        .dump = request->dump_search,
                        .live = request->live };
    size_t n = subject->set->changes.len;
    Oracle *oracle = oracle_new(&spec, err);
    if (!oracle) return ATTEMPT_ERROR;
    Answer answer = { .root = ARENA_ARRAY(&e->arena, uint8_t, n + 1),
                      .rest = ARENA_ARRAY(&e->arena, uint8_t, n + 1),
                      .blend = ARENA_ARRAY(&e->arena, Str, n + 1) };
    uint8_t *candidates = ARENA_ARRAY(&e->arena, uint8_t, n + 1);
    ExplainWork work = { request,      subject,
                         &result->set, oracle,
                         candidates,   e,
                         &answer,      .room = ARENA_ARRAY(&e->arena, uint8_t, n + 1) };
    Outcome all = know_ends(&work);
    Attempt attempt = ATTEMPT_DONE;
    if (all == OUTCOME_STOPPED) {
        err_set(err, STATUS_NO, "out of time before the search began");
        attempt = ATTEMPT_ERROR;
    } else if (all != OUTCOME_PASSES) {
        attempt = ATTEMPT_TOO_FEW;
    } else {
        run_methods(&work, candidates);
        settle(&work);
        if (oracle_stopped(oracle, err) && err->status) attempt = ATTEMPT_ERROR;
    }
    oracle_free(oracle);
    return attempt;
}

/* ---- reading ---- */

/* How two trees are read as changes. */
typedef struct TreeReading {
    bool keep_names;     /* names that were changed throughout are not followed */
    bool keep_generated; /* generated files are changes, one per file */
} TreeReading;

static bool read_changes(const ExplainRequest *request, ChangeSet *set, TreeReading way,
                         Error *err) {
    ChangeOptions options = { .globs = request->globs,
                              .whole_hunks = request->whole_hunks,
                              .keep_names = way.keep_names,
                              .keep_generated = way.keep_generated };
    if (!changeset_read(set, request->good, request->bad, &options, err)) return false;
    if (!set->changes.len && set->renamed) { /* names are all that differs */
        changeset_release(set);
        way.keep_names = true;
        return read_changes(request, set, way, err);
    }
    if (!set->changes.len && !way.keep_generated && has_skip(set, SKIP_GENERATED)) {
        changeset_release(set);
        way.keep_generated = true;
        return read_changes(request, set, way, err);
    }
    if (set->changes.len) return true;
    if (!set->files.len)
        return err_set(err, STATUS_NO, "%s and %s do not differ", request->good, request->bad);
    Arena scratch = { 0 };
    err_set(err, STATUS_BAD, "nothing that can be reverted differs; what differs: %s",
            first_skipped(set, &scratch));
    arena_release(&scratch);
    return false;
}

static bool begin_result(const ExplainRequest *request, ExplainResult *result, TreeReading way,
                         Error *err) {
    Explanation *e = &result->explanation;
    explain_result_release(result);
    if (!read_changes(request, &result->set, way, err)) return false;
    explanation_init(e, &result->set, request->method);
    e->good = arena_strdup(&e->arena, request->good);
    e->bad = arena_strdup(&e->arena, request->bad);
    e->test = arena_strdup(&e->arena, request->test);
    note_skipped(&result->set, e);
    if (result->set.renamed)
        explanation_note(e, "%zu names were renamed throughout; that does not count as a change",
                         result->set.renamed);
    return true;
}

static Attempt attempt(const ExplainRequest *request, ExplainResult *result, TreeReading way,
                       double started, Error *err) {
    if (!begin_result(request, result, way, err)) return ATTEMPT_ERROR;
    Versions versions;
    VersionsSpec spec = { .set = &result->set,
                          .build = request->build,
                          .test = request->test,
                          .deadline = request->time_s > 0 ? started + request->time_s : 0,
                          .live = request->live };
    Attempt end = ATTEMPT_ERROR;
    Explanation *e = &result->explanation;
    if (versions_prepare(&versions, &spec, err))
        end = search(request, &versions, result, started, false, err);
    /* A build left something behind, so verdicts were wrong: builds every set from nothing. */
    if (end == ATTEMPT_DONE && e->found && !e->verified && e->complete) {
        end = begin_result(request, result, way, err)
                  ? search(request, &versions, result, started, true, err)
                  : ATTEMPT_ERROR;
    }
    versions_release(&versions);
    return end;
}

/* Two directories. Good with bad's names may not be what it was: where nothing is found, no name is
 * followed; and where reverting all other text is not enough, generated files are changes. */
static bool explain_directories(const ExplainRequest *request, ExplainResult *result,
                                double started, Error *err) {
    TreeReading way = { 0 };
    for (;;) {
        Attempt end = attempt(request, result, way, started, err);
        const ChangeSet *set = &result->set;
        const Explanation *e = &result->explanation;
        if (end == ATTEMPT_ERROR) return false;
        if (end == ATTEMPT_TOO_FEW && !way.keep_generated && has_skip(set, SKIP_GENERATED)) {
            way.keep_generated = true;
        } else if (end == ATTEMPT_TOO_FEW) {
            Arena scratch = { 0 };
            err_set(err, STATUS_BAD,
                    "reverting every change in text does not make the test pass: %s differs as "
                    "well",
                    first_skipped(set, &scratch));
            arena_release(&scratch);
            return false;
        } else if (!e->verified && e->complete && set->renamed && !way.keep_names) {
            way.keep_names = true;
        } else {
            return true;
        }
    }
}

/* ---- history ---- */

/* Writes what history found into the explanation. */
static void put_history(Explanation *e, const HistoryResult *h) {
    e->history = (ExplainHistory){ .known = true,
                                   .found = h->found,
                                   .commit = arena_str(&e->arena, str_from(h->bad)),
                                   .parent = arena_str(&e->arena, str_from(h->good)),
                                   .subject = arena_str(&e->arena, h->subject),
                                   .commits = h->commits,
                                   .left = h->left,
                                   .builds = h->builds,
                                   .skipped = h->skipped };
    if (h->flaky)
        explanation_note(e, "the test gave two different answers on the same commit: it is flaky");
    if (h->found) return;
    explanation_note(e, "%zu commits after %.12s, up to %.12s, may have broken it: %s", h->left,
                     h->good, h->bad, h->skipped ? "those between do not build" : "time ran out");
}

/* Narrows the pair to one commit, and changes the request accordingly. */
static bool search_history(const ExplainRequest *request, GitPair *pair, HistoryResult *found,
                           Arena *arena, double started, bool scratch, Error *err) {
    HistoryRequest ask = { .pair = pair,
                           .build = request->build,
                           .test = request->test,
                           .state = request->state,
                           .workers = request->workers,
                           .scratch = scratch,
                           .dump = request->dump_search,
                           .live = request->live };
    if (request->time_s > 0) ask.deadline = started + HISTORY_TIME_SHARE * request->time_s;
    ask.cpu_limit_s = HISTORY_TIME_SHARE * request->cpu_s;
    if (!history_run(&ask, found, arena, err)) return false;
    pair->good = found->good;
    pair->bad = found->bad;
    return git_lay_out(arena, pair, err);
}

/* No time is left for the commit itself: the commits that are left are the answer. */
static bool only_history(const ExplainRequest *request, ExplainResult *result, double started,
                         Error *err) {
    if (!begin_result(request, result, (TreeReading){ 0 }, err)) return false;
    explanation_settle(&result->explanation);
    result->explanation.seconds = clock_now() - started;
    return true;
}

/* Good and bad are on two branches: their common ancestor is the good end, as in git bisect. False:
 * it does not pass either (good's branch fixed it), or does not build; then there is no history. */
static bool search_from_base(const ExplainRequest *request, GitPair *pair, HistoryResult *found,
                             Arena *arena, double started, const char **why) {
    GitPair branch = *pair;
    Error err = { 0 };
    branch.good = git_merge_base(arena, pair->top, pair->good, pair->bad);
    if (!branch.good || !search_history(request, &branch, found, arena, started, false, &err)) {
        *why =
            arena_fmt(arena, "%.12s is not an ancestor of %.12s, and of their common ancestor: %s",
                      pair->good, pair->bad, branch.good ? err.text : "there is none");
        return false;
    }
    *pair = branch;
    return true;
}

/* The difference of two commits that are laid out; found: what history said of them, or NULL. */
static bool explain_found(const ExplainRequest *request, const GitPair *pair,
                          const HistoryResult *found, ExplainResult *result, double started,
                          Error *err) {
    ExplainRequest inside = *request;
    inside.good = pair->good_dir;
    inside.bad = pair->bad_dir;
    inside.one_commit = found && found->found;
    bool late = found && !found->found && !found->skipped;
    return late ? only_history(&inside, result, started, err)
                : explain_directories(&inside, result, started, err);
}

/* Whether no time is left for anything else. */
static bool is_over(const ExplainRequest *request, double started) {
    return run_interrupted() ||
           (request->time_s > 0 && clock_now() >= started + request->time_s - 0.1);
}

/* The commit is an answer, where there was no time for what is in it. */
static bool keep_history(const ExplainRequest *request, const GitPair *pair, ExplainResult *result,
                         double started, Error *err) {
    ExplainRequest inside = *request;
    Arena kept = { 0 };
    char *why = arena_strdup(&kept, err->text);
    inside.good = pair->good_dir;
    inside.bad = pair->bad_dir;
    *err = (Error){ 0 };
    bool ok = only_history(&inside, result, started, err);
    if (ok)
        explanation_note(&result->explanation,
                         "the changes within the commit were not searched: %s", why);
    arena_release(&kept);
    return ok;
}

static bool explain_commits(const ExplainRequest *request, GitPair *pair, ExplainResult *result,
                            Arena *arena, double started, Error *err) {
    HistoryResult found = { 0 };
    const char *why = NULL;
    const GitPair whole = *pair;
    bool line = git_is_ancestor(pair->top, pair->good, pair->bad), history = false;
    if (!request->no_history)
        history = line ? search_history(request, pair, &found, arena, started, false, err)
                       : search_from_base(request, pair, &found, arena, started, &why);
    if (!request->no_history && line && !history) return false;
    if (!history && !pair->good_dir && !git_lay_out(arena, pair, err)) return false;
    bool ok = explain_found(request, pair, history ? &found : NULL, result, started, err);
    if (!ok && history && is_over(request, started))
        ok = keep_history(request, pair, result, started, err);
    if (!ok && history && line && !run_interrupted() && err->status == STATUS_NO) {
        /* Both answered alike in trees of their own: a tree that went from commit to commit was
         * stale. */
        GitPair again = whole;
        Error none = { 0 };
        if (search_history(request, &again, &found, arena, started, true, &none) &&
            (strcmp(again.bad, pair->bad) != 0 || strcmp(again.good, pair->good) != 0)) {
            *pair = again;
            *err = none;
            ok = explain_found(request, pair, &found, result, started, err);
        }
    }
    if (!ok && history && !run_interrupted()) { /* its parent was never asked, and does not pass */
        why = arena_fmt(arena, "the difference of %.12s alone: %s", pair->bad, err->text);
        *pair = whole;
        *err = (Error){ 0 };
        history = false;
        ok = git_lay_out(arena, pair, err) &&
             explain_found(request, pair, NULL, result, started, err);
    }
    if (!ok) return false;
    Explanation *e = &result->explanation;
    if (history)
        put_history(e, &found);
    else if (why)
        explanation_note(e, "the whole difference is explained: %s", why);
    git_blame(pair, e);
    e->good = arena_strdup(&e->arena, request->good);
    e->bad = arena_strdup(&e->arena, request->bad);
    return true;
}

bool explain_run(const ExplainRequest *request, ExplainResult *result, Error *err) {
    *result = (ExplainResult){ 0 };
    double started = clock_now(), cpu = clock_own_cpu() + run_children_cpu();
    Arena arena = { 0 };
    GitPair pair;
    bool ok;
    if (request->git)
        ok = git_find(&arena, request->repository, request->good, request->bad, &pair, err) &&
             explain_commits(request, &pair, result, &arena, started, err);
    else if (!request->no_history && strcmp(request->method, "after") == 0 &&
             git_recognise(&arena, request->good, request->bad, &pair))
        ok = explain_commits(request, &pair, result, &arena, started, err);
    else
        ok = explain_directories(request, result, started, err);
    if (ok) {
        result->explanation.seconds = clock_now() - started;
        result->explanation.cpu_s = clock_own_cpu() + run_children_cpu() - cpu;
    }
    arena_release(&arena);
    return ok;
}

void explain_result_release(ExplainResult *result) {
    explanation_release(&result->explanation);
    changeset_release(&result->set);
    *result = (ExplainResult){ 0 };
}

bool explain_check(const ExplainRequest *request, CheckReport *report, Arena *arena, Error *err) {
    ChangeSet set;
    Versions subject = { 0 };
    *report = (CheckReport){ 0 };
    if (!read_changes(request, &set, (TreeReading){ 0 }, err)) return false;
    VersionsSpec spec = { .set = &set,
                          .build = request->build,
                          .test = request->test,
                          .deadline = request->time_s > 0 ? clock_now() + request->time_s : 0,
                          .live = request->live };
    bool ok = versions_prepare(&subject, &spec, err);
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

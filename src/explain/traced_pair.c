/* Traces of both versions; see traced_pair.h. */
#include "explain/traced_pair.h"
#include "base/file.h"
#include "base/quantity.h"
#include "change/direct.h"
#include "explain/analysis.h"
#include "explain/explain_knobs.h"
#include "trace/trace_run.h"

/* What was recorded is read in a share of the time: reverting alone finds the root as well. */
static bool reads_too_long(void *user) {
    const TracedPair *w = user;
    return (w->read_until && clock_now() >= w->read_until) || w->stop.asked(w->stop.user);
}

static void begin_reading(TracedPair *w) {
    double now = clock_now();
    w->read_until = w->deadline ? now + READ_SHARE * (w->deadline - now) : 0;
}

/* ---- which of several processes ---- */

typedef VEC(const TraceInfo *) Processes; /* recordings, without their steps */

static void read_processes(TracedPair *w, const StrVec *paths, const char *root,
                           TraceResult *result, Processes *out) {
    TraceStop stop = { reads_too_long, w };
    TraceRequest request = { .paths = paths, .root = root, .lenient = true, .stop = &stop };
    trace_run(&request, result, NULL);
    for (size_t i = 0; i < result->runs.len; i++) vec_push(out, &result->runs.at[i].info);
}

/* The same command: arguments, and the program without its directory. */
static bool same_program(const TraceInfo *a, const TraceInfo *b) {
    bool same = a->args.len == b->args.len && !a->parent == !b->parent && a->thread == b->thread;
    for (size_t i = 0; same && i < a->args.len; i++)
        same = i ? str_eq(a->args.at[i], b->args.at[i])
                 : strcmp(file_name(a->args.at[i].at), file_name(b->args.at[i].at)) == 0;
    return same;
}

/* The same program with as many arguments: their texts may name a directory of this run alone, or a
 * temporary file. */
static bool similar_program(const TraceInfo *a, const TraceInfo *b) {
    if (a->args.len != b->args.len || !a->parent != !b->parent || a->thread != b->thread)
        return false;
    return !a->args.len || strcmp(file_name(a->args.at[0].at), file_name(b->args.at[0].at)) == 0;
}

typedef bool (*SameFn)(const TraceInfo *a, const TraceInfo *b);

/* How many processes before this one have its command. */
static size_t occurrence(const Processes *list, size_t at, SameFn same) {
    size_t n = 0;
    for (size_t i = 0; i < at; i++) n += same(list->at[i], list->at[at]);
    return n;
}

/* The process of the other version that ran the same command as often before, by its exact words
 * if there is one; -1: none. */
static int counterpart(const Processes *bad, size_t at, const Processes *good) {
    static const SameFn ways[] = { same_program, similar_program };
    for (size_t way = 0; way < COUNT_OF(ways); way++) {
        size_t n = occurrence(bad, at, ways[way]);
        for (size_t i = 0; i < good->len; i++)
            if (ways[way](bad->at[at], good->at[i]) && n-- == 0) return (int)i;
    }
    return -1;
}

static bool died(const TraceInfo *info) {
    return info->end == TRACE_END_SIGNAL || info->end == TRACE_END_ABORT;
}

static bool hangs(const TraceInfo *info) {
    return info->end == TRACE_END_UNKNOWN || info->end == TRACE_END_LIMIT;
}

/* Whether the test's own output shows what the process wrote. */
static bool is_seen(Str test, Str written) {
    return written.len && str_find(test, written, 0) != STR_NONE;
}

/* How sure it is that this process is the one whose failure the test sees; 0: it does not differ.
 */
static unsigned guilt(const TracedPair *w, const TraceInfo *bad, const TraceInfo *good) {
    if (!good) return died(bad) ? 5 : hangs(bad) ? 4 : bad->code != 0 ? 2 : 1;
    if (died(bad) && !died(good)) return 8;
    if (hangs(bad) && !hangs(good)) return 7;
    bool writes = !str_eq(bad->first_bytes, good->first_bytes);
    if (writes && (is_seen(w->bad_build.test.out, bad->first_bytes) ||
                   is_seen(w->good_build.test.out, good->first_bytes)))
        return 6;
    if (bad->end != good->end || bad->code != good->code) return 5;
    if (writes) return 4;
    if (!str_eq(bad->file_bytes, good->file_bytes)) return 3;
    return !str_eq(bad->error_bytes, good->error_bytes) ? 2 : 0;
}

static const TraceInfo *twin_of(const Processes *bad, size_t at, const Processes *good) {
    int twin = counterpart(bad, at, good);
    return twin < 0 ? NULL : good->at[twin];
}

/* If a process read from another one of the test that wrote something different, that one is the
 * one to explain. */
static size_t upstream(const Processes *bad, size_t at, const Processes *good) {
    for (size_t hops = 0; hops < bad->len; hops++) {
        size_t next = at;
        for (size_t i = 0; i < bad->len && bad->at[at]->input; i++) {
            const TraceInfo *writer = bad->at[i], *twin = twin_of(bad, i, good);
            if (i != at && writer->output == bad->at[at]->input && twin &&
                !str_eq(writer->first_bytes, twin->first_bytes))
                next = i;
        }
        if (next == at) break;
        at = next;
    }
    return at;
}

/* The process of the bad version to explain. */
static size_t choose(const TracedPair *w, const Processes *bad, const Processes *good) {
    size_t best = 0;
    unsigned most = 0;
    for (size_t i = 0; i < bad->len; i++) {
        unsigned g = guilt(w, bad->at[i], twin_of(bad, i, good));
        if (g > most) best = i, most = g;
    }
    bool crashed = died(bad->at[best]) || hangs(bad->at[best]);
    return crashed ? best : upstream(bad, best, good);
}

static void add_choice(TracedPair *w, Arena *arena, const Processes *bad, size_t at,
                       const Processes *good, size_t first) {
    int twin = counterpart(bad, at, good);
    TracedChoice choice = { arena_strdup(arena, bad->at[at]->path),
                            twin < 0 ? NULL : arena_strdup(arena, good->at[twin]->path),
                            .feeds = at < first && twin >= 0 &&
                                     !str_eq(bad->at[at]->file_bytes, good->at[twin]->file_bytes) };
    for (size_t i = 0; i < w->choices.len; i++)
        if (strcmp(w->choices.at[i].bad, choice.bad) == 0) return;
    vec_push(&w->choices, choice);
}

/* The process to explain; then the others that came out differently, surest first. */
static void add_choices(TracedPair *w, Arena *arena, const Processes *bad, const Processes *good) {
    uint8_t *guilts = mem_alloc(bad->len + 1);
    unsigned most = 0;
    for (size_t i = 0; i < bad->len; i++) {
        guilts[i] = (uint8_t)guilt(w, bad->at[i], twin_of(bad, i, good));
        if (guilts[i] > most) most = guilts[i];
    }
    size_t first = choose(w, bad, good);
    add_choice(w, arena, bad, first, good, first);
    for (unsigned g = most; g > 0; g--)
        for (size_t i = 0; i < bad->len && w->choices.len < TRACED_MOST; i++)
            if (guilts[i] == g && twin_of(bad, i, good)) add_choice(w, arena, bad, i, good, first);
    mem_free(guilts);
}

static void find_choices(TracedPair *w, Arena *arena, const StrVec *bad_paths,
                         const StrVec *good_paths) {
    if (bad_paths->len == 1 && good_paths->len == 1) {
        vec_push(&w->choices, ((TracedChoice){ bad_paths->at[0].at, good_paths->at[0].at, false }));
        return;
    }
    TraceResult bad_result, good_result;
    Processes bad = { 0 }, good = { 0 };
    read_processes(w, bad_paths, w->bad_build.tree.dir, &bad_result, &bad);
    read_processes(w, good_paths, w->good_build.tree.dir, &good_result, &good);
    if (bad.len) add_choices(w, arena, &bad, &good);
    vec_release(&bad);
    vec_release(&good);
    trace_result_release(&bad_result);
    trace_result_release(&good_result);
}

static void close_traces(TracedPair *w) {
    if (w->bad) trace_free(w->bad);
    if (w->good) trace_free(w->good);
    w->bad = w->good = NULL;
}

bool traced_pair_open(TracedPair *w, size_t choice, Error *err) {
    if (choice >= w->choices.len)
        return err_set(err, STATUS_NO, "no recording of the test can be read");
    const TracedChoice *c = &w->choices.at[choice];
    close_traces(w);
    TraceStop stop = { reads_too_long, w };
    begin_reading(w);
    w->bad = trace_open_last(c->bad, w->bad_build.tree.dir, 0, &stop, err);
    if (w->bad && c->good)
        w->good = trace_open_last(c->good, w->good_build.tree.dir, 0, &stop, NULL);
    return w->bad != NULL;
}

/* What clang's parser makes of sets, from what both builds compiled. */
static Fit *make_fit(const TracedPair *w, const Versions *subject) {
    Arena scratch = { 0 };
    FitTree bad = { w->bad_build.tree.dir, versions_list(&scratch, &w->bad_build, FIT_LIST) };
    FitTree good = { w->good_build.tree.dir, versions_list(&scratch, &w->good_build, FIT_LIST) };
    FitLimits limits = { FIT_PARSE_SHARE * subject->build_cpu_s, subject->build_cpu_s };
    if (limits.unit_s < FIT_PARSE_LEAST_S) limits.unit_s = FIT_PARSE_LEAST_S;
    if (limits.whole_s < 2 * FIT_PARSE_LEAST_S) limits.whole_s = 2 * FIT_PARSE_LEAST_S;
    Fit *fit = fit_new(subject->set, &bad, &good, limits);
    arena_release(&scratch);
    return fit;
}

static void make_direct(TracedPair *w, Versions *subject) {
    DirectTree bad = { w->bad_build.tree.dir,
                       versions_list(&subject->arena, &w->bad_build, DIRECT_LIST) };
    DirectTree good = { w->good_build.tree.dir,
                        versions_list(&subject->arena, &w->good_build, DIRECT_LIST) };
    const char *path = versions_list(&subject->arena, &w->bad_build, "direct.mk");
    w->direct = direct_write(&bad, &good, path, &w->no_direct) ? path : NULL;
}

static bool lacks(TracedPair *w, Str why) {
    w->why = why;
    return false;
}

bool traced_pair_make(TracedPair *w, Versions *subject, TraceStop stop) {
    *w = (TracedPair){ .why = { "", 0 }, .stop = stop };
    w->wrapper = versions_wrapper(&subject->arena);
    if (!w->wrapper) return lacks(w, STR("culprit-cc is not installed"));
    live_line(subject->live, "explain: building with culprit-cc");
    bool bad_ran = versions_trace(subject, &w->bad_build, false, w->wrapper);
    /* A build that never called culprit-cc (C++, another language) needs no second one. */
    bool used = file_exists(versions_list(&subject->arena, &w->bad_build, FIT_LIST));
    if (bad_ran && !used) return lacks(w, STR("the build compiles no C, and only C is recorded"));
    bool good_ran = w->bad_build.built && versions_trace(subject, &w->good_build, true, w->wrapper);
    if (w->bad_build.built && w->good_build.built)
        w->fit = make_fit(w, subject), make_direct(w, subject);
    if (!bad_ran) return lacks(w, w->bad_build.why);
    if (!good_ran) return lacks(w, w->good_build.why);
    StrVec bad = { 0 }, good = { 0 };
    Error err = { 0 };
    live_line(subject->live, "explain: reading the traces");
    w->deadline = subject->deadline;
    begin_reading(w);
    bool ok = trace_list(&subject->arena, w->bad_build.traces, &bad, &err) &&
              trace_list(&subject->arena, w->good_build.traces, &good, &err);
    if (ok && !bad.len)
        ok = err_set(&err, STATUS_NO, "the test runs no program built with culprit-cc");
    if (ok) find_choices(w, &subject->arena, &bad, &good);
    ok = ok && traced_pair_open(w, 0, &err);
    vec_release(&bad);
    vec_release(&good);
    return ok || lacks(w, arena_str(&subject->arena, str_from(err.text)));
}

void traced_pair_release(TracedPair *w) {
    close_traces(w);
    vec_release(&w->choices);
    fit_free(w->fit);
    traced_release(&w->bad_build);
    traced_release(&w->good_build);
}

/* A place of the bad version in the tree with a subset reverted (NULL: in good); line 0: nowhere.
 */
static Place place_in(const Versions *subject, const Place *place, const uint8_t *reverted) {
    Place there = *place;
    there.line =
        (unsigned)changeset_line(subject->set, place->file, place->line, reverted, &there.file);
    return there;
}

bool traced_pair_reaches(TracedPair *w, Versions *subject, const uint8_t *reverted,
                         const Place *place) {
    if (!place->line || !w->good) return true;
    Place in_good = place_in(subject, place, NULL), here = place_in(subject, place, reverted);
    if (!in_good.line || !here.line || !analysis_reached(w->good, &in_good)) return true;
    /* The traces of bad are read on demand: its tree is reused, its recordings stay. */
    char *kept = w->bad_build.traces;
    const char *only = str_ends(here.file, ".c") ? arena_cstr(&subject->arena, here.file) : NULL;
    bool ran = versions_trace_again(subject, &w->bad_build, reverted, only, w->wrapper);
    StrVec paths = { 0 };
    bool reached =
        !ran || !trace_list(&subject->arena, w->bad_build.traces, &paths, NULL) || !paths.len;
    for (size_t i = 0; i < paths.len && !reached; i++) {
        Trace *trace = trace_open_last(paths.at[i].at, w->bad_build.tree.dir, 0, &w->stop, NULL);
        reached = !trace || analysis_reached(trace, &here);
        if (trace) trace_free(trace);
    }
    vec_release(&paths);
    w->bad_build.traces = kept;
    return reached;
}

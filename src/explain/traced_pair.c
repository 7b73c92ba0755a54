/* Traces of both versions; see witness.h. */
#include "explain/traced_pair.h"
#include "explain/analysis.h"

static bool differ(const Trace *a, const Trace *b) {
    const TraceInfo *x = trace_info(a), *y = trace_info(b);
    return x->end != y->end || x->code != y->code || !str_eq(x->first_bytes, y->first_bytes) ||
           !str_eq(x->error_bytes, y->error_bytes) || !str_eq(x->file_bytes, y->file_bytes);
}

/* The n-th recordings of both sides, kept when they differ. */
static bool try_pair(TracedPair *w, Str bad, Str good) {
    w->bad = trace_open(bad.at, w->bad_build.tree.dir, NULL);
    w->good = trace_open(good.at, w->good_build.tree.dir, NULL);
    if (w->bad && w->good && differ(w->bad, w->good)) return true;
    if (w->bad) trace_free(w->bad);
    if (w->good) trace_free(w->good);
    w->bad = w->good = NULL;
    return false;
}

static bool same_args(const Trace *a, const Trace *b) {
    const StrVec *x = &trace_info(a)->args, *y = &trace_info(b)->args;
    bool same = x->len == y->len;
    for (size_t i = 0; same && i < x->len; i++) same = str_eq(x->at[i], y->at[i]);
    return same;
}

/* The recording of the same command in the good version; NULL: none. */
static Trace *counterpart(const TracedPair *w, const StrVec *good) {
    for (size_t i = 0; i < good->len; i++) {
        Trace *t = trace_open(good->at[i].at, w->good_build.tree.dir, NULL);
        if (t && same_args(t, w->bad)) return t;
        if (t) trace_free(t);
    }
    return NULL;
}

static bool open_pair(TracedPair *w, const StrVec *bad, const StrVec *good, Error *err) {
    for (size_t i = 0; bad->len == good->len && i < bad->len; i++)
        if (try_pair(w, bad->at[i], good->at[i])) return true;
    w->bad = trace_open_failing(w->bad_build.traces, w->bad_build.tree.dir, (Str){ 0 }, err);
    if (w->bad) w->good = counterpart(w, good);
    return w->bad != NULL;
}

static bool lacks(TracedPair *w, Str why) {
    w->why = why;
    return false;
}

bool traced_pair_make(TracedPair *w, Versions *subject) {
    *w = (TracedPair){ .why = { "", 0 } };
    w->wrapper = versions_wrapper(&subject->arena);
    if (!w->wrapper) return lacks(w, STR("culprit-cc is not installed"));
    live_line(subject->live, "explain: building with culprit-cc");
    if (!versions_trace(subject, &w->bad_build, false, w->wrapper))
        return lacks(w, w->bad_build.why);
    if (!versions_trace(subject, &w->good_build, true, w->wrapper))
        return lacks(w, w->good_build.why);
    StrVec bad = { 0 }, good = { 0 };
    Error err = { 0 };
    live_line(subject->live, "explain: reading the traces");
    bool ok = trace_list(&subject->arena, w->bad_build.traces, &bad, &err) &&
              trace_list(&subject->arena, w->good_build.traces, &good, &err);
    if (ok && !bad.len)
        ok = err_set(&err, STATUS_NO, "the test runs no program built with culprit-cc");
    ok = ok && open_pair(w, &bad, &good, &err);
    vec_release(&bad);
    vec_release(&good);
    return ok || lacks(w, arena_str(&subject->arena, str_from(err.text)));
}

void traced_pair_release(TracedPair *w) {
    if (w->bad) trace_free(w->bad);
    if (w->good) trace_free(w->good);
    traced_release(&w->bad_build);
    traced_release(&w->good_build);
}

bool traced_pair_reaches(TracedPair *w, Versions *subject, const uint8_t *reverted,
                         const Place *place) {
    if (!place->line || !w->good || !analysis_reached(w->good, place)) return true;
    /* The traces of bad are read on demand: its tree is used again, its recordings stay. */
    char *kept = w->bad_build.traces;
    const char *only =
        str_ends(place->file, ".c") ? arena_cstr(&subject->arena, place->file) : NULL;
    bool ran = versions_trace_again(subject, &w->bad_build, reverted, only, w->wrapper);
    StrVec paths = { 0 };
    bool reached =
        !ran || !trace_list(&subject->arena, w->bad_build.traces, &paths, NULL) || !paths.len;
    for (size_t i = 0; i < paths.len && !reached; i++) {
        Trace *trace = trace_open(paths.at[i].at, w->bad_build.tree.dir, NULL);
        reached = !trace || analysis_reached(trace, place);
        if (trace) trace_free(trace);
    }
    vec_release(&paths);
    w->bad_build.traces = kept;
    return reached;
}

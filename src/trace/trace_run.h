/* Reading recordings as a stage of its own: what `culprit trace` does, without its options.
 *
 *     trace_run(&request, &result, &err);  result.runs ..;  trace_result_release(&result)
 *
 * Holds no state: it can be called twice, and from two threads. */
#ifndef CULPRIT_TRACE_TRACE_RUN_H
#define CULPRIT_TRACE_TRACE_RUN_H

#include "trace/trace.h"

typedef struct TraceRequest {
    const StrVec *paths; /* recordings, or directories of recordings */
    const char *root;    /* source files below it are named relative to it; NULL: none */
    size_t keep;  /* how many of a run's last steps are kept; 0: as many as trace_open keeps */
    bool lenient; /* a recording that cannot be read is skipped, which is not an error */
    /* Called with each run while it is open, in order; may be NULL. False and err end it all. */
    bool (*each)(void *user, Trace *trace, Error *err);
    void *user;
    const TraceStop *stop; /* NULL: each recording is read to its end */
} TraceRequest;

/* One recording. */
typedef struct TraceRun {
    TraceInfo info; /* its texts are the result's */
    double cpu_s;   /* to read it */
} TraceRun;

typedef struct TraceResult {
    Arena arena;
    VEC(TraceRun) runs; /* in the order of paths, and of process and number in a directory */
} TraceResult;

/* False and err: a recording cannot be read, or `each` gave up; the runs before it are there. */
bool trace_run(const TraceRequest *request, TraceResult *result, Error *err);
void trace_result_release(TraceResult *result);
/* How a run ended, as one word. */
const char *trace_end_name(TraceEnd end);

#endif

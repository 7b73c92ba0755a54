/* One compilation with the instrumented compiler, as a job for the pool; afterwards its coverage.
 */
#ifndef CULPRIT_ISOLATE_COVERAGE_RUN_H
#define CULPRIT_ISOLATE_COVERAGE_RUN_H

#include "isolate/subject.h"

typedef struct CovJob {
    Job job; /* must be first */
    Subject *subject;
    const char *const *flags; /* with base; NULL-ended */
    Str source;
    const char *window; /* CULPRIT_COVERAGE_PASS: "until:tree-fre5", "in:tree-fre5", "last"; NULL:
                           everything */
    double limit_s;     /* CPU seconds */
    /* ---- what came of it ---- */
    RunResult ran; /* stderr is kept: the backtrace of a crash */
    double read_s; /* CPU seconds from its end to the bits */
    /* ---- own ---- */
    const char *dir;
    bool started;
} CovJob;

/* source and flags must live until it is done. */
void cov_job_init(CovJob *job, Subject *s, const char *const *flags, Str source);
/* Reads what the finished job covered into bits (made by bits_new(n_stmts)) and removes its files.
 */
bool cov_job_read(CovJob *job, Bits *bits, Error *err);
void cov_job_end(CovJob *job); /* gives back memory and files; fine after cov_job_read */
/* All at once, for one compilation; window as above. */
bool cov_run(Subject *s, const char *const *flags, Str source, const char *window, Bits *bits,
             RunResult *ran, Arena *arena, Error *err);

#endif

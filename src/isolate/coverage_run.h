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
    double wall_s;      /* seconds; 0: as many as a busy machine may need for limit_s */
    bool keep_code;     /* read the assembly it wrote into `code` */
    /* ---- the outcome ---- */
    RunResult ran; /* with its stderr: the backtrace of a crash */
    double read_s; /* CPU seconds from its end to the bits */
    Str code;      /* keep_code; in job.arena; empty: it wrote none */
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
/* The same without a window, with the assembly (or object file) it wrote, in the arena. */
bool cov_run_code(Subject *s, const char *const *flags, Str source, Bits *bits, RunResult *ran,
                  Str *code, Arena *arena, Error *err);

/* ---- culprit coverage: the coverage of one compilation and nothing else ---- */
typedef struct CoverageRequest {
    const char *build;  /* directory of the compiler with coverage */
    const char *path;   /* the program */
    Str flags;          /* options to compile with */
    const char *window; /* as in CovJob; NULL: everything */
    double limit_s;     /* CPU seconds the compilation may take */
    double until;       /* clock at which it is ended, with what it covered; 0: never */
    bool counts;        /* fill `counts`, too */
} CoverageRequest;

typedef struct CoverageResult {
    Subject subject; /* its map names files, functions and statements */
    Bits bits;       /* statements that were covered */
    int64_t *counts; /* per statement; NULL: not asked */
    RunResult ran;   /* how the compiler ended */
    double read_s;
} CoverageResult;

/* The result must be freed in any case. */
bool coverage_run(const CoverageRequest *request, CoverageResult *result, Error *err);
void coverage_result_free(CoverageResult *result);

#endif

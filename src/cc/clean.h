/* Is a program free of undefined behaviour on the path it takes? A CleanJob builds and runs it with
 * the sanitizers of clang (address and undefined, then memory) and of gcc (address and undefined),
 * and with our own check of effective types (cc/types.h), which no sanitizer of theirs has. Every
 * run must end with the expected output and exit status, and no report. Linking a sanitizer's
 * runtime takes three times as long as compiling, so it is linked once, into a host that loads each
 * program as a shared object (bound to its own symbols).
 *
 *     CleanJob job;
 *     clean_job_init(&job, &tools, source);  job.compare = true; job.expected = ..; job.code = ..;
 *     pool_submit(pool, &job.job);  ..  job.result */
#ifndef CULPRIT_CC_CLEAN_H
#define CULPRIT_CC_CLEAN_H

#include "cc/verdict.h"

/* The compilers whose sanitizers are used; opened once. */
typedef struct CleanTools {
    Compiler clang; /* the newest with its runtime library (clang-19, libclang-rt-19-dev) */
    Compiler gcc;   /* gcc-12 */
    bool have_clang, have_gcc, have_memory, have_types; /* which work here */
    /* Per sanitizer: a program linked once with its runtime, which loads ./program.so and calls its
     * main; NULL: each program is linked with the runtime. In a working directory of this run. */
    const char *hosts[3];
    const char *ld; /* links ./program.so */
} CleanTools;
/* STATUS_LACKS with the packages when neither works. */
bool clean_tools_open(Arena *arena, CleanTools *tools, Error *err);

enum {
    CLEAN_SANITIZERS = 4,
    CLEAN_FIRST = 1u,
    CLEAN_GCC = 1u << 1,
    CLEAN_TYPES = 1u << 3
}; /* bits of skip */
typedef enum CleanResult {
    CLEAN_YES,
    CLEAN_NO,      /* a report, or unexpected output: why says which */
    CLEAN_UNKNOWN, /* it could not be built or run with a sanitizer (time, memory, cancelled) */
} CleanResult;

typedef struct CleanJob {
    Job job;
    const CleanTools *tools;
    Str source;
    const char *const *flags; /* -D, -I, -std; may be NULL */
    bool compare; /* compare with expected and code; else all runs must agree with each other */
    Str expected;
    int code;
    Str input;
    double run_s;  /* CPU seconds of one run; 0: CC_RUN_S, times the sanitizers' slowdown */
    bool quick;    /* only clang's address and undefined: for seeds, before anything else */
    unsigned skip; /* bit 0: without clang's address and undefined, 1: gcc's, 2: memory, 3: types */
    CleanResult result;
    bool unended;  /* CLEAN_UNKNOWN because a run did not end in time */
    bool untyped;  /* not all effective types could be checked: it did not build, did not end in
                      time, or has accesses of unknown type */
    bool reported; /* CLEAN_NO by a sanitizer's own report */
    Str why;       /* "clang-19 -fsanitize=address: heap-use-after-free on .." */
    double cpu_s;  /* what the check cost */
    /* ---- own ---- */
    const char *dir;
    unsigned tool, rung;
    bool returns;    /* memory: a value that is returned, but not used, may be undefined */
    bool alone;      /* the host could not load its main: linked with the runtime instead */
    RunResult first; /* the first run, when there is nothing to compare with */
    bool have_first;
} CleanJob;

void clean_job_init(CleanJob *job, const CleanTools *tools, Str source);
void clean_job_run(CleanJob *job); /* alone, to its end */
void clean_job_end(CleanJob *job); /* gives back what it holds */

#endif

/* The rungs of a question, and what they share; used by property.c and rungs.c alone. */
#ifndef CULPRIT_REDUCE_ASK_RUNGS_H
#define CULPRIT_REDUCE_ASK_RUNGS_H

#include "reduce/ask/property.h"
#include <regex.h>

struct Property {
    ReduceTest test;
    const FileSet *files;
    bool passing;
    bool c, cxx;              /* the language */
    const char *script;       /* SCRIPT: absolute */
    const char **words[2];    /* the commands; DIFFERS: the right one, the wrong one */
    const char *const *meant; /* words that say what the program is: -D, -I, -std.. */
    regex_t message;
    bool has_message;
    Repro repro; /* CRASH, HANGS, DIFFERS by compilers that are known; REPRO */
    Reproducer by;
    bool by_repro;   /* .. is used to test it */
    bool insist;     /* .. with the cure */
    Symptom want;    /* how the start fails; kind VERDICT_NONE: not learned yet */
    double hang_s;   /* CPU seconds that are a hang */
    bool strict;     /* compilations are without dangerous warnings: property.c, set_strict */
    bool lint;       /* .. and a second compiler has none either */
    bool clean;      /* the program is checked with sanitizers */
    bool thorough;   /* .. with all of them, even if begun */
    unsigned seldom; /* .. otherwise without these (bits of CleanJob.skip) */
    unsigned caught; /* those that ever said no */
    CleanTools tools;
    bool has_tools;
    bool begun;     /* how long the start takes is known */
    bool endless;   /* .. and before that, that it does not end where it should */
    double took_s;  /* wall seconds of the slowest process on the start */
    double ran_s;   /* CPU seconds of the slowest run of a program on the start, or of a command */
    double each_s;  /* .. of its process that used most */
    uint64_t wrote; /* bytes, by the process on the start that wrote most, and its children */
    Effort now;     /* SCRIPT: what it needed on the program as it is now */
    double check_s; /* CPU seconds of checking that the start is clean */
    char *text;     /* for property_describe */
    const struct Rung *ladder; /* ended by step NULL */
    Arena arena;
};

typedef enum RungEnd {
    RUNG_MORE,     /* *next is to be run */
    RUNG_UP,       /* yes so far: the next rung */
    RUNG_ANSWERED, /* answered (rung_no) */
} RungEnd;

/* last is NULL when the rung begins, then the result of the process it asked for. */
typedef struct Rung {
    const char *name;
    RungEnd (*step)(Asking *a, const RunResult *last, RunSpec *next);
} Rung;

RungEnd rung_script(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_compile(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_build_right(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_run_right(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_build_wrong(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_run_wrong(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_repro(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_lint(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_clean(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_passing_clean(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_build_sanitized(Asking *a, const RunResult *last, RunSpec *next);
RungEnd rung_run_sanitized(Asking *a, const RunResult *last, RunSpec *next);

/* Flags that make warnings errors: where a program is going to be run; in a compilation that fails
 * itself. NULL-ended. */
extern const char *const rungs_strict[];
extern const char *const rungs_modern[];
/* CPU seconds of a run when the start took `start`; 0 before that is known: the runner's own. */
double property_run_limit(const Property *o, double start);
bool property_many(const Property *o); /* more than one file */

#endif

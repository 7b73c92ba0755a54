/* What a compiler did with a program: the verdict, shared by all stages.
 *
 * A CcJob is a ladder for the pool: compile, then (as far as `until` says) assemble and link, run,
 * compare. Fill it with cc_job_init, submit &job->job, take it back from pool_next, read
 * job->verdict. Or cc_job_run for one at a time. It works in a directory of its own, which it
 * removes when it is done. */
#ifndef CULPRIT_CC_VERDICT_H
#define CULPRIT_CC_VERDICT_H

#include "cc/compiler.h"
#include "run/run.h"

typedef enum VerdictKind {
    VERDICT_OK,       /* compiled; if run: with the expected output and exit status */
    VERDICT_REJECTED, /* an error message */
    VERDICT_CRASH,    /* internal error, assertion, signal: see crash */
    VERDICT_HANG,     /* the compiler exceeded its time */
    VERDICT_LINK,     /* compiled, but does not assemble or link (a compiler that crashes while
                       * linking, as link-time optimisation may, is a crash) */
    VERDICT_WRONG,    /* runs, but with the wrong output, exit status or signal, or endlessly */
    VERDICT_NONE,     /* not judged: cancelled, out of memory, disk full, compiler vanished */
} VerdictKind;
const char *verdict_name(VerdictKind kind); /* "ok", "rejected", "crash", "hang", "link", "wrong" */
bool verdict_parse(Str name, VerdictKind *kind);

/* A compiler's crash, in words that are the same each time it happens. */
typedef struct Crash {
    Str message;   /* "in foo, at bar.cc:12", "Assertion `x' failed", "Segmentation fault" .. with
                    * addresses, numbers of temporaries and file names of the program taken out */
    Str place;     /* function or file:line of the compiler where it happened; empty: not said */
    Str pass;      /* "vect", "X86 DAG->DAG Instruction Selection"; empty: not said */
    Str frames;    /* up to CRASH_FRAMES functions of the compiler, innermost first, one per line */
    int signal;    /* that ended it; 0: none */
    bool refused;  /* an error message comes before it: the program was refused first */
    Str signature; /* one line made of the above: equal means the same crash */
} Crash;
enum { CRASH_FRAMES = 5 };

/* Reads what a failed compiler wrote on stderr; false when that is not a crash. signal 0: none. */
bool crash_read(Arena *arena, Str text, int signal, Crash *crash);
/* An error message without what changes from program to program: places, names, numbers. */
Str message_essence(Arena *arena, Str message);

typedef struct Verdict {
    VerdictKind kind;
    Crash crash; /* VERDICT_CRASH */
    Str detail;  /* one line: first error, linker message, how the output differs, the limit hit */
} Verdict;

/* Of one process that compiled; hang_s: CPU seconds that are a hang. Texts are in arena. */
Verdict verdict_of_compile(Arena *arena, const RunResult *ran, double hang_s);
/* Of one run, compared with what is right; run_s: CPU seconds it had. */
Verdict verdict_of_run(Arena *arena, const RunResult *ran, Str expected, int code, double run_s);

typedef enum CcUntil { CC_UNTIL_ASSEMBLY, CC_UNTIL_OBJECT, CC_UNTIL_LINKED, CC_UNTIL_RUN } CcUntil;

/* Runs by the code that was run: the same code, run with the same input, does the same. */
typedef struct CodeRuns {
    Map places;             /* Hash of the code -> index in results */
    VEC(RunResult) results; /* their texts in arena */
    Arena arena;
} CodeRuns;
void code_runs_release(CodeRuns *runs);

/* One of several units of a program. */
typedef struct CcUnit {
    const Compiler *cc;
    const char *const *flags; /* level first; NULL-ended */
    Str source;
    const char *name; /* its path below the working directory; NULL: unit1.c and so on */
} CcUnit;

/* A file that lies beside the program, to be included. */
typedef struct CcFile {
    const char *name; /* its path below the working directory */
    Str text;
} CcFile;

typedef struct CcJob {
    Job job; /* job.arena holds everything the job makes */
    /* ---- what to do; set before it is submitted, alive until it is done ---- */
    const Compiler *cc;
    const char *const *flags; /* level first by convention; NULL-ended; may be NULL */
    const char *const *link;  /* more flags for linking: -lm is always there; may be NULL */
    Str source;               /* the program; or */
    const char *name;         /* .. the name it gets in the working directory; NULL: program.c */
    const char *path;         /* .. the file it is in (then source is not used); or */
    const CcUnit *units;      /* .. its units: each is compiled to an object, `cc` links them with
                               * `flags`; until is CC_UNTIL_LINKED or _RUN, known is not used */
    size_t n_units;
    const CcFile *files; /* what lies beside the program; may be NULL */
    size_t n_files;
    CcUntil until;
    bool compare; /* compare the run with expected and code; else a run that ended is OK */
    Str expected; /* standard output it must give */
    int code;     /* exit status it must give */
    Str input;    /* standard input of the run */
    const char *const *arguments; /* of the run; NULL-ended; may be NULL; not with `load` */
    double compile_s;           /* CPU seconds until a compilation counts as a hang; 0: CC_HANG_S */
    double run_s;               /* CPU seconds of the run; 0: CC_RUN_S */
    uint64_t output;            /* bytes the run may write; 0: the runner's own limit */
    bool unlimited;             /* no memory limit for the run: sanitizers */
    const char *const *run_env; /* added to the run's environment; may be NULL */
    const Map *known; /* hashes of code this compiler made (Hash as key) that was judged ok before
                       * under the same expectation: linking and running it again is skipped */
    const char
        *enough;    /* a line of the compiler after which it is ended, as in run.h; may be NULL */
    bool load;      /* GCC: run the object file without linking it where that means the same */
    CodeRuns *runs; /* what code did when it was run before under the same limits: looked up here,
                       and added; may be NULL */
    bool keep_product; /* until assembly or object: read it into `product` */
    /* ---- what came of it ---- */
    Verdict verdict;
    RunResult compiled, linked, ran; /* of the rungs that were taken; else empty */
    double compile_cpu, run_cpu;     /* CPU seconds of compiling with linking, and of the program */
    Hash code_hash; /* of the code, if known is given and it compiled; add it when OK */
    bool was_known; /* OK because of known */
    bool was_run;   /* its run was found in runs */
    Str product;    /* keep_product */
    /* ---- own ---- */
    const char *dir; /* its working directory */
    int rung;
    size_t unit; /* being compiled */
} CcJob;

#define CC_HANG_S 60.0 /* the paper says 300; for programs of this size 60 is a hang already */
#define CC_RUN_S 10.0

/* Zeroes *job and sets what every job needs. */
void cc_job_init(CcJob *job, const Compiler *cc, const char *const *flags, Str source,
                 CcUntil until);
/* Gives back what it holds: its arena, and its directory where it was cancelled. */
void cc_job_end(CcJob *job);
/* Runs it alone, to its end. */
void cc_job_run(CcJob *job);
/* What a program must print and return: found with the compiler's own passing flags or, where none
 * are known (empty), with another compiler. False: nothing installed can tell. output is in the
 * arena. */
bool cc_right_run(Arena *arena, Str compiler, Str good_flags, Str program, Str input, Str *output,
                  int64_t *code);

#endif

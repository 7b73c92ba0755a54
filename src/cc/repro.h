/* One failure of a compiler: what it is, whether it is still there, and how to show it to others.
 *
 * A Repro is plain data: the program (one file or several units), the compiler and flags that fail,
 * what is right (an expected run, a reference that gets it right), and the Symptom: how it shows.
 * Cases of the store become one by case_repro (store/case_repro.h), options of a command by filling
 * the members. Then
 *
 *     Reproducer p;
 *     if (!repro_open(&arena, &repro, &p, &err)) ..              compilers, opened once
 *     if (!repro_learn(&arena, &p, pool, &err)) ..               how it fails now is kept in p.want
 *     ReproJob job;
 *     repro_job_init(&job, &p);                                  the program itself, or:
 *     repro_job_program(&job, files, false);                     another: does it fail so?
 *     pool_submit(pool, &job.job);  ..  job.fails, job.seen, job.why;  repro_job_end(&job);
 *
 * or repro_ask, which does the last three lines at once. Nothing else compares verdicts:
 * symptom_same alone decides whether two failures are the same, for hunt's verification and
 * buckets, reduce's steps and isolate's twins alike. repro_script (cc/repro_script.c) writes the
 * same question for a shell: it is export's repro.sh, and the test that explain runs on a compiler
 * it has just built. */
#ifndef CULPRIT_CC_REPRO_H
#define CULPRIT_CC_REPRO_H

#include "cc/verdict.h"

/* ---- how a failure shows ---- */

/* How a program that was compiled wrongly misbehaves. */
typedef enum WrongHow {
    WRONG_NOT,    /* it does not, or was not run */
    WRONG_ANSWER, /* ends by itself with the wrong output or exit status: which of the two, and what
                     value, changes with every smaller program, so all of these count as one */
    WRONG_SIGNAL, /* dies of a signal: `number` */
    WRONG_ENDLESS, /* uses up its CPU time */
    WRONG_FLOOD,   /* writes, or starts processes, without end */
} WrongHow;

typedef struct Symptom {
    VerdictKind kind; /* VERDICT_OK: no failure; VERDICT_NONE: could not be judged */
    WrongHow how;     /* VERDICT_WRONG */
    int number;       /* WRONG_SIGNAL: the signal; WRONG_ANSWER: the exit status seen */
    bool refused;  /* VERDICT_CRASH: the program was refused ("error:") before the crash: a crash on
                      invalid code is a different bug from one on valid code */
    Str signature; /* CRASH: Crash.signature. REJECTED, LINK: the message without names, numbers
                    * and places. Empty: any */
    Str frames;    /* CRASH: as in Crash */
    Str detail;    /* one line for people: how the outputs differ, the message, the limit */
} Symptom;         /* its texts live in the arena of whoever made it */

/* Of a finished job. Texts are in arena. */
Symptom symptom_of_job(Arena *arena, const CcJob *job);
/* Of one run of any command that compiles (no CcJob); hang_s: CPU seconds that count as a hang. */
Symptom symptom_of_compile(Arena *arena, const RunResult *ran, double hang_s);
/* Of a run, compared with what the right one gave. */
Symptom symptom_of_run(Arena *arena, const RunResult *ran, Str expected, int code, double run_s);
/* Is `got` the failure `want`? It needs the same verdict; for crashes the same signature, and valid
 * code if `want` was on valid code; for refusals the same message; for wrong code the same way of
 * being wrong, signal for signal. What `want` leaves open (empty signature, WRONG_NOT) is not
 * compared. */
bool symptom_same(const Symptom *want, const Symptom *got);
/* "crashes: in foo, at bar.c:12", "wrong code: dies of signal 11", "passes": for people. */
const char *symptom_text(Arena *arena, const Symptom *s);
Symptom symptom_copy(Arena *arena, const Symptom *s);

/* ---- the failure ---- */

/* One file of the program. A program that is one file has one, and it is compiled. */
typedef struct ReproFile {
    Str name;     /* its path below the directory it is compiled in: "variant.c", "inc/a.h" */
    Str text;     /* what is in it */
    bool unit;    /* it is compiled; else it is only there to be included */
    Str compiler; /* the compiler of this unit; empty: the repro's own */
    Str flags;    /* its flags; empty: the repro's own */
} ReproFile;

typedef struct Repro {
    /* what fails */
    Str compiler; /* as users call it: "gcc-12", a path; it also links units */
    Str kind;     /* cc_kind_name, where it is known without opening it; may be empty */
    Str target;   /* what it compiles for, likewise: for repro_script alone */
    Str flags;    /* that fail, as shell words */
    const ReproFile *files;
    size_t n_files;
    Str input;                    /* standard input of the program */
    const char *const *arguments; /* of the program, NULL-ended; may be NULL */
    /* what is right */
    bool has_expected; /* what the program above must print is known: */
    Str expected;      /* .. this output */
    int code;          /* .. and this exit status */
    Str reference;  /* a compiler that gets it right, the same one where only flags differ; empty:
                       none is known */
    Str good_flags; /* .. with these flags */
    /* how it shows */
    Symptom symptom; /* at least its kind; repro_learn fills in the rest */
    double hang_s;   /* VERDICT_HANG: CPU seconds that count as a hang; 0: CC_HANG_S */
    /* which bug it is, as hunt's buckets tell it; empty: not known */
    Str cure;       /* flags that make it go away when they are added ("-fno-tree-vrp") */
    Str pass;       /* LLVM: the pass at the boundary of -opt-bisect-limit */
    Str expression; /* the shape of the expression that comes out wrong (compilers without flags) */
} Repro;

static inline Str repro_program(const Repro *repro) { /* of one file */
    return repro->n_files ? repro->files[0].text : (Str){ "", 0 };
}
size_t repro_units(const Repro *repro); /* files that are compiled */
/* Must the program be run to see the failure? Must it be linked? */
bool repro_runs(const Repro *repro);
bool repro_links(const Repro *repro);

/* ---- is it still there ---- */

/* A Repro with its compilers opened. Plain data in the arena it was opened with; shared by all
 * jobs; changed only by repro_learn and by its owner between jobs. */
typedef struct Reproducer {
    const Repro *repro;
    Compiler cc, ref;          /* that fails; that is right */
    bool has_ref;              /* there is one that is right */
    const Compiler *const *by; /* per file: who compiles it; NULL: no unit */
    const char *const **flags; /* per file: how */
    const char *const *cc_flags, *const *ref_flags, *const *cure;
    CcUntil until;    /* how far the failing side must go */
    Symptom want;     /* the failure that is looked for */
    bool any;         /* any failure with the same verdict will do */
    bool load;        /* GCC: programs may be loaded without linking (CcJob.load) */
    double compile_s; /* CPU seconds of a compilation until it is a hang; 0: the default */
    double run_s;     /* CPU seconds of a run until it is endless; 0: the default */
} Reproducer;

/* STATUS_LACKS when a compiler is not installed. A missing reference does not matter where the
 * failure needs none (crash, hang) or the expected run is known. */
bool repro_open(Arena *arena, const Repro *repro, Reproducer *out, Error *err);
/* Asks about the program as it is and keeps in out->want how it fails. False: it does not fail, or
 * with another verdict than repro->symptom's (STATUS_NO, with what was seen). */
bool repro_learn(Arena *arena, Reproducer *out, Pool *pool, Error *err);

typedef struct ReproJob {
    Job job;
    const Reproducer *by;
    /* what to ask: set by init and repro_job_program, before it is submitted */
    const ReproFile *files;
    bool own;   /* it is the repro's own program: its expected run is known */
    bool cured; /* also test whether the cure (Repro.cure) still cures; set by the caller */
    /* what came of it */
    bool fails;    /* as wanted (and the cure cures it, where that was tested) */
    bool reached;  /* the failing side was run: the reference accepted the program */
    bool rejected; /* the reference, or a compiler that should crash or miscompile it, refused it */
    Symptom seen;  /* texts in job.arena */
    Str why; /* where it does not fail that way, one line on what was found instead; in job.arena */
    bool has_right; /* `right` and `code` are what the reference's program did */
    Str right;
    int code;
    double right_cpu; /* CPU seconds its run took */
    double cpu_s;     /* of the failing side */
    /* own */
    int stage; /* place in the ladder of its kind */
    CcJob *cc; /* the compilation in flight; in job.arena */
    bool cc_open;
} ReproJob;

/* About the repro's own program; */
void repro_job_init(ReproJob *job, const Reproducer *by);
/* .. or about another, file by file as in the repro (kept alive until it is answered). */
void repro_job_program(ReproJob *job, const ReproFile *files, bool own);
void repro_job_end(ReproJob *job); /* gives back what it holds; also after a cancellation */
/* One question, waited for. pool NULL: one of its own. seen (may be NULL) is in arena. */
bool repro_ask(Arena *arena, const Reproducer *by, Pool *pool, const ReproFile *files,
               Symptom *seen);

/* Is it the bug of the repro's bucket: cured by the same flags (one question), or dependent on the
 * same pass of LLVM (a bisection: some twenty compilations)? For milestones, and only for a program
 * that fails as wanted. What cannot be told counts as the same. */
bool repro_same_bug(Arena *arena, const Reproducer *by, Pool *pool, const ReproFile *files,
                    Str *why);

#define REPRO_OUTPUT                                                                               \
    65536 /* beyond four times the right output plus this many bytes, it is a flood */
#define REPRO_BLAME_S 60.0 /* seconds that finding the pass may take */

/* ---- for a shell ---- */

typedef struct ReproScript {
    Str title;            /* a comment at its head */
    const char *find_cc;  /* shell text that sets $cc; NULL: ${CC:-compiler}, and exit 3 where it is
                           * not installed */
    const char *cc_flags; /* shell text after "$cc": what a compiler in its build tree needs ("-B.
                             -Iinclude"); NULL: none */
    const char *dir;      /* where the files lie; NULL: beside the script */
    bool passes; /* a test for explain: exit 0 when the failure is NOT there, 1 when it is, 125 when
                    that cannot be told; else exit 0 when it is there, 1 when not */
    bool quiet;  /* says nothing */
} ReproScript;
/* The commands that show it, on one line: units, the program, and its run where it must be run.
 * good: the right compilation instead of the failing one. */
void repro_line(const Repro *repro, bool good, Buf *out);
/* The files it reads are those of the repro by their names, and input.txt, expected.txt (written by
 * repro_write). */
void repro_script(const Repro *repro, const ReproScript *how, Buf *out);
/* Writes the files into dir, which is made: the program's, input.txt, expected.txt. */
bool repro_write(const Repro *repro, const char *dir, Error *err);

#endif

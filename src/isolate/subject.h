/* The case under investigation: the failing program, the compiler it is judged with, the same
 * compiler with coverage, and what counts as failing.
 *
 * Order: subject_open (compilers, coverage map), subject_find_failure (options, kind of failure,
 * the expected run), then judging (witness_judge.h) and coverage (coverage_run.h). */
#ifndef CULPRIT_ISOLATE_SUBJECT_H
#define CULPRIT_ISOLATE_SUBJECT_H

#include "cc/repro.h"
#include "coverage/coverage_map.h"

typedef struct SubjectSpec {
    const char *cc;       /* the compiler to judge with; NULL: the coverage build itself */
    const char *coverage; /* build directory */
    const char *ref;      /* another compiler that compiles it right; NULL: options */
    const char *fail;     /* options that fail; NULL: to be found */
    const char *pass;     /* options that pass; NULL: to be found */
    const char *path;     /* the failing program; with `program`: only where files beside it are */
    Str program;          /* its text; empty: what is in path */
    Str input;            /* its standard input, where it is run */
    bool headers;         /* read notes of functions in headers, too, that are never ranked */
    double hang_s; /* CPU seconds after which a compilation hangs; 0: HANG_FACTOR times the time
                    * of the passing one, at least HANG_LEAST */
} SubjectSpec;

typedef struct Subject {
    Arena arena;
    Compiler cc;  /* uninstrumented where there is one */
    Compiler cov; /* with coverage */
    Compiler ref; /* wrong code: compiles it right: --ref, or found by us */
    bool has_ref;
    bool mapping; /* cov has culprit's runtime; else .gcda through GCOV_PREFIX */
    const char *programs[COV_PROGRAMS]; /* what has the runtime: cov itself, or opt and llc beside
                                           it (runtime/llvm-clang) */
    CovMap map;
    const char *const *base;   /* flags both builds always need; the first two are `beside` */
    const char *const *beside; /* finds files beside the program, for any compiler */
    const char *const *fail;   /* base and the failing options */
    const char *const *pass;   /* base (or nothing for a ref) and the passing options */
    const char *const *clang;  /* subject_clang's answer; NULL: not computed yet */
    Str fail_text, pass_text;  /* as the user would write them */
    Str source;
    Verdict failure; /* of the failing program: crash, hang or wrong */
    Symptom want;    /* the same, in the form others are compared with (cc/repro.h) */
    bool front_end;  /* it also crashes with -fsyntax-only: a mutant that is refused with an error
                        got through the front end without the crash, and passes */
    Str input;       /* standard input of the program */
    Str note;    /* what the user should know: another compiler was taken as reference, the passing
                    options fail as well; empty: nothing */
    Str refused; /* the first error of a compilation that was refused; empty: none was */
    const char *enough; /* GCC, a failed assertion: the message that says where; the backtrace after
                           it takes longer than the compilation and is not needed; else NULL */
    Str expected;       /* wrong code: the right output and exit status */
    int code;
    CodeRuns runs;    /* what previously run code did, for judging */
    double compile_s; /* CPU seconds after which a compilation is a hang */
    double pass_s;    /* CPU seconds the passing compilation took */
    double run_s;     /* CPU seconds after which a program counts as endless */
} Subject;

#define HANG_FIRST 5.0   /* CPU seconds the given program may always take */
#define HANG_LEAST 1.0   /* the same for every later compilation of a program that hangs */
#define HANG_FACTOR 20.0 /* times what compiling it with the passing options takes */
#define RUN_LEAST 0.05   /* CPU seconds a program may always take */
#define RUN_FACTOR 50.0  /* times what the failing program took, compiled right */

bool subject_open(Subject *s, const SubjectSpec *spec, Error *err);
/* Finds options and kind. A program that does the same with both options may be wrong with both:
 * then the other installed compilers are tried, and the one most of them agree with becomes the
 * reference. STATUS_NO when the program does not fail; a refused program does not count as that
 * (STATUS_BAD, with the compiler's first error), nor does an interrupted compilation. */
bool subject_find_failure(Subject *s, const SubjectSpec *spec, Error *err);
void subject_free(Subject *s);
/* base plus these, NULL-ended, in arena. */
const char *const *subject_flags(Subject *s, Arena *arena, const char *const *flags);
/* Arguments with which clang can read the program; GCC's own types are only defined if it cannot
 * otherwise. */
const char *const *subject_clang(Subject *s);
static inline bool subject_runs(const Subject *s) {
    return s->failure.kind == VERDICT_WRONG;
}

#endif

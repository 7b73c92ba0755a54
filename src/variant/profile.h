/* Profiling: the instrumented program is written, compiled, run, and what it saw becomes the
 * environments of its points.
 *
 * gcc-12 and clang-19 at -O0 both compile and run it: only what both recorded identically is used.
 * They evaluate operands in different orders, which a seed need not notice and a snippet may. For a
 * foreign target two compilers of that target do it: values of one machine say nothing of another.
 */
#ifndef CULPRIT_VARIANT_PROFILE_H
#define CULPRIT_VARIANT_PROFILE_H

#include "cc/compiler.h"
#include "variant/point.h"

typedef struct Profiler {
    Arena arena;              /* of the chain: directory, expected output */
    const char *dir;          /* working directory */
    const char *const *flags; /* for the compilers, NULL-ended; or NULL */
    const Compiler *by[2];    /* a gcc and a clang of a foreign target; NULL: this machine's own */
    double limit_s;           /* wall clock of a run */
    bool known;               /* expected and code are */
    Str expected;             /* output */
    int code;                 /* exit status */
    double compile_s, run_s;  /* CPU of the last profile_points */
} Profiler;

void profiler_init(Profiler *p, const char *const *flags, double limit_s);
void profiler_release(Profiler *p);
/* Runs the instrumented unit and fills seen and env of every point; sets are in the arena. Fails
 * when the program cannot be built, does not end in time or does not give the expected output. */
bool profile_points(Profiler *p, Arena *arena, const CUnit *unit, PointVec *points, Error *err);
/* The instrumented text alone: for tests and --dump. */
bool profile_instrument(const CUnit *unit, PointVec *points, Buf *out, Error *err);

#endif

/* See observe.h. */
#include "reduce/bulk/observe.h"
#include "base/file.h"
#include "base/quantity.h"
#include "base/toolchain.h"
#include "reduce/reduce_knobs.h"
#include "run/workdir.h"
#include <math.h>

static bool build(Arena *arena, const char *dir, const char *const *meant, double limit) {
    static const char *const compilers[] = { "gcc", "cc", TOOLCHAIN_CLANG, "clang" };
    for (size_t i = 0; i < COUNT_OF(compilers); i++) {
        if (!file_find_program(arena, compilers[i])) continue;
        const char *const first[] = { compilers[i], "-w", "-O0", NULL };
        const char *const rest[] = { "-o", "p.out", "p.c", "-lm", NULL };
        const char **argv = flags_plus(arena, flags_plus(arena, first, meant), rest);
        RunSpec spec = { .argv = argv, .dir = dir, .limits = { .wall_s = limit } };
        RunResult r = run_one(arena, &spec);
        if (run_ok(&r)) return true;
    }
    return false;
}

static bool find_told(Str err, Str *saw) {
    Str sign = STR("\nculprit-saw:");
    size_t at = STR_NONE;
    for (size_t k = str_find(err, sign, 0); k != STR_NONE; k = str_find(err, sign, k + 1)) at = k;
    if (at == STR_NONE) return false;
    *saw = str_sub(err, at + sign.len, err.len);
    return true;
}

Observation observation_of(Reducer *r, int side) {
    const Property *property = r->side[side].property;
    return (Observation){ .input = r->input,
                          .meant = property ? property_meaning(property) : NULL,
                          .left = r->until > 0 ? fmax(r->until - clock_now(), 0.1) : INFINITY,
                          .tokens = r->side[side].doc.count,
                          .endless = &r->side[side].endless };
}

/* Not one that only waited for a busy machine. */
static bool never_ends(const RunResult *r) {
    return r->end == RUN_TIMEOUT && r->cpu_s > REDUCE_PROFILE_SECONDS / 16;
}

bool observe(Arena *arena, const Observation *o, Str *saw) {
    Error err = { 0 };
    if (*o->endless && o->tokens * 2 > *o->endless) return false;
    const char *dir = workdir_new(arena, "profile");
    bool ok = file_write(file_join(arena, dir, "p.c"), o->text, &err) &&
              build(arena, dir, o->meant, fmin(o->left, 30));
    if (ok) {
        const char *argv[] = { file_join(arena, dir, "p.out"), NULL };
        RunSpec spec = { .argv = argv,
                         .dir = dir,
                         .input = o->input,
                         .profile = RUN_GENERATED,
                         .limits = { .wall_s = fmin(o->left, REDUCE_PROFILE_SECONDS) } };
        RunResult r = run_one(arena, &spec);
        *o->endless = never_ends(&r) ? o->tokens : 0;
        ok = r.end == RUN_EXITED && find_told(r.err, saw);
    }
    workdir_remove(dir);
    return ok;
}

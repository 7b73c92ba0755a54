/* Options of a compiler as it lists them itself, for programs that are only compiled: any
 * combination that it accepts must not crash it, so it does not matter here what an option does to
 * the meaning of a program (draw.h cares about that). */
#ifndef CULPRIT_HUNT_CRASH_STOCK_H
#define CULPRIT_HUNT_CRASH_STOCK_H

#include "base/rng.h"
#include "cc/passes.h"

typedef struct OptionStock {
    StrVec optimizers; /* "-fgcse", "-ffp-contract=off" (one entry for each value) */
    StrVec target;     /* "-mavx512f", "-mcmodel=large" */
    StrVec machines;   /* "-march=znver5" */
    CcParamVec params;
} OptionStock;

/* Asks the compiler; what it does not list stays empty. Texts live in the arena. */
void stock_fill(Arena *arena, const Compiler *cc, OptionStock *out);
void stock_release(OptionStock *stock);
/* A level and some more flags, NULL-ended. Not every set is one that the compiler accepts. */
const char *const *stock_draw(Arena *arena, const Compiler *cc, const OptionStock *stock, Rng *rng);

#endif

/* Flags drawn at random, and the compilers' own checks. Only switches that must not change what a
 * program does: optimisations on or off, limits of optimisations, instruction sets this machine
 * has. */
#ifndef CULPRIT_HUNT_DRAW_H
#define CULPRIT_HUNT_DRAW_H

#include "base/rng.h"
#include "cc/compiler.h"

/* A level and a few more flags, NULL-ended, in the arena. */
const char *const *draw_flags(Arena *arena, const Compiler *cc, Rng *rng);
/* One of the levels, perhaps with random flags, and a check: -fchecking=2, -fcompare-debug,
 * -verify-machineinstrs .. */
const char *const *draw_oracle(Arena *arena, const Compiler *cc, const char *const *levels,
                               bool random_flags, Rng *rng);

#endif

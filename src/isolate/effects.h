/* The pass of GCC in which an option first makes a difference: the failing program is compiled with
 * and without the option, each time with a dump after every pass; the first pass whose dumps differ
 * is the answer. For options that are no pass of their own (-fno-strict-aliasing, a debug counter),
 * whose difference may be made anywhere.
 *
 * Order: effects_begin, effects_first for each option, effects_end. */
#ifndef CULPRIT_ISOLATE_EFFECTS_H
#define CULPRIT_ISOLATE_EFFECTS_H

#include "isolate/isolation.h"

typedef struct Effects {
    Isolation *iso;
    Arena arena;
    StrVec
        names; /* of the dumps without an option: "program.c.043t.fre1", in order of the passes */
    StrVec texts; /* what they say */
} Effects;

/* False: the compiler writes no dumps; then there is nothing to end. */
bool effects_begin(Effects *effects, Isolation *iso);
/* "tree-fre1"; empty: no difference before the code is written. In the isolation's arena. */
Str effects_first(Effects *effects, Str option);
void effects_end(Effects *effects);

/* "tree-fre1" for the dump "program.c.043t.fre1"; empty where it is not of one pass. In the arena.
 */
Str effects_pass(Arena *arena, Str dump);

#endif

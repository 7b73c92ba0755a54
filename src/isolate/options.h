/* The same program with other options: the cheapest and nearest witnesses.
 *
 * 1. The failing options are made small: as many optimisations as possible, and then as many passes
 * as possible, are switched off while the failure stays, so that the failing run covers far less
 * (options_minimise).
 * 2. Each remaining flag and each remaining pass is switched off alone. Those that cure the failure
 * are witnesses, and name the pass (options_cures).
 * 3. Debug counters (GCC's -fdbg-cnt) stop a pass after a given number of transformations. Where
 * stopping at zero cures, the number is bisected: the run with one transformation less is the
 * nearest witness of all, and the run that just fails is another failing run (options_counters).
 * GCC only; for other compilers nothing happens. */
#ifndef CULPRIT_ISOLATE_OPTIONS_H
#define CULPRIT_ISOLATE_OPTIONS_H

#include "isolate/isolation.h"

bool options_minimise(Isolation *iso, Error *err);
bool options_cures(Isolation *iso, Error *err);
/* 4. What the failing run covers in each pass that cures, and up to the last of them: what runs
 * later is only a consequence. For a crash, in the pass it happens in. Needs culprit's runtime in
 * cc1. */
bool options_windows(Isolation *iso, Error *err);
bool options_counters(Isolation *iso, Error *err);
/* .. and in the pass where a flag or a counter that cures first makes a difference (effects.h). */
bool options_effects(Isolation *iso, Error *err);

/* 5. LLVM: the first pass, by -opt-bisect-limit, with which it fails, the runs without it and with
 * fewer passes; each pass of opt's pipeline left out; each -disable-* and -enable-* switch alone.
 * Nothing for other compilers. */
bool options_llvm(Isolation *iso, Error *err);
/* From a pipeline as opt prints it: for each pass the option that leaves it out, in the arena. */
void options_llvm_passes(Arena *arena, Str pipeline, StrVec *out);

/* From what clang writes with a limit: the name of the pass with this number; empty: not found. */
Str options_bisect_name(Str output, uint64_t limit);
/* From what clang -mllvm -help-hidden writes: the switches that can be flipped, in the arena. */
void options_llvm_switches(Arena *arena, Str help, StrVec *out);

/* The pass of an option, for people: "vrp1" of "-fdisable-tree-vrp1", "tree-vrp" of
 * "-fno-tree-vrp"; others stay as they are. */
Str option_pass(Str option);

/* A limit on how many transformations are done: with 0 the program passes. */
typedef struct LimitTest {
    bool (*fails)(void *user, uint64_t limit);
    bool (*over)(void *user); /* out of time */
    void *user;
} LimitTest;
enum { LIMIT_MOST = 1 << 20 };
/* A limit with which it fails although it passes with one less (the lowest, if there is only one
 * such step); 0: none up to LIMIT_MOST, or out of time. */
uint64_t options_bisect(const LimitTest *test);

#endif

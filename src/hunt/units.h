/* Proteus (Le, Sun, Su: Randomized Stress-Testing of Link-Time Optimizers, ISSTA 2015): one program
 * cut into several units, which are compiled at different levels, by one compiler with or without
 * link-time optimisation or by two compilers, and linked. The linked program must do what the whole
 * one does: one more oracle that costs nothing but its compilations.
 *
 * A plan says how: it is drawn once and applies to a program with any set of its snippets, so that
 * a failure can be minimised. */
#ifndef CULPRIT_HUNT_UNITS_H
#define CULPRIT_HUNT_UNITS_H

#include "base/rng.h"
#include "hunt/setup.h"

typedef struct UnitPlan {
    uint64_t seed;                   /* decides which function and variable goes into which unit */
    unsigned n;                      /* units */
    const size_t *by;                /* per unit: the compiler, an index in setup->compilers */
    const char *const *const *flags; /* per unit: level first, NULL-ended */
    size_t linker;                   /* likewise for linking */
    const char *const *link_flags;
} UnitPlan;

/* A plan in which compiler `own` has a part; NULL where it has no levels. */
const UnitPlan *units_draw(Arena *arena, const HuntSetup *setup, size_t own, Rng *rng);
/* The same units, every one at -O0 and without link-time optimisation. */
const UnitPlan *units_plain(Arena *arena, const HuntSetup *setup, const UnitPlan *plan);
/* The same units, with only unit k (k == plan->n: the linking) as in units_plain. */
const UnitPlan *units_plain_at(Arena *arena, const HuntSetup *setup, const UnitPlan *plan,
                               unsigned k);

/* Every unit by compiler `by` (which also links), those of the other compiler at -O0. NULL where
 * there is no other. */
const UnitPlan *units_by_one(Arena *arena, const HuntSetup *setup, const UnitPlan *plan, size_t by);
/* The same levels, without link-time optimisation. */
const UnitPlan *units_apart(Arena *arena, const UnitPlan *plan);

/* Cuts the program into n units, each a whole C file: every function and variable is defined in
 * one of them, by its name and the seed, and declared in the others; what was static gets external
 * linkage under a new name. False with why (a few words) where that might change what the program
 * does, or not compile: old-style definitions, aliases, inline assembly, .. */
bool units_split(Arena *arena, Str text, const char *const *flags, uint64_t seed, unsigned n,
                 Str *units, const char **why);
/* units_split as the plan says, for CcJob.units; NULL with why. Memory: arena. */
const CcUnit *units_make(Arena *arena, const HuntSetup *setup, const UnitPlan *plan, Str text,
                         const char **why);
/* "gcc-12 -O1 -flto; gcc-12 -O3 -flto; linked by gcc-12 -O2 -flto", for people. */
Str units_text(Arena *arena, const HuntSetup *setup, const UnitPlan *plan);
/* "units by gcc-12 -O1 -flto, gcc-12 -O3; linked by gcc-12 -O2": only what is above -O0, each once,
 * in a fixed order. Without versions, "gcc" for all of them, for buckets. */
Str units_key(Arena *arena, const HuntSetup *setup, const UnitPlan *plan, bool named);

#endif

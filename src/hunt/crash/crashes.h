/* Crash mode's own part: which sets of options a seed's mutants are compiled with, and the mutants.
 *
 * Sets are drawn for a seed and tried on it; those with which it is refused (options that exclude
 * each other, a language the seed is not in) are dropped, so that a refused mutant is refused for
 * its own sake. The first compiler filters: what it refuses is not given to the others, unless it
 * also refused the seed. */
#ifndef CULPRIT_HUNT_CRASH_CRASHES_H
#define CULPRIT_HUNT_CRASH_CRASHES_H

#include "hunt/seeds.h"
#include "hunt/trial.h"
#include "perturb/graft.h"

typedef struct CrashSets {
    TrialCells cells; /* of all compilers, CAMPAIGN_SETS each */
    bool *good;       /* by cell: the seed was accepted with it */
} CrashSets;

/* machine: -m options that the seed's suite asks for (NULL: none). Every other set has them: a
 * compiler of another kind may not know them, and the seed may need them. */
void crash_sets_draw(Arena *arena, const HuntSetup *setup, const char *const *machine, Rng *rng,
                     CrashSets *out);
/* What the seed's trial said about each. */
void crash_sets_judge(CrashSets *sets, const TrialResult *trial);
/* One cell of the compiler, drawn among the good ones; false: it has none. */
bool crash_sets_pick(const CrashSets *sets, size_t compiler, Rng *rng, TrialCells *out);
void crash_sets_release(CrashSets *sets);

/* Pieces of CAMPAIGN_POOL drawn programs among the seeds. NULL: no grammar. */
Grafts *crash_pool(const Seeds *seeds, uint64_t seed);
/* The text after a few edits; false: nothing applies. medley: mostly another one instead. */
bool crash_mutant(const Grafts *pool, Rng *rng, bool medley, bool gnu, Str text, Buf *out);

#endif

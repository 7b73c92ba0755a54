/* A trial: one program through every compiler at every level; whatever does not come out as it must
 * is a Failure. */
#ifndef CULPRIT_HUNT_TRIAL_H
#define CULPRIT_HUNT_TRIAL_H

#include "cc/repro.h"
#include "hunt/units.h"

/* One compiler with one set of flags. */
typedef struct TrialCell {
    size_t compiler;          /* index in setup->compilers */
    const char *const *flags; /* level first */
    CcUntil until;            /* oracles compile only */
    bool drawn;               /* flags were drawn at random, or are an oracle's */
    const UnitPlan *units;    /* the program in several units; NULL: in one. compiler and flags are
                                 those for linking */
    double compile_s;         /* CPU seconds until compiling is a hang; 0: CAMPAIGN_HANG_S */
} TrialCell;
typedef VEC(TrialCell) TrialCells;

typedef struct Failure {
    TrialCell cell;
    Verdict verdict; /* memory: the arena given to trial_run */
    Symptom symptom; /* what makes another failure the same one; likewise */
    Str actual;      /* wrong output, or the compiler's message */
} Failure;
typedef VEC(Failure) Failures;

typedef struct TrialResult {
    Failures failures;
    VerdictKind *verdicts; /* one per cell */
    unsigned unjudged;     /* VERDICT_NONE */
    bool full;             /* .. because a disk is full */
} TrialResult;             /* vec_release(&failures) */

/* What a chain remembers between its trials. */
typedef struct TrialMemory {
    Map *known; /* per compiler: hashes of code already seen to be right */
} TrialMemory;
void trial_memory_init(TrialMemory *memory, const HuntSetup *setup);
void trial_memory_release(TrialMemory *memory, const HuntSetup *setup);

/* The cells of the n-th program of a chain (0: the seed; last: the chain's end): every compiler at
 * every level; -O0 only on the seed and at the end. rng draws flags where the setup wants them. */
void trial_cells(Arena *arena, const HuntSetup *setup, unsigned n, bool last, Rng *rng,
                 TrialCells *cells);
/* skip[i]: cell i is left out (known to fail already, or the compiler refuses the seed). */
void trial_run(Arena *arena, const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
               const TrialCells *cells, const bool *skip, TrialMemory *memory, HuntCost *cost,
               TrialResult *result);
/* The level, and the flags that silence the compiler. */
const char *const *level_flags(Arena *arena, const Compiler *cc, const char *level);
/* One cell alone, with the subject's text given: a job ready to run, in no pool yet. cc: used
 * instead of the cell's own compiler; NULL: the cell's own. False when the program cannot be cut
 * into units: then the job can only be ended. */
bool trial_job(CcJob *job, const HuntSetup *setup, const HuntProgram *subject,
               const TrialCell *cell, const Compiler *cc);
/* The same, run; its verdict is VERDICT_NONE where there was no job. End it with cc_job_end. */
void trial_one(CcJob *job, const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
               const TrialCell *cell, const Compiler *cc);
/* Did the job of trial_one fail as the failure did? */
bool trial_alike(const CcJob *job, const Failure *failure);
/* The command of a cell, for people. */
Str trial_flags(Arena *arena, const HuntSetup *setup, const TrialCell *cell);

/* Does a compiler, or culprit itself, say that the disk is full? */
bool disk_is_full(Str message);

#endif

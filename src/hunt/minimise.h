/* A failure simplified before it is judged: only the snippets that matter (ddmin over them), only
 * the random flags that matter, and units compiled by one compiler and without optimisation where
 * that changes nothing. */
#ifndef CULPRIT_HUNT_MINIMISE_H
#define CULPRIT_HUNT_MINIMISE_H

#include "hunt/seeds.h"
#include "hunt/trial.h"

/* The program of a trial, and its outcome. */
typedef struct Trialled {
    const HuntSetup *setup;
    Pool *pool;
    const Seed *seed;
    MutateChain *chain;     /* NULL: the program is the seed itself */
    const Variant *variant; /* likewise */
    const TrialCells *cells;
    const TrialResult *result;
} Trialled;

/* needed has variant->snippets_len bytes; text (in the arena) is what is left. */
void minimise_snippets(Arena *arena, const Trialled *in, const Failure *failure, uint8_t *needed,
                       Str *text);
/* Simplifies the cell the subject fails in. */
void minimise_cell(Arena *arena, const Trialled *in, const HuntProgram *subject, Failure *failure);

#endif

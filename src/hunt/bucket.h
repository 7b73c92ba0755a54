/* From a verified failure to a case: the snippets that matter, the flag or pass it hangs on, the
 * versions that fail, and the key of its bucket. */
#ifndef CULPRIT_HUNT_BUCKET_H
#define CULPRIT_HUNT_BUCKET_H

#include "hunt/seeds.h"
#include "hunt/trial.h"
#include "store/store.h"

typedef struct BucketInput {
    const HuntSetup *setup;
    Pool *pool;
    const Seed *seed;
    MutateChain *chain;     /* NULL: the seed itself fails */
    const Variant *variant; /* likewise */
    const Failure *failure;
    const TrialCells *cells; /* the trial it was found in, for the case's matrix */
    const TrialResult *trial;
} BucketInput;

/* Leaves out the snippets that do not matter (ddmin over them); needed has variant->snippets_len
 * bytes; text (in the arena) is what is left. */
void minimise_snippets(Arena *arena, const BucketInput *in, uint8_t *needed, Str *text);
/* Fills c for the store; subject is the minimised failing program. */
void bucket_case(Arena *arena, const BucketInput *in, const HuntProgram *subject,
                 const uint8_t *needed, Case *c);

#endif

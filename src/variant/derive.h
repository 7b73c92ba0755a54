/* `culprit mutate` as a function: a program in, a chain of equivalent variants out. */
#ifndef CULPRIT_VARIANT_DERIVE_H
#define CULPRIT_VARIANT_DERIVE_H

#include "variant/mutate.h"

typedef struct MutateRequest {
    const char *path;      /* the C program; it is preprocessed first */
    MutateOptions options; /* its flags are used for preprocessing too */
    unsigned count;        /* variants wanted */
} MutateRequest;

typedef struct Derived {
    Variant variant;
    MutateCost cost;
} Derived;

typedef struct MutateResult {
    VEC(Derived) variants; /* texts belong to the chain */
    MutateChain *chain;
    Arena arena;
} MutateResult;

/* STATUS_NO where nothing in the program can be mutated. */
bool mutate_run(const MutateRequest *request, MutateResult *result, Error *err);
void mutate_result_release(MutateResult *result);

#endif

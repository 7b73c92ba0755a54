/* Kernels: small self-contained functions, of the kind optimisers like, with a known result.
 *
 * A kernel is a typed tree (scalars and arrays of integers up to 128 bits and of exact floating
 * point, loops of 16 to 1,000
 * iterations, nests, strides, reductions, early exits, builtins, vectors). One function draws it,
 * one interprets it, one prints it: a new construct needs one addition in each. It is drawn blindly
 * and then interpreted for every combination of its inputs' values; an operator that turns out to
 * be undefined is replaced by one that is not, and it is interpreted again. So its results are
 * exact.
 *
 *     KernelOrder order = { .inputs = vars, .inputs_len = n, .name = "cp_3f1" };
 *     Kernel k;
 *     if (kernel_make(&arena, &rng, &order, &k)) ... k.above, k.call, k.set ... */
#ifndef CULPRIT_VARIANT_KERNEL_KERNEL_H
#define CULPRIT_VARIANT_KERNEL_KERNEL_H

#include "base/rng.h"
#include "variant/env.h"
#include "variant/kernel/wide.h"

enum { KERNEL_INPUTS = 3 };

typedef struct KernelOrder {
    const EnvVar *inputs; /* its arguments: texts, types (no bit-fields), values */
    size_t inputs_len;    /* at most KERNEL_INPUTS */
    const char *name;     /* of the function; further names begin with it */
    bool plain;           /* no builtins, no __int128: for compilers that lack them */
    bool bitint;          /* _BitInt, too */
    bool reals;           /* floating point, too, as far as it is exact (dyadic.h) */
    bool lanes;           /* types of vectors above functions, too */
} KernelOrder;

typedef struct Kernel {
    Str above;               /* C: the function, and what it needs */
    Str call;                /* an expression of type result */
    IType result;            /* standard */
    ValueSet set;            /* all values the call may have */
    const uint64_t *results; /* .. for each combination of the inputs' values, the first input's
                              * changing fastest */
    size_t results_len;
} Kernel;

/* False: none was found that is defined and ends soon enough. Texts and sets are in the arena. */
bool kernel_make(Arena *arena, Rng *rng, const KernelOrder *order, Kernel *out);

#endif

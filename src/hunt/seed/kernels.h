/* Seeds made of kernels: a program of a dozen small functions with loops, vectors and wide integers
 * (variant/kernel), each called with values that the compiler may or may not see. The interpreter
 * says what it prints, so it needs no reference, no profile and no variants: nearly all the CPU of
 * such a campaign goes to the compilers under test. */
#ifndef CULPRIT_HUNT_SEED_KERNELS_H
#define CULPRIT_HUNT_SEED_KERNELS_H

#include "base/rng.h"
#include "cc/compiler.h"

typedef struct KernelsOrder {
    bool plain;  /* no builtins, no __int128 */
    bool bitint; /* _BitInt: every compiler under test knows it */
    bool lanes;  /* so does every one kernels_lanes holds for */
    bool reals;  /* floating point: no level changes what it means; the caller sees to it */
} KernelsOrder;

/* Whether it knows the builtins of kernels over vectors. */
bool kernels_lanes(const Compiler *cc);

/* What all of these compilers accept. */
KernelsOrder kernels_order(const CompilerVec *compilers);
/* Appends a program and what it prints; its exit status is 0. */
void kernels_draw(Rng *rng, const KernelsOrder *order, Buf *text, Buf *expected);

#endif

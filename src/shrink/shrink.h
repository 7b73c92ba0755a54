/* List minimisers over an abstract test: which elements of a list are needed for a failure?
 *
 * A Subset has one byte for each of the n elements: 1 stays, 0 goes. A minimiser proposes Rounds of
 * candidates in order of preference; the test answers with the first candidate IN ORDER whose
 * verdict is the wanted one. How it gets there (one at a time, many in flight, from a cache) is the
 * test's own business: the result does not depend on it. shrink/speculate.h is such a test over the
 * runner's pool; shrink_one_by_one turns a plain function into one.
 *
 *     ddmin       Zeller and Hildebrandt, Simplifying and isolating failure-inducing input, 2002
 *     dd          the same paper: narrows a passing and a failing subset towards each other
 *     cdd         counter-based delta debugging: ProbDD's block sizes from a counter alone, no
 *                 complements, no revisits (Zhang et al., Toward a better understanding of
 *                 probabilistic delta debugging, 2024)
 *     minimal     single elements until none can go: what makes any result 1-minimal
 */
#ifndef CULPRIT_SHRINK_SHRINK_H
#define CULPRIT_SHRINK_SHRINK_H

#include "base/base.h"

typedef enum ShrinkVerdict {
    SHRINK_FAILS,      /* the failure is there: interesting */
    SHRINK_PASSES,     /* it is not there */
    SHRINK_UNRESOLVED, /* neither: does not compile, fails in another way */
} ShrinkVerdict;

typedef struct ShrinkRound ShrinkRound;
struct ShrinkRound {
    size_t count; /* candidates, numbered in order of preference */
    size_t n;     /* elements of each */
    /* Writes candidate i into keep (n bytes) and returns the verdict that makes it a success. */
    ShrinkVerdict (*make)(const ShrinkRound *round, size_t i, uint8_t *keep);
    const void *state; /* the minimiser's own */
};

#define SHRINK_NONE ((size_t)-1) /* no candidate of the round succeeded */
#define SHRINK_STOP ((size_t)-2) /* stop now: interrupted, out of time */

typedef struct ShrinkTest {
    /* The first candidate in order with its wanted verdict; SHRINK_NONE or SHRINK_STOP. */
    size_t (*first)(void *user, const ShrinkRound *round);
    void *user;
} ShrinkTest;

/* Each takes the n bytes of keep as the failing start (the caller has tested it), narrows it in
 * place to a smaller failing subset, and returns how many elements are left. On SHRINK_STOP keep is
 * the best so far. */
size_t shrink_ddmin(const ShrinkTest *test, uint8_t *keep, size_t n);
size_t shrink_cdd(const ShrinkTest *test, uint8_t *keep, size_t n);
/* Single elements, from the last to the first, until a whole sweep changes nothing. */
size_t shrink_minimal(const ShrinkTest *test, uint8_t *keep, size_t n);
/* cdd, then minimal: the usual choice. */
size_t shrink_fast(const ShrinkTest *test, uint8_t *keep, size_t n);
/* dd: pass is the passing subset (usually all 0) and grows, fail shrinks; pass stays within fail.
 * The result is their difference: how many elements are in fail and not in pass. */
size_t shrink_dd(const ShrinkTest *test, uint8_t *pass, uint8_t *fail, size_t n);

/* The minimisers by name, for options and benchmarks; ends with a NULL name. */
typedef struct ShrinkMethod {
    const char *name;
    size_t (*run)(const ShrinkTest *test, uint8_t *keep, size_t n);
} ShrinkMethod;
extern const ShrinkMethod shrink_methods[];

/* A test from a plain function, one candidate after the other. */
typedef struct ShrinkPlain {
    ShrinkVerdict (*test)(void *user, const uint8_t *keep, size_t n);
    void *user;
    size_t tests; /* how many were run; the caller sets it to 0 first */
} ShrinkPlain;
ShrinkTest shrink_one_by_one(ShrinkPlain *plain);

#endif

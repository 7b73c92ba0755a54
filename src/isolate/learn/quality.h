/* How good a set of witnesses is, as RecBi measures it (its formulae 1 to 5):
 *     Q = n (alpha div + (1 - alpha) sim)
 * sim: mean similarity to the failing run; div: mean distance of the pairs (0 below two). Stored as
 * two sums, so that one more witness costs n distances. */
#ifndef CULPRIT_ISOLATE_LEARN_QUALITY_H
#define CULPRIT_ISOLATE_LEARN_QUALITY_H

#include "coverage/bits.h"
#include "isolate/isolate_knobs.h"

typedef struct Quality {
    uint64_t n;
    double similar;  /* sum of similarities */
    double distance; /* sum over pairs */
} Quality;

static inline double quality_sim(const Quality *q) {
    return q->n ? q->similar / (double)q->n : 0;
}

static inline double quality_div(const Quality *q) {
    return q->n < 2 ? 0 : q->distance / ((double)q->n * ((double)q->n - 1) / 2);
}

static inline double quality_value(const Quality *q) {
    return (double)q->n * (RECBI_ALPHA * quality_div(q) + (1 - RECBI_ALPHA) * quality_sim(q));
}

/* The set with one more witness, of this similarity and this sum of distances to the others. */
static inline Quality quality_with(const Quality *q, double similarity, double distances) {
    return (Quality){ q->n + 1, q->similar + similarity, q->distance + distances };
}

#endif

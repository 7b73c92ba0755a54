/* How good a set of witnesses is, as RecBi measures it (its formulae 1 to 5):
 *     Q = n (alpha div + (1 - alpha) sim)
 * sim: mean similarity to the failing run; div: mean distance of the pairs (0 below two). Kept as
 * two sums, so that one more witness costs n distances. */
#ifndef CULPRIT_ISOLATE_QUALITY_H
#define CULPRIT_ISOLATE_QUALITY_H

#include "coverage/bits.h"

typedef struct Quality {
    uint64_t n;
    double similar;  /* sum of similarities */
    double distance; /* sum over pairs */
} Quality;

double quality_sim(const Quality *q);
double quality_div(const Quality *q);
double quality_value(const Quality *q);
/* The set with one more, at this similarity and this sum of distances to those that are in it. */
Quality quality_with(const Quality *q, double similarity, double distances);

#endif

/* Athena's distance of a variant Q from its seed P:
 * D(Q) = a * Jaccard distance of basic blocks + b * Jaccard distance of control-flow edges
 *        - c * relative size difference. */
#ifndef CULPRIT_VARIANT_DISTANCE_H
#define CULPRIT_VARIANT_DISTANCE_H

#include "cfront/cfront.h"

typedef struct Outline {
    VEC(uint64_t) blocks, edges; /* hashes, ascending, no duplicates */
    size_t statements;           /* size of the program */
} Outline;

void outline_of(Outline *out, const CUnit *unit);
void outline_release(Outline *o);
double outline_distance(const Outline *seed, const Outline *variant);

#endif

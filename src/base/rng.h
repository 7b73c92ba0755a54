/* Repeatable random numbers in independent streams.
 *
 * Every unit of work (a program, a variant, a mutant) takes a stream of its own from the run's seed
 * and its number, never from a shared generator: so the results of a run do not depend on how many
 * workers there are or in which order they finish. xoshiro256** seeded through splitmix64. */
#ifndef CULPRIT_BASE_RNG_H
#define CULPRIT_BASE_RNG_H

#include "base/base.h"

typedef struct Rng {
    uint64_t s[4];
} Rng;

Rng rng_new(uint64_t seed);
/* The stream named by (seed, purpose, index): always the same, and unrelated to any other. */
Rng rng_stream(uint64_t seed, const char *purpose, uint64_t index);
uint64_t rng_next(Rng *rng);
uint64_t rng_below(Rng *rng, uint64_t n);                 /* uniform in 0..n-1; n > 0 */
int64_t rng_between(Rng *rng, int64_t low, int64_t high); /* both ends included */
double rng_real(Rng *rng);                                /* [0, 1) */
double rng_normal(Rng *rng);                              /* mean 0, deviation 1 */
bool rng_chance(Rng *rng, double p);
/* An index with probability weight[i] / sum; all weights >= 0, at least one > 0. */
size_t rng_weighted(Rng *rng, const double *weight, size_t n);
void rng_shuffle(Rng *rng, void *array, size_t n, size_t size);

#endif

/* Sets of statements as bit sets: one for each run of the compiler. Counting is a popcount, the
 * distance of two runs a few microseconds. */
#ifndef CULPRIT_COVERAGE_BITS_H
#define CULPRIT_COVERAGE_BITS_H

#include "base/base.h"

typedef struct Bits {
    uint64_t *words;
    uint32_t n_bits; /* the same in all sets that are combined */
} Bits;

Bits bits_new(uint32_t n_bits); /* empty; bits_free gives it back */
void bits_free(Bits *bits);
static inline uint32_t bits_words(const Bits *b) {
    return (b->n_bits + 63) / 64;
}
static inline void bits_set(Bits *b, uint32_t i) {
    b->words[i / 64] |= 1ull << (i % 64);
}
static inline bool bits_has(const Bits *b, uint32_t i) {
    return b->words[i / 64] >> (i % 64) & 1;
}
void bits_clear(Bits *b);
uint32_t bits_count(const Bits *b);
uint32_t bits_count_and(const Bits *a, const Bits *b);
void bits_and(Bits *a, const Bits *b); /* a becomes a and b */
/* Jaccard distance: 1 - |a and b| / |a or b|; 0 for two empty sets. */
double bits_distance(const Bits *a, const Bits *b);
/* The same over the statements in mask only. */
double bits_distance_in(const Bits *a, const Bits *b, const Bits *mask);

#endif

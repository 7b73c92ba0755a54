/* Bit sets; see bits.h. */
#include "coverage/bits.h"

Bits bits_new(uint32_t n_bits) {
    Bits b = { NULL, n_bits };
    b.words = mem_alloc((bits_words(&b) + 1) * sizeof(uint64_t));
    return b;
}

void bits_free(Bits *b) {
    mem_free(b->words);
    b->words = NULL;
}

void bits_clear(Bits *b) {
    memset(b->words, 0, bits_words(b) * sizeof(uint64_t));
}

uint32_t bits_count(const Bits *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < bits_words(b); i++) n += (uint32_t)__builtin_popcountll(b->words[i]);
    return n;
}

uint32_t bits_count_and(const Bits *a, const Bits *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < bits_words(a); i++)
        n += (uint32_t)__builtin_popcountll(a->words[i] & b->words[i]);
    return n;
}

void bits_and(Bits *a, const Bits *b) {
    for (uint32_t i = 0; i < bits_words(a); i++) a->words[i] &= b->words[i];
}

static double jaccard(uint32_t both, uint32_t any) {
    return any ? 1.0 - (double)both / any : 0.0;
}

double bits_distance(const Bits *a, const Bits *b) {
    uint32_t both = 0, any = 0;
    for (uint32_t i = 0; i < bits_words(a); i++) {
        both += (uint32_t)__builtin_popcountll(a->words[i] & b->words[i]);
        any += (uint32_t)__builtin_popcountll(a->words[i] | b->words[i]);
    }
    return jaccard(both, any);
}

double bits_distance_in(const Bits *a, const Bits *b, const Bits *mask) {
    uint32_t both = 0, any = 0;
    for (uint32_t i = 0; i < bits_words(a); i++) {
        both += (uint32_t)__builtin_popcountll(a->words[i] & b->words[i] & mask->words[i]);
        any += (uint32_t)__builtin_popcountll((a->words[i] | b->words[i]) & mask->words[i]);
    }
    return jaccard(both, any);
}

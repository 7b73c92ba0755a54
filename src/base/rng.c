/* xoshiro256** (Blackman and Vigna), state filled by splitmix64. */
#include "base/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

Rng rng_new(uint64_t seed) {
    Rng rng;
    for (int i = 0; i < 4; i++) rng.s[i] = splitmix(&seed);
    return rng;
}

Rng rng_stream(uint64_t seed, const char *purpose, uint64_t index) {
    uint64_t name = str_hash(str_from(purpose));
    uint64_t state = seed;
    uint64_t mixed = splitmix(&state) ^ name;
    mixed = splitmix(&mixed) ^ index;
    return rng_new(splitmix(&mixed));
}

static uint64_t rotl(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

uint64_t rng_next(Rng *rng) {
    uint64_t *s = rng->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t rng_below(Rng *rng, uint64_t n) {
    CHECK(n > 0);
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;
    do x = rng_next(rng);
    while (x >= limit);
    return x % n;
}

int64_t rng_between(Rng *rng, int64_t low, int64_t high) {
    CHECK(low <= high);
    uint64_t span = (uint64_t)high - (uint64_t)low;
    uint64_t offset = span == UINT64_MAX ? rng_next(rng) : rng_below(rng, span + 1);
    return (int64_t)((uint64_t)low + offset);
}

double rng_real(Rng *rng) {
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

double rng_normal(Rng *rng) {
    double u = 1.0 - rng_real(rng), v = rng_real(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

bool rng_chance(Rng *rng, double p) {
    return rng_real(rng) < p;
}

size_t rng_weighted(Rng *rng, const double *weight, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += weight[i];
    CHECK(sum > 0);
    double at = rng_real(rng) * sum;
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (weight[i] <= 0) continue;
        last = i;
        if ((at -= weight[i]) < 0) break;
    }
    return last;
}

void rng_shuffle(Rng *rng, void *array, size_t n, size_t size) {
    char *bytes = array;
    for (size_t i = n; i > 1; i--) {
        char *a = bytes + (i - 1) * size, *b = bytes + rng_below(rng, i) * size;
        for (size_t k = 0; k < size; k++) {
            char kept = a[k];
            a[k] = b[k];
            b[k] = kept;
        }
    }
}

/* About a billion executed instructions of the unoptimised code: a run far longer than what is kept
 * of it. A small machine that interprets a loop over a table. */
#include <stdio.h>

enum { SIZE = 1 << 12 };
static unsigned table[SIZE];

static unsigned step(unsigned state, unsigned at) {
    unsigned *cell = &table[at % SIZE];
    switch (state & 3) {
    case 0: *cell += state; break;
    case 1: *cell ^= state >> 3; break;
    case 2: *cell = state * 5; break;
    default: state += *cell;
    }
    return state * 1664525u + 1013904223u;
}

int main(void) {
    unsigned state = 1;
    for (unsigned i = 0; i < 27000000u; i++) state = step(state, i ^ state >> 16);
    unsigned sum = 0;
    for (unsigned i = 0; i < SIZE; i++) sum = sum * 31 + table[i];
    printf("%u %u\n", state, sum);
    return 0;
}

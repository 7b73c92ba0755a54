#include <stdio.h>

static unsigned table[5] = { 9, 14, 23, 31, 47 };

static unsigned mix(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 5; i++) sum += table[i] % a + b;
    return sum;
}

int main(void) {
    unsigned step = 4u;
    unsigned total = mix(7u, step);
    printf("%u\n", total);
    return 0;
}

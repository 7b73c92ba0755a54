/* LZW of generated text: arrays, bits, bytes. */
#include <stdio.h>
#include <string.h>
enum { CODES = 4096, SIZE = 40000 };
static unsigned char input[SIZE];
static int prefix[CODES], last[CODES], first_child[CODES], sibling[CODES];
int main(void) {
    unsigned seed = 3, checksum = 0;
    for (int i = 0; i < SIZE; i++) {
        seed = seed * 1664525 + 1013904223;
        input[i] = (unsigned char)("etaoin shrdlu"[(seed >> 24) % 13]);
    }
    int used = 256, code = input[0], written = 0;
    memset(first_child, -1, sizeof first_child);
    for (int i = 1; i < SIZE; i++) {
        int child = first_child[code];
        while (child >= 0 && last[child] != input[i]) child = sibling[child];
        if (child >= 0) {
            code = child;
            continue;
        }
        checksum = (checksum << 5 | checksum >> 27) ^ (unsigned)code;
        written++;
        if (used < CODES) {
            prefix[used] = code;
            last[used] = input[i];
            sibling[used] = first_child[code];
            first_child[code] = used++;
        }
        code = input[i];
    }
    printf("%d codes, %08x\n", written, checksum);
    return 0;
}

/* Packs a text by the steps of a file, unpacks it again and prints what came back.
 *
 *     driver STEPS
 *
 * Each line is "LEVEL IN OUT FLUSH": the level to change to, how many bytes of the text to hand
 * over, how much room there is for the result, and the kind of flush. Then everything left is
 * packed with Z_FINISH. */
#include "zlib.h"

#include <stdio.h>
#include <string.h>

static unsigned char text[1 << 15], packed[1 << 17], back[1 << 16];

static void make_text(void) {
    unsigned state = 1;
    for (unsigned i = 0; i < sizeof text; i++) {
        state = state * 1103515245u + 12345u;
        text[i] = (unsigned char)('a' + (state >> 16) % 5);
    }
}

static unsigned long pack(FILE *steps) {
    z_stream s;
    int level, flush, now = 0;
    unsigned in, out;
    memset(&s, 0, sizeof s);
    s.next_in = text;
    s.next_out = packed;
    deflateInit2(&s, 0, Z_DEFLATED, -9, 1, Z_DEFAULT_STRATEGY);
    while (fscanf(steps, "%d %u %u %d", &level, &in, &out, &flush) == 4) {
        if (s.next_in + s.avail_in + in > text + sizeof text) break;
        s.avail_in += in;
        s.avail_out = out;
        if (level != now && deflateParams(&s, level, Z_DEFAULT_STRATEGY) == Z_OK) now = level;
        deflate(&s, flush);
    }
    s.avail_out = (unsigned)(packed + sizeof packed - s.next_out);
    deflate(&s, Z_FINISH);
    unsigned long size = s.total_in;
    deflateEnd(&s);
    return size;
}

static unsigned long unpack(void) {
    z_stream s;
    memset(&s, 0, sizeof s);
    inflateInit2(&s, -9);
    s.next_in = packed;
    s.avail_in = sizeof packed;
    s.next_out = back;
    s.avail_out = sizeof back;
    int code = inflate(&s, Z_FINISH);
    if (code != Z_STREAM_END) printf("error %d\n", code);
    unsigned long size = s.total_out;
    inflateEnd(&s);
    return size;
}

int main(int argc, char **argv) {
    FILE *steps = argc == 2 ? fopen(argv[1], "r") : 0;
    if (!steps) return 2;
    make_text();
    unsigned long taken = pack(steps), given = unpack(), i = 0;
    while (i < taken && i < given && back[i] == text[i]) i++;
    printf("%lu bytes, %lu back, alike up to %lu\n", taken, given, i);
    return 0;
}

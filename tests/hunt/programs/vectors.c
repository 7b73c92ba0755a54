/* Types that no value is recorded of, between variables of which one is: vectors, __int128, unions
 * of a vector and an array, pointers into a vector. */
#include <stdio.h>
#include <string.h>

typedef int V4 __attribute__((vector_size(16)));
typedef unsigned char V8 __attribute__((vector_size(8)));
typedef float F4 __attribute__((vector_size(16)));
typedef __int128 Wide;
typedef union { V4 all; int each[4]; long two[2]; } Both;
struct Mixed { short tag; V4 v; Wide w; unsigned char bytes[16]; };

static V4 base = { 1, -2, 3, -4 };
static int plain[8] = { 9, 8, 7, 6, 5, 4, 3, 2 };
static Wide total = 1;
static Both both = { { 10, 20, 30, 40 } };
static struct Mixed mixed[2];
static unsigned long hash = 14695981039346656037ul;

static void mix(long x) {
    hash ^= (unsigned long)x;
    hash *= 1099511628211ul;
}

static V4 turn(V4 v, int by) {
    V4 out = v;
    for (int i = 0; i < 4; i++) out[(i + by) & 3] = v[i];
    if (by > 2) out = -out;
    return out;
}

static int sum(V4 v) {
    int s = 0;
    for (int i = 0; i < 4; i++) s += v[i];
    return s;
}

static Wide widen(long a, unsigned b) {
    Wide w = (Wide)a * ((Wide)1 << 40);
    w += b;
    return w - (w >> 3);
}

static void shift(struct Mixed *m, int n) {
    int own = n;
    m->v = turn(base, n) + (V4){ n, n, n, n };
    m->tag += (short)sum(m->v);
    m->w = widen(m->tag, (unsigned)n);
    memcpy(m->bytes, &m->v, sizeof m->v);
    own += m->bytes[n & 15];
    if (own > 100) own -= 100;
    mix(own);
}

static void half(void) {
    V8 few = { 1, 2, 3, 250, 251, 252, 253, 254 };
    F4 f = { 0.5f, 1.5f, -2.0f, 4.0f };
    int k = 3;
    few += (V8){ 10, 10, 10, 10, 10, 10, 10, 10 };
    f *= 2.0f;
    k += few[3] + (int)f[2];
    mix(k);
    mix(few[7]);
}

int main(void) {
    for (int i = 0; i < 12; i++) {
        struct Mixed *m = &mixed[i & 1];
        int *in = &plain[i & 7];
        shift(m, i);
        V4 loaded;
        memcpy(&loaded, plain + (i & 3), sizeof loaded);
        both.all += loaded;
        both.each[i & 3] ^= *in;
        base = turn(base, i) ^ (both.all < loaded);
        total = total * 3 + m->w;
        *in += i - both.each[0] % 5;
        half();
        mix(sum(base));
        mix((long)(total >> 17));
    }
    for (int i = 0; i < 8; i++) mix(plain[i]);
    printf("%lx %d %ld\n", hash, sum(both.all), (long)(unsigned long)total);
    return 0;
}

/* Exact floating point over integers; see dyadic.h. */
#include "variant/kernel/dyadic.h"

typedef unsigned __int128 Bits128;

typedef struct RealFormat {
    const char *name, *suffix;
    uint8_t precision;
    uint8_t fraction, exponent; /* bits in memory, of float and double */
} RealFormat;

static const RealFormat formats[R_KINDS] = {
    [R_FLOAT] = { "float", "f", 24, 23, 8 },
    [R_DOUBLE] = { "double", "", 53, 52, 11 },
    [R_LONG] = { "long double", "L", 64, 0, 0 },
};

const char *dyadic_name(RealKind kind) {
    return formats[kind].name;
}
unsigned dyadic_bits(RealKind kind) {
    return formats[kind].precision;
}

static unsigned length(Bits128 x) {
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    return high  ? 128 - (unsigned)__builtin_clzll(high)
           : low ? 64 - (unsigned)__builtin_clzll(low)
                 : 0;
}

static unsigned trailing(Bits128 x) {
    uint64_t low = (uint64_t)x;
    return low ? (unsigned)__builtin_ctzll(low) : 64 + (unsigned)__builtin_ctzll(x >> 64);
}

bool dyadic_of(bool negative, Bits128 magnitude, int e, Dyadic *out) {
    *out = (Dyadic){ .negative = negative };
    if (!magnitude) return true;
    unsigned zeros = trailing(magnitude);
    magnitude >>= zeros;
    if (length(magnitude) > 64) return false;
    out->m = (uint64_t)magnitude;
    out->e = e + (int)zeros;
    return true;
}

int dyadic_top(Dyadic a) {
    return a.e + (int)length(a.m) - 1;
}

bool dyadic_fits(Dyadic d, RealKind kind) {
    if (!d.m) return true;
    int top = dyadic_top(d);
    return length(d.m) <= formats[kind].precision && top <= DYADIC_HIGHEST && top >= DYADIC_LOWEST;
}

static int order_magnitudes(Dyadic a, Dyadic b) {
    if (!a.m || !b.m) return (a.m != 0) - (b.m != 0);
    int x = dyadic_top(a), y = dyadic_top(b);
    if (x != y) return x < y ? -1 : 1;
    int least = a.e < b.e ? a.e : b.e; /* both have the same top and at most 64 bits */
    Bits128 p = (Bits128)a.m << (a.e - least), q = (Bits128)b.m << (b.e - least);
    return (p > q) - (p < q);
}

int dyadic_order(Dyadic a, Dyadic b) {
    bool minus = a.negative && a.m, other = b.negative && b.m;
    if (minus != other) return minus ? -1 : 1;
    return minus ? order_magnitudes(b, a) : order_magnitudes(a, b);
}

Dyadic dyadic_negate(Dyadic a) {
    a.negative = !a.negative;
    return a;
}

bool dyadic_add(Dyadic a, Dyadic b, Dyadic *out) {
    if (!a.m && !b.m) {
        *out = (Dyadic){ .negative = a.negative && b.negative };
        return true;
    }
    if (!a.m || !b.m) return *out = a.m ? a : b, true;
    int least = a.e < b.e ? a.e : b.e;
    if (a.e - least > 62 || b.e - least > 62) return false; /* both ends of the sum are set */
    __int128 x = (__int128)a.m << (a.e - least), y = (__int128)b.m << (b.e - least);
    __int128 sum = (a.negative ? -x : x) + (b.negative ? -y : y);
    return dyadic_of(sum < 0, (Bits128)(sum < 0 ? -sum : sum), least, out);
}

bool dyadic_multiply(Dyadic a, Dyadic b, Dyadic *out) {
    return dyadic_of(a.negative != b.negative, (Bits128)a.m * b.m, a.e + b.e, out);
}

/* Odd by odd: exact where there is no rest. */
bool dyadic_divide(Dyadic a, Dyadic b, Dyadic *out) {
    if (!b.m || a.m % b.m) return false;
    return dyadic_of(a.negative != b.negative, a.m / b.m, a.e - b.e, out);
}

bool dyadic_whole(Dyadic a, Bits128 *magnitude) {
    *magnitude = 0;
    if (!a.m || a.e <= -64) return true;
    if (a.e >= 0 && dyadic_top(a) > 126) return false;
    *magnitude = a.e >= 0 ? (Bits128)a.m << a.e : a.m >> -a.e;
    return true;
}

uint64_t dyadic_encode(Dyadic a, RealKind kind) {
    const RealFormat *f = &formats[kind];
    CHECK(f->fraction && dyadic_fits(a, kind));
    uint64_t sign = (uint64_t)a.negative << (f->fraction + f->exponent);
    if (!a.m) return sign;
    int bias = (1 << (f->exponent - 1)) - 1;
    uint64_t fraction = a.m << (f->precision - length(a.m));
    fraction &= ((uint64_t)1 << f->fraction) - 1;
    return sign | (uint64_t)(dyadic_top(a) + bias) << f->fraction | fraction;
}

bool dyadic_decode(uint64_t bits, RealKind kind, Dyadic *out) {
    const RealFormat *f = &formats[kind];
    bool negative = bits >> (f->fraction + f->exponent) & 1;
    uint64_t exponent = bits >> f->fraction & (((uint64_t)1 << f->exponent) - 1);
    uint64_t fraction = bits & (((uint64_t)1 << f->fraction) - 1);
    int bias = (1 << (f->exponent - 1)) - 1;
    *out = (Dyadic){ .negative = negative };
    if (!exponent) return !fraction;
    dyadic_of(negative, fraction | (uint64_t)1 << f->fraction, (int)exponent - bias - f->fraction,
              out);
    return dyadic_fits(*out, kind);
}

/* Factors of a product are exact themselves; 2^62 is a constant of every dialect. */
static void print_product(Dyadic a, const char *suffix, Buf *out) {
    int e = a.e;
    buf_fmt(out, "%llu.0%s", (unsigned long long)a.m, suffix);
    for (; e > 0; e -= e < 62 ? e : 62)
        buf_fmt(out, " * %llu.0%s", 1ull << (e < 62 ? e : 62), suffix);
    for (; e < 0; e += -e < 62 ? -e : 62)
        buf_fmt(out, " / %llu.0%s", 1ull << (-e < 62 ? -e : 62), suffix);
}

void dyadic_print(Dyadic a, RealKind kind, Buf *out) {
    buf_text(out, a.negative ? "(-(" : "((");
    print_product(a, formats[kind].suffix, out);
    buf_text(out, "))");
}

/* Floating-point numbers that need no rounding: sign * m * 2^e.
 *
 * A result is given only where it is exact, in the working precision of 64 bits and, once it is
 * asked for (dyadic_fits), in that of its type, neither huge nor tiny. What is exact is the same
 * under every rounding mode, with excess precision, and fused with the next operation; so a program
 * that computes nothing else prints the same everywhere, without anything being assumed about
 * compilers or machines. Zero has a sign. There are no infinities and no NaNs. */
#ifndef CULPRIT_VARIANT_KERNEL_DYADIC_H
#define CULPRIT_VARIANT_KERNEL_DYADIC_H

#include "base/base.h"

typedef enum RealKind { R_FLOAT, R_DOUBLE, R_LONG, R_KINDS } RealKind;

typedef struct Dyadic {
    uint64_t m; /* odd, or 0 */
    int32_t e;  /* of 0: 0 */
    bool negative;
} Dyadic;

enum {
    DYADIC_HIGHEST = 120, /* exponents of the highest bit: float has -126 to 127, and may flush */
    DYADIC_LOWEST = -100, /* what is below */
};

/* False: it has more than 64 bits between the highest and the lowest that are set. */
bool dyadic_of(bool negative, unsigned __int128 magnitude, int e, Dyadic *out);
bool dyadic_fits(Dyadic d, RealKind kind); /* a number of the type */
int dyadic_order(Dyadic a, Dyadic b);      /* -1, 0, 1; zeros are equal */
Dyadic dyadic_negate(Dyadic a);
/* False: not exact, or (divide) by zero. */
bool dyadic_add(Dyadic a, Dyadic b, Dyadic *out);
bool dyadic_multiply(Dyadic a, Dyadic b, Dyadic *out);
bool dyadic_divide(Dyadic a, Dyadic b, Dyadic *out);
int dyadic_top(Dyadic a); /* exponent of its highest bit; not of 0 */
/* Towards zero; false: its magnitude needs more than 127 bits. */
bool dyadic_whole(Dyadic a, unsigned __int128 *magnitude);
/* The bits of a float or double that it fits, and back; false: not in the range above. */
uint64_t dyadic_encode(Dyadic a, RealKind kind);
bool dyadic_decode(uint64_t bits, RealKind kind, Dyadic *out);
/* As C, of exactly the type; a product where it has a fraction: C89 has no hexadecimal ones. */
void dyadic_print(Dyadic a, RealKind kind, Buf *out);
const char *dyadic_name(RealKind kind); /* "double" */
unsigned dyadic_bits(RealKind kind);    /* of precision */

#endif

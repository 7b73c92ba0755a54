/* Integers of 512 bits, for _BitInt wider than 128: what wide.c needs of them. Two's complement,
 * the lowest limb first; schoolbook algorithms, since operands are few and short. */
#ifndef CULPRIT_VARIANT_KERNEL_BIG_H
#define CULPRIT_VARIANT_KERNEL_BIG_H

#include "base/base.h"

enum { BIG_LIMBS = 8, BIG_BITS = 64 * BIG_LIMBS };

typedef struct Big {
    uint64_t at[BIG_LIMBS];
} Big;

bool big_negative(Big a); /* its highest bit */
bool big_is_zero(Big a);
bool big_same(Big a, Big b);
int big_order(Big a, Big b); /* unsigned: -1, 0, 1 */
unsigned big_length(Big a);  /* bits up to the highest set one, unsigned */
Big big_small(uint64_t value);
Big big_not(Big a);
Big big_negate(Big a);
Big big_add(Big a, Big b);
Big big_shift_left(Big a, unsigned count);             /* below BIG_BITS, as the next one */
Big big_shift_right(Big a, unsigned count, bool sign); /* sign: copies of the highest bit come in */
/* The low half of the product; *over: unsigned, it does not fit. */
Big big_multiply(Big a, Big b, bool *over);
/* Unsigned; b is not 0. */
void big_divide(Big a, Big b, Big *quotient, Big *rest);
/* Its lowest bits, 1 to BIG_BITS of them, extended. */
Big big_cut(Big a, unsigned bits, bool is_signed);

#endif

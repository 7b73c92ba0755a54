/* Integers of any width up to 500 bits (the standard types of eval.h, __int128 and _BitInt(N)) and
 * floating point that is exact (dyadic.h), under one evaluator.
 *
 * Conversions are those of C23 6.3.1: bit-precise types are not promoted, and rank by width, below
 * a standard type of the same width. Operators give the value with the type of the result, or a
 * flaw and no value, as in eval.h, which the standard types agree with (tests/hunt/kernels.c).
 * Mixing
 * __int128 and _BitInt is not defined here: cast one of them first; nor is _BitInt with floating
 * point. */
#ifndef CULPRIT_VARIANT_KERNEL_WIDE_H
#define CULPRIT_VARIANT_KERNEL_WIDE_H

#include "variant/eval.h"
#include "variant/kernel/big.h"
#include "variant/kernel/dyadic.h"

typedef unsigned __int128 Bits128;

typedef enum WFamily { W_STANDARD, W_INT128, W_BITINT, W_REAL } WFamily;

/* Below BIG_BITS, so that a sum still fits there. */
enum { WIDE_BITS_MOST = 500 };

typedef struct WType {
    uint8_t family; /* WFamily */
    uint8_t kind;   /* W_STANDARD: IKind; W_REAL: RealKind */
    bool is_signed;
    uint16_t bits; /* value bits with the sign, 1 to WIDE_BITS_MOST; of a real type: in memory */
} WType;

typedef struct WVal {
    Bits128 bits; /* extended to 128 bits as its type's signedness says; of a real type: 0 */
    union {
        uint64_t more[6]; /* of a type wider than that: those above; of others: anything */
        Dyadic real;      /* of a real type */
    };
    WType type;
} WVal;

WType wtype_of(IType type); /* no bit-field */
WType wtype_int128(bool is_signed);
WType wtype_bitint(unsigned bits, bool is_signed);
WType wtype_real(RealKind kind);
bool wtype_is_real(WType type);
bool wtype_same(WType a, WType b);
void wtype_print(WType type, Buf *out); /* "unsigned _BitInt(77)" */
WType wtype_promote(WType type);
WType wtype_common(WType a, WType b);
WType wtype_unary(IUnary op, WType a);
WType wtype_binary(IBinary op, WType a, WType b);

WVal wide_of(IVal v);
IVal wide_narrow(WVal v);                  /* of a standard type */
WVal wide_value(WType type, Bits128 bits); /* converted to the type, from an unsigned number */
WVal wide_big(WType type, Big value);      /* .. from a signed one */
WVal wide_real(WType type, Dyadic value);  /* which fits the type */
bool wide_zero(WVal v);
bool wide_below(WVal v, uint64_t limit); /* and not negative */
bool wide_negative(WVal v);
/* The value as C text of exactly its type, safe in any expression. */
void wide_print(WVal v, Buf *out);
/* Conversion; to _Bool as well. It has a flaw only where floating point is involved. */
EvalFlaw wide_convert(WVal v, WType to, WVal *out);
WVal wide_cast(WVal v, WType to); /* the same, of what has none */
/* Whether floating point has the operator. */
bool wide_real_has(IBinary op);
EvalFlaw wide_unary(IUnary op, WVal a, WVal *out);
EvalFlaw wide_binary(IBinary op, WVal a, WVal b, WVal *out);

#endif

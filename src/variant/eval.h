/* C's integer arithmetic as x86-64 compilers do it, with every undefined behaviour named.
 *
 * An IVal is a value with its type. The types are the twelve integer types and their bit-fields up
 * to 64 bits; an enumeration is the integer type it is compatible with. Operators take operands of
 * any of these, promote and convert them as C17 6.3.1 says, and give the value with the type of the
 * result, or a flaw and no value. Nothing here allocates or fails in any other way.
 *
 * Where compilers may choose, gcc and clang agree and so do we: narrowing conversions wrap, >> of
 * a negative value is arithmetic, plain char is signed. Bit-fields wider than int do differ between
 * the two (gcc computes in the field's width): convert them with eval_cast before any operator. */
#ifndef CULPRIT_VARIANT_EVAL_H
#define CULPRIT_VARIANT_EVAL_H

#include "base/base.h"

typedef enum IKind {
    I_BOOL,
    I_CHAR,
    I_SCHAR,
    I_UCHAR,
    I_SHORT,
    I_USHORT,
    I_INT,
    I_UINT,
    I_LONG,
    I_ULONG,
    I_LLONG,
    I_ULLONG,
    I_KINDS
} IKind;

typedef struct IType {
    uint8_t kind;  /* IKind */
    uint8_t width; /* of a bit-field, in bits; 0: no bit-field */
} IType;

typedef struct IVal {
    uint64_t bits; /* the value, extended to 64 bits as its type's signedness says */
    IType type;
} IVal;

#define ITYPE(k) ((IType){ .kind = (k), .width = 0 })
#define IFIELD(k, w) ((IType){ .kind = (k), .width = (w) })

/* Why a result is undefined. */
typedef enum EvalFlaw {
    EVAL_FINE,
    EVAL_OVERFLOW,       /* signed result not representable; also INT_MIN / -1 and INT_MIN % -1 */
    EVAL_DIVISION,       /* by zero */
    EVAL_SHIFT_COUNT,    /* negative, or not less than the width */
    EVAL_SHIFT_NEGATIVE, /* left shift of a negative value */
    EVAL_SHIFT_OVERFLOW, /* left shift of a signed value out of its range */
    EVAL_RANGE,          /* a floating value that the integer type it becomes cannot hold */
    EVAL_INEXACT,        /* floating point that is rounded: defined, but not known here */
} EvalFlaw;

typedef enum IUnary { U_PLUS, U_MINUS, U_NOT, U_BITNOT, U_COUNT } IUnary;
typedef enum IBinary {
    B_ADD,
    B_SUB,
    B_MUL,
    B_DIV,
    B_MOD,
    B_SHL,
    B_SHR,
    B_AND,
    B_OR,
    B_XOR,
    B_LT,
    B_LE,
    B_GT,
    B_GE,
    B_EQ,
    B_NE,
    B_LAND, /* the right operand counts only when the left does not decide: callers take care of
               that */
    B_LOR,
    B_COMMA,
    B_COUNT
} IBinary;

/* ---- types ---- */
const char *itype_name(IType type); /* "unsigned short"; of a bit-field: its declared type */
const char *itype_literal_suffix(IType type); /* "", "u", "L", "ul", .. */
unsigned itype_bits(IType type); /* value bits with the sign: 1 for _Bool, the width of a field */
bool itype_signed(IType type);
bool itype_same(IType a, IType b);
uint64_t itype_min(IType type), itype_max(IType type); /* in IVal's form */
IType itype_promote(IType type);                       /* integer promotions, 6.3.1.1 */
IType itype_common(IType a, IType b);                  /* usual arithmetic conversions, 6.3.1.8 */
IType itype_unary(IUnary op, IType a);                 /* of the result, defined or not */
IType itype_binary(IBinary op, IType a, IType b);
/* Whether gcc and clang agree on arithmetic over it: false for bit-fields wider than int. */
bool itype_agreed(IType type);

/* ---- values ---- */
IVal ival(IType type, int64_t value); /* converted to the type */
bool ival_is_zero(IVal v);
bool ival_same(IVal a, IVal b); /* value and type */
int ival_order(IVal a, IVal b); /* of the mathematical values: -1, 0, 1 */
bool ival_negative(IVal v);
/* The value as C text of exactly its type (a narrow one by a cast), safe in any expression. */
void ival_print(IVal v, Buf *out);

/* ---- operators ---- */
IVal eval_cast(IVal v, IType to); /* conversion, as by assignment or to a bit-field: wraps */
bool eval_fits(IVal v, IType to); /* whether that keeps the value */
EvalFlaw eval_unary(IUnary op, IVal a, IVal *out);
EvalFlaw eval_binary(IBinary op, IVal a, IVal b, IVal *out);
IVal eval_conditional(IVal test, IVal a,
                      IVal b); /* test ? a : b; only the chosen one's value counts */
/* target op= by: *stored is the new value, in the target's type, and that of the whole expression.
 */
EvalFlaw eval_compound(IBinary op, IVal target, IVal by, IVal *stored);
/* ++ (step 1) and -- (step -1): *stored as above; the value of the prefix form is *stored, that of
 * the postfix form is target. */
EvalFlaw eval_step(IVal target, int step, IVal *stored);
const char *eval_unary_text(IUnary op);
const char *eval_binary_text(IBinary op);

#endif

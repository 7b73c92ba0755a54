/* C's integer arithmetic (C17 6.3.1, 6.5) over values with types; see eval.h.
 *
 * Every operator is computed in 128 bits on the mathematical values of the converted operands and
 * then brought into the result's type: an unsigned result wraps, a signed one that does not fit is
 * an overflow. 64 by 64 bit products fit into 128 bits, so nothing here can itself overflow. */
#include "variant/eval.h"

typedef __int128 Wide;

typedef struct KindInfo {
    const char *name;   /* as C writes it */
    const char *suffix; /* of a literal of the type, where it has literals */
    uint8_t bits;       /* value bits with the sign */
    bool is_signed;
    uint8_t rank; /* 6.3.1.1 */
} KindInfo;

static const KindInfo kinds[I_KINDS] = {
    [I_BOOL] = { "_Bool", "", 1, false, 0 },
    [I_CHAR] = { "char", "", 8, true, 1 },
    [I_SCHAR] = { "signed char", "", 8, true, 1 },
    [I_UCHAR] = { "unsigned char", "", 8, false, 1 },
    [I_SHORT] = { "short", "", 16, true, 2 },
    [I_USHORT] = { "unsigned short", "", 16, false, 2 },
    [I_INT] = { "int", "", 32, true, 3 },
    [I_UINT] = { "unsigned int", "u", 32, false, 3 },
    [I_LONG] = { "long", "L", 64, true, 4 },
    [I_ULONG] = { "unsigned long", "uL", 64, false, 4 },
    [I_LLONG] = { "long long", "LL", 64, true, 5 },
    [I_ULLONG] = { "unsigned long long", "uLL", 64, false, 5 },
};

const char *itype_name(IType type) {
    return kinds[type.kind].name;
}
const char *itype_literal_suffix(IType type) {
    return kinds[type.kind].suffix;
}
unsigned itype_bits(IType type) {
    return type.width && type.kind != I_BOOL ? type.width : kinds[type.kind].bits;
}
bool itype_signed(IType type) {
    return kinds[type.kind].is_signed;
}
bool itype_same(IType a, IType b) {
    return a.kind == b.kind && a.width == b.width;
}
uint64_t itype_max(IType type) {
    unsigned bits = itype_bits(type) - itype_signed(type);
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}
uint64_t itype_min(IType type) {
    return itype_signed(type) ? ~itype_max(type) : 0;
}
bool itype_agreed(IType type) {
    return type.width <= kinds[I_INT].bits;
}

IType itype_promote(IType type) {
    if (type.width ? !itype_agreed(type) : kinds[type.kind].rank > kinds[I_INT].rank)
        return ITYPE(type.kind);
    bool wide = !itype_signed(type) && itype_bits(type) == kinds[I_INT].bits;
    return ITYPE(wide ? I_UINT : I_INT);
}

static IKind unsigned_of(IKind kind) {
    return kinds[kind].is_signed ? kind + 1 : kind;
}

IType itype_common(IType a, IType b) {
    a = itype_promote(a), b = itype_promote(b);
    if (a.kind == b.kind) return a;
    const KindInfo *x = &kinds[a.kind], *y = &kinds[b.kind];
    if (x->is_signed == y->is_signed) return x->rank > y->rank ? a : b;
    IType s = x->is_signed ? a : b, u = x->is_signed ? b : a;
    if (kinds[u.kind].rank >= kinds[s.kind].rank) return u;
    if (kinds[s.kind].bits > kinds[u.kind].bits) return s;
    return ITYPE(unsigned_of(s.kind));
}

IType itype_unary(IUnary op, IType a) {
    return op == U_NOT ? ITYPE(I_INT) : itype_promote(a);
}
IType itype_binary(IBinary op, IType a, IType b) {
    if (op == B_COMMA) return b;
    if (op >= B_LT) return ITYPE(I_INT);
    if (op == B_SHL || op == B_SHR) return itype_promote(a);
    return itype_common(a, b);
}

static Wide wide(IVal v) {
    return itype_signed(v.type) ? (Wide)(int64_t)v.bits : (Wide)v.bits;
}

/* The value modulo the type's range, in IVal's form. */
static IVal wrap(IType type, Wide value) {
    if (type.kind == I_BOOL) return (IVal){ value != 0, type };
    unsigned bits = itype_bits(type);
    uint64_t low = (uint64_t)value;
    if (bits < 64) {
        uint64_t mask = ((uint64_t)1 << bits) - 1;
        low &= mask;
        if (itype_signed(type) && low >> (bits - 1)) low |= ~mask;
    }
    return (IVal){ low, type };
}

static bool in_range(IType type, Wide value) {
    return wide(wrap(type, value)) == value;
}

IVal ival(IType type, int64_t value) {
    return wrap(type, value);
}
bool ival_is_zero(IVal v) {
    return v.bits == 0;
}
bool ival_same(IVal a, IVal b) {
    return a.bits == b.bits && itype_same(a.type, b.type);
}
int ival_order(IVal a, IVal b) {
    Wide x = wide(a), y = wide(b);
    return (x > y) - (x < y);
}
bool ival_negative(IVal v) {
    return wide(v) < 0;
}

/* A literal of the promoted type, then a cast where the type itself is narrower. The most negative
 * value has no literal: it is one less than the one above it. */
void ival_print(IVal v, Buf *out) {
    IType type = itype_promote(v.type);
    const char *suffix = itype_literal_suffix(type);
    IType own = ITYPE(v.type.kind);
    bool cast = !itype_same(type, own);
    if (cast) buf_fmt(out, "((%s)", itype_name(own));
    if (!ival_negative(v))
        buf_fmt(out, "%llu%s", (unsigned long long)v.bits, suffix);
    else if (itype_bits(type) >= 32 && v.bits == itype_min(type))
        buf_fmt(out, "(-%llu%s - 1)", (unsigned long long)itype_max(type), suffix);
    else
        buf_fmt(out, "(-%llu%s)", (unsigned long long)-v.bits, suffix);
    if (cast) buf_char(out, ')');
}

IVal eval_cast(IVal v, IType to) {
    return wrap(to, wide(v));
}
bool eval_fits(IVal v, IType to) {
    return in_range(to, wide(v));
}

/* The result of an operator in its type: unsigned wraps, signed must fit. */
static EvalFlaw settle(IType type, Wide value, IVal *out) {
    if (itype_signed(type) && !in_range(type, value)) return EVAL_OVERFLOW;
    *out = wrap(type, value);
    return EVAL_FINE;
}

static EvalFlaw truth(bool value, IVal *out) {
    *out = (IVal){ value, ITYPE(I_INT) };
    return EVAL_FINE;
}

EvalFlaw eval_unary(IUnary op, IVal a, IVal *out) {
    if (op == U_NOT) return truth(ival_is_zero(a), out);
    IType type = itype_promote(a.type);
    Wide x = wide(eval_cast(a, type));
    if (op == U_MINUS) return settle(type, -x, out);
    *out = wrap(type, op == U_BITNOT ? ~x : x);
    return EVAL_FINE;
}

static EvalFlaw shift(IBinary op, IVal a, IVal b, IVal *out) {
    IType type = itype_promote(a.type);
    IVal value = eval_cast(a, type);
    Wide count = wide(eval_cast(b, itype_promote(b.type)));
    if (count < 0 || count >= itype_bits(type)) return EVAL_SHIFT_COUNT;
    Wide x = wide(value);
    if (op == B_SHR) {
        *out = wrap(type, x >> (int)count);
        return EVAL_FINE;
    }
    if (x < 0) return EVAL_SHIFT_NEGATIVE;
    Wide y = x * ((Wide)1 << (int)count);
    if (itype_signed(type) && !in_range(type, y)) return EVAL_SHIFT_OVERFLOW;
    *out = wrap(type, y);
    return EVAL_FINE;
}

static EvalFlaw divide(IBinary op, IType type, Wide x, Wide y, IVal *out) {
    if (y == 0) return EVAL_DIVISION;
    if (itype_signed(type) && !in_range(type, x / y)) return EVAL_OVERFLOW;
    *out = wrap(type, op == B_DIV ? x / y : x % y);
    return EVAL_FINE;
}

static EvalFlaw compare(IBinary op, Wide x, Wide y, IVal *out) {
    switch (op) {
    case B_LT: return truth(x < y, out);
    case B_LE: return truth(x <= y, out);
    case B_GT: return truth(x > y, out);
    case B_GE: return truth(x >= y, out);
    case B_EQ: return truth(x == y, out);
    default: return truth(x != y, out);
    }
}

EvalFlaw eval_binary(IBinary op, IVal a, IVal b, IVal *out) {
    if (op == B_SHL || op == B_SHR) return shift(op, a, b, out);
    if (op == B_LAND) return truth(a.bits && b.bits, out);
    if (op == B_LOR) return truth(a.bits || b.bits, out);
    if (op == B_COMMA) {
        *out = b;
        return EVAL_FINE;
    }
    IType type = itype_common(a.type, b.type);
    Wide x = wide(eval_cast(a, type)), y = wide(eval_cast(b, type));
    if (op >= B_LT && op <= B_NE) return compare(op, x, y, out);
    switch (op) {
    case B_ADD: return settle(type, x + y, out);
    case B_SUB: return settle(type, x - y, out);
    case B_MUL:
        if (!itype_signed(type)) {
            *out = wrap(type, (Wide)((uint64_t)x * (uint64_t)y));
            return EVAL_FINE;
        }
        return settle(type, x * y, out);
    case B_DIV:
    case B_MOD: return divide(op, type, x, y, out);
    case B_AND: *out = wrap(type, x & y); break;
    case B_OR: *out = wrap(type, x | y); break;
    default: *out = wrap(type, x ^ y); break;
    }
    return EVAL_FINE;
}

IVal eval_conditional(IVal test, IVal a, IVal b) {
    return eval_cast(ival_is_zero(test) ? b : a, itype_common(a.type, b.type));
}

EvalFlaw eval_compound(IBinary op, IVal target, IVal by, IVal *stored) {
    IVal value;
    EvalFlaw flaw = eval_binary(op, target, by, &value);
    if (flaw == EVAL_FINE) *stored = eval_cast(value, target.type);
    return flaw;
}

/* _Bool-- is as well defined as ++: both store (b +/- 1) != 0. */
EvalFlaw eval_step(IVal target, int step, IVal *stored) {
    return eval_compound(step > 0 ? B_ADD : B_SUB, target, ival(ITYPE(I_INT), 1), stored);
}

const char *eval_unary_text(IUnary op) {
    static const char *const text[U_COUNT] = { "+", "-", "!", "~" };
    return text[op];
}

const char *eval_binary_text(IBinary op) {
    static const char *const text[B_COUNT] = { "+",  "-",  "*",  "/",  "%",  "<<", ">>",
                                               "&",  "|",  "^",  "<",  "<=", ">",  ">=",
                                               "==", "!=", "&&", "||", "," };
    return text[op];
}

/* Arithmetic up to 128 bits; see wide.h. The compiler's own __int128 does the computing; its
 * overflow builtins tell whether a signed result fits. */
#include "variant/kernel/wide.h"

typedef __int128 Signed128;

/* ---- types ---- */
WType wtype_of(IType type) {
    return (WType){ W_STANDARD, type.kind, (uint8_t)itype_bits(type), itype_signed(type) };
}
WType wtype_int128(bool is_signed) {
    return (WType){ W_INT128, 0, 128, is_signed };
}
WType wtype_bitint(unsigned bits, bool is_signed) {
    return (WType){ W_BITINT, 0, (uint8_t)bits, is_signed };
}
bool wtype_same(WType a, WType b) {
    return a.family == b.family && a.kind == b.kind && a.bits == b.bits &&
           a.is_signed == b.is_signed;
}

void wtype_print(WType type, Buf *out) {
    if (type.family == W_STANDARD)
        buf_text(out, itype_name(ITYPE(type.kind)));
    else if (type.family == W_INT128)
        buf_text(out, type.is_signed ? "__int128" : "unsigned __int128");
    else
        buf_fmt(out, "%s_BitInt(%u)", type.is_signed ? "" : "unsigned ", type.bits);
}

WType wtype_promote(WType type) {
    return type.family == W_STANDARD ? wtype_of(itype_promote(ITYPE(type.kind))) : type;
}

/* Whether a's rank is above b's. For standard types eval.h decides. */
static bool outranks(WType a, WType b) {
    if (a.bits != b.bits) return a.bits > b.bits;
    return a.family != W_BITINT && b.family == W_BITINT;
}

WType wtype_common(WType a, WType b) {
    a = wtype_promote(a), b = wtype_promote(b);
    if (a.family == W_STANDARD && b.family == W_STANDARD)
        return wtype_of(itype_common(ITYPE(a.kind), ITYPE(b.kind)));
    if (a.is_signed == b.is_signed) return outranks(b, a) ? b : a;
    WType s = a.is_signed ? a : b, u = a.is_signed ? b : a;
    if (!outranks(s, u)) return u;
    if (s.bits > u.bits) return s;
    s.is_signed = false; /* the unsigned type of s; a standard kind follows its signed one */
    if (s.family == W_STANDARD) s.kind++;
    return s;
}

WType wtype_unary(IUnary op, WType a) {
    return op == U_NOT ? wtype_of(ITYPE(I_INT)) : wtype_promote(a);
}
WType wtype_binary(IBinary op, WType a, WType b) {
    if (op == B_COMMA) return b;
    if (op >= B_LT) return wtype_of(ITYPE(I_INT));
    if (op == B_SHL || op == B_SHR) return wtype_promote(a);
    return wtype_common(a, b);
}

/* ---- values ---- */
WVal wide_value(WType type, Bits128 bits) {
    if (type.bits < 128) {
        Bits128 mask = ((Bits128)1 << type.bits) - 1;
        bits &= mask;
        if (type.is_signed && bits >> (type.bits - 1)) bits |= ~mask;
    }
    return (WVal){ bits, type };
}

WVal wide_of(IVal v) {
    bool negative = ival_negative(v);
    return (WVal){ negative ? (Bits128)(Signed128)(int64_t)v.bits : v.bits,
                   wtype_of(ITYPE(v.type.kind)) };
}
IVal wide_narrow(WVal v) {
    CHECK(v.type.family == W_STANDARD);
    return (IVal){ (uint64_t)v.bits, ITYPE(v.type.kind) };
}
bool wide_negative(WVal v) {
    return v.type.is_signed && (Signed128)v.bits < 0;
}
void wide_print(WVal v, Buf *out) {
    if (v.type.family == W_STANDARD) {
        ival_print(wide_narrow(v), out);
        return;
    }
    buf_text(out, "((");
    wtype_print(v.type, out);
    uint64_t high = (uint64_t)(v.bits >> 64), low = (uint64_t)v.bits;
    if (high)
        buf_fmt(out, ")((unsigned __int128)%lluull << 64 | %lluull))", (unsigned long long)high,
                (unsigned long long)low);
    else
        buf_fmt(out, ")%lluull)", (unsigned long long)low);
}

/* ---- operators ---- */
static bool fits(WType type, Signed128 value) {
    return (Signed128)wide_value(type, (Bits128)value).bits == value;
}

static EvalFlaw truth(bool value, WVal *out) {
    *out = (WVal){ value, wtype_of(ITYPE(I_INT)) };
    return EVAL_FINE;
}

static EvalFlaw settle(WType type, Bits128 bits, WVal *out) {
    *out = wide_value(type, bits);
    return EVAL_FINE;
}

EvalFlaw wide_unary(IUnary op, WVal a, WVal *out) {
    if (op == U_NOT) return truth(a.bits == 0, out);
    WType type = wtype_promote(a.type);
    Bits128 x = wide_cast(a, type).bits;
    if (op == U_PLUS) return settle(type, x, out);
    if (op == U_BITNOT) return settle(type, ~x, out);
    WVal least = wide_value(type, (Bits128)1 << (type.bits - 1));
    if (type.is_signed && x == least.bits) return EVAL_OVERFLOW;
    return settle(type, -x, out);
}

static EvalFlaw shift(IBinary op, WVal a, WVal b, WVal *out) {
    WType type = wtype_promote(a.type);
    WVal x = wide_cast(a, type), by = wide_cast(b, wtype_promote(b.type));
    if (wide_negative(by) || by.bits >= type.bits) return EVAL_SHIFT_COUNT;
    unsigned count = (unsigned)by.bits;
    if (op == B_SHR)
        return settle(
            type, type.is_signed ? (Bits128)((Signed128)x.bits >> count) : x.bits >> count, out);
    if (wide_negative(x)) return EVAL_SHIFT_NEGATIVE;
    if (type.is_signed && x.bits >> (type.bits - 1 - count)) return EVAL_SHIFT_OVERFLOW;
    return settle(type, x.bits << count, out);
}

static EvalFlaw divide(IBinary op, WType type, Bits128 x, Bits128 y, WVal *out) {
    if (y == 0) return EVAL_DIVISION;
    if (!type.is_signed) return settle(type, op == B_DIV ? x / y : x % y, out);
    WVal least = wide_value(type, (Bits128)1 << (type.bits - 1));
    if (x == least.bits && (Signed128)y == -1) return EVAL_OVERFLOW;
    Signed128 a = (Signed128)x, b = (Signed128)y;
    return settle(type, (Bits128)(op == B_DIV ? a / b : a % b), out);
}

static EvalFlaw sum(IBinary op, WType type, Bits128 x, Bits128 y, WVal *out) {
    Signed128 a = (Signed128)x, b = (Signed128)y, r;
    if (!type.is_signed)
        return settle(type, op == B_ADD ? x + y : op == B_SUB ? x - y : x * y, out);
    bool over = op == B_ADD   ? __builtin_add_overflow(a, b, &r)
                : op == B_SUB ? __builtin_sub_overflow(a, b, &r)
                              : __builtin_mul_overflow(a, b, &r);
    if (over || !fits(type, r)) return EVAL_OVERFLOW;
    return settle(type, (Bits128)r, out);
}

static EvalFlaw compare(IBinary op, WType type, Bits128 x, Bits128 y, WVal *out) {
    bool less = type.is_signed ? (Signed128)x < (Signed128)y : x < y, equal = x == y;
    switch (op) {
    case B_LT: return truth(less, out);
    case B_LE: return truth(less || equal, out);
    case B_GT: return truth(!less && !equal, out);
    case B_GE: return truth(!less, out);
    case B_EQ: return truth(equal, out);
    default: return truth(!equal, out);
    }
}

EvalFlaw wide_binary(IBinary op, WVal a, WVal b, WVal *out) {
    if (op == B_SHL || op == B_SHR) return shift(op, a, b, out);
    if (op == B_LAND) return truth(a.bits && b.bits, out);
    if (op == B_LOR) return truth(a.bits || b.bits, out);
    if (op == B_COMMA) return *out = b, EVAL_FINE;
    WType type = wtype_common(a.type, b.type);
    Bits128 x = wide_cast(a, type).bits, y = wide_cast(b, type).bits;
    if (op >= B_LT) return compare(op, type, x, y, out);
    switch (op) {
    case B_ADD:
    case B_SUB:
    case B_MUL: return sum(op, type, x, y, out);
    case B_DIV:
    case B_MOD: return divide(op, type, x, y, out);
    case B_AND: return settle(type, x & y, out);
    case B_OR: return settle(type, x | y, out);
    default: return settle(type, x ^ y, out);
    }
}

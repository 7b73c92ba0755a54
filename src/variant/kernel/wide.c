/* Arithmetic of C's integers; see wide.h. Up to 128 bits the compiler's own __int128 does the
 * computing, and its overflow builtins tell whether a signed result fits; beyond, big.h does. */
#include "variant/kernel/wide.h"

typedef __int128 Signed128;

/* ---- types ---- */
WType wtype_of(IType type) {
    return (WType){ W_STANDARD, type.kind, itype_signed(type), (uint16_t)itype_bits(type) };
}
WType wtype_int128(bool is_signed) {
    return (WType){ W_INT128, 0, is_signed, 128 };
}
WType wtype_bitint(unsigned bits, bool is_signed) {
    return (WType){ W_BITINT, 0, is_signed, (uint16_t)bits };
}
WType wtype_real(RealKind kind) {
    static const uint16_t bits[R_KINDS] = { 32, 64, 80 };
    return (WType){ W_REAL, (uint8_t)kind, true, bits[kind] };
}
bool wtype_is_real(WType type) {
    return type.family == W_REAL;
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
    else if (type.family == W_REAL)
        buf_text(out, dyadic_name((RealKind)type.kind));
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
    if (a.family == W_REAL || b.family == W_REAL) {
        if (a.family != b.family) return a.family == W_REAL ? a : b;
        return a.kind > b.kind ? a : b;
    }
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
static bool is_big(WType type) {
    return type.bits > 128;
}

WVal wide_real(WType type, Dyadic value) {
    CHECK(type.family == W_REAL && dyadic_fits(value, (RealKind)type.kind));
    return (WVal){ .real = value, .type = type };
}

/* A number of few enough bits, taken from the signed one that is given. */
static WVal real_of_bits(WType type, Bits128 bits) {
    bool negative = (Signed128)bits < 0;
    Bits128 magnitude = negative ? -bits : bits;
    while (magnitude >> dyadic_bits((RealKind)type.kind)) magnitude >>= 1;
    Dyadic value;
    dyadic_of(negative, magnitude, 0, &value);
    return wide_real(type, value);
}

static Big big_of(WVal v) {
    Big out = { { (uint64_t)v.bits, (uint64_t)(v.bits >> 64) } };
    if (is_big(v.type))
        memcpy(out.at + 2, v.more, sizeof v.more);
    else if (wide_negative(v))
        memset(out.at + 2, 0xff, sizeof v.more);
    return out;
}

WVal wide_big(WType type, Big value) {
    Big cut = big_cut(value, type.bits, type.is_signed);
    WVal v = { .bits = (Bits128)cut.at[1] << 64 | cut.at[0], .type = type };
    memcpy(v.more, cut.at + 2, sizeof v.more);
    return v;
}

WVal wide_value(WType type, Bits128 bits) {
    if (type.family == W_REAL) return real_of_bits(type, bits);
    if (is_big(type)) return wide_big(type, (Big){ { (uint64_t)bits, (uint64_t)(bits >> 64) } });
    if (type.bits < 128) {
        Bits128 mask = ((Bits128)1 << type.bits) - 1;
        bits &= mask;
        if (type.is_signed && bits >> (type.bits - 1)) bits |= ~mask;
    }
    return (WVal){ .bits = bits, .type = type };
}

bool wide_zero(WVal v) {
    if (v.type.family == W_REAL) return v.real.m == 0;
    return is_big(v.type) ? big_is_zero(big_of(v)) : v.bits == 0;
}

bool wide_below(WVal v, uint64_t limit) {
    return !wide_negative(v) && big_order(big_of(v), big_small(limit)) < 0;
}

/* The sign of what becomes 0 is lost. */
static EvalFlaw real_to_integer(Dyadic d, WType to, WVal *out) {
    Bits128 magnitude;
    if (is_big(to)) return EVAL_RANGE;
    if (!dyadic_whole(d, &magnitude)) return EVAL_RANGE;
    if (d.negative && magnitude && !to.is_signed) return EVAL_RANGE;
    Bits128 bits = d.negative ? -magnitude : magnitude;
    *out = wide_value(to, bits);
    return out->bits == bits ? EVAL_FINE : EVAL_RANGE;
}

static EvalFlaw to_real(WVal v, WType to, WVal *out) {
    Dyadic d = { 0 };
    bool exact = true;
    if (v.type.family == W_REAL)
        d = v.real;
    else {
        bool negative = wide_negative(v);
        exact = !is_big(v.type) && dyadic_of(negative, negative ? -v.bits : v.bits, 0, &d);
    }
    if (!exact || !dyadic_fits(d, (RealKind)to.kind)) return EVAL_INEXACT;
    *out = wide_real(to, d);
    return EVAL_FINE;
}

EvalFlaw wide_convert(WVal v, WType to, WVal *out) {
    if (to.family == W_REAL) return to_real(v, to, out);
    if (to.bits == 1 && to.family == W_STANDARD)
        return *out = wide_value(to, !wide_zero(v)), EVAL_FINE;
    if (v.type.family == W_REAL) return real_to_integer(v.real, to, out);
    *out = is_big(to) ? wide_big(to, big_of(v)) : wide_value(to, v.bits);
    return EVAL_FINE;
}

WVal wide_cast(WVal v, WType to) {
    WVal out;
    EvalFlaw flaw = wide_convert(v, to, &out);
    CHECK(flaw == EVAL_FINE);
    return out;
}

WVal wide_of(IVal v) {
    bool negative = ival_negative(v);
    return (WVal){ .bits = negative ? (Bits128)(Signed128)(int64_t)v.bits : v.bits,
                   .type = wtype_of(ITYPE(v.type.kind)) };
}
IVal wide_narrow(WVal v) {
    CHECK(v.type.family == W_STANDARD);
    return (IVal){ (uint64_t)v.bits, ITYPE(v.type.kind) };
}
bool wide_negative(WVal v) {
    if (v.type.family == W_REAL) return v.real.negative && v.real.m;
    if (is_big(v.type)) return v.type.is_signed && v.more[COUNT_OF(v.more) - 1] >> 63;
    return v.type.is_signed && (Signed128)v.bits < 0;
}
/* A hexadecimal constant of C23. */
static void print_big(Big value, Buf *out) {
    unsigned limb = big_length(value) ? (big_length(value) - 1) / 64 : 0;
    buf_fmt(out, ")0x%llx", (unsigned long long)value.at[limb]);
    while (limb-- > 0) buf_fmt(out, "%016llx", (unsigned long long)value.at[limb]);
    buf_text(out, "uwb)");
}

void wide_print(WVal v, Buf *out) {
    if (v.type.family == W_STANDARD) {
        ival_print(wide_narrow(v), out);
        return;
    }
    if (v.type.family == W_REAL) {
        dyadic_print(v.real, (RealKind)v.type.kind, out);
        return;
    }
    buf_text(out, "((");
    wtype_print(v.type, out);
    if (is_big(v.type)) {
        print_big(big_cut(big_of(v), v.type.bits, false), out);
        return;
    }
    uint64_t high = (uint64_t)(v.bits >> 64), low = (uint64_t)v.bits;
    if (high)
        buf_fmt(out, ")((unsigned __int128)%lluull << 64 | %lluull))", (unsigned long long)high,
                (unsigned long long)low);
    else
        buf_fmt(out, ")%lluull)", (unsigned long long)low);
}

/* ---- results ---- */
static bool fits(WType type, Signed128 value) {
    return (Signed128)wide_value(type, (Bits128)value).bits == value;
}

static EvalFlaw truth(bool value, WVal *out) {
    *out = (WVal){ .bits = value, .type = wtype_of(ITYPE(I_INT)) };
    return EVAL_FINE;
}

static EvalFlaw settle(WType type, Bits128 bits, WVal *out) {
    *out = wide_value(type, bits);
    return EVAL_FINE;
}

/* ---- beyond 128 bits ---- */
static Big least_of(WType type) {
    return big_cut(big_shift_left(big_small(1), type.bits - 1u), type.bits, true);
}

/* The number, where it is one of the type; else it overflows. */
static EvalFlaw settle_big(WType type, Big value, WVal *out) {
    *out = wide_big(type, value);
    return type.is_signed && !big_same(big_of(*out), value) ? EVAL_OVERFLOW : EVAL_FINE;
}

static EvalFlaw unary_big(IUnary op, WType type, Big x, WVal *out) {
    if (op == U_PLUS) return settle_big(type, x, out);
    return settle_big(type, op == U_BITNOT ? big_not(x) : big_negate(x), out);
}

static EvalFlaw shift_big(IBinary op, WType type, Big x, unsigned count, WVal *out) {
    if (op == B_SHR) return settle_big(type, big_shift_right(x, count, type.is_signed), out);
    if (type.is_signed && big_negative(x)) return EVAL_SHIFT_NEGATIVE;
    if (type.is_signed && big_length(x) + count > type.bits - 1u) return EVAL_SHIFT_OVERFLOW;
    *out = wide_big(type, big_shift_left(x, count));
    return EVAL_FINE;
}

static Big magnitude(WType type, Big x) {
    return type.is_signed && big_negative(x) ? big_negate(x) : x;
}

static EvalFlaw multiply_big(WType type, Big x, Big y, WVal *out) {
    bool over, negative = type.is_signed && big_negative(x) != big_negative(y);
    Big product = big_multiply(magnitude(type, x), magnitude(type, y), &over);
    if (!type.is_signed) return *out = wide_big(type, product), EVAL_FINE;
    if (over || big_length(product) > type.bits) return EVAL_OVERFLOW;
    return settle_big(type, negative ? big_negate(product) : product, out);
}

/* The quotient is rounded towards 0; the rest has the dividend's sign. */
static EvalFlaw divide_big(IBinary op, WType type, Big x, Big y, WVal *out) {
    Big quotient, rest;
    if (big_is_zero(y)) return EVAL_DIVISION;
    if (type.is_signed && big_same(x, least_of(type)) && big_same(big_not(y), big_small(0)))
        return EVAL_OVERFLOW;
    big_divide(magnitude(type, x), magnitude(type, y), &quotient, &rest);
    bool minus = type.is_signed && big_negative(x);
    bool other = type.is_signed && big_negative(y);
    Big value = op == B_DIV ? (minus != other ? big_negate(quotient) : quotient)
                            : (minus ? big_negate(rest) : rest);
    *out = wide_big(type, value);
    return EVAL_FINE;
}

static EvalFlaw compare_orders(IBinary op, int order, WVal *out) {
    switch (op) {
    case B_LT: return truth(order < 0, out);
    case B_LE: return truth(order <= 0, out);
    case B_GT: return truth(order > 0, out);
    case B_GE: return truth(order >= 0, out);
    case B_EQ: return truth(order == 0, out);
    default: return truth(order != 0, out);
    }
}

static EvalFlaw compare_big(IBinary op, WType type, Big x, Big y, WVal *out) {
    int order = big_order(x, y);
    if (type.is_signed && big_negative(x) != big_negative(y)) order = big_negative(x) ? -1 : 1;
    return compare_orders(op, order, out);
}

static EvalFlaw binary_big(IBinary op, WType type, Big x, Big y, WVal *out) {
    if (op >= B_LT) return compare_big(op, type, x, y, out);
    Big value = x;
    switch (op) {
    case B_ADD: value = big_add(x, y); break;
    case B_SUB: value = big_add(x, big_negate(y)); break;
    case B_MUL: return multiply_big(type, x, y, out);
    case B_DIV:
    case B_MOD: return divide_big(op, type, x, y, out);
    default:
        for (unsigned i = 0; i < BIG_LIMBS; i++)
            value.at[i] = op == B_AND  ? x.at[i] & y.at[i]
                          : op == B_OR ? x.at[i] | y.at[i]
                                       : x.at[i] ^ y.at[i];
    }
    return settle_big(type, value, out);
}

/* ---- floating point ---- */
bool wide_real_has(IBinary op) {
    return op <= B_DIV || (op >= B_LT && op <= B_NE);
}

static EvalFlaw binary_real(IBinary op, WType type, WVal a, WVal b, WVal *out) {
    WVal x, y;
    Dyadic d = { 0 };
    bool exact = false;
    if (to_real(a, type, &x) != EVAL_FINE || to_real(b, type, &y) != EVAL_FINE) return EVAL_INEXACT;
    if (op >= B_LT) return compare_orders(op, dyadic_order(x.real, y.real), out);
    /* gcc 12 to 16 get the sign of 0.0 - 0 wrong (docs/FINDINGS.md): every campaign over one of
     * them would find that again and again, and nothing else. */
    bool zeros = !x.real.m && !y.real.m && !x.real.negative && !y.real.negative;
    if (op == B_SUB && zeros) return EVAL_INEXACT;
    switch (op) {
    case B_ADD: exact = dyadic_add(x.real, y.real, &d); break;
    case B_SUB: exact = dyadic_add(x.real, dyadic_negate(y.real), &d); break;
    case B_MUL: exact = dyadic_multiply(x.real, y.real, &d); break;
    case B_DIV: exact = dyadic_divide(x.real, y.real, &d); break;
    default: die_bug(__FILE__, __LINE__, "no operator of floating point");
    }
    if (!exact || !dyadic_fits(d, (RealKind)type.kind)) return EVAL_INEXACT;
    *out = wide_real(type, d);
    return EVAL_FINE;
}

/* ---- operators ---- */
EvalFlaw wide_unary(IUnary op, WVal a, WVal *out) {
    if (op == U_NOT) return truth(wide_zero(a), out);
    if (a.type.family == W_REAL) {
        CHECK(op != U_BITNOT);
        return *out = wide_real(a.type, op == U_PLUS ? a.real : dyadic_negate(a.real)), EVAL_FINE;
    }
    WType type = wtype_promote(a.type);
    if (is_big(type)) return unary_big(op, type, big_of(a), out);
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
    if (!wide_below(by, type.bits)) return EVAL_SHIFT_COUNT;
    unsigned count = (unsigned)by.bits;
    if (is_big(type)) return shift_big(op, type, big_of(x), count, out);
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
    bool less = type.is_signed ? (Signed128)x < (Signed128)y : x < y;
    return compare_orders(op, less ? -1 : x != y, out);
}

EvalFlaw wide_binary(IBinary op, WVal a, WVal b, WVal *out) {
    if (op == B_SHL || op == B_SHR) return shift(op, a, b, out);
    if (op == B_LAND) return truth(!wide_zero(a) && !wide_zero(b), out);
    if (op == B_LOR) return truth(!wide_zero(a) || !wide_zero(b), out);
    if (op == B_COMMA) return *out = b, EVAL_FINE;
    WType type = wtype_common(a.type, b.type);
    if (type.family == W_REAL) return binary_real(op, type, a, b, out);
    if (is_big(type))
        return binary_big(op, type, big_of(wide_cast(a, type)), big_of(wide_cast(b, type)), out);
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

/* The arithmetic of a replay (fold.h). */
#include "trace/fold.h"

#include <math.h>

typedef unsigned __int128 Wide;
typedef __int128 SignedWide;

uint64_t fold_int(Op op, unsigned bits, uint64_t a, uint64_t b) {
    uint64_t mask = bits_mask(bits);
    int64_t sa = bits_signed(a, bits), sb = bits_signed(b, bits);
    switch (op) {
    case OP_ADD: return (a + b) & mask;
    case OP_SUB: return (a - b) & mask;
    case OP_MUL: return (a * b) & mask;
    case OP_UDIV: return b ? (a / b) & mask : 0;
    case OP_UREM: return b ? (a % b) & mask : 0;
    case OP_SDIV: return !sb ? 0 : sb == -1 ? (0 - a) & mask : (uint64_t)(sa / sb) & mask;
    case OP_SREM: return !sb || sb == -1 ? 0 : (uint64_t)(sa % sb) & mask;
    case OP_SHL: return b < bits ? (a << b) & mask : 0;
    case OP_LSHR: return b < bits ? a >> b : 0;
    case OP_ASHR: return (uint64_t)(sa >> (b < bits ? b : bits - 1)) & mask;
    case OP_AND: return a & b;
    case OP_OR: return a | b;
    case OP_XOR: return a ^ b;
    default: return 0;
    }
}

/* order and signed_order: below, equal to or above 0 as a is to b, read without and with a sign. */
static bool relation_holds(Compare compare, int order, int signed_order) {
    switch (compare) {
    case CMP_EQ: return order == 0;
    case CMP_NE: return order != 0;
    case CMP_UGT: return order > 0;
    case CMP_UGE: return order >= 0;
    case CMP_ULT: return order < 0;
    case CMP_ULE: return order <= 0;
    case CMP_SGT: return signed_order > 0;
    case CMP_SGE: return signed_order >= 0;
    case CMP_SLT: return signed_order < 0;
    default: return signed_order <= 0;
    }
}

bool fold_compare(Compare compare, unsigned bits, uint64_t a, uint64_t b) {
    int64_t sa = bits_signed(a, bits), sb = bits_signed(b, bits);
    return relation_holds(compare, (a > b) - (a < b), (sa > sb) - (sa < sb));
}

/* ---- integers over 64 bits ---- */

static Wide get_wide(Value v, Type type) {
    if (type.kind != TYPE_WIDE) return v.bits;
    Wide w = 0;
    memcpy(&w, v.bytes, type.size < sizeof w ? type.size : sizeof w);
    return w;
}

static Wide wide_mask(unsigned bits) {
    return bits >= 128 ? ~(Wide)0 : ((Wide)1 << bits) - 1;
}

static SignedWide wide_signed(Wide w, unsigned bits) {
    if (bits >= 128) return (SignedWide)w;
    Wide sign = (Wide)1 << (bits - 1);
    return (SignedWide)((w ^ sign) - sign);
}

static Wide wide_arithmetic(Op op, unsigned bits, Wide a, Wide b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_SHL: return b < bits ? a << b : 0;
    case OP_LSHR: return b < bits ? a >> b : 0;
    case OP_ASHR: return (Wide)(wide_signed(a, bits) >> (b < bits ? b : bits - 1));
    case OP_AND: return a & b;
    case OP_OR: return a | b;
    default: return a ^ b;
    }
}

static bool wide_compare(Compare compare, unsigned bits, Wide a, Wide b) {
    SignedWide sa = wide_signed(a, bits), sb = wide_signed(b, bits);
    return relation_holds(compare, (a > b) - (a < b), (sa > sb) - (sa < sb));
}

/* Stores w as a value of type: into wide, or returned as bits. */
static uint64_t put_wide(Wide w, Type type, uint8_t *wide) {
    w &= wide_mask(type.bits);
    if (type.kind == TYPE_WIDE) memcpy(wide, &w, type.size < sizeof w ? type.size : sizeof w);
    return (uint64_t)w;
}

/* ---- floating point ---- */

static long double get_real(Value v, Type type) {
    float f;
    double d;
    long double l = 0;
    switch (type.kind) {
    case TYPE_FLOAT: memcpy(&f, &v.bits, 4); return (long double)f;
    case TYPE_DOUBLE: memcpy(&d, &v.bits, 8); return (long double)d;
    case TYPE_LONG_DOUBLE: memcpy(&l, v.bytes, 10); return l;
    default: return 0;
    }
}

static uint64_t put_real(long double value, Type type, uint8_t *wide) {
    uint64_t bits = 0;
    float f = (float)value;
    double d = (double)value;
    if (type.kind == TYPE_FLOAT)
        memcpy(&bits, &f, 4);
    else if (type.kind == TYPE_DOUBLE)
        memcpy(&bits, &d, 8);
    else
        memcpy(wide, &value, 10);
    return bits;
}

/* Rounded once, in the type's own precision: going through long double would round twice. */
static uint64_t real_arithmetic(Op op, Type type, Value a, Value b, uint8_t *wide) {
    uint64_t bits = 0;
    if (type.kind == TYPE_FLOAT) {
        float x, y, z;
        memcpy(&x, &a.bits, 4), memcpy(&y, &b.bits, 4);
        z = op == OP_FADD   ? x + y
            : op == OP_FSUB ? x - y
            : op == OP_FMUL ? x * y
            : op == OP_FDIV ? x / y
                            : fmodf(x, y);
        memcpy(&bits, &z, 4);
        return bits;
    }
    if (type.kind == TYPE_DOUBLE) {
        double x, y, z;
        memcpy(&x, &a.bits, 8), memcpy(&y, &b.bits, 8);
        z = op == OP_FADD   ? x + y
            : op == OP_FSUB ? x - y
            : op == OP_FMUL ? x * y
            : op == OP_FDIV ? x / y
                            : fmod(x, y);
        memcpy(&bits, &z, 8);
        return bits;
    }
    long double x = get_real(a, type), y = get_real(b, type);
    long double z = op == OP_FADD   ? x + y
                    : op == OP_FSUB ? x - y
                    : op == OP_FMUL ? x * y
                    : op == OP_FDIV ? x / y
                                    : fmodl(x, y);
    memcpy(wide, &z, 10);
    return 0;
}

static uint64_t negate(Type type, Value a, uint8_t *wide) {
    if (type.kind == TYPE_FLOAT) return a.bits ^ 0x80000000ull;
    if (type.kind == TYPE_DOUBLE) return a.bits ^ (1ull << 63);
    memcpy(wide, a.bytes, 10);
    wide[9] ^= 0x80;
    return 0;
}

/* LLVM's predicates are four bits: unordered, less, greater, equal. */
static bool real_compare(unsigned predicate, long double a, long double b) {
    bool unordered = isnan(a) || isnan(b);
    return (unordered && (predicate & 8)) || (!unordered && a == b && (predicate & 1)) ||
           (!unordered && a > b && (predicate & 2)) || (!unordered && a < b && (predicate & 4));
}

static uint64_t from_int(const Inst *inst, Type from, Value a, uint8_t *wide) {
    bool is_signed = inst->op == OP_SITOFP;
    int64_t s = bits_signed(a.bits, from.bits);
    uint64_t bits = 0;
    if (inst->type.kind == TYPE_FLOAT) {
        float f = is_signed ? (float)s : (float)a.bits;
        memcpy(&bits, &f, 4);
        return bits;
    }
    if (inst->type.kind == TYPE_DOUBLE) {
        double d = is_signed ? (double)s : (double)a.bits;
        memcpy(&bits, &d, 8);
        return bits;
    }
    return put_real(is_signed ? (long double)s : (long double)a.bits, inst->type, wide);
}

static uint64_t to_int(const Inst *inst, Type from, Value a) {
    long double x = get_real(a, from);
    uint64_t mask = bits_mask(inst->type.bits);
    if (isnan(x)) return inst->type.bits == 64 ? 1ull << 63 : 0x80000000ull & mask;
    if (inst->op == OP_FPTOSI) {
        if (inst->type.bits <= 32 && (x >= 2147483648.0L || x <= -2147483649.0L))
            return 0x80000000ull & mask;
        if (x >= 9223372036854775808.0L || x < -9223372036854775808.0L) return (1ull << 63) & mask;
        return (uint64_t)(int64_t)x & mask;
    }
    if (x >= 18446744073709551616.0L || x <= -9223372036854775809.0L) return ~0ull & mask;
    return x < 0 ? (uint64_t)(int64_t)x & mask : (uint64_t)x & mask;
}

/* ---- instructions ---- */

static uint64_t move(const Inst *inst, Type from, Value a, uint8_t *wide) {
    bool wide_in = type_is_wide(from), wide_out = type_is_wide(inst->type);
    uint64_t bits = a.bits;
    if (wide_in && wide_out)
        memcpy(wide, a.bytes, inst->type.size);
    else if (wide_in)
        bits = 0, memcpy(&bits, a.bytes, inst->type.size < 8 ? inst->type.size : 8);
    else if (wide_out)
        memcpy(wide, &a.bits, inst->type.size < 8 ? inst->type.size : 8);
    return bits;
}

static uint64_t extract(const Inst *inst, Value a, uint8_t *wide) {
    uint64_t bits = 0;
    if (type_is_wide(inst->type))
        memcpy(wide, a.bytes + inst->offset, inst->type.size);
    else
        memcpy(&bits, a.bytes + inst->offset, inst->type.size);
    return bits;
}

static uint64_t insert(const Inst *inst, Type part, const Value *v, uint8_t *wide) {
    memcpy(wide, v[0].bytes, inst->type.size);
    if (type_is_wide(part))
        memcpy(wide + inst->offset, v[1].bytes, part.size);
    else
        memcpy(wide + inst->offset, &v[1].bits, part.size);
    return 0;
}

static uint64_t resize(const Inst *inst, Type from, Value a, uint8_t *wide) {
    unsigned from_bits = from.bits;
    if (inst->type.kind == TYPE_WIDE || from.kind == TYPE_WIDE) {
        Wide w = get_wide(a, from);
        if (inst->op == OP_SEXT) w = (Wide)wide_signed(w, from_bits);
        return put_wide(w, inst->type, wide);
    }
    uint64_t mask = bits_mask(inst->type.bits);
    if (inst->op == OP_SEXT) return (uint64_t)bits_signed(a.bits, from_bits) & mask;
    return a.bits & mask;
}

static uint64_t address(const Code *code, const Inst *inst, const Value *v) {
    uint64_t at = v[0].bits + inst->add;
    for (unsigned i = 1; i < inst->operands; i++) {
        const Operand *o = code_operand(code, inst, i);
        at += (uint64_t)bits_signed(v[i].bits, o->type.bits) * o->bits;
    }
    return at;
}

uint64_t fold_inst(const Code *code, const Inst *inst, const Value *v, uint8_t *wide) {
    Type from = inst->operands ? code_operand(code, inst, 0)->type : inst->type;
    if (code_is_integer_op((Op)inst->op)) {
        if (inst->type.kind != TYPE_WIDE)
            return fold_int((Op)inst->op, inst->type.bits, v[0].bits, v[1].bits);
        return put_wide(wide_arithmetic((Op)inst->op, inst->type.bits, get_wide(v[0], from),
                                        get_wide(v[1], from)),
                        inst->type, wide);
    }
    switch ((Op)inst->op) {
    case OP_FADD:
    case OP_FSUB:
    case OP_FMUL:
    case OP_FDIV:
    case OP_FREM: return real_arithmetic((Op)inst->op, inst->type, v[0], v[1], wide);
    case OP_FNEG: return negate(inst->type, v[0], wide);
    case OP_TRUNC:
    case OP_ZEXT:
    case OP_SEXT: return resize(inst, from, v[0], wide);
    case OP_FPTOUI:
    case OP_FPTOSI: return to_int(inst, from, v[0]);
    case OP_UITOFP:
    case OP_SITOFP: return from_int(inst, from, v[0], wide);
    case OP_FPTRUNC:
    case OP_FPEXT: return put_real(get_real(v[0], from), inst->type, wide);
    case OP_MOVE: return move(inst, from, v[0], wide);
    case OP_ICMP:
        if (from.kind == TYPE_WIDE)
            return wide_compare((Compare)inst->sub, from.bits, get_wide(v[0], from),
                                get_wide(v[1], from));
        return fold_compare((Compare)inst->sub, from.bits, v[0].bits, v[1].bits);
    case OP_FCMP: return real_compare(inst->sub, get_real(v[0], from), get_real(v[1], from));
    case OP_SELECT: {
        Value chosen = v[0].bits & 1 ? v[1] : v[2];
        if (type_is_wide(inst->type)) memcpy(wide, chosen.bytes, inst->type.size);
        return chosen.bits;
    }
    case OP_EXTRACT: return extract(inst, v[0], wide);
    case OP_INSERT: return insert(inst, code_operand(code, inst, 1)->type, v, wide);
    case OP_GEP: return address(code, inst, v);
    default: return 0;
    }
}

/* ---- intrinsics ---- */

static uint64_t overflow(Pure pure, unsigned bits, uint32_t size, uint64_t a, uint64_t b,
                         uint8_t *wide) {
    bool is_signed = pure == PURE_SADD || pure == PURE_SSUB || pure == PURE_SMUL;
    SignedWide x = is_signed ? bits_signed(a, bits) : (SignedWide)a,
               y = is_signed ? bits_signed(b, bits) : (SignedWide)b, z;
    if (pure == PURE_SADD || pure == PURE_UADD)
        z = x + y;
    else if (pure == PURE_SSUB || pure == PURE_USUB)
        z = x - y;
    else
        z = (SignedWide)((Wide)x * (Wide)y);
    uint64_t low = (uint64_t)z & bits_mask(bits);
    SignedWide back = is_signed ? (SignedWide)bits_signed(low, bits) : (SignedWide)(Wide)low;
    memcpy(wide, &low, size);
    wide[size] = back != z;
    return 0;
}

static uint64_t reverse(uint64_t a, unsigned bits, unsigned unit) {
    uint64_t out = 0;
    for (unsigned i = 0; i < bits; i += unit) out = out << unit | (a >> i & bits_mask(unit));
    return out;
}

static unsigned leading(uint64_t a, unsigned bits) {
    unsigned n = 0;
    while (n < bits && !(a >> (bits - 1 - n) & 1)) n++;
    return n;
}

static unsigned trailing(uint64_t a, unsigned bits) {
    unsigned n = 0;
    while (n < bits && !(a >> n & 1)) n++;
    return n;
}

uint64_t fold_pure(const Code *code, const Inst *inst, const Value *v, uint8_t *wide) {
    Type type = code_operand(code, inst, 0)->type;
    unsigned bits = type.bits;
    uint64_t a = v[0].bits, b = inst->operands > 2 ? v[1].bits : 0;
    switch ((Pure)inst->sub) {
    case PURE_POPCOUNT: return (uint64_t)__builtin_popcountll(a);
    case PURE_CLZ: return leading(a, bits);
    case PURE_CTZ: return trailing(a, bits);
    case PURE_BSWAP: return reverse(a, bits, 8);
    case PURE_BITREVERSE: return reverse(a, bits, 1);
    case PURE_ABS: return bits_signed(a, bits) < 0 ? (0 - a) & bits_mask(bits) : a;
    case PURE_SMAX: return bits_signed(a, bits) > bits_signed(b, bits) ? a : b;
    case PURE_SMIN: return bits_signed(a, bits) < bits_signed(b, bits) ? a : b;
    case PURE_UMAX: return a > b ? a : b;
    case PURE_UMIN: return a < b ? a : b;
    case PURE_FABS:
        if (type.kind == TYPE_FLOAT) return a & 0x7fffffff;
        if (type.kind == TYPE_DOUBLE) return a & ~(1ull << 63);
        memcpy(wide, v[0].bytes, 10);
        wide[9] &= 0x7f;
        return 0;
    case PURE_FSHL:
    case PURE_FSHR: {
        unsigned by = (unsigned)(v[2].bits % bits);
        if (by == 0) return inst->sub == PURE_FSHL ? a : b;
        if (inst->sub == PURE_FSHR) by = bits - by;
        return ((a << by) | (b >> (bits - by))) & bits_mask(bits);
    }
    case PURE_SADD:
    case PURE_UADD:
    case PURE_SSUB:
    case PURE_USUB:
    case PURE_SMUL:
    case PURE_UMUL: return overflow((Pure)inst->sub, bits, type.size, a, b, wide);
    case PURE_FALSE: return 0;
    default: return a;
    }
}

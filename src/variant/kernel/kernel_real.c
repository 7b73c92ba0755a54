/* Floating point in kernels: what is drawn, what it gives, and how it is mended where it is not
 * exact. Operands are cut to a few bits by way of a short integer, numbers that are too great for
 * an integer are scaled by a power of two; so after few repairs all of it is exact. */
#include "variant/kernel/kernel_tree.h"

static unsigned below(KTree *t, unsigned n) {
    return (unsigned)rng_below(t->rng, n);
}

/* ---- drawing ---- */
WType kernel_real_type(KTree *t) {
    static const uint8_t kinds[] = { R_FLOAT, R_FLOAT, R_DOUBLE, R_DOUBLE, R_DOUBLE, R_LONG };
    return wtype_real((RealKind)kinds[below(t, COUNT_OF(kinds))]);
}

WVal kernel_real_value(KTree *t, WType type) {
    Dyadic d;
    uint64_t m = below(t, 4) ? below(t, 16) : below(t, 4096);
    int e = below(t, 2) ? 0 : below(t, 5) ? (int)below(t, 9) - 6 : (int)below(t, 60) - 30;
    dyadic_of(below(t, 3) == 0, m, e, &d);
    return wide_real(type, d);
}

IBinary kernel_real_op(IBinary op) {
    switch (op) {
    case B_MOD: return B_DIV;
    case B_SHL: return B_MUL;
    case B_SHR:
    case B_AND:
    case B_XOR: return B_SUB;
    case B_OR: return B_ADD;
    default: return op;
    }
}

void kernel_real_stores(KStmt *s) {
    for (; s; s = s->next) {
        bool real = s->target && s->e && s->op >= 0 &&
                    (wtype_is_real(s->target->type) || wtype_is_real(s->e->type));
        if (real && s->kind == KS_STORE) s->op = (int)kernel_real_op((IBinary)s->op);
        kernel_real_stores(s->body);
        kernel_real_stores(s->other);
    }
}

static KExpr *builtin(KTree *t, KBuiltin which, WType type, KExpr *a) {
    KExpr *e = kernel_expr(t, K_BUILTIN, type);
    e->op = which;
    e->a = a;
    return e;
}

static KExpr *unsigned_number(KTree *t, WType type, uint64_t value) {
    KExpr *e = kernel_expr(t, K_CONST, type);
    e->value = wide_value(type, value);
    return e;
}

/* Its bits, changed, as a number again: the sign turned, set or cleared, the exponent moved. */
static KExpr *through_bits(KTree *t, KExpr *a) {
    bool small = a->type.kind == R_FLOAT;
    WType word = wtype_of(ITYPE(small ? I_UINT : I_ULONG));
    uint64_t sign = (uint64_t)1 << (small ? 31 : 63), step = (uint64_t)1 << (small ? 23 : 52);
    KExpr *bits = kernel_cast(t, builtin(t, KB_BITS, wtype_of(ITYPE(I_ULONG)), a), word);
    static const struct {
        uint8_t op;
        bool rest, exponent;
    } forms[] = { { B_XOR, false, false }, { B_OR, false, false }, { B_AND, true, false },
                  { B_ADD, false, true },  { B_SUB, false, true }, { B_ADD, false, false } };
    unsigned form = below(t, COUNT_OF(forms));
    uint64_t value = forms[form].exponent ? step : forms[form].rest ? ~sign : sign;
    KExpr *by = unsigned_number(t, word, value), *e = kernel_expr(t, K_BINARY, word);
    e->op = forms[form].op, e->a = bits, e->b = by;
    return builtin(t, KB_FROM_BITS, a->type, e);
}

static KExpr *library(KTree *t, KExpr *a) {
    KExpr *e = builtin(t, (KBuiltin)(KB_FABS + below(t, KB_FROM_BITS - KB_FABS)), a->type, a);
    if (e->op == KB_COPYSIGN || e->op >= KB_FMIN)
        e->b = kernel_cast(t, kernel_expression(t, 1), a->type);
    if (e->op == KB_FMA) e->c = kernel_cast(t, kernel_expression(t, 1), a->type);
    return e;
}

/* Mostly numbers of one kind, so that some do not get a register. */
static KExpr *call(KTree *t, KExpr *a) {
    static const uint8_t ops[] = { B_ADD, B_SUB, B_MUL, B_ADD, B_SUB };
    KCall *c = ARENA_NEW(t->arena, KCall);
    *c = (KCall){ .next = t->calls,
                  .number = t->n_calls++,
                  .n = 2 + below(t, KERNEL_ARGUMENTS - 2) };
    t->calls = c;
    WType type = below(t, 4) ? a->type : kernel_real_type(t);
    for (unsigned i = 0; i < c->n; i++) {
        WType p = below(t, 4) ? type : below(t, 2) ? kernel_real_type(t) : wtype_of(ITYPE(I_INT));
        KExpr *arg = i == 0 ? a : below(t, 3) ? kernel_constant(t, p) : kernel_expression(t, 0);
        c->args[i] = kernel_cast(t, arg, p);
    }
    for (unsigned i = 0; i < 3; i++) c->at[i] = below(t, c->n);
    for (unsigned i = 0; i < 2; i++) c->ops[i] = ops[below(t, COUNT_OF(ops))];
    if (below(t, 2)) c->packed = below(t, c->n), c->packed_n = 1 + below(t, c->n - c->packed);
    c->aside = below(t, 3), c->back = below(t, 3) == 0, c->result = type;
    KExpr *e = kernel_expr(t, K_CALL, type);
    e->call = c;
    return e;
}

/* The constants that rules for floating point ask for. */
static KExpr *special(KTree *t, WType type) {
    static const Dyadic values[] = { { 0, 0, false }, { 0, 0, true },   { 1, 0, false },
                                     { 1, 0, true },  { 1, 1, false },  { 1, -1, false },
                                     { 1, -1, true }, { 3, -2, false }, { 0, 0, false } };
    KExpr *e = kernel_expr(t, K_CONST, type);
    e->value = wide_real(type, values[below(t, COUNT_OF(values))]);
    return e;
}

static KExpr *negated(KTree *t, KExpr *a) {
    KExpr *e = kernel_expr(t, K_UNARY, wtype_unary(U_MINUS, a->type));
    e->op = U_MINUS, e->a = a;
    return e;
}

static IBinary arithmetic(KTree *t) {
    return (IBinary)(B_ADD + below(t, 4));
}

static KExpr *chosen(KTree *t, KExpr *test, KExpr *a, KExpr *b) {
    KExpr *e = kernel_expr(t, K_CHOOSE, a->type);
    e->c = test, e->a = a, e->b = b;
    return e;
}

/* What peephole rules rewrite: signs of zeros, factors, comparisons and conversions decide whether
 * they may. The operand is an integer now and then, since some rules ask where a number is from. */
static KExpr *peephole(KTree *t, KExpr *a) {
    WType type = wtype_is_real(a->type) ? a->type : kernel_real_type(t);
    KExpr *c = special(t, type), *x = kernel_cast(t, a, type);
    IBinary compare = (IBinary)(B_LT + below(t, 6));
    switch (below(t, 8)) {
    case 0:
    case 1: return kernel_binary(t, arithmetic(t), c, a);
    case 2: return kernel_binary(t, arithmetic(t), a, c);
    case 3:
        return kernel_binary(t, arithmetic(t), kernel_binary(t, arithmetic(t), x, c),
                             below(t, 2) ? special(t, type) : x);
    case 4:
        return negated(t, kernel_binary(t, below(t, 2) ? B_SUB : B_MUL, x, below(t, 2) ? c : a));
    case 5: return chosen(t, kernel_binary(t, compare, x, c), below(t, 2) ? x : c, negated(t, x));
    case 6:
        return kernel_binary(t, compare, kernel_binary(t, arithmetic(t), x, c), special(t, type));
    default: /* there and back, in between smaller or an integer */
        return kernel_binary(t, arithmetic(t),
                             kernel_cast(t, kernel_cast(t, x, kernel_any_type(t)), type), c);
    }
}

KExpr *kernel_real_idiom(KTree *t, KExpr *a) {
    if (below(t, 3) == 0) return peephole(t, a);
    if (!wtype_is_real(a->type) || below(t, 3) == 0) a = kernel_cast(t, a, kernel_real_type(t));
    switch (below(t, 6)) {
    case 0: return call(t, a);
    case 1: return a->type.kind == R_LONG ? call(t, a) : through_bits(t, a);
    case 2: return kernel_real_word(t, a);
    case 3:
        if (!t->order->plain) return builtin(t, KB_SIGNBIT, wtype_of(ITYPE(I_INT)), a);
        break;
    case 4: /* there and back */
        a = kernel_cast(t, a, kernel_real_type(t));
        return kernel_cast(t, a, kernel_any_type(t));
    default: break;
    }
    return t->order->plain ? call(t, a) : library(t, a);
}

KExpr *kernel_real_word(KTree *t, KExpr *a) {
    return builtin(t, KB_BITS, wtype_of(ITYPE(I_ULONG)), a);
}

/* ---- running ---- */
/* What kernel_real_print.c's function does with a long double. */
static uint64_t long_word(Dyadic d) {
    if (!d.m) return d.negative ? 3 : 1;
    int top = dyadic_top(d);
    uint64_t word = d.m << __builtin_clzll(d.m);
    return (word ^ (uint64_t)(int64_t)(top - 63) * 40503) + d.negative;
}

static bool rounded(KBuiltin which, WVal a, WVal *out) {
    Bits128 whole;
    if (!dyadic_whole(a.real, &whole)) return *out = a, true; /* there is no fraction */
    Dyadic d, one = { 1, 0, which == KB_FLOOR };
    bool minus = a.real.negative;
    if (!dyadic_of(minus, whole, 0, &d)) return false;
    bool less = a.real.e < 0 && a.real.m;
    if (less && which == (minus ? KB_FLOOR : KB_CEIL) && !dyadic_add(d, one, &d)) return false;
    if (!d.m) d.negative = minus;
    return dyadic_fits(d, (RealKind)a.type.kind) && (*out = wide_real(a.type, d), true);
}

static bool fused(WVal a, WVal b, WVal c, WVal *out) {
    Dyadic d;
    if (!dyadic_multiply(a.real, b.real, &d) || !dyadic_add(d, c.real, &d)) return false;
    return dyadic_fits(d, (RealKind)a.type.kind) && (*out = wide_real(a.type, d), true);
}

bool kernel_real_builtin(const KExpr *e, WVal a, WVal b, WVal c, WVal *out) {
    RealKind kind = (RealKind)(e->op == KB_FROM_BITS ? e->type.kind : a.type.kind);
    Dyadic d = a.real;
    bool less = e->b && dyadic_order(a.real, b.real) < 0;
    switch ((KBuiltin)e->op) {
    case KB_FABS: d.negative = false; break;
    case KB_COPYSIGN: d.negative = b.real.negative; break;
    case KB_FLOOR:
    case KB_CEIL:
    case KB_TRUNC: return rounded((KBuiltin)e->op, a, out);
    case KB_FMIN:
    case KB_FMAX:
        if (!a.real.m && !b.real.m) return false;
        return *out = less == (e->op == KB_FMIN) ? a : b, true;
    case KB_FMA: return fused(a, b, c, out);
    case KB_SIGNBIT: return *out = wide_value(e->type, a.real.negative), true;
    case KB_BITS:
        *out = wide_value(e->type, kind == R_LONG ? long_word(d) : dyadic_encode(d, kind));
        return true;
    default:
        if (!dyadic_decode((uint64_t)a.bits, kind, &d)) return false;
    }
    *out = wide_real(e->type, d);
    return true;
}

EvalFlaw kernel_real_call(const KCall *call, const WVal *args, WVal *out) {
    WVal value = args[call->at[0]];
    for (unsigned i = 0; i < 2 && call->ops[i] >= 0; i++) {
        EvalFlaw flaw = wide_binary((IBinary)call->ops[i], value, args[call->at[i + 1]], &value);
        if (flaw != EVAL_FINE) return flaw;
    }
    return wide_convert(value, call->result, out);
}

/* ---- mending ---- */
static KExpr *cast(KTree *t, KExpr *a, WType type) {
    KExpr *e = kernel_expr(t, K_CAST, type);
    e->a = a;
    return e;
}

/* The operand, cut to so few bits that it and what is computed with it is exact. */
static KExpr *cut(KTree *t, KExpr *a, IKind kind) {
    WType type = a->type, few = wtype_of(ITYPE(kind));
    KExpr *small =
        wtype_is_real(type) ? cast(t, cast(t, a, wtype_of(ITYPE(I_LONG))), few) : cast(t, a, few);
    return wtype_same(type, few) ? small : cast(t, small, type);
}

static bool is_cut(const KExpr *e) {
    if (!wtype_is_real(e->type) && e->type.bits <= 8) return true;
    return e->kind == K_CAST && e->a->kind == K_CAST && e->a->type.bits == 8;
}

/* Less than, as a number of the type: that is always exact. */
static void compare_instead(KTree *t, KExpr *e) {
    KExpr *less = kernel_expr(t, K_BINARY, wtype_of(ITYPE(I_INT)));
    less->op = B_LT, less->a = e->a, less->b = e->b;
    e->kind = K_CAST, e->a = less, e->b = NULL;
}

static void mend_binary(KTree *t, KExpr *e) {
    if (is_cut(e->a) && is_cut(e->b)) {
        if (e->op == B_DIV)
            e->op = B_MUL;
        else
            compare_instead(t, e);
        return;
    }
    if (!is_cut(e->a)) e->a = cut(t, e->a, I_SCHAR);
    if (!is_cut(e->b)) e->b = cut(t, e->b, I_SCHAR);
}

/* a * 2^-30 */
static KExpr *scaled(KTree *t, KExpr *a) {
    KExpr *by = kernel_expr(t, K_CONST, a->type), *e = kernel_expr(t, K_BINARY, a->type);
    by->value = wide_real(a->type, (Dyadic){ 1, -30, false });
    e->op = B_MUL, e->a = a, e->b = by;
    return e;
}

static void mend_cast(KTree *t, KExpr *e) {
    WType from = e->a->type;
    if (wtype_is_real(e->type))
        e->a = cut(t, e->a, I_SHORT);
    else if (!e->type.is_signed || e->type.bits < 64) /* from here on integers wrap */
        e->a = cast(t, e->a, wtype_of(ITYPE(I_LONG)));
    else if (from.family == W_REAL)
        e->a = scaled(t, e->a);
}

static void mend_call(KTree *t, KCall *c) {
    KExpr **first = &c->args[c->at[0]];
    if (c->ops[0] >= 0 && c->ops[1] >= 0)
        c->ops[1] = -1;
    else if (c->ops[0] >= 0)
        c->ops[0] = -1;
    else
        *first = cut(t, *first, I_SCHAR);
}

void kernel_real_mend(KTree *t, KExpr *e) {
    switch (e->kind) {
    case K_BINARY: mend_binary(t, e); break;
    case K_CAST: mend_cast(t, e); break;
    case K_CALL: mend_call(t, e->call); break;
    default: /* a builtin: its first operand alone, cut */
        e->kind = K_CAST, e->b = e->c = NULL;
        e->a = cast(t, e->a, wtype_of(ITYPE(I_SCHAR)));
    }
}

void kernel_real_mend_store(KTree *t, KStmt *s) {
    if (s->op >= 0)
        s->op = -1;
    else
        s->e = cast(t, s->e, s->target->type);
}

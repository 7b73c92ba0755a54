/* Drawing a kernel: types and shapes only; running it shows whether anything is undefined. */
#include "variant/kernel/kernel_tree.h"

KExpr *kernel_expr(KTree *t, KKind kind, WType type) {
    KExpr *e = ARENA_NEW(t->arena, KExpr);
    e->kind = kind;
    e->type = type;
    return e;
}

bool kernel_is_exact(const KExpr *e) {
    bool sum = e->op == B_ADD || e->op == B_SUB || e->op == B_MUL;
    bool ints = e->type.family == W_STANDARD && e->type.kind == I_INT;
    return e->kind == K_BINARY && sum && ints && e->a->type.family == W_STANDARD &&
           e->b->type.family == W_STANDARD;
}

KStmt *kernel_stmt(KTree *t, KStmtKind kind) {
    KStmt *s = ARENA_NEW(t->arena, KStmt);
    s->kind = kind;
    s->op = -1;
    return s;
}

/* ---- types and variables ---- */
static WType std(IKind kind) {
    return wtype_of(ITYPE(kind));
}

/* Compilers treat up to 64, up to 128 and more bits differently, and whole words in another way
 * than what is between. */
static unsigned any_width(KTree *t) {
    unsigned width = 2 + (unsigned)rng_below(t->rng, 126);
    if (rng_chance(t->rng, 0.5)) width = 129 + (unsigned)rng_below(t->rng, WIDE_BITS_MOST - 128);
    if (rng_chance(t->rng, 0.3))
        width = (width + 63) / 64 * 64 - 1 + (unsigned)rng_below(t->rng, 3);
    return width < WIDE_BITS_MOST ? width : WIDE_BITS_MOST;
}

WType kernel_any_type(KTree *t) {
    static const uint8_t often[] = { I_INT, I_UINT, I_INT, I_UINT, I_LONG, I_ULONG };
    if (t->reals && rng_chance(t->rng, 0.45)) return kernel_real_type(t);
    bool wide = !t->order->plain && rng_chance(t->rng, t->order->bitint ? 0.3 : 0.12);
    if (wide && t->order->bitint) return wtype_bitint(any_width(t), rng_chance(t->rng, 0.5));
    if (wide) return wtype_int128(rng_chance(t->rng, 0.5));
    if (rng_chance(t->rng, 0.5)) return std(often[rng_below(t->rng, COUNT_OF(often))]);
    return std((IKind)rng_below(t->rng, I_KINDS));
}

/* Random limbs, or a power of two or one less. */
static WVal any_big(KTree *t, WType type) {
    Big value = big_shift_left(big_small(1), (unsigned)rng_below(t->rng, type.bits));
    if (rng_chance(t->rng, 0.5))
        return wide_big(type, big_add(value, big_small(-rng_below(t->rng, 2))));
    for (unsigned i = 0; i < BIG_LIMBS; i++) value.at[i] = rng_next(t->rng);
    if (rng_chance(t->rng, 0.3))
        value = big_shift_right(value, (unsigned)rng_below(t->rng, BIG_BITS), true);
    return wide_big(type, value);
}

static WVal any_value(KTree *t, WType type) {
    if (wtype_is_real(type)) return kernel_real_value(t, type);
    Bits128 bits = (Bits128)rng_next(t->rng) << 64 | rng_next(t->rng);
    if (type.bits > 128 && rng_chance(t->rng, 0.6)) return any_big(t, type);
    switch (rng_below(t->rng, 5)) {
    case 0: bits = (Bits128)rng_below(t->rng, 8); break;
    case 1: bits = (Bits128)rng_below(t->rng, 200); break;
    case 2:
        bits = ((Bits128)1 << rng_below(t->rng, type.bits < 128 ? type.bits : 128)) -
               rng_below(t->rng, 2);
        break;
    case 3: bits = -(Bits128)rng_below(t->rng, 50); break;
    default: break;
    }
    return wide_value(type, bits);
}

unsigned kernel_var(KTree *t, char letter, WType type, unsigned count) {
    unsigned i = t->n++;
    CHECK(i < KERNEL_VARS);
    t->vars[i] = (KVar){ .name = arena_fmt(t->arena, "%s%c%u", t->order->name, letter, i),
                         .type = type,
                         .count = count };
    return i;
}

/* A variable that is, or is not, an array; UINT32_MAX: none. loops: including loop variables. */
unsigned kernel_any(KTree *t, bool array, bool loops) {
    unsigned chosen = UINT32_MAX;
    uint64_t seen = 0;
    for (unsigned i = 0; i < t->n; i++) {
        if (t->vars[i].gone || (t->vars[i].count > 0) != array || (t->vars[i].is_index && !loops))
            continue;
        if (i == t->sum && !loops) continue;
        if (rng_below(t->rng, ++seen) == 0) chosen = i;
    }
    return chosen;
}

/* ---- expressions ---- */
KExpr *kernel_constant(KTree *t, WType type) {
    KExpr *e = kernel_expr(t, K_CONST, type);
    e->value = any_value(t, type);
    return e;
}

KExpr *kernel_read(KTree *t, unsigned var) {
    KExpr *e = kernel_expr(t, K_VAR, t->vars[var].type);
    e->var = var;
    return e;
}

/* Compilers do not convert between floating point and all of _BitInt. */
static bool is_far(WType a, WType b) {
    return wtype_is_real(a) && b.family == W_BITINT;
}

KExpr *kernel_cast(KTree *t, KExpr *a, WType type) {
    if (wtype_same(a->type, type)) return a;
    if (is_far(a->type, type) || is_far(type, a->type)) a = kernel_cast(t, a, std(I_LONG));
    KExpr *e = kernel_expr(t, K_CAST, type);
    e->a = a;
    return e;
}

KExpr *kernel_binary(KTree *t, IBinary op, KExpr *a, KExpr *b) {
    bool mixed = (a->type.family == W_INT128 && b->type.family == W_BITINT) ||
                 (a->type.family == W_BITINT && b->type.family == W_INT128);
    mixed = mixed || is_far(a->type, b->type) || is_far(b->type, a->type);
    if (mixed) b = kernel_cast(t, b, a->type);
    if (wtype_is_real(a->type) || wtype_is_real(b->type)) op = kernel_real_op(op);
    KExpr *e = kernel_expr(t, K_BINARY, wtype_binary(op, a->type, b->type));
    e->op = op, e->a = a, e->b = b;
    e->as_real = !t->order->plain && rng_chance(t->rng, 0.1);
    return e;
}

/* The loop's variable, shifted or scaled, or any expression: masked where needed to stay inside. */
static KExpr *element(KTree *t, unsigned array) {
    unsigned loop = UINT32_MAX;
    for (unsigned i = 0; i < t->n; i++)
        if (t->vars[i].is_index && (loop == UINT32_MAX || rng_chance(t->rng, 0.6))) loop = i;
    KExpr *index =
        t->looped && loop != UINT32_MAX ? kernel_read(t, loop) : kernel_constant(t, std(I_UCHAR));
    KExpr *small = kernel_constant(t, std(I_INT));
    small->value = wide_value(std(I_INT), rng_below(t->rng, 5));
    if (rng_chance(t->rng, 0.4))
        index = kernel_binary(t, rng_chance(t->rng, 0.7) ? B_ADD : B_MUL, index, small);
    KExpr *e = kernel_expr(t, K_ELEMENT, t->vars[array].type);
    e->var = array;
    e->a = index;
    e->as_real = !t->order->plain && rng_chance(t->rng, 0.08);
    return e;
}

static KExpr *leaf(KTree *t) {
    unsigned var = kernel_any(t, false, true), array = kernel_any(t, true, false);
    if (array != UINT32_MAX && rng_chance(t->rng, 0.4)) return element(t, array);
    if (var != UINT32_MAX && rng_chance(t->rng, 0.75)) return kernel_read(t, var);
    return kernel_constant(t, kernel_any_type(t));
}

static KExpr *builtin(KTree *t, KExpr *a) {
    static const struct {
        uint8_t arg, result;
    } types[KB_COUNT] = {
        [KB_CLZ] = { I_ULLONG, I_INT },      [KB_CTZ] = { I_ULLONG, I_INT },
        [KB_POPCOUNT] = { I_ULLONG, I_INT }, [KB_PARITY] = { I_ULLONG, I_INT },
        [KB_FFS] = { I_LLONG, I_INT },       [KB_BSWAP16] = { I_USHORT, I_USHORT },
        [KB_BSWAP32] = { I_UINT, I_UINT },   [KB_BSWAP64] = { I_ULONG, I_ULONG },
        [KB_EXPECT] = { I_LONG, I_LONG },    [KB_ABS] = { I_LLONG, I_LLONG },
    };
    KBuiltin which = (KBuiltin)rng_below(t->rng, KB_COUNT);
    KExpr *e = kernel_expr(t, K_BUILTIN, std(types[which].result));
    e->op = which;
    e->a = kernel_cast(t, a, std(types[which].arg));
    e->value = wide_value(std(I_LONG), rng_below(t->rng, 3));
    return e;
}

static KExpr *choice(KTree *t, KExpr *a, unsigned depth) {
    KExpr *e = kernel_expr(t, K_CHOOSE, wtype_promote(a->type));
    e->c = kernel_expression(t, depth - 1);
    e->a = a;
    e->b = kernel_cast(t, kernel_expression(t, depth - 1), a->type);
    return e;
}

static KExpr *unary(KTree *t, KExpr *a) {
    IUnary op = (IUnary)rng_below(t->rng, U_COUNT);
    if (op == U_BITNOT && wtype_is_real(a->type)) op = U_MINUS;
    KExpr *e = kernel_expr(t, K_UNARY, wtype_unary(op, a->type));
    e->op = op;
    e->a = a;
    return e;
}

KExpr *kernel_expression(KTree *t, unsigned depth) {
    if (depth == 0 || rng_chance(t->rng, 0.2)) return leaf(t);
    const double weight[] = { 8, 1.5, 1, 1.5, 1.2, 3, t->reals ? 3 : 0 };
    KExpr *a = kernel_expression(t, depth - 1);
    switch (rng_weighted(t->rng, weight, COUNT_OF(weight))) {
    case 1: return unary(t, a);
    case 2: return choice(t, a, depth);
    case 3: return kernel_cast(t, a, kernel_any_type(t));
    case 4: return t->order->plain ? a : builtin(t, a);
    case 5: return kernel_idiom(t, a, kernel_expression(t, depth - 1));
    case 6: return kernel_real_idiom(t, a);
    default: break;
    }
    return kernel_binary(t, (IBinary)rng_below(t->rng, B_LAND), a, kernel_expression(t, depth - 1));
}

/* ---- statements ---- */
static KStmt *statements(KTree *t, unsigned n);

static KExpr *target(KTree *t) {
    unsigned array = kernel_any(t, true, false), var = kernel_any(t, false, false);
    if (array != UINT32_MAX && (var == UINT32_MAX || (t->looped && rng_chance(t->rng, 0.6))))
        return element(t, array);
    return kernel_read(t, var);
}

static KStmt *store(KTree *t) {
    KStmt *s = kernel_stmt(t, KS_STORE);
    s->target = target(t);
    s->e = kernel_expression(t, 3);
    if (rng_chance(t->rng, 0.4)) s->op = (int)rng_below(t->rng, B_LT);
    bool mixed = s->target->type.family != s->e->type.family &&
                 s->target->type.family != W_STANDARD && s->e->type.family != W_STANDARD;
    if (mixed) s->e = kernel_cast(t, s->e, s->target->type);
    return s;
}

/* acc op= element or expression: what vectorisers look for. */
static KStmt *reduction(KTree *t) {
    static const IBinary ops[] = { B_ADD, B_ADD, B_XOR, B_OR, B_AND, B_SUB, B_MUL };
    unsigned var = kernel_any(t, false, false);
    if (var == UINT32_MAX) return store(t);
    KStmt *s = store(t);
    s->target = kernel_read(t, var);
    s->op = (int)ops[rng_below(t->rng, COUNT_OF(ops))];
    s->e = kernel_cast(t, s->e, s->target->type);
    return s;
}

static KStmt *loop(KTree *t) {
    static const uint8_t kinds[] = { I_INT,   I_INT,   I_UINT,   I_LONG,
                                     I_ULONG, I_SHORT, I_USHORT, I_UCHAR };
    uint64_t most = t->depth ? 40 : 1000;
    KStmt *s = kernel_stmt(t, KS_FOR);
    unsigned turns = (unsigned)rng_between(t->rng, t->depth ? 3 : 16, (int64_t)most);
    if (!t->depth && rng_chance(t->rng, 0.7)) turns = 16 + (unsigned)rng_below(t->rng, 100);
    WType type = std(kinds[rng_below(t->rng, COUNT_OF(kinds))]);
    s->step = rng_chance(t->rng, 0.6)   ? 1
              : rng_chance(t->rng, 0.5) ? -1
                                        : 2 + (int)rng_below(t->rng, 3);
    int span = (int)turns * (s->step < 0 ? 1 : s->step);
    int64_t top = type.bits >= 32 ? 100000 : ((int64_t)1 << (type.bits - type.is_signed)) - 1;
    if (span + 8 > top) span = (int)top - 8; /* the last step must stay inside as well */
    s->from = s->step > 0 ? (int)rng_below(t->rng, 3) : span;
    /* never below 0: as an unsigned number that would be the greatest */
    s->to = s->step > 0 ? s->from + (span > 4 ? span - 4 : span) : (int)rng_below(t->rng, 3);
    s->as_while = rng_chance(t->rng, 0.25);
    s->var = kernel_var(t, 'i', type, 0);
    t->vars[s->var].is_index = true;
    bool looped = t->looped;
    uint64_t around = t->turns;
    t->looped = true, t->depth++, t->turns *= turns;
    s->body = statements(t, 1 + (unsigned)rng_below(t->rng, 3));
    t->looped = looped, t->depth--, t->turns = around;
    t->vars[s->var].is_index = false;
    t->vars[s->var].gone = true;
    return s;
}

static KStmt *branch(KTree *t) {
    KStmt *s = kernel_stmt(t, KS_IF);
    s->e = kernel_expression(t, 2);
    s->body = statements(t, 1);
    if (rng_chance(t->rng, 0.4)) s->other = statements(t, 1);
    return s;
}

static KStmt *leave(KTree *t) {
    KStmt *s = kernel_stmt(t, rng_chance(t->rng, 0.5) ? KS_BREAK : KS_CONTINUE);
    s->e = kernel_binary(t, (IBinary)(B_LT + rng_below(t->rng, 6)), kernel_expression(t, 1),
                         kernel_expression(t, 1));
    return s;
}

static KStmt *overflow(KTree *t) {
    static const IBinary ops[] = { B_ADD, B_SUB, B_MUL };
    unsigned flag = kernel_any(t, false, false), var = kernel_any(t, false, false);
    if (flag == UINT32_MAX || flag == var || t->vars[var].type.bits < 8 ||
        t->vars[var].is_volatile || t->vars[var].type.family == W_BITINT ||
        wtype_is_real(t->vars[var].type) || wtype_is_real(t->vars[flag].type))
        return store(t);
    KStmt *s = kernel_stmt(t, KS_OVERFLOW);
    s->op = (int)ops[rng_below(t->rng, COUNT_OF(ops))];
    s->target = kernel_read(t, var);
    s->e = kernel_cast(t, kernel_expression(t, 1), t->vars[var].type);
    s->by = kernel_cast(t, kernel_expression(t, 1), t->vars[var].type);
    s->flag = flag;
    return s;
}

static KStmt *copy(KTree *t) {
    unsigned to = kernel_any(t, true, false), from = kernel_any(t, true, false);
    if (to == UINT32_MAX || to == from || t->vars[to].count != t->vars[from].count ||
        !wtype_same(t->vars[to].type, t->vars[from].type))
        return store(t);
    KStmt *s = kernel_stmt(t, KS_COPY);
    s->target = kernel_read(t, to), s->e = kernel_read(t, from);
    return s;
}

/* Bytes of an integer have no padding, and every pattern is a value; not of _Bool, of _BitInt. Two
 * zeros of floating point are equal and have other bytes. */
static bool is_bytes(const KVar *v) {
    return v->type.family != W_BITINT && v->type.family != W_REAL && v->type.bits >= 8;
}

static KStmt *set_bytes(KTree *t) {
    unsigned array = kernel_any(t, true, false);
    if (array == UINT32_MAX || !is_bytes(&t->vars[array])) return store(t);
    KStmt *s = kernel_stmt(t, KS_SET);
    s->target = kernel_read(t, array);
    s->from = rng_chance(t->rng, 0.5) ? 0 : (int)rng_below(t->rng, 256);
    return s;
}

static KStmt *compare(KTree *t) {
    unsigned flag = kernel_any(t, false, false);
    KStmt *s = copy(t);
    if (s->kind != KS_COPY || flag == UINT32_MAX || !is_bytes(&t->vars[s->target->var])) return s;
    s->kind = KS_COMPARE;
    s->flag = flag;
    return s;
}

/* The innermost loop around. */
static unsigned loop_around(const KTree *t) {
    for (unsigned i = t->n; i > 0; i--)
        if (t->vars[i - 1].is_index) return i - 1;
    return KERNEL_VARS;
}

static bool is_lane(WType type) {
    return (type.family == W_STANDARD && type.bits >= 8) ||
           (type.family == W_REAL && type.kind != R_LONG);
}

static KStmt *convert(KTree *t, unsigned to, unsigned from) {
    const KVar *a = &t->vars[to], *b = &t->vars[from];
    unsigned bits = a->type.bits > b->type.bits ? a->type.bits : b->type.bits;
    unsigned lanes = (64u << rng_below(t->rng, 4)) / bits;
    unsigned count = a->count < b->count ? a->count : b->count;
    if (lanes < 2 || lanes > count) return store(t);
    KStmt *s = kernel_stmt(t, KS_CONVERT);
    s->target = kernel_read(t, to), s->e = kernel_read(t, from);
    s->from = (int)rng_below(t->rng, count - lanes + 1);
    s->to = (int)lanes;
    return s;
}

static KStmt *vector(KTree *t) {
    static const IBinary ops[] = { B_ADD, B_SUB, B_MUL, B_AND, B_OR, B_XOR, B_LT };
    unsigned to = kernel_any(t, true, false), from = kernel_any(t, true, false);
    if (to == UINT32_MAX || !is_lane(t->vars[to].type)) return store(t);
    for (unsigned tries = 0; t->reals && tries < 3 && from == to; tries++)
        from = kernel_any(t, true, false);
    WType a = t->vars[to].type, b = t->vars[from].type;
    if (t->order->lanes && is_lane(b) && wtype_is_real(a) != wtype_is_real(b))
        return convert(t, to, from);
    if (!wtype_same(a, b)) from = to;
    KStmt *s = kernel_stmt(t, KS_VECTOR);
    unsigned lanes = (64u << rng_below(t->rng, 4)) / t->vars[to].type.bits;
    unsigned count =
        t->vars[to].count < t->vars[from].count ? t->vars[to].count : t->vars[from].count;
    if (lanes < 2 || lanes > count) return store(t);
    s->target = kernel_read(t, to), s->e = kernel_read(t, from);
    s->by = kernel_read(t, rng_chance(t->rng, 0.5) ? to : from);
    s->op = (int)ops[rng_below(t->rng, COUNT_OF(ops) - (wtype_is_real(t->vars[to].type) ? 4 : 0))];
    s->from = (int)rng_below(t->rng, count - lanes + 1);
    s->to = (int)lanes;
    s->step = rng_chance(t->rng, 0.4) ? (int)rng_below(t->rng, lanes) : 0;
    s->var = t->looped && rng_chance(t->rng, 0.7) ? loop_around(t) : KERNEL_VARS;
    return s;
}

static KStmt *array_loop(KTree *t) {
    bool fits = t->depth < 2 && t->turns < 60 && t->n + 2 < KERNEL_VARS;
    KStmt *s = fits ? kernel_array_loop(t) : NULL;
    return s ? s : store(t);
}

static KStmt *bit_loop(KTree *t) {
    bool fits = t->turns < 120 && t->n + 4 < KERNEL_VARS;
    return fits ? kernel_bit_loop(t, kernel_expression(t, 1)) : store(t);
}

static KStmt *statement(KTree *t) {
    const double weight[] = { 5, 3, 3, 2, 1, 1, 0.7, t->reals ? 3 : 1.5, 0.5, 0.5, 3, 1.2, 1.5 };
    switch (rng_weighted(t->rng, weight, COUNT_OF(weight))) {
    case 1: return t->looped ? reduction(t) : store(t);
    case 2: return t->depth < 2 && t->turns < 400 && t->n + 2 < KERNEL_VARS ? loop(t) : store(t);
    case 3: return branch(t);
    case 4: return t->looped ? leave(t) : store(t);
    case 5: return t->order->plain ? store(t) : overflow(t);
    case 6: return t->order->plain ? store(t) : copy(t);
    case 7: return t->order->plain ? store(t) : vector(t);
    case 8: return t->order->plain ? store(t) : set_bytes(t);
    case 9: return t->order->plain ? store(t) : compare(t);
    case 10: return array_loop(t);
    case 11: return bit_loop(t);
    case 12: return kernel_switch(t, kernel_expression(t, 1));
    default: return store(t);
    }
}

static KStmt *statements(KTree *t, unsigned n) {
    KStmt *first = NULL, **end = &first;
    for (unsigned i = 0; i < n; i++) {
        *end = statement(t);
        while (*end) end = &(*end)->next; /* it may be several */
    }
    return first;
}

/* ---- the whole ---- */
/* for (..) a[i] = (T)(i * x + y): every element holds a value before anything is read. */
static KStmt *fill(KTree *t, unsigned array) {
    KStmt *s = kernel_stmt(t, KS_FOR);
    WType index = std(I_UINT);
    s->from = 0, s->to = (int)t->vars[array].count, s->step = 1;
    s->var = kernel_var(t, 'i', index, 0);
    KStmt *one = s->body = kernel_stmt(t, KS_STORE);
    one->target = kernel_expr(t, K_ELEMENT, t->vars[array].type);
    one->target->var = array;
    one->target->a = kernel_read(t, s->var);
    KExpr *scaled = kernel_binary(t, B_MUL, kernel_read(t, s->var), kernel_constant(t, index));
    one->e = kernel_cast(t, kernel_binary(t, B_ADD, scaled, kernel_constant(t, index)),
                         t->vars[array].type);
    if (t->vars[array].type.bits > 32 &&
        !wtype_is_real(t->vars[array].type)) /* so that its upper half is not empty */
        one->e = kernel_binary(t, B_XOR, one->e, kernel_constant(t, t->vars[array].type));
    t->vars[s->var].gone = true;
    return s;
}

/* sum = sum * 31 + (unsigned long)what */
static KStmt *add_word(KTree *t, KExpr *what) {
    KStmt *s = kernel_stmt(t, KS_STORE);
    KExpr *prime = kernel_constant(t, std(I_ULONG));
    prime->value = wide_value(std(I_ULONG), 31);
    s->target = kernel_read(t, t->sum);
    s->e = kernel_binary(t, B_ADD, kernel_binary(t, B_MUL, kernel_read(t, t->sum), prime),
                         kernel_cast(t, what, std(I_ULONG)));
    return s;
}

/* All its words, one after the other: everything the kernel computed shows. */
static KStmt *add_up(KTree *t, KExpr *what) {
    if (wtype_is_real(what->type)) return add_word(t, kernel_real_word(t, what));
    KStmt *first = add_word(t, what), *last = first;
    for (unsigned at = 64; at < what->type.bits; at += 64) {
        KExpr *by = kernel_constant(t, std(I_INT));
        by->value = wide_value(std(I_INT), at);
        last = last->next = add_word(t, kernel_binary(t, B_SHR, what, by));
    }
    return first;
}

static KStmt *add_up_array(KTree *t, unsigned array) {
    KStmt *s = kernel_stmt(t, KS_FOR);
    s->from = 0, s->to = (int)t->vars[array].count, s->step = 1;
    s->var = kernel_var(t, 'i', std(I_INT), 0);
    KExpr *e = kernel_expr(t, K_ELEMENT, t->vars[array].type);
    e->var = array;
    e->a = kernel_read(t, s->var);
    s->body = add_up(t, e);
    t->vars[s->var].gone = true;
    return s;
}

static void append(KStmt ***end, KStmt *s) {
    **end = s;
    while (**end) *end = &(**end)->next;
}

static void new_locals(KTree *t) {
    unsigned scalars = 1 + (unsigned)rng_below(t->rng, 3),
             arrays = 1 + (unsigned)rng_below(t->rng, 3);
    for (unsigned i = 0; i < scalars; i++) {
        KVar *v = &t->vars[kernel_var(t, 's', kernel_any_type(t), 0)];
        v->init = any_value(t, v->type);
        v->is_volatile = rng_chance(t->rng, 0.1);
    }
    WType type = t->reals ? kernel_real_type(t) : kernel_any_type(t);
    unsigned count = 16u << rng_below(t->rng, 4);
    for (unsigned i = 0; i < arrays; i++) {
        if (rng_chance(t->rng, 0.5)) type = kernel_any_type(t), count = 16u << rng_below(t->rng, 4);
        t->vars[kernel_var(t, 'a', type, count)].is_static = rng_chance(t->rng, 0.3);
    }
}

void kernel_draw(KTree *t) {
    t->reals = t->order->reals && rng_chance(t->rng, 0.4);
    for (size_t i = 0; i < t->order->inputs_len; i++)
        kernel_var(t, 'p', wtype_of(ITYPE(t->order->inputs[i].type.kind)), 0);
    t->sum = kernel_var(t, 'r', std(I_ULONG), 0);
    t->vars[t->sum].init = wide_value(std(I_ULONG), rng_below(t->rng, 100));
    new_locals(t);
    unsigned locals = t->n;
    t->turns = 1;
    KStmt **end = &t->body;
    for (unsigned i = 0; i < locals; i++)
        if (t->vars[i].count) append(&end, fill(t, i));
    append(&end, rng_chance(t->rng, 0.5) ? loop(t) : array_loop(t));
    append(&end, statements(t, (unsigned)rng_below(t->rng, 3)));
    for (unsigned i = 0; i < locals && t->n < KERNEL_VARS; i++)
        if (i != t->sum)
            append(&end, t->vars[i].count ? add_up_array(t, i) : add_up(t, kernel_read(t, i)));
    kernel_real_stores(t->body);
}

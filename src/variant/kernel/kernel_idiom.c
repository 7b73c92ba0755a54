/* Idioms: expressions of a form that peephole rules, vectorisers and instruction selection look
 * for, in several spellings, over any operands. Each rule that recognises one has conditions (on
 * signs, widths, constants), and these are what goes wrong; so types and constants are drawn, and
 * operands are whatever the kernel has there. What comes out undefined is mended like the rest. */
#include "variant/kernel/kernel_tree.h"

/* Two operands of one drawn type. */
typedef struct Idiom {
    KTree *t;
    WType type, twice; /* twice: as signed, and twice as wide where there is such a type */
    KExpr *x, *y;
} Idiom;

static const uint8_t narrow_kinds[] = { I_SCHAR, I_SHORT, I_INT, I_LONG };
static const uint8_t unsigned_kinds[] = { I_UCHAR, I_USHORT, I_UINT, I_ULONG };

static Idiom operands(KTree *t, KExpr *a, KExpr *b, bool is_signed) {
    const uint8_t *kinds = is_signed ? narrow_kinds : unsigned_kinds;
    size_t k = rng_below(t->rng, 4);
    WType twice = k < 3 ? wtype_of(ITYPE(kinds[k + 1])) : wtype_int128(is_signed);
    Idiom i = { .t = t, .type = wtype_of(ITYPE(kinds[k])), .twice = twice };
    if (k == 3 && t->order->plain) i.twice = i.type;
    i.x = kernel_cast(t, a, i.type), i.y = kernel_cast(t, b, i.type);
    return i;
}

static KExpr *number(const Idiom *i, WType type, Bits128 value) {
    KExpr *e = kernel_expr(i->t, K_CONST, type);
    e->value = wide_value(type, value);
    return e;
}

static KExpr *op(const Idiom *i, IBinary o, KExpr *a, KExpr *b) {
    return kernel_binary(i->t, o, a, b);
}

/* .. brought back to the idiom's type. */
static KExpr *typed(const Idiom *i, IBinary o, KExpr *a, KExpr *b) {
    return kernel_cast(i->t, op(i, o, a, b), i->type);
}

static KExpr *unary(const Idiom *i, IUnary o, KExpr *a) {
    KExpr *e = kernel_expr(i->t, K_UNARY, wtype_unary(o, a->type));
    e->op = o, e->a = a;
    return kernel_cast(i->t, e, i->type);
}

/* test ? a : b, both of the type. */
static KExpr *choose_as(const Idiom *i, WType type, KExpr *test, KExpr *a, KExpr *b) {
    KExpr *e = kernel_expr(i->t, K_CHOOSE, wtype_promote(type));
    e->c = test, e->a = kernel_cast(i->t, a, type), e->b = kernel_cast(i->t, b, type);
    return kernel_cast(i->t, e, type);
}

static KExpr *choose(const Idiom *i, KExpr *test, KExpr *a, KExpr *b) {
    return choose_as(i, i->type, test, a, b);
}

static Bits128 greatest(WType type) {
    return (((Bits128)1 << (type.bits - 1)) - 1) << !type.is_signed | !type.is_signed;
}

static unsigned pick(const Idiom *i, unsigned n) {
    return (unsigned)rng_below(i->t->rng, n);
}

/* ---- saturation ---- */
static KExpr *saturated_sum(const Idiom *i) {
    KExpr *sum = typed(i, B_ADD, i->x, i->y), *most = number(i, i->type, greatest(i->type));
    switch (pick(i, 4)) {
    case 0: return typed(i, B_OR, sum, unary(i, U_MINUS, typed(i, B_LT, sum, i->x)));
    case 1: return choose(i, op(i, B_LT, sum, i->x), most, sum);
    case 2: return choose(i, op(i, B_GT, i->x, typed(i, B_SUB, most, i->y)), most, sum);
    default: return choose(i, op(i, B_GE, sum, i->y), sum, most);
    }
}

static KExpr *saturated_difference(const Idiom *i) {
    KExpr *rest = typed(i, B_SUB, i->x, i->y), *zero = number(i, i->type, 0);
    KExpr *more = op(i, pick(i, 2) ? B_GE : B_GT, i->x, i->y);
    switch (pick(i, 3)) {
    case 0: return typed(i, B_AND, rest, unary(i, U_MINUS, kernel_cast(i->t, more, i->type)));
    case 1: return choose(i, more, rest, zero);
    default: return typed(i, B_MUL, rest, more);
    }
}

/* A sum in twice the width, clamped. */
static KExpr *clamped_sum(const Idiom *i) {
    KTree *t = i->t;
    KExpr *sum = op(i, pick(i, 3) ? B_ADD : B_SUB, kernel_cast(t, i->x, i->twice),
                    kernel_cast(t, i->y, i->twice));
    Bits128 top = greatest(i->type);
    KExpr *most = number(i, i->type, top),
          *least = number(i, i->type, i->type.is_signed ? ~top : 0);
    KExpr *low = choose(i, op(i, B_LT, sum, number(i, i->type, least->value.bits)), least, sum);
    return choose(i, op(i, B_GT, sum, most), most, low);
}

/* A number made narrower, clamped. */
static KExpr *clamped_cast(const Idiom *i) {
    static const uint8_t kinds[][2] = { { I_UCHAR, I_SCHAR },
                                        { I_USHORT, I_SHORT },
                                        { I_UINT, I_INT } };
    WType less = wtype_of(ITYPE(kinds[pick(i, 3)][pick(i, 2)]));
    if (less.bits >= i->type.bits) less = wtype_of(ITYPE(pick(i, 2) ? I_UCHAR : I_SCHAR));
    Bits128 top = greatest(less);
    KExpr *most = number(i, i->type, top), *inner = i->x;
    if (i->type.is_signed) {
        KExpr *least = number(i, i->type, less.is_signed ? ~top : 0);
        inner = choose(i, op(i, B_LT, inner, least), least, inner);
    }
    KExpr *over = op(i, pick(i, 2) ? B_GT : B_GE, i->x, most);
    return choose_as(i, pick(i, 2) ? less : i->twice, over, kernel_cast(i->t, most, less),
                     kernel_cast(i->t, inner, less));
}

/* Does it fit? Sums and products of unsigned numbers. */
static KExpr *fits(const Idiom *i) {
    KExpr *sum = typed(i, B_ADD, i->x, i->y), *product = typed(i, B_MUL, i->x, i->y);
    KTree *t = i->t;
    KExpr *wide = op(i, B_MUL, kernel_cast(t, i->x, i->twice), kernel_cast(t, i->y, i->twice));
    switch (pick(i, 4)) {
    case 0: return op(i, pick(i, 2) ? B_LT : B_GE, sum, pick(i, 2) ? i->x : i->y);
    case 1: return op(i, B_GT, i->x, unary(i, U_BITNOT, i->y));
    case 2:
        return choose(i, i->y,
                      op(i, pick(i, 2) ? B_NE : B_EQ, typed(i, B_DIV, product, i->y), i->x),
                      number(i, i->type, 0));
    default: return op(i, B_NE, kernel_cast(t, kernel_cast(t, wide, i->type), i->twice), wide);
    }
}

/* ---- order ---- */
static KExpr *extreme(const Idiom *i) {
    static const IBinary orders[] = { B_LT, B_LE, B_GT, B_GE };
    KExpr *y = pick(i, 3) ? i->y : kernel_constant(i->t, i->type);
    return choose(i, op(i, orders[pick(i, 4)], i->x, y), i->x, y);
}

static KExpr *difference(const Idiom *i) {
    return choose(i, op(i, pick(i, 2) ? B_GT : B_GE, i->x, i->y), typed(i, B_SUB, i->x, i->y),
                  typed(i, B_SUB, i->y, i->x));
}

/* Between two constants. */
static KExpr *clamp(const Idiom *i) {
    KExpr *a = kernel_constant(i->t, i->type), *b = number(i, i->type, pick(i, 100));
    KExpr *low = choose(i, op(i, pick(i, 2) ? B_LT : B_LE, i->x, a), a, i->x);
    return choose(i, op(i, pick(i, 2) ? B_GT : B_GE, low, b), b, low);
}

static KExpr *magnitude(const Idiom *i) {
    KExpr *zero = number(i, i->type, 0), *less = unary(i, U_MINUS, i->x);
    KExpr *all = typed(i, B_SHR, i->x, number(i, wtype_of(ITYPE(I_INT)), i->type.bits - 1));
    switch (pick(i, 4)) {
    case 0: return choose(i, op(i, B_LT, i->x, zero), less, i->x);
    case 1: return choose(i, op(i, B_GE, i->x, zero), less, i->x);
    case 2: return typed(i, B_SUB, typed(i, B_XOR, i->x, all), all);
    default: return typed(i, B_XOR, typed(i, B_ADD, i->x, all), all);
    }
}

static KExpr *three_ways(const Idiom *i) {
    KExpr *more = op(i, B_GT, i->x, i->y), *less = op(i, B_LT, i->x, i->y);
    KExpr *minus = number(i, wtype_of(ITYPE(I_INT)), -(Bits128)1);
    if (pick(i, 2)) return op(i, B_SUB, more, less);
    return choose_as(i, wtype_of(ITYPE(I_INT)), less, minus, more);
}

static KExpr *sign(const Idiom *i) {
    KExpr *zero = number(i, i->type, 0);
    if (pick(i, 2)) return op(i, B_SUB, op(i, B_GT, i->x, zero), op(i, B_LT, i->x, zero));
    return op(i, B_SHR, i->x, number(i, wtype_of(ITYPE(I_INT)), i->type.bits - 1));
}

static KExpr *orders(const Idiom *i) {
    IBinary first = (IBinary)(B_LT + pick(i, 6)), second = (IBinary)(B_LT + pick(i, 6));
    static const IBinary joins[] = { B_AND, B_OR, B_XOR, B_EQ, B_NE };
    KExpr *z = pick(i, 2) ? i->y : kernel_constant(i->t, i->type);
    return op(i, joins[pick(i, 5)], op(i, first, i->x, i->y), op(i, second, i->x, z));
}

/* ---- bits ---- */
static KExpr *lowest_bit(const Idiom *i) {
    KExpr *less = typed(i, B_SUB, i->x, number(i, i->type, 1));
    switch (pick(i, 4)) {
    case 0: return typed(i, B_AND, i->x, unary(i, U_MINUS, i->x));
    case 1: return typed(i, B_AND, i->x, less);
    case 2: return op(i, B_EQ, typed(i, B_AND, i->x, less), number(i, i->type, 0));
    default: return op(i, B_GT, typed(i, B_XOR, i->x, less), less);
    }
}

static KExpr *one_bit(const Idiom *i) {
    KExpr *at = number(i, wtype_of(ITYPE(I_INT)), pick(i, i->type.bits));
    KExpr *bit = typed(i, B_SHL, number(i, i->type, 1), at);
    switch (pick(i, 4)) {
    case 0: return op(i, B_NE, typed(i, B_AND, i->x, bit), number(i, i->type, 0));
    case 1: return op(i, B_AND, op(i, B_SHR, i->x, at), number(i, i->type, 1));
    case 2: return choose(i, op(i, B_AND, i->x, bit), typed(i, B_XOR, i->y, bit), i->y);
    default: return choose(i, op(i, B_AND, i->x, bit), bit, number(i, i->type, 0));
    }
}

static KExpr *masked_choice(const Idiom *i) {
    KExpr *test = op(i, (IBinary)(B_LT + pick(i, 6)), i->x, i->y);
    KExpr *mask = unary(i, U_MINUS, kernel_cast(i->t, test, i->type));
    KExpr *both = typed(i, B_AND, typed(i, B_XOR, i->x, i->y), mask);
    if (pick(i, 2)) return typed(i, B_XOR, both, i->y);
    return typed(i, B_OR, typed(i, B_AND, i->x, mask),
                 typed(i, B_AND, i->y, unary(i, U_BITNOT, mask)));
}

/* Some bits of one, the rest of the other. */
static KExpr *blend(const Idiom *i) {
    KExpr *mask = kernel_constant(i->t, i->type);
    if (pick(i, 2))
        return typed(i, B_XOR, typed(i, B_AND, typed(i, B_XOR, i->x, i->y), mask), i->y);
    return typed(i, pick(i, 3) ? B_OR : B_ADD, typed(i, B_AND, i->x, mask),
                 typed(i, B_AND, i->y, unary(i, U_BITNOT, mask)));
}

/* A field in the middle, with its sign or without. */
static KExpr *field(const Idiom *i) {
    unsigned up = pick(i, i->type.bits), down = up + pick(i, i->type.bits - up);
    WType small = wtype_of(ITYPE(I_INT));
    return typed(i, B_SHR, typed(i, B_SHL, i->x, number(i, small, up)), number(i, small, down));
}

/* Bits counted by halves; the number occurs eight times. */
static KExpr *counted_bits(const Idiom *i) {
    const KExpr *x = i->x->kind == K_CAST ? i->x->a : i->x;
    if (x->kind != K_VAR && x->kind != K_ELEMENT) return blend(i);
    WType small = wtype_of(ITYPE(I_INT));
    Bits128 ones = (Bits128)-1 / 255;
    KExpr *by2 = typed(i, B_AND, typed(i, B_SHR, i->x, number(i, small, 1)),
                       number(i, i->type, ones * 0x55));
    KExpr *n = typed(i, B_SUB, i->x, by2), *by4 = number(i, i->type, ones * 0x33);
    n = typed(i, B_ADD, typed(i, B_AND, n, by4),
              typed(i, B_AND, typed(i, B_SHR, n, number(i, small, 2)), by4));
    n = typed(i, B_AND, typed(i, B_ADD, n, typed(i, B_SHR, n, number(i, small, 4))),
              number(i, i->type, ones * 15));
    n = typed(i, B_MUL, n, number(i, i->type, ones));
    return typed(i, B_SHR, n, number(i, small, i->type.bits - 8));
}

/* x + y in other words, and the like. */
static KExpr *algebra(const Idiom *i) {
    KExpr *all = typed(i, B_OR, i->x, i->y), *both = typed(i, B_AND, i->x, i->y);
    KExpr *either = typed(i, B_XOR, i->x, i->y);
    switch (pick(i, 6)) {
    case 0: return typed(i, B_SUB, all, both);
    case 1: return typed(i, B_ADD, both, all);
    case 2: return typed(i, B_ADD, either, both);
    case 3: return typed(i, B_SUB, typed(i, B_ADD, i->x, i->y), all);
    case 4: return unary(i, U_BITNOT, typed(i, B_SUB, unary(i, U_BITNOT, i->x), i->y));
    default: return typed(i, B_XOR, unary(i, U_BITNOT, all), either);
    }
}

static KExpr *rotation(const Idiom *i) {
    WType small = wtype_of(ITYPE(I_UINT));
    KExpr *top = number(i, small, i->type.bits - 1);
    KExpr *by = pick(i, 2) ? kernel_cast(i->t, i->y, small) : number(i, small, pick(i, 64));
    KExpr *left = op(i, B_AND, by, top);
    KExpr *right = op(i, B_AND, op(i, B_SUB, number(i, small, 0), by), top);
    bool swap = pick(i, 2);
    return typed(i, pick(i, 4) ? B_OR : B_XOR, typed(i, swap ? B_SHR : B_SHL, i->x, left),
                 typed(i, swap ? B_SHL : B_SHR, i->x, right));
}

/* Bytes taken apart and put together in another order. */
static KExpr *bytes(const Idiom *i) {
    WType small = wtype_of(ITYPE(I_INT));
    unsigned n = i->type.bits / 8, turn = pick(i, n);
    bool reversed = pick(i, 2);
    KExpr *all = NULL;
    for (unsigned k = 0; k < n; k++) {
        unsigned to = reversed ? n - 1 - k : (k + turn) % n;
        KExpr *byte = typed(i, B_SHR, i->x, number(i, small, 8 * k));
        byte = typed(i, B_SHL, typed(i, B_AND, byte, number(i, i->type, 255)),
                     number(i, small, 8 * to));
        all = all ? typed(i, B_OR, all, byte) : byte;
    }
    return all;
}

/* ---- arithmetic ---- */
static KExpr *average(const Idiom *i) {
    KTree *t = i->t;
    KExpr *sum = op(i, B_ADD, kernel_cast(t, i->x, i->twice), kernel_cast(t, i->y, i->twice));
    if (pick(i, 2)) sum = op(i, B_ADD, sum, number(i, i->twice, 1));
    return typed(i, B_SHR, sum, number(i, wtype_of(ITYPE(I_INT)), 1));
}

static KExpr *upper_product(const Idiom *i) {
    KTree *t = i->t;
    KExpr *all = op(i, B_MUL, kernel_cast(t, i->x, i->twice), kernel_cast(t, i->y, i->twice));
    unsigned by = i->twice.bits > i->type.bits ? i->type.bits - (pick(i, 3) == 0) : 7;
    return typed(i, B_SHR, all, number(i, wtype_of(ITYPE(I_INT)), by));
}

static KExpr *division(const Idiom *i) {
    KExpr *by = number(i, i->type, 2 + pick(i, i->type.bits == 8 ? 100 : 1000));
    if (pick(i, 3) == 0) by = kernel_constant(i->t, i->type);
    KExpr *whole = typed(i, B_DIV, i->x, by);
    switch (pick(i, 5)) {
    case 0: return typed(i, B_SUB, i->x, typed(i, B_MUL, whole, by));
    case 1: return op(i, B_EQ, op(i, B_MOD, i->x, by), number(i, i->type, pick(i, 2)));
    case 2: return typed(i, B_DIV, whole, number(i, i->type, 3 + pick(i, 9)));
    case 3: return typed(i, B_ADD, whole, typed(i, B_MOD, i->x, by));
    default: return op(i, B_LT, whole, number(i, i->type, pick(i, 9)));
    }
}

static KExpr *there_and_back(const Idiom *i) {
    KExpr *by = number(i, wtype_of(ITYPE(I_INT)), 1 + pick(i, i->type.bits - 1));
    if (pick(i, 3) == 0) { /* does it fit a narrower type? */
        WType less = wtype_of(ITYPE(pick(i, 2) ? I_SCHAR : I_USHORT));
        return op(i, B_EQ, kernel_cast(i->t, i->x, less), i->x);
    }
    bool left = pick(i, 2);
    return typed(i, left ? B_SHR : B_SHL, typed(i, left ? B_SHL : B_SHR, i->x, by), by);
}

typedef KExpr *IdiomFn(const Idiom *);

KExpr *kernel_idiom(KTree *t, KExpr *a, KExpr *b) {
    static IdiomFn *const of_unsigned[] = {
        saturated_sum, saturated_difference, lowest_bit, one_bit,     rotation, rotation,
        bytes,         masked_choice,        fits,       counted_bits
    };
    static IdiomFn *const of_any[] = { clamped_sum,  extreme,        extreme,   difference,
                                       orders,       algebra,        average,   upper_product,
                                       division,     there_and_back, sign,      masked_choice,
                                       clamped_cast, clamp,          magnitude, three_ways,
                                       blend,        field };
    bool any = rng_chance(t->rng, 0.6);
    Idiom i = operands(t, a, b, any && rng_chance(t->rng, 0.5));
    if (any) return of_any[rng_below(t->rng, COUNT_OF(of_any))](&i);
    return of_unsigned[rng_below(t->rng, COUNT_OF(of_unsigned))](&i);
}

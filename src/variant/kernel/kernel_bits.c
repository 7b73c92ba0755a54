/* Loops over the bits of a number: check sums by polynomials, and counting. Compilers replace whole
 * loops of these forms by an instruction or a table, if their conditions hold; so the form is kept,
 * and types, widths, polynomials and directions are drawn. */
#include "variant/kernel/kernel_tree.h"

typedef struct BitLoop {
    KTree *t;
    WType type;   /* of the number, unsigned */
    unsigned var; /* the number */
    KStmt *first, **end;
} BitLoop;

static KStmt *add(BitLoop *l, KStmt *s) {
    *l->end = s;
    l->end = &s->next;
    return s;
}

static KExpr *number(const BitLoop *l, Bits128 value) {
    KExpr *e = kernel_expr(l->t, K_CONST, l->type);
    e->value = wide_value(l->type, value);
    return e;
}

static KExpr *small(const BitLoop *l, unsigned value) {
    KExpr *e = kernel_expr(l->t, K_CONST, wtype_of(ITYPE(I_INT)));
    e->value = wide_value(e->type, value);
    return e;
}

static KExpr *itself(const BitLoop *l) {
    return kernel_read(l->t, l->var);
}

/* variable op= e, or variable = e */
static KStmt *store(const BitLoop *l, unsigned var, int op, KExpr *e) {
    KStmt *s = kernel_stmt(l->t, KS_STORE);
    s->target = kernel_read(l->t, var);
    s->op = op;
    s->e = kernel_cast(l->t, e, s->target->type);
    return s;
}

static unsigned new_variable(const BitLoop *l, char letter, WType type) {
    unsigned var = kernel_var(l->t, letter, type, 0);
    l->t->vars[var].init = wide_value(type, 0);
    return var;
}

/* ---- check sums ---- */
static KExpr *shifted(const BitLoop *l, bool left) {
    return kernel_binary(l->t, left ? B_SHL : B_SHR, itself(l), small(l, 1));
}

/* if (the bit that leaves is set) crc = (crc >> 1) ^ polynomial; else crc = crc >> 1; */
static KStmt *divide_step(const BitLoop *l) {
    static const uint32_t known[] = { 0x8c, 0x07, 0xa001, 0x1021, 0x8408, 0xedb88320, 0x04c11db7 };
    KTree *t = l->t;
    bool left = rng_chance(t->rng, 0.5);
    Bits128 leaves = left ? (Bits128)1 << (l->type.bits - 1) : 1;
    KExpr *by = rng_chance(t->rng, 0.6) ? number(l, known[rng_below(t->rng, COUNT_OF(known))])
                                        : kernel_constant(t, l->type);
    KStmt *s = kernel_stmt(t, KS_IF);
    s->e = kernel_binary(t, B_AND, itself(l), number(l, leaves));
    KExpr *taken = kernel_binary(t, B_XOR, shifted(l, left), by);
    s->body = store(l, l->var, -1, taken);
    s->other = store(l, l->var, -1, shifted(l, left));
    if (rng_chance(t->rng, 0.3)) { /* the other way round */
        s->e = kernel_binary(t, B_EQ, s->e, number(l, 0));
        KStmt *swap = s->body;
        s->body = s->other, s->other = swap;
    }
    return s;
}

static void check_sum(BitLoop *l) {
    static const uint8_t turns[] = { 8, 8, 16, 32 };
    KTree *t = l->t;
    KStmt *loop = kernel_stmt(t, KS_FOR);
    loop->from = 0, loop->step = 1;
    loop->to = rng_chance(t->rng, 0.3) ? l->type.bits : turns[rng_below(t->rng, COUNT_OF(turns))];
    if (rng_chance(t->rng, 0.2)) loop->to--;
    loop->var = kernel_var(t, 'i', wtype_of(ITYPE(I_INT)), 0);
    t->vars[loop->var].gone = true;
    loop->body = divide_step(l);
    add(l, loop);
}

/* ---- counting ---- */
/* Each loop ends for every value of the number. */
static void count(BitLoop *l) {
    KTree *t = l->t;
    unsigned counted =
        new_variable(l, 'n', wtype_of(ITYPE(rng_chance(t->rng, 0.6) ? I_INT : I_UINT)));
    KStmt *loop = kernel_stmt(t, KS_WHILE);
    KExpr *less = kernel_binary(t, B_SUB, itself(l), number(l, 1));
    loop->e = rng_chance(t->rng, 0.5) ? kernel_binary(t, B_NE, itself(l), number(l, 0)) : itself(l);
    switch (rng_below(t->rng, 4)) {
    case 0: /* bits that are set */
        loop->body = store(l, l->var, -1, kernel_binary(t, B_AND, itself(l), less));
        break;
    case 1: /* up to the highest one */ loop->body = store(l, l->var, -1, shifted(l, false)); break;
    case 2: /* down to the lowest one */ loop->body = store(l, l->var, -1, shifted(l, true)); break;
    default: /* behind the lowest one: there is one */
        add(l, store(l, l->var, B_OR, number(l, (Bits128)1 << rng_below(t->rng, l->type.bits))));
        loop->e =
            kernel_binary(t, B_EQ, kernel_binary(t, B_AND, itself(l), number(l, 1)), number(l, 0));
        loop->body = store(l, l->var, -1, shifted(l, false));
    }
    loop->body->next = store(l, counted, B_ADD, small(l, 1));
    add(l, store(l, counted, -1, small(l, (unsigned)rng_below(t->rng, 2))));
    add(l, loop);
    add(l, store(l, t->sum, B_ADD, kernel_read(t, counted)));
}

KStmt *kernel_bit_loop(KTree *t, KExpr *what) {
    static const uint8_t kinds[] = { I_UCHAR, I_USHORT, I_UINT, I_ULONG };
    BitLoop l = { .t = t, .type = wtype_of(ITYPE(kinds[rng_below(t->rng, COUNT_OF(kinds))])) };
    l.end = &l.first;
    l.var = new_variable(&l, 'b', l.type);
    bool sums = rng_chance(t->rng, 0.6);
    add(&l, store(&l, l.var, sums && rng_chance(t->rng, 0.5) ? B_XOR : -1, what));
    if (sums)
        check_sum(&l);
    else
        count(&l);
    add(&l, store(&l, t->sum, B_ADD, itself(&l)));
    return l.first;
}

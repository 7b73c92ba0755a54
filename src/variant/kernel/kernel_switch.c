/* Switches: what compilers turn into tables, tests of bits, comparisons, arithmetic. Which of these
 * depends on the labels: dense, sparse, powers of two, several of one branch; and on the branches:
 * constants for one variable, or anything. */
#include "variant/kernel/kernel_tree.h"

enum { LABELS_MOST = 24 };

typedef struct Labels {
    WType type;
    WVal at[LABELS_MOST];
    unsigned n;
} Labels;

static void add_label(Labels *l, Bits128 bits) {
    WVal value = wide_value(l->type, bits);
    for (unsigned i = 0; i < l->n; i++)
        if (l->at[i].bits == value.bits) return;
    if (l->n < LABELS_MOST) l->at[l->n++] = value;
}

static void draw_labels(KTree *t, Labels *l) {
    unsigned wanted = 2 + (unsigned)rng_below(t->rng, LABELS_MOST - 4);
    Bits128 first = rng_chance(t->rng, 0.5) ? 0 : kernel_constant(t, l->type)->value.bits;
    uint64_t step = rng_chance(t->rng, 0.7) ? 1 : 2 + rng_below(t->rng, 60);
    switch (rng_below(t->rng, 3)) {
    case 0: /* in order, with holes or without */
        for (unsigned i = 0; i < wanted; i++)
            if (rng_chance(t->rng, 0.9)) add_label(l, first + i * step);
        break;
    case 1: /* powers of two */
        for (unsigned i = 0; i < wanted && i < l->type.bits; i++)
            if (rng_chance(t->rng, 0.9)) add_label(l, (Bits128)1 << i);
        break;
    default:
        for (unsigned i = 0; i < wanted; i++) add_label(l, kernel_constant(t, l->type)->value.bits);
    }
    if (!l->n) add_label(l, first);
}

/* target = constant, or target op= an expression */
static KStmt *branch(KTree *t, unsigned var, bool table) {
    static const IBinary ops[] = { B_ADD, B_SUB, B_XOR, B_OR, B_AND };
    KStmt *s = kernel_stmt(t, KS_STORE);
    s->target = kernel_read(t, var);
    if (table || rng_chance(t->rng, 0.5)) {
        s->e = kernel_constant(t, s->target->type);
        return s;
    }
    unsigned other = kernel_any(t, false, true);
    s->e = kernel_cast(t, kernel_read(t, other), s->target->type);
    s->op = (int)ops[rng_below(t->rng, COUNT_OF(ops))];
    return s;
}

/* Brought near the labels, so that they are met. */
static KExpr *near(KTree *t, KExpr *what, const Labels *l) {
    KExpr *mask = kernel_expr(t, K_CONST, l->type), *base = kernel_expr(t, K_CONST, l->type);
    mask->value = wide_value(l->type, rng_chance(t->rng, 0.5) ? 31 : 7);
    base->value = l->at[rng_below(t->rng, l->n)];
    KExpr *e = kernel_binary(t, B_AND, kernel_cast(t, what, l->type), mask);
    IBinary op = rng_chance(t->rng, 0.7) ? B_ADD : B_XOR;
    if (rng_chance(t->rng, 0.3)) { /* a power of two */
        KExpr *one = kernel_expr(t, K_CONST, l->type);
        one->value = wide_value(l->type, 1);
        e = kernel_binary(t, B_SHL, one, e);
    } else
        e = kernel_binary(t, op, e, base);
    return kernel_cast(t, e, l->type);
}

KStmt *kernel_switch(KTree *t, KExpr *what) {
    static const uint8_t kinds[] = {
        I_INT, I_UINT, I_INT, I_UINT, I_UCHAR, I_SHORT, I_LONG, I_ULONG
    };
    Labels l = { .type = wtype_of(ITYPE(kinds[rng_below(t->rng, COUNT_OF(kinds))])) };
    unsigned var = kernel_any(t, false, false);
    if (var == UINT32_MAX) var = t->sum;
    draw_labels(t, &l);
    bool table = rng_chance(t->rng, 0.5), few = rng_chance(t->rng, 0.4);
    KStmt *s = kernel_stmt(t, KS_SWITCH), **end = &s->body;
    s->e = rng_chance(t->rng, 0.8) ? near(t, what, &l) : kernel_cast(t, what, l.type);
    for (unsigned i = 0; i < l.n; i++) {
        KStmt *label = *end = kernel_stmt(t, KS_LABEL);
        end = &label->next;
        label->e = kernel_expr(t, K_CONST, l.type);
        label->e->value = l.at[i];
        bool shares = few && i + 1 < l.n && rng_chance(t->rng, 0.7);
        if (!shares) label->body = branch(t, var, table);
    }
    if (rng_chance(t->rng, 0.7)) s->other = branch(t, var, table);
    return s;
}

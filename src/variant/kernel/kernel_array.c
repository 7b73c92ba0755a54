/* Loops over whole arrays: one pass, indices that step evenly and stay inside as they are (a mask
 * would hide them), short bodies of one or two types: stores, conditions, reductions, an exit.
 * What an unrestrained loop (kernel_draw.c) computes is rarely vectorised; this mostly is. */
#include "variant/kernel/kernel_tree.h"

typedef struct ArrayLoop {
    KTree *t;
    unsigned index; /* the loop's variable */
    unsigned turns; /* .. which goes from 0 to one less */
    WType type;     /* most of what is computed has it */
} ArrayLoop;

static KExpr *small(const ArrayLoop *l, unsigned value) {
    KExpr *e = kernel_expr(l->t, K_CONST, wtype_of(ITYPE(I_INT)));
    e->value = wide_value(e->type, value);
    return e;
}

static unsigned below(const ArrayLoop *l, unsigned n) {
    return (unsigned)rng_below(l->t->rng, n);
}

/* a[i], a[i + 2], a[last - i], a[2 * i], where that is inside. */
static KExpr *element(const ArrayLoop *l, unsigned array) {
    KTree *t = l->t;
    const KVar *v = &t->vars[array];
    KExpr *i = kernel_read(t, l->index), *at = i;
    unsigned room = v->count - l->turns;
    switch (below(l, 6)) {
    case 0:
    case 1:
        at = room ? kernel_binary(t, B_ADD, i, small(l, below(l, room < 5 ? room + 1 : 5))) : i;
        break;
    case 2: at = kernel_binary(t, B_SUB, small(l, l->turns - 1 + (room ? 1 : 0)), i); break;
    case 3: at = 2 * l->turns <= v->count ? kernel_binary(t, B_MUL, i, small(l, 2)) : i; break;
    default: break;
    }
    KExpr *e = kernel_expr(t, K_ELEMENT, v->type);
    e->var = array, e->a = at;
    return e;
}

/* An array with room for the loop. */
static unsigned any_array(const ArrayLoop *l) {
    for (unsigned tries = 0; tries < 4; tries++) {
        unsigned array = kernel_any(l->t, true, false);
        if (l->t->vars[array].count >= l->turns) return array;
    }
    return UINT32_MAX;
}

/* An element mostly; or what does not change, or the loop's variable. */
static KExpr *leaf(const ArrayLoop *l) {
    unsigned array = any_array(l), var = kernel_any(l->t, false, false);
    if (array != UINT32_MAX && rng_chance(l->t->rng, 0.7)) return element(l, array);
    if (var != UINT32_MAX && !l->t->vars[var].is_volatile && rng_chance(l->t->rng, 0.4))
        return kernel_cast(l->t, kernel_read(l->t, var), l->type);
    if (rng_chance(l->t->rng, 0.4)) return kernel_cast(l->t, kernel_read(l->t, l->index), l->type);
    return kernel_constant(l->t, l->type);
}

static KExpr *value(const ArrayLoop *l, unsigned depth) {
    static const IBinary ops[] = { B_ADD, B_ADD, B_SUB, B_MUL, B_AND, B_OR, B_XOR };
    KTree *t = l->t;
    KExpr *a = depth > 1 && rng_chance(t->rng, 0.4) ? value(l, depth - 1) : leaf(l);
    if (rng_chance(t->rng, 0.35)) return kernel_idiom(t, a, leaf(l));
    if (rng_chance(t->rng, 0.15)) {
        IBinary shift = rng_chance(t->rng, 0.5) ? B_SHL : B_SHR;
        return kernel_binary(t, shift, a, small(l, 1 + below(l, 7)));
    }
    if (rng_chance(t->rng, 0.2)) /* widened first */
        a = kernel_cast(t, a, wtype_of(ITYPE(rng_chance(t->rng, 0.5) ? I_INT : I_ULONG)));
    return kernel_binary(t, ops[below(l, COUNT_OF(ops))], a, leaf(l));
}

static KStmt *store(const ArrayLoop *l) {
    KStmt *s = kernel_stmt(l->t, KS_STORE);
    unsigned array = any_array(l);
    s->target = array == UINT32_MAX ? kernel_read(l->t, l->t->sum) : element(l, array);
    s->e = kernel_cast(l->t, value(l, 2), s->target->type);
    if (rng_chance(l->t->rng, 0.2)) s->op = rng_chance(l->t->rng, 0.5) ? B_ADD : B_XOR;
    return s;
}

static KStmt *reduce(const ArrayLoop *l) {
    static const IBinary ops[] = { B_ADD, B_ADD, B_ADD, B_SUB, B_XOR, B_OR, B_AND, B_MUL };
    unsigned var = kernel_any(l->t, false, false);
    if (var == UINT32_MAX) return store(l);
    KStmt *s = kernel_stmt(l->t, KS_STORE);
    s->target = kernel_read(l->t, var);
    s->op = (int)ops[below(l, COUNT_OF(ops))];
    s->e = kernel_cast(l->t, value(l, 2), s->target->type);
    return s;
}

static KExpr *condition(const ArrayLoop *l) {
    return kernel_binary(l->t, (IBinary)(B_LT + below(l, 6)), leaf(l), leaf(l));
}

static KStmt *one(const ArrayLoop *l) {
    KStmt *s = rng_chance(l->t->rng, 0.4) ? reduce(l) : store(l);
    if (rng_chance(l->t->rng, 0.7)) return s;
    KStmt *test = kernel_stmt(l->t, KS_IF);
    test->e = condition(l);
    test->body = s;
    if (rng_chance(l->t->rng, 0.4)) test->other = rng_chance(l->t->rng, 0.5) ? reduce(l) : store(l);
    return test;
}

static KStmt *body(const ArrayLoop *l) {
    KStmt *first = one(l), *last = first;
    for (unsigned more = below(l, 3); more > 0; more--) last = last->next = one(l);
    if (rng_chance(l->t->rng, 0.8)) return first;
    KStmt *leave = kernel_stmt(l->t, rng_chance(l->t->rng, 0.7) ? KS_BREAK : KS_CONTINUE);
    leave->e = condition(l);
    leave->next = first;
    return leave;
}

KStmt *kernel_array_loop(KTree *t) {
    static const uint8_t kinds[] = { I_INT, I_INT, I_UINT, I_LONG, I_ULONG, I_SHORT };
    unsigned array = kernel_any(t, true, false);
    if (array == UINT32_MAX) return NULL;
    ArrayLoop l = { .t = t, .type = t->vars[array].type };
    unsigned count = t->vars[array].count;
    l.turns = rng_chance(t->rng, 0.4) ? count : count - 1 - (unsigned)rng_below(t->rng, count / 2);
    KStmt *s = kernel_stmt(t, KS_FOR);
    s->from = 0, s->to = (int)l.turns, s->step = 1;
    l.index = s->var =
        kernel_var(t, 'i', wtype_of(ITYPE(kinds[rng_below(t->rng, COUNT_OF(kinds))])), 0);
    t->vars[s->var].is_index = true;
    bool looped = t->looped;
    t->looped = true, t->depth++;
    s->body = body(&l);
    t->looped = looped, t->depth--;
    t->vars[s->var].is_index = false;
    t->vars[s->var].gone = true;
    return s;
}

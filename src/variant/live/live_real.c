/* Variables of floating point in executed blocks. Each holds a whole number by a power of two; what
 * the environment knows is an expression of long that reads the number back, so everything that
 * uses the environment uses them as well. All of it is exact (kernel/dyadic.h). */
#include "variant/kernel/wide.h"
#include "variant/live/live_code.h"

enum { REAL_TRIES = 4, REAL_SHIFTS = 5 };

/* An expression whose values the type holds, and long as well. */
static SynExpr whole_number(LiveCode *l, RealKind kind) {
    for (unsigned i = 0; i < REAL_TRIES; i++) {
        SynExpr e = syn_expr(&l->s, &l->env);
        bool fits = syn_real_holds(&e, kind);
        for (uint32_t k = 0; k < e.set.len; k++)
            fits = fits && eval_fits((IVal){ e.set.at[k], e.type }, ITYPE(I_LONG));
        if (fits) return e;
    }
    return syn_value(&l->s, ival(ITYPE(I_INT), rng_between(l->s.rng, -100, 100)));
}

static void write_value(LiveCode *l, const LiveReal *r, const SynExpr *e) {
    const char *type = dyadic_name(r->kind);
    if (rng_chance(l->s.rng, 0.5))
        buf_fmt(&l->text, "(%s)" STR_FMT " / %u; ", type, STR_ARG(e->text), 1u << r->shift);
    else
        buf_fmt(&l->text, STR_FMT " * (%s)(1.0 / %u); ", STR_ARG(e->text), type, 1u << r->shift);
}

static void now_holds(LiveCode *l, const LiveReal *r, const SynExpr *e) {
    live_now_has(l, &r->read, syn_stored(&l->s, ITYPE(I_LONG), e));
}

static LiveReal *add(LiveCode *l, RealKind kind, const char *root, const char *lvalue) {
    LiveReal *r = &l->reals[l->reals_len++];
    *r = (LiveReal){ .lvalue = str_from(lvalue),
                     .kind = kind,
                     .shift = (unsigned)rng_below(l->s.rng, REAL_SHIFTS) };
    const char *read = arena_fmt(l->s.arena, "((long)(%s * %u))", lvalue, 1u << r->shift);
    r->read = live_local_path(root, read, ITYPE(I_LONG));
    r->read.writable = r->read.addressable = false;
    return r;
}

void live_new_real(LiveCode *l) {
    static const uint8_t kinds[] = { R_FLOAT, R_DOUBLE, R_DOUBLE, R_LONG };
    RealKind kind = (RealKind)kinds[rng_below(l->s.rng, COUNT_OF(kinds))];
    if (l->reals_len == LIVE_REALS) return;
    const char *name = live_name(l, 'd'), *keep = rng_chance(l->s.rng, 0.2) ? "volatile " : "";
    SynExpr e = whole_number(l, kind);
    LiveReal *r = add(l, kind, name, name);
    buf_fmt(&l->text, "%s%s %s = ", keep, dyadic_name(kind), name);
    write_value(l, r, &e);
    now_holds(l, r, &e);
}

/* name = -name, name = other name, name += 1 by 2^shift: as the sets of both say. */
static bool change(LiveCode *l, LiveReal *r) {
    const EnvVar *now = live_known(l, r->read.text);
    if (!now) return false;
    uint64_t *bits = ARENA_ARRAY(l->s.arena, uint64_t, now->set.len);
    int64_t by = rng_between(l->s.rng, -9, 9);
    bool turn = rng_chance(l->s.rng, 0.4);
    for (uint32_t i = 0; i < now->set.len; i++) {
        IVal one = { now->set.at[i], ITYPE(I_LONG) }, next;
        EvalFlaw flaw = turn ? eval_unary(U_MINUS, one, &next)
                             : eval_binary(B_ADD, one, ival(ITYPE(I_LONG), by), &next);
        if (flaw != EVAL_FINE) return false;
        bits[i] = next.bits;
    }
    SynExpr e = { r->read.text, ITYPE(I_LONG), values_from(l->s.arena, bits, now->set.len) };
    if (!syn_real_holds(&e, r->kind)) return false;
    if (turn)
        buf_fmt(&l->text, STR_FMT " = -" STR_FMT "; ", STR_ARG(r->lvalue), STR_ARG(r->lvalue));
    else
        buf_fmt(&l->text, STR_FMT " += %d.0 / %u; ", STR_ARG(r->lvalue), (int)by, 1u << r->shift);
    now_holds(l, r, &e);
    return true;
}

bool live_real_statement(LiveCode *l) {
    if (!l->reals_len) return false;
    LiveReal *r = &l->reals[rng_below(l->s.rng, l->reals_len)];
    if (rng_chance(l->s.rng, 0.4) && change(l, r)) return true;
    SynExpr e = whole_number(l, r->kind);
    buf_fmt(&l->text, STR_FMT " = ", STR_ARG(r->lvalue));
    write_value(l, r, &e);
    now_holds(l, r, &e);
    return true;
}

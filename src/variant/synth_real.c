/* Expressions that pass through floating point; see synth.h. Operands are integers with known
 * values and so is the result: what is between is computed on sets of values, and is given up where
 * it is rounded for one of them. */
#include "variant/kernel/wide.h"
#include "variant/synth.h"

#include "variant/variant_knobs.h"

/* What is tried: op over two numbers of the type, then converted; a relation stays as it is. */
typedef struct RealStep {
    WType type;
    IBinary op;
    bool by_constant; /* the second operand is `constant` */
    WVal constant;
    IType result;
} RealStep;

static WVal value_of(const SynExpr *e, uint32_t i) {
    return wide_of((IVal){ e->set.at[i], ITYPE(e->type.kind) });
}

bool syn_real_holds(const SynExpr *e, RealKind kind) {
    WVal out;
    for (uint32_t i = 0; i < e->set.len; i++)
        if (wide_convert(value_of(e, i), wtype_real(kind), &out) != EVAL_FINE) return false;
    return true;
}

static RealStep draw(Synth *s) {
    static const uint8_t types[] = { R_FLOAT, R_DOUBLE, R_DOUBLE, R_LONG };
    static const uint8_t results[] = { I_INT, I_LONG, I_LONG, I_SHORT, I_UINT, I_SCHAR };
    static const IBinary ops[] = { B_ADD, B_SUB, B_MUL, B_DIV };
    RealStep step = { .type = wtype_real((RealKind)types[rng_below(s->rng, COUNT_OF(types))]),
                      .op = ops[rng_below(s->rng, COUNT_OF(ops))],
                      .by_constant = rng_chance(s->rng, 0.4),
                      .result = ITYPE(results[rng_below(s->rng, COUNT_OF(results))]) };
    if (rng_chance(s->rng, 0.3)) {
        step.op = (IBinary)(B_LT + rng_below(s->rng, B_NE - B_LT + 1));
        step.result = ITYPE(I_INT);
    }
    Dyadic d;
    int e = step.op == B_MUL || step.op == B_DIV ? (int)rng_below(s->rng, 9) - 4 : -2;
    dyadic_of(rng_chance(s->rng, 0.3), rng_chance(s->rng, 0.6) ? 1 : 1 + rng_below(s->rng, 20), e,
              &d);
    step.constant = wide_real(step.type, d);
    return step;
}

static bool add_one(const RealStep *step, WVal a, WVal b, uint64_t *bits) {
    WVal x, y, z;
    if (wide_convert(a, step->type, &x) != EVAL_FINE) return false;
    if (wide_convert(b, step->type, &y) != EVAL_FINE) return false;
    if (wide_binary(step->op, x, y, &z) != EVAL_FINE) return false;
    if (wide_convert(z, wtype_of(step->result), &z) != EVAL_FINE) return false;
    *bits = wide_narrow(z).bits;
    return true;
}

static bool apply(Synth *s, const RealStep *step, const SynExpr *a, const SynExpr *b,
                  ValueSet *out) {
    uint64_t n = (uint64_t)a->set.len * (step->by_constant ? 1 : b->set.len);
    if (n > HUNT_COMBINATIONS) return false;
    uint64_t *bits = ARENA_ARRAY(s->arena, uint64_t, n);
    for (uint64_t k = 0; k < n; k++) {
        WVal x = value_of(a, (uint32_t)(k % a->set.len));
        WVal y = step->by_constant ? step->constant : value_of(b, (uint32_t)(k / a->set.len));
        if (!add_one(step, x, y, &bits[k])) return false;
    }
    *out = values_from(s->arena, bits, n);
    return out->len <= HUNT_RESULTS;
}

static Str text_of(Synth *s, const RealStep *step, const SynExpr *a, const SynExpr *b) {
    const char *type = dyadic_name((RealKind)step->type.kind);
    Buf text = { 0 };
    if (step->op < B_LT)
        buf_fmt(&text, "((%s)(", itype_name(step->result));
    else
        buf_text(&text, "((");
    buf_fmt(&text, "(%s)" STR_FMT " %s ", type, STR_ARG(a->text), eval_binary_text(step->op));
    if (step->by_constant)
        wide_print(step->constant, &text);
    else
        buf_fmt(&text, "(%s)" STR_FMT, type, STR_ARG(b->text));
    buf_text(&text, "))");
    Str copy = arena_str(s->arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

bool syn_real(Synth *s, const SynExpr *a, const SynExpr *b, SynExpr *out) {
    enum { TRIES = 4 };
    for (unsigned i = 0; i < TRIES; i++) {
        RealStep step = draw(s);
        ValueSet set;
        if (!apply(s, &step, a, b, &set)) continue;
        *out = (SynExpr){ text_of(s, &step, a, b), step.result, set };
        return true;
    }
    return false;
}

/* Predicates and expressions with known truth and values; see synth.h.
 *
 * Speculative execution: an operator is applied to every combination of its operands' values. One
 * undefined combination rules the operator out; so does a combination count or a result set over
 * its cap, because sets are never cut. Relations and logical operators are always defined and end
 * in {0, 1}, so a binary step always succeeds, as the paper notes. */
#include "variant/synth.h"

#include "variant/variant_knobs.h"

/* ---- value sets of operators ---- */

static bool apply_unary(Synth *s, IUnary op, const SynExpr *a, SynExpr *out) {
    uint64_t bits[HUNT_RESULTS];
    if (a->set.len > HUNT_RESULTS) return false;
    for (uint32_t i = 0; i < a->set.len; i++) {
        IVal value;
        if (eval_unary(op, (IVal){ a->set.at[i], a->type }, &value) != EVAL_FINE) return false;
        bits[i] = value.bits;
        out->type = value.type;
    }
    out->set = values_from(s->arena, bits, a->set.len);
    return true;
}

static ValueSet truth_values(Synth *s) {
    return values_from(s->arena, (uint64_t[]){ 0, 1 }, 2);
}

/* Adds value to an ascending array without duplicates; false when it is full. */
static bool add_value(uint64_t *bits, uint32_t *n, uint64_t value) {
    uint32_t low = 0, high = *n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (bits[mid] < value)
            low = mid + 1;
        else
            high = mid;
    }
    if (low < *n && bits[low] == value) return true;
    if (*n == HUNT_RESULTS) return false;
    memmove(bits + low + 1, bits + low, (*n - low) * sizeof *bits);
    bits[low] = value;
    ++*n;
    return true;
}

static bool apply_binary(Synth *s, IBinary op, const SynExpr *a, const SynExpr *b, SynExpr *out) {
    out->type = itype_binary(op, a->type, b->type);
    if ((uint64_t)a->set.len * b->set.len > HUNT_COMBINATIONS) {
        if (op < B_LT || op > B_NE) return false;
        out->set = truth_values(s);
        return true;
    }
    uint64_t bits[HUNT_RESULTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->set.len; i++)
        for (uint32_t j = 0; j < b->set.len; j++) {
            IVal value, x = { a->set.at[i], a->type }, y = { b->set.at[j], b->type };
            if (eval_binary(op, x, y, &value) != EVAL_FINE) return false;
            if (!add_value(bits, &n, value.bits)) return false;
        }
    out->set = values_from(s->arena, bits, n);
    return true;
}

/* ---- leaves ---- */

static SynExpr leaf(Synth *s, const EnvVar *var) {
    SynExpr e = { var->text, var->type, var->set };
    if (!itype_agreed(var->type)) { /* gcc and clang differ on wide bit-fields: cast first */
        e.type = ITYPE(var->type.kind);
        e.text = str_from(
            arena_fmt(s->arena, "((%s)" STR_FMT ")", itype_name(e.type), STR_ARG(var->text)));
    }
    return e;
}

/* Values where compilers switch strategy: widths of immediates, of types, of masks. */
static int64_t boundary(Rng *rng) {
    static const uint8_t widths[] = { 3, 4, 5, 6, 7, 7, 8, 8, 15, 16, 31, 32, 33, 62, 63 };
    uint64_t power = (uint64_t)1 << widths[rng_below(rng, COUNT_OF(widths))];
    uint64_t value = power + (uint64_t)rng_between(rng, -1, 1);
    return (int64_t)(rng_chance(rng, 0.25) ? 0 - value : value);
}

static IVal random_constant(Rng *rng, IType type) {
    switch (rng_below(rng, 7)) {
    case 0: return ival(type, rng_between(rng, -2, 2));
    case 1: return ival(type, rng_between(rng, -130, 130));
    case 2: return (IVal){ rng_chance(rng, 0.5) ? itype_max(type) : itype_min(type), type };
    case 3: return ival(type, (int64_t)((uint64_t)1 << rng_below(rng, 64)));
    case 4:
    case 5: return ival(type, boundary(rng));
    default: return ival(type, (int64_t)rng_next(rng));
    }
}

static SynExpr constant(Synth *s, IVal value) {
    Buf text = { 0 };
    ival_print(value, &text);
    SynExpr e = { arena_str(s->arena, buf_view(&text)), value.type,
                  values_from(s->arena, &value.bits, 1) };
    buf_release(&text);
    return e;
}

SynExpr syn_constant(Synth *s, IType type) {
    return constant(s, random_constant(s->rng, ITYPE(type.kind)));
}

SynExpr syn_value(Synth *s, IVal value) {
    return constant(s, value);
}

static IType constant_type(Rng *rng) {
    static const uint8_t kinds[] = { I_INT, I_INT, I_UINT, I_LONG, I_ULONG, I_LLONG, I_ULLONG };
    return ITYPE(kinds[rng_below(rng, COUNT_OF(kinds))]);
}

/* ---- Algorithm 3 ---- */

static bool cast_step(Synth *s, SynExpr *e) {
    IType type = ITYPE((uint8_t)rng_below(s->rng, I_KINDS));
    SynExpr made = { .type = type, .set = syn_stored(s, type, e) };
    made.text =
        str_from(arena_fmt(s->arena, "((%s)" STR_FMT ")", itype_name(type), STR_ARG(e->text)));
    *e = made;
    return true;
}

static bool unary_step(Synth *s, SynExpr *e) {
    if (rng_chance(s->rng, HUNT_CAST)) return cast_step(s, e);
    IUnary ops[] = { U_NOT, U_BITNOT, U_MINUS };
    rng_shuffle(s->rng, ops, COUNT_OF(ops), sizeof *ops);
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        SynExpr made;
        if (!apply_unary(s, ops[i], e, &made)) continue;
        made.text = str_from(
            arena_fmt(s->arena, "(%s" STR_FMT ")", eval_unary_text(ops[i]), STR_ARG(e->text)));
        *e = made;
        return true;
    }
    return false;
}

bool syn_binary(Synth *s, IBinary op, const SynExpr *a, const SynExpr *b, SynExpr *out) {
    if (!apply_binary(s, op, a, b, out)) return false;
    out->text = str_from(arena_fmt(s->arena, "(" STR_FMT " %s " STR_FMT ")", STR_ARG(a->text),
                                   eval_binary_text(op), STR_ARG(b->text)));
    return true;
}

static SynExpr binary_step(Synth *s, const SynExpr *a, const SynExpr *b) {
    IBinary ops[B_LAND];
    for (IBinary op = 0; op < B_LAND; op++) ops[op] = op;
    rng_shuffle(s->rng, ops, COUNT_OF(ops), sizeof *ops);
    SynExpr made;
    if (!s->no_reals && rng_chance(s->rng, HUNT_REAL) && syn_real(s, a, b, &made)) return made;
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        if (syn_binary(s, ops[i], a, b, &made)) return made;
    die_bug(__FILE__, __LINE__, "no relation was defined");
}

/* A constant that makes the operator interesting: shifts by less than the width, divisors that are
 * powers of two or nearly so, masks. */
static IVal operand_constant(Synth *s, IBinary op, IType type) {
    Rng *rng = s->rng;
    unsigned bits = itype_bits(type);
    switch (op) {
    case B_SHL:
    case B_SHR: return ival(ITYPE(I_INT), rng_between(rng, 0, (int64_t)bits - 1));
    case B_MUL:
    case B_DIV:
    case B_MOD:
        if (rng_chance(rng, 0.5)) {
            uint64_t power = (uint64_t)1 << rng_below(rng, bits);
            return ival(type, (int64_t)(rng_chance(rng, 0.2) ? 0 - power : power));
        }
        return ival(type, rng_between(rng, 2, 1000));
    case B_AND:
    case B_OR:
    case B_XOR:
        if (rng_chance(rng, 0.5))
            return ival(type, (int64_t)(((uint64_t)1 << rng_below(rng, bits)) - 1));
        return random_constant(rng, type);
    default: return random_constant(rng, type);
    }
}

/* e op constant, sometimes the other way round. Arithmetic far more often than relations, whose
 * results say little. */
static void constant_step(Synth *s, SynExpr *e) {
    for (unsigned tries = 0; tries < HUNT_CONSTANT_TRIES; tries++) {
        IBinary op = (IBinary)rng_below(s->rng, rng_chance(s->rng, 0.8) ? B_LT : B_LAND);
        IType promoted = itype_promote(e->type);
        IType type = rng_chance(s->rng, 0.8) ? promoted : constant_type(s->rng);
        SynExpr made, c = constant(s, operand_constant(s, op, type));
        bool swap = (op < B_SHL || op > B_SHR) && rng_chance(s->rng, 0.15);
        if (!syn_binary(s, op, swap ? &c : e, swap ? e : &c, &made)) continue;
        *e = made;
        return;
    }
}

/* test ? a : b. */
static bool conditional_step(Synth *s, const SynExpr *test, const SynExpr *a, const SynExpr *b,
                             SynExpr *out) {
    IType type = itype_common(a->type, b->type);
    bool zero = values_has(test->set, 0), other = test->set.len > (zero ? 1u : 0u);
    uint32_t n = 0;
    uint64_t bits[2 * HUNT_RESULTS];
    if (a->set.len + b->set.len > HUNT_RESULTS) return false;
    for (uint32_t i = 0; other && i < a->set.len; i++)
        bits[n++] = eval_cast((IVal){ a->set.at[i], a->type }, type).bits;
    for (uint32_t i = 0; zero && i < b->set.len; i++)
        bits[n++] = eval_cast((IVal){ b->set.at[i], b->type }, type).bits;
    out->type = type;
    out->set = values_from(s->arena, bits, n);
    out->text = str_from(arena_fmt(s->arena, "(" STR_FMT " ? " STR_FMT " : " STR_FMT ")",
                                   STR_ARG(test->text), STR_ARG(a->text), STR_ARG(b->text)));
    return true;
}

/* Some distinct paths of env, and sometimes a constant. */
static size_t sample_leaves(Synth *s, const Env *env, SynExpr *list, size_t most) {
    size_t n = env->vars.len, want = n == 0 ? 0 : 1 + rng_below(s->rng, n < most ? n : most);
    size_t *index = ARENA_ARRAY(s->arena, size_t, n + 1);
    for (size_t i = 0; i < n; i++) index[i] = i;
    rng_shuffle(s->rng, index, n, sizeof *index);
    for (size_t i = 0; i < want; i++) list[i] = leaf(s, &env->vars.at[index[i]]);
    if (want == 0 || rng_chance(s->rng, HUNT_CONSTANT))
        list[want++] = syn_constant(s, constant_type(s->rng));
    return want;
}

static SynExpr expression(Synth *s, const Env *env, size_t leaves) {
    SynExpr list[HUNT_LEAVES + 1];
    size_t n = sample_leaves(s, env, list, leaves);
    unsigned row = 0;
    while (n > 1) {
        SynExpr made;
        rng_shuffle(s->rng, list, n, sizeof *list);
        if (row < HUNT_UNARY_ROW && rng_chance(s->rng, HUNT_UNARY)) {
            row++;
            if (rng_chance(s->rng, HUNT_CONSTANT_STEP))
                constant_step(s, &list[0]);
            else
                unary_step(s, &list[0]);
            continue;
        }
        row = 0;
        if (n > 2 && rng_chance(s->rng, HUNT_CONDITIONAL) &&
            conditional_step(s, &list[0], &list[1], &list[2], &made)) {
            list[0] = made;
            list[1] = list[n - 1], list[2] = list[n - 2];
            n -= 2;
            continue;
        }
        list[0] = binary_step(s, &list[0], &list[1]);
        list[1] = list[--n];
    }
    if (rng_chance(s->rng, HUNT_CONSTANT_LAST)) constant_step(s, &list[0]);
    return list[0];
}

SynExpr syn_expr(Synth *s, const Env *env) {
    return expression(s, env, HUNT_LEAVES);
}

/* ---- Algorithm 2 ---- */

/* Whether `a op b` is `expected` for every combination. */
static bool always(IBinary op, const SynExpr *a, const SynExpr *b, bool expected) {
    if ((uint64_t)a->set.len * b->set.len > HUNT_COMBINATIONS) return false;
    for (uint32_t i = 0; i < a->set.len; i++)
        for (uint32_t j = 0; j < b->set.len; j++) {
            IVal value, x = { a->set.at[i], a->type }, y = { b->set.at[j], b->type };
            eval_binary(op, x, y, &value);
            if ((value.bits != 0) != expected) return false;
        }
    return true;
}

static Str relation(Synth *s, const SynExpr *a, IBinary op, const SynExpr *b) {
    return str_from(arena_fmt(s->arena, "(" STR_FMT " %s " STR_FMT ")", STR_ARG(a->text),
                              eval_binary_text(op), STR_ARG(b->text)));
}

static IBinary random_relation(Rng *rng) {
    return B_LT + (IBinary)rng_below(rng, B_NE - B_LT + 1);
}

/* A constant near the values, so that the truth of the atom is not obvious from ranges alone. */
static SynExpr near_constant(Synth *s, const SynExpr *v) {
    IType type = itype_promote(v->type);
    if (rng_chance(s->rng, 0.15)) return constant(s, ival(type, 0));
    if (rng_chance(s->rng, 0.25)) return constant(s, random_constant(s->rng, type));
    uint64_t seen = v->set.at[rng_below(s->rng, v->set.len)];
    IVal base = eval_cast((IVal){ seen, v->type }, type);
    base.bits += (uint64_t)rng_between(s->rng, -3, 3);
    return constant(s, ival(type, (int64_t)base.bits));
}

/* Rule 1: v against a constant. A set is finite, so some constant of int's width is not in it. */
static Str atom_constant(Synth *s, const SynExpr *v, bool expected) {
    for (unsigned i = 0; i < HUNT_ATOM_TRIES; i++) {
        IBinary op = random_relation(s->rng);
        SynExpr c = near_constant(s, v);
        if (always(op, v, &c, expected)) return relation(s, v, op, &c);
    }
    IBinary op = expected ? B_NE : B_EQ;
    for (;;) {
        SynExpr c = near_constant(s, v);
        if (always(op, v, &c, expected)) return relation(s, v, op, &c);
    }
}

Str syn_never(Synth *s, const SynExpr *e) {
    return atom_constant(s, e, false);
}

/* Rule 2: two variables; false when no relation has the wanted truth value. */
static bool atom_pair(Synth *s, const SynExpr *a, const SynExpr *b, bool expected, Str *out) {
    IBinary ops[] = { B_LT, B_LE, B_GT, B_GE, B_EQ, B_NE };
    rng_shuffle(s->rng, ops, COUNT_OF(ops), sizeof *ops);
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        if (always(ops[i], a, b, expected)) {
            *out = relation(s, a, ops[i], b);
            return true;
        }
    return false;
}

static SynExpr atom_operand(Synth *s, const Env *env) {
    if (rng_chance(s->rng, HUNT_ATOM_EXPRESSION)) return expression(s, env, 3);
    return leaf(s, &env->vars.at[rng_below(s->rng, env->vars.len)]);
}

/* e or !e alone; false when its truth value is not always the same. */
static bool atom_truth(Synth *s, const SynExpr *e, bool expected, Str *out) {
    bool zero = values_has(e->set, 0);
    if (zero && e->set.len > 1) return false;
    *out = zero == expected ? str_from(arena_fmt(s->arena, "(!" STR_FMT ")", STR_ARG(e->text)))
                            : str_from(arena_fmt(s->arena, "(" STR_FMT ")", STR_ARG(e->text)));
    return true;
}

static Str syn_atom(Synth *s, const Env *env, bool expected) {
    SynExpr a = atom_operand(s, env);
    Str out;
    if (rng_chance(s->rng, 0.15) && atom_truth(s, &a, expected, &out)) return out;
    if (env->vars.len > 1 && rng_chance(s->rng, 0.5)) {
        SynExpr b = atom_operand(s, env);
        if (!str_eq(a.text, b.text) && atom_pair(s, &a, &b, expected, &out)) return out;
    }
    return atom_constant(s, &a, expected);
}

static Str join(Synth *s, Str left, const char *op, Str right) {
    return str_from(
        arena_fmt(s->arena, "(" STR_FMT " %s " STR_FMT ")", STR_ARG(left), op, STR_ARG(right)));
}

static Str syn_con(Synth *s, const Env *env, bool expected, unsigned depth) {
    bool left = true, right = true;
    if (!expected) {
        left = rng_chance(s->rng, 0.5);
        right = left ? false : rng_chance(s->rng, 0.5);
    }
    Str a = syn_pred(s, env, left, depth - 1);
    return join(s, a, "&&", syn_pred(s, env, right, depth - 1));
}

static Str syn_dis(Synth *s, const Env *env, bool expected, unsigned depth) {
    bool left = false, right = false;
    if (expected) {
        left = !rng_chance(s->rng, 0.5);
        right = left ? rng_chance(s->rng, 0.5) : true;
    }
    Str a = syn_pred(s, env, left, depth - 1);
    return join(s, a, "||", syn_pred(s, env, right, depth - 1));
}

Str syn_pred(Synth *s, const Env *env, bool expected, unsigned depth) {
    if (depth == 0) return syn_atom(s, env, expected);
    switch (rng_below(s->rng, 4)) {
    case 0: {
        Str inner = syn_pred(s, env, !expected, depth - 1);
        return str_from(arena_fmt(s->arena, "(!" STR_FMT ")", STR_ARG(inner)));
    }
    case 1: return syn_con(s, env, expected, depth);
    case 2: return syn_dis(s, env, expected, depth);
    default: return syn_atom(s, env, expected);
    }
}

Str syn_predicate(Synth *s, const Env *env, bool expected) {
    return syn_pred(s, env, expected, (unsigned)rng_below(s->rng, HUNT_PREDICATE_DEPTH + 1));
}

/* ---- values other than these ---- */

static IVal extreme(const SynExpr *v, int side) {
    IVal best = { v->set.at[0], v->type };
    for (uint32_t i = 1; i < v->set.len; i++) {
        IVal other = { v->set.at[i], v->type };
        if (ival_order(other, best) * side > 0) best = other;
    }
    return best;
}

/* The set's values are compared in the promoted type: the constant has it, so nothing converts. */
Str syn_differs(Synth *s, const EnvVar *var) {
    SynExpr v = leaf(s, var);
    IType type = itype_promote(v.type);
    if (v.set.len <= HUNT_DIFFERS) {
        Str all = STR("");
        for (uint32_t i = 0; i < v.set.len; i++) {
            SynExpr c = constant(s, eval_cast((IVal){ v.set.at[i], v.type }, type));
            Str one = relation(s, &v, B_NE, &c);
            all = i ? join(s, all, "&&", one) : one;
        }
        return all;
    }
    SynExpr low = constant(s, eval_cast(extreme(&v, -1), type)),
            high = constant(s, eval_cast(extreme(&v, 1), type));
    return join(s, relation(s, &v, B_LT, &low), "||", relation(s, &v, B_GT, &high));
}

/* ---- stores ---- */

ValueSet syn_stored(Synth *s, IType target, const SynExpr *e) {
    uint64_t *bits = ARENA_ARRAY(s->arena, uint64_t, e->set.len);
    for (uint32_t i = 0; i < e->set.len; i++)
        bits[i] = eval_cast((IVal){ e->set.at[i], e->type }, target).bits;
    return values_from(s->arena, bits, e->set.len);
}

bool syn_compound(Synth *s, IBinary op, const EnvVar *target, const SynExpr *e, ValueSet *set) {
    if (!itype_agreed(target->type)) return false;
    SynExpr v = { target->text, target->type, target->set }, made;
    if (!apply_binary(s, op, &v, e, &made)) return false;
    *set = syn_stored(s, target->type, &made);
    return true;
}

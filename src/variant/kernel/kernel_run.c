/* Interpreting a kernel, and repairing what turns out to be undefined. A repaired node keeps its
 * type, so that nothing above it changes. */
#include "variant/kernel/kernel_tree.h"

typedef struct KMachine {
    KTree *t;
    WVal *values[KERNEL_VARS]; /* one, or count */
    uint64_t steps;
    KExpr *flawed; /* the operator that is undefined .. */
    KStmt *store;  /* .. or the compound store */
} KMachine;

typedef enum KFlow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_FLAW, FLOW_TIRED } KFlow;

static bool eval(KMachine *m, KExpr *e, WVal *out);

static bool flaw(KMachine *m, KExpr *e) {
    m->flawed = e;
    return false;
}

/* ---- expressions ---- */
static bool eval_element(KMachine *m, KExpr *e, WVal **slot) {
    WVal index;
    if (!eval(m, e->a, &index)) return false;
    if (!wide_below(index, m->t->vars[e->var].count)) return flaw(m, e);
    *slot = &m->values[e->var][(size_t)index.bits];
    return true;
}

static uint64_t swapped(uint64_t x, unsigned bytes) {
    return __builtin_bswap64(x) >> (64 - 8 * bytes);
}

static bool eval_real(KMachine *m, KExpr *e, WVal *out) {
    WVal a, b = { 0 }, c = { 0 };
    if (!eval(m, e->a, &a) || (e->b && !eval(m, e->b, &b)) || (e->c && !eval(m, e->c, &c)))
        return false;
    return kernel_real_builtin(e, a, b, c, out) || flaw(m, e);
}

static bool eval_call(KMachine *m, KExpr *e, WVal *out) {
    WVal args[KERNEL_ARGUMENTS];
    for (unsigned i = 0; i < e->call->n; i++)
        if (!eval(m, e->call->args[i], &args[i])) return false;
    return kernel_real_call(e->call, args, out) == EVAL_FINE || flaw(m, e);
}

static bool eval_builtin(KMachine *m, KExpr *e, WVal *out) {
    WVal a;
    if (e->op >= KB_COUNT) return eval_real(m, e, out);
    if (!eval(m, e->a, &a)) return false;
    uint64_t x = (uint64_t)a.bits, r = 0;
    if ((e->op == KB_CLZ || e->op == KB_CTZ) && !x) return flaw(m, e);
    if (e->op == KB_ABS && x == (uint64_t)1 << 63) return flaw(m, e);
    switch ((KBuiltin)e->op) {
    case KB_CLZ: r = (uint64_t)__builtin_clzll(x); break;
    case KB_CTZ: r = (uint64_t)__builtin_ctzll(x); break;
    case KB_POPCOUNT: r = (uint64_t)__builtin_popcountll(x); break;
    case KB_PARITY: r = (uint64_t)__builtin_parityll(x); break;
    case KB_FFS: r = (uint64_t)__builtin_ffsll((long long)x); break;
    case KB_BSWAP16: r = swapped(x, 2); break;
    case KB_BSWAP32: r = swapped(x, 4); break;
    case KB_BSWAP64: r = swapped(x, 8); break;
    case KB_ABS: r = x >> 63 ? -x : x; break;
    default: r = x; break;
    }
    *out = wide_value(e->type, e->op == KB_EXPECT ? a.bits : r);
    return true;
}

static bool eval(KMachine *m, KExpr *e, WVal *out) {
    WVal a, b, *slot;
    switch (e->kind) {
    case K_CONST: return *out = e->value, true;
    case K_VAR: return *out = m->values[e->var][0], true;
    case K_ELEMENT: return eval_element(m, e, &slot) && (*out = *slot, true);
    case K_CAST:
        if (!eval(m, e->a, &a)) return false;
        return wide_convert(a, e->type, out) == EVAL_FINE || flaw(m, e);
    case K_CALL: return eval_call(m, e, out);
    case K_BUILTIN: return eval_builtin(m, e, out);
    case K_UNARY:
        if (!eval(m, e->a, &a)) return false;
        return wide_unary((IUnary)e->op, a, out) == EVAL_FINE || flaw(m, e);
    case K_CHOOSE:
        if (!eval(m, e->c, &a) || !eval(m, wide_zero(a) ? e->b : e->a, &b)) return false;
        return *out = wide_cast(b, e->type), true;
    case K_BINARY:
        if (!eval(m, e->a, &a) || !eval(m, e->b, &b)) return false;
        return wide_binary((IBinary)e->op, a, b, out) == EVAL_FINE || flaw(m, e);
    }
    return false;
}

/* ---- statements ---- */
static KFlow exec(KMachine *m, KStmt *s);

static bool locate_target(KMachine *m, KExpr *target, WVal **slot) {
    if (target->kind == K_ELEMENT) return eval_element(m, target, slot);
    *slot = m->values[target->var];
    return true;
}

static KFlow exec_store(KMachine *m, KStmt *s) {
    WVal value, *slot;
    if (!eval(m, s->e, &value) || !locate_target(m, s->target, &slot)) return FLOW_FLAW;
    bool fine = s->op < 0 || wide_binary((IBinary)s->op, *slot, value, &value) == EVAL_FINE;
    if (fine && wide_convert(value, s->target->type, slot) == EVAL_FINE) return FLOW_ON;
    m->store = s;
    return FLOW_FLAW;
}

static KFlow exec_overflow(KMachine *m, KStmt *s) {
    WVal a, b, *slot;
    if (!eval(m, s->e, &a) || !eval(m, s->by, &b) || !locate_target(m, s->target, &slot))
        return FLOW_FLAW;
    WType type = s->target->type;
    bool over;
    Bits128 r;
    if (type.is_signed) {
        __int128 x = (__int128)a.bits, y = (__int128)b.bits, z;
        over = s->op == B_ADD   ? __builtin_add_overflow(x, y, &z)
               : s->op == B_SUB ? __builtin_sub_overflow(x, y, &z)
                                : __builtin_mul_overflow(x, y, &z);
        r = (Bits128)z;
    } else {
        over = s->op == B_ADD   ? __builtin_add_overflow(a.bits, b.bits, &r)
               : s->op == B_SUB ? __builtin_sub_overflow(a.bits, b.bits, &r)
                                : __builtin_mul_overflow(a.bits, b.bits, &r);
    }
    *slot = wide_value(type, r);
    over = over || slot->bits != r;
    WVal *flag = m->values[s->flag];
    *flag = wide_value(m->t->vars[s->flag].type, over);
    return FLOW_ON;
}

static KFlow exec_loop(KMachine *m, KStmt *s) {
    WType type = m->t->vars[s->var].type;
    for (int64_t i = s->from; s->step > 0 ? i < s->to : i > s->to; i += s->step) {
        m->values[s->var][0] = wide_value(type, (Bits128)i);
        s->ran++;
        KFlow flow = exec(m, s->body);
        if (flow == FLOW_BREAK) break;
        if (flow == FLOW_FLAW || flow == FLOW_TIRED) return flow;
    }
    return FLOW_ON;
}

static KFlow exec_while(KMachine *m, KStmt *s) {
    WVal test;
    for (;;) {
        if (!eval(m, s->e, &test)) return FLOW_FLAW;
        if (wide_zero(test)) return FLOW_ON;
        if (++m->steps > KERNEL_STEPS) return FLOW_TIRED;
        KFlow flow = exec(m, s->body);
        if (flow == FLOW_BREAK) return FLOW_ON;
        if (flow == FLOW_FLAW || flow == FLOW_TIRED) return flow;
    }
}

static KFlow exec_switch(KMachine *m, KStmt *s) {
    WVal test;
    if (!eval(m, s->e, &test)) return FLOW_FLAW;
    KStmt *label = s->body;
    while (label && label->e->value.bits != test.bits) label = label->next;
    while (label && !label->body) label = label->next;
    return exec(m, label ? label->body : s->other);
}

static KFlow exec_copy(KMachine *m, const KStmt *s) {
    size_t count = m->t->vars[s->target->var].count;
    memcpy(m->values[s->target->var], m->values[s->e->var], count * sizeof(WVal));
    return FLOW_ON;
}

static KFlow exec_set(KMachine *m, const KStmt *s) {
    const KVar *v = &m->t->vars[s->target->var];
    Bits128 bits = 0;
    for (unsigned i = 0; i < v->type.bits; i += 8) bits = bits << 8 | (unsigned)s->from;
    for (unsigned i = 0; i < v->count; i++)
        m->values[s->target->var][i] = wide_value(v->type, bits);
    return FLOW_ON;
}

static KFlow exec_compare(KMachine *m, const KStmt *s) {
    bool differ = false;
    for (unsigned i = 0; i < m->t->vars[s->target->var].count; i++)
        differ |= m->values[s->target->var][i].bits != m->values[s->e->var][i].bits;
    *m->values[s->flag] = wide_value(m->t->vars[s->flag].type, differ);
    return FLOW_ON;
}

static uint64_t lane(int op, uint64_t x, uint64_t y) {
    switch (op) {
    case B_ADD: return x + y;
    case B_SUB: return x - y;
    case B_MUL: return x * y;
    case B_AND: return x & y;
    case B_OR: return x | y;
    case B_XOR: return x ^ y;
    default: return x < y ? UINT64_MAX : 0;
    }
}

static bool real_lane(int op, WVal x, WVal y, WVal *out) {
    return op < 0 ? (*out = x, true) : wide_binary((IBinary)op, x, y, out) == EVAL_FINE;
}

/* Where one vector starts in three arrays. */
typedef struct KLanes {
    WVal *to;
    const WVal *of, *by;
    unsigned n, turn; /* lanes, and how far they are rotated */
} KLanes;

static KFlow real_vector(KMachine *m, KStmt *s, KLanes l) {
    WVal result[64];
    for (unsigned i = 0; i < l.n; i++)
        if (!real_lane(s->op, l.of[i], l.by[i], &result[i])) {
            m->store = s;
            return FLOW_FLAW;
        }
    for (unsigned i = 0; i < l.n; i++) l.to[i] = result[(i + l.turn) % l.n];
    return FLOW_ON;
}

static KFlow exec_vector(KMachine *m, KStmt *s) {
    const KVar *to = &m->t->vars[s->target->var], *e = &m->t->vars[s->e->var];
    unsigned lanes = (unsigned)s->to, at = (unsigned)s->from;
    if (s->var != KERNEL_VARS) at = ((unsigned)m->values[s->var][0].bits * lanes) & (to->count - 1);
    unsigned of = e->count < to->count ? e->count - lanes : at;
    unsigned by = s->by->var == s->target->var ? at : of;
    if (wtype_is_real(to->type))
        return real_vector(m, s,
                           (KLanes){ m->values[s->target->var] + at, m->values[s->e->var] + of,
                                     m->values[s->by->var] + by, lanes, (unsigned)s->step });
    uint64_t mask = to->type.bits == 64 ? UINT64_MAX : ((uint64_t)1 << to->type.bits) - 1;
    uint64_t result[64];
    CHECK(lanes <= COUNT_OF(result));
    for (unsigned i = 0; i < lanes; i++)
        result[i] = lane(s->op, (uint64_t)m->values[s->e->var][of + i].bits & mask,
                         (uint64_t)m->values[s->by->var][by + i].bits & mask);
    for (unsigned i = 0; i < lanes; i++)
        m->values[s->target->var][at + i] =
            wide_value(to->type, result[(i + (unsigned)s->step) % lanes]);
    return FLOW_ON;
}

static KFlow exec_convert(KMachine *m, KStmt *s) {
    WVal result[64], *from = m->values[s->e->var] + s->from;
    WType type = s->target->type;
    for (int i = 0; i < s->to; i++) {
        WVal lane = from[i];
        if (s->step) lane = wide_value(lane.type, lane.bits & 127);
        if (wide_convert(lane, type, &result[i]) == EVAL_FINE) continue;
        m->store = s;
        return FLOW_FLAW;
    }
    for (int i = 0; i < s->to; i++) m->values[s->target->var][s->from + i] = result[i];
    return FLOW_ON;
}

static KFlow exec_one(KMachine *m, KStmt *s) {
    WVal test;
    if (++m->steps > KERNEL_STEPS) return FLOW_TIRED;
    switch (s->kind) {
    case KS_STORE: return exec_store(m, s);
    case KS_OVERFLOW: return exec_overflow(m, s);
    case KS_COPY: return exec_copy(m, s);
    case KS_SET: return exec_set(m, s);
    case KS_COMPARE: return exec_compare(m, s);
    case KS_VECTOR: return exec_vector(m, s);
    case KS_CONVERT: return exec_convert(m, s);
    case KS_FOR: return exec_loop(m, s);
    case KS_WHILE: return exec_while(m, s);
    case KS_SWITCH: return exec_switch(m, s);
    default: break;
    }
    if (!eval(m, s->e, &test)) return FLOW_FLAW;
    bool holds = !wide_zero(test);
    if (s->kind == KS_BREAK) return holds ? FLOW_BREAK : FLOW_ON;
    if (s->kind == KS_CONTINUE) return holds ? FLOW_CONTINUE : FLOW_ON;
    ++*(holds ? &s->ran : &s->ran_other);
    return exec(m, holds ? s->body : s->other);
}

static KFlow exec(KMachine *m, KStmt *s) {
    KFlow flow = FLOW_ON;
    for (; s && flow == FLOW_ON; s = s->next) flow = exec_one(m, s);
    return flow;
}

/* ---- mending ---- */
static KExpr *number(KTree *t, WType type, Bits128 value) {
    KExpr *e = kernel_expr(t, K_CONST, type);
    e->value = wide_value(type, value);
    return e;
}

/* a op b in the place of a, of a's own type. */
static KExpr *with(KTree *t, KExpr *a, IBinary op, KExpr *b, WType type) {
    KExpr *e = kernel_expr(t, K_BINARY, wtype_binary(op, a->type, b->type));
    e->op = op, e->a = a, e->b = b;
    if (wtype_same(e->type, type)) return e;
    KExpr *cast = kernel_expr(t, K_CAST, type);
    cast->a = e;
    return cast;
}

static void mend_store(KTree *t, KStmt *s) {
    if (s->kind == KS_VECTOR)
        s->op = -1;
    else if (s->kind == KS_CONVERT && (s->step || wtype_is_real(s->e->type)))
        s->to = 0;
    else if (s->kind == KS_CONVERT)
        s->step = 1;
    else if (wtype_is_real(s->target->type) || wtype_is_real(s->e->type))
        kernel_real_mend_store(t, s);
    else
        s->op = s->op == B_SHL || s->op == B_SHR ? -1 : B_XOR;
}

static bool is_real(const KExpr *e) {
    if (e->kind == K_CAST || e->kind == K_CALL) return true;
    if (e->kind == K_BUILTIN) return e->op >= KB_COUNT;
    return e->kind == K_BINARY && (wtype_is_real(e->a->type) || wtype_is_real(e->b->type));
}

static bool mend(KMachine *m) {
    KTree *t = m->t;
    KExpr *e = m->flawed;
    WType i32 = wtype_of(ITYPE(I_INT));
    if (m->store) return mend_store(t, m->store), true;
    if (!e) return false;
    if (is_real(e)) return kernel_real_mend(t, e), true;
    switch (e->kind) {
    case K_ELEMENT: /* e & (count - 1) is inside, whatever e is */
        e->a = with(t, e->a, B_AND, number(t, i32, t->vars[e->var].count - 1),
                    wtype_binary(B_AND, e->a->type, i32));
        return true;
    case K_BUILTIN: e->a = with(t, e->a, B_OR, number(t, e->a->type, 1), e->a->type); return true;
    case K_UNARY: e->op = U_BITNOT; return true;
    case K_BINARY:
        if (e->op == B_SHL || e->op == B_SHR) {
            e->kind = K_UNARY, e->op = U_BITNOT;
        } else
            e->op = e->op == B_DIV || e->op == B_MOD ? B_AND : B_XOR;
        return true;
    default: return false;
    }
}

static void set_up(KMachine *m, const WVal *inputs) {
    KTree *t = m->t;
    for (unsigned i = 0; i < t->n; i++) {
        size_t count = t->vars[i].count ? t->vars[i].count : 1;
        if (!m->values[i]) m->values[i] = ARENA_ARRAY(t->arena, WVal, count);
        for (size_t k = 0; k < count; k++) m->values[i][k] = wide_value(t->vars[i].type, 0);
        if (i < t->order->inputs_len)
            m->values[i][0] = inputs[i];
        else if (!t->vars[i].count && t->vars[i].init.type.bits)
            m->values[i][0] = t->vars[i].init;
    }
    m->steps = 0, m->flawed = NULL, m->store = NULL;
}

bool kernel_run(KTree *t, const WVal *inputs, WVal *result, unsigned *repairs) {
    KMachine m = { .t = t };
    for (;;) {
        set_up(&m, inputs);
        KFlow flow = exec(&m, t->body);
        if (flow == FLOW_TIRED) return false;
        if (flow != FLOW_FLAW) break;
        if (++*repairs > KERNEL_REPAIRS || !mend(&m)) return false;
    }
    *result = m.values[t->sum][0];
    return true;
}

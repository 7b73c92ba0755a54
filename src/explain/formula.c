/* Building the constraints (formula.h) and minimising the core.
 *
 * The slice grows backwards in time from a heap of steps that wait to be expanded; after 32, 64,
 * 128, .. expansions the solver is asked whether the formula is unsatisfiable already. Minimising
 * is our own deletion with assumption literals (the solver's takes minutes): constraints of
 * unchanged lines are tried first, in chunks that halve, and each time the solver's own core
 * shrinks the set further. The result is checked again by a fresh solver, because cores have been
 * wrong. */
#include "explain/formula.h"
#include "base/quantity.h"
#include "explain/explain_knobs.h"
#include "explain/inside.h"
#include "trace/fold.h"
#include "trace/layout.h"
#include "trace/models.h"

#include <z3.h>

typedef struct FormulaNode {
    Step step;
    Z3_ast var;
    bool expanded; /* its equation is in */
    bool as_value; /* wanted for its value: a pointer is followed */
    bool queued;
} FormulaNode;

typedef struct Formula {
    const Trace *t;
    Z3_context z3;
    Z3_solver solver;
    VEC(FormulaNode) nodes;
    Map by_step;    /* Step -> index in nodes */
    VEC(Step) heap; /* max-heap of steps to expand */
    VEC(Fact) facts;
    VEC(Z3_ast) literals;     /* of facts: assumption that switches it on */
    VEC(Z3_ast) bodies;       /* of facts: what it says */
    Map strings;              /* step of a call -> 1 + index in string_facts */
    VEC(Z3_ast) string_facts; /* the strings it read are what they were; NULL: it read none */
    Z3_ast goal;
    const char *goal_doubt; /* as Fact.doubt, of the goal */
    size_t pathed, paths;   /* nodes whose branches were looked at; FACT_PATHs so far */
    bool grounded;          /* pointers are followed like all other values */
    ChangedStepFn is_changed;
    void *user;
    const FormulaLimits *limits; /* may be NULL */
    double seconds;
} Formula;

/* ---- terms ---- */

static unsigned type_bits(Type t) {
    if (t.kind == TYPE_INT || t.kind == TYPE_POINTER) return t.bits;
    return t.size * 8;
}

/* Of the variable for a value of this type. */
static unsigned var_bits(Type t) {
    return t.kind == TYPE_WIDE && t.bits ? t.bits : type_bits(t);
}

static bool has_term(Type t) {
    return t.kind != TYPE_NONE && t.size <= 64;
}

static Z3_ast number(Formula *f, uint64_t value, unsigned bits) {
    return Z3_mk_unsigned_int64(f->z3, value, Z3_mk_bv_sort(f->z3, bits));
}

/* The concrete value as a term: bits, or bytes of a wide one. */
static Z3_ast concrete(Formula *f, Type type, uint64_t value) {
    if (!type_is_wide(type)) return number(f, value & bits_mask(type_bits(type)), type_bits(type));
    const uint8_t *bytes = f->t->wide.at + value;
    Z3_ast term = number(f, bytes[0], 8);
    for (uint32_t i = 1; i < type.size; i++)
        term = Z3_mk_concat(f->z3, number(f, bytes[i], 8), term);
    if (type.bits && type.bits < type.size * 8)
        term = Z3_mk_extract(f->z3, type.bits - 1u, 0, term);
    return term;
}

static Type step_type(const Trace *t, Step s) {
    const Inst *inst = trace_inst(t, s);
    if (inst->op == OP_STORE || inst->op == OP_RET || inst->op == OP_CONDBR ||
        inst->op == OP_SWITCH)
        return inst->operands ? code_operand(&t->code, inst, 0)->type : inst->type;
    return inst->type;
}

static Z3_ast fresh(Formula *f, unsigned bits) {
    return Z3_mk_fresh_const(f->z3, "v", Z3_mk_bv_sort(f->z3, bits));
}

/* ---- the heap ---- */

static void heap_push(Formula *f, Step s) {
    vec_push(&f->heap, s);
    for (size_t i = f->heap.len - 1; i > 0 && f->heap.at[(i - 1) / 2] < f->heap.at[i];
         i = (i - 1) / 2) {
        Step parent = f->heap.at[(i - 1) / 2];
        f->heap.at[(i - 1) / 2] = f->heap.at[i];
        f->heap.at[i] = parent;
    }
}

static Step heap_pop(Formula *f) {
    Step top = f->heap.at[0];
    f->heap.at[0] = vec_last(&f->heap);
    f->heap.len--;
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child >= f->heap.len) break;
        if (child + 1 < f->heap.len && f->heap.at[child + 1] > f->heap.at[child]) child++;
        if (f->heap.at[i] >= f->heap.at[child]) break;
        Step s = f->heap.at[i];
        f->heap.at[i] = f->heap.at[child];
        f->heap.at[child] = s;
        i = child;
    }
    return top;
}

/* ---- nodes and facts ---- */

static FormulaNode *node_of(Formula *f, Step s) {
    uint64_t key = s;
    uint64_t *slot = map_at(&f->by_step, map_key_u64(&key));
    if (*slot == 0) {
        FormulaNode n = { .step = s };
        Type type = step_type(f->t, s);
        n.var = fresh(f, has_term(type) ? var_bits(type) : 1);
        vec_push(&f->nodes, n);
        *slot = f->nodes.len;
    }
    return &f->nodes.at[*slot - 1];
}

/* The variable of a step, which is then expanded some time. as_value: also where it is a pointer.
 */
static Z3_ast var_of(Formula *f, Step s, bool as_value) {
    FormulaNode *n = node_of(f, s);
    as_value |= f->grounded;
    if (!n->queued || (as_value && !n->as_value)) heap_push(f, s);
    n->queued = true;
    n->as_value |= as_value;
    return n->var;
}

/* The fact just added holds for this run, but another run of the same path might differ in ways
 * that the formula does not know. */
static void doubt(Formula *f, const char *why) {
    Fact *last = &vec_last(&f->facts);
    if (!last->doubt) last->doubt = why;
}

static void add_fact(Formula *f, FactKind kind, Step step, uint64_t address, Z3_ast body) {
    Fact fact = { kind, step, address, f->is_changed(f->user, step), NULL };
    Z3_ast literal = Z3_mk_fresh_const(f->z3, "a", Z3_mk_bool_sort(f->z3));
    vec_push(&f->facts, fact);
    vec_push(&f->literals, literal);
    vec_push(&f->bodies, body);
    Z3_solver_assert(f->z3, f->solver, Z3_mk_implies(f->z3, literal, body));
}

static void add_equation(Formula *f, FactKind kind, Step step, Z3_ast a, Z3_ast b) {
    add_fact(f, kind, step, 0, Z3_mk_eq(f->z3, a, b));
}

static Z3_ast resized(Formula *f, Op op, Z3_ast a, unsigned from, unsigned to) {
    if (to < from) return Z3_mk_extract(f->z3, to - 1, 0, a);
    if (to == from) return a;
    return op == OP_SEXT ? Z3_mk_sign_ext(f->z3, to - from, a)
                         : Z3_mk_zero_ext(f->z3, to - from, a);
}

/* ---- operands ---- */

static bool is_fixed_address(const Trace *t, Step s) {
    const Inst *inst = trace_inst(t, s);
    if (inst->op == OP_ALLOCA) return true;
    if (inst->op != OP_GEP || inst->operands > 1) return false;
    Source base = trace_source(t, s, 0);
    return base.constant || (base.step != STEP_NONE && is_fixed_address(t, base.step));
}

static Z3_ast operand_term(Formula *f, Step step, unsigned i, bool as_value) {
    Source s = trace_source(f->t, step, i);
    if (s.step != STEP_NONE && is_fixed_address(f->t, s.step)) return number(f, s.value, 64);
    if (s.step != STEP_NONE) return var_of(f, s.step, as_value);
    if (s.constant && type_is_wide(s.type)) {
        Z3_ast term = number(f, f->t->code.wide.at[s.value], 8);
        for (uint32_t b = 1; b < s.type.size; b++)
            term = Z3_mk_concat(f->z3, number(f, f->t->code.wide.at[s.value + b], 8), term);
        if (s.type.bits && s.type.bits < s.type.size * 8)
            term = Z3_mk_extract(f->z3, s.type.bits - 1u, 0, term);
        return term;
    }
    if (s.constant) return concrete(f, s.type, s.value);
    /* A parameter given by code that is not instrumented, or a value from before what is kept. */
    Z3_ast var = fresh(f, type_bits(s.type));
    add_equation(f, FACT_INPUT, step, var, concrete(f, s.type, s.value));
    const TraceSegment *segment = &f->t->segments.at[trace_segment(f->t, s.holder)];
    const Activation *a = &f->t->activations.at[segment->activation];
    if (a->kept != CODE_NONE)
        doubt(f, "values from before the kept part of the trace");
    else if (a->call != STEP_NONE && !a->direct)
        doubt(f, "arguments that the C library hands over");
    return var;
}

/* The address of an access as a condition: it is what it was. NULL: it cannot be anything else. */
static Z3_ast address_condition(Formula *f, Step step, unsigned operand) {
    Source s = trace_source(f->t, step, operand);
    if (s.constant || (s.step != STEP_NONE && is_fixed_address(f->t, s.step))) return NULL;
    return Z3_mk_eq(f->z3, operand_term(f, step, operand, false), number(f, s.value, 64));
}

/* Addresses on the way that must be what they were, and what else the fact depends on. */
typedef VEC(Z3_ast) Conditions;

static void add_condition(Conditions *conditions, Z3_ast condition) {
    if (condition) vec_push(conditions, condition);
}

/* The body, provided that the conditions hold; releases them. */
static Z3_ast implied(Formula *f, Conditions *conditions, Z3_ast body) {
    unsigned n = (unsigned)conditions->len;
    if (n)
        body = Z3_mk_implies(
            f->z3, n == 1 ? conditions->at[0] : Z3_mk_and(f->z3, n, conditions->at), body);
    vec_release(conditions);
    return body;
}

/* ---- memory ---- */

/* A byte on its way from a writer to a reader. */
typedef struct Byte {
    uint64_t address;
    uint8_t seen; /* its value */
    Step reader;  /* whose fact it is when it comes from outside */
    Conditions conditions;
    const char *doubt; /* why what is said of it may not hold for every run of this path; NULL */
} Byte;

static Z3_ast written_byte(Formula *f, Step writer, Byte *b);

static Z3_ast extract_byte(Formula *f, Z3_ast value, unsigned bits, uint64_t index) {
    unsigned low = (unsigned)index * 8, high = low + 7;
    if (high < bits) return Z3_mk_extract(f->z3, high, low, value);
    return Z3_mk_zero_ext(f->z3, high - bits + 1, Z3_mk_extract(f->z3, bits - 1, low, value));
}

/* String literals and the like: nothing to ask. */
static bool is_literal(const Trace *t, uint64_t address) {
    const Global *g = code_global(&t->code, address);
    return g && g->constant && g->name[0] == '.';
}

/* Bytes in memory that must not have been overwritten. */
typedef struct Stretch {
    uint64_t address;
    uint32_t size;
} Stretch;

static bool is_apart(TraceExtent object, const Stretch *b) {
    return object.size && b->address - object.at >= object.size &&
           object.at - b->address >= b->size;
}

/* Whether a function outside had no pointer to an object that holds the bytes. */
static bool call_is_apart(const Formula *f, Step s, const Inst *inst, const Stretch *b) {
    for (unsigned i = 0; i + 1 < inst->operands; i++)
        if (code_operand(&f->t->code, inst, i)->type.kind == TYPE_POINTER &&
            !is_apart(trace_base(f->t, s, i), b))
            return false;
    return true;
}

/* The condition that a store or copy went elsewhere; NULL: it could not go here. */
static Z3_ast went_elsewhere(Formula *f, Step s, const Inst *inst, const Stretch *b) {
    const Trace *t = f->t;
    unsigned pointer = inst->op == OP_STORE;
    if (is_apart(trace_base(t, s, pointer), b)) return NULL;
    Source where = trace_source(t, s, pointer);
    bool fixed = where.constant || (where.step != STEP_NONE && is_fixed_address(t, where.step));
    uint64_t width =
        pointer ? code_operand(&t->code, inst, 0)->type.size : trace_operand_value(t, s, 2);
    if (where.value < b->address + b->size && b->address < where.value + width)
        return NULL; /* it is one of those that wrote them */
    if (fixed && (pointer || trace_source(t, s, 2).constant)) return NULL;
    Z3_ast at = fixed ? number(f, where.value, 64) : operand_term(f, s, pointer, false);
    Z3_ast size = number(f, width, 64);
    if (!pointer && !trace_source(t, s, 2).constant) {
        unsigned bits = type_bits(code_operand(&t->code, inst, 2)->type);
        size = resized(f, OP_ZEXT, operand_term(f, s, 2, true), bits, 64);
    }
    Z3_ast apart[] = {
        Z3_mk_bvuge(f->z3, at, number(f, b->address + b->size, 64)),
        Z3_mk_bvule(f->z3, Z3_mk_bvadd(f->z3, at, size), number(f, b->address, 64)),
    };
    return Z3_mk_or(f->z3, 2, apart);
}

static Z3_ast strings_of(Formula *f, Step call);

/* A function of the C library that copies wrote where it did, provided its arguments and the
 * strings it read are what they were. */
static void wrote_as_seen(Formula *f, Step s, const Inst *inst, Conditions *conditions) {
    for (unsigned i = 0; i + 1 < inst->operands; i++) {
        Source from = trace_source(f->t, s, i);
        if (from.type.kind == TYPE_POINTER)
            add_condition(conditions, address_condition(f, s, i));
        else if (!from.constant && has_term(from.type))
            add_condition(conditions, Z3_mk_eq(f->z3, operand_term(f, s, i, true),
                                               concrete(f, from.type, from.value)));
    }
    add_condition(conditions, strings_of(f, s));
}

/* What was written between the definition of some bytes and their use went elsewhere: a condition
 * for each write that might have hit them, had its pointer been another. A phrase when that cannot
 * be said; else NULL. */
static const char *stay_away(Formula *f, Step reader, uint64_t address, uint32_t size, Step since,
                             Conditions *conditions) {
    static const char *const many = "many writes through pointers that may have gone elsewhere";
    const Trace *t = f->t;
    Stretch bytes = { address, size };
    const Global *g = code_global(&t->code, address);
    if (g && g->constant) return NULL;
    size_t from, to, found = 0;
    trace_stores_between(t, def_is_step(since) ? since : STEP_NONE, reader, &from, &to);
    if (to - from > AWAY_LOOK) return many;
    for (size_t i = from; i < to; i++) {
        Step s = t->stores.at[i];
        const Inst *inst = trace_inst(t, s);
        if (inst->op == OP_CALL && inst->call == CALL_FAR) {
            if (call_is_apart(f, s, inst, &bytes)) continue;
            if (!inst->libc || !inst->libc->copy)
                return "memory that code outside of the traced program may have written";
            wrote_as_seen(f, s, inst, conditions);
            continue;
        }
        Z3_ast condition = went_elsewhere(f, s, inst, &bytes);
        if (condition && ++found > AWAY_MOST) return many;
        add_condition(conditions, condition);
    }
    return NULL;
}

/* The strings that a call read, all bytes of them, are what they were: one fact, which copies of it
 * and its result depend on. */
static Z3_ast strings_same(Formula *f, Step call) {
    const Trace *t = f->t;
    Conditions all = { 0 };
    const char *why = NULL;
    size_t r = trace_first_read(t, call);
    if (r >= t->reads.len || t->reads.at[r].step != call) {
        const LibcFunction *libc = trace_inst(t, call)->libc;
        if (libc && libc->strings) why = "strings of which no note was kept";
    }
    for (; r < t->reads.len && t->reads.at[r].step == call; r++) {
        const TraceRead *read = &t->reads.at[r];
        Step since = STEP_NONE;
        if (!read->whole) why = "a string of which only a part was kept";
        for (uint32_t i = 0; i < read->size; i++) {
            Step writer = t->pool.at[read->pool + i];
            Byte b = { .address = read->address + i,
                       .seen = t->seen.at[read->bytes + i],
                       .reader = call };
            if (writer == DEF_INIT && is_literal(t, b.address)) continue;
            if (!def_is_step(writer)) since = 0;
            if (since == STEP_NONE || writer < since) since = writer;
            Z3_ast same = Z3_mk_eq(f->z3, written_byte(f, writer, &b), number(f, b.seen, 8));
            for (size_t c = 0; c < b.conditions.len; c++) vec_push(&all, b.conditions.at[c]);
            vec_release(&b.conditions);
            if (b.doubt) why = b.doubt;
            vec_push(&all, same);
        }
        if (since == STEP_NONE) continue;
        const char *away = stay_away(f, call, read->address, read->size, since, &all);
        if (away) why = away;
    }
    if (!all.len && !why) return NULL;
    Z3_ast same = fresh(f, 1);
    add_fact(f, FACT_STEP, call, 0, implied(f, &all, Z3_mk_eq(f->z3, same, number(f, 1, 1))));
    if (why) doubt(f, why);
    return Z3_mk_eq(f->z3, same, number(f, 1, 1));
}

static Z3_ast strings_of(Formula *f, Step call) {
    uint64_t key = call;
    uint64_t *slot = map_at(&f->strings, map_key_u64(&key));
    if (!*slot) {
        Z3_ast same = strings_same(f, call);
        vec_push(&f->string_facts, same);
        slot = map_at(&f->strings, map_key_u64(&key));
        *slot = f->string_facts.len;
    }
    return f->string_facts.at[*slot - 1];
}

/* The arguments of a call that moved memory: where from, where to, and at least so many bytes. */
static void moved_alike(Formula *f, Step call, uint64_t index, Conditions *conditions) {
    const Inst *inst = trace_inst(f->t, call);
    bool counted =
        inst->call == CALL_MEMORY ||
        (inst->libc && (inst->libc->copy == COPY_BYTES || inst->libc->copy == COPY_COUNTED ||
                        inst->libc->copy == COPY_APPEND_PART));
    bool fills = inst->call == CALL_MEMORY && str_starts(str_from(inst->name), "llvm.memset");
    for (unsigned i = 0; i + 1 < inst->operands && i < 2; i++)
        if (code_operand(&f->t->code, inst, i)->type.kind == TYPE_POINTER && !(fills && i))
            add_condition(conditions, address_condition(f, call, i));
    if (!counted || inst->operands < 4) return;
    Source size = trace_source(f->t, call, 2);
    if (size.constant) return;
    unsigned bits = type_bits(code_operand(&f->t->code, inst, 2)->type);
    add_condition(conditions,
                  Z3_mk_bvugt(f->z3, operand_term(f, call, 2, true), number(f, index, bits)));
}

/* A byte from a copy: the source's byte, under the copying instruction's own fact. */
static Z3_ast copied_byte(Formula *f, const Copy *c, uint64_t address, uint8_t seen) {
    const Inst *inst = trace_inst(f->t, c->step);
    Z3_ast byte = fresh(f, 8);
    uint64_t index = address - c->to;
    Byte from = { .address = c->from + index, .seen = seen, .reader = c->step };
    Step writer = f->t->pool.at[c->pool + index];
    Z3_ast source = written_byte(f, writer, &from);
    const char *away = stay_away(f, c->step, from.address, 1, writer, &from.conditions);
    if (away) from.doubt = away;
    moved_alike(f, c->step, index, &from.conditions);
    if (inst->libc) add_condition(&from.conditions, strings_of(f, c->step));
    add_fact(f, FACT_STEP, c->step, 0, implied(f, &from.conditions, Z3_mk_eq(f->z3, byte, source)));
    if (from.doubt) doubt(f, from.doubt);
    return byte;
}

/* Whether bytes that come from this call are input, not something computed from its arguments. What
 * va_start writes is the same on every run of the path. */
static bool brings_input(const Inst *inst) {
    return inst->op == OP_CALL &&
           (libc_is(inst->libc, LIBC_INPUT) || str_starts(str_from(inst->name), "llvm.va_start"));
}

/* The arguments of main and the environment lie above main's frame. */
static bool is_argument(const Trace *t, uint64_t address) {
    if (!t->activations.len) return false;
    const Activation *main = &t->activations.at[0];
    const Function *f = &t->code.functions.at[main->function];
    return f->params > 1 && strcmp(f->name, "main") == 0 && address >= trace_param_value(t, 0, 1) &&
           address >> 40 == 0x7f;
}

/* A byte that no instrumented code wrote. */
static Z3_ast outside_byte(Formula *f, Step writer, const Byte *b) {
    Z3_ast byte = fresh(f, 8);
    FactKind kind = writer == DEF_INIT ? FACT_INIT : writer == DEF_BEFORE ? FACT_CUT : FACT_INPUT;
    add_fact(f, kind, def_is_step(writer) ? writer : b->reader, b->address,
             Z3_mk_eq(f->z3, byte, number(f, b->seen, 8)));
    if (writer == DEF_BEFORE)
        doubt(f, "values from before the kept part of the trace");
    else if (def_is_step(writer) ? !brings_input(trace_inst(f->t, writer))
                                 : writer != DEF_INIT && !is_argument(f->t, b->address))
        doubt(f, "memory that code outside of the traced program wrote");
    return byte;
}

/* The concrete byte b of a step's value. */
static uint8_t byte_of(const Trace *t, Step s, Type type, uint32_t b) {
    if (type_is_wide(type)) return t->wide.at[t->value.at[s] + b];
    return (uint8_t)(t->value.at[s] >> (8 * b));
}

static Z3_ast stored_byte(Formula *f, Step writer, const Inst *inst, Byte *b) {
    Type type = code_operand(&f->t->code, inst, 0)->type;
    uint64_t at = inst->checked ? trace_operand_value(f->t, writer, 1) : b->address;
    if (b->address - at >= type.size) { /* moved since by a copy too large to be followed */
        b->doubt = "a large copy";
        return outside_byte(f, writer, b);
    }
    if (inst->checked) add_condition(&b->conditions, address_condition(f, writer, 1));
    return extract_byte(f, var_of(f, writer, true), var_bits(type), b->address - at);
}

static Z3_ast filled_byte(Formula *f, Step writer, const Byte *b) {
    Z3_ast byte = fresh(f, 8);
    Conditions conditions = { 0 };
    uint64_t index = b->address - trace_operand_value(f->t, writer, 0);
    moved_alike(f, writer, index, &conditions);
    Z3_ast value = operand_term(f, writer, 1, true);
    add_fact(f, FACT_STEP, writer, 0, implied(f, &conditions, Z3_mk_eq(f->z3, byte, value)));
    return byte;
}

static Z3_ast written_byte(Formula *f, Step writer, Byte *b) {
    const Trace *t = f->t;
    if (!def_is_step(writer)) return outside_byte(f, writer, b);
    const Inst *inst = trace_inst(t, writer);
    if (inst->op == OP_STORE) return stored_byte(f, writer, inst, b);
    const Copy *copy = inst->op == OP_CALL ? trace_copy(t, writer, b->address) : NULL;
    if (copy) return copied_byte(f, copy, b->address, b->seen);
    if (inst->op == OP_CALL && inst->call == CALL_MEMORY &&
        str_starts(str_from(inst->name), "llvm.memset"))
        return filled_byte(f, writer, b);
    VarargKey key = { writer, b->address & ~7ull };
    uint64_t operand;
    if (inst->op == OP_CALL &&
        map_get(&t->varargs, (Str){ (const char *)&key, sizeof key }, &operand)) {
        Type type = code_operand(&t->code, inst, (unsigned)operand)->type;
        if ((b->address & 7) < type.size)
            return extract_byte(f, operand_term(f, writer, (unsigned)operand, true),
                                type_bits(type), b->address & 7);
    }
    return outside_byte(f, writer, b);
}

/* The stored value as a whole, where the load reads exactly what one store wrote; else NULL. */
static Z3_ast whole_store(Formula *f, const Inst *inst, Step s, Byte *b) {
    const Trace *t = f->t;
    Step def = t->def.at[s];
    if (!def_is_step(def) || trace_inst(t, def)->op != OP_STORE) return NULL;
    Type stored = code_operand(&t->code, trace_inst(t, def), 0)->type;
    bool whole = !inst->checked ||
                 (trace_operand_value(t, def, 1) == b->address && stored.size == inst->type.size);
    if (!whole || var_bits(stored) != var_bits(inst->type)) return NULL;
    if (inst->checked) add_condition(&b->conditions, address_condition(f, def, 1));
    return var_of(f, def, true);
}

/* The earliest of those who wrote the bytes of a load. */
static Step first_def(const Trace *t, Step s, uint32_t size) {
    Step def = t->def.at[s];
    if (!def_is_mixed(def)) return def;
    Step first = STEP_NONE;
    for (uint32_t i = 0; i < size; i++) {
        Step d = t->pool.at[(def & ~DEF_MIXED) + i];
        if (!def_is_step(d)) return d;
        if (first == STEP_NONE || d < first) first = d;
    }
    return first;
}

static void expand_load(Formula *f, const FormulaNode *n, const Inst *inst) {
    const Trace *t = f->t;
    Step s = n->step, def = t->def.at[s];
    Type type = inst->type;
    Byte b = { .address = inst->checked ? trace_operand_value(t, s, 0) : 0, .reader = s };
    if (inst->checked) add_condition(&b.conditions, address_condition(f, s, 0));
    uint64_t address = b.address;
    Z3_ast value = whole_store(f, inst, s, &b);
    if (!value) {
        for (uint32_t i = 0; i < type.size; i++) {
            b.address = address + i;
            b.seen = byte_of(t, s, type, i);
            Z3_ast byte =
                written_byte(f, def_is_mixed(def) ? t->pool.at[(def & ~DEF_MIXED) + i] : def, &b);
            value = value ? Z3_mk_concat(f->z3, byte, value) : byte;
        }
        if (var_bits(type) < type.size * 8)
            value = Z3_mk_extract(f->z3, var_bits(type) - 1, 0, value);
    }
    const char *away = inst->checked ? stay_away(f, s, address, type.size,
                                                 first_def(t, s, type.size), &b.conditions)
                                     : NULL;
    if (away) b.doubt = away;
    add_fact(f, FACT_STEP, s, 0, implied(f, &b.conditions, Z3_mk_eq(f->z3, n->var, value)));
    if (b.doubt) doubt(f, b.doubt);
}

/* ---- computations ---- */

/* The result is what was seen, provided the operands are what they were: for floating point and for
 * functions of the C library. */
static void expand_function(Formula *f, const FormulaNode *n, const Inst *inst, unsigned operands) {
    const Trace *t = f->t;
    Conditions conditions = { 0 };
    for (unsigned i = 0; i < operands; i++) {
        Source s = trace_source(t, n->step, i);
        if (s.constant || !has_term(s.type) ||
            code_operand(&t->code, inst, i)->kind == OPERAND_BLOCK)
            continue;
        if (s.step != STEP_NONE && is_fixed_address(t, s.step)) continue;
        vec_push(&conditions,
                 Z3_mk_eq(f->z3, operand_term(f, n->step, i, s.type.kind != TYPE_POINTER),
                          concrete(f, s.type, s.value)));
    }
    if (inst->op == OP_CALL && inst->libc) add_condition(&conditions, strings_of(f, n->step));
    if (!has_term(inst->type)) {
        vec_release(&conditions);
        return;
    }
    FactKind kind = conditions.len ? FACT_STEP : FACT_INPUT;
    Z3_ast body = Z3_mk_eq(f->z3, n->var, concrete(f, inst->type, t->value.at[n->step]));
    add_fact(f, kind, n->step, 0, implied(f, &conditions, body));
    if (inst->op == OP_CALL && inst->libc && inst->libc->text == TEXT_LIST)
        doubt(f, "a list of arguments that the C library read");
}

static Z3_ast compare(Formula *f, Compare c, Z3_ast a, Z3_ast b) {
    switch (c) {
    case CMP_EQ: return Z3_mk_eq(f->z3, a, b);
    case CMP_NE: return Z3_mk_not(f->z3, Z3_mk_eq(f->z3, a, b));
    case CMP_UGT: return Z3_mk_bvugt(f->z3, a, b);
    case CMP_UGE: return Z3_mk_bvuge(f->z3, a, b);
    case CMP_ULT: return Z3_mk_bvult(f->z3, a, b);
    case CMP_ULE: return Z3_mk_bvule(f->z3, a, b);
    case CMP_SGT: return Z3_mk_bvsgt(f->z3, a, b);
    case CMP_SGE: return Z3_mk_bvsge(f->z3, a, b);
    case CMP_SLT: return Z3_mk_bvslt(f->z3, a, b);
    default: return Z3_mk_bvsle(f->z3, a, b);
    }
}

static Z3_ast as_bit(Formula *f, Z3_ast condition) {
    return Z3_mk_ite(f->z3, condition, number(f, 1, 1), number(f, 0, 1));
}

static Z3_ast arithmetic(Formula *f, Op op, Z3_ast a, Z3_ast b) {
    switch (op) {
    case OP_ADD: return Z3_mk_bvadd(f->z3, a, b);
    case OP_SUB: return Z3_mk_bvsub(f->z3, a, b);
    case OP_MUL: return Z3_mk_bvmul(f->z3, a, b);
    case OP_UDIV: return Z3_mk_bvudiv(f->z3, a, b);
    case OP_SDIV: return Z3_mk_bvsdiv(f->z3, a, b);
    case OP_UREM: return Z3_mk_bvurem(f->z3, a, b);
    case OP_SREM: return Z3_mk_bvsrem(f->z3, a, b);
    case OP_SHL: return Z3_mk_bvshl(f->z3, a, b);
    case OP_LSHR: return Z3_mk_bvlshr(f->z3, a, b);
    case OP_ASHR: return Z3_mk_bvashr(f->z3, a, b);
    case OP_AND: return Z3_mk_bvand(f->z3, a, b);
    case OP_OR: return Z3_mk_bvor(f->z3, a, b);
    default: return Z3_mk_bvxor(f->z3, a, b);
    }
}

static Z3_ast address_term(Formula *f, const FormulaNode *n, const Inst *inst) {
    Z3_ast sum =
        Z3_mk_bvadd(f->z3, operand_term(f, n->step, 0, n->as_value), number(f, inst->add, 64));
    for (unsigned i = 1; i < inst->operands; i++) {
        const Operand *o = code_operand(&f->t->code, inst, i);
        Z3_ast index =
            resized(f, OP_SEXT, operand_term(f, n->step, i, true), type_bits(o->type), 64);
        sum = Z3_mk_bvadd(f->z3, sum, Z3_mk_bvmul(f->z3, index, number(f, o->bits, 64)));
    }
    return sum;
}

static bool is_plain_int(Type t) {
    return t.kind == TYPE_INT || t.kind == TYPE_POINTER || (t.kind == TYPE_WIDE && t.bits);
}

static unsigned plain_bits(Type t) {
    return t.bits;
}

/* The equation's right side, or NULL where the result is only known as a function of its operands.
 */
static Z3_ast right_side(Formula *f, const FormulaNode *n, const Inst *inst) {
    Step s = n->step;
    Type from = inst->operands ? code_operand(&f->t->code, inst, 0)->type : inst->type;
    if (code_is_integer_op((Op)inst->op)) {
        if (!is_plain_int(inst->type)) return NULL;
        return arithmetic(f, (Op)inst->op, operand_term(f, s, 0, true),
                          operand_term(f, s, 1, true));
    }
    switch ((Op)inst->op) {
    case OP_TRUNC:
    case OP_ZEXT:
    case OP_SEXT:
        if (!is_plain_int(inst->type) || !is_plain_int(from)) return NULL;
        return resized(f, (Op)inst->op, operand_term(f, s, 0, true), plain_bits(from),
                       plain_bits(inst->type));
    case OP_ICMP:
        if (!is_plain_int(from)) return NULL;
        return as_bit(f, compare(f, (Compare)inst->sub, operand_term(f, s, 0, true),
                                 operand_term(f, s, 1, true)));
    case OP_GEP: return address_term(f, n, inst);
    case OP_SELECT: {
        Z3_ast c = Z3_mk_eq(f->z3, operand_term(f, s, 0, true), number(f, 1, 1));
        return Z3_mk_ite(f->z3, c, operand_term(f, s, 1, n->as_value),
                         operand_term(f, s, 2, n->as_value));
    }
    case OP_PHI: return operand_term(f, s, f->t->def.at[s], n->as_value);
    case OP_MOVE:
        if (type_bits(from) != type_bits(inst->type)) return NULL;
        return operand_term(f, s, 0, n->as_value);
    case OP_STORE:
    case OP_RET:
    case OP_CONDBR:
    case OP_SWITCH: return operand_term(f, s, 0, true);
    default: return NULL;
    }
}

static void expand_call(Formula *f, const FormulaNode *n, const Inst *inst) {
    Step def = f->t->def.at[n->step];
    if (def_is_step(def)) { /* the callee's return */
        const Inst *ret = trace_inst(f->t, def);
        if (ret->operands &&
            type_bits(code_operand(&f->t->code, ret, 0)->type) == type_bits(inst->type)) {
            add_equation(f, FACT_STEP, n->step, n->var, var_of(f, def, n->as_value));
            return;
        }
    }
    if (inst->call == CALL_PURE || libc_is(inst->libc, LIBC_VALUE)) {
        expand_function(f, n, inst, inst->operands - 1u);
        return;
    }
    add_equation(f, FACT_INPUT, n->step, n->var, concrete(f, inst->type, f->t->value.at[n->step]));
    if (f->t->def.at[n->step] == DEF_BEFORE)
        doubt(f, "values from before the kept part of the trace");
    else if (!brings_input(inst) && inst->operands > 1)
        doubt(f, "results of code outside of the traced program");
}

static void expand(Formula *f, Step s) {
    FormulaNode n = *node_of(f, s);
    const Inst *inst = trace_inst(f->t, s);
    Type type = step_type(f->t, s);
    if (!has_term(type)) return;
    bool pointer = type.kind == TYPE_POINTER && (inst->op == OP_LOAD || inst->op == OP_CALL);
    if (pointer && !n.as_value) {
        add_equation(f, FACT_POINTER, s, n.var, concrete(f, type, f->t->value.at[s]));
        return;
    }
    if (n.expanded) return;
    node_of(f, s)->expanded = true;
    if (inst->op == OP_LOAD) {
        expand_load(f, &n, inst);
    } else if (inst->op == OP_CALL) {
        expand_call(f, &n, inst);
    } else {
        Z3_ast right = right_side(f, &n, inst);
        if (right)
            add_equation(f, FACT_STEP, s, n.var, right);
        else
            expand_function(f, &n, inst, inst->operands);
    }
}

/* ---- the goal: what should have held ---- */

static Z3_ast switch_goal(Formula *f, Step s, const Inst *inst) {
    uint64_t value = f->t->value.at[s];
    const Code *code = &f->t->code;
    Type type = code_operand(code, inst, 0)->type;
    Z3_ast var = var_of(f, s, true);
    VEC(Z3_ast) no = { 0 };
    uint32_t taken = code_operand(code, inst, 1)->index;
    for (unsigned i = 2; i < inst->operands; i++)
        if (code_operand(code, inst, i)->bits == value) taken = code_operand(code, inst, i)->index;
    bool by_default = taken == code_operand(code, inst, 1)->index;
    for (unsigned i = 2; i < inst->operands; i++) {
        const Operand *o = code_operand(code, inst, i);
        Z3_ast equal = Z3_mk_eq(f->z3, var, number(f, o->bits, type.bits));
        if (by_default ? o->index != taken : o->index == taken)
            vec_push(&no, by_default ? equal : Z3_mk_not(f->z3, equal));
    }
    Z3_ast goal = !no.len      ? Z3_mk_false(f->z3)
                  : by_default ? Z3_mk_or(f->z3, (unsigned)no.len, no.at)
                               : Z3_mk_and(f->z3, (unsigned)no.len, no.at);
    vec_release(&no);
    return goal;
}

/* What lies in memory at the time of a call: a byte of a string, or a number among variadic
 * arguments. */
static Z3_ast memory_goal(Formula *f, const Predicate *phi) {
    unsigned size = phi->size ? phi->size : 1;
    Byte b = { .reader = phi->step };
    Z3_ast value = NULL;
    for (unsigned i = 0; i < size; i++) {
        b.address = phi->address + i;
        b.seen = (uint8_t)(phi->seen >> (8 * i));
        Z3_ast byte = written_byte(f, phi->writer, &b);
        value = value ? Z3_mk_concat(f->z3, byte, value) : byte;
    }
    if (!phi->size) add_condition(&b.conditions, address_condition(f, phi->step, phi->operand));
    const char *away = stay_away(f, phi->step, phi->address, size, phi->writer, &b.conditions);
    f->goal_doubt = away ? away : b.doubt;
    uint64_t other = phi->has_wanted ? phi->wanted : phi->seen;
    Z3_ast equal = Z3_mk_eq(f->z3, value, number(f, other & bits_mask(size * 8), size * 8));
    return implied(f, &b.conditions, phi->has_wanted ? equal : Z3_mk_not(f->z3, equal));
}

static Z3_ast make_goal(Formula *f, const Predicate *phi) {
    const Inst *inst = trace_inst(f->t, phi->step);
    Type type = step_type(f->t, phi->step);
    Z3_ast var;
    uint64_t now;
    if (phi->kind == PRED_BRANCH && inst->op == OP_SWITCH) return switch_goal(f, phi->step, inst);
    if (phi->kind == PRED_BRANCH && inst->op == OP_CONDBR)
        return Z3_mk_eq(f->z3, var_of(f, phi->step, true),
                        number(f, !(f->t->value.at[phi->step] & 1), 1));
    if (phi->memory) return memory_goal(f, phi);
    if (phi->operand != OPERAND_RESULT) {
        type = code_operand(&f->t->code, inst, phi->operand)->type;
        if (!has_term(type)) return NULL;
        now = trace_operand_value(f->t, phi->step, phi->operand);
        var = operand_term(f, phi->step, phi->operand, true);
    } else {
        if (!has_term(type)) return NULL;
        now = f->t->value.at[phi->step];
        var = var_of(f, phi->step, true);
    }
    if (phi->has_wanted && !type_is_wide(type))
        return Z3_mk_eq(f->z3, var, concrete(f, type, phi->wanted));
    return Z3_mk_not(f->z3, Z3_mk_eq(f->z3, var, concrete(f, type, now)));
}

/* ---- solving ---- */

static bool stopped(const Formula *f) {
    return f->limits && f->limits->stopped && f->limits->stopped(f->limits->user);
}

static Z3_lbool check(Formula *f, const Z3_ast *assumptions, size_t n) {
    double start = clock_own_cpu();
    if (stopped(f)) return Z3_L_UNDEF;
    Z3_lbool r = Z3_solver_check_assumptions(f->z3, f->solver, (unsigned)n, assumptions);
    f->seconds += clock_own_cpu() - start;
    return r;
}

/* ---- the path ---- */

/* Whether a step is part of the slice, or reads what a step of it wrote. */
static bool in_slice(const Formula *f, Step s) {
    uint64_t key = s;
    if (s == STEP_NONE) return false;
    if (map_get(&f->by_step, map_key_u64(&key), NULL)) return true;
    if (trace_inst(f->t, s)->op != OP_LOAD) return false;
    key = f->t->def.at[s];
    return def_is_step((Step)key) && map_get(&f->by_step, map_key_u64(&key), NULL);
}

/* Whether a branch decides by a value of the slice. */
static bool bears_on(const Formula *f, Step branch) {
    Step condition = trace_source(f->t, branch, 0).step;
    if (condition == STEP_NONE) return false;
    if (in_slice(f, condition)) return true;
    const Inst *inst = trace_inst(f->t, condition);
    bool compares = inst->op == OP_ICMP || inst->op == OP_ZEXT || inst->op == OP_AND;
    for (unsigned i = 0; compares && i < inst->operands; i++)
        if (in_slice(f, trace_source(f->t, condition, i).step)) return true;
    return false;
}

/* Branches that led to steps of the slice and decide by its values hold on the whole path: with
 * them the formula may be unsatisfiable long before the slice has come to the beginning. */
static void add_path(Formula *f) {
    for (; f->pathed < f->nodes.len && f->paths < PATH_MOST; f->pathed++) {
        Step s = f->nodes.at[f->pathed].step, branch = inside_controller(f->t, s);
        uint64_t key = branch;
        if (branch == STEP_NONE || map_get(&f->by_step, map_key_u64(&key), NULL)) continue;
        Type type = step_type(f->t, branch);
        if (!has_term(type) || type_is_wide(type) || !bears_on(f, branch)) continue;
        add_equation(f, FACT_PATH, branch, var_of(f, branch, true),
                     concrete(f, type, f->t->value.at[branch]));
        f->paths++;
    }
}

/* Grows the slice until the formula is unsatisfiable, or all is in. */
static bool grow(Formula *f, Core *core) {
    size_t next = 32;
    while (f->heap.len) {
        Step s = heap_pop(f);
        if (f->facts.len < SLICE_MOST) {
            expand(f, s);
        } else {
            const FormulaNode *n = node_of(f, s);
            Type type = step_type(f->t, s);
            if (n->expanded || !has_term(type)) continue;
            core->cut = true;
            add_equation(f, FACT_CUT, s, n->var, concrete(f, type, f->t->value.at[s]));
            node_of(f, s)->expanded = true;
        }
        if (f->facts.len < next) continue;
        if (stopped(f)) return false;
        next = f->facts.len * 2;
        add_path(f);
        if (check(f, f->literals.at, f->literals.len) == Z3_L_FALSE) return true;
    }
    return check(f, f->literals.at, f->literals.len) == Z3_L_FALSE;
}

typedef VEC(uint32_t) Numbers; /* of facts */

static void keep_solver_core(Formula *f, Numbers *set) {
    Z3_ast_vector v = Z3_solver_get_unsat_core(f->z3, f->solver);
    Z3_ast_vector_inc_ref(f->z3, v);
    Map in = { 0 };
    for (unsigned i = 0; i < Z3_ast_vector_size(f->z3, v); i++) {
        uint64_t id = Z3_get_ast_id(f->z3, Z3_ast_vector_get(f->z3, v, i));
        map_put(&in, map_key_u64(&id), 1);
    }
    size_t kept = 0;
    for (size_t i = 0; i < set->len; i++) {
        uint64_t id = Z3_get_ast_id(f->z3, f->literals.at[set->at[i]]);
        if (map_get(&in, map_key_u64(&id), NULL)) set->at[kept++] = set->at[i];
    }
    set->len = kept;
    map_release(&in);
    Z3_ast_vector_dec_ref(f->z3, v);
}

/* Whether the set without members from .. to-1 is still unsatisfiable; then it becomes the set. */
static Z3_lbool try_without(Formula *f, Numbers *set, size_t from, size_t to) {
    VEC(Z3_ast) left = { 0 };
    Numbers rest = { 0 };
    for (size_t i = 0; i < set->len; i++) {
        if (i >= from && i < to) continue;
        vec_push(&left, f->literals.at[set->at[i]]);
        vec_push(&rest, set->at[i]);
    }
    Z3_lbool r = check(f, left.at, left.len);
    if (r == Z3_L_FALSE) {
        keep_solver_core(f, &rest);
        set->len = rest.len;
        if (rest.len) memcpy(set->at, rest.at, rest.len * sizeof *rest.at);
    }
    vec_release(&left);
    vec_release(&rest);
    return r;
}

/* Unchanged first, and among them the ones furthest from the failure. */
static int by_worth(const void *a, const void *b, void *formula) {
    const Formula *f = formula;
    const Fact *x = &f->facts.at[*(const uint32_t *)a], *y = &f->facts.at[*(const uint32_t *)b];
    if (x->changed != y->changed) return x->changed - y->changed;
    if ((x->kind == FACT_PATH) != (y->kind == FACT_PATH)) return x->kind == FACT_PATH ? -1 : 1;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* The facts that count: where pointers are followed, none that takes one as given. */
static bool counts(const Formula *f, size_t i) {
    return !f->grounded || f->facts.at[i].kind != FACT_POINTER;
}

static void minimise(Formula *f, Numbers *set, Core *core) {
    double limit = f->limits && f->limits->core_s > 0 ? f->limits->core_s : CORE_LIMIT_S;
    double deadline = clock_own_cpu() + limit;
    for (size_t i = 0; i < f->facts.len; i++)
        if (counts(f, i)) vec_push(set, (uint32_t)i);
    keep_solver_core(f, set);
    if (set->len) qsort_r(set->at, set->len, sizeof *set->at, by_worth, f);
    core->minimal = true;
    for (size_t chunk = set->len > 64 ? set->len / 8 : 1;; chunk = chunk / 4 ? chunk / 4 : 1) {
        for (size_t i = 0; i < set->len && clock_own_cpu() < deadline;) {
            size_t before = set->len, to = i + chunk < set->len ? i + chunk : set->len;
            Z3_lbool r = try_without(f, set, i, to);
            if (r == Z3_L_UNDEF) core->minimal = false;
            if (r != Z3_L_FALSE)
                i = to;
            else if (set->len == before)
                break;
            else if (i > set->len)
                i = set->len;
        }
        if (chunk == 1) break;
    }
    if (clock_own_cpu() >= deadline) core->minimal = false;
}

static bool takes_as_given(const Formula *f, const Numbers *set) {
    for (size_t i = 0; i < set->len; i++)
        if (f->facts.at[set->at[i]].kind == FACT_POINTER) return true;
    return false;
}

/* Follows the pointers that the core takes as given, where that can be done with few more facts:
 * the core then names what decides where they point. Else it stays as it was, and says so. */
static void ground(Formula *f, Numbers *set, Core *core) {
    if (!takes_as_given(f, set)) return;
    size_t before = f->facts.len;
    Numbers grounded = { 0 };
    VEC(Z3_ast) alive = { 0 };
    Core again = { 0 };
    f->grounded = true;
    for (size_t i = 0; i < before; i++)
        if (f->facts.at[i].kind == FACT_POINTER) var_of(f, f->facts.at[i].step, true);
    while (f->heap.len && f->facts.len < before + GROUND_MOST && !stopped(f))
        expand(f, heap_pop(f));
    for (size_t i = 0; i < f->facts.len; i++)
        if (counts(f, i)) vec_push(&alive, f->literals.at[i]);
    if (!f->heap.len && check(f, alive.at, alive.len) == Z3_L_FALSE) minimise(f, &grounded, &again);
    vec_release(&alive);
    if (again.minimal) {
        vec_release(set);
        *set = grounded;
        core->minimal = true;
        return;
    }
    f->grounded = false;
    vec_release(&grounded);
    if (!f->goal_doubt) f->goal_doubt = "where a pointer points was taken as given";
}

static int by_step(const void *a, const void *b) {
    const Fact *x = a, *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

static void set_timeout(Formula *f, Z3_solver solver, unsigned ms) {
    Z3_params p = Z3_mk_params(f->z3);
    Z3_params_inc_ref(f->z3, p);
    Z3_params_set_uint(f->z3, p, Z3_mk_string_symbol(f->z3, "timeout"), ms);
    Z3_solver_set_params(f->z3, solver, p);
    Z3_params_dec_ref(f->z3, p);
}

/* Asks a solver that knows nothing of the search. */
static bool check_again(Formula *f, const Numbers *set) {
    double start = clock_own_cpu();
    Z3_solver s = Z3_mk_solver_for_logic(f->z3, Z3_mk_string_symbol(f->z3, "QF_BV"));
    Z3_solver_inc_ref(f->z3, s);
    set_timeout(f, s, CHECK_LIMIT_MS);
    Z3_solver_assert(f->z3, s, f->goal);
    for (size_t i = 0; i < set->len; i++) Z3_solver_assert(f->z3, s, f->bodies.at[set->at[i]]);
    bool unsat = Z3_solver_check(f->z3, s) == Z3_L_FALSE;
    Z3_solver_dec_ref(f->z3, s);
    f->seconds += clock_own_cpu() - start;
    return unsat;
}

static void open_formula(Formula *f) {
    Z3_config config = Z3_mk_config();
    f->z3 = Z3_mk_context(config);
    Z3_del_config(config);
    f->solver = Z3_mk_simple_solver(f->z3);
    Z3_solver_inc_ref(f->z3, f->solver);
    set_timeout(f, f->solver, SOLVER_LIMIT_MS);
}

static void close_formula(Formula *f) {
    Z3_solver_dec_ref(f->z3, f->solver);
    Z3_del_context(f->z3);
    vec_release(&f->nodes);
    map_release(&f->by_step);
    vec_release(&f->heap);
    vec_release(&f->facts);
    vec_release(&f->literals);
    vec_release(&f->bodies);
    map_release(&f->strings);
    vec_release(&f->string_facts);
}

void formula_core(const Trace *trace, const Predicate *phi, ChangedStepFn is_changed, void *user,
                  const FormulaLimits *limits, Core *core) {
    *core = (Core){ 0 };
    Formula f = { .t = trace, .is_changed = is_changed, .user = user, .limits = limits };
    open_formula(&f);
    f.goal = make_goal(&f, phi);
    if (f.goal) {
        Z3_solver_assert(f.z3, f.solver, f.goal);
        core->unsat = grow(&f, core);
        Numbers set = { 0 };
        if (core->unsat) {
            minimise(&f, &set, core);
            ground(&f, &set, core);
            core->checked = check_again(&f, &set);
        }
        for (size_t i = 0; i < set.len; i++) vec_push(&core->facts, f.facts.at[set.at[i]]);
        core->doubt = f.goal_doubt;
        for (size_t i = 0; i < core->facts.len && !core->doubt; i++)
            core->doubt = core->facts.at[i].doubt;
        if (core->facts.len)
            qsort(core->facts.at, core->facts.len, sizeof *core->facts.at, by_step);
        vec_release(&set);
    }
    core->constraints = (unsigned)f.facts.len;
    core->seconds = f.seconds;
    close_formula(&f);
}

void core_release(Core *core) {
    vec_release(&core->facts);
}

static bool nothing_changed(void *user, Step step) {
    (void)user, (void)step;
    return false;
}

bool formula_holds(const Trace *trace, const Predicate *phi) {
    Formula f = { .t = trace, .is_changed = nothing_changed };
    open_formula(&f);
    f.goal = make_goal(&f, phi);
    while (f.heap.len && f.facts.len < SLICE_MOST) expand(&f, heap_pop(&f));
    for (size_t i = 0; i < f.literals.len; i++) Z3_solver_assert(f.z3, f.solver, f.literals.at[i]);
    for (size_t i = 0; i < f.nodes.len; i++) {
        Type type = step_type(trace, f.nodes.at[i].step);
        if (!has_term(type)) continue;
        Z3_ast seen = concrete(&f, type, trace->value.at[f.nodes.at[i].step]);
        Z3_solver_assert(f.z3, f.solver, Z3_mk_eq(f.z3, f.nodes.at[i].var, seen));
    }
    bool holds = check(&f, NULL, 0) == Z3_L_TRUE;
    if (holds && f.goal) {
        Z3_solver_assert(f.z3, f.solver, f.goal);
        holds = check(&f, NULL, 0) == Z3_L_FALSE;
    }
    close_formula(&f);
    return holds;
}

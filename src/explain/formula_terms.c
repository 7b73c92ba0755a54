/* Variables and facts of a formula: one variable for each executed instruction of the slice, one
 * tracked constraint for each thing that is known of it. */
#include "explain/formula_parts.h"
#include "trace/fold.h"

/* ---- terms ---- */

unsigned term_bits(Type t) {
    if (t.kind == TYPE_INT || t.kind == TYPE_POINTER) return t.bits;
    return t.size * 8;
}

unsigned term_var_bits(Type t) {
    return t.kind == TYPE_WIDE && t.bits ? t.bits : term_bits(t);
}

bool term_has(Type t) {
    return t.kind != TYPE_NONE && t.size <= 64;
}

Z3_ast term_number(Formula *f, uint64_t value, unsigned bits) {
    return Z3_mk_unsigned_int64(f->z3, value, Z3_mk_bv_sort(f->z3, bits));
}

Z3_ast term_concrete(Formula *f, Type type, uint64_t value) {
    if (!type_is_wide(type))
        return term_number(f, value & bits_mask(term_bits(type)), term_bits(type));
    const uint8_t *bytes = f->t->wide.at + value;
    Z3_ast term = term_number(f, bytes[0], 8);
    for (uint32_t i = 1; i < type.size; i++)
        term = Z3_mk_concat(f->z3, term_number(f, bytes[i], 8), term);
    if (type.bits && type.bits < type.size * 8)
        term = Z3_mk_extract(f->z3, type.bits - 1u, 0, term);
    return term;
}

Type term_step_type(const Trace *t, Step s) {
    const Inst *inst = trace_inst(t, s);
    if (inst->op == OP_STORE || inst->op == OP_RET || inst->op == OP_CONDBR ||
        inst->op == OP_SWITCH)
        return inst->operands ? code_operand(&t->code, inst, 0)->type : inst->type;
    return inst->type;
}

Z3_ast term_fresh(Formula *f, unsigned bits) {
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

Step formula_next(Formula *f) {
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

FormulaNode *formula_node(Formula *f, Step s) {
    uint64_t key = s;
    uint64_t *slot = map_at(&f->by_step, map_key_u64(&key));
    if (*slot == 0) {
        FormulaNode n = { .step = s };
        Type type = term_step_type(f->t, s);
        n.var = term_fresh(f, term_has(type) ? term_var_bits(type) : 1);
        vec_push(&f->nodes, n);
        *slot = f->nodes.len;
    }
    return &f->nodes.at[*slot - 1];
}

Z3_ast formula_var(Formula *f, Step s, bool as_value) {
    FormulaNode *n = formula_node(f, s);
    as_value |= f->grounded;
    if (!n->queued || (as_value && !n->as_value)) heap_push(f, s);
    n->queued = true;
    n->as_value |= as_value;
    return n->var;
}

void formula_doubt(Formula *f, const char *why) {
    Fact *last = &vec_last(&f->facts);
    if (!last->doubt) last->doubt = why;
}

void formula_add(Formula *f, FactKind kind, Step step, uint64_t address, Z3_ast body) {
    Fact fact = { kind, step, address, f->is_changed(f->user, step), NULL };
    Z3_ast literal = Z3_mk_fresh_const(f->z3, "a", Z3_mk_bool_sort(f->z3));
    vec_push(&f->facts, fact);
    vec_push(&f->literals, literal);
    vec_push(&f->bodies, body);
    Z3_solver_assert(f->z3, f->solver, Z3_mk_implies(f->z3, literal, body));
}

void formula_equate(Formula *f, FactKind kind, Step step, Z3_ast a, Z3_ast b) {
    formula_add(f, kind, step, 0, Z3_mk_eq(f->z3, a, b));
}

Z3_ast term_resized(Formula *f, Op op, Z3_ast a, unsigned from, unsigned to) {
    if (to < from) return Z3_mk_extract(f->z3, to - 1, 0, a);
    if (to == from) return a;
    return op == OP_SEXT ? Z3_mk_sign_ext(f->z3, to - from, a)
                         : Z3_mk_zero_ext(f->z3, to - from, a);
}

/* ---- operands ---- */

bool term_is_fixed_address(const Trace *t, Step s) {
    const Inst *inst = trace_inst(t, s);
    if (inst->op == OP_ALLOCA) return true;
    if (inst->op != OP_GEP || inst->operands > 1) return false;
    Source base = trace_source(t, s, 0);
    return base.constant || (base.step != STEP_NONE && term_is_fixed_address(t, base.step));
}

Z3_ast term_operand(Formula *f, Step step, unsigned i, bool as_value) {
    Source s = trace_source(f->t, step, i);
    if (s.step != STEP_NONE && term_is_fixed_address(f->t, s.step))
        return term_number(f, s.value, 64);
    if (s.step != STEP_NONE) return formula_var(f, s.step, as_value);
    if (s.constant && type_is_wide(s.type)) {
        Z3_ast term = term_number(f, f->t->code.wide.at[s.value], 8);
        for (uint32_t b = 1; b < s.type.size; b++)
            term = Z3_mk_concat(f->z3, term_number(f, f->t->code.wide.at[s.value + b], 8), term);
        if (s.type.bits && s.type.bits < s.type.size * 8)
            term = Z3_mk_extract(f->z3, s.type.bits - 1u, 0, term);
        return term;
    }
    if (s.constant) return term_concrete(f, s.type, s.value);
    /* A parameter given by code that is not instrumented, or a value from before what is kept. */
    Z3_ast var = term_fresh(f, term_bits(s.type));
    formula_equate(f, FACT_INPUT, step, var, term_concrete(f, s.type, s.value));
    const TraceSegment *segment = &f->t->segments.at[trace_segment(f->t, s.holder)];
    const Activation *a = &f->t->activations.at[segment->activation];
    if (a->kept != CODE_NONE)
        formula_doubt(f, "values from before the kept part of the trace");
    else if (a->call != STEP_NONE && !a->direct)
        formula_doubt(f, "arguments that the C library hands over");
    return var;
}

Z3_ast term_address_condition(Formula *f, Step step, unsigned operand) {
    Source s = trace_source(f->t, step, operand);
    if (s.constant || (s.step != STEP_NONE && term_is_fixed_address(f->t, s.step))) return NULL;
    return Z3_mk_eq(f->z3, term_operand(f, step, operand, false), term_number(f, s.value, 64));
}

void conditions_add(Conditions *conditions, Z3_ast condition) {
    if (condition) vec_push(conditions, condition);
}

Z3_ast conditions_imply(Formula *f, Conditions *conditions, Z3_ast body) {
    unsigned n = (unsigned)conditions->len;
    if (n)
        body = Z3_mk_implies(
            f->z3, n == 1 ? conditions->at[0] : Z3_mk_and(f->z3, n, conditions->at), body);
    vec_release(conditions);
    return body;
}

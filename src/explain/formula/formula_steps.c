/* What each instruction says about its value, and the goal: the opposite of what happened. One
 * variable for each executed instruction of the slice, one tracked constraint for each thing that
 * is known about it. */
#include "explain/formula/formula_parts.h"
#include "trace/fold.h"
#include "trace/layout.h"

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
        return place_term(f, s.value, s.step);
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
    formula_equate(f, FACT_INPUT, step, var, place_concrete(f, s.type, s.value, step));
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
    return Z3_mk_eq(f->z3, term_operand(f, step, operand, false), place_term(f, s.value, step));
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

Z3_ast conditions_same(Formula *f, Step call, Conditions *conditions, const char *why) {
    if (!conditions->len && !why) return NULL;
    Z3_ast term = term_fresh(f, 1), same = Z3_mk_eq(f->z3, term, term_number(f, 1, 1));
    formula_add(f, FACT_STEP, call, 0, conditions_imply(f, conditions, same));
    if (why) formula_doubt(f, why);
    return same;
}

/* ---- computations ---- */

/* The result is what was seen, provided the operands are what they were: for floating point and for
 * functions of the C library. */
static void expand_function(Formula *f, const FormulaNode *n, const Inst *inst, unsigned operands) {
    const Trace *t = f->t;
    Conditions conditions = { 0 };
    for (unsigned i = 0; i < operands; i++) {
        Source s = trace_source(t, n->step, i);
        if (s.constant || !term_has(s.type) ||
            code_operand(&t->code, inst, i)->kind == OPERAND_BLOCK)
            continue;
        if (s.step != STEP_NONE && term_is_fixed_address(t, s.step)) continue;
        vec_push(&conditions,
                 Z3_mk_eq(f->z3, term_operand(f, n->step, i, s.type.kind != TYPE_POINTER),
                          place_concrete(f, s.type, s.value, n->step)));
    }
    if (inst->op == OP_CALL && inst->libc)
        conditions_add(&conditions, bytes_strings_same(f, n->step));
    if (!term_has(inst->type)) {
        vec_release(&conditions);
        return;
    }
    FactKind kind = conditions.len ? FACT_STEP : FACT_INPUT;
    Z3_ast seen = place_concrete(f, inst->type, t->value.at[n->step], n->step);
    Z3_ast body = Z3_mk_eq(f->z3, n->var, seen);
    formula_add(f, kind, n->step, 0, conditions_imply(f, &conditions, body));
    if (inst->op == OP_CALL && inst->libc && inst->libc->text == TEXT_LIST)
        formula_doubt(f, "a list of arguments that the C library read");
    if (inst->op == OP_ATOMIC) formula_doubt(f, "memory that is read and written at once");
    if (t->rounded < n->step) formula_doubt(f, "floating point after its rounding was changed");
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
    return Z3_mk_ite(f->z3, condition, term_number(f, 1, 1), term_number(f, 0, 1));
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
        Z3_mk_bvadd(f->z3, term_operand(f, n->step, 0, n->as_value), term_number(f, inst->add, 64));
    for (unsigned i = 1; i < inst->operands; i++) {
        const Operand *o = code_operand(&f->t->code, inst, i);
        Z3_ast index =
            term_resized(f, OP_SEXT, term_operand(f, n->step, i, true), term_bits(o->type), 64);
        sum = Z3_mk_bvadd(f->z3, sum, Z3_mk_bvmul(f->z3, index, term_number(f, o->bits, 64)));
    }
    return sum;
}

static bool is_plain_int(Type t) {
    return t.kind == TYPE_INT || t.kind == TYPE_POINTER || (t.kind == TYPE_WIDE && t.bits);
}

static unsigned plain_bits(Type t) {
    return t.bits;
}

/* A field of a value that is a whole structure, as memory has them: the first byte lowest. */
static Z3_ast extracted(Formula *f, Step s, const Inst *inst, Type from) {
    unsigned low = inst->offset * 8, bits = term_var_bits(inst->type);
    if (!term_has(from) || low + bits > term_var_bits(from)) return NULL;
    return Z3_mk_extract(f->z3, low + bits - 1, low, term_operand(f, s, 0, true));
}

static Z3_ast inserted(Formula *f, Step s, const Inst *inst) {
    Type part = code_operand(&f->t->code, inst, 1)->type;
    unsigned low = inst->offset * 8, end = low + part.size * 8, all = term_var_bits(inst->type);
    if (!term_has(inst->type) || end > all) return NULL;
    Z3_ast whole = term_operand(f, s, 0, true), field = term_operand(f, s, 1, true);
    field = term_resized(f, OP_ZEXT, field, term_var_bits(part), part.size * 8);
    if (low) field = Z3_mk_concat(f->z3, field, Z3_mk_extract(f->z3, low - 1, 0, whole));
    if (end == all) return field;
    return Z3_mk_concat(f->z3, Z3_mk_extract(f->z3, all - 1, end, whole), field);
}

/* The equation's right side, or NULL where the result is only known as a function of its operands.
 */
static Z3_ast right_side(Formula *f, const FormulaNode *n, const Inst *inst) {
    Step s = n->step;
    Type from = inst->operands ? code_operand(&f->t->code, inst, 0)->type : inst->type;
    if (code_is_integer_op((Op)inst->op)) {
        if (!is_plain_int(inst->type)) return NULL;
        return arithmetic(f, (Op)inst->op, term_operand(f, s, 0, true),
                          term_operand(f, s, 1, true));
    }
    switch ((Op)inst->op) {
    case OP_TRUNC:
    case OP_ZEXT:
    case OP_SEXT:
        if (!is_plain_int(inst->type) || !is_plain_int(from)) return NULL;
        return term_resized(f, (Op)inst->op, term_operand(f, s, 0, true), plain_bits(from),
                            plain_bits(inst->type));
    case OP_ICMP:
        if (!is_plain_int(from)) return NULL;
        return as_bit(f, compare(f, (Compare)inst->sub, term_operand(f, s, 0, true),
                                 term_operand(f, s, 1, true)));
    case OP_GEP: return address_term(f, n, inst);
    case OP_EXTRACT: return extracted(f, s, inst, from);
    case OP_INSERT: return inserted(f, s, inst);
    case OP_SELECT: {
        Z3_ast c = Z3_mk_eq(f->z3, term_operand(f, s, 0, true), term_number(f, 1, 1));
        return Z3_mk_ite(f->z3, c, term_operand(f, s, 1, n->as_value),
                         term_operand(f, s, 2, n->as_value));
    }
    case OP_PHI: return term_operand(f, s, f->t->def.at[s], n->as_value);
    case OP_MOVE:
        if (term_bits(from) != term_bits(inst->type)) return NULL;
        return term_operand(f, s, 0, n->as_value);
    case OP_STORE:
    case OP_RET:
    case OP_CONDBR:
    case OP_SWITCH: return term_operand(f, s, 0, true);
    default: return NULL;
    }
}

/* Intrinsics that no recording needs to compute, such as a fused multiplication. */
static bool is_function_of_values(const Formula *f, const Inst *inst) {
    if (!str_starts(str_from(inst->name), "llvm.") || inst->operands < 2) return false;
    for (unsigned i = 0; i + 1 < inst->operands; i++) {
        const Operand *o = code_operand(&f->t->code, inst, i);
        if (o->type.kind == TYPE_POINTER && o->kind != OPERAND_CONST) return false;
    }
    return true;
}

static void expand_call(Formula *f, const FormulaNode *n, const Inst *inst) {
    Step def = f->t->def.at[n->step];
    if (def_is_step(def)) { /* the callee's return */
        const Inst *ret = trace_inst(f->t, def);
        if (ret->operands &&
            term_bits(code_operand(&f->t->code, ret, 0)->type) == term_bits(inst->type)) {
            formula_equate(f, FACT_STEP, n->step, n->var, formula_var(f, def, n->as_value));
            return;
        }
    }
    if (inst->call == CALL_PURE || libc_is(inst->libc, LIBC_VALUE) ||
        is_function_of_values(f, inst)) {
        expand_function(f, n, inst, inst->operands - 1u);
        return;
    }
    bool input = input_is_brought(inst);
    Conditions conditions = { 0 };
    if (input) conditions_add(&conditions, input_same(f, n->step, INPUT_RESULT));
    Z3_ast seen = place_concrete(f, inst->type, f->t->value.at[n->step], n->step);
    formula_add(f, FACT_INPUT, n->step, 0,
                conditions_imply(f, &conditions, Z3_mk_eq(f->z3, n->var, seen)));
    if (f->t->def.at[n->step] == DEF_BEFORE)
        formula_doubt(f, "values from before the kept part of the trace");
    else if (!input && inst->operands > 1)
        formula_doubt(f, "results of code outside the traced program");
}

void formula_expand(Formula *f, Step s) {
    FormulaNode n = *formula_node(f, s);
    const Inst *inst = trace_inst(f->t, s);
    Type type = term_step_type(f->t, s);
    if (!term_has(type)) return;
    bool pointer = type.kind == TYPE_POINTER && (inst->op == OP_LOAD || inst->op == OP_CALL);
    if (pointer && !n.as_value) {
        formula_equate(f, FACT_POINTER, s, n.var, place_term(f, f->t->value.at[s], s));
        return;
    }
    if (n.expanded) return;
    formula_node(f, s)->expanded = true;
    if (inst->op == OP_LOAD) {
        bytes_expand_load(f, &n, inst);
    } else if (inst->op == OP_CALL) {
        expand_call(f, &n, inst);
    } else {
        Z3_ast right = right_side(f, &n, inst);
        if (right)
            formula_equate(f, FACT_STEP, s, n.var, right);
        else
            expand_function(f, &n, inst, inst->operands);
    }
}

/* ---- the goal: what should have held ---- */

static Z3_ast switch_goal(Formula *f, Step s, const Inst *inst) {
    uint64_t value = f->t->value.at[s];
    const Code *code = &f->t->code;
    Type type = code_operand(code, inst, 0)->type;
    Z3_ast var = formula_var(f, s, true);
    VEC(Z3_ast) no = { 0 };
    uint32_t taken = code_operand(code, inst, 1)->index;
    for (unsigned i = 2; i < inst->operands; i++)
        if (code_operand(code, inst, i)->bits == value) taken = code_operand(code, inst, i)->index;
    bool by_default = taken == code_operand(code, inst, 1)->index;
    for (unsigned i = 2; i < inst->operands; i++) {
        const Operand *o = code_operand(code, inst, i);
        Z3_ast equal = Z3_mk_eq(f->z3, var, term_number(f, o->bits, type.bits));
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
        Z3_ast byte = bytes_written(f, phi->writer, &b);
        value = value ? Z3_mk_concat(f->z3, byte, value) : byte;
    }
    if (!phi->size)
        conditions_add(&b.conditions, term_address_condition(f, phi->step, phi->operand));
    const char *away = bytes_stays(f, phi->step, phi->address, size, phi->writer, &b.conditions);
    f->goal_doubt = away ? away : b.doubt;
    uint64_t other = phi->has_wanted ? phi->wanted : phi->seen;
    Z3_ast equal = Z3_mk_eq(f->z3, value, term_number(f, other & bits_mask(size * 8), size * 8));
    return conditions_imply(f, &b.conditions, phi->has_wanted ? equal : Z3_mk_not(f->z3, equal));
}

Z3_ast formula_goal(Formula *f, const Predicate *phi) {
    const Inst *inst = trace_inst(f->t, phi->step);
    Type type = term_step_type(f->t, phi->step);
    Z3_ast var;
    uint64_t now;
    if (phi->kind == PRED_BRANCH && inst->op == OP_SWITCH) return switch_goal(f, phi->step, inst);
    if (phi->kind == PRED_BRANCH && inst->op == OP_CONDBR)
        return Z3_mk_eq(f->z3, formula_var(f, phi->step, true),
                        term_number(f, !(f->t->value.at[phi->step] & 1), 1));
    if (phi->memory) return memory_goal(f, phi);
    if (phi->operand != OPERAND_RESULT) {
        type = code_operand(&f->t->code, inst, phi->operand)->type;
        if (!term_has(type)) return NULL;
        now = trace_operand_value(f->t, phi->step, phi->operand);
        var = term_operand(f, phi->step, phi->operand, true);
    } else {
        if (!term_has(type)) return NULL;
        now = f->t->value.at[phi->step];
        var = formula_var(f, phi->step, true);
    }
    if (phi->has_wanted && !type_is_wide(type))
        return Z3_mk_eq(f->z3, var, term_concrete(f, type, phi->wanted));
    /* An address that was itself the failure, printed say, is a number like any other. */
    bool number = phi->kind == PRED_VALUE && phi->link == LINK_FAILURE;
    Z3_ast seen = number ? term_concrete(f, type, now) : place_concrete(f, type, now, phi->step);
    return Z3_mk_not(f->z3, Z3_mk_eq(f->z3, var, seen));
}

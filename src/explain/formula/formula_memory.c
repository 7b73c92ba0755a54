/* What a formula says about memory.
 *
 * A byte that is read is the byte that its last writer stored, copied or brought in, provided that
 * every address on the way is what it was and that nothing written in between would have hit it
 * had its own pointer been another. What does not hold for every run of the path is marked as
 * doubtful. */
#include "explain/explain_knobs.h"
#include "explain/formula/formula_parts.h"
#include "trace/layout.h"

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

/* Whether an outside function had no pointer to an object that holds the bytes. */
static bool call_is_apart(const Formula *f, Step s, const Inst *inst, const Stretch *b) {
    for (unsigned i = 0; i + 1 < inst->operands; i++)
        if (code_operand(&f->t->code, inst, i)->type.kind == TYPE_POINTER &&
            !is_apart(trace_base(f->t, s, i), b))
            return false;
    return true;
}

/* The condition that a store or copy went elsewhere; NULL: it could not go here. Of many, that it
 * went where it did, which asks a little more, and of the solver much less. */
static Z3_ast went_elsewhere(Formula *f, Step s, const Inst *inst, const Stretch *b, bool many) {
    const Trace *t = f->t;
    unsigned pointer = inst->op == OP_STORE;
    if (is_apart(trace_base(t, s, pointer), b)) return NULL;
    Source where = trace_source(t, s, pointer);
    bool fixed =
        where.constant || (where.step != STEP_NONE && term_is_fixed_address(t, where.step));
    uint64_t width =
        pointer ? code_operand(&t->code, inst, 0)->type.size : trace_operand_value(t, s, 2);
    if (where.value < b->address + b->size && b->address < where.value + width)
        return NULL; /* it is one of those that wrote them */
    if (fixed && (pointer || trace_source(t, s, 2).constant)) return NULL;
    Z3_ast there = place_term(f, where.value, s), bytes = place_term(f, b->address, s);
    Z3_ast at = fixed ? there : term_operand(f, s, pointer, false);
    Z3_ast size = term_number(f, width, 64), seen = size;
    if (!pointer && !trace_source(t, s, 2).constant) {
        unsigned bits = term_bits(code_operand(&t->code, inst, 2)->type);
        size = term_resized(f, OP_ZEXT, term_operand(f, s, 2, true), bits, 64);
    }
    Z3_ast other[] = { Z3_mk_eq(f->z3, at, there), Z3_mk_bvule(f->z3, size, seen) };
    Z3_ast as_before = size == seen ? other[0] : Z3_mk_and(f->z3, 2, other);
    if (many) return as_before;
    Z3_ast end = Z3_mk_bvadd(f->z3, bytes, term_number(f, b->size, 64));
    Z3_ast apart[] = { Z3_mk_bvuge(f->z3, at, end),
                       Z3_mk_bvule(f->z3, Z3_mk_bvadd(f->z3, at, size), bytes), as_before };
    /* Of two objects it is enough that the other one is written to, and within what it was. */
    return Z3_mk_or(f->z3, place_same_object(f, where.value, b->address, s) ? 2 : 3, apart);
}

/* A function of the C library that copies wrote where it did, provided its arguments and the
 * strings it read are what they were. */
static void wrote_as_seen(Formula *f, Step s, const Inst *inst, Conditions *conditions) {
    for (unsigned i = 0; i + 1 < inst->operands; i++) {
        Source from = trace_source(f->t, s, i);
        if (from.type.kind == TYPE_POINTER)
            conditions_add(conditions, term_address_condition(f, s, i));
        else if (!from.constant && term_has(from.type))
            conditions_add(conditions, Z3_mk_eq(f->z3, term_operand(f, s, i, true),
                                                term_concrete(f, from.type, from.value)));
    }
    conditions_add(conditions, bytes_strings_same(f, s));
}

const char *bytes_stays(Formula *f, Step reader, uint64_t address, uint32_t size, Step since,
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
            if (input_is_known(inst)) {
                conditions_add(conditions, input_same(f, s, INPUT_RESULT));
                continue;
            }
            if (!inst->libc || !inst->libc->copy)
                return "memory that code outside the traced program may have written";
            wrote_as_seen(f, s, inst, conditions);
            continue;
        }
        Z3_ast condition = went_elsewhere(f, s, inst, &bytes, to - from > AWAY_EXACT);
        if (condition && ++found > AWAY_MOST) return many;
        conditions_add(conditions, condition);
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
        if (libc && libc->strings) why = "strings that were not recorded";
    }
    for (; r < t->reads.len && t->reads.at[r].step == call; r++) {
        const TraceRead *read = &t->reads.at[r];
        Step since = STEP_NONE;
        if (!read->whole) why = "a string that was recorded only in part";
        for (uint32_t i = 0; i < read->size; i++) {
            Step writer = t->pool.at[read->pool + i];
            Byte b = { .address = read->address + i,
                       .seen = t->seen.at[read->bytes + i],
                       .reader = call };
            if (writer == DEF_INIT && is_literal(t, b.address)) continue;
            if (!def_is_step(writer)) since = 0;
            if (since == STEP_NONE || writer < since) since = writer;
            Z3_ast same = Z3_mk_eq(f->z3, bytes_written(f, writer, &b), term_number(f, b.seen, 8));
            for (size_t c = 0; c < b.conditions.len; c++) vec_push(&all, b.conditions.at[c]);
            vec_release(&b.conditions);
            if (b.doubt) why = b.doubt;
            vec_push(&all, same);
        }
        if (since == STEP_NONE) continue;
        const char *away = bytes_stays(f, call, read->address, read->size, since, &all);
        if (away) why = away;
    }
    return conditions_same(f, call, &all, why);
}

Z3_ast bytes_strings_same(Formula *f, Step call) {
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
            conditions_add(conditions, term_address_condition(f, call, i));
    if (!counted || inst->operands < 4) return;
    Source size = trace_source(f->t, call, 2);
    if (size.constant) return;
    unsigned bits = term_bits(code_operand(&f->t->code, inst, 2)->type);
    conditions_add(conditions,
                   Z3_mk_bvugt(f->z3, term_operand(f, call, 2, true), term_number(f, index, bits)));
}

/* A byte from a copy: the source's byte, under the copying instruction's own fact. */
static Z3_ast copied_byte(Formula *f, const Copy *c, uint64_t address, uint8_t seen) {
    const Inst *inst = trace_inst(f->t, c->step);
    Z3_ast byte = term_fresh(f, 8);
    uint64_t index = address - c->to;
    Byte from = { .address = c->from + index, .seen = seen, .reader = c->step };
    Step writer = f->t->pool.at[c->pool + index];
    Z3_ast source = bytes_written(f, writer, &from);
    const char *away = bytes_stays(f, c->step, from.address, 1, writer, &from.conditions);
    if (away) from.doubt = away;
    moved_alike(f, c->step, index, &from.conditions);
    if (inst->libc) conditions_add(&from.conditions, bytes_strings_same(f, c->step));
    formula_add(f, FACT_STEP, c->step, 0,
                conditions_imply(f, &from.conditions, Z3_mk_eq(f->z3, byte, source)));
    if (from.doubt) formula_doubt(f, from.doubt);
    return byte;
}

/* The arguments of main and the environment lie above main's frame. */
static bool is_argument(const Trace *t, uint64_t address) {
    if (!t->activations.len) return false;
    const Activation *main = &t->activations.at[0];
    const Function *f = &t->code.functions.at[main->function];
    return f->params > 1 && strcmp(f->name, "main") == 0 && address >= trace_param_value(t, 0, 1) &&
           address >> 40 == 0x7f;
}

/* The zeros that strncpy writes behind the string. */
static bool is_padding(const Trace *t, Step writer, const Inst *inst, uint64_t address) {
    if (inst->op != OP_CALL || !inst->libc || inst->libc->copy != COPY_COUNTED) return false;
    return address - trace_operand_value(t, writer, 0) < trace_operand_value(t, writer, 2);
}

/* Memory that seems to come from va_start, and is not the list that it writes: of a structure among
 * the arguments, say. */
static bool is_beside_list(const Trace *t, Step call, uint64_t address) {
    enum { LIST = 24 };
    return !trace_inst(t, call)->libc && address - trace_operand_value(t, call, 0) >= LIST;
}

/* Whether a load reads tables of the C library, such as those of isalpha, or a pointer to them. */
static bool reads_table(const Trace *t, Step load) {
    for (unsigned hops = 0; hops < 6; hops++) {
        const Inst *inst = trace_inst(t, load);
        if (inst->op == OP_CALL) return libc_is(inst->libc, LIBC_TABLE);
        if (inst->op != OP_LOAD && inst->op != OP_GEP && inst->op != OP_MOVE) return false;
        if (inst->op == OP_LOAD && !inst->checked)
            load = t->def.at[load];
        else
            load = trace_operand_step(t, load, 0);
        if (!def_is_step(load)) return false;
    }
    return false;
}

/* What no instrumented code wrote: so many bits, which were seen as given. */
static Z3_ast outside_value(Formula *f, Step writer, const Byte *b, Z3_ast as_seen, unsigned bits) {
    Z3_ast value = term_fresh(f, bits);
    const Inst *inst = def_is_step(writer) ? trace_inst(f->t, writer) : NULL;
    bool known = inst && input_is_known(inst),
         input = inst && input_is_brought(inst) && !is_beside_list(f->t, writer, b->address);
    bool padding = inst && is_padding(f->t, writer, inst, b->address);
    bool table = !def_is_step(writer) && writer != DEF_INIT && reads_table(f->t, b->reader);
    FactKind kind = writer == DEF_INIT               ? FACT_INIT
                    : writer == DEF_BEFORE && !table ? FACT_CUT
                    : (known && !input) || padding   ? FACT_STEP
                                                     : FACT_INPUT;
    Conditions conditions = { 0 };
    if (input) {
        conditions_add(&conditions, input_same(f, writer, INPUT_BYTES));
        input_reaches(f, writer, b->address, &conditions);
    } else if (known) {
        conditions_add(&conditions, input_same(f, writer, INPUT_RESULT));
    } else if (padding) {
        wrote_as_seen(f, writer, inst, &conditions);
    }
    Z3_ast same = Z3_mk_eq(f->z3, value, as_seen);
    formula_add(f, kind, inst ? writer : b->reader, b->address,
                conditions_imply(f, &conditions, same));
    if (table || padding) return value;
    if (writer == DEF_BEFORE)
        formula_doubt(f, "values from before the kept part of the trace");
    else if (inst ? !input && !known : writer != DEF_INIT && !is_argument(f->t, b->address))
        formula_doubt(f, "memory that code outside the traced program wrote");
    return value;
}

static Z3_ast outside_byte(Formula *f, Step writer, const Byte *b) {
    return outside_value(f, writer, b, term_number(f, b->seen, 8), 8);
}

/* The last, or the first, of those who wrote the bytes of a load; who did so outside of the program
 * comes before all others. */
static Step def_among(const Trace *t, Step load, uint32_t size, bool last) {
    Step def = t->def.at[load];
    if (!def_is_mixed(def)) return def;
    Step found = STEP_NONE;
    for (uint32_t i = 0; i < size; i++) {
        Step d = t->pool.at[(def & ~DEF_MIXED) + i];
        if (!def_is_step(d)) return d;
        if (found == STEP_NONE || (last ? d > found : d < found)) found = d;
    }
    return found;
}

/* A pointer that others put there, as a place; NULL: it is none, or the program made it. They wrote
 * all of it, though bytes that were the same before were not noticed. */
static Z3_ast outside_pointer(Formula *f, Step load, const Byte *b) {
    uint64_t seen = f->t->value.at[load];
    if (term_step_type(f->t, load).kind != TYPE_POINTER) return NULL;
    Step writer = def_among(f->t, load, 8, true);
    if (def_is_step(writer)) {
        const Inst *inst = trace_inst(f->t, writer);
        bool far =
            inst->op == OP_CALL && inst->call == CALL_FAR && (inst->libc || input_is_brought(inst));
        if (!far || trace_copy(f->t, writer, b->address)) return NULL;
    }
    if (place_is_fixed(f, seen, load)) return NULL;
    return outside_value(f, writer, b, place_term(f, seen, load), 64);
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
    if (inst->checked) conditions_add(&b->conditions, term_address_condition(f, writer, 1));
    return extract_byte(f, formula_var(f, writer, true), term_var_bits(type), b->address - at);
}

static Z3_ast filled_byte(Formula *f, Step writer, const Byte *b) {
    Z3_ast byte = term_fresh(f, 8);
    Conditions conditions = { 0 };
    uint64_t index = b->address - trace_operand_value(f->t, writer, 0);
    moved_alike(f, writer, index, &conditions);
    Z3_ast value = term_operand(f, writer, 1, true);
    formula_add(f, FACT_STEP, writer, 0,
                conditions_imply(f, &conditions, Z3_mk_eq(f->z3, byte, value)));
    return byte;
}

Z3_ast bytes_written(Formula *f, Step writer, Byte *b) {
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
            return extract_byte(f, term_operand(f, writer, (unsigned)operand, true),
                                term_bits(type), b->address & 7);
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
    if (!whole || term_var_bits(stored) != term_var_bits(inst->type)) return NULL;
    if (inst->checked) conditions_add(&b->conditions, term_address_condition(f, def, 1));
    return formula_var(f, def, true);
}

void bytes_expand_load(Formula *f, const FormulaNode *n, const Inst *inst) {
    const Trace *t = f->t;
    Step s = n->step, def = t->def.at[s];
    Type type = inst->type;
    Byte b = { .address = inst->checked ? trace_operand_value(t, s, 0) : 0, .reader = s };
    if (inst->checked) conditions_add(&b.conditions, term_address_condition(f, s, 0));
    uint64_t address = b.address;
    Z3_ast value = whole_store(f, inst, s, &b);
    if (!value) value = outside_pointer(f, s, &b);
    if (!value) {
        for (uint32_t i = 0; i < type.size; i++) {
            b.address = address + i;
            b.seen = byte_of(t, s, type, i);
            Z3_ast byte =
                bytes_written(f, def_is_mixed(def) ? t->pool.at[(def & ~DEF_MIXED) + i] : def, &b);
            value = value ? Z3_mk_concat(f->z3, byte, value) : byte;
        }
        if (term_var_bits(type) < type.size * 8)
            value = Z3_mk_extract(f->z3, term_var_bits(type) - 1, 0, value);
    }
    const char *away = inst->checked ? bytes_stays(f, s, address, type.size,
                                                   def_among(t, s, type.size, false), &b.conditions)
                                     : NULL;
    if (away) b.doubt = away;
    formula_add(f, FACT_STEP, s, 0,
                conditions_imply(f, &b.conditions, Z3_mk_eq(f->z3, n->var, value)));
    if (b.doubt) formula_doubt(f, b.doubt);
}

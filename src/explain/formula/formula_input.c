/* What a formula says about calls whose code is not recorded: bytes that were read, results of
 * calls that ask the system, and what functions of the C library compute into memory.
 *
 * They are what they were on every run of the path, provided that the program asked for the same:
 * with the same arguments, at the same place of a stream, after the same seed. Where it wrote files
 * itself, or had other processes write them, what it reads later may be its own: that is doubted,
 * for nothing here follows data through the system. */
#include "explain/explain_knobs.h"
#include "explain/formula/formula_parts.h"

bool input_is_brought(const Inst *inst) {
    return inst->op == OP_CALL &&
           (libc_is(inst->libc, LIBC_INPUT) || str_starts(str_from(inst->name), "llvm.va_start"));
}

bool input_is_known(const Inst *inst) {
    const LibcFunction *libc = inst->op == OP_CALL ? inst->libc : NULL;
    if (!libc || libc->copy || libc_is(libc, LIBC_NEW)) return false;
    return libc_is(libc, LIBC_INPUT) ||
           (libc_is(libc, LIBC_VALUE) && (libc->into || libc_is(libc, LIBC_STORES)));
}

/* stdin and its like: variables of other people's code. */
static bool is_theirs(const Trace *t, Step load) {
    if (trace_inst(t, load)->op != OP_LOAD) return false;
    const Global *g = code_global(&t->code, trace_operand_value(t, load, 0));
    return g && !g->initial;
}

static void same_operand(Formula *f, Step call, unsigned i, Conditions *all) {
    Source s = trace_source(f->t, call, i);
    if (s.constant || !term_has(s.type)) return;
    if (s.type.kind == TYPE_POINTER) {
        if (s.step == STEP_NONE || !is_theirs(f->t, s.step))
            conditions_add(all, term_address_condition(f, call, i));
        return;
    }
    conditions_add(
        all, Z3_mk_eq(f->z3, term_operand(f, call, i, true), term_concrete(f, s.type, s.value)));
}

/* How far into what the call filled an address lies: the pointer closest below it is where it
 * began. */
static uint64_t filled_before(const Trace *t, Step call, uint64_t address) {
    const Inst *inst = trace_inst(t, call);
    uint64_t least = UINT32_MAX;
    for (unsigned i = 0; i + 1 < inst->operands; i++) {
        uint64_t away = address - trace_operand_value(t, call, i);
        if (code_operand(&t->code, inst, i)->type.kind == TYPE_POINTER && away < least)
            least = away;
    }
    return least;
}

/* One more than that many bytes, for the zero that fgets adds, but no more than it was. */
void input_reaches(Formula *f, Step call, uint64_t address, Conditions *conditions) {
    const Inst *inst = trace_inst(f->t, call);
    if (!inst->libc || !inst->libc->steers) return;
    uint64_t least = filled_before(f->t, call, address) + 2;
    for (unsigned i = 0; i + 1 < inst->operands && i < LIBC_ARGS; i++) {
        Source s = trace_source(f->t, call, i);
        if (!(inst->libc->steers >> i & 1) || s.constant || s.type.kind != TYPE_INT) continue;
        Z3_ast most = term_concrete(f, s.type, s.value < least ? s.value : least);
        conditions_add(conditions, Z3_mk_bvuge(f->z3, term_operand(f, call, i, true), most));
    }
}

/* There is an object, wherever it lies: no more was asked for than there certainly is. */
static void not_too_large(Formula *f, Step call, Conditions *all) {
    const Inst *inst = trace_inst(f->t, call);
    for (unsigned i = 0; i + 1 < inst->operands; i++) {
        Source s = trace_source(f->t, call, i);
        if (s.constant || s.type.kind != TYPE_INT) continue;
        Z3_ast most = term_concrete(f, s.type, s.value > SURELY_THERE ? s.value : SURELY_THERE);
        conditions_add(all, Z3_mk_bvule(f->z3, term_operand(f, call, i, true), most));
    }
}

/* What the call itself was given. Whether it was asked for enough is input_reaches's. */
static void asked_alike(Formula *f, Step call, InputPart part, Conditions *all) {
    const Inst *inst = trace_inst(f->t, call);
    const LibcFunction *libc = inst->libc;
    if (!libc) return;
    if (libc->strings || libc->text) conditions_add(all, bytes_strings_same(f, call));
    if (libc_is(libc, LIBC_NEW)) {
        if (part == INPUT_RESULT) not_too_large(f, call, all);
        return;
    }
    for (unsigned i = 0; i + 1 < inst->operands; i++) {
        bool steers = i < LIBC_ARGS && libc->steers >> i & 1;
        if (part == INPUT_RESULT || !steers) same_operand(f, call, i, all);
    }
}

/* What came before and could have changed what the call finds. Returns why that is not known, or
 * NULL. */
static const char *came_alike(Formula *f, Step call, Conditions *all) {
    const Trace *t = f->t;
    bool handle = libc_is(trace_inst(t, call)->libc, LIBC_HANDLE);
    if (t->info.dropped) return "input, of which an earlier part was not kept";
    if (t->filed < call) return "input, after the program itself wrote to files or pipes";
    size_t before = all->len;
    for (size_t i = 0; i < t->steers.len && t->steers.at[i] < call; i++) {
        const Inst *inst = trace_inst(t, t->steers.at[i]);
        if (libc_is(inst->libc, LIBC_HANDLE) && !handle) continue;
        if (inst->libc->steers & LIBC_STEERS_ANYHOW)
            return "input, after a call that may have changed what there is to read";
        for (unsigned k = 0; k + 1 < inst->operands && k < LIBC_ARGS; k++)
            if (inst->libc->steers >> k & 1) same_operand(f, t->steers.at[i], k, all);
        if (inst->libc->strings) conditions_add(all, bytes_strings_same(f, t->steers.at[i]));
        if (all->len - before > STEERS_MOST || i > STEERS_LOOKED)
            return "input, after much that was read by computed sizes";
    }
    return NULL;
}

/* Whether what every pointer among the values of a format points to was noted: a string. */
static bool strings_are_noted(const Trace *t, Step call, const Inst *inst) {
    for (unsigned i = inst->libc->text_arg + 1u; i + 1 < inst->operands; i++) {
        if (code_operand(&t->code, inst, i)->type.kind != TYPE_POINTER) continue;
        uint64_t at = trace_operand_value(t, call, i);
        size_t r = trace_first_read(t, call);
        while (r < t->reads.len && t->reads.at[r].step == call && t->reads.at[r].address != at) r++;
        if (r == t->reads.len || t->reads.at[r].step != call) return false;
    }
    return true;
}

static Z3_ast same_input(Formula *f, Step call, InputPart part) {
    Conditions all = { 0 };
    const Inst *inst = trace_inst(f->t, call);
    const LibcFunction *libc = inst->libc;
    const char *why = NULL;
    asked_alike(f, call, part, &all);
    /* Addresses of new objects do not depend on what is read. */
    if (libc_is(libc, LIBC_INPUT) && !libc_is(libc, LIBC_NEW)) why = came_alike(f, call, &all);
    if (libc && libc->text == TEXT_FORMAT && !strings_are_noted(f->t, call, inst))
        why = "strings of which no note was kept";
    if (libc && libc->text == TEXT_LIST) why = "a list of arguments that the C library read";
    if (f->t->rounded < call) why = "floating point after its rounding was changed";
    return conditions_same(f, call, &all, why);
}

Z3_ast input_same(Formula *f, Step call, InputPart part) {
    uint64_t key = (uint64_t)call << 1 | part;
    uint64_t *slot = map_at(&f->inputs, map_key_u64(&key));
    if (!*slot) {
        Z3_ast same = same_input(f, call, part);
        vec_push(&f->input_facts, same);
        slot = map_at(&f->inputs, map_key_u64(&key));
        *slot = f->input_facts.len;
    }
    return f->input_facts.at[*slot - 1];
}

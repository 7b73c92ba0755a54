/* A run that is longer than what is kept of it (machine.h).
 *
 * Steps, segments and calls are kept in tables that only grow. When they are full the machine
 * starts them over: what ran up to here is forgotten except for its effects. Memory and the cells
 * of active calls hold the values, with DEF_BEFORE for who computed them; the calls themselves are
 * entered into the new tables as if they had begun here, each waiting call with a step of its own,
 * so that what is called from it still has a caller. So memory is bounded by what is kept and by
 * what the program itself uses, however long its run is. Which code ran at all is always
 * remembered. */
#include "trace/machine.h"

static Step forget(Step writer) {
    return def_is_step(writer) ? DEF_BEFORE : writer;
}

/* ---- wide values ---- */

/* Which slots of a function hold offsets of wide values: a byte for each. */
static uint8_t *wide_slots(const Code *code, const Function *f) {
    uint8_t *wide = mem_alloc(f->slots + 1u);
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        const Inst *inst = &code->insts.at[i];
        if (inst->checked || (inst->op != OP_LOAD && inst->op != OP_STORE)) continue;
        const Operand *slot = code_operand(code, inst, inst->op == OP_STORE);
        Type type = inst->op == OP_STORE ? code_operand(code, inst, 0)->type : inst->type;
        if (type_is_wide(type)) wide[code->insts.at[f->first + slot->index].offset] = 1;
    }
    return wide;
}

typedef VEC(uint8_t) WideBytes;

static void move_wide(Machine *m, const WideBytes *old, Type type, uint64_t *cell) {
    if (!type_is_wide(type)) return;
    bool there = *cell + type.size <= old->len;
    *cell = there ? machine_wide(m, old->at + *cell, type.size) : 0;
}

/* The wide values that active calls hold move to a new table. */
static void keep_wide(Machine *m) {
    WideBytes old = { m->t->wide.at, m->t->wide.len, m->t->wide.cap };
    m->t->wide.at = NULL;
    m->t->wide.len = m->t->wide.cap = 0;
    for (size_t i = 0; i < m->frames.len; i++) {
        const Function *f = machine_function(m, &m->frames.at[i]);
        const Param *params = m->t->code.params.at + f->first_param;
        uint64_t *cells = m->cells.at + m->frames.at[i].cells;
        uint8_t *wide = wide_slots(&m->t->code, f);
        for (uint32_t k = 0; k < f->params; k++) move_wide(m, &old, params[k].type, &cells[k]);
        for (uint32_t k = 0; k < f->count; k++)
            move_wide(m, &old, m->t->code.insts.at[f->first + k].type, &cells[f->params + k]);
        for (uint32_t k = 0; k < f->slots; k++)
            if (wide[k])
                move_wide(m, &old, (Type){ TYPE_WIDE, 0, 16 },
                          &cells[f->params + f->count + 2 * (size_t)k]);
        mem_free(wide);
    }
    vec_release(&old);
}

/* ---- starting over ---- */

static void forget_steps(Trace *t) {
    trace_mark_executed(t);
    t->info.dropped += t->value.len;
    vec_clear(&t->value);
    vec_clear(&t->def);
    vec_clear(&t->segments);
    vec_clear(&t->activations);
    vec_clear(&t->pool);
    vec_clear(&t->copies);
    vec_clear(&t->reads);
    vec_clear(&t->seen);
    vec_clear(&t->args);
    vec_clear(&t->kept);
    vec_clear(&t->outputs);
    vec_clear(&t->origins);
    map_release(&t->varargs);
    vec_clear(&t->jumps);
    t->failing = t->exit = STEP_NONE;
}

static int by_address(const void *a, const void *b) {
    const HeapObject *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Only the last of the objects at one address is kept; qsort is not stable, so they must be told
 * apart before their calls are forgotten. */
static void forget_heap(Trace *t) {
    Map last = { 0 };
    for (size_t i = 0; i < t->heap.len; i++)
        *map_at(&last, map_key_u64(&t->heap.at[i].address)) = i;
    size_t kept = 0;
    for (size_t i = 0; i < t->heap.len; i++) {
        HeapObject o = t->heap.at[i];
        if (*map_at(&last, map_key_u64(&o.address)) != i) continue;
        t->heap.at[kept++] = (HeapObject){ o.address, o.size, DEF_BEFORE };
    }
    t->heap.len = kept;
    map_release(&last);
    if (kept) qsort(t->heap.at, kept, sizeof *t->heap.at, by_address);
}

/* An active call enters the new tables; returns the step it waits for. */
static Step enter_again(Machine *m, Frame *f, uint32_t parent, Step call) {
    Trace *t = m->t;
    const Function *fn = machine_function(m, f);
    uint64_t *cells = m->cells.at + f->cells;
    Activation a = { .function = f->function,
                     .parent = parent,
                     .call = call,
                     .direct = f->direct && call != STEP_NONE,
                     .first = CODE_NONE,
                     .last = CODE_NONE,
                     .args = (uint32_t)t->args.len,
                     .kept = (uint32_t)t->kept.len,
                     .frame = f->frame,
                     .depth = parent == CODE_NONE ? 0 : parent + 1 };
    for (uint32_t i = 0; i < fn->params; i++) vec_push(&t->args, cells[i]);
    for (uint32_t i = 0; i < fn->count; i++) vec_push(&t->kept, cells[fn->params + i]);
    for (uint32_t i = 0; i < fn->slots; i++) {
        uint64_t *writer = &cells[fn->params + fn->count + 2 * (size_t)i + 1];
        *writer = forget((Step)*writer);
    }
    f->activation = (uint32_t)t->activations.len;
    f->result_step = forget(f->result_step);
    vec_push(&t->activations, a);
    machine_segment(m, f);
    if (!f->waiting) return STEP_NONE;
    /* Its step, and its block where that begins with it, were counted when it was made. */
    const Inst *inst = &t->code.insts.at[f->pc];
    t->info.blocks -= f->pc == t->code.blocks.at[inst->block].first;
    t->info.dropped--;
    vec_push(&t->value, 0);
    vec_push(&t->def, DEF_NONE);
    return f->call = (Step)(t->value.len - 1);
}

void machine_start_over(Machine *m) {
    forget_steps(m->t);
    forget_heap(m->t);
    memory_forget(m->memory);
    for (size_t i = 0; i < OUTSIDE_KEPT; i++)
        m->outside.calls[i].step = forget(m->outside.calls[i].step);
    keep_wide(m);
    Step call = STEP_NONE;
    for (size_t i = 0; i < m->frames.len; i++)
        call = enter_again(m, &m->frames.at[i], i ? (uint32_t)i - 1 : CODE_NONE, call);
    m->settled = m->t->value.len;
}

/* Replaying a recording: a machine that runs the tables of Code, takes from the recording what it
 * cannot compute, and checks itself against the recorded blocks.
 *
 * One Frame per active call. A frame that called uninstrumented code waits: until the result comes,
 * calls back into instrumented code push further frames. Where the recording and the machine
 * disagree (undefined behaviour, a racing thread, a signal handler) the recording wins, and the
 * difference is counted. */
#include "trace/replay.h"
#include "trace/fold.h"
#include "trace/layout.h"
#include "trace/machine.h"

#include "runtime/trace_format.h"

/* ---- frames ---- */

static uint64_t *cell(Machine *m, const Frame *f, size_t i) {
    return &m->cells.at[f->cells + i];
}

const Function *machine_function(const Machine *m, const Frame *f) {
    return &m->t->code.functions.at[f->function];
}

static uint64_t *result_cell(Machine *m, const Frame *f, uint32_t inst) {
    const Function *fn = machine_function(m, f);
    return cell(m, f, fn->params + (inst - fn->first));
}

uint64_t *machine_slot(Machine *m, const Frame *f, uint32_t slot) {
    const Function *fn = machine_function(m, f);
    return cell(m, f, fn->params + fn->count + 2 * (size_t)slot);
}

void machine_segment(Machine *m, const Frame *f) {
    Activation *a = &m->t->activations.at[f->activation];
    TraceSegment s = { (Step)m->t->value.len, f->pc, f->activation, a->last };
    if (a->first == CODE_NONE) a->first = (uint32_t)m->t->segments.len;
    a->last = (uint32_t)m->t->segments.len;
    vec_push(&m->t->segments, s);
}

uint64_t machine_wide(Machine *m, const void *bytes, uint32_t size) {
    uint64_t at = m->t->wide.len;
    vec_reserve(&m->t->wide, at + size + 16);
    memcpy(m->t->wide.at + at, bytes, size);
    memset(m->t->wide.at + at + size, 0, 16 - size % 16);
    m->t->wide.len += size + 16 - size % 16;
    return at;
}

uint64_t machine_operand(Machine *m, const Frame *f, const Operand *o) {
    switch (o->kind) {
    case OPERAND_INST: return *result_cell(m, f, machine_function(m, f)->first + o->index);
    case OPERAND_PARAM: return *cell(m, f, o->index);
    default:
        if (o->kind == OPERAND_CONST && type_is_wide(o->type))
            return machine_wide(m, m->t->code.wide.at + o->bits, o->type.size);
        return o->bits;
    }
}

/* Arguments: the call's operands, or what the recording has for calls from outside. */
static void take_arguments(Machine *m, Frame *f, const Frame *caller, bool direct) {
    const Function *fn = machine_function(m, f);
    const Param *params = m->t->code.params.at + fn->first_param;
    const Inst *call = direct ? &m->t->code.insts.at[caller->pc] : NULL;
    for (uint32_t i = 0; direct && i < fn->params; i++)
        if (i + 1 < call->operands)
            *cell(m, f, i) = machine_operand(m, caller, code_operand(&m->t->code, call, i));
    for (uint32_t i = 0; i < fn->params; i++) {
        if (!params[i].byval) continue;
        uint64_t given = *cell(m, f, i), at = machine_take(m, 8);
        *cell(m, f, i) = at;
        if (direct) machine_copied(m, caller->call, at, given, params[i].byval);
    }
    for (uint32_t i = 0; !direct && i < fn->params; i++) {
        if (params[i].byval) continue;
        Type type = params[i].type;
        bool bits = !type_is_wide(type) &&
                    (type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8);
        if (bits) {
            *cell(m, f, i) = machine_take(m, 8);
            continue;
        }
        const uint8_t *bytes = machine_take_bytes(m, type.size);
        uint64_t narrow = 0;
        if (!bytes) return;
        memcpy(&narrow, bytes, type.size < 8 ? type.size : 8);
        *cell(m, f, i) = type_is_wide(type) ? machine_wide(m, bytes, type.size) : narrow;
    }
}

static void enter(Machine *m, uint8_t tag) {
    bool direct = tag == TAG_ENTER || tag == TAG_ENTER_FRAME;
    bool framed = tag == TAG_ENTER_FRAME || tag == TAG_BACK_FRAME;
    machine_take(m, 1);
    uint32_t number = (uint32_t)machine_take(m, 3);
    uint64_t frame = framed ? machine_take(m, 4) | (uint64_t)m->high << 32 : 0;
    Code *code = &m->t->code;
    if (number >= code->functions.len || !code->functions.at[number].known) {
        machine_lose(m, "entry of an unknown function", number);
        return;
    }
    const Function *fn = &code->functions.at[number];
    if (direct && machine_waiting(m) == STEP_NONE) {
        machine_lose(m, "entry without a call", number);
        return;
    }
    Activation a = { .function = number,
                     .parent = CODE_NONE,
                     .call = machine_waiting(m),
                     .direct = direct,
                     .first = CODE_NONE,
                     .last = CODE_NONE,
                     .frame = frame,
                     .kept = CODE_NONE,
                     .depth = (uint32_t)m->frames.len };
    if (m->frames.len) a.parent = vec_last(&m->frames).activation;
    Frame f = { .activation = (uint32_t)m->t->activations.len,
                .function = number,
                .pc = fn->first,
                .from = CODE_NONE,
                .cells = m->cells.len,
                .frame = frame,
                .direct = direct,
                .call = STEP_NONE };
    size_t need = fn->params + fn->count + 2 * (size_t)fn->slots;
    vec_reserve(&m->cells, m->cells.len + need);
    memset(m->cells.at + m->cells.len, 0, need * sizeof *m->cells.at);
    m->cells.len += need;
    Frame caller = m->frames.len ? vec_last(&m->frames) : (Frame){ 0 };
    take_arguments(m, &f, &caller, direct);
    a.args = (uint32_t)m->t->args.len;
    for (uint32_t i = 0; i < fn->params; i++) vec_push(&m->t->args, *cell(m, &f, i));
    vec_push(&m->t->activations, a);
    vec_push(&m->frames, f);
    machine_segment(m, &f);
}

static void set_result(Machine *m, Frame *f, Step step, uint64_t value, Step def) {
    m->t->value.at[step] = value;
    m->t->def.at[step] = def;
    *result_cell(m, f, f->pc) = value;
}

static void finish_call(Machine *m, Frame *f, uint64_t value, Step def) {
    set_result(m, f, f->call, value, def);
    f->waiting = false;
    f->returned = false;
    f->pc++;
    machine_segment(m, f);
}

static void leave(Machine *m, uint64_t value, Step step) {
    Frame done = vec_pop(&m->frames);
    m->cells.len = done.cells;
    const Activation *a = &m->t->activations.at[done.activation];
    if (!m->frames.len) {
        if (strcmp(machine_function(m, &done)->name, "main") == 0) {
            m->t->exit = step;
            m->t->info.code = (int)(value & 0xff);
        }
        return;
    }
    Frame *f = &vec_last(&m->frames);
    if (!f->waiting) { /* a signal handler: what it interrupted continues */
        machine_segment(m, f);
        return;
    }
    const Inst *call = &m->t->code.insts.at[f->pc];
    if (call->call == CALL_NEAR)
        finish_call(m, f, value, step);
    else if (a->direct)
        f->returned = true, f->result = value, f->result_step = step;
}

/* ---- steps ---- */

static Step push_step(Machine *m, uint64_t value, Step def) {
    vec_push(&m->t->value, value);
    vec_push(&m->t->def, def);
    return (Step)(m->t->value.len - 1);
}

static void set(Machine *m, Frame *f, uint64_t value, Step def) {
    *result_cell(m, f, f->pc) = value;
    push_step(m, value, def);
    f->pc++;
}

/* longjmp: frames above the one that called setjmp are gone. */
static void jump(Machine *m) {
    machine_take(m, 1);
    uint32_t low = (uint32_t)machine_take(m, 4), value = (uint32_t)machine_take(m, 4),
             inst = (uint32_t)machine_take(m, 4);
    Step from =
        m->frames.len && vec_last(&m->frames).waiting ? vec_last(&m->frames).call : STEP_NONE;
    while (m->frames.len) {
        Frame *f = &vec_last(&m->frames);
        const Function *fn = machine_function(m, f);
        if ((uint32_t)f->frame == low && inst < fn->count &&
            m->t->code.insts.at[fn->first + inst].call == CALL_JUMP) {
            if (f->waiting && f->pc == fn->first + inst) {
                finish_call(m, f, value, DEF_OUTSIDE);
            } else {
                f->waiting = f->returned = false;
                f->pc = fn->first + inst;
                machine_segment(m, f);
                if (from != STEP_NONE)
                    vec_push(&m->t->jumps, ((TraceJump){ (Step)m->t->value.len, from }));
                set(m, f, value, DEF_OUTSIDE);
            }
            return;
        }
        m->cells.len = f->cells;
        (void)vec_pop(&m->frames);
    }
    machine_lose(m, "longjmp to nowhere", low);
}

/* One writer for all bytes, or a list of them. */
static Step join_writers(Trace *t, const Step *writers, uint32_t size) {
    for (uint32_t i = 1; i < size; i++) {
        if (writers[i] == writers[0]) continue;
        uint32_t at = (uint32_t)t->pool.len;
        for (uint32_t b = 0; b < size; b++) vec_push(&t->pool, writers[b]);
        return DEF_MIXED | at;
    }
    return size ? writers[0] : DEF_NONE;
}

static void run_load(Machine *m, Frame *f, const Inst *inst) {
    const Operand *o = code_operand(&m->t->code, inst, 0);
    if (!inst->checked) {
        const uint64_t *slot = machine_slot(
            m, f, m->t->code.insts.at[machine_function(m, f)->first + o->index].offset);
        set(m, f, slot[0], (Step)slot[1]);
        return;
    }
    uint64_t address = machine_operand(m, f, o);
    uint32_t size = inst->type.size;
    uint8_t tag = machine_peek_raw(m);
    bool hit =
        (tag == TAG_LOAD && m->end - m->at > 2 && m->at[1] == inst->load) ||
        (tag == TAG_LOAD_FAR && m->end - m->at > 3 && (m->at[1] | m->at[2] << 8) == inst->load);
    if (hit) {
        machine_take(m, tag == TAG_LOAD ? 2 : 3);
        uint32_t recorded = (uint32_t)machine_take(m, 1);
        const uint8_t *bytes = machine_take_bytes(m, recorded);
        if (recorded != size)
            machine_lose(m, "a loaded value of another size", recorded);
        else if (bytes)
            memory_correct(m->memory, address, bytes, size, outside_writer(&m->outside, address));
    }
    uint8_t room[64];
    Step writers_room[64];
    uint8_t *bytes = size <= 64 ? room : mem_alloc(size);
    Step *writers = size <= 64 ? writers_room : mem_alloc(size * sizeof(Step));
    memory_load(m->memory, address, bytes, size, writers);
    uint64_t value = 0;
    if (type_is_wide(inst->type))
        value = machine_wide(m, bytes, size);
    else
        memcpy(&value, bytes, size);
    set(m, f, value, join_writers(m->t, writers, size));
    if (size > 64) mem_free(bytes), mem_free(writers);
}

static void run_store(Machine *m, Frame *f, const Inst *inst) {
    const Operand *from = code_operand(&m->t->code, inst, 0),
                  *to = code_operand(&m->t->code, inst, 1);
    uint64_t value = machine_operand(m, f, from);
    Step step = (Step)m->t->value.len;
    if (!inst->checked) {
        uint64_t *slot = machine_slot(
            m, f, m->t->code.insts.at[machine_function(m, f)->first + to->index].offset);
        slot[0] = value;
        slot[1] = step;
    } else {
        uint64_t address = machine_operand(m, f, to);
        const void *bytes =
            type_is_wide(from->type) ? (const void *)(m->t->wide.at + value) : &value;
        memory_store(m->memory, address, bytes, from->type.size, step);
    }
    push_step(m, value, DEF_NONE);
    f->pc++;
}

enum { MEMORY_MOST = 1 << 30 }; /* bytes set or copied at once: more means a damaged recording */

/* No program has as much memory: it died here (a negative length), or the recording is damaged. */
static void run_endless(Machine *m, Frame *f, uint64_t size) {
    if (machine_peek(m) != TAG_END || !m->signal)
        machine_lose(m, "more memory than a recorded program has", size);
    else
        set(m, f, 0, DEF_NONE);
    m->stop = true;
}

static void run_memory(Machine *m, Frame *f, const Inst *inst) {
    machine_take_syncs(m);
    uint64_t to = machine_operand(m, f, code_operand(&m->t->code, inst, 0));
    uint64_t from = machine_operand(m, f, code_operand(&m->t->code, inst, 1));
    uint64_t size = machine_operand(m, f, code_operand(&m->t->code, inst, 2));
    Step step = (Step)m->t->value.len;
    if (size > MEMORY_MOST) {
        run_endless(m, f, size);
        return;
    }
    if (str_starts(str_from(inst->name), "llvm.memset")) {
        memory_set(m->memory, to, (uint8_t)from, size, step);
    } else if (size > COPY_MOST) {
        memory_copy(m->memory, to, from, (uint32_t)size, STEP_NONE, NULL);
    } else {
        Copy c = { step, to, from, (uint32_t)size, (uint32_t)m->t->pool.len };
        vec_reserve(&m->t->pool, m->t->pool.len + size);
        memory_copy(m->memory, to, from, (uint32_t)size, step, m->t->pool.at + c.pool);
        m->t->pool.len += size;
        vec_push(&m->t->copies, c);
    }
    set(m, f, 0, DEF_NONE);
}

static void run_call(Machine *m, Frame *f, const Inst *inst) {
    uint8_t room[64];
    Value values[4] = { 0 };
    switch ((CallKind)inst->call) {
    case CALL_NONE: set(m, f, 0, DEF_NONE); return;
    case CALL_MEMORY: run_memory(m, f, inst); return;
    case CALL_PURE: {
        for (unsigned i = 0; i + 1 < inst->operands && i < COUNT_OF(values); i++) {
            const Operand *o = code_operand(&m->t->code, inst, i);
            values[i].bits = machine_operand(m, f, o);
            if (type_is_wide(o->type)) values[i].bytes = m->t->wide.at + values[i].bits;
        }
        memset(room, 0, sizeof room);
        uint64_t bits = fold_pure(&m->t->code, inst, values, room);
        set(m, f, type_is_wide(inst->type) ? machine_wide(m, room, inst->type.size) : bits,
            DEF_NONE);
        return;
    }
    default: break;
    }
    f->call = push_step(m, 0, DEF_NONE);
    f->waiting = true;
    f->returned = false;
    if (inst->call != CALL_NEAR) machine_call_leaves(m, f, inst);
}

/* The frame waits: for its call's result, calls of instrumented code, or a jump away. */
static void run_waiting(Machine *m) {
    uint8_t tag = machine_peek(m);
    Frame *f = &vec_last(&m->frames);
    const Inst *inst = &m->t->code.insts.at[f->pc];
    if (tag >= TAG_ENTER && tag <= TAG_BACK_FRAME) {
        enter(m, tag);
    } else if (tag == TAG_JUMP) {
        jump(m);
    } else if (tag == TAG_RESULT && inst->call != CALL_NEAR) {
        uint64_t value = machine_take_recorded(m, inst->type);
        Step def = DEF_OUTSIDE;
        if (f->returned) {
            def = f->result_step;
            if (inst->type.kind != TYPE_NONE && !type_is_wide(inst->type) &&
                ((value ^ f->result) & bits_mask(inst->type.size * 8)) != 0)
                machine_diverge(m, "a returned value", value, f->result);
        } else {
            m->t->value.at[f->call] = value;
            machine_call_over(m, f, inst);
        }
        if (strncmp(inst->name, "llvm.va_start", 13) == 0) machine_varargs(m, f, inst);
        finish_call(m, f, value, def);
    } else if (tag == TAG_END) {
        m->stop = true;
    } else {
        machine_lose(m, "a record that no call expects", tag);
    }
}

/* ---- control ---- */

static void go_to(Machine *m, Frame *f, uint32_t local) {
    const Function *fn = machine_function(m, f);
    f->from = m->t->code.insts.at[f->pc].block - fn->first_block;
    f->pc = m->t->code.blocks.at[fn->first_block + local].first;
    machine_segment(m, f);
}

/* Where the terminator goes, by its operands; value: what is stored as the step's value. */
static uint32_t target(Machine *m, Frame *f, const Inst *inst, uint64_t *value) {
    const Code *code = &m->t->code;
    const Operand *o = code_operand(code, inst, 0);
    *value = 0;
    if (inst->op == OP_BR) return o->index;
    *value = machine_operand(m, f, o);
    /* LLVM keeps the false target before the true one. */
    if (inst->op == OP_CONDBR) return code_operand(code, inst, *value & 1 ? 2 : 1)->index;
    if (inst->op == OP_INDIRECT) return CODE_NONE;
    for (unsigned i = 2; i < inst->operands; i++)
        if (code_operand(code, inst, i)->bits == *value) return code_operand(code, inst, i)->index;
    return code_operand(code, inst, 1)->index;
}

/* Peeking may add a module's code: the instruction of a branch or a return is looked up after it.
 */
static void run_branch(Machine *m, Frame *f) {
    uint8_t tag = machine_peek(m);
    const Inst *inst = &m->t->code.insts.at[f->pc];
    if (tag == TAG_BACK || tag == TAG_BACK_FRAME) { /* a signal handler ran here */
        enter(m, tag);
        return;
    }
    if (tag == TAG_JUMP) {
        jump(m);
        return;
    }
    if (tag == TAG_END || (tag > TRACE_NEAR_BLOCKS && tag != TAG_BLOCK)) {
        if (tag != TAG_END) machine_lose(m, "a record where a block should start", tag);
        m->stop = true;
        return;
    }
    machine_take(m, 1);
    uint32_t next = tag == TAG_BLOCK ? (uint32_t)machine_take(m, 4) : tag;
    uint64_t value;
    uint32_t computed = target(m, f, inst, &value);
    if (next >= machine_function(m, f)->blocks) {
        machine_lose(m, "a block that does not exist", next);
        return;
    }
    if (computed != CODE_NONE && computed != next) machine_diverge(m, "a branch", next, computed);
    push_step(m, value, DEF_NONE);
    m->settled = m->t->value.len;
    go_to(m, f, next);
}

static void run_phi(Machine *m, Frame *f, const Inst *inst) {
    for (unsigned i = 0; i + 1 < inst->operands; i += 2) {
        if (code_operand(&m->t->code, inst, i + 1)->index != f->from) continue;
        set(m, f, machine_operand(m, f, code_operand(&m->t->code, inst, i)), i);
        return;
    }
    set(m, f, 0, 0);
}

static void run_return(Machine *m, Frame *f) {
    uint8_t tag = machine_peek(m);
    const Inst *inst = &m->t->code.insts.at[f->pc];
    if (tag == TAG_BACK || tag == TAG_BACK_FRAME) { /* a signal handler ran here */
        enter(m, tag);
        return;
    }
    if (tag != TAG_LEAVE) {
        if (tag != TAG_END) machine_lose(m, "a record where a function should return", tag);
        m->stop = true;
        return;
    }
    machine_take(m, 1);
    uint64_t value = inst->operands ? machine_operand(m, f, code_operand(&m->t->code, inst, 0)) : 0;
    leave(m, value, push_step(m, value, DEF_NONE));
}

static void run_alloca(Machine *m, Frame *f, const Inst *inst) {
    if (inst->local == LOCAL_FRAME)
        set(m, f, f->frame + inst->offset, DEF_NONE);
    else if (inst->local == LOCAL_SLOT)
        set(m, f, 0, DEF_NONE);
    else {
        uint64_t at = machine_take_recorded(m, inst->type),
                 count = machine_operand(m, f, code_operand(&m->t->code, inst, 0));
        vec_push(&m->t->heap, ((HeapObject){ at, count * inst->offset, (Step)m->t->value.len }));
        set(m, f, at, DEF_OUTSIDE);
    }
}

static void run_atomic(Machine *m, Frame *f, const Inst *inst) {
    uint64_t value = machine_take_recorded(m, inst->type);
    uint64_t address = machine_operand(m, f, code_operand(&m->t->code, inst, 0));
    Type type = code_operand(&m->t->code, inst, 1)->type;
    Step step = (Step)m->t->value.len;
    uint8_t bytes[16];
    Step writers[16];
    set(m, f, value, DEF_OUTSIDE);
    machine_take_syncs(m);
    if (type.size > sizeof bytes) return;
    memory_load(m->memory, address, bytes, type.size, writers);
    memory_believe(m->memory, address, bytes, type.size, step);
}

static void run_other(Machine *m, Frame *f, const Inst *inst) {
    Value values[16] = { 0 };
    uint8_t room[256] = { 0 };
    uint8_t *wide = room;
    for (unsigned i = 0; i < inst->operands && i < COUNT_OF(values); i++) {
        const Operand *o = code_operand(&m->t->code, inst, i);
        values[i].bits = machine_operand(m, f, o);
    }
    for (unsigned i = 0; i < inst->operands && i < COUNT_OF(values); i++)
        if (type_is_wide(code_operand(&m->t->code, inst, i)->type))
            values[i].bytes = m->t->wide.at + values[i].bits;
    if (inst->type.size > sizeof room) wide = mem_alloc(inst->type.size);
    uint64_t bits = fold_inst(&m->t->code, inst, values, wide);
    set(m, f, type_is_wide(inst->type) ? machine_wide(m, wide, inst->type.size) : bits, DEF_NONE);
    if (wide != room) mem_free(wide);
}

static void run_step(Machine *m) {
    Frame *f = &vec_last(&m->frames);
    if (f->waiting) {
        run_waiting(m);
        return;
    }
    const Inst *inst = &m->t->code.insts.at[f->pc];
    switch ((Op)inst->op) {
    case OP_ALLOCA: run_alloca(m, f, inst); break;
    case OP_LOAD: run_load(m, f, inst); break;
    case OP_STORE: run_store(m, f, inst); break;
    case OP_CALL: run_call(m, f, inst); break;
    case OP_RET: run_return(m, f); break;
    case OP_BR:
    case OP_CONDBR:
    case OP_SWITCH:
    case OP_INDIRECT: run_branch(m, f); break;
    case OP_PHI: run_phi(m, f, inst); break;
    case OP_UNREACHABLE: m->stop = true; break;
    case OP_ATOMIC: run_atomic(m, f, inst); break;
    case OP_FENCE: set(m, f, 0, DEF_NONE); break;
    case OP_RECORDED: set(m, f, machine_take_recorded(m, inst->type), DEF_OUTSIDE); break;
    default: run_other(m, f, inst); break;
    }
}

/* ---- from beginning to end ---- */

static void run_record(Machine *m) {
    uint8_t tag = machine_peek(m);
    if (tag == TAG_BACK || tag == TAG_BACK_FRAME)
        enter(m, tag);
    else if (tag == TAG_END)
        m->stop = true;
    else
        machine_lose(m, "a record outside any function", tag);
}

enum { ASKED_EVERY = 1 << 20 }; /* steps between two questions whether to stop: some 10 ms */

/* Keeps what follows step `begin` of the run, but never more than `most` steps. False: given up. */
static bool run_all(Trace *trace, size_t most, uint64_t begin, const TraceStop *stop) {
    bool stopped = false;
    size_t rounds = 0;
    Machine m = { .t = trace, .memory = memory_new() };
    trace->failing = trace->exit = STEP_NONE;
    if (trace->spans.len) m.at = trace->spans.at[0].at, m.end = trace->spans.at[0].end;
    while (!m.stop && !stopped) {
        if (++rounds % ASKED_EVERY == 0) stopped = stop && stop->asked(stop->user);
        bool here = trace->info.dropped + trace->value.len >= begin;
        if (here) begin = UINT64_MAX;
        if (here || trace->value.len >= most) machine_start_over(&m);
        if (m.frames.len)
            run_step(&m);
        else
            run_record(&m);
    }
    if (m.signal && !stopped) machine_find_fault(&m);
    memory_free(m.memory);
    vec_release(&m.frames);
    vec_release(&m.cells);
    map_release(&m.sizes);
    return !stopped;
}

bool replay_run(Trace *trace, size_t most, const TraceStop *stop) {
    if (!most) most = STEPS_KEPT;
    if (!run_all(trace, most, UINT64_MAX, stop)) return false;
    if (!trace->info.dropped || trace->value.len >= most / 2) return true;
    /* The tables have just been started over: run it again, now knowing from where to keep. Calls
     * that wait there have steps of their own and need room as well. */
    uint64_t all = trace->info.dropped + trace->value.len;
    trace_clear(trace);
    return run_all(trace, most, all - most / 4 * 3, stop);
}

/* Replaying a recording: a machine that runs the tables of Code, takes from the recording what it
 * cannot compute, and checks itself against the recorded blocks.
 *
 * One Frame per active call. A frame that called code which is not instrumented waits: until its
 * result comes, calls back into instrumented code push further frames. Where the recording and the
 * machine disagree (undefined behaviour, a racing thread, a signal handler) the recording wins, and
 * the difference is counted. */
#include "trace/replay.h"
#include "trace/fold.h"
#include "trace/layout.h"
#include "trace/memory.h"
#include "trace/models.h"
#include "trace/written.h"

#include "runtime/trace_format.h"

#include <unistd.h>

typedef struct Frame {
    uint32_t activation;
    uint32_t function;
    uint32_t pc;    /* number in Code.insts */
    uint32_t from;  /* block before this one, counted in the function: for phis */
    size_t cells;   /* offset in Machine.cells: parameters, results, slots, writers of slots */
    uint64_t frame; /* address */
    Step call;      /* the call being waited for */
    bool waiting;
    bool returned; /* instrumented code came back for the call: result and its step are known */
    uint64_t result;
    Step result_step;
} Frame;

typedef struct Machine {
    Trace *t;
    Memory *memory;
    VEC(Frame) frames;
    VEC(uint64_t) cells;
    size_t span; /* being read */
    const uint8_t *at, *end;
    uint32_t high;   /* half of frame addresses */
    bool stop;       /* the recording ends, or makes no sense */
    size_t settled;  /* steps when the last record was taken: later ones may not have happened */
    Outside outside; /* recent calls that left the instrumented code */
    uint8_t signal;  /* fatal */
    size_t most;     /* steps that are kept */
} Machine;

/* ---- reading ---- */

static void diverge(Machine *m, const char *what, uint64_t a, uint64_t b) {
    TraceInfo *info = &m->t->info;
    if (info->diverged++ == 0) {
        Place place = { 0 };
        if (m->t->value.len) place = trace_place(m->t, (Step)(m->t->value.len - 1));
        info->divergence =
            str_from(arena_fmt(&m->t->arena, "%s (%llu, %llu) at " STR_FMT ":%u in " STR_FMT, what,
                               (unsigned long long)a, (unsigned long long)b, STR_ARG(place.file),
                               place.line, STR_ARG(place.function)));
    }
}

static void lose(Machine *m, const char *what, uint64_t tag) {
    diverge(m, what, tag, (uint64_t)(m->at - m->t->spans.at[0].at));
    m->stop = true;
}

static uint8_t peek_raw(Machine *m) {
    while (m->at == m->end && m->span + 1 < m->t->spans.len) {
        m->span++;
        m->at = m->t->spans.at[m->span].at;
        m->end = m->t->spans.at[m->span].end;
    }
    return m->at < m->end ? *m->at : TAG_END;
}

static uint64_t take(Machine *m, unsigned size) {
    uint64_t v = 0;
    if ((size_t)(m->end - m->at) < size) {
        m->at = m->end;
        m->stop = true;
        return 0;
    }
    memcpy(&v, m->at, size);
    m->at += size;
    m->settled = m->t->value.len;
    return v;
}

static const uint8_t *take_bytes(Machine *m, size_t size) {
    static const uint8_t none[256];
    if ((size_t)(m->end - m->at) < size) {
        m->at = m->end;
        m->stop = true;
        return size <= sizeof none ? none : NULL;
    }
    const uint8_t *at = m->at;
    m->at += size;
    m->settled = m->t->value.len;
    return at;
}

static Step waiting_call(const Machine *m) {
    return m->frames.len && vec_last(&m->frames).waiting ? vec_last(&m->frames).call : STEP_NONE;
}

static void read_module(Machine *m) {
    take(m, 1);
    uint32_t base = (uint32_t)take(m, 4), functions = (uint32_t)take(m, 4),
             count = (uint32_t)take(m, 4);
    size_t length = (size_t)take(m, 2);
    const uint8_t *path = take_bytes(m, length), *list = take_bytes(m, (size_t)count * 8);
    if (m->stop || !path || !list) return;
    uint64_t *addresses = mem_alloc((size_t)count * 8 + 8);
    memcpy(addresses, list, (size_t)count * 8);
    Error err = { 0 };
    size_t known = m->t->code.globals.len;
    char *name = arena_cstr(&m->t->arena, (Str){ (const char *)path, length });
    if (!code_add_module(&m->t->code, name, base, functions, addresses, count, &err)) {
        m->t->info.divergence = str_from(arena_strdup(&m->t->arena, err.text));
        m->t->info.diverged++;
        m->stop = true;
    }
    for (size_t i = known; i < m->t->code.globals.len; i++) {
        const Global *g = &m->t->code.globals.at[i];
        for (uint32_t b = 0; g->initial && b < g->size; b++)
            if (g->has_initial[b])
                memory_believe(m->memory, g->address + b, g->initial + b, 1, DEF_INIT);
    }
    mem_free(addresses);
}

static uint64_t operand(Machine *m, const Frame *f, const Operand *o);

/* Where the bytes came from: asked now, while memory is what the call saw. */
static void find_origins(Machine *m, TraceOutput *o, const uint8_t *bytes) {
    o->origin = ORIGIN_NONE;
    if (!o->size || o->step == STEP_NONE || m->t->origins.len > ORIGINS_MOST) return;
    const Frame *f = &vec_last(&m->frames);
    const Inst *inst = &m->t->code.insts.at[f->pc];
    uint64_t args[32];
    uint8_t kinds[32];
    OutCall call = { inst->name, args, kinds, 0 };
    for (; call.count + 1 < inst->operands && call.count < COUNT_OF(args); call.count++) {
        const Operand *arg = code_operand(&m->t->code, inst, call.count);
        kinds[call.count] = arg->type.kind;
        args[call.count] = type_is_wide(arg->type) ? 0 : operand(m, f, arg);
    }
    o->origin = m->t->origins.len;
    vec_reserve(&m->t->origins, m->t->origins.len + o->size);
    output_origins(m->memory, &call, bytes, o->size, m->t->origins.at + o->origin);
    m->t->origins.len += o->size;
}

static void read_output(Machine *m) {
    take(m, 1);
    TraceOutput o = { .step = waiting_call(m),
                      .fd = (uint32_t)take(m, 1),
                      .size = (uint32_t)take(m, 4) };
    const uint8_t *bytes = take_bytes(m, o.size);
    if (!bytes || m->stop) return;
    if (o.fd != 1 && o.fd != 2) o.fd = WRITTEN_FILES;
    o.offset = m->t->written[o.fd].len;
    buf_add(&m->t->written[o.fd], bytes, o.size);
    find_origins(m, &o, bytes);
    vec_push(&m->t->outputs, o);
}

static void read_sync(Machine *m) {
    take(m, 1);
    uint64_t address = take(m, 8);
    uint32_t size = (uint32_t)take(m, 4);
    const uint8_t *bytes = take_bytes(m, size);
    if (bytes && !m->stop)
        memory_correct(m->memory, address, bytes, size, outside_writer(&m->outside, address));
}

/* What differed in memory that is about to be copied, or changed by an atomic operation. Nothing
 * else may be taken here: it could belong to a later call. */
static void read_syncs(Machine *m) {
    while (!m->stop && peek_raw(m) == TAG_SYNC) read_sync(m);
}

/* The next record that concerns control; the others are dealt with here. */
static uint8_t peek(Machine *m) {
    for (;;) {
        uint8_t tag = peek_raw(m);
        switch (tag) {
        case TAG_HIGH:
            take(m, 1);
            m->high = (uint32_t)take(m, 4);
            break;
        case TAG_MODULE: read_module(m); break;
        case TAG_OUTPUT: read_output(m); break;
        case TAG_SYNC: read_sync(m); break;
        case TAG_EXIT:
            m->at++; /* leaves settled alone */
            m->t->info.end = TRACE_END_EXIT;
            break;
        case TAG_SIGNAL:
            if (m->end - m->at < 10) {
                m->stop = true;
                break;
            }
            m->signal = m->at[1];
            memcpy(&m->t->fault, m->at + 2, 8);
            m->at += 10; /* leaves settled alone */
            break;
        case TAG_LIMIT:
            m->t->info.end = TRACE_END_LIMIT;
            m->at = m->end;
            m->span = m->t->spans.len;
            break;
        default: return m->stop ? TAG_END : tag;
        }
        if (m->stop) return TAG_END;
    }
}

/* ---- frames ---- */

static uint64_t *cell(Machine *m, const Frame *f, size_t i) {
    return &m->cells.at[f->cells + i];
}

static const Function *function_of(const Machine *m, const Frame *f) {
    return &m->t->code.functions.at[f->function];
}

static uint64_t *result_cell(Machine *m, const Frame *f, uint32_t inst) {
    const Function *fn = function_of(m, f);
    return cell(m, f, fn->params + (inst - fn->first));
}

static uint64_t *slot_cell(Machine *m, const Frame *f, uint32_t slot) {
    const Function *fn = function_of(m, f);
    return cell(m, f, fn->params + fn->count + 2 * (size_t)slot);
}

static void open_segment(Machine *m, const Frame *f) {
    Activation *a = &m->t->activations.at[f->activation];
    TraceSegment s = { (Step)m->t->value.len, f->pc, f->activation, a->last };
    if (a->first == CODE_NONE) a->first = (uint32_t)m->t->segments.len;
    a->last = (uint32_t)m->t->segments.len;
    vec_push(&m->t->segments, s);
}

static uint64_t put_wide(Machine *m, const void *bytes, uint32_t size) {
    uint64_t at = m->t->wide.len;
    vec_reserve(&m->t->wide, at + size + 16);
    memcpy(m->t->wide.at + at, bytes, size);
    memset(m->t->wide.at + at + size, 0, 16 - size % 16);
    m->t->wide.len += size + 16 - size % 16;
    return at;
}

static uint64_t operand(Machine *m, const Frame *f, const Operand *o) {
    switch (o->kind) {
    case OPERAND_INST: return *result_cell(m, f, function_of(m, f)->first + o->index);
    case OPERAND_PARAM: return *cell(m, f, o->index);
    default:
        if (o->kind == OPERAND_CONST && type_is_wide(o->type))
            return put_wide(m, m->t->code.wide.at + o->bits, o->type.size);
        return o->bits;
    }
}

static void copy_believed(Machine *m, Step by, uint64_t to, uint64_t from, uint32_t size) {
    Copy c = { by, to, from, size, (uint32_t)m->t->pool.len };
    if (size > COPY_MOST) {
        memory_believe_copy(m->memory, to, from, size, STEP_NONE, NULL);
        return;
    }
    vec_reserve(&m->t->pool, m->t->pool.len + size);
    memory_believe_copy(m->memory, to, from, size, by, m->t->pool.at + c.pool);
    m->t->pool.len += size;
    vec_push(&m->t->copies, c);
}

/* Arguments: the call's operands, or what the recording has for calls from outside. */
static void take_arguments(Machine *m, Frame *f, const Frame *caller, bool direct) {
    const Function *fn = function_of(m, f);
    const Param *params = m->t->code.params.at + fn->first_param;
    const Inst *call = direct ? &m->t->code.insts.at[caller->pc] : NULL;
    for (uint32_t i = 0; direct && i < fn->params; i++)
        if (i + 1 < call->operands)
            *cell(m, f, i) = operand(m, caller, code_operand(&m->t->code, call, i));
    for (uint32_t i = 0; i < fn->params; i++) {
        if (!params[i].byval) continue;
        uint64_t given = *cell(m, f, i), at = take(m, 8);
        *cell(m, f, i) = at;
        if (direct) copy_believed(m, caller->call, at, given, params[i].byval);
    }
    for (uint32_t i = 0; !direct && i < fn->params; i++) {
        if (params[i].byval) continue;
        Type type = params[i].type;
        bool bits = !type_is_wide(type) &&
                    (type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8);
        if (bits) {
            *cell(m, f, i) = take(m, 8);
            continue;
        }
        const uint8_t *bytes = take_bytes(m, type.size);
        uint64_t narrow = 0;
        if (!bytes) return;
        memcpy(&narrow, bytes, type.size < 8 ? type.size : 8);
        *cell(m, f, i) = type_is_wide(type) ? put_wide(m, bytes, type.size) : narrow;
    }
}

static void enter(Machine *m, uint8_t tag) {
    bool direct = tag == TAG_ENTER || tag == TAG_ENTER_FRAME;
    bool framed = tag == TAG_ENTER_FRAME || tag == TAG_BACK_FRAME;
    take(m, 1);
    uint32_t number = (uint32_t)take(m, 3);
    uint64_t frame = framed ? take(m, 4) | (uint64_t)m->high << 32 : 0;
    Code *code = &m->t->code;
    if (number >= code->functions.len || !code->functions.at[number].known) {
        lose(m, "entry of an unknown function", number);
        return;
    }
    const Function *fn = &code->functions.at[number];
    if (direct && waiting_call(m) == STEP_NONE) {
        lose(m, "entry without a call", number);
        return;
    }
    Activation a = { .function = number,
                     .parent = CODE_NONE,
                     .call = waiting_call(m),
                     .direct = direct,
                     .first = CODE_NONE,
                     .last = CODE_NONE,
                     .frame = frame,
                     .depth = (uint32_t)m->frames.len };
    if (m->frames.len) a.parent = vec_last(&m->frames).activation;
    Frame f = { .activation = (uint32_t)m->t->activations.len,
                .function = number,
                .pc = fn->first,
                .from = CODE_NONE,
                .cells = m->cells.len,
                .frame = frame,
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
    open_segment(m, &f);
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
    open_segment(m, f);
}

static void leave(Machine *m, uint64_t value, Step step) {
    Frame done = vec_pop(&m->frames);
    m->cells.len = done.cells;
    const Activation *a = &m->t->activations.at[done.activation];
    if (!m->frames.len) {
        if (strcmp(function_of(m, &done)->name, "main") == 0) {
            m->t->exit = step;
            m->t->info.code = (int)(value & 0xff);
        }
        return;
    }
    Frame *f = &vec_last(&m->frames);
    if (!f->waiting) { /* a signal handler: what it interrupted goes on */
        open_segment(m, f);
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
    if (m->t->value.len >= m->most) {
        m->t->info.end = TRACE_END_LIMIT;
        m->stop = true;
    }
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
    take(m, 1);
    uint32_t low = (uint32_t)take(m, 4), value = (uint32_t)take(m, 4), inst = (uint32_t)take(m, 4);
    while (m->frames.len) {
        Frame *f = &vec_last(&m->frames);
        const Function *fn = function_of(m, f);
        if ((uint32_t)f->frame == low && inst < fn->count &&
            m->t->code.insts.at[fn->first + inst].call == CALL_JUMP) {
            if (f->waiting && f->pc == fn->first + inst) {
                finish_call(m, f, value, DEF_OUTSIDE);
            } else {
                f->waiting = f->returned = false;
                f->pc = fn->first + inst;
                open_segment(m, f);
                set(m, f, value, DEF_OUTSIDE);
            }
            return;
        }
        m->cells.len = f->cells;
        (void)vec_pop(&m->frames);
    }
    lose(m, "longjmp to nowhere", low);
}

/* Recorded bytes as a value of the type. */
static uint64_t take_recorded(Machine *m, Type type) {
    uint8_t tag = peek_raw(m);
    if (tag != TAG_RESULT) {
        if (tag != TAG_END) lose(m, "a result is missing", tag);
        m->stop = true;
        return type_is_wide(type)
                   ? put_wide(m, (uint8_t[256]){ 0 }, type.size < 256 ? type.size : 256)
                   : 0;
    }
    take(m, 1);
    uint32_t size = (uint32_t)take(m, 1);
    const uint8_t *bytes = take_bytes(m, size);
    uint64_t narrow = 0;
    if (!bytes) return 0;
    memcpy(&narrow, bytes, size < 8 ? size : 8);
    return type_is_wide(type) ? put_wide(m, bytes, size) : narrow;
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
        const uint64_t *slot =
            slot_cell(m, f, m->t->code.insts.at[function_of(m, f)->first + o->index].offset);
        set(m, f, slot[0], (Step)slot[1]);
        return;
    }
    uint64_t address = operand(m, f, o);
    uint32_t size = inst->type.size;
    uint8_t tag = peek_raw(m);
    bool hit =
        (tag == TAG_LOAD && m->end - m->at > 2 && m->at[1] == inst->load) ||
        (tag == TAG_LOAD_FAR && m->end - m->at > 3 && (m->at[1] | m->at[2] << 8) == inst->load);
    if (hit) {
        take(m, tag == TAG_LOAD ? 2 : 3);
        uint32_t recorded = (uint32_t)take(m, 1);
        const uint8_t *bytes = take_bytes(m, recorded);
        if (recorded != size)
            lose(m, "a loaded value of another size", recorded);
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
        value = put_wide(m, bytes, size);
    else
        memcpy(&value, bytes, size);
    set(m, f, value, join_writers(m->t, writers, size));
    if (size > 64) mem_free(bytes), mem_free(writers);
}

static void run_store(Machine *m, Frame *f, const Inst *inst) {
    const Operand *from = code_operand(&m->t->code, inst, 0),
                  *to = code_operand(&m->t->code, inst, 1);
    uint64_t value = operand(m, f, from);
    Step step = (Step)m->t->value.len;
    if (!inst->checked) {
        uint64_t *slot =
            slot_cell(m, f, m->t->code.insts.at[function_of(m, f)->first + to->index].offset);
        slot[0] = value;
        slot[1] = step;
    } else {
        uint64_t address = operand(m, f, to);
        const void *bytes =
            type_is_wide(from->type) ? (const void *)(m->t->wide.at + value) : &value;
        memory_store(m->memory, address, bytes, from->type.size, step);
    }
    push_step(m, value, DEF_NONE);
    f->pc++;
}

enum { MEMORY_MOST = 1 << 30 }; /* bytes set or copied at once: damage, if more */

static void run_memory(Machine *m, Frame *f, const Inst *inst) {
    read_syncs(m);
    uint64_t to = operand(m, f, code_operand(&m->t->code, inst, 0));
    uint64_t from = operand(m, f, code_operand(&m->t->code, inst, 1));
    uint64_t size = operand(m, f, code_operand(&m->t->code, inst, 2));
    Step step = (Step)m->t->value.len;
    if (size > MEMORY_MOST) {
        lose(m, "more memory than a recorded program has", size);
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

static void note_reads(Machine *m, const Frame *f, const Inst *inst, const uint64_t *args) {
    Trace *t = m->t;
    uint32_t most = 0;
    unsigned strings = models_strings(m->memory, inst->name, args, &most);
    bool all = strncmp(inst->name, "mem", 3) == 0;
    for (unsigned i = 0; i < MODELS_ARGS; i++) {
        char text[READ_MOST];
        if (!(strings >> i & 1) || args[i] < 4096 || t->seen.len > READS_MOST) continue;
        uint32_t n = all ? most : memory_string(m->memory, args[i], text, most);
        Read r = { f->call, args[i], n, (uint32_t)t->pool.len, (uint32_t)t->seen.len };
        for (uint32_t b = 0; b < n; b++) {
            memory_string(m->memory, args[i] + b, text, 1);
            vec_push(&t->seen, (uint8_t)text[0]);
            vec_push(&t->pool, memory_writer(m->memory, args[i] + b));
        }
        vec_push(&t->reads, r);
    }
}

/* va_start: the arguments of the call, in the places where the ABI of x86-64 puts them, are its
 * work. */
static void place_varargs(Machine *m, const Frame *f, const Inst *start) {
    const Activation *a = &m->t->activations.at[f->activation];
    uint64_t list = operand(m, f, code_operand(&m->t->code, start, 0)), overflow, saved;
    uint8_t tag[24];
    Step writers[24];
    read_syncs(m);
    if (!a->direct || m->frames.len < 2) return;
    memory_load(m->memory, list, tag, sizeof tag, writers);
    memcpy(&overflow, tag + 8, 8);
    memcpy(&saved, tag + 16, 8);
    const Frame *caller = &m->frames.at[m->frames.len - 2];
    const Inst *call = &m->t->code.insts.at[caller->pc];
    unsigned fixed = function_of(m, f)->params, general = 0, real = 0;
    for (unsigned i = 0; i + 1 < call->operands; i++) {
        const Operand *o = code_operand(&m->t->code, call, i);
        bool is_real = o->type.kind == TYPE_DOUBLE || o->type.kind == TYPE_FLOAT;
        if (type_is_wide(o->type)) {
            if (i >= fixed) overflow += (o->type.size + 15) / 16 * 16;
            continue;
        }
        uint64_t at;
        if (is_real && real < 8)
            at = saved + 48 + 16 * real++;
        else if (!is_real && general < 6)
            at = saved + 8 * general++;
        else if (i < fixed)
            continue;
        else
            at = overflow, overflow += 8;
        if (i < fixed) continue;
        uint64_t value = operand(m, caller, o);
        VarargKey key = { a->call, at };
        memory_believe(m->memory, at, &value, o->type.size, a->call);
        map_put(&m->t->varargs, (Str){ (const char *)&key, sizeof key }, i);
    }
}

/* What the C library's functions are known to copy, once the call is over. */
static void apply_models(Machine *m, Frame *f, const Inst *inst) {
    uint64_t args[MODELS_ARGS] = { 0 };
    unsigned n = inst->operands - 1u;
    for (unsigned i = 0; i < n && i < COUNT_OF(args); i++) {
        const Operand *o = code_operand(&m->t->code, inst, i);
        if (!type_is_wide(o->type)) args[i] = operand(m, f, o);
    }
    outside_note(&m->outside, f->call, args, n < COUNT_OF(args) ? n : COUNT_OF(args));
    note_reads(m, f, inst, args);
    Moved moved;
    if (models_moved(m->memory, inst->name, args, m->t->value.at[f->call], &moved))
        copy_believed(m, f->call, moved.to, moved.from, moved.size);
}

static void note_ending_call(Machine *m, Frame *f, const Inst *inst) {
    static const char *const exits[] = { "exit", "_exit", "_Exit", "quick_exit" };
    static const char *const aborts[] = { "abort", "__assert_fail", "__assert_perror_fail",
                                          "__assert" };
    for (size_t i = 0; i < COUNT_OF(exits); i++)
        if (strcmp(inst->name, exits[i]) == 0) {
            m->t->exit = f->call;
            m->t->info.end = TRACE_END_EXIT;
            m->t->info.code = (int)(operand(m, f, code_operand(&m->t->code, inst, 0)) & 0xff);
        }
    for (size_t i = 0; i < COUNT_OF(aborts); i++)
        if (strcmp(inst->name, aborts[i]) == 0) {
            m->t->failing = f->call;
            m->t->info.end = TRACE_END_ABORT;
        }
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
            values[i].bits = operand(m, f, o);
            if (type_is_wide(o->type)) values[i].bytes = m->t->wide.at + values[i].bits;
        }
        memset(room, 0, sizeof room);
        uint64_t bits = fold_pure(&m->t->code, inst, values, room);
        set(m, f, type_is_wide(inst->type) ? put_wide(m, room, inst->type.size) : bits, DEF_NONE);
        return;
    }
    default: break;
    }
    f->call = push_step(m, 0, DEF_NONE);
    f->waiting = true;
    f->returned = false;
    if (inst->call != CALL_NEAR) note_ending_call(m, f, inst);
}

/* The frame waits: its call's result, calls of instrumented code, or a jump away. */
static void run_waiting(Machine *m) {
    uint8_t tag = peek(m);
    Frame *f = &vec_last(&m->frames);
    const Inst *inst = &m->t->code.insts.at[f->pc];
    if (tag >= TAG_ENTER && tag <= TAG_BACK_FRAME) {
        enter(m, tag);
    } else if (tag == TAG_JUMP) {
        jump(m);
    } else if (tag == TAG_RESULT && inst->call != CALL_NEAR) {
        uint64_t value = take_recorded(m, inst->type);
        Step def = DEF_OUTSIDE;
        if (f->returned) {
            def = f->result_step;
            if (inst->type.kind != TYPE_NONE && !type_is_wide(inst->type) &&
                ((value ^ f->result) & bits_mask(inst->type.size * 8)) != 0)
                diverge(m, "a returned value", value, f->result);
        } else {
            m->t->value.at[f->call] = value;
            apply_models(m, f, inst);
        }
        if (strncmp(inst->name, "llvm.va_start", 13) == 0) place_varargs(m, f, inst);
        finish_call(m, f, value, def);
    } else if (tag == TAG_END) {
        m->stop = true;
    } else {
        lose(m, "a record that no call expects", tag);
    }
}

/* ---- control ---- */

static void go_to(Machine *m, Frame *f, uint32_t local) {
    const Function *fn = function_of(m, f);
    f->from = m->t->code.insts.at[f->pc].block - fn->first_block;
    f->pc = m->t->code.blocks.at[fn->first_block + local].first;
    open_segment(m, f);
}

/* Where the terminator goes by its operands; value: what is kept as the step's value. */
static uint32_t target(Machine *m, Frame *f, const Inst *inst, uint64_t *value) {
    const Code *code = &m->t->code;
    const Operand *o = code_operand(code, inst, 0);
    *value = 0;
    if (inst->op == OP_BR) return o->index;
    *value = operand(m, f, o);
    /* LLVM keeps the false target before the true one. */
    if (inst->op == OP_CONDBR) return code_operand(code, inst, *value & 1 ? 2 : 1)->index;
    if (inst->op == OP_INDIRECT) return CODE_NONE;
    for (unsigned i = 2; i < inst->operands; i++)
        if (code_operand(code, inst, i)->bits == *value) return code_operand(code, inst, i)->index;
    return code_operand(code, inst, 1)->index;
}

static void run_branch(Machine *m, Frame *f, const Inst *inst) {
    uint8_t tag = peek(m);
    if (tag == TAG_BACK || tag == TAG_BACK_FRAME) { /* a signal handler ran here */
        enter(m, tag);
        return;
    }
    if (tag == TAG_JUMP) {
        jump(m);
        return;
    }
    if (tag == TAG_END || (tag > TRACE_NEAR_BLOCKS && tag != TAG_BLOCK)) {
        if (tag != TAG_END) lose(m, "a record where a block should start", tag);
        m->stop = true;
        return;
    }
    take(m, 1);
    uint32_t next = tag == TAG_BLOCK ? (uint32_t)take(m, 4) : tag;
    uint64_t value;
    uint32_t computed = target(m, f, inst, &value);
    if (next >= function_of(m, f)->blocks) {
        lose(m, "a block that does not exist", next);
        return;
    }
    if (computed != CODE_NONE && computed != next) diverge(m, "a branch", next, computed);
    push_step(m, value, DEF_NONE);
    m->settled = m->t->value.len;
    go_to(m, f, next);
}

static void run_phi(Machine *m, Frame *f, const Inst *inst) {
    for (unsigned i = 0; i + 1 < inst->operands; i += 2) {
        if (code_operand(&m->t->code, inst, i + 1)->index != f->from) continue;
        set(m, f, operand(m, f, code_operand(&m->t->code, inst, i)), i);
        return;
    }
    set(m, f, 0, 0);
}

static void run_return(Machine *m, Frame *f, const Inst *inst) {
    uint8_t tag = peek(m);
    if (tag == TAG_BACK || tag == TAG_BACK_FRAME) { /* a signal handler ran here */
        enter(m, tag);
        return;
    }
    if (tag != TAG_LEAVE) {
        if (tag != TAG_END) lose(m, "a record where a function should return", tag);
        m->stop = true;
        return;
    }
    take(m, 1);
    uint64_t value = inst->operands ? operand(m, f, code_operand(&m->t->code, inst, 0)) : 0;
    leave(m, value, push_step(m, value, DEF_NONE));
}

static void run_alloca(Machine *m, Frame *f, const Inst *inst) {
    if (inst->local == LOCAL_FRAME)
        set(m, f, f->frame + inst->offset, DEF_NONE);
    else if (inst->local == LOCAL_SLOT)
        set(m, f, 0, DEF_NONE);
    else
        set(m, f, take_recorded(m, inst->type), DEF_OUTSIDE);
}

static void run_atomic(Machine *m, Frame *f, const Inst *inst) {
    uint64_t value = take_recorded(m, inst->type);
    uint64_t address = operand(m, f, code_operand(&m->t->code, inst, 0));
    Type type = code_operand(&m->t->code, inst, 1)->type;
    Step step = (Step)m->t->value.len;
    uint8_t bytes[16];
    Step writers[16];
    set(m, f, value, DEF_OUTSIDE);
    read_syncs(m);
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
        values[i].bits = operand(m, f, o);
    }
    for (unsigned i = 0; i < inst->operands && i < COUNT_OF(values); i++)
        if (type_is_wide(code_operand(&m->t->code, inst, i)->type))
            values[i].bytes = m->t->wide.at + values[i].bits;
    if (inst->type.size > sizeof room) wide = mem_alloc(inst->type.size);
    uint64_t bits = fold_inst(&m->t->code, inst, values, wide);
    set(m, f, type_is_wide(inst->type) ? put_wide(m, wide, inst->type.size) : bits, DEF_NONE);
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
    case OP_RET: run_return(m, f, inst); break;
    case OP_BR:
    case OP_CONDBR:
    case OP_SWITCH:
    case OP_INDIRECT: run_branch(m, f, inst); break;
    case OP_PHI: run_phi(m, f, inst); break;
    case OP_UNREACHABLE: m->stop = true; break;
    case OP_ATOMIC: run_atomic(m, f, inst); break;
    case OP_FENCE: set(m, f, 0, DEF_NONE); break;
    case OP_RECORDED: set(m, f, take_recorded(m, inst->type), DEF_OUTSIDE); break;
    default: run_other(m, f, inst); break;
    }
}

/* ---- the end ---- */

static bool touches(const Machine *m, Step s) {
    const Inst *inst = trace_inst(m->t, s);
    uint64_t fault = m->t->fault, at = 0, size = 0;
    if (inst->op == OP_LOAD && inst->checked)
        at = trace_operand_value(m->t, s, 0), size = inst->type.size;
    else if (inst->op == OP_STORE && inst->checked)
        at = trace_operand_value(m->t, s, 1), size = code_operand(&m->t->code, inst, 0)->type.size;
    else if (inst->op == OP_CALL && inst->call == CALL_MEMORY) {
        size = trace_operand_value(m->t, s, 2);
        uint64_t from = trace_operand_value(m->t, s, 1);
        at = trace_operand_value(m->t, s, 0);
        if (fault - from < size) return true;
    }
    /* A non-canonical address is reported as 0. */
    return size && (fault - at < size || (fault == 0 && at >> 47 != 0));
}

static bool divides_by_zero(const Machine *m, Step s) {
    const Inst *inst = trace_inst(m->t, s);
    if (inst->op < OP_UDIV || inst->op > OP_SREM) return false;
    uint64_t b = trace_operand_value(m->t, s, 1);
    return b == 0 || bits_signed(b, inst->type.bits) == -1;
}

/* The step at which a fatal signal came: among those that ran since the last record. */
static void find_fault(Machine *m) {
    Trace *t = m->t;
    t->info.end = TRACE_END_SIGNAL;
    t->info.code = m->signal;
    for (size_t s = m->settled; s < t->value.len; s++) {
        bool here = m->signal == 8 ? divides_by_zero(m, (Step)s) : touches(m, (Step)s);
        if (!here) continue;
        t->failing = (Step)s;
        t->value.len = t->def.len = s + 1;
        while (t->segments.len && vec_last(&t->segments).first > t->failing) t->segments.len--;
        return;
    }
    if (t->value.len) t->failing = (Step)(t->value.len - 1);
}

/* Two traces with their indexes and their alignment take up to STEP_BYTES a step: in half of the
 * machine's memory. */
static size_t steps_most(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0) return STEPS_MOST;
    size_t fit = (size_t)pages * (size_t)size / 2 / STEP_BYTES;
    return fit < STEPS_MOST ? fit : STEPS_MOST;
}

void replay_run(Trace *trace) {
    Machine m = { .t = trace, .memory = memory_new(), .most = steps_most() };
    trace->failing = trace->exit = STEP_NONE;
    if (trace->spans.len) m.at = trace->spans.at[0].at, m.end = trace->spans.at[0].end;
    while (!m.stop) {
        if (m.frames.len) {
            run_step(&m);
            continue;
        }
        uint8_t tag = peek(&m);
        if (tag == TAG_BACK || tag == TAG_BACK_FRAME)
            enter(&m, tag);
        else if (tag == TAG_END)
            break;
        else
            lose(&m, "a record outside of any function", tag);
    }
    if (m.signal) find_fault(&m);
    memory_free(m.memory);
    vec_release(&m.frames);
    vec_release(&m.cells);
}

/* Calls that leave the instrumented code (machine.h): what the C library's functions read, copy,
 * allocate and end, by the table of libc.h, and where the variadic arguments of a call are. */
#include "trace/machine.h"

void machine_copied(Machine *m, Step by, uint64_t to, uint64_t from, uint32_t size) {
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

/* The bytes of one string, with the writer of each. */
static void note_read(Machine *m, Step call, uint64_t address, uint32_t size, bool whole) {
    Trace *t = m->t;
    TraceRead r = { call, address, size, (uint32_t)t->pool.len, (uint32_t)t->seen.len, whole };
    for (uint32_t b = 0; b < size; b++) {
        char byte;
        memory_string(m->memory, address + b, &byte, 1);
        vec_push(&t->seen, (uint8_t)byte);
        vec_push(&t->pool, memory_writer(m->memory, address + b));
    }
    vec_push(&t->reads, r);
}

static void note_reads(Machine *m, const Frame *f, const Inst *inst, const uint64_t *args) {
    uint32_t most = 0;
    bool limited;
    unsigned strings = models_strings(m->memory, inst->libc, args, &most, &limited);
    for (unsigned i = 0; i < LIBC_ARGS; i++) {
        char text[READ_MOST];
        if (!(strings >> i & 1) || args[i] < 4096 || m->t->seen.len > READS_MOST) continue;
        bool bytes = libc_is(inst->libc, LIBC_BYTES);
        uint32_t n = bytes ? most : memory_string(m->memory, args[i], text, most);
        bool ends = !bytes && n && !text[n - 1];
        note_read(m, f->call, args[i], n, ends || limited);
    }
}

enum { REGISTERS_SAVED = 176 }; /* bytes: six general ones and eight for floating point */

/* Records the arguments of the call as written by it, where the x86-64 ABI puts them. */
void machine_varargs(Machine *m, const Frame *f, const Inst *start) {
    const Activation *a = &m->t->activations.at[f->activation];
    uint64_t list = machine_operand(m, f, code_operand(&m->t->code, start, 0)), overflow, saved;
    uint8_t tag[24];
    Step writers[24];
    machine_take_syncs(m);
    if (!a->direct || m->frames.len < 2) return;
    memory_load(m->memory, list, tag, sizeof tag, writers);
    memory_believe(m->memory, list, tag, sizeof tag, f->call);
    memcpy(&overflow, tag + 8, 8);
    memcpy(&saved, tag + 16, 8);
    uint64_t begin = overflow;
    vec_push(&m->t->heap, ((HeapObject){ saved, REGISTERS_SAVED, f->call }));
    const Frame *caller = &m->frames.at[m->frames.len - 2];
    const Inst *call = &m->t->code.insts.at[caller->pc];
    unsigned fixed = machine_function(m, f)->params, general = 0, real = 0;
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
        uint64_t value = machine_operand(m, caller, o);
        VarargKey key = { a->call, at };
        memory_believe(m->memory, at, &value, o->type.size, a->call);
        map_put(&m->t->varargs, (Str){ (const char *)&key, sizeof key }, i);
    }
    vec_push(&m->t->heap, ((HeapObject){ begin, overflow - begin, f->call }));
}

/* Of a large object only the beginning: nobody reads much of one before it is written. */
static void note_zeros(Machine *m, Step call, uint64_t at, uint64_t size) {
    static const uint8_t zeros[COPY_MOST];
    enum { ZEROS_MOST = 64 * COPY_MOST };
    if (size > ZEROS_MOST) size = ZEROS_MOST;
    for (uint64_t done = 0; done < size; done += sizeof zeros) {
        uint64_t n = size - done < sizeof zeros ? size - done : sizeof zeros;
        memory_believe(m->memory, at + done, zeros, (uint32_t)n, call);
    }
}

/* A new object, which may have been another one before: then it holds the same, elsewhere. */
static void note_object(Machine *m, Step call, const LibcFunction *libc, const uint64_t *args,
                        uint64_t at, uint64_t size) {
    uint64_t before;
    bool moved = libc_is(libc, LIBC_RESIZES) && args[0] && args[0] != at &&
                 map_get(&m->sizes, map_key_u64(&args[0]), &before);
    if (moved && before > size) before = size;
    if (moved && before && before <= UINT32_MAX)
        machine_copied(m, call, at, args[0], (uint32_t)before);
    if (libc_is(libc, LIBC_ZEROES)) note_zeros(m, call, at, size);
    *map_at(&m->sizes, map_key_u64(&at)) = size;
    vec_push(&m->t->heap, (HeapObject){ at, size, call });
}

void machine_call_over(Machine *m, Frame *f, const Inst *inst) {
    uint64_t args[LIBC_ARGS] = { 0 }, result = m->t->value.at[f->call];
    unsigned n = inst->operands - 1u;
    for (unsigned i = 0; i < n && i < COUNT_OF(args); i++) {
        const Operand *o = code_operand(&m->t->code, inst, i);
        if (!type_is_wide(o->type)) args[i] = machine_operand(m, f, o);
    }
    if (libc_may_write(inst->libc))
        outside_note(&m->outside, f->call, args, n < COUNT_OF(args) ? n : COUNT_OF(args));
    if (!inst->libc) return;
    note_reads(m, f, inst, args);
    Moved moved;
    if (models_moved(m->memory, inst->libc, args, result, &moved))
        machine_copied(m, f->call, moved.to, moved.from, moved.size);
    if (libc_is(inst->libc, LIBC_NEW) && result) {
        uint64_t size = moved.size ? moved.size : libc_new_size(inst->libc, args);
        note_object(m, f->call, inst->libc, args, result, size);
    }
}

void machine_call_leaves(Machine *m, Frame *f, const Inst *inst) {
    if (libc_is(inst->libc, LIBC_EXITS)) {
        m->t->exit = f->call;
        m->t->info.end = TRACE_END_EXIT;
        m->t->info.code = (int)(machine_operand(m, f, code_operand(&m->t->code, inst, 0)) & 0xff);
    }
    if (libc_is(inst->libc, LIBC_ABORTS)) {
        m->t->failing = f->call;
        m->t->info.end = TRACE_END_ABORT;
    }
}

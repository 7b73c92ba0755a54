/* Reading a recording (machine.h): records one after the other, over the stretches of files that it
 * is made of. What does not concern control is handled where it comes up: modules, output,
 * corrections of memory, the ways a program ends. */
#include "trace/layout.h"
#include "trace/machine.h"
#include "trace/written.h"

#include "runtime/trace_format.h"

void machine_diverge(Machine *m, const char *what, uint64_t a, uint64_t b) {
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

void machine_lose(Machine *m, const char *what, uint64_t tag) {
    machine_diverge(m, what, tag, (uint64_t)(m->at - m->t->spans.at[0].at));
    m->stop = true;
}

uint8_t machine_peek_raw(Machine *m) {
    while (m->at == m->end && m->span + 1 < m->t->spans.len) {
        m->span++;
        m->at = m->t->spans.at[m->span].at;
        m->end = m->t->spans.at[m->span].end;
    }
    return m->at < m->end ? *m->at : TAG_END;
}

uint64_t machine_take(Machine *m, unsigned size) {
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

const uint8_t *machine_take_bytes(Machine *m, size_t size) {
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

Step machine_waiting(const Machine *m) {
    return m->frames.len && vec_last(&m->frames).waiting ? vec_last(&m->frames).call : STEP_NONE;
}

static void read_module(Machine *m) {
    machine_take(m, 1);
    uint32_t base = (uint32_t)machine_take(m, 4), functions = (uint32_t)machine_take(m, 4),
             count = (uint32_t)machine_take(m, 4);
    size_t length = (size_t)machine_take(m, 2);
    const uint8_t *path = machine_take_bytes(m, length),
                  *list = machine_take_bytes(m, (size_t)count * 8);
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

/* Where the bytes came from: determined now, while memory is what the call saw. */
static void find_origins(Machine *m, TraceOutput *o, const uint8_t *bytes) {
    o->origin = ORIGIN_NONE;
    if (!o->size || o->step == STEP_NONE || m->t->origins.len > ORIGINS_MOST) return;
    const Frame *f = &vec_last(&m->frames);
    const Inst *inst = &m->t->code.insts.at[f->pc];
    uint64_t args[32];
    uint8_t kinds[32];
    OutCall call = { inst->libc, args, kinds, 0 };
    for (; call.count + 1 < inst->operands && call.count < COUNT_OF(args); call.count++) {
        const Operand *arg = code_operand(&m->t->code, inst, call.count);
        kinds[call.count] = arg->type.kind;
        args[call.count] = type_is_wide(arg->type) ? 0 : machine_operand(m, f, arg);
    }
    o->origin = m->t->origins.len;
    vec_reserve(&m->t->origins, m->t->origins.len + o->size);
    output_origins(m->memory, &call, bytes, o->size, m->t->origins.at + o->origin);
    m->t->origins.len += o->size;
}

static void read_output(Machine *m) {
    machine_take(m, 1);
    TraceOutput o = { .step = machine_waiting(m),
                      .fd = (uint32_t)machine_take(m, 1),
                      .size = (uint32_t)machine_take(m, 4) };
    const uint8_t *bytes = machine_take_bytes(m, o.size);
    if (!bytes || m->stop) return;
    if (o.fd != 1 && o.fd != 2) o.fd = WRITTEN_FILES;
    o.offset = m->t->written[o.fd].len;
    buf_add(&m->t->written[o.fd], bytes, o.size);
    find_origins(m, &o, bytes);
    vec_push(&m->t->outputs, o);
}

static void read_sync(Machine *m) {
    machine_take(m, 1);
    uint64_t address = machine_take(m, 8);
    uint32_t size = (uint32_t)machine_take(m, 4);
    const uint8_t *bytes = machine_take_bytes(m, size);
    if (bytes && !m->stop)
        memory_correct(m->memory, address, bytes, size, outside_writer(&m->outside, address));
}

/* What differed in memory that is about to be copied, or changed by an atomic operation. Nothing
 * else may be taken here: it could belong to a later call. */
void machine_take_syncs(Machine *m) {
    while (!m->stop && machine_peek_raw(m) == TAG_SYNC) read_sync(m);
}

/* The next record that concerns control; the others are handled here. */
uint8_t machine_peek(Machine *m) {
    for (;;) {
        uint8_t tag = machine_peek_raw(m);
        switch (tag) {
        case TAG_HIGH:
            machine_take(m, 1);
            m->high = (uint32_t)machine_take(m, 4);
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

/* Recorded bytes as a value of the type. */
uint64_t machine_take_recorded(Machine *m, Type type) {
    uint8_t tag = machine_peek_raw(m);
    if (tag != TAG_RESULT) {
        if (tag != TAG_END) machine_lose(m, "a result is missing", tag);
        m->stop = true;
        return type_is_wide(type)
                   ? machine_wide(m, (uint8_t[256]){ 0 }, type.size < 256 ? type.size : 256)
                   : 0;
    }
    machine_take(m, 1);
    uint32_t size = (uint32_t)machine_take(m, 1);
    const uint8_t *bytes = machine_take_bytes(m, size);
    uint64_t narrow = 0;
    if (!bytes) return 0;
    memcpy(&narrow, bytes, size < 8 ? size : 8);
    return type_is_wide(type) ? machine_wide(m, bytes, size) : narrow;
}

/* Addresses as places (object.h). */
#include "trace/object.h"
#include "trace/layout.h"

enum { HEAP_LOOK = 32 }; /* objects below an address that are looked at for one that holds it */

/* ---- finding it ---- */

static bool was_there(Step call, Step when) {
    return call == DEF_BEFORE || call <= when;
}

/* How many objects lie below an address, or begin there and were made by a step. */
static size_t before(const Trace *t, uint64_t address, Step when) {
    size_t low = 0, high = t->heap.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const HeapObject *o = &t->heap.at[middle];
        if (o->address < address || (o->address == address && was_there(o->call, when)))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the objects that held the address so far, the last one made. */
static bool find_heap(const Trace *t, uint64_t address, Step when, Object *out) {
    const HeapObject *best = NULL;
    size_t i = before(t, address, when);
    for (size_t looked = 0; i > 0 && looked < HEAP_LOOK; looked++) {
        const HeapObject *o = &t->heap.at[i - 1];
        if (!was_there(o->call, when)) { /* made again and again: those of later are passed over */
            size_t earlier = before(t, o->address, when);
            i = earlier < i ? earlier : i - 1;
            continue;
        }
        i--;
        if (address - o->address >= (o->size ? o->size : 1)) continue;
        bool later =
            best && o->call != DEF_BEFORE && (best->call == DEF_BEFORE || o->call > best->call);
        if (!best || later) best = o;
    }
    if (!best) return false;
    *out = (Object){ OBJECT_HEAP, (uint32_t)(best - t->heap.at), address - best->address };
    return true;
}

static bool find_local(const Trace *t, uint64_t address, Step when, Object *out) {
    uint32_t a = t->segments.at[trace_segment(t, when)].activation;
    for (; a != CODE_NONE; a = t->activations.at[a].parent) {
        const Activation *call = &t->activations.at[a];
        uint32_t size = t->code.functions.at[call->function].frame_size;
        if (!call->frame || address - call->frame >= size) continue;
        *out = (Object){ OBJECT_LOCAL, a, address - call->frame };
        return true;
    }
    return false;
}

static bool find_function(const Trace *t, uint64_t address, Object *out) {
    for (uint32_t i = 0; i < t->code.functions.len; i++) {
        if (!t->code.functions.at[i].known || t->code.functions.at[i].address != address) continue;
        *out = (Object){ OBJECT_FUNCTION, i, 0 };
        return true;
    }
    return false;
}

static bool find_argument(const Trace *t, uint64_t address, Object *out) {
    if (!t->activations.len) return false;
    const Function *f = &t->code.functions.at[t->activations.at[0].function];
    if (f->params < 2 || strcmp(f->name, "main") != 0) return false;
    uint64_t argv = trace_param_value(t, 0, 1);
    if (address < argv || address - argv > 1u << 22) return false;
    *out = (Object){ OBJECT_ARGUMENT, 0, address - argv };
    return true;
}

/* An array or the arguments on the stack whose function returned, where a later frame lies now. */
static bool is_past_array(const Trace *t, Object o, uint64_t address, Step when) {
    Step made = t->heap.at[o.which].call;
    Object local;
    return def_is_step(made) && !libc_is(trace_inst(t, made)->libc, LIBC_NEW) &&
           find_local(t, address, when, &local);
}

Object object_at(const Trace *t, uint64_t address, Step when) {
    Object o = { 0 };
    const Global *g = code_global(&t->code, address);
    if (address < 4096 || !t->segments.len) return o;
    if (g)
        return (Object){ OBJECT_GLOBAL, (uint32_t)(g - t->code.globals.at), address - g->address };
    if (find_heap(t, address, when, &o) && !is_past_array(t, o, address, when)) return o;
    if (find_local(t, address, when, &o) || find_argument(t, address, &o) ||
        find_function(t, address, &o))
        return o;
    return (Object){ 0 };
}

/* ---- comparing two ---- */

static Str bare_name(const char *name) {
    Str s = str_from(name);
    while (s.len && s.at[s.len - 1] >= '0' && s.at[s.len - 1] <= '9') s.len--;
    return s;
}

static SamePlace same_if(bool same) {
    return same ? PLACE_SAME : PLACE_OTHER;
}

/* Literals have numbers for names, so they are compared by what they hold from there on. */
static bool same_literal(const Global *x, const Global *y, uint64_t at, uint64_t from) {
    if (!x->initial || !y->initial || x->size - at != y->size - from) return false;
    return memcmp(x->initial + at, y->initial + from, x->size - at) == 0;
}

static SamePlace compare_globals(const Trace *bad, const Trace *good, Object b, Object g) {
    const Global *x = &bad->code.globals.at[b.which], *y = &good->code.globals.at[g.which];
    if (x->name[0] == '.' && y->name[0] == '.')
        return same_if(same_literal(x, y, b.offset, g.offset));
    return same_if(strcmp(x->name, y->name) == 0 && b.offset == g.offset);
}

/* The local of a frame at an offset, and the offset in it. */
static const Inst *local_at(const Code *code, const Function *f, uint64_t offset, uint64_t *in) {
    const Inst *best = NULL;
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        const Inst *inst = &code->insts.at[i];
        if (inst->op != OP_ALLOCA || inst->local != LOCAL_FRAME || inst->offset > offset) continue;
        if (!best || inst->offset > best->offset) best = inst;
    }
    if (best) *in = offset - best->offset;
    return best;
}

static SamePlace compare_locals(const Align *align, const Trace *bad, const Trace *good, Object b,
                                Object g) {
    uint32_t x = bad->activations.at[b.which].function, y = good->activations.at[g.which].function;
    uint64_t at = 0, from = 0;
    if (align_good_function(align, x) != y) return PLACE_OTHER;
    const Inst *p = local_at(&bad->code, &bad->code.functions.at[x], b.offset, &at);
    const Inst *q = local_at(&good->code, &good->code.functions.at[y], g.offset, &from);
    if (!p || !q) return PLACE_UNKNOWN;
    if (at != from || !str_eq(bare_name(p->name), bare_name(q->name))) return PLACE_OTHER;
    return align_activation(align, b.which) == g.which ? PLACE_SAME : PLACE_UNKNOWN;
}

static SamePlace compare_heaps(const Align *align, const Trace *bad, const Trace *good, Object b,
                               Object g) {
    Step x = bad->heap.at[b.which].call, y = good->heap.at[g.which].call;
    if (!def_is_step(x) || !def_is_step(y)) return PLACE_UNKNOWN;
    Step twin = align_step(align, x), other = align_bad_step(align, y);
    if (twin == STEP_NONE && other == STEP_NONE) return PLACE_UNKNOWN;
    return same_if(twin == y && b.offset == g.offset);
}

SamePlace object_compare(const Align *align, AddressThen x, AddressThen y) {
    const Trace *bad = align_bad(align), *good = align_good(align);
    Object b = object_at(bad, x.address, x.when), g = object_at(good, y.address, y.when);
    if (b.kind == OBJECT_UNKNOWN || g.kind == OBJECT_UNKNOWN) return PLACE_UNKNOWN;
    if (b.kind != g.kind) return PLACE_OTHER;
    switch (b.kind) {
    case OBJECT_GLOBAL: return compare_globals(bad, good, b, g);
    case OBJECT_FUNCTION:
        return same_if(strcmp(bad->code.functions.at[b.which].name,
                              good->code.functions.at[g.which].name) == 0);
    case OBJECT_LOCAL: return compare_locals(align, bad, good, b, g);
    case OBJECT_HEAP: return compare_heaps(align, bad, good, b, g);
    case OBJECT_ARGUMENT: return b.offset == g.offset ? PLACE_SAME : PLACE_UNKNOWN;
    default: return PLACE_UNKNOWN;
    }
}

/* Kernels: drawn, run for all inputs, printed; see kernel.h. */
#include "variant/kernel/kernel_tree.h"

enum { KERNEL_TRIES = 6 };

/* The k-th combination of the inputs' values. */
static void combination(const KernelOrder *order, size_t k, WVal *out) {
    for (size_t i = 0; i < order->inputs_len; i++) {
        const EnvVar *v = &order->inputs[i];
        out[i] = wide_of((IVal){ v->set.at[k % v->set.len], ITYPE(v->type.kind) });
        k /= v->set.len;
    }
}

/* All results. Replacing an operator changes what was seen before, so all is run again. */
static bool run_all(KTree *t, size_t combinations, uint64_t *results) {
    unsigned repairs = 0;
    for (size_t k = 0; k < combinations; k++) {
        WVal inputs[KERNEL_INPUTS], result;
        unsigned before = repairs;
        combination(t->order, k, inputs);
        if (!kernel_run(t, inputs, &result, &repairs)) return false;
        results[k] = (uint64_t)result.bits;
        if (repairs != before && k > 0) k = SIZE_MAX;
    }
    return true;
}

/* It depends on its arguments alone, and changes nothing else. */
static bool is_const(const KTree *t) {
    for (unsigned i = 0; i < t->n; i++)
        if (t->vars[i].is_static || t->vars[i].is_volatile) return false;
    return true;
}

static void write_call(const KTree *t, Buf *above, Buf *call) {
    const KernelOrder *o = t->order;
    const char *callee = o->name;
    if (!o->plain && rng_chance(t->rng, 0.2)) { /* through a pointer */
        callee = arena_fmt(t->arena, "%sq", o->name);
        buf_fmt(above, "static unsigned long (*%s%s)(", rng_chance(t->rng, 0.5) ? "volatile " : "",
                callee);
        for (unsigned i = 0; i < o->inputs_len; i++) {
            if (i) buf_text(above, ", ");
            wtype_print(t->vars[i].type, above);
        }
        buf_fmt(above, "%s) = %s;\n", o->inputs_len ? "" : "void", o->name);
    }
    buf_fmt(call, "%s(", callee);
    for (unsigned i = 0; i < o->inputs_len; i++)
        buf_fmt(call, "%s" STR_FMT, i ? ", " : "", STR_ARG(o->inputs[i].text));
    buf_char(call, ')');
}

static bool try_make(Arena *arena, Rng *rng, const KernelOrder *order, size_t combinations,
                     Kernel *out) {
    KTree t = { .arena = arena, .rng = rng, .order = order };
    uint64_t results[KERNEL_COMBINATIONS];
    kernel_draw(&t);
    if (!run_all(&t, combinations, results)) return false;
    Buf above = { 0 }, call = { 0 };
    bool promise = !order->plain && is_const(&t) && rng_chance(rng, 0.3);
    kernel_print(&t, promise, &above);
    write_call(&t, &above, &call);
    *out = (Kernel){ .above = arena_str(arena, buf_view(&above)),
                     .call = arena_str(arena, buf_view(&call)),
                     .result = ITYPE(I_ULONG),
                     .set = values_from(arena, results, combinations) };
    buf_release(&above);
    buf_release(&call);
    return true;
}

bool kernel_make(Arena *arena, Rng *rng, const KernelOrder *order, Kernel *out) {
    size_t combinations = 1;
    CHECK(order->inputs_len <= KERNEL_INPUTS);
    for (size_t i = 0; i < order->inputs_len; i++) {
        combinations *= order->inputs[i].set.len;
        if (!combinations || combinations > KERNEL_COMBINATIONS) return false;
    }
    for (unsigned i = 0; i < KERNEL_TRIES; i++)
        if (try_make(arena, rng, order, combinations, out)) return true;
    return false;
}

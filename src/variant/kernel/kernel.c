/* Kernels: drawn, run for all inputs, printed; see kernel.h. */
#include "variant/kernel/kernel_tree.h"

enum { KERNEL_TRIES = 6 };
#define KERNEL_LANES 0.25 /* it is one over vectors */

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

/* ---- ways to call it: none changes what it gives ---- */
/* "int a, long b", or with the names left out. */
static void write_params(const KTree *t, bool named, Buf *out) {
    for (unsigned i = 0; i < t->order->inputs_len; i++) {
        if (i) buf_text(out, ", ");
        wtype_print(t->vars[i].type, out);
        if (named) buf_fmt(out, " %s", t->vars[i].name);
    }
}

static void write_names(const KTree *t, const char *prefix, Buf *out) {
    for (unsigned i = 0; i < t->order->inputs_len; i++)
        buf_fmt(out, "%s%s%s", i ? ", " : "", prefix, t->vars[i].name);
}

static void write_arguments(const KTree *t, Buf *call) {
    for (unsigned i = 0; i < t->order->inputs_len; i++)
        buf_fmt(call, "%s" STR_FMT, i ? ", " : "", STR_ARG(t->order->inputs[i].text));
}

static void call_by_pointer(const KTree *t, Buf *above, Buf *call) {
    const KernelOrder *o = t->order;
    buf_fmt(above, "static unsigned long (*%s%sq)(", rng_chance(t->rng, 0.5) ? "volatile " : "",
            o->name);
    write_params(t, false, above);
    buf_fmt(above, "%s) = %s;\n", o->inputs_len ? "" : "void", o->name);
    buf_fmt(call, "%sq(", o->name);
    write_arguments(t, call);
    buf_char(call, ')');
}

/* A structure that is passed, and comes back, by value. */
static void call_by_structure(const KTree *t, Buf *above, Buf *call) {
    const char *name = t->order->name;
    unsigned n = (unsigned)t->order->inputs_len;
    buf_fmt(above, "struct %st { ", name);
    for (unsigned i = 0; i < n; i++) {
        wtype_print(t->vars[i].type, above);
        buf_fmt(above, " %s; ", t->vars[i].name);
    }
    buf_fmt(above, "unsigned long %sr; };\nstatic %sstruct %st %sv(struct %st s) { s.%sr = %s(",
            name, rng_chance(t->rng, 0.5) ? "__attribute__((noinline)) " : "", name, name, name,
            name, name);
    write_names(t, "s.", above);
    buf_text(above, "); return s; }\n");
    buf_fmt(call, "%sv((struct %st){ ", name, name);
    write_arguments(t, call);
    buf_fmt(call, "%s0 }).%sr", n ? ", " : "", name);
}

/* A function that calls itself a few times before it calls the kernel. */
static void call_by_recursion(const KTree *t, Buf *above, Buf *call) {
    const char *name = t->order->name, *comma = t->order->inputs_len ? ", " : "";
    buf_fmt(above, "static unsigned long %sn(int n%s", name, comma);
    write_params(t, true, above);
    buf_fmt(above, ") { if (n > 0) return %sn(n - 1%s", name, comma);
    write_names(t, "", above);
    buf_fmt(above, "); return %s(", name);
    write_names(t, "", above);
    buf_text(above, "); }\n");
    buf_fmt(call, "%sn(%d%s", name, (int)rng_below(t->rng, 6), comma);
    write_arguments(t, call);
    buf_char(call, ')');
}

/* Variable arguments: what is narrower than int arrives as int, and fits. */
static void call_by_list(const KTree *t, Buf *above, Buf *call) {
    const char *name = t->order->name;
    buf_fmt(above,
            "static unsigned long %sl(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n);",
            name);
    for (unsigned i = 0; i < t->order->inputs_len; i++) {
        buf_char(above, ' ');
        wtype_print(t->vars[i].type, above);
        buf_fmt(above, " %s = __builtin_va_arg(l, ", t->vars[i].name);
        wtype_print(wtype_promote(t->vars[i].type), above);
        buf_text(above, ");");
    }
    buf_fmt(above, " __builtin_va_end(l); return %s(", name);
    write_names(t, "", above);
    buf_text(above, "); }\n");
    buf_fmt(call, "%sl(0", name);
    for (unsigned i = 0; i < t->order->inputs_len; i++) {
        buf_text(call, ", (");
        wtype_print(t->vars[i].type, call);
        buf_fmt(call, ")(" STR_FMT ")", STR_ARG(t->order->inputs[i].text));
    }
    buf_char(call, ')');
}

static void write_call(const KTree *t, Buf *above, Buf *call) {
    static const double weight[] = { 5, 2, 1.5, 1, 1 };
    switch (t->order->plain ? 0 : rng_weighted(t->rng, weight, COUNT_OF(weight))) {
    case 1: call_by_pointer(t, above, call); return;
    case 2: call_by_structure(t, above, call); return;
    case 3: call_by_recursion(t, above, call); return;
    case 4: call_by_list(t, above, call); return;
    default: break;
    }
    buf_fmt(call, "%s(", t->order->name);
    write_arguments(t, call);
    buf_char(call, ')');
}

static bool make_tree(Arena *arena, Rng *rng, const KernelOrder *order, size_t combinations,
                      uint64_t *results, Buf *above, Buf *call) {
    KTree t = { .arena = arena, .rng = rng, .order = order };
    kernel_draw(&t);
    if (!run_all(&t, combinations, results)) return false;
    bool promise = !order->plain && is_const(&t) && rng_chance(rng, 0.3);
    kernel_print(&t, promise, above);
    write_call(&t, above, call);
    return true;
}

static bool try_make(Arena *arena, Rng *rng, const KernelOrder *order, size_t combinations,
                     Kernel *out) {
    uint64_t results[KERNEL_COMBINATIONS];
    Buf above = { 0 }, call = { 0 };
    if (order->lanes && !order->plain && rng_chance(rng, KERNEL_LANES))
        kernel_lanes(rng, order, combinations, results, &above, &call);
    else if (!make_tree(arena, rng, order, combinations, results, &above, &call))
        return false;
    *out = (Kernel){ .above = arena_str(arena, buf_view(&above)),
                     .call = arena_str(arena, buf_view(&call)),
                     .result = ITYPE(I_ULONG),
                     .set = values_from(arena, results, combinations),
                     .results = arena_copy(arena, results, combinations * sizeof *results),
                     .results_len = combinations };
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

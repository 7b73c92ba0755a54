/* Programs of kernels; see kernels.h. */
#include "hunt/seed/kernels.h"

#include "variant/kernel/kernel.h"

enum {
    KERNELS_MOST = 14,  /* of one program: they share the cost of starting compilers */
    KERNELS_VALUES = 2, /* of an input */
    BITINT_GCC = 14,    /* the first versions that know _BitInt, .. */
    BITINT_CLANG = 16,  /* .. and divide those wider than 128 bits */
    LANES_GCC = 12,     /* the first with __builtin_shufflevector; every clang has it */
};

bool kernels_lanes(const Compiler *cc) {
    bool gcc = cc->kind == CC_GCC || cc->kind == CC_CC1;
    return cc->kind == CC_CLANG || (gcc && cc->major >= LANES_GCC);
}

KernelsOrder kernels_order(const CompilerVec *compilers) {
    KernelsOrder order = { .bitint = compilers->len > 0, .lanes = true, .reals = true };
    for (size_t i = 0; i < compilers->len; i++) {
        const Compiler *cc = &compilers->at[i];
        bool knows = (cc->kind == CC_GCC && cc->major >= BITINT_GCC) ||
                     (cc->kind == CC_CLANG && cc->major >= BITINT_CLANG);
        order.bitint = order.bitint && knows && !cc->foreign;
        order.plain |= !cc->levels;
        order.lanes &= kernels_lanes(cc);
    }
    return order;
}

/* ---- inputs ---- */
static EnvVar any_input(Arena *arena, Rng *rng, size_t n) {
    IType type = ITYPE((uint8_t)rng_below(rng, I_KINDS));
    uint64_t bits[KERNELS_VALUES];
    size_t len = 1 + rng_below(rng, KERNELS_VALUES);
    for (size_t i = 0; i < len; i++) {
        uint64_t any = rng_next(rng) >> rng_below(rng, 64);
        bits[i] = ival(type, (int64_t)(rng_chance(rng, 0.2) ? -any : any)).bits;
    }
    return (EnvVar){ .text = str_from(arena_fmt(arena, "x%zu", n)),
                     .type = type,
                     .set = values_from(arena, bits, len) };
}

/* ---- calls ---- */
/* The value as an argument: a constant, or what no compiler sees through. */
static void write_argument(Rng *rng, IVal value, unsigned *hidden, Buf *globals, Buf *out) {
    if (rng_chance(rng, 0.5)) {
        ival_print(value, out);
        return;
    }
    buf_fmt(globals, "volatile %s h%u = ", itype_name(value.type), *hidden);
    ival_print(value, globals);
    buf_text(globals, ";\n");
    buf_fmt(out, "h%u", (*hidden)++);
}

/* A function around the call: what main calls once is not optimised like the rest. */
static void write_wrapper(Rng *rng, const KernelOrder *k, const Kernel *kernel, bool plain,
                          Buf *text) {
    static const char *const heads[] = { "", "__attribute__((noinline)) ",
                                         "static __attribute__((noinline)) ", "static " };
    buf_fmt(text, "%sunsigned long %st(", plain ? "" : heads[rng_below(rng, COUNT_OF(heads))],
            k->name);
    for (size_t i = 0; i < k->inputs_len; i++)
        buf_fmt(text, "%s%s x%zu", i ? ", " : "", itype_name(k->inputs[i].type), i);
    buf_fmt(text, "%s) { return " STR_FMT "; }\n", k->inputs_len ? "" : "void",
            STR_ARG(kernel->call));
}

typedef struct KernelsText {
    Buf above, main, globals;
    unsigned hidden; /* variables so far */
} KernelsText;

/* One call for each combination of its inputs' values. */
static void write_calls(Rng *rng, const KernelOrder *k, const Kernel *kernel, KernelsText *out,
                        Buf *expected) {
    for (size_t c = 0; c < kernel->results_len; c++) {
        size_t rest = c;
        buf_fmt(&out->main, "    printf(\"%s %%lu\\n\", %st(", k->name, k->name);
        for (size_t i = 0; i < k->inputs_len; i++) {
            const EnvVar *v = &k->inputs[i];
            if (i) buf_text(&out->main, ", ");
            write_argument(rng, (IVal){ v->set.at[rest % v->set.len], v->type }, &out->hidden,
                           &out->globals, &out->main);
            rest /= v->set.len;
        }
        buf_text(&out->main, "));\n");
        buf_fmt(expected, "%s %llu\n", k->name, (unsigned long long)kernel->results[c]);
    }
}

static void draw_one(Arena *arena, Rng *rng, const KernelsOrder *order, unsigned number,
                     KernelsText *out, Buf *expected) {
    EnvVar inputs[KERNEL_INPUTS];
    KernelOrder k = { .inputs = inputs,
                      .name = arena_fmt(arena, "k%u", number),
                      .plain = order->plain,
                      .bitint = order->bitint && rng_chance(rng, 0.6),
                      .reals = order->reals && rng_chance(rng, 0.6),
                      .lanes = order->lanes };
    Kernel kernel;
    size_t want = rng_below(rng, KERNEL_INPUTS + 1);
    while (k.inputs_len < want) {
        inputs[k.inputs_len] = any_input(arena, rng, k.inputs_len);
        k.inputs_len++;
    }
    if (!kernel_make(arena, rng, &k, &kernel)) return;
    buf_str(&out->above, kernel.above);
    write_wrapper(rng, &k, &kernel, order->plain, &out->above);
    write_calls(rng, &k, &kernel, out, expected);
}

void kernels_draw(Rng *rng, const KernelsOrder *order, Buf *text, Buf *expected) {
    Arena arena = { 0 };
    KernelsText out = { 0 };
    for (unsigned i = 0; i < KERNELS_MOST; i++) draw_one(&arena, rng, order, i, &out, expected);
    buf_text(text, "int printf(const char *, ...);\n");
    buf_str(text, buf_view(&out.globals));
    buf_str(text, buf_view(&out.above));
    buf_text(text, "int main(void) {\n");
    buf_str(text, buf_view(&out.main));
    buf_text(text, "    return 0;\n}\n");
    buf_release(&out.above);
    buf_release(&out.main);
    buf_release(&out.globals);
    arena_release(&arena);
}

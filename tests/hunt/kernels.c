/* Kernels against real compilers: what the interpreter says about each call is what programs
 * compiled by gcc-12 and clang-19 print, with and without optimisation and under their sanitizers.
 *
 *     kernels [COUNT [SEED]]           prints TAP; 60 by default
 *     kernels COUNT SEED bitint        with _BitInt, tested with clang alone */
#include "base/file.h"
#include "cc/clean.h"
#include "variant/kernel/kernel.h"

enum { BATCH = 20 };

typedef struct Batch {
    Arena arena;
    Buf above, body; /* of the program */
    Buf expected;
} Batch;

static EnvVar any_input(Arena *arena, Rng *rng, unsigned n) {
    IType type = ITYPE((uint8_t)rng_below(rng, I_KINDS));
    uint64_t bits[3];
    size_t len = 1 + rng_below(rng, 2);
    for (size_t i = 0; i < len; i++)
        bits[i] = ival(type, (int64_t)(rng_next(rng) >> rng_below(rng, 64))).bits;
    return (EnvVar){ .text = str_from(arena_fmt(arena, "x%u", n)),
                     .type = type,
                     .set = values_from(arena, bits, len) };
}

/* One kernel, called with every combination; false: none was found. */
static bool add(Batch *b, Rng *rng, unsigned number, bool bitint) {
    EnvVar inputs[KERNEL_INPUTS];
    size_t n = rng_below(rng, KERNEL_INPUTS + 1), combinations = 1;
    for (size_t i = 0; i < n; i++) {
        inputs[i] = any_input(&b->arena, rng, (unsigned)i);
        combinations *= inputs[i].set.len;
    }
    KernelOrder order = { .inputs = inputs,
                          .inputs_len = n,
                          .name = arena_fmt(&b->arena, "k%u", number),
                          .bitint = bitint,
                          .reals = true,
                          .lanes = true };
    Kernel k;
    if (!kernel_make(&b->arena, rng, &order, &k)) return false;
    buf_str(&b->above, k.above);
    buf_fmt(&b->body,
            "static int t%u(void) { int bad = 0; unsigned long seen[%u] = { 0 }; unsigned at = 0; ",
            number, k.set.len);
    for (uint32_t i = 0; i < k.set.len; i++)
        buf_fmt(&b->body, "seen[%u] = %lluul; ", i, (unsigned long long)k.set.at[i]);
    for (size_t c = 0; c < combinations; c++) {
        size_t rest = c;
        buf_text(&b->body, "{ ");
        for (size_t i = 0; i < n; i++) {
            buf_fmt(&b->body, "%s x%zu = ", itype_name(inputs[i].type), i);
            ival_print((IVal){ inputs[i].set.at[rest % inputs[i].set.len], inputs[i].type },
                       &b->body);
            buf_text(&b->body, "; ");
            rest /= inputs[i].set.len;
        }
        buf_fmt(&b->body,
                "unsigned long got = " STR_FMT
                "; for (at = 0; at < %u && seen[at] != got; at++) { } bad += at == %u; } ",
                STR_ARG(k.call), k.set.len, k.set.len);
    }
    buf_text(&b->body, "return bad; }\n");
    return true;
}

static Str program(Batch *b, unsigned from, unsigned to, Arena *arena) {
    Buf text = { 0 };
    buf_text(&text, "int printf(const char *, ...);\n");
    buf_str(&text, buf_view(&b->above));
    buf_str(&text, buf_view(&b->body));
    buf_text(&text, "int main(void) {\n");
    for (unsigned i = from; i < to; i++)
        buf_fmt(&text, "    printf(\"%u %%d\\n\", t%u());\n", i, i);
    buf_text(&text, "    return 0;\n}\n");
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

static bool agrees(const Compiler *cc, const char *level, Str text, Str expected) {
    const char *const flags[] = { level, "-w", NULL };
    CcJob job;
    cc_job_init(&job, cc, flags, text, CC_UNTIL_RUN);
    job.compare = true;
    job.expected = expected;
    cc_job_run(&job);
    bool ok = job.verdict.kind == VERDICT_OK;
    if (!ok) {
        printf("# %s %s: %s: " STR_FMT "\n", cc->name, level, verdict_name(job.verdict.kind),
               STR_ARG(job.verdict.detail));
        file_write("/tmp/culprit-kernels-failed.c", text, NULL);
    }
    cc_job_end(&job);
    return ok;
}

static bool clean(const CleanTools *tools, Str text, Str expected, unsigned skip) {
    CleanJob job;
    clean_job_init(&job, tools, text);
    job.compare = true;
    job.expected = expected;
    job.skip = skip;
    clean_job_run(&job);
    bool ok = job.result == CLEAN_YES;
    if (!ok) {
        printf("# " STR_FMT "\n", STR_ARG(job.why));
        file_write("/tmp/culprit-kernels-failed.c", text, NULL);
    }
    clean_job_end(&job);
    return ok;
}

int main(int argc, char **argv) {
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 60, number = 0, failed = 0,
             tests = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    bool bitint = argc > 3;
    Arena arena = { 0 };
    CleanTools tools;
    Error err;
    if (!clean_tools_open(&arena, &tools, &err)) return err_report(&err);
    Rng rng = rng_stream(seed, "kernels", 0);
    while (number < count) {
        Batch b = { 0 };
        unsigned from = number;
        while (number < count && number < from + BATCH) number += add(&b, &rng, number, bitint);
        for (unsigned i = from; i < number; i++) buf_fmt(&b.expected, "%u 0\n", i);
        Str text = program(&b, from, number, &b.arena), expected = buf_view(&b.expected);
        static const char *const levels[] = { "-O0", "-O2", "-O3" };
        bool ok = true;
        for (size_t i = 0; i < COUNT_OF(levels); i++) {
            ok = agrees(&tools.clang, levels[i], text, expected) && ok;
            if (!bitint) ok = agrees(&tools.gcc, levels[i], text, expected) && ok;
        }
        ok = clean(&tools, text, expected, bitint ? 2 | CLEAN_TYPES : CLEAN_TYPES) && ok;
        printf("%s %u - kernels %u to %u\n", ok ? "ok" : "not ok", ++tests, from, number - 1);
        fflush(stdout);
        failed += !ok;
        buf_release(&b.above);
        buf_release(&b.body);
        buf_release(&b.expected);
        arena_release(&b.arena);
    }
    printf("1..%u\n", tests);
    arena_release(&arena);
    return failed > 0;
}

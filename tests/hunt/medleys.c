/* Medleys (hunt/crash/medley.h) are well typed: a compiler that knows all the types takes every
 * one.
 *
 *     medleys COUNT SEED         COUNT programs through clang-19; prints TAP
 *     medleys SEED gnu|plain     prints the first of these programs; gnu: with what only GCC has */
#include "base/toolchain.h"
#include "cc/compiler.h"
#include "cc/verdict.h"
#include "hunt/crash/medley.h"

int main(int argc, char **argv) {
    Buf text = { 0 };
    if (argc == 3 && (strcmp(argv[2], "gnu") == 0 || strcmp(argv[2], "plain") == 0)) {
        Rng rng = rng_stream(strtoull(argv[1], NULL, 10), "medley", 0);
        medley_draw(&rng, argv[2][0] == 'g', &text);
        fputs(text.at, stdout);
        return 0;
    }
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10, taken = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    Arena arena = { 0 };
    Error err;
    Compiler cc;
    if (!compiler_open(&arena, TOOLCHAIN_CLANG, &cc, &err)) return err_report(&err);
    for (unsigned i = 0; i < count; i++) {
        Rng rng = rng_stream(seed, "medley", i);
        buf_clear(&text);
        medley_draw(&rng, false, &text);
        const char *const flags[] = { "-O0", "-w", NULL };
        CcJob job;
        cc_job_init(&job, &cc, flags, buf_view(&text), CC_UNTIL_ASSEMBLY);
        cc_job_run(&job);
        taken += job.verdict.kind == VERDICT_OK;
        if (job.verdict.kind != VERDICT_OK)
            printf("# %u: " STR_FMT "\n", i, STR_ARG(job.verdict.detail));
        cc_job_end(&job);
    }
    printf("%s 1 - %u of %u are taken\n1..1\n", taken == count ? "ok" : "not ok", taken, count);
    buf_release(&text);
    arena_release(&arena);
    return taken != count;
}

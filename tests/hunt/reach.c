/* How much more of GCC variants reach than their seeds (the paper's Figure 7).
 *
 *     reach COVERAGE-BUILD SEEDS VARIANTS [FIRST [MINUTES]]
 *
 * MINUTES: no new seed is begun after two thirds of it; what is left is for the fresh programs.
 *
 * Line coverage of cc1 -O2 over SEEDS Csmith programs; the points gained by 1, 5 and VARIANTS
 * chained variants each of Hermes, Athena and Orion; and by fresh Csmith programs for the CPU time
 * that Hermes's variants took to derive and compile. */
#include "base/file.h"
#include "base/quantity.h"
#include "base/rng.h"
#include "hunt/mutate.h"
#include "hunt/preprocess.h"
#include "isolate/coverage_run.h"
#include "run/workdir.h"

enum { STEPS = 3, RIVALS = 3 };

typedef struct Reach {
    const char *dir;
    Subject subject;
    const char *const *flags;
    Bits base;                /* covered by the seeds */
    Bits more[RIVALS][STEPS]; /* by the first 1, 5 and all variants */
    unsigned steps[STEPS];    /* 1, 5, VARIANTS */
    double cpu[RIVALS];       /* derivation and compilation of all variants */
    unsigned compiled[RIVALS];
    unsigned failed; /* compilations that did not end well */
} Reach;

static const struct Rival {
    const char *name;
    unsigned strategies;
} rivals[RIVALS] = { { "Hermes", STRATEGIES_HERMES },
                     { "Athena", STRATEGY_BIT(STRATEGY_ATHENA) },
                     { "Orion", STRATEGY_BIT(STRATEGY_ORION) } };

static void add_bits(Bits *to, const Bits *from) {
    for (uint32_t i = 0; i < bits_words(to); i++) to->words[i] |= from->words[i];
}

/* cc1 alone has no directories for system headers: gcc-11 reads them first. */
static Str with_headers(Arena *arena, Str text) {
    RunSpec spec = { .argv = (const char *[]){ "gcc-11", "-E", "-P", "-O2", "-x", "c", "-", NULL },
                     .input = text,
                     .profile = RUN_USER,
                     .limits = { .wall_s = 120, .output = 64 << 20 } };
    RunResult r = run_one(arena, &spec);
    return run_ok(&r) ? r.out : text;
}

/* Covers the text; CPU seconds of the compilation. */
static double cover(Reach *r, Str text, Bits *bits) {
    Arena arena = { 0 };
    Error err = { 0 };
    RunResult ran = { 0 };
    bits_clear(bits);
    text = with_headers(&arena, text);
    if (!cov_run(&r->subject, r->flags, text, NULL, bits, &ran, &arena, &err) || !run_ok(&ran))
        r->failed++;
    arena_release(&arena);
    return ran.cpu_s;
}

/* A Csmith program, preprocessed; CPU seconds of making it in *cpu. */
static bool generate(Reach *r, Arena *arena, uint64_t seed, Str *text, double *cpu) {
    const char *number = arena_fmt(arena, "%llu", (unsigned long long)seed);
    RunSpec spec = { .argv = (const char *[]){ "csmith", "--seed", number, "--max-funcs", "5",
                                               "--max-block-depth", "4", NULL },
                     .dir = r->dir,
                     .profile = RUN_USER,
                     .limits = { .wall_s = 60 } };
    RunResult made = run_one(arena, &spec);
    const char *raw = file_join(arena, r->dir, "raw.c"),
               *flags[] = { "-I/usr/include/csmith", NULL };
    Error err;
    *cpu = made.cpu_s;
    return run_ok(&made) && file_write(raw, made.out, &err) &&
           preprocess_seed(arena, raw, flags, text, &err);
}

/* All variants of all rivals; false when the seed is none (it does not end, say). */
static bool cover_seed(Reach *r, uint64_t seed, Str text, unsigned variants, Bits *bits) {
    Bits own = bits_new(r->base.n_bits);
    cover(r, text, &own);
    bool used = false;
    for (unsigned k = 0; k < RIVALS; k++) {
        MutateOptions options = { .seed = seed,
                                  .strategies = rivals[k].strategies,
                                  .run_limit_s = 5 };
        Error err;
        Variant v;
        MutateChain *chain = mutate_open(text, &options, &err);
        for (unsigned i = 1; chain && i <= variants && mutate_next(chain, &v, &err); i++) {
            MutateCost cost = mutate_cost(chain);
            used = true;
            r->cpu[k] += mutate_cost_sum(&cost) + cover(r, v.text, bits);
            r->compiled[k]++;
            for (unsigned s = 0; s < STEPS; s++)
                if (i <= r->steps[s]) add_bits(&r->more[k][s], bits);
        }
        if (chain) mutate_close(chain);
        if (!used) break;
    }
    if (used) add_bits(&r->base, &own);
    bits_free(&own);
    return used;
}

static double points(const Reach *r, const Bits *more) {
    uint32_t gained = 0;
    for (uint32_t i = 0; i < bits_words(more); i++)
        gained += (uint32_t)__builtin_popcountll(more->words[i] & ~r->base.words[i]);
    return 100.0 * gained / r->base.n_bits;
}

/* Fresh programs until the CPU time of Hermes's variants is used up. */
static unsigned cover_fresh(Reach *r, uint64_t seed, double until, Bits *fresh, Bits *bits) {
    unsigned n = 0;
    for (double used = 0; used < r->cpu[0] && clock_now() < until; seed++) {
        Arena arena = { 0 };
        Str text;
        double cpu = 0;
        if (generate(r, &arena, seed, &text, &cpu)) {
            used += cover(r, text, bits);
            add_bits(fresh, bits);
            n++;
        }
        used += cpu;
        arena_release(&arena);
    }
    return n;
}

static void print(Reach *r, unsigned seeds) {
    printf("%u Csmith seeds (at most five functions) cover %.2f%% of cc1's %u statements at -O2 "
           "(the paper: 34%% of GCC)\n",
           seeds, 100.0 * bits_count(&r->base) / r->base.n_bits, r->base.n_bits);
    printf("points gained by %u, %u, %u variants each:\n", r->steps[0], r->steps[1], r->steps[2]);
    for (unsigned k = 0; k < RIVALS; k++)
        printf("  %-8s +%.2f +%.2f +%.2f   (%u compilations, %.0f CPU seconds)\n", rivals[k].name,
               points(r, &r->more[k][0]), points(r, &r->more[k][1]), points(r, &r->more[k][2]),
               r->compiled[k], r->cpu[k]);
    double athena = points(r, &r->more[1][STEPS - 1]);
    printf("Hermes is %.1f times Athena (must be at least 5; the paper: +4.8 and +0.6); %u "
           "compilations failed\n",
           athena > 0 ? points(r, &r->more[0][STEPS - 1]) / athena : 0, r->failed);
}

int main(int argc, char **argv) {
    uint64_t seeds = 100, variants = 10, first = 1, minutes = 0, next;
    if (argc > 2) str_to_u64(str_from(argv[2]), &seeds);
    if (argc > 3) str_to_u64(str_from(argv[3]), &variants);
    if (argc > 4) str_to_u64(str_from(argv[4]), &first);
    if (argc > 5) str_to_u64(str_from(argv[5]), &minutes);
    double until = minutes ? clock_now() + 40.0 * (double)minutes : 1e18;
    Arena arena = { 0 };
    Error err;
    Reach r = { .dir = workdir_new(&arena, "reach"), .steps = { 1, 5, (unsigned)variants } };
    const char *some = file_join(&arena, r.dir, "some.c");
    SubjectSpec spec = { .coverage = argc > 1 ? argv[1] : ".", .path = some };
    if (!file_write(some, STR("int main(void) { return 0; }\n"), &err) ||
        !subject_open(&r.subject, &spec, &err))
        return err_report(&err);
    r.subject.compile_s = 600;
    r.flags = subject_flags(&r.subject, &arena, (const char *[]){ "-O2", "-w", NULL });
    uint32_t n = r.subject.map.n_stmts;
    r.base = bits_new(n);
    for (unsigned k = 0; k < RIVALS; k++)
        for (unsigned s = 0; s < STEPS; s++) r.more[k][s] = bits_new(n);
    Bits bits = bits_new(n), fresh = bits_new(n);
    unsigned done = 0;
    for (next = first; done < seeds && next < first + 20 * seeds && clock_now() < until; next++) {
        Arena scratch = { 0 };
        Str text;
        double cpu;
        if (generate(&r, &scratch, next, &text, &cpu))
            done += cover_seed(&r, next, text, (unsigned)variants, &bits);
        arena_release(&scratch);
        fprintf(stderr, "\r%u seeds", done);
    }
    print(&r, done);
    fflush(stdout);
    double end = minutes ? until + 20.0 * (double)minutes : 1e18;
    unsigned n_fresh = cover_fresh(&r, next + 1000000, end, &fresh, &bits);
    printf("fresh programs for Hermes's CPU time: +%.2f   (%u programs%s)\n", points(&r, &fresh),
           n_fresh, clock_now() < end ? "" : ", stopped before their time");
    workdir_remove(r.dir);
    return 0;
}

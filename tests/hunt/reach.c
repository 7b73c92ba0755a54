/* How much more of GCC variants reach than their seeds (the paper's Figure 7).
 *
 *     reach COVERAGE-BUILD OUT SEEDS VARIANTS [FIRST [MINUTES]]
 *
 * Line coverage of cc1 -O2 over SEEDS Csmith programs; the points gained by 1, 5 and VARIANTS
 * chained variants each of Hermes, Athena and Orion; and by fresh Csmith programs for the CPU time
 * that Hermes's variants took to derive and compile, seed by seed. Each seed is a file of bit sets
 * in the directory OUT: a run continues where one was stopped, several may run at once over
 * different numbers, and the figures are those of all seeds done so far. MINUTES: no new seed is
 * begun later. */
#include "base/file.h"
#include "base/quantity.h"
#include "base/rng.h"
#include "isolate/coverage_run.h"
#include "run/workdir.h"
#include "variant/mutate.h"
#include "variant/preprocess.h"

enum { STEPS = 3, RIVALS = 3, SETS = 2 + RIVALS * STEPS };

/* What one seed reached, or all of them together. */
typedef struct Sum {
    uint32_t seeds;            /* 0: not a usable seed (it does not end, say) */
    uint32_t compiled[RIVALS]; /* variants */
    uint32_t fresh, failed;    /* fresh programs; compilations that did not end well */
    double cpu[RIVALS];        /* derivation and compilation of all variants */
} Sum;

typedef struct Reach {
    const char *dir, *out;
    Subject subject;
    const char *const *flags;
    unsigned steps[STEPS]; /* 1, 5, VARIANTS */
    Sum sum;
    Bits sets[SETS]; /* covered by the seeds; by fresh programs; by each rival's first 1, 5 and all
                      */
} Reach;

static Bits *base(Reach *r) {
    return &r->sets[0];
}
static Bits *fresh(Reach *r) {
    return &r->sets[1];
}
static Bits *more(Reach *r, unsigned rival, unsigned step) {
    return &r->sets[2 + rival * STEPS + step];
}

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
        r->sum.failed++;
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

/* All variants of all rivals; false when the seed is not usable. */
static bool cover_seed(Reach *r, uint64_t seed, Str text, unsigned variants, Bits *bits) {
    cover(r, text, base(r));
    for (unsigned k = 0; k < RIVALS; k++) {
        MutateOptions options = { .seed = seed,
                                  .strategies = rivals[k].strategies,
                                  .run_limit_s = 5 };
        Error err;
        Variant v;
        MutateChain *chain = mutate_open(text, &options, &err);
        for (unsigned i = 1; chain && i <= variants && mutate_next(chain, &v, &err); i++) {
            MutateCost cost = mutate_cost(chain);
            r->sum.cpu[k] += mutate_cost_sum(&cost) + cover(r, v.text, bits);
            r->sum.compiled[k]++;
            for (unsigned s = 0; s < STEPS; s++)
                if (i <= r->steps[s]) add_bits(more(r, k, s), bits);
        }
        if (chain) mutate_close(chain);
        if (!r->sum.compiled[0]) return false;
    }
    return true;
}

/* Fresh programs until the CPU time of Hermes's variants is used up. */
static void cover_fresh(Reach *r, uint64_t seed, Bits *bits) {
    for (double used = 0; used < r->sum.cpu[0]; seed++) {
        Arena arena = { 0 };
        Str text;
        double cpu = 0;
        if (generate(r, &arena, seed, &text, &cpu)) {
            used += cover(r, text, bits);
            add_bits(fresh(r), bits);
            r->sum.fresh++;
        }
        used += cpu;
        arena_release(&arena);
    }
}

static void clear(Reach *r) {
    r->sum = (Sum){ 0 };
    for (unsigned i = 0; i < SETS; i++) bits_clear(&r->sets[i]);
}

static const char *seed_file(const Reach *r, Arena *arena, uint64_t seed) {
    return file_join(arena, r->out, arena_fmt(arena, "%llu.seed", (unsigned long long)seed));
}

static size_t set_bytes(const Reach *r) {
    return bits_words(&r->sets[0]) * sizeof(uint64_t);
}

/* Covers one seed and writes its file, unless that exists. */
static bool do_seed(Reach *r, uint64_t seed, unsigned variants, Bits *bits, Error *err) {
    Arena arena = { 0 };
    Str text;
    double cpu;
    clear(r);
    if (generate(r, &arena, seed, &text, &cpu) && cover_seed(r, seed, text, variants, bits)) {
        cover_fresh(r, 1000000 + 1000 * seed, bits);
        r->sum.seeds = 1;
    } else
        clear(r);
    Buf all = { 0 };
    buf_str(&all, (Str){ (const char *)&r->sum, sizeof r->sum });
    for (unsigned i = 0; i < SETS && r->sum.seeds; i++)
        buf_str(&all, (Str){ (const char *)r->sets[i].words, set_bytes(r) });
    bool ok = file_write(seed_file(r, &arena, seed), buf_view(&all), err);
    buf_release(&all);
    arena_release(&arena);
    return ok;
}

/* Adds a seed's file to the sums; false when it does not exist or is of another compiler. */
static bool add_seed(Reach *r, uint64_t seed) {
    Arena arena = { 0 };
    Str text;
    Sum one;
    size_t whole = sizeof one + SETS * set_bytes(r);
    bool ok = file_read(&arena, seed_file(r, &arena, seed), &text, NULL) && text.len >= sizeof one;
    if (ok) memcpy(&one, text.at, sizeof one);
    if (ok && one.seeds && text.len == whole) {
        const uint64_t *word = (const uint64_t *)(const void *)(text.at + sizeof one);
        for (unsigned i = 0; i < SETS; i++)
            for (uint32_t k = 0; k < bits_words(&r->sets[i]); k++) r->sets[i].words[k] |= *word++;
        for (unsigned k = 0; k < RIVALS; k++)
            r->sum.compiled[k] += one.compiled[k], r->sum.cpu[k] += one.cpu[k];
        r->sum.seeds++, r->sum.fresh += one.fresh, r->sum.failed += one.failed;
    }
    arena_release(&arena);
    return ok;
}

static double points(Reach *r, const Bits *set) {
    uint32_t gained = 0;
    for (uint32_t i = 0; i < bits_words(set); i++)
        gained += (uint32_t)__builtin_popcountll(set->words[i] & ~base(r)->words[i]);
    return 100.0 * gained / set->n_bits;
}

/* Prints the figures; true: the goals hold. */
static bool print(Reach *r) {
    printf("%u Csmith seeds (at most five functions) cover %.2f%% of cc1's %u statements at -O2 "
           "(the paper: 34%% of GCC)\n",
           r->sum.seeds, 100.0 * bits_count(base(r)) / base(r)->n_bits, base(r)->n_bits);
    printf("points gained by %u, %u, %u variants each:\n", r->steps[0], r->steps[1], r->steps[2]);
    for (unsigned k = 0; k < RIVALS; k++)
        printf("  %-8s +%.2f +%.2f +%.2f   (%u compilations, %.0f CPU seconds)\n", rivals[k].name,
               points(r, more(r, k, 0)), points(r, more(r, k, 1)), points(r, more(r, k, 2)),
               r->sum.compiled[k], r->sum.cpu[k]);
    double hermes = points(r, more(r, 0, STEPS - 1)), athena = points(r, more(r, 1, STEPS - 1));
    double others = points(r, fresh(r));
    printf("fresh programs for Hermes's CPU time: +%.2f   (%u programs)\n", others, r->sum.fresh);
    printf("Hermes is %.1f times Athena (the paper: +4.8 and +0.6); %u compilations failed\n",
           athena > 0 ? hermes / athena : 0, r->sum.failed);
    bool held = hermes >= 10 && hermes >= 2 * others && hermes >= 5 * athena;
    printf("goals: Hermes at least +10, twice the fresh programs, five times Athena: %s\n",
           held ? "held" : "MISSED");
    return held;
}

static bool open_reach(Reach *r, Arena *arena, const char *build, Error *err) {
    r->dir = workdir_new(arena, "reach");
    const char *some = file_join(arena, r->dir, "some.c");
    SubjectSpec spec = { .coverage = build, .path = some };
    if (!file_make_dirs(r->out, err) ||
        !file_write(some, STR("int main(void) { return 0; }\n"), err) ||
        !subject_open(&r->subject, &spec, err))
        return false;
    r->subject.compile_s = 600;
    r->flags = subject_flags(&r->subject, arena, (const char *[]){ "-O2", "-w", NULL });
    for (unsigned i = 0; i < SETS; i++) r->sets[i] = bits_new(r->subject.map.n_stmts);
    return true;
}

int main(int argc, char **argv) {
    uint64_t numbers[4] = { 100, 10, 1, 0 }; /* SEEDS VARIANTS FIRST MINUTES */
    if (argc < 3) return 2;
    for (int i = 3; i < argc && i < 7; i++) str_to_u64(str_from(argv[i]), &numbers[i - 3]);
    double until = numbers[3] ? clock_now() + 60.0 * (double)numbers[3] : 1e18;
    Arena arena = { 0 };
    Error err;
    Reach r = { .out = argv[2], .steps = { 1, 5, (unsigned)numbers[1] } };
    if (!open_reach(&r, &arena, argv[1], &err)) return err_report(&err);
    Bits bits = bits_new(r.subject.map.n_stmts);
    uint64_t next = numbers[2], end = next + numbers[0];
    for (uint64_t seed = next; seed < end && clock_now() < until; seed++)
        if (!file_exists(seed_file(&r, &arena, seed)) &&
            !do_seed(&r, seed, (unsigned)numbers[1], &bits, &err))
            return err_report(&err);
    clear(&r);
    for (uint64_t seed = next; seed < end; seed++) add_seed(&r, seed);
    bool held = print(&r);
    workdir_remove(r.dir);
    return held ? 0 : 1;
}

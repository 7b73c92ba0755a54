/* Variants of Csmith programs are equivalent: each is compiled, run and checked by sanitizers.
 *
 *     emi FIRST COUNT VARIANTS [SANITIZE [STRATEGIES]]
 *     emi --programs SEEDS VARIANTS FILE..       these programs, which must be usable
 *     emi --suite SEEDS VARIANTS FILE..          those that are usable; they lend functions to each
 * other
 *
 * The first form
 * takes COUNT usable Csmith seeds from number FIRST on, derives VARIANTS chained variants of each
 * and checks: gcc-12 and clang-19 -O0 compile it and it prints what the seed prints; every
 * SANITIZE-th variant (default 1: all; 0: none) has no report from UBSan and ASan of both compilers
 * and from MSan (cc/clean.h); a random subset of its snippets (of every third variant) gives the
 * same output as well. gcc-12 -O2 is timed on every fourth. Nine of ten seeds are small ones, so
 * that many fit into the time. Prints TAP, the exceptions as comments, and one "variant" line each
 * for bench/emi/run. */
#include "base/file.h"
#include "base/rng.h"
#include "cc/clean.h"
#include "run/run.h"
#include "run/workdir.h"
#include "variant/borrow/borrow.h"
#include "variant/mutate.h"
#include "variant/preprocess.h"

typedef struct Bench {
    const char *dir;
    CleanTools clean;
    double clean_s;    /* CPU of the sanitizers */
    Arena arena;       /* cleared for each seed */
    uint64_t sanitize; /* every so many variants; 0: never */
    unsigned strategies;
    double probability; /* of a point; 0: the default */
    Lender *lender;     /* NULL: none */
    unsigned seeds, variants, exceptions, refused;
    unsigned by_strategy[STRATEGY_COUNT];
    unsigned tcb_wide, tcb_member, tcb_pointer, tcb_several; /* kinds of TCBs among all */
    Str expected;                                            /* what the current seed prints */
    int code;
} Bench;

typedef struct Tool {
    const char *name;
    const char *argv[6];
} Tool;

static const Tool plain[] = { { "gcc-12 -O0", { "gcc-12", "-O0" } },
                              { "clang-19 -O0", { "clang-19", "-O0" } } };
static RunResult compile(Bench *b, const Tool *tool, const char *file) {
    const char *argv[32];
    unsigned n = 0;
    for (; n < COUNT_OF(tool->argv) && tool->argv[n]; n++) argv[n] = tool->argv[n];
    bool clang = str_starts(str_from(argv[0]), "clang");
    for (const char *const *word = cc_tolerant(clang ? CC_CLANG : CC_GCC); *word; word++)
        argv[n++] = *word;
    argv[n++] = file;
    argv[n++] = "-o";
    argv[n++] = "program";
    argv[n++] = "-lm";
    argv[n] = NULL;
    RunSpec spec = {
        .argv = argv, .dir = b->dir, .profile = RUN_USER, .limits = { .wall_s = 600 }
    };
    return run_one(&b->arena, &spec);
}

static RunResult run_program(Bench *b) {
    RunSpec spec = { .argv = (const char *[]){ "./program", NULL },
                     .dir = b->dir,
                     .profile = RUN_GENERATED,
                     .env = (const char *[]){ "ASAN_OPTIONS=detect_leaks=0", NULL },
                     .limits = { .wall_s = 120, .memory = RUN_UNLIMITED } };
    return run_one(&b->arena, &spec);
}

static Str first_line(Str text) {
    Str line = text;
    str_split(&text, '\n', &line);
    if (str_find(line, STR("in function"), 0) != STR_NONE) str_split(&text, '\n', &line);
    return line;
}

/* Compiles and runs; an exception (compiler failed, other output, sanitizer report) is printed. */
static bool check(Bench *b, const Tool *tool, const char *file, uint64_t seed, unsigned round) {
    RunResult r = compile(b, tool, file);
    const char *what = NULL;
    if (!run_ok(&r))
        what = "does not compile";
    else {
        r = run_program(b);
        if (r.end != RUN_EXITED || r.code != b->code)
            what = "ends otherwise";
        else if (!str_eq(r.out, b->expected))
            what = "prints something else";
    }
    if (what)
        printf("# EXCEPTION seed %llu variant %u %s: %s: %s: " STR_FMT "\n",
               (unsigned long long)seed, round, tool->name, what, run_describe(&b->arena, &r),
               STR_ARG(first_line(r.err)));
    return !what;
}

/* UBSan and ASan of clang and gcc, MSan, effective types; what they say in why. Csmith takes
 * addresses of members of packed structures, which are aligned or not by the linker's choice: where
 * there are such, alignment is not checked. */
static bool is_clean(Bench *b, Str text, const char **why) {
    CleanJob job;
    clean_job_init(&job, &b->clean, text);
    bool packs = str_find(text, STR("pragma pack"), 0) != STR_NONE;
    job.flags = flags_plus(&b->arena, cc_tolerant(CC_CLANG),
                           (const char *const[]){ packs ? "-w" : "-fsanitize=alignment", NULL });
    job.compare = true;
    job.expected = b->expected;
    job.code = b->code;
    job.run_s = 60;
    clean_job_run(&job);
    bool clean = job.result == CLEAN_YES;
    b->clean_s += job.cpu_s;
    *why = clean ? NULL : arena_fmt(&b->arena, STR_FMT, STR_ARG(job.why));
    clean_job_end(&job);
    return clean;
}

/* The program in raw.c, preprocessed; false when it does not end soon or is not clean. */
static bool prepare_text(Bench *b, Str raw_text, Str *text) {
    Error err;
    const char *raw = file_join(&b->arena, b->dir, "raw.c");
    const char *flags[] = { "-I/usr/include/csmith", NULL };
    if (!file_write(raw, raw_text, &err) || !preprocess_seed(&b->arena, raw, flags, text, &err) ||
        !file_write(file_join(&b->arena, b->dir, "seed.c"), *text, &err))
        return false;
    RunResult r = compile(b, &plain[0], "seed.c");
    if (!run_ok(&r)) return false;
    r = run_program(b);
    if (r.end != RUN_EXITED || r.cpu_s > 3) return false;
    b->expected = r.out;
    b->code = r.code;
    const char *why;
    if (!b->sanitize || is_clean(b, *text, &why)) return true;
    printf("# not clean: %s\n", why);
    return false;
}

static bool prepare(Bench *b, uint64_t seed, Str *text) {
    const char *number = arena_fmt(&b->arena, "%llu", (unsigned long long)seed);
    static const char *const small[] = { "--max-funcs",
                                         "4",
                                         "--max-block-size",
                                         "3",
                                         "--max-block-depth",
                                         "4",
                                         "--max-expr-complexity",
                                         "8",
                                         NULL };
    const char *argv[16] = { "csmith", "--seed", number };
    for (unsigned i = 0; seed % 10 && small[i]; i++) argv[3 + i] = small[i];
    RunSpec spec = { .argv = argv, .dir = b->dir, .profile = RUN_USER, .limits = { .wall_s = 30 } };
    RunResult r = run_one(&b->arena, &spec);
    return run_ok(&r) && prepare_text(b, r.out, text);
}

static bool contains(Str text, const char *word) {
    return str_find(text, str_from(word), 0) != STR_NONE;
}

static void count_snippets(Bench *b, const Variant *v) {
    for (size_t i = v->snippets_len - v->fresh; i < v->snippets_len; i++) {
        const Snippet *s = &v->snippets[i];
        b->by_strategy[s->strategy]++;
        if (s->strategy != STRATEGY_TCB) continue;
        b->tcb_wide += contains(s->text, " long ") || contains(s->text, "{ long ");
        b->tcb_member += contains(s->text, ".f");
        b->tcb_pointer += contains(s->text, "(*");
        b->tcb_several += contains(s->text, "b1 = ");
    }
}

static bool check_subset(Bench *b, MutateChain *chain, const Variant *v, uint64_t seed) {
    Rng rng = rng_stream(seed, "subset", v->round);
    bool *keep = ARENA_ARRAY(&b->arena, bool, v->snippets_len + 1);
    for (size_t i = 0; i < v->snippets_len; i++) keep[i] = rng_chance(&rng, 0.5);
    Buf text = { 0 };
    Error err;
    mutate_render(chain, v, keep, &text);
    bool ok = file_write(file_join(&b->arena, b->dir, "subset.c"), buf_view(&text), &err) &&
              check(b, &plain[v->round % 2], "subset.c", seed, v->round);
    buf_release(&text);
    return ok;
}

static bool check_variant(Bench *b, MutateChain *chain, const Variant *v, uint64_t seed) {
    Error err;
    if (!file_write(file_join(&b->arena, b->dir, "variant.c"), v->text, &err)) return false;
    bool ok = true;
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        ok &= check(b, &plain[i], "variant.c", seed, v->round);
    const char *why = NULL;
    if (b->sanitize && b->variants % b->sanitize == 0 && !is_clean(b, v->text, &why)) {
        printf("# EXCEPTION seed %llu variant %u sanitizers: %s\n", (unsigned long long)seed,
               v->round, why);
        ok = false;
    }
    if (b->probability > 0 || b->variants % 3 == 0) ok &= check_subset(b, chain, v, seed);
    static const Tool optimised = { "gcc-12 -O2", { "gcc-12", "-O2" } };
    RunResult r = { 0 };
    if (b->variants % 4 == 0) r = compile(b, &optimised, "variant.c");
    MutateCost cost = mutate_cost(chain);
    printf("# variant %llu %u derive %.3f parse %.3f compile %.3f run %.3f gcc-O2 %.3f bytes %zu "
           "fresh %u\n",
           (unsigned long long)seed, v->round, mutate_cost_sum(&cost), cost.parse_s, cost.compile_s,
           cost.run_s, r.cpu_s, v->text.len, v->fresh);
    fflush(stdout);
    return ok;
}

static void check_seed(Bench *b, uint64_t seed, Str text, uint64_t variants) {
    Error err;
    MutateOptions options = { .seed = seed,
                              .strategies = b->strategies,
                              .probability = b->probability,
                              .lender = b->lender,
                              .flags = cc_tolerant(CC_CLANG),
                              .expected = b->expected,
                              .expected_code = b->code };
    MutateChain *chain = mutate_open(text, &options, &err);
    if (!chain) {
        b->refused++;
        printf("# refused %llu: %s\n", (unsigned long long)seed, err.text);
        return;
    }
    b->seeds++;
    for (uint64_t i = 0; i < variants; i++) {
        Variant v;
        if (!mutate_next(chain, &v, &err)) {
            b->exceptions++;
            printf("# EXCEPTION seed %llu variant %llu: %s\n", (unsigned long long)seed,
                   (unsigned long long)i + 1, err.text);
            break;
        }
        count_snippets(b, &v);
        if (!check_variant(b, chain, &v, seed)) b->exceptions++;
        b->variants++;
    }
    mutate_close(chain);
}

static uint64_t argument(int argc, char **argv, int at, uint64_t fallback) {
    uint64_t value = fallback;
    if (argc > at) str_to_u64(str_from(argv[at]), &value);
    return value;
}

static void check_csmith(Bench *b, int argc, char **argv) {
    uint64_t first = argument(argc, argv, 1, 1), count = argument(argc, argv, 2, 1);
    b->sanitize = argument(argc, argv, 4, 1);
    for (uint64_t seed = first; b->seeds < count && seed < first + 20 * count; seed++) {
        Str text;
        arena_clear(&b->arena);
        if (prepare(b, seed, &text)) check_seed(b, seed, text, argument(argc, argv, 3, 3));
    }
    if (b->seeds < count) b->exceptions++;
}

/* What the suite's programs lend to each other. */
static Lender *suite_lender(int n, char **files) {
    Lender *lender = lender_new();
    Error err = { 0 };
    for (int i = 0; i < n; i++) {
        Arena arena = { 0 };
        Str text;
        CfrontOptions options = { .name = files[i], .args = cc_tolerant(CC_CLANG) };
        bool there = file_read(&arena, files[i], &text, NULL);
        const CUnit *unit = there ? cfront_parse(&arena, text, &options, &err) : NULL;
        if (unit) lender_take(lender, unit);
        arena_release(&arena);
    }
    if (!lender_record(lender, 1, &err)) exit(err_report(&err));
    printf("# %zu functions are lent\n", lender->list.len);
    return lender;
}

static void check_programs(Bench *b, int argc, char **argv) {
    bool must_fit = strcmp(argv[1], "--programs") == 0;
    if (!must_fit) b->lender = suite_lender(argc - 4, argv + 4);
    b->sanitize = 1;
    b->probability = 1;
    for (int i = 4; i < argc; i++)
        for (uint64_t seed = 1; seed <= argument(argc, argv, 2, 1); seed++) {
            Str raw, text;
            Error err;
            arena_clear(&b->arena);
            printf("# program %s\n", argv[i]);
            b->strategies = seed % 2 ? STRATEGIES_HERMES : STRATEGY_BIT(STRATEGY_COUNT) - 1;
            if (b->lender) b->strategies |= STRATEGY_BIT(STRATEGY_BORROW);
            if (file_read(&b->arena, argv[i], &raw, &err) && prepare_text(b, raw, &text))
                check_seed(b, seed, text, argument(argc, argv, 3, 1));
            else if (must_fit) {
                printf("# EXCEPTION %s is not usable\n", argv[i]);
                b->exceptions++;
            } else
                b->refused++;
            fflush(stdout);
        }
}

int main(int argc, char **argv) {
    Bench b = { .strategies = STRATEGIES_HERMES };
    Error err;
    bool programs = argc > 1 && str_starts(str_from(argv[1]), "--");
    if (!programs && argc > 5 && !strategies_parse(str_from(argv[5]), &b.strategies, &err))
        return err_report(&err);
    Arena arena = { 0 };
    b.dir = workdir_new(&arena, "emi");
    if (!clean_tools_open(&arena, &b.clean, &err)) return err_report(&err);
    if (!b.clean.have_clang || !b.clean.have_gcc || !b.clean.have_memory) {
        fputs("a sanitizer is missing\n", stderr);
        return 1;
    }
    if (programs)
        check_programs(&b, argc, argv);
    else
        check_csmith(&b, argc, argv);
    printf("# sum seeds %u variants %u exceptions %u refused %u", b.seeds, b.variants, b.exceptions,
           b.refused);
    for (unsigned i = 0; i < STRATEGY_COUNT; i++)
        printf(" %s %u", strategy_name(i), b.by_strategy[i]);
    printf(" sanitizers-s %.0f", b.clean_s);
    printf(" tcb-64bit %u tcb-member %u tcb-pointer %u tcb-several %u\n", b.tcb_wide, b.tcb_member,
           b.tcb_pointer, b.tcb_several);
    bool ok = b.exceptions == 0 && b.variants > 0;
    printf("1..1\n%s 1 - %u variants of %u programs are equivalent\n", ok ? "ok" : "not ok",
           b.variants, b.seeds);
    lender_free(b.lender);
    workdir_remove(b.dir);
    return ok ? 0 : 1;
}

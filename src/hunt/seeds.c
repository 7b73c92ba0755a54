/* Seeds: made or read, preprocessed once, and checked before a chain grows from them. */
#include "hunt/seeds.h"

#include "base/file.h"
#include "base/quantity.h"
#include "hunt/trial.h"
#include "run/workdir.h"
#include "variant/preprocess.h"

#define CSMITH_S 20.0 /* CPU seconds for making one program */

/* Shapes of Csmith programs: small ones give more bugs per CPU second, large ones others. */
static const char *const small[] = {
    "--max-funcs", "3", "--max-block-depth", "3", "--max-expr-complexity", "6", NULL
};
static const char *const medium[] = { "--max-funcs", "6", "--max-block-depth", "4", NULL };
static const char *const simple[] = {
    "--max-funcs", "4", "--no-volatiles", "--max-pointer-depth", "3", "--max-struct-fields",
    "5",           NULL
};
static const char *const whole[] = { NULL };
static const struct {
    const char *const *flags;
    double weight;
} shapes[] = { { small, 4 }, { medium, 3 }, { simple, 3 }, { whole, 1 } };

/* ---- opening ---- */
static bool find_csmith(Arena *arena, Seeds *out, Error *err) {
    static const char *const places[] = { "/usr/include/csmith", "/usr/local/include/csmith",
                                          "/usr/include/csmith-2.3.0",
                                          "/usr/local/include/csmith-2.3.0" };
    out->csmith = file_find_program(arena, "csmith");
    if (!out->csmith)
        return err_set(err, STATUS_LACKS,
                       "there is no csmith here to make seeds; Debian has it in the packages "
                       "csmith and libcsmith-dev (or give --seeds)");
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (file_exists(file_join(arena, places[i], "csmith.h"))) out->csmith_include = places[i];
    return out->csmith_include != NULL ||
           err_set(err, STATUS_LACKS,
                   "there is no csmith.h here; Debian has it in the package libcsmith-dev");
}

bool seeds_open(Arena *arena, const StrVec *paths, uint64_t seed, Seeds *out, Error *err) {
    *out = (Seeds){ .seed = seed };
    for (size_t i = 0; i < paths->len; i++) {
        size_t before = out->files.len;
        const char *path = paths->at[i].at;
        if (!file_list(arena, path, file_is_dir(path) ? ".c" : NULL, &out->files, err))
            return false;
        if (out->files.len == before) return err_set(err, STATUS_BAD, "no C programs in %s", path);
    }
    return paths->len > 0 || find_csmith(arena, out, err);
}

void seeds_close(Seeds *seeds) {
    vec_release(&seeds->files);
}

uint64_t seeds_count(const Seeds *seeds) {
    return seeds->files.len;
}

/* ---- making ---- */
/* tcc does not know `#pragma pack(push)`: where it is alone, seeds have none. */
static bool only_simple(const HuntSetup *setup) {
    for (size_t i = 0; i < setup->compilers.len; i++)
        if (setup->compilers.at[i].levels) return false;
    return true;
}

static const char *make_csmith(Arena *arena, const Seeds *seeds, const HuntSetup *setup,
                               uint64_t number, const char *dir, Seed *seed) {
    Rng rng = rng_stream(seeds->seed, "csmith", number);
    double weights[COUNT_OF(shapes)];
    for (size_t i = 0; i < COUNT_OF(shapes); i++) weights[i] = shapes[i].weight;
    const char *const *shape = shapes[rng_weighted(&rng, weights, COUNT_OF(shapes))].flags;
    uint64_t csmith_seed = rng_below(&rng, 1ull << 32);
    const char *path = file_join(arena, dir, "seed.c");
    const char *const fixed[] = { seeds->csmith,
                                  "--seed",
                                  arena_fmt(arena, "%llu", (unsigned long long)csmith_seed),
                                  "--concise",
                                  "-o",
                                  path,
                                  only_simple(setup) ? "--no-packed-struct" : NULL,
                                  NULL };
    RunSpec spec = { .argv = flags_plus(arena, fixed, shape),
                     .dir = dir,
                     .limits = { .cpu_s = CSMITH_S, .wall_s = 8 * CSMITH_S } };
    RunResult r = run_one(arena, &spec);
    seed->name = arena_fmt(arena, "csmith --seed %llu%s" STR_FMT, (unsigned long long)csmith_seed,
                           *shape ? " " : "", STR_ARG(flags_join(arena, shape)));
    if (run_ok(&r)) return path;
    seed->skipped = arena_fmt(arena, "csmith: %s", run_describe(arena, &r));
    return NULL;
}

static bool preprocess(Arena *arena, const Seeds *seeds, const HuntSetup *setup, const char *path,
                       Seed *seed, Error *err) {
    const char *const own[] = { seeds->csmith ? arena_fmt(arena, "-I%s", seeds->csmith_include)
                                              : "-w",
                                NULL };
    Error why = { 0 };
    if (!preprocess_seed(
            arena, path,
            flags_plus(arena, flags_plus(arena, own, cc_tolerant(CC_CLANG)), setup->include),
            &seed->subject.text, &why)) {
        if (why.status == STATUS_LACKS) return *err = why, false;
        seed->skipped = arena_strdup(arena, why.text);
    } else if (seed->subject.text.len > CAMPAIGN_SEED_SIZE) {
        seed->skipped = "too long";
    }
    return true;
}

/* ---- checking ---- */
/* Compiled without optimisation: what must it print? The library's functions are not built in for
 * the first: a seed that defines one of its own (which C leaves undefined) may print something else
 * then, and is skipped. */
static bool reference(Arena *arena, const Compiler *cc, Seed *seed, bool first) {
    const char *const level[] = { "-O0", first ? "-fno-builtin" : NULL, NULL };
    CcJob job;
    cc_job_init(&job, cc, flags_plus(arena, level, cc_tolerant(cc->kind)), seed->subject.text,
                CC_UNTIL_RUN);
    job.run_s = CAMPAIGN_SEED_RUN_S;
    cc_job_run(&job);
    bool ok = job.verdict.kind == VERDICT_OK && job.ran.end == RUN_EXITED;
    if (ok && first) {
        seed->subject.expected = arena_str(arena, job.ran.out);
        seed->subject.code = job.ran.code;
    } else if (ok && (!str_eq(seed->subject.expected, job.ran.out) ||
                      seed->subject.code != job.ran.code)) {
        seed->skipped = "its output is not the same under two compilers without optimisation, one "
                        "of them without "
                        "built-in functions";
    } else if (!ok && job.verdict.kind != VERDICT_CRASH && job.verdict.kind != VERDICT_HANG) {
        /* a compiler that crashes on it is a finding, not a fault of the seed */
        seed->later = job.verdict.kind == VERDICT_NONE && job.ran.wall_s == 0;
        seed->skipped =
            arena_fmt(arena, "%s -O0: %s: " STR_FMT, cc->name, verdict_name(job.verdict.kind),
                      STR_ARG(job.verdict.kind == VERDICT_OK
                                  ? str_from(run_describe(&job.job.arena, &job.ran))
                                  : job.verdict.detail));
    }
    cc_job_end(&job);
    return ok;
}

/* Csmith's programs set what they read; of others all sanitizers are asked. */
static void check_clean(Arena *arena, const HuntSetup *setup, bool made, Seed *seed) {
    CleanJob job;
    clean_job_init(&job, &setup->clean, seed->subject.text);
    job.flags = cc_tolerant(CC_CLANG);
    job.quick = made;
    job.compare = true;
    job.expected = seed->subject.expected, job.code = seed->subject.code;
    job.run_s = CAMPAIGN_SEED_RUN_S;
    clean_job_run(&job);
    if (job.result != CLEAN_YES)
        seed->skipped = arena_fmt(arena, "not clean: " STR_FMT, STR_ARG(job.why));
    clean_job_end(&job);
}

static void check(Arena *arena, const HuntSetup *setup, bool made, Seed *seed) {
    bool one = setup->clean.have_gcc && reference(arena, &setup->clean.gcc, seed, true);
    if (seed->skipped) return;
    bool two = setup->clean.have_clang && reference(arena, &setup->clean.clang, seed, !one);
    if (seed->skipped) return;
    if (!one && !two)
        seed->skipped = "no reference compiler compiles it";
    else
        check_clean(arena, setup, made, seed);
}

bool seed_get(Arena *arena, const Seeds *seeds, const HuntSetup *setup, Pool *pool, uint64_t number,
              Seed *out, Error *err) {
    (void)pool;
    *out = (Seed){ .number = number };
    double before = run_children_cpu();
    char *dir = workdir_new(arena, "seed");
    const char *path;
    if (seeds->files.len) {
        path = seeds->files.at[number % seeds->files.len].at;
        out->name = path;
    } else
        path = make_csmith(arena, seeds, setup, number, dir, out);
    bool ok = !path || preprocess(arena, seeds, setup, path, out, err);
    workdir_remove(dir);
    if (ok && !out->skipped) check(arena, setup, seeds->csmith != NULL, out);
    out->cost = run_children_cpu() - before;
    if (ok && out->skipped && disk_is_full(str_from(out->skipped)))
        return err_set(err, STATUS_BAD, "%s: %s", out->name, out->skipped);
    return ok;
}

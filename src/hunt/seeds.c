/* Seeds: made or read, preprocessed once, and checked before a chain grows from them. */
#include "hunt/seeds.h"

#include "base/file.h"
#include "base/quantity.h"
#include "cc/foreign.h"
#include "hunt/crash/medley.h"
#include "hunt/seed/kernels.h"
#include "hunt/suite.h"
#include "hunt/trial.h"
#include "run/workdir.h"
#include "variant/fitness.h"
#include "variant/preprocess.h"

#define CSMITH_S 20.0 /* CPU seconds for making one program */

/* Shapes of Csmith programs: small ones give more bugs per CPU second, large ones give different
 * bugs. */
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
        return err_set(
            err, STATUS_LACKS,
            "csmith is not installed, so no seeds can be made; Debian has it in the packages "
            "csmith and libcsmith-dev (or give --seeds)");
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (file_exists(file_join(arena, places[i], "csmith.h"))) out->csmith_include = places[i];
    return out->csmith_include != NULL ||
           err_set(err, STATUS_LACKS,
                   "csmith.h is not installed; Debian has it in the package libcsmith-dev");
}

bool seeds_open(Arena *arena, const StrVec *paths, const HuntSetup *setup, Seeds *out, Error *err) {
    bool made = !paths->len;
    *out = (Seeds){ .seed = setup->seed,
                    .medleys = made && setup->crashes,
                    .kernels = made && !setup->crashes && setup->kernels };
    for (size_t i = 0; i < paths->len; i++) {
        size_t before = out->files.len;
        const char *path = paths->at[i].at;
        if (!file_list(arena, path, file_is_dir(path) ? ".c" : NULL, &out->files, err))
            return false;
        if (out->files.len == before) return err_set(err, STATUS_BAD, "no C programs in %s", path);
    }
    return !made || out->medleys || out->kernels || find_csmith(arena, out, err);
}

void seeds_close(Seeds *seeds) {
    vec_release(&seeds->files);
}

void seeds_shuffle(Seeds *seeds) {
    Rng rng = rng_stream(seeds->seed, "order", 0);
    if (seeds->files.len) rng_shuffle(&rng, seeds->files.at, seeds->files.len, sizeof(Str));
}

uint64_t seeds_count(const Seeds *seeds) {
    return seeds->files.len;
}

/* ---- making ---- */
static void skip(Seed *seed, const char *why) {
    seed->use = SEED_SKIPPED;
    seed->why = why;
}

/* tcc does not know `#pragma pack(push)`: where it is the only compiler, seeds have none. */
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
    skip(seed, arena_fmt(arena, "csmith: %s", run_describe(arena, &r)));
    return NULL;
}

static const char *make_medley(Arena *arena, const Seeds *seeds, const HuntSetup *setup,
                               uint64_t number, const char *dir, Seed *seed) {
    Rng rng = rng_stream(seeds->seed, "medley", number);
    const char *path = file_join(arena, dir, "seed.c");
    Buf text = { 0 };
    Error err;
    medley_draw(&rng, setup->gnu, &text);
    seed->name = arena_fmt(arena, "medley %llu", (unsigned long long)number);
    bool ok = file_write(path, buf_view(&text), &err);
    buf_release(&text);
    if (ok) return path;
    skip(seed, arena_strdup(arena, err.text));
    return NULL;
}

/* The interpreter of kernels is its reference. */
static void make_kernels(Arena *arena, const Seeds *seeds, const HuntSetup *setup, uint64_t number,
                         Seed *seed) {
    Rng rng = rng_stream(seeds->seed, "kernels", number);
    Buf text = { 0 }, expected = { 0 };
    KernelsOrder order = kernels_order(&setup->compilers);
    order.reals = !setup->no_reals;
    kernels_draw(&rng, &order, &text, &expected);
    seed->name = arena_fmt(arena, "kernels %llu", (unsigned long long)number);
    seed->subject.text = arena_str(arena, buf_view(&text));
    seed->subject.expected = arena_str(arena, buf_view(&expected));
    seed->subject.run_s = CAMPAIGN_KERNELS_S;
    if (order.bitint) seed->subject.skip = CLEAN_GCC | CLEAN_TYPES; /* they do not know _BitInt */
    buf_release(&text);
    buf_release(&expected);
}

/* From now on the seed is only compiled. */
static void only_compile(Seed *seed, const char *why) {
    seed->use = SEED_COMPILED;
    seed->why = why;
    seed->subject.compiled = true;
}

static const char *const *words_of(Arena *arena, const StrVec *list) {
    const char **words = ARENA_ARRAY(arena, const char *, list->len + 1);
    for (size_t i = 0; i < list->len; i++) words[i] = list->at[i].at;
    return words;
}

/* Reads what its suite says about it. */
static void read_suite(Arena *arena, const HuntSetup *setup, const char *path, Seed *seed) {
    Str text;
    SuiteNote note;
    if (!file_read(arena, path, &text, NULL)) {
        skip(seed, "cannot be read");
        return;
    }
    suite_read(arena, path, text, setup->foreign ? setup->compilers.at[0].target : NULL, &note);
    if (note.flags.len) seed->subject.flags = words_of(arena, &note.flags);
    if (note.machine.len) seed->machine = words_of(arena, &note.machine);
    if (note.without.len) seed->without = words_of(arena, &note.without);
    if (note.unfit)
        skip(seed, note.unfit);
    else if (note.wish == SUITE_COMPILE)
        only_compile(seed, "its suite only compiles it");
    else if (note.unrun)
        only_compile(seed, note.unrun);
    suite_release(&note);
}

/* "--target=T" for clang, which reads programs; NULL: this machine. */
static const char *aim_of(Arena *arena, const HuntSetup *setup) {
    if (!setup->foreign) return NULL;
    return arena_fmt(arena, "--target=%s", foreign_triple(arena, setup->compilers.at[0].target));
}

static bool preprocess(Arena *arena, const Seeds *seeds, const HuntSetup *setup, const char *path,
                       Seed *seed, Error *err) {
    const char *const own[] = { seeds->csmith ? arena_fmt(arena, "-I%s", seeds->csmith_include)
                                              : "-w",
                                aim_of(arena, setup), NULL };
    const char *const *flags = flags_plus(arena, own, cc_tolerant(CC_CLANG));
    flags = flags_plus(arena, flags_plus(arena, flags, setup->include), seed->subject.flags);
    Error why = { 0 };
    /* for the machine its suite wants, where clang knows that machine */
    bool ok = setup->crashes && seed->machine &&
              preprocess_seed(arena, path, flags_plus(arena, flags, seed->machine),
                              &seed->subject.text, &why);
    if (!ok && !preprocess_seed(arena, path, flags, &seed->subject.text, &why)) {
        if (why.status == STATUS_LACKS) return *err = why, false;
        size_t named = strlen(path); /* "FILE: why": whose words these are is said with them */
        bool again = strncmp(why.text, path, named) == 0 && why.text[named] == ':';
        skip(seed, arena_strdup(arena, again ? why.text + named + 2 : why.text));
    } else if (seed->subject.text.len > CAMPAIGN_SEED_SIZE) {
        skip(seed, "too long");
    }
    return true;
}

/* ---- checking ---- */
/* The reason first: seeds are counted by what stands before the colon. */
static const char *why_no_output(Arena *arena, const Compiler *cc, const CcJob *job) {
    VerdictKind kind = job->verdict.kind;
    Str detail =
        kind == VERDICT_OK ? str_from(run_describe(arena, &job->ran)) : job->verdict.detail;
    const char *what = kind == VERDICT_OK     ? "it does not end properly"
                       : kind == VERDICT_LINK ? "it cannot be linked"
                                              : "there is no telling what it prints";
    return arena_fmt(arena, "%s: %s -O0: " STR_FMT, what, cc->name, STR_ARG(detail));
}

/* What must it print, without optimisation? For the first compiler, library functions are not built
 * in: a seed that defines one itself (which C leaves undefined) may then print something else. */
static bool reference(Arena *arena, Pool *pool, const Compiler *cc, Seed *seed, bool first) {
    const char *const level[] = { "-O0", first ? "-fno-builtin" : NULL, NULL };
    const char *const *flags = flags_plus(arena, level, cc_tolerant(cc->kind));
    CcJob job;
    cc_job_init(&job, cc, flags_plus(arena, flags, seed->subject.flags), seed->subject.text,
                CC_UNTIL_RUN);
    job.run_s = CAMPAIGN_SEED_RUN_S;
    pool_submit(pool, &job.job);
    pool_next(pool);
    VerdictKind kind = job.job.cancelled ? VERDICT_NONE : job.verdict.kind;
    bool ok = kind == VERDICT_OK && job.ran.end == RUN_EXITED;
    if (ok && first) {
        seed->subject.expected = arena_str(arena, job.ran.out);
        seed->subject.code = job.ran.code;
    } else if (ok && (!str_eq(seed->subject.expected, job.ran.out) ||
                      seed->subject.code != job.ran.code)) {
        only_compile(seed, "its output is not the same under two compilers without optimisation, "
                           "one of them without built-in functions");
    } else if (!ok && kind != VERDICT_CRASH && kind != VERDICT_HANG && kind != VERDICT_REJECTED) {
        /* a crash is a finding for later; a compiler that refuses it may be too old */
        seed->later = kind == VERDICT_NONE && job.ran.wall_s == 0;
        only_compile(seed, why_no_output(arena, cc, &job));
    }
    cc_job_end(&job);
    return ok;
}

/* The newest references that accept it, one of each kind. */
static unsigned ask_references(Arena *arena, const HuntSetup *setup, Pool *pool, Seed *seed) {
    unsigned agreed = 0, done = 0;
    for (size_t i = 0; i < setup->references.len && seed->use == SEED_RUN; i++) {
        const Compiler *cc = &setup->references.at[i];
        if (done & 1u << cc->kind) continue;
        if (!reference(arena, pool, cc, seed, agreed == 0)) continue;
        agreed++;
        done |= 1u << cc->kind;
    }
    return agreed;
}

/* Csmith's programs initialise what they read; others are checked with all sanitizers. A sanitizer
 * that cannot build the seed (C23, say) is left out from here on, as long as there is another. */
static void check_clean(Arena *arena, const HuntSetup *setup, Pool *pool, bool made, Seed *seed) {
    for (unsigned tries = 0; tries < 2; tries++) {
        CleanJob job;
        clean_job_init(&job, &setup->clean, seed->subject.text);
        job.flags = flags_plus(arena, cc_tolerant(CC_CLANG), seed->subject.flags);
        job.quick = made;
        job.skip = seed->subject.skip;
        job.compare = true;
        job.expected = seed->subject.expected, job.code = seed->subject.code;
        job.run_s = CAMPAIGN_SEED_RUN_S;
        pool_submit(pool, &job.job);
        pool_next(pool);
        bool clean = job.result == CLEAN_YES && !job.job.cancelled;
        bool unbuilt = job.result == CLEAN_UNKNOWN && !job.unended && !job.job.cancelled;
        seed->later |= job.job.cancelled;
        if (!clean && setup->foreign && job.result == CLEAN_NO && !job.reported)
            only_compile(seed, "it does not do here what it does on its target, so that nothing "
                               "can check it");
        else if (!clean)
            only_compile(seed, arena_fmt(arena, "not clean: " STR_FMT, STR_ARG(job.why)));
        unsigned gcc = 1u << 1;
        bool again = unbuilt && setup->clean.have_clang && !(seed->subject.skip & gcc) &&
                     str_find(job.why, str_from(setup->clean.gcc.name), 0) == 0;
        clean_job_end(&job);
        if (clean || !again) return;
        seed->subject.skip |= gcc;
        seed->subject.compiled = false;
        seed->use = SEED_RUN, seed->why = NULL;
    }
}

static void check(Arena *arena, const HuntSetup *setup, Pool *pool, bool made, Seed *seed) {
    Error unfit = { 0 };
    if (!fitness_of_seed(seed->subject.text, &unfit)) {
        only_compile(seed, arena_strdup(arena, unfit.text));
        return;
    }
    unsigned agreed = ask_references(arena, setup, pool, seed);
    if (seed->use == SEED_RUN && !agreed)
        only_compile(seed, "no reference compiler accepts it");
    else if (seed->use == SEED_RUN)
        check_clean(arena, setup, pool, made, seed);
}

bool seed_get(Arena *arena, const Seeds *seeds, const HuntSetup *setup, Pool *pool, uint64_t number,
              Seed *out, Error *err) {
    *out = (Seed){ .number = number, .use = SEED_RUN };
    double before = run_children_cpu();
    char *dir = workdir_new(arena, "seed");
    const char *path;
    if (seeds->kernels) {
        make_kernels(arena, seeds, setup, number, out);
        workdir_remove(dir);
        return true;
    }
    if (seeds->files.len) {
        path = out->name = seeds->files.at[number % seeds->files.len].at;
        read_suite(arena, setup, path, out);
    } else if (seeds->medleys)
        path = make_medley(arena, seeds, setup, number, dir, out);
    else
        path = make_csmith(arena, seeds, setup, number, dir, out);
    if (setup->foreign) /* its own options come later and take precedence */
        out->subject.flags =
            flags_plus(arena, foreign_meaning(&setup->compilers.at[0]), out->subject.flags);
    bool ok = out->use == SEED_SKIPPED || preprocess(arena, seeds, setup, path, out, err);
    workdir_remove(dir);
    if (setup->crashes && out->use != SEED_SKIPPED) {
        only_compile(out, NULL);
    } else if (ok && out->use == SEED_RUN)
        check(arena, setup, pool, seeds->csmith != NULL, out);
    out->cost = run_children_cpu() - before;
    if (ok && out->why && disk_is_full(str_from(out->why)))
        return err_set(err, STATUS_BAD, "%s: %s", out->name, out->why);
    return ok;
}

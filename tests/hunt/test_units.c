/* A program cut into units does what the whole one does, whoever compiles the units: each of a
 * number of random plans, with the real compilers, at all levels, with link-time optimisation. Each
 * function and variable is defined in exactly one unit. What cannot be cut is refused with a
 * reason. */
#include "base/file.h"
#include "hunt/units.h"
#include "run/run.h"
#include "test.h"
#include "variant/preprocess.h"

static Arena arena;

static const char *const compilers[] = { "gcc-11", "gcc-12", "clang-14", "clang-16", NULL };

static HuntSetup open_setup(void) {
    HuntSetup setup = { .levels = cc_levels };
    Error err;
    for (const char *const *name = compilers; *name; name++) {
        Compiler cc;
        if (compiler_open(&arena, *name, &cc, &err)) vec_push(&setup.compilers, cc);
    }
    assert_true(setup.compilers.len > 1);
    return setup;
}

static Str seed_text(const char *name) {
    const char *source = getenv("HUNT_PROGRAMS");
    Error err;
    Str text;
    assert_non_null(source);
    assert_true(preprocess_seed(&arena, file_join(&arena, source, name), (const char *[]){ NULL },
                                &text, &err));
    return text;
}

static Str whole_output(const HuntSetup *setup, Str text) {
    CcJob job;
    const char *const flags[] = { "-O0", "-w", NULL };
    cc_job_init(&job, &setup->compilers.at[0], flags, text, CC_UNTIL_RUN);
    cc_job_run(&job);
    assert_int_equal(job.verdict.kind, VERDICT_OK);
    Str out = arena_str(&arena, job.ran.out);
    cc_job_end(&job);
    return out;
}

static void try_plan(const HuntSetup *setup, const UnitPlan *plan, Str text, Str expected) {
    CcJob job;
    const char *why = "";
    cc_job_init(&job, &setup->compilers.at[plan->linker], plan->link_flags, text, CC_UNTIL_RUN);
    job.units = units_make(&arena, setup, plan, text, &why);
    if (!job.units) fail_msg("not cut: %s", why);
    job.n_units = plan->n;
    job.compare = true;
    job.expected = expected;
    cc_job_run(&job);
    if (job.verdict.kind != VERDICT_OK)
        fail_msg(STR_FMT ": %s: " STR_FMT, STR_ARG(units_text(&arena, setup, plan)),
                 verdict_name(job.verdict.kind), STR_ARG(job.verdict.detail));
    cc_job_end(&job);
}

static void units_do_what_the_whole_does(void **state) {
    (void)state;
    HuntSetup setup = open_setup();
    static const char *const programs[] = { "units.c", "types.c", "aliases.c" };
    Rng rng = rng_stream(1, "plans", 0);
    unsigned link_time = 0, mixed = 0;
    for (size_t p = 0; p < COUNT_OF(programs); p++) {
        Str text = seed_text(programs[p]), expected = whole_output(&setup, text);
        for (unsigned i = 0; i < (p ? 4 : 24); i++) {
            const UnitPlan *plan =
                units_draw(&arena, &setup, rng_below(&rng, setup.compilers.len), &rng);
            link_time += str_find(units_text(&arena, &setup, plan), STR("-flto"), 0) != STR_NONE;
            mixed += plan->by[0] != plan->by[1];
            try_plan(&setup, plan, text, expected);
            if (i == 0) try_plan(&setup, units_plain(&arena, &setup, plan), text, expected);
        }
    }
    assert_true(link_time > 5 && mixed > 3);
    vec_release(&setup.compilers);
}

static unsigned count(Str text, const char *what) {
    unsigned n = 0;
    Str word = str_from(what);
    for (size_t at = 0; (at = str_find(text, word, at)) != STR_NONE; at += word.len) n++;
    return n;
}

static void everything_is_defined_once(void **state) {
    (void)state;
    static const char *const definitions[] = { "return x + tentative", "= { 1, 2, 3, 4, 5 }",
                                               "\"zero\", \"one\"",    "= { 4, { 200",
                                               "= { 0x01020304 }",     "counter = 1" };
    Str text = seed_text("units.c");
    for (uint64_t seed = 1; seed <= 5; seed++) {
        Str units[3];
        const char *why;
        assert_true(units_split(&arena, text, NULL, seed, 3, units, &why));
        for (size_t i = 0; i < COUNT_OF(definitions); i++) {
            unsigned n = 0;
            for (unsigned k = 0; k < 3; k++) n += count(units[k], definitions[i]);
            assert_int_equal(n, 1);
        }
        for (unsigned k = 0; k < 3; k++) assert_int_equal(count(units[k], "static int tent"), 0);
    }
}

static void what_cannot_be_cut_is_refused(void **state) {
    (void)state;
    static const char *const programs[] = {
        "int f(a) int a; { return a; } int main(void) { return f(0); }",
        "int f(void) { return 0; } int g(void) __attribute__((alias(\"f\"))); "
        "int main(void) { return g(); }",
        "extern inline __attribute__((__gnu_inline__)) int f(void) { return 1; } int main(void) { "
        "return 0; }",
        "const char *f(void) { return __func__; } int main(void) { return *f() != 'f'; }",
        "int x asm(\"other\"); int main(void) { return x; }",
        "int a, b; int c, b; int d, e; extern int z; int a, d; int main(void) { return 0; }",
    };
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        Str units[2];
        const char *why = NULL;
        for (uint64_t seed = 1; seed < 9 && !why; seed++)
            units_split(&arena, str_from(programs[i]), NULL, seed, 2, units, &why);
        if (!why) fail_msg("cut: %s", programs[i]);
    }
}

TEST_MAIN(cmocka_unit_test(units_do_what_the_whole_does),
          cmocka_unit_test(everything_is_defined_once),
          cmocka_unit_test(what_cannot_be_cut_is_refused))

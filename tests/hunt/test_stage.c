/* The stage as a function: called twice in one process it does the same twice, and what suites say
 * about their programs is read as they mean it. */
#include "test.h"

#include "base/file.h"
#include "hunt/hunt.h"
#include "hunt/meaning.h"
#include "hunt/selector.h"
#include "hunt/suite.h"
#include "run/workdir.h"
#include "variant/derive.h"

#include <sys/stat.h>

static const char program[] = "int printf(const char *, ...);\n"
                              "int a = 3, b[4] = { 1, 2, 3, 4 };\n"
                              "int main(void) {\n"
                              "    for (int i = 0; i < 4; i++) a += b[i] * i;\n"
                              "    printf(\"%d\\n\", a);\n"
                              "    return 0;\n"
                              "}\n";

/* A compiler that crashes on every program with two loops or more. */
static const char crashing[] =
    "#!/bin/sh\n"
    "[ \"$1\" = -v ] && exit 0\n"
    "for word; do case $word in *.c) source=$word ;; esac; done\n"
    "if [ -n \"$source\" ] && [ \"$(grep -o 'for (\\|while (' \"$source\" | wc -l)\" -gt 1 ]; "
    "then\n"
    "    echo 'internal compiler error: in planted, at planted.c:7' >&2\n"
    "    exit 4\n"
    "fi\n"
    "exec gcc-12 \"$@\"\n";

static void hunt_once(Arena *arena, const char *dir, const char *store, HuntResult *result) {
    HuntRequest request = HUNT_REQUEST;
    Error err = { 0 };
    vec_push(&request.compilers, str_from(file_join(arena, dir, "cc")));
    vec_push(&request.seeds, str_from(file_join(arena, dir, "seed.c")));
    request.levels = "-O1";
    request.variants = 2;
    request.programs = 1;
    request.workers = 1;
    request.quiet = true;
    request.store = file_join(arena, dir, store);
    bool ok = hunt_run(&request, result, &err);
    if (!ok) fail_msg("%s", err.text);
    vec_release(&request.compilers);
    vec_release(&request.seeds);
}

static void hunt_twice(void **state) {
    (void)state;
    Arena arena = { 0 };
    Error err;
    char *dir = workdir_new(&arena, "stage");
    const char *cc = file_join(&arena, dir, "cc");
    assert_true(file_write(file_join(&arena, dir, "seed.c"), str_from(program), &err));
    assert_true(file_write(cc, str_from(crashing), &err));
    assert_int_equal(chmod(cc, 0755), 0);
    HuntResult one, two;
    hunt_once(&arena, dir, "one.db", &one);
    hunt_once(&arena, dir, "two.db", &two);
    assert_true(one.cases_len > 0);
    assert_int_equal(one.cases_len, two.cases_len);
    assert_int_equal(one.end.totals.programs, two.end.totals.programs);
    assert_int_equal(one.end.totals.compilations, two.end.totals.compilations);
    for (size_t i = 0; i < one.cases_len; i++) {
        assert_true(str_eq(one.cases[i].bucket, two.cases[i].bucket));
        assert_int_equal(one.cases[i].size, two.cases[i].size);
    }
    hunt_result_release(&one);
    hunt_result_release(&two);
    workdir_remove(dir);
    arena_release(&arena);
}

static void mutate_twice(void **state) {
    (void)state;
    Arena arena = { 0 };
    Error err = { 0 };
    char *dir = workdir_new(&arena, "stage");
    MutateRequest request = { .path = file_join(&arena, dir, "seed.c"),
                              .count = 2,
                              .options = { .seed = 5, .probability = 0.7 } };
    assert_true(file_write(request.path, str_from(program), &err));
    MutateResult one, two;
    assert_true(mutate_run(&request, &one, &err));
    assert_true(mutate_run(&request, &two, &err));
    assert_int_equal(one.variants.len, 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(str_eq(one.variants.at[i].variant.text, two.variants.at[i].variant.text));
    mutate_result_release(&one);
    mutate_result_release(&two);
    workdir_remove(dir);
    arena_release(&arena);
}

static void selectors(void **state) {
    (void)state;
    static const struct {
        const char *text;
        Selected wanted;
    } list[] = {
        { "", SELECTED_YES },
        { "*-*-*", SELECTED_YES },
        { "x86_64-*-linux*", SELECTED_YES },
        { "i?86-*-* x86_64-*-*", SELECTED_YES },
        { "powerpc*-*-* ia64-*-*", SELECTED_NO },
        { "lp64", SELECTED_YES },
        { "! lp64", SELECTED_NO },
        { "{ { i?86-*-* x86_64-*-* } && { ! ia32 } }", SELECTED_YES },
        { "{ { i?86-*-* x86_64-*-* } && ilp32 }", SELECTED_NO },
        { "{ aarch64*-*-* || int128 }", SELECTED_YES },
        { "arm_v8_2a_hw", SELECTED_UNKNOWN },
        { "{ powerpc*-*-* && arm_v8_2a_hw }", SELECTED_NO },
        { "vect_int", SELECTED_YES },
    };
    for (size_t i = 0; i < COUNT_OF(list); i++)
        if (selector_matches(str_from(list[i].text), NULL) != list[i].wanted)
            fail_msg("%s", list[i].text);
}

static void options(void **state) {
    (void)state;
    static const struct {
        const char *option;
        OptionUse wanted;
    } list[] = {
        { "-O2", OPTION_GOES },
        { "-fdump-tree-optimized", OPTION_GOES },
        { "-fno-tree-vrp", OPTION_GOES },
        { "-std=gnu99", OPTION_STAYS },
        { "-DN=3", OPTION_STAYS },
        { "-fwrapv", OPTION_STAYS },
        { "-fno-strict-aliasing", OPTION_STAYS },
        { "-frounding-math", OPTION_UNRUN },
        { "-ftrapv", OPTION_UNRUN },
        { "-mavx512f", OPTION_UNRUN },
        { "-fnever-heard-of", OPTION_UNRUN },
        { "-m32", OPTION_UNFIT },
        { "-lfoo", OPTION_UNFIT },
        { "-lm", OPTION_GOES },
    };
    for (size_t i = 0; i < COUNT_OF(list); i++)
        if (option_use(str_from(list[i].option)) != list[i].wanted) fail_msg("%s", list[i].option);
}

static void suites(void **state) {
    (void)state;
    static const struct {
        const char *text;
        SuiteWish wish;
        const char *unfit, *unrun; /* what they contain; NULL: none */
        const char *flag;          /* the first that stays; NULL: none */
    } list[] = {
        { "int main(void) { return 0; }\n", SUITE_UNSAID, NULL, NULL, NULL },
        { "/* { dg-do run } */\n", SUITE_RUN, NULL, NULL, NULL },
        { "/* { dg-do run } */\n/* { dg-options \"-O2 -fwrapv -Wall\" } */\n", SUITE_RUN, NULL,
          NULL, "-fwrapv" },
        { "/* { dg-do run } */\n/* { dg-options \"-DX\" { target aarch64*-*-* } } */\n", SUITE_RUN,
          NULL, NULL, NULL },
        { "/* { dg-options \"-O3 --param max-unroll-times=4 -D Y=2\" } */\n", SUITE_COMPILE, NULL,
          NULL, "-DY=2" },
        { "/* { dg-do run { xfail *-*-* } } */\n", SUITE_RUN, NULL, "expected to fail", NULL },
        { "/* { dg-do run } */\n/* { dg-xfail-run-if \"\" { hppa*-*-* } } */\n", SUITE_RUN, NULL,
          NULL, NULL },
        { "/* { dg-do run } */\n/* { dg-skip-if \"why\" { *-*-* } } */\n", SUITE_RUN, "why", NULL,
          NULL },
        { "/* { dg-do run } */\n/* { dg-skip-if \"\" { ! run_expensive_tests } { \"*\" } } */\n",
          SUITE_RUN, NULL, NULL, NULL },
        { "/* { dg-do run } */\n/* { dg-additional-sources \"b.c\" } */\n", SUITE_RUN,
          "more than one file", NULL, NULL },
        { "// RUN: %clang_cc1 -triple arm-eabi -S %s\n", SUITE_COMPILE, "another target", NULL,
          NULL },
        { "// RUN: %clang_cc1 -triple arm-eabi -S %s\n"
          "// RUN: %clang_cc1 -triple x86_64-linux-gnu -std=c11 -emit-llvm %s | FileCheck %s\n",
          SUITE_COMPILE, NULL, NULL, "-std=c11" },
    };
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        Arena arena = { 0 };
        SuiteNote note;
        suite_read(&arena, "x/y.c", str_from(list[i].text), NULL, &note);
        const char *flag = note.flags.len ? note.flags.at[0].at : NULL;
        bool ok = note.wish == list[i].wish && !note.unfit == !list[i].unfit &&
                  !note.unrun == !list[i].unrun && !flag == !list[i].flag &&
                  (!flag || strcmp(flag, list[i].flag) == 0) &&
                  (!note.unfit || strstr(note.unfit, list[i].unfit)) &&
                  (!note.unrun || strstr(note.unrun, list[i].unrun));
        if (!ok)
            fail_msg("%s: unfit %s, unrun %s, flag %s", list[i].text, note.unfit, note.unrun, flag);
        suite_release(&note);
        arena_release(&arena);
    }
}

static void levels_left_out(void **state) {
    (void)state;
    Arena arena = { 0 };
    SuiteNote note;
    suite_read(
        &arena, "x/y.c",
        STR("/* { dg-do run } */\n/* { dg-skip-if \"\" { *-*-* } { \"-O0\" \"-flto\" } { \"\" "
            "} } */\n"),
        NULL, &note);
    assert_null(note.unfit);
    assert_int_equal(note.without.len, 1);
    assert_true(str_is(note.without.at[0], "-O0"));
    suite_release(&note);
    arena_release(&arena);
}

/* For a foreign target its own name counts, and what differs between architectures is unknown. */
static void selectors_abroad(void **state) {
    (void)state;
    static const char target[] = "aarch64-linux-gnu";
    assert_int_equal(selector_matches(STR("aarch64*-*-*"), target), SELECTED_YES);
    assert_int_equal(selector_matches(STR("x86_64-*-* i?86-*-*"), target), SELECTED_NO);
    assert_int_equal(selector_matches(STR("lp64"), target), SELECTED_YES);
    assert_int_equal(selector_matches(STR("sse2"), target), SELECTED_UNKNOWN);
    assert_int_equal(selector_matches(STR("sse2"), NULL), SELECTED_YES);
    assert_int_equal(selector_matches(STR("{ ! x86_64-*-* }"), target), SELECTED_YES);
}

TEST_MAIN(cmocka_unit_test(selectors), cmocka_unit_test(selectors_abroad),
          cmocka_unit_test(options), cmocka_unit_test(suites), cmocka_unit_test(levels_left_out),
          cmocka_unit_test(mutate_twice), cmocka_unit_test(hunt_twice))

/* One failure, and whether it is still there: every verdict on a compiler with planted bugs, what
 * is the same failure and what is a different one, the script that asks the same question, and
 * cases of the store. */
#include "cc/repro.h"

#include "base/shell.h"
#include "planted.h"
#include "run/workdir.h"
#include "store/case_repro.h"

static Arena arena;
static const char *cc_path;

static ReproFile one_file(const char *text) {
    return (ReproFile){ .name = STR("variant.c"), .text = str_from(text), .unit = true };
}

static Repro repro_of(VerdictKind kind, const ReproFile *file) {
    return (Repro){ .compiler = str_from(cc_path),
                    .flags = STR("-O1"),
                    .files = file,
                    .n_files = 1,
                    .reference = STR("gcc-12"),
                    .good_flags = STR("-O0 -w"),
                    .symptom = { .kind = kind } };
}

static Reproducer learn(const Repro *repro) {
    Reproducer by;
    Error err = { 0 };
    if (!repro_open(&arena, repro, &by, &err) || !repro_learn(&arena, &by, NULL, &err))
        fail_msg("%s", err.text);
    return by;
}

static bool fails_so(const Reproducer *by, const char *text, Symptom *seen) {
    ReproFile file = one_file(text);
    return repro_ask(&arena, by, NULL, &file, seen);
}

#define MAIN(body) PLANTED_HEAD "int main(void) { " body " return 0; }\n"

static void signals_are_not_another(void **state) {
    (void)state;
    ReproFile file = one_file(MAIN("keep(1);"));
    Repro repro = repro_of(VERDICT_WRONG, &file);
    Reproducer by = learn(&repro);
    Symptom seen;
    by.run_s = 0.5;
    assert_int_equal(by.want.how, WRONG_SIGNAL);
    assert_int_equal(by.want.number, 11);
    assert_true(fails_so(&by, MAIN("keep(2);"), &seen));
    assert_false(fails_so(&by, MAIN("stop(1);"), &seen));
    assert_int_equal(seen.number, 6);
    assert_false(fails_so(&by, MAIN("spin(1);"), &seen));
    assert_int_equal(seen.how, WRONG_ENDLESS);
    assert_false(fails_so(&by, MAIN("return triple(1);"), &seen));
    assert_int_equal(seen.how, WRONG_NOT); /* which answer it gives does not matter */
    assert_false(fails_so(&by, MAIN(""), &seen));
    assert_int_equal(seen.kind, VERDICT_OK);
    by.any = true;
    assert_true(fails_so(&by, MAIN("spin(1);"), &seen));
}

static void endless_is_a_failure_where_the_start_is(void **state) {
    (void)state;
    ReproFile file = one_file(MAIN("spin(1);"));
    Repro repro = repro_of(VERDICT_WRONG, &file);
    Reproducer by;
    Error err = { 0 };
    assert_true(repro_open(&arena, &repro, &by, &err));
    by.run_s = 0.5;
    assert_true(repro_learn(&arena, &by, NULL, &err));
    assert_int_equal(by.want.how, WRONG_ENDLESS);
    assert_true(fails_so(&by, MAIN("spin(2);"), NULL));
    assert_false(fails_so(&by, MAIN("keep(2);"), NULL));
    assert_false(fails_so(&by, MAIN("for (;;) ;"), NULL)); /* no compiler gets that right */
}

static void another_bug_is_not_cured(void **state) {
    (void)state;
    ReproFile file = one_file(MAIN("return triple(1);"));
    Repro repro = repro_of(VERDICT_WRONG, &file);
    repro.cure = STR("-fno-triple");
    Reproducer by = learn(&repro);
    for (int same = 0; same < 2; same++) {
        ReproFile other = one_file(same ? MAIN("return triple(7);") : MAIN("return quarter(100);"));
        ReproJob job;
        repro_job_init(&job, &by);
        repro_job_program(&job, &other, false);
        job.cured = true;
        Pool *pool = pool_new(1);
        pool_submit(pool, &job.job);
        pool_next(pool);
        pool_free(pool);
        assert_int_equal(job.fails, same);
        if (!same) assert_non_null(strstr(job.why.at, "does not cure"));
        repro_job_end(&job);
    }
}

static void same_bug_is_asked(void **state) {
    (void)state;
    ReproFile file = one_file(MAIN("return triple(1);")),
              other = one_file(MAIN("return quarter(9);"));
    Repro repro = repro_of(VERDICT_WRONG, &file);
    repro.cure = STR("-fno-triple");
    Reproducer by = learn(&repro);
    Str why;
    assert_true(repro_same_bug(&arena, &by, NULL, NULL, &why));
    assert_false(repro_same_bug(&arena, &by, NULL, &other, &why));
    assert_non_null(strstr(why.at, "-fno-triple does not cure"));
}

/* More than the right output could ever be: the outcome is known. */
static void floods_are_short(void **state) {
    (void)state;
    ReproFile file =
        one_file(MAIN("int printf(const char *, ...); for (int i = 0; i < triple(1) - 2 || "
                      "triple(1) == 4; i++) printf(\"%d\\n\", i);"));
    Repro repro = repro_of(VERDICT_WRONG, &file);
    Reproducer by = learn(&repro);
    assert_int_equal(by.want.how, WRONG_FLOOD);
}

static void crashes(void **state) {
    (void)state;
    ReproFile file = one_file("int ice_one;\n");
    Repro repro = repro_of(VERDICT_CRASH, &file);
    Reproducer by = learn(&repro);
    Symptom seen;
    assert_true(str_is(by.want.signature, "in one, at planted.c:1"));
    assert_false(by.want.refused);
    assert_true(fails_so(&by, "long ice_one;\n", NULL));
    assert_false(fails_so(&by, "int ice_two;\n", &seen));
    assert_true(str_is(seen.signature, "in two, at planted.c:2"));
    assert_false(fails_so(&by, "int ice_one = nothing;\n", &seen)); /* refused first */
    assert_true(seen.refused);
    ReproFile invalid = one_file("int ice_one = nothing;\n");
    repro.files = &invalid;
    by = learn(&repro); /* the start is like that: both are accepted */
    assert_true(by.want.refused);
    assert_true(fails_so(&by, "int ice_one;\n", NULL));
}

static void hangs_take_cpu_time(void **state) {
    (void)state;
    ReproFile file = one_file("int slow_one;\n");
    Repro repro = repro_of(VERDICT_HANG, &file);
    repro.hang_s = 1;
    Reproducer by = learn(&repro);
    assert_true(fails_so(&by, "long slow_one;\n", NULL));
    assert_false(fails_so(&by, "int quick;\n", NULL));
}

static void refusals(void **state) {
    (void)state;
    ReproFile file = one_file("int refuse_one;\n");
    Repro repro = repro_of(VERDICT_REJECTED, &file);
    Reproducer by = learn(&repro);
    assert_true(fails_so(&by, "long refuse_one;\n", NULL));
    assert_false(fails_so(&by, "int refuse_two;\n", NULL));
    assert_false(fails_so(&by, "int refuse_one = nothing;\n", NULL)); /* everybody refuses that */
    file = one_file("int lost_one;\n" MAIN(""));
    repro = repro_of(VERDICT_LINK, &file);
    by = learn(&repro);
    assert_true(fails_so(&by, "long lost_one;\n" MAIN(""), NULL));
    assert_false(fails_so(&by, "int f(void); int main(void) { return f(); }\n", NULL));
}

static void what_does_not_fail_is_said(void **state) {
    (void)state;
    ReproFile file = one_file(MAIN(""));
    Repro repro = repro_of(VERDICT_WRONG, &file);
    Reproducer by;
    Error err = { 0 };
    assert_true(repro_open(&arena, &repro, &by, &err));
    assert_false(repro_learn(&arena, &by, NULL, &err));
    assert_int_equal(err.status, STATUS_NO);
    assert_non_null(strstr(err.text, "passes"));
}

static void units_and_headers(void **state) {
    (void)state;
    ReproFile files[] = {
        { .name = STR("inc/f.h"), .text = str_from(PLANTED_HEAD "int f(int);\n") },
        { .name = STR("a.c"),
          .text = STR("#include \"inc/f.h\"\nint f(int x) { return triple(x); }\n"),
          .unit = true },
        { .name = STR("b.c"),
          .text = STR("#include \"inc/f.h\"\n#include <stdio.h>\nint main(int n, char **v) { int c "
                      "= getchar(); printf(\"%d\\n\", f(c - '0' + n)); return !v; }\n"),
          .unit = true,
          .compiler = STR("gcc-12"),
          .flags = STR("-O0") },
    };
    /* the planted compiler sees the macros only in its own text */
    files[1].text = str_from(PLANTED_HEAD "int f(int x) { return triple(x); }\n");
    Repro repro = repro_of(VERDICT_WRONG, files);
    repro.n_files = 3;
    repro.input = STR("4");
    repro.arguments = (const char *const[]){ "one", "two words", NULL };
    Reproducer by = learn(&repro);
    assert_int_equal(by.want.how, WRONG_ANSWER);
    assert_non_null(strstr(by.want.detail.at, "prints \"28\", expected \"21\""));
    ReproFile other[3];
    memcpy(other, files, sizeof files);
    other[1].text = str_from(PLANTED_HEAD "int f(int x) { return x; }\n");
    assert_false(repro_ask(&arena, &by, NULL, other, NULL));
}

/* The script and the job give the same answer about every kind. */
static int run_script(const Repro *repro, const ReproScript *how) {
    Error err = { 0 };
    Buf text = { 0 };
    const char *dir = workdir_new(&arena, "script");
    assert_true(repro_write(repro, dir, &err));
    repro_script(repro, how, &text);
    const char *path = file_join(&arena, dir, "repro.sh");
    assert_true(file_write(path, buf_view(&text), &err));
    const char *const argv[] = { "/bin/sh", path, NULL };
    RunSpec spec = { .argv = argv, .limits = { .wall_s = 60 } };
    RunResult r = run_one(&arena, &spec);
    assert_int_equal(r.end, RUN_EXITED);
    buf_release(&text);
    workdir_remove(dir);
    return r.code;
}

static void scripts(void **state) {
    (void)state;
    static const struct {
        VerdictKind kind;
        const char *bad, *good;
    } pairs[] = { { VERDICT_CRASH, "int ice_one;\n", "int x;\n" },
                  { VERDICT_HANG, "int slow_one;\n", "int x;\n" },
                  { VERDICT_REJECTED, "int refuse_one;\n", "int x;\n" },
                  { VERDICT_LINK, "int lost_one;\n" MAIN(""), MAIN("") },
                  { VERDICT_WRONG, MAIN("return triple(2);"), MAIN("return 0;") } };
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        for (int bad = 0; bad < 2; bad++) {
            ReproFile file = one_file(bad ? pairs[i].bad : pairs[i].good);
            Repro repro = repro_of(pairs[i].kind, &file);
            repro.hang_s = 2;
            repro.has_expected = pairs[i].kind == VERDICT_WRONG;
            repro.code = bad ? 6 : 0;
            assert_int_equal(run_script(&repro, &(ReproScript){ .title = STR("a title") }), !bad);
            const ReproScript test = { .passes = true,
                                       .quiet = true,
                                       .find_cc = arena_fmt(&arena, "cc='%s'", cc_path) };
            assert_int_equal(run_script(&repro, &test), bad);
        }
}

static void shell_words_come_back(void **state) {
    (void)state;
    const char *const words[] = { "-DX=\"a b\"", "it's", "", "$HOME `x`", "plain", "a\\b", NULL };
    Str joined = shell_join(&arena, words);
    const char **back = shell_argv(&arena, joined);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (words[i])
            assert_string_equal(back[i], words[i]);
        else
            assert_null(back[i]);
    StrVec list = { 0 };
    Error err = { 0 };
    assert_true(shell_words(&arena, STR("gcc -DA='x y' \"b\\\"c\" d\\ e"), &list, &err));
    assert_int_equal(list.len, 4);
    assert_string_equal(list.at[1].at, "-DA=x y");
    assert_string_equal(list.at[2].at, "b\"c");
    assert_string_equal(list.at[3].at, "d e");
    vec_clear(&list);
    assert_false(shell_words(&arena, STR("gcc 'open"), &list, &err));
    assert_int_equal(err.status, STATUS_BAD);
    vec_release(&list);
}

static void cases(void **state) {
    (void)state;
    Error err = { 0 };
    Repro repro;
    Case c = { .id = 7,
               .compiler = STR("gcc-12"),
               .kind = STR("gcc"),
               .flags = STR("-O2"),
               .good_flags = STR("-O0"),
               .verdict = STR("wrong"),
               .matters = STR("-fno-tree-vrp"),
               .variant = STR("int main(void) { return 1; }"),
               .input = STR("in"),
               .expected = STR("out"),
               .code = 3 };
    assert_true(case_repro(&arena, &c, CASE_BEST, &repro, &err));
    assert_true(repro.has_expected && repro.code == 3 && str_is(repro.expected, "out"));
    assert_true(str_is(repro.reference, "gcc-12") && str_is(repro.cure, "-fno-tree-vrp"));
    assert_true(str_is(repro.input, "in"));
    c.reduced_variant = STR("int main(void) { return 2; }");
    c.reduced_code = 0;
    assert_true(case_repro(&arena, &c, CASE_BEST, &repro, &err));
    assert_true(repro.code == 0 && !repro.expected.len);
    assert_true(str_eq(repro_program(&repro), c.reduced_variant));
    assert_true(case_repro(&arena, &c, CASE_FOUND, &repro, &err));
    assert_true(str_eq(repro_program(&repro), c.variant));
    c.reduced_variant = (Str){ 0 };
    c.units = STR("[{\"compiler\":\"gcc-11\",\"flags\":\"-O1\",\"text\":\"int a;\"},"
                  "{\"compiler\":\"gcc-12\",\"flags\":\"-O2\",\"text\":\"int b;\"}]");
    assert_true(case_repro(&arena, &c, CASE_BEST, &repro, &err));
    assert_int_equal(repro.n_files, 2);
    assert_true(str_is(repro.files[0].compiler, "gcc-11") && repro_links(&repro));
    c.verdict = STR("ok");
    assert_false(case_repro(&arena, &c, CASE_BEST, &repro, &err));
    assert_int_equal(err.status, STATUS_BAD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_are_not_another),
        cmocka_unit_test(endless_is_a_failure_where_the_start_is),
        cmocka_unit_test(another_bug_is_not_cured),
        cmocka_unit_test(same_bug_is_asked),
        cmocka_unit_test(floods_are_short),
        cmocka_unit_test(crashes),
        cmocka_unit_test(hangs_take_cpu_time),
        cmocka_unit_test(refusals),
        cmocka_unit_test(what_does_not_fail_is_said),
        cmocka_unit_test(units_and_headers),
        cmocka_unit_test(scripts),
        cmocka_unit_test(shell_words_come_back),
        cmocka_unit_test(cases),
    };
    cc_path = planted_compiler(&arena, workdir_new(&arena, "planted"));
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The result is the bug that was given: a test for each way of slipping to another one, on a
 * compiler with planted bugs (planted.h). Programs contain the given bug and, after it or beside
 * it, the one to slip to, so that the given one is the easiest to remove. */
#include "fixture.h"

#include "base/json.h"
#include "planted.h"
#include "reduce/reduce.h"
#include "store/store.h"

static const char *compiler; /* the planted one */

static bool has(Str text, const char *what) {
    return str_find(text, str_from(what), 0) != STR_NONE;
}

static const char *command(const char *flags) {
    return arena_fmt(&fixture, "%s %s", compiler, flags);
}

/* Reduces text in a directory of its own; what is left. */
static Str left_of(const char *text, const char *const *words, RunResult *r) {
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", str_from(text), false);
    VEC(const char *) all = { 0 };
    for (; *words; words++) vec_push(&all, *words);
    vec_push(&all, "-o");
    vec_push(&all, "out");
    vec_push(&all, "a.c");
    vec_push(&all, (const char *)NULL);
    *r = fixture_reduce(dir, all.at);
    vec_release(&all);
    fixture_ok(r);
    Str left = fixture_read(file_join(&fixture, dir, "out"), "a.c");
    workdir_remove(dir);
    return left;
}
#define LEFT(r, text, ...) left_of(text, (const char *const[]){ __VA_ARGS__, NULL }, r)
#define DIFFERS "--differs", command("-O1"), "gcc-12 -O0", "--unchecked"

/* A program that dies of signal 11, and without that would not end: in both orders of --differs. */
static void signal_to_no_end(void **state) {
    (void)state;
    static const char text[] =
        PLANTED_HEAD "int a;\nint main(void) {\n  keep(1);\n  spin(2);\n  return a;\n}\n";
    RunResult r;
    Str left = LEFT(&r, text, DIFFERS);
    assert_true(has(left, "keep") && has(r.err, "dies of signal 11"));
    left = LEFT(&r, text, "--differs", "gcc-12 -O0", command("-O1"), "--unchecked");
    assert_true(has(left, "keep") && has(r.err, "dies of signal 11"));
}

static void one_signal_to_another(void **state) {
    (void)state;
    RunResult r;
    static const char text[] =
        PLANTED_HEAD "int a;\nint main(void) {\n  keep(1);\n  stop(2);\n  return a;\n}\n";
    Str left = LEFT(&r, text, DIFFERS);
    assert_true(has(left, "keep") && has(r.err, "dies of signal 11"));
    left = LEFT(&r, text, DIFFERS, "--any-failure"); /* the freedom there was */
    assert_true(left.len > 0 && has(r.err, "wrong code"));
}

/* Without `used` the compiler refuses the program and still crashes. */
static void crash_on_valid_to_crash_on_invalid(void **state) {
    (void)state;
    RunResult r;
    static const char text[] = "int used;\nint f(void) {\n  return used;\n}\nint ice_one;\n";
    Str left = LEFT(&r, text, "--crash", command("-O1 -S"));
    assert_true(has(left, "ice_one") && left.len < 20);
    const char *dir = fixture_dir(); /* still a program */
    fixture_file(dir, "left.c", left, false);
    const char *const argv[] = { "gcc-12", "-fsyntax-only", "left.c", NULL };
    RunResult valid = run_one(&fixture, &(RunSpec){ .argv = argv, .dir = dir });
    assert_true(run_ok(&valid));
    workdir_remove(dir);
}

static void one_crash_to_another(void **state) {
    (void)state;
    RunResult r;
    Str left = LEFT(&r, "int ice_one;\nint ice_two;\nint x;\n", "--crash", command("-S"));
    assert_true(has(left, "ice_two"));
}

/* The same message from a check that many passes make. */
static void crash_in_one_pass_to_another(void **state) {
    (void)state;
    RunResult r;
    Str left = LEFT(&r, "int ice_split;\nint ice_vregs;\n", "--crash", command("-S"));
    assert_true(has(left, "ice_vregs"));
}

static Str of_stored(Case c, RunResult *r) {
    const char *dir = fixture_dir(), *path = file_join(&fixture, dir, "cases.db");
    Error err = { 0 };
    c.compiler = str_from(compiler);
    c.flags = STR("-O1");
    Store *store = store_open(path, STORE_WRITE, &err);
    int64_t id = 0;
    assert_true(store && store_case_put(store, &c, &id, NULL, &err));
    store_close(store);
    *r = REDUCE(dir, "--case", "1", "--store", path, "--unchecked");
    fixture_ok(r);
    store = store_open(path, STORE_READ, &err);
    assert_true(store && store_case_get(store, &fixture, id, &c, &err));
    store_close(store);
    workdir_remove(dir);
    return c.reduced_variant;
}

static Str of_case(const char *text, const char *cure, RunResult *r) {
    Case c = { .verdict = STR("wrong"), .matters = str_from(cure), .variant = str_from(text) };
    return of_stored(c, r);
}

static Str refused_case(const char *text, RunResult *r) {
    Case c = { .verdict = STR("rejected"), .variant = str_from(text) };
    return of_stored(c, r);
}

/* Flag A's bug stays flag A's, whichever of the two that is. The other is hidden at the start, for
 * only then do the flags cure; and what hides it is larger than the first one. */
static const char *hidden(const char *first, const char *second) {
    return arena_fmt(&fixture,
                     PLANTED_HEAD "int hide(int x) {\n  return x & 0;\n}\nint main(void) {\n"
                                  "  int a = %s;\n  int b = %s;\n  return a + hide(b);\n}\n",
                     first, second);
}

static void flag_to_flag(void **state) {
    (void)state;
    RunResult r;
    Str left = of_case(hidden("triple(2)", "quarter(100)"), "-fno-triple", &r);
    assert_true(has(left, "triple(") && !has(left, "quarter("));
    left = of_case(hidden("quarter(100)", "triple(2)"), "-fno-quarter", &r);
    assert_true(has(left, "quarter(") && !has(left, "triple("));
}

/* A bug beside it that comes out by what is removed: dies, where the given one only prints. */
static void answer_to_signal(void **state) {
    (void)state;
    RunResult r;
    static const char text[] = PLANTED_HEAD
        "int main(void) {\n  int a = triple(2);\n  if (a == 6) keep(1);\n  return a;\n}\n";
    Str left = LEFT(&r, text, "--differs", "gcc-12 -O0", command("-O1"));
    assert_true(has(left, "triple") && has(r.err, "wrong code") && !has(r.err, "signal"));
}

/* ---- what comes out by what is removed ---- */
static void crash_to_no_end(void **state) {
    (void)state;
    RunResult r;
    Str left = LEFT(&r, "int ice_one;\nint slow_one;\nint x;\n", "--crash", command("-S"));
    assert_true(has(left, "ice_one") && !has(left, "slow"));
}

static void no_end_to_crash(void **state) {
    (void)state;
    RunResult r;
    Str left = LEFT(&r, "int calm;\nint ice_two;\nint slow_one;\n", "--hangs", command("-S"),
                    "--limit", "1s");
    assert_true(has(left, "slow_one") && !has(left, "ice_two"));
}

static void crash_to_one_that_was_hidden(void **state) {
    (void)state;
    RunResult r;
    Str left = LEFT(&r, "int calm;\nint ice_two;\nint ice_one;\n", "--crash", command("-S"));
    assert_true(has(left, "ice_one") && !has(left, "ice_two"));
}

static void crash_in_one_file_to_another(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("int calm;\nint ice_one;\n"), false);
    fixture_file(dir, "b.c", STR("int calm;\nint ice_two;\nint y;\n"), false);
    RunResult r = REDUCE(dir, "--crash", command("-S"), "-o", "out", "a.c", "b.c");
    fixture_ok(&r);
    Str left = fixture_read(file_join(&fixture, dir, "out"), "a.c");
    assert_true(has(left, "ice_one"));
    workdir_remove(dir);
}

static void no_end_to_signal(void **state) {
    (void)state;
    RunResult r;
    static const char text[] =
        PLANTED_HEAD "int a;\nint main(void) {\n  spin(1);\n  keep(2);\n  return a;\n}\n";
    Str left = LEFT(&r, text, DIFFERS);
    assert_true(has(left, "spin") && !has(left, "keep(2)"));
}

static void signal_to_answer(void **state) {
    (void)state;
    RunResult r;
    static const char text[] =
        PLANTED_HEAD "int main(void) {\n  keep(1);\n  return triple(2);\n}\n";
    Str left = LEFT(&r, text, DIFFERS);
    assert_true(has(left, "keep") && has(r.err, "dies of signal 11"));
}

/* Without what ends the loop, or with a bound that is wrong, it does not end. */
static void answer_to_no_end(void **state) {
    (void)state;
    RunResult r;
    static const char text[] = PLANTED_HEAD
        "int main(void) {\n  int a = triple(2), n = 0;\n  while (a == 8)\n    if (++n > 3)\n"
        "      return 1;\n  return 0;\n}\n";
    Str left = LEFT(&r, text, "--differs", "gcc-12 -O0", command("-O1"));
    assert_true(has(left, "triple") && has(r.err, "wrong code") && !has(r.err, "end"));
}

/* What differs without the planted bug is read before it is written, or lies outside its array. */
static void answer_to_undefined(void **state) {
    (void)state;
    RunResult r;
    static const char text[] =
        PLANTED_HEAD "int used(int *p) {\n  return p[3];\n}\nint main(void) {\n  int a[6];\n"
                     "  for (int i = 0; i < 6; i++)\n    a[i] = i;\n  int b;\n  b = 3;\n"
                     "  if (used(a) == b)\n    return triple(2);\n  return a[b];\n}\n";
    Str left = LEFT(&r, text, "--differs", "gcc-12 -O0", command("-O1"));
    assert_true(has(left, "triple") && left.len < 200);
}

/* The same in C++, where members are left unwritten as easily; its compiler adds 21 for 20. */
static void answer_to_undefined_in_cxx(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.cc",
                 STR("struct box {\n  int size, kind;\n  box(int s) : size(s), kind(s * 2) {}\n};\n"
                     "int main() {\n  box b(7);\n  int k = b.kind;\n"
                     "  return k + b.size + 20;\n}\n"),
                 false);
    const char *wrong =
        fixture_file(dir, "wrong-cxx",
                     STR("#!/bin/sh\nfor w in \"$@\"; do\n  shift\n  case $w in\n"
                         "  *.cc) sed 's/20/21/' \"$w\" >\"$w.cc\"; set -- \"$@\" \"$w.cc\" ;;\n"
                         "  *) set -- \"$@\" \"$w\" ;;\n  esac\ndone\nexec g++-12 \"$@\"\n"),
                     true);
    RunResult r = REDUCE(dir, "--differs", "g++-12 -O0", arena_fmt(&fixture, "%s -O2", wrong), "-o",
                         "out", "a.cc");
    fixture_ok(&r);
    assert_true(has(fixture_read(file_join(&fixture, dir, "out"), "a.cc"), "20"));
    workdir_remove(dir);
}

/* The one that both programs have comes out by a word less. */
static void bug_of_a_pair_to_one_in_both(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    static const char head[] =
        PLANTED_HEAD "int off = 1;\nint main(void) {\n  if (!off) stop(1);\n";
    fixture_file(dir, "seed.c", str_from(arena_fmt(&fixture, "%s  return 0;\n}\n", head)), false);
    fixture_file(dir, "a.c", str_from(arena_fmt(&fixture, "%s  keep(3);\n  return 0;\n}\n", head)),
                 false);
    RunResult r = REDUCE(dir, DIFFERS, "--passing", "seed.c", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(has(fixture_read(file_join(&fixture, dir, "out"), "a.c"), "keep(3)"));
    assert_true(has(r.err, "dies of signal 11"));
    workdir_remove(dir);
}

/* Refused, for another reason. */
static void refusal_to_refusal(void **state) {
    (void)state;
    RunResult r;
    Str left = refused_case("int refuse_two;\nint refuse_one;\nint main(void) { return 0; }\n", &r);
    assert_true(has(left, "refuse_one") && !has(left, "refuse_two"));
}

/* Another test with the same -o starts over; the same one continues. */
static void going_on_asks_for_the_same_test(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("int one;\nint two;\nint three;\n"), false);
    fixture_file(dir, "one.sh", STR("#!/bin/sh\ngrep -q one a.c\n"), true);
    fixture_file(dir, "two.sh", STR("#!/bin/sh\ngrep -q two a.c\n"), true);
    RunResult r = REDUCE(dir, "--test", "one.sh", "-o", "out", "a.c");
    fixture_ok(&r);
    r = REDUCE(dir, "--test", "two.sh", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(has(fixture_read(file_join(&fixture, dir, "out"), "a.c"), "two"));
    fixture_file(dir, "two.sh", STR("#!/bin/sh\ngrep -q three a.c\n"), true); /* another text */
    r = REDUCE(dir, "--test", "two.sh", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(has(fixture_read(file_join(&fixture, dir, "out"), "a.c"), "three"));
    workdir_remove(dir);
}

/* The stage twice in one process: the same bytes, nothing of the first left in the second. */
static void twice_in_one_process(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    const char *script =
        fixture_file(dir, "t.sh", STR("#!/bin/sh\ngrep -q needle a.c && grep -q '}' a.c\n"), true);
    ReduceFile file = { .name = "a.c",
                        .text = STR("int a;\nint needle(void) { return a; }\nint b;\n"),
                        .unit = true };
    ReduceRequest q = { .test = { .kind = TEST_SCRIPT, .script = script },
                        .method = "ppr",
                        .order = "tlc",
                        .jobs = 2,
                        .quiet = true };
    q.files[VARIANT] = &file;
    q.n_files[VARIANT] = 1;
    ReduceResult one, two;
    Error err = { 0 };
    if (!reduce_run(&q, &one, &err)) fail_msg("%s", err.text);
    if (!reduce_run(&q, &two, &err)) fail_msg("%s", err.text);
    assert_true(str_eq(one.side[VARIANT].files[0].text, two.side[VARIANT].files[0].text));
    assert_int_equal(one.side[VARIANT].tokens, two.side[VARIANT].tokens);
    assert_int_equal(one.all.accepted, two.all.accepted);
    assert_true(one.verified && two.verified && !two.out_of_time);
    file.text = STR("int nothing;\n"); /* a call that fails leaves nothing behind either */
    ReduceResult three;
    assert_false(reduce_run(&q, &three, &err));
    assert_int_equal(err.status, STATUS_NO);
    reduce_release(&three);
    reduce_release(&one);
    reduce_release(&two);
    workdir_remove(dir);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signal_to_no_end),
        cmocka_unit_test(one_signal_to_another),
        cmocka_unit_test(crash_on_valid_to_crash_on_invalid),
        cmocka_unit_test(one_crash_to_another),
        cmocka_unit_test(crash_in_one_pass_to_another),
        cmocka_unit_test(answer_to_signal),
        cmocka_unit_test(flag_to_flag),
        cmocka_unit_test(going_on_asks_for_the_same_test),
        cmocka_unit_test(twice_in_one_process),
    };
    const struct CMUnitTest removed[] = {
        cmocka_unit_test(crash_to_no_end),
        cmocka_unit_test(no_end_to_crash),
        cmocka_unit_test(crash_to_one_that_was_hidden),
        cmocka_unit_test(crash_in_one_file_to_another),
        cmocka_unit_test(no_end_to_signal),
        cmocka_unit_test(signal_to_answer),
        cmocka_unit_test(answer_to_no_end),
        cmocka_unit_test(answer_to_undefined),
        cmocka_unit_test(answer_to_undefined_in_cxx),
        cmocka_unit_test(bug_of_a_pair_to_one_in_both),
        cmocka_unit_test(refusal_to_refusal),
    };
    culprit_path = argc > 1 ? realpath(argv[1], NULL) : NULL;
    compiler = planted_compiler(&fixture, workdir_new(&fixture, "planted"));
    cmocka_set_message_output(CM_OUTPUT_TAP);
    bool second = argc > 2 && strcmp(argv[2], "removed") == 0; /* two tests of meson's */
    return second ? cmocka_run_group_tests(removed, NULL, NULL)
                  : cmocka_run_group_tests(tests, NULL, NULL);
}

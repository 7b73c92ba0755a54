/* What users pass by mistake, and programs that do unusual things: handled, or one clear line and
 * the right status. Runs the real program. */
#include "base/file.h"
#include "base/quantity.h"
#include "run/run.h"
#include "run/workdir.h"
#include "test.h"

typedef struct Case {
    Arena arena;
    char *good, *bad;
    RunResult r;
} Case;

static void put(Case *c, const char *dir, const char *name, Str text) {
    assert_true(file_make_dirs(dir, NULL));
    assert_true(file_write(file_join(&c->arena, dir, name), text, NULL));
}

static void case_new(Case *c, const char *good, const char *bad) {
    *c = (Case){ 0 };
    char *base = workdir_new(&c->arena, "test");
    c->good = file_join(&c->arena, base, "good");
    c->bad = file_join(&c->arena, base, "bad");
    put(c, c->good, "p.c", str_from(good));
    put(c, c->bad, "p.c", str_from(bad));
}

/* good is bad with the first `from` made `to`... the other way round: bad = good with from -> to.
 */
static void case_edit(Case *c, const char *good, const char *from, const char *to) {
    Buf bad = { 0 };
    Str text = str_from(good);
    size_t at = str_find(text, str_from(from), 0);
    assert_true(at != STR_NONE);
    buf_str(&bad, str_sub(text, 0, at));
    buf_text(&bad, to);
    buf_str(&bad, str_sub(text, at + strlen(from), text.len));
    case_new(c, good, bad.at);
    buf_release(&bad);
}

static void explain_in(Case *c, const char *time, const char *build, const char *test,
                       const char *const *env) {
    const char *const argv[] = { CULPRIT_BIN, "explain", "--good",   c->good,  "--bad",
                                 c->bad,      "--build", build,      "--test", test,
                                 "--time",    time,      "--forget", "-j2",    NULL };
    RunSpec spec = { .argv = argv, .profile = RUN_USER, .env = env, .limits = { .wall_s = 300 } };
    c->r = run_one(&c->arena, &spec);
}

static void explain_with(Case *c, const char *build, const char *test, const char *const *env) {
    explain_in(c, "30m", build, test, env);
}

static void explain(Case *c, const char *test) {
    explain_with(c, "$CC -g -o p p.c -lpthread", test, NULL);
}

static void assert_end(Case *c, int status, const char *out, const char *err) {
    bool ok = c->r.end == RUN_EXITED && c->r.code == status &&
              (!out || str_find(c->r.out, str_from(out), 0) != STR_NONE) &&
              (!err || str_find(c->r.err, str_from(err), 0) != STR_NONE);
    if (!ok)
        fail_msg("%s, wanted status %d with '%s' and '%s'; stdout:\n%s\nstderr:\n%s",
                 run_describe(&c->arena, &c->r), status, out ? out : "", err ? err : "",
                 c->r.out.at, c->r.err.at);
    arena_release(&c->arena);
}

static const char simple[] =
    "#include <stdio.h>\nint main(void) {\n    int x = 1;\n    printf(\"%d\\n\", x);\n"
    "    return 0;\n}\n";

static void both_pass(void **state) {
    (void)state;
    Case c;
    case_edit(&c, simple, "x = 1", "x = 2");
    explain(&c, "./p");
    assert_end(&c, STATUS_NO, NULL, "passes on both");
}

static void both_fail(void **state) {
    (void)state;
    Case c;
    case_edit(&c, simple, "x = 1", "x = 2");
    explain(&c, "./p; false");
    assert_end(&c, STATUS_NO, NULL, "fails on both");
}

static void swapped(void **state) {
    (void)state;
    Case c;
    case_edit(&c, simple, "x = 1", "x = 2");
    explain(&c, "test `./p` = 2");
    assert_end(&c, STATUS_NO, NULL, "swapped");
}

static void nothing_differs(void **state) {
    (void)state;
    Case c;
    case_new(&c, simple, simple);
    explain(&c, "./p");
    assert_end(&c, STATUS_NO, NULL, "do not differ");
}

static void builds_that_fail(void **state) {
    (void)state;
    Case c;
    case_edit(&c, simple, "int x = 1;", "int x = y;");
    explain(&c, "test `./p` = 1");
    assert_end(&c, STATUS_BAD, NULL, "build fails on the bad version");
    case_new(&c, "int main(void) { return }\n", simple);
    explain(&c, "test `./p` = 1");
    assert_end(&c, STATUS_BAD, NULL, "build fails on the good version");
}

static void a_flaky_test(void **state) {
    (void)state;
    Case c;
    case_edit(&c, simple, "x = 1", "x = 2");
    explain(&c, "if test -e flag; then rm flag; exit 1; else touch flag; fi");
    assert_end(&c, STATUS_BAD, NULL, "flaky");
}

static void a_binary_difference(void **state) {
    (void)state;
    Case c;
    case_new(&c, simple, simple);
    put(&c, c.good, "data", (Str){ "1\0", 2 });
    put(&c, c.bad, "data", (Str){ "2\0", 2 });
    explain(&c, "grep -q 1 data");
    assert_end(&c, STATUS_BAD, NULL, "what differs: data (binary)");
    case_edit(&c, simple, "x = 1", "x = 1 + 0");
    put(&c, c.good, "data", (Str){ "1\0", 2 });
    put(&c, c.bad, "data", (Str){ "2\0", 2 });
    explain(&c, "grep -q 1 data");
    assert_end(&c, STATUS_BAD, NULL, "data (binary) differs as well");
}

static void missing_things(void **state) {
    (void)state;
    Case c;
    case_new(&c, simple, simple);
    c.bad = file_join(&c.arena, c.bad, "not-there");
    explain(&c, "./p");
    assert_end(&c, STATUS_BAD, NULL, "not-there");
    case_new(&c, simple, simple);
    const char *const argv[] = { CULPRIT_BIN, "explain", "--good", c.good, NULL };
    RunSpec spec = { .argv = argv, .profile = RUN_USER };
    c.r = run_one(&c.arena, &spec);
    assert_end(&c, STATUS_BAD, NULL, "needs --bad");
}

static void a_test_that_reads_the_clock(void **state) {
    (void)state;
    static const char good[] =
        "#include <stdio.h>\n#include <time.h>\nint main(void) {\n    struct timespec t;\n"
        "    clock_gettime(CLOCK_MONOTONIC, &t);\n    fprintf(stderr, \"%ld\\n\", t.tv_nsec);\n"
        "    int x = t.tv_nsec >= 0;\n    int y = x + 4;\n    printf(\"%d\\n\", y);\n    return "
        "0;\n}\n";
    Case c;
    case_edit(&c, good, "x + 4", "x + 3");
    explain(&c, "./p; test `./p` = 5");
    assert_end(&c, STATUS_DONE, "p.c:8", NULL);
}

static void a_trace_past_its_limit(void **state) {
    (void)state;
    static const char good[] =
        "#include <stdio.h>\nint main(void) {\n    volatile unsigned sum = 0;\n"
        "    for (int i = 0; i < 300000; i++)\n        if (i % 3) sum += i;\n"
        "        else sum ^= 5;\n    int last = 7;\n    printf(\"%d\\n\", last);\n"
        "    return 0;\n}\n";
    static const char *const env[] = { "CULPRIT_LIMIT=65536", NULL };
    Case c;
    case_edit(&c, good, "last = 7", "last = 8");
    explain_with(&c, "$CC -g -o p p.c", "test `./p` = 7", env);
    assert_end(&c, STATUS_DONE, "p.c:7", NULL);
}

/* What both versions recorded until the test killed them takes minutes to read: that has its share
 * of the time, and reverting finds the line in what is left. */
static void a_recording_that_takes_long_to_read(void **state) {
    (void)state;
    static const char good[] =
        "#include <stdio.h>\nint main(void) {\n    volatile unsigned n = 0;\n"
        "    printf(\"%d\\n\", 7);\n    fflush(stdout);\n    for (;;) n++;\n}\n";
    Case c;
    case_edit(&c, good, "7", "8");
    double before = clock_now();
    explain_in(&c, "60s", "$CC -g -o p p.c", "timeout 2 ./p | grep -q 7", NULL);
    double took = clock_now() - before;
    if (took > 150) fail_msg("with --time 60s it took %.0f s", took);
    assert_end(&c, STATUS_DONE, "p.c:4", NULL);
}

/* Programs that do unusual things: the regression is still found and verified. */
typedef struct Unusual {
    const char *good, *from, *to, *test, *root;
} Unusual;

static const Unusual forks = {
    "#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
    "int main(void) {\n    int status;\n    if (fork() == 0) {\n        int code = 3;\n        "
    "_exit(code);\n    }\n"
    "    wait(&status);\n    printf(\"%d\\n\", WEXITSTATUS(status));\n    return 0;\n}\n",
    "code = 3", "code = 4", "test `./p` = 3", "p.c:7"
};
static const Unusual threads = {
    "#include <pthread.h>\n#include <stdio.h>\nstatic int shared;\n"
    "static void *work(void *arg) {\n    int n = *(int *)arg;\n    shared = n * 2;\n    return "
    "NULL;\n}\n"
    "int main(void) {\n    pthread_t t;\n    int n = 21;\n    pthread_create(&t, NULL, work, &n);\n"
    "    pthread_join(t, NULL);\n    printf(\"%d\\n\", shared);\n    return 0;\n}\n",
    "n * 2", "n * 3", "test `./p` = 42", "p.c:6"
};
static const Unusual jumps = {
    "#include <setjmp.h>\n#include <stdio.h>\nstatic jmp_buf env;\n"
    "static void leave(int x) {\n    longjmp(env, x + 1);\n}\n"
    "int main(void) {\n    int got = setjmp(env);\n    if (got == 0) leave(4);\n"
    "    printf(\"%d\\n\", got);\n    return 0;\n}\n",
    "x + 1", "x + 2", "test `./p` = 5", "p.c:5"
};
static const Unusual pointers = {
    "#include <stdio.h>\nstatic int one(int x) { return x + 1; }\nstatic int two(int x) { return x "
    "+ 2; }\n"
    "int main(void) {\n    int (*table[])(int) = { one, two };\n    int which = 0;\n"
    "    printf(\"%d\\n\", table[which](5));\n    return 0;\n}\n",
    "which = 0", "which = 1", "test `./p` = 6", "p.c:6"
};
static const Unusual varargs = { "#include <stdarg.h>\n#include <stdio.h>\nstatic int sum(int n, "
                                 "...) {\n    va_list args;\n    int s = 0;\n"
                                 "    va_start(args, n);\n    while (n-- > 0) s += va_arg(args, "
                                 "int);\n    va_end(args);\n    return s;\n}\n"
                                 "int main(void) {\n    int last = 3;\n    printf(\"%d\\n\", "
                                 "sum(3, 1, 2, last));\n    return 0;\n}\n",
                                 "last = 3", "last = 5", "test `./p` = 6", "p.c:12" };
static const Unusual signals = {
    "#include <stdio.h>\nstatic int value = 3;\n"
    "int main(int argc, char **argv) {\n    int *p = argc > 0 ? &value : NULL;\n"
    "    printf(\"%d\\n\", *p);\n    return argv[0] == NULL;\n}\n",
    "argc > 0", "argc > 1", "./p", "p.c:4"
};
static const Unusual divides = { "#include <stdio.h>\nint main(int argc, char **argv) {\n    int "
                                 "parts = argc;\n    (void)argv;\n"
                                 "    printf(\"%d\\n\", 12 / parts);\n    return 0;\n}\n",
                                 "parts = argc", "parts = argc - 1", "./p", "p.c:3" };

static void unusual_program(void **state) {
    const Unusual *u = *state;
    Case c;
    case_edit(&c, u->good, u->from, u->to);
    explain(&c, u->test);
    assert_end(&c, STATUS_DONE, u->root, NULL);
}

#define UNUSUAL(name) { #name, unusual_program, NULL, NULL, (void *)&(name) }

TEST_MAIN(cmocka_unit_test(both_pass), cmocka_unit_test(both_fail), cmocka_unit_test(swapped),
          cmocka_unit_test(nothing_differs), cmocka_unit_test(builds_that_fail),
          cmocka_unit_test(a_flaky_test), cmocka_unit_test(a_binary_difference),
          cmocka_unit_test(missing_things), cmocka_unit_test(a_test_that_reads_the_clock),
          cmocka_unit_test(a_trace_past_its_limit),
          cmocka_unit_test(a_recording_that_takes_long_to_read), UNUSUAL(forks), UNUSUAL(threads),
          UNUSUAL(jumps), UNUSUAL(pointers), UNUSUAL(varargs), UNUSUAL(signals), UNUSUAL(divides))

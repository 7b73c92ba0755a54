/* Tests that misbehave, and inputs nobody would write: reduce ends, says what is wrong, leaves
 * nothing behind. */
#include "base/quantity.h"
#include "fixture.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static bool says(const RunResult *r, const char *what) {
    return str_find(r->err, str_from(what), 0) != STR_NONE;
}

static const char *with_test(const char *script, Str program) {
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", program, false);
    fixture_file(dir, "t.sh", str_from(script), true);
    return dir;
}

#define PROGRAM STR("int a;\nint needle;\nint b(void) { return a; }\nint c;\n")

static void wrong_starts_are_named(void **state) {
    (void)state;
    const char *dir = with_test("#!/bin/sh\nexit 1\n", PROGRAM);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.c");
    assert_int_equal(r.code, STATUS_NO);
    assert_true(says(&r, "a.c") && says(&r, "failing side"));
    workdir_remove(dir);

    dir = with_test("#!/bin/sh\nexit 0\n", PROGRAM);
    r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.c");
    assert_int_equal(r.code, STATUS_BAD);
    assert_true(says(&r, "empty file is interesting"));
    workdir_remove(dir);

    dir = with_test("#!/bin/sh\ngrep -q needle a.c\n", PROGRAM);
    fixture_file(dir, "s.c", STR("int a;\n"), false);
    fixture_file(dir, "p.sh", STR("#!/bin/sh\nexit 1\n"), true);
    r = REDUCE(dir, "--test", "t.sh", "--passing", "s.c", "--passing-test", "p.sh", "-o", "out",
               "a.c");
    assert_int_equal(r.code, STATUS_NO);
    assert_true(says(&r, "s.c") && says(&r, "passing side"));
    workdir_remove(dir);

    dir = with_test("#!/bin/sh\nexit 0\n", PROGRAM);
    r = REDUCE(dir, "--test", "missing.sh", "-o", "out", "a.c");
    assert_int_equal(r.code, STATUS_BAD);
    r = REDUCE(dir, "--crash", "no-such-compiler -c", "-o", "out", "a.c");
    assert_int_equal(r.code, STATUS_LACKS);
    r = REDUCE(dir, "--test", "t.sh", "-o", "out", "missing.c");
    assert_int_equal(r.code, STATUS_BAD);
    workdir_remove(dir);
}

/* Hangs on uninteresting candidates, leaving children behind; the interesting ones pass. */
static void a_test_that_hangs(void **state) {
    (void)state;
    const char *dir =
        with_test("#!/bin/sh\ngrep -q needle a.c && exit 0\nsleep 1000 & sleep 1000\n", PROGRAM);
    RunResult r = REDUCE(dir, "--test", "t.sh", "--timeout", "300ms", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(fixture_read(file_join(&fixture, dir, "out"), "a.c").len < 16);
    workdir_remove(dir);
}

/* CPU seconds of reducing with a script whose every no ends like this. */
static double cost_of_no(const char *ending) {
    const char *script = arena_fmt(
        &fixture, "#!/bin/sh\ngrep -q needle a.c && grep -q small a.c && exit 0\n%s\n", ending);
    const char *dir = with_test(script, STR("int small;\nint a;\nint needle;\n"));
    RunResult r = REDUCE(dir, "-j", "1", "--test", "t.sh", "-o", "out", "a.c");
    fixture_ok(&r);
    Str left = fixture_read(file_join(&fixture, dir, "out"), "a.c");
    assert_true(left.len < 30 && str_find(left, STR("needle"), 0) != STR_NONE);
    workdir_remove(dir);
    return r.cpu_s;
}

/* What does not end costs little where the test itself is quick, whether it computes, starts
 * processes or writes: no single process of the second uses up its time, and the third is ended by
 * what it wrote. So does the empty file, with which it begins. */
static void what_does_not_end_is_cheap(void **state) {
    (void)state;
    double plain = cost_of_no("exit 1");
    assert_true(cost_of_no("while :; do :; done") < plain + 12);
    assert_true(cost_of_no("while :; do /bin/true; done") < plain + 12);
    assert_true(cost_of_no("yes >/dev/null; exit 1") < plain + 12);
}

/* --time does not wait for the test that is running: the start passes at once, every candidate
 * would take as long as --timeout lets it. */
static void time_ends_a_running_test(void **state) {
    (void)state;
    const char *dir =
        with_test("#!/bin/sh\ngrep -q 'int a' a.c && exit 0\nsleep 200\n", STR("int a;\nint b;\n"));
    RunResult r =
        REDUCE(dir, "--test", "t.sh", "--timeout", "200s", "--time", "1s", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(str_find(r.err, STR("continues from here"), 0) != STR_NONE);
    assert_true(r.wall_s < 100);
    workdir_remove(dir);
}

/* A script that takes whatever ends its program for an answer, even our limit, is ended with it. */
static void a_program_that_does_not_end(void **state) {
    (void)state;
    const char *dir = with_test("#!/bin/sh\ngrep -q 'int a' a.c || exit 1\n"
                                "grep -q 'int b' a.c && exit 0\n"
                                "log=$(dirname \"$0\")/log\n"
                                "timeout 60 sh -c 'while :; do :; done'\ns=$?\n"
                                "echo \"$s\" >>\"$log\"\ntest $s != 124\n",
                                STR("int a;\nint b;\n"));
    RunResult r = REDUCE(dir, "--test", "t.sh", "-j", "1", "-o", "out", "a.c");
    fixture_ok(&r);
    Str left = fixture_read(file_join(&fixture, dir, "out"), "a.c");
    assert_true(str_find(left, STR("int b"), 0) != STR_NONE);
    assert_false(file_exists(file_join(&fixture, dir, "log")));
    workdir_remove(dir);
}

/* What a script's programs may take falls with what the test takes: here all of its time is due to
 * what goes first. */
static void limits_fall_with_the_program(void **state) {
    (void)state;
    const char *dir = with_test("#!/bin/sh\nulimit -t >>\"$(dirname \"$0\")/log\"\n"
                                "if grep -q heavy a.c; then i=0\n"
                                "while [ $i -lt 1500000 ]; do i=$((i+1)); done; fi\n"
                                "grep -q needle a.c\n",
                                STR("int heavy;\nint needle;\n"));
    RunResult r = REDUCE(dir, "--test", "t.sh", "-j", "1", "-o", "out", "a.c");
    fixture_ok(&r);
    Str limits = fixture_read(dir, "log");
    assert_true(str_starts(limits, "unlimited\n"));
    assert_true(str_find(limits, STR("\n2\n"), 0) != STR_NONE ||
                str_find(limits, STR("\n3\n"), 0) != STR_NONE ||
                str_find(limits, STR("\n4\n"), 0) != STR_NONE);
    assert_true(str_ends(limits, "\n1\n"));
    workdir_remove(dir);
}

static void a_test_that_forks(void **state) {
    (void)state;
    const char *dir = with_test("#!/bin/sh\ngrep -q needle a.c && exit 0\n"
                                "f() { f | f & }\nf\nsleep 2\nexit 1\n",
                                PROGRAM);
    RunResult r = REDUCE(dir, "--test", "t.sh", "--timeout", "700ms", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(fixture_read(file_join(&fixture, dir, "out"), "a.c").len < 16);
    workdir_remove(dir);
}

static void a_test_that_fills_the_disk(void **state) {
    (void)state;
    const char *dir =
        with_test("#!/bin/sh\ngrep -q needle a.c && exit 0\n"
                  "dd if=/dev/zero of=junk bs=1M count=900 2>/dev/null; yes; exit 1\n",
                  PROGRAM);
    uint64_t before = file_free_bytes("/dev/shm");
    RunResult r = REDUCE(dir, "--test", "t.sh", "--timeout", "5s", "-j", "1", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(fixture_read(file_join(&fixture, dir, "out"), "a.c").len < 16);
    uint64_t after = file_free_bytes("/dev/shm");
    /* one junk file is hundreds of MB; other tests fill and empty the same place */
    assert_true(after + (256u << 20) > before);
    workdir_remove(dir);
}

/* One answer in ten is wrong. That is noticed and reported, and the result is still right. */
static void a_test_that_flakes(void **state) {
    (void)state;
    /* Six needles must stay: that takes tests enough for wrong answers to show. */
    Buf program = { 0 };
    for (int i = 0; i < 6; i++) buf_str(&program, PROGRAM);
    for (int round = 0; round < 3; round++) {
        const char *dir = with_test("", buf_view(&program));
        char *script =
            arena_fmt(&fixture, "#!/bin/bash\nn=$(od -An -N2 -tu2 /dev/urandom)\n"
                                "[ $(grep -o needle a.c | wc -l) -ge 6 ]; answer=$?\n"
                                "[ $((n %% 10)) = 0 ] && answer=$((1 - answer))\nexit $answer\n");
        fixture_file(dir, "t.sh", str_from(script), true);
        RunResult r = { 0 };
        /* The start itself may be refused by bad luck (three wrong answers at once). */
        for (int again = 0; again < 3 && (again == 0 || r.code == STATUS_NO); again++)
            r = REDUCE(dir, "--test", "t.sh", "-o", "out", "--json", "a.c");
        fixture_ok(&r);
        assert_true(str_find(r.out, STR("\"flaky\": true"), 0) != STR_NONE);
        Str small = fixture_read(file_join(&fixture, dir, "out"), "a.c");
        size_t needles = 0;
        for (size_t at = 0; (at = str_find(small, STR("needle"), at)) != STR_NONE; at++) needles++;
        assert_true(needles >= 6);
        workdir_remove(dir);
    }
    buf_release(&program);
}

/* A slow test that lies four times about every program with `lie` in it: what it accepts first is
 * wrong, and the few times a slow result is asked about must find that out. */
static void a_slow_test_that_lies(void **state) {
    (void)state;
    const char *dir = with_test("", STR("int lie, a;\nint needle;\n"));
    char *script = arena_fmt(&fixture,
                             "#!/bin/sh\nsleep 0.6\ngrep -q needle a.c && exit 0\n"
                             "grep -q lie a.c || exit 1\nseen=%s/$(md5sum < a.c | cut -c1-32)\n"
                             "echo >> $seen\ntest $(wc -l < $seen) -le 4\n",
                             dir);
    fixture_file(dir, "t.sh", str_from(script), true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-j", "4", "-o", "out", "--json", "a.c");
    fixture_ok(&r);
    assert_true(str_find(r.out, STR("\"flaky\": true"), 0) != STR_NONE);
    assert_true(str_find(fixture_read(file_join(&fixture, dir, "out"), "a.c"), STR("needle"), 0) !=
                STR_NONE);
    workdir_remove(dir);
}

/* Says yes for a while, then always no. */
static void a_test_that_changes_its_mind(void **state) {
    (void)state;
    const char *dir = with_test("", PROGRAM);
    char *script = arena_fmt(&fixture,
                             "#!/bin/sh\necho x >> %s/count\ngrep -q needle a.c || exit 1\n"
                             "test $(wc -l < %s/count) -lt 12\n",
                             dir, dir);
    fixture_file(dir, "t.sh", str_from(script), true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-j", "1", "-o", "out", "a.c");
    assert_int_equal(r.code, STATUS_NO);
    assert_true(says(&r, "changed its mind"));
    workdir_remove(dir);
}

/* ---- nothing left behind ---- */
/* Directories of culprit's own that have this process's number in their name. */
static unsigned left_by(pid_t pid) {
    char mine[64];
    unsigned n = 0;
    snprintf(mine, sizeof mine, "%d", (int)pid);
    for (int k = 0; k < 2; k++) {
        DIR *d = opendir(k ? "/tmp" : "/dev/shm");
        for (struct dirent *e; d && (e = readdir(d));)
            n += strncmp(e->d_name, "culprit", 7) == 0 && strstr(e->d_name, mine);
        if (d) closedir(d);
    }
    return n;
}

static void nothing_stays_after_a_kill(void **state) {
    (void)state;
    const char *dir = with_test("#!/bin/sh\nsleep 0.2\ngrep -q needle a.c\n", PROGRAM);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(dir)) _exit(1);
        execl(culprit_path, "culprit", "reduce", "-q", "--test", "t.sh", "-o", "out", "a.c",
              (char *)NULL);
        _exit(127);
    }
    usleep(900000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.c");
    fixture_ok(&r);
    workdir_remove(dir);
    for (int i = 0; i < 2000 && left_by(child); i++) usleep(10000); /* soon, on a busy machine */
    assert_int_equal(left_by(child), 0);
}

/* ---- inputs ---- */
static void fill(Buf *b, const char *piece, size_t times) {
    for (size_t i = 0; i < times; i++) buf_text(b, piece);
}

/* Reduces text to something with the needle in it, within memory of 20 times the text and 200 MB.
 */
static void check_input(const char *name, Str text, size_t most_bytes) {
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", text, false);
    fixture_file(dir, "t.sh", STR("#!/bin/sh\ngrep -qa needle a.c\n"), true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "--time", "40s", "a.c");
    if (!run_ok(&r)) print_message("# %s\n", name);
    fixture_ok(&r);
    Str small = fixture_read(file_join(&fixture, dir, "out"), "a.c");
    print_message("# %s: %zu -> %zu bytes, peak %zu MB, %.1f s\n", name, text.len, small.len,
                  (size_t)(r.peak >> 20), r.wall_s);
    assert_true(str_find(small, STR("needle"), 0) != STR_NONE);
    assert_true(small.len <= most_bytes);
    assert_true(r.peak < 20 * text.len + (200u << 20));
    workdir_remove(dir);
}

static void strange_inputs(void **state) {
    (void)state;
    Buf b = { 0 };
    buf_text(&b, "int a = "), fill(&b, "(", 100000), buf_text(&b, "needle"), fill(&b, ")", 100000),
        buf_text(&b, ";\n");
    check_input("nested", buf_view(&b), 100);
    buf_clear(&b), fill(&b, "{", 100000), buf_text(&b, " needle ");
    check_input("unclosed", buf_view(&b), 100);
    buf_clear(&b), fill(&b, "[(", 30000), buf_text(&b, " needle "), fill(&b, "})", 30000);
    check_input("crossed", buf_view(&b), 100);
    buf_clear(&b), buf_add(&b, "int a;\r\nint\0 needle;\r\nint b\0;\r\nint c", 36);
    check_input("NUL and CRLF, no newline", buf_view(&b), 20);
    buf_clear(&b), fill(&b, "int x[] = { 1, 2, 3 }; int f(int a) { return a + x[2]; }\n", 45000);
    buf_text(&b, "int needle;\n"), fill(&b, "struct s { int a, b; } t;\r\n", 95000);
    check_input("5 MB", buf_view(&b), 30);
    buf_clear(&b), fill(&b, "x", 2500000), buf_text(&b, " needle "), fill(&b, ";", 2500000);
    check_input("5 MB in one line", buf_view(&b), 2000);
    buf_release(&b);
}

FIXTURE_MAIN(cmocka_unit_test(wrong_starts_are_named), cmocka_unit_test(a_test_that_hangs),
             cmocka_unit_test(what_does_not_end_is_cheap),
             cmocka_unit_test(time_ends_a_running_test),
             cmocka_unit_test(a_program_that_does_not_end),
             cmocka_unit_test(limits_fall_with_the_program), cmocka_unit_test(a_test_that_forks),
             cmocka_unit_test(a_test_that_fills_the_disk), cmocka_unit_test(a_test_that_flakes),
             cmocka_unit_test(a_slow_test_that_lies),
             cmocka_unit_test(a_test_that_changes_its_mind),
             cmocka_unit_test(nothing_stays_after_a_kill), cmocka_unit_test(strange_inputs))

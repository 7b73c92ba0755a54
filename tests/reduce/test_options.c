/* Every option of reduce does what it says; several files; C-Vise's command line; time limits. */
#include "fixture.h"

#include "base/json.h"
#include "base/quantity.h"
#include "planted.h"
#include "store/store.h"

static const char *compiler; /* the planted one */

static bool has(Str text, const char *what) {
    return str_find(text, str_from(what), 0) != STR_NONE;
}

static const char *command(const char *flags) {
    return arena_fmt(&fixture, "%s %s", compiler, flags);
}

static Str left_in(const char *dir, const char *name) {
    return fixture_read(file_join(&fixture, dir, "out"), name);
}

/* ---- tests without a script ---- */
static void hangs(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("int a;\nint slow_one;\n"), false);
    RunResult r =
        REDUCE(dir, "--hangs", command("-S"), "--limit", "1s", "-o", "out", "--rounds", "1", "a.c");
    fixture_ok(&r);
    assert_true(has(left_in(dir, "a.c"), "slow_one") && !has(left_in(dir, "a.c"), "int a;"));
    /* one that waits is not a hang: CPU time counts */
    fixture_file(dir, "sleeper", STR("#!/bin/sh\nexec sleep 3\n"), true);
    r = REDUCE(dir, "--hangs", "./sleeper", "--limit", "1s", "-o", "out2", "a.c");
    assert_int_equal(r.code, STATUS_NO);
    workdir_remove(dir);
}

static void says_and_message(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("int a;\nint refuse_one;\nint refuse_two;\n"), false);
    RunResult r = REDUCE(dir, "--says", command("-S -o /dev/null"), "--message",
                         "refused for '[a-z]+' reason", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(has(left_in(dir, "a.c"), "refuse_one") && !has(left_in(dir, "a.c"), "two"));
    fixture_file(dir, "b.c", STR("int a;\nint ice_two;\n"), false);
    r = REDUCE(dir, "--crash", command("-S"), "--message", "in two, at", "-o", "out", "b.c");
    fixture_ok(&r);
    assert_true(has(left_in(dir, "b.c"), "ice_two") && !has(left_in(dir, "b.c"), "int a;"));
    r = REDUCE(dir, "--crash", command("-S"), "--message", "in one, at", "-o", "out2", "b.c");
    assert_int_equal(r.code, STATUS_NO); /* not the message it has */
    r = REDUCE(dir, "--says", command("-S"), "--message", "(", "-o", "out2", "b.c");
    assert_int_equal(r.code, STATUS_BAD); /* no expression */
    workdir_remove(dir);
}

/* Quoting in commands is as in a shell; -I is relative to where the command was given. */
static void commands_are_quoted(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("#include \"own.h\"\nint a;\nint v = ICE;\n"), false);
    Error err = { 0 };
    assert_true(file_make_dirs(file_join(&fixture, dir, "in c"), &err));
    fixture_file(file_join(&fixture, dir, "in c"), "own.h", STR("#define ICE 1\n"), false);
    fixture_file(
        dir, "cc",
        STR("#!/bin/sh\n[ \"$2\" = '-DX=a b' ] || exit 0\n"
            "gcc-12 -fsyntax-only \"$@\" && grep -q 'v = ICE' a.c && echo 'internal compiler "
            "error: in f, at g.c:1' >&2 && exit 1\n"),
        true);
    RunResult r = REDUCE(dir, "--crash", "./cc '-Iin c' -DX='a b' {}", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(has(left_in(dir, "a.c"), "ICE") && has(left_in(dir, "a.c"), "own.h"));
    assert_true(!has(left_in(dir, "a.c"), "int a;"));
    /* pasted from a report: the program came from standard input */
    r = REDUCE(dir, "--crash", "./cc '-Iin c' -DX='a b' -x c -", "-o", "out2", "a.c");
    fixture_ok(&r);
    assert_true(!has(fixture_read(file_join(&fixture, dir, "out2"), "a.c"), "int a;"));
    workdir_remove(dir);
}

/* A crash of a compiler that is really installed: what is left crashes it in the same place. */
static void crash_of_a_real_compiler(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    /* GCC 11 and 12 crash where a section attribute follows one that conflicts with it: any crash
     * will do for this test, so several known ones are tried. */
    static const char *const known[] = {
        "int a;\n__attribute__((noinline)) void f(void) {}\n__GIMPLE (ssa) void g () {\n  int _1;\n"
        "  __BB(2):\n  _1 = _2;\n  return;\n}\nint b;\n",
        "int a;\nint f(void) {\n  return 1;\n}\n__RTL (startwith (\"nothing\")) int g (void)\n{\n"
        "(function \"g\"\n  (insn-chain\n    (block 2)))\n}\nint b;\n",
        "int a;\nvoid f(void) {\n  __builtin_shuffle((int __attribute__((vector_size(16)))){0},"
        "(int __attribute__((vector_size(32)))){0});\n}\n"
        "__GIMPLE int h(int x) {\n  x = (int) 1.0;\n  return x\n}\nint b;\n",
    };
    const char *cc = NULL;
    for (size_t i = 0; i < COUNT_OF(known) && !cc; i++) {
        fixture_file(dir, "a.c", str_from(known[i]), false);
        static const char *const compilers[] = { "gcc-12", "gcc-11" };
        for (size_t k = 0; k < COUNT_OF(compilers) && !cc; k++) {
            const char *const argv[] = { compilers[k], "-fgimple", "-S", "-o",
                                         "/dev/null",  "a.c",      NULL };
            RunResult r = run_one(&fixture, &(RunSpec){ .argv = argv, .dir = dir });
            if (has(r.err, "internal compiler error") && !has(r.err, ": error: "))
                cc = compilers[k];
        }
    }
    if (!cc) {
        workdir_remove(dir);
        print_message("# skipped: no compiler here crashes on the program\n");
        return;
    }
    RunResult r =
        REDUCE(dir, "--crash", arena_fmt(&fixture, "%s -fgimple -S", cc), "-o", "out", "a.c");
    fixture_ok(&r);
    Str left = left_in(dir, "a.c");
    assert_true(!has(left, "int a;") && !has(left, "int b;"));
    fixture_file(dir, "a.c", left, false);
    const char *const argv[] = { cc, "-fgimple", "-S", "-o", "/dev/null", "a.c", NULL };
    r = run_one(&fixture, &(RunSpec){ .argv = argv, .dir = dir });
    assert_true(has(r.err, "internal compiler error"));
    workdir_remove(dir);
}

/* The standard input reaches the programs on both sides. */
static void input_is_read(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c",
                 STR(PLANTED_HEAD "int getchar(void);\nint a;\nint main(void) {\n"
                                  "  int c = getchar();\n  if (c == 'x') return triple(2);\n"
                                  "  return 0;\n}\n"),
                 false);
    fixture_file(dir, "in", STR("x"), false);
    RunResult r =
        REDUCE(dir, "--differs", "gcc-12 -O0", command("-O1"), "--unchecked", "-o", "out", "a.c");
    assert_int_equal(r.code, STATUS_NO);
    r = REDUCE(dir, "--differs", "gcc-12 -O0", command("-O1"), "--input", "in", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(has(left_in(dir, "a.c"), "triple"));
    workdir_remove(dir);
}

/* Wrong code in a language that no check covers is refused, unless that is waived. */
static void unchecked_is_asked_for(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.py", STR("a = 1\nprint(a)\n"), false);
    fixture_file(dir, "one",
                 STR("#!/bin/sh\nprintf '#!/bin/sh\\necho 1\\n' >\"$3\"; chmod 755 $3\n"), true);
    fixture_file(dir, "two",
                 STR("#!/bin/sh\nprintf '#!/bin/sh\\necho %s\\n' $(grep -c print \"$1\") >\"$3\"\n"
                     "chmod 755 $3\n"),
                 true);
    fixture_file(dir, "a.py", STR("a = 1\nb = 2\nprint(a)\nprint(b)\n"), false);
    RunResult r = REDUCE(dir, "--differs", "./one", "./two", "-o", "out", "a.py");
    assert_int_equal(r.code, STATUS_BAD);
    assert_true(has(r.err, "--unchecked"));
    workdir_remove(dir);
}

/* ---- methods ---- */
static void pair_in(const char *dir) {
    fixture_file(dir, "seed.c", STR("int a;\nint f(void) { return 1; }\nint b;\n"), false);
    fixture_file(dir, "variant.c",
                 STR("int a;\nint f(void) { int needle; int more; return 1; }\nint b;\nint c;\n"),
                 false);
    fixture_file(dir, "bad.sh",
                 STR("#!/bin/sh\ngrep -q needle variant.c && gcc-12 -w -fsyntax-only variant.c\n"),
                 true);
    fixture_file(dir, "good.sh",
                 STR("#!/bin/sh\n! grep -q needle seed.c && gcc-12 -w -fsyntax-only seed.c\n"),
                 true);
}

static json_t *reduced_pair(const char *dir, const char *const *more) {
    VEC(const char *) words = { 0 };
    static const char *const always[] = { "--test",         "bad.sh",  "--passing", "seed.c",
                                          "--passing-test", "good.sh", "--json",    "-o" };
    for (size_t i = 0; i < COUNT_OF(always); i++) vec_push(&words, always[i]);
    const char *out = workdir_new(&fixture, "out");
    vec_push(&words, out);
    for (; *more; more++) vec_push(&words, *more);
    vec_push(&words, "variant.c");
    vec_push(&words, (const char *)NULL);
    RunResult r = fixture_reduce(dir, words.at);
    fixture_ok(&r);
    vec_release(&words);
    Error err = { 0 };
    json_t *json = json_parse(r.out, "result", &err);
    assert_non_null(json);
    return json;
}
#define PAIR(dir, ...) reduced_pair(dir, (const char *const[]){ __VA_ARGS__, NULL })

static bool has_phase(const json_t *json, const char *name) {
    const json_t *phases = json_object_get(json, "phases"), *p;
    size_t i;
    json_array_foreach(phases, i, p) if (str_is(json_get_text(p, "name"), name)) return true;
    return false;
}

static int64_t number(const json_t *json, const char *object, const char *key) {
    return json_integer_value(json_object_get(json_object_get(json, object), key));
}

/* --order, --rounds and --plain switch off exactly what they name. */
static void ablations(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    pair_in(dir);
    json_t *whole = PAIR(dir, "-j", "1");
    json_t *no_l = PAIR(dir, "--order", "tc"), *no_c = PAIR(dir, "--order", "tl");
    json_t *plain = PAIR(dir, "--plain"), *once = PAIR(dir, "--rounds", "1", "--plain");
    assert_true(has_phase(whole, "MinTDiff") && has_phase(whole, "MinLDiff") &&
                has_phase(whole, "MinCommonality") && has_phase(whole, "sets"));
    assert_true(!has_phase(no_l, "MinLDiff") && has_phase(no_l, "MinCommonality"));
    assert_true(!has_phase(no_c, "MinCommonality") && !has_phase(no_c, "sets"));
    static const char *const ours[] = { "unreached", "unreferenced", "items", "sets",
                                        "names",     "minimal",      "judge" };
    for (size_t i = 0; i < COUNT_OF(ours); i++)
        assert_true(!has_phase(plain, ours[i]) && !has_phase(once, ours[i]));
    assert_true(number(whole, "difference", "tokens") <= number(plain, "difference", "tokens"));
    assert_true(number(plain, "variant", "tokens") <= number(once, "variant", "tokens"));
    assert_true(number(no_c, "variant", "tokens") > number(whole, "variant", "tokens"));
    json_decref(whole), json_decref(no_l), json_decref(no_c), json_decref(plain), json_decref(once);
    RunResult r = REDUCE(dir, "--test", "bad.sh", "--order", "txc", "variant.c");
    assert_int_equal(r.code, STATUS_BAD);
    workdir_remove(dir);
}

/* Without a language: no pass that knows one, and lines all the same. */
/* Columns and their values go together, in a language that nobody has a grammar of. */
static void lists_go_together(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.sql", STR("create t (a, b, c)\ninsert t (a, b, c) of (7, 8, 9)\n"), false);
    fixture_file(
        dir, "t.sh",
        STR("#!/bin/sh\ngrep -qE '^create t \\( *[a-c](, *[a-c])*\\)$' a.sql &&\n"
            "grep -qE '^insert t \\( *[a-c](, *[a-c])*\\) of \\( *[7-9](, *[7-9])*\\)$' a.sql &&\n"
            "grep -q 8 a.sql && awk '{ n[NR] = gsub(/,/, \",\") } END { exit n[2] != 2 * n[1] }' "
            "a.sql\n"),
        true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.sql");
    fixture_ok(&r);
    Str left = left_in(dir, "a.sql");
    assert_true(has(left, "8") && !has(left, ","));
    workdir_remove(dir);
}

/* A header stays for the name that it defines, and the name for its place in a list. */
static void names_of_headers_go(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c",
                 STR("#include <stdio.h>\nint main(void) {\n  return use(0, EOF);\n}\n"), false);
    fixture_file(
        dir, "t.sh",
        STR("#!/bin/sh\ngrep -q 'use([^(),]*, *[^(), ]' a.c && gcc-12 -w -fsyntax-only a.c\n"),
        true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.c");
    fixture_ok(&r);
    Str left = left_in(dir, "a.c");
    assert_true(has(left, "use(") && !has(left, "EOF") && !has(left, "include"));
    workdir_remove(dir);
}

/* A circle of rules gets shorter only by what lies across the end of a line. */
static void windows_cross_lines(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.mk", STR("a: b\nb: c\nc: a\n"), false);
    fixture_file(
        dir, "t.sh",
        STR("#!/bin/sh\nawk '!/^[a-c]: [a-c]$/ || (NR > 1 && $1 != before \":\") { bad = 1 }"
            "\nNR == 1 { first = $1 }\n{ before = $2 }\n"
            "END { exit bad || first != before \":\" }' a.mk\n"),
        true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.mk");
    fixture_ok(&r);
    assert_int_equal(left_in(dir, "a.mk").len, 5);
    workdir_remove(dir);
}

static void text_is_lines(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "t.sh", STR("#!/bin/sh\ngrep -q 'needle =' a.c\n"), true);
    fixture_file(dir, "a.c", STR("int a;\nint needle = 3;\nint b; )))\n"), false);
    RunResult r = REDUCE(dir, "--test", "t.sh", "--text", "-o", "out", "--json", "a.c");
    fixture_ok(&r);
    assert_true(str_is(str_trim(left_in(dir, "a.c")), "needle ="));
    workdir_remove(dir);
}

/* The same bytes for one job and for eight. */
static void jobs_do_not_matter(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    Buf text = { 0 };
    for (int i = 0; i < 12; i++)
        buf_fmt(&text, "int v%d = %d;\nint f%d(int x) { return x + v%d; }\n", i, i, i, i);
    fixture_file(dir, "a.c", buf_view(&text), false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\ngrep -q 'v3' a.c && grep -q 'f7' a.c && grep -q return a.c && "
                     "gcc-12 -w -fsyntax-only a.c\n"),
                 true);
    RunResult one = REDUCE(dir, "--test", "t.sh", "-j", "1", "-o", "out", "a.c");
    fixture_ok(&one);
    Str first = left_in(dir, "a.c");
    RunResult eight = REDUCE(dir, "--test", "t.sh", "-j", "8", "-o", "out8", "a.c");
    fixture_ok(&eight);
    assert_true(str_eq(first, fixture_read(file_join(&fixture, dir, "out8"), "a.c")));
    assert_true(!has(one.err, "time limit") && !has(eight.err, "time limit"));
    buf_release(&text);
    workdir_remove(dir);
}

/* ---- limits of time ---- */
/* What is slow takes far longer than this, and what is in time far less, on a busy machine, too. */
enum { OVERDUE_S = 120 };

static void time_holds_in_every_phase(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("int a;\nint needle;\nint b;\n"), false);
    fixture_file(dir, "always.sh", STR("#!/bin/sh\nsleep 1000\n"), true);
    double began = clock_now();
    RunResult r = REDUCE(dir, "--test", "always.sh", "--time", "2s", "-o", "out", "a.c");
    assert_int_equal(r.code, STATUS_NO); /* not even the start was tested */
    assert_true(clock_now() - began < OVERDUE_S);
    /* the start is quick, everything else sleeps: the end as well */
    fixture_file(dir, "later.sh",
                 STR("#!/bin/sh\ngrep -q needle a.c || exit 1\n"
                     "grep -q 'int a' a.c && grep -q 'int b' a.c && exit 0\nsleep 1000\n"),
                 true);
    began = clock_now();
    r = REDUCE(dir, "--test", "later.sh", "--time", "2s", "-o", "out", "a.c");
    fixture_ok(&r);
    assert_true(clock_now() - began < OVERDUE_S);
    assert_true(has(r.err, "stopped by the time limit"));
    workdir_remove(dir);
}

/* ---- command lines ---- */
static void as_cvise_is_called(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "t.sh", STR("#!/bin/sh\ngrep -q needle bug.c\n"), true);
    fixture_file(dir, "bug.c", STR("int a;\nint needle;\n"), false);
    RunResult r = REDUCE(dir, "./t.sh", "bug.c");
    fixture_ok(&r);
    assert_true(str_is(fixture_read(dir, "bug.c.orig"), "int a;\nint needle;\n"));
    assert_true(!has(fixture_read(dir, "bug.c"), "int a;"));
    r = REDUCE(dir, "--n", "2", "./t.sh", "bug.c"); /* its word for --jobs */
    fixture_ok(&r);
    fixture_file(dir, "plain.sh", STR("#!/bin/sh\ngrep -q needle bug.c\n"), false);
    r = REDUCE(dir, "./plain.sh", "bug.c");
    assert_int_equal(r.code, STATUS_BAD);
    assert_true(has(r.err, "chmod +x ./plain.sh"));
    workdir_remove(dir);
}

/* A test that reads the file where it was, and so answers the same whatever is tried: said so. */
static void a_test_that_reads_the_original(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "bug.c", STR("int a;\nint needle;\n"), false);
    fixture_file(dir, "t.sh",
                 str_from(arena_fmt(&fixture, "#!/bin/sh\ngrep -q needle '%s'\n",
                                    file_join(&fixture, dir, "bug.c"))),
                 true);
    RunResult r = REDUCE(dir, "./t.sh", "bug.c");
    assert_int_equal(r.code, STATUS_BAD);
    assert_true(has(r.err, "by its full path"));
    fixture_file(dir, "t.sh", STR("#!/bin/sh\ntrue\n"), true); /* another reason */
    r = REDUCE(dir, "./t.sh", "bug.c");
    assert_int_equal(r.code, STATUS_BAD);
    assert_true(has(r.err, "must ask for something") && !has(r.err, "full path"));
    workdir_remove(dir);
}

/* ---- several files ---- */
static void several_files(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    Error err = { 0 };
    assert_true(file_make_dirs(file_join(&fixture, dir, "inc"), &err));
    fixture_file(dir, "a.c",
                 STR("#include \"inc/one.h\"\nint a;\nint f(void) { return ONE + a; }\n"), false);
    fixture_file(dir, "b.c", STR("int f(void);\nint b;\nint main(void) { b = 2; return f(); }\n"),
                 false);
    fixture_file(dir, "c.c", STR("int unused;\n"), false);
    fixture_file(dir, "inc/one.h", STR("#define ONE 1\n#define TWO 2\n"), false);
    fixture_file(dir, "inc/two.h", STR("int nobody;\n"), false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\ngcc-12 -w *.c -o p 2>/dev/null || exit 1\n./p; [ $? = 1 ]\n"),
                 true);
    /* The first one does not matter at all: that is no reason to think that an empty program would
     * do. */
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "c.c", "a.c", "b.c", "inc/");
    fixture_ok(&r);
    const char *out = file_join(&fixture, dir, "out");
    assert_false(file_exists(file_join(&fixture, out, "c.c")));
    assert_false(file_exists(file_join(&fixture, out, "inc/two.h")));
    assert_false(file_exists(file_join(&fixture, out, "inc/one.h"))); /* merged */
    const char *const again[] = { "sh", "../t.sh", NULL };
    r = run_one(&fixture, &(RunSpec){ .argv = again, .dir = out });
    assert_true(run_ok(&r));
    StrVec left = { 0 };
    size_t bytes = 0;
    assert_true(file_list(&fixture, out, ".c", &left, &err));
    for (size_t i = 0; i < left.len; i++) {
        Str text;
        assert_true(file_read(&fixture, left.at[i].at, &text, &err));
        bytes += text.len;
    }
    assert_true(bytes > 0 && bytes < 60);
    assert_int_equal(left.len, 1); /* the units became one */
    vec_release(&left);
    workdir_remove(dir);
}

/* A test that names its units gets files of those names, and one of them has it all; two that
 * cannot be one, because of what they call the same, are left apart. */
static void units_by_name(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("static int s;\nint one, more;\n"), false);
    fixture_file(dir, "b.c", STR("static char s;\nint two, more;\n"), false);
    fixture_file(dir, "c.c", STR("int three, more;\n"), false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\ncat a.c b.c c.c > all || exit 1\n"
                     "for w in one two three 'int s' 'char s'\n"
                     "do grep -q \"$w\" all || exit 1; done\n"
                     "gcc-12 -w -fsyntax-only a.c b.c c.c\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.c", "b.c", "c.c");
    fixture_ok(&r);
    assert_int_equal(left_in(dir, "a.c").len, 0);
    Str b = left_in(dir, "b.c"), c = left_in(dir, "c.c");
    assert_true(has(b, "char s") && has(b, "two") && !has(b, "more"));
    assert_true(has(c, "int s") && has(c, "one") && has(c, "three") && !has(c, "more"));
    workdir_remove(dir);
}

static void pair_of_directories(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    Error err = { 0 };
    static const char *const sides[] = { "seed", "variant" };
    for (int v = 0; v < 2; v++) {
        const char *side = file_join(&fixture, dir, sides[v]);
        assert_true(file_make_dirs(side, &err));
        fixture_file(side, "a.c", STR("int a;\nint f(void) { return 1; }\n"), false);
        fixture_file(side, "b.c",
                     v ? STR("int b;\nint g(void) { int needle; return 2; }\n")
                       : STR("int b;\nint g(void) { return 2; }\n"),
                     false);
    }
    fixture_file(dir, "bad.sh",
                 STR("#!/bin/sh\ngrep -q needle b.c && grep -q 'f(' a.c && gcc-12 -w -fsyntax-only "
                     "*.c\n"),
                 true);
    fixture_file(dir, "good.sh",
                 STR("#!/bin/sh\n! grep -q needle b.c && grep -q 'f(' a.c && gcc-12 -w "
                     "-fsyntax-only *.c\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "bad.sh", "--passing", "seed", "--passing-test", "good.sh",
                         "-o", "out", "--json", "variant");
    fixture_ok(&r);
    json_t *json = json_parse(r.out, "result", &err);
    assert_true(number(json, "difference", "tokens") <= 3);
    assert_true(number(json, "variant", "tokens") < 20);
    json_decref(json);
    assert_true(has(left_in(dir, "b.c"), "needle") && has(left_in(dir, "a.c"), "f("));
    workdir_remove(dir);
}

/* A stored case that needs several units is reduced. */
static void units_of_a_case(void **state) {
    (void)state;
    const char *dir = fixture_dir(), *path = file_join(&fixture, dir, "cases.db");
    Error err = { 0 };
    json_t *units = json_array();
    static const char *const texts[] = {
        PLANTED_HEAD "int a;\nint f(int x) { return triple(x); }\n",
        "int f(int);\nint b;\nint main(void) { b = 2; return f(b); }\n",
    };
    for (int i = 0; i < 2; i++) {
        json_t *unit = json_object();
        json_put_text(unit, "compiler", str_from(i ? "gcc-12" : compiler));
        json_put_text(unit, "flags", i ? STR("-O0 -w") : STR("-O1 -w"));
        json_put_text(unit, "text", str_from(texts[i]));
        json_array_append_new(units, unit);
    }
    Buf json = { 0 };
    json_dump_buf(units, false, &json);
    json_decref(units);
    Case c = { .compiler = str_from(compiler),
               .flags = STR("-O1"),
               .verdict = STR("wrong"),
               .variant = STR("whole"),
               .code = 6,
               .units = buf_view(&json) };
    Store *store = store_open(path, STORE_WRITE, &err);
    int64_t id = 0;
    assert_true(store && store_case_put(store, &c, &id, NULL, &err));
    store_close(store);
    RunResult r = REDUCE(dir, "--case", "1", "--store", path);
    fixture_ok(&r);
    store = store_open(path, STORE_READ, &err);
    assert_true(store && store_case_get(store, &fixture, id, &c, &err));
    store_close(store);
    units = json_parse(c.units, "units", &err);
    Str one = json_get_text(json_array_get(units, 0), "reduced");
    assert_true(has(one, "triple") && !has(one, "int a;"));
    assert_true(json_get_text(json_array_get(units, 1), "reduced").len < 50);
    json_decref(units);
    buf_release(&json);
    workdir_remove(dir);
}

/* One file, or a directory, goes by its last part, unless the test calls it by the path given. */
static void a_test_that_names_the_path(void **state) {
    (void)state;
    static const char *const scripts[] = { "grep -q needle a.c", "grep -q needle ./src/a.c",
                                           "grep -q needle src/a.c" };
    static const char *const results[] = { "a.c", "src/a.c", "src/a.c" };
    for (int i = 0; i < 3; i++) {
        const char *dir = fixture_dir();
        Error err = { 0 };
        assert_true(file_make_dirs(file_join(&fixture, dir, "src"), &err));
        fixture_file(dir, "src/a.c", STR("int a;\nint needle;\n"), false);
        fixture_file(dir, "t.sh", str_from(arena_fmt(&fixture, "#!/bin/sh\n%s\n", scripts[i])),
                     true);
        RunResult r = REDUCE(dir, "-o", "out", "t.sh", i == 2 ? "src" : "src/a.c");
        fixture_ok(&r);
        Str left = fixture_read(file_join(&fixture, dir, "out"), results[i]);
        assert_true(has(left, "needle") && !has(left, "int a"));
        workdir_remove(dir);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hangs),
        cmocka_unit_test(says_and_message),
        cmocka_unit_test(commands_are_quoted),
        cmocka_unit_test(crash_of_a_real_compiler),
        cmocka_unit_test(input_is_read),
        cmocka_unit_test(unchecked_is_asked_for),
        cmocka_unit_test(ablations),
        cmocka_unit_test(lists_go_together),
        cmocka_unit_test(names_of_headers_go),
        cmocka_unit_test(windows_cross_lines),
        cmocka_unit_test(text_is_lines),
        cmocka_unit_test(jobs_do_not_matter),
        cmocka_unit_test(time_holds_in_every_phase),
        cmocka_unit_test(as_cvise_is_called),
        cmocka_unit_test(a_test_that_reads_the_original),
        cmocka_unit_test(a_test_that_names_the_path),
        cmocka_unit_test(several_files),
        cmocka_unit_test(units_by_name),
        cmocka_unit_test(pair_of_directories),
        cmocka_unit_test(units_of_a_case),
    };
    culprit_path = argc > 1 ? realpath(argv[1], NULL) : NULL;
    compiler = planted_compiler(&fixture, workdir_new(&fixture, "planted"));
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* culprit-cc as a drop-in for cc: the kinds of command lines that makefiles, configure and CMake
 * use. */
#include "lab.h"

#include <sys/stat.h>

static const char *const part_a = "#include \"part.h\"\nint part_a(int n) { return n * FACTOR; }\n";
static const char *const part_b =
    "#include \"part.h\"\nint part_b(int n) { return part_a(n) + 1; }\n";
static const char *const part_h = "#define FACTOR 3\nint part_a(int);\nint part_b(int);\n";
static const char *const main_c = "#include <stdio.h>\n#include \"part.h\"\nint main(void) { "
                                  "printf(\"%d\\n\", part_b(4)); return 0; }\n";

static void write_parts(Lab *lab) {
    lab_open(lab);
    lab_file(lab, "a.c", part_a);
    lab_file(lab, "b.c", part_b);
    lab_file(lab, "part.h", part_h);
    lab_file(lab, "main.c", main_c);
}

/* The program says 13, traced and not, and its trace replays. */
static void says_13(Lab *lab, const char *program) {
    RunResult r = LAB_RUN(lab, NULL, program);
    assert_true(run_ok(&r));
    assert_str(r.out, "13\n");
    Trace *t = lab_trace(lab, program, NULL, NULL, NULL, &r);
    assert_str(r.out, "13\n");
    assert_int_equal(trace_info(t)->diverged, 0);
    assert_str(trace_info(t)->first_bytes, "13\n");
    assert_true(trace_entered(t, STR("part_a")));
    assert_true(trace_executed(t, STR("a.c"), 2));
    assert_false(trace_executed(t, STR("a.c"), 1));
    trace_free(t);
}

static void separate(void **state) {
    (void)state;
    Lab lab;
    write_parts(&lab);
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-O2", "-g", "-Wall", "-c", "a.c"));
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-c", "b.c", "-o", "b.o", "-MD"));
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-c", "-o", "main.o", "main.c", "-MMD", "-MP",
                           "-MF", "deps"));
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "a.o", "b.o", "main.o", "-o", "prog"));
    Str text;
    assert_true(file_read(&lab.arena, lab_path(&lab, "b.d"), &text, NULL));
    assert_true(str_starts(text, "b.o:"));
    assert_true(str_find(text, STR("part.h"), 0) != STR_NONE);
    assert_true(file_read(&lab.arena, lab_path(&lab, "deps"), &text, NULL));
    assert_true(str_starts(text, "main.o:"));
    says_13(&lab, lab_path(&lab, "prog"));
    lab_close(&lab);
}

static void at_once(void **state) {
    (void)state;
    Lab lab;
    write_parts(&lab);
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "main.c", "a.c", "b.c", "-o", "prog", "-lm"));
    says_13(&lab, lab_path(&lab, "prog"));
    lab_file(&lab, "args", "-O1 -I. 'main.c' \"a.c\"\n b.c -o prog2\n");
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "@args"));
    says_13(&lab, lab_path(&lab, "prog2"));
    lab_must(&lab,
             LAB_RUN(&lab, NULL, CULPRIT_CC, "-static", "main.c", "a.c", "b.c", "-o", "prog3"));
    says_13(&lab, lab_path(&lab, "prog3"));
    lab_close(&lab);
}

static void libraries(void **state) {
    (void)state;
    Lab lab;
    write_parts(&lab);
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-c", "a.c", "b.c"));
    lab_must(&lab, LAB_RUN(&lab, NULL, "ar", "rcs", "libparts.a", "a.o", "b.o"));
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "main.c", "-L.", "-lparts", "-o", "prog"));
    says_13(&lab, lab_path(&lab, "prog"));
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-fPIC", "-shared", "a.c", "b.c", "-o",
                           "libshared.so"));
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "main.c", "-L.", "-lshared", "-Wl,-rpath,.",
                           "-o", "prog2"));
    says_13(&lab, lab_path(&lab, "prog2"));
    lab_close(&lab);
}

/* What configure tries: programs that must not compile, probes without input, preprocessing. */
static void questions(void **state) {
    (void)state;
    Lab lab;
    write_parts(&lab);
    RunResult r = LAB_RUN(&lab, NULL, CULPRIT_CC, "-E", "a.c");
    assert_true(run_ok(&r));
    assert_true(str_find(r.out, STR("n * 3"), 0) != STR_NONE);
    r = LAB_RUN(&lab, NULL, CULPRIT_CC, "-dumpmachine");
    assert_true(run_ok(&r) && r.out.len > 0);
    r = LAB_RUN(&lab, NULL, CULPRIT_CC, "--version");
    assert_true(run_ok(&r) && r.out.len > 0);
    r = LAB_RUN(&lab, NULL, CULPRIT_CC, "-v");
    assert_true(run_ok(&r));
    r = LAB_RUN(&lab, NULL, CULPRIT_CC, "-M", "a.c");
    assert_true(run_ok(&r));
    assert_true(str_starts(r.out, "a.o:"));
    lab_file(&lab, "conftest.c", "int main(void) { return undeclared; }\n");
    r = LAB_RUN(&lab, NULL, CULPRIT_CC, "-c", "conftest.c");
    assert_int_equal(r.end, RUN_EXITED);
    assert_int_equal(r.code, 1);
    assert_true(r.err.len > 0);
    assert_false(file_exists(lab_path(&lab, "conftest.o")));
    lab_file(&lab, "conftest.c", "int main(void) { return no_such_function(); }\n");
    r = LAB_RUN(&lab, NULL, CULPRIT_CC, "conftest.c", "-o", "conftest");
    assert_false(run_ok(&r));
    lab_file(&lab, "asm.s",
             ".globl seven\nseven: movl $7, %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n");
    lab_file(&lab, "seven.c", "int seven(void); int main(void) { return seven(); }\n");
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-c", "asm.s", "-o", "asm.o"));
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "seven.c", "asm.s", "-o", "seven"));
    r = LAB_RUN(&lab, NULL, "./seven");
    assert_int_equal(r.code, 7);
    lab_close(&lab);
}

/* The user's own compiler answers configure, and compiles what clang refuses. */
static void the_users_own_compiler(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    lab_file(&lab, "nested.c",
             "int call(int (*f)(int)) { return f(2); }\n"
             "int main(void) { int n = 3; int add(int m) { return m + n; } return call(add); }\n");
    RunResult r = LAB_RUN(&lab, NULL, CULPRIT_CC, "nested.c", "-o", "nested");
    assert_false(run_ok(&r));
    const char *own = "CULPRIT_PLAIN=gcc -DOWN";
    lab_must(&lab, LAB_RUN(&lab, own, CULPRIT_CC, "nested.c", "-o", "nested"));
    r = LAB_RUN(&lab, NULL, "./nested");
    assert_int_equal(r.code, 5);
    lab_file(&lab, "conftest.c", "#ifndef OWN\n#error\n#endif\nint main(void) { return 0; }\n");
    lab_must(&lab, LAB_RUN(&lab, own, CULPRIT_CC, "-c", "conftest.c"));
    lab_file(&lab, "wrong.c", "int main(void) { return undeclared; }\n");
    r = LAB_RUN(&lab, own, CULPRIT_CC, "-c", "wrong.c");
    assert_int_equal(r.code, 1);
    assert_true(str_find(r.err, STR("undeclared"), 0) != STR_NONE);
    lab_close(&lab);
}

/* Code from before 1999. */
static void old_code(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    lab_file(&lab, "old.c",
             "static twice(x) { return x * 2; }\nmain() { int i = 21; printf(\"%d\\n\", twice(i)); "
             "return strlen(\"\"); }\n");
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-w", "old.c", "-o", "old"));
    RunResult r = LAB_RUN(&lab, NULL, "./old");
    assert_str(r.out, "42\n");
    lab_close(&lab);
}

/* A file that is too large to be optimised (LARGE_BITCODE) is still recorded. */
static void large(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    Buf text = { 0 };
    buf_text(&text, "#include <stdio.h>\nstatic long total;\nstruct s { char c; short w; int x; "
                    "double d; };\n");
    for (int i = 0; i < 1000; i++)
        buf_fmt(&text,
                "int f%d(struct s *p, unsigned n) {\n    if (n > %du && p->x) p->w += "
                "(short)(p->x >> (n & 3));\n    p->d = p->d * 0.5 + n;\n    total += p->w;\n    "
                "return p->c ? p->x : (int)p->d;\n}\n",
                i, i % 40);
    buf_text(&text, "int main(void) {\n    struct s v = { 1, 2, 3, 4 };\n");
    for (int i = 0; i < 1000; i += 50) buf_fmt(&text, "    v.x = f%d(&v, (unsigned)v.w) + 1;\n", i);
    buf_text(&text, "    printf(\"%ld %d %g\\n\", total, v.x, v.d);\n    return 0;\n}\n");
    buf_add(&text, "", 1);
    char *traced = lab_build(&lab, "large", buf_view(&text).at);
    lab_must(&lab, LAB_RUN(&lab, NULL, "cc", "-w", "large.c", "-o", "plain"));
    RunResult plain = LAB_RUN(&lab, NULL, "./plain"), r;
    Trace *t = lab_trace(&lab, traced, NULL, NULL, NULL, &r);
    assert_true(run_ok(&plain) && str_eq(plain.out, r.out));
    assert_int_equal(trace_info(t)->diverged, 0);
    assert_true(trace_entered(t, STR("f950")) && !trace_entered(t, STR("f951")));
    StrVec kept = { 0 };
    struct stat st = { 0 };
    size_t modules = 0; /* beside the commands that were noted */
    assert_true(file_list(&lab.arena, lab_path(&lab, "modules"), NULL, &kept, NULL));
    for (size_t i = 0; i < kept.len; i++)
        if (str_ends(kept.at[i], ".bc") && ++modules)
            assert_true(stat(kept.at[i].at, &st) == 0 && st.st_size > 1 << 20);
    assert_int_equal(modules, 1);
    vec_release(&kept);
    buf_release(&text);
    trace_free(t);
    lab_close(&lab);
}

/* CULPRIT_ONLY: the others are compiled, but not recorded. */
static void one_file_only(void **state) {
    (void)state;
    Lab lab;
    write_parts(&lab);
    lab_must(&lab, LAB_RUN(&lab, "CULPRIT_ONLY=b.c", CULPRIT_CC, "-g", "main.c", "a.c", "b.c", "-o",
                           "prog"));
    RunResult r;
    Trace *t = lab_trace(&lab, lab_path(&lab, "prog"), NULL, NULL, NULL, &r);
    assert_str(r.out, "13\n");
    assert_true(trace_executed(t, STR("b.c"), 2));
    assert_false(trace_executed(t, STR("a.c"), 2));
    trace_free(t);
    lab_close(&lab);
}

/* CULPRIT_QUICK: nothing is optimised and the recorder's fast paths are called, not inlined; what
 * is recorded is the same. */
static void quickly(void **state) {
    (void)state;
    Lab lab;
    write_parts(&lab);
    lab_must(&lab, LAB_RUN(&lab, "CULPRIT_QUICK=1", CULPRIT_CC, "-g", "main.c", "a.c", "b.c", "-o",
                           "prog"));
    says_13(&lab, lab_path(&lab, "prog"));
    lab_must(&lab,
             LAB_RUN(&lab, "CULPRIT_QUICK=1", CULPRIT_CC, "-g", "-c", "b.c", "-o", "quick.o"));
    lab_must(&lab, LAB_RUN(&lab, "CULPRIT_QUICK=", CULPRIT_CC, "-g", "-c", "b.c", "-o", "slow.o"));
    RunResult quick = LAB_RUN(&lab, NULL, "nm", "quick.o"),
              slow = LAB_RUN(&lab, NULL, "nm", "slow.o");
    assert_true(str_find(quick.out, STR("t culprit_block"), 0) != STR_NONE);
    assert_true(str_find(slow.out, STR("t culprit_block"), 0) == STR_NONE);
    lab_close(&lab);
}

TEST_MAIN(cmocka_unit_test(separate), cmocka_unit_test(at_once), cmocka_unit_test(libraries),
          cmocka_unit_test(questions), cmocka_unit_test(the_users_own_compiler),
          cmocka_unit_test(old_code), cmocka_unit_test(large), cmocka_unit_test(one_file_only),
          cmocka_unit_test(quickly))

/* Compilers as culprit sees them, with the real ones: what they are, every verdict, crashes read
 * the same each time, the sanitizers, and which flag or pass a failure depends on. */
#include "test.h"

#include "base/file.h"
#include "cc/blame.h"
#include "cc/clean.h"
#include "cc/quick_link.h"
#include "cc/types.h"
#include "cc/verdict.h"
#include "run/workdir.h"

static Arena arena;
#define FLAGS(...)                                                                                 \
    (const char *const[]) {                                                                        \
        __VA_ARGS__, NULL                                                                          \
    }

static Compiler open_cc(const char *name) {
    Compiler cc;
    Error err = { 0 };
    if (!compiler_open(&arena, name, &cc, &err)) fail_msg("%s", err.text);
    return cc;
}

/* The oldest that is here: releases of Debian have different ones. */
static const char *some_clang(void) {
    static const char *const names[] = { "clang-14", "clang-16" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (file_find_program(&arena, names[i])) return names[i];
    return "clang-19";
}

static void opening(void **state) {
    (void)state;
    Compiler cc = open_cc("gcc-12");
    assert_int_equal(cc.kind, CC_GCC);
    assert_int_equal(cc.major, 12);
    assert_string_equal(cc.target, "x86_64-linux-gnu");
    assert_non_null(cc.cc1);
    assert_string_equal(file_name(cc.cc1[0]), "cc1");
    const char *cc1_path = cc.cc1[0];
    cc = open_cc(cc1_path);
    assert_int_equal(cc.kind, CC_CC1);
    assert_int_equal(cc.major, 12);
    cc = open_cc("clang-19");
    assert_int_equal(cc.kind, CC_CLANG);
    assert_int_equal(cc.major, 19);
    assert_true(str_starts(str_from(cc.target), "x86_64"));
    cc = open_cc("tcc");
    assert_int_equal(cc.kind, CC_TCC);
    assert_string_equal(cc.version, "0.9.27");
    assert_false(cc.levels);
}

static void refusing(void **state) {
    (void)state;
    Compiler cc;
    Error err = { 0 };
    assert_false(compiler_open(&arena, "gcc-99", &cc, &err));
    assert_int_equal(err.status, STATUS_LACKS);
    assert_non_null(strstr(err.text, "package gcc-99"));
    assert_false(compiler_open(&arena, "/bin/ls", &cc, &err));
    assert_int_equal(err.status, STATUS_BAD);
    assert_false(compiler_open(&arena, "/no/such/cc", &cc, &err));
    assert_int_equal(err.status, STATUS_LACKS);
    assert_false(compiler_open(&arena, "/bin/true", &cc, &err)); /* succeeds but writes nothing */
    assert_int_equal(err.status, STATUS_BAD);
}

static void finding_all(void **state) {
    (void)state;
    CompilerVec all = { 0 };
    compilers_find(&arena, "", &all);
    bool gcc = false, clang = false;
    for (size_t i = 0; i < all.len; i++) {
        gcc |= strcmp(all.at[i].name, "gcc-12") == 0;
        clang |= strcmp(all.at[i].name, "clang-19") == 0;
        for (size_t k = 0; k < i; k++)
            assert_false(all.at[k].kind == all.at[i].kind &&
                         strcmp(all.at[k].version, all.at[i].version) == 0);
    }
    assert_true(gcc && clang);
    vec_release(&all);
}

/* ---- verdicts ---- */
static VerdictKind judge(const char *name, const char *const *flags, Str source, Str expected,
                         int code, Str *detail) {
    Compiler cc = open_cc(name);
    CcJob job;
    cc_job_init(&job, &cc, flags, source, CC_UNTIL_RUN);
    job.compare = true, job.expected = expected, job.code = code;
    job.compile_s = 4, job.run_s = 1;
    cc_job_run(&job);
    *detail = arena_str(&arena, job.verdict.detail);
    VerdictKind kind = job.verdict.kind;
    assert_null(job.dir);
    cc_job_end(&job);
    return kind;
}

/* Linking without the driver: found for gcc and cc1; what needs the driver gets it. */
static void quick_linking(void **state) {
    (void)state;
    Compiler cc = open_cc("gcc-12"), cc1 = open_cc(cc.cc1[0]);
    assert_non_null(cc.as);
    assert_non_null(cc.ld);
    assert_non_null(cc1.as);
    assert_non_null(cc1.ld);
    assert_true(quick_link_fits(&cc, FLAGS("-O2", "-std=gnu89", "-fno-tree-vrp", "-mavx2")));
    assert_false(quick_link_fits(&cc, FLAGS("-O2", "-pg")));
    assert_false(quick_link_fits(&cc, FLAGS("-Ofast")));
    assert_false(quick_link_fits(&cc, FLAGS("-fopenmp")));
    Str detail;
    Str with_libm = STR("#include <math.h>\nvolatile double x = 9;\n"
                        "int main(void) { return (int)pow(x, 0.5); }\n");
    assert_int_equal(judge("gcc-12", FLAGS("-O2"), with_libm, STR(""), 3, &detail), VERDICT_OK);
    Str wide =
        STR("volatile __int128 x = 700, y = 100;\nint main(void) { return (int)(x / y); }\n");
    assert_int_equal(judge("gcc-12", FLAGS("-O0"), wide, STR(""), 7, &detail), VERDICT_OK);
}

static void verdicts(void **state) {
    (void)state;
    const char *const names[] = { "gcc-12", some_clang(), "tcc" };
    Str hello = STR("#include <stdio.h>\nint main(void) { puts(\"hello\"); return 3; }\n"), detail;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *cc = names[i];
        assert_int_equal(judge(cc, FLAGS("-O2"), hello, STR("hello\n"), 3, &detail), VERDICT_OK);
        assert_int_equal(judge(cc, FLAGS("-O2"), hello, STR("hello\n"), 4, &detail), VERDICT_WRONG);
        assert_str(detail, "exit status 3, expected 4");
        assert_int_equal(judge(cc, FLAGS("-O2"), hello, STR("hallo\n"), 3, &detail), VERDICT_WRONG);
        assert_str(detail, "prints \"hello\", expected \"hallo\"");
        assert_int_equal(
            judge(cc, FLAGS("-O1"), STR("int main(void) { return x; }\n"), STR(""), 0, &detail),
            VERDICT_REJECTED);
        assert_true(str_find(detail, STR("x"), 0) != STR_NONE);
        assert_int_equal(judge(cc, FLAGS("-O0"),
                               STR("void g(void);\nint main(void) { g(); return 0; }\n"), STR(""),
                               0, &detail),
                         VERDICT_LINK);
        assert_int_equal(
            judge(cc, FLAGS("-O0"), STR("int main(void) { for (;;) {} }\n"), STR(""), 0, &detail),
            VERDICT_WRONG);
        assert_str(detail, "the program does not end");
        assert_int_equal(judge(cc, FLAGS("-O0"),
                               STR("int main(void) { *(volatile int *)0 = 1; }\n"), STR(""), 0,
                               &detail),
                         VERDICT_WRONG);
    }
}

/* A function of a hundred thousand branches: no compiler finishes it in a second. */
static Str endless_source(void) {
    return STR(
        "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(x)))))\n"
        "int main(void) { volatile int v = 1; int i = 0; B(if (v) i += v * i;) return i; }\n");
}

static void hang(void **state) {
    (void)state;
    Compiler cc = open_cc("gcc-12");
    CcJob job;
    cc_job_init(&job, &cc, FLAGS("-O2"), endless_source(), CC_UNTIL_ASSEMBLY);
    job.compile_s = 1;
    cc_job_run(&job);
    assert_int_equal(job.verdict.kind, VERDICT_HANG);
    cc_job_end(&job);
}

/* ---- crashes ---- */
static Str crash_of(const char *name, const char *const *flags, Str source, Crash *crash) {
    Compiler cc = open_cc(name);
    CcJob job;
    cc_job_init(&job, &cc, flags, source, CC_UNTIL_ASSEMBLY);
    cc_job_run(&job);
    assert_int_equal(job.verdict.kind, VERDICT_CRASH);
    *crash = job.verdict.crash;
    crash->pass = arena_str(&arena, crash->pass);
    crash->place = arena_str(&arena, crash->place);
    crash->frames = arena_str(&arena, crash->frames);
    Str signature = arena_str(&arena, job.verdict.crash.signature);
    cc_job_end(&job);
    return signature;
}

static void real_crashes(void **state) {
    (void)state;
    Crash crash;
    Str one = STR("int f(int *a, int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++) s += a[i];\n"
                  "  return s;\n}\n");
    Str two = STR("\n\nint g(int *b) { int k = 9; while (b[k]) k++; return k; }\n");
    /* Passes that GCC cannot do without, switched off: internal errors on demand. */
    Str a = crash_of("gcc-12", FLAGS("-O2", "-fdisable-tree-ssa"), one, &crash);
    assert_str(crash.place, "process_bb");
    assert_str(crash.pass, "fre");
    Str b = crash_of("gcc-12", FLAGS("-O2", "-fdisable-tree-ssa"), two, &crash);
    assert_true(str_eq(a, b));
    Str c = crash_of("gcc-12", FLAGS("-O2", "-fdisable-rtl-expand"), one, &crash);
    assert_false(str_eq(a, c));
    a = crash_of(some_clang(), FLAGS("-O1"), STR("#pragma clang __debug crash\n"), &crash);
    assert_true(str_find(a, STR("HandlePragmaDirective"), 0) != STR_NONE);
    b = crash_of(some_clang(), FLAGS("-O1"), STR("int y;\n#pragma clang __debug crash\n"), &crash);
    assert_true(str_eq(a, b));
    c = crash_of(some_clang(), FLAGS("-O1"), STR("#pragma clang __debug llvm_fatal_error\n"),
                 &crash);
    assert_false(str_eq(a, c));
    assert_true(str_starts(c, "error in backend: "));
}

static void crash_texts(void **state) {
    (void)state;
    Crash a, b;
    assert_false(crash_read(&arena, STR("x.c:1:1: error: expected ';'\n"), 0, &a));
    assert_true(crash_read(
        &arena,
        STR("x.c: In function 'f':\nx.c:3:1: error: definition in block 12 does not dominate use "
            "in block 3\nfor SSA_NAME: _7 in statement:\nduring GIMPLE pass: vect\nx.c:3:1: "
            "internal compiler error: verify_ssa failed\n0x8a foo(int, bar<baz>)\n\t../f.cc:3\n"),
        0, &a));
    assert_str(a.pass, "vect");
    assert_str(a.frames, "foo");
    assert_true(crash_read(
        &arena,
        STR("y.c:9:2: error: definition in block 4 does not dominate use in block 5\nduring "
            "GIMPLE pass: vect\ny.c:9:2: internal compiler error: verify_ssa failed\n0x8b "
            "foo(int, bar<baz>)\n"),
        0, &b));
    assert_true(str_eq(a.signature, b.signature));
    assert_true(crash_read(
        &arena,
        STR("clang: ../lib/X.cpp:12: void f(): Assertion `a == b && \"why\"' failed.\nStack dump:\n"
            "3.\tRunning pass 'Function Pass Manager' on module 'x.c'.\n4.\tRunning pass 'X86 "
            "DAG->DAG Instruction Selection' on function '@f'\n"),
        6, &a));
    assert_str(a.signature, "Assertion `a == b && \"why\"' failed.");
    assert_str(a.pass, "X86 DAG->DAG Instruction Selection");
    assert_true(crash_read(&arena, STR(""), 11, &a));
    assert_str(a.signature, "Segmentation fault");
    /* a check that many passes make */
    assert_true(crash_read(&arena,
                           STR("during RTL pass: vregs\nx.c:3:1: internal compiler error: in "
                               "extract_insn, at recog.cc:2791\n"),
                           0, &a));
    assert_str(a.signature, "in extract_insn, at recog.cc:2791 [vregs]");
    assert_true(crash_read(&arena,
                           STR("during RTL pass: expand\nx.c:3:1: internal compiler error: in "
                               "expand_call, at calls.cc:91\n"),
                           0, &a));
    assert_str(a.signature, "in expand_call, at calls.cc:91");
    assert_false(
        crash_read(&arena, STR("x.c:1: confused by earlier errors, bailing out\n"), 0, &a));
}

/* ---- cleanliness ---- */
static CleanResult clean(const CleanTools *tools, Str source, Str *why) {
    CleanJob job;
    clean_job_init(&job, tools, source);
    clean_job_run(&job);
    *why = arena_str(&arena, job.why);
    CleanResult result = job.result;
    clean_job_end(&job);
    return result;
}

static void cleanliness(void **state) {
    (void)state;
    CleanTools tools;
    Error err;
    Str why;
    assert_true(clean_tools_open(&arena, &tools, &err));
    assert_true(tools.have_clang && tools.have_gcc && tools.have_memory);
    assert_int_equal(
        clean(&tools, STR("#include <stdio.h>\nint main(void) { puts(\"x\"); return 1; }\n"), &why),
        CLEAN_YES);
    assert_int_equal(
        clean(&tools, STR("int x = 2147483647;\nint main(void) { return x + 1 > x; }\n"), &why),
        CLEAN_NO);
    assert_true(str_find(why, STR("overflow"), 0) != STR_NONE);
    assert_int_equal(
        clean(&tools,
              STR("int a[3];\nint main(void) { volatile int i = 3; int *p = a; return p[i]; }\n"),
              &why),
        CLEAN_NO);
    assert_int_equal(
        clean(&tools,
              STR("int main(void) { int x; volatile int *p = &x; if (*p) return 1; return 0; }\n"),
              &why),
        CLEAN_NO);
    assert_true(str_find(why, STR("memory"), 0) != STR_NONE);
    /* a copy is not a use for the memory sanitizer, and what the stack holds there is often 0 */
    assert_int_equal(
        clean(&tools, STR("int main(void) { _Bool b, *p = &b; volatile _Bool c = *p; }\n"), &why),
        CLEAN_NO);
    assert_true(str_find(why, STR("_Bool"), 0) != STR_NONE);
}

/* No value returned, and none used: 6.9.1p12. A value that is used, or an argument, must be. */
static void values_nobody_uses(void **state) {
    (void)state;
    static const char *const good[] = {
        "int f(int x) { if (x == 3) return 1; }\nint main(void) { f(4); return 0; }\n",
        "#include <stdio.h>\nint f(int x) { printf(\"%d\", x); if (x) return 1; }\n"
        "int main(void) { f(0); return f(1) - 1; }\n",
    };
    static const char *const bad[] = {
        "int f(int x) { if (x == 3) return 1; }\nint main(void) { return f(4) ? 1 : 2; }\n",
        "int g(int x) { return 0; }\nint f(int x) { if (x == 3) return 1; }\n"
        "int main(void) { int y; f(4); return g(y); }\n",
    };
    CleanTools tools;
    Error err;
    Str why;
    assert_true(clean_tools_open(&arena, &tools, &err));
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_int_equal(clean(&tools, str_from(good[i]), &why), CLEAN_YES);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(clean(&tools, str_from(bad[i]), &why), CLEAN_NO);
        assert_true(str_find(why, STR("memory"), 0) != STR_NONE);
    }
}

/* LLVM itself would end the process over it. */
static void broken_bitcode_is_refused(void **state) {
    (void)state;
    Buf out = { 0 };
    bool unsure = false;
    assert_false(types_instrument(STR("BC\xC0\xDE and no module"), &out, &unsure));
    assert_int_equal(out.len, 0);
}

/* Memory stored as one type and read as another, and what only looks like it. */
static void effective_types(void **state) {
    (void)state;
    CleanTools tools;
    Error err;
    Str why;
    assert_true(clean_tools_open(&arena, &tools, &err));
    assert_true(tools.have_types);
    static const char *const bad[] = {
        "static int f(int *a, float *b) { *a = 1; *b = 2; return *a; }\n"
        "int main(void) { int x = 0; return f(&x, (float *)&x) == 1; }\n",
        "struct A { int x; } a; struct B { int y; };\n"
        "int main(void) { a.x = 3; return ((struct B *)&a)->y - 3; }\n",
        "short *p; int main(void) { p = 0; return *(int **)&p != 0; }\n",
        "#include <stdlib.h>\n"
        "int main(void) { long *p = malloc(8), r; *p = 5; r = *(long long *)p - 5; free(p); return "
        "(int)r; }\n",
        "#include <stdlib.h>\n"
        "struct A { int x; }; struct B { float y; } v = { 1 };\n"
        "static int f(struct A *a, struct B *b) { a->x = 1; *b = v; return a->x; }\n"
        "int main(void) { void *m = malloc(4); return f(m, m) == 1; }\n",
        /* the store may be moved before the load */
        "int x = 5; int main(void) { short *s = (short *)&x; int r = *s; x = 7; return r - 5; }\n",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(clean(&tools, str_from(bad[i]), &why), CLEAN_NO);
        assert_true(str_starts(why, "effective types: runtime error: line "));
    }
    static const char *const good[] = {
        "union U { int i; float f; } u; int main(void) { u.f = 1; return u.i == 0; }\n",
        "unsigned x; int main(void) { x = 3; return *(int *)&x + ((char *)&x)[0] - 6; }\n",
        "#include <string.h>\n" /* declared objects keep their type */
        "int main(void) { float f = 0; int i; memcpy(&i, &f, sizeof i); return i; }\n",
        "#include <stdlib.h>\n" /* memory used again */
        "int main(void) { for (int k = 0; k < 9; k++) { int *p = malloc(8); *p = 0; free(p);\n"
        "float *q = malloc(8); *q = 0; q = realloc(q, 99999); if (*q) return 1; free(q); } }\n",
        "#include <stdarg.h>\n"
        "static double sum(int n, ...) { va_list v; double s = 0; va_start(v, n);\n"
        "for (int i = 0; i < n; i++) s += va_arg(v, int) + va_arg(v, double); return s; }\n"
        "int main(void) { return (int)sum(5, 1, 1., 1, 1., 1, 1., 1, 1., 1, 1.) - 10; }\n",
        "struct A { long v, w; } ; struct B { struct A c, d; } x;\n" /* one member into another */
        "int main(void) { x.c.v = 0; x.c.w = 9; x.d = x.c; return (int)(x.d.v + x.d.w - 9); }\n",
        "#include <stdarg.h>\n" /* what was passed by value is gone */
        "struct B { long a, b, c; }; static void add(struct B x) { x.a++, x.b++, x.c++; }\n"
        "static double sum(int n, ...) { va_list v; double s = 0; va_start(v, n);\n"
        "while (n--) s += va_arg(v, double); return s; }\n"
        "int main(void) { add((struct B){ 1, 2, 3 });\n"
        "return (int)sum(11, 0., 0., 0., 0., 0., 0., 0., 0., 1., 1., 1.) - 3; }\n",
        "#include <stdio.h>\n#include <stdlib.h>\n" /* somebody else stores */
        "int main(void) { void *m = malloc(8); *(float *)m = 2; sscanf(\"5\", \"%d\", (int *)m);\n"
        "return *(int *)m - 5; }\n",
        "static int f(int n) { float a[n]; for (int i = 0; i < n; i++) a[i] = i; return (int)a[1]; "
        "}\n"
        "static int g(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[1]; }\n"
        "int main(void) { return f(9) - g(9); }\n",
        "#include <string.h>\n"
        "static _Thread_local float f; int main(void) { int i = 0; memcpy(&f, &i, 4); return f != "
        "0; }\n",
        "static union { int i; float f; } u; int main(void) { int *p = &u.i, z; float *q = &u.f;\n"
        "z = *p; *q = 1.5f; return z + (u.f != 1.5f); }\n",
        "#include <signal.h>\n#include <sys/time.h>\n" /* in the middle of a check */
        "static volatile int n, a[64]; static void tick(int s) { n++; }\n"
        "int main(void) { struct itimerval t = { { 0, 1000 }, { 0, 1000 } }; signal(SIGALRM, "
        "tick);\n"
        "setitimer(ITIMER_REAL, &t, 0); while (n < 20) for (int i = 0; i < 64; i++) a[i] += i; }\n",
        "#ifdef __OPTIMIZE__\n#error\n#endif\nint main(void) { return 0; }\n",
        "int k; int main(void) { void *p = &k; int **q = (int **)&p; return **q; }\n",
        "enum E { A, B } e; int main(void) { e = B; return *(unsigned *)&e - 1; }\n",
    };
    for (size_t i = 0; i < COUNT_OF(good); i++)
        if (clean(&tools, str_from(good[i]), &why) != CLEAN_YES)
            fail_msg("%zu: " STR_FMT, i, STR_ARG(why));
}

/* Programs run without being linked do what linked ones do. The loader gives up on those of the
 * second half, and they are linked. */
static void loading(void **state) {
    (void)state;
    static const struct {
        const char *text, *out;
        int code; /* -1: ends by a signal */
    } programs[] = {
        { "int printf(const char *, ...);\nstatic int table[] = { 3, 4 };\nconst char *names[] = { "
          "\"a\", \"b\" };\nint zero[5000];\nint main(void) { zero[4999] = table[1]; return "
          "printf(\"%s%d\\n\", names[1], zero[4999]) + zero[0]; }\n",
          "b4\n", 3 },
        { "int printf(const char *, ...);\nint (*call)(const char *, ...) = printf;\n"
          "__attribute__((constructor)) static void a(void) { printf(\"a\"); }\n"
          "__attribute__((destructor)) static void z(void) { printf(\"z\"); }\n"
          "int atexit(void (*)(void));\nstatic void y(void) { call(\"y\"); }\n"
          "int main(void) { atexit(y); call(\"m\"); return 7; }\n",
          "amyz", 7 },
        { "double sin(double);\nvolatile double x = 0.5;\n__int128 big = (__int128)1 << 100;\n"
          "volatile long by = 7;\nint main(void) { return (int)(big / by & 31) + (sin(x) < 0.5); "
          "}\n",
          "", 19 },
        { "extern void nowhere(void) __attribute__((weak));\nint main(void) { return nowhere ? 1 : "
          "2; }\n",
          "", 2 },
        { "char *text = \"fixed\";\nint main(void) { text[0] = 'm'; return 0; }\n", "", -1 },
        { "void abort(void);\nint main(void) { abort(); }\n", "", -1 },
        { "#include <stdio.h>\nint main(void) { fputs(\"out\", stdout); return 4; }\n", "out", 4 },
        { "_Thread_local int t = 6;\nint main(void) { return t; }\n", "", 6 },
        { "static int seen;\nint puts(const char *s) { seen = s[0]; return 0; }\nint main(void) { "
          "puts(\"A\"); return seen; }\n",
          "", 65 },
        { "static int twice(int (*f)(int)) { return f(1) + f(2); }\nint main(void) { int k = 5; "
          "int "
          "add(int x) { return x + k; } k++; return twice(add); }\n",
          "", 15 },
    };
    Compiler gcc = open_cc("gcc-12");
    CodeRuns runs = { 0 };
    assert_non_null(quick_link_loader());
    for (size_t i = 0; i < COUNT_OF(programs) * 4; i++) {
        bool gives_up = i / 4 >= 6;
        const char *const *flags = !(i & 1)   ? FLAGS("-O0", "-w")
                                   : gives_up ? FLAGS("-O2", "-w")
                                              : FLAGS("-O2", "-w", "-fno-pie");
        CcJob job;
        cc_job_init(&job, &gcc, flags, str_from(programs[i / 4].text), CC_UNTIL_RUN);
        job.load = true;
        job.runs = &runs;
        cc_job_run(&job);
        assert_int_equal(job.was_run, (i & 2) != 0); /* the second time nothing is run */
        if (!(i & 2)) assert_int_equal(job.job.runs, gives_up ? 5 : 3);
        assert_int_equal(job.verdict.kind, VERDICT_OK);
        assert_int_equal(job.ran.end, programs[i / 4].code < 0 ? RUN_SIGNALED : RUN_EXITED);
        if (programs[i / 4].code >= 0) assert_int_equal(job.ran.code, programs[i / 4].code);
        assert_true(str_is(job.ran.out, programs[i / 4].out));
        cc_job_end(&job);
    }
    code_runs_release(&runs);
}

/* A library function has one address, also in code that is not position-independent. */
static void one_address(void **state) {
    (void)state;
    Compiler gcc = open_cc("gcc-12");
    CcJob job;
    cc_job_init(&job, &gcc, FLAGS("-O0", "-w", "-fno-pie", "-no-pie"),
                STR("void *malloc(unsigned long);\nvoid *(*t[2])(unsigned long) = { malloc, 0 };\n"
                    "int main(void) { return t[0] == malloc ? 3 : 4; }\n"),
                CC_UNTIL_RUN);
    job.load = true;
    cc_job_run(&job);
    assert_int_equal(job.ran.code, 3);
    cc_job_end(&job);
}

/* Programs run inside the sanitizers' hosts as they would alone: with their own names first, with
 * libm, with constructors; and what a host cannot load is linked alone. */
static void hosts(void **state) {
    (void)state;
    CleanTools tools;
    Error err;
    Str why;
    assert_true(clean_tools_open(&arena, &tools, &err));
    for (int i = 0; i < 3; i++) assert_non_null(tools.hosts[i]);
    static const char *const good[] = {
        "int time = 3, environ = 4;\nint main(void) { return time + environ - 7; }\n",
        "#include <math.h>\nvolatile double x = 4;\nint main(void) { return (int)sqrt(sin(x) * 0 + "
        "x); }\n",
        "static int k;\n__attribute__((constructor)) static void f(void) { k = 3; }\n"
        "int main(void) { return k; }\n",
        "extern int nowhere __attribute__((weak));\nint main(void) { return &nowhere ? 1 : 0; }\n",
        "#include <stdlib.h>\nstatic void bye(void) { }\nint main(void) { atexit(bye); exit(5); "
        "}\n",
    };
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_int_equal(clean(&tools, str_from(good[i]), &why), CLEAN_YES);
    assert_int_equal(clean(&tools, STR("int f(void);\nint main(void) { return f(); }\n"), &why),
                     CLEAN_UNKNOWN);
}

/* ---- flags, passes, blame ---- */
static bool holds(const StrVec *list, const char *word) {
    for (size_t i = 0; i < list->len; i++)
        if (str_is(list->at[i], word)) return true;
    return false;
}

static void flags_and_passes(void **state) {
    (void)state;
    Compiler gcc = open_cc("gcc-12");
    StrVec o1 = { 0 }, o2 = { 0 }, passes = { 0 };
    Error err;
    assert_true(compiler_flags_off(&arena, &gcc, FLAGS("-O1"), &o1, &err));
    assert_true(compiler_flags_off(&arena, &gcc, FLAGS("-O2"), &o2, &err));
    assert_true(holds(&o2, "-fno-tree-vrp") && !holds(&o1, "-fno-tree-vrp"));
    assert_true(holds(&o1, "-fno-tree-ccp") && o2.len > o1.len);
    assert_true(compiler_passes_off(&arena, &gcc, FLAGS("-O2"), &passes, &err));
    assert_true(holds(&passes, "-fdisable-tree-vrp1") && !holds(&passes, "-fdisable-rtl-reload"));
    /* Every pass that is called optional is optional: the program still compiles and runs without
     * it. */
    CcParamVec params = { 0 };
    assert_true(compiler_params(&arena, &gcc, &params, &err));
    assert_true(params.len > 50);
    vec_release(&o1), vec_release(&o2), vec_release(&passes), vec_release(&params);
}

/* Compiles and runs what -O2 gets wrong. */
static BlameQuestion wrong_at_o2(CcJob *job, const Compiler *cc, Str source) {
    static const char *const flags[] = { "-O2", NULL }; /* the job keeps them */
    cc_job_init(job, cc, flags, source, CC_UNTIL_RUN);
    job->compare = true;
    cc_job_run(job);
    assert_int_equal(job->verdict.kind, VERDICT_WRONG);
    return (BlameQuestion){ .job = job, .symptom = symptom_of_job(&job->job.arena, job) };
}

/* Relies on undefined behaviour that one flag forbids: the flag is found. */
static void blame_gcc(void **state) {
    (void)state;
    Compiler gcc = open_cc("gcc-12");
    Pool *pool = pool_new(0);
    Str source =
        STR("__attribute__((noinline)) int f(int *p, float *q) { *p = 1; *q = 2; return *p; }\n"
            "int main(void) { union { int i; float f; } u; return f(&u.i, &u.f) == 1; }\n");
    CcJob job;
    BlameQuestion question = wrong_at_o2(&job, &gcc, source);
    Blame blame;
    Error err;
    assert_true(blame_find(&arena, pool, &question, &blame, &err));
    assert_true(holds(&blame.cures, "-fno-strict-aliasing"));
    assert_true(blame.key.len > 0);
    vec_release(&blame.cures);
    question.quick = true;
    assert_true(blame_find(&arena, pool, &question, &blame, &err));
    assert_true(blame.key.len > 0 && blame.runs < 40);
    cc_job_end(&job);
    pool_free(pool);
}

static void blame_clang(void **state) {
    (void)state;
    Compiler clang = open_cc(some_clang());
    Pool *pool = pool_new(0);
    Str source = STR("__attribute__((noinline)) int f(int x) { return x + 1 > x; }\n"
                     "int main(void) { return f(2147483647); }\n");
    CcJob job;
    BlameQuestion question = wrong_at_o2(&job, &clang, source);
    Blame blame;
    Error err;
    assert_true(blame_find(&arena, pool, &question, &blame, &err));
    assert_true(blame.limit > 0);
    assert_true(str_find(blame.pass, STR("InstCombine"), 0) != STR_NONE ||
                str_find(blame.pass, STR("CSE"), 0) != STR_NONE ||
                str_find(blame.pass, STR("Combine"), 0) != STR_NONE);
    cc_job_end(&job);
    pool_free(pool);
}

TEST_MAIN(cmocka_unit_test(opening), cmocka_unit_test(refusing), cmocka_unit_test(finding_all),
          cmocka_unit_test(verdicts), cmocka_unit_test(quick_linking), cmocka_unit_test(loading),
          cmocka_unit_test(hosts), cmocka_unit_test(hang), cmocka_unit_test(real_crashes),
          cmocka_unit_test(crash_texts), cmocka_unit_test(cleanliness),
          cmocka_unit_test(values_nobody_uses), cmocka_unit_test(effective_types),
          cmocka_unit_test(broken_bitcode_is_refused), cmocka_unit_test(one_address),
          cmocka_unit_test(flags_and_passes), cmocka_unit_test(blame_gcc),
          cmocka_unit_test(blame_clang))

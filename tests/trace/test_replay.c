/* Replay against reality: programs that use everything C has do under culprit-cc what they do under
 * the plain compiler, and replaying their recordings agrees with them at every branch and returned
 * value. */
#include "base/rng.h"
#include "explain/formula/formula.h"
#include "lab.h"

static void same_as_plain(Lab *lab, const char *name, const char *text) {
    char *program = lab_build(lab, name, text),
         *plain = arena_fmt(&lab->arena, "%s.plain", program);
    lab_must(lab,
             LAB_RUN(lab, NULL, "clang-19", "-w", "-O0", arena_fmt(&lab->arena, "%s.c", program),
                     "-o", plain, "-lm", "-lpthread"));
    RunResult expected = LAB_RUN(lab, NULL, plain), got;
    Trace *t = lab_trace(lab, program, NULL, NULL, NULL, &got);
    const TraceInfo *i = trace_info(t);
    if (expected.end != got.end || expected.code != got.code || !str_eq(expected.out, got.out))
        fail_msg("%s: %s, plain %s; " STR_FMT "plain " STR_FMT, name,
                 run_describe(&lab->arena, &got), run_describe(&lab->arena, &expected),
                 STR_ARG(got.out), STR_ARG(expected.out));
    if (i->diverged) fail_msg("%s: " STR_FMT, name, STR_ARG(i->divergence));
    if (!str_eq(i->first_bytes, expected.out))
        fail_msg("%s: recorded output differs: " STR_FMT, name, STR_ARG(i->first_bytes));
    assert_true(i->steps > 0);
    trace_free(t);
}

#define STDIO "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"

static const struct {
    const char *name, *text;
} programs[] = {
    { "loops", STDIO "int main(void) { unsigned h = 1; for (int i = 0; i < 1000; i++) { if (i % 3 "
                     "== 0) continue; h = h * 31 + i; "
                     "switch (i & 7) { case 1: h ^= 5; break; case 2: case 3: h += 9; default: "
                     "h--; } } printf(\"%u\\n\", h); return h & 7; }" },
    { "pointers", STDIO "struct n { struct n *next; int v; }; int main(void) { struct n *l = 0; "
                        "for (int i = 0; i < 50; i++) { struct n *x = "
                        "malloc(sizeof *x); x->next = l; x->v = i * i; l = x; } long s = 0; for (; "
                        "l; l = l->next) s += l->v; "
                        "int a[10], *p = a + 3; memset(a, 1, sizeof a); p[2] = 7; printf(\"%ld %d "
                        "%d\\n\", s, a[5], a[6]); return 0; }" },
    { "callbacks", STDIO "static int n; static int less(const void *a, const void *b) { n++; "
                         "return *(const int *)a - *(const int *)b; }\n"
                         "int main(void) { int a[] = { 5, 2, 9, 1, 7, 3 }; qsort(a, 6, sizeof *a, "
                         "less); int (*f)(const void *, const void *) = less; "
                         "printf(\"%d %d %d\\n\", a[0], a[5], f(a, a + 1)); return n > 3; }" },
    { "varargs", STDIO "#include <stdarg.h>\nstatic int sum(int n, ...) { va_list v; va_start(v, "
                       "n); int s = 0; while (n--) s += va_arg(v, int); va_end(v); return s; }\n"
                       "static void say(const char *f, ...) { va_list v, w; va_start(v, f); "
                       "va_copy(w, v); vprintf(f, v); vprintf(f, w); va_end(v); va_end(w); }\n"
                       "int main(void) { say(\"%d %s %.2f|\\n\", sum(9, 1, 2, 3, 4, 5, 6, 7, 8, "
                       "9), \"x\", 2.5); return 0; }" },
    { "longjmp", STDIO "#include <setjmp.h>\nstatic jmp_buf at; static void deep(int n) { if (n == "
                       "0) longjmp(at, 3); int local = n; deep(n - 1); printf(\"%d\", local); }\n"
                       "int main(void) { volatile int tries = 0; int r = setjmp(at); tries++; if "
                       "(tries < 4) deep(tries * 3); printf(\"%d %d\\n\", r, tries); return 0; }" },
    { "signals", STDIO "#include <signal.h>\nstatic volatile sig_atomic_t hits; static void on(int "
                       "s) { hits += s > 0; }\n"
                       "int main(void) { signal(SIGUSR1, on); for (int i = 0; i < 5; i++) "
                       "raise(SIGUSR1); printf(\"%d\\n\", (int)hits); return 0; }" },
    { "fork",
      STDIO "#include <sys/wait.h>\n#include <unistd.h>\nint main(void) { int x = 4; "
            "fflush(stdout); pid_t p = fork(); if (p == 0) { x *= 3; _exit(x); } "
            "int s; waitpid(p, &s, 0); printf(\"%d %d\\n\", x, WEXITSTATUS(s)); return 0; }" },
    { "threads", STDIO
      "#include <pthread.h>\nstatic int total; static pthread_mutex_t m = "
      "PTHREAD_MUTEX_INITIALIZER;\n"
      "static void *work(void *p) { for (int i = 0; i < 1000; i++) { pthread_mutex_lock(&m); total "
      "+= *(int *)p; pthread_mutex_unlock(&m); } return p; }\n"
      "int main(void) { pthread_t t[4]; int n[4] = { 1, 2, 3, 4 }; for (int i = 0; i < 4; i++) "
      "pthread_create(&t[i], 0, work, &n[i]); "
      "for (int i = 0; i < 4; i++) pthread_join(t[i], 0); printf(\"%d\\n\", total); return 0; }" },
    { "structs", STDIO "struct big { int a[20]; char c; }; struct small { short a; char b; float "
                       "f; }; union u { double d; unsigned long l; };\n"
                       "static struct big fill(struct big b, int n) { for (int i = 0; i < 20; i++) "
                       "b.a[i] += n * i; b.c = 'x'; return b; }\n"
                       "static struct small mix(struct small s, struct big b) { s.a += b.a[3]; s.f "
                       "*= 2; return s; }\n"
                       "struct bits { unsigned a : 3, b : 11; int c : 7; } g = { 5, 1000, -3 };\n"
                       "int main(void) { struct big b = { { 1, 2, 3 } }; b = fill(b, 4); struct "
                       "small s = { 3, 'y', 1.25f }; s = mix(s, b); union u u; u.d = 1.5; "
                       "g.b += 30; g.c--; printf(\"%d %c %d %g %lx %d %d %d\\n\", b.a[2], b.c, "
                       "s.a, s.f, u.l, g.a, g.b, g.c); return 0; }" },
    { "numbers", STDIO
      "#include <math.h>\n#include <stdint.h>\nint main(void) { long double l = 1.0L / 3; double d "
      "= sqrt(2) * 1e10; float f = (float)d; __int128 w = (__int128)d * 12345678901LL; "
      "int64_t x = -7; printf(\"%.15Lg %.10g %g %lld %lld %d\\n\", l * 3 - 1e-10L, d, f, (long "
      "long)(w >> 20), (long long)(x / 2 * 3 % 5), (int)l); "
      "unsigned char c = 250; c += 10; short s = 32767; s++; printf(\"%d %d %d %u\\n\", c, s, x < "
      "0u, __builtin_popcount(12345) + __builtin_clz(77)); "
      "int o; printf(\"%d \", __builtin_add_overflow(2147483647, c, &o)); printf(\"%d\\n\", o); "
      "return 0; }" },
    { "arrays",
      STDIO "static int cell(int n, int m[n][n], int i, int j) { return m[i][j]; }\nint main(void) "
            "{ int n = 7; int v[n][n]; "
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) v[i][j] = i * j; int s = 0; "
            "for (int i = 0; i < n; i++) { int w[i + 1]; w[i] = cell(n, v, i, i); s += w[i]; } "
            "void *to[] = { &&a, &&b }; goto *to[s & 1]; a: puts(\"even\"); return 0; b: "
            "puts(\"odd\"); return s & 0; }" },
    { "strings", STDIO
      "#include <ctype.h>\nint main(void) { char b[100] = \"Hello\"; strcat(b, \", \"); sprintf(b "
      "+ strlen(b), \"%05d\", 42); for (char *p = b; *p; p++) *p = toupper((unsigned char)*p); "
      "char *d = strdup(b); char *e = strchr(d, ','); *e = 0; fputs(d, stdout); putchar('|'); "
      "fwrite(e + 1, 1, strlen(e + 1), stdout); puts(\"\"); free(d); return strcmp(b, \"A\") > 0; "
      "}" },
    { "uninitialised", STDIO
      "static int use(int n) { int x, a[4]; if (n > 2) x = n; a[n & 3] = n; return n > 2 ? x + a[n "
      "& 3] : n; }\nint main(void) { printf(\"%d %d\\n\", use(1), use(3)); return 0; }" },
    { "crash", STDIO
      "static int *none(int n) { return n > 3 ? 0 : &(int){ n }; }\nint main(void) { for (int i = "
      "0; i < 10; i++) printf(\"%d\\n\", *none(i) >= 0), fflush(stdout); return 0; }" },
    { "abort", STDIO "int main(void) { puts(\"bye\"); fflush(stdout); abort(); }" },
    { "killed", STDIO "#include <signal.h>\nint main(void) { puts(\"last\"); fflush(stdout); "
                      "raise(SIGKILL); return 0; }" },
    { "atomics", STDIO "#include <stdatomic.h>\nstatic atomic_int n; int main(void) { for (int i = "
                       "0; i < 10; i++) n += i; int e = 45; printf(\"%d %d\\n\", "
                       "atomic_compare_exchange_strong(&n, &e, 9), (int)n); return 0; }" },
    { "recursion",
      STDIO "static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m "
            "- 1, ack(m, n - 1)); }\nint main(void) { printf(\"%d\\n\", ack(2, 6)); return 0; }" },
    { "manyblocks", STDIO "#define A(n) if (x & (1 << ((n) % 31))) y += n; else y ^= n;\n#define "
                          "B(n) A(n) A(n+1) A(n+2) A(n+3) A(n+4) A(n+5) A(n+6) A(n+7)\n"
                          "int main(void) { unsigned y = 0; for (unsigned x = 1; x < 3000; x = x * "
                          "3 + 1) { B(1) B(9) B(17) B(25) B(33) B(41) B(49) B(57) B(65) B(73) "
                          "B(81) B(89) } printf(\"%u\\n\", y); return 0; }" },
};

static void features(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    for (size_t i = 0; i < COUNT_OF(programs); i++)
        same_as_plain(&lab, programs[i].name, programs[i].text);
    lab_close(&lab);
}

/* The formulas of randomly chosen branches say of their variables exactly what replay saw. */
static void formulas_hold(const Trace *t, unsigned seed) {
    Rng rng = rng_stream(seed, "branches", 0);
    for (unsigned i = 0; i < 10; i++) {
        Step s = (Step)rng_below(&rng, trace_steps(t));
        while (s < trace_steps(t) && trace_inst(t, s)->op != OP_CONDBR) s++;
        Predicate p = { .kind = PRED_BRANCH, .step = s, .operand = OPERAND_RESULT };
        if (s < trace_steps(t) && !formula_holds(t, &p))
            fail_msg("seed %u, step %u: the formula says what was not seen", seed, s);
    }
}

/* Random programs, with what Csmith generates for a few fixed seeds. */
static void random_programs(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    unsigned done = 0;
    for (unsigned seed = 101; seed < 109; seed++) {
        char *source = lab_path(&lab, arena_fmt(&lab.arena, "c%u.c", seed));
        lab_must(&lab, LAB_RUN(&lab, NULL, "csmith", "-s", arena_fmt(&lab.arena, "%u", seed), "-o",
                               source));
        char *plain = arena_fmt(&lab.arena, "%s.plain", source),
             *program = arena_fmt(&lab.arena, "%s.traced", source);
        lab_must(&lab, LAB_RUN(&lab, NULL, "clang-19", "-w", "-O1", "-I/usr/include/csmith", source,
                               "-o", plain));
        RunSpec spec = { .argv = (const char *const[]){ plain, NULL },
                         .dir = lab.dir,
                         .profile = RUN_USER,
                         .limits = { .wall_s = 2 } };
        RunResult expected = run_one(&lab.arena, &spec), got;
        if (!run_ok(&expected)) continue;
        lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-w", "-I/usr/include/csmith", source, "-o",
                               program));
        Trace *t = lab_trace(&lab, program, NULL, NULL, NULL, &got);
        assert_true(str_eq(expected.out, got.out));
        if (trace_info(t)->end == TRACE_END_EXIT) {
            if (trace_info(t)->diverged)
                fail_msg("seed %u: " STR_FMT, seed, STR_ARG(trace_info(t)->divergence));
            assert_true(str_eq(trace_info(t)->first_bytes, expected.out));
            formulas_hold(t, seed);
            done++;
        }
        trace_free(t);
    }
    assert_true(done >= 4);
    lab_close(&lab);
}

/* What the ends look like from inside. */
static void ends(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    static const struct {
        const char *text;
        TraceEnd end;
        int code;
        unsigned line;
    } cases[] = {
        { "int main(void) { return 3; }", TRACE_END_EXIT, 3, 1 },
        { "#include <stdlib.h>\nint main(void) { exit(4); }", TRACE_END_EXIT, 4, 2 },
        { "#include <unistd.h>\nint main(void) { _exit(5); }", TRACE_END_EXIT, 5, 2 },
        { "#include <assert.h>\nint main(int c, char **v) {\n    assert(c == 2);\n}",
          TRACE_END_ABORT, 0, 3 },
        { "int *p;\nint main(void) {\n    int a = 1;\n    *p = a;\n    return 0;\n}",
          TRACE_END_SIGNAL, 11, 4 },
        { "int z;\nint main(void) {\n    return 5 / z;\n}", TRACE_END_SIGNAL, 8, 3 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *program = lab_build(&lab, "end", cases[i].text);
        Trace *t = lab_trace(&lab, program, NULL, NULL, NULL, NULL);
        assert_int_equal(trace_info(t)->end, cases[i].end);
        if (cases[i].end != TRACE_END_ABORT) assert_int_equal(trace_info(t)->code, cases[i].code);
        assert_int_equal(trace_place(t, (Step)(trace_steps(t) - 1)).line, cases[i].line);
        trace_free(t);
    }
    lab_close(&lab);
}

/* A recording that reaches its limit is read as far as it goes. */
static void limit(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    char *program =
        lab_build(&lab, "long",
                  STDIO "int main(void) { unsigned h = 0; for (int i = 0; i < 6000000; i++) if (h "
                        "& 1) h += i; else h ^= i; printf(\"%u\\n\", h); return 0; }");
    char *dir = lab_path(&lab, "t");
    file_make_dirs(dir, NULL);
    RunSpec spec = { .argv = (const char *const[]){ program, NULL },
                     .dir = lab.dir,
                     .profile = RUN_USER,
                     .env = (const char *const[]){ arena_fmt(&lab.arena, "CULPRIT_TRACE=%s", dir),
                                                   "CULPRIT_LIMIT=9000000", NULL } };
    RunResult r = run_one(&lab.arena, &spec);
    assert_true(run_ok(&r));
    Error err = { 0 };
    Trace *t = trace_open_failing(dir, NULL, (Str){ 0 }, &err);
    assert_non_null(t);
    assert_int_equal(trace_info(t)->end, TRACE_END_LIMIT);
    assert_int_equal(trace_info(t)->diverged, 0);
    assert_true(trace_steps(t) > 100000);
    trace_free(t);
    lab_close(&lab);
}

TEST_MAIN(cmocka_unit_test(features), cmocka_unit_test(random_programs), cmocka_unit_test(ends),
          cmocka_unit_test(limit))

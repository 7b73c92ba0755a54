/* What a program can see of its recorder: nothing. It ends as it would, its errno, files and
 * descriptors are its own, and whatever it does to its process, the recording can be read. */
#include "lab.h"

/* Builds the program, runs it traced: it must print what is expected and end in the same way. */
static Trace *recorded(Lab *lab, const char *name, const char *text, const char *out) {
    RunResult r;
    Trace *t = lab_trace(lab, lab_build(lab, name, text), NULL, NULL, NULL, &r);
    lab_must(lab, r);
    assert_str(r.out, out);
    assert_str(trace_info(t)->first_bytes, out);
    return t;
}

static void errno_is_the_programs(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    trace_free(recorded(
        &lab, "errno",
        "#include <errno.h>\n#include <stdio.h>\n"
        "int main(void) { char b[64] = \"\"; FILE *f = fmemopen(b, sizeof b, \"w\"); errno = "
        "ENOENT; fprintf(f, \"%m\"); fputs(\"!\", f); fputc('?', f); int e = errno; fclose(f); "
        "printf(\"%s %d\\n\", b, e == ENOENT); return 0; }",
        "No such file or directory!? 1\n"));
    lab_close(&lab);
}

/* A child that outlives its parent (as daemons do) is read with what its parent did before. */
static void orphans(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    char *program =
        lab_build(&lab, "orphan",
                  "#include <unistd.h>\n"
                  "static int twice(int n) { return 2 * n; }\n"
                  "int main(void) { int n = twice(3); if (fork()) _exit(0); return n; }");
    char *dir = lab_path(&lab, "t");
    const char *env = arena_fmt(&lab.arena, "CULPRIT_TRACE=%s", dir);
    /* The parent is often gone before the child has run at all. */
    const char *often =
        arena_fmt(&lab.arena, "for i in 1 2 3 4 5 6 7 8; do %s; done; sleep 0.3", program);
    lab_must(&lab, LAB_RUN(&lab, env, "sh", "-c", often));
    StrVec paths = { 0 };
    Error err = { 0 };
    unsigned children = 0;
    assert_true(trace_list(&lab.arena, dir, &paths, &err));
    for (size_t i = 0; i < paths.len; i++) {
        Trace *t = trace_open(paths.at[i].at, lab.dir, &err);
        if (!t) fail_msg("%s", err.text);
        children += trace_info(t)->parent != 0;
        assert_int_equal(trace_info(t)->diverged, 0);
        assert_true(trace_entered(t, STR("twice")));
        trace_free(t);
    }
    assert_int_equal(children, 8);
    vec_release(&paths);
    lab_close(&lab);
}

/* A program that closes all descriptors, and opens as many files of its own, is still recorded, and
 * its files are what it wrote. */
static void closed_descriptors(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    Trace *t = recorded(
        &lab, "close",
        "#include <fcntl.h>\n#include <stdio.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"
        "int main(void) { for (int i = 3; i < 1024; i++) close(i);\n"
        "  int fd = open(\"own\", O_RDWR | O_CREAT, 0666); for (int i = 4; i < 1000; i++) dup2(fd, "
        "i);\n"
        "  unsigned h = 0; for (int i = 0; i < 2000000; i++) if (h & 1) h += i; else h ^= i;\n"
        "  struct stat st; fstat(fd, &st); printf(\"%u %d\\n\", h, (int)st.st_size); return 0; }",
        "3568587328 0\n");
    assert_int_equal(trace_info(t)->end, TRACE_END_EXIT);
    assert_true(trace_info(t)->blocks > 4000000);
    trace_free(t);
    lab_close(&lab);
}

/* A plug-in is loaded while a thread runs, which then calls it, and is gone when another starts. */
static void plug_ins(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    lab_file(&lab, "plug.c", "int plug(int n) { return n > 2 ? n * 7 : 0; }\n");
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-fPIC", "-shared", "plug.c", "-o", "plug.so"));
    trace_free(recorded(
        &lab, "host",
        "#include <dlfcn.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n"
        "static sem_t runs, opened; static int (*plug)(int); static int got;\n"
        "static void *early(void *p) { sem_post(&runs); sem_wait(&opened); got = plug(6); return "
        "p; }\n"
        "static void *late(void *p) { got++; return p; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, early, 0); sem_wait(&runs);\n"
        "  void *h = dlopen(\"./plug.so\", RTLD_NOW); plug = (int (*)(int))dlsym(h, \"plug\");\n"
        "  sem_post(&opened); pthread_join(t, 0); dlclose(h);\n"
        "  pthread_create(&t, 0, late, 0); pthread_join(t, 0);\n"
        "  printf(\"%d\\n\", got); return 0; }",
        "43\n"));
    lab_close(&lab);
}

/* A host without a recorder opens an instrumented library: it is not started over half-way. */
static void plain_host(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    lab_file(&lab, "plug.c", "int plug(int n) { return n > 2 ? n * 7 : 0; }\n");
    lab_must(&lab, LAB_RUN(&lab, NULL, CULPRIT_CC, "-fPIC", "-shared", "plug.c", "-o", "plug.so"));
    lab_file(&lab, "host.c",
             "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { puts(\"once\"); "
             "fflush(stdout); void *h = dlopen(\"./plug.so\", RTLD_NOW); int (*f)(int) = "
             "(int (*)(int))dlsym(h, \"plug\"); printf(\"%d\\n\", f(6)); return 0; }\n");
    lab_must(&lab, LAB_RUN(&lab, NULL, "clang-19", "-w", "host.c", "-o", "host"));
    Trace *t = lab_trace(&lab, lab_path(&lab, "host"), NULL, NULL, NULL, NULL);
    assert_true(trace_entered(t, STR("plug")));
    trace_free(t);
    RunResult r = LAB_RUN(&lab, arena_fmt(&lab.arena, "CULPRIT_TRACE=%s/t", lab.dir), "./host");
    lab_must(&lab, r);
    assert_str(r.out, "once\n42\n");
    lab_close(&lab);
}

/* However many arguments a program has, it gets them all. */
static void many_arguments(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    char *program = lab_build(&lab, "count",
                              "#include <stdio.h>\nint main(int n, char **v) { printf(\"%d\\n\", "
                              "n); return 0; }");
    const char *many = arena_fmt(&lab.arena, "%s $(seq 1 9000)", program);
    RunResult r =
        LAB_RUN(&lab, arena_fmt(&lab.arena, "CULPRIT_TRACE=%s/t", lab.dir), "sh", "-c", many);
    lab_must(&lab, r);
    assert_str(r.out, "9001\n");
    lab_close(&lab);
}

/* Handlers run at any time: in a loop, in calls, before a wait for them; some leave by longjmp. */
static void asynchronous_signals(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    trace_free(recorded(
        &lab, "timer",
        "#include <signal.h>\n#include <stdio.h>\n#include <sys/time.h>\n#include <unistd.h>\n"
        "#include <setjmp.h>\n#include <string.h>\n"
        "static volatile int n, last; static volatile unsigned h; static sigjmp_buf away;\n"
        "static void tick(int s) { n++; if (n % 3 == 0) last = n; }\n"
        "static void leap(int s, siginfo_t *i, void *c) { if (i->si_code == SI_USER) h = 0; n++; "
        "if "
        "(n > 40) siglongjmp(away, 1); }\n"
        "static unsigned mix(unsigned a, int i) { return a & 1 ? a * 3 + i : a / 2 ^ i; }\n"
        "int main(void) { struct itimerval v = { { 0, 500 }, { 0, 500 } };\n"
        "  struct sigaction a, old; signal(SIGALRM, tick); setitimer(ITIMER_REAL, &v, 0);\n"
        "  unsigned g = 0; char text[40]; int seen = 0; for (int i = 0; n < 40; i++) { h = mix(h, "
        "i); "
        "g += h > 9; if (n != seen) seen = n, pause(); if (i % 50 == 0) snprintf(text, 40, \"%d\", "
        "i); }\n"
        "  sigaction(SIGALRM, 0, &old); memset(&a, 0, sizeof a); a.sa_sigaction = leap; a.sa_flags "
        "= "
        "SA_SIGINFO | SA_NODEFER; n = 0;\n"
        "  if (!sigsetjmp(away, 1)) { sigaction(SIGALRM, &a, 0); for (;;) h = mix(h, 7); }\n"
        "  v = (struct itimerval){ { 0 } }; setitimer(ITIMER_REAL, &v, 0);\n"
        "  printf(\"%d %d %d\\n\", n, last >= 39, old.sa_handler == tick); return 0; }",
        "41 1 1\n"));
    lab_close(&lab);
}

/* A signal that was sent ends the program as the fault of that name would. */
static void sent_signals_end_it(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    static const char *const how[] = { "raise(SIGSEGV)", "kill(getpid(), SIGFPE)",
                                       "signal(SIGSEGV, last); *(volatile int *)0 = 1" };
    static const int ended[] = { 11, 8, 11 };
    for (size_t i = 0; i < COUNT_OF(how); i++) {
        const char *text = arena_fmt(&lab.arena,
                                     "#include <signal.h>\n#include <stdio.h>\n#include "
                                     "<unistd.h>\nstatic void last(int s) { signal(s, SIG_DFL); "
                                     "raise(s); }\nint main(void) { %s; puts(\"still here\"); }",
                                     how[i]);
        RunResult r;
        Trace *t = lab_trace(&lab, lab_build(&lab, "sent", text), NULL, NULL, NULL, &r);
        assert_int_equal(r.end, RUN_SIGNALED);
        assert_int_equal(r.code, ended[i]);
        assert_int_equal(trace_info(t)->end, TRACE_END_SIGNAL);
        assert_int_equal(trace_info(t)->code, ended[i]);
        trace_free(t);
    }
    lab_close(&lab);
}

/* The limit is reached in the middle of a block that reads constants. */
static void limit_within_a_block(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    char *program =
        lab_build(&lab, "limit",
                  "#include <stdio.h>\nstatic const long t[2000000] = { [0 ... 1999999] = 1 };\n"
                  "#define A(n) s += p[n] + p[n + 1] + p[n + 2] + p[n + 3];\n"
                  "#define B(n) A(n) A(n + 4) A(n + 8) A(n + 12) A(n + 16) A(n + 20) A(n + 24)\n"
                  "#define C(n) B(n) B(n + 28) B(n + 56) B(n + 84) B(n + 112) B(n + 140)\n"
                  "#define D(n) C(n) C(n + 168) C(n + 336) C(n + 504) C(n + 672) C(n + 840)\n"
                  "int main(void) { long s = 0; for (const long *p = t; p + 1008 < t + 2000000; "
                  "p += 1008) { D(0) } printf(\"%ld\\n\", s); return 0; }");
    char *dir = lab_path(&lab, "t");
    RunResult r = lab_run(&lab, arena_fmt(&lab.arena, "CULPRIT_TRACE=%s", dir),
                          (const char *const[]){ "env", "CULPRIT_LIMIT=9000000", program, NULL });
    lab_must(&lab, r);
    assert_str(r.out, "1999872\n");
    lab_close(&lab);
}

TEST_MAIN(cmocka_unit_test(asynchronous_signals), cmocka_unit_test(plain_host),
          cmocka_unit_test(many_arguments), cmocka_unit_test(plug_ins),
          cmocka_unit_test(closed_descriptors), cmocka_unit_test(orphans),
          cmocka_unit_test(limit_within_a_block), cmocka_unit_test(sent_signals_end_it),
          cmocka_unit_test(errno_is_the_programs))

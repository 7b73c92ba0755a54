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

/* A signal that was sent ends the program as the fault of that name would. */
static void sent_signals_end_it(void **state) {
    (void)state;
    Lab lab;
    lab_open(&lab);
    static const char *const how[] = { "raise(SIGSEGV)", "kill(getpid(), SIGFPE)" };
    static const int ended[] = { 11, 8 };
    for (size_t i = 0; i < COUNT_OF(how); i++) {
        const char *text = arena_fmt(&lab.arena,
                                     "#include <signal.h>\n#include <stdio.h>\n#include "
                                     "<unistd.h>\nint main(void) { %s; puts(\"still here\"); }",
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

TEST_MAIN(cmocka_unit_test(sent_signals_end_it), cmocka_unit_test(errno_is_the_programs))

/* Where an analysis starts: each kind of failure has its own condition, and from each the change is
 * found. And what the path adds: branches that were taken are facts. */
#include "explain/dual.h"
#include "explain/inside.h"
#include "lab.h"
#include "trace/replay.h"

typedef struct Started {
    Lab lab;
    Trace *bad, *good;
    Analysis *analysis;
    Str text[2]; /* bad, good */
} Started;

static bool line_has(Str text, unsigned line, const char *mark) {
    Str part = { 0 };
    while (line-- && str_split(&text, '\n', &part)) {
    }
    return str_find(part, str_from(mark), 0) != STR_NONE;
}

static bool is_changed(void *user, bool in_good, Str file, unsigned line) {
    const Started *s = user;
    (void)file;
    return line_has(s->text[in_good], line, "/* c1");
}

static void open_started(Started *s, const char *good, const char *bad) {
    lab_open(&s->lab);
    s->text[0] = str_from(bad);
    s->text[1] = str_from(good);
    char *g = lab_build(&s->lab, "good", good), *b = lab_build(&s->lab, "bad", bad);
    s->good = lab_trace(&s->lab, g, NULL, NULL, NULL, NULL);
    s->bad = lab_trace(&s->lab, b, NULL, NULL, NULL, NULL);
    s->analysis = analysis_new(s->bad, s->good, is_changed, s);
}

static void close_started(Started *s) {
    analysis_free(s->analysis);
    trace_free(s->bad);
    trace_free(s->good);
    lab_close(&s->lab);
}

static bool has_change(const Cause *cause) {
    for (size_t i = 0; i < cause->steps.len; i++)
        if (cause->steps.at[i].changed) return true;
    return false;
}

/* Ends a program that hangs, as a watchdog would: after a number of rounds. */
#define WATCHDOG                                                                                   \
    "    static int spins;\n"                                                                      \
    "    if (++spins > 20000) raise(SIGTERM);\n"
#define MAIN(decl, body)                                                                           \
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <signal.h>\n" decl     \
    "\nint main(void) {\n" body "\n    return 0;\n}\n"

#define ROUNDS                                                                                     \
    "static int n, sum;\n"                                                                         \
    "static int add(void) {\n    sum += 2;\n    return --n ? 0 : 1;\n}\n"                          \
    "static int show(void) {\n    printf(\"%d\\n\", sum);\n    return 1;\n}\n"                     \
    "static int (*const steps[])(void) = { add, show, NULL };\n"
#define RUN_ROUNDS "    for (int at = 0; steps[at];)\n        at += steps[at]();\n"

static const struct {
    const char *name, *good, *bad;
    const char *text; /* part of what is said about the failure */
    bool guessed;
} kinds[] = {
    { "hang",
      MAIN("static int next(int n) {\n    return n - 3; /* c1 */\n}",
           "    int n = 12, rounds = 0;\n    while (n != 0) {\n" WATCHDOG
           "        n = next(n) & 255;\n        rounds++;\n    }\n    printf(\"%d\\n\", rounds);"),
      MAIN("static int next(int n) {\n    return n - 8; /* c1 */\n}",
           "    int n = 12, rounds = 0;\n    while (n != 0) {\n" WATCHDOG
           "        n = next(n) & 255;\n        rounds++;\n    }\n    printf(\"%d\\n\", rounds);"),
      "does not end", true },
    { "hang behind output",
      MAIN("",
           "    puts(\"begin\");\n    unsigned i = 0; /* c1 */\n    while (i != 12) {\n" WATCHDOG
           "        i += 4;\n    }\n    puts(\"end\");"),
      MAIN("",
           "    puts(\"begin\");\n    unsigned i = 2; /* c1 */\n    while (i != 12) {\n" WATCHDOG
           "        i += 4;\n    }\n    puts(\"end\");"),
      "does not end", true },
    { "missing output",
      MAIN("static int verbose(void) {\n    return 1; /* c1 */\n}",
           "    puts(\"one\");\n    if (verbose())\n        puts(\"two\");"),
      MAIN("static int verbose(void) {\n    return 0; /* c1 */\n}",
           "    puts(\"one\");\n    if (verbose())\n        puts(\"two\");"),
      "missing", true },
    { "a value after more rounds of a loop", /* whose calls no alignment brings together */
      MAIN("static int start = 2; /* c1 */\n" ROUNDS, "    n = start;\n" RUN_ROUNDS),
      MAIN("static int start = 3; /* c1 */\n" ROUNDS, "    n = start;\n" RUN_ROUNDS),
      "should be '4'", false },
    { "exit status, computed",
      MAIN("static int status = 0; /* c1 */", "    int s = status * 2;\n    exit(s);"),
      MAIN("static int status = 3; /* c1 */", "    int s = status * 2;\n    exit(s);"),
      "exit status 6, should be 0", false },
    { "exit status, decided",
      MAIN("static int count = 4; /* c1 */", "    if (count > 5)\n        exit(1);"),
      MAIN("static int count = 6; /* c1 */", "    if (count > 5)\n        exit(1);"),
      "exit status 1, should be 0", false },
    { "signal, address",
      MAIN(
          "static int x = 5;\nstatic int *find(int k) {\n    return k < 4 ? &x : NULL; /* c1 */\n}",
          "    printf(\"%d\\n\", *find(3));"),
      MAIN(
          "static int x = 5;\nstatic int *find(int k) {\n    return k < 3 ? &x : NULL; /* c1 */\n}",
          "    printf(\"%d\\n\", *find(3));"),
      "signal 11", false },
    { "signal, divisor",
      MAIN("static int share = 4; /* c1 */", "    printf(\"%d\\n\", 100 / (share - 2));"),
      MAIN("static int share = 2; /* c1 */", "    printf(\"%d\\n\", 100 / (share - 2));"),
      "signal 8", false },
    { "abort", MAIN("static int level = 1; /* c1 */", "    if (level > 2)\n        abort();"),
      MAIN("static int level = 3; /* c1 */", "    if (level > 2)\n        abort();"), "gave up",
      false },
};

static void each_kind(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        Started s;
        Predicate phi;
        Error err = { 0 };
        Expectation none = { 0 };
        open_started(&s, kinds[i].good, kinds[i].bad);
        if (!analysis_failure(s.analysis, &none, &phi, &err))
            fail_msg("%s: %s", kinds[i].name, err.text);
        print_message("# %s: " STR_FMT " at line %u\n", kinds[i].name, STR_ARG(phi.text),
                      phi.place.line);
        assert_true(str_find(phi.text, str_from(kinds[i].text), 0) != STR_NONE);
        assert_int_equal(phi.guessed, kinds[i].guessed);
        PredicateVec todo = { 0 };
        vec_push(&todo, phi);
        bool found = false;
        for (size_t k = 0; k < todo.len && k < 8 && !found; k++) {
            const Cause *cause = analysis_cause(s.analysis, &todo.at[k]);
            assert_false(k == 0 && kinds[i].guessed && cause->proved);
            found = has_change(cause);
            analysis_critical_predicates(s.analysis, cause, &todo);
        }
        vec_release(&todo);
        if (!found) fail_msg("%s: the change is in none of the first causes", kinds[i].name);
        Dual *d = analysis_dual(s.analysis, &none, ALIGN_IN_STEP, false);
        assert_true(d->nodes.len > 0);
        dual_free(d);
        close_started(&s);
    }
}

/* A value that a branch has pinned down: what it was computed from in a long loop is not needed. */
static void the_path_counts(void **state) {
    (void)state;
#define PINNED(factor)                                                                             \
    MAIN("", "    int a = 0, b;\n    for (int i = 0; i < 100; i++)\n        a += i;\n"             \
             "    if (a == 4950) {\n        b = a * " factor "; /* c1 */\n"                        \
             "        printf(\"%d\\n\", b);\n    }")
    Started s;
    Predicate phi;
    Error err = { 0 };
    Expectation none = { 0 };
    open_started(&s, PINNED("2"), PINNED("3"));
    if (!analysis_failure(s.analysis, &none, &phi, &err)) fail_msg("%s", err.text);
    phi.has_wanted = false;
    const Cause *cause = analysis_cause(s.analysis, &phi);
    bool branch = false;
    for (size_t i = 0; i < cause->steps.len; i++) branch |= cause->steps.at[i].kind == CAUSE_BRANCH;
    print_message("# %u of %u facts, %s\n", cause->core, cause->constraints,
                  cause->doubt ? cause->doubt : "proved");
    assert_true(branch);
    assert_true(cause->proved);
    assert_true(cause->core < 20);
    close_started(&s);
}

/* Whether a difference that the slice found comes in on the changed line. */
static bool leads_to_change(const Started *s, const Dual *d) {
    for (size_t i = 0; i < d->nodes.len; i++) {
        const DualNode *n = &d->nodes.at[i];
        for (int good = 0; good < 2; good++) {
            Step step = good ? n->good : n->bad;
            if (step == STEP_NONE || !n->source) continue;
            Place p = trace_place(good ? s->good : s->bad, step);
            if (is_changed((void *)s, good, p.file, p.line)) return true;
        }
    }
    return false;
}

#define THROWS(least)                                                                              \
    MAIN(                                                                                          \
        "#include <setjmp.h>\nstatic jmp_buf top;\n"                                               \
        "static int kind(int n) {\n    return n > " least " ? 1 : 2; /* c1 */\n}\n"                \
        "static void fail(void) { longjmp(top, 1); }\n"                                            \
        "static int work(int n) {\n    if (kind(n) == 1)\n        fail();\n    return n;\n}",      \
        "    if (setjmp(top)) {\n        fputs(\"error\\n\", stderr);\n        return 0;\n    }\n" \
        "    printf(\"%d\\n\", work(3));")

/* The handler says that something was wrong; why it ran is told by the call that jumped to it. */
static void a_jump_is_followed(void **state) {
    (void)state;
    Started s;
    open_started(&s, THROWS("3"), THROWS("2"));
    const TraceOutput *message = inside_output_at(s.bad, 2, 0);
    assert_non_null(message);
    assert_int_equal(s.bad->jumps.len, 1);
    assert_int_equal(s.good->jumps.len, 0);
    Dual *d = dual_new(s.bad, s.good, ALIGN_IN_STEP);
    dual_start_single(d, false, message->step);
    dual_run(d);
    assert_true(leads_to_change(&s, d));
    dual_free(d);
    close_started(&s);
}

#define SILENT(least)                                                                              \
    MAIN("static int kind(int n) {\n    return n > " least " ? 1 : 2; /* c1 */\n}",                \
         "    int bad = 0;\n    for (int i = 0; i < 3; i++)\n        if (kind(i + 1) == 1)\n"      \
         "            bad++;\n    if (bad) {\n        fputs(\"error\\n\", stderr);\n    }\n"       \
         "    else\n        printf(\"%d\\n\", bad);")

/* Missing output starts from the message that came in its place, too. */
static void a_message_says_why(void **state) {
    (void)state;
    Started s;
    Expectation none = { 0 };
    open_started(&s, SILENT("3"), SILENT("2"));
    const TraceOutput *message = inside_output_at(s.bad, 2, 0);
    assert_non_null(message);
    Dual *d = analysis_dual(s.analysis, &none, ALIGN_IN_STEP, false);
    bool starts = false;
    for (size_t i = 0; i < d->nodes.len; i++)
        starts |= d->nodes.at[i].via == DUAL_NONE && d->nodes.at[i].bad == message->step;
    assert_true(starts);
    assert_true(leads_to_change(&s, d));
    dual_free(d);
    close_started(&s);
}

#define COPIES(guard)                                                                              \
    MAIN("static char root[64];\nstatic void copy(const char *path) {\n"                           \
         "    const char *slash = strchr(path, '/');\n" guard                                      \
         "        memcpy(root, path, slash - path + 1);\n}",                                       \
         "    copy(\"name\");\n    puts(root);")

/* A copy of a negative length kills the program; that the length is wrong is where it starts, and
 * the condition that is missing is found in the good run. */
static void a_guard_that_is_gone(void **state) {
    (void)state;
    Started s;
    Predicate phi;
    Error err = { 0 };
    Expectation none = { 0 };
    open_started(&s, COPIES("    if (slash) /* c1 */\n"), COPIES("\n"));
    assert_int_equal(trace_info(s.bad)->end, TRACE_END_SIGNAL);
    if (!analysis_failure(s.analysis, &none, &phi, &err)) fail_msg("%s", err.text);
    assert_true(str_find(phi.text, STR("signal 11"), 0) != STR_NONE);
    assert_int_equal(phi.operand, 2);
    Dual *d = analysis_dual(s.analysis, &none, ALIGN_IN_STEP, false);
    assert_true(leads_to_change(&s, d));
    dual_free(d);
    close_started(&s);
}

#define PUT(size)                                                                                  \
    MAIN("static const char *table[8];\nstatic int place(int n) {\n    return n % " size           \
         "; /* c1 */\n}\nstatic void put(int n, const char *s) {\n    table[place(n)] = s;\n}",    \
         "    put(5, \"five\");\n    const char *s = table[5];\n    puts(s ? s : \"none\");")

/* Nobody wrote what is read, and the good run has a writer that the bad one made as well: why it
 * wrote to another place leads to the change. */
static void a_write_elsewhere(void **state) {
    (void)state;
    Started s;
    Expectation none = { 0 };
    open_started(&s, PUT("8"), PUT("4"));
    Dual *d = analysis_dual(s.analysis, &none, ALIGN_IN_STEP, false);
    assert_true(leads_to_change(&s, d));
    dual_free(d);
    close_started(&s);
}

/* A line that was only written anew stands between the guilty one and what came out wrong. */
static void new_code_is_not_the_end(void **state) {
    (void)state;
    Started s;
    Expectation none = { 0 };
    open_started(
        &s,
        MAIN("static int is_high(int n) {\n    return n > 3; /* c1 */\n}",
             "    puts(\"begin\");\n    if (is_high(3)) {\n        puts(\"high\");\n    }"),
        MAIN("static int is_high(int n) {\n    return n >= 3; /* c1 */\n}",
             "    puts(\"begin\");\n    if (is_high(3)) {\n"
             "        fputs(\"high\\n\", stdout);\n    }"));
    Dual *d = analysis_dual(s.analysis, &none, ALIGN_IN_STEP, false);
    assert_true(leads_to_change(&s, d));
    dual_free(d);
    close_started(&s);
}

/* What a program wrote before it gave up says less than that it did, if no more than the status is
 * expected of it. */
static void giving_up_comes_first(void **state) {
    (void)state;
    Started s;
    Predicate phi;
    Error err = { 0 };
    static const char *const text = "begin\n";
    Expectation none = { 0 }, output = { .has_output = true, .output = str_from(text) };
    open_started(&s,
                 MAIN("static int count = 4; /* c1 */",
                      "    puts(\"version 1\");\n    if (count > 5)\n        exit(1);"),
                 MAIN("static int count = 6; /* c1 */",
                      "    puts(\"version 2\");\n    if (count > 5)\n        exit(1);"));
    assert_true(analysis_failure(s.analysis, &none, &phi, &err));
    assert_true(str_find(phi.text, STR("exit status 1"), 0) != STR_NONE);
    assert_true(analysis_failure(s.analysis, &output, &phi, &err));
    assert_true(str_find(phi.text, STR("exit status"), 0) == STR_NONE);
    Dual *d = analysis_dual(s.analysis, &none, ALIGN_IN_STEP, false);
    bool status = false;
    for (size_t i = 0; i < d->nodes.len; i++)
        status |= d->nodes.at[i].via == DUAL_NONE && d->nodes.at[i].bad == s.bad->exit;
    assert_true(status);
    dual_free(d);
    close_started(&s);
}

TEST_MAIN(cmocka_unit_test(new_code_is_not_the_end), cmocka_unit_test(giving_up_comes_first),
          cmocka_unit_test(a_write_elsewhere), cmocka_unit_test(a_guard_that_is_gone),
          cmocka_unit_test(a_jump_is_followed), cmocka_unit_test(a_message_says_why),
          cmocka_unit_test(each_kind), cmocka_unit_test(the_path_counts))

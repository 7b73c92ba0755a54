/* The semantic analysis on programs whose answer is known: the first causes and the predicates that
 * lead to the change, found without reverting anything. */
#include "explain/formula/formula.h"
#include "lab.h"

/* A change is a line of the bad or of the good file that contains this word. */
typedef struct Case {
    Lab lab;
    Trace *bad, *good;
    Analysis *analysis;
    Str bad_text, good_text;
} Case;

static Str line_of(Str text, unsigned line) {
    Str part = { 0 };
    while (line-- && str_split(&text, '\n', &part)) {
    }
    return part;
}

/* Lines are marked in the programs themselves: the comment c1, c2, .. */
static bool is_changed(void *user, bool in_good, Str file, unsigned line) {
    Case *c = user;
    (void)file;
    return str_find(line_of(in_good ? c->good_text : c->bad_text, line), STR("/* c"), 0) !=
           STR_NONE;
}

static void open_case(Case *c, const char *good, const char *bad, const char *x, const char *y,
                      const char *z) {
    lab_open(&c->lab);
    c->good_text = str_from(good);
    c->bad_text = str_from(bad);
    char *g = lab_build(&c->lab, "good", good), *b = lab_build(&c->lab, "bad", bad);
    c->good = lab_trace(&c->lab, g, x, y, z, NULL);
    c->bad = lab_trace(&c->lab, b, x, y, z, NULL);
    assert_int_equal(trace_info(c->good)->diverged, 0);
    assert_int_equal(trace_info(c->bad)->diverged, 0);
    c->analysis = analysis_new(c->bad, c->good, is_changed, c);
}

static void close_case(Case *c) {
    analysis_free(c->analysis);
    trace_free(c->bad);
    trace_free(c->good);
    lab_close(&c->lab);
}

static bool has_mark(const Case *c, const Cause *cause, const char *mark) {
    for (size_t i = 0; i < cause->steps.len; i++) {
        const CauseStep *s = &cause->steps.at[i];
        Str text = s->kind == CAUSE_MISSING ? c->good_text : c->bad_text;
        if (str_find(line_of(text, s->place.line), str_from(mark), 0) != STR_NONE) return true;
    }
    return false;
}

static void show(const Cause *c) {
    print_message("# phi " STR_FMT ":%u " STR_FMT " (%u of %u%s%s)\n", STR_ARG(c->phi.place.file),
                  c->phi.place.line, STR_ARG(c->phi.text), c->core, c->constraints,
                  c->proved ? ", proved" : ", ", c->doubt ? c->doubt : "");
    for (size_t i = 0; i < c->steps.len; i++) {
        const CauseStep *s = &c->steps.at[i];
        print_message("#   " STR_FMT ":%u %s " STR_FMT " = " STR_FMT " (" STR_FMT ")%s\n",
                      STR_ARG(s->place.file), s->place.line,
                      (const char *[]){ "assign", "branch", "input", "init", "missing" }[s->kind],
                      STR_ARG(s->what), STR_ARG(s->now), STR_ARG(s->was),
                      s->changed ? " changed" : "");
    }
}

static Predicate failure_of(Case *c) {
    Error err = { 0 };
    Predicate phi;
    Expectation none = { 0 };
    if (!analysis_failure(c->analysis, &none, &phi, &err)) fail_msg("%s", err.text);
    return phi;
}

/* Breadth-first as AFTER goes, without reverting: the number of the cause in which the mark
 * appears. */
static int find_mark(Case *c, const char *mark, unsigned most) {
    Predicate phi = failure_of(c);
    PredicateVec todo = { 0 };
    vec_push(&todo, phi);
    int found = -1;
    for (size_t i = 0; i < todo.len && i < most && found < 0; i++) {
        Cause *cause = analysis_cause(c->analysis, &todo.at[i]);
        show(cause);
        assert_true(cause->proved || cause->phi.guessed);
        if (!formula_holds(c->bad, &cause->phi)) fail_msg("the formula says what was not seen");
        if (has_mark(c, cause, mark)) found = (int)i;
        analysis_critical_predicates(c->analysis, cause, &todo);
    }
    vec_release(&todo);
    return found;
}

/* (a) The paper's running example in its structure. */
#define SUM_PROGRAM(c1, c2, c3, c4, end)                                                           \
    "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n" c1 "\n"                       \
    "int f(int x, int y, int z) {\n    int sum;\n    if (!sorted) {\n" c2                          \
    "\n            sum = x;\n"                                                                     \
    "        else\n            sum = y;\n    } else\n        sum = x;\n    if (z > 0)\n" c3        \
    "\n    else\n" c4 "\n    return sum;\n}\n"                                                     \
    "int main(int argc, char **argv) {\n    int sum = f(atoi(argv[1]), atoi(argv[2]), "            \
    "atoi(argv[3]));\n" end "\n}\n"
#define SUM_GOOD(end)                                                                              \
    SUM_PROGRAM("int sorted = 1; /* c1 */", "        if (x > y) /* c2 */",                         \
                "        sum += z; /* c3 */", "        sum += -z; /* c4 */", end)
#define SUM_BAD(end)                                                                               \
    SUM_PROGRAM("int sorted = 0; /* c1 */", "        if (x < y) /* c2 */",                         \
                "        sum -= z; /* c3 */", "        sum -= -z; /* c4 */", end)
#define BY_ASSERT "    assert(sum == 5);\n    return 0;"
#define BY_PRINTF "    printf(\"sum = %d\\n\", sum);\n    return 0;"

static void running_example(const char *good, const char *bad) {
    Case c;
    open_case(&c, good, bad, "3", "1", "2");
    Predicate phi = failure_of(&c);
    Cause *first = analysis_cause(c.analysis, &phi);
    show(first);
    assert_true(first->proved);
    assert_true(formula_holds(c.bad, &phi));
    assert_true(has_mark(&c, first, "c3"));
    assert_false(has_mark(&c, first, "c2"));
    assert_false(has_mark(&c, first, "c4"));
    PredicateVec more = { 0 };
    analysis_critical_predicates(c.analysis, first, &more);
    bool c2 = false;
    for (size_t i = 0; i < more.len; i++) {
        Cause *next = analysis_cause(c.analysis, &more.at[i]);
        show(next);
        assert_true(next->proved);
        c2 |= more.at[i].link == LINK_DIRECT && has_mark(&c, next, "c2");
        assert_false(has_mark(&c, next, "c4"));
    }
    assert_true(c2);
    vec_release(&more);
    close_case(&c);
}

static void running_example_assert(void **state) {
    (void)state;
    running_example(SUM_GOOD(BY_ASSERT), SUM_BAD(BY_ASSERT));
}

static void running_example_output(void **state) {
    (void)state;
    running_example(SUM_GOOD(BY_PRINTF), SUM_BAD(BY_PRINTF));
}

/* (c) The branch not taken that would have redefined the variable. */
static void indirect_influence(void **state) {
    (void)state;
#define INDIRECT(c1, end)                                                                          \
    "#include <assert.h>\n#include <stdio.h>\nint limit(void) {\n" c1                              \
    "\n}\nint main(void) {\n    int c = 1;\n"                                                      \
    "    if (limit() > 10)\n        c = 7;\n    int d = c * 2;\n" end "\n}\n"
    for (size_t i = 0; i < 2; i++) {
        Case c;
        const char *good =
            i ? INDIRECT("    return 12; /* c1 */", "    printf(\"%d\\n\", d);\n    return 0;")
              : INDIRECT("    return 12; /* c1 */", "    assert(d == 14);\n    return 0;");
        const char *bad =
            i ? INDIRECT("    return 2; /* c1 */", "    printf(\"%d\\n\", d);\n    return 0;")
              : INDIRECT("    return 2; /* c1 */", "    assert(d == 14);\n    return 0;");
        open_case(&c, good, bad, NULL, NULL, NULL);
        int at = find_mark(&c, "c1", 10);
        assert_true(at >= 1);
        close_case(&c);
    }
}

/* (e) Changes that are no statements, each found through the values they gave. */
/* Fields are shown as the user writes them. */
#define FIELDS(low, high)                                                                          \
    "#include <stdio.h>\nstruct in { int low, high; };\n"                                          \
    "struct node { struct node *next; struct in range; };\n"                                       \
    "int main(void) {\n    struct node a = { 0 }, b = { 0 };\n    struct node *p = &a;\n"          \
    "    a.next = &b;\n    p->next->range.low = " low ";\n    b.range.high = " high ";\n"          \
    "    printf(\"%d\\n\", p->next->range.high + b.range.low);\n    return 0;\n}\n"

static bool has_what(const Cause *cause, const char *what) {
    for (size_t i = 0; i < cause->steps.len; i++)
        if (str_is(cause->steps.at[i].what, what)) return true;
    return false;
}

static void fields_have_names(void **state) {
    (void)state;
    Case c;
    open_case(&c, FIELDS("1", "2"), FIELDS("1", "3"), NULL, NULL, NULL);
    Predicate phi = failure_of(&c);
    Cause *first = analysis_cause(c.analysis, &phi);
    show(first);
    assert_true(has_what(first, "b.range.high"));
    assert_true(has_what(first, "p->next->range.low"));
    close_case(&c);
}

static void enumerators_have_names(void **state) {
    (void)state;
    Case c;
#define COLOURS(first)                                                                             \
    "#include <stdio.h>\ntypedef enum { RED, GREEN = 5, BLUE = -1 } Colour;\nint main(void) {\n"   \
    "    Colour c = " first ";\n    printf(\"%d\\n\", c);\n    return 0;\n}\n"
    open_case(&c, COLOURS("BLUE"), COLOURS("GREEN"), NULL, NULL, NULL);
    Predicate phi = failure_of(&c);
    Cause *first = analysis_cause(c.analysis, &phi);
    show(first);
    bool seen = false;
    for (size_t i = 0; i < first->steps.len; i++)
        seen |= str_is(first->steps.at[i].now, "GREEN") && str_is(first->steps.at[i].was, "BLUE");
    assert_true(seen);
    close_case(&c);
}

/* Changes of every other kind: each must be in a cause near the failure. */
#define MAIN(decl, body)                                                                           \
    "#include <stdio.h>\n" decl "\nint main(void) {\n" body "\n    return 0;\n}\n"
static const struct {
    const char *name, *good, *bad;
} other_cases[] = {
    { "macro", MAIN("#define SIZE 8", "    int n = SIZE * 2; /* c1 */\n    printf(\"%d\\n\", n);"),
      MAIN("#define SIZE 9", "    int n = SIZE * 2; /* c1 */\n    printf(\"%d\\n\", n);") },
    { "initialiser",
      MAIN("int table[4] = { 1, 2, 3, 4 }; /* c1 */",
           "    int s = 0;\n    for (int i = 0; i < 4; i++)\n        s += table[i];\n    "
           "printf(\"%d\\n\", s);"),
      MAIN("int table[4] = { 1, 2, 7, 4 }; /* c1 */",
           "    int s = 0;\n    for (int i = 0; i < 4; i++)\n        s += table[i];\n    "
           "printf(\"%d\\n\", s);") },
    { "enumerator",
      MAIN("enum { RED, GREEN, BLUE };",
           "    int c = BLUE; /* c1 */\n    puts(c == 2 ? \"blue\" : \"other\");"),
      MAIN("enum { RED, BLUE, GREEN };",
           "    int c = BLUE; /* c1 */\n    puts(c == 2 ? \"blue\" : \"other\");") },
    { "deleted statement",
      MAIN("", "    int s = 1;\n    s = 5; /* c1 */\n    printf(\"%d\\n\", s);"),
      MAIN("", "    int s = 1;\n    printf(\"%d\\n\", s);") },
    { "deleted call",
      MAIN("static int total;\nstatic void set(int n) {\n    total = n;\n}",
           "    set(4); /* c1 */\n    printf(\"%d\\n\", total);"),
      MAIN("static int total;\nstatic void set(int n) {\n    total = n;\n}",
           "    printf(\"%d\\n\", total);") },
    { "wrong index",
      MAIN("int a[5] = { 10, 11, 12, 13, 14 };",
           "    int i = 2; /* c1 */\n    int v = a[i];\n    printf(\"%d\\n\", v);"),
      MAIN("int a[5] = { 10, 11, 12, 13, 14 };",
           "    int i = 3; /* c1 */\n    int v = a[i];\n    printf(\"%d\\n\", v);") },
    { "wrong pointer",
      MAIN("int x = 1, y = 2;\nint *p = &x;",
           "    p = &x; /* c1 */\n    int v = *p;\n    printf(\"%d\\n\", v);"),
      MAIN("int x = 1, y = 2;\nint *p = &x;",
           "    p = &y; /* c1 */\n    int v = *p;\n    printf(\"%d\\n\", v);") },
    { "string",
      MAIN("#include <string.h>", "    char b[20];\n    strcpy(b, \"one\"); /* c1 */\n    "
                                  "strcat(b, \" two\");\n    fputs(b, stdout);"),
      MAIN("#include <string.h>", "    char b[20];\n    strcpy(b, \"once\"); /* c1 */\n    "
                                  "strcat(b, \" two\");\n    fputs(b, stdout);") },
    { "missing output",
      MAIN("", "    int n = 3; /* c1 */\n    if (n > 2)\n        puts(\"three\");\n    "
               "puts(\"end\");"),
      MAIN("", "    int n = 1; /* c1 */\n    if (n > 2)\n        puts(\"three\");\n    "
               "puts(\"end\");") },
    { "struct copy",
      MAIN("struct s { int a, b; };\nstatic struct s make(int n) {\n    struct s r = { n, n + "
           "1 }; /* c1 */\n    return r;\n}",
           "    struct s x = make(3), y = x;\n    printf(\"%d %d\\n\", y.a, y.b);"),
      MAIN("struct s { int a, b; };\nstatic struct s make(int n) {\n    struct s r = { n, n + "
           "2 }; /* c1 */\n    return r;\n}",
           "    struct s x = make(3), y = x;\n    printf(\"%d %d\\n\", y.a, y.b);") },
    { "division", MAIN("", "    volatile int d = 2; /* c1 */\n    printf(\"%d\\n\", 10 / d);"),
      MAIN("", "    volatile int d = 0; /* c1 */\n    printf(\"%d\\n\", 10 / d);") },
    { "null pointer",
      MAIN("int x = 4;\nstatic int *find(int k) {\n    return k == 1 ? &x : 0; /* c1 */\n}",
           "    int *p = find(1);\n    printf(\"%d\\n\", *p);"),
      MAIN("int x = 4;\nstatic int *find(int k) {\n    return k == 2 ? &x : 0; /* c1 */\n}",
           "    int *p = find(1);\n    printf(\"%d\\n\", *p);") },
    { "floating point",
      MAIN("", "    double d = 1.5; /* c1 */\n    d = d * 2;\n    printf(\"%g\\n\", d);"),
      MAIN("", "    double d = 2.5; /* c1 */\n    d = d * 2;\n    printf(\"%g\\n\", d);") },
    { "variadic",
      MAIN("#include <stdarg.h>\nstatic void say(const char *f, ...) {\n    va_list v;\n    "
           "va_start(v, f);\n    vprintf(f, v);\n    va_end(v);\n}",
           "    int n = 4; /* c1 */\n    say(\"%s %d\\n\", \"n is\", n);"),
      MAIN("#include <stdarg.h>\nstatic void say(const char *f, ...) {\n    va_list v;\n    "
           "va_start(v, f);\n    vprintf(f, v);\n    va_end(v);\n}",
           "    int n = 5; /* c1 */\n    say(\"%s %d\\n\", \"n is\", n);") },
    { "va_arg",
      MAIN("#include <stdarg.h>\nstatic int last(int n, ...) {\n    va_list v;\n    int r = "
           "0;\n    va_start(v, n);\n    while (n--)\n        r = va_arg(v, int);\n    "
           "va_end(v);\n    return r;\n}",
           "    int n = 4; /* c1 */\n    printf(\"%d\\n\", last(7, 1, 2, 3, 4, 5, 6, n));"),
      MAIN("#include <stdarg.h>\nstatic int last(int n, ...) {\n    va_list v;\n    int r = "
           "0;\n    va_start(v, n);\n    while (n--)\n        r = va_arg(v, int);\n    "
           "va_end(v);\n    return r;\n}",
           "    int n = 5; /* c1 */\n    printf(\"%d\\n\", last(7, 1, 2, 3, 4, 5, 6, n));") },
    { "compared strings",
      MAIN("#include <string.h>", "    char b[8] = \"no\";\n    b[1] = 'o'; /* c1 */\n    if "
                                  "(strcmp(b, \"no\") == 0)\n        puts(\"equal\");"),
      MAIN("#include <string.h>", "    char b[8] = \"no\";\n    b[1] = 'a'; /* c1 */\n    if "
                                  "(strcmp(b, \"no\") == 0)\n        puts(\"equal\");") },
    { "short circuit",
      MAIN("int a = 1; /* c1 */\nint b = 1;",
           "    int both = a && b;\n    printf(\"%d\\n\", both);"),
      MAIN("int a = 0; /* c1 */\nint b = 1;",
           "    int both = a && b;\n    printf(\"%d\\n\", both);") },
    { "exit status", "int main(void) {\n    int r = 0; /* c1 */\n    return r;\n}\n",
      "int main(void) {\n    int r = 3; /* c1 */\n    return r;\n}\n" },
};

static void other_changes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(other_cases); i++) {
        Case c;
        print_message("# ---- %s\n", other_cases[i].name);
        open_case(&c, other_cases[i].good, other_cases[i].bad, NULL, NULL, NULL);
        if (find_mark(&c, "c1", 12) < 0)
            fail_msg("%s: the change is in no cause", other_cases[i].name);
        close_case(&c);
    }
}

TEST_MAIN(cmocka_unit_test(running_example_assert), cmocka_unit_test(running_example_output),
          cmocka_unit_test(indirect_influence), cmocka_unit_test(fields_have_names),
          cmocka_unit_test(enumerators_have_names), cmocka_unit_test(other_changes))

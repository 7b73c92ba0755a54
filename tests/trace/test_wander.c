/* Chains that do not wander: from the failure to the change, and not into what came out the same.
 * Each program has lines marked "far": they did the same in both versions; no chain goes there. */
#include "explain/dual.h"
#include "explain/formula/formula.h"
#include "lab.h"

typedef struct Wandering {
    Lab lab;
    Trace *bad, *good;
    Analysis *analysis;
    Str text[2]; /* bad, good */
} Wandering;

static bool line_has(Str text, unsigned line, const char *mark) {
    Str part = { 0 };
    while (line-- && str_split(&text, '\n', &part)) {
    }
    return str_find(part, str_from(mark), 0) != STR_NONE;
}

static bool is_changed(void *user, bool in_good, Str file, unsigned line) {
    const Wandering *w = user;
    (void)file;
    return line_has(w->text[in_good], line, "/* c1");
}

static void open_both(Wandering *w, const char *good, const char *bad, const char *argument) {
    lab_open(&w->lab);
    w->text[0] = str_from(bad);
    w->text[1] = str_from(good);
    char *g = lab_build(&w->lab, "good", good), *b = lab_build(&w->lab, "bad", bad);
    w->good = lab_trace(&w->lab, g, argument, NULL, NULL, NULL);
    w->bad = lab_trace(&w->lab, b, argument, NULL, NULL, NULL);
    w->analysis = analysis_new(w->bad, w->good, is_changed, w);
}

static void close_both(Wandering *w) {
    analysis_free(w->analysis);
    trace_free(w->bad);
    trace_free(w->good);
    lab_close(&w->lab);
}

/* All causes, up to 60: whether one has the change, and none asks about what is far. */
static void follow(Wandering *w, const char *name) {
    Predicate phi;
    Error err = { 0 };
    Expectation none = { 0 };
    if (!analysis_failure(w->analysis, &none, &phi, &err)) fail_msg("%s: %s", name, err.text);
    PredicateVec todo = { 0 };
    vec_push(&todo, phi);
    bool found = false;
    size_t i = 0;
    for (; i < todo.len && i < 60; i++) {
        const Cause *cause = analysis_cause(w->analysis, &todo.at[i]);
        const Place *p = &todo.at[i].place;
        if (line_has(w->text[0], p->line, "/* far"))
            fail_msg("%s: asks why line %u came out as it did", name, p->line);
        for (size_t k = 0; k < cause->steps.len; k++) {
            const CauseStep *s = &cause->steps.at[k];
            found |= s->changed;
            if (line_has(w->text[s->kind == CAUSE_MISSING], s->place.line, "/* far") && !s->context)
                fail_msg("%s: line %u came out alike and is no context: " STR_FMT " (" STR_FMT ")",
                         name, s->place.line, STR_ARG(s->now), STR_ARG(s->was));
        }
        analysis_critical_predicates(w->analysis, cause, &todo);
    }
    print_message("# %s: %zu causes\n", name, i);
    vec_release(&todo);
    assert_true(found);
}

/* The dual slice has a source on the change, and none on what is far. */
static void slice(Wandering *w, const char *name) {
    Expectation none = { 0 };
    Dual *d = analysis_dual(w->analysis, &none, ALIGN_IN_STEP, false);
    bool found = false;
    for (size_t i = 0; i < d->nodes.len; i++) {
        const DualNode *n = &d->nodes.at[i];
        if (!n->source) continue;
        bool in_good = n->bad == STEP_NONE;
        Place p = in_good ? trace_place(w->good, n->good) : trace_place(w->bad, n->bad);
        found |= line_has(w->text[in_good], p.line, "/* c1");
        if (line_has(w->text[in_good], p.line, "/* far"))
            fail_msg("%s: line %u is a source", name, p.line);
    }
    assert_true(found);
    dual_free(d);
}

#define OPTIONS(limit)                                                                             \
    "#include <stdio.h>\n#include <string.h>\n"                                                    \
    "static int quiet, limit = 3;\n"                                                               \
    "int main(int argc, char **argv) {\n"                                                          \
    "    if (argc > 1 && strcmp(argv[1], \"-version\") == 0) { /* far */\n"                        \
    "        puts(\"1.0\");\n        return 0;\n    }\n"                                           \
    "    if (argc > 1 && strcmp(argv[1], \"-q\") == 0) /* far */\n        quiet = 1;\n"            \
    "    for (int i = 1; i < argc; i++) /* far */\n"                                               \
    "        if (argv[i][0] != '-') { /* far */\n"                                                 \
    "            " limit "\n"                                                                      \
    "            if (!quiet && limit > 2) /* near */\n"                                            \
    "                printf(\"%d\\n\", limit);\n        }\n    return 0;\n}\n"

/* A list that is built the same way, though the heap is not: one more allocation before it. */
#define HEAP(more, value)                                                                          \
    "#include <stdio.h>\n#include <stdlib.h>\n"                                                    \
    "struct node { struct node *next; int key, value; };\n"                                        \
    "static struct node *head;\n"                                                                  \
    "static void add(int key, int value) {\n"                                                      \
    "    struct node *n = malloc(sizeof *n); /* far */\n"                                          \
    "    n->next = head; /* far */\n    n->key = key; /* far */\n    n->value = value;\n"          \
    "    head = n; /* far */\n}\n"                                                                 \
    "static struct node *find(int key) {\n    struct node *n = head; /* far */\n"                  \
    "    while (n && n->key != key) /* far */\n        n = n->next; /* far */\n    return n;\n}\n" \
    "int main(void) {\n    " more "\n"                                                             \
    "    for (int i = 0; i < 5; i++) /* far */\n        add(i, i * " value "); /* c1 */\n"         \
    "    unsigned long address = (unsigned long)find(3); /* far */\n"                              \
    "    printf(\"%d\\n\", ((struct node *)address)->value);\n    return 0;\n}\n"

/* What differs from run to run: the time, the process. */
#define CLOCK(factor)                                                                              \
    "#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\n"                                 \
    "static long started;\nstatic int pid;\nstatic int steps(int n) {\n    int s = 0;\n"           \
    "    for (int i = 0; i < n; i++)\n        s += i * " factor "; /* c1 */\n    return s;\n}\n"   \
    "int main(void) {\n    struct timespec t;\n    clock_gettime(CLOCK_MONOTONIC, &t); /* far "    \
    "*/\n"                                                                                         \
    "    started = t.tv_nsec; /* far */\n    pid = getpid(); /* far */\n    int s = steps(4);\n"   \
    "    printf(\"%d %d %ld\\n\", s, pid, started);\n    return 0;\n}\n"

static void does_not_wander(void **state) {
    (void)state;
    static const struct {
        const char *name, *good, *bad, *argument;
    } cases[] = {
        { "options", OPTIONS("limit = 5; /* c1 */"), OPTIONS("limit = 4; /* c1 */"), "file" },
        { "options, missing output", OPTIONS("limit = 5; /* c1 */"), OPTIONS("limit = 1; /* c1 */"),
          "file" },
        { "heap", HEAP("", "2"), HEAP("free(malloc(400)), malloc(72);", "3"), NULL },
        { "clock", CLOCK("2"), CLOCK("3"), NULL },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Wandering w;
        open_both(&w, cases[i].good, cases[i].bad, cases[i].argument);
        follow(&w, cases[i].name);
        slice(&w, cases[i].name);
        close_both(&w);
    }
}

TEST_MAIN(cmocka_unit_test(does_not_wander))

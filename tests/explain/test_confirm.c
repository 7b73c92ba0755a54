/* A set that a parser refuses grows by what answers its messages and by nothing else: declarations
 * of several lines, names that another unit lacks, units that no makefile names. Real parsing, no
 * builds. */
#include "explain/search/closed_search.h"
#include "lab.h"

/* p.c and q.c, and r.c where it is there and in good. */
static void read_units(Lab *lab) {
    static const char *const in_good[] = { "p.c", "q.c", "r.c", NULL };
    static const char *const in_bad[] = { "p.c", "q.c", NULL };
    lab_read(lab, in_good, in_bad, "false");
}

static bool has_one(const ChangeSet *set, size_t c, const char *const *texts) {
    for (; *texts; texts++)
        if (str_find(change_good_text(set, c), str_from(*texts), 0) != STR_NONE ||
            str_find(change_bad_text(set, c), str_from(*texts), 0) != STR_NONE)
            return true;
    return false;
}

/* The change with one text, closed, must be those with one of these texts. */
static void check(Lab *lab, const char *seed, const char *const *wanted) {
    size_t n = lab->set.changes.len;
    uint8_t *set = ARENA_ARRAY(&lab->arena, uint8_t, n + 1);
    const char *const seeds[] = { seed, NULL };
    size_t found = 0;
    for (size_t c = 0; c < n; c++) found += set[c] = has_one(&lab->set, c, seeds);
    assert_int_equal(found, 1);
    Needs *unparsed = needs_unparsed(lab->needs);
    assert_true(closed_fit(&lab->aux, unparsed, set));
    needs_free(unparsed);
    assert_int_equal(oracle_counts(lab->oracle)->builds, 0);
    for (size_t c = 0; c < n; c++)
        if (set[c] != has_one(&lab->set, c, wanted))
            fail_msg("%s: %s %s", seed, change_place(&lab->arena, &lab->set, c),
                     set[c] ? "came along" : "is missing");
}

/* Nothing of the line with the function's name changed, neither here nor there, and every caller
 * changed in some other way as well. */
static void heads_of_several_lines(void **state) {
    (void)state;
    Lab lab;
    lab_begin(&lab);
    put(&lab, "good", "h.h",
        "struct s {\n    int a;\n};\nint f(struct s *,\n      int);\nint g(int);\n");
    put(&lab, "bad", "h.h",
        "struct s {\n    int a;\n};\nint f(struct s *,\n      int, char *);\nint g(int);\n");
    put(&lab, "good", "p.c",
        "#include \"h.h\"\n\nint\nf(struct s *s,\n    int k)\n{\n    return s->a + k;\n}\n\n"
        "int g(int x)\n{\n    return x + 1;\n}\n");
    put(&lab, "bad", "p.c",
        "#include \"h.h\"\n\nint\nf(struct s *s,\n    int k, char *t)\n{\n    return s->a + "
        "k;\n}\n\n"
        "int g(int x)\n{\n    return x + 2;\n}\n");
    put(&lab, "good", "q.c",
        "#include \"h.h\"\n\nint main(void)\n{\n    struct s s = { 1 };\n    int low = g(1);\n\n"
        "    low++;\n    return f(&s, low);\n}\n");
    put(&lab, "bad", "q.c",
        "#include \"h.h\"\n\nint main(void)\n{\n    struct s s = { 1 };\n    int low = g(5);\n\n"
        "    low++;\n    return f(&s, low, 0);\n}\n");
    read_units(&lab);
    assert_int_equal(lab.set.changes.len, 5);
    const char *const wanted[] = { "char *", "low, 0", NULL };
    check(&lab, "int k, char *t", wanted);
    check(&lab, "low, 0", wanted);
    const char *const alone[] = { "g(5)", NULL };
    check(&lab, "g(5)", alone);
    lab_free(&lab);
}

/* A function that only good has, in the other unit, with the old style of its head; and one that
 * only bad has, whose callers must go with it. */
static void names_that_a_unit_lacks(void **state) {
    (void)state;
    Lab lab;
    lab_begin(&lab);
    put(&lab, "good", "h.h", "int was(int);\nint both(int);\n");
    put(&lab, "bad", "h.h", "int both(int);\nint now(int);\n");
    put(&lab, "good", "p.c",
        "#include \"h.h\"\n\n/*\n * Adds one.\n */\nint\nwas(int x)\n{\n    return x + 1;\n}\n\n"
        "/*\n * Adds nothing.\n */\nint\nboth(int x)\n{\n    return x;\n}\n");
    put(&lab, "bad", "p.c",
        "#include \"h.h\"\n\n/*\n * Adds nothing.\n */\nint\nboth(int x)\n{\n    return x;\n}\n\n"
        "int\nnow(int x)\n{\n    for (int i = 0; i < 3; i++) x += i;\n    return x;\n}\n");
    put(&lab, "good", "q.c",
        "#include \"h.h\"\n\nint a(void)\n{\n    return was(1);\n}\n\nint b(void)\n{\n"
        "    return both(2);\n}\n\nint main(void)\n{\n    int other = 1;\n    return a() + b() + "
        "other;\n}\n");
    put(&lab, "bad", "q.c",
        "#include \"h.h\"\n\nint a(void)\n{\n    return both(1);\n}\n\nint b(void)\n{\n"
        "    return now(2);\n}\n\nint main(void)\n{\n    int other = 2;\n    return a() + b() + "
        "other;\n}\n");
    read_units(&lab);
    const char *const was[] = { "was(", NULL };
    check(&lab, "return was(1)", was);
    const char *const now[] = { "for (int i", "now(2)", NULL };
    check(&lab, "for (int i", now);
    lab_free(&lab);
}

/* The other unit is there, but only good's makefile has it compiled. */
static void units_that_a_makefile_lacks(void **state) {
    (void)state;
    Lab lab;
    lab_begin(&lab);
    for (int bad = 0; bad < 2; bad++) {
        const char *side = bad ? "bad" : "good";
        put(&lab, side, "h.h", "int r(int);\nint s(int);\n");
        put(&lab, side, "r.c", "#include \"h.h\"\nint r(int x) {\n    return x;\n}\n");
        put(&lab, side, "p.c", bad ? "int p = 2;\n" : "int p = 1;\n");
        put(&lab, side, "Makefile",
            bad ? "all: p\nOBJECTS = p.o q.o\np: $(OBJECTS)\n"
                : "all: p\nOBJECTS = p.o q.o r.o\np: $(OBJECTS)\n");
    }
    put(&lab, "good", "q.c",
        "#include \"h.h\"\nint s(int x) {\n    return x;\n}\n\nint main(void) {\n    return "
        "r(1);\n}\n");
    put(&lab, "bad", "q.c",
        "#include \"h.h\"\nint s(int x) {\n    return x;\n}\n\nint main(void) {\n    return "
        "s(1);\n}\n");
    read_units(&lab);
    const char *const wanted[] = { "return r(1)", "r.o", NULL };
    check(&lab, "return r(1)", wanted);
    const char *const alone[] = { "r.o", NULL };
    check(&lab, "r.o", alone);
    lab_free(&lab);
}

/* A name of a header that a program of the build writes: that program is to go back with its user.
 */
static void what_a_program_of_the_build_writes(void **state) {
    (void)state;
    static const char *const units[] = { "mk.c", NULL };
    Lab lab;
    lab_begin(&lab);
    for (int bad = 0; bad < 2; bad++) {
        const char *side = bad ? "bad" : "good";
        put(&lab, side, "mk.c",
            arena_fmt(&lab.arena,
                      "#include <stdio.h>\n\nstatic const char *names[] = {\n    \"KEPT\",\n%s};\n"
                      "\nint main(void) {\n    for (int i = 0; i < %d; i++)\n"
                      "        printf(\"#define %%s %%d\\n\", names[i], i);\n    return 0;\n}\n",
                      bad ? "" : "    \"SIZE\",\n", bad ? 1 : 2));
        put(&lab, side, "p.c",
            bad ? "#include \"made.h\"\nint f(void) {\n    return 3;\n}\n\nint main(void) {\n"
                  "    return f() - 1;\n}\n"
                : "#include \"made.h\"\nint f(void) {\n    return SIZE;\n}\n\nint main(void) {\n"
                  "    return f() - 1;\n}\n");
    }
    lab_read(&lab, units, units, "cc -w -o mk mk.c && ./mk >made.h && cc -w -o p p.c");
    uint8_t *set = ARENA_ARRAY(&lab.arena, uint8_t, lab.set.changes.len + 1);
    for (size_t c = 0; c < lab.set.changes.len; c++)
        set[c] = str_find(change_good_text(&lab.set, c), STR("return SIZE"), 0) != STR_NONE;
    closed_ask(&lab.aux, lab.needs, set);
    for (size_t c = 0; c < lab.set.changes.len; c++)
        if (str_find(change_good_text(&lab.set, c), STR("\"SIZE\""), 0) != STR_NONE)
            assert_true(set[c]);
    lab_free(&lab);
}

TEST_MAIN(cmocka_unit_test(what_a_program_of_the_build_writes),
          cmocka_unit_test(units_that_a_makefile_lacks), cmocka_unit_test(heads_of_several_lines),
          cmocka_unit_test(names_that_a_unit_lacks))

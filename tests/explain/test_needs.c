/* What must be reverted together: for each kind of edge two small versions, one change to revert,
 * and the lines that must come with it (and those that must not). */
#include "base/file.h"
#include "change/needs.h"
#include "run/workdir.h"
#include "test.h"

typedef struct Pair {
    const char *what;
    const char *name;       /* of the file */
    const char *good, *bad; /* its text */
    const char *asked;      /* a change whose text, in good or in bad, holds this */
    const char *comes;      /* so does one that must come along; NULL: nothing may */
} Pair;

typedef struct Lab {
    Arena arena;
    char *base;
    ChangeSet set;
    Needs *needs;
} Lab;

static void put(Lab *lab, const char *side, const char *name, const char *text) {
    char *dir = file_join(&lab->arena, lab->base, side);
    assert_true(file_make_dirs(dir, NULL));
    assert_true(file_write(file_join(&lab->arena, dir, name), str_from(text), NULL));
}

static void lab_new(Lab *lab) {
    *lab = (Lab){ 0 };
    lab->base = workdir_new(&lab->arena, "test");
}

static void lab_read(Lab *lab) {
    Error err = { 0 };
    ChangeOptions options = { .keep_names = true };
    if (!changeset_read(&lab->set, file_join(&lab->arena, lab->base, "good"),
                        file_join(&lab->arena, lab->base, "bad"), &options, &err))
        fail_msg("%s", err.text);
    lab->needs = needs_new(&lab->set);
}

static void lab_free(Lab *lab) {
    needs_free(lab->needs);
    changeset_release(&lab->set);
    arena_release(&lab->arena);
}

static size_t change_with(const Lab *lab, const char *text) {
    for (size_t i = 0; i < lab->set.changes.len; i++)
        if (str_find(change_good_text(&lab->set, i), str_from(text), 0) != STR_NONE ||
            str_find(change_bad_text(&lab->set, i), str_from(text), 0) != STR_NONE)
            return i;
    fail_msg("no change has '%s'", text);
    return 0;
}

static void check_pair(const Pair *pair) {
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", pair->name, pair->good);
    put(&lab, "bad", pair->name, pair->bad);
    lab_read(&lab);
    uint8_t *subset = ARENA_ARRAY(&lab.arena, uint8_t, lab.set.changes.len + 1);
    subset[change_with(&lab, pair->asked)] = 1;
    size_t came = needs_close(lab.needs, subset);
    if (!pair->comes && came) fail_msg("%s: %zu changes come along", pair->what, came);
    if (pair->comes && !subset[change_with(&lab, pair->comes)])
        fail_msg("%s: '%s' does not come along", pair->what, pair->comes);
    lab_free(&lab);
}

static void edges_of_each_kind(void **state) {
    (void)state;
    static const Pair pairs[] = {
        { "a variable that only good declares", "p.c",
          "static int old;\n\nint a;\n\nint f(void) {\n    return old;\n}\n",
          "int a;\n\nint f(void) {\n    return 2;\n}\n", "return old", "static int old" },
        { "a variable that only bad declares", "p.c", "int a;\n\nint f(void) {\n    return 2;\n}\n",
          "static int new;\n\nint a;\n\nint f(void) {\n    return new;\n}\n", "static int new",
          "return new" },
        { "its use alone needs nothing", "p.c", "int a;\n\nint f(void) {\n    return 2;\n}\n",
          "static int new;\n\nint a;\n\nint f(void) {\n    return new;\n}\n", "return new", NULL },
        { "a local of one function", "p.c",
          "int f(int a) {\n    a++;\n    a += 2;\n    a *= 3;\n    return a;\n}\n",
          "int f(int a) {\n    int b = a;\n    a++;\n    a += 2;\n    a *= 3;\n    return b;\n}\n",
          "int b = a", "return b" },
        { "a local of the same name elsewhere", "p.c",
          "int f(int a) {\n    a++;\n    a += 2;\n    return a;\n}\n\n"
          "int g(int a) {\n    a--;\n    return a;\n}\n",
          "int f(int a) {\n    int b = a;\n    a++;\n    a += 2;\n    return b;\n}\n\n"
          "int g(int b) {\n    b--;\n    return b;\n}\n",
          "b--", "int g(int b)" },
        { "parameters and calls", "p.c",
          "int f(int a) {\n    return a;\n}\n\nint g;\n\nint h(void) {\n    return f(1);\n}\n",
          "int f(int a, int b) {\n    return a;\n}\n\nint g;\n\n"
          "int h(void) {\n    return f(1, 2);\n}\n",
          "f(1)", "int f(int a)" },
        { "a macro", "p.c", "#define OLD 1\n\nint a;\n\nint b = OLD;\n", "int a;\n\nint b = 1;\n",
          "int b = OLD", "#define OLD" },
        { "an enumerator", "p.c", "enum e { ONE, TWO };\n\nint a;\n\nint b = TWO;\n",
          "enum e { ONE };\n\nint a;\n\nint b = ONE;\n", "int b = TWO", "ONE, TWO" },
        { "a member", "p.c",
          "struct s {\n    int a;\n    int old;\n};\n\nint x;\n\n"
          "int f(struct s *s) {\n    return s->old;\n}\n",
          "struct s {\n    int a;\n};\n\nint x;\n\nint f(struct s *s) {\n    return s->a;\n}\n",
          "s->old", "int old" },
        { "a brace that is closed elsewhere", "p.c",
          "int f(int a) {\n    a++;\n    a += 2;\n    a *= 3;\n    return a;\n}\n",
          "int f(int a) {\n    if (a) {\n    a++;\n    a += 2;\n    a *= 3;\n    }\n    return "
          "a;\n}\n",
          "if (a) {", "    }\n" },
        { "a function that moved", "p.c",
          "static int f(void) {\n    return 1;\n}\n\nint g(void) {\n    return 2;\n}\n\n"
          "int h(void) {\n    return 3;\n}\n",
          "int g(void) {\n    return 2;\n}\n\nint h(void) {\n    return 3;\n}\n\n"
          "static int f(void) {\n    return 1;\n}\n",
          "static int f", "static int f" },
        { "two statements of one function", "p.c",
          "int f(int a) {\n    a++;\n    a += 2;\n    a *= 3;\n    return a;\n}\n",
          "int f(int a) {\n    a--;\n    a += 2;\n    a *= 4;\n    return a;\n}\n", "a--", NULL },
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) check_pair(&pairs[i]);
}

/* An added file goes with the line that names it in the makefile and with its #include. */
static void files_and_what_names_them(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "Makefile", "p: p.c\n\tcc -o p p.c\n");
    put(&lab, "good", "p.c", "int main(void) {\n    return 0;\n}\n");
    put(&lab, "bad", "Makefile", "p: p.c q.o\n\tcc -o p p.c q.o\n");
    put(&lab, "bad", "p.c", "#include \"q.h\"\n\nint main(void) {\n    return q();\n}\n");
    put(&lab, "bad", "q.c", "#include \"q.h\"\n\nint q(void) {\n    return 0;\n}\n");
    put(&lab, "bad", "q.h", "int q(void);\n");
    lab_read(&lab);
    uint8_t *subset = ARENA_ARRAY(&lab.arena, uint8_t, lab.set.changes.len + 1);
    size_t n = lab.set.changes.len, file = n;
    for (size_t i = 0; i < n; i++)
        if (str_is(change_path(&lab.set, i), "q.c")) file = i;
    assert_true(file < n);
    subset[file] = 1;
    needs_close(lab.needs, subset);
    assert_true(subset[change_with(&lab, "p: p.c q.o")]);
    assert_true(subset[change_with(&lab, "return q()")]);
    memset(subset, 0, n);
    for (size_t i = 0; i < n; i++)
        if (str_is(change_path(&lab.set, i), "q.h")) subset[i] = 1;
    needs_close(lab.needs, subset);
    assert_true(subset[change_with(&lab, "#include \"q.h\"\n\n")]);
    lab_free(&lab);
}

/* An edge learned from a message stays. */
static void edges_can_be_learned(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "p.c", "int a = 1;\nint b;\nint c = 1;\n");
    put(&lab, "bad", "p.c", "int a = 2;\nint b;\nint c = 2;\n");
    lab_read(&lab);
    uint8_t subset[2] = { 1, 0 };
    assert_int_equal(lab.set.changes.len, 2);
    assert_int_equal(needs_close(lab.needs, subset), 0);
    assert_true(needs_add(lab.needs, 0, 1));
    assert_false(needs_add(lab.needs, 0, 1));
    assert_int_equal(needs_close(lab.needs, subset), 1);
    lab_free(&lab);
}

/* Whole functions first: their changes go together, those of two functions do not, and only what
 * was learned of two functions is told to the finer edges. */
static void functions_are_whole_at_first(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "p.c",
        "int f(int a) {\n    a++;\n    a += 2;\n    a *= 3;\n    return a;\n}\n\n"
        "int g(int a) {\n    a--;\n    return a;\n}\n");
    put(&lab, "bad", "p.c",
        "int f(int a) {\n    a--;\n    a += 2;\n    a *= 4;\n    return a;\n}\n\n"
        "int g(int a) {\n    a++;\n    return a;\n}\n");
    lab_read(&lab);
    uint8_t subset[3] = { 1, 0, 0 }, other[3] = { 0, 0, 1 };
    assert_int_equal(lab.set.changes.len, 3);
    assert_int_equal(needs_close(lab.needs, subset), 0);
    Needs *whole = needs_by_function(lab.needs);
    assert_int_equal(needs_close(whole, subset), 1);
    assert_true(subset[1]);
    assert_true(needs_add(whole, 2, 1));
    needs_take(lab.needs, whole);
    memset(subset + 1, 0, 2);
    assert_int_equal(needs_close(lab.needs, subset), 0);
    assert_int_equal(needs_close(lab.needs, other), 1);
    needs_free(whole);
    lab_free(&lab);
}

/* A file that comes back is built only where a makefile names it, which no parser of C misses. */
static void what_no_parser_misses_is_held(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "Makefile", "OBJS = p.o\nOBJS += went.o\np: $(OBJS)\n");
    put(&lab, "bad", "Makefile", "OBJS = p.o\np: $(OBJS)\n");
    put(&lab, "good", "went.c", "int went(void) {\n    return 1;\n}\n");
    put(&lab, "good", "p.c", "int went(void);\n\nint main(void) {\n    return went();\n}\n");
    put(&lab, "bad", "p.c", "int main(void) {\n    return 2;\n}\n");
    lab_read(&lab);
    Needs *few = needs_unparsed(lab.needs);
    size_t n = lab.set.changes.len, line = change_with(&lab, "went.o"),
           file = change_with(&lab, "int went(void) {"), call = change_with(&lab, "return went()");
    uint8_t *set = ARENA_ARRAY(&lab.arena, uint8_t, n + 1);
    uint8_t *gone = ARENA_ARRAY(&lab.arena, uint8_t, n + 1);
    set[call] = set[file] = 1;
    assert_false(needs_hold_unseen(few->text, set));
    set[line] = 1;
    assert_true(needs_hold_unseen(few->text, set));
    gone[line] = 1;
    needs_drag_unseen(few->text, set, gone);
    assert_true(gone[file] && !gone[call]);
    set[line] = 0;
    lab.needs->outside[line] = 1; /* known not to be needed */
    assert_true(needs_hold_unseen(few->text, set));
    needs_free(few);
    lab_free(&lab);
}

TEST_MAIN(cmocka_unit_test(edges_of_each_kind), cmocka_unit_test(files_and_what_names_them),
          cmocka_unit_test(what_no_parser_misses_is_held), cmocka_unit_test(edges_can_be_learned),
          cmocka_unit_test(functions_are_whole_at_first))

/* Whether a set compiles and links, by a parser in process: compared with the real compiler on
 * every subset of the changes of a small program, whose changes need each other in each of the ways
 * that happen: prototypes and calls, members, a function that moved to another file, a header that
 * came. */
#include "base/file.h"
#include "cfront/check.h"
#include "change/fit.h"
#include "run/run.h"
#include "run/workdir.h"
#include "test.h"

typedef struct Lab {
    Arena arena;
    char *base;
    ChangeSet set;
    Fit *fit;
} Lab;

static void put(Lab *lab, const char *side, const char *name, const char *text) {
    char *dir = file_join(&lab->arena, lab->base, side);
    assert_true(file_make_dirs(dir, NULL));
    assert_true(file_write(file_join(&lab->arena, dir, name), str_from(text), NULL));
}

/* The list as culprit-cc writes it: a.c and b.c, compiled in the tree itself. */
static FitTree tree(Lab *lab, const char *side, const char *flag) {
    char *dir = file_join(&lab->arena, lab->base, side);
    Buf list = { 0 };
    for (const char *source = "a.c"; source; source = *source == 'a' ? "b.c" : NULL) {
        const char *words[] = { dir, source, "-I.", flag, "" };
        for (size_t i = 0; i < COUNT_OF(words); i++) buf_add(&list, words[i], strlen(words[i]) + 1);
    }
    char *path = arena_fmt(&lab->arena, "%s.units", dir);
    assert_true(file_write(path, buf_view(&list), NULL));
    buf_release(&list);
    return (FitTree){ dir, path };
}

static void lab_new(Lab *lab) {
    *lab = (Lab){ 0 };
    lab->base = workdir_new(&lab->arena, "test");
}

/* The trees that were built need not be the ones that are compared. */
static void lab_read_built(Lab *lab, const char *bad_dir, const char *bad_flag,
                           const char *good_dir, const char *good_flag) {
    Error err = { 0 };
    ChangeOptions options = { .keep_names = true };
    if (!changeset_read(&lab->set, file_join(&lab->arena, lab->base, "good"),
                        file_join(&lab->arena, lab->base, "bad"), &options, &err))
        fail_msg("%s", err.text);
    FitTree bad = tree(lab, bad_dir, bad_flag), good = tree(lab, good_dir, good_flag);
    lab->fit = fit_new(&lab->set, &bad, &good, (FitLimits){ 60, 60 });
    assert_non_null(lab->fit);
}

static void lab_read(Lab *lab, const char *bad_flag, const char *good_flag) {
    lab_read_built(lab, "bad", bad_flag, "good", good_flag);
}

static void lab_free(Lab *lab) {
    fit_free(lab->fit);
    changeset_release(&lab->set);
    arena_release(&lab->arena);
}

/* What the compiler and the linker say about the set. */
static bool builds(Lab *lab, const uint8_t *reverted, const char *command) {
    Arena scratch = { 0 };
    char *dir = workdir_new(&scratch, "built");
    Buf text = { 0 };
    for (size_t f = 0; f < lab->set.files.len; f++) {
        const char *path;
        buf_clear(&text);
        if (changeset_file(&lab->set, f, reverted, &text, &path))
            assert_true(file_write(file_join(&scratch, dir, path), buf_view(&text), NULL));
    }
    const char *argv[] = { "/bin/sh", "-c", command, NULL };
    RunSpec spec = { .argv = argv, .dir = dir, .profile = RUN_BUILD, .limits = { .wall_s = 60 } };
    RunResult r = run_one(&scratch, &spec);
    buf_release(&text);
    workdir_remove(dir);
    bool ok = run_ok(&r);
    arena_release(&scratch);
    return ok;
}

/* Every subset, against the compiler; at least so many must fit. */
static void compare(Lab *lab, const char *command, size_t least) {
    size_t n = lab->set.changes.len, fitting = 0;
    uint8_t *reverted = ARENA_ARRAY(&lab->arena, uint8_t, n + 1);
    for (size_t mask = 0; mask < (size_t)1 << n; mask++) {
        Buf log = { 0 };
        for (size_t c = 0; c < n; c++) reverted[c] = mask >> c & 1;
        bool fits = fit_set(lab->fit, reverted, &log), real = builds(lab, reverted, command);
        if (fits != real)
            fail_msg("set %zx: %s, but the compiler %s it\n" STR_FMT, mask,
                     fits ? "fits" : "does not fit", real ? "takes" : "refuses",
                     STR_ARG(buf_view(&log)));
        if (!fits) assert_true(log.len > 0);
        fitting += fits;
        buf_release(&log);
    }
    assert_in_range(fitting, least, ((size_t)1 << n) - 1);
}

static void agrees_with_the_compiler(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "h.h",
        "struct s {\n    int was;\n};\nint gap1(void);\nint f(int);\nint helper(int);\n");
    put(&lab, "bad", "h.h",
        "struct s {\n    int now;\n};\nint gap1(void);\nint f(int, int);\nint helper(int);\n");
    put(&lab, "good", "a.c",
        "#include \"h.h\"\n\nint main(void) {\n    struct s v = { 0 };\n    int r = f(1);\n"
        "    int gap = 0;\n    v.was = helper(2);\n    return r + gap;\n}\n");
    put(&lab, "bad", "a.c",
        "#include \"h.h\"\n\nint main(void) {\n    struct s v = { 0 };\n    int r = f(1, 2);\n"
        "    int gap = 0;\n    v.now = helper(2);\n    return r + gap;\n}\n"
        "\nint helper(int x) {\n    return x;\n}\n");
    put(&lab, "good", "b.c",
        "#include \"h.h\"\n\nint f(int a) {\n    return a;\n}\n\nint gap2;\n\n"
        "int helper(int x) {\n    return x;\n}\n");
    put(&lab, "bad", "b.c",
        "#include \"h.h\"\n\nint f(int a, int b) {\n    return a;\n}\n\nint gap2;\n");
    lab_read(&lab, "-DX", "-DX");
    assert_in_range(lab.set.changes.len, 6, 9);
    compare(&lab, "cc -w -I. -o p a.c b.c", 2);
    lab_free(&lab);
}

/* A header of prototypes that the build takes from the definitions is what the set makes it: the
 * one of neither version would do. What configure wrote is not the same in both, either. */
static void a_header_that_the_build_makes(void **state) {
    (void)state;
    static const char *const names[] = { "good", "bad" };
    static const char *const b[] = {
        "#include \"h.h\"\npublic int one(void) {\n    return 1;\n}\n\nint apart;\n\n"
        "public int two(int a) {\n    return a;\n}\n\nint far;\n\npublic int gone(void) {\n"
        "    return 3;\n}\n",
        "#include \"h.h\"\npublic int one(int more) {\n    return more;\n}\n\nint apart;\n\n"
        "public int two(void) {\n    return 2;\n}\n\nint far;\n"
    };
    static const char *const a[] = {
        "#include \"h.h\"\nint main(void) {\n    int r = one();\n    int s;\n    s = two(2);\n"
        "    r += s;\n    s += gone();\n    return r + s;\n}\n",
        "#include \"h.h\"\nint main(void) {\n    int r = one(1);\n    int s;\n    s = two();\n"
        "    r += s;\n    return r + s;\n}\n"
    };
    static const char *const made[] = {
        "public int one(void);\npublic int two(int a);\npublic int gone(void);\n",
        "public int one(int more);\npublic int two(void);\n"
    };
    Lab lab;
    lab_new(&lab);
    for (int i = 0; i < 2; i++) {
        char *built = arena_fmt(&lab.arena, "%s-built", names[i]);
        for (const char *dir = names[i]; dir; dir = dir == built ? NULL : built) {
            put(&lab, dir, "h.h", "#define public\n#include \"made.h\"\n#include \"config.h\"\n");
            put(&lab, dir, "a.c", a[i]);
            put(&lab, dir, "b.c", b[i]);
        }
        put(&lab, built, "made.h", made[i]);
        put(&lab, built, "config.h", i ? "#define VERSION 2\n" : "#define VERSION 1\n");
    }
    lab_read_built(&lab, "bad-built", "-DX", "good-built", "-DX");
    assert_in_range(lab.set.changes.len, 5, 8);
    compare(&lab,
            "printf '#define public\\n#include \"made.h\"\\n' >h.h; "
            "grep -h '^public' a.c b.c | sed 's/ {$/;/' >made.h; "
            "cc -w -Werror=implicit-function-declaration -I. -o p a.c b.c",
            6);
    lab_free(&lab);
}

/* A set with the one change whose text, in good or in bad, holds this. */
static uint8_t *only(Lab *lab, const char *text) {
    uint8_t *set = ARENA_ARRAY(&lab->arena, uint8_t, lab->set.changes.len + 1);
    for (size_t i = 0; i < lab->set.changes.len; i++)
        if (str_find(change_good_text(&lab->set, i), str_from(text), 0) != STR_NONE ||
            str_find(change_bad_text(&lab->set, i), str_from(text), 0) != STR_NONE)
            set[i] = 1;
    return set;
}

/* A header that a program of the build writes is neither version's in a set in part: of the names
 * it gives and takes away nothing is known. */
static void a_header_that_a_program_writes(void **state) {
    (void)state;
    static const char *const a[] = { "#include \"made.h\"\nint one(void) {\n    return OLD;\n}\n",
                                     "#include \"made.h\"\nint one(void) {\n    return 1;\n}\n" };
    static const char *const b[] = {
        "#include \"made.h\"\nint two(void) {\n    return 2;\n}\n",
        "#include \"made.h\"\nint one(void);\nint two(void) {\n    return NEW;\n}\n"
    };
    static const char *const names[] = { "good", "bad" };
    Lab lab;
    Buf log = { 0 };
    lab_new(&lab);
    for (int i = 0; i < 2; i++) {
        char *built = arena_fmt(&lab.arena, "%s-built", names[i]);
        for (const char *dir = names[i]; dir; dir = dir == built ? NULL : built) {
            Buf text = { 0 };
            put(&lab, dir, "b.c", b[i]);
            buf_fmt(&text, "%s\nint far;\n\nint main(void) {\n    return %s;\n}\n", a[i],
                    i ? "far" : "lost");
            buf_char(&text, 0);
            put(&lab, dir, "a.c", text.at);
            buf_release(&text);
        }
        put(&lab, built, "made.h", i ? "#define NEW 5\n" : "#define OLD 3\nenum { lost = 2 };\n");
    }
    lab_read_built(&lab, "bad-built", "-DX", "good-built", "-DX");
    assert_true(fit_set(lab.fit, only(&lab, "OLD"), &log));
    assert_true(fit_set(lab.fit, only(&lab, "lost"), &log));
    uint8_t *less = only(&lab, "int one(void);");
    for (size_t c = 0; c < lab.set.changes.len; c++) less[c] |= only(&lab, "OLD")[c];
    assert_true(fit_set(lab.fit, less, &log));
    buf_release(&log);
    lab_free(&lab);
}

static void says_what_is_missing_and_where(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "h.h", "#define OLD 1\n");
    put(&lab, "bad", "h.h", "#define NEW 1\n");
    for (int i = 0; i < 2; i++) put(&lab, i ? "bad" : "good", "b.c", "int b;\n");
    put(&lab, "good", "a.c", "#include \"h.h\"\nint main(void) {\n    return OLD;\n}\n");
    put(&lab, "bad", "a.c", "#include \"h.h\"\nint main(void) {\n    return NEW;\n}\n");
    lab_read(&lab, "-DX", "-DX");
    Buf log = { 0 };
    assert_false(fit_set(lab.fit, only(&lab, "return OLD"), &log));
    assert_non_null(strstr(log.at, "a.c:3:"));
    assert_non_null(strstr(log.at, "'OLD'"));
    size_t parses = fit_counts(lab.fit)->parses;
    assert_false(fit_set(lab.fit, only(&lab, "return OLD"), &log)); /* known by now */
    assert_int_equal(fit_counts(lab.fit)->parses, parses);
    assert_int_equal(fit_counts(lab.fit)->refused, 2);
    buf_release(&log);
    lab_free(&lab);
}

/* The message is about a call; the place of the note is the declaration that it does not fit. */
static void says_where_the_declaration_is(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "h.h", "int gap;\nint sum(int a,\n        int b);\n");
    put(&lab, "bad", "h.h", "int gap;\nint sum(int a,\n        int b, int c);\n");
    for (int i = 0; i < 2; i++)
        put(&lab, i ? "bad" : "good", "b.c", "int sum(int a, ...) {\n    return a;\n}\n");
    put(&lab, "good", "a.c", "#include \"h.h\"\nint main(void) {\n    return sum(1, 2);\n}\n");
    put(&lab, "bad", "a.c", "#include \"h.h\"\nint main(void) {\n    return sum(1, 2, 3);\n}\n");
    lab_read(&lab, "-DX", "-DX");
    Buf log = { 0 };
    assert_false(fit_set(lab.fit, only(&lab, "sum(1, 2)"), &log));
    assert_non_null(strstr(log.at, "a.c:3:"));
    assert_non_null(strstr(log.at, FIT_SEE "h.h:2\n"));
    buf_release(&log);
    lab_free(&lab);
}

/* A header that only good has, found through a path that is not the shortest. */
static void files_that_came_and_went(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "old.h", "int f(void);\n");
    for (int i = 0; i < 2; i++) put(&lab, i ? "bad" : "good", "b.c", "int f(void) { return 0; }\n");
    put(&lab, "good", "a.c", "#include \"./old.h\"\nint main(void) { return f(); }\n");
    put(&lab, "bad", "a.c", "int f(void);\nint main(void) { return f(); }\n");
    lab_read(&lab, "-DX", "-DX");
    Buf log = { 0 };
    uint8_t *all = ARENA_ARRAY(&lab.arena, uint8_t, lab.set.changes.len + 1);
    memset(all, 1, lab.set.changes.len);
    assert_true(fit_set(lab.fit, all, &log));
    assert_true(fit_set(lab.fit, only(&lab, "int f(void);\n"), &log) || log.len);
    buf_clear(&log);
    assert_false(fit_set(lab.fit, only(&lab, "./old.h"), &log)); /* includes what is not there */
    buf_release(&log);
    lab_free(&lab);
}

/* Flags that only one version gives: a unit that compiles with either is not refused. */
static void flags_that_changed_refuse_nothing(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    for (int i = 0; i < 2; i++) put(&lab, i ? "bad" : "good", "b.c", "int b;\n");
    put(&lab, "good", "Makefile", "CFLAGS = -DGOOD\nX = 1\n");
    put(&lab, "bad", "Makefile", "CFLAGS = -DBAD\nX = 1\nY = 2\n");
    put(&lab, "good", "a.c", "int main(void) {\n    return GOOD + 0;\n}\n");
    put(&lab, "bad", "a.c", "int main(void) {\n    return BAD + 0;\n}\n");
    lab_read(&lab, "-DBAD", "-DGOOD");
    Buf log = { 0 };
    assert_false(fit_set(lab.fit, only(&lab, "return GOOD"), &log)); /* no flag is reverted */
    uint8_t *both = only(&lab, "return GOOD"), *flag = only(&lab, "-DGOOD");
    for (size_t c = 0; c < lab.set.changes.len; c++) both[c] |= flag[c];
    assert_true(fit_set(lab.fit, both, &log));
    assert_true(fit_set(lab.fit, flag, &log)); /* a part of what is outside: cannot be known */
    buf_release(&log);
    lab_free(&lab);
}

/* Flags differ and a part of what is outside is reverted: whatever the flags are, what a unit uses
 * with both versions' must be defined by some unit. */
static void a_linker_with_flags_that_changed(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good", "Makefile", "CFLAGS = -DGOOD\nX = 1\n");
    put(&lab, "bad", "Makefile", "CFLAGS = -DBAD\nX = 1\nY = 2\n");
    put(&lab, "good", "a.c",
        "int was(void);\nint only(void);\nint now(void);\nint main(void) {\n#ifdef BAD\n"
        "    only();\n#endif\n    return was();\n}\n");
    put(&lab, "bad", "a.c",
        "int was(void);\nint only(void);\nint now(void);\nint main(void) {\n#ifdef BAD\n"
        "    only();\n#endif\n    return now();\n}\n");
    put(&lab, "good", "b.c", "int was(void) {\n    return 1;\n}\n\nint gap;\n");
    put(&lab, "bad", "b.c",
        "int now(void) {\n    return 2;\n}\n\nint gap;\n\nint only(void) {\n    return 3;\n}\n");
    lab_read(&lab, "-DBAD", "-DGOOD");
    Buf log = { 0 };
    uint8_t *flag = only(&lab, "-DGOOD"), *call = only(&lab, "return was()"),
            *gone = only(&lab, "int only(void) {"), *defined = only(&lab, "int was(void) {");
    for (size_t c = 0; c < lab.set.changes.len; c++) {
        call[c] |= flag[c];
        gone[c] |= flag[c];
        defined[c] |= call[c];
    }
    assert_false(fit_set(lab.fit, call, &log));
    assert_non_null(strstr(log.at, "undefined reference to 'was'"));
    assert_true(fit_set(lab.fit, gone, &log)); /* used with bad's flags alone */
    assert_true(fit_set(lab.fit, defined, &log));
    buf_release(&log);
    lab_free(&lab);
}

/* A static function whose revert is gone while its call is left: C takes the call for one of a
 * function elsewhere, and only a linker would say that there is none. */
static void a_static_function_that_went(void **state) {
    (void)state;
    for (int is_inline = 0; is_inline < 2; is_inline++) {
        Lab lab;
        lab_new(&lab);
        for (int i = 0; i < 2; i++) put(&lab, i ? "bad" : "good", "b.c", "int b;\n");
        put(&lab, "good", "a.c", "int main(void) {\n    return 1;\n}\n");
        put(&lab, "bad", "a.c",
            arena_fmt(&lab.arena,
                      "static %sint one(void) {\n    return 1;\n}\nint main(void) {\n"
                      "    return one();\n}\n",
                      is_inline ? "inline " : ""));
        lab_read(&lab, "-DX", "-DX");
        Buf log = { 0 };
        assert_false(fit_set(lab.fit, only(&lab, "int one(void) {"), &log));
        assert_non_null(strstr(log.at, "undefined reference to 'one'"));
        assert_true(fit_set(lab.fit, only(&lab, "return one()"), &log));
        buf_release(&log);
        lab_free(&lab);
    }
}

TEST_MAIN(cmocka_unit_test(agrees_with_the_compiler),
          cmocka_unit_test(a_header_that_a_program_writes),
          cmocka_unit_test(a_header_that_the_build_makes),
          cmocka_unit_test(a_static_function_that_went),
          cmocka_unit_test(says_what_is_missing_and_where),
          cmocka_unit_test(says_where_the_declaration_is),
          cmocka_unit_test(files_that_came_and_went),
          cmocka_unit_test(flags_that_changed_refuse_nothing),
          cmocka_unit_test(a_linker_with_flags_that_changed))

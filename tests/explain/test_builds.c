/* Real builds in small: makefiles, flags, files that were added and removed, generated files,
 * scripts outside the tree, several processes. Each is explained by the program itself, and the
 * answer names the change that was made on purpose. */
#include "base/file.h"
#include "base/json.h"
#include "run/run.h"
#include "run/workdir.h"
#include "test.h"

#include <sys/stat.h>

typedef struct Lab {
    Arena arena;
    char *base;
} Lab;

static void lab_new(Lab *lab) {
    *lab = (Lab){ 0 };
    lab->base = workdir_new(&lab->arena, "test");
}

static void put(Lab *lab, const char *path, const char *text) {
    char *full = file_join(&lab->arena, lab->base, path);
    char *dir = arena_strdup(&lab->arena, full);
    *strrchr(dir, '/') = 0;
    assert_true(file_make_dirs(dir, NULL));
    assert_true(file_write(full, str_from(text), NULL));
}

static void put_both(Lab *lab, const char *name, const char *text) {
    put(lab, arena_fmt(&lab->arena, "good/%s", name), text);
    put(lab, arena_fmt(&lab->arena, "bad/%s", name), text);
}

static json_t *explain(Lab *lab, const char *build, const char *test) {
    char *cache = arena_fmt(&lab->arena, "CULPRIT_CACHE=%s/cache", lab->base);
    const char *const env[] = { cache, NULL };
    const char *const argv[] = { CULPRIT_BIN, "explain", "good", "bad",    "--build",
                                 build,       "--test",  test,   "--json", NULL };
    RunSpec spec = {
        .argv = argv, .dir = lab->base, .env = env, .profile = RUN_USER, .limits = { .wall_s = 300 }
    };
    RunResult r = run_one(&lab->arena, &spec);
    if (!run_ok(&r)) fail_msg("%s\n%s\n%s", run_describe(&lab->arena, &r), r.out.at, r.err.at);
    Error err = { 0 };
    json_t *json = json_parse(r.out, "stdout", &err);
    assert_non_null(json);
    assert_true(json_get_bool(json, "verified", false));
    return json;
}

/* The only root is at place. */
static void check(Lab *lab, json_t *json, const char *place) {
    json_t *roots = json_object_get(json, "roots");
    Str found = json_get_text(json_array_get(roots, 0), "place");
    if (json_array_size(roots) != 1 || !str_starts(found, place))
        fail_msg("%zu roots, the first at '%s' instead of '%s'", json_array_size(roots), found.at,
                 place);
    json_decref(json);
    arena_release(&lab->arena);
}

#define MAKEFILE(flags, objects) "CFLAGS = -g " flags "\np: " objects "\n\t$(CC) -o p " objects "\n"
#define MAIN                                                                                       \
    "#include <stdio.h>\n\nint value(void);\n\nint main(void) {\n"                                 \
    "    printf(\"%d\\n\", value());\n    return 0;\n}\n"
#define IS_3 "test `./p` = 3"

static void a_flag(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put(&lab, "good/value.c", "int value(void) {\n    return N;\n}\n");
    put(&lab, "bad/value.c", "/* one */\n\nint value(void) {\n    return (N);\n}\n");
    put(&lab, "good/Makefile", MAKEFILE("-DN=3", "main.o value.o"));
    put(&lab, "bad/Makefile", MAKEFILE("-DN=4", "main.o value.o"));
    check(&lab, explain(&lab, "make", IS_3), "Makefile:1");
}

static void a_header(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put_both(&lab, "Makefile", MAKEFILE("", "main.o value.o"));
    put(&lab, "good/value.h", "#define BASE 1\n#define MORE 2\n#define LESS 7\n");
    put(&lab, "bad/value.h", "#define BASE 1\n#define MORE 3\n#define LESS 8\n");
    put_both(&lab, "value.c",
             "#include \"value.h\"\n\nint value(void) {\n    return BASE + MORE;\n}\n");
    check(&lab, explain(&lab, "make", IS_3), "value.h:2");
}

/* Reverting a removed file brings it back, with the line of the makefile that names it. */
static void a_removed_file(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put(&lab, "good/Makefile", MAKEFILE("", "main.o value.o twice.o"));
    put(&lab, "bad/Makefile", MAKEFILE("", "main.o value.o"));
    put(&lab, "good/twice.c", "int twice(int n) {\n    return 2 * n;\n}\n");
    put(&lab, "good/value.c",
        "int twice(int n);\n\nint value(void) {\n    return twice(1) + 1;\n}\n\nint other = 1;\n");
    put(&lab, "bad/value.c", "int value(void) {\n    return 1 + 1;\n}\n\nint other = 2;\n");
    check(&lab, explain(&lab, "make", IS_3), "value.c:2");
}

static void a_new_file(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put(&lab, "good/Makefile", MAKEFILE("", "main.o value.o"));
    put(&lab, "bad/Makefile", MAKEFILE("", "main.o value.o twice.o"));
    put(&lab, "bad/twice.c", "int twice(int n) {\n    return 3 * n;\n}\n");
    put(&lab, "bad/value.c",
        "int twice(int n);\n\nint value(void) {\n    return twice(1) + 1;\n}\n\nint other = 1;\n");
    put(&lab, "good/value.c", "int value(void) {\n    return 2 + 1;\n}\n\nint other = 2;\n");
    check(&lab, explain(&lab, "make", IS_3), "value.c:4");
}

/* Documents, tests and so on are not even looked at. */
static void files_that_are_no_c(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put_both(&lab, "Makefile", MAKEFILE("", "main.o value.o"));
    put(&lab, "good/value.c", "int value(void) {\n    return 3;\n}\n");
    put(&lab, "bad/value.c", "int value(void) {\n    return 4;\n}\n");
    for (int i = 0; i < 30; i++) {
        put(&lab, arena_fmt(&lab.arena, "good/doc/%d.txt", i), "old\n");
        put(&lab, arena_fmt(&lab.arena, "bad/doc/%d.txt", i), "new\n");
    }
    json_t *json = explain(&lab, "make", IS_3);
    assert_true(json_get_int(json, "builds", 99) <= 6);
    check(&lab, json, "value.c:2");
}

/* What a tool wrote is needed to make it pass: the whole file becomes one change. */
static void a_generated_file(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put_both(&lab, "Makefile", MAKEFILE("-include config.h", "main.o value.o"));
    put_both(&lab, "value.c", "int value(void) {\n    return N;\n}\n");
    put(&lab, "good/config.h",
        "/* Generated automatically by a tool. */\n#define N 3\n#define M 1\n");
    put(&lab, "bad/config.h",
        "/* Generated automatically by a tool. */\n#define N 4\n#define M 2\n");
    put(&lab, "good/tool.txt", "3\n");
    put(&lab, "bad/tool.txt", "4\n");
    check(&lab, explain(&lab, "make", IS_3), "config.h:1");
}

/* automake's stamp is the same in both versions, and older than a configure.in that was reverted:
 * make would call tools that are not there. */
static void a_stamp_of_autotools(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put(&lab, "good/value.c", "int value(void) {\n    return N;\n}\n\nint other = 1;\n");
    put(&lab, "bad/value.c", "int value(void) {\n    return N;\n}\n\nint other = 2;\n");
    put(&lab, "good/configure.in", "AC_INIT(main.c)\nN=3\n");
    put(&lab, "bad/configure.in", "AC_INIT(main.c)\nN=4\n");
    put_both(&lab, "Makefile",
             MAKEFILE("-DN=$(shell sed -n s/N=//p configure.in)",
                      "main.o value.o") "main.o value.o: stamp-h.in\n"
                                        "stamp-h.in: configure.in\n\techo no autoheader; false\n");
    put_both(&lab, "stamp-h.in", "timestamp\n");
    check(&lab, explain(&lab, "make", IS_3), "configure.in:2");
}

/* The grammar is what changed; the parser is made from it by each build. */
#define GRAMMAR(above, tokens, side)                                                               \
    above "%{\n#include <stdio.h>\nint yylex(void);\nvoid yyerror(const char *s);\n"               \
          "static int result;\n%}\n%token NUMBER" tokens "\n%" side " '-'\n%%\n"                   \
          "all: sum { result = $1; } ;\nsum: NUMBER { $$ = $1; } | sum '-' sum { $$ = $1 - $3; } " \
          ";\n%%\nstatic const char *at = \"9-4-2\";\n\nint yylex(void) {\n"                       \
          "    if (*at < '0' || *at > '9') return *at ? *at++ : 0;\n"                              \
          "    yylval = *at++ - '0';\n    return NUMBER;\n}\n\n"                                   \
          "void yyerror(const char *s) {\n    puts(s);\n}\n\n"                                     \
          "int main(void) {\n    yyparse();\n    printf(\"%d\\n\", result);\n    return 0;\n}\n"

static void a_generated_parser(void **state) {
    (void)state;
    Lab lab;
    Arena scratch = { 0 };
    bool there = file_find_program(&scratch, "bison") != NULL;
    arena_release(&scratch);
    if (!there) { /* cmocka's own skip is read as a failure */
        print_message("# no bison: no generated parser is tried\n");
        return;
    }
    lab_new(&lab);
    put(&lab, "good/calc.y", GRAMMAR("", "", "left"));
    put(&lab, "bad/calc.y", GRAMMAR("/* Differences of\n * digits. */\n", " OTHER", "right"));
    json_t *json = explain(&lab, "bison -o calc.c calc.y && $CC -g -w -o p calc.c", IS_3);
    assert_true(json_get_bool(json, "traced", false));
    check(&lab, json, "calc.y:9");
}

/* Signal 11: of several changes the one that let a null pointer through, though lines moved. */
static void a_signal(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "good/p.c",
        "#include <stdlib.h>\n\nstatic int limit = 3;\n\nstatic const char *name(int n) {\n"
        "    static const char *const names[] = { \"a\", \"b\", NULL };\n"
        "    return n < 2 ? names[n] : \"c\";\n}\n\nint main(void) {\n"
        "    int sum = limit;\n    for (int i = 0; i < 3; i++) sum += name(i)[0];\n"
        "    return sum == 0;\n}\n");
    put(&lab, "bad/p.c",
        "#include <stdlib.h>\n\n/* How many there\n * may be. */\nstatic int limit = 4;\n\n"
        "static const char *name(int n) {\n"
        "    static const char *const names[] = { \"a\", \"b\", NULL };\n"
        "    return n < 3 ? names[n] : \"c\";\n}\n\nint main(void) {\n"
        "    int sum = limit + 1;\n    for (int i = 0; i < 3; i++) sum += name(i)[0];\n"
        "    return sum == 0;\n}\n");
    json_t *json = explain(&lab, "$CC -g -o p p.c", "./p");
    assert_true(json_get_bool(json, "traced", false));
    check(&lab, json, "p.c:9");
}

/* A structure that changes with everything that uses it: sets that do not compile are refused
 * without a build, and what must go along is told from the root. */
static void a_changed_structure(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put_both(&lab, "Makefile", MAKEFILE("", "main.o value.o more.o"));
    put(&lab, "good/s.h",
        "struct s {\n    int width;\n    int kind;\n};\nint more(struct s *s);\n");
    put(&lab, "bad/s.h",
        "struct s {\n    int size;\n    int kind;\n};\nint more(struct s *s, int by);\n");
    put(&lab, "good/more.c",
        "#include \"s.h\"\n\nint more(struct s *s) {\n    return s->width + 1;\n}\n");
    put(&lab, "bad/more.c",
        "#include \"s.h\"\n\nint more(struct s *s, int by) {\n    return s->size + by;\n}\n");
    put(&lab, "good/value.c",
        "#include \"s.h\"\n\nint value(void) {\n    struct s s = { 0, 0 };\n    s.kind = 1;\n"
        "    s.width = 2;\n    return more(&s);\n}\n");
    put(&lab, "bad/value.c",
        "#include \"s.h\"\n\nint value(void) {\n    struct s s = { 0, 0 };\n    s.kind = 1;\n"
        "    s.size = 2;\n    return more(&s, 2);\n}\n");
    json_t *json = explain(&lab, "make", IS_3);
    int64_t builds = json_get_int(json, "builds", 0), tests = json_get_int(json, "tests", -1);
    if (builds != tests)
        fail_msg("%d sets were built, %d could be tested", (int)builds, (int)tests);
    assert_true(json_get_int(json, "refused", 0) > 0);
    json_decref(json);
    arena_release(&lab.arena);
}

/* Fifty functions that changed, nothing recorded that would say which of them matters, and a build
 * that spends its time on questions: most sets are built without it, and the answer with it. */
static void a_slow_build(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    Buf good = { 0 }, bad = { 0 }, sum = { 0 };
    for (int i = 0; i < 50; i++) {
        buf_fmt(&good, "int f%d(int a) {\n    int b = a;\n    return b + 0;\n}\n\n", i);
        buf_fmt(&bad, "int f%d(int a) {\n    int b = a;\n    return b * %d;\n}\n\n", i,
                i == 31 ? 2 : 1);
        buf_fmt(&sum, " + f%d(%d)", i, i == 7 ? 2 : i == 31 ? 1 : 0);
    }
    buf_fmt(&good, "int value(void) {\n    return 0" STR_FMT ";\n}\n", STR_ARG(buf_view(&sum)));
    buf_fmt(&bad, "int value(void) {\n    return 0" STR_FMT ";\n}\n", STR_ARG(buf_view(&sum)));
    put_both(&lab, "main.c", MAIN);
    put_both(&lab, "Makefile", MAKEFILE("", "main.o value.o"));
    put_both(&lab, "configure", "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done\n");
    put(&lab, "good/value.c", good.at);
    put(&lab, "bad/value.c", bad.at);
    json_t *json = explain(&lab, "sh configure && make", "test -z \"$CULPRIT_TRACE\" && " IS_3);
    int64_t builds = json_get_int(json, "builds", 0), direct = json_get_int(json, "direct", 0);
    if (!direct || direct > builds) fail_msg("%d of %d builds", (int)direct, (int)builds);
    check(&lab, json, "value.c:158");
    buf_release(&good);
    buf_release(&bad);
    buf_release(&sum);
}

/* What the test prints is compared with the plain build's, whose tree is in use elsewhere by then.
 */
static void a_test_that_prints(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "main.c", MAIN);
    put_both(&lab, "Makefile", MAKEFILE("", "main.o value.o"));
    put(&lab, "good/value.c", "int value(void) {\n    return 3;\n}\n");
    put(&lab, "bad/value.c", "int value(void) {\n    return 4;\n}\n");
    json_t *json = explain(&lab, "make", "pwd; ./p; " IS_3);
    assert_true(json_get_bool(json, "traced", false));
    check(&lab, json, "value.c:2");
}

static void a_script_outside_of_the_tree(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "p.c", "int main(void) {\n    return 0;\n}\n");
    put(&lab, "bad/p.c", "int main(void) {\n    return 1;\n}\n");
    put(&lab, "test.sh", "#!/bin/sh\nexec ./p\n");
    assert_int_equal(chmod(file_join(&lab.arena, lab.base, "test.sh"), 0755), 0);
    check(&lab, explain(&lab, "$CC -g -o p p.c", "./test.sh"), "p.c:2");
}

/* A cache of compilations lies where a build may not write, and is told to stay out of the way. */
static void a_compiler_behind_a_cache(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_both(&lab, "p.c", "int main(void) {\n    return 0;\n}\n");
    put(&lab, "bad/p.c", "int main(void) {\n    return 1;\n}\n");
    put(&lab, "cached.sh",
        "test \"$CCACHE_DISABLE\" || echo hit >\"${0%/*}/cache\" || exit 1\nexec \"$@\"\n");
    char *build = arena_fmt(&lab.arena, "sh %s/cached.sh $CC -g -o p p.c", lab.base);
    check(&lab, explain(&lab, build, "./p"), "p.c:2");
}

/* The program that fails is not the one that the test starts, and not the first. */
static void a_forked_test(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    const char *other = "int main(void) {\n    return 0;\n}\n";
    put_both(&lab, "q.c", other);
    put(&lab, "good/p.c",
        "#include <stdio.h>\nint main(void) {\n    puts(\"3\");\n    return 0;\n}\n");
    put(&lab, "bad/p.c",
        "#include <stdio.h>\nint main(void) {\n    puts(\"4\");\n    return 0;\n}\n");
    check(&lab,
          explain(&lab, "$CC -g -o q q.c && $CC -g -o p p.c",
                  "./q && (./q; ./p) | cat | grep -qx 3 && ./q"),
          "p.c:3");
}

/* ---- C++ ---- */

#define PLUS_MAKEFILE(objects)                                                                     \
    "CFLAGS = -g\nCXXFLAGS = -g\np: " objects "\n\t$(CXX) -o p " objects "\n"
#define PLUS_MAIN                                                                                  \
    "#include <iostream>\n\nextern \"C\" int value(void);\n\nint main() {\n"                       \
    "    std::cout << value() << std::endl;\n}\n"

static bool has_plus(void) {
    Arena scratch = { 0 };
    bool there = file_find_program(&scratch, "c++") != NULL;
    arena_release(&scratch);
    if (!there) print_message("# no c++: nothing is tried\n");
    return there;
}

/* Nothing is recorded of it, which is said; reverting finds the line. */
static void a_program_in_cpp(void **state) {
    (void)state;
    Lab lab;
    if (!has_plus()) return;
    lab_new(&lab);
    put_both(&lab, "Makefile", PLUS_MAKEFILE("main.o value.o"));
    put_both(&lab, "main.cpp", PLUS_MAIN);
    put(&lab, "good/value.cpp",
        "#include <vector>\n\nstatic std::vector<int> all() {\n    return { 1, 2 };\n}\n\n"
        "extern \"C\" int value(void) {\n    int sum = 0;\n"
        "    for (int n : all()) sum += n;\n    return sum;\n}\n");
    put(&lab, "bad/value.cpp",
        "#include <vector>\n\nstatic std::vector<int> all() {\n    return { 2, 1 };\n}\n\n"
        "extern \"C\" int value(void) {\n    int sum = 0;\n"
        "    for (int n : all()) sum += n + 1;\n    return sum;\n}\n");
    json_t *json = explain(&lab, "make", IS_3);
    assert_false(json_get_bool(json, "traced", true));
    const char *note = json_string_value(json_array_get(json_object_get(json, "notes"), 0));
    assert_true(note && strstr(note, "only C is recorded"));
    check(&lab, json, "value.cpp:9");
}

/* C behind a main in C++, linked by the C++ compiler under a name of its own: the C is recorded. */
static void a_program_in_both(void **state) {
    (void)state;
    if (!has_plus()) return;
    for (int named = 0; named < 2; named++) {
        Lab lab;
        lab_new(&lab);
        put_both(&lab, "Makefile",
                 named ? "CXX = g++\n" PLUS_MAKEFILE("main.o value.o")
                       : PLUS_MAKEFILE("main.o value.o"));
        put_both(&lab, "main.cpp", PLUS_MAIN);
        put(&lab, "good/value.c",
            "int other = 1;\n\nint value(void) {\n    int n = 2;\n    return n + 1;\n}\n");
        put(&lab, "bad/value.c",
            "int other = 2;\n\nint value(void) {\n    int n = 2;\n    return n + 2;\n}\n");
        json_t *json = explain(&lab, "make", IS_3);
        assert_true(json_get_bool(json, "traced", false));
        check(&lab, json, "value.c:5");
    }
}

TEST_MAIN(cmocka_unit_test(a_program_in_cpp), cmocka_unit_test(a_program_in_both),
          cmocka_unit_test(a_generated_parser), cmocka_unit_test(a_signal),
          cmocka_unit_test(a_changed_structure), cmocka_unit_test(a_flag),
          cmocka_unit_test(a_header), cmocka_unit_test(a_removed_file),
          cmocka_unit_test(a_new_file), cmocka_unit_test(files_that_are_no_c),
          cmocka_unit_test(a_generated_file), cmocka_unit_test(a_stamp_of_autotools),
          cmocka_unit_test(a_test_that_prints), cmocka_unit_test(a_slow_build),
          cmocka_unit_test(a_script_outside_of_the_tree),
          cmocka_unit_test(a_compiler_behind_a_cache), cmocka_unit_test(a_forked_test))

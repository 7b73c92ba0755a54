/* Generated sources are ranked under what they are made from: a build directory as GCC has it, with
 * real notes. */
#include "test.h"

#include "base/file.h"
#include "coverage/made_from.h"
#include "run/run.h"
#include "run/workdir.h"

static void compile(Arena *arena, const char *dir, const char *name, const char *text) {
    Error err = { 0 };
    assert_true(file_write(file_join(arena, dir, name), str_from(text), &err));
    const char *out = arena_fmt(arena, "%s.o", name);
    const char *const argv[] = { "gcc", "--coverage", "-O0", "-c", name, "-o", out, NULL };
    RunResult r = run_one(arena, &(RunSpec){ .argv = argv, .dir = dir });
    assert_true(run_ok(&r));
}

static const CovStmt *stmt_at(const CovMap *map, const char *file, uint32_t line) {
    for (uint32_t i = 0; i < map->n_stmts; i++)
        if (str_ends(map->files[map->stmts[i].file].path, file) && map->stmts[i].line == line)
            return &map->stmts[i];
    return NULL;
}

static bool is_from(const CovMap *map, const CovStmt *s, const char *file, uint32_t line) {
    assert_non_null(s);
    return str_ends(map->files[s->origin].path, file) && s->origin_line == line;
}

static bool suspect(const CovMap *map, const char *file) {
    for (uint32_t i = 0; i < map->n_files; i++)
        if (str_ends(map->files[i].path, file)) return map->files[i].suspect;
    fail_msg("%s is not there", file);
    return false;
}

static void made_of(void **state) {
    (void)state;
    Arena arena = { 0 };
    Error err = { 0 };
    char *dir = workdir_new(&arena, "origin");
    compile(
        &arena, dir, "insn-recog.c",
        "int own(int x) {\n  return x;\n}\n#line 40 \"i386.md\"\nint rec(int x) {\n  return x + "
        "1;\n}\n");
    compile(&arena, dir, "gimple-match.c",
            "int before(int x) {\n  return x;\n}\nint simplify(int x) {\n  if (x)\n/* #line 12 "
            "\"/src/match.pd\" */\n    x++;\n/* #line 30 \"/src/match.pd\" */\n  x--;\n  return "
            "x;\n}\nint after(int x) {\n  return x;\n}\n");
    compile(&arena, dir, "options.c", "int options(int x) {\n  return x;\n}\n");
    compile(&arena, dir, "fold.c", "int fold(int x) {\n  return x;\n}\n");
    CovMap map;
    assert_true(covmap_load(&map, dir, &err));
    assert_true(is_from(&map, stmt_at(&map, "gimple-match.c", 7), "/src/match.pd", 12));
    assert_true(is_from(&map, stmt_at(&map, "gimple-match.c", 9), "/src/match.pd", 30));
    assert_true(is_from(&map, stmt_at(&map, "gimple-match.c", 10), "/src/match.pd", 30));
    assert_true(is_from(&map, stmt_at(&map, "gimple-match.c", 2), "gimple-match.c", 2));
    assert_true(is_from(&map, stmt_at(&map, "gimple-match.c", 13), "gimple-match.c", 13));
    assert_true(is_from(&map, stmt_at(&map, "i386.md", 41), "i386.md", 41));
    assert_true(is_from(&map, stmt_at(&map, "fold.c", 2), "fold.c", 2));
    assert_true(suspect(&map, "match.pd"));
    assert_true(suspect(&map, "i386.md"));
    assert_true(suspect(&map, "fold.c"));
    assert_false(suspect(&map, "gimple-match.c"));
    assert_false(suspect(&map, "insn-recog.c"));
    assert_false(suspect(&map, "options.c"));
    covmap_free(&map);
    workdir_remove(dir);
    arena_release(&arena);
}

/* A compiler that merely has a file of such a name keeps it. */
static void elsewhere(void **state) {
    (void)state;
    Arena arena = { 0 };
    Error err = { 0 };
    char *dir = workdir_new(&arena, "origin");
    compile(&arena, dir, "options.c", "int options(int x) {\n  return x;\n}\n");
    CovMap map;
    assert_true(covmap_load(&map, dir, &err));
    assert_true(suspect(&map, "options.c"));
    covmap_free(&map);
    workdir_remove(dir);
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(made_of), cmocka_unit_test(elsewhere))

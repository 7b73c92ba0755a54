/* Generated sources are ranked under what they are made from: a build directory as GCC has it, with
 * real notes. And what the ChangeLogs beside the sources say of them. */
#include "test.h"

#include "base/file.h"
#include "coverage/changelog.h"
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

/* ---- ChangeLogs ---- */
static const char mended[] = "2022-08-19  Some One  <some@one>\n\n"
                             "\tPR tree-optimization/106\n"
                             "\tPR c++/107\n"
                             "\t* tree-vrp.cc (f, g): Mend.\n"
                             "\t* fold.cc: Likewise.  See PR 3.\n"
                             "\t* tree.h (h): Declare.\n\n"
                             "2022-08-18  Some One  <some@one>\n\n"
                             "\t* fold.cc (new_thing): New; no bug is named, PR/5 is none.\n\n"
                             "2021-01-02  Another\n\n"
                             "\tBackported from master:\n"
                             "\tPR middle-end/8\n"
                             "\t* match.pd, c/decl.c: Mend.\n"
                             "\t* fold.c: Mend.\n"
                             "\t* config/x.md <case>: Mend.\n"
                             "2017-01-02  Long ago\n\n"
                             "\tPR target/9\n"
                             "\t* fold.c: Mend.\n";

static void note_fix(void *user, Str name, double share) {
    buf_fmt(user, STR_FMT " %.2f, ", STR_ARG(name), share);
}

static void entries_with_bugs(void **state) {
    (void)state;
    Buf out = { 0 };
    assert_int_equal(changelog_read(str_from(mended), 2019, note_fix, &out), 2022);
    assert_true(str_is(buf_view(&out), "tree-vrp.cc 0.50, fold.cc 0.50, match.pd 0.25, "
                                       "c/decl.c 0.25, fold.c 0.25, config/x.md 0.25, "));
    buf_clear(&out);
    changelog_read(str_from(mended), 0, note_fix, &out);
    assert_true(str_ends(buf_view(&out), "config/x.md 0.25, fold.c 1.00, "));
    buf_clear(&out);
    assert_int_equal(changelog_read(STR("2022-1-02 x\n\tPR a/1\n\t* a.c: x\n"), 1, note_fix, &out),
                     0);
    assert_int_equal(out.len, 0); /* what is of no year is of none that counts */
    buf_release(&out);
}

static void put(Arena *arena, const char *dir, const char *name, const char *text) {
    Error err = { 0 };
    assert_true(file_write(file_join(arena, dir, name), str_from(text), &err));
}

/* fold.cc was fold.c; entries count for the directory their ChangeLog lies in; one of another year
 * is in a file of its own. */
static void fixes_of_files(void **state) {
    (void)state;
    Arena arena = { 0 };
    Error err = { 0 };
    char *dir = workdir_new(&arena, "changelog"), *sub = file_join(&arena, dir, "c");
    assert_true(file_make_dirs(sub, &err));
    put(&arena, dir, "ChangeLog", mended);
    put(&arena, dir, "ChangeLog-2020", "2020-05-05  X\n\tPR c/1\n\t* fold.c: Mend.\n");
    put(&arena, dir, "ChangeLog-2018", "2018-05-05  X\n\tPR c/1\n\t* fold.c: Mend.\n");
    put(&arena, sub, "ChangeLog", "2022-05-05  X\n\tPR c/1\n\t* decl.c: Mend.\n");
    const char *const names[] = { "fold.cc", "c/decl.cc", "tree-vrp.cc", "tree.h", "other.cc" };
    CovFile files[COUNT_OF(names)] = { 0 };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        files[i].path = str_from(file_join(&arena, dir, names[i]));
    CovMap map = { .files = files, .n_files = COUNT_OF(names) };
    const double *fixes = changelog_fixes(&arena, &map);
    assert_non_null(fixes);
    const double want[] = { 0.5 + 0.25 + 1, 0.25 + 1, 0.5, 0, 0 };
    for (size_t i = 0; i < COUNT_OF(want); i++) assert_true(fixes[i] == want[i]);
    file_remove_tree(file_join(&arena, dir, "ChangeLog"));
    file_remove_tree(file_join(&arena, sub, "ChangeLog"));
    assert_null(changelog_fixes(&arena, &map));
    workdir_remove(dir);
    arena_release(&arena);
}

static void shown_names(void **state) {
    (void)state;
    static const char *const names[][2] = {
        { "plain_c", "plain_c" },
        { "_Z1fv.cold", "f" },
        { "_ZL9to_stringi", "to_string" },
        { "_ZN12_GLOBAL__N_112PadShortFunc20runOnMachineFunctionERN4llvm15MachineFunctionE",
          "PadShortFunc::runOnMachineFunction" },
        { "_ZN12_GLOBAL__N_112PadShortFuncC2Ev", "PadShortFunc::PadShortFunc" },
        { "_ZN4llvm5ValueD0Ev", "llvm::Value::~Value" },
        { "_ZN4llvm6detail9PassModelINS_8FunctionENS_12VerifierPassENS_17PreservedAnalysesENS_15An"
          "alysisManagerIS2_JEEEJEE3runERS2_RS6_",
          "llvm::detail::PassModel::run" },
        { "_ZN4llvm11SmallVectorIPNS_5ValueELj4EE5clearEv", "llvm::SmallVector::clear" },
        { "_ZNK4llvm9StringRefeqES0_", "llvm::StringRef::operator" },
        { "_ZZN4llvm7GVNPass3runERNS_8FunctionEENK3$_0clEv", "llvm::GVNPass::run" },
        { "_ZSt4findIPcET_S1_", "find" },
        { "_ZN1a1bB5cxx11Ev", "a::b" },
        { "_ZN99short", "_ZN99short" },
    };
    Arena arena = { 0 };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_string_equal(arena_cstr(&arena, covmap_show_name(&arena, str_from(names[i][0]))),
                            names[i][1]);
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(shown_names), cmocka_unit_test(made_of), cmocka_unit_test(elsewhere),
          cmocka_unit_test(entries_with_bugs), cmocka_unit_test(fixes_of_files))

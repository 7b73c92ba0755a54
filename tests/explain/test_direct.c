/* Builds without the user's makefiles: for random sets of reverted changes, in trees that are built
 * again and again, they make the program that the user's own build makes: a library below, a
 * header, a file that only good has, one that only bad has, flags with blanks and a file's own
 * name. */
#include "base/file.h"
#include "base/rng.h"
#include "change/direct.h"
#include "change/worktree.h"
#include "run/run.h"
#include "run/workdir.h"
#include "test.h"

typedef struct Lab {
    Arena arena;
    char *base, *makefile;
    ChangeSet set;
    IncludeMap includes;
    Worktree own, direct;
} Lab;

static void put(Lab *lab, const char *side, const char *name, const char *text) {
    char *path = file_join(&lab->arena, file_join(&lab->arena, lab->base, side), name);
    char *slash = strrchr(path, '/');
    *slash = 0;
    assert_true(file_make_dirs(path, NULL));
    *slash = '/';
    assert_true(file_write(path, str_from(text), NULL));
}

static RunResult sh(Lab *lab, const char *dir, const char *text) {
    const char *argv[] = { "/bin/sh", "-c", text, NULL };
    RunSpec spec = { .argv = argv, .dir = dir, .profile = RUN_BUILD, .limits = { .wall_s = 60 } };
    return run_one(&lab->arena, &spec);
}

/* A list as culprit-cc writes it. */
static DirectTree tree(Lab *lab, const char *side, const char *const *records) {
    char *dir = file_join(&lab->arena, lab->base, side);
    Buf list = { 0 };
    for (; *records; records++) {
        Str rest = str_from(*records), word;
        for (int i = 0; str_split(&rest, '|', &word); i++) {
            if (i == 1) buf_fmt(&list, "%s%s" STR_FMT, dir, word.len ? "/" : "", STR_ARG(word));
            if (i != 1) buf_str(&list, word);
            buf_char(&list, 0);
        }
        buf_char(&list, 0);
    }
    char *path = arena_fmt(&lab->arena, "%s.commands", dir);
    assert_true(file_write(path, buf_view(&list), NULL));
    buf_release(&list);
    return (DirectTree){ dir, path };
}

#define MAKEFILE(objects)                                                                          \
    "p: main.o sub/libs.a\n\tcc -o p main.o -Lsub -ls\nmain.o: main.c h.h\n\tcc "                  \
    "-DWORDS='\"two words\"' -c main.c\nsub/libs.a: " objects "\n\tar rcs sub/libs.a " objects     \
    "\nsub/%.o: sub/%.c h.h\n\tcd sub && cc -I.. -c $*.c\n"

static void lay_out(Lab *lab) {
    put(lab, "good", "Makefile", MAKEFILE("sub/a.o sub/b.o sub/went.o sub/idle.o"));
    put(lab, "bad", "Makefile", MAKEFILE("sub/a.o sub/b.o sub/came.o"));
    put(lab, "good", "h.h",
        "#define K 3\nint a(int);\nint b(int);\nint went(void); enum { ONLY_GOOD };\n");
    for (int bad = 0; bad < 2; bad++)
        put(lab, bad ? "bad" : "good", "sub/idle.c",
            "#include \"h.h\"\nint idle(void) {\n    return ONLY_GOOD;\n}\n");
    put(lab, "bad", "h.h", "#define K 4\nint a(int);\nint b(int);\nint came(void);\n");
    put(lab, "good", "sub/went.c", "#include \"h.h\"\nint went(void) {\n    return 70 + K;\n}\n");
    put(lab, "bad", "sub/came.c",
        "#include \"h.h\"\nint came(void) {\n    int z = 0;\n    for (int i = 0; i < 5; i++) z += "
        "i * K;\n    return z;\n}\n");
    put(lab, "good", "sub/a.c", "#include \"h.h\"\nint a(int x) {\n    return x * K;\n}\n");
    put(lab, "bad", "sub/a.c", "#include \"h.h\"\nint a(int x) {\n    return x + K;\n}\n");
    put(lab, "good", "sub/b.c", "#include \"h.h\"\nint b(int x) {\n    return x - went();\n}\n");
    put(lab, "bad", "sub/b.c", "#include \"h.h\"\nint b(int x) {\n    return x - came();\n}\n");
    put(lab, "good", "main.c",
        "#include <stdio.h>\n#include \"h.h\"\nint main(void) {\n    printf(\"%d\\n\", a(5));\n"
        "    puts(WORDS);\n    printf(\"%d %s\\n\", b(1), __FILE__);\n    return 0;\n}\n");
    put(lab, "bad", "main.c",
        "#include <stdio.h>\n#include \"h.h\"\nint main(void) {\n    printf(\"<%d>\\n\", a(5));\n"
        "    puts(WORDS);\n    printf(\"%d, %s\\n\", b(1), __FILE__);\n    return 0;\n}\n");
}

static void lab_new(Lab *lab) {
    *lab = (Lab){ 0 };
    Error err = { 0 };
    ChangeOptions options = { .keep_names = true };
    lab->base = workdir_new(&lab->arena, "test");
    lay_out(lab);
    static const char *const bad[] = { "compile||main.o|main.c|-DWORDS=\"two words\"",
                                       "compile|sub|a.o|a.c|-I..",
                                       "compile|sub|b.o|b.c|-I..",
                                       "compile|sub|came.o|came.c|-I..|-Wall|-MD|-MF|x.d",
                                       "link||p|main.o|-Lsub|-ls",
                                       NULL };
    static const char *const good[] = { "compile||main.o|main.c|-DWORDS=\"two words\"",
                                        "compile|sub|a.o|a.c|-I..",
                                        "compile|sub|b.o|b.c|-I..",
                                        "compile|sub|went.o|went.c|-I..",
                                        "compile|sub|idle.o|idle.c|-I..",
                                        "link||p|main.o|-Lsub|-ls",
                                        NULL };
    DirectTree bad_tree = tree(lab, "bad", bad), good_tree = tree(lab, "good", good);
    assert_true(changeset_read(&lab->set, good_tree.dir, bad_tree.dir, &options, &err));
    assert_true(includes_read(&lab->includes, &lab->set, &err));
    Worktree *trees[] = { &lab->own, &lab->direct };
    for (size_t i = 0; i < COUNT_OF(trees); i++) {
        assert_true(worktree_new(trees[i], &lab->set, &lab->includes, NULL, &err));
        RunResult r = sh(lab, trees[i]->dir, "make");
        assert_true(run_ok(&r));
        worktree_built(trees[i], true);
    }
    RunResult r = sh(lab, bad_tree.dir, "make");
    assert_true(run_ok(&r));
    const char *why;
    lab->makefile = file_join(&lab->arena, lab->base, "direct.mk");
    if (!direct_write(&bad_tree, &good_tree, lab->makefile, &why)) fail_msg("%s", why);
}

static void lab_free(Lab *lab) {
    worktree_release(&lab->own);
    worktree_release(&lab->direct);
    includes_release(&lab->includes);
    changeset_release(&lab->set);
    arena_release(&lab->arena);
}

/* What the program prints with the set reverted; empty where it does not build. */
static Str output(Lab *lab, Worktree *tree, const uint8_t *reverted, const char *build) {
    Error err = { 0 };
    assert_true(worktree_set(tree, reverted, &err));
    RunResult built = sh(lab, tree->dir, build);
    worktree_built(tree, true);
    if (!run_ok(&built)) return (Str){ "", 0 };
    return sh(lab, tree->dir, "./p").out;
}

static void the_program_is_the_same(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    size_t n = lab.set.changes.len, both = 0;
    uint8_t *reverted = ARENA_ARRAY(&lab.arena, uint8_t, n + 1);
    char *direct = arena_fmt(&lab.arena, "make -s -f %s", lab.makefile);
    Rng rng = rng_new(11);
    for (int round = 0; round < 40; round++) {
        bool ends = round < 2, went = rng_chance(&rng, 0.5);
        for (size_t c = 0; c < n; c++) {
            Str path = change_path(&lab.set, c);
            bool tied = str_is(path, "Makefile") || str_ends(path, "came.c") ||
                        str_ends(path, "went.c") || str_ends(path, "b.c");
            tied |= str_find(change_bad_text(&lab.set, c), STR("came"), 0) != STR_NONE;
            reverted[c] = ends ? round == 1 : tied ? went : rng_chance(&rng, 0.5);
        }
        Str own = output(&lab, &lab.own, reverted, "make");
        Str ours = output(&lab, &lab.direct, reverted, direct);
        if (!str_eq(own, ours))
            fail_msg("round %d: '" STR_FMT "', by make '" STR_FMT "'", round, STR_ARG(ours),
                     STR_ARG(own));
        both += own.len > 0;
    }
    assert_true(both >= 30);
    lab_free(&lab);
}

/* A library that was made with a file does not keep it when nothing names it any more: the user's
 * build then fails as it would from nothing. */
static void an_archive_keeps_nothing(void **state) {
    (void)state;
    Lab lab = { 0 };
    Error err = { 0 };
    ChangeOptions options = { .keep_names = true };
    lab.base = workdir_new(&lab.arena, "test");
    for (int bad = 0; bad < 2; bad++) {
        const char *side = bad ? "bad" : "good";
        put(&lab, side, "Makefile", bad ? MAKEFILE("sub/a.o") : MAKEFILE("sub/a.o sub/went.o"));
        put(&lab, side, "h.h", "int a(void), went(void);\n");
        put(&lab, side, "sub/a.c", "#include \"h.h\"\nint a(void) {\n    return 1;\n}\n");
        put(&lab, side, "main.c",
            bad ? "#include \"h.h\"\nint main(void) {\n    return a();\n}\n"
                : "#include \"h.h\"\nint main(void) {\n    return a() + went();\n}\n");
    }
    put(&lab, "good", "sub/went.c", "#include \"h.h\"\nint went(void) {\n    return 2;\n}\n");
    assert_true(changeset_read(&lab.set, file_join(&lab.arena, lab.base, "good"),
                               file_join(&lab.arena, lab.base, "bad"), &options, &err));
    assert_true(includes_read(&lab.includes, &lab.set, &err));
    assert_true(worktree_new(&lab.own, &lab.set, &lab.includes, NULL, &err));
    size_t n = lab.set.changes.len;
    uint8_t *reverted = ARENA_ARRAY(&lab.arena, uint8_t, n + 1);
    for (size_t c = 0; c < n; c++) reverted[c] = 1;
    assert_true(worktree_set(&lab.own, reverted, &err));
    RunResult named = sh(&lab, lab.own.dir, "make");
    assert_true(run_ok(&named));
    worktree_built(&lab.own, true);
    for (size_t c = 0; c < n; c++) reverted[c] = !str_is(change_path(&lab.set, c), "Makefile");
    assert_true(worktree_set(&lab.own, reverted, &err));
    RunResult unnamed = sh(&lab, lab.own.dir, "make");
    assert_false(run_ok(&unnamed));
    lab_free(&lab);
}

/* What cannot be known is said, and nothing is written. */
static void what_is_not_known_is_refused(void **state) {
    (void)state;
    static const char *const lists[][3] = {
        { "compile||main.o|main.c", "foreign||odd.c", NULL },
        { "compile||main.o|main.c", NULL },
        { "compile||main.o|main.c", "link||p|main.o|lib.a", NULL },
    };
    static const char *const why[] = { "a source clang refuses", "no program was linked",
                                       "an archive holds what was not compiled here" };
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        Lab lab = { 0 };
        const char *said;
        lab.base = workdir_new(&lab.arena, "test");
        put(&lab, "bad", "main.c", "int main(void) { return 0; }\n");
        put(&lab, "bad", "odd.c", "int odd;\n");
        put(&lab, "bad", "p", "");
        DirectTree bad = tree(&lab, "bad", lists[i]);
        RunResult r = sh(&lab, bad.dir, "cc -c odd.c && ar rcs lib.a odd.o");
        assert_true(run_ok(&r));
        char *path = file_join(&lab.arena, lab.base, "direct.mk");
        assert_false(direct_write(&bad, &bad, path, &said));
        if (!str_starts(str_from(said), why[i])) fail_msg("%zu: %s", i, said);
        assert_false(file_exists(path));
        arena_release(&lab.arena);
    }
}

TEST_MAIN(cmocka_unit_test(the_program_is_the_same), cmocka_unit_test(an_archive_keeps_nothing),
          cmocka_unit_test(what_is_not_known_is_refused))

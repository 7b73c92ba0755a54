/* Change sets: trees given back byte for byte, cuts, patches that patch(1) applies, names from
 * messages. */
#include "base/file.h"
#include "base/rng.h"
#include "change/change.h"
#include "change/ctext.h"
#include "change/declare.h"
#include "explain/aux.h"
#include "run/run.h"
#include "run/workdir.h"
#include "test.h"

#include <sys/stat.h>

static void put(const char *dir, const char *name, const char *text) {
    Arena a = { 0 };
    char *path = file_join(&a, dir, name);
    char *slash = strrchr(path, '/');
    *slash = 0;
    assert_true(file_make_dirs(path, NULL));
    *slash = '/';
    assert_true(file_write(path, str_from(text), NULL));
    arena_release(&a);
}

typedef struct Pair {
    Arena arena;
    char *good, *bad;
    ChangeSet set;
} Pair;

static void pair_new(Pair *p) {
    *p = (Pair){ 0 };
    char *base = workdir_new(&p->arena, "test");
    p->good = file_join(&p->arena, base, "good");
    p->bad = file_join(&p->arena, base, "bad");
    assert_true(file_make_dirs(p->good, NULL) && file_make_dirs(p->bad, NULL));
}

static void pair_read(Pair *p) {
    Error err = { 0 };
    ChangeOptions options = { 0 };
    assert_true(changeset_read(&p->set, p->good, p->bad, &options, &err));
}

static void pair_free(Pair *p) {
    changeset_release(&p->set);
    arena_release(&p->arena);
}

/* The tree with a subset reverted, as text of one file. */
static void assert_file(const Pair *p, size_t f, const uint8_t *reverted, Str expected) {
    Buf text = { 0 };
    const char *path;
    assert_true(changeset_file(&p->set, f, reverted, &text, &path));
    assert_true(str_eq(buf_view(&text), expected));
    buf_release(&text);
}

/* ---- random texts ---- */

static void random_statements(Rng *rng, Buf *out, size_t lines) {
    static const char *const kinds[] = { "    x%u = y%u + %u;\n",
                                         "    if (x%u) {\n        f(y%u, %u);\n    }\n",
                                         "    call(a%u,\n         b%u, %u);\n",
                                         "\n    /* note %u %u %u */\n",
                                         "#if A%u\n    z%u = %u;\n#endif\n" };
    for (size_t i = 0; i < lines; i++) {
        Arena a = { 0 };
        const char *kind = kinds[rng_below(rng, COUNT_OF(kinds))];
        unsigned n = (unsigned)rng_below(rng, 9), m = (unsigned)rng_below(rng, 9);
        char line[200];
        snprintf(line, sizeof line, kind, n, m, (unsigned)rng_below(rng, 9));
        buf_text(out, line);
        arena_release(&a);
    }
}

/* Copies text, replacing, dropping and inserting stretches. */
static void mutate(Rng *rng, Str text, Buf *out) {
    StrVec lines = { 0 };
    diff_split_lines(text, &lines);
    for (size_t i = 0; i < lines.len; i++) {
        if (rng_chance(rng, 0.06)) random_statements(rng, out, rng_below(rng, 4));
        if (!rng_chance(rng, 0.06)) buf_str(out, lines.at[i]);
    }
    if (rng_chance(rng, 0.3) && out->len)
        out->len--, out->at[out->len] = 0; /* no newline at the end */
    vec_release(&lines);
}

static void run_patch(const char *dir, const char *patch) {
    Arena a = { 0 };
    const char *const argv[] = { "patch", "-p1", "-s", "-i", patch, NULL };
    RunSpec spec = { .argv = argv, .dir = dir, .profile = RUN_USER };
    RunResult r = run_one(&a, &spec);
    if (!run_ok(&r)) fprintf(stderr, "%s%s\n", r.out.at, r.err.at);
    assert_true(run_ok(&r));
    arena_release(&a);
}

static void check_patch(Pair *p, const uint8_t *subset, const char *name) {
    Buf patch = { 0 };
    Error err = { 0 };
    changeset_patch(&p->set, subset, &patch);
    char *dir = file_join(&p->arena, p->bad, name),
         *copy = arena_fmt(&p->arena, "%s-%s", p->bad, name);
    (void)dir;
    char *file = arena_fmt(&p->arena, "%s.patch", copy);
    assert_true(file_copy_tree(p->bad, copy, &err));
    assert_true(file_write(file, buf_view(&patch), &err));
    if (patch.len) run_patch(copy, file);
    for (size_t f = 0; f < p->set.files.len; f++) {
        Buf text = { 0 };
        const char *path;
        Str now;
        bool exists = changeset_file(&p->set, f, subset, &text, &path);
        char *full = file_join(&p->arena, copy, path);
        assert_int_equal(exists, file_exists(full));
        if (exists) {
            assert_true(file_read(&p->arena, full, &now, &err));
            assert_true(str_eq(now, buf_view(&text)));
        }
        buf_release(&text);
    }
    buf_release(&patch);
}

/* Functions in any order, some of them under a new name, some gone, some rewritten. */
static void random_functions(Rng *rng, Rng *bodies, bool other, Buf *out) {
    for (unsigned i = 0; i < 6; i++) {
        unsigned f = other && rng_chance(rng, 0.2) ? (i + 1) % 6 : i;
        Buf body = { 0 };
        random_statements(bodies, &body, 6);
        if (!(other && rng_chance(rng, 0.2))) {
            buf_fmt(out, "/* about %u */\nint f%u(int a)\n{\n", f, f);
            if (other && rng_chance(rng, 0.5))
                mutate(rng, buf_view(&body), out);
            else
                buf_str(out, buf_view(&body));
            buf_text(out, "\n    return a;\n}\n\n");
        }
        if (other && rng_chance(rng, 0.2)) buf_fmt(out, "static int g%u;\n", f);
        buf_release(&body);
    }
}

static void random_pair(uint64_t round, Buf *good, Buf *bad) {
    Rng rng = rng_stream(7, "change", round), one = rng_stream(7, "bodies", round), two = one;
    if (round % 2) {
        random_statements(&rng, good, 40);
        mutate(&rng, buf_view(good), bad);
    } else {
        random_functions(&rng, &one, false, good);
        random_functions(&rng, &two, true, bad);
    }
}

static void any_subset_is_a_tree_and_a_patch(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        Rng rng = rng_stream(7, "subset", round);
        Buf good = { 0 }, bad = { 0 };
        Pair p;
        pair_new(&p);
        random_pair(round, &good, &bad);
        put(p.good, "src/a.c", good.at);
        put(p.bad, "src/a.c", bad.at ? bad.at : "");
        put(p.good, "gone.h", "int gone;\n");
        put(p.bad, "new/come.h", "unsigned char come[3];\n");
        pair_read(&p);
        size_t n = p.set.changes.len;
        uint8_t *subset = arena_alloc(&p.arena, n + 1);
        size_t a = p.set.files.len - 1; /* src/a.c sorts last */
        assert_file(&p, a, subset, buf_view(&bad));
        memset(subset, 1, n);
        assert_file(&p, a, subset, buf_view(&good));
        check_patch(&p, subset, "all");
        for (size_t i = 0; i < n; i++) subset[i] = rng_chance(&rng, 0.4);
        check_patch(&p, subset, "some");
        pair_free(&p);
        buf_release(&good);
        buf_release(&bad);
    }
}

static void hunks_are_cut_at_statements(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    put(p.good, "a.c",
        "int f(int a, int b) {\n    int x = a;\n    int y = b;\n    return x + y;\n}\n");
    put(p.bad, "a.c",
        "int f(int a, int b) {\n    int x = a + 1;\n    int y = b + 2;\n    log(x);\n    return x "
        "- y;\n}\n");
    pair_read(&p);
    assert_int_equal(p.set.hunks, 1);
    assert_int_equal(p.set.changes.len, 4);
    assert_str(change_bad_text(&p.set, 0), "    int x = a + 1;\n");
    assert_str(change_good_text(&p.set, 0), "    int x = a;\n");
    assert_str(change_bad_text(&p.set, 2), "    log(x);\n");
    assert_int_equal(change_good_span(&p.set, 2).len, 0);
    assert_str(change_good_text(&p.set, 3), "    return x + y;\n");
    pair_free(&p);
}

/* The function of a file that a line (from 1) is in; -1: none. */
static int function_at(const StrVec *lines, size_t line) {
    PieceVec pieces = { 0 };
    int at = -1;
    declare_pieces(lines, &pieces);
    for (size_t i = 0; i < pieces.len; i++)
        if (pieces.at[i].kind == PIECE_FUNCTION && line > pieces.at[i].from &&
            line <= pieces.at[i].to)
            at = (int)i;
    vec_release(&pieces);
    return at;
}

static void assert_within_one(const StrVec *lines, ChangeSpan span) {
    if (!span.len) return;
    int first = function_at(lines, span.line);
    for (size_t l = span.line; l < span.line + span.len; l++)
        assert_int_equal(function_at(lines, l), first);
}

/* One function is rewritten so that its lines are nearly those of its neighbour, which goes;
 * another comes. The shortest difference would pair the lines of the two. */
static void hunks_stay_within_functions(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    put(p.good, "a.c",
        "int one(int n) {\n    int s = 0;\n    while (n--) {\n        s += n;\n    }\n    return "
        "s;\n}\n\n"
        "int two(int n) {\n    int p = 1;\n    for (;;) {\n        p *= n;\n        if (!n) "
        "break;\n    }\n"
        "    return p;\n}\n\nint three(void) {\n    return 3;\n}\n");
    put(p.bad, "a.c",
        "int zero(void) {\n    int z = 9;\n    return z - 9;\n}\n\n"
        "int two(int n) {\n    int s = 0;\n    while (n--) {\n        s += n;\n    }\n    return "
        "s;\n}\n\n"
        "int three(void) {\n    return 4;\n}\n");
    pair_read(&p);
    const ChangeFile *file = &p.set.files.at[0];
    size_t last = p.set.changes.len - 1, gone = 0, come = 0;
    for (size_t c = 0; c <= last; c++) {
        ChangeSpan bad = change_bad_span(&p.set, c), good = change_good_span(&p.set, c);
        assert_within_one(&file->bad_lines, bad);
        assert_within_one(&file->good_lines, good);
        gone += str_starts(change_good_text(&p.set, c), "int one(") && !bad.len;
        come += str_starts(change_bad_text(&p.set, c), "int zero(") && !good.len;
    }
    assert_int_equal(gone, 1);
    assert_int_equal(come, 1);
    assert_str(change_bad_text(&p.set, last), "    return 4;\n");
    pair_free(&p);
}

/* Where functions stay and everything else moves past them, the shortest difference is taken. */
static void a_short_difference_is_kept(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    Buf table = { 0 }, good = { 0 }, bad = { 0 };
    for (unsigned i = 0; i < 40; i++) buf_fmt(&table, "extern int v%u;\n", i);
    buf_fmt(&good, "int f(void) {\n    return 1;\n}\n" STR_FMT, STR_ARG(buf_view(&table)));
    buf_fmt(&bad, STR_FMT "int f(void) {\n    return 2;\n}\n", STR_ARG(buf_view(&table)));
    put(p.good, "a.c", good.at);
    put(p.bad, "a.c", bad.at);
    pair_read(&p);
    size_t lines = 0;
    for (size_t c = 0; c < p.set.changes.len; c++) lines += change_bad_span(&p.set, c).len;
    assert_int_equal(lines, 3);
    buf_release(&table);
    buf_release(&good);
    buf_release(&bad);
    pair_free(&p);
}

static void a_hunk_with_open_braces_stays_whole(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    put(p.good, "a.c", "void f(void) {\n    if (a) {\n        g();\n    }\n    h();\n}\n");
    put(p.bad, "a.c",
        "void f(void) {\n    while (a) {\n        i();\n        j();\n    }\n    h();\n}\n");
    pair_read(&p);
    assert_int_equal(p.set.changes.len, 1);
    pair_free(&p);
}

/* Two members are renumbered throughout, one line changes in another way as well. */
static void names_changed_throughout_are_no_changes(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    put(p.good, "a.c",
        "union u {\n    int m1;\n    char *m2;\n};\nint f(union u *p) {\n    p->m1 = 3;\n    "
        "g(p->m2);\n"
        "    h(p->m1);\n    k();\n    g(p->m2);\n    return p->m1 + 1;\n}\n");
    put(p.bad, "a.c",
        "union u {\n    int m2;\n    char *m7;\n};\nint f(union u *p) {\n    p->m2 = 3;\n    "
        "g(p->m7);\n"
        "    h(p->m2);\n    k();\n    g(p->m7);\n    return p->m2 + 2;\n}\n");
    pair_read(&p);
    assert_int_equal(p.set.renamed, 2);
    assert_int_equal(p.set.changes.len, 1);
    assert_str(change_good_text(&p.set, 0), "    return p->m2 + 1;\n");
    pair_free(&p);
}

/* A function of the library that is called instead of another is not a renaming: nothing declares
 * it. */
static void other_functions_are_no_names(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    put(p.good, "a.c", "int f(char *p) {\n    a(atoi(p));\n    k();\n    return atoi(p);\n}\n");
    put(p.bad, "a.c", "int f(char *p) {\n    a(atol(p));\n    k();\n    return atol(p);\n}\n");
    pair_read(&p);
    assert_int_equal(p.set.renamed, 0);
    assert_int_equal(p.set.changes.len, 2);
    pair_free(&p);
}

static void macros_of_two_names_are_two_changes(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    put(p.good, "a.h", "#define A 1\n#define OLD 2\n#define Z 3\n");
    put(p.bad, "a.h", "#define A 1\n#define NEW 2\n#define Z 3\n");
    pair_read(&p);
    assert_int_equal(p.set.hunks, 1);
    assert_int_equal(p.set.changes.len, 2);
    assert_file(&p, 0, (const uint8_t[]){ 0, 0 }, STR("#define A 1\n#define NEW 2\n#define Z 3\n"));
    assert_file(&p, 0, (const uint8_t[]){ 1, 0 },
                STR("#define A 1\n#define OLD 2\n#define NEW 2\n#define Z 3\n"));
    assert_file(&p, 0, (const uint8_t[]){ 1, 1 }, STR("#define A 1\n#define OLD 2\n#define Z 3\n"));
    pair_free(&p);
}

static void comments_and_blanks_are_idle(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    put(p.good, "a.c",
        "/* one\n two */\nint a;\nint f(int x) { return x; }\nchar *s = \"a  b\";\n");
    put(p.bad, "a.c",
        "/* one\n 2 */\nint a;\nint f(int x) {\n    return x; // same\n}\nchar *s = \"a b\";\n");
    pair_read(&p);
    assert_int_equal(p.set.changes.len, 3);
    assert_true(p.set.changes.at[0].idle);
    assert_true(p.set.changes.at[1].idle);
    assert_false(p.set.changes.at[2].idle);
    pair_free(&p);
}

/* The second half of a comment that a change added is not a comment without the first. */
static void half_a_comment_is_not_idle(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    /* The only blank line that both have is one within the comment. */
    put(p.good, "a.h", "int a(void);\n\nint z(void);\n");
    put(p.bad, "a.h", "int a(void);\nint b(void);\n/*\n   one\n\n   two\n*/\nint z(void);\n");
    pair_read(&p);
    uint8_t reverted[8] = { 0 };
    assert_in_range(p.set.changes.len, 2, 8);
    for (size_t i = 0; i < p.set.changes.len; i++) reverted[i] = !p.set.changes.at[i].idle;
    Buf text = { 0 };
    const char *at;
    assert_true(changeset_file(&p.set, 0, reverted, &text, &at));
    assert_true(ctext_same(buf_view(&text), false, STR("int a(void); int z(void);"), false));
    buf_release(&text);
    pair_free(&p);
}

static void moved_binary_and_built_files(void **state) {
    (void)state;
    Pair p;
    pair_new(&p);
    const char *text = "int one;\nint two;\nint three;\nint four;\n";
    put(p.good, "old.c", text);
    put(p.bad, "sub/new.c", "int one;\nint two;\nint three;\nint five;\n");
    put(p.good, "x.o", "1");
    put(p.bad, "x.o", "2");
    Arena a = { 0 };
    assert_true(file_write(file_join(&a, p.good, "pic"), (Str){ "a\0b", 3 }, NULL));
    assert_true(file_write(file_join(&a, p.bad, "pic"), (Str){ "a\0c", 3 }, NULL));
    pair_read(&p);
    size_t moved = 0, binary = 0, built = 0;
    for (size_t i = 0; i < p.set.changes.len; i++)
        moved += p.set.changes.at[i].kind == CHANGE_MOVED;
    for (size_t i = 0; i < p.set.files.len; i++) {
        binary += p.set.files.at[i].skip == SKIP_BINARY;
        built += p.set.files.at[i].skip == SKIP_BUILT;
    }
    assert_int_equal(moved, 1);
    assert_int_equal(binary, 1);
    assert_int_equal(built, 1);
    assert_int_equal(p.set.changes.len, 2);
    uint8_t subset[2] = { 1, 0 };
    check_patch(&p, subset, "move");
    memset(subset, 1, 2);
    check_patch(&p, subset, "both");
    assert_file(&p, p.set.changes.at[0].file, subset, str_from(text));
    arena_release(&a);
    pair_free(&p);
}

static void names_come_from_messages(void **state) {
    (void)state;
    StrVec names = { 0 };
    aux_names(STR("a.c: In function 'main':\n"
                  "a.c:4:9: error: 'limit' undeclared (first use in this function)\n"
                  "a.c:5: error: 'struct box' has no member named 'lid'\n"
                  "a.c:6:2: warning: unused variable 'other'\n"
                  "/usr/bin/ld: a.o: undefined reference to `helper'\n"),
              &names);
    assert_int_equal(names.len, 4);
    assert_str(names.at[0], "limit");
    assert_str(names.at[1], "box");
    assert_str(names.at[2], "lid");
    assert_str(names.at[3], "helper");
    vec_release(&names);
}

static void pieces_and_what_they_declare(void **state) {
    (void)state;
    StrVec lines = { 0 }, names = { 0 };
    PieceVec pieces = { 0 };
    diff_split_lines(STR("#define WIDE(x) \\\n    (2 * (x))\n"
                         "enum kind { ONE, TWO = 4, THREE };\n"
                         "struct box {\n    u8 lid;\n    int size[4], *next;\n};\n"
                         "static const int table[] = { 1,\n    2 };\n"
                         "int f(int a)\n{\n    int b = a;\n    return b;\n}\n"),
                     &lines);
    declare_pieces(&lines, &pieces);
    assert_int_equal(pieces.len, 5);
    assert_int_equal(pieces.at[0].kind, PIECE_MACRO);
    assert_int_equal(pieces.at[0].to, 2);
    assert_int_equal(pieces.at[4].kind, PIECE_FUNCTION);
    assert_int_equal(pieces.at[4].to, 14);
    for (size_t i = 0; i < 4; i++) declare_names(&lines, &pieces.at[i], &names);
    static const char *const expected[] = { "WIDE", "kind", "ONE",  "TWO",  "THREE",
                                            "box",  "lid",  "size", "next", "table" };
    assert_int_equal(names.len, COUNT_OF(expected));
    for (size_t i = 0; i < names.len; i++) assert_str(names.at[i], expected[i]);
    vec_release(&lines);
    vec_release(&names);
    vec_release(&pieces);
}

TEST_MAIN(cmocka_unit_test(any_subset_is_a_tree_and_a_patch),
          cmocka_unit_test(hunks_are_cut_at_statements),
          cmocka_unit_test(hunks_stay_within_functions),
          cmocka_unit_test(a_short_difference_is_kept),
          cmocka_unit_test(a_hunk_with_open_braces_stays_whole),
          cmocka_unit_test(names_changed_throughout_are_no_changes),
          cmocka_unit_test(other_functions_are_no_names),
          cmocka_unit_test(macros_of_two_names_are_two_changes),
          cmocka_unit_test(comments_and_blanks_are_idle),
          cmocka_unit_test(half_a_comment_is_not_idle),
          cmocka_unit_test(moved_binary_and_built_files),
          cmocka_unit_test(names_come_from_messages),
          cmocka_unit_test(pieces_and_what_they_declare))

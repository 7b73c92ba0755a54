/* Changes that are reverted in part: what follows an interface that changed stays, what the test
 * is about goes back, and nothing else comes along. Real builds, and a real parser. */
#include "change/blend.h"
#include "explain/search/thin.h"
#include "lab.h"

/* ---- parts ---- */

static Blend blend;

static void read_blend(Lab *lab, const char *good, const char *bad) {
    lab_new(lab, good, bad);
    assert_int_equal(lab->set.changes.len, 1);
    blend_read(&lab->set, 0, lab->needs->function[0] != 0, &blend);
}

/* The text with these parts reverted ("+-+": the second is not). */
static void check_text(const char *parts, const char *wanted) {
    uint8_t use[16] = { 0 };
    Buf text = { 0 };
    assert_int_equal(blend.parts.len, strlen(parts));
    for (size_t i = 0; parts[i]; i++) use[i] = parts[i] == '+';
    blend_text(&blend, use, &text);
    buf_char(&text, 0);
    assert_string_equal(text.at, wanted);
    buf_release(&text);
}

static void edits_of_one_line_are_parts(void **state) {
    (void)state;
    Lab lab;
    read_blend(&lab,
               "int f(int x) {\n    return g(x) >= 3;\n}\nint main(void) {\n    return 0;\n}\n",
               "int f(int x) {\n    return g(x, c) > 3;\n}\nint main(void) {\n    return 0;\n}\n");
    check_text("--", "    return g(x, c) > 3;\n");
    check_text("++", "    return g(x) >= 3;\n");
    check_text("+-", "    return g(x) > 3;\n");
    check_text("-+", "    return g(x, c) >= 3;\n");
    uint8_t use[] = { 1, 1 };
    assert_int_equal(blend_part_at(&blend, use, 1, 15), 0);
    assert_int_equal(blend_part_at(&blend, use, 1, 18), 1);
    assert_int_equal(blend_part_at(&blend, use, 2, 1), NO_PART);
    assert_int_equal(blend_part_at(&blend, use, 1, 6), NO_PART);
    assert_int_equal(blend_part_at(&blend, use, 1, 0), 0);
    assert_int_equal(blend_part_name(&blend, 0, STR("c")), BLEND_TAKES);
    assert_int_equal(blend_part_name(&blend, 1, STR("c")), BLEND_NOTHING);
    blend_release(&blend);
    lab_free(&lab);
}

static void old_and_new_members_stand_side_by_side(void **state) {
    (void)state;
    Lab lab;
    read_blend(&lab, "struct s {\n    int was;\n};\nint main(void) {\n    return 0;\n}\n",
               "struct s {\n    long now;\n};\nint main(void) {\n    return 0;\n}\n");
    check_text("++", "    int was;\n");
    check_text("+-", "    int was;\n    long now;\n");
    check_text("-+", "");
    blend_release(&blend);
    lab_free(&lab);
}

/* The second half of a prototype alone cannot. */
static void half_a_declaration_stands_alone(void **state) {
    (void)state;
    Lab lab;
    read_blend(&lab, "struct s\n*f(int a);\nint main(void) {\n    return 0;\n}\n",
               "struct s\n*f(int a, int b);\nint main(void) {\n    return 0;\n}\n");
    assert_int_equal(blend.parts.len, 0);
    blend_release(&blend);
    lab_free(&lab);
}

/* The old file is built beside the new one; a flag is what it was or what it is. */
static void files_of_a_makefile_stand_side_by_side(void **state) {
    (void)state;
    Lab lab = { 0 };
    Error err = { 0 };
    ChangeOptions options = { 0 };
    lab.base = workdir_new(&lab.arena, "test");
    put(&lab, "good", "Makefile", "p: p.c\n\tcc -o p p.c\nOBJS = a.o was.o b.o -lm\n");
    put(&lab, "bad", "Makefile", "p: p.c\n\tcc -o p p.c\nOBJS = a.o now.o more.o b.o -lz\n");
    assert_true(changeset_read(&lab.set, file_join(&lab.arena, lab.base, "good"),
                               file_join(&lab.arena, lab.base, "bad"), &options, &err));
    assert_int_equal(lab.set.changes.len, 1);
    blend_read(&lab.set, 0, false, &blend);
    check_text("+++", "OBJS = a.o was.o  b.o -lm\n");
    check_text("+--", "OBJS = a.o was.o now.o more.o b.o -lz\n");
    assert_false(blend.parts.at[0].spared);
    assert_true(blend.parts.at[1].spared);
    assert_false(blend.parts.at[2].spared);
    blend_release(&blend);
    changeset_release(&lab.set);
    arena_release(&lab.arena);
}

/* ---- sets ---- */

static ThinTask task_of(Lab *lab) {
    return thin_start(&lab->aux, needs_unparsed(lab->needs), &lab->set, &lab->arena);
}

static size_t find(Lab *lab, const char *text) {
    for (size_t c = 0; c < lab->set.changes.len; c++)
        if (str_find(change_good_text(&lab->set, c), str_from(text), 0) != STR_NONE) return c;
    fail_msg("no change has %s", text);
    return 0;
}

static const char good[] =
    "int g(int);\nint h(int);\n\nint f(int a) {\n    if (g(a) >= 3) return h(a);\n    return "
    "1;\n}\n\n"
    "int g(int a) {\n    return a + 1;\n}\n\nint h(int a) {\n    return a - 2;\n}\n\n"
    "int main(void) {\n    return f(2);\n}\n";
static const char bad[] =
    "int g(int, int);\nint h(int, int);\n\nint f(int a, int c) {\n    if (g(a, c) > 3) return h(a, "
    "c);\n    return 1;\n}\n\n"
    "int g(int a, int c) {\n    return a + 1;\n}\n\nint h(int a, int c) {\n    return a - 2;\n}\n\n"
    "int main(void) {\n    return f(2, 0);\n}\n";

static void a_condition_is_reverted_without_its_calls(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab, good, bad);
    size_t n = lab.set.changes.len, root = find(&lab, ">= 3");
    uint8_t *set = ARENA_ARRAY(&lab.arena, uint8_t, n + 1);
    ThinTask task = task_of(&lab);
    set[root] = 1;
    assert_true(thin_ask(&task, set));
    assert_true(set[root]);
    assert_string_equal(arena_cstr(&lab.arena, lab.set.changes.at[root].blend),
                        "int f(int a, int c) {\n    if (g(a, c) >= 3) return h(a, c);\n");
    assert_int_equal(oracle_ask(lab.oracle, set), OUTCOME_PASSES);
    Buf patch = { 0 };
    changeset_patch(&lab.set, set, &patch);
    assert_true(str_find(buf_view(&patch), STR("+    if (g(a, c) >= 3) return"), 0) != STR_NONE);
    buf_release(&patch);
    needs_free((Needs *)task.bare);
    lab_free(&lab);
}

static void nine_changes_become_one(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab, good, bad);
    size_t n = lab.set.changes.len, root = find(&lab, ">= 3");
    uint8_t *set = ARENA_ARRAY(&lab.arena, uint8_t, n + 1);
    double *weight = ARENA_ARRAY(&lab.arena, double, n + 1);
    for (size_t c = 0; c < n; c++) set[c] = 1, weight[c] = c == root ? 2 : 1;
    assert_int_equal(oracle_ask(lab.oracle, set), OUTCOME_PASSES);
    ThinTask task = task_of(&lab);
    assert_int_equal(thin_out(&task, weight, NULL, set), n - 1);
    assert_true(set[root]);
    needs_free((Needs *)task.bare);
    lab_free(&lab);
}

/* What matters is among what does not compile alone: nothing is claimed, and reverting means what
 * it meant. */
static void what_matters_to_the_interface_is_not_found(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab,
            "int g(int a) {\n    return a;\n}\n\nint main(void) {\n    int x = 0;\n"
            "    return g(x);\n}\n",
            "int g(int a, int b) {\n    return a + b;\n}\n\nint main(void) {\n    int x = 0;\n"
            "    return g(x, 1);\n}\n");
    size_t n = lab.set.changes.len, call = find(&lab, "g(x)");
    uint8_t *set = ARENA_ARRAY(&lab.arena, uint8_t, n + 1);
    ThinTask task = task_of(&lab);
    set[call] = 1;
    assert_false(thin_ask(&task, set));
    for (size_t c = 0; c < n; c++) assert_null(lab.set.changes.at[c].blend.at);
    needs_free((Needs *)task.bare);
    lab_free(&lab);
}

TEST_MAIN(cmocka_unit_test(edits_of_one_line_are_parts),
          cmocka_unit_test(old_and_new_members_stand_side_by_side),
          cmocka_unit_test(half_a_declaration_stands_alone),
          cmocka_unit_test(files_of_a_makefile_stand_side_by_side),
          cmocka_unit_test(a_condition_is_reverted_without_its_calls),
          cmocka_unit_test(nine_changes_become_one),
          cmocka_unit_test(what_matters_to_the_interface_is_not_found))

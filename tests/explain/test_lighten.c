/* What only compiled along leaves an answer, in one build for all that goes together; what a root
 * needs to compile stays. Real builds, and a real parser. */
#include "explain/search/lighten.h"
#include "lab.h"

/* Everything reverted is made lighter; what is left must be the changes with one of these texts in
 * the good version. */
static void check(Lab *lab, const char *const *stay, size_t builds_most) {
    size_t n = lab->set.changes.len, stays = 0;
    uint8_t *set = ARENA_ARRAY(&lab->arena, uint8_t, n + 1);
    double *weight = ARENA_ARRAY(&lab->arena, double, n + 1);
    for (size_t c = 0; c < n; c++) set[c] = 1, weight[c] = 1;
    assert_int_equal(oracle_ask(lab->oracle, set), OUTCOME_PASSES);
    size_t builds = oracle_counts(lab->oracle)->builds;
    size_t went = lighten(&lab->aux, lab->needs, weight, set);
    for (size_t c = 0; c < n; c++) {
        bool wanted = false;
        for (const char *const *s = stay; *s; s++)
            wanted |= str_find(change_good_text(&lab->set, c), str_from(*s), 0) != STR_NONE;
        if (set[c] != wanted)
            fail_msg("%s %s", change_place(&lab->arena, &lab->set, c), wanted ? "went" : "stays");
        stays += wanted;
    }
    assert_int_equal(went, n - stays);
    assert_int_equal(oracle_ask(lab->oracle, set), OUTCOME_PASSES);
    assert_in_range(oracle_counts(lab->oracle)->builds - builds, 1, builds_most);
}

/* One more parameter, its prototype and three calls: none of them can be left out alone. */
static void what_goes_together_goes_at_once(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab,
            "int g(int);\n\nint f(int a) {\n    return a;\n}\n\nint h(void) {\n    int x = g(1);\n"
            "    int y = 2;\n    return x + y + g(3);\n}\n\nint g(int a) {\n    return a;\n}\n\n"
            "int main(void) {\n    int z = g(0);\n    int w = 0;\n    return f(z) + w;\n}\n",
            "int g(int, int);\n\nint f(int a) {\n    return a + 1;\n}\n\nint h(void) {\n"
            "    int x = g(1, 1);\n    int y = 2;\n    return x + y + g(3, 1);\n}\n\n"
            "int g(int a, int b) {\n    return a;\n}\n\n"
            "int main(void) {\n    int z = g(0, 1);\n    int w = 0;\n    return f(z) + w;\n}\n");
    assert_int_equal(lab.set.changes.len, 6);
    const char *const stay[] = { "return a;", NULL };
    check(&lab, stay, 3);
    lab_free(&lab);
}

/* The root calls a function that is gone: that stays, a function that came and its call go. */
static void what_a_root_needs_stays(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab,
            "int old(int a) {\n    return a;\n}\n\nint f(int a) {\n    return old(a);\n}\n\n"
            "int main(void) {\n    int z = 0;\n    int w = 1;\n    w--;\n    return f(z) + w;\n}\n",
            "static char *new(void)\n{\n    static char text[] = \"new\";\n"
            "    for (char *p = text; *p; p++) *p ^= 1;\n    return text + 3;\n}\n\nint f(int a) "
            "{\n    return a + 7;\n}\n\n"
            "int main(void) {\n    int z = *new();\n    int w = 1;\n    w--;\n    return f(z) + "
            "w;\n}\n");
    const char *const stay[] = { "return old(a);", "int old(int a)", NULL };
    check(&lab, stay, 4);
    lab_free(&lab);
}

TEST_MAIN(cmocka_unit_test(what_goes_together_goes_at_once),
          cmocka_unit_test(what_a_root_needs_stays))

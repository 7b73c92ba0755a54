/* A search goes before the recording where that is dear, and only there. Real builds. */
#include "explain/early.h"
#include "lab.h"

static const char good[] = "int a(void) {\n    return 1;\n}\n\nint b(void) {\n    return 2;\n}\n\n"
                           "int c(void) {\n    return 3;\n}\n\nint d(void) {\n    return 4;\n}\n\n"
                           "int main(void) {\n    return c() != 3;\n}\n";
static const char bad[] = "int a(void) {\n    return 5;\n}\n\nint b(void) {\n    return 6;\n}\n\n"
                          "int c(void) {\n    return 7;\n}\n\nint d(void) {\n    return 8;\n}\n\n"
                          "int main(void) {\n    return c() != 3;\n}\n";

/* Searches where a build and a test take so many CPU seconds; best is in the lab's arena. */
static bool search(Lab *lab, double build_s, double test_s, uint8_t **best) {
    size_t n = lab->set.changes.len;
    double *weight = ARENA_ARRAY(&lab->arena, double, n + 1);
    uint8_t *used = ARENA_ARRAY(&lab->arena, uint8_t, n + 1);
    for (size_t c = 0; c < n; c++) weight[c] = 1, used[c] = 1;
    *best = ARENA_ARRAY(&lab->arena, uint8_t, n + 1);
    Versions versions = { .build_cpu_s = build_s };
    versions.good.test[0].cpu_s = versions.bad.test[0].cpu_s = test_s;
    ClosedSearch task = { .aux = &lab->aux, .needs = lab->needs, .weight = weight, .used = used };
    return early_search(&task, &versions, *best);
}

static void a_dear_test_is_searched_first(void **state) {
    (void)state;
    Lab lab;
    uint8_t *best;
    lab_new(&lab, good, bad);
    assert_true(search(&lab, 1, 3, &best));
    for (size_t c = 0; c < lab.set.changes.len; c++)
        assert_int_equal(best[c],
                         str_find(change_good_text(&lab.set, c), STR("return 3"), 0) != STR_NONE);
    assert_false(oracle_stopped(lab.oracle, NULL));
    lab_free(&lab);
}

static void a_cheap_one_is_recorded_at_once(void **state) {
    (void)state;
    Lab lab;
    uint8_t *best;
    lab_new(&lab, good, bad);
    assert_false(search(&lab, 1, 0.01, &best));
    assert_int_equal(oracle_counts(lab.oracle)->builds, 0);
    lab_free(&lab);
}

TEST_MAIN(cmocka_unit_test(a_dear_test_is_searched_first),
          cmocka_unit_test(a_cheap_one_is_recorded_at_once))

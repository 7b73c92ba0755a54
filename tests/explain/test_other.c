/* A second answer: where reverting either of two changes is enough both are named, and where none
 * other is enough that costs one build. Real builds, and a real parser. */
#include "explain/search/closed_search.h"
#include "lab.h"

#define GOOD                                                                                       \
    "int limit(void) {\n    return 10;\n}\n\nint fits(int n) {\n    return n <= limit();\n}\n\n"   \
    "int same(int n) {\n    return n;\n}\n\n"
#define BAD                                                                                        \
    "int limit(void) {\n    return 9;\n}\n\nint fits(int n) {\n    return n < limit();\n}\n\n"     \
    "int same(int n) {\n    return n + 0;\n}\n\n"

/* What the good version has where the change is. */
static bool is_at(const Lab *lab, const uint8_t *set, const char *text) {
    size_t n = 0, hits = 0;
    for (size_t c = 0; c < lab->set.changes.len; c++) {
        n += set[c];
        hits += set[c] && str_find(change_good_text(&lab->set, c), str_from(text), 0) != STR_NONE;
    }
    return n == 1 && hits == 1;
}

static Answer new_answer(Lab *lab) {
    size_t n = lab->set.changes.len;
    return (Answer){ .root = ARENA_ARRAY(&lab->arena, uint8_t, n + 1),
                     .rest = ARENA_ARRAY(&lab->arena, uint8_t, n + 1) };
}

/* Both searches, with these weights for limit, fits and same; returns what the second one built. */
static size_t search_both(Lab *lab, const double *weight, Answer *answer, Answer *other) {
    uint8_t *used = ARENA_ARRAY(&lab->arena, uint8_t, lab->set.changes.len + 1);
    memset(used, 1, lab->set.changes.len);
    ClosedSearch search = { .aux = &lab->aux, .needs = lab->needs, .weight = weight, .used = used };
    *answer = new_answer(lab);
    *other = new_answer(lab);
    closed_search(&search, answer);
    assert_true(answer->found);
    size_t before = oracle_counts(lab->oracle)->builds;
    closed_other(&search, answer, other);
    return oracle_counts(lab->oracle)->builds - before;
}

static void either_of_two_is_enough(void **state) {
    (void)state;
    Lab lab;
    Answer answer, other;
    lab_new(&lab, GOOD "int main(void) {\n    return !fits(9) + same(0);\n}\n",
            BAD "int main(void) {\n    return !fits(9) + same(0);\n}\n");
    assert_int_equal(lab.set.changes.len, 3);
    search_both(&lab, (double[]){ 16, 8, 1 }, &answer, &other);
    assert_true(is_at(&lab, answer.root, "return 10;"));
    assert_true(other.found);
    assert_true(is_at(&lab, other.root, "n <= limit()"));
    assert_false(other.rest[0] || other.rest[1] || other.rest[2]);
    lab_free(&lab);
}

static void one_build_where_there_is_none(void **state) {
    (void)state;
    Lab lab;
    Answer answer, other;
    lab_new(&lab, GOOD "int main(void) {\n    return !fits(8) + same(0);\n}\n",
            "int limit(void) {\n    return 7;\n}\n\nint fits(int n) {\n    return n <= limit() + "
            "0;\n}\n\nint same(int n) {\n    return n + 0;\n}\n\n"
            "int main(void) {\n    return !fits(8) + same(0);\n}\n");
    size_t builds = search_both(&lab, (double[]){ 16, 8, 1 }, &answer, &other);
    assert_true(is_at(&lab, answer.root, "return 10;"));
    assert_false(other.found);
    assert_in_range(builds, 0, 1);
    lab_free(&lab);
}

/* What is not suspected is not looked at. */
static void others_are_among_the_suspected(void **state) {
    (void)state;
    Lab lab;
    Answer answer, other;
    lab_new(&lab, GOOD "int main(void) {\n    return !fits(9) + same(0);\n}\n",
            BAD "int main(void) {\n    return !fits(9) + same(0);\n}\n");
    size_t builds = search_both(&lab, (double[]){ 16, 0.2, 0.2 }, &answer, &other);
    assert_true(is_at(&lab, answer.root, "return 10;"));
    assert_false(other.found);
    assert_int_equal(builds, 0);
    lab_free(&lab);
}

TEST_MAIN(cmocka_unit_test(either_of_two_is_enough),
          cmocka_unit_test(one_build_where_there_is_none),
          cmocka_unit_test(others_are_among_the_suspected))

/* What is tried before all is searched, and a second answer: where reverting either of two changes
 * is enough both are named, and where none other is enough that costs one build. Real builds, and a
 * real parser. */
#include "explain/explanation.h"
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

/* ---- the most suspected first ---- */
enum { CROWD = 40 };

static bool is_wrong(int i) {
    return i == 0 || i == CROWD / 2 || i == CROWD - 1;
}

/* So many functions that changed; three are wrong in bad, the others as right as before. */
static void write_crowd(Buf *text, bool bad) {
    for (int i = 0; i < CROWD; i++)
        buf_fmt(text, "int f%d(int n) {\n    return n%s;\n}\n\n", i,
                !bad          ? ""
                : is_wrong(i) ? " + 1"
                              : " + 0");
    buf_text(text, "int main(void) {\n    return f0(0) + f20(0) + f39(0);\n}\n");
    buf_char(text, 0);
}

/* The first suspects are not enough, all of them far too many. */
static void half_as_suspected_comes_before_all(void **state) {
    (void)state;
    Lab lab;
    Buf good = { 0 }, bad = { 0 };
    double weight[CROWD];
    write_crowd(&good, false), write_crowd(&bad, true);
    lab_new(&lab, good.at, bad.at);
    assert_int_equal(lab.set.changes.len, CROWD);
    for (int c = 0; c < CROWD; c++) weight[c] = is_wrong(c) ? 32 : 1;
    weight[CROWD / 2] = 6; /* less than a quarter of the most */
    uint8_t *used = ARENA_ARRAY(&lab.arena, uint8_t, CROWD + 1);
    memset(used, 1, CROWD);
    ClosedSearch search = { .aux = &lab.aux, .needs = lab.needs, .weight = weight, .used = used };
    Answer answer = new_answer(&lab);
    size_t before = oracle_counts(lab.oracle)->builds;
    closed_search(&search, &answer);
    assert_true(answer.found);
    for (int c = 0; c < CROWD; c++) assert_int_equal(answer.root[c], is_wrong(c));
    assert_in_range(oracle_counts(lab.oracle)->builds - before, 1, 7);
    buf_release(&good);
    buf_release(&bad);
    lab_free(&lab);
}

/* ---- how they are shown ---- */

/* The answer as text, with so many of the changes auxiliary behind one root, and one more beside
 * them as the other answer. */
static char *shown(Lab *lab, size_t rest, bool whole) {
    Explanation e;
    char *text = NULL;
    size_t len = 0;
    explanation_init(&e, &lab->set, "after");
    e.found = true;
    e.root[0] = 1;
    for (size_t c = 1; c <= rest; c++) e.rest[c] = 1;
    e.other[lab->set.changes.len - 1] = 1;
    FILE *out = open_memstream(&text, &len);
    explanation_print(&e, whole, out);
    fclose(out);
    explanation_release(&e);
    char *kept = arena_strdup(&lab->arena, text);
    free(text);
    return kept;
}

static size_t count_of(const char *text, const char *what) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) n++;
    return n;
}

static void many_auxiliary_changes_are_one_line(void **state) {
    (void)state;
    Lab lab;
    Buf good = { 0 }, bad = { 0 };
    for (int i = 0; i < 8; i++) {
        buf_fmt(&good, "int f%d(int n) {\n    return n;\n}\n\n", i);
        buf_fmt(&bad, "int f%d(int n) {\n    return n + %d;\n}\n\n", i, i + 1);
    }
    buf_text(&good, "int main(void) {\n    return f0(0);\n}\n");
    buf_text(&bad, "int main(void) {\n    return f0(0);\n}\n");
    buf_char(&good, 0), buf_char(&bad, 0);
    lab_new(&lab, good.at, bad.at);
    assert_int_equal(lab.set.changes.len, 8);
    const char *few = shown(&lab, 2, false), *many = shown(&lab, 6, false);
    assert_int_equal(count_of(few, "auxiliary c"), 2);
    assert_int_equal(count_of(many, "auxiliary c"), 0);
    assert_int_equal(count_of(many, "6 changes without which it does not compile: p.c (6)"), 1);
    assert_int_equal(count_of(shown(&lab, 6, true), "auxiliary c"), 6);
    assert_int_equal(count_of(few, "Reverting this change alone instead"), 1);
    assert_int_equal(count_of(few, "or c8  p.c:30"), 1);
    buf_release(&good);
    buf_release(&bad);
    lab_free(&lab);
}

TEST_MAIN(cmocka_unit_test(either_of_two_is_enough),
          cmocka_unit_test(one_build_where_there_is_none),
          cmocka_unit_test(others_are_among_the_suspected),
          cmocka_unit_test(half_as_suspected_comes_before_all),
          cmocka_unit_test(many_auxiliary_changes_are_one_line))

/* List minimisers and differences, by properties on random lists. */
#include "base/rng.h"
#include "shrink/diff.h"
#include "shrink/shrink.h"
#include "test.h"

/* A subset fails iff all needed elements are there; unresolved when an element lacks its partner.
 */
typedef struct Monotone {
    uint8_t needed[200];
    size_t partner[200]; /* partner[i] == i: none */
} Monotone;

static ShrinkVerdict judge(void *user, const uint8_t *keep, size_t n) {
    Monotone *m = user;
    for (size_t i = 0; i < n; i++)
        if (keep[i] && !keep[m->partner[i]]) return SHRINK_UNRESOLVED;
    for (size_t i = 0; i < n; i++)
        if (m->needed[i] && !keep[i]) return SHRINK_PASSES;
    return SHRINK_FAILS;
}

static size_t random_problem(Rng *rng, Monotone *m) {
    size_t n = 1 + rng_below(rng, 120);
    for (size_t i = 0; i < n; i++) {
        m->needed[i] = rng_chance(rng, 0.05);
        m->partner[i] = i && rng_chance(rng, 0.2) ? rng_below(rng, i) : i;
    }
    return n;
}

static void check_minimal(Monotone *m, uint8_t *keep, size_t n) {
    assert_int_equal(judge(m, keep, n), SHRINK_FAILS);
    for (size_t i = 0; i < n; i++) {
        if (!keep[i]) continue;
        keep[i] = 0;
        assert_int_not_equal(judge(m, keep, n), SHRINK_FAILS);
        keep[i] = 1;
    }
}

static void minimisers_end_minimal(void **state) {
    (void)state;
    Rng rng = rng_new(1);
    for (int round = 0; round < 300; round++) {
        Monotone m = { 0 };
        size_t n = random_problem(&rng, &m);
        for (const ShrinkMethod *method = shrink_methods; method->name; method++) {
            uint8_t keep[200];
            memset(keep, 1, sizeof keep);
            ShrinkPlain plain = { judge, &m, 0 };
            ShrinkTest test = shrink_one_by_one(&plain);
            size_t left = method->run(&test, keep, n);
            size_t count = 0;
            for (size_t i = 0; i < n; i++) count += keep[i];
            assert_int_equal(left, count);
            if (strcmp(method->name, "cdd") == 0)
                assert_int_equal(judge(&m, keep, n), SHRINK_FAILS);
            else
                check_minimal(&m, keep, n);
        }
    }
}

static void cdd_needs_fewer_tests(void **state) {
    (void)state;
    Monotone m = { 0 };
    for (size_t i = 0; i < 200; i++) m.partner[i] = i;
    m.needed[20] = m.needed[77] = m.needed[150] = 1;
    size_t tests[2];
    for (int k = 0; k < 2; k++) {
        uint8_t keep[200];
        memset(keep, 1, sizeof keep);
        ShrinkPlain plain = { judge, &m, 0 };
        ShrinkTest test = shrink_one_by_one(&plain);
        assert_int_equal((k ? shrink_ddmin : shrink_fast)(&test, keep, 200), 3);
        tests[k] = plain.tests;
    }
    assert_true(tests[0] < tests[1]);
}

static void dd_isolates_one_difference(void **state) {
    (void)state;
    Rng rng = rng_new(2);
    for (int round = 0; round < 200; round++) {
        Monotone m = { 0 };
        size_t n = random_problem(&rng, &m);
        for (size_t i = 0; i < n; i++) m.partner[i] = i;
        m.needed[rng_below(&rng, n)] = 1;
        uint8_t pass[200] = { 0 }, fail[200];
        memset(fail, 1, sizeof fail);
        ShrinkPlain plain = { judge, &m, 0 };
        ShrinkTest test = shrink_one_by_one(&plain);
        assert_int_equal(shrink_dd(&test, pass, fail, n), 1);
        assert_int_equal(judge(&m, pass, n), SHRINK_PASSES);
        assert_int_equal(judge(&m, fail, n), SHRINK_FAILS);
    }
}

/* Length of a longest common subsequence by the quadratic textbook way. */
static size_t lcs(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    size_t row[200] = { 0 };
    for (size_t i = 0; i < n; i++) {
        size_t diagonal = 0;
        for (size_t j = 0; j < m; j++) {
            size_t up = row[j + 1];
            if (a[i] == b[j])
                row[j + 1] = diagonal + 1;
            else if (row[j] > row[j + 1])
                row[j + 1] = row[j];
            diagonal = up;
        }
    }
    return row[m];
}

static void diff_is_shortest_and_patches(void **state) {
    (void)state;
    Rng rng = rng_new(3);
    for (int round = 0; round < 2000; round++) {
        uint32_t a[120], b[120];
        size_t n = rng_below(&rng, 120), m = rng_below(&rng, 120),
               letters = 1 + rng_below(&rng, 12);
        for (size_t i = 0; i < n; i++) a[i] = (uint32_t)rng_below(&rng, letters);
        for (size_t i = 0; i < m; i++) b[i] = (uint32_t)rng_below(&rng, letters);
        DiffHunks hunks = { 0 }, single = { 0 };
        diff_seqs((DiffSeq){ a, n }, (DiffSeq){ b, m }, &hunks);
        assert_int_equal(diff_size(&hunks), n + m - 2 * lcs(a, n, b, m));
        diff_split(&hunks, &single);
        assert_int_equal(single.len, diff_size(&hunks));
        StrVec as = { 0 }, bs = { 0 };
        for (size_t i = 0; i < n; i++) vec_push(&as, ((Str){ &"abcdefghijkl"[a[i]], 1 }));
        for (size_t i = 0; i < m; i++) vec_push(&bs, ((Str){ &"abcdefghijkl"[b[i]], 1 }));
        Buf by_hunk = { 0 }, by_single = { 0 };
        diff_patch(&as, &bs, &hunks, NULL, &by_hunk);
        diff_patch(&as, &bs, &single, NULL, &by_single);
        assert_int_equal(by_hunk.len, m);
        assert_true(str_eq(buf_view(&by_hunk), buf_view(&by_single)));
        for (size_t i = 0; i < m; i++) assert_int_equal(by_hunk.at[i], bs.at[i].at[0]);
        vec_release(&hunks), vec_release(&single), vec_release(&as), vec_release(&bs);
        buf_release(&by_hunk), buf_release(&by_single);
    }
}

static void diff_of_long_strangers_stays_bounded(void **state) {
    (void)state;
    size_t n = 300000;
    uint32_t *a = mem_alloc(n * sizeof *a), *b = mem_alloc(n * sizeof *b);
    Rng rng = rng_new(4);
    for (size_t i = 0; i < n; i++) {
        a[i] = (uint32_t)rng_below(&rng, 50);
        b[i] = (uint32_t)rng_below(&rng, 50) + 40;
    }
    DiffHunks hunks = { 0 };
    diff_seqs((DiffSeq){ a, n }, (DiffSeq){ b, n }, &hunks);
    size_t at = 0, to = 0;
    for (size_t h = 0; h < hunks.len; h++) {
        while (at < hunks.at[h].a) assert_int_equal(a[at++], b[to++]);
        assert_int_equal(to, hunks.at[h].b);
        at += hunks.at[h].a_len, to += hunks.at[h].b_len;
    }
    while (at < n) assert_int_equal(a[at++], b[to++]);
    assert_int_equal(to, n);
    vec_release(&hunks);
    mem_free(a), mem_free(b);
}

static void lines_make_hunks(void **state) {
    (void)state;
    DiffHunks hunks = { 0 };
    StrVec a = { 0 }, b = { 0 };
    diff_lines(STR("one\ntwo\nthree\nfour"), STR("one\n2\nthree\nfour\nfive"), &hunks, &a, &b);
    assert_int_equal(hunks.len, 2);
    assert_int_equal(hunks.at[0].a, 1);
    assert_int_equal(hunks.at[0].b_len, 1);
    Buf out = { 0 };
    diff_patch(&a, &b, &hunks, (uint8_t[]){ 1, 0 }, &out);
    assert_str(buf_view(&out), "one\n2\nthree\nfour");
    vec_release(&hunks), vec_release(&a), vec_release(&b);
    buf_release(&out);
}

TEST_MAIN(cmocka_unit_test(minimisers_end_minimal), cmocka_unit_test(cdd_needs_fewer_tests),
          cmocka_unit_test(dd_isolates_one_difference),
          cmocka_unit_test(diff_is_shortest_and_patches),
          cmocka_unit_test(diff_of_long_strangers_stays_bounded),
          cmocka_unit_test(lines_make_hunks))

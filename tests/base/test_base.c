/* The vocabulary: strings, arrays, map, arena, random streams, quantities, options, JSON. */
#include "test.h"

#include "base/json.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "base/rng.h"

static void strings(void **state) {
    (void)state;
    Str rest = STR("a,,b"), part;
    assert_true(str_split(&rest, ',', &part) && str_is(part, "a"));
    assert_true(str_split(&rest, ',', &part) && part.len == 0);
    assert_true(str_split(&rest, ',', &part) && str_is(part, "b"));
    assert_false(str_split(&rest, ',', &part));
    uint64_t u = 0;
    int64_t i = 0;
    assert_true(str_to_u64(STR("18446744073709551615"), &u) && u == UINT64_MAX);
    assert_false(str_to_u64(STR("18446744073709551616"), &u));
    assert_false(str_to_u64(STR("-1"), &u));
    assert_false(str_to_u64(STR("1x"), &u));
    assert_true(str_to_i64(STR("-0x10"), &i) && i == -16);
    assert_str(str_trim(STR(" \t x y \n")), "x y");
    assert_int_equal(str_find(STR("abcabc"), STR("ca"), 0), 2);
    assert_true(str_find(STR("abc"), STR("d"), 0) == STR_NONE);
}

static void map_against_array(void **state) {
    (void)state;
    enum { N = 5000 };
    Map map = { 0 };
    static uint64_t expected[N];
    Rng rng = rng_new(7);
    for (int k = 0; k < 20000; k++) {
        uint64_t key = rng_below(&rng, N), value = rng_next(&rng) | 1;
        bool fresh = map_put(&map, map_key_u64(&key), value);
        assert_int_equal(fresh, expected[key] == 0);
        expected[key] = value;
    }
    for (uint64_t key = 0; key < N; key++) {
        uint64_t value = 0;
        assert_int_equal(map_get(&map, map_key_u64(&key), &value), expected[key] != 0);
        assert_int_equal(value, expected[key]);
    }
    map_release(&map);
}

static void arena_zeroed_after_clear(void **state) {
    (void)state;
    Arena arena = { 0 };
    for (int round = 0; round < 3; round++) {
        for (size_t n = 1; n < 5000; n += 37) {
            unsigned char *at = arena_alloc(&arena, n);
            assert_int_equal((uintptr_t)at % 16, 0);
            for (size_t i = 0; i < n; i++) assert_int_equal(at[i], 0);
            memset(at, 0xff, n);
        }
        arena_clear(&arena);
    }
    arena_release(&arena);
}

static void streams_are_independent(void **state) {
    (void)state;
    Rng a = rng_stream(1, "variant", 0), b = rng_stream(1, "variant", 1),
        c = rng_stream(1, "mutant", 0), again = rng_stream(1, "variant", 0);
    uint64_t first = rng_next(&a);
    assert_int_equal(first, rng_next(&again));
    assert_int_not_equal(first, rng_next(&b));
    assert_int_not_equal(first, rng_next(&c));
    double sum = 0;
    for (int i = 0; i < 10000; i++) sum += rng_real(&a);
    assert_true(sum > 4800 && sum < 5200);
    for (int i = 0; i < 1000; i++) {
        int64_t x = rng_between(&a, INT64_MIN, INT64_MAX), y = rng_between(&a, -2, 2);
        (void)x;
        assert_true(y >= -2 && y <= 2);
    }
}

static void quantities(void **state) {
    (void)state;
    double s = 0;
    uint64_t n = 0;
    assert_true(quantity_duration(STR("90s"), &s) && s == 90);
    assert_true(quantity_duration(STR("1h30m"), &s) && s == 5400);
    assert_true(quantity_duration(STR("250ms"), &s) && s > 0.249 && s < 0.251);
    assert_true(quantity_duration(STR("5"), &s) && s == 5);
    assert_false(quantity_duration(STR("soon"), &s));
    assert_false(quantity_duration(STR("5 parsecs"), &s));
    assert_true(quantity_size(STR("2G"), &n) && n == 2ull << 30);
    assert_true(quantity_size(STR("1.5KiB"), &n) && n == 1536);
    assert_false(quantity_size(STR("2Q"), &n));
    char out[32];
    assert_string_equal(quantity_show_duration(3725, out), "1h 02m");
}

static bool flag;
static uint64_t number = 5;
static double limit;
static StrVec list;
static const char *method = "after";
static const Opt table[] = {
    { 'f', "flag", OPT_FLAG, &flag, NULL, "a flag", NULL },
    { 'n', "number", OPT_UINT, &number, "N", "a number", NULL },
    { 0, "time", OPT_TIME, &limit, "T", "a time", NULL },
    { 0, "cc", OPT_LIST, &list, "NAME", "a list", NULL },
    { 0, "method", OPT_CHOICE, &method, "M", "a choice", "after|dd" },
    { 0 },
};
static const char *const conflicts[] = { "flag", "time", NULL };
static const OptSpec spec = {
    "try", "[OPTION].. FILE", "tries", table, conflicts, NULL, 1, 2, NULL
};

static OptsEnd parse(const char *line, StrVec *rest, Error *err) {
    static Arena arena;
    char *argv[16] = { "try" };
    int argc = 1;
    Str words = str_from(line), word;
    while (str_split(&words, ' ', &word)) argv[argc++] = arena_cstr(&arena, word);
    return opts_parse(&spec, argc, argv, rest, err);
}

static void options(void **state) {
    (void)state;
    Error err = { 0 };
    StrVec rest = { 0 };
    assert_int_equal(parse("-fn7 --cc=a file --cc b", &rest, &err), OPTS_GO);
    assert_true(flag && number == 7 && list.len == 2 && rest.len == 1);
    assert_str(rest.at[0], "file");
    assert_true(opts_given("cc") && !opts_given("time"));
    assert_int_equal(parse("--nmber 3 x", &rest, &err), OPTS_BAD);
    assert_string_equal(err.text, "unknown option --nmber; did you mean --number?");
    assert_int_equal(parse("--number x y", &rest, &err), OPTS_BAD);
    assert_int_equal(parse("--flag --time 3s y", &rest, &err), OPTS_BAD);
    assert_string_equal(err.text, "--flag and --time exclude each other");
    assert_int_equal(parse("--method gcc y", &rest, &err), OPTS_BAD);
    assert_int_equal(parse("--time", &rest, &err), OPTS_BAD);
    assert_int_equal(parse("-f", &rest, &err), OPTS_BAD);
    assert_int_equal(err.status, STATUS_BAD);
    vec_release(&rest);
}

static void json_takes_any_bytes(void **state) {
    (void)state;
    Buf out = { 0 };
    json_t *value = json_text((Str){ "a\0b\xff\xc3\xa9", 6 });
    json_dump_buf(value, false, &out);
    assert_string_equal(out.at, "\"a\xef\xbf\xbd"
                                "b\xef\xbf\xbd\xc3\xa9\"");
    json_decref(value);
    buf_release(&out);
    Error err = { 0 };
    assert_null(json_parse(STR("{\"a\":"), "x.json", &err));
    assert_int_equal(err.status, STATUS_BAD);
}

TEST_MAIN(cmocka_unit_test(strings), cmocka_unit_test(map_against_array),
          cmocka_unit_test(arena_zeroed_after_clear), cmocka_unit_test(streams_are_independent),
          cmocka_unit_test(quantities), cmocka_unit_test(options),
          cmocka_unit_test(json_takes_any_bytes))

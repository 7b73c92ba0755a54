/* The vocabulary: strings, arrays, map, arena, random streams, quantities, options, JSON. */
#include "test.h"

#include "base/file.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "base/rng.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
    char counted[48];
    assert_string_equal(quantity_show_count(1, "seed", counted), "1 seed");
    assert_string_equal(quantity_show_count(0, "seed", counted), "0 seeds");
    assert_string_equal(quantity_show_duration(3725, out), "1h 02m");
}

typedef struct TryOptions {
    bool flag;
    uint64_t number;
    double limit;
    StrVec list;
    const char *method;
} TryOptions;
static const Opt table[] = {
    { 'f', "flag", OPT_FLAG, OPT_IN(TryOptions, flag), NULL, "a flag", NULL },
    { 'n', "number", OPT_UINT, OPT_IN(TryOptions, number), "N", "a number", NULL },
    { 0, "time", OPT_TIME, OPT_IN(TryOptions, limit), "T", "a time", NULL },
    { 0, "cc", OPT_LIST, OPT_IN(TryOptions, list), "NAME", "a list", NULL },
    { 0, "method", OPT_CHOICE, OPT_IN(TryOptions, method), "M", "a choice", "after|dd" },
    { 0 },
};
static const char *const conflicts[] = { "flag", "time", NULL };
static const OptSpec spec = {
    "try", "[OPTION].. FILE", "tries", table, conflicts, NULL, 1, 2, NULL
};

/* Parses line into o; the operands are left in opts, which was released before. */
static OptsEnd parse(const char *line, TryOptions *o, Opts *opts, Error *err) {
    static Arena arena;
    char *argv[16] = { "try" };
    int argc = 1;
    Str words = str_from(line), word;
    while (str_split(&words, ' ', &word)) argv[argc++] = arena_cstr(&arena, word);
    opts_release(opts);
    vec_release(&o->list);
    *o = (TryOptions){ .number = 5, .method = "after" };
    return opts_read(&spec, argc, argv, o, opts, err);
}

static void options(void **state) {
    (void)state;
    Error err = { 0 };
    TryOptions o = { 0 };
    Opts opts = { 0 };
    assert_int_equal(parse("-fn7 --cc=a file --cc b", &o, &opts, &err), OPTS_GO);
    assert_true(o.flag && o.number == 7 && o.list.len == 2 && opts.rest.len == 1);
    assert_str(opts.rest.at[0], "file");
    assert_true(opts_has(&opts, "cc") && !opts_has(&opts, "time"));
    /* a second parse knows nothing about the first */
    assert_int_equal(parse("file", &o, &opts, &err), OPTS_GO);
    assert_true(!o.flag && o.number == 5 && o.list.len == 0 && !opts_has(&opts, "cc"));
    assert_int_equal(parse("--nmber 3 x", &o, &opts, &err), OPTS_BAD);
    assert_string_equal(err.text, "unknown option --nmber; did you mean --number?");
    assert_int_equal(parse("--num 3 x", &o, &opts, &err), OPTS_BAD);
    assert_string_equal(err.text, "unknown option --num; did you mean --number?");
    assert_int_equal(parse("--number x y", &o, &opts, &err), OPTS_BAD);
    assert_int_equal(parse("--flag --time 3s y", &o, &opts, &err), OPTS_BAD);
    assert_string_equal(err.text, "--flag and --time exclude each other");
    assert_int_equal(parse("--method gcc y", &o, &opts, &err), OPTS_BAD);
    assert_int_equal(parse("--time", &o, &opts, &err), OPTS_BAD);
    assert_int_equal(parse("-f", &o, &opts, &err), OPTS_BAD);
    assert_int_equal(err.status, STATUS_BAD);
    assert_int_equal(parse("-f -- -dash.c", &o, &opts, &err), OPTS_GO);
    assert_str(opts.rest.at[0], "./-dash.c");
    opts_release(&opts);
}

/* What cannot be written completely leaves the old file, and no temporary one. */
static void files_are_whole(void **state) {
    (void)state;
    char dir[] = "/tmp/culprit-test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    Arena arena = { 0 };
    Error err = { 0 };
    const char *path = file_join(&arena, dir, "result");
    assert_true(file_save(path, STR("old"), &err));
    struct rlimit was, small = { 100, 100 };
    getrlimit(RLIMIT_FSIZE, &was);
    small.rlim_max = was.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    char large[1000];
    memset(large, 'x', sizeof large);
    assert_false(file_save(path, (Str){ large, sizeof large }, &err));
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(err.status, STATUS_LACKS);
    Str text;
    assert_true(file_read(&arena, path, &text, &err));
    assert_str(text, "old");
    StrVec left = { 0 };
    assert_true(file_list(&arena, dir, NULL, &left, &err));
    assert_int_equal(left.len, 1);
    vec_release(&left);
    assert_false(file_make_dirs(path, &err));
    assert_int_equal(err.status, STATUS_BAD); /* a file is in the place of a directory */
    file_remove_tree(dir);
    arena_release(&arena);
}

/* A pipe or a device is written to, and a link goes on leading to its file. */
static void files_keep_their_kind(void **state) {
    (void)state;
    char dir[] = "/tmp/culprit-test-XXXXXX", got[8] = { 0 };
    assert_non_null(mkdtemp(dir));
    Arena arena = { 0 };
    Error err = { 0 };
    const char *pipe_at = file_join(&arena, dir, "pipe"), *at = file_join(&arena, dir, "file");
    const char *link_at = file_join(&arena, dir, "link");
    struct stat st;
    assert_int_equal(mkfifo(pipe_at, 0600), 0);
    int fd = open(pipe_at, O_RDWR | O_NONBLOCK);
    assert_true(file_save(pipe_at, STR("text"), &err));
    assert_int_equal(read(fd, got, sizeof got), 4);
    assert_string_equal(got, "text");
    assert_true(lstat(pipe_at, &st) == 0 && S_ISFIFO(st.st_mode));
    close(fd);
    assert_true(file_save(at, STR("old"), &err));
    assert_int_equal(symlink("file", link_at), 0);
    assert_true(file_save(link_at, STR("new"), &err));
    assert_true(lstat(link_at, &st) == 0 && S_ISLNK(st.st_mode));
    Str text;
    assert_true(file_read(&arena, at, &text, &err));
    assert_str(text, "new");
    file_remove_tree(dir);
    arena_release(&arena);
}

/* A link as the top stands for its directory; below it links stay links. */
static void a_tree_behind_a_link_is_copied(void **state) {
    (void)state;
    char dir[] = "/tmp/culprit-copy-XXXXXX";
    assert_non_null(mkdtemp(dir));
    Arena arena = { 0 };
    Error err = { 0 };
    struct stat st;
    Str text;
    const char *tree = file_join(&arena, dir, "tree"), *link_at = file_join(&arena, dir, "link");
    const char *to = file_join(&arena, dir, "copy");
    assert_true(file_make_dirs(tree, &err) && file_make_dirs(to, &err));
    assert_true(file_write(file_join(&arena, tree, "a"), STR("text"), &err));
    assert_int_equal(symlink("a", file_join(&arena, tree, "b")), 0);
    assert_int_equal(symlink("tree", link_at), 0);
    assert_true(file_copy_tree(link_at, to, &err));
    assert_true(file_read(&arena, file_join(&arena, to, "a"), &text, &err));
    assert_str(text, "text");
    assert_true(lstat(file_join(&arena, to, "b"), &st) == 0 && S_ISLNK(st.st_mode));
    file_remove_tree(dir);
    arena_release(&arena);
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
          cmocka_unit_test(files_are_whole), cmocka_unit_test(files_keep_their_kind),
          cmocka_unit_test(a_tree_behind_a_link_is_copied), cmocka_unit_test(json_takes_any_bytes))

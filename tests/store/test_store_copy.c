/* Stores into each other: from a file into a database and back, more than once. */
#include "fixture.h"

static Case example(const char *bucket, Str variant) {
    return (Case){ .compiler = STR("gcc-12"),
                   .verdict = STR("crash"),
                   .bucket = str_from(bucket),
                   .variant = variant };
}

static void put(Fixture *f, Store *store, int64_t campaign, uint64_t number, const char *bucket,
                Str variant) {
    Case c = example(bucket, variant);
    CompilerTiming timing = { STR("gcc-12"), STR("12.2.0"), 2, 0.3, 0.2 };
    SeedDone done = { .number = number,
                      .totals = { .programs = 3, .total_cpu_s = 0.5 },
                      .timings = &timing,
                      .n_timings = 1 };
    must(f, store_seed_done(store, campaign, &done, &c, 1, NULL, NULL, &f->err));
}

static Case find(Fixture *f, Store *store, const char *bucket) {
    Case *cases, c;
    size_t n;
    CaseFilter filter = { .bucket = bucket };
    must(f, store_case_list(store, &f->arena, &filter, &cases, &n, NULL, &f->err));
    assert_int_equal(n, 1);
    must(f, store_case_get(store, &f->arena, cases[0].id, &c, &f->err));
    return c;
}

static void a_copy_is_repeatable(void **state) {
    Fixture *f = *state;
    Store *from = store_open(file_join(&f->arena, f->dir, "from.db"), STORE_WRITE, &f->err);
    must(f, from);
    Store *to = must_open(f, STORE_WRITE); /* a file, or a database */
    int64_t campaign;
    uint64_t n;
    must(f, store_campaign_new(from, STR("{\"seed\":5}"), &campaign, &f->err));
    put(f, from, campaign, 0, "a", STR("int large;"));
    put(f, from, campaign, 1, "a", STR("int x;"));
    put(f, from, campaign, 2, "b", STR("\xff\0y"));
    Case own = example("a", STR("x;"));
    int64_t id;
    must(f, store_case_put(to, &own, &id, NULL, &f->err)); /* known there, and smaller */
    must(f, store_copy(from, to, &n, &f->err));
    assert_int_equal(n, 2);
    must(f, store_copy(from, to, &n, &f->err));
    assert_int_equal(n, 0);
    Case a = find(f, to, "a"), b = find(f, to, "b");
    assert_int_equal(a.count, 3);
    assert_str(a.variant, "x;");
    assert_int_equal(b.count, 1);
    assert_true(str_eq(b.variant, STR("\xff\0y")));
    /* what is new since is added: a hit, and what a later stage found out */
    put(f, from, campaign, 3, "b", STR("\xff"));
    CaseSet set = { "rankings", STR("{}") };
    must(f, store_case_set(from, find(f, from, "b").id, &set, 1, &f->err));
    CaseStep step = { find(f, from, "b").id, STR("isolate"), STR("done"), STR(""), 1, 2 }, *steps;
    must(f, store_step_put(from, &step, &f->err));
    must(f, store_copy(from, to, &n, &f->err));
    assert_int_equal(n, 1);
    b = find(f, to, "b");
    assert_int_equal(b.count, 2);
    assert_true(str_eq(b.variant, STR("\xff")));
    assert_str(b.rankings, "{}");
    size_t n_steps, n_campaigns;
    must(f, store_steps(to, &f->arena, b.id, &steps, &n_steps, &f->err));
    assert_int_equal(n_steps, 1);
    Campaign *campaigns;
    must(f, store_campaign_list(to, &f->arena, &campaigns, &n_campaigns, &f->err));
    assert_int_equal(n_campaigns, 1);
    assert_int_equal(campaigns[0].totals.seeds, 4);
    assert_int_equal(campaigns[0].totals.programs, 12);
    assert_int_equal(campaigns[0].totals.findings, 4);
    assert_int_equal(b.campaign, campaigns[0].id);
    Case *cases;
    size_t n_cases;
    uint64_t total;
    must(f, store_case_list(to, &f->arena, &(CaseFilter){ 0 }, &cases, &n_cases, &total, &f->err));
    assert_true(n_cases == 2 && total == 2);
    CompilerTiming *timings;
    size_t n_timings;
    must(f, store_timings(to, &f->arena, campaigns[0].id, &timings, &n_timings, &f->err));
    assert_true(n_timings == 1 && timings[0].compilations == 8);
    /* and back: what came from there is not doubled by being its own again */
    Store *third = store_open(file_join(&f->arena, f->dir, "third.db"), STORE_WRITE, &f->err);
    must(f, third);
    must(f, store_copy(to, third, &n, &f->err));
    assert_int_equal(n, 2);
    assert_int_equal(find(f, third, "a").count, 3);
    assert_false(store_copy(to, to, &n, &f->err));
    store_close(from), store_close(to), store_close(third);
}

TEST_MAIN(TEST(a_copy_is_repeatable))

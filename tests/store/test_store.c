/* The store: what goes in comes out, hits of a bucket merge the same way in any order, files that
 * are not ours are refused in one line. */
#include "base/rng.h"
#include "fixture.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char hostile_bytes[] = "</script>\0\xff\xfe\n'\"--";

static Case example(const char *bucket, Str variant, uint64_t number) {
    return (Case){ .compiler = STR("gcc-12"),
                   .verdict = STR("crash"),
                   .bucket = str_from(bucket),
                   .signature = STR("in foo, at bar.c:1"),
                   .seed = STR("int main(void) { return 0; }\n"),
                   .variant = variant,
                   .number = number };
}

static void everything_comes_back(void **state) {
    Fixture *f = *state;
    Str odd = { hostile_bytes, sizeof hostile_bytes - 1 };
    Case in = example("b", odd, 7);
    in.code = 3, in.flags = STR("-O2 -g"), in.rankings = STR("{}"), in.title = odd,
    in.notes = STR("n");
    Store *store = must_open(f, STORE_WRITE);
    int64_t id;
    bool is_new;
    must(f, store_case_put(store, &in, &id, &is_new, &f->err));
    assert_true(is_new);
    store_close(store);
    store = must_open(f, STORE_READ);
    Case out;
    must(f, store_case_get(store, &f->arena, id, &out, &f->err));
    assert_true(str_eq(out.variant, odd));
    assert_true(str_eq(out.title, odd));
    assert_str(out.flags, "-O2 -g");
    assert_str(out.rankings, "{}");
    assert_str(out.explanations, "");
    assert_int_equal(out.number, 7);
    assert_int_equal(out.code, 3);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.size, odd.len);
    assert_true(out.created > 1e9 && out.updated >= out.created);
    assert_false(store_case_get(store, &f->arena, id + 1, &out, &f->err));
    assert_int_equal(f->err.status, STATUS_NO);
    store_close(store);
}

static void members_are_set_together(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    Case in = example("b", STR("int x;"), 1), out;
    int64_t id;
    must(f, store_case_put(store, &in, &id, NULL, &f->err));
    CaseSet sets[] = { { "reduced_variant", STR("x;") },
                       { "matters", STR("vrp1") },
                       { "seed", STR("") } };
    must(f, store_case_set(store, id, sets, 3, &f->err));
    must(f, store_case_get(store, &f->arena, id, &out, &f->err));
    assert_str(out.reduced_variant, "x;");
    assert_str(out.matters, "vrp1");
    assert_str(out.seed, "");
    assert_false(store_case_set(store, 99, sets, 3, &f->err));
    assert_int_equal(f->err.status, STATUS_NO);
    must(f, store_case_remove(store, id, &f->err));
    assert_false(store_case_get(store, &f->arena, id, &out, &f->err));
    store_close(store);
}

/* The same hits in 20 random orders, split over two campaigns' worth of calls: one case, the same
 * example, the same count. */
static void buckets_do_not_depend_on_order(void **state) {
    Fixture *f = *state;
    Case hits[40];
    Rng rng = rng_new(1);
    for (size_t i = 0; i < COUNT_OF(hits); i++) {
        size_t len = 3 + rng_below(&rng, 4); /* many ties in size */
        hits[i] = example("same", (Str){ "0123456789", len }, rng_below(&rng, 10));
        hits[i].variant_number = i;
    }
    Str first = { 0 };
    for (int round = 0; round < 20; round++) {
        rng_shuffle(&rng, hits, COUNT_OF(hits), sizeof hits[0]);
        const char *path = fixture_path(f, arena_fmt(&f->arena, "s%d.db", round));
        Store *store = store_open(path, STORE_WRITE, &f->err);
        must(f, store);
        int64_t id = 0;
        for (size_t i = 0; i < COUNT_OF(hits); i++)
            must(f, store_case_put(store, &hits[i], &id, NULL, &f->err));
        assert_int_equal(id, 1);
        Case c;
        must(f, store_case_get(store, &f->arena, 1, &c, &f->err));
        assert_int_equal(c.count, COUNT_OF(hits));
        Str best =
            str_from(arena_fmt(&f->arena, "%zu %llu %llu", c.variant.len,
                               (unsigned long long)c.number, (unsigned long long)c.variant_number));
        if (round == 0) first = best;
        assert_true(str_eq(first, best));
        assert_int_equal(c.size, 3);
        store_close(store);
    }
}

static void a_reduced_example_stays(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    Case large = example("b", STR("int large;"), 1), small = example("b", STR("x;"), 2), out;
    int64_t id;
    bool is_new;
    must(f, store_case_put(store, &large, &id, NULL, &f->err));
    CaseSet reduced = { "reduced_variant", STR("l;") };
    must(f, store_case_set(store, id, &reduced, 1, &f->err));
    must(f, store_case_put(store, &small, &id, &is_new, &f->err));
    assert_false(is_new);
    must(f, store_case_get(store, &f->arena, id, &out, &f->err));
    assert_str(out.variant, "int large;");
    assert_str(out.reduced_variant, "l;");
    assert_int_equal(out.count, 2);
    /* without a bucket nothing is merged */
    small.bucket = STR("");
    int64_t other, third;
    must(f, store_case_put(store, &small, &other, NULL, &f->err));
    must(f, store_case_put(store, &small, &third, NULL, &f->err));
    assert_true(other != third);
    store_close(store);
}

static void a_seed_is_done_once(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    int64_t campaign, again, ids[2];
    bool is_new[2], fresh;
    must(f, store_campaign_open(store, STR("{\"seed\":1}"), &campaign, &fresh, &f->err));
    assert_true(fresh);
    must(f, store_campaign_open(store, STR("{\"seed\":1}"), &again, &fresh, &f->err));
    assert_false(fresh);
    assert_int_equal(campaign, again);
    Case findings[] = { example("a", STR("x"), 0), example("b", STR("y"), 0) };
    SeedDone done = { .number = 5,
                      .totals = { .programs = 11, .compilations = 110, .compiler_cpu_s = 2.5 } };
    done.note = STR("fine");
    must(f, store_seed_done(store, campaign, &done, findings, 2, ids, is_new, &f->err));
    assert_true(is_new[0] && is_new[1] && ids[0] != ids[1]);
    must(f, store_seed_done(store, campaign, &done, findings, 2, ids, is_new, &f->err));
    assert_false(is_new[0] || is_new[1]);
    done.number = 3;
    must(f, store_seed_done(store, campaign, &done, findings, 1, ids, is_new, &f->err));
    Campaign c;
    must(f, store_campaign_get(store, &f->arena, campaign, &c, &f->err));
    assert_int_equal(c.totals.seeds, 2);
    assert_int_equal(c.totals.programs, 22);
    assert_int_equal(c.totals.findings, 3);
    assert_int_equal(c.totals.buckets, 2);
    assert_true(c.totals.compiler_cpu_s == 5.0);
    uint64_t *numbers;
    size_t n;
    must(f, store_seeds_done(store, &f->arena, campaign, &numbers, &n, &f->err));
    assert_int_equal(n, 2);
    assert_true(numbers[0] == 3 && numbers[1] == 5);
    must(f, store_seed_get(store, &f->arena, campaign, 5, &done, &f->err));
    assert_str(done.note, "fine");
    assert_int_equal(done.totals.findings, 2);
    /* of an unknown campaign: nothing at all is written */
    findings[0].bucket = STR("c");
    done.number = 9;
    assert_false(store_seed_done(store, 77, &done, findings, 1, ids, is_new, &f->err));
    uint64_t total;
    Case *cases;
    must(f, store_case_list(store, &f->arena, &(CaseFilter){ 0 }, &cases, &n, &total, &f->err));
    assert_int_equal(total, 2);
    store_close(store);
}

static void time_series_add_up(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    int64_t campaign;
    must(f, store_campaign_new(store, STR("{}"), &campaign, &f->err));
    for (uint64_t i = 0; i < 30; i++) {
        SeedDone done = { .number = i, .totals = { .programs = i } };
        must(f, store_seed_done(store, campaign, &done, NULL, 0, NULL, NULL, &f->err));
    }
    must(f, store_coverage(store, campaign, 0.25, &f->err));
    Sample *samples;
    size_t n;
    must(f, store_samples(store, &f->arena, campaign, &samples, &n, &f->err));
    uint64_t programs = 0, seeds = 0;
    for (size_t i = 0; i < n; i++)
        programs += samples[i].totals.programs, seeds += samples[i].totals.seeds;
    assert_int_equal(programs, 29 * 30 / 2);
    assert_int_equal(seeds, 30);
    assert_true(samples[n - 1].coverage == 0.25);
    must(f, store_campaign_set(store, campaign, STR("done"), STR(""), &f->err));
    Campaign c;
    must(f, store_campaign_get(store, &f->arena, campaign, &c, &f->err));
    assert_str(c.state, "done");
    store_close(store);
}

/* Steps get longer with age, never by more than a twentieth of it, and begin where one ended. */
static void steps_get_longer(void **state) {
    (void)state;
    double last = 0;
    unsigned steps = 0;
    for (double age = 0; age < 60 * 86400.0; age += last, steps++) {
        double step = store_sample_step(age);
        assert_true(step >= last && (step == STORE_SAMPLE_S || step * 20 <= age));
        assert_true((uint64_t)age % (uint64_t)step == 0);
        last = step;
    }
    assert_true(last == 86400 && steps < 1000);
}

static void compilers_are_timed(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    int64_t campaign;
    must(f, store_campaign_new(store, STR("{}"), &campaign, &f->err));
    for (uint64_t i = 0; i < 3; i++) {
        CompilerTiming timings[] = { { STR("gcc-12"), STR("12.2.0"), 10, 1, 0.2 },
                                     { STR("clang-16"), STR("16.0.6"), 4, 2, 0.5 + (double)i },
                                     { STR("tcc"), STR("0.9.27"), 0, 0, 0 } };
        SeedDone done = { .number = i / 2, .timings = timings, .n_timings = 3 };
        must(f, store_seed_done(store, campaign, &done, NULL, 0, NULL, NULL, &f->err));
    }
    CompilerTiming *all;
    size_t n;
    must(f, store_timings(store, &f->arena, campaign, &all, &n, &f->err));
    assert_int_equal(n, 2);
    assert_str(all[0].compiler, "clang-16"); /* the slowest; number 0 counts once */
    assert_int_equal(all[0].compilations, 8);
    assert_true(all[0].cpu_s == 4 && all[0].slowest_s == 2.5);
    assert_str(all[1].version, "12.2.0");
    assert_int_equal(all[1].compilations, 20);
    store_close(store);
}

/* The kept number of cases is the number of cases. */
static void must_count(Fixture *f, Store *store, int64_t campaign, uint64_t wanted) {
    CaseFilter filter = { .campaign = campaign };
    Case *cases;
    size_t n;
    uint64_t total;
    must(f, store_case_list(store, &f->arena, &filter, &cases, &n, &total, &f->err));
    assert_int_equal(n, wanted);
    assert_int_equal(total, wanted);
}

static void cases_are_counted(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    int64_t campaign, own, id;
    must(f, store_campaign_new(store, STR("{}"), &campaign, &f->err));
    must_count(f, store, 0, 0);
    Case user = example("a", STR("int large;"), 0);
    must(f, store_case_put(store, &user, &own, NULL, &f->err));
    must_count(f, store, campaign, 0);
    /* a better example of it makes it the campaign's; the others are new, and one comes twice */
    Case found[] = { example("a", STR("int x;"), 1), example("b", STR("int x;"), 1),
                     example("c", STR("int x;"), 1), example("b", STR("int;"), 1) };
    SeedDone done = { .number = 1 };
    must(f, store_seed_done(store, campaign, &done, found, 4, NULL, NULL, &f->err));
    must(f, store_seed_done(store, campaign, &done, found, 4, NULL, NULL, &f->err));
    must_count(f, store, campaign, 3);
    must_count(f, store, 0, 3);
    user.bucket = STR("d");
    must(f, store_case_put(store, &user, &id, NULL, &f->err));
    must_count(f, store, 0, 4);
    must(f, store_case_merge(store, id, own, &f->err));
    must_count(f, store, campaign, 2);
    must(f, store_case_remove(store, id, &f->err));
    assert_false(store_case_remove(store, id, &f->err));
    must_count(f, store, 0, 2);
    store_close(store);
}

static void lists_filter_sort_and_page(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    for (int i = 0; i < 30; i++) {
        Case c = example("", (Str){ "012345678901234567890123456789", (size_t)i + 1 }, 0);
        c.compiler = i % 3 ? STR("gcc-12") : STR("clang-16");
        c.verdict = i % 2 ? STR("wrong") : STR("crash");
        c.matters = i == 9 ? STR("-fno-Tree-VRP") : STR("");
        int64_t id;
        must(f, store_case_put(store, &c, &id, NULL, &f->err));
    }
    CaseFilter filter = { .compiler = "clang-16",
                          .verdict = "wrong",
                          .order = CASE_BY_SIZE,
                          .descending = true,
                          .limit = 2,
                          .offset = 1 };
    Case *cases;
    size_t n;
    uint64_t total;
    must(f, store_case_list(store, &f->arena, &filter, &cases, &n, &total, &f->err));
    assert_int_equal(total, 5); /* i = 3, 9, 15, 21, 27 */
    assert_int_equal(n, 2);
    assert_int_equal(cases[0].size, 22);
    assert_int_equal(cases[1].size, 16);
    assert_str(cases[0].variant, "");
    filter = (CaseFilter){ .text = "tree-vrp" };
    must(f, store_case_list(store, &f->arena, &filter, &cases, &n, &total, &f->err));
    assert_int_equal(n, 1);
    assert_int_equal(cases[0].id, 10);
    const char *members[] = { "rankings", "variant", "seed" };
    uint32_t has;
    must(f, store_case_has(store, &cases[0].id, 1, members, 3, &has, &f->err));
    assert_int_equal(has, 6);
    store_close(store);
}

static void compilers_and_steps(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    KnownCompiler in = { .name = STR("tcc-cov"), .path = STR("/x/tcc"), .coverage = STR("/x") },
                  out, *all;
    size_t n;
    must(f, store_compiler_put(store, &in, &f->err));
    in.version = STR("0.9.27");
    must(f, store_compiler_put(store, &in, &f->err));
    must(f, store_compiler_list(store, &f->arena, &all, &n, &f->err));
    assert_int_equal(n, 1);
    must(f, store_compiler_get(store, &f->arena, "tcc-cov", &out, &f->err));
    assert_str(out.version, "0.9.27");
    assert_str(out.coverage, "/x");
    must(f, store_compiler_remove(store, "tcc-cov", &f->err));
    assert_false(store_compiler_remove(store, "tcc-cov", &f->err));
    assert_int_equal(f->err.status, STATUS_NO);
    Case c = example("", STR("x"), 0);
    int64_t id;
    must(f, store_case_put(store, &c, &id, NULL, &f->err));
    CaseStep step = { id, STR("reduce"), STR("running"), STR(""), 1, 0 }, *steps;
    must(f, store_step_put(store, &step, &f->err));
    step.name = STR("isolate");
    must(f, store_step_put(store, &step, &f->err));
    step.name = STR("reduce"), step.state = STR("done"), step.ended = 2;
    must(f, store_step_put(store, &step, &f->err));
    must(f, store_steps(store, &f->arena, id, &steps, &n, &f->err));
    assert_int_equal(n, 2);
    assert_str(steps[0].name, "reduce");
    assert_str(steps[0].state, "done");
    step.id_case = 99;
    assert_false(store_step_put(store, &step, &f->err));
    store_close(store);
}

/* ---- files that are not a store ---- */

static void refused(Fixture *f, const char *words) {
    for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
        f->err = (Error){ 0 };
        assert_null(store_open(f->path, (StoreMode)mode, &f->err));
        assert_int_equal(f->err.status, STATUS_BAD);
        if (!strstr(f->err.text, words) || !strstr(f->err.text, f->path))
            fail_msg("said: %s", f->err.text);
        assert_null(strchr(f->err.text, '\n'));
    }
}

static void run_sql(Fixture *f, const char *sql) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void other_files_are_refused(void **state) {
    Fixture *f = *state;
    needs_a_file();
    must(f, file_write(f->path,
                       STR("int main(void) { return 0; } /* surely no database */ int pad[100];\n"),
                       &f->err));
    refused(f, "not a store");
    Str text;
    must(f, file_read(&f->arena, f->path, &text, &f->err));
    assert_true(str_starts(text, "int main")); /* untouched */
    unlink(f->path);
    run_sql(f, "CREATE TABLE contacts(name)");
    refused(f, "another program");
    unlink(f->path);
    store_close(must_open(f, STORE_WRITE));
    run_sql(f, "PRAGMA user_version=1000");
    refused(f, "version 1000");
    unlink(f->path);
    assert_null(store_open(f->path, STORE_READ, &f->err));
    assert_non_null(strstr(f->err.text, "no store at"));
    assert_int_equal(mkdir(f->path, 0755), 0);
    refused(f, "is a directory");
}

/* A store as the first version of culprit left it: a reader refuses it, a writer brings it up to
 * date, and nothing is lost. */
static void an_old_store_is_migrated(void **state) {
    Fixture *f = *state;
    needs_a_file();
    Store *store = must_open(f, STORE_WRITE);
    Case c = example("b", STR("int x;"), 4);
    int64_t id;
    must(f, store_case_put(store, &c, &id, NULL, &f->err));
    store_close(store);
    run_sql(f, "ALTER TABLE cases DROP COLUMN code; ALTER TABLE cases DROP COLUMN reduced_code;"
               "DROP INDEX texts_own; DROP TABLE identity; DROP TABLE shares; DROP TABLE units;"
               "DROP TABLE plans; DROP TABLE copies; DROP TABLE workers; ALTER TABLE campaigns "
               "DROP COLUMN laid; DROP TABLE timings;"
               "PRAGMA user_version=1");
    assert_null(store_open(f->path, STORE_READ, &f->err));
    assert_non_null(strstr(f->err.text, "--upgrade"));
    store = must_open(f, STORE_WRITE);
    Case out;
    must(f, store_case_get(store, &f->arena, id, &out, &f->err));
    assert_int_equal(out.number, 4);
    assert_int_equal(out.code, 0);
    assert_str(out.bucket, "b");
    must_count(f, store, 0, 1);
    store_close(store);
    store = must_open(f, STORE_WRITE);
    must(f, store_case_set(store, id, &(CaseSet){ "reduced_code", STR("9") }, 1, &f->err));
    must(f, store_case_get(store, &f->arena, id, &out, &f->err));
    assert_int_equal(out.reduced_code, 9);
    store_close(store);
}

/* Two cases that turn out to be one: hits, notes and tags add up, and later hits of the bucket that
 * is gone count for the one that is left. */
static void cases_are_merged(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    Case a = example("a", STR("int x;"), 1), b = example("b", STR("int y;"), 2), out, *list;
    int64_t ida, idb, again;
    size_t n;
    must(f, store_case_put(store, &a, &ida, NULL, &f->err));
    must(f, store_case_put(store, &b, &idb, NULL, &f->err));
    must(f, store_case_set(store, ida, (CaseSet[]){ { "notes", STR("one") } }, 1, &f->err));
    must(f, store_case_set(store, idb,
                           (CaseSet[]){ { "notes", STR("two") }, { "tags", STR("good\nnew") } }, 2,
                           &f->err));
    assert_false(store_case_merge(store, ida, ida, &f->err));
    assert_false(store_case_merge(store, ida, 99, &f->err));
    must(f, store_case_merge(store, ida, idb, &f->err));
    assert_false(store_case_get(store, &f->arena, idb, &out, &f->err));
    must(f, store_case_put(store, &b, &again, NULL, &f->err));
    assert_int_equal(again, ida);
    must(f, store_case_get(store, &f->arena, ida, &out, &f->err));
    assert_int_equal(out.count, 3);
    assert_str(out.notes, "one\ntwo");
    must(f, store_case_list(store, &f->arena, &(CaseFilter){ .tag = "new" }, &list, &n, NULL,
                            &f->err));
    assert_int_equal(n, 1);
    must(f,
         store_case_list(store, &f->arena, &(CaseFilter){ .tag = "ne" }, &list, &n, NULL, &f->err));
    assert_int_equal(n, 0);
    must(f, store_case_list(store, &f->arena, &(CaseFilter){ .bucket = "a" }, &list, &n, NULL,
                            &f->err));
    assert_int_equal(n, 1);
    store_close(store);
}

/* Whatever byte of a store is damaged, reading answers or refuses, and does not crash. */
static void damage_is_noticed(void **state) {
    Fixture *f = *state;
    needs_a_file();
    Store *store = must_open(f, STORE_WRITE);
    for (int i = 0; i < 200; i++) { /* so that most of the file is theirs */
        Case c = example("", STR("int main(void) { return 0; } int variant;"), 0);
        int64_t id;
        must(f, store_case_put(store, &c, &id, NULL, &f->err));
    }
    store_close(store);
    Str good;
    must(f, file_read(&f->arena, f->path, &good, &f->err));
    char *bytes = arena_copy(&f->arena, good.at, good.len);
    Rng rng = rng_new(3);
    int noticed = 0;
    for (int round = 0; round < 100; round++) {
        memcpy(bytes, good.at, good.len);
        size_t from = rng_below(&rng, good.len), len = 1 + rng_below(&rng, 5000);
        for (size_t i = from; i < from + len && i < good.len; i++) bytes[i] = (char)rng_next(&rng);
        must(f, file_write(f->path, (Str){ bytes, good.len }, &f->err));
        Arena arena = { 0 };
        Store *broken = store_open(f->path, STORE_READ, &f->err);
        Case *cases;
        size_t n;
        noticed += !broken || !store_check(broken, &f->err);
        if (broken) store_case_list(broken, &arena, &(CaseFilter){ 0 }, &cases, &n, NULL, &f->err);
        store_close(broken);
        arena_release(&arena);
    }
    assert_true(noticed > 60);
}

/* As a user who may not write: reading works, writing is refused in one line. */
static int as_nobody(const char *path) {
    Arena arena = { 0 };
    Error err = { 0 };
    if (setgid(65534) != 0 || setuid(65534) != 0) return 10;
    Store *reader = store_open(path, STORE_READ, &err);
    if (!reader) return fprintf(stderr, "%s\n", err.text), 11;
    Case *cases;
    size_t n;
    if (!store_case_list(reader, &arena, &(CaseFilter){ 0 }, &cases, &n, NULL, &err) || n != 1)
        return 12;
    int64_t id;
    if (store_case_put(reader, &cases[0], &id, NULL, &err)) return 13;
    store_close(reader);
    Store *writer = store_open(path, STORE_WRITE, &err);
    if (writer) return 14;
    if (!strstr(err.text, "read-only")) return fprintf(stderr, "%s\n", err.text), 15;
    arena_release(&arena);
    return 0;
}

static void a_read_only_store_is_read(void **state) {
    Fixture *f = *state;
    needs_a_file();
    if (getuid() != 0) return; /* needs root */
    Store *store = must_open(f, STORE_WRITE);
    Case c = example("", STR("x"), 0);
    int64_t id;
    must(f, store_case_put(store, &c, &id, NULL, &f->err));
    store_close(store); /* the log is folded in: nothing lies beside the file */
    chmod(f->path, 0444);
    chmod(f->dir, 0555);
    pid_t pid = fork();
    if (pid == 0) _exit(as_nobody(f->path));
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

TEST_MAIN(TEST(everything_comes_back), TEST(members_are_set_together),
          TEST(buckets_do_not_depend_on_order), TEST(a_reduced_example_stays),
          TEST(a_seed_is_done_once), TEST(time_series_add_up), TEST(steps_get_longer),
          TEST(compilers_are_timed), TEST(cases_are_counted), TEST(lists_filter_sort_and_page),
          TEST(compilers_and_steps), TEST(other_files_are_refused), TEST(an_old_store_is_migrated),
          TEST(cases_are_merged), TEST(damage_is_noticed), TEST(a_read_only_store_is_read))

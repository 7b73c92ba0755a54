/* Any bytes as a store: refused with one line, or read from end to end; a writer migrates it or
 * says why not. */
#include "fuzz.h"
#include "report/site.h"
#include "store/store.h"

static void read_all(Store *store) {
    Arena arena = { 0 };
    Error err = { 0 };
    Case *cases, c;
    Campaign *campaigns;
    KnownCompiler *compilers;
    CaseStep *steps;
    Sample *samples;
    uint64_t *numbers, total;
    size_t n = 0, m;
    CaseFilter filter = { .limit = 10 };
    if (!store_case_list(store, &arena, &filter, &cases, &n, &total, &err)) n = 0;
    for (size_t i = 0; i < n; i++) {
        Buf page = { 0 };
        SiteRequest request = { .kind = SITE_CASE, .id = cases[i].id };
        store_case_get(store, &arena, cases[i].id, &c, &err);
        store_steps(store, &arena, cases[i].id, &steps, &m, &err);
        site_render(store, &request, true, &page, &err);
        buf_release(&page);
    }
    if (!store_campaign_list(store, &arena, &campaigns, &n, &err)) n = 0;
    for (size_t i = 0; i < n && i < 10; i++) {
        store_seeds_done(store, &arena, campaigns[i].id, &numbers, &m, &err);
        store_samples(store, &arena, campaigns[i].id, &samples, &m, &err);
        Buf page = { 0 };
        SiteRequest request = { .kind = SITE_CAMPAIGN, .id = campaigns[i].id };
        site_render(store, &request, true, &page, &err);
        buf_release(&page);
    }
    store_compiler_list(store, &arena, &compilers, &m, &err);
    store_check(store, &err);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    const char *path = fuzz_file(&arena, "fuzz.db", (Str){ (const char *)data, size });
    for (int mode = 0; mode < 2; mode++) {
        Error err = { 0 };
        Store *store = store_open(path, mode ? STORE_WRITE : STORE_READ, &err);
        if (!store) CHECK(err.status != STATUS_DONE && err.text[0]);
        if (store) read_all(store);
        if (store && mode) {
            int64_t id;
            Case c = { .compiler = STR("gcc"), .verdict = STR("crash"), .variant = STR("int a;") };
            bool put = store_case_put(store, &c, &id, NULL, &err);
            CHECK(put || err.status != STATUS_DONE);
        }
        store_close(store);
    }
    static const char *const ends[] = { "fuzz.db", "fuzz.db-wal", "fuzz.db-shm",
                                        "fuzz.db-journal" };
    for (size_t i = 0; i < COUNT_OF(ends); i++) unlink(file_join(&arena, fuzz_dir(), ends[i]));
    arena_release(&arena);
    return 0;
}

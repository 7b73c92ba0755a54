/* What the store costs, for bench/scale: one mode a run, figures as `name value` lines.
 *
 *   bench-store claims STORE WORKERS SECONDS   units claimed and recorded a second, with nothing in
 *                                              them
 *   bench-store grow STORE CASES               a claim, a unit with a known finding, one with a new
 *                                              one, the first page; the store has so many cases
 *   bench-store seeds STORE N                  CPU of N seeds with a finding each, one after the
 *                                              other */
#include "base/quantity.h"
#include "store/store.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static NORETURN void fail(const Error *err) {
    fprintf(stderr, "bench-store: %s\n", err->text);
    exit(2);
}

static Store *open_store(const char *path) {
    Error err = { 0 };
    Store *store = store_open(path, STORE_WRITE, &err);
    if (!store) fail(&err);
    return store;
}

static int64_t open_campaign(Store *store) {
    Error err = { 0 };
    int64_t id;
    if (!store_campaign_open(store, STR("{\"bench\":1}"), &id, NULL, &err)) fail(&err);
    return id;
}

static void do_unit(Store *store, const UnitAsk *ask, Case *finding) {
    Error err = { 0 };
    uint64_t number, tries;
    UnitEnd end;
    if (!store_unit_claim(store, ask, &number, &tries, &end, &err)) fail(&err);
    SeedDone done = { .number = number, .totals = { .programs = 11 }, .note = STR("{}") };
    if (!store_seed_done(store, ask->campaign, &done, finding, finding != NULL, NULL, NULL, &err))
        fail(&err);
}

/* ---- claims ---- */
static void claims(const char *path, unsigned workers, double seconds) {
    _Atomic uint64_t *count =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Store *first = open_store(path);
    int64_t campaign = open_campaign(first);
    store_close(first);
    double start = clock_now();
    for (unsigned i = 0; i < workers; i++) {
        if (fork() != 0) continue;
        Arena arena = { 0 };
        Store *store = open_store(path);
        UnitAsk ask = { .campaign = campaign, .worker = store_worker(&arena), .lease_s = 60 };
        while (clock_now() - start < seconds) do_unit(store, &ask, NULL), ++*count;
        store_close(store);
        _exit(0);
    }
    while (wait(NULL) > 0) continue;
    printf("units_per_s %.0f\n", (double)*count / (clock_now() - start));
}

/* ---- growth ---- */
enum { ROUNDS = 200 };

static void report(const char *name, double since) {
    printf("%s_ms %.3f\n", name, (clock_now() - since) * 1000 / ROUNDS);
}

static void first_page(Store *store) {
    Error err = { 0 };
    Arena arena = { 0 };
    Case *cases;
    Campaign *campaigns;
    size_t n;
    uint64_t total;
    CaseFilter filter = { .limit = 50, .descending = true };
    if (!store_case_list(store, &arena, &filter, &cases, &n, &total, &err) ||
        !store_campaign_list(store, &arena, &campaigns, &n, &err))
        fail(&err);
    arena_release(&arena);
}

static void grow(const char *path, uint64_t cases) {
    Arena arena = { 0 };
    Store *store = open_store(path);
    UnitAsk ask = { .campaign = open_campaign(store), .worker = STR("bench"), .lease_s = 60 };
    Case c = { .compiler = STR("gcc-12"), .verdict = STR("crash"), .variant = STR("int x;") };
    do_unit(store, &ask, NULL); /* statements are prepared, a batch is laid out */
    double start = clock_now();
    for (int i = 0; i < ROUNDS; i++) do_unit(store, &ask, NULL);
    report("empty_unit", start);
    start = clock_now();
    for (int i = 0; i < ROUNDS; i++) {
        c.bucket = str_from(
            arena_fmt(&arena, "b%llu", (unsigned long long)((uint64_t)i * 7919 % cases + 1)));
        do_unit(store, &ask, &c);
    }
    report("known_finding", start);
    start = clock_now();
    for (int i = 0; i < ROUNDS; i++) {
        c.bucket = str_from(arena_fmt(&arena, "new %d %d", (int)getpid(), i));
        do_unit(store, &ask, &c);
    }
    report("new_finding", start);
    start = clock_now();
    for (int i = 0; i < ROUNDS; i++) first_page(store);
    report("first_page", start);
    store_close(store);
    arena_release(&arena);
}

static void seeds(const char *path, uint64_t n) {
    Error err = { 0 };
    Store *store = open_store(path);
    int64_t campaign = open_campaign(store);
    char *program = mem_alloc(8000);
    memset(program, 'x', 8000);
    double start = clock_own_cpu();
    for (uint64_t i = 0; i < n; i++) {
        char bucket[32];
        snprintf(bucket, sizeof bucket, "b%llu", (unsigned long long)(i % 500));
        Case c = { .bucket = str_from(bucket), .variant = { program, 8000 - i % 4000 } };
        SeedDone done = { .number = i, .totals = { .programs = 11 }, .note = STR("{}") };
        if (!store_seed_done(store, campaign, &done, &c, 1, NULL, NULL, &err)) fail(&err);
    }
    printf("seeds_cpu_s %.3f\n", clock_own_cpu() - start);
    store_close(store);
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "claims") == 0)
        claims(argv[2], (unsigned)strtoul(argv[3], NULL, 10), strtod(argv[4], NULL));
    else if (argc == 4 && strcmp(argv[1], "grow") == 0)
        grow(argv[2], strtoull(argv[3], NULL, 10));
    else if (argc == 4 && strcmp(argv[1], "seeds") == 0)
        seeds(argv[2], strtoull(argv[3], NULL, 10));
    else
        return fputs("usage: bench-store claims|grow|seeds STORE ..\n", stderr), 2;
    return 0;
}

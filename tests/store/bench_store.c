/* What the store costs, for bench/scale: one mode a run, figures as `name value` lines.
 *
 *   bench-store claims STORE WORKERS SECONDS [hot|backlog]   units claimed and recorded a second,
 *                                              with nothing in them; hot: with one bug that all of
 *                                              them hit; backlog: cases taken and left a second
 *   bench-store grow STORE CASES               a unit with nothing, with a known and with a new
 *                                              finding, a case of the backlog, and the first
 *                                              pages, lower quartiles of CPU, ours and the
 * server's; the store has so many cases bench-store seeds STORE N                  CPU of N seeds
 * with a finding each, one after the other */
#include "base/quantity.h"
#include "report/site.h"
#include "store/sql.h"

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

/* A case of the backlog, taken and left. */
static void do_case(Store *store, Str worker) {
    CaseAsk ask = { .worker = worker, .lease_s = 60, .steps = 5 };
    Error err = { 0 };
    int64_t id;
    UnitEnd end;
    if (!store_backlog_claim(store, &ask, &id, &end, &err) ||
        (end == UNIT_CLAIMED && !store_backlog_done(store, id, &err)))
        fail(&err);
}

/* ---- claims ---- */
static void claims(const char *path, unsigned workers, double seconds, const char *what) {
    bool hot = strcmp(what, "hot") == 0, backlog = strcmp(what, "backlog") == 0;
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
        Case c = { .compiler = STR("gcc-12"), .bucket = STR("hot"), .variant = STR("int x;") };
        while (clock_now() - start < seconds) {
            if (backlog)
                do_case(store, ask.worker);
            else
                do_unit(store, &ask, hot ? &c : NULL);
            ++*count;
        }
        store_close(store);
        _exit(0);
    }
    while (wait(NULL) > 0) continue;
    printf("units_per_s %.0f\n", (double)*count / (clock_now() - start));
}

/* ---- growth ---- */
enum { ROUNDS = 101 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* CPU seconds of the server's process that serves us, on this machine; 0: a file. */
static double server_cpu(Store *store) {
    static char path[64]; /* there is one store a run */
    int64_t pid = 0;
    long long ns = 0;
    if (!store_is_server(store_path(store))) return 0;
    if (!path[0] && sql_int(store, "SELECT CAST(pg_backend_pid() AS BIGINT)", 0, &pid, NULL, ""))
        snprintf(path, sizeof path, "/proc/%lld/schedstat", (long long)pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%lld", &ns) != 1) ns = 0;
    if (file) fclose(file);
    return (double)ns * 1e-9;
}

static double now_in(Store *store) {
    return clock_own_cpu() + server_cpu(store);
}

/* The lower quartile: others on the machine make many of them long. */
static void report(const char *name, double times[ROUNDS]) {
    qsort(times, ROUNDS, sizeof *times, by_value);
    printf("%s_ms %.3f\n", name, times[ROUNDS / 4] * 1000);
}

static void time_pages(Store *store, const char *name, SiteRequest request) {
    double times[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        Error err = { 0 };
        Buf out = { 0 };
        double start = now_in(store);
        if (!site_render(store, &request, true, &out, &err)) fail(&err);
        times[i] = now_in(store) - start;
        buf_release(&out);
    }
    report(name, times);
}

typedef enum Growing { NO_FINDING, KNOWN_FINDING, NEW_FINDING } Growing;

static void time_units(Store *store, const char *name, Growing what, uint64_t cases) {
    UnitAsk ask = { .campaign = open_campaign(store), .worker = STR("bench"), .lease_s = 60 };
    double times[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        char bucket[64];
        if (what == NEW_FINDING)
            snprintf(bucket, sizeof bucket, "new %d %d", (int)getpid(), i);
        else
            snprintf(bucket, sizeof bucket, "b%d", (int)((uint64_t)i * 7919 % cases + 1));
        Case c = { .compiler = STR("gcc-12"),
                   .verdict = STR("crash"),
                   .bucket = str_from(bucket),
                   .variant = STR("int x;") };
        double start = now_in(store);
        do_unit(store, &ask, what == NO_FINDING ? NULL : &c);
        times[i] = now_in(store) - start;
    }
    report(name, times);
}

/* The first claim lays all cases out, the others find one that waits. */
static void time_backlog(Store *store) {
    double times[ROUNDS], start = now_in(store);
    do_case(store, STR("bench"));
    printf("backlog_lay_out_ms %.3f\n", (now_in(store) - start) * 1000);
    for (int i = 0; i < ROUNDS; i++) {
        start = now_in(store);
        do_case(store, STR("bench"));
        times[i] = now_in(store) - start;
    }
    report("backlog_case", times);
}

static void grow(const char *path, uint64_t cases) {
    Store *store = open_store(path);
    time_units(store, "empty_unit", NO_FINDING, cases);
    time_units(store, "known_finding", KNOWN_FINDING, cases);
    time_units(store, "new_finding", NEW_FINDING, cases);
    time_backlog(store);
    CaseFilter first = { .limit = SITE_ROWS, .descending = true };
    time_pages(store, "overview", (SiteRequest){ .kind = SITE_INDEX });
    time_pages(store, "cases_page", (SiteRequest){ .kind = SITE_CASES, .filter = first });
    time_pages(store, "campaign_page",
               (SiteRequest){ .kind = SITE_CAMPAIGN, .id = open_campaign(store), .filter = first });
    store_close(store);
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
    if ((argc == 5 || argc == 6) && strcmp(argv[1], "claims") == 0)
        claims(argv[2], (unsigned)strtoul(argv[3], NULL, 10), strtod(argv[4], NULL),
               argc == 6 ? argv[5] : "");
    else if (argc == 4 && strcmp(argv[1], "grow") == 0)
        grow(argv[2], strtoull(argv[3], NULL, 10));
    else if (argc == 4 && strcmp(argv[1], "seeds") == 0)
        seeds(argv[2], strtoull(argv[3], NULL, 10));
    else
        return fputs("usage: bench-store claims|grow|seeds STORE ..\n", stderr), 2;
    return 0;
}

/* One campaign by many: workers that are killed at any moment, a server that is restarted under
 * them; in the end everything is there as if one had done it alone, and no unit was done by two at
 * the same time.
 *
 * A unit here is what a seed is to hunt: findings that depend on its number alone. */
#include "base/quantity.h"
#include "base/rng.h"
#include "fixture.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* Arguments of the program; the bench gives larger ones. */
static unsigned workers_n = 16, kills_n = 20, restarts_n = 2, units_n = 600;

/* ---- one unit ---- */

enum { BUCKETS = 23 };

static void do_unit(Arena *arena, uint64_t number, Case *findings, size_t *n) {
    static char program[4000];
    Rng rng = rng_stream(7, "unit", number);
    memset(program, 'x', sizeof program);
    *n = rng_below(&rng, 3);
    for (size_t i = 0; i < *n; i++)
        findings[i] = (Case){
            .bucket = str_from(
                arena_fmt(arena, "bucket %llu", (unsigned long long)rng_below(&rng, BUCKETS))),
            .compiler = STR("gcc-12"),
            .verdict = STR("crash"),
            .variant = { program, 100 + rng_below(&rng, 50) },
            .variant_number = rng_below(&rng, 10),
        };
    usleep((useconds_t)rng_below(&rng, 4000));
}

/* Who is at which unit, by process; and what went wrong. */
typedef struct Board {
    _Atomic int doing[100000];
    _Atomic unsigned together; /* units that two did at once */
    _Atomic unsigned repeated; /* units that were done again after they were recorded */
    _Atomic uint8_t recorded[100000];
} Board;
static Board *board;

static bool lives(int pid) {
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 0;
    fclose(file);
    return state && state != 'Z' && state != 'X';
}

static bool record_unit(Store *store, int64_t campaign, uint64_t number, Error *err) {
    Arena arena = { 0 };
    Case findings[3];
    size_t n;
    int before = atomic_exchange(&board->doing[number], getpid());
    if (before && before != getpid() && lives(before)) board->together++;
    if (board->recorded[number]) board->repeated++;
    do_unit(&arena, number, findings, &n);
    SeedDone done = { .number = number, .totals = { .programs = 1 + number % 11 } };
    bool ok = store_seed_done(store, campaign, &done, findings, n, NULL, NULL, err);
    if (ok) board->recorded[number] = 1;
    atomic_store(&board->doing[number], 0);
    arena_release(&arena);
    return ok;
}

/* Serves until nothing is left; the exit status is the error's. */
static int serve(const char *path, int64_t campaign) {
    Error err = { 0 };
    Arena arena = { 0 };
    Store *store = store_open(path, STORE_WRITE, &err);
    UnitAsk ask = {
        .campaign = campaign, .worker = store_worker(&arena), .lease_s = 60, .limit = units_n
    };
    const char *doing = store ? "looking for the dead" : "opening the store";
    bool ok = store && store_units_reap(store, campaign, false, &err);
    while (ok) {
        uint64_t number, tries;
        UnitEnd end;
        doing = "claiming";
        ok = store_unit_claim(store, &ask, &number, &tries, &end, &err);
        if (!ok || end == UNIT_OVER) break;
        doing = end == UNIT_CLAIMED ? "recording" : "looking for the dead";
        if (end == UNIT_CLAIMED)
            ok = record_unit(store, campaign, number, &err);
        else
            usleep(20000), ok = store_units_reap(store, campaign, false, &err);
    }
    store_close(store);
    arena_release(&arena);
    if (!ok) fprintf(stderr, "worker, %s: %s\n", doing, err.text);
    return (int)err.status;
}

/* ---- many of them ---- */

static int64_t new_campaign(Fixture *f, const char *path) {
    int64_t id;
    Store *store = store_open(path, STORE_WRITE, &f->err);
    must(f, store);
    must(f, store_campaign_new(store, STR("{\"shared\":1}"), &id, &f->err));
    store_close(store);
    return id;
}

static pid_t start(const char *path, int64_t campaign) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) _exit(serve(path, campaign));
    return pid;
}

static void restart_server(void) {
    pid_t pid = fork();
    const char *script = getenv("CULPRIT_TEST_WITH");
    if (pid == 0) {
        execl(script ? script : "with-postgres", "with-postgres", "--restart", "immediate",
              (char *)NULL);
        _exit(9);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static unsigned recorded(void) {
    unsigned n = 0;
    for (unsigned i = 0; i < units_n; i++) n += board->recorded[i];
    return n;
}

/* Kills and restarts spread over the work that is done. */
static void torment(Fixture *f, int64_t campaign, pid_t *pids) {
    Rng rng = rng_new((uint64_t)getpid());
    unsigned kills = 0, restarts = 0, alive = workers_n;
    while (alive) {
        int status;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended > 0) {
            assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
            alive--;
            for (unsigned i = 0; i < workers_n; i++)
                if (pids[i] == ended) pids[i] = 0;
            continue;
        }
        unsigned done = recorded();
        if (restarts < restarts_n && on_server() &&
            done >= (restarts + 1) * units_n / (restarts_n + 1)) {
            restart_server();
            restarts++;
        } else if (kills < kills_n && done >= kills * units_n / (kills_n + 1)) {
            unsigned victim = (unsigned)rng_below(&rng, workers_n);
            if (!pids[victim]) continue;
            kill(pids[victim], SIGKILL);
            kills++;
            pid_t fresh = start(f->path, campaign);
            waitpid(pids[victim], &status, 0);
            pids[victim] = fresh;
        } else
            usleep(2000);
    }
    print_message("# %u workers, %u kills, %u restarts\n", workers_n, kills, restarts);
    assert_int_equal(kills, kills_n);
}

/* What is in a store, in words. */
static Str picture(Fixture *f, const char *path, int64_t campaign) {
    Store *store = store_open(path, STORE_READ, &f->err);
    must(f, store);
    Buf out = { 0 };
    Campaign c;
    uint64_t *numbers;
    size_t n;
    Case *cases;
    must(f, store_campaign_get(store, &f->arena, campaign, &c, &f->err));
    must(f, store_seeds_done(store, &f->arena, campaign, &numbers, &n, &f->err));
    buf_fmt(&out, "%zu units, last %llu; %llu seeds, %llu programs, %llu findings, %llu buckets\n",
            n, (unsigned long long)numbers[n - 1], (unsigned long long)c.totals.seeds,
            (unsigned long long)c.totals.programs, (unsigned long long)c.totals.findings,
            (unsigned long long)c.totals.buckets);
    for (unsigned b = 0; b < BUCKETS; b++) {
        CaseFilter filter = { .bucket = arena_fmt(&f->arena, "bucket %u", b) };
        must(f, store_case_list(store, &f->arena, &filter, &cases, &n, NULL, &f->err));
        for (size_t i = 0; i < n; i++)
            buf_fmt(&out, "%u: %llu hits, %llu bytes, seed %llu.%llu\n", b,
                    (unsigned long long)cases[i].count, (unsigned long long)cases[i].size,
                    (unsigned long long)cases[i].number,
                    (unsigned long long)cases[i].variant_number);
    }
    Str text = arena_str(&f->arena, buf_view(&out));
    buf_release(&out);
    store_close(store);
    return text;
}

static void many_are_as_one(void **state) {
    Fixture *f = *state;
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(board != MAP_FAILED);
    char *alone = fixture_path(f, "alone.db");
    int64_t campaign = new_campaign(f, alone), shared;
    assert_int_equal(serve(alone, campaign), 0);
    Str wanted = picture(f, alone, campaign);
    memset(board, 0, sizeof *board);
    shared = new_campaign(f, f->path);
    pid_t *pids = ARENA_ARRAY(&f->arena, pid_t, workers_n);
    double before = clock_now();
    for (unsigned i = 0; i < workers_n; i++) pids[i] = start(f->path, shared);
    torment(f, shared, pids);
    print_message("# %u units in %.1f s\n", units_n, clock_now() - before);
    Str got = picture(f, f->path, shared);
    if (!str_eq(got, wanted))
        fail_msg("alone:\n" STR_FMT "together:\n" STR_FMT, STR_ARG(wanted), STR_ARG(got));
    assert_int_equal(board->together, 0);
    assert_int_equal(board->repeated, 0);
    munmap(board, sizeof *board);
}

/* ---- claims ---- */

static UnitEnd take(Fixture *f, Store *store, const UnitAsk *ask, uint64_t *number) {
    uint64_t tries;
    UnitEnd end;
    must(f, store_unit_claim(store, ask, number, &tries, &end, &f->err));
    return end;
}

static void claims_are_leases(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    int64_t id;
    uint64_t number;
    must(f, store_campaign_new(store, STR("{}"), &id, &f->err));
    UnitAsk one = { .campaign = id, .worker = STR("a"), .lease_s = 1000, .limit = 3 };
    UnitAsk other = { .campaign = id, .worker = STR("b"), .lease_s = 0, .limit = 3 };
    assert_int_equal(take(f, store, &one, &number), UNIT_CLAIMED);
    assert_int_equal(number, 0);
    assert_int_equal(take(f, store, &other, &number), UNIT_CLAIMED);
    assert_int_equal(number, 1);
    usleep(2000); /* its while is over; but a server was just started: as long again after that */
    if (on_server()) {
        assert_int_equal(take(f, store, &one, &number), UNIT_CLAIMED);
        assert_int_equal(number, 2);
        must(f, store_unit_release(store, id, 2, 0, &f->err));
    }
    one.lease_s = 0.01;
    assert_int_equal(take(f, store, &one, &number), UNIT_CLAIMED);
    assert_int_equal(number, 1);
    one.lease_s = 1000;
    CampaignWorker me = { .worker = STR("a"), .state = STR("working") };
    must(f, store_worker_seen(store, id, &me, one.lease_s, &f->err));
    assert_int_equal(take(f, store, &one, &number), UNIT_CLAIMED);
    assert_int_equal(number, 2);
    assert_int_equal(take(f, store, &other, &number), UNIT_WAIT);
    must(f, store_unit_release(store, id, 2, 1000, &f->err)); /* put off */
    assert_int_equal(take(f, store, &other, &number), UNIT_WAIT);
    must(f, store_unit_release(store, id, 2, 0, &f->err));
    assert_int_equal(take(f, store, &one, &number), UNIT_CLAIMED);
    assert_int_equal(number, 2);
    for (uint64_t i = 0; i < 3; i++)
        must(f,
             store_seed_done(store, id, &(SeedDone){ .number = i }, NULL, 0, NULL, NULL, &f->err));
    assert_int_equal(take(f, store, &other, &number), UNIT_OVER);
    one.limit = other.limit = 0; /* more is allowed: it goes on behind */
    assert_int_equal(take(f, store, &other, &number), UNIT_CLAIMED);
    assert_int_equal(number, 3);
    store_close(store);
}

/* A campaign of an older culprit, with holes in it, is laid out around what is done. */
static void holes_are_found(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    int64_t id;
    uint64_t number;
    bool left;
    must(f, store_campaign_new(store, STR("{}"), &id, &f->err));
    for (uint64_t i = 0; i < 1200; i++)
        if (i != 5 && i != 1100)
            must(f, store_seed_done(store, id, &(SeedDone){ .number = i }, NULL, 0, NULL, NULL,
                                    &f->err));
    UnitAsk ask = { .campaign = id, .worker = STR("a"), .lease_s = 1000, .limit = 1200 };
    assert_int_equal(take(f, store, &ask, &number), UNIT_CLAIMED);
    assert_int_equal(number, 5);
    assert_int_equal(take(f, store, &ask, &number), UNIT_CLAIMED);
    assert_int_equal(number, 1100);
    assert_int_equal(take(f, store, &ask, &number), UNIT_WAIT);
    must(f, store_units_left(store, id, 1200, &left, &f->err));
    assert_true(left);
    store_close(store);
}

/* Budgets are the plan's: programs, time, CPU, and whether it runs at all. */
static void budgets_end_it(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    int64_t id;
    uint64_t number;
    CampaignPlan plan = { .request = STR("{}"), .programs = 1, .cpu_s = 10 }, out;
    must(f, store_campaign_new(store, STR("{}"), &id, &f->err));
    assert_false(store_plan_get(store, &f->arena, id, &out, &f->err));
    must(f, store_plan_put(store, id, &plan, &f->err));
    must(f, store_plan_get(store, &f->arena, id, &out, &f->err));
    assert_true(out.programs == 1 && out.cpu_s == 10 && !out.mixed);
    UnitAsk ask = { .campaign = id, .worker = STR("a"), .lease_s = 1000, .joined = true };
    assert_int_equal(take(f, store, &ask, &number), UNIT_CLAIMED);
    assert_int_equal(take(f, store, &ask, &number), UNIT_WAIT);
    SeedDone done = { .number = 0, .totals = { .total_cpu_s = 11 } };
    must(f, store_seed_done(store, id, &done, NULL, 0, NULL, NULL, &f->err));
    assert_int_equal(take(f, store, &ask, &number), UNIT_SPENT);
    plan.cpu_s = 0;
    must(f, store_plan_put(store, id, &plan, &f->err));
    assert_int_equal(take(f, store, &ask, &number), UNIT_OVER);
    plan.programs = 0, plan.ends = store_time() - 1;
    must(f, store_plan_put(store, id, &plan, &f->err));
    assert_int_equal(take(f, store, &ask, &number), UNIT_SPENT);
    plan.ends = 0;
    must(f, store_plan_put(store, id, &plan, &f->err));
    must(f, store_campaign_set(store, id, STR("stopped"), STR(""), &f->err));
    assert_int_equal(take(f, store, &ask, &number), UNIT_SPENT);
    CampaignWorker me = { .worker = STR("a"),
                          .host = STR("h"),
                          .state = STR("working"),
                          .words = STR("hello"),
                          .totals = { .programs = 7 } },
                   *all;
    size_t n;
    must(f, store_worker_seen(store, id, &me, 60, &f->err));
    must(f, store_worker_seen(store, id, &me, 60, &f->err));
    must(f, store_workers(store, &f->arena, id, &all, &n, &f->err));
    assert_true(n == 1 && all[0].totals.programs == 7 && all[0].seen > 1e9);
    assert_str(all[0].words, "hello");
    store_close(store);
}

int main(int argc, char **argv) {
    unsigned *numbers[] = { &workers_n, &kills_n, &restarts_n, &units_n };
    for (int i = 1; i < argc && i <= 4; i++) *numbers[i - 1] = (unsigned)strtoul(argv[i], NULL, 10);
    const struct CMUnitTest tests[] = { TEST(claims_are_leases), TEST(holes_are_found),
                                        TEST(budgets_end_it), TEST(many_are_as_one) };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

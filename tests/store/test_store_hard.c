/* The store under duress: killed while it writes, on a full disk, written by several at once, read
 * while written, and with 100,000 cases in it. */
#include "base/quantity.h"
#include "base/rng.h"
#include "fixture.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { KILLS = 50 };
#ifdef CULPRIT_HOSTILE
#define LIST_S 2.0 /* CPU seconds of a page of the table: under sanitizers */
#else
#define LIST_S 0.2
#endif

/* Writes seed after seed with two findings each, and says each number on fd once it is committed.
 */
static void write_for_ever(const char *path, uint64_t from, int fd) {
    Error err = { 0 };
    Store *store = store_open(path, STORE_WRITE, &err);
    int64_t campaign;
    if (!store || !store_campaign_open(store, STR("{}"), &campaign, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        _exit(9);
    }
    char *program = mem_alloc(40000);
    memset(program, 'x', 40000);
    for (uint64_t number = from;; number++) {
        char bucket[32];
        snprintf(bucket, sizeof bucket, "b%llu", (unsigned long long)number);
        Case findings[2] = {
            { .bucket = str_from(bucket), .variant = { program, 100 + number % 39000 } },
            { .bucket = STR("common"), .variant = { program, 40000 - number % 30000 } }
        };
        SeedDone done = { .number = number, .totals = { .programs = 11 } };
        if (!store_seed_done(store, campaign, &done, findings, 2, NULL, NULL, &err)) {
            fprintf(stderr, "%s\n", err.text);
            _exit(9);
        }
        if (write(fd, &number, sizeof number) != sizeof number) _exit(9);
    }
}

/* Kills it this long after it has reported this many numbers; returns the number after the last one
 * reported. */
static uint64_t kill_one_writer(Fixture *f, uint64_t from, uint64_t said, useconds_t after) {
    int ends[2];
    uint64_t number, next = from;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) write_for_ever(f->path, from, ends[1]);
    close(ends[1]);
    while (next - from < said && read(ends[0], &number, sizeof number) == sizeof number)
        next = number + 1;
    usleep(after);
    kill(pid, SIGKILL);
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status)); /* it was writing until then */
    while (read(ends[0], &number, sizeof number) == sizeof number) next = number + 1;
    close(ends[0]);
    return next;
}

/* Whether there is a store to read; a file without tables is none yet, and anything else a failure.
 */
static bool is_made(Fixture *f) {
    Error err = { 0 };
    Store *store = store_open(f->path, STORE_READ, &err);
    if (!store) assert_true(strstr(err.text, "yet") || strstr(err.text, "still empty"));
    store_close(store);
    return store != NULL;
}

static void verify(Fixture *f, uint64_t told) {
    if (!told && !is_made(f)) return; /* killed before it had made the file, or the tables in it */
    Arena arena = { 0 };
    Store *store = must_open(f, STORE_READ);
    must(f, store_check(store, &f->err));
    uint64_t *numbers, total;
    size_t n, listed;
    Case *cases, common;
    Campaign *campaigns;
    must(f, store_campaign_list(store, &arena, &campaigns, &listed, &f->err));
    n = 0;
    if (listed) must(f, store_seeds_done(store, &arena, 1, &numbers, &n, &f->err));
    assert_true(n >= told); /* nothing that was committed is lost */
    for (size_t i = 0; i < n; i++) assert_int_equal(numbers[i], i);
    must(f, store_case_list(store, &arena, &(CaseFilter){ .limit = 1 }, &cases, &listed, &total,
                            &f->err));
    assert_int_equal(total, n ? n + 1 : 0); /* nor half of anything there */
    if (n) {
        assert_int_equal(campaigns[0].totals.seeds, n);
        assert_int_equal(campaigns[0].totals.findings, 2 * n);
        /* not by its number: one that a transaction took and gave up is not given again */
        CaseFilter wanted = { .bucket = "common" };
        must(f, store_case_list(store, &arena, &wanted, &cases, &listed, NULL, &f->err));
        assert_int_equal(listed, 1);
        must(f, store_case_get(store, &arena, cases[0].id, &common, &f->err));
        assert_int_equal(common.count, n);
        assert_int_equal(common.variant.len, 40000 - (n - 1) % 30000);
    }
    store_close(store);
    arena_release(&arena);
}

static void killed_at_any_moment(void **state) {
    Fixture *f = *state;
    Rng rng = rng_new((uint64_t)getpid());
    uint64_t told = 0, writing = 0;
    for (int i = 0; i < KILLS; i++) {
        /* what was written but not reported before the kill is there as well: continue after it */
        uint64_t said = i % 2 ? rng_below(&rng, 20) + 1 : 0; /* every other one surely writes */
        uint64_t next =
            kill_one_writer(f, told, said, (useconds_t)rng_below(&rng, said ? 5000 : 60000));
        writing += next > told;
        verify(f, next);
        Store *store = must_open(f, STORE_WRITE);
        uint64_t *numbers;
        size_t n = 0;
        int64_t campaign;
        must(f, store_campaign_open(store, STR("{}"), &campaign, NULL, &f->err));
        must(f, store_seeds_done(store, &f->arena, campaign, &numbers, &n, &f->err));
        store_close(store);
        told = n;
    }
    assert_true(writing >= KILLS / 2); /* the kills did hit a run that writes */
    print_message("# %d kills, %llu seeds committed\n", KILLS, (unsigned long long)told);
}

/* ---- several at once ---- */

enum { WRITERS = 4, READERS = 4, PUTS = 60 };

static int put_many(const char *path, int who) {
    Error err = { 0 };
    Store *store = store_open(path, STORE_WRITE, &err);
    for (int i = 0; store && i < PUTS; i++) {
        char bucket[16];
        snprintf(bucket, sizeof bucket, "%d", i);
        Case c = { .bucket = str_from(bucket), .variant = STR("int x;"), .number = (uint64_t)who };
        int64_t id;
        if (!store_case_put(store, &c, &id, NULL, &err)) break;
    }
    store_close(store);
    if (err.status) fprintf(stderr, "writer: %s\n", err.text);
    return err.status;
}

static int read_many(const char *path) {
    Error err = { 0 };
    for (int i = 0; i < 100 && !err.status; i++) {
        Arena arena = { 0 };
        Store *store = store_open(path, STORE_READ, &err);
        Case *cases;
        size_t n;
        if (store) store_case_list(store, &arena, &(CaseFilter){ 0 }, &cases, &n, NULL, &err);
        store_close(store);
        arena_release(&arena);
    }
    if (err.status) fprintf(stderr, "reader: %s\n", err.text);
    return err.status;
}

static void several_at_once(void **state) {
    Fixture *f = *state;
    for (int i = 0; i < WRITERS + READERS; i++) {
        /* the first writers make the file at the same moment; readers come when it is there */
        if (i == WRITERS)
            while (!is_made(f)) usleep(1000);
        pid_t pid = fork();
        if (pid == 0) _exit(i < WRITERS ? put_many(f->path, i) : read_many(f->path));
    }
    for (int i = 0; i < WRITERS + READERS; i++) {
        int status;
        wait(&status);
        assert_int_equal(status, 0);
    }
    Store *store = must_open(f, STORE_READ);
    Case *cases;
    size_t n;
    must(f, store_case_list(store, &f->arena, &(CaseFilter){ 0 }, &cases, &n, NULL, &f->err));
    assert_int_equal(n, PUTS);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(cases[i].count, WRITERS);
        assert_int_equal(cases[i].number, 0);
    }
    store_close(store);
}

/* ---- many ---- */

static void fill(Fixture *f, Store *store, uint64_t many) {
    static Case batch[1000];
    int64_t campaign;
    must(f, store_campaign_open(store, STR("{}"), &campaign, NULL, &f->err));
    for (uint64_t b = 0; b < many / 1000; b++) {
        Arena arena = { 0 };
        for (uint64_t i = 0; i < 1000; i++)
            batch[i] = (Case){
                .bucket = str_from(arena_fmt(&arena, "%llu", (unsigned long long)(b * 1000 + i))),
                .compiler = i % 2 ? STR("gcc-12") : STR("clang-16"),
                .version = STR("12.2.0"),
                .verdict = i % 3 ? STR("crash") : STR("wrong"),
                .flags = STR("-O2 -fno-tree-vrp"),
                .matters = STR("vrp1"),
                .signature = STR("internal compiler error: in foo_bar_baz, at tree-vrp.c:1234"),
                .seed = STR("int main(void) { return 0; }"),
                .variant = STR("int main(void) { int x = 1; return x - 1; }")
            };
        SeedDone done = { .number = b };
        must(f, store_seed_done(store, campaign, &done, batch, 1000, NULL, NULL, &f->err));
        arena_release(&arena);
    }
}

static void a_hundred_thousand_cases(void **state) {
    Fixture *f = *state;
    Store *store = must_open(f, STORE_WRITE);
    uint64_t many = on_server() ? 5000 : 100000; /* there, each value is a way to and fro */
    fill(f, store, many);
    store_close(store);
    store = must_open(f, STORE_READ);
    static const CaseFilter filters[] = {
        { .limit = 50, .descending = true },
        { .limit = 50, .order = CASE_BY_COUNT, .descending = true },
        { .limit = 50, .order = CASE_BY_UPDATED },
        { .limit = 50,
          .order = CASE_BY_COMPILER,
          .compiler = "gcc-12",
          .verdict = "wrong",
          .offset = 700 },
        { .limit = 50, .text = "VRP.c:12" },
    };
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        Arena arena = { 0 };
        Case *cases;
        size_t n;
        uint64_t total;
        double start = clock_own_cpu();
        must(f, store_case_list(store, &arena, &filters[i], &cases, &n, &total, &f->err));
        double spent = clock_own_cpu() - start;
        print_message("# filter %zu: %.0f ms, %llu cases\n", i, spent * 1000,
                      (unsigned long long)total);
        assert_int_equal(n, 50);
        assert_true(total >= many / 7);
        assert_true(spent < LIST_S);
        arena_release(&arena);
    }
    store_close(store);
}

/* ---- a full disk ---- */
/* Writes cases of 20 kB until one fails or there are `most`; returns how many were committed. */
static uint64_t write_until_full(const char *path, uint64_t from, uint64_t most, Error *err) {
    Store *store = store_open(path, STORE_WRITE, err);
    char *program = mem_alloc(20000);
    uint64_t n = 0;
    memset(program, 'x', 20000);
    for (bool ok = store != NULL; ok && n < most; n += ok) {
        char bucket[32];
        int64_t id;
        snprintf(bucket, sizeof bucket, "b%llu", (unsigned long long)(from + n));
        Case c = { .bucket = str_from(bucket), .variant = { program, 20000 } };
        ok = store_case_put(store, &c, &id, NULL, err);
    }
    mem_free(program);
    store_close(store);
    return n;
}

/* How many cases a fresh reader finds in a file that is whole; UINT64_MAX: it is not. */
static uint64_t count_whole(const char *path, Error *err) {
    Arena arena = { 0 };
    Case *cases;
    size_t n;
    uint64_t total = UINT64_MAX;
    CaseFilter filter = { .limit = 1 };
    Store *store = store_open(path, STORE_READ, err);
    if (!store || !store_check(store, err) ||
        !store_case_list(store, &arena, &filter, &cases, &n, &total, err))
        total = UINT64_MAX;
    store_close(store);
    arena_release(&arena);
    return total;
}

static bool one_line(const Error *err) {
    return err->status != STATUS_DONE && err->text[0] && !strchr(err->text, '\n');
}

/* In a child: the disk is full, is given room again. Exit status 0: all well, else the step. */
static int on_a_small_disk(const char *path, const char *ballast) {
    Error err = { 0 };
    char *bytes = mem_alloc(1 << 20);
    if (!file_write(ballast, (Str){ bytes, 1 << 20 }, &err)) return 2;
    mem_free(bytes);
    uint64_t told = write_until_full(path, 0, 10000, &err);
    fprintf(stderr, "# full after %llu cases: %s\n", (unsigned long long)told, err.text);
    if (told == 0 || told == 10000) return 3;
    if (!one_line(&err) || !strstr(err.text, "no space left") || !strstr(err.text, path)) return 4;
    err = (Error){ 0 };
    if (count_whole(path, &err) != told) return 5; /* readable while full, nothing lost */
    if (!file_remove_tree(ballast)) return 6;
    uint64_t more = write_until_full(path, told, 10, &err);
    if (more != 10 || count_whole(path, &err) != told + more) return 7;
    return 0;
}

static void a_full_disk(void **state) {
    Fixture *f = *state;
    needs_a_file();
    Arena arena = { 0 };
    const char *ballast = file_join(&arena, f->dir, "ballast");
    pid_t pid = fork();
    if (pid == 0) {
        int flags = CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0);
        bool apart = unshare(flags) == 0;
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL); /* in a chroot / is no mount */
        if (!apart || mount("tmpfs", f->dir, "tmpfs", 0, "size=3m") != 0) _exit(77);
        int step = on_a_small_disk(f->path, ballast);
        umount2(f->dir, MNT_DETACH);
        _exit(step);
    }
    int status;
    waitpid(pid, &status, 0);
    arena_release(&arena);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        print_message("# no mounts for us here: a_file_too_large has to do\n");
    else
        assert_int_equal(status, 0);
}

/* The same where a quota, or a limit of the shell, is what stops it. */
static void a_file_too_large(void **state) {
    Fixture *f = *state;
    needs_a_file();
    pid_t pid = fork();
    if (pid == 0) {
        Error err = { 0 };
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit small = { 1 << 20, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
        setrlimit(RLIMIT_FSIZE, &small);
        uint64_t told = write_until_full(f->path, 0, 10000, &err);
        fprintf(stderr, "# too large after %llu cases: %s\n", (unsigned long long)told, err.text);
        if (told == 0 || told == 10000 || !one_line(&err)) _exit(3);
        setrlimit(RLIMIT_FSIZE, &none);
        if (count_whole(f->path, &err) != told) _exit(5);
        if (write_until_full(f->path, told, 10, &err) != 10) _exit(7);
        _exit(count_whole(f->path, &err) == told + 10 ? 0 : 8);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

TEST_MAIN(TEST(killed_at_any_moment), TEST(a_full_disk), TEST(a_file_too_large),
          TEST(several_at_once), TEST(a_hundred_thousand_cases))

/* Workers are forked before any of them starts a process, parses a program or opens the store: they
 * share nothing but a page of counters and a pipe of messages. The parent keeps the live line,
 * passes an interrupt on and replaces workers that died. */
#include "hunt/campaign.h"

#include "base/live.h"
#include "base/quantity.h"
#include "hunt/claim.h"
#include "hunt/hunter.h"
#include "perturb/graft.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { WORKERS_MOST = 256 };
#define NO_SEED UINT64_MAX

typedef struct Shared {
    _Atomic uint64_t next; /* index into the list of numbers to do */
    _Atomic uint64_t seeds, programs, compilations, runs, rejected, findings, buckets;
    _Atomic uint64_t test_us, total_us, verify_us; /* CPU microseconds */
    _Atomic uint64_t current[WORKERS_MOST]; /* the seed each worker is working on; NO_SEED: none */
    BanditTally tally;                      /* where the setup has a bandit */
    _Atomic uint64_t useful;                /* files worth another round */
    _Atomic uint8_t useless[];              /* by file: not worth another round */
} Shared;

typedef struct Campaigner {
    const CampaignOptions *options;
    Shared *shared;
    int64_t id;
    VEC(uint64_t) missing; /* numbers below `base` not done yet, ascending */
    uint64_t base;         /* from here on nothing is done */
    Claims claims;         /* a worker's own */
    size_t shared_len;     /* bytes of *shared */
    int messages[2]; /* workers write lines: 'S' a message, 'E' an error, followed by its status,
                        'W' why a seed was not run */
    Buf pending;     /* read from it, but not yet a whole line */
    VEC(pid_t) pids; /* by worker; 0: ended */
    Error error;     /* the first one of a worker */
    Live live;
    Arena *arena;     /* of the reasons */
    Map reason_index; /* reason -> index + 1 */
    SeedReasons reasons;
} Campaigner;

/* ---- the list of numbers ---- */
static bool find_missing(Campaigner *c, Store *store, Error *err) {
    Arena arena = { 0 };
    uint64_t *done;
    size_t n;
    bool ok = store_seeds_done(store, &arena, c->id, &done, &n, err);
    if (ok) {
        c->base = n ? done[n - 1] + 1 : 0;
        for (uint64_t k = 0, i = 0; k < c->base; k++)
            if (done[i] == k)
                i++;
            else
                vec_push(&c->missing, k);
    }
    arena_release(&arena);
    return ok;
}

static uint64_t number_at(const Campaigner *c, uint64_t i) {
    return i < c->missing.len ? c->missing.at[i] : c->base + (i - c->missing.len);
}

static double deadline(const Campaigner *c) {
    return c->options->time_s > 0 ? c->options->started + c->options->time_s : 0;
}

/* Later numbers come back to a file with other variants; a file that was of no use once stays
 * useless. */
static bool is_useless(const Campaigner *c, uint64_t number) {
    uint64_t files = seeds_count(c->options->seeds);
    return files && number >= files && c->shared->useless[number % files];
}

/* ---- a worker ---- */
static void send_line(const Campaigner *c, char kind, int status, const char *text) {
    char line[2100];
    int n = snprintf(line, sizeof line, "%c%d%.2040s\n", kind, status, text);
    for (char *at = line; at < line + n - 1; at++)
        if (*at == '\n') *at = ' ';
    if (write(c->messages[1], line, (size_t)n) != n)
        errno = 0; /* below PIPE_BUF: whole or not at all */
}

static void worker_say(void *user, const char *text) {
    send_line(user, 'S', 0, text);
}

static void worker_moved(void *user, const CampaignTotals *m, double verify_s) {
    Shared *s = ((Campaigner *)user)->shared;
    s->seeds += m->seeds;
    s->programs += m->programs;
    s->compilations += m->compilations;
    s->runs += m->runs;
    s->rejected += m->rejected;
    s->findings += m->findings;
    s->buckets += m->buckets;
    s->test_us += (uint64_t)(m->compiler_cpu_s * 1e6);
    s->total_us += (uint64_t)(m->total_cpu_s * 1e6);
    s->verify_us += (uint64_t)(verify_s * 1e6);
}

static void worker_useless(void *user, uint64_t number, const char *why) {
    Campaigner *c = user;
    uint64_t files = seeds_count(c->options->seeds);
    if (files && !atomic_exchange(&c->shared->useless[number % files], 1)) c->shared->useful--;
    send_line(c, 'W', 0, why);
}

/* Another hunt may have done it since this one began. */
static bool is_done(const Campaigner *c, Store *store, uint64_t number) {
    Arena arena = { 0 };
    SeedDone done;
    Error err = { 0 };
    bool there = store_seed_get(store, &arena, c->id, number, &done, &err);
    arena_release(&arena);
    return there;
}

static bool do_number(Campaigner *c, Hunter *hunter, uint64_t number, Error *err) {
    if (is_useless(c, number) || !claims_take(&c->claims, number)) return true;
    bool go_on = is_done(c, hunter->store, number) || hunter_do_seed(hunter, number, err);
    claims_drop(&c->claims, number);
    return go_on;
}

static bool work(Campaigner *c, Hunter *hunter, size_t self, Error *err) {
    double end = deadline(c);
    bool go_on = true;
    while (go_on && !run_interrupted() && !(end > 0 && clock_now() > end)) {
        uint64_t number = number_at(c, atomic_fetch_add(&c->shared->next, 1));
        if (c->options->programs && number >= c->options->programs) break;
        if (seeds_count(c->options->seeds) && !c->shared->useful) break;
        c->shared->current[self] = number;
        go_on = do_number(c, hunter, number, err);
        c->shared->current[self] = NO_SEED;
    }
    return err->status == STATUS_DONE;
}

static NORETURN void worker_main(Campaigner *c, size_t self) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* the terminal's SIGINT goes to the parent, which passes it on once */
    close(c->messages[0]);
    Error err = { 0 };
    const CampaignOptions *o = c->options;
    Hunter hunter = { .setup = o->setup,
                      .seeds = o->seeds,
                      .campaign = c->id,
                      .deadline = deadline(c),
                      .say = worker_say,
                      .moved = worker_moved,
                      .useless = worker_useless,
                      .user = c,
                      .verbose = o->verbose,
                      .named = seeds_count(o->seeds) && seeds_count(o->seeds) <= CAMPAIGN_NAMED,
                      .first = o->cases > 0,
                      .tally = o->programs ? NULL : &c->shared->tally };
    hunter.store = store_open(o->store, STORE_WRITE, &err);
    hunter.pool = pool_new(1);
    if (hunter.store) claims_open(&c->claims, store_path(hunter.store), c->id);
    bool ok = hunter.store && work(c, &hunter, self, &err);
    if (!ok && err.status) send_line(c, 'E', (int)err.status, err.text);
    c->shared->current[self] = NO_SEED;
    grafts_free(hunter.pieces);
    pool_free(hunter.pool);
    store_close(hunter.store);
    exit(0);
}

static void start_worker(Campaigner *c, size_t self) {
    c->shared->current[self] = NO_SEED;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) worker_main(c, self);
    c->pids.at[self] = pid > 0 ? pid : 0;
    if (pid < 0 && !c->error.status) err_errno(&c->error, "cannot start a worker");
}

/* ---- the parent ---- */
/* "not clean: clang-19 .." counts as "not clean". */
static void count_reason(Campaigner *c, Str why) {
    size_t colon = str_find(why, STR(": "), 0);
    if (colon != STR_NONE) why = str_sub(why, 0, colon);
    uint64_t *index = map_at(&c->reason_index, why);
    if (!*index) {
        vec_push(&c->reasons, (SeedReason){ .why = arena_str(c->arena, why) });
        *index = c->reasons.len;
    }
    c->reasons.at[*index - 1].count++;
}

static void take_message(Campaigner *c, Str line) {
    if (line.len < 3) return;
    Str text = str_sub(line, 2, line.len);
    if (line.at[0] == 'E' && !c->error.status)
        err_set(&c->error, (enum Status)(line.at[1] - '0'), STR_FMT, STR_ARG(text));
    else if (line.at[0] == 'S')
        live_say(&c->live, STR_FMT, STR_ARG(text));
    else if (line.at[0] == 'W')
        count_reason(c, text);
}

static bool read_messages(Campaigner *c) {
    char *room = buf_room(&c->pending, 65536);
    ssize_t n = read(c->messages[0], room, 65536); /* does not block */
    if (n <= 0) return false;
    c->pending.len += (size_t)n;
    Str rest = buf_view(&c->pending);
    size_t used = 0, end;
    while ((end = str_find(rest, STR("\n"), 0)) != STR_NONE) {
        take_message(c, str_sub(rest, 0, end));
        used += end + 1;
        rest = str_sub(rest, end + 1, rest.len);
    }
    memmove(c->pending.at, c->pending.at + used, c->pending.len - used);
    c->pending.len -= used;
    return true;
}

static void show(Campaigner *c) {
    if (!live_due(&c->live)) return;
    const Shared *s = c->shared;
    double elapsed = clock_now() - c->options->started;
    char left[32] = "";
    if (c->options->time_s > 0)
        quantity_show_duration(c->options->time_s - elapsed > 0 ? c->options->time_s - elapsed : 0,
                               left);
    live_line(&c->live,
              "%llu seeds (%llu skipped), %llu programs, %.1f compilations/s, %llu findings, %llu "
              "new cases%s%s%s",
              (unsigned long long)s->seeds, (unsigned long long)s->rejected,
              (unsigned long long)s->programs,
              (double)s->compilations / (elapsed > 0.1 ? elapsed : 0.1),
              (unsigned long long)s->findings, (unsigned long long)s->buckets, *left ? ", " : "",
              left, *left ? " left" : "");
}

/* culprit failed on a seed: it is marked, so that no worker runs into it again. */
static void give_up_seed(Campaigner *c, uint64_t number, int status) {
    Error err;
    Arena arena = { 0 };
    live_say(&c->live,
             "culprit itself failed on seed %llu (%s %d), which is skipped: please report it",
             (unsigned long long)number, WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    Store *store = store_open(c->options->store, STORE_WRITE, &err);
    SeedDone done = { .number = number,
                      .totals = { .rejected = 1 },
                      .note = STR("{\"skipped\":\"culprit failed\"}") };
    if (!store || !store_seed_done(store, c->id, &done, NULL, 0, NULL, NULL, &err)) c->error = err;
    c->shared->seeds += 1;
    c->shared->rejected += 1;
    store_close(store);
    arena_release(&arena);
}

static size_t reap(Campaigner *c) {
    size_t alive = 0;
    for (size_t i = 0; i < c->pids.len; i++) {
        int status;
        if (c->pids.at[i] && waitpid(c->pids.at[i], &status, WNOHANG) == c->pids.at[i]) {
            c->pids.at[i] = 0;
            uint64_t number = c->shared->current[i];
            bool died = WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
            if (WIFEXITED(status) && WEXITSTATUS(status) >= STATUS_BAD && !c->error.status)
                err_set(
                    &c->error, WEXITSTATUS(status),
                    "the machine lacks what a seed needs; the same command continues from here");
            if (died && number != NO_SEED && !run_interrupted() && !c->error.status) {
                give_up_seed(c, number, status);
                start_worker(c, i);
            }
        }
        alive += c->pids.at[i] != 0;
    }
    return alive;
}

static void watch(Campaigner *c) {
    bool told = false;
    while (reap(c)) {
        struct pollfd polled = { c->messages[0], POLLIN, 0 };
        if (poll(&polled, 1, 100) > 0) read_messages(c);
        show(c);
        bool enough = c->options->cases && c->shared->buckets >= c->options->cases;
        double end = deadline(c);
        enough |= end > 0 && clock_now() >= end; /* whatever is in progress */
        if ((run_interrupted() || c->error.status || enough) && !told) {
            told = true;
            for (size_t i = 0; i < c->pids.len; i++)
                if (c->pids.at[i]) kill(c->pids.at[i], SIGTERM);
        }
    }
    while (read_messages(c)) continue;
}

static bool open_campaign(Campaigner *c, Error *err) {
    Store *store = store_open(c->options->store, STORE_WRITE, err);
    bool ok = store && store_campaign_open(store, c->options->settings, &c->id, NULL, err) &&
              find_missing(c, store, err) &&
              store_campaign_set(store, c->id, STR("running"), STR(""), err);
    store_close(store);
    return ok;
}

static bool close_campaign(Campaigner *c, CampaignEnd *end, Error *err) {
    const Shared *s = c->shared;
    *end = (CampaignEnd){ .id = c->id,
                          .elapsed_s = clock_now() - c->options->started,
                          .interrupted = run_interrupted(),
                          .verify_s = (double)s->verify_us * 1e-6 };
    end->totals = (CampaignTotals){ .seeds = s->seeds,
                                    .programs = s->programs,
                                    .compilations = s->compilations,
                                    .runs = s->runs,
                                    .rejected = s->rejected,
                                    .findings = s->findings,
                                    .buckets = s->buckets,
                                    .compiler_cpu_s = (double)s->test_us * 1e-6,
                                    .total_cpu_s = (double)s->total_us * 1e-6 };
    if (c->error.status) return *err = c->error, false;
    Store *store = store_open(c->options->store, STORE_WRITE, err);
    vec_clear(&c->missing);
    bool ok = store && find_missing(c, store, err);
    bool done = ok && c->options->programs && !c->missing.len && c->base >= c->options->programs;
    Arena arena = { 0 };
    Campaign all;
    ok = ok && store_campaign_get(store, &arena, c->id, &all, err) &&
         store_campaign_set(store, c->id, done ? STR("done") : STR("stopped"), STR(""), err);
    if (ok) end->findings = all.totals.findings;
    arena_release(&arena);
    store_close(store);
    return ok;
}

static bool start(Campaigner *c, Error *err) {
    const CampaignOptions *o = c->options;
    uint64_t files = seeds_count(o->seeds);
    c->shared_len = sizeof *c->shared + files;
    c->shared =
        mmap(NULL, c->shared_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->shared == MAP_FAILED || pipe2(c->messages, O_CLOEXEC) != 0 ||
        fcntl(c->messages[0], F_SETFL, O_NONBLOCK) != 0)
        return err_errno(err, "cannot start workers");
    c->shared->useful = files;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t workers = o->workers ? o->workers : cores > 0 ? (size_t)cores : 1;
    if (workers > WORKERS_MOST) workers = WORKERS_MOST;
    for (size_t i = 0; i < workers; i++) vec_push(&c->pids, 0);
    live_start(&c->live, o->quiet);
    for (size_t i = 0; i < workers; i++) start_worker(c, i);
    return true;
}

static int by_count(const void *pa, const void *pb) {
    const SeedReason *a = pa, *b = pb;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : str_cmp(a->why, b->why);
}

bool campaign_run(Arena *arena, const CampaignOptions *options, CampaignEnd *end, Error *err) {
    Campaigner c = { .options = options, .arena = arena };
    if (!open_campaign(&c, err) || !start(&c, err)) return false;
    watch(&c);
    live_end(&c.live);
    bool ok = close_campaign(&c, end, err);
    if (c.reasons.len) qsort(c.reasons.at, c.reasons.len, sizeof *c.reasons.at, by_count);
    end->reasons = c.reasons;
    close(c.messages[0]);
    close(c.messages[1]); /* not earlier: a worker that replaces a dead one writes to it as well */
    munmap(c.shared, c.shared_len);
    map_release(&c.reason_index);
    buf_release(&c.pending);
    vec_release(&c.missing);
    vec_release(&c.pids);
    return ok;
}

void campaign_end_release(CampaignEnd *end) {
    vec_release(&end->reasons);
}

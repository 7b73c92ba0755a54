/* Workers are forked before any of them starts a process, parses a program or opens the store: they
 * share nothing but a page of counters and a pipe of messages. The parent keeps the live line,
 * passes an interrupt on and replaces workers that died. */
#include "hunt/campaign.h"

#include "base/live.h"
#include "base/quantity.h"
#include "hunt/hunter.h"
#include "perturb/graft.h"
#include "variant/borrow/borrow.h"

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
    _Atomic uint64_t seeds, programs, compilations, runs, rejected, findings, buckets;
    _Atomic uint64_t test_us, total_us, verify_us; /* CPU microseconds */
    _Atomic uint64_t current[WORKERS_MOST]; /* the seed each worker is working on; NO_SEED: none */
    _Atomic uint64_t tries[WORKERS_MOST];   /* how often that one was claimed */
    _Atomic bool over;                      /* nothing is left to do, or to do it with */
    BanditTally tally;                      /* where the setup has a bandit */
    _Atomic uint64_t useful;                /* files worth another round */
    _Atomic uint8_t useless[];              /* by file: not worth another round */
} Shared;

typedef struct Campaigner {
    const CampaignOptions *options;
    Shared *shared;
    int64_t id;
    Str self;          /* as a worker: all processes of this one */
    double beat;       /* clock_now of the last sign of life */
    double began;      /* store_time */
    char words[200];   /* what was said last */
    size_t shared_len; /* bytes of *shared */
    int messages[2];   /* workers write lines: 'S' a message, 'E' an error, followed by its status,
                          'W' why a seed was of no more use, preceded by what it was good for */
    Buf pending;       /* read from it, but not yet a whole line */
    VEC(pid_t) pids;   /* by worker; 0: ended */
    Error error;       /* the first one of a worker */
    Live live;
    Arena *arena;     /* of the reasons */
    Map reason_index; /* reason -> index + 1 */
    SeedReasons reasons;
} Campaigner;

/* ---- numbers ---- */
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

static void worker_useless(void *user, uint64_t number, SeedUse use, const char *why) {
    Campaigner *c = user;
    uint64_t files = seeds_count(c->options->seeds);
    if (files && !atomic_exchange(&c->shared->useless[number % files], 1)) c->shared->useful--;
    send_line(c, 'W', (int)use, why);
}

/* It would do the same as another number of its file before. */
static bool pass_over(Campaigner *c, Store *store, uint64_t number, Error *err) {
    SeedDone done = { .number = number,
                      .totals = { .rejected = 1 },
                      .note = STR("{\"skipped\":\"of no use before\"}") };
    return store_seed_done(store, c->id, &done, NULL, 0, NULL, NULL, err);
}

static bool do_number(Campaigner *c, Hunter *hunter, uint64_t number, Error *err) {
    if (is_useless(c, number)) return pass_over(c, hunter->store, number, err);
    hunter->recorded = false;
    bool go_on = hunter_do_seed(hunter, number, err);
    Error why;
    if (!hunter->recorded && !err->status)
        store_unit_release(hunter->store, c->id, number, go_on ? CAMPAIGN_LATER_S : 0, &why);
    return go_on;
}

/* True: *number is ours. Those who joined wait for what others hold: they may die of it. */
static bool next_number(Campaigner *c, Store *store, size_t self, uint64_t *number, Error *err) {
    const CampaignOptions *o = c->options;
    UnitAsk ask = { .campaign = c->id,
                    .worker = c->self,
                    .lease_s = CAMPAIGN_LEASE_S,
                    .limit = o->programs,
                    .joined = o->join != 0 };
    double end = deadline(c);
    while (!run_interrupted() && !(end > 0 && clock_now() > end)) {
        UnitEnd what;
        uint64_t tries;
        if (!store_unit_claim(store, &ask, number, &tries, &what, err)) return false;
        c->shared->tries[self] = tries;
        if (what == UNIT_CLAIMED) return true;
        if (what != UNIT_WAIT) c->shared->over = true;
        if (what != UNIT_WAIT || !o->join) return false;
        usleep(1000000);
        if (!store_units_reap(store, c->id, false, err)) return false;
    }
    return false;
}

static bool work(Campaigner *c, Hunter *hunter, size_t self, Error *err) {
    bool go_on = true;
    uint64_t number;
    while (go_on && !(seeds_count(c->options->seeds) && !c->shared->useful) &&
           next_number(c, hunter->store, self, &number, err)) {
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
                      .tally = o->programs || o->join ? NULL : &c->shared->tally };
    hunter.store = store_open(o->store, STORE_WRITE, &err);
    hunter.pool = pool_new(1);
    bool ok = hunter.store && work(c, &hunter, self, &err);
    if (!ok && err.status) send_line(c, 'E', (int)err.status, err.text);
    c->shared->current[self] = NO_SEED;
    grafts_free(hunter.pieces);
    lender_free(hunter.lender);
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
/* "not clean: clang-19 .." counts as "not clean". line: its use, a digit, stands before it. */
static void count_reason(Campaigner *c, Str line) {
    size_t colon = str_find(line, STR(": "), 0);
    if (colon != STR_NONE) line = str_sub(line, 0, colon);
    uint64_t *index = map_at(&c->reason_index, line);
    if (!*index) {
        vec_push(&c->reasons,
                 (SeedReason){ .use = (SeedUse)(line.at[0] - '0'),
                               .why = arena_str(c->arena, str_sub(line, 1, line.len)) });
        *index = c->reasons.len;
    }
    c->reasons.at[*index - 1].count++;
}

static void take_message(Campaigner *c, Str line) {
    if (line.len < 3) return;
    Str text = str_sub(line, 2, line.len);
    if (line.at[0] == 'E' && !c->error.status)
        err_set(&c->error, (enum Status)(line.at[1] - '0'), STR_FMT, STR_ARG(text));
    else if (line.at[0] == 'S') {
        snprintf(c->words, sizeof c->words, STR_FMT, STR_ARG(text));
        live_say(&c->live, STR_FMT, STR_ARG(text));
    } else if (line.at[0] == 'W')
        count_reason(c, str_sub(line, 1, line.len));
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
    char seeds[48], programs[48], findings[48];
    live_line(&c->live, "%s%s%s (%llu skipped), %s, %s (%llu new), %.1f compilations/s", left,
              *left ? " left: " : "", quantity_show_count(s->seeds, "seed", seeds),
              (unsigned long long)s->rejected,
              quantity_show_count(s->programs, "program", programs),
              quantity_show_count(s->findings, "finding", findings), (unsigned long long)s->buckets,
              (double)s->compilations / (elapsed > 0.1 ? elapsed : 0.1));
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

/* Somebody else killed it (a scheduler, an administrator, the kernel for want of memory): that says
 * nothing about its seed, until it has happened to that one again and again. */
static bool free_seed(Campaigner *c, size_t self, uint64_t number, int status) {
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!killed || c->shared->tries[self] >= CAMPAIGN_TRIES) return false;
    Error err;
    Store *store = store_open(c->options->store, STORE_WRITE, &err);
    bool ok = store && store_unit_release(store, c->id, number, 0, &err);
    if (!ok) c->error = err;
    store_close(store);
    return true;
}

static CampaignTotals totals_so_far(const Campaigner *c) {
    const Shared *s = c->shared;
    return (CampaignTotals){ .seeds = s->seeds,
                             .programs = s->programs,
                             .compilations = s->compilations,
                             .runs = s->runs,
                             .rejected = s->rejected,
                             .findings = s->findings,
                             .buckets = s->buckets,
                             .compiler_cpu_s = (double)s->test_us * 1e-6,
                             .total_cpu_s = (double)s->total_us * 1e-6,
                             .wall_s = clock_now() - c->options->started };
}

/* Says that we live, which renews what we hold; at the end gives it back. */
static bool give_sign(Campaigner *c, Store *store, bool ended, Error *err) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    CampaignWorker me = { .worker = c->self,
                          .host = str_from(host),
                          .state = ended ? STR("ended") : STR("working"),
                          .words = str_from(c->error.status ? c->error.text : c->words),
                          .cores = c->pids.len,
                          .started = c->began,
                          .totals = totals_so_far(c) };
    return store_worker_seen(store, c->id, &me, ended ? 0 : CAMPAIGN_LEASE_S, err);
}

/* (Opened for the moment only: workers are forked at any time, and a connection is one process's.)
 */
static void beat(Campaigner *c) {
    if (clock_now() - c->beat < CAMPAIGN_BEAT_S) return;
    Error err;
    Store *store = store_open(c->options->store, STORE_WRITE, &err);
    if (store) give_sign(c, store, false, &err); /* else: the workers will say what is wrong */
    store_close(store);
    c->beat = clock_now();
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
                if (!free_seed(c, i, number, status)) give_up_seed(c, number, status);
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
        beat(c);
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

/* A command that goes on where it was stopped says so: its numbers do not begin there. */
static bool tell_before(Campaigner *c, Store *store, Error *err) {
    Campaign all;
    char seeds[48];
    if (!store_campaign_get(store, c->arena, c->id, &all, err)) return false;
    if (all.totals.seeds)
        live_say(&c->live, "campaign %lld goes on: %s done before", (long long)c->id,
                 quantity_show_count(all.totals.seeds, "seed", seeds));
    return true;
}

static bool open_campaign(Campaigner *c, Error *err) {
    const CampaignOptions *o = c->options;
    Store *store = store_open(o->store, STORE_WRITE, err);
    c->id = o->join;
    c->began = store_time();
    bool ok = store && (o->join || store_campaign_open(store, o->settings, &c->id, NULL, err)) &&
              store_units_reap(store, c->id, !o->join, err) && tell_before(c, store, err) &&
              give_sign(c, store, false, err) &&
              (o->join || store_campaign_set(store, c->id, STR("running"), STR(""), err));
    store_close(store);
    c->beat = clock_now();
    return ok;
}

/* What the campaign is now; empty: as it was. Others may still be at one that was joined. */
static bool state_after(const Campaigner *c, Store *store, const Campaign *all, Str *state,
                        bool *complete, Error *err) {
    const CampaignOptions *o = c->options;
    bool left = true, bounded = o->programs || o->join;
    if (bounded && !store_units_left(store, c->id, o->programs, &left, err)) return false;
    *complete = !left;
    if (o->join)
        *state =
            str_is(all->state, "running") && (c->shared->over || !left) ? STR("done") : STR("");
    else
        *state = left ? STR("stopped") : STR("done");
    return true;
}

static bool close_campaign(Campaigner *c, CampaignEnd *end, Error *err) {
    *end = (CampaignEnd){ .id = c->id,
                          .totals = totals_so_far(c),
                          .elapsed_s = clock_now() - c->options->started,
                          .interrupted = run_interrupted(),
                          .verify_s = (double)c->shared->verify_us * 1e-6 };
    end->totals.wall_s = 0;
    bool away = c->error.status == STATUS_LACKS; /* perhaps the store is what is lacking */
    Store *store = away ? NULL : store_open(c->options->store, STORE_WRITE, err);
    bool ok = store && give_sign(c, store, true, err);
    if (c->error.status) return store_close(store), *err = c->error, false;
    Arena arena = { 0 };
    Campaign all;
    Str state;
    ok = ok && store_campaign_get(store, &arena, c->id, &all, err) &&
         state_after(c, store, &all, &state, &end->complete, err) &&
         (!state.len || store_campaign_set(store, c->id, state, STR(""), err));
    if (ok) end->findings = all.totals.findings;
    arena_release(&arena);
    store_close(store);
    return ok;
}

static bool prepare(Campaigner *c, Error *err) {
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
    return true;
}

static void start(Campaigner *c) {
    for (size_t i = 0; i < c->pids.len; i++) start_worker(c, i);
}

static int by_count(const void *pa, const void *pb) {
    const SeedReason *a = pa, *b = pb;
    if (a->use != b->use) return a->use < b->use ? -1 : 1;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : str_cmp(a->why, b->why);
}

bool campaign_run(Arena *arena, const CampaignOptions *options, CampaignEnd *end, Error *err) {
    Campaigner c = { .options = options, .arena = arena, .self = store_worker(arena) };
    live_start(&c.live, options->quiet);
    if (!prepare(&c, err) || !open_campaign(&c, err)) return false;
    start(&c);
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
    vec_release(&c.pids);
    return ok;
}

void campaign_end_release(CampaignEnd *end) {
    vec_release(&end->reasons);
}

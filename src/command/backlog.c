/* Cases are claimed, investigated and left; see backlog.h. While one is investigated, which takes
 * minutes to hours, a thread with a connection of its own says that we live. */
#include "command/backlog.h"

#include "base/quantity.h"
#include "base/shell.h"
#include "run/run.h"

#include <errno.h>
#include <pthread.h>

#define LEASE_S 120.0     /* others take a case of ours when we were silent for so long */
#define SIGN_S 20         /* between two signs of life */
#define WAIT_S 2          /* between two looks at what others hold */
#define PUT_OFF_S 86400.0 /* a case that failed is left alone for so long */

/* ---- signs of life ---- */

typedef struct Keeper {
    const char *path;
    Str worker;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool end;
} Keeper;

static bool keeper_waits(Keeper *k) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += SIGN_S;
    pthread_mutex_lock(&k->lock);
    while (!k->end && pthread_cond_timedwait(&k->ended, &k->lock, &at) != ETIMEDOUT) continue;
    bool end = k->end;
    pthread_mutex_unlock(&k->lock);
    return !end;
}

/* A sign that cannot be given now is given the next time: the lease bears several. */
static void *keep(void *arg) {
    Keeper *k = arg;
    while (keeper_waits(k)) {
        Error err = { 0 };
        Store *store = store_open(k->path, STORE_WRITE, &err);
        if (store) store_backlog_hold(store, k->worker, LEASE_S, &err);
        store_close(store);
    }
    return NULL;
}

static bool keeper_start(Keeper *k, Error *err) {
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->ended, NULL);
    int code = pthread_create(&k->thread, NULL, keep, k);
    return !code || err_set(err, STATUS_LACKS, "cannot start a thread: %s", strerror(code));
}

static void keeper_stop(Keeper *k) {
    pthread_mutex_lock(&k->lock);
    k->end = true;
    pthread_cond_signal(&k->ended);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
    pthread_cond_destroy(&k->ended);
    pthread_mutex_destroy(&k->lock);
}

/* ---- cases ---- */

/* Investigates the case, and says in the store how it ended. */
static bool take(const Backlog *b, const char *path, int64_t id, BacklogEnd *end, Error *err) {
    StepEnd worst = STEP_FAILED;
    Error why = { 0 };
    bool ok = b->investigate(b->arg, id, &worst, &why);
    if (!ok) fprintf(stderr, "culprit: case %lld: %s\n", (long long)id, why.text);
    Store *store = store_open(path, STORE_WRITE, err);
    if (!store) return false;
    if (ok && worst == STEP_STOPPED)
        end->stopped++, ok = store_backlog_release(store, id, 0, err);
    else if (ok && worst != STEP_FAILED)
        end->done++, ok = store_backlog_done(store, id, err);
    else
        end->failed++, ok = store_backlog_release(store, id, PUT_OFF_S, err);
    store_close(store);
    return ok;
}

static bool over(const Backlog *b) {
    return run_interrupted() || clock_now() >= b->until;
}

/* Waits a little for what others hold; false: it is time to end. */
static bool wait_for_others(const Backlog *b, bool *said) {
    if (!b->join) return false;
    if (!*said) fprintf(stderr, "others hold the cases that are left; waiting for them\n");
    *said = true;
    for (double end = clock_now() + WAIT_S; clock_now() < end && !over(b);)
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    return !over(b);
}

static bool next_case(const Backlog *b, const Keeper *k, int64_t *id, UnitEnd *what, Error *err) {
    CaseAsk ask = { .worker = k->worker, .lease_s = LEASE_S, .only = b->only };
    for (const InquiryStep *step = inquiry_steps; step->name; step++)
        ask.steps += !b->only || strcmp(b->only, step->name) == 0;
    Store *store = store_open(k->path, STORE_WRITE, err);
    bool ok = store && store_backlog_claim(store, &ask, id, what, err);
    store_close(store);
    return ok;
}

static bool take_all(const Backlog *b, Keeper *k, BacklogEnd *end, Error *err) {
    bool said = false;
    while (!over(b)) {
        int64_t id;
        UnitEnd what;
        if (!next_case(b, k, &id, &what, err)) return false;
        end->held = what == UNIT_WAIT;
        if (what == UNIT_OVER || (what == UNIT_WAIT && !wait_for_others(b, &said))) return true;
        if (what == UNIT_CLAIMED && !take(b, k->path, id, end, err)) return false;
    }
    return true;
}

/* The case, while its lease is kept. */
static bool take_held(const Backlog *b, const char *path, int64_t id, StepEnd *worst, Error *err) {
    bool ok = b->investigate(b->arg, id, worst, err);
    Error why = { 0 };
    Store *store = store_open(path, STORE_WRITE, &why);
    bool freed = store && store_backlog_done(store, id, &why);
    store_close(store);
    if (ok && !freed) *err = why;
    return ok && freed;
}

bool backlog_take(const Backlog *b, int64_t id, StepEnd *worst, Error *err) {
    Arena arena = { 0 };
    Keeper k = { .worker = store_worker(&arena) };
    CaseAsk ask = { .worker = k.worker, .lease_s = LEASE_S, .id = id };
    UnitEnd what = UNIT_OVER;
    k.path = b->store ? b->store : store_default_path(&arena, err);
    Store *store = k.path ? store_open(k.path, STORE_WRITE, err) : NULL;
    bool ok = store && store_backlog_claim(store, &ask, &id, &what, err);
    store_close(store);
    if (ok && what != UNIT_CLAIMED)
        ok = err_set(err, STATUS_NO,
                     "another culprit is investigating case %lld; culprit show %s%lld shows how far "
                     "it is",
                     (long long)id, shell_option(&arena, "--store", b->store), (long long)id);
    ok = ok && keeper_start(&k, err);
    if (ok) {
        ok = take_held(b, k.path, id, worst, err);
        keeper_stop(&k);
    }
    arena_release(&arena);
    return ok;
}

static bool free_put_off(const char *path, Error *err) {
    Store *store = store_open(path, STORE_WRITE, err);
    bool ok = store && store_backlog_again(store, err);
    store_close(store);
    return ok;
}

bool backlog_run(const Backlog *b, BacklogEnd *end, Error *err) {
    Arena arena = { 0 };
    Keeper k = { .worker = store_worker(&arena) };
    *end = (BacklogEnd){ 0 };
    k.path = b->store ? b->store : store_default_path(&arena, err);
    bool ok = k.path && (!b->again || free_put_off(k.path, err)) && keeper_start(&k, err);
    if (ok) {
        ok = take_all(b, &k, end, err);
        keeper_stop(&k);
    }
    arena_release(&arena);
    return ok;
}

/* The pool: jobs in the order of submission, at most `width` of them with a process in flight.
 *
 * An entry is queued, running or done. Each turn of the loop hands the results of processes that
 * ended to their jobs' step functions, starts queued jobs while there is room, and waits in
 * proc_pump when nothing else can be done. */
#include "run/proc.h"

#include "base/quantity.h"

#include <math.h>

typedef struct Entry {
    Job *job;
    Proc *proc; /* running: the process in flight */
    bool begun; /* step was called */
    bool done;
    uint64_t rank; /* done: its place in the order of completion */
} Entry;

struct Pool {
    VEC(Entry *) entries; /* in the order of submission; those handed back are removed */
    unsigned width;
    unsigned running;   /* entries with a process in flight */
    uint64_t submitted; /* gives job->order */
    uint64_t finished;  /* gives entry->rank */
    double until;       /* clock at which all is cancelled */
};

Pool *pool_new(unsigned width) {
    Pool *pool = mem_alloc(sizeof *pool);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool->until = INFINITY;
    pool->width = width ? width : cores > 0 ? (unsigned)cores : 1;
    return pool;
}

void pool_submit(Pool *pool, Job *job) {
    Entry *entry = mem_alloc(sizeof *entry);
    entry->job = job;
    job->order = pool->submitted++;
    job->cancelled = false;
    vec_push(&pool->entries, entry);
}

static void set_done(Pool *pool, Entry *entry) {
    entry->done = true;
    entry->rank = pool->finished++;
}

/* Lets the job choose its next process and starts it. */
static void advance(Pool *pool, Entry *entry, const RunResult *last) {
    RunSpec next = { 0 };
    entry->begun = true;
    if (!entry->job->step(entry->job, last, &next)) {
        set_done(pool, entry);
        return;
    }
    entry->proc = proc_start(&next);
    pool->running++;
}

static void collect(Pool *pool, Entry *entry) {
    Job *job = entry->job;
    RunResult result = proc_finish(entry->proc, &job->arena);
    entry->proc = NULL;
    pool->running--;
    job->cpu_s += result.cpu_s;
    job->wall_s += result.wall_s;
    job->runs++;
    if (result.end == RUN_CANCELLED) job->cancelled = true;
    if (job->cancelled)
        set_done(pool, entry);
    else
        advance(pool, entry, &result);
}

/* One turn without waiting; true if anything moved. */
static bool turn(Pool *pool) {
    bool moved = false;
    for (size_t i = 0; i < pool->entries.len; i++) {
        Entry *entry = pool->entries.at[i];
        if (entry->done) continue;
        if (entry->proc) {
            if (proc_done(entry->proc)) collect(pool, entry), moved = true;
        } else if (run_interrupted()) {
            entry->job->cancelled = true;
            set_done(pool, entry), moved = true;
        } else if (pool->running < pool->width) {
            advance(pool, entry, NULL), moved = true;
        }
    }
    return moved;
}

/* The entry to hand back now, or entries.len. */
static size_t ready(const Pool *pool, bool any) {
    size_t best = pool->entries.len;
    if (!any) return best && pool->entries.at[0]->done ? 0 : best;
    for (size_t i = 0; i < pool->entries.len; i++)
        if (pool->entries.at[i]->done &&
            (best == pool->entries.len || pool->entries.at[i]->rank < pool->entries.at[best]->rank))
            best = i;
    return best;
}

static Job *next(Pool *pool, bool any) {
    while (pool->entries.len) {
        turn(pool);
        size_t i = ready(pool, any);
        if (i < pool->entries.len) {
            Entry *entry = pool->entries.at[i];
            Job *job = entry->job;
            memmove(pool->entries.at + i, pool->entries.at + i + 1,
                    (pool->entries.len - i - 1) * sizeof *pool->entries.at);
            pool->entries.len--;
            mem_free(entry);
            return job;
        }
        double until = fmin(pool->until, run_end());
        if (clock_now() >= until) pool_cancel_all(pool);
        if (!turn(pool)) proc_pump(until);
    }
    return NULL;
}

Job *pool_next(Pool *pool) {
    return next(pool, false);
}

Job *pool_next_any(Pool *pool) {
    return next(pool, true);
}

static void cancel(Pool *pool, Entry *entry) {
    if (entry->done) return;
    entry->job->cancelled = true;
    if (entry->proc)
        proc_kill(entry->proc, RUN_CANCELLED);
    else
        set_done(pool, entry);
}

void pool_cancel(Pool *pool, Job *job) {
    for (size_t i = 0; i < pool->entries.len; i++)
        if (pool->entries.at[i]->job == job) cancel(pool, pool->entries.at[i]);
}

void pool_cancel_all(Pool *pool) {
    for (size_t i = 0; i < pool->entries.len; i++) cancel(pool, pool->entries.at[i]);
}

void pool_until(Pool *pool, double clock) {
    pool->until = clock;
}

size_t pool_load(const Pool *pool) {
    return pool->entries.len;
}

unsigned pool_width(const Pool *pool) {
    return pool->width;
}

void pool_free(Pool *pool) {
    if (!pool) return;
    pool_cancel_all(pool);
    while (pool_next(pool)) {
    }
    vec_release(&pool->entries);
    mem_free(pool);
}

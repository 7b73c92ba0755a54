/* The order of the steps, and their states in the store. */
#include "command/inquiry.h"

#include "base/file.h"
#include "base/homes.h"
#include "base/json.h"
#include "base/live.h"
#include "base/quantity.h"
#include "run/run.h"
#include "run/workdir.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

const InquiryStep inquiry_steps[] = {
    { "snippets", "which of the insertions matter", NULL, step_snippets },
    { "reduce", "the smallest pair", ready_reduce, step_reduce },
    { "versions", "which installed compilers and levels fail", NULL, step_versions },
    { "isolate", "which file of the compiler is guilty", ready_isolate, step_isolate },
    { "explain", "which change of the compiler broke it", ready_explain, step_explain },
    { NULL, NULL, NULL, NULL },
};

/* ---- the case ---- */

static bool reload(Inquiry *q, Error *err) {
    Store *store = store_open(q->store, STORE_READ, err);
    bool ok = store && store_case_get(store, &q->arena, q->id, &q->c, err);
    store_close(store);
    return ok;
}

bool inquiry_open(Inquiry *q, const char *store, int64_t id, Error *err) {
    *q = (Inquiry){ .id = id, .until = INFINITY };
    q->store = store ? store : store_default_path(&q->arena, err);
    if (!q->store || !reload(q, err)) return false;
    return !q->c.units.len ||
           err_set(err, STATUS_BAD, "case %lld needs several units: export writes its repro.sh",
                   (long long)id);
}

void inquiry_release(Inquiry *q) {
    arena_release(&q->arena);
}

bool inquiry_set(Inquiry *q, const CaseSet *sets, size_t n, Error *err) {
    Store *store = store_open(q->store, STORE_WRITE, err);
    bool ok = store && store_case_set(store, q->id, sets, n, err);
    store_close(store);
    return ok && reload(q, err);
}

Str inquiry_program(const Inquiry *q) {
    if (q->c.reduced_variant.len) return q->c.reduced_variant;
    return q->c.variant.len ? q->c.variant : q->c.seed;
}

const char *inquiry_dir(Inquiry *q, const char *purpose) {
    const char *cache = home_of(&q->arena, HOME_CACHE, NULL);
    if (!cache) return workdir_new_large(&q->arena, purpose); /* goes with us */
    /* a case is identified by its store, its number and its program, since stores are removed and
     * recreated */
    char *real = realpath(q->store, NULL);
    Buf key = { 0 };
    buf_fmt(&key, "%s\n%lld\n" STR_FMT, real ? real : q->store, (long long)q->id,
            STR_ARG(q->c.variant));
    Hash hash = str_hash128(buf_view(&key));
    buf_release(&key);
    free(real);
    return arena_fmt(&q->arena, "%s/investigate/%016llx-%lld-%s", cache,
                     (unsigned long long)hash.hi, (long long)q->id, purpose);
}

/* ---- states ---- */

static bool put_step(Inquiry *q, const char *name, const char *state, Str result, double started,
                     double ended, Error *err) {
    Store *store = store_open(q->store, STORE_WRITE, err);
    CaseStep step = { q->id, str_from(name), str_from(state), result, started, ended };
    bool ok = store && store_step_put(store, &step, err);
    store_close(store);
    return ok;
}

static bool is_done(Inquiry *q, const char *name, bool *done, Str *result, Error *err) {
    CaseStep *steps;
    size_t n;
    *done = false;
    Store *store = store_open(q->store, STORE_READ, err);
    bool ok = store && store_steps(store, &q->arena, q->id, &steps, &n, err);
    store_close(store);
    for (size_t i = 0; ok && i < n; i++)
        if (str_is(steps[i].name, name) && str_is(steps[i].state, "done"))
            *done = true, *result = steps[i].result;
    return ok;
}

static void say(const Inquiry *q, const char *name, const char *state, Str result, double seconds) {
    char took[32];
    FILE *out = q->quiet ? stderr : stdout;
    fprintf(out, "%s%-9s%s %-8s %10s  " STR_FMT "\n", colour(out, COLOUR_BOLD), name,
            colour(out, COLOUR_NONE), state,
            seconds >= 0 ? quantity_show_duration(seconds, took) : "", STR_ARG(result));
    fflush(out);
}

bool ready_reduce(Inquiry *q) {
    return q->c.variant.len || q->c.seed.len;
}

#define SHORT_SHARE 0.2 /* of what is left: reserved for steps that end by themselves */

/* What this step may take: the long steps that can be done share what is left, and leave something
 * for the short ones between them. */
static double share_of_time(Inquiry *q, const InquiryStep *step) {
    if (isinf(q->until)) return 0;
    size_t left = 0;
    bool more = false; /* short steps to come */
    for (const InquiryStep *s = step; s->name; s++)
        left += s->ready && s->ready(q), more |= !s->ready;
    double rest = q->until - clock_now();
    if (rest <= 0) return 0.001;
    return step->ready && left ? rest * (more ? 1 - SHORT_SHARE : 1) / (double)left : rest;
}

static bool take_step(Inquiry *q, const InquiryStep *step, StepEnd *end, Error *err) {
    static const char *const states[] = { "done", "skipped", "failed", "stopped" };
    double started = store_time();
    Str result = STR("");
    if (!reload(q, err) || !put_step(q, step->name, "running", STR(""), started, 0, err))
        return false;
    if (!q->quiet) fprintf(stderr, "%s: %s\n", step->name, step->brief);
    q->step_s = share_of_time(q, step);
    *end = step->run(q, &result);
    /* a step that was cut short has no result, whatever it says */
    if (run_interrupted()) *end = STEP_STOPPED;
    if (*end == STEP_STOPPED && !result.len)
        result = STR("nothing was saved; it starts over next time");
    say(q, step->name, states[*end], result, store_time() - started);
    return put_step(q, step->name, states[*end], result, started, store_time(), err);
}

/* Whether a is a worse end than b. */
static bool is_worse(StepEnd a, StepEnd b) {
    static const int rank[] = { 0, 0, 1, 2 };
    return rank[a] > rank[b];
}

bool inquiry_run(Inquiry *q, bool again, const char *only, StepEnd *worst, Error *err) {
    *worst = STEP_DONE;
    run_catch_interrupts();
    for (const InquiryStep *step = inquiry_steps; step->name; step++) {
        bool done;
        Str result = STR("");
        StepEnd end = STEP_DONE;
        if (only && strcmp(only, step->name) != 0) continue;
        if (!is_done(q, step->name, &done, &result, err)) return false;
        if (done && !again)
            say(q, step->name, "done", result, -1);
        else if (clock_now() >= q->until) {
            if (is_worse(STEP_STOPPED, *worst)) *worst = STEP_STOPPED;
            say(q, step->name, "waits", STR("out of time"), -1);
        } else if (!take_step(q, step, &end, err))
            return false;
        if (is_worse(end, *worst)) *worst = end;
        if (run_interrupted()) break;
    }
    return true;
}

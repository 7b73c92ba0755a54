/* Speculation over the runner's pool; see speculate.h. */
#include "shrink/speculate.h"

typedef struct Flight {
    Job *job;
    size_t i; /* its candidate */
} Flight;

typedef struct Spec {
    Pool *pool;
    const SpecSource *source;
    VEC(Flight) flights; /* in order of i */
    size_t next;         /* candidate to make next */
    size_t best;         /* lowest success so far */
    bool end;            /* the source has no more */
} Spec;

static void launch(Spec *s) {
    while (!s->end && s->best == SHRINK_NONE && !run_interrupted() &&
           s->flights.len < pool_width(s->pool)) {
        Job *job = NULL;
        bool good = false;
        size_t i = s->next++;
        switch (s->source->make(s->source->user, i, &job, &good)) {
        case SPEC_END: s->end = true; break;
        case SPEC_KNOWN:
            if (good) s->best = i;
            break;
        case SPEC_RUN:
            pool_submit(s->pool, job);
            vec_push(&s->flights, ((Flight){ job, i }));
            break;
        }
    }
}

static void cancel_behind(Spec *s) {
    for (size_t k = 0; k < s->flights.len; k++)
        if (s->flights.at[k].i > s->best) pool_cancel(s->pool, s->flights.at[k].job);
}

static void land(Spec *s, Job *job) {
    size_t k = 0;
    while (k < s->flights.len && s->flights.at[k].job != job) k++;
    CHECK(k < s->flights.len);
    size_t i = s->flights.at[k].i;
    memmove(s->flights.at + k, s->flights.at + k + 1, (s->flights.len - k - 1) * sizeof(Flight));
    s->flights.len--;
    if (!job->cancelled && s->source->judge(s->source->user, i, job) && i < s->best) {
        s->best = i;
        cancel_behind(s);
    }
    s->source->drop(s->source->user, i, job);
}

size_t speculate(Pool *pool, const SpecSource *source) {
    Spec s = { .pool = pool, .source = source, .best = SHRINK_NONE };
    for (;;) {
        launch(&s);
        if (s.flights.len == 0) break;
        Job *job = pool_next_any(pool);
        CHECK(job);
        land(&s, job);
    }
    vec_release(&s.flights);
    return run_interrupted() ? SHRINK_STOP : s.best;
}

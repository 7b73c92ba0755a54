/* See mh.h. */
#include "isolate/learn/mh.h"
#include "isolate/isolate_knobs.h"

#include <math.h>

double mh_p(unsigned n) {
    return 1 - pow(1 - DIWI_COVER, 1.0 / n);
}

double mh_score(const MhRule *rule) {
    double rate = rule->selected ? (double)rule->accepted / (double)rule->selected : 1;
    return rule->distance * rate;
}

static int compare(const void *a, const void *b, void *rules) {
    const MhRule *x = &((MhRule *)rules)[*(const unsigned *)a],
                 *y = &((MhRule *)rules)[*(const unsigned *)b];
    double sx = mh_score(x), sy = mh_score(y);
    if (sx != sy) return sx > sy ? -1 : 1;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

static void sort_rules(Mh *mh) {
    qsort_r(mh->order, mh->n, sizeof *mh->order, compare, mh->rules);
    for (unsigned k = 0; k < mh->n; k++) mh->rank[mh->order[k]] = k;
}

void mh_init(Mh *mh, unsigned n, Rng rng) {
    *mh = (Mh){ .n = n, .p = mh_p(n), .rng = rng };
    mh->rules = mem_alloc(n * sizeof *mh->rules);
    mh->rank = mem_alloc(n * sizeof *mh->rank);
    mh->order = mem_alloc(n * sizeof *mh->order);
    for (unsigned i = 0; i < n; i++) mh->order[i] = i;
    rng_shuffle(&mh->rng, mh->order, n, sizeof *mh->order);
    for (unsigned i = 0; i < n; i++) mh->rules[mh->order[i]] = (MhRule){ .distance = 1, .tie = i };
    sort_rules(mh);
    mh->now = mh->before = mh->order[0];
}

void mh_release(Mh *mh) {
    mem_free(mh->rules);
    mem_free(mh->rank);
    mem_free(mh->order);
}

unsigned mh_choose(Mh *mh) {
    for (;;) {
        unsigned b = (unsigned)rng_below(&mh->rng, mh->n);
        double ka = mh->rank[mh->now], kb = mh->rank[b];
        if (kb > ka && !rng_chance(&mh->rng, pow(1 - mh->p, kb - ka))) continue;
        mh->before = mh->now;
        mh->now = b;
        return b;
    }
}

void mh_take_back(Mh *mh) {
    mh->now = mh->before;
}

void mh_feedback(Mh *mh, unsigned rule, bool accepted, double distance) {
    MhRule *r = &mh->rules[rule];
    r->selected++;
    if (accepted) {
        r->accepted++;
        r->distance = distance;
    }
    sort_rules(mh);
}

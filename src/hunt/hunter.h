/* One seed from beginning to end: made, checked, tried, mutated, its variants tried, failures
 * turned into cases, everything recorded in one transaction (except for what stays unconfirmed,
 * which does not count as a finding and is recorded separately). Depends only on the seed's number
 * and the setup, not on what other workers do or what was found before. */
#ifndef CULPRIT_HUNT_HUNTER_H
#define CULPRIT_HUNT_HUNTER_H

#include "hunt/bandit.h"
#include "hunt/seeds.h"
#include "hunt/trial.h"
#include "store/store.h"

typedef struct Hunter {
    const HuntSetup *setup;
    const Seeds *seeds;
    Pool *pool;
    Store *store;
    int64_t campaign;
    double deadline;                           /* clock_now; 0: none */
    void (*say)(void *user, const char *line); /* something worth a line */
    /* progress, for the live line; verify_s is part of total_cpu_s */
    void (*moved)(void *user, const CampaignTotals *more, double verify_s);
    /* another number for the same file would only repeat this: what it is still good for (SEED_RUN:
     * it has no variants), and why only for that */
    void (*useless)(void *user, uint64_t number, SeedUse use, const char *why);
    void *user;
    bool verbose;
    bool named;            /* seeds that are not run are listed with their reason */
    bool first;            /* a chain ends with its first case */
    struct Grafts *pieces; /* of other seeds, where only crashes count; NULL: none .. */
    bool mined;            /* .. or not looked for yet */
    struct Lender *lender; /* functions of other seeds; NULL: none .. */
    bool asked;            /* .. or not looked for yet */
    bool recorded;         /* whether the last seed was */
    double store_s;        /* store_spent when it was */
    BanditTally *tally;    /* of all workers; NULL: arms are drawn evenly (setup->bandit) */
} Hunter;

/* False with err when the campaign cannot continue (disk full, store gone, a tool is missing), or
 * without err->status when it was interrupted; then nothing of the seed is recorded. */
bool hunter_do_seed(Hunter *hunter, uint64_t number, Error *err);

#endif

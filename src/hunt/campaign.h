/* The campaign: worker processes that take seed numbers from one shared list until it is used up,
 * time runs out or somebody interrupts. Every worker has its own runner, store and libclang; a
 * worker that dies takes only its current seed with it, which is then marked and skipped. */
#ifndef CULPRIT_HUNT_CAMPAIGN_H
#define CULPRIT_HUNT_CAMPAIGN_H

#include "hunt/seeds.h"
#include "store/store.h"

/* Why seeds were not used in every way, and how many for that reason. */
typedef struct SeedReason {
    SeedUse use; /* what they were still good for; SEED_RUN: for everything but variants */
    Str why;     /* without what is specific to one seed: "not clean", "requires lto" */
    uint64_t count;
} SeedReason;
typedef VEC(SeedReason) SeedReasons;

typedef struct CampaignOptions {
    const HuntSetup *setup;
    const Seeds *seeds;
    const char *store; /* path; NULL: the default */
    Str settings;      /* JSON: what makes it the same campaign when it is started again */
    int64_t join;      /* the campaign whose worker we are; 0: the one with these settings */
    double started;    /* clock_now from which time_s counts */
    double time_s;     /* stop after this long; 0: no limit */
    uint64_t programs; /* seeds to do in all, including those done before; 0: no limit */
    uint64_t cases;    /* stop when this many new cases were found; 0: no limit */
    unsigned workers;  /* 0: all cores */
    bool verbose, quiet;
} CampaignOptions;

typedef struct CampaignEnd {
    int64_t id;            /* in the store */
    CampaignTotals totals; /* of this run, not of earlier ones */
    uint64_t findings;     /* of all runs of the campaign */
    double verify_s;       /* CPU of verification and bucketing, part of total_cpu_s */
    double elapsed_s;
    SeedReasons reasons; /* by use, the most frequent first; memory: the arena given */
    bool interrupted;    /* by the user */
    bool complete;       /* no seed of the campaign's budget is left to do */
} CampaignEnd;

bool campaign_run(Arena *arena, const CampaignOptions *options, CampaignEnd *end, Error *err);
void campaign_end_release(CampaignEnd *end);

#endif

/* The stage: find bugs in C compilers with equivalent variants of programs.
 *
 *     HuntRequest request = HUNT_REQUEST;
 *     vec_push(&request.compilers, STR("gcc-12"));  request.time_s = 600;
 *     HuntResult result;
 *     if (!hunt_run(&request, &result, &err)) return err_report(&err);
 *     ... result.cases, result.totals ...
 *     hunt_result_release(&result);
 *
 * A request with the same compilers, seeds and settings on the same store is the same campaign: it
 * continues where it was stopped or killed, and concurrent runs share its seeds. Starts worker
 * processes; may be called again in the same process, but not from two threads. */
#ifndef CULPRIT_HUNT_HUNT_H
#define CULPRIT_HUNT_HUNT_H

#include "hunt/campaign.h"

typedef struct HuntRequest {
    StrVec compilers;       /* under test: names or paths; empty: all gcc-N and clang-N found */
    StrVec references;      /* that tell what a seed prints; empty: the newest that accept it */
    StrVec seeds;           /* C programs or directories of them; empty: made by Csmith */
    StrVec includes;        /* directories for the seeds' headers */
    const char *levels;     /* "-O0,-O2" */
    const char *strategies; /* of the variants, separated by commas; "auto": those that paid off;
                               NULL: hermes,identity */
    uint64_t variants;      /* in a chain */
    uint64_t siblings;      /* variants per profile; 0: as suits the compilers */
    bool random_flags, oracles;
    bool crashes;      /* only crashes and hangs count: every program is a seed, perturbed freely */
    bool kernels;      /* seeds are programs of kernels instead of Csmith's */
    double time_s;     /* 0: no limit */
    uint64_t programs; /* seeds to do in all, those done before included; 0: no limit */
    uint64_t cases;    /* enough new cases; 0: no limit */
    uint64_t seed;     /* all randomness comes from it */
    uint64_t workers;  /* 0: all cores */
    const char *store; /* NULL: the default */
    int64_t join; /* be a worker of this campaign: of what is above, only time_s and workers are
                     ours; 0: none */
    bool trust;   /* join runs what the store names, even where the user did not write it */
    bool verbose, quiet;
} HuntRequest;
#define HUNT_REQUEST { .levels = "-O0,-O1,-Os,-O2,-O3", .variants = CAMPAIGN_VARIANTS, .seed = 1 }

typedef struct HuntResult {
    CampaignEnd end; /* what was done, in this run */
    Case *cases;     /* of the campaign, confirmed, without their large texts */
    size_t cases_len;
    Case *unconfirmed; /* kept apart */
    size_t unconfirmed_len;
    Arena arena; /* memory of all of it */
} HuntResult;

/* False: the hunt could not start, err says why. An interrupt gives true, with end.interrupted. */
bool hunt_run(const HuntRequest *request, HuntResult *result, Error *err);
/* Puts the campaign that the request describes into its store, for others to join: programs and
 * time_s are its budget, and so is cpu_s (0: no limit). mixed: those with other versions of the
 * compilers may take part. One with the same settings is taken up again, with this budget. */
bool hunt_plan(const HuntRequest *request, bool mixed, double cpu_s, int64_t *id, Error *err);
void hunt_result_release(HuntResult *result);

#endif

/* Which way of hunting pays? A bandit over strategies and options: each seed takes one arm.
 *
 * Thompson sampling: an arm's findings per CPU second are taken as a Poisson rate with a Gamma
 * prior; each seed draws a rate from every arm's posterior and takes the arm with the highest. So
 * arms that found something are taken more often, and those little tried keep their chance. The
 * tally is shared by all workers of a run. Without a tally all arms are equally likely: a seed's
 * arm then depends on its number alone, which a campaign with --programs needs to be repeatable. */
#ifndef CULPRIT_HUNT_BANDIT_H
#define CULPRIT_HUNT_BANDIT_H

#include "base/rng.h"

#include <stdatomic.h>

enum { BANDIT_ARMS = 8 };
#define BANDIT_PRIOR_FINDS 1.0 /* the prior: this many findings .. */
#define BANDIT_PRIOR_S 120.0   /* .. in this many CPU seconds */

typedef struct BanditArm {
    const char *name;
    const char *strategies; /* as for --strategies */
    bool random_flags, oracles;
} BanditArm;
extern const BanditArm bandit_arms[BANDIT_ARMS];

typedef struct BanditTally {
    _Atomic uint64_t findings[BANDIT_ARMS];
    _Atomic uint64_t cpu_ms[BANDIT_ARMS];
} BanditTally;

unsigned bandit_draw(Rng *rng, const BanditTally *tally); /* tally may be NULL */
void bandit_learn(BanditTally *tally, unsigned arm, double cpu_s, uint64_t findings);

#endif

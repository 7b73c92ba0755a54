/* Metropolis-Hastings over mutation rules, as DiWi chooses them (its section 4.2.2).
 *
 * Rules are ranked by score = mean distance of the rule's latest witness to the witnesses before
 * it, times its acceptance rate. From rule a at rank ka a proposal b at rank kb (uniform) is
 * accepted with probability min(1, (1-p)^(kb-ka)), and proposals continue until one is accepted; p
 * solves 1-(1-p)^N >= 0.95. All scores start equal (the order among equals is a fixed shuffle). A
 * mutant that is not accepted changes only its rule's rate. */
#ifndef CULPRIT_ISOLATE_LEARN_MH_H
#define CULPRIT_ISOLATE_LEARN_MH_H

#include "base/base.h"
#include "base/rng.h"

typedef struct MhRule {
    double distance; /* of its latest witness; 1 before there is one */
    uint64_t selected, accepted;
    uint32_t tie; /* its place among equals */
} MhRule;

typedef struct Mh {
    unsigned n;
    MhRule *rules;
    unsigned *rank;  /* per rule, 0 is best */
    unsigned *order; /* rules by rank */
    unsigned now;    /* current rule */
    unsigned before; /* the one that it was chosen from */
    double p;
    Rng rng;
} Mh;

void mh_init(Mh *mh, unsigned n, Rng rng);
void mh_release(Mh *mh);
unsigned mh_choose(Mh *mh);
void mh_take_back(Mh *mh); /* the rule chosen last gave nothing: the one before is current again */
/* accepted: the mutant became a witness; distance: its mean distance to the earlier ones. */
void mh_feedback(Mh *mh, unsigned rule, bool accepted, double distance);
double mh_score(const MhRule *rule);
double mh_p(unsigned n); /* 0.0225 for 132 rules, 0.26 for ten */

#endif

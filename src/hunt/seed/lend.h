/* Functions of a suite's programs for the strategy `borrow` (variant/borrow). */
#ifndef CULPRIT_HUNT_SEED_LEND_H
#define CULPRIT_HUNT_SEED_LEND_H

#include "hunt/seeds.h"
#include "variant/borrow/borrow.h"

/* Those of CAMPAIGN_LENDERS drawn programs among the seeds, recorded. NULL: the seeds are no files,
 * or have none; each then borrows from itself. err is set where a compiler is missing. */
Lender *lend_functions(const Seeds *seeds, uint64_t seed, Error *err);

#endif

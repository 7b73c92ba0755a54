/* Programs no variant can be promised for: what a profile of one run cannot see, or what makes
 * otherwise harmless insertions visible. */
#ifndef CULPRIT_VARIANT_FITNESS_H
#define CULPRIT_VARIANT_FITNESS_H

#include "cfront/cfront.h"

/* False with the reason (STATUS_NO) when the program is no seed for live mutation. */
bool fitness_check(const CUnit *unit, Error *err);
/* The same of a seed as it is, for whether its output may depend on the optimiser: what only
 * insertions would disturb is let pass. text is preprocessed. */
bool fitness_of_seed(Str text, Error *why);

#endif

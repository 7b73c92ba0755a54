/* Takes away from a set of reverts what only compiled along: which changes can go, together with
 * all that cannot compile without them?
 *
 * A change leaves the set, and then whatever the parser complains about leaves it too, until the
 * rest fits; the rest is built once. This is the closure of closed_search.h the other way round: by
 * what really complains, where edges were learned one at a time and may say too much. Where a
 * change drags out another one that is known to be needed, nothing is built. */
#ifndef CULPRIT_EXPLAIN_SEARCH_LIGHTEN_H
#define CULPRIT_EXPLAIN_SEARCH_LIGHTEN_H

#include "explain/aux.h"

/* The set passes, as it does afterwards. weight: suspicion of each change; what is suspected most
 * is asked about first, because it is needed most likely. Returns how many changes went. */
size_t lighten(AuxFinder *aux, Needs *needs, const double *weight, uint8_t *set);

#endif

/* The search before anything is recorded.
 *
 * Recording both versions costs some builds and the test many times over: a test that ends only
 * because it is killed may cost all the time there is. Where a search over all changes, in whole
 * functions and by what their text ties together, is likely to cost a small part of that, it goes
 * first. What it knows then is not lost: verdicts are shared, and the smallest set that passes is
 * what is narrowed where what the analysis suspects does not pass. */
#ifndef CULPRIT_EXPLAIN_EARLY_H
#define CULPRIT_EXPLAIN_EARLY_H

#include "explain/search/closed_search.h"
#include "explain/versions.h"

/* best, a byte for each change, becomes a set that passes; false: it was not tried, or none does.
 */
bool early_search(const ClosedSearch *search, const Versions *versions, uint8_t *best);

#endif

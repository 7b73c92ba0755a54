/* The search over closed sets: which changes must be reverted, tested so that nearly every set that
 * is built compiles and every answer halves what is left.
 *
 * Changes are units (first those of a file together, then those of a function, then each by itself)
 * in the order of suspicion. P(k) is the closure (needs.h) of what is known to be needed and the
 * first k units. P(all) passes, P(0) fails; a search over k, cut by suspicion instead of by number,
 * finds a k with P(k) passing and P(k-1) failing: unit k is needed. It is kept, and the search
 * continues among the units before it until what is needed passes by itself. One guilty unit costs
 * at most the logarithm of the number of units, wherever it is, and a few builds where suspicion is
 * right: probabilistic delta debugging (Wang et al., ESEC/FSE 2021) with the order as its only
 * state.
 *
 * Where a parser can be asked, sets are closed under its messages alone (needs_unparsed).
 *
 * A set that a parser refuses (change/fit.h) teaches edges from its messages until it fits, before
 * anything is built. One that still does not build learns from the compiler's message and is tried
 * once more; what does not build even then is skipped. */
#ifndef CULPRIT_EXPLAIN_CLOSED_SEARCH_H
#define CULPRIT_EXPLAIN_CLOSED_SEARCH_H

#include "change/needs.h"
#include "explain/revert_search.h"

/* Closes the set under needs and under what a parser says about it, without a build; false: it
 * cannot be made to fit. */
bool closed_fit(AuxFinder *aux, Needs *needs, uint8_t *set);
/* The same, and tests it; what still does not build teaches an edge and is tested again, a few
 * times. The set becomes the one that was tested. */
Outcome closed_ask(AuxFinder *aux, Needs *needs, uint8_t *set);

typedef struct ClosedSearch {
    AuxFinder *aux;
    Needs *needs;         /* grows by what compilers say */
    const double *weight; /* suspicion of each change, above 0 */
    const uint8_t *used;  /* changes that may be reverted for their own sake */
} ClosedSearch;

/* answer->found: reverting root and rest passes; root is what the search asked for, rest what it
 * needs. Stopped by the clock, the smallest passing set so far (found but not apart, and perhaps
 * large). */
void closed_search(const ClosedSearch *search, Answer *answer);

#endif

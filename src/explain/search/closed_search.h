/* The search over closed sets: which changes must be reverted, tested so that nearly every set that
 * is built compiles and every answer takes away as much as it can.
 *
 * What passes as a whole is narrowed in a row of closed sets (row.h), in the order of suspicion.
 * One build or two before that try what is suspected most, in whole functions. While a set is
 * narrowed nothing outside of it is needed: it compiles as it is, so what a message asks for is
 * within it.
 *
 * Where a parser can be asked, sets are closed under its messages alone (needs_unparsed).
 *
 * Where closing a set, or narrowing one, leads to many changes that only compile along, a few are
 * reverted in part instead (thin.h).
 *
 * A set that a parser refuses (change/fit.h) teaches edges from its messages until it fits, before
 * anything is built. One that still does not build learns from the compiler's message and is tried
 * once more; what does not build even then is skipped. */
#ifndef CULPRIT_EXPLAIN_SEARCH_CLOSED_SEARCH_H
#define CULPRIT_EXPLAIN_SEARCH_CLOSED_SEARCH_H

#include "change/needs.h"
#include "explain/search/revert_search.h"

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
    const char *direct;   /* builds sets without the user's makefiles; NULL */
    const uint8_t *hard;  /* changes that need them */
    ChangeSet *set;       /* the oracle's, where changes may be reverted in part; NULL */
    const uint8_t *known; /* a set that passes, for where what is suspected does not; NULL */
} ClosedSearch;

/* Before anything is known: narrows what may be used in whole functions, then further, as far as
 * the oracle goes until it pauses, and no farther than a few sets that do not build. best becomes
 * the smallest set that is known to pass; false: there is none. *ended: nothing of it can go. */
bool closed_early(const ClosedSearch *search, uint8_t *best, bool *ended);
/* How many units the search would begin with: changes that go together, in whole functions. */
size_t closed_units(const ClosedSearch *search);

/* answer->found: reverting root and rest passes; root is what the search asked for, rest what it
 * needs. Stopped by the clock, the smallest passing set so far (found but not apart, and perhaps
 * large). */
void closed_search(const ClosedSearch *search, Answer *answer);

/* The smallest set that passes is often not the only one: a commit changes where a value is made
 * and where it is used, and reverting either is enough. Whether the suspected functions pass
 * without the roots of an answer, and what of them is needed then: a second answer that shares no
 * root with the first. One build where there is none; it ends when the oracle pauses. */
void closed_other(const ClosedSearch *search, const Answer *answer, Answer *other);

#endif

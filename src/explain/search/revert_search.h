/* The baselines dd and ddmin, and which part of a passing set is needed.
 *
 *     dd       Zeller's dd over the changes applied to good: the smallest difference between a
 *              passing and a failing version
 *     ddmin    the smallest set of reverts that passes (ddmin where "interesting" is "passes")
 *
 * All sets are bytes for each change. */
#ifndef CULPRIT_EXPLAIN_SEARCH_REVERT_SEARCH_H
#define CULPRIT_EXPLAIN_SEARCH_REVERT_SEARCH_H

#include "explain/aux.h"

typedef struct Answer {
    bool found;    /* reverting root and rest passes */
    bool apart;    /* none of them can be left out, and which are roots was tested */
    uint8_t *root; /* caller's memory, a byte for each change */
    uint8_t *rest; /* auxiliary changes */
    Str *blend;    /* the same of what reverting each of them brings (changeset_blend); or NULL */
} Answer;

/* Which part of a passing set is needed: each change whose revert cannot be dropped again. A change
 * without which the test fails is a root, and so is one that the analysis alone pointed at; one
 * without which it does not even build is auxiliary, unless it is the only one. answer->apart:
 * there was time for all of it. */
void search_tell_apart(AuxFinder *aux, Answer *answer);
/* answer->found tells whether reverting what was named passes: dd does not promise it. */
void search_dd(Oracle *oracle, const uint8_t *candidates, Answer *answer);
void search_ddmin(Oracle *oracle, const uint8_t *candidates, Answer *answer);

#endif

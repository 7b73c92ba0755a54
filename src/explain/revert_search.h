/* The searches over reverted changes: AFTER's Algorithm 2, and the baselines dd, ddmin and ADD over
 * the same machinery.
 *
 *     dynamic  Algorithm 2: asymmetric partitioning, only passing runs carry information; sets that
 * do not build go through FindAux first dd       Zeller's dd over the changes applied to good: the
 * smallest difference between a passing and a failing version ddmin    the smallest set of reverts
 * that passes (ddmin where "interesting" means "passes") add      dd over the changes that the
 * failing run executes
 *
 * All sets are bytes for each change. */
#ifndef CULPRIT_EXPLAIN_REVERT_SEARCH_H
#define CULPRIT_EXPLAIN_REVERT_SEARCH_H

#include "explain/aux.h"

typedef struct Answer {
    bool found;    /* reverting root and rest passes */
    uint8_t *root; /* caller's memory, a byte for each change */
    uint8_t *rest; /* auxiliary changes */
} Answer;

/* Narrows candidates; the smallest passing set goes to answer. thorough: look into parts even when
 * the whole does not pass (as Algorithm 2 does; otherwise one build decides). */
void search_dynamic(AuxFinder *aux, const uint8_t *candidates, bool thorough, Answer *answer);
/* The candidates from the likeliest on: each alone with what must go along, first the sure ones,
 * and then all so far together, which Algorithm 2 narrows. Costs a few builds when the order is
 * good. */
void search_ranked(AuxFinder *aux, const size_t *ranked, size_t len, size_t sure, Answer *answer);
/* answer->found tells whether reverting what was named passes: dd does not promise it. */
void search_dd(Oracle *oracle, const uint8_t *candidates, Answer *answer);
void search_ddmin(Oracle *oracle, const uint8_t *candidates, Answer *answer);

#endif

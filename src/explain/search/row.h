/* Closed sets in a row, and the search over them: which changes of a passing set are needed, in few
 * questions.
 *
 * Changes that need each other, directly or through others, are one unit: they are reverted
 * together or not at all. The units form a row in which each comes behind what it needs, so every
 * beginning of the row is a closed set and the next one is larger by a single unit. (The closure of
 * a set of changes in any other order jumps: it is soon nearly everything, and a build then tells
 * nothing.) Among the rows that are possible the one is taken in which what is suspected comes
 * early.
 *
 * P(k) is the first k units. P(all) passes and P(0) fails: a search over k, halved by suspicion,
 * ends at a unit with P(k) passing and P(k-1) failing. That unit is needed, with all that it needs;
 * what comes behind it is not. It moves to the front and the search goes on among the units before
 * it, until what is needed passes by itself. Needed units are often neighbours: from the third on
 * they are searched from the end with growing steps, which takes one question where all are needed
 * and at most twice the logarithm where few are. At last each unit that no other needs is left out
 * once: the result is minimal.
 *
 * The idea of searching dependency graphs by their closures is binary reduction (Kalhauge and
 * Palsberg, ESEC/FSE 2019), the order by suspicion is probabilistic delta debugging's (Wang et al.,
 * ESEC/FSE 2021).
 *
 * A set that does not compile may teach edges (ROW_TAUGHT): then the row is made again. What is
 * known to fail stays in front, and what is known to pass stays all there is. */
#ifndef CULPRIT_EXPLAIN_SEARCH_ROW_H
#define CULPRIT_EXPLAIN_SEARCH_ROW_H

#include "change/needs.h"

typedef enum RowVerdict {
    ROW_UNKNOWN, /* not asked, because an earlier one of the round was enough */
    ROW_PASSES,
    ROW_FAILS,
    ROW_DEAD,    /* cannot be tested */
    ROW_TAUGHT,  /* does not compile, and edges that lead out of it were added to needs */
    ROW_STOPPED, /* out of time */
} RowVerdict;

typedef struct RowTask {
    Needs *needs;         /* grows while sets are asked about */
    const double *weight; /* suspicion of each change, above 0 */
    unsigned at_once;     /* sets of one round */
    /* Verdicts of len sets; each is a byte for each change and closed under needs. */
    void (*ask)(void *user, uint8_t *const *sets, size_t len, RowVerdict *verdicts);
    /* NULL, or told whenever a smaller set is known to pass. */
    void (*smaller)(void *user, const uint8_t *set);
    void *user;
    bool rough; /* units are not left out once more at the end */
} RowTask;

/* best passes (the caller knows that) and becomes smaller; needed, a byte for each change, becomes
 * those of its units without which it does not pass, and not what only those need. False: stopped,
 * with the smallest passing set so far. */
bool row_search(const RowTask *task, uint8_t *best, uint8_t *needed);

/* The units of a set in their row: unit[c] is the number, from 1, of the unit of change c, 0
 * outside of the set. Those of first come first, then those of second (either may be NULL). Returns
 * how many units there are. */
size_t row_units(const Needs *needs, const double *weight, const uint8_t *set, const uint8_t *first,
                 const uint8_t *second, size_t *unit);

#endif

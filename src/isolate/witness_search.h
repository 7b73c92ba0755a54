/* Witness programs: the failing program changed a little, until it passes.
 *
 * A search chooses the rule for each mutant (a strategy: search_kinds), a mutant is made, judged,
 * and, when it passes, run with coverage and accepted or not by the strategy's rule. Mutants are
 * made in batches of fixed width, each from its own random stream, and their results are taken in
 * order: the result does not depend on -j. Failing mutants are kept as seeds for higher orders
 * (used when the first order has found no witness by half of the budget), and the first of them
 * also serve as further failing runs. */
#ifndef CULPRIT_ISOLATE_WITNESS_SEARCH_H
#define CULPRIT_ISOLATE_WITNESS_SEARCH_H

#include "isolate/isolation.h"

typedef struct SearchSpec {
    const char *name;        /* recbi, diwi, blend, mh, filter, random, dev, csmith, cuts */
    const char *ingredients; /* test suite; NULL: none */
    size_t most;             /* dev, cuts: programs tried at most; 0: all */
} SearchSpec;

/* Adds witnesses to iso until isolation_over. */
bool search_run(Isolation *iso, const SearchSpec *spec, Error *err);

#endif

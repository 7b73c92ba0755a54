/* The last pass for C and C++, on small results: what is left is tried in ways the grammar does not
 * suggest.
 *
 * A plain number for every expression without names; every bracket pair (all of it, what is inside
 * it, only the two brackets, 0 in its place); every statement, even where one is required; every
 * run of up to REDUCE_JUDGE_RUN tokens whose brackets match. As everywhere the parser must accept
 * it, with two exceptions where the compiler alone is the judge, because compilers accept what the
 * grammar lacks: no type after `typedef` and the like, no semicolon at the end of a struct. */
#ifndef CULPRIT_REDUCE_JUDGE_H
#define CULPRIT_REDUCE_JUDGE_H

#include "reduce/reducer.h"

/* Returns the steps taken; the documents are fresh afterwards. */
size_t reduce_judge(Reducer *r);

#endif

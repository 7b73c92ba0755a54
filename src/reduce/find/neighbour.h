/* The nearest passing program, for pairs at the end: the seed becomes the failing program but for
 * one small change, where that is less than what the two differ in. What is left of a difference
 * after both were reduced is often how the failure is shown (a call that prints); one change that
 * cures it (a width, a number, an operand that goes) is smaller, and says more of the cause. */
#ifndef CULPRIT_REDUCE_FIND_NEIGHBOUR_H
#define CULPRIT_REDUCE_FIND_NEIGHBOUR_H

#include "reduce/reducer.h"

/* Of programs up to REDUCE_WINDOW_TOKENS. Returns the steps taken. */
size_t reduce_neighbour(Reducer *r);

#endif

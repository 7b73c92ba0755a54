/* Within new code: what a step on a changed line was computed from, on changed lines of the same
 * call.
 *
 * A change that brings a function is one line for a search and a source for the dual slice: both
 * stop at it. Somebody who mends it wants to know which line of it is wrong, so the values and
 * decisions that led to the step are followed back as far as the new code goes. */
#ifndef CULPRIT_EXPLAIN_WITHIN_H
#define CULPRIT_EXPLAIN_WITHIN_H

#include "explain/analysis.h"

enum { WITHIN_MOST = 5 }; /* lines */

/* Appends at most WITHIN_MOST steps of the bad run, the nearest first, each of another line than
 * the step's own and those before it. None where the step is not on a changed line. */
typedef VEC(Step) WithinSteps;
void within_new_code(Analysis *analysis, Step step, WithinSteps *out);

#endif

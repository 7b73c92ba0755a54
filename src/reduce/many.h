/* Programs of several files: files are dropped, included files are pasted in place, then each is
 * reduced beside the others, the largest first, until none shrinks. A program that is one file goes
 * straight to its reducer. */
#ifndef CULPRIT_REDUCE_MANY_H
#define CULPRIT_REDUCE_MANY_H

#include "reduce/ppr.h"

void reduce_many(Reducer *r, const Plan *plan);
/* Makes the first file that is left the current one, on both sides where both have it. */
void many_align(Reducer *r);

#endif

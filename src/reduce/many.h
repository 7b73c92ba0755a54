/* Programs of several files: files are dropped, units and included files become one (merge.h), then
 * each is reduced beside the others, the largest first, until none shrinks. A program that is one
 * file goes straight to its reducer. */
#ifndef CULPRIT_REDUCE_MANY_H
#define CULPRIT_REDUCE_MANY_H

#include "reduce/ppr.h"

void reduce_many(Reducer *r, const Plan *plan);
/* Makes the first file that is left the current one, on both sides where both have it. */
void many_align(Reducer *r);

/* For steps over whole files: */
void many_put_back(Reducer *r); /* what was reduced goes back into the set */
void many_reload(Reducer *r);   /* the documents again from the set, which was changed */
bool many_holds(Reducer *r);    /* tests the set as it is now, once */
void many_settle(Reducer *r);   /* the current file may be gone: another one is then */

#endif

/* Where blocks are indentation (Python): a compound statement gives way to its body, whose lines
 * move to the left by as much as they were indented. Removing tokens cannot do that. */
#ifndef CULPRIT_REDUCE_OUTDENT_H
#define CULPRIT_REDUCE_OUTDENT_H

#include "reduce/target.h"

/* Tries every compound statement of a side, the outermost first, on both sides together where both
 * have it. Returns the steps taken; the documents are fresh afterwards. */
size_t reduce_outdent(Reducer *r, int side, bool paired);

#endif

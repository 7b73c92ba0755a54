/* LLVM IR numbers what has no name, in the order of the text; so nothing can go without everything
 * after it being another value. Before anything else such values and blocks get names. */
#ifndef CULPRIT_REDUCE_BULK_NUMBERED_H
#define CULPRIT_REDUCE_BULK_NUMBERED_H

#include "reduce/reducer.h"

/* Both programs, each where its test agrees. The documents are fresh afterwards. */
void reduce_name_numbers(Reducer *r);

#endif

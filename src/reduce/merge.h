/* Several files become fewer: a file that is included once is pasted in place, and units become one
 * unit. One file is compiled faster than several that include the same headers, is profiled and
 * read as a whole, and needs no declarations of what is elsewhere. */
#ifndef CULPRIT_REDUCE_MERGE_H
#define CULPRIT_REDUCE_MERGE_H

#include "reduce/reducer.h"

/* Each returns how many files are gone. */
size_t merge_units(Reducer *r);
size_t merge_includes(Reducer *r);

#endif

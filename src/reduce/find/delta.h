/* Candidates from clang_delta, the source-to-source tool that comes with C-Reduce and C-Vise, where
 * one of them is installed: for small programs of C and C++, after our own finders. It works over
 * clang's own tree and knows C++ templates better than a grammar can (Regehr et al., Test-case
 * reduction for C compiler bugs, 2012). */
#ifndef CULPRIT_REDUCE_FIND_DELTA_H
#define CULPRIT_REDUCE_FIND_DELTA_H

#include "reduce/reducer.h"

/* Returns the steps taken; 0 where there is no clang_delta. The documents are fresh afterwards. */
size_t reduce_delta(Reducer *r);

#endif

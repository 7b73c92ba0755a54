/* Cases and reduce: a case as a request, and the result back into the case; for `culprit reduce
 * --case` and for investigate. */
#ifndef CULPRIT_COMMAND_REDUCE_CASE_H
#define CULPRIT_COMMAND_REDUCE_CASE_H

#include "reduce/reduce.h"
#include "store/store.h"

/* Fills the test, the files and what an earlier run left; everything else of the request stays. c
 * must live as long as the request. */
bool reduce_case_request(Arena *arena, const Case *c, ReduceRequest *request, Error *err);
/* The reduced programs, and what the failing one should print and return: the old answer belongs to
 * another program. */
bool reduce_case_keep(Store *store, const Case *c, const ReduceResult *result, Error *err);

#endif

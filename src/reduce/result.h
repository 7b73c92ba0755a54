/* What a reducer has in its documents when it is done, as the stage's result. */
#ifndef CULPRIT_REDUCE_RESULT_H
#define CULPRIT_REDUCE_RESULT_H

#include "reduce/output.h"
#include "reduce/reduce.h"

/* Files, sizes, the difference, figures. Texts are copied into result->arena. */
void result_fill(ReduceResult *result, Reducer *r, Output *out);

#endif

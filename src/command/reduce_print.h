/* A ReduceResult for people and for machines. */
#ifndef CULPRIT_COMMAND_REDUCE_PRINT_H
#define CULPRIT_COMMAND_REDUCE_PRINT_H

#include "base/json.h"
#include "reduce/reduce.h"

/* The programs on stdout, marked where they differ; sizes and figures on stderr. where: what to say
 * where no file was written. */
void reduce_print(const ReduceResult *result, bool as_json, bool quiet, const char *where);
json_t *reduce_json(const ReduceResult *result);

#endif

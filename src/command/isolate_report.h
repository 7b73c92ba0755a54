/* What people and machines see of an isolation: the table, and the JSON to print and store. */
#ifndef CULPRIT_COMMAND_ISOLATE_REPORT_H
#define CULPRIT_COMMAND_ISOLATE_REPORT_H

#include "base/json.h"
#include "isolate/isolate.h"

/* The shape of "rankings" in store/store.h. */
json_t *isolate_json(const IsolateResult *result, unsigned top);
void isolate_print(const IsolateResult *result, unsigned top, FILE *out);

#endif

/* What people and machines see of an isolation: the table, the JSON that is printed and kept in the
 * store. */
#ifndef CULPRIT_ISOLATE_ISOLATE_REPORT_H
#define CULPRIT_ISOLATE_ISOLATE_REPORT_H

#include "base/json.h"
#include "isolate/rank.h"

/* The shape of "rankings" in store/store.h. */
json_t *isolate_json(const Isolation *iso, const Ranking *r, const char *search, unsigned top);
void isolate_print(const Isolation *iso, const Ranking *r, unsigned top, FILE *out);

#endif

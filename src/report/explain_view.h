/* What explain found: root changes, what must be reverted with them, and the tree of causes. */
#ifndef CULPRIT_REPORT_EXPLAIN_VIEW_H
#define CULPRIT_REPORT_EXPLAIN_VIEW_H

#include "report/caseview.h"

void explain_view(Buf *out, const json_t *explanations); /* nothing when there is nothing to show */

#endif

/* What isolate found: suspect files with their lines, functions, passes, and the witnesses behind
 * it. */
#ifndef CULPRIT_REPORT_RANKING_VIEW_H
#define CULPRIT_REPORT_RANKING_VIEW_H

#include "report/caseview.h"

void ranking_view(Buf *out, const CaseView *view); /* nothing when there is nothing to show */

#endif

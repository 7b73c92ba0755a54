/* Verdicts of compilers and levels as a table, and the versions that fail and pass. */
#ifndef CULPRIT_REPORT_MATRIX_VIEW_H
#define CULPRIT_REPORT_MATRIX_VIEW_H

#include "report/caseview.h"

void matrix_view(Buf *out, const CaseView *view); /* nothing when there is nothing to show */

#endif

/* The pair of a case side by side, as HTML. */
#ifndef CULPRIT_REPORT_PAIR_VIEW_H
#define CULPRIT_REPORT_PAIR_VIEW_H

#include "report/caseview.h"

/* The pair, or the one program where there is no second. */
void pair_view(Buf *out, const CaseView *view);
/* Any two texts side by side. */
void pair_view_texts(Buf *out, Str a, Str b, const char *name_a, const char *name_b);

#endif

/* Text from elsewhere on a terminal: nothing a terminal would act on gets through. */
#ifndef CULPRIT_REPORT_TERMINAL_H
#define CULPRIT_REPORT_TERMINAL_H

#include "base/base.h"
#include "base/live.h"

/* text on one line, control characters as '?', at most `most` characters ("…" when cut; 0: all). */
void terminal_text(Buf *out, Str text, size_t most);
/* The same in a cell of that many columns, padded with blanks; right puts the blanks in front. */
void terminal_cell(Buf *out, Str text, size_t columns, bool right);
/* The same for a name that may be a path: what does not fit is left out in front. */
void terminal_path(Buf *out, Str path, size_t columns);
/* The colour that goes with a verdict. */
Colour verdict_colour(Str verdict);

#endif

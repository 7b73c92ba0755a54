/* Text from elsewhere on a terminal: nothing a terminal would act on gets through, anything that is
 * not a printable character is spelled out (^[ for escape, \x9b for a stray byte), and lines keep
 * to the available width.
 *
 * Colours and the live line (base/live.h) are for terminals that can do them: TERM=dumb and
 * NO_COLOR are honoured, and a locale that is not UTF-8 gets ASCII only. */
#ifndef CULPRIT_BASE_TERMINAL_H
#define CULPRIT_BASE_TERMINAL_H

#include "base/base.h"

/* text on one line, tabs and newlines as blanks, at most `most` columns ("…" when cut; 0: all). */
void terminal_text(Buf *out, Str text, size_t most);
/* The same in a cell of that many columns, padded with blanks; right puts the blanks in front. */
void terminal_cell(Buf *out, Str text, size_t columns, bool right);
/* The same for a name that may be a path: what does not fit is left out at the front. */
void terminal_path(Buf *out, Str path, size_t columns);
/* Prose in lines of at most `columns`, each after `indent` blanks except the first, which begins
 * where the cursor is; ends without a newline. Single newlines in text are kept. */
void terminal_wrap(Buf *out, Str text, size_t indent, size_t columns);
/* Whether the terminal shows UTF-8, going by the locale (LC_ALL, LC_CTYPE, LANG). */
bool terminal_utf8(void);
/* A character of ours, or what stands for it where only ASCII is shown. */
const char *terminal_glyph(const char *utf8, const char *ascii);

#endif

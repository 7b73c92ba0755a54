/* HTML written safely: everything that is not ours goes through html_text, whatever its bytes are.
 */
#ifndef CULPRIT_REPORT_HTML_H
#define CULPRIT_REPORT_HTML_H

#include "base/base.h"

/* text as text: markup escaped (also within quoted attributes), NUL as U+2400, bytes that are not
 * UTF-8 and other control characters as U+FFFD. */
void html_text(Buf *out, Str text);
/* At most `most` characters of it, with "…" at the end if it was cut. */
void html_short(Buf *out, Str text, size_t most);
/* <tag class="class">text</tag>; class may be NULL. */
void html_element(Buf *out, const char *tag, const char *class, Str text);
/* text for a query string. */
void html_query(Buf *out, Str text);

/* Number of characters, as html_text shows them. */
size_t html_length(Str text);

#endif

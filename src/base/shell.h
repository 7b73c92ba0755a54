/* Words of a POSIX shell: the one place that quotes and unquotes them. Nothing here starts a shell.
 */
#ifndef CULPRIT_BASE_SHELL_H
#define CULPRIT_BASE_SHELL_H

#include "base/base.h"

/* Quotes word so that a shell reads it back unchanged; leaves it alone where no quoting is needed.
 * A NUL, which no argument can hold, is dropped. */
void shell_quote(Buf *out, Str word);
/* Cuts a command at blanks as a shell would: '..' and ".." hold words together, a backslash takes
 * the next character as it is. Nothing is expanded. The words are in the arena, end with a NUL and
 * are appended. A quote that is not closed is an error. */
bool shell_words(Arena *arena, Str command, StrVec *words, Error *err);
/* The same as a NULL-ended vector; an open quote reaches to the end. */
const char **shell_argv(Arena *arena, Str command);
/* The other way: words quoted and joined by blanks; argv is NULL-ended and may be NULL. */
Str shell_join(Arena *arena, const char *const *argv);
/* An option with its value and a blank, for a command to type; empty where value is NULL. */
const char *shell_option(Arena *arena, const char *option, const char *value);

#endif

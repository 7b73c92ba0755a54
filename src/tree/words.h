/* Words and signs: how text is cut into tokens where no grammar does it. */
#ifndef CULPRIT_TREE_WORDS_H
#define CULPRIT_TREE_WORDS_H

#include "base/base.h"

/* The next token of text at or after *at (which moves past it): a run of letters, digits, _ and
 * bytes over 127, or one other byte. White space is skipped; empty at the end. */
Str words_next(Str text, size_t *at);
bool words_is_space(char c);
bool words_is_letter(char c);
/* Whether two tokens written without a space between could be read as other tokens. */
bool words_stick(char last, char first);
/* Whether `main (` is in it: a function main of C, as far as words tell. */
bool words_call_main(Str text);

#endif

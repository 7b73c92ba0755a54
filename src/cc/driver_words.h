/* A line of `gcc -###` as words: separated by blanks, some in double quotes with backslashes. */
#ifndef CULPRIT_CC_DRIVER_WORDS_H
#define CULPRIT_CC_DRIVER_WORDS_H

#include "base/base.h"

/* Appends to words; their text is in the arena and ends with a NUL. */
void words_split(Arena *arena, Str line, StrVec *words);

#endif

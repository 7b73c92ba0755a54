/* Csmith's programs as witnesses: the baseline of both papers that takes programs from a generator.
 */
#ifndef CULPRIT_ISOLATE_CSMITH_H
#define CULPRIT_ISOLATE_CSMITH_H

#include "base/base.h"

/* STATUS_LACKS with the packages when Csmith, its header or a preprocessor is missing. */
bool csmith_find(Error *err);
/* A small program for the seed, preprocessed, so that it needs no header. False: none was made. */
bool csmith_make(Arena *arena, uint64_t seed, Str *text);

#endif

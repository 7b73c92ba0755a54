/* Csmith's programs as witnesses: the baseline of both papers that takes programs from a generator.
 */
#ifndef CULPRIT_ISOLATE_CSMITH_H
#define CULPRIT_ISOLATE_CSMITH_H

#include "base/base.h"

/* STATUS_LACKS with the packages when Csmith, its header or a preprocessor is not there. */
bool csmith_find(Error *err);
/* A small program by seed, preprocessed: it needs no header any more. False: none came of it. */
bool csmith_make(Arena *arena, uint64_t seed, Str *text);

#endif

/* One self-contained text of a seed: preprocessed once with clang-19 -E -P -fkeep-system-includes,
 * so that every compiler can read it (system headers stay #include lines), and without unused
 * static functions. */
#ifndef CULPRIT_VARIANT_PREPROCESS_H
#define CULPRIT_VARIANT_PREPROCESS_H

#include "base/base.h"

/* The text of the C file at path; flags (-I, -D; NULL-ended) may be NULL. Text is in the arena. */
bool preprocess_seed(Arena *arena, const char *path, const char *const *flags, Str *text,
                     Error *err);

#endif

/* The same program with a hash of all its integer globals printed at its end: a mutant that merely
 * hides the failure from the program's own check does not pass then. */
#ifndef CULPRIT_PERTURB_HASH_GLOBALS_H
#define CULPRIT_PERTURB_HASH_GLOBALS_H

#include "base/base.h"

/* Appends the program with the hash to out; false when it has no main, no global to hash, or does
 * not parse. args: for clang, may be NULL. */
bool hash_globals(Str text, const char *const *args, Buf *out);

#endif

/* A function may end without a value as long as nobody uses it (C 6.9.1p12), and old C is full of
 * these. clang's memory sanitizer reports the return all the same. Without the promise that
 * returned values are defined it reports the use. */
#ifndef CULPRIT_CC_RETURNS_H
#define CULPRIT_CC_RETURNS_H

#include "base/base.h"

/* Flags besides -fsanitize=memory, for a clang of the version culprit is linked with: bitcode that
 * is not instrumented yet. */
extern const char *const returns_flags[];
/* Takes that promise out of the bitcode. false: it cannot be read. */
bool returns_release(Str bitcode, Buf *out);

#endif

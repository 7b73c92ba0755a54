/* What tells that a program went wrong, as text: two programs whose oracles are the same text show
 * the same things at the same places, whereas a mutant with another text may pass only because
 * nothing checks any more (DiWi's and RecBi's "never mutate the oracle", checked on the result
 * instead of on how it was made).
 *
 * The oracle consists of the statements that print, abort or exit, those that call a function which
 * does (directly or not, or through a pointer where such a function's address is taken), the
 * conditions and loops around them, every jump that may leave one out, what main returns, and the
 * macros and functions that bear the name of one. */
#ifndef CULPRIT_ISOLATE_WITNESS_ORACLE_H
#define CULPRIT_ISOLATE_WITNESS_ORACLE_H

#include "base/base.h"

/* Appended to out, a line each. args: for clang. False: the program does not parse. */
bool oracle_text(Str program, const char *const *args, Buf *out);
/* Whether the mutant's oracle is this text. */
bool oracle_is(Str mutant, const char *const *args, Str text);

#endif

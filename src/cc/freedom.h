/* What a compiler may do to a correct program, so that two of them print different things by right:
 *
 * - fuse a product and a sum, which are then rounded once, also where it folds constants;
 * - choose the sign and the bits of a NaN that arithmetic makes (0/0, inf - inf);
 * - divide complex numbers by another formula, which is more or less exact.
 *
 * A failure that comes from one of these is no bug, whichever compiler shows it. hunt asks about
 * what it found, investigate about a user's own program; docs/TRUTH.md has the whole list of
 * doubts.
 */
#ifndef CULPRIT_CC_FREEDOM_H
#define CULPRIT_CC_FREEDOM_H

#include "cc/compiler.h"
#include "cc/verdict.h"

/* Compiles and runs the text so, compares it with what is right. */
typedef VerdictKind (*FreedomAsk)(void *user, const Compiler *cc, const char *const *flags,
                                  Str text);

typedef struct FreedomQuestion {
    Str text;                 /* the program that fails .. */
    const Compiler *failing;  /* .. with this compiler */
    const char *const *flags; /* .. and these flags, NULL-ended */
    const Compiler *plain;    /* runs the program without optimisation */
    FreedomAsk ask;
    void *user;
} FreedomQuestion;

/* Which freedom the failure comes from, in words; NULL: none. Asks three times at most. */
const char *freedom_used(Arena *arena, const FreedomQuestion *q);

#endif

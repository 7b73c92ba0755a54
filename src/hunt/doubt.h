/* What leaves room for doubt although no check found fault with the program. A failure that
 * unrelated compilers share at the same level is the program's fault until proved otherwise: gcc
 * and clang have no code in common, but read the same program. */
#ifndef CULPRIT_HUNT_DOUBT_H
#define CULPRIT_HUNT_DOUBT_H

#include "hunt/verify.h"

/* Tries the program with the newest compiler of every other kind at the failing level and at -O2.
 * None fails: RULED_BUG. One does: the guarantees that optimisation rests on are taken away one by
 * one (-fwrapv, -fno-strict-aliasing, -frounding-math ..); where one of them cures both compilers,
 * the program breaks that rule (RULED_PROGRAM), else it is RULED_UNCONFIRMED. */
Verification doubt_shared(Arena *arena, const HuntSetup *setup, Pool *pool,
                          const HuntProgram *subject, const Failure *failure);

/* Does it come from what compilers may do to a correct program (cc/freedom.h)? RULED_UNCONFIRMED.
 */
Verification doubt_freedom(Arena *arena, const HuntSetup *setup, Pool *pool,
                           const HuntProgram *subject, const Failure *failure);

/* What a program promises or does beyond the reach of every check: restrict, attributes such as
 * pure and nonnull, inline assembly, setjmp. RULED_UNCONFIRMED where it passes without the
 * promises, or has inline assembly or setjmp. */
Verification doubt_promises(Arena *arena, const HuntSetup *setup, Pool *pool,
                            const HuntProgram *subject, const Failure *failure);

/* A program that is refused: by every version, or in this version's newer default dialect alone? */
Verification doubt_refusal(Arena *arena, const HuntSetup *setup, Pool *pool,
                           const HuntProgram *subject, const Failure *failure);

#endif

/* Is a failure a bug of the compiler? docs/TRUTH.md says what a finding is.
 *
 * A failure is first confirmed: it is reproducible, and the seed does not fail the same way. Then
 * its program is made small (minimise.h), and only the small program is checked for being at fault
 * itself: whether it depends on something that optimisation may change, is clean under all
 * sanitizers, aligned, and typed as C wants it, and whether compilers warn about any line that
 * runs. A failure that unrelated compilers share, or that could not be checked completely, stays
 * unconfirmed. */
#ifndef CULPRIT_HUNT_VERIFY_H
#define CULPRIT_HUNT_VERIFY_H

#include "hunt/trial.h"

typedef enum Ruling {
    RULED_BUG,         /* of the compiler, as far as anything here can tell */
    RULED_UNCONFIRMED, /* nothing speaks against it, but not every check could be made */
    RULED_PROGRAM,     /* the program is undefined, or depends on what compilers may choose */
    RULED_SEED,        /* the seed fails the same way: no variant is needed for it */
    RULED_UNITS,       /* cutting the program into units is to blame */
    RULED_PASSING,     /* does not repeat */
    RULED_LATER,       /* the machine got in the way, or time ran out */
} Ruling;

typedef struct Verification {
    Ruling ruling;
    const char *why; /* in words, after "not a finding: "; NULL for RULED_BUG */
} Verification;

/* Is it there at all? seed: NULL where the failing program is the seed itself. RULED_BUG: yes. */
Verification verify_failure(Arena *arena, const HuntSetup *setup, Pool *pool,
                            const HuntProgram *subject, const HuntProgram *seed,
                            const Failure *failure);
/* Is the program to blame? Call it on a small one. Crashes, hangs and refusals of valid code are
 * always the compiler's fault; a refusal must be of code that other compilers accept. */
Verification verify_program(Arena *arena, const HuntSetup *setup, Pool *pool,
                            const HuntProgram *subject, const Failure *failure);
/* Does the subject fail the same way in that cell? */
bool fails_alike(const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
                 const Failure *failure);

#endif

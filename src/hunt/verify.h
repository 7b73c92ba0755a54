/* Is a failure a bug of the compiler? docs/TRUTH.md says what a finding is.
 *
 * A failure is first shown to be one: it repeats, and the seed does not fail alike. Then its
 * program is made small (minimise.h), and only the small program is asked whether it is to blame:
 * whether it asks for something that optimisation may change, is clean under all sanitizers,
 * aligned, and typed as C wants it, and whether no line that runs is one that compilers warn about.
 * A failure that unrelated compilers share, or of which not everything could be asked, stays
 * unconfirmed. */
#ifndef CULPRIT_HUNT_VERIFY_H
#define CULPRIT_HUNT_VERIFY_H

#include "hunt/trial.h"

typedef enum Ruling {
    RULED_BUG,         /* of the compiler, as far as anything here can tell */
    RULED_UNCONFIRMED, /* nothing speaks against it, but not everything that could was asked */
    RULED_PROGRAM,     /* the program is undefined, or asks for what compilers may choose */
    RULED_SEED,        /* the seed fails alike: no variant is needed for it */
    RULED_UNITS,       /* cutting the program into units is to blame */
    RULED_PASSING,     /* does not repeat */
    RULED_LATER,       /* the machine is in the way, or the time is over */
} Ruling;

typedef struct Verification {
    Ruling ruling;
    const char *why; /* in words, behind "not a finding: "; NULL for RULED_BUG */
} Verification;

/* Is it there at all? seed: NULL where the failing program is the seed itself. RULED_BUG: yes. */
Verification verify_failure(Arena *arena, const HuntSetup *setup, Pool *pool,
                            const HuntProgram *subject, const HuntProgram *seed,
                            const Failure *failure);
/* Is the program to blame? To be asked of a small one. Crashes, hangs and refusals of valid code
 * are always the compiler's; a refusal must be of code that other compilers take. */
Verification verify_program(Arena *arena, const HuntSetup *setup, Pool *pool,
                            const HuntProgram *subject, const Failure *failure);
/* Does the subject fail alike in that cell? */
bool fails_alike(const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
                 const Failure *failure);

#endif

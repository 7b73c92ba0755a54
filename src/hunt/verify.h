/* Is a failure a bug of the compiler? Before anything is recorded: the failure repeats, the seed
 * does not fail alike, and for wrong output the program asks for nothing that optimisation may
 * change, is clean under all sanitizers and in its effective types, and no line that runs is one
 * that compilers warn about (uninitialised values, sequence points, aliasing, missing returns,
 * array bounds). Units must work where nothing is optimised. */
#ifndef CULPRIT_HUNT_VERIFY_H
#define CULPRIT_HUNT_VERIFY_H

#include "hunt/trial.h"

/* Some of the reasons, by their addresses. */
extern const char seed_fails_alike[], machine_in_the_way[];

/* NULL when it is a bug; else why not, in words (memory: arena). seed may be NULL (the failing
 * program is the seed itself). */
const char *verify_failure(Arena *arena, const HuntSetup *setup, Pool *pool,
                           const HuntProgram *subject, const HuntProgram *seed,
                           const Failure *failure);
/* Does such a reason speak against the program, so that all it does wrong is its own doing? */
bool blames_program(const char *why);
/* Does the subject fail alike in that cell? */
bool fails_alike(const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
                 const Failure *failure);
/* The first warning of the above kinds on a line that runs; NULL: none. */
const char *warned_line_runs(Arena *arena, const HuntSetup *setup, const HuntProgram *subject);

#endif

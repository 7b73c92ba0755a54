/* What compilers warn about and no sanitizer detects: uninitialised values, sequence points,
 * aliasing, missing returns, array bounds. A warning counts only where its line runs: what is never
 * executed reads uninitialised locals and elements out of bounds on purpose. */
#ifndef CULPRIT_HUNT_WARNED_H
#define CULPRIT_HUNT_WARNED_H

#include "hunt/setup.h"

/* The first warning of these kinds on a line that runs; NULL: none. set: MSan has found every used
 * value to be initialised, so that "maybe uninitialized" says nothing new. */
const char *warned_line_runs(Arena *arena, const HuntSetup *setup, const HuntProgram *subject,
                             bool set);

#endif

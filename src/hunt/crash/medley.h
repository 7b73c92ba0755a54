/* Programs for crash mode where no suite is given: a medley of small functions over all types that
 * C compilers have (bit-precise and 128-bit integers, half and quad floats, decimal, complex of
 * integers, vectors), every one well typed. Nothing is ever run, so nothing needs a value; but what
 * a front end takes without a word reaches the passes behind it, and twenty functions share the
 * cost of one compilation. */
#ifndef CULPRIT_HUNT_CRASH_MEDLEY_H
#define CULPRIT_HUNT_CRASH_MEDLEY_H

#include "base/rng.h"

/* Appends a program. gnu: what only GCC has, too (decimal floats, __builtin_shuffle, nested
 * functions). */
void medley_draw(Rng *rng, bool gnu, Buf *out);

#endif

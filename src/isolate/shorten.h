/* The failing program made smaller before anything else: parts of it are cut out (cuts.h), the
 * largest first, as long as it fails in the same way. As with fewer options, the failing run then
 * covers less of the compiler, and the remaining parts are those without which it passes: the next
 * witnesses.
 *
 * A program that is run must stay clean under the sanitizers, or the failure would be its own
 * fault. The answer is the same for any number of workers. */
#ifndef CULPRIT_ISOLATE_SHORTEN_H
#define CULPRIT_ISOLATE_SHORTEN_H

#include "isolate/isolation.h"

/* Replaces the subject's program, its right output and exit status. Ends early at the deadline with
 * the best so far. */
void shorten_program(Isolation *iso);

#endif

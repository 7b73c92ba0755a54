/* From the failures of a trial to findings: each is reproduced, made small, judged, and put into
 * its bucket. */
#ifndef CULPRIT_HUNT_FINDING_H
#define CULPRIT_HUNT_FINDING_H

#include "hunt/bucket.h"
#include "hunt/verify.h"

typedef struct Finding {
    HuntProgram program; /* the small one, or the trial's own where it was not made small */
    Failure failure;     /* with a cell simplified as far as possible */
    Case c;              /* filled where it is a bug, or unconfirmed */
} Finding;

/* Why it is not a finding, or RULED_BUG or RULED_UNCONFIRMED with out->c filled: the bucket of an
 * unconfirmed one begins with CASE_UNCONFIRMED, and its notes say why. */
Verification finding_make(Arena *arena, const Trialled *in, const Failure *failure, Finding *out);

/* Does a known finding (or refused failure) explain this failure of the same trial? It does if its
 * small program fails the same way in that cell. */
bool finding_explains(const Trialled *in, const Finding *known, const Failure *failure);

#endif

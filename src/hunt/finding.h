/* From the failures of a trial to findings: each is shown to be there, made small, judged, and put
 * into its bucket. */
#ifndef CULPRIT_HUNT_FINDING_H
#define CULPRIT_HUNT_FINDING_H

#include "hunt/bucket.h"
#include "hunt/verify.h"

typedef struct Finding {
    HuntProgram program; /* the small one; where it was not made small the trial's own */
    Failure failure;     /* with a cell as simple as it gets */
    Case c;              /* filled where it is a bug, or unconfirmed */
} Finding;

/* Why it is no finding, or RULED_BUG or RULED_UNCONFIRMED with out->c filled: an unconfirmed one's
 * bucket begins with CASE_UNCONFIRMED and its notes say why. */
Verification finding_make(Arena *arena, const Trialled *in, const Failure *failure, Finding *out);

/* Does what was found, or refused, explain this failure of the same trial? Its small program fails
 * alike in that cell too. */
bool finding_explains(const Trialled *in, const Finding *known, const Failure *failure);

#endif

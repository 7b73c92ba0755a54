/* The Hermes strategies at one point: text from an environment (section 4.2, Figures 4 and 6). */
#ifndef CULPRIT_VARIANT_SNIPPET_H
#define CULPRIT_VARIANT_SNIPPET_H

#include "variant/body.h"
#include "variant/point.h"
#include "variant/synth.h"

typedef struct Site {
    const CUnit *unit;
    const Point *point; /* seen; its env is not empty */
    Synth synth;        /* its rng and arena also serve the bodies */
    const char *prefix; /* of new names: unique to the snippet */
} Site;

/* One statement (in braces where it declares something) whose body is never entered. */
Str snippet_fcb(const Site *site);
/* `if (..)` that always holds: the caller puts { } around the statement. */
Str snippet_tg(const Site *site);
/* One block that changes variables and restores them, or only new ones, where the environment may
 * be empty. above: declarations that must come before the function; may be empty. */
Str snippet_tcb(const Site *site, Str *above);
/* An expression that is always 0, of the type; empty when none was found. */
Str snippet_zero(const Site *site, IType type);

#endif

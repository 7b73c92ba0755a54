/* Programs with one part less: each statement, else-branch and initialiser of the failing program
 * left out alone. What triggers a failure is often one of them; the program without it is the
 * nearest witness there is. Oracle statements stay where the failure depends on what the program
 * does. */
#ifndef CULPRIT_CUTS_H
#define CULPRIT_CUTS_H

#include "base/base.h"

typedef struct Cut {
    Str text;  /* the program without the part */
    Str label; /* "without line 12: x += 3;" */
} Cut;
typedef VEC(Cut) Cuts;

/* In the arena; later parts first. args: for clang. Nothing is added when the text does not parse.
 */
void cuts_make(Arena *arena, Str text, const char *const *args, bool keep_oracle, Cuts *out);

#endif

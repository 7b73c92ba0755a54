/* What programs should print and return, by their text: every question about wrong code says it of
 * its candidate, and a candidate may be accepted much later, by an answer that was kept. Without it
 * a result cannot be stored, and at the end of the time there is none left to ask again. */
#ifndef CULPRIT_REDUCE_RIGHTS_H
#define CULPRIT_REDUCE_RIGHTS_H

#include "base/base.h"

typedef struct Right {
    Str output;
    int code;
} Right;

typedef struct Rights {
    Map at; /* hash of the program -> place in the list */
    VEC(Right) list;
    Arena arena; /* owns the outputs */
} Rights;

/* What is longer than RIGHTS_LONGEST is not kept. */
enum { RIGHTS_LONGEST = 1 << 16 };

void rights_put(Rights *rights, Hash program, Str output, int code);
/* NULL: not known. */
const Right *rights_find(const Rights *rights, Hash program);
void rights_release(Rights *rights);

#endif

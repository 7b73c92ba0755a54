/* Inside of cuts: cuts.c (parts of the model), cuts_text.c (directives and tokens). */
#ifndef CULPRIT_ISOLATE_CUTS_IMPL_H
#define CULPRIT_ISOLATE_CUTS_IMPL_H

#include "cfront/cfront.h"
#include "isolate/cuts.h"

typedef struct CutMaker {
    Arena *arena;
    const CUnit *unit;
    Cuts *out;
    bool fine; /* tokens are cut now */
} CutMaker;

/* range becomes `instead`. */
void cuts_add(CutMaker *m, CRange range, Str instead, bool honest);
/* Directives as a whole; tokens of statements with macros and of macro bodies. */
void cuts_add_text(CutMaker *m);

#endif

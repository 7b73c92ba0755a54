/* Internals of cuts: cuts.c (parts of the model), cuts_text.c (directives and tokens), cuts_tree.c
 * (parts of the syntax tree, where there is no model). */
#ifndef CULPRIT_ISOLATE_CUTS_IMPL_H
#define CULPRIT_ISOLATE_CUTS_IMPL_H

#include "cfront/cfront.h"
#include "isolate/cuts.h"

typedef struct CutMaker {
    Arena *arena;
    Str text;
    const CUnit *unit; /* NULL: clang cannot read it */
    Cuts *out;
    bool fine; /* tokens are cut now */
} CutMaker;

/* range becomes `instead`. */
void cuts_add(CutMaker *m, CRange range, Str instead, bool honest);
/* Whole directives; tokens of statements with macros and of macro bodies. */
void cuts_add_text(CutMaker *m);
/* Statements, declarations and members of the syntax tree. */
void cuts_add_tree(CutMaker *m);

#endif

/* Inside an Analysis: what analysis.c, predicate.c and failure.c share. */
#ifndef CULPRIT_INSIDE_H
#define CULPRIT_INSIDE_H

#include "explain/align.h"
#include "explain/analysis.h"
#include "explain/formula.h"
#include "explain/replay.h"

struct Analysis {
    Trace *bad, *good; /* good may be NULL */
    Align *align;      /* NULL without good */
    ChangedFn is_changed;
    void *user;
    Arena arena; /* all that is handed out */
    VEC(Cause *) causes;
    VEC(Core) cores; /* of causes: the same index */
    Map asked;       /* (kind, step, operand) of predicates handed out */
};

bool inside_changed_step(void *analysis, Step step);
/* Fills place, values and text of a predicate whose kind, step and operand are set. */
void inside_fill(Analysis *analysis, Predicate *predicate);
/* The closest executed branch that decided whether the step ran, up the calls; STEP_NONE: none. */
Step inside_enclosing_branch(const Trace *trace, Step step);
/* What the pointer operand of a load or store is called; empty when it has no name. */
Str inside_name(Analysis *analysis, const Trace *trace, Step step, unsigned operand);

#endif

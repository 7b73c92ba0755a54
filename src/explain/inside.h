/* Inside an Analysis: what analysis.c, predicate.c and failure.c share. */
#ifndef CULPRIT_EXPLAIN_INSIDE_H
#define CULPRIT_EXPLAIN_INSIDE_H

#include "explain/analysis.h"
#include "explain/formula/formula.h"
#include "trace/alignment.h"
#include "trace/replay.h"

struct Analysis {
    Trace *bad, *good; /* good may be NULL */
    Align *align;      /* NULL without good */
    ChangedFn is_changed;
    void *user;
    Arena arena; /* all that is handed out */
    VEC(Cause *) causes;
    VEC(Core) cores; /* of causes: the same index */
    FormulaLimits limits;
    Map asked; /* (kind, step, operand) of predicates handed out */
};

bool inside_changed_step(void *analysis, Step step);
/* Whether the good run has the step, with the same value in meaning: context, not a cause. */
bool inside_came_out_alike(const Analysis *analysis, Step step);
/* Fills place, values and text of a predicate whose kind, step and operand are set. */
void inside_fill(Analysis *analysis, Predicate *predicate);
/* The closest executed branch that decided whether the step ran, up the calls; STEP_NONE: none. */
Step inside_enclosing_branch(const Trace *trace, Step step);
/* The same within the step's own call: STEP_NONE where only the call decided. */
Step inside_controller(const Trace *trace, Step step);
/* The latest branch in an activation that controls a block, whether the block ran or not;
 * STEP_NONE: none ran. */
Step inside_last_controller(const Trace *trace, uint32_t activation, uint32_t block);
/* The branch that decided which way control came to a phi; STEP_NONE: none. */
Step inside_way_to_phi(const Trace *trace, Step step);
/* What the pointer operand of a load or store is called; empty when it has no name. */
Str inside_name(Analysis *analysis, const Trace *trace, Step step, unsigned operand);

/* Whether the bad program itself says that it failed, by its exit status, and the good one does
 * not. */
bool inside_gave_up(const Analysis *analysis);
/* Whether the bad run did not end where the good one did. */
bool inside_hangs(const Analysis *analysis);
/* The last branch, up to a step of the good run (STEP_NONE: of all), that the bad run decided
 * differently; STEP_NONE: none. */
Step inside_last_difference(const Analysis *analysis, Step good_limit);

/* Which write put the byte at offset of what a run wrote to fd; NULL: none. */
const TraceOutput *inside_output_at(const Trace *trace, uint32_t fd, uint64_t offset);
/* The rest of the line at an offset, as a person would quote it; ".." where more follows. */
const char *inside_quote(Arena *arena, Str text, uint64_t offset);
/* Where that byte came from; NULL: not kept. */
const OutByte *inside_origin_at(const Trace *trace, const TraceOutput *output, uint64_t offset);

#endif

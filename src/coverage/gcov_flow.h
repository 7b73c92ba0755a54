/* Counts of all blocks and arcs from the counters of the instrumented arcs.
 *
 * The arcs without a counter form a spanning tree, so Kirchhoff's law determines them. The order
 * does not depend on the counts: gcov_flow_plan finds the order once per function (the one gcov
 * uses, or llvm-cov's for clang's notes, so that counters of a run that was cut short give the same
 * answer), gcov_flow_solve replays it. */
#ifndef CULPRIT_COVERAGE_GCOV_FLOW_H
#define CULPRIT_COVERAGE_GCOV_FLOW_H

#include "coverage/gcov_notes.h"

enum GcovStepKind {
    GCOV_BLOCK_FROM_SUCC, /* block = sum of its arcs out */
    GCOV_BLOCK_FROM_PRED, /* block = sum of its arcs in */
    GCOV_ARC_FROM_SRC,    /* arc = its source block less the other arcs out */
    GCOV_ARC_FROM_DST,    /* arc = its destination block less the other arcs in */
    GCOV_ARC_EXCESS_SRC,  /* llvm-cov: arc = |in - out| of its source block, itself left out */
    GCOV_ARC_EXCESS_DST,  /* the same of its destination block */
};

/* Fills fn->steps for every function. */
void gcov_flow_plan(Arena *arena, GcovNotes *notes);
/* counters: fn->n_counters of them. blocks and arcs: room for n_blocks and n_arcs. */
void gcov_flow_solve(const GcovFunction *fn, const int64_t *counters, int64_t *blocks,
                     int64_t *arcs);

#endif

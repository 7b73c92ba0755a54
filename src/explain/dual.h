/* The dual slice: from what came out wrong back through both runs at once, along values and
 * branches that came out differently in the good run, and nothing else.
 *
 * A node is a pair of steps that should have agreed, or a step that only one run made. A pair whose
 * values differ because its operands differ passes the difference on; a pair that differs though
 * its operands agree, and a step whose code is only in one version, introduce the difference: those
 * are the sources, and a change that is responsible has a line among them (or a name on them: a
 * macro, a type, an initialiser). So the slice says, without a build, which few of the changes can
 * matter, nearest to the failure first. It is a guide and never a proof: the runs are aligned by
 * code, not by meaning, and reverting decides.
 *
 *     d = dual_new(bad, good, way);  dual_start(d, ..) ..;  dual_run(d);  d->nodes ..;
 * dual_free(d)
 */
#ifndef CULPRIT_EXPLAIN_DUAL_H
#define CULPRIT_EXPLAIN_DUAL_H

#include "trace/alignment.h"

typedef struct DualNode {
    Step bad, good; /* STEP_NONE: ran in the other run only */
    uint64_t bad_at,
        good_at;   /* a step that copies or reads memory: the byte in question; 0: none */
    uint32_t cost; /* source lines between it and the failure */
    uint32_t via;  /* the node it explains; DUAL_NONE: a start */
    bool source;   /* introduces a difference */
    bool init;     /* source: what differs is an initialiser that the step reads */
} DualNode;
#define DUAL_NONE 0xffffffffu

typedef struct Dual Dual;
struct Dual {
    const Trace *bad, *good;
    bool alone;   /* also follow what only one run computed, and pointers through memory: wider, and
                     less focused */
    Align *align; /* its own: it grows on the way */
    VEC(DualNode) nodes;        /* in the order of cost once dual_run is done */
    VEC(VEC(uint32_t)) waiting; /* by cost: nodes to expand */
    VEC(uint32_t) order;        /* nodes as they were expanded: nearest first */
    Map known;                  /* (bad, good, addresses) -> node + 1 */
};

Dual *dual_new(const Trace *bad, const Trace *good, AlignWay way);
void dual_free(Dual *dual);
/* A step that should not have been made, or (good) should have been. */
void dual_start_single(Dual *dual, bool in_good, Step step);
/* Two steps that should have agreed; addresses (or 0) say which byte of memory is in question. */
void dual_start_pair(Dual *dual, Step bad, Step good, uint64_t bad_at, uint64_t good_at);
/* Who wrote a byte that should have been the same, at the addresses it has in both runs. */
void dual_start_writers(Dual *dual, Step bad, Step good, uint64_t bad_at, uint64_t good_at);
/* Operand i of two calls that should have agreed. */
void dual_start_operand(Dual *dual, Step bad, Step good, unsigned bad_i, unsigned good_i);
void dual_run(Dual *dual);

#endif

/* Which step of the good run is the same as a step of the bad run.
 *
 * First the code: functions are paired by name, their instructions by a longest common subsequence
 * of what they do. Then the runs: calls are paired from main down. Within a pair of calls there are
 * two ways, and each is right where the other is not: */
#ifndef CULPRIT_TRACE_ALIGNMENT_H
#define CULPRIT_TRACE_ALIGNMENT_H

#include "trace/replay.h"

typedef enum AlignWay {
    ALIGN_IN_STEP, /* blocks are paired in lockstep; where a branch went different ways, both sides
                      continue at its immediate post-dominator */
    ALIGN_COMMON,  /* the blocks that ran are paired by a longest common subsequence: an
                      interpreter's loop with one more iteration falls back into step */
} AlignWay;

typedef struct Align Align;
Align *align_new(const Trace *bad, const Trace *good, AlignWay way);
void align_free(Align *align);
const Trace *align_bad(const Align *align); /* the traces it was made from */
const Trace *align_good(const Align *align);
/* Two calls of one function that belong together for another reason (one value came from both):
 * aligned from now on, with the calls they made, unless one of them is part of a pair already. */
void align_pair(Align *align, uint32_t bad, uint32_t good);
/* The good run's step; STEP_NONE where there is none. */
Step align_step(const Align *align, Step bad);
/* The bad run's step for one of the good run; STEP_NONE where there is none. */
Step align_bad_step(const Align *align, Step good);
/* The good code's block for one of the bad code; CODE_NONE: none. */
uint32_t align_good_block(const Align *align, uint32_t bad);
/* The good code's function for one of the bad code; CODE_NONE: none. */
uint32_t align_good_function(const Align *align, uint32_t bad);
/* Whether a function of the bad (in_good: good) code that ran exists in the other. */
bool align_has_function(const Align *align, bool in_good, uint32_t function);
/* Whether two branches of the same code continued in blocks that are not a pair, whatever their
 * numbers: renumbered tokens are not a difference by themselves. */
bool align_went_otherwise(const Align *align, Step bad, Step good);
/* The bad code's instruction for one of the good code, and the reverse; CODE_NONE: none. */
uint32_t align_bad_inst(const Align *align, uint32_t good);
uint32_t align_good_inst(const Align *align, uint32_t bad);
/* The calls paired with an activation of the bad run; CODE_NONE: none. */
uint32_t align_activation(const Align *align, uint32_t bad);

#endif

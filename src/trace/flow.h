/* Static control flow of one function: post-dominators. */
#ifndef CULPRIT_TRACE_FLOW_H
#define CULPRIT_TRACE_FLOW_H

#include "trace/code.h"

/* Sets Block.post of every block of the function. Blocks that cannot reach an exit (endless loops)
 * have none. */
void flow_post_dominators(Code *code, uint32_t function);

/* Control dependence, made for a function when it is first asked for (Code.control). */
FlowControl *flow_control_new(void);
void flow_control_free(FlowControl *control);
/* The blocks whose branch decides whether block runs (control dependence), appended. */
typedef VEC(uint32_t) BlockVec;
void flow_controllers(const Code *code, uint32_t block, BlockVec *out);

#endif

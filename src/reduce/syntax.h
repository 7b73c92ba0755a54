/* Syntax-guided reduction: from the largest subtree down, every node gives up what its rule does
 * not need, or is replaced by something smaller of its own inside (Perses: Sun et al., Perses:
 * syntax-guided program reduction, 2018), with cdd as the list minimiser. */
#ifndef CULPRIT_REDUCE_SYNTAX_H
#define CULPRIT_REDUCE_SYNTAX_H

#include "reduce/target.h"

/* One sweep over the nodes whose tokens lie in the target's range. Returns the steps taken. The
 * documents may not be fresh afterwards: the caller refreshes them. Coarse: nodes that are smaller
 * than a REDUCE_COARSE-th of the program as it is then are left alone. */
size_t syntax_sweep(Target *target, bool coarse);
/* Every single token, list element and optional part, one at a time: returns the steps taken. When
 * it returns 0 the program is 1-minimal. */
size_t syntax_minimal(Target *target);

#endif

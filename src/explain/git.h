/* Two commits of the repository one stands in as two directories, and the commit that each root or
 * auxiliary change came with. git is run through the runner. */
#ifndef CULPRIT_EXPLAIN_GIT_H
#define CULPRIT_EXPLAIN_GIT_H

#include "explain/explanation.h"

typedef struct GitPair {
    const char *good, *bad;         /* the commits, as full hashes */
    const char *good_dir, *bad_dir; /* their trees, laid out in working directories */
    const char *top;                /* root of the repository */
} GitPair;

/* False and err: no repository here, no such commit (STATUS_BAD), no git (STATUS_LACKS). */
bool git_lay_out(Arena *arena, const char *good, const char *bad, GitPair *pair, Error *err);
/* Fills explanation->commits and subjects for root and auxiliary changes: blame of the lines that
 * came, the commit that dropped the lines that went. */
void git_blame(const GitPair *pair, Explanation *explanation);

#endif

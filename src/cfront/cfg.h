/* Control flow of a function as basic blocks and edges, for distances between variants (Athena) and
 * for definite assignment's tests. Blocks are made from whole statements and conditions; && || ?:
 * stay inside their block. */
#ifndef CULPRIT_CFRONT_CFG_H
#define CULPRIT_CFRONT_CFG_H

#include "cfront/cfront.h"

typedef struct CBlock {
    uint64_t hash; /* of the function's name and the tokens in the block, ignoring blanks: the same
                      in another program with the same code */
    const CStmt *stmt;    /* first statement (or statement whose condition it begins with); NULL:
                             entry, exit */
    const uint32_t *succ; /* numbers of the blocks that may follow, no duplicates */
    uint32_t n_succ;
    uint32_t n_stmts; /* statements and conditions in it */
    bool reachable;   /* from the entry */
} CBlock;

typedef struct CGraph {
    const CBlock *blocks; /* 0 is the entry, 1 the exit */
    uint32_t n_blocks;
    const uint32_t
        *block_of; /* block in which control arrives at function->stmts[i]; UINT32_MAX: none */
} CGraph;

CGraph cfg_build(Arena *arena, const CUnit *unit, const CFunction *function);

#endif

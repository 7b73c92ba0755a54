/* The reducers of the paper and the loop around them (PPR: Zhang et al., Pairwise program
 * reduction, 2023), one program alone, and the two baselines. */
#ifndef CULPRIT_REDUCE_PPR_H
#define CULPRIT_REDUCE_PPR_H

#include "reduce/reducer.h"
#include "reduce/snippets.h"

typedef struct Plan {
    const char *order; /* t: MinTDiff, l: MinLDiff, c: MinCommonality; the paper's is "tlc" */
    unsigned rounds;   /* of the loop at most; 0: until nothing shrinks */
    bool plain;        /* the published loop alone: no pass and no step of ours */
    bool bulk;         /* one program: only what removes much with few tests */
    ReduceSnippets
        *snippets; /* pairs: what is known to have been put into the variant; may be NULL */
    Str input;     /* standard input of the programs, where they run */
} Plan;

/* Each leaves the best pair in the reducer's documents. */
void reduce_pair(Reducer *r, const Plan *plan);
void reduce_single(Reducer *r, const Plan *plan);
/* Zeller's dd on the variant's tokens: the passing side grows from the empty program. */
void reduce_dd(Reducer *r);
/* ddmin on the variant's tokens. */
void reduce_ddmin(Reducer *r);

/* ---- parts.c: shared by pairs and single programs ---- */
/* Sweeps of syntax-guided reduction on one side, the other following where paired, as long as each
 * takes a tenth away. Coarse: not into small parts. Returns the steps taken. */
size_t reduce_sweeps(Reducer *r, int side, bool paired, bool coarse);
/* The same one element and one token at a time, once: 0 steps mean that it is 1-minimal. */
size_t reduce_minimal(Reducer *r, int side, bool paired);
/* Steps that change several places at once (sets.h); early: only those that pay in a program that
 * is not small yet. Returns the steps taken. */
size_t reduce_sets(Reducer *r, int side, bool paired, bool early);
/* Shorter names, on both sides alike. */
void reduce_names(Reducer *r, const Plan *plan);
void reduce_refresh(Reducer *r);
/* Whether a pass should end: interrupted, out of time, or fallen back because the test flakes. */
bool reduce_stopped(const Reducer *r);

#endif

/* Every tunable number of isolate, with the paper's value where it has one. */
#ifndef CULPRIT_ISOLATE_ISOLATE_KNOBS_H
#define CULPRIT_ISOLATE_ISOLATE_KNOBS_H

/* ---- RecBi (its sections 3.2 and 4.2, and the published code) ---- */
#define RECBI_ALPHA 0.8        /* weight of diversity against similarity in Q; paper 0.8 */
#define RECBI_GAMMA 0.9        /* discount of later rewards; paper 0.9 */
#define RECBI_RATE 0.01        /* learning rate of both nets; paper 0.01 */
#define RECBI_LOOKAHEAD 5      /* u: rewards of this many later steps enter an advantage; paper 5 */
#define RECBI_ACTOR_HIDDEN 20  /* published code */
#define RECBI_CRITIC_HIDDEN 15 /* published code */
#define RECBI_WEIGHTS 0.1      /* deviation of the first weights; published code */
#define ADAM_BETA1 0.9         /* Adam's own defaults */
#define ADAM_BETA2 0.999
#define ADAM_EPSILON 1e-8

/* ---- DiWi ---- */
#define DIWI_COVER 0.95 /* p solves 1 - (1-p)^N >= this over N rules; paper 0.95 */
#define DIWI_FALLBACK                                                                              \
    0.5 /* share of the budget after which, without a witness, higher orders begin; paper 1/2 */

/* ---- ours ---- */
#define BATCH_WIDTH                                                                                \
    8 /* mutants chosen before any of them is judged: fixed, so that -j changes nothing */
/* Ranking, tuned on the bugs at even positions of bench/gcc11/bugs.json: */
#define SHRINK_FILE                                                                                \
    100.0 /* statements of doubt added to each file: a file of two lines must not win by luck */
#define SHRINK_FUNCTION 10.0 /* the same for functions */
#define EVIDENCE_MISSED                                                                            \
    0.6 /* how likely a witness does not run the guilty statement and passes for that reason */
#define EVIDENCE_TEMPER                                                                            \
    0.5 /* power of the evidence: witnesses are not independent, so each tells less */
#define BEHIND_FACTOR 0.3 /* statements that only run after the last pass that cures */
#define INSIDE_FACTOR                                                                              \
    10.0 /* statements that run in all passes that cure, or in the pass of the crash */
#define HOME_WEIGHT                                                                                \
    2.0 /* logarithm of how much likelier the home of all passes that cure is guilty */
#define EFFECT_WEIGHT                                                                              \
    2.0                 /* the same for the home of the passes where flags that cure first differ */
#define FIXES_POWER 0.5 /* of the bugs that were closed by mending a file, and one */
#define TWIN_POWER 2.0  /* of the share of failing runs that cover a statement */
#define FUSE_CONSTANT 10.0 /* of reciprocal rank fusion with the backtrace */
#define FUSE_FRAMES 0.3    /* weight of the backtrace in it, for files */
#define FUSE_FUNCTIONS                                                                             \
    0.75 /* for functions: the innermost one alone deserves a place among the first */
#define SWEEP_TOGETHER 16 /* passes of GCC left out together; what stops curing is halved */
#define LLVM_PREFIXES 8   /* good prefixes of LLVM's passes that are covered */
#define CUTS_MOST 256     /* parts of the program left out, in auto */
/* Shares of the remaining time that each step of auto may take; what is left goes to the search: */
#define SHARE_SHORTEN 0.3  /* making the failing program smaller */
#define SHARE_MINIMISE 0.2 /* fewer options */
#define SHARE_CURES 0.25   /* options that cure, windows, debug counters */
#define SHARE_CUTS 0.12    /* parts left out */
#define SHARE_SUITE 0.1    /* programs of the test suite */
#define OVERRUN 2.0        /* seconds, at most its share, for the last runs of a step to end */
#define SUITE_MOST 64      /* programs of the test suite, in auto */
#define TWINS_MOST 40      /* most failing mutants whose coverage is taken */

#endif

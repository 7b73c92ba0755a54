/* Every number that shapes hunt's variants, with the paper's value where it gives one
 * (Sun, Le, Su: Finding Compiler Bugs via Live Code Mutation, OOPSLA 2016). */
#ifndef CULPRIT_VARIANT_VARIANT_KNOBS_H
#define CULPRIT_VARIANT_VARIANT_KNOBS_H

/* ---- sampling (section 4.5.1, 5.1) ---- */
#define HUNT_PROFILE_PROBABILITY                                                                   \
    0.1                         /* of a program point to be profiled and mutated; paper: 0.1       \
                                 */
#define HUNT_PROFILE_LIMIT_S 10 /* wall clock of one profiled run */
#define HUNT_POINTS_CAP                                                                            \
    60 /* points of one variant: more make the probability smaller; paper: 100 to 200, of seeds of \
        * 1000 to 2000 lines. A chain's programs grow by this */
#define HUNT_POINTS_FLOOR 6 /* .. and at least about this many: small seeds mutate as well */
#define HUNT_PATHS_PER_POINT                                                                       \
    24                            /* variables, members, elements and pointees profiled at a point \
                                   */
#define HUNT_ELEMENTS_PER_ARRAY 3 /* elements of one array profiled at a point */
#define HUNT_PATH_DEPTH 4         /* members and indices in a row */
#define HUNT_VALUES_CAP 32        /* values of a path; one more and it leaves the environment */
#define HUNT_HITS_CAP 1000000 /* points that run more often are left alone: variants stay fast */
#define HUNT_OBJECTS_CAP 4    /* objects a pointer may have pointed to, with the same effect */

/* ---- predicates (Algorithm 2) ---- */
#define HUNT_PREDICATE_DEPTH 2   /* 0..2 drawn before each; paper: 2 */
#define HUNT_ATOM_TRIES 12       /* constants and operators tried before an atom takes == or != */
#define HUNT_ATOM_EXPRESSION 0.4 /* an atom compares a small expression instead of a variable */
#define HUNT_DIFFERS 4           /* values tested one by one; with more, the range is tested */

/* ---- expressions (Algorithm 3) ---- */
#define HUNT_LEAVES 6          /* variables sampled for one expression at most */
#define HUNT_CONSTANT 0.25     /* a constant joins the leaves */
#define HUNT_UNARY 0.5         /* FlipCoin of line 4 */
#define HUNT_UNARY_ROW 2       /* unary steps in a row, then a binary one is forced */
#define HUNT_CAST 0.25         /* a unary step is a cast */
#define HUNT_CONSTANT_STEP 0.4 /* a unary step is `op constant` */
#define HUNT_CONSTANT_LAST 0.4 /* the whole expression gets one more `op constant` */
#define HUNT_CONSTANT_TRIES 6  /* operators and constants tried for that */
#define HUNT_CONDITIONAL 0.1   /* three expressions become test ? a : b */
#define HUNT_REAL 0.12         /* a binary step is through floating point, where that is exact */
#define HUNT_COMBINATIONS 2048 /* value pairs tried for one operator at most */
#define HUNT_RESULTS 128       /* values of one subexpression at most */

/* ---- blocks ---- */
#define HUNT_BODY_DEPTH 2      /* derivation depth of FCB bodies */
#define HUNT_BODY_STATEMENTS 3 /* in a row, in one body */
#define HUNT_NEW_VARIABLE 0.1  /* a body declares a variable instead of using those there */
#define HUNT_TCB_VARIABLES 3   /* changed by one block at most */

/* ---- executed statements of a TCB (live_code.h); the paper has stores only ---- */
#define HUNT_LIVE_LOCALS 3      /* new locals, structures and arrays of a block at most */
#define HUNT_LIVE_STATEMENTS 3  /* beside the store to each variable, at most */
#define HUNT_LIVE_BITFIELD 0.35 /* a member of a new structure is a bit-field */
#define HUNT_LIVE_COMPOUND 0.3  /* a store is v op= e */
#define HUNT_LIVE_TURNS 5       /* of a loop at most */
#define HUNT_LIVE_CASES 3       /* of a switch that may be taken */
#define HUNT_LIVE_DEPTH 2       /* ifs and new functions inside each other */
#define HUNT_LIVE_COPY 0.4      /* a block with a structure ends with a copy of it */
#define HUNT_LIVE_POINTER 0.4   /* a block has a pointer to one of its variables */
#define HUNT_LIVE_REAL 0.35     /* a block has a variable of floating point */
#define HUNT_LIVE_REAL_STORE 2  /* weight of a store to one */
#define HUNT_LIVE_KERNEL 1.5    /* weight of a call of a kernel among the statements (a store: 8) */
#define HUNT_LIVE_BORROW 2      /* .. of a borrowed function */
#define HUNT_LIVE_SUSPECTS 4    /* variables whose values a block checks at its end */

/* ---- the expression a compiler gets wrong (locate.h) ---- */
#define HUNT_LOCATE_MOST 4000 /* expressions traced at once */
#define HUNT_LOCATE_ALONE 200 /* .. and one at a time */

/* ---- identity ---- */
#define HUNT_IDENTITY_TRIES 20 /* expressions tried until one is always 0 */

/* ---- borrowing ---- */
#define HUNT_KERNEL_HITS 2000 /* of a point at most: a kernel takes up to some 100 microseconds */
#define HUNT_BORROW_HITS 200  /* of a point at most: a borrowed function may take milliseconds */

/* ---- the dead-code rivals ---- */
#define HUNT_ORION_DELETE 0.5      /* an unexecuted sampled statement is deleted */
#define HUNT_ATHENA_STEPS 4        /* proposals until one is accepted; then the last stays */
#define HUNT_ATHENA_BYTES 2000     /* of a statement that is put elsewhere, at most */
#define HUNT_ATHENA_DONORS 40      /* statements tried until one fits the place */
#define HUNT_ATHENA_INSERT 0.7     /* a proposal's edit at a dead point inserts; else it deletes */
#define HUNT_ATHENA_SHARPNESS 10.0 /* s in min(1, exp(s * (D(Q') - D(Q)))) */
#define HUNT_ATHENA_BLOCKS 0.5     /* a: weight of the Jaccard distance of basic blocks */
#define HUNT_ATHENA_EDGES 0.5      /* b: of control-flow edges */
#define HUNT_ATHENA_SIZE 0.1       /* c: of the relative size difference */

#endif

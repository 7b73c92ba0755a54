/* What is fixed for a whole campaign, and the small pieces its parts hand to each other. */
#ifndef CULPRIT_HUNT_SETUP_H
#define CULPRIT_HUNT_SETUP_H

#include "base/rng.h"
#include "cc/blame.h"
#include "cc/clean.h"
#include "cc/verdict.h"
#include "variant/mutate.h"

/* ---- knobs of the campaign ---- */
#define CAMPAIGN_VARIANTS 10      /* in a chain; the paper: 10 */
#define CAMPAIGN_SIBLINGS 8       /* variants of one profile, of as many in a chain */
#define CAMPAIGN_HANG_S 60.0      /* CPU seconds until a compilation hangs; the paper: 300 */
#define CAMPAIGN_HANG_AGAIN_S 8.0 /* .. of a program that hung already, while it is minimised */
#define CAMPAIGN_SEED_RUN_S 2.0   /* CPU seconds a seed may run: what runs longer is skipped */
#define CAMPAIGN_RUN_FACTOR 10    /* a variant may run this many times longer than its seed may */
#define CAMPAIGN_KERNELS_S 3.0    /* .. and a program of kernels, which takes milliseconds */
#define CAMPAIGN_SEED_SIZE (400u << 10) /* most bytes of a preprocessed seed */
#define CAMPAIGN_BLAME_S 120.0          /* wall seconds for one search of the guilty flag or pass */
#define CAMPAIGN_FINDINGS 6             /* most different failures looked into per seed */
#define CAMPAIGN_REPEATS 2              /* a failure must be seen again this many times */
#define CAMPAIGN_MUTANTS 40             /* of one seed where only crashes count */
#define CAMPAIGN_MUTATIONS 3            /* edits between one mutant and the next, at most */
#define CAMPAIGN_WALKS 0.7              /* the next one comes from a mutant that was taken */
#define CAMPAIGN_FRESH 0.7              /* where seeds are medleys: it is a new one instead */
#define CAMPAIGN_SETS 6                 /* of options for a seed's mutants, by compiler */
#define CAMPAIGN_POOL 600               /* programs of the suite whose pieces are inserted */
#define CAMPAIGN_LENDERS 600            /* programs of the suite that functions are borrowed from */
#define CAMPAIGN_NAMED 20               /* with at most this many seeds, those not run are listed */

#define CAMPAIGN_LEASE_S 120.0 /* a seed is its worker's for so long .. */
#define CAMPAIGN_BEAT_S 30.0   /* .. and is renewed so often */
#define CAMPAIGN_LATER_S 60.0  /* a seed the machine was in the way of is put off so long */
#define CAMPAIGN_TRIES 4       /* workers that a seed may take with it when they are killed */

typedef struct HuntSetup {
    CompilerVec compilers;      /* under test */
    const char *const *levels;  /* NULL-ended */
    unsigned variants;          /* per chain */
    unsigned siblings;          /* variants of one profile; the chain continues from the last */
    unsigned strategies;        /* bits for the mutation engine; 0: its default */
    bool bandit;                /* strategies, random_flags and oracles are drawn for each seed */
    bool plain;                 /* some compiler under test lacks builtins and __int128 .. */
    bool no_lanes;              /* .. and those of kernels over vectors */
    bool no_reals;              /* a level changes what floating point means: -Ofast */
    bool gnu;                   /* all compilers under test are GCC */
    uint64_t seed;              /* of the campaign */
    bool random_flags;          /* one random set of flags per compiler and variant */
    struct OptionStock *stocks; /* by compiler, where only crashes count; else NULL */
    bool crashes;     /* only crashes and hangs count: programs are perturbed, and only compiled */
    bool kernels;     /* seeds are programs of kernels (hunt/seed/kernels.h) */
    bool oracles;     /* also the compilers' own checks: -fchecking, -verify-machineinstrs */
    CleanTools clean; /* sanitizers */
    CompilerVec references; /* these tell what a seed must print; the best first */
    bool foreign;           /* the compilers are for another machine (cc/foreign.h) .. */
    const Compiler *record_gcc, *record_clang; /* .. where these record the values of programs */
    const char *const *include;                /* NULL-ended -I and -D for seeds */
    CompilerVec installed; /* for "which versions fail": all found, including those under test */
} HuntSetup;

/* A program and what it must do. */
typedef struct HuntProgram {
    Str text;
    Str expected;             /* standard output */
    int code;                 /* exit status */
    const char *const *flags; /* that belong to its meaning: -std, -D, -fwrapv; may be NULL */
    double run_s;             /* CPU seconds of one run; 0: as for any seed and its variants */
    bool compiled;            /* never run: it has no main, or its output proves nothing */
    unsigned skip;            /* CleanJob's: sanitizers whose compiler does not accept it */
} HuntProgram;

/* What one compiler under test took for programs in one piece. */
typedef struct HuntTiming {
    uint64_t compilations;
    double cpu_s, slowest_s; /* of all, of one */
} HuntTiming;

/* CPU seconds, by what they were spent on. */
typedef struct HuntCost {
    double test;   /* compilers under test and the programs they made */
    double verify; /* verification, minimisation and bucketing of findings */
    double total;  /* everything, including culprit's own time */
    uint64_t compilations, runs;
    HuntTiming *timings; /* by compiler of the setup */
} HuntCost;

#endif

/* Where seeds come from: Csmith, or files. Seed number n is always the same program for the same
 * settings, so that a campaign can be stopped and resumed. */
#ifndef CULPRIT_HUNT_SEEDS_H
#define CULPRIT_HUNT_SEEDS_H

#include "hunt/setup.h"

typedef struct Seeds {
    StrVec files;               /* sorted; empty: Csmith */
    const char *csmith;         /* the program */
    const char *csmith_include; /* -I of its runtime */
    uint64_t seed;              /* of the campaign */
    bool medleys;               /* no files, and only crashes count: hunt/crash/medley.h */
    bool kernels;               /* no files: hunt/seed/kernels.h */
} Seeds;

/* paths: files or directories (all .c below); none: medleys where only crashes count, kernels where
 * they are wanted, or Csmith. Nothing readable: STATUS_BAD; no
 * Csmith: STATUS_LACKS. */
bool seeds_open(Arena *arena, const StrVec *paths, const HuntSetup *setup, Seeds *out, Error *err);
void seeds_close(Seeds *seeds);
/* Files in an order that the campaign's seed gives: a suite is longer than most campaigns, and its
 * beginning is not like the rest. Before any seed is taken. */
void seeds_shuffle(Seeds *seeds);
/* How many different seeds there are before files are used again; 0: no end. */
uint64_t seeds_count(const Seeds *seeds);

/* What a seed is good for. */
typedef enum SeedUse {
    SEED_SKIPPED,  /* nothing: it is meant to be refused, it is for another machine .. */
    SEED_COMPILED, /* compilers must not crash on it; what it prints proves nothing */
    SEED_RUN,      /* what it prints must be the same everywhere, for its variants as well */
} SeedUse;

typedef struct Seed {
    uint64_t number;
    const char *name;    /* "csmith 1234", a path */
    HuntProgram subject; /* preprocessed text, with the output it must give */
    SeedUse use;
    const char *why;            /* .. it is not SEED_RUN; NULL */
    const char *const *machine; /* -m options of its suite, for crash mode; NULL-ended, or NULL */
    const char *const *without; /* levels for which its suite skips it; NULL-ended, or NULL */
    bool later;                 /* could not be judged on this machine now: perhaps another time */
    double cost;                /* CPU seconds of making and checking it */
} Seed;
/* Makes seed `number`, as its suite means it, and checks it: it compiles, ends, has the same output
 * with both references, and is clean (Csmith's under clang's address and undefined sanitizers
 * only). False only when the machine lacks something. */
bool seed_get(Arena *arena, const Seeds *seeds, const HuntSetup *setup, Pool *pool, uint64_t number,
              Seed *out, Error *err);

#endif

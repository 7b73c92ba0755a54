/* What the strategies share: the chain as it grows. Private to this room; others use mutate.h. */
#ifndef CULPRIT_VARIANT_CHAIN_H
#define CULPRIT_VARIANT_CHAIN_H

#include "variant/distance.h"
#include "variant/mutate.h"
#include "variant/pieces.h"
#include "variant/profile.h"
#include "variant/snippet.h"

/* A snippet as it was made; what a variant says about it is derived from this. */
typedef struct Made {
    Strategy strategy;
    unsigned round;
    Str function;
    Str text; /* what mutate.h's Snippet.text shows */
} Made;

struct MutateChain {
    Arena arena; /* texts, variants: as long as the chain */
    MutateOptions options;
    const char *const *reading; /* the options' flags, with the target: how the text is parsed */
    const char *prefix;         /* of all new names; occurs nowhere in the seed */
    bool no_reals;              /* its options change what floating point means */
    Pieces pieces;
    VEC(Made) made;     /* snippets by number */
    unsigned round;     /* variants so far */
    Rendered current;   /* the program the current round grows from, with segments */
    Rendered next;      /* the newest one: what the next round grows from; empty before the first */
    struct Round *kept; /* the last round, for siblings; NULL: none */
    Profiler profiler;
    const struct Lender *lender; /* what may be borrowed; NULL: nothing */
    struct Lender *own;          /* the seed's own functions; NULL: the lender was given */
    Outline seed_outline;        /* of the seed; for Athena only */
    double seed_distance;        /* of the newest program from the seed; for Athena only */
    MutateCost cost;             /* of the last mutate_next */
};

/* One round at work. */
typedef struct Round {
    MutateChain *chain;
    const CUnit *unit; /* chain->current, parsed */
    PointVec points;   /* sampled and profiled */
    Rng rng;
    Arena arena; /* unit, environments, scratch */
    /* ---- how the chain was before, for siblings ---- */
    size_t parts, made;
    double distance;
    unsigned siblings; /* variants made from this round's profile so far */
} Round;

/* ---- insertion.c: parts for one point ---- */
/* Whether statement and insertion need { } around them, for any subset of the snippets. */
bool place_needs_braces(const Round *r, const CStmt *stmt);
/* Whether place_before may be used: braces would not end the life of what stmt declares. */
bool place_fits(const Round *r, const CStmt *stmt);
/* A new snippet's number; it gets parts by the functions below. */
unsigned place_new(Round *r, Strategy strategy, const CStmt *stmt, Str shown);
void place_before(Round *r, const CStmt *stmt, Strategy strategy, Str text);
/* Declarations of the newest snippet, before the function that contains the statement. */
void place_above(Round *r, const CStmt *stmt, Str text);
void place_guard(Round *r, const CStmt *stmt, Str guard);
bool place_delete(Round *r, const CStmt *stmt, Strategy strategy);

/* ---- strategies ---- */
/* Hermes: one of those switched on, with equal chances; one that does not fit the point gives way
 * to the next. */
void hermes_mutate(Round *r, const Point *point, unsigned strategies);
bool identity_mutate(Round *r, const Point *point);
bool borrow_mutate(Round *r, const Point *point);
/* Orion: deletes some of the unexecuted sampled statements. */
void orion_mutate(Round *r);
/* Athena: one accepted step of the chain from the current program. */
void athena_mutate(Round *r);

#endif

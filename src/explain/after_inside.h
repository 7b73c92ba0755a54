/* Inside after.c: what it shares with after_tree.c, which tells the causes as a tree. */
#ifndef CULPRIT_EXPLAIN_AFTER_INSIDE_H
#define CULPRIT_EXPLAIN_AFTER_INSIDE_H

#include "change/changemap.h"
#include "explain/analysis.h"
#include "explain/explain.h"
#include "explain/guide.h"
#include "explain/search/closed_search.h"
#include "explain/traced_pair.h"

typedef struct Pending {
    Predicate phi;
    size_t parent; /* node whose critical predicate it is */
    size_t order;  /* nearer to the failure first */
    bool done;
} Pending;

typedef struct After {
    ExplainWork *work;
    const ChangeSet *set;
    TracedPair witness;
    ChangeMap *map;
    Map changed; /* file, line -> 1 + whether it belongs to a change: for is_changed */
    Analysis *analysis;
    Predicate phi0;
    Dual *duals[GUIDE_DUALS]; /* NULL without a good run */
    Guide guide;              /* empty without them */
    Map node_of;              /* step of a predicate -> node of its cause + 1 */
    AuxFinder aux;
    Needs *text;        /* what the text of the changes ties together */
    Needs *needs;       /* what sets are closed under: the same, or what no parser sees of it */
    const char *direct; /* builds sets without the user's makefiles; NULL */
    uint8_t *hard;      /* changes that need those */
    double *weight;     /* suspicion of each change, for the search over all */
    size_t builds;      /* made before the first candidate was tried */
    VEC(Pending) pending;
    uint8_t *strong; /* the best tier of each change on a step that came out differently; 0: none */
    uint8_t *weak;   /* on steps that came out the same: 1 */
    uint8_t *excluded;    /* their revert only dodges */
    uint8_t *early;       /* passes, by the search before anything was recorded; NULL: none did */
    double path_solver_s; /* spent in the solver on the way to roots, */
    double path_most_s;   /* of so many */
    size_t tried[TIERS];  /* how many candidates of each tier were tried last */
    Answer dodging;       /* the best of those */
} After;

/* A text of the analysis, as long as the explanation lives. */
Str after_keep(After *a, Str s);
/* A cause becomes a node; returns its number. */
size_t after_add_node(After *a, const Cause *cause, size_t parent);
void after_dump_cause(After *a, const Cause *cause); /* --dump=search */
/* The way from each root of the answer to the failure. */
void after_tell_roots(After *a);

#endif

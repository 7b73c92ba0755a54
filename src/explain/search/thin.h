/* Reverts changes in part: of a set of suspected changes, and of none besides, as much as compiles.
 *
 * A set that is closed under what must compile together may hold a hundred changes for one that
 * matters: an interface changed, and all its users with it. Here nothing is added to the set.
 * Whatever the parser complains about stays as it is in bad instead, part by part (change/blend.h):
 * the new argument of an old call, the new type of an old variable. What is left fits, and is built
 * once. It may not pass, because what matters was among what stayed: then it is the closed sets'
 * turn.
 *
 * What passes is kept in the set's changes (changeset_blend), so that from then on reverting one of
 * them means just that. */
#ifndef CULPRIT_EXPLAIN_SEARCH_THIN_H
#define CULPRIT_EXPLAIN_SEARCH_THIN_H

#include "explain/aux.h"

typedef struct ThinTask {
    AuxFinder *aux;
    const Needs *bare; /* what must go together and no parser sees (needs_unparsed) */
    ChangeSet *set;    /* the oracle's */
    Arena *arena;
    uint8_t **parts; /* for each change: which of its parts are reverted; NULL: all */
} ThinTask;

/* Nothing of the set is reverted in part so far; in the arena. */
ThinTask thin_start(AuxFinder *aux, const Needs *bare, ChangeSet *set, Arena *arena);
/* Reverts the chosen changes, with what no parser would miss, as far as they compile alone. True:
 * it passes; chosen becomes what is reverted, at least in part. False: what reverting each of them
 * brings is what it was. */
bool thin_ask(const ThinTask *task, uint8_t *chosen);
/* Of a set that passes, only the wanted changes (NULL: the most suspected one), or those and a few
 * of the most suspected others, if these, as far as they compile then, still pass: a handful of
 * builds. Returns how many changes went. */
size_t thin_few(const ThinTask *task, const double *weight, const uint8_t *wanted, uint8_t *set);
/* Takes changes out of a set that passes, the least suspected first, each with whatever complains;
 * the wanted ones (or NULL) stay. Returns how many went. */
size_t thin_out(const ThinTask *task, const double *weight, const uint8_t *wanted, uint8_t *set);

#endif

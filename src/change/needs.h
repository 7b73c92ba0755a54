/* Which changes can only be reverted together: "needs" edges between the changes of a set, so that
 * the sets that are tried compile by construction.
 *
 * Everything is read from the text of both versions, without a parser: what a change declares, uses
 * and leaves open.
 *
 *     a name that only good declares    whoever uses it again needs what declares it
 *     a name that only bad declares     what declares it needs everything that uses it: that must
 * go first a name declared here in good and there in bad: both go together parameters, and calls
 * whose number of arguments differs: together locals: the same within their function brackets, #if
 * and comments that a change leaves open: with those that close them added or removed files: with
 * what names them (#include, makefiles)
 *
 * A compiler's message that still appears adds an edge (needs_add). needs_close turns any subset
 * into one that is closed under needs. */
#ifndef CULPRIT_CHANGE_NEEDS_H
#define CULPRIT_CHANGE_NEEDS_H

#include "change/change.h"

typedef VEC(size_t) NeedList;

typedef struct Needs {
    const ChangeSet *set;
    NeedList *of;     /* for each change: those it needs */
    size_t *function; /* for each change: a number that the changes of one function share */
    size_t functions; /* how many there are */
    size_t edges;
} Needs;

Needs *needs_new(const ChangeSet *set);
/* The same set without an edge. */
Needs *needs_bare(const Needs *needs);
void needs_free(Needs *needs);
/* Adds an edge; false: it existed already. */
bool needs_add(Needs *needs, size_t change, size_t needed);
/* Adds to the subset everything its changes need; returns how many were added. */
size_t needs_close(const Needs *needs, uint8_t *subset);

#endif

/* Which changes can only be reverted together: "needs" edges between the changes of a set, so that
 * the sets that are tried compile by construction.
 *
 * Everything is read from the text of both versions, without a parser: what a change declares, uses
 * and leaves open.
 *
 * - A name that only good declares: whoever uses it again needs what declares it.
 * - A name that only bad declares: what declares it needs everything that uses it; that must go
 *   first.
 * - A name declared here in good and there in bad: both go together.
 * - Parameters, and calls whose number of arguments differs: together.
 * - Locals: the same within their function.
 * - Brackets, #if and comments that a change leaves open: with those that close them.
 * - Added or removed files: with what names them (#include, makefiles).
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
    uint8_t *outside; /* for each change: 1 when none needs it, whatever the edges say */
    size_t *function; /* for each change: a number that the changes of one function share */
    size_t functions; /* how many there are */
    size_t edges;
    size_t *shape; /* for each change: how many of its edges, the first, are of brackets and #if */
    const struct Needs *text; /* what the text says, where these edges are fewer; NULL */
} Needs;

Needs *needs_new(const ChangeSet *set);
/* The same set, for sets that a parser of C is asked about (fit.h): of the edges only those that it
 * does not see, because they lead to or from other text, or a file that comes or goes, and those of
 * brackets and #if, of which it says little. The edges that it was made from stay as its text. */
Needs *needs_unparsed(const Needs *needs);
/* The same edges, and the changes of each function need each other: a coarser set to begin with.
 * needs_take adds to the finer one what was learned meanwhile from messages. */
Needs *needs_by_function(const Needs *needs);
void needs_take(Needs *needs, const Needs *by_function);
void needs_free(Needs *needs);
/* All changes of the subset together are known to build: none of them needs one outside of it. */
void needs_stay_within(Needs *needs, const uint8_t *subset);
/* Adds an edge; false: it existed already. */
bool needs_add(Needs *needs, size_t change, size_t needed);
/* Adds to the subset everything its changes need; returns how many were added. */
size_t needs_close(const Needs *needs, uint8_t *subset);

/* Whether the subset holds all that its changes need and no parser of C would miss: a file that
 * comes or goes and the line of a makefile that names it need each other. */
bool needs_hold_unseen(const Needs *needs, const uint8_t *subset);
/* Adds to gone, a part of the subset, what else of it needs one of them without a parser's word. */
void needs_drag_unseen(const Needs *needs, const uint8_t *subset, uint8_t *gone);

#endif

/* A change given in bytes of the text, turned into edits of tokens for both sides.
 *
 * Finders over the C front end or the tree think in ranges of bytes: this goes, that text takes its
 * place. A Rewrite collects such changes in any order and turns them into one EditSet. What is
 * written consists of pieces: words of our own, and parts of the program. For the other program of
 * a pair the parts are taken from there, so that a difference inside them survives. Where one range
 * lies inside another that is also changed, the outer one wins. */
#ifndef CULPRIT_REDUCE_FIND_REWRITE_H
#define CULPRIT_REDUCE_FIND_REWRITE_H

#include "cfront/cfront.h"
#include "reduce/sets.h"

/* A part of what is written: text, or, where text.at is NULL, the program's own bytes. */
typedef struct RewritePiece {
    Str text;
    CRange source;
} RewritePiece;

/* One change: the pieces come in place of the range; an empty range inserts. */
typedef struct RewritePart {
    CRange range;
    uint32_t first, n; /* pieces */
} RewritePart;

typedef struct Rewrite {
    const Target *target;
    Arena *arena; /* of the sets that come out */
    VEC(RewritePiece) pieces;
    VEC(RewritePart) parts;
} Rewrite;

/* For a target whose documents are fresh. */
void rewrite_init(Rewrite *w, const Target *target, Arena *arena);
void rewrite_release(Rewrite *w);
void rewrite_clear(Rewrite *w); /* begins another one */

/* Begins a change; rewrite_text and rewrite_source say what comes in its place. */
void rewrite_at(Rewrite *w, CRange range);
void rewrite_text(Rewrite *w, Str text); /* lives as long as the arena */
void rewrite_source(Rewrite *w, CRange source);
static inline void rewrite_drop(Rewrite *w, CRange range) {
    rewrite_at(w, range);
}
static inline void rewrite_put(Rewrite *w, CRange range, Str text) {
    rewrite_at(w, range);
    rewrite_text(w, text);
}
/* Only this part of the range stays. */
void rewrite_keep(Rewrite *w, CRange range, CRange part);
/* An element of a list separated by commas, with one comma; list is the inside of its brackets. */
void rewrite_drop_element(Rewrite *w, CRange element, CRange list);
/* Adds it as a set, unless it changes nothing. */
void rewrite_add(Rewrite *w, EditSets *out);

#endif

/* Steps that change several places at once: sets of edits that only make sense together. A finder
 * lists them for the document as it is; each is tried in turn, and after a success the list is made
 * anew and the turn goes on where it was. */
#ifndef CULPRIT_REDUCE_SETS_H
#define CULPRIT_REDUCE_SETS_H

#include "reduce/rows.h"
#include "reduce/target.h"

typedef struct EditSet {
    DocEdit *edits; /* sorted by token; memory in the arena */
    size_t n;
    int64_t gain; /* tokens it takes away; sets that neither take any nor make it shorter are left
                     out */
    size_t at;    /* in the order found */
} EditSet;
typedef struct EditSets {
    Arena arena;
    VEC(EditSet) list;
    bool unasked; /* the parser is not asked about them */
    bool ordered; /* they come in the order found; else by what they take away */
} EditSets;

/* Tokens that read alike, of a fresh document: chains in the order of the text. */
typedef struct TokenIndex {
    Map first;      /* text -> its first token + 1 */
    uint32_t *next; /* token -> the next one; UINT32_MAX: the last */
} TokenIndex;
void token_index_init(TokenIndex *index, const Doc *doc);
void token_index_release(TokenIndex *index);
/* UINT32_MAX: none reads so. */
uint32_t token_index_first(const TokenIndex *index, Str text);
#define EACH_TOKEN_LIKE(i, index, text)                                                            \
    for (uint32_t i = token_index_first(index, text); i != UINT32_MAX; i = (index)->next[i])

/* Finders that ask the grammar about every use of a name leave larger programs to the sweeps. */
enum { SETS_HUGE = 20000 };

/* Finds sets in a fresh document. */
typedef void (*FindSets)(const Target *target, const Shapes *shapes, EditSets *out);

/* Sorts the edits, drops doubles and dead tokens, and adds the set if it changes anything. */
void sets_add(const Target *target, EditSets *out, DocEdits *edits);
/* Puts them into the order they are tried in; of a large program only the best stay. */
void sets_order(EditSets *sets, const Doc *doc);
/* All tokens of a node; or all but those of a node inside it. */
void sets_drop_node(const Doc *doc, uint32_t node, DocEdits *edits);
void sets_keep_only(const Doc *doc, uint32_t node, uint32_t inside, DocEdits *edits);
/* The part of its parent that a node can take along and go: itself, or itself with a separator;
 * climbs until there is one. False: nothing around it can go. */
bool sets_drop_around(const Doc *doc, const Shapes *shapes, uint32_t node, DocEdits *edits);

/* Tries all; returns the steps taken. Documents are refreshed. */
size_t sets_try(Reducer *r, int side, bool paired, FindSets find);

#endif

/* Steps that change several places at once: sets of edits that only make sense together. A finder
 * lists them for the document as it is; each is tried in turn, and after a success the list is made
 * again and continues where it was. */
#ifndef CULPRIT_REDUCE_SETS_H
#define CULPRIT_REDUCE_SETS_H

#include "reduce/rows.h"
#include "reduce/target.h"

typedef struct EditSet {
    DocEdit *edits; /* sorted by token; memory in the arena */
    size_t n;
    int64_t gain; /* tokens it removes; sets without gain that are not shorter are left out */
    size_t at;    /* in the order found */
} EditSet;
typedef struct EditSets {
    Arena arena;
    VEC(EditSet) list;
    bool unasked;  /* the parser does not check them */
    bool ordered;  /* they come in the order found; else by what they remove */
    bool together; /* they rarely depend on each other: all at once first, then smaller parts */
    bool coarse;   /* .. and nothing smaller than those */
} EditSets;

/* Tokens with the same text, of a fresh document: chains in the order of the text. */
typedef struct TokenIndex {
    Map first;      /* text -> its first token + 1 */
    uint32_t *next; /* token -> the next one; UINT32_MAX: the last */
} TokenIndex;
void token_index_init(TokenIndex *index, const Doc *doc);
void token_index_release(TokenIndex *index);
/* UINT32_MAX: none has this text. */
uint32_t token_index_first(const TokenIndex *index, Str text);
#define EACH_TOKEN_LIKE(i, index, text)                                                            \
    for (uint32_t i = token_index_first(index, text); i != UINT32_MAX; i = (index)->next[i])

/* Finders that ask the grammar about every use of a name leave larger programs to the sweeps. */
enum { SETS_HUGE = 20000 };

/* Finds sets in a fresh document. */
typedef void (*FindSets)(const Target *target, const Shapes *shapes, EditSets *out);

/* Sorts the edits, drops duplicates and dead tokens, and adds the set if it changes anything. */
void sets_add(const Target *target, EditSets *out, DocEdits *edits);
/* Puts them into the order in which they are tried; for a large program keeps only the best. */
void sets_order(EditSets *sets, const Doc *doc);
/* All tokens of a node; or all but those of a node inside it. */
void sets_drop_node(const Doc *doc, uint32_t node, DocEdits *edits);
void sets_keep_only(const Doc *doc, uint32_t node, uint32_t inside, DocEdits *edits);
/* What can be removed with a node: itself, or itself with a separator; climbs until there is
 * something. False: nothing around it can be removed. */
bool sets_drop_around(const Doc *doc, const Shapes *shapes, uint32_t node, DocEdits *edits);

/* Tries all; returns the steps taken. Documents are refreshed. */
size_t sets_try(Reducer *r, int side, bool paired, FindSets find);

#endif

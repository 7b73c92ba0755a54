/* Which changes hold which words: made once, asked thousands of times.
 *
 * A compiler's message names something, and each change may have to do with it. Reading the texts
 * of all changes again for every name of every message costs more than the parser that made the
 * message, once there are a thousand changes.
 *
 *     WordIndex *words = words_new(set);  WordUses uses = words_find(words, name);  words_free(..)
 */
#ifndef CULPRIT_CHANGE_WORDINDEX_H
#define CULPRIT_CHANGE_WORDINDEX_H

#include "change/change.h"

/* One change that holds a word. */
typedef struct WordUse {
    size_t change;
    unsigned was, now;    /* how often it is a token of the good text, and of the bad one */
    bool in_good, in_bad; /* it is a word there, in a comment or a string perhaps */
} WordUse;

typedef struct WordUses {
    const WordUse *at; /* in the order of changes; the index's */
    size_t len;
} WordUses;

typedef struct WordIndex WordIndex;

WordIndex *words_new(const ChangeSet *set);
void words_free(WordIndex *index);
WordUses words_find(const WordIndex *index, Str word);
/* The use of one change among them; NULL: it does not hold the word. */
const WordUse *words_use(WordUses uses, size_t change);

#endif

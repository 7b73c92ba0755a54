/* The items of a C or C++ program: what stands at the top of it, or inside of namespaces and of
 * `extern "C"`; the words that each introduces, and which items need which.
 *
 * Read off the tree alone: a word is introduced by an item where it is the name of what the item
 * declares or defines; an item needs all items that introduce a word it mentions. */
#ifndef CULPRIT_REDUCE_BULK_CXX_ITEMS_H
#define CULPRIT_REDUCE_BULK_CXX_ITEMS_H

#include "reduce/doc.h"

typedef struct CxxItem {
    uint32_t token, token_end;
    uint32_t head, head_end; /* tokens of its parameters, or of what it is a specialisation for */
    uint32_t shell;          /* the item it stands in + 1; 0: at the top */
    uint32_t name;           /* the first word it introduces: its token + 1; 0: none */
    bool is_shell;           /* a namespace: holds items; the first one of a name is needed with
                              * the others, since it may say that it is inline */
    bool fixed;              /* a directive and the like: nobody knows who needs it */
} CxxItem;

typedef struct CxxIntro {
    uint32_t item, earlier; /* earlier: of the same word + 1 */
} CxxIntro;

typedef struct CxxItems {
    const Doc *doc;
    VEC(CxxItem) list; /* in the order of the text; a shell before what is in it */
    uint32_t *of;      /* token -> item + 1 */
    VEC(CxxIntro) intros;
    Map by_word;        /* word -> its last introduction + 1 */
    uint8_t *needed;    /* item by item */
    uint8_t *waits;     /* item by item: mentioned, but its own types are not needed */
    VEC(uint32_t) todo; /* needed items whose words were not looked at yet */
} CxxItems;

/* For a fresh document with a tree. */
void cxx_items_init(CxxItems *items, const Doc *doc);
void cxx_items_release(CxxItems *items);
/* The item is needed, and so is what it needs, .. */
void cxx_items_need(CxxItems *items, uint32_t item);
/* .. once this has been called. */
void cxx_items_settle(CxxItems *items);
/* The text of an item as of the last refresh. */
Str cxx_items_text(const CxxItems *items, uint32_t item);

#endif

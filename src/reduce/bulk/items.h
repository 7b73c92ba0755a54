/* Top-level items of a pair, in bulk: an item of one side and the item of the other that has most
 * of its tokens are removed together, whole, each side with everything that uses what is gone there
 * (uses.h). Where much differs between the two, a token's partner may be in another item: deletions
 * token by token would tear that one apart, while whole items stay whole. */
#ifndef CULPRIT_REDUCE_BULK_ITEMS_H
#define CULPRIT_REDUCE_BULK_ITEMS_H

#include "reduce/target.h"

/* Returns the steps taken; the documents are fresh afterwards. */
size_t reduce_items(Reducer *r);

#endif

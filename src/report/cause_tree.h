/* The tree of causes as a drawing, from the failure at the top to the changes at the bottom. */
#ifndef CULPRIT_REPORT_CAUSE_TREE_H
#define CULPRIT_REPORT_CAUSE_TREE_H

#include "base/base.h"
#include "base/json.h"

/* tree: the "tree" of explanations (store.h). Appends an <svg>, or nothing when there is no node.
 */
void cause_tree(Buf *out, const json_t *tree);
/* The same as nested text, for those who do not see the drawing. */
void cause_list(Buf *out, const json_t *tree);

#endif

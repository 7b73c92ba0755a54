/* A text that is too large for its grammar, read by its brackets: root, items, the blocks in them,
 * the items in those; tokens are pieces of text. For languages with braces that is all the first
 * cuts need: any set of items can be removed without leaving a bracket open. What remains is soon
 * small enough for the grammar (tree.c). Linear, and works for any text. */
#ifndef CULPRIT_TREE_BRACKETS_H
#define CULPRIT_TREE_BRACKETS_H

#include "tree/tree.h"

/* Fills a tree that has only its text; tokens have at most `piece` bytes (more, where the text is
 * so large that even such would be too many). */
void brackets_walk(Tree *tree, size_t piece);

#endif

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

/* ---- what a text looks like in a language with braces ---- */
/* The end of the string, character or comment that begins at `at`; `at`: none does. */
size_t brackets_skip(Str text, size_t at);
/* Whether the item continues at `at`, after a closing brace: `} x;`, `};`, `})`, `} while`. */
bool brackets_go_on(Str text, size_t at);

#endif

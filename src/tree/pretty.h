/* A program laid out for people: what is left of a reduced program is still laid out as it was
 * among everything that is gone.
 *
 * Only white space changes. In C, C++ and Rust a statement gets a line of its own, indented by its
 * blocks; a preprocessor directive keeps its line. Elsewhere lines may mean something: they lose
 * their common indentation, and empty ones go. */
#ifndef CULPRIT_TREE_PRETTY_H
#define CULPRIT_TREE_PRETTY_H

#include "tree/tree.h"

/* Appends the text of the tree, laid out. */
void pretty_text(const Tree *tree, Buf *out);

#endif

/* Tree difference: which node of one tree is which node of the other (GumTree: Falleri et al.,
 * Fine-grained and accurate source code differencing, 2014), and from that an alignment of tokens
 * that never crosses, so that any part of the difference can be taken or left.
 *
 * Differences are given as hunks of tokens at three grains: whole hunks, hunks cut along subtrees,
 * and (diff_split) single tokens. render_patch applies any subset of them. */
#ifndef CULPRIT_TREE_GUMTREE_H
#define CULPRIT_TREE_GUMTREE_H

#include "shrink/diff.h"
#include "tree/tree.h"

#define TREE_UNMATCHED UINT32_MAX

typedef struct TreeMatch {
    uint32_t *to_b; /* node of a -> node of b, or TREE_UNMATCHED */
    uint32_t *to_a; /* the other way */
} TreeMatch;

void tree_match(const Tree *a, const Tree *b,
                TreeMatch *match); /* release with tree_match_release */
void tree_match_release(TreeMatch *match);

/* Hunks of tokens of a -> b along the tree difference. */
void tree_diff(const Tree *a, const Tree *b, DiffHunks *out);
/* The shortest ones (Myers), without looking at the trees. */
void tree_diff_tokens(const Tree *a, const Tree *b, DiffHunks *out);
/* Cuts each hunk along the largest subtrees inside it: deletions of a's subtrees, insertions of
 * b's; one subtree against one stays a replacement. */
void tree_diff_cut(const Tree *a, const Tree *b, const DiffHunks *hunks, DiffHunks *out);

#endif

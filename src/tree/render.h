/* Text from tokens: some tokens of a tree (or of two trees) written out again.
 *
 * A token brings the white space that stood before it. Where its neighbour is gone, tokens that
 * would stick together get a space, a line keeps its beginning (indentation, a newline before it),
 * and a preprocessor directive keeps its line to itself. Rendering all tokens of a tree gives back
 * its text exactly. */
#ifndef CULPRIT_TREE_RENDER_H
#define CULPRIT_TREE_RENDER_H

#include "shrink/diff.h"
#include "tree/tree.h"

typedef struct Render {
    Buf *out;
    const Tree *tree; /* of the last token written; NULL: none yet */
    size_t last;      /* that token */
    const Tree *twin; /* when that token stands for one of another tree as well: that tree */
    size_t twin_last; /* and its token there */
} Render;

/* Appends the token (or other text in its place when text.at is not NULL). */
void render_token(Render *render, const Tree *tree, size_t token, Str text);
/* Appends what follows the last token of the tree: white space. */
void render_end(Render *render, const Tree *tree);
/* All tokens whose byte in keep is not 0 (NULL: all). */
void render_kept(const Tree *tree, const uint8_t *keep, Buf *out);
/* The tokens of a with the hunks (of tokens, in order) whose byte in use is not 0 applied (NULL:
 * all); what both have comes in b's form. With all hunks of a -> b the result is b's text. */
void render_patch(const Tree *a, const Tree *b, const DiffHunks *hunks, const uint8_t *use,
                  Buf *out);
Str render_space_before(const Tree *tree, size_t token);

#endif

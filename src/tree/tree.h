/* A program as a compact tree of our own: nodes in preorder, tokens with byte ranges.
 *
 * Every byte that is not white space belongs to exactly one token; the text is the tokens with the
 * white space between them. Tokens are the leaves of tree-sitter's tree, plus what no leaf covers
 * (hidden tokens, text skipped by error recovery), cut into words and signs. Without a language (or
 * where the parser gives up: too slow, mostly errors) the tree is made of lines: root, lines,
 * words. What is too large for a grammar is parsed in chunks (chunks.h); what is larger still is
 * read by its brackets (brackets.h).
 *
 * A Parser keeps the text that was last accepted and judges candidates by parsing only what they
 * change. Nothing here recurses over the depth of a tree. */
#ifndef CULPRIT_TREE_TREE_H
#define CULPRIT_TREE_TREE_H

#include "base/base.h"
#include "tree/lang.h"

enum {
    NODE_NAMED = 1,
    NODE_ERROR = 2,   /* an ERROR node */
    NODE_MISSING = 4, /* a token the parser made up: no text */
    NODE_EXTRA = 8,   /* a comment, say: may stand anywhere */
};

typedef struct TreeNode {
    uint32_t start, end; /* bytes of the text */
    uint32_t parent;     /* index; the root (0) is its own */
    uint32_t size; /* nodes in its subtree, itself included: the next sibling is at i + size */
    uint32_t token, token_end; /* tokens below it: [token, token_end) */
    uint16_t kind;             /* of the language; in a tree of lines TREE_KIND_* */
    uint16_t field;            /* its role in the parent as tree-sitter numbers it; 0: none */
    uint16_t flags;            /* NODE_* */
} TreeNode;

enum { TREE_KIND_TEXT, TREE_KIND_LINE, TREE_KIND_WORD };

typedef struct TreeToken {
    uint32_t start, end; /* bytes */
    uint32_t node;       /* its leaf, or the innermost node around a token that is no leaf */
} TreeToken;

typedef struct Tree {
    const Lang *lang;      /* NULL: a tree of lines */
    Str text;              /* not owned: must outlive the tree */
    VEC(TreeNode) nodes;   /* preorder; at least the root */
    VEC(TreeToken) tokens; /* in order of text */
    size_t errors;         /* ERROR and MISSING nodes */
} Tree;

/* A replacement of bytes [start, end) of the old text by `len` bytes of the new one. */
typedef struct TreeEdit {
    uint32_t start, end;
    uint32_t len;
} TreeEdit;

typedef struct Parser Parser;
Parser *parser_new(const Lang *lang); /* lang may be NULL */
void parser_free(Parser *parser);
/* Takes text (copied) as the accepted one, parsing it whole; false: too large or too slow for the
 * grammar, so from now on it is read as lines. */
bool parser_set(Parser *parser, Str text);
/* Errors that `text`, made from the accepted one by these edits (in order, not overlapping), would
 * have. Nothing is kept. limit: stop counting there. */
size_t parser_errors(Parser *parser, Str text, const TreeEdit *edits, size_t n, size_t limit);
/* Takes it as the accepted one. */
void parser_accept(Parser *parser, Str text, const TreeEdit *edits, size_t n);
bool parser_by_grammar(const Parser *parser);   /* the accepted text is parsed, not cut up */
size_t parser_own_errors(const Parser *parser); /* of the accepted text */
Str parser_text(const Parser *parser);          /* valid until the next set, accept or free */
/* The accepted text as a tree; tree->text is the parser's. The caller releases it. */
void parser_tree(const Parser *parser, Tree *tree);
double parser_seconds(const Parser *parser); /* spent parsing so far */

/* Parses text once, without a Parser to keep. */
void tree_parse(const Lang *lang, Str text, Tree *tree);
void tree_release(Tree *tree);

Str tree_token_text(const Tree *tree, size_t token);
Str tree_node_text(const Tree *tree, size_t node);
/* First child of node, or 0 when it has none; walk on with tree_next_child. */
static inline uint32_t tree_first_child(const Tree *t, uint32_t node) {
    return t->nodes.at[node].size > 1 ? node + 1 : 0;
}
/* The sibling after child below parent, or 0. */
static inline uint32_t tree_next_child(const Tree *t, uint32_t parent, uint32_t child) {
    uint32_t next = child + t->nodes.at[child].size;
    return next < parent + t->nodes.at[parent].size ? next : 0;
}
/* Lists nodes and tokens, a line each: what --dump=tree prints. */
void tree_dump(const Tree *tree, FILE *out);

#endif

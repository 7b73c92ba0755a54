/* A program while it is reduced: the accepted text, its tree as of the last refresh, and which of
 * that tree's tokens are still there. Candidates are made by removing tokens or writing other text
 * in their place; they carry the edits that incremental parsing needs. */
#ifndef CULPRIT_REDUCE_DOC_H
#define CULPRIT_REDUCE_DOC_H

#include "tree/render.h"
#include "tree/tree.h"

typedef struct DocEdit {
    uint32_t token;
    Str text; /* in its place; .at NULL: the token is removed */
    Str twin; /* the same in place of the other side's token, where that is not text (target.c) */
} DocEdit;
typedef VEC(DocEdit) DocEdits;

typedef struct Doc {
    const Lang *lang;
    Parser *parser; /* holds the accepted text */
    Tree tree;      /* of `base` */
    Buf base;       /* the text at the last refresh */
    uint8_t *alive; /* token by token */
    Str *other;     /* other text in place of a token; .at NULL: its own */
    uint32_t *at;   /* where each living token begins and ends in the accepted text */
    uint32_t *end;
    uint32_t *before;       /* living tokens before each token, and before the end */
    size_t count;           /* living tokens */
    Arena texts;            /* holds `other` */
    uint64_t version;       /* grows with each accepted change */
    struct Model *model;    /* the C front end's view (model.h), made on demand */
    uint64_t model_version; /* of which text */
} Doc;

void doc_init(Doc *doc, const Lang *lang, Str text);
void doc_release(Doc *doc);
/* Takes the accepted text as the new base: a new tree, all its tokens alive. */
void doc_refresh(Doc *doc);
/* Takes any text as the accepted one, and refreshes. */
void doc_load(Doc *doc, Str text);
Str doc_text(const Doc *doc);
/* Living tokens below a node. */
size_t doc_alive(const Doc *doc, uint32_t node);
/* By the name that the grammar gives the node. */
bool doc_is_kind(const Doc *doc, uint32_t node, const char *kind);
/* The first child of a kind, or in a role, as the grammar names them; 0: none. */
uint32_t doc_child(const Doc *doc, uint32_t node, const char *kind);
uint32_t doc_child_as(const Doc *doc, uint32_t node, const char *role);

/* One side of a candidate: the text and how it came about. Memory in the candidate's arena. */
typedef struct DocChange {
    bool touched;   /* false: this side stays as it is */
    Str text;       /* the whole program */
    DocEdit *edits; /* tokens that are removed or changed, in order; NULL with whole */
    size_t n_edits;
    bool whole;      /* the text was not made from the tokens: accepting reloads the document */
    TreeEdit *bytes; /* the same as bytes of the accepted text */
    size_t n_bytes;
} DocChange;

/* Fills change from edits (sorted by token; tokens that are no longer alive are ignored). */
void doc_change(const Doc *doc, Arena *arena, const DocEdit *edits, size_t n, DocChange *change);
/* A change to any other text. */
void doc_replace(const Doc *doc, Arena *arena, Str text, DocChange *change);
/* Whether the parser finds the change worse than the accepted text. */
bool doc_worse(Doc *doc, const DocChange *change);
void doc_accept(Doc *doc, const DocChange *change);

#endif

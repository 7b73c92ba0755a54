/* A variant as the seed's text plus parts, each anchored in the text it was inserted into.
 *
 * A snippet has one or more parts: an insertion before some byte (the opening half of a guard), an
 * insertion after some byte (its closing half), or a deletion. Each part is anchored in the seed's
 * text or in another part's text, never in a rendered text: so any set of snippets can be rendered
 * again. A snippet with a part anchored in another snippet's text needs that snippet.
 *
 * Invariants:
 * 1. Of parts before the same byte, older ones come first: newer ones are closer to the byte.
 * 2. Of parts after the same byte, newer rounds come first; within a round the inner one (the one
 *    whose statement begins later) comes first. So halves of guards nest.
 * 3. Both ends of a deletion are anchored in the same text. */
#ifndef CULPRIT_VARIANT_PIECES_H
#define CULPRIT_VARIANT_PIECES_H

#include "base/base.h"

enum { PIECE_SEED = -1 }; /* as a part number: the seed's own text */

typedef enum PieceKind { PIECE_BEFORE, PIECE_BEHIND, PIECE_DELETE } PieceKind;

typedef struct Piece {
    unsigned snippet; /* it belongs to */
    unsigned round;   /* of the snippet */
    PieceKind kind;
    Str text;    /* inserted; for PIECE_DELETE: what replaces it */
    int anchor;  /* part whose text it is in, or PIECE_SEED */
    uint32_t at; /* BEFORE: byte it precedes; BEHIND: end of the byte it follows; DELETE: start */
    uint32_t to; /* DELETE: end */
    uint32_t
        start;  /* where its statement begins in the text it was made for: order of invariant 2 */
    bool aside; /* it is elsewhere (before the function): not part of the snippet's span */
} Piece;

/* Which bytes of a rendered text come from where. */
typedef struct Segment {
    uint32_t from; /* in the rendered text; the next segment's from ends it */
    int anchor;    /* part or PIECE_SEED */
    uint32_t at;   /* offset in that text */
} Segment;

typedef struct Span {
    uint32_t from, to; /* of a snippet in the rendered text; to == 0: not there */
} Span;

typedef struct Pieces {
    Str seed;
    VEC(Piece) list;
} Pieces;

typedef struct Rendered {
    Buf text;
    VEC(Segment) segments; /* filled when asked for */
    VEC(Span) spans;       /* by snippet number, likewise */
} Rendered;

/* Renders the snippets i < snippets with keep[i] (keep NULL: all); those that need one that is left
 * out are left out as well. */
void pieces_render(const Pieces *pieces, unsigned snippets, const bool *keep, Rendered *out);
void rendered_release(Rendered *r);
/* Where byte `offset` of the rendered text comes from. */
Segment rendered_origin(const Rendered *r, uint32_t offset);
/* Whether all bytes from..to are the seed's own: no snippet is there. */
bool rendered_is_seed(const Rendered *r, uint32_t from, uint32_t to);
/* Snippet that owns the byte, or -1 for the seed's. */
int pieces_owner(const Pieces *pieces, const Rendered *r, uint32_t offset);

/* Adding parts for snippet, at places given in the text of r. */
void pieces_before(Pieces *p, const Rendered *r, unsigned snippet, unsigned round, uint32_t offset,
                   Str text);
void pieces_aside(Pieces *p, const Rendered *r, unsigned snippet, unsigned round, uint32_t offset,
                  Str text); /* before, and aside */
void pieces_around(Pieces *p, const Rendered *r, unsigned snippet, unsigned round, uint32_t from,
                   uint32_t to, Str open, Str close);
/* False (nothing added) when the two ends are not in the same text. */
bool pieces_delete(Pieces *p, const Rendered *r, unsigned snippet, unsigned round, uint32_t from,
                   uint32_t to, Str instead);
/* Snippets that `snippet` is directly inside; appends to out. */
typedef VEC(unsigned) SnippetVec;
void pieces_needs(const Pieces *p, unsigned snippet, SnippetVec *out);

#endif

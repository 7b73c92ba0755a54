/* Top-level pieces of a C file, without parsing it: functions, types, initialised and other
 * declarations, macros; and the names each of them declares. Good enough to say which names a
 * changed declaration is about. */
#ifndef CULPRIT_EXPLAIN_DECLARE_H
#define CULPRIT_EXPLAIN_DECLARE_H

#include "base/base.h"

typedef enum PieceKind {
    PIECE_FUNCTION, /* a definition with its body */
    PIECE_TYPE,     /* struct, union, enum, typedef */
    PIECE_VALUE,    /* a variable with an initialiser */
    PIECE_OTHER,    /* prototypes, variables without initialiser */
    PIECE_MACRO,    /* #define */
} PieceKind;

typedef struct Piece {
    PieceKind kind;
    size_t from, to; /* lines, counted from 0; to is behind the last */
} Piece;
typedef VEC(Piece) PieceVec;

/* The pieces of a file, in order; what is between them is blank. */
void declare_pieces(const StrVec *lines, PieceVec *pieces);
/* Names a piece declares: a macro's name, members, enumerators and tags of a type, a variable. */
void declare_names(const StrVec *lines, const Piece *piece, StrVec *names);
/* Names that text assigns: left of =, +=, ++ and the like. */
void declare_assigned(Str text, StrVec *names);

#endif

/* Top-level pieces of a C file, without parsing it: functions, types, initialised and other
 * declarations, macros; and the names each of them declares. Good enough to say which names a
 * changed declaration is about. */
#ifndef CULPRIT_CHANGE_DECLARE_H
#define CULPRIT_CHANGE_DECLARE_H

#include "base/base.h"

typedef enum DeclPieceKind {
    PIECE_FUNCTION, /* a definition with its body */
    PIECE_TYPE,     /* struct, union, enum, typedef */
    PIECE_VALUE,    /* a variable with an initialiser */
    PIECE_OTHER,    /* prototypes, variables without initialiser */
    PIECE_MACRO,    /* #define */
} DeclPieceKind;

typedef struct DeclPiece {
    DeclPieceKind kind;
    size_t from, to; /* lines, counted from 0; to is after the last */
} DeclPiece;
typedef VEC(DeclPiece) PieceVec;

/* The pieces of a file, in order; what is between them is blank. */
void declare_pieces(const StrVec *lines, PieceVec *pieces);
/* Names a piece declares: a macro's name, members, enumerators and tags of a type, a variable. */
void declare_names(const StrVec *lines, const DeclPiece *piece, StrVec *names);
/* Names that text assigns: left of =, +=, ++ and the like. */
void declare_assigned(Str text, StrVec *names);

#endif

/* Private to graft*.c: names in a tree, pieces, and the program that is changed. */
#ifndef CULPRIT_PERTURB_GRAFT_IMPL_H
#define CULPRIT_PERTURB_GRAFT_IMPL_H

#include "perturb/graft.h"
#include "tree/tree.h"

/* How a name is used, and what a declared one is good for. */
typedef enum GraftClass {
    GRAFT_SCALAR,  /* a plain value */
    GRAFT_POINTER, /* followed or subscripted */
    GRAFT_RECORD,  /* has members */
    GRAFT_CALL,    /* called */
    GRAFT_TYPE,    /* a type's name */
    GRAFT_LABEL,
    GRAFT_CLASSES
} GraftClass;

typedef struct GraftName {
    Str name;
    GraftClass class;
    uint32_t arity;    /* of what is called */
    uint32_t from, to; /* the bytes where it may be used */
} GraftName;
typedef VEC(GraftName) GraftNames;

typedef struct GraftHole {
    uint32_t start, end; /* in the piece's text */
    GraftClass class;
    uint32_t arity; /* arguments, of a called one */
    uint32_t same;  /* the first hole of the same name */
} GraftHole;

typedef struct GraftPiece {
    Str text;
    GraftHole *holes;
    uint32_t n;
} GraftPiece;
typedef VEC(GraftPiece) GraftPieces;

/* What a node of a kind is, as far as grafting cares. */
enum {
    GN_EXPRESSION = 1 << 0, /* a value, or may be one */
    GN_STATEMENT = 1 << 1,
    GN_DECLARATOR = 1 << 2,
    GN_LOOP = 1 << 3,
    GN_BREAKS = 1 << 4, /* loops and switch: a break belongs to them */
    GN_TYPE = 1 << 5,   /* a type's own words */
    GN_NEVER = 1 << 6,  /* nothing that contains it is a piece: directives, assembly */
};

typedef struct GraftKinds {
    const Lang *lang;
    uint8_t *is; /* GN_*, by kind */
    unsigned identifier, type_identifier, statement_identifier, number, call, subscript, follow,
        member, block, declaration, parameter, parameters, function, function_declarator,
        pointer_declarator, array_declarator, init, type_definition, structure, union_, labeled,
        go_to, break_, continue_, case_, unit, for_, arguments, assignment, update, cast,
        descriptor, field_declaration, binary, enumeration, expression_statement, return_,
        parenthesized, initializers;
    unsigned f_declarator, f_type, f_function, f_argument, f_value, f_left, f_body, f_operator,
        f_name, f_condition;
} GraftKinds;

struct Grafts {
    Arena arena;
    GraftKinds kinds;
    GraftPieces expressions, statements;
    Map seen; /* pieces by their text with numbered holes */
};

/* A program under change. */
typedef struct GraftHost {
    const Grafts *pool;
    Tree tree;
    GraftNames names;
    Rng *rng;
    Buf *out; /* the mutant */
} GraftHost;

bool graft_kinds_init(GraftKinds *kinds, Arena *arena, Error *err);

/* ---- graft_names.c ---- */
/* What is declared at or below root. */
void graft_names(const GraftKinds *k, const Tree *tree, uint32_t root, GraftNames *out);
/* Is this node a value that is used (not declared, not a label, no type)? */
bool graft_is_use(const GraftKinds *k, const Tree *tree, uint32_t node);
/* How the value of this node is used by what surrounds it. */
GraftClass graft_use(const GraftKinds *k, const Tree *tree, uint32_t node, uint32_t *arity);
uint32_t graft_children(const Tree *tree, uint32_t node, uint32_t named);
uint32_t graft_child_by_field(const Tree *tree, uint32_t node, unsigned field);

/* ---- graft_piece.c ---- */
/* The node as a piece; false: it cannot be used anywhere else. */
bool graft_piece_make(const GraftKinds *k, Arena *arena, const Tree *tree, uint32_t node,
                      GraftPiece *out);
/* The piece with its holes filled for this place; false: something it needs is not there. */
bool graft_piece_fill(const GraftHost *host, const GraftPiece *piece, uint32_t at, Buf *out);
/* A name of a class visible at a byte; NULL: none. */
const GraftName *graft_pick(const GraftHost *host, GraftClass class, uint32_t arity, uint32_t at);

/* ---- graft_rules.c ---- */
typedef struct GraftRule {
    const char *name;
    double weight;
    bool (*apply)(GraftHost *host); /* the mutant into host->out */
} GraftRule;
extern const GraftRule graft_rules[];
extern const size_t graft_rules_len;

#endif

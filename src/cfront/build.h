/* Building the model: private to the room. One Build lives through one cfront_parse; the parts are
 *   parse.c       libclang: from text to a translation unit, on a stack of its own
 *   build.c       cursors, ranges, macros; the top level
 *   build_type.c  types and records
 *   build_decl.c  names, groups of declarations, specifier tokens
 *   build_stmt.c  statements, their slots and exact ends
 *   build_expr.c  expressions
 *   facts.c       what follows from the tree: uses, oracles, what a statement contains
 *   assigned.c    definite assignment */
#ifndef CULPRIT_CFRONT_BUILD_H
#define CULPRIT_CFRONT_BUILD_H

#include "cfront/cfront.h"
#include "cfront/lex.h"

#include <clang-c/Index.h>

enum {
    BUILD_MOST_DEPTH =
        10000, /* nested nodes: deeper text is refused, because users of the model recurse */
    BUILD_MOST_BRACKETS = 2000, /* open brackets: more is refused before clang sees it */
    BUILD_MOST_STRETCH = 20000, /* tokens on the way into an expression, a statement */
    BUILD_MOST_COMMAS = 10000,  /* at one level, the braces of lists aside */
    BUILD_MOST_SAME = 1000,     /* the same operator or bracket in a row */
    BUILD_MOST_ELSE = 10000,    /* else tokens of one function: they may all be one chain */
    BUILD_MOST_GROUPS = 30000,  /* declarations: macros can make millions, libclang takes minutes */
    BUILD_MOST_WEIGHT = 100000, /* of a type: it is spelled out, and users of the model recurse */
    BUILD_MOST_SPELLED = 64 << 20, /* bytes of the spellings of all types */
    BUILD_MOST_TEXT = 64 << 20,    /* bytes of text */
};

typedef VEC(CExpr *) CExprVec;
typedef VEC(CStmt *) CStmtVec;

typedef struct Build {
    Arena *arena; /* of the model */
    CUnit *unit;
    Str text; /* unit->text */
    CXTranslationUnit tu;
    Map types;          /* CXType.data[0] -> CType */
    Map decls;          /* Decl pointer -> CDecl */
    Map records;        /* Decl pointer of the definition, or canonical -> CRecord */
    Map fields;         /* Decl pointer -> CField */
    Map tags;           /* Decl pointers of the structs, unions, enums that were read */
    VEC(CXCursor) kids; /* stack of children being worked on */
    VEC(CRange) macros; /* macro expansions in the text, sorted */
    VEC(CFunction *) all_functions;
    VEC(CDecl *) all_globals;
    VEC(CDecl *) all_decls;
    VEC(const CDeclGroup *) all_groups;
    VEC(CRecord *) all_records;
    CStmtVec all_stmts;
    CExprVec all_exprs;
    VEC(CType *) all_types;
    VEC(CDecl *) scope_decls; /* names of the open scopes, innermost last */
    VEC(CDecl *) locals;      /* of the current function */
    CFunction *function;      /* current, or NULL */
    CScope *scope;            /* current, or NULL: file scope */
    CStmt *stmt;              /* current */
    CStmt *breakable;         /* innermost loop or switch */
    CStmt *loop;              /* innermost loop */
    CStmt *choice;            /* innermost switch */
    CDecl *in_decl;           /* whose initialiser is being read */
    uint32_t expr_flags;  /* CF_UNEVALUATED, CF_NEEDS_CONSTANT: flags the context adds to each */
    uint64_t spelled;     /* bytes of all types' spellings */
    bool includes_inside; /* some #include is inside braces */
    bool failed;          /* err is filled; unwind */
    bool uncertain;       /* the current function has parts we cannot place: nothing is certain */
    unsigned depth;       /* recursion */
    Error *err;
} Build;

/* ---- build.c ---- */
typedef struct Kids {
    size_t from; /* into Build.kids */
    size_t n;
} Kids;
Kids build_kids(Build *b, CXCursor cursor); /* released by build_drop in stack order */
void build_drop(Build *b, Kids kids);
static inline CXCursor build_kid(const Build *b, Kids kids, size_t i) {
    return b->kids.at[kids.from + i];
}
CRange build_range(Build *b, CXCursor cursor);
uint32_t build_offset(CXSourceLocation where);
bool build_is_macro(const Build *b, CRange r);  /* begins or ends in a macro expansion */
bool build_has_macro(const Build *b, CRange r); /* some expansion inside or around */
bool build_in_text(CXCursor cursor);            /* is in the main text, not in a header */
/* The same for parts of functions, which matters only where text is included inside functions. */
bool build_is_ours(const Build *b, CXCursor cursor);
bool build_enter(Build *b); /* one level deeper; false: too deep, failed is set */
static inline void build_leave(Build *b) {
    b->depth--;
}
Str build_name(Build *b, CXCursor cursor);
void build_unit(Build *b);

/* ---- build_type.c ---- */
const CType *build_type(Build *b, CXType type);
CRecord *build_record(Build *b, CXCursor decl);
const CField *build_field(Build *b, CXCursor field);
void build_settle_records(Build *b); /* has_const and is_packed, once all fields are known */

/* ---- build_decl.c ---- */
CDecl *build_decl_of(Build *b, CXCursor decl); /* made on demand: headers, builtins */
/* Cursors [i, n) of kids that make one declaration: reads it, returns how many cursors it took.
 * end: where the group ends (with its ';'), 0: to be found. */
size_t build_declaration(Build *b, Kids kids, size_t i, CStmt *stmt);
/* struct, union, enum: reads its names into the current scope. Other cursors are skipped. */
void build_tag(Build *b, CXCursor cursor);
void build_function(Build *b, CXCursor cursor, CDecl *decl);
CScope *build_scope_open(Build *b, CStmt *stmt, CRange range);
void build_scope_close(Build *b, CScope *scope);

/* ---- build_stmt.c ---- */
CStmt *build_stmt(Build *b, CXCursor cursor, CSlot slot, CStmt *parent);
void build_resolve_gotos(Build *b, CFunction *f);

/* ---- build_expr.c ---- */
CExpr *build_expr(Build *b, CXCursor cursor, CExpr *parent);
/* The expressions among the children of a declaration or type: array sizes, bit widths, typeof. */
void build_type_exprs(Build *b, Kids kids, size_t from, size_t to);
/* One of them, marked evaluated or not as C has it: sizes of variable length arrays are, constant
 * sizes and operands of typeof are not. from: where the type, or what contains it, begins. */
CExpr *build_type_expr(Build *b, CXCursor cursor, uint32_t from, CExpr *parent);

/* ---- facts.c, assigned.c: over the finished tree ---- */
void build_facts(Build *b);
void build_assigned(Build *b);

#define BUILD_ARRAY(b, vec, type)                                                                  \
    ((type *)arena_copy((b)->arena, (vec)->at ? (const void *)(vec)->at : "",                      \
                        (vec)->len * sizeof(type)))

#endif

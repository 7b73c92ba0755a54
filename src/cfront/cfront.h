/* A C program as a compact model of our own.
 *
 * cfront_parse reads one C file from memory through libclang 19, copies what the stages need into
 * an arena and disposes libclang's own memory before it returns. The text should be preprocessed by
 * `clang-19 -E -P -fkeep-system-includes` (system headers stay `#include <..>` lines); raw text
 * works too: what a macro expanded is marked CF_MACRO and must not be edited. Everything in the
 * model is in the main text itself; what headers declare is there only as CDecls flagged CD_SYSTEM,
 * and only those that the text refers to. Text that gcc -E copied from system headers (line markers
 * with flag 3) counts as header.
 *
 * Positions are byte offsets into CUnit.text. All arrays are in source order. Nothing is ever
 * changed after cfront_parse: a CUnit may be shared freely. Edits are collected in a CEdits
 * (edit.h) and applied to the text at once.
 *
 * Read next: edit.h (text edits), cfg.h (basic blocks), lex.h (tokens of a range). */
#ifndef CULPRIT_CFRONT_CFRONT_H
#define CULPRIT_CFRONT_CFRONT_H

#include "base/base.h"

typedef struct CType CType;
typedef struct CRecord CRecord;
typedef struct CField CField;
typedef struct CDecl CDecl;
typedef struct CDeclGroup CDeclGroup;
typedef struct CScope CScope;
typedef struct CStmt CStmt;
typedef struct CExpr CExpr;
typedef struct CFunction CFunction;
typedef struct CUnit CUnit;

/* Bytes [from, to) of the text. from == to: nothing. */
typedef struct CRange {
    uint32_t from, to;
} CRange;

/* ---- types: one CType per distinct type (typedefs resolved, qualifiers kept), so that pointer
 * equality is type identity within a unit ---- */
typedef enum CTypeKind {
    CT_VOID,
    CT_BOOL,
    CT_INT,      /* char to long long, and __int128: int_kind, width, is_signed */
    CT_ENUM,     /* int_kind, width, is_signed of the compatible integer type */
    CT_FLOAT,    /* real floating type: width */
    CT_COMPLEX,  /* elem is the real type */
    CT_POINTER,  /* elem */
    CT_ARRAY,    /* elem, count */
    CT_OPEN,     /* array of unknown size ([] or flexible): elem */
    CT_VLA,      /* variable length array: elem */
    CT_RECORD,   /* struct or union: record */
    CT_FUNCTION, /* elem is what it returns; params, n_params, is_variadic, no_prototype */
    CT_VECTOR,   /* elem, count */
    CT_OTHER,    /* blocks, _BitInt and other things we leave alone */
} CTypeKind;

typedef enum CIntKind {
    CI_NONE,
    CI_BOOL,
    CI_CHAR, /* plain char */
    CI_SCHAR,
    CI_UCHAR,
    CI_SHORT,
    CI_USHORT,
    CI_INT,
    CI_UINT,
    CI_LONG,
    CI_ULONG,
    CI_LLONG,
    CI_ULLONG,
    CI_INT128,
    CI_UINT128,
} CIntKind;

enum { CQ_CONST = 1, CQ_VOLATILE = 2, CQ_RESTRICT = 4, CQ_ATOMIC = 8 };

struct CType {
    CTypeKind kind;
    CIntKind int_kind; /* CT_BOOL, CT_INT, CT_ENUM */
    uint8_t quals;     /* CQ_* at the top level */
    bool is_signed;    /* integers */
    bool is_complete;  /* size known */
    bool is_variadic;  /* CT_FUNCTION */
    bool no_prototype; /* CT_FUNCTION: () or K&R */
    uint16_t width;    /* value bits with sign: integers and floats; _Bool has 1 */
    uint64_t size;     /* bytes; 0 where incomplete or variable */
    uint32_t align;    /* bytes */
    uint64_t count;    /* CT_ARRAY, CT_VECTOR: elements */
    const CType *elem; /* pointee, element, result */
    const CType *bare; /* the same type without top-level qualifiers; itself if it has none */
    const CType *const *params; /* CT_FUNCTION with prototype */
    uint32_t n_params;
    uint32_t weight;       /* how many types it is written with, itself included */
    const CRecord *record; /* CT_RECORD */
    Str tag;               /* CT_ENUM: its tag, empty if it has none */
    const CDecl *alias;    /* first typedef that names exactly this type, if it has no other name */
    Str spelling;          /* canonical spelling by clang; see cfront_declare for use in text */
    bool nameable;         /* can be written: no unnamed struct, union, enum anywhere in it */
};

struct CField {
    Str name; /* empty: unnamed bit-field or anonymous record member */
    const CType *type;
    const CRecord *record; /* it belongs to */
    uint32_t index;        /* in the record */
    int32_t bits;          /* width of the bit-field; -1: none */
    uint64_t offset;       /* in bits from the start */
    CRange range;          /* its declarator; empty when in a header */
    CRange name_range;
    const CDeclGroup *group; /* NULL in a header */
    bool is_anonymous;       /* anonymous struct or union whose members are reached through it */
};

struct CRecord {
    Str tag; /* empty: none */
    bool is_union;
    bool is_complete;
    bool is_packed; /* packed or under #pragma pack: never take addresses of members */
    bool has_const; /* some member, at any depth, is const: the record cannot be assigned */
    bool in_system; /* from a header */
    const CField *fields;
    uint32_t n_fields;
    const CType *type;   /* without qualifiers */
    CRange range;        /* `struct tag { .. }`; empty when from a header */
    CRange body;         /* `{ .. }` */
    const CScope *scope; /* where the tag was declared; NULL: file scope */
};

/* ---- names ---- */
typedef enum CDeclKind {
    CD_VAR,
    CD_PARAM,
    CD_FUNCTION, /* each declaration is one CDecl; function (if defined here) is set in all of them
                  */
    CD_TYPEDEF,
    CD_ENUMERATOR, /* value */
} CDeclKind;

enum {
    CD_SYSTEM = 1 << 0,   /* declared in a header */
    CD_STATIC = 1 << 1,   /* written static */
    CD_EXTERN = 1 << 2,   /* written extern */
    CD_GLOBAL = 1 << 3,   /* file scope */
    CD_LASTING = 1 << 4,  /* static storage duration: always initialised */
    CD_THREAD = 1 << 5,   /* thread-local */
    CD_REGISTER = 1 << 6, /* no address may be taken */
    CD_ADDRESS =
        1 << 7, /* its address is taken somewhere (also as an array that decays outside [] ) */
    CD_WRITTEN = 1 << 8, /* assigned, ++ or -- somewhere, beyond its initialiser */
    CD_READ = 1 << 9,    /* its value is read somewhere */
    CD_MACRO = 1 << 10,  /* is in a macro expansion: do not edit */
    CD_VLA = 1 << 11,    /* its type is variably modified */
    CD_INLINE = 1 << 12,
    CD_NORETURN = 1 << 13,
    CD_UNUSED = 1 << 14,    /* nothing refers to it */
    CD_ATTRIBUTE = 1 << 15, /* it has an __attribute__ or an asm label */
};

struct CDecl {
    CDeclKind kind;
    uint32_t flags; /* CD_* */
    Str name;
    const CType *type; /* as declared: parameters adjusted to pointers */
    CRange range;      /* declarator with initialiser, without specifiers; parameters: all of it */
    CRange name_range; /* empty: unnamed parameter */
    CRange init_range; /* the initialiser after '='; empty: none */
    const CDeclGroup *group; /* specifiers and siblings; NULL in headers and macros */
    const CScope *scope;     /* where it is visible; NULL: file scope */
    CStmt *stmt; /* the CS_DECL that declares it; NULL at file scope and for parameters */
    CExpr *init; /* or NULL */
    CFunction
        *function; /* CD_FUNCTION: its definition in this text or NULL; locals: their function */
    CDecl *const *params; /* CD_FUNCTION in the text: its parameters as written here */
    uint32_t n_params;
    CRange params_range; /* CD_FUNCTION in the text: the inside of its ( .. ) */
    const CDecl *first;  /* first declaration of the same variable or function; itself usually */
    uint32_t local;      /* CD_VAR, CD_PARAM of a function: number of its bit, see CStmt.init_in */
    uint32_t index;      /* CD_PARAM: position; CD_ENUMERATOR: position */
    uint32_t uses;       /* references in the text */
    int64_t value;       /* CD_ENUMERATOR */
    bool certain;        /* CD_PARAM of record type: every direct call passes a whole value */
    bool const_init;     /* initialiser is certainly free of side effects and of reads of memory */
};

/* Specifier tokens of one declaration, for mutations of qualifiers and modifiers. */
typedef enum CSpecKind {
    CSP_CONST,
    CSP_VOLATILE,
    CSP_RESTRICT,
    CSP_ATOMIC,
    CSP_LONG,
    CSP_SHORT,
    CSP_SIGNED,
    CSP_UNSIGNED,
    CSP_INT,
    CSP_CHAR,
    CSP_FLOAT,
    CSP_DOUBLE,
    CSP_VOID,
    CSP_BOOL,
    CSP_STATIC,
    CSP_EXTERN,
    CSP_TYPEDEF,
    CSP_REGISTER,
    CSP_AUTO,
    CSP_INLINE,
    CSP_NORETURN,
    CSP_THREAD,
    CSP_TAG,       /* struct/union/enum with its tag and body, one range */
    CSP_NAME,      /* typedef name */
    CSP_ATTRIBUTE, /* __attribute__((..)), _Alignas(..), __extension__, typeof(..) as one range */
    CSP_OTHER,
} CSpecKind;

typedef struct CSpec {
    CSpecKind kind;
    CRange range;
} CSpec;

typedef enum CGroupKind { CG_GLOBAL, CG_LOCAL, CG_PARAM, CG_FIELD, CG_FUNCTION } CGroupKind;

/* `static const int a = 1, *b;`: one group with two decls. A function definition is a group as
 * well. */
struct CDeclGroup {
    CGroupKind kind;
    CRange range;       /* with the ';' (parameters: without ','; functions: to the body's end) */
    CRange specs_range; /* first to last specifier token */
    const CSpec *specs;
    uint32_t n_specs;
    const CRange *stars; /* the '*' tokens of the declarators: restrict and const may follow them */
    uint32_t n_stars;
    CDecl *const *decls; /* empty for fields and for `struct s { .. };` */
    uint32_t n_decls;
    const CRecord *record;          /* CG_FIELD: the record it is in */
    uint32_t first_field, n_fields; /* CG_FIELD: the fields it declares */
    CFunction *function;            /* that it is in; NULL at file scope */
    CStmt *stmt;                    /* CG_LOCAL: the CS_DECL */
    bool in_macro;
};

/* A block, a for statement or a function's parameter list. Invariant: a name declared in a scope is
 * visible from CDecl.range.from on (to be safe we say from range.to on) to the end of the scope. */
struct CScope {
    const CScope *parent; /* NULL: file scope is the parent */
    CDecl *const *decls;  /* all ordinary names: variables, typedefs, enumerators, functions */
    uint32_t n_decls;
    uint32_t depth; /* parameters: 0, the body: 1, .. */
    CRange range;
    CStmt *stmt;  /* block or for statement; NULL for parameters */
    bool has_vla; /* declares a variably modified name: no jump may enter after it */
};

/* ---- statements ---- */
typedef enum CStmtKind {
    CS_BLOCK,
    CS_DECL, /* decls */
    CS_EXPR, /* expr */
    CS_NULL, /* ; */
    CS_IF,   /* expr, body, other */
    CS_WHILE,
    CS_DO,
    CS_FOR,    /* init, expr (or NULL), step (or NULL), body */
    CS_SWITCH, /* expr, body */
    CS_CASE,   /* expr (and high for ranges), body */
    CS_DEFAULT,
    CS_LABEL, /* label, body */
    CS_GOTO,  /* label (target) */
    CS_GOTO_COMPUTED,
    CS_BREAK,
    CS_CONTINUE,
    CS_RETURN, /* expr or NULL */
    CS_ASM,
    CS_ATTRIBUTED, /* [[x]] or __attribute__ before a statement: body */
    CS_OTHER,      /* known to clang but not to us: leave it alone */
} CStmtKind;

/* What position a statement is in. */
typedef enum CSlot {
    CSL_BLOCK, /* item of a block: statements may come before and after it */
    CSL_VALUE, /* last item of a statement expression, its value: nothing may follow it */
    CSL_THEN,  /* unbraced or braced body of if */
    CSL_ELSE,
    CSL_LOOP,      /* body of while, do, for */
    CSL_SWITCH,    /* body of switch */
    CSL_LABEL,     /* after `label:` */
    CSL_CASE,      /* after `case x:` or `default:` */
    CSL_FOR_INIT,  /* first part of for(..): a declaration or an expression with its ';' */
    CSL_FUNCTION,  /* body of a function */
    CSL_EXPR,      /* the block of a statement expression */
    CSL_ATTRIBUTE, /* after an attribute */
} CSlot;

enum {
    CF_MACRO = 1 << 0,  /* begins, ends or lies in a macro expansion: do not edit */
    CF_ORACLE = 1 << 1, /* printf, abort, exit, assert; their arguments; the condition that guards
                           them; every return: changing it would fake a pass */
    CF_ORACLE_OUTER = 1 << 2, /* an outer condition or loop around an oracle statement */
    CF_HAS_LABEL = 1 << 3,    /* is or contains a label: must not be copied */
    CF_HAS_CASE = 1 << 4,     /* is or contains a case/default of a switch outside it */
    CF_HAS_GOTO = 1 << 5,     /* goto (plain or computed) or asm goto inside */
    CF_HAS_BREAK = 1 << 6,    /* break that leaves it */
    CF_HAS_CONTINUE = 1 << 7, /* continue that leaves it */
    CF_HAS_RETURN = 1 << 8,
    CF_HAS_DECL = 1 << 9,     /* is a declaration, or a case/label/attribute in front of one */
    CF_HAS_VLA = 1 << 10,     /* is a declaration of variably modified type */
    CF_HAS_CALL = 1 << 11,    /* some call inside */
    CF_HAS_ORACLE = 1 << 12,  /* some CF_ORACLE call inside */
    CF_UNREACHABLE = 1 << 13, /* no path from the function's start (by structure) */
    CF_HAS_MACRO = 1 << 14,   /* something inside is CF_MACRO */
    CF_HAS_ASM = 1 << 15,
    /* expressions only: */
    CF_LVALUE = 1 << 16,         /* designates an object */
    CF_MODIFIABLE = 1 << 17,     /* lvalue that may be assigned: no const, no array, complete */
    CF_CONSTANT = 1 << 18,       /* integer constant expression by structure; value is its value */
    CF_READ = 1 << 19,           /* its value is used (lvalue converted to a value) */
    CF_WRITE = 1 << 20,          /* it is the target of =, op=, ++, -- */
    CF_ADDRESS = 1 << 21,        /* it is the operand of & */
    CF_UNEVALUATED = 1 << 22,    /* inside sizeof, typeof or the operand of _Generic */
    CF_EFFECT = 1 << 23,         /* may have a side effect: call, assignment, ++, volatile, asm */
    CF_NEEDS_CONSTANT = 1 << 24, /* must stay a constant: case, array size, bit width, static
                                    initialiser, enumerator */
};

struct CStmt {
    CStmtKind kind;
    CSlot slot;
    uint32_t flags;       /* CF_* */
    CRange range;         /* with the trailing ';' */
    CRange keyword;       /* if, for, return, the label's name .. ; empty for blocks, expr, decl */
    CRange parens;        /* the inside of ( .. ) of if, while, do, for, switch */
    CRange else_keyword;  /* CS_IF with else */
    CRange while_keyword; /* CS_DO */
    uint32_t index;       /* in CUnit.stmts */
    uint32_t depth;       /* nesting: the function's body has 0 */
    CFunction *function;
    const CScope *scope; /* that it is in */
    CStmt *parent;       /* statement it is part of; NULL: the function's body */
    CExpr *in_expr;      /* block of a statement expression: that expression; else NULL */
    CStmt *first, *next; /* CS_BLOCK: first item; items: next item */
    CExpr *expr;         /* condition, value, expression */
    CExpr *high;         /* CS_CASE with a range */
    CExpr *step;         /* CS_FOR */
    CStmt *init;         /* CS_FOR */
    CStmt *body, *other; /* other: else */
    CStmt *target; /* break, continue: the loop or switch; goto: the label; case: the switch */
    Str label;     /* CS_LABEL, CS_GOTO */
    const CDeclGroup *group; /* CS_DECL; NULL for a lone _Static_assert */
    const CScope *inner;     /* CS_BLOCK, CS_FOR: the scope it opens */
    const uint64_t
        *init_in;        /* bit CDecl.local is set: certainly initialised when control gets here */
    CExpr *const *exprs; /* every expression directly in it (not in inner statements), preorder */
    uint32_t n_exprs;
    bool jump_target; /* CS_LABEL: some goto or &&label names it */
};

/* ---- expressions ---- */
typedef enum CExprKind {
    CE_INT,   /* integer literal: value */
    CE_CHAR,  /* character literal: value */
    CE_FLOAT, /* floating literal */
    CE_STRING,
    CE_REF,    /* variable, function, enumerator: decl */
    CE_MEMBER, /* first . or -> field */
    CE_INDEX,  /* first [ second ] */
    CE_CALL,   /* first is the function, then arguments */
    CE_UNARY,  /* op first */
    CE_BINARY, /* first op second */
    CE_ASSIGN, /* first op second; op is CO_ASSIGN or the compound one */
    CE_COND,   /* first ? second : third; first ?: second has two operands */
    CE_CAST,   /* (type) first */
    CE_PAREN,
    CE_SIZEOF,     /* sizeof, _Alignof: with an operand expression or a type */
    CE_LIST,       /* initialiser list */
    CE_LITERAL,    /* compound literal: first is the list */
    CE_BLOCK,      /* statement expression: block */
    CE_LABEL,      /* &&label */
    CE_DESIGNATED, /* .x = first or [i] = first inside a list; designators are not modelled */
    CE_OTHER,      /* va_arg, offsetof, _Generic, builtin with types: leave it alone */
} CExprKind;

typedef enum COp {
    CO_NONE,
    /* unary */
    CO_POST_INC,
    CO_POST_DEC,
    CO_PRE_INC,
    CO_PRE_DEC,
    CO_ADDRESS,
    CO_DEREF,
    CO_PLUS,
    CO_MINUS,
    CO_NOT /* ~ */,
    CO_LNOT /* ! */,
    CO_REAL,
    CO_IMAG,
    CO_EXTENSION,
    /* binary */
    CO_MUL,
    CO_DIV,
    CO_REM,
    CO_ADD,
    CO_SUB,
    CO_SHL,
    CO_SHR,
    CO_LT,
    CO_GT,
    CO_LE,
    CO_GE,
    CO_EQ,
    CO_NE,
    CO_AND,
    CO_XOR,
    CO_OR,
    CO_LAND,
    CO_LOR,
    CO_COMMA,
    /* assignment */
    CO_ASSIGN,
    CO_MUL_ASSIGN,
    CO_DIV_ASSIGN,
    CO_REM_ASSIGN,
    CO_ADD_ASSIGN,
    CO_SUB_ASSIGN,
    CO_SHL_ASSIGN,
    CO_SHR_ASSIGN,
    CO_AND_ASSIGN,
    CO_XOR_ASSIGN,
    CO_OR_ASSIGN,
    CO_COUNT
} COp;

struct CExpr {
    CExprKind kind;
    COp op;
    uint32_t flags; /* CF_* */
    uint32_t index; /* in CUnit.exprs */
    CRange range;
    CRange op_range; /* the operator's token: + in a + b, ? in c ? a : b, . or ->, [ ; else empty */
    const CType *type; /* its own */
    const CType
        *converted;      /* after implicit conversions by its context; type when there are none */
    CExpr *parent;       /* or NULL: the root in its statement, declarator or type */
    CExpr *first, *next; /* operands */
    CStmt *stmt;         /* statement it is in; NULL at file scope */
    CFunction *function; /* NULL at file scope */
    CDecl *in_decl;      /* declaration whose initialiser (or type) it is in, or NULL */
    const CDecl *decl;   /* CE_REF; CE_CALL: the function called directly, or NULL */
    const CField *field; /* CE_MEMBER */
    CStmt *block;        /* CE_BLOCK */
    uint64_t value;      /* CE_INT, CE_CHAR, CF_CONSTANT: sign-extended to 64 bits */
    uint32_t n_operands;
    bool arrow; /* CE_MEMBER */
};

/* ---- functions and the unit ---- */
enum {
    CFN_MAIN = 1 << 0,
    CFN_KR = 1 << 1, /* old-style parameter declarations */
    CFN_VARIADIC = 1 << 2,
    CFN_ADDRESS = 1 << 3,       /* used other than by a direct call */
    CFN_SETJMP = 1 << 4,        /* calls setjmp or vfork: nothing is certain about its locals */
    CFN_COMPUTED_GOTO = 1 << 5, /* has goto *p or &&label: must not be inlined or copied */
    CFN_VLA = 1 << 6,
    CFN_ALLOCA = 1 << 7,
    CFN_ASM = 1 << 8,
    CFN_MACRO = 1 << 9,      /* defined by a macro: do not edit */
    CFN_CALLED = 1 << 10,    /* called directly in the text */
    CFN_RECURSIVE = 1 << 11, /* may call itself, directly or not, through direct calls */
    CFN_ORACLE = 1 << 12,    /* contains oracle calls */
    CFN_UNCERTAIN = 1 << 14, /* has parts whose order we do not know: no local is certain */
    CFN_SYSTEM = 1 << 13,    /* text copied from a system header */
};

struct CFunction {
    Str name;
    CDecl *decl;    /* the defining declaration */
    uint32_t flags; /* CFN_* */
    uint32_t index; /* in CUnit.functions */
    CDecl *const *params;
    uint32_t n_params;
    CDecl *const
        *locals; /* by CDecl.local: parameters first, then variables without static storage */
    uint32_t n_locals;
    CRange range;        /* from the first specifier to the closing brace */
    CRange params_range; /* inside of ( .. ) */
    CStmt *body;
    CStmt *const *stmts; /* all statements, the body first, preorder */
    uint32_t n_stmts;
    CExpr *const *exprs; /* all expressions, preorder */
    uint32_t n_exprs;
    const CScope *scope; /* of the parameters */
};

struct CUnit {
    Str text;         /* the arena's copy */
    const char *name; /* as in messages */
    CFunction *const *functions;
    uint32_t n_functions;
    CDecl *const *globals; /* variables declared at file scope of the text */
    uint32_t n_globals;
    CDecl *const *decls; /* every CDecl of the text */
    uint32_t n_decls;
    const CDeclGroup *const *groups; /* every declaration of the text */
    uint32_t n_groups;
    const CRecord *const
        *records; /* every struct and union of the text, and those of headers in use */
    uint32_t n_records;
    CStmt *const *stmts;
    uint32_t n_stmts;
    CExpr *const *exprs; /* in functions and in global initialisers */
    uint32_t n_exprs;
    const CType *const *types;
    uint32_t n_types;
    CFunction *main; /* or NULL */
    bool has_macros; /* macros are expanded in the text: some parts are marked CF_MACRO */
};

typedef struct CfrontOptions {
    const char *name; /* for messages and for #include "..": the directory part is searched; NULL:
                         input.c */
    const char *const
        *args; /* more arguments for clang (-I, -D, -std=, -m32), NULL-ended; or NULL */
} CfrontOptions;

/* The model of text, in the arena; NULL with err (STATUS_BAD: "name:line:col: clang's first
 * message") when it does not parse, is larger than 64 MiB or nested too deeply. opts may be NULL.
 * Safe to call from several threads at once. */
CUnit *cfront_parse(Arena *arena, Str text, const CfrontOptions *opts, Error *err);
/* The whole model as text, for people and golden tests. */
void cfront_dump(const CUnit *unit, Buf *out);

static inline Str cfront_text(const CUnit *unit, CRange r) {
    return (Str){ unit->text.at + r.from, r.to - r.from };
}
static inline bool crange_in(CRange inner, CRange outer) {
    return outer.from <= inner.from && inner.to <= outer.to;
}

/* ---- questions about places ---- */
typedef VEC(const CDecl *) CDeclVec;
enum {
    CV_INITIALISED = 1, /* only what certainly holds a value when control gets to the statement */
    CV_LOCALS = 2,      /* no globals */
    CV_MODIFIABLE = 4,  /* no const anywhere in the type */
};
/* Variables and parameters visible (and not shadowed, also not by typedefs and enumerators) right
 * before stmt: innermost first. Header variables are left out. Appends to out. */
void cfront_visible(const CUnit *unit, const CStmt *stmt, unsigned which, CDeclVec *out);
bool cfront_is_visible(const CUnit *unit, const CStmt *stmt, const CDecl *decl);
/* What name means right before stmt: NULL if nothing in the text (headers may know it). */
const CDecl *cfront_lookup(const CUnit *unit, const CStmt *stmt, Str name);
/* decl certainly holds a value when control gets to stmt (globals and statics always do). */
bool cfront_initialised(const CStmt *stmt, const CDecl *decl);
/* The type can be written at stmt (its tags are visible there). stmt NULL: at the end of the text.
 */
bool cfront_type_visible(const CUnit *unit, const CType *type, const CStmt *stmt);

/* ---- what may be done with a statement ---- */
/* `if (c) { stmt }` and the like keep it valid: it is no declaration, has no label or case that is
 * entered from outside, is not a statement expression's value, and no macro is involved. */
bool cfront_can_wrap(const CStmt *stmt);
/* A statement (in braces if it declares something) may be put in front of it; edit_before does it
 * and adds braces where the slot takes one statement only. */
bool cfront_can_insert(const CStmt *stmt);
/* May be replaced by `;` so that the text still compiles: no label in use, no declaration in use,
 * no value. */
bool cfront_can_delete(const CUnit *unit, const CStmt *stmt);

/* ---- types ---- */
bool ctype_is_integer(const CType *t); /* _Bool, integers up to 64 bits, enums */
bool ctype_is_arithmetic(const CType *t);
bool ctype_is_scalar(const CType *t);
/* Integer type after integer promotion; bits: bit-field width or -1. Kind only (int, unsigned, ..)
 */
CIntKind cint_promote(CIntKind kind, int bits);
CIntKind cint_usual(CIntKind a, CIntKind b); /* usual arithmetic conversions of promoted kinds */
unsigned cint_width(CIntKind kind);
bool cint_is_signed(CIntKind kind);
const char *cint_name(CIntKind kind); /* "unsigned long" */
/* Writes `type name` with C's declarator syntax ("int (*name)[3]"); name may be empty. */
void cfront_declare(Buf *out, const CType *type, Str name);
/* The width of the bit-field an lvalue expression designates, or -1. */
int cexpr_bits(const CExpr *e);
/* The expression inside parentheses and __extension__. */
const CExpr *cexpr_strip(const CExpr *e);
/* n-th operand; NULL after the last. */
CExpr *cexpr_operand(const CExpr *e, unsigned n);
/* The variable at the root of an lvalue path of members and constant indices (a.b[3].c): NULL when
 * it goes through a pointer or a variable index. */
const CDecl *cexpr_path_root(const CExpr *e);
const char *cop_text(COp op); /* "+=", "!", .. */
const char *cexpr_kind_name(CExprKind kind);
const char *cstmt_kind_name(CStmtKind kind);
const char *cslot_name(CSlot slot);

#endif

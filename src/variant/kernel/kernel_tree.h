/* The tree of a kernel, and what the three files that know it share. */
#ifndef CULPRIT_VARIANT_KERNEL_KERNEL_TREE_H
#define CULPRIT_VARIANT_KERNEL_KERNEL_TREE_H

#include "variant/kernel/kernel.h"

enum {
    KERNEL_VARS = 28,        /* parameters, locals, loop variables */
    KERNEL_ELEMENTS = 128,   /* of an array; a power of two, as all counts are */
    KERNEL_STEPS = 60000,    /* most statements of one interpretation */
    KERNEL_COMBINATIONS = 9, /* of the inputs' values */
    KERNEL_REPAIRS = 60,     /* of undefined operators */
};

typedef enum KBuiltin {
    KB_CLZ, /* of unsigned long long, not 0 */
    KB_CTZ,
    KB_POPCOUNT,
    KB_PARITY,
    KB_FFS,
    KB_BSWAP16,
    KB_BSWAP32,
    KB_BSWAP64,
    KB_EXPECT, /* long */
    KB_ABS,    /* of long long, not its least */
    KB_COUNT,  /* of integers; those of floating point follow, which have its type .. */
    KB_FABS = KB_COUNT,
    KB_COPYSIGN, /* a, b */
    KB_FLOOR,
    KB_CEIL,
    KB_TRUNC,
    KB_FMIN, /* not of two zeros: either may be returned */
    KB_FMAX,
    KB_FMA,       /* a, b, c */
    KB_FROM_BITS, /* .. of unsigned, unsigned long */
    KB_SIGNBIT,   /* int, 0 or 1 */
    KB_BITS,      /* unsigned long: what is in memory; of long double: a number made of it */
    KB_END
} KBuiltin;

typedef enum KKind {
    K_CONST,
    K_VAR,
    K_ELEMENT,
    K_UNARY,
    K_BINARY,
    K_CHOOSE,
    K_CAST,
    K_BUILTIN,
    K_CALL
} KKind;

/* A function above the kernel: what it returns depends on three of its parameters. Which registers
 * arguments are passed in depends on all of them, and on which of them are in a structure. */
enum { KERNEL_ARGUMENTS = 14 };
typedef struct KCall {
    struct KCall *next;
    unsigned number, n;
    struct KExpr *args[KERNEL_ARGUMENTS]; /* each has its parameter's type */
    unsigned at[3];                       /* the parameters: a op b op c */
    int ops[2];                           /* IBinary; -1: without the rest */
    WType result;
    unsigned packed; /* arguments from here on, packed_n of them, are members of a structure */
    unsigned packed_n;
    bool aside, back; /* not inlined; returns a structure with the result */
} KCall;

typedef struct KExpr {
    KKind kind;
    WType type;
    WVal value;   /* K_CONST; K_BUILTIN expect: what is expected */
    unsigned var; /* K_VAR, K_ELEMENT */
    unsigned op;  /* IUnary, IBinary, KBuiltin */
    bool as_real; /* K_BINARY: computed in double, where that is exact; see kernel_is_exact.
                   * K_ELEMENT: through a pointer that is said to be aligned */
    struct KExpr *a, *b, *c; /* operands; of K_ELEMENT a is the index */
    KCall *call;             /* K_CALL */
} KExpr;

typedef enum KStmtKind {
    KS_STORE,    /* target op= e, or target = e */
    KS_IF,       /* e, then body, else other */
    KS_FOR,      /* loop, body */
    KS_BREAK,    /* if (e) break; */
    KS_CONTINUE, /* if (e) continue; */
    KS_OVERFLOW, /* other variable = __builtin_add_overflow(a, b, &var) */
    KS_COPY,     /* array = array, by memcpy */
    KS_SET,      /* array = all bytes alike, by memset */
    KS_COMPARE,  /* flag = the arrays differ, by memcmp */
    KS_WHILE,    /* e, body */
    KS_SWITCH,   /* e; body: labels, other: the default, or NULL */
    KS_LABEL,    /* e: a constant; body, or that of the next label */
    KS_CONVERT,  /* elements of target = those of e, as a vector that is converted, from integers to
                  * floating point or back; step: of integers their lowest 7 bits alone */
    KS_VECTOR,   /* a few elements of target = e op by, as one vector, its lanes rotated; without an
                  * op: e */
} KStmtKind;

typedef struct KStmt {
    KStmtKind kind;
    struct KStmt *next, *body, *other;
    KExpr *target; /* KS_STORE, KS_OVERFLOW: K_VAR or K_ELEMENT; others: K_VAR, an array */
    KExpr *e, *by; /* KS_OVERFLOW: the operands; KS_COPY: e is the source; KS_VECTOR: arrays */
    int op;        /* IBinary of a compound store, of KS_OVERFLOW, KS_VECTOR; -1: plain */
    unsigned flag; /* KS_OVERFLOW, KS_COMPARE: the variable that tells whether it overflowed, or
                      differs */
    unsigned var;  /* KS_FOR: the loop's variable, from, from + step .. while below (above) to.
                    * KS_VECTOR: the loop around, which moves it along; KERNEL_VARS: none */
    int from, to, step; /* KS_VECTOR, KS_CONVERT: first element, lanes, how far lanes are rotated.
                         * KS_SET: from is the byte */
    bool as_while;
    uint64_t ran, ran_other; /* how often the body, the other branch was entered */
} KStmt;

typedef struct KVar {
    const char *name;
    WType type;
    unsigned count; /* elements; 0: a scalar */
    bool is_volatile, is_static;
    bool is_index; /* of a loop around the place being drawn */
    bool gone;     /* of a loop that is over */
    WVal init;     /* of a local scalar */
} KVar;

typedef struct KTree {
    Arena *arena;
    Rng *rng;
    const KernelOrder *order;
    KVar vars[KERNEL_VARS];
    unsigned n;     /* variables */
    KStmt *body;    /* arrays are filled first, and summed up last */
    unsigned sum;   /* the variable that is returned */
    unsigned depth; /* of loops, while it is drawn */
    bool looped;    /* the place being drawn is in a loop */
    uint64_t turns; /* of all loops around the place being drawn */
    bool reals;     /* this one has floating point */
    KCall *calls;   /* functions to be written above */
    unsigned n_calls;
} KTree;

/* ---- kernel_draw.c ---- */
void kernel_draw(KTree *t);
KExpr *kernel_expr(KTree *t, KKind kind, WType type); /* a new node */
KExpr *kernel_constant(KTree *t, WType type);         /* any value */
KExpr *kernel_cast(KTree *t, KExpr *a, WType type);   /* a itself where it has the type */
KExpr *kernel_binary(KTree *t, IBinary op, KExpr *a, KExpr *b);
/* Sums and products of int that do not overflow are exact in double. */
bool kernel_is_exact(const KExpr *e);

KExpr *kernel_read(KTree *t, unsigned var);
KStmt *kernel_stmt(KTree *t, KStmtKind kind); /* a new one; no compound store */
unsigned kernel_var(KTree *t, char letter, WType type, unsigned count); /* a new variable */
/* A variable that is, or is not, an array; UINT32_MAX: none. loops: including loop variables. */
unsigned kernel_any(KTree *t, bool array, bool loops);

WType kernel_any_type(KTree *t);
KExpr *kernel_expression(KTree *t, unsigned depth);

/* ---- kernel_real.c ---- */
WType kernel_real_type(KTree *t);
/* Few bits, so that most of what is computed with it is exact. */
WVal kernel_real_value(KTree *t, WType type);
/* What floating point has in the place of an operator of integers. */
IBinary kernel_real_op(IBinary op);
/* A builtin, a trick with bits or a call of a function with many parameters; a is converted. */
KExpr *kernel_real_idiom(KTree *t, KExpr *a);
/* A word that tells the value, of floating point. */
KExpr *kernel_real_word(KTree *t, KExpr *a);
/* Compound stores that floating point does not have become others. */
void kernel_real_stores(KStmt *s);
bool kernel_real_builtin(const KExpr *e, WVal a, WVal b, WVal c, WVal *out);
EvalFlaw kernel_real_call(const KCall *call, const WVal *args, WVal *out);
/* Makes sure that what was inexact, or out of range, is not so the next time. */
void kernel_real_mend(KTree *t, KExpr *e);
void kernel_real_mend_store(KTree *t, KStmt *s);

/* ---- kernel_real_print.c ---- */
void kernel_real_print(const KTree *t, const KExpr *e,
                       void (*print)(const KTree *, const KExpr *, Buf *), Buf *out);
/* What the kernel's text needs above it: functions that read bits, and those that are called. */
void kernel_real_above(const KTree *t, Str text, Buf *out);

/* ---- kernel_array.c ---- */
/* A loop over arrays as vectorisers like them; NULL: there is no array. */
KStmt *kernel_array_loop(KTree *t);

/* ---- kernel_bits.c ---- */
/* Several statements: a loop over the bits of what is given, whose result is added to the sum.
 * Needs three new variables. */
KStmt *kernel_bit_loop(KTree *t, KExpr *what);

/* ---- kernel_switch.c ---- */
KStmt *kernel_switch(KTree *t, KExpr *what);

/* ---- kernel_idiom.c ---- */
/* One of the ways to write what optimisers recognise: saturation, minima, rotations, masks. */
KExpr *kernel_idiom(KTree *t, KExpr *a, KExpr *b);

/* ---- kernel_lanes.c ---- */
/* A kernel of another kind, over vectors; with its results for all combinations of the inputs. */
void kernel_lanes(Rng *rng, const KernelOrder *order, size_t combinations, uint64_t *results,
                  Buf *above, Buf *call);

/* ---- kernel_run.c ---- */
/* Interprets it for the values of its parameters; false: undefined beyond repair, or too long. */
bool kernel_run(KTree *t, const WVal *inputs, WVal *result, unsigned *repairs);

/* ---- kernel_print.c ---- */
void kernel_print(const KTree *t, bool promise, Buf *out);

#endif

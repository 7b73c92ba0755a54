/* Functions borrowed from other programs, with recorded inputs and outputs (Li, Su: Boosting
 * Compiler Testing by Injecting Real-World Code, PLDI 2024).
 *
 * What people wrote differs from what generators write. A function that computes a number from
 * numbers alone (no globals, no memory of others) is taken out of the program it is in, with the
 * functions it calls, and run for drawn inputs: without a report of clang's sanitizers, with the
 * same results where its locals are filled with zeros and with patterns, and without an exception
 * of floating point: what it computes is exact, and so it is the same everywhere. From then on a
 * call with recorded inputs is an expression of known value, in any program.
 *
 *     Lender *lender = lender_new();
 *     lender_take(lender, unit);  ..
 *     lender_record(lender, seed);
 *     if (lender_call(lender, &order, &call)) .. call.above, call.text, call.value ..
 *     lender_free(lender); */
#ifndef CULPRIT_VARIANT_BORROW_BORROW_H
#define CULPRIT_VARIANT_BORROW_BORROW_H

#include "base/rng.h"
#include "cfront/cfront.h"
#include "variant/env.h"

enum { BORROW_PARAMS = 6, BORROW_TRIALS = 12 };

/* Texts hold BORROW_NAME where the prefix of its names goes. */
#define BORROW_NAME '\1'
#define BORROW_HEAD '\2' /* .. and this where the function's own specifiers go */

typedef struct Borrowed {
    Str text;     /* C: the function and what it calls */
    Str name;     /* without the prefix */
    IType result; /* standard, as all of its types; of floating point: long .. */
    bool real;    /* .. which it is converted to; parameters are short then */
    bool reals;   /* floating point is in it */
    IType params[BORROW_PARAMS];
    unsigned n;
    uint64_t in[BORROW_TRIALS][BORROW_PARAMS]; /* recorded calls, in IVal's form .. */
    uint64_t out[BORROW_TRIALS];
    unsigned calls;
    bool recorded;
} Borrowed;
typedef VEC(Borrowed) BorrowedVec;

typedef struct Lender {
    Arena arena;
    BorrowedVec list;
    Map known; /* texts that were taken already */
} Lender;

Lender *lender_new(void);
void lender_free(Lender *lender); /* NULL: nothing */
/* Takes what can be taken from a program; recorded later. */
void lender_take(Lender *lender, const CUnit *unit);
/* Runs those taken since the last time; those with fewer than two good calls are dropped. False
 * with err where a compiler is missing. */
bool lender_record(Lender *lender, uint64_t seed, Error *err);

/* ---- for a program ---- */
typedef struct BorrowOrder {
    Arena *arena;
    Rng *rng;
    const Env *env;   /* its values appear in the arguments; may be empty */
    const char *name; /* prefix of what is new */
    bool plain;       /* no attributes */
    bool no_reals;    /* no floating point */
} BorrowOrder;

typedef struct BorrowCall {
    Str above;  /* what comes before the current function */
    Str text;   /* an expression .. */
    IVal value; /* .. of this type and value; it has no effect but that */
} BorrowCall;
/* False: there is nothing to borrow. */
bool lender_call(const Lender *lender, const BorrowOrder *order, BorrowCall *call);

#endif

/* Mutants of a C program: DiWi's 132 local rules and RecBi's four structural operators.
 *
 * A Mutator is a program parsed once; mutants are texts made from it by one edit each (first
 * order). For higher orders, make a Mutator from a mutant. Everything is a function of (program,
 * rule, random stream): no state changes, so one Mutator may serve several streams at once.
 *
 * Rules 0..131 are local, in the order of the paper's table; 132..135 insert a branch, a loop, a
 * function call, a goto. RecBi's ten operators are groups of these rules (PerturbRule.operator).
 *
 * The oracle is never touched: printf and the like, abort, exit, assert, every return, and the
 * condition that guards one of them; see PerturbGuard. Conditions and functions for the structural
 * operators come from a pool mined from a test suite (ingredients.h); without one they are made
 * from the program's own. */
#ifndef CULPRIT_PERTURB_PERTURB_H
#define CULPRIT_PERTURB_PERTURB_H

#include "base/base.h"
#include "base/rng.h"

typedef struct Ingredients Ingredients;

enum {
    PERTURB_LOCAL = 132, /* rules 0 .. 131 */
    PERTURB_BRANCH = 132,
    PERTURB_LOOP = 133,
    PERTURB_CALL = 134,
    PERTURB_GOTO = 135,
    PERTURB_RULES = 136,
    PERTURB_OPERATORS = 10, /* RecBi's table 1, from 0 */
};

typedef struct PerturbRule {
    char name[24];     /* "+ to -", "insert volatile", "constant + 1", "insert branch" */
    uint8_t operator_; /* 0 branch, 1 loop, 2 call, 3 goto, 4 qualifier, 5 modifier, 6 variable,
                          7 constant, 8 unary, 9 binary */
    uint8_t family;    /* private: which code makes it */
    int16_t from, to;  /* private: its parameters */
} PerturbRule;

const PerturbRule *perturb_rule(unsigned rule);

typedef enum PerturbGuard {
    PERTURB_GUARD_NONE,   /* everything may change: the failure does not depend on what the program
                            does */
    PERTURB_GUARD_ORACLE, /* the papers' way */
    PERTURB_GUARD_OUTER,  /* also the outer conditions and loops around an oracle statement */
} PerturbGuard;

typedef struct Mutator Mutator;

/* args: more arguments for clang, NULL-ended, or NULL. pool may be NULL and must outlive the
 * mutator. NULL with err when the text does not parse. */
Mutator *mutator_new(Str text, const char *name, const char *const *args, PerturbGuard guard,
                     const Ingredients *pool, Error *err);
void mutator_free(Mutator *m);
/* Places a rule may change; 0: not applicable here. */
unsigned mutator_sites(const Mutator *m, unsigned rule);
/* Appends to out the text of a mutant made at one random site of the rule. False (out unchanged)
 * when the rule does not apply, or the drawn site turned out not to. */
bool mutator_make(const Mutator *m, unsigned rule, Rng *rng, Buf *out);
/* The same for one of the ten operators: draws among its applicable rules, weighted by their sites.
 */
bool mutator_make_operator(const Mutator *m, unsigned op, Rng *rng, Buf *out, unsigned *rule);

#endif

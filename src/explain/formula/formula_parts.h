/* Inside a Formula: what its files share.
 *
 *     formula_memory.c   what a load reads: stores, copies, strings, and what must not have hit it
 *     formula_place.c    where objects lie, which no proof may depend on
 *     formula_input.c    what came in from outside, and what of the program's own that depends on
 *     formula_steps.c    variables and facts; what an instruction says about its value; the goal
 *     formula.c          growing the slice, solving, minimising the core
 */
#ifndef CULPRIT_EXPLAIN_FORMULA_FORMULA_PARTS_H
#define CULPRIT_EXPLAIN_FORMULA_FORMULA_PARTS_H

#include "explain/formula/formula.h"

#include <z3.h>

typedef struct FormulaNode {
    Step step;
    Z3_ast var;
    bool expanded; /* its equation is in */
    bool as_value; /* wanted for its value: a pointer is followed */
    bool queued;
} FormulaNode;

/* Where an object lies (formula_place.c). */
typedef struct FormulaBase {
    Z3_ast var;
    uint64_t seen, size; /* size 0: not known */
} FormulaBase;

typedef struct Formula {
    const Trace *t;
    Z3_context z3;
    Z3_solver solver;
    VEC(FormulaNode) nodes;
    Map by_step;    /* Step -> index in nodes */
    VEC(Step) heap; /* max-heap of steps to expand */
    VEC(Fact) facts;
    VEC(Z3_ast) literals;     /* of facts: assumption that switches it on */
    VEC(Z3_ast) bodies;       /* of facts: what it says */
    Map strings;              /* step of a call -> 1 + index in string_facts */
    VEC(Z3_ast) string_facts; /* the strings it read are what they were; NULL: it read none */
    Map inputs;               /* step of a call and InputPart -> 1 + index in input_facts */
    VEC(Z3_ast) input_facts;  /* the program asked for the same input; NULL: it always does */
    Map bases_by_object;      /* of formula_place.c -> 1 + index in bases */
    VEC(FormulaBase) bases;
    Z3_ast goal;
    const char *goal_doubt; /* as Fact.doubt, of the goal */
    size_t pathed, paths;   /* nodes whose branches were looked at; FACT_PATHs so far */
    bool grounded;          /* pointers are followed like all other values */
    ChangedStepFn is_changed;
    void *user;
    const FormulaLimits *limits; /* may be NULL */
    unsigned question_ms;        /* one question to the solver, where limits say no less */
    double seconds;
} Formula;

/* Addresses on the way that must be what they were, and what else the fact depends on. */
typedef VEC(Z3_ast) Conditions;

/* A byte on its way from a writer to a reader. */
typedef struct Byte {
    uint64_t address;
    uint8_t seen; /* its value */
    Step reader;  /* whose fact it is when it comes from outside */
    Conditions conditions;
    const char *doubt; /* why what is said about it may not hold for every run of this path; NULL */
} Byte;

/* ---- terms and facts (formula_steps.c) ---- */

unsigned term_bits(Type t); /* of a value in memory */
/* Of the variable for a value of this type. */
unsigned term_var_bits(Type t);
bool term_has(Type t); /* whether values of this type have terms */
Type term_step_type(const Trace *t, Step s);
Z3_ast term_number(Formula *f, uint64_t value, unsigned bits);
/* The concrete value as a term: bits, or bytes of a wide one. */
Z3_ast term_concrete(Formula *f, Type type, uint64_t value);
Z3_ast term_fresh(Formula *f, unsigned bits);
Z3_ast term_resized(Formula *f, Op op, Z3_ast a, unsigned from, unsigned to);
/* An address that is the same on every run of the path: of a local or a constant place in it. */
bool term_is_fixed_address(const Trace *t, Step s);
/* Its node, made if need be; valid until the next one is made. */
FormulaNode *formula_node(Formula *f, Step s);
/* The latest step that waits to be expanded; the heap is not empty. */
Step formula_next(Formula *f);
/* The variable of a step, which is then expanded some time. as_value: also where it is a pointer.
 */
Z3_ast formula_var(Formula *f, Step s, bool as_value);
/* Adds a tracked constraint; formula_equate: that a equals b. */
void formula_add(Formula *f, FactKind kind, Step step, uint64_t address, Z3_ast body);
void formula_equate(Formula *f, FactKind kind, Step step, Z3_ast a, Z3_ast b);
/* The fact just added holds for this run, but another run of the same path might differ in ways
 * that the formula does not know. */
void formula_doubt(Formula *f, const char *why);
/* Operand i of a step: a constant, or the variable of the step that made it. */
Z3_ast term_operand(Formula *f, Step step, unsigned i, bool as_value);
/* The address of an access as a condition: it is what it was. NULL: it cannot be anything else. */
Z3_ast term_address_condition(Formula *f, Step step, unsigned operand);
void conditions_add(Conditions *conditions, Z3_ast condition);
/* The body, provided that the conditions hold; releases them. */
Z3_ast conditions_imply(Formula *f, Conditions *conditions, Z3_ast body);
/* "This is the same as it was": what the conditions imply; why: what makes it doubtful, or NULL.
 * NULL: nothing has to hold for that. Releases them. */
Z3_ast conditions_same(Formula *f, Step call, Conditions *conditions, const char *why);

/* ---- places (formula_place.c) ---- */

/* An address that was seen at a step, as a place in the object that held it then. */
Z3_ast place_term(Formula *f, uint64_t address, Step when);
/* The concrete value as a term: of a pointer, the place. */
Z3_ast place_concrete(Formula *f, Type type, uint64_t value, Step when);
/* Whether the address is the same on every run: of a static object, or none. */
bool place_is_fixed(const Formula *f, uint64_t address, Step when);
bool place_same_object(const Formula *f, uint64_t a, uint64_t b, Step when);
/* Tells a solver all that holds of the bases on every run. */
void place_anywhere(Formula *f, Z3_solver solver);

/* ---- memory ---- */

/* The byte that a writer left at b->address, with the conditions and doubts that this takes. */
Z3_ast bytes_written(Formula *f, Step writer, Byte *b);
/* What was written between the definition of some bytes and their use went elsewhere: a condition
 * for each write that might have hit them, had its pointer been different. A phrase when that
 * cannot be said; else NULL. */
const char *bytes_stays(Formula *f, Step reader, uint64_t address, uint32_t size, Step since,
                        Conditions *conditions);
/* The strings that a call read are what they were; NULL: it read none. */
Z3_ast bytes_strings_same(Formula *f, Step call);
void bytes_expand_load(Formula *f, const FormulaNode *n, const Inst *inst);

/* ---- input (formula_input.c) ---- */

typedef enum InputPart { INPUT_RESULT, INPUT_BYTES } InputPart;

/* Whether bytes that come from this call are input, not something computed from its arguments. What
 * va_start writes is the same on every run of the path. */
bool input_is_brought(const Inst *inst);
/* Whether all that such a call did, in memory as well, follows from what it was asked for and,
 * where it brings in input, from what there was to find. What copies has facts of its own. */
bool input_is_known(const Inst *inst);
/* That the call did what it did: it was asked for the same thing, and nothing that the program did
 * before would have changed the input that it finds. NULL: on every run of the path. */
Z3_ast input_same(Formula *f, Step call, InputPart part);
/* That it was asked for enough to reach the byte at an address. */
void input_reaches(Formula *f, Step call, uint64_t address, Conditions *conditions);

/* ---- steps ---- */

/* Adds what a step says about its value, once. */
void formula_expand(Formula *f, Step s);
/* What should have held; NULL: it has no term. */
Z3_ast formula_goal(Formula *f, const Predicate *phi);

#endif

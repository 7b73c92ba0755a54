/* The weakest precondition of a condition along a trace, as a set of tracked constraints.
 *
 * Where the paper substitutes, each executed instruction here defines a variable of its own (as in
 * the paper's own example, sum0, sum1, ..), so that every constraint is one instruction's and a
 * core of constraints is a set of instructions. Only instructions the condition depends on take
 * part, latest first. Values from outside, initialisers and floating point are equalities with what
 * was seen. An address is concrete: a load equals the store it read from, provided both addresses
 * are what they were; indexes are followed within the formula, pointers read from memory are
 * equalities of their own that a later predicate may question.
 *
 * Z3 stays behind formula.c. */
#ifndef CULPRIT_EXPLAIN_FORMULA_FORMULA_H
#define CULPRIT_EXPLAIN_FORMULA_FORMULA_H

#include "explain/analysis.h"
#include "trace/replay.h"

typedef enum FactKind {
    FACT_STEP,    /* the instruction's own equation */
    FACT_INIT,    /* an initialiser: address says of which global */
    FACT_INPUT,   /* a value from outside */
    FACT_POINTER, /* a pointer that says where another fact reads or writes */
    FACT_PATH,    /* a branch went this way: true of every run of the path */
    FACT_CUT,     /* followed no further: the slice reached its limit */
} FactKind;

typedef struct Fact {
    FactKind kind;
    Step step;         /* the instruction it comes from */
    uint64_t address;  /* FACT_INIT */
    bool changed;      /* its line belongs to a change: dropped last */
    const char *doubt; /* what it says need not hold for every run of this path: why; NULL */
} Fact;

typedef struct Core {
    VEC(Fact) facts;      /* of the minimal core, in the order of steps */
    bool unsat;           /* the formula became unsatisfiable */
    bool minimal;         /* no fact can be dropped; false when the solver gave up on one */
    bool checked;         /* a fresh solver says the core is unsatisfiable */
    bool cut;             /* the slice was cut */
    const char *doubt;    /* the first Fact.doubt among them, or of the condition itself; NULL */
    unsigned constraints; /* facts in the formula */
    double seconds;       /* in the solver */
} Core;

typedef struct FormulaLimits {
    bool (*stopped)(void *user); /* asked between questions to the solver; NULL: never */
    void *user;
    double core_s; /* seconds for minimising; 0: CORE_LIMIT_S */
    double all_s;  /* CPU seconds for all questions about one predicate; 0: no limit */
} FormulaLimits;

typedef bool (*ChangedStepFn)(void *user, Step step);
/* Why does the predicate hold? is_changed says which steps' constraints to keep if there is a
 * choice. Stopped: a core that is not unsat. */
void formula_core(const Trace *trace, const Predicate *phi, ChangedStepFn is_changed, void *user,
                  const FormulaLimits *limits, Core *core); /* limits may be NULL */
void core_release(Core *core);
/* Whether all constraints of the predicate's formula are true of the values that were seen, and the
 * predicate's opposite is not: the test of this translation. */
bool formula_holds(const Trace *trace, const Predicate *phi);

#endif

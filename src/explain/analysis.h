/* The semantic half of AFTER: why did a condition of the failing run come out as it did?
 *
 *     a  = analysis_new(bad, good, is_changed, user)
 *     analysis_failure(a, &expectation, &phi0, err)         the failed condition
 *     c  = analysis_cause(a, &phi0)                         SemanticAnalysis
 *     analysis_critical_predicates(a, c, &more)             CriticalPredicates
 *
 * A Predicate is one condition at one step of the bad run. A Cause is a minimal set of instructions
 * (generator instructions of a minimal unsatisfiable core) that force it. Everything returned lives
 * as long as the Analysis. Traces are not owned. */
#ifndef CULPRIT_EXPLAIN_ANALYSIS_H
#define CULPRIT_EXPLAIN_ANALYSIS_H

#include "trace/alignment.h"
#include "trace/trace.h"

typedef struct Analysis Analysis;

/* Whether a line belongs to a change: a line of the bad version, or (in_good) of the good one. Used
 * to keep changed lines in cores and to report; it must be cheap. */
typedef bool (*ChangedFn)(void *user, bool in_good, Str file, unsigned line);

typedef enum PredicateKind {
    PRED_BRANCH,  /* a branch or switch went one way and should have gone the other */
    PRED_VALUE,   /* a value was computed: should have been another (wanted, where known) */
    PRED_ADDRESS, /* an access went to one address: should have gone elsewhere */
} PredicateKind;

typedef enum PredicateLink {
    LINK_FAILURE,  /* phi0 */
    LINK_DIRECT,   /* decides whether a generator instruction runs */
    LINK_INDIRECT, /* its other arm could have redefined what a generator instruction reads */
    LINK_ADDRESS,  /* decides where a generator instruction reads or writes */
    LINK_DATA,     /* a value at which an overgrown analysis was cut off */
} PredicateLink;

typedef struct Predicate {
    PredicateKind kind;
    PredicateLink link;
    Step step;        /* in the bad run */
    unsigned operand; /* PRED_VALUE: which operand of the step; OPERAND_RESULT: its result */
    bool memory;      /* PRED_VALUE: a byte of memory the step (a call that writes output) read */
    uint64_t address; /* memory: of that byte, */
    Step writer;      /* who wrote it, */
    uint64_t seen;    /* and its value */
    uint32_t size;    /* memory: size of a number; 0: one byte of a string */
    bool has_wanted;  /* the right value is known */
    uint64_t wanted;  /* what it should have been, as bits */
    bool guessed;     /* LINK_FAILURE: the failure probably, not certainly, comes from here */
    bool differs;     /* the good run, where aligned, decided differently: analyse these first */
    bool aligned;     /* the good run has this step */
    Place place;
    Str text;     /* "branch taken", "sum is 3, should be 5": for edges of the tree */
    Str now, was; /* value here and in the good run; was empty when not aligned */
} Predicate;
#define OPERAND_RESULT 0xffffu
typedef VEC(Predicate) PredicateVec;

typedef enum CauseKind {
    CAUSE_ASSIGN,  /* a value was stored or computed */
    CAUSE_BRANCH,  /* a branch taken */
    CAUSE_INPUT,   /* a value from outside: argv, bytes read, an uninstrumented call */
    CAUSE_INIT,    /* an initialiser */
    CAUSE_MISSING, /* ran only in the good run: place is in the good version. Never proved */
} CauseKind;

typedef struct CauseStep {
    CauseKind kind;
    Step step; /* bad run; STEP_NONE for CAUSE_INIT and CAUSE_MISSING */
    Step when; /* its place in the order of the bad run: of what ran only in the good run, the last
                  step before it that both made; 0 for CAUSE_INIT */
    Place place;
    Str what;      /* variable or "branch", "call of read": for people */
    Str now, was;  /* value in the bad and in the good run; was empty when not aligned */
    bool differs;  /* both known and different in meaning: addresses by the place they denote */
    bool context;  /* both known and the same: not a cause by itself, and no chain continues through
                      it */
    bool changed;  /* is_changed said so */
    bool argument; /* a parameter's own store at the beginning of its function */
    bool proved;   /* part of a core that a fresh solver checked again */
} CauseStep;

typedef struct Cause {
    Predicate phi;              /* what it is a cause of */
    VEC(CauseStep) steps;       /* in the order of execution */
    bool proved;                /* see analysis_cause */
    const char *doubt;          /* why it is not proved, in words; NULL when it is */
    unsigned constraints, core; /* tracked constraints in the formula; left in the core */
    double solver_s;            /* seconds in the solver */
} Cause;

Analysis *analysis_new(Trace *bad, Trace *good, ChangedFn is_changed,
                       void *user); /* good may be NULL */
void analysis_free(Analysis *analysis);
/* When stopped says so, causes are abandoned, between two calls of the solver. */
void analysis_stop_when(Analysis *analysis, bool (*stopped)(void *user), void *user);
/* CPU seconds in the solver that each cause may take from now on; 0: no limit. What is not known by
 * then is not proved. */
void analysis_limit(Analysis *analysis, double seconds);

typedef struct Expectation {
    bool has_output; /* output is what standard output should have been */
    Str output;
    bool has_status; /* status is what the exit status should have been (good's where unknown) */
    int status;
    /* What the program wrote there the test showed as it was instead of reading it: it is not what
     * the test judges by, as long as something else differs. */
    bool output_shown, error_shown;
} Expectation;

/* The failed condition phi0. Looked for in this order: failed assert, abort, fatal signal (the
 * address, the divisor), a run that does not end, the first written byte that differs from the
 * expectation or from the good run, the exit status, messages, files. False and err (STATUS_NO)
 * when the bad run shows nothing of the kind. */
bool analysis_failure(Analysis *analysis, const Expectation *expected, Predicate *phi0, Error *err);
/* starts.c: the dual slice of everything that came out wrong, each wrong line of output on its own;
 * NULL without a good run. The caller frees it (dual.h). */
struct Dual *analysis_dual(Analysis *analysis, const Expectation *expected, AlignWay way,
                           bool alone);
/* Never NULL: a predicate that depends on nothing gives a cause with its own place alone.
 *
 * Proved means: a solver that knows nothing of the search finds the opposite of the condition
 * unsatisfiable, from a core of facts of which none can be left out and each of which holds for
 * every run that takes this path, given what the core itself names: its inputs and initialisers.
 * Not proved, and why is in doubt: a slice that was cut, a core that
 * was not minimised to the end, a replay that diverged or a recording that ends early, a starting
 * point that was guessed, pointers that were taken for granted, results and memory that code
 * outside the traced program computed from what the core does not name, and writes that might have
 * gone elsewhere. */
Cause *analysis_cause(Analysis *analysis, const Predicate *phi);
/* A step that the dual slice passed through, without a proof: bad may be STEP_NONE (ran in the good
 * run only), and so may good. */
CauseStep analysis_step(Analysis *analysis, Step bad, Step good);
/* A branch of the bad run as a critical predicate. */
Predicate analysis_branch(Analysis *analysis, Step branch, PredicateLink link);
/* Appends the cause's critical predicates, nearest to the failure first, each at most once in the
 * life of the analysis. With a good run: none of steps that came out the same there, and none that
 * came out the same itself, as long as the cause has a step that did not. */
void analysis_critical_predicates(Analysis *analysis, const Cause *cause, PredicateVec *more);
/* Whether the code of a place in the bad run is also reached in another trace: the dodge check. */
bool analysis_reached(const Trace *other, const Place *place);

#endif

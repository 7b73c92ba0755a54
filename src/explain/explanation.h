/* The answer of explain: root changes, auxiliary changes and the tree of causes, and its three
 * forms: for people, as JSON (its shape is in store/store.h under "explanations", with what is said
 * below) and for Graphviz.
 *
 * The JSON of `explanation.json` and of --json: the members of store.h, and
 *   "method":"after|dd|ddmin|add", "found":bool, "together":bool (reverting "roots" passes, but
 * which of them matter was not tested: time ended before), "complete":bool (not stopped by the
 * clock), "verified":bool (built from scratch and passed twice), "dodges":bool, "traced":bool,
 * "notes":[".."], "hunks":n, "changes":n, "tests":n, "known":n, "direct":n (builds without the
 * user's makefiles), "refused":n (sets that a parser
 * refused), "causes":n, "cores":n, "cores_checked":n, "diverged":n, "solver_seconds":x,
 * "cpu_seconds":x, "patch":".." (the revert patch); a root or auxiliary change also has "place",
 * "old", "new" (its lines) and with --git "commit", "subject"; with history "history" has "found",
 * "commit", "parent", "subject", "commits", "left", "builds", "skipped"; "narrowed" is the smallest
 * set known to matter where no root was found; "alternatives" are changes that, reverted instead of
 * all of these, make the test pass as well; a step also has "what", "mark", "version" ("bad", or
 * "good" for code that ran only there), "differs"; "chain" is what is shown of the tree by default:
 * steps in the order of execution, each also with "repeats":n (how often its line comes again).
 */
#ifndef CULPRIT_EXPLAIN_EXPLANATION_H
#define CULPRIT_EXPLAIN_EXPLANATION_H

#include "base/json.h"
#include "change/change.h"

typedef enum Mark {
    MARK_PROVED,    /* part of a core that a fresh solver checked again */
    MARK_TESTED,    /* a revert made the test pass */
    MARK_SUSPECTED, /* neither */
} Mark;

#define NO_NODE ((size_t)-1)

typedef struct TreeStep {
    Str file;      /* relative to the version's root */
    unsigned line; /* 0: none */
    Str function;
    Str text;            /* the source line, trimmed */
    Str what;            /* variable, "branch", .. */
    Str now, was;        /* value in the bad and in the good run; empty: not known */
    size_t change;       /* the change it belongs to; NO_CHANGE */
    const size_t *maybe; /* all changes it may depend on */
    size_t n_maybe;
    const uint8_t *maybe_tier; /* of each: how certain (MapTier) */
    bool in_good;              /* code that ran only in the good version */
    bool differs;  /* came out otherwise in meaning: addresses by the place they denote */
    uint64_t when; /* its place in the order of the bad run */
    bool argument; /* a call's argument as it arrived: what was passed says more */
    Mark mark;
} TreeStep;

/* One cause; node 0 is that of the failure. */
typedef struct ExplainNode {
    size_t parent; /* the cause this one explains; NO_NODE for the first */
    bool indirect; /* how the predicate of the edge influences the parent */
    Str edge;      /* the critical predicate in words */
    Str edge_file; /* and its place */
    unsigned edge_line;
    uint64_t edge_when; /* as of a step */
    Str edge_now, edge_was;
    VEC(TreeStep) steps; /* in the order of execution */
    Mark mark;
    bool has_root; /* one of its steps belongs to a root change */
    bool kept;     /* lies between the failure and a root change */
} ExplainNode;

/* The commit that broke it, where history was searched. */
typedef struct ExplainHistory {
    bool known;     /* it was */
    bool found;     /* commit is the one; else one of those left */
    Str commit;     /* full hash of the first that fails, */
    Str parent;     /* and of the last that passes */
    Str subject;    /* of commit, and its author */
    size_t commits; /* between the two versions */
    size_t left, builds, skipped;
} ExplainHistory;

typedef struct Explanation {
    Arena arena; /* owns all texts */
    const ChangeSet *set;
    const char *method;
    const char *good, *bad, *test; /* as the user named them */
    uint8_t *root, *rest;          /* a byte for each change */
    bool found;                    /* reverting them passes */
    bool together;     /* time ended before roots and others were told apart: all are in root */
    uint8_t *other;    /* reverting these instead passes as well; all 0: none is known */
    uint8_t *narrowed; /* not found: the smallest set known whose revert passes; all 0: none */
    bool complete;     /* the search finished: no smaller answer was left to try */
    bool verified;     /* and does so from scratch */
    bool dodges;       /* passes only because the failing code is no longer reached */
    bool traced;       /* the tree comes from traces */
    StrVec notes;      /* what the user should know, one line each */
    Str failure;       /* in words */
    Str failure_file;
    unsigned failure_line;
    VEC(ExplainNode) nodes;
    size_t *beside; /* by change: the node that a root which no cause led to is told beside */
    StrVec commits, subjects; /* by change, with --git; else empty */
    ExplainHistory history;
    size_t builds, tests, known, causes;
    size_t direct;         /* builds without the user's makefiles, of builds */
    size_t refused;        /* sets that a parser refused: they were not built */
    size_t cores, checked; /* cores extracted; found unsatisfiable again by a fresh solver */
    uint64_t diverged; /* places where a replay and its recording disagree: 0 when all is well */
    double seconds, solver_s;
    double cpu_s; /* of all builds and tests, and of the analysis */
} Explanation;

void explanation_init(Explanation *e, const ChangeSet *set, const char *method);
void explanation_release(Explanation *e);
void explanation_note(Explanation *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Marks what lies between the failure and the root changes, and what the passing revert proves.
 * Call once when root is final. */
void explanation_settle(Explanation *e);
size_t explanation_count(const Explanation *e, const uint8_t *subset);

json_t *explanation_json(const Explanation *e);
void explanation_dot(const Explanation *e, Buf *out);
/* whole: every step of every cause; else at most CHAIN_MOST steps from the change to the failure.
 */
void explanation_print(const Explanation *e, bool whole, FILE *out);

/* explanation_chain.c: the way from a root change to the failure, in the order of execution. */
enum { CHAIN_MOST = 10 };
typedef struct ChainStep {
    const TreeStep *step; /* NULL: the edge of node, a branch that went differently */
    const ExplainNode *node;
    size_t left_out; /* steps between the one before and this that are not shown */
    size_t repeats;  /* how often its line comes again */
    uint64_t when;   /* its place in the order of the bad run */
} ChainStep;
typedef VEC(ChainStep) ChainSteps;
/* At most CHAIN_MOST of them, each line once: the change's own, decisions that went the other way,
 * values that differ, changed lines before others; and the last. None where there is no path. */
void explanation_chain(const Explanation *e, ChainSteps *chain);
/* Its value is an address, which means nothing to a person by itself. */
bool tree_step_is_address(const TreeStep *step);
/* Writes revert.patch, explanation.json and tree.dot into dir, which is made if need be. */
bool explanation_write(const Explanation *e, const char *dir, Error *err);

#endif

/* explain, from two directories to an answer: the steps of `culprit explain` without its options.
 *
 *     explain_run(&request, &result, &err);  ..  explain_result_release(&result)
 *
 * A request holds everything that is asked, a result everything that is printed, stored or shown;
 * nothing is kept between two calls. Where the two versions are commits of one history, the commit
 * that broke it is looked for first (history.h), and then only its own difference is explained.
 *
 * Status in err when it returns false: STATUS_NO (nothing to explain, out of time before both
 * versions were built and tested), STATUS_BAD (bad input, a build that fails on the untouched
 * versions), STATUS_LACKS. When it returns true explanation.found tells whether a root was found;
 * out of time or interrupted, the best answer so far is there. */
#ifndef CULPRIT_EXPLAIN_EXPLAIN_H
#define CULPRIT_EXPLAIN_EXPLAIN_H

#include "base/live.h"
#include "explain/explanation.h"
#include "explain/search/revert_search.h"
#include "explain/versions.h"

typedef struct ExplainRequest {
    const char *good, *bad;   /* directories; with git: names of commits */
    bool git;                 /* good and bad are commits */
    const char *repository;   /* with git: a directory of it; NULL: the current one */
    bool no_history;          /* the whole difference, whatever commits lie between */
    const char *build, *test; /* shell text */
    const char *expect;       /* file with the right output; NULL */
    const StrVec *globs;      /* --files */
    const StrVec *suspects;   /* files that are looked at first */
    const char *method;       /* after, dd, ddmin, add */
    unsigned workers;         /* 0: all cores */
    double time_s;            /* 0: no limit */
    double cpu_s;             /* CPU time, that of builds and tests included; 0: no limit */
    const char *state;        /* where verdicts are kept; NULL: not kept */
    bool dump_search;         /* --dump=search */
    bool no_trace;            /* the answer comes from reverting alone */
    bool whole_hunks;         /* a hunk is reverted whole, never a statement of it */
    bool one_commit;          /* set by explain_run: the difference is that of one commit */
    Live *live;
} ExplainRequest;

typedef struct ExplainResult {
    ChangeSet set;           /* what differs; only that of one commit where history found it */
    Explanation explanation; /* its sets are subsets of set */
} ExplainResult;

/* The result must be released whatever it returns. */
bool explain_run(const ExplainRequest *request, ExplainResult *result, Error *err);
void explain_result_release(ExplainResult *result);

/* What --check tells. */
typedef struct CheckReport {
    bool good_passes, bad_fails;       /* on the plain builds, twice each */
    bool alike;                        /* bad fails in the same way under culprit-cc */
    Str good_end, bad_end, traced_end; /* how the tests ended, in words */
    Str why;                           /* why the traced build cannot be used; empty */
} CheckReport;
bool explain_check(const ExplainRequest *request, CheckReport *report, Arena *arena, Error *err);

/* What a method works with. */
typedef struct ExplainWork {
    const ExplainRequest *request;
    Versions *subject;
    ChangeSet *set; /* the subject's: changes may be reverted in part */
    Oracle *oracle;
    const uint8_t *candidates; /* changes that may matter */
    Explanation *explanation;
    Answer *answer; /* the best so far */
    uint8_t *room;  /* a byte for each change, for temporary use */
} ExplainWork;

/* after.c: AFTER's Algorithm 1; and ADD, which shares its traces. */
void after_run(ExplainWork *work);
void add_run(ExplainWork *work);

#endif

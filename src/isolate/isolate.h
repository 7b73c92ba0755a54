/* The stage: which file of a compiler is the culprit.
 *
 * A request holds everything isolate needs, a result everything that is printed, stored or shown.
 * No state is kept between two calls; the result must be freed whether or not the run succeeded.
 *
 *     IsolateResult result;
 *     if (!isolate_run(&request, &result, &err)) ..       err says why there is no ranking
 *     isolate_print(&result, 20, stdout);                  isolate_report.h
 *     isolate_result_free(&result);
 *
 * A run that the user interrupts ranks what it has by then (result.interrupted); if it is
 * interrupted before there is a failing run to rank, it fails with STATUS_INTERRUPTED. */
#ifndef CULPRIT_ISOLATE_ISOLATE_H
#define CULPRIT_ISOLATE_ISOLATE_H

#include "cc/repro.h"
#include "isolate/rank.h"

typedef struct IsolateResult IsolateResult;

typedef struct IsolateRequest {
    SubjectSpec subject;     /* the compilers, the options, the failing program */
    const char *search;      /* "auto", "options", or a search of witness_search.h */
    RankWay rank;            /* RANK_BEST unless the papers' way is asked for */
    const char *ingredients; /* test suite of the compiler; NULL: none */
    Str passing;             /* a program close to the failing one that passes; empty: none */
    double time_s;           /* stop after this long; 0: no limit */
    bool cpu_clock;          /* time_s is CPU time per worker */
    uint64_t most_witnesses; /* stop at this many; 0: no limit */
    uint64_t seed;
    unsigned workers;  /* 0: all cores */
    bool as_given;     /* do not make the program smaller first */
    unsigned top;      /* files recorded of what the passing program alone would have ranked */
    const char *dump;  /* directory the coverage of all runs is written to; NULL: none */
    const char *again; /* directory an earlier run dumped: rank that, compile nothing; NULL: no */
    Live *live;        /* what people see on the way; NULL: nothing */
    /* Called with the ranking at each of isolate_marks (seconds) and at the end; may be NULL. */
    void (*mark)(void *user, const IsolateResult *result, double at);
    void *user;
} IsolateRequest;

extern const double isolate_marks[]; /* ends with 0 */

struct IsolateResult {
    Subject subject;
    Isolation iso;
    Ranking ranking; /* as it is at the end, or at a mark */
    const char *search;
    bool interrupted; /* by the user: the ranking is of what was known by then */
    bool found;  /* witnesses; false: the ranking is of the failing run alone, and says little */
    Arena arena; /* of the ranking */
    CleanTools clean;
};

/* The defaults of a request: the best ranking, ten minutes, 500 witnesses, seed 1. */
IsolateRequest isolate_request(void);
/* Takes the program, its input, the compiler and what is right from a failure, as far as the
 * request does not say otherwise. STATUS_BAD: it has several units. Texts are the repro's own or in
 * arena. */
bool isolate_take_repro(IsolateRequest *request, const Repro *repro, Arena *arena, Error *err);
bool isolate_run(const IsolateRequest *request, IsolateResult *result, Error *err);
void isolate_result_free(IsolateResult *result);

#endif

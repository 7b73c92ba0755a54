/* The two traced runs that an explanation is read from: the failing one, and the run of the good
 * version that goes with it.
 *
 * A test may run several programs, or one program several times. Processes of the two versions go
 * together by command and order. The one to explain is the one whose end or output the test sees:
 * one that died or hangs, else one whose output is part of the test's own, else by exit status,
 * else any that wrote something different; and where that one read what another one wrote
 * differently (through a pipe, or a file as standard input and output), the other one. What a
 * process read from a file that it opened itself is not recorded as such, so the choice can be
 * wrong: the others that came out differently can be read in its place. */
#ifndef CULPRIT_EXPLAIN_TRACED_PAIR_H
#define CULPRIT_EXPLAIN_TRACED_PAIR_H

#include "change/fit.h"
#include "explain/versions.h"
#include "trace/trace.h"

/* The recordings of one process; good may be NULL. */
typedef struct TracedChoice {
    const char *bad, *good;
    bool feeds; /* began before the first choice and wrote something different to files */
} TracedChoice;
enum { TRACED_MOST = 4 }; /* processes that are looked at */

typedef struct TracedPair {
    Traced bad_build, good_build;
    Trace *bad, *good;         /* good may be NULL */
    VEC(TracedChoice) choices; /* processes that came out differently, the one to explain first */
    const char *wrapper;       /* culprit-cc */
    Fit *fit;              /* of the two builds, also where a trace cannot be used; NULL: none */
    const char *direct;    /* the makefile of builds without the user's; NULL: none, */
    const char *no_direct; /* and why */
    TraceStop stop;        /* when reading recordings is given up, */
    double read_until;     /* and clock_now at which it is; 0: never */
    double deadline;       /* of the whole; 0: none */
    Str why;               /* why there is none: one line; empty when there is */
} TracedPair;

/* Builds, runs and reads both versions, until stop says that it is enough. False: w->why says why
 * not; release it anyway. */
bool traced_pair_make(TracedPair *w, Versions *subject, TraceStop stop);
void traced_pair_release(TracedPair *w);
/* Reads the traces of another process in place of the present ones. */
bool traced_pair_open(TracedPair *w, size_t choice, Error *err);
/* Runs the bad version with a subset reverted once more: whether it reaches the code of a place in
 * bad, wherever its line is in that tree. Also true when that cannot be determined. */
bool traced_pair_reaches(TracedPair *w, Versions *subject, const uint8_t *reverted,
                         const Place *place);

#endif

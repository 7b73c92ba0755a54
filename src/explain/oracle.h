/* The oracle of a search: "bad with these changes reverted: does it build, does the test pass?"
 *
 * Sets are tested one at a time (oracle_ask) or as a round of candidates of which the first in
 * order with the wanted verdict is the answer (OracleView, for the minimisers of shrink/ and the
 * searches here): then several worker trees build at once, and what was started after the answer is
 * killed. No tree is ever built twice, whatever set it came from. The user's own commands are shell
 * text: they are run by /bin/sh in the worker tree, and write nowhere else (RUN_BUILD). */
#ifndef CULPRIT_EXPLAIN_ORACLE_H
#define CULPRIT_EXPLAIN_ORACLE_H

#include "base/live.h"
#include "change/change.h"
#include "change/fit.h"
#include "change/needs.h"
#include "change/verdicts.h"
#include "change/worktree.h"
#include "run/run.h"
#include "shrink/shrink.h"

typedef struct Oracle Oracle;

typedef struct OracleSpec {
    const ChangeSet *set;
    const IncludeMap *includes;
    Worktree *bad;            /* a built copy of bad to start with (taken over); NULL: none.
                               * With scratch only for builds without the user's makefiles */
    Worktree *good;           /* the same of good, unless files that differ were left out */
    const char *build, *test; /* shell text */
    const char *state;        /* directory of the verdicts; NULL: not kept */
    unsigned workers;         /* 0: all cores */
    double deadline;          /* clock_now at which it stops; 0: never */
    double cpu_limit_s;       /* CPU time of this process and its children; 0: none */
    double test_limit_s;      /* of one test run */
    double test_cpu_s;        /* CPU time of each of its processes; 0: no limit */
    double build_cpu_s;       /* what a build from nothing takes, in CPU time */
    bool scratch;             /* every build in a tree of its own: see includes_one_is_most */
    bool dump;                /* each tried set and what became of it, on stderr */
    Live *live;
} OracleSpec;

typedef struct OracleCounts {
    size_t builds;  /* build commands run */
    size_t direct;  /* of those, without the user's makefiles */
    size_t tests;   /* test commands run */
    size_t refused; /* sets that a parser refused: not built */
    size_t known;   /* answers that cost nothing */
    size_t left;    /* candidates of the search, for the live line: set by the searches */
    size_t causes;  /* causes found so far, for the live line */
} OracleCounts;

Oracle *oracle_new(const OracleSpec *spec, Error *err); /* NULL and err */
void oracle_free(Oracle *oracle);
OracleCounts *oracle_counts(Oracle *oracle);
unsigned oracle_workers(const Oracle *oracle);
const ChangeSet *oracle_set(const Oracle *oracle);

/* From now on sets that do not fit are not built; fit may be NULL, and stays the caller's. */
void oracle_use_fit(Oracle *oracle, Fit *fit);
bool oracle_has_fit(const Oracle *oracle);

/* How sets are built without the user's makefiles (change/direct.h), and which of them are: what
 * reverts a hard change is not, nor what lacks something that only the user's own build would miss
 * (a makefile's line for a file that comes back). All of it stays the caller's. */
typedef struct OracleDirect {
    const char *build;   /* NULL: none are */
    const uint8_t *hard; /* for each change: 1 if it needs the user's own */
    const Needs *ties;   /* what must come with what */
} OracleDirect;

/* From now on sets are built so. It is tried first: nothing reverted must fail, passing must pass,
 * and building it must be cheaper. False, and *why in a few words: it is not used. */
bool oracle_use_direct(Oracle *oracle, OracleDirect direct, const uint8_t *passing,
                       const char **why);
/* Back to the user's own. */
void oracle_end_direct(Oracle *oracle);

/* What asking the parser has cost so far, and what a build costs on average, in CPU seconds. A
 * parser that turns out to cost more than the builds it saves is not asked any more. */
double oracle_fit_cpu(const Oracle *oracle);
double oracle_build_cpu(const Oracle *oracle);
/* CPU seconds of this process and of all it ran. */
double oracle_cpu(void);
/* --dump=search: a line on stderr, with the CPU seconds so far. */
void oracle_say(const char *fmt, ...) PRINTF_LIKE(1, 2);
bool oracle_dumps(const Oracle *oracle);

/* Until further notice it also counts as stopped from so many CPU seconds on (oracle_cpu); 0: no
 * more. */
void oracle_pause_at(Oracle *oracle, double cpu_s);
/* Interrupted, out of time, or a worker tree could not be written (then *err says so). */
bool oracle_stopped(Oracle *oracle, Error *err);
Outcome oracle_ask(Oracle *oracle, const uint8_t *reverted);
/* Whether a set is known not to build, or a parser says so now: costs no build. */
bool oracle_refuses(Oracle *oracle, const uint8_t *reverted);
/* Why the parser refuses a set, in full, and which unit (fit_refused_unit); false: it does not, or
 * there is none. */
bool oracle_refusal(Oracle *oracle, const uint8_t *reverted, Buf *log, const char **unit);
/* Whether the parser says so of a unit of the set: see fit_says. */
size_t oracle_says(Oracle *oracle, const char *unit, const uint8_t *reverted, Str text);
/* Whether reverting a change of a build file brings back a unit that defines the name. */
bool oracle_brings(const Oracle *oracle, size_t change, Str name);
/* A verdict that is known for other reasons. */
void oracle_tell(Oracle *oracle, const uint8_t *reverted, Outcome outcome);
/* What the build of a set that does not build said; builds it if necessary. */
Str oracle_log(Oracle *oracle, const uint8_t *reverted);
/* Whether a set's verdict is known already. */
bool oracle_known(Oracle *oracle, const uint8_t *reverted, Outcome *outcome);

/* A worker tree that holds this set, built once and from nothing; NULL: there is none any more. */
const Worktree *oracle_scratch_tree(const Oracle *oracle, const uint8_t *reverted);

/* Elements of a minimiser as changes: element i is change elements[i]; all other changes are as in
 * base. */
typedef struct OracleView {
    Oracle *oracle;
    const size_t *elements;
    size_t n;
    const uint8_t *base;      /* a byte for each change; NULL: none reverted */
    bool keep_is_applied;     /* keep 1 means the change stays applied; else that it is reverted */
    ShrinkVerdict verdict[4]; /* what an Outcome is called; STOPPED is never looked up */
} OracleView;
ShrinkTest oracle_test(OracleView *view);
/* The subset that keep stands for, into out (a byte for each change). */
void oracle_subset(const OracleView *view, const uint8_t *keep, uint8_t *out);

/* The user's text as a process: for building in dir, and for testing. Also used for the untouched
 * versions and the traced ones; cc is what CC is set to (NULL: the user's own). extra
 * ("NAME=value" each, NULL after the last) may be NULL. */
RunSpec oracle_build_spec(Arena *arena, const char *text, const char *dir, const char *cc,
                          const char *const *extra, double limit_s);
RunSpec oracle_test_spec(Arena *arena, const char *text, const char *dir, const char *extra,
                         double limit_s);

/* The line of a build's messages that says most: the first error, else the last line. */
Str oracle_telling_line(Str log);
/* STATUS_BAD where the test of a good version did not run at all, by the shell's codes: not found,
 * or not executable. */
bool oracle_test_started(const RunResult *result, Error *err);
/* What a build may lack that fails here but not when the user runs it; empty where nothing is taken
 * away from it, and where the telling line of its log is a compiler's about a source. */
const char *oracle_rights_hint(Str line);

#endif

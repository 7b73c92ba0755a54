/* What is to be explained: two versions, how they are built and tested, and whether the test really
 * passes on one and fails on the other.
 *
 * versions_prepare copies both versions, builds them and runs the test on each twice. The user's
 * directories are only read. versions_trace builds and runs a version once more with
 * CC=culprit-cc; versions_verify builds an answer from scratch. */
#ifndef CULPRIT_EXPLAIN_VERSIONS_H
#define CULPRIT_EXPLAIN_VERSIONS_H

#include "base/live.h"
#include "change/change.h"
#include "change/worktree.h"
#include "run/run.h"

typedef struct VersionSide {
    Worktree tree;     /* a built copy, until an oracle takes it over, */
    const char *dir;   /* and where it was built and tested */
    RunResult test[2]; /* both runs of the test */
    bool passes;
} VersionSide;

typedef struct Versions {
    Arena arena;
    const ChangeSet *set;
    IncludeMap includes;
    const char *build, *test; /* shell text */
    VersionSide good, bad;
    double deadline;     /* clock_now at which everything started here is killed; 0: never */
    double build_s;      /* what the longer of the first two builds took */
    double build_cpu_s;  /* the same in CPU time */
    double test_limit_s; /* how long a test may take, from how long it took, */
    double test_cpu_s;   /* and how much CPU time each of its processes */
    bool varies;         /* what the test prints differs from run to run */
    Live *live;
} Versions;

typedef struct VersionsSpec {
    const ChangeSet *set;
    const char *build, *test; /* shell text */
    double deadline;          /* as in Versions */
    Live *live;
} VersionsSpec;

/* False and err: a build fails (STATUS_BAD, with the compiler's first message), the test is flaky
 * (STATUS_BAD), it does not tell the versions apart (STATUS_NO, and which of the ways) or time ran
 * out (STATUS_NO). The sides are filled as far as it got. */
bool versions_prepare(Versions *s, const VersionsSpec *spec, Error *err);
void versions_release(Versions *s);

/* One traced version. */
typedef struct Traced {
    Worktree tree; /* built with culprit-cc */
    char *traces;  /* directory of its traces */
    RunResult test;
    bool built; /* the build succeeded */
    bool alike; /* the test ended as it did on the plain build */
    Str why;    /* why it cannot be used: one line; empty when it can */
} Traced;

/* Path of culprit-cc: beside this program, where the build leaves it, or along PATH. NULL: nowhere.
 */
const char *versions_wrapper(Arena *arena);
/* Builds and runs the good or the bad version with culprit-cc. False: t->why says why not. */
bool versions_trace(Versions *s, Traced *t, bool good, const char *wrapper);
/* Runs a traced bad tree once more with a subset reverted; only what changed is rebuilt. Of what is
 * rebuilt, only the named C file is recorded (NULL: all): a fraction of the work. */
bool versions_trace_again(Versions *s, Traced *t, const uint8_t *reverted, const char *only,
                          const char *wrapper);
/* A file beside the bitcode of a version: what culprit-cc wrote down, see change/fit.h and
 * change/direct.h. */
const char *versions_list(Arena *arena, const Traced *t, const char *name);
void traced_release(Traced *t);

/* A fresh copy of bad with the revert patch applied, built from scratch and tested twice. built: a
 * tree that holds the subset and was built from nothing and tested once already; it is compared
 * with what the patch makes, and tested once more. NULL: there is none. */
bool versions_verify(Versions *s, const uint8_t *reverted, const Worktree *built, Error *err);

#endif

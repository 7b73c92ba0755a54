/* The commit that broke it: a search over the history between two commits before anything is split.
 *
 * The commits are those that git bisect would ask about (git rev-list --bisect), so that no history
 * needs more builds than it; several workers build the commits that it may ask about next, and what
 * the verdict makes pointless is abandoned at once. A commit that does not build is skipped, and
 * the next one is taken from a distance. Commits that touch nothing but documentation are never
 * built: they do what their parent does.
 *
 * Worker trees are clones that share the repository's objects. From one commit to the next a tree
 * is built incrementally where only sources changed; after a changed header every source is
 * compiled again, and a makefile, an added or a removed file means a clean tree; so does a build
 * that wrote nothing though sources changed. A test that gives two different answers is run a third
 * time. builds counts commits, however often one was built. */
#ifndef CULPRIT_EXPLAIN_HISTORY_HISTORY_H
#define CULPRIT_EXPLAIN_HISTORY_HISTORY_H

#include "base/live.h"
#include "explain/history/git.h"

typedef struct HistoryRequest {
    const GitPair *pair;      /* good is an ancestor of bad */
    const char *build, *test; /* shell text */
    const char *state;        /* directory of the verdicts; NULL: not kept */
    unsigned workers;         /* 0: all cores */
    double deadline;          /* clock_now at which it stops; 0: never */
    double cpu_limit_s;       /* CPU time of builds and tests; 0: no limit */
    bool scratch;             /* every commit in an empty tree, whatever is known */
    bool dump;                /* each commit and its verdict, on stderr */
    Live *live;
} HistoryRequest;

typedef struct HistoryResult {
    const char *good, *bad; /* the last commit that passes, the first that fails */
    bool found;             /* bad is the commit: all between good and bad is itself */
    Str subject;            /* of bad, and its author */
    size_t commits;         /* between the two of the request, the last one included */
    size_t left;            /* how many of them can be the one */
    size_t builds, tests, skipped;
    bool flaky; /* some commit's test answered in two ways */
    double cpu_s;
} HistoryResult;

/* Texts go into the arena. False and err: good does not pass or bad does not fail (STATUS_NO), does
 * not build (STATUS_BAD), or time runs out before both are known (STATUS_NO). */
bool history_run(const HistoryRequest *request, HistoryResult *result, Arena *arena, Error *err);

#endif

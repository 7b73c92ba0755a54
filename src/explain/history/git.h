/* Two commits of a repository as two directories, the commits between them, and the commit that
 * each root or auxiliary change came with. git is run through the runner and only reads: the user's
 * repository is never written to. */
#ifndef CULPRIT_EXPLAIN_HISTORY_GIT_H
#define CULPRIT_EXPLAIN_HISTORY_GIT_H

#include "explain/explanation.h"

typedef struct GitPair {
    const char *good, *bad;         /* the commits, as full hashes */
    const char *good_dir, *bad_dir; /* their trees, written to working directories; NULL: not yet */
    const char *top;                /* root of the repository (a bare one: its git directory) */
} GitPair;

/* Looks the commits up in the repository that dir lies in (NULL: the current directory). False and
 * err: no repository there, no such commit (STATUS_BAD), no git (STATUS_LACKS). */
bool git_find(Arena *arena, const char *dir, const char *good, const char *bad, GitPair *pair,
              Error *err);
/* Whether two directories are checkouts of one history without changes of their own; then pair
 * names their commits. */
bool git_recognise(Arena *arena, const char *good_dir, const char *bad_dir, GitPair *pair);
/* Whether a commit has a file: its path from the root of the repository that dir lies in (NULL: the
 * current directory). False also where there is no such commit. */
bool git_has_file(Arena *arena, const char *dir, const char *commit, const char *path);
/* Writes the trees of both commits into working directories. */
bool git_lay_out(Arena *arena, GitPair *pair, Error *err);

typedef struct GitCommit {
    const char *hash;
    const char *parent; /* the first one; NULL: it has none */
    unsigned parents;
    bool idle; /* touches nothing but documentation: builds and tests as its parent does */
} GitCommit;
typedef VEC(GitCommit) GitCommits;

/* The commits that are in to and not in from, each behind its parents. */
bool git_between(Arena *arena, const char *top, const char *from, const char *to, GitCommits *list,
                 Error *err);
/* What git rev-list says with an option about revisions, one a line; empty where it fails. */
Str git_rev_list(Arena *arena, const char *top, const char *with, Str revisions);
bool git_is_ancestor(const char *top, const char *old, const char *young);
/* Their newest common ancestor; NULL: they have none. */
const char *git_merge_base(Arena *arena, const char *top, const char *one, const char *other);
/* The n-th parent of a commit, counted from 1; NULL: it has none. */
const char *git_parent(Arena *arena, const char *top, const char *commit, unsigned n);
Str git_subject(Arena *arena, const char *top, const char *commit); /* and its author */
/* Whether a path is documentation by its name: no build reads it. */
bool git_is_documentation(Str path);

/* Fills explanation->commits and subjects for root and auxiliary changes: blame of the lines that
 * were added, the commit that dropped the lines that were removed. */
void git_blame(const GitPair *pair, Explanation *explanation);

#endif

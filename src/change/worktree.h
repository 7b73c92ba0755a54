/* Worker trees: copies of the bad version in which any subset of the changes can be reverted and
 * built again, incrementally.
 *
 * worktree_new copies the bad tree; worktree_set writes only the files whose text differs from what
 * is there, so that make rebuilds no more than that. Old makefiles do not list what includes a
 * changed header: every file that includes it, directly or not, is touched too. A build that was
 * killed may leave half an object file behind that looks newer than its source: after that
 * (worktree_built) the next worktree_set touches what was changed for it once more. */
#ifndef CULPRIT_CHANGE_WORKTREE_H
#define CULPRIT_CHANGE_WORKTREE_H

#include "change/change.h"

/* Who includes whom, over all C files of the bad and the good tree; shared by the worker trees. */
typedef struct IncludeMap {
    Arena arena;
    StrVec files;    /* relative paths */
    Map users;       /* base name of an included file -> IncludeUsers* */
    uint64_t code;   /* bytes of all C files of bad, headers not counted, */
    uint64_t *sizes; /* and of each file */
} IncludeMap;
bool includes_read(IncludeMap *map, const ChangeSet *set, Error *err);
void includes_release(IncludeMap *map);
/* Whether a changed file is most of the code: then rebuilding it is rebuilding everything. */
bool includes_one_is_most(const IncludeMap *map, const ChangeSet *set);

typedef struct Worktree {
    Arena arena;
    const ChangeSet *set;
    const IncludeMap *includes;
    char *dir;        /* of the copy */
    uint8_t *now;     /* the subset that is reverted in it, */
    uint64_t *blends; /* and with which blends, for each file of the set (ChangeFile.blends) */
    uint8_t *doubt;   /* for each file of the set: its objects cannot be trusted */
    double quiet;     /* when the last build ended: see MTIME_GAP_S */
    size_t builds;    /* builds since it was copied, */
    bool complete;    /* and whether the last one completed */
    bool built;       /* some build of it has completed */
} Worktree;

/* A copy of root (the bad version unless it is NULL) in a new working directory. */
bool worktree_new(Worktree *tree, const ChangeSet *set, const IncludeMap *includes,
                  const char *root, Error *err);
void worktree_release(Worktree *tree); /* removes the copy */
/* Makes the tree "bad with the subset reverted". */
bool worktree_set(Worktree *tree, const uint8_t *reverted, Error *err);
/* The tree, a copy of good, becomes "bad with everything reverted": what differs from that (names
 * that were changed throughout) is written by the next worktree_set. */
void worktree_is_good(Worktree *tree);
/* Whether the tree is "bad with the subset reverted". */
bool worktree_holds(const Worktree *tree, const uint8_t *reverted);
/* How many files worktree_set would have to write. */
size_t worktree_distance(const Worktree *tree, const uint8_t *reverted);
/* Call after a build: completed, or killed. */
void worktree_built(Worktree *tree, bool completed);

#endif

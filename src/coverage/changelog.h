/* How often each file of a compiler was mended: the ChangeLogs that lie beside its sources name,
 * for every bug that was closed (PR component/number), the files that were changed. Files that were
 * at fault often are at fault again; helpers that everything calls hardly ever are.
 *
 * The entries of GCC and of other GNU programs:
 *     2022-03-08  Some One  <some@one>
 *             PR tree-optimization/104782
 *             * tree-ssa-loop.c (f, g): What was done.
 *             * a.c, b.c: The same. */
#ifndef CULPRIT_COVERAGE_CHANGELOG_H
#define CULPRIT_COVERAGE_CHANGELOG_H

#include "coverage/coverage_map.h"

#define CHANGELOG_YEARS 3 /* years before the newest entry that count as well */

/* Bugs closed per file of the map, each shared among the files its entry names; in the arena. NULL:
 * no ChangeLog lies in a directory of the sources or above one. */
double *changelog_fixes(Arena *arena, const CovMap *map);

/* Of one ChangeLog: calls take(user, name, share) for every source file that an entry with a PR
 * names, if the entry is of `since` (a year) or later; name is as it stands there. The year of the
 * first entry; 0: there is none. */
typedef void (*ChangelogTake)(void *user, Str name, double share);
unsigned changelog_read(Str text, unsigned since, ChangelogTake take, void *user);

#endif

/* Builds without the user's makefiles: what configure scripts, cmake and recursive makes do for
 * each set of reverted changes, done once.
 *
 * While the two versions are built with culprit-cc it writes down what was compiled and linked,
 * and how. From that a makefile of its own is made: one rule for each unit, by the user's own
 * compiler without optimisation, with the headers it reads, and one for each link; archives of the
 * user's build are made again from what was in them. Units that only good has take part where their
 * source is there. A tree that the user's own build has completed once has all else that is needed.
 *
 * Verdicts of such builds guide a search; what it finds is built by the user's own command.
 *
 *     if (direct_write(&bad, &good, path, &why)) .. make -s -f PATH in a worker tree .. */
#ifndef CULPRIT_CHANGE_DIRECT_H
#define CULPRIT_CHANGE_DIRECT_H

#include "change/change.h"

/* What culprit-cc calls its list. A record is words that end with NUL and an empty word; the first
 * tells what it is, the second where culprit-cc ran, the third the object or the program:
 *
 *     compile DIR OBJECT SOURCE ARGUMENT..       (OBJECT "-": compiled and linked in one go)
 *     link DIR PROGRAM WORD..                    (a source is marked)
 *     foreign DIR SOURCE                         (compiled by something else) */
#define DIRECT_LIST "commands"
#define DIRECT_COMPILE "compile"
#define DIRECT_LINK "link"
#define DIRECT_FOREIGN "foreign"
#define DIRECT_NO_OBJECT "-"
#define DIRECT_SOURCE "\1"

/* A version that was built with culprit-cc. */
typedef struct DirectTree {
    const char *dir;  /* the built tree */
    const char *list; /* its list */
} DirectTree;

/* Writes the makefile; false: *why says in a few words why there can be none. */
bool direct_write(const DirectTree *bad, const DirectTree *good, const char *path,
                  const char **why);

/* Whether reverting a change may touch what such a makefile does not know: sources of generated
 * files; where flags or generated files differ between the versions (varies), all of the build. */
bool direct_is_blind(const ChangeSet *set, size_t change, bool varies);

#endif

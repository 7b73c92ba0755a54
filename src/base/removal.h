/* Removing directories that others may have written to, and may be changing right now.
 *
 * Everything goes through descriptors (openat, unlinkat) and never through a link: whoever swaps a
 * directory for a link while it is being removed gets the link removed. Needs nothing but the C
 * library, because the starter uses it as well. */
#ifndef CULPRIT_BASE_REMOVAL_H
#define CULPRIT_BASE_REMOVAL_H

#include <stdbool.h>

/* Removes name (below the directory at, or AT_FDCWD), be it a file, a link or a directory with
 * everything below it. A missing name counts as removed. */
bool removal_at(int at, const char *name);
/* Empties the directory that is open as fd; fd stays open. */
bool removal_below(int fd);

#endif

/* A bulk step for programs with headers expanded: every top-level item that nothing refers to goes,
 * in one test or two.
 *
 * Most of a preprocessed program is declarations that it never uses. The items that are reached
 * from `main` by names (uses.h) stay, and everything else goes; where that is refused (or there is
 * no main) the same with all function bodies in place of main. With several files, what another
 * one mentions stays too. A wrong guess costs a test, never the result. */
#ifndef CULPRIT_REDUCE_BULK_UNREFERENCED_H
#define CULPRIT_REDUCE_BULK_UNREFERENCED_H

#include "reduce/reducer.h"

/* Both programs at once. Returns the steps taken; the documents are fresh afterwards. */
size_t reduce_unreferenced(Reducer *r);
/* The words of all files but the current one. */
void unreferenced_others(const FileSet *set, Map *words);

#endif

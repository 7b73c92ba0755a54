/* A bulk step for C programs that run: all code that never ran goes, in one test or a few.
 *
 * The program is built with a mark at the beginning of every block and branch and run once; what it
 * prints at its end says which were reached. Without the rest it behaves the same on its input, so
 * a failure of the running program (wrong code) usually survives. A program without main, one that
 * does not build or does not end normally, is left alone. */
#ifndef CULPRIT_REDUCE_BULK_UNREACHED_H
#define CULPRIT_REDUCE_BULK_UNREACHED_H

#include "reduce/reducer.h"

/* Tries, for both programs at once: dead statements whole and dead functions; dead statements whole
 * and dead functions emptied; the same without touching what prints something; both emptied; then
 * the same in parts of the program. Where a function would be left without a return, `return 0`
 * stays. Returns the steps taken; the documents are fresh afterwards. */
size_t reduce_unreached(Reducer *r);

#endif

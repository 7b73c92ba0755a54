/* Counts of source lines, exactly as gcov (or llvm-cov gcov, for clang's notes) prints them.
 *
 * A line that several blocks share was executed as often as control entered that set of blocks from
 * outside, plus the rounds of the loops that lie wholly on the line: the sum of the block counts
 * would be too high. gcov books a block under the last line of each of its locations; its other
 * lines count only where no block is booked under them. llvm-cov books a block under all of its
 * lines. */
#ifndef CULPRIT_COVERAGE_GCOV_LINES_H
#define CULPRIT_COVERAGE_GCOV_LINES_H

#include "coverage/gcov_notes.h"

enum { GCOV_NO_GROUP = UINT32_MAX };

typedef struct GcovLine {
    uint32_t source; /* index in notes->sources */
    uint32_t line;
    uint32_t group; /* index of the function for instances of a template, else GCOV_NO_GROUP */
    int64_t count;
} GcovLine;
typedef VEC(GcovLine) GcovLines;

/* counters as gcov_data_read leaves them (an entry that is NULL: all zero). Appends, sorted by
 * source, line, group.
 */
void gcov_lines(const GcovNotes *notes, int64_t *const *counters, GcovLines *out);

/* ---- which blocks make a line covered: what coverage_map.h builds on ---- */
typedef struct GcovSlot {
    uint32_t source, line, group; /* as in GcovLine */
    uint32_t fn, block;           /* a block that has the line */
    bool booked;                  /* booked under it (see above) */
} GcovSlot;
typedef VEC(GcovSlot) GcovSlots;
/* All (line, block) pairs of the notes, sorted by source, line, group, then function and block. */
void gcov_slots(const GcovNotes *notes, GcovSlots *out);

#endif

/* Reader of .gcda, the counters one process left for one object file.
 *
 * Must fit its .gcno: version, stamp and each function's checksums are compared, and a file from
 * another build is refused with one line. A counter record of negative length (GCC) means all zero.
 */
#ifndef CULPRIT_COVERAGE_GCOV_DATA_H
#define CULPRIT_COVERAGE_GCOV_DATA_H

#include "coverage/gcov_notes.h"

/* counters[i] becomes the counters of notes->functions[i] (in the arena), or stays NULL where the
 * file has none: another object's copy was linked, or it never ran. Several records of one function
 * add up. */
bool gcov_data_read(Arena *arena, Str bytes, const char *path, const GcovNotes *notes,
                    int64_t **counters, Error *err);

#endif

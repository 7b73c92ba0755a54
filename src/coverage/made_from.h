/* Generated sources are ranked under what they are made from.
 *
 * GCC's build directory holds C files written by programs: insn-*.c from machine descriptions, with
 * #line directives, which the compiler's notes follow by themselves (their statements are those of
 * i386.md); gimple-match.c and generic-match.c from match.pd, which mark their lines in comments
 * only; options*.c from option tables. Nobody fixes a bug in them. After covmap_find_origins,
 * CovStmt.origin and origin_line are the file and line a statement is ranked under, and generated
 * files are not suspects themselves. */
#ifndef CULPRIT_COVERAGE_MADE_FROM_H
#define CULPRIT_COVERAGE_MADE_FROM_H

#include "coverage/coverage_map.h"

/* Call it once, when files and statements are numbered. May add files (match.pd) to the map. */
void covmap_find_origins(CovMap *map);

#endif

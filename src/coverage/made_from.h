/* Generated sources are ranked under what they are made of.
 *
 * GCC's build directory holds C files written by programs: insn-*.c out of machine descriptions,
 * with #line directives, which the compiler's notes follow by themselves (their statements are
 * those of i386.md); gimple-match.c and generic-match.c out of match.pd, which mark their lines in
 * comments only; options*.c out of option tables. Nobody mends a bug in them. After
 * covmap_find_origins CovStmt.origin is the file, and origin_line the line, a statement is ranked
 * under, and what is generated is no suspect of its own. */
#ifndef CULPRIT_COVERAGE_MADE_FROM_H
#define CULPRIT_COVERAGE_MADE_FROM_H

#include "coverage/coverage_map.h"

/* Once, when files and statements are numbered. May add files (match.pd) to the map. */
void covmap_find_origins(CovMap *map);

#endif

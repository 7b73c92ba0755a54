/* What is known of a compiler's files apart from the statements they run: which of them are the
 * home of a pass that cures, and how often each was mended before. */
#ifndef CULPRIT_ISOLATE_RANK_FILES_H
#define CULPRIT_ISOLATE_RANK_FILES_H

#include "isolate/isolation.h"

/* The function that executes a pass: GCC's "pass_fre::execute(function*)", LLVM's "GVNPass::run" or
 * "runOnMachineFunction" of a pass of the code generator. */
bool rank_executes(Str mangled);
/* Per file of the map, in the arena: the share of the passes that cure (or crashed) that it is the
 * home of: it has the function that executes them. With effects: of the passes in which flags and
 * counters that cure first make a difference. */
double *rank_homes(Arena *arena, const Isolation *iso, bool effects);
/* Per file: how many times as likely as others it is to be guilty, by all of that. */
double *rank_file_factors(Arena *arena, const Isolation *iso);

#endif

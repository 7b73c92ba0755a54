/* Builds of compilers with coverage, made by scripts/compiler-build, which is installed with the
 * program. */
#ifndef CULPRIT_COMMAND_COMPILER_BUILD_H
#define CULPRIT_COMMAND_COMPILER_BUILD_H

#include "base/live.h"

typedef struct CompilerBuild {
    const char *compiler; /* the compiler that fails, preferably without coverage */
    const char *coverage; /* the build directory */
} CompilerBuild;

/* name: gcc-11, gcc-12, tcc, llvm-14. jobs 0: all cores. plain: GCC is also built without coverage.
 * Continues where an earlier call was interrupted. */
bool compiler_build(Arena *arena, const char *name, unsigned jobs, bool plain, Live *live,
                    CompilerBuild *out, Error *err);

#endif

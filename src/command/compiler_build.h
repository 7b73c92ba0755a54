/* Builds of compilers with coverage, made by scripts/compiler-build, which is installed with the
 * program. */
#ifndef CULPRIT_COMMAND_COMPILER_BUILD_H
#define CULPRIT_COMMAND_COMPILER_BUILD_H

#include "base/live.h"

typedef struct CompilerBuild {
    const char *compiler; /* what fails, best without coverage */
    const char *coverage; /* the build directory */
} CompilerBuild;

/* name: gcc-11, gcc-12, tcc, llvm-14. jobs 0: all cores. plain: GCC is built without coverage, too.
 * Goes on where an earlier call was cut off. */
bool compiler_build(Arena *arena, const char *name, unsigned jobs, bool plain, Live *live,
                    CompilerBuild *out, Error *err);

#endif

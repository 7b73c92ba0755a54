/* What can be switched off in a compiler, one by one: GCC's optimisation flags and passes, LLVM's
 * numbered passes. */
#ifndef CULPRIT_CC_PASSES_H
#define CULPRIT_CC_PASSES_H

#include "cc/compiler.h"

/* GCC: "-fno-tree-vrp" for every -f flag that is on at this level (`-Q --help=optimizers`). Flags
 * that change the meaning of programs (-fno-wrapv and the like) are left out. Empty for others. */
bool compiler_flags_off(Arena *arena, const Compiler *cc, const char *const *level, StrVec *off,
                        Error *err);
/* GCC: every optional optimisation pass that runs at this level, as "-fdisable-tree-vrp1"
 * (`-fdump-passes`; passes without which no code is generated are left out). For clang: empty, see
 * blame.h. */
bool compiler_passes_off(Arena *arena, const Compiler *cc, const char *const *level, StrVec *off,
                         Error *err);
/* GCC: "-mno-avx2" for every flag of the target that is on and leaves the ABI alone (`-Q
 * --help=target`). Nothing where the compiler has no such list. */
void compiler_target_off(Arena *arena, const Compiler *cc, const char *const *level, StrVec *off);
/* GCC: "name min max" of --param knobs that may be varied safely (`--help=params`). */
typedef struct CcParam {
    const char *name;
    int64_t low, high, normal;
} CcParam;
typedef VEC(CcParam) CcParamVec;
bool compiler_params(Arena *arena, const Compiler *cc, CcParamVec *out, Error *err);

#endif

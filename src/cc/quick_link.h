/* Assembling and linking GCC's code without its driver.
 *
 * The driver's own `-###` says once how it would call the assembler and the linker. Called
 * directly, with gold where it is installed and without libm, the two together take a third of the
 * driver's time. A program that does not link that way (it needs libm, or something gold does not
 * know) must be linked by the driver: the quick way never has the last word on a failure. The
 * quickest way is not to link at all but to load the object file into a process. */
#ifndef CULPRIT_CC_QUICK_LINK_H
#define CULPRIT_CC_QUICK_LINK_H

#include "cc/compiler.h"
#include "run/run.h"

/* Fills cc->as and cc->ld for GCC and cc1; leaves them NULL where the lines are not understood. dir
 * is a working directory. */
void quick_link_find(Arena *arena, Compiler *cc, const char *dir);
/* Are these flags irrelevant to the assembler and the linker? (-pg, -static, -fopenmp, -Ofast are
 * not.) */
bool quick_link_fits(const Compiler *cc, const char *const *flags);
const char **quick_link_assemble(Arena *arena, const Compiler *cc, const char *in, const char *out);
const char **quick_link_link(Arena *arena, const Compiler *cc, const char *in, const char *out);

/* A program that runs an object file without linking it (loader/loader.c); NULL where it cannot be
 * written. Lives as long as this process. */
const char *quick_link_loader(void);
/* Did the loader give up? If so, the program has not begun to run. */
bool quick_link_gave_up(const RunResult *ran);

#endif

/* Assembling and linking GCC's code without its driver.
 *
 * The driver's own `-###` says once how it would call the assembler and the linker. Called
 * directly, with gold where it is there and without libm, both together take a third of the
 * driver's time. A program that does not link that way (it needs libm, or something gold does not
 * know) is to be linked by the driver: the quick way never has the last word on a failure. */
#ifndef CULPRIT_CC_QUICK_LINK_H
#define CULPRIT_CC_QUICK_LINK_H

#include "cc/compiler.h"

/* Fills cc->as and cc->ld for GCC and cc1; leaves them NULL where the lines are not understood. dir
 * is a working directory. */
void quick_link_find(Arena *arena, Compiler *cc, const char *dir);
/* Do these flags mean nothing to assembler and linker? (-pg, -static, -fopenmp, -Ofast do.) */
bool quick_link_fits(const Compiler *cc, const char *const *flags);
const char **quick_link_assemble(Arena *arena, const Compiler *cc, const char *in, const char *out);
const char **quick_link_link(Arena *arena, const Compiler *cc, const char *in, const char *out);

#endif

/* Compilers for other machines than this one: who runs what they make.
 *
 * What a compiler compiles for is what it says itself ("aarch64-linux-gnu"), not its name. A
 * program for another architecture is run by qemu's user emulation, with the C library of its
 * target as Debian's cross packages install it (/usr/TRIPLE) or below the compiler's own sysroot.
 *
 * What such a program means may differ from what it means here: plain char may be unsigned, bytes
 * may be in another order, long double is another type, products may be fused with sums. So only a
 * compiler of the same target tells what is right; foreign_meaning has the flags that take away
 * what can be taken away. */
#ifndef CULPRIT_CC_FOREIGN_H
#define CULPRIT_CC_FOREIGN_H

#include "cc/compiler.h"

/* The architecture is not one that this machine's kernel runs. An empty target is this machine. */
bool foreign_target(const char *target);
/* Without its vendor, as Debian names it: "aarch64-unknown-linux-gnu" is "aarch64-linux-gnu". */
const char *foreign_triple(Arena *arena, const char *target);
bool foreign_same(const char *a, const char *b); /* the same triple; two that are this machine's */
/* Fills runner and unrun of a foreign compiler. sysroot: the compiler's own; "" or "/": none. */
void foreign_find_runner(Arena *arena, Compiler *cc, const char *sysroot);
/* The command that runs a program (argv NULL-ended), and what it must be able to read; for a
 * compiler of this machine the command as it is, and NULL. */
const char **foreign_argv(Arena *arena, const Compiler *cc, const char *const *argv,
                          const char *const **reads);
/* The words before a program in a shell, with a blank after them: "qemu-aarch64 -L
 * /usr/aarch64-linux-gnu "; "" where it is this machine's. Says nothing about what is installed. */
const char *foreign_shell(Arena *arena, const char *target);
/* The address space of a run that may use `memory` bytes itself: the emulator needs some, too. 0,
 * the runner's default, is made definite. */
uint64_t foreign_memory(const Compiler *cc, uint64_t memory);
/* Flags, NULL-ended, with which a program means the same for every target as far as flags can make
 * it: they belong to the meaning of a program that is run there. NULL for this machine's. */
const char *const *foreign_meaning(const Compiler *cc);
/* The flags that make a compiler of this machine read a program as the target does where its own
 * flags say nothing (plain char), for sanitizers; NULL-ended. */
const char *const *foreign_reading(const Compiler *cc);

#endif

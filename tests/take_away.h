/* Machines that offer less: words on a test's command line take away rights (nobody), namespaces
 * (plain), Landlock (no-landlock) and system call filters (no-seccomp). A filter makes the kernel
 * say so. */
#ifndef CULPRIT_TEST_TAKE_AWAY_H
#define CULPRIT_TEST_TAKE_AWAY_H

#include "base/base.h"

typedef struct Lacking {
    bool namespaces, landlock, seccomp; /* not available */
    bool root;                          /* available: we are root */
} Lacking;

/* Reads the words, takes away what they name, and puts a copy of the program where any user can
 * reach it; returns its path. */
const char *take_away(Arena *arena, int argc, char **argv, const char *program, Lacking *lacking);
void give_back(void); /* removes the copy */
/* How many processes on this machine have mark in their arguments. */
unsigned processes_marked(const char *mark);
void system_v_remove(void); /* what a prisoner without a filter left behind */

#endif

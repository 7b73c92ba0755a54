/* What a program's own test suite says about it, so that it is used as intended.
 *
 * GCC's tests carry DejaGnu directives (`{ dg-do run }`, dg-options, dg-require-*, dg-skip-if,
 * dg-error ..), clang's carry RUN lines. Both tell whether it is meant to be run, the options that
 * belong to its meaning, the levels it is not meant for, and why it may be unusable. A program
 * without any is used as it is. */
#ifndef CULPRIT_HUNT_SUITE_H
#define CULPRIT_HUNT_SUITE_H

#include "base/base.h"

typedef enum SuiteWish { SUITE_UNSAID, SUITE_RUN, SUITE_COMPILE } SuiteWish;

typedef struct SuiteNote {
    SuiteWish wish;
    StrVec flags;      /* -std, -D, -fwrapv ..; NUL-terminated */
    StrVec machine;    /* -m options it asks for: with them it can only be compiled */
    StrVec without;    /* levels that the suite skips */
    const char *unfit; /* why it cannot be used at all: meant to be refused, other target, more
                        * files; NULL: it can */
    const char *unrun; /* why its output proves nothing, although it may be run; NULL: it does */
} SuiteNote;

/* path: the program's; its directory says what it is for where its text does not. target: what it
 * is to be compiled for; NULL: this machine. */
void suite_read(Arena *arena, const char *path, Str text, const char *target, SuiteNote *note);
void suite_release(SuiteNote *note);

#endif

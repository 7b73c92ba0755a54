/* What an option that a test suite gives to its program means for culprit.
 *
 * Levels, warnings, dumps and single optimisations are ours to choose: they go. What changes the
 * language or the program (-std, -D, -fwrapv) stays, for every compiler and every check. What takes
 * guarantees away that a comparison of outputs rests on (-frounding-math, -ftrapv, threads, other
 * instruction sets) leaves a program to be compiled, not to be compared. */
#ifndef CULPRIT_HUNT_MEANING_H
#define CULPRIT_HUNT_MEANING_H

#include "base/base.h"

typedef enum OptionUse {
    OPTION_GOES,    /* nothing the program does depends on it */
    OPTION_STAYS,   /* part of what the program means */
    OPTION_UNRUN,   /* its output says nothing; compiling it does. It stays */
    OPTION_UNFIT,   /* cannot be honoured at all: other files, other targets */
    OPTION_COMPILE, /* only compiled by its suite */
} OptionUse;

OptionUse option_use(Str option);
/* How many further words belong to the option: `--param x=1` has one. */
unsigned option_words(Str option);

#endif

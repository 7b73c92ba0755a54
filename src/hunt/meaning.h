/* What an option that a test suite gives one of its programs means for culprit.
 *
 * Levels, warnings, dumps and single optimisations are ours to choose: they are dropped. What
 * changes the language or the program (-std, -D, -fwrapv) stays, for every compiler and every
 * check. An option that removes guarantees on which a comparison of outputs rests (-frounding-math,
 * -ftrapv, threads, other instruction sets) means that the program is compiled but not compared. */
#ifndef CULPRIT_HUNT_MEANING_H
#define CULPRIT_HUNT_MEANING_H

#include "base/base.h"

typedef enum OptionUse {
    OPTION_GOES,    /* nothing the program does depends on it */
    OPTION_STAYS,   /* part of what the program means */
    OPTION_UNRUN,   /* its output proves nothing, compiling it does; the option stays */
    OPTION_UNFIT,   /* cannot be honoured at all: other files, other targets */
    OPTION_COMPILE, /* only compiled by its suite */
} OptionUse;

OptionUse option_use(Str option);
/* How many further words belong to the option: `--param x=1` has one. */
unsigned option_words(Str option);

#endif

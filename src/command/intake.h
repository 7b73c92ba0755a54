/* A case made from the user's own files.
 *
 * The program is made into one file (cc/onefile.h), the verdict is found by trying the flags, a
 * program that is compiled wrongly is checked for undefined behaviour and for what compilers may
 * choose (then the case is unconfirmed), and the case goes to the store. The same program with the
 * same compiler, flags and input is the same case: it is found again, not made twice. */
#ifndef CULPRIT_COMMAND_INTAKE_H
#define CULPRIT_COMMAND_INTAKE_H

#include "base/base.h"

typedef struct Intake {
    const char *path;                 /* the program that fails */
    const char *seed;                 /* one close to it that passes; NULL: none */
    const char *compiler;             /* as the user calls it */
    const char *flags;                /* that fail; NULL: the levels are tried */
    const char *good_flags;           /* that pass; NULL: -O0, or another compiler */
    const char *input;                /* file with the program's standard input; NULL: none */
    const StrVec *includes, *defines; /* -I and -D */
    double until;                     /* clock at which it gives up; INFINITY: never */
} Intake;

/* *known: the case existed before. STATUS_NO: it does not fail; STATUS_INTERRUPTED. */
bool intake_case(const char *store, const Intake *intake, int64_t *id, bool *known, Error *err);

#endif

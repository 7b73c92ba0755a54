/* Which expression does a compiler get wrong? For compilers without flags and passes to blame: the
 * bucket of a wrong output is the shape of the first expression, in the order of execution, whose
 * value differs from the reference compiler's. */
#ifndef CULPRIT_HUNT_LOCATE_H
#define CULPRIT_HUNT_LOCATE_H

#include "hunt/trial.h"

typedef struct LocateInput {
    const HuntSetup *setup;
    Pool *pool;
    const Compiler *cc;         /* that is wrong */
    const TrialCell *cell;      /* and how it is called */
    const HuntProgram *subject; /* the failing program */
    const size_t *begin;        /* byte ranges looked at: the snippets that matter */
    const size_t *end;
    size_t ranges;
} LocateInput;

/* "int / constant", "load of signed char", ..; empty when no single expression is at fault (a jump
 * goes wrong, say). Memory: arena. */
Str locate_expression(Arena *arena, const LocateInput *in);

#endif

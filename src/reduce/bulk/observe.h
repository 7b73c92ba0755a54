/* A C program that tells about its run: built with what was written into it, and run once.
 *
 * Steps that know what a program did (which code ran, which values it saw) write marks into its
 * text; at its end it writes what they found to standard error, behind OBSERVE_SIGN. */
#ifndef CULPRIT_REDUCE_BULK_OBSERVE_H
#define CULPRIT_REDUCE_BULK_OBSERVE_H

#include "reduce/reducer.h"

/* As it stands in a string literal of C. */
#define OBSERVE_SIGN "\\nculprit-saw:"

typedef struct Observation {
    Str text;                 /* with the marks */
    Str input;                /* standard input */
    const char *const *meant; /* -I, -D and the like; NULL-ended */
    double left;              /* seconds at most */
    size_t tokens;            /* of the program */
    size_t *endless;          /* Side.endless: until half of that is gone no other run is tried */
} Observation;

/* What programs of this side are run with; text is empty. */
Observation observation_of(Reducer *r, int side);
/* *saw: what came behind the last sign, in the arena. False: it does not build, is not a program of
 * its own, does not end normally in the time, or did not tell. */
bool observe(Arena *arena, const Observation *o, Str *saw);

#endif

/* Changes after which the program did not end.
 *
 * A candidate that hangs costs as much as several that are interesting, and the change that makes
 * it hang (the step of a loop goes, or its condition) is proposed again in every sweep: the rest of
 * the program has become smaller, so that the text is another one and no cache knows it. Here the
 * change itself is remembered, with the few words around it, and not tried again before half of the
 * program is gone; and where two changes inside of one loop hung, no other is tried inside of it as
 * long as the loop reads the same. The last round, which shows that a result is 1-minimal, asks all
 * the same. */
#ifndef CULPRIT_REDUCE_ASK_STUCK_H
#define CULPRIT_REDUCE_ASK_STUCK_H

#include "reduce/doc.h"

typedef struct StuckNote {
    size_t i; /* candidate of the search that is going on */
    Hash key; /* the change, or the loop it is in */
    bool loop;
} StuckNote;

typedef struct Stuck {
    Map when;             /* the change -> tokens of the program then */
    Map loops;            /* the loop -> changes inside of it that hung */
    VEC(StuckNote) noted; /* not in force yet */
    double usual_s;       /* CPU seconds of the last answer that was yes */
    bool patient;         /* ask all the same */
    bool skipped;         /* something was not asked */
} Stuck;

/* Whether a no that took so long is one of a program that hangs. */
bool stuck_took(const Stuck *stuck, double cpu_s);
/* Candidate i of a search hung. */
void stuck_note(Stuck *stuck, size_t i, const Doc *doc, const DocChange *change);
/* The search is over: what is before its hit (or all) is in force, whatever else was in flight. */
void stuck_settle(Stuck *stuck, size_t hit, size_t tokens);
/* Whether the change is not worth asking about now. */
bool stuck_knows(Stuck *stuck, const Doc *doc, const DocChange *change);
void stuck_release(Stuck *stuck);

#endif

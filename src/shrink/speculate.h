/* The first success in order, with many candidates in flight.
 *
 * A source makes candidates 0, 1, 2, ..; up to the pool's width of them run at once, each one
 * betting that all before it fail. The answer is the lowest number that succeeds, so it is the same
 * for any width; what was started after it is killed. Candidates whose answer is known (cached,
 * refused by the parser) cost no process. */
#ifndef CULPRIT_SHRINK_SPECULATE_H
#define CULPRIT_SHRINK_SPECULATE_H

#include "run/run.h"
#include "shrink/shrink.h"

typedef enum SpecMade {
    SPEC_RUN,   /* *job is to be run */
    SPEC_KNOWN, /* the answer is known: *good */
    SPEC_END,   /* there are no more candidates */
} SpecMade;

typedef struct SpecSource {
    void *user;
    /* Candidate i: asked once for each i in order, only as far as needed. */
    SpecMade (*make)(void *user, size_t i, Job **job, bool *good);
    /* The job of candidate i is done (not cancelled): is it a success? */
    bool (*judge)(void *user, size_t i, Job *job);
    /* The last call for each job that was handed out: give it back. */
    void (*drop)(void *user, size_t i, Job *job);
} SpecSource;

/* The lowest successful candidate, SHRINK_NONE, or SHRINK_STOP after an interrupt. When it returns,
 * no job of the source is in the pool. */
size_t speculate(Pool *pool, const SpecSource *source);

#endif

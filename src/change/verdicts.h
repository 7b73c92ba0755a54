/* The memory of a search: the outcome of each tree that was built, kept on disk so that a killed
 * search continues where it stopped.
 *
 * One file, one line per tree, only ever appended to: a line that was cut short by a kill is
 * ignored. Trees are named by changeset_hash. What the build said is kept beside it for trees that
 * do not build. */
#ifndef CULPRIT_CHANGE_VERDICTS_H
#define CULPRIT_CHANGE_VERDICTS_H

#include "base/base.h"

typedef enum Outcome {
    OUTCOME_PASSES,
    OUTCOME_FAILS,
    OUTCOME_NO_BUILD,
    OUTCOME_STOPPED, /* not known: interrupted or out of time. Never kept */
} Outcome;

typedef struct Verdicts {
    Arena arena;
    Map known;       /* Hash -> Outcome + 1 */
    Map logs;        /* Hash -> index in texts */
    StrVec texts;    /* what builds said */
    const char *dir; /* NULL: in memory only */
    int fd;          /* the file, for appending; -1 */
    size_t restored; /* verdicts that came from disk */
} Verdicts;

/* dir is created if missing; NULL keeps nothing on disk. */
bool verdicts_open(Verdicts *v, const char *dir, Error *err);
void verdicts_close(Verdicts *v);
bool verdicts_get(const Verdicts *v, Hash tree, Outcome *outcome);
void verdicts_put(Verdicts *v, Hash tree, Outcome outcome, Str log);
Str verdicts_log(const Verdicts *v, Hash tree); /* empty when there is none */

#endif

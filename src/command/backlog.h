/* All cases of a store that are not finished, one after the other, by as many workers as there are:
 * each case is held in the store (store_backlog_claim) by the one who investigates it. */
#ifndef CULPRIT_COMMAND_BACKLOG_H
#define CULPRIT_COMMAND_BACKLOG_H

#include "command/inquiry.h"

typedef struct Backlog {
    const char *store; /* NULL: the user's own */
    const char *only;  /* the one step that is taken; NULL: all */
    bool join;         /* wait for the cases that others hold: they may die */
    bool again;        /* also those that were put off because they failed */
    double until;      /* clock at which it ends; INFINITY: never */
    /* Takes a case through its steps. False and err: this case cannot be investigated, and the next
     * one is taken. */
    bool (*investigate)(void *arg, int64_t id, StepEnd *worst, Error *err);
    void *arg;
} Backlog;

typedef struct BacklogEnd {
    uint64_t done, failed, stopped; /* cases, by the worst end of their steps */
    uint64_t held;                  /* 1: others still hold some */
} BacklogEnd;

/* Ends when no case is left, the time is over, or the user interrupts. */
bool backlog_run(const Backlog *backlog, BacklogEnd *end, Error *err);
/* The one case, held as those above: false and err, too, where another culprit has it in hand. */
bool backlog_take(const Backlog *backlog, int64_t id, StepEnd *worst, Error *err);

#endif

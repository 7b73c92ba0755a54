/* A campaign's workers as a job array of Slurm. */
#ifndef CULPRIT_COMMAND_CAMPAIGN_CAMPAIGN_SUBMIT_H
#define CULPRIT_COMMAND_CAMPAIGN_CAMPAIGN_SUBMIT_H

#include "base/base.h"

typedef struct SubmitSpec {
    const char *store; /* as the user gave it */
    int64_t campaign;
    const char *partition; /* NULL: the cluster's default */
    uint64_t nodes;        /* tasks of the array */
    uint64_t cores;        /* of each; 0: all of a node */
    const char *time;      /* as sbatch takes it; NULL: the partition's */
    const char *culprit;   /* the program */
} SubmitSpec;

/* The script. A task that is cancelled or preempted is put back into the queue; before its time is
 * over it gets a signal, and gives back the seed it is working on. */
Str submit_script(Arena *arena, const SubmitSpec *spec);
/* Hands it to sbatch, in whose place we are from then on: returns only on failure. */
bool submit_now(Str script, Error *err);

#endif

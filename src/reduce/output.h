/* Where results go as they come in: files, in place with backups or in a directory, and the state
 * that lets an interrupted run resume. Every write is checked; the first failure ends the run. */
#ifndef CULPRIT_REDUCE_OUTPUT_H
#define CULPRIT_REDUCE_OUTPUT_H

#include "reduce/reducer.h"

typedef struct Output {
    const char *dir;   /* NULL: in place */
    const char *state; /* dir: the file that says whose results these are */
    Hash test;         /* property_identity of both sides */
    StrVec made;       /* backups, and directories that were not there */
    Arena arena;
    Error err; /* the first write that failed; status STATUS_DONE: none did */
} Output;

/* Makes the directory, or the .orig backups (numbered where one with other contents exists). */
bool output_open(Output *out, const char *dir, Reducer *r, Error *err);
/* Nothing was reduced, nothing saved: takes back what output_open made. */
void output_undo(Output *out);
/* dir: loads into the file sets what an interrupted run left for the same inputs and the same test;
 * false: there is none. */
bool output_resume(Output *out, Reducer *r);
/* Where file i of a side is written; NULL: nowhere. */
const char *output_path(Output *out, const Reducer *r, int side, size_t i);
void output_save(void *out, Reducer *r); /* Reducer.save */
void output_release(Output *out);

#endif

/* Where the result goes: files, in place or in a directory, and what people and machines read. */
#ifndef CULPRIT_REDUCE_OUTPUT_H
#define CULPRIT_REDUCE_OUTPUT_H

#include "base/json.h"
#include "reduce/reducer.h"

typedef struct ReduceOutput {
    const char *dir;         /* -o; NULL: in place */
    const char *path[SIDES]; /* where each side is written */
    bool wanted[SIDES];
    Str original[SIDES]; /* the inputs, to know an interrupted run again */
    const char *state;   /* -o: the file that says whose results these are */
    Str saved[SIDES];    /* what was written last (arena of the output) */
    Arena arena;
    bool failed; /* a write failed: said once */
} ReduceOutput;

/* Decides on the paths, makes the directory, the .orig backups (numbered where one with another
 * content is there). names: the inputs' paths; NULL for a side that is not there. */
bool output_open(ReduceOutput *out, const char *dir, const char *const *names, const Str *original,
                 Error *err);
/* -o: the pair an interrupted run left for these inputs; false: none. */
bool output_resume(ReduceOutput *out, Arena *arena, Str *text);
void output_save(void *out, Reducer *r); /* Reducer.save */
void output_release(ReduceOutput *out);

/* The pair side by side in one text, the difference marked; on a terminal coloured. */
void output_view(Reducer *r, FILE *to);
/* "tests 120, .." for people. */
void output_statistics(Reducer *r, FILE *to);
json_t *output_json(Reducer *r, bool verified);

#endif

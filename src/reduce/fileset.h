/* The files of one side: one of them is being reduced (its text is the side's document), the others
 * are beside it as they are. A program that is one file is a set of one. */
#ifndef CULPRIT_REDUCE_FILESET_H
#define CULPRIT_REDUCE_FILESET_H

#include "cc/repro.h"

typedef struct Lang Lang;

typedef struct SetFile {
    const char *name; /* its path in the directory of a test */
    const char *path; /* where it came from and is written back in place; NULL: nowhere */
    Str original;     /* as it was given; alive as long as the request */
    Buf text;         /* as it is now; of the current one: as of the last switch */
    const Lang *lang; /* NULL: lines and words */
    bool unit;        /* is compiled where the test knows of units */
    bool gone;        /* was dropped */
    bool dirty;       /* has changed since it was last saved */
} SetFile;

typedef struct FileSet {
    VEC(SetFile) list;
    size_t current; /* the one that is being reduced */
    Hash beside;    /* of all others, for fileset_hash */
} FileSet;

void fileset_add(FileSet *set, const char *name, const char *path, Str text, bool unit);
void fileset_release(FileSet *set);
size_t fileset_index(const FileSet *set, const char *name); /* SIZE_MAX: none of that name */
size_t fileset_left(const FileSet *set);                    /* how many are not gone */
/* Makes file i the current one; fileset_beside after any change of the others. */
void fileset_turn(FileSet *set, size_t i);
void fileset_beside(FileSet *set);
/* Exchanges all texts but the current one's with those in `other`, one for each file. */
void fileset_exchange(FileSet *set, Buf *other);
/* Of all files, `text` being the current one: answers are kept by it. */
Hash fileset_hash(const FileSet *set, Str text);
void fileset_put(FileSet *set, size_t i, Str text); /* the text as it is now */
static inline SetFile *fileset_now(FileSet *set) {
    return &set->list.at[set->current];
}
/* Writes all into dir, `text` as the current one. */
bool fileset_write(const FileSet *set, const char *dir, Str text, Error *err);
/* The set as a repro takes it, file by file; what is gone is empty. */
ReproFile *fileset_repro(Arena *arena, const FileSet *set, const Repro *repro, Str text);

#endif

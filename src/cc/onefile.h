/* A program with headers of its own made one file, so that every compiler here can be asked about
 * it: what it includes from beside it or from -I directories is put in its place, word for word;
 * headers of the system stay includes, because each compiler has its own.
 *
 * That is what the preprocessor does with an include, so nothing else changes: macros, conditions
 * and guards are left to the compiler. `#pragma once` becomes a guard. What is not found (it may be
 * under a condition that does not hold) or is named by a macro stays as it is. */
#ifndef CULPRIT_CC_ONEFILE_H
#define CULPRIT_CC_ONEFILE_H

#include "base/base.h"

typedef struct OneFile {
    Str text;       /* the program; in the arena */
    size_t headers; /* how many includes were put in */
} OneFile;

/* path was read as text. includes: directories of -I, defines: words of -D ("N", "N=3"), which
 * become #defines at its head. STATUS_BAD: headers that include each other without end. */
bool onefile(Arena *arena, const char *path, Str text, const StrVec *includes,
             const StrVec *defines, OneFile *out, Error *err);

#endif

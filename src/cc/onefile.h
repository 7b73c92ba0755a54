/* A program with headers of its own made into one file, so that every compiler can be tested with
 * it: what it includes from its own or from -I directories is pasted in place, word for word;
 * system headers stay includes, because each compiler has its own.
 *
 * That is what the preprocessor does with an include, so the meaning does not change: macros,
 * conditions and guards are left to the compiler. `#pragma once` becomes a guard. What is not found
 * (it may be under a condition that does not hold) or is named by a macro stays as it is. */
#ifndef CULPRIT_CC_ONEFILE_H
#define CULPRIT_CC_ONEFILE_H

#include "base/base.h"

typedef struct OneFile {
    Str text;       /* the program; in the arena */
    size_t headers; /* how many includes were pasted */
} OneFile;

/* path is the file that text was read from. includes: -I directories; defines: -D words ("N",
 * "N=3"), which become #defines at the top. STATUS_BAD: headers that include each other without
 * end. */
bool onefile(Arena *arena, const char *path, Str text, const StrVec *includes,
             const StrVec *defines, OneFile *out, Error *err);

#endif

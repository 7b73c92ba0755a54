/* Does a translation unit compile, and what does it take from and give to the others? clang's
 * parser tells, in process, in tens of milliseconds, and without writing a file: texts may replace
 * what is on disk.
 *
 *     cfront_check(&arena, &unit, &checked);  if (!checked.messages.len) ..
 *
 * Only errors are messages, with the names of the notes that belong to them. Symbols are those with
 * external linkage outside of system headers, each once: defined here, or only used; and static
 * functions, because one that went may be taken for an undeclared one of another unit. */
#ifndef CULPRIT_CFRONT_CHECK_H
#define CULPRIT_CFRONT_CHECK_H

#include "base/base.h"

typedef struct CheckText {
    const char *path; /* absolute; a file that need not be on disk */
    Str text;         /* what it holds */
} CheckText;

typedef struct CheckUnit {
    const char *dir;         /* where the compiler ran */
    const char *source;      /* as it was named there */
    const char *const *args; /* of the compiler: -I, -D, -std= ..; NULL-ended */
    const CheckText *texts;
    size_t n_texts;
} CheckUnit;

typedef struct CheckMessage {
    Str path; /* as clang names the file */
    unsigned line, column;
    Str text;      /* "use of undeclared identifier 'x'" */
    Str note_path; /* where the first note points at: "declared here"; empty: nowhere */
    unsigned note_line;
} CheckMessage;

typedef struct CheckSymbol {
    Str name, path;
    unsigned line; /* where it is defined, else where it is first used */
    bool defined;
    bool local; /* a static function, defined: nobody else can use it */
} CheckSymbol;

typedef struct Checked {
    VEC(CheckMessage) messages; /* empty: it compiles */
    VEC(CheckSymbol) symbols;   /* of a unit that compiles */
    StrVec files;               /* that were read, system headers left out */
    bool unknown;               /* clang could not be run: nothing is known about the unit */
} Checked;

/* Everything is in the arena except the arrays: checked_release frees those. */
void cfront_check(Arena *arena, const CheckUnit *unit, Checked *checked);
void checked_release(Checked *checked);

#endif

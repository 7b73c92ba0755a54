/* Programs with one part less: each statement, declaration, initialiser and preprocessor directive
 * of a program left out alone, loops and branches replaced by their bodies, expressions by a
 * constant or one of their operands; and, where macros keep the model from saying what is what,
 * single tokens.
 *
 * Those that still fail make the failing program smaller (shorten.h); what triggers a failure is
 * often one part, and the program without it is the nearest possible witness. A cut is honest when
 * it does not merely hide what went wrong: it removes no oracle statement (printf, abort, return,
 * the condition that guards them), and nothing inside one that the program has computed. */
#ifndef CULPRIT_ISOLATE_CUTS_H
#define CULPRIT_ISOLATE_CUTS_H

#include "base/base.h"

typedef struct Cut {
    Str text;     /* the program without the part */
    Str label;    /* "without line 12: x += 3;" */
    bool honest;  /* if it passes, that counts */
    bool fine;    /* a cut of tokens: most results are not programs */
    uint32_t cut; /* bytes that went */
    uint32_t at;  /* where */
} Cut;
typedef VEC(Cut) Cuts;

/* All cuts, the largest first; text and labels in the arena. args: for clang. What clang cannot
 * read as C is cut by its syntax tree. */
void cuts_make(Arena *arena, Str text, const char *const *args, Cuts *out);

#endif

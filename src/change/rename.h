/* Names that were changed throughout.
 *
 * Generated code above all (a parser's union members are renumbered when one is added) differs in
 * hundreds of lines by names alone, and no line of it can be reverted without all the others. So
 * the old version is read with the new names: lines that differ only in them are not changes any
 * more, and what is left can be reverted by itself.
 *
 *     rename_add(&r, good_text, bad_text) for each file;  rename_settle(&r);
 *     rename_apply(&r, good_text, arena);  rename_release(&r)
 *
 * A name is followed only where both versions declare it at file level (a type, a member, an
 * enumerator, a variable, a function, a macro), no unchanged line contains the old or the new one,
 * and lines that differ only in names agree on it. */
#ifndef CULPRIT_CHANGE_RENAME_H
#define CULPRIT_CHANGE_RENAME_H

#include "base/base.h"

typedef struct Rename {
    Str from, to; /* in good, in bad */
} Rename;

typedef struct Renames {
    Arena arena;
    Map kept;              /* words of unchanged lines */
    Map old_named, named;  /* declared in good, in bad */
    Map votes;             /* "old new" -> lines that say so */
    Map voters;            /* old -> lines that say something about it */
    VEC(Rename) suggested; /* each pair of votes once */
    VEC(Rename) settled;
    Map to; /* old -> 1 + index in settled */
} Renames;

void rename_add(Renames *r, Str good, Str bad);
void rename_settle(Renames *r);
/* The text with the new names, line for line; text itself when it contains none of them. */
Str rename_apply(const Renames *r, Str text, Arena *arena);
void rename_release(Renames *r);

#endif

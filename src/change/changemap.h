/* Which change does a source line belong to? Maps what ran to the changes, each kind of change in
 * the way that fits it:
 *
 *     code lines        by line, widened to the statement the change is part of
 *     macros            a use carries the line of the use: names that are defined by a changed
 * #define, or through macros that use it, are looked for on that line declarations      types,
 * struct layouts, enumerators, initialisers: names that the changed declaration declares (all of
 * them: a member moves its neighbours) deleted code      by its lines in the good version; and
 * names that it assigned, where they are read in the bad one files             an added or removed
 * file: all its lines
 *
 * A line of code is a certain hit; the others are over-approximations, which reverting decides. A
 * hit's tier says how certain it is. */
#ifndef CULPRIT_CHANGE_CHANGEMAP_H
#define CULPRIT_CHANGE_CHANGEMAP_H

#include "change/change.h"

typedef struct ChangeMap ChangeMap;

typedef enum MapTier {
    TIER_NONE,
    TIER_LINE, /* the line, or its statement, was changed */
    TIER_NAME, /* a name that the changed lines themselves declare */
    TIER_NEAR, /* a name that the rest of a changed declaration declares, or that deleted code of
                  the same function assigned */
    TIERS
} MapTier;

ChangeMap *changemap_new(const ChangeSet *set);
void changemap_free(ChangeMap *map);

/* The change whose own lines contain this one; NO_CHANGE. */
size_t changemap_line(const ChangeMap *map, bool in_good, Str file, unsigned line);
/* Sets found[c] for every change that code of this line may depend on; returns the most certain of
 * them, or NO_CHANGE. */
size_t changemap_find(ChangeMap *map, bool in_good, Str file, unsigned line, uint8_t *found);
/* The source line's text, trimmed; empty when it is not known. Lives as long as the map. */
Str changemap_text(ChangeMap *map, bool in_good, Str file, unsigned line);

#endif

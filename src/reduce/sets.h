/* Steps that change several places at once: sets of edits that only make sense together. A finder
 * lists them for the document as it is; each is tried in turn, and after a success the list is made
 * anew and the turn goes on where it was. */
#ifndef CULPRIT_REDUCE_SETS_H
#define CULPRIT_REDUCE_SETS_H

#include "reduce/rows.h"
#include "reduce/target.h"

typedef struct EditSet {
    DocEdit *edits; /* sorted by token; memory in the arena */
    size_t n;
    size_t gain; /* tokens it takes away, for the order; negative gains are not proposed */
} EditSet;
typedef struct EditSets {
    Arena arena;
    VEC(EditSet) list;
    bool unasked; /* the parser is not asked about them */
} EditSets;

/* Finds sets in a fresh document. */
typedef void (*FindSets)(const Target *target, const Shapes *shapes, EditSets *out);

/* Sorts the edits, drops doubles and dead tokens, and adds the set if it changes anything. */
void sets_add(const Target *target, EditSets *out, DocEdits *edits);
/* All tokens of a node; or all but those of a node inside it. */
void sets_drop_node(const Doc *doc, uint32_t node, DocEdits *edits);
void sets_keep_only(const Doc *doc, uint32_t node, uint32_t inside, DocEdits *edits);
/* The part of its parent that a node can take along and go: itself, or itself with a separator;
 * climbs until there is one. False: nothing around it can go. */
bool sets_drop_around(const Doc *doc, const Shapes *shapes, uint32_t node, DocEdits *edits);

/* Tries all; returns the steps taken. Documents are refreshed. */
size_t sets_try(Reducer *r, int side, bool paired, FindSets find);

/* ---- the finders ---- */
void find_names(const Target *t, const Shapes *shapes, EditSets *out); /* all that mention a name */
void find_literals(const Target *t, const Shapes *shapes, EditSets *out); /* shorter literals */
void find_renames(const Target *t, const Shapes *shapes, EditSets *out);  /* shorter names */
/* C and C++ only */
bool sets_speaks_c(const Doc *doc);                                       /* and small enough */
void find_typedefs(const Target *t, const Shapes *shapes, EditSets *out); /* the type instead */
void find_parameters(const Target *t, const Shapes *shapes,
                     EditSets *out); /* with their arguments */
void find_peels(const Target *t, const Shapes *shapes,
                EditSets *out); /* one array or pointer less */
/* A function in place of one that calls it, under its name. */
void find_takeovers(const Target *t, const Shapes *shapes, EditSets *out);
void find_types(const Target *t, const Shapes *shapes, EditSets *out);   /* int instead */
void find_inlines(const Target *t, const Shapes *shapes, EditSets *out); /* the value instead */
/* The type instead of a typedef that the grammar does not read: with attributes. */
void find_attributed(const Target *t, const Shapes *shapes, EditSets *out);
/* A struct defined where it is first used. */
void find_moves(const Target *t, const Shapes *shapes, EditSets *out);
void find_merges(const Target *t, const Shapes *shapes, EditSets *out); /* int a, b; */
/* The types that names of standard headers stand for, and no header. */
void find_headers(const Target *t, const Shapes *shapes, EditSets *out);

#endif

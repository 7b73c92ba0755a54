/* Auxiliary changes: what must be reverted together with a set so that the program compiles at all
 * (AFTER's Algorithm 4, FindAux).
 *
 * Most of them follow from the compiler's own messages: an identifier that a message names and that
 * another change introduced or removed; of those, first the ones that declared it, because one that
 * merely used it brings new needs of its own. Where this does not lead to a build, and to shrink
 * what it leads to, the algorithm's partitioning search runs: root and rest reverted together
 * compile, rest shrinks. Solved sets are kept: a subset of one starts from that solution. */
#ifndef CULPRIT_EXPLAIN_AUX_H
#define CULPRIT_EXPLAIN_AUX_H

#include "change/needs.h"
#include "change/wordindex.h"
#include "explain/oracle.h"

typedef struct AuxSolved {
    uint8_t *root; /* a byte for each change */
    uint8_t *rest; /* its auxiliary changes */
} AuxSolved;

/* Reverting the change brings back the declaration of the name, or takes one away. */
typedef struct AuxDeclared {
    Str name;
    size_t change;
} AuxDeclared;
typedef VEC(AuxDeclared) AuxDeclaredVec;

typedef struct AuxFinder {
    Oracle *oracle;
    Arena arena;
    VEC(AuxSolved) solved;
    size_t *group;           /* for each change a number that neighbours in one function share */
    AuxDeclaredVec declared; /* in good, at file level, in the order of changes */
    AuxDeclaredVec declares; /* the same in bad */
    WordIndex *words;        /* of all changes */
} AuxFinder;

void aux_init(AuxFinder *aux, Oracle *oracle);
void aux_release(AuxFinder *aux);
/* Sets rest to auxiliary changes of root (none when root builds): few, not always the fewest.
 * thorough: search even where the compiler's messages lead nowhere. False when stopped or when none
 * were found. */
bool aux_find(AuxFinder *aux, const uint8_t *root, bool thorough, uint8_t *rest);
/* Identifiers that error messages name; views into log. Also used by tests. */
void aux_names(Str log, StrVec *names);

/* How a change is tied to a name: it introduces or removes it, or mentions it before and after. */
typedef enum AuxRelation { REL_NONE, REL_MENTIONS, REL_BRINGS } AuxRelation;
AuxRelation aux_relation(const AuxFinder *aux, size_t change, Str name);
/* Whether a line of a build's output is an error. */
bool aux_is_message(Str line);
/* "dir/a.c:12: error: ..": the place of a message; false when the line is not one. */
bool aux_message_place(Str line, Str *path, uint64_t *number);
/* Where clang's note of a parser's message points at; false: there is none. */
bool aux_noted_place(Str line, Str *path, uint64_t *number);

/* aux_learn.c: edges from the reason a set did not build; false: its messages lead nowhere. */
bool aux_learn(AuxFinder *aux, Needs *needs, const uint8_t *reverted);
/* The other way round: which of what was reverted do the messages complain about? Adds it to gone;
 * false: they name nothing more. */
bool aux_blame(AuxFinder *aux, Needs *needs, const uint8_t *reverted, uint8_t *gone);

#endif

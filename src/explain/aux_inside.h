/* Inside of aux_learn: what aux_learn.c (edges from the words of messages) and aux_confirm.c (edges
 * that a parser confirms) share. */
#ifndef CULPRIT_EXPLAIN_AUX_INSIDE_H
#define CULPRIT_EXPLAIN_AUX_INSIDE_H

#include "explain/aux.h"

typedef struct Learner {
    AuxFinder *aux;
    Needs *needs;
    const ChangeSet *set;
    const uint8_t *reverted;
    bool grew; /* an edge leads out of the set */
} Learner;

/* What is wrong with a name. */
typedef enum Complaint { COMPLAINT_MISSING, COMPLAINT_TWICE, COMPLAINT_OTHER } Complaint;
Complaint learner_complaint(Str line);

/* How well reverting a change that holds a name answers a complaint about it, the best first; at:
 * the change that the message is about, or NO_CHANGE. */
enum { RANK_DECLARED = 3, RANK_LAST = 7, RANK_NONE };
int learner_rank(const Learner *l, Complaint complaint, Str name, size_t at, const WordUse *use);

/* Whether a text declares the name, as far as the words before it tell: "type name", "type *name".
 */
bool learner_declares(Str text, Str name);

/* Whether a file of the set may be the one at a path, in one of the trees. */
bool learner_may_be(const Learner *l, size_t f, Str path);

/* The change whose text a line (from 1) of the built tree is; NO_CHANGE: it is in both versions. */
size_t learner_change_at(const Learner *l, Str path, uint64_t line);

/* Edges from what the parser says about the set, each of them tried: false: it says nothing, or
 * nothing that was tried answers it. */
bool learner_confirm(Learner *l);

#endif

/* What a pass works on: one document, and, where both programs are to change together, the tokens
 * of the other one that correspond to its own. All structural steps are sets of tokens that go (or
 * are written differently); a Target turns such a set into a candidate for one side or for both. */
#ifndef CULPRIT_TARGET_H
#define CULPRIT_TARGET_H

#include "reduce/reducer.h"

typedef struct Target {
    Reducer *r;
    int side;          /* whose tree drives */
    bool paired;       /* the other side follows */
    uint32_t *partner; /* paired: token of this side -> token of the other, or UINT32_MAX */
    uint32_t *back;    /* paired: the other way */
    uint8_t *only;     /* token by token: may be touched; NULL: all may */
} Target;

/* Both documents must be fresh (doc_refresh) for a paired target; the alignment is made here. */
void target_init(Target *target, Reducer *r, int side, bool paired);
/* The tokens of one side that the other has not: the difference alone is to be touched. */
void target_init_difference(Target *target, Reducer *r, int side);
void target_release(Target *target);
static inline bool target_may(const Target *t, uint32_t token) {
    return !t->only || t->only[token];
}
static inline Doc *target_doc(const Target *t) {
    return &t->r->side[t->side].doc;
}
/* Fills c with the edits on this side and what follows from them on the other. inner: tokens only
 * the other side has go too when they stand between tokens that go. False: nothing would change. */
bool target_propose(const Target *target, const DocEdit *edits, size_t n, bool inner, Candidate *c);
/* Whether inner makes a difference for these edits. */
bool target_has_inner(const Target *target, const DocEdit *edits, size_t n);

#endif

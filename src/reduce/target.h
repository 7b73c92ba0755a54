/* What a pass works on: one document, and, where both programs are to change together, the tokens
 * of the other one that correspond to its own. All structural steps are sets of tokens that go (or
 * are written differently); a Target turns such a set into a candidate for one side or for both. */
#ifndef CULPRIT_REDUCE_TARGET_H
#define CULPRIT_REDUCE_TARGET_H

#include "reduce/reducer.h"
#include "reduce/uses.h"

/* The forms a deletion is tried in, in order: what uses what is gone goes too (uses.h) or not, and
 * tokens that only the other side has and that are between tokens that go do or do not. A form that
 * is the same as an earlier one is skipped. */
typedef enum TargetWay {
    WAY_DROP,
    WAY_DROP_OUTER,
    WAY_UNWRAP,
    WAY_UNWRAP_OUTER,
    WAY_TIDY, /* only what nothing uses any more goes too, where the language minds */
    WAY_PLAIN,
    WAY_PLAIN_OUTER,
    WAYS
} TargetWay;

typedef struct Target {
    Reducer *r;
    int side;          /* whose tree drives */
    bool paired;       /* the other side follows */
    uint32_t *partner; /* paired: token of this side -> token of the other, or UINT32_MAX */
    uint32_t *back;    /* paired: the other way */
    uint8_t *only;     /* token by token: may be touched; NULL: all may */
    Uses uses[SIDES];  /* of the sides that follow */
    bool has_uses;     /* made at the first question */
} Target;

/* Both documents must be fresh (doc_refresh) for a paired target; the alignment is made here. */
void target_init(Target *target, Reducer *r, int side, bool paired);
/* The tokens of one side that the other lacks: only the difference is touched. */
void target_init_difference(Target *target, Reducer *r, int side);
void target_release(Target *target);
static inline bool target_may(const Target *t, uint32_t token) {
    return !t->only || t->only[token];
}
static inline Doc *target_doc(const Target *t) {
    return &t->r->side[t->side].doc;
}
/* Fills c with the edits (sorted by token) on this side and what follows from them, in one of the
 * ways. Leaves c alone when nothing would change or the way is the same as one before it; plain:
 * only the ways from WAY_TIDY on are asked for. */
enum { WAYS_ONLY_PLAIN = WAYS - WAY_TIDY };
void target_propose(Target *target, const DocEdits *edits, TargetWay way, bool plain, Candidate *c);

#endif

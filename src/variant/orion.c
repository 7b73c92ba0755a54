/* Orion: prune unexecuted statements (Le, Afshari, Su, PLDI 2014). A sampled point that never ran
 * is right before a statement that never ran, unless a label inside lets control in elsewhere. */
#include "variant/chain.h"
#include "variant/variant_knobs.h"

void orion_mutate(Round *r) {
    uint32_t end = 0; /* of the last deletion: nothing inside it is touched again */
    for (size_t i = 0; i < r->points.len; i++) {
        const Point *p = &r->points.at[i];
        const CStmt *s = p->stmt;
        if (p->seen || s->range.from < end || s->kind == CS_NULL) continue;
        if (s->flags & (CF_HAS_LABEL | CF_HAS_CASE | CF_HAS_DECL | CF_HAS_MACRO | CF_MACRO))
            continue;
        if (!cfront_can_delete(r->unit, s) || !rng_chance(&r->rng, HUNT_ORION_DELETE)) continue;
        if (place_delete(r, s, STRATEGY_ORION)) end = s->range.to;
    }
}

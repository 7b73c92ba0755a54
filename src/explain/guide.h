/* Which changes the dual slice points at, nearest to the failure first, and the path from the
 * failure to one of them.
 *
 *     guide_make(&g, duals, map, set, candidates);  g.ranked ..;  guide_path(&g, change, &nodes);
 * guide_release(&g)
 */
#ifndef CULPRIT_EXPLAIN_GUIDE_H
#define CULPRIT_EXPLAIN_GUIDE_H

#include "change/changemap.h"
#include "explain/dual.h"

enum { GUIDE_WIDE = 2, GUIDE_DUALS = 3 };

typedef struct Guide {
    Dual *const *duals; /* one for each way to align the runs, and a wide one */
    VEC(size_t) ranked; /* changes, the likeliest first */
    size_t sure;        /* how many of them have a line of their own on a source */
    VEC(uint32_t) node; /* per change: the node that led to it; DUAL_NONE: none */
    VEC(uint8_t) dual;  /* per change: in which of the slices */
} Guide;

/* candidates: a byte for each change; the others are not ranked. */
void guide_make(Guide *guide, Dual *const *duals, ChangeMap *map, const ChangeSet *set,
                const uint8_t *candidates);
void guide_release(Guide *guide);

/* Nodes of the dual slice from the failure to what a change introduced; none when it led to none.
 */
typedef VEC(uint32_t) GuidePath;
void guide_path(const Guide *guide, size_t change, GuidePath *path);

#endif

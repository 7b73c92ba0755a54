/* The shape of a program, and how far apart two programs are; see distance.h. */
#include "variant/distance.h"

#include "cfront/cfg.h"
#include "variant/variant_knobs.h"

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(uint64_t *at, size_t n) {
    if (n == 0) return 0;
    qsort(at, n, sizeof *at, compare);
    size_t kept = 1;
    for (size_t i = 1; i < n; i++)
        if (at[i] != at[kept - 1]) at[kept++] = at[i];
    return kept;
}

void outline_of(Outline *out, const CUnit *unit) {
    *out = (Outline){ .statements = unit->n_stmts };
    Arena arena = { 0 };
    for (uint32_t f = 0; f < unit->n_functions; f++) {
        CGraph g = cfg_build(&arena, unit, unit->functions[f]);
        for (uint32_t i = 0; i < g.n_blocks; i++) {
            const CBlock *b = &g.blocks[i];
            vec_push(&out->blocks, b->hash);
            for (uint32_t k = 0; k < b->n_succ; k++)
                vec_push(&out->edges, b->hash * 0x9e3779b97f4a7c15u ^ g.blocks[b->succ[k]].hash);
        }
        arena_clear(&arena);
    }
    out->blocks.len = sort_unique(out->blocks.at, out->blocks.len);
    out->edges.len = sort_unique(out->edges.at, out->edges.len);
    arena_release(&arena);
}

void outline_release(Outline *o) {
    vec_release(&o->blocks);
    vec_release(&o->edges);
}

/* 1 - |A and B| / |A or B| of two ascending arrays. */
static double jaccard(const uint64_t *a, size_t n, const uint64_t *b, size_t m) {
    size_t i = 0, j = 0, both = 0;
    while (i < n && j < m)
        if (a[i] == b[j])
            both++, i++, j++;
        else if (a[i] < b[j])
            i++;
        else
            j++;
    size_t any = n + m - both;
    return any ? 1.0 - (double)both / (double)any : 0;
}

double outline_distance(const Outline *p, const Outline *q) {
    double size =
        p->statements ? ((double)q->statements - (double)p->statements) / (double)p->statements : 0;
    if (size < 0) size = -size;
    return HUNT_ATHENA_BLOCKS * jaccard(p->blocks.at, p->blocks.len, q->blocks.at, q->blocks.len) +
           HUNT_ATHENA_EDGES * jaccard(p->edges.at, p->edges.len, q->edges.at, q->edges.len) -
           HUNT_ATHENA_SIZE * size;
}

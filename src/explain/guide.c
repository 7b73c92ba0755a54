/* Ranking changes by the dual slice; see guide.h.
 *
 * First come changes with a line on a source, then changes with a line on any other node (the
 * alignment may have taken the one for the other), then those that a source only names: a macro, a
 * type, an initialiser. Within each, by distance from the failure. */
#include "explain/guide.h"

typedef struct Ranking {
    Guide *g;
    ChangeMap *map;
    const uint8_t *candidates;
    uint8_t *found; /* room for changemap_find */
    size_t n;       /* changes */
} Ranking;

static void add(Ranking *r, size_t change, uint32_t node) {
    if (!r->candidates[change] || r->g->node.at[change] != DUAL_NONE) return;
    r->g->node.at[change] = node;
    vec_push(&r->g->ranked, change);
}

/* Changes of one tier on a line. Of names, those of the smallest list: a name that many changes
 * share says little. */
static void add_line(Ranking *r, const Trace *t, bool in_good, Step s, uint32_t node,
                     MapTier tier) {
    if (s == STEP_NONE) return;
    Place p = trace_place(t, s);
    if (!p.line) return;
    memset(r->found, 0, r->n);
    changemap_find(r->map, in_good, p.file, p.line, r->found);
    for (size_t c = 0; c < r->n; c++)
        if (r->found[c] == tier) add(r, c, node);
}

static void add_node(Ranking *r, uint32_t n, MapTier tier) {
    const DualNode *node = &r->g->dual->nodes.at[n];
    add_line(r, r->g->dual->bad, false, node->bad, n, tier);
    add_line(r, r->g->dual->good, true, node->good, n, tier);
}

/* The initialiser that two runs read otherwise. */
static void add_init(Ranking *r, uint32_t n) {
    const DualNode *node = &r->g->dual->nodes.at[n];
    const Trace *t = r->g->dual->bad;
    if (!node->init || node->bad == STEP_NONE || trace_inst(t, node->bad)->op != OP_LOAD) return;
    const Global *global = code_global(&t->code, trace_operand_value(t, node->bad, 0));
    if (!global || !global->line) return;
    memset(r->found, 0, r->n);
    changemap_find(r->map, false, t->code.files.at[global->file], global->line, r->found);
    for (size_t c = 0; c < r->n; c++)
        if (r->found[c]) add(r, c, n);
}

void guide_make(Guide *g, const Dual *dual, ChangeMap *map, const ChangeSet *set,
                const uint8_t *candidates) {
    *g = (Guide){ .dual = dual };
    Ranking r = { g, map, candidates, mem_alloc(set->changes.len + 1), set->changes.len };
    for (size_t i = 0; i < r.n; i++) vec_push(&g->node, DUAL_NONE);
    for (int pass = 0; pass < 4; pass++) {
        for (size_t i = 0; i < dual->order.len; i++) {
            uint32_t n = dual->order.at[i];
            bool source = dual->nodes.at[n].source;
            if (pass == 0 && source) add_node(&r, n, TIER_LINE), add_init(&r, n);
            if (pass == 1) add_node(&r, n, TIER_LINE);
            if (pass == 2 && source) add_node(&r, n, TIER_NAME);
            if (pass == 3 && source) add_node(&r, n, TIER_NEAR);
        }
        if (pass == 0) g->sure = g->ranked.len;
    }
    mem_free(r.found);
}

void guide_release(Guide *g) {
    vec_release(&g->ranked);
    vec_release(&g->node);
}

void guide_path(const Guide *g, size_t change, GuidePath *path) {
    vec_clear(path);
    for (uint32_t n = g->node.at[change]; n != DUAL_NONE; n = g->dual->nodes.at[n].via)
        vec_push(path, n);
    for (size_t i = 0, j = path->len; i + 1 < j; i++) {
        uint32_t swap = path->at[i];
        path->at[i] = path->at[--j];
        path->at[j] = swap;
    }
}

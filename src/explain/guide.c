/* Ranking changes by the dual slice; see guide.h.
 *
 * First come changes with a line on a source, then those of the wide slice, then changes with a
 * line on any other node (the alignment may have mistaken one for the other), then those that a
 * source only names: a macro, a type, an initialiser. Within each, by distance from the failure. */
#include "explain/guide.h"
#include "explain/explain_knobs.h"

typedef struct GuideRanking {
    Guide *g;
    ChangeMap *map;
    const uint8_t *candidates;
    uint8_t *found; /* room for changemap_find */
    size_t n;       /* changes */
    uint8_t which;  /* the slice that is looked at */
} GuideRanking;

static const Dual *dual_of(const GuideRanking *r) {
    return r->g->duals[r->which];
}

static void add(GuideRanking *r, size_t change, uint32_t node) {
    if (!r->candidates[change] || r->g->node.at[change] != DUAL_NONE) return;
    r->g->node.at[change] = node;
    r->g->dual.at[change] = r->which;
    vec_push(&r->g->ranked, change);
}

/* Changes of one tier on a line. Of names, those of the smallest list: a name that many changes
 * share says little. */
static void add_line(GuideRanking *r, const Trace *t, bool in_good, Step s, uint32_t node,
                     MapTier tier) {
    if (s == STEP_NONE) return;
    Place p = trace_place(t, s);
    if (!p.line) return;
    memset(r->found, 0, r->n);
    changemap_find(r->map, in_good, p.file, p.line, r->found);
    for (size_t c = 0; c < r->n; c++)
        if (r->found[c] == tier) add(r, c, node);
}

static void add_node(GuideRanking *r, uint32_t n, MapTier tier) {
    const DualNode *node = &dual_of(r)->nodes.at[n];
    add_line(r, dual_of(r)->bad, false, node->bad, n, tier);
    add_line(r, dual_of(r)->good, true, node->good, n, tier);
}

/* The initialiser that two runs read differently. */
static void add_init(GuideRanking *r, uint32_t n) {
    const DualNode *node = &dual_of(r)->nodes.at[n];
    const Trace *t = dual_of(r)->bad;
    if (!node->init || node->bad == STEP_NONE || trace_inst(t, node->bad)->op != OP_LOAD) return;
    const Global *global = code_global(&t->code, trace_operand_value(t, node->bad, 0));
    if (!global || !global->line) return;
    memset(r->found, 0, r->n);
    changemap_find(r->map, false, t->code.files.at[global->file], global->line, r->found);
    size_t count = 0;
    for (size_t c = 0; c < r->n; c++) count += r->found[c] != 0;
    for (size_t c = 0; count <= GUIDE_INIT_MOST && c < r->n; c++)
        if (r->found[c]) add(r, c, n);
}

/* One node in one pass; false: the slice has no such node. */
static bool add_nth(GuideRanking *r, int pass, size_t i) {
    const Dual *dual = dual_of(r);
    if (i >= dual->order.len) return false;
    uint32_t n = dual->order.at[i];
    bool source = dual->nodes.at[n].source;
    if (pass == 0 && source) add_node(r, n, TIER_LINE), add_init(r, n);
    if (pass == 1) add_node(r, n, TIER_LINE);
    if (pass == 2 && source) add_node(r, n, TIER_NAME);
    if (pass == 3 && source) add_node(r, n, TIER_NEAR);
    return true;
}

/* The slices from .. to - 1 take turns. */
static void rank_pass(GuideRanking *r, int pass, uint8_t from, uint8_t to) {
    size_t at[GUIDE_DUALS] = { 0 }, first = r->g->ranked.len;
    for (bool more = true; more;) {
        more = false;
        for (r->which = from; r->which < to; r->which++) {
            size_t ranked = r->g->ranked.len;
            if (from == GUIDE_WIDE && ranked - first >= GUIDE_WIDE_MOST) return;
            while (r->g->ranked.len == ranked && add_nth(r, pass, at[r->which])) at[r->which]++;
            more |= r->g->ranked.len > ranked;
        }
    }
}

void guide_make(Guide *g, Dual *const *duals, ChangeMap *map, const ChangeSet *set,
                const uint8_t *candidates) {
    *g = (Guide){ .duals = duals };
    GuideRanking r = { .g = g, .map = map, .candidates = candidates, .n = set->changes.len };
    r.found = mem_alloc(r.n + 1);
    for (size_t i = 0; i < r.n; i++) {
        vec_push(&g->node, DUAL_NONE);
        vec_push(&g->dual, 0);
    }
    rank_pass(&r, 0, 0, GUIDE_WIDE);
    g->sure = g->ranked.len;
    rank_pass(&r, 0, GUIDE_WIDE, GUIDE_DUALS);
    for (int pass = 1; pass < 4; pass++) rank_pass(&r, pass, 0, GUIDE_WIDE);
    mem_free(r.found);
}

void guide_release(Guide *g) {
    vec_release(&g->ranked);
    vec_release(&g->node);
    vec_release(&g->dual);
}

void guide_path(const Guide *g, size_t change, GuidePath *path) {
    vec_clear(path);
    const Dual *dual = g->duals[g->dual.at[change]];
    for (uint32_t n = g->node.at[change]; n != DUAL_NONE; n = dual->nodes.at[n].via)
        vec_push(path, n);
    for (size_t i = 0, j = path->len; i + 1 < j; i++) {
        uint32_t swap = path->at[i];
        path->at[i] = path->at[--j];
        path->at[j] = swap;
    }
}

/* The way from a root change to the failure as a short list.
 *
 * A tree of causes holds everything that was proved or tested; a person wants to see how the change
 * led to the failure. The nodes from one that holds a root change up to the failure are laid out in
 * the order of execution, and of their steps only those that say something are kept: the change's
 * own line, lines whose values differ between the runs, code that ran only in the good version. */
#include "explain/explanation.h"

static size_t depth_of(const Explanation *e, size_t node) {
    size_t depth = 0;
    for (; e->nodes.at[node].parent != NO_NODE; node = e->nodes.at[node].parent) depth++;
    return depth;
}

/* The node with a root change that is nearest to the failure. */
static size_t start_node(const Explanation *e) {
    size_t best = NO_NODE;
    for (size_t i = 0; i < e->nodes.len; i++)
        if (e->nodes.at[i].has_root && (best == NO_NODE || depth_of(e, i) < depth_of(e, best)))
            best = i;
    return best;
}

static bool is_root_step(const Explanation *e, const TreeStep *step) {
    return step->change != NO_CHANGE && e->root[step->change];
}

static bool differs(const TreeStep *step) {
    return step->in_good || (step->was.len && !str_eq(step->now, step->was));
}

/* How much a step says: 3 must be shown, 0 is context. */
static int weight(const Explanation *e, const ChainStep *c) {
    if (!c->step)
        return c->node->edge_was.len && !str_eq(c->node->edge_now, c->node->edge_was) ? 2 : 1;
    if (is_root_step(e, c->step)) return 3;
    return differs(c->step) ? 2 : 0;
}

static void collect(const Explanation *e, size_t node, ChainSteps *all) {
    for (size_t at = node; at != NO_NODE; at = e->nodes.at[at].parent) {
        const ExplainNode *n = &e->nodes.at[at];
        size_t from = 0;
        while (at == node && from < n->steps.len && !is_root_step(e, &n->steps.at[from])) from++;
        if (from == n->steps.len) from = 0;
        for (size_t k = from; k < n->steps.len; k++)
            vec_push(all, (ChainStep){ .step = &n->steps.at[k], .node = n });
        if (n->parent != NO_NODE && n->edge_line) vec_push(all, (ChainStep){ .node = n });
    }
}

/* Keeps at most CHAIN_MOST: the lightest go first, from the middle out, never the two ends. */
static void thin(const Explanation *e, const ChainSteps *all, ChainSteps *chain) {
    uint8_t *keep = mem_alloc(all->len + 1);
    size_t kept = all->len;
    memset(keep, 1, all->len);
    for (int w = 0; w < 4; w++)
        for (size_t k = 0; k < all->len && (kept > CHAIN_MOST || w == 0); k++) {
            /* from the middle out: len/2, len/2 + 1, len/2 - 1, .. */
            size_t half = all->len / 2, off = (k + 1) / 2, i = k % 2 ? half + off : half - off;
            if (i >= all->len || i == 0 || i + 1 == all->len || !keep[i]) continue;
            if (weight(e, &all->at[i]) == w) keep[i] = 0, kept--;
        }
    size_t left_out = 0;
    for (size_t i = 0; i < all->len; i++) {
        if (!keep[i]) {
            left_out++;
            continue;
        }
        ChainStep step = all->at[i];
        step.left_out = left_out;
        left_out = 0;
        vec_push(chain, step);
    }
    mem_free(keep);
}

void explanation_chain(const Explanation *e, ChainSteps *chain) {
    size_t start = start_node(e);
    vec_clear(chain);
    if (start == NO_NODE) return;
    ChainSteps all = { 0 };
    collect(e, start, &all);
    thin(e, &all, chain);
    vec_release(&all);
}

/* GumTree over preorder arrays; see gumtree.h.
 *
 * 1. Top down: subtrees of the same shape and text, from the highest to height MIN_HEIGHT, unique
 * ones first; where several are alike, the pair with the most similar surroundings.
 * 2. Bottom up: an unmatched node takes the unmatched node of the same kind that shares most
 * matched descendants (dice coefficient over MIN_DICE).
 * 3. Within each pair of matched nodes, children left over are paired in order where kind (and, for
 *    leaves, text) agree.
 * The token alignment is the longest sequence of matched leaves that does not cross, completed
 * between them by a Myers difference. */
#include "tree/gumtree.h"

/* PPR's own values (GumTree's defaults are 2 and 0.5). */
#define MIN_HEIGHT 3
#define MIN_DICE 0.1
/* More alike subtrees than this on a side are left to later steps: pairs grow as their product. */
#define MOST_ALIKE 60
/* Surroundings larger than this say nothing about where a subtree belongs. */
#define LARGE_PARENT 4000

typedef VEC(uint32_t) Nodes;

typedef struct Shape {
    uint64_t *hash;   /* kind and text of the whole subtree */
    uint32_t *height; /* a leaf has 1 */
    uint32_t most;    /* height of the root */
} Shape;

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

static Shape shape_of(const Tree *t) {
    size_t n = t->nodes.len;
    Shape s = { mem_alloc(n * 8), mem_alloc(n * 4), 0 };
    for (size_t i = n; i-- > 0;) {
        const TreeNode *node = &t->nodes.at[i];
        if (!s.height[i]) s.height[i] = 1;
        /* Children come later in preorder, so their hashes are already folded in (in reverse). */
        uint64_t own = mix(node->kind + 1u, node->size);
        if (node->size == 1) own = mix(own, str_hash(tree_node_text(t, i)));
        s.hash[i] = mix(s.hash[i], own);
        if (i == 0) break;
        uint32_t p = node->parent;
        s.hash[p] = mix(s.hash[p] + s.hash[i], 77);
        if (s.height[p] < s.height[i] + 1) s.height[p] = s.height[i] + 1;
    }
    s.most = s.height[0];
    return s;
}

static void shape_release(Shape *s) {
    mem_free(s->hash);
    mem_free(s->height);
}

typedef struct Matcher {
    const Tree *a, *b;
    Shape sa, sb;
    TreeMatch *m;
} Matcher;

static void link_nodes(Matcher *g, uint32_t a, uint32_t b) {
    g->m->to_b[a] = b;
    g->m->to_a[b] = a;
}

/* Same hash: same shape, so the subtrees are matched node by node. */
static void link_subtrees(Matcher *g, uint32_t a, uint32_t b) {
    uint32_t size = g->a->nodes.at[a].size;
    if (g->b->nodes.at[b].size != size) return; /* a collision of hashes */
    for (uint32_t k = 0; k < size; k++)
        if (g->m->to_b[a + k] == TREE_UNMATCHED && g->m->to_a[b + k] == TREE_UNMATCHED)
            link_nodes(g, a + k, b + k);
}

static double dice(const Matcher *g, uint32_t a, uint32_t b) {
    uint32_t na = g->a->nodes.at[a].size - 1, nb = g->b->nodes.at[b].size - 1, common = 0;
    for (uint32_t i = a + 1; i <= a + na; i++) {
        uint32_t to = g->m->to_b[i];
        common += to != TREE_UNMATCHED && to > b && to <= b + nb;
    }
    return na + nb ? 2.0 * common / (na + nb) : 0;
}

/* ---- top down ---- */
typedef struct Alike {
    Nodes a, b; /* nodes with one hash */
} Alike;

static int by_height(const void *x, const void *y, void *height) {
    uint32_t hx = ((uint32_t *)height)[*(const uint32_t *)x];
    uint32_t hy = ((uint32_t *)height)[*(const uint32_t *)y];
    if (hx != hy) return hx < hy ? 1 : -1;
    return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

/* Nodes of height MIN_HEIGHT and more, highest first. */
static Nodes high_nodes(const Tree *t, const Shape *s) {
    Nodes list = { 0 };
    for (uint32_t i = 0; i < t->nodes.len; i++)
        if (s->height[i] >= MIN_HEIGHT) vec_push(&list, i);
    if (list.len) qsort_r(list.at, list.len, sizeof(uint32_t), by_height, s->height);
    return list;
}

typedef struct Pairing {
    uint32_t a, b;
    double alike; /* dice of the parents */
} Pairing;

static int by_likeness(const void *x, const void *y) {
    const Pairing *p = x, *q = y;
    if (p->alike != q->alike) return p->alike < q->alike ? 1 : -1;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

/* Several alike on a side: those with the most similar surroundings first, then in text order. */
static void pair_alike(Matcher *g, const Alike *alike) {
    if (alike->a.len > MOST_ALIKE || alike->b.len > MOST_ALIKE) return;
    VEC(Pairing) pairs = { 0 };
    for (size_t i = 0; i < alike->a.len; i++)
        for (size_t k = 0; k < alike->b.len; k++) {
            uint32_t a = alike->a.at[i], b = alike->b.at[k];
            uint32_t pa = g->a->nodes.at[a].parent, pb = g->b->nodes.at[b].parent;
            double d = g->a->nodes.at[pa].size < LARGE_PARENT ? dice(g, pa, pb) : 0;
            vec_push(&pairs, ((Pairing){ a, b, d }));
        }
    if (pairs.len) qsort(pairs.at, pairs.len, sizeof(Pairing), by_likeness);
    for (size_t i = 0; i < pairs.len; i++)
        if (g->m->to_b[pairs.at[i].a] == TREE_UNMATCHED &&
            g->m->to_a[pairs.at[i].b] == TREE_UNMATCHED)
            link_subtrees(g, pairs.at[i].a, pairs.at[i].b);
    vec_release(&pairs);
}

typedef VEC(Alike) AlikeVec;

/* Groups the unmatched nodes of one height by hash. */
static void group_nodes(const Nodes *list, size_t from, size_t to, const uint64_t *hash,
                        const uint32_t *matched, bool side_b, Map *groups, AlikeVec *alike) {
    for (size_t i = from; i < to; i++) {
        uint32_t node = list->at[i];
        if (matched[node] != TREE_UNMATCHED) continue;
        uint64_t *at = map_at(groups, map_key_u64(&hash[node]));
        if (!*at) {
            vec_push(alike, ((Alike){ 0 }));
            *at = alike->len;
        }
        Alike *x = &alike->at[*at - 1];
        if (side_b)
            vec_push(&x->b, node);
        else
            vec_push(&x->a, node);
    }
}

static void match_height(Matcher *g, const Nodes *la, size_t a0, size_t a1, const Nodes *lb,
                         size_t b0, size_t b1) {
    Map groups = { 0 };
    AlikeVec alike = { 0 };
    group_nodes(la, a0, a1, g->sa.hash, g->m->to_b, false, &groups, &alike);
    group_nodes(lb, b0, b1, g->sb.hash, g->m->to_a, true, &groups, &alike);
    for (size_t i = 0; i < alike.len; i++)
        if (alike.at[i].a.len == 1 && alike.at[i].b.len == 1)
            link_subtrees(g, alike.at[i].a.at[0], alike.at[i].b.at[0]);
    for (size_t i = 0; i < alike.len; i++) {
        if (alike.at[i].a.len + alike.at[i].b.len > 2) pair_alike(g, &alike.at[i]);
        vec_release(&alike.at[i].a);
        vec_release(&alike.at[i].b);
    }
    vec_release(&alike);
    map_release(&groups);
}

static void top_down(Matcher *g) {
    Nodes la = high_nodes(g->a, &g->sa), lb = high_nodes(g->b, &g->sb);
    size_t a = 0, b = 0;
    while (a < la.len && b < lb.len) {
        uint32_t ha = g->sa.height[la.at[a]], hb = g->sb.height[lb.at[b]];
        uint32_t h = ha < hb ? ha : hb;
        while (a < la.len && g->sa.height[la.at[a]] > h) a++;
        while (b < lb.len && g->sb.height[lb.at[b]] > h) b++;
        size_t a1 = a, b1 = b;
        while (a1 < la.len && g->sa.height[la.at[a1]] == h) a1++;
        while (b1 < lb.len && g->sb.height[lb.at[b1]] == h) b1++;
        if (a1 > a && b1 > b) match_height(g, &la, a, a1, &lb, b, b1);
        a = a1, b = b1;
    }
    vec_release(&la);
    vec_release(&lb);
}

/* ---- bottom up ---- */
/* Of the unmatched ancestors, of a's kind, of what a's descendants match: the one with the best
 * dice. */
static uint32_t best_partner(const Matcher *g, uint32_t a) {
    const TreeNode *node = &g->a->nodes.at[a];
    uint32_t best = TREE_UNMATCHED;
    double best_dice = MIN_DICE;
    uint32_t tried[16];
    size_t tries = 0;
    for (uint32_t i = a + 1; i < a + node->size && tries < COUNT_OF(tried); i++) {
        uint32_t b = g->m->to_b[i];
        if (b == TREE_UNMATCHED) continue;
        for (int up = 0; up < 8 && b; up++) {
            b = g->b->nodes.at[b].parent;
            if (g->b->nodes.at[b].kind != node->kind || g->m->to_a[b] != TREE_UNMATCHED) continue;
            bool known = false;
            for (size_t k = 0; k < tries; k++) known |= tried[k] == b;
            if (known || tries == COUNT_OF(tried)) continue;
            tried[tries++] = b;
            double d = dice(g, a, b);
            if (d > best_dice) best_dice = d, best = b;
        }
        /* The rest of a matched subtree leads to the same ancestors. */
        i += g->a->nodes.at[i].size - 1;
    }
    return best;
}

static void bottom_up(Matcher *g) {
    for (size_t i = g->a->nodes.len; i-- > 1;) {
        if (g->m->to_b[i] != TREE_UNMATCHED || g->a->nodes.at[i].size == 1) continue;
        uint32_t b = best_partner(g, (uint32_t)i);
        if (b != TREE_UNMATCHED) link_nodes(g, (uint32_t)i, b);
    }
}

/* ---- children left over ---- */
static bool alike_children(const Matcher *g, uint32_t a, uint32_t b) {
    const TreeNode *x = &g->a->nodes.at[a], *y = &g->b->nodes.at[b];
    if (x->kind != y->kind || (x->size == 1) != (y->size == 1)) return false;
    return x->size > 1 || str_eq(tree_node_text(g->a, a), tree_node_text(g->b, b));
}

/* Pairs unmatched children in order, each with the next alike one. Top down, so pairs made here
 * have their own children paired when their turn comes. */
static void recover(Matcher *g) {
    for (uint32_t a = 0; a < g->a->nodes.len; a++) {
        uint32_t b = g->m->to_b[a];
        if (b == TREE_UNMATCHED) continue;
        uint32_t y = tree_first_child(g->b, b);
        for (uint32_t x = tree_first_child(g->a, a); x && y; x = tree_next_child(g->a, a, x)) {
            uint32_t to = g->m->to_b[x];
            if (to != TREE_UNMATCHED) {
                if (g->b->nodes.at[to].parent == b && to >= y) y = tree_next_child(g->b, b, to);
                continue;
            }
            uint32_t z = y;
            for (int look = 0; z && look < 8; look++, z = tree_next_child(g->b, b, z))
                if (g->m->to_a[z] == TREE_UNMATCHED && alike_children(g, x, z)) break;
            if (!z || g->m->to_a[z] != TREE_UNMATCHED || !alike_children(g, x, z)) continue;
            link_nodes(g, x, z);
            y = tree_next_child(g->b, b, z);
        }
    }
}

void tree_match(const Tree *a, const Tree *b, TreeMatch *match) {
    *match = (TreeMatch){ mem_alloc(a->nodes.len * 4 + 4), mem_alloc(b->nodes.len * 4 + 4) };
    memset(match->to_b, 0xff, a->nodes.len * 4);
    memset(match->to_a, 0xff, b->nodes.len * 4);
    Matcher g = { .a = a, .b = b, .sa = shape_of(a), .sb = shape_of(b), .m = match };
    top_down(&g);
    if (match->to_b[0] == TREE_UNMATCHED && match->to_a[0] == TREE_UNMATCHED) link_nodes(&g, 0, 0);
    bottom_up(&g);
    recover(&g);
    shape_release(&g.sa);
    shape_release(&g.sb);
}

void tree_match_release(TreeMatch *match) {
    mem_free(match->to_b);
    mem_free(match->to_a);
}

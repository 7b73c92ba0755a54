/* See syntax.h. */
#include "reduce/syntax.h"
#include "reduce/reduce_knobs.h"
#include "reduce/rows.h"

typedef struct Heaped {
    size_t size; /* living tokens when it was put in */
    uint32_t node;
} Heaped;

typedef struct Sweep {
    Target *t;
    Doc *doc;
    Shapes shapes;
    VEC(Heaped) heap; /* largest first; of equals the first in the text */
    size_t steps;
    bool stop;
} Sweep;

/* ---- the queue ---- */
static bool before(const Heaped *a, const Heaped *b) {
    return a->size != b->size ? a->size > b->size : a->node < b->node;
}

static void swap_heaped(Heaped *a, Heaped *b) {
    Heaped x = *a;
    *a = *b;
    *b = x;
}

/* Living tokens below a node that may be touched. */
static size_t touchable(const Sweep *s, uint32_t node) {
    const TreeNode *n = &s->doc->tree.nodes.at[node];
    size_t count = 0;
    if (!s->t->only) return doc_alive(s->doc, node);
    for (uint32_t i = n->token; i < n->token_end; i++)
        count += s->doc->alive[i] && target_may(s->t, i);
    return count;
}

static void put(Sweep *s, uint32_t node) {
    size_t size = touchable(s, node);
    if (!size) return;
    vec_push(&s->heap, ((Heaped){ size, node }));
    for (size_t i = s->heap.len - 1; i && before(&s->heap.at[i], &s->heap.at[(i - 1) / 2]);
         i = (i - 1) / 2)
        swap_heaped(&s->heap.at[i], &s->heap.at[(i - 1) / 2]);
}

static uint32_t take(Sweep *s) {
    uint32_t node = s->heap.at[0].node;
    s->heap.at[0] = vec_pop(&s->heap);
    for (size_t i = 0;;) {
        size_t best = i;
        for (size_t c = 2 * i + 1; c <= 2 * i + 2 && c < s->heap.len; c++)
            if (before(&s->heap.at[c], &s->heap.at[best])) best = c;
        if (best == i) break;
        swap_heaped(&s->heap.at[i], &s->heap.at[best]);
        i = best;
    }
    return node;
}

/* ---- edits ---- */
/* All living tokens of a node go, except those in [keep, keep_end). False: one of them must not be
 * touched. */
static bool add_gone(const Sweep *s, uint32_t node, uint32_t keep, uint32_t keep_end,
                     DocEdits *out) {
    const TreeNode *n = &s->doc->tree.nodes.at[node];
    for (uint32_t i = n->token; i < n->token_end; i++) {
        if (!s->doc->alive[i] || (i >= keep && i < keep_end)) continue;
        if (!target_may(s->t, i)) return false;
        vec_push(out, ((DocEdit){ .token = i }));
    }
    return true;
}

/* Candidates come in the ways of target.h, WAYS of them for each place; plain: only the deletion
 * itself; all: the deletion itself comes last. */
typedef enum Ways { WAYS_CLOSED, WAYS_ALL, WAYS_PLAIN } Ways;

static void propose_way(const Sweep *s, const DocEdits *edits, size_t i, Ways ways, Candidate *c) {
    TargetWay way = (TargetWay)(i % WAYS);
    if (!edits->len || (ways == WAYS_PLAIN && way < WAY_TIDY) ||
        (ways == WAYS_CLOSED && way >= WAY_TIDY))
        return;
    target_propose(s->t, edits, way, ways == WAYS_PLAIN, c);
}

/* ---- lists and optional parts ---- */
typedef struct ListTest {
    Sweep *s;
    const Row *row;
    const Elements *elements;
    const ShrinkRound *round;
    uint8_t *keep; /* scratch, one byte per element */
    uint8_t *gone; /* scratch, one byte per child */
    Ways ways;
} ListTest;

static bool propose_list(void *user, size_t i, Candidate *c) {
    ListTest *l = user;
    if (i / WAYS >= l->round->count) return false;
    l->round->make(l->round, i / WAYS, l->keep);
    memset(l->gone, 0, l->row->child.len);
    for (size_t e = 0; e < l->elements->len; e++)
        if (!l->keep[e])
            for (uint32_t k = l->elements->at[e].first; k <= l->elements->at[e].last; k++)
                l->gone[k] = 1;
    DocEdits edits = { 0 };
    bool ok = row_repair(l->row, l->s->doc, l->gone);
    if (!ok && i % WAYS == 0) reducer_stats(l->s->t->r)->refused++;
    for (size_t k = 0; ok && k < l->row->child.len; k++)
        if (l->gone[k]) ok = add_gone(l->s, l->row->child.at[k], 0, 0, &edits);
    if (ok) propose_way(l->s, &edits, i, l->ways, c);
    vec_release(&edits);
    return true;
}

static size_t first_list(void *user, const ShrinkRound *round) {
    ListTest *l = user;
    l->round = round;
    l->s->t->r->todo = round->count + l->s->heap.len;
    size_t hit = reducer_first(l->s->t->r, propose_list, l);
    if (hit == SHRINK_STOP) l->s->stop = true;
    if (hit >= SHRINK_STOP) return hit;
    l->s->steps++;
    return hit / WAYS;
}

/* One round: everything at once. */
static ShrinkVerdict make_none(const ShrinkRound *round, size_t i, uint8_t *keep) {
    (void)i;
    memset(keep, 0, round->n);
    return SHRINK_FAILS;
}

/* Leaves only the elements whose tokens may all be touched. */
static void drop_untouchable(const Sweep *s, const Row *row, Elements *elements) {
    size_t kept = 0;
    for (size_t e = 0; e < elements->len; e++) {
        bool ok = true;
        for (uint32_t k = elements->at[e].first; k <= elements->at[e].last; k++)
            ok &= touchable(s, row->child.at[k]) == doc_alive(s->doc, row->child.at[k]);
        if (ok) elements->at[kept++] = elements->at[e];
    }
    elements->len = kept;
}

static void reduce_row(Sweep *s, uint32_t node, bool singles) {
    Row row;
    Elements elements = { 0 };
    row_init(&row, s->doc, &s->shapes, node);
    if (row.child.len) row_elements(&row, s->doc, &elements);
    if (s->t->only) drop_untouchable(s, &row, &elements);
    if (elements.len) {
        ListTest l = { .s = s, .row = &row, .elements = &elements };
        l.ways = singles || s->t->only ? WAYS_ALL : WAYS_CLOSED;
        l.keep = mem_alloc(elements.len + 1);
        l.gone = mem_alloc(row.child.len + 1);
        uint8_t *keep = mem_alloc(elements.len + 1);
        memset(keep, 1, elements.len);
        ShrinkTest test = { first_list, &l };
        ShrinkRound all = { .count = 1, .n = elements.len, .make = make_none };
        if (singles)
            shrink_minimal(&test, keep, elements.len);
        else if (elements.len < 2 || first_list(&l, &all) != 0)
            shrink_cdd(&test, keep, elements.len);
        mem_free(keep);
        mem_free(l.keep);
        mem_free(l.gone);
    }
    vec_release(&elements);
    row_release(&row);
}

/* ---- something smaller in place of a node ---- */
typedef enum StandKind {
    STAND_NODE,    /* a descendant */
    STAND_RUN,     /* some neighbouring children of it */
    STAND_CONSTANT /* 0 */
} StandKind;

typedef struct Stand {
    uint32_t node;
    StandKind kind;
    size_t size;        /* living tokens left */
    uint32_t from, end; /* the tokens that stay */
} Stand;
typedef VEC(Stand) Stands;

typedef struct HoistTest {
    Sweep *s;
    uint32_t node;
    const Stands *stands;
} HoistTest;

static bool propose_stand(void *user, size_t i, Candidate *c) {
    HoistTest *h = user;
    if (i / WAYS >= h->stands->len) return false;
    const Stand *st = &h->stands->at[i / WAYS];
    DocEdits edits = { 0 };
    bool ok = add_gone(h->s, h->node, st->from, st->end, &edits);
    if (ok && st->kind == STAND_CONSTANT && edits.len) edits.at[0].text = STR("0");
    if (ok) propose_way(h->s, &edits, i, WAYS_PLAIN, c);
    vec_release(&edits);
    return true;
}

static int by_size(const void *a, const void *b) {
    const Stand *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static uint16_t constant_kind(const Lang *lang) {
    static const char *const names[] = { "number_literal", "integer_literal", "int_literal",
                                         "number", "integer" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (lang_kind(lang, names[i], true)) return (uint16_t)lang_kind(lang, names[i], true);
    return 0;
}

/* A run of the node's own children that could stand in its place: without a few at the front,
 * without one at the end: what is inside brackets, what a prefix was put before. */
static void find_runs(const Sweep *s, uint32_t node, const Row *outer, size_t place, Stands *out) {
    Row row;
    row_init(&row, s->doc, &s->shapes, node);
    size_t m = row.child.len;
    for (size_t front = 0; front <= REDUCE_RUN_FRONT && row.known; front++)
        for (size_t back = 0; back <= 1; back++) {
            if (front + back == 0 || m < front + back + 2) continue;
            if (!row_fits(outer, s->doc, place, row.kind.at + front, m - front - back)) continue;
            size_t size = 0;
            for (size_t i = front; i < m - back; i++) size += doc_alive(s->doc, row.child.at[i]);
            const TreeNode *first = &s->doc->tree.nodes.at[row.child.at[front]];
            const TreeNode *last = &s->doc->tree.nodes.at[row.child.at[m - back - 1]];
            vec_push(out, ((Stand){ node, STAND_RUN, size, first->token, last->token_end }));
        }
    row_release(&row);
}

/* Breadth first below `node`, at most REDUCE_HOIST_LOOK nodes. */
static void find_stands(const Sweep *s, uint32_t node, const Row *row, size_t place, size_t size,
                        Stands *out) {
    VEC(uint32_t) queue = { 0 };
    const Tree *t = &s->doc->tree;
    vec_push(&queue, node);
    for (size_t q = 0; q < queue.len && queue.len < REDUCE_HOIST_LOOK; q++) {
        uint32_t parent = queue.at[q];
        const TreeNode *n = &t->nodes.at[parent];
        for (uint32_t c = tree_first_child(t, parent); c; c = tree_next_child(t, parent, c))
            if (t->nodes.at[c].token < t->nodes.at[c].token_end) vec_push(&queue, c);
        size_t alive = doc_alive(s->doc, parent);
        if (!alive) continue;
        if (row->known) find_runs(s, parent, row, place, out);
        if (parent == node || alive >= size || !(n->flags & NODE_NAMED)) continue;
        if (row_fits(row, s->doc, place, &s->shapes.kind[parent], 1))
            vec_push(out, ((Stand){ parent, STAND_NODE, alive, n->token, n->token_end }));
    }
    vec_release(&queue);
}

static uint32_t heaviest_child(const Sweep *s, uint32_t node) {
    uint32_t best = 0;
    size_t most = 0;
    for (uint32_t c = tree_first_child(&s->doc->tree, node); c;
         c = tree_next_child(&s->doc->tree, node, c))
        if (doc_alive(s->doc, c) > most) most = doc_alive(s->doc, c), best = c;
    return best;
}

/* Deep below `node`, along its largest children: at the end of that path, and at every power of two
 * before it. What nests a thousand levels is not peeled level by level. */
static void find_deep(const Sweep *s, uint32_t node, const Row *row, size_t place, size_t size,
                      Stands *out) {
    VEC(uint32_t) way = { 0 };
    for (uint32_t n = heaviest_child(s, node); n && way.len < REDUCE_DEEP; n = heaviest_child(s, n))
        vec_push(&way, n);
    for (size_t back = 1; back < way.len && way.len > 16; back *= 2) {
        uint32_t n = way.at[way.len - back];
        const TreeNode *d = &s->doc->tree.nodes.at[n];
        if (doc_alive(s->doc, n) < size && (d->flags & NODE_NAMED) &&
            row_fits(row, s->doc, place, &s->shapes.kind[n], 1))
            vec_push(out, ((Stand){ n, STAND_NODE, doc_alive(s->doc, n), d->token, d->token_end }));
    }
    vec_release(&way);
}

static size_t place_of(const Row *row, uint32_t node) {
    for (size_t i = 0; i < row->child.len; i++)
        if (row->child.at[i] == node) return i;
    return SHRINK_NONE;
}

/* Tries to put something smaller in place of the node; *now is what is there then. */
static bool hoist(Sweep *s, uint32_t node, uint32_t *now) {
    size_t size = doc_alive(s->doc, node);
    uint32_t parent = s->doc->tree.nodes.at[node].parent;
    if (!node || size < 2 || !s->doc->tree.lang || (s->doc->tree.nodes.at[node].flags & NODE_EXTRA))
        return false;
    Row row;
    Stands stands = { 0 };
    row_init(&row, s->doc, &s->shapes, parent);
    size_t place = place_of(&row, node);
    uint16_t constant = constant_kind(s->doc->tree.lang);
    if (place != SHRINK_NONE) {
        find_stands(s, node, &row, place, size, &stands);
        if (s->doc->tree.nodes.at[node].size > REDUCE_HOIST_LOOK)
            find_deep(s, node, &row, place, size, &stands);
        if (constant && row.known && s->shapes.kind[node] != constant &&
            row_fits(&row, s->doc, place, &constant, 1))
            vec_push(&stands, ((Stand){ node, STAND_CONSTANT, 1, 0, 0 }));
    }
    if (stands.len) qsort(stands.at, stands.len, sizeof(Stand), by_size);
    if (stands.len > REDUCE_HOIST_TRY) {
        /* The smallest ones and the largest ones: both ends pay off. */
        size_t half = REDUCE_HOIST_TRY / 2;
        memmove(stands.at + half, stands.at + stands.len - half, half * sizeof(Stand));
        stands.len = REDUCE_HOIST_TRY;
    }
    HoistTest h = { s, node, &stands };
    size_t hit = stands.len ? reducer_first(s->t->r, propose_stand, &h) : SHRINK_NONE;
    bool done = hit < SHRINK_STOP;
    if (hit == SHRINK_STOP) s->stop = true;
    if (done) {
        Stand st = stands.at[hit / WAYS];
        s->steps++;
        *now = st.kind == STAND_CONSTANT ? 0 : st.node;
        if (st.kind == STAND_RUN)
            s->shapes.loose[parent] = s->shapes.loose[st.node] = 1;
        else if (st.kind == STAND_CONSTANT)
            s->shapes.kind[node] = constant;
        else
            s->shapes.kind[node] = s->shapes.kind[st.node];
    }
    vec_release(&stands);
    row_release(&row);
    return done;
}

static void visit(Sweep *s, uint32_t node) {
    uint32_t now = node;
    Reducer *r = s->t->r;
    reducer_phase_part(r, reducer_stats(r)->name, "stands");
    if (hoist(s, node, &now)) {
        if (now) put(s, now);
        return;
    }
    if (s->stop) return;
    reducer_phase_part(r, reducer_stats(r)->name, "lists");
    reduce_row(s, node, false);
    for (uint32_t c = tree_first_child(&s->doc->tree, node); c && !s->stop;
         c = tree_next_child(&s->doc->tree, node, c))
        if (s->doc->tree.nodes.at[c].size > 1) put(s, c);
}

static void sweep_begin(Sweep *s, Target *t) {
    *s = (Sweep){ .t = t, .doc = target_doc(t) };
    shapes_init(&s->shapes, s->doc);
}

static size_t sweep_end(Sweep *s) {
    shapes_release(&s->shapes);
    vec_release(&s->heap);
    return s->steps;
}

/* Whether the largest node that is left is too small for a coarse sweep. */
static bool is_fine(const Sweep *s) {
    return s->heap.at[0].size * REDUCE_COARSE < s->doc->count + s->t->r->beside;
}

size_t syntax_sweep(Target *t, bool coarse) {
    Sweep s;
    sweep_begin(&s, t);
    put(&s, 0);
    /* Once the text is small enough for the grammar, the next sweep sees more than this one. */
    bool cut_up = s.doc->lang && !parser_by_grammar(s.doc->parser);
    while (s.heap.len && !s.stop && !(cut_up && parser_by_grammar(s.doc->parser)) &&
           !(coarse && is_fine(&s)))
        visit(&s, take(&s));
    return sweep_end(&s);
}

/* ---- one at a time ---- */
typedef struct TokenTest {
    Sweep *s;
    uint32_t *tokens; /* living ones when the round began, last first */
    size_t n, from;
} TokenTest;

static bool propose_token(void *user, size_t i, Candidate *c) {
    TokenTest *k = user;
    if (k->from + i / WAYS >= k->n) return false;
    DocEdits edits = { 0 };
    vec_push(&edits, ((DocEdit){ .token = k->tokens[k->from + i / WAYS] }));
    propose_way(k->s, &edits, i, WAYS_PLAIN, c);
    vec_release(&edits);
    return true;
}

static void single_tokens(Sweep *s) {
    TokenTest k = { .s = s, .tokens = mem_alloc((s->doc->count + 1) * 4) };
    for (uint32_t i = (uint32_t)s->doc->tree.tokens.len; i-- > 0;)
        if (s->doc->alive[i] && target_may(s->t, i)) k.tokens[k.n++] = i;
    while (k.from < k.n && !s->stop) {
        s->t->r->todo = k.n - k.from;
        size_t hit = reducer_first(s->t->r, propose_token, &k);
        if (hit == SHRINK_STOP) s->stop = true;
        if (hit >= SHRINK_STOP) break;
        s->steps++;
        k.from += hit / WAYS + 1;
    }
    mem_free(k.tokens);
}

size_t syntax_minimal(Target *t) {
    Sweep s;
    sweep_begin(&s, t);
    for (uint32_t node = 0; node < s.doc->tree.nodes.len && !s.stop; node++) {
        if (s.doc->tree.nodes.at[node].size > 1 && touchable(&s, node)) reduce_row(&s, node, true);
    }
    if (!s.stop) single_tokens(&s);
    return sweep_end(&s);
}

/* The pool, and one mutant from it. Pieces of other programs of a suite are what LangFuzz (Holler,
 * Herzig, Zeller, USENIX Security 2012) puts into programs to crash interpreters; the other rules
 * are of the kind that paid off on C compilers (changing types and attributes, MetaMut, ASPLOS
 * 2024). */
#include "perturb/graft.h"

#include "perturb/graft_impl.h"

enum {
    EXPRESSION_LEAST = 6, /* bytes: a lone name is not a piece */
    MOST_OF_ONE = 60,     /* pieces of one program, of each kind */
    MOST_BYTES = 100000,  /* of a program that is learnt from */
    RULE_TRIES = 12,      /* rules drawn until one applies */
};

Grafts *grafts_new(Error *err) {
    Grafts *pool = mem_alloc(sizeof *pool);
    if (graft_kinds_init(&pool->kinds, &pool->arena, err)) return pool;
    grafts_free(pool);
    return NULL;
}

void grafts_free(Grafts *pool) {
    if (!pool) return;
    vec_release(&pool->expressions);
    vec_release(&pool->statements);
    map_release(&pool->seen);
    arena_release(&pool->arena);
    mem_free(pool);
}

size_t grafts_len(const Grafts *pool) {
    return pool->expressions.len + pool->statements.len;
}

/* ---- learning ---- */
/* A shape: the text with numbered holes, so that what differs only in names counts once. */
static bool is_new(Grafts *pool, const GraftPiece *piece) {
    Buf shape = { 0 };
    uint32_t from = 0;
    for (uint32_t i = 0; i < piece->n; i++) {
        buf_str(&shape, str_sub(piece->text, from, piece->holes[i].start));
        buf_fmt(&shape, "\1%u,%d", piece->holes[i].same, (int)piece->holes[i].class);
        from = piece->holes[i].end;
    }
    buf_str(&shape, str_sub(piece->text, from, piece->text.len));
    bool fresh = map_put(&pool->seen, buf_view(&shape), 1);
    buf_release(&shape);
    return fresh;
}

/* Not: what has no plain value (addresses, strings) and what says nothing (parentheses). */
static bool is_worth(const GraftKinds *k, const Tree *t, uint32_t node) {
    const TreeNode *n = &t->nodes.at[node];
    if (n->end - n->start < EXPRESSION_LEAST || n->kind == k->parenthesized) return false;
    return !(n->kind == k->follow && t->text.at[n->start] == '&');
}

static void learn_node(Grafts *pool, const Tree *t, uint32_t i, size_t counts[2]) {
    const GraftKinds *k = &pool->kinds;
    uint8_t is = k->is[t->nodes.at[i].kind];
    bool expression = is & GN_EXPRESSION && graft_is_use(k, t, i) && is_worth(k, t, i);
    bool statement = is & GN_STATEMENT && t->nodes.at[i].parent;
    GraftPiece piece;
    if (!(expression || statement) || counts[statement] >= MOST_OF_ONE) return;
    if (!graft_piece_make(k, &pool->arena, t, i, &piece) || !is_new(pool, &piece)) return;
    counts[statement]++;
    if (statement)
        vec_push(&pool->statements, piece);
    else
        vec_push(&pool->expressions, piece);
}

void grafts_learn(Grafts *pool, Str program) {
    if (program.len > MOST_BYTES) return;
    Tree tree;
    size_t counts[2] = { 0 };
    tree_parse(pool->kinds.lang, program, &tree);
    if (tree.lang)
        for (uint32_t i = 1; i < tree.nodes.len; i++) learn_node(pool, &tree, i, counts);
    tree_release(&tree);
}

/* ---- a mutant ---- */
bool graft_make(const Grafts *pool, Str program, Rng *rng, Buf *out, const char **rule) {
    GraftHost host = { .pool = pool, .rng = rng, .out = out };
    double weights[64];
    CHECK(graft_rules_len <= COUNT_OF(weights));
    for (size_t i = 0; i < graft_rules_len; i++) weights[i] = graft_rules[i].weight;
    tree_parse(pool->kinds.lang, program, &host.tree);
    bool made = false;
    if (host.tree.lang) graft_names(&pool->kinds, &host.tree, 0, &host.names);
    for (unsigned i = 0; i < RULE_TRIES && !made && host.tree.lang; i++) {
        const GraftRule *r = &graft_rules[rng_weighted(rng, weights, graft_rules_len)];
        buf_clear(out);
        made = r->apply(&host) && !str_eq(buf_view(out), program);
        *rule = r->name;
    }
    vec_release(&host.names);
    tree_release(&host.tree);
    return made;
}

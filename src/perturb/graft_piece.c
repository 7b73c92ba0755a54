/* Pieces: a node's text with its free names as holes, and filling them again.
 *
 * What a piece declares itself is bound and stays; builtins stay; a member of something foreign
 * (`s->a.b`) is one single hole, since the other program's structures have other members. Equal
 * names get equal fillings. */
#include "perturb/graft_impl.h"

enum { PIECE_MOST = 600, HOLES_MOST = 24 };

typedef struct PieceMaker {
    const GraftKinds *k;
    const Tree *tree;
    uint32_t root;
    GraftNames bound; /* declared within */
    GraftHole holes[HOLES_MOST];
    Str names[HOLES_MOST];
    uint32_t n;
} PieceMaker;

static bool is_bound(const PieceMaker *m, Str name) {
    for (size_t i = 0; i < m->bound.len; i++)
        if (str_eq(m->bound.at[i].name, name)) return true;
    return false;
}

/* Known to every program. */
static bool is_builtin(Str name) {
    static const char *const prefixes[] = { "__builtin_", "__sync_", "__atomic_" };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (str_starts(name, prefixes[i])) return true;
    return false;
}

static bool add_hole(PieceMaker *m, uint32_t node, GraftClass class, uint32_t arity) {
    if (m->n == HOLES_MOST) return false;
    const TreeNode *n = &m->tree->nodes.at[node];
    uint32_t base = m->tree->nodes.at[m->root].start;
    Str name = tree_node_text(m->tree, node);
    uint32_t same = 0;
    while (same < m->n && !str_eq(m->names[same], name)) same++;
    m->names[m->n] = name;
    m->holes[m->n] = (GraftHole){ n->start - base, n->end - base, class, arity, same };
    /* a name that is dereferenced anywhere must be one that can be */
    GraftHole *first = &m->holes[same];
    if (class != GRAFT_SCALAR && first->class == GRAFT_SCALAR) {
        first->class = class;
        first->arity = arity;
    }
    m->n++;
    return true;
}

/* The variable that a chain of members starts from. */
static uint32_t member_base(const PieceMaker *m, uint32_t node) {
    while (m->tree->nodes.at[node].kind == m->k->member) node++;
    return node;
}

/* break and continue must find what they leave within the piece. */
static bool leaves_within(const PieceMaker *m, uint32_t node, uint8_t bits) {
    while (node != m->root) {
        node = m->tree->nodes.at[node].parent;
        if (m->k->is[m->tree->nodes.at[node].kind] & bits) return true;
    }
    return false;
}

static bool take_name(PieceMaker *m, uint32_t node) {
    const GraftKinds *k = m->k;
    Str name = tree_node_text(m->tree, node);
    uint32_t arity;
    GraftClass use = graft_use(k, m->tree, node, &arity);
    if (is_bound(m, name) || is_builtin(name)) return true;
    if (node != m->root && !graft_is_use(k, m->tree, node)) return true;
    return add_hole(m, node, node == m->root ? GRAFT_SCALAR : use, arity);
}

static bool take_label(PieceMaker *m, uint32_t node) {
    unsigned kind = m->tree->nodes.at[m->tree->nodes.at[node].parent].kind;
    if (kind == m->k->labeled) return false; /* the host may have it already */
    return is_bound(m, tree_node_text(m->tree, node)) || add_hole(m, node, GRAFT_LABEL, 0);
}

/* One node; *next: where to continue. */
static bool take_node(PieceMaker *m, uint32_t i, uint32_t *next) {
    const GraftKinds *k = m->k;
    const TreeNode *n = &m->tree->nodes.at[i];
    uint32_t arity;
    *next = i + 1;
    if (k->is[n->kind] & GN_NEVER || n->flags & (NODE_ERROR | NODE_MISSING | NODE_EXTRA))
        return false;
    if (n->kind == k->break_) return leaves_within(m, i, GN_BREAKS);
    if (n->kind == k->continue_) return leaves_within(m, i, GN_LOOP);
    if (n->kind == k->identifier) return take_name(m, i);
    if (n->kind == k->statement_identifier) return take_label(m, i);
    if (n->kind == k->type_identifier)
        return is_bound(m, tree_node_text(m->tree, i)) || add_hole(m, i, GRAFT_TYPE, 0);
    if (n->kind == k->structure || n->kind == k->union_ || n->kind == k->enumeration) return false;
    if (n->kind != k->member) return true;
    uint32_t base = member_base(m, i);
    if (m->tree->nodes.at[base].kind != k->identifier || is_bound(m, tree_node_text(m->tree, base)))
        return true;
    *next = i + n->size;
    GraftClass use = graft_use(k, m->tree, i, &arity);
    return add_hole(m, i, i == m->root ? GRAFT_SCALAR : use, arity);
}

bool graft_piece_make(const GraftKinds *k, Arena *arena, const Tree *tree, uint32_t node,
                      GraftPiece *out) {
    const TreeNode *n = &tree->nodes.at[node];
    if (n->end - n->start > PIECE_MOST) return false;
    PieceMaker m = { .k = k, .tree = tree, .root = node };
    graft_names(k, tree, node, &m.bound);
    bool good = true;
    uint32_t next;
    for (uint32_t i = node; good && i < node + n->size; i = next) good = take_node(&m, i, &next);
    vec_release(&m.bound);
    if (!good) return false;
    for (uint32_t i = 0; i < m.n; i++) {
        m.holes[i].class = m.holes[m.holes[i].same].class;
        m.holes[i].arity = m.holes[m.holes[i].same].arity;
    }
    *out = (GraftPiece){ arena_str(arena, tree_node_text(tree, node)),
                         arena_copy(arena, m.holes, m.n * sizeof *m.holes), m.n };
    return true;
}

/* ---- filling ---- */
const GraftName *graft_pick(const GraftHost *host, GraftClass class, uint32_t arity, uint32_t at) {
    const GraftName *pick = NULL;
    uint64_t n = 0;
    for (size_t i = 0; i < host->names.len; i++) {
        const GraftName *name = &host->names.at[i];
        if (name->class != class || at < name->from || at >= name->to) continue;
        if (class == GRAFT_CALL && name->arity != arity) continue;
        if (class == GRAFT_TYPE && name->arity != GRAFT_SCALAR) continue;
        if (rng_below(host->rng, ++n) == 0) pick = name;
    }
    return pick;
}

/* Used where the host has nothing of the kind. */
static const char *stand_in(const GraftHole *hole, Rng *rng) {
    static const char *const numbers[] = { "0", "1", "2", "-1", "7", "31", "255", "65536" };
    static const char *const types[] = { "int", "long", "unsigned", "char", "short", "double" };
    static const char *const pointers[] = { "((int[16]){ 1, 2, 3 })", "((char[16]){ \"ab\" })",
                                            "((long[4]){ 0 })", "((double[4]){ 1.0 })" };
    static const char *const one[] = { "__builtin_abs",        "__builtin_ctzll",
                                       "__builtin_popcountll", "__builtin_bswap64",
                                       "__builtin_sqrt",       "__builtin_clzg" };
    static const char *const two[] = { "__builtin_expect", "__builtin_copysign", "__builtin_pow",
                                       "__builtin_fmax", "__builtin_ldexp" };
    switch (hole->class) {
    case GRAFT_SCALAR: return numbers[rng_below(rng, COUNT_OF(numbers))];
    case GRAFT_TYPE: return types[rng_below(rng, COUNT_OF(types))];
    case GRAFT_POINTER: return pointers[rng_below(rng, COUNT_OF(pointers))];
    case GRAFT_CALL:
        if (hole->arity == 1) return one[rng_below(rng, COUNT_OF(one))];
        if (hole->arity == 2) return two[rng_below(rng, COUNT_OF(two))];
        return hole->arity == 3 ? "__builtin_fma" : NULL;
    default: return NULL;
    }
}

static Str filling(const GraftHost *host, const GraftHole *hole, uint32_t at) {
    const GraftName *name = graft_pick(host, hole->class, hole->arity, at);
    bool scalar = hole->class == GRAFT_SCALAR;
    if (name && !(scalar && rng_chance(host->rng, 0.1))) return name->name;
    return str_from(stand_in(hole, host->rng));
}

bool graft_piece_fill(const GraftHost *host, const GraftPiece *piece, uint32_t at, Buf *out) {
    Str filled[HOLES_MOST];
    uint32_t from = 0;
    CHECK(piece->n <= HOLES_MOST);
    for (uint32_t i = 0; i < piece->n; i++) {
        const GraftHole *hole = &piece->holes[i];
        filled[i] = hole->same < i ? filled[hole->same] : filling(host, hole, at);
        if (!filled[i].len) return false;
        buf_str(out, str_sub(piece->text, from, hole->start));
        buf_str(out, filled[i]);
        from = hole->end;
    }
    buf_str(out, str_sub(piece->text, from, piece->text.len));
    return true;
}

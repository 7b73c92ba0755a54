/* Basic blocks by structural recursion over the statements; see cfg.h.
 *
 * `at` is the block control is in, NONE after a jump: what follows then starts a block that is
 * never entered (unless it is a label). Labels and cases have their blocks made before the walk, so
 * that jumps in either direction find them. */
#include "cfront/cfg.h"
#include "cfront/lex.h"

enum { ENTRY = 0, EXIT = 1 };
#define NONE UINT32_MAX

typedef struct CfgNode {
    uint64_t hash;
    const CStmt *stmt;
    uint32_t n_stmts;
    bool reachable;
    VEC(uint32_t) succ;
} CfgNode;

typedef struct Maker {
    const CUnit *unit;
    const CFunction *f;
    VEC(CfgNode) nodes;
    uint32_t *block_of; /* by statement of the function */
    uint32_t *own;      /* labels and cases: their block */
    uint32_t *leave;    /* loops and switches: where break goes */
    uint32_t *again;    /* loops: where continue goes */
    uint64_t start;     /* hash of the function's name */
} Maker;

static uint32_t walk(Maker *m, const CStmt *s, uint32_t at);

static uint32_t index_of(const Maker *m, const CStmt *s) {
    return s->index - m->f->body->index;
}

static uint32_t new_node(Maker *m) {
    vec_push(&m->nodes, (CfgNode){ .hash = m->start });
    return (uint32_t)m->nodes.len - 1;
}

static void edge(Maker *m, uint32_t from, uint32_t to) {
    if (from == NONE || to == NONE) return;
    CfgNode *n = &m->nodes.at[from];
    for (size_t i = 0; i < n->succ.len; i++)
        if (n->succ.at[i] == to) return;
    vec_push(&n->succ, to);
}

/* The block itself, or a new one that nothing leads to. */
static uint32_t some_block(Maker *m, uint32_t at) {
    return at == NONE ? new_node(m) : at;
}

static void add(Maker *m, uint32_t block, const CStmt *s, CRange range) {
    CfgNode *n = &m->nodes.at[block];
    if (!n->stmt) n->stmt = s;
    n->n_stmts++;
    for (CTok t = lex_next(m->unit->text, range.from, range.to); t.kind != CTK_END;
         t = lex_next(m->unit->text, t.range.to, range.to))
        n->hash = (n->hash ^ str_hash(lex_text(m->unit->text, t))) * 0x100000001b3u;
}

static uint32_t walk_if(Maker *m, const CStmt *s, uint32_t at) {
    add(m, at, s, s->parens);
    uint32_t then = new_node(m), join = new_node(m), other = join;
    edge(m, at, then);
    edge(m, walk(m, s->body, then), join);
    if (s->other) {
        other = new_node(m);
        edge(m, walk(m, s->other, other), join);
    }
    edge(m, at, other);
    return join;
}

/* while and for; a for's head has all three parts' tokens but its init. */
static uint32_t walk_loop(Maker *m, const CStmt *s, uint32_t at) {
    if (s->init) at = walk(m, s->init, at);
    uint32_t head = new_node(m), body = new_node(m), out = new_node(m), step = head;
    edge(m, at, head);
    if (s->expr) add(m, head, s, s->expr->range);
    if (s->step) {
        step = new_node(m);
        add(m, step, s, s->step->range);
        edge(m, step, head);
    }
    edge(m, head, body);
    if (s->expr && !((s->expr->flags & CF_CONSTANT) && s->expr->value)) edge(m, head, out);
    m->leave[index_of(m, s)] = out;
    m->again[index_of(m, s)] = step;
    edge(m, s->body ? walk(m, s->body, body) : body, step);
    return out;
}

static uint32_t walk_do(Maker *m, const CStmt *s, uint32_t at) {
    uint32_t body = new_node(m), test = new_node(m), out = new_node(m);
    edge(m, at, body);
    m->leave[index_of(m, s)] = out;
    m->again[index_of(m, s)] = test;
    edge(m, s->body ? walk(m, s->body, body) : body, test);
    if (s->expr) add(m, test, s, s->expr->range);
    edge(m, test, body);
    edge(m, test, out);
    return out;
}

static uint32_t walk_switch(Maker *m, const CStmt *s, uint32_t at) {
    add(m, at, s, s->parens);
    uint32_t out = new_node(m);
    m->leave[index_of(m, s)] = out;
    bool otherwise = false;
    for (uint32_t i = 0; i < m->f->n_stmts; i++) {
        const CStmt *c = m->f->stmts[i];
        if ((c->kind != CS_CASE && c->kind != CS_DEFAULT) || c->target != s) continue;
        edge(m, at, m->own[i]);
        otherwise = otherwise || c->kind == CS_DEFAULT;
    }
    if (!otherwise) edge(m, at, out);
    edge(m, s->body ? walk(m, s->body, NONE) : NONE, out);
    return out;
}

static uint32_t walk_computed(Maker *m, const CStmt *s, uint32_t at) {
    add(m, at, s, s->range);
    for (uint32_t i = 0; i < m->f->n_stmts; i++)
        if (m->f->stmts[i]->kind == CS_LABEL && m->f->stmts[i]->jump_target) edge(m, at, m->own[i]);
    return NONE;
}

static uint32_t walk_jump(Maker *m, const CStmt *s, uint32_t at) {
    add(m, at, s, s->range);
    if (s->kind == CS_RETURN) {
        edge(m, at, EXIT);
    } else if (s->target) {
        uint32_t k = index_of(m, s->target);
        edge(m, at,
             s->kind == CS_GOTO    ? m->own[k]
             : s->kind == CS_BREAK ? m->leave[k]
                                   : m->again[k]);
    }
    return NONE;
}

static uint32_t walk_parts(Maker *m, const CStmt *s, uint32_t at) {
    switch (s->kind) {
    case CS_BLOCK:
        for (const CStmt *x = s->first; x; x = x->next) at = walk(m, x, at);
        return at;
    case CS_LABEL:
    case CS_CASE:
    case CS_DEFAULT:
    case CS_ATTRIBUTED: return s->body ? walk(m, s->body, at) : at;
    case CS_IF: return walk_if(m, s, at);
    case CS_WHILE:
    case CS_FOR: return walk_loop(m, s, at);
    case CS_DO: return walk_do(m, s, at);
    case CS_SWITCH: return walk_switch(m, s, at);
    case CS_GOTO_COMPUTED: return walk_computed(m, s, at);
    case CS_GOTO:
    case CS_BREAK:
    case CS_CONTINUE:
    case CS_RETURN: return walk_jump(m, s, at);
    default: add(m, at, s, s->range); return at;
    }
}

static uint32_t walk(Maker *m, const CStmt *s, uint32_t at) {
    uint32_t k = index_of(m, s), own = m->own[k];
    if (own != NONE) {
        edge(m, at, own);
        at = own;
    }
    if (s->kind == CS_BLOCK && at == NONE) { /* a switch's body: entered at its cases only */
        m->block_of[k] = NONE;
        return walk_parts(m, s, NONE);
    }
    at = some_block(m, at);
    m->block_of[k] = at;
    return walk_parts(m, s, at);
}

static void mark_reachable(Maker *m) {
    VEC(uint32_t) todo = { 0 };
    vec_push(&todo, ENTRY);
    while (todo.len > 0) {
        CfgNode *n = &m->nodes.at[vec_pop(&todo)];
        if (n->reachable) continue;
        n->reachable = true;
        for (size_t i = 0; i < n->succ.len; i++) vec_push(&todo, n->succ.at[i]);
    }
    vec_release(&todo);
}

static CGraph finish(Maker *m, Arena *arena) {
    CBlock *blocks = ARENA_ARRAY(arena, CBlock, m->nodes.len);
    for (size_t i = 0; i < m->nodes.len; i++) {
        CfgNode *n = &m->nodes.at[i];
        blocks[i] = (CBlock){ .hash = n->hash,
                              .stmt = n->stmt,
                              .succ = arena_copy(arena, n->succ.at, n->succ.len * sizeof(uint32_t)),
                              .n_succ = (uint32_t)n->succ.len,
                              .n_stmts = n->n_stmts,
                              .reachable = n->reachable };
        vec_release(&n->succ);
    }
    return (CGraph){ blocks, (uint32_t)m->nodes.len, m->block_of };
}

CGraph cfg_build(Arena *arena, const CUnit *unit, const CFunction *f) {
    Maker m = { .unit = unit, .f = f, .start = str_hash(f->name) };
    uint32_t n = f->n_stmts;
    m.block_of = ARENA_ARRAY(arena, uint32_t, n);
    m.own = ARENA_ARRAY(arena, uint32_t, n);
    m.leave = ARENA_ARRAY(arena, uint32_t, n);
    m.again = ARENA_ARRAY(arena, uint32_t, n);
    uint32_t entry = new_node(&m), end = new_node(&m), first = new_node(&m);
    m.nodes.at[end].hash ^= 1; /* entry and exit are told apart from empty blocks */
    m.nodes.at[entry].hash ^= 2;
    for (uint32_t i = 0; i < n; i++) {
        CStmtKind kind = f->stmts[i]->kind;
        bool labelled = kind == CS_LABEL || kind == CS_CASE || kind == CS_DEFAULT;
        m.block_of[i] = m.leave[i] = m.again[i] = NONE;
        m.own[i] = labelled ? new_node(&m) : NONE;
    }
    edge(&m, entry, first);
    edge(&m, walk(&m, f->body, first), end);
    mark_reachable(&m);
    CGraph g = finish(&m, arena);
    vec_release(&m.nodes);
    return g;
}

/* Basic blocks of a function, in one walk over its statements. A block ends at a condition, a jump
 * or a place where paths meet; what can be entered by a jump begins one. */
#include "cfront/cfg.h"
#include "cfront/lex.h"

#define NOWHERE UINT32_MAX

typedef VEC(uint32_t) Succ;

typedef struct Draft {
    CBlock block;
    Succ succ;
} Draft;

typedef struct Graph {
    const CUnit *unit;
    const CFunction *f;
    uint32_t base; /* index of the function's first statement */
    uint64_t seed; /* hash every block begins with: the function's name */
    VEC(Draft) blocks;
    uint32_t now;      /* block being filled; NOWHERE behind a jump */
    uint32_t *of;      /* by statement: the block in which control arrives */
    uint32_t *leave;   /* loops, switches: where break goes */
    uint32_t *again;   /* loops: where continue goes */
    uint32_t *label;   /* labels: their blocks, made when first met */
    uint32_t *choice;  /* switches: the block of the condition */
    bool *has_default; /* switches */
} Graph;

static uint32_t new_block(Graph *g) {
    Draft d = { .block = { .hash = g->seed } };
    vec_push(&g->blocks, d);
    return (uint32_t)g->blocks.len - 1;
}

static void edge(Graph *g, uint32_t from, uint32_t to) {
    if (from == NOWHERE) return;
    Succ *succ = &g->blocks.at[from].succ;
    for (size_t i = 0; i < succ->len; i++)
        if (succ->at[i] == to) return;
    vec_push(succ, to);
}

/* A new block that the current one runs into. */
static void begin(Graph *g) {
    uint32_t next = new_block(g);
    edge(g, g->now, next);
    g->now = next;
}

static void need(Graph *g) {
    if (g->now == NOWHERE) g->now = new_block(g);
}

static uint64_t hash_tokens(const CUnit *unit, CRange r, uint64_t hash) {
    for (CTok t = lex_next(unit->text, r.from, r.to); t.kind != CTK_END;
         t = lex_next(unit->text, t.range.to, r.to))
        hash = (hash ^ str_hash(lex_text(unit->text, t))) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static void add(Graph *g, const CStmt *s, CRange r) {
    need(g);
    CBlock *b = &g->blocks.at[g->now].block;
    if (!b->stmt) b->stmt = s;
    b->n_stmts++;
    b->hash = hash_tokens(g->unit, r, b->hash);
}

static void add_expr(Graph *g, const CStmt *s, const CExpr *e) {
    if (e) add(g, s, e->range);
}

static uint32_t at(const Graph *g, const CStmt *s) {
    return s->index - g->base;
}

static void walk(Graph *g, const CStmt *s);

static void walk_if(Graph *g, const CStmt *s) {
    add_expr(g, s, s->expr);
    need(g);
    uint32_t test = g->now;
    begin(g);
    if (s->body) walk(g, s->body);
    uint32_t then = g->now;
    g->now = test;
    if (s->other) {
        begin(g);
        walk(g, s->other);
    }
    uint32_t other = g->now, join = new_block(g);
    edge(g, then, join);
    edge(g, other, join);
    g->now = join;
}

/* The test at the head of while and for; then body, where continue goes, and the way out. */
static void walk_loop(Graph *g, const CStmt *s) {
    if (s->init) walk(g, s->init);
    need(g);
    begin(g);
    uint32_t head = g->now, out = new_block(g), again = s->step ? new_block(g) : head;
    g->leave[at(g, s)] = out;
    g->again[at(g, s)] = again;
    add_expr(g, s, s->expr);
    if (s->expr) edge(g, head, out);
    begin(g);
    if (s->body) walk(g, s->body);
    edge(g, g->now, again);
    if (s->step) {
        g->now = again;
        add_expr(g, s, s->step);
        edge(g, again, head);
    }
    g->now = out;
}

static void walk_do(Graph *g, const CStmt *s) {
    need(g);
    begin(g);
    uint32_t head = g->now, out = new_block(g), again = new_block(g);
    g->leave[at(g, s)] = out;
    g->again[at(g, s)] = again;
    if (s->body) walk(g, s->body);
    edge(g, g->now, again);
    g->now = again;
    add_expr(g, s, s->expr);
    edge(g, again, head);
    edge(g, again, out);
    g->now = out;
}

static void walk_switch(Graph *g, const CStmt *s) {
    add_expr(g, s, s->expr);
    need(g);
    uint32_t test = g->now, out = new_block(g);
    g->choice[at(g, s)] = test;
    g->leave[at(g, s)] = out;
    g->now = NOWHERE;
    if (s->body) walk(g, s->body);
    edge(g, g->now, out);
    if (!g->has_default[at(g, s)]) edge(g, test, out);
    g->now = out;
}

static uint32_t label_block(Graph *g, const CStmt *label) {
    uint32_t *b = &g->label[at(g, label)];
    if (*b == NOWHERE) *b = new_block(g);
    return *b;
}

static void walk_target(Graph *g, const CStmt *s) {
    uint32_t b = s->kind == CS_LABEL ? label_block(g, s) : new_block(g);
    edge(g, g->now, b);
    g->now = b;
    if (s->kind != CS_LABEL && s->target) {
        edge(g, g->choice[at(g, s->target)], b);
        if (s->kind == CS_DEFAULT) g->has_default[at(g, s->target)] = true;
    }
    g->of[at(g, s)] = b;
    if (s->body) walk(g, s->body);
}

static void walk_jump(Graph *g, const CStmt *s) {
    add(g, s, s->range);
    if (s->kind == CS_RETURN) edge(g, g->now, 1);
    if (s->kind == CS_BREAK && s->target) edge(g, g->now, g->leave[at(g, s->target)]);
    if (s->kind == CS_CONTINUE && s->target) edge(g, g->now, g->again[at(g, s->target)]);
    if (s->kind == CS_GOTO && s->target) edge(g, g->now, label_block(g, s->target));
    for (uint32_t i = 0; s->kind == CS_GOTO_COMPUTED && i < g->f->n_stmts; i++)
        if (g->f->stmts[i]->kind == CS_LABEL && g->f->stmts[i]->jump_target)
            edge(g, g->now, label_block(g, g->f->stmts[i]));
    g->now = NOWHERE;
}

static void walk(Graph *g, const CStmt *s) {
    if (s->kind == CS_LABEL || s->kind == CS_CASE || s->kind == CS_DEFAULT) {
        walk_target(g, s);
        return;
    }
    if (s->kind != CS_BLOCK) need(g);
    g->of[at(g, s)] = g->now;
    switch (s->kind) {
    case CS_BLOCK:
        for (const CStmt *x = s->first; x; x = x->next) walk(g, x);
        break;
    case CS_IF: walk_if(g, s); break;
    case CS_WHILE:
    case CS_FOR: walk_loop(g, s); break;
    case CS_DO: walk_do(g, s); break;
    case CS_SWITCH: walk_switch(g, s); break;
    case CS_ATTRIBUTED:
        if (s->body) walk(g, s->body);
        break;
    case CS_GOTO:
    case CS_GOTO_COMPUTED:
    case CS_BREAK:
    case CS_CONTINUE:
    case CS_RETURN: walk_jump(g, s); break;
    default: add(g, s, s->range); break;
    }
}

static void mark_reachable(Graph *g) {
    Succ todo = { 0 };
    vec_push(&todo, 0);
    g->blocks.at[0].block.reachable = true;
    while (todo.len) {
        const Draft *d = &g->blocks.at[vec_pop(&todo)];
        for (size_t i = 0; i < d->succ.len; i++) {
            CBlock *next = &g->blocks.at[d->succ.at[i]].block;
            if (next->reachable) continue;
            next->reachable = true;
            vec_push(&todo, d->succ.at[i]);
        }
    }
    vec_release(&todo);
}

static uint32_t *new_places(Arena *arena, uint32_t n) {
    uint32_t *places = ARENA_ARRAY(arena, uint32_t, n + 1);
    memset(places, 0xff, (n + 1) * sizeof(uint32_t));
    return places;
}

static CGraph finish(Arena *arena, Graph *g) {
    uint32_t n = (uint32_t)g->blocks.len;
    CBlock *blocks = ARENA_ARRAY(arena, CBlock, n);
    for (uint32_t i = 0; i < n; i++) {
        Draft *d = &g->blocks.at[i];
        blocks[i] = d->block;
        blocks[i].succ = arena_copy(arena, d->succ.len ? (void *)d->succ.at : "",
                                    d->succ.len * sizeof(uint32_t));
        blocks[i].n_succ = (uint32_t)d->succ.len;
        vec_release(&d->succ);
    }
    vec_release(&g->blocks);
    return (CGraph){ blocks, n, g->of };
}

CGraph cfg_build(Arena *arena, const CUnit *unit, const CFunction *f) {
    Graph g = { .unit = unit, .f = f, .base = f->stmts[0]->index, .seed = str_hash(f->name) };
    Arena scratch = { 0 };
    g.of = new_places(arena, f->n_stmts);
    g.leave = new_places(&scratch, f->n_stmts);
    g.again = new_places(&scratch, f->n_stmts);
    g.label = new_places(&scratch, f->n_stmts);
    g.choice = new_places(&scratch, f->n_stmts);
    g.has_default = ARENA_ARRAY(&scratch, bool, f->n_stmts + 1);
    new_block(&g); /* entry */
    new_block(&g); /* exit */
    g.now = 0;
    walk(&g, f->body);
    edge(&g, g.now, 1);
    mark_reachable(&g);
    arena_release(&scratch);
    return finish(arena, &g);
}

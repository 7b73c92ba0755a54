/* Definite assignment: which locals certainly hold a value when control arrives at a statement.
 *
 * A forward must-analysis in the order of execution over the tree, one bit per local. Joins
 * intersect. Labels, loop heads, breaks and continues keep the intersection of what arrived so far
 * over all rounds; rounds continue until nothing changes, so jumps in any direction are covered. A
 * declaration without initialiser clears the bit, and so does leaving the scope. "No path so far"
 * is the set of all. A value computed from an uncertain scalar is itself uncertain; of records,
 * only a whole copy of a certain one is certain. Parameters of record type are certain when every
 * direct call passes something certain. Where we do not see everything (setjmp, computed goto, asm
 * goto, macros that hide a for), nothing is certain except parameters of scalar type in functions
 * without setjmp. */
#include "cfront/build.h"

enum { MOST_ROUNDS = 60 };

typedef struct AssignFlow {
    CFunction *f;
    uint64_t *now;        /* bits at the current place */
    bool dead;            /* no path leads here: `now` is meaningless */
    size_t words;         /* of a set */
    uint32_t base;        /* index of the function's first statement */
    uint64_t **label;     /* by statement: what arrives by goto; NULL: nothing yet */
    uint64_t **back;      /* loops: what arrives at the head again */
    uint64_t **leave;     /* loops, switches: what arrives by break */
    uint64_t **again;     /* loops: what arrives by continue */
    uint64_t **choice;    /* switches: bits after the condition, this round */
    uint64_t **in;        /* by statement: the answer */
    bool changed;         /* some remembered set has shrunk in this round */
    bool value;           /* the last expression statement's value is certain */
    bool *params_changed; /* a record parameter has become uncertain */
    Arena scratch;
} AssignFlow;

static bool flow_expr(AssignFlow *w, const CExpr *e);
static void flow_stmt(AssignFlow *w, CStmt *s);

static uint64_t *copy_now(AssignFlow *w) {
    return arena_copy(&w->scratch, w->now, w->words * sizeof(uint64_t));
}

/* now becomes the join of now and other (NULL: nothing arrives from there). */
static void join(AssignFlow *w, const uint64_t *other) {
    if (!other) return;
    if (w->dead)
        memcpy(w->now, other, w->words * sizeof(uint64_t));
    else
        for (size_t i = 0; i < w->words; i++) w->now[i] &= other[i];
    w->dead = false;
}

/* At a remembered place: intersects what arrives now with everything that arrived before. */
static void keep(AssignFlow *w, uint64_t **place) {
    if (w->dead) return;
    if (!*place) {
        *place = copy_now(w);
        w->changed = true;
        return;
    }
    for (size_t i = 0; i < w->words; i++) {
        uint64_t both = (*place)[i] & w->now[i];
        if (both != (*place)[i]) w->changed = true;
        (*place)[i] = both;
    }
}

typedef struct Saved {
    uint64_t *bits;
    bool dead;
} Saved;

static Saved save(AssignFlow *w) {
    return (Saved){ copy_now(w), w->dead };
}

static void restore(AssignFlow *w, Saved s) {
    memcpy(w->now, s.bits, w->words * sizeof(uint64_t));
    w->dead = s.dead;
}

static void join_saved(AssignFlow *w, Saved s) {
    if (!s.dead) join(w, s.bits);
}

static bool is_set(const AssignFlow *w, const CDecl *d) {
    return w->dead || (w->now[d->local / 64] >> (d->local % 64) & 1);
}

static void set(AssignFlow *w, const CDecl *d, bool certain) {
    uint64_t bit = UINT64_C(1) << (d->local % 64);
    if (certain)
        w->now[d->local / 64] |= bit;
    else
        w->now[d->local / 64] &= ~bit;
}

/* Locals declared inside range are gone. */
static void forget_inside(AssignFlow *w, uint64_t *bits, CRange range) {
    if (!bits) return;
    for (uint32_t i = 0; i < w->f->n_locals; i++) {
        const CDecl *d = w->f->locals[i];
        if (d->kind == CD_VAR && d->scope && crange_in(d->scope->range, range))
            bits[i / 64] &= ~(UINT64_C(1) << (i % 64));
    }
}

static const CDecl *local_of(const CExpr *e) {
    return e->kind == CE_REF && e->decl && e->decl->local != UINT32_MAX ? e->decl : NULL;
}

/* ---- expressions: returns whether the value is certain ---- */
static bool flow_ref(AssignFlow *w, const CExpr *e) {
    const CDecl *d = local_of(e);
    if (!d || !(e->flags & CF_READ)) return true;
    const CExpr *p = e->parent;
    bool part = p && (p->kind == CE_MEMBER || p->kind == CE_INDEX);
    if (d->type->kind == CT_RECORD) return part || is_set(w, d);
    if (!ctype_is_scalar(d->type)) return true;
    return is_set(w, d) || (d->flags & CD_ADDRESS);
}

static bool flow_operands(AssignFlow *w, const CExpr *e) {
    bool certain = true;
    for (const CExpr *x = e->first; x; x = x->next) certain &= flow_expr(w, x);
    return certain;
}

static bool flow_assign(AssignFlow *w, const CExpr *e) {
    const CExpr *target = cexpr_strip(e->first);
    const CDecl *d = local_of(target);
    bool old = flow_expr(w, e->first);
    bool certain = flow_expr(w, e->first->next);
    if (e->op != CO_ASSIGN) certain = certain && old;
    if (!d) return certain;
    if (e->op == CO_ASSIGN)
        set(w, d, certain && (ctype_is_scalar(d->type) || d->type->kind == CT_RECORD));
    else if (!certain)
        set(w, d, false);
    return certain;
}

static bool flow_choice(AssignFlow *w, const CExpr *e) {
    const CExpr *first = e->first, *second = first->next;
    bool certain = flow_expr(w, first);
    Saved before = save(w);
    certain &= flow_expr(w, second);
    if (e->kind == CE_COND && second->next) {
        Saved one = save(w);
        restore(w, before);
        certain &= flow_expr(w, second->next);
        join_saved(w, one);
    } else {
        join_saved(w, before);
    }
    return certain;
}

/* A record read through a path is as certain as the variable it is part of. */
static bool flow_path(AssignFlow *w, const CExpr *e) {
    bool certain = flow_operands(w, e);
    if (e->type->kind != CT_RECORD) return certain;
    const CDecl *root = cexpr_path_root(e);
    return root && (root->local == UINT32_MAX || is_set(w, root));
}

static bool flow_call(AssignFlow *w, const CExpr *e) {
    const CFunction *f = e->decl ? e->decl->first->function : NULL;
    uint32_t i = 0;
    flow_expr(w, e->first);
    for (const CExpr *x = e->first->next; x; x = x->next, i++) {
        bool certain = flow_expr(w, x);
        if (certain || !f || i >= f->n_params || x->type->kind != CT_RECORD) continue;
        if (f->params[i]->certain) *w->params_changed = true;
        f->params[i]->certain = false;
    }
    return e->type->kind != CT_RECORD;
}

static bool flow_expr(AssignFlow *w, const CExpr *e) {
    if (e->flags & CF_UNEVALUATED) return true;
    switch (e->kind) {
    case CE_REF: return flow_ref(w, e);
    case CE_ASSIGN: return e->first && e->first->next ? flow_assign(w, e) : false;
    case CE_COND: return e->first && e->first->next ? flow_choice(w, e) : false;
    case CE_BINARY:
        if ((e->op == CO_LAND || e->op == CO_LOR) && e->n_operands == 2) return flow_choice(w, e);
        if (e->op == CO_COMMA && e->n_operands == 2) {
            flow_expr(w, e->first);
            return flow_expr(w, e->first->next);
        }
        return flow_operands(w, e);
    case CE_UNARY:
        if (e->op == CO_DEREF && e->type->kind == CT_RECORD) {
            flow_operands(w, e);
            return false;
        }
        return flow_operands(w, e);
    case CE_MEMBER:
    case CE_INDEX: return flow_path(w, e);
    case CE_CALL: return e->first ? flow_call(w, e) : false;
    case CE_BLOCK:
        w->value = false;
        if (e->block) flow_stmt(w, e->block);
        return w->value;
    case CE_OTHER: {
        Saved before = save(w);
        bool certain = flow_operands(w, e);
        join_saved(w, before);
        return certain && e->type->kind != CT_RECORD;
    }
    default: return flow_operands(w, e);
    }
}

/* ---- statements ---- */
static bool is_true(const CExpr *e) {
    return !e || ((e->flags & CF_CONSTANT) && e->value != 0);
}

static uint32_t at(const AssignFlow *w, const CStmt *s) {
    return s->index - w->base;
}

static void kill(AssignFlow *w) {
    w->dead = true;
}

static void flow_decl(AssignFlow *w, const CStmt *s) {
    for (uint32_t i = 0; s->group && i < s->group->n_decls; i++) {
        const CDecl *d = s->group->decls[i];
        if (d->kind != CD_VAR || d->local == UINT32_MAX) continue;
        set(w, d, false);
        bool certain = d->init && flow_expr(w, d->init);
        set(w, d, certain);
    }
}

static void flow_if(AssignFlow *w, const CStmt *s) {
    if (s->expr) flow_expr(w, s->expr);
    Saved before = save(w);
    if (s->body) flow_stmt(w, s->body);
    Saved then = save(w);
    restore(w, before);
    if (s->other) flow_stmt(w, s->other);
    join_saved(w, then);
}

/* Leaving a loop or switch: joins what fell through and what broke out. */
static void flow_leave(AssignFlow *w, const CStmt *s) {
    forget_inside(w, w->leave[at(w, s)], s->range);
    join(w, w->leave[at(w, s)]);
    forget_inside(w, w->now, s->range);
}

static void flow_while(AssignFlow *w, const CStmt *s) {
    uint32_t k = at(w, s);
    join(w, w->back[k]);
    if (s->expr) flow_expr(w, s->expr);
    Saved tested = save(w);
    if (s->body) flow_stmt(w, s->body);
    join(w, w->again[k]);
    forget_inside(w, w->now, s->range);
    keep(w, &w->back[k]);
    restore(w, tested);
    if (is_true(s->expr)) kill(w);
    flow_leave(w, s);
}

static void flow_do(AssignFlow *w, const CStmt *s) {
    uint32_t k = at(w, s);
    join(w, w->back[k]);
    if (s->body) flow_stmt(w, s->body);
    join(w, w->again[k]);
    forget_inside(w, w->now, s->range);
    if (s->expr) flow_expr(w, s->expr);
    keep(w, &w->back[k]);
    if (is_true(s->expr)) kill(w);
    flow_leave(w, s);
}

static void flow_for(AssignFlow *w, const CStmt *s) {
    uint32_t k = at(w, s);
    if (s->init) flow_stmt(w, s->init);
    join(w, w->back[k]);
    if (s->expr) flow_expr(w, s->expr);
    Saved tested = save(w);
    if (s->body) flow_stmt(w, s->body);
    join(w, w->again[k]);
    if (s->body) forget_inside(w, w->now, s->body->range);
    if (s->step) flow_expr(w, s->step);
    keep(w, &w->back[k]);
    restore(w, tested);
    if (is_true(s->expr)) kill(w);
    flow_leave(w, s);
}

static bool has_default(const CFunction *f, const CStmt *s) {
    for (uint32_t i = 0; i < f->n_stmts; i++)
        if (f->stmts[i]->kind == CS_DEFAULT && f->stmts[i]->target == s) return true;
    return false;
}

static void flow_switch(AssignFlow *w, const CStmt *s) {
    uint32_t k = at(w, s);
    if (s->expr) flow_expr(w, s->expr);
    Saved tested = save(w);
    w->choice[k] = tested.dead ? NULL : tested.bits;
    kill(w);
    if (s->body) flow_stmt(w, s->body);
    if (s->body && !tested.dead) { /* the block itself is entered, though not at its beginning */
        s->body->flags &= ~(uint32_t)CF_UNREACHABLE;
        memcpy(w->in[at(w, s->body)], tested.bits, w->words * sizeof(uint64_t));
    }
    if (!has_default(w->f, s)) join_saved(w, tested);
    flow_leave(w, s);
}

static void flow_case(AssignFlow *w, const CStmt *s) {
    if (s->target) join(w, w->choice[at(w, s->target)]);
}

/* At a label, only names visible both here and at the goto count; the bits of names that are not
 * visible at the label are cleared. */
static void flow_goto(AssignFlow *w, const CStmt *s) {
    if (s->target && !w->dead) {
        for (uint32_t i = 0; i < w->f->n_locals; i++) {
            const CDecl *d = w->f->locals[i];
            bool here = d->kind == CD_PARAM || (crange_in(s->target->range, d->scope->range) &&
                                                d->range.to <= s->target->range.from &&
                                                crange_in(s->range, d->scope->range));
            if (!here) w->now[i / 64] &= ~(UINT64_C(1) << (i % 64));
        }
        keep(w, &w->label[at(w, s->target)]);
    }
    kill(w);
}

static void flow_jump(AssignFlow *w, const CStmt *s) {
    if (s->target)
        keep(w, s->kind == CS_BREAK ? &w->leave[at(w, s->target)] : &w->again[at(w, s->target)]);
    kill(w);
}

static void note(AssignFlow *w, CStmt *s) {
    if (w->dead) {
        s->flags |= CF_UNREACHABLE;
        memset(w->in[at(w, s)], 0, w->words * sizeof(uint64_t));
    } else {
        s->flags &= ~(uint32_t)CF_UNREACHABLE;
        memcpy(w->in[at(w, s)], w->now, w->words * sizeof(uint64_t));
    }
}

static void flow_parts(AssignFlow *w, CStmt *s) {
    switch (s->kind) {
    case CS_BLOCK:
        for (CStmt *x = s->first; x; x = x->next) flow_stmt(w, x);
        forget_inside(w, w->now, s->range);
        break;
    case CS_DECL: flow_decl(w, s); break;
    case CS_EXPR: w->value = s->expr ? flow_expr(w, s->expr) : false; break;
    case CS_IF: flow_if(w, s); break;
    case CS_WHILE: flow_while(w, s); break;
    case CS_DO: flow_do(w, s); break;
    case CS_FOR: flow_for(w, s); break;
    case CS_SWITCH: flow_switch(w, s); break;
    case CS_CASE:
    case CS_DEFAULT:
    case CS_LABEL:
    case CS_ATTRIBUTED:
        if (s->body) flow_stmt(w, s->body);
        break;
    case CS_GOTO: flow_goto(w, s); break;
    case CS_BREAK:
    case CS_CONTINUE: flow_jump(w, s); break;
    case CS_RETURN:
    case CS_GOTO_COMPUTED:
        if (s->expr) flow_expr(w, s->expr);
        kill(w);
        break;
    default: break;
    }
}

static void flow_stmt(AssignFlow *w, CStmt *s) {
    if (s->kind == CS_LABEL) join(w, w->label[at(w, s)]);
    if (s->kind == CS_CASE || s->kind == CS_DEFAULT) flow_case(w, s);
    note(w, s);
    flow_parts(w, s);
}

/* ---- a function, all functions ---- */
static void begin_round(AssignFlow *w) {
    w->changed = w->dead = false;
    memset(w->now, 0, w->words * sizeof(uint64_t));
    for (uint32_t i = 0; i < w->f->n_params; i++) {
        const CDecl *d = w->f->params[i];
        if (d->local != UINT32_MAX) set(w, d, d->type->kind != CT_RECORD || d->certain);
    }
}

static void nothing_certain(AssignFlow *w) {
    begin_round(w);
    if (w->f->flags & CFN_SETJMP) memset(w->now, 0, w->words * sizeof(uint64_t));
    for (uint32_t i = 0; i < w->f->n_stmts; i++) {
        memcpy(w->in[i], w->now, w->words * sizeof(uint64_t));
        w->f->stmts[i]->flags &= ~(uint32_t)CF_UNREACHABLE;
    }
}

static uint64_t **new_places(AssignFlow *w) {
    return ARENA_ARRAY(&w->scratch, uint64_t *, w->f->n_stmts + 1);
}

static void analyse(Build *b, CFunction *f, bool *params_changed) {
    AssignFlow w = { .f = f, .words = f->n_locals / 64 + 1, .params_changed = params_changed };
    w.base = f->n_stmts ? f->stmts[0]->index : 0;
    w.now = ARENA_ARRAY(&w.scratch, uint64_t, w.words);
    w.label = new_places(&w);
    w.back = new_places(&w);
    w.leave = new_places(&w);
    w.again = new_places(&w);
    w.choice = new_places(&w);
    w.in = new_places(&w);
    for (uint32_t i = 0; i < f->n_stmts; i++) {
        if (!f->stmts[i]->init_in) f->stmts[i]->init_in = ARENA_ARRAY(b->arena, uint64_t, w.words);
        w.in[i] = (uint64_t *)f->stmts[i]->init_in;
    }
    int rounds = 0;
    do {
        begin_round(&w);
        flow_stmt(&w, f->body);
    } while (w.changed && ++rounds < MOST_ROUNDS);
    if (w.changed || (f->flags & (CFN_UNCERTAIN | CFN_SETJMP | CFN_COMPUTED_GOTO)))
        nothing_certain(&w);
    arena_release(&w.scratch);
}

void build_assigned(Build *b) {
    CUnit *u = b->unit;
    for (uint32_t i = 0; i < u->n_functions; i++)
        for (uint32_t k = 0; k < u->functions[i]->n_params; k++)
            u->functions[i]->params[k]->certain = !(u->functions[i]->flags & CFN_ADDRESS);
    bool changed;
    do {
        changed = false;
        for (uint32_t i = 0; i < u->n_functions; i++) analyse(b, u->functions[i], &changed);
    } while (changed);
}

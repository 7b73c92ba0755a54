/* Functions: one that returns a value returns nothing; one is written out where it is called, and
 * goes where that was its only call. */
#include "cfront/lex.h"
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

/* ---- nothing is returned ---- */
/* The specifiers that give the type, from first to last: not static, inline and the like. */
static bool type_range(const CDeclGroup *g, CRange *out) {
    bool any = false;
    for (uint32_t i = 0; g && i < g->n_specs; i++) {
        CSpecKind k = g->specs[i].kind;
        if (k >= CSP_STATIC && k != CSP_TAG && k != CSP_NAME) continue;
        if (!any) *out = g->specs[i].range;
        out->to = g->specs[i].range.to;
        any = true;
    }
    return any;
}

/* A return with a value: without side effects it goes; else the value is left as a statement. */
static void bare_return(Rewrite *w, const CStmt *s) {
    bool last = s->slot == CSL_BLOCK && !s->next && s->parent && !s->parent->parent;
    bool pure = model_pure(s->expr);
    if (last && pure)
        rewrite_drop(w, s->range);
    else if (last)
        rewrite_drop(w, s->keyword);
    else
        rewrite_drop(w, s->expr->range);
}

static void add_void(const Model *m, Rewrite *w, const CFunction *fn, EditSets *out) {
    const DeclVec *all = model_decls(m, fn->decl);
    rewrite_clear(w);
    for (size_t i = 0; i < all->len; i++) {
        CRange type;
        const CDecl *d = all->at[i];
        if (!d->group || d->group->n_decls > 1 || !type_range(d->group, &type)) return;
        /* With the stars of its declarator. */
        if (d->name_range.from > type.to) type.to = d->name_range.from;
        rewrite_put(w, type, STR("void"));
    }
    for (uint32_t i = 0; i < fn->n_stmts; i++)
        if (fn->stmts[i]->kind == CS_RETURN && fn->stmts[i]->expr) bare_return(w, fn->stmts[i]);
    const ExprVec *refs = model_refs(m, fn->decl);
    for (size_t i = 0; i < refs->len; i++) {
        const CExpr *call = model_call(refs->at[i]);
        bool alone = call && !call->parent && call->stmt && call->stmt->kind == CS_EXPR;
        if (call && !alone) return;
    }
    rewrite_add(w, out);
}

void find_results(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t f = 0; f < m->unit->n_functions; f++) {
        const CFunction *fn = m->unit->functions[f];
        const CType *type = fn->decl->type;
        if (fn->flags & (CFN_MAIN | CFN_MACRO | CFN_SYSTEM)) continue;
        if (type && type->elem && type->elem->kind != CT_VOID) add_void(m, &w, fn, out);
    }
    rewrite_release(&w);
}

/* ---- written out ---- */
/* The only return of a function if it is its last statement (or none: *value is NULL). */
static bool single_exit(const CFunction *fn, const CStmt **last) {
    *last = NULL;
    for (uint32_t i = 0; i < fn->n_stmts; i++) {
        const CStmt *s = fn->stmts[i];
        if (s->kind != CS_RETURN) continue;
        if (*last || s->parent != fn->body || s->next) return false;
        *last = s;
    }
    return true;
}

typedef struct Inlining {
    const Model *m;
    Rewrite *w;
    const CFunction *fn;
    const CExpr *call;
} Inlining;

static const CExpr *argument_of(const Inlining *in, const CDecl *d) {
    for (uint32_t i = 0; i < in->fn->n_params; i++)
        if (in->fn->params[i] == d) return cexpr_operand(in->call, i + 1);
    return NULL;
}

/* Part of the function with arguments in place of parameters. */
static void write_part(const Inlining *in, CRange part) {
    uint32_t at = part.from;
    for (uint32_t i = 0; i < in->fn->n_exprs; i++) {
        const CExpr *e = in->fn->exprs[i];
        if (e->kind != CE_REF || !crange_in(e->range, part) || e->range.from < at) continue;
        const CExpr *arg = e->decl ? argument_of(in, e->decl) : NULL;
        if (!arg) continue;
        rewrite_source(in->w, (CRange){ at, e->range.from });
        if (!model_is_primary(arg)) rewrite_text(in->w, STR("("));
        rewrite_source(in->w, arg->range);
        if (!model_is_primary(arg)) rewrite_text(in->w, STR(")"));
        at = e->range.to;
    }
    rewrite_source(in->w, (CRange){ at, part.to });
}

/* The whole definition and all other declarations. */
static void drop_function(const Model *m, Rewrite *w, const CFunction *fn) {
    const DeclVec *all = model_decls(m, fn->decl);
    for (size_t i = 0; i < all->len; i++)
        if (all->at[i] != fn->decl && all->at[i]->group && all->at[i]->group->n_decls == 1)
            rewrite_drop(w, all->at[i]->group->range);
    rewrite_drop(w, fn->range);
}

/* The call's statement becomes the body, then the statement with the value in place of the call. */
static bool write_out(const Inlining *in, const CStmt *last) {
    const CFunction *fn = in->fn;
    const CStmt *stmt = in->call->stmt;
    CRange body = { fn->body->range.from + 1, fn->body->range.to - 1 };
    if (last) body.to = last->range.from;
    bool empty = true;
    for (const CStmt *s = fn->body->first; s && empty; s = s->next) empty = s == last;
    bool value = last && last->expr;
    bool alone = !in->call->parent && stmt && stmt->kind == CS_EXPR;
    if (empty && value && !alone) { /* an expression for an expression */
        rewrite_at(in->w, in->call->range);
        bool primary = model_is_primary(last->expr);
        if (!primary) rewrite_text(in->w, STR("("));
        write_part(in, last->expr->range);
        if (!primary) rewrite_text(in->w, STR(")"));
        return true;
    }
    if (!stmt || (!value && !alone) || stmt->slot == CSL_FOR_INIT) return false;
    if (stmt->kind != CS_EXPR && stmt->kind != CS_RETURN && stmt->kind != CS_DECL) return false;
    bool braces = stmt->kind != CS_DECL && !empty;
    rewrite_at(in->w, stmt->range);
    if (braces) rewrite_text(in->w, STR("{"));
    write_part(in, body);
    if (value && !(alone && model_pure(last->expr))) {
        rewrite_source(in->w, (CRange){ stmt->range.from, in->call->range.from });
        write_part(in, last->expr->range);
        rewrite_source(in->w, (CRange){ in->call->range.to, stmt->range.to });
    }
    if (braces) rewrite_text(in->w, STR("}"));
    return true;
}

static void add_inlined(const Model *m, Rewrite *w, const CFunction *fn, EditSets *out) {
    const ExprVec *refs = model_refs(m, fn->decl);
    const CStmt *last;
    if (!refs->len || !single_exit(fn, &last)) return;
    rewrite_clear(w);
    for (size_t i = 0; i < refs->len; i++) {
        Inlining in = { m, w, fn, model_call(refs->at[i]) };
        bool own = in.call && in.call->function == fn; /* within itself */
        if (!in.call || own || !write_out(&in, last)) return;
    }
    drop_function(m, w, fn);
    rewrite_add(w, out);
}

void find_bodies(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t f = 0; f < m->unit->n_functions; f++) {
        const CFunction *fn = m->unit->functions[f];
        if (fn->flags & (CFN_MAIN | CFN_MACRO | CFN_SYSTEM | CFN_KR | CFN_ADDRESS)) continue;
        add_inlined(m, &w, fn, out);
    }
    rewrite_release(&w);
}

/* A pointer gives up one level, on both ends: `int *p = &x` becomes `int p = x`, `*p` and `p[i]`
 * become `p`, `p->f` becomes `p.f`; for a parameter every call passes `x` in place of `&x`; a
 * function that returns a pointer returns what it points to. */
#include "cfront/lex.h"
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

/* The `*` that belongs to the name, with qualifiers after it; false: there is none. */
static bool star_of(const CDeclGroup *group, CRange name, CRange *out) {
    bool found = false;
    for (uint32_t i = 0; group && i < group->n_stars; i++)
        if (group->stars[i].to <= name.from) *out = group->stars[i], found = true;
    return found;
}

/* `&x` becomes `x`. Anything else stays as it is. */
static void take_value(Rewrite *w, const CExpr *e) {
    const CExpr *bare = e ? cexpr_strip(e) : NULL;
    if (bare && bare->kind == CE_CAST) bare = cexpr_strip(bare->first);
    if (bare && bare->kind == CE_UNARY && bare->op == CO_ADDRESS)
        rewrite_keep(w, e->range, bare->first->range);
}

static void peel_use(const Model *m, Rewrite *w, const CExpr *use) {
    const CExpr *inner, *outer = model_outer(use, &inner);
    if (!outer) return;
    if ((outer->kind == CE_UNARY && outer->op == CO_DEREF) ||
        (outer->kind == CE_INDEX && outer->first == inner))
        rewrite_keep(w, outer->range, inner->range);
    else if (outer->kind == CE_MEMBER && outer->arrow && outer->first == inner)
        rewrite_put(w, outer->op_range, STR("."));
    else if (outer->kind == CE_ASSIGN && outer->first == inner)
        take_value(w, cexpr_operand(outer, 1));
    (void)m;
}

/* What every call passes for this parameter. */
static void peel_arguments(const Model *m, Rewrite *w, const CDecl *function, uint32_t index) {
    const ExprVec *calls = model_refs(m, function);
    for (size_t i = 0; i < calls->len; i++) {
        const CExpr *call = model_call(calls->at[i]);
        if (call) take_value(w, cexpr_operand(call, index + 1));
    }
}

/* The parameter at `index` in every declaration of the function. */
static bool peel_parameter(const Model *m, Rewrite *w, const CDecl *function, uint32_t index) {
    const DeclVec *all = model_decls(m, function);
    for (size_t i = 0; i < all->len; i++) {
        CRange star;
        const CDecl *p = index < all->at[i]->n_params ? all->at[i]->params[index] : NULL;
        if (!p) continue;
        CRange name = p->name_range.to > p->name_range.from ? p->name_range
                                                            : (CRange){ p->range.to, p->range.to };
        if (!star_of(p->group, name, &star)) return false;
        rewrite_drop(w, star);
    }
    peel_arguments(m, w, function, index);
    return true;
}

static bool peel_variable(const Model *m, Rewrite *w, const CDecl *d) {
    const DeclVec *all = model_decls(m, d);
    for (size_t i = 0; i < all->len; i++) {
        CRange star;
        const CDecl *one = all->at[i];
        if (!star_of(one->group, one->name_range, &star) || star.from < one->range.from)
            return false;
        rewrite_drop(w, star);
        take_value(w, one->init);
    }
    return all->len > 0;
}

static void peel(const Model *m, Rewrite *w, const CDecl *d, const CDecl *function, EditSets *out) {
    const ExprVec *refs = model_refs(m, d);
    rewrite_clear(w);
    bool ok = function ? peel_parameter(m, w, function, d->index) : peel_variable(m, w, d);
    for (size_t i = 0; i < refs->len && ok; i++) peel_use(m, w, refs->at[i]);
    if (ok) rewrite_add(w, out);
}

static void peel_field(const Model *m, Rewrite *w, const CField *f, EditSets *out) {
    CRange star;
    const ExprVec *refs = model_members(m, f);
    if (!f->group || !f->type || f->type->kind != CT_POINTER ||
        !star_of(f->group, f->name_range, &star))
        return;
    rewrite_clear(w);
    rewrite_drop(w, star);
    for (size_t i = 0; i < refs->len; i++) peel_use(m, w, refs->at[i]);
    rewrite_add(w, out);
}

void find_pointers(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *d = m->unit->decls[i];
        if (d->kind == CD_VAR && model_own(d) && d->type && d->type->kind == CT_POINTER)
            peel(m, &w, d, NULL, out);
    }
    for (uint32_t f = 0; f < m->unit->n_functions; f++) {
        const CFunction *fn = m->unit->functions[f];
        for (uint32_t k = 0; k < fn->n_params && !(fn->flags & (CFN_KR | CFN_MACRO)); k++)
            if (fn->params[k]->type && fn->params[k]->type->kind == CT_POINTER)
                peel(m, &w, fn->params[k], fn->decl, out);
    }
    for (uint32_t r = 0; r < m->unit->n_records; r++)
        for (uint32_t k = 0; k < m->unit->records[r]->n_fields; k++)
            peel_field(m, &w, &m->unit->records[r]->fields[k], out);
    rewrite_release(&w);
}

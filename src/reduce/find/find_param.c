/* A parameter goes, from every declaration of its function, with the argument of every call; its
 * uses become what a call passed, or a global of the same name; or it stays as a local variable. */
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

enum { MOST_VALUES = 3 }; /* different arguments tried in place of a parameter */

static void drop_everywhere(const Model *m, Rewrite *w, const CDecl *function, uint32_t index) {
    const DeclVec *all = model_decls(m, function);
    for (size_t i = 0; i < all->len; i++)
        if (index < all->at[i]->n_params)
            rewrite_drop_element(w, all->at[i]->params[index]->range, all->at[i]->params_range);
    const ExprVec *refs = model_refs(m, function);
    for (size_t i = 0; i < refs->len; i++) {
        const CExpr *call = model_call(refs->at[i]);
        const CExpr *arg = call ? cexpr_operand(call, index + 1) : NULL;
        if (arg) rewrite_drop_element(w, arg->range, model_arguments(m, call));
    }
}

/* Every use becomes the argument; `&x` under a `*` becomes `x`. */
static void use_value(Rewrite *w, const CExpr *use, const CExpr *value) {
    const CExpr *inner, *outer = model_outer(use, &inner);
    const CExpr *bare = cexpr_strip(value);
    bool address = bare->kind == CE_UNARY && bare->op == CO_ADDRESS;
    if (address && outer && outer->kind == CE_UNARY && outer->op == CO_DEREF) {
        rewrite_at(w, outer->range);
        rewrite_source(w, bare->first->range);
        return;
    }
    rewrite_at(w, use->range);
    if (!model_is_primary(value)) rewrite_text(w, STR("("));
    rewrite_source(w, value->range);
    if (!model_is_primary(value)) rewrite_text(w, STR(")"));
}

static void add_values(const Model *m, Rewrite *w, const CFunction *fn, uint32_t index,
                       EditSets *out) {
    const ExprVec *refs = model_refs(m, fn->decl), *uses = model_refs(m, fn->params[index]);
    StrVec seen = { 0 };
    for (size_t i = 0; i < refs->len && seen.len < MOST_VALUES; i++) {
        const CExpr *call = model_call(refs->at[i]);
        const CExpr *arg = call ? cexpr_operand(call, index + 1) : NULL;
        if (!arg || model_is_local(arg)) continue;
        Str text = model_text(m, arg->range);
        bool known = false;
        for (size_t k = 0; k < seen.len; k++) known |= str_eq(seen.at[k], text);
        if (known) continue;
        vec_push(&seen, text);
        rewrite_clear(w);
        drop_everywhere(m, w, fn->decl, index);
        for (size_t k = 0; k < uses->len; k++) use_value(w, uses->at[k], arg);
        rewrite_add(w, out);
    }
    vec_release(&seen);
}

/* The parameter as a local variable: `T p;` at the start of the body. */
static void add_local(const Model *m, Rewrite *w, const CFunction *fn, uint32_t index,
                      EditSets *out) {
    const CDecl *p = fn->params[index];
    if (p->name_range.from == p->name_range.to || !model_refs(m, p)->len) return;
    rewrite_clear(w);
    drop_everywhere(m, w, fn->decl, index);
    rewrite_at(w, (CRange){ fn->body->range.from + 1, fn->body->range.from + 1 });
    rewrite_source(w, p->range);
    rewrite_text(w, STR(";"));
    rewrite_add(w, out);
}

void find_arguments(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t f = 0; f < m->unit->n_functions; f++) {
        const CFunction *fn = m->unit->functions[f];
        if (fn->flags & (CFN_KR | CFN_MACRO | CFN_SYSTEM)) continue;
        for (uint32_t k = 0; k < fn->n_params; k++) {
            if (!model_refs(m, fn->params[k])->len) {
                rewrite_clear(&w);
                drop_everywhere(m, &w, fn->decl, k);
                rewrite_add(&w, out);
                continue;
            }
            add_values(m, &w, fn, k, out);
            add_local(m, &w, fn, k, out);
        }
    }
    /* Functions that are only declared. */
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *d = m->unit->decls[i];
        if (d->kind != CD_FUNCTION || d->function || !model_own(d)) continue;
        for (uint32_t k = 0; k < d->n_params; k++) {
            rewrite_clear(&w);
            drop_everywhere(m, &w, d, k);
            rewrite_add(&w, out);
        }
    }
    rewrite_release(&w);
}

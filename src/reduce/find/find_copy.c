/* Copy propagation: a variable gives way to what was assigned to it. Its declaration and one
 * assignment (or its initialiser) go, every other use becomes the value; a `*` of an `&x` becomes
 * `x`, and `p->f` becomes `x.f`. The test decides whether the value is still the same there. */
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

enum { MOST_ASSIGNED = 3 }; /* assignments of one variable that are tried */

/* The declarator with what belongs to it: the whole declaration where it is the only one. */
static void drop_declaration(Rewrite *w, const CDecl *d) {
    const CDeclGroup *g = d->group;
    if (g->n_decls == 1)
        rewrite_drop(w, g->range);
    else
        rewrite_drop_element(w, d->range, g->range);
}

static bool put_address(Rewrite *w, const CExpr *use, const CExpr *pointee) {
    const CExpr *inner, *outer = model_outer(use, &inner);
    if (!outer) return false;
    bool member = outer->kind == CE_MEMBER && outer->arrow && outer->first == inner;
    if (!member && !(outer->kind == CE_UNARY && outer->op == CO_DEREF)) return false;
    rewrite_at(w, member ? inner->range : outer->range);
    if (!model_is_primary(pointee)) rewrite_text(w, STR("("));
    rewrite_source(w, pointee->range);
    if (!model_is_primary(pointee)) rewrite_text(w, STR(")"));
    if (member) rewrite_put(w, outer->op_range, STR("."));
    return true;
}

static void put_value(Rewrite *w, const CExpr *use, const CExpr *value) {
    const CExpr *bare = cexpr_strip(value);
    if (bare->kind == CE_UNARY && bare->op == CO_ADDRESS && put_address(w, use, bare->first))
        return;
    const CExpr *outer = model_outer(use, NULL);
    bool bare_place = !outer || outer->kind == CE_ASSIGN || outer->kind == CE_LIST ||
                      (outer->kind == CE_CALL && outer->first != use) || model_is_primary(value);
    rewrite_at(w, use->range);
    if (!bare_place) rewrite_text(w, STR("("));
    rewrite_source(w, value->range);
    if (!bare_place) rewrite_text(w, STR(")"));
}

/* Everything about the variable goes; `from` (an assignment's statement, or NULL) goes too. */
static void add_copy(const Model *m, Rewrite *w, const CDecl *d, const CExpr *value,
                     const CStmt *from, EditSets *out) {
    const ExprVec *refs = model_refs(m, d);
    const DeclVec *all = model_decls(m, d);
    rewrite_clear(w);
    for (size_t i = 0; i < all->len; i++) {
        if (!all->at[i]->group) return;
        drop_declaration(w, all->at[i]);
    }
    if (from) rewrite_drop(w, from->range);
    for (size_t i = 0; i < refs->len; i++)
        if (!from || !crange_in(refs->at[i]->range, from->range)) put_value(w, refs->at[i], value);
    if (refs->len) rewrite_add(w, out);
}

/* `x = E;` as a statement: E. */
static const CExpr *assigned(const CExpr *use, const CStmt **stmt) {
    const CExpr *inner, *outer = model_outer(use, &inner);
    if (!outer || outer->kind != CE_ASSIGN || outer->op != CO_ASSIGN || outer->first != inner)
        return NULL;
    if (outer->parent || !outer->stmt || outer->stmt->kind != CS_EXPR) return NULL;
    *stmt = outer->stmt;
    return cexpr_operand(outer, 1);
}

void find_copies(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *d = m->unit->decls[i];
        if (d->kind != CD_VAR || !model_own(d)) continue;
        if (d->init && d->init->kind != CE_LIST && !model_mentions(d->init, d))
            add_copy(m, &w, d, d->init, NULL, out);
        const ExprVec *refs = model_refs(m, d);
        size_t tried = 0;
        for (size_t k = 0; k < refs->len && tried < MOST_ASSIGNED; k++) {
            const CStmt *stmt = NULL;
            const CExpr *value = assigned(refs->at[k], &stmt);
            if (!value || model_mentions(value, d)) continue;
            tried++;
            add_copy(m, &w, d, value, stmt, out);
        }
    }
    rewrite_release(&w);
}

/* ---- enumerators ---- */
static void add_enumerator(const Model *m, Rewrite *w, const CDecl *d, EditSets *out) {
    const ExprVec *refs = model_refs(m, d);
    rewrite_clear(w);
    Str value = str_from(arena_fmt(w->arena, "%lld", (long long)d->value));
    for (size_t i = 0; i < refs->len; i++) rewrite_put(w, refs->at[i]->range, value);
    rewrite_drop_element(w, d->range, (CRange){ 0, UINT32_MAX });
    rewrite_add(w, out);
}

void find_enumerators(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *d = m->unit->decls[i];
        if (d->kind == CD_ENUMERATOR && !(d->flags & (CD_SYSTEM | CD_MACRO)))
            add_enumerator(m, &w, d, out);
    }
    rewrite_release(&w);
}

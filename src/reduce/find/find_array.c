/* An array gives up one dimension: `int a[6]` becomes `int a`, every `a[i]` becomes `a`, and one
 * element of an initialiser is left. Members of structures as well. Which element: the first, or
 * one that the program reaches by a constant index. */
#include "cfront/lex.h"
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

enum { MOST_ELEMENTS = 4 }; /* elements of an initialiser tried in its place */

/* The first `[..]` after a declared name; false: something else is there. */
static bool first_brackets(const Model *m, CRange name, uint32_t to, CRange *out) {
    CTok open = lex_next(m->unit->text, name.to, to);
    if (name.from == name.to || !lex_is(m->unit->text, open, "[")) return false;
    uint32_t close = lex_match(m->unit->text, open.range.from, to);
    if (close == UINT32_MAX) return false;
    *out = (CRange){ open.range.from, close + 1 };
    return true;
}

/* One use of the array without its first index; false: the change cannot be made there. */
static bool peel_use(const Model *m, Rewrite *w, const CExpr *use) {
    const CExpr *inner, *outer = model_outer(use, &inner);
    (void)m;
    if (use->flags & CF_MACRO) return false;
    if (outer && outer->kind == CE_INDEX && outer->first == inner)
        rewrite_keep(w, outer->range, inner->range);
    else if (outer && outer->kind == CE_UNARY && outer->op == CO_DEREF)
        rewrite_keep(w, outer->range, inner->range);
    else if (!(use->flags & CF_UNEVALUATED) && !(outer && outer->op == CO_ADDRESS))
        rewrite_put(w, (CRange){ use->range.from, use->range.from }, STR("&"));
    return true;
}

/* The initialiser: one element of it (or nothing, where it does not have that one). */
static void peel_init(Rewrite *w, const CDecl *d, uint64_t element) {
    if (!d->init || d->init->kind != CE_LIST) return;
    const CExpr *e = d->init->first;
    for (uint64_t i = 0; e && i < element; i++) e = e->next;
    if (e)
        rewrite_keep(w, d->init_range, e->range);
    else
        rewrite_drop(w, (CRange){ d->name_range.to, d->init_range.to });
}

/* Constant indices the program uses, the first few, 0 before all. */
static size_t used_elements(const ExprVec *refs, uint64_t *out) {
    size_t n = 0;
    out[n++] = 0;
    for (size_t i = 0; i < refs->len && n < MOST_ELEMENTS; i++) {
        const CExpr *inner, *outer = model_outer(refs->at[i], &inner);
        if (!outer || outer->kind != CE_INDEX || outer->first != inner) continue;
        const CExpr *index = cexpr_operand(outer, 1);
        bool known = !index || !(index->flags & CF_CONSTANT);
        for (size_t k = 0; k < n && !known; k++) known = out[k] == index->value;
        if (!known) out[n++] = index->value;
    }
    return n;
}

static bool peel_decls(const Model *m, Rewrite *w, const CDecl *d, uint64_t element) {
    const DeclVec *all = model_decls(m, d);
    for (size_t i = 0; i < all->len; i++) {
        CRange brackets;
        const CDecl *one = all->at[i];
        if (!first_brackets(m, one->name_range, one->range.to, &brackets)) return false;
        rewrite_drop(w, brackets);
        peel_init(w, one, element);
    }
    return all->len > 0;
}

static void peel(const Model *m, Rewrite *w, const CDecl *d, uint64_t element, EditSets *out) {
    const ExprVec *refs = model_refs(m, d);
    rewrite_clear(w);
    bool ok = peel_decls(m, w, d, element);
    for (size_t i = 0; i < refs->len && ok; i++) ok = peel_use(m, w, refs->at[i]);
    if (ok) rewrite_add(w, out);
}

static bool is_array(const CType *t) {
    return t && (t->kind == CT_ARRAY || t->kind == CT_OPEN || t->kind == CT_VLA);
}

static void peel_field(const Model *m, Rewrite *w, const CField *f, EditSets *out) {
    CRange brackets;
    const ExprVec *refs = model_members(m, f);
    rewrite_clear(w);
    bool ok =
        f->group && is_array(f->type) && first_brackets(m, f->name_range, f->range.to, &brackets);
    if (ok) rewrite_drop(w, brackets);
    for (size_t i = 0; i < refs->len && ok; i++) ok = peel_use(m, w, refs->at[i]);
    if (ok) rewrite_add(w, out);
}

void find_arrays(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *d = m->unit->decls[i];
        if (d->kind != CD_VAR || !model_own(d) || !is_array(d->type)) continue;
        uint64_t elements[MOST_ELEMENTS];
        size_t n = d->init ? used_elements(model_refs(m, d), elements) : 1;
        if (!d->init) elements[0] = 0;
        for (size_t k = 0; k < n; k++) peel(m, &w, d, elements[k], out);
    }
    for (uint32_t r = 0; r < m->unit->n_records; r++)
        for (uint32_t k = 0; k < m->unit->records[r]->n_fields; k++)
            peel_field(m, &w, &m->unit->records[r]->fields[k], out);
    rewrite_release(&w);
}

/* Where variables are declared: two of one type become one; a declaration absorbs the first
 * assignment; a local variable is declared beside a global of its type. */
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

enum { MOST_OTHERS = 6 }; /* others tried in place of one name */

/* A declaration goes. A structure that it defines as well is not part of the group, and stays. */
static void drop_group(Rewrite *w, const CDeclGroup *group) {
    rewrite_at(w, group->range);
    if (group->specs_range.from == group->specs_range.to) rewrite_text(w, STR(";"));
}

static void drop_declarations(const Model *m, Rewrite *w, const CDecl *d) {
    const DeclVec *all = model_decls(m, d);
    for (size_t i = 0; i < all->len; i++) {
        const CDecl *one = all->at[i];
        if (one->kind == CD_FUNCTION && one->function && one->function->decl == one)
            rewrite_drop(w, one->function->range);
        else if (one->group && one->group->n_decls == 1)
            drop_group(w, one->group);
        else if (one->group)
            rewrite_drop_element(w, one->range, one->group->range);
    }
}

/* ---- one name for two ---- */
/* Whether `other` can be used wherever d is: a global declared before it, or one of its function,
 * also one that is declared later but before d is used. */
static bool reaches(const Model *m, const CDecl *other, const CDecl *d) {
    const ExprVec *refs = model_refs(m, d);
    bool later = other->range.from >= d->range.from;
    for (size_t i = 0; i < refs->len && later; i++)
        if (refs->at[i]->range.from < other->range.to) return false;
    if (other == d || (later && !refs->len)) return false;
    if (other->flags & CD_GLOBAL) return true;
    return other->function == d->function && !(d->flags & CD_GLOBAL);
}

static void add_alike(const Model *m, Rewrite *w, const CDecl *d, const CDecl *other,
                      EditSets *out) {
    const ExprVec *refs = model_refs(m, d);
    rewrite_clear(w);
    drop_declarations(m, w, d);
    for (size_t i = 0; i < refs->len; i++) rewrite_put(w, refs->at[i]->range, other->name);
    rewrite_add(w, out);
}

static const CType *bare_type(const CDecl *d) {
    return d->type ? d->type->bare : NULL;
}

static bool unifies(const CDecl *d) {
    if (!model_own(d) || !d->name.len) return false;
    if (d->kind == CD_FUNCTION) return !(d->function && (d->function->flags & CFN_MAIN));
    return d->kind == CD_VAR;
}

/* Whether d could be another name of `other`. */
static bool may_unify(const Model *m, const CDecl *d, const CDecl *other) {
    bool kind = other->kind == d->kind || (d->kind == CD_VAR && other->kind == CD_PARAM);
    bool own = other->kind == CD_PARAM || unifies(other);
    return kind && own && other->name.len && bare_type(other) == bare_type(d) &&
           reaches(m, other, d);
}

void find_alike(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *d = m->unit->decls[i];
        uint32_t n = unifies(d) ? m->unit->n_decls : 0;
        size_t tried = 0;
        for (uint32_t k = 0; k < n && tried < MOST_OTHERS; k++) { /* the nearest before it first */
            const CDecl *other = m->unit->decls[k < i ? i - 1 - k : k];
            if (!may_unify(m, d, other)) continue;
            tried++;
            add_alike(m, &w, d, other, out);
        }
    }
    rewrite_release(&w);
}

/* ---- a declaration with its first assignment ---- */
static void add_start(const Model *m, Rewrite *w, const CDecl *d, EditSets *out) {
    const ExprVec *refs = model_refs(m, d);
    for (size_t i = 0; i < refs->len; i++) {
        const CExpr *inner, *outer = model_outer(refs->at[i], &inner);
        if (!outer || outer->kind != CE_ASSIGN || outer->op != CO_ASSIGN || outer->first != inner)
            continue;
        if (outer->parent || !outer->stmt || outer->stmt->kind != CS_EXPR) continue;
        const CExpr *value = cexpr_operand(outer, 1);
        if (!value || model_mentions(value, d)) continue;
        if ((d->flags & CD_LASTING) && model_is_local(value)) continue;
        rewrite_clear(w);
        rewrite_at(w, (CRange){ d->range.to, d->range.to });
        rewrite_text(w, STR("="));
        rewrite_source(w, value->range);
        rewrite_drop(w, outer->stmt->range);
        rewrite_add(w, out);
        return;
    }
}

void find_starts(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *d = m->unit->decls[i];
        if (d->kind == CD_VAR && model_own(d) && !d->init && !(d->flags & CD_EXTERN))
            add_start(m, &w, d, out);
    }
    rewrite_release(&w);
}

/* ---- a local beside a global ---- */
/* The specifiers of a declaration as text, to compare. */
static Str specs_of(const Model *m, const CDeclGroup *g) {
    return model_text(m, g->specs_range);
}

void find_locals(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_groups; i++) {
        const CDeclGroup *g = m->unit->groups[i], *home = NULL;
        if (g->kind != CG_LOCAL || !g->n_decls || g->in_macro || !g->stmt) continue;
        bool plain = true;
        for (uint32_t k = 0; k < g->n_decls; k++) plain &= !g->decls[k]->init;
        for (uint32_t k = 0; k < i && plain; k++) {
            const CDeclGroup *o = m->unit->groups[k];
            if (o->kind == CG_GLOBAL && o->n_decls && !o->in_macro &&
                str_eq(specs_of(m, o), specs_of(m, g)))
                home = o;
        }
        if (!home) continue;
        rewrite_clear(&w);
        rewrite_drop(&w, g->range);
        uint32_t end = home->decls[home->n_decls - 1]->range.to;
        rewrite_at(&w, (CRange){ end, end });
        for (uint32_t k = 0; k < g->n_decls; k++) {
            rewrite_text(&w, STR(","));
            rewrite_source(&w, g->decls[k]->range);
        }
        rewrite_add(&w, out);
    }
    rewrite_release(&w);
}

/* See model.h. */
#include "reduce/find/model.h"
#include "cfront/lex.h"

static bool speaks_c(const Doc *doc) {
    return doc->tree.lang && strcmp(lang_name(doc->tree.lang), "c") == 0;
}

static uint64_t *number_of(Model *m, const void *at) {
    return map_at(&m->numbers, (Str){ (const char *)&at, sizeof at });
}

static size_t number_for(Model *m, const void *at, const CDecl *decl) {
    uint64_t *n = number_of(m, at);
    if (!*n) {
        vec_push(&m->refs, (ExprVec){ 0 });
        vec_push(&m->again, (DeclVec){ 0 });
        vec_push(&m->of, decl);
        *n = m->refs.len;
    }
    return *n - 1;
}

static void index_ref(Model *m, const CExpr *e) {
    const void *what = e->kind == CE_MEMBER ? (const void *)e->field : NULL;
    const CDecl *first = NULL;
    if (e->kind == CE_REF && e->decl) what = first = e->decl->first ? e->decl->first : e->decl;
    if (!what) return;
    size_t n = number_for(m, what, first);
    vec_push(&m->refs.at[n], e);
}

static void index_unit(Model *m) {
    const CUnit *u = m->unit;
    for (uint32_t i = 0; i < u->n_decls; i++) {
        const CDecl *first = u->decls[i]->first ? u->decls[i]->first : u->decls[i];
        size_t n = number_for(m, first, first);
        vec_push(&m->again.at[n], u->decls[i]);
    }
    for (uint32_t i = 0; i < u->n_exprs; i++) index_ref(m, u->exprs[i]);
}

static Model *model_new(Str text, const char *const *meaning) {
    Model *m = mem_alloc(sizeof *m);
    Error err = { 0 };
    CfrontOptions options = { .args = meaning };
    m->unit = cfront_parse(&m->arena, text, &options, &err);
    if (m->unit) index_unit(m);
    return m;
}

void model_free(Model *m) {
    if (!m) return;
    for (size_t i = 0; i < m->refs.len; i++) {
        vec_release(&m->refs.at[i]);
        vec_release(&m->again.at[i]);
    }
    vec_release(&m->refs);
    vec_release(&m->again);
    vec_release(&m->of);
    map_release(&m->numbers);
    arena_release(&m->arena);
    mem_free(m);
}

const Model *model_of(const Target *t) {
    Doc *doc = target_doc(t);
    if (!speaks_c(doc)) return NULL;
    if (!doc->model || doc->model_version != doc->version) {
        model_free(doc->model);
        const Property *property = t->r->side[t->side].property;
        doc->model = model_new(doc->tree.text, property ? property_meaning(property) : NULL);
        doc->model_version = doc->version;
    }
    return doc->model->unit ? doc->model : NULL;
}

/* ---- questions ---- */
static size_t lookup(const Model *m, const void *at) {
    uint64_t n = 0;
    map_get(&m->numbers, (Str){ (const char *)&at, sizeof at }, &n);
    return (size_t)n;
}

const ExprVec *model_refs(const Model *m, const CDecl *decl) {
    static const ExprVec none = { 0 };
    size_t n = lookup(m, decl->first ? decl->first : decl);
    return n ? &m->refs.at[n - 1] : &none;
}

const ExprVec *model_members(const Model *m, const CField *field) {
    static const ExprVec none = { 0 };
    size_t n = lookup(m, field);
    return n ? &m->refs.at[n - 1] : &none;
}

const DeclVec *model_decls(const Model *m, const CDecl *decl) {
    static const DeclVec none = { 0 };
    size_t n = lookup(m, decl->first ? decl->first : decl);
    return n ? &m->again.at[n - 1] : &none;
}

bool model_own(const CDecl *decl) {
    return (!decl->first || decl->first == decl) && !(decl->flags & (CD_SYSTEM | CD_MACRO)) &&
           decl->group;
}

const CExpr *model_outer(const CExpr *e, const CExpr **inner) {
    while (e->parent && e->parent->kind == CE_PAREN) e = e->parent;
    if (inner) *inner = e;
    return e->parent;
}

const CExpr *model_call(const CExpr *e) {
    const CExpr *inner, *call = model_outer(e, &inner);
    return call && call->kind == CE_CALL && call->first == inner ? call : NULL;
}

CRange model_arguments(const Model *m, const CExpr *call) {
    CTok open = lex_next(m->unit->text, call->first->range.to, call->range.to);
    return (CRange){ open.range.to, call->range.to ? call->range.to - 1 : 0 };
}

static bool is_local(const CDecl *d) {
    return d->kind == CD_PARAM || (d->kind == CD_VAR && !(d->flags & CD_GLOBAL));
}

bool model_is_local(const CExpr *e) {
    if (e->kind == CE_REF && e->decl && is_local(e->decl)) return true;
    if (e->kind == CE_BLOCK) return true;
    for (const CExpr *x = e->first; x; x = x->next)
        if (model_is_local(x)) return true;
    return false;
}

bool model_mentions(const CExpr *e, const CDecl *decl) {
    if (e->kind == CE_REF && e->decl && e->decl->first == decl->first) return true;
    for (const CExpr *x = e->first; x; x = x->next)
        if (model_mentions(x, decl)) return true;
    return false;
}

bool model_is_primary(const CExpr *e) {
    return e->kind == CE_INT || e->kind == CE_CHAR || e->kind == CE_REF || e->kind == CE_PAREN ||
           e->kind == CE_STRING || e->kind == CE_FLOAT || e->kind == CE_CALL ||
           e->kind == CE_INDEX || e->kind == CE_MEMBER;
}

/* Questions about places: what is visible, what is certain, what may be done with a statement. */
#include "cfront/cfront.h"
#include "cfront/lex.h"

/* A name is in scope from its own end on, inside its initialiser as well: what it hides is hidden
 * there. */
static bool named_before(const CDecl *d, uint32_t at) {
    return d->name_range.to <= at && d->name_range.to != 0;
}

/* It can be used from the end of its declarator on. */
static bool declared_before(const CDecl *d, uint32_t at) {
    return d->range.to <= at && d->name_range.to != 0;
}

static bool is_variable(const CDecl *d) {
    return d->kind == CD_VAR || d->kind == CD_PARAM;
}

static bool fits(const CStmt *stmt, const CDecl *d, unsigned which) {
    if (!is_variable(d)) return false;
    if ((which & CV_INITIALISED) && !cfront_initialised(stmt, d)) return false;
    if (which & CV_MODIFIABLE) {
        const CType *t = d->type;
        for (; t->kind == CT_ARRAY; t = t->elem)
            if (t->quals & CQ_CONST) return false;
        if ((t->quals & CQ_CONST) || (t->kind == CT_RECORD && t->record->has_const)) return false;
    }
    return true;
}

static bool is_new_name(Map *seen, Str name) {
    return name.len && map_put(seen, name, 1);
}

void cfront_visible(const CUnit *unit, const CStmt *stmt, unsigned which, CDeclVec *out) {
    Map seen = { 0 };
    uint32_t here = stmt->range.from;
    for (const CScope *s = stmt->scope; s; s = s->parent)
        for (uint32_t i = s->n_decls; i-- > 0;) {
            const CDecl *d = s->decls[i];
            if (!named_before(d, here) || !is_new_name(&seen, d->name)) continue;
            if (!declared_before(d, here)) continue;
            if (d->kind == CD_VAR && (d->flags & CD_EXTERN)) continue;
            if (fits(stmt, d, which)) vec_push(out, d);
        }
    for (uint32_t i = 0; !(which & CV_LOCALS) && i < unit->n_globals; i++) {
        const CDecl *d = unit->globals[i];
        if (!declared_before(d, here) || !is_new_name(&seen, d->name)) continue;
        if (fits(stmt, d, which)) vec_push(out, d);
    }
    map_release(&seen);
}

const CDecl *cfront_lookup(const CUnit *unit, const CStmt *stmt, Str name) {
    uint32_t here = stmt->range.from;
    for (const CScope *s = stmt->scope; s; s = s->parent)
        for (uint32_t i = s->n_decls; i-- > 0;)
            if (named_before(s->decls[i], here) && str_eq(s->decls[i]->name, name))
                return s->decls[i];
    for (uint32_t i = unit->n_decls; i-- > 0;) {
        const CDecl *d = unit->decls[i];
        if (!d->scope && declared_before(d, here) && str_eq(d->name, name)) return d;
    }
    return NULL;
}

bool cfront_is_visible(const CUnit *unit, const CStmt *stmt, const CDecl *decl) {
    const CDecl *found = cfront_lookup(unit, stmt, decl->name);
    return found && declared_before(found, stmt->range.from) &&
           (found == decl || found->first == decl->first);
}

bool cfront_initialised(const CStmt *stmt, const CDecl *decl) {
    if (decl->local == UINT32_MAX || (decl->flags & CD_LASTING))
        return (decl->flags & CD_LASTING) != 0 && !(decl->flags & CD_SYSTEM);
    if (decl->function != stmt->function || !stmt->init_in) return false;
    return stmt->init_in[decl->local / 64] >> (decl->local % 64) & 1;
}

/* ---- types ---- */
static bool scope_encloses(const CScope *outer, const CScope *inner) {
    if (!outer) return true;
    for (; inner; inner = inner->parent)
        if (inner == outer) return true;
    return false;
}

static bool tag_visible(const CUnit *unit, const CRecord *r, const CStmt *stmt) {
    uint32_t here = stmt ? stmt->range.from : (uint32_t)unit->text.len;
    const CScope *scope = stmt ? stmt->scope : NULL;
    if (!r->in_system && (r->range.to > here || r->range.to == 0)) return false;
    if (!scope_encloses(r->scope, scope)) return false;
    for (uint32_t i = 0; i < unit->n_records; i++) {
        const CRecord *other = unit->records[i];
        if (other != r && str_eq(other->tag, r->tag) && other->scope != r->scope &&
            scope_encloses(other->scope, scope) && scope_encloses(r->scope, other->scope))
            return false;
    }
    return true;
}

static bool alias_visible(const CUnit *unit, const CDecl *alias, const CStmt *stmt) {
    if (alias->flags & CD_SYSTEM) return true;
    if (!stmt) return alias->scope == NULL;
    return cfront_is_visible(unit, stmt, alias);
}

bool cfront_type_visible(const CUnit *unit, const CType *type, const CStmt *stmt) {
    if (!type->nameable) return false;
    switch (type->kind) {
    case CT_RECORD:
        if (type->bare->alias) return alias_visible(unit, type->bare->alias, stmt);
        return type->record->tag.len && tag_visible(unit, type->record, stmt);
    case CT_ENUM:
        if (type->bare->alias) return alias_visible(unit, type->bare->alias, stmt);
        return type->tag.len > 0;
    case CT_FUNCTION:
        for (uint32_t i = 0; i < type->n_params; i++)
            if (!cfront_type_visible(unit, type->params[i], stmt)) return false;
        return cfront_type_visible(unit, type->elem, stmt);
    default: return !type->elem || cfront_type_visible(unit, type->elem, stmt);
    }
}

/* ---- what may be done with a statement ---- */
static bool is_part(const CStmt *stmt) {
    return stmt->slot == CSL_FUNCTION || stmt->slot == CSL_EXPR || stmt->slot == CSL_FOR_INIT ||
           stmt->slot == CSL_SWITCH;
}

bool cfront_can_wrap(const CStmt *stmt) {
    if (is_part(stmt) || stmt->slot == CSL_VALUE || stmt->slot == CSL_ATTRIBUTE) return false;
    if (stmt->kind == CS_OTHER || stmt->kind == CS_ATTRIBUTED) return false;
    return !(stmt->flags & (CF_MACRO | CF_HAS_DECL | CF_HAS_LABEL | CF_HAS_CASE));
}

bool cfront_can_insert(const CStmt *stmt) {
    if (is_part(stmt) || stmt->slot == CSL_ATTRIBUTE || (stmt->flags & CF_MACRO)) return false;
    if (stmt->kind == CS_OTHER || stmt->kind == CS_ATTRIBUTED) return false;
    bool item = stmt->slot == CSL_BLOCK || stmt->slot == CSL_VALUE;
    return item || !(stmt->flags & CF_HAS_DECL);
}

/* Some name or tag of the declaration may be used elsewhere. */
static bool declaration_in_use(const CStmt *stmt) {
    const CDeclGroup *g = stmt->group;
    if (!g) return false;
    for (uint32_t i = 0; i < g->n_decls; i++)
        if (g->decls[i]->uses || g->decls[i]->kind == CD_TYPEDEF) return true;
    for (uint32_t i = 0; i < g->n_specs; i++)
        if (g->specs[i].kind == CSP_TAG) return true;
    return false;
}

static bool label_in_use(const CStmt *stmt) {
    const CFunction *f = stmt->function;
    for (uint32_t i = 0; i < f->n_stmts; i++) {
        const CStmt *s = f->stmts[i];
        if (s->kind == CS_LABEL && s->jump_target && crange_in(s->range, stmt->range)) return true;
    }
    return false;
}

bool cfront_can_delete(const CUnit *unit, const CStmt *stmt) {
    (void)unit; /* everything needed is reached through the statement's function */
    if (stmt->slot == CSL_FUNCTION || stmt->slot == CSL_EXPR || stmt->slot == CSL_VALUE)
        return false;
    if (stmt->slot == CSL_ATTRIBUTE || (stmt->flags & CF_MACRO)) return false;
    if (stmt->kind == CS_DECL && declaration_in_use(stmt)) return false;
    if ((stmt->flags & CF_HAS_DECL) && stmt->kind != CS_DECL) return false;
    return !(stmt->flags & CF_HAS_LABEL) || !label_in_use(stmt);
}

/* ---- expressions ---- */
const CExpr *cexpr_strip(const CExpr *e) {
    while (e->first && (e->kind == CE_PAREN || (e->kind == CE_UNARY && e->op == CO_EXTENSION)))
        e = e->first;
    return e;
}

CExpr *cexpr_operand(const CExpr *e, unsigned n) {
    CExpr *x = e->first;
    while (x && n--) x = x->next;
    return x;
}

int cexpr_bits(const CExpr *e) {
    e = cexpr_strip(e);
    return e->kind == CE_MEMBER && e->field ? e->field->bits : -1;
}

const CDecl *cexpr_path_root(const CExpr *e) {
    for (;;) {
        e = cexpr_strip(e);
        if (e->kind == CE_REF && e->decl && is_variable(e->decl)) return e->decl;
        if (e->kind == CE_MEMBER && !e->arrow && e->first) {
            e = e->first;
        } else if (e->kind == CE_INDEX && e->n_operands == 2) {
            const CExpr *base = cexpr_strip(e->first);
            if (base->type->kind != CT_ARRAY || !(e->first->next->flags & CF_CONSTANT)) return NULL;
            e = base;
        } else {
            return NULL;
        }
    }
}

/* What the text says about pointers to locals, members of unions and compound literals; see
 * origin.h. */
#include "variant/origin.h"

/* ---- pointers ---- */

/* x, x.m, x[2].m with indices inside their arrays. */
static bool is_direct(const CExpr *e) {
    for (e = cexpr_strip(e); e; e = cexpr_strip(e->first)) {
        if (e->kind == CE_REF) return e->decl && e->decl->kind == CD_VAR;
        if (e->kind == CE_MEMBER && !e->arrow) continue;
        if (e->kind != CE_INDEX || !e->first || !e->first->next) return false;
        const CExpr *array = cexpr_strip(e->first), *index = cexpr_strip(e->first->next);
        if (array->type->kind != CT_ARRAY || !(index->flags & CF_CONSTANT)) return false;
        if (index->value >= array->type->count) return false;
    }
    return false;
}

/* The address of a variable or of a part of it, or a null pointer. */
static bool is_address(const CExpr *e) {
    e = cexpr_strip(e);
    while (e && e->kind == CE_CAST) e = cexpr_strip(e->first);
    if (!e) return false;
    if (e->kind == CE_INT) return e->value == 0;
    if (e->kind == CE_UNARY && e->op == CO_ADDRESS) return is_direct(e->first);
    return e->type->kind == CT_ARRAY && is_direct(e);
}

/* Every value the pointer is given is an address. */
static bool only_addresses(const CDecl *p) {
    if (p->init && !is_address(p->init)) return false;
    if (!p->init && p->init_range.from < p->init_range.to) return false;
    for (uint32_t i = 0; i < p->function->n_exprs; i++) {
        const CExpr *e = p->function->exprs[i], *up = e->parent;
        if (e->kind != CE_REF || e->decl != p || !(e->flags & (CF_WRITE | CF_ADDRESS))) continue;
        while (up && up->kind == CE_PAREN) up = up->parent;
        if (!up || up->kind != CE_ASSIGN || up->op != CO_ASSIGN) return false;
        if (cexpr_strip(up->first) != e || !is_address(up->first->next)) return false;
    }
    return true;
}

static bool lives_as_long(const CDecl *x, const CDecl *p) {
    for (const CScope *s = p->scope; s; s = s->parent)
        if (s == x->scope) return true;
    return false;
}

static bool holds(const CType *type, const CType *target) {
    for (; type->kind == CT_ARRAY; type = type->elem)
        if (type->quals & (CQ_VOLATILE | CQ_ATOMIC)) return false;
    return type->bare == target && !(type->quals & (CQ_VOLATILE | CQ_ATOMIC)) && target->size > 0;
}

/* A local aggregate must have an initialiser: assignments may leave parts of it unset. */
static bool is_candidate(const CDecl *x, const CDecl *p, const CType *target) {
    if (x->kind != CD_VAR && x->kind != CD_PARAM) return false;
    if (x->flags & (CD_GLOBAL | CD_SYSTEM | CD_THREAD | CD_VLA | CD_MACRO | CD_REGISTER))
        return false;
    bool aggregate = x->type->kind == CT_ARRAY || x->type->kind == CT_RECORD;
    if (aggregate && !(x->flags & CD_LASTING) && !(x->kind == CD_VAR && x->init)) return false;
    return (x->flags & CD_ADDRESS) && x != p && holds(x->type, target) && lives_as_long(x, p);
}

void origin_locals(const CUnit *unit, const CStmt *stmt, const CDecl *pointer, const CType *target,
                   CDeclVec *out) {
    unsigned bad = CD_GLOBAL | CD_LASTING | CD_ADDRESS | CD_VLA | CD_MACRO;
    if (pointer->kind != CD_VAR || (pointer->flags & bad) || !pointer->function) return;
    if (!only_addresses(pointer)) return;
    CDeclVec visible = { 0 };
    cfront_visible(unit, stmt, CV_INITIALISED | CV_LOCALS, &visible);
    for (size_t i = 0; i < visible.len; i++)
        if (is_candidate(visible.at[i], pointer, target)) vec_push(out, visible.at[i]);
    vec_release(&visible);
}

/* ---- unions ---- */

/* The whole lvalue that a part belongs to: for x.u it may be x.u.a[3]. */
static const CExpr *whole_path(const CExpr *e) {
    for (;;) {
        const CExpr *up = e->parent;
        bool part = up && (up->kind == CE_PAREN ||
                           ((up->kind == CE_MEMBER || up->kind == CE_INDEX) && up->first == e));
        if (!part) return e;
        e = up;
    }
}

/* The variable an lvalue is part of, whatever the indices; NULL: reached through a pointer, which
 * cannot lead to a variable whose address is never taken. */
static const CDecl *variable_of(const CExpr *e) {
    for (e = cexpr_strip(e); e; e = cexpr_strip(e->first)) {
        if (e->kind == CE_REF) return e->decl;
        bool inside = (e->kind == CE_MEMBER && !e->arrow) ||
                      (e->kind == CE_INDEX && e->first && e->first->type->kind == CT_ARRAY);
        if (!inside || !e->first) return NULL;
    }
    return NULL;
}

static bool has_designator(const CExpr *e) {
    if (e->kind == CE_DESIGNATED) return true;
    for (const CExpr *x = e->first; e->kind == CE_LIST && x; x = x->next)
        if (has_designator(x)) return true;
    return false;
}

/* The initialiser stores the first member: a list in which no other member is named. */
static bool begins_with_first(const CDecl *d) {
    if (d->init_range.from == d->init_range.to) return d->flags & CD_LASTING;
    return d->init && d->init->kind == CE_LIST && !has_designator(d->init);
}

static uint64_t end_of(const CField *f) {
    return f->bits >= 0 ? f->offset + (uint64_t)f->bits : f->offset + 8 * f->type->size;
}

const CField *origin_member(const CUnit *unit, const CDecl *variable, const CRecord *record,
                            bool *writable) {
    if (!record->is_union || record->n_fields == 0 || record->in_system) return NULL;
    const CDecl *root = variable->first;
    const CField *first = &record->fields[0];
    if ((root->flags | variable->flags) & CD_ADDRESS || !begins_with_first(variable)) return NULL;
    if (first->name.len == 0) return NULL;
    for (uint32_t i = 0; i < unit->n_exprs; i++) {
        const CExpr *e = unit->exprs[i];
        if (e->kind == CE_REF && e->decl && e->decl->first == root) {
            const CExpr *whole = whole_path(e);
            bool record_or_array = whole->type->kind == CT_RECORD || whole->type->kind == CT_ARRAY;
            if ((whole->flags & (CF_WRITE | CF_ADDRESS)) && record_or_array) return NULL;
        }
        if (e->kind != CE_MEMBER || e->field->record != record || e->field == first) continue;
        const CDecl *of = variable_of(e);
        if (!of || of->first != root) continue;
        if (whole_path(e)->flags & (CF_WRITE | CF_ADDRESS)) return NULL;
        if (first->bits >= 0 || end_of(e->field) > end_of(first)) *writable = false;
    }
    return first;
}

static const CStmt *statement_before(const CStmt *stmt) {
    const CStmt *last = NULL;
    if (stmt->kind == CS_LABEL || stmt->kind == CS_CASE || stmt->kind == CS_DEFAULT) return NULL;
    if (stmt->slot != CSL_BLOCK || !stmt->parent || stmt->parent->kind != CS_BLOCK) return NULL;
    for (const CStmt *s = stmt->parent->first; s && s != stmt; s = s->next) last = s;
    return last;
}

const CExpr *origin_stored_before(const CStmt *stmt) {
    const CStmt *before = statement_before(stmt);
    if (!before || before->kind != CS_EXPR || (before->flags & CF_MACRO)) return NULL;
    const CExpr *e = before->expr ? cexpr_strip(before->expr) : NULL;
    if (!e || e->kind != CE_ASSIGN || !e->first) return NULL;
    const CExpr *target = cexpr_strip(e->first);
    if (target->kind != CE_MEMBER || target->arrow || !target->field->record->is_union) return NULL;
    return cexpr_path_root(target) && is_direct(target) ? target : NULL;
}

/* ---- compound literals ---- */

bool origin_has_literal(const CStmt *stmt) {
    for (const CStmt *s = stmt; s; s = s->body) {
        for (uint32_t i = 0; i < s->n_exprs; i++)
            if (s->exprs[i]->kind == CE_LITERAL) return true;
        if (s->kind != CS_LABEL && s->kind != CS_CASE && s->kind != CS_DEFAULT) return false;
    }
    return false;
}

/* ---- packing ---- */

bool origin_packs(Str text) {
    for (size_t at = 0; (at = str_find(text, STR("ragma"), at)) != STR_NONE; at++) {
        size_t end = str_find(text, STR("\n"), at);
        Str line = str_sub(text, at, end == STR_NONE ? text.len : end);
        if (str_find(line, STR("pack"), 0) != STR_NONE) return true;
    }
    return false;
}

/* ---- values of one run only ---- */

/* rand and random start with the same number in every run; what could seed them differently is
 * listed here. */
static const char *const varying[] = {
    "time",           "clock",          "clock_gettime",
    "gettimeofday",   "times",          "ftime",
    "getrusage",      "getpid",         "getppid",
    "gettid",         "getrandom",      "getentropy",
    "arc4random",     "syscall",        "timespec_get",
    "__rdtsc",        "__rdtscp",       "_rdrand16_step",
    "_rdrand32_step", "_rdrand64_step", "__builtin_readcyclecounter",
};

/* A function of such a name that the program does not define itself. */
static bool varies(const CUnit *unit, const CExpr *e) {
    if (e->kind != CE_REF || (e->decl && (e->decl->kind != CD_FUNCTION || e->decl->function)))
        return false;
    Str name = e->decl ? e->decl->name : cfront_text(unit, e->range);
    if (str_starts(name, "__builtin_ia32_rd")) return true;
    for (size_t i = 0; i < COUNT_OF(varying); i++)
        if (str_is(name, varying[i])) return true;
    return false;
}

/* Built from numbers only: a null pointer, the offset of a member. */
static bool is_fixed(const CExpr *e) {
    if (e->kind == CE_REF) return e->decl && e->decl->kind == CD_ENUMERATOR;
    if (e->kind == CE_STRING || e->kind == CE_CALL || e->kind >= CE_LIST) return false;
    for (const CExpr *x = e->first; x && e->kind != CE_SIZEOF; x = x->next)
        if (!is_fixed(x)) return false;
    return true;
}

static bool is_number(const CType *type) {
    return type->kind == CT_INT || type->kind == CT_ENUM;
}

/* A pointer that becomes an integer, with or without a cast. */
static bool is_address_number(const CExpr *e) {
    CTypeKind kind = e->type->kind;
    if (kind != CT_POINTER && kind != CT_ARRAY && kind != CT_FUNCTION) return false;
    if (e->flags & CF_UNEVALUATED) return false;
    bool cast = e->parent && e->parent->kind == CE_CAST && is_number(e->parent->type);
    return (cast || is_number(e->converted)) && !is_fixed(e);
}

bool origin_repeats(const CUnit *unit, Error *err) {
    for (uint32_t i = 0; i < unit->n_exprs; i++) {
        const CExpr *e = unit->exprs[i];
        const char *why = varies(unit, e)        ? "values that differ from run to run"
                          : is_address_number(e) ? "addresses as numbers"
                                                 : NULL;
        if (why && !(e->function && (e->function->flags & CFN_SYSTEM)))
            return err_set(err, STATUS_NO, "%s: not mutated: %s (" STR_FMT ")", unit->name, why,
                           STR_ARG(cfront_text(unit, e->range)));
    }
    return true;
}

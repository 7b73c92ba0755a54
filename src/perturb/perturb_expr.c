/* Operators, constants and variables. A changed operator keeps the tree: parentheses are added
 * where the new operator would bind differently. */
#include "perturb/perturb_impl.h"

static bool is_open(const Mutator *m, const CExpr *e) {
    if ((e->flags & CF_MACRO) || perturb_guarded(m, e->flags)) return false;
    return !(e->flags & CF_UNEVALUATED) || (e->flags & CF_NEEDS_CONSTANT);
}

/* ---- constants ---- */
static bool constant_fits(const CExpr *e, int change) {
    if (e->kind != CE_INT) return false;
    if (e->flags & CF_NEEDS_CONSTANT) return change == MC_INC || (change == MC_DEC && e->value > 1);
    return !((change == MC_ZERO || change == MC_NEGATE) && e->value == 0);
}

static Str suffix_of(Str literal) {
    size_t n = literal.len;
    while (n > 0 && strchr("uUlL", literal.at[n - 1])) n--;
    return str_sub(literal, n, literal.len);
}

static Str changed_constant(Arena *scratch, Str literal, uint64_t value, int change) {
    Str suffix = suffix_of(literal);
    bool hex = literal.len > 1 && literal.at[0] == '0';
    const char *text;
    if (change == MC_NEGATE)
        text = arena_fmt(scratch, "(-" STR_FMT ")", STR_ARG(literal));
    else if (change == MC_DEC && value == 0)
        text = arena_fmt(scratch, "(-1" STR_FMT ")", STR_ARG(suffix));
    else {
        uint64_t v = change == MC_ZERO ? 0 : change == MC_INC ? value + 1 : value - 1;
        text = arena_fmt(scratch, hex ? "0x%llx" STR_FMT : "%llu" STR_FMT, (unsigned long long)v,
                         STR_ARG(suffix));
    }
    return str_from(text);
}

/* ---- unary operators ---- */
static bool steps(int op) {
    return op == CO_PRE_INC || op == CO_POST_INC || op == CO_PRE_DEC || op == CO_POST_DEC;
}

static bool unary_fits(const CExpr *e, const PerturbRule *rule) {
    if (e->kind != CE_UNARY || e->op != (COp)rule->from || e->op_range.to == 0) return false;
    const CExpr *x = e->first;
    if (steps(rule->to) && !steps(rule->from))
        return (x->flags & CF_MODIFIABLE) && ctype_is_scalar(x->type);
    if (steps(rule->from) && rule->to == CO_LNOT)
        return ctype_is_arithmetic(x->type) || !e->parent; /* a pointer may be dereferenced next */
    return true;
}

static Str changed_unary(const Mutator *m, Arena *scratch, const CExpr *e, int to) {
    Str x = cfront_text(m->unit, e->first->range);
    switch (to) {
    case CO_PRE_INC: return str_from(arena_fmt(scratch, "(++" STR_FMT ")", STR_ARG(x)));
    case CO_PRE_DEC: return str_from(arena_fmt(scratch, "(--" STR_FMT ")", STR_ARG(x)));
    case CO_POST_INC: return str_from(arena_fmt(scratch, "(" STR_FMT "++)", STR_ARG(x)));
    case CO_POST_DEC: return str_from(arena_fmt(scratch, "(" STR_FMT "--)", STR_ARG(x)));
    case CO_LNOT: return str_from(arena_fmt(scratch, "(!" STR_FMT ")", STR_ARG(x)));
    default: return str_from(arena_fmt(scratch, "(" STR_FMT ")", STR_ARG(x)));
    }
}

/* ---- binary operators ---- */
static bool is_division(int op) {
    return op == CO_DIV || op == CO_REM || op == CO_DIV_ASSIGN || op == CO_REM_ASSIGN;
}

static bool is_shift(int op) {
    return op == CO_SHL || op == CO_SHR || op == CO_SHL_ASSIGN || op == CO_SHR_ASSIGN;
}

static bool pointer_fits(const CExpr *x, const CExpr *y, const PerturbRule *rule) {
    if (rule->from >= CO_LT && rule->from <= CO_LOR) return true;
    bool add = rule->to == CO_ADD || rule->to == CO_SUB || rule->to == CO_ADD_ASSIGN ||
               rule->to == CO_SUB_ASSIGN;
    return add && x->converted->kind == CT_POINTER && ctype_is_integer(y->converted);
}

static bool binary_fits(const CExpr *e, const PerturbRule *rule) {
    bool right_kind = e->kind == CE_BINARY || e->kind == CE_ASSIGN;
    if (!right_kind || e->op != (COp)rule->from || e->op_range.to == 0 || e->n_operands != 2)
        return false;
    const CExpr *x = e->first, *y = x->next;
    if (x->converted->kind == CT_POINTER || y->converted->kind == CT_POINTER)
        return pointer_fits(x, y, rule);
    bool integers = ctype_is_integer(x->converted) && ctype_is_integer(y->converted);
    if ((rule->to == CO_REM || rule->to == CO_REM_ASSIGN) && !integers) return false;
    if (is_division(rule->to) && (y->flags & CF_CONSTANT) && y->value == 0) return false;
    if ((e->flags & CF_NEEDS_CONSTANT) && (is_division(rule->to) || is_shift(rule->to)))
        return false;
    return ctype_is_arithmetic(x->converted) || x->converted->kind == CT_COMPLEX ||
           x->converted->kind == CT_VECTOR;
}

static bool binds_loosely(const CExpr *e) {
    return e->kind == CE_BINARY || e->kind == CE_COND || e->kind == CE_ASSIGN;
}

static void change_binary(const CExpr *e, const PerturbRule *rule, CEdits *edits) {
    edit_replace(edits, e->op_range, str_from(cop_text((COp)rule->to)));
    if (e->kind != CE_BINARY) return;
    for (const CExpr *x = e->first; x; x = x->next)
        if (binds_loosely(x)) edit_wrap(edits, x->range, STR("("), STR(")"));
    if (e->parent && e->parent->kind != CE_PAREN) edit_wrap(edits, e->range, STR("("), STR(")"));
}

/* ---- variables ---- */
static bool variable_is_open(const CExpr *e) {
    return e->kind == CE_REF && e->stmt && e->decl && !(e->flags & CF_NEEDS_CONSTANT) &&
           (e->decl->kind == CD_VAR || e->decl->kind == CD_PARAM) && !(e->decl->flags & CD_SYSTEM);
}

static bool types_swap(const CExpr *e, const CType *a, const CType *b) {
    if (a->bare == b->bare) return true;
    if (a->kind == CT_ARRAY && b->kind == CT_ARRAY) return a->elem->bare == b->elem->bare;
    if (e->flags & CF_ADDRESS) return false;
    return ctype_is_arithmetic(a) && ctype_is_arithmetic(b) &&
           (ctype_is_integer(a) == ctype_is_integer(b));
}

static bool may_stand_for(const CExpr *e, const CDecl *d) {
    const CType *t = d->type;
    if (d == e->decl || d->first == e->decl->first || !types_swap(e, e->type, t)) return false;
    if ((e->flags & CF_WRITE) &&
        ((t->quals & CQ_CONST) || (t->kind == CT_RECORD && t->record->has_const)))
        return false;
    if ((e->flags & CF_ADDRESS) && (d->flags & CD_REGISTER)) return false;
    const CType *elem = t->kind == CT_ARRAY ? t->elem : t;
    return !((e->flags & CF_WRITE) && (elem->quals & CQ_CONST));
}

/* Variables in scope that may take the place of e: certainly initialised ones where it is read. */
static const CDecl *other_variable(const Mutator *m, const CExpr *e, Rng *rng) {
    CDeclVec seen = { 0 };
    unsigned which = e->flags & (CF_READ | CF_ADDRESS) ? CV_INITIALISED : 0;
    cfront_visible(m->unit, e->stmt, which, &seen);
    size_t n = 0;
    for (size_t i = 0; i < seen.len; i++)
        if (may_stand_for(e, seen.at[i])) seen.at[n++] = seen.at[i];
    const CDecl *d = n ? seen.at[rng_below(rng, n)] : NULL;
    vec_release(&seen);
    return d;
}

/* ---- the family ---- */
static bool fits(const CExpr *e, const PerturbRule *rule) {
    switch (rule->family) {
    case MF_CONSTANT: return constant_fits(e, rule->to);
    case MF_UNARY: return unary_fits(e, rule);
    case MF_BINARY: return binary_fits(e, rule);
    default: return variable_is_open(e);
    }
}

void perturb_expr_sites(Mutator *m, const PerturbRule *rule, MutSites *out) {
    Rng rng = rng_new(0);
    for (uint32_t i = 0; i < m->unit->n_exprs; i++) {
        const CExpr *e = m->unit->exprs[i];
        if (!fits(e, rule) || !is_open(m, e)) continue;
        if (rule->family == MF_VARIABLE && !other_variable(m, e, &rng)) continue;
        vec_push(out, (MutSite){ e, e->range });
    }
}

bool perturb_expr_apply(const Mutator *m, const PerturbRule *rule, const MutSite *site, Rng *rng,
                        Arena *scratch, CEdits *edits) {
    const CExpr *e = site->at;
    Str text = cfront_text(m->unit, e->range);
    const CDecl *d;
    switch (rule->family) {
    case MF_CONSTANT:
        edit_replace(edits, e->range, changed_constant(scratch, text, e->value, rule->to));
        return true;
    case MF_UNARY:
        edit_replace(edits, e->range, changed_unary(m, scratch, e, rule->to));
        return true;
    case MF_BINARY: change_binary(e, rule, edits); return true;
    default:
        d = other_variable(m, e, rng);
        if (d) edit_replace(edits, e->range, d->name);
        return d != NULL;
    }
}

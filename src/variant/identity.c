/* Identity: an integer operand e of an executed statement becomes ((e) + e0), e0 known to be 0.
 *
 * e0 is evaluated somewhere inside the statement, not at the point in front of it. So only locals
 * whose address is never taken may occur in it (no call can change them), and the statement may
 * change nothing before its end except through calls: at most one assignment, at the root. */
#include "variant/chain.h"

static bool statement_fits(const CStmt *stmt) {
    const CExpr *root = stmt->expr;
    if (!root || (stmt->flags & (CF_MACRO | CF_HAS_MACRO | CF_HAS_LABEL | CF_HAS_CASE)))
        return false;
    if (stmt->kind != CS_EXPR && stmt->kind != CS_RETURN && stmt->kind != CS_IF &&
        stmt->kind != CS_SWITCH)
        return false;
    for (uint32_t i = 0; i < stmt->n_exprs; i++) {
        const CExpr *e = stmt->exprs[i];
        bool changes = e->kind == CE_ASSIGN ||
                       (e->kind == CE_UNARY && e->op >= CO_POST_INC && e->op <= CO_PRE_DEC);
        if (changes && e != root) return false;
        if (e->kind == CE_BLOCK || e->kind == CE_OTHER || e->kind == CE_LABEL) return false;
    }
    return true;
}

/* Builtins may require constants. */
static bool in_foreign_call(const CExpr *e) {
    for (const CExpr *up = e->parent; up; up = up->parent)
        if (up->kind == CE_CALL &&
            (!up->decl || (up->decl->flags & CD_SYSTEM) || str_starts(up->decl->name, "__")))
            return true;
    return false;
}

/* An operand whose value is used, as a number: a 0 that stands for a null pointer must stay one. */
static bool operand_fits(const CExpr *e, IType *type) {
    if (e->flags & (CF_MACRO | CF_WRITE | CF_ADDRESS | CF_UNEVALUATED | CF_NEEDS_CONSTANT))
        return false;
    if ((e->flags & CF_LVALUE) && !(e->flags & CF_READ)) return false;
    if (e->kind == CE_ASSIGN || e->kind == CE_LIST || e->kind == CE_DESIGNATED ||
        e->kind == CE_STRING || e->kind == CE_LITERAL)
        return false;
    if (e->type->quals & (CQ_VOLATILE | CQ_ATOMIC)) return false;
    const CExpr *up = e->parent;
    if (up && (up->kind == CE_PAREN || (up->kind == CE_CAST && up->type->kind == CT_POINTER)))
        return false;
    if (!ctype_is_arithmetic(e->converted) || in_foreign_call(e)) return false;
    return cexpr_bits(e) < 0 && point_integer(e->type, -1, type);
}

static const CExpr *choose_operand(Round *r, const CStmt *stmt, IType *type) {
    const CExpr *chosen = NULL;
    uint64_t fitting = 0;
    for (uint32_t i = 0; i < stmt->n_exprs; i++) {
        IType t;
        if (stmt->exprs[i]->stmt != stmt || !operand_fits(stmt->exprs[i], &t)) continue;
        if (rng_below(&r->rng, ++fitting) != 0) continue;
        chosen = stmt->exprs[i];
        *type = t;
    }
    return chosen;
}

/* The environment less everything a call could change. */
static void private_env(const Point *point, Env *env) {
    for (size_t i = 0; i < point->env.vars.len; i++) {
        const EnvVar *v = &point->env.vars.at[i];
        const CDecl *root = v->reach.root;
        if (root && !(root->flags & (CD_GLOBAL | CD_LASTING | CD_ADDRESS)))
            vec_push(&env->vars, *v);
    }
}

bool identity_mutate(Round *r, const Point *point) {
    IType type;
    const CExpr *e = statement_fits(point->stmt) ? choose_operand(r, point->stmt, &type) : NULL;
    if (!e) return false;
    MutateChain *c = r->chain;
    Point narrowed = *point;
    narrowed.env = (Env){ 0 };
    private_env(point, &narrowed.env);
    Site site = { .unit = r->unit,
                  .point = &narrowed,
                  .synth = { &r->rng, &r->arena, c->options.plain },
                  .prefix = "" };
    Str zero = narrowed.env.vars.len ? snippet_zero(&site, type) : STR("");
    env_release(&narrowed.env);
    if (zero.len == 0) return false;
    Str open = STR("(("), close = str_from(arena_fmt(&c->arena, ") + " STR_FMT ")", STR_ARG(zero)));
    Str shown = str_from(arena_fmt(&c->arena, "((..." STR_FMT, STR_ARG(close)));
    unsigned id = place_new(r, STRATEGY_IDENTITY, point->stmt, shown);
    pieces_around(&c->pieces, &c->current, id, c->round, e->range.from, e->range.to, open, close);
    return true;
}

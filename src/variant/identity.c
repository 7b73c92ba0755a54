/* Identity: an integer operand e of an executed statement becomes ((e) + e0), e0 known to be 0; one
 * of floating point becomes ((e) * e1), e1 an integer known to be 1, or ((e) - e0): both leave
 * every number as it is, zeros with their signs, infinities and NaNs.
 *
 * e0 is evaluated somewhere inside the statement, not at the point in front of it. So only locals
 * whose address is never taken may occur in it (no call can change them), and the statement may
 * change nothing before its end except through calls: at most one assignment, at the root. */
#include "variant/chain.h"

#include "variant/operand.h"

static bool steps(const CExpr *e) {
    return e->kind == CE_UNARY && e->op >= CO_POST_INC && e->op <= CO_PRE_DEC;
}

static bool statement_fits(const CStmt *stmt) {
    const CExpr *root = stmt->expr;
    if (!root || (stmt->flags & (CF_MACRO | CF_HAS_MACRO | CF_HAS_LABEL | CF_HAS_CASE)))
        return false;
    if (stmt->kind != CS_EXPR && stmt->kind != CS_RETURN && stmt->kind != CS_IF &&
        stmt->kind != CS_SWITCH)
        return false;
    for (uint32_t i = 0; i < stmt->n_exprs; i++) {
        const CExpr *e = stmt->exprs[i];
        if ((e->kind == CE_ASSIGN || steps(e)) && e != root) return false;
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

/* An operand whose value is used, as a number: a 0 that stands for a null pointer must stay one.
 * Beside `k--` nothing may read k. */
static bool operand_fits(const CExpr *e) {
    if (e->flags & (CF_MACRO | CF_WRITE | CF_ADDRESS | CF_UNEVALUATED | CF_NEEDS_CONSTANT))
        return false;
    if ((e->flags & CF_LVALUE) && !(e->flags & CF_READ)) return false;
    if (e->kind == CE_ASSIGN || e->kind == CE_LIST || e->kind == CE_DESIGNATED ||
        e->kind == CE_STRING || e->kind == CE_LITERAL || steps(e))
        return false;
    if (e->type->quals & (CQ_VOLATILE | CQ_ATOMIC)) return false;
    const CExpr *up = e->parent;
    if (up && (up->kind == CE_PAREN || (up->kind == CE_CAST && up->type->kind == CT_POINTER)))
        return false;
    if (!ctype_is_arithmetic(e->converted) || in_foreign_call(e)) return false;
    return cexpr_bits(e) < 0;
}

static bool is_real(const CType *type) {
    return type->kind == CT_FLOAT && type->width >= 32;
}

/* real: of floating point, and *type is int's. */
static const CExpr *choose_operand(Round *r, const CStmt *stmt, bool constants, bool real,
                                   IType *type) {
    const CExpr *chosen = NULL;
    uint64_t fitting = 0;
    for (uint32_t i = 0; i < stmt->n_exprs; i++) {
        IType t = ITYPE(I_INT);
        const CExpr *e = stmt->exprs[i];
        if (constants && e->kind != CE_INT) continue;
        if (e->stmt != stmt || !operand_fits(e)) continue;
        if (real ? !is_real(e->type) : !point_integer(e->type, -1, &t)) continue;
        if (rng_below(&r->rng, ++fitting) != 0) continue;
        chosen = e;
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

bool operand_choose(Round *r, const Point *point, bool constants, OperandAt *out) {
    *out = (OperandAt){ 0 };
    if (!statement_fits(point->stmt)) return false;
    if (constants) out->e = choose_operand(r, point->stmt, true, false, &out->type);
    if (!out->e) out->e = choose_operand(r, point->stmt, false, false, &out->type);
    if (out->e) private_env(point, &out->env);
    return out->e != NULL;
}

void operand_release(OperandAt *operand) {
    env_release(&operand->env);
}

void operand_wrap(Round *r, const CStmt *stmt, const OperandAt *operand, Strategy strategy,
                  Str close) {
    MutateChain *c = r->chain;
    Str shown = str_from(arena_fmt(&c->arena, "((..." STR_FMT, STR_ARG(close)));
    unsigned id = place_new(r, strategy, stmt, shown);
    pieces_around(&c->pieces, &c->current, id, c->round, operand->e->range.from,
                  operand->e->range.to, STR("(("), arena_str(&c->arena, close));
}

static bool choose_real(Round *r, const Point *point, OperandAt *out) {
    *out = (OperandAt){ 0 };
    if (r->chain->no_reals || !statement_fits(point->stmt)) return false;
    out->e = choose_operand(r, point->stmt, false, true, &out->type);
    if (out->e) private_env(point, &out->env);
    return out->e != NULL;
}

static Str neutral(Round *r, bool real, Str zero) {
    bool product = real && rng_chance(&r->rng, 0.6);
    return str_from(
        product ? arena_fmt(&r->arena, ") * (" STR_FMT " + 1))", STR_ARG(zero))
                : arena_fmt(&r->arena, ") %c " STR_FMT ")", real ? '-' : '+', STR_ARG(zero)));
}

bool identity_mutate(Round *r, const Point *point) {
    MutateChain *c = r->chain;
    OperandAt at;
    bool real = rng_chance(&r->rng, 0.5) && choose_real(r, point, &at);
    if (!real && !operand_choose(r, point, false, &at)) return false;
    Point narrowed = *point;
    narrowed.env = at.env;
    Site site = { .unit = r->unit,
                  .point = &narrowed,
                  .synth = { .rng = &r->rng,
                             .arena = &r->arena,
                             .plain = c->options.plain,
                             .no_reals = c->no_reals },
                  .prefix = "" };
    Str zero = at.env.vars.len ? snippet_zero(&site, at.type) : STR("");
    operand_release(&at);
    if (zero.len == 0) return false;
    operand_wrap(r, point->stmt, &at, STRATEGY_IDENTITY, neutral(r, real, zero));
    return true;
}

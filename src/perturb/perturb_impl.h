/* Internals of mutation, shared by perturb_table.c (rules), perturb.c (sites, dispatch),
 * perturb_decl.c (qualifiers and modifiers), perturb_expr.c (operators, constants, variables),
 * perturb_struct.c (what is inserted). */
#ifndef CULPRIT_PERTURB_PERTURB_IMPL_H
#define CULPRIT_PERTURB_PERTURB_IMPL_H

#include "cfront/cfront.h"
#include "cfront/edit.h"
#include "cfront/lex.h"
#include "perturb/ingredients.h"
#include "perturb/perturb.h"

enum PerturbFamily {
    MF_QUALIFIER_ADD,
    MF_MODIFIER_ADD,
    MF_QUALIFIER_REMOVE,
    MF_MODIFIER_REMOVE,
    MF_CONSTANT,
    MF_UNARY,
    MF_VARIABLE,
    MF_BINARY, /* compound assignments, too */
    MF_BRANCH,
    MF_LOOP,
    MF_CALL,
    MF_GOTO,
    MF_COUNT
};

/* PerturbRule.operator_, after the four structural ones */
enum {
    PERTURB_QUALIFIER = 4,
    PERTURB_MODIFIER,
    PERTURB_VARIABLE,
    PERTURB_CONSTANT,
    PERTURB_UNARY,
    PERTURB_BINARY,
};

/* MF_CONSTANT: PerturbRule.to */
enum { MC_INC, MC_DEC, MC_NEGATE, MC_ZERO };

/* One place a rule may change. */
typedef struct MutSite {
    const void *at; /* CDeclGroup, CExpr or CStmt, by family */
    CRange range; /* token that is replaced or removed, or where something is inserted; by family */
} MutSite;
typedef VEC(MutSite) MutSites;

struct Mutator {
    Arena arena; /* model and sites */
    CUnit *unit;
    PerturbGuard guard;
    const Ingredients *pool; /* given or own */
    Ingredients *own;        /* conditions of the program itself, where no pool was given */
    MutSites sites[PERTURB_RULES];
};

/* The place must not change, by the guard. */
static inline bool perturb_guarded(const Mutator *m, uint32_t flags) {
    return (m->guard >= PERTURB_GUARD_ORACLE && (flags & CF_ORACLE)) ||
           (m->guard >= PERTURB_GUARD_OUTER && (flags & CF_ORACLE_OUTER));
}

/* Each family: all sites of a rule; the edits of one site (false: it does not work out). Text made
 * for edits comes from scratch. */
void perturb_decl_sites(Mutator *m, const PerturbRule *rule, MutSites *out);
bool perturb_decl_apply(const Mutator *m, const PerturbRule *rule, const MutSite *site, Rng *rng,
                        Arena *scratch, CEdits *edits);
void perturb_expr_sites(Mutator *m, const PerturbRule *rule, MutSites *out);
bool perturb_expr_apply(const Mutator *m, const PerturbRule *rule, const MutSite *site, Rng *rng,
                        Arena *scratch, CEdits *edits);
void perturb_struct_sites(Mutator *m, const PerturbRule *rule, MutSites *out);
bool perturb_struct_apply(const Mutator *m, const PerturbRule *rule, const MutSite *site, Rng *rng,
                          Arena *scratch, CEdits *edits);

/* ingredients.c: the conditions of one unit, added to pool. */
Ingredients *ingredients_new(void);
void ingredients_add_conditions(Ingredients *pool, const CUnit *unit);

#endif

/* Inside of mutation: shared by mutate.c (rules, sites, dispatch), mutate_decl.c (qualifiers and
 * modifiers), mutate_expr.c (operators, constants, variables), mutate_struct.c (what is inserted).
 */
#ifndef CULPRIT_MUTATE_IMPL_H
#define CULPRIT_MUTATE_IMPL_H

#include "cfront/cfront.h"
#include "cfront/edit.h"
#include "cfront/lex.h"
#include "ingredients.h"
#include "mutate.h"

enum MutateFamily {
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

/* MF_CONSTANT: MutateRule.to */
enum { MC_INC, MC_DEC, MC_NEGATE, MC_ZERO };

/* One place a rule may change. */
typedef struct MutSite {
    const void *at; /* CDeclGroup, CExpr or CStmt, by family */
    CRange range;   /* token that is replaced or removed, or where something is put; by family */
} MutSite;
typedef VEC(MutSite) MutSites;

struct Mutator {
    Arena arena; /* model and sites */
    CUnit *unit;
    MutateGuard guard;
    const Ingredients *pool; /* given or own */
    Ingredients *own;        /* conditions of the program itself, where no pool was given */
    MutSites sites[MUTATE_RULES];
};

/* The place must not change, by the guard. */
static inline bool mutate_guarded(const Mutator *m, uint32_t flags) {
    return (m->guard >= MUTATE_GUARD_ORACLE && (flags & CF_ORACLE)) ||
           (m->guard >= MUTATE_GUARD_OUTER && (flags & CF_ORACLE_OUTER));
}

/* Each family: all sites of a rule; the edits of one site (false: it does not work out). Text made
 * for edits comes from scratch. */
void mutate_decl_sites(Mutator *m, const MutateRule *rule, MutSites *out);
bool mutate_decl_apply(const Mutator *m, const MutateRule *rule, const MutSite *site, Rng *rng,
                       Arena *scratch, CEdits *edits);
void mutate_expr_sites(Mutator *m, const MutateRule *rule, MutSites *out);
bool mutate_expr_apply(const Mutator *m, const MutateRule *rule, const MutSite *site, Rng *rng,
                       Arena *scratch, CEdits *edits);
void mutate_struct_sites(Mutator *m, const MutateRule *rule, MutSites *out);
bool mutate_struct_apply(const Mutator *m, const MutateRule *rule, const MutSite *site, Rng *rng,
                         Arena *scratch, CEdits *edits);

/* ingredients.c: the conditions of one unit, added to pool. */
Ingredients *ingredients_new(void);
void ingredients_add_conditions(Ingredients *pool, const CUnit *unit);

#endif

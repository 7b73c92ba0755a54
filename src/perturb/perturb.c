/* The sites of the rules in a program, and the making of mutants. */
#include "perturb/perturb_impl.h"

/* ---- families ---- */
typedef struct Family {
    void (*sites)(Mutator *m, const PerturbRule *rule, MutSites *out);
    bool (*apply)(const Mutator *m, const PerturbRule *rule, const MutSite *site, Rng *rng,
                  Arena *scratch, CEdits *edits);
} Family;

static const Family families[MF_COUNT] = {
    [MF_QUALIFIER_ADD] = { perturb_decl_sites, perturb_decl_apply },
    [MF_MODIFIER_ADD] = { perturb_decl_sites, perturb_decl_apply },
    [MF_QUALIFIER_REMOVE] = { perturb_decl_sites, perturb_decl_apply },
    [MF_MODIFIER_REMOVE] = { perturb_decl_sites, perturb_decl_apply },
    [MF_CONSTANT] = { perturb_expr_sites, perturb_expr_apply },
    [MF_UNARY] = { perturb_expr_sites, perturb_expr_apply },
    [MF_VARIABLE] = { perturb_expr_sites, perturb_expr_apply },
    [MF_BINARY] = { perturb_expr_sites, perturb_expr_apply },
    [MF_BRANCH] = { perturb_struct_sites, perturb_struct_apply },
    [MF_LOOP] = { perturb_struct_sites, perturb_struct_apply },
    [MF_CALL] = { perturb_struct_sites, perturb_struct_apply },
    [MF_GOTO] = { perturb_struct_sites, perturb_struct_apply },
};

/* ---- mutators ---- */
Mutator *mutator_new(Str text, const char *name, const char *const *args, PerturbGuard guard,
                     const Ingredients *pool, Error *err) {
    Mutator *m = mem_alloc(sizeof *m);
    CfrontOptions opts = { .name = name, .args = args };
    m->guard = guard;
    m->unit = cfront_parse(&m->arena, text, &opts, err);
    if (!m->unit) {
        mutator_free(m);
        return NULL;
    }
    m->pool = pool;
    if (!pool) {
        m->pool = m->own = ingredients_new();
        ingredients_add_conditions(m->own, m->unit);
    }
    for (unsigned i = 0; i < PERTURB_RULES; i++) {
        const PerturbRule *rule = perturb_rule(i);
        families[rule->family].sites(m, rule, &m->sites[i]);
    }
    return m;
}

void mutator_free(Mutator *m) {
    if (!m) return;
    for (unsigned i = 0; i < PERTURB_RULES; i++) vec_release(&m->sites[i]);
    ingredients_free(m->own);
    arena_release(&m->arena);
    mem_free(m);
}

unsigned mutator_sites(const Mutator *m, unsigned rule) {
    CHECK(rule < PERTURB_RULES);
    return (unsigned)m->sites[rule].len;
}

bool mutator_make(const Mutator *m, unsigned rule, Rng *rng, Buf *out) {
    const PerturbRule *r = perturb_rule(rule);
    const MutSites *sites = &m->sites[rule];
    if (sites->len == 0) return false;
    const MutSite *site = &sites->at[rng_below(rng, sites->len)];
    CEdits edits = { 0 };
    Arena scratch = { 0 };
    size_t before = out->len;
    bool made = families[r->family].apply(m, r, site, rng, &scratch, &edits) &&
                edits_apply(&edits, m->unit->text, out, NULL);
    if (!made && out->len > before) out->len = before;
    edits_release(&edits);
    arena_release(&scratch);
    return made;
}

bool mutator_make_operator(const Mutator *m, unsigned op, Rng *rng, Buf *out, unsigned *rule) {
    double weight[PERTURB_RULES];
    double all = 0;
    for (unsigned i = 0; i < PERTURB_RULES; i++) {
        weight[i] = perturb_rule(i)->operator_ == op ? (double)m->sites[i].len : 0;
        all += weight[i];
    }
    if (all == 0) return false;
    *rule = (unsigned)rng_weighted(rng, weight, PERTURB_RULES);
    return mutator_make(m, *rule, rng, out);
}

/* The table of rules, their sites in a program, and the making of mutants. */
#include "isolate/perturb_impl.h"

#include <pthread.h>

/* ---- the table ---- */
static PerturbRule table[PERTURB_RULES];

static const CSpecKind qualifiers[] = { CSP_VOLATILE, CSP_CONST, CSP_RESTRICT };
static const char *const qualifier_names[] = { "volatile", "const", "restrict" };
static const CSpecKind modifiers[] = { CSP_LONG, CSP_SHORT, CSP_SIGNED, CSP_UNSIGNED };
static const char *const modifier_names[] = { "long", "short", "signed", "unsigned" };
static const char *const constant_names[] = { "+ 1", "- 1", "negated", "zero" };
static const COp unary_ops[] = { CO_PRE_INC, CO_POST_INC, CO_PRE_DEC, CO_POST_DEC, CO_LNOT };
static const char *const unary_names[] = { "++x", "x++", "--x", "x--", "!x" };

/* Categories within which binary operators replace each other. */
static const struct OpClass {
    COp ops[6];
    unsigned n;
} op_classes[] = {
    { { CO_ADD, CO_SUB, CO_MUL, CO_DIV, CO_REM }, 5 },
    { { CO_LT, CO_GT, CO_LE, CO_GE, CO_EQ, CO_NE }, 6 },
    { { CO_LAND, CO_LOR }, 2 },
    { { CO_AND, CO_OR, CO_XOR }, 3 },
    { { CO_SHL, CO_SHR }, 2 },
    { { CO_ADD_ASSIGN, CO_SUB_ASSIGN, CO_MUL_ASSIGN, CO_DIV_ASSIGN, CO_REM_ASSIGN }, 5 },
    { { CO_AND_ASSIGN, CO_OR_ASSIGN, CO_XOR_ASSIGN }, 3 },
    { { CO_SHL_ASSIGN, CO_SHR_ASSIGN }, 2 },
};

enum { OP_QUALIFIER = 4, OP_MODIFIER, OP_VARIABLE, OP_CONSTANT, OP_UNARY, OP_BINARY };

static void add_rule(unsigned *n, unsigned op, unsigned family, int from, int to, const char *fmt,
                     const char *a, const char *b) {
    CHECK(*n < PERTURB_RULES);
    PerturbRule *r = &table[(*n)++];
    snprintf(r->name, sizeof r->name, "%s%s%s", a, fmt, b);
    r->operator_ = (uint8_t)op;
    r->family = (uint8_t)family;
    r->from = (int16_t)from;
    r->to = (int16_t)to;
}

static void add_unary_rules(unsigned *n) {
    for (size_t a = 0; a < COUNT_OF(unary_ops); a++) {
        for (size_t b = 0; b < COUNT_OF(unary_ops); b++)
            if (a != b)
                add_rule(n, OP_UNARY, MF_UNARY, unary_ops[a], unary_ops[b], " to ", unary_names[a],
                         unary_names[b]);
        add_rule(n, OP_UNARY, MF_UNARY, unary_ops[a], CO_NONE, "", "remove ", unary_names[a]);
    }
}

static void add_binary_rules(unsigned *n) {
    for (size_t c = 0; c < COUNT_OF(op_classes); c++)
        for (unsigned a = 0; a < op_classes[c].n; a++)
            for (unsigned b = 0; b < op_classes[c].n; b++) {
                COp from = op_classes[c].ops[a], to = op_classes[c].ops[b];
                if (a != b)
                    add_rule(n, OP_BINARY, MF_BINARY, from, to, " to ", cop_text(from),
                             cop_text(to));
            }
}

static void make_table(void) {
    unsigned n = 0;
    for (int i = 0; i < 3; i++)
        add_rule(&n, OP_QUALIFIER, MF_QUALIFIER_ADD, 0, qualifiers[i], "insert ", "",
                 qualifier_names[i]);
    for (int i = 0; i < 4; i++)
        add_rule(&n, OP_MODIFIER, MF_MODIFIER_ADD, 0, modifiers[i], "insert ", "",
                 modifier_names[i]);
    for (int i = 0; i < 3; i++)
        add_rule(&n, OP_QUALIFIER, MF_QUALIFIER_REMOVE, qualifiers[i], 0, "remove ", "",
                 qualifier_names[i]);
    for (int i = 0; i < 4; i++)
        add_rule(&n, OP_MODIFIER, MF_MODIFIER_REMOVE, modifiers[i], 0, "remove ", "",
                 modifier_names[i]);
    for (int i = 0; i < 4; i++)
        add_rule(&n, OP_CONSTANT, MF_CONSTANT, 0, i, "constant ", "", constant_names[i]);
    add_unary_rules(&n);
    add_rule(&n, OP_VARIABLE, MF_VARIABLE, 0, 0, "replace variable", "", "");
    add_binary_rules(&n);
    CHECK(n == PERTURB_LOCAL);
    add_rule(&n, 0, MF_BRANCH, 0, 0, "insert branch", "", "");
    add_rule(&n, 1, MF_LOOP, 0, 0, "insert loop", "", "");
    add_rule(&n, 2, MF_CALL, 0, 0, "insert call", "", "");
    add_rule(&n, 3, MF_GOTO, 0, 0, "insert goto", "", "");
}

const PerturbRule *perturb_rule(unsigned rule) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_table);
    CHECK(rule < PERTURB_RULES);
    return &table[rule];
}

const char *perturb_operator_name(unsigned op) {
    static const char *const names[PERTURB_OPERATORS] = {
        "branch",   "loop",     "call",     "goto",  "qualifier",
        "modifier", "variable", "constant", "unary", "binary",
    };
    CHECK(op < PERTURB_OPERATORS);
    return names[op];
}

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

/* Qualifiers and modifiers of declarations. What cannot compile is left out beforehand: const on
 * what is written to, short on a wide bit-field, types that a second declaration repeats. */
#include "perturb/perturb_impl.h"

static bool is_redeclared(const Mutator *m, const CDecl *d) {
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *other = m->unit->decls[i];
        if (other != d && other->first == d->first && other->kind == d->kind) return true;
    }
    return d->first != d;
}

static bool decl_is_free(const Mutator *m, const CDeclGroup *g, const CDecl *d) {
    if (d->flags & (CD_MACRO | CD_VLA)) return false;
    if (d->kind == CD_PARAM)
        return d->function && !(d->function->flags & (CFN_MAIN | CFN_KR)) &&
               !is_redeclared(m, d->function->decl);
    if (d->kind == CD_FUNCTION)
        return g->kind == CG_FUNCTION && !(d->function->flags & CFN_MAIN) && !is_redeclared(m, d);
    return d->kind == CD_TYPEDEF || !is_redeclared(m, d);
}

static bool group_is_free(const Mutator *m, const CDeclGroup *g) {
    if (g->in_macro || g->n_specs == 0 || (g->n_decls == 0 && g->n_fields == 0)) return false;
    for (uint32_t i = 0; i < g->n_decls; i++)
        if (!decl_is_free(m, g, g->decls[i])) return false;
    return true;
}

static const CField *field_of(const CDeclGroup *g, uint32_t i) {
    return &g->record->fields[g->first_field + i];
}

static unsigned count_specs(const CDeclGroup *g, CSpecKind kind) {
    unsigned n = 0;
    for (uint32_t i = 0; i < g->n_specs; i++) n += g->specs[i].kind == kind;
    return n;
}

static const CSpec *find_spec(const CDeclGroup *g, CSpecKind kind) {
    for (uint32_t i = 0; i < g->n_specs; i++)
        if (g->specs[i].kind == kind) return &g->specs[i];
    return NULL;
}

/* ---- qualifiers ---- */
static bool field_is_written(const Mutator *m, const CField *f) {
    for (uint32_t i = 0; i < m->unit->n_exprs; i++) {
        const CExpr *e = m->unit->exprs[i];
        bool member = e->kind == CE_MEMBER && e->field == f;
        bool whole = e->type->kind == CT_RECORD && e->type->record == f->record;
        if ((member || whole) && (e->flags & (CF_WRITE | CF_ADDRESS))) return true;
    }
    return false;
}

static bool const_fits(const Mutator *m, const CDeclGroup *g) {
    for (uint32_t i = 0; i < g->n_decls; i++)
        if (g->decls[i]->kind == CD_TYPEDEF || (g->decls[i]->flags & CD_WRITTEN)) return false;
    for (uint32_t i = 0; i < g->n_fields; i++)
        if (field_is_written(m, field_of(g, i))) return false;
    return true;
}

static bool points_at_function(const CType *t) {
    for (; t; t = t->elem)
        if (t->kind == CT_FUNCTION) return true;
    return false;
}

static bool restrict_fits(const CDeclGroup *g) {
    for (uint32_t i = 0; i < g->n_decls; i++)
        if (points_at_function(g->decls[i]->type)) return false;
    for (uint32_t i = 0; i < g->n_fields; i++)
        if (points_at_function(field_of(g, i)->type)) return false;
    return g->kind != CG_FUNCTION;
}

/* Before all specifiers, and after each star. */
static void qualifier_places(Mutator *m, CSpecKind kind, const CDeclGroup *g, MutSites *out) {
    if (g->kind == CG_FUNCTION) return;
    if (kind == CSP_CONST && !const_fits(m, g)) return;
    if (kind == CSP_RESTRICT && !restrict_fits(g)) return;
    bool front = kind != CSP_RESTRICT && !count_specs(g, kind) &&
                 !(kind == CSP_CONST && g->n_stars); /* what it points at may well be written to */
    uint32_t at = g->specs_range.from;
    if (front) vec_push(out, (MutSite){ g, { at, at } });
    for (uint32_t i = 0; i < g->n_stars; i++)
        vec_push(out, (MutSite){ g, { g->stars[i].to, g->stars[i].to } });
}

static bool is_qualifier(Str word, CSpecKind kind) {
    static const char *const words[3][3] = {
        { "const", "__const", "__const__" },
        { "volatile", "__volatile", "__volatile__" },
        { "restrict", "__restrict", "__restrict__" },
    };
    for (int i = 0; i < 3; i++)
        if (str_is(word, words[kind - CSP_CONST][i])) return true;
    return false;
}

static void qualifier_tokens(Mutator *m, CSpecKind kind, const CDeclGroup *g, MutSites *out) {
    for (uint32_t i = 0; i < g->n_specs; i++)
        if (g->specs[i].kind == kind) vec_push(out, (MutSite){ g, g->specs[i].range });
    Str text = m->unit->text;
    for (uint32_t i = 0; i < g->n_stars; i++)
        for (CTok t = lex_next(text, g->stars[i].to, g->range.to); t.kind == CTK_IDENT;
             t = lex_next(text, t.range.to, g->range.to))
            if (is_qualifier(lex_text(text, t), kind)) vec_push(out, (MutSite){ g, t.range });
}

/* ---- modifiers ---- */
static bool is_integer_group(const CDeclGroup *g) {
    static const CSpecKind others[] = { CSP_FLOAT, CSP_VOID,  CSP_BOOL,  CSP_TAG,
                                        CSP_NAME,  CSP_OTHER, CSP_DOUBLE };
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (count_specs(g, others[i])) return false;
    return count_specs(g, CSP_INT) + count_specs(g, CSP_CHAR) + count_specs(g, CSP_LONG) +
               count_specs(g, CSP_SHORT) + count_specs(g, CSP_SIGNED) +
               count_specs(g, CSP_UNSIGNED) >
           0;
}

static bool bits_fit(const CDeclGroup *g, int most) {
    for (uint32_t i = 0; i < g->n_fields; i++)
        if (field_of(g, i)->bits > most) return false;
    return true;
}

/* Where a modifier goes: an empty range is an insertion, else the token it takes the place of. */
static bool modifier_place(const CDeclGroup *g, CSpecKind kind, CRange *at) {
    const CSpec *opposite = NULL;
    bool is_char = count_specs(g, CSP_CHAR) > 0;
    *at = (CRange){ g->specs_range.from, g->specs_range.from };
    if (kind == CSP_LONG && count_specs(g, CSP_DOUBLE) && !count_specs(g, CSP_LONG)) return true;
    if (!is_integer_group(g)) return false;
    switch (kind) {
    case CSP_LONG:
        if (is_char || count_specs(g, CSP_LONG) > 1) return false;
        opposite = find_spec(g, CSP_SHORT);
        break;
    case CSP_SHORT:
        if (is_char || count_specs(g, CSP_SHORT) || count_specs(g, CSP_LONG) > 1) return false;
        if (!bits_fit(g, 16)) return false;
        opposite = find_spec(g, CSP_LONG);
        break;
    case CSP_SIGNED:
    case CSP_UNSIGNED:
        if (count_specs(g, kind)) return false;
        opposite = find_spec(g, kind == CSP_SIGNED ? CSP_UNSIGNED : CSP_SIGNED);
        break;
    default: return false;
    }
    if (opposite) *at = opposite->range;
    return true;
}

static void modifier_tokens(CSpecKind kind, const CDeclGroup *g, MutSites *out) {
    if (!is_integer_group(g) && !(kind == CSP_LONG && count_specs(g, CSP_DOUBLE))) return;
    if (kind == CSP_LONG && !bits_fit(g, 32)) return;
    const CSpec *spec = find_spec(g, kind);
    if (spec) vec_push(out, (MutSite){ g, spec->range });
}

static unsigned count_type_words(const CDeclGroup *g) {
    unsigned n = 0;
    for (uint32_t i = 0; i < g->n_specs; i++)
        n += g->specs[i].kind >= CSP_LONG && g->specs[i].kind <= CSP_BOOL;
    return n;
}

/* ---- the family ---- */
void perturb_decl_sites(Mutator *m, const PerturbRule *rule, MutSites *out) {
    for (uint32_t i = 0; i < m->unit->n_groups; i++) {
        const CDeclGroup *g = m->unit->groups[i];
        CRange at;
        if (!group_is_free(m, g)) continue;
        switch (rule->family) {
        case MF_QUALIFIER_ADD: qualifier_places(m, (CSpecKind)rule->to, g, out); break;
        case MF_QUALIFIER_REMOVE: qualifier_tokens(m, (CSpecKind)rule->from, g, out); break;
        case MF_MODIFIER_REMOVE: modifier_tokens((CSpecKind)rule->from, g, out); break;
        default:
            if (modifier_place(g, (CSpecKind)rule->to, &at)) vec_push(out, (MutSite){ g, at });
        }
    }
}

static Str spec_word(int kind) {
    switch (kind) {
    case CSP_CONST: return STR("const");
    case CSP_VOLATILE: return STR("volatile");
    case CSP_RESTRICT: return STR("__restrict__");
    case CSP_LONG: return STR("long");
    case CSP_SHORT: return STR("short");
    case CSP_SIGNED: return STR("signed");
    default: return STR("unsigned");
    }
}

bool perturb_decl_apply(const Mutator *m, const PerturbRule *rule, const MutSite *site, Rng *rng,
                        Arena *scratch, CEdits *edits) {
    const CDeclGroup *g = site->at;
    Str word = spec_word(rule->to);
    (void)m, (void)rng;
    switch (rule->family) {
    case MF_QUALIFIER_REMOVE: edit_delete(edits, site->range); return true;
    case MF_MODIFIER_REMOVE:
        edit_replace(edits, site->range, count_type_words(g) > 1 ? STR("") : STR("int"));
        return true;
    default:
        if (site->range.from < site->range.to)
            edit_replace(edits, site->range, word);
        else
            edit_insert(edits, site->range.from,
                        str_from(arena_fmt(scratch, " " STR_FMT " ", STR_ARG(word))));
        return true;
    }
}

/* Athena: insertions and deletions where nothing runs, as a Markov chain over programs (Le, Sun,
 * Su, OOPSLA 2015). A proposal edits some of the sampled points that never ran: it deletes the
 * statement there, or inserts a statement from elsewhere in the seed before it, with its variables
 * renamed to visible ones of the same types. It is accepted with min(1, exp(s * (D(Q') - D(Q)))), D
 * being the distance from the seed (distance.h). */
#include "variant/chain.h"
#include "variant/variant_knobs.h"

#include <math.h>

static bool can_delete(const Round *r, const CStmt *s) {
    return s->kind != CS_NULL &&
           !(s->flags & (CF_HAS_LABEL | CF_HAS_CASE | CF_HAS_DECL | CF_HAS_MACRO | CF_MACRO)) &&
           cfront_can_delete(r->unit, s);
}

/* ---- statements of the seed, for another place ---- */

static bool can_give(const Round *r, const CStmt *s) {
    static const uint32_t bad = CF_HAS_LABEL | CF_HAS_CASE | CF_HAS_GOTO | CF_HAS_BREAK |
                                CF_HAS_CONTINUE | CF_HAS_RETURN | CF_HAS_DECL | CF_HAS_VLA |
                                CF_MACRO | CF_HAS_MACRO | CF_HAS_ASM;
    if (s->flags & bad || s->range.to - s->range.from > HUNT_ATHENA_BYTES) return false;
    if (s->kind == CS_NULL || s->kind == CS_OTHER || s->in_expr) return false;
    if (s->function->flags & (CFN_SYSTEM | CFN_MACRO)) return false;
    return rendered_is_seed(&r->chain->current, s->range.from, s->range.to);
}

/* A visible variable of the same type to replace one that is not visible; NULL: none. */
static const CDecl *stand_in(Round *r, const CDeclVec *visible, const CDecl *decl) {
    const CDecl *chosen = NULL;
    uint64_t fitting = 0;
    for (size_t i = 0; i < visible->len; i++) {
        const CDecl *v = visible->at[i];
        if (v->type != decl->type || (v->flags & (CD_VLA | CD_MACRO))) continue;
        if ((v->flags & CD_REGISTER) && (decl->flags & CD_ADDRESS)) continue;
        if (rng_below(&r->rng, ++fitting) == 0) chosen = v;
    }
    return chosen;
}

/* What a reference is called at the site; empty: nothing fits. */
static Str name_at(Round *r, const CStmt *site, const CDeclVec *visible, const CDecl *decl) {
    if (decl->kind != CD_VAR && decl->kind != CD_PARAM) {
        const CDecl *found = cfront_lookup(r->unit, site, decl->name);
        bool same = found ? found->first == decl->first : (decl->flags & CD_SYSTEM) != 0;
        return same ? decl->name : STR("");
    }
    if (cfront_is_visible(r->unit, site, decl)) return decl->name;
    const CDecl *other = stand_in(r, visible, decl);
    return other ? other->name : STR("");
}

/* The donor's text with names of the site; false when some name has no counterpart. */
static bool transplant(Round *r, const CStmt *donor, const CStmt *site, const CDeclVec *visible,
                       Buf *out) {
    const CFunction *f = donor->function;
    uint32_t from = donor->range.from;
    for (uint32_t i = 0; i < f->n_exprs; i++) {
        const CExpr *e = f->exprs[i];
        if (!crange_in(e->range, donor->range)) continue;
        if (e->kind == CE_OTHER || e->kind == CE_BLOCK || e->kind == CE_LABEL) return false;
        if (e->kind != CE_REF || !e->decl) continue;
        if (crange_in(e->decl->range, donor->range) && !(e->decl->flags & CD_SYSTEM)) continue;
        if (e->range.from < from) return false; /* not in order: a type's expression */
        Str name = name_at(r, site, visible, e->decl);
        if (name.len == 0) return false;
        buf_str(out, cfront_text(r->unit, (CRange){ from, e->range.from }));
        buf_str(out, name);
        from = e->range.to;
    }
    buf_str(out, cfront_text(r->unit, (CRange){ from, donor->range.to }));
    return true;
}

/* Inserts a statement of the seed, renamed, before stmt. */
static void insert(Round *r, const CStmt *stmt) {
    if (!place_fits(r, stmt)) return;
    CDeclVec visible = { 0 };
    cfront_visible(r->unit, stmt, 0, &visible);
    for (unsigned tries = 0; tries < HUNT_ATHENA_DONORS; tries++) {
        const CStmt *donor = r->unit->stmts[rng_below(&r->rng, r->unit->n_stmts)];
        if (!can_give(r, donor)) continue;
        Buf text = { 0 };
        buf_text(&text, "{ ");
        bool ok = transplant(r, donor, stmt, &visible, &text);
        buf_text(&text, " }");
        if (ok) place_before(r, stmt, STRATEGY_ATHENA, arena_str(&r->arena, buf_view(&text)));
        buf_release(&text);
        if (ok) break;
    }
    vec_release(&visible);
}

static void propose(Round *r) {
    uint32_t end = 0;
    for (size_t i = 0; i < r->points.len; i++) {
        const Point *p = &r->points.at[i];
        if (p->seen || p->stmt->range.from < end || rng_chance(&r->rng, 0.5)) continue;
        if (rng_chance(&r->rng, HUNT_ATHENA_INSERT))
            insert(r, p->stmt);
        else if (can_delete(r, p->stmt) && place_delete(r, p->stmt, STRATEGY_ATHENA))
            end = p->stmt->range.to;
    }
}

/* D of the program as it is proposed now; false when it does not parse. */
static bool proposal_distance(Round *r, double *distance) {
    MutateChain *c = r->chain;
    Rendered text = { 0 };
    Arena arena = { 0 };
    pieces_render(&c->pieces, (unsigned)c->made.len, NULL, &text);
    CfrontOptions opts = { .name = "variant", .args = c->options.flags };
    Error err;
    const CUnit *unit = cfront_parse(&arena, buf_view(&text.text), &opts, &err);
    if (unit) {
        Outline o;
        outline_of(&o, unit);
        *distance = outline_distance(&c->seed_outline, &o);
        outline_release(&o);
    }
    arena_release(&arena);
    rendered_release(&text);
    return unit != NULL;
}

void athena_mutate(Round *r) {
    MutateChain *c = r->chain;
    size_t parts = c->pieces.list.len, made = c->made.len;
    for (unsigned step = 0; step < HUNT_ATHENA_STEPS; step++) {
        propose(r);
        if (c->made.len == made) continue;
        double distance;
        if (proposal_distance(r, &distance)) {
            double accept = exp(HUNT_ATHENA_SHARPNESS * (distance - c->seed_distance));
            if (rng_real(&r->rng) < accept) {
                c->seed_distance = distance;
                return;
            }
        }
        c->pieces.list.len = parts;
        c->made.len = made;
    }
}

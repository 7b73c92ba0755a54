/* Hermes, identity and borrowing at one executed point: SynCode of Algorithm 1. */
#include "variant/chain.h"
#include "variant/origin.h"
#include "variant/variant_knobs.h"

static Site site_of(Round *r, const Point *point) {
    MutateChain *c = r->chain;
    return (Site){ .unit = r->unit,
                   .point = point,
                   .synth = { .rng = &r->rng,
                              .arena = &r->arena,
                              .plain = c->options.plain,
                              .lender = point->hits <= HUNT_BORROW_HITS ? c->lender : NULL,
                              .no_lanes = c->options.no_lanes || c->options.plain,
                              .no_reals = c->no_reals,
                              .hot = point->hits > HUNT_KERNEL_HITS },
                   .prefix = arena_fmt(&r->arena, "%s%zu", c->prefix, c->made.len) };
}

/* `return x;` at the end would leave a path without a value: legal, but compilers warn. */
static bool can_guard(const CStmt *stmt) {
    return cfront_can_wrap(stmt) && !(stmt->kind == CS_RETURN && stmt->expr) &&
           !(stmt->flags & (CF_HAS_DECL | CF_HAS_LABEL | CF_HAS_CASE)) && !origin_has_literal(stmt);
}

static bool apply(Round *r, const Point *point, Strategy strategy) {
    Site site = site_of(r, point);
    if (point->env.vars.len == 0 && (strategy != STRATEGY_TCB || site.synth.hot)) return false;
    if (strategy == STRATEGY_TG) {
        if (!can_guard(point->stmt)) return false;
        place_guard(r, point->stmt, snippet_tg(&site));
        return true;
    }
    if (!place_fits(r, point->stmt)) return false;
    Str above = STR(""),
        text = strategy == STRATEGY_FCB ? snippet_fcb(&site) : snippet_tcb(&site, &above);
    if (text.len == 0) return false;
    place_before(r, point->stmt, strategy, text);
    if (above.len > 0) place_above(r, point->stmt, above);
    return true;
}

void hermes_mutate(Round *r, const Point *point, unsigned strategies) {
    Strategy order[] = { STRATEGY_FCB, STRATEGY_TG, STRATEGY_TCB, STRATEGY_IDENTITY,
                         STRATEGY_BORROW };
    rng_shuffle(&r->rng, order, COUNT_OF(order), sizeof *order);
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        if (!(strategies & STRATEGY_BIT(order[i]))) continue;
        bool done = order[i] == STRATEGY_IDENTITY ? identity_mutate(r, point)
                    : order[i] == STRATEGY_BORROW ? borrow_mutate(r, point)
                                                  : apply(r, point, order[i]);
        if (done) return;
    }
}

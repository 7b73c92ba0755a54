/* Athena: insertions and deletions where nothing runs, as a Markov chain over programs (Le, Sun,
 * Su, OOPSLA 2015). A proposal edits some of the sampled points that never ran; it is accepted with
 * min(1, exp(s * (D(Q') - D(Q)))), D being the distance from the seed (distance.h). */
#include "hunt/chain.h"
#include "hunt/knobs.h"

#include <math.h>

static bool can_delete(const Round *r, const CStmt *s) {
    return s->kind != CS_NULL &&
           !(s->flags & (CF_HAS_LABEL | CF_HAS_CASE | CF_HAS_DECL | CF_HAS_MACRO | CF_MACRO)) &&
           cfront_can_delete(r->unit, s);
}

static void insert(Round *r, const CStmt *stmt) {
    if (place_needs_braces(r, stmt) && (stmt->flags & CF_HAS_DECL)) return;
    Scene scene;
    const char *prefix = arena_fmt(&r->arena, "%s%zu", r->chain->prefix, r->chain->made.len);
    scene_init(&scene, &r->arena, &r->rng, r->unit, stmt, prefix);
    Buf text = { 0 };
    buf_text(&text, "{ ");
    body_statements(&scene, HUNT_BODY_DEPTH - 1, false, &text);
    buf_char(&text, '}');
    place_before(r, stmt, STRATEGY_ATHENA, arena_str(&r->arena, buf_view(&text)));
    buf_release(&text);
    scene_release(&scene);
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

/* D of the program as it is proposed now. */
static bool proposal_distance(Round *r, double *distance, Error *err) {
    MutateChain *c = r->chain;
    Rendered text = { 0 };
    Arena arena = { 0 };
    pieces_render(&c->pieces, (unsigned)c->made.len, NULL, &text);
    CfrontOptions opts = { .name = "variant", .args = c->options.flags };
    const CUnit *unit = cfront_parse(&arena, buf_view(&text.text), &opts, err);
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

bool athena_mutate(Round *r, Error *err) {
    MutateChain *c = r->chain;
    size_t parts = c->pieces.list.len, made = c->made.len;
    for (unsigned step = 0; step < HUNT_ATHENA_STEPS; step++) {
        propose(r);
        if (c->made.len == made) continue;
        double distance;
        if (!proposal_distance(r, &distance, err)) return false;
        double accept = exp(HUNT_ATHENA_SHARPNESS * (distance - c->seed_distance));
        if (rng_real(&r->rng) < accept) {
            c->seed_distance = distance;
            return true;
        }
        c->pieces.list.len = parts;
        c->made.len = made;
    }
    return true;
}

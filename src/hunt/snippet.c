/* FCB, TG and TCB; see snippet.h.
 *
 * TCB:  { T bk = e; if (true predicate) { bk = v; v = e'; .. if/while (false predicate) print v; }
 * v = bk; } Several variables are saved one after the other and restored in the opposite order:
 * that is right even where two of them are the same object under two names. The environment follows
 * every store, also inside the block; what a store may have hit leaves it. */
#include "hunt/snippet.h"

#include "hunt/knobs.h"

Str snippet_fcb(const Site *site) {
    Synth s = site->synth;
    Scene scene;
    scene_init(&scene, s.arena, s.rng, site->unit, site->point->stmt, site->prefix);
    bool loop = rng_chance(s.rng, 0.5);
    Str pred = syn_predicate(&s, &site->point->env, false);
    Buf text = { 0 };
    buf_fmt(&text, "%s " STR_FMT " { ", loop ? "while" : "if", STR_ARG(pred));
    body_statements(&scene, HUNT_BODY_DEPTH, loop, &text);
    buf_char(&text, '}');
    Str out = arena_str(s.arena, buf_view(&text));
    buf_release(&text);
    scene_release(&scene);
    return out;
}

Str snippet_tg(const Site *site) {
    Synth s = site->synth;
    Str pred = syn_predicate(&s, &site->point->env, true);
    return str_from(arena_fmt(s.arena, "if " STR_FMT, STR_ARG(pred)));
}

/* ---- TCB ---- */

typedef struct Changed {
    EnvVar var;    /* the lvalue */
    EnvVar backup; /* the new variable that keeps its value */
} Changed;

typedef struct Tcb {
    Synth s;
    Env env; /* as it is at the place being written */
    Buf text;
    Changed list[HUNT_TCB_VARIABLES];
    unsigned n;
} Tcb;

static void choose(const Site *site, Tcb *t) {
    const Env *env = &site->point->env;
    size_t *index = ARENA_ARRAY(t->s.arena, size_t, env->vars.len + 1), n = 0;
    for (size_t i = 0; i < env->vars.len; i++)
        if (env->vars.at[i].writable) index[n++] = i;
    rng_shuffle(t->s.rng, index, n, sizeof *index);
    unsigned want = 1 + (unsigned)rng_below(t->s.rng, HUNT_TCB_VARIABLES);
    for (size_t i = 0; i < n && t->n < want; i++) {
        Changed *c = &t->list[t->n];
        c->var = env->vars.at[index[i]];
        const char *name = arena_fmt(t->s.arena, "%sb%u", site->prefix, t->n++);
        c->backup = (EnvVar){ .text = str_from(name),
                              .type = ITYPE(c->var.type.kind),
                              .reach = { .root = name } };
    }
}

static void declare_backup(Tcb *t, Changed *c) {
    SynExpr e = syn_expr(&t->s, &t->env);
    buf_fmt(&t->text, "%s " STR_FMT " = " STR_FMT "; ", itype_name(c->backup.type),
            STR_ARG(c->backup.text), STR_ARG(e.text));
    env_assign(&t->env, &c->backup, syn_stored(&t->s, c->backup.type, &e));
}

/* bk = v. An earlier store may have hit v through a pointer: then its values are not known. */
static void save(Tcb *t, const Changed *c) {
    buf_fmt(&t->text, STR_FMT " = " STR_FMT "; ", STR_ARG(c->backup.text), STR_ARG(c->var.text));
    int at = env_find(&t->env, c->var.text);
    if (at >= 0) {
        ValueSet set = t->env.vars.at[at].set;
        env_assign(&t->env, &c->backup, set);
        return;
    }
    at = env_find(&t->env, c->backup.text);
    if (at >= 0) t->env.vars.at[at] = vec_pop(&t->env.vars);
}

/* v = e or v op= e. */
static void store(Tcb *t, const Changed *c) {
    SynExpr e = syn_expr(&t->s, &t->env);
    int at = env_find(&t->env, c->var.text);
    ValueSet set;
    if (at >= 0 && rng_chance(t->s.rng, 0.3)) {
        IBinary op = (IBinary)rng_below(t->s.rng, B_LT);
        if (syn_compound(&t->s, op, &t->env.vars.at[at], &e, &set)) {
            buf_fmt(&t->text, STR_FMT " %s= " STR_FMT "; ", STR_ARG(c->var.text),
                    eval_binary_text(op), STR_ARG(e.text));
            env_assign(&t->env, &c->var, set);
            return;
        }
    }
    buf_fmt(&t->text, STR_FMT " = " STR_FMT "; ", STR_ARG(c->var.text), STR_ARG(e.text));
    env_assign(&t->env, &c->var, syn_stored(&t->s, c->var.type, &e));
}

/* if/while (never) { print v; .. } */
static void use(const Site *site, Tcb *t) {
    Scene scene;
    scene_init(&scene, t->s.arena, t->s.rng, site->unit, site->point->stmt, site->prefix);
    bool loop = rng_chance(t->s.rng, 0.5);
    Str pred = syn_predicate(&t->s, &t->env, false);
    buf_fmt(&t->text, "%s " STR_FMT " { ", loop ? "while" : "if", STR_ARG(pred));
    for (unsigned i = 0; i < t->n; i++) {
        buf_text(&t->text, "{ ");
        body_print(&scene, t->list[i].var.text, &t->text);
        buf_text(&t->text, "} ");
    }
    if (rng_chance(t->s.rng, 0.3)) body_statements(&scene, 1, loop, &t->text);
    buf_text(&t->text, "} ");
    scene_release(&scene);
}

static void change(const Site *site, Tcb *t) {
    for (unsigned i = 0; i < t->n; i++) {
        save(t, &t->list[i]);
        store(t, &t->list[i]);
    }
    unsigned more = (unsigned)rng_below(t->s.rng, HUNT_TCB_STORES);
    for (unsigned i = 0; i < more; i++) store(t, &t->list[rng_below(t->s.rng, t->n)]);
    use(site, t);
}

Str snippet_tcb(const Site *site) {
    Tcb t = { .s = site->synth };
    choose(site, &t);
    if (t.n == 0) return STR("");
    env_copy(&t.env, &site->point->env);
    buf_text(&t.text, "{ ");
    for (unsigned i = 0; i < t.n; i++) declare_backup(&t, &t.list[i]);
    Str pred = syn_predicate(&t.s, &t.env, true);
    buf_fmt(&t.text, "if " STR_FMT " { ", STR_ARG(pred));
    change(site, &t);
    buf_text(&t.text, "} ");
    for (unsigned i = t.n; i-- > 0;)
        buf_fmt(&t.text, STR_FMT " = " STR_FMT "; ", STR_ARG(t.list[i].var.text),
                STR_ARG(t.list[i].backup.text));
    buf_char(&t.text, '}');
    Str out = arena_str(t.s.arena, buf_view(&t.text));
    buf_release(&t.text);
    env_release(&t.env);
    return out;
}

Str snippet_zero(const Site *site, IType type) {
    Synth s = site->synth;
    for (unsigned i = 0; i < HUNT_IDENTITY_TRIES; i++) {
        SynExpr e = syn_expr(&s, &site->point->env);
        if (e.set.len != 1) continue;
        Buf text = { 0 };
        if (e.set.at[0] == 0)
            buf_fmt(&text, "(%s)" STR_FMT, itype_name(type), STR_ARG(e.text));
        else { /* x ^ its only value */
            buf_fmt(&text, "(%s)(" STR_FMT " ^ ", itype_name(type), STR_ARG(e.text));
            ival_print((IVal){ e.set.at[0], e.type }, &text);
            buf_char(&text, ')');
        }
        Str out = arena_str(s.arena, buf_view(&text));
        buf_release(&text);
        return out;
    }
    return STR("");
}

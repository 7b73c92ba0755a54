/* FCB, TG and TCB; see snippet.h.
 *
 * TCB:  { T bk = e; if (true predicate) { bk = v; v = e'; .. if/while (false predicate) print v; }
 * v = bk; } Several variables are saved before any is changed and restored in the opposite order:
 * that is right even where two of them are the same object under two names. The environment is
 * updated by every statement (live_code.h); what a store may have hit leaves it. The false
 * predicate tests for values that the variables cannot have, so that a wrong one is printed. Where
 * nothing is known of the program's variables the block has one of its own. */
#include "variant/snippet.h"

#include "variant/live/live_code.h"
#include "variant/variant_knobs.h"

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
    EnvVar backup; /* the new variable that saves its value */
} Changed;

typedef struct Tcb {
    LiveCode l; /* the place being written, with its environment */
    Changed list[HUNT_TCB_VARIABLES];
    unsigned n;
} Tcb;

static void choose(const Site *site, Tcb *t) {
    const Env *env = &site->point->env;
    const Synth *s = &site->synth;
    size_t *index = ARENA_ARRAY(s->arena, size_t, env->vars.len + 1), n = 0;
    for (size_t i = 0; i < env->vars.len; i++)
        if (env->vars.at[i].writable) index[n++] = i;
    rng_shuffle(s->rng, index, n, sizeof *index);
    unsigned want = 1 + (unsigned)rng_below(s->rng, HUNT_TCB_VARIABLES);
    for (size_t i = 0; i < n && t->n < want; i++) {
        Changed *c = &t->list[t->n];
        c->var = env->vars.at[index[i]];
        const char *name = arena_fmt(s->arena, "%sb%u", site->prefix, t->n++);
        c->backup = (EnvVar){ .text = str_from(name),
                              .type = ITYPE(c->var.type.kind),
                              .reach = { .root = name } };
    }
}

static void declare_backup(Tcb *t, Changed *c) {
    SynExpr e = syn_expr(&t->l.s, &t->l.env);
    buf_fmt(&t->l.text, "%s " STR_FMT " = " STR_FMT "; ", itype_name(c->backup.type),
            STR_ARG(c->backup.text), STR_ARG(e.text));
    env_assign(&t->l.env, &c->backup, syn_stored(&t->l.s, c->backup.type, &e));
}

/* bk = v. Everything is saved before anything is changed. */
static void save(Tcb *t, const Changed *c) {
    buf_fmt(&t->l.text, STR_FMT " = " STR_FMT "; ", STR_ARG(c->backup.text), STR_ARG(c->var.text));
    int at = env_find(&t->l.env, c->var.text);
    CHECK(at >= 0);
    ValueSet set = t->l.env.vars.at[at].set;
    env_assign(&t->l.env, &c->backup, set);
}

static void print_in_block(LiveCode *l, Str name) {
    buf_text(&l->text, "{ ");
    body_print(l->scene, name, &l->text);
    buf_text(&l->text, "} ");
}

/* if/while (never) { print v; .. } */
static void use(Tcb *t) {
    LiveCode *l = &t->l;
    bool loop = rng_chance(l->s.rng, 0.5);
    Str pred = live_suspicion(l);
    buf_fmt(&l->text, "%s " STR_FMT " { ", loop ? "while" : "if", STR_ARG(pred));
    for (unsigned i = 0; i < t->n; i++) print_in_block(l, t->list[i].var.text);
    if (t->n == 0) print_in_block(l, l->targets.at[0].text);
    if (rng_chance(l->s.rng, 0.3)) body_statements(l->scene, 1, loop, &l->text);
    buf_text(&l->text, "} ");
}

static void change(Tcb *t) {
    for (unsigned i = 0; i < t->n; i++) save(t, &t->list[i]);
    for (unsigned i = 0; i < t->n; i++) live_store(&t->l, &t->list[i].var);
    live_statements(&t->l, (unsigned)rng_below(t->l.s.rng, HUNT_LIVE_STATEMENTS + 1));
    use(t);
}

/* Where the program has no variable to change: a new one, whose value compilers cannot see. */
static void own_variable(LiveCode *l) {
    static const uint8_t kinds[] = { I_INT, I_INT, I_UINT, I_LONG, I_ULONG, I_SHORT, I_UCHAR };
    IType type = ITYPE(kinds[rng_below(l->s.rng, COUNT_OF(kinds))]);
    SynExpr value = syn_constant(&l->s, type);
    const char *hidden = live_name(l, 'h'), *name = live_name(l, 's');
    buf_fmt(&l->text, "volatile %s %s = " STR_FMT "; %s %s = %s; ", itype_name(type), hidden,
            STR_ARG(value.text), itype_name(type), name, hidden);
    EnvVar v = live_local_path(name, name, type);
    live_now_has(l, &v, value.set);
    live_add_target(l, &v);
}

static void write_block(Tcb *t) {
    Buf *text = &t->l.text;
    buf_text(text, "{ ");
    if (t->n == 0) own_variable(&t->l);
    live_locals(&t->l);
    for (unsigned i = 0; i < t->n; i++) declare_backup(t, &t->list[i]);
    Str pred = syn_predicate(&t->l.s, &t->l.env, true);
    buf_fmt(text, "if " STR_FMT " { ", STR_ARG(pred));
    change(t);
    buf_text(text, "} ");
    for (unsigned i = t->n; i-- > 0;)
        buf_fmt(text, STR_FMT " = " STR_FMT "; ", STR_ARG(t->list[i].var.text),
                STR_ARG(t->list[i].backup.text));
    buf_char(text, '}');
}

Str snippet_tcb(const Site *site, Str *above) {
    Tcb t = { .n = 0 };
    Synth s = site->synth;
    choose(site, &t);
    Scene scene;
    scene_init(&scene, s.arena, s.rng, site->unit, site->point->stmt, site->prefix);
    live_init(&t.l, s, &site->point->env, &scene, site->prefix);
    for (unsigned i = 0; i < t.n; i++) live_given(&t.l, &t.list[i].var);
    write_block(&t);
    Str out = arena_str(s.arena, buf_view(&t.l.text));
    *above = arena_str(s.arena, buf_view(&t.l.above));
    live_release(&t.l);
    scene_release(&scene);
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

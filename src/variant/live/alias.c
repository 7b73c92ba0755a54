/* Unions and pointers of a block; see alias.h.
 *
 * Only the member of a union that was stored last is in the environment: a store to one removes the
 * others (Reach.shared). A pointer is not a path itself: what it points to is known by name, `*p =
 * e` changes the environment as `v = e` would, and `*p` is an operand with the values of v. */
#include "variant/live/alias.h"

#include "variant/variant_knobs.h"

/* ---- unions ---- */

static EnvVar member_path(LiveCode *l, const char *variable, const LiveUnion *u, unsigned field) {
    const char *text = arena_fmt(l->s.arena, "%s.f%u", variable, field);
    EnvVar v = live_local_path(variable, text, u->fields[field]);
    v.reach.shared = variable;
    v.addressable = false; /* with pointers to two members, stores could be reordered */
    return v;
}

static void new_union_variable(LiveCode *l, const LiveUnion *u, const char *name) {
    unsigned first = (unsigned)rng_below(l->s.rng, u->n);
    SynExpr e = syn_expr(&l->s, &l->env);
    buf_fmt(&l->text, "union %s %s = { .f%u = " STR_FMT " }; ", u->tag, name, first,
            STR_ARG(e.text));
    EnvVar v = member_path(l, name, u, first);
    live_now_has(l, &v, syn_stored(&l->s, v.type, &e));
    for (unsigned i = 0; i < u->n; i++) {
        EnvVar member = member_path(l, name, u, i);
        live_add_target(l, &member);
    }
}

void alias_new_union(LiveCode *l) {
    if (l->unions_len == LIVE_UNIONS) return;
    LiveUnion *u = &l->unions[l->unions_len++];
    *u = (LiveUnion){ .tag = live_name(l, 'u'),
                      .n = 2 + (unsigned)rng_below(l->s.rng, LIVE_MEMBERS - 1) };
    buf_fmt(&l->above, "union %s { ", u->tag);
    for (unsigned i = 0; i < u->n; i++) {
        u->fields[i] = live_any_field(l->s.rng);
        buf_fmt(&l->above, "%s f%u", itype_name(u->fields[i]), i);
        if (u->fields[i].width) buf_fmt(&l->above, " : %u", u->fields[i].width);
        buf_text(&l->above, "; ");
    }
    buf_text(&l->above, "};\n");
    for (unsigned i = 0; i < COUNT_OF(u->names); i++) {
        u->names[i] = live_name(l, 'r');
        new_union_variable(l, u, u->names[i]);
    }
}

bool alias_copy_statement(LiveCode *l) {
    if (l->unions_len == 0) return false;
    const LiveUnion *u = &l->unions[rng_below(l->s.rng, l->unions_len)];
    unsigned to = (unsigned)rng_below(l->s.rng, 2);
    buf_fmt(&l->text, "%s = %s; ", u->names[to], u->names[!to]);
    EnvVar gone = member_path(l, u->names[to], u, 0);
    live_now_has(l, &gone, (ValueSet){ NULL, 0 }); /* removes whatever else was there */
    for (unsigned i = 0; i < u->n; i++) {
        EnvVar from = member_path(l, u->names[!to], u, i),
               copy = member_path(l, u->names[to], u, i);
        const EnvVar *now = live_known(l, from.text);
        if (now) live_now_has(l, &copy, now->set);
    }
    return true;
}

/* ---- pointers ---- */

/* Something of the type (NULL: any) whose address may be taken. */
static bool draw_pointee(LiveCode *l, const IType *type, EnvVar *out) {
    for (unsigned tries = 0; tries < 8; tries++) {
        const EnvVar *v = live_any_target(l);
        if (!v->addressable || v->type.width || (type && type->kind != v->type.kind)) continue;
        *out = *v;
        return true;
    }
    return false;
}

void alias_new_pointer(LiveCode *l) {
    EnvVar to;
    if (l->pointers_len == LIVE_POINTERS || l->targets.len == 0 || !draw_pointee(l, NULL, &to))
        return;
    LivePointer *p = &l->pointers[l->pointers_len++];
    *p = (LivePointer){ live_name(l, 'q'), to };
    buf_fmt(&l->text, "%s *%s = &" STR_FMT "; ", itype_name(to.type), p->name, STR_ARG(to.text));
}

/* *p = e, or *p op= e. */
static void store_through(LiveCode *l, const LivePointer *p) {
    SynExpr e = syn_expr(&l->s, &l->env);
    const EnvVar *now = live_known(l, p->to.text);
    IBinary op = (IBinary)rng_below(l->s.rng, B_LT);
    ValueSet set;
    bool compound =
        now && rng_chance(l->s.rng, HUNT_LIVE_COMPOUND) && syn_compound(&l->s, op, now, &e, &set);
    if (!compound) set = syn_stored(&l->s, p->to.type, &e);
    buf_fmt(&l->text, "*%s %s= " STR_FMT "; ", p->name, compound ? eval_binary_text(op) : "",
            STR_ARG(e.text));
    live_now_has(l, &p->to, set);
}

/* v = an expression that has *p in it, perhaps beside the object's own name. */
static bool read_through(LiveCode *l, const LivePointer *p) {
    const EnvVar *now = live_known(l, p->to.text);
    if (!now) return false;
    Env inner = { 0 };
    for (size_t i = 0; i < l->env.vars.len; i++)
        if (rng_chance(l->s.rng, 0.5)) vec_push(&inner.vars, l->env.vars.at[i]);
    EnvVar through = *now;
    through.text = str_from(arena_fmt(l->s.arena, "(*%s)", p->name));
    vec_push(&inner.vars, through);
    SynExpr e = syn_expr(&l->s, &inner);
    env_release(&inner);
    EnvVar var = *live_any_target(l);
    buf_fmt(&l->text, STR_FMT " = " STR_FMT "; ", STR_ARG(var.text), STR_ARG(e.text));
    live_now_has(l, &var, syn_stored(&l->s, var.type, &e));
    return true;
}

/* A new function that changes what its argument points to. */
static bool call_with(LiveCode *l, const LivePointer *p) {
    const EnvVar *now = live_known(l, p->to.text);
    if (!now || l->depth >= HUNT_LIVE_DEPTH) return false;
    const char *name = live_name(l, 'f'), *param = live_name(l, 'p');
    LiveCode body = { .s = l->s, .prefix = l->prefix, .names = l->names, .depth = l->depth + 1 };
    EnvVar through = live_local_path(param, arena_fmt(l->s.arena, "(*%s)", param), p->to.type);
    live_now_has(&body, &through, now->set);
    live_add_target(&body, &through);
    live_statements(&body, 1 + (unsigned)rng_below(l->s.rng, 2));
    buf_str(&l->above, buf_view(&body.above));
    buf_fmt(&l->above, "static void %s(%s *%s) { " STR_FMT "}\n", name, itype_name(p->to.type),
            param, STR_ARG(buf_view(&body.text)));
    buf_fmt(&l->text, "%s(%s); ", name, p->name);
    const EnvVar *left = live_known(&body, through.text);
    live_now_has(l, &p->to, left ? left->set : (ValueSet){ NULL, 0 });
    live_release(&body);
    return true;
}

bool alias_pointer_statement(LiveCode *l) {
    if (l->pointers_len == 0) return false;
    LivePointer *p = &l->pointers[rng_below(l->s.rng, l->pointers_len)];
    EnvVar other;
    switch (rng_below(l->s.rng, 5)) {
    case 0:
        if (read_through(l, p)) return true;
        break;
    case 1:
        if (call_with(l, p)) return true;
        break;
    case 2:
        if (!draw_pointee(l, &p->to.type, &other)) break;
        buf_fmt(&l->text, "%s = &" STR_FMT "; ", p->name, STR_ARG(other.text));
        p->to = other;
        break;
    default: break;
    }
    store_through(l, p);
    return true;
}

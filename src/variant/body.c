/* Statements by unrolling C's grammar over the names of a site; see body.h. Existing variables are
 * preferred over new ones, derivation depth is bounded (section 4.2 of the paper). */
#include "variant/body.h"

#include "variant/point.h"
#include "variant/variant_knobs.h"

/* ---- the scene ---- */

static const CType *result_type(const CFunction *f) {
    return f->decl->type->elem;
}

static bool parameter_fits(const CType *type) {
    return ctype_is_arithmetic(type) || type->kind == CT_POINTER;
}

/* Functions that came with snippets: they disappear with their snippet, so no other one may call
 * them. */
static bool is_new(const Scene *s, Str name) {
    Str stem = str_from(s->prefix); /* the chain's prefix, and the snippet's number */
    while (stem.len && stem.at[stem.len - 1] >= '0' && stem.at[stem.len - 1] <= '9') stem.len--;
    return name.len >= stem.len && str_eq(str_sub(name, 0, stem.len), stem);
}

/* A function that any code may call: prototype before the site, plain parameters, defined here with
 * a linkage that links at every level. */
static bool can_call(const Scene *s, const CFunction *f) {
    const CDecl *d = f->decl;
    if (is_new(s, f->name)) return false;
    if (f->flags & (CFN_MAIN | CFN_KR | CFN_VARIADIC | CFN_MACRO | CFN_SYSTEM)) return false;
    if (d->type->kind != CT_FUNCTION || d->type->no_prototype) return false;
    if ((d->flags | d->first->flags) & CD_ATTRIBUTE) return false;
    if ((d->flags & CD_INLINE) && !(d->flags & CD_STATIC)) return false;
    for (uint32_t i = 0; i < d->type->n_params; i++)
        if (!parameter_fits(d->type->params[i])) return false;
    const CDecl *seen = cfront_lookup(s->unit, s->stmt, f->name);
    return seen && seen->kind == CD_FUNCTION && !seen->type->no_prototype &&
           seen->range.to <= s->stmt->range.from;
}

static void find_labels(Scene *s) {
    const CFunction *f = s->stmt->function;
    if (f->flags & (CFN_VLA | CFN_COMPUTED_GOTO)) return;
    for (uint32_t i = 0; i < f->n_stmts; i++) {
        const CStmt *l = f->stmts[i];
        if (l->kind != CS_LABEL || (l->flags & CF_MACRO)) continue;
        bool inside = false; /* no jump may enter a statement expression */
        for (const CStmt *up = l; up; up = up->parent) inside = inside || up->in_expr;
        if (!inside) vec_push(&s->labels, l->label);
    }
}

static void find_loops(Scene *s) {
    for (const CStmt *at = s->stmt, *up = at->parent; up && !at->in_expr;
         at = up, up = up->parent) {
        if (up->kind == CS_SWITCH) s->in_breakable = true;
        if (up->kind == CS_WHILE || up->kind == CS_DO || up->kind == CS_FOR)
            s->in_breakable = s->in_loop = true;
    }
}

void scene_init(Scene *s, Arena *arena, Rng *rng, const CUnit *unit, const CStmt *stmt,
                const char *prefix) {
    *s = (Scene){ .unit = unit, .stmt = stmt, .rng = rng, .arena = arena, .prefix = prefix };
    cfront_visible(unit, stmt, 0, &s->decls);
    for (uint32_t i = 0; i < unit->n_functions; i++)
        if (can_call(s, unit->functions[i])) vec_push(&s->callees, unit->functions[i]);
    find_labels(s);
    find_loops(s);
}

void scene_release(Scene *s) {
    vec_release(&s->decls);
    vec_release(&s->callees);
    vec_release(&s->labels);
}

/* ---- expressions ---- */

static void expression(Scene *s, unsigned depth, Buf *out);

static void small_constant(Scene *s, Buf *out) {
    buf_fmt(out, "%lld", (long long)rng_between(s->rng, 0, 9));
}

static void any_constant(Scene *s, Buf *out) {
    static const uint8_t kinds[] = { I_INT, I_INT, I_UINT, I_LONG, I_ULLONG };
    IType type = ITYPE(kinds[rng_below(s->rng, COUNT_OF(kinds))]);
    int64_t value =
        rng_chance(s->rng, 0.7) ? rng_between(s->rng, -9, 9) : (int64_t)rng_next(s->rng);
    ival_print(ival(type, value), out);
}

static void subscript(Scene *s, unsigned depth, Buf *text) {
    buf_char(text, '[');
    if (depth > 0 && rng_chance(s->rng, 0.6))
        expression(s, depth - 1, text);
    else
        small_constant(s, text);
    buf_char(text, ']');
}

/* Follows the type to an integer; false at a dead end, or where a write would hit const. text grows
 * on the way. */
static bool descend(Scene *s, const CType *type, bool write, unsigned depth, Buf *text) {
    bool constant = false; /* const anywhere on the way makes what is inside const */
    for (unsigned step = 0; step <= HUNT_PATH_DEPTH; step++) {
        IType integer;
        int bits = -1;
        if (type->quals & CQ_ATOMIC) return false;
        if (type->quals & CQ_CONST) constant = true;
        if (point_integer(type, -1, &integer)) return !(write && constant);
        if (type->kind == CT_ARRAY || (type->kind == CT_POINTER && type->elem->size > 0)) {
            if (type->kind == CT_POINTER) constant = false;
            subscript(s, depth, text);
            type = type->elem;
            continue;
        }
        if (type->kind != CT_RECORD || !type->record->is_complete || !type->record->n_fields)
            return false;
        const CField *f = &type->record->fields[rng_below(s->rng, type->record->n_fields)];
        if (f->name.len == 0) return false;
        buf_fmt(text, "." STR_FMT, STR_ARG(f->name));
        type = f->type;
        bits = f->bits;
        if (type->quals & CQ_CONST) constant = true;
        if (bits >= 0) return point_integer(type, bits, &integer) && !(write && constant);
    }
    return false;
}

/* An integer lvalue made from a visible variable; false when none was found soon. */
static bool lvalue(Scene *s, bool write, unsigned depth, Buf *out) {
    for (unsigned tries = 0; tries < 8 && s->decls.len > 0; tries++) {
        const CDecl *d = s->decls.at[rng_below(s->rng, s->decls.len)];
        if (d->flags & (CD_VLA | CD_MACRO)) continue;
        Buf text = { 0 };
        buf_str(&text, d->name);
        bool ok = descend(s, d->type, write, depth, &text);
        if (ok) buf_str(out, buf_view(&text));
        buf_release(&text);
        if (ok) return true;
    }
    return false;
}

static void argument(Scene *s, const CType *type, unsigned depth, Buf *out) {
    if (type->kind != CT_POINTER) {
        expression(s, depth ? depth - 1 : 0, out);
        return;
    }
    for (unsigned tries = 0; tries < 8 && s->decls.len > 0; tries++) {
        const CDecl *d = s->decls.at[rng_below(s->rng, s->decls.len)];
        bool same = d->type->kind == CT_POINTER && d->type->elem == type->elem;
        bool array = d->type->kind == CT_ARRAY && d->type->elem == type->elem;
        bool object = d->type == type->elem && !(d->flags & CD_REGISTER);
        if (!same && !array && !object) continue;
        buf_fmt(out, "%s" STR_FMT, object ? "&" : "", STR_ARG(d->name));
        return;
    }
    buf_char(out, '0');
}

static void call(Scene *s, const CFunction *f, unsigned depth, Buf *out) {
    buf_fmt(out, STR_FMT "(", STR_ARG(f->name));
    for (uint32_t i = 0; i < f->decl->type->n_params; i++) {
        if (i) buf_text(out, ", ");
        argument(s, f->decl->type->params[i], depth, out);
    }
    buf_char(out, ')');
}

static const CFunction *random_callee(Scene *s) {
    return s->callees.len ? s->callees.at[rng_below(s->rng, s->callees.len)] : NULL;
}

static void leaf(Scene *s, unsigned depth, Buf *out) {
    const CFunction *f = rng_chance(s->rng, 0.08) ? random_callee(s) : NULL;
    if (f && depth > 0 && ctype_is_integer(result_type(f)))
        call(s, f, depth - 1, out);
    else if (rng_chance(s->rng, 0.15) || !lvalue(s, false, depth, out))
        any_constant(s, out);
}

static void expression(Scene *s, unsigned depth, Buf *out) {
    double dice = rng_real(s->rng);
    if (depth == 0 || dice < 0.25) {
        leaf(s, depth, out);
        return;
    }
    buf_char(out, '(');
    if (dice < 0.4) {
        buf_text(out, eval_unary_text((IUnary)rng_below(s->rng, U_COUNT)));
        buf_char(out, ' '); /* - -1 is not --1 */
        expression(s, depth - 1, out);
    } else if (dice < 0.5) {
        expression(s, depth - 1, out);
        buf_text(out, " ? ");
        expression(s, depth - 1, out);
        buf_text(out, " : ");
        expression(s, depth - 1, out);
    } else {
        expression(s, depth - 1, out);
        buf_fmt(out, " %s ", eval_binary_text((IBinary)rng_below(s->rng, B_COMMA)));
        expression(s, depth - 1, out);
    }
    buf_char(out, ')');
}

/* ---- statements ---- */

typedef struct Inside { /* what surrounds the current statement */
    bool loop, breakable;
} Inside;

static void statements(Scene *s, unsigned depth, Inside in, Buf *out);

static void block(Scene *s, unsigned depth, Inside in, Buf *out) {
    buf_text(out, "{ ");
    statements(s, depth, in, out);
    buf_text(out, "} ");
}

static void assignment(Scene *s, unsigned depth, Buf *out) {
    Buf target = { 0 };
    if (!lvalue(s, true, depth, &target)) {
        buf_text(out, "; ");
        return;
    }
    double dice = rng_real(s->rng);
    if (dice < 0.15)
        buf_fmt(out, "%s%s; ", target.at, rng_chance(s->rng, 0.5) ? "++" : "--");
    else {
        const char *op = dice < 0.4 ? eval_binary_text((IBinary)rng_below(s->rng, B_LT)) : "";
        buf_fmt(out, "%s %s= ", target.at, op);
        expression(s, depth, out);
        buf_text(out, "; ");
    }
    buf_release(&target);
}

static void condition(Scene *s, const char *keyword, unsigned depth, Buf *out) {
    buf_fmt(out, "%s (", keyword);
    expression(s, depth ? depth - 1 : 0, out);
    buf_text(out, ") ");
}

static void if_statement(Scene *s, unsigned depth, Inside in, Buf *out) {
    condition(s, "if", depth, out);
    block(s, depth - 1, in, out);
    if (!rng_chance(s->rng, 0.35)) return;
    buf_text(out, "else ");
    block(s, depth - 1, in, out);
}

static void for_statement(Scene *s, unsigned depth, Buf *out) {
    Buf index = { 0 };
    if (lvalue(s, true, 0, &index)) {
        buf_fmt(out, "for (%s = ", index.at);
        small_constant(s, out);
        buf_fmt(out, "; %s %s ", index.at, rng_chance(s->rng, 0.5) ? "<" : "!=");
        expression(s, 0, out);
        buf_fmt(out, "; %s%s) ", index.at, rng_chance(s->rng, 0.7) ? "++" : "--");
    } else
        buf_text(out, "for (;;) ");
    buf_release(&index);
    block(s, depth - 1, (Inside){ true, true }, out);
}

static void loop_statement(Scene *s, unsigned depth, Buf *out) {
    const Inside in = { true, true };
    if (rng_chance(s->rng, 0.6)) {
        condition(s, "while", depth, out);
        block(s, depth - 1, in, out);
        return;
    }
    buf_text(out, "do ");
    block(s, depth - 1, in, out);
    condition(s, "while", depth, out);
    buf_text(out, "; ");
}

static void switch_statement(Scene *s, unsigned depth, Inside in, Buf *out) {
    condition(s, "switch", depth, out);
    buf_text(out, "{ ");
    unsigned cases = 1 + (unsigned)rng_below(s->rng, 3);
    for (unsigned i = 0; i < cases; i++) {
        buf_fmt(out, "case %u: ", i * 3 + (unsigned)rng_below(s->rng, 3));
        block(s, depth - 1, (Inside){ in.loop, true }, out);
        if (rng_chance(s->rng, 0.6)) buf_text(out, "break; ");
    }
    buf_text(out, "default: ; } ");
}

/* `return;`, or a value of the function's type; nothing for records. */
static bool return_statement(Scene *s, unsigned depth, Buf *out) {
    const CFunction *f = s->stmt->function;
    const CType *type = result_type(f);
    if (f->decl->flags & CD_NORETURN) return false;
    if (type->kind == CT_VOID)
        buf_text(out, "return; ");
    else if (type->kind == CT_POINTER)
        buf_text(out, "return 0; ");
    else if (ctype_is_arithmetic(type)) {
        buf_text(out, "return ");
        expression(s, depth, out);
        buf_text(out, "; ");
    } else
        return false;
    return true;
}

static bool jump_statement(Scene *s, unsigned depth, Inside in, Buf *out) {
    Str label;
    switch (rng_below(s->rng, 4)) {
    case 0:
        if (in.breakable) buf_text(out, "break; ");
        return in.breakable;
    case 1:
        if (in.loop) buf_text(out, "continue; ");
        return in.loop;
    case 2:
        if (s->labels.len == 0) return false;
        label = s->labels.at[rng_below(s->rng, s->labels.len)];
        buf_fmt(out, "goto " STR_FMT "; ", STR_ARG(label));
        return true;
    default: return return_statement(s, depth, out);
    }
}

static void declaration(Scene *s, unsigned depth, Inside in, Buf *out) {
    static const uint8_t kinds[] = { I_SCHAR, I_SHORT, I_USHORT, I_INT,
                                     I_INT,   I_UINT,  I_LONG,   I_ULLONG };
    const char *type = itype_name(ITYPE(kinds[rng_below(s->rng, COUNT_OF(kinds))]));
    const char *name = arena_fmt(s->arena, "%sn%u", s->prefix, s->names++);
    buf_fmt(out, "{ %s %s = ", type, name);
    expression(s, depth, out);
    buf_text(out, "; ");
    statements(s, depth ? depth - 1 : 0, in, out);
    buf_fmt(out, "%s = ", name);
    lvalue(s, false, 0, out) ? (void)0 : any_constant(s, out);
    buf_fmt(out, "; ");
    body_print(s, str_from(name), out);
    buf_text(out, "} ");
}

void body_print(Scene *s, Str expr, Buf *out) {
    const CDecl *own = cfront_lookup(s->unit, s->stmt, STR("printf"));
    if (own && !(own->flags & CD_SYSTEM) &&
        (own->kind != CD_FUNCTION || own->type->no_prototype || !own->type->is_variadic)) {
        buf_fmt(out, STR_FMT " = 0; ", STR_ARG(expr));
        return;
    }
    if (!own) buf_text(out, "extern int printf(const char *, ...); ");
    buf_fmt(out, "printf(\"%%lld\", (long long)" STR_FMT "); ", STR_ARG(expr));
}

static void statement(Scene *s, unsigned depth, Inside in, Buf *out) {
    double dice = rng_real(s->rng);
    const CFunction *f;
    if (dice < HUNT_NEW_VARIABLE)
        declaration(s, depth, in, out);
    else if (dice < 0.25 && jump_statement(s, depth, in, out))
        return;
    else if (dice < 0.35 && (f = random_callee(s)) != NULL) {
        call(s, f, depth, out);
        buf_text(out, "; ");
    } else if (depth == 0 || dice < 0.55)
        assignment(s, depth, out);
    else if (dice < 0.72)
        if_statement(s, depth, in, out);
    else if (dice < 0.84)
        for_statement(s, depth, out);
    else if (dice < 0.94)
        loop_statement(s, depth, out);
    else
        switch_statement(s, depth, in, out);
}

static void statements(Scene *s, unsigned depth, Inside in, Buf *out) {
    unsigned n = 1 + (unsigned)rng_below(s->rng, HUNT_BODY_STATEMENTS);
    for (unsigned i = 0; i < n; i++) statement(s, depth, in, out);
}

void body_statements(Scene *s, unsigned depth, bool looped, Buf *out) {
    Inside in = { looped || s->in_loop, looped || s->in_breakable };
    statements(s, depth, in, out);
}

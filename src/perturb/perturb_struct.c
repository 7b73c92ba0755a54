/* Branches, loops, calls and jumps inserted into the program (RecBi's table 1, operators 1 to 4). A
 * branch or loop takes the statement it is inserted before as its body. Nothing is inserted before
 * declarations or oracle statements, and no branch, loop or jump around a statement that holds an
 * oracle call. */
#include "perturb/perturb_impl.h"

static bool in_statement_expression(const CStmt *s) {
    for (; s; s = s->parent)
        if (s->in_expr) return true;
    return false;
}

static bool place_is_open(const Mutator *m, const CStmt *s) {
    if (!cfront_can_insert(s) || (s->flags & CF_HAS_DECL) || s->kind == CS_NULL) return false;
    if (!s->function || (s->function->flags & CFN_MACRO)) return false;
    return !perturb_guarded(m, s->flags);
}

static bool body_is_open(const Mutator *m, const CStmt *s) {
    if (!place_is_open(m, s) || !cfront_can_wrap(s) || (s->flags & CF_HAS_MACRO)) return false;
    return m->guard == PERTURB_GUARD_NONE || !(s->flags & CF_HAS_ORACLE);
}

static bool jump_is_open(const Mutator *m, const CStmt *s) {
    return place_is_open(m, s) && !(s->function->flags & CFN_VLA) && !in_statement_expression(s);
}

void perturb_struct_sites(Mutator *m, const PerturbRule *rule, MutSites *out) {
    for (uint32_t i = 0; i < m->unit->n_stmts; i++) {
        const CStmt *s = m->unit->stmts[i];
        bool open = rule->family == MF_CALL   ? place_is_open(m, s)
                    : rule->family == MF_GOTO ? jump_is_open(m, s)
                                              : body_is_open(m, s);
        /* break and continue would belong to the new loop */
        if (rule->family == MF_LOOP && (s->flags & (CF_HAS_BREAK | CF_HAS_CONTINUE))) open = false;
        if (open) vec_push(out, (MutSite){ s, s->range });
    }
}

/* ---- conditions: holes are filled with variables in scope ---- */
static bool is_usable(const CDecl *d) {
    return ctype_is_integer(d->type) && !(d->type->quals & CQ_ATOMIC);
}

/* Integer variables that hold a value before s; of the wanted kind first. */
static const CDecl *pick_variable(const Mutator *m, const CStmt *s, CIntKind kind, Rng *rng) {
    CDeclVec seen = { 0 };
    cfront_visible(m->unit, s, CV_INITIALISED, &seen);
    size_t n = 0, same = 0;
    for (size_t i = 0; i < seen.len; i++) {
        if (!is_usable(seen.at[i])) continue;
        seen.at[n++] = seen.at[i];
        if (seen.at[n - 1]->type->int_kind != kind) continue;
        const CDecl *d = seen.at[n - 1]; /* those of the wanted kind come first */
        seen.at[n - 1] = seen.at[same];
        seen.at[same++] = d;
    }
    const CDecl *d = same ? seen.at[rng_below(rng, same)] : n ? seen.at[rng_below(rng, n)] : NULL;
    vec_release(&seen);
    return d;
}

static Str make_condition(const Mutator *m, const CStmt *s, Rng *rng, Arena *scratch) {
    const Condition *list;
    size_t n = ingredients_conditions(m->pool, &list);
    Buf out = { 0 };
    if (n == 0) {
        const CDecl *d = pick_variable(m, s, CI_INT, rng);
        if (!d) return str_from(arena_fmt(scratch, "%d", (int)rng_below(rng, 2)));
        return str_from(
            arena_fmt(scratch, STR_FMT " != %d", STR_ARG(d->name), (int)rng_below(rng, 3)));
    }
    const Condition *c = &list[rng_below(rng, n)];
    uint32_t hole = 0;
    const CDecl *last = NULL; /* avoid comparing a variable with itself, which is folded away */
    for (size_t i = 0; i < c->text.len; i++) {
        if (c->text.at[i] != '\1') {
            buf_char(&out, c->text.at[i]);
            continue;
        }
        const CDecl *d = pick_variable(m, s, c->holes[hole++], rng);
        if (d && d != last)
            buf_str(&out, d->name), last = d;
        else
            buf_fmt(&out, "%d", (int)rng_below(rng, 3));
    }
    Str text = arena_str(scratch, buf_view(&out));
    buf_release(&out);
    return text;
}

static bool insert_branch(const Mutator *m, const CStmt *s, Rng *rng, Arena *scratch,
                          CEdits *edits) {
    Str c = make_condition(m, s, rng, scratch);
    edit_wrap(edits, s->range, str_from(arena_fmt(scratch, "if (" STR_FMT ") { ", STR_ARG(c))),
              STR(" }"));
    return true;
}

/* A name the program does not use: culprit_n0, culprit_n1, .. */
static const char *new_name(const Mutator *m, Arena *scratch, const char *stem) {
    const char *name;
    unsigned k = 0;
    do name = arena_fmt(scratch, "culprit_%s%u", stem, k++);
    while (str_find(m->unit->text, str_from(name), 0) != STR_NONE);
    return name;
}

/* Iterates at most LOOP_ROUNDS times, by a counter of its own: the compiler sees a loop (with a
 * break at its end there would be none), and the program still ends. */
enum { LOOP_ROUNDS = 3 };
static bool insert_loop(const Mutator *m, const CStmt *s, Rng *rng, Arena *scratch, CEdits *edits) {
    Str c = make_condition(m, s, rng, scratch);
    const char *n = new_name(m, scratch, "n");
    edit_wrap(edits, s->range,
              str_from(arena_fmt(scratch, "{ int %s = 0; while ((" STR_FMT ") && %s++ < %d) { ", n,
                                 STR_ARG(c), n, 1 + (int)rng_below(rng, LOOP_ROUNDS))),
              STR(" } }"));
    return true;
}

/* ---- calls ---- */
static const char *literal_array(Arena *scratch, const IngredientParam *p, Rng *rng) {
    return arena_fmt(scratch, "(" STR_FMT "[16]){ %d, %d }", STR_ARG(p->spelling),
                     (int)rng_below(rng, 10), (int)rng_below(rng, 10));
}

/* A variable whose address (an array: the variable itself) is a pointer to the wanted type. */
static const char *pointer_argument(const Mutator *m, const CStmt *s, const IngredientParam *p,
                                    Rng *rng, Arena *scratch) {
    CDeclVec seen = { 0 };
    cfront_visible(m->unit, s, CV_INITIALISED | CV_MODIFIABLE, &seen);
    size_t n = 0;
    for (size_t i = 0; i < seen.len; i++) {
        const CType *t = seen.at[i]->type;
        bool array = t->kind == CT_ARRAY && t->count >= 8 && t->elem->int_kind == p->kind;
        bool wanted = array && t->elem->kind == CT_INT && p->kind != CI_NONE && !t->elem->quals;
        if (wanted && !(seen.at[i]->flags & CD_REGISTER)) seen.at[n++] = seen.at[i];
    }
    const char *text = n && rng_chance(rng, 0.7)
                           ? arena_fmt(scratch, STR_FMT, STR_ARG(seen.at[rng_below(rng, n)]->name))
                           : literal_array(scratch, p, rng);
    vec_release(&seen);
    return text;
}

static const char *argument(const Mutator *m, const CStmt *s, const IngredientParam *p, Rng *rng,
                            Arena *scratch) {
    if (p->pointer) return pointer_argument(m, s, p, rng, scratch);
    const CDecl *d = p->kind == CI_NONE ? NULL : pick_variable(m, s, p->kind, rng);
    if (d && rng_chance(rng, 0.8)) return arena_fmt(scratch, STR_FMT, STR_ARG(d->name));
    return arena_fmt(scratch, "%d", (int)rng_below(rng, 10));
}

static Str make_call(const Mutator *m, const CStmt *s, Str name, const IngredientParam *params,
                     uint32_t n, Rng *rng, Arena *scratch) {
    Buf call = { 0 };
    buf_str(&call, name);
    buf_char(&call, '(');
    for (uint32_t i = 0; i < n; i++) {
        if (i) buf_text(&call, ", ");
        buf_text(&call, argument(m, s, &params[i], rng, scratch));
    }
    buf_text(&call, "); ");
    Str text = arena_str(scratch, buf_view(&call));
    buf_release(&call);
    return text;
}

/* A function of the program itself that is defined before s and takes only integers. */
static bool insert_own_call(const Mutator *m, const CStmt *s, Rng *rng, Arena *scratch,
                            CEdits *edits) {
    VEC(const CFunction *) fit = { 0 };
    for (uint32_t i = 0; i < s->function->index; i++) {
        const CFunction *f = m->unit->functions[i];
        bool good = !(f->flags & (CFN_MAIN | CFN_ORACLE | CFN_VARIADIC | CFN_KR | CFN_MACRO));
        for (uint32_t k = 0; good && k < f->n_params; k++)
            good = ctype_is_integer(f->params[k]->type);
        if (good && cfront_lookup(m->unit, s, f->name) &&
            cfront_lookup(m->unit, s, f->name)->first == f->decl->first)
            vec_push(&fit, f);
    }
    const CFunction *f = fit.len ? fit.at[rng_below(rng, fit.len)] : NULL;
    vec_release(&fit);
    if (!f) return false;
    IngredientParam *params = ARENA_ARRAY(scratch, IngredientParam, f->n_params + 1);
    for (uint32_t k = 0; k < f->n_params; k++) params[k].kind = f->params[k]->type->int_kind;
    edit_before(edits, s, make_call(m, s, f->name, params, f->n_params, rng, scratch));
    return true;
}

static bool insert_call(const Mutator *m, const CStmt *s, Rng *rng, Arena *scratch, CEdits *edits) {
    const IngredientFunction *list;
    size_t n = ingredients_functions(m->pool, &list);
    if (n == 0) return insert_own_call(m, s, rng, scratch, edits);
    const IngredientFunction *f = &list[rng_below(rng, n)];
    edit_before(edits, s, make_call(m, s, f->name, f->params, f->n_params, rng, scratch));
    bool there = str_find(m->unit->text, f->name, 0) != STR_NONE;
    if (!there)
        edit_insert(edits, s->function->range.from,
                    str_from(arena_fmt(scratch, "\n" STR_FMT "\n", STR_ARG(f->text))));
    return true;
}

/* ---- jumps ---- */
/* No oracle may be jumped over, nor be reached again by a jump back. */
static bool jump_is_safe(const Mutator *m, const CStmt *from, const CStmt *to) {
    if (m->guard == PERTURB_GUARD_NONE) return true;
    const CStmt *first = from->range.from < to->range.from ? from : to,
                *last = first == from ? to : from;
    for (uint32_t i = first->index; i < last->index; i++) {
        const CStmt *s = m->unit->stmts[i];
        if ((s->flags & CF_ORACLE) && s->range.from < last->range.from) return false;
    }
    return true;
}

/* Forwards always, backwards a few times, by a counter: without one a jump back would never end. */
static bool insert_goto(const Mutator *m, const CStmt *from, Rng *rng, Arena *scratch,
                        CEdits *edits) {
    const MutSites *all = &m->sites[PERTURB_GOTO];
    VEC(const CStmt *) targets = { 0 };
    for (size_t i = 0; i < all->len; i++) {
        const CStmt *s = all->at[i].at;
        if (s->function == from->function && s != from && jump_is_safe(m, from, s))
            vec_push(&targets, s);
    }
    const CStmt *to = targets.len ? targets.at[rng_below(rng, targets.len)] : NULL;
    vec_release(&targets);
    if (!to) return false;
    const char *label = new_name(m, scratch, "l"), *n = new_name(m, scratch, "n");
    bool back = to->range.from < from->range.from;
    const char *jump = back ? arena_fmt(scratch, "{ static int %s; if (%s++ < %d) goto %s; } ", n,
                                        n, 1 + (int)rng_below(rng, LOOP_ROUNDS), label)
                            : arena_fmt(scratch, "goto %s; ", label);
    edit_before(edits, from, str_from(jump));
    edit_before(edits, to, str_from(arena_fmt(scratch, "%s: ; ", label)));
    return true;
}

bool perturb_struct_apply(const Mutator *m, const PerturbRule *rule, const MutSite *site, Rng *rng,
                          Arena *scratch, CEdits *edits) {
    const CStmt *s = site->at;
    switch (rule->family) {
    case MF_BRANCH: return insert_branch(m, s, rng, scratch, edits);
    case MF_LOOP: return insert_loop(m, s, rng, scratch, edits);
    case MF_CALL: return insert_call(m, s, rng, scratch, edits);
    default: return insert_goto(m, s, rng, scratch, edits);
    }
}

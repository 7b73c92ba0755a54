/* Structures and unions: a field goes with its place in every initialiser; one field takes the
 * place of the whole (`struct S { int a; } s; s.a` becomes `int s; s`); an array takes the place of
 * a structure whose fields have all the same type (`s.b` becomes `s[1]`). */
#include "cfront/lex.h"
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

/* ---- initialisers ---- */
/* Calls fn for every list that initialises an object of this record. */
static void each_list(const Model *m, const CRecord *r,
                      void (*fn)(Rewrite *w, const CExpr *list, uint32_t index), Rewrite *w,
                      uint32_t index) {
    for (uint32_t i = 0; i < m->unit->n_exprs; i++) {
        const CExpr *e = m->unit->exprs[i];
        if (e->kind == CE_LIST && e->type && e->type->kind == CT_RECORD && e->type->record == r)
            fn(w, e, index);
    }
}

static const CExpr *element_of(const CExpr *list, uint32_t index) {
    const CExpr *e = list->first;
    for (uint32_t i = 0; e && i < index; i++) e = e->next;
    return e;
}

static void drop_from_list(Rewrite *w, const CExpr *list, uint32_t index) {
    const CExpr *e = element_of(list, index);
    if (e) rewrite_drop_element(w, e->range, (CRange){ list->range.from + 1, list->range.to - 1 });
}

static void keep_of_list(Rewrite *w, const CExpr *list, uint32_t index) {
    const CExpr *e = element_of(list, index);
    if (e)
        rewrite_keep(w, list->range, e->range);
    else
        rewrite_put(w, list->range, STR("0"));
}

/* ---- one field less ---- */
static void drop_field(Rewrite *w, const CField *f) {
    if (f->group->n_fields == 1)
        rewrite_drop(w, f->group->range);
    else
        rewrite_drop_element(w, f->range, f->group->range);
}

static void add_without(const Model *m, Rewrite *w, const CRecord *r, const CField *f,
                        EditSets *out) {
    const ExprVec *refs = model_members(m, f);
    rewrite_clear(w);
    drop_field(w, f);
    /* Statements that use it go; where it is used in another way, there is nothing to propose. */
    for (size_t i = 0; i < refs->len; i++) {
        const CStmt *s = refs->at[i]->stmt;
        if (!s || s->kind != CS_EXPR) return;
        rewrite_drop(w, s->range);
    }
    each_list(m, r, drop_from_list, w, f->index);
    rewrite_add(w, out);
}

void find_members(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    out->together = true;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_records; i++) {
        const CRecord *r = m->unit->records[i];
        for (uint32_t k = 0; k < r->n_fields && !r->in_system; k++)
            if (r->fields[k].group) add_without(m, &w, r, &r->fields[k], out);
    }
    rewrite_release(&w);
}

/* ---- one field for the whole ---- */
/* Whether a specifier names this record: its definition, or its tag after the keyword. */
static bool names_record(const Model *m, const CSpec *s, const CRecord *r) {
    Str text = m->unit->text;
    if (s->kind != CSP_TAG) return false;
    if (r->range.to > r->range.from && crange_in(r->range, s->range)) return true;
    if (!r->tag.len) return false;
    CTok key = lex_next(text, s->range.from, s->range.to);
    CTok tag = lex_next(text, key.range.to, s->range.to);
    return lex_is(text, key, r->is_union ? "union" : "struct") &&
           str_eq(lex_text(text, tag), r->tag) && tag.range.to == s->range.to;
}

/* Every place that names the type names the field's instead; a definition alone goes. */
static void put_types(const Model *m, Rewrite *w, const CRecord *r, Str type) {
    for (uint32_t g = 0; g < m->unit->n_groups; g++) {
        const CDeclGroup *group = m->unit->groups[g];
        for (uint32_t i = 0; i < group->n_specs; i++) {
            if (!names_record(m, &group->specs[i], r)) continue;
            if (!group->n_decls && !group->n_fields && group->kind != CG_FUNCTION)
                rewrite_drop(w, group->range);
            else
                rewrite_put(w, group->specs[i].range, type);
        }
    }
}

static void put_uses(const Model *m, Rewrite *w, const CField *f) {
    const ExprVec *refs = model_members(m, f);
    for (size_t i = 0; i < refs->len; i++) {
        const CExpr *e = refs->at[i], *of = e->first;
        const CExpr *outer = model_outer(e, NULL);
        if (!e->arrow) {
            rewrite_keep(w, e->range, of->range);
            continue;
        }
        bool tight = outer && (outer->kind == CE_INDEX || outer->kind == CE_MEMBER);
        rewrite_put(w, (CRange){ e->range.from, e->range.from }, tight ? STR("(*") : STR("*"));
        rewrite_put(w, (CRange){ of->range.to, e->range.to }, tight ? STR(")") : STR(""));
    }
}

static bool plain_type(const CType *t) {
    return t && t->nameable &&
           (ctype_is_arithmetic(t) || t->kind == CT_RECORD || t->kind == CT_POINTER);
}

static void add_instead(const Model *m, Rewrite *w, const CRecord *r, const CField *f,
                        EditSets *out) {
    if (!plain_type(f->type) || (f->type->kind == CT_RECORD && f->type->record == r)) return;
    Buf type = { 0 };
    cfront_declare(&type, f->type, STR(""));
    rewrite_clear(w);
    put_types(m, w, r, arena_str(w->arena, str_trim(buf_view(&type))));
    put_uses(m, w, f);
    each_list(m, r, keep_of_list, w, f->index);
    rewrite_add(w, out);
    buf_release(&type);
}

void find_records(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_records; i++) {
        const CRecord *r = m->unit->records[i];
        for (uint32_t k = 0; k < r->n_fields && !r->in_system; k++)
            add_instead(m, &w, r, &r->fields[k], out);
    }
    rewrite_release(&w);
}

/* ---- an array for the whole ---- */
static bool mentions_record(const CType *type, const CRecord *r) {
    while (type && type->kind != CT_RECORD) type = type->elem;
    return type && type->record == r;
}

/* Fields of one scalar type, and nothing but variables of the record itself: no pointers to it, no
 * arrays, no other name. */
static bool could_be_array(const Model *m, const CRecord *r) {
    bool same = r->n_fields > 1 && !r->is_union && !r->in_system;
    for (uint32_t k = 0; k < r->n_fields && same; k++) {
        const CType *type = r->fields[k].type;
        same = type == r->fields[0].type && type && type->kind != CT_RECORD && plain_type(type);
    }
    for (uint32_t i = 0; i < m->unit->n_decls && same; i++) {
        const CDecl *d = m->unit->decls[i];
        if (mentions_record(d->type, r)) same = d->kind == CD_VAR && d->type->kind == CT_RECORD;
    }
    return same;
}

static void add_array(const Model *m, Rewrite *w, const CRecord *r, EditSets *out) {
    Buf type = { 0 };
    cfront_declare(&type, r->fields[0].type, STR(""));
    rewrite_clear(w);
    put_types(m, w, r, arena_str(w->arena, str_trim(buf_view(&type))));
    for (uint32_t i = 0; i < m->unit->n_decls; i++) {
        const CDecl *d = m->unit->decls[i];
        CRange after = { d->name_range.to, d->name_range.to };
        if (mentions_record(d->type, r))
            rewrite_put(w, after, str_from(arena_fmt(w->arena, "[%u]", r->n_fields)));
    }
    for (uint32_t k = 0; k < r->n_fields; k++) {
        const ExprVec *refs = model_members(m, &r->fields[k]);
        Str place = str_from(arena_fmt(w->arena, "[%u]", k));
        for (size_t i = 0; i < refs->len; i++)
            rewrite_put(w, (CRange){ refs->at[i]->first->range.to, refs->at[i]->range.to }, place);
    }
    rewrite_add(w, out);
    buf_release(&type);
}

void find_vectors(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_records; i++)
        if (could_be_array(m, m->unit->records[i])) add_array(m, &w, m->unit->records[i], out);
    rewrite_release(&w);
}

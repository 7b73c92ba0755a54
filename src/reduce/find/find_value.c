/* The values a program has. An expression that has one value whenever it is evaluated gives way to
 * that value, a call with all that only it needs; a variable of which only one value is ever read
 * goes, its assignments too. One that has several gives way to its first: most programs that fail
 * do so the first time they get to the place, however often a loop brings them there.
 *
 * The program is built with a call around every such expression that passes the value on and
 * remembers the first and whether it was always the same, and run once (bulk/observe.h). What
 * failed may depend on the expression itself, or the failing run may have another value there: the
 * test decides. All are tried at once, then in parts, then each; what is inside of others comes
 * after them. */
#include "reduce/bulk/observe.h"
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

enum { MOST_WATCHED = 4096, RECORD_BYTES = 19 }; /* a state, 0x and sixteen digits */

typedef enum WatchState { WATCH_UNSEEN, WATCH_SAME, WATCH_VARIES } WatchState;

/* An expression whose value is recorded. */
typedef struct Watch {
    const CExpr *e;
    WatchState state;
    uint64_t bits; /* of its first value: a long long, or a double */
} Watch;

typedef struct Values {
    const Model *model;
    VEC(Watch) watches; /* in the order of the text, outer before inner */
    Map of;             /* expression -> its number + 1 */
} Values;

/* ---- what is watched ---- */
static bool has_literal(const CType *type) {
    if (type->kind == CT_FLOAT) return type->width == 32 || type->width == 64;
    return ctype_is_integer(type);
}

/* Its value is used by nothing: a statement, or the left of a comma. */
static bool is_unused(const CExpr *e) {
    const CExpr *inner, *outer = model_outer(e, &inner);
    if (outer) return outer->kind == CE_BINARY && outer->op == CO_COMMA && outer->first == inner;
    return e->stmt && e->stmt->kind == CS_EXPR && !e->in_decl;
}

static bool is_watched(const CExpr *e) {
    enum {
        NEVER = CF_MACRO | CF_HAS_MACRO | CF_UNEVALUATED | CF_NEEDS_CONSTANT | CF_CONSTANT |
                CF_WRITE | CF_ADDRESS
    };
    bool literal = e->kind == CE_INT || e->kind == CE_CHAR || e->kind == CE_FLOAT;
    bool stays = e->kind == CE_ASSIGN || e->kind == CE_LIST || e->kind == CE_DESIGNATED ||
                 e->kind == CE_OTHER || e->kind == CE_BLOCK;
    if (literal || stays || (e->flags & NEVER) || !has_literal(e->type)) return false;
    if ((e->flags & CF_LVALUE) && !(e->flags & CF_READ)) return false;
    return e->function && e->stmt && e->stmt->kind != CS_ASM && !is_unused(e);
}

static void watch_all(Values *v) {
    const CUnit *unit = v->model->unit;
    for (uint32_t i = 0; i < unit->n_exprs && v->watches.len < MOST_WATCHED; i++) {
        const CExpr *e = unit->exprs[i];
        if (!is_watched(e)) continue;
        uint64_t key = e->index;
        vec_push(&v->watches, ((Watch){ .e = e }));
        *map_at(&v->of, map_key_u64(&key)) = v->watches.len;
    }
}

static const Watch *watch_of(const Values *v, const CExpr *e) {
    uint64_t key = e->index, number = 0;
    map_get(&v->of, map_key_u64(&key), &number);
    return number ? &v->watches.at[number - 1] : NULL;
}

/* ---- the run ---- */
/* One end of a watched expression. */
typedef struct ValueMark {
    uint32_t at, watch;
    bool closes;
} ValueMark;

static int by_place(const void *a, const void *b) {
    const ValueMark *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->closes != y->closes) return x->closes ? -1 : 1;
    int order = (x->watch > y->watch) - (x->watch < y->watch);
    return x->closes ? -order : order; /* outer ones open first and close last */
}

static void write_prelude(Buf *out, size_t n) {
    buf_fmt(
        out,
        "static struct { unsigned long long v; unsigned char state; } culprit_values[%zu];\n"
        "extern long write(int, const void *, unsigned long);\n"
        "static void culprit_saw(unsigned k, unsigned long long v) {\n"
        "  if (!culprit_values[k].state) culprit_values[k].v = v, culprit_values[k].state = 1;\n"
        "  else if (culprit_values[k].v != v) culprit_values[k].state = 2;\n"
        "}\n"
        "static long long culprit_int(unsigned k, long long v) {\n"
        "  culprit_saw(k, v); return v;\n"
        "}\n"
        "static double culprit_real(unsigned k, double v) {\n"
        "  unsigned long long bits; __builtin_memcpy(&bits, &v, sizeof bits);\n"
        "  culprit_saw(k, bits); return v;\n"
        "}\n"
        "__attribute__((destructor)) static void culprit_tell(void) {\n"
        "  static char out[sizeof culprit_values / sizeof *culprit_values][%d];\n"
        "  for (unsigned k = 0; k < sizeof out / sizeof *out; k++) {\n"
        "    out[k][0] = '0' + culprit_values[k].state, out[k][1] = '0', out[k][2] = 'x';\n"
        "    for (int i = 0; i < 16; i++)\n"
        "      out[k][18 - i] = \"0123456789abcdef\"[culprit_values[k].v >> 4 * i & 15];\n"
        "  }\n"
        "  write(2, \"" OBSERVE_SIGN "\", sizeof \"" OBSERVE_SIGN "\" - 1);\n"
        "  write(2, out, sizeof out);\n"
        "}\n",
        n, RECORD_BYTES);
}

static void write_open(Buf *out, uint32_t k, const CType *type) {
    if (type->kind == CT_FLOAT)
        buf_fmt(out, "((%s)culprit_real(%u, (", type->width == 32 ? "float" : "double", k);
    else
        buf_fmt(out, "((%s)culprit_int(%u, (long long)(", cint_name(type->int_kind), k);
}

static void write_watched(const Values *v, Buf *out) {
    Str text = v->model->unit->text;
    VEC(ValueMark) marks = { 0 };
    for (uint32_t i = 0; i < v->watches.len; i++) {
        CRange range = v->watches.at[i].e->range;
        vec_push(&marks, ((ValueMark){ range.from, i, false }));
        vec_push(&marks, ((ValueMark){ range.to, i, true }));
    }
    qsort(marks.at, marks.len, sizeof *marks.at, by_place);
    write_prelude(out, v->watches.len);
    uint32_t at = 0;
    for (size_t i = 0; i < marks.len; i++) {
        const ValueMark *m = &marks.at[i];
        buf_str(out, str_sub(text, at, m->at));
        at = m->at;
        if (m->closes)
            buf_fmt(out, ")))");
        else
            write_open(out, m->watch, v->watches.at[m->watch].e->type);
    }
    buf_str(out, str_sub(text, at, text.len));
    vec_release(&marks);
}

static void read_values(Values *v, Str saw) {
    for (size_t i = 0; i < v->watches.len; i++) {
        Watch *w = &v->watches.at[i];
        Str record = str_sub(saw, i * RECORD_BYTES, (i + 1) * RECORD_BYTES);
        bool known = str_to_u64(str_sub(record, 1, RECORD_BYTES), &w->bits);
        if (known && record.at[0] != '0')
            w->state = record.at[0] == '1' ? WATCH_SAME : WATCH_VARIES;
    }
}

/* False: nothing is known of this program's values. */
static bool values_init(Values *v, const Target *t) {
    *v = (Values){ .model = model_of(t) };
    const Property *property = t->r->side[t->side].property;
    if (!v->model || !v->model->unit->main || (property && !property_runs(property))) return false;
    watch_all(v);
    Arena arena = { 0 };
    Buf text = { 0 };
    Str saw = { 0 };
    if (v->watches.len) write_watched(v, &text);
    Observation o = observation_of(t->r, t->side);
    o.text = buf_view(&text);
    bool ok =
        v->watches.len && observe(&arena, &o, &saw) && saw.len >= v->watches.len * RECORD_BYTES;
    if (ok) read_values(v, saw);
    buf_release(&text);
    arena_release(&arena);
    return ok;
}

static void values_release(Values *v) {
    vec_release(&v->watches);
    map_release(&v->of);
}

/* ---- a value as text ---- */
static const char *suffix_of(CIntKind kind) {
    switch (kind) {
    case CI_UINT: return "U";
    case CI_LONG: return "L";
    case CI_ULONG: return "UL";
    case CI_LLONG: return "LL";
    case CI_ULLONG: return "ULL";
    default: return ""; /* what is narrower is promoted to int */
    }
}

static const char *integer_text(Arena *arena, const CType *type, uint64_t bits) {
    const char *suffix = suffix_of(type->int_kind);
    int64_t value = (int64_t)bits;
    if (!type->is_signed) return arena_fmt(arena, "%llu%s", (unsigned long long)bits, suffix);
    bool least = value == INT64_MIN || (value == INT32_MIN && !*suffix);
    if (least) return arena_fmt(arena, "(%lld%s-1)", (long long)value + 1, suffix);
    return arena_fmt(arena, "%lld%s", (long long)value, suffix);
}

/* NULL: an infinity or no number. */
static const char *real_text(Arena *arena, const CType *type, uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    if (value != value || value - value != 0) return NULL;
    const char *digits = arena_fmt(arena, "%.17g", value);
    return arena_fmt(arena, "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0",
                     type->width == 32 ? "f" : "");
}

/* NULL: it has none. */
static const char *literal_of(Arena *arena, const Watch *w) {
    const CType *type = w->e->type;
    if (w->state == WATCH_UNSEEN) return NULL;
    return type->kind == CT_FLOAT ? real_text(arena, type, w->bits)
                                  : integer_text(arena, type, w->bits);
}

/* Where a value stands by itself a sign needs no brackets. */
static bool stands_alone(const CExpr *e) {
    const CExpr *inner, *outer = model_outer(e, &inner);
    return !outer || outer->kind == CE_ASSIGN || outer->kind == CE_LIST ||
           (outer->kind == CE_CALL && outer->first != inner);
}

static bool put_literal(Rewrite *w, const Watch *watch) {
    const char *text = literal_of(w->arena, watch);
    if (!text) return false;
    bool bare = text[0] != '-' || stands_alone(watch->e);
    rewrite_put(w, watch->e->range, str_from(bare ? text : arena_fmt(w->arena, "(%s)", text)));
    return true;
}

/* ---- expressions ---- */
/* Which expressions give way to a value. */
typedef enum Giving {
    GIVES_OUTER, /* those with one value, in none that has one itself */
    GIVES_INNER, /* those in another with one */
    GIVES_FIRST  /* those with several, in none that gives way */
} Giving;

static bool is_loop(const CStmt *s) {
    return s->kind == CS_WHILE || s->kind == CS_DO || s->kind == CS_FOR;
}

/* Whether a loop ends by the value of this variable. */
static bool ends_loops(const Values *v, const CDecl *d) {
    const CUnit *unit = v->model->unit;
    for (uint32_t i = 0; i < unit->n_stmts; i++) {
        const CStmt *s = unit->stmts[i];
        if (is_loop(s) && s->expr && model_mentions(s->expr, d)) return true;
    }
    return false;
}

/* Whether it says what runs next, or what is stored where a loop ends by it: with its first value
 * always, that loop might not end. */
static bool decides(const Values *v, const CExpr *e) {
    if (e->stmt->kind == CS_IF || e->stmt->kind == CS_SWITCH || is_loop(e->stmt)) return true;
    for (const CExpr *outer = e->parent; outer; outer = outer->parent) {
        const CExpr *to = outer->kind == CE_ASSIGN ? outer->first : NULL;
        if (to && to->kind == CE_REF && ends_loops(v, to->decl)) return true;
    }
    return false;
}

/* Names are as short as their values, and are left to other finders. */
static bool gives_first(const Values *v, const Watch *w) {
    return w->state == WATCH_VARIES && w->e->kind != CE_REF && !decides(v, w->e);
}

/* In one with one value; or, `first`, in one that gives way to its first. */
static bool is_within(const Values *v, const CExpr *e, bool first) {
    for (e = e->parent; e; e = e->parent) {
        const Watch *w = watch_of(v, e);
        if (w && (w->state == WATCH_SAME || (first && gives_first(v, w)))) return true;
    }
    return false;
}

static bool gives(const Values *v, const Watch *w, Giving how) {
    if (how == GIVES_FIRST) return gives_first(v, w) && !is_within(v, w->e, true);
    return w->state == WATCH_SAME && is_within(v, w->e, false) == (how == GIVES_INNER);
}

static void find_expressions(const Target *t, Giving how, EditSets *out) {
    Values v;
    Rewrite w;
    out->together = how != GIVES_INNER;
    rewrite_init(&w, t, &out->arena);
    bool known = values_init(&v, t);
    for (size_t i = 0; known && i < v.watches.len; i++) {
        const Watch *watch = &v.watches.at[i];
        if (!gives(&v, watch, how)) continue;
        rewrite_clear(&w);
        if (put_literal(&w, watch)) rewrite_add(&w, out);
    }
    rewrite_release(&w);
    values_release(&v);
}

void find_values(const Target *t, const Shapes *shapes, EditSets *out) {
    (void)shapes;
    find_expressions(t, GIVES_OUTER, out);
}

void find_inner_values(const Target *t, const Shapes *shapes, EditSets *out) {
    (void)shapes;
    find_expressions(t, GIVES_INNER, out);
}

void find_firsts(const Target *t, const Shapes *shapes, EditSets *out) {
    (void)shapes;
    find_expressions(t, GIVES_FIRST, out);
}

void find_values_coarse(const Target *t, const Shapes *shapes, EditSets *out) {
    find_values(t, shapes, out);
    out->coarse = true;
}

void find_firsts_coarse(const Target *t, const Shapes *shapes, EditSets *out) {
    find_firsts(t, shapes, out);
    out->coarse = true;
}

/* ---- variables ---- */
/* The variable is written: `x = E;`, `x += E;` or `x++;` gives way to `E;` or nothing. False: it is
 * part of something larger. */
static bool drop_write(Rewrite *w, const CExpr *use) {
    const CExpr *inner, *outer = model_outer(use, &inner);
    if (!outer || outer->first != inner || outer->parent || !outer->stmt) return false;
    bool steps = outer->kind == CE_UNARY && outer->op >= CO_POST_INC && outer->op <= CO_PRE_DEC;
    if ((outer->kind != CE_ASSIGN && !steps) || outer->stmt->kind != CS_EXPR) return false;
    const CExpr *value = steps ? NULL : cexpr_operand(outer, 1);
    if (value && !model_pure(value))
        rewrite_keep(w, outer->range, value->range);
    else
        rewrite_put(w, outer->stmt->range, STR(";"));
    return true;
}

/* A use becomes the value that all of them have, or is no longer written. */
static bool settle_use(const Values *v, Rewrite *w, const CExpr *use, const Watch **first) {
    if (use->flags & CF_WRITE) return drop_write(w, use);
    const Watch *watch = watch_of(v, use);
    if (!watch || watch->state == WATCH_VARIES) return false;
    if (watch->state == WATCH_UNSEEN) {
        rewrite_put(w, use->range, STR("0"));
        return true;
    }
    if (!*first) *first = watch;
    return watch->bits == (*first)->bits && put_literal(w, watch);
}

static void add_variable(const Values *v, Rewrite *w, const CDecl *d, EditSets *out) {
    const ExprVec *refs = model_refs(v->model, d);
    const DeclVec *all = model_decls(v->model, d);
    const Watch *first = NULL;
    rewrite_clear(w);
    for (size_t i = 0; i < all->len; i++) {
        const CDecl *each = all->at[i];
        if (!each->group || (each->init && !model_pure(each->init))) return;
        if (each->group->n_decls == 1)
            rewrite_drop(w, each->group->range);
        else
            rewrite_drop_element(w, each->range, each->group->range);
    }
    for (size_t i = 0; i < refs->len; i++)
        if (!settle_use(v, w, refs->at[i], &first)) return;
    if (first) rewrite_add(w, out);
}

void find_variables(const Target *t, const Shapes *shapes, EditSets *out) {
    Values v;
    Rewrite w;
    (void)shapes;
    out->together = true;
    rewrite_init(&w, t, &out->arena);
    bool known = values_init(&v, t);
    for (uint32_t i = 0; known && i < v.model->unit->n_decls; i++) {
        const CDecl *d = v.model->unit->decls[i];
        bool plain = d->kind == CD_VAR && has_literal(d->type) && !(d->flags & CD_ADDRESS);
        if (plain && model_own(d)) add_variable(&v, &w, d, out);
    }
    rewrite_release(&w);
    values_release(&v);
}

/* ---- checks ---- */
/* A check of a sum over all that ran, `if (sum != 1100893448) trap();`, holds all of it: without
 * any part the sum is another. It moves to where the first value is wrong that leads to it: for an
 * expression with one value, E, its statement becomes `if (E != V) trap();`, and what comes after
 * it in its block goes, but for a return. Where E is right in the failing run nothing fails then,
 * so that the test finds the place. What stands before the check comes first, the nearest first: if
 * nothing there is wrong, neither is what the check sees. */
enum { MOST_PLACES = 32 };

static bool is_check(const CStmt *s) {
    const CExpr *e = s->kind == CS_IF && !s->other && s->body ? s->expr : NULL;
    const CExpr *right = e && e->kind == CE_BINARY && e->op == CO_NE ? cexpr_operand(e, 1) : NULL;
    return right && (right->flags & CF_CONSTANT) && !(s->flags & CF_MACRO);
}

static bool is_below(const CStmt *s, const CStmt *outer) {
    for (; s; s = s->parent)
        if (s == outer) return true;
    return false;
}

/* Nothing but what comes out of the last statement of its block is lost with the rest. */
static void drop_rest(Rewrite *w, const CStmt *s) {
    bool in_block = s->parent && s->parent->kind == CS_BLOCK;
    for (const CStmt *rest = in_block ? s->next : NULL; rest; rest = rest->next)
        if (rest->kind != CS_RETURN) rewrite_drop(w, rest->range);
}

static bool add_hoist(Rewrite *w, const CStmt *check, const Watch *watch, EditSets *out) {
    const CStmt *s = watch->e->stmt;
    const char *value = literal_of(w->arena, watch);
    if (watch->state != WATCH_SAME || !value || s->kind != CS_EXPR || is_below(s, check))
        return false;
    rewrite_clear(w);
    rewrite_put(w, check->range, STR(";"));
    drop_rest(w, s);
    rewrite_at(w, s->range);
    rewrite_text(w, STR("if ("));
    rewrite_source(w, watch->e->range);
    rewrite_text(w, str_from(arena_fmt(w->arena, " != %s) ", value)));
    rewrite_source(w, check->body->range);
    rewrite_add(w, out);
    return true;
}

/* The places before the check, the last of them first. */
static void add_hoists(const Values *v, Rewrite *w, const CStmt *check, EditSets *out) {
    size_t places = 0, i = v->watches.len;
    while (i-- > 0 && places < MOST_PLACES)
        if (v->watches.at[i].e->range.from < check->range.from)
            places += add_hoist(w, check, &v->watches.at[i], out);
}

void find_hoists(const Target *t, const Shapes *shapes, EditSets *out) {
    Values v;
    Rewrite w;
    (void)shapes;
    const Model *model = model_of(t);
    const CStmt *last = NULL;
    for (uint32_t i = 0; model && i < model->unit->n_stmts; i++)
        if (is_check(model->unit->stmts[i])) last = model->unit->stmts[i];
    if (!last) return;
    out->ordered = true;
    rewrite_init(&w, t, &out->arena);
    if (values_init(&v, t)) add_hoists(&v, &w, last, out);
    rewrite_release(&w);
    values_release(&v);
}

/* Differential tracing of expressions; see locate.h.
 *
 * Every integer expression in the ranges can be wrapped in a call that notes its value and passes
 * it on. The reference compiler and the compiler at fault get the program with all of them wrapped:
 * two traces. Of all expressions whose values differ, the one that differs first in the reference's
 * order is where things go wrong: all others are its consequences. (Values are compared expression
 * by expression, because operands may be evaluated in any order.) Where the wrapping hides the
 * fault, the compiler gets one wrapped expression at a time, so that everything around it is
 * compiled as it was. */
#include "hunt/locate.h"

#include "base/quantity.h"
#include "cfront/cfront.h"
#include "cfront/edit.h"
#include "variant/point.h"
#include "variant/variant_knobs.h"

typedef struct Event {
    uint32_t id;
    int64_t value;
} Event;
typedef VEC(Event) Trace;

typedef struct Locate {
    Arena *arena;
    const LocateInput *in;
    const CUnit *unit;
    VEC(const CExpr *) list; /* candidates, by id */
} Locate;

static const char head[] = "long long culprit_note(int, long long);\n";
static const char tail[] =
    "\nint dprintf(int, const char *, ...);\n"
    "long long culprit_note(int id, long long value) {\n"
    "  static int n; if (n++ < 20000) dprintf(2, \"%d %lld\\n\", id, value); return value;\n}\n";

/* ---- candidates ---- */

static bool in_ranges(const Locate *l, CRange r) {
    for (size_t i = 0; i < l->in->ranges; i++)
        if (l->in->begin[i] <= r.from && r.to <= l->in->end[i]) return true;
    return false;
}

/* The type the value has where it is used; false when it cannot be wrapped. */
static bool value_type(const CExpr *e, IType *type) {
    if (e->flags & (CF_MACRO | CF_WRITE | CF_ADDRESS | CF_UNEVALUATED | CF_NEEDS_CONSTANT))
        return false;
    if ((e->flags & CF_CONSTANT) || ((e->flags & CF_LVALUE) && !(e->flags & CF_READ))) return false;
    if (e->kind == CE_PAREN || e->kind == CE_ASSIGN || e->kind == CE_LIST || e->kind == CE_STRING ||
        e->kind == CE_LITERAL || e->kind == CE_DESIGNATED || e->kind == CE_INT)
        return false;
    if (!e->function || (e->type->quals & (CQ_VOLATILE | CQ_ATOMIC))) return false;
    int bits = cexpr_bits(e);
    if (!point_integer(e->type, bits, type) || !itype_agreed(*type)) return false;
    if (type->width) *type = itype_promote(*type);
    return true;
}

static void find_candidates(Locate *l) {
    IType type;
    for (uint32_t i = 0; i < l->unit->n_exprs && l->list.len < HUNT_LOCATE_MOST; i++)
        if (in_ranges(l, l->unit->exprs[i]->range) && value_type(l->unit->exprs[i], &type))
            vec_push(&l->list, l->unit->exprs[i]);
}

/* ---- tracing ---- */

static void wrap(Locate *l, CEdits *edits, uint32_t id) {
    const CExpr *e = l->list.at[id];
    IType type;
    value_type(e, &type);
    edit_wrap(
        edits, e->range,
        str_from(arena_fmt(l->arena, "((%s)culprit_note(%u, (long long)(", itype_name(type), id)),
        STR(")))"));
}

static void read_trace(Str text, Trace *out) {
    Str line;
    while (str_split(&text, '\n', &line)) {
        unsigned id;
        long long value;
        char copy[64];
        size_t n = line.len < sizeof copy - 1 ? line.len : sizeof copy - 1;
        memcpy(copy, line.at, n);
        copy[n] = 0;
        if (sscanf(copy, "%u %lld", &id, &value) == 2) vec_push(out, (Event){ id, value });
    }
}

/* Runs the program with some expressions wrapped; false when it cannot be compiled. */
static bool trace(Locate *l, const Compiler *cc, const char *const *flags, CEdits *edits,
                  Trace *out) {
    Buf body = { 0 }, text = { 0 };
    Error err;
    bool ok = edits_apply(edits, l->unit->text, &body, &err);
    buf_fmt(&text, "%s" STR_FMT "%s", head, STR_ARG(buf_view(&body)), tail);
    if (ok) {
        CcJob job;
        HuntProgram subject = *l->in->subject;
        subject.text = buf_view(&text);
        trial_job(&job, l->in->setup, &subject, l->in->cell, cc);
        job.flags = flags;
        pool_submit(l->in->pool, &job.job);
        pool_next(l->in->pool);
        ok = !job.job.cancelled &&
             (job.verdict.kind == VERDICT_OK || job.verdict.kind == VERDICT_WRONG);
        if (ok) read_trace(job.ran.err, out);
        cc_job_end(&job);
    }
    buf_release(&body);
    buf_release(&text);
    return ok;
}

/* Where the expression first has another value, as a place in the reference's trace; SIZE_MAX:
 * never. */
static size_t first_difference(const Trace *reference, const Trace *own, uint32_t id) {
    size_t k = 0;
    for (size_t i = 0; i < reference->len; i++) {
        if (reference->at[i].id != id) continue;
        while (k < own->len && own->at[k].id != id) k++;
        if (k == own->len || own->at[k].value != reference->at[i].value) return i;
        k++;
    }
    return SIZE_MAX;
}

/* All at once. */
static const CExpr *find_together(Locate *l, CEdits *all, const Trace *reference) {
    size_t best = SIZE_MAX;
    const CExpr *guilty = NULL;
    Trace own = { 0 };
    if (trace(l, l->in->cc, l->in->cell->flags, all, &own))
        for (uint32_t id = 0; id < l->list.len; id++) {
            size_t at = first_difference(reference, &own, id);
            if (at < best) best = at, guilty = l->list.at[id];
        }
    vec_release(&own);
    return guilty;
}

static const CExpr *find_alone(Locate *l, const Trace *reference) {
    size_t best = SIZE_MAX;
    const CExpr *guilty = NULL;
    double until = clock_now() + CAMPAIGN_BLAME_S;
    for (uint32_t id = 0; id < l->list.len && clock_now() < until && !run_interrupted(); id++) {
        CEdits edits = { 0 };
        Trace own = { 0 };
        wrap(l, &edits, id);
        if (trace(l, l->in->cc, l->in->cell->flags, &edits, &own)) {
            size_t at = first_difference(reference, &own, id);
            if (at < best) best = at, guilty = l->list.at[id];
        }
        vec_release(&own);
        edits_release(&edits);
    }
    return guilty;
}

/* ---- shapes ---- */

static const char *operand(Arena *arena, const CExpr *e) {
    IType type;
    while (e->kind == CE_PAREN && e->first) e = e->first;
    if (e->flags & CF_CONSTANT) return "constant";
    if (!point_integer(e->type, cexpr_bits(e), &type)) return "object";
    return arena_fmt(arena, "%s%s", itype_name(ITYPE(type.kind)), type.width ? " bit-field" : "");
}

static Str shape(const Locate *l, const CExpr *e) {
    Arena *arena = l->arena;
    const char *op = arena_cstr(arena, cfront_text(l->unit, e->op_range));
    const CExpr *a = e->first, *b = a ? a->next : NULL;
    const char *text = "expression";
    switch (e->kind) {
    case CE_REF:
    case CE_MEMBER:
    case CE_INDEX: text = arena_fmt(arena, "load of %s", operand(arena, e)); break;
    case CE_CALL: text = arena_fmt(arena, "call that returns %s", operand(arena, e)); break;
    case CE_CAST: text = arena_fmt(arena, "(%s) %s", operand(arena, e), operand(arena, a)); break;
    case CE_UNARY: text = arena_fmt(arena, "%s %s", op, operand(arena, a)); break;
    case CE_COND: text = "? :"; break;
    case CE_BINARY:
        text = arena_fmt(arena, "%s %s %s", operand(arena, a), op, operand(arena, b));
        break;
    default: break;
    }
    return str_from(text);
}

Str locate_expression(Arena *arena, const LocateInput *in) {
    Locate l = { .arena = arena, .in = in };
    Arena scratch = { 0 };
    Error err;
    CfrontOptions opts = { .name = "case", .args = cc_tolerant(CC_CLANG) };
    l.unit =
        in->setup->clean.have_gcc ? cfront_parse(&scratch, in->subject->text, &opts, &err) : NULL;
    Str answer = STR("");
    if (l.unit) {
        static const char *const plain[] = { "-O0", "-w", NULL };
        CEdits all = { 0 };
        Trace reference = { 0 };
        find_candidates(&l);
        for (uint32_t id = 0; id < l.list.len; id++) wrap(&l, &all, id);
        if (trace(&l, &in->setup->clean.gcc, plain, &all, &reference)) {
            const CExpr *guilty = find_together(&l, &all, &reference);
            if (!guilty && l.list.len <= HUNT_LOCATE_ALONE) guilty = find_alone(&l, &reference);
            if (guilty) answer = shape(&l, guilty);
        }
        vec_release(&reference);
        edits_release(&all);
    }
    vec_release(&l.list);
    arena_release(&scratch);
    return answer;
}

/* The model as text, one line per node: for people and golden tests. */
#include "cfront/cfront.h"

typedef struct FlagName {
    uint32_t flag;
    const char *name;
} FlagName;

static const FlagName stmt_flags[] = {
    { CF_MACRO, "macro" },
    { CF_ORACLE, "oracle" },
    { CF_ORACLE_OUTER, "outer" },
    { CF_HAS_LABEL, "has-label" },
    { CF_HAS_CASE, "has-case" },
    { CF_HAS_GOTO, "has-goto" },
    { CF_HAS_BREAK, "has-break" },
    { CF_HAS_CONTINUE, "has-continue" },
    { CF_HAS_RETURN, "has-return" },
    { CF_HAS_VLA, "vla" },
    { CF_UNREACHABLE, "unreachable" },
};
static const FlagName expr_flags[] = {
    { CF_MACRO, "macro" },
    { CF_ORACLE, "oracle" },
    { CF_LVALUE, "lvalue" },
    { CF_READ, "read" },
    { CF_WRITE, "write" },
    { CF_ADDRESS, "address" },
    { CF_UNEVALUATED, "unevaluated" },
    { CF_NEEDS_CONSTANT, "needs-constant" },
};

static void add_flags(Buf *out, uint32_t flags, const FlagName *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (flags & names[i].flag) buf_fmt(out, " %s", names[i].name);
}

static void indent(Buf *out, unsigned depth) {
    for (unsigned i = 0; i < depth && i < 60; i++) buf_text(out, "  ");
}

/* The text of a range in one line, shortened. */
static void add_text(Buf *out, const CUnit *unit, CRange r) {
    Str s = cfront_text(unit, r);
    enum { MOST = 40 };
    buf_char(out, '`');
    for (size_t i = 0; i < s.len && i < MOST; i++)
        buf_char(out, s.at[i] == '\n' || s.at[i] == '\t' ? ' ' : s.at[i]);
    buf_text(out, s.len > MOST ? "..`" : "`");
}

static void dump_expr(const CUnit *unit, const CExpr *e, unsigned depth, Buf *out) {
    indent(out, depth);
    buf_fmt(out, "%s %u-%u", cexpr_kind_name(e->kind), e->range.from, e->range.to);
    if (e->op) buf_fmt(out, " '%s'@%u", cop_text(e->op), e->op_range.from);
    if (e->kind == CE_REF && e->decl) buf_fmt(out, " " STR_FMT, STR_ARG(e->decl->name));
    if (e->field) buf_fmt(out, " %s" STR_FMT, e->arrow ? "->" : ".", STR_ARG(e->field->name));
    if (e->flags & CF_CONSTANT) buf_fmt(out, " =%lld", (long long)e->value);
    buf_fmt(out, " [" STR_FMT, STR_ARG(e->type->spelling));
    if (e->converted != e->type) buf_fmt(out, " => " STR_FMT, STR_ARG(e->converted->spelling));
    buf_char(out, ']');
    add_flags(out, e->flags, expr_flags, COUNT_OF(expr_flags));
    buf_char(out, '\n');
    for (const CExpr *x = e->first; x; x = x->next) dump_expr(unit, x, depth + 1, out);
}

static void dump_decl(const CUnit *unit, const CDecl *d, unsigned depth, Buf *out) {
    static const char *const kinds[] = { "var", "param", "function", "typedef", "enumerator" };
    indent(out, depth);
    buf_fmt(out, "%s " STR_FMT " [" STR_FMT "] ", kinds[d->kind], STR_ARG(d->name),
            STR_ARG(d->type->spelling));
    add_text(out, unit, d->range);
    if (d->flags & CD_STATIC) buf_text(out, " static");
    if (d->flags & CD_EXTERN) buf_text(out, " extern");
    if (d->flags & CD_WRITTEN) buf_text(out, " written");
    if (d->flags & CD_ADDRESS) buf_text(out, " address");
    buf_fmt(out, " uses %u\n", d->uses);
    if (d->init) dump_expr(unit, d->init, depth + 1, out);
}

static void dump_certain(const CUnit *unit, const CStmt *s, Buf *out) {
    CDeclVec seen = { 0 };
    cfront_visible(unit, s, CV_LOCALS, &seen);
    if (seen.len) buf_text(out, " {");
    for (size_t i = 0; i < seen.len; i++)
        buf_fmt(out, "%s%s" STR_FMT, i ? " " : "", cfront_initialised(s, seen.at[i]) ? "" : "?",
                STR_ARG(seen.at[i]->name));
    if (seen.len) buf_char(out, '}');
    vec_release(&seen);
}

static void dump_stmt(const CUnit *unit, const CStmt *s, Buf *out) {
    unsigned depth = s->depth + 1;
    indent(out, depth);
    buf_fmt(out, "%s:%s %u-%u ", cslot_name(s->slot), cstmt_kind_name(s->kind), s->range.from,
            s->range.to);
    add_text(out, unit, s->range);
    add_flags(out, s->flags, stmt_flags, COUNT_OF(stmt_flags));
    dump_certain(unit, s, out);
    buf_char(out, '\n');
    for (uint32_t i = 0; s->group && i < s->group->n_decls; i++)
        dump_decl(unit, s->group->decls[i], depth + 1, out);
    for (uint32_t i = 0; i < s->n_exprs; i++)
        if (!s->exprs[i]->parent && !s->exprs[i]->in_decl)
            dump_expr(unit, s->exprs[i], depth + 1, out);
}

static void dump_function(const CUnit *unit, const CFunction *f, Buf *out) {
    buf_fmt(out, "function " STR_FMT " %u-%u\n", STR_ARG(f->name), f->range.from, f->range.to);
    for (uint32_t i = 0; i < f->n_params; i++) dump_decl(unit, f->params[i], 1, out);
    for (uint32_t i = 0; i < f->n_stmts; i++) dump_stmt(unit, f->stmts[i], out);
}

static void dump_record(const CRecord *r, Buf *out) {
    buf_fmt(out, "%s " STR_FMT "%s\n", r->is_union ? "union" : "struct", STR_ARG(r->tag),
            r->is_packed ? " packed" : "");
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const CField *f = &r->fields[i];
        buf_fmt(out, "  field " STR_FMT " [" STR_FMT "] at %llu", STR_ARG(f->name),
                STR_ARG(f->type->spelling), (unsigned long long)f->offset);
        if (f->bits >= 0) buf_fmt(out, " bits %d", f->bits);
        buf_char(out, '\n');
    }
}

static void dump_group(const CUnit *unit, const CDeclGroup *g, Buf *out) {
    static const char *const kinds[] = { "global", "local", "param", "field", "function" };
    buf_fmt(out, "group %s %u-%u:", kinds[g->kind], g->range.from, g->range.to);
    for (uint32_t i = 0; i < g->n_specs; i++) {
        buf_fmt(out, " %d", g->specs[i].kind);
        add_text(out, unit, g->specs[i].range);
    }
    if (g->n_stars) buf_fmt(out, " stars %u", g->n_stars);
    buf_char(out, '\n');
}

void cfront_dump(const CUnit *unit, Buf *out) {
    for (uint32_t i = 0; i < unit->n_records; i++) dump_record(unit->records[i], out);
    for (uint32_t i = 0; i < unit->n_groups; i++) dump_group(unit, unit->groups[i], out);
    for (uint32_t i = 0; i < unit->n_globals; i++) dump_decl(unit, unit->globals[i], 0, out);
    for (uint32_t i = 0; i < unit->n_functions; i++) dump_function(unit, unit->functions[i], out);
}

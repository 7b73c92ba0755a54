/* See cuts.h. */
#include "isolate/cuts_impl.h"

enum { MOST_CUTS = 600 };

void cuts_add(CutMaker *m, CRange range, Str instead, bool honest) {
    Str whole = m->text;
    if (range.to <= range.from || range.to > whole.len) return;
    if (instead.len >= range.to - range.from) return;
    Buf text = { 0 };
    buf_add(&text, whole.at, range.from);
    buf_str(&text, instead);
    buf_add(&text, whole.at + range.to, whole.len - range.to);
    unsigned line = 1;
    for (uint32_t i = 0; i < range.from; i++) line += whole.at[i] == '\n';
    Str part = str_trim(str_sub(whole, range.from, range.to)), first;
    if (!str_split(&part, '\n', &first)) first = STR("");
    if (first.len > 40) first.len = 40;
    Cut cut = { .text = arena_str(m->arena, buf_view(&text)),
                .label = str_from(
                    arena_fmt(m->arena, "without line %u: " STR_FMT, line, STR_ARG(first))),
                .honest = honest,
                .fine = m->fine,
                .cut = range.to - range.from - (uint32_t)instead.len,
                .at = range.from };
    vec_push(m->out, cut);
    buf_release(&text);
}

/* ---- statements ---- */
static bool may_go(const CStmt *stmt) {
    if (stmt->flags & CF_MACRO || stmt->slot == CSL_FOR_INIT || stmt->in_expr) return false;
    switch (stmt->kind) {
    case CS_EXPR:
    case CS_IF:
    case CS_WHILE:
    case CS_DO:
    case CS_FOR:
    case CS_SWITCH:
    case CS_GOTO:
    case CS_BREAK:
    case CS_CONTINUE:
    case CS_ASM: return true;
    case CS_RETURN: return !stmt->expr; /* without a value compilers go other ways */
    case CS_DECL: return stmt->slot == CSL_BLOCK;
    default: return false;
    }
}

static void add_statement(CutMaker *m, const CStmt *s) {
    if (!may_go(s)) return;
    bool honest = !(s->flags & (CF_ORACLE | CF_ORACLE_OUTER | CF_HAS_ORACLE));
    cuts_add(m, s->range, s->slot == CSL_BLOCK ? STR("") : STR(";"), honest);
    bool around = s->kind == CS_IF || s->kind == CS_WHILE || s->kind == CS_DO || s->kind == CS_FOR;
    if (!around || !s->body) return;
    honest = !(s->flags & (CF_ORACLE | CF_ORACLE_OUTER));
    cuts_add(m, s->range, cfront_text(m->unit, s->body->range), honest);
    if (s->other) {
        cuts_add(m, s->range, cfront_text(m->unit, s->other->range), honest);
        cuts_add(m, (CRange){ s->else_keyword.from, s->other->range.to }, STR(""), honest);
    }
}

/* ---- declarations ---- */
static void add_group(CutMaker *m, const CDeclGroup *g) {
    bool main_ = g->kind == CG_FUNCTION && g->n_decls && str_is(g->decls[0]->name, "main");
    if (g->in_macro || main_ || g->kind == CG_PARAM || g->kind == CG_LOCAL) return;
    cuts_add(m, g->range, STR(""), true); /* if it is still used, this does not compile */
}

static void add_initialiser(CutMaker *m, const CDecl *d) {
    if (d->flags & (CD_MACRO | CD_SYSTEM) || d->kind != CD_VAR || !d->init_range.to) return;
    CRange range = d->init_range;
    while (range.from > 0 && m->unit->text.at[range.from] != '=') range.from--;
    if (range.from > d->name_range.from) cuts_add(m, range, STR(""), true);
}

/* ---- expressions ---- */
/* Something the program has computed: one of its variables, a call of one of its functions. */
static bool refers(const CUnit *unit, const CExpr *e) {
    for (uint32_t i = 0; i < unit->n_exprs; i++) {
        const CExpr *x = unit->exprs[i];
        if (x->kind != CE_REF || !x->decl || !crange_in(x->range, e->range)) continue;
        bool variable = x->decl->kind == CD_VAR || x->decl->kind == CD_PARAM;
        if (variable || (x->decl->kind == CD_FUNCTION && x->decl->first->function)) return true;
    }
    return false;
}

static bool in_oracle(const CExpr *e) {
    return (e->flags & CF_ORACLE) || (e->stmt && e->stmt->flags & (CF_ORACLE | CF_ORACLE_OUTER));
}

static Str constant_for(const CType *t) {
    if (ctype_is_integer(t)) return STR("1");
    if (ctype_is_arithmetic(t)) return STR("1.0");
    return STR("");
}

static bool is_operand(const CExpr *e) {
    if (e->flags & (CF_MACRO | CF_WRITE | CF_ADDRESS)) return false;
    return e->kind != CE_INT && e->kind != CE_CHAR && e->kind != CE_FLOAT && e->kind != CE_STRING;
}

/* Replaces it by one of its operands; parentheses keep the tree as it is. */
static void add_operands(CutMaker *m, const CExpr *e, bool oracle) {
    bool fits = e->kind == CE_BINARY || e->kind == CE_COND || e->kind == CE_CAST ||
                (e->kind == CE_UNARY && e->op != CO_DEREF && e->op != CO_ADDRESS);
    if (!fits) return;
    for (const CExpr *x = e->first; x; x = x->next) {
        bool honest = true;
        for (const CExpr *y = e->first; y && oracle; y = y->next)
            if (y != x && refers(m->unit, y)) honest = false;
        Str text = cfront_text(m->unit, x->range);
        bool bare = x->kind != CE_BINARY && x->kind != CE_COND && x->kind != CE_ASSIGN;
        if (!bare) text = str_from(arena_fmt(m->arena, "(" STR_FMT ")", STR_ARG(text)));
        cuts_add(m, e->range, text, honest);
    }
}

/* Elements of an initialiser list, each with the comma before or after it. */
static void add_elements(CutMaker *m, const CExpr *list) {
    Str text = m->unit->text;
    for (const CExpr *x = list->first; x; x = x->next) {
        CRange range = x->range;
        if (x->flags & CF_MACRO) continue;
        if (x->next)
            range.to = x->next->range.from;
        else
            while (range.from > list->range.from && text.at[range.from] != ',') range.from--;
        if (text.at[range.from] != '{') cuts_add(m, range, STR(""), true);
    }
}

static void add_expression(CutMaker *m, const CExpr *e) {
    if (e->kind == CE_LIST && !(e->flags & CF_MACRO)) add_elements(m, e);
    if (!is_operand(e)) return;
    bool oracle = in_oracle(e);
    Str constant = constant_for(e->type);
    if (constant.len && e->parent) cuts_add(m, e->range, constant, !oracle || !refers(m->unit, e));
    add_operands(m, e, oracle);
}

/* ---- all ---- */
static int by_size(const void *a, const void *b) {
    const Cut *x = a, *y = b;
    if (x->cut != y->cut) return x->cut > y->cut ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

void cuts_make(Arena *arena, Str text, const char *const *args, Cuts *out) {
    Arena scratch = { 0 };
    CfrontOptions opts = { .args = args };
    const CUnit *unit = cfront_parse(&scratch, text, &opts, NULL);
    CutMaker m = { arena, text, unit, out, false };
    for (uint32_t i = 0; unit && i < unit->n_stmts; i++) add_statement(&m, unit->stmts[i]);
    for (uint32_t i = 0; unit && i < unit->n_groups; i++) add_group(&m, unit->groups[i]);
    for (uint32_t i = 0; unit && i < unit->n_decls; i++) add_initialiser(&m, unit->decls[i]);
    for (uint32_t i = 0; unit && i < unit->n_exprs; i++) add_expression(&m, unit->exprs[i]);
    if (unit)
        cuts_add_text(&m);
    else
        cuts_add_tree(&m);
    if (out->len) qsort(out->at, out->len, sizeof *out->at, by_size);
    if (out->len > MOST_CUTS) out->len = MOST_CUTS;
    arena_release(&scratch);
}

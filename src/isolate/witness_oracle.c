/* See witness_oracle.h. A function is "telling" when it has an oracle call or calls a telling one;
 * each telling statement of a telling function that main can reach is one line: the function, the
 * conditions around it from the outside in, its own text. */
#include "isolate/witness_oracle.h"
#include "cfront/cfront.h"
#include "cfront/lex.h"

typedef struct OracleWalk {
    const CUnit *unit;
    bool *telling;   /* per function */
    bool *reached;   /* per function: from main, or its address is taken */
    bool by_pointer; /* some telling function's address is taken */
    Buf *out;
} OracleWalk;

/* ---- who tells ---- */
static const CFunction *callee(const CExpr *e) {
    return e->kind == CE_CALL && e->decl ? e->decl->first->function : NULL;
}

static bool is_oracle_call(const CExpr *e) {
    return e->kind == CE_CALL && e->decl && !callee(e) && (e->flags & CF_ORACLE);
}

static bool call_tells(const OracleWalk *w, const CExpr *e) {
    if (e->kind != CE_CALL) return false;
    const CFunction *f = callee(e);
    return f ? w->telling[f->index] : e->decl ? is_oracle_call(e) : w->by_pointer;
}

static void find_telling(OracleWalk *w) {
    const CUnit *u = w->unit;
    for (uint32_t i = 0; i < u->n_functions; i++)
        w->telling[i] = (u->functions[i]->flags & CFN_ORACLE) != 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < u->n_functions; i++) {
            const CFunction *f = u->functions[i];
            for (uint32_t k = 0; k < f->n_exprs && !w->telling[i]; k++)
                more |= w->telling[i] = call_tells(w, f->exprs[k]);
            bool taken = w->telling[i] && (f->flags & CFN_ADDRESS) && !w->by_pointer;
            if (taken) w->by_pointer = more = true;
        }
    }
}

static void reach(OracleWalk *w, const CFunction *f) {
    if (w->reached[f->index]) return;
    w->reached[f->index] = true;
    for (uint32_t k = 0; k < f->n_exprs; k++) {
        const CFunction *next = callee(f->exprs[k]);
        if (next) reach(w, next);
    }
}

/* ---- text without blanks ---- */
static void put(const OracleWalk *w, CRange range) {
    Str text = w->unit->text;
    for (CTok t = lex_next(text, range.from, range.to); t.kind != CTK_END;
         t = lex_next(text, t.range.to, range.to)) {
        buf_str(w->out, lex_text(text, t));
        buf_char(w->out, ' ');
    }
}

static bool is_control(const CStmt *s) {
    return s->kind == CS_IF || s->kind == CS_WHILE || s->kind == CS_DO || s->kind == CS_FOR ||
           s->kind == CS_SWITCH || s->kind == CS_CASE || s->kind == CS_DEFAULT;
}

/* The conditions around s, outermost first. */
static void put_guards(const OracleWalk *w, const CStmt *s) {
    if (!s->parent) return;
    put_guards(w, s->parent);
    const CStmt *up = s->parent;
    if (!is_control(up)) return;
    buf_fmt(w->out, "%d%s(", (int)up->kind, s->slot == CSL_ELSE ? "else" : "");
    if (up->kind == CS_CASE)
        put(w, up->expr->range);
    else
        put(w, up->parens);
    buf_text(w->out, ") ");
}

static void begin_line(const OracleWalk *w, const CStmt *s) {
    buf_str(w->out, s->function->name);
    buf_text(w->out, ": ");
    put_guards(w, s);
}

/* ---- statements ---- */
static bool stmt_tells(const OracleWalk *w, const CStmt *s) {
    for (uint32_t i = 0; i < s->n_exprs; i++)
        if (call_tells(w, s->exprs[i])) return true;
    return false;
}

/* Some statement in [from, to) of the text tells. */
static bool range_tells(const OracleWalk *w, const CFunction *f, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < f->n_stmts; i++) {
        const CStmt *s = f->stmts[i];
        if (s->range.from >= from && s->range.from < to && stmt_tells(w, s)) return true;
    }
    return false;
}

/* The jump may skip something telling: what is between it and its target. */
static bool jump_skips(const OracleWalk *w, const CStmt *s) {
    uint32_t from = s->range.to, end = s->function->range.to;
    switch (s->kind) {
    case CS_RETURN: return range_tells(w, s->function, from, end);
    case CS_GOTO:
        if (!s->target) return true; /* computed: anywhere */
        return range_tells(w, s->function, from,
                           s->target->range.from > from ? s->target->range.from : end);
    case CS_BREAK:
    case CS_CONTINUE: return s->target && range_tells(w, s->function, from, s->target->range.to);
    default: return false;
    }
}

static void put_calls(const OracleWalk *w, const CStmt *s) {
    for (uint32_t i = 0; i < s->n_exprs; i++) {
        const CExpr *e = s->exprs[i];
        const CFunction *f = callee(e);
        if (!call_tells(w, e)) continue;
        bool direct = !f || (f->flags & CFN_ORACLE);
        if (direct)
            put(w, e->range);
        else
            buf_str(w->out, f->name);
        buf_text(w->out, "; ");
    }
}

static void put_statement(const OracleWalk *w, const CStmt *s) {
    bool in_main = s->function->flags & CFN_MAIN, tells = stmt_tells(w, s);
    bool answer = s->kind == CS_RETURN && in_main;
    if (!tells && !answer && !jump_skips(w, s)) return;
    begin_line(w, s);
    if (answer)
        put(w, s->range);
    else if (tells)
        put_calls(w, s);
    else
        put(w, s->keyword);
    buf_char(w->out, '\n');
}

/* ---- names ---- */
static bool is_oracle_name(Str name) {
    static const char *const names[] = { "abort",   "exit",    "_exit",  "printf", "puts",
                                         "putchar", "fprintf", "assert", "write",  "fputs" };
    if (str_starts(name, "__builtin_")) name = str_sub(name, 10, name.len);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i])) return true;
    return false;
}

/* #define and #undef lines that contain such a name, and functions that have one. */
static void put_names(const OracleWalk *w) {
    Str text = w->unit->text;
    uint32_t end = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        if (t.kind != CTK_DIRECTIVE) continue;
        bool named = false;
        uint32_t from = t.range.from + 1;
        for (CTok x = lex_next(text, from, t.range.to); x.kind != CTK_END && !named;
             x = lex_next(text, x.range.to, t.range.to))
            named = x.kind == CTK_IDENT && is_oracle_name(lex_text(text, x));
        if (!named) continue;
        put(w, (CRange){ from, t.range.to });
        buf_char(w->out, '\n');
    }
    for (uint32_t i = 0; i < w->unit->n_functions; i++)
        if (is_oracle_name(w->unit->functions[i]->name))
            buf_fmt(w->out, "own " STR_FMT "\n", STR_ARG(w->unit->functions[i]->name));
}

bool oracle_text(Str program, const char *const *args, Buf *out) {
    Arena scratch = { 0 };
    CfrontOptions opts = { .args = args };
    const CUnit *unit = cfront_parse(&scratch, program, &opts, NULL);
    if (!unit) {
        arena_release(&scratch);
        return false;
    }
    OracleWalk w = { .unit = unit,
                     .telling = ARENA_ARRAY(&scratch, bool, unit->n_functions + 1),
                     .reached = ARENA_ARRAY(&scratch, bool, unit->n_functions + 1),
                     .out = out };
    find_telling(&w);
    for (uint32_t i = 0; i < unit->n_functions; i++)
        if (unit->functions[i]->flags & (CFN_MAIN | CFN_ADDRESS)) reach(&w, unit->functions[i]);
    put_names(&w);
    for (uint32_t i = 0; i < unit->n_functions; i++) {
        const CFunction *f = unit->functions[i];
        bool speaks = w.telling[i] || (f->flags & CFN_MAIN);
        for (uint32_t k = 0; k < f->n_stmts && speaks && w.reached[i]; k++)
            put_statement(&w, f->stmts[k]);
    }
    arena_release(&scratch);
    return true;
}

bool oracle_is(Str mutant, const char *const *args, Str text) {
    Buf own = { 0 };
    bool same = oracle_text(mutant, args, &own) && str_eq(buf_view(&own), text);
    buf_release(&own);
    return same;
}

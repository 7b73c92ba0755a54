/* What follows from the finished tree: lvalues and constants (bottom up), who reads, writes and
 * takes addresses (top down), what a statement contains, what belongs to the program's oracle. */
#include "cfront/build.h"
#include "cfront/lex.h"

/* ---- constants and lvalues, operands first ---- */
static uint64_t fit(uint64_t v, const CType *t) {
    unsigned width = t->width;
    if (t->kind == CT_BOOL) return v != 0;
    if (width == 0 || width >= 64) return v;
    uint64_t mask = (UINT64_C(1) << width) - 1;
    v &= mask;
    return t->is_signed && (v >> (width - 1)) ? v | ~mask : v;
}

/* The value of e after its implicit conversion. */
static uint64_t converted_value(const CExpr *e) {
    return fit(e->value, e->converted);
}

static bool fold_unary(CExpr *e) {
    uint64_t v = converted_value(e->first);
    switch (e->op) {
    case CO_PLUS:
    case CO_EXTENSION: e->value = v; return true;
    case CO_MINUS: e->value = fit(0 - v, e->type); return true;
    case CO_NOT: e->value = fit(~v, e->type); return true;
    case CO_LNOT: e->value = v == 0; return true;
    default: return false;
    }
}

static bool fold_compare(CExpr *e, uint64_t a, uint64_t b, bool is_signed) {
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (e->op) {
    case CO_LT: e->value = less; return true;
    case CO_GE: e->value = !less; return true;
    case CO_GT: e->value = !less && a != b; return true;
    case CO_LE: e->value = less || a == b; return true;
    case CO_EQ: e->value = a == b; return true;
    case CO_NE: e->value = a != b; return true;
    default: return false;
    }
}

static bool fold_binary(CExpr *e) {
    const CExpr *x = e->first, *y = x->next;
    uint64_t a = converted_value(x), b = converted_value(y), v;
    bool is_signed = e->type->is_signed;
    switch (e->op) {
    case CO_ADD: v = a + b; break;
    case CO_SUB: v = a - b; break;
    case CO_MUL: v = a * b; break;
    case CO_AND: v = a & b; break;
    case CO_OR: v = a | b; break;
    case CO_XOR: v = a ^ b; break;
    case CO_LAND: v = a && b; break;
    case CO_LOR: v = a || b; break;
    case CO_SHL:
        if (b >= e->type->width) return false;
        v = a << b;
        break;
    case CO_SHR:
        if (b >= e->type->width) return false;
        v = is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
        break;
    case CO_DIV:
    case CO_REM:
        if (b == 0 || (is_signed && (int64_t)b == -1)) return false;
        v = e->op == CO_DIV ? (is_signed ? (uint64_t)((int64_t)a / (int64_t)b) : a / b)
                            : (is_signed ? (uint64_t)((int64_t)a % (int64_t)b) : a % b);
        break;
    default: return fold_compare(e, a, b, x->converted->is_signed);
    }
    e->value = fit(v, e->type);
    return true;
}

static bool is_constant(const CExpr *e) {
    return e && (e->flags & CF_CONSTANT) && ctype_is_integer(e->converted);
}

static bool fold(CExpr *e) {
    if (!ctype_is_integer(e->type)) return false;
    const CExpr *x = e->first, *y = x ? x->next : NULL;
    switch (e->kind) {
    case CE_PAREN:
        if (is_constant(x)) e->value = converted_value(x);
        return is_constant(x);
    case CE_CAST:
        if (is_constant(x)) e->value = fit(converted_value(x), e->type);
        return is_constant(x);
    case CE_UNARY: return is_constant(x) && fold_unary(e);
    case CE_BINARY: return is_constant(x) && is_constant(y) && fold_binary(e);
    default: return false;
    }
}

static bool is_lvalue(const CExpr *e) {
    const CExpr *x = e->first;
    switch (e->kind) {
    case CE_REF: return e->decl && (e->decl->kind == CD_VAR || e->decl->kind == CD_PARAM);
    case CE_MEMBER: return e->arrow || (x && (x->flags & CF_LVALUE));
    case CE_INDEX:
        return x && (x->converted->kind == CT_POINTER || (x->flags & CF_LVALUE) ||
                     (x->next && x->next->converted->kind == CT_POINTER));
    case CE_STRING:
    case CE_LITERAL: return true;
    case CE_PAREN: return x && (x->flags & CF_LVALUE);
    case CE_UNARY:
        if (e->op == CO_DEREF) return true;
        return (e->op == CO_EXTENSION || e->op == CO_REAL || e->op == CO_IMAG) && x &&
               (x->flags & CF_LVALUE);
    default: return false;
    }
}

static bool is_modifiable(const CExpr *e) {
    const CType *t = e->type;
    if (!(e->flags & CF_LVALUE) || e->kind == CE_STRING || (t->quals & CQ_CONST)) return false;
    if (t->kind == CT_RECORD) return t->record->is_complete && !t->record->has_const;
    return t->kind != CT_ARRAY && t->kind != CT_OPEN && t->kind != CT_VLA &&
           t->kind != CT_FUNCTION && t->kind != CT_VOID;
}

static bool has_effect(const CExpr *e) {
    if (e->kind == CE_CALL || e->kind == CE_ASSIGN || e->kind == CE_BLOCK) return true;
    if (e->kind == CE_UNARY && e->op >= CO_POST_INC && e->op <= CO_PRE_DEC) return true;
    return (e->type->quals & CQ_VOLATILE) != 0;
}

static void facts_bottom_up(CUnit *u) {
    for (uint32_t i = u->n_exprs; i-- > 0;) {
        CExpr *e = u->exprs[i];
        if (is_lvalue(e)) e->flags |= CF_LVALUE;
        if (is_modifiable(e)) e->flags |= CF_MODIFIABLE;
        if (fold(e)) e->flags |= CF_CONSTANT;
        if (has_effect(e)) e->flags |= CF_EFFECT;
        if (e->flags & CF_UNEVALUATED) e->flags &= ~(uint32_t)CF_EFFECT;
        if (e->parent) e->parent->flags |= e->flags & (CF_EFFECT | CF_HAS_MACRO);
        if (e->kind == CE_CALL && e->first) {
            const CExpr *callee = cexpr_strip(e->first);
            if (callee->kind == CE_UNARY && callee->op == CO_DEREF)
                callee = cexpr_strip(callee->first);
            if (callee->kind == CE_REF && callee->decl && callee->decl->kind == CD_FUNCTION)
                e->decl = callee->decl;
        }
    }
}

/* ---- reads, writes, addresses: the context of each lvalue ---- */
static uint32_t context_of_root(const CExpr *e, bool is_array) {
    if (e->kind == CE_LIST || e->kind == CE_STRING) return CF_READ; /* an array's: copied */
    bool is_output = e->stmt && e->stmt->kind == CS_ASM && (e->flags & CF_LVALUE);
    return CF_READ | (is_output ? CF_WRITE : 0) | (is_array ? CF_ADDRESS : 0);
}

static uint32_t context_of(const CExpr *e) {
    const CExpr *p = e->parent;
    enum { PASSED = CF_READ | CF_WRITE | CF_ADDRESS };
    uint32_t passed = 0;
    if (e->flags & CF_UNEVALUATED) return 0;
    bool is_array =
        e->type->kind == CT_ARRAY || e->type->kind == CT_VLA || e->type->kind == CT_OPEN;
    if (!p) return context_of_root(e, is_array);
    switch (p->kind) {
    case CE_PAREN: return p->flags & PASSED;
    case CE_ASSIGN:
        if (p->first == e) return CF_WRITE | (p->op == CO_ASSIGN ? 0 : CF_READ);
        break;
    case CE_UNARY:
        if (p->op <= CO_PRE_DEC) return CF_READ | CF_WRITE;
        if (p->op == CO_ADDRESS) return CF_ADDRESS;
        if (p->op == CO_EXTENSION || p->op == CO_REAL || p->op == CO_IMAG) return p->flags & PASSED;
        break;
    case CE_MEMBER:
        if (!p->arrow) return p->flags & PASSED;
        break;
    case CE_INDEX:
        if (is_array || e->type->kind == CT_VECTOR) return p->flags & PASSED;
        break;
    case CE_SIZEOF: return CF_READ;                   /* a variable length array: its size */
    case CE_OTHER: passed = p->flags & PASSED; break; /* one of _Generic's may be the target */
    default: break;
    }
    return CF_READ | passed | (is_array ? CF_ADDRESS : 0);
}

static void note_use(CExpr *e) {
    CDecl *d = (CDecl *)e->decl;
    CDecl *first = (CDecl *)d->first;
    first->uses++;
    if (e->flags & CF_WRITE) first->flags |= CD_WRITTEN;
    if (e->flags & CF_READ) first->flags |= CD_READ;
    if (e->flags & CF_ADDRESS) first->flags |= CD_ADDRESS;
    if (d->kind != CD_FUNCTION) return;
    const CExpr *up = e->parent;
    const CExpr *below = e;
    while (up && (up->kind == CE_PAREN || (up->kind == CE_UNARY && up->op == CO_DEREF))) {
        below = up;
        up = up->parent;
    }
    bool direct = up && up->kind == CE_CALL && up->first == below;
    CFunction *f = first->function;
    if (f) f->flags |= direct ? CFN_CALLED : CFN_ADDRESS;
    if (!direct) first->flags |= CD_ADDRESS;
}

/* ---- names in attributes: cleanup(f), alias("f") ---- */
/* The names in the arguments: inside `depth` open parentheses or more. */
static void collect_names(Map *names, Str text, CRange r, unsigned depth) {
    unsigned open = 0;
    for (CTok t = lex_next(text, r.from, r.to); t.kind != CTK_END;
         t = lex_next(text, t.range.to, r.to)) {
        Str word = lex_text(text, t);
        if (lex_is(text, t, "(")) open++;
        if (lex_is(text, t, ")") && open) open--;
        if (open < depth) continue;
        if (t.kind == CTK_IDENT) map_put(names, word, 1);
        if (t.kind == CTK_STRING && word.len >= 2)
            map_put(names, str_sub(word, 1, word.len - 1), 1);
    }
}

static void collect_attribute_names(Map *names, Str text) {
    uint32_t to = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, to); t.kind != CTK_END; t = lex_next(text, t.range.to, to)) {
        CTok next = lex_next(text, t.range.to, to);
        bool gnu = lex_is(text, t, "__attribute__") || lex_is(text, t, "__attribute");
        bool brackets = lex_is(text, t, "[") && lex_is(text, next, "[");
        if (!gnu && !brackets) continue;
        uint32_t close = lex_match(text, next.range.from, to);
        if (close == UINT32_MAX) continue;
        collect_names(names, text, (CRange){ next.range.from, close }, gnu ? 3 : 1);
    }
}

/* We cannot see what the compiler does with them, so they count as having their address taken. */
static void note_attribute_names(CUnit *u) {
    Map names = { 0 };
    if (str_find(u->text, STR("__attribute"), 0) != STR_NONE ||
        str_find(u->text, STR("[["), 0) != STR_NONE)
        collect_attribute_names(&names, u->text);
    for (uint32_t i = 0; names.len && i < u->n_decls; i++) {
        CDecl *d = u->decls[i];
        if (d->first != d || !map_get(&names, d->name, NULL)) continue;
        d->uses++;
        d->flags |= CD_READ | CD_ADDRESS;
        if (d->kind == CD_FUNCTION && d->function) d->function->flags |= CFN_ADDRESS;
    }
    map_release(&names);
}

static void link_functions(CUnit *u) {
    for (uint32_t i = 0; i < u->n_functions; i++)
        ((CDecl *)u->functions[i]->decl->first)->function = u->functions[i];
    for (uint32_t i = 0; i < u->n_decls; i++)
        if (u->decls[i]->kind == CD_FUNCTION) u->decls[i]->function = u->decls[i]->first->function;
}

static void facts_top_down(CUnit *u) {
    for (uint32_t i = 0; i < u->n_exprs; i++) {
        CExpr *e = u->exprs[i];
        e->flags |= context_of(e);
        if (e->kind == CE_REF && e->decl) note_use(e);
    }
    enum { SHARED = CD_WRITTEN | CD_READ | CD_ADDRESS };
    for (uint32_t i = 0; i < u->n_decls; i++) {
        CDecl *d = u->decls[i];
        d->uses = d->first->uses;
        d->flags |= d->first->flags & SHARED;
        if (d->uses == 0) d->flags |= CD_UNUSED;
        d->const_init = d->init && !(d->init->flags & (CF_EFFECT | CF_READ));
    }
}

/* ---- what a statement contains ---- */
static void mark_up(CStmt *s, const CStmt *stop, uint32_t flags) {
    for (; s && s != stop; s = s->parent) s->flags |= flags;
}

static bool declares(const CStmt *s) {
    while (s && (s->kind == CS_LABEL || s->kind == CS_CASE || s->kind == CS_DEFAULT ||
                 s->kind == CS_ATTRIBUTED))
        s = s->body;
    return s && s->kind == CS_DECL;
}

static bool declares_vla(const CStmt *s) {
    if (s->kind != CS_DECL || !s->group) return false;
    for (uint32_t i = 0; i < s->group->n_decls; i++)
        if (s->group->decls[i]->flags & CD_VLA) return true;
    return false;
}

static void mark_stmt(CStmt *s) {
    switch (s->kind) {
    case CS_LABEL: mark_up(s, NULL, CF_HAS_LABEL); break;
    case CS_CASE:
    case CS_DEFAULT: mark_up(s, s->target, CF_HAS_CASE); break;
    case CS_GOTO:
    case CS_GOTO_COMPUTED: mark_up(s, NULL, CF_HAS_GOTO); break;
    case CS_BREAK: mark_up(s, s->target, CF_HAS_BREAK); break;
    case CS_CONTINUE: mark_up(s, s->target, CF_HAS_CONTINUE); break;
    case CS_RETURN: mark_up(s, NULL, CF_HAS_RETURN); break;
    case CS_ASM: mark_up(s, NULL, CF_HAS_ASM | (s->flags & CF_HAS_GOTO)); break;
    default: break;
    }
    if (declares(s)) s->flags |= CF_HAS_DECL;
    if (declares_vla(s)) {
        s->flags |= CF_HAS_VLA;
        s->function->flags |= CFN_VLA;
    }
    if (s->flags & CF_MACRO) mark_up(s->parent, NULL, CF_HAS_MACRO);
}

static void mark_expr_in_stmt(CExpr *e) {
    if (!e->stmt) return;
    if (e->flags & CF_MACRO) mark_up(e->stmt, NULL, CF_HAS_MACRO);
    if (e->kind == CE_CALL) mark_up(e->stmt, NULL, CF_HAS_CALL);
    if (e->kind == CE_LABEL) mark_up(e->stmt, NULL, CF_HAS_GOTO);
}

static void list_stmt_exprs(Build *b, CFunction *f) {
    for (uint32_t i = 0; i < f->n_exprs; i++)
        if (f->exprs[i]->stmt) f->exprs[i]->stmt->n_exprs++;
    for (uint32_t i = 0; i < f->n_stmts; i++) {
        CStmt *s = f->stmts[i];
        s->exprs = ARENA_ARRAY(b->arena, CExpr *, s->n_exprs + 1);
        s->n_exprs = 0;
    }
    for (uint32_t i = 0; i < f->n_exprs; i++) {
        CStmt *s = f->exprs[i]->stmt;
        if (s) ((CExpr **)s->exprs)[s->n_exprs++] = f->exprs[i];
    }
}

/* ---- the oracle ---- */
static bool is_oracle_name(Str name) {
    static const char *const names[] = {
        "printf",
        "fprintf",
        "vprintf",
        "vfprintf",
        "puts",
        "fputs",
        "putchar",
        "putc",
        "fputc",
        "write",
        "fwrite",
        "perror",
        "abort",
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "__assert_fail",
        "assert",
        "raise",
        "__builtin_printf",
        "__builtin_puts",
        "__builtin_putchar",
        "__builtin_abort",
        "__builtin_exit",
        "__builtin_trap",
        "__builtin_fprintf",
        "transparent_crc",
        "transparent_crc_bytes",
        "platform_main_end",
        "link_error",
        "link_failure",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i])) return true;
    return false;
}

static bool is_oracle_call(const CExpr *e) {
    return e->kind == CE_CALL && e->decl && is_oracle_name(e->decl->name);
}

static CExpr *root_of(CExpr *e) {
    while (e->parent) e = e->parent;
    return e;
}

static void mark_tree(CExpr *e, uint32_t flag) {
    e->flags |= flag;
    for (CExpr *x = e->first; x; x = x->next) mark_tree(x, flag);
}

/* Flags every expression directly in s. */
static void mark_exprs(CStmt *s, uint32_t flag) {
    for (uint32_t i = 0; i < s->n_exprs; i++) s->exprs[i]->flags |= flag;
}

static bool is_control(const CStmt *s) {
    return s->kind == CS_IF || s->kind == CS_WHILE || s->kind == CS_DO || s->kind == CS_FOR ||
           s->kind == CS_SWITCH;
}

/* The conditions around an oracle statement: the innermost is part of the oracle. */
static void mark_guards(CStmt *s) {
    bool inner = true;
    for (CStmt *up = s->parent; up; up = up->parent) {
        if (!is_control(up)) continue;
        if (!inner && (up->flags & CF_ORACLE_OUTER)) return; /* the rest is marked already */
        mark_exprs(up, inner ? CF_ORACLE : CF_ORACLE_OUTER);
        up->flags |= inner ? CF_ORACLE : CF_ORACLE_OUTER;
        inner = false;
    }
}

/* guarded: the statement whose guards were marked last; one statement may have many calls. */
static void mark_oracle_call(CExpr *e, const CStmt **guarded) {
    CStmt *s = e->stmt;
    if (!s || !s->function) return;
    CExpr *root = root_of(e);
    if (!(root->flags & CF_ORACLE)) mark_tree(root, CF_ORACLE);
    if (s == *guarded) return;
    *guarded = s;
    s->function->flags |= CFN_ORACLE;
    mark_up(s, NULL, CF_HAS_ORACLE);
    s->flags |= CF_ORACLE;
    mark_guards(s);
}

static void mark_oracles(CUnit *u) {
    const CStmt *guarded = NULL;
    for (uint32_t i = 0; i < u->n_exprs; i++)
        if (is_oracle_call(u->exprs[i])) mark_oracle_call(u->exprs[i], &guarded);
    for (uint32_t i = 0; i < u->n_stmts; i++) {
        CStmt *s = u->stmts[i];
        if (s->kind != CS_RETURN) continue;
        s->flags |= CF_ORACLE;
        mark_exprs(s, CF_ORACLE);
    }
}

/* ---- functions ---- */
static bool returns_twice(Str name) {
    static const char *const names[] = { "setjmp", "_setjmp",          "sigsetjmp",  "__sigsetjmp",
                                         "vfork",  "__builtin_setjmp", "getcontext", "savectx" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i])) return true;
    return false;
}

static void mark_calls(CUnit *u) {
    for (uint32_t i = 0; i < u->n_exprs; i++) {
        const CExpr *e = u->exprs[i];
        if (e->kind != CE_CALL || !e->decl || !e->function) continue;
        if (returns_twice(e->decl->name)) e->function->flags |= CFN_SETJMP;
        if (str_is(e->decl->name, "alloca") || str_is(e->decl->name, "__builtin_alloca"))
            e->function->flags |= CFN_ALLOCA;
    }
}

/* Depth-first search over direct calls from f; does it come back to start? */
static bool reaches(const CUnit *u, const CFunction *f, const CFunction *start, uint8_t *seen) {
    for (uint32_t i = 0; i < f->n_exprs; i++) {
        const CExpr *e = f->exprs[i];
        const CFunction *to = e->kind == CE_CALL && e->decl ? e->decl->first->function : NULL;
        if (!to) continue;
        if (to == start) return true;
        if (seen[to->index]) continue;
        seen[to->index] = 1;
        if (reaches(u, to, start, seen)) return true;
    }
    return false;
}

static void mark_recursion(CUnit *u) {
    uint8_t *seen = mem_alloc(u->n_functions + 1);
    for (uint32_t i = 0; i < u->n_functions; i++) {
        memset(seen, 0, u->n_functions);
        if (reaches(u, u->functions[i], u->functions[i], seen))
            u->functions[i]->flags |= CFN_RECURSIVE;
    }
    mem_free(seen);
}

/* A statement whose text is not what it should be (a macro brought its ';', clang lost its end) is
 * marked like a macro, so that nobody edits it. */
static bool is_sound(const CUnit *u, const CStmt *s) {
    CRange r = s->range;
    if (r.from >= r.to) return false;
    char last = u->text.at[r.to - 1];
    if (last != ';' && last != '}') return false;
    if (lex_next(u->text, r.from, r.to).range.from != r.from) return false;
    if (s->parent && !(s->parent->flags & CF_MACRO) && !crange_in(r, s->parent->range))
        return false;
    return !s->next || s->next->range.from >= r.to;
}

static void mark_unsound(CUnit *u) {
    for (uint32_t i = 0; i < u->n_stmts; i++) {
        CStmt *s = u->stmts[i];
        if (is_sound(u, s)) continue;
        s->flags |= CF_MACRO | CF_HAS_MACRO;
        if (s->next) s->next->flags |= CF_MACRO | CF_HAS_MACRO;
    }
}

void build_facts(Build *b) {
    CUnit *u = b->unit;
    mark_unsound(u);
    link_functions(u);
    facts_bottom_up(u);
    note_attribute_names(u);
    facts_top_down(u);
    for (uint32_t i = 0; i < u->n_functions; i++) list_stmt_exprs(b, u->functions[i]);
    for (uint32_t i = 0; i < u->n_stmts; i++) mark_stmt(u->stmts[i]);
    for (uint32_t i = 0; i < u->n_exprs; i++) mark_expr_in_stmt(u->exprs[i]);
    mark_oracles(u);
    mark_calls(u);
    mark_recursion(u);
}

/* Statements. clang's extents leave the ';' out: it is the next token. Which parts of a for are
 * missing, and where keywords are, is also read from the tokens. */
#include "cfront/build.h"

static CStmtKind stmt_kind(enum CXCursorKind kind) {
    switch (kind) {
    case CXCursor_CompoundStmt: return CS_BLOCK;
    case CXCursor_DeclStmt: return CS_DECL;
    case CXCursor_NullStmt: return CS_NULL;
    case CXCursor_IfStmt: return CS_IF;
    case CXCursor_WhileStmt: return CS_WHILE;
    case CXCursor_DoStmt: return CS_DO;
    case CXCursor_ForStmt: return CS_FOR;
    case CXCursor_SwitchStmt: return CS_SWITCH;
    case CXCursor_CaseStmt: return CS_CASE;
    case CXCursor_DefaultStmt: return CS_DEFAULT;
    case CXCursor_LabelStmt: return CS_LABEL;
    case CXCursor_GotoStmt: return CS_GOTO;
    case CXCursor_IndirectGotoStmt: return CS_GOTO_COMPUTED;
    case CXCursor_BreakStmt: return CS_BREAK;
    case CXCursor_ContinueStmt: return CS_CONTINUE;
    case CXCursor_ReturnStmt: return CS_RETURN;
    case CXCursor_GCCAsmStmt: return CS_ASM;
    default: break;
    }
    if (clang_isExpression(kind)) return CS_EXPR;
    return kind == CXCursor_UnexposedStmt ? CS_ATTRIBUTED : CS_OTHER;
}

static bool takes_semicolon(CStmtKind kind) {
    switch (kind) {
    case CS_EXPR:
    case CS_DO:
    case CS_GOTO:
    case CS_GOTO_COMPUTED:
    case CS_BREAK:
    case CS_CONTINUE:
    case CS_RETURN:
    case CS_ASM: return true;
    default: return false;
    }
}

/* Moves the end of r after the ';' that follows, if one does. */
static void take_semicolon(Build *b, CRange *r) {
    CTok t = lex_next(b->text, r->to, (uint32_t)b->text.len);
    if (lex_is(b->text, t, ";")) r->to = t.range.to;
}

static bool has_keyword(CStmtKind kind) {
    return kind != CS_BLOCK && kind != CS_DECL && kind != CS_EXPR && kind != CS_NULL &&
           kind != CS_OTHER && kind != CS_ATTRIBUTED;
}

static void add_child(CStmt ***tail, CStmt *child) {
    **tail = child;
    *tail = &child->next;
}

static void build_block(Build *b, Kids kids, CStmt *s) {
    CScope *scope = build_scope_open(b, s, s->range);
    s->inner = scope;
    CStmt **tail = &s->first, *last = NULL;
    for (size_t i = 0; i < kids.n && !b->failed; i++) {
        CStmt *child = build_stmt(b, build_kid(b, kids, i), CSL_BLOCK, s);
        if (!child) continue;
        add_child(&tail, child);
        last = child;
    }
    if (last && s->slot == CSL_EXPR) last->slot = CSL_VALUE;
    build_scope_close(b, scope);
}

static void build_decl_stmt(Build *b, Kids kids, CStmt *s) {
    for (size_t i = 0; i < kids.n && !b->failed;) {
        if (clang_getCursorKind(build_kid(b, kids, i)) == CXCursor_UnexposedDecl &&
            str_starts(cfront_text(b->unit, s->range), "__label__"))
            b->uncertain = true; /* local labels: names are not unique */
        i += build_declaration(b, kids, i, s);
    }
}

/* The inside of the parentheses at or after `at`. */
static CRange find_parens(Build *b, uint32_t at, uint32_t to) {
    CTok t = lex_next(b->text, at, to);
    if (!lex_is(b->text, t, "(")) return (CRange){ 0, 0 };
    uint32_t close = lex_match(b->text, t.range.from, to);
    return close == UINT32_MAX ? (CRange){ 0, 0 } : (CRange){ t.range.to, close };
}

static CStmt *build_loop_body(Build *b, CXCursor cursor, CStmt *s) {
    CStmt *breakable = b->breakable, *loop = b->loop;
    b->breakable = b->loop = s;
    CStmt *body = build_stmt(b, cursor, CSL_LOOP, s);
    b->breakable = breakable;
    b->loop = loop;
    return body;
}

static CExpr *build_part(Build *b, CXCursor cursor, CStmt *s) {
    CStmt *outer = b->stmt;
    b->stmt = s;
    CExpr *e = build_expr(b, cursor, NULL);
    b->stmt = outer;
    return e;
}

static void build_if(Build *b, Kids kids, CStmt *s) {
    if (kids.n < 2) return;
    s->parens = find_parens(b, s->keyword.to, s->range.to);
    s->expr = build_part(b, build_kid(b, kids, 0), s);
    s->body = build_stmt(b, build_kid(b, kids, 1), CSL_THEN, s);
    if (kids.n < 3 || !s->body) return;
    CTok t = lex_next(b->text, s->body->range.to, s->range.to);
    if (lex_is(b->text, t, "else")) s->else_keyword = t.range;
    s->other = build_stmt(b, build_kid(b, kids, 2), CSL_ELSE, s);
}

static void build_while(Build *b, Kids kids, CStmt *s) {
    if (kids.n < 2) return;
    s->parens = find_parens(b, s->keyword.to, s->range.to);
    s->expr = build_part(b, build_kid(b, kids, 0), s);
    s->body = build_loop_body(b, build_kid(b, kids, 1), s);
}

static void build_do(Build *b, Kids kids, CStmt *s) {
    if (kids.n < 2) return;
    s->body = build_loop_body(b, build_kid(b, kids, 0), s);
    if (s->body) {
        CTok t = lex_next(b->text, s->body->range.to, s->range.to);
        if (lex_is(b->text, t, "while")) s->while_keyword = t.range;
        s->parens = find_parens(b, t.range.to, s->range.to);
    }
    s->expr = build_part(b, build_kid(b, kids, 1), s);
}

static void build_switch(Build *b, Kids kids, CStmt *s) {
    if (kids.n < 2) return;
    s->parens = find_parens(b, s->keyword.to, s->range.to);
    s->expr = build_part(b, build_kid(b, kids, 0), s);
    CStmt *breakable = b->breakable, *choice = b->choice;
    b->breakable = b->choice = s;
    s->body = build_stmt(b, build_kid(b, kids, 1), CSL_SWITCH, s);
    b->breakable = breakable;
    b->choice = choice;
}

/* Offsets of the two ';' inside the parentheses of a for. */
static bool find_for_parts(Build *b, const CStmt *s, uint32_t semi[2]) {
    unsigned depth = 0, found = 0;
    if (s->parens.to == 0) return false;
    for (CTok t = lex_next(b->text, s->parens.from, s->parens.to); t.kind != CTK_END && found < 2;
         t = lex_next(b->text, t.range.to, s->parens.to)) {
        if (t.kind != CTK_PUNCT || t.range.to != t.range.from + 1) continue;
        char c = b->text.at[t.range.from];
        if (c == '(' || c == '[' || c == '{') depth++;
        if (c == ')' || c == ']' || c == '}') depth--;
        if (c == ';' && depth == 0) semi[found++] = t.range.from;
    }
    return found == 2;
}

/* What a child of a for is: 0 init, 1 condition, 2 step, 3 body. */
static unsigned for_part(Build *b, CXCursor c, const uint32_t semi[2], uint32_t close) {
    uint32_t from = build_range(b, c).from;
    return from < semi[0] ? 0 : from < semi[1] ? 1 : from < close ? 2 : 3;
}

static void build_for(Build *b, Kids kids, CStmt *s) {
    uint32_t semi[2] = { 0, 0 };
    s->parens = find_parens(b, s->keyword.to, s->range.to);
    CScope *scope = build_scope_open(b, s, s->range);
    s->inner = scope;
    bool known = !(s->flags & CF_MACRO) && find_for_parts(b, s, semi);
    if (!known) b->uncertain = true;
    for (size_t i = 0; i < kids.n && !b->failed; i++) {
        CXCursor kid = build_kid(b, kids, i);
        bool last = i + 1 == kids.n;
        unsigned part = last ? 3 : known ? for_part(b, kid, semi, s->parens.to) : (unsigned)i;
        if (part == 0)
            s->init = build_stmt(b, kid, CSL_FOR_INIT, s);
        else if (part == 1)
            s->expr = build_part(b, kid, s);
        else if (part == 2)
            s->step = build_part(b, kid, s);
        else
            s->body = build_loop_body(b, kid, s);
    }
    build_scope_close(b, scope);
}

static void build_case(Build *b, Kids kids, CStmt *s) {
    s->target = b->choice;
    size_t exprs = s->kind == CS_DEFAULT ? 0 : kids.n - 1;
    uint32_t flags = b->expr_flags;
    b->expr_flags |= CF_NEEDS_CONSTANT;
    if (exprs >= 1) s->expr = build_part(b, build_kid(b, kids, 0), s);
    if (exprs >= 2) s->high = build_part(b, build_kid(b, kids, 1), s);
    b->expr_flags = flags;
    if (kids.n) s->body = build_stmt(b, build_kid(b, kids, kids.n - 1), CSL_CASE, s);
}

static void build_asm(Build *b, Kids kids, CStmt *s) {
    s->flags |= CF_HAS_ASM;
    if (b->function) b->function->flags |= CFN_ASM;
    CTok t = lex_next(b->text, s->keyword.to, s->range.to);
    for (; t.kind == CTK_IDENT; t = lex_next(b->text, t.range.to, s->range.to))
        if (lex_is(b->text, t, "goto")) {
            s->flags |= CF_HAS_GOTO;
            b->uncertain = true;
        }
    for (size_t i = 0; i < kids.n; i++)
        if (clang_isExpression(clang_getCursorKind(build_kid(b, kids, i))))
            build_part(b, build_kid(b, kids, i), s);
}

static void read_goto_label(Build *b, CStmt *s) {
    CTok t = lex_next(b->text, s->keyword.to, s->range.to);
    s->label = (Str){ b->text.at + t.range.from, t.range.to - t.range.from };
}

static void build_label(Build *b, Kids kids, CStmt *s, CXCursor cursor) {
    s->label = build_name(b, cursor);
    for (size_t i = 0; i < kids.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(build_kid(b, kids, i));
        if (clang_isStatement(kind) || clang_isExpression(kind))
            s->body = build_stmt(b, build_kid(b, kids, i), CSL_LABEL, s);
    }
}

static void build_attributed(Build *b, Kids kids, CStmt *s) {
    for (size_t i = 0; i < kids.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(build_kid(b, kids, i));
        if (clang_isStatement(kind) || clang_isExpression(kind))
            s->body = build_stmt(b, build_kid(b, kids, i), CSL_ATTRIBUTE, s);
    }
    if (!s->body) s->kind = CS_OTHER;
}

static void build_parts(Build *b, CXCursor cursor, CStmt *s) {
    if (s->kind == CS_EXPR) {
        s->expr = build_part(b, cursor, s);
        return;
    }
    Kids kids = build_kids(b, cursor);
    switch (s->kind) {
    case CS_BLOCK: build_block(b, kids, s); break;
    case CS_DECL: build_decl_stmt(b, kids, s); break;
    case CS_IF: build_if(b, kids, s); break;
    case CS_WHILE: build_while(b, kids, s); break;
    case CS_DO: build_do(b, kids, s); break;
    case CS_FOR: build_for(b, kids, s); break;
    case CS_SWITCH: build_switch(b, kids, s); break;
    case CS_CASE:
    case CS_DEFAULT: build_case(b, kids, s); break;
    case CS_LABEL: build_label(b, kids, s, cursor); break;
    case CS_GOTO: read_goto_label(b, s); break;
    case CS_BREAK: s->target = b->breakable; break;
    case CS_CONTINUE: s->target = b->loop; break;
    case CS_GOTO_COMPUTED:
    case CS_RETURN:
        if (kids.n) s->expr = build_part(b, build_kid(b, kids, kids.n - 1), s);
        break;
    case CS_ASM: build_asm(b, kids, s); break;
    case CS_ATTRIBUTED: build_attributed(b, kids, s); break;
    default: b->uncertain = true; break;
    }
    build_drop(b, kids);
}

/* A statement that ends in another one ends where that ends, ';' included. */
static void extend_over(CStmt *s, const CStmt *part) {
    if (part && part->range.to > s->range.to) s->range.to = part->range.to;
}

static CStmt *new_stmt(Build *b, CXCursor cursor, CSlot slot, CStmt *parent) {
    CStmt *s = ARENA_NEW(b->arena, CStmt);
    s->kind = stmt_kind(clang_getCursorKind(cursor));
    s->slot = slot;
    s->range = build_range(b, cursor);
    if (takes_semicolon(s->kind) && !(slot == CSL_FOR_INIT && s->kind != CS_EXPR))
        take_semicolon(b, &s->range);
    if (build_is_macro(b, s->range) || !build_is_ours(b, cursor))
        s->flags |= CF_MACRO | CF_HAS_MACRO;
    if (has_keyword(s->kind)) s->keyword = lex_next(b->text, s->range.from, s->range.to).range;
    s->index = (uint32_t)b->all_stmts.len;
    s->depth = parent ? parent->depth + 1 : 0;
    s->function = b->function;
    s->scope = b->scope;
    s->parent = parent;
    vec_push(&b->all_stmts, s);
    return s;
}

CStmt *build_stmt(Build *b, CXCursor cursor, CSlot slot, CStmt *parent) {
    if (!build_enter(b)) return NULL;
    CStmt *s = new_stmt(b, cursor, slot, parent), *outer = b->stmt;
    b->stmt = s;
    build_parts(b, cursor, s);
    extend_over(s, s->body);
    extend_over(s, s->other);
    b->stmt = outer;
    build_leave(b);
    return s;
}

/* ---- labels ---- */
/* The labels of an asm goto follow its fourth colon. */
static void note_asm_labels(Build *b, const CStmt *s, const Map *labels) {
    unsigned depth = 0, colons = 0;
    for (CTok t = lex_next(b->text, s->keyword.to, s->range.to); t.kind != CTK_END;
         t = lex_next(b->text, t.range.to, s->range.to)) {
        if (lex_is(b->text, t, "(")) depth++;
        if (lex_is(b->text, t, ")") && depth) depth--;
        if (depth == 1 && lex_is(b->text, t, ":")) colons++;
        if (depth == 1 && lex_is(b->text, t, "::")) colons += 2;
        CStmt *label =
            colons >= 4 && t.kind == CTK_IDENT ? map_get_ptr(labels, lex_text(b->text, t)) : NULL;
        if (label) label->jump_target = true;
    }
}

void build_resolve_gotos(Build *b, CFunction *f) {
    Map labels = { 0 };
    for (uint32_t i = 0; i < f->n_stmts; i++) {
        CStmt *s = f->stmts[i];
        if (s->kind == CS_LABEL && map_get_ptr(&labels, s->label)) b->uncertain = true;
        if (s->kind == CS_LABEL) map_put_ptr(&labels, s->label, s);
        if (s->kind == CS_GOTO_COMPUTED) f->flags |= CFN_COMPUTED_GOTO;
    }
    for (uint32_t i = 0; i < f->n_stmts; i++) {
        CStmt *s = f->stmts[i];
        if (s->kind == CS_ASM && (s->flags & CF_HAS_GOTO)) note_asm_labels(b, s, &labels);
        if (s->kind != CS_GOTO) continue;
        s->target = map_get_ptr(&labels, s->label);
        if (s->target)
            s->target->jump_target = true;
        else
            b->uncertain = true;
    }
    for (uint32_t i = 0; i < f->n_exprs; i++) {
        const CExpr *e = f->exprs[i];
        if (e->kind != CE_LABEL) continue;
        CTok t = lex_next(b->text, e->range.from + 2, e->range.to);
        CStmt *label = map_get_ptr(&labels, lex_text(b->text, t));
        if (label) label->jump_target = true;
        f->flags |= CFN_COMPUTED_GOTO;
    }
    map_release(&labels);
}

/* Expressions. Implicit conversions are not nodes: the type they give an operand is its `converted`
 * type. In libclang they are unexposed expressions with one child of the same extent. */
#include "cfront/build.h"

static const COp binary_ops[] = {
    [CXBinaryOperator_Mul] = CO_MUL,
    [CXBinaryOperator_Div] = CO_DIV,
    [CXBinaryOperator_Rem] = CO_REM,
    [CXBinaryOperator_Add] = CO_ADD,
    [CXBinaryOperator_Sub] = CO_SUB,
    [CXBinaryOperator_Shl] = CO_SHL,
    [CXBinaryOperator_Shr] = CO_SHR,
    [CXBinaryOperator_LT] = CO_LT,
    [CXBinaryOperator_GT] = CO_GT,
    [CXBinaryOperator_LE] = CO_LE,
    [CXBinaryOperator_GE] = CO_GE,
    [CXBinaryOperator_EQ] = CO_EQ,
    [CXBinaryOperator_NE] = CO_NE,
    [CXBinaryOperator_And] = CO_AND,
    [CXBinaryOperator_Xor] = CO_XOR,
    [CXBinaryOperator_Or] = CO_OR,
    [CXBinaryOperator_LAnd] = CO_LAND,
    [CXBinaryOperator_LOr] = CO_LOR,
    [CXBinaryOperator_Comma] = CO_COMMA,
    [CXBinaryOperator_Assign] = CO_ASSIGN,
    [CXBinaryOperator_MulAssign] = CO_MUL_ASSIGN,
    [CXBinaryOperator_DivAssign] = CO_DIV_ASSIGN,
    [CXBinaryOperator_RemAssign] = CO_REM_ASSIGN,
    [CXBinaryOperator_AddAssign] = CO_ADD_ASSIGN,
    [CXBinaryOperator_SubAssign] = CO_SUB_ASSIGN,
    [CXBinaryOperator_ShlAssign] = CO_SHL_ASSIGN,
    [CXBinaryOperator_ShrAssign] = CO_SHR_ASSIGN,
    [CXBinaryOperator_AndAssign] = CO_AND_ASSIGN,
    [CXBinaryOperator_XorAssign] = CO_XOR_ASSIGN,
    [CXBinaryOperator_OrAssign] = CO_OR_ASSIGN,
};

static const COp unary_ops[] = {
    [CXUnaryOperator_PostInc] = CO_POST_INC,
    [CXUnaryOperator_PostDec] = CO_POST_DEC,
    [CXUnaryOperator_PreInc] = CO_PRE_INC,
    [CXUnaryOperator_PreDec] = CO_PRE_DEC,
    [CXUnaryOperator_AddrOf] = CO_ADDRESS,
    [CXUnaryOperator_Deref] = CO_DEREF,
    [CXUnaryOperator_Plus] = CO_PLUS,
    [CXUnaryOperator_Minus] = CO_MINUS,
    [CXUnaryOperator_Not] = CO_NOT,
    [CXUnaryOperator_LNot] = CO_LNOT,
    [CXUnaryOperator_Real] = CO_REAL,
    [CXUnaryOperator_Imag] = CO_IMAG,
    [CXUnaryOperator_Extension] = CO_EXTENSION,
};

static CExprKind expr_kind(enum CXCursorKind kind) {
    switch (kind) {
    case CXCursor_IntegerLiteral: return CE_INT;
    case CXCursor_CharacterLiteral: return CE_CHAR;
    case CXCursor_FloatingLiteral: return CE_FLOAT;
    case CXCursor_StringLiteral: return CE_STRING;
    case CXCursor_DeclRefExpr: return CE_REF;
    case CXCursor_MemberRefExpr: return CE_MEMBER;
    case CXCursor_ArraySubscriptExpr: return CE_INDEX;
    case CXCursor_CallExpr: return CE_CALL;
    case CXCursor_UnaryOperator: return CE_UNARY;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator: return CE_BINARY;
    case CXCursor_ConditionalOperator: return CE_COND;
    case CXCursor_CStyleCastExpr: return CE_CAST;
    case CXCursor_ParenExpr: return CE_PAREN;
    case CXCursor_UnaryExpr: return CE_SIZEOF;
    case CXCursor_InitListExpr: return CE_LIST;
    case CXCursor_CompoundLiteralExpr: return CE_LITERAL;
    case CXCursor_StmtExpr: return CE_BLOCK;
    case CXCursor_AddrLabelExpr: return CE_LABEL;
    default: return CE_OTHER;
    }
}

static bool parse_digits(Str s, uint64_t *value) {
    unsigned base = 10;
    size_t i = 0;
    if (s.len > 1 && s.at[0] == '0') {
        char c = (char)(s.at[1] | 0x20);
        base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
        i = base == 8 ? 1 : 2;
    }
    uint64_t v = 0;
    for (; i < s.len; i++) {
        char c = s.at[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 99;
        if (digit >= base) break;
        v = v * base + digit;
    }
    *value = v;
    for (; i < s.len; i++)
        if (!strchr("uUlLzZ", s.at[i])) return false;
    return true;
}

/* The value by clang's own evaluator: for character literals and what macros made. */
static bool evaluate(CXCursor cursor, uint64_t *value) {
    CXEvalResult r = clang_Cursor_Evaluate(cursor);
    if (!r) return false;
    bool good = clang_EvalResult_getKind(r) == CXEval_Int;
    if (good)
        *value = clang_EvalResult_isUnsignedInt(r) ? clang_EvalResult_getAsUnsigned(r)
                                                   : (uint64_t)clang_EvalResult_getAsLongLong(r);
    clang_EvalResult_dispose(r);
    return good;
}

static void read_literal(Build *b, CExpr *e, CXCursor cursor) {
    bool plain = e->kind == CE_INT && !(e->flags & CF_MACRO);
    if ((plain && parse_digits(cfront_text(b->unit, e->range), &e->value)) ||
        evaluate(cursor, &e->value))
        e->flags |= CF_CONSTANT;
}

static void add_operand(CExpr *e, CExpr *operand) {
    if (!operand) return;
    CExpr **tail = &e->first;
    while (*tail) tail = &(*tail)->next;
    *tail = operand;
    e->n_operands++;
}

static bool is_expr(CXCursor c) {
    return clang_isExpression(clang_getCursorKind(c)) != 0;
}

/* Structs, unions and enums declared in the type of a sizeof, a cast or a compound literal. */
static void read_tags(Build *b, Kids kids) {
    for (size_t i = 0; i < kids.n; i++) build_tag(b, build_kid(b, kids, i));
}

/* Operands in order; what is not an expression (references to types, members, labels) is skipped.
 */
static void read_operands(Build *b, CExpr *e, Kids kids) {
    CExpr **tail = &e->first;
    for (size_t i = 0; i < kids.n && !b->failed; i++) {
        if (!is_expr(build_kid(b, kids, i))) continue;
        CExpr *operand = build_expr(b, build_kid(b, kids, i), e);
        if (!operand) continue;
        *tail = operand;
        tail = &operand->next;
        e->n_operands++;
    }
}

static bool is_word_typeof(Str word) {
    return str_is(word, "typeof") || str_is(word, "__typeof__") || str_is(word, "__typeof") ||
           str_is(word, "typeof_unqual");
}

/* r, with its parentheses, is the operand of a typeof after `from`. */
static bool is_typeof_operand(Build *b, uint32_t from, CRange r) {
    for (CTok t = lex_next(b->text, from, r.from); t.kind != CTK_END;) {
        CTok next = lex_next(b->text, t.range.to, r.to);
        if (is_word_typeof(lex_text(b->text, t)) && next.range.from == r.from) return true;
        if (next.range.from >= r.from) break;
        t = next;
    }
    return false;
}

/* Marks the expressions from the first one on as not evaluated after all. */
static void mark_unevaluated(Build *b, size_t first) {
    for (size_t i = first; i < b->all_exprs.len; i++) b->all_exprs.at[i]->flags |= CF_UNEVALUATED;
}

CExpr *build_type_expr(Build *b, CXCursor cursor, uint32_t from, CExpr *parent) {
    uint32_t flags = b->expr_flags;
    uint64_t value;
    bool is_operand = is_typeof_operand(b, from, build_range(b, cursor));
    size_t first = b->all_exprs.len;
    if (!is_operand && evaluate(cursor, &value))
        b->expr_flags |= CF_UNEVALUATED | CF_NEEDS_CONSTANT;
    CExpr *e = build_expr(b, cursor, parent);
    if (is_operand && e && e->type->kind != CT_VLA) mark_unevaluated(b, first);
    b->expr_flags = flags;
    return e;
}

static bool has_operand_at(const CExpr *e, CRange r) {
    for (const CExpr *x = e->first; x; x = x->next)
        if (x->range.from == r.from && x->range.to == r.to) return true;
    return false;
}

/* An operand is evaluated when its type is a variable length array. Sizes in a type that is written
 * out come twice. */
static void read_sizeof(Build *b, CExpr *e, Kids kids) {
    CTok word = lex_next(b->text, e->range.from, e->range.to);
    CTok open = lex_next(b->text, word.range.to, e->range.to);
    uint32_t flags = b->expr_flags;
    if (!lex_is(b->text, word, "sizeof")) b->expr_flags |= CF_UNEVALUATED;
    for (size_t i = 0; i < kids.n && !b->failed; i++) {
        CXCursor kid = build_kid(b, kids, i);
        CRange r = build_range(b, kid);
        if (!is_expr(kid) || has_operand_at(e, r)) continue;
        size_t first = b->all_exprs.len;
        bool written = lex_is(b->text, open, "(") && r.from > open.range.from;
        CExpr *x = written ? build_type_expr(b, kid, e->range.from, e) : build_expr(b, kid, e);
        if (x && !written && x->type->kind != CT_VLA) mark_unevaluated(b, first);
        add_operand(e, x);
    }
    b->expr_flags = flags;
}

/* Only the type of the first operand matters; we are not told which of the others is chosen. */
static void read_generic(Build *b, CExpr *e, Kids kids) {
    CTok open =
        lex_next(b->text, lex_next(b->text, e->range.from, e->range.to).range.to, e->range.to);
    uint32_t from = lex_next(b->text, open.range.to, e->range.to).range.from;
    uint32_t flags = b->expr_flags;
    for (size_t i = 0; i < kids.n && !b->failed; i++) {
        CXCursor kid = build_kid(b, kids, i);
        if (!is_expr(kid)) continue;
        bool asked = build_range(b, kid).from == from || (e->flags & CF_MACRO);
        b->expr_flags = flags | (asked ? CF_UNEVALUATED : 0);
        add_operand(e, build_expr(b, kid, e));
    }
    b->expr_flags = flags;
}

static void read_unevaluated(Build *b, CExpr *e, Kids kids) {
    uint32_t flags = b->expr_flags;
    b->expr_flags |= CF_UNEVALUATED;
    read_operands(b, e, kids);
    b->expr_flags = flags;
}

/* The operator's token between two operands, unless macros hide it. */
static void find_operator(Build *b, CExpr *e, uint32_t from, uint32_t to) {
    if ((e->flags & CF_HAS_MACRO) && build_has_macro(b, (CRange){ from, to })) return;
    if (from > to || (e->flags & CF_MACRO)) return;
    CTok t = lex_next(b->text, from, to);
    while (t.kind == CTK_DIRECTIVE) t = lex_next(b->text, t.range.to, to);
    if (t.kind == CTK_PUNCT || t.kind == CTK_IDENT) e->op_range = t.range;
}

static void read_binary(Build *b, CExpr *e, Kids kids, CXCursor cursor) {
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    e->op = (size_t)kind < COUNT_OF(binary_ops) ? binary_ops[kind] : CO_NONE;
    if (e->op >= CO_ASSIGN) e->kind = CE_ASSIGN;
    read_operands(b, e, kids);
    if (e->n_operands == 2) find_operator(b, e, e->first->range.to, e->first->next->range.from);
}

static void read_unary(Build *b, CExpr *e, Kids kids, CXCursor cursor) {
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
    e->op = (size_t)kind < COUNT_OF(unary_ops) ? unary_ops[kind] : CO_NONE;
    read_operands(b, e, kids);
    if (e->n_operands != 1) return;
    bool post = e->op == CO_POST_INC || e->op == CO_POST_DEC;
    if (post)
        find_operator(b, e, e->first->range.to, e->range.to);
    else
        find_operator(b, e, e->range.from, e->first->range.from);
}

static void read_ref(Build *b, CExpr *e, CXCursor cursor) {
    CXCursor decl = clang_getCursorReferenced(cursor);
    if (clang_isInvalid(clang_getCursorKind(decl))) return;
    CDecl *d = build_decl_of(b, decl);
    e->decl = d;
    if (d->kind == CD_ENUMERATOR) {
        e->flags |= CF_CONSTANT;
        e->value = (uint64_t)d->value;
    }
}

static void read_member(Build *b, CExpr *e, Kids kids, CXCursor cursor) {
    e->field = build_field(b, clang_getCursorReferenced(cursor));
    read_operands(b, e, kids);
    if (!e->first) return;
    find_operator(b, e, e->first->range.to, e->range.to);
    const CType *base = e->first->converted;
    e->arrow = base->kind == CT_POINTER;
}

/* The operand of a cast, the list of a compound literal is its last child; sizes in its type come
 * before. */
static void read_cast(Build *b, CExpr *e, Kids kids) {
    size_t last = kids.n;
    while (last > 0 && !is_expr(build_kid(b, kids, last - 1))) last--;
    if (last == 0) return;
    add_operand(e, build_expr(b, build_kid(b, kids, last - 1), e));
    for (size_t i = 0; i + 1 < last; i++)
        if (is_expr(build_kid(b, kids, i)))
            add_operand(e, build_type_expr(b, build_kid(b, kids, i), e->range.from, e));
}

static void read_block(Build *b, CExpr *e, Kids kids) {
    if (kids.n == 0) return;
    CStmt *stmt = b->stmt;
    if (!b->function) return;
    e->block = build_stmt(b, build_kid(b, kids, 0), CSL_EXPR, stmt);
    if (e->block) e->block->in_expr = e;
    b->stmt = stmt;
}

static void read_cond(Build *b, CExpr *e, Kids kids) {
    read_operands(b, e, kids);
    if (e->n_operands >= 2) find_operator(b, e, e->first->range.to, e->first->next->range.from);
}

/* a ?: b has its first operand several times among its children. */
static void read_elvis(Build *b, CExpr *e, Kids kids) {
    e->kind = CE_COND;
    add_operand(e, build_expr(b, build_kid(b, kids, 0), e));
    add_operand(e, build_expr(b, build_kid(b, kids, kids.n - 1), e));
    if (e->n_operands == 2) find_operator(b, e, e->first->range.to, e->first->next->range.from);
}

static bool is_elvis(Build *b, Kids kids) {
    if (kids.n != 4 || !is_expr(build_kid(b, kids, 0))) return false;
    CRange first = build_range(b, build_kid(b, kids, 0));
    CTok t = lex_next(b->text, first.to, (uint32_t)b->text.len);
    return lex_is(b->text, t, "?");
}

static void read_other(Build *b, CExpr *e, Kids kids, CXCursor cursor) {
    Str text = cfront_text(b->unit, e->range);
    if (clang_getCursorKind(cursor) == CXCursor_ImaginaryLiteral) {
        return; /* "2i": the number inside has no text of its own */
    } else if (is_elvis(b, kids)) {
        read_elvis(b, e, kids);
    } else if ((str_starts(text, ".") || str_starts(text, "[")) && e->parent &&
               (e->parent->kind == CE_LIST || e->parent->kind == CE_DESIGNATED)) {
        e->kind = CE_DESIGNATED;
        read_cast(b, e, kids);
        if (e->first) e->type = e->converted = e->first->converted;
    } else if (clang_getCursorKind(cursor) == CXCursor_GenericSelectionExpr) {
        read_generic(b, e, kids);
    } else if (str_starts(text, "__builtin_offsetof") || str_starts(text, "__func__") ||
               str_starts(text, "__FUNCTION__") || str_starts(text, "__PRETTY_FUNCTION__")) {
        read_unevaluated(b, e, kids);
    } else {
        e->flags |= CF_EFFECT;
        read_operands(b, e, kids);
    }
}

static void read_parts(Build *b, CExpr *e, Kids kids, CXCursor cursor) {
    switch (e->kind) {
    case CE_INT:
    case CE_CHAR: read_literal(b, e, cursor); break;
    case CE_FLOAT:
    case CE_STRING:
    case CE_LABEL: break;
    case CE_REF: read_ref(b, e, cursor); break;
    case CE_MEMBER: read_member(b, e, kids, cursor); break;
    case CE_BINARY: read_binary(b, e, kids, cursor); break;
    case CE_UNARY: read_unary(b, e, kids, cursor); break;
    case CE_COND:
        if (is_elvis(b, kids))
            read_elvis(b, e, kids);
        else
            read_cond(b, e, kids);
        break;
    case CE_CAST:
    case CE_LITERAL: read_cast(b, e, kids); break;
    case CE_SIZEOF: read_sizeof(b, e, kids); break;
    case CE_BLOCK: read_block(b, e, kids); break;
    case CE_OTHER: read_other(b, e, kids, cursor); break;
    case CE_INDEX:
        read_operands(b, e, kids);
        if (e->first) find_operator(b, e, e->first->range.to, e->range.to);
        break;
    default: read_operands(b, e, kids); break;
    }
}

/* libclang undoes the decay of a parameter's type wherever it is the type of an expression. The
 * operands show where that happened. */
static bool decays(const CType *t) {
    return t->kind == CT_ARRAY || t->kind == CT_OPEN || t->kind == CT_VLA || t->kind == CT_FUNCTION;
}

static const CType *value_of_block(const CStmt *block) {
    const CStmt *last = block ? block->first : NULL;
    while (last && last->next) last = last->next;
    return last && last->kind == CS_EXPR && last->expr ? last->expr->converted : NULL;
}

/* The type of whichever of two operands is a pointer. */
static const CType *pointer_of(const CExpr *x) {
    if (!x) return NULL;
    if (x->converted->kind == CT_POINTER || !x->next) return x->converted;
    return x->next->converted;
}

static const CType *type_by_operands(const CExpr *e) {
    const CExpr *x = e->first;
    if (e->kind == CE_REF) return e->decl && e->decl->kind == CD_PARAM ? e->decl->type : NULL;
    if (e->kind == CE_BLOCK) return value_of_block(e->block);
    if (!x) return NULL;
    switch (e->kind) {
    case CE_PAREN:
    case CE_ASSIGN: return x->type;
    case CE_UNARY: return e->op == CO_DEREF ? x->converted->elem : x->type;
    case CE_BINARY: return e->op == CO_COMMA && x->next ? x->next->converted : pointer_of(x);
    case CE_INDEX: return pointer_of(x)->elem;
    case CE_COND: return pointer_of(x->next);
    default: return NULL;
    }
}

static void correct_decay(CExpr *e) {
    if (!decays(e->type)) return;
    const CType *t = type_by_operands(e);
    if (t && t->kind == CT_POINTER) e->type = e->converted = t;
}

/* The one child an implicit conversion has; kids of anything else fail one of the tests. */
static bool is_implicit(Build *b, Kids kids, CRange range, CXCursor *inner) {
    if (kids.n != 1 || !is_expr(build_kid(b, kids, 0))) return false;
    *inner = build_kid(b, kids, 0);
    CRange r = build_range(b, *inner);
    if (r.from != range.from || r.to != range.to) return false;
    char c = b->text.at[range.from];
    bool named = clang_getCursorKind(*inner) == CXCursor_StringLiteral; /* __func__ */
    return !named || c == '"' || c == 'L' || c == 'u' || c == 'U' || build_is_macro(b, range);
}

/* A member of an anonymous struct is reached through a nameless one: left out of the model. */
static bool is_anonymous_step(Build *b, CXCursor cursor) {
    if (clang_getCursorKind(cursor) != CXCursor_MemberRefExpr) return false;
    const CField *f = build_field(b, clang_getCursorReferenced(cursor));
    return f && f->is_anonymous;
}

static CExpr *new_expr(Build *b, CXCursor cursor, CRange range, CExpr *parent) {
    CExpr *e = ARENA_NEW(b->arena, CExpr);
    e->kind = expr_kind(clang_getCursorKind(cursor));
    e->range = range;
    e->flags = b->expr_flags;
    if (build_is_macro(b, range) || !build_is_ours(b, cursor))
        e->flags |= CF_MACRO | CF_HAS_MACRO;
    else if (build_has_macro(b, range))
        e->flags |= CF_HAS_MACRO;
    e->type = e->converted = build_type(b, clang_getCursorType(cursor));
    e->parent = parent;
    e->stmt = b->stmt;
    e->function = b->function;
    e->in_decl = b->in_decl;
    e->index = (uint32_t)b->all_exprs.len;
    vec_push(&b->all_exprs, e);
    return e;
}

static CExpr *pass_through(Build *b, CXCursor inner, const CType *converted, CExpr *parent) {
    CExpr *e = build_expr(b, inner, parent);
    if (!e || !converted) return e;
    bool undone = e->converted->kind == CT_POINTER && decays(converted);
    e->converted = undone ? e->converted->bare : converted;
    return e;
}

static CExpr *build_inner(Build *b, CXCursor cursor, CExpr *parent) {
    CRange range = build_range(b, cursor);
    Kids kids = build_kids(b, cursor);
    CXCursor inner;
    CExpr *e;
    if (clang_getCursorKind(cursor) == CXCursor_UnexposedExpr &&
        is_implicit(b, kids, range, &inner)) {
        e = pass_through(b, inner, build_type(b, clang_getCursorType(cursor)), parent);
    } else if (kids.n == 1 && is_anonymous_step(b, cursor)) {
        e = pass_through(b, build_kid(b, kids, 0), NULL, parent);
    } else {
        e = new_expr(b, cursor, range, parent);
        read_tags(b, kids);
        read_parts(b, e, kids, cursor);
        correct_decay(e);
    }
    build_drop(b, kids);
    return e;
}

CExpr *build_expr(Build *b, CXCursor cursor, CExpr *parent) {
    if (!build_enter(b)) return NULL;
    CExpr *e = build_inner(b, cursor, parent);
    build_leave(b);
    return e;
}

void build_type_exprs(Build *b, Kids kids, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (is_expr(build_kid(b, kids, i))) build_expr(b, build_kid(b, kids, i), NULL);
}

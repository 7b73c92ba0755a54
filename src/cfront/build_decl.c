/* Names and declarations. clang gives each declarator an extent that begins at the first specifier;
 * declarators with the same beginning are one group. Where the specifiers end and how the
 * declarators divide is read from the tokens. */
#include "cfront/build.h"

static Str key_of(const uint64_t *at) {
    return map_key_u64(at);
}

static bool is_tag(enum CXCursorKind kind) {
    return kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl || kind == CXCursor_EnumDecl;
}

/* ---- scopes ---- */
CScope *build_scope_open(Build *b, CStmt *stmt, CRange range) {
    CScope *s = ARENA_NEW(b->arena, CScope);
    s->parent = b->scope;
    s->depth = b->scope ? b->scope->depth + 1 : 0;
    s->range = range;
    s->stmt = stmt;
    s->n_decls = (uint32_t)b->scope_decls.len; /* until it is closed: where its names begin */
    b->scope = s;
    return s;
}

void build_scope_close(Build *b, CScope *s) {
    size_t from = s->n_decls, n = b->scope_decls.len - from;
    s->decls = arena_copy(b->arena, n ? (void *)&b->scope_decls.at[from] : "", n * sizeof(CDecl *));
    s->n_decls = (uint32_t)n;
    b->scope_decls.len = from;
    b->scope = (CScope *)s->parent;
}

static void enter_name(Build *b, CDecl *d) {
    d->scope = b->scope;
    vec_push(&b->all_decls, d);
    if (b->scope) vec_push(&b->scope_decls, d);
}

/* ---- one name ---- */
static CDeclKind decl_kind(enum CXCursorKind kind) {
    switch (kind) {
    case CXCursor_FunctionDecl: return CD_FUNCTION;
    case CXCursor_ParmDecl: return CD_PARAM;
    case CXCursor_TypedefDecl: return CD_TYPEDEF;
    case CXCursor_EnumConstantDecl: return CD_ENUMERATOR;
    default: return CD_VAR;
    }
}

static bool is_variably_modified(const CType *t) {
    for (; t; t = t->elem) {
        if (t->kind == CT_VLA) return true;
        if (t->kind == CT_FUNCTION) return false;
    }
    return false;
}

static uint32_t storage_flags(Build *b, CXCursor cursor, CDeclKind kind) {
    uint32_t flags = 0;
    switch (clang_Cursor_getStorageClass(cursor)) {
    case CX_SC_Static: flags |= CD_STATIC | CD_LASTING; break;
    case CX_SC_Extern: flags |= CD_EXTERN | CD_LASTING; break;
    case CX_SC_Register: flags |= CD_REGISTER; break;
    default: break;
    }
    if (kind == CD_VAR && clang_getCursorTLSKind(cursor) != CXTLS_None)
        flags |= CD_THREAD | CD_LASTING;
    if (!b->scope) flags |= CD_GLOBAL | (kind == CD_VAR ? CD_LASTING : 0);
    if (kind == CD_FUNCTION && clang_Cursor_isFunctionInlined(cursor)) flags |= CD_INLINE;
    return flags;
}

static void set_place(Build *b, CDecl *d, CXCursor cursor) {
    d->range = build_range(b, cursor);
    uint32_t at = build_offset(clang_getCursorLocation(cursor));
    d->name_range = (CRange){ at, at + (uint32_t)d->name.len };
    if (d->name_range.to > b->text.len || !str_eq(cfront_text(b->unit, d->name_range), d->name))
        d->name_range = (CRange){ 0, 0 };
    if (build_is_macro(b, d->range) || build_is_macro(b, d->name_range) ||
        (d->name.len && d->name_range.to == 0))
        d->flags |= CD_MACRO;
}

/* Arrays and functions as parameters are pointers; the function's type says which. */
static const CType *adjusted(Build *b, CXCursor function, unsigned i, const CType *t) {
    if (t->kind != CT_ARRAY && t->kind != CT_OPEN && t->kind != CT_VLA && t->kind != CT_FUNCTION)
        return t;
    CXType type = clang_getCanonicalType(clang_getCursorType(function));
    if ((int)i < clang_getNumArgTypes(type)) return build_type(b, clang_getArgType(type, i));
    CType *p = ARENA_NEW(b->arena, CType); /* old style: not the same object as clang's own */
    *p = (CType){ .kind = CT_POINTER, .is_complete = true, .size = 8, .align = 8, .bare = p };
    p->elem = t->kind == CT_FUNCTION ? t : t->elem;
    p->nameable = p->elem->nameable;
    p->weight = p->elem->weight + 1;
    p->spelling = STR("pointer");
    return p;
}

static CDecl *new_decl(Build *b, CXCursor cursor, bool in_text) {
    CDecl *d = ARENA_NEW(b->arena, CDecl);
    uint64_t key = (uint64_t)(uintptr_t)cursor.data[0];
    map_put_ptr(&b->decls, key_of(&key), d);
    d->kind = decl_kind(clang_getCursorKind(cursor));
    d->name = build_name(b, cursor);
    d->type = build_type(b, clang_getCursorType(cursor));
    if (d->kind == CD_TYPEDEF) d->type = build_type(b, clang_getTypedefDeclUnderlyingType(cursor));
    if (d->kind == CD_ENUMERATOR)
        d->value = d->type->is_signed ? clang_getEnumConstantDeclValue(cursor)
                                      : (int64_t)clang_getEnumConstantDeclUnsignedValue(cursor);
    d->flags = storage_flags(b, cursor, d->kind);
    d->first = d;
    d->local = UINT32_MAX;
    d->function = d->kind == CD_FUNCTION ? NULL : b->function;
    if (!in_text) {
        d->flags = (d->flags & ~(uint32_t)CD_GLOBAL) | CD_SYSTEM | CD_GLOBAL | CD_LASTING;
        d->function = NULL;
        return d;
    }
    set_place(b, d, cursor);
    CXCursor first = clang_getCanonicalCursor(cursor);
    if (first.data[0] != cursor.data[0]) d->first = build_decl_of(b, first)->first;
    if (is_variably_modified(d->type)) d->flags |= CD_VLA;
    return d;
}

CDecl *build_decl_of(Build *b, CXCursor cursor) {
    uint64_t key = (uint64_t)(uintptr_t)cursor.data[0];
    CDecl *d = map_get_ptr(&b->decls, key_of(&key));
    return d ? d : new_decl(b, cursor, false);
}

static void make_local(Build *b, CDecl *d) {
    if (!b->function || (d->flags & CD_LASTING)) return;
    d->local = (uint32_t)b->locals.len;
    vec_push(&b->locals, d);
}

/* ---- specifiers ---- */
static const struct SpecWord {
    const char *word;
    CSpecKind kind;
} spec_words[] = {
    { "const", CSP_CONST },
    { "__const", CSP_CONST },
    { "__const__", CSP_CONST },
    { "volatile", CSP_VOLATILE },
    { "__volatile", CSP_VOLATILE },
    { "__volatile__", CSP_VOLATILE },
    { "restrict", CSP_RESTRICT },
    { "__restrict", CSP_RESTRICT },
    { "__restrict__", CSP_RESTRICT },
    { "_Atomic", CSP_ATOMIC },
    { "long", CSP_LONG },
    { "short", CSP_SHORT },
    { "signed", CSP_SIGNED },
    { "__signed__", CSP_SIGNED },
    { "__signed", CSP_SIGNED },
    { "unsigned", CSP_UNSIGNED },
    { "int", CSP_INT },
    { "char", CSP_CHAR },
    { "float", CSP_FLOAT },
    { "double", CSP_DOUBLE },
    { "void", CSP_VOID },
    { "_Bool", CSP_BOOL },
    { "static", CSP_STATIC },
    { "extern", CSP_EXTERN },
    { "typedef", CSP_TYPEDEF },
    { "register", CSP_REGISTER },
    { "auto", CSP_AUTO },
    { "inline", CSP_INLINE },
    { "__inline", CSP_INLINE },
    { "__inline__", CSP_INLINE },
    { "_Noreturn", CSP_NORETURN },
    { "_Thread_local", CSP_THREAD },
    { "__thread", CSP_THREAD },
    { "struct", CSP_TAG },
    { "union", CSP_TAG },
    { "enum", CSP_TAG },
    { "__attribute__", CSP_ATTRIBUTE },
    { "__attribute", CSP_ATTRIBUTE },
    { "_Alignas", CSP_ATTRIBUTE },
    { "__extension__", CSP_ATTRIBUTE },
    { "typeof", CSP_NAME },
    { "__typeof__", CSP_NAME },
    { "__typeof", CSP_NAME },
    { "__auto_type", CSP_NAME },
    { "_Complex", CSP_OTHER },
    { "__complex__", CSP_OTHER },
    { "__int128", CSP_OTHER },
    { "__int128_t", CSP_NAME },
    { "_BitInt", CSP_OTHER },
};

static bool find_spec(Str word, CSpecKind *kind) {
    for (size_t i = 0; i < COUNT_OF(spec_words); i++)
        if (str_is(word, spec_words[i].word)) {
            *kind = spec_words[i].kind;
            return true;
        }
    return false;
}

static bool is_type_spec(CSpecKind kind) {
    return (kind >= CSP_LONG && kind <= CSP_BOOL) || kind == CSP_TAG || kind == CSP_NAME ||
           kind == CSP_OTHER;
}

/* After ( .. ) if that is at `at`. */
static uint32_t behind_parens(Build *b, uint32_t at, uint32_t to) {
    CTok t = lex_next(b->text, at, to);
    if (!lex_is(b->text, t, "(")) return at;
    uint32_t close = lex_match(b->text, t.range.from, to);
    return close == UINT32_MAX ? at : close + 1;
}

/* After the tag and the body of struct, union, enum; `at` is after the keyword. */
static uint32_t behind_tag(Build *b, uint32_t at, uint32_t to) {
    for (;;) {
        CTok t = lex_next(b->text, at, to);
        if (lex_is(b->text, t, "__attribute__") || lex_is(b->text, t, "__attribute"))
            at = behind_parens(b, t.range.to, to);
        else if (t.kind == CTK_IDENT) {
            at = t.range.to;
            t = lex_next(b->text, at, to);
            if (!lex_is(b->text, t, "{")) return at;
        } else if (lex_is(b->text, t, "{")) {
            uint32_t close = lex_match(b->text, t.range.from, to);
            return close == UINT32_MAX ? to : close + 1;
        } else
            return at;
    }
}

/* Reads specifiers from group->range.from on; stop: where the first declared name is. */
static void read_specs(Build *b, CDeclGroup *g, uint32_t stop) {
    VEC(CSpec) specs = { 0 };
    uint32_t at = g->range.from, to = g->range.to;
    bool typed = false;
    for (;;) {
        CTok t = lex_next(b->text, at, to);
        CSpecKind kind = CSP_OTHER;
        if (t.kind == CTK_DIRECTIVE) {
            at = t.range.to;
            continue;
        }
        if (t.kind != CTK_IDENT || t.range.from >= stop) break;
        if (!find_spec(lex_text(b->text, t), &kind)) {
            if (typed) break;
            kind = CSP_NAME;
        }
        CRange r = t.range;
        if (kind == CSP_TAG)
            r.to = behind_tag(b, r.to, to);
        else if (kind == CSP_ATTRIBUTE || kind == CSP_NAME || kind == CSP_ATOMIC ||
                 kind == CSP_OTHER)
            r.to = kind == CSP_NAME && !lex_is_keyword(lex_text(b->text, t))
                       ? r.to
                       : behind_parens(b, r.to, stop < to ? stop : to);
        typed = typed || is_type_spec(kind) || (kind == CSP_ATOMIC && r.to > t.range.to);
        vec_push(&specs, (CSpec){ kind, r });
        at = r.to;
    }
    g->n_specs = (uint32_t)specs.len;
    g->specs = BUILD_ARRAY(b, &specs, CSpec);
    g->specs_range = (CRange){ g->range.from, g->range.from };
    if (specs.len) g->specs_range = (CRange){ specs.at[0].range.from, vec_last(&specs).range.to };
    vec_release(&specs);
}

/* Divides what follows the specifiers at commas of depth 0: each declarator gets its exact range.
 * Stars before a declarator's name are noted. */
typedef struct Declarators {
    VEC(CRange) parts;
    VEC(CRange) stars;
} Declarators;

static void read_declarators(Build *b, const CDeclGroup *g, uint32_t end, Declarators *out) {
    unsigned depth = 0;
    bool named = false; /* the declarator's name (or '=') was seen: later stars are not pointers */
    uint32_t from = UINT32_MAX, last = 0;
    uint32_t at = g->specs_range.to;
    for (CTok t = lex_next(b->text, at, end);; t = lex_next(b->text, t.range.to, end)) {
        bool comma = depth == 0 && lex_is(b->text, t, ",");
        if (t.kind == CTK_END || comma || (depth == 0 && lex_is(b->text, t, ";"))) {
            if (from != UINT32_MAX) vec_push(&out->parts, (CRange){ from, last });
            from = UINT32_MAX;
            named = false;
            if (!comma) return;
            continue;
        }
        if (t.kind == CTK_DIRECTIVE) continue;
        if (from == UINT32_MAX) from = t.range.from;
        last = t.range.to;
        char c =
            t.kind == CTK_PUNCT && t.range.to == t.range.from + 1 ? b->text.at[t.range.from] : 0;
        if (c == '(' || c == '[' || c == '{') depth++;
        if ((c == ')' || c == ']' || c == '}') && depth) depth--;
        if (c == '*' && !named) vec_push(&out->stars, t.range);
        CSpecKind kind;
        if (c == '=' || c == '[' ||
            (t.kind == CTK_IDENT && !find_spec(lex_text(b->text, t), &kind)))
            named = true;
    }
}

static CDeclGroup *new_group(Build *b, CGroupKind kind, CRange range) {
    CDeclGroup *g = ARENA_NEW(b->arena, CDeclGroup);
    g->kind = kind;
    g->range = range;
    g->function = b->function;
    return g;
}

static void set_stars(Build *b, CDeclGroup *g, const Declarators *d) {
    g->stars = BUILD_ARRAY(b, &d->stars, CRange);
    g->n_stars = (uint32_t)d->stars.len;
}

static void release_declarators(Declarators *d) {
    vec_release(&d->parts);
    vec_release(&d->stars);
}

/* Where the declaration that begins at `from` ends: after the ';' of depth 0 at or after `at`. */
static uint32_t find_semicolon(Build *b, uint32_t at) {
    uint32_t to = (uint32_t)b->text.len;
    unsigned depth = 0;
    for (CTok t = lex_next(b->text, at, to); t.kind != CTK_END;
         t = lex_next(b->text, t.range.to, to)) {
        if (t.kind != CTK_PUNCT || t.range.to != t.range.from + 1) continue;
        char c = b->text.at[t.range.from];
        if (c == '(' || c == '[' || c == '{') depth++;
        if (c == ')' || c == ']' || c == '}') {
            if (depth == 0) return at;
            depth--;
        }
        if (c == ';' && depth == 0) return t.range.to;
    }
    return to;
}

/* ---- tags ---- */
static void read_enum(Build *b, CXCursor cursor) {
    build_type(b, clang_getCursorType(cursor));
    Kids kids = build_kids(b, cursor);
    uint32_t index = 0;
    for (size_t i = 0; i < kids.n; i++) {
        CXCursor kid = build_kid(b, kids, i);
        if (clang_getCursorKind(kid) != CXCursor_EnumConstantDecl) continue;
        CDecl *d = new_decl(b, kid, true);
        d->index = index++;
        enter_name(b, d);
        uint32_t flags = b->expr_flags;
        b->expr_flags |= CF_NEEDS_CONSTANT | CF_UNEVALUATED;
        Kids inner = build_kids(b, kid);
        build_type_exprs(b, inner, 0, inner.n);
        build_drop(b, inner);
        b->expr_flags = flags;
    }
    build_drop(b, kids);
}

/* Fields [i, ..) that begin at one place are one group. */
static size_t read_field_group(Build *b, Kids kids, size_t i, CRecord *r) {
    CRange range = build_range(b, build_kid(b, kids, i));
    size_t n = 1;
    uint32_t last = range.to;
    while (i + n < kids.n && clang_getCursorKind(build_kid(b, kids, i + n)) == CXCursor_FieldDecl) {
        CRange next = build_range(b, build_kid(b, kids, i + n));
        if (next.from != range.from) break;
        last = next.to;
        n++;
    }
    if (build_has_macro(b, (CRange){ range.from, last })) return n;
    CDeclGroup *g = new_group(b, CG_FIELD, (CRange){ range.from, find_semicolon(b, last) });
    g->record = r;
    g->n_fields = (uint32_t)n;
    CField *first = (CField *)build_field(b, build_kid(b, kids, i));
    if (!first) return n;
    g->first_field = first->index;
    uint32_t stop = first->name_range.to ? first->name_range.from : range.to;
    read_specs(b, g, stop);
    Declarators d = { 0 };
    read_declarators(b, g, g->range.to, &d);
    set_stars(b, g, &d);
    for (size_t k = 0; k < n; k++) {
        CField *f = (CField *)build_field(b, build_kid(b, kids, i + k));
        f->group = g;
        if (d.parts.len == n) f->range = d.parts.at[k];
    }
    release_declarators(&d);
    vec_push(&b->all_groups, g);
    return n;
}

/* The condition comes first, then the message. */
static void read_static_assert(Build *b, CXCursor cursor) {
    if (clang_getCursorKind(cursor) != CXCursor_StaticAssert) return;
    uint32_t flags = b->expr_flags;
    b->expr_flags |= CF_NEEDS_CONSTANT | CF_UNEVALUATED;
    Kids kids = build_kids(b, cursor);
    build_type_exprs(b, kids, 0, kids.n ? 1 : 0);
    build_drop(b, kids);
    b->expr_flags = flags;
}

static void read_record(Build *b, CXCursor cursor) {
    CRecord *r = build_record(b, cursor);
    if (!r->scope) r->scope = b->scope;
    if (!clang_isCursorDefinition(cursor)) return;
    Kids kids = build_kids(b, cursor);
    for (size_t i = 0; i < kids.n;) {
        CXCursor kid = build_kid(b, kids, i);
        enum CXCursorKind kind = clang_getCursorKind(kid);
        build_tag(b, kid);
        read_static_assert(b, kid);
        if (kind != CXCursor_FieldDecl) {
            i++;
            continue;
        }
        size_t n = read_field_group(b, kids, i, r);
        uint32_t flags = b->expr_flags;
        b->expr_flags |= CF_NEEDS_CONSTANT | CF_UNEVALUATED;
        for (size_t k = 0; k < n; k++) {
            Kids inner = build_kids(b, build_kid(b, kids, i + k));
            build_type_exprs(b, inner, 0, inner.n);
            build_drop(b, inner);
        }
        b->expr_flags = flags;
        i += n;
    }
    build_drop(b, kids);
}

/* clang shows some of them twice: in a type and in the expression that has it. */
static bool is_read_already(Build *b, CXCursor cursor) {
    uint64_t key = (uint64_t)(uintptr_t)cursor.data[0];
    return !map_put(&b->tags, key_of(&key), 1);
}

void build_tag(Build *b, CXCursor cursor) {
    if (!is_tag(clang_getCursorKind(cursor)) || is_read_already(b, cursor)) return;
    if (!build_enter(b)) return;
    if (clang_getCursorKind(cursor) == CXCursor_EnumDecl)
        read_enum(b, cursor);
    else
        read_record(b, cursor);
    build_leave(b);
}

/* ---- attributes ---- */
/* The function of a cleanup gets the variable's address. */
static bool gives_address(Build *b, CXCursor attribute) {
    CRange r = build_range(b, attribute);
    return build_is_macro(b, r) || str_find(cfront_text(b->unit, r), STR("cleanup"), 0) != STR_NONE;
}

static void read_attribute(Build *b, CXCursor cursor, CDecl *d) {
    if (!clang_isAttribute(clang_getCursorKind(cursor))) return;
    d->flags |= CD_ATTRIBUTE;
    ((CDecl *)d->first)->flags |= CD_ATTRIBUTE;
    if (d->kind == CD_VAR && gives_address(b, cursor)) ((CDecl *)d->first)->flags |= CD_ADDRESS;
}

static void read_attributes(Build *b, CXCursor cursor, CDecl *d) {
    Kids kids = build_kids(b, cursor);
    for (size_t i = 0; i < kids.n; i++) read_attribute(b, build_kid(b, kids, i), d);
    build_drop(b, kids);
}

/* ---- parameters and functions ---- */
static void read_param(Build *b, CXCursor cursor, CDecl *d, bool old_style) {
    Kids kids = build_kids(b, cursor);
    for (size_t i = 0; i < kids.n; i++) {
        read_attribute(b, build_kid(b, kids, i), d);
        build_tag(b, build_kid(b, kids, i));
    }
    uint32_t flags = b->expr_flags;
    if (!b->function) b->expr_flags |= CF_UNEVALUATED; /* a prototype's sizes are only checked */
    for (size_t i = 0; i < kids.n; i++)
        if (clang_isExpression(clang_getCursorKind(build_kid(b, kids, i))))
            build_type_expr(b, build_kid(b, kids, i), d->range.from, NULL);
    b->expr_flags = flags;
    build_drop(b, kids);
    if (old_style || (d->flags & CD_MACRO)) return;
    CDeclGroup *g = new_group(b, CG_PARAM, d->range);
    CDecl **one = ARENA_NEW(b->arena, CDecl *);
    *one = d;
    g->decls = one;
    g->n_decls = 1;
    read_specs(b, g, d->name_range.to ? d->name_range.from : d->range.to);
    Declarators parts = { 0 };
    read_declarators(b, g, g->range.to, &parts);
    set_stars(b, g, &parts);
    release_declarators(&parts);
    d->group = g;
    vec_push(&b->all_groups, g);
}

/* The inside of the parameter list's parentheses, after the name. */
static CRange find_params(Build *b, const CDecl *d) {
    uint32_t to = d->range.to;
    if (d->flags & CD_MACRO) return (CRange){ 0, 0 };
    CTok t = lex_next(b->text, d->name_range.to, to);
    while (lex_is(b->text, t, ")")) t = lex_next(b->text, t.range.to, to);
    if (!lex_is(b->text, t, "(")) return (CRange){ 0, 0 };
    uint32_t close = lex_match(b->text, t.range.from, to);
    return close == UINT32_MAX ? (CRange){ 0, 0 } : (CRange){ t.range.to, close };
}

/* Old style: a parameter's declaration follows the closing parenthesis or is missing (then it
 * is the bare name). clang gives some of them a prototype. */
static bool is_old_style(Build *b, const CDecl *d, CXCursor cursor, int n) {
    if (n <= 0 || d->params_range.to == 0) return false;
    if (clang_getCursorType(cursor).kind == CXType_FunctionNoProto || d->type->no_prototype)
        return true;
    for (int i = 0; i < n; i++) {
        CXCursor arg = clang_Cursor_getArgument(cursor, (unsigned)i);
        CRange range = build_range(b, arg);
        Str name = build_name(b, arg);
        if (range.from >= d->params_range.to) return true;
        if (name.len && range.to - range.from == name.len) return true;
    }
    return false;
}

static void read_params(Build *b, CXCursor cursor, CDecl *d) {
    int n = clang_Cursor_getNumArguments(cursor);
    d->params_range = find_params(b, d);
    bool old = is_old_style(b, d, cursor, n);
    if (n <= 0) return;
    CDecl **params = ARENA_ARRAY(b->arena, CDecl *, n);
    for (int i = 0; i < n; i++) {
        CXCursor arg = clang_Cursor_getArgument(cursor, (unsigned)i);
        CDecl *p = params[i] = new_decl(b, arg, true);
        p->index = (uint32_t)i;
        p->type = adjusted(b, cursor, (unsigned)i, p->type);
        p->flags &= ~(uint32_t)(CD_LASTING | CD_GLOBAL);
        enter_name(b, p);
        make_local(b, p);
        read_param(b, arg, p, old);
    }
    d->params = params;
    d->n_params = (uint32_t)n;
}

static void finish_function(Build *b, CFunction *f, size_t first_stmt, size_t first_expr) {
    f->locals = BUILD_ARRAY(b, &b->locals, CDecl *);
    f->n_locals = (uint32_t)b->locals.len;
    f->n_stmts = (uint32_t)(b->all_stmts.len - first_stmt);
    f->stmts = arena_copy(b->arena, b->all_stmts.at + first_stmt, f->n_stmts * sizeof(CStmt *));
    f->n_exprs = (uint32_t)(b->all_exprs.len - first_expr);
    f->exprs = arena_copy(b->arena, f->n_exprs ? (void *)(b->all_exprs.at + first_expr) : "",
                          f->n_exprs * sizeof(CExpr *));
    build_resolve_gotos(b, f);
    if (b->uncertain) f->flags |= CFN_UNCERTAIN;
}

static CXCursor find_body(Build *b, CXCursor cursor) {
    Kids kids = build_kids(b, cursor);
    CXCursor body = clang_getNullCursor();
    if (kids.n && clang_getCursorKind(build_kid(b, kids, kids.n - 1)) == CXCursor_CompoundStmt)
        body = build_kid(b, kids, kids.n - 1);
    build_drop(b, kids);
    return body;
}

void build_function(Build *b, CXCursor cursor, CDecl *d) {
    CXCursor body = find_body(b, cursor);
    if (clang_Cursor_isNull(body)) return;
    CFunction *f = ARENA_NEW(b->arena, CFunction);
    size_t first_stmt = b->all_stmts.len, first_expr = b->all_exprs.len;
    f->name = d->name;
    f->decl = d;
    f->index = (uint32_t)b->all_functions.len;
    f->range = d->range;
    vec_push(&b->all_functions, f);
    d->function = f;
    b->function = f;
    b->uncertain = false;
    vec_clear(&b->locals);
    CScope *scope = build_scope_open(b, NULL, f->range);
    read_params(b, cursor, d);
    f->scope = scope;
    f->params = d->params;
    f->n_params = d->n_params;
    f->params_range = d->params_range;
    if (d->type->is_variadic) f->flags |= CFN_VARIADIC;
    if (is_old_style(b, d, cursor, (int)f->n_params)) f->flags |= CFN_KR;
    if (d->flags & CD_MACRO) f->flags |= CFN_MACRO;
    if (str_is(f->name, "main")) {
        f->flags |= CFN_MAIN;
        b->unit->main = f;
    }
    f->body = build_stmt(b, body, CSL_FUNCTION, NULL);
    build_scope_close(b, scope);
    if (!b->failed) finish_function(b, f, first_stmt, first_expr);
    b->function = NULL;
}

/* ---- whole declarations ---- */
static void read_initialiser(Build *b, CXCursor cursor, CDecl *d) {
    CXCursor init =
        d->kind == CD_VAR ? clang_Cursor_getVarDeclInitializer(cursor) : clang_getNullCursor();
    bool has_init = !clang_Cursor_isNull(init) && !clang_isInvalid(clang_getCursorKind(init));
    CDecl *outer = b->in_decl;
    uint32_t flags = b->expr_flags;
    b->in_decl = d;
    Kids kids = build_kids(b, cursor);
    for (size_t i = 0; i < kids.n; i++) {
        CXCursor kid = build_kid(b, kids, i);
        enum CXCursorKind kind = clang_getCursorKind(kid);
        build_tag(b, kid);
        read_attribute(b, kid, d);
        if (has_init && clang_equalCursors(kid, init)) {
            b->expr_flags = flags | (d->flags & CD_LASTING ? CF_NEEDS_CONSTANT : 0);
            d->init = build_expr(b, kid, NULL);
            if (d->init) d->init_range = d->init->range;
        } else if (clang_isExpression(kind)) {
            bool file_scope = !b->scope;
            b->expr_flags = flags | (file_scope || !(d->flags & CD_VLA) ? CF_NEEDS_CONSTANT : 0);
            build_type_expr(b, kid, d->group->range.from, NULL);
        }
        b->expr_flags = flags;
    }
    build_drop(b, kids);
    b->in_decl = outer;
}

static void name_type(CDecl *d) {
    CType *t = (CType *)d->type;
    bool unnamed = (t->kind == CT_RECORD && t->record->tag.len == 0) ||
                   (t->kind == CT_ENUM && t->tag.len == 0);
    if (!unnamed || t->alias || t->quals) return;
    t->alias = d;
    t->nameable = true;
}

static void read_name(Build *b, CXCursor cursor, CDecl *d, CStmt *stmt) {
    d->stmt = stmt;
    enter_name(b, d);
    if (d->kind == CD_VAR) {
        make_local(b, d);
        if (!b->scope) vec_push(&b->all_globals, d);
        read_initialiser(b, cursor, d);
        if (b->scope && (d->flags & CD_VLA)) b->scope->has_vla = true;
    } else if (d->kind == CD_TYPEDEF) {
        name_type(d);
        if (b->scope && (d->flags & CD_VLA)) b->scope->has_vla = true;
        read_initialiser(b, cursor, d);
    } else if (d->kind == CD_FUNCTION) {
        read_attributes(b, cursor, d);
        if (clang_isCursorDefinition(cursor))
            build_function(b, cursor, d);
        else {
            CFunction *outer = b->function;
            b->function = NULL; /* parameters of a prototype are nobody's locals */
            CScope *scope = build_scope_open(b, NULL, d->range);
            read_params(b, cursor, d);
            build_scope_close(b, scope);
            b->function = outer;
        }
    }
}

static bool is_name(enum CXCursorKind kind) {
    return kind == CXCursor_VarDecl || kind == CXCursor_FunctionDecl ||
           kind == CXCursor_TypedefDecl;
}

/* noreturn stands among the specifiers or after the parameters. */
static void find_noreturn(Build *b, const CDeclGroup *g, CDecl *d) {
    if (d->kind != CD_FUNCTION || (d->flags & CD_MACRO)) return;
    CRange r = { g->range.from, g->kind == CG_FUNCTION ? d->params_range.from : g->range.to };
    if (r.from < r.to && str_find(cfront_text(b->unit, r), STR("noreturn"), 0) != STR_NONE)
        d->flags |= CD_NORETURN;
}

static bool is_definition(CXCursor c) {
    return clang_getCursorKind(c) == CXCursor_FunctionDecl && clang_isCursorDefinition(c);
}

/* Specifiers, declarators and their ranges, once the names are known. */
static void describe_group(Build *b, CDeclGroup *g, CDecl **decls, size_t n, bool definition) {
    if (n == 0) {
        read_specs(b, g, g->range.to);
        return;
    }
    read_specs(b, g, decls[0]->name_range.from);
    uint32_t end = definition ? (decls[0]->params_range.to ? decls[0]->params_range.to + 1
                                                           : decls[0]->name_range.to)
                              : g->range.to;
    Declarators parts = { 0 };
    read_declarators(b, g, end, &parts);
    set_stars(b, g, &parts);
    for (size_t k = 0; k < n; k++)
        if (parts.parts.len == n && crange_in(decls[k]->name_range, parts.parts.at[k]))
            decls[k]->range = parts.parts.at[k];
    release_declarators(&parts);
}

static CDeclGroup *make_group(Build *b, uint32_t from, uint32_t last, CStmt *stmt,
                              bool definition) {
    CGroupKind kind = definition ? CG_FUNCTION : stmt ? CG_LOCAL : CG_GLOBAL;
    uint32_t to = stmt ? stmt->range.to : definition ? last : find_semicolon(b, last);
    CDeclGroup *g = new_group(b, kind, (CRange){ from, to });
    g->stmt = stmt;
    return g;
}

/* How many names from i on are one declaration: those that begin at one place, or all of a
 * statement (there clang lets the later ones begin at their own declarators). */
static size_t count_names(Build *b, Kids kids, size_t i, uint32_t from, bool all, uint32_t *last) {
    size_t n = 0;
    while (i + n < kids.n && is_name(clang_getCursorKind(build_kid(b, kids, i + n)))) {
        CRange r = build_range(b, build_kid(b, kids, i + n));
        if (r.from != from && !all) break;
        *last = r.to;
        n++;
    }
    return n;
}

size_t build_declaration(Build *b, Kids kids, size_t i, CStmt *stmt) {
    size_t tags = 0;
    while (i + tags < kids.n && is_tag(clang_getCursorKind(build_kid(b, kids, i + tags)))) tags++;
    CRange range = build_range(b, build_kid(b, kids, i));
    uint32_t last = range.to;
    size_t n = 0;
    if (i + tags < kids.n) {
        CRange r = build_range(b, build_kid(b, kids, i + tags));
        if (tags == 0 || r.from <= range.from) {
            range.from = r.from;
            n = count_names(b, kids, i + tags, r.from, stmt != NULL, &last);
        }
    }
    if (n == 0 && tags > 1) tags = 1; /* `struct a { .. }; struct b { .. };` */
    for (size_t k = 0; k < tags; k++) build_tag(b, build_kid(b, kids, i + k));
    if (n == 0 && tags == 0) { /* _Static_assert, asm at file scope, a stray ';' */
        read_static_assert(b, build_kid(b, kids, i));
        return 1;
    }
    bool definition = n == 1 && is_definition(build_kid(b, kids, i + tags));
    CDeclGroup *g = make_group(b, range.from, last, stmt, definition);
    CDecl **decls = ARENA_ARRAY(b->arena, CDecl *, n + 1);
    g->decls = decls;
    g->n_decls = (uint32_t)n;
    g->in_macro = build_is_macro(b, g->range);
    vec_push(&b->all_groups, g);
    if (b->all_groups.len > BUILD_MOST_GROUPS && !b->failed) {
        err_set(b->err, STATUS_BAD, "%s: too many declarations", b->unit->name);
        b->failed = true;
    }
    for (size_t k = 0; k < n; k++) {
        CXCursor c = build_kid(b, kids, i + tags + k);
        CDecl *d = decls[k] = new_decl(b, c, true);
        d->group = g;
        read_name(b, c, d, stmt);
    }
    for (size_t k = 0; k < n; k++) find_noreturn(b, g, decls[k]);
    if (stmt) stmt->group = g;
    if (!build_has_macro(b, g->range) || definition || stmt)
        describe_group(b, g, decls, n, definition);
    return tags + n;
}

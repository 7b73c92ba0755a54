/* Cursors, ranges, macros; the top level of a text. */
#include "cfront/build.h"

#include <stdlib.h>

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data) {
    Build *b = data;
    (void)parent;
    vec_push(&b->kids, cursor);
    return CXChildVisit_Continue;
}

Kids build_kids(Build *b, CXCursor cursor) {
    Kids kids = { b->kids.len, 0 };
    clang_visitChildren(cursor, collect, b);
    kids.n = b->kids.len - kids.from;
    return kids;
}

void build_drop(Build *b, Kids kids) {
    b->kids.len = kids.from;
}

uint32_t build_offset(CXSourceLocation where) {
    unsigned offset = 0;
    clang_getExpansionLocation(where, NULL, NULL, NULL, &offset);
    return offset;
}

CRange build_range(Build *b, CXCursor cursor) {
    CXSourceRange r = clang_getCursorExtent(cursor);
    CRange range = { build_offset(clang_getRangeStart(r)), build_offset(clang_getRangeEnd(r)) };
    if (range.to > b->text.len) range.to = (uint32_t)b->text.len;
    if (range.from > range.to) range.from = range.to;
    return range;
}

/* The first expansion that ends after `at`. */
static const CRange *macro_at(const Build *b, uint32_t at) {
    size_t low = 0, high = b->macros.len;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (b->macros.at[mid].to <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low < b->macros.len ? &b->macros.at[low] : NULL;
}

bool build_is_macro(const Build *b, CRange r) {
    if (b->macros.len == 0) return false;
    const CRange *m = macro_at(b, r.from);
    if (m && m->from <= r.from) return true;
    m = r.to ? macro_at(b, r.to - 1) : NULL;
    return m && m->from < r.to;
}

bool build_has_macro(const Build *b, CRange r) {
    if (b->macros.len == 0) return false;
    const CRange *m = macro_at(b, r.from);
    return m && m->from < r.to;
}

bool build_in_text(CXCursor cursor) {
    CXSourceLocation where = clang_getCursorLocation(cursor);
    return clang_Location_isFromMainFile(where) && !clang_Location_isInSystemHeader(where);
}

bool build_is_ours(const Build *b, CXCursor cursor) {
    return !b->includes_inside || build_in_text(cursor);
}

/* A file is included inside braces: parts of functions may be elsewhere. */
static bool has_include_inside(Str text) {
    uint32_t to = (uint32_t)text.len;
    int depth = 0;
    for (CTok t = lex_next(text, 0, to); t.kind != CTK_END; t = lex_next(text, t.range.to, to)) {
        char c = text.at[t.range.from];
        if (t.kind == CTK_PUNCT && (c == '{' || c == '}')) depth += c == '{' ? 1 : -1;
        if (t.kind == CTK_DIRECTIVE && depth > 0 &&
            str_find(lex_text(text, t), STR("include"), 0) != STR_NONE)
            return true;
    }
    return false;
}

bool build_enter(Build *b) {
    if (b->failed) return false;
    if (++b->depth > BUILD_MOST_DEPTH) {
        err_set(b->err, STATUS_BAD, "%s: nested too deeply", b->unit->name);
        b->failed = true;
        return false;
    }
    return true;
}

Str build_name(Build *b, CXCursor cursor) {
    CXString s = clang_getCursorSpelling(cursor);
    Str name = arena_str(b->arena, str_from(clang_getCString(s)));
    clang_disposeString(s);
    return name;
}

/* Expansions come in source order but nested ones (in arguments) follow their outer one: keep the
 * outer ones, merged. */
static void add_macro(Build *b, CRange r) {
    if (b->macros.len && r.from < vec_last(&b->macros).to) {
        if (r.to > vec_last(&b->macros).to) vec_last(&b->macros).to = r.to;
        return;
    }
    vec_push(&b->macros, r);
}

static int compare_cursors_by_place(const void *left, const void *right) {
    const CRange *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->to > b->to ? -1 : a->to < b->to;
}

static void collect_macros(Build *b, Kids kids) {
    VEC(CRange) found = { 0 };
    for (size_t i = 0; i < kids.n; i++) {
        CXCursor c = build_kid(b, kids, i);
        if (clang_getCursorKind(c) != CXCursor_MacroExpansion) continue;
        if (!clang_Location_isFromMainFile(clang_getCursorLocation(c))) continue;
        vec_push(&found, build_range(b, c));
    }
    if (found.len) qsort(found.at, found.len, sizeof(CRange), compare_cursors_by_place);
    for (size_t i = 0; i < found.len; i++) add_macro(b, found.at[i]);
    vec_release(&found);
    b->unit->has_macros = b->macros.len > 0;
}

static void finish_unit(Build *b) {
    CUnit *u = b->unit;
    u->functions = BUILD_ARRAY(b, &b->all_functions, CFunction *);
    u->n_functions = (uint32_t)b->all_functions.len;
    u->globals = BUILD_ARRAY(b, &b->all_globals, CDecl *);
    u->n_globals = (uint32_t)b->all_globals.len;
    u->decls = BUILD_ARRAY(b, &b->all_decls, CDecl *);
    u->n_decls = (uint32_t)b->all_decls.len;
    u->groups = BUILD_ARRAY(b, &b->all_groups, const CDeclGroup *);
    u->n_groups = (uint32_t)b->all_groups.len;
    u->records = (const CRecord *const *)BUILD_ARRAY(b, &b->all_records, CRecord *);
    u->n_records = (uint32_t)b->all_records.len;
    u->stmts = BUILD_ARRAY(b, &b->all_stmts, CStmt *);
    u->n_stmts = (uint32_t)b->all_stmts.len;
    u->exprs = BUILD_ARRAY(b, &b->all_exprs, CExpr *);
    u->n_exprs = (uint32_t)b->all_exprs.len;
    u->types = (const CType *const *)BUILD_ARRAY(b, &b->all_types, CType *);
    u->n_types = (uint32_t)b->all_types.len;
}

static bool is_top_item(CXCursor c) {
    enum CXCursorKind kind = clang_getCursorKind(c);
    return (clang_isDeclaration(kind) || kind == CXCursor_StaticAssert) && build_in_text(c);
}

void build_unit(Build *b) {
    Kids all = build_kids(b, clang_getTranslationUnitCursor(b->tu));
    collect_macros(b, all);
    b->includes_inside = has_include_inside(b->text);
    size_t n = 0; /* keep what is in the text, compacted */
    for (size_t i = 0; i < all.n; i++)
        if (is_top_item(build_kid(b, all, i))) b->kids.at[all.from + n++] = build_kid(b, all, i);
    all.n = n;
    b->kids.len = all.from + n;
    for (size_t i = 0; i < all.n && !b->failed;) i += build_declaration(b, all, i, NULL);
    build_drop(b, all);
    if (b->failed) return;
    build_settle_records(b);
    finish_unit(b);
    build_facts(b);
    build_assigned(b);
}

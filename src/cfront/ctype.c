/* Questions about types, C's integer conversions, and the declarator syntax. */
#include "cfront/cfront.h"

bool ctype_is_integer(const CType *t) {
    return t->kind == CT_BOOL || ((t->kind == CT_INT || t->kind == CT_ENUM) && t->width <= 64);
}

bool ctype_is_arithmetic(const CType *t) {
    return ctype_is_integer(t) || t->kind == CT_INT || t->kind == CT_FLOAT;
}

bool ctype_is_scalar(const CType *t) {
    return ctype_is_arithmetic(t) || t->kind == CT_POINTER || t->kind == CT_COMPLEX;
}

unsigned cint_width(CIntKind kind) {
    static const uint8_t width[] = { 0, 1, 8, 8, 8, 16, 16, 32, 32, 64, 64, 64, 64, 128, 128 };
    return width[kind];
}

bool cint_is_signed(CIntKind kind) {
    switch (kind) {
    case CI_CHAR:
    case CI_SCHAR:
    case CI_SHORT:
    case CI_INT:
    case CI_LONG:
    case CI_LLONG:
    case CI_INT128: return true;
    default: return false;
    }
}

const char *cint_name(CIntKind kind) {
    static const char *const names[] = {
        "",
        "_Bool",
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "__int128",
        "unsigned __int128",
    };
    return names[kind];
}

static unsigned rank(CIntKind kind) {
    static const uint8_t ranks[] = { 0, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7 };
    return ranks[kind];
}

CIntKind cint_promote(CIntKind kind, int bits) {
    if (bits >= 0) {
        if (bits < 32 || (bits == 32 && cint_is_signed(kind))) return CI_INT;
        if (bits == 32) return CI_UINT;
    }
    return rank(kind) < rank(CI_INT) ? CI_INT : kind;
}

static CIntKind make_unsigned(CIntKind kind) {
    return cint_is_signed(kind) ? kind + 1 : kind;
}

CIntKind cint_usual(CIntKind a, CIntKind b) {
    if (a == b) return a;
    if (cint_is_signed(a) == cint_is_signed(b)) return rank(a) > rank(b) ? a : b;
    CIntKind u = cint_is_signed(a) ? b : a, s = cint_is_signed(a) ? a : b;
    if (rank(u) >= rank(s)) return u;
    return cint_width(s) > cint_width(u) ? s : make_unsigned(s);
}

/* ---- declarators: built inside out around the name ---- */
static void add_quals(Buf *out, unsigned quals) {
    if (quals & CQ_CONST) buf_text(out, "const ");
    if (quals & CQ_VOLATILE) buf_text(out, "volatile ");
    if (quals & CQ_RESTRICT) buf_text(out, "restrict ");
    if (quals & CQ_ATOMIC) buf_text(out, "_Atomic ");
}

static void add_base(Buf *out, const CType *t) {
    add_quals(out, t->quals);
    if (t->alias)
        buf_str(out, t->alias->name);
    else if (t->bare->alias)
        buf_str(out, t->bare->alias->name);
    else if (t->kind == CT_INT || t->kind == CT_BOOL)
        buf_text(out, cint_name(t->int_kind));
    else if (t->kind == CT_RECORD)
        buf_fmt(out, "%s " STR_FMT, t->record->is_union ? "union" : "struct",
                STR_ARG(t->record->tag));
    else if (t->kind == CT_ENUM)
        buf_fmt(out, "enum " STR_FMT, STR_ARG(t->tag));
    else
        buf_str(out, t->bare->spelling);
}

static void add_params(Buf *out, const CType *t) {
    buf_char(out, '(');
    for (uint32_t i = 0; i < t->n_params; i++) {
        if (i) buf_text(out, ", ");
        cfront_declare(out, t->params[i], STR(""));
    }
    if (t->is_variadic) buf_text(out, t->n_params ? ", ..." : "...");
    if (!t->n_params && !t->no_prototype) buf_text(out, "void");
    buf_char(out, ')');
}

static bool is_suffix(const CType *t) {
    return t->kind == CT_ARRAY || t->kind == CT_OPEN || t->kind == CT_FUNCTION;
}

/* Puts the pointer stars of t (whose element is what they point at) before the declarator. */
static void wrap_pointer(Buf *inner, const CType *t) {
    Buf next = { 0 };
    if (is_suffix(t->elem)) buf_char(&next, '(');
    buf_char(&next, '*');
    add_quals(&next, t->quals);
    buf_str(&next, buf_view(inner));
    if (is_suffix(t->elem)) buf_char(&next, ')');
    buf_release(inner);
    *inner = next;
}

void cfront_declare(Buf *out, const CType *type, Str name) {
    Buf inner = { 0 };
    buf_str(&inner, name);
    const CType *t = type;
    for (;; t = t->elem) {
        if (t->kind == CT_POINTER)
            wrap_pointer(&inner, t);
        else if (t->kind == CT_ARRAY)
            buf_fmt(&inner, "[%llu]", (unsigned long long)t->count);
        else if (t->kind == CT_OPEN)
            buf_text(&inner, "[]");
        else if (t->kind == CT_FUNCTION)
            add_params(&inner, t);
        else
            break;
    }
    add_base(out, t);
    if (inner.len) buf_char(out, ' ');
    buf_str(out, buf_view(&inner));
    buf_release(&inner);
}

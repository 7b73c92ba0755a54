/* Which functions can be taken out of a program, and their text; see borrow.h.
 *
 * Decided on the model (types and kinds of all expressions) and on tokens: every identifier must be
 * a keyword, a local, a label, a function that is taken along, a type that has a plain name, or a
 * constant. */
#include "variant/borrow/borrow.h"

#include "cfront/lex.h"
#include "variant/point.h"

enum { TAKE_LEAST = 6, TAKE_BYTES = 6000, TAKE_CALLEES = 8 };

typedef struct Taking {
    const CUnit *unit;
    const CFunction *all[TAKE_CALLEES]; /* the function, and what it calls */
    unsigned n;
} Taking;

/* "double"; NULL: it is none of the three standard ones. */
static const char *real_name(const CType *type) {
    static const char *const names[] = { "float", "double", "long double" };
    for (size_t i = 0; type->kind == CT_FLOAT && i < COUNT_OF(names); i++)
        if (str_is(type->bare->spelling, names[i])) return names[i];
    return NULL;
}

/* The type as it is written; and of the integers that stand for floating point outside the
 * function: few bits go in, so that what is computed is often exact. */
typedef struct Number {
    const char *name;
    IType type;
    bool real;
} Number;

static bool number_of(const CType *type, bool result, Number *out) {
    if (type->quals & (CQ_VOLATILE | CQ_ATOMIC)) return false;
    *out = (Number){ .name = real_name(type), .type = ITYPE(result ? I_LONG : I_SHORT) };
    out->real = out->name;
    if (out->real) return true;
    if (!point_integer(type, -1, &out->type)) return false;
    out->name = itype_name(out->type);
    return true;
}

/* ---- expressions ---- */
/* Without a value that may differ: addresses as numbers, words of other width. Whether floating
 * point is rounded shows when it is run. */
static bool type_fits(const CType *type) {
    IType any;
    switch (type->kind) {
    case CT_VOID:
    case CT_FUNCTION: return true;
    case CT_POINTER: return type->elem->kind == CT_FUNCTION || type_fits(type->elem);
    case CT_ARRAY: return type_fits(type->elem);
    default: return real_name(type) || point_integer(type, -1, &any);
    }
}

static bool is_builtin(Str name) {
    static const char *const fine[] = {
        "__builtin_clz",        "__builtin_clzl",       "__builtin_clzll",    "__builtin_ctz",
        "__builtin_ctzl",       "__builtin_ctzll",      "__builtin_popcount", "__builtin_popcountl",
        "__builtin_popcountll", "__builtin_expect",     "__builtin_bswap16",  "__builtin_bswap32",
        "__builtin_bswap64",    "__builtin_ffs",        "__builtin_abs",      "__builtin_labs",
        "__builtin_parity",     "__builtin_unreachable"
    };
    for (size_t i = 0; i < COUNT_OF(fine); i++)
        if (str_is(name, fine[i])) return true;
    return false;
}

static bool taken(const Taking *t, const CFunction *f) {
    for (unsigned i = 0; i < t->n; i++)
        if (t->all[i] == f) return true;
    return false;
}

static bool take(Taking *t, const CFunction *f);

static bool call_fits(Taking *t, const CExpr *e) {
    if (!e->decl) return false;
    if (is_builtin(e->decl->name)) return true;
    const CFunction *to = e->decl->first->function ? e->decl->first->function : e->decl->function;
    return to && (taken(t, to) || take(t, to));
}

static bool is_pointer(const CType *type) {
    return type->kind == CT_POINTER || type->kind == CT_ARRAY;
}

static bool expression_fits(Taking *t, const CExpr *e) {
    if (!type_fits(e->type) || !type_fits(e->converted)) return false;
    const CDecl *d = e->decl;
    switch (e->kind) {
    case CE_STRING:
    case CE_MEMBER:
    case CE_LITERAL:
    case CE_BLOCK:
    case CE_LABEL:
    case CE_DESIGNATED:
    case CE_OTHER: return false;
    case CE_CALL: return call_fits(t, e);
    case CE_CAST: return !is_pointer(e->type) && !is_pointer(e->first->type);
    case CE_REF:
        if (!d) return false;
        if (d->kind == CD_ENUMERATOR) return true;
        if (d->kind == CD_FUNCTION)
            return e->parent && e->parent->kind == CE_CALL && e->parent->first == e;
        return !(d->flags & (CD_GLOBAL | CD_LASTING | CD_THREAD | CD_VLA));
    default: return !is_pointer(e->type) || is_pointer(e->converted) || (e->flags & CF_UNEVALUATED);
    }
}

/* ---- functions ---- */
static bool ends_in_return(const CStmt *s) {
    if (!s) return false;
    if (s->kind == CS_RETURN) return true;
    if (s->kind == CS_IF) return ends_in_return(s->body) && ends_in_return(s->other);
    if (s->kind != CS_BLOCK) return false;
    const CStmt *last = s->first;
    while (last && last->next) last = last->next;
    return ends_in_return(last);
}

static bool head_fits(const CFunction *f) {
    Number any;
    unsigned bad = CFN_MAIN | CFN_VARIADIC | CFN_SETJMP | CFN_COMPUTED_GOTO | CFN_VLA | CFN_ALLOCA |
                   CFN_ASM | CFN_MACRO | CFN_SYSTEM | CFN_UNCERTAIN;
    const CType *type = f->decl->type;
    if ((f->flags & bad) || type->kind != CT_FUNCTION || !number_of(type->elem, true, &any))
        return false;
    if (f->n_params == 0 || f->n_params > BORROW_PARAMS) return false;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i]->name.len == 0 || !number_of(f->params[i]->type, false, &any))
            return false;
    return ends_in_return(f->body) && f->body->range.to - f->body->range.from < TAKE_BYTES;
}

static bool take(Taking *t, const CFunction *f) {
    if (t->n == TAKE_CALLEES || !head_fits(f)) return false;
    t->all[t->n++] = f;
    for (uint32_t i = 0; i < f->n_locals; i++)
        if (!type_fits(f->locals[i]->type) || (f->locals[i]->flags & CD_MACRO)) return false;
    for (uint32_t i = 0; i < f->n_exprs; i++)
        if (!expression_fits(t, f->exprs[i])) return false;
    return true;
}

/* ---- text ---- */
static bool is_local(const CFunction *f, Str name) {
    for (uint32_t i = 0; i < f->n_locals; i++)
        if (str_eq(f->locals[i]->name, name)) return true;
    for (uint32_t i = 0; i < f->n_stmts; i++)
        if (f->stmts[i]->kind == CS_LABEL && str_eq(f->stmts[i]->label, name)) return true;
    return false;
}

/* Names that headers give: their declarations may be out of sight. */
static const char *header_type(Str name) {
    static const char *const names[][2] = {
        { "int8_t", "signed char" },   { "uint8_t", "unsigned char" },
        { "int16_t", "short" },        { "uint16_t", "unsigned short" },
        { "int32_t", "int" },          { "uint32_t", "unsigned int" },
        { "int64_t", "long" },         { "uint64_t", "unsigned long" },
        { "size_t", "unsigned long" },
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i][0])) return names[i][1];
    return NULL;
}

/* What a name at file scope stands for, in words of the language; false: nothing plain. */
static bool write_meaning(const CUnit *unit, Str name, Buf *out) {
    for (uint32_t i = 0; i < unit->n_decls; i++) {
        const CDecl *d = unit->decls[i];
        IType type;
        if (d->function || !str_eq(d->name, name)) continue;
        if (d->kind == CD_ENUMERATOR) return buf_fmt(out, "(%lld)", (long long)d->value), true;
        if (d->kind != CD_TYPEDEF || d->type->quals) return false;
        if (real_name(d->type)) return buf_text(out, real_name(d->type)), true;
        if (!point_integer(d->type, -1, &type)) return false;
        return buf_text(out, itype_name(type)), true;
    }
    const char *plain = header_type(name);
    if (plain) buf_text(out, plain);
    return plain != NULL;
}

/* Words that bring in what cannot be taken along. */
static bool is_refused(Str word) {
    static const char *const words[] = {
        "struct",   "union",      "enum",      "static",        "extern",        "typedef",
        "asm",      "__asm",      "__asm__",   "_Generic",      "__attribute__", "__attribute",
        "typeof",   "__typeof__", "__label__", "_Thread_local", "_Atomic",       "auto",
        "_Float16", "constexpr",  "_Alignas",  "_Complex",
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(word, words[i])) return true;
    return false;
}

static bool write_word(const Taking *t, const CFunction *f, Str word, Buf *out) {
    if (is_refused(word)) return false;
    if (lex_is_keyword(word) || is_local(f, word) || is_builtin(word))
        return buf_str(out, word), true;
    for (unsigned i = 0; i < t->n; i++)
        if (str_eq(t->all[i]->name, word))
            return buf_fmt(out, "%c" STR_FMT, BORROW_NAME, STR_ARG(word)), true;
    return write_meaning(t->unit, word, out);
}

static bool write_body(const Taking *t, const CFunction *f, Buf *out) {
    Str text = t->unit->text;
    CRange range = f->body->range;
    for (CTok k = lex_next(text, range.from, range.to); k.kind != CTK_END;
         k = lex_next(text, k.range.to, range.to)) {
        if (k.kind == CTK_DIRECTIVE || k.kind == CTK_STRING) return false;
        if (k.kind != CTK_IDENT)
            buf_str(out, lex_text(text, k));
        else if (!write_word(t, f, lex_text(text, k), out))
            return false;
        buf_char(out, ' ');
    }
    return true;
}

static void write_head(const CFunction *f, bool whole, Buf *out) {
    Number type = { .name = "" };
    number_of(f->decl->type->elem, true, &type);
    buf_fmt(out, "static %s%s %c" STR_FMT "(", whole ? "\2" : "", type.name, BORROW_NAME,
            STR_ARG(f->name));
    for (uint32_t i = 0; i < f->n_params; i++) {
        number_of(f->params[i]->type, false, &type);
        buf_fmt(out, "%s%s " STR_FMT, i ? ", " : "", type.name, STR_ARG(f->params[i]->name));
    }
    buf_char(out, ')');
}

static bool write_all(const Taking *t, Buf *out) {
    for (unsigned i = 0; i < t->n; i++) {
        write_head(t->all[i], false, out);
        buf_text(out, ";\n");
    }
    for (unsigned i = t->n; i-- > 0;) {
        write_head(t->all[i], i == 0, out);
        buf_char(out, ' ');
        if (!write_body(t, t->all[i], out)) return false;
        buf_char(out, '\n');
    }
    return out->len < TAKE_BYTES;
}

static bool has_reals(const Taking *t) {
    for (unsigned i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < t->all[i]->n_exprs; k++)
            if (real_name(t->all[i]->exprs[k]->type) || real_name(t->all[i]->exprs[k]->converted))
                return true;
    return false;
}

static void keep(Lender *lender, const Taking *t, Str text) {
    const CFunction *f = t->all[0];
    if (map_get(&lender->known, text, NULL)) return;
    Borrowed b = { .text = arena_str(&lender->arena, text),
                   .name = arena_str(&lender->arena, f->name),
                   .reals = has_reals(t),
                   .n = f->n_params };
    Number type = { .name = "" };
    number_of(f->decl->type->elem, true, &type);
    b.result = type.type, b.real = type.real;
    for (uint32_t i = 0; i < f->n_params; i++) {
        number_of(f->params[i]->type, false, &type);
        b.params[i] = type.type;
    }
    map_put(&lender->known, text, 1);
    vec_push(&lender->list, b);
}

void lender_take(Lender *lender, const CUnit *unit) {
    Buf text = { 0 };
    for (uint32_t i = 0; i < unit->n_functions; i++) {
        Taking t = { .unit = unit };
        buf_clear(&text);
        if (unit->functions[i]->n_exprs >= TAKE_LEAST && take(&t, unit->functions[i]) &&
            write_all(&t, &text))
            keep(lender, &t, buf_view(&text));
    }
    buf_release(&text);
}

Lender *lender_new(void) {
    return mem_alloc(sizeof(Lender));
}

void lender_free(Lender *lender) {
    if (!lender) return;
    vec_release(&lender->list);
    map_release(&lender->known);
    arena_release(&lender->arena);
    mem_free(lender);
}

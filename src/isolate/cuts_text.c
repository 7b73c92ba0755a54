/* Cuts that need no model: preprocessor directives, and tokens where macros are. */
#include "cfront/lex.h"
#include "isolate/cuts_impl.h"

enum { TOKENS_AT_ONCE = 3 };

typedef VEC(CTok) Tokens;

/* ---- directives ---- */
static bool directive_is(Str line, const char *word) {
    Str rest = str_trim(str_sub(line, 1, line.len));
    return str_starts(rest, word);
}

/* Everything from #if to its #endif; and everything but the first branch, with the directives. */
static void add_conditional(CutMaker *m, const Tokens *lines, size_t first) {
    Str text = m->unit->text;
    unsigned depth = 0;
    size_t other = 0, last = first;
    for (; last < lines->len; last++) {
        Str line = lex_text(text, lines->at[last]);
        depth += directive_is(line, "if");
        if (depth == 1 && directive_is(line, "el") && !other) other = last;
        if (directive_is(line, "endif") && --depth == 0) break;
    }
    if (last == lines->len) return;
    CRange all = { lines->at[first].range.from, lines->at[last].range.to };
    cuts_add(m, all, STR(""), true);
    uint32_t end = lines->at[other ? other : last].range.from;
    cuts_add(m, all, cfront_text(m->unit, (CRange){ lines->at[first].range.to, end }), true);
}

static void add_directives(CutMaker *m) {
    Str text = m->unit->text;
    Tokens lines = { 0 };
    for (CTok t = lex_next(text, 0, (uint32_t)text.len); t.kind != CTK_END;
         t = lex_next(text, t.range.to, (uint32_t)text.len))
        if (t.kind == CTK_DIRECTIVE) vec_push(&lines, t);
    for (size_t i = 0; i < lines.len; i++) {
        Str line = lex_text(text, lines.at[i]);
        bool plain =
            !directive_is(line, "if") && !directive_is(line, "el") && !directive_is(line, "endif");
        if (plain) cuts_add(m, lines.at[i].range, STR(""), true);
        if (directive_is(line, "if")) add_conditional(m, &lines, i);
    }
    vec_release(&lines);
}

/* ---- tokens ---- */
static bool names_something(const CUnit *unit, Str word) {
    for (uint32_t i = 0; i < unit->n_decls; i++) {
        const CDecl *d = unit->decls[i];
        bool variable = d->kind == CD_VAR || d->kind == CD_PARAM;
        bool function = d->kind == CD_FUNCTION; /* printf too: nothing would be shown */
        if ((variable || function) && str_eq(d->name, word)) return true;
    }
    return false;
}

static void add_tokens(CutMaker *m, CRange range, bool oracle) {
    Str text = m->unit->text;
    Tokens tokens = { 0 };
    for (CTok t = lex_next(text, range.from, range.to); t.kind != CTK_END;
         t = lex_next(text, t.range.to, range.to))
        vec_push(&tokens, t);
    for (size_t i = 0; i < tokens.len; i++) {
        bool honest = true;
        for (size_t n = 1; n <= TOKENS_AT_ONCE && i + n <= tokens.len; n++) {
            const CTok *last = &tokens.at[i + n - 1];
            bool word = last->kind == CTK_IDENT;
            if (oracle && word && names_something(m->unit, lex_text(text, *last))) honest = false;
            CRange cut = { tokens.at[i].range.from, last->range.to };
            cuts_add(m, cut, STR(""), honest);
        }
    }
    vec_release(&tokens);
}

/* ---- external declarations, by brackets and semicolons alone, including what a macro defines ----
 */
static void add_chunks(CutMaker *m) {
    Str text = m->unit->text;
    uint32_t end = (uint32_t)text.len, from = 0;
    bool open = false, is_main = false;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        if (t.kind == CTK_DIRECTIVE) continue;
        if (!open) from = t.range.from;
        open = true;
        is_main |= lex_is(text, t, "main");
        bool body = lex_is(text, t, "{"), bracket = body || lex_is(text, t, "(");
        if (bracket) t.range.to = lex_match(text, t.range.from, end);
        if (t.range.to == UINT32_MAX) return;
        if (bracket) t.range.to++;
        CTok next = lex_next(text, t.range.to, end);
        bool function = body && next.kind != CTK_END && !lex_is(text, next, ";") &&
                        !lex_is(text, next, ",") && !lex_is(text, next, "=");
        if (!function && !lex_is(text, t, ";")) continue;
        if (!is_main) cuts_add(m, (CRange){ from, t.range.to }, STR(""), true);
        open = is_main = false;
    }
}

/* ---- one value less for printf: the argument and its conversion ---- */
/* The k-th conversion of a format, without widths given by arguments. */
static bool find_conversion(Str text, CRange format, size_t k, CRange *out) {
    for (uint32_t i = format.from; i + 1 < format.to; i++) {
        if (text.at[i] != '%') continue;
        if (text.at[i + 1] == '%') {
            i++;
            continue;
        }
        uint32_t to = i + 1;
        while (to < format.to && strchr("-+ #0123456789.hljztL", text.at[to])) to++;
        if (to >= format.to || text.at[to] == '*') return false;
        if (k-- == 0) return *out = (CRange){ i, to + 1 }, true;
        i = to;
    }
    return false;
}

/* name(format, a, b): each of a and b is removed with its conversion. */
static void add_printf(CutMaker *m, CTok format, uint32_t close) {
    Str text = m->unit->text;
    uint32_t from = format.range.to;
    size_t k = 0;
    for (CTok t = lex_next(text, from, close); t.kind != CTK_END && lex_is(text, t, ",");) {
        CRange argument = { t.range.from, close }, conversion;
        bool names = false;
        for (t = lex_next(text, t.range.to, close); t.kind != CTK_END && !lex_is(text, t, ",");
             t = lex_next(text, t.range.to, close)) {
            names |= t.kind == CTK_IDENT && names_something(m->unit, lex_text(text, t));
            if (lex_is(text, t, "(")) t.range.to = lex_match(text, t.range.from, close) + 1;
            if (t.range.to > close || t.range.to == 0) return;
        }
        argument.to = t.kind == CTK_END ? close : t.range.from;
        if (!find_conversion(text, format.range, k++, &conversion)) return;
        Str between = cfront_text(m->unit, (CRange){ conversion.to, argument.from });
        cuts_add(m, (CRange){ conversion.from, argument.to }, between, !names);
    }
}

static void add_printfs(CutMaker *m) {
    Str text = m->unit->text;
    uint32_t end = (uint32_t)text.len;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        if (!lex_is(text, t, "printf") && !lex_is(text, t, "__builtin_printf")) continue;
        CTok open = lex_next(text, t.range.to, end);
        CTok format = lex_next(text, open.range.to, end);
        uint32_t close =
            lex_is(text, open, "(") ? lex_match(text, open.range.from, end) : UINT32_MAX;
        if (format.kind == CTK_STRING && close != UINT32_MAX) add_printf(m, format, close);
    }
}

void cuts_add_text(CutMaker *m) {
    const CUnit *unit = m->unit;
    add_directives(m);
    add_chunks(m);
    add_printfs(m);
    m->fine = true;
    for (CTok t = lex_next(unit->text, 0, (uint32_t)unit->text.len); t.kind != CTK_END;
         t = lex_next(unit->text, t.range.to, (uint32_t)unit->text.len))
        if (t.kind == CTK_DIRECTIVE && directive_is(lex_text(unit->text, t), "define"))
            add_tokens(m, (CRange){ t.range.from + 1, t.range.to }, false);
    for (uint32_t i = 0; i < unit->n_stmts; i++) {
        const CStmt *s = unit->stmts[i];
        bool simple = s->kind == CS_EXPR || s->kind == CS_DECL || s->kind == CS_RETURN;
        if (simple && s->flags & (CF_MACRO | CF_HAS_MACRO))
            add_tokens(m, s->range, s->flags & (CF_ORACLE | CF_HAS_ORACLE));
    }
}

/* Tokens of C text: one function over bytes, no table and no state. Preprocessing numbers and
 * punctuators by maximal munch; encoding prefixes belong to their literal; a backslash-newline
 * counts as a blank (it does not join tokens: such text is not preprocessed). */
#include "cfront/lex.h"

static bool is_ident(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c >= 0x80;
}

static bool is_digit(unsigned char c) {
    return c >= '0' && c <= '9';
}

/* After blanks and comments. *line_start: only blanks and comments come before it on its line. */
static uint32_t skip_blanks(Str text, uint32_t at, uint32_t to, bool *line_start) {
    while (at < to) {
        char c = text.at[at];
        if (c == '\n') {
            *line_start = true;
            at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' ||
                   c == 0) { /* NUL: clang skips it with a warning */
            at++;
        } else if (c == '\\' && at + 1 < to &&
                   (text.at[at + 1] == '\n' || text.at[at + 1] == '\r')) {
            at += 2;
        } else if (c == '/' && at + 1 < to && text.at[at + 1] == '/') {
            while (at < to && text.at[at] != '\n') at++;
        } else if (c == '/' && at + 1 < to && text.at[at + 1] == '*') {
            size_t end = str_find((Str){ text.at, to }, STR("*/"), at + 2);
            at = end == STR_NONE ? to : (uint32_t)end + 2;
        } else {
            break;
        }
    }
    return at;
}

static uint32_t skip_quoted(Str text, uint32_t at, uint32_t to) {
    char quote = text.at[at++];
    while (at < to && text.at[at] != quote && text.at[at] != '\n')
        at += text.at[at] == '\\' && at + 1 < to ? 2 : 1;
    return at < to && text.at[at] == quote ? at + 1 : at;
}

static uint32_t skip_directive(Str text, uint32_t at, uint32_t to) {
    while (at < to && text.at[at] != '\n') {
        if (text.at[at] == '\\' && at + 1 < to)
            at += 2;
        else if (text.at[at] == '/' && at + 1 < to && text.at[at + 1] == '*') {
            size_t end = str_find((Str){ text.at, to }, STR("*/"), at + 2);
            at = end == STR_NONE ? to : (uint32_t)end + 2;
        } else
            at++;
    }
    return at < to ? at : to;
}

static uint32_t skip_number(Str text, uint32_t at, uint32_t to) {
    while (at < to) {
        unsigned char c = (unsigned char)text.at[at];
        if ((c == '+' || c == '-') && strchr("eEpP", text.at[at - 1])) {
            at++;
        } else if (is_ident(c) || c == '.') {
            at++;
        } else {
            break;
        }
    }
    return at;
}

static uint32_t punct_length(Str text, uint32_t at, uint32_t to) {
    static const char *const puncts[] = {
        "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
        "/=",  "%=",  "+=",  "-=", "&=", "^=", "|=", "##", "::", "<:", ":>", "<%", "%>", "%:"
    };
    if (at + 1 >= to || !strchr("=<>.-+&|#:%", text.at[at + 1]) || text.at[at + 1] == 0) return 1;
    for (size_t i = 0; i < COUNT_OF(puncts); i++) {
        size_t n = strlen(puncts[i]);
        if (at + n <= to && memcmp(text.at + at, puncts[i], n) == 0) return (uint32_t)n;
    }
    return 1;
}

/* An identifier at `at` that is only the prefix of a literal: its length, else 0. */
static uint32_t prefix_length(Str text, uint32_t at, uint32_t to) {
    static const char *const prefixes[] = { "u8", "L", "u", "U" };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        uint32_t n = (uint32_t)strlen(prefixes[i]);
        if (at + n < to && memcmp(text.at + at, prefixes[i], n) == 0 &&
            (text.at[at + n] == '"' || text.at[at + n] == '\''))
            return n;
    }
    return 0;
}

static bool begins_line(Str text, uint32_t at) {
    while (at > 0 && (text.at[at - 1] == ' ' || text.at[at - 1] == '\t')) at--;
    return at == 0 || text.at[at - 1] == '\n';
}

CTok lex_next(Str text, uint32_t at, uint32_t to) {
    if (to > text.len) to = (uint32_t)text.len;
    bool line_start = at < to && begins_line(text, at);
    at = skip_blanks(text, at, to, &line_start);
    if (at >= to) return (CTok){ CTK_END, { to, to } };
    unsigned char c = (unsigned char)text.at[at];
    if (c == '#' && line_start)
        return (CTok){ CTK_DIRECTIVE, { at, skip_directive(text, at, to) } };
    uint32_t prefix = prefix_length(text, at, to);
    if (c == '"' || c == '\'' || prefix) {
        CTokKind kind = text.at[at + prefix] == '"' ? CTK_STRING : CTK_CHAR;
        return (CTok){ kind, { at, skip_quoted(text, at + prefix, to) } };
    }
    if (is_digit(c) || (c == '.' && at + 1 < to && is_digit((unsigned char)text.at[at + 1])))
        return (CTok){ CTK_NUMBER, { at, skip_number(text, at + 1, to) } };
    if (is_ident(c)) {
        uint32_t end = at + 1;
        while (end < to && is_ident((unsigned char)text.at[end])) end++;
        return (CTok){ CTK_IDENT, { at, end } };
    }
    return (CTok){ CTK_PUNCT, { at, at + punct_length(text, at, to) } };
}

bool lex_is(Str text, CTok t, const char *spelling) {
    return t.kind != CTK_END && str_is(lex_text(text, t), spelling);
}

bool lex_is_keyword(Str word) {
    static const char *const keywords[] = {
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "_Bool",
        "_Complex",
        "_Atomic",
        "_Alignas",
        "_Alignof",
        "_Generic",
        "_Noreturn",
        "_Static_assert",
        "_Thread_local",
        "__attribute__",
        "__extension__",
        "__inline",
        "__inline__",
        "__const",
        "__const__",
        "__volatile",
        "__volatile__",
        "__restrict",
        "__restrict__",
        "__signed",
        "__signed__",
        "asm",
        "__asm",
        "__asm__",
        "typeof",
        "__typeof",
        "__typeof__",
        "__alignof__",
        "__alignof",
        "__real__",
        "__imag__",
        "__label__",
        "__thread",
        "__int128",
        "__builtin_va_arg",
        "__builtin_offsetof",
    };
    for (size_t i = 0; i < COUNT_OF(keywords); i++)
        if (str_is(word, keywords[i])) return true;
    return false;
}

uint32_t lex_match(Str text, uint32_t open, uint32_t to) {
    unsigned depth = 0;
    for (CTok t = lex_next(text, open, to); t.kind != CTK_END; t = lex_next(text, t.range.to, to)) {
        if (t.kind != CTK_PUNCT || t.range.to - t.range.from != 1) continue;
        char c = text.at[t.range.from];
        if (c == '(' || c == '[' || c == '{') depth++;
        if ((c == ')' || c == ']' || c == '}') && --depth == 0) return t.range.from;
    }
    return UINT32_MAX;
}

static uint32_t skip_blanks_back(Str text, uint32_t at) {
    while (at > 0 && strchr(" \t\r\n\f\v", text.at[at - 1])) at--;
    return at;
}

/* The `[` that the one closing before `at` opens; UINT32_MAX if there is none. */
static uint32_t match_back(Str text, uint32_t at) {
    unsigned depth = 0;
    while (at-- > 0) {
        depth += text.at[at] == ']';
        if (text.at[at] == '[' && --depth == 0) return at;
    }
    return UINT32_MAX;
}

uint32_t lex_attributes(Str text, uint32_t at) {
    for (;;) {
        uint32_t end = skip_blanks_back(text, at);
        if (end < 4 || text.at[end - 1] != ']') return at;
        uint32_t inner = skip_blanks_back(text, end - 1), open = match_back(text, end);
        bool twice = inner > 0 && text.at[inner - 1] == ']' && open != UINT32_MAX;
        if (!twice || !lex_is(text, lex_next(text, open + 1, end), "[")) return at;
        at = open;
    }
}

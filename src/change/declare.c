/* Pieces of a C file; see declare.h. */
#include "change/declare.h"
#include "change/ctext.h"

/* What is known about the piece that is being read. */
typedef struct DeclReader {
    PieceVec *pieces;
    size_t from;     /* its first line; STR_NONE: none begun */
    int depth;       /* open braces */
    int parens;      /* open parentheses, outside braces */
    bool is_type;    /* began with struct, union, enum, typedef */
    bool has_value;  /* has an = outside parentheses */
    bool has_params; /* has parentheses */
    bool body;       /* the braces are a function's */
} DeclReader;

static void begin(DeclReader *r, size_t line, CToken t) {
    if (r->from != STR_NONE) return;
    *r = (DeclReader){ .pieces = r->pieces, .from = line };
    r->is_type = str_is(t.text, "typedef") || str_is(t.text, "struct") || str_is(t.text, "union") ||
                 str_is(t.text, "enum");
}

static void finish(DeclReader *r, size_t line) {
    DeclPieceKind kind = r->body        ? PIECE_FUNCTION
                         : r->has_value ? PIECE_VALUE
                         : r->is_type   ? PIECE_TYPE
                                        : PIECE_OTHER;
    if (r->from != STR_NONE) vec_push(r->pieces, (DeclPiece){ kind, r->from, line + 1 });
    r->from = STR_NONE;
    r->depth = 0;
}

static void read_mark(DeclReader *r, size_t line, char c) {
    if (c == '{') {
        if (r->depth++ == 0 && r->has_params && !r->has_value && !r->parens) r->body = true;
    } else if (c == '}') {
        if (r->depth) r->depth--;
        if (r->depth == 0 && r->body) finish(r, line);
    } else if (r->depth == 0) {
        if (c == '(') r->parens++, r->has_params = true;
        if (c == ')' && r->parens) r->parens--;
        if (c == '=' && !r->parens) r->has_value = true;
        if (c == ';' && !r->parens) finish(r, line);
    }
}

/* A directive's lines, from line on; returns the line after them. */
static size_t read_directive(const StrVec *lines, size_t line, PieceVec *pieces) {
    size_t end = line;
    while (end < lines->len && ctext_line(lines->at[end], false).goes_on) end++;
    if (end < lines->len) end++;
    CScan scan = cscan_start(lines->at[line], false);
    cscan_next(&scan);
    if (str_is(cscan_next(&scan).text, "define"))
        vec_push(pieces, (DeclPiece){ PIECE_MACRO, line, end });
    return end;
}

static bool is_directive(Str line) {
    line = str_trim(line);
    return line.len && line.at[0] == '#';
}

void declare_pieces(const StrVec *lines, PieceVec *pieces) {
    DeclReader r = { .pieces = pieces, .from = STR_NONE };
    bool inside = false;
    for (size_t i = 0; i < lines->len;) {
        if (!inside && is_directive(lines->at[i])) {
            i = read_directive(lines, i, pieces);
            continue;
        }
        /* Conditional code may leave braces open: a brace in the first column ends a function. */
        if (!inside && r.body && r.depth > 1 && lines->at[i].len && lines->at[i].at[0] == '}')
            r.depth = 1;
        CScan scan = cscan_start(lines->at[i], inside);
        for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
            if (t.kind == CTOKEN_LINE) continue;
            begin(&r, i, t);
            if (t.kind == CTOKEN_MARK) read_mark(&r, i, t.text.at[0]);
            if (t.kind == CTOKEN_MARK && t.text.at[0] == '=' && r.depth == 0)
                r.has_value = !r.parens;
        }
        inside = scan.inside;
        i++;
    }
    finish(&r, lines->len ? lines->len - 1 : 0);
}

static bool is_keyword(Str word) {
    static const char *const words[] = {
        "struct",   "union",    "enum",  "typedef",  "const",  "static",  "extern", "int",
        "char",     "long",     "short", "unsigned", "signed", "void",    "float",  "double",
        "volatile", "inline",   "if",    "else",     "while",  "for",     "return", "sizeof",
        "switch",   "case",     "break", "continue", "goto",   "default", "NULL",   "define",
        "do",       "register", "_Bool", "bool"
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(word, words[i])) return true;
    return false;
}

static void add_name(StrVec *names, Str name) {
    if (is_keyword(name)) return;
    for (size_t i = 0; i < names->len; i++)
        if (str_eq(names->at[i], name)) return;
    vec_push(names, name);
}

static Str piece_text(const StrVec *lines, const DeclPiece *piece) {
    Str first = lines->at[piece->from], last = lines->at[piece->to - 1];
    return (Str){ first.at, (size_t)(last.at + last.len - first.at) };
}

void declare_names(const StrVec *lines, const DeclPiece *piece, StrVec *names) {
    CScan scan = cscan_start(piece_text(lines, piece), false);
    if (piece->kind == PIECE_MACRO) {
        cscan_next(&scan), cscan_next(&scan);
        add_name(names, cscan_next(&scan).text);
        return;
    }
    const char *ends = piece->kind == PIECE_TYPE    ? ";,[:=})"
                       : piece->kind == PIECE_VALUE ? "[=,;"
                                                    : ";,[=(";
    CToken before = { 0 }, word = { 0 };
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        bool tag = word.text.len && (str_is(before.text, "struct") ||
                                     str_is(before.text, "union") || str_is(before.text, "enum"));
        bool ended = t.kind == CTOKEN_MARK && strchr(ends, t.text.at[0]);
        if (word.kind == CTOKEN_WORD && (ended || tag)) add_name(names, word.text);
        if (piece->kind == PIECE_VALUE && str_is(t.text, "=")) return;
        before = word;
        word = t;
    }
}

void declare_assigned(Str text, StrVec *names) {
    CScan scan = cscan_start(text, false);
    CToken before = { 0 }, last = { 0 };
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        bool assigns = t.kind == CTOKEN_MARK && strchr("=+-*/%&|^[", t.text.at[0]);
        if (assigns && last.kind == CTOKEN_WORD) add_name(names, last.text);
        /* x[i] = .. and x++: the word before a bracket or a doubled sign was added above. */
        if (t.kind == CTOKEN_WORD && before.kind == CTOKEN_MARK && last.kind == CTOKEN_MARK &&
            strchr("+-", before.text.at[0]) && strchr("+-", last.text.at[0]))
            add_name(names, t.text);
        before = last;
        last = t;
    }
}

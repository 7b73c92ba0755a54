/* See layout.h. */
#include "tree/layout.h"
#include "tree/render.h"
#include "tree/words.h"

enum {
    INDENT = 4,
    FULL = 90, /* columns after which the next blank becomes a line break */
};

/* What a pair of braces holds. */
typedef enum Braces {
    BRACES_BLOCK,  /* statements: each on its line, and nothing after the end */
    BRACES_DO,     /* the same, with the loop's condition after it */
    BRACES_RECORD, /* members: each on its line, and a name may follow */
    BRACES_VALUES, /* on one line */
} Braces;

typedef struct Layout {
    const Tree *tree;
    Buf *out;
    VEC(Braces) open;
    unsigned parens;
    Braces closed;  /* what the last } ended */
    bool directive; /* in a line that begins with # */
} Layout;

static bool has_line_end(Str space) {
    return space.len && memchr(space.at, '\n', space.len);
}

static bool is_block(Braces braces) {
    return braces == BRACES_BLOCK || braces == BRACES_DO;
}

/* Of the { that is this token, by the node it begins. */
static Braces braces_of(const Layout *l, size_t token) {
    const Tree *t = l->tree;
    uint32_t node = t->nodes.at[t->tokens.at[token].node].parent;
    Str kind = str_from(lang_kind_name(t->lang, t->nodes.at[node].kind));
    if (str_is(kind, "field_declaration_list")) return BRACES_RECORD;
    if (str_is(kind, "enumerator_list") || str_find(kind, STR("initializer"), 0) != STR_NONE)
        return BRACES_VALUES;
    if (token && str_is(tree_token_text(t, token - 1), "do")) return BRACES_DO;
    return BRACES_BLOCK;
}

static bool goes_on(Braces closed, Str next) {
    static const char *const words[] = { "else", ";", ",", ")", "catch" };
    if (closed == BRACES_DO && str_is(next, "while")) return true;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(next, words[i])) return true;
    return false;
}

/* Does a line end between two tokens? */
static bool breaks(const Layout *l, Str last, Str next) {
    bool inside = l->parens || (l->open.len && l->open.at[l->open.len - 1] == BRACES_VALUES);
    if (str_starts(last, "//")) return true;
    if (inside) return false;
    if (str_is(next, "}")) return !str_is(last, "{");
    if (str_is(last, ";") || str_is(last, "{")) return true;
    return str_is(last, "}") && is_block(l->closed) && !goes_on(l->closed, next);
}

static size_t column(const Buf *out) {
    size_t start = out->len;
    while (start && out->at[start - 1] != '\n') start--;
    return out->len - start;
}

static void new_line(Layout *l, Str next, size_t more) {
    size_t depth = 0;
    for (size_t i = 0; i < l->open.len; i++) depth += l->open.at[i] != BRACES_VALUES;
    if (str_is(next, "}") && depth) depth--;
    buf_char(l->out, '\n');
    if (str_starts(next, "#")) return;
    for (size_t i = 0; i < depth * INDENT + more; i++) buf_char(l->out, ' ');
}

static void space(Layout *l, size_t token, Str text) {
    if (!token) return;
    Str gap = render_space_before(l->tree, token), last = tree_token_text(l->tree, token - 1);
    bool line = has_line_end(gap) && !(l->directive && str_ends(last, "\\"));
    if ((l->directive && line) || (line && str_starts(text, "#")))
        new_line(l, text, 0);
    else if (l->directive)
        buf_str(l->out, gap);
    else if (breaks(l, last, text))
        new_line(l, text, 0);
    else if (gap.len && column(l->out) > FULL)
        new_line(l, text, INDENT);
    else if (gap.len)
        buf_char(l->out, ' ');
    l->directive &= !line;
}

static void enter_or_leave(Layout *l, size_t token, Str text) {
    if (str_is(text, "(") || str_is(text, "[")) l->parens++;
    if ((str_is(text, ")") || str_is(text, "]")) && l->parens) l->parens--;
    if (str_is(text, "{")) vec_push(&l->open, braces_of(l, token));
    if (str_is(text, "}") && l->open.len) l->closed = vec_pop(&l->open);
}

static void by_tokens(const Tree *tree, Buf *out) {
    Layout l = { .tree = tree, .out = out };
    for (size_t i = 0; i < tree->tokens.len; i++) {
        Str text = tree_token_text(tree, i);
        space(&l, i, text);
        if (str_starts(text, "#") && !column(out)) l.directive = true;
        buf_str(out, text);
        enter_or_leave(&l, i, text);
    }
    if (tree->tokens.len) buf_char(out, '\n');
    vec_release(&l.open);
}

/* ---- where lines may mean something ---- */
static size_t indent_of(Str line) {
    size_t n = 0;
    while (n < line.len && (line.at[n] == ' ' || line.at[n] == '\t')) n++;
    return n;
}

static size_t common_indent(Str text) {
    Str line;
    size_t least = SIZE_MAX;
    while (str_split(&text, '\n', &line)) {
        size_t n = indent_of(line);
        if (n < line.len && n < least) least = n;
    }
    return least == SIZE_MAX ? 0 : least;
}

static void by_lines(Str text, Buf *out) {
    size_t indent = common_indent(text);
    Str line;
    while (str_split(&text, '\n', &line))
        if (indent_of(line) < line.len) {
            buf_str(out, str_sub(line, indent, line.len));
            buf_char(out, '\n');
        }
}

void layout_text(const Tree *tree, Buf *out) {
    static const char *const free_form[] = { "c", "cpp", "rust" };
    for (size_t i = 0; tree->lang && i < COUNT_OF(free_form); i++)
        if (strcmp(lang_name(tree->lang), free_form[i]) == 0) {
            by_tokens(tree, out);
            return;
        }
    by_lines(tree->text, out);
}

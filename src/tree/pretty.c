/* See pretty.h. */
#include "tree/pretty.h"
#include "tree/render.h"
#include "tree/words.h"

enum {
    INDENT = 4,
    DEEPEST = 20, /* levels of indentation */
    FULL = 90,    /* columns after which the next blank becomes a line break */
};

/* What a pair of braces holds. */
typedef enum Braces {
    BRACES_BLOCK,  /* statements: each on its line, and nothing after the end */
    BRACES_DO,     /* the same, with the loop's condition after it */
    BRACES_RECORD, /* members: each on its line, and a name may follow */
    BRACES_VALUES, /* on one line */
} Braces;

typedef struct Pretty {
    const Tree *tree;
    Buf *out;
    VEC(Braces) open;
    unsigned parens;
    Braces closed;  /* what the last } ended */
    bool directive; /* in a line that begins with # */
} Pretty;

static bool has_line_end(Str space) {
    return space.len && memchr(space.at, '\n', space.len);
}

static bool is_block(Braces braces) {
    return braces == BRACES_BLOCK || braces == BRACES_DO;
}

/* The token's text where it is a sign or a keyword of the grammar, not the brace in `'{'`. */
static Str sign(const Tree *t, size_t token) {
    const TreeNode *node = &t->nodes.at[t->tokens.at[token].node];
    Str text = tree_token_text(t, token);
    bool named = node->size == 1 && (node->flags & NODE_NAMED);
    return named && text.len == 1 ? (Str){ "", 0 } : text;
}

/* Of the { that is this token, by the node it begins. */
static Braces braces_of(const Pretty *p, size_t token) {
    const Tree *t = p->tree;
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
static bool breaks(const Pretty *p, Str last, Str next) {
    bool inside = p->parens || (p->open.len && p->open.at[p->open.len - 1] == BRACES_VALUES);
    if (str_starts(last, "//")) return true;
    if (inside) return false;
    if (str_is(next, "}")) return !str_is(last, "{");
    if (str_is(last, ";") || str_is(last, "{")) return true;
    return str_is(last, "}") && is_block(p->closed) && !goes_on(p->closed, next);
}

static size_t column(const Buf *out) {
    size_t start = out->len;
    while (start && out->at[start - 1] != '\n') start--;
    return out->len - start;
}

static void new_line(Pretty *p, Str next, size_t more) {
    size_t depth = 0;
    for (size_t i = 0; i < p->open.len; i++) depth += p->open.at[i] != BRACES_VALUES;
    if (str_is(next, "}") && depth) depth--;
    if (depth > DEEPEST) depth = DEEPEST;
    buf_char(p->out, '\n');
    if (str_starts(next, "#")) return;
    for (size_t i = 0; i < depth * INDENT + more; i++) buf_char(p->out, ' ');
}

static void space(Pretty *p, size_t token, Str text) {
    if (!token) return;
    Str gap = render_space_before(p->tree, token), last = sign(p->tree, token - 1);
    bool line = has_line_end(gap) && !(p->directive && str_ends(last, "\\"));
    if ((p->directive && line) || (line && str_starts(text, "#")))
        new_line(p, text, 0);
    else if (p->directive)
        buf_str(p->out, gap);
    else if (breaks(p, last, text))
        new_line(p, text, 0);
    else if (gap.len && column(p->out) > FULL)
        new_line(p, text, INDENT);
    else if (gap.len)
        buf_char(p->out, ' ');
    p->directive &= !line;
}

static void enter_or_leave(Pretty *p, size_t token, Str text) {
    if (str_is(text, "(") || str_is(text, "[")) p->parens++;
    if ((str_is(text, ")") || str_is(text, "]")) && p->parens) p->parens--;
    if (str_is(text, "{")) vec_push(&p->open, braces_of(p, token));
    if (str_is(text, "}") && p->open.len) p->closed = vec_pop(&p->open);
}

static void by_tokens(const Tree *tree, Buf *out) {
    Pretty p = { .tree = tree, .out = out };
    for (size_t i = 0; i < tree->tokens.len; i++) {
        Str text = tree_token_text(tree, i);
        space(&p, i, sign(tree, i));
        if (str_starts(text, "#") && !column(out)) p.directive = true;
        buf_str(out, text);
        enter_or_leave(&p, i, sign(tree, i));
    }
    if (tree->tokens.len) buf_char(out, '\n');
    vec_release(&p.open);
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

void pretty_text(const Tree *tree, Buf *out) {
    static const char *const free_form[] = { "c", "cpp", "rust" };
    for (size_t i = 0; tree->lang && i < COUNT_OF(free_form); i++)
        if (strcmp(lang_name(tree->lang), free_form[i]) == 0) {
            by_tokens(tree, out);
            return;
        }
    by_lines(tree->text, out);
}

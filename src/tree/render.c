/* See render.h. */
#include "tree/render.h"
#include "tree/words.h"

Str render_space_before(const Tree *t, size_t token) {
    return str_sub(t->text, token ? t->tokens.at[token - 1].end : 0, t->tokens.at[token].start);
}

static bool has_newline(Str s) {
    return s.len && memchr(s.at, '\n', s.len);
}

/* The white space for a token whose predecessor was left out: the beginning of its line, if the
 * tokens between that beginning and it are gone. */
static Str line_space(const Render *r, const Tree *t, size_t token) {
    Str own = render_space_before(t, token);
    size_t from = token;
    if (r->tree == t && r->last < token) from = r->last + 1;
    if (r->twin == t && r->twin_last < token) from = r->twin_last + 1;
    if (!r->tree) from = 0;
    for (size_t i = token; i + 1 > from; i--) {
        Str space = render_space_before(t, i);
        if (has_newline(space)) return space;
        if (i == 0 || i == from) break;
    }
    return own;
}

/* Whether the last token written was the last of its line, in a line that begins with #. */
static bool ends_directive(const Render *r) {
    const Tree *t = r->tree;
    size_t i = r->last;
    if (i + 1 < t->tokens.len && !has_newline(render_space_before(t, i + 1))) return false;
    size_t line = r->out->len;
    while (line && r->out->at[line - 1] != '\n') line--;
    while (line < r->out->len && words_is_space(r->out->at[line])) line++;
    return line < r->out->len && r->out->at[line] == '#';
}

static void write_space(Render *r, const Tree *t, size_t token, Str text) {
    if (token &&
        ((r->tree == t && r->last == token - 1) || (r->twin == t && r->twin_last == token - 1))) {
        buf_str(r->out, render_space_before(t, token));
        return;
    }
    Str space = line_space(r, t, token);
    bool newline = has_newline(space);
    if (!r->tree) {
        if (token == 0) buf_str(r->out, space);
        return;
    }
    bool wants_line = (text.len && text.at[0] == '#' && t->tokens.at[token].start == 0) ||
                      (!newline && ends_directive(r));
    if (wants_line && !newline)
        buf_char(r->out, '\n');
    else if (space.len)
        buf_str(r->out, space);
    else if (text.len && r->out->len && words_stick(r->out->at[r->out->len - 1], text.at[0]))
        buf_char(r->out, ' ');
}

void render_token(Render *r, const Tree *t, size_t token, Str text) {
    if (!text.at) text = tree_token_text(t, token);
    write_space(r, t, token, text);
    buf_str(r->out, text);
    r->tree = t;
    r->last = token;
    r->twin = NULL;
}

/* A token that both trees have: in b's form, or in a's where it follows a token that only a has. */
static void render_common(Render *r, const Tree *a, size_t at, const Tree *b, size_t bt) {
    bool as_a = at && r->tree == a && r->last == at - 1;
    render_token(r, as_a ? a : b, as_a ? at : bt, (Str){ 0 });
    r->twin = as_a ? b : a;
    r->twin_last = as_a ? bt : at;
}

void render_end(Render *r, const Tree *t) {
    size_t from = t->tokens.len ? vec_last(&t->tokens).end : 0;
    if (r->tree || !t->tokens.len) buf_str(r->out, str_sub(t->text, from, t->text.len));
}

void render_kept(const Tree *t, const uint8_t *keep, Buf *out) {
    Render r = { .out = out };
    for (size_t i = 0; i < t->tokens.len; i++)
        if (!keep || keep[i]) render_token(&r, t, i, (Str){ 0 });
    render_end(&r, t);
}

void render_patch(const Tree *a, const Tree *b, const DiffHunks *hunks, const uint8_t *use,
                  Buf *out) {
    Render r = { .out = out };
    size_t at = 0, bt = 0;
    for (size_t h = 0; h < hunks->len; h++) {
        const DiffHunk *hunk = &hunks->at[h];
        for (; at < hunk->a; at++, bt++) render_common(&r, a, at, b, bt);
        bool used = !use || use[h];
        for (; at < hunk->a + hunk->a_len; at++)
            if (!used) render_token(&r, a, at, (Str){ 0 });
        bt = hunk->b;
        for (; bt < hunk->b + hunk->b_len; bt++)
            if (used) render_token(&r, b, bt, (Str){ 0 });
    }
    for (; at < a->tokens.len && bt < b->tokens.len; at++, bt++) render_common(&r, a, at, b, bt);
    render_end(&r, b);
}

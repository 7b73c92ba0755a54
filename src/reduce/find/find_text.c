/* Long tokens, in any language: a string, a comment, a raw block of assembly is one token however
 * long it is, so that no deletion of tokens makes it shorter. Parts of what is between its quotes
 * go: all of it, the halves, the quarters, down to single characters where it is short. */
#include "reduce/find/finders.h"
#include "tree/words.h"

enum {
    LONG = 4,       /* bytes between the quotes that are worth a test */
    QUOTES = 4,     /* signs at either end that stay: `"`, `R"(`, a comment's */
    MOST_PARTS = 64 /* of one token at a time; what is left is cut again */
};

static bool is_quote(char c) {
    return !words_is_letter(c) && !words_is_space(c) && c != '\\' && c != '%';
}

/* Names and numbers have finders of their own. */
static bool is_text(const Doc *doc, uint32_t token) {
    const Tree *t = &doc->tree;
    static const char *const kinds[] = { "string", "comment", "content", "raw", "text", "char" };
    const char *kind = lang_kind_name(t->lang, t->nodes.at[t->tokens.at[token].node].kind);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strstr(kind, kinds[i])) return true;
    return false;
}

/* The bytes between the quotes. */
static void inside_of(Str text, size_t *from, size_t *to) {
    *from = 0, *to = text.len;
    while (*from < QUOTES && *from < text.len && is_quote(text.at[*from])) ++*from;
    while (text.len - *to < QUOTES && *to > *from && is_quote(text.at[*to - 1])) --*to;
}

/* Not in the middle of a character. */
static size_t whole_character(Str text, size_t at) {
    while (at < text.len && ((unsigned char)text.at[at] & 0xc0) == 0x80) at++;
    return at;
}

static void add_without(const Target *t, uint32_t token, Str text, size_t from, size_t to,
                        EditSets *out) {
    from = whole_character(text, from), to = whole_character(text, to);
    if (from >= to || (from == 0 && to == text.len)) return;
    DocEdits edits = { 0 };
    Str left = str_from(arena_fmt(&out->arena, STR_FMT STR_FMT, STR_ARG(str_sub(text, 0, from)),
                                  STR_ARG(str_sub(text, to, text.len))));
    vec_push(&edits, ((DocEdit){ .token = token, .text = left }));
    sets_add(t, out, &edits);
    vec_release(&edits);
}

static void add_parts(const Target *t, uint32_t token, Str text, EditSets *out) {
    size_t from, to;
    inside_of(text, &from, &to);
    if (to < from + LONG) return;
    for (size_t parts = 1; parts <= MOST_PARTS / 2; parts *= 2) {
        size_t size = (to - from + parts - 1) / parts;
        for (size_t at = from; at < to; at += size)
            add_without(t, token, text, at, at + size < to ? at + size : to, out);
        if (size == 1) break;
    }
}

void find_texts(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    out->ordered = true;
    for (uint32_t i = 0; i < doc->tree.tokens.len; i++)
        if (doc->alive[i] && is_text(doc, i)) add_parts(t, i, tree_token_text(&doc->tree, i), out);
}

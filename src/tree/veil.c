/* See veil.h. */
#include "tree/veil.h"
#include "tree/brackets.h"
#include "tree/words.h"

static size_t skip_space(Str s, size_t at) {
    while (at < s.len && words_is_space(s.at[at])) at++;
    return at;
}

static size_t skip_word(Str s, size_t at) {
    while (at < s.len && words_is_letter(s.at[at])) at++;
    return at;
}

/* Behind the bracket that closes the one at `at`; `at` itself: there is none. */
static size_t skip_brackets(Str s, size_t at) {
    size_t depth = 0, i = at;
    while (i < s.len) {
        size_t behind = brackets_skip(s, i);
        if (behind > i) {
            i = behind;
            continue;
        }
        depth += s.at[i] == '(';
        depth -= s.at[i] == ')';
        i++;
        if (!depth) return i;
    }
    return at;
}

/* `__attribute__ ((..))` that begins at `at`: its end; `at` itself: it is something else. */
static size_t attribute_end(Str s, size_t at) {
    size_t end = skip_word(s, at), open = skip_space(s, end);
    if (!str_is(str_sub(s, at, end), "__attribute__") || open >= s.len || s.at[open] != '(')
        return at;
    size_t close = skip_brackets(s, open);
    return close > open ? close : at;
}

void veil_init(Veil *v, const Lang *lang, Str text) {
    static const char word[] = "namespace";
    *v = (Veil){ .text = text };
    if (!lang || strcmp(lang_name(lang), "cpp") != 0) return;
    for (size_t at = 0; at < text.len;) {
        const char *found = memmem(text.at + at, text.len - at, word, sizeof word - 1);
        if (!found) break;
        at = skip_word(text, (size_t)(found - text.at)); /* `namespace` */
        size_t name = skip_space(text, at), from = skip_space(text, skip_word(text, name));
        if (attribute_end(text, name) > name) from = name; /* it has no name */
        size_t end = attribute_end(text, from);
        /* rows and columns of the two texts stay the same */
        if (end > from && !memchr(text.at + from, '\n', end - from))
            vec_push(&v->spans, ((VeilSpan){ from, end }));
    }
}

void veil_release(Veil *v) {
    vec_release(&v->spans);
}

Str veil_read(const Veil *v, size_t byte) {
    static const char blanks[] = "                                                                ";
    size_t low = 0, high = v->spans.len, end = v->text.len;
    while (low < high) { /* the first span that ends behind the byte */
        size_t middle = (low + high) / 2;
        if (v->spans.at[middle].end <= byte)
            low = middle + 1;
        else
            high = middle;
    }
    if (byte >= end) return STR("");
    if (low == v->spans.len) return str_sub(v->text, byte, end);
    VeilSpan span = v->spans.at[low];
    if (byte < span.from) return str_sub(v->text, byte, span.from);
    size_t n = span.end - byte;
    return (Str){ blanks, n < sizeof blanks - 1 ? n : sizeof blanks - 1 };
}

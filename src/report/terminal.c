/* Text from elsewhere on a terminal. */
#include "report/terminal.h"

/* Bytes of the character at s: a UTF-8 sequence that looks whole, else 1. */
static size_t step(const char *s, size_t n) {
    unsigned char c = (unsigned char)*s;
    size_t len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;
    if (len > n) return 1;
    for (size_t i = 1; i < len; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80) return 1;
    return len;
}

/* Appends at most `most` characters, returns how many were. C1 controls are two-byte sequences that
 * begin with 0xc2 and go on below 0xa0. */
static size_t add(Buf *out, Str text, size_t most) {
    size_t shown = 0;
    for (size_t i = 0; i < text.len && shown < most; shown++) {
        size_t n = step(text.at + i, text.len - i);
        unsigned char c = (unsigned char)text.at[i];
        bool control =
            n == 1 ? c < ' ' || c >= 127 : c == 0xc2 && (unsigned char)text.at[i + 1] < 0xa0;
        if (control)
            buf_char(out, c == '\t' || c == '\n' ? ' ' : '?');
        else
            buf_add(out, text.at + i, n);
        i += n;
    }
    return shown;
}

static size_t length(Str text) {
    size_t n = 0;
    for (size_t i = 0; i < text.len; n++) i += step(text.at + i, text.len - i);
    return n;
}

void terminal_text(Buf *out, Str text, size_t most) {
    if (!most || length(text) <= most)
        add(out, text, most ? most : text.len);
    else
        add(out, text, most - 1), buf_text(out, "…");
}

void terminal_path(Buf *out, Str path, size_t columns) {
    size_t from = 0, n = length(path), slash;
    while (n > columns && (slash = str_find(path, STR("/"), from + 1)) != STR_NONE)
        from = slash, n = length(str_sub(path, from, path.len)) + 1;
    if (from) buf_text(out, "…"), columns--;
    terminal_cell(out, str_sub(path, from, path.len), columns, false);
}

void terminal_cell(Buf *out, Str text, size_t columns, bool right) {
    size_t n = length(text);
    if (n > columns) n = columns;
    if (right) buf_fmt(out, "%*s", (int)(columns - n), "");
    terminal_text(out, text, columns);
    if (!right) buf_fmt(out, "%*s", (int)(columns - n), "");
}

Colour verdict_colour(Str verdict) {
    if (str_is(verdict, "ok")) return COLOUR_GREEN;
    if (str_is(verdict, "crash") || str_is(verdict, "wrong")) return COLOUR_RED;
    return COLOUR_YELLOW;
}

/* Text from elsewhere on a terminal. */
#include "base/terminal.h"

/* ---- what the terminal can show ---- */

bool terminal_utf8(void) {
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value) continue;
        return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

const char *terminal_glyph(const char *utf8, const char *ascii) {
    return terminal_utf8() ? utf8 : ascii;
}

/* ---- one character ---- */

/* How the character at the start of s is shown, in `shown`; returns the bytes it takes in s and
 * sets *columns. C1 controls are two-byte sequences: 0xc2, then a byte below 0xa0. */
static size_t show(Str s, bool utf8, bool tabs, char shown[16], size_t *columns) {
    unsigned char c = (unsigned char)s.at[0];
    size_t n = str_utf8(s);
    bool control = n == 2 && c == 0xc2 && (unsigned char)s.at[1] < 0xa0;
    if (n == 1 && c >= ' ' && c != 127)
        snprintf(shown, 16, "%c", c);
    else if (n == 1 && (c == '\n' || c == '\r' || c == '\t'))
        snprintf(shown, 16, "%s", tabs && c == '\t' ? "\t" : " ");
    else if (n == 1)
        snprintf(shown, 16, "^%c", c ^ 64);
    else if (n > 1 && utf8 && !control)
        snprintf(shown, 16, "%.*s", (int)n, s.at);
    else
        snprintf(shown, 16, "\\x%02x", c), n = 1;
    *columns = n > 1 ? 1 : strlen(shown);
    return n ? n : 1;
}

/* Appends what fits into `most` columns, returns how many were used; *whole: all of it fits. */
static size_t add(Buf *out, Str text, size_t most, bool *whole) {
    bool utf8 = terminal_utf8();
    size_t used = 0, columns, i = 0;
    char shown[16];
    while (i < text.len) {
        size_t n = show(str_sub(text, i, text.len), utf8, false, shown, &columns);
        if (used + columns > most) break;
        if (out) buf_text(out, shown);
        used += columns, i += n;
    }
    *whole = i >= text.len;
    return used;
}

static size_t width_of(Str text) {
    bool whole;
    return add(NULL, text, SIZE_MAX, &whole);
}

/* ---- pieces ---- */

static size_t add_cut(Buf *out, Str text, size_t most) {
    bool whole;
    size_t used = add(NULL, text, most, &whole);
    if (whole) return add(out, text, most, &whole);
    const char *dots = terminal_glyph("…", "..");
    size_t room = terminal_utf8() ? 1 : 2;
    if (most < room) return add(out, text, most, &whole);
    used = add(out, text, most - room, &whole);
    buf_text(out, dots);
    return used + room;
}

void terminal_text(Buf *out, Str text, size_t most) {
    add_cut(out, text, most ? most : SIZE_MAX);
}

void terminal_cell(Buf *out, Str text, size_t columns, bool right) {
    size_t n = width_of(text);
    if (n > columns) n = columns;
    if (right) buf_fmt(out, "%*s", (int)(columns - n), "");
    size_t used = add_cut(out, text, columns);
    if (!right || used < n) buf_fmt(out, "%*s", (int)(right ? n - used : columns - used), "");
}

void terminal_path(Buf *out, Str path, size_t columns) {
    size_t from = 0, n = width_of(path), slash;
    const char *dots = terminal_glyph("…", "..");
    size_t room = terminal_utf8() ? 1 : 2;
    while (n > columns && (slash = str_find(path, STR("/"), from + 1)) != STR_NONE)
        from = slash, n = width_of(str_sub(path, from, path.len)) + room;
    if (from) buf_text(out, dots), columns -= columns > room ? room : columns;
    terminal_cell(out, str_sub(path, from, path.len), columns, false);
}

/* ---- prose ---- */

void terminal_wrap(Buf *out, Str text, size_t indent, size_t columns) {
    size_t at = indent, room = columns > indent + 10 ? columns : indent + 10;
    Str lines = text, line, word;
    for (bool first = true; str_split(&lines, '\n', &line); first = false) {
        if (!first) buf_fmt(out, "\n%*s", (int)indent, ""), at = indent;
        for (bool begin = true; str_split(&line, ' ', &word); begin = false) {
            size_t n = width_of(word);
            if (!begin && at + 1 + n > room)
                buf_fmt(out, "\n%*s", (int)indent, ""), at = indent;
            else if (!begin)
                buf_char(out, ' '), at++;
            buf_str(out, word);
            at += n;
        }
    }
}

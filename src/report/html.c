/* HTML written safely. */
#include "report/html.h"

/* Controls that HTML forbids: C0 except tab and newline, DEL, and C1 (U+0080 to U+009F). */
static bool is_control(const unsigned char *s, size_t len) {
    if (len == 2) return s[0] == 0xc2 && s[1] < 0xa0;
    return len == 1 && ((s[0] < ' ' && s[0] != '\n' && s[0] != '\t') || s[0] == 127);
}

static void add_char(Buf *out, const char *s, size_t len) {
    switch (*s) {
    case '&': buf_text(out, "&amp;"); break;
    case '<': buf_text(out, "&lt;"); break;
    case '>': buf_text(out, "&gt;"); break;
    case '"': buf_text(out, "&quot;"); break;
    case '\'': buf_text(out, "&#39;"); break;
    case 0: buf_text(out, "\xe2\x90\x80"); break;
    default:
        if (is_control((const unsigned char *)s, len))
            buf_text(out, "\xef\xbf\xbd");
        else
            buf_add(out, s, len);
    }
}

/* Appends up to `most` characters; returns the bytes they took. */
static size_t add(Buf *out, Str text, size_t most) {
    size_t i = 0;
    for (size_t shown = 0; i < text.len && shown < most; shown++) {
        size_t len = str_utf8(str_sub(text, i, text.len));
        if (len)
            add_char(out, text.at + i, len);
        else
            buf_text(out, "\xef\xbf\xbd");
        i += len ? len : 1;
    }
    return i;
}

void html_text(Buf *out, Str text) {
    add(out, text, text.len);
}

void html_short(Buf *out, Str text, size_t most) {
    if (html_length(text) <= most)
        add(out, text, most);
    else
        add(out, text, most - 1), buf_text(out, "…");
}

size_t html_length(Str text) {
    size_t n = 0;
    for (size_t i = 0; i < text.len; n++) {
        size_t len = str_utf8(str_sub(text, i, text.len));
        i += len ? len : 1;
    }
    return n;
}

void html_element(Buf *out, const char *tag, const char *class, Str text) {
    buf_fmt(out, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
    html_text(out, text);
    buf_fmt(out, "</%s>", tag);
}

void html_query(Buf *out, Str text) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.' || c == '_';
        if (plain)
            buf_char(out, (char)c);
        else
            buf_fmt(out, "%%%02X", c);
    }
}

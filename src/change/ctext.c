/* The scanner of ctext.h. */
#include "change/ctext.h"

#include <ctype.h>

CScan cscan_start(Str text, bool inside) {
    return (CScan){ .rest = text, .inside = inside, .line_start = true };
}

static void skip(CScan *scan, size_t n) {
    scan->rest = str_sub(scan->rest, n, scan->rest.len);
}

static char at(const CScan *scan, size_t i) {
    return i < scan->rest.len ? scan->rest.at[i] : 0;
}

/* Skips a block comment the scan is within; false when it does not end here. */
static bool leave_comment(CScan *scan) {
    size_t end = str_find(scan->rest, STR("*/"), 0);
    if (end == STR_NONE) {
        skip(scan, scan->rest.len);
        return false;
    }
    skip(scan, end + 2);
    scan->inside = false;
    return true;
}

static void skip_line_comment(CScan *scan) {
    size_t end = str_find(scan->rest, STR("\n"), 0);
    skip(scan, end == STR_NONE ? scan->rest.len : end);
}

/* Blanks, comments and spliced lines; stops at a newline that ends a directive. */
static void skip_blank(CScan *scan) {
    for (;;) {
        char c = at(scan, 0);
        if (scan->inside) {
            if (!leave_comment(scan)) return;
        } else if (c == '/' && at(scan, 1) == '*') {
            skip(scan, 2);
            scan->inside = true;
        } else if (c == '/' && at(scan, 1) == '/') {
            skip_line_comment(scan);
        } else if (c == '\\' && at(scan, 1) == '\n') {
            skip(scan, 2);
        } else if (c == '\n' && !scan->directive) {
            skip(scan, 1);
            scan->line_start = true;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            skip(scan, 1);
        } else {
            return;
        }
    }
}

static size_t literal_length(Str s) {
    size_t i = 1;
    while (i < s.len && s.at[i] != s.at[0] && s.at[i] != '\n') i += s.at[i] == '\\' ? 2 : 1;
    return i < s.len && s.at[i] == s.at[0] ? i + 1 : i < s.len ? i : s.len;
}

static size_t word_length(Str s) {
    size_t i = 0;
    while (i < s.len && (isalnum((unsigned char)s.at[i]) || s.at[i] == '_' || s.at[i] == '$')) i++;
    return i;
}

static size_t number_length(Str s) {
    size_t i = 0;
    while (i < s.len && (isalnum((unsigned char)s.at[i]) || s.at[i] == '_' || s.at[i] == '.')) i++;
    return i;
}

CToken cscan_next(CScan *scan) {
    skip_blank(scan);
    if (scan->rest.len == 0) return (CToken){ CTOKEN_END, scan->rest };
    char c = at(scan, 0);
    size_t n = 1;
    CTokenKind kind = CTOKEN_MARK;
    if (c == '\n') {
        kind = CTOKEN_LINE;
        scan->directive = false;
    } else if (c == '#' && scan->line_start) {
        scan->directive = true;
    } else if (c == '"' || c == '\'') {
        kind = CTOKEN_TEXT;
        n = literal_length(scan->rest);
    } else if (isalpha((unsigned char)c) || c == '_') {
        kind = CTOKEN_WORD;
        n = word_length(scan->rest);
    } else if (isdigit((unsigned char)c)) {
        kind = CTOKEN_NUMBER;
        n = number_length(scan->rest);
    }
    CToken token = { kind, str_sub(scan->rest, 0, n) };
    skip(scan, n);
    scan->line_start = c == '\n';
    return token;
}

bool ctext_same(Str a, bool a_inside, Str b, bool b_inside) {
    CScan sa = cscan_start(a, a_inside), sb = cscan_start(b, b_inside);
    for (;;) {
        CToken ta = cscan_next(&sa), tb = cscan_next(&sb);
        if (ta.kind != tb.kind) return false;
        if (ta.kind == CTOKEN_END) return sa.inside == sb.inside;
        if (!str_eq(ta.text, tb.text)) return false;
    }
}

typedef VEC(uint64_t) Hashes;

static int compare_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void token_hashes(Str text, Hashes *out) {
    CScan scan = cscan_start(text, false);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;)
        if (t.kind != CTOKEN_LINE) vec_push(out, str_hash(t.text));
    if (out->len) qsort(out->at, out->len, sizeof *out->at, compare_u64);
}

double ctext_likeness(Str a, Str b) {
    Hashes ha = { 0 }, hb = { 0 };
    token_hashes(a, &ha);
    token_hashes(b, &hb);
    size_t shared = 0, all = ha.len + hb.len;
    for (size_t i = 0, j = 0; i < ha.len && j < hb.len;) {
        if (ha.at[i] == hb.at[j])
            shared++, i++, j++;
        else if (ha.at[i] < hb.at[j])
            i++;
        else
            j++;
    }
    vec_release(&ha);
    vec_release(&hb);
    return all ? 2.0 * (double)shared / (double)all : 1.0;
}

bool ctext_has_word(Str text, Str name) {
    for (size_t i = 0; (i = str_find(text, name, i)) != STR_NONE; i++) {
        bool left = i == 0 || !(isalnum((unsigned char)text.at[i - 1]) || text.at[i - 1] == '_');
        size_t end = i + name.len;
        bool right =
            end >= text.len || !(isalnum((unsigned char)text.at[end]) || text.at[end] == '_');
        if (left && right) return true;
    }
    return false;
}

void ctext_mark_comments(const StrVec *lines, uint8_t *inside) {
    bool now = false;
    for (size_t i = 0; i < lines->len; i++) {
        inside[i] = now;
        CScan scan = cscan_start(lines->at[i], now);
        while (cscan_next(&scan).kind != CTOKEN_END) {
        }
        now = scan.inside;
    }
}

static bool is_condition_word(Str word, int *step) {
    if (str_is(word, "if") || str_is(word, "ifdef") || str_is(word, "ifndef"))
        *step = 1;
    else if (str_is(word, "endif"))
        *step = -1;
    else
        return false;
    return true;
}

CLine ctext_line(Str line, bool inside) {
    CLine info = { 0 };
    CScan scan = cscan_start(line, inside);
    CToken t;
    for (size_t i = 0; (t = cscan_next(&scan)).kind != CTOKEN_END && t.kind != CTOKEN_LINE; i++) {
        if (i == 0 && str_is(t.text, "#")) info.directive = true;
        if (i == 0 && str_is(t.text, "else")) info.is_else = true;
        if (i == 1 && info.directive) {
            if (!is_condition_word(t.text, &info.conditions))
                info.is_else = str_is(t.text, "else") || str_is(t.text, "elif");
        }
        info.last = t.text.at[t.text.len - 1];
        if (info.directive || t.kind != CTOKEN_MARK) continue;
        if (strchr("([{", info.last)) info.brackets++;
        if (strchr(")]}", info.last)) info.brackets--;
        if (info.brackets < info.lowest) info.lowest = info.brackets;
    }
    Str end = line;
    while (end.len && (end.at[end.len - 1] == '\n' || end.at[end.len - 1] == '\r')) end.len--;
    info.goes_on = scan.inside || (end.len && end.at[end.len - 1] == '\\');
    return info;
}

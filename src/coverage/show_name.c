/* Names of functions for people: the qualified name inside a mangled one of C++'s usual ABI,
 * without parameters, template arguments and anonymous namespaces. */
#include "coverage/coverage_map.h"

static char at(Str s, size_t i) {
    return i < s.len ? s.at[i] : 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* "3abc": a number counts the letters after it. False: there are not so many. */
static bool take_name(Str s, size_t *i, Str *name) {
    size_t n = 0;
    while (is_digit(at(s, *i)) && n < s.len) n = n * 10 + (size_t)(s.at[(*i)++] - '0');
    if (n > s.len - *i) return false;
    *name = str_sub(s, *i, *i + n);
    *i += n;
    return true;
}

/* After the S or T of something that was named before: "St", "S_", "S1A_", "T0_". */
static size_t skip_again(Str s, size_t i) {
    char c = at(s, i);
    if (c >= 'a' && c <= 'z') return i + 1;
    while (is_digit(at(s, i)) || (at(s, i) >= 'A' && at(s, i) <= 'Z')) i++;
    return at(s, i) == '_' ? i + 1 : i;
}

/* From the I of template arguments to after their E; at the end where there is none. */
static size_t skip_arguments(Str s, size_t i) {
    size_t depth = 0;
    Str name;
    while (i < s.len) {
        char c = s.at[i];
        if (is_digit(c)) {
            if (!take_name(s, &i, &name)) return s.len;
            continue;
        }
        i++;
        if (c == 'S' || c == 'T')
            i = skip_again(s, i);
        else if (c == 'L' && at(s, i) != '_') { /* a number: "Lj4E" */
            while (i < s.len && s.at[i++] != 'E') {
            }
        } else if (c == 'A') /* an array: its length */
            while (is_digit(at(s, i))) i++;
        else if (c && strchr("INXFJL", c))
            depth++;
        else if (c == 'E' && --depth == 0)
            return i;
    }
    return s.len;
}

static void add_part(Buf *out, const char *before, Str part) {
    if (out->len) buf_text(out, "::");
    buf_text(out, before);
    buf_add(out, part.at, part.len);
}

Str covmap_show_name(Arena *arena, Str name) {
    if (!str_starts(name, "_Z")) return name;
    Buf out = { 0 };
    Str part = { 0 };
    size_t i = 2;
    while (at(name, i) == 'Z' || at(name, i) == 'L')
        i++; /* of something inside it: the outer one */
    bool nested = at(name, i) == 'N';
    if (nested) i++;
    while (nested && at(name, i) && strchr("rVKRO", at(name, i))) i++;
    for (char c; (c = at(name, i)) && c != 'E';) {
        if (is_digit(c)) {
            if (!take_name(name, &i, &part)) break;
            if (!str_starts(part, "_GLOBAL__N")) add_part(&out, "", part);
            if (!nested) break;
        } else if (c == 'I')
            i = skip_arguments(name, i);
        else if (c == 'S')
            i = skip_again(name, i + 1);
        else if ((c == 'C' || c == 'D') && is_digit(at(name, i + 1)) && out.len) {
            add_part(&out, c == 'D' ? "~" : "", part);
            break;
        } else if (c == 'B') { /* a mark of the ABI, as in "B5cxx11" */
            Str mark;
            i++;
            if (!take_name(name, &i, &mark)) break;
        } else if (c == 'L')
            i++;
        else if (c >= 'a' && c <= 'z') {
            add_part(&out, "", STR("operator"));
            break;
        } else
            break;
    }
    Str shown = out.len ? arena_str(arena, buf_view(&out)) : name;
    buf_release(&out);
    return shown;
}

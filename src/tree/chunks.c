/* See chunks.h. An item ends where no bracket is open: after a `;`, or after a `}` at the end of a
 * line that nothing continues. */
#include "tree/chunks.h"
#include "tree/brackets.h"
#include "tree/words.h"

/* The end of the directive whose `#` is at `at`; *open counts the #if around us. */
static size_t skip_directive(Str s, size_t at, size_t *open) {
    size_t word = at + 1;
    while (word < s.len && (s.at[word] == ' ' || s.at[word] == '\t')) word++;
    Str rest = str_sub(s, word, s.len);
    if (str_starts(rest, "if")) ++*open;
    if (str_starts(rest, "endif") && *open) --*open;
    while (at < s.len && s.at[at] != '\n')
        at += s.at[at] == '\\' && at + 1 < s.len && s.at[at + 1] == '\n' ? 2 : 1;
    return at;
}

/* Whether an item ends with the `}` before `at`: not in `struct s { } x;`. */
static bool ends_item(Str s, size_t at) {
    size_t end = at;
    while (end < s.len && s.at[end] != '\n' && words_is_space(s.at[end])) end++;
    return (end == s.len || s.at[end] == '\n') && !brackets_go_on(s, at);
}

Chunk chunk_next(Str s, size_t from, size_t least) {
    size_t depth = 0, ifs = 0, at = from;
    bool fresh = true; /* only white space in this line so far */
    while (at < s.len) {
        char c = s.at[at];
        size_t behind = c == '#' && fresh ? skip_directive(s, at, &ifs) : brackets_skip(s, at);
        if (c == '\n' || !words_is_space(c)) fresh = c == '\n';
        if (behind > at) {
            at = behind;
            continue;
        }
        at++;
        if (strchr("([{", c) && c) depth++;
        if (strchr(")]}", c) && c && depth) depth--;
        bool ends = c == ';' || (c == '}' && ends_item(s, at));
        if (ends && !depth && !ifs && at - from >= least) return (Chunk){ from, at };
    }
    return (Chunk){ from, s.len };
}

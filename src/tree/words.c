/* See words.h. */
#include "tree/words.h"
#include <ctype.h>

bool words_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool words_is_letter(char c) {
    unsigned char u = (unsigned char)c;
    return isalnum(u) || u == '_' || u == '$' || u > 127;
}

Str words_next(Str text, size_t *at) {
    while (*at < text.len && words_is_space(text.at[*at])) ++*at;
    size_t from = *at;
    while (*at < text.len && words_is_letter(text.at[*at])) ++*at;
    if (*at == from && *at < text.len) ++*at;
    return str_sub(text, from, *at);
}

bool words_stick(char last, char first) {
    if (words_is_letter(last)) return words_is_letter(first) || first == '"' || first == '\'';
    if (words_is_space(last) || words_is_letter(first) || words_is_space(first))
        return last == '.' && first >= '0' && first <= '9';
    return !strchr("(){}[];,", last) && !strchr("(){}[];,", first);
}

bool words_call_main(Str text) {
    for (size_t at = str_find(text, STR("main"), 0); at != STR_NONE;
         at = str_find(text, STR("main"), at + 1)) {
        size_t end = at + 4;
        while (end < text.len && words_is_space(text.at[end])) end++;
        if (end < text.len && text.at[end] == '(' && (!at || !words_is_letter(text.at[at - 1])))
            return true;
    }
    return false;
}

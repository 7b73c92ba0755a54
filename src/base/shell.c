/* See shell.h. */
#include "base/shell.h"

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-_=+./,:@%", c));
}

void shell_quote(Buf *out, Str word) {
    bool plain = word.len > 0;
    for (size_t i = 0; i < word.len && plain; i++) plain = is_plain(word.at[i]);
    if (plain) {
        buf_str(out, word);
        return;
    }
    buf_char(out, '\'');
    for (size_t i = 0; i < word.len; i++)
        if (word.at[i] == '\'')
            buf_text(out, "'\\''");
        else if (word.at[i])
            buf_char(out, word.at[i]);
    buf_char(out, '\'');
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

/* Reads one word from *at on, after blanks; returns the quote still open at its end, or NUL. */
static char read_word(Str s, size_t *at, Buf *word) {
    char quote = 0;
    for (; *at < s.len && (quote || !is_blank(s.at[*at])); ++*at) {
        char c = s.at[*at];
        bool escapes = c == '\\' && quote != '\'' && *at + 1 < s.len;
        if (escapes && quote == '"') escapes = strchr("\"\\$`", s.at[*at + 1]) != NULL;
        if (escapes)
            buf_char(word, s.at[++*at]);
        else if (c == quote)
            quote = 0;
        else if (!quote && (c == '\'' || c == '"'))
            quote = c;
        else
            buf_char(word, c);
    }
    return quote;
}

/* Returns the quote that is not closed; NUL: all are closed. */
static char cut(Arena *arena, Str s, StrVec *words) {
    Buf word = { 0 };
    char open = 0;
    for (size_t at = 0; at < s.len;) {
        if (is_blank(s.at[at])) {
            at++;
            continue;
        }
        buf_clear(&word);
        open = read_word(s, &at, &word);
        vec_push(words, arena_str(arena, buf_view(&word)));
    }
    buf_release(&word);
    return open;
}

bool shell_words(Arena *arena, Str command, StrVec *words, Error *err) {
    char open = cut(arena, command, words);
    if (!open) return true;
    return err_set(err, STATUS_BAD, "a quote (%c) is not closed: " STR_FMT, open, STR_ARG(command));
}

const char **shell_argv(Arena *arena, Str command) {
    StrVec words = { 0 };
    cut(arena, command, &words);
    const char **argv = ARENA_ARRAY(arena, const char *, words.len + 1);
    for (size_t i = 0; i < words.len; i++) argv[i] = words.at[i].at;
    vec_release(&words);
    return argv;
}

Str shell_join(Arena *arena, const char *const *argv) {
    Buf text = { 0 };
    for (; argv && *argv; argv++) {
        if (text.len) buf_char(&text, ' ');
        shell_quote(&text, str_from(*argv));
    }
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

const char *shell_option(Arena *arena, const char *option, const char *value) {
    if (!value) return "";
    Str words = shell_join(arena, (const char *const[]){ option, value, NULL });
    return arena_fmt(arena, STR_FMT " ", STR_ARG(words));
}

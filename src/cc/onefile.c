/* A program and its own headers as one file. */
#include "cc/onefile.h"

#include "base/file.h"

enum { DEPTH_MOST = 100, SIZE_MOST = 256 << 20 };

typedef struct Weave {
    Arena *arena;
    const StrVec *includes; /* -I, in their order */
    Buf out;
    Map once;       /* paths that said #pragma once -> their number */
    size_t headers; /* put in so far */
    unsigned depth;
    Error *err;
} Weave;

/* ---- lines ---- */

/* Whether a block comment is open at the end of line when `open` says it was at its start. Strings
 * and character constants are passed over; a line comment ends the line. */
static bool comment_after(Str line, bool open) {
    char quote = 0;
    for (size_t i = 0; i < line.len; i++) {
        char c = line.at[i], next = i + 1 < line.len ? line.at[i + 1] : 0;
        if (open) {
            if (c == '*' && next == '/') open = false, i++;
        } else if (quote) {
            if (c == '\\')
                i++;
            else if (c == quote)
                quote = 0;
        } else if (c == '/' && next == '*')
            open = true, i++;
        else if (c == '/' && next == '/')
            return false;
        else if (c == '"' || c == '\'')
            quote = c;
    }
    return open;
}

/* The words after "#" on a line, or empty: "include <a.h>", "pragma once". */
static Str directive(Str line) {
    Str text = str_trim(line);
    if (!text.len || text.at[0] != '#') return STR("");
    return str_trim(str_sub(text, 1, text.len));
}

/* The name an include asks for; *angled: <..>. False: not an include, or one named by a macro. */
static bool included(Str line, Str *name, bool *angled) {
    Str words = directive(line);
    if (!str_starts(words, "include")) return false;
    words = str_trim(str_sub(words, 7, words.len));
    if (words.len < 3 || (words.at[0] != '"' && words.at[0] != '<')) return false;
    *angled = words.at[0] == '<';
    const char *end = memchr(words.at + 1, *angled ? '>' : '"', words.len - 1);
    if (!end) return false;
    *name = (Str){ words.at + 1, (size_t)(end - words.at - 1) };
    return name->len > 0;
}

static bool is_once(Str line) {
    Str words = directive(line);
    return str_starts(words, "pragma") && str_is(str_trim(str_sub(words, 6, words.len)), "once");
}

/* ---- files ---- */

static const char *directory(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? arena_cstr(arena, (Str){ path, (size_t)(slash - path) + 1 }) : "./";
}

/* Where the header is: beside the file that asks, then in the -I directories; NULL: not ours. */
static const char *find_header(Weave *w, const char *from, Str name, bool angled) {
    const char *text = arena_cstr(w->arena, name);
    if (*text == '/') return file_exists(text) && !file_is_dir(text) && !angled ? text : NULL;
    const char *beside = file_join(w->arena, directory(w->arena, from), text);
    if (!angled && file_exists(beside) && !file_is_dir(beside)) return beside;
    for (size_t i = 0; w->includes && i < w->includes->len; i++) {
        const char *path = file_join(w->arena, arena_cstr(w->arena, w->includes->at[i]), text);
        if (file_exists(path) && !file_is_dir(path)) return path;
    }
    return NULL;
}

static bool weave(Weave *w, const char *path, Str text);

static bool weave_header(Weave *w, const char *path) {
    Str text;
    if (w->depth >= DEPTH_MOST || w->out.len > SIZE_MOST)
        return err_set(w->err, STATUS_BAD, "%s includes itself without end", path);
    if (!file_read(w->arena, path, &text, w->err)) return false;
    char *real = realpath(path, NULL);
    Str key = arena_str(w->arena, str_from(real ? real : path));
    free(real);
    bool once = false;
    Str rest = text, line;
    while (!once && str_split(&rest, '\n', &line)) once = is_once(line);
    size_t number = w->once.len + 1;
    uint64_t known;
    if (once && map_get(&w->once, key, &known))
        number = (size_t)known;
    else if (once)
        map_put(&w->once, key, number);
    w->headers++;
    w->depth++;
    if (once)
        buf_fmt(&w->out, "#ifndef CULPRIT_ONCE_%zu\n#define CULPRIT_ONCE_%zu\n", number, number);
    bool ok = weave(w, path, text);
    if (w->out.len && w->out.at[w->out.len - 1] != '\n') buf_char(&w->out, '\n');
    if (once) buf_text(&w->out, "#endif\n");
    w->depth--;
    return ok;
}

static bool weave(Weave *w, const char *path, Str text) {
    Str rest = text, line, name;
    bool comment = false, angled, continued = false;
    while (str_split(&rest, '\n', &line)) {
        const char *header = NULL;
        if (!comment && !continued && included(line, &name, &angled))
            header = find_header(w, path, name, angled);
        if (header) {
            if (!weave_header(w, header)) return false;
        } else if (!comment && !continued && w->depth && is_once(line))
            buf_char(&w->out, '\n');
        else {
            buf_str(&w->out, line);
            if (rest.at) buf_char(&w->out, '\n');
        }
        comment = comment_after(line, comment);
        continued = str_ends(line, "\\");
    }
    return true;
}

/* "N=3" as a line of the program. */
static void define(Buf *out, Str word) {
    size_t equals = str_find(word, STR("="), 0);
    Str name = str_sub(word, 0, equals);
    Str value = equals == STR_NONE ? STR("1") : str_sub(word, equals + 1, word.len);
    buf_fmt(out, "#define " STR_FMT " " STR_FMT "\n", STR_ARG(name), STR_ARG(value));
}

bool onefile(Arena *arena, const char *path, Str text, const StrVec *includes,
             const StrVec *defines, OneFile *out, Error *err) {
    Weave w = { .arena = arena, .includes = includes, .err = err };
    for (size_t i = 0; defines && i < defines->len; i++) define(&w.out, defines->at[i]);
    bool ok = weave(&w, path, text);
    *out = (OneFile){ arena_str(arena, buf_view(&w.out)), w.headers };
    buf_release(&w.out);
    map_release(&w.once);
    return ok;
}

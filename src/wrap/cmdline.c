/* Command lines as gcc and clang take them (cmdline.h). */
#include "wrap/cmdline.h"
#include "base/file.h"

/* Options whose argument may be the next word. */
static const char *const compile_pairs[] = {
    "-I",          "-D",         "-U",        "-include", "-imacros",
    "-isystem",    "-idirafter", "-iquote",   "-iprefix", "-iwithprefix",
    "-isysroot",   "-MF",        "-MT",       "-MQ",      "-Xpreprocessor",
    "-Xassembler", "-A",         "-aux-info",
};
static const char *const link_pairs[] = {
    "-L", "-l", "-Xlinker", "-T", "-u", "-z", "-e", "-rpath", "-soname", "-h",
};
static const char *const both_pairs[] = { "-target", "--sysroot", "--param", "-Xclang",
                                          "-mllvm",  "-B",        "-arch" };

/* Options under which nothing is compiled that could be instrumented. */
static const char *const other_modes[] = {
    "-E",
    "-S",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--version",
    "-dumpversion",
    "-dumpmachine",
    "-dumpspecs",
    "--help",
    "-###",
    "-emit-llvm",
    "-print-search-dirs",
    "-print-multi-os-directory",
    "-cc1",
    "-cc1as",
};

static bool is_one_of(const char *text, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, list[i]) == 0) return true;
    return false;
}

static bool starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ---- response files ---- */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next word of a response file: quotes group, a backslash takes the next character as it is. */
static bool next_word(Str text, size_t *at, Buf *word) {
    buf_clear(word);
    while (*at < text.len && is_space(text.at[*at])) ++*at;
    if (*at == text.len) return false;
    char quote = 0;
    for (; *at < text.len; ++*at) {
        char c = text.at[*at];
        if (!quote && is_space(c)) break;
        if (c == '\\' && *at + 1 < text.len)
            buf_char(word, text.at[++*at]);
        else if (quote && c == quote)
            quote = 0;
        else if (!quote && (c == '"' || c == '\''))
            quote = c;
        else
            buf_char(word, c);
    }
    return true;
}

typedef VEC(char *) Words;

static bool expand(Arena *arena, const char *word, Words *out, unsigned depth, Error *err) {
    if (word[0] != '@' || !file_exists(word + 1)) {
        vec_push(out, arena_strdup(arena, word));
        return true;
    }
    if (depth > 20) return err_set(err, STATUS_BAD, "%s: response files nest too deeply", word);
    Str text;
    if (!file_read(arena, word + 1, &text, err)) return false;
    Buf part = { 0 };
    bool ok = true;
    for (size_t at = 0; ok && next_word(text, &at, &part);)
        ok = expand(arena, part.at ? part.at : "", out, depth + 1, err);
    buf_release(&part);
    return ok;
}

/* ---- classification ---- */

static bool is_c_source(const char *path, const char *language) {
    if (language && strcmp(language, "none") != 0)
        return strcmp(language, "c") == 0 || strcmp(language, "cpp-output") == 0;
    Str s = str_from(path);
    return str_ends(s, ".c") || str_ends(s, ".i");
}

static bool is_foreign_source(const char *path, const char *language) {
    static const char *const suffixes[] = { ".cc", ".cpp", ".cxx", ".C", ".c++", ".m",
                                            ".s",  ".S",   ".sx",  ".h", ".ll",  ".bc" };
    if (language && strcmp(language, "none") != 0) return !is_c_source(path, language);
    for (size_t i = 0; i < COUNT_OF(suffixes); i++)
        if (str_ends(str_from(path), suffixes[i])) return true;
    return false;
}

static void add(Cmdline *cmd, const char *text, ArgKind kind) {
    Arg arg = { text, kind, NULL };
    vec_push(&cmd->args, arg);
}

static void add_input(Cmdline *cmd, const char *path, const char *language) {
    cmd->has_inputs = true;
    Arg arg = { path, ARG_LINK, language };
    if (is_c_source(path, language)) {
        arg.kind = ARG_SOURCE;
        cmd->sources++;
    } else if (is_foreign_source(path, language)) {
        arg.kind = ARG_FOREIGN;
    }
    vec_push(&cmd->args, arg);
}

static void note_dependencies(Cmdline *cmd, const char *text) {
    if (strcmp(text, "-MD") == 0 || strcmp(text, "-MMD") == 0) cmd->dependencies = true;
    if (starts(text, "-MF")) cmd->has_depfile = true;
    if (starts(text, "-MT") || starts(text, "-MQ")) cmd->has_target = true;
    if (starts(text, "-Wp,-M")) cmd->dependencies = cmd->has_depfile = true;
    if (starts(text, "-Wp,") && (strstr(text, ",-MT") || strstr(text, ",-MQ")))
        cmd->has_target = true;
}

static ArgKind single_kind(Cmdline *cmd, const char *text) {
    static const char *const link_words[] = { "-shared",   "-static",        "-pie",
                                              "-no-pie",   "-static-pie",    "-rdynamic",
                                              "-s",        "-static-libgcc", "-shared-libgcc",
                                              "-nostdlib", "-nostartfiles",  "-nodefaultlibs",
                                              "-r" };
    note_dependencies(cmd, text);
    if (strcmp(text, "-static") == 0) cmd->static_link = true;
    if (strcmp(text, "-nostdlib") == 0 || strcmp(text, "-nostartfiles") == 0 ||
        strcmp(text, "-nodefaultlibs") == 0 || strcmp(text, "-r") == 0)
        cmd->plain_link = true;
    if (starts(text, "-std=") || strcmp(text, "-ansi") == 0) cmd->has_std = true;
    if (starts(text, "-O") || starts(text, "-flto") || starts(text, "-fno-lto") ||
        starts(text, "-save-temps") || (starts(text, "-g") && !starts(text, "-gcc-toolchain")) ||
        starts(text, "-fuse-linker-plugin") || starts(text, "-fwhole-program") ||
        starts(text, "-fprofile") || strcmp(text, "--coverage") == 0)
        return ARG_DROP;
    if (is_one_of(text, link_words, COUNT_OF(link_words))) return ARG_LINK;
    if (starts(text, "-l") || starts(text, "-L") || starts(text, "-Wl,")) return ARG_LINK;
    if (starts(text, "-I") || starts(text, "-D") || starts(text, "-U") || starts(text, "-M") ||
        starts(text, "-i") || starts(text, "-Wp,"))
        return ARG_COMPILE;
    return ARG_BOTH;
}

/* Takes the option at words[*i] with its separate argument, if it has one. */
static void add_option(Cmdline *cmd, const Words *words, size_t *i) {
    const char *text = words->at[*i];
    ArgKind kind = ARG_DROP;
    if (is_one_of(text, compile_pairs, COUNT_OF(compile_pairs)))
        kind = ARG_COMPILE;
    else if (is_one_of(text, link_pairs, COUNT_OF(link_pairs)))
        kind = ARG_LINK;
    else if (is_one_of(text, both_pairs, COUNT_OF(both_pairs)))
        kind = ARG_BOTH;
    else {
        add(cmd, text, single_kind(cmd, text));
        if (starts(text, "-l")) cmd->has_inputs = true;
        return;
    }
    note_dependencies(cmd, text);
    add(cmd, text, kind);
    if (*i + 1 < words->len) add(cmd, words->at[++*i], kind);
}

static void classify(Cmdline *cmd, const Words *words) {
    const char *language = NULL;
    for (size_t i = 0; i < words->len; i++) {
        const char *text = words->at[i];
        if (text[0] != '-' || strcmp(text, "-") == 0) {
            add_input(cmd, text, language);
        } else if (strcmp(text, "-c") == 0) {
            if (cmd->mode == CMD_LINK) cmd->mode = CMD_COMPILE;
        } else if (starts(text, "-o") && !starts(text, "-objc")) {
            cmd->output = text[2] ? text + 2 : i + 1 < words->len ? words->at[++i] : NULL;
        } else if (starts(text, "-x")) {
            language = text[2] ? text + 2 : i + 1 < words->len ? words->at[++i] : NULL;
        } else {
            if (is_one_of(text, other_modes, COUNT_OF(other_modes)) || starts(text, "-print-") ||
                starts(text, "--print-"))
                cmd->mode = CMD_OTHER;
            add_option(cmd, words, &i);
        }
    }
}

bool cmdline_parse(Arena *arena, int argc, char **argv, Cmdline *cmd, Error *err) {
    *cmd = (Cmdline){ .mode = CMD_LINK };
    Words words = { 0 };
    bool ok = true;
    for (int i = 0; ok && i < argc; i++) ok = expand(arena, argv[i], &words, 0, err);
    if (ok) classify(cmd, &words);
    if (!cmd->has_inputs) cmd->mode = CMD_OTHER;
    vec_release(&words);
    return ok;
}

char *cmdline_replace_suffix(Arena *arena, const char *path, const char *suffix) {
    const char *name = file_name(path);
    const char *dot = strrchr(name, '.');
    size_t len = dot ? (size_t)(dot - name) : strlen(name);
    return arena_fmt(arena, "%.*s%s", (int)len, name, suffix);
}

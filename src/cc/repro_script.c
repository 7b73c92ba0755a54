/* The question of repro.c for a POSIX shell: a script that a stranger can run.
 *
 * It defines `bad EXE` (the failing compilation) and, where flags of the same compiler are known to
 * be right, `good EXE`; then tests what the verdict says, and ends in one of three functions:
 * there, gone, unknown. Everything it writes goes to a directory of its own. */
#include "cc/repro.h"

#include "base/file.h"
#include "base/shell.h"
#include "cc/foreign.h"

/* ---- command lines ---- */

static void put_flags(Buf *out, Str flags) {
    Arena arena = { 0 };
    for (const char **word = shell_argv(&arena, flags); *word; word++)
        buf_char(out, ' '), shell_quote(out, str_from(*word));
    arena_release(&arena);
}

static bool has_flag(Str flags, const char *flag) {
    Arena arena = { 0 };
    bool found = false;
    for (const char **word = shell_argv(&arena, flags); *word; word++)
        found |= strcmp(*word, flag) == 0;
    arena_release(&arena);
    return found;
}

/* The flags themselves say to stop after compiling. */
static bool stops_early(Str flags) {
    return has_flag(flags, "-c") || has_flag(flags, "-S");
}

/* "clang-19 --target=T" is a command with its first option. */
static Str name_alone(Str compiler, Str *aim) {
    size_t at = str_find(compiler, STR(" --target="), 0);
    *aim = at == STR_NONE ? STR("") : str_sub(compiler, at, compiler.len);
    return at == STR_NONE ? compiler : str_sub(compiler, 0, at);
}

/* What runs programs of another machine, with a blank after it. */
static void put_runner(const Repro *r, Buf *out) {
    Arena arena = { 0 };
    buf_text(out, foreign_shell(&arena, arena_cstr(&arena, r->target)));
    arena_release(&arena);
}

static bool same_compiler(const Repro *r, Str other) {
    return !other.len || str_eq(other, r->compiler);
}

typedef struct ScriptLines {
    const Repro *r;
    bool good;            /* the right compilation */
    bool script;          /* in a script: "$cc", limits, "$work", "$1" for the program */
    const char *cc_flags; /* script: text after "$cc" */
    const char *exe;      /* else: the program's name */
} ScriptLines;

static void put_compiler(const ScriptLines *l, Str compiler, Buf *out) {
    const Repro *r = l->r;
    Str aim, name = name_alone(compiler.len ? compiler : r->compiler, &aim);
    if (l->script) buf_text(out, "timeout -k 5 \"$limit\" ");
    if (!l->script || !same_compiler(r, compiler)) {
        shell_quote(out, name);
        buf_str(out, aim);
        return;
    }
    buf_text(out, "\"$cc\"");
    buf_str(out, aim);
    if (l->cc_flags) buf_fmt(out, " %s", l->cc_flags);
}

static void put_exe(const ScriptLines *l, Buf *out) {
    if (l->script)
        buf_text(out, "\"$1\"");
    else
        shell_quote(out, str_from(l->exe));
}

/* Units are compiled one by one; `separator` follows each command. */
static void put_units(const ScriptLines *l, const char *indent, const char *separator, Buf *out) {
    const Repro *r = l->r;
    for (size_t i = 0, n = 1; i < r->n_files; i++) {
        const ReproFile *file = &r->files[i];
        if (!file->unit) continue;
        buf_text(out, indent);
        put_compiler(l, l->good ? r->reference : file->compiler, out);
        put_flags(out, l->good ? r->good_flags : file->flags.len ? file->flags : r->flags);
        buf_text(out, " -c ");
        shell_quote(out, file->name);
        buf_fmt(out, " -o %sunit%zu.o%s", l->script ? "\"$work\"/" : "", n++, separator);
    }
}

/* The last command: links the units, or compiles the single file all the way. */
static void put_last(const ScriptLines *l, Buf *out) {
    const Repro *r = l->r;
    Str flags = l->good ? r->good_flags : r->flags;
    size_t units = repro_units(r);
    put_compiler(l, l->good ? r->reference : (Str){ "", 0 }, out);
    put_flags(out, flags);
    for (size_t i = 1; units > 1 && i <= units; i++)
        buf_fmt(out, " %sunit%zu.o", l->script ? "\"$work\"/" : "", i);
    for (size_t i = 0; units == 1 && i < r->n_files; i++)
        if (r->files[i].unit) buf_char(out, ' '), shell_quote(out, r->files[i].name);
    bool links = repro_links(r) && !stops_early(flags);
    /* GCC's compiler proper knows no -c */
    if (!links && !stops_early(flags) && !str_is(r->kind, "cc1")) buf_text(out, " -c");
    buf_text(out, " -o ");
    put_exe(l, out);
    if (links) buf_text(out, " -lm");
}

static void put_arguments(const Repro *r, Buf *out) {
    for (const char *const *a = r->arguments; a && *a; a++)
        buf_char(out, ' '), shell_quote(out, str_from(*a));
}

/* Where the result goes. tcc removes its output file first, and must not remove /dev/null when run
 * by root. */
static const char *output_of(const Repro *r, Str flags) {
    if (repro_links(r) && !stops_early(flags)) return "a.out";
    bool keeps = str_is(r->kind, "gcc") || str_is(r->kind, "clang") || str_is(r->kind, "cc1");
    return keeps ? "/dev/null" : "program.o";
}

void repro_line(const Repro *r, bool good, Buf *out) {
    ScriptLines l = { .r = r, .good = good, .exe = output_of(r, good ? r->good_flags : r->flags) };
    if (repro_units(r) > 1) put_units(&l, "", " && ", out);
    put_last(&l, out);
    if (!repro_runs(r)) return;
    buf_text(out, " && ");
    put_runner(r, out);
    buf_text(out, "./a.out");
    put_arguments(r, out);
    if (r->input.len) buf_text(out, " < input.txt");
}

/* ---- the script ---- */

/* The right compilation is run where it is the same compiler, or where nothing else tells what is
 * right. */
static bool asks_good(const Repro *r) {
    return r->reference.len &&
           (str_eq(r->reference, r->compiler) || (repro_runs(r) && !r->has_expected));
}

static void define(const Repro *r, const ReproScript *how, bool good, Buf *out) {
    ScriptLines l = { .r = r, .good = good, .script = true, .cc_flags = how->cc_flags };
    buf_fmt(out, "%s() {\n", good ? "good" : "bad");
    if (repro_units(r) > 1) put_units(&l, "    ", " || return\n", out);
    buf_text(out, "    ");
    put_last(&l, out);
    buf_text(out, "\n}\n");
}

static void define_ends(const ReproScript *how, Buf *out) {
    const char *say = how->quiet ? ":" : "echo";
    buf_fmt(out, "there() { %s \"the bug is there: $1\"; exit %d; }\n", say, how->passes ? 1 : 0);
    buf_fmt(out, "gone() { %s \"the bug is not there: $1\"; exit %d; }\n", say,
            how->passes ? 0 : 1);
    buf_fmt(out, "unknown() { %s \"cannot tell: $1\"; exit %d; }\n", say, how->passes ? 125 : 1);
    buf_fmt(out, "show() { %s; }\n", how->quiet ? ":" : "head -n 5 \"$1\"");
}

static void ask_crash(Buf *out) {
    buf_text(
        out,
        "bad \"$work/exe\" >\"$work/log\" 2>&1\n"
        "status=$?\n"
        "[ $status -eq 124 ] && unknown 'the compiler does not end'\n"
        "# a crash: a signal, or the compiler's own words for one\n"
        "if [ $status -ge 128 ] || { [ $status -ne 0 ] && grep -qE \\\n"
        "    'internal compiler error|PLEASE submit a bug report|Stack dump:|Segmentation fault|"
        "Assertion .* failed|LLVM ERROR|-fcompare-debug.* failure' \"$work/log\"; }; then\n"
        "    show \"$work/log\"\n"
        "    there 'the compiler crashes'\n"
        "fi\n"
        "gone \"no crash, the compiler ended with status $status\"\n");
}

static void ask_hang(Buf *out) {
    buf_text(out, "bad \"$work/exe\" >\"$work/log\" 2>&1\n"
                  "status=$?\n"
                  "if [ $status = 124 ] || [ $status = 137 ]; then\n"
                  "    there \"no end within $limit s\"\n"
                  "fi\n"
                  "gone \"no hang, the compiler ended with status $status\"\n");
}

/* link and rejected: the failing options refuse what the right ones accept. */
static void ask_refused(const Repro *r, Buf *out) {
    buf_text(out, "bad \"$work/exe\" >\"$work/log\" 2>&1 && gone 'accepted'\n");
    if (asks_good(r))
        buf_text(out, "good \"$work/exe\" >/dev/null 2>&1 ||\n"
                      "    gone 'refused with the right options too, so this is something else'\n");
    buf_text(out, "show \"$work/log\"\n"
                  "there 'the program is refused'\n");
}

static void run_program(const Repro *r, const char *which, Buf *out) {
    buf_fmt(out, "if ! %s \"$work/%s\" >\"$work/log\" 2>&1; then\n", which, which);
    buf_text(out, "    show \"$work/log\"\n    unknown 'does not compile'\nfi\n");
    buf_text(out, "timeout -k 5 \"$run_limit\" ");
    put_runner(r, out);
    buf_fmt(out, "\"$work/%s\"", which);
    put_arguments(r, out);
    buf_fmt(out, " <\"$input\" >\"$work/%s.out\" 2>/dev/null\n", which);
    buf_fmt(out, "echo \"exit status $?\" >\"$work/%s.status\"\n", which);
}

static void ask_wrong(const Repro *r, Buf *out) {
    bool good = asks_good(r);
    buf_text(out, "input=/dev/null\n[ -e input.txt ] && input=input.txt\n");
    run_program(r, "bad", out);
    if (good)
        run_program(r, "good", out);
    else
        buf_fmt(out,
                "cat expected.txt >\"$work/good.out\"\n"
                "echo 'exit status %d' >\"$work/good.status\"\n",
                r->code);
    buf_fmt(out,
            "if cmp -s \"$work/good.out\" \"$work/bad.out\" && "
            "cmp -s \"$work/good.status\" \"$work/bad.status\"; then\n"
            "    gone '%s'\nfi\n",
            good ? "the same output with both" : "the right output");
    buf_text(out, "diff -a \"$work/good.out\" \"$work/bad.out\" >\"$work/log\"\n"
                  "diff \"$work/good.status\" \"$work/bad.status\" >>\"$work/log\"\n"
                  "show \"$work/log\"\n");
    buf_fmt(out, "there '%s'\n",
            good ? "the outputs differ" : "the output is not the expected one");
}

/* Text that goes into a comment: one line, nothing a terminal would act on. */
static void comment(Buf *out, Str text) {
    Str rest = str_trim(text), line = STR("");
    str_split(&rest, '\n', &line);
    for (size_t i = 0; i < line.len && i < 200; i++)
        buf_char(out, (unsigned char)line.at[i] < ' ' || line.at[i] == 127 ? ' ' : line.at[i]);
}

static void put_head(const Repro *r, const ReproScript *how, Buf *out) {
    buf_text(out, "#!/bin/sh\n# ");
    comment(out, how->title);
    buf_text(out, how->passes
                      ? "\n# Exits 1 when the bug is there, 0 when it is not, 125 when that "
                        "cannot be told.\n"
                      : "\n# Exits 0 when the bug is there, 1 when it is not, 3 when the "
                        "compiler is missing.\n# CC=... tries another compiler.\n");
    if (how->find_cc) { /* made absolute, since the script changes directory */
        buf_fmt(out, "%s\n[ -n \"$cc\" ] || exit 125\ncase $cc in /*) ;; *) cc=$PWD/$cc ;; esac\n",
                how->find_cc);
    } else {
        Str aim;
        buf_text(out, "cc=${CC:-");
        shell_quote(out, name_alone(r->compiler, &aim));
        buf_text(out,
                 "}\n"
                 "command -v \"$cc\" >/dev/null || { echo \"$cc is not installed\"; exit 3; }\n"
                 "case $cc in /*) ;; */*) cc=$PWD/$cc ;; esac\n");
    }
    if (how->dir) {
        buf_text(out, "cd ");
        shell_quote(out, str_from(how->dir));
        buf_text(out, " || exit 3\n");
    } else {
        buf_text(out, "cd \"$(dirname \"$0\")\" || exit 3\n");
    }
}

void repro_script(const Repro *r, const ReproScript *how, Buf *out) {
    VerdictKind kind = r->symptom.kind;
    bool hang = kind == VERDICT_HANG;
    put_head(r, how, out);
    buf_text(out, "work=$(mktemp -d) || exit 3\ntrap 'rm -rf \"$work\"' EXIT\n");
    buf_fmt(out, "limit=${LIMIT:-%d}\n", hang ? (int)(r->hang_s > 1 ? r->hang_s : CC_HANG_S) : 300);
    if (repro_runs(r)) buf_text(out, "run_limit=${RUN_LIMIT:-60}\n");
    define_ends(how, out);
    define(r, how, false, out);
    if (asks_good(r)) define(r, how, true, out);
    if (kind == VERDICT_WRONG)
        ask_wrong(r, out);
    else if (hang)
        ask_hang(out);
    else if (kind == VERDICT_LINK || kind == VERDICT_REJECTED)
        ask_refused(r, out);
    else
        ask_crash(out);
}

bool repro_write(const Repro *r, const char *dir, Error *err) {
    Arena arena = { 0 };
    bool ok = file_make_dirs(dir, err);
    for (size_t i = 0; i < r->n_files && ok; i++) {
        const char *path = file_join(&arena, dir, arena_cstr(&arena, r->files[i].name));
        const char *slash = strrchr(path, '/');
        ok = file_make_dirs(arena_fmt(&arena, "%.*s", (int)(slash - path), path), err) &&
             file_write(path, r->files[i].text, err);
    }
    if (ok && r->input.len) ok = file_write(file_join(&arena, dir, "input.txt"), r->input, err);
    if (ok && r->has_expected)
        ok = file_write(file_join(&arena, dir, "expected.txt"), r->expected, err);
    arena_release(&arena);
    return ok;
}

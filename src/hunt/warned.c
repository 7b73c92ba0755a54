/* Warnings of gcc about what may be undefined, on lines that run; see warned.h. gcov tells which
 * lines run: the program is first laid out with one statement per line, since a snippet is one
 * line, most of which may never run. */
#include "hunt/warned.h"

#include "base/file.h"
#include "cfront/lex.h"
#include "run/workdir.h"

static const char *const warnings[] = { "-O2",
                                        "-Wuninitialized",
                                        "-Wmaybe-uninitialized",
                                        "-Wsequence-point",
                                        "-Wstrict-aliasing=3",
                                        "-Wreturn-type",
                                        "-Warray-bounds",
                                        "-fno-diagnostics-show-caret",
                                        "-fdiagnostics-color=never",
                                        NULL };
static const char *const counting[] = { "-O0", "-w", "--coverage", NULL };

static RunResult run_in(Arena *arena, const char *const *argv, const char *dir,
                        RunProfile profile) {
    RunSpec spec = { .argv = argv,
                     .dir = dir,
                     .env = profile == RUN_USER ? cc_env : NULL,
                     .profile = profile,
                     .limits = { .wall_s = 300, .cpu_s = CC_HANG_S, .output = 64u << 20 } };
    return run_one(arena, &spec);
}

typedef VEC(bool) Lines; /* by line number: it ran */

/* Reads gcov's "        5:   12:text". */
static void mark_executed(Str text, Lines *executed) {
    Str line;
    while (str_split(&text, '\n', &line)) {
        Str rest = line, count, number;
        uint64_t n;
        if (!str_split(&rest, ':', &count) || !str_split(&rest, ':', &number)) continue;
        count = str_trim(count);
        if (!str_to_u64(str_trim(number), &n) || n == 0 || !count.len) continue;
        while (executed->len <= n) vec_push(executed, false);
        if (count.at[0] >= '1' && count.at[0] <= '9') executed->at[n] = true;
    }
}

/* Fills executed by building with --coverage, running, and calling gcov; false when any step fails.
 */
static bool find_executed(Arena *arena, const HuntSetup *setup, const char *dir, Lines *executed) {
    const Compiler *gcc = &setup->clean.gcc;
    const char *in = file_join(arena, dir, "program.c"), *out = file_join(arena, dir, "program");
    RunResult r = run_in(
        arena,
        compiler_argv(arena, gcc, CC_OBJECT, counting, in, file_join(arena, dir, "program.o")), dir,
        RUN_USER);
    if (!run_ok(&r)) return false;
    r = run_in(
        arena,
        compiler_argv(arena, gcc, CC_LINK, counting, file_join(arena, dir, "program.o"), out), dir,
        RUN_USER);
    if (!run_ok(&r)) return false;
    const char *const run[] = { "./program", NULL };
    r = run_in(arena, run, dir, RUN_GENERATED);
    if (r.end != RUN_EXITED) return false;
    const char *const gcov[] = { arena_fmt(arena, "gcov-%u", gcc->major), "-t", "program.o", NULL };
    r = run_in(arena, gcov, dir, RUN_USER);
    if (run_ok(&r)) mark_executed(r.out, executed);
    return run_ok(&r) && executed->len > 0;
}

/* One statement per line: a snippet is one line, most of which may never run. */
static void spread_lines(Str text, Buf *out) {
    uint32_t end = (uint32_t)text.len, from = 0;
    unsigned depth = 0;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        if (lex_is(text, t, "(")) depth++;
        if (lex_is(text, t, ")") && depth) depth--;
        bool ends = lex_is(text, t, ";") || lex_is(text, t, "{") || lex_is(text, t, "}");
        if (!ends || depth) continue;
        buf_str(out, str_sub(text, from, t.range.to));
        buf_char(out, '\n');
        from = t.range.to;
    }
    buf_str(out, str_sub(text, from, text.len));
}

/* Only what may be undefined counts; other warnings are on by default. About values that may be
 * uninitialised MSan knows better, where it has run, and about functions that return none: C allows
 * that where nobody uses the value. "subscript 9 is above array bounds of 'int[4]'" may be in an
 * operand that is not evaluated, on a line that runs; clang's UBSan checks each one that is. (What
 * is "outside array bounds" was reached through a pointer, which it does not check.) */
static bool counts(Str line, bool set) {
    enum { MEMORYS = 2 }; /* the first ones */
    static const char *const kinds[] = { "[-Wmaybe-uninitialized]", "[-Wreturn-type]",
                                         "[-Wuninitialized]",       "[-Wsequence-point]",
                                         "[-Wstrict-aliasing]",     "[-Wstrict-aliasing=]",
                                         "[-Warray-bounds]",        "[-Warray-bounds=]" };
    if (str_find(line, STR(" array bounds of "), 0) != STR_NONE &&
        str_find(line, STR("outside array bounds"), 0) == STR_NONE)
        return false;
    for (size_t i = set ? MEMORYS : 0; i < COUNT_OF(kinds); i++)
        if (str_find(line, str_from(kinds[i]), 0) != STR_NONE) return true;
    return false;
}

/* "program.c:12:5: warning: .. [-Wx]": the first one whose line ran. */
static const char *first_running(Arena *arena, Str messages, const Lines *executed, bool set) {
    Str line;
    while (str_split(&messages, '\n', &line)) {
        size_t at = str_find(line, STR(": warning: "), 0), colon = str_find(line, STR(".c:"), 0);
        if (at == STR_NONE || colon == STR_NONE || colon > at || !counts(line, set)) continue;
        Str rest = str_sub(line, colon + 3, at), number;
        uint64_t n;
        if (!str_split(&rest, ':', &number) || !str_to_u64(number, &n)) continue;
        if (n < executed->len && executed->at[n])
            return arena_fmt(arena, "line %llu, which runs: " STR_FMT, (unsigned long long)n,
                             STR_ARG(str_sub(line, at + 11, line.len)));
    }
    return NULL;
}

const char *warned_line_runs(Arena *arena, const HuntSetup *setup, const HuntProgram *subject,
                             bool set) {
    if (!setup->clean.have_gcc) return NULL;
    char *dir = workdir_new(arena, "warn");
    const char *in = file_join(arena, dir, "program.c"), *found = NULL;
    Lines executed = { 0 };
    Buf text = { 0 };
    spread_lines(subject->text, &text);
    if (file_write(in, buf_view(&text), NULL)) {
        RunResult r = run_in(arena,
                             compiler_argv(arena, &setup->clean.gcc, CC_ASSEMBLY, warnings, in,
                                           file_join(arena, dir, "warned.s")),
                             dir, RUN_USER);
        if (str_find(r.err, STR(": warning: "), 0) != STR_NONE &&
            find_executed(arena, setup, dir, &executed))
            found = first_running(arena, r.err, &executed, set);
    }
    buf_release(&text);
    vec_release(&executed);
    workdir_remove(dir);
    return found;
}

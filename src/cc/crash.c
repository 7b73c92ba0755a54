/* Reading a compiler's crash out of what it wrote, in words that are the same each time.
 *
 * GCC:  "during GIMPLE pass: vect" / "x.c:5:1: internal compiler error: in F, at FILE:LINE"
 * followed by "0xADDRESS function(arguments)" lines; verifiers write "error: .." lines before.
 * LLVM: an assertion, "LLVM ERROR:", "error in backend:" or "*** Bad machine code: .. ***", then
 * "Stack dump:" with "Running pass '..'", then "#3 0xADDRESS function(..) (library+0xOFFSET)"
 * lines. */
#include "cc/verdict.h"

#include <ctype.h>
#include <signal.h>

/* ---- lines ---- */
/* The line of text at or after *from that contains what; behind: the part of it after what. */
static bool line_with(Str text, const char *what, size_t *from, Str *line, Str *behind) {
    size_t at = str_find(text, str_from(what), *from);
    if (at == STR_NONE) return false;
    size_t begin = at, end = at;
    while (begin > 0 && text.at[begin - 1] != '\n') begin--;
    while (end < text.len && text.at[end] != '\n') end++;
    *line = str_sub(text, begin, end);
    *behind = str_trim(str_sub(text, at + strlen(what), end));
    *from = end;
    return true;
}

static bool find_line(Str text, const char *what, Str *line, Str *behind) {
    size_t from = 0;
    return line_with(text, what, &from, line, behind);
}

/* ---- the same words each time ---- */
static bool opens_quote(Str s, size_t i, char *close) {
    if (s.at[i] == '\'' || s.at[i] == '"') return *close = s.at[i], true;
    if (s.at[i] == '`') return *close = '\'', true;
    return false;
}

/* Numbers and addresses become N, quoted names NAME; but assertions keep their text. */
static Str normalise(Arena *arena, Str s) {
    Buf out = { 0 };
    for (size_t i = 0; i < s.len;) {
        char close;
        size_t end = STR_NONE;
        if (opens_quote(s, i, &close)) end = str_find(s, (Str){ &close, 1 }, i + 1);
        if (end != STR_NONE) {
            buf_text(&out, "NAME");
            i = end + 1;
        } else if (isdigit((unsigned char)s.at[i])) {
            bool hex = s.at[i] == '0' && i + 1 < s.len && s.at[i + 1] == 'x';
            for (i += hex ? 2 : 0; i < s.len && (hex ? isxdigit((unsigned char)s.at[i])
                                                     : isdigit((unsigned char)s.at[i]));
                 i++) {
            }
            buf_char(&out, 'N');
        } else
            buf_char(&out, s.at[i++]);
    }
    Str copy = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return copy;
}

/* "llvm::foo(int, bar<x>) const" -> "llvm::foo": up to the parenthesis of the parameters. */
static Str function_name(Str s) {
    s = str_trim(s);
    size_t i = 0;
    int angle = 0;
    for (; i < s.len; i++) {
        if (s.at[i] == '<') angle++;
        if (s.at[i] == '>' && angle) angle--;
        if (s.at[i] != '(' || angle) continue;
        if (str_starts(str_sub(s, i, s.len), "(anonymous namespace)"))
            i += 20;
        else
            break;
    }
    return str_trim(str_sub(s, 0, i));
}

/* Frames that are the same in every crash. */
static bool is_machinery(Str name) {
    static const char *const known[] = {
        "???",
        "crash_signal",
        "internal_error",
        "fancy_abort",
        "diagnostic_",
        "toplev",
        "main",
        "__libc_start",
        "_start",
        "llvm::sys::",
        "llvm::CrashRecoveryContext",
        "SignalHandler",
        "CrashRecovery",
        "abort",
        "raise",
        "gsignal",
        "__assert",
        "llvm::report_fatal_error",
        "llvm::llvm_unreachable_internal",
        "pthread_kill",
        "__sigaction",
        "__restore_rt",
        "__pthread",
        "clang::driver",
        "clang_main",
        "cc1_main",
        "killpg",
    };
    if (!name.len || name.at[0] == '(') return true;
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (str_starts(name, known[i])) return true;
    return false;
}

/* "_ZN4llvm3sys3fooEv" -> "llvm::sys::foo": as far as plain names go, which is all we compare. */
static Str demangle(Arena *arena, Str s) {
    if (!str_starts(s, "_Z")) return arena_str(arena, s);
    Buf name = { 0 };
    size_t i = 2;
    while (i < s.len && (s.at[i] == 'N' || s.at[i] == 'K' || s.at[i] == 'L')) i++;
    while (i < s.len && isdigit((unsigned char)s.at[i])) {
        size_t n = 0;
        for (; i < s.len && isdigit((unsigned char)s.at[i]); i++)
            n = n * 10 + (size_t)(s.at[i] - '0');
        if (n > s.len - i) break;
        if (name.len) buf_text(&name, "::");
        buf_str(&name, str_sub(s, i, i + n));
        i += n;
    }
    Str copy = arena_str(arena, buf_view(&name));
    buf_release(&name);
    return copy;
}

/* "/lib/x.so(_ZN4llvm3fooEv+0x31)[0x7f42]", as older LLVMs write it: the function, or empty. */
static Str raw_frame_of(Arena *arena, Str line) {
    size_t open = str_find(line, STR("("), 0), plus = str_find(line, STR("+0x"), 0);
    bool is_one = str_starts(line, "/") && str_ends(line, "]") && open != STR_NONE &&
                  plus != STR_NONE && plus > open + 1;
    return is_one ? demangle(arena, str_sub(line, open + 1, plus)) : STR("");
}

/* "0x1234 f(..)" (GCC), "#3 0x1234 f(..) (lib+0x1)", "3  lib.so 0x1234 f(..) + 54" (LLVM): the
 * function, or empty. */
static Str frame_of(Str line) {
    Str s = str_trim(line);
    size_t at = str_starts(s, "0x") ? 0 : str_find(s, STR(" 0x"), 0);
    if (!s.len || at == STR_NONE) return STR("");
    if (at && s.at[0] != '#' && !isdigit((unsigned char)s.at[0])) return STR("");
    s = str_trim(str_sub(s, at, s.len));
    size_t i = 2;
    while (i < s.len && isxdigit((unsigned char)s.at[i])) i++;
    if (i >= s.len || s.at[i] != ' ') return STR("");
    Str name = function_name(str_sub(s, i, s.len));
    size_t plus = str_find(name, STR(" + "), 0);
    return plus == STR_NONE ? name : str_sub(name, 0, plus);
}

static void read_frames(Arena *arena, Str text, Crash *crash) {
    Buf frames = { 0 };
    Str line;
    unsigned n = 0;
    while (n < CRASH_FRAMES && str_split(&text, '\n', &line)) {
        Str name = frame_of(line);
        if (!name.len) name = raw_frame_of(arena, str_trim(line));
        if (is_machinery(name)) continue;
        if (frames.len) buf_char(&frames, '\n');
        buf_str(&frames, name);
        n++;
    }
    crash->frames = arena_str(arena, buf_view(&frames));
    buf_release(&frames);
}

/* Was the program refused before the compiler crashed? GCC's verifiers write errors of their own,
 * and drivers write one after the crash. */
static bool was_refused(Str text, Str message) {
    static const char *const begins[] = { "internal compiler error",
                                          "PLEASE submit a bug report",
                                          "Stack dump:",
                                          ": Assertion `",
                                          "LLVM ERROR: ",
                                          "error in backend: ",
                                          "*** Bad machine code: " };
    size_t crash = text.len;
    for (size_t i = 0; i < COUNT_OF(begins); i++) {
        size_t at = str_find(str_sub(text, 0, crash), str_from(begins[i]), 0);
        if (at != STR_NONE) crash = at;
    }
    Str line, behind, before = str_sub(text, 0, crash);
    if (str_starts(message, "verify_") || str_find(message, STR(" failed"), 0) != STR_NONE)
        return false;
    for (size_t from = 0; line_with(before, ": error: ", &from, &line, &behind);)
        if (behind.len) return true;
    return false;
}

/* "x.c:3:5: error: .." -> ".."; then normalised like a crash. */
Str message_essence(Arena *arena, Str message) {
    size_t at = str_find(message, STR("error: "), 0);
    if (at != STR_NONE) message = str_sub(message, at + 7, message.len);
    return normalise(arena, message);
}

/* ---- GCC ---- */
/* "in F, at FILE:LINE": already the same each time; anything else is normalised. */
static void read_gcc_message(Arena *arena, Str text, Str message, Crash *crash) {
    Str line, behind;
    size_t at = str_find(message, STR(", at "), 0);
    if (str_starts(message, "in ") && at != STR_NONE) {
        crash->message = arena_str(arena, message);
        crash->place = arena_str(arena, str_sub(message, 3, at));
        return;
    }
    crash->message = normalise(arena, message);
    if (str_ends(message, " failed") && find_line(text, "error: ", &line, &behind) &&
        str_find(line, STR("internal compiler error"), 0) == STR_NONE)
        crash->message = str_from(arena_fmt(arena, STR_FMT ": " STR_FMT, STR_ARG(crash->message),
                                            STR_ARG(normalise(arena, behind))));
}

static bool read_gcc(Arena *arena, Str text, Crash *crash) {
    Str line, behind, pass;
    if (find_line(text, "-fcompare-debug", &line, &behind) &&
        str_find(line, STR("failure"), 0) != STR_NONE) {
        crash->message = STR("-fcompare-debug failure");
        return true;
    }
    if (!find_line(text, "internal compiler error: ", &line, &behind)) return false;
    read_gcc_message(arena, text, behind, crash);
    if (find_line(text, "during ", &line, &pass)) {
        size_t at = str_find(pass, STR("pass: "), 0);
        if (at != STR_NONE)
            crash->pass = arena_str(arena, str_trim(str_sub(pass, at + 6, pass.len)));
    }
    return true;
}

/* ---- LLVM ---- */
static bool read_llvm_message(Arena *arena, Str text, Crash *crash) {
    static const char *const labels[] = { "*** Bad machine code: ", "LLVM ERROR: ",
                                          "error in backend: ", "UNREACHABLE executed at " };
    Str line, behind;
    size_t at;
    if (find_line(text, ": Assertion `", &line, &behind) &&
        (at = str_find(line, STR(": Assertion `"), 0)) != STR_NONE) {
        crash->message = arena_str(arena, str_sub(line, at + 2, line.len));
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(labels); i++)
        if (find_line(text, labels[i], &line, &behind)) {
            crash->message = str_from(
                arena_fmt(arena, "%s" STR_FMT, labels[i], STR_ARG(normalise(arena, behind))));
            return true;
        }
    return find_line(text, "PLEASE submit a bug report", &line, &behind) ||
           find_line(text, "Stack dump:", &line, &behind);
}

/* The innermost "Running pass .." of the stack dump. */
static Str read_llvm_pass(Arena *arena, Str text) {
    Str line, behind, pass = STR("");
    for (size_t from = 0; line_with(text, "Running pass ", &from, &line, &behind);)
        if (behind.len > 1) {
            char quote = behind.at[0];
            size_t end = str_find(behind, (Str){ &quote, 1 }, 1);
            if (quote != '\'' && quote != '"') continue;
            pass = arena_str(arena, str_sub(behind, 1, end == STR_NONE ? behind.len : end));
        }
    return pass;
}

/* ---- all together ---- */
/* A check that the whole compiler makes use of: where it is says nothing, the pass says more. */
static bool is_shared(const Crash *crash) {
    static const char *const checks[] = { "extract_insn",          "extract_constrain_insn",
                                          "fancy_abort",           "verify_",
                                          "Assertion `isa<",       "argument of incompatible type!",
                                          "used on a null pointer" };
    for (size_t i = 0; i < COUNT_OF(checks); i++)
        if (str_starts(crash->place, checks[i]) ||
            (!crash->place.len && str_find(crash->message, str_from(checks[i]), 0) != STR_NONE))
            return true;
    return false;
}

static void make_signature(Arena *arena, Crash *crash) {
    Buf text = { 0 };
    buf_str(&text, crash->message);
    bool placed = crash->place.len || str_starts(crash->message, "Assertion");
    if ((!placed || is_shared(crash)) && crash->pass.len)
        buf_fmt(&text, " [" STR_FMT "]", STR_ARG(crash->pass));
    Str rest = crash->frames, frame;
    for (int i = 0; !placed && i < 3 && str_split(&rest, '\n', &frame) && frame.len; i++)
        buf_fmt(&text, "%s" STR_FMT, i ? " < " : " in ", STR_ARG(frame));
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '\n') text.at[i] = ' ';
    crash->signature = arena_str(arena, buf_view(&text));
    buf_release(&text);
}

bool crash_read(Arena *arena, Str text, int number, Crash *crash) {
    *crash = (Crash){ .signal = number };
    bool found = read_gcc(arena, text, crash);
    if (!found && (found = read_llvm_message(arena, text, crash)))
        crash->pass = read_llvm_pass(arena, text);
    if (!found && !number) return false;
    if (!crash->message.len) {
        Str line, behind; /* the driver's "command failed with exit code 139": 128 + signal */
        bool said = find_line(text, "exit code 13", &line, &behind) && behind.len;
        crash->message = number ? arena_str(arena, str_from(strsignal(number)))
                         : said ? str_from(behind.at[0] == '9' ? "Segmentation fault" : "Aborted")
                                : STR("crash");
    }
    crash->refused = was_refused(text, crash->message);
    read_frames(arena, text, crash);
    make_signature(arena, crash);
    return true;
}

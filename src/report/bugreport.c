/* Bug reports for GCC and LLVM. GCC's Bugzilla gets plain text, LLVM's issues get Markdown. */
#include "report/bugreport.h"

static bool is_gcc(const CaseView *view) {
    return str_is(view->c.kind, "gcc") || str_is(view->c.kind, "cc1");
}

/* Compilers that refuse the program, and whether any accepts it, by the matrix. */
static bool refused_by(const CaseView *view, Buf *names) {
    bool accepted = false;
    json_t *row;
    size_t i;
    Str last = { 0 };
    json_array_foreach(view->matrix, i, row) {
        Str verdict = json_get_text(row, "verdict"), name = json_get_text(row, "compiler");
        accepted |= str_is(verdict, "ok") || str_is(verdict, "wrong");
        if (!str_is(verdict, "rejected") || str_eq(name, last)) continue;
        buf_fmt(names, "%s" STR_FMT, names->len ? ", " : "", STR_ARG(name));
        last = name;
    }
    return accepted;
}

/* Nobody refuses it, and somebody accepts it: all that is known about a program being valid. */
static bool is_valid(const CaseView *view) {
    Buf names = { 0 };
    bool valid = refused_by(view, &names) && !names.len;
    buf_release(&names);
    return valid;
}

/* Keywords and labels as the trackers name them; "": none that is known to be right. */
static const char *gcc_keyword(const CaseView *view) {
    Str verdict = view->c.verdict;
    if (str_is(verdict, "crash")) return is_valid(view) ? "ice-on-valid-code" : "";
    if (str_is(verdict, "wrong")) return "wrong-code";
    if (str_is(verdict, "hang")) return "compile-time-hog";
    if (str_is(verdict, "link")) return "link-failure";
    return "rejects-valid";
}

static const char *llvm_label(const CaseView *view) {
    Str verdict = view->c.verdict;
    if (str_is(verdict, "crash")) return is_valid(view) ? "crash-on-valid" : "crash";
    if (str_is(verdict, "wrong")) return "miscompilation";
    if (str_is(verdict, "hang")) return "hang";
    return "rejects-valid";
}

static void names(Buf *out, json_t *list) {
    size_t i;
    json_t *name;
    json_array_foreach(list, i, name) {
        if (i) buf_text(out, ", ");
        if (json_is_string(name)) buf_text(out, json_string_value(name));
    }
}

/* How far back it goes, and who does not take the program at all. */
static void add_versions(Buf *out, const CaseView *view) {
    json_t *failing = json_object_get(view->versions, "failing");
    json_t *passing = json_object_get(view->versions, "passing");
    if (json_array_size(failing))
        buf_text(out, "Fails with:  "), names(out, failing), buf_char(out, '\n');
    if (json_array_size(passing))
        buf_text(out, "Passes with: "), names(out, passing), buf_char(out, '\n');
    Buf refused = { 0 };
    refused_by(view, &refused);
    if (refused.len) buf_fmt(out, "Refused by:  " STR_FMT "\n", STR_ARG(buf_view(&refused)));
    buf_release(&refused);
}

static void add_commands(Buf *out, const CaseView *view, const char *indent) {
    buf_text(out, indent);
    caseview_shell_line(view, false, out);
    buf_char(out, '\n');
    if (!view->good_flags.len) return;
    buf_fmt(out, "%s# passes:\n%s", indent, indent);
    caseview_shell_line(view, true, out);
    buf_char(out, '\n');
}

static void add_findings(Buf *out, const CaseView *view) {
    const Case *c = &view->c;
    if (c->matters.len)
        buf_fmt(out, "It goes away with, or begins at: " STR_FMT "\n", STR_ARG(c->matters));
    add_versions(out, view);
    if (c->campaign && !view->doubt.len && str_is(c->verdict, "wrong"))
        buf_text(out, "The original program fails reproducibly and is clean under the address, "
                      "undefined and memory "
                      "sanitizers of clang and gcc.\n");
    else if (c->campaign)
        buf_text(out, "The failure is reproducible.\n");
}

static void add_block(Buf *out, Str text, const char *indent, size_t most_lines) {
    Str rest = text, line;
    size_t n = 0;
    while (str_split(&rest, '\n', &line) && n++ < most_lines) {
        if (!line.len && !rest.at) break;
        buf_fmt(out, "%s" STR_FMT "\n", indent, STR_ARG(line));
    }
    if (rest.at && rest.len) buf_fmt(out, "%s[...]\n", indent);
}

static void outcome(Buf *out, const CaseView *view) {
    const Case *c = &view->c;
    if (!str_is(c->verdict, "wrong")) return;
    if (view->expected.len) {
        buf_fmt(out, "Expected output (exit status %lld):\n", (long long)caseview_code(view));
        add_block(out, view->expected, "    ", 10);
    } else
        buf_fmt(out, "Expected: no output, exit status %lld.\n", (long long)caseview_code(view));
    if (c->actual.len && !view->reduced) {
        buf_text(out, "Actual output:\n");
        add_block(out, c->actual, "    ", 10);
    }
}

static void for_gcc(const CaseView *view, const BugFacts *facts, Buf *out) {
    const Case *c = &view->c;
    const char *keyword = gcc_keyword(view);
    buf_fmt(out,
            "Product: gcc\nVersion: " STR_FMT "\nComponent: %s\n%s%s%sTarget: " STR_FMT
            "\nSummary: " STR_FMT "\n\n",
            STR_ARG(c->version),
            str_is(c->verdict, "crash") && !c->matters.len ? "c" : "tree-optimization",
            *keyword ? "Keywords: " : "", keyword, *keyword ? "\n" : "", STR_ARG(c->target),
            STR_ARG(view->title));
    buf_text(out, "The exact version, the system type and the options given when GCC was "
                  "configured (gcc -v):\n\n");
    if (facts->about.len)
        add_block(out, facts->about, "    ", 60);
    else
        buf_fmt(out, "    " STR_FMT " " STR_FMT ", " STR_FMT "\n", STR_ARG(c->compiler),
                STR_ARG(c->version), STR_ARG(c->target));
    buf_text(out, "\nThe complete command line that triggers the bug:\n\n");
    add_commands(out, view, "    ");
    buf_text(out, "\nThe compiler output:\n\n");
    add_block(out, facts->output.len ? facts->output : c->actual, "    ", 40);
    buf_char(out, '\n');
    outcome(out, view);
    add_findings(out, view);
    buf_text(out, "\nThe preprocessed file is attached (variant.i); the source:\n\n");
    add_block(out, view->variant, "    ", 200);
}

static void for_llvm(const CaseView *view, const BugFacts *facts, Buf *out) {
    const Case *c = &view->c;
    buf_fmt(out, "# " STR_FMT "\n\nLabels: `%s`\n\n", STR_ARG(view->title), llvm_label(view));
    buf_text(out, "## Program\n\n```c\n");
    add_block(out, view->variant, "", 200);
    buf_text(out, "```\n\n## Command\n\n```sh\n");
    add_commands(out, view, "");
    buf_text(out, "```\n\n");
    outcome(out, view);
    if (facts->output.len || c->actual.len) {
        buf_text(out, "\n## Output and stack trace\n\n```\n");
        add_block(out, facts->output.len ? facts->output : c->actual, "", 60);
        buf_text(out, "```\n");
    }
    buf_text(out, "\n## What is known\n\n");
    add_findings(out, view);
    buf_text(out, "\n## Version\n\n```\n");
    if (facts->about.len)
        add_block(out, facts->about, "", 20);
    else
        buf_fmt(out, STR_FMT " " STR_FMT ", " STR_FMT "\n", STR_ARG(c->compiler),
                STR_ARG(c->version), STR_ARG(c->target));
    buf_text(out, "```\n");
}

void bugreport(const CaseView *view, const BugFacts *facts, Buf *out) {
    if (view->doubt.len)
        buf_fmt(out, "NOT A BUG AS IT STANDS: " STR_FMT "\nwritten on request (--anyway).\n\n",
                STR_ARG(view->doubt));
    if (is_gcc(view))
        for_gcc(view, facts, out);
    else
        for_llvm(view, facts, out);
}

/* Root changes as hunks, then the drawing. */
#include "report/explain_view.h"

#include "report/cause_tree.h"
#include "report/page.h"

enum { CHANGES_MOST = 100 };

/* A hunk in the usual colours. */
static void add_hunk(Buf *out, Str diff) {
    Str rest = diff, line;
    buf_text(out, "<pre tabindex=\"0\" aria-label=\"The change\">");
    while (str_split(&rest, '\n', &line) && (line.len || rest.at)) {
        const char *class = str_starts(line, "+")   ? "plus"
                            : str_starts(line, "-") ? "minus"
                                                    : "same";
        buf_fmt(out, "<span class=\"%s\">", class);
        html_text(out, line);
        buf_text(out, "</span>");
    }
    buf_text(out, "</pre>");
}

static void add_changes(Buf *out, const json_t *changes, const char *title) {
    size_t i;
    json_t *c;
    if (!json_array_size(changes)) return;
    buf_fmt(out, "<h3>%s</h3>\n", title);
    json_array_foreach(changes, i, c) {
        if (i == CHANGES_MOST) break;
        buf_text(out, "<div class=\"change\"><code>");
        html_text(out, json_get_text(c, "file"));
        buf_fmt(out, ":%lld</code> <span class=\"soft\">",
                (long long)json_get_int(c, "new_line", 0));
        html_text(out, json_get_text(c, "mark"));
        buf_text(out, "</span>");
        add_hunk(out, json_get_text(c, "diff"));
        buf_text(out, "</div>\n");
    }
}

static void add_failure(Buf *out, const json_t *e) {
    const json_t *failure = json_object_get(e, "failure");
    Str text = json_get_text(failure, "text"), good = json_get_text(e, "good"),
        bad = json_get_text(e, "bad");
    buf_text(out, "<p>");
    if (good.len && bad.len) {
        buf_text(out, "From <code>");
        html_text(out, good);
        buf_text(out, "</code> (passes) to <code>");
        html_text(out, bad);
        buf_text(out, "</code> (fails). ");
    }
    if (text.len)
        buf_text(out, "The failure: <strong>"), html_short(out, text, 400),
            buf_text(out, "</strong>.");
    int64_t builds = json_get_int(e, "builds", 0);
    if (builds) buf_fmt(out, " Found with %lld builds.", (long long)builds);
    buf_text(out, "</p>\n");
}

void explain_view(Buf *out, const json_t *e) {
    if (!json_object_size(e)) return;
    const json_t *tree = json_object_get(e, "tree");
    page_section(out, "causes", "The change that broke it");
    add_failure(out, e);
    add_changes(out, json_object_get(e, "roots"),
                json_get_bool(e, "together", false)
                    ? "These changes together; they were not told apart in the time given"
                    : "Root changes");
    add_changes(out, json_object_get(e, "auxiliary"), "Reverted with them, so that it builds");
    if (json_array_size(json_object_get(tree, "nodes"))) {
        buf_text(out, "<h3>From the change to the failure</h3>\n<p class=\"soft\">Values of the "
                      "failing run, and what they "
                      "were in the passing one. Proved: checked by a solver; tested: reverting "
                      "made it pass; dashed: "
                      "suspected.</p>\n");
        cause_tree(out, tree);
        buf_text(out, "<details><summary>the same as text</summary>\n");
        cause_list(out, tree);
        buf_text(out, "</details>\n");
    }
    page_section_end(out);
}

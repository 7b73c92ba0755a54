/* Suspects as bars. A file opens to its lines with their suspiciousness, a witness to its program
 * beside the failing one. Opening is <details>: no script. */
#include "report/ranking_view.h"

#include "report/page.h"
#include "report/pair_view.h"

enum {
    SHOWN_FIRST = 12, /* of a list; the rest is folded */

    FILES_MOST = 40,
    OTHERS_MOST = 20,
    LINES_MOST = 400,
    WITNESSES_MOST = 200,
    PROGRAMS_MOST = 12
};

/* A link to this version of the file in the compiler's own repository; nothing where that is not
 * known. */
static void add_source_link(Buf *out, const CaseView *view, Str file, int64_t line) {
    Str name = file, kind = view->c.kind;
    bool gcc = str_is(kind, "gcc") || str_is(kind, "cc1"), llvm = str_is(kind, "clang");
    size_t at = str_find(file, gcc ? STR("gcc/") : STR("llvm/"), 0);
    if ((!gcc && !llvm) || at == STR_NONE || !view->c.version.len) return;
    name = str_sub(file, at, file.len);
    buf_fmt(out, " <a class=\"soft\" rel=\"noreferrer\" href=\"%s",
            gcc ? "https://gcc.gnu.org/git/?p=gcc.git;a=blob;f="
                : "https://github.com/llvm/llvm-project/blob/llvmorg-");
    if (llvm) html_query(out, view->c.version), buf_char(out, '/');
    Str rest = name, part;
    for (bool first = true; str_split(&rest, '/', &part); first = false) {
        if (!first) buf_char(out, '/');
        html_query(out, part);
    }
    if (gcc) buf_text(out, ";hb=releases/gcc-"), html_query(out, view->c.version);
    if (line > 0) buf_fmt(out, "#%c%lld", gcc ? 'l' : 'L', (long long)line);
    buf_text(out, "\">source</a>");
}

static void add_lines(Buf *out, json_t *lines, Str file) {
    size_t i;
    json_t *line;
    buf_text(out, "<div class=\"lines\" tabindex=\"0\" role=\"region\" aria-label=\"Lines of ");
    html_short(out, file, 160);
    buf_text(out, "\"><table><tbody>\n");
    json_array_foreach(lines, i, line) {
        if (i == LINES_MOST) break;
        double score = json_get_real(line, "score", 0);
        buf_fmt(out, "<tr><td class=\"num\">%lld</td><td class=\"heat\">",
                (long long)json_get_int(line, "line", 0));
        page_bar(out, score);
        buf_fmt(out, "</td><td class=\"num\">%.3f</td><td class=\"code\">", score);
        html_short(out, json_get_text(line, "text"), 500);
        buf_text(out, "</td></tr>\n");
    }
    buf_text(out, "</tbody></table></div>");
}

/* The evidence for a file: how much of it ran, and which witnesses clear what. */
static void add_backing(Buf *out, const CaseView *view, json_t *file) {
    json_t *witnesses = json_object_get(file, "witnesses"), *id;
    size_t i;
    int64_t covered = json_get_int(file, "covered", 0);
    buf_text(out, "<p class=\"soft\">");
    if (covered)
        buf_fmt(out, "%lld statements ran in the failing compilation. ", (long long)covered);
    if (json_array_size(witnesses)) buf_text(out, "Witnesses:");
    json_array_foreach(witnesses, i, id) {
        if (!json_is_integer(id) || i == 30) break;
        long long n = json_integer_value(id);
        buf_fmt(out, " <a href=\"#witness-%lld\">%lld</a>", n, n);
    }
    add_source_link(out, view, json_get_text(file, "name"),
                    json_get_int(json_array_get(json_object_get(file, "lines"), 0), "line", 0));
    buf_text(out, "</p>");
}

/* The place of a file in the list of suspects, for links within the page; -1: not there. */
static int file_index(const CaseView *view, Str name) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(view->rankings, "files"), i, item) {
        if (i < FILES_MOST && str_eq(json_get_text(item, "name"), name)) return (int)i;
    }
    return -1;
}

static void add_suspect(Buf *out, const CaseView *view, json_t *item, size_t i, bool opens) {
    double score = json_get_real(item, "score", 0);
    if (opens)
        buf_fmt(out, "<details class=\"suspect\" id=\"file-%zu\"><summary>", i);
    else
        buf_text(out, "<div class=\"suspect\"><div class=\"flat\">");
    buf_fmt(out, "<span class=\"rank\">%lld</span><span class=\"name\"><code>",
            (long long)json_get_int(item, "rank", (int64_t)i + 1));
    html_short(out, json_get_text(item, "name"), 160);
    buf_text(out, "</code>");
    Str file = json_get_text(item, "file"), option = json_get_text(item, "option");
    if (file.len) {
        int at = file_index(view, file);
        int64_t line = json_get_int(item, "line", 0);
        if (at >= 0)
            buf_fmt(out, " <a class=\"soft\" href=\"#file-%d\">", at);
        else
            buf_text(out, " <span class=\"soft\">");
        html_short(out, file, 120);
        if (line) buf_fmt(out, ":%lld", (long long)line);
        buf_text(out, at >= 0 ? "</a>" : "</span>");
        add_source_link(out, view, file, line);
    }
    if (json_get_bool(item, "cures", false)) buf_text(out, " <span class=\"tag ok\">cures</span>");
    if (option.len)
        buf_text(out, " <code class=\"soft\">"), html_short(out, option, 120),
            buf_text(out, "</code>");
    buf_text(out, "</span>");
    page_bar(out, score);
    buf_fmt(out, "<span class=\"score\">%.3f</span>", score);
    if (!opens) {
        buf_text(out, "</div></div>\n");
        return;
    }
    buf_text(out, "</summary>");
    add_backing(out, view, item);
    if (json_array_size(json_object_get(item, "lines")))
        add_lines(out, json_object_get(item, "lines"), json_get_text(item, "name"));
    buf_text(out, "</details>\n");
}

static void add_list(Buf *out, const CaseView *view, json_t *list, const char *title, size_t most,
                     bool opens) {
    size_t i;
    json_t *item;
    if (!json_array_size(list)) return;
    buf_fmt(out, "<div><h3>%s</h3>\n", title);
    size_t n = json_array_size(list) < most ? json_array_size(list) : most;
    json_array_foreach(list, i, item) {
        if (i == n) break;
        if (i == SHOWN_FIRST)
            buf_fmt(out, "<details><summary>%zu more</summary>\n", n - SHOWN_FIRST);
        add_suspect(out, view, item, i, opens);
    }
    if (n > SHOWN_FIRST) buf_text(out, "</details>\n");
    buf_text(out, "</div>\n");
}

/* ---- witnesses ---- */

static void add_witness(Buf *out, const CaseView *view, json_t *w, size_t programs) {
    long long id = json_get_int(w, "id", 0);
    Str program = json_get_text(w, "program");
    buf_fmt(out, "<tr id=\"witness-%lld\"><td class=\"num\">%lld</td><td>", id, id);
    html_short(out, json_get_text(w, "kind"), 30);
    buf_text(out, "</td><td><code>");
    html_short(out, json_get_text(w, "label"), 200);
    buf_text(out, "</code>");
    if (program.len && programs < PROGRAMS_MOST) {
        buf_text(out, "<details><summary>its program beside the failing one</summary>");
        pair_view_texts(out, program, view->variant, "witness, passes", "fails");
        buf_text(out, "</details>");
    }
    buf_fmt(out, "</td><td class=\"num\">%.3f</td></tr>\n", json_get_real(w, "distance", 0));
}

static void add_witnesses(Buf *out, const CaseView *view, json_t *witnesses) {
    size_t i, programs = 0;
    json_t *w;
    if (!json_array_size(witnesses)) return;
    buf_fmt(out,
            "<details><summary>%zu witnesses: compilations that pass, and how far each is from the "
            "failing one"
            "</summary>\n<div class=\"scroll\"><table data-sort><thead><tr><th scope=\"col\" "
            "class=\"num\">no.</th>"
            "<th scope=\"col\">kind</th><th scope=\"col\">what</th><th scope=\"col\" "
            "class=\"num\">distance</th>"
            "</tr></thead><tbody>\n",
            json_array_size(witnesses));
    json_array_foreach(witnesses, i, w) {
        if (i == WITNESSES_MOST) break;
        add_witness(out, view, w, programs);
        programs += json_get_text(w, "program").len > 0;
    }
    buf_text(out, "</tbody></table></div></details>\n");
}

/* What single kinds of witnesses would have ranked. */
static void add_alone(Buf *out, json_t *alone) {
    size_t i, k;
    json_t *one, *file;
    if (!json_array_size(alone)) return;
    buf_text(out, "<h3>What each kind of witness alone would have ranked</h3><ul>\n");
    json_array_foreach(alone, i, one) {
        buf_text(out, "<li>");
        html_short(out, json_get_text(one, "what"), 60);
        buf_text(out, ": ");
        json_array_foreach(json_object_get(one, "files"), k, file) {
            if (k == 5) break;
            buf_text(out, k ? ", <code>" : "<code>");
            html_short(out, json_get_text(file, "name"), 100);
            buf_text(out, "</code>");
        }
        buf_text(out, "</li>\n");
    }
    buf_text(out, "</ul>\n");
}

static void add_backtrace(Buf *out, json_t *frames) {
    size_t i;
    json_t *f;
    if (!json_array_size(frames)) return;
    buf_text(out, "<details><summary>Where it crashed</summary><ol>\n");
    json_array_foreach(frames, i, f) {
        if (i == 30) break;
        buf_text(out, "<li><code>");
        html_short(out, json_get_text(f, "function"), 120);
        buf_text(out, "</code> <span class=\"soft\">");
        html_short(out, json_get_text(f, "file"), 120);
        buf_fmt(out, ":%lld</span></li>\n", (long long)json_get_int(f, "line", 0));
    }
    buf_text(out, "</ol></details>\n");
}

void ranking_view(Buf *out, const CaseView *view) {
    json_t *r = view->rankings;
    if (!json_object_size(r)) return;
    page_section(out, "suspects", "Suspects in the compiler");
    buf_text(out, "<p>");
    int64_t suspects = json_get_int(r, "suspects", 0);
    if (suspects) buf_fmt(out, "%lld files ran in the failing compilation. ", (long long)suspects);
    buf_text(out, "A file is the more suspicious the less of it ran in compilations that pass; "
                  "open one for its lines.</p>\n");
    add_list(out, view, json_object_get(r, "files"), "Files", FILES_MOST, true);
    buf_text(out, "<div class=\"two\">\n");
    add_list(out, view, json_object_get(r, "functions"), "Functions", OTHERS_MOST, false);
    add_list(out, view, json_object_get(r, "passes"), "Passes", OTHERS_MOST, false);
    buf_text(out, "</div>\n");
    add_alone(out, json_object_get(r, "alone"));
    add_backtrace(out, json_object_get(r, "backtrace"));
    add_witnesses(out, view, json_object_get(r, "witnesses"));
    page_section_end(out);
}

/* The page of one case: what happens, the pair, the verdicts, the suspects, the causes, and how to
 * reproduce it. */
#include "report/site_pages.h"

#include "base/quantity.h"
#include "report/bugreport.h"
#include "report/caseview.h"
#include "report/explain_view.h"
#include "report/matrix_view.h"
#include "report/pair_view.h"
#include "report/ranking_view.h"

static void chip(Buf *out, const char *name, Str value, size_t most) {
    if (!value.len) return;
    buf_fmt(out, "<li class=\"chip\"><b>%s</b> ", name);
    html_short(out, value, most);
    buf_text(out, "</li>");
}

static size_t lines_of(Str text) {
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) n += text.at[i] == '\n';
    return n;
}

/* How small it has become, in bytes and lines. */
static void add_sizes(Buf *out, const CaseView *view) {
    char text[120];
    const Case *c = &view->c;
    size_t first = c->variant.len ? c->variant.len : c->seed.len;
    if (view->reduced)
        snprintf(text, sizeof text, "%zu bytes in %zu lines; was %zu", c->reduced_variant.len,
                 lines_of(c->reduced_variant), first);
    else
        snprintf(text, sizeof text, "%zu bytes, not reduced", first);
    chip(out, "size", str_from(text), 100);
}

static void add_head(const Page *page, const CaseView *view) {
    Buf *out = page->out;
    const Case *c = &view->c;
    char text[160], first[32], last[32];
    buf_fmt(out, "<p class=\"kicker\">case %lld</p>\n", (long long)c->id);
    html_element(out, "h1", NULL,
                 str_sub(view->title, 0, view->title.len < 2000 ? view->title.len : 2000));
    buf_text(out, "\n<ul class=\"chips\"><li>");
    buf_fmt(out, "<span class=\"chip %s\">%s</span></li>", page_class(c->verdict),
            verdict_words(c->verdict));
    Buf compiler = { 0 };
    buf_fmt(&compiler, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(c->compiler), STR_ARG(c->version),
            STR_ARG(c->target));
    chip(out, "compiler", buf_view(&compiler), 100);
    buf_release(&compiler);
    chip(out, "flags", c->flags, 300);
    chip(out, "passes with", c->good_flags, 300);
    chip(out, "flag or pass that matters", c->matters, 300);
    chip(out, c->campaign ? "seed" : "program", c->seed_name, 120);
    add_sizes(out, view);
    show_time(c->created, first), show_time(c->updated, last);
    if (c->count == 1)
        snprintf(text, sizeof text, "once, %s UTC", first);
    else
        snprintf(text, sizeof text, "%llu times, first %s, last %s UTC",
                 (unsigned long long)c->count, first, last);
    chip(out, "seen", str_from(text), 120);
    Str tags = c->tags, tag;
    while (str_split(&tags, '\n', &tag)) chip(out, "tag", tag, 60);
    if (c->campaign && !page->alone)
        buf_fmt(out, "<li class=\"chip\"><a href=\"campaign-%lld.html\">campaign %lld</a></li>",
                (long long)c->campaign, (long long)c->campaign);
    buf_text(out, "</ul>\n");
    if (c->undefined.len) {
        buf_text(out, "<p class=\"notice\"><strong>This program is undefined:</strong> ");
        html_short(out, c->undefined, 1000);
        buf_text(out, ". Whatever a compiler does with it is not a compiler bug.</p>\n");
    } else if (view->doubt.len) {
        buf_text(out, "<p class=\"notice\"><strong>Not confirmed to be a bug:</strong> ");
        html_short(out, str_sub(view->doubt, strlen("unconfirmed: "), SIZE_MAX), 1000);
        buf_text(out, ".</p>\n");
    }
    if (c->notes.len) {
        buf_text(out, "<p class=\"soft\">");
        html_short(out, c->notes, 4000);
        buf_text(out, "</p>\n");
    }
}

/* ---- what can be copied or saved ---- */

/* A text that buttons copy or save: not shown, but in the page. */
static void add_text(Buf *out, const char *name, Str text) {
    buf_fmt(out, "<textarea hidden readonly data-text=\"%s\">\n", name);
    html_text(out, text);
    buf_text(out, "</textarea>");
}

/* The page's script shows them; without scripts there is the export. */
static void add_button(Buf *out, const char *text, const char *file, const char *label) {
    buf_fmt(out, "<button type=\"button\" class=\"tool\" hidden data-text=\"%s\"", text);
    if (file) buf_fmt(out, " data-file=\"%s\"", file);
    buf_fmt(out, ">%s</button>", label);
}

static void add_tools(const Page *page, const CaseView *view) {
    Buf *out = page->out, command = { 0 }, report = { 0 };
    bool gcc = str_is(view->c.kind, "gcc") || str_is(view->c.kind, "cc1");
    long long id = view->c.id;
    caseview_shell_line(view, false, &command);
    bugreport(view, &(BugFacts){ 0 }, &report);
    buf_text(out, "<div class=\"tools\">");
    add_button(out, "program", NULL, "copy program");
    add_button(out, "program", "variant.c", "download program");
    add_button(out, "command", NULL, "copy command");
    if (!view->doubt.len) {
        add_button(out, "report", NULL, "copy report");
        add_button(out, "report", gcc ? "bug-report.txt" : "bug-report.md", "download report");
        add_text(out, "report", buf_view(&report));
    }
    if (!page->alone) buf_fmt(out, "<a class=\"tool\" href=\"case-%lld.json\">JSON</a>", id);
    if (page->served)
        buf_fmt(out, "<a class=\"tool\" href=\"compare.html?a=%lld\">compare with another</a>", id);
    add_text(out, "program", view->variant);
    add_text(out, "command", buf_view(&command));
    buf_text(out, "</div>\n");
    buf_release(&command);
    buf_release(&report);
}

/* Links to the sections that are there. */
static void add_contents(Buf *out, const CaseView *view) {
    const struct {
        const char *id, *text;
        bool there;
    } parts[] = {
        { "pair", view->seed.len ? "Pair" : "Program", true },
        { "verdicts", "Verdicts",
          json_array_size(view->matrix) || json_object_size(view->versions) },
        { "suspects", "Suspects", json_object_size(view->rankings) > 0 },
        { "causes", "Causes", json_object_size(view->explanations) > 0 },
        { "snippets", "Insertions", json_array_size(view->snippets) > 0 },
        { "reproduce", "Reproduce", view->has_repro },
    };
    buf_text(out, "<nav class=\"toc\" aria-label=\"On this page\">");
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i].there) buf_fmt(out, "<a href=\"#%s\">%s</a>", parts[i].id, parts[i].text);
    buf_text(out, "</nav>\n");
}

static void add_message(Buf *out, const CaseView *view) {
    const Case *c = &view->c;
    if (!c->signature.len && !c->actual.len) return;
    page_section(out, "message", "What happens");
    if (c->signature.len) {
        buf_text(out, "<p><code>");
        html_short(out, c->signature, 2000);
        buf_text(out, "</code></p>\n");
    }
    if (caseview_runs(view) && c->expected.len && c->actual.len) {
        pair_view_texts(out, str_sub(c->expected, 0, 100000), str_sub(c->actual, 0, 100000),
                        "expected output", "output");
    } else if (c->actual.len) {
        buf_text(out, "<details><summary>the whole message</summary><pre tabindex=\"0\">");
        html_text(out, str_sub(c->actual, 0, 200000));
        buf_text(out, "</pre></details>\n");
    }
    page_section_end(out);
}

static void add_snippets(Buf *out, const CaseView *view) {
    size_t i;
    json_t *s;
    if (!json_array_size(view->snippets)) return;
    page_section(out, "snippets", "What was inserted into the seed");
    buf_text(out, "<div class=\"scroll\"><table data-sort><thead><tr><th scope=\"col\" "
                  "class=\"num\">line</th>"
                  "<th scope=\"col\">strategy</th><th scope=\"col\">function</th><th "
                  "scope=\"col\">matters</th>"
                  "<th scope=\"col\">text</th></tr></thead><tbody>\n");
    json_array_foreach(view->snippets, i, s) {
        if (i == 300) break;
        buf_fmt(out, "<tr><td class=\"num\">%lld</td><td>", (long long)json_get_int(s, "line", 0));
        html_short(out, json_get_text(s, "strategy"), 30);
        buf_text(out, "</td><td><code>");
        html_short(out, json_get_text(s, "function"), 60);
        buf_fmt(out, "</code></td><td>%s</td><td><pre>",
                json_get_bool(s, "needed", true) ? "yes" : "no");
        html_short(out, json_get_text(s, "text"), 3000);
        buf_text(out, "</pre></td></tr>\n");
    }
    buf_text(out, "</tbody></table></div>\n");
    page_section_end(out);
}

static void add_reproduction(Buf *out, const CaseView *view) {
    if (!view->has_repro) return;
    page_section(out, "reproduce", "See it yourself");
    buf_text(out, "<h3>Commands</h3>\n");
    for (int good = 0; good < 2; good++) {
        if (good && !view->good_flags.len) continue;
        Buf line = { 0 };
        caseview_shell_line(view, good, &line);
        buf_fmt(out, "<p class=\"soft\">%s</p><pre tabindex=\"0\">", good ? "passes" : "fails");
        html_text(out, buf_view(&line));
        buf_text(out, "</pre>\n");
        buf_release(&line);
    }
    Buf script = { 0 };
    caseview_repro(view, &script);
    buf_fmt(out,
            "<h3>repro.sh</h3><p>Exits 0 when the bug is there. <code>culprit export %lld "
            "DIR</code> writes it with "
            "all files.</p><pre tabindex=\"0\">",
            (long long)view->c.id);
    html_text(out, buf_view(&script));
    buf_text(out, "</pre>\n");
    buf_release(&script);
    page_section_end(out);
}

static void add_steps(Buf *out, const CaseView *view) {
    if (!view->n_steps) return;
    page_section(out, "steps", "Investigation");
    buf_text(out, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">step</th><th "
                  "scope=\"col\">state</th>"
                  "<th scope=\"col\" class=\"num\">time</th><th "
                  "scope=\"col\">result</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < view->n_steps; i++) {
        const CaseStep *s = &view->steps[i];
        char took[32] = "";
        if (s->ended > s->started) quantity_show_duration(s->ended - s->started, took);
        buf_text(out, "<tr><td>");
        html_short(out, s->name, 40);
        buf_text(out, "</td><td>");
        page_tag(out, s->state);
        buf_fmt(out, "</td><td class=\"num\">%s</td><td class=\"what\">", took);
        html_short(out, s->result, 400);
        buf_text(out, "</td></tr>\n");
    }
    buf_text(out, "</tbody></table></div>\n");
    page_section_end(out);
}

bool site_case(Store *store, const Page *page, int64_t id, Error *err) {
    CaseView view;
    Buf *out = page->out;
    bool ok = caseview_load(&view, store, id, err);
    if (ok) {
        page_begin(page, view.title);
        buf_text(out, "<div data-part=\"case\">\n");
        add_head(page, &view);
        add_tools(page, &view);
        add_contents(out, &view);
        add_message(out, &view);
        pair_view(out, &view);
        matrix_view(out, &view);
        ranking_view(out, &view);
        explain_view(out, view.explanations);
        add_snippets(out, &view);
        add_reproduction(out, &view);
        add_steps(out, &view);
        buf_text(out, "</div>\n");
        page_end(page);
    }
    caseview_release(&view);
    return ok;
}

bool site_case_json(Store *store, int64_t id, Buf *out, Error *err) {
    CaseView view;
    bool ok = caseview_load(&view, store, id, err);
    if (ok) {
        json_t *all = caseview_json(&view);
        json_dump_buf(all, true, out);
        json_decref(all);
    }
    caseview_release(&view);
    return ok;
}

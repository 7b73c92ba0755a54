/* The overview (campaigns and the newest cases), and the pages of all cases. */
#include "report/site_pages.h"

#include "report/case_table.h"
#include "report/caseview.h"

enum { NEWEST = 20, CAMPAIGNS_MOST = 100 };

static void add_campaign(Buf *out, const Campaign *c) {
    char text[32];
    buf_fmt(
        out,
        "<tr><td class=\"num\" data-key=\"%lld\"><a href=\"campaign-%lld.html\">%lld</a></td><td>",
        (long long)c->id, (long long)c->id, (long long)c->id);
    page_tag(out, c->state);
    buf_fmt(out, "</td><td class=\"num\" data-key=\"%.0f\">%s</td>", c->started,
            show_time(c->started, text));
    const uint64_t numbers[] = { c->totals.seeds, c->totals.programs, c->totals.compilations,
                                 c->totals.findings, c->totals.buckets };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        buf_fmt(out, "<td class=\"num\" data-key=\"%llu\">", (unsigned long long)numbers[i]);
        page_number(out, numbers[i]);
        buf_text(out, "</td>");
    }
    buf_text(out, "</tr>\n");
}

static void add_campaigns(Buf *out, const Campaign *campaigns, size_t n) {
    static const char *const headings[] = { "started",      "seeds",    "programs",
                                            "compilations", "failures", "bugs" };
    page_section(out, "campaigns", "Campaigns");
    if (!n) {
        buf_text(out, "<p>None yet. <code>culprit hunt --time 10m</code> starts one.</p>\n");
        page_section_end(out);
        return;
    }
    buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"Campaigns\"><table data-sort><thead>"
                  "<tr><th scope=\"col\" class=\"num\">campaign</th><th scope=\"col\">state</th>");
    for (size_t i = 0; i < COUNT_OF(headings); i++)
        buf_fmt(out, "<th scope=\"col\" class=\"num\">%s</th>", headings[i]);
    buf_text(out, "</tr></thead><tbody>\n");
    /* newest first */
    for (size_t i = 0; i < n && i < CAMPAIGNS_MOST; i++) add_campaign(out, &campaigns[n - 1 - i]);
    buf_text(out, "</tbody></table></div>\n");
    page_section_end(out);
}

static void add_tiles(Buf *out, const Campaign *campaigns, size_t n, uint64_t cases) {
    uint64_t programs = 0, compilations = 0;
    for (size_t i = 0; i < n; i++) {
        programs += campaigns[i].totals.programs;
        compilations += campaigns[i].totals.compilations;
    }
    buf_text(out, "<dl class=\"tiles\"><div class=\"tile\"><dt>cases</dt><dd>");
    page_number(out, cases);
    buf_text(out, "</dd></div><div class=\"tile\"><dt>programs</dt><dd>");
    page_number(out, programs);
    buf_text(out, "</dd></div><div class=\"tile\"><dt>compilations</dt><dd>");
    page_number(out, compilations);
    buf_text(out, "</dd></div></dl>\n");
}

bool site_index(Store *store, const Page *page, Error *err) {
    Arena arena = { 0 };
    Buf *out = page->out;
    Campaign *campaigns;
    size_t n;
    CaseTable table = { .filter = { .limit = NEWEST, .descending = true }, .base = "cases.html" };
    bool ok = store_campaign_list(store, &arena, &campaigns, &n, err) &&
              case_table_load(&table, store, &arena, err);
    if (ok) {
        page_begin(page, STR("Overview"));
        buf_text(
            out,
            "<h1>Compiler bugs, from nothing to their cause</h1>\n<div data-part=\"index\">\n");
        add_tiles(out, campaigns, n, table.total);
        page_section(out, "newest", "Newest cases");
        case_table(page, &table);
        if (table.total > table.n)
            buf_fmt(out, "<p><a href=\"cases.html\">all %llu cases</a></p>\n",
                    (unsigned long long)table.total);
        page_section_end(out);
        add_campaigns(out, campaigns, n);
        buf_text(out, "</div>\n");
        page_end(page);
    }
    arena_release(&arena);
    return ok;
}

/* ---- all cases ---- */

static void add_choice(Buf *out, const char *value, const char *chosen) {
    buf_fmt(out, "<option value=\"%s\"%s>%s</option>", value,
            chosen && strcmp(value, chosen) == 0 ? " selected" : "", *value ? value : "any");
}

static void add_filter(Buf *out, const CaseFilter *f) {
    static const char *const verdicts[] = { "", "crash", "wrong", "hang", "link", "rejected" };
    buf_text(out, "<form class=\"filter\" action=\"cases.html\" method=\"get\" role=\"search\">"
                  "<label>text<input name=\"text\" value=\"");
    html_text(out, str_from(f->text));
    buf_text(out, "\"></label><label>compiler<input name=\"compiler\" value=\"");
    html_text(out, str_from(f->compiler));
    buf_text(out, "\"></label><label>verdict<select name=\"verdict\">");
    for (size_t i = 0; i < COUNT_OF(verdicts); i++) add_choice(out, verdicts[i], f->verdict);
    buf_text(out, "</select></label><button class=\"go\">Show</button></form>\n");
}

bool site_cases(Store *store, const Page *page, const CaseFilter *filter, Error *err) {
    Arena arena = { 0 };
    Buf *out = page->out;
    CaseTable table = { .filter = *filter, .base = "cases.html" };
    bool ok = case_table_load(&table, store, &arena, err);
    if (ok) {
        page_begin(page, STR("Cases"));
        buf_text(out, "<h1>Cases</h1>\n");
        if (page->served)
            add_filter(out, filter);
        else
            buf_text(out, "<form class=\"filter\" hidden role=\"search\"><label>search this "
                          "page<input type=\"search\" data-filter></label></form>\n");
        buf_text(out, "<div class=\"card\" data-part=\"table\">\n");
        case_table(page, &table);
        case_table_pager(page, &table);
        buf_text(out, "</div>\n");
        page_end(page);
    }
    arena_release(&arena);
    return ok;
}

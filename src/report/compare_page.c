/* Two cases side by side: what is known about each, and their programs line by line. */
#include "report/site_pages.h"

#include "report/caseview.h"
#include "report/pair_view.h"

/* The form that asks which two cases to compare. */
static void add_form(Buf *out, int64_t a, int64_t b) {
    buf_text(out, "<form class=\"filter\" action=\"compare.html\" method=\"get\">");
    const int64_t numbers[] = { a, b };
    for (int i = 0; i < 2; i++) {
        buf_fmt(out, "<label>%s case<input name=\"%c\" inputmode=\"numeric\" value=\"",
                i ? "second" : "first", 'a' + i);
        if (numbers[i]) buf_fmt(out, "%lld", (long long)numbers[i]);
        buf_text(out, "\"></label>");
    }
    buf_text(out, "<button class=\"go\">Compare</button></form>\n");
}

static void add_fact(Buf *out, const char *name, Str a, Str b) {
    if (!a.len && !b.len) return;
    buf_fmt(out, "<tr><th scope=\"row\">%s</th>", name);
    Str both[] = { a, b };
    for (int i = 0; i < 2; i++) {
        buf_fmt(out, "<td class=\"what%s\">", str_eq(a, b) ? " soft" : "");
        html_short(out, both[i], 400);
        buf_text(out, "</td>");
    }
    buf_text(out, "</tr>\n");
}

static void add_facts(Buf *out, const CaseView *a, const CaseView *b) {
    const Case *x = &a->c, *y = &b->c;
    page_section(out, "facts", "What is known");
    buf_fmt(out,
            "<p class=\"soft\">What both have in common is grey.</p><div "
            "class=\"scroll\"><table><thead>"
            "<tr><th scope=\"col\">what</th><th scope=\"col\"><a href=\"case-%lld.html\">case "
            "%lld</a></th><th "
            "scope=\"col\"><a href=\"case-%lld.html\">case %lld</a></th></tr></thead><tbody>\n",
            (long long)x->id, (long long)x->id, (long long)y->id, (long long)y->id);
    add_fact(out, "verdict", x->verdict, y->verdict);
    add_fact(out, "compiler", x->compiler, y->compiler);
    add_fact(out, "version", x->version, y->version);
    add_fact(out, "flags", x->flags, y->flags);
    add_fact(out, "passes with", x->good_flags, y->good_flags);
    add_fact(out, "signature", x->signature, y->signature);
    add_fact(out, "matters", x->matters, y->matters);
    add_fact(out, "bucket", x->bucket, y->bucket);
    add_fact(out, "tags", x->tags, y->tags);
    add_fact(out, "undefined", x->undefined, y->undefined);
    buf_text(out, "</tbody></table></div>\n");
    page_section_end(out);
}

static void add_both(Buf *out, const CaseView *a, const CaseView *b) {
    char name[2][40];
    snprintf(name[0], sizeof name[0], "case %lld", (long long)a->c.id);
    snprintf(name[1], sizeof name[1], "case %lld", (long long)b->c.id);
    add_facts(out, a, b);
    page_section(out, "programs", "The failing programs");
    pair_view_texts(out, a->variant, b->variant, name[0], name[1]);
    page_section_end(out);
}

bool site_compare(Store *store, const Page *page, int64_t a, int64_t b, Error *err) {
    CaseView first = { 0 }, second = { 0 };
    bool both = a && b;
    bool ok =
        !both || (caseview_load(&first, store, a, err) && caseview_load(&second, store, b, err));
    if (ok) {
        page_begin(page, STR("Two cases"));
        buf_text(page->out, "<h1>Two cases side by side</h1>\n");
        add_form(page->out, a, b);
        if (both) add_both(page->out, &first, &second);
        page_end(page);
    }
    caseview_release(&first);
    caseview_release(&second);
    return ok;
}

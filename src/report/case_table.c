/* Cases as a table. On a served page the headings and the pager are links to another order or page;
 * on a page from a file the script sorts what is there. */
#include "report/case_table.h"

#include "base/quantity.h"
#include "report/caseview.h"

enum { FLAGS_MOST = 60 }; /* letters of flags in a row */

static const char *const stage_members[] = { "reduced_variant", "rankings", "explanations",
                                             "undefined" };

bool case_table_load(CaseTable *table, Store *store, Arena *arena, Error *err) {
    if (!store_case_list(store, arena, &table->filter, &table->cases, &table->n, &table->total,
                         err))
        return false;
    int64_t *ids = ARENA_ARRAY(arena, int64_t, table->n + 1);
    for (size_t i = 0; i < table->n; i++) ids[i] = table->cases[i].id;
    table->has = ARENA_ARRAY(arena, uint32_t, table->n + 1);
    return store_case_has(store, ids, table->n, stage_members, COUNT_OF(stage_members), table->has,
                          err);
}

const char *case_table_file(Arena *arena, uint64_t number) {
    return number <= 1 ? "cases.html"
                       : arena_fmt(arena, "cases-%llu.html", (unsigned long long)number);
}

/* ---- links of a served page ---- */

static const char *order_name(CaseOrder order) {
    static const char *const names[] = { "id", "count", "size", "updated", "compiler" };
    return names[order];
}

static void add_query(Buf *out, const CaseTable *t, CaseOrder order, bool descending,
                      uint64_t number) {
    buf_fmt(out, "%s?sort=%s&amp;dir=%s", t->base, order_name(order), descending ? "desc" : "asc");
    const struct {
        const char *key, *value;
    } words[] = { { "compiler", t->filter.compiler },
                  { "verdict", t->filter.verdict },
                  { "text", t->filter.text } };
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (!words[i].value) continue;
        buf_fmt(out, "&amp;%s=", words[i].key);
        html_query(out, str_from(words[i].value));
    }
    if (number > 1) buf_fmt(out, "&amp;page=%llu", (unsigned long long)number);
}

static void add_heading(const Page *page, const CaseTable *t, const char *text, int order,
                        bool number) {
    Buf *out = page->out;
    bool mine = order >= 0 && t->filter.order == (CaseOrder)order;
    buf_fmt(out, "<th scope=\"col\"%s", number ? " class=\"num\"" : "");
    if (mine) buf_fmt(out, " aria-sort=\"%s\"", t->filter.descending ? "descending" : "ascending");
    buf_char(out, '>');
    if (page->served && order >= 0) {
        buf_text(out, "<a href=\"");
        add_query(out, t, (CaseOrder)order, mine ? !t->filter.descending : number, 1);
        buf_fmt(out, "\">%s%s</a>", text, mine ? t->filter.descending ? " ↓" : " ↑" : "");
    } else
        buf_text(out, text);
    buf_text(out, "</th>");
}

/* ---- rows ---- */

/* Lines break between flags, not at the hyphens within them. */
static void add_flags(Buf *out, Str flags) {
    Str flag;
    for (size_t room = FLAGS_MOST; room && str_split(&flags, ' ', &flag);) {
        buf_text(out, "<span class=\"flag\">");
        html_short(out, flag, room);
        buf_text(out, "</span> ");
        room = room > flag.len ? room - flag.len : 0;
    }
}

static void add_row(const Page *page, const Case *c, uint32_t has) {
    char text[32];
    Buf *out = page->out;
    long long id = c->id;
    buf_fmt(out, "<tr><td class=\"num\" data-key=\"%lld\">", id);
    if (id < page->oldest)
        buf_fmt(out, "%lld</td><td>", id);
    else
        buf_fmt(out, "<a href=\"case-%lld.html\">%lld</a></td><td>", id, id);
    page_tag(out, c->verdict);
    buf_text(out, "</td><td class=\"cc\">");
    html_short(out, c->compiler, 40);
    buf_text(out, " <span class=\"soft\">");
    html_short(out, c->version, 30);
    buf_text(out, "</span></td><td><code>");
    add_flags(out, c->flags);
    buf_text(out, "</code></td><td class=\"what\">");
    html_short(out, c->signature.len ? c->signature : c->title, 160);
    if (c->matters.len)
        buf_text(out, " <code class=\"soft\">"), html_short(out, c->matters, 80),
            buf_text(out, "</code>");
    buf_fmt(out, "</td><td class=\"num\" data-key=\"%llu\">", (unsigned long long)c->count);
    page_number(out, c->count);
    buf_fmt(out, "</td><td class=\"num\" data-key=\"%llu\">%s</td>", (unsigned long long)c->size,
            quantity_show_size(c->size, text));
    buf_fmt(out, "<td class=\"num\" data-key=\"%.0f\">%s</td><td>", c->updated,
            show_time(c->updated, text));
    static const char *const stages[] = { "reduced", "isolated", "explained" };
    for (int i = 0; i < 3; i++)
        if (has & (1u << i)) buf_fmt(out, "<span class=\"tag ok\">%s</span> ", stages[i]);
    if (has & 8)
        buf_text(out, "<span class=\"tag\">undefined</span>");
    else if (case_is_unconfirmed(c))
        buf_text(out, "<span class=\"tag\">unconfirmed</span>");
    buf_text(out, "</td></tr>\n");
}

void case_table(const Page *page, const CaseTable *t) {
    Buf *out = page->out;
    if (!t->n) {
        buf_text(out, "<p>No case.</p>\n");
        return;
    }
    buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"Cases\"><table data-sort>"
                  "<thead><tr>");
    add_heading(page, t, "case", CASE_BY_ID, true);
    add_heading(page, t, "verdict", -1, false);
    add_heading(page, t, "compiler", CASE_BY_COMPILER, false);
    add_heading(page, t, "flags", -1, false);
    add_heading(page, t, "what happens", -1, false);
    add_heading(page, t, "hits", CASE_BY_COUNT, true);
    add_heading(page, t, "size", CASE_BY_SIZE, true);
    add_heading(page, t, "last seen", CASE_BY_UPDATED, true);
    add_heading(page, t, "done", -1, false);
    buf_text(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < t->n; i++) add_row(page, &t->cases[i], t->has[i]);
    buf_text(out, "</tbody></table></div>\n");
}

static void add_page_link(const Page *page, const CaseTable *t, uint64_t number, const char *text) {
    Arena arena = { 0 };
    buf_text(page->out, "<a href=\"");
    if (page->served)
        add_query(page->out, t, t->filter.order, t->filter.descending, number);
    else
        buf_text(page->out, case_table_file(&arena, number));
    buf_fmt(page->out, "\">%s</a>", text);
    arena_release(&arena);
}

void case_table_pager(const Page *page, const CaseTable *t) {
    size_t limit = t->filter.limit;
    if (!limit || t->total <= limit) return;
    uint64_t number = t->filter.offset / limit + 1, last = (t->total + limit - 1) / limit;
    buf_text(page->out, "<nav class=\"pager\" aria-label=\"Pages of the table\">");
    if (number > 1) {
        add_page_link(page, t, 1, "first");
        add_page_link(page, t, number - 1, "previous");
    }
    if (number < last) {
        add_page_link(page, t, number + 1, "next");
        add_page_link(page, t, last, "last");
    }
    buf_fmt(page->out, "<span class=\"soft\">page %llu of %llu, %llu cases</span></nav>\n",
            (unsigned long long)number, (unsigned long long)last, (unsigned long long)t->total);
}

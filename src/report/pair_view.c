/* The pair side by side: rows of two cells; on a narrow screen the style puts them below each other
 * and shows equal lines once. Long equal stretches are folded. */
#include "report/pair_view.h"

#include "report/page.h"
#include "report/pairdiff.h"

enum {
    FOLD_LEAST = 12,     /* equal rows that are folded */
    FOLD_CONTEXT = 3,    /* of them shown next to a difference */
    SHOWN_MOST = 4 << 20 /* bytes of a program shown */
};

static void add_cell(Buf *out, const PairLine *line, const char *class) {
    if (!line->number) {
        buf_text(out, "<div class=\"cell empty\"></div>");
        return;
    }
    buf_fmt(out, "<div class=\"cell%s%s\"><span class=\"no\">%zu</span><span class=\"text\">",
            *class ? " " : "", class, line->number);
    for (size_t i = 0; i < line->n_spans; i++) {
        buf_text(out, line->spans[i].marked ? "<mark>" : "");
        html_text(out, line->spans[i].text);
        buf_text(out, line->spans[i].marked ? "</mark>" : "");
    }
    buf_text(out, "</span></div>");
}

static void add_rows(Buf *out, const PairDiff *diff, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        const PairRow *row = &diff->rows[i];
        buf_text(out, row->same ? "<div class=\"row same\">" : "<div class=\"row\">");
        add_cell(out, &row->side[0], row->same ? "" : "gone");
        add_cell(out, &row->side[1], row->same ? "" : "come");
        buf_text(out, "</div>\n");
    }
}

/* A run of equal rows: those far from any difference are folded. */
static void add_same(Buf *out, const PairDiff *diff, size_t from, size_t to) {
    size_t head = from ? FOLD_CONTEXT : 0, tail = to < diff->len ? FOLD_CONTEXT : 0;
    if (to - from < FOLD_LEAST + head + tail) {
        add_rows(out, diff, from, to);
        return;
    }
    add_rows(out, diff, from, from + head);
    buf_fmt(out, "<details><summary>%zu equal lines</summary>\n", to - from - head - tail);
    add_rows(out, diff, from + head, to - tail);
    buf_text(out, "</details>\n");
    add_rows(out, diff, to - tail, to);
}

static Str shown(Str text) {
    return str_sub(text, 0, text.len < SHOWN_MOST ? text.len : SHOWN_MOST);
}

static void add_diff(Buf *out, const PairDiff *diff, const char *name_a, const char *name_b) {
    buf_fmt(out,
            "<div class=\"pair code\" role=\"group\" aria-label=\"The two programs side by side\">"
            "<div class=\"sides\"><h3>%s</h3><h3>%s</h3></div>\n",
            name_a, name_b);
    for (size_t i = 0; i < diff->len;) {
        size_t to = i;
        while (to < diff->len && diff->rows[to].same == diff->rows[i].same) to++;
        if (diff->rows[i].same)
            add_same(out, diff, i, to);
        else
            add_rows(out, diff, i, to);
        i = to;
    }
    buf_text(out, "</div>\n");
}

void pair_view_texts(Buf *out, Str a, Str b, const char *name_a, const char *name_b) {
    Arena arena = { 0 };
    PairDiff diff = pairdiff(&arena, shown(a), shown(b));
    add_diff(out, &diff, name_a, name_b);
    arena_release(&arena);
}

void pair_view(Buf *out, const CaseView *view) {
    if (!view->seed.len) {
        page_section(out, "pair", view->reduced ? "The reduced program" : "The program");
        buf_text(out, "<pre tabindex=\"0\" aria-label=\"The failing program\">");
        html_text(out, shown(view->variant));
        buf_text(out, "</pre>\n");
        page_section_end(out);
        return;
    }
    Arena arena = { 0 };
    PairDiff diff = pairdiff(&arena, shown(view->seed), shown(view->variant));
    page_section(out, "pair", view->reduced ? "The reduced pair" : "The pair");
    buf_fmt(out,
            "<p>%zu tokens differ. What only one side has is marked.</p>\n<ul class=\"legend\"><li "
            "class=\"gone\">only in the program that passes</li><li class=\"come\">only in the one "
            "that fails</li></ul>\n",
            diff.tokens);
    add_diff(out, &diff, "passes", "fails");
    page_section_end(out);
    arena_release(&arena);
}

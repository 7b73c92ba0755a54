/* The matrix: a row per compiler and a column per level, in the order in which they come. */
#include "report/matrix_view.h"

#include "report/page.h"

static void add_unique(StrVec *list, Str word) {
    for (size_t i = 0; i < list->len; i++)
        if (str_eq(list->at[i], word)) return;
    vec_push(list, word);
}

static json_t *find_cell(json_t *matrix, Str compiler, Str level) {
    size_t i;
    json_t *cell;
    json_array_foreach(matrix, i, cell) {
        if (str_eq(json_get_text(cell, "compiler"), compiler) &&
            str_eq(json_get_text(cell, "level"), level))
            return cell;
    }
    return NULL;
}

static Str version_of(json_t *matrix, Str compiler) {
    size_t i;
    json_t *cell;
    json_array_foreach(matrix, i, cell) {
        if (str_eq(json_get_text(cell, "compiler"), compiler))
            return json_get_text(cell, "version");
    }
    return STR("");
}

static void add_cell(Buf *out, json_t *cell) {
    if (!cell) {
        buf_text(out, "<td class=\"soft\">–</td>");
        return;
    }
    Str verdict = json_get_text(cell, "verdict"), detail = json_get_text(cell, "detail");
    buf_text(out, "<td><span class=\"tag ");
    buf_text(out, page_class(verdict));
    if (detail.len) buf_text(out, "\" title=\""), html_short(out, detail, 300);
    buf_text(out, "\">");
    html_short(out, verdict, 20);
    buf_text(out, "</span></td>");
}

static void add_table(Buf *out, json_t *matrix) {
    StrVec compilers = { 0 }, levels = { 0 };
    size_t i;
    json_t *cell;
    json_array_foreach(matrix, i, cell) {
        add_unique(&compilers, json_get_text(cell, "compiler"));
        add_unique(&levels, json_get_text(cell, "level"));
    }
    buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"Verdicts\"><table class=\"matrix\">"
                  "<thead><tr><th scope=\"col\">compiler</th>");
    for (i = 0; i < levels.len; i++) {
        buf_text(out, "<th scope=\"col\"><code>");
        html_short(out, levels.at[i], 40);
        buf_text(out, "</code></th>");
    }
    buf_text(out, "</tr></thead><tbody>\n");
    for (i = 0; i < compilers.len; i++) {
        buf_text(out, "<tr><th scope=\"row\">");
        html_short(out, compilers.at[i], 60);
        buf_text(out, " <span class=\"soft\">");
        html_short(out, version_of(matrix, compilers.at[i]), 40);
        buf_text(out, "</span></th>");
        for (size_t k = 0; k < levels.len; k++)
            add_cell(out, find_cell(matrix, compilers.at[i], levels.at[k]));
        buf_text(out, "</tr>\n");
    }
    buf_text(out, "</tbody></table></div>\n");
    vec_release(&compilers);
    vec_release(&levels);
}

static void add_names(Buf *out, json_t *names, const char *label, const char *class) {
    size_t i;
    json_t *name;
    if (!json_array_size(names)) return;
    buf_fmt(out, "<p>%s: ", label);
    json_array_foreach(names, i, name) {
        buf_fmt(out, "%s<span class=\"tag %s\">", i ? " " : "", class);
        html_short(out, str_from(json_string_value(name)), 60);
        buf_text(out, "</span>");
    }
    buf_text(out, "</p>\n");
}

void matrix_view(Buf *out, const CaseView *view) {
    if (!json_array_size(view->matrix) && !json_object_size(view->versions)) return;
    page_section(out, "verdicts", "Verdict by compiler and level");
    if (json_array_size(view->matrix)) add_table(out, view->matrix);
    add_names(out, json_object_get(view->versions, "failing"), "Versions that fail", "wrong");
    add_names(out, json_object_get(view->versions, "passing"), "Versions that pass", "ok");
    page_section_end(out);
}

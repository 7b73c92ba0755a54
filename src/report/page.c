/* The document around every page. */
#include "report/page.h"

void page_policy(Buf *out, bool served) {
    buf_fmt(out,
            "default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; ",
            page_style_hash, page_script_hash);
    buf_text(out, served ? "connect-src 'self'; form-action 'self'; frame-ancestors 'none'"
                         : "form-action 'none'");
}

static const char mark[] =
    "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><circle cx=\"10\" cy=\"10\" r=\"7\"/>"
    "<path d=\"M15.5 15.5 21 21\"/><circle class=\"dot\" cx=\"10\" cy=\"10\" r=\"2.6\"/></svg>";

void page_begin(const Page *page, Str title) {
    Buf *out = page->out;
    buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    /* frame-ancestors works only in the header; the rest is repeated here for pages from a file */
    Buf policy = { 0 };
    page_policy(&policy, page->served);
    Str words = buf_view(&policy);
    buf_str(out, str_sub(words, 0, str_find(words, STR("; frame-ancestors"), 0)));
    buf_release(&policy);
    buf_text(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" "
                  "href=\"data:,\">\n<title>");
    html_short(out, title, 120);
    buf_fmt(out, " – culprit</title>\n<style>%s</style>\n</head>\n<body", page_style);
    if (page->live) buf_fmt(out, " data-live=\"%s\"", page->live);
    buf_text(
        out,
        ">\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"top\"><div>");
    if (page->alone)
        buf_fmt(out, "<span class=\"brand\">%sculprit</span>", mark);
    else
        buf_fmt(out,
                "<a class=\"brand\" href=\"index.html\">%sculprit</a>\n<nav aria-label=\"Pages\">"
                "<a href=\"index.html\">Overview</a><a href=\"cases.html\">Cases</a></nav>",
                mark);
    if (page->live) buf_text(out, "<span id=\"live-state\" role=\"status\"></span>");
    if (page->served)
        buf_text(out, "<form action=\"cases.html\" method=\"get\" role=\"search\"><input "
                      "type=\"search\" name=\"text\" aria-label=\"Search all cases\" "
                      "placeholder=\"search cases\"></form>");
    buf_text(out, "</div></header>\n<main id=\"main\">\n");
}

void page_end(const Page *page) {
    buf_fmt(page->out,
            "</main>\n<footer>culprit " CULPRIT_VERSION
            "</footer>\n<script>%s</script>\n</body>\n</html>\n",
            page_script);
}

void page_section(Buf *out, const char *id, const char *title) {
    buf_fmt(out, "<section class=\"card\" id=\"%s\"><h2>%s</h2>\n", id, title);
}

void page_section_end(Buf *out) {
    buf_text(out, "</section>\n");
}

void page_bar(Buf *out, double share) {
    double width = share > 1 ? 100 : share > 0 ? share * 100 : 0;
    buf_fmt(out,
            "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\">"
            "<rect width=\"%.1f\" height=\"8\"/></svg>",
            width);
}

const char *page_class(Str word) {
    static const char *const known[] = { "ok",      "crash",    "wrong",  "hang",
                                         "link",    "rejected", "done",   "failed",
                                         "running", "skipped",  "stopped" };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (str_is(word, known[i])) return known[i];
    return "other";
}

void page_tag(Buf *out, Str word) {
    buf_fmt(out, "<span class=\"tag %s\">", page_class(word));
    html_text(out, word.len ? word : STR("unknown"));
    buf_text(out, "</span>");
}

void page_number(Buf *out, uint64_t n) {
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) buf_text(out, "\xe2\x80\xaf");
        buf_char(out, digits[i]);
    }
}

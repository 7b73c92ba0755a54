/* culprit cases: the store as a table. */
#include <unistd.h>

#include "base/live.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "command/commands.h"
#include "report/caseview.h"
#include "report/terminal.h"

static const char *store_file;
static const char *compiler, *verdict, *search, *sort = "id";
static uint64_t campaign, limit = 50, page = 1;
static bool reverse, all, json;

static const Opt table[] = {
    { 0, "store", OPT_STR, &store_file, "FILE", "the store (default: the user's own)", "@files" },
    { 0, "compiler", OPT_STR, &compiler, "NAME", "only cases of this compiler", "@compilers" },
    { 0, "verdict", OPT_CHOICE, &verdict, "KIND", "only crash, wrong, hang, link or rejected",
      "crash|wrong|hang|link|rejected" },
    { 0, "campaign", OPT_UINT, &campaign, "N", "only cases found by campaign N", NULL },
    { 0, "search", OPT_STR, &search, "TEXT", "only cases whose signature, flags or pass hold TEXT",
      NULL },
    { 0, "sort", OPT_CHOICE, &sort, "KEY", "id, count, size, updated or compiler (default id)",
      "id|count|size|updated|compiler" },
    { 'r', "reverse", OPT_FLAG, &reverse, NULL, "in the other direction", NULL },
    { 'n', "limit", OPT_UINT, &limit, "N", "rows on a page (default 50)", NULL },
    { 'p', "page", OPT_UINT, &page, "N", "which page (default 1)", NULL },
    { 'a', "all", OPT_FLAG, &all, NULL, "everything on one page", NULL },
    { 0, "json", OPT_FLAG, &json, NULL, "for machines, on standard output", NULL },
    { 0 },
};
static const char *const conflicts[] = { "all", "page", "all", "limit", NULL };
static const OptSpec spec = {
    "cases",
    "[OPTION]..",
    "list the cases of the store",
    table,
    conflicts,
    "Newest first. Examples:\n"
    "  culprit cases --verdict wrong --compiler gcc-12\n"
    "  culprit cases --sort count --json\n\n"
    "Exit status: 0 when there is a case to show, 1 when there is none.\n",
    0,
    0,
    NULL,
};

static CaseFilter make_filter(void) {
    static const char *const names[] = { "id", "count", "size", "updated", "compiler" };
    CaseFilter filter = {
        .compiler = compiler, .verdict = verdict, .text = search, .campaign = (int64_t)campaign
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(sort, names[i]) == 0) filter.order = (CaseOrder)i;
    /* what people want first: the newest, the most often hit, the smallest */
    bool descending = filter.order != CASE_BY_SIZE && filter.order != CASE_BY_COMPILER;
    filter.descending = descending != reverse;
    filter.limit = all ? 0 : (size_t)limit;
    filter.offset = all || page < 1 ? 0 : (size_t)((page - 1) * limit);
    return filter;
}

static void print_json(const Case *cases, size_t n, uint64_t total) {
    json_t *rows = json_array(), *o = json_object();
    for (size_t i = 0; i < n; i++) json_array_append_new(rows, case_json(&cases[i]));
    json_put(o, "cases", rows);
    json_put_int(o, "total", (int64_t)total);
    json_print(o);
    json_decref(o);
}

/* ---- the table ---- */

/* What later stages have left in a case, one letter each: reduced, isolated, explained. */
static const char *const stage_members[] = { "reduced_variant", "rankings", "explanations" };

static void add_row(Buf *out, const Case *c, uint32_t has, size_t width) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)c->id);
    terminal_cell(out, str_from(number), 6, true);
    buf_fmt(out, "  %s", colour(stdout, verdict_colour(c->verdict)));
    terminal_cell(out, c->verdict, 8, false);
    buf_fmt(out, "%s ", colour(stdout, COLOUR_NONE));
    terminal_path(out, c->compiler, 12);
    buf_char(out, ' ');
    terminal_cell(out, c->flags, 14, false);
    snprintf(number, sizeof number, "%llu", (unsigned long long)c->count);
    terminal_cell(out, str_from(number), 6, true);
    quantity_show_size(c->size, number);
    terminal_cell(out, str_from(number), 10, true);
    buf_fmt(out, "  %c%c%c  ", has & 1 ? 'R' : '.', has & 2 ? 'I' : '.', has & 4 ? 'E' : '.');
    Str what = c->signature.len ? c->signature : c->matters.len ? c->matters : c->title;
    terminal_text(out, what, !isatty(STDOUT_FILENO) ? 0 : width > 92 ? width - 68 : 24);
    buf_char(out, '\n');
}

static bool print_table(Store *store, const Case *cases, size_t n, uint64_t total, size_t offset,
                        Error *err) {
    Arena arena = { 0 };
    uint32_t *has = ARENA_ARRAY(&arena, uint32_t, n + 1);
    int64_t *ids = ARENA_ARRAY(&arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++) ids[i] = cases[i].id;
    bool ok = store_case_has(store, ids, n, stage_members, COUNT_OF(stage_members), has, err);
    Buf out = { 0 };
    buf_fmt(&out, "%s%6s  %-8s %-12s %-14s%6s%10s  %-3s  %s%s\n", colour(stdout, COLOUR_BOLD),
            "case", "verdict", "compiler", "flags", "hits", "size", "RIE", "signature",
            colour(stdout, COLOUR_NONE));
    for (size_t i = 0; i < n; i++) add_row(&out, &cases[i], has[i], (size_t)terminal_width(stdout));
    if (n < total)
        buf_fmt(&out, "%zu to %zu of %llu; --page N shows others, --all all\n", offset + 1,
                offset + n, (unsigned long long)total);
    if (ok) fwrite(out.at, 1, out.len, stdout);
    buf_release(&out);
    arena_release(&arena);
    return ok;
}

static bool list(Error *err) {
    Store *store = store_open(store_file, STORE_READ, err);
    if (!store) return false;
    Arena arena = { 0 };
    CaseFilter filter = make_filter();
    Case *cases;
    size_t n;
    uint64_t total;
    bool ok = store_case_list(store, &arena, &filter, &cases, &n, &total, err);
    if (ok && json)
        print_json(cases, n, total);
    else if (ok && n)
        ok = print_table(store, cases, n, total, filter.offset, err);
    if (ok && !n && !json)
        ok = err_set(err, STATUS_NO, total ? "no case on that page" : "no case matches in %s",
                     store_path(store));
    else if (ok && !n)
        err->status = STATUS_NO;
    store_close(store);
    arena_release(&arena);
    return ok;
}

int cases_command(int argc, char **argv) {
    Error err = { 0 };
    OptsEnd end = opts_parse(&spec, argc, argv, NULL, &err);
    if (end == OPTS_STOP) return STATUS_DONE;
    if (end == OPTS_BAD || !list(&err)) return err_report(&err);
    return err.status;
}

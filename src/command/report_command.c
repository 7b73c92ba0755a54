/* culprit report: the site as files that need nothing else. */
#include "base/file.h"
#include "base/live.h"
#include "base/opts.h"
#include "command/commands.h"
#include "report/case_table.h"
#include "report/site.h"

static const char *store_file, *directory;
static uint64_t one_case, most = 2000;

static const Opt table[] = {
    { 0, "store", OPT_STR, &store_file, "FILE", "the store (default: the user's own)", "@files" },
    { 'o', "output", OPT_STR, &directory, "DIR", "where the pages go; made when it is not there",
      "@files" },
    { 0, "case", OPT_UINT, &one_case, "N", "only the page of case N", "@cases" },
    { 0, "most", OPT_UINT, &most, "N", "pages of at most N cases, the newest (default 2000)",
      NULL },
    { 0 },
};
static const char *const conflicts[] = { "case", "most", NULL };
static const OptSpec spec = {
    "report",
    "[--case N] -o DIR",
    "write pages that a browser opens from the files",
    table,
    conflicts,
    "Pages need no network and no script. Begin at DIR/index.html, or at the case's own page.\n",
    0,
    0,
    NULL,
};

static int64_t oldest; /* case that has a page */

static bool write_page(Store *store, const SiteRequest *wanted, const char *name, Error *err) {
    Arena arena = { 0 };
    Buf out = { 0 };
    SiteRequest request = *wanted;
    request.alone = one_case != 0;
    request.oldest = oldest;
    bool ok = site_render(store, &request, false, &out, err) &&
              file_save(file_join(&arena, directory, name), buf_view(&out), err);
    buf_release(&out);
    arena_release(&arena);
    return ok;
}

static bool write_case(Store *store, int64_t id, Error *err) {
    char name[64];
    snprintf(name, sizeof name, "case-%lld.html", (long long)id);
    return write_page(store, &(SiteRequest){ .kind = SITE_CASE, .id = id }, name, err);
}

static bool write_campaigns(Store *store, Arena *arena, Error *err) {
    Campaign *campaigns;
    size_t n;
    if (!store_campaign_list(store, arena, &campaigns, &n, err)) return false;
    for (size_t i = 0; i < n; i++) {
        SiteRequest request = { .kind = SITE_CAMPAIGN,
                                .id = campaigns[i].id,
                                .filter = { .limit = SITE_ROWS, .descending = true } };
        const char *name = arena_fmt(arena, "campaign-%lld.html", (long long)campaigns[i].id);
        if (!write_page(store, &request, name, err)) return false;
    }
    return true;
}

/* The pages of all cases, then a page for each of the newest. */
static bool write_cases(Store *store, Arena *arena, size_t *written, uint64_t *total, Error *err) {
    Case *cases;
    CaseFilter newest = { .limit = (size_t)most, .descending = true };
    if (!store_case_list(store, arena, &newest, &cases, written, total, err)) return false;
    oldest = *written ? cases[*written - 1].id : 0;
    uint64_t tables = (*total + SITE_ROWS - 1) / SITE_ROWS;
    for (uint64_t i = 0; i < tables || i == 0; i++) {
        SiteRequest request = {
            .kind = SITE_CASES,
            .filter = { .limit = SITE_ROWS, .offset = i * SITE_ROWS, .descending = true }
        };
        if (!write_page(store, &request, case_table_file(arena, i + 1), err)) return false;
    }
    Live live;
    live_start(&live, false);
    bool ok = true;
    for (size_t i = 0; ok && i < *written; i++) {
        live_line(&live, "page %zu of %zu", i + 1, *written);
        ok = write_case(store, cases[i].id, err);
    }
    live_end(&live);
    return ok;
}

static bool write_all(Store *store, Error *err) {
    Arena arena = { 0 };
    size_t written;
    uint64_t total;
    bool ok = write_cases(store, &arena, &written, &total, err) &&
              write_campaigns(store, &arena, err) &&
              write_page(store, &(SiteRequest){ .kind = SITE_INDEX }, "index.html", err);
    if (ok && written < total)
        printf("%zu of %llu cases have a page; --most N writes more\n", written,
               (unsigned long long)total);
    if (ok) printf("%s/index.html\n", directory);
    arena_release(&arena);
    return ok;
}

static bool report(Error *err) {
    if (!directory) return err_set(err, STATUS_BAD, "report needs -o DIR");
    Store *store = store_open(store_file, STORE_READ, err);
    if (!store) return false;
    bool ok = file_make_dirs(directory, err);
    if (ok && one_case) {
        ok = write_case(store, (int64_t)one_case, err);
        if (ok) printf("%s/case-%llu.html\n", directory, (unsigned long long)one_case);
    } else if (ok)
        ok = write_all(store, err);
    store_close(store);
    return ok;
}

int report_command(int argc, char **argv) {
    Error err = { 0 };
    OptsEnd end = opts_parse(&spec, argc, argv, NULL, &err);
    if (end == OPTS_STOP) return STATUS_DONE;
    return end == OPTS_GO && report(&err) ? STATUS_DONE : err_report(&err);
}

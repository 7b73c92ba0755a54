/* culprit report: the site as files that need nothing else. */
#include "base/file.h"
#include "base/live.h"
#include "base/opts.h"
#include "command/commands.h"
#include "report/case_table.h"
#include "report/site.h"

typedef struct ReportOptions {
    const char *store, *directory;
    uint64_t one_case, most;
} ReportOptions;

#define AT(member) OPT_IN(ReportOptions, member)
static const Opt table[] = {
    { 0, "store", OPT_STR, AT(store), "STORE", "a file, or postgresql://.. [the user's own]",
      "@files" },
    { 'o', "output", OPT_STR, AT(directory), "DIR",
      "where the pages go; created if it does not exist", "@files" },
    { 0, "case", OPT_UINT, AT(one_case), "N", "only the page of case N", "@cases" },
    { 0, "most", OPT_UINT, AT(most), "N", "pages for at most N cases, the newest [2000]", NULL },
    { 0 },
};
#undef AT
static const char *const conflicts[] = { "case", "most", NULL };
static const OptSpec spec = {
    "report",
    "[--case N] -o DIR",
    "write pages that a browser opens as files",
    table,
    conflicts,
    "Pages need no network and no script. Begin at DIR/index.html, or at the case's own page.\n",
    0,
    0,
    NULL,
};

/* What is written: from where to where. */
typedef struct Writing {
    const ReportOptions *o;
    Store *store;
    int64_t oldest; /* case that has a page */
} Writing;

static bool write_page(const Writing *w, const SiteRequest *wanted, const char *name, Error *err) {
    Arena arena = { 0 };
    Buf out = { 0 };
    SiteRequest request = *wanted;
    request.alone = w->o->one_case != 0;
    request.oldest = w->oldest;
    bool ok = site_render(w->store, &request, false, &out, err) &&
              file_save(file_join(&arena, w->o->directory, name), buf_view(&out), err);
    buf_release(&out);
    arena_release(&arena);
    return ok;
}

static bool write_case(const Writing *w, int64_t id, Error *err) {
    char name[64];
    snprintf(name, sizeof name, "case-%lld.html", (long long)id);
    if (!write_page(w, &(SiteRequest){ .kind = SITE_CASE, .id = id }, name, err)) return false;
    if (w->o->one_case) return true; /* a single page that needs nothing else */
    snprintf(name, sizeof name, "case-%lld.json", (long long)id);
    return write_page(w, &(SiteRequest){ .kind = SITE_CASE_JSON, .id = id }, name, err);
}

static bool write_campaigns(const Writing *w, Arena *arena, Error *err) {
    Campaign *campaigns;
    size_t n;
    if (!store_campaign_list(w->store, arena, &campaigns, &n, err)) return false;
    for (size_t i = 0; i < n; i++) {
        SiteRequest request = { .kind = SITE_CAMPAIGN,
                                .id = campaigns[i].id,
                                .filter = { .limit = SITE_ROWS, .descending = true } };
        const char *name = arena_fmt(arena, "campaign-%lld.html", (long long)campaigns[i].id);
        if (!write_page(w, &request, name, err)) return false;
    }
    return true;
}

/* The pages of all cases, then a page for each of the newest. */
static bool write_cases(Writing *w, Arena *arena, size_t *written, uint64_t *total, Error *err) {
    Case *cases;
    CaseFilter newest = { .limit = (size_t)w->o->most, .descending = true };
    if (!store_case_list(w->store, arena, &newest, &cases, written, total, err)) return false;
    w->oldest = *written ? cases[*written - 1].id : 0;
    uint64_t tables = (*total + SITE_ROWS - 1) / SITE_ROWS;
    for (uint64_t i = 0; i < tables || i == 0; i++) {
        SiteRequest request = {
            .kind = SITE_CASES,
            .filter = { .limit = SITE_ROWS, .offset = i * SITE_ROWS, .descending = true }
        };
        if (!write_page(w, &request, case_table_file(arena, i + 1), err)) return false;
    }
    Live live;
    live_start(&live, false);
    bool ok = true;
    for (size_t i = 0; ok && i < *written; i++) {
        live_line(&live, "page %zu of %zu", i + 1, *written);
        ok = write_case(w, cases[i].id, err);
    }
    live_end(&live);
    return ok;
}

static bool write_all(Writing *w, Error *err) {
    Arena arena = { 0 };
    size_t written;
    uint64_t total;
    bool ok = write_cases(w, &arena, &written, &total, err) && write_campaigns(w, &arena, err) &&
              write_page(w, &(SiteRequest){ .kind = SITE_INDEX }, "index.html", err);
    if (ok && written < total)
        printf("%zu of %llu cases have a page; --most N writes more\n", written,
               (unsigned long long)total);
    if (ok) printf("%s/index.html\n", w->o->directory);
    arena_release(&arena);
    return ok;
}

static bool report(const ReportOptions *o, Error *err) {
    if (!o->directory) return err_set(err, STATUS_BAD, "report needs -o DIR");
    Writing w = { .o = o, .store = store_open(o->store, STORE_READ, err) };
    if (!w.store) return false;
    bool ok = file_make_dirs(o->directory, err);
    if (ok && o->one_case) {
        ok = write_case(&w, (int64_t)o->one_case, err);
        if (ok) printf("%s/case-%llu.html\n", o->directory, (unsigned long long)o->one_case);
    } else if (ok)
        ok = write_all(&w, err);
    store_close(w.store);
    return ok;
}

int report_command(int argc, char **argv) {
    Error err = { 0 };
    ReportOptions o = { .most = 2000 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    bool ok = end == OPTS_STOP || (end == OPTS_GO && report(&o, &err));
    opts_release(&opts);
    return ok ? STATUS_DONE : err_report(&err);
}

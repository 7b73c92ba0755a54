/* The page of a campaign: its totals, its progress over time, its cases. */
#include "report/site_pages.h"

#include "base/quantity.h"
#include "report/case_table.h"
#include "report/caseview.h"
#include "report/chart.h"

enum { BINS = 60 }; /* points of a rate over time */

/* A number, and below it what it counts. */
static void tile(Buf *out, const char *name, uint64_t value, const char *counts) {
    buf_fmt(out, "<div class=\"tile\"><dt>%s</dt><dd>", name);
    page_number(out, value);
    buf_fmt(out, "<small>%s</small></dd></div>", counts);
}

static void tile_text(Buf *out, const char *name, const char *value, const char *counts) {
    buf_fmt(out, "<div class=\"tile\"><dt>%s</dt><dd>%s<small>%s</small></dd></div>", name, value,
            counts);
}

#define PAUSE_S 600.0 /* a gap this long is a pause: no seed takes that long */

/* Seconds of hunting: from the start to the last seed that was done, without the pauses between
 * runs. A sample says that a seed was finished in its ten seconds, not that no work was done
 * before. */
static double active_seconds(const Campaign *c, const Sample *samples, size_t n) {
    double at = n && samples[0].time < c->started ? samples[0].time : c->started, sum = 0;
    for (size_t i = 0; i < n; i++) {
        double end = samples[i].time + STORE_SAMPLE_S;
        if (end > c->updated && c->updated > samples[i].time) end = c->updated;
        double gap = end - at;
        if (gap > 0) sum += gap < PAUSE_S ? gap : STORE_SAMPLE_S;
        if (end > at) at = end;
    }
    if (c->updated > at && c->updated - at < PAUSE_S) sum += c->updated - at;
    return sum;
}

static void add_tiles(Buf *out, const Campaign *c, const Sample *samples, size_t n) {
    const CampaignTotals *t = &c->totals;
    double active = active_seconds(c, samples, n);
    char text[64], number[32];
    buf_text(out, "<dl class=\"tiles\">");
    tile(out, "programs", t->programs, "seeds and variants given to the compilers");
    if (active >= STORE_SAMPLE_S)
        tile(out, "programs per hour", (uint64_t)((double)t->programs / active * 3600 + 0.5),
             "of the time at work");
    tile(out, "seeds done", t->seeds, "with all their variants");
    tile(out, "seeds refused", t->rejected, "do not compile, are not clean, or take too long");
    tile(out, "compilations", t->compilations, "by the compilers under test, at all levels");
    tile(out, "failures", t->findings, "verified; the same bug counts each time");
    tile(out, "bugs", t->buckets, "failures with one cause counted once; new in this campaign");
    if (t->total_cpu_s > 0) {
        snprintf(text, sizeof text, "%.0f %%", t->compiler_cpu_s / t->total_cpu_s * 100);
        tile_text(out, "CPU time in the compilers", text,
                  "under test, and in the programs they made");
        tile_text(out, "CPU time", quantity_show_duration(t->total_cpu_s, number),
                  "of everything, all workers together");
    }
    tile_text(out, "at work", quantity_show_duration(active, number),
              "start to last seed, pauses left out");
    buf_text(out, "</dl>\n");
}

/* ---- progress ---- */

/* Programs per hour in at most BINS equal stretches of the time from first to last sample. */
static void add_rate(Buf *out, const Sample *samples, size_t n) {
    double start = samples[0].time, end = samples[n - 1].time + STORE_SAMPLE_S;
    double width = (end - start) / BINS < STORE_SAMPLE_S ? STORE_SAMPLE_S : (end - start) / BINS;
    size_t bins = (size_t)((end - start) / width + 0.999);
    ChartPoints points = { 0 };
    for (size_t b = 0; b < bins; b++)
        vec_push(&points, (ChartPoint){ start + ((double)b + 0.5) * width, 0 });
    for (size_t i = 0; i < n; i++) {
        size_t b = (size_t)((samples[i].time - start) / width);
        if (b < bins) points.at[b].value += (double)samples[i].totals.programs / width * 3600;
    }
    chart(out, &(ChartSpec){ "Programs per hour", "", false }, &points);
    vec_release(&points);
}

static void add_buckets(Buf *out, const Sample *samples, size_t n) {
    ChartPoints points = { 0 };
    double sum = 0;
    vec_push(&points, (ChartPoint){ samples[0].time, 0 });
    for (size_t i = 0; i < n; i++) {
        sum += (double)samples[i].totals.buckets;
        if (samples[i].totals.buckets || i + 1 == n)
            vec_push(&points, (ChartPoint){ samples[i].time + STORE_SAMPLE_S, sum });
    }
    chart(out, &(ChartSpec){ "Bugs over time", "", true }, &points);
    vec_release(&points);
}

static void add_coverage(Buf *out, const Sample *samples, size_t n) {
    ChartPoints points = { 0 };
    for (size_t i = 0; i < n; i++)
        if (samples[i].coverage >= 0)
            vec_push(&points, (ChartPoint){ samples[i].time, samples[i].coverage * 100 });
    chart(out, &(ChartSpec){ "Coverage of the compiler", "%", false }, &points);
    vec_release(&points);
}

enum { MACHINES_MOST = 50 };

static void add_machine(Buf *out, const CampaignWorker *w) {
    char seen[32];
    double hours = w->totals.total_cpu_s / 3600;
    buf_text(out, "<tr><td>");
    html_short(out, w->host, 40);
    buf_text(out, "</td><td>");
    page_tag(out, w->state);
    buf_text(out, "</td><td class=\"number\">");
    page_number(out, w->cores);
    buf_text(out, "</td><td class=\"number\">");
    page_number(out, w->totals.seeds);
    buf_text(out, "</td><td class=\"number\">");
    page_number(out, w->totals.programs);
    buf_text(out, "</td><td class=\"number\">");
    page_number(out, hours > 0 ? (uint64_t)((double)w->totals.programs / hours) : 0);
    buf_fmt(out, "</td><td>%s</td><td>", show_time(w->seen, seen));
    html_short(out, w->words, 100);
    buf_text(out, "</td></tr>\n");
}

/* Who works for it, where more than one does or did. */
static bool add_machines(Store *store, Buf *out, const Campaign *c, Arena *arena, Error *err) {
    CampaignWorker *workers;
    size_t n;
    if (!store_workers(store, arena, c->id, &workers, &n, err)) return false;
    if (n < 2) return true;
    buf_text(out, "<div data-part=\"machines\">\n");
    page_section(out, "machines", "Machines");
    buf_text(out, "<table><thead><tr><th>machine</th><th>state</th><th>cores</th><th>seeds</th>"
                  "<th>programs</th><th>programs per core-hour</th><th>last seen (UTC)</th>"
                  "<th>last words</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < n && i < MACHINES_MOST; i++) add_machine(out, &workers[i]);
    buf_text(out, "</tbody></table>\n");
    if (n > MACHINES_MOST) buf_fmt(out, "<p class=\"soft\">and %zu more</p>\n", n - MACHINES_MOST);
    page_section_end(out);
    buf_text(out, "</div>\n");
    return true;
}

static void add_settings(Buf *out, const Campaign *c) {
    page_section(out, "settings", "Settings");
    buf_text(out, "<pre tabindex=\"0\" aria-label=\"Settings\">");
    html_text(out, str_sub(c->settings, 0, 20000));
    buf_text(out, "</pre>\n");
    page_section_end(out);
}

static bool add_page(Store *store, const Page *page, const Campaign *c, CaseTable *table,
                     Arena *arena, Error *err) {
    Sample *samples;
    size_t n;
    Buf *out = page->out;
    char text[64], first[32], last[32];
    if (!store_samples(store, arena, c->id, &samples, &n, err) ||
        !case_table_load(table, store, arena, err))
        return false;
    snprintf(text, sizeof text, "Campaign %lld", (long long)c->id);
    page_begin(page, str_from(text));
    buf_fmt(out,
            "<p class=\"kicker\">campaign %lld</p><h1>Hunting compiler bugs</h1>\n<div "
            "data-part=\"campaign\"><p>",
            (long long)c->id);
    page_tag(out, c->state);
    buf_fmt(out, " <span class=\"soft\">since %s UTC, last sign of life %s UTC</span></p>\n",
            show_time(c->started, first), show_time(c->updated, last));
    add_tiles(out, c, samples, n);
    buf_text(out, "<div class=\"charts\">\n");
    if (n) add_rate(out, samples, n), add_buckets(out, samples, n), add_coverage(out, samples, n);
    buf_text(out, "</div></div>\n");
    if (!add_machines(store, out, c, arena, err)) return false;
    buf_text(out, "<div data-part=\"cases\">\n");
    page_section(out, "cases", "Cases");
    case_table(page, table);
    if (page->served)
        case_table_pager(page, table);
    else if (table->n < table->total)
        buf_text(out, "<p><a href=\"cases.html\">all cases</a></p>\n");
    page_section_end(out);
    buf_text(out, "</div>\n");
    add_settings(out, c);
    page_end(page);
    return true;
}

bool site_campaign(Store *store, const Page *page, int64_t id, const CaseFilter *filter,
                   Error *err) {
    Arena arena = { 0 };
    Campaign c;
    CaseTable table = { .filter = *filter,
                        .base = arena_fmt(&arena, "campaign-%lld.html", (long long)id) };
    table.filter.campaign = id;
    bool ok = store_campaign_get(store, &arena, id, &c, err) &&
              add_page(store, page, &c, &table, &arena, err);
    arena_release(&arena);
    return ok;
}

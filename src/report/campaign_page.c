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
 * runs. A sample says that a seed was finished in its step, not that no work was done before. */
static double active_seconds(const Campaign *c, const Sample *samples, size_t n) {
    double at = n && samples[0].time < c->started ? samples[0].time : c->started, sum = 0;
    for (size_t i = 0; i < n; i++) {
        double end = samples[i].time + samples[i].width;
        if (end > c->updated && c->updated > samples[i].time) end = c->updated;
        double from = samples[i].time - at < PAUSE_S ? at : samples[i].time;
        if (end > from) sum += end - from;
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
        tile(out, "programs per core-hour",
             (uint64_t)((double)t->programs / t->total_cpu_s * 3600 + 0.5), "of CPU time");
        tile_text(out, "CPU time", quantity_show_duration(t->total_cpu_s, number),
                  "of everything, all workers together");
    }
    tile_text(out, "at work", quantity_show_duration(active, number),
              "start to last seed, pauses left out");
    buf_text(out, "</dl>\n");
}

/* ---- progress ---- */

#define LONGEST_S 1e11 /* of a campaign: three thousand years */

/* What a sample adds to each stretch that its step reaches into. */
static void spread(ChartPoints *points, double start, double width, const Sample *s) {
    double from = s->time - start, to = from + s->width;
    for (size_t b = (size_t)(from / width); b < points->len && (double)b * width < to; b++) {
        double low = (double)b * width > from ? (double)b * width : from;
        double high = (double)(b + 1) * width < to ? (double)(b + 1) * width : to;
        points->at[b].value += (double)s->totals.programs * (high - low) / s->width;
    }
}

/* Programs per hour in at most BINS equal stretches of the time from first to last sample. */
static void add_rate(Buf *out, const Campaign *c, const Sample *samples, size_t n) {
    double start = samples[0].time, end = samples[n - 1].time + samples[n - 1].width;
    if (end > c->updated && c->updated > start + STORE_SAMPLE_S) end = c->updated;
    if (!(end - start < LONGEST_S)) return; /* nonsense in a store that is not ours */
    double width = (end - start) / BINS < STORE_SAMPLE_S ? STORE_SAMPLE_S : (end - start) / BINS;
    size_t bins = (size_t)((end - start) / width + 0.999);
    ChartPoints points = { 0 };
    for (size_t b = 0; b < bins; b++)
        vec_push(&points, (ChartPoint){ start + ((double)b + 0.5) * width, 0 });
    for (size_t i = 0; i < n; i++) {
        Sample s = samples[i];
        if (!(s.time >= start && s.time < end)) continue;
        if (s.time + s.width > end) s.width = end - s.time; /* is not over yet */
        spread(&points, start, width, &s);
    }
    for (size_t b = 0; b < bins; b++) points.at[b].value *= 3600 / width;
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
            vec_push(&points, (ChartPoint){ samples[i].time + samples[i].width, sum });
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

static void add_compiler(Buf *out, const CompilerTiming *t, double all_s) {
    buf_text(out, "<tr><td class=\"cc\">");
    html_short(out, t->compiler, 40);
    buf_text(out, " <span class=\"soft\">");
    html_short(out, t->version, 30);
    buf_text(out, "</span></td><td class=\"num\">");
    page_number(out, t->compilations);
    buf_fmt(out,
            "</td><td class=\"num\">%.3f s</td><td class=\"num\">%.2f s</td>"
            "<td class=\"num\">%.0f %%</td></tr>\n",
            t->cpu_s / (double)t->compilations, t->slowest_s,
            all_s > 0 ? t->cpu_s / all_s * 100 : 0);
}

enum { COMPILERS_MOST = 50 };

/* The slowest first. */
static bool add_compilers(Store *store, Buf *out, const Campaign *c, Arena *arena, Error *err) {
    CompilerTiming *timings;
    size_t n;
    double all_s = 0;
    if (!store_timings(store, arena, c->id, &timings, &n, err)) return false;
    if (!n) return true;
    for (size_t i = 0; i < n; i++) all_s += timings[i].cpu_s;
    buf_text(out, "<div data-part=\"compilers\">\n");
    page_section(out, "compilers", "Compilers, the slowest first");
    buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"Compilers\"><table><thead><tr><th scope=\"col\">compiler</th>"
                  "<th scope=\"col\" class=\"num\">compilations</th>"
                  "<th scope=\"col\" class=\"num\">CPU of one</th>"
                  "<th scope=\"col\" class=\"num\">the slowest</th>"
                  "<th scope=\"col\" class=\"num\">share of their CPU</th>"
                  "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n && i < COMPILERS_MOST; i++) add_compiler(out, &timings[i], all_s);
    buf_text(out, "</tbody></table></div>\n");
    if (n > COMPILERS_MOST)
        buf_fmt(out, "<p class=\"soft\">and %zu more</p>\n", n - COMPILERS_MOST);
    page_section_end(out);
    buf_text(out, "</div>\n");
    return true;
}

enum { MACHINES_MOST = 50 };

static void add_machine(Buf *out, const CampaignWorker *w) {
    char seen[32];
    double hours = w->totals.total_cpu_s / 3600;
    buf_text(out, "<tr><td class=\"cc\">");
    html_short(out, w->host, 40);
    buf_text(out, "</td><td>");
    page_tag(out, w->state);
    buf_text(out, "</td><td class=\"num\">");
    page_number(out, w->cores);
    buf_text(out, "</td><td class=\"num\">");
    page_number(out, w->totals.seeds);
    buf_text(out, "</td><td class=\"num\">");
    page_number(out, w->totals.programs);
    buf_text(out, "</td><td class=\"num\">");
    page_number(out, hours > 0 ? (uint64_t)((double)w->totals.programs / hours) : 0);
    buf_fmt(out, "</td><td class=\"cc\">%s</td><td class=\"what\">", show_time(w->seen, seen));
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
    buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"Machines\"><table><thead><tr><th scope=\"col\">machine</th>"
                  "<th scope=\"col\">state</th><th scope=\"col\" class=\"num\">cores</th>"
                  "<th scope=\"col\" class=\"num\">seeds</th>"
                  "<th scope=\"col\" class=\"num\">programs</th>"
                  "<th scope=\"col\" class=\"num\">programs per core-hour</th>"
                  "<th scope=\"col\">last seen (UTC)</th><th scope=\"col\">last words</th>"
                  "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n && i < MACHINES_MOST; i++) add_machine(out, &workers[i]);
    buf_text(out, "</tbody></table></div>\n");
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
    if (n)
        add_rate(out, c, samples, n), add_buckets(out, samples, n), add_coverage(out, samples, n);
    buf_text(out, "</div></div>\n");
    if (!add_compilers(store, out, c, arena, err) || !add_machines(store, out, c, arena, err))
        return false;
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

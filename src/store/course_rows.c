/* The course of a campaign: what was added when, and what each compiler took.
 *
 * Time is in steps that get longer as the campaign gets older: a step is at most a twentieth of the
 * campaign's age, so that a month takes some hundred rows of each shard, and reading them does not
 * take ten times as long after ten times as many units. Like the sums, everything is in the shard
 * of the connection that adds to it. */
#include "store/totals.h"

enum { STEP_SHARE = 20 }; /* a step is this part of the age before it, or less */

double store_sample_step(double age) {
    static const double longer[] = { 86400, 7200, 600, 60 };
    for (size_t i = 0; i < COUNT_OF(longer); i++)
        if (age >= longer[i] * STEP_SHARE) return longer[i];
    return STORE_SAMPLE_S;
}

/* When the campaign was started, in whole seconds; asked once a connection. */
static bool find_start(Store *store, int64_t campaign, double *start, Error *err) {
    int64_t began = 0;
    if (store->course != campaign) {
        if (!sql_int(store, "SELECT CAST(started AS {int}) FROM campaigns WHERE id=?", 0, &began,
                     err, "i", campaign))
            return false;
        store->course = campaign, store->began = (double)began;
    }
    *start = store->began;
    return true;
}

/* The start of the present step. Steps are counted from the campaign's start: a longer one begins
 * where a shorter one ends. */
static bool find_step(Store *store, int64_t campaign, int64_t *time, Error *err) {
    double start;
    if (!find_start(store, campaign, &start, err)) return false;
    double age = store_time() - start;
    int64_t step = (int64_t)store_sample_step(age);
    *time = (int64_t)start + (age > 0 ? (int64_t)age / step * step : 0);
    return true;
}

static bool add_timing(Store *store, int64_t campaign, int64_t shard, const CompilerTiming *t,
                       const char *text, Error *err) {
    return !t->compilations ||
           sql_run(store, text, err, "issiirr", campaign, t->compiler, t->version, shard,
                   (int64_t)t->compilations, t->cpu_s, t->slowest_s);
}

#define PUT_TIMING                                                                                 \
    "INSERT INTO timings(campaign,compiler,version,shard,compilations,cpu_s,slowest_s) "           \
    "VALUES(?,?,?,?,?,?,?) ON CONFLICT(campaign,compiler,version,shard) DO UPDATE SET "

bool course_add(Store *store, int64_t campaign, const SeedDone *done, const CampaignTotals *t,
                Error *err) {
    static const char *const sample =
        "INSERT INTO samples(campaign,time,shard," TOTALS ",coverage) VALUES(?,?,?," TOTALS_PLACES
        ",-1) ON CONFLICT(campaign,time,shard) DO UPDATE SET " ADD_TOTALS("samples");
    static const char *const timing =
        PUT_TIMING "compilations=timings.compilations+excluded.compilations,"
                   "cpu_s=timings.cpu_s+excluded.cpu_s,slowest_s=CASE WHEN "
                   "excluded.slowest_s>timings.slowest_s THEN excluded.slowest_s "
                   "ELSE timings.slowest_s END";
    int64_t time;
    bool ok = find_step(store, campaign, &time, err) &&
              sql_run(store, sample, err, "iii" TOTALS_FORMAT, campaign, time, store->shard,
                      TOTALS_ARGS(t));
    for (size_t i = 0; ok && i < done->n_timings; i++)
        ok = add_timing(store, campaign, store->shard, &done->timings[i], timing, err);
    return ok;
}

bool store_samples(Store *store, Arena *arena, int64_t campaign, Sample **samples, size_t *n,
                   Error *err) {
    double start;
    SqlStmt *stmt = find_start(store, campaign, &start, err)
                        ? sql_query(store,
                                    "SELECT time," TOTALS_SUMS ",max(coverage) FROM samples "
                                    "WHERE campaign=? GROUP BY time ORDER BY time",
                                    err, "i", campaign)
                        : NULL;
    if (!stmt) return false;
    VEC(Sample) rows = { 0 };
    bool failed;
    while (sql_row(store, stmt, &failed, err)) {
        Sample s = { .time = sql_get_real(store, stmt, 0) };
        read_totals(store, stmt, 1, &s.totals);
        s.coverage = sql_get_real(store, stmt, 1 + TOTALS_COLUMNS);
        s.width = store_sample_step(s.time - start);
        vec_push(&rows, s);
    }
    *samples = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

bool store_timings(Store *store, Arena *arena, int64_t campaign, CompilerTiming **timings,
                   size_t *n, Error *err) {
    SqlStmt *stmt =
        sql_query(store,
                  "SELECT compiler,version," SUM(
                      "compilations") ",sum(cpu_s),"
                                      "max(slowest_s) FROM timings WHERE campaign=? GROUP BY "
                                      "compiler,version ORDER BY sum(cpu_s)/sum(compilations) DESC",
                  err, "i", campaign);
    if (!stmt) return false;
    VEC(CompilerTiming) rows = { 0 };
    bool failed;
    while (sql_row(store, stmt, &failed, err)) {
        CompilerTiming t = { .compiler = sql_get_str(arena, store, stmt, 0),
                             .version = sql_get_str(arena, store, stmt, 1) };
        t.compilations = (uint64_t)sql_get_int(store, stmt, 2);
        t.cpu_s = sql_get_real(store, stmt, 3);
        t.slowest_s = sql_get_real(store, stmt, 4);
        vec_push(&rows, t);
    }
    *timings = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

typedef struct CoverageNow {
    int64_t campaign;
    double coverage;
} CoverageNow;

static bool set_coverage(Store *store, void *arg, Error *err) {
    const CoverageNow *now = arg;
    int64_t time;
    return find_step(store, now->campaign, &time, err) &&
           sql_run(store,
                   "INSERT INTO samples(campaign,time,shard," TOTALS ",coverage) "
                   "VALUES(?,?,?,0,0,0,0,0,0,0,0,0,0,?) "
                   "ON CONFLICT(campaign,time,shard) DO UPDATE SET coverage=excluded.coverage",
                   err, "iiir", now->campaign, time, store->shard, now->coverage);
}

bool store_coverage(Store *store, int64_t campaign, double coverage, Error *err) {
    CoverageNow now = { campaign, coverage };
    return sql_transact(store, set_coverage, &now, err);
}

/* ---- into another store ---- */

typedef struct CourseCopy {
    int64_t campaign, shard; /* there */
    const Sample *samples;
    size_t n_samples;
    const CompilerTiming *timings;
    size_t n_timings;
} CourseCopy;

static bool put_course(Store *to, void *arg, Error *err) {
    const CourseCopy *c = arg;
    static const char *const sample =
        "INSERT INTO samples(campaign,time,shard," TOTALS ",coverage) VALUES(?,?,?," TOTALS_PLACES
        ",?) ON CONFLICT(campaign,time,shard) DO UPDATE SET " SET_TOTALS;
    static const char *const timing =
        PUT_TIMING SET("compilations") "," SET("cpu_s") "," SET("slowest_s");
    bool ok = true;
    for (size_t i = 0; ok && i < c->n_samples; i++)
        ok = sql_run(to, sample, err, "iii" TOTALS_FORMAT "r", c->campaign,
                     (int64_t)c->samples[i].time, c->shard, TOTALS_ARGS(&c->samples[i].totals),
                     c->samples[i].coverage);
    for (size_t i = 0; ok && i < c->n_timings; i++)
        ok = add_timing(to, c->campaign, c->shard, &c->timings[i], timing, err);
    return ok;
}

bool course_copy(Store *from, Store *to, int64_t campaign, int64_t there, int64_t shard,
                 Error *err) {
    Arena arena = { 0 };
    Sample *samples = NULL;
    CompilerTiming *timings = NULL;
    CourseCopy c = { .campaign = there, .shard = shard };
    bool ok = store_samples(from, &arena, campaign, &samples, &c.n_samples, err) &&
              store_timings(from, &arena, campaign, &timings, &c.n_timings, err);
    c.samples = samples, c.timings = timings;
    ok = ok && sql_transact(to, put_course, &c, err);
    arena_release(&arena);
    return ok;
}

/* Campaigns in SQLite: the seed numbers that are done, their sums, and the campaign over time.
 *
 * One transaction a seed writes its findings, its own record, adds to the sums in the campaign's
 * row and to the sample of the present moment; so a sum is always the sum of the records. */
#include "store/sql.h"

#define TOTALS                                                                                     \
    "seeds,programs,compilations,runs,rejected,findings,buckets,compiler_cpu_s,total_cpu_s,wall_s"
#define TOTALS_FORMAT "iiiiiiirrr"
#define TOTALS_ARGS(t)                                                                             \
    (int64_t)(t)->seeds, (int64_t)(t)->programs, (int64_t)(t)->compilations, (int64_t)(t)->runs,   \
        (int64_t)(t)->rejected, (int64_t)(t)->findings, (int64_t)(t)->buckets,                     \
        (t)->compiler_cpu_s, (t)->total_cpu_s, (t)->wall_s
enum { TOTALS_COLUMNS = 10 };

static void read_totals(sqlite3_stmt *stmt, int at, CampaignTotals *t) {
    t->seeds = (uint64_t)sqlite3_column_int64(stmt, at);
    t->programs = (uint64_t)sqlite3_column_int64(stmt, at + 1);
    t->compilations = (uint64_t)sqlite3_column_int64(stmt, at + 2);
    t->runs = (uint64_t)sqlite3_column_int64(stmt, at + 3);
    t->rejected = (uint64_t)sqlite3_column_int64(stmt, at + 4);
    t->findings = (uint64_t)sqlite3_column_int64(stmt, at + 5);
    t->buckets = (uint64_t)sqlite3_column_int64(stmt, at + 6);
    t->compiler_cpu_s = sqlite3_column_double(stmt, at + 7);
    t->total_cpu_s = sqlite3_column_double(stmt, at + 8);
    t->wall_s = sqlite3_column_double(stmt, at + 9);
}

bool sqlite_campaign_find(Store *store, Str settings, int64_t *id, Error *err) {
    return sql_int(db_of(store), "SELECT max(id) FROM campaigns WHERE settings=?", 0, id, err, "b",
                   settings);
}

bool sqlite_campaign_new(Store *store, Str settings, int64_t *id, Error *err) {
    Db *db = db_of(store);
    static const char *const text =
        "INSERT INTO campaigns(settings,state,progress,started,updated," TOTALS
        ") VALUES(?,'running',x'',?,?,0,0,0,0,0,0,0,0,0,0)";
    double now = store_time();
    if (!sql_begin(db, err)) return false;
    bool ok = sql_run(db, text, err, "brr", settings, now, now);
    *id = ok ? sqlite3_last_insert_rowid(db->handle) : 0;
    return sql_end(db, ok, err);
}

bool sqlite_campaign_list(Store *store, Arena *arena, int64_t id, Campaign **campaigns, size_t *n,
                          Error *err) {
    Db *db = db_of(store);
    sqlite3_stmt *stmt = sql_query(db,
                                   "SELECT id,settings,state,progress,started,updated," TOTALS
                                   " FROM campaigns WHERE ?1=0 OR id=?1 ORDER BY id",
                                   err, "i", id);
    if (!stmt) return false;
    VEC(Campaign) rows = { 0 };
    bool failed;
    while (sql_row(db, stmt, &failed, err)) {
        Campaign c = { .id = sqlite3_column_int64(stmt, 0) };
        c.settings = sql_str(arena, stmt, 1);
        c.state = sql_str(arena, stmt, 2);
        c.progress = sql_str(arena, stmt, 3);
        c.started = sqlite3_column_double(stmt, 4);
        c.updated = sqlite3_column_double(stmt, 5);
        read_totals(stmt, 6, &c.totals);
        vec_push(&rows, c);
    }
    *campaigns = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

static bool no_campaign(Db *db, int64_t id, Error *err) {
    return err_set(err, STATUS_NO, "there is no campaign %lld in %s", (long long)id,
                   db->store.path);
}

bool sqlite_campaign_set(Store *store, int64_t id, Str state, Str progress, Error *err) {
    Db *db = db_of(store);
    if (!sql_begin(db, err)) return false;
    bool ok = sql_run(db, "UPDATE campaigns SET updated=? WHERE id=?", err, "ri", store_time(), id);
    if (ok && sqlite3_changes(db->handle) == 0) ok = no_campaign(db, id, err);
    if (ok && state.len)
        ok = sql_run(db, "UPDATE campaigns SET state=? WHERE id=?", err, "si", state, id);
    if (ok && progress.len)
        ok = sql_run(db, "UPDATE campaigns SET progress=? WHERE id=?", err, "bi", progress, id);
    return sql_end(db, ok, err);
}

/* ---- seeds ---- */

static bool put_findings(Db *db, int64_t campaign, uint64_t number, const Case *findings, size_t n,
                         int64_t *ids, bool *is_new, uint64_t *buckets, Error *err) {
    for (size_t i = 0; i < n; i++) {
        Case c = findings[i];
        c.campaign = campaign;
        c.number = number;
        int64_t id;
        bool fresh;
        if (!sqlite_case_put_in(db, &c, &id, &fresh, err)) return false;
        *buckets += fresh;
        if (ids) ids[i] = id;
        if (is_new) is_new[i] = fresh;
    }
    return true;
}

#define ADD_TOTALS                                                                                 \
    "seeds=seeds+?,programs=programs+?,compilations=compilations+?,runs=runs+?,"                   \
    "rejected=rejected+?,findings=findings+?,buckets=buckets+?,"                                   \
    "compiler_cpu_s=compiler_cpu_s+?,total_cpu_s=total_cpu_s+?,wall_s=wall_s+?"

static int64_t sample_time(void) {
    return (int64_t)store_time() / STORE_SAMPLE_S * STORE_SAMPLE_S;
}

static bool touch_sample(Db *db, int64_t campaign, int64_t time, Error *err) {
    return sql_run(db,
                   "INSERT OR IGNORE INTO samples(campaign,time," TOTALS ",coverage) "
                   "VALUES(?,?,0,0,0,0,0,0,0,0,0,0,-1)",
                   err, "ii", campaign, time);
}

static bool add_totals(Db *db, int64_t campaign, const CampaignTotals *t, Error *err) {
    int64_t time = sample_time();
    if (!sql_run(db, "UPDATE campaigns SET " ADD_TOTALS ",updated=? WHERE id=?", err,
                 TOTALS_FORMAT "ri", TOTALS_ARGS(t), store_time(), campaign))
        return false;
    if (sqlite3_changes(db->handle) == 0) return no_campaign(db, campaign, err);
    return touch_sample(db, campaign, time, err) &&
           sql_run(db, "UPDATE samples SET " ADD_TOTALS " WHERE campaign=? AND time=?", err,
                   TOTALS_FORMAT "ii", TOTALS_ARGS(t), campaign, time);
}

static bool seed_done_in(Db *db, int64_t campaign, const SeedDone *done, const Case *findings,
                         size_t n, int64_t *ids, bool *is_new, Error *err) {
    int64_t already;
    if (!sql_int(db, "SELECT count(*) FROM seeds WHERE campaign=? AND number=?", 0, &already, err,
                 "ii", campaign, (int64_t)done->number))
        return false;
    if (already) {
        for (size_t i = 0; i < n; i++) {
            if (ids) ids[i] = 0;
            if (is_new) is_new[i] = false;
        }
        return true;
    }
    CampaignTotals t = done->totals;
    t.seeds = 1, t.findings = n, t.buckets = 0;
    return put_findings(db, campaign, done->number, findings, n, ids, is_new, &t.buckets, err) &&
           add_totals(db, campaign, &t, err) &&
           sql_run(db,
                   "INSERT INTO seeds(campaign,number," TOTALS
                   ",note) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
                   err, "ii" TOTALS_FORMAT "b", campaign, (int64_t)done->number, TOTALS_ARGS(&t),
                   done->note);
}

bool sqlite_seed_done(Store *store, int64_t campaign, const SeedDone *done, const Case *findings,
                      size_t n, int64_t *ids, bool *is_new, Error *err) {
    Db *db = db_of(store);
    return sql_begin(db, err) &&
           sql_end(db, seed_done_in(db, campaign, done, findings, n, ids, is_new, err), err);
}

bool sqlite_seeds_done(Store *store, Arena *arena, int64_t campaign, uint64_t **numbers, size_t *n,
                       Error *err) {
    Db *db = db_of(store);
    sqlite3_stmt *stmt = sql_query(db, "SELECT number FROM seeds WHERE campaign=? ORDER BY number",
                                   err, "i", campaign);
    if (!stmt) return false;
    VEC(uint64_t) all = { 0 };
    bool failed;
    while (sql_row(db, stmt, &failed, err)) vec_push(&all, (uint64_t)sqlite3_column_int64(stmt, 0));
    *numbers = arena_copy(arena, all.at, all.len * sizeof *all.at);
    *n = all.len;
    vec_release(&all);
    return !failed;
}

bool sqlite_seed_get(Store *store, Arena *arena, int64_t campaign, uint64_t number, SeedDone *done,
                     Error *err) {
    Db *db = db_of(store);
    sqlite3_stmt *stmt =
        sql_query(db, "SELECT " TOTALS ",note FROM seeds WHERE campaign=? AND number=?", err, "ii",
                  campaign, (int64_t)number);
    bool failed;
    if (!stmt) return false;
    if (!sql_row(db, stmt, &failed, err))
        return !failed && err_set(err, STATUS_NO, "seed %llu of campaign %lld is not done",
                                  (unsigned long long)number, (long long)campaign);
    done->number = number;
    read_totals(stmt, 0, &done->totals);
    done->note = sql_str(arena, stmt, TOTALS_COLUMNS);
    sql_done(stmt);
    return true;
}

/* ---- over time ---- */

bool sqlite_samples(Store *store, Arena *arena, int64_t campaign, Sample **samples, size_t *n,
                    Error *err) {
    Db *db = db_of(store);
    sqlite3_stmt *stmt =
        sql_query(db, "SELECT time," TOTALS ",coverage FROM samples WHERE campaign=? ORDER BY time",
                  err, "i", campaign);
    if (!stmt) return false;
    VEC(Sample) rows = { 0 };
    bool failed;
    while (sql_row(db, stmt, &failed, err)) {
        Sample s = { .time = sqlite3_column_double(stmt, 0) };
        read_totals(stmt, 1, &s.totals);
        s.coverage = sqlite3_column_double(stmt, 1 + TOTALS_COLUMNS);
        vec_push(&rows, s);
    }
    *samples = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

bool sqlite_coverage(Store *store, int64_t campaign, double coverage, Error *err) {
    Db *db = db_of(store);
    int64_t time = sample_time();
    return sql_begin(db, err) &&
           sql_end(db,
                   touch_sample(db, campaign, time, err) &&
                       sql_run(db, "UPDATE samples SET coverage=? WHERE campaign=? AND time=?", err,
                               "rii", coverage, campaign, time),
                   err);
}

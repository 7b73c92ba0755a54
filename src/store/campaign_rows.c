/* Campaigns: the seed numbers that are done, and their sums.
 *
 * One transaction per seed writes its findings and its own record, and adds to the sums of the
 * campaign and to its course (course_rows.c); so a sum is always the sum of the records. Sums are
 * in the shard of the connection that adds to them (schema.c). With them is the number of the
 * campaign's cases that are in the store, also of campaign 0, which no campaign is. */
#include "store/totals.h"

static void add_totals(CampaignTotals *sum, const CampaignTotals *t) {
    sum->seeds += t->seeds, sum->programs += t->programs, sum->compilations += t->compilations;
    sum->runs += t->runs, sum->rejected += t->rejected, sum->findings += t->findings;
    sum->buckets += t->buckets, sum->compiler_cpu_s += t->compiler_cpu_s;
    sum->total_cpu_s += t->total_cpu_s, sum->wall_s += t->wall_s;
}

/* ---- campaigns ---- */

typedef struct CampaignMaking {
    Str settings;
    int64_t id;
    bool anew, made; /* even where there is one with these settings; there was none */
} CampaignMaking;

static bool make_campaign(Store *store, void *arg, Error *err) {
    CampaignMaking *m = arg;
    double now = store_time();
    m->id = 0;
    if (!sql_lock(store, STR("campaigns"), err)) return false;
    if (!m->anew &&
        !sql_int(store, "SELECT max(id) FROM campaigns WHERE {key settings}={key ?} AND settings=?",
                 0, &m->id, err, "bb", m->settings, m->settings))
        return false;
    m->made = m->id == 0;
    return m->id || sql_int(store,
                            "INSERT INTO campaigns(settings,state,progress,started,updated," TOTALS
                            ") VALUES(?,'running',?,?,?,0,0,0,0,0,0,0,0,0,0) RETURNING id",
                            0, &m->id, err, "bbrr", m->settings, STR(""), now, now);
}

bool store_campaign_open(Store *store, Str settings, int64_t *id, bool *is_new, Error *err) {
    CampaignMaking m = { .settings = settings };
    bool ok = sql_transact(store, make_campaign, &m, err);
    *id = m.id;
    if (is_new) *is_new = m.made;
    return ok;
}

bool store_campaign_new(Store *store, Str settings, int64_t *id, Error *err) {
    CampaignMaking m = { .settings = settings, .anew = true };
    bool ok = sql_transact(store, make_campaign, &m, err);
    *id = m.id;
    return ok;
}

/* What was added in shards. */
static bool add_shares(Store *store, Campaign *c, Error *err) {
    static const char *const text =
        "SELECT coalesce(max(updated),0.0)," TOTALS_SUMS " FROM shares WHERE campaign=?";
    SqlStmt *stmt = sql_query(store, text, err, "i", c->id);
    bool failed;
    if (!stmt || !sql_row(store, stmt, &failed, err)) return false;
    CampaignTotals more;
    double updated = sql_get_real(store, stmt, 0);
    read_totals(store, stmt, 1, &more);
    sql_done(store, stmt);
    add_totals(&c->totals, &more);
    if (updated > c->updated) c->updated = updated;
    return true;
}

typedef struct CampaignListing {
    Arena *arena;
    int64_t id; /* 0: all */
    Campaign *rows;
    size_t n;
} CampaignListing;

static bool list_campaigns(Store *store, void *arg, Error *err) {
    CampaignListing *l = arg;
    SqlStmt *stmt = sql_query(store,
                              "SELECT id,settings,state,progress,started,updated," TOTALS
                              " FROM campaigns WHERE ?=0 OR id=? ORDER BY id",
                              err, "ii", l->id, l->id);
    if (!stmt) return false;
    VEC(Campaign) rows = { 0 };
    bool failed;
    while (sql_row(store, stmt, &failed, err)) {
        Campaign c = { .id = sql_get_int(store, stmt, 0) };
        c.settings = sql_get_str(l->arena, store, stmt, 1);
        c.state = sql_get_str(l->arena, store, stmt, 2);
        c.progress = sql_get_str(l->arena, store, stmt, 3);
        c.started = sql_get_real(store, stmt, 4);
        c.updated = sql_get_real(store, stmt, 5);
        read_totals(store, stmt, 6, &c.totals);
        vec_push(&rows, c);
    }
    for (size_t i = 0; !failed && i < rows.len; i++) failed = !add_shares(store, &rows.at[i], err);
    l->rows = arena_copy(l->arena, rows.at, rows.len * sizeof *rows.at);
    l->n = rows.len;
    vec_release(&rows);
    return !failed;
}

bool no_campaign(const Store *store, int64_t id, Error *err) {
    return err_set(err, STATUS_NO, "there is no campaign %lld in %s", (long long)id, store->path);
}

bool store_campaign_get(Store *store, Arena *arena, int64_t id, Campaign *campaign, Error *err) {
    CampaignListing l = { .arena = arena, .id = id };
    if (id > 0 && !sql_snapshot(store, list_campaigns, &l, err)) return false;
    if (!l.n) return no_campaign(store, id, err);
    *campaign = l.rows[0];
    return true;
}

bool store_campaign_list(Store *store, Arena *arena, Campaign **campaigns, size_t *n, Error *err) {
    CampaignListing l = { .arena = arena };
    bool ok = sql_snapshot(store, list_campaigns, &l, err);
    *campaigns = l.rows;
    *n = l.n;
    return ok;
}

typedef struct CampaignSetting {
    int64_t id;
    Str state, progress;
} CampaignSetting;

static bool set_campaign(Store *store, void *arg, Error *err) {
    const CampaignSetting *s = arg;
    if (!sql_run(store, "UPDATE campaigns SET updated=? WHERE id=?", err, "ri", store_time(),
                 s->id))
        return false;
    if (sql_changes(store) == 0) return no_campaign(store, s->id, err);
    if (s->state.len &&
        !sql_run(store, "UPDATE campaigns SET state=? WHERE id=?", err, "si", s->state, s->id))
        return false;
    return !s->progress.len || sql_run(store, "UPDATE campaigns SET progress=? WHERE id=?", err,
                                       "bi", s->progress, s->id);
}

bool store_campaign_set(Store *store, int64_t id, Str state, Str progress, Error *err) {
    CampaignSetting s = { id, state, progress };
    return sql_transact(store, set_campaign, &s, err);
}

/* ---- seeds ---- */

typedef struct Recording {
    int64_t campaign;
    const SeedDone *done;
    const Case *findings;
    size_t n;
    int64_t *ids;
    bool *is_new;
} Recording;

static int by_bucket(const void *a, const void *b) {
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

/* All at once and in a fixed order, so that no two writers wait for each other. */
static bool lock_buckets(Store *store, const Recording *r, Error *err) {
    if (!store->driver->lock || !r->n) return true;
    Arena arena = { 0 };
    Str *buckets = ARENA_ARRAY(&arena, Str, r->n);
    for (size_t i = 0; i < r->n; i++) buckets[i] = r->findings[i].bucket;
    qsort(buckets, r->n, sizeof *buckets, by_bucket);
    bool ok = true;
    for (size_t i = 0; ok && i < r->n; i++)
        ok = !buckets[i].len || sql_lock(store, buckets[i], err);
    arena_release(&arena);
    return ok;
}

static bool put_findings(Store *store, const Recording *r, uint64_t *buckets, CaseTally *tally,
                         Error *err) {
    if (!lock_buckets(store, r, err)) return false;
    for (size_t i = 0; i < r->n; i++) {
        Case c = r->findings[i];
        c.campaign = r->campaign;
        c.number = r->done->number;
        int64_t id;
        bool fresh;
        if (!case_put_in(store, &c, &id, &fresh, tally, err)) return false;
        *buckets += fresh;
        if (r->ids) r->ids[i] = id;
        if (r->is_new) r->is_new[i] = fresh;
    }
    return true;
}

/* To the campaign's sums, in our shard. */
static bool add_sums(Store *store, int64_t campaign, const CampaignTotals *t, int64_t cases,
                     Error *err) {
    static const char *const share =
        "INSERT INTO shares(campaign,shard,updated,cases," TOTALS ") VALUES(?,?,?,?," TOTALS_PLACES
        ") ON CONFLICT(campaign,shard) DO UPDATE SET updated=excluded.updated,"
        "cases=shares.cases+excluded.cases," ADD_TOTALS("shares");
    return sql_run(store, share, err, "iiri" TOTALS_FORMAT, campaign, store->shard, store_time(),
                   cases, TOTALS_ARGS(t));
}

bool campaign_count(Store *store, int64_t campaign, CaseTally tally, Error *err) {
    static const char *const text =
        "INSERT INTO shares(campaign,shard,updated,cases," TOTALS
        ") VALUES(?,?,0,?,0,0,0,0,0,0,0,0,0,0) ON CONFLICT(campaign,shard) DO UPDATE SET "
        "cases=shares.cases+excluded.cases";
    int64_t more = tally.added + tally.adopted;
    return (!more || sql_run(store, text, err, "iii", campaign, store->shard, more)) &&
           (!tally.adopted ||
            sql_run(store, text, err, "iii", (int64_t)0, store->shard, -tally.adopted));
}

/* The record that it is done. *fresh: it was not recorded before. */
static bool claim_record(Store *store, const Recording *r, bool *fresh, Error *err) {
    CampaignTotals t = r->done->totals;
    t.seeds = 1, t.findings = r->n, t.buckets = 0;
    if (!sql_run(store,
                 "INSERT INTO seeds(campaign,number," TOTALS ",note) "
                 "SELECT id,?," TOTALS_PLACES ",? FROM campaigns WHERE id=? "
                 "ON CONFLICT(campaign,number) DO NOTHING",
                 err, "i" TOTALS_FORMAT "bi", (int64_t)r->done->number, TOTALS_ARGS(&t),
                 r->done->note, r->campaign))
        return false;
    *fresh = sql_changes(store) > 0;
    int64_t there = 1;
    if (!*fresh && !sql_int(store, "SELECT count(*) FROM campaigns WHERE id=?", 0, &there, err, "i",
                            r->campaign))
        return false;
    return there || no_campaign(store, r->campaign, err);
}

static bool record_seed(Store *store, void *arg, Error *err) {
    const Recording *r = arg;
    bool fresh;
    if (!claim_record(store, r, &fresh, err)) return false;
    for (size_t i = 0; i < r->n; i++) {
        if (r->ids) r->ids[i] = 0;
        if (r->is_new) r->is_new[i] = false;
    }
    if (!fresh) return true;
    CampaignTotals t = r->done->totals;
    CaseTally tally = { 0 };
    t.seeds = 1, t.findings = r->n, t.buckets = 0;
    return put_findings(store, r, &t.buckets, &tally, err) &&
           sql_run(store, "DELETE FROM units WHERE campaign=? AND number=?", err, "ii", r->campaign,
                   (int64_t)r->done->number) &&
           (!t.buckets ||
            sql_run(store, "UPDATE seeds SET buckets=? WHERE campaign=? AND number=?", err, "iii",
                    (int64_t)t.buckets, r->campaign, (int64_t)r->done->number)) &&
           course_add(store, r->campaign, r->done, &t, err) &&
           add_sums(store, r->campaign, &t, tally.added + tally.adopted, err) &&
           campaign_count(store, 0, (CaseTally){ .added = -tally.adopted }, err);
}

bool store_seed_done(Store *store, int64_t campaign, const SeedDone *done, const Case *findings,
                     size_t n, int64_t *ids, bool *is_new, Error *err) {
    Recording r = { campaign, done, findings, n, ids, is_new };
    return sql_transact(store, record_seed, &r, err);
}

bool store_seeds_done(Store *store, Arena *arena, int64_t campaign, uint64_t **numbers, size_t *n,
                      Error *err) {
    SqlStmt *stmt = sql_query(store, "SELECT number FROM seeds WHERE campaign=? ORDER BY number",
                              err, "i", campaign);
    if (!stmt) return false;
    VEC(uint64_t) all = { 0 };
    bool failed;
    while (sql_row(store, stmt, &failed, err))
        vec_push(&all, (uint64_t)sql_get_int(store, stmt, 0));
    *numbers = arena_copy(arena, all.at, all.len * sizeof *all.at);
    *n = all.len;
    vec_release(&all);
    return !failed;
}

bool store_seed_get(Store *store, Arena *arena, int64_t campaign, uint64_t number, SeedDone *done,
                    Error *err) {
    SqlStmt *stmt =
        sql_query(store, "SELECT " TOTALS ",note FROM seeds WHERE campaign=? AND number=?", err,
                  "ii", campaign, (int64_t)number);
    bool failed;
    if (!stmt) return false;
    if (!sql_row(store, stmt, &failed, err))
        return !failed && err_set(err, STATUS_NO, "seed %llu of campaign %lld is not done",
                                  (unsigned long long)number, (long long)campaign);
    done->number = number;
    read_totals(store, stmt, 0, &done->totals);
    done->note = sql_get_str(arena, store, stmt, TOTALS_COLUMNS);
    sql_done(store, stmt);
    return true;
}

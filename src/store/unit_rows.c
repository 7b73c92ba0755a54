/* Work that is shared: units, plans and workers.
 *
 * Units are laid out a batch at a time, by whoever finds none that is free; so the table is as long
 * as there are workers and a batch, however many units the campaign has behind it and before it.
 * A claim takes the lowest free row that nobody else is taking at this moment (SKIP LOCKED; SQLite
 * lets one writer in anyway), so that claims do not wait for each other.
 *
 * Time is the store's ({clock}): machines need not agree on it. While a server is away nobody can
 * say that he lives; so what was held is held for as long again once it is back ({awake}). */
#include "store/totals.h"

enum { UNITS_BATCH = 512 };

/* ---- claims ---- */

typedef struct Claiming {
    const UnitAsk *ask;
    uint64_t number, tries;
    UnitEnd end;
} Claiming;

/* What holds for those who joined: *limit becomes the plan's. */
static bool read_budget(Store *store, const UnitAsk *ask, uint64_t *limit, bool *spent,
                        Error *err) {
    SqlStmt *stmt =
        sql_query(store,
                  "SELECT CASE WHEN c.state='running' THEN 1 ELSE 0 END,p.programs,p.ends,p.cpu_s,"
                  "  CASE WHEN p.cpu_s>0.0 THEN (SELECT coalesce(sum(total_cpu_s),0.0) FROM shares"
                  "    WHERE campaign=c.id) ELSE 0.0 END "
                  "FROM campaigns c JOIN plans p ON p.campaign=c.id WHERE c.id=?",
                  err, "i", ask->campaign);
    bool failed;
    if (!stmt) return false;
    if (!sql_row(store, stmt, &failed, err))
        return !failed && no_campaign(store, ask->campaign, err);
    uint64_t programs = (uint64_t)sql_get_int(store, stmt, 1);
    double ends = sql_get_real(store, stmt, 2), most = sql_get_real(store, stmt, 3);
    *spent = !sql_get_int(store, stmt, 0) || (ends > 0 && store_time() >= ends) ||
             (most > 0 && sql_get_real(store, stmt, 4) >= most);
    if (programs && (!*limit || programs < *limit)) *limit = programs;
    sql_done(store, stmt);
    return true;
}

/* Numbers as the database has them, where no limit is the largest. */
static int64_t below(uint64_t limit) {
    return limit ? (int64_t)limit : INT64_MAX;
}

bool unit_take_free(Store *store, const UnitAsk *ask, uint64_t *number, uint64_t *tries,
                    UnitEnd *end, Error *err) {
    static const char *const text =
        "UPDATE units SET worker=?,until={clock}+?,tries=tries+1 WHERE campaign=? AND number=("
        "  SELECT number FROM units WHERE campaign=? AND number<? AND until<=(SELECT {clock}) "
        "    AND (worker='' OR (SELECT {awake}+?<={clock})) "
        "  ORDER BY number LIMIT 1 {free}) RETURNING number,tries";
    SqlStmt *stmt = sql_query(store, text, err, "sriiir", ask->worker, ask->lease_s, ask->campaign,
                              ask->campaign, below(ask->limit), ask->lease_s);
    bool failed;
    if (!stmt) return false;
    if (!sql_row(store, stmt, &failed, err)) return !failed;
    *number = (uint64_t)sql_get_int(store, stmt, 0);
    *tries = (uint64_t)sql_get_int(store, stmt, 1);
    *end = UNIT_CLAIMED;
    while (sql_row(store, stmt, &failed, err)) continue;
    return !failed;
}

static bool lock_laying(Store *store, int64_t campaign, Error *err) {
    char name[40];
    snprintf(name, sizeof name, "lay %lld", (long long)campaign);
    return sql_lock(store, str_from(name), err);
}

/* The next numbers that are not done yet; *laid: there were some to look at. */
static bool lay_out(Store *store, int64_t campaign, uint64_t limit, bool *laid, Error *err) {
    static const char *const text =
        "WITH RECURSIVE n(i) AS (SELECT CAST(? AS {int}) UNION ALL SELECT i+1 FROM n WHERE i+1<?) "
        "INSERT INTO units(campaign,number,worker,until,tries) SELECT ?,i,'',0,0 FROM n "
        "WHERE NOT EXISTS(SELECT 1 FROM seeds WHERE campaign=? AND number=i) "
        "ON CONFLICT(campaign,number) DO NOTHING";
    int64_t from = -1;
    if (!lock_laying(store, campaign, err) ||
        !sql_int(store, "SELECT laid FROM campaigns WHERE id=?", -1, &from, err, "i", campaign))
        return false;
    if (from < 0) return no_campaign(store, campaign, err);
    *laid = from < below(limit);
    if (!*laid) return true;
    int64_t to = below(limit) - from < UNITS_BATCH ? below(limit) : from + UNITS_BATCH;
    return sql_run(store, text, err, "iiii", from, to, campaign, campaign) &&
           sql_run(store, "UPDATE campaigns SET laid=? WHERE id=?", err, "ii", to, campaign);
}

static bool any_left(Store *store, int64_t campaign, uint64_t limit, bool *left, Error *err) {
    int64_t n;
    if (!sql_int(store,
                 "SELECT count(*) FROM (SELECT 1 FROM units WHERE campaign=? AND number<? LIMIT 1) "
                 "AS rest",
                 0, &n, err, "ii", campaign, below(limit)))
        return false;
    *left = n > 0;
    return true;
}

static bool claim(Store *store, void *arg, Error *err) {
    Claiming *c = arg;
    UnitAsk ask = *c->ask;
    bool spent = false, laid = true, left;
    c->end = UNIT_SPENT;
    if (ask.joined && !read_budget(store, c->ask, &ask.limit, &spent, err)) return false;
    if (spent) return true;
    c->end = UNIT_OVER;
    while (c->end != UNIT_CLAIMED && laid)
        if (!unit_take_free(store, &ask, &c->number, &c->tries, &c->end, err) ||
            (c->end != UNIT_CLAIMED && !lay_out(store, ask.campaign, ask.limit, &laid, err)))
            return false;
    if (c->end == UNIT_CLAIMED) return true;
    if (!any_left(store, ask.campaign, ask.limit, &left, err)) return false;
    if (left) c->end = UNIT_WAIT;
    return true;
}

bool store_unit_claim(Store *store, const UnitAsk *ask, uint64_t *number, uint64_t *tries,
                      UnitEnd *end, Error *err) {
    Claiming c = { .ask = ask };
    bool ok = sql_transact(store, claim, &c, err);
    *number = c.number;
    *tries = c.tries;
    *end = c.end;
    return ok;
}

typedef struct UnitFreeing {
    int64_t campaign;
    uint64_t number;
    double later_s;
    const StrVec *workers; /* whose units are freed; NULL: the one of that number */
    bool put_off;
} UnitFreeing;

static bool free_units(Store *store, void *arg, Error *err) {
    const UnitFreeing *f = arg;
    if (!f->workers)
        return sql_run(store,
                       "UPDATE units SET worker='',until={clock}+? WHERE campaign=? AND number=?",
                       err, "rii", f->later_s, f->campaign, (int64_t)f->number);
    bool ok =
        !f->put_off || sql_run(store, "UPDATE units SET until=0 WHERE campaign=? AND worker=''",
                               err, "i", f->campaign);
    for (size_t i = 0; ok && i < f->workers->len; i++)
        ok = sql_run(store, "UPDATE units SET worker='',until=0 WHERE campaign=? AND worker=?", err,
                     "is", f->campaign, f->workers->at[i]) &&
             sql_run(store,
                     "UPDATE workers SET state='ended',words='it died' "
                     "WHERE campaign=? AND worker=? AND state<>'ended'",
                     err, "is", f->campaign, f->workers->at[i]);
    return ok;
}

bool store_unit_release(Store *store, int64_t campaign, uint64_t number, double later_s,
                        Error *err) {
    UnitFreeing f = { .campaign = campaign, .number = number, .later_s = later_s };
    return sql_transact(store, free_units, &f, err);
}

bool store_units_reap(Store *store, int64_t campaign, bool put_off, Error *err) {
    Arena arena = { 0 };
    StrVec gone = { 0 };
    bool failed = false;
    SqlStmt *stmt =
        sql_query(store, "SELECT DISTINCT worker FROM units WHERE campaign=? AND worker>''", err,
                  "i", campaign);
    while (stmt && sql_row(store, stmt, &failed, err)) {
        Str worker = sql_get_str(&arena, store, stmt, 0);
        if (worker_is_gone(worker)) vec_push(&gone, worker);
    }
    UnitFreeing f = { .campaign = campaign, .workers = &gone, .put_off = put_off };
    bool ok =
        stmt && !failed && ((!gone.len && !put_off) || sql_transact(store, free_units, &f, err));
    vec_release(&gone);
    arena_release(&arena);
    return ok;
}

bool store_units_left(Store *store, int64_t campaign, uint64_t limit, bool *left, Error *err) {
    int64_t laid;
    if (!limit && !sql_int(store, "SELECT programs FROM plans WHERE campaign=?", 0,
                           (int64_t *)&limit, err, "i", campaign))
        return false;
    if (!sql_int(store, "SELECT laid FROM campaigns WHERE id=?", 0, &laid, err, "i", campaign))
        return false;
    *left = laid < below(limit);
    return *left || any_left(store, campaign, limit, left, err);
}

/* ---- plans ---- */

typedef struct PlanPutting {
    int64_t campaign;
    const CampaignPlan *plan;
} PlanPutting;

static bool put_plan(Store *store, void *arg, Error *err) {
    const PlanPutting *p = arg;
    return sql_run(store,
                   "INSERT INTO plans(campaign,request,mixed,programs,ends,cpu_s) "
                   "VALUES(?,?,?,?,?,?) ON CONFLICT(campaign) DO UPDATE SET "
                   "request=excluded.request,mixed=excluded.mixed,programs=excluded.programs,"
                   "ends=excluded.ends,cpu_s=excluded.cpu_s",
                   err, "ibiirr", p->campaign, p->plan->request, (int64_t)p->plan->mixed,
                   (int64_t)p->plan->programs, p->plan->ends, p->plan->cpu_s);
}

bool store_plan_put(Store *store, int64_t campaign, const CampaignPlan *plan, Error *err) {
    PlanPutting p = { campaign, plan };
    return sql_transact(store, put_plan, &p, err);
}

bool store_plan_get(Store *store, Arena *arena, int64_t campaign, CampaignPlan *plan, Error *err) {
    SqlStmt *stmt =
        sql_query(store, "SELECT request,mixed,programs,ends,cpu_s FROM plans WHERE campaign=?",
                  err, "i", campaign);
    bool failed;
    if (!stmt) return false;
    if (!sql_row(store, stmt, &failed, err))
        return !failed && err_set(err, STATUS_NO,
                                  "campaign %lld in %s cannot be joined: 'culprit campaign "
                                  "start' makes one that can",
                                  (long long)campaign, store->path);
    plan->request = sql_get_str(arena, store, stmt, 0);
    plan->mixed = sql_get_int(store, stmt, 1) != 0;
    plan->programs = (uint64_t)sql_get_int(store, stmt, 2);
    plan->ends = sql_get_real(store, stmt, 3);
    plan->cpu_s = sql_get_real(store, stmt, 4);
    sql_done(store, stmt);
    return true;
}

/* ---- workers ---- */

typedef struct WorkerPutting {
    int64_t campaign;
    const CampaignWorker *w;
    double lease_s;
} WorkerPutting;

static bool put_worker(Store *store, void *arg, Error *err) {
    const WorkerPutting *p = arg;
    const CampaignWorker *w = p->w;
    double now = store_time();
    static const char *const text =
        "INSERT INTO workers(campaign,worker,host,state,words,cores,started,seen," TOTALS
        ") VALUES(?,?,?,?,?,?,?,?," TOTALS_PLACES ") ON CONFLICT(campaign,worker) DO UPDATE SET "
        "state=excluded.state,words=excluded.words,seen=excluded.seen," SET_TOTALS;
    return sql_run(store, text, err, "isssbirr" TOTALS_FORMAT, p->campaign, w->worker, w->host,
                   w->state, w->words, (int64_t)w->cores, w->started, now,
                   TOTALS_ARGS(&w->totals)) &&
           sql_run(store, "UPDATE units SET until={clock}+? WHERE campaign=? AND worker=?", err,
                   "ris", p->lease_s, p->campaign, w->worker);
}

bool store_worker_seen(Store *store, int64_t campaign, const CampaignWorker *worker, double lease_s,
                       Error *err) {
    WorkerPutting p = { campaign, worker, lease_s };
    return sql_transact(store, put_worker, &p, err);
}

bool store_workers(Store *store, Arena *arena, int64_t campaign, CampaignWorker **workers,
                   size_t *n, Error *err) {
    SqlStmt *stmt = sql_query(store,
                              "SELECT worker,host,state,words,cores,started,seen," TOTALS
                              " FROM workers WHERE campaign=? ORDER BY seen DESC",
                              err, "i", campaign);
    if (!stmt) return false;
    VEC(CampaignWorker) rows = { 0 };
    bool failed;
    while (sql_row(store, stmt, &failed, err)) {
        CampaignWorker w = { 0 };
        Str *texts[] = { &w.worker, &w.host, &w.state, &w.words };
        for (size_t i = 0; i < COUNT_OF(texts); i++)
            *texts[i] = sql_get_str(arena, store, stmt, (int)i);
        w.cores = (uint64_t)sql_get_int(store, stmt, 4);
        w.started = sql_get_real(store, stmt, 5);
        w.seen = sql_get_real(store, stmt, 6);
        read_totals(store, stmt, 7, &w.totals);
        vec_push(&rows, w);
    }
    *workers = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

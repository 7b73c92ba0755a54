/* Cases that wait for an investigation, taken by one worker each.
 *
 * They are units as a campaign's are (unit_rows.c), of the campaign 0, which no campaign is: laid
 * out from the table of cases when none is free, since that reads the whole table, held for a
 * while, free again when the worker dies. A case whose investigation failed stays put off, so that
 * not every worker in turn fails on it. */
#include "store/sql.h"

enum { BACKLOG = 0 }; /* as a campaign */
/* Of a row of cases; takes the step that counts twice (empty: all do) and how many there are. */
#define UNFINISHED                                                                                 \
    "(SELECT count(*) FROM steps WHERE case_id=cases.id AND state IN('done','skipped') "           \
    "  AND (?='' OR name=?))<?"

typedef struct CaseClaiming {
    const CaseAsk *ask;
    uint64_t id;
    UnitEnd end;
} CaseClaiming;

static bool lay_out_cases(Store *store, const CaseAsk *ask, Error *err) {
    Str only = str_from(ask->only ? ask->only : "");
    return sql_lock(store, STR("lay cases"), err) &&
           sql_run(store,
                   "DELETE FROM units WHERE campaign=? AND NOT EXISTS("
                   "  SELECT 1 FROM cases WHERE id=units.number)",
                   err, "i", (int64_t)BACKLOG) &&
           sql_run(store,
                   "INSERT INTO units(campaign,number,worker,until,tries) SELECT ?,id,'',0,0 "
                   "FROM cases WHERE " UNFINISHED " "
                   "ON CONFLICT(campaign,number) DO NOTHING",
                   err, "issi", (int64_t)BACKLOG, only, only, (int64_t)ask->steps);
}

static bool leave(Store *store, uint64_t id, Error *err) {
    return sql_run(store, "DELETE FROM units WHERE campaign=? AND number=?", err, "ii",
                   (int64_t)BACKLOG, (int64_t)id);
}

/* Whether the case still is there and unfinished: it was laid out a while ago. */
static bool still_waits(Store *store, const CaseAsk *ask, uint64_t id, bool *waits, Error *err) {
    Str only = str_from(ask->only ? ask->only : "");
    int64_t n;
    bool ok = sql_int(store, "SELECT count(*) FROM cases WHERE id=? AND " UNFINISHED, 0, &n, err,
                      "issi", (int64_t)id, only, only, (int64_t)ask->steps);
    *waits = ok && n;
    return ok;
}

/* The first that is free and still waits; c->end is UNIT_OVER when there is none. */
static bool take_waiting(Store *store, CaseClaiming *c, Error *err) {
    UnitAsk ask = { .campaign = BACKLOG, .worker = c->ask->worker, .lease_s = c->ask->lease_s };
    for (;;) {
        uint64_t tries;
        bool waits;
        c->end = UNIT_OVER;
        if (!unit_take_free(store, &ask, &c->id, &tries, &c->end, err)) return false;
        if (c->end != UNIT_CLAIMED) return true;
        if (!still_waits(store, c->ask, c->id, &waits, err)) return false;
        if (waits) return true;
        if (!leave(store, c->id, err)) return false;
    }
}

/* The one that was named, put off or not, unless another holds it. */
static bool claim_named(Store *store, CaseClaiming *c, Error *err) {
    const CaseAsk *ask = c->ask;
    bool ok = sql_run(store,
                      "INSERT INTO units(campaign,number,worker,until,tries) VALUES(?,?,'',0,0) "
                      "ON CONFLICT(campaign,number) DO NOTHING",
                      err, "ii", (int64_t)BACKLOG, ask->id) &&
              sql_run(store,
                      "UPDATE units SET worker=?,until={clock}+? WHERE campaign=? AND number=? "
                      "AND (worker='' OR (until<=(SELECT {clock}) AND "
                      "  (SELECT {awake}+?<={clock})))",
                      err, "sriir", ask->worker, ask->lease_s, (int64_t)BACKLOG, ask->id,
                      ask->lease_s);
    c->end = ok && sql_changes(store) ? UNIT_CLAIMED : UNIT_WAIT;
    c->id = (uint64_t)ask->id;
    return ok;
}

static bool claim_case(Store *store, void *arg, Error *err) {
    CaseClaiming *c = arg;
    int64_t held;
    if (c->ask->id) return claim_named(store, c, err);
    if (!take_waiting(store, c, err)) return false;
    if (c->end != UNIT_CLAIMED &&
        (!lay_out_cases(store, c->ask, err) || !take_waiting(store, c, err)))
        return false;
    if (c->end == UNIT_CLAIMED) return true;
    if (!sql_int(store, "SELECT count(*) FROM units WHERE campaign=? AND worker>''", 0, &held, err,
                 "i", (int64_t)BACKLOG))
        return false;
    if (held) c->end = UNIT_WAIT;
    return true;
}

bool store_backlog_claim(Store *store, const CaseAsk *ask, int64_t *id, UnitEnd *end, Error *err) {
    CaseClaiming c = { .ask = ask };
    bool ok =
        store_units_reap(store, BACKLOG, false, err) && sql_transact(store, claim_case, &c, err);
    *id = (int64_t)c.id;
    *end = c.end;
    return ok;
}

typedef struct CaseHolding {
    Str worker;
    double lease_s;
} CaseHolding;

static bool hold(Store *store, void *arg, Error *err) {
    const CaseHolding *h = arg;
    return sql_run(store, "UPDATE units SET until={clock}+? WHERE campaign=? AND worker=?", err,
                   "ris", h->lease_s, (int64_t)BACKLOG, h->worker);
}

bool store_backlog_hold(Store *store, Str worker, double lease_s, Error *err) {
    CaseHolding h = { .worker = worker, .lease_s = lease_s };
    return sql_transact(store, hold, &h, err);
}

static bool leave_one(Store *store, void *arg, Error *err) {
    return leave(store, *(const uint64_t *)arg, err);
}

bool store_backlog_done(Store *store, int64_t id, Error *err) {
    uint64_t number = (uint64_t)id;
    return sql_transact(store, leave_one, &number, err);
}

bool store_backlog_release(Store *store, int64_t id, double later_s, Error *err) {
    return store_unit_release(store, BACKLOG, (uint64_t)id, later_s, err);
}

bool store_backlog_again(Store *store, Error *err) {
    return store_units_reap(store, BACKLOG, true, err);
}

/* One store into another. Campaigns are the same where their settings are; of a campaign's seeds
 * those are added that are not done there. A case that was copied before is known by the store it
 * came from (its key) and its number there: only hits that were added since are new hits. */
#include "store/totals.h"

typedef VEC(int64_t) Ids;

static bool list_ids(Store *store, const char *text, Ids *ids, Error *err) {
    SqlStmt *stmt = sql_query(store, text, err, "");
    bool failed = !stmt;
    while (stmt && sql_row(store, stmt, &failed, err)) vec_push(ids, sql_get_int(store, stmt, 0));
    return !failed;
}

/* ---- campaigns ---- */

typedef struct SeedBatch {
    int64_t campaign; /* in the store they go to */
    SeedDone *seeds;
    size_t n;
} SeedBatch;

enum { COPY_BATCH = 1000 };

static bool put_seeds(Store *to, void *arg, Error *err) {
    const SeedBatch *b = arg;
    static const char *const share =
        "INSERT INTO shares(campaign,shard,updated," TOTALS ") VALUES(?,?,?," TOTALS_PLACES
        ") ON CONFLICT(campaign,shard) DO UPDATE SET updated=excluded.updated," ADD_TOTALS(
            "shares");
    for (size_t i = 0; i < b->n; i++) {
        const SeedDone *s = &b->seeds[i];
        if (!sql_run(to,
                     "INSERT INTO seeds(campaign,number," TOTALS ",note) VALUES(?,?," TOTALS_PLACES
                     ",?) ON CONFLICT(campaign,number) DO NOTHING",
                     err, "ii" TOTALS_FORMAT "b", b->campaign, (int64_t)s->number,
                     TOTALS_ARGS(&s->totals), s->note))
            return false;
        if (sql_changes(to) == 0) continue;
        if (!sql_run(to, "DELETE FROM units WHERE campaign=? AND number=?", err, "ii", b->campaign,
                     (int64_t)s->number) ||
            !sql_run(to, share, err, "iir" TOTALS_FORMAT, b->campaign, to->shard, store_time(),
                     TOTALS_ARGS(&s->totals)))
            return false;
    }
    return true;
}

/* The next batch of seeds behind `after`. */
static bool read_seeds(Store *from, Arena *arena, int64_t campaign, int64_t after, SeedBatch *b,
                       Error *err) {
    SqlStmt *stmt = sql_query(from,
                              "SELECT number,note," TOTALS " FROM seeds "
                              "WHERE campaign=? AND number>? ORDER BY number LIMIT 1000",
                              err, "ii", campaign, after);
    bool failed = !stmt;
    b->n = 0;
    b->seeds = ARENA_ARRAY(arena, SeedDone, COPY_BATCH);
    while (stmt && sql_row(from, stmt, &failed, err)) {
        SeedDone *s = &b->seeds[b->n++];
        s->number = (uint64_t)sql_get_int(from, stmt, 0);
        s->note = sql_get_str(arena, from, stmt, 1);
        read_totals(from, stmt, 2, &s->totals);
    }
    return !failed;
}

static bool copy_seeds(Store *from, Store *to, int64_t campaign, int64_t there, Error *err) {
    int64_t after = -1;
    for (;;) {
        Arena arena = { 0 };
        SeedBatch b = { .campaign = there };
        bool ok = read_seeds(from, &arena, campaign, after, &b, err) &&
                  (!b.n || sql_transact(to, put_seeds, &b, err));
        if (b.n) after = (int64_t)b.seeds[b.n - 1].number;
        arena_release(&arena);
        if (!ok || b.n < COPY_BATCH) return ok;
    }
}

/* The course is in a shard of the store it comes from: the same one replaces itself. */
static bool copy_campaign(Store *from, Store *to, Str key, const Campaign *c, int64_t *there,
                          Error *err) {
    Arena arena = { 0 };
    bool fresh;
    CampaignPlan plan, known;
    int64_t shard = SQL_SHARDS + (int64_t)(str_hash(key) >> 24);
    bool ok = store_campaign_open(to, c->settings, there, &fresh, err) &&
              copy_seeds(from, to, c->id, *there, err) &&
              course_copy(from, to, c->id, *there, shard, err);
    if (ok && store_plan_get(from, &arena, c->id, &plan, NULL) &&
        !store_plan_get(to, &arena, *there, &known, NULL))
        ok = store_plan_put(to, *there, &plan, err);
    if (ok && fresh) ok = store_campaign_set(to, *there, c->state, c->progress, err);
    arena_release(&arena);
    return ok;
}

/* ---- cases ---- */

typedef struct CaseCopy {
    Arena *arena;
    Str origin; /* key of the store it comes from */
    Case *c;    /* with its campaign's number there */
    const CaseStep *steps;
    size_t n_steps;
    bool news;
} CaseCopy;

/* *id 0: it was never copied. */
static bool find_copy(Store *to, const CaseCopy *cc, int64_t *id, int64_t *count, Error *err) {
    SqlStmt *stmt = sql_query(to, "SELECT id,count FROM copies WHERE origin=? AND case_id=?", err,
                              "si", cc->origin, cc->c->id);
    bool failed;
    *id = *count = 0;
    if (!stmt) return false;
    if (!sql_row(to, stmt, &failed, err)) return !failed;
    *id = sql_get_int(to, stmt, 0);
    *count = sql_get_int(to, stmt, 1);
    sql_done(to, stmt);
    return sql_int(to, "SELECT id FROM cases WHERE id=?", 0, id, err, "i", *id);
}

/* What later stages and the user have added and the other store lacks. */
static bool fill_members(Store *to, const CaseCopy *cc, int64_t id, Error *err) {
    Case known;
    VEC(CaseSet) sets = { 0 };
    if (!case_fetch_in(to, cc->arena, id, &known, err)) return false;
    for (size_t i = 0; i < case_member_count; i++) {
        const CaseMember *m = &case_members[i];
        Str theirs = *case_member_at(cc->c, m);
        bool ours = case_member_at(&known, m)->len > 0;
        if (!ours && theirs.len && strcmp(m->name, "bucket") != 0)
            vec_push(&sets, (CaseSet){ m->name, theirs });
    }
    bool reduced = !known.reduced_variant.len && cc->c->reduced_variant.len;
    if (reduced)
        vec_push(&sets, (CaseSet){ "reduced_code", store_number(cc->arena, cc->c->reduced_code) });
    bool ok = !sets.len || case_set_in(to, id, sets.at, sets.len, err);
    vec_release(&sets);
    return ok;
}

static bool put_steps(Store *to, const CaseCopy *cc, int64_t id, Error *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < cc->n_steps; i++)
        ok = sql_run(to,
                     "INSERT INTO steps(case_id,name,state,result,started,ended) "
                     "VALUES(?,?,?,?,?,?) ON CONFLICT(case_id,name) DO NOTHING",
                     err, "issbrr", id, cc->steps[i].name, cc->steps[i].state, cc->steps[i].result,
                     cc->steps[i].started, cc->steps[i].ended);
    return ok;
}

static bool put_copy(Store *to, void *arg, Error *err) {
    CaseCopy *cc = arg;
    int64_t id, count;
    Case c = *cc->c;
    c.id = 0;
    if ((c.bucket.len && !sql_lock(to, c.bucket, err)) || !find_copy(to, cc, &id, &count, err))
        return false;
    cc->news = !id || (int64_t)c.count > count;
    c.count = id ? c.count - (uint64_t)count : c.count;
    CaseTally tally = { 0 };
    if (!id || (c.count && c.bucket.len)) {
        if (!case_put_in(to, &c, &id, NULL, &tally, err)) return false;
    }
    return fill_members(to, cc, id, err) && put_steps(to, cc, id, err) &&
           sql_run(to,
                   "INSERT INTO copies(origin,case_id,id,count) VALUES(?,?,?,?) "
                   "ON CONFLICT(origin,case_id) DO UPDATE SET id=excluded.id,count=excluded.count",
                   err, "siii", cc->origin, cc->c->id, id, (int64_t)cc->c->count) &&
           campaign_count(to, c.campaign, tally, err);
}

static bool copy_case(Store *from, Store *to, Str key, int64_t id, const Campaign *campaigns,
                      const int64_t *there, size_t n, uint64_t *news, Error *err) {
    Arena arena = { 0 };
    Case c;
    CaseStep *steps;
    CaseCopy cc = { .arena = &arena, .origin = key, .c = &c };
    bool ok = store_case_get(from, &arena, id, &c, err) &&
              store_steps(from, &arena, id, &steps, &cc.n_steps, err);
    int64_t campaign = 0;
    for (size_t i = 0; ok && i < n; i++)
        if (campaigns[i].id == c.campaign) campaign = there[i];
    c.campaign = campaign;
    cc.steps = steps;
    ok = ok && sql_transact(to, put_copy, &cc, err);
    *news += ok && cc.news;
    arena_release(&arena);
    return ok;
}

bool store_copy(Store *from, Store *to, uint64_t *cases, Error *err) {
    Arena arena = { 0 };
    Str key, other;
    Campaign *campaigns;
    size_t n;
    Ids ids = { 0 };
    *cases = 0;
    bool ok = store_key(from, &arena, &key, err) && store_key(to, &arena, &other, err);
    if (ok && str_eq(key, other))
        ok = err_set(err, STATUS_BAD, "%s and %s are one store, or one is a copy of the other",
                     from->path, to->path);
    ok = ok && store_campaign_list(from, &arena, &campaigns, &n, err) &&
         list_ids(from, "SELECT id FROM cases ORDER BY id", &ids, err);
    int64_t *there = ok ? ARENA_ARRAY(&arena, int64_t, n + 1) : NULL;
    for (size_t i = 0; ok && i < n; i++)
        ok = copy_campaign(from, to, key, &campaigns[i], &there[i], err);
    for (size_t i = 0; ok && i < ids.len; i++)
        ok = copy_case(from, to, key, ids.at[i], campaigns, there, n, cases, err);
    vec_release(&ids);
    arena_release(&arena);
    return ok;
}

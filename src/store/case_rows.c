/* Cases. A row of `cases` holds what tables and filters need; every large text is a row of `texts`
 * (only where it is not empty), so that lists never touch the programs.
 *
 * Invariants: (1) at most one case has a given non-empty bucket; (2) the example of a bucket is the
 * least of all its hits by (size, number, variant_number) until the case has a reduced pair or
 * steps of an investigation: from then on it stays, because they refer to it; (3) count is the
 * number of hits. All three hold for any order of the hits, so they do not depend on -j.
 *
 * With several writers: a hit of a bucket holds the bucket's lock, a write of a case holds the
 * case's; the bucket's is taken first, and of two cases the one with the lower number. */
#include "store/sql.h"

/* Columns of numbers, in the order of the table; the short texts follow in the order of
 * case_members. */
#define NUMBERS "campaign,created,updated,count,size,number,variant_number,code,reduced_code"
enum { FIRST_SHORT = 10 /* column of the first short text when reading: id and 9 numbers */ };

void case_statements(Store *store) {
    Buf columns = { 0 }, places = { 0 }, sets = { 0 };
    for (size_t i = 0; i < case_member_count; i++) {
        if (case_members[i].large) continue;
        buf_fmt(&columns, ",%s", case_members[i].name);
        buf_text(&places, ",?");
        buf_fmt(&sets, ",%s=?", case_members[i].name);
    }
    store->case_columns = arena_fmt(&store->arena, "id," NUMBERS "%s", columns.at);
    store->case_insert = arena_fmt(&store->arena,
                                   "INSERT INTO cases(" NUMBERS "%s) VALUES(?,?,?,?,?,?,?,?,?%s) "
                                   "RETURNING id",
                                   columns.at, places.at);
    store->case_replace =
        arena_fmt(&store->arena,
                  "UPDATE cases SET campaign=?,created=?,updated=?,count=?,size=?,"
                  "number=?,variant_number=?,code=?,reduced_code=?%s WHERE id=?",
                  sets.at);
    buf_release(&columns), buf_release(&places), buf_release(&sets);
}

static const char *const insert_text =
    "INSERT INTO texts(case_id,member,body) VALUES(?,?,?) "
    "ON CONFLICT(case_id,member) DO UPDATE SET body=excluded.body";
static const char *const delete_text = "DELETE FROM texts WHERE case_id=? AND member=?";

static bool put_text(Store *store, int64_t id, const char *member, Str body, Error *err) {
    if (body.len) return sql_run(store, insert_text, err, "izb", id, member, body);
    return sql_run(store, delete_text, err, "iz", id, member);
}

static bool put_texts(Store *store, int64_t id, const Case *c, Error *err) {
    for (size_t i = 0; i < case_member_count; i++) {
        const CaseMember *m = &case_members[i];
        Str body = *case_member_at(c, m);
        if (m->large && body.len && !sql_run(store, insert_text, err, "izb", id, m->name, body))
            return false;
    }
    return true;
}

/* Runs case_insert (*id 0, which it sets) or case_replace. */
static bool write_row(Store *store, const Case *c, int64_t *id, Error *err) {
    SqlValue values[SQL_VALUES_MOST] = {
        sql_number(c->campaign),
        sql_real(c->created),
        sql_real(c->updated),
        sql_number((int64_t)c->count),
        sql_number((int64_t)c->size),
        sql_number((int64_t)c->number),
        sql_number((int64_t)c->variant_number),
        sql_number(c->code),
        sql_number(c->reduced_code),
    };
    size_t n = FIRST_SHORT - 1;
    for (size_t i = 0; i < case_member_count; i++)
        if (!case_members[i].large) values[n++] = sql_text(*case_member_at(c, &case_members[i]));
    if (*id) {
        values[n++] = sql_number(*id);
        return sql_run_values(store, store->case_replace, values, n, err);
    }
    SqlStmt *stmt = sql_query_values(store, store->case_insert, values, n, err);
    bool failed;
    if (!stmt || !sql_row(store, stmt, &failed, err)) return false;
    *id = sql_get_int(store, stmt, 0);
    while (sql_row(store, stmt, &failed, err)) continue;
    return !failed;
}

/* What is known about the case that has the bucket. */
typedef struct Incumbent {
    int64_t id; /* 0: none */
    int64_t campaign;
    double created;
    uint64_t count, size, number, variant_number;
    bool settled; /* later stages have worked on its example */
} Incumbent;

#define INCUMBENT                                                                                  \
    "SELECT id,campaign,created,count,size,number,variant_number,CASE WHEN "                       \
    "  EXISTS(SELECT 1 FROM texts WHERE case_id=cases.id AND member='reduced_variant') OR "        \
    "  EXISTS(SELECT 1 FROM steps WHERE case_id=cases.id) THEN 1 ELSE 0 END FROM cases "
#define HAS_LINE(which)                                                                            \
    "SELECT case_id FROM texts WHERE member IN('aliases','tags') AND member='" which "' AND "      \
    "{find {line ?}; {line body}}>0"

static void read_incumbent(const Store *store, const SqlStmt *stmt, Incumbent *in) {
    in->id = sql_get_int(store, stmt, 0);
    in->campaign = sql_get_int(store, stmt, 1);
    in->created = sql_get_real(store, stmt, 2);
    in->count = (uint64_t)sql_get_int(store, stmt, 3);
    in->size = (uint64_t)sql_get_int(store, stmt, 4);
    in->number = (uint64_t)sql_get_int(store, stmt, 5);
    in->variant_number = (uint64_t)sql_get_int(store, stmt, 6);
    in->settled = sql_get_int(store, stmt, 7) != 0;
}

/* By its own bucket, or, where none has that, by one that was merged into it. */
static bool find_incumbent(Store *store, Str bucket, Incumbent *in, Error *err) {
    *in = (Incumbent){ 0 };
    if (!bucket.len) return true;
    bool failed = false;
    SqlStmt *stmt =
        sql_query(store, INCUMBENT "WHERE {key bucket}={key ?} AND bucket=? AND bucket<>''", err,
                  "ss", bucket, bucket);
    bool found = stmt && sql_row(store, stmt, &failed, err);
    if (stmt && !found && !failed) {
        stmt = sql_query(store, INCUMBENT "WHERE id=(" HAS_LINE("aliases") " LIMIT 1)", err, "s",
                         bucket);
        found = stmt && sql_row(store, stmt, &failed, err);
    }
    if (!found) return stmt && !failed;
    read_incumbent(store, stmt, in);
    sql_done(store, stmt);
    return true;
}

bool case_lock(Store *store, int64_t id, Error *err) {
    char name[32];
    snprintf(name, sizeof name, "case %lld", (long long)id);
    return sql_lock(store, str_from(name), err);
}

/* Repeats until the one found is the one locked: it may be merged into another meanwhile. */
static bool hold_incumbent(Store *store, Str bucket, Incumbent *in, Error *err) {
    int64_t held = 0;
    for (;;) {
        if (!find_incumbent(store, bucket, in, err)) return false;
        if (!in->id || in->id == held || !store->driver->lock) return true;
        held = in->id;
        if (!case_lock(store, held, err)) return false;
    }
}

static bool is_better(const Case *c, const Incumbent *in) {
    if (in->settled) return false;
    if (c->size != in->size) return c->size < in->size;
    if (c->number != in->number) return c->number < in->number;
    return c->variant_number < in->variant_number;
}

static bool add_hit(Store *store, const Case *c, const Incumbent *in, CaseTally *tally,
                    Error *err) {
    if (!is_better(c, in))
        return sql_run(store, "UPDATE cases SET count=count+?,updated=? WHERE id=?", err, "iri",
                       (int64_t)c->count, c->updated, in->id);
    Case kept = *c;
    kept.count += in->count;
    kept.created = in->created;
    if (in->campaign)
        kept.campaign = in->campaign;
    else
        tally->adopted += kept.campaign != 0;
    int64_t id = in->id;
    return write_row(store, &kept, &id, err) &&
           sql_run(store,
                   "DELETE FROM texts WHERE case_id=? AND member NOT IN('notes','tags','aliases')",
                   err, "i", in->id) &&
           put_texts(store, in->id, &kept, err);
}

bool case_put_in(Store *store, const Case *given, int64_t *id, bool *is_new, CaseTally *tally,
                 Error *err) {
    Case c = *given;
    c.updated = store_time();
    if (c.created == 0) c.created = c.updated;
    if (c.count == 0) c.count = 1;
    c.size = c.variant.len ? c.variant.len : c.seed.len;
    Incumbent in;
    if (!hold_incumbent(store, c.bucket, &in, err)) return false;
    if (is_new) *is_new = in.id == 0;
    *id = in.id;
    if (in.id) return add_hit(store, &c, &in, tally, err);
    tally->added++;
    return write_row(store, &c, id, err) && put_texts(store, *id, &c, err);
}

typedef struct CasePutting {
    const Case *c;
    int64_t id;
    bool is_new;
} CasePutting;

static bool put_case(Store *store, void *arg, Error *err) {
    CasePutting *p = arg;
    CaseTally tally = { 0 };
    return (!p->c->bucket.len || sql_lock(store, p->c->bucket, err)) &&
           case_put_in(store, p->c, &p->id, &p->is_new, &tally, err) &&
           campaign_count(store, p->c->campaign, tally, err);
}

bool store_case_put(Store *store, const Case *c, int64_t *id, bool *is_new, Error *err) {
    CasePutting p = { .c = c };
    bool ok = sql_transact(store, put_case, &p, err);
    *id = p.id;
    if (is_new) *is_new = p.is_new;
    return ok;
}

/* ---- reading ---- */

static void read_row(Arena *arena, const Store *store, const SqlStmt *stmt, Case *c) {
    c->id = sql_get_int(store, stmt, 0);
    c->campaign = sql_get_int(store, stmt, 1);
    c->created = sql_get_real(store, stmt, 2);
    c->updated = sql_get_real(store, stmt, 3);
    c->count = (uint64_t)sql_get_int(store, stmt, 4);
    c->size = (uint64_t)sql_get_int(store, stmt, 5);
    c->number = (uint64_t)sql_get_int(store, stmt, 6);
    c->variant_number = (uint64_t)sql_get_int(store, stmt, 7);
    c->code = sql_get_int(store, stmt, 8);
    c->reduced_code = sql_get_int(store, stmt, 9);
    int at = FIRST_SHORT;
    for (size_t i = 0; i < case_member_count; i++) {
        Str *member = case_member_at(c, &case_members[i]);
        *member = case_members[i].large ? STR("") : sql_get_str(arena, store, stmt, at++);
    }
}

static bool read_texts(Store *store, Arena *arena, Case *c, Error *err) {
    SqlStmt *stmt =
        sql_query(store, "SELECT member,body FROM texts WHERE case_id=?", err, "i", c->id);
    if (!stmt) return false;
    bool failed;
    while (sql_row(store, stmt, &failed, err)) {
        const CaseMember *m = case_member(sql_get_str(arena, store, stmt, 0).at);
        if (m && m->large) *case_member_at(c, m) = sql_get_str(arena, store, stmt, 1);
    }
    return !failed;
}

static bool no_case(const Store *store, int64_t id, Error *err) {
    return err_set(err, STATUS_NO, "there is no case %lld in %s", (long long)id, store->path);
}

typedef struct CaseReading {
    Arena *arena;
    int64_t id;
    Case *c;
} CaseReading;

static bool read_case(Store *store, void *arg, Error *err) {
    const CaseReading *r = arg;
    Buf text = { 0 };
    buf_fmt(&text, "SELECT %s FROM cases WHERE id=?", store->case_columns);
    SqlStmt *stmt = sql_query(store, sql_keep(store, text.at), err, "i", r->id);
    buf_release(&text);
    bool failed = false;
    if (!stmt) return false;
    if (!sql_row(store, stmt, &failed, err)) return !failed && no_case(store, r->id, err);
    read_row(r->arena, store, stmt, r->c);
    sql_done(store, stmt);
    return read_texts(store, r->arena, r->c, err);
}

bool case_fetch_in(Store *store, Arena *arena, int64_t id, Case *c, Error *err) {
    return read_case(store, &(CaseReading){ arena, id, c }, err);
}

bool store_case_get(Store *store, Arena *arena, int64_t id, Case *c, Error *err) {
    CaseReading r = { arena, id, c };
    return sql_snapshot(store, read_case, &r, err); /* a snapshot: the row and its texts */
}

/* ---- changing ---- */

static bool set_short(Store *store, int64_t id, const CaseMember *m, Str value, Error *err) {
    Buf text = { 0 };
    buf_fmt(&text, "UPDATE cases SET %s=? WHERE id=?", m->name);
    const char *kept = sql_keep(store, text.at);
    buf_release(&text);
    return sql_run(store, kept, err, "si", value, id);
}

/* How a member that is a number is set; NULL: it is not one. */
static const char *number_of(const char *member) {
    if (strcmp(member, "code") == 0) return "UPDATE cases SET code=? WHERE id=?";
    if (strcmp(member, "reduced_code") == 0) return "UPDATE cases SET reduced_code=? WHERE id=?";
    return NULL;
}

static bool set_member(Store *store, int64_t id, const CaseSet *set, Error *err) {
    const CaseMember *m = case_member(set->member);
    const char *number = number_of(set->member);
    int64_t value = 0;
    CHECK(number ? str_to_i64(set->value, &value) : m != NULL);
    if (number) return sql_run(store, number, err, "ii", value, id);
    return m->large ? put_text(store, id, m->name, set->value, err)
                    : set_short(store, id, m, set->value, err);
}

typedef struct CaseChange {
    int64_t id, other;   /* other: what is merged into it */
    const CaseSet *sets; /* n of them */
    size_t n;
} CaseChange;

static bool set_case(Store *store, void *arg, Error *err) {
    const CaseChange *change = arg;
    if (!case_lock(store, change->id, err) ||
        !sql_run(store, "UPDATE cases SET updated=? WHERE id=?", err, "ri", store_time(),
                 change->id))
        return false;
    if (sql_changes(store) == 0) return no_case(store, change->id, err);
    bool ok = true;
    for (size_t i = 0; ok && i < change->n; i++)
        ok = set_member(store, change->id, &change->sets[i], err);
    return ok;
}

bool case_set_in(Store *store, int64_t id, const CaseSet *sets, size_t n, Error *err) {
    return set_case(store, &(CaseChange){ .id = id, .sets = sets, .n = n }, err);
}

bool store_case_set(Store *store, int64_t id, const CaseSet *sets, size_t n, Error *err) {
    CaseChange change = { .id = id, .sets = sets, .n = n };
    return sql_transact(store, set_case, &change, err);
}

static bool delete_case(Store *store, int64_t id, Error *err) {
    int64_t campaign;
    return sql_int(store, "DELETE FROM cases WHERE id=? RETURNING campaign", -1, &campaign, err,
                   "i", id) &&
           (campaign >= 0 || no_case(store, id, err)) &&
           campaign_count(store, campaign, (CaseTally){ .added = -1 }, err);
}

static bool remove_case(Store *store, void *arg, Error *err) {
    const CaseChange *change = arg;
    return case_lock(store, change->id, err) && delete_case(store, change->id, err);
}

bool store_case_remove(Store *store, int64_t id, Error *err) {
    CaseChange change = { .id = id };
    return sql_transact(store, remove_case, &change, err);
}

/* Appends to a text that is kept line by line. */
static bool add_lines(Store *store, int64_t id, const char *member, Str old, Str more, Error *err) {
    if (!more.len) return true;
    Buf all = { 0 };
    if (old.len) buf_str(&all, old), buf_char(&all, '\n');
    buf_str(&all, more);
    bool ok = put_text(store, id, member, buf_view(&all), err);
    buf_release(&all);
    return ok;
}

/* Everything of the other case that this one lacks; its bucket becomes one of ours. */
static bool take_over(Store *store, const Case *into, const Case *from, Error *err) {
    Buf aliases = { 0 };
    buf_str(&aliases, from->aliases);
    if (from->bucket.len) {
        if (aliases.len) buf_char(&aliases, '\n');
        buf_str(&aliases, from->bucket);
    }
    double first = from->created < into->created ? from->created : into->created;
    bool ok = sql_run(store, "UPDATE cases SET count=count+?,created=?,updated=? WHERE id=?", err,
                      "irri", (int64_t)from->count, first, store_time(), into->id) &&
              add_lines(store, into->id, "notes", into->notes, from->notes, err) &&
              add_lines(store, into->id, "tags", into->tags, from->tags, err) &&
              add_lines(store, into->id, "aliases", into->aliases, buf_view(&aliases), err) &&
              delete_case(store, from->id, err);
    buf_release(&aliases);
    return ok;
}

static bool merge_cases(Store *store, void *arg, Error *err) {
    const CaseChange *change = arg;
    int64_t low = change->id < change->other ? change->id : change->other;
    Arena arena = { 0 };
    Case kept, gone;
    bool ok = case_lock(store, low, err) &&
              case_lock(store, change->id + change->other - low, err) &&
              read_case(store, &(CaseReading){ &arena, change->id, &kept }, err) &&
              read_case(store, &(CaseReading){ &arena, change->other, &gone }, err) &&
              take_over(store, &kept, &gone, err);
    arena_release(&arena);
    return ok;
}

bool store_case_merge(Store *store, int64_t into, int64_t from, Error *err) {
    if (into == from) return err_set(err, STATUS_BAD, "a case cannot be merged with itself");
    CaseChange change = { .id = into, .other = from };
    return sql_transact(store, merge_cases, &change, err);
}

/* ---- lists ---- */

enum { FILTER_VALUES = 8 };

/* The WHERE clause with only the parts that filter, so that an index can serve them; and its
 * values. */
static size_t where(const CaseFilter *f, Buf *out, SqlValue values[FILTER_VALUES]) {
    size_t n = 0;
    buf_text(out, " WHERE 1=1");
    if (f->compiler)
        buf_text(out, " AND compiler=?"), values[n++] = sql_text(str_from(f->compiler));
    if (f->verdict) buf_text(out, " AND verdict=?"), values[n++] = sql_text(str_from(f->verdict));
    if (f->text) {
        buf_text(out, " AND {find {lower ?}; {lower signature||{newline}||matters||{newline}||title"
                      "||{newline}||bucket||{newline}||flags||{newline}||seed_name}}>0");
        values[n++] = sql_text(str_from(f->text));
    }
    if (f->campaign) buf_text(out, " AND campaign=?"), values[n++] = sql_number(f->campaign);
    if (f->bucket) buf_text(out, " AND bucket=?"), values[n++] = sql_text(str_from(f->bucket));
    if (f->tag) {
        buf_text(out, " AND id IN(" HAS_LINE("tags") ")");
        values[n++] = sql_text(str_from(f->tag));
    }
    return n;
}

static void order_by(const CaseFilter *f, Buf *out) {
    static const char *const columns[] = {
        [CASE_BY_ID] = NULL,           [CASE_BY_COUNT] = "count",       [CASE_BY_SIZE] = "size",
        [CASE_BY_UPDATED] = "updated", [CASE_BY_COMPILER] = "compiler",
    };
    const char *direction = f->descending ? "DESC" : "ASC";
    buf_text(out, " ORDER BY ");
    if (columns[f->order]) buf_fmt(out, "%s %s,", columns[f->order], direction);
    buf_fmt(out, "id %s LIMIT ? OFFSET ?", direction);
}

/* Kept beside the cases (shares): counting them would take longer the more there are. */
static bool count_kept(Store *store, int64_t campaign, uint64_t *total, Error *err) {
    static const char *const all = "SELECT coalesce(CAST(sum(cases) AS {int}),0) FROM shares",
                             *const some = "SELECT coalesce(CAST(sum(cases) AS {int}),0) "
                                           "FROM shares WHERE campaign=?";
    int64_t n;
    bool ok = campaign ? sql_int(store, some, 0, &n, err, "i", campaign)
                       : sql_int(store, all, 0, &n, err, "");
    *total = ok && n > 0 ? (uint64_t)n : 0;
    return ok;
}

static bool count_cases(Store *store, const CaseFilter *f, uint64_t *total, Error *err) {
    if (!f->compiler && !f->verdict && !f->text && !f->bucket && !f->tag)
        return count_kept(store, f->campaign, total, err);
    Buf text = { 0 };
    SqlValue values[FILTER_VALUES];
    buf_text(&text, "SELECT count(*) FROM cases");
    size_t n = where(f, &text, values);
    SqlStmt *stmt = sql_query_values(store, sql_keep(store, text.at), values, n, err);
    buf_release(&text);
    if (!stmt) return false;
    bool failed;
    if (sql_row(store, stmt, &failed, err)) {
        *total = (uint64_t)sql_get_int(store, stmt, 0);
        sql_done(store, stmt);
    }
    return !failed;
}

bool store_case_list(Store *store, Arena *arena, const CaseFilter *filter, Case **cases, size_t *n,
                     uint64_t *total, Error *err) {
    if (total && !count_cases(store, filter, total, err)) return false;
    Buf text = { 0 };
    SqlValue values[FILTER_VALUES];
    buf_fmt(&text, "SELECT %s FROM cases", store->case_columns);
    size_t n_values = where(filter, &text, values);
    order_by(filter, &text);
    values[n_values++] = sql_number(filter->limit ? (int64_t)filter->limit : INT64_MAX);
    values[n_values++] = sql_number((int64_t)filter->offset);
    SqlStmt *stmt = sql_query_values(store, sql_keep(store, text.at), values, n_values, err);
    buf_release(&text);
    VEC(Case) rows = { 0 };
    bool failed = !stmt;
    while (stmt && sql_row(store, stmt, &failed, err)) {
        Case c;
        read_row(arena, store, stmt, &c);
        vec_push(&rows, c);
    }
    *cases = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

bool store_case_has(Store *store, const int64_t *ids, size_t n, const char *const *members,
                    size_t n_members, uint32_t *result, Error *err) {
    CHECK(n_members <= 32);
    for (size_t k = 0; k < n; k++) {
        SqlStmt *stmt =
            sql_query(store, "SELECT member FROM texts WHERE case_id=?", err, "i", ids[k]);
        if (!stmt) return false;
        bool failed;
        result[k] = 0;
        while (sql_row(store, stmt, &failed, err)) {
            Str member = store->driver->get_str(stmt->native, 0);
            for (size_t i = 0; i < n_members; i++)
                if (str_is(member, members[i])) result[k] |= 1u << i;
        }
        if (failed) return false;
    }
    return true;
}

/* Cases in SQLite. A row of `cases` holds what tables and filters need; every large text is a row
 * of `texts` (only where it is not empty), so that lists never touch the programs.
 *
 * Invariants: (1) at most one case has a given non-empty bucket; (2) the example of a bucket is the
 * least of all its hits by (size, number, variant_number) until the case has a reduced pair or
 * steps of an investigation: from then on it stays, because they speak about it; (3) count is the
 * number of hits. All three hold whatever the order of the hits, so they do not depend on -j. */
#include "store/sql.h"

/* Columns of numbers, in the order of the table; the short texts follow in the order of
 * case_members. */
#define NUMBERS "campaign,created,updated,count,size,number,variant_number,code,reduced_code"
enum { FIRST_SHORT = 10 /* column of the first short text when reading: id and 9 numbers */ };

void sqlite_case_statements(Db *db) {
    Buf columns = { 0 }, places = { 0 }, sets = { 0 };
    for (size_t i = 0; i < case_member_count; i++) {
        if (case_members[i].large) continue;
        buf_fmt(&columns, ",%s", case_members[i].name);
        buf_text(&places, ",?");
        buf_fmt(&sets, ",%s=?", case_members[i].name);
    }
    db->case_columns = arena_fmt(&db->arena, "id," NUMBERS "%s", columns.at);
    db->case_insert =
        arena_fmt(&db->arena, "INSERT INTO cases(" NUMBERS "%s) VALUES(?,?,?,?,?,?,?,?,?%s)",
                  columns.at, places.at);
    db->case_replace = arena_fmt(&db->arena,
                                 "UPDATE cases SET campaign=?,created=?,updated=?,count=?,size=?,"
                                 "number=?,variant_number=?,code=?,reduced_code=?%s WHERE id=?",
                                 sets.at);
    buf_release(&columns), buf_release(&places), buf_release(&sets);
}

static const char *const insert_text =
    "INSERT OR REPLACE INTO texts(case_id,member,body) VALUES(?,?,?)";
static const char *const delete_text = "DELETE FROM texts WHERE case_id=? AND member=?";

static bool put_text(Db *db, int64_t id, const char *member, Str body, Error *err) {
    if (body.len) return sql_run(db, insert_text, err, "izb", id, member, body);
    return sql_run(db, delete_text, err, "iz", id, member);
}

static bool put_texts(Db *db, int64_t id, const Case *c, Error *err) {
    for (size_t i = 0; i < case_member_count; i++) {
        const CaseMember *m = &case_members[i];
        Str body = *case_member_at(c, m);
        if (m->large && body.len && !sql_run(db, insert_text, err, "izb", id, m->name, body))
            return false;
    }
    return true;
}

/* Binds and runs case_insert (id 0) or case_replace. */
static bool write_row(Db *db, const Case *c, int64_t id, Error *err) {
    sqlite3_stmt *stmt =
        sql_query(db, id ? db->case_replace : db->case_insert, err, "irriiiiii", c->campaign,
                  c->created, c->updated, (int64_t)c->count, (int64_t)c->size, (int64_t)c->number,
                  (int64_t)c->variant_number, c->code, c->reduced_code);
    if (!stmt) return false;
    int at = FIRST_SHORT;
    for (size_t i = 0; i < case_member_count; i++) {
        if (case_members[i].large) continue;
        Str s = *case_member_at(c, &case_members[i]);
        sqlite3_bind_text64(stmt, at++, s.at ? s.at : "", s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    if (id) sqlite3_bind_int64(stmt, at, id);
    bool failed;
    while (sql_row(db, stmt, &failed, err)) continue;
    return !failed;
}

/* What is known of the case that has the bucket. */
typedef struct Incumbent {
    int64_t id; /* 0: none */
    int64_t campaign;
    double created;
    uint64_t count, size, number, variant_number;
    bool settled; /* later stages have worked on its example */
} Incumbent;

#define INCUMBENT                                                                                  \
    "SELECT id,campaign,created,count,size,number,variant_number,"                                 \
    "  EXISTS(SELECT 1 FROM texts WHERE case_id=cases.id AND member='reduced_variant') OR "        \
    "  EXISTS(SELECT 1 FROM steps WHERE case_id=cases.id) FROM cases "

/* By its own bucket, or, where none has that, by one that was merged into it. */
static bool find_incumbent(Db *db, Str bucket, Incumbent *in, Error *err) {
    static const char *const texts[] = {
        INCUMBENT "WHERE bucket=? AND bucket<>''",
        INCUMBENT "WHERE id=(SELECT case_id FROM texts WHERE member IN('aliases','tags') AND "
                  "member='aliases' AND "
                  "instr(char(10)||CAST(body AS TEXT)||char(10),char(10)||?||char(10))>0 LIMIT 1)"
    };
    *in = (Incumbent){ 0 };
    bool found = false, failed = false;
    sqlite3_stmt *stmt = NULL;
    for (size_t i = 0; bucket.len && i < COUNT_OF(texts) && !found && !failed; i++) {
        stmt = sql_query(db, texts[i], err, "s", bucket);
        if (!stmt) return false;
        found = sql_row(db, stmt, &failed, err);
    }
    if (!found) return !failed;
    in->id = sqlite3_column_int64(stmt, 0);
    in->campaign = sqlite3_column_int64(stmt, 1);
    in->created = sqlite3_column_double(stmt, 2);
    in->count = (uint64_t)sqlite3_column_int64(stmt, 3);
    in->size = (uint64_t)sqlite3_column_int64(stmt, 4);
    in->number = (uint64_t)sqlite3_column_int64(stmt, 5);
    in->variant_number = (uint64_t)sqlite3_column_int64(stmt, 6);
    in->settled = sqlite3_column_int(stmt, 7);
    sql_done(stmt);
    return true;
}

static bool is_better(const Case *c, const Incumbent *in) {
    if (in->settled) return false;
    if (c->size != in->size) return c->size < in->size;
    if (c->number != in->number) return c->number < in->number;
    return c->variant_number < in->variant_number;
}

static bool add_hit(Db *db, const Case *c, const Incumbent *in, Error *err) {
    if (!is_better(c, in))
        return sql_run(db, "UPDATE cases SET count=count+?,updated=? WHERE id=?", err, "iri",
                       (int64_t)c->count, c->updated, in->id);
    Case kept = *c;
    kept.count += in->count;
    kept.created = in->created;
    if (in->campaign) kept.campaign = in->campaign;
    return write_row(db, &kept, in->id, err) &&
           sql_run(db,
                   "DELETE FROM texts WHERE case_id=? AND member NOT IN('notes','tags','aliases')",
                   err, "i", in->id) &&
           put_texts(db, in->id, &kept, err);
}

bool sqlite_case_put_in(Db *db, const Case *given, int64_t *id, bool *is_new, Error *err) {
    Case c = *given;
    c.updated = store_time();
    if (c.created == 0) c.created = c.updated;
    if (c.count == 0) c.count = 1;
    c.size = c.variant.len ? c.variant.len : c.seed.len;
    Incumbent in;
    if (!find_incumbent(db, c.bucket, &in, err)) return false;
    if (is_new) *is_new = in.id == 0;
    *id = in.id;
    if (in.id) return add_hit(db, &c, &in, err);
    if (!write_row(db, &c, 0, err)) return false;
    *id = sqlite3_last_insert_rowid(db->handle);
    return put_texts(db, *id, &c, err);
}

bool sqlite_case_put(Store *store, const Case *c, int64_t *id, bool *is_new, Error *err) {
    Db *db = db_of(store);
    return sql_begin(db, err) && sql_end(db, sqlite_case_put_in(db, c, id, is_new, err), err);
}

/* ---- reading ---- */

static void read_row(Arena *arena, sqlite3_stmt *stmt, Case *c) {
    c->id = sqlite3_column_int64(stmt, 0);
    c->campaign = sqlite3_column_int64(stmt, 1);
    c->created = sqlite3_column_double(stmt, 2);
    c->updated = sqlite3_column_double(stmt, 3);
    c->count = (uint64_t)sqlite3_column_int64(stmt, 4);
    c->size = (uint64_t)sqlite3_column_int64(stmt, 5);
    c->number = (uint64_t)sqlite3_column_int64(stmt, 6);
    c->variant_number = (uint64_t)sqlite3_column_int64(stmt, 7);
    c->code = sqlite3_column_int64(stmt, 8);
    c->reduced_code = sqlite3_column_int64(stmt, 9);
    int at = FIRST_SHORT;
    for (size_t i = 0; i < case_member_count; i++) {
        Str *member = case_member_at(c, &case_members[i]);
        *member = case_members[i].large ? STR("") : sql_str(arena, stmt, at++);
    }
}

static bool read_texts(Db *db, Arena *arena, Case *c, Error *err) {
    sqlite3_stmt *stmt =
        sql_query(db, "SELECT member,body FROM texts WHERE case_id=?", err, "i", c->id);
    if (!stmt) return false;
    bool failed;
    while (sql_row(db, stmt, &failed, err)) {
        const CaseMember *m = case_member((const char *)sqlite3_column_text(stmt, 0));
        if (m && m->large) *case_member_at(c, m) = sql_str(arena, stmt, 1);
    }
    return !failed;
}

static bool no_case(Db *db, int64_t id, Error *err) {
    return err_set(err, STATUS_NO, "there is no case %lld in %s", (long long)id, db->store.path);
}

/* One statement a query text: kept for the life of the connection. */
static const char *keep_text(Db *db, const char *text) {
    for (size_t i = 0; i < db->kept.len; i++)
        if (strcmp(db->kept.at[i].text, text) == 0) return db->kept.at[i].text;
    return arena_strdup(&db->arena, text);
}

bool sqlite_case_get(Store *store, Arena *arena, int64_t id, Case *c, Error *err) {
    Db *db = db_of(store);
    Buf text = { 0 };
    buf_fmt(&text, "SELECT %s FROM cases WHERE id=?", db->case_columns);
    /* One snapshot for the row and its texts. */
    bool ok = sql_exec(db, "BEGIN", err), failed = false, found = false;
    sqlite3_stmt *stmt = ok ? sql_query(db, keep_text(db, text.at), err, "i", id) : NULL;
    if (stmt && sql_row(db, stmt, &failed, err)) {
        found = true;
        read_row(arena, stmt, c);
        sql_done(stmt);
        failed = !read_texts(db, arena, c, err);
    }
    buf_release(&text);
    if (ok) sql_end(db, true, NULL);
    if (stmt && !failed && !found) return no_case(db, id, err);
    return stmt && !failed;
}

/* ---- changing ---- */

static bool set_short(Db *db, int64_t id, const CaseMember *m, Str value, Error *err) {
    Buf text = { 0 };
    buf_fmt(&text, "UPDATE cases SET %s=? WHERE id=?", m->name);
    const char *kept = keep_text(db, text.at);
    buf_release(&text);
    return sql_run(db, kept, err, "si", value, id);
}

/* How a member that is a number is set; NULL: it is none. */
static const char *number_of(const char *member) {
    if (strcmp(member, "code") == 0) return "UPDATE cases SET code=? WHERE id=?";
    if (strcmp(member, "reduced_code") == 0) return "UPDATE cases SET reduced_code=? WHERE id=?";
    return NULL;
}

bool sqlite_case_set(Store *store, int64_t id, const CaseSet *sets, size_t n, Error *err) {
    Db *db = db_of(store);
    if (!sql_begin(db, err)) return false;
    bool ok = sql_run(db, "UPDATE cases SET updated=? WHERE id=?", err, "ri", store_time(), id);
    if (ok && sqlite3_changes(db->handle) == 0) ok = no_case(db, id, err);
    for (size_t i = 0; ok && i < n; i++) {
        const CaseMember *m = case_member(sets[i].member);
        const char *number = number_of(sets[i].member);
        int64_t value = 0;
        CHECK(number ? str_to_i64(sets[i].value, &value) : m != NULL);
        ok = number     ? sql_run(db, number, err, "ii", value, id)
             : m->large ? put_text(db, id, m->name, sets[i].value, err)
                        : set_short(db, id, m, sets[i].value, err);
    }
    return sql_end(db, ok, err);
}

bool sqlite_case_remove(Store *store, int64_t id, Error *err) {
    Db *db = db_of(store);
    if (!sql_begin(db, err)) return false;
    bool ok = sql_run(db, "DELETE FROM cases WHERE id=?", err, "i", id);
    if (ok && sqlite3_changes(db->handle) == 0) ok = no_case(db, id, err);
    return sql_end(db, ok, err);
}

/* Appends to a text that is kept line by line. */
static bool add_lines(Db *db, int64_t id, const char *member, Str old, Str more, Error *err) {
    if (!more.len) return true;
    Buf all = { 0 };
    if (old.len) buf_str(&all, old), buf_char(&all, '\n');
    buf_str(&all, more);
    bool ok = put_text(db, id, member, buf_view(&all), err);
    buf_release(&all);
    return ok;
}

/* Everything of the other that is not there yet; its own bucket becomes one of ours. */
static bool take_over(Db *db, const Case *into, const Case *from, Error *err) {
    Buf aliases = { 0 };
    buf_str(&aliases, from->aliases);
    if (from->bucket.len) {
        if (aliases.len) buf_char(&aliases, '\n');
        buf_str(&aliases, from->bucket);
    }
    double first = from->created < into->created ? from->created : into->created;
    bool ok = sql_run(db, "UPDATE cases SET count=count+?,created=?,updated=? WHERE id=?", err,
                      "irri", (int64_t)from->count, first, store_time(), into->id) &&
              add_lines(db, into->id, "notes", into->notes, from->notes, err) &&
              add_lines(db, into->id, "tags", into->tags, from->tags, err) &&
              add_lines(db, into->id, "aliases", into->aliases, buf_view(&aliases), err) &&
              sql_run(db, "DELETE FROM cases WHERE id=?", err, "i", from->id);
    buf_release(&aliases);
    return ok;
}

bool sqlite_case_merge(Store *store, int64_t into, int64_t from, Error *err) {
    Db *db = db_of(store);
    Arena arena = { 0 };
    Case kept, gone;
    bool ok = sqlite_case_get(store, &arena, into, &kept, err) &&
              sqlite_case_get(store, &arena, from, &gone, err) && sql_begin(db, err);
    ok = ok && sql_end(db, take_over(db, &kept, &gone, err), err);
    arena_release(&arena);
    return ok;
}

/* ---- lists ---- */

/* The WHERE clause with ?1 compiler, ?2 verdict, ?3 text, ?4 campaign, ?5 bucket, ?6 tag; only the
 * parts that filter, so that an index can serve them. */
static void where(const CaseFilter *f, Buf *out) {
    buf_text(out, " WHERE 1");
    if (f->compiler) buf_text(out, " AND compiler=?1");
    if (f->verdict) buf_text(out, " AND verdict=?2");
    if (f->text)
        buf_text(out, " AND instr(lower(signature||char(10)||matters||char(10)||title||char(10)||"
                      "bucket||char(10)||flags||char(10)||seed_name),lower(?3))>0");
    if (f->campaign) buf_text(out, " AND campaign=?4");
    if (f->bucket) buf_text(out, " AND bucket=?5");
    if (f->tag)
        buf_text(out, " AND id IN(SELECT case_id FROM texts WHERE member IN('aliases','tags') AND "
                      "member='tags' AND "
                      "instr(char(10)||CAST(body AS TEXT)||char(10),char(10)||?6||char(10))>0)");
}

static void bind_filter(sqlite3_stmt *stmt, const CaseFilter *f) {
    if (f->compiler) sqlite3_bind_text(stmt, 1, f->compiler, -1, SQLITE_TRANSIENT);
    if (f->verdict) sqlite3_bind_text(stmt, 2, f->verdict, -1, SQLITE_TRANSIENT);
    if (f->text) sqlite3_bind_text(stmt, 3, f->text, -1, SQLITE_TRANSIENT);
    if (f->campaign) sqlite3_bind_int64(stmt, 4, f->campaign);
    if (f->bucket) sqlite3_bind_text(stmt, 5, f->bucket, -1, SQLITE_TRANSIENT);
    if (f->tag) sqlite3_bind_text(stmt, 6, f->tag, -1, SQLITE_TRANSIENT);
}

static void order_by(const CaseFilter *f, Buf *out) {
    static const char *const columns[] = {
        [CASE_BY_ID] = NULL,           [CASE_BY_COUNT] = "count",       [CASE_BY_SIZE] = "size",
        [CASE_BY_UPDATED] = "updated", [CASE_BY_COMPILER] = "compiler",
    };
    const char *direction = f->descending ? "DESC" : "ASC";
    buf_text(out, " ORDER BY ");
    if (columns[f->order]) buf_fmt(out, "%s %s,", columns[f->order], direction);
    buf_fmt(out, "id %s LIMIT %lld OFFSET %llu", direction, f->limit ? (long long)f->limit : -1LL,
            (unsigned long long)f->offset);
}

static bool count_cases(Db *db, const CaseFilter *f, uint64_t *total, Error *err) {
    Buf text = { 0 };
    buf_text(&text, "SELECT count(*) FROM cases");
    where(f, &text);
    sqlite3_stmt *stmt = sql_query(db, keep_text(db, text.at), err, "");
    buf_release(&text);
    if (!stmt) return false;
    bind_filter(stmt, f);
    bool failed;
    if (sql_row(db, stmt, &failed, err)) {
        *total = (uint64_t)sqlite3_column_int64(stmt, 0);
        sql_done(stmt);
    }
    return !failed;
}

bool sqlite_case_list(Store *store, Arena *arena, const CaseFilter *filter, Case **cases, size_t *n,
                      uint64_t *total, Error *err) {
    Db *db = db_of(store);
    if (total && !count_cases(db, filter, total, err)) return false;
    Buf text = { 0 };
    buf_fmt(&text, "SELECT %s FROM cases", db->case_columns);
    where(filter, &text);
    order_by(filter, &text);
    sqlite3_stmt *stmt = NULL;
    /* Not kept: the limit and offset are part of the text. */
    bool ok =
        sqlite3_prepare_v2(db->handle, text.at, -1, &stmt, NULL) == SQLITE_OK || sql_fail(db, err);
    buf_release(&text);
    if (!ok) return false;
    bind_filter(stmt, filter);
    VEC(Case) rows = { 0 };
    bool failed;
    while (sql_row(db, stmt, &failed, err)) {
        Case c;
        read_row(arena, stmt, &c);
        vec_push(&rows, c);
    }
    sqlite3_finalize(stmt);
    *cases = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

bool sqlite_case_has(Store *store, const int64_t *ids, size_t n, const char *const *members,
                     size_t n_members, uint32_t *result, Error *err) {
    Db *db = db_of(store);
    for (size_t k = 0; k < n; k++) {
        sqlite3_stmt *stmt =
            sql_query(db, "SELECT member FROM texts WHERE case_id=?", err, "i", ids[k]);
        if (!stmt) return false;
        bool failed;
        result[k] = 0;
        while (sql_row(db, stmt, &failed, err))
            for (size_t i = 0; i < n_members; i++)
                if (strcmp((const char *)sqlite3_column_text(stmt, 0), members[i]) == 0)
                    result[k] |= 1u << i;
        if (failed) return false;
    }
    return true;
}

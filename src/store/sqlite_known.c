/* Known compilers and the steps of investigations in SQLite. */
#include "store/sql.h"

/* ---- compilers ---- */

bool sqlite_compiler_put(Store *store, const KnownCompiler *c, Error *err) {
    Db *db = db_of(store);
    static const char *const text =
        "INSERT OR REPLACE INTO compilers(name,path,kind,version,target,coverage,coverage_cc,"
        "good_source,bad_source,build) VALUES(?,?,?,?,?,?,?,?,?,?)";
    return sql_begin(db, err) &&
           sql_end(db,
                   sql_run(db, text, err, "ssssssssss", c->name, c->path, c->kind, c->version,
                           c->target, c->coverage, c->coverage_cc, c->good_source, c->bad_source,
                           c->build),
                   err);
}

bool sqlite_compiler_remove(Store *store, const char *name, Error *err) {
    Db *db = db_of(store);
    if (!sql_begin(db, err)) return false;
    bool ok = sql_run(db, "DELETE FROM compilers WHERE name=?", err, "z", name);
    if (ok && sqlite3_changes(db->handle) == 0)
        ok = err_set(err, STATUS_NO, "no compiler '%s' is known in %s", name, store->path);
    return sql_end(db, ok, err);
}

bool sqlite_compiler_list(Store *store, Arena *arena, const char *name, KnownCompiler **compilers,
                          size_t *n, Error *err) {
    Db *db = db_of(store);
    sqlite3_stmt *stmt =
        sql_query(db,
                  "SELECT name,path,kind,version,target,coverage,coverage_cc,good_source,"
                  "bad_source,build FROM compilers WHERE ?1 IS NULL OR name=?1 ORDER BY name",
                  err, "z", name);
    if (!stmt) return false;
    VEC(KnownCompiler) rows = { 0 };
    bool failed;
    while (sql_row(db, stmt, &failed, err)) {
        KnownCompiler c = { 0 };
        Str *members[] = { &c.name,     &c.path,        &c.kind,        &c.version,    &c.target,
                           &c.coverage, &c.coverage_cc, &c.good_source, &c.bad_source, &c.build };
        for (size_t i = 0; i < COUNT_OF(members); i++) *members[i] = sql_str(arena, stmt, (int)i);
        vec_push(&rows, c);
    }
    *compilers = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

/* ---- steps ---- */

bool sqlite_step_put(Store *store, const CaseStep *step, Error *err) {
    Db *db = db_of(store);
    static const char *const text =
        "INSERT INTO steps(case_id,name,state,result,started,ended) VALUES(?,?,?,?,?,?) "
        "ON CONFLICT(case_id,name) DO UPDATE SET state=excluded.state,result=excluded.result,"
        "started=excluded.started,ended=excluded.ended";
    int64_t there;
    if (!sql_begin(db, err)) return false;
    bool ok =
        sql_int(db, "SELECT count(*) FROM cases WHERE id=?", 0, &there, err, "i", step->id_case);
    if (ok && !there)
        ok = err_set(err, STATUS_NO, "there is no case %lld in %s", (long long)step->id_case,
                     store->path);
    ok = ok && sql_run(db, text, err, "issbrr", step->id_case, step->name, step->state,
                       step->result, step->started, step->ended);
    return sql_end(db, ok, err);
}

bool sqlite_steps(Store *store, Arena *arena, int64_t id_case, CaseStep **steps, size_t *n,
                  Error *err) {
    Db *db = db_of(store);
    sqlite3_stmt *stmt = sql_query(
        db, "SELECT name,state,result,started,ended FROM steps WHERE case_id=? ORDER BY position",
        err, "i", id_case);
    if (!stmt) return false;
    VEC(CaseStep) rows = { 0 };
    bool failed;
    while (sql_row(db, stmt, &failed, err)) {
        CaseStep s = { .id_case = id_case };
        s.name = sql_str(arena, stmt, 0);
        s.state = sql_str(arena, stmt, 1);
        s.result = sql_str(arena, stmt, 2);
        s.started = sqlite3_column_double(stmt, 3);
        s.ended = sqlite3_column_double(stmt, 4);
        vec_push(&rows, s);
    }
    *steps = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

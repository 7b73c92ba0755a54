/* Known compilers and the steps of investigations. */
#include "store/sql.h"

/* ---- compilers ---- */

static bool put_compiler(Store *store, void *arg, Error *err) {
    const KnownCompiler *c = arg;
    static const char *const text =
        "INSERT INTO compilers(name,path,kind,version,target,coverage,coverage_cc,"
        "good_source,bad_source,build) VALUES(?,?,?,?,?,?,?,?,?,?) "
        "ON CONFLICT(name) DO UPDATE SET path=excluded.path,kind=excluded.kind,"
        "version=excluded.version,target=excluded.target,coverage=excluded.coverage,"
        "coverage_cc=excluded.coverage_cc,good_source=excluded.good_source,"
        "bad_source=excluded.bad_source,build=excluded.build";
    return sql_run(store, text, err, "ssssssssss", c->name, c->path, c->kind, c->version, c->target,
                   c->coverage, c->coverage_cc, c->good_source, c->bad_source, c->build);
}

bool store_compiler_put(Store *store, const KnownCompiler *compiler, Error *err) {
    KnownCompiler copy = *compiler;
    return sql_transact(store, put_compiler, &copy, err);
}

static bool remove_compiler(Store *store, void *arg, Error *err) {
    const char *name = arg;
    if (!sql_run(store, "DELETE FROM compilers WHERE name=?", err, "z", name)) return false;
    return sql_changes(store) > 0 ||
           err_set(err, STATUS_NO, "no compiler '%s' is known in %s", name, store->path);
}

bool store_compiler_remove(Store *store, const char *name, Error *err) {
    return sql_transact(store, remove_compiler, (void *)(uintptr_t)name, err);
}

/* name NULL: all. */
static bool list_compilers(Store *store, Arena *arena, const char *name, KnownCompiler **compilers,
                           size_t *n, Error *err) {
    SqlStmt *stmt =
        sql_query(store,
                  "SELECT name,path,kind,version,target,coverage,coverage_cc,good_source,"
                  "bad_source,build FROM compilers WHERE ?=0 OR name=? ORDER BY name",
                  err, "iz", (int64_t)(name != NULL), name);
    if (!stmt) return false;
    VEC(KnownCompiler) rows = { 0 };
    bool failed;
    while (sql_row(store, stmt, &failed, err)) {
        KnownCompiler c = { 0 };
        Str *members[] = { &c.name,     &c.path,        &c.kind,        &c.version,    &c.target,
                           &c.coverage, &c.coverage_cc, &c.good_source, &c.bad_source, &c.build };
        for (size_t i = 0; i < COUNT_OF(members); i++)
            *members[i] = sql_get_str(arena, store, stmt, (int)i);
        vec_push(&rows, c);
    }
    *compilers = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

bool store_compiler_get(Store *store, Arena *arena, const char *name, KnownCompiler *compiler,
                        Error *err) {
    KnownCompiler *found;
    size_t n;
    if (!list_compilers(store, arena, name, &found, &n, err)) return false;
    if (!n)
        return err_set(err, STATUS_NO, "no compiler '%s' is known; 'culprit compilers add' adds it",
                       name);
    *compiler = found[0];
    return true;
}

bool store_compiler_list(Store *store, Arena *arena, KnownCompiler **compilers, size_t *n,
                         Error *err) {
    return list_compilers(store, arena, NULL, compilers, n, err);
}

/* ---- steps ---- */

static bool put_step(Store *store, void *arg, Error *err) {
    const CaseStep *step = arg;
    static const char *const text =
        "INSERT INTO steps(case_id,name,state,result,started,ended) VALUES(?,?,?,?,?,?) "
        "ON CONFLICT(case_id,name) DO UPDATE SET state=excluded.state,result=excluded.result,"
        "started=excluded.started,ended=excluded.ended";
    int64_t there;
    if (!case_lock(store, step->id_case, err) ||
        !sql_int(store, "SELECT count(*) FROM cases WHERE id=?", 0, &there, err, "i",
                 step->id_case))
        return false;
    if (!there)
        return err_set(err, STATUS_NO, "there is no case %lld in %s", (long long)step->id_case,
                       store->path);
    return sql_run(store, text, err, "issbrr", step->id_case, step->name, step->state, step->result,
                   step->started, step->ended);
}

bool store_step_put(Store *store, const CaseStep *step, Error *err) {
    CaseStep copy = *step;
    return sql_transact(store, put_step, &copy, err);
}

bool store_steps(Store *store, Arena *arena, int64_t id_case, CaseStep **steps, size_t *n,
                 Error *err) {
    SqlStmt *stmt = sql_query(
        store,
        "SELECT name,state,result,started,ended FROM steps WHERE case_id=? ORDER BY position", err,
        "i", id_case);
    if (!stmt) return false;
    VEC(CaseStep) rows = { 0 };
    bool failed;
    while (sql_row(store, stmt, &failed, err)) {
        CaseStep s = { .id_case = id_case };
        s.name = sql_get_str(arena, store, stmt, 0);
        s.state = sql_get_str(arena, store, stmt, 1);
        s.result = sql_get_str(arena, store, stmt, 2);
        s.started = sql_get_real(store, stmt, 3);
        s.ended = sql_get_real(store, stmt, 4);
        vec_push(&rows, s);
    }
    *steps = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    *n = rows.len;
    vec_release(&rows);
    return !failed;
}

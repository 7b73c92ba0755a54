/* SQLite, said in the store's words. */
#include "store/sql.h"

/* What a user can do about it; NULL: only SQLite's own words are left. */
static const char *advice(int code) {
    switch (code & 0xff) {
    case SQLITE_READONLY: return "is read-only: it can be read, not written";
    case SQLITE_NOTADB: return "is not a store of culprit";
    case SQLITE_CORRUPT: return "is damaged; restore it from a copy";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "is locked by another program for too long";
    case SQLITE_FULL: return "cannot grow: no space left on its disk";
    case SQLITE_CANTOPEN: return "cannot be opened: no permission, or no such directory";
    case SQLITE_PERM: return "cannot be opened: no permission";
    default: return NULL;
    }
}

bool sql_fail(Db *db, Error *err) {
    int code = db->handle ? sqlite3_extended_errcode(db->handle) : SQLITE_NOMEM;
    const char *words = advice(code);
    bool lacks = (code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_IOERR;
    enum Status status = lacks ? STATUS_LACKS : STATUS_BAD;
    if (words) return err_set(err, status, "the store %s %s", db->store.path, words);
    return err_set(err, status, "the store %s: %s", db->store.path,
                   db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
}

bool sql_exec(Db *db, const char *script, Error *err) {
    return sqlite3_exec(db->handle, script, NULL, NULL, NULL) == SQLITE_OK || sql_fail(db, err);
}

static sqlite3_stmt *prepare(Db *db, const char *text, Error *err) {
    for (size_t i = 0; i < db->kept.len; i++)
        if (db->kept.at[i].text == text) return db->kept.at[i].stmt;
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v3(db->handle, text, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) !=
        SQLITE_OK) {
        sql_fail(db, err);
        return NULL;
    }
    vec_push(&db->kept, (SqlKept){ text, stmt });
    return stmt;
}

static int bind_one(sqlite3_stmt *stmt, int at, char letter, va_list *args) {
    switch (letter) {
    case 'i': return sqlite3_bind_int64(stmt, at, va_arg(*args, int64_t));
    case 'r': return sqlite3_bind_double(stmt, at, va_arg(*args, double));
    case 'z': return sqlite3_bind_text(stmt, at, va_arg(*args, const char *), -1, SQLITE_TRANSIENT);
    case 's': {
        Str s = va_arg(*args, Str);
        return sqlite3_bind_text64(stmt, at, s.at ? s.at : "", s.len, SQLITE_TRANSIENT,
                                   SQLITE_UTF8);
    }
    case 'b': {
        Str s = va_arg(*args, Str);
        return sqlite3_bind_blob64(stmt, at, s.at ? s.at : "", s.len, SQLITE_TRANSIENT);
    }
    default: die_bug(__FILE__, __LINE__, "format letter '%c'", letter);
    }
}

static sqlite3_stmt *query(Db *db, const char *text, Error *err, const char *format,
                           va_list *args) {
    sqlite3_stmt *stmt = prepare(db, text, err);
    for (int i = 0; stmt && format[i]; i++)
        if (bind_one(stmt, i + 1, format[i], args) != SQLITE_OK) {
            sql_fail(db, err);
            sql_done(stmt);
            return NULL;
        }
    return stmt;
}

sqlite3_stmt *sql_query(Db *db, const char *text, Error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sqlite3_stmt *stmt = query(db, text, err, format, &args);
    va_end(args);
    return stmt;
}

bool sql_row(Db *db, sqlite3_stmt *stmt, bool *failed, Error *err) {
    int code = sqlite3_step(stmt);
    if (failed) *failed = false;
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) {
        sql_fail(db, err);
        if (failed) *failed = true;
    }
    sql_done(stmt);
    return false;
}

void sql_done(sqlite3_stmt *stmt) {
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
}

bool sql_run(Db *db, const char *text, Error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sqlite3_stmt *stmt = query(db, text, err, format, &args);
    va_end(args);
    if (!stmt) return false;
    bool failed = false;
    while (sql_row(db, stmt, &failed, err)) continue;
    return !failed;
}

bool sql_int(Db *db, const char *text, int64_t fallback, int64_t *value, Error *err,
             const char *format, ...) {
    va_list args;
    va_start(args, format);
    sqlite3_stmt *stmt = query(db, text, err, format, &args);
    va_end(args);
    if (!stmt) return false;
    bool failed;
    *value = fallback;
    if (sql_row(db, stmt, &failed, err)) {
        *value = sqlite3_column_int64(stmt, 0);
        sql_done(stmt);
    }
    return !failed;
}

Str sql_str(Arena *arena, sqlite3_stmt *stmt, int column) {
    const char *bytes = sqlite3_column_blob(stmt, column);
    return arena_str(arena,
                     (Str){ bytes ? bytes : "", (size_t)sqlite3_column_bytes(stmt, column) });
}

bool sql_begin(Db *db, Error *err) {
    return db->writing = sql_exec(db, "BEGIN IMMEDIATE", err);
}

bool sql_end(Db *db, bool ok, Error *err) {
    if (ok && db->writing) ok = sql_run(db, "UPDATE identity SET generation=generation+1", err, "");
    db->writing = false;
    if (ok && sql_exec(db, "COMMIT", err)) return true;
    /* A failed statement may have ended the transaction already: then there is nothing to take
     * back. */
    if (!sqlite3_get_autocommit(db->handle)) sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

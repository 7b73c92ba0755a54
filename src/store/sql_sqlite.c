/* The store in one SQLite file.
 *
 * WAL, so that readers and the writer do not wait for each other; synchronous=FULL, so that what is
 * committed survives even the machine. The file carries culprit's application_id, and in
 * user_version the number of migrations it has been through.
 *
 * A new store is created under a temporary name and renamed when it is complete, like every file a
 * user is told about: a full disk leaves no empty one.
 *
 * A store on a read-only file system has no place for the files that WAL needs beside it; it is
 * then opened as immutable, which is only right while there is no writer's log beside it. */
#include "store/sql.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x43756c70 /* "Culp" */, BUSY_MS = 60000 };

static const SqlWord sqlite_words[] = {
    { "id", "INTEGER PRIMARY KEY AUTOINCREMENT" },
    { "order", "INTEGER PRIMARY KEY" },
    { "int", "INTEGER" },
    { "real", "REAL" },
    { "text", "TEXT" },
    { "blob", "BLOB" },
    { "clustered", "WITHOUT ROWID" },
    { "of", "REFERENCES %1(id)" },
    { "key", "%1" },
    { "newline", "char(10)" },
    { "line", "char(10)||CAST(%1 AS TEXT)||char(10)" },
    { "lower", "lower(%1)" },
    { "find", "instr(%2,%1)" },
    { "random", "lower(hex(randomblob(16)))" },
    { "free", "" },
    { "clock", "((julianday('now')-2440587.5)*86400.0)" },
    { "awake", "0.0" },
    { NULL, NULL },
};

static sqlite3 *handle_of(const Store *store) {
    return store->link;
}

/* What a user can do about it; NULL: only SQLite's own words are left. */
static const char *advice(int code) {
    switch (code & 0xff) {
    case SQLITE_READONLY: return "is read-only: it can be read, not written";
    case SQLITE_NOTADB: return "is not a store of culprit";
    case SQLITE_CORRUPT: return "is damaged; restore it from a copy";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "has been locked by another program for too long";
    case SQLITE_FULL: return "cannot grow: no space left on its disk";
    case SQLITE_CANTOPEN: return "cannot be opened: no permission, or no such directory";
    case SQLITE_PERM: return "cannot be opened: no permission";
    default: return NULL;
    }
}

static bool explain_failure(const Store *store, Error *err) {
    sqlite3 *handle = handle_of(store);
    int code = handle ? sqlite3_extended_errcode(handle) : SQLITE_NOMEM;
    const char *words = advice(code);
    bool lacks = (code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_IOERR;
    enum Status status = lacks ? STATUS_LACKS : STATUS_BAD;
    if (words) return err_set(err, status, "the store %s %s", store->path, words);
    return err_set(err, status, "the store %s: %s", store->path,
                   handle ? sqlite3_errmsg(handle) : "out of memory");
}

/* ---- statements ---- */

static bool run_script(Store *store, const char *script, Error *err) {
    return sqlite3_exec(handle_of(store), script, NULL, NULL, NULL) == SQLITE_OK ||
           explain_failure(store, err);
}

static void *make_statement(Store *store, const char *text, Error *err) {
    sqlite3_stmt *stmt = NULL;
    int code =
        sqlite3_prepare_v3(handle_of(store), text, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL);
    if (code != SQLITE_OK) explain_failure(store, err);
    return code == SQLITE_OK ? stmt : NULL;
}

static void forget(void *native) {
    sqlite3_finalize(native);
}

static int bind_one(sqlite3_stmt *stmt, int at, const SqlValue *v) {
    const char *bytes = v->s.at ? v->s.at : "";
    switch (v->kind) {
    case 'i': return sqlite3_bind_int64(stmt, at, v->i);
    case 'r': return sqlite3_bind_double(stmt, at, v->r);
    case 's': return sqlite3_bind_text64(stmt, at, bytes, v->s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    case 'b': return sqlite3_bind_blob64(stmt, at, bytes, v->s.len, SQLITE_TRANSIENT);
    default: return sqlite3_bind_null(stmt, at);
    }
}

static bool start(Store *store, void *native, const SqlValue *values, size_t n, Error *err) {
    for (size_t i = 0; i < n; i++)
        if (bind_one(native, (int)i + 1, &values[i]) != SQLITE_OK)
            return explain_failure(store, err);
    return true;
}

static int step(Store *store, void *native, Error *err) {
    int code = sqlite3_step(native);
    if (code == SQLITE_ROW) return 1;
    if (code == SQLITE_DONE) return 0;
    explain_failure(store, err);
    return -1;
}

static void reset(void *native) {
    sqlite3_reset(native);
    sqlite3_clear_bindings(native);
}

static int64_t get_int(void *native, int column) {
    return sqlite3_column_int64(native, column);
}

static double get_real(void *native, int column) {
    return sqlite3_column_double(native, column);
}

static Str get_str(void *native, int column) {
    const char *bytes = sqlite3_column_blob(native, column);
    return (Str){ bytes ? bytes : "", (size_t)sqlite3_column_bytes(native, column) };
}

static int64_t changes(Store *store) {
    return sqlite3_changes64(handle_of(store));
}

/* ---- transactions ---- */

static bool begin(Store *store, bool writes, Error *err) {
    return run_script(store, writes ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

static bool commit(Store *store, Error *err) {
    return run_script(store, "COMMIT", err);
}

/* A failed statement may have ended the transaction already: then there is nothing to roll back. */
static void rollback(Store *store) {
    if (!sqlite3_get_autocommit(handle_of(store)))
        sqlite3_exec(handle_of(store), "ROLLBACK", NULL, NULL, NULL);
}

static bool check(Store *store, Error *err) {
    Arena arena = { 0 };
    SqlStmt *stmt = sql_query(store, "PRAGMA integrity_check", err, "");
    bool failed = true, ok = false;
    if (stmt && sql_row(store, stmt, &failed, err)) {
        Str said = sql_get_str(&arena, store, stmt, 0);
        ok = str_is(said, "ok") || err_set(err, STATUS_BAD, "the store %s is damaged: " STR_FMT,
                                           store->path, STR_ARG(said));
        sql_done(store, stmt);
    }
    arena_release(&arena);
    return ok;
}

/* ---- whose file it is ---- */

typedef struct Identity {
    int64_t application; /* application_id */
    int64_t version;     /* user_version: migrations applied */
    int64_t objects;     /* rows of sqlite_schema: 0 in a file nobody has used yet */
    int code;            /* SQLite's, of the last statement */
} Identity;

static bool identify(Store *store, void *arg, Error *err) {
    Identity *who = arg;
    bool ok = sql_int(store, "PRAGMA application_id", 0, &who->application, err, "") &&
              sql_int(store, "PRAGMA user_version", 0, &who->version, err, "") &&
              sql_int(store, "SELECT count(*) FROM sqlite_schema", 0, &who->objects, err, "");
    who->code = sqlite3_errcode(handle_of(store));
    return ok;
}

static bool is_fresh(const Identity *who) {
    return who->application == 0 && who->version == 0 && who->objects == 0;
}

static bool version_of(Store *store, int64_t *version, Error *err) {
    Identity who = { 0 };
    /* a snapshot: another culprit may be creating the store right now */
    bool ok = store->inside ? identify(store, &who, err) : sql_snapshot(store, identify, &who, err);
    *version = who.version;
    if (!ok || is_fresh(&who)) return ok;
    if (who.version == 0) *version = -1;
    return who.application == APPLICATION_ID ||
           err_set(err, STATUS_BAD, "%s is a database of another program, not a store of culprit",
                   store->path);
}

static bool stamp(Store *store, int64_t version, Error *err) {
    char text[128];
    snprintf(text, sizeof text, "PRAGMA application_id=%d; PRAGMA user_version=%lld;",
             APPLICATION_ID, (long long)version);
    return run_script(store, text, err);
}

static void sqlite_close(Store *store) {
    sqlite3 *handle = handle_of(store);
    sql_store_free(store);
    sqlite3_close(handle);
}

static const SqlDriver sqlite_driver = {
    .words = sqlite_words,
    .generation = "SELECT generation FROM identity", /* data_version is one connection's own */
    .touch = "UPDATE identity SET generation=generation+1",
    .close = sqlite_close,
    .check = check,
    .exec = run_script,
    .prepare = make_statement,
    .forget = forget,
    .start = start,
    .step = step,
    .reset = reset,
    .get_int = get_int,
    .get_real = get_real,
    .get_str = get_str,
    .changes = changes,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .version = version_of,
    .stamp = stamp,
};

/* ---- opening ---- */

/* "file:PATH?immutable=1" with what URIs reserve escaped. */
static const char *immutable_uri(Arena *arena, const char *path) {
    Buf uri = { 0 };
    buf_text(&uri, "file:");
    for (const char *c = path; *c; c++)
        if (strchr("%?#", *c))
            buf_fmt(&uri, "%%%02x", (unsigned)*c);
        else
            buf_char(&uri, *c);
    buf_text(&uri, "?immutable=1");
    const char *text = arena_cstr(arena, buf_view(&uri));
    buf_release(&uri);
    return text;
}

static bool has_log(Store *store) {
    struct stat st;
    return stat(arena_fmt(&store->arena, "%s-wal", store->path), &st) == 0 && st.st_size > 0;
}

/* Prepared statements go with their connection. */
static void disconnect(Store *store) {
    for (size_t i = 0; i < store->kept.len; i++) {
        sqlite3_finalize(store->kept.at[i]->native);
        mem_free(store->kept.at[i]);
    }
    vec_clear(&store->kept);
    sqlite3_close(handle_of(store));
    store->link = NULL;
}

static bool connect_file(Store *store, const char *name, int flags) {
    disconnect(store);
    sqlite3 *handle = NULL;
    int code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
    store->link = handle;
    if (code != SQLITE_OK) return false;
    sqlite3_busy_timeout(handle, BUSY_MS);
    /* Whoever wrote the file also wrote its schema: nothing of it runs on our behalf. */
    static const int off[] = { SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                               SQLITE_DBCONFIG_TRUSTED_SCHEMA };
    for (size_t i = 0; i < COUNT_OF(off); i++) sqlite3_db_config(handle, off[i], 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return true;
}

/* Two culprits that make the same store at once: SQLite answers the change of mode with "busy"
 * without waiting, so the waiting is done here. */
static bool use_wal(Store *store, Error *err) {
    int code = SQLITE_OK;
    for (int tries = 0; tries < 500; tries++) {
        code = sqlite3_exec(handle_of(store), "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if (code != SQLITE_BUSY) break;
        usleep(10000);
    }
    return code == SQLITE_OK || explain_failure(store, err);
}

static bool finish_write(Store *store, Error *err) {
    int64_t version;
    if (!version_of(store, &version, err)) return false;
    if (sqlite3_db_readonly(handle_of(store), "main") == 1)
        return err_set(err, STATUS_BAD, "the store %s is read-only: it can be read, not written",
                       store->path);
    if (version > schema_version) return true; /* is refused, and left as it is */
    return use_wal(store, err) &&
           run_script(store, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON", err);
}

static bool finish_read(Store *store, Error *err) {
    Identity who = { 0 };
    Error first = { 0 }; /* not an error if the second way works */
    if (sql_snapshot(store, identify, &who, &first)) return true;
    int code = who.code ? who.code : sqlite3_errcode(handle_of(store));
    if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || has_log(store)) {
        if (err) *err = first;
        return false;
    }
    const char *uri = immutable_uri(&store->arena, store->path);
    return connect_file(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) ||
           explain_failure(store, err);
}

/* The temporary file that will become path; NULL where none can be created. */
static char *open_beside(Store *store) {
    char *beside = arena_fmt(&store->arena, "%s.XXXXXX", store->path);
    int fd = mkstemp(beside);
    if (fd < 0) return NULL;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0644 & ~mask); /* as SQLite makes its own */
    close(fd);
    return beside;
}

/* Gives it its name, unless another culprit was quicker: then the other's is the store. */
static bool take_name(const char *beside, const char *path) {
    if (renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_NOREPLACE) == 0) return true;
    return errno != EEXIST && link(beside, path) == 0; /* file systems that know no such rename */
}

/* Creates a complete, empty store at its path: with a rollback journal, since what is still in a
 * WAL cannot be moved to another name. Where no temporary file can be created, opening says why. */
static bool make_whole(Store *store, Error *err) {
    sigset_t before;
    file_hold_signals(&before);
    char *beside = open_beside(store);
    if (!beside) return file_let_signals(&before), true;
    bool ok = connect_file(store, beside, SQLITE_OPEN_READWRITE) || explain_failure(store, err);
    ok = ok && run_script(store, "PRAGMA synchronous=FULL", err) && schema_ready(store, err);
    disconnect(store);
    store->made = ok && take_name(beside, store->path);
    unlink(beside);
    unlink(arena_fmt(&store->arena, "%s-journal", beside));
    file_let_signals(&before);
    return ok;
}

Store *sqlite_open(const char *path, StoreMode mode, Error *err) {
    bool write = mode == STORE_WRITE;
    Store *store = sql_store_new(&sqlite_driver, path, write);
    bool ok = !write || file_exists(path) || make_whole(store, err);
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (ok && !connect_file(store, path, flags)) ok = explain_failure(store, err);
    if (ok && (write ? finish_write(store, err) : finish_read(store, err))) return store;
    sqlite_close(store);
    return NULL;
}

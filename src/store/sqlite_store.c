/* The store in one SQLite file: opening, the schema and its history.
 *
 * WAL, so that readers and the writer do not wait for each other; synchronous=FULL, so that what is
 * committed survives even the machine. The file carries culprit's application_id, and in
 * user_version the number of migrations it has been through: each is a script that is never changed
 * once released.
 *
 * A new store is made beside its name and gets it when it is whole, as every file a user is told
 * of: a disk that is full leaves no empty one.
 *
 * A store on a read-only file system has no place for the files beside it that WAL needs; it is
 * then opened as immutable, which is only right while no writer's log lies beside it. */
#include "store/sql.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x43756c70 /* "Culp" */, BUSY_MS = 60000 };

#define TOTALS                                                                                     \
    "seeds INTEGER NOT NULL, programs INTEGER NOT NULL, compilations INTEGER NOT NULL,"            \
    "runs INTEGER NOT NULL, rejected INTEGER NOT NULL, findings INTEGER NOT NULL,"                 \
    "buckets INTEGER NOT NULL, compiler_cpu_s REAL NOT NULL, total_cpu_s REAL NOT NULL,"           \
    "wall_s REAL NOT NULL"

static const char *const migrations[] = {
    /* 1 */
    "CREATE TABLE campaigns(id INTEGER PRIMARY KEY AUTOINCREMENT, settings BLOB NOT NULL,"
    "  state TEXT NOT NULL, progress BLOB NOT NULL, started REAL NOT NULL, updated REAL NOT NULL,"
    "  " TOTALS ");"
    "CREATE INDEX campaigns_settings ON campaigns(settings);"
    "CREATE TABLE cases(id INTEGER PRIMARY KEY AUTOINCREMENT, campaign INTEGER NOT NULL,"
    "  created REAL NOT NULL, updated REAL NOT NULL, count INTEGER NOT NULL, size INTEGER NOT NULL,"
    "  number INTEGER NOT NULL, variant_number INTEGER NOT NULL, compiler TEXT NOT NULL,"
    "  version TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, flags TEXT NOT NULL,"
    "  good_flags TEXT NOT NULL, verdict TEXT NOT NULL, signature TEXT NOT NULL,"
    "  bucket TEXT NOT NULL, matters TEXT NOT NULL, seed_name TEXT NOT NULL, title TEXT NOT NULL);"
    "CREATE UNIQUE INDEX cases_bucket ON cases(bucket) WHERE bucket <> '';"
    "CREATE INDEX cases_count ON cases(count);"
    "CREATE INDEX cases_size ON cases(size);"
    "CREATE INDEX cases_updated ON cases(updated);"
    "CREATE INDEX cases_compiler ON cases(compiler);"
    "CREATE INDEX cases_verdict ON cases(verdict);"
    "CREATE INDEX cases_campaign ON cases(campaign);"
    "CREATE TABLE texts(case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE,"
    "  member TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY(case_id, member));"
    "CREATE TABLE seeds(campaign INTEGER NOT NULL REFERENCES campaigns(id), number INTEGER NOT "
    "NULL,"
    "  " TOTALS ", note BLOB NOT NULL, PRIMARY KEY(campaign, number)) WITHOUT ROWID;"
    "CREATE TABLE samples(campaign INTEGER NOT NULL REFERENCES campaigns(id), time INTEGER NOT "
    "NULL,"
    "  " TOTALS ", coverage REAL NOT NULL, PRIMARY KEY(campaign, time)) WITHOUT ROWID;"
    "CREATE TABLE compilers(name TEXT PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL,"
    "  version TEXT NOT NULL, target TEXT NOT NULL, coverage TEXT NOT NULL,"
    "  coverage_cc TEXT NOT NULL, good_source TEXT NOT NULL, bad_source TEXT NOT NULL,"
    "  build TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE steps(position INTEGER PRIMARY KEY,"
    "  case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE, name TEXT NOT NULL,"
    "  state TEXT NOT NULL, result BLOB NOT NULL, started REAL NOT NULL, ended REAL NOT NULL,"
    "  UNIQUE(case_id, name));",
    /* 2: programs whose bug shows in the exit status */
    "ALTER TABLE cases ADD COLUMN code INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE cases ADD COLUMN reduced_code INTEGER NOT NULL DEFAULT 0;",
    /* 3: buckets of merged cases and tags are found without reading every text */
    "CREATE INDEX texts_own ON texts(case_id) WHERE member IN('aliases','tags');",
    /* 4: whose it is (ledger.h), and a number that every transaction moves */
    "CREATE TABLE identity(one INTEGER PRIMARY KEY CHECK(one=1), key TEXT NOT NULL,"
    "  generation INTEGER NOT NULL);"
    "INSERT INTO identity VALUES(1,lower(hex(randomblob(16))),0);",
};

/* The kept statements go with their connection. */
static void disconnect(Db *db) {
    for (size_t i = 0; i < db->kept.len; i++) sqlite3_finalize(db->kept.at[i].stmt);
    vec_clear(&db->kept);
    sqlite3_close(db->handle);
    db->handle = NULL;
}

static void db_close(Store *store) {
    Db *db = db_of(store);
    disconnect(db);
    vec_release(&db->kept);
    arena_release(&db->arena);
    mem_free(db->store.path);
    mem_free(db);
}

static bool check(Store *store, Error *err) {
    Db *db = db_of(store);
    sqlite3_stmt *stmt = sql_query(db, "PRAGMA integrity_check", err, "");
    if (!stmt) return false;
    bool failed, ok = sql_row(db, stmt, &failed, err) &&
                      strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") == 0;
    if (!ok && !failed)
        err_set(err, STATUS_BAD, "the store %s is damaged: %s", store->path,
                (const char *)sqlite3_column_text(stmt, 0));
    sql_done(stmt);
    return ok;
}

/* (SQLite's own data_version counts for one connection only.) */
static uint64_t generation(Store *store) {
    int64_t number = 0;
    sql_int(db_of(store), "SELECT generation FROM identity", 0, &number, NULL, "");
    return (uint64_t)number;
}

static bool key(Store *store, Arena *arena, Str *text, Error *err) {
    Db *db = db_of(store);
    bool failed = true;
    sqlite3_stmt *stmt = sql_query(db, "SELECT key FROM identity", err, "");
    *text = STR("");
    if (stmt && sql_row(db, stmt, &failed, err)) {
        *text = sql_str(arena, stmt, 0);
        sql_done(stmt);
    }
    return !failed;
}

const StoreOps sqlite_ops = {
    .close = db_close,
    .check = check,
    .generation = generation,
    .key = key,
    .case_put = sqlite_case_put,
    .case_get = sqlite_case_get,
    .case_set = sqlite_case_set,
    .case_remove = sqlite_case_remove,
    .case_merge = sqlite_case_merge,
    .case_list = sqlite_case_list,
    .case_has = sqlite_case_has,
    .campaign_find = sqlite_campaign_find,
    .campaign_new = sqlite_campaign_new,
    .campaign_list = sqlite_campaign_list,
    .campaign_set = sqlite_campaign_set,
    .seed_done = sqlite_seed_done,
    .seeds_done = sqlite_seeds_done,
    .seed_get = sqlite_seed_get,
    .samples = sqlite_samples,
    .coverage = sqlite_coverage,
    .compiler_put = sqlite_compiler_put,
    .compiler_remove = sqlite_compiler_remove,
    .compiler_list = sqlite_compiler_list,
    .step_put = sqlite_step_put,
    .steps = sqlite_steps,
};

/* ---- whose file it is ---- */

typedef struct Identity {
    int64_t application; /* application_id */
    int64_t version;     /* user_version: migrations applied */
    int64_t objects;     /* rows of sqlite_schema: 0 in a file nobody has used yet */
} Identity;

static bool identify(Db *db, Identity *who, Error *err) {
    return sql_int(db, "PRAGMA application_id", 0, &who->application, err, "") &&
           sql_int(db, "PRAGMA user_version", 0, &who->version, err, "") &&
           sql_int(db, "SELECT count(*) FROM sqlite_schema", 0, &who->objects, err, "");
}

/* The identity as of one moment, in a transaction of its own: another culprit may be making the
 * store right now. On failure *code is SQLite's. */
static bool identify_now(Db *db, Identity *who, int *code, Error *err) {
    if (!sql_exec(db, "BEGIN", err)) return *code = sqlite3_errcode(db->handle), false;
    bool ok = identify(db, who, err);
    *code = sqlite3_errcode(db->handle);
    return sql_end(db, ok, err);
}

static bool is_fresh(const Identity *who) {
    return who->application == 0 && who->version == 0 && who->objects == 0;
}

static bool accept(Db *db, const Identity *who, Error *err) {
    const char *path = db->store.path;
    if (is_fresh(who)) return true;
    if (who->application != APPLICATION_ID)
        return err_set(err, STATUS_BAD,
                       "%s is a database of another program, not a store of culprit", path);
    if (who->version > (int64_t)COUNT_OF(migrations) || who->version < 1)
        return err_set(err, STATUS_BAD,
                       "the store %s is of version %lld; this culprit reads up to %zu", path,
                       (long long)who->version, COUNT_OF(migrations));
    return true;
}

/* Applies the migrations that are missing, in one transaction: the identity is asked again inside
 * it, because another culprit may have been quicker. */
static bool migrate(Db *db, bool *made, Error *err) {
    Identity who;
    if (!sql_begin(db, err)) return false;
    bool ok = identify(db, &who, err) && accept(db, &who, err);
    *made = ok && is_fresh(&who);
    for (size_t v = ok ? (size_t)who.version : 0; ok && v < COUNT_OF(migrations); v++)
        ok = sql_exec(db, migrations[v], err);
    char stamp[128];
    snprintf(stamp, sizeof stamp, "PRAGMA application_id=%d; PRAGMA user_version=%zu;",
             APPLICATION_ID, COUNT_OF(migrations));
    return sql_end(db, ok && sql_exec(db, stamp, err), err);
}

/* ---- opening ---- */

static Db *db_new(const char *path, bool writable) {
    Db *db = mem_alloc(sizeof *db);
    db->store = (Store){ .ops = &sqlite_ops, .path = mem_strdup(path), .writable = writable };
    return db;
}

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

static bool has_log(Db *db) {
    struct stat st;
    return stat(arena_fmt(&db->arena, "%s-wal", db->store.path), &st) == 0 && st.st_size > 0;
}

static bool connect(Db *db, const char *name, int flags) {
    disconnect(db);
    int code = sqlite3_open_v2(name, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) return false;
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    /* Whoever wrote the file also wrote its schema: nothing of it runs on our behalf. */
    static const int off[] = { SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                               SQLITE_DBCONFIG_TRUSTED_SCHEMA };
    for (size_t i = 0; i < COUNT_OF(off); i++) sqlite3_db_config(db->handle, off[i], 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return true;
}

/* Two culprits that make the same store at once: SQLite answers the change of mode with "busy"
 * without waiting, so the waiting is done here. */
static bool use_wal(Db *db, Error *err) {
    int code = SQLITE_OK;
    for (int tries = 0; tries < 500; tries++) {
        code = sqlite3_exec(db->handle, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if (code != SQLITE_BUSY) break;
        usleep(10000);
    }
    return code == SQLITE_OK || sql_fail(db, err);
}

static bool finish_write(Db *db, Error *err) {
    Identity who;
    int code;
    if (!identify_now(db, &who, &code, err) || !accept(db, &who, err)) return false;
    if (sqlite3_db_readonly(db->handle, "main") == 1)
        return err_set(err, STATUS_BAD, "the store %s is read-only: it can be read, not written",
                       db->store.path);
    if (!use_wal(db, err) || !sql_exec(db, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON", err))
        return false;
    return who.version == (int64_t)COUNT_OF(migrations) || migrate(db, &db->store.made, err);
}

static bool finish_read(Db *db, Error *err) {
    Identity who;
    const char *path = db->store.path;
    int code;
    Error first = { 0 }; /* is no error when the second way works */
    if (!identify_now(db, &who, &code, &first)) {
        if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || has_log(db)) {
            if (err) *err = first;
            return false;
        }
        const char *uri = immutable_uri(&db->arena, path);
        if (!connect(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)) return sql_fail(db, err);
        if (!identify_now(db, &who, &code, err)) return false;
    }
    if (!accept(db, &who, err)) return false;
    if (who.version == (int64_t)COUNT_OF(migrations)) return true;
    if (is_fresh(&who)) return err_set(err, STATUS_BAD, "the store %s is empty yet", path);
    return err_set(err, STATUS_BAD,
                   "the store %s was written by an older culprit; 'culprit cases --upgrade' brings "
                   "it up to date",
                   path);
}

/* The file beside path that is to become it; NULL where none can be made. */
static char *open_beside(Db *db, const char *path) {
    char *beside = arena_fmt(&db->arena, "%s.XXXXXX", path);
    int fd = mkstemp(beside);
    if (fd < 0) return NULL;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0644 & ~mask); /* as SQLite makes its own */
    close(fd);
    return beside;
}

/* Gives it its name, unless another culprit was quicker: then that one's is the store. */
static bool take_name(const char *beside, const char *path) {
    if (renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_NOREPLACE) == 0) return true;
    return errno != EEXIST && link(beside, path) == 0; /* file systems that know no such rename */
}

/* A whole store at path, with nothing in it: by a journal that is rolled back, since what is still
 * in a WAL has no way to another name. Where there cannot be a file beside it, opening says why. */
static bool make_whole(Db *db, const char *path, bool *made, Error *err) {
    sigset_t before;
    file_hold_signals(&before);
    char *beside = open_beside(db, path);
    if (!beside) return file_let_signals(&before), true;
    bool fresh, ok = connect(db, beside, SQLITE_OPEN_READWRITE) || sql_fail(db, err);
    ok = ok && sql_exec(db, "PRAGMA synchronous=FULL", err) && migrate(db, &fresh, err);
    disconnect(db);
    *made = ok && take_name(beside, path);
    unlink(beside);
    unlink(arena_fmt(&db->arena, "%s-journal", beside));
    file_let_signals(&before);
    return ok;
}

Store *sqlite_store_open(const char *path, StoreMode mode, Error *err) {
    bool write = mode == STORE_WRITE, made = false;
    Db *db = db_new(path, write);
    bool ok = !write || file_exists(path) || make_whole(db, path, &made, err);
    if (ok && !connect(db, path,
                       write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY))
        ok = sql_fail(db, err);
    ok = ok && (write ? finish_write(db, err) : finish_read(db, err));
    db->store.made |= made;
    if (ok) sqlite_case_statements(db);
    if (ok) return &db->store;
    db_close(&db->store);
    return NULL;
}

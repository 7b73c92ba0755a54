/* The store's front: chooses the kind of database, opens it, and says whose it is. Its contents are
 * handled in the *_rows.c files. */
#include "store/store.h"

#include "base/file.h"
#include "base/homes.h"
#include "store/ledger.h"
#include "store/sql.h"

#include <stdlib.h>
#include <time.h>

/* ---- the members of a case ---- */

#define SHORT(member) { #member, offsetof(Case, member), false }
#define LARGE(member) { #member, offsetof(Case, member), true }
const CaseMember case_members[] = {
    SHORT(compiler),     SHORT(version),         SHORT(kind),
    SHORT(target),       SHORT(flags),           SHORT(good_flags),
    SHORT(verdict),      SHORT(signature),       SHORT(bucket),
    SHORT(matters),      SHORT(seed_name),       SHORT(title),
    LARGE(seed),         LARGE(variant),         LARGE(input),
    LARGE(expected),     LARGE(actual),          LARGE(snippets),
    LARGE(reduced_seed), LARGE(reduced_variant), LARGE(reduced_expected),
    LARGE(matrix),       LARGE(versions),        LARGE(rankings),
    LARGE(explanations), LARGE(notes),           LARGE(units),
    LARGE(tags),         LARGE(undefined),       LARGE(original),
    LARGE(aliases),
};
const size_t case_member_count = COUNT_OF(case_members);

const CaseMember *case_member(const char *name) {
    for (size_t i = 0; i < case_member_count; i++)
        if (strcmp(case_members[i].name, name) == 0) return &case_members[i];
    return NULL;
}

/* ---- opening ---- */

const char *store_default_path(Arena *arena, Error *err) {
    const char *own = getenv("CULPRIT_STORE");
    if (own && *own) return arena_strdup(arena, own);
    const char *dir = home_of(arena, HOME_DATA, err);
    return dir ? file_join(arena, dir, "cases.db") : NULL;
}

/* The directory for path, created if missing. */
static bool make_parent(const char *path, Error *err) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) return true;
    Arena arena = { 0 };
    bool ok = file_make_dirs(arena_cstr(&arena, (Str){ path, (size_t)(slash - path) }), err);
    arena_release(&arena);
    return ok;
}

/* The random number that it got when it was made. */
bool store_key(Store *store, Arena *arena, Str *text, Error *err) {
    bool failed = true;
    SqlStmt *stmt = sql_query(store, "SELECT key FROM identity", err, "");
    *text = STR("");
    if (stmt && sql_row(store, stmt, &failed, err)) {
        *text = sql_get_str(arena, store, stmt, 0);
        sql_done(store, stmt);
    }
    return !failed;
}

/* It is recorded as the user's own. */
static bool make_own(Store *store, Error *err) {
    Arena arena = { 0 };
    Str key;
    bool ok = store_key(store, &arena, &key, err) && ledger_add(key, store->path, err);
    arena_release(&arena);
    return ok;
}

static Store *open_file(const char *path, StoreMode mode, Error *err) {
    if (!*path)
        err_set(err, STATUS_BAD, "the name of the store is empty");
    else if (strstr(path, "://"))
        err_set(err, STATUS_BAD,
                "the store %s: a store is a file, or begins with postgresql:// or postgres://",
                path);
    else if (file_is_dir(path))
        err_set(err, STATUS_BAD, "the store %s is a directory", path);
    else if (mode == STORE_READ && !file_exists(path))
        err_set(err, STATUS_BAD,
                "no store at %s yet; 'culprit hunt' makes it, --store names another", path);
    else if (mode == STORE_READ || make_parent(path, err))
        return sqlite_open(path, mode, err);
    return NULL;
}

Store *store_open(const char *path, StoreMode mode, Error *err) {
    Arena arena = { 0 };
    if (!path) path = store_default_path(&arena, err);
    Store *store = !path                   ? NULL
                   : postgres_is_url(path) ? postgres_open(path, mode, err)
                                           : open_file(path, mode, err);
    if (store && !schema_ready(store, err)) store_close(store), store = NULL;
    if (store) case_statements(store);
    if (store && store->made) make_own(store, NULL); /* without a home, for this process alone */
    arena_release(&arena);
    return store;
}

bool store_is_server(const char *path) {
    return postgres_is_url(path);
}

bool store_exists(const char *path) {
    if (!postgres_is_url(path)) return file_exists(path);
    Store *store = store_open(path, STORE_READ, NULL);
    store_close(store);
    return store != NULL;
}

void store_close(Store *store) {
    if (store) store->driver->close(store);
}

const char *store_path(const Store *store) {
    return store->path;
}

double store_spent(const Store *store) {
    return store->spent_s;
}

double store_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool store_check(Store *store, Error *err) {
    return store->driver->check(store, err);
}

uint64_t store_generation(Store *store) {
    int64_t number = 0;
    sql_int(store, store->driver->generation, 0, &number, NULL, "");
    return (uint64_t)number;
}

/* ---- whose it is ---- */

bool store_is_own(Store *store) {
    Arena arena = { 0 };
    Str key;
    bool own = store_key(store, &arena, &key, NULL) && ledger_knows(key, store->path);
    arena_release(&arena);
    return own;
}

bool store_may_run(Store *store, bool trust, const char *what, Error *err) {
    if (store_is_own(store)) return true;
    if (trust) return make_own(store, NULL), true; /* where it cannot be recorded: just this once */
    Arena arena = { 0 };
    Error no_home = { 0 };
    bool home = home_of(&arena, HOME_CONFIG, &no_home) != NULL;
    arena_release(&arena);
    if (!home)
        return err_set(err, STATUS_LACKS,
                       "%s; so culprit cannot tell whether the store %s is yours, and this would run "
                       "what it names: %.300s; --trust runs it",
                       no_home.text, store->path, what);
    return err_set(err, STATUS_BAD,
                   "the store %s was not written by you, and this would run what it names: %.500s; "
                   "look at it ('culprit show'), then allow it with --trust",
                   store->path, what);
}

/* ---- cases ---- */

Str store_number(Arena *arena, int64_t number) {
    return str_from(arena_fmt(arena, "%lld", (long long)number));
}

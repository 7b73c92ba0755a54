/* The thin layer between the store and SQLite: statements kept prepared, values bound by a format,
 * transactions, and SQLite's failures in words a user can act on. Used by the sqlite_*.c files
 * only. */
#ifndef CULPRIT_STORE_SQL_H
#define CULPRIT_STORE_SQL_H

#include "store/store_ops.h"
#include <sqlite3.h>

typedef struct SqlKept {
    const char *text;   /* the statement; its address is the key */
    sqlite3_stmt *stmt; /* prepared, reset and unbound while not in use */
} SqlKept;

typedef struct Db {
    Store store; /* first: a Store is cast to its Db */
    sqlite3 *handle;
    bool writing;             /* between sql_begin and sql_end */
    VEC(SqlKept) kept;        /* statements prepared so far */
    Arena arena;              /* statement texts built at run time */
    const char *case_columns; /* "id,campaign,..,title": what a row of cases is read by */
    const char *case_insert;  /* INSERT with a place for each column but id */
    const char *case_replace; /* UPDATE of the example's columns */
} Db;

static inline Db *db_of(Store *store) {
    return (Db *)(void *)store;
}

/* Fills err from the handle's last failure and returns false. */
bool sql_fail(Db *db, Error *err);
bool sql_exec(Db *db, const char *script, Error *err); /* no values, no rows */

/* Prepares (once: text must stay where it is) and binds. One letter of format a value:
 *   i int64_t   r double   s Str as text   b Str as BLOB   z const char *, NULL is NULL
 * NULL on failure. Then sql_row until it is false, then sql_done. */
sqlite3_stmt *sql_query(Db *db, const char *text, Error *err, const char *format, ...);
/* True when there is a row; at the end or on failure false, *failed (may be NULL) says which. The
 * statement is reset then. */
bool sql_row(Db *db, sqlite3_stmt *stmt, bool *failed, Error *err);
void sql_done(sqlite3_stmt *stmt); /* when leaving before the last row */
/* A statement that gives no rows. */
bool sql_run(Db *db, const char *text, Error *err, const char *format, ...);
/* The first column of the first row; fallback when there is none. */
bool sql_int(Db *db, const char *text, int64_t fallback, int64_t *value, Error *err,
             const char *format, ...);

Str sql_str(Arena *arena, sqlite3_stmt *stmt, int column); /* text or BLOB, copied */

/* Every write stands between these two: begin takes the write lock; end commits when ok, else takes
 * everything back, and returns whether all is committed. */
bool sql_begin(Db *db, Error *err);
bool sql_end(Db *db, bool ok, Error *err);

/* The operations, by file. */
extern const StoreOps sqlite_ops;
bool sqlite_case_put(Store *, const Case *, int64_t *, bool *, Error *);
bool sqlite_case_put_in(Db *, const Case *, int64_t *, bool *, Error *); /* within a transaction */
bool sqlite_case_get(Store *, Arena *, int64_t, Case *, Error *);
bool sqlite_case_set(Store *, int64_t, const CaseSet *, size_t, Error *);
bool sqlite_case_remove(Store *, int64_t, Error *);
bool sqlite_case_merge(Store *, int64_t, int64_t, Error *);
bool sqlite_case_list(Store *, Arena *, const CaseFilter *, Case **, size_t *, uint64_t *, Error *);
bool sqlite_case_has(Store *, const int64_t *, size_t, const char *const *, size_t, uint32_t *,
                     Error *);
void sqlite_case_statements(Db *); /* builds the texts of Db */
bool sqlite_campaign_find(Store *, Str, int64_t *, Error *);
bool sqlite_campaign_new(Store *, Str, int64_t *, Error *);
bool sqlite_campaign_list(Store *, Arena *, int64_t, Campaign **, size_t *, Error *);
bool sqlite_campaign_set(Store *, int64_t, Str, Str, Error *);
bool sqlite_seed_done(Store *, int64_t, const SeedDone *, const Case *, size_t, int64_t *, bool *,
                      Error *);
bool sqlite_seeds_done(Store *, Arena *, int64_t, uint64_t **, size_t *, Error *);
bool sqlite_seed_get(Store *, Arena *, int64_t, uint64_t, SeedDone *, Error *);
bool sqlite_samples(Store *, Arena *, int64_t, Sample **, size_t *, Error *);
bool sqlite_coverage(Store *, int64_t, double, Error *);
bool sqlite_compiler_put(Store *, const KnownCompiler *, Error *);
bool sqlite_compiler_remove(Store *, const char *, Error *);
bool sqlite_compiler_list(Store *, Arena *, const char *, KnownCompiler **, size_t *, Error *);
bool sqlite_step_put(Store *, const CaseStep *, Error *);
bool sqlite_steps(Store *, Arena *, int64_t, CaseStep **, size_t *, Error *);

#endif

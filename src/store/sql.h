/* One SQL for the kinds of database that a store may be in: statements kept prepared, values bound
 * by a format, transactions that are tried again, and failures in words a user can act on.
 *
 * What the store means (merging, sums, claims, migrations) is written once, in this SQL: what
 * SQLite and PostgreSQL both understand, ? as placeholders, and {words} for the few things they
 * spell differently (sql_words in each driver; `{key bucket}`, `{find A; B}`). A driver is a table
 * of functions over one connection. Used in this room only. */
#ifndef CULPRIT_STORE_SQL_H
#define CULPRIT_STORE_SQL_H

#include "store/store.h"

/* ---- knobs ---- */
#define SQL_AWAY_S 60.0   /* a server may be silent this long before we give up .. */
#define SQL_OPEN_S 10.0   /* .. one that was never heard of, this long .. */
#define SQL_BUSY_S 600.0  /* .. one that answers that it recovers or is full, this long in all */
#define SQL_PAUSE_S 1.0   /* between two tries to reach it, at most */
#define SQL_AGAIN_MOST 40 /* tries of a transaction that conflicts with others */
#define SQL_SHARDS 64     /* rows that sums are spread over where many write at once */

typedef struct SqlValue {
    char kind; /* i int64_t   r double   s Str as text   b Str as bytes   0 NULL */
    int64_t i;
    double r;
    Str s;
} SqlValue;
enum { SQL_VALUES_MOST = 40 };

typedef struct SqlStmt {
    const char *text; /* as the store wrote it; its address is the key */
    void *native;     /* the driver's */
} SqlStmt;

/* Why the last call failed, as far as trying again goes. */
typedef enum SqlTrouble {
    SQL_FINAL, /* trying again is pointless */
    SQL_AGAIN, /* somebody else was in the way: a deadlock, a conflict */
    SQL_LOST,  /* the connection is gone */
} SqlTrouble;

typedef struct SqlWord {
    const char *name;
    const char *text; /* %1 and %2: what follows the name, separated by ';' */
} SqlWord;

/* Failures fill err, set store->trouble and return false, NULL or -1. */
typedef struct SqlDriver {
    const SqlWord *words; /* ends with a name of NULL */
    bool numbered;        /* places for values are $1, $2 */
    const char *lock;     /* statement that takes a lock by name; NULL: writers are alone anyway */
    const char *generation; /* a number that every transaction changes */
    const char *touch;      /* statement before a commit that changes it; NULL: none is needed */
    void (*close)(Store *);
    bool (*check)(Store *, Error *);
    bool (*exec)(Store *, const char *script, Error *);
    void *(*prepare)(Store *, const char *text, Error *);
    void (*forget)(void *native);
    bool (*start)(Store *, void *native, const SqlValue *, size_t n, Error *);
    int (*step)(Store *, void *native, Error *); /* 1 a row, 0 the end */
    void (*reset)(void *native);
    int64_t (*get_int)(void *native, int column); /* NULL is 0 */
    double (*get_real)(void *native, int column);
    Str (*get_str)(void *native, int column); /* text or bytes, until the next step */
    int64_t (*changes)(Store *);              /* rows the last statement changed */
    bool (*begin)(Store *, bool writes, Error *);
    bool (*commit)(Store *, Error *);
    void (*rollback)(Store *);
    bool (*version)(Store *, int64_t *, Error *); /* migrations it has been through; 0: fresh */
    bool (*stamp)(Store *, int64_t, Error *);
    bool (*reconnect)(Store *, Error *); /* after SQL_LOST; NULL: cannot be lost */
} SqlDriver;

struct Store {
    const SqlDriver *driver;
    void *link;     /* the driver's connection */
    char *path;     /* for people, without a password; owned */
    bool writable;  /* opened with STORE_WRITE */
    bool made;      /* created by this opening: there was none */
    bool inside;    /* a transaction */
    int64_t shard;  /* this connection's shard of the sums */
    double spent_s; /* wall time in statements and transactions */
    int64_t course; /* the campaign that `began` is of; 0: none yet */
    double began;   /* when it was started */
    SqlTrouble trouble;
    bool answered;            /* the last connection that failed was refused by the server itself */
    VEC(SqlStmt *) kept;      /* statements prepared so far */
    Arena arena;              /* statement texts built at run time */
    const char *case_columns; /* "id,campaign,..,title": the columns of a row of cases */
    const char *case_insert;  /* INSERT with a place for each column but id */
    const char *case_replace; /* UPDATE of the example's columns */
};

/* Neither looks at the schema. NULL and err when it cannot be opened. */
Store *sqlite_open(const char *path, StoreMode mode, Error *err);
Store *postgres_open(const char *url, StoreMode mode, Error *err);
bool postgres_is_url(const char *path);
Store *sql_store_new(const SqlDriver *driver, const char *path, bool writable);
void sql_store_free(Store *store);

/* ---- statements ---- */
/* In the driver's own words; memory: buf's. */
void sql_translate(const SqlDriver *driver, Str text, Buf *out);
bool sql_exec(Store *store, const char *script, Error *err); /* no values, no rows */
/* Prepares (once: text must stay where it is) and binds. One letter of format per value, as in
 * SqlValue, and z: const char *, as text, NULL is NULL. NULL on failure. Then sql_row until it is
 * false, or sql_done. */
SqlStmt *sql_query(Store *store, const char *text, Error *err, const char *format, ...);
/* The same with values in an array. */
SqlStmt *sql_query_values(Store *store, const char *text, const SqlValue *values, size_t n,
                          Error *err);
/* True when there is a row; at the end or on failure false, *failed (may be NULL) says which. The
 * statement is reset then. */
bool sql_row(Store *store, SqlStmt *stmt, bool *failed, Error *err);
void sql_done(Store *store, SqlStmt *stmt); /* when leaving before the last row */
/* A statement that gives no rows. */
bool sql_run(Store *store, const char *text, Error *err, const char *format, ...);
bool sql_run_values(Store *store, const char *text, const SqlValue *values, size_t n, Error *err);
/* The first column of the first row; fallback when there is none. */
bool sql_int(Store *store, const char *text, int64_t fallback, int64_t *value, Error *err,
             const char *format, ...);
int64_t sql_get_int(const Store *store, const SqlStmt *stmt, int column);
double sql_get_real(const Store *store, const SqlStmt *stmt, int column);
Str sql_get_str(Arena *arena, const Store *store, const SqlStmt *stmt, int column); /* copied */
int64_t sql_changes(Store *store);
/* A text that stays: the same one for the same words. */
const char *sql_keep(Store *store, const char *text);

static inline SqlValue sql_text(Str s) {
    return (SqlValue){ .kind = 's', .s = s };
}
static inline SqlValue sql_number(int64_t i) {
    return (SqlValue){ .kind = 'i', .i = i };
}
static inline SqlValue sql_real(double r) {
    return (SqlValue){ .kind = 'r', .r = r };
}

/* ---- transactions ---- */
/* What to write, all or nothing. May be called again from its beginning after a conflict or when
 * the server went away, so it must set its results and not add to them. */
typedef bool SqlBody(Store *store, void *arg, Error *err);
/* Refuses where the store is open for reading. True: committed, once. */
bool sql_transact(Store *store, SqlBody *body, void *arg, Error *err);
/* Several reads from one snapshot. */
bool sql_snapshot(Store *store, SqlBody *body, void *arg, Error *err);
/* How long a server that went away is waited for: the same for everybody who waits. */
typedef struct SqlPatience {
    double since, heard; /* waiting began; the server last said something */
    double away_s;       /* silence that is borne */
    double pause;        /* before the next try */
} SqlPatience;
SqlPatience sql_patience(double away_s);
/* After a try that failed: pauses, longer each time. False: it was too long, or the user stops. */
bool sql_wait(const Store *store, SqlPatience *patience);
/* Within a transaction: nobody else holds the lock of that name until its end. */
bool sql_lock(Store *store, Str name, Error *err);

/* ---- the schema (schema.c) ---- */
/* Migrates (a writer) or refuses what is not up to date (a reader). */
bool schema_ready(Store *store, Error *err);
extern const int64_t schema_version;
bool store_key(Store *store, Arena *arena, Str *key, Error *err); /* of the ledger */

/* ---- what the files of rows share ---- */
void case_statements(Store *store); /* builds the texts of Store */
/* How many cases of a campaign a transaction adds, told to campaign_count at its end. */
typedef struct CaseTally {
    int64_t added;   /* to those there are */
    int64_t adopted; /* of no campaign before, and now the campaign's */
} CaseTally;
/* Within a transaction. id: the case; is_new (may be NULL); tally: added to. */
bool case_put_in(Store *, const Case *, int64_t *id, bool *is_new, CaseTally *, Error *);
/* The last thing of a transaction: what it locks, nobody holds who waits for anything else. */
bool campaign_count(Store *, int64_t campaign, CaseTally tally, Error *);
/* course_rows.c, likewise. */
bool course_add(Store *, int64_t campaign, const SeedDone *, const CampaignTotals *, Error *);
bool course_copy(Store *from, Store *to, int64_t campaign, int64_t there, int64_t shard, Error *);
bool case_lock(Store *, int64_t id, Error *);
bool case_fetch_in(Store *, Arena *, int64_t id, Case *, Error *);
bool case_set_in(Store *, int64_t id, const CaseSet *, size_t n, Error *);
bool worker_is_gone(Str worker); /* it was on this machine, and is no more */
/* unit_rows.c, within a transaction: the lowest unit below the ask's limit that is free becomes the
 * worker's; *end stays as it is where there is none. The plan's budget is not looked at. */
bool unit_take_free(Store *store, const UnitAsk *ask, uint64_t *number, uint64_t *tries,
                    UnitEnd *end, Error *err);
bool no_campaign(const Store *, int64_t id, Error *); /* says so: false */

/* The Str members of a Case by name: how sets, rows and texts find them. */
typedef struct CaseMember {
    const char *name; /* the member, and the column or the text's name */
    size_t offset;    /* in Case */
    bool large;       /* a row of its own */
} CaseMember;
extern const CaseMember case_members[];
extern const size_t case_member_count;
const CaseMember *case_member(const char *name); /* NULL: there is none */
static inline Str *case_member_at(const Case *c, const CaseMember *m) {
    return (Str *)(void *)((const char *)c + m->offset);
}

#endif

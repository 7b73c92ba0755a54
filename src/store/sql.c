/* Statements and transactions over any driver; see sql.h. */
#include "store/sql.h"

#include "base/quantity.h"
#include "run/run.h"

#include <time.h>
#include <unistd.h>

Store *sql_store_new(const SqlDriver *driver, const char *path, bool writable) {
    Store *store = mem_alloc(sizeof *store);
    *store = (Store){ .driver = driver, .path = mem_strdup(path), .writable = writable };
    return store;
}

void sql_store_free(Store *store) {
    for (size_t i = 0; i < store->kept.len; i++) {
        store->driver->forget(store->kept.at[i]->native);
        mem_free(store->kept.at[i]);
    }
    vec_release(&store->kept);
    arena_release(&store->arena);
    mem_free(store->path);
    mem_free(store);
}

/* ---- words ---- */

typedef struct Translation {
    const SqlDriver *driver;
    unsigned places; /* for values, so far */
} Translation;

static void translate(Translation *t, Str text, Buf *out);

static const char *word_text(const SqlDriver *driver, Str name) {
    for (const SqlWord *w = driver->words; w->name; w++)
        if (str_is(name, w->name)) return w->text;
    die_bug(__FILE__, __LINE__, "no word {" STR_FMT "}", STR_ARG(name));
}

/* inner: "find ?; {line body}". Arguments are translated in their order, wherever they go. */
static void translate_word(Translation *t, Str inner, Buf *out) {
    size_t space = str_find(inner, STR(" "), 0);
    Str name = space == STR_NONE ? inner : str_sub(inner, 0, space);
    Str rest = space == STR_NONE ? STR("") : str_sub(inner, space + 1, inner.len), part;
    Buf args[2] = { { 0 }, { 0 } };
    for (size_t i = 0; i < 2 && rest.len && str_split(&rest, ';', &part); i++)
        translate(t, str_trim(part), &args[i]);
    for (const char *c = word_text(t->driver, name); *c; c++)
        if (*c == '%' && (c[1] == '1' || c[1] == '2'))
            buf_str(out, buf_view(&args[*++c - '1']));
        else
            buf_char(out, *c);
    buf_release(&args[0]), buf_release(&args[1]);
}

static size_t closing(Str text, size_t at) {
    unsigned depth = 0;
    for (; at < text.len; at++) {
        depth += text.at[at] == '{';
        depth -= text.at[at] == '}';
        if (!depth) return at;
    }
    die_bug(__FILE__, __LINE__, "a word without its end: " STR_FMT, STR_ARG(text));
}

static void translate(Translation *t, Str text, Buf *out) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '{') {
            size_t end = closing(text, i);
            translate_word(t, str_sub(text, i + 1, end), out);
            i = end;
        } else if (text.at[i] == '?' && t->driver->numbered)
            buf_fmt(out, "$%u", ++t->places);
        else
            buf_char(out, text.at[i]);
    }
}

void sql_translate(const SqlDriver *driver, Str text, Buf *out) {
    Translation t = { .driver = driver };
    translate(&t, text, out);
    buf_text(out, "");
}

/* ---- the server goes away and comes back ---- */

static void sleep_s(double s) {
    struct timespec t = { (time_t)s, (long)((s - (double)(time_t)s) * 1e9) };
    nanosleep(&t, NULL);
}

/* Between half of it and all of it: those who collided once do not collide again. */
static double jitter(double s) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t mix = ((uint64_t)now.tv_nsec ^ (uint64_t)getpid() * 2654435761u) % 1000;
    return s * (0.5 + (double)mix / 2000);
}

SqlPatience sql_patience(double away_s) {
    double now = clock_now();
    return (SqlPatience){ .since = now, .heard = now, .away_s = away_s, .pause = 0.02 };
}

bool sql_wait(const Store *store, SqlPatience *p) {
    double now = clock_now();
    if (store->answered) p->heard = now, p->away_s = SQL_AWAY_S;
    if (now - p->heard >= p->away_s || now - p->since >= SQL_BUSY_S || run_interrupted())
        return false;
    sleep_s(jitter(p->pause));
    p->pause = p->pause * 2 < SQL_PAUSE_S ? p->pause * 2 : SQL_PAUSE_S;
    return true;
}

/* Waits until it is back. */
static bool wait_for_server(Store *store, Error *err) {
    Error why = { 0 };
    if (!store->driver->reconnect) return false;
    SqlPatience patience = sql_patience(SQL_AWAY_S);
    do {
        if (store->driver->reconnect(store, &why)) return true;
        if (store->trouble != SQL_LOST) return *err = why, false;
    } while (sql_wait(store, &patience));
    return err_set(err, STATUS_LACKS,
                   "the store %s could not be reached for %.0f s (%.300s); run the same command "
                   "again, which repeats what was not written",
                   store->path, clock_now() - patience.since, why.text);
}

/* Whether another try makes sense; waits before it. */
static bool try_again(Store *store, unsigned tries, Error *err) {
    if (tries >= SQL_AGAIN_MOST) return false;
    if (store->trouble == SQL_LOST) return wait_for_server(store, err);
    if (store->trouble != SQL_AGAIN || run_interrupted()) return false;
    sleep_s(jitter(tries < 8 ? 0.002 * (double)(1u << tries) : 0.5));
    return true;
}

/* ---- statements ---- */

bool sql_exec(Store *store, const char *script, Error *err) {
    Buf text = { 0 };
    sql_translate(store->driver, str_from(script), &text);
    bool ok = store->driver->exec(store, text.at, err);
    buf_release(&text);
    return ok;
}

static SqlStmt *prepare(Store *store, const char *text, Error *err) {
    for (size_t i = 0; i < store->kept.len; i++)
        if (store->kept.at[i]->text == text) return store->kept.at[i];
    Buf native = { 0 };
    sql_translate(store->driver, str_from(text), &native);
    void *made = store->driver->prepare(store, native.at, err);
    buf_release(&native);
    if (!made) return NULL;
    SqlStmt *stmt = mem_alloc(sizeof *stmt);
    *stmt = (SqlStmt){ .text = text, .native = made };
    vec_push(&store->kept, stmt);
    return stmt;
}

/* Outside a transaction nothing depends on the connection: it is reopened. */
static bool start(Store *store, SqlStmt *stmt, const SqlValue *values, size_t n, Error *err) {
    for (unsigned tries = 0;; tries++) {
        Error why = { 0 };
        store->trouble = SQL_FINAL;
        if (store->driver->start(store, stmt->native, values, n, &why)) return true;
        if (store->inside || !try_again(store, tries, &why)) {
            if (err) *err = why;
            return false;
        }
    }
}

SqlStmt *sql_query_values(Store *store, const char *text, const SqlValue *values, size_t n,
                          Error *err) {
    SqlStmt *stmt = prepare(store, text, err);
    if (!stmt) return NULL;
    double began = clock_now();
    bool ok = start(store, stmt, values, n, err);
    if (!store->inside) store->spent_s += clock_now() - began;
    if (ok) return stmt;
    sql_done(store, stmt);
    return NULL;
}

static size_t take_values(SqlValue *values, const char *format, va_list *args) {
    size_t n = 0;
    for (; format[n]; n++) {
        CHECK(n < SQL_VALUES_MOST);
        values[n] = (SqlValue){ .kind = format[n] };
        const char *text;
        switch (format[n]) {
        case 'i': values[n].i = va_arg(*args, int64_t); break;
        case 'r': values[n].r = va_arg(*args, double); break;
        case 's':
        case 'b': values[n].s = va_arg(*args, Str); break;
        case 'z':
            text = va_arg(*args, const char *);
            values[n] = (SqlValue){ .kind = text ? 's' : 0, .s = str_from(text) };
            break;
        default: die_bug(__FILE__, __LINE__, "format letter '%c'", format[n]);
        }
    }
    return n;
}

#define TAKE_VALUES(values, n, format)                                                             \
    SqlValue values[SQL_VALUES_MOST];                                                              \
    va_list args;                                                                                  \
    va_start(args, format);                                                                        \
    size_t n = take_values(values, format, &args);                                                 \
    va_end(args)

SqlStmt *sql_query(Store *store, const char *text, Error *err, const char *format, ...) {
    TAKE_VALUES(values, n, format);
    return sql_query_values(store, text, values, n, err);
}

bool sql_row(Store *store, SqlStmt *stmt, bool *failed, Error *err) {
    int code = store->driver->step(store, stmt->native, err);
    if (failed) *failed = code < 0;
    if (code <= 0) sql_done(store, stmt);
    return code > 0;
}

void sql_done(Store *store, SqlStmt *stmt) {
    store->driver->reset(stmt->native);
}

static bool run_out(Store *store, SqlStmt *stmt, Error *err) {
    bool failed = false;
    if (!stmt) return false;
    while (sql_row(store, stmt, &failed, err)) continue;
    return !failed;
}

bool sql_run(Store *store, const char *text, Error *err, const char *format, ...) {
    TAKE_VALUES(values, n, format);
    return run_out(store, sql_query_values(store, text, values, n, err), err);
}

bool sql_run_values(Store *store, const char *text, const SqlValue *values, size_t n, Error *err) {
    return run_out(store, sql_query_values(store, text, values, n, err), err);
}

bool sql_int(Store *store, const char *text, int64_t fallback, int64_t *value, Error *err,
             const char *format, ...) {
    TAKE_VALUES(values, n, format);
    SqlStmt *stmt = sql_query_values(store, text, values, n, err);
    if (!stmt) return false;
    bool failed;
    *value = fallback;
    if (sql_row(store, stmt, &failed, err)) {
        *value = sql_get_int(store, stmt, 0);
        return run_out(store, stmt, err); /* a statement that changes data must run to its end */
    }
    return !failed;
}

int64_t sql_get_int(const Store *store, const SqlStmt *stmt, int column) {
    return store->driver->get_int(stmt->native, column);
}

double sql_get_real(const Store *store, const SqlStmt *stmt, int column) {
    return store->driver->get_real(stmt->native, column);
}

Str sql_get_str(Arena *arena, const Store *store, const SqlStmt *stmt, int column) {
    return arena_str(arena, store->driver->get_str(stmt->native, column));
}

int64_t sql_changes(Store *store) {
    return store->driver->changes(store);
}

const char *sql_keep(Store *store, const char *text) {
    for (size_t i = 0; i < store->kept.len; i++)
        if (strcmp(store->kept.at[i]->text, text) == 0) return store->kept.at[i]->text;
    return arena_strdup(&store->arena, text);
}

/* ---- transactions ---- */

static bool once(Store *store, bool writes, SqlBody *body, void *arg, Error *err) {
    const SqlDriver *d = store->driver;
    store->trouble = SQL_FINAL;
    if (!d->begin(store, writes, err)) return false;
    store->inside = true;
    bool ok = body(store, arg, err);
    if (ok && writes && d->touch) ok = sql_run(store, d->touch, err, "");
    SqlTrouble trouble = store->trouble;
    if (ok) ok = d->commit(store, err), trouble = store->trouble;
    if (!ok) d->rollback(store);
    store->inside = false;
    store->trouble = trouble;
    return ok;
}

static bool transact(Store *store, bool writes, SqlBody *body, void *arg, Error *err) {
    CHECK(!store->inside);
    double began = clock_now();
    Error why = { 0 };
    bool ok = once(store, writes, body, arg, &why);
    for (unsigned tries = 0; !ok && try_again(store, tries, &why); tries++) {
        why = (Error){ 0 };
        ok = once(store, writes, body, arg, &why);
    }
    if (!ok && err) *err = why;
    store->spent_s += clock_now() - began;
    return ok;
}

bool sql_transact(Store *store, SqlBody *body, void *arg, Error *err) {
    if (!store->writable)
        return err_set(err, STATUS_BAD, "the store %s is open for reading only", store->path);
    return transact(store, true, body, arg, err);
}

bool sql_snapshot(Store *store, SqlBody *body, void *arg, Error *err) {
    return transact(store, false, body, arg, err);
}

bool sql_lock(Store *store, Str name, Error *err) {
    return !store->driver->lock || sql_run(store, store->driver->lock, err, "b", name);
}

/* A store of its own for each test, in a directory that is removed afterwards; or, beside a server
 * (with-postgres), in a database of its own. */
#ifndef CULPRIT_TESTS_STORE_FIXTURE_H
#define CULPRIT_TESTS_STORE_FIXTURE_H

#include "base/file.h"
#include "store/store.h"
#include "test.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Fixture {
    Arena arena;
    char dir[64];
    char *path; /* of the store */
    Error err;
} Fixture;

static inline bool on_server(void) {
    return getenv("CULPRIT_TEST_SOCKET") != NULL;
}

/* Another store that is not there yet. */
static inline char *fixture_path(Fixture *f, const char *name) {
    static unsigned count;
    const char *socket = getenv("CULPRIT_TEST_SOCKET");
    if (!socket) return file_join(&f->arena, f->dir, name);
    unsigned number = (unsigned)getpid() * 1000 + count++;
    PGconn *conn =
        PQconnectdb(arena_fmt(&f->arena, "postgresql:///postgres?host=%s&user=culprit", socket));
    PGresult *made = PQexec(conn, arena_fmt(&f->arena, "CREATE DATABASE t%u", number));
    if (PQresultStatus(made) != PGRES_COMMAND_OK) fail_msg("%s", PQerrorMessage(conn));
    PQclear(made);
    PQfinish(conn);
    return arena_fmt(&f->arena, "postgresql:///t%u?host=%s&user=culprit", number, socket);
}

static inline int fixture_up(void **state) {
    Fixture *f = mem_alloc(sizeof *f);
    snprintf(f->dir, sizeof f->dir, "/tmp/culprit-test-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->path = fixture_path(f, "s.db");
    *state = f;
    return 0;
}

static inline int fixture_down(void **state) {
    Fixture *f = *state;
    file_remove_tree(f->dir);
    arena_release(&f->arena);
    mem_free(f);
    return 0;
}

static inline Store *must_open(Fixture *f, StoreMode mode) {
    Store *store = store_open(f->path, mode, &f->err);
    if (!store) fail_msg("%s", f->err.text);
    return store;
}

/* A condition of the store; its error message when it is false. */
#define must(f, cond)                                                                              \
    do {                                                                                           \
        if (!(cond)) fail_msg("%s: %s", #cond, (f)->err.text);                                     \
    } while (0)
/* What is about files has nothing to say of a server. */
#define needs_a_file()                                                                             \
    do {                                                                                           \
        if (on_server()) {                                                                         \
            print_message("# %s: of files only\n", __func__);                                      \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_up, fixture_down)

#endif

/* A store of its own for each test, in a directory that is removed afterwards. */
#ifndef CULPRIT_TESTS_STORE_FIXTURE_H
#define CULPRIT_TESTS_STORE_FIXTURE_H

#include "base/file.h"
#include "store/store.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct Fixture {
    Arena arena;
    char dir[64];
    char *path; /* of the store */
    Error err;
} Fixture;

static inline int fixture_up(void **state) {
    Fixture *f = mem_alloc(sizeof *f);
    snprintf(f->dir, sizeof f->dir, "/tmp/culprit-test-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->path = file_join(&f->arena, f->dir, "s.db");
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_up, fixture_down)

#endif

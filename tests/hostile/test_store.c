/* Hardening 1, 2, 8, 9 and 11: what comes from a store. */
#include "test.h"

#include "base/file.h"
#include "base/homes.h"
#include "base/shell.h"
#include "command/explain_case.h"
#include "run/run.h"
#include "run/workdir.h"
#include "store/store.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Desk {
    Arena arena;
    char *dir, *path; /* of the store */
    Error err;
} Desk;

/* Every test has a home of its own: the ledger is in it. */
static int set_up(void **state) {
    Desk *d = mem_alloc(sizeof *d);
    d->dir = workdir_new(&d->arena, "desk");
    d->path = file_join(&d->arena, d->dir, "cases.db");
    setenv("HOME", d->dir, 1);
    unsetenv("XDG_CONFIG_HOME"), unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_CACHE_HOME"), unsetenv("CULPRIT_CACHE");
    *state = d;
    return 0;
}

static int tear_down(void **state) {
    Desk *d = *state;
    workdir_remove(d->dir);
    arena_release(&d->arena);
    mem_free(d);
    return 0;
}

static Store *must_open(Desk *d, const char *path, StoreMode mode) {
    Store *store = store_open(path, mode, &d->err);
    if (!store) fail_msg("%s", d->err.text);
    return store;
}

static int64_t put_case(Desk *d, const char *flags) {
    Store *store = must_open(d, d->path, STORE_WRITE);
    Case c = { .compiler = STR("fake-cc"),
               .kind = STR("tcc"),
               .flags = str_from(flags),
               .verdict = STR("crash"),
               .variant = STR("int main(void) { return 0; }\n") };
    KnownCompiler known = { .name = STR("fake-cc"),
                            .path = STR("/nowhere/fake-cc"),
                            .kind = STR("tcc"),
                            .good_source = STR("/nowhere/good"),
                            .bad_source = STR("/nowhere/bad"),
                            .build = STR("make") };
    int64_t id = 0;
    if (!store_case_put(store, &c, &id, NULL, &d->err) ||
        !store_compiler_put(store, &known, &d->err))
        fail_msg("%s", d->err.text);
    store_close(store);
    return id;
}

/* 1: flags of a case reach the compiler as they are, and never a shell. */
static void shell_injection(void **state) {
    Desk *d = *state;
    const char *mark = file_join(&d->arena, d->dir, "injected");
    const char *flags = arena_fmt(&d->arena,
                                  "-O2 ;touch${IFS}%s; $(touch${IFS}%s) `touch${IFS}%s` "
                                  "|touch${IFS}%s -DA=$HOME",
                                  mark, mark, mark, mark);
    int64_t id = put_case(d, flags);
    ExplainRequest request = { 0 };
    StrVec suspects = { 0 };
    if (!case_request(&d->arena, d->path, id, &request, &suspects, &d->err))
        fail_msg("%s", d->err.text);
    char *tree = workdir_new(&d->arena, "tree"), *cc = file_join(&d->arena, tree, "fake-cc");
    /* wherever it is started */
    const char *text = arena_fmt(&d->arena, "#!/bin/sh\nprintf '%%s\\n' \"$@\" >'%s/args'\n", tree);
    assert_true(file_write(cc, str_from(text), &d->err));
    assert_int_equal(chmod(cc, 0755), 0);
    const char *argv[] = { "/bin/sh", "-c", request.test, NULL };
    RunSpec spec = { .argv = argv, .dir = tree };
    run_one(&d->arena, &spec);
    assert_false(file_exists(mark));
    Str args;
    assert_true(file_read(&d->arena, file_join(&d->arena, tree, "args"), &args, &d->err));
    assert_true(str_find(args, STR("\n-DA=$HOME\n"), 0) != STR_NONE);
    workdir_remove(tree);
}

static void copy(Desk *d, const char *from, const char *to) {
    Str bytes;
    assert_true(file_read(&d->arena, from, &bytes, &d->err));
    assert_true(file_write(to, bytes, &d->err));
}

/* 2: a store that this user's culprit did not make runs nothing until it is trusted. */
static void foreign_stores(void **state) {
    Desk *d = *state;
    put_case(d, "-O2 -wrapper /tmp/evil");
    Store *store = must_open(d, d->path, STORE_READ);
    assert_true(store_is_own(store));
    assert_true(store_may_run(store, false, "x", &d->err));
    store_close(store);
    char *other = file_join(&d->arena, d->dir, "copy.db");
    copy(d, d->path, other); /* the key comes with it, but it is still another file */
    store = must_open(d, other, STORE_READ);
    assert_false(store_is_own(store));
    assert_false(store_may_run(store, false, "fake-cc -wrapper /tmp/evil", &d->err));
    assert_int_equal(d->err.status, STATUS_BAD);
    assert_non_null(strstr(d->err.text, "-wrapper /tmp/evil"));
    assert_non_null(strstr(d->err.text, "--trust"));
    assert_true(store_may_run(store, true, "x", &d->err));
    assert_true(store_may_run(store, false, "x", &d->err)); /* once is enough */
    store_close(store);
    copy(d, other, d->path); /* a foreign file in the place of one's own */
    store = must_open(d, d->path, STORE_READ);
    assert_false(store_is_own(store));
    store_close(store);
    int status;
    pid_t pid = fork();
    if (pid == 0) { /* another process of another user */
        setenv("HOME", workdir_new(&d->arena, "other-home"), 1);
        execl("/proc/self/exe", "test", "own", other, (char *)NULL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void sql(Desk *d, const char *text) {
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(d->path, &db), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &message) != SQLITE_OK) fail_msg("%s", message);
    sqlite3_close(db);
}

/* 8: a reader of a store from an older culprit leaves it as it is, and says what to do. */
static void reading_writes(void **state) {
    Desk *d = *state;
    put_case(d, "-O2");
    /* as a store of version 2 was: without what later ones brought */
    sql(d, "DROP TABLE identity; DROP INDEX IF EXISTS texts_own; DROP TABLE shares;"
           "DROP TABLE units; DROP TABLE plans; DROP TABLE copies; DROP TABLE workers; DROP TABLE "
           "timings;"
           "ALTER TABLE campaigns DROP COLUMN laid; PRAGMA user_version=2;"
           "PRAGMA journal_mode=DELETE");
    Str before, after;
    assert_true(file_read(&d->arena, d->path, &before, &d->err));
    assert_null(store_open(d->path, STORE_READ, &d->err));
    assert_non_null(strstr(d->err.text, "--upgrade"));
    assert_true(file_read(&d->arena, d->path, &after, &d->err));
    assert_true(str_eq(before, after));
    store_close(must_open(d, d->path, STORE_WRITE));
    store_close(must_open(d, d->path, STORE_READ));
}

/* 9: what belongs together is there together, whenever culprit is killed; and every change moves
 * the number that pages look at. */
static void torn_updates(void **state) {
    Desk *d = *state;
    int64_t id = put_case(d, "-O2");
    Store *store = must_open(d, d->path, STORE_READ);
    uint64_t before = store_generation(store);
    pid_t pid = fork();
    if (pid == 0) {
        Store *writer = store_open(d->path, STORE_WRITE, &d->err);
        for (int i = 0; writer; i++) {
            Str number = store_number(&d->arena, i);
            CaseSet sets[] = { { "reduced_variant", number }, { "reduced_code", number } };
            if (!store_case_set(writer, id, sets, COUNT_OF(sets), &d->err)) break;
        }
        _exit(1);
    }
    for (int i = 0; i < 200; i++) {
        Case c;
        int64_t number = 0;
        assert_true(store_case_get(store, &d->arena, id, &c, &d->err));
        if (c.reduced_variant.len) assert_true(str_to_i64(c.reduced_variant, &number));
        assert_int_equal(number, c.reduced_code);
        usleep(1000);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    uint64_t now = store_generation(store);
    assert_true(now > before);
    store_close(store);
    store = must_open(d, d->path, STORE_WRITE);
    CaseStep step = { .id_case = id, .name = STR("reduce"), .state = STR("done") };
    for (int i = 0; i < 3; i++) { /* the same words again are a change, too */
        assert_true(store_step_put(store, &step, &d->err));
        assert_true(store_generation(store) > now);
        now = store_generation(store);
    }
    assert_true(store_check(store, &d->err));
    store_close(store);
}

/* What a foreign file's schema demands does not happen. */
static void foreign_schema(void **state) {
    Desk *d = *state;
    int64_t id = put_case(d, "-O2");
    sql(d, "CREATE TRIGGER evil AFTER UPDATE ON cases BEGIN DELETE FROM texts; END");
    Store *store = must_open(d, d->path, STORE_WRITE);
    assert_true(store_case_set(store, id, &(CaseSet){ "title", STR("t") }, 1, &d->err));
    Case c;
    assert_true(store_case_get(store, &d->arena, id, &c, &d->err));
    assert_true(c.variant.len > 0);
    store_close(store);
}

/* 11: without a home nothing is made in a place that anybody can guess. */
static void no_home(void **state) {
    Desk *d = *state;
    unsetenv("HOME");
    for (Home home = HOME_DATA; home <= HOME_CONFIG; home++) {
        assert_null(home_of(&d->arena, home, &d->err));
        assert_int_equal(d->err.status, STATUS_LACKS);
    }
    assert_null(store_open(NULL, STORE_WRITE, &d->err));
    assert_int_equal(d->err.status, STATUS_LACKS);
    Store *store = must_open(d, d->path, STORE_WRITE); /* where it is named there may be one */
    assert_true(store_is_own(store));
    store_close(store);
    setenv("HOME", "", 1);
    assert_null(home_of(&d->arena, HOME_CACHE, &d->err));
    setenv("CULPRIT_CACHE", "/c", 1);
    assert_string_equal(home_of(&d->arena, HOME_CACHE, &d->err), "/c");
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
int main(int argc, char **argv) {
    if (argc == 3) { /* "own STORE": is it this user's? */
        Store *store = store_open(argv[2], STORE_READ, NULL);
        return store && store_is_own(store) ? 0 : store ? 1 : 2;
    }
    const struct CMUnitTest tests[] = { AT_DESK(shell_injection), AT_DESK(foreign_stores),
                                        AT_DESK(reading_writes),  AT_DESK(torn_updates),
                                        AT_DESK(foreign_schema),  AT_DESK(no_home) };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

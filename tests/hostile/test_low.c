/* Hardening 12, the rest of it: sizes that overflow, links below a directory that is listed, a
 * table of options that is too long. (The runner's descriptors and the loader's names are in
 * test_loader_verdict.c; serve's Host in the tests of the pages.) */
#include "test.h"

#include "base/file.h"
#include "base/opts.h"
#include "run/workdir.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_of(void act(void)) {
    pid_t pid = fork();
    if (pid == 0) {
        close(STDERR_FILENO);
        act();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static volatile size_t huge = SIZE_MAX / 8 + 2; /* times 8 it is 8 */
static void allocate_huge(void) {
    Arena arena = { 0 };
    uint64_t *all = ARENA_ARRAY(&arena, uint64_t, huge);
    all[1 << 20] = 1;
}

static void sizes_do_not_wrap(void **state) {
    (void)state;
    int status = status_of(allocate_huge);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_LACKS);
}

static void links_are_not_listed(void **state) {
    (void)state;
    Arena arena = { 0 };
    StrVec paths = { 0 };
    char *dir = workdir_new(&arena, "links"), *inside = file_join(&arena, dir, "inside");
    assert_true(file_make_dirs(inside, NULL));
    assert_true(file_write(file_join(&arena, inside, "a.c"), STR("x"), NULL));
    assert_int_equal(symlink("/etc", file_join(&arena, dir, "etc")), 0);
    assert_int_equal(symlink("..", file_join(&arena, inside, "up")), 0);
    assert_int_equal(symlink("/etc/passwd", file_join(&arena, inside, "b.c")), 0);
    assert_true(file_list(&arena, dir, NULL, &paths, NULL));
    assert_int_equal(paths.len, 1);
    vec_clear(&paths);
    const char *link = file_join(&arena, dir, "way"); /* what the user names may be one */
    assert_int_equal(symlink(inside, link), 0);
    assert_true(file_list(&arena, link, ".c", &paths, NULL));
    assert_int_equal(paths.len, 1);
    vec_release(&paths);
    workdir_remove(dir);
    arena_release(&arena);
}

static void parse_long_table(void) {
    static Opt table[OPTS_MOST + 3];
    static bool values[OPTS_MOST + 3];
    static char names[OPTS_MOST + 3][8];
    for (int i = 0; i < OPTS_MOST + 2; i++) {
        snprintf(names[i], sizeof names[i], "o%d", i);
        table[i] = (Opt){ 0, names[i], OPT_FLAG, &values[i], NULL, "", NULL };
    }
    OptSpec spec = { .name = "x", .usage = "", .brief = "", .table = table };
    char *argv[] = { "x", names[OPTS_MOST + 1], NULL };
    char word[16];
    snprintf(word, sizeof word, "--%s", names[OPTS_MOST + 1]);
    argv[1] = word;
    Error err;
    opts_parse(&spec, 2, argv, NULL, &err);
}

static void tables_are_not_outrun(void **state) {
    (void)state;
    int status = status_of(parse_long_table); /* a bug of ours: it aborts and says where */
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

TEST_MAIN(cmocka_unit_test(sizes_do_not_wrap), cmocka_unit_test(links_are_not_listed),
          cmocka_unit_test(tables_are_not_outrun))

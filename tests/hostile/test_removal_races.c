/* Hardening 3: what is removed is what was made, whatever others do to its name meanwhile.
 *
 * A second process exchanges a directory and a link to somebody else's directory as fast as it can
 * while we remove; a directory of another user with a name of ours stays; a tree far deeper than
 * the number of descriptors and the longest path goes. */
#include "test.h"

#include "base/file.h"
#include "base/removal.h"
#include "run/workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 400, FILES = 20, LEVELS = 20000 };

static void make_files(Arena *arena, const char *dir) {
    assert_true(file_make_dirs(dir, NULL));
    for (int i = 0; i < FILES; i++)
        assert_true(file_write(arena_fmt(arena, "%s/%d", dir, i), STR("x"), NULL));
}

static pid_t exchange_for_ever(const char *a, const char *b) {
    pid_t pid = fork();
    if (pid) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

/* Each round starts from a place that nobody touches: a removal may give up on names that change
 * without end, and what it leaves then must not decide how the next round begins. */
static void halt(pid_t pid) {
    int status;
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
}

static void swapped_directories(void **state) {
    (void)state;
    Arena arena = { 0 };
    char *place = workdir_new(&arena, "races"), *mine = file_join(&arena, place, "mine");
    char *theirs = file_join(&arena, place, "theirs"), *dir = file_join(&arena, mine, "dir");
    char *elsewhere = file_join(&arena, place, "link");
    make_files(&arena, theirs);
    assert_int_equal(chmod(theirs, 0755), 0);
    pid_t pid = exchange_for_ever(dir, elsewhere);
    for (int round = 0; round < ROUNDS; round++) {
        Arena scratch = { 0 };
        halt(pid);
        assert_true(removal_at(AT_FDCWD, elsewhere) && file_remove_tree(mine));
        make_files(&scratch, dir);
        assert_int_equal(symlink(theirs, elsewhere), 0);
        assert_int_equal(kill(pid, SIGCONT), 0);
        file_remove_tree(mine);
        for (int i = 0; i < FILES; i++)
            if (!file_exists(arena_fmt(&scratch, "%s/%d", theirs, i)))
                fail_msg("round %d: a file behind a link was removed", round);
        arena_release(&scratch);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    struct stat st;
    assert_int_equal(stat(theirs, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
    workdir_remove(place);
    assert_false(file_exists(place));
    arena_release(&arena);
}

/* What a killed culprit left goes with the next one, unless it is another user's. */
static void other_users_directories(void **state) {
    (void)state;
    if (geteuid() != 0) {
        print_message("# not root: no directory of another user can be made here\n");
        return;
    }
    Arena arena = { 0 };
    char *place = workdir_new(&arena, "others");
    char *ours = file_join(&arena, place, "culprit-999999999-1-aBcDeF");
    char *theirs = file_join(&arena, place, "culprit-999999999-1-FeDcBa");
    char *link = file_join(&arena, place, "culprit-999999999-1-aaaaaa");
    make_files(&arena, ours);
    make_files(&arena, theirs);
    assert_int_equal(chown(theirs, 65534, 65534), 0);
    assert_int_equal(symlink(theirs, link), 0);
    pid_t pid = fork();
    if (pid == 0) { /* a copy of us makes directories of its own, on disk */
        setenv("TMPDIR", place, 1);
        Arena own = { 0 };
        workdir_new_large(&own, "large");
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(file_exists(ours));
    assert_true(file_exists(file_join(&arena, theirs, "0")));
    workdir_remove(place);
    arena_release(&arena);
}

static void deep_and_closed_trees(void **state) {
    (void)state;
    Arena arena = { 0 };
    char *place = workdir_new(&arena, "deep");
    int at = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < LEVELS; i++) {
        assert_int_equal(mkdirat(at, "d", 0777), 0);
        int next = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (i % 7 == 0) assert_int_equal(fchmod(at, 0), 0);
        close(at);
        at = next;
    }
    close(at);
    workdir_remove(place);
    assert_false(file_exists(place));
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(swapped_directories), cmocka_unit_test(other_users_directories),
          cmocka_unit_test(deep_and_closed_trees))

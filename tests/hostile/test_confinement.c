/* Hardening 4, 5 and 6: what generated programs and builds cannot reach, and what ends them.
 *
 * usage: test-hard-confinement [nobody] [plain] [no-landlock] [no-seccomp]
 * The words take away rights and kernel features, as in test-run; what is then expected to stay
 * open is noted where it is expected. */
#include "test.h"

#include "base/file.h"
#include "run/run.h"
#include "run/workdir.h"
#include "take_away.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *prisoner;
static Lacking lacking;

typedef struct Cell {
    Arena arena;
    char *dir, *other, *secret;
} Cell;

static int open_cell(void **state) {
    Cell *cell = mem_alloc(sizeof *cell);
    cell->dir = workdir_new(&cell->arena, "cell");
    cell->other = workdir_new(&cell->arena, "other");
    cell->secret = file_join(&cell->arena, cell->other, "secret");
    CHECK(file_write(cell->secret, STR("secret"), NULL) && chmod(cell->secret, 0644) == 0);
    *state = cell;
    return 0;
}

static int close_cell(void **state) {
    Cell *cell = *state;
    workdir_remove(cell->dir);
    workdir_remove(cell->other);
    arena_release(&cell->arena);
    mem_free(cell);
    return 0;
}

static RunResult imprison(Cell *cell, RunProfile profile, const char *what, const char *one,
                          const char *two) {
    const char *argv[] = { prisoner, what, one, two, NULL };
    RunSpec spec = { .argv = argv, .dir = cell->dir, .profile = profile };
    return run_one(&cell->arena, &spec);
}

static void expect(const RunResult *r, int may) {
    if (r->end != RUN_EXITED)
        fail_msg("it ended with %d (code %d): %s", (int)r->end, r->code, r->err.at);
    if (r->code & ~may) fail_msg("it got through: 0x%x, expected at most 0x%x", r->code, may);
}

static void files_of_others(void **state) {
    Cell *cell = *state;
    bool open = lacking.landlock && lacking.namespaces;
    RunResult r = imprison(cell, RUN_GENERATED, "files", cell->secret, cell->other);
    /* Without both, permissions are all there is: the same user's files are open. */
    expect(&r, !open ? 0 : lacking.root ? 1 | 4 | 8 : 1 | 2 | 4 | 8 | 16);
    unlink("/tmp/prisoner-was-here"), unlink("/var/tmp/prisoner-was-here");
    unlink("/dev/shm/prisoner-was-here");
}

/* Somebody listens: a service at such a socket may run commands for whoever asks. */
static int listen_at(const char *path, bool abstract) {
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(at.sun_path + abstract, sizeof at.sun_path - 1, "%s", path);
    socklen_t size =
        abstract ? (socklen_t)(sizeof(sa_family_t) + 1 + strlen(path)) : (socklen_t)sizeof at;
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s, (struct sockaddr *)&at, size), 0);
    if (!abstract) assert_int_equal(chmod(path, 0777), 0);
    assert_int_equal(listen(s, 5), 0);
    return s;
}

static void sockets(void **state) {
    Cell *cell = *state;
    const char *path = file_join(&cell->arena, cell->other, "socket");
    int one = listen_at(path, false), two = listen_at(path, true);
    RunResult r = imprison(cell, RUN_GENERATED, "sockets", path, NULL);
    /* A filter closes all of them. Without one, namespaces close the network and names without a
     * file; a socket with a name is open unless mounts hide it. */
    int may = !lacking.seccomp ? 0
                               : 8 | (lacking.landlock && !lacking.namespaces ? 0 : 1) |
                                     (lacking.namespaces ? 4 | (lacking.landlock ? 2 : 0) : 0);
    expect(&r, may);
    close(one), close(two);
}

static void other_processes(void **state) {
    Cell *cell = *state;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) pause();
    }
    RunResult r =
        imprison(cell, RUN_GENERATED, "others", arena_fmt(&cell->arena, "%d", (int)pid), NULL);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    int may = lacking.seccomp ? 8 | 16 : 0; /* keyrings have no namespace */
    if (lacking.namespaces && lacking.landlock && !lacking.root)
        may |= 64; /* same user, no domain */
    if (lacking.seccomp && lacking.namespaces && lacking.landlock && !lacking.root)
        may |= 1 | 2 | 4;
    expect(&r, may);
}

static void what_would_stay(void **state) {
    Cell *cell = *state;
    RunResult r = imprison(cell, RUN_GENERATED, "odd", NULL, NULL);
    int may = lacking.seccomp ? 8 | 16 | 32 | 64 | (lacking.landlock ? 1 | 2 | 4 : 0) : 0;
    expect(&r, may);
    if (lacking.seccomp) system_v_remove();
}

/* ---- the whole tree ---- */
static void memory_of_many(void **state) {
    Cell *cell = *state;
    const char *argv[] = { prisoner, "spreads", NULL };
    RunSpec spec = { .argv = argv, .dir = cell->dir, .profile = RUN_GENERATED };
    spec.limits = (RunLimits){ .resident = 256u << 20, .memory = 100u << 20, .wall_s = 20 };
    RunResult r = run_one(&cell->arena, &spec); /* a gigabyte in all, none above its own limit */
    assert_int_equal(r.end, RUN_MEMORY);
    argv[1] = "shares";
    r = run_one(&cell->arena, &spec);
    assert_int_equal(r.end, RUN_EXITED);
    assert_int_equal(r.code, 0);
}

static void disk_of_many(void **state) {
    Cell *cell = *state;
    const char *argv[] = { prisoner, "fills", NULL };
    RunSpec spec = { .argv = argv, .dir = cell->dir, .profile = RUN_GENERATED };
    spec.limits = (RunLimits){ .disk = 64u << 20, .wall_s = 20 };
    RunResult r = run_one(&cell->arena, &spec);
    assert_int_equal(r.end, RUN_OVERFLOW);
    assert_true(r.wall_s < 15);
}

/* ---- builds ---- */
static RunResult build(Cell *cell, const char *script, bool network, const char *write) {
    const char *argv[] = { "/bin/sh", "-c", script, "sh", cell->other, cell->secret,
                           /* only mounts protect permissions by name */
                           lacking.namespaces ? "true" : "chmod", NULL };
    const char *writes[] = { write, NULL };
    RunSpec spec = {
        .argv = argv, .dir = cell->dir, .profile = RUN_BUILD, .network = network, .writes = writes
    };
    return run_one(&cell->arena, &spec);
}

static void builds_stay_in_their_tree(void **state) {
    Cell *cell = *state;
    bool open = lacking.landlock && lacking.namespaces;
    RunResult r =
        build(cell,
              "$3 0 \"$2\"; rm -rf \"$1\"/; echo x >>\"$2\"; touch \"$1/new\"; mkdir below && "
              "echo ok >below/file && t=$(mktemp) && echo ok >$t && cat \"$2\"",
              false, NULL);
    if (open) return;
    if (!run_ok(&r)) fail_msg("it reads what the user reads: %s", r.err.at);
    assert_str(r.out, "secret");
    assert_false(file_exists(file_join(&cell->arena, cell->other, "new")));
    r = build(cell, "echo ok >\"$1/new\"", false, cell->other);
    assert_true(run_ok(&r));
    assert_true(file_exists(file_join(&cell->arena, cell->other, "new")));
}

static void builds_have_no_network(void **state) {
    Cell *cell = *state;
    if (lacking.namespaces) { /* cmocka's skip() is a failure to readers of TAP */
        print_message("# skipped: no network namespaces here\n");
        return;
    }
    static const char *const count = "test $(wc -l </proc/net/dev) -gt 3";
    RunResult off = build(cell, count, false, NULL), on = build(cell, count, true, NULL);
    assert_int_equal(off.code, 1);
    pid_t pid = fork(); /* whether there is any here */
    if (pid == 0) _exit(execl("/bin/sh", "sh", "-c", count, (char *)NULL));
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(on.code, WEXITSTATUS(status));
    const char *path = file_join(&cell->arena, cell->other, "socket");
    int s = listen_at(path, false);
    RunResult r = imprison(cell, RUN_BUILD, "sockets", path, NULL);
    expect(&r, lacking.seccomp ? 1 | 8 : 0);
    close(s);
}

static void strict_refuses(void **state) {
    Cell *cell = *state;
    run_be_strict(); /* the last test: there is no way back */
    RunResult r = imprison(cell, RUN_GENERATED, "odd", NULL, NULL);
    bool lacks = lacking.namespaces || lacking.seccomp;
    assert_int_equal(r.end, lacks ? RUN_NOT_STARTED : RUN_EXITED);
    if (lacks) assert_true(str_find(r.err, STR("--strict"), 0) != STR_NONE);
}

int main(int argc, char **argv) {
    Arena arena = { 0 };
    prisoner = take_away(&arena, argc, argv, PRISONER, &lacking);
#define IN_CELL(test) cmocka_unit_test_setup_teardown(test, open_cell, close_cell)
    const struct CMUnitTest tests[] = {
        IN_CELL(files_of_others),
        IN_CELL(sockets),
        IN_CELL(other_processes),
        IN_CELL(what_would_stay),
        IN_CELL(memory_of_many),
        IN_CELL(disk_of_many),
        IN_CELL(builds_stay_in_their_tree),
        IN_CELL(builds_have_no_network),
        IN_CELL(strict_refuses),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    give_back();
    arena_release(&arena);
    return failed;
}

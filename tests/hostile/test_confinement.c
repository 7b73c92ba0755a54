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

#include <elf.h>
#include <errno.h>
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
                               : 8 | 32 | (lacking.landlock && !lacking.namespaces ? 0 : 1) |
                                     (lacking.namespaces ? 4 | (lacking.landlock ? 2 : 0) : 0);
    expect(&r, may);
    close(one), close(two);
}

/* A program of 32 bits runs, and is refused the same: it ends with what socket() says. */
static void programs_of_32_bits(void **state) {
#ifdef __x86_64__
    static const unsigned char code[] = {
        0xb8, 0x67, 0x01, 0x00, 0x00, /* mov eax, 359: socket */
        0xbb, 0x01, 0x00, 0x00, 0x00, /* mov ebx, AF_UNIX */
        0xb9, 0x01, 0x00, 0x00, 0x00, /* mov ecx, SOCK_STREAM */
        0x31, 0xd2, 0xcd, 0x80,       /* xor edx, edx; int 0x80 */
        0x89, 0xc3, 0xf7, 0xdb,       /* mov ebx, eax; neg ebx */
        0xb8, 0x01, 0x00, 0x00, 0x00, /* mov eax, 1: exit */
        0xcd, 0x80,                   /* int 0x80 */
    };
    struct {
        Elf32_Ehdr head;
        Elf32_Phdr part;
        unsigned char code[sizeof code];
    } file = {
        .head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
                  .e_type = ET_EXEC,
                  .e_machine = EM_386,
                  .e_version = EV_CURRENT,
                  .e_entry = 0x08048000 + offsetof(__typeof__(file), code),
                  .e_phoff = sizeof file.head,
                  .e_ehsize = sizeof file.head,
                  .e_phentsize = sizeof file.part,
                  .e_phnum = 1 },
        .part = { .p_type = PT_LOAD,
                  .p_vaddr = 0x08048000,
                  .p_filesz = sizeof file,
                  .p_memsz = sizeof file,
                  .p_flags = PF_R | PF_X,
                  .p_align = 4096 },
    };
    memcpy(file.code, code, sizeof code);
    Cell *cell = *state;
    const char *path = file_join(&cell->arena, cell->dir, "small");
    assert_true(file_write(path, (Str){ (const char *)&file, sizeof file }, NULL));
    assert_int_equal(chmod(path, 0755), 0);
    const char *argv[] = { path, NULL };
    RunSpec spec = { .argv = argv, .dir = cell->dir, .profile = RUN_GENERATED };
    RunResult r = run_one(&cell->arena, &spec);
    if (r.end == RUN_NOT_STARTED) {
        print_message("# skipped: this kernel runs no programs of 32 bits\n");
        return;
    }
    assert_int_equal(r.end, RUN_EXITED);
    if (!lacking.seccomp) assert_int_equal(r.code, EPERM);
#else
    (void)state;
#endif
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
    expect(&r, lacking.seccomp ? 1 | 8 | 32 : 0);
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
        IN_CELL(files_of_others),        IN_CELL(sockets),
        IN_CELL(programs_of_32_bits),    IN_CELL(other_processes),
        IN_CELL(what_would_stay),        IN_CELL(memory_of_many),
        IN_CELL(disk_of_many),           IN_CELL(builds_stay_in_their_tree),
        IN_CELL(builds_have_no_network), IN_CELL(strict_refuses),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    give_back();
    arena_release(&arena);
    return failed;
}

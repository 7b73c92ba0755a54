/* The runner against programs that misbehave: every one ends within its limits, and nothing is
 * left, no process and no directory. Also results, order, cancelling, rights, and culprit's own
 * sudden death.
 *
 * usage: test-run [nobody] [plain] [no-landlock]
 * With words, on a machine that offers less: as a user without rights (nobody), without any
 * namespace (plain), without Landlock. A seccomp filter makes the kernel say so. */
#include "test.h"

#include "base/file.h"
#include "base/quantity.h"
#include "run/run.h"
#include "run/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static const char *victim = VICTIM;
static bool nobody, plain, no_landlock;
/* In the arguments of what is started, so that it can be looked for; other runs have their own. */
static char hostile_mark[64], doomed_mark[64];

/* How many processes on this machine have mark in their arguments. */
static unsigned processes_marked(const char *mark) {
    unsigned n = 0;
    DIR *proc = opendir("/proc");
    Arena scratch = { 0 };
    struct dirent *entry;
    while ((entry = readdir(proc)) != NULL) {
        char path[300], text[4096];
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        FILE *f = entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        size_t got = f ? fread(text, 1, sizeof text, f) : 0;
        if (f) fclose(f);
        if (got && str_find((Str){ text, got }, str_from(mark), 0) != STR_NONE) n++;
    }
    closedir(proc);
    arena_release(&scratch);
    return n;
}

static RunSpec spec_of(Arena *arena, const char *const *words, const char *dir,
                       RunProfile profile) {
    size_t n = 0;
    while (words[n]) n++;
    const char **argv = ARENA_ARRAY(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) argv[i] = words[i];
    return (RunSpec){ .argv = argv, .dir = dir, .profile = profile };
}
#define WORDS(...)                                                                                 \
    (const char *const[]) {                                                                        \
        __VA_ARGS__, NULL                                                                          \
    }

/* What a dead culprit left behind is removed; what only looks like it stays. */
static void only_ours_are_removed(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool ours;
    } dirs[] = { { "culprit-999999999-1-aBcDeF", true },  { "culprit-case-12", false },
                 { "culprit-2026-11-15", false },         { "culprit-1-2-seven77", false },
                 { "culprit-999999999-1-aB-DeF", false }, { "culprit-1.0-2-aBcDeF", false } };
    Arena arena = { 0 };
    char *place = workdir_new(&arena, "place");
    for (size_t i = 0; i < COUNT_OF(dirs); i++)
        assert_true(file_make_dirs(file_join(&arena, place, dirs[i].name), NULL));
    pid_t pid = fork();
    if (pid == 0) { /* a copy of us makes directories of its own, on disk */
        setenv("TMPDIR", place, 1);
        Arena own = { 0 };
        workdir_new_large(&own, "large");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    for (size_t i = 0; i < COUNT_OF(dirs); i++)
        if (file_exists(file_join(&arena, place, dirs[i].name)) == dirs[i].ours)
            fail_msg("%s", dirs[i].name);
    workdir_remove(place);
    arena_release(&arena);
}

static void plain_results(void **state) {
    (void)state;
    Arena arena = { 0 };
    RunSpec s = spec_of(&arena, WORDS("sh", "-c", "cat; echo err >&2; exit 7"), NULL, RUN_USER);
    s.input = STR("hello");
    RunResult r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_EXITED);
    assert_int_equal(r.code, 7);
    assert_str(r.out, "hello");
    assert_str(r.err, "err\n");
    s = spec_of(&arena, WORDS(victim, "abort"), NULL, RUN_USER); /* also as the first of its tree */
    r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_SIGNALED);
    assert_int_equal(r.code, SIGABRT);
    s = spec_of(&arena, WORDS("no-such-program-anywhere"), NULL, RUN_USER);
    r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_NOT_STARTED);
    assert_true(str_find(r.err, STR("No such file"), 0) != STR_NONE);
    s = spec_of(&arena, WORDS("sh", "-c", "echo $A $HOME"), NULL, RUN_USER);
    s.env = WORDS("A=1", "HOME=/nowhere");
    r = run_one(&arena, &s);
    assert_str(r.out, "1 /nowhere\n");
    s = spec_of(&arena, WORDS("true"), "/no/such/dir", RUN_USER);
    r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_NOT_STARTED);
    arena_release(&arena);
}

/* The debug files of libraries are hidden from those who ask for it, and from nobody else. */
static void debug_files_are_hidden(void **state) {
    (void)state;
    Arena arena = { 0 };
    RunSpec s = spec_of(&arena, WORDS("ls", "-A", "/usr/lib/debug"), NULL, RUN_USER);
    RunResult seen = run_one(&arena, &s);
    s.no_debug_files = true;
    RunResult hidden = run_one(&arena, &s);
    assert_int_equal(hidden.code, seen.code); /* it need not be there at all */
    if (plain)
        assert_string_equal(hidden.out.at, seen.out.at);
    else
        assert_int_equal(hidden.out.len, 0);
    arena_release(&arena);
}

static void limits_are_kept(void **state) {
    (void)state;
    Arena arena = { 0 };
    RunSpec s = spec_of(&arena, WORDS(victim, "spin"), NULL, RUN_USER);
    s.limits.cpu_s = 1;
    RunResult r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_TIMEOUT);
    assert_true(r.cpu_s > 0.8 && r.cpu_s < 2.5);
    char *dir = workdir_new(&arena, "limits");
    s = spec_of(&arena, WORDS(victim, "file"), dir, RUN_GENERATED);
    s.limits.file_size = 1 << 20;
    r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_OVERFLOW);
    s = spec_of(&arena, WORDS(victim, "burn"), NULL, RUN_USER);
    r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_EXITED);
    assert_true(r.cpu_s > 0.03); /* the killed child's time is there, however busy the machine */
    workdir_remove(dir);
    arena_release(&arena);
}

static void generated_are_confined(void **state) {
    (void)state;
    Arena arena = { 0 };
    char *dir = workdir_new(&arena, "confined"), *other = workdir_new(&arena, "other");
    RunSpec s = spec_of(&arena, WORDS(victim, "forbidden", file_join(&arena, other, "file")), dir,
                        RUN_GENERATED);
    RunResult r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_EXITED);
    /* What only Landlock or mounts can keep from it (1, 2: files); another user's directory is not
     * open to it either way. */
    int may = no_landlock && plain ? 2 | (nobody ? 1 : 0) : 0;
    assert_int_equal(r.code, may);
    rmdir("/tmp/culprit-victim-dir");
    assert_true(file_exists(file_join(&arena, dir, "below")));
    workdir_remove(dir);
    assert_false(file_exists(dir));
    workdir_remove(other);
    arena_release(&arena);
}

/* ---- must hold: 200 runs ---- */
typedef struct Hostile {
    Job job;
    const char *what, *dir;
    RunProfile profile;
    RunEnd end;
    int code;
    double wall_s;
} Hostile;

static bool hostile_step(Job *job, const RunResult *last, RunSpec *next) {
    Hostile *h = (Hostile *)job;
    if (last) {
        h->end = last->end, h->code = last->code, h->wall_s = last->wall_s;
        return false;
    }
    *next = spec_of(&job->arena, WORDS(victim, h->what, hostile_mark), h->dir, h->profile);
    next->limits =
        (RunLimits){ .wall_s = 0.5, .memory = 100u << 20, .output = 1u << 20, .processes = 40 };
    return true;
}

static bool expected(const Hostile *h) {
    if (strcmp(h->what, "bomb") == 0 || strcmp(h->what, "cluster") == 0 ||
        strcmp(h->what, "print") == 0)
        return h->end == RUN_TIMEOUT || h->end == RUN_OVERFLOW;
    if (strcmp(h->what, "hog") == 0)
        return h->end == RUN_MEMORY || h->end == RUN_TIMEOUT ||
               (h->end == RUN_SIGNALED && h->code == SIGABRT);
    if (strcmp(h->what, "ignore") == 0) return h->end == RUN_TIMEOUT;
    return h->end == RUN_EXITED && h->code == 0; /* daemon */
}

static void two_hundred_hostile_runs(void **state) {
    (void)state;
    static const char *const kinds[] = { "bomb", "hog", "print", "ignore", "daemon" };
    enum { N = 200 };
    static Hostile runs[N];
    unsigned clusters = 0, counted = 0, printed = 0;
    Pool *pool = pool_new(4);
    for (int i = 0; i < N; i++) {
        Hostile *h = &runs[i];
        h->job.step = hostile_step;
        h->what = kinds[i % 5];
        h->profile = i % 2 ? RUN_GENERATED : RUN_USER;
        /* Where only counting limits it, a real fork bomb would bring this machine down. */
        if (plain && (nobody || h->profile == RUN_USER) && i % 5 == 0) h->what = "cluster";
        h->dir = workdir_new(&h->job.arena, "hostile");
        pool_submit(pool, &h->job);
    }
    for (uint64_t i = 0; i < N; i++) {
        Hostile *h = (Hostile *)pool_next(pool);
        assert_int_equal(h->job.order, i);
        if (!expected(h)) print_error("%s ended with %d (code %d)\n", h->what, h->end, h->code);
        assert_true(expected(h));
        assert_true(h->wall_s < 5);
        clusters += strcmp(h->what, "cluster") == 0;
        counted += strcmp(h->what, "cluster") == 0 && h->end == RUN_OVERFLOW;
        printed += strcmp(h->what, "print") == 0 && h->end == RUN_OVERFLOW;
        workdir_remove(h->dir);
        assert_false(file_exists(h->dir));
        arena_release(&h->job.arena);
    }
    pool_free(pool);
    /* On a busy machine some do not get that far in their time. */
    assert_true(printed && (!clusters || counted));
    assert_int_equal(processes_marked(hostile_mark), 0);
}

/* ---- order and cancelling ---- */
typedef struct Nap {
    Job job;
    const char *seconds;
    int rungs;
} Nap;

static bool nap_step(Job *job, const RunResult *last, RunSpec *next) {
    (void)last;
    Nap *nap = (Nap *)job;
    if (nap->rungs-- == 0) return false;
    *next = spec_of(&job->arena, WORDS("sleep", nap->seconds), NULL, RUN_USER);
    return true;
}

static void order_and_cancel(void **state) {
    (void)state;
    Pool *pool = pool_new(3);
    Nap naps[4] = { { .seconds = "0.3", .rungs = 1 },
                    { .seconds = "0.01", .rungs = 2 },
                    { .seconds = "100", .rungs = 1 },
                    { .seconds = "0", .rungs = 0 } };
    for (int i = 0; i < 4; i++) naps[i].job.step = nap_step, pool_submit(pool, &naps[i].job);
    Job *first = pool_next_any(pool);
    assert_true(first == &naps[1].job || first == &naps[3].job);
    pool_cancel(pool, &naps[2].job);
    assert_ptr_equal(pool_next(pool), &naps[0].job);
    Job *rest[2] = { pool_next(pool), pool_next(pool) };
    assert_true(rest[0] == &naps[2].job || rest[1] == &naps[2].job);
    assert_true(naps[2].job.cancelled && !naps[0].job.cancelled);
    assert_int_equal(naps[1].job.runs, 2);
    assert_null(pool_next(pool));
    pool_free(pool);
    for (int i = 0; i < 4; i++) arena_release(&naps[i].job.arena);
}

/* ---- culprit itself is killed ---- */
static void all_dies_with_us(void **state) {
    (void)state;
    int to_us[2];
    assert_int_equal(pipe(to_us), 0);
    pid_t child = fork();
    if (child == 0) {
        Arena arena = { 0 };
        char *dir = workdir_new(&arena, "doomed");
        if (write(to_us[1], dir, strlen(dir) + 1) < 0) _exit(1);
        RunSpec s = spec_of(&arena,
                            WORDS("sh", "-c",
                                  "touch $TMPDIR/left; echo -n $TMPDIR >t; mv t started; trap '' "
                                  "TERM; setsid sleep 1000 & sleep 1000",
                                  doomed_mark),
                            dir, RUN_USER);
        run_one(&arena, &s);
        _exit(0);
    }
    char dir[512] = "";
    assert_true(read(to_us[0], dir, sizeof dir - 1) > 0);
    char started[600];
    snprintf(started, sizeof started, "%s/started", dir);
    for (int i = 0; i < 3000 && !file_exists(started); i++) usleep(10000);
    assert_true(processes_marked(doomed_mark) > 0);
    Arena arena = { 0 };
    Str temp = { 0 };
    Error err = { 0 };
    assert_true(file_read(&arena, started, &temp, &err));
    const char *left = file_join(&arena, temp.at, "left");
    assert_true(file_exists(left));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (int i = 0;
         i < 3000 && (processes_marked(doomed_mark) || file_exists(dir) || file_exists(left)); i++)
        usleep(10000);
    assert_int_equal(processes_marked(doomed_mark), 0);
    assert_false(file_exists(dir));
    assert_false(file_exists(left));
    arena_release(&arena);
    close(to_us[0]), close(to_us[1]);
}

static void interrupt_cancels(void **state) {
    (void)state;
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        run_catch_interrupts();
        Pool *pool = pool_new(2);
        Nap naps[3] = { { .seconds = "100", .rungs = 1 },
                        { .seconds = "100", .rungs = 1 },
                        { .seconds = "100", .rungs = 1 } };
        for (int i = 0; i < 3; i++) naps[i].job.step = nap_step, pool_submit(pool, &naps[i].job);
        int cancelled = 0;
        if (write(ready[1], &byte, 1) != 1) _exit(99);
        for (Job *job; (job = pool_next(pool)) != NULL;) cancelled += job->cancelled;
        _exit(cancelled);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1); /* it listens now */
    usleep(200000);                                /* and most likely runs something */
    kill(child, SIGINT);
    close(ready[0]), close(ready[1]);
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
}

/* ---- machines that give less ---- */
static void forbid(const struct sock_filter *code, size_t n) {
    struct sock_fprog program = { (unsigned short)n, (struct sock_filter *)code };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void forbid_flags(unsigned number, unsigned flags) {
    const struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    forbid(code, COUNT_OF(code));
}

static void forbid_call(unsigned number, unsigned error) {
    const struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    forbid(code, COUNT_OF(code));
}

static void forbid_namespaces(void) {
    unsigned flags = CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS;
    forbid_flags(SYS_clone, flags);
    forbid_flags(SYS_unshare, flags);
    forbid_call(SYS_clone3, ENOSYS); /* its flags are out of a filter's sight */
}

/* The program under watch where any user can reach it: the build may be in somebody's home. */
static char public_dir[] = "/tmp/culprit-run-XXXXXX";
static void publish_victim(Arena *arena) {
    Error err = { 0 };
    Str bytes;
    CHECK(mkdtemp(public_dir) && chmod(public_dir, 0755) == 0);
    victim = file_join(arena, public_dir, "victim");
    CHECK(file_read(arena, VICTIM, &bytes, &err) && file_write(victim, bytes, &err));
    CHECK(chmod(victim, 0755) == 0);
}

static void become_nobody(void) {
    CHECK(chown(public_dir, 65534, 65534) == 0);
    CHECK(setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0);
    CHECK(setresuid(65534, 65534, 65534) == 0);
    CHECK(prctl(PR_SET_DUMPABLE, 1) == 0); /* else /proc/self is root's */
    CHECK(setenv("PATH", "/usr/bin:/bin", 1) ==
          0); /* root's own has places that are closed to us */
}

/* Whether this machine gives a process of this user what the tests expect of a full one. */
static bool has_namespaces(void) {
    pid_t pid = fork();
    if (pid == 0) _exit(unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWPID : CLONE_NEWPID) != 0);
    int status;
    return waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int argc, char **argv) {
    Arena arena = { 0 };
    for (int i = 1; i < argc; i++) {
        nobody |= strcmp(argv[i], "nobody") == 0;
        plain |= strcmp(argv[i], "plain") == 0;
        no_landlock |= strcmp(argv[i], "no-landlock") == 0;
    }
    snprintf(hostile_mark, sizeof hostile_mark, "mark-of-hostile-runs-%d-", (int)getpid());
    snprintf(doomed_mark, sizeof doomed_mark, "mark-of-doomed-run-%d-", (int)getpid());
    publish_victim(&arena);
    if (nobody && geteuid() == 0) become_nobody();
    nobody |= geteuid() != 0;
    if (plain) forbid_namespaces();
    if (!plain && !has_namespaces()) {
        print_message(
            "# no namespaces here (a chroot, a container): what is tested is their lack\n");
        plain = true;
    }
    if (no_landlock) forbid_call(SYS_landlock_create_ruleset, ENOSYS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_results),          cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(generated_are_confined), cmocka_unit_test(two_hundred_hostile_runs),
        cmocka_unit_test(only_ours_are_removed),  cmocka_unit_test(order_and_cancel),
        cmocka_unit_test(all_dies_with_us),       cmocka_unit_test(interrupt_cancels),
        cmocka_unit_test(debug_files_are_hidden),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    file_remove_tree(public_dir);
    arena_release(&arena);
    return failed;
}

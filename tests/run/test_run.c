/* The runner against programs that misbehave: every one ends within its limits, and nothing is
 * left, no process and no directory. Also results, order, cancelling, rights, and culprit's own
 * sudden death.
 *
 * usage: test-run [nobody] [plain] [no-landlock]
 * With words, on a machine that offers less; see take_away.h. */
#include "test.h"

#include "base/file.h"
#include "base/quantity.h"
#include "run/run.h"
#include "run/workdir.h"
#include "take_away.h"

#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *victim = VICTIM;
static Lacking lacking;
/* In the arguments of what is started, so that it can be looked for; other runs have their own. */
static char hostile_mark[64], doomed_mark[64];

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
    if (lacking.namespaces)
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
    assert_int_equal(r.code, 0);
    assert_true(r.cpu_s > 0.09); /* the killed child's time is there */
    workdir_remove(dir);
    arena_release(&arena);
}

/* What no process does alone: a tree of small ones that never ends, and one that writes. */
static void trees_are_measured(void **state) {
    (void)state;
    Arena arena = { 0 };
    RunSpec s = spec_of(&arena, WORDS("sh", "-c", "while :; do /bin/true; done"), NULL, RUN_USER);
    s.limits.tree_cpu_s = 0.3, s.limits.wall_s = 300;
    RunResult r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_TIMEOUT);
    assert_true(r.cpu_s > 0.25 && r.cpu_s < 2 && r.wall_s < 200);
    s = spec_of(&arena, WORDS("sh", "-c", "head -c 300000 /dev/zero | cat >/dev/null"), NULL,
                RUN_USER);
    r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_EXITED);
    if (r.written == 0) skip(); /* a kernel that does not count */
    assert_true(r.written >= 600000 && r.written < 700000);
    s = spec_of(&arena, WORDS("sh", "-c", "yes >/dev/null; exit 0"), NULL, RUN_USER);
    s.limits.written = 1 << 20, s.limits.cpu_s = 60;
    r = run_one(&arena, &s);
    assert_int_equal(r.end, RUN_OVERFLOW);
    assert_true(r.written > 1 << 20);
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
    int may = lacking.landlock && lacking.namespaces ? 2 | (lacking.root ? 0 : 1) : 0;
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
    /* A daemon's parent ends by itself: it only needs to be given its turn. */
    double wall_s = strcmp(h->what, "daemon") == 0 ? 30 : 0.5;
    next->limits =
        (RunLimits){ .wall_s = wall_s, .memory = 100u << 20, .output = 1u << 20, .processes = 40 };
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
        if (lacking.namespaces && (!lacking.root || h->profile == RUN_USER) && i % 5 == 0)
            h->what = "cluster";
        h->dir = workdir_new(&h->job.arena, "hostile");
        pool_submit(pool, &h->job);
    }
    for (uint64_t i = 0; i < N; i++) {
        Hostile *h = (Hostile *)pool_next(pool);
        assert_int_equal(h->job.order, i);
        if (!expected(h)) print_error("%s ended with %d (code %d)\n", h->what, h->end, h->code);
        assert_true(expected(h));
        assert_true(h->wall_s < 60); /* far more than was given; without an end it would go on */
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

/* At the clock of run_until, what runs is cancelled in every pool, and what is submitted later. */
static void time_cancels(void **state) {
    (void)state;
    Pool *pool = pool_new(2);
    Nap naps[4] = { { .seconds = "100", .rungs = 1 },
                    { .seconds = "100", .rungs = 1 },
                    { .seconds = "100", .rungs = 1 },
                    { .seconds = "0", .rungs = 1 } };
    for (int i = 0; i < 4; i++) naps[i].job.step = nap_step;
    run_until(clock_now() + 0.2);
    for (int i = 0; i < 3; i++) pool_submit(pool, &naps[i].job);
    for (int i = 0; i < 3; i++) assert_true(pool_next(pool)->cancelled);
    assert_true(run_out_of_time());
    pool_submit(pool, &naps[3].job);
    assert_true(pool_next(pool)->cancelled);
    run_until(INFINITY);
    assert_false(run_out_of_time());
    pool_submit(pool, &naps[3].job);
    assert_false(pool_next(pool)->cancelled);
    pool_free(pool);
    for (int i = 0; i < 4; i++) arena_release(&naps[i].job.arena);
}

int main(int argc, char **argv) {
    Arena arena = { 0 };
    snprintf(hostile_mark, sizeof hostile_mark, "mark-of-hostile-runs-%d-", (int)getpid());
    snprintf(doomed_mark, sizeof doomed_mark, "mark-of-doomed-run-%d-", (int)getpid());
    victim = take_away(&arena, argc, argv, VICTIM, &lacking);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_results),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(trees_are_measured),
        cmocka_unit_test(generated_are_confined),
        cmocka_unit_test(two_hundred_hostile_runs),
        cmocka_unit_test(only_ours_are_removed),
        cmocka_unit_test(order_and_cancel),
        cmocka_unit_test(all_dies_with_us),
        cmocka_unit_test(interrupt_cancels),
        cmocka_unit_test(debug_files_are_hidden),
        cmocka_unit_test(time_cancels),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    give_back();
    arena_release(&arena);
    return failed;
}

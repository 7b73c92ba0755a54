/* Hostile children by the hundred: each ends inside its limits, and nothing is left of it: no
 * process, no file, no shared memory; nothing outside its directory has changed.
 *
 * usage: test-hard-children [N] [alone] [nobody] [plain] [no-landlock] [no-seccomp]
 * N children [50], of every kind in turn. alone: nobody else uses /tmp and /dev/shm (the script
 * `children` takes care of that), so that they are compared completely. */
#include "test.h"

#include "base/file.h"
#include "base/quantity.h"
#include "run/run.h"
#include "run/workdir.h"
#include "take_away.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *prisoner, *outside, *secret;
static Lacking lacking;
static uint64_t children = 50;
static bool alone;
static char mark[64]; /* in the arguments of every child */

/* What a child does, and how it may end. */
static const struct Kind {
    const char *what;
    unsigned ends; /* bits of RunEnd */
    bool spreads;  /* into many processes: only where they are counted as one */
} kinds[] = {
    { "files", 1u << RUN_EXITED, false },
    { "sockets", 1u << RUN_EXITED, false },
    { "odd", 1u << RUN_EXITED, false },
    { "spreads", 1u << RUN_MEMORY | 1u << RUN_TIMEOUT | 1u << RUN_OVERFLOW, true },
    { "fills", 1u << RUN_OVERFLOW | 1u << RUN_TIMEOUT, false },
    { "leaves", 1u << RUN_EXITED, true },
    { "bombs", 1u << RUN_OVERFLOW | 1u << RUN_TIMEOUT | 1u << RUN_MEMORY, true },
    { "clings", 1u << RUN_TIMEOUT, false },
};

typedef struct Child {
    Job job;
    const struct Kind *kind;
    char *dir;
    RunResult result;
} Child;

static bool child_step(Job *job, const RunResult *last, RunSpec *next) {
    Child *c = (Child *)job;
    if (last) return c->result = *last, false;
    const char **argv = ARENA_ARRAY(&job->arena, const char *, 6);
    argv[0] = prisoner, argv[1] = c->kind->what, argv[2] = secret, argv[3] = outside,
    argv[4] = mark;
    *next = (RunSpec){ .argv = argv, .dir = c->dir, .profile = RUN_GENERATED };
    /* what ends by itself may wait for a busy machine */
    bool ends = c->kind->ends == 1u << RUN_EXITED;
    next->limits = (RunLimits){ .wall_s = ends ? 120 : 2,
                                .memory = 100u << 20,
                                .resident = 200u << 20,
                                .disk = 32u << 20,
                                .output = 1u << 20,
                                .processes = 40 };
    return true;
}

/* ---- what is there ---- */
static void add_tree(Arena *arena, const char *path, Buf *out) {
    DIR *dir = opendir(path);
    StrVec names = { 0 };
    struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, "culprit-", 8) != 0)
            vec_push(&names, arena_str(arena, str_from(entry->d_name)));
    if (dir) closedir(dir);
    for (size_t i = 0; i < names.len; i++) {
        struct stat st;
        const char *below = file_join(arena, path, names.at[i].at);
        if (lstat(below, &st) != 0) continue;
        buf_fmt(out, "%s %o %u %lld %lld\n", below, st.st_mode, st.st_uid, (long long)st.st_size,
                S_ISDIR(st.st_mode) ? 0 : (long long)st.st_mtim.tv_nsec);
        if (S_ISDIR(st.st_mode)) add_tree(arena, below, out);
    }
    vec_release(&names);
}

static void add_shared_memory(Arena *arena, Buf *out) {
    static const char *const lists[] = { "/proc/sysvipc/shm", "/proc/sysvipc/msg",
                                         "/proc/sysvipc/sem" };
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        Str text;
        if (file_read(arena, lists[i], &text, NULL)) buf_add(out, text.at, text.len);
    }
}

static Str snapshot(Arena *arena) {
    Buf out = { 0 };
    add_tree(arena, outside, &out);
    add_tree(arena, "/etc", &out);
    if (alone) {
        add_tree(arena, "/tmp", &out);
        add_tree(arena, "/dev/shm", &out);
        add_tree(arena, getenv("HOME"), &out);
        if (!lacking.seccomp) add_shared_memory(arena, &out);
    }
    Str text = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return text;
}

/* The first line that differs tells enough; the lists have thousands. */
static void assert_unchanged(Str before, Str after) {
    Str was, is;
    size_t bytes = before.len, now = after.len;
    while (str_split(&before, '\n', &was) && str_split(&after, '\n', &is))
        if (!str_eq(was, is))
            fail_msg("changed outside: was \"" STR_FMT "\", is \"" STR_FMT "\"", STR_ARG(was),
                     STR_ARG(is));
    assert_int_equal(bytes, now);
}

static const struct Kind *kind_of(uint64_t i) {
    const struct Kind *kind = &kinds[i % COUNT_OF(kinds)];
    /* Where a fork bomb is only counted, other users of the machine would notice it. */
    bool counted = lacking.namespaces && !lacking.root;
    return kind->spreads && counted ? &kinds[0] : kind;
}

static void children_end_and_leave_nothing(void **state) {
    (void)state;
    Arena arena = { 0 };
    Pool *pool = pool_new(2);
    Str before = snapshot(&arena);
    Child *all = mem_alloc(children * sizeof *all);
    for (uint64_t i = 0; i < children; i++) {
        all[i].job.step = child_step;
        all[i].kind = kind_of(i);
        all[i].dir = workdir_new(&all[i].job.arena, "child");
        pool_submit(pool, &all[i].job);
    }
    for (Child *c; (c = (Child *)pool_next(pool)) != NULL;) {
        if (!(c->kind->ends >> c->result.end & 1))
            fail_msg("%s ended with %d (code %d)", c->kind->what, (int)c->result.end,
                     c->result.code);
        workdir_remove(c->dir);
        assert_false(file_exists(c->dir));
        arena_release(&c->job.arena);
    }
    pool_free(pool);
    mem_free(all);
    assert_int_equal(processes_marked(mark), 0);
    if (lacking.seccomp) system_v_remove();
    bool open = lacking.landlock && lacking.namespaces; /* users' rights alone: see SECURITY.md */
    if (!open) assert_unchanged(before, snapshot(&arena));
    arena_release(&arena);
}

int main(int argc, char **argv) {
    Arena arena = { 0 };
    uint64_t n;
    for (int i = 1; i < argc; i++) {
        if (str_to_u64(str_from(argv[i]), &n)) children = n;
        alone |= strcmp(argv[i], "alone") == 0;
    }
    prisoner = take_away(&arena, argc, argv, PRISONER, &lacking);
    snprintf(mark, sizeof mark, "mark-of-hostile-child-%d-", (int)getpid());
    outside = workdir_new(&arena, "outside");
    secret = file_join(&arena, outside, "secret");
    CHECK(file_write(secret, STR("secret"), NULL) && chmod(secret, 0666) == 0);
    CHECK(chmod(outside, 0777) == 0);
    const struct CMUnitTest tests[] = { cmocka_unit_test(children_end_and_leave_nothing) };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    give_back();
    arena_release(&arena);
    return failed;
}

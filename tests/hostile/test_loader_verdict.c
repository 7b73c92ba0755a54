/* Hardening 10: a program that says what the loader says when it gives up is still only a program;
 * and 12: the runner leaks no descriptor where it cannot start anything. */
#include "test.h"

#include "base/file.h"
#include "cc/quick_link.h"
#include "run/run.h"
#include "run/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

static void forged_verdict(void **state) {
    (void)state;
    static const char source[] =
        "#include <stdio.h>\n#include <unistd.h>\n"
        "int main(void) { static const char text[] = \"culprit-loader: symbol x\\n\";\n"
        "  for (int fd = 2; fd < 64; fd++) if (write(fd, text, sizeof text - 1) < 0) continue;\n"
        "  _exit(98); }\n";
    Arena arena = { 0 };
    const char *dir = workdir_new(&arena, "forger");
    assert_true(file_write(file_join(&arena, dir, "program.c"), str_from(source), NULL));
    const char *compile[] = { "gcc", "-w", "-fno-pie", "-c", "program.c", "-o", "program.o", NULL };
    RunSpec spec = { .argv = compile, .dir = dir };
    RunResult r = run_one(&arena, &spec);
    assert_true(run_ok(&r));
    const char *load[] = { quick_link_loader(), "program.o", NULL };
    spec = (RunSpec){ .argv = load, .dir = dir, .profile = RUN_GENERATED, .side = true };
    r = run_one(&arena, &spec);
    assert_int_equal(r.end, RUN_EXITED);
    assert_int_equal(r.code, 98);
    assert_str(r.err, "culprit-loader: symbol x\n");
    assert_false(quick_link_gave_up(&r));
    load[1] = "program.c"; /* not an object file: the loader itself gives up */
    r = run_one(&arena, &spec);
    assert_true(quick_link_gave_up(&r));
    workdir_remove(dir);
    arena_release(&arena);
}

static unsigned open_descriptors(void) {
    DIR *dir = opendir("/proc/self/fd");
    unsigned n = 0;
    while (readdir(dir)) n++;
    closedir(dir);
    return n;
}

static void no_descriptor_is_lost(void **state) {
    (void)state;
    Arena arena = { 0 };
    const char *argv[] = { "/bin/true", NULL };
    RunSpec spec = { .argv = argv };
    RunResult r = run_one(&arena, &spec);
    assert_true(run_ok(&r));
    unsigned before = open_descriptors();
    struct rlimit limit, old;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    for (unsigned room = 0; room < 6; room++) {
        limit = (struct rlimit){ before - 3 + room, old.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        r = run_one(&arena, &spec); /* some of what it needs is available, or all */
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
        assert_true(r.end == RUN_NOT_STARTED || run_ok(&r));
        assert_int_equal(open_descriptors(), before);
    }
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(forged_verdict), cmocka_unit_test(no_descriptor_is_lost))

/* What the tests of reduce share: files in a directory of their own, and culprit run on them. */
#ifndef CULPRIT_REDUCE_FIXTURE_H
#define CULPRIT_REDUCE_FIXTURE_H

#include "base/file.h"
#include "run/run.h"
#include "run/workdir.h"
#include "test.h"
#include <sys/stat.h>

static Arena fixture; /* of the whole test program */
static const char *culprit_path;

static inline const char *fixture_dir(void) {
    return workdir_new(&fixture, "reduce");
}

static inline const char *fixture_file(const char *dir, const char *name, Str text,
                                       bool executable) {
    Error err = { 0 };
    const char *path = file_join(&fixture, dir, name);
    assert_true(file_write(path, text, &err));
    if (executable) assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static inline Str fixture_read(const char *dir, const char *name) {
    Error err = { 0 };
    Str text;
    if (!file_read(&fixture, file_join(&fixture, dir, name), &text, &err)) fail_msg("%s", err.text);
    return text;
}

/* culprit reduce with these words, in dir. */
static inline RunResult fixture_reduce(const char *dir, const char *const *words) {
    VEC(const char *) argv = { 0 };
    vec_push(&argv, culprit_path);
    vec_push(&argv, "reduce");
    vec_push(&argv, "-q");
    for (; *words; words++) vec_push(&argv, *words);
    vec_push(&argv, (const char *)NULL);
    RunSpec spec = { .argv = argv.at,
                     .dir = dir,
                     .limits = { .wall_s = 600, .processes = 100000 } };
    RunResult result = run_one(&fixture, &spec);
    vec_release(&argv);
    return result;
}
#define REDUCE(dir, ...) fixture_reduce(dir, (const char *const[]){ __VA_ARGS__, NULL })

static inline void fixture_ok(const RunResult *r) {
    if (!run_ok(r)) fail_msg("%s: %.*s", run_describe(&fixture, r), (int)r->err.len, r->err.at);
}

#define FIXTURE_MAIN(...)                                                                          \
    int main(int argc, char **argv) {                                                              \
        const struct CMUnitTest tests[] = { __VA_ARGS__ };                                         \
        culprit_path = argc > 1 ? realpath(argv[1], NULL) : NULL;                                  \
        cmocka_set_message_output(CM_OUTPUT_TAP);                                                  \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#endif

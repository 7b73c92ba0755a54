/* History first: the commit that broke it, by building commits. Repositories are made here, so that
 * the guilty commit is known; git bisect's own number of builds is the bound. */
#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"
#include "run/run.h"
#include "run/workdir.h"
#include "test.h"

#include <sys/stat.h>

typedef struct Lab {
    Arena arena;
    char *base, *repo;
} Lab;

static RunResult run(Lab *lab, const char *const *argv) {
    char *cache = arena_fmt(&lab->arena, "CULPRIT_CACHE=%s/cache", lab->base);
    const char *const env[] = { cache, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
                                "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
                                /* the same hashes each time: they decide between equal commits */
                                "GIT_AUTHOR_DATE=2020-01-01T00:00:00Z",
                                "GIT_COMMITTER_DATE=2020-01-01T00:00:00Z", NULL };
    RunSpec spec = {
        .argv = argv, .dir = lab->repo, .env = env, .profile = RUN_USER, .limits = { .wall_s = 300 }
    };
    return run_one(&lab->arena, &spec);
}
#define RUN(lab, ...) run((lab), (const char *const[]){ __VA_ARGS__, NULL })
#define GIT(lab, ...) assert_ok((lab), RUN((lab), "git", __VA_ARGS__))

static RunResult assert_ok(Lab *lab, RunResult r) {
    if (!run_ok(&r)) fail_msg("%s\n%s\n%s", run_describe(&lab->arena, &r), r.out.at, r.err.at);
    return r;
}

static void put(Lab *lab, const char *name, const char *text) {
    assert_true(file_write(file_join(&lab->arena, lab->repo, name), str_from(text), NULL));
}

/* A program that prints a and b; other only makes commits differ. */
static void commit(Lab *lab, int a, int b, int other, const char *subject) {
    put(lab, "p.c",
        arena_fmt(&lab->arena,
                  "#include <stdio.h>\n\nint other(void) {\n    return %d;\n}\n\n"
                  "int main(void) {\n    int a = %d;\n    puts(\"line\");\n    int b = %d;\n"
                  "    printf(\"%%d\\n\", a + b);\n    return 0;\n}\n",
                  other, a, b));
    GIT(lab, "add", "-A");
    GIT(lab, "commit", "-q", "-m", subject);
}

static void lab_new(Lab *lab) {
    *lab = (Lab){ 0 };
    lab->base = workdir_new(&lab->arena, "test");
    lab->repo = file_join(&lab->arena, lab->base, "repo");
    assert_true(file_make_dirs(lab->repo, NULL));
    GIT(lab, "init", "-q", "-b", "main");
    commit(lab, 1, 2, 0, "first");
    GIT(lab, "tag", "good");
}

#define BUILD "$CC -g -o p p.c"
#define TEST "./p >out && grep -qx 3 out"

static json_t *answer(RunResult r) {
    Error err = { 0 };
    json_t *json = json_parse(r.out, "stdout", &err);
    assert_non_null(json);
    return json;
}

static json_t *explain_with(Lab *lab, const char *build, const char *test, const char *jobs) {
    return answer(assert_ok(lab, RUN(lab, CULPRIT_BIN, "explain", "good", "HEAD", "--build", build,
                                     "--test", test, "-j", jobs, "--json", "--forget")));
}

static json_t *explain(Lab *lab, const char *jobs) {
    return explain_with(lab, BUILD, TEST, jobs);
}

/* Whether some note holds the words. */
static bool notes_say(json_t *json, const char *words) {
    json_t *note;
    size_t i;
    json_array_foreach(json_object_get(json, "notes"), i,
                       note) if (strstr(json_string_value(note), words)) return true;
    return false;
}

static void check(json_t *json, const char *subject, int64_t builds) {
    json_t *history = json_object_get(json, "history");
    assert_non_null(history);
    if (!str_starts(json_get_text(history, "subject"), subject))
        fail_msg("commit '%s' instead of '%s'", json_get_text(history, "subject").at, subject);
    assert_true(json_get_bool(history, "found", false));
    assert_true(json_get_bool(json, "verified", false));
    if (json_get_int(history, "builds", 99) > builds)
        fail_msg("%ld builds, %ld are enough", (long)json_get_int(history, "builds", 99),
                 (long)builds);
    json_decref(json);
}

/* 14 commits after good: bisection needs 4 builds, and both ends are built as well. */
static void one_commit_of_many(void **state) {
    (void)state;
    for (int guilty = 1; guilty <= 14; guilty += 4) {
        Lab lab;
        lab_new(&lab);
        for (int i = 1; i <= 14; i++)
            commit(&lab, i >= guilty ? 5 : 1, 2, i,
                   arena_fmt(&lab.arena, i == guilty ? "guilty" : "number %d", i));
        check(explain(&lab, "1"), "guilty", 2 + 4);
        arena_release(&lab.arena);
    }
}

static void several_workers_find_the_same(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    for (int i = 1; i <= 9; i++) commit(&lab, i >= 6 ? 5 : 1, 2, i, i == 6 ? "guilty" : "other");
    check(explain(&lab, "3"), "guilty", 2 + 9);
    arena_release(&lab.arena);
}

static void commits_that_do_not_build_are_skipped(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "q.c", "int q;\n");
    commit(&lab, 1, 2, 0, "a second file");
    GIT(&lab, "tag", "-f", "good");
    for (int i = 1; i <= 12; i++) {
        put(&lab, "extra.h", i >= 5 && i <= 7 ? "#error broken\n" : "\n");
        put(&lab, "q.c", i >= 5 && i <= 7 ? "int main(void) { return 1 }\n" : "int q;\n");
        commit(&lab, i >= 10 ? 5 : 1, 2, i, i == 10 ? "guilty" : "other");
    }
    json_t *json = explain_with(&lab, "$CC -g -c q.c && " BUILD, TEST, "1");
    assert_true(json_get_int(json_object_get(json, "history"), "skipped", 0) >= 1);
    /* Bisection takes 4, 3 do not build, and the way around those may cost one more. */
    check(json, "guilty", 2 + 8);
    arena_release(&lab.arena);
}

/* ---- beside git bisect itself ---- */

/* A line of commits, of which the guilty one and those behind it fail, and some do not build. */
typedef struct Line {
    int commits, guilty, broken, broken_len;
} Line;

static void lay_line(Lab *lab, const Line *l) {
    for (int i = 0; i <= l->commits; i++) {
        bool broken = i >= l->broken && i < l->broken + l->broken_len;
        put(lab, "builds", broken ? "no\n" : "yes\n");
        commit(lab, i >= l->guilty ? 5 : 1, 2, i, i == l->guilty ? "guilty" : "other");
        if (i == 0) GIT(lab, "tag", "-f", "good");
    }
}

/* How many commits `git bisect run` asks about, both ends told beforehand. */
static int64_t asked_by_git(Lab *lab) {
    put(lab, "../ask.sh",
        "echo >>../asked\ngrep -q yes builds || exit 125\n! grep -q 'a = 5' p.c\n");
    GIT(lab, "bisect", "start", "HEAD", "good");
    RUN(lab, "git", "bisect", "run", "sh", "../ask.sh"); /* fails where only broken ones are left */
    GIT(lab, "bisect", "reset");
    Str asked = { 0 };
    assert_true(file_read(&lab->arena, file_join(&lab->arena, lab->base, "asked"), &asked, NULL));
    return (int64_t)asked.len;
}

static void never_more_than_git_bisect(void **state) {
    (void)state;
    static const Line lines[] = {
        { 36, 36, 30, 3 },  { 21, 1, 1, 7 },  { 53, 25, 11, 3 }, { 22, 12, 2, 4 },
        { 47, 17, 23, 12 }, { 28, 5, 4, 10 }, { 33, 20, 16, 2 }, { 40, 8, 19, 6 },
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        Lab lab;
        lab_new(&lab);
        lay_line(&lab, &lines[i]);
        int64_t git = 2 + asked_by_git(&lab);
        RunResult r =
            RUN(&lab, CULPRIT_BIN, "explain", "good", "HEAD", "--build", "grep -q yes builds",
                "--test", "! grep -q 'a = 5' p.c", "-j", "1", "--json", "--forget", "--no-trace");
        json_t *json = answer(r);
        int64_t ours = json_get_int(json_object_get(json, "history"), "builds", 999);
        if (ours > git) fail_msg("line %zu: %ld builds, git bisect %ld", i, (long)ours, (long)git);
        json_decref(json);
        arena_release(&lab.arena);
    }
}

/* Where only commits that do not build are left, the answer says which ones. */
static void a_stretch_that_does_not_build(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "q.c", "int q;\n");
    commit(&lab, 1, 2, 0, "a second file");
    GIT(&lab, "tag", "-f", "good");
    for (int i = 1; i <= 4; i++) {
        put(&lab, "q.c", i == 2 || i == 3 ? "int main(void) { return 1 }\n" : "int q;\n");
        commit(&lab, i >= 3 ? 5 : 1, 2, i, i == 3 ? "guilty" : "other");
    }
    json_t *json = explain_with(&lab, "$CC -g -c q.c && " BUILD, TEST, "2");
    json_t *history = json_object_get(json, "history");
    assert_false(json_get_bool(history, "found", true));
    assert_int_equal(json_get_int(history, "left", 0), 3);
    assert_true(json_get_bool(json, "verified", false)); /* the change itself is still found */
    json_decref(json);
    arena_release(&lab.arena);
}

static void inside_a_merge(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    commit(&lab, 1, 2, 1, "on main");
    GIT(&lab, "checkout", "-q", "-b", "side");
    put(&lab, "side.txt", "1\n");
    commit(&lab, 1, 2, 1, "side one");
    put(&lab, "side.txt", "2\n");
    commit(&lab, 4, 2, 1, "guilty");
    put(&lab, "side.txt", "3\n");
    commit(&lab, 4, 2, 1, "side three");
    GIT(&lab, "checkout", "-q", "main");
    put(&lab, "main.txt", "1\n");
    commit(&lab, 1, 2, 1, "on main again");
    GIT(&lab, "merge", "-q", "--no-ff", "-m", "merged", "side");
    put(&lab, "main.txt", "2\n");
    commit(&lab, 4, 2, 9, "behind it");
    check(explain(&lab, "1"), "guilty", 2 + 5);
    arena_release(&lab.arena);
}

/* Both branches pass, and their merge fails. */
static void the_merge_itself(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "p.c",
        "#include <stdio.h>\n#include \"n.h\"\n\nint main(void) {\n"
        "    printf(\"%d\\n\", N);\n    return 0;\n}\n");
    put(&lab, "n.h", "#define M 0\n\n\n\n#define N (M ? 4 : 3)\n");
    GIT(&lab, "add", "-A");
    GIT(&lab, "commit", "-q", "-m", "both");
    GIT(&lab, "checkout", "-q", "-b", "side");
    put(&lab, "n.h", "#define M 1\n\n\n\n#define N (M ? 3 : 3)\n");
    GIT(&lab, "commit", "-q", "-a", "-m", "side");
    put(&lab, "n.h", "#define M 1\n\n\n\n#define N 3\n");
    GIT(&lab, "commit", "-q", "-a", "-m", "side two");
    GIT(&lab, "checkout", "-q", "main");
    put(&lab, "main.c", "int unused;\n");
    GIT(&lab, "add", "-A");
    GIT(&lab, "commit", "-q", "-m", "main");
    GIT(&lab, "merge", "-q", "--no-ff", "--no-commit", "side");
    put(&lab, "n.h", "#define M 1\n\n\n\n#define N (M ? 4 : 3)\n"); /* resolved the wrong way */
    GIT(&lab, "commit", "-q", "-a", "-m", "guilty");
    check(explain(&lab, "1"), "guilty", 2 + 4);
    arena_release(&lab.arena);
}

static void documentation_is_never_built(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    commit(&lab, 1, 2, 1, "code");
    for (int i = 0; i < 12; i++) {
        put(&lab, "README.md", arena_fmt(&lab.arena, "%d\n", i));
        GIT(&lab, "add", "-A");
        GIT(&lab, "commit", "-q", "-m", "words");
        if (i == 6) commit(&lab, 6, 2, 1, "guilty");
    }
    check(explain(&lab, "1"), "guilty", 2 + 1);
    arena_release(&lab.arena);
}

/* Two checkouts of one history are a history as well. */
static void two_checkouts(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    for (int i = 1; i <= 5; i++) commit(&lab, i >= 4 ? 5 : 1, 2, i, i == 4 ? "guilty" : "other");
    GIT(&lab, "clone", "-q", ".", "../old");
    GIT(&lab, "-C", "../old", "checkout", "-q", "good");
    RunResult r = assert_ok(&lab, RUN(&lab, CULPRIT_BIN, "explain", "../old", ".", "--build", BUILD,
                                      "--test", TEST, "--forget"));
    assert_true(str_find(r.out, STR("guilty"), 0) != STR_NONE);
    r = assert_ok(&lab, RUN(&lab, CULPRIT_BIN, "explain", "../old", ".", "--build", BUILD, "--test",
                            TEST, "--forget", "--no-history"));
    assert_true(str_find(r.out, STR("guilty"), 0) == STR_NONE);
    arena_release(&lab.arena);
}

/* A good commit on a branch of its own: the common ancestor of both branches is the good end. */
static void two_branches(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    GIT(&lab, "checkout", "-q", "-b", "stable");
    put(&lab, "stable.txt", "1\n");
    commit(&lab, 1, 2, 7, "only on stable");
    GIT(&lab, "tag", "-f", "good");
    GIT(&lab, "checkout", "-q", "main");
    for (int i = 1; i <= 6; i++) commit(&lab, i >= 3 ? 5 : 1, 2, i, i == 3 ? "guilty" : "other");
    check(explain(&lab, "1"), "guilty", 2 + 3);
    arena_release(&lab.arena);
}

/* The common ancestor fails as well, and good's branch fixed it: the difference is explained. */
static void two_branches_and_no_history(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    commit(&lab, 5, 2, 0, "broken for both");
    GIT(&lab, "checkout", "-q", "-b", "stable");
    commit(&lab, 1, 2, 0, "mended on stable");
    GIT(&lab, "tag", "-f", "good");
    GIT(&lab, "checkout", "-q", "main");
    commit(&lab, 5, 2, 1, "other");
    json_t *json = explain(&lab, "1");
    assert_null(json_object_get(json, "history"));
    assert_true(json_get_bool(json, "verified", false));
    assert_true(notes_say(json, "not an ancestor"));
    json_decref(json);
    arena_release(&lab.arena);
}

/* A page that the test reads broke it, and pages are never built: the commit after it fails, but
 * so does the one before that. Then no commit is named, and the whole difference is explained. */
static void the_commit_alone_does_not_explain_it(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, "README.md", "right\n");
    commit(&lab, 1, 2, 1, "a page");
    GIT(&lab, "tag", "-f", "good");
    put(&lab, "README.md", "wrong\n");
    GIT(&lab, "commit", "-q", "-a", "-m", "only words");
    commit(&lab, 1, 2, 2, "innocent");
    json_t *json = explain_with(&lab, BUILD, TEST " && grep -q right README.md", "1");
    assert_null(json_object_get(json, "history"));
    assert_true(json_get_bool(json, "verified", false));
    json_t *roots = json_object_get(json, "roots");
    assert_int_equal(json_array_size(roots), 1);
    assert_true(str_is(json_get_text(json_array_get(roots, 0), "file"), "README.md"));
    assert_true(notes_say(json, "the whole difference is explained"));
    json_decref(json);
    arena_release(&lab.arena);
}

/* A build that does nothing where the program is there already is right in an empty tree only: what
 * it says of the next commit in the same tree is not believed. */
static void a_build_that_does_nothing(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    for (int i = 1; i < 6; i++) commit(&lab, 1, 2, i, "innocent");
    commit(&lab, 1, 3, 6, "guilty");
    for (int i = 7; i < 12; i++) commit(&lab, 1, 3, i, "later");
    json_t *json = explain_with(&lab, "test -e p || " BUILD, TEST, "1");
    json_t *history = json_object_get(json, "history");
    assert_non_null(history);
    assert_true(str_find(json_get_text(history, "subject"), STR("guilty"), 0) != STR_NONE);
    assert_true(json_get_int(history, "builds", 0) <= 6); /* both ends, and as git bisect */
    json_decref(json);
    arena_release(&lab.arena);
}

/* What is checked out is none of the commits: a script by which they are built is their own, though
 * one of that name lies in the current directory, and the user's tree is left as it was. */
static void a_script_of_the_commits(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    char *script = file_join(&lab.arena, lab.repo, "build.sh");
    put(&lab, "build.sh", "#!/bin/sh\ncd \"${0%/*}\" && $CC -g -o p p.c\n");
    assert_int_equal(chmod(script, 0755), 0);
    commit(&lab, 1, 2, 1, "a script");
    GIT(&lab, "tag", "-f", "good");
    for (int i = 2; i < 6; i++) commit(&lab, i >= 4 ? 5 : 1, 2, i, i == 4 ? "guilty" : "other");
    put(&lab, "build.sh", "#!/bin/sh\ntouch ${0%/*}/was-here\nexit 1\n");
    json_t *json = answer(assert_ok(&lab, RUN(&lab, CULPRIT_BIN, "explain", "--git", "--good",
                                              "good", "--bad", "HEAD", "--build", "./build.sh",
                                              "--test", TEST, "-j", "1", "--json", "--forget")));
    check(json, "guilty", 2 + 2);
    assert_false(file_exists(file_join(&lab.arena, lab.repo, "was-here")));
    arena_release(&lab.arena);
}

/* ---- the clock ---- */

/* A tree without .git is one that is explained: where there is no time for that, the commit is
 * named all the same. */
static void the_commit_without_what_is_in_it(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    for (int i = 1; i < 4; i++) commit(&lab, i >= 2 ? 5 : 1, 2, i, i == 2 ? "guilty" : "other");
    RunResult r = RUN(&lab, CULPRIT_BIN, "explain", "good", "HEAD", "--build",
                      "test -e .git || sleep 1000; " BUILD, "--test", TEST, "--time", "25s",
                      "--json", "--forget", "--git");
    assert_int_equal(r.end, RUN_EXITED);
    assert_int_equal(r.code, STATUS_NO);
    json_t *json = answer(r);
    json_t *history = json_object_get(json, "history");
    assert_true(json_get_bool(history, "found", false));
    assert_true(str_starts(json_get_text(history, "subject"), "guilty"));
    assert_false(json_get_bool(json, "found", true));
    json_decref(json);
    arena_release(&lab.arena);
}

/* Constants that must agree, or the build never ends: it runs the program that it made of them. */
static void put_table(Lab *lab, int value) {
    Buf text = { 0 };
    buf_fmt(&text, "#include <unistd.h>\n\n");
    for (int i = 0; i < 12; i++)
        buf_fmt(&text, "static int v%d(void) {\n    return %d;\n}\n\n", i, value);
    buf_fmt(&text, "int main(void) {\n    int sum = 0;\n");
    for (int i = 0; i < 12; i++) buf_fmt(&text, "    sum += v%d();\n", i);
    buf_fmt(&text, "    if (sum != 12 * v0()) sleep(1000);\n    return v0();\n}\n");
    put(lab, "table.c", buf_view(&text).at);
    buf_release(&text);
}

/* Where nothing smaller can be tested in the time given, all of the commit is the answer. */
static void a_commit_that_cannot_be_taken_apart(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put_table(&lab, 3);
    commit(&lab, 1, 2, 1, "a table");
    GIT(&lab, "tag", "-f", "good");
    commit(&lab, 1, 2, 2, "other");
    put_table(&lab, 4);
    commit(&lab, 1, 2, 2, "guilty");
    commit(&lab, 1, 2, 3, "other");
    RunResult r = RUN(&lab, CULPRIT_BIN, "explain", "good", "HEAD", "--build",
                      "cc -o table table.c && { ./table; echo $? >made; }", "--test",
                      "test `cat made` = 3", "--time", "30s", "--json", "--forget", "-j", "1");
    assert_int_equal(r.code, STATUS_NO); /* it was stopped before its end */
    json_t *json = answer(r);
    assert_true(json_get_bool(json, "together", false));
    assert_false(json_get_bool(json, "complete", true));
    assert_int_equal(json_array_size(json_object_get(json, "roots")), 12);
    check(json, "guilty", 4);
    arena_release(&lab.arena);
}

static void a_limit_holds_in_every_phase(void **state) {
    (void)state;
    static const char *const builds[] = { BUILD, "sleep 1000", BUILD };
    static const char *const tests[] = { "sleep 1000", TEST, "./p | grep -qx 3 || sleep 1000" };
    for (size_t i = 0; i < COUNT_OF(builds); i++)
        for (int history = 0; history < 2; history++) {
            Lab lab;
            lab_new(&lab);
            commit(&lab, 5, 2, 0, "guilty");
            double before = clock_now();
            RunResult r =
                RUN(&lab, CULPRIT_BIN, "explain", "good", "HEAD", "--build", builds[i], "--test",
                    tests[i], "--time", "2s", "--forget", history ? "--git" : "--no-history");
            double took = clock_now() - before;
            assert_int_equal(r.end, RUN_EXITED);
            assert_int_equal(r.code, STATUS_NO);
            if (took > 120) /* a build or a test would sleep for 1,000 */
                fail_msg("--time 2s took %.1f s with '%s'", took, tests[i]);
            arena_release(&lab.arena);
        }
}

TEST_MAIN(cmocka_unit_test(one_commit_of_many), cmocka_unit_test(several_workers_find_the_same),
          cmocka_unit_test(commits_that_do_not_build_are_skipped),
          cmocka_unit_test(never_more_than_git_bisect),
          cmocka_unit_test(a_stretch_that_does_not_build), cmocka_unit_test(inside_a_merge),
          cmocka_unit_test(the_merge_itself), cmocka_unit_test(documentation_is_never_built),
          cmocka_unit_test(two_checkouts), cmocka_unit_test(two_branches),
          cmocka_unit_test(two_branches_and_no_history),
          cmocka_unit_test(the_commit_alone_does_not_explain_it),
          cmocka_unit_test(a_build_that_does_nothing), cmocka_unit_test(a_script_of_the_commits),
          cmocka_unit_test(the_commit_without_what_is_in_it),
          cmocka_unit_test(a_commit_that_cannot_be_taken_apart),
          cmocka_unit_test(a_limit_holds_in_every_phase))

/* The whole command: commits of a repository, what -o writes, continuing an earlier run, --check,
 * JSON. Runs the real program. */
#include "base/file.h"
#include "base/json.h"
#include "run/run.h"
#include "run/workdir.h"
#include "store/store.h"
#include "test.h"

static const char good_text[] =
    "#include <stdio.h>\n\nstatic int area(int w, int h) {\n    return w * h;\n}\n\n"
    "static int border(int w, int h) {\n    return 2 * (w + h);\n}\n\n"
    "int main(void) {\n    printf(\"%d\\n\", area(3, 4));\n"
    "    printf(\"%d\\n\", border(3, 4));\n    return 0;\n}\n";

typedef struct Lab {
    Arena arena;
    char *base, *good, *bad;
} Lab;

static char *edited(Arena *a, const char *text, const char *from, const char *to) {
    Str s = str_from(text);
    size_t at = str_find(s, str_from(from), 0);
    assert_true(at != STR_NONE);
    return arena_fmt(a, STR_FMT "%s%s", STR_ARG(str_sub(s, 0, at)), to, text + at + strlen(from));
}

static void put(Lab *lab, const char *dir, const char *name, const char *text) {
    assert_true(file_make_dirs(dir, NULL));
    assert_true(file_write(file_join(&lab->arena, dir, name), str_from(text), NULL));
}

static RunResult run(Lab *lab, const char *dir, const char *const *argv) {
    char *cache = arena_fmt(&lab->arena, "CULPRIT_CACHE=%s/cache", lab->base);
    const char *const env[] = { cache,
                                "GIT_AUTHOR_NAME=a",
                                "GIT_AUTHOR_EMAIL=a@b",
                                "GIT_COMMITTER_NAME=a",
                                "GIT_COMMITTER_EMAIL=a@b",
                                NULL };
    RunSpec spec = {
        .argv = argv, .dir = dir, .env = env, .profile = RUN_USER, .limits = { .wall_s = 300 }
    };
    return run_one(&lab->arena, &spec);
}
#define RUN(lab, dir, ...) run((lab), (dir), (const char *const[]){ __VA_ARGS__, NULL })
#define OK(result) assert_ok(&lab.arena, (result))

static RunResult assert_ok(Arena *a, RunResult r) {
    if (!run_ok(&r)) fail_msg("%s\n%s\n%s", run_describe(a, &r), r.out.at, r.err.at);
    return r;
}

static void lab_new(Lab *lab) {
    *lab = (Lab){ 0 };
    lab->base = workdir_new(&lab->arena, "test");
    lab->good = file_join(&lab->arena, lab->base, "good");
    lab->bad = file_join(&lab->arena, lab->base, "bad");
    put(lab, lab->good, "p.c", good_text);
    char *text = edited(&lab->arena, good_text, "w * h", "w * h + 1");
    put(lab, lab->bad, "p.c", edited(&lab->arena, text, "2 * (w + h)", "2 * w + 2 * h"));
}

#define BUILD "$CC -g -o p p.c"
#define TEST "./p >out && grep -qx 12 out"
#define EXPLAIN(lab, ...)                                                                          \
    RUN((lab), (lab)->base, CULPRIT_BIN, "explain", "--good", "good", "--bad", "bad", "--build",   \
        BUILD, "--test", TEST, __VA_ARGS__)

static void what_it_writes_applies(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    RunResult r = OK(EXPLAIN(&lab, "-o", "answer"));
    assert_true(str_find(r.out, STR("p.c:4"), 0) != STR_NONE);
    assert_true(file_exists(file_join(&lab.arena, lab.base, "answer/tree.dot")));
    OK(RUN(&lab, lab.bad, "patch", "-p1", "-s", "-i", "../answer/revert.patch"));
    OK(RUN(&lab, lab.bad, "cc", "-o", "p", "p.c"));
    OK(RUN(&lab, lab.bad, "/bin/sh", "-c", TEST));
    Str text;
    Error err;
    assert_true(file_read(&lab.arena, file_join(&lab.arena, lab.base, "answer/explanation.json"),
                          &text, &err));
    json_t *json = json_parse(text, "explanation.json", &err);
    assert_non_null(json);
    assert_true(json_get_bool(json, "verified", false));
    assert_int_equal(json_array_size(json_object_get(json, "roots")), 1);
    assert_true(json_array_size(json_object_get(json_object_get(json, "tree"), "nodes")) >= 1);
    json_decref(json);
    arena_release(&lab.arena);
}

static void goes_on_from_an_earlier_run(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    OK(EXPLAIN(&lab, "--method", "ddmin", "--json"));
    RunResult r = OK(EXPLAIN(&lab, "--method", "ddmin", "--json"));
    Error err;
    json_t *json = json_parse(r.out, "stdout", &err);
    assert_non_null(json);
    assert_int_equal(json_get_int(json, "builds", -1), 0);
    assert_true(json_get_int(json, "known", 0) > 0);
    assert_true(json_get_bool(json, "verified", false));
    json_decref(json);
    arena_release(&lab.arena);
}

/* How many lines the one root brings back. */
static long lines_of_root(RunResult r) {
    Error err;
    json_t *json = json_parse(r.out, "stdout", &err);
    assert_non_null(json);
    json_t *roots = json_object_get(json, "roots");
    assert_int_equal(json_array_size(roots), 1);
    const char *text = json_string_value(json_object_get(json_array_get(roots, 0), "old"));
    assert_non_null(text);
    long lines = 0;
    for (; *text; text++) lines += *text == '\n';
    json_decref(json);
    return lines;
}

static void hunks_are_reverted_whole(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    static const char two[] = "    int area = w * h;\n    int edge = 2 * w;\n";
    char *text =
        edited(&lab.arena, good_text, "    return w * h;\n",
               "    int area = w * h;\n    int edge = 2 * w;\n    return edge ? area : 0;\n");
    put(&lab, lab.good, "p.c", text);
    put(&lab, lab.bad, "p.c",
        edited(&lab.arena, text, two, "    int area = w * h + 1;\n    int edge = w + w;\n"));
    assert_int_equal(lines_of_root(OK(EXPLAIN(&lab, "--method", "ddmin", "--json"))), 1);
    RunResult whole = OK(EXPLAIN(&lab, "--method", "ddmin", "--hunks", "--json"));
    assert_int_equal(lines_of_root(whole), 2);
    arena_release(&lab.arena);
}

static void out_of_time_says_so(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    RunResult r = RUN(&lab, lab.base, CULPRIT_BIN, "explain", "--good", "good", "--bad", "bad",
                      "--build", BUILD, "--test", "sleep 0.2; " TEST, "--time", "100ms");
    assert_int_equal(r.end, RUN_EXITED);
    assert_int_equal(r.code, STATUS_NO);
    arena_release(&lab.arena);
}

static void check_alone(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    RunResult r = OK(EXPLAIN(&lab, "--check"));
    assert_true(str_find(r.out, STR("good: exit status 0"), 0) != STR_NONE);
    assert_true(str_find(r.out, STR("alike"), 0) != STR_NONE);
    arena_release(&lab.arena);
}

static void commits_and_who_brought_it(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    char *repo = file_join(&lab.arena, lab.base, "repo");
    put(&lab, repo, "p.c", good_text);
    OK(RUN(&lab, repo, "git", "init", "-q"));
    OK(RUN(&lab, repo, "git", "add", "p.c"));
    OK(RUN(&lab, repo, "git", "commit", "-q", "-m", "start"));
    char *first = edited(&lab.arena, good_text, "2 * (w + h)", "2 * w + 2 * h");
    put(&lab, repo, "p.c", first);
    OK(RUN(&lab, repo, "git", "commit", "-q", "-a", "-m", "border without parentheses"));
    put(&lab, repo, "p.c", edited(&lab.arena, first, "w * h;", "w * h + 1;"));
    OK(RUN(&lab, repo, "git", "commit", "-q", "-a", "-m", "area one larger"));
    RunResult r = OK(RUN(&lab, repo, CULPRIT_BIN, "explain", "--git", "--good", "HEAD~2", "--bad",
                         "HEAD", "--build", BUILD, "--test", TEST));
    assert_true(str_find(r.out, STR("area one larger"), 0) != STR_NONE);
    assert_true(str_find(r.out, STR("border without"), 0) == STR_NONE);
    RunResult none = RUN(&lab, repo, CULPRIT_BIN, "explain", "--git", "--good", "v9", "--bad",
                         "HEAD", "--build", BUILD, "--test", TEST);
    assert_int_equal(none.code, STATUS_BAD);
    arena_release(&lab.arena);
}

static void suspects_and_files_narrow(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, lab.good, "q.c", "int q = 1;\n");
    put(&lab, lab.bad, "q.c", "int q = 2;\n");
    OK(EXPLAIN(&lab, "--suspects", "p.c", "--method", "ddmin"));
    OK(EXPLAIN(&lab, "--suspects", "q.c", "--method", "after"));
    RunResult r = EXPLAIN(&lab, "--files", "q.*", "--method", "ddmin");
    assert_int_equal(r.code, STATUS_BAD);
    assert_true(str_find(r.err, STR("not named by --files"), 0) != STR_NONE);
    arena_release(&lab.arena);
}

/* ---- a case of the store ---- */

/* A compiler small enough to be written here: a program is one sum, and what it makes prints the
 * sum. */
static const char compiler_text[] =
    "#include <stdio.h>\n#include <string.h>\n#include <sys/stat.h>\n\n"
    "static int sum(FILE *in) {\n    int total = 0, n;\n"
    "    while (fscanf(in, \"%d\", &n) == 1) total += n;\n    return total;\n}\n\n"
    "int main(int argc, char **argv) {\n    const char *in = 0, *out = 0;\n"
    "    for (int i = 1; i < argc; i++) {\n"
    "        if (strcmp(argv[i], \"-o\") == 0)\n            out = argv[++i];\n"
    "        else if (argv[i][0] != '-')\n            in = argv[i];\n    }\n"
    "    FILE *from = fopen(in, \"r\"), *to = fopen(out, \"w\");\n"
    "    if (!from || !to) return 1;\n"
    "    fprintf(to, \"#!/bin/sh\\necho %d\\n\", sum(from));\n"
    "    fclose(to);\n    chmod(out, 0755);\n    return 0;\n}\n";

static char *make_store(Lab *lab, const char *build) {
    char *path = file_join(&lab->arena, lab->base, "cases.db");
    Error err = { 0 };
    int64_t id;
    Store *s = store_open(path, STORE_WRITE, &err);
    if (!s) fail_msg("%s", err.text);
    KnownCompiler compiler = { .name = STR("summer"),
                               .path = STR("/usr/bin/summer"),
                               .kind = STR("other"),
                               .good_source = str_from(lab->good),
                               .bad_source = str_from(lab->bad),
                               .build = str_from(build) };
    Case c = { .compiler = STR("summer"),
               .kind = STR("other"),
               .flags = STR("-O0"),
               .verdict = STR("wrong"),
               .variant = STR("1 2 3\n"),
               .expected = STR("6\n"),
               .rankings = STR("{\"files\":[{\"name\":\"s.c\",\"score\":1}]}") };
    if (!store_compiler_put(s, &compiler, &err) || !store_case_put(s, &c, &id, NULL, &err))
        fail_msg("%s", err.text);
    store_close(s);
    return path;
}

#define SUMMER "$CC -g -o summer s.c"

static void a_case_of_a_compiler(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, lab.good, "s.c", compiler_text);
    put(&lab, lab.bad, "s.c", edited(&lab.arena, compiler_text, "total += n", "total -= n"));
    char *store = make_store(&lab, SUMMER);
    RunResult r = OK(RUN(&lab, lab.base, CULPRIT_BIN, "explain", "--case", "1", "--store", store));
    assert_true(str_find(r.out, STR("s.c:7"), 0) != STR_NONE);
    assert_true(str_find(r.out, STR("of the written files is '-', should be '6'"), 0) != STR_NONE);
    assert_true(str_find(r.out, STR("total is -6 (was 6)"), 0) != STR_NONE);
    assert_true(str_find(r.out, STR("<- c3"), 0) != STR_NONE); /* the change's own line is there */
    Error err = { 0 };
    Case c;
    Store *s = store_open(store, STORE_READ, &err);
    assert_non_null(s);
    assert_true(store_case_get(s, &lab.arena, 1, &c, &err));
    assert_true(str_find(c.explanations, STR("\"verified\":true"), 0) != STR_NONE);
    store_close(s);
    RunResult none = RUN(&lab, lab.base, CULPRIT_BIN, "explain", "--case", "9", "--store", store);
    assert_int_equal(none.code, STATUS_NO);
    arena_release(&lab.arena);
}

/* The third build, the first one that leaves a change out, uses up all CPU time: the three changes
 * are known to do it together, and nothing may call one of them a root. */
static void time_ends_before_they_are_told_apart(void **state) {
    (void)state;
    Lab lab;
    lab_new(&lab);
    put(&lab, lab.good, "s.c", compiler_text);
    char *text = edited(&lab.arena, compiler_text, "total = 0", "total = 1");
    text = edited(&lab.arena, text, "total += n", "total -= n");
    put(&lab, lab.bad, "s.c", edited(&lab.arena, text, "return total", "return 7 * total"));
    char *count = file_join(&lab.arena, lab.base, "count");
    put(&lab, count, "n", "");
    char *store = make_store(
        &lab, arena_fmt(&lab.arena,
                        "echo >>%s/n; test $(wc -l <%s/n) -ne 3 || (ulimit -t 8; while :; do :; "
                        "done); " SUMMER,
                        count, count));
    RunResult r =
        RUN(&lab, lab.base, CULPRIT_BIN, "explain", "--case", "1", "--store", store, "--no-trace",
            "--cpu-time", "6s", "--writable", count, "--files", "s.c", "-j", "1", "-o", "answer");
    assert_int_equal(r.code, STATUS_NO);
    static const char *const told[] = { "These 3 changes together", "together c1", "not told apart",
                                        "built from scratch, run twice" };
    for (size_t i = 0; i < COUNT_OF(told); i++)
        if (str_find(r.out, str_from(told[i]), 0) == STR_NONE)
            fail_msg("'%s' is not said:\n%s\n%s", told[i], r.out.at, r.err.at);
    assert_true(str_find(r.out, STR("root"), 0) == STR_NONE);
    Str json;
    assert_true(file_read(&lab.arena, file_join(&lab.arena, lab.base, "answer/explanation.json"),
                          &json, NULL));
    assert_true(str_find(json, STR("\"together\": true"), 0) != STR_NONE);
    assert_true(str_find(json, STR("\"kind\": \"root\""), 0) == STR_NONE);
    RunResult shown = OK(RUN(&lab, lab.base, CULPRIT_BIN, "show", "1", "--store", store));
    assert_true(str_find(shown.out, STR("not told apart"), 0) != STR_NONE);
    OK(RUN(&lab, lab.base, CULPRIT_BIN, "report", "--store", store, "-o", "pages"));
    RunResult page = OK(RUN(&lab, lab.base, "grep", "-rl", "not told apart", "pages"));
    assert_true(page.out.len > 0);
    arena_release(&lab.arena);
}

TEST_MAIN(cmocka_unit_test(what_it_writes_applies), cmocka_unit_test(goes_on_from_an_earlier_run),
          cmocka_unit_test(hunks_are_reverted_whole), cmocka_unit_test(out_of_time_says_so),
          cmocka_unit_test(check_alone), cmocka_unit_test(commits_and_who_brought_it),
          cmocka_unit_test(suspects_and_files_narrow), cmocka_unit_test(a_case_of_a_compiler),
          cmocka_unit_test(time_ends_before_they_are_told_apart))

/* The stage called twice in one process gives the same result twice, and keeps nothing in between:
 * a small "compiler" with coverage that crashes on programs with "x + 3". */
#include "test.h"

#include "base/file.h"
#include "isolate/coverage_run.h"
#include "isolate/isolate.h"
#include "run/workdir.h"

static const char compiler[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static int seen[256];\n"
    "static void letter(int c) { if (c > 'm') seen[c] += 2; else seen[c]++; }\n"
    "static void other(int c) { if (c == '+') seen[c] += 3; else seen[c]++; }\n"
    "static void add(const char *t) { if (strstr(t, \"x + 3\")) { fputs(\"internal compiler error: "
    "in add, at c.c:7\\n\", stderr); exit(4); } }\n"
    "int main(int argc, char **argv) {\n"
    "  static char text[99999]; const char *out = 0, *in = 0;\n"
    "  for (int i = 1; i < argc; i++) if (!strcmp(argv[i], \"-o\")) out = argv[++i];\n"
    "    else if (argv[i][0] != '-' && strcmp(argv[i - 1], \"-iquote\")) in = argv[i];\n"
    "  FILE *f = in ? fopen(in, \"r\") : 0;\n"
    "  if (f) { text[fread(text, 1, 99998, f)] = 0; fclose(f); }\n"
    "  for (char *c = text; *c; c++) if (*c >= 'a' && *c <= 'z') letter(*c); else other(*c);\n"
    "  if (strchr(text, '+')) add(text);\n"
    "  if (out && (f = fopen(out, \"w\"))) { fputs(\"x\", f); fclose(f); }\n"
    "  return 0;\n}\n";

static const char program[] = "int x, y;\nint f(int a) { y = x + 3; return a - y; }\n"
                              "int main(void) { y = f(x + 1); return y; }\n";

static void run(Arena *arena, const char *dir, const char *const *argv) {
    RunResult r = run_one(arena, &(RunSpec){ .argv = argv, .dir = dir });
    if (!run_ok(&r)) fail_msg("%s", r.err.at);
}

static char *make_build(Arena *arena) {
    char *dir = workdir_new(arena, "stage");
    Error err = { 0 };
    assert_true(file_write(file_join(arena, dir, "c.c"), str_from(compiler), &err));
    assert_true(file_write(file_join(arena, dir, "bug.c"), str_from(program), &err));
    const char *const one[] = { "gcc", "-O0", "--coverage", "-c", "c.c", "-o", "c.o", NULL };
    const char *const two[] = { "gcc", "c.o", "--coverage", "-o", "cc", NULL };
    run(arena, dir, one);
    run(arena, dir, two);
    return dir;
}

static Str ranking_text(const IsolateResult *r, Arena *arena) {
    Buf out = { 0 };
    const CovMap *map = &r->subject.map;
    for (uint32_t i = 0; i < r->ranking.n_functions; i++)
        buf_fmt(&out, "%u " STR_FMT " %.9f\n", r->ranking.functions[i].rank,
                STR_ARG(map->functions[r->ranking.functions[i].index].name),
                r->ranking.functions[i].score);
    for (size_t i = 0; i < r->iso.witnesses.len; i++)
        buf_fmt(&out, STR_FMT "\n" STR_FMT "\n", STR_ARG(r->iso.witnesses.at[i].label),
                STR_ARG(r->iso.witnesses.at[i].program));
    Str text = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return text;
}

static void the_same_twice(void **state) {
    (void)state;
    Arena arena = { 0 };
    char *dir = make_build(&arena);
    Str texts[2];
    for (int i = 0; i < 2; i++) {
        IsolateRequest request = isolate_request();
        IsolateResult result;
        Error err = { 0 };
        request.subject.coverage = dir;
        request.subject.path = file_join(&arena, dir, "bug.c");
        request.as_given = true;
        request.time_s = 0;
        request.search = "cuts"; /* ends by itself: there are only so many parts */
        request.workers = 1 + (unsigned)i;
        if (!isolate_run(&request, &result, &err)) fail_msg("%s", err.text);
        assert_int_equal(result.subject.failure.kind, VERDICT_CRASH);
        assert_true(result.iso.witnesses.len > 0);
        assert_false(result.interrupted);
        texts[i] = ranking_text(&result, &arena);
        isolate_result_free(&result);
    }
    assert_true(texts[0].len > 0);
    assert_true(str_eq(texts[0], texts[1]));
    workdir_remove(dir);
    arena_release(&arena);
}

/* Without any witness, what a function that does nothing does not run is suspected. */
static void without_witness(void **state) {
    (void)state;
    Arena arena = { 0 };
    char *dir = make_build(&arena);
    IsolateRequest request = isolate_request();
    IsolateResult result;
    Error err = { 0 };
    request.subject.coverage = dir;
    request.subject.path = file_join(&arena, dir, "bug.c");
    request.search = "options"; /* this compiler has none */
    request.workers = 1;
    if (!isolate_run(&request, &result, &err)) fail_msg("%s", err.text);
    assert_false(result.found);
    const Suspect *first = &result.ranking.functions[0];
    assert_true(str_is(result.subject.map.functions[first->index].name, "add"));
    assert_int_equal(first->rank, 1);
    isolate_result_free(&result);
    workdir_remove(dir);
    arena_release(&arena);
}

/* A run that ends before the program could be made smaller has its ranking: the program as it was
 * given is covered first. */
static void too_little_time(void **state) {
    (void)state;
    Arena arena = { 0 };
    char *dir = make_build(&arena);
    IsolateRequest request = isolate_request();
    IsolateResult result;
    Error err = { 0 };
    request.subject.coverage = dir;
    request.subject.path = file_join(&arena, dir, "bug.c");
    request.cpu_clock = true;
    request.time_s = 1e-3;
    request.workers = 1;
    if (!isolate_run(&request, &result, &err)) fail_msg("%s", err.text);
    assert_true(result.ranking.n_files > 0);
    assert_int_equal(result.iso.failing.len, 1);
    isolate_result_free(&result);
    workdir_remove(dir);
    arena_release(&arena);
}

static void coverage_twice(void **state) {
    (void)state;
    Arena arena = { 0 };
    char *dir = make_build(&arena);
    Error err = { 0 };
    assert_true(file_write(file_join(&arena, dir, "fine.c"), STR("int x;\n"), &err));
    uint32_t counts[2];
    for (int i = 0; i < 2; i++) {
        CoverageRequest request = {
            .build = dir, .path = file_join(&arena, dir, "fine.c"), .limit_s = 60, .counts = true
        };
        CoverageResult result;
        if (!coverage_run(&request, &result, &err)) fail_msg("%s", err.text);
        counts[i] = bits_count(&result.bits);
        assert_non_null(result.counts);
        coverage_result_free(&result);
    }
    assert_true(counts[0] > 5);
    assert_int_equal(counts[0], counts[1]);
    workdir_remove(dir);
    arena_release(&arena);
}

/* A request that cannot be met says why, and its result can be freed. */
static void what_cannot_be(void **state) {
    (void)state;
    Arena arena = { 0 };
    IsolateRequest request = isolate_request();
    IsolateResult result;
    Error err = { 0 };
    request.subject.coverage = "/nonexistent";
    request.subject.path = "/nonexistent/bug.c";
    assert_false(isolate_run(&request, &result, &err));
    assert_int_equal(err.status, STATUS_BAD);
    isolate_result_free(&result);
    arena_release(&arena);
}

TEST_MAIN(cmocka_unit_test(the_same_twice), cmocka_unit_test(without_witness),
          cmocka_unit_test(too_little_time), cmocka_unit_test(coverage_twice),
          cmocka_unit_test(what_cannot_be))

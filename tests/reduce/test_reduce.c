/* culprit reduce: golden results in six languages, the same for any number of jobs, 1-minimal,
 * pairs, continuing after an interruption. */
#include "base/json.h"
#include "base/rng.h"
#include "fixture.h"
#include "reduce/doc.h"
#include "store/store.h"
#include "tree/gumtree.h"

static const struct Golden {
    const char *name; /* of the file */
    const char *text; /* the program */
    const char
        *grep; /* what must stay: a basic regular expression over the text without newlines */
    const char *small; /* what is left */
} goldens[] = {
#include "goldens.h"
};

static void write_test(const char *dir, const char *script, const char *file, const char *grep) {
    Str text =
        str_from(arena_fmt(&fixture, "#!/bin/sh\ntr -d '\\n' < %s | grep -q '%s'\n", file, grep));
    fixture_file(dir, script, text, true);
}

static void golden_in_every_language(void **state) {
    (void)state;
    size_t others = 0;
    for (size_t i = 0; i < COUNT_OF(goldens); i++) {
        const struct Golden *g = &goldens[i];
        const char *dir = fixture_dir();
        fixture_file(dir, g->name, str_from(g->text), false);
        write_test(dir, "t.sh", g->name, g->grep);
        RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", g->name);
        fixture_ok(&r);
        Str small = fixture_read(file_join(&fixture, dir, "out"), g->name);
        if (!str_is(small, g->small)) {
            print_message("# %s:\n%s\n", g->name, small.at);
            others++;
        }
        workdir_remove(dir);
    }
    assert_int_equal(others, 0);
}

static const char *const seed_text = "int g, h;\nint f(int a, int b) {\n  int x = a * 3;\n  if (a "
                                     "> b) {\n    x += b;\n  }\n  g = x;\n"
                                     "  return x;\n}\nint k(void) {\n  int i;\n  for (i = 0; i < "
                                     "9; i++)\n    h += f(i, 3);\n  return h;\n}\n";
static const char *const variant_text =
    "int g, h;\nint f(int a, int b) {\n  int x = a * 3;\n  while (a > 9) {\n    a--;\n    if (b) "
    "break;\n  }\n"
    "  if (a > b) {\n    x += b;\n    trigger(x, b + 4);\n  }\n  g = x;\n  return x;\n}\nint "
    "k(void) {\n"
    "  int i;\n  for (i = 0; i < 9; i++)\n    h += f(i, 3);\n  h++;\n  return h;\n}\n";

static void pair_files(const char *dir) {
    fixture_file(dir, "seed.c", str_from(seed_text), false);
    fixture_file(dir, "variant.c", str_from(variant_text), false);
    fixture_file(dir, "bad.sh",
                 STR("#!/bin/sh\ntr -d '\\n' < variant.c | grep -q 'f(.*if.*trigger' &&\n"
                     "exec gcc-12 -w -fsyntax-only variant.c 2> said\n"),
                 true);
    fixture_file(dir, "good.sh",
                 STR("#!/bin/sh\ntr -d '\\n' < seed.c | grep -q 'f(.*if' &&\n"
                     "! grep -q trigger seed.c && exec gcc-12 -w -fsyntax-only seed.c 2> said\n"),
                 true);
}

static RunResult reduce_pair_with(const char *dir, const char *jobs, const char *out) {
    return REDUCE(dir, "--test", "bad.sh", "--passing", "seed.c", "--passing-test", "good.sh", "-o",
                  out, "-j", jobs, "--json", "variant.c");
}

static void pair_shrinks_to_its_difference(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    pair_files(dir);
    RunResult r = reduce_pair_with(dir, "2", "out");
    fixture_ok(&r);
    Error err = { 0 };
    json_t *json = json_parse(r.out, "answer", &err);
    assert_non_null(json);
    json_t *difference = json_object_get(json, "difference");
    assert_true(json_get_int(difference, "tokens", 99) <= 4);
    assert_true(json_get_int(json_object_get(json, "variant"), "tokens", 99) <= 20);
    assert_true(json_get_int(json_object_get(json, "seed"), "tokens", 99) <= 16);
    assert_true(json_get_bool(json, "verified", false));
    json_decref(json);
    workdir_remove(dir);
}

static void same_for_any_number_of_jobs(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    pair_files(dir);
    RunResult one = reduce_pair_with(dir, "1", "one"), eight = reduce_pair_with(dir, "8", "eight");
    fixture_ok(&one);
    fixture_ok(&eight);
    const char *names[] = { "seed.c", "variant.c" };
    for (int s = 0; s < 2; s++)
        assert_true(str_eq(fixture_read(file_join(&fixture, dir, "one"), names[s]),
                           fixture_read(file_join(&fixture, dir, "eight"), names[s])));
    workdir_remove(dir);
}

/* ---- 1-minimal: all single removals are tried here, by other code than reduce's own ---- */
static bool still(const char *dir, const char *script, const char *name, Str text) {
    const char *place = fixture_dir();
    fixture_file(place, name, text, false);
    const char *argv[] = { file_join(&fixture, dir, script), NULL };
    RunSpec spec = { .argv = argv, .dir = place };
    RunResult r = run_one(&fixture, &spec);
    workdir_remove(place);
    return run_ok(&r);
}

static size_t errors_of(const Lang *lang, Str text) {
    Tree t;
    tree_parse(lang, text, &t);
    size_t errors = t.errors;
    tree_release(&t);
    return errors;
}

/* Writes tree without token `gone` (UINT32_MAX: all of it) into out; whether that adds no error. */
static bool without(const Tree *t, uint32_t gone, Buf *out) {
    uint8_t *keep = mem_alloc(t->tokens.len + 1);
    memset(keep, 1, t->tokens.len);
    if (gone != UINT32_MAX) keep[gone] = 0;
    render_kept(t, keep, out);
    mem_free(keep);
    return errors_of(t->lang, buf_view(out)) <= t->errors;
}

static void pair_is_minimal(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    pair_files(dir);
    RunResult r = reduce_pair_with(dir, "2", "out");
    fixture_ok(&r);
    const char *out = file_join(&fixture, dir, "out");
    Error err = { 0 };
    Lang *lang = lang_builtin("c", &err);
    Tree s, v;
    tree_parse(lang, fixture_read(out, "seed.c"), &s);
    tree_parse(lang, fixture_read(out, "variant.c"), &v);
    assert_true(still(dir, "good.sh", "seed.c", s.text) &&
                still(dir, "bad.sh", "variant.c", v.text));
    DiffHunks hunks = { 0 }, edits = { 0 };
    tree_diff_tokens(&s, &v, &hunks);
    /* A common token from both sides together, another one from its own side. */
    size_t at = 0, bt = 0, tried = 0;
    for (size_t h = 0; h <= hunks.len; h++) {
        size_t end = h < hunks.len ? hunks.at[h].a : s.tokens.len;
        for (; at < end; at++, bt++) {
            Buf a = { 0 }, b = { 0 };
            tried++;
            if (without(&s, (uint32_t)at, &a) && without(&v, (uint32_t)bt, &b)) {
                assert_false(still(dir, "good.sh", "seed.c", buf_view(&a)) &&
                             still(dir, "bad.sh", "variant.c", buf_view(&b)));
            }
            buf_release(&a), buf_release(&b);
        }
        if (h == hunks.len) break;
        for (size_t k = 0; k < hunks.at[h].b_len; k++, bt++) {
            Buf b = { 0 };
            if (without(&v, (uint32_t)bt, &b))
                assert_false(still(dir, "bad.sh", "variant.c", buf_view(&b)));
            buf_release(&b);
        }
        for (size_t k = 0; k < hunks.at[h].a_len; k++, at++) {
            Buf a = { 0 };
            if (without(&s, (uint32_t)at, &a))
                assert_false(still(dir, "good.sh", "seed.c", buf_view(&a)));
            buf_release(&a);
        }
    }
    assert_true(tried > 5);
    /* No single edit of the difference can be undone. */
    diff_split(&hunks, &edits);
    for (size_t e = 0; e < edits.len; e++) {
        uint8_t *use = mem_alloc(edits.len + 1);
        memset(use, 1, edits.len);
        use[e] = 0;
        Buf b = { 0 };
        render_patch(&s, &v, &edits, use, &b);
        if (errors_of(lang, buf_view(&b)) <= v.errors)
            assert_false(still(dir, "bad.sh", "variant.c", buf_view(&b)));
        buf_release(&b);
        mem_free(use);
    }
    vec_release(&hunks), vec_release(&edits);
    tree_release(&s), tree_release(&v);
    workdir_remove(dir);
}

/* Blocks that are indentation: a header goes and its body moves to the left. */
static void python_blocks_move_left(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(
        dir, "a.py",
        STR("import sys\n\ndef main():\n    if True:\n        while sys:\n            "
            "one(1)\n            two(2)\n            three(3)\n        four(4)\n\nmain()\n"),
        false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\npython3 -c \"import ast; ast.parse(open('a.py').read())\" "
                     "2>/dev/null && grep -q one a.py && grep -q two a.py && grep -q four a.py\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.py");
    fixture_ok(&r);
    Str small = fixture_read(file_join(&fixture, dir, "out"), "a.py");
    if (!str_is(small, "one\ntwo\nfour\n")) print_message("# %s\n", small.at);
    assert_true(str_is(small, "one\ntwo\nfour\n"));
    workdir_remove(dir);
}

/* Steps that a phase took, of an answer in JSON. */
static int64_t phase_figure(const RunResult *r, const char *phase, const char *figure) {
    Error err = { 0 };
    int64_t taken = 0;
    json_t *json = json_parse(r->out, "answer", &err), *phases = json_object_get(json, "phases");
    for (size_t i = 0; i < json_array_size(phases); i++)
        if (str_is(json_get_text(json_array_get(phases, i), "name"), phase))
            taken += json_get_int(json_array_get(phases, i), figure, 0);
    json_decref(json);
    return taken;
}

static int64_t taken_by(const RunResult *r, const char *phase) {
    return phase_figure(r, phase, "accepted");
}

/* Steps of one kind that do not depend on each other are taken at once. */
static void alike_steps_are_taken_together(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c",
                 STR("typedef int one;\ntypedef long two;\ntypedef char three;\n"
                     "typedef short four;\none w;\ntwo x;\nthree y;\nfour z;\n"),
                 false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\ngcc-12 -Werror -fsyntax-only a.c 2>/dev/null && for i in w x y z; "
                     "do grep -q \"$i;\" a.c || exit 1; done\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "--json", "a.c");
    fixture_ok(&r);
    Error err = { 0 };
    json_t *json = json_parse(r.out, "answer", &err), *phases = json_object_get(json, "phases");
    int64_t taken = 0;
    for (size_t i = 0; i < json_array_size(phases); i++)
        if (str_is(json_get_text(json_array_get(phases, i), "finder"), "typedefs"))
            taken += json_get_int(json_array_get(phases, i), "accepted", 0);
    assert_int_equal(taken, 1);
    json_decref(json);
    workdir_remove(dir);
}

/* Code that never ran goes in one test; a check that only runs when the program fails stays. */
static void unreached_code_goes_at_once(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(
        dir, "a.c",
        STR("int puts(const char *);\nstatic int g = 3;\nstatic int dead(int x) { g = x; return "
            "g; }\nstatic int live(int x) {\n  if (x > 90) { g = dead(x); g++; }\n  if (x < 0) "
            "__builtin_abort();\n  switch (x) { case 1: g = 7; break; case 4: g += dead(2); }\n  "
            "return g;\n}\nint main(void) {\n  for (int i = 0; i < 2; i++) if (live(i) == 99) "
            "dead(i);\n  return g == 7 ? puts(\"needle\") < 0 : 1;\n}\n"),
        false);
    fixture_file(
        dir, "t.sh",
        STR("#!/bin/sh\ngcc-12 -w -o p a.c 2>/dev/null && timeout 5 ./p | grep -q needle && "
            "grep -q abort a.c && grep -q switch a.c\n"),
        true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "--json", "a.c");
    fixture_ok(&r);
    assert_int_equal(taken_by(&r, "unreached"), 1);
    workdir_remove(dir);
}

/* What the failure needs may be among what never ran where the program is right: the rest goes. */
static void unreached_code_goes_in_parts(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c",
                 STR("int puts(const char *);\nstatic int g = 3;\n"
                     "static void one(void) { if (g > 8) { g = 11; g++; } }\n"
                     "static void two(void) { if (g > 9) { g = 12; g++; } }\n"
                     "int main(void) {\n  one();\n  two();\n"
                     "  if (g == 5) { g = 1 + 4321; }\n  return puts(\"needle\") < 0;\n}\n"),
                 false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\ngcc-12 -w -o p a.c 2>/dev/null && timeout 5 ./p | grep -q needle "
                     "&& grep -q 4321 a.c\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "--json", "a.c");
    fixture_ok(&r);
    assert_true(taken_by(&r, "unreached") >= 1);
    workdir_remove(dir);
}

/* What prints something may be how a wrong run shows that it is wrong; a function that loses the
 * code of its returns keeps one. */
static void unreached_code_that_prints_stays(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c",
                 STR("int puts(const char *);\nstatic int g = 3;\n"
                     "static int f(int x) { if (x) { return x; } else { g = 9; return g + x; } }\n"
                     "static int h(void) { g = 8; return g; }\n"
                     "int main(void) {\n  if (f(1) || h()) g++;\n  if (g > 40) { g = 7; h(); }\n"
                     "  if (g == 5) { puts(\"hidden\"); }\n  return puts(\"needle\") < 0;\n}\n"),
                 false);
    fixture_file(
        dir, "t.sh",
        STR("#!/bin/sh\ngcc-12 -Werror=return-type -o p a.c 2>/dev/null && timeout 5 ./p | "
            "grep -q needle && grep -q hidden a.c && grep -q 'h(' a.c\n"),
        true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "--json", "a.c");
    fixture_ok(&r);
    assert_int_equal(taken_by(&r, "unreached"), 1);
    workdir_remove(dir);
}

/* What nothing refers to goes in one test, and what is referred to stays: by its name, by its tag,
 * through another declaration, in another file. */
static void unreferenced_items_go_at_once(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c",
                 STR("struct later;\ntypedef struct later *link;\ntypedef int number, unused;\n"
                     "extern int puts(const char *), getchar(void);\nextern double sin(double x);\n"
                     "static number g;\nstatic link l;\nunused one(void) { return 1; }\n"
                     "int two(void) { return one(); }\n"
                     "int main(void) { l = 0; return g || puts(\"needle\") < 0; }\n"),
                 false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\ngcc-12 -Werror -o p a.c 2>/dev/null && ./p | grep -q needle && "
                     "grep -q link a.c\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "--json", "a.c");
    fixture_ok(&r);
    assert_int_equal(taken_by(&r, "unreferenced"), 1);
    workdir_remove(dir);
}

/* Of hundreds of items inside namespaces only what main needs by names stays, and what is needed
 * for another reason is found by halving: a few tests, in place of one or two for each. */
static void needed_items_are_found_by_halving(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    Buf text = { 0 };
    for (int i = 0; i < 300; i++) {
        buf_text(&text, "namespace n __attribute__ ((__visibility__ (\"default\"))) {\n");
        buf_fmt(&text, "template <class T> struct A%d { T x; };\n", i);
        buf_fmt(&text, "inline int f%d(A%d<int> a) { return a.x; }\n}\n", i, i);
    }
    buf_text(&text, "int main() { n::A7<int> a = {0}; return n::f7(a); }\n");
    fixture_file(dir, "a.cc", buf_view(&text), false);
    fixture_file(
        dir, "t.sh",
        STR("#!/bin/sh\ngrep -q 'n::f7(' a.cc && grep -q 'int f7(' a.cc && grep -q 'int f211(' "
            "a.cc\n"),
        true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "--json", "-j", "1", "a.cc");
    fixture_ok(&r);
    assert_true(taken_by(&r, "needed") >= 2);
    assert_true(phase_figure(&r, "needed", "tokens") > 7000);
    assert_true(phase_figure(&r, "needed", "tests") < 30);
    buf_release(&text);
    workdir_remove(dir);
}

/* Where the difference is how a failure shows, one change elsewhere that cures it is smaller. */
/* Values of LLVM IR that have numbers get names: else every version of LLVM up to 18 refuses a
 * module from which one of them is gone. What is left is a module. */
static void numbered_values_get_names(void **state) {
    (void)state;
    static const char text[] =
        "define i32 @f(i32 %0, i32 %1) {\n  br label %3\n\n3:\n  %4 = phi i32 [ 0, %2 ], [ %6, %3 "
        "]\n  %5 = add i32 %4, 1\n  call void @g(i32 %5)\n  %6 = mul i32 %4, %1\n"
        "  %7 = icmp slt i32 %6, 100\n  br i1 %7, label %3, label %8\n\n8:\n  ret i32 %6\n}\n\n"
        "define void @g(i32 %0) {\n  ret void\n}\n";
    const char *dir = fixture_dir();
    fixture_file(dir, "a.ll", str_from(text), false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\nfor opt in opt-14 opt-19 opt\n"
                     "do command -v $opt >/dev/null && break; done\n"
                     "$opt -disable-output a.ll 2>/dev/null && grep -q 'mul i32 %' a.ll\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "-o", "out", "a.ll");
    fixture_ok(&r);
    Str small = fixture_read(file_join(&fixture, dir, "out"), "a.ll");
    if (!str_is(small, "define i32 @f() {\nv2:\n  br label %v3\nv3:\n"
                       "  %v4 = phi i32 [ 0, %v2 ], [ %v6, %v3 ]\n  %v6 = mul i32 %v4, 0\n"
                       "  br label %v3\n}\n"))
        fail_msg("left: " STR_FMT, STR_ARG(small));
    workdir_remove(dir);
}

static void the_nearest_passing_program(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("int needle;\nint x = f + 1 + 2;\n"), false);
    fixture_file(dir, "s.c", STR("int needle;\nint x;\n"), false);
    fixture_file(dir, "t.sh",
                 STR("#!/bin/sh\ngrep -q 'needle;' a.c && grep -q 'x = f + 1 + 2' a.c\n"), true);
    fixture_file(dir, "p.sh", STR("#!/bin/sh\n! grep -q needle s.c || ! grep -q '[f12]' s.c\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "--passing", "s.c", "--passing-test", "p.sh", "-o",
                         "out", "--json", "a.c");
    fixture_ok(&r);
    Error err = { 0 };
    json_t *json = json_parse(r.out, "answer", &err);
    int64_t tokens = json_get_int(json_object_get(json, "difference"), "tokens", 99);
    if (tokens > 2) fail_msg("%d tokens differ", (int)tokens);
    json_decref(json);
    workdir_remove(dir);
}

/* Where nothing beside the failing program passes, both are reduced from where they began. */
static void no_passing_program_is_near(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("int both;\nint more;\nint needle;\n"), false);
    fixture_file(dir, "s.c", STR("int both;\nint more;\nint only;\n"), false);
    fixture_file(dir, "t.sh", STR("#!/bin/sh\ngrep -q needle a.c && grep -q both a.c\n"), true);
    fixture_file(dir, "p.sh", STR("#!/bin/sh\ngrep -q only s.c && grep -q both s.c\n"), true);
    RunResult r = REDUCE(dir, "--test", "t.sh", "--passing", "s.c", "--passing-test", "p.sh", "-o",
                         "out", "--json", "a.c");
    fixture_ok(&r);
    const char *out = file_join(&fixture, dir, "out");
    Str seed = fixture_read(out, "s.c"), variant = fixture_read(out, "a.c");
    assert_true(str_find(seed, STR("only"), 0) != STR_NONE);
    assert_true(str_find(seed, STR("more"), 0) == STR_NONE);
    assert_true(str_find(variant, STR("needle"), 0) != STR_NONE);
    assert_true(str_find(variant, STR("more"), 0) == STR_NONE);
    workdir_remove(dir);
}

/* Snippets that mutate lists: whole ones are undone, and those that matter are named. */
static void snippets_are_undone_first(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    Str seed = STR("int g;\nint main(void) {\n  g = 1;\n  g = 2;\n  return 0;\n}\n");
    Str variant =
        STR("int g;\nint main(void) {\n  if (g < 7) { g++; }\n  g = 1;\n  { int needle = g; "
            "g = needle; }\n  g = 2;\n  while (g > 9) { g--; }\n  return 0;\n}\n");
    const char *texts[] = { "if (g < 7) { g++; }", "{ int needle = g; g = needle; }",
                            "while (g > 9) { g--; }" };
    const char *strategies[] = { "fcb", "tcb", "fcb" };
    Buf json = { 0 };
    buf_fmt(&json, "{\"snippets\": [");
    for (int i = 0; i < 3; i++) {
        size_t at = str_find(variant, str_from(texts[i]), 0);
        buf_fmt(&json,
                "%s{\"id\": %d, \"strategy\": \"%s\", \"function\": \"main\", \"begin\": %zu, "
                "\"end\": %zu, \"needs\": []}",
                i ? ", " : "", i, strategies[i], at, at + strlen(texts[i]));
    }
    buf_fmt(&json, "]}");
    fixture_file(dir, "seed.c", seed, false);
    fixture_file(dir, "variant.c", variant, false);
    fixture_file(dir, "list.json", buf_view(&json), false);
    fixture_file(dir, "bad.sh", STR("#!/bin/sh\ngrep -q needle variant.c\n"), true);
    fixture_file(dir, "good.sh", STR("#!/bin/sh\ngrep -q main seed.c && ! grep -q needle seed.c\n"),
                 true);
    RunResult r = REDUCE(dir, "--test", "bad.sh", "--passing", "seed.c", "--passing-test",
                         "good.sh", "--snippets", "list.json", "-o", "out", "variant.c");
    fixture_ok(&r);
    assert_true(str_find(r.err, STR("1 of 3 snippets matter: tcb in main"), 0) != STR_NONE);
    buf_release(&json);
    workdir_remove(dir);
}

static void in_place_with_backups(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c", STR("int a;\nint needle;\nint b;\n"), false);
    write_test(dir, "t.sh", "a.c", "needle");
    RunResult r = REDUCE(dir, "--test", "t.sh", "a.c");
    fixture_ok(&r);
    assert_true(str_is(fixture_read(dir, "a.c.orig"), "int a;\nint needle;\nint b;\n"));
    assert_true(fixture_read(dir, "a.c").len < 14);
    workdir_remove(dir);
}

/* A stopped run continues where it was, and ends with the same result. After its first 30 answers
 * the test sleeps, so that the time limit always stops the first run in the middle. */
static void stopped_runs_go_on(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    Buf text = { 0 };
    for (int i = 0; i < 60; i++)
        buf_fmt(&text, "int v%d = %d;\nint f%d(void) { return v%d; }\n", i, i, i, i);
    fixture_file(dir, "a.c", buf_view(&text), false);
    fixture_file(
        dir, "t.sh",
        str_from(arena_fmt(&fixture,
                           "#!/bin/sh\ncd %s/slow 2>/dev/null && { [ $(ls | wc -l) -gt 30 ] "
                           "&& sleep 60; mktemp -p . >/dev/null; cd - >/dev/null; }\n"
                           "grep -q 'v31' a.c && grep -q f50 a.c\n",
                           dir)),
        true);
    Error err = { 0 };
    RunResult whole = REDUCE(dir, "--test", "t.sh", "-o", "whole", "-j", "1", "--json", "a.c");
    fixture_ok(&whole);
    assert_true(file_make_dirs(file_join(&fixture, dir, "slow"), &err));
    RunResult cut = REDUCE(dir, "--test", "t.sh", "-o", "out", "-j", "1", "--time", "6s", "a.c");
    fixture_ok(&cut);
    assert_true(str_find(cut.err, STR("continues from here"), 0) != STR_NONE);
    Str middle = fixture_read(file_join(&fixture, dir, "out"), "a.c");
    Str end = fixture_read(file_join(&fixture, dir, "whole"), "a.c");
    assert_true(middle.len < text.len && middle.len > end.len);
    file_remove_tree(file_join(&fixture, dir, "slow"));
    RunResult rest = REDUCE(dir, "--test", "t.sh", "-o", "out", "-j", "1", "--json", "a.c");
    fixture_ok(&rest);
    assert_true(str_eq(fixture_read(file_join(&fixture, dir, "out"), "a.c"), end));
    json_t *all = json_parse(whole.out, "result", &err),
           *left = json_parse(rest.out, "result", &err);
    int64_t first = json_integer_value(json_object_get(json_object_get(all, "all"), "tests"));
    int64_t second = json_integer_value(json_object_get(json_object_get(left, "all"), "tests"));
    assert_true(second > 0 && second < first); /* it began in the middle */
    json_decref(all), json_decref(left);
    buf_release(&text);
    workdir_remove(dir);
}

/* The byte edits of a candidate turn the accepted text into the candidate's. */
static void candidates_know_their_edits(void **state) {
    (void)state;
    Error err = { 0 };
    Lang *lang = lang_builtin("c", &err);
    Rng rng = rng_new(9);
    for (int round = 0; round < 100; round++) {
        Doc doc;
        doc_init(&doc, lang, str_from(round % 2 ? seed_text : variant_text));
        for (int step = 0; step < 6; step++) {
            Arena arena = { 0 };
            DocEdits edits = { 0 };
            for (uint32_t i = 0; i < doc.tree.tokens.len; i++)
                if (rng_chance(&rng, 0.1))
                    vec_push(&edits,
                             ((DocEdit){ .token = i,
                                         .text = rng_chance(&rng, 0.3) ? STR("xx") : (Str){ 0 } }));
            DocChange c;
            doc_change(&doc, &arena, edits.at, edits.len, &c);
            Buf made = { 0 };
            size_t old_at = 0, new_at = 0;
            for (size_t k = 0; k < c.n_bytes; k++) {
                new_at += c.bytes[k].start - old_at;
                buf_str(&made, str_sub(doc_text(&doc), old_at, c.bytes[k].start));
                buf_str(&made, str_sub(c.text, new_at, new_at + c.bytes[k].len));
                new_at += c.bytes[k].len;
                old_at = c.bytes[k].end;
            }
            buf_str(&made, str_sub(doc_text(&doc), old_at, doc_text(&doc).len));
            assert_true(str_eq(buf_view(&made), c.text));
            doc_accept(&doc, &c);
            assert_true(str_eq(doc_text(&doc), c.text));
            for (uint32_t i = 0; i < doc.tree.tokens.len; i++)
                if (doc.alive[i] && !doc.other[i].at)
                    assert_true(str_eq(str_sub(c.text, doc.at[i], doc.end[i]),
                                       tree_token_text(&doc.tree, i)));
            if (step == 3) doc_refresh(&doc);
            buf_release(&made);
            vec_release(&edits);
            arena_release(&arena);
        }
        doc_release(&doc);
    }
}

/* A case: pair, compiler and flags come from the store, the smallest pair goes back there. The two
 * levels behave differently because the program asks which one it is. */
static RunResult run_in(const char *dir, const char *command) {
    const char *const argv[] = { "sh", "-c", command, NULL };
    return run_one(&fixture, &(RunSpec){ .argv = argv, .dir = dir });
}

static void case_comes_and_goes_back(const Case *c, Str stays) {
    const char *dir = fixture_dir();
    const char *path = file_join(&fixture, dir, "cases.db");
    Error err = { 0 };
    Store *store = store_open(path, STORE_WRITE, &err);
    assert_non_null(store);
    int64_t id = 0;
    assert_true(store_case_put(store, c, &id, NULL, &err));
    store_close(store);
    RunResult r =
        REDUCE(dir, "--case", arena_fmt(&fixture, "%lld", (long long)id), "--store", path);
    fixture_ok(&r);
    store = store_open(path, STORE_READ, &err);
    Case now;
    assert_true(store && store_case_get(store, &fixture, id, &now, &err));
    assert_true(str_find(now.reduced_variant, stays, 0) != STR_NONE);
    assert_true(now.reduced_seed.len && now.reduced_variant.len < 130);
    fixture_file(dir, "left.c", now.reduced_variant, false);
    RunResult right = run_in(dir, "gcc-12 -w left.c -o left && ./left");
    assert_true(right.end == RUN_EXITED && right.code == now.reduced_code);
    assert_true(str_eq(right.out, now.reduced_expected));
    store_close(store);
    workdir_remove(dir);
}

static void case_from_the_store(void **state) {
    (void)state;
    Case c = { .compiler = STR("gcc-12"),
               .flags = STR("-O1"),
               .good_flags = STR("-O0"),
               .verdict = STR("wrong") };
    c.expected = STR("3");
    c.code = 3;
    c.seed = STR("int printf(const char *, ...);\nint a;\nint main(void) {\n  int x = 3;\n  "
                 "printf(\"%d\", x);\n  return x;\n}\n");
    c.variant = STR("int printf(const char *, ...);\nint a;\nint main(void) {\n  int x = "
                    "3;\n#ifdef __OPTIMIZE__\n  x = a + 4;\n#endif\n"
                    "  printf(\"%d\", x);\n  return x;\n}\n");
    case_comes_and_goes_back(&c, STR("__OPTIMIZE__"));
    /* A compiler that passes with no flags of its own is compared with another one. */
    c.compiler = STR("tcc"), c.flags = STR("-O0"), c.good_flags = STR("");
    c.variant = STR("int printf(const char *, ...);\nint a;\nint main(void) {\n  int x = "
                    "3;\n#ifdef __TINYC__\n  x = a + 4;\n#endif\n"
                    "  printf(\"%d\", x);\n  return x;\n}\n");
    case_comes_and_goes_back(&c, STR("__TINYC__"));
}

/* Neither a sanitizer nor gcc's strict flags mind `int exit();` and `main(int x)`: what is passed
 * and returned is then whatever a register holds. */
static void what_is_run_is_defined(void **state) {
    (void)state;
    const char *dir = fixture_dir();
    fixture_file(dir, "a.c",
                 STR("void exit(int);\nint a;\nvoid f(int x) {\n#ifdef __OPTIMIZE__\n"
                     "  x += 1 + a;\n#endif\n  exit(x);\n}\nint main(void) {\n  f(0);\n}\n"),
                 false);
    RunResult r = REDUCE(dir, "--differs", "gcc-12 -O0", "gcc-12 -O2", "-o", "out", "a.c");
    fixture_ok(&r);
    Str left = fixture_read(file_join(&fixture, dir, "out"), "a.c");
    bool calls = str_find(left, STR("exit("), 0) != STR_NONE;
    assert_true(!calls || str_find(left, STR("void exit"), 0) != STR_NONE);
    assert_true(str_find(left, STR("main(int"), 0) == STR_NONE);
    assert_true(str_find(left, STR("__OPTIMIZE__"), 0) != STR_NONE && left.len < 120);
    workdir_remove(dir);
}

FIXTURE_MAIN(cmocka_unit_test(case_from_the_store), cmocka_unit_test(what_is_run_is_defined),
             cmocka_unit_test(golden_in_every_language),
             cmocka_unit_test(pair_shrinks_to_its_difference),
             cmocka_unit_test(same_for_any_number_of_jobs), cmocka_unit_test(pair_is_minimal),
             cmocka_unit_test(python_blocks_move_left), cmocka_unit_test(snippets_are_undone_first),
             cmocka_unit_test(alike_steps_are_taken_together),
             cmocka_unit_test(unreached_code_goes_at_once),
             cmocka_unit_test(unreached_code_goes_in_parts),
             cmocka_unit_test(unreached_code_that_prints_stays),
             cmocka_unit_test(unreferenced_items_go_at_once),
             cmocka_unit_test(needed_items_are_found_by_halving),
             cmocka_unit_test(numbered_values_get_names),
             cmocka_unit_test(the_nearest_passing_program),
             cmocka_unit_test(no_passing_program_is_near), cmocka_unit_test(in_place_with_backups),
             cmocka_unit_test(stopped_runs_go_on), cmocka_unit_test(candidates_know_their_edits))

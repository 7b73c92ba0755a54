/* One regression of each kind of failure: a wrong exit status, a signal, a run that does not end,
 * output that is wrong, cut off, missing, or written to a file; a number that came out shorter, a
 * format, and bytes that a child sends to its parent. Each version pair has several
 * changes that matter to nobody and lines that moved; each must be traced, and the ten lines that
 * are shown must lead from the guilty one to the failure, in the order in which they ran. */
#include "base/file.h"
#include "explain/explain.h"
#include "run/workdir.h"
#include "test.h"

typedef struct Kind {
    const char *name;
    const char *good, *bad; /* lines that stand for GUILTY in the program */
    const char *text;       /* the program */
    const char *test;
    const char *failure; /* what the analysis starts from */
    const char *told;    /* a line that the chain must show besides the guilty one; NULL: none */
    const char *said;    /* and the value that it must show there; NULL: any */
} Kind;

/* A list of numbers from the command line: what each program below begins with. */
#define BEGIN                                                                                      \
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"                             \
    "static int list[16], count;\n\n"                                                              \
    "static void read_list(int argc, char **argv) {\n"                                             \
    "    for (int i = 1; i < argc && count < 16; i++) list[count++] = atoi(argv[i]);\n}\n\n"       \
    "static int unused(int n) {\n    return n OTHER 3;\n}\n\n"                                     \
    "static int limit(void) {\n    int most = unused(1) ? 4 : 4;\n    return most;\n}\n\n"
#define END "    fprintf(stderr, \"done VERSION\\n\");\n    return 0;\n}\n"

static const Kind kinds[] = {
    { "status", "n >= 0", "n > 0",
      BEGIN "static int check(int n) {\n    if (GUILTY) return 0;\n    return 7;\n}\n\n"
            "int main(int argc, char **argv) {\n    int worst = 0;\n    read_list(argc, argv);\n"
            "    for (int i = 0; i < count && i < limit(); i++) {\n"
            "        int code = check(list[i]);\n        if (code > worst) worst = code;\n    }\n"
            "    if (worst) return worst;\n" END,
      "./p 3 0 2", "exit status 7, should be 0", "if (n > 0)", NULL },
    { "signal", "\"one\", \"two\", \"three\"", "\"one\", \"two\", NULL",
      BEGIN "static const char *name(int n) {\n"
            "    static const char *names[] = { GUILTY };\n"
            "    return names[n];\n}\n\n"
            "int main(int argc, char **argv) {\n    size_t all = 0;\n    read_list(argc, argv);\n"
            "    for (int i = 0; i < count; i++) {\n        const char *text = name(list[i]);\n"
            "        all += (size_t)text[0] + (size_t)limit();\n    }\n"
            "    printf(\"%zu\\n\", all);\n" END,
      "./p 0 2 1 >got", "signal 11", "text[0]", NULL },
    { "hang", "n--", "n -= n > 2",
      BEGIN "static int count_down(int n) {\n    int steps = 0;\n    while (n > 0) {\n"
            "        GUILTY;\n        steps += limit() - 3;\n    }\n    return steps;\n}\n\n"
            "int main(int argc, char **argv) {\n    read_list(argc, argv);\n"
            "    printf(\"%d\\n\", count_down(list[0]));\n" END,
      "timeout 1 ./p 3 >got", "does not end", NULL, NULL },
    { "output", "sum + n", "sum - n",
      BEGIN "static int add(int sum, int n) {\n    return GUILTY;\n}\n\n"
            "int main(int argc, char **argv) {\n    int sum = 0;\n    read_list(argc, argv);\n"
            "    for (int i = 0; i < count; i++) sum = add(sum, list[i]);\n"
            "    printf(\"first %d\\n\", limit());\n    printf(\"sum %d\\n\", sum);\n" END,
      "./p 1 2 3 | grep -qx 'sum 6'", "of the output is '-', should be '6'", "printf(\"sum",
      "\"sum -6\"" },
    { "cut off", "n < 9", "n < 2",
      BEGIN "static int is_good(int n) {\n    return GUILTY;\n}\n\n"
            "int main(int argc, char **argv) {\n    read_list(argc, argv);\n"
            "    for (int i = 0; i < count; i++) {\n        if (!is_good(list[i])) break;\n"
            "        printf(\"%d\\n\", list[i] + limit());\n    }\n" END,
      "./p 1 2 3 >got; grep -qx 7 got", "missing", "break", NULL },
    { "missing", "argc > 2", "argc > 4",
      BEGIN "static int is_long(int argc) {\n    return GUILTY;\n}\n\n"
            "int main(int argc, char **argv) {\n    int wide = is_long(argc);\n"
            "    read_list(argc, argv);\n    if (wide) printf(\"%d wide\\n\", limit());\n" END,
      "./p 1 2 3 | grep -q wide", "missing", "if (wide)", NULL },
    { "file", "n * 2", "n + 2",
      BEGIN "static int twice(int n) {\n    return GUILTY;\n}\n\n"
            "int main(int argc, char **argv) {\n    FILE *out = fopen(\"out.txt\", \"w\");\n"
            "    read_list(argc, argv);\n    if (!out) return 2;\n"
            "    for (int i = 0; i < count; i++) fprintf(out, \"%d\\n\", twice(list[i]));\n"
            "    fclose(out);\n    puts(limit() == 4 ? \"ok\" : \"no\");\n" END,
      "./p 2 5 && grep -qx 10 out.txt", "written files", "fprintf(out", "\"7\"" },
    { "a shorter number", "n * 21", "n * 2",
      BEGIN "static int scaled(int n) {\n    return GUILTY;\n}\n\n"
            "int main(int argc, char **argv) {\n    read_list(argc, argv);\n"
            "    int n = scaled(list[0]);\n    printf(\"%d of %d\\n\", n, limit());\n" END,
      "./p 3 | grep -qx '63 of 4'", "byte 1 of the output is ' ', should be '3'", "scaled(list",
      "6" },
    { "what a call returned", "'-'", "'+'",
      BEGIN "static const char *in;\n\n"
            "static int sign(int c) {\n    return c == '-' ? GUILTY : c;\n}\n\n"
            "static int atom(void) {\n    return *in ? *in++ - '0' : limit();\n}\n\n"
            "static int sum(void) {\n    int n = atom();\n    while (*in) {\n"
            "        int minus = sign(*in++) == '-', by = atom();\n"
            "        n = minus ? n - by : n + by;\n    }\n    return n;\n}\n\n"
            "int main(int argc, char **argv) {\n    in = argv[argc - 1];\n"
            "    read_list(1, argv);\n    printf(\"= %d\\n\", sum());\n" END,
      "./p 7-3+1 | grep -qx '= 5'", "should be '5'", "printf(\"= ", "\"= 11\"" },
    { "a format", "\"all: %d\\n\"", "\"all %d\\n\"",
      BEGIN "static void show(int n) {\n    printf(GUILTY, n);\n}\n\n"
            "int main(int argc, char **argv) {\n    read_list(argc, argv);\n"
            "    for (int i = 0; i < count && i < limit(); i++) show(list[i]);\n" END,
      "./p 3 | grep -qx 'all: 3'", "byte 3 of the output is ' ', should be ':'", NULL, NULL },
    { "a child's bytes", "n + 6", "n + 5",
      "#include <sys/wait.h>\n#include <unistd.h>\n" BEGIN
      "static int work(int n) {\n    return GUILTY;\n}\n\n"
      "int main(int argc, char **argv) {\n    int to[2], got = 0;\n    read_list(argc, argv);\n"
      "    if (pipe(to)) return 2;\n    if (!fork()) {\n        int one = work(list[0]);\n"
      "        _exit(write(to[1], &one, 4) != 4);\n    }\n    wait(NULL);\n"
      "    if (read(to[0], &got, 4) != 4) return 3;\n    printf(\"%d\\n\", got + limit());\n" END,
      "./p 3 | grep -qx 13", "(in a child of p)", "write(to", "\"\\x08\\x00\\x00\\x00\"" },
};

/* ---- the two versions ---- */

static Str replace(Arena *arena, Str text, const char *word, const char *with) {
    Buf out = { 0 };
    for (size_t at = 0; at < text.len;) {
        size_t next = str_find(text, str_from(word), at);
        if (next == STR_NONE) next = text.len;
        buf_fmt(&out, STR_FMT "%s", STR_ARG(str_sub(text, at, next)), next < text.len ? with : "");
        at = next + (next < text.len ? strlen(word) : 0);
    }
    Str kept = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return kept;
}

/* bad has lines of its own above everything, so that all lines moved. */
static const char *lay_out(Arena *arena, const Kind *k, bool bad) {
    char *dir = file_join(arena, workdir_new(arena, "test"), bad ? "bad" : "good");
    Str text = str_from(k->text);
    text = replace(arena, text, "GUILTY", bad ? k->bad : k->good);
    text = replace(arena, text, "OTHER", bad ? "-" : "+");
    text = replace(arena, text, "? 4 : 4", bad ? "? 4 : 2 + 2" : "? 4 : 4");
    text = replace(arena, text, "VERSION", bad ? "2" : "1");
    if (bad)
        text = replace(arena, text, "#include <stdio.h>\n",
                       "/* The second version:\n * it is longer. */\n#include <stdio.h>\n");
    assert_true(file_make_dirs(dir, NULL));
    assert_true(file_write(file_join(arena, dir, "p.c"), text, NULL));
    return dir;
}

/* ---- the answer ---- */

/* The one root is the guilty line, whatever its number. */
static bool is_root(const Explanation *e, const Kind *k) {
    size_t n = 0;
    bool guilty = false;
    for (size_t c = 0; c < e->set->changes.len; c++) {
        if (!e->root[c]) continue;
        n++;
        guilty = str_find(change_bad_text(e->set, c), str_from(k->bad), 0) != STR_NONE;
    }
    return n == 1 && guilty && explanation_count(e, e->rest) == 0;
}

/* NULL when the chain is as it should be. */
static const char *chain_fault(const Explanation *e, const Kind *k, const ChainSteps *chain) {
    if (!chain->len || chain->len > CHAIN_MOST) return "it has no steps, or too many";
    const TreeStep *first = chain->at[0].step;
    if (!first || first->change == NO_CHANGE || !e->root[first->change])
        return "it does not begin at the root";
    bool told = !k->told;
    for (size_t i = 0; i < chain->len; i++) {
        const TreeStep *step = chain->at[i].step;
        if (i && chain->at[i].when < chain->at[i - 1].when) return "it goes back in time";
        if (step && step->was.len && !step->differs && !e->root[step->change])
            return "it shows what is the same in both runs";
        told |= step && k->told && str_find(step->text, str_from(k->told), 0) != STR_NONE &&
                (!k->said || str_eq(step->now, str_from(k->said)));
    }
    return told ? NULL : "a line between is not shown";
}

static void check(const Kind *k) {
    Arena arena = { 0 };
    Live live;
    ExplainResult result = { 0 };
    Error err = { 0 };
    live_start(&live, true);
    ExplainRequest request = { .good = lay_out(&arena, k, false),
                               .bad = lay_out(&arena, k, true),
                               .build = "$CC -g -o p p.c",
                               .test = k->test,
                               .method = "after",
                               .workers = 2,
                               .live = &live };
    if (!explain_run(&request, &result, &err)) fail_msg("%s: %s", k->name, err.text);
    const Explanation *e = &result.explanation;
    ChainSteps chain = { 0 };
    explanation_chain(e, &chain);
    const char *fault = chain_fault(e, k, &chain);
    bool starts = str_find(e->failure, str_from(k->failure), 0) != STR_NONE;
    if (fault || !starts || !e->traced || !e->verified || !is_root(e, k) || e->dodges) {
        explanation_print(e, false, stderr);
        fail_msg("%s: traced %d, verified %d, starts from '" STR_FMT "', chain: %s", k->name,
                 e->traced, e->verified, STR_ARG(e->failure), fault ? fault : "fine");
    }
    vec_release(&chain);
    explain_result_release(&result);
    arena_release(&arena);
}

#define KIND(name, number)                                                                         \
    static void name(void **state) {                                                               \
        (void)state;                                                                               \
        check(&kinds[number]);                                                                     \
    }
KIND(an_exit_status, 0)
KIND(a_signal, 1)
KIND(a_run_that_does_not_end, 2)
KIND(wrong_output, 3)
KIND(output_that_is_cut_off, 4)
KIND(output_that_is_missing, 5)
KIND(a_file_that_was_written, 6)
KIND(a_shorter_number, 7)
KIND(what_a_call_returned, 8)
KIND(a_format, 9)
KIND(bytes_of_a_child, 10)

TEST_MAIN(cmocka_unit_test(an_exit_status), cmocka_unit_test(a_signal),
          cmocka_unit_test(a_run_that_does_not_end), cmocka_unit_test(wrong_output),
          cmocka_unit_test(output_that_is_cut_off), cmocka_unit_test(output_that_is_missing),
          cmocka_unit_test(a_file_that_was_written), cmocka_unit_test(a_shorter_number),
          cmocka_unit_test(what_a_call_returned), cmocka_unit_test(a_format),
          cmocka_unit_test(bytes_of_a_child))

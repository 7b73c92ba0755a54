/* culprit reduce: options into a ReduceRequest, the result printed or stored. */
#include "base/file.h"
#include "base/opts.h"
#include "base/shell.h"
#include "command/commands.h"
#include "command/reduce_case.h"
#include "command/reduce_print.h"
#include "command/trust.h"
#include "reduce/reduce.h"
#include "reduce/reduce_knobs.h"
#include <ctype.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ReduceOptions {
    const char *test, *passing, *passing_test, *lang, *grammar, *dir, *crash, *message, *hangs,
        *says;
    const char *method, *order, *store, *input, *snippets;
    StrVec differs;
    uint64_t jobs, rounds, number;
    double timeout, limit, time;
    bool json, quiet, trust, plain, text, any_failure, unchecked, any_c;
} ReduceOptions;
#define IN(member) OPT_IN(ReduceOptions, member)

static const Opt table[] = {
    { 0, "test", OPT_STR, IN(test), "FILE", "executable; exit status 0 means still interesting",
      "@files" },
    { 0, "crash", OPT_STR, IN(crash), "COMMAND",
      "the compiler crashes as it does now ('gcc-11 -O2 -S')", NULL },
    { 0, "message", OPT_STR, IN(message), "REGEX", "with --crash or --says: what it must write",
      NULL },
    { 0, "says", OPT_STR, IN(says), "COMMAND",
      "the command writes something that matches --message", NULL },
    { 0, "differs", OPT_LIST, IN(differs), "A B",
      "programs compiled by A and by B behave differently", NULL },
    { 0, "hangs", OPT_STR, IN(hangs), "COMMAND", "the compiler uses up --limit of CPU time", NULL },
    { 0, "limit", OPT_TIME, IN(limit), "TIME", "for --hangs [20s]", NULL },
    { 0, "any-failure", OPT_FLAG, IN(any_failure), NULL,
      "the failure may change: any signal, any crash, no end [the same failure as now]", NULL },
    { 0, "unchecked", OPT_FLAG, IN(unchecked), NULL,
      "with --differs: programs need not be free of undefined behaviour", NULL },
    { 0, "any-c", OPT_FLAG, IN(any_c), NULL,
      "with --crash or --hangs: also C that newer compilers refuse, such as implicit int", NULL },
    { 0, "passing", OPT_STR, IN(passing), "SEED",
      "a program (or directory) that does not fail: reduce the pair", "@files" },
    { 0, "passing-test", OPT_STR, IN(passing_test), "FILE",
      "executable that checks whether SEED is still good", "@files" },
    { 0, "case", OPT_UINT, IN(number), "N",
      "take the pair, the compiler and the flags from the store", "@cases" },
    { 0, "trust", OPT_FLAG, IN(trust), NULL, TRUST_HELP, NULL },
    { 0, "store", OPT_STR, IN(store), "STORE", "a file, or postgresql://.. [the user's own]",
      "@files" },
    { 0, "input", OPT_STR, IN(input), "FILE", "with --differs: standard input of the programs",
      "@files" },
    { 0, "snippets", OPT_STR, IN(snippets), "FILE.json",
      "with --passing: mutate's list; whole snippets are undone first", "@files" },
    { 0, "lang", OPT_STR, IN(lang), "NAME", "language [by the file's name]", NULL },
    { 0, "grammar", OPT_STR, IN(grammar), "FILE.so", "any tree-sitter grammar", "@files" },
    { 0, "text", OPT_FLAG, IN(text), NULL, "no language: lines and words", NULL },
    { 'o', "output", OPT_STR, IN(dir), "DIR", "write to DIR [in place, with .orig backups]",
      "@files" },
    { 'j', "jobs", OPT_UINT, IN(jobs), "N", "concurrent tests [all cores]", NULL },
    { 0, "n", OPT_UINT, IN(jobs), "N", "the same, as C-Vise calls it", NULL },
    { 0, "timeout", OPT_TIME, IN(timeout), "TIME",
      "a test that takes longer counts as no [30 times the first one's, 10s to 5m]", NULL },
    { 0, "time", OPT_TIME, IN(time), "TIME", "stop after TIME with the best so far [no limit]",
      NULL },
    { 0, "method", OPT_CHOICE, IN(method), "NAME", "ppr, or a baseline: dd, ddmin [ppr]",
      "ppr|dd|ddmin" },
    { 0, "order", OPT_STR, IN(order), "WORD", "reducers of a round: t, l and c [tlc]", NULL },
    { 0, "rounds", OPT_UINT, IN(rounds), "N", "most rounds [until nothing shrinks]", NULL },
    { 0, "plain", OPT_FLAG, IN(plain), NULL,
      "the published loop alone: none of culprit's own passes", NULL },
    { 0, "json", OPT_FLAG, IN(json), NULL, "the result as JSON, on standard output", NULL },
    { 'q', "quiet", OPT_FLAG, IN(quiet), NULL, "no progress", NULL },
    { 0 },
};
static const char *const conflicts[] = { "test",    "crash", "test",  "differs", "test",  "hangs",
                                         "test",    "says",  "crash", "differs", "crash", "hangs",
                                         "differs", "hangs", "crash", "says",    "hangs", "says",
                                         "differs", "says",  "lang",  "grammar", NULL };
static const OptSpec spec = {
    "reduce",
    "[OPTION].. FILE..  |  TEST FILE..",
    "make a failing program, or a pair with a passing one, as small as possible",
    table,
    conflicts,
    "A test runs in a fresh directory that holds only the candidate's files under\n"
    "their own names. Several files and directories are reduced together. As with\n"
    "C-Vise the test may come first, without --test.\n"
    "Exit status: 0 reduced; 1 FILE (or SEED) is not interesting at the start, or\n"
    "the test changed its mind; 2 wrong usage, or the empty file is interesting\n"
    "too; 3 a program is missing.\n"
    "\n"
    "  culprit reduce ./test.sh bug.c\n"
    "  culprit reduce --crash 'gcc-11 -O2 -S' bug.c\n"
    "  culprit reduce --differs 'gcc-11 -O0' 'gcc-11 -O3' --passing seed.c -o small variant.c\n"
    "  culprit reduce --test ./t.sh a.c b.c inc/\n",
    0,
    OPT_MANY,
    "@files"
};

/* `--differs A B` as two options of the table. */
static char **spread_differs(Arena *arena, int *argc, char **argv) {
    char **out = ARENA_ARRAY(arena, char *, *argc * 2 + 2);
    int n = 0;
    for (int i = 0; i < *argc; i++) {
        out[n++] = argv[i];
        if (strcmp(argv[i], "--differs") || i + 2 >= *argc) continue;
        out[n++] = argv[++i];
        if (strcmp(argv[i + 1], "--differs") == 0) continue;
        out[n++] = "--differs";
        out[n++] = argv[++i];
    }
    *argc = n;
    return out;
}

static int count_tests(const ReduceOptions *o) {
    return (o->test != NULL) + (o->crash != NULL) + (o->hangs != NULL) + (o->says != NULL) +
           (o->differs.len > 0);
}

static bool is_test(Str word) {
    return access(word.at, X_OK) == 0 && !file_is_dir(word.at);
}

/* C-Reduce's and C-Vise's command line: an executable and its files, in either order. */
static void take_operand_as_test(ReduceOptions *o, StrVec *rest) {
    if (count_tests(o) || o->number || rest->len < 2) return;
    size_t at = is_test(rest->at[0]) ? 0 : rest->len - 1;
    if (!is_test(rest->at[at])) return;
    o->test = rest->at[at].at;
    memmove(rest->at + at, rest->at + at + 1, (rest->len - at - 1) * sizeof *rest->at);
    rest->len--;
}

/* Meant as a test, but nobody may run it. */
static bool is_script(Str word) {
    char begin[2] = { 0 };
    FILE *file = is_test(word) ? NULL : fopen(word.at, "r");
    if (!file) return false;
    bool script = fread(begin, 1, 2, file) == 2 && begin[0] == '#' && begin[1] == '!';
    fclose(file);
    return script;
}

/* Programs or a test alone: says what to type with them. */
static bool ask_for_the_other(const StrVec *given, Error *err) {
    Buf name = { 0 };
    size_t script = 0;
    while (script < given->len && !is_script(given->at[script])) script++;
    shell_quote(&name, given->at[script < given->len ? script : 0]);
    if (given->len > 1 && script < given->len)
        err_set(err, STATUS_BAD, "%s is not executable: chmod +x %s", name.at, name.at);
    else if (is_test(given->at[0]))
        err_set(err, STATUS_BAD, "reduce what? culprit reduce %s FILE", name.at);
    else
        err_set(err, STATUS_BAD,
                "what must stay? culprit reduce ./test.sh %s, or culprit reduce --crash "
                "'gcc-12 -O2 -S' %s; also --differs, --hangs, --says",
                name.at, name.at);
    buf_release(&name);
    return false;
}

static bool check_options(const ReduceOptions *o, const StrVec *rest, Error *err) {
    int tests = count_tests(o);
    if (strspn(o->order, "tlc") != strlen(o->order) || !*o->order)
        return err_set(err, STATUS_BAD, "--order is a word made of t, l and c, not '%s'", o->order);
    if (o->number) {
        if (rest->len || tests)
            return err_set(err, STATUS_BAD, "--case takes program and test from the store");
        return true;
    }
    if (!rest->len)
        return err_set(err, STATUS_BAD, "reduce needs the FILE to reduce (or --case N)");
    if (!tests) return ask_for_the_other(rest, err);
    if (tests > 1)
        return err_set(err, STATUS_BAD, "only one of --test, --crash, --differs, --hangs, --says");
    if (o->differs.len && o->differs.len != 2)
        return err_set(err, STATUS_BAD, "--differs takes two compilations");
    if (o->snippets && !o->passing)
        return err_set(err, STATUS_BAD,
                       "--snippets needs --passing: the program they were inserted into");
    if (o->says && !o->message) return err_set(err, STATUS_BAD, "--says needs --message");
    if (o->message && !o->says && !o->crash)
        return err_set(err, STATUS_BAD, "--message goes with --crash or --says");
    if (o->test && o->passing && !o->passing_test)
        return err_set(err, STATUS_BAD, "--passing with --test needs --passing-test");
    if (strcmp(o->method, "dd") == 0 && !o->passing)
        return err_set(err, STATUS_BAD, "dd needs --passing (its test says what passes)");
    return true;
}

/* ---- files ---- */
typedef VEC(ReduceFile) ReduceFiles;

/* Whether it is compiled: headers and other text are only included. */
static bool is_unit(const char *name) {
    static const char *const ends[] = { ".h", ".hh", ".hpp", ".hxx", ".inc", ".def", ".txt" };
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(str_from(name), ends[i])) return false;
    return true;
}

static bool add_file(Arena *arena, const char *path, const char *name, ReduceFiles *out,
                     Error *err) {
    for (size_t i = 0; i < out->len; i++)
        if (strcmp(out->at[i].name, name) == 0)
            return err_set(err, STATUS_BAD,
                           "%s and %s would both be %s: give paths from the directory they are in",
                           out->at[i].path, path, name);
    ReduceFile file = { .name = name, .path = path, .unit = is_unit(name) };
    if (!file_read(arena, path, &file.text, err)) return false;
    vec_push(out, file);
    return true;
}

/* Relative paths stay, so that files find each other; others are called by their last part. */
static const char *name_in_test(Arena *arena, const char *path, bool alone) {
    while (path[0] == '.' && path[1] == '/') path += 2;
    if (alone || path[0] == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../"))
        return file_name(path);
    return arena_strdup(arena, path);
}

/* The files of an operand: itself, or what is below a directory. `root`: names begin below it. */
static bool add_operand(Arena *arena, const char *path, bool alone, ReduceFiles *out, Error *err) {
    if (!file_is_dir(path))
        return add_file(arena, path, name_in_test(arena, path, alone), out, err);
    StrVec list = { 0 };
    bool ok = file_list(arena, path, NULL, &list, err);
    size_t skip = strlen(path);
    while (skip > 1 && path[skip - 1] == '/') skip--;
    for (size_t i = 0; i < list.len && ok; i++) {
        const char *file = list.at[i].at;
        if (str_ends(list.at[i], ".orig")) continue;
        const char *below = file + skip;
        while (*below == '/') below++;
        ok = add_file(arena, file, alone ? below : name_in_test(arena, file, false), out, err);
    }
    vec_release(&list);
    if (ok && !out->len) return err_set(err, STATUS_BAD, "there is no file in %s", path);
    return ok;
}

/* Whether the test's script calls a file, or what is below a directory, by the relative path that
 * was given: then it has that path where the test runs. */
static bool script_names(Arena *arena, const ReduceOptions *o, const char *path) {
    Str text;
    Error none = { 0 };
    while (path[0] == '.' && path[1] == '/') path += 2;
    const char *name =
        file_is_dir(path) && !str_ends(str_from(path), "/") ? arena_fmt(arena, "%s/", path) : path;
    if (!o->test || path[0] == '/' || !strchr(name, '/') ||
        !file_read(arena, o->test, &text, &none))
        return false;
    for (size_t at = 0; (at = str_find(text, str_from(name), at)) != STR_NONE; at++) {
        char before = at ? text.at[at - 1] : ' ';
        bool here = before == '/' && at > 1 && text.at[at - 2] == '.' &&
                    (at < 3 || !strchr("./", text.at[at - 3]));
        if (here || !(isalnum((unsigned char)before) || strchr("/._-", before))) return true;
    }
    return false;
}

static void give_files(Arena *arena, ReduceRequest *q, int side, ReduceFiles *files) {
    q->files[side] = arena_copy(arena, files->at, files->len * sizeof *files->at);
    q->n_files[side] = files->len;
    vec_release(files);
}

static bool read_files(Arena *arena, const ReduceOptions *o, const StrVec *rest, ReduceRequest *q,
                       Error *err) {
    ReduceFiles failing = { 0 }, passing = { 0 };
    bool ok = true, alone = rest->len == 1 && !script_names(arena, o, rest->at[0].at);
    for (size_t i = 0; i < rest->len && ok; i++)
        ok = add_operand(arena, rest->at[i].at, alone, &failing, err);
    if (ok && o->passing) ok = add_operand(arena, o->passing, true, &passing, err);
    give_files(arena, q, VARIANT, &failing);
    give_files(arena, q, SEED, &passing);
    if (ok && o->snippets) ok = file_read(arena, o->snippets, &q->snippets, err);
    q->snippets_name = o->snippets;
    return ok && (!o->input || file_read(arena, o->input, &q->test.input, err));
}

/* ---- the request ---- */
static void fill_test(const ReduceOptions *o, ReduceTest *test) {
    *test = (ReduceTest){ .script = o->test,
                          .passing_script = o->passing_test,
                          .message = o->message,
                          .timeout = o->timeout,
                          .limit = o->limit,
                          .any_failure = o->any_failure,
                          .unchecked = o->unchecked,
                          .any_c = o->any_c };
    if (o->test)
        test->kind = TEST_SCRIPT;
    else if (o->crash)
        test->kind = TEST_CRASH, test->command = o->crash;
    else if (o->hangs)
        test->kind = TEST_HANGS, test->command = o->hangs;
    else if (o->says)
        test->kind = TEST_SAYS, test->command = o->says;
    else if (o->differs.len) {
        test->kind = TEST_DIFFERS;
        test->command = o->differs.at[0].at, test->command2 = o->differs.at[1].at;
    }
}

static ReduceRequest make_request(const ReduceOptions *o) {
    ReduceRequest q = { .lang = o->lang,
                        .grammar = o->grammar,
                        .text = o->text,
                        .dir = o->dir,
                        .method = o->method,
                        .order = o->order,
                        .rounds = o->rounds,
                        .plain = o->plain,
                        .jobs = (unsigned)o->jobs,
                        .time_s = o->time,
                        .quiet = o->quiet };
    fill_test(o, &q.test);
    return q;
}

static bool run_files(Arena *arena, const ReduceOptions *o, const StrVec *rest, Error *err) {
    ReduceRequest q = make_request(o);
    ReduceResult result = { 0 };
    bool ok = read_files(arena, o, rest, &q, err) && reduce_run(&q, &result, err);
    if (ok) reduce_print(&result, o->json, o->quiet, "");
    reduce_release(&result);
    return ok;
}

static bool run_case(Arena *arena, const ReduceOptions *o, Error *err) {
    ReduceRequest q = make_request(o);
    ReduceResult result = { 0 };
    Case c;
    if (!trust_case(o->store, (int64_t)o->number, o->trust, err)) return false;
    Store *store = store_open(o->store, STORE_WRITE, err);
    bool ok = store && store_case_get(store, arena, (int64_t)o->number, &c, err) &&
              reduce_case_request(arena, &c, &q, err) && reduce_run(&q, &result, err);
    run_forget_interrupt();
    ok = ok && reduce_case_keep(store, &c, &result, err);
    if (ok) reduce_print(&result, o->json, o->quiet, "the store");
    reduce_release(&result);
    store_close(store);
    return ok;
}

int reduce_command(int argc, char **argv) {
    ReduceOptions o = { .method = "ppr", .order = "tlc", .limit = REDUCE_HANG };
    Arena arena = { 0 };
    Error err = { 0 };
    Opts opts;
    argv = spread_differs(&arena, &argc, argv);
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    if (end == OPTS_GO) take_operand_as_test(&o, &opts.rest);
    bool ok = end == OPTS_STOP || (end == OPTS_GO && check_options(&o, &opts.rest, &err));
    if (ok && end == OPTS_GO) {
        run_catch_interrupts();
        ok = o.number ? run_case(&arena, &o, &err) : run_files(&arena, &o, &opts.rest, &err);
    }
    opts_release(&opts);
    vec_release(&o.differs);
    arena_release(&arena);
    return ok ? STATUS_DONE : err_report(&err);
}

/* culprit explain: which change broke it, and how. Options in, the answer out; the work is
 * explain_run's. */
#include "base/file.h"
#include "base/homes.h"
#include "base/live.h"
#include "base/opts.h"
#include "command/commands.h"
#include "command/explain_case.h"
#include "command/trust.h"
#include "explain/explain.h"
#include "explain/history/git.h"
#include "run/run.h"

#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ExplainOptions {
    ExplainRequest request;
    StrVec globs, suspects, writable;
    const char *out_dir, *store, *dump;
    uint64_t workers, case_id;
    bool check, as_json, forget, whole;
    bool trust, unconfined, network; /* what may be run, and what builds and tests may do */
} ExplainOptions;

static const char notes[] =
    "CMD is run by /bin/sh in a working copy, with CC=culprit-cc for the traced\n"
    "build and your own CC for the others; a script that exists only in the current\n"
    "directory is found from there. The given directories are only read. Two\n"
    "operands after the command are good and bad: directories, or commits of the\n"
    "repository in the current directory.\n"
    "\n"
    "  culprit explain bc-1.05a bc-1.06 --build make --test ./test.sh\n"
    "  culprit explain --git --good v1.2 --bad v1.3 --build make --test 'make check'\n"
    "\n"
    "Between commits of one history, the commit that broke it is found first\n"
    "(--no-history: the whole difference at once).\n"
    "\n"
    "Exit status: 0 a root was found and verified; 1 the versions do not differ on\n"
    "the test, or no root was found in time; 2 bad input, or a build that fails on\n"
    "the untouched versions; 3 a tool is missing.";

enum { TABLE_ROWS = 32 };

static void fill_table(Opt *table, ExplainOptions *o) {
    ExplainRequest *r = &o->request;
    const Opt rows[] = {
        { 0, "good", OPT_STR, &r->good, "DIR", "version that passes (with --git: a commit)", NULL },
        { 0, "bad", OPT_STR, &r->bad, "DIR", "version that fails (with --git: a commit)", NULL },
        { 0, "build", OPT_STR, &r->build, "CMD", "how a version is built; run by /bin/sh in a copy",
          NULL },
        { 0, "test", OPT_STR, &r->test, "CMD", "exits 0 when good; run by /bin/sh in a copy",
          NULL },
        { 0, "expect", OPT_STR, &r->expect, "FILE", "what the program should have written",
          "@files" },
        { 0, "files", OPT_LIST, &o->globs, "GLOB", "only changes in these files; may be repeated",
          NULL },
        { 0, "suspects", OPT_LIST, &o->suspects, "FILE", "files to look at first; may be repeated",
          "@files" },
        { 0, "method", OPT_CHOICE, &r->method, "NAME", "after, dd, ddmin or add [after]",
          "after|dd|ddmin|add" },
        { 0, "git", OPT_FLAG, &r->git, NULL,
          "good and bad are commits of the repository in this directory", NULL },
        { 0, "no-history", OPT_FLAG, &r->no_history, NULL,
          "do not look for the commit first: explain the whole difference", NULL },
        { 0, "case", OPT_UINT, &o->case_id, "N",
          "explain a case of a compiler whose sources are known", "@cases" },
        { 0, "store", OPT_STR, &o->store, "STORE",
          "the store of the case: a file, or postgresql://.. [the user's own]", "@files" },
        { 0, "trust", OPT_FLAG, &o->trust, NULL, TRUST_HELP, NULL },
        { 0, "unconfined", OPT_FLAG, &o->unconfined, NULL,
          "builds and tests may write anywhere and use the network", NULL },
        { 0, "network", OPT_FLAG, &o->network, NULL, "builds and tests may use the network", NULL },
        { 0, "writable", OPT_LIST, &o->writable, "DIR", "builds and tests may also write below DIR",
          "@files" },
        { 'o', "output", OPT_STR, &o->out_dir, "DIR",
          "write revert.patch, explanation.json, tree.dot", NULL },
        { 'j', "jobs", OPT_UINT, &o->workers, "N", "worker trees [all cores]", NULL },
        { 0, "time", OPT_TIME, &r->time_s, "TIME", "stop after TIME with the best answer [30m]",
          NULL },
        { 0, "cpu-time", OPT_TIME, &r->cpu_s, "TIME",
          "the same for CPU time, builds and tests included", NULL },
        { 0, "check", OPT_FLAG, &o->check, NULL, "only check whether good passes and bad fails",
          NULL },
        { 0, "no-trace", OPT_FLAG, &r->no_trace, NULL, "find it by reverting alone, without traces",
          NULL },
        { 0, "hunks", OPT_FLAG, &r->whole_hunks, NULL,
          "revert the hunks of a line diff whole, not their single statements", NULL },
        { 0, "forget", OPT_FLAG, &o->forget, NULL, "do not continue an earlier run", NULL },
        { 0, "whole", OPT_FLAG, &o->whole, NULL, "show every step and change, not only the first",
          NULL },
        { 0, "dump", OPT_CHOICE, &o->dump, "STEP", "show on stderr: search (what is tried)",
          "search" },
        { 0, "json", OPT_FLAG, &o->as_json, NULL, "the explanation as JSON on stdout", NULL },
        { 0 }
    };
    _Static_assert(COUNT_OF(rows) <= TABLE_ROWS, "more room for options");
    memcpy(table, rows, sizeof rows);
}

/* ---- the request ---- */

/* When anything in a tree was changed last: a test or a makefile that both versions have is also
 * part of the question. */
static double newest(Arena *arena, const char *dir) {
    StrVec all = { 0 };
    double last = 0;
    if (file_list(arena, dir, NULL, &all, NULL))
        for (size_t i = 0; i < all.len; i++) {
            struct stat st;
            if (stat(all.at[i].at, &st) != 0) continue;
            last = fmax(last, (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec * 1e-9);
        }
    vec_release(&all);
    return last;
}

#define SHELL_BREAKS                                                                               \
    " \t\n;|&<>()$`\"'*?[" /* what ends a word of a command that may name a file                   \
                            */

/* The files that a command names, and when each was changed: a script that was mended asks
 * something else. */
static void add_files(Arena *arena, const char *command, Buf *question) {
    for (const char *at = command; *at;) {
        at += strspn(at, SHELL_BREAKS);
        size_t n = strcspn(at, SHELL_BREAKS);
        const char *word = arena_cstr(arena, (Str){ at, n });
        struct stat st;
        if (n && stat(word, &st) == 0 && S_ISREG(st.st_mode))
            buf_fmt(question, "\n%s %lld %lld.%09ld", word, (long long)st.st_size,
                    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        at += n;
    }
}

/* Where the verdicts of exactly this question are stored. */
static const char *state_dir(Arena *arena, const ExplainRequest *r) {
    const char *cache = home_of(arena, HOME_CACHE, NULL);
    if (!cache) return NULL;
    char cwd[4096];
    if (!getcwd(cwd, sizeof cwd)) return NULL;
    const char *cc = getenv("CC");
    double changed[] = { r->git ? 0 : newest(arena, r->good), r->git ? 0 : newest(arena, r->bad) };
    Buf question = { 0 };
    buf_fmt(&question, "%s\n%s\n%s\n%s\n%s\n%d\n%s\n%.6f\n%.6f", cwd, r->good, r->bad, r->build,
            r->test, r->git, cc ? cc : "", changed[0], changed[1]);
    add_files(arena, r->build, &question);
    add_files(arena, r->test, &question);
    Hash hash = str_hash128(buf_view(&question));
    buf_release(&question);
    return arena_fmt(arena, "%s/explain/state/%016lx%016lx", cache, (unsigned long)hash.hi,
                     (unsigned long)hash.lo);
}

/* Without a place to keep them (a read-only home) verdicts last as long as this run. */
static const char *kept_in(const char *dir) {
    Error why = { 0 };
    if (!dir || file_make_dirs(dir, &why)) return dir;
    fprintf(stderr, "verdicts are not kept: %s\n", why.text);
    return NULL;
}

/* Two operands are good and bad; what is not a directory is a commit. */
static void take_operands(ExplainRequest *r, const StrVec *rest) {
    if (rest->len < 2) return;
    r->good = rest->at[0].at;
    r->bad = rest->at[1].at;
    r->git |= !file_is_dir(r->good) && !file_is_dir(r->bad);
}

static bool versions_have(Arena *arena, const ExplainRequest *r, const char *path) {
    if (!r->git) return file_exists(file_join(arena, r->bad, path));
    return git_has_file(arena, r->repository, r->good, path) ||
           git_has_file(arena, r->repository, r->bad, path);
}

/* "./test.sh arg": a script that is in the current directory but not in the versions is run from
 * there. "./configure" in a repository is that of the commit, not of what is checked out. */
static void find_script(Arena *arena, const ExplainRequest *r, const char **command) {
    Str text = str_from(*command);
    size_t end = 0;
    while (end < text.len && !strchr(SHELL_BREAKS, text.at[end])) end++;
    const char *word = arena_cstr(arena, str_sub(text, 0, end));
    char cwd[4096];
    if (!end || word[0] == '/' || !strchr(word, '/') || !file_exists(word)) return;
    if (versions_have(arena, r, word)) return;
    if (getcwd(cwd, sizeof cwd)) *command = arena_fmt(arena, "%s/%s", cwd, *command);
}

static void allow_builds(Arena *arena, const ExplainOptions *o) {
    const char **writes = ARENA_ARRAY(arena, const char *, o->writable.len + 1);
    for (size_t i = 0; i < o->writable.len; i++) writes[i] = arena_cstr(arena, o->writable.at[i]);
    run_allow_builds(&(RunRights){ o->unconfined, o->network, writes });
}

/* What of a path is there already: itself, or the nearest directory above it; resolved. */
static const char *what_exists(Arena *arena, const char *path) {
    char *at = arena_strdup(arena, path);
    while (!file_exists(at)) {
        char *slash = strrchr(at, '/');
        if (!slash) return arena_strdup(arena, ".");
        at = slash == at ? arena_strdup(arena, "/") : (*slash = 0, at);
    }
    return at;
}

static bool is_below(Arena *arena, const char *path, const char *dir) {
    char inner[PATH_MAX], outer[PATH_MAX];
    if (!realpath(what_exists(arena, path), inner) || !realpath(dir, outer)) return false;
    size_t n = strlen(outer);
    return strncmp(inner, outer, n) == 0 && (!inner[n] || inner[n] == '/');
}

/* Answers take long: whether they can be written is asked before. A version is only read. */
static bool check_output(Arena *arena, const ExplainOptions *o, Error *err) {
    const ExplainRequest *r = &o->request;
    const char *dir = o->out_dir, *versions[] = { r->good, r->bad };
    if (!dir) return true;
    if (file_exists(dir) && !file_is_dir(dir))
        return err_set(err, STATUS_BAD, "the answer goes into a directory, and %s is a file", dir);
    for (size_t i = 0; i < COUNT_OF(versions) && !r->git && !o->case_id; i++)
        if (is_below(arena, dir, versions[i]))
            return err_set(err, STATUS_BAD,
                           "the answer would be written into a version: %s is in %s", dir,
                           versions[i]);
    if (access(what_exists(arena, dir), W_OK) != 0)
        return err_write(err, "cannot write into %s", what_exists(arena, dir));
    return true;
}

static bool check_options(const ExplainRequest *r, Error *err) {
    const char *const names[] = { "good", "bad", "build", "test" };
    const char *const values[] = { r->good, r->bad, r->build, r->test };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!values[i] || !*values[i])
            return err_set(err, STATUS_BAD, "explain needs --%s; see culprit explain --help",
                           names[i]);
    if (r->expect && !file_exists(r->expect)) return err_errno(err, "cannot read %s", r->expect);
    return true;
}

/* ---- answers ---- */

static int print_check(const ExplainRequest *request) {
    Arena arena = { 0 };
    Error err = { 0 };
    CheckReport report;
    bool ok = explain_check(request, &report, &arena, &err);
    if (report.good_end.len) printf("good: " STR_FMT "\n", STR_ARG(report.good_end));
    if (report.bad_end.len) printf("bad: " STR_FMT "\n", STR_ARG(report.bad_end));
    if (ok) {
        if (report.alike)
            printf("bad under culprit-cc: " STR_FMT ", alike\n", STR_ARG(report.traced_end));
        else
            printf("bad under culprit-cc: " STR_FMT "\n", STR_ARG(report.why));
    }
    fflush(stdout);
    int status = ok ? (report.alike ? STATUS_DONE : STATUS_NO) : err_report(&err);
    arena_release(&arena);
    return status;
}

static bool show(const ExplainOptions *o, const Explanation *e, Error *err) {
    if (o->out_dir && !explanation_write(e, o->out_dir, err)) return false;
    if (o->case_id && !case_keep(o->store, (int64_t)o->case_id, e, err)) return false;
    if (o->as_json) {
        json_t *json = explanation_json(e);
        json_print(json);
        json_decref(json);
    } else {
        explanation_print(e, o->whole, stdout);
    }
    return true;
}

static int answer(const ExplainOptions *o, Error *err) {
    ExplainResult result;
    bool ok = explain_run(&o->request, &result, err);
    live_end(o->request.live);
    const Explanation *e = &result.explanation;
    ok = ok && show(o, e, err);
    bool whole = e->found && e->verified && e->complete;
    if (ok && run_interrupted())
        ok = err_set(err, STATUS_INTERRUPTED,
                     "interrupted; what was built and tested is kept: the same command continues");
    int status = !ok ? err_report(err) : whole ? STATUS_DONE : STATUS_NO;
    explain_result_release(&result);
    return status;
}

static int run_parsed(ExplainOptions *o, const StrVec *rest, Arena *arena, Error *err) {
    ExplainRequest *r = &o->request;
    take_operands(r, rest);
    r->globs = &o->globs;
    r->suspects = &o->suspects;
    r->workers = (unsigned)o->workers;
    r->dump_search = o->dump != NULL;
    allow_builds(arena, o);
    if (o->case_id && !trust_case(o->store, (int64_t)o->case_id, o->trust, err))
        return err_report(err);
    if (o->case_id && !case_request(arena, o->store, (int64_t)o->case_id, r, &o->suspects, err))
        return err_report(err);
    if (!check_options(r, err) || !check_output(arena, o, err)) return err_report(err);
    find_script(arena, r, &r->test);
    find_script(arena, r, &r->build);
    if (!o->forget) r->state = kept_in(state_dir(arena, r));
    return o->check ? print_check(r) : answer(o, err);
}

int explain_command(int argc, char **argv) {
    ExplainOptions o = { .request = { .method = "after", .time_s = 30 * 60 } };
    Opt table[TABLE_ROWS];
    fill_table(table, &o);
    const OptSpec spec = { .name = "explain",
                           .usage = "--good DIR --bad DIR --build CMD --test CMD [OPTION]..",
                           .brief = "find the change that broke a program, and how it broke it",
                           .table = table,
                           .notes = notes,
                           .most = 2 };
    Error err = { 0 };
    StrVec rest = { 0 };
    switch (opts_parse(&spec, argc, argv, &rest, &err)) {
    case OPTS_STOP: return STATUS_DONE;
    case OPTS_BAD: return err_report(&err);
    case OPTS_GO: break;
    }
    Arena arena = { 0 };
    Live live;
    live_start(&live, false);
    run_catch_interrupts();
    o.request.live = &live;
    int status = run_parsed(&o, &rest, &arena, &err);
    live_end(&live);
    vec_release(&rest);
    vec_release(&o.globs);
    vec_release(&o.suspects);
    vec_release(&o.writable);
    arena_release(&arena);
    return status;
}

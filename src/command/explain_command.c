/* culprit explain: which change broke it, and how. */
#include "base/file.h"
#include "base/homes.h"
#include "base/live.h"
#include "base/opts.h"
#include "command/commands.h"
#include "command/trust.h"
#include "explain/case.h"
#include "explain/explain.h"
#include "explain/git.h"
#include "run/run.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *good, *bad, *build, *test, *expect, *method = "after", *out_dir, *store, *dump;
static StrVec globs, suspects;
static bool use_git, check, as_json, no_trace, forget, trust, unconfined, network;
static StrVec writable;
static uint64_t workers, case_id;
static double time_s = 30 * 60, cpu_s;

static const Opt table[] = {
    { 0, "good", OPT_STR, &good, "DIR", "version that passes (with --git: a commit)", NULL },
    { 0, "bad", OPT_STR, &bad, "DIR", "version that fails (with --git: a commit)", NULL },
    { 0, "build", OPT_STR, &build, "CMD", "how a version is built; run by /bin/sh in a copy",
      NULL },
    { 0, "test", OPT_STR, &test, "CMD", "exits 0 when good; run by /bin/sh in a copy", NULL },
    { 0, "expect", OPT_STR, &expect, "FILE", "what the program should have written", "@files" },
    { 0, "files", OPT_LIST, &globs, "GLOB", "only changes in these files; may be repeated", NULL },
    { 0, "suspects", OPT_LIST, &suspects, "FILE", "files to look at first; may be repeated",
      "@files" },
    { 0, "method", OPT_CHOICE, &method, "NAME", "after, dd, ddmin or add [after]",
      "after|dd|ddmin|add" },
    { 0, "git", OPT_FLAG, &use_git, NULL, "good and bad are commits of the repository here", NULL },
    { 0, "case", OPT_UINT, &case_id, "N", "explain a case of a compiler whose sources are known",
      "@cases" },
    { 0, "trust", OPT_FLAG, &trust, NULL, TRUST_HELP, NULL },
    { 0, "unconfined", OPT_FLAG, &unconfined, NULL,
      "builds and tests may write anywhere and use the network", NULL },
    { 0, "network", OPT_FLAG, &network, NULL, "builds and tests may use the network", NULL },
    { 0, "writable", OPT_LIST, &writable, "DIR", "builds and tests may also write below DIR",
      "@files" },
    { 0, "store", OPT_STR, &store, "FILE", "the store of the case [the default store]", "@files" },
    { 'o', "output", OPT_STR, &out_dir, "DIR", "write revert.patch, explanation.json, tree.dot",
      NULL },
    { 'j', "jobs", OPT_UINT, &workers, "N", "worker trees [all cores]", NULL },
    { 0, "time", OPT_TIME, &time_s, "TIME", "stop after TIME with the best answer [30m]", NULL },
    { 0, "cpu-time", OPT_TIME, &cpu_s, "TIME", "the same for CPU time, builds and tests included",
      NULL },
    { 0, "check", OPT_FLAG, &check, NULL, "only tell whether good passes and bad fails", NULL },
    { 0, "no-trace", OPT_FLAG, &no_trace, NULL, "find it by reverting alone", NULL },
    { 0, "forget", OPT_FLAG, &forget, NULL, "do not go on from an earlier run", NULL },
    { 0, "dump", OPT_CHOICE, &dump, "STEP", "show on stderr: search (what is tried)", "search" },
    { 0, "json", OPT_FLAG, &as_json, NULL, "the explanation as JSON on stdout", NULL },
    { 0 }
};

static const OptSpec spec = {
    .name = "explain",
    .usage = "--good DIR --bad DIR --build CMD --test CMD [OPTION]..",
    .brief = "find the change that broke a program, and how it did",
    .table = table,
    .notes = "CMD is run by /bin/sh in a working copy, with CC=culprit-cc for the traced build and "
             "your own\n"
             "CC for the others. The directories given are only read.\n\n"
             "  culprit explain --good bc-1.05a --bad bc-1.06 --build make --test ./test.sh\n"
             "  culprit explain --git --good v1.2 --bad v1.3 --build make --test 'make check'\n\n"
             "Status: 0 a root was found and verified; 1 the versions do not differ on the test, "
             "or no root\n"
             "was found in the time; 2 bad input, a build that fails on the untouched versions; 3 "
             "a tool is\n"
             "missing.",
};

/* When anything in a tree was changed last: a test or a makefile that both versions have is part of
 * the question, too. */
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

/* Where the verdicts of this very question are kept. */
static const char *state_dir(Arena *arena, const ExplainRequest *r) {
    const char *cache = home_of(arena, HOME_CACHE, NULL);
    if (!cache) return NULL;
    char cwd[4096];
    if (!getcwd(cwd, sizeof cwd)) return NULL;
    const char *cc = getenv("CC");
    double changed[] = { use_git ? 0 : newest(arena, r->good),
                         use_git ? 0 : newest(arena, r->bad) };
    char *question =
        arena_fmt(arena, "%s\n%s\n%s\n%s\n%s\n%d\n%s\n%.6f\n%.6f", cwd, r->good, r->bad, r->build,
                  r->test, use_git, cc ? cc : "", changed[0], changed[1]);
    Hash hash = str_hash128(str_from(question));
    return arena_fmt(arena, "%s/explain/state/%016lx%016lx", cache, (unsigned long)hash.hi,
                     (unsigned long)hash.lo);
}

static void allow_builds(Arena *arena) {
    const char **writes = ARENA_ARRAY(arena, const char *, writable.len + 1);
    for (size_t i = 0; i < writable.len; i++) writes[i] = arena_cstr(arena, writable.at[i]);
    run_allow_builds(&(RunRights){ unconfined, network, writes });
}

static bool check_options(const ExplainRequest *r, Error *err) {
    const char *const names[] = { "good", "bad", "build", "test" };
    const char *const values[] = { r->good, r->bad, r->build, r->test };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!values[i] || !*values[i])
            return err_set(err, STATUS_BAD, "explain needs --%s; see culprit explain --help",
                           names[i]);
    if (expect && !file_exists(expect)) return err_errno(err, "cannot read %s", expect);
    return true;
}

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

static int answer(const ExplainRequest *request, const GitPair *git, Error *err) {
    Explanation e = { 0 };
    ChangeSet set = { 0 };
    bool ok = explain_run(request, &e, &set, err);
    live_end(request->live);
    int status = STATUS_DONE;
    if (ok && git) git_blame(git, &e);
    if (ok && out_dir) ok = explanation_write(&e, out_dir, err);
    if (ok) {
        if (good) e.good = good;
        if (bad) e.bad = bad;
        if (case_id) ok = case_keep(store, (int64_t)case_id, &e, err);
        if (as_json) {
            json_t *json = explanation_json(&e);
            json_print(json);
            json_decref(json);
        } else {
            explanation_print(&e, stdout);
        }
        status = e.found && e.verified && e.complete ? STATUS_DONE : STATUS_NO;
    }
    if (!ok) status = err_report(err);
    explanation_release(&e);
    changeset_release(&set);
    return status;
}

int explain_command(int argc, char **argv) {
    Error err = { 0 };
    switch (opts_parse(&spec, argc, argv, NULL, &err)) {
    case OPTS_STOP: return STATUS_DONE;
    case OPTS_BAD: return err_report(&err);
    case OPTS_GO: break;
    }
    Arena arena = { 0 };
    Live live;
    live_start(&live, false);
    run_catch_interrupts();
    ExplainRequest request = { good,
                               bad,
                               build,
                               test,
                               expect,
                               &globs,
                               &suspects,
                               method,
                               .workers = (unsigned)workers,
                               .time_s = time_s,
                               .cpu_s = cpu_s,
                               .dump_search = dump != NULL,
                               .no_trace = no_trace,
                               .live = &live };
    allow_builds(&arena);
    if (case_id && !trust_case(store, (int64_t)case_id, trust, &err)) return err_report(&err);
    if (case_id && !case_request(&arena, store, (int64_t)case_id, &request, &suspects, &err))
        return err_report(&err);
    if (!check_options(&request, &err)) return err_report(&err);
    if (!forget) request.state = state_dir(&arena, &request);
    GitPair git;
    if (use_git) {
        if (!git_lay_out(&arena, good, bad, &git, &err)) return err_report(&err);
        request.good = git.good_dir;
        request.bad = git.bad_dir;
    }
    int status = check ? print_check(&request) : answer(&request, use_git ? &git : NULL, &err);
    live_end(&live);
    arena_release(&arena);
    return status;
}

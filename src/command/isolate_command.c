/* culprit isolate: which file of the compiler is the culprit. Options become a request; the result
 * is printed and stored with its case. */
#include "base/file.h"
#include "base/opts.h"
#include "base/shell.h"
#include "command/commands.h"
#include "command/isolate_report.h"
#include "command/trust.h"
#include "run/run.h"
#include "run/workdir.h"
#include "store/case_repro.h"

typedef struct IsolateOptions {
    IsolateRequest request;
    const char *path, *passing, *store, *history, *rank;
    uint64_t top, workers, case_id, witnesses, seed;
    double time_s;
    bool json, trust;
    bool clocked; /* the time counts */
} IsolateOptions;

static const char notes[] =
    "FILE.c is a program that the compiler crashes on, hangs on or compiles\n"
    "wrongly; small ones work best. Without --fail and --pass the levels are found\n"
    "by trying; where a program does the same at every level, the other installed\n"
    "compilers tell what is right. Without --coverage the build registered with\n"
    "culprit compilers is used.\n"
    "\n"
    "  culprit compilers build gcc-11; culprit isolate bug.c\n"
    "  culprit isolate --cc gcc-11/plain/gcc/cc1 --coverage gcc-11/coverage --fail -O2 bug.c\n"
    "  culprit isolate --coverage tcc-build --ref gcc bug.c\n"
    "\n"
    "Exit status: 0 ranked; 1 the program does not fail, or no witness was found in\n"
    "time (then the ranking only shows what the failing run covers); 2 bad input, a\n"
    "program or compiler that cannot be used; 3 something is missing on this\n"
    "machine; 130 interrupted (what is known by then is ranked).";

static const Opt table[] = {
    { 0, "cc", OPT_STR, OPT_IN(IsolateOptions, request.subject.cc), "COMPILER",
      "compiler that fails, preferably without coverage [the one of --coverage]", "@compilers" },
    { 0, "coverage", OPT_STR, OPT_IN(IsolateOptions, request.subject.coverage), "DIR",
      "build directory of the same compiler with coverage [as registered with culprit compilers]",
      "@files" },
    { 0, "fail", OPT_STR, OPT_IN(IsolateOptions, request.subject.fail), "OPTIONS",
      "options that fail [found by trying]", NULL },
    { 0, "pass", OPT_STR, OPT_IN(IsolateOptions, request.subject.pass), "OPTIONS",
      "options that pass [-O0]", NULL },
    { 0, "ref", OPT_STR, OPT_IN(IsolateOptions, request.subject.ref), "COMPILER",
      "another compiler that compiles it right [found where needed]", "@compilers" },
    { 0, "search", OPT_CHOICE, OPT_IN(IsolateOptions, request.search), "NAME",
      "auto, recbi, recbi-rand, diwi, blend, mh, filter, random, dev, csmith or options [auto]",
      "auto|recbi|recbi-rand|diwi|blend|mh|filter|random|dev|csmith|options" },
    { 0, "rank", OPT_CHOICE, OPT_IN(IsolateOptions, rank), "NAME",
      "best, evidence (by coverage alone, without what is known of files) or published (Ochiai, "
      "mean "
      "per file) [best for auto and options, else published]",
      "best|evidence|published" },
    { 0, "ingredients", OPT_STR, OPT_IN(IsolateOptions, request.ingredients), "DIR",
      "test suite to take conditions and functions from", "@files" },
    { 0, "time", OPT_TIME, OPT_IN(IsolateOptions, time_s), "TIME",
      "stop after TIME [10m; no limit with --witnesses]", NULL },
    { 0, "cpu", OPT_FLAG, OPT_IN(IsolateOptions, request.cpu_clock), NULL,
      "count TIME in CPU seconds per worker, for a busy machine", NULL },
    { 0, "witnesses", OPT_UINT, OPT_IN(IsolateOptions, witnesses), "N", "stop at N witnesses [500]",
      NULL },
    { 0, "top", OPT_UINT, OPT_IN(IsolateOptions, top), "N", "suspects shown [20]", NULL },
    { 0, "seed", OPT_UINT, OPT_IN(IsolateOptions, seed), "N", "same seed, same witnesses [1]",
      NULL },
    { 0, "hang", OPT_TIME, OPT_IN(IsolateOptions, request.subject.hang_s), "TIME",
      "CPU time after which a compilation counts as a hang [5s]", NULL },
    { 'j', "jobs", OPT_UINT, OPT_IN(IsolateOptions, workers), "N",
      "compilations at once [all cores]", NULL },
    { 0, "passing", OPT_STR, OPT_IN(IsolateOptions, passing), "SEED.c",
      "a program close to FILE.c that passes: the first witness", "@files" },
    { 0, "case", OPT_UINT, OPT_IN(IsolateOptions, case_id), "N",
      "a case of the store instead of FILE.c", "@cases" },
    { 0, "store", OPT_STR, OPT_IN(IsolateOptions, store), "STORE",
      "a file, or postgresql://.. [the user's own]", "@files" },
    { 0, "trust", OPT_FLAG, OPT_IN(IsolateOptions, trust), NULL, TRUST_HELP, NULL },
    { 0, "dump", OPT_STR, OPT_IN(IsolateOptions, request.dump), "DIR",
      "write the coverage of all runs to DIR", "@files" },
    { 0, "again", OPT_STR, OPT_IN(IsolateOptions, request.again), "DIR",
      "rank what --dump wrote to DIR again, compiling nothing", "@files" },
    { 0, "history", OPT_STR, OPT_IN(IsolateOptions, history), "FILE",
      "write the ranking as of 15 and 30 s, 1, 2, 5 and 10 minutes", "@files" },
    { 0, "as-given", OPT_FLAG, OPT_IN(IsolateOptions, request.as_given), NULL,
      "do not make the program smaller first", NULL },
    { 0, "json", OPT_FLAG, OPT_IN(IsolateOptions, json), NULL, "the ranking as JSON on stdout",
      NULL },
    { 0 }
};

static const OptSpec spec = {
    .name = "isolate",
    .usage = "[--cc COMPILER] [--coverage DIR] [OPTION].. FILE.c",
    .brief = "rank the files of a compiler by how likely they cause a failure",
    .table = table,
    .most = 1,
    .operands = "@files",
    .notes = notes,
};

/* ---- what there is to rank ---- */
/* The failure and the passing program of a case of the store. */
static bool load_case(IsolateOptions *o, Arena *arena, Error *err) {
    if (!trust_case(o->store, (int64_t)o->case_id, o->trust, err)) return false;
    Store *store = store_open(o->store, STORE_READ, err);
    Case c;
    Repro repro;
    bool ok = store && store_case_get(store, arena, (int64_t)o->case_id, &c, err) &&
              case_repro(arena, &c, CASE_BEST, &repro, err);
    store_close(store);
    if (!ok) return false;
    o->request.passing = case_passing(&c, CASE_BEST);
    return isolate_take_repro(&o->request, &repro, arena, err);
}

static bool is_wanted(const KnownCompiler *known, const char *cc) {
    return known->coverage.len && (!cc || str_is(known->name, cc) || str_is(known->path, cc));
}

/* Without --coverage: the only registered build, or the one registered for --cc. */
static bool find_build(IsolateOptions *o, Arena *arena, Error *err) {
    SubjectSpec *given = &o->request.subject;
    const char *file = o->store ? o->store : store_default_path(arena, NULL), *what = given->cc;
    KnownCompiler *all = NULL, *found = NULL;
    size_t n = 0;
    if (file && store_exists(file)) {
        Store *store = store_open(file, STORE_READ, err);
        bool ok = store && store_may_run(store, o->trust, "a registered coverage build", err) &&
                  store_compiler_list(store, arena, &all, &n, err);
        store_close(store);
        if (!ok) return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_wanted(&all[i], what)) continue;
        if (found)
            return err_set(
                err, STATUS_BAD,
                "coverage builds of several compilers are registered: choose with --cc " STR_FMT
                " or --cc " STR_FMT,
                STR_ARG(found->name), STR_ARG(all[i].name));
        found = &all[i];
    }
    if (!found) {
        const char *name = what ? what : "gcc-12";
        const char *store = shell_option(arena, "--store", o->store);
        Str path = shell_join(arena, (const char *const[]){ o->path, NULL });
        return err_set(err, STATUS_BAD,
                       "no coverage build of %s is registered: run culprit compilers build %s%s, "
                       "then culprit isolate %s%s%s" STR_FMT,
                       what ? what : "a compiler", store, name,
                       o->path ? shell_option(arena, "--cc", name) : "", store,
                       o->path ? ""
                               : arena_fmt(arena, "--case %llu", (unsigned long long)o->case_id),
                       STR_ARG(path));
    }
    given->coverage = arena_cstr(arena, found->coverage);
    given->cc = arena_cstr(arena, found->path);
    return true;
}

static bool fill(IsolateOptions *o, Arena *arena, Error *err) {
    IsolateRequest *r = &o->request;
    if (!o->case_id && !o->path)
        return err_set(err, STATUS_BAD, "isolate needs a failing program, or --case N");
    r->subject.path = o->path;
    if (o->case_id && !load_case(o, arena, err)) return false;
    if (o->passing && !file_read(arena, o->passing, &r->passing, err)) return false;
    bool papers = strcmp(r->search, "auto") != 0 && strcmp(r->search, "options") != 0;
    const char *rank = o->rank ? o->rank : papers ? "published" : "best";
    r->rank = strcmp(rank, "best") == 0       ? RANK_BEST
              : strcmp(rank, "evidence") == 0 ? RANK_EVIDENCE
                                              : RANK_PUBLISHED;
    r->time_s = o->clocked ? o->time_s : 0;
    r->most_witnesses = o->witnesses;
    r->seed = o->seed;
    r->top = (unsigned)o->top;
    r->workers = (unsigned)o->workers;
    return r->subject.coverage || find_build(o, arena, err);
}

/* ---- the result ---- */
static void write_history(void *user, const IsolateResult *result, double at) {
    const IsolateOptions *o = user;
    const Isolation *iso = &result->iso;
    const Ranking *r = &result->ranking;
    FILE *f = fopen(o->history, "ae");
    if (!f) return;
    fprintf(f, "{\"at\":%.0f,\"witnesses\":%zu,\"judged\":%llu,\"suspects\":%u,\"ranks\":{", at,
            iso->witnesses.len, (unsigned long long)iso->stats.judged, r->n_files);
    for (uint32_t i = 0; i < r->n_files; i++)
        fprintf(f, "%s\"" STR_FMT "\":%u", i ? "," : "",
                STR_ARG(iso->subject->map.files[r->files[i].index].name), r->files[i].rank);
    fputs("}}\n", f);
    fclose(f);
}

static bool keep(const IsolateOptions *o, const IsolateResult *result, Error *err) {
    if (!o->case_id) return true;
    Store *store = store_open(o->store, STORE_WRITE, err);
    if (!store) return false;
    json_t *json = isolate_json(result, 50);
    Buf text = { 0 };
    json_dump_buf(json, false, &text);
    CaseSet set = { "rankings", buf_view(&text) };
    bool ok = store_case_set(store, (int64_t)o->case_id, &set, 1, err);
    buf_release(&text);
    json_decref(json);
    store_close(store);
    return ok;
}

static void show(const IsolateOptions *o, const IsolateResult *result) {
    if (!o->json) {
        isolate_print(result, (unsigned)o->top, stdout);
        return;
    }
    json_t *json = isolate_json(result, (unsigned)o->top);
    json_print(json);
    json_decref(json);
}

static bool run(IsolateOptions *o, Error *err) {
    Live live;
    IsolateResult result;
    live_start(&live, false);
    run_catch_interrupts();
    o->request.live = &live;
    o->request.user = o;
    if (o->history) o->request.mark = write_history;
    bool ok = isolate_run(&o->request, &result, err);
    live_end(&live);
    if (ok) ok = keep(o, &result, err), show(o, &result);
    if (ok && result.interrupted)
        ok = err_set(err, STATUS_INTERRUPTED, "interrupted: ranked with %zu witnesses",
                     result.iso.witnesses.len);
    else if (ok && !result.found)
        ok = err_set(err, STATUS_NO,
                     "no witness was found in the time given: the ranking says little");
    isolate_result_free(&result);
    return ok;
}

int isolate_command(int argc, char **argv) {
    IsolateOptions o = {
        .request = isolate_request(), .top = 20, .witnesses = 500, .seed = 1, .time_s = 600
    };
    Error err = { 0 };
    Arena arena = { 0 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    if (opts.rest.len) o.path = opts.rest.at[0].at;
    o.clocked = opts_has(&opts, "time") || !opts_has(&opts, "witnesses");
    bool ok = end == OPTS_STOP || (end == OPTS_GO && fill(&o, &arena, &err) && run(&o, &err));
    arena_release(&arena);
    opts_release(&opts);
    return ok ? STATUS_DONE : err_report(&err);
}

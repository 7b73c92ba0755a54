/* culprit investigate: a case, or a failing program, taken through all stages. */
#include "base/json.h"
#include "base/opts.h"
#include "command/commands.h"
#include "command/inquiry.h"

static const char *store_file, *only;
static uint64_t number, jobs;
static double step_time;
static bool again, json;
static NewCase given;

static const Opt table[] = {
    { 0, "case", OPT_UINT, &number, "N", "a case of the store", "@cases" },
    { 0, "store", OPT_STR, &store_file, "FILE", "the store [the user's own]", "@files" },
    { 0, "cc", OPT_STR, &given.compiler, "COMPILER", "with FILE: the compiler that fails on it",
      "@compilers" },
    { 0, "flags", OPT_STR, &given.flags, "FLAGS",
      "with FILE: flags that fail [the first level that does]", NULL },
    { 0, "good", OPT_STR, &given.good_flags, "FLAGS", "with FILE: flags that pass [-O0]", NULL },
    { 0, "passing", OPT_STR, &given.seed, "SEED", "with FILE: a program that does not fail",
      "@files" },
    { 0, "input", OPT_STR, &given.input, "FILE", "with FILE: standard input of the program",
      "@files" },
    { 0, "step", OPT_CHOICE, &only, "NAME", "only this step",
      "snippets|reduce|versions|isolate|explain" },
    { 0, "again", OPT_FLAG, &again, NULL, "also steps that are done", NULL },
    { 0, "time", OPT_TIME, &step_time, "TIME",
      "for each step [isolate 10m, explain 30m, reduce no limit]", NULL },
    { 'j', "jobs", OPT_UINT, &jobs, "N", "processes at once [all cores]", NULL },
    { 0, "json", OPT_FLAG, &json, NULL, "the case at the end, for machines", NULL },
    { 0 },
};
static const char *const conflicts[] = { "case", "cc",      "case", "flags", "case", "good",
                                         "case", "passing", "case", "input", NULL };
static const OptSpec spec = {
    "investigate",
    "[OPTION].. (--case N | --cc COMPILER FILE.c)",
    "take a case through all stages, step by step",
    table,
    conflicts,
    "Steps: the insertions that matter; the reduced pair; verdicts of all installed compilers; "
    "suspects in the\n"
    "compiler, where a coverage build of it is known; the change that broke it, where sources of a "
    "good and a\n"
    "bad version are known (culprit compilers keeps both). What is done is not done again; an "
    "interrupted\n"
    "investigation goes on where it was.\n\n"
    "  culprit investigate --case 12\n"
    "  culprit investigate --cc gcc-11 --flags -O2 bug.c\n\n"
    "Exit status: 0 all steps done or skipped; 1 the program does not fail, a step failed, or "
    "interrupted.\n",
    0,
    1,
    "@files",
};

static bool check(const StrVec *rest, Error *err) {
    if (number && rest->len)
        return err_set(err, STATUS_BAD, "--case and a file exclude each other");
    if (!number && !rest->len)
        return err_set(err, STATUS_BAD, "investigate needs --case N, or a failing program");
    if (rest->len && !given.compiler)
        return err_set(err, STATUS_BAD, "investigate needs --cc: the compiler that fails on %s",
                       rest->at[0].at);
    return true;
}

/* Whether every step that was taken is done or skipped; prints the case as JSON where asked. */
static bool look_back(Inquiry *q, bool *all, Error *err) {
    Store *store = store_open(q->store, STORE_READ, err);
    CaseStep *steps;
    size_t n;
    bool ok = store && store_steps(store, &q->arena, q->id, &steps, &n, err);
    *all = true;
    for (size_t i = 0; ok && i < n; i++)
        if (str_is(steps[i].state, "failed") && (!only || str_is(steps[i].name, only)))
            *all = false;
    store_close(store);
    return ok;
}

static int investigate(const StrVec *rest, Error *err) {
    int64_t id = (int64_t)number;
    Inquiry q = { 0 };
    bool broken = false, all = false;
    given.path = rest->len ? rest->at[0].at : NULL;
    bool ok = (!given.path || new_case(store_file, &given, &id, err)) &&
              inquiry_open(&q, store_file, id, err);
    if (ok) {
        q.time_s = step_time, q.jobs = jobs, q.quiet = json;
        if (given.path && !json)
            printf("case %lld: " STR_FMT " " STR_FMT ": " STR_FMT "\n", (long long)id,
                   STR_ARG(q.c.compiler), STR_ARG(q.c.flags), STR_ARG(q.c.verdict));
        ok = inquiry_run(&q, again, only, &broken, err) && look_back(&q, &all, err);
    }
    if (ok && json) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)id);
        char *argv[] = { "show", "--json", "--store", (char *)q.store, text, NULL };
        show_command(5, argv);
    } else if (ok && !broken)
        printf("culprit show %lld shows it, culprit export %lld DIR writes a report\n",
               (long long)id, (long long)id);
    inquiry_release(&q);
    if (!ok) return err_report(err);
    return broken || !all ? STATUS_NO : STATUS_DONE;
}

int investigate_command(int argc, char **argv) {
    Error err = { 0 };
    StrVec rest = { 0 };
    OptsEnd end = opts_parse(&spec, argc, argv, &rest, &err);
    if (end == OPTS_STOP) return STATUS_DONE;
    int status = end == OPTS_GO && check(&rest, &err) ? investigate(&rest, &err) : err_report(&err);
    vec_release(&rest);
    return status;
}

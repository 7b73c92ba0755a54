/* culprit investigate: a case, or a failing program, taken through all stages. */
#include "base/json.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "base/shell.h"
#include "command/backlog.h"
#include "command/commands.h"
#include "command/inquiry.h"
#include "command/intake.h"
#include "command/trust.h"
#include "report/caseview.h"
#include "run/run.h"

#include <math.h>

typedef struct InvestigateOptions {
    const char *store, *only;
    Intake given; /* FILE and what is said about it */
    StrVec includes, defines;
    uint64_t number, jobs;
    double time;
    bool all, join, again, json, anyway, trust;
} InvestigateOptions;

#define AT(member) OPT_IN(InvestigateOptions, member)
static const Opt table[] = {
    { 0, "case", OPT_UINT, AT(number), "N", "a case of the store", "@cases" },
    { 0, "all", OPT_FLAG, AT(all), NULL,
      "every case of the store that is not finished and that nobody else has in hand", NULL },
    { 0, "join", OPT_FLAG, AT(join), NULL,
      "with --all: stay until the cases that others have in hand are finished, too", NULL },
    { 0, "store", OPT_STR, AT(store), "STORE", "a file, or postgresql://.. [the user's own]",
      "@files" },
    { 0, "trust", OPT_FLAG, AT(trust), NULL, TRUST_HELP, NULL },
    { 0, "cc", OPT_STR, AT(given.compiler), "COMPILER", "with FILE: the compiler that fails on it",
      "@compilers" },
    { 0, "flags", OPT_STR, AT(given.flags), "FLAGS",
      "with FILE: flags that fail [the first level that does]", NULL },
    { 0, "good", OPT_STR, AT(given.good_flags), "FLAGS", "with FILE: flags that pass [-O0]", NULL },
    { 'I', "include", OPT_LIST, AT(includes), "DIR",
      "with FILE: where its own headers are; those in "
      "its directory are found",
      "@files" },
    { 'D', "define", OPT_LIST, AT(defines), "NAME[=TEXT]", "with FILE: a macro", NULL },
    { 0, "passing", OPT_STR, AT(given.seed), "SEED", "with FILE: a program that does not fail",
      "@files" },
    { 0, "input", OPT_STR, AT(given.input), "FILE", "with FILE: standard input of the program",
      "@files" },
    { 0, "step", OPT_CHOICE, AT(only), "NAME", "only this step",
      "snippets|reduce|versions|isolate|explain" },
    { 0, "again", OPT_FLAG, AT(again), NULL,
      "repeat steps that are done; with --all: also take cases that failed", NULL },
    { 0, "anyway", OPT_FLAG, AT(anyway), NULL, "even if the program is undefined", NULL },
    { 0, "time", OPT_TIME, AT(time), "TIME",
      "in total, shared by the steps [isolate 10m, explain 30m, the others as long as they "
      "take]",
      NULL },
    { 'j', "jobs", OPT_UINT, AT(jobs), "N", "processes at once [all cores]", NULL },
    { 0, "json", OPT_FLAG, AT(json), NULL, "print the case as JSON at the end", NULL },
    { 0 },
};
#undef AT
static const char *const conflicts[] = { "case",  "cc",    "case",    "flags", "case",
                                         "good",  "case",  "passing", "case",  "input",
                                         "all",   "case",  "all",     "cc",    "all",
                                         "flags", "all",   "good",    "all",   "passing",
                                         "all",   "input", "all",     "json",  NULL };
static const OptSpec spec = {
    "investigate",
    "[OPTION].. (--case N | --all | --cc COMPILER FILE.c)",
    "take a case through all stages, step by step",
    table,
    conflicts,
    "Steps: the insertions that matter; the reduced pair; verdicts of all installed\n"
    "compilers; suspects in the compiler, if a coverage build of it is known; the\n"
    "change that broke it, if sources of a good and a bad version are known\n"
    "(culprit compilers registers both). Finished steps are not repeated; what was\n"
    "stopped, by you or by the time limit, continues with the same command. The\n"
    "same program with the same compiler and flags is the same case.\n"
    "\n"
    "With --all several processes, on as many machines as reach the store, share\n"
    "its cases: each takes one that nobody has in hand, and when a worker dies its\n"
    "case is taken by another. A case with a failed step is left alone for a day,\n"
    "unless --again is given.\n"
    "\n"
    "  culprit investigate --case 12\n"
    "  culprit investigate --cc gcc-11 --flags -O2 bug.c\n"
    "  culprit investigate --all --join --store postgresql://host/hunts\n"
    "\n"
    "Exit status: 0 all steps done or skipped; 1 the program does not fail or is\n"
    "undefined, a step failed, or time ran out; 2 wrong usage; 3 something is\n"
    "missing on this machine; 130 interrupted.\n",
    0,
    OPT_MANY,
    "@files",
};

/* A first guess that names a compiler as an operand is answered with the command to type. */
static bool check(const InvestigateOptions *o, const StrVec *rest, Error *err) {
    if (o->number && rest->len)
        return err_set(err, STATUS_BAD, "--case and a file exclude each other");
    if (o->all && rest->len) return err_set(err, STATUS_BAD, "--all and a file exclude each other");
    if (o->join && !o->all) return err_set(err, STATUS_BAD, "--join goes with --all");
    if (!o->number && !o->all && !rest->len)
        return err_set(err, STATUS_BAD, "investigate needs --case N, --all, or a failing program");
    if (rest->len && !o->given.compiler)
        return err_set(err, STATUS_BAD,
                       "which compiler fails on it? culprit investigate --cc gcc-12 %s",
                       rest->at[rest->len - 1].at);
    if (rest->len > 1)
        return err_set(
            err, STATUS_BAD,
            "investigate takes one program; headers in its directory are found automatically, "
            "others with -I DIR");
    return true;
}

static bool print_json(const Inquiry *q, Error *err) {
    Store *store = store_open(q->store, STORE_READ, err);
    CaseView view = { 0 };
    bool ok = store && caseview_load(&view, store, q->id, err);
    if (ok) {
        json_t *all = caseview_json(&view);
        json_print(all);
        json_decref(all);
    }
    caseview_release(&view);
    store_close(store);
    return ok;
}

/* Says what there is now, and what to type next. Returns the status to end with. */
static int say_end(Inquiry *q, const InvestigateOptions *o, StepEnd worst) {
    const char *store = shell_option(&q->arena, "--store", o->store);
    long long id = q->id;
    bool interrupted = run_interrupted();
    if (worst == STEP_STOPPED)
        fprintf(
            stderr,
            "culprit: %s; finished steps are kept: culprit investigate %s--case %lld continues\n",
            interrupted ? "interrupted" : "out of time", store, id);
    else if (!o->json)
        printf("culprit show %s%lld shows it, culprit export %s%lld DIR writes a report\n", store,
               id, store, id);
    if (interrupted) return STATUS_INTERRUPTED;
    return worst == STEP_DONE || worst == STEP_SKIPPED ? STATUS_DONE : STATUS_NO;
}

static void say_case(const Inquiry *q, bool known) {
    printf("case %lld%s: " STR_FMT " " STR_FMT ": " STR_FMT "\n", (long long)q->id,
           known ? " (known)" : "", STR_ARG(q->c.compiler), STR_ARG(q->c.flags),
           STR_ARG(q->c.verdict));
    Str doubt = case_doubt(&q->c);
    if (doubt.len) printf("not confirmed to be a bug: " STR_FMT "\n", STR_ARG(doubt));
    fflush(stdout); /* before the steps, which take long */
}

/* Takes the case through its steps, as far as the time goes; the caller releases q. */
static bool take_through(const InvestigateOptions *o, int64_t id, bool known, double until,
                         Inquiry *q, StepEnd *worst, Error *err) {
    if (!inquiry_open(q, o->store, id, err)) return false;
    q->until = until, q->jobs = o->jobs, q->quiet = o->json;
    if (!o->number && !o->json) say_case(q, known);
    if (q->c.undefined.len && !o->anyway)
        return err_set(err, STATUS_NO,
                       "this program is undefined: " STR_FMT
                       "; whatever a compiler does with it is not a bug; --anyway continues",
                       STR_ARG(q->c.undefined));
    return inquiry_run(q, o->again && !o->all, o->only, worst, err);
}

typedef struct OneCase {
    const InvestigateOptions *o;
    bool known;
    double until;
    Inquiry *q; /* to be released by the one who asks */
} OneCase;

static bool take_named(void *arg, int64_t id, StepEnd *worst, Error *err) {
    const OneCase *one = arg;
    return take_through(one->o, id, one->known, one->until, one->q, worst, err);
}

static int investigate(InvestigateOptions *o, const StrVec *rest, Error *err) {
    int64_t id = (int64_t)o->number;
    Inquiry q = { 0 };
    bool known = true;
    StepEnd worst = STEP_DONE;
    int status = STATUS_DONE;
    Intake *in = &o->given;
    in->path = rest->len ? rest->at[0].at : NULL;
    in->includes = &o->includes, in->defines = &o->defines;
    in->until = o->time > 0 ? clock_now() + o->time : INFINITY;
    bool ok = (!in->path || intake_case(o->store, in, &id, &known, err)) &&
              trust_case(o->store, id, o->trust, err);
    OneCase one = { o, known, in->until, &q };
    Backlog alone = { .store = o->store, .investigate = take_named, .arg = &one };
    ok = ok && backlog_take(&alone, id, &worst, err) && (!o->json || print_json(&q, err));
    if (ok) status = say_end(&q, o, worst);
    inquiry_release(&q);
    return ok ? status : err_report(err);
}

/* ---- all cases ---- */

typedef struct AllCases {
    const InvestigateOptions *o;
    double until;
} AllCases;

static bool take_one(void *arg, int64_t id, StepEnd *worst, Error *err) {
    const AllCases *all = arg;
    Inquiry q = { 0 };
    bool ok = take_through(all->o, id, false, all->until, &q, worst, err);
    inquiry_release(&q);
    return ok;
}

static int investigate_all(const InvestigateOptions *o, Error *err) {
    AllCases all = { o, o->time > 0 ? clock_now() + o->time : INFINITY };
    Backlog backlog = { o->store, o->only, o->join, o->again, all.until, take_one, &all };
    BacklogEnd end;
    char cases[48];
    if (!trust_all(o->store, o->trust, err) || !backlog_run(&backlog, &end, err))
        return err_report(err);
    printf("%s finished, %llu failed, %llu stopped%s\n",
           quantity_show_count(end.done, "case", cases), (unsigned long long)end.failed,
           (unsigned long long)end.stopped, end.held ? "; others have the rest in hand" : "");
    if (run_interrupted()) return STATUS_INTERRUPTED;
    return end.failed || end.stopped || clock_now() >= all.until ? STATUS_NO : STATUS_DONE;
}

static int run(InvestigateOptions *o, const StrVec *rest, Error *err) {
    run_catch_interrupts();
    return o->all ? investigate_all(o, err) : investigate(o, rest, err);
}

int investigate_command(int argc, char **argv) {
    Error err = { 0 };
    InvestigateOptions o = { 0 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    int status = STATUS_DONE;
    if (end == OPTS_GO && check(&o, &opts.rest, &err))
        status = run(&o, &opts.rest, &err);
    else if (end != OPTS_STOP)
        status = err_report(&err);
    vec_release(&o.includes);
    vec_release(&o.defines);
    opts_release(&opts);
    return status;
}

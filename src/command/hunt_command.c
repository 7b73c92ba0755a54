/* culprit hunt: options into a request, the result as a table or as JSON. */
#include "base/json.h"
#include "base/quantity.h"
#include "base/shell.h"
#include "base/terminal.h"
#include "command/campaign/hunt_options.h"
#include "command/commands.h"
#include "run/run.h"

/* What the options say; the request is made from it. */
typedef struct HuntWords {
    HuntRequest request;
    bool as_json;
    unsigned verbose;
    uint64_t join;
} HuntWords;

static const char notes[] =
    "NAME.. are compilers to test, or C programs and directories of them to use as\n"
    "seeds. A campaign with the same compilers, seeds and settings continues where\n"
    "it was stopped or killed; hunts that run at the same time on one store share\n"
    "it. --join works for a campaign that 'culprit campaign start' made, on any\n"
    "machine that reaches its store: 0 when its budget is used up. Seeds from GCC's and clang's "
    "test suites are used as their directives say.\n"
    "What unrelated compilers get wrong in the same way is stored as unconfirmed.\n"
    "Exit status: 0 there are cases, 1 nothing was found, 2 wrong usage, 3\n"
    "something is missing on this machine, 130 interrupted.\n"
    "\n"
    "  culprit hunt --time 10m\n"
    "  culprit hunt gcc-12 clang-16 --seeds testsuite/ --random-flags --oracles --time 8h\n"
    "  culprit hunt s390x-linux-gnu-gcc-12 'clang-19 --target=s390x-linux-gnu' --time 1h\n"
    "\n"
    "Programs for other machines are run by qemu; one campaign has one target.\n";

static OptsEnd parse(HuntWords *w, int argc, char **argv, StrVec *rest, Error *err) {
    HuntRequest *r = &w->request;
    const Opt table[] = {
        HUNT_OPTIONS(r),
        { 0, "time", OPT_TIME, &r->time_s, "TIME", "stop after TIME [10m unless --programs]",
          NULL },
        { 0, "programs", OPT_UINT, &r->programs, "N",
          "do seeds 0 to N-1, including those done before, then stop", NULL },
        { 0, "cases", OPT_UINT, &r->cases, "N", "stop when N new cases have been found", NULL },
        { 0, "store", OPT_STR, &r->store, "STORE",
          "where cases go: a file, or postgresql://.. [the user's own]", "@files" },
        { 0, "join", OPT_UINT, &w->join, "N",
          "work for campaign N of the store, with its settings, until its budget is used up",
          NULL },
        { 0, "trust", OPT_FLAG, &r->trust, NULL,
          "with --join: run what a store names that you did not write", NULL },
        { 'j', "jobs", OPT_UINT, &r->workers, "N", "workers [all cores]", NULL },
        { 0, "json", OPT_FLAG, &w->as_json, NULL, "print the result as JSON", NULL },
        { 'v', "verbose", OPT_COUNT, &w->verbose, NULL, "say what was skipped and why", NULL },
        { 'q', "quiet", OPT_FLAG, &r->quiet, NULL, "no progress", NULL },
        { 0 },
    };
    const OptSpec spec = { .name = "hunt",
                           .usage = "[OPTION].. [NAME]..",
                           .brief = "find bugs in C compilers with equivalent variants of programs",
                           .table = table,
                           .notes = notes,
                           .most = OPT_MANY,
                           .operands = "@files" };
    return opts_parse(&spec, argc, argv, rest, err);
}

/* ---- text ---- */
enum { REASONS_SHOWN = 5 };

static void print_rates(const CampaignEnd *end) {
    const CampaignTotals *t = &end->totals;
    double rest = t->total_cpu_s - end->verify_s;
    char cpu[32];
    if (rest <= 0) return;
    printf("%.0f programs per core-hour; %.1f %% of CPU in compilers under test and their programs",
           (double)t->programs * 3600 / rest, 100 * t->compiler_cpu_s / rest);
    if (end->verify_s >= 0.1)
        printf("; %s more for verifying and bucketing findings",
               quantity_show_duration(end->verify_s, cpu));
    puts("");
}

/* What seeds were of no use for, one line for each use. */
static void print_reasons(const SeedReasons *reasons, bool all) {
    static const char *const uses[] = {
        [SEED_SKIPPED] = "skipped", [SEED_COMPILED] = "only compiled", [SEED_RUN] = "not mutated"
    };
    for (size_t u = 0; u < COUNT_OF(uses); u++) {
        unsigned long long others = 0;
        size_t shown = 0;
        for (size_t i = 0; i < reasons->len; i++) {
            const SeedReason *r = &reasons->at[i];
            if (r->use != u) continue;
            if (shown++ < REASONS_SHOWN || all)
                printf("%s%s" STR_FMT " (%llu)", shown == 1 ? uses[u] : "",
                       shown == 1 ? ": " : ", ", STR_ARG(r->why), (unsigned long long)r->count);
            else
                others += r->count;
        }
        if (others) printf(", other reasons (%llu; -v names them)", others);
        if (shown) puts("");
    }
}

static void print_numbers(const CampaignEnd *end) {
    const CampaignTotals *t = &end->totals;
    char wall[32], cpu[32], seeds[48], programs[48], compilations[48], runs[48];
    printf("%s (%llu skipped), %s, %s, %s in %s; %s of CPU\n",
           quantity_show_count(t->seeds, "seed", seeds), (unsigned long long)t->rejected,
           quantity_show_count(t->programs, "program", programs),
           quantity_show_count(t->compilations, "compilation", compilations),
           quantity_show_count(t->runs, "run", runs), quantity_show_duration(end->elapsed_s, wall),
           quantity_show_duration(t->total_cpu_s, cpu));
    print_rates(end);
}

static void print_table(const Case *cases, size_t n) {
    printf("%5s  %-9s %-12s %-16s %5s  %s\n", "case", "verdict", "compiler", "flags", "hits",
           "what");
    for (size_t i = 0; i < n; i++) {
        const Case *c = &cases[i];
        bool depends = c->matters.len && !str_is(c->verdict, "crash");
        Buf who = { 0 };
        terminal_path(&who, c->compiler, 12);
        buf_text(&who, " ");
        terminal_cell(&who, c->flags, 16, false);
        printf("%5lld  %-9.*s %s %5llu  %s" STR_FMT "\n", (long long)c->id, STR_ARG(c->verdict),
               who.at, (unsigned long long)c->count, depends ? "depends on " : "",
               STR_ARG(depends ? c->matters : c->signature));
        buf_release(&who);
    }
}

/* A worker that joined waits for what others have in hand: without work left the campaign is done,
 * or was stopped. */
static void print_why_no_work(const HuntRequest *asked, const CampaignEnd *end) {
    Arena arena = { 0 };
    if (end->complete)
        printf("campaign %lld is done: its budget is used up\n", (long long)asked->join);
    else
        printf("campaign %lld is stopped: culprit campaign resume %s%lld continues it\n",
               (long long)asked->join, shell_option(&arena, "--store", asked->store),
               (long long)asked->join);
    arena_release(&arena);
}

/* Nothing was done, nothing is wrong: what is meant to happen? */
static void print_why_idle(const HuntRequest *asked, const CampaignEnd *end) {
    if (end->totals.seeds || end->totals.programs || end->interrupted) return;
    if (asked->join)
        print_why_no_work(asked, end);
    else if (end->complete)
        puts("all seeds of this campaign were done before: more --programs adds some, another "
             "--seed begins anew");
    else if (asked->time_s > 0 && end->elapsed_s >= asked->time_s)
        puts("the time was over before the first seed was done");
}

static void print_text(const HuntRequest *asked, const HuntResult *result) {
    print_numbers(&result->end);
    print_reasons(&result->end.reasons, asked->verbose);
    print_why_idle(asked, &result->end);
    unsigned long long findings = result->end.findings;
    if (result->cases_len)
        print_table(result->cases, result->cases_len);
    else if (findings)
        printf("%llu finding%s, all in cases that were known before: culprit cases\n", findings,
               findings == 1 ? "" : "s");
    else
        puts("nothing found");
    if (result->unconfirmed_len) {
        puts("unconfirmed, not counted (culprit show says why):");
        print_table(result->unconfirmed, result->unconfirmed_len);
    }
}

/* ---- JSON ---- */
static void put_cases(json_t *all, const char *name, const Case *cases, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *item = json_object();
        json_put_int(item, "id", cases[i].id);
        json_put_text(item, "verdict", cases[i].verdict);
        json_put_text(item, "compiler", cases[i].compiler);
        json_put_text(item, "flags", cases[i].flags);
        json_put_text(item, "signature", cases[i].signature);
        json_put_text(item, "matters", cases[i].matters);
        json_put_text(item, "bucket", cases[i].bucket);
        json_put_int(item, "hits", (int64_t)cases[i].count);
        json_array_append_new(list, item);
    }
    json_put(all, name, list);
}

/* {"skipped": {"requires lto": 1}, "only_compiled": {}, "not_mutated": {}} */
static void put_reasons(json_t *all, const SeedReasons *reasons) {
    static const char *const uses[] = {
        [SEED_SKIPPED] = "skipped", [SEED_COMPILED] = "only_compiled", [SEED_RUN] = "not_mutated"
    };
    json_t *by_use = json_object();
    Arena arena = { 0 };
    for (size_t u = 0; u < COUNT_OF(uses); u++) {
        json_t *counts = json_object();
        for (size_t i = 0; i < reasons->len; i++)
            if (reasons->at[i].use == u)
                json_put_int(counts, arena_cstr(&arena, reasons->at[i].why),
                             (int64_t)reasons->at[i].count);
        json_put(by_use, uses[u], counts);
    }
    arena_release(&arena);
    json_put(all, "reasons", by_use);
}

static void print_json(const HuntResult *result) {
    const CampaignEnd *end = &result->end;
    json_t *all = json_object();
    json_put_int(all, "campaign", end->id);
    json_put_int(all, "seeds", (int64_t)end->totals.seeds);
    json_put_int(all, "skipped", (int64_t)end->totals.rejected);
    json_put_int(all, "programs", (int64_t)end->totals.programs);
    json_put_int(all, "compilations", (int64_t)end->totals.compilations);
    json_put_int(all, "runs", (int64_t)end->totals.runs);
    json_put_int(all, "findings", (int64_t)end->totals.findings);
    json_put_real(all, "seconds", end->elapsed_s);
    json_put_real(all, "test_cpu_s", end->totals.compiler_cpu_s);
    json_put_real(all, "total_cpu_s", end->totals.total_cpu_s);
    json_put_real(all, "verify_cpu_s", end->verify_s);
    json_put_bool(all, "interrupted", end->interrupted);
    put_reasons(all, &end->reasons);
    put_cases(all, "cases", result->cases, result->cases_len);
    put_cases(all, "unconfirmed", result->unconfirmed, result->unconfirmed_len);
    json_print(all);
    json_decref(all);
}

static int finish(const HuntWords *w, HuntResult *result) {
    if (w->as_json)
        print_json(result);
    else
        print_text(&w->request, result);
    bool interrupted = result->end.interrupted,
         found = result->cases_len || result->end.findings || w->join;
    if (interrupted)
        fprintf(stderr, "interrupted; finished seeds are kept, the same command continues\n");
    hunt_result_release(result);
    return interrupted ? STATUS_INTERRUPTED : found ? STATUS_DONE : STATUS_NO;
}

int hunt_command(int argc, char **argv) {
    Error err = { 0 };
    HuntWords w = { .request = HUNT_REQUEST };
    StrVec rest = { 0 };
    OptsEnd parsed = parse(&w, argc, argv, &rest, &err);
    if (parsed != OPTS_GO) return parsed == OPTS_STOP ? STATUS_DONE : err_report(&err);
    hunt_operands(&w.request, &rest);
    w.request.join = (int64_t)w.join;
    if (w.request.time_s <= 0 && !w.request.programs && !w.join) w.request.time_s = 600;
    w.request.verbose = w.verbose > 0;
    run_catch_interrupts();
    HuntResult result;
    bool ok = hunt_run(&w.request, &result, &err);
    int status = ok ? finish(&w, &result) : err_report(&err);
    hunt_request_release(&w.request);
    vec_release(&rest);
    return status;
}

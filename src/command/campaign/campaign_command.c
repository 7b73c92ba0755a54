/* culprit campaign: one hunt that many machines share. The store holds it; `culprit hunt --join`
 * works for it, on as many machines as there are. */
#include "base/json.h"
#include "base/live.h"
#include "base/quantity.h"
#include "base/terminal.h"
#include "command/campaign/campaign_submit.h"
#include "command/campaign/hunt_options.h"
#include "command/commands.h"
#include "run/run.h"

#include <stdlib.h>
#include <unistd.h>

#define WATCH_S 2.0   /* between two looks */
#define ALIVE_S 120.0 /* a worker that was seen so lately lives */

typedef struct CampaignWords {
    const char *store, *partition, *time;
    uint64_t nodes, cores;
    bool json, print, once, trust;
} CampaignWords;

#define AT(member) OPT_IN(CampaignWords, member)
static const Opt table[] = {
    { 0, "store", OPT_STR, AT(store), "STORE", "a file, or postgresql://.. [the user's own]",
      "@files" },
    { 0, "partition", OPT_STR, AT(partition), "P", "submit: where jobs go", NULL },
    { 0, "nodes", OPT_UINT, AT(nodes), "N", "submit: how many workers [1]", NULL },
    { 0, "cores", OPT_UINT, AT(cores), "N", "submit: cores of each [all of a node]", NULL },
    { 0, "time", OPT_STR, AT(time), "T", "submit: how long each may run, as sbatch takes it",
      NULL },
    { 0, "print", OPT_FLAG, AT(print), NULL, "submit: show the script instead", NULL },
    { 0, "once", OPT_FLAG, AT(once), NULL, "watch: one look", NULL },
    { 0, "trust", OPT_FLAG, AT(trust), NULL, "submit: of a store that you did not write", NULL },
    { 0, "json", OPT_FLAG, AT(json), NULL, "for machines, on standard output", NULL },
    { 0 },
};
#undef AT
static const char notes[] =
    "start takes the options of hunt (culprit campaign start --help), keeps the campaign in the "
    "store\n"
    "and prints its number; budget and settings are the campaign's. Workers join it anywhere:\n"
    "\n"
    "  culprit campaign start --store postgresql://db/bugs --cc gcc-12 --programs 100000\n"
    "  culprit hunt --store postgresql://db/bugs --join 1      on each machine\n"
    "  culprit campaign submit 1 --nodes 40 --time 8:00:00     or all of them by Slurm\n"
    "  culprit campaign watch 1\n"
    "\n"
    "A worker that dies loses nothing: others do what it was at. docs/SCALE.md has ssh and "
    "Kubernetes.\n";
static const OptSpec spec = {
    .name = "campaign",
    .usage = "start [OPTION].. [NAME].. | (list | stop N | resume N | watch N | submit N) "
             "[OPTION]..",
    .brief = "share one hunt between many machines",
    .table = table,
    .notes = notes,
    .most = 2,
    .operands = "start|list|stop|resume|watch|submit",
};

/* ---- start ---- */
typedef struct PlanWords {
    HuntRequest request;
    bool mixed;
    double cpu_s;
} PlanWords;

static OptsEnd parse_start(PlanWords *w, int argc, char **argv, StrVec *rest, Error *err) {
    HuntRequest *r = &w->request;
    const Opt options[] = {
        HUNT_OPTIONS(r),
        { 0, "programs", OPT_UINT, &r->programs, "N", "seeds in all [no limit]", NULL },
        { 0, "time", OPT_TIME, &r->time_s, "TIME", "until so long from now [no limit]", NULL },
        { 0, "cpu", OPT_TIME, &w->cpu_s, "TIME", "CPU time of all workers [no limit]", NULL },
        { 0, "mixed", OPT_FLAG, &w->mixed, NULL,
          "workers may have other versions of the compilers; each finding says which", NULL },
        { 0, "store", OPT_STR, &r->store, "STORE", "a file, or postgresql://.. [the user's own]",
          "@files" },
        { 0 },
    };
    const OptSpec start = { .name = "campaign start",
                            .usage = "[OPTION].. [NAME]..",
                            .brief = "put a campaign into the store, for workers to join",
                            .table = options,
                            .notes = notes,
                            .most = OPT_MANY,
                            .operands = "@files" };
    return opts_parse(&start, argc, argv, rest, err);
}

static int start_campaign(int argc, char **argv) {
    Error err = { 0 };
    PlanWords w = { .request = HUNT_REQUEST };
    StrVec rest = { 0 };
    int64_t id;
    OptsEnd parsed = parse_start(&w, argc, argv, &rest, &err);
    hunt_operands(&w.request, &rest);
    run_catch_interrupts();
    bool ok = parsed == OPTS_STOP ||
              (parsed == OPTS_GO && hunt_plan(&w.request, w.mixed, w.cpu_s, &id, &err));
    if (ok && parsed == OPTS_GO) printf("%lld\n", (long long)id);
    hunt_request_release(&w.request);
    vec_release(&rest);
    return ok ? STATUS_DONE : err_report(&err);
}

/* ---- what is known of one ---- */
typedef struct CampaignStatus {
    Campaign c;
    CampaignPlan plan;
    bool joined; /* it has a plan */
    CampaignWorker *workers;
    size_t n_workers, alive;
    double seeds_s;    /* seeds a second, of late */
    double programs_h; /* programs in an hour of one core, in all */
} CampaignStatus;

/* Over the last five minutes, as far as steps of the course tell them. */
static double recent_rate(const Sample *samples, size_t n) {
    double now = store_time(), from = now - 300, first = now;
    uint64_t seeds = 0;
    for (size_t i = n; i-- > 0 && samples[i].time + samples[i].width > from;)
        seeds += samples[i].totals.seeds, first = samples[i].time;
    return now > first ? (double)seeds / (now - first) : 0;
}

static bool read_status(Store *store, Arena *arena, int64_t id, CampaignStatus *s, Error *err) {
    Sample *samples;
    size_t n;
    Error none;
    *s = (CampaignStatus){ 0 };
    if (!store_campaign_get(store, arena, id, &s->c, err) ||
        !store_workers(store, arena, id, &s->workers, &s->n_workers, err) ||
        !store_samples(store, arena, id, &samples, &n, err))
        return false;
    s->joined = store_plan_get(store, arena, id, &s->plan, &none);
    for (size_t i = 0; i < s->n_workers; i++)
        s->alive +=
            !str_is(s->workers[i].state, "ended") && store_time() - s->workers[i].seen < ALIVE_S;
    s->seeds_s = recent_rate(samples, n);
    double hours = s->c.totals.total_cpu_s / 3600;
    s->programs_h = hours > 0 ? (double)s->c.totals.programs / hours : 0;
    return true;
}

/* "3h 20m", by the nearest budget; "" when it cannot be told. */
static const char *eta(const CampaignStatus *s, char out[32]) {
    double left = -1;
    out[0] = 0;
    if (s->plan.programs && s->seeds_s > 0)
        left = ((double)s->plan.programs - (double)s->c.totals.seeds) / s->seeds_s;
    if (s->plan.ends > 0 && (left < 0 || s->plan.ends - store_time() < left))
        left = s->plan.ends - store_time();
    if (left >= 0 && str_is(s->c.state, "running")) quantity_show_duration(left, out);
    return out;
}

static json_t *status_json(const CampaignStatus *s) {
    json_t *o = json_object(), *workers = json_array();
    json_put_int(o, "campaign", s->c.id);
    json_put_text(o, "state", s->c.state);
    json_put_int(o, "seeds", (int64_t)s->c.totals.seeds);
    json_put_int(o, "programs", (int64_t)s->c.totals.programs);
    json_put_int(o, "findings", (int64_t)s->c.totals.findings);
    json_put_int(o, "buckets", (int64_t)s->c.totals.buckets);
    json_put_real(o, "seeds_per_s", s->seeds_s);
    json_put_real(o, "programs_per_core_hour", s->programs_h);
    json_put_int(o, "seeds_most", (int64_t)s->plan.programs);
    json_put_bool(o, "joinable", s->joined);
    for (size_t i = 0; i < s->n_workers; i++) {
        const CampaignWorker *w = &s->workers[i];
        json_t *item = json_object();
        json_put_text(item, "worker", w->worker);
        json_put_text(item, "host", w->host);
        json_put_text(item, "state", w->state);
        json_put_text(item, "words", w->words);
        json_put_int(item, "cores", (int64_t)w->cores);
        json_put_int(item, "seeds", (int64_t)w->totals.seeds);
        json_put_int(item, "programs", (int64_t)w->totals.programs);
        json_put_real(item, "seen", w->seen);
        json_array_append_new(workers, item);
    }
    json_put(o, "workers", workers);
    return o;
}

static void print_line(const CampaignStatus *s) {
    char left[32];
    printf("%5lld  %-8.*s %9llu %9llu %7llu %5llu %7zu %9.2f  %s\n", (long long)s->c.id,
           STR_ARG(s->c.state), (unsigned long long)s->c.totals.seeds,
           (unsigned long long)s->c.totals.programs, (unsigned long long)s->c.totals.findings,
           (unsigned long long)s->c.totals.buckets, s->alive, s->seeds_s, eta(s, left));
}

static void print_head(void) {
    printf("%5s  %-8s %9s %9s %7s %5s %7s %9s  %s\n", "no.", "state", "seeds", "programs", "hits",
           "cases", "workers", "seeds/s", "left");
}

static void print_workers(const CampaignStatus *s) {
    Buf out = { 0 };
    for (size_t i = 0; i < s->n_workers && i < 40; i++) {
        const CampaignWorker *w = &s->workers[i];
        char ago[32];
        quantity_show_duration(store_time() - w->seen, ago);
        buf_text(&out, "  ");
        terminal_cell(&out, w->host, 16, false);
        buf_fmt(&out, " %-8.*s %4llu cores %8llu seeds %9llu programs, seen %s ago",
                STR_ARG(w->state), (unsigned long long)w->cores,
                (unsigned long long)w->totals.seeds, (unsigned long long)w->totals.programs, ago);
        if (w->words.len) buf_text(&out, "  "), terminal_cell(&out, w->words, 60, false);
        buf_char(&out, '\n');
    }
    fputs(out.at ? out.at : "", stdout);
    buf_release(&out);
}

/* ---- list, watch ---- */
static bool list(Store *store, Arena *arena, bool as_json, Error *err) {
    Campaign *all;
    size_t n;
    json_t *rows = json_array();
    bool ok = store_campaign_list(store, arena, &all, &n, err);
    if (ok && !as_json) print_head();
    for (size_t i = 0; ok && i < n; i++) {
        CampaignStatus s;
        ok = read_status(store, arena, all[i].id, &s, err);
        if (ok && as_json) json_array_append_new(rows, status_json(&s));
        if (ok && !as_json) print_line(&s);
    }
    if (ok && as_json) json_print(rows);
    json_decref(rows);
    return ok;
}

static bool watch(Store *store, int64_t id, const CampaignWords *o, Error *err) {
    run_catch_interrupts();
    for (;;) {
        Arena arena = { 0 };
        CampaignStatus s;
        bool ok = read_status(store, &arena, id, &s, err);
        if (ok && o->json) {
            json_t *json = status_json(&s);
            json_print(json);
            json_decref(json);
        } else if (ok) {
            print_head();
            print_line(&s);
            print_workers(&s);
        }
        fflush(stdout);
        bool go_on = ok && !o->once && str_is(s.c.state, "running");
        arena_release(&arena);
        if (!go_on) return ok;
        for (double t = 0; t < WATCH_S && !run_interrupted(); t += 0.1) usleep(100000);
        if (run_interrupted()) return true;
    }
}

/* ---- submit ---- */
/* Whoever may read the queue may read the script. */
static bool has_password(const char *url) {
    const char *at = strchr(url, '@'), *user = strstr(url, "://");
    return strstr(url, "password=") ||
           (user && at && memchr(user + 3, ':', (size_t)(at - user) - 3));
}

static bool submit(Store *store, Arena *arena, int64_t id, const CampaignWords *o, Error *err) {
    CampaignPlan plan;
    if (!store_plan_get(store, arena, id, &plan, err) ||
        !store_may_run(store, o->trust, "the compilers of the campaign", err))
        return false;
    const char *path = o->store ? o->store : store_default_path(arena, err);
    if (!path) return false;
    if (has_password(path))
        return err_set(err, STATUS_BAD,
                       "--store has a password in it, which all can read in a job: leave it out, "
                       "and put it into ~/.pgpass");
    char *self = realpath("/proc/self/exe", NULL), *file = realpath(path, NULL);
    if (file && !store_is_server(path)) path = arena_strdup(arena, file); /* jobs start elsewhere */
    free(file);
    SubmitSpec job = { .store = path,
                       .campaign = id,
                       .partition = o->partition,
                       .nodes = o->nodes ? o->nodes : 1,
                       .cores = o->cores,
                       .time = o->time,
                       .culprit = self ? arena_strdup(arena, self) : "culprit" };
    free(self);
    Str script = submit_script(arena, &job);
    if (!o->print) return submit_now(script, err);
    fputs(script.at, stdout);
    return true;
}

/* ---- the command ---- */
static bool set_state(const char *path, int64_t id, bool run, Error *err) {
    Store *store = store_open(path, STORE_WRITE, err);
    bool ok =
        store && store_campaign_set(store, id, run ? STR("running") : STR("stopped"), STR(""), err);
    store_close(store);
    return ok;
}

static bool act(Arena *arena, const CampaignWords *o, const StrVec *words, Error *err) {
    static const char *const verbs[] = { "list", "stop", "resume", "watch", "submit", "start" };
    Str verb = words->len ? words->at[0] : STR("list");
    uint64_t id = 0;
    bool lists = str_is(verb, "list");
    size_t known = 0;
    while (known < COUNT_OF(verbs) && !str_is(verb, verbs[known])) known++;
    const char *near =
        known < COUNT_OF(verbs) ? NULL : opts_nearest(verb.at, verbs, COUNT_OF(verbs));
    if (near)
        return err_set(err, STATUS_BAD, "unknown word '%s'; did you mean 'culprit campaign %s'?",
                       verb.at, near);
    if (known >= COUNT_OF(verbs) || words->len > (lists ? 1u : 2u) ||
        (!lists && (words->len < 2 || !str_to_u64(words->at[1], &id) || !id || id > INT64_MAX)))
        return err_set(err, STATUS_BAD, "usage: culprit campaign %s", spec.usage);
    Store *store = store_open(o->store, STORE_READ, err);
    if (!store) return false;
    bool ok = lists                    ? list(store, arena, o->json, err)
              : str_is(verb, "watch")  ? watch(store, (int64_t)id, o, err)
              : str_is(verb, "submit") ? submit(store, arena, (int64_t)id, o, err)
                                       : true;
    store_close(store);
    if (str_is(verb, "stop") || str_is(verb, "resume"))
        ok = set_state(o->store, (int64_t)id, str_is(verb, "resume"), err);
    return ok;
}

int campaign_command(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "start") == 0) return start_campaign(argc - 1, argv + 1);
    Error err = { 0 };
    Arena arena = { 0 };
    CampaignWords o = { 0 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    bool ok = end == OPTS_STOP || (end == OPTS_GO && act(&arena, &o, &opts.rest, &err));
    arena_release(&arena);
    opts_release(&opts);
    return ok ? STATUS_DONE : err_report(&err);
}

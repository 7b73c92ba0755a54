/* The oracle; see oracle.h. */
#include "explain/oracle.h"
#include "base/quantity.h"
#include "explain/explain_knobs.h"
#include "shrink/speculate.h"

#include <ctype.h>
#include <unistd.h>

typedef struct Worker {
    Worktree tree;
    bool made;    /* the tree is there */
    bool busy;    /* a job runs in it */
    uint8_t *own; /* what was reverted in it when the user's own command built it last */
} Worker;

struct Oracle {
    OracleSpec spec;
    Arena arena;
    Verdicts verdicts;
    Worker *trees; /* one more than jobs: sets are built in what is most like them */
    unsigned n_trees;
    bool reserved; /* the first tree waits for builds without the user's makefiles */
    Pool *pool;
    Fit *fit;                        /* NULL: every set is built */
    double parse_cpu_s, build_cpu_s; /* spent on sets that the parser was asked about, and built */
    size_t parsed;                   /* sets that it was asked about */
    double learn_cpu_s;              /* spent on what its messages mean */
    size_t timed;                    /* builds that build_cpu_s was spent on */
    OracleDirect direct;             /* builds most sets where it can */
    OracleCounts counts;
    Error error;        /* status not 0: a worker tree could not be written */
    bool late;          /* the deadline passed */
    double pause_cpu_s; /* CPU time at which it stops for now; 0: none */
};

/* One candidate on its way: build, then test. */
typedef struct OracleTrial {
    Job job; /* first: the pool knows it by this */
    Oracle *oracle;
    Worker *worker;
    Hash hash;
    uint8_t *reverted;
    enum { TRIAL_NEW, TRIAL_BUILD, TRIAL_TEST } stage;
    Outcome outcome;
    Str log;
} OracleTrial;

static void take_over(Worker *worker, Worktree *tree) {
    if (!tree || !tree->dir) return;
    worker->tree = *tree;
    worker->made = true;
    *tree = (Worktree){ 0 };
}

Oracle *oracle_new(const OracleSpec *spec, Error *err) {
    Oracle *o = mem_alloc(sizeof *o);
    o->spec = *spec;
    if (!o->spec.workers) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        o->spec.workers = cores > 0 ? (unsigned)cores : 1;
    }
    o->n_trees = o->spec.workers + 1;
    o->trees = ARENA_ARRAY(&o->arena, Worker, o->n_trees);
    o->pool = pool_new(o->spec.workers);
    for (unsigned i = 0; i < o->n_trees; i++)
        o->trees[i].own = ARENA_ARRAY(&o->arena, uint8_t, spec->set->changes.len + 1);
    if (o->n_trees > 1) memset(o->trees[1].own, 1, spec->set->changes.len);
    take_over(&o->trees[0], spec->bad);
    o->reserved = spec->scratch && o->trees[0].made;
    if (!spec->scratch) {
        take_over(&o->trees[1], spec->good);
        if (o->trees[1].made) worktree_is_good(&o->trees[1].tree);
    }
    if (verdicts_open(&o->verdicts, spec->state, err)) return o;
    oracle_free(o);
    return NULL;
}

void oracle_free(Oracle *o) {
    if (!o) return;
    pool_free(o->pool);
    for (unsigned i = 0; i < o->n_trees; i++)
        if (o->trees[i].made) worktree_release(&o->trees[i].tree);
    verdicts_close(&o->verdicts);
    arena_release(&o->arena);
    mem_free(o);
}

OracleCounts *oracle_counts(Oracle *o) {
    return &o->counts;
}

void oracle_use_fit(Oracle *o, Fit *fit) {
    o->fit = fit;
}

bool oracle_has_fit(const Oracle *o) {
    return o->fit != NULL;
}

double oracle_fit_cpu(const Oracle *o) {
    return o->parse_cpu_s + o->learn_cpu_s;
}

double oracle_build_cpu(const Oracle *o) {
    return o->timed ? o->build_cpu_s / (double)o->timed : o->spec.build_cpu_s;
}

unsigned oracle_workers(const Oracle *o) {
    return o->spec.workers;
}

const ChangeSet *oracle_set(const Oracle *o) {
    return o->spec.set;
}

double oracle_cpu(void) {
    return clock_own_cpu() + run_children_cpu();
}

void oracle_say(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "%.1f ", oracle_cpu());
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}

bool oracle_dumps(const Oracle *o) {
    return o->spec.dump;
}

bool oracle_stopped(Oracle *o, Error *err) {
    if (o->error.status) {
        if (err) *err = o->error;
        return true;
    }
    if (o->spec.deadline && clock_now() >= o->spec.deadline) o->late = true;
    if (o->spec.cpu_limit_s && oracle_cpu() >= o->spec.cpu_limit_s) o->late = true;
    bool pauses = o->pause_cpu_s > 0 && oracle_cpu() >= o->pause_cpu_s;
    return o->late || pauses || run_interrupted();
}

void oracle_pause_at(Oracle *o, double cpu_s) {
    o->pause_cpu_s = cpu_s;
}

static void show(Oracle *o) {
    if (!o->spec.live) return;
    char time[32];
    live_line(o->spec.live, "explain: %zu builds, %zu tests, %zu candidates left, %zu causes, %s",
              o->counts.builds, o->counts.tests, o->counts.left, o->counts.causes,
              quantity_show_duration(live_elapsed(o->spec.live), time));
}

/* ---- one trial ---- */

static RunSpec shell(Arena *arena, const char *text, const char *dir, double limit_s) {
    const char **argv = ARENA_ARRAY(arena, const char *, 4);
    argv[0] = "/bin/sh", argv[1] = "-c", argv[2] = arena_strdup(arena, text);
    return (
        RunSpec){ .argv = argv, .dir = dir, .profile = RUN_BUILD, .limits = { .wall_s = limit_s } };
}

RunSpec oracle_build_spec(Arena *arena, const char *text, const char *dir, const char *cc,
                          const char *const *extra, double limit_s) {
    RunSpec spec = shell(arena, text, dir, limit_s);
    size_t n = 0;
    while (extra && extra[n]) n++;
    const char **env = ARENA_ARRAY(arena, const char *, n + 4);
    n = 0;
    env[n++] = "LC_ALL=C"; /* the compiler's messages are read: they must be in plain English */
    /* A cache of compilations lies where a build may not write. */
    if (run_builds_are_confined()) env[n++] = "CCACHE_DISABLE=1";
    if (!cc && !getenv("CC")) cc = "cc"; /* the user's own compiler; where there is none, make's */
    if (cc) env[n++] = arena_fmt(arena, "CC=%s", cc);
    while (extra && *extra) env[n++] = arena_strdup(arena, *extra++);
    spec.env = env;
    return spec;
}

RunSpec oracle_test_spec(Arena *arena, const char *text, const char *dir, const char *extra,
                         double limit_s) {
    RunSpec spec = shell(arena, text, dir, limit_s);
    const char **env = ARENA_ARRAY(arena, const char *, 2);
    if (extra) env[0] = arena_strdup(arena, extra);
    spec.env = env;
    return spec;
}

/* "a.c:7:1: error: ..": what is wrong is said. */
static bool names_a_place(Str line) {
    if (str_find(line, STR("/tmp"), 0) != STR_NONE) return false;
    for (size_t at = 0; (at = str_find(line, STR(":"), at)) != STR_NONE; at++)
        if (at + 1 < line.len && isdigit((unsigned char)line.at[at + 1])) return true;
    return false;
}

const char *oracle_rights_hint(Str line) {
    return run_builds_are_confined() && !names_a_place(line)
               ? " (builds write only below their tree and TMPDIR, not in /tmp: --writable DIR)"
               : "";
}

/* "configure: error: in `DIR':" only says that something follows. */
static bool tells_error(Str line) {
    return !str_ends(line, ":") && (str_find(line, STR("error"), 0) != STR_NONE ||
                                    str_find(line, STR("undefined reference"), 0) != STR_NONE);
}

Str oracle_telling_line(Str log) {
    Str rest = log, line, last = { "", 0 };
    while (str_split(&rest, '\n', &line)) {
        line = str_trim(line);
        if (tells_error(line)) return line;
        if (line.len) last = line;
    }
    return str_sub(last, 0, 300);
}

bool oracle_test_started(const RunResult *r, Error *err) {
    bool shell = r->end == RUN_EXITED && (r->code == 127 || r->code == 126);
    if (!shell && r->end != RUN_NOT_STARTED) return true;
    Arena scratch = { 0 };
    Str line = oracle_telling_line(r->err);
    err_set(err, STATUS_BAD, "the test cannot be started (%s)%s" STR_FMT, run_describe(&scratch, r),
            line.len ? ": " : "", STR_ARG(line));
    arena_release(&scratch);
    return false;
}

static double time_left(const Oracle *o, double limit_s) {
    if (!o->spec.deadline) return limit_s;
    double left = o->spec.deadline - clock_now();
    if (left < 0.05) left = 0.05;
    return left < limit_s ? left : limit_s;
}

/* Ended because the search's own time ran out, not for its own reasons. */
static bool ended_late(Oracle *o, const RunResult *r) {
    if (r->end == RUN_CANCELLED) return true;
    return r->end == RUN_TIMEOUT && oracle_stopped(o, NULL);
}

static bool is_easy(const Oracle *o, const uint8_t *hard, const uint8_t *reverted) {
    for (size_t c = 0; c < o->spec.set->changes.len; c++)
        if (reverted[c] && hard[c]) return false;
    return true;
}

/* Whether the set is one of those that are built without the user's makefiles. */
static bool is_direct(const Oracle *o, const uint8_t *reverted) {
    return o->direct.build && is_easy(o, o->direct.hard, reverted) &&
           needs_hold_unseen(o->direct.ties, reverted);
}

/* Whether the tree holds all that a build without the user's makefiles needs: they have been there,
 * and what they generated is bad's. */
static bool is_prepared(const Oracle *o, const Worker *w, const uint8_t *hard) {
    return w->made && w->tree.built && is_easy(o, hard, w->own);
}

static bool start_build(OracleTrial *t, RunSpec *next) {
    Oracle *o = t->oracle;
    if (!worktree_set(&t->worker->tree, t->reverted, &o->error)) return false;
    bool direct = is_direct(o, t->reverted) && is_prepared(o, t->worker, o->direct.hard);
    o->counts.direct += direct;
    if (!direct) memcpy(t->worker->own, t->reverted, o->spec.set->changes.len);
    *next = oracle_build_spec(&t->job.arena, direct ? o->direct.build : o->spec.build,
                              t->worker->tree.dir, NULL, NULL, time_left(o, BUILD_LIMIT_S));
    t->stage = TRIAL_BUILD;
    o->counts.builds++;
    return true;
}

/* Half a revert often loops for ever. */
static RunSpec test_of_set(const Oracle *o, Arena *arena, const char *dir) {
    RunSpec spec =
        oracle_test_spec(arena, o->spec.test, dir, NULL, time_left(o, o->spec.test_limit_s));
    spec.limits.cpu_s = o->spec.test_cpu_s;
    return spec;
}

static bool end_build(OracleTrial *t, const RunResult *r, RunSpec *next) {
    Oracle *o = t->oracle;
    bool late = ended_late(o, r);
    o->build_cpu_s += r->cpu_s;
    o->timed++;
    worktree_built(&t->worker->tree, !late && r->end == RUN_EXITED);
    if (late) return false;
    if (!run_ok(r)) {
        t->outcome = OUTCOME_NO_BUILD;
        t->log = r->err.len ? r->err : r->out;
        return false;
    }
    *next = test_of_set(o, &t->job.arena, t->worker->tree.dir);
    t->stage = TRIAL_TEST;
    o->counts.tests++;
    return true;
}

static bool trial_step(Job *job, const RunResult *last, RunSpec *next) {
    OracleTrial *t = (OracleTrial *)job;
    show(t->oracle);
    switch (t->stage) {
    case TRIAL_NEW: return start_build(t, next);
    case TRIAL_BUILD: return end_build(t, last, next);
    case TRIAL_TEST:
        if (ended_late(t->oracle, last)) return false;
        t->outcome = run_ok(last) ? OUTCOME_PASSES : OUTCOME_FAILS;
        return false;
    }
    return false;
}

/* ---- rounds ---- */

/* A round of candidates in the form speculate needs. */
typedef struct OracleSource {
    Oracle *oracle;
    OracleView *view;
    const ShrinkRound *round;
    uint8_t *keep, *reverted;  /* room for a candidate */
    VEC(ShrinkVerdict) wanted; /* by candidate */
} OracleSource;

/* The free worker that has least to write, of those that are prepared where hard is given and there
 * are any. */
static Worker *nearest_worker(Oracle *o, const uint8_t *reverted, const uint8_t *hard) {
    Worker *best = NULL, *fresh = NULL;
    size_t least = 0;
    for (unsigned i = 0; i < o->n_trees; i++) {
        Worker *w = &o->trees[i];
        if (w->busy || (hard && !is_prepared(o, w, hard))) continue;
        if (o->reserved && !i && !hard) continue;
        if (!w->made) {
            if (!fresh) fresh = w;
            continue;
        }
        size_t distance = worktree_distance(&w->tree, reverted);
        if (!best || distance < least) best = w, least = distance;
    }
    return best ? best : fresh;
}

static Worker *take_worker(Oracle *o, const uint8_t *reverted, const uint8_t *hard) {
    Worker *prepared = hard ? nearest_worker(o, reverted, hard) : NULL;
    Worker *best = prepared ? prepared : nearest_worker(o, reverted, NULL);
    CHECK(best);
    if (best->made && o->spec.scratch && best->tree.builds && best != prepared) {
        worktree_release(&best->tree);
        best->made = false;
    }
    if (!best->made) {
        best->made = true;
        if (!worktree_new(&best->tree, o->spec.set, o->spec.includes, NULL, &o->error)) return NULL;
    }
    best->busy = true;
    return best;
}

static OracleTrial *trial_new(Oracle *o, const uint8_t *reverted, Hash hash) {
    const uint8_t *hard = is_direct(o, reverted) ? o->direct.hard : NULL;
    Worker *worker = take_worker(o, reverted, hard);
    if (!worker) return NULL;
    OracleTrial *t = mem_alloc(sizeof *t);
    t->job.step = trial_step;
    t->oracle = o;
    t->worker = worker;
    t->hash = hash;
    t->outcome = OUTCOME_STOPPED;
    t->reverted = arena_copy(&t->job.arena, reverted, o->spec.set->changes.len);
    return t;
}

/* --dump=search: "tried 3: a.c:12 a.c:40 b.c:7: fails". */
static void dump(const Oracle *o, const uint8_t *reverted, const char *what) {
    const ChangeSet *set = o->spec.set;
    Arena scratch = { 0 };
    Buf line = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < set->changes.len; i++) {
        if (!reverted[i]) continue;
        if (count++ < 6) buf_fmt(&line, " %s", change_place(&scratch, set, i));
    }
    oracle_say("tried %zu:" STR_FMT "%s: %s", count, STR_ARG(buf_view(&line)),
               count > 6 ? " .." : "", what);
    buf_release(&line);
    arena_release(&scratch);
}

/* Asks the parser whether a set fits, unless that was dearer than building by now. */
static bool fits(Oracle *o, const uint8_t *reverted, Buf *log) {
    if (!o->fit) return true;
    double before = clock_own_cpu();
    bool fits = fit_set(o->fit, reverted, log);
    o->parse_cpu_s += clock_own_cpu() - before;
    o->parsed++;
    bool dear = o->parse_cpu_s > (double)o->parsed * oracle_build_cpu(o);
    if (o->parsed >= FIT_MEASURED && dear) {
        if (o->spec.dump) oracle_say("parsing a set takes longer than building it");
        o->fit = NULL;
    }
    return fits;
}

/* Whether a parser refuses the set; its messages are kept as a build's would be. */
static bool is_refused(Oracle *o, const uint8_t *reverted, Hash hash) {
    Buf log = { 0 };
    bool refused = !fits(o, reverted, &log);
    if (refused) {
        o->counts.refused++;
        verdicts_put(&o->verdicts, hash, OUTCOME_NO_BUILD, buf_view(&log));
        Str first = oracle_telling_line(buf_view(&log));
        if (o->spec.dump)
            dump(o, reverted, arena_fmt(&o->arena, "refused: " STR_FMT, STR_ARG(first)));
    }
    buf_release(&log);
    return refused;
}

static SpecMade make(void *user, size_t i, Job **job, bool *good) {
    OracleSource *s = user;
    Oracle *o = s->oracle;
    if (i >= s->round->count || oracle_stopped(o, NULL)) return SPEC_END;
    ShrinkVerdict wanted = s->round->make(s->round, i, s->keep);
    vec_push(&s->wanted, wanted);
    oracle_subset(s->view, s->keep, s->reverted);
    Outcome outcome;
    Hash hash = changeset_hash(o->spec.set, s->reverted);
    if (verdicts_get(&o->verdicts, hash, &outcome)) {
        o->counts.known++;
        *good = s->view->verdict[outcome] == wanted;
        return SPEC_KNOWN;
    }
    if (is_refused(o, s->reverted, hash)) {
        *good = s->view->verdict[OUTCOME_NO_BUILD] == wanted;
        return SPEC_KNOWN;
    }
    OracleTrial *t = trial_new(o, s->reverted, hash);
    if (!t) return SPEC_END;
    *job = &t->job;
    return SPEC_RUN;
}

static bool judge(void *user, size_t i, Job *job) {
    OracleSource *s = user;
    OracleTrial *t = (OracleTrial *)job;
    static const char *const names[] = { "passes", "fails", "does not build", "stopped" };
    if (s->oracle->spec.dump)
        dump(s->oracle, t->reverted,
             arena_fmt(&s->oracle->arena, "%s%s" STR_FMT, names[t->outcome], t->log.len ? ": " : "",
                       STR_ARG(oracle_telling_line(t->log))));
    if (t->outcome == OUTCOME_STOPPED) return false;
    verdicts_put(&s->oracle->verdicts, t->hash, t->outcome, t->log);
    return s->view->verdict[t->outcome] == s->wanted.at[i];
}

/* What was killed could not clean up: what a test left behind, or a half-written first build, would
 * affect later verdicts of this tree. Only the files of a change are built again. */
static void discard(OracleTrial *t) {
    Worker *w = t->worker;
    if (t->stage == TRIAL_BUILD && w->tree.built) {
        worktree_built(&w->tree, false);
        return;
    }
    worktree_release(&w->tree);
    w->made = false;
}

static void drop(void *user, size_t i, Job *job) {
    (void)user, (void)i;
    OracleTrial *t = (OracleTrial *)job;
    if (job->cancelled) discard(t);
    t->worker->busy = false;
    arena_release(&job->arena);
    mem_free(t);
}

static size_t first(void *user, const ShrinkRound *round) {
    OracleView *view = user;
    Oracle *o = view->oracle;
    size_t changes = o->spec.set->changes.len;
    OracleSource source = { .oracle = o,
                            .view = view,
                            .round = round,
                            .keep = mem_alloc(round->n + 1),
                            .reverted = mem_alloc(changes + 1) };
    SpecSource spec = { .user = &source, .make = make, .judge = judge, .drop = drop };
    size_t hit = speculate(o->pool, &spec);
    mem_free(source.keep);
    mem_free(source.reverted);
    vec_release(&source.wanted);
    show(o);
    if (hit != SHRINK_STOP && hit != SHRINK_NONE) return hit;
    return oracle_stopped(o, NULL) ? SHRINK_STOP : hit;
}

ShrinkTest oracle_test(OracleView *view) {
    return (ShrinkTest){ .first = first, .user = view };
}

void oracle_subset(const OracleView *view, const uint8_t *keep, uint8_t *out) {
    size_t n = view->oracle->spec.set->changes.len;
    if (view->base)
        memcpy(out, view->base, n);
    else
        memset(out, 0, n);
    for (size_t i = 0; i < view->n; i++)
        out[view->elements[i]] = view->keep_is_applied ? !keep[i] : keep[i];
}

/* ---- one set ---- */

static ShrinkVerdict make_one(const ShrinkRound *round, size_t i, uint8_t *keep) {
    (void)i;
    memcpy(keep, round->state, round->n);
    return SHRINK_PASSES;
}

bool oracle_known(Oracle *o, const uint8_t *reverted, Outcome *outcome) {
    return verdicts_get(&o->verdicts, changeset_hash(o->spec.set, reverted), outcome);
}

/* ---- builds without the user's makefiles ---- */

/* Builds and tests the set in the tree that is most like it; cpu_s: what building it took. */
static bool try_direct(Oracle *o, const char *build, const uint8_t *hard, const uint8_t *reverted,
                       Outcome wanted, double *cpu_s) {
    Arena scratch = { 0 };
    Worker *w = take_worker(o, reverted, hard);
    bool ok = w && is_prepared(o, w, hard) && worktree_set(&w->tree, reverted, &o->error);
    if (ok) {
        RunSpec spec = oracle_build_spec(&scratch, build, w->tree.dir, NULL, NULL,
                                         time_left(o, BUILD_LIMIT_S));
        RunResult r = run_one(&scratch, &spec);
        worktree_built(&w->tree, r.end == RUN_EXITED);
        *cpu_s = r.cpu_s;
        ok = run_ok(&r);
        if (!ok && o->spec.dump)
            oracle_say("direct: " STR_FMT, STR_ARG(oracle_telling_line(r.err)));
    }
    if (ok) {
        RunSpec spec = test_of_set(o, &scratch, w->tree.dir);
        RunResult r = run_one(&scratch, &spec);
        ok = run_ok(&r) == (wanted == OUTCOME_PASSES);
    }
    if (w) w->busy = false;
    arena_release(&scratch);
    return ok;
}

bool oracle_use_direct(Oracle *o, OracleDirect direct, const uint8_t *passing, const char **why) {
    size_t n = o->spec.set->changes.len;
    uint8_t *none = mem_alloc(n + 1);
    double first, second, own = oracle_build_cpu(o);
    bool touched = false;
    for (size_t c = 0; c < n; c++) touched |= passing[c] && direct.hard[c];
    *why = NULL;
    if (o->spec.scratch && !o->reserved)
        *why = "every set is built from nothing";
    else if (touched)
        *why = "what passes changes how generated files are made";
    else if (!try_direct(o, direct.build, direct.hard, none, OUTCOME_FAILS, &first))
        *why = "the failing version does not build or does not fail";
    else if (!try_direct(o, direct.build, direct.hard, passing, OUTCOME_PASSES, &second))
        *why = "what passes does not build or does not pass";
    else if (second > DIRECT_SHARE * own)
        *why = "it costs as much as the user's own";
    if (o->spec.dump) oracle_say("builds without makefiles: %s", *why ? *why : "used from now on");
    o->reserved = false;
    if (!*why) {
        o->spec.scratch = false; /* no file is most of the work any more */
        o->direct = direct;
        o->build_cpu_s = second; /* what the parser may cost is measured by these from now on */
        o->timed = 1;
        o->parse_cpu_s = 0;
        o->parsed = 0;
    }
    mem_free(none);
    return !*why;
}

void oracle_end_direct(Oracle *o) {
    o->direct = (OracleDirect){ 0 };
}

const Worktree *oracle_scratch_tree(const Oracle *o, const uint8_t *reverted) {
    for (unsigned i = 0; i < o->n_trees; i++) {
        const Worktree *tree = &o->trees[i].tree;
        if (o->trees[i].made && tree->builds == 1 && tree->complete &&
            worktree_holds(tree, reverted))
            return tree;
    }
    return NULL;
}

bool oracle_refuses(Oracle *o, const uint8_t *reverted) {
    Outcome outcome;
    Hash hash = changeset_hash(o->spec.set, reverted);
    if (verdicts_get(&o->verdicts, hash, &outcome)) return outcome == OUTCOME_NO_BUILD;
    return is_refused(o, reverted, hash);
}

bool oracle_refusal(Oracle *o, const uint8_t *reverted, Buf *log, const char **unit) {
    if (!o->fit) return false;
    double before = clock_own_cpu();
    bool refused = !fit_set(o->fit, reverted, log);
    *unit = refused ? fit_refused_unit(o->fit) : NULL;
    o->learn_cpu_s += clock_own_cpu() - before;
    return refused;
}

size_t oracle_says(Oracle *o, const char *unit, const uint8_t *reverted, Str text) {
    double before = clock_own_cpu();
    size_t n = o->fit ? fit_says(o->fit, unit, reverted, text) : 0;
    o->learn_cpu_s += clock_own_cpu() - before;
    return n;
}

bool oracle_brings(const Oracle *o, size_t change, Str name) {
    return o->fit && fit_brings(o->fit, change, name);
}

void oracle_tell(Oracle *o, const uint8_t *reverted, Outcome outcome) {
    verdicts_put(&o->verdicts, changeset_hash(o->spec.set, reverted), outcome, (Str){ "", 0 });
}

Outcome oracle_ask(Oracle *o, const uint8_t *reverted) {
    Outcome outcome;
    if (oracle_known(o, reverted, &outcome)) {
        o->counts.known++;
        return outcome;
    }
    size_t n = o->spec.set->changes.len;
    size_t *all = mem_alloc((n + 1) * sizeof *all);
    for (size_t i = 0; i < n; i++) all[i] = i;
    OracleView view = { .oracle = o,
                        .elements = all,
                        .n = n,
                        .verdict = { SHRINK_PASSES, SHRINK_FAILS, SHRINK_UNRESOLVED,
                                     SHRINK_UNRESOLVED } };
    ShrinkRound round = { .count = 1, .n = n, .make = make_one, .state = reverted };
    first(&view, &round);
    mem_free(all);
    return oracle_known(o, reverted, &outcome) ? outcome : OUTCOME_STOPPED;
}

Str oracle_log(Oracle *o, const uint8_t *reverted) {
    if (oracle_ask(o, reverted) != OUTCOME_NO_BUILD) return (Str){ "", 0 };
    return verdicts_log(&o->verdicts, changeset_hash(o->spec.set, reverted));
}

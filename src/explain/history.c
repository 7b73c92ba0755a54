/* The search over commits; see history.h. */
#include "explain/history.h"
#include "base/file.h"
#include "base/quantity.h"
#include "change/verdicts.h"
#include "explain/explain_knobs.h"
#include "explain/oracle.h"
#include "run/run.h"
#include "run/workdir.h"

#include <unistd.h>

typedef enum PointState {
    POINT_UNKNOWN,
    POINT_RUNS,
    POINT_PASSES,
    POINT_FAILS,
    POINT_SKIPPED
} PointState;

/* A commit that can be tested. */
typedef struct HistoryPoint {
    const char *hash;
    unsigned parents;
    PointState state;
} HistoryPoint;

typedef struct HistoryTree {
    char *dir;
    const char *commit;  /* what its objects were built from; NULL: nothing */
    struct Visit *visit; /* what uses it while it is busy */
    bool made, busy;
} HistoryTree;

typedef struct History {
    const HistoryRequest *request;
    HistoryResult *result;
    Arena *arena;
    HistoryTree *trees;
    unsigned workers;
    Pool *pool;
    Verdicts verdicts;
    VEC(HistoryPoint) points; /* points[0] is the good end, the last one the bad end */
    size_t lo, hi;            /* points[lo] passes, points[hi] fails */
    double test_limit_s;
    double cpu_before; /* run_children_cpu when it began */
    Error error;
} History;

/* One commit on its way: git until the tree is there, build, test, and the test again. */
typedef struct Visit {
    Job job; /* first: the pool knows it by this */
    History *history;
    HistoryTree *tree;
    size_t point;
    enum {
        VISIT_NEW,
        VISIT_CLONE,
        VISIT_DIFF,
        VISIT_CHECKOUT,
        VISIT_CLEAN,
        VISIT_BUILD,
        VISIT_TEST
    } stage;
    bool clean;      /* the tree was emptied for this build */
    unsigned asked;  /* test runs so far, */
    unsigned passed; /* and how many of them passed */
    Outcome outcome;
    Str log;
} Visit;

/* ---- one visit ---- */

static double time_left(const History *h, double limit_s) {
    if (!h->request->deadline) return limit_s;
    double left = h->request->deadline - clock_now();
    if (left < 0.05) left = 0.05;
    return left < limit_s ? left : limit_s;
}

static bool is_late(const History *h) {
    const HistoryRequest *r = h->request;
    return run_interrupted() || (r->deadline && clock_now() >= r->deadline) ||
           (r->cpu_limit_s && run_children_cpu() - h->cpu_before >= r->cpu_limit_s);
}

static bool run_git(Visit *v, RunSpec *next, const char *dir, const char *const *words) {
    Arena *arena = &v->job.arena;
    const char **argv = ARENA_ARRAY(arena, const char *, 12);
    size_t n = 0;
    for (argv[n++] = "git"; *words; words++) argv[n++] = arena_strdup(arena, *words);
    *next = (RunSpec){ .argv = argv,
                       .dir = arena_strdup(arena, dir),
                       .profile = RUN_USER,
                       .limits = { .wall_s = time_left(v->history, BUILD_LIMIT_S) } };
    return true;
}
#define GIT(v, next, dir, ...)                                                                     \
    run_git((v), (next), (dir), (const char *const[]){ __VA_ARGS__, NULL })

static const char *hash_of(const Visit *v) {
    return v->history->points.at[v->point].hash;
}

static bool start_checkout(Visit *v, RunSpec *next) {
    v->stage = VISIT_CHECKOUT;
    return GIT(v, next, v->tree->dir, "checkout", "-q", "-f", "--detach", hash_of(v));
}

static bool start_clean(Visit *v, RunSpec *next) {
    v->stage = VISIT_CLEAN;
    v->clean = true;
    return GIT(v, next, v->tree->dir, "clean", "-q", "-f", "-f", "-d", "-x");
}

static bool start_build(Visit *v, RunSpec *next) {
    History *h = v->history;
    v->stage = VISIT_BUILD;
    v->tree->commit = NULL;
    h->result->builds++;
    *next = oracle_build_spec(&v->job.arena, h->request->build, v->tree->dir, NULL, NULL,
                              time_left(h, BUILD_LIMIT_S));
    return true;
}

static bool start_test(Visit *v, RunSpec *next) {
    History *h = v->history;
    v->stage = VISIT_TEST;
    h->result->tests++;
    /* How long good takes determines how long the others may take. */
    double limit = v->point == 0 ? TEST_FIRST_LIMIT_S : h->test_limit_s;
    *next =
        oracle_test_spec(&v->job.arena, h->request->test, v->tree->dir, NULL, time_left(h, limit));
    return true;
}

/* "M\tsrc/a.c" lines: whether make will see all of it by itself. */
static bool is_plain(Arena *arena, Str diff) {
    static const char *const sources[] = { ".c", ".cc", ".cpp", ".cxx", ".y", ".l" };
    Str rest = diff, line;
    while (str_split(&rest, '\n', &line)) {
        if (!line.len) continue;
        Str path = arena_str(arena, str_sub(line, 2, line.len));
        bool plain = false;
        for (size_t i = 0; i < COUNT_OF(sources); i++) plain |= str_ends(path, sources[i]);
        if (!git_is_documentation(path) && !(plain && line.at[0] == 'M')) return false;
    }
    return true;
}

static bool begin(Visit *v, RunSpec *next) {
    History *h = v->history;
    if (!v->tree->made) {
        v->stage = VISIT_CLONE;
        v->tree->dir = file_join(h->arena, workdir_new_large(h->arena, "history"), "tree");
        v->tree->made = true;
        v->clean = true;
        return GIT(v, next, NULL, "clone", "-q", "--shared", "--no-checkout", h->request->pair->top,
                   v->tree->dir);
    }
    if (!v->tree->commit) {
        v->clean = true;
        return start_checkout(v, next);
    }
    v->stage = VISIT_DIFF;
    return GIT(v, next, v->tree->dir, "diff", "--name-status", "--no-renames", v->tree->commit,
               hash_of(v));
}

static bool git_failed(Visit *v, const RunResult *r) {
    if (r->end != RUN_CANCELLED && !is_late(v->history))
        err_set(&v->history->error, STATUS_BAD, "git cannot lay out a commit: " STR_FMT,
                STR_ARG(str_trim(r->err)));
    return false;
}

static bool end_build(Visit *v, const RunResult *r, RunSpec *next) {
    if (r->end == RUN_CANCELLED || (r->end == RUN_TIMEOUT && is_late(v->history))) return false;
    if (run_ok(r)) {
        v->tree->commit = hash_of(v);
        return start_test(v, next);
    }
    if (!v->clean) return start_clean(v, next); /* leftover files may have been in its way */
    v->outcome = OUTCOME_NO_BUILD;
    v->log = r->err.len ? r->err : r->out;
    return false;
}

/* Two equal answers are an answer; of three, the one that came twice. */
static bool end_test(Visit *v, const RunResult *r, RunSpec *next) {
    History *h = v->history;
    if (r->end == RUN_CANCELLED || (r->end == RUN_TIMEOUT && is_late(h))) return false;
    v->asked++;
    v->passed += run_ok(r);
    bool slow = r->end == RUN_TIMEOUT || r->wall_s > HISTORY_ASK_TWICE_S;
    if (v->asked == 1 && !slow) return start_test(v, next);
    if (v->asked == 2 && v->passed == 1) {
        h->result->flaky = true;
        return start_test(v, next);
    }
    if (run_ok(r) && r->wall_s * TEST_LIMIT_TIMES > h->test_limit_s)
        h->test_limit_s = r->wall_s * TEST_LIMIT_TIMES;
    v->outcome = 2 * v->passed > v->asked ? OUTCOME_PASSES : OUTCOME_FAILS;
    return false;
}

static bool visit_step(Job *job, const RunResult *last, RunSpec *next) {
    Visit *v = (Visit *)job;
    switch (v->stage) {
    case VISIT_NEW: return begin(v, next);
    case VISIT_CLONE: return run_ok(last) ? start_checkout(v, next) : git_failed(v, last);
    case VISIT_DIFF:
        v->clean = !run_ok(last) || !is_plain(&v->job.arena, last->out);
        return start_checkout(v, next);
    case VISIT_CHECKOUT:
        if (!run_ok(last)) return git_failed(v, last);
        return v->clean ? start_clean(v, next) : start_build(v, next);
    case VISIT_CLEAN: return run_ok(last) ? start_build(v, next) : git_failed(v, last);
    case VISIT_BUILD: return end_build(v, last, next);
    case VISIT_TEST: return end_test(v, last, next);
    }
    return false;
}

/* ---- starting and ending visits ---- */

static Hash verdict_key(const char *hash) {
    return str_hash128(str_from(hash));
}

static PointState state_of(Outcome outcome) {
    static const PointState states[] = { POINT_PASSES, POINT_FAILS, POINT_SKIPPED, POINT_UNKNOWN };
    return states[outcome];
}

static HistoryTree *free_tree(History *h) {
    for (unsigned i = 0; i < h->workers; i++)
        if (!h->trees[i].busy) return &h->trees[i];
    return NULL;
}

/* Starts a point, or takes what is known about it. */
static void visit(History *h, size_t point) {
    Outcome known;
    if (verdicts_get(&h->verdicts, verdict_key(h->points.at[point].hash), &known)) {
        h->points.at[point].state = state_of(known);
        return;
    }
    Visit *v = mem_alloc(sizeof *v);
    *v = (Visit){ .job = { .step = visit_step },
                  .history = h,
                  .tree = free_tree(h),
                  .point = point,
                  .outcome = OUTCOME_STOPPED };
    v->tree->busy = true;
    v->tree->visit = v;
    h->points.at[point].state = POINT_RUNS;
    pool_submit(h->pool, &v->job);
}

static void say(const History *h, const Visit *v) {
    static const char *const words[] = { "passes", "fails", "does not build", "given up" };
    if (!h->request->dump) return;
    fprintf(stderr, "%.1f commit %.12s: %s\n", live_elapsed(h->request->live), hash_of(v),
            words[v->outcome]);
}

/* Waits for a visit to end and takes its verdict. */
static void land(History *h) {
    Job *job = pool_next_any(h->pool);
    Visit *v = (Visit *)job;
    say(h, v);
    if (job->cancelled) v->tree->commit = NULL;
    verdicts_put(&h->verdicts, verdict_key(hash_of(v)), v->outcome, v->log);
    PointState state = state_of(v->outcome);
    h->points.at[v->point].state = state;
    h->result->skipped += state == POINT_SKIPPED;
    v->tree->busy = false;
    arena_release(&job->arena);
    mem_free(v);
}

/* ---- the search ---- */

static void narrow(History *h) {
    for (size_t i = h->lo + 1; i < h->hi; i++) {
        if (h->points.at[i].state == POINT_FAILS) h->hi = i;
    }
    for (size_t i = h->hi; i-- > h->lo + 1;)
        if (h->points.at[i].state == POINT_PASSES) {
            h->lo = i;
            break;
        }
}

/* How far the nearest commit that was skipped is. */
static size_t room_around(const History *h, size_t at) {
    size_t room = h->hi - h->lo;
    for (size_t i = h->lo + 1; i < h->hi; i++) {
        size_t distance = i < at ? at - i : i - at;
        if (h->points.at[i].state == POINT_SKIPPED && distance < room) room = distance;
    }
    return room;
}

/* The commit to test that is nearest to the ideal place, away from those that were skipped; 0: none
 * is left. */
static size_t choose(const History *h, size_t ideal) {
    size_t best = 0, best_distance = 0, wide = (h->hi - h->lo) / HISTORY_SKIP_PART;
    for (int away = 1; away >= 0 && !best; away--)
        for (size_t i = h->lo + 1; i < h->hi; i++) {
            size_t distance = i < ideal ? ideal - i : i - ideal;
            if (h->points.at[i].state != POINT_UNKNOWN) continue;
            if (best && distance >= best_distance) continue;
            if (away && h->result->skipped && room_around(h, i) <= wide) continue;
            best = i, best_distance = distance;
        }
    return best;
}

static size_t running(const History *h) {
    size_t n = 0;
    for (unsigned i = 0; i < h->workers; i++) n += h->trees[i].busy;
    return n;
}

/* Where the n-th free worker asks, so that the stretch is cut evenly. Of three commits the first
 * and the second are as good: one worker takes the second, as git bisect does, so as not to build
 * more. */
static size_t ideal_place(const History *h, size_t n) {
    size_t left = h->hi - h->lo;
    return h->lo + (left == 3 && h->workers == 1 ? 2 : left * (n + 1) / (h->workers + 1));
}

/* Fills the free workers with commits. */
static bool ask_more(History *h) {
    bool asked = false;
    for (size_t n = running(h); n < h->workers; n++) {
        size_t at = choose(h, ideal_place(h, n));
        if (!at) break;
        visit(h, at);
        asked = true;
    }
    return asked;
}

/* Abandons what is running outside the stretch: its answer is known by now. all: whatever is
 * running. */
static void give_up(History *h, bool all) {
    for (unsigned i = 0; i < h->workers; i++) {
        Visit *v = h->trees[i].busy ? h->trees[i].visit : NULL;
        if (v && (all || v->point <= h->lo || v->point >= h->hi)) pool_cancel(h->pool, &v->job);
    }
}

static void wait_for_verdict(History *h) {
    land(h);
    narrow(h);
    bool over = h->error.status || is_late(h) || h->hi - h->lo == 1;
    give_up(h, over);
    while (over && running(h)) land(h);
    if (over) narrow(h);
}

static void section(History *h) {
    while (h->hi - h->lo > 1 && !h->error.status && !is_late(h)) {
        live_line(h->request->live, "explain: %zu commits left of %zu, %zu built", h->hi - h->lo,
                  h->result->commits, h->result->builds);
        bool asked = ask_more(h);
        narrow(h);
        if (running(h))
            wait_for_verdict(h);
        else if (!asked)
            break;
    }
}

/* The commits of a stretch become the points between good and bad. */
static bool fill_points(History *h, const char *good, const char *from, const char *to,
                        Error *err) {
    GitCommits list = { 0 };
    bool ok = git_between(h->arena, h->request->pair->top, from, to, &list, err);
    vec_clear(&h->points);
    vec_push(&h->points, (HistoryPoint){ good, 1, POINT_PASSES });
    for (size_t i = 0; ok && i < list.len; i++)
        if (!list.at[i].idle || (i + 1 == list.len && h->points.len == 1))
            vec_push(&h->points,
                     (HistoryPoint){ list.at[i].hash, list.at[i].parents, POINT_UNKNOWN });
    h->lo = 0;
    h->hi = h->points.len - 1;
    vec_release(&list);
    return ok;
}

/* The first failing commit is a merge: searches the branch that came with it, including its last
 * commit. */
static bool go_inside(History *h) {
    const char *top = h->request->pair->top, *good = h->points.at[h->lo].hash;
    HistoryPoint merge = h->points.at[h->hi];
    for (unsigned n = 2; n <= merge.parents; n++) {
        const char *branch = git_parent(h->arena, top, merge.hash, n);
        if (!branch || !fill_points(h, good, good, branch, &h->error)) return false;
        if (h->points.len == 1) continue;
        vec_push(&h->points, merge);
        h->hi = h->points.len - 1;
        h->points.at[h->hi].state = POINT_FAILS;
        section(h);
        if (h->hi + 1 < h->points.len || is_late(h)) return true;
    }
    vec_clear(&h->points);
    vec_push(&h->points, (HistoryPoint){ good, 1, POINT_PASSES });
    merge.parents = 1; /* the merging itself did it */
    vec_push(&h->points, merge);
    h->lo = 0, h->hi = 1;
    return false;
}

/* ---- both ends ---- */

static bool ends_differ(History *h, Error *err) {
    PointState good = h->points.at[0].state, bad = h->points.at[h->hi].state;
    if (h->error.status) {
        *err = h->error;
        return false;
    }
    if (good == POINT_SKIPPED || bad == POINT_SKIPPED) {
        const char *hash = h->points.at[good == POINT_SKIPPED ? 0 : h->hi].hash;
        return err_set(err, STATUS_BAD, "the build fails on the %s version: " STR_FMT "%s",
                       good == POINT_SKIPPED ? "good" : "bad",
                       STR_ARG(oracle_telling_line(verdicts_log(&h->verdicts, verdict_key(hash)))),
                       oracle_rights_hint());
    }
    if (good == POINT_UNKNOWN || bad == POINT_UNKNOWN)
        return err_set(err, STATUS_NO,
                       run_interrupted() ? "interrupted"
                                         : "out of time before both versions were tested: "
                                           "give it more with --time");
    if (good == POINT_PASSES && bad == POINT_FAILS) return true;
    return err_set(
        err, STATUS_NO, "%s",
        good == POINT_PASSES ? "the test passes on both versions: there is nothing to explain"
        : bad == POINT_FAILS ? "the test fails on both versions: good must pass it"
                             : "the test fails on the good version and passes on the bad "
                               "one: are they swapped?");
}

static bool ask_ends(History *h, Error *err) {
    size_t ends[] = { 0, h->hi };
    h->points.at[0].state = POINT_UNKNOWN;
    live_line(h->request->live, "explain: building both commits");
    for (size_t i = 0; i < COUNT_OF(ends) && !h->error.status && !is_late(h); i++) {
        if (running(h) == h->workers) land(h);
        visit(h, ends[i]);
    }
    while (running(h)) land(h);
    return ends_differ(h, err);
}

static void tell(History *h) {
    HistoryResult *r = h->result;
    r->good = h->points.at[h->lo].hash;
    r->bad = h->points.at[h->hi].hash;
    r->left = h->hi - h->lo;
    r->found = r->left == 1 && (h->points.at[h->hi].parents < 2 || !is_late(h));
    /* Skipped documentation commits lie between: the commit's own parent is what it changed. */
    const char *parent = r->found ? git_parent(h->arena, h->request->pair->top, r->bad, 1) : NULL;
    if (parent) r->good = parent;
    r->subject = git_subject(h->arena, h->request->pair->top, r->bad);
}

bool history_run(const HistoryRequest *request, HistoryResult *result, Arena *arena, Error *err) {
    *result = (HistoryResult){ 0 };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    History h = { .request = request,
                  .result = result,
                  .arena = arena,
                  .workers = request->workers ? request->workers
                             : cores > 0      ? (unsigned)cores
                                              : 1,
                  .test_limit_s = TEST_LIMIT_S,
                  .cpu_before = run_children_cpu() };
    h.trees = ARENA_ARRAY(arena, HistoryTree, h.workers);
    const GitPair *pair = request->pair;
    if (!verdicts_open(&h.verdicts, request->state, err)) return false;
    h.pool = pool_new(h.workers);
    bool ok = fill_points(&h, pair->good, pair->good, pair->bad, err);
    result->commits = h.points.len - 1;
    ok = ok &&
         (h.hi ||
          err_set(err, STATUS_BAD, "%.12s is no ancestor of %.12s", pair->good, pair->bad)) &&
         ask_ends(&h, err);
    if (ok) {
        section(&h);
        while (h.hi - h.lo == 1 && h.points.at[h.hi].parents > 1 && !is_late(&h) && go_inside(&h)) {
        }
        tell(&h);
        if (h.error.status) *err = h.error, ok = false;
    }
    result->cpu_s = run_children_cpu() - h.cpu_before;
    pool_free(h.pool);
    for (unsigned i = 0; i < h.workers; i++)
        if (h.trees[i].dir) workdir_remove(h.trees[i].dir);
    verdicts_close(&h.verdicts);
    vec_release(&h.points);
    return ok;
}

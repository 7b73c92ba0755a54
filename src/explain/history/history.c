/* The search over commits; see history.h. */
#include "explain/history/history.h"
#include "base/file.h"
#include "base/quantity.h"
#include "change/verdicts.h"
#include "explain/explain_knobs.h"
#include "explain/oracle.h"
#include "run/run.h"
#include "run/workdir.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum PointState {
    POINT_UNKNOWN,
    POINT_RUNS,
    POINT_PASSES,
    POINT_FAILS,
    POINT_SKIPPED
} PointState;

#define NO_POINT ((size_t)-1)

typedef struct HistoryPoint {
    const char *hash;
    size_t same;      /* the commit that is built in its place; itself unless it is documentation */
    PointState state; /* of that commit only */
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
    Map numbers;              /* hash -> index in points */
    size_t *want, wanted;     /* points that are to be built now, at most one for each worker */
    double test_limit_s;
    double cpu_before; /* run_children_cpu when it began */
    bool skips;        /* some commit does not build */
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
        VISIT_LIST,
        VISIT_CLEAN,
        VISIT_BUILD,
        VISIT_TEST
    } stage;
    bool clean;            /* the tree was emptied for this build */
    bool headers;          /* a header changed since the last one: all sources are compiled again */
    bool sources;          /* something that is compiled did */
    bool counted;          /* as built */
    struct timespec began; /* the build */
    unsigned asked;        /* test runs so far, */
    unsigned passed;       /* and how many of them passed */
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
    if (!v->counted) h->result->builds++;
    v->counted = true;
    clock_gettime(CLOCK_REALTIME_COARSE, &v->began); /* the clock of file times */
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

#define SOURCES "*.c", "*.cc", "*.cpp", "*.cxx", "*.y", "*.l"

static bool is_source(Str path) {
    static const char *const patterns[] = { SOURCES };
    for (size_t i = 0; i < COUNT_OF(patterns); i++)
        if (str_ends(path, patterns[i] + 1)) return true;
    return false;
}

/* "M\tsrc/a.c" lines: sources are what make sees by itself; of headers old makefiles know nothing;
 * anything else needs an empty tree. */
static void read_diff(Visit *v, Str diff) {
    Str rest = diff, line;
    while (str_split(&rest, '\n', &line)) {
        if (!line.len) continue;
        Str path = arena_str(&v->job.arena, str_sub(line, 2, line.len));
        if (git_is_documentation(path)) continue;
        bool header = str_ends(path, ".h") || str_ends(path, ".hpp");
        v->headers |= header;
        v->sources |= header || is_source(path);
        v->clean |= line.at[0] != 'M' || !(header || is_source(path));
    }
}

static bool start_list(Visit *v, RunSpec *next) {
    v->stage = VISIT_LIST;
    return GIT(v, next, v->tree->dir, "ls-files", "--", SOURCES);
}

static void touch_all(Visit *v, Str list) {
    Str rest = list, line;
    while (str_split(&rest, '\n', &line)) {
        const char *path = arena_cstr(&v->job.arena, line);
        if (*path)
            utimensat(AT_FDCWD, file_join(&v->job.arena, v->tree->dir, path), NULL,
                      AT_SYMLINK_NOFOLLOW);
    }
}

static bool is_younger(const char *path, struct timespec when) {
    struct stat st;
    if (stat(path, &st) != 0) return false;
    return st.st_mtim.tv_sec > when.tv_sec ||
           (st.st_mtim.tv_sec == when.tv_sec && st.st_mtim.tv_nsec >= when.tv_nsec);
}

/* Whether the build wrote anything that is not a source. A makefile whose target is a file that is
 * there, with a rule it does not find, says that nothing is to be done, and succeeds. */
static bool build_wrote(Visit *v) {
    StrVec files = { 0 };
    bool wrote = !file_list(&v->job.arena, v->tree->dir, NULL, &files, NULL);
    char *own = file_join(&v->job.arena, v->tree->dir, ".git/");
    for (size_t i = 0; i < files.len && !wrote; i++) {
        bool is_git = str_starts(files.at[i], own), source = is_source(files.at[i]);
        wrote = !is_git && !source && is_younger(files.at[i].at, v->began);
    }
    vec_release(&files);
    return wrote;
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
    if (!v->tree->commit || h->request->scratch) {
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
    bool stale = run_ok(r) && !v->clean && v->sources && !build_wrote(v);
    if (run_ok(r) && !stale) {
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
    if (v->point == 0 && !oracle_test_started(r, &h->error)) return false;
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
        v->clean = !run_ok(last);
        read_diff(v, last->out);
        return start_checkout(v, next);
    case VISIT_CHECKOUT:
        if (!run_ok(last)) return git_failed(v, last);
        if (v->clean) return start_clean(v, next);
        return v->headers ? start_list(v, next) : start_build(v, next);
    case VISIT_LIST: touch_all(v, last->out); return start_build(v, next);
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
    if (!h->request->scratch &&
        verdicts_get(&h->verdicts, verdict_key(h->points.at[point].hash), &known)) {
        h->points.at[point].state = state_of(known);
        h->skips |= known == OUTCOME_NO_BUILD;
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
    oracle_say("commit %.12s: %s", hash_of(v), words[v->outcome]);
}

/* Waits for a visit to end and takes its verdict. */
static void land(History *h) {
    Job *job = pool_next_any(h->pool);
    Visit *v = (Visit *)job;
    say(h, v);
    if (job->cancelled) v->tree->commit = NULL;
    if (v->outcome != OUTCOME_STOPPED)
        verdicts_put(&h->verdicts, verdict_key(hash_of(v)), v->outcome, v->log);
    PointState state = state_of(v->outcome);
    h->points.at[v->point].state = state;
    h->result->skipped += state == POINT_SKIPPED;
    h->skips |= state == POINT_SKIPPED;
    v->tree->busy = false;
    arena_release(&job->arena);
    mem_free(v);
}

/* ---- what is known ---- */

static HistoryPoint *point_at(const History *h, size_t at) {
    return &h->points.at[at];
}

/* A commit of nothing but documentation does what its parent does. */
static PointState verdict_of(const History *h, size_t at) {
    return point_at(h, point_at(h, at)->same)->state;
}

static size_t find_point(const History *h, Str hash) {
    uint64_t at;
    return map_get(&h->numbers, hash, &at) ? at : NO_POINT;
}

/* ---- the search ---- */

/* What git bisect knows: one commit that fails, and those that pass. */
typedef struct HistoryRange {
    size_t bad;
    VEC(size_t) goods;
} HistoryRange;

static HistoryRange range_copy(const HistoryRange *s) {
    HistoryRange copy = { .bad = s->bad };
    for (size_t i = 0; i < s->goods.len; i++) vec_push(&copy.goods, s->goods.at[i]);
    return copy;
}

static void range_take(HistoryRange *s, size_t at, bool passes) {
    if (passes)
        vec_push(&s->goods, at);
    else
        s->bad = at;
}

/* rev-list with the stretch as its revisions; with: --bisect, --bisect-all or --count. */
static Str rev_list(History *h, const HistoryRange *s, const char *with) {
    Buf text = { 0 };
    buf_fmt(&text, "%s\n", point_at(h, s->bad)->hash);
    for (size_t i = 0; i < s->goods.len; i++)
        buf_fmt(&text, "^%s\n", point_at(h, s->goods.at[i])->hash);
    Str out = git_rev_list(h->arena, h->request->pair->top, with, buf_view(&text));
    buf_release(&text);
    return out;
}

/* Away from the commits that do not build, for their neighbours seldom build either: the commit
 * that git bisect takes, so that no history needs more builds than it. It draws one of the n that
 * are left, which stand best first: the product of a random share and the root of that share, and
 * the random number follows from n alone. */
static size_t drawn_away(size_t n) {
    enum { DRAWS = 32768 };
    uint64_t draw = (uint32_t)(n * 1103515245u + 12345u) / 65536 % DRAWS;
    return n * draw / DRAWS * (size_t)sqrt((double)draw) / (size_t)sqrt(DRAWS);
}

/* Where some commit does not build: the best of the others, or one away from those that do not
 * where the best is one of them. */
static size_t choose_away(History *h, const HistoryRange *s) {
    Str rest = rev_list(h, s, "--bisect-all"), line, hash;
    VEC(size_t) open = { 0 };
    bool seen = false, away = false;
    size_t chosen = NO_POINT;
    while (str_split(&rest, '\n', &line)) {
        size_t at = str_split(&line, ' ', &hash) ? find_point(h, hash) : NO_POINT;
        if (at == NO_POINT) continue;
        bool skipped = verdict_of(h, at) == POINT_SKIPPED;
        away |= skipped && !seen;
        seen = true;
        if (!skipped) vec_push(&open, at);
    }
    size_t i = away ? drawn_away(open.len) : 0;
    if (open.len && open.at[i] == s->bad) i = i ? i - 1 : 0;
    if (open.len && open.at[i] != s->bad) chosen = open.at[i];
    vec_release(&open);
    return chosen;
}

/* The commit that git bisect would ask about; NO_POINT: none is left. */
static size_t choose(History *h, const HistoryRange *s) {
    if (h->skips) return choose_away(h, s);
    size_t at = find_point(h, str_trim(rev_list(h, s, "--bisect")));
    return at == s->bad ? NO_POINT : at;
}

/* Takes what is known already, as git would be told it; returns what to ask about next. */
static size_t narrow(History *h, HistoryRange *s) {
    for (;;) {
        size_t at = choose(h, s);
        PointState state = at == NO_POINT ? POINT_UNKNOWN : verdict_of(h, at);
        if (state != POINT_PASSES && state != POINT_FAILS) return at;
        range_take(s, at, state == POINT_PASSES);
    }
}

static size_t running(const History *h) {
    size_t n = 0;
    for (unsigned i = 0; i < h->workers; i++) n += h->trees[i].busy;
    return n;
}

/* What each free worker asks about: git bisect's commit, then those it will ask about next,
 * whatever the verdict will be. */
static void ask(History *h, const HistoryRange *now) {
    VEC(HistoryRange) ahead = { 0 };
    vec_push(&ahead, range_copy(now));
    h->wanted = 0;
    for (size_t i = 0; i < ahead.len && h->wanted < h->workers; i++) {
        HistoryRange s = ahead.at[i];
        size_t at = narrow(h, &s);
        ahead.at[i] = s;
        if (at == NO_POINT) continue;
        size_t real = point_at(h, at)->same;
        h->want[h->wanted++] = real;
        if (h->workers == 1) break;
        for (int passes = 1; passes >= 0; passes--) {
            HistoryRange next = range_copy(&s);
            range_take(&next, at, passes);
            vec_push(&ahead, next);
        }
    }
    for (size_t i = 0; i < ahead.len; i++) vec_release(&ahead.at[i].goods);
    vec_release(&ahead);
}

static bool is_wanted(const History *h, size_t point) {
    for (size_t i = 0; i < h->wanted; i++)
        if (h->want[i] == point) return true;
    return false;
}

/* Abandons what is running and wanted no more. */
static void give_up(History *h) {
    for (unsigned i = 0; i < h->workers; i++) {
        Visit *v = h->trees[i].busy ? h->trees[i].visit : NULL;
        if (v && !is_wanted(h, v->point)) pool_cancel(h->pool, &v->job);
    }
}

/* Starts what is wanted and not running; false: all of it was known. */
static void start_wanted(History *h) {
    for (size_t i = 0; i < h->wanted && running(h) < h->workers; i++)
        if (point_at(h, h->want[i])->state == POINT_UNKNOWN) visit(h, h->want[i]);
}

static void section(History *h, HistoryRange *s) {
    for (;;) {
        size_t next = narrow(h, s);
        bool over = next == NO_POINT || h->error.status || is_late(h);
        h->wanted = 0;
        if (!over) ask(h, s);
        give_up(h);
        if (over) break;
        live_line(h->request->live, "explain: %s commits left of %zu, %zu built",
                  arena_cstr(h->arena, str_trim(rev_list(h, s, "--count"))), h->result->commits,
                  h->result->builds);
        start_wanted(h);
        if (running(h)) land(h);
    }
    while (running(h)) land(h);
}

/* ---- the commits ---- */

static size_t add_point(History *h, const char *hash) {
    HistoryPoint point = { .hash = hash, .same = h->points.len };
    map_put(&h->numbers, str_from(hash), h->points.len);
    vec_push(&h->points, point);
    return h->points.len - 1;
}

/* All commits between good and bad. points[0] is good; commits come behind their parents. */
static bool fill_points(History *h, Error *err) {
    const GitPair *pair = h->request->pair;
    GitCommits list = { 0 };
    bool ok = git_between(h->arena, pair->top, pair->good, pair->bad, &list, err);
    add_point(h, pair->good);
    for (size_t i = 0; ok && i < list.len; i++) {
        size_t at = add_point(h, list.at[i].hash);
        size_t parent = list.at[i].idle ? find_point(h, str_from(list.at[i].parent)) : NO_POINT;
        if (parent != NO_POINT) point_at(h, at)->same = point_at(h, parent)->same;
    }
    h->result->commits = list.len;
    vec_release(&list);
    return ok && (h->points.len > 1 || err_set(err, STATUS_BAD, "%.12s is not an ancestor of %.12s",
                                               pair->good, pair->bad));
}

/* ---- both ends ---- */

static bool ends_differ(History *h, Error *err) {
    size_t last = h->points.len - 1;
    PointState good = verdict_of(h, 0), bad = verdict_of(h, last);
    if (h->error.status) {
        *err = h->error;
        return false;
    }
    if (good == POINT_SKIPPED || bad == POINT_SKIPPED) {
        const char *hash = point_at(h, good == POINT_SKIPPED ? 0 : point_at(h, last)->same)->hash;
        Str line = oracle_telling_line(verdicts_log(&h->verdicts, verdict_key(hash)));
        const char *hint = oracle_rights_hint(line);
        line = workdir_hide(h->arena, line);
        return err_set(err, STATUS_BAD, "the build fails on the %s version: " STR_FMT "%s",
                       good == POINT_SKIPPED ? "good" : "bad", STR_ARG(line), hint);
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
        : bad == POINT_FAILS ? "the test fails on both versions: it must pass on the good one"
                             : "the test fails on the good version and passes on the bad "
                               "one: are they swapped?");
}

static bool ask_ends(History *h, Error *err) {
    size_t ends[] = { 0, point_at(h, h->points.len - 1)->same };
    live_line(h->request->live, "explain: building both commits");
    for (size_t i = 0; i < COUNT_OF(ends) && !h->error.status && !is_late(h); i++) {
        if (running(h) == h->workers) land(h);
        if (point_at(h, ends[i])->state == POINT_UNKNOWN) visit(h, ends[i]);
    }
    while (running(h)) land(h);
    return ends_differ(h, err);
}

static void tell(History *h, const HistoryRange *s) {
    HistoryResult *r = h->result;
    uint64_t left = 0;
    str_to_u64(str_trim(rev_list(h, s, "--count")), &left);
    r->left = left;
    r->found = r->left == 1;
    r->bad = point_at(h, r->found ? point_at(h, s->bad)->same : s->bad)->hash;
    r->good = point_at(h, vec_last(&s->goods))->hash;
    /* What the commit itself changed: against its own parent. */
    const char *parent = r->found ? git_parent(h->arena, h->request->pair->top, r->bad, 1) : NULL;
    if (parent) r->good = parent;
    r->subject = git_subject(h->arena, h->request->pair->top, r->bad);
}

static void release(History *h) {
    pool_free(h->pool);
    for (unsigned i = 0; i < h->workers; i++)
        if (h->trees[i].dir) workdir_remove(h->trees[i].dir);
    verdicts_close(&h->verdicts);
    vec_release(&h->points);
    map_release(&h->numbers);
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
    h.want = ARENA_ARRAY(arena, size_t, h.workers);
    if (!verdicts_open(&h.verdicts, request->state, err)) return false;
    h.pool = pool_new(h.workers);
    bool ok = fill_points(&h, err) && ask_ends(&h, err);
    if (ok) {
        HistoryRange stretch = { .bad = h.points.len - 1 };
        vec_push(&stretch.goods, 0);
        section(&h, &stretch);
        tell(&h, &stretch);
        vec_release(&stretch.goods);
        if (h.error.status) *err = h.error, ok = false;
    }
    result->cpu_s = run_children_cpu() - h.cpu_before;
    release(&h);
    return ok;
}

/* Preparing the two versions; see versions.h. */
#include "explain/versions.h"
#include "base/file.h"
#include "base/quantity.h"
#include "change/fit.h"
#include "explain/explain_knobs.h"
#include "explain/oracle.h"
#include "run/workdir.h"
#include "trace/trace.h"

#include <errno.h>
#include <unistd.h>

/* ---- the untouched versions ---- */

/* What is left of a limit when the whole must end at the deadline. */
static double time_left(const Versions *s, double limit_s) {
    if (!s->deadline) return limit_s;
    double left = s->deadline - clock_now();
    if (left < 0.05) left = 0.05;
    return left < limit_s ? left : limit_s;
}

/* Cut short by the user or by the clock, not for its own reasons. */
static bool was_stopped(const Versions *s, const RunResult *r, const char *what, Error *err) {
    if (r->end == RUN_CANCELLED || run_interrupted()) {
        err_set(err, STATUS_NO, "interrupted");
        return true;
    }
    if (r->end != RUN_TIMEOUT || !s->deadline || clock_now() < s->deadline) return false;
    err_set(err, STATUS_NO, "out of time while %s: give it more with --time", what);
    return true;
}

static bool build_side(Versions *s, VersionSide *side, const char *name, const char *root,
                       Error *err) {
    if (!worktree_new(&side->tree, s->set, &s->includes, root, err)) return false;
    RunSpec spec = oracle_build_spec(&s->arena, s->build, side->tree.dir, NULL, NULL,
                                     time_left(s, BUILD_LIMIT_S));
    RunResult r = run_one(&s->arena, &spec);
    worktree_built(&side->tree, true);
    side->dir = arena_strdup(&s->arena, side->tree.dir);
    if (r.wall_s > s->build_s) s->build_s = r.wall_s;
    if (r.cpu_s > s->build_cpu_s) s->build_cpu_s = r.cpu_s;
    if (run_ok(&r)) return true;
    const char *doing = arena_fmt(&s->arena, "building the %s version", name);
    if (was_stopped(s, &r, doing, err)) return false;
    Str line = workdir_hide(&s->arena, oracle_telling_line(r.err.len ? r.err : r.out));
    return err_set(err, STATUS_BAD, "the build fails on the %s version (%s)%s" STR_FMT "%s", name,
                   run_describe(&s->arena, &r), line.len ? ": " : "", STR_ARG(line),
                   oracle_rights_hint(line));
}

/* How long good took determines how long bad may take: one that hangs must not cost ten minutes. */
static bool test_side(Versions *s, VersionSide *side, const char *name, Error *err) {
    bool first = side == &s->good;
    for (int i = 0; i < 2; i++) {
        RunSpec spec = oracle_test_spec(&s->arena, s->test, side->tree.dir, NULL,
                                        time_left(s, first ? TEST_FIRST_LIMIT_S : s->test_limit_s));
        side->test[i] = run_one(&s->arena, &spec);
        const char *doing = arena_fmt(&s->arena, "testing the %s version", name);
        if (was_stopped(s, &side->test[i], doing, err)) return false;
        double limit = side->test[i].wall_s * TEST_LIMIT_TIMES;
        double cpu = TEST_CPU_S + TEST_LIMIT_TIMES * side->test[i].cpu_s;
        if (first && limit > s->test_limit_s) s->test_limit_s = limit;
        if (first && cpu > s->test_cpu_s) s->test_cpu_s = (double)(unsigned long)(cpu + 1);
    }
    if (first && !oracle_test_started(&side->test[0], err)) return false;
    side->passes = run_ok(&side->test[0]);
    s->varies |= !str_eq(side->test[0].out, side->test[1].out);
    if (run_ok(&side->test[0]) == run_ok(&side->test[1])) return true;
    return err_set(err, STATUS_BAD, "the test is flaky: on the %s version it first %s, then %s",
                   name, run_ok(&side->test[0]) ? "passed" : "failed",
                   run_ok(&side->test[1]) ? "passed" : "failed");
}

static bool told_apart(const Versions *s, Error *err) {
    if (s->good.passes && !s->bad.passes) return true;
    if (s->good.passes)
        return err_set(err, STATUS_NO,
                       "the test passes on both versions: there is nothing to explain");
    if (!s->bad.passes)
        return err_set(err, STATUS_NO,
                       "the test fails on both versions: it must pass on the good one");
    return err_set(
        err, STATUS_NO,
        "the test fails on the good version and passes on the bad one: are they swapped?");
}

bool versions_prepare(Versions *s, const VersionsSpec *spec, Error *err) {
    *s = (Versions){ .set = spec->set,
                     .build = spec->build,
                     .test = spec->test,
                     .deadline = spec->deadline,
                     .test_limit_s = TEST_LIMIT_S,
                     .live = spec->live };
    const ChangeSet *set = s->set;
    Live *live = s->live;
    if (!includes_read(&s->includes, set, err)) return false;
    live_line(live, "explain: building the good version");
    if (!build_side(s, &s->good, "good", set->good_root, err)) return false;
    live_line(live, "explain: building the bad version");
    if (!build_side(s, &s->bad, "bad", NULL, err)) return false;
    if (!test_side(s, &s->good, "good", err) || !test_side(s, &s->bad, "bad", err)) return false;
    return told_apart(s, err);
}

void versions_release(Versions *s) {
    worktree_release(&s->good.tree);
    worktree_release(&s->bad.tree);
    includes_release(&s->includes);
    arena_release(&s->arena);
}

/* ---- traced versions ---- */

const char *versions_wrapper(Arena *arena) {
    static const char *const places[] = {
        "culprit-cc",    "src/wrap/culprit-cc",    "../libexec/culprit/culprit-cc",
        "../culprit-cc", "../src/wrap/culprit-cc", "../../culprit-cc"
    };
    char own[4096];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n > 0) {
        own[n] = 0;
        char *slash = strrchr(own, '/');
        *slash = 0;
        for (size_t i = 0; i < COUNT_OF(places); i++) {
            char *path = file_join(arena, own, places[i]);
            if (access(path, X_OK) == 0) return path;
        }
    }
    return file_find_program(arena, "culprit-cc");
}

static bool trace_fails(Versions *s, Traced *t, const char *fmt, const char *what, Str line) {
    t->why = str_from(arena_fmt(&s->arena, fmt, what, (int)line.len, line.at));
    return false;
}

static bool same_end(const RunResult *a, const RunResult *b) {
    return a->end == b->end && a->code == b->code;
}

/* Output without the directory in which it was produced. */
static Str without_dir(Arena *arena, Str out, const char *dir) {
    Str name = str_from(dir);
    Buf text = { 0 };
    for (size_t at = 0; at < out.len && name.len;) {
        size_t found = str_find(out, name, at);
        size_t end = found == STR_NONE ? out.len : found;
        buf_add(&text, out.at + at, end - at);
        at = found == STR_NONE ? out.len : end + name.len;
    }
    Str kept = name.len ? arena_str(arena, buf_view(&text)) : out;
    buf_release(&text);
    return kept;
}

/* The explained failure must be the one that was seen: comparing the end alone is not enough. */
static bool same_output(Versions *s, const Traced *t, const VersionSide *side) {
    if (s->varies) return true;
    return str_eq(without_dir(&s->arena, t->test.out, t->tree.dir),
                  without_dir(&s->arena, side->test[0].out, side->dir));
}

static bool is_brief(const Versions *s) {
    return s->good.test[0].cpu_s < QUICK_TEST_S && s->bad.test[0].cpu_s < QUICK_TEST_S;
}

/* The user's own compiler with a path that nothing put in front of PATH can hide; NULL: none. */
static const char *own_compiler(Arena *arena, const char *variable, const char *otherwise) {
    const char *cc = getenv(variable);
    Str rest = str_from(cc && *cc ? cc : otherwise), word;
    if (!str_split(&rest, ' ', &word)) return NULL;
    const char *program = file_find_program(arena, arena_cstr(arena, word));
    return program ? arena_fmt(arena, "%s " STR_FMT, program, STR_ARG(rest)) : NULL;
}

static bool lay_name(Versions *s, const char *dir, const char *name, const char *wrapper) {
    return symlink(wrapper, file_join(&s->arena, dir, name)) == 0 || errno == EEXIST;
}

/* Makefiles and scripts that name their compiler themselves: under these names, in a directory that
 * comes first in PATH, they find the wrapper. */
static const char *lay_names(Versions *s, const char *modules, const char *wrapper, bool plus) {
    static const char *const names[] = { "cc", "gcc", "clang", "c99", "c89" };
    static const char *const plus_names[] = { "c++", "g++", "clang++" };
    char *dir = file_join(&s->arena, modules, "bin");
    if (!file_make_dirs(dir, NULL)) return NULL;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!lay_name(s, dir, names[i], wrapper)) return NULL;
    for (size_t i = 0; plus && i < COUNT_OF(plus_names); i++)
        if (!lay_name(s, dir, plus_names[i], wrapper)) return NULL;
    return dir;
}

/* What culprit-cc is told through the environment, NULL after the last. */
static const char **wrapper_settings(Versions *s, const char *modules, const char *only,
                                     const char *wrapper) {
    const char *path = getenv("PATH"), *plain = own_compiler(&s->arena, "CC", "cc");
    const char *plus = own_compiler(&s->arena, "CXX", "c++");
    const char *names = plain && path ? lay_names(s, modules, wrapper, plus != NULL) : NULL;
    const char **extra = ARENA_ARRAY(&s->arena, const char *, 8);
    size_t n = 0;
    extra[n++] = arena_fmt(&s->arena, TRACE_MODULES_ENV "=%s", modules);
    extra[n++] = arena_fmt(&s->arena, TRACE_ONLY_ENV "=%s", only ? only : "");
    extra[n++] = is_brief(s) ? TRACE_QUICK_ENV "=1" : TRACE_QUICK_ENV "=";
    if (!names) return extra;
    extra[n++] = arena_fmt(&s->arena, TRACE_PLAIN_ENV "=%s", plain);
    if (plus) extra[n++] = arena_fmt(&s->arena, TRACE_PLUS_ENV "=%s", plus);
    extra[n++] = arena_fmt(&s->arena, TRACE_PATH_ENV "=%s", path);
    extra[n++] = arena_fmt(&s->arena, "PATH=%s:%s", names, path);
    return extra;
}

static bool build_traced(Versions *s, Traced *t, const char *only, const char *wrapper) {
    const char *modules = arena_fmt(&s->arena, "%s.modules", t->tree.dir);
    const char *const writes[] = { modules, NULL };
    if (!file_make_dirs(modules, NULL)) return false;
    RunSpec spec =
        oracle_build_spec(&s->arena, s->build, t->tree.dir, wrapper,
                          wrapper_settings(s, modules, only, wrapper), time_left(s, BUILD_LIMIT_S));
    spec.writes = writes;
    RunResult r = run_one(&s->arena, &spec);
    worktree_built(&t->tree, r.end == RUN_EXITED);
    t->built = run_ok(&r);
    if (t->built) return true;
    return trace_fails(s, t, "the build with culprit-cc fails (%s): %.*s",
                       run_describe(&s->arena, &r), oracle_telling_line(r.err.len ? r.err : r.out));
}

/* What a recording of the bad version may take where it runs far longer than the good one, bytes:
 * what goes on in it is said by its beginning, and reading all of an endless loop takes minutes.
 * 0: as much as any other. */
static uint64_t endless_limit(const Versions *s) {
    double good = s->good.test[0].cpu_s, bad = s->bad.test[0].cpu_s;
    if (bad < ENDLESS_LEAST_S || bad < ENDLESS_TIMES * good) return 0;
    return (uint64_t)(ENDLESS_BYTES + ENDLESS_RATE * good);
}

static void run_traced(Versions *s, Traced *t, uint64_t limit) {
    t->traces = workdir_new_large(&s->arena, "traces");
    const char **env = ARENA_ARRAY(&s->arena, const char *, 3);
    env[0] = arena_fmt(&s->arena, TRACE_ENV "=%s", t->traces);
    if (limit) env[1] = arena_fmt(&s->arena, TRACE_LIMIT_ENV "=%llu", (unsigned long long)limit);
    RunSpec spec =
        oracle_test_spec(&s->arena, s->test, t->tree.dir, NULL, time_left(s, TEST_FIRST_LIMIT_S));
    spec.env = env;
    const char *const writes[] = { t->traces, NULL };
    spec.writes = writes;
    spec.steady = true; /* or each traced program would start itself over for it */
    t->test = run_one(&s->arena, &spec);
}

bool versions_trace(Versions *s, Traced *t, bool good, const char *wrapper) {
    Error err = { 0 };
    t->why = (Str){ "", 0 };
    if (!worktree_new(&t->tree, s->set, &s->includes, good ? s->set->good_root : NULL, &err))
        return trace_fails(s, t, "%s%.*s", err.text, (Str){ "", 0 });
    if (!build_traced(s, t, NULL, wrapper)) return false;
    run_traced(s, t, good ? 0 : endless_limit(s));
    const VersionSide *side = good ? &s->good : &s->bad;
    const RunResult *plain = &side->test[0];
    t->alike = same_end(&t->test, plain) && same_output(s, t, side);
    if (t->alike) return true;
    if (same_end(&t->test, plain))
        return trace_fails(s, t, "%s%.*s", "built with culprit-cc, the test prints something else",
                           (Str){ "", 0 });
    char *both = arena_fmt(&s->arena, "%s instead of %s", run_describe(&s->arena, &t->test),
                           run_describe(&s->arena, plain));
    return trace_fails(s, t, "built with culprit-cc, the test ends differently: %s%.*s", both,
                       (Str){ "", 0 });
}

bool versions_trace_again(Versions *s, Traced *t, const uint8_t *reverted, const char *only,
                          const char *wrapper) {
    Error err = { 0 };
    if (!worktree_set(&t->tree, reverted, &err))
        return trace_fails(s, t, "%s%.*s", err.text, (Str){ "", 0 });
    if (!build_traced(s, t, only, wrapper)) return false;
    run_traced(s, t, endless_limit(s));
    return true;
}

const char *versions_list(Arena *arena, const Traced *t, const char *name) {
    return arena_fmt(arena, "%s.modules/%s", t->tree.dir, name);
}

void traced_release(Traced *t) {
    if (t->traces) workdir_remove(t->traces);
    worktree_release(&t->tree);
}

/* ---- the last word ---- */

/* The tree with the patch as the user will apply it; without patch(1) the files are written. */
static bool apply(Versions *s, Worktree *tree, const uint8_t *reverted, Error *err) {
    const char *program = file_find_program(&s->arena, "patch");
    if (!program) return worktree_set(tree, reverted, err);
    Buf text = { 0 };
    changeset_patch(s->set, reverted, &text);
    const char *argv[] = { program, "-p1", "-s", "-f", NULL };
    RunSpec spec = { .argv = argv,
                     .dir = tree->dir,
                     .input = buf_view(&text),
                     .profile = RUN_USER,
                     .limits = { .wall_s = time_left(s, TEST_FIRST_LIMIT_S) } };
    RunResult r = run_one(&s->arena, &spec);
    buf_release(&text);
    return run_ok(&r) || err_set(err, STATUS_NO, "the revert patch does not apply: " STR_FMT,
                                 STR_ARG(oracle_telling_line(r.out.len ? r.out : r.err)));
}

/* Whether the changed files of two trees are the same. */
static bool same_files(const Versions *s, const Worktree *a, const Worktree *b) {
    bool same = true;
    for (size_t f = 0; same && f < s->set->files.len; f++) {
        const ChangeFile *file = &s->set->files.at[f];
        const char *paths[] = { file->good_path, file->bad_path };
        for (size_t i = 0; file->count && i < COUNT_OF(paths) && paths[i]; i++) {
            Arena scratch = { 0 };
            Str x = { "", 0 }, y = { "", 0 };
            bool in_a = file_read(&scratch, file_join(&scratch, a->dir, paths[i]), &x, NULL);
            bool in_b = file_read(&scratch, file_join(&scratch, b->dir, paths[i]), &y, NULL);
            same = same && in_a == in_b && str_eq(x, y);
            arena_release(&scratch);
        }
    }
    return same;
}

static bool build_answer(Versions *s, const Worktree *tree, Error *err) {
    RunSpec spec =
        oracle_build_spec(&s->arena, s->build, tree->dir, NULL, NULL, time_left(s, BUILD_LIMIT_S));
    RunResult r = run_one(&s->arena, &spec);
    if (was_stopped(s, &r, "building the answer from scratch", err)) return false;
    return run_ok(&r) ||
           err_set(err, STATUS_NO, "built from scratch, the answer does not build (%s)",
                   run_describe(&s->arena, &r));
}

bool versions_verify(Versions *s, const uint8_t *reverted, const Worktree *built, Error *err) {
    Worktree tree;
    if (!worktree_new(&tree, s->set, &s->includes, NULL, err)) return false;
    bool ok = apply(s, &tree, reverted, err);
    if (ok && built && !same_files(s, &tree, built)) built = NULL;
    if (ok && !built) ok = build_answer(s, &tree, err);
    const char *dir = built ? built->dir : tree.dir;
    for (int i = built ? 1 : 0; ok && i < 2; i++) {
        RunSpec spec =
            oracle_test_spec(&s->arena, s->test, dir, NULL, time_left(s, s->test_limit_s));
        RunResult r = run_one(&s->arena, &spec);
        if (was_stopped(s, &r, "testing the answer", err)) {
            ok = false;
            break;
        }
        ok = run_ok(&r) ||
             err_set(err, STATUS_NO, "built from scratch, the answer does not pass the test (%s)",
                     run_describe(&s->arena, &r));
    }
    worktree_release(&tree);
    return ok;
}

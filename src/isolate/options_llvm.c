/* LLVM: clang, or the three programs of runtime/llvm-clang. -opt-bisect-limit=N leaves out every
 * optional pass after the N-th: where leaving all of them out cures, the first number that fails is
 * found by bisection. The run with one pass less is the nearest witness, the run that just fails is
 * another failing run, and the good prefixes the bisection tried on its way are witnesses as well,
 * the longer the nearer. In addition each -disable-* switch, and each -enable-* one that can be
 * turned off, is tried alone; the compiler lists them itself. Code generation has passes that
 * cannot be left out, but other ways to do its work. The three programs can also leave out all runs
 * of one pass of opt's pipeline, and count in one numbered pass only. */
#include "cc/compiler.h"
#include "isolate/isolate_knobs.h"
#include "isolate/options_impl.h"
#include "run/workdir.h"

static bool is_clang(const Isolation *iso) {
    return iso->subject->cc.kind == CC_CLANG;
}

static Str limit_option(Isolation *iso, uint64_t limit) {
    return str_from(
        arena_fmt(&iso->arena, "-mllvm -opt-bisect-limit=%llu", (unsigned long long)limit));
}

/* ---- the limit ---- */
typedef struct BisectLimit {
    Isolation *iso;
    VEC(uint64_t) good; /* limits that pass, in the order they were tried */
} BisectLimit;

static bool limit_fails(void *user, uint64_t limit) {
    BisectLimit *b = user;
    Judgement j = options_ask(b->iso, limit_option(b->iso, limit));
    if (j == JUDGED_PASSES) vec_push(&b->good, limit);
    return j == JUDGED_FAILS;
}

static bool limit_over(void *user) {
    return isolation_over(((const BisectLimit *)user)->iso);
}

/* What the compiler calls its N-th pass: "BISECT: running pass (N) NAME on function (f)". */
Str options_bisect_name(Str output, uint64_t limit) {
    char mark[64];
    snprintf(mark, sizeof mark, "running pass (%llu) ", (unsigned long long)limit);
    for (Str line; str_split(&output, '\n', &line);) {
        size_t at = str_find(line, str_from(mark), 0);
        if (at == STR_NONE) continue;
        Str name = str_sub(line, at + strlen(mark), line.len);
        size_t on = str_find(name, STR(" on "), 0);
        return on == STR_NONE ? name : str_sub(name, 0, on);
    }
    return STR("");
}

static Str pass_name(Isolation *iso, uint64_t limit) {
    Subject *s = iso->subject;
    CcJob job;
    Arena scratch = { 0 };
    const char *const *more = options_argv(&scratch, limit_option(iso, limit));
    cc_job_init(&job, &s->cc, flags_plus(&scratch, iso->fail, more), s->source, CC_UNTIL_ASSEMBLY);
    job.compile_s = s->compile_s;
    cc_job_run(&job);
    Str name = arena_str(&iso->arena, options_bisect_name(job.compiled.err, limit));
    cc_job_end(&job);
    arena_release(&scratch);
    return name.len ? name : STR("the first bad pass");
}

static int by_size_down(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* What the failing run covers in its first bad pass, and up to its end. Needs numbered passes that
 * the runtime knows: those of opt and llc. */
static bool cover_pass(Isolation *iso, const Cure *at, Error *err) {
    if (iso->subject->map.n_linked < 2 || isolation_over(iso)) return true;
    Window w = { .pass = at->pass, .order = at->order };
    const char *in = arena_fmt(&iso->arena, "in:%u", at->order);
    const char *until = arena_fmt(&iso->arena, "until:%u", at->order);
    if (!options_cover_window(iso, at->option, in, &w.in, err)) return run_interrupted();
    if (bits_count(&w.in)) vec_push(&iso->windows, w);
    if (!options_cover_window(iso, at->option, until, &iso->until, err)) return run_interrupted();
    if (!bits_count(&iso->until)) bits_free(&iso->until);
    return true;
}

/* The nearest good prefixes as witnesses, the first bad one as a failing run. */
static bool cover_limits(Isolation *iso, BisectLimit *b, uint64_t first, Error *err) {
    Str name = pass_name(iso, first);
    if (b->good.len) qsort(b->good.at, b->good.len, sizeof *b->good.at, by_size_down);
    bool ok = true;
    for (size_t i = 0; i < b->good.len && i < LLVM_PREFIXES && ok; i++) {
        Cure cure = { limit_option(iso, b->good.at[i]), name, WITNESS_PASS, (unsigned)first };
        if (i == 0) vec_push(&iso->cures, cure);
        ok = options_cover(iso, &cure, 1, false, err);
    }
    Cure at = { limit_option(iso, first), name, WITNESS_PASS, (unsigned)first };
    return ok && options_cover(iso, &at, 1, true, err) && cover_pass(iso, &at, err);
}

static bool bisect(Isolation *iso, Error *err) {
    BisectLimit b = { .iso = iso };
    bool ok = true;
    if (options_ask(iso, limit_option(iso, 0)) == JUDGED_PASSES) {
        vec_push(&b.good, 0);
        uint64_t first = options_bisect(&(LimitTest){ limit_fails, limit_over, &b });
        if (first) ok = cover_limits(iso, &b, first, err);
    }
    vec_release(&b.good);
    return ok;
}

/* ---- passes left out ---- */
/* Passes without which nothing is compiled, or that only check and report. */
static bool does_nothing(Str name) {
    static const char *const known[] = { "verify", "require", "invalidate", "cg-profile",
                                         "BitcodeWriterPass" };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (str_is(name, known[i])) return true;
    return !name.len;
}

void options_llvm_passes(Arena *arena, Str pipeline, StrVec *out) {
    Map seen = { 0 };
    for (size_t i = 0, end; i < pipeline.len; i = end + 1) {
        int angle = 0;
        for (end = i; end < pipeline.len; end++) {
            char c = pipeline.at[end];
            if (!angle && (c == ',' || c == '(' || c == ')')) break;
            angle += (c == '<') - (c == '>');
        }
        if (end < pipeline.len && pipeline.at[end] == '(') continue; /* holds others */
        Str name = str_trim(str_sub(pipeline, i, end));
        size_t open = str_find(name, STR("<"), 0);
        if (open != STR_NONE) name = str_sub(name, 0, open);
        uint64_t before;
        if (does_nothing(name) || map_get(&seen, name, &before)) continue;
        map_put(&seen, name, 1);
        vec_push(out, str_from(arena_fmt(arena, "-mllvm -leave-out=" STR_FMT, STR_ARG(name))));
    }
    map_release(&seen);
}

/* The pipeline as text, with nothing left out, must fail as that of the level does; it is another
 * failing run, so that how a pipeline is made or read is no difference of its own. */
static bool try_left_out(Isolation *iso, const StrVec *all, Error *err) {
    Cure whole = { STR("-mllvm -leave-out=nothing"), STR("pipeline as text"), WITNESS_PASS, 0 };
    if (!all->len || options_ask(iso, whole.option) != JUDGED_FAILS) return true;
    return options_cover(iso, &whole, 1, true, err) && options_try_all(iso, all, WITNESS_PASS, err);
}

/* Only the three programs print a pipeline: clang itself does not know the option, or not what to
 * do with it. */
static bool leave_out_passes(Isolation *iso, Error *err) {
    Subject *s = iso->subject;
    Arena scratch = { 0 };
    StrVec all = { 0 };
    const char *const print[] = { "-mllvm", "-print-pipeline-passes", NULL };
    CcJob job;
    cc_job_init(&job, &s->cc, flags_plus(&scratch, iso->fail, print), s->source, CC_UNTIL_ASSEMBLY);
    job.compile_s = s->compile_s;
    cc_job_run(&job);
    Str pipeline = str_trim(job.compiled.out);
    if (str_find(pipeline, STR("("), 0) != STR_NONE)
        options_llvm_passes(&iso->arena, pipeline, &all);
    cc_job_end(&job);
    bool ok = try_left_out(iso, &all, err);
    vec_release(&all);
    arena_release(&scratch);
    return ok;
}

/* ---- switches ---- */
void options_llvm_switches(Arena *arena, Str help, StrVec *out) {
    for (Str line; str_split(&help, '\n', &line);) {
        Str words = str_trim(line), name;
        if (!str_starts(words, "-") || !str_split(&words, ' ', &name)) continue;
        while (str_starts(name, "-")) name = str_sub(name, 1, name.len);
        if (str_find(name, STR("="), 0) != STR_NONE) continue;
        if (str_starts(name, "disable-"))
            vec_push(out, str_from(arena_fmt(arena, "-mllvm -" STR_FMT, STR_ARG(name))));
        else if (str_starts(name, "enable-"))
            vec_push(out, str_from(arena_fmt(arena, "-mllvm -" STR_FMT "=0", STR_ARG(name))));
    }
}

static bool try_switches(Isolation *iso, Error *err) {
    Subject *s = iso->subject;
    Arena scratch = { 0 };
    StrVec all = { 0 };
    const char *const argv[] = { s->cc.path, "-mllvm",    "-help-hidden", "-x",        "c",
                                 "-S",       "/dev/null", "-o",           "/dev/null", NULL };
    RunResult r = run_one(
        &scratch,
        &(RunSpec){ .argv = argv, .env = cc_env, .limits = { .wall_s = 60, .output = 4 << 20 } });
    options_llvm_switches(&iso->arena, r.out, &all);
    bool ok = options_try_all(iso, &all, WITNESS_FLAG, err);
    vec_release(&all);
    arena_release(&scratch);
    return ok;
}

/* Instructions chosen one by one, other register allocators, orders and ways to spill. */
static const char *const other_ways[] = { "-mllvm -fast-isel", "-mllvm -regalloc=basic",
                                          "-mllvm -optimize-regalloc=0",
                                          "-mllvm -pre-RA-sched=linearize",
                                          "-mllvm -split-spill-mode=size" };

static bool try_other_ways(Isolation *iso, Error *err) {
    StrVec all = { 0 };
    for (size_t i = 0; i < COUNT_OF(other_ways); i++) vec_push(&all, str_from(other_ways[i]));
    bool ok = options_try_all(iso, &all, WITNESS_FLAG, err);
    vec_release(&all);
    return ok;
}

bool options_llvm(Isolation *iso, Error *err) {
    if (!is_clang(iso)) return true;
    iso->doing = "numbered passes";
    if (!bisect(iso, err)) return false;
    iso->doing = "ways to generate code";
    if (!isolation_over(iso) && !iso->cures.len && !try_other_ways(iso, err)) return false;
    iso->doing = "passes left out";
    if (!isolation_over(iso) && !leave_out_passes(iso, err)) return false;
    iso->doing = "switches";
    return isolation_over(iso) || try_switches(iso, err);
}

/* See options.h. All three run the failing program on the uninstrumented compiler through the pool;
 * only what cures is run once more, with coverage. */
#include "cc/passes.h"
#include "isolate/effects.h"
#include "isolate/isolate_knobs.h"
#include "isolate/options_impl.h"
#include "shrink/speculate.h"

static bool is_gcc(const Isolation *iso) {
    return iso->subject->cc.kind == CC_GCC || iso->subject->cc.kind == CC_CC1;
}

const char *const *options_argv(Arena *arena, Str option) {
    const char *const mllvm = "-mllvm ";
    if (!str_starts(option, mllvm))
        return flags_plus(arena, (const char *const[]){ option.at, NULL }, NULL);
    const char *const two[] = { "-mllvm", option.at + strlen(mllvm), NULL };
    return flags_plus(arena, two, NULL);
}

static JudgeJob *job_with(Isolation *iso, const char *const *more) {
    JudgeJob *job = mem_alloc(sizeof *job);
    judge_init(job, iso->subject, iso->subject->source);
    job->same_program = true;
    job->codes = &iso->codes;
    job->fail = flags_plus(&job->job.arena, iso->fail, more);
    return job;
}

static void drop_job(Isolation *iso, JudgeJob *job) {
    isolation_tick(iso);
    iso->stats.compiled++;
    iso->stats.judge_s += job->job.cpu_s;
    judge_end(job);
    mem_free(job);
}

/* ---- 1: fewer optimisations ---- */
typedef struct OptionMinimise {
    Isolation *iso;
    const StrVec *off;
    const ShrinkRound *round;
} OptionMinimise;

/* Candidate i of the round: the kept elements stay on, all others are switched off. */
static SpecMade make_subset(void *user, size_t i, Job **out, bool *good) {
    (void)good;
    OptionMinimise *m = user;
    if (i >= m->round->count || isolation_over(m->iso)) return SPEC_END;
    uint8_t *keep = mem_alloc(m->round->n + 1);
    m->round->make(m->round, i, keep);
    const char **more = mem_alloc((m->off->len + 1) * sizeof *more);
    size_t n = 0;
    for (size_t k = 0; k < m->off->len; k++)
        if (!keep[k]) more[n++] = m->off->at[k].at;
    JudgeJob *job = job_with(m->iso, more);
    mem_free(more);
    mem_free(keep);
    *out = &job->job;
    return SPEC_RUN;
}

static bool subset_fails(void *user, size_t i, Job *job) {
    (void)user, (void)i;
    return ((JudgeJob *)job)->outcome == JUDGED_FAILS;
}

static void drop_subset(void *user, size_t i, Job *job) {
    (void)i;
    drop_job(((OptionMinimise *)user)->iso, (JudgeJob *)job);
}

static size_t first_subset(void *user, const ShrinkRound *round) {
    OptionMinimise *m = user;
    m->round = round;
    if (isolation_over(m->iso)) return SHRINK_STOP;
    SpecSource source = { m, make_subset, subset_fails, drop_subset };
    return speculate(m->iso->pool, &source);
}

/* Leaves out as many as the failure can do without: iso->fail grows by them, `kept` has the rest.
 */
static void minimise(Isolation *iso, const StrVec *off, StrVec *kept) {
    uint8_t *keep = mem_alloc(off->len + 1);
    memset(keep, 1, off->len);
    OptionMinimise m = { iso, off, NULL };
    ShrinkTest test = { first_subset, &m };
    if (off->len) shrink_fast(&test, keep, off->len);
    const char **more = mem_alloc((off->len + 1) * sizeof *more);
    size_t n = 0;
    for (size_t k = 0; k < off->len; k++) {
        if (!keep[k])
            more[n++] = off->at[k].at;
        else
            vec_push(kept, off->at[k]);
    }
    if (n) iso->fail = flags_plus(&iso->arena, iso->fail, more);
    mem_free(more);
    mem_free(keep);
}

/* ira crashes on every program unless some pass of RTL before it has run. A program that crashes
 * earlier does not show that, those made from it would: this one, which every level has, stays. */
static void keep_last_pass(StrVec *off) {
    size_t n = 0;
    for (size_t i = 0; i < off->len; i++)
        if (!str_is(off->at[i], "-fdisable-rtl-init-regs")) off->at[n++] = off->at[i];
    off->len = n;
}

bool options_minimise(Isolation *iso, Error *err) {
    iso->doing = "fewer options";
    StrVec off = { 0 }, kept = { 0 };
    const Compiler *cc = &iso->subject->cc;
    if (!is_gcc(iso)) return true;
    bool ok = compiler_flags_off(&iso->arena, cc, iso->fail, &off, err);
    if (ok) minimise(iso, &off, &kept);
    for (size_t i = 0; i < kept.len; i++) /* "-fno-x" */
        vec_push(&iso->needed, str_from(arena_fmt(&iso->arena, "-f%s", kept.at[i].at + 5)));
    vec_clear(&off);
    vec_clear(&kept);
    iso->doing = "fewer passes";
    ok = ok && compiler_passes_off(&iso->arena, cc, iso->fail, &off, err);
    keep_last_pass(&off);
    if (ok) minimise(iso, &off, &kept);
    vec_release(&off);
    vec_release(&kept);
    return ok;
}

/* ---- 2: single cures ---- */
/* Options that are tried together. Few of hundreds cure: where the program still fails without a
 * whole group, none of the group cures; where it does not, or fails in another way, each half is
 * asked. */
typedef struct SweepGroup {
    size_t first, n; /* of the options */
} SweepGroup;

typedef struct CureSweep {
    Isolation *iso;
    const StrVec *options;
    bool *cured; /* per option */
    VEC(SweepGroup) groups;
} CureSweep;

static void sweep_submit(const CureSweep *sweep, SweepGroup group) {
    Arena *arena = &sweep->iso->arena;
    const char *const *more = NULL;
    for (size_t i = 0; i < group.n; i++)
        more = flags_plus(arena, more, options_argv(arena, sweep->options->at[group.first + i]));
    pool_submit(sweep->iso->pool, &job_with(sweep->iso, more)->job);
}

static void sweep_settle(CureSweep *sweep, SweepGroup group, Judgement outcome) {
    if (outcome == JUDGED_FAILS) return;
    if (group.n == 1) {
        sweep->cured[group.first] = outcome == JUDGED_PASSES;
        return;
    }
    size_t half = group.n / 2;
    vec_push(&sweep->groups, (SweepGroup){ group.first, half });
    vec_push(&sweep->groups, (SweepGroup){ group.first + half, group.n - half });
}

/* cured[i] tells whether option i alone cures. Which questions are asked depends on the answers
 * alone, not on how many are in flight. */
static void sweep(Isolation *iso, const StrVec *options, size_t together, bool *cured) {
    CureSweep sweep = { .iso = iso, .options = options, .cured = cured };
    size_t given = 0, width = pool_width(iso->pool) * 2;
    for (size_t i = 0; i < options->len; i += together)
        vec_push(&sweep.groups,
                 (SweepGroup){ i, i + together < options->len ? together : options->len - i });
    for (size_t taken = 0; taken < sweep.groups.len; taken++) {
        while (given < sweep.groups.len && given - taken < width && !isolation_over(iso))
            sweep_submit(&sweep, sweep.groups.at[given++]);
        if (given == taken) break;
        JudgeJob *job = (JudgeJob *)pool_next(iso->pool);
        Judgement outcome = job->job.cancelled ? JUDGED_FAILS : job->outcome;
        drop_job(iso, job);
        sweep_settle(&sweep, sweep.groups.at[taken], outcome);
    }
    vec_release(&sweep.groups);
}

bool options_cover(Isolation *iso, const Cure *cures, size_t n, bool failing, Error *err) {
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        Arena scratch = { 0 };
        const char *const *more = options_argv(&scratch, cures[i].option);
        Bits bits = bits_new(iso->subject->map.n_stmts);
        RunResult ran;
        ok = cov_run(iso->subject, flags_plus(&scratch, iso->fail, more), iso->subject->source,
                     NULL, &bits, &ran, &scratch, err);
        iso->stats.coverages++;
        iso->stats.coverage_s += ran.cpu_s;
        bool ended = ran.end == RUN_EXITED && ran.code == 0;
        if (!ok || (!failing && !ended)) /* cut short: its coverage means nothing */
            bits_free(&bits);
        else if (failing)
            isolation_add_failing(iso, bits, cures[i].option, false);
        else
            isolation_add(iso, (Witness){ .kind = cures[i].kind,
                                          .label = cures[i].option,
                                          .cure = cures[i].option,
                                          .bits = bits,
                                          .order = cures[i].order });
        arena_release(&scratch);
    }
    if (!ok && run_interrupted()) return true;
    return ok;
}

Str option_pass(Str option) {
    const char *const leave = "-mllvm -leave-out=";
    if (str_starts(option, leave)) return str_sub(option, strlen(leave), option.len);
    if (!str_starts(option, "-fdisable-"))
        return str_sub(option, str_starts(option, "-fno-") ? 5 : 0, option.len);
    Str name = str_sub(option, 10, option.len);
    size_t dash = str_find(name, STR("-"), 0);
    return dash == STR_NONE ? name : str_sub(name, dash + 1, name.len);
}

bool options_try_all(Isolation *iso, const StrVec *options, WitnessKind kind, Error *err) {
    bool *cured = mem_alloc(options->len + 1);
    sweep(iso, options, is_gcc(iso) ? SWEEP_TOGETHER : 1, cured);
    size_t first = iso->cures.len;
    for (size_t i = 0; i < options->len; i++)
        if (cured[i]) {
            Str option = arena_str(&iso->arena, options->at[i]);
            Cure cure = { option, option_pass(option), kind,
                          kind == WITNESS_PASS ? (unsigned)i + 1 : 0 };
            vec_push(&iso->cures, cure);
        }
    mem_free(cured);
    return options_cover(iso, iso->cures.at + first, iso->cures.len - first, false, err);
}

/* ---- what the failing run does inside the passes that cure ---- */
bool options_cover_window(Isolation *iso, Str option, const char *window, Bits *bits, Error *err) {
    Arena scratch = { 0 };
    RunResult ran;
    const char *const *more = option.len ? options_argv(&scratch, option) : NULL;
    *bits = bits_new(iso->subject->map.n_stmts);
    bool ok = cov_run(iso->subject, flags_plus(&scratch, iso->fail, more), iso->subject->source,
                      window, bits, &ran, &scratch, err);
    iso->stats.coverages++;
    iso->stats.coverage_s += ran.cpu_s;
    arena_release(&scratch);
    return ok;
}

static bool cover_window(Isolation *iso, const char *window, Bits *bits, Error *err) {
    return options_cover_window(iso, STR(""), window, bits, err);
}

bool options_effects(Isolation *iso, Error *err) {
    Effects effects;
    bool begun = false, ok = true;
    if (!is_gcc(iso) || !iso->subject->mapping) return true;
    for (size_t i = 0; i < iso->cures.len && ok && !isolation_over(iso); i++) {
        const Cure *cure = &iso->cures.at[i];
        if (cure->kind != WITNESS_FLAG && cure->kind != WITNESS_COUNTER) continue;
        if (!begun && !effects_begin(&effects, iso)) break;
        begun = true;
        Window w = { .effect_of = cure->option, .pass = effects_first(&effects, cure->option) };
        if (!w.pass.len) continue;
        ok = cover_window(iso, arena_fmt(&iso->arena, "in:" STR_FMT, STR_ARG(w.pass)), &w.in, err);
        if (ok && bits_count(&w.in))
            vec_push(&iso->windows, w);
        else
            bits_free(&w.in);
    }
    if (begun) effects_end(&effects);
    return ok || run_interrupted();
}

bool options_windows(Isolation *iso, Error *err) {
    Subject *s = iso->subject;
    if (!is_gcc(iso) || !s->mapping) return true;
    Window w = { .pass = STR("last") };
    if (s->failure.kind != VERDICT_WRONG) {
        if (!cover_window(iso, "last", &w.in, err)) return run_interrupted();
        vec_push(&iso->windows, w);
    }
    const Cure *last = NULL;
    for (size_t i = 0; i < iso->cures.len && !isolation_over(iso); i++) {
        const Cure *cure = &iso->cures.at[i];
        if (cure->kind != WITNESS_PASS) continue;
        w.pass = str_sub(cure->option, strlen("-fdisable-"), cure->option.len);
        w.order = cure->order;
        if (!cover_window(iso, arena_fmt(&iso->arena, "in:" STR_FMT, STR_ARG(w.pass)), &w.in, err))
            return run_interrupted();
        vec_push(&iso->windows, w);
        last = cure;
    }
    if (last) {
        const char *until =
            arena_fmt(&iso->arena, "until:%s", last->option.at + strlen("-fdisable-"));
        if (!cover_window(iso, until, &iso->until, err)) return run_interrupted();
    }
    return true;
}

bool options_cures(Isolation *iso, Error *err) {
    iso->doing = "options that cure";
    if (!is_gcc(iso)) return true;
    StrVec passes = { 0 }, flags = { 0 };
    for (size_t i = 0; i < iso->needed.len; i++)
        vec_push(&flags, str_from(arena_fmt(&iso->arena, "-fno-%s", iso->needed.at[i].at + 2)));
    compiler_target_off(&iso->arena, &iso->subject->cc, iso->fail, &flags);
    bool ok = options_try_all(iso, &flags, WITNESS_FLAG, err) &&
              compiler_passes_off(&iso->arena, &iso->subject->cc, iso->fail, &passes, err) &&
              options_try_all(iso, &passes, WITNESS_PASS, err);
    vec_release(&passes);
    vec_release(&flags);
    return ok;
}

/* ---- 3: debug counters ---- */
static bool list_counters(Isolation *iso, StrVec *names) {
    Subject *s = iso->subject;
    Arena scratch = { 0 };
    const char *const driver[] = { s->cc.path, "-fdbg-cnt-list", "-x", "c", "-S", "/dev/null",
                                   "-o",       "/dev/null",      NULL };
    const char *const direct[] = { s->cc.path, "-fdbg-cnt-list", "-quiet", "/dev/null",
                                   "-o",       "/dev/null",      NULL };
    RunSpec spec = { .argv = s->cc.kind == CC_CC1 ? direct : driver,
                     .env = cc_env,
                     .limits = { .wall_s = 30 } };
    RunResult r = run_one(&scratch, &spec);
    Str rest = r.err.len > r.out.len ? r.err : r.out, line;
    while (str_split(&rest, '\n', &line)) {
        Str text = str_trim(line), name;
        if (str_ends(text, "unset") && str_split(&text, ' ', &name))
            vec_push(names, arena_str(&iso->arena, name));
    }
    arena_release(&scratch);
    return names->len > 0;
}

Judgement options_ask(Isolation *iso, Str option) {
    JudgeJob *job = job_with(iso, options_argv(&iso->arena, option));
    pool_submit(iso->pool, &job->job);
    pool_next(iso->pool);
    Judgement outcome = job->job.cancelled ? JUDGED_NONE : job->outcome;
    drop_job(iso, job);
    return outcome;
}

static Judgement with_limit(Isolation *iso, Str name, uint64_t limit) {
    return options_ask(iso, str_from(arena_fmt(&iso->arena, "-fdbg-cnt=" STR_FMT ":%llu",
                                               STR_ARG(name), (unsigned long long)limit)));
}

uint64_t options_bisect(const LimitTest *test) {
    uint64_t low = 0, high = 1; /* low passes */
    while (!test->fails(test->user, high)) {
        low = high;
        high *= 4;
        if (high > LIMIT_MOST || test->over(test->user)) return 0;
    }
    while (high - low > 1 && !test->over(test->user)) {
        uint64_t mid = low + (high - low) / 2;
        if (test->fails(test->user, mid))
            high = mid;
        else
            low = mid;
    }
    return test->over(test->user) ? 0 : high;
}

typedef struct CounterLimit {
    Isolation *iso;
    Str name;
} CounterLimit;

static bool limit_fails(void *user, uint64_t limit) {
    const CounterLimit *c = user;
    return with_limit(c->iso, c->name, limit) == JUDGED_FAILS;
}

static bool limit_over(void *user) {
    return isolation_over(((const CounterLimit *)user)->iso);
}

bool options_counters(Isolation *iso, Error *err) {
    iso->doing = "debug counters";
    StrVec names = { 0 }, options = { 0 };
    if (!is_gcc(iso) || !list_counters(iso, &names)) return true;
    for (size_t i = 0; i < names.len; i++)
        vec_push(&options,
                 str_from(arena_fmt(&iso->arena, "-fdbg-cnt=" STR_FMT ":0", STR_ARG(names.at[i]))));
    bool *cured = mem_alloc(options.len + 1), ok = true;
    sweep(iso, &options, SWEEP_TOGETHER, cured);
    for (size_t i = 0; i < options.len && ok; i++) {
        if (!cured[i]) continue;
        CounterLimit counter = { iso, names.at[i] };
        uint64_t limit = options_bisect(&(LimitTest){ limit_fails, limit_over, &counter });
        if (!limit) continue;
        if (limit > 1 && with_limit(iso, names.at[i], limit - 1) != JUDGED_PASSES) continue;
        const char *fmt = "-fdbg-cnt=" STR_FMT ":%llu";
        Cure before = { str_from(arena_fmt(&iso->arena, fmt, STR_ARG(names.at[i]),
                                           (unsigned long long)limit - 1)),
                        names.at[i], WITNESS_COUNTER, 0 };
        Cure at = { str_from(arena_fmt(&iso->arena, fmt, STR_ARG(names.at[i]),
                                       (unsigned long long)limit)),
                    names.at[i], WITNESS_COUNTER, 0 };
        vec_push(&iso->cures, before);
        ok = options_cover(iso, &before, 1, false, err) && options_cover(iso, &at, 1, true, err);
    }
    mem_free(cured);
    vec_release(&names);
    vec_release(&options);
    return ok;
}

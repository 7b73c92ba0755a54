/* The steps of the stage, in order: how the program fails (subject.h), a smaller program
 * (shorten.h), fewer options, the failing run, options and passes that cure (options.h), then
 * witness programs, the nearest first (witness_search.h); each step has its share of the time, and
 * what is left goes to the search. The ranking (rank.h) is made from all of it at the end. */
#include "isolate/isolate.h"
#include "base/file.h"
#include "base/quantity.h"
#include "coverage/changelog.h"
#include "isolate/isolate_dump.h"
#include "isolate/isolate_knobs.h"
#include "isolate/options_impl.h"
#include "isolate/shorten.h"
#include "isolate/witness_search.h"

#include <math.h>

const double isolate_marks[] = { 15, 30, 60, 120, 300, 600, 0 };

#define RANKING_SHARE 20.0 /* the live line's next ranking waits for this many times its cost */

/* A run in progress: the request, the result so far, and what is shown meanwhile. */
typedef struct IsolateRun {
    const IsolateRequest *request;
    IsolateResult *result;
    Live own;         /* where the request has none: a silent one */
    size_t next_mark; /* of isolate_marks */
    Buf names;        /* the first five files when they were last ranked */
    double next_rank; /* the live line's ranking takes at most a twentieth of the time */
    double end;       /* of all steps, by isolation_now; 0: none */
} IsolateRun;

IsolateRequest isolate_request(void) {
    return (IsolateRequest){ .search = "auto",
                             .rank = RANK_BEST,
                             .time_s = 600,
                             .most_witnesses = 500,
                             .seed = 1,
                             .top = 20 };
}

bool isolate_take_repro(IsolateRequest *request, const Repro *repro, Arena *arena, Error *err) {
    SubjectSpec *s = &request->subject;
    if (repro_units(repro) != 1)
        return err_set(err, STATUS_BAD, "the program has %zu units; isolate takes only one",
                       repro_units(repro));
    for (size_t i = 0; i < repro->n_files; i++)
        if (repro->files[i].unit) s->program = repro->files[i].text;
    s->input = repro->input;
    if (!s->cc) s->cc = arena_cstr(arena, repro->compiler);
    if (!s->fail && repro->flags.len) s->fail = arena_cstr(arena, repro->flags);
    bool other = repro->reference.len && !str_eq(repro->reference, repro->compiler);
    if (!s->ref && other) s->ref = arena_cstr(arena, repro->reference);
    if (!s->pass && repro->good_flags.len) s->pass = arena_cstr(arena, repro->good_flags);
    if (!(s->hang_s > 0)) s->hang_s = repro->hang_s;
    return true;
}

/* ---- what is shown on the way ---- */
static void best_five(const Isolation *iso, const Ranking *r, Buf *out) {
    for (uint32_t i = 0; i < r->n_files && i < 5; i++)
        buf_fmt(out, " %s", file_name(iso->subject->map.files[r->files[i].index].name.at));
}

static void rank_now(IsolateRun *run) {
    IsolateResult *result = run->result;
    arena_clear(&result->arena);
    result->ranking = rank_suspects(&result->arena, &result->iso, run->request->rank);
}

static void mark(IsolateRun *run, double at) {
    if (!run->request->mark) return;
    rank_now(run);
    run->request->mark(run->request->user, run->result, at);
}

static void tick(Isolation *iso) {
    IsolateRun *run = iso->ticking;
    double elapsed = isolation_now(iso) - iso->started, next = isolate_marks[run->next_mark];
    if (iso->failing.len && next > 0 && elapsed >= next) {
        run->next_mark++;
        mark(run, next);
    }
    if (!live_due(iso->live)) return;
    double now = clock_now();
    if (iso->failing.len && iso->witnesses.len && now >= run->next_rank) {
        rank_now(run);
        buf_clear(&run->names);
        best_five(iso, &run->result->ranking, &run->names);
        run->next_rank = clock_now() + RANKING_SHARE * (clock_now() - now);
    }
    double rate = elapsed > 0 ? (double)(iso->stats.judged + iso->stats.compiled) / elapsed : 0;
    live_line(iso->live, "%s: %.1f/s, %zu witnesses, sim %.3f div %.3f |%s",
              iso->doing ? iso->doing : "", rate, iso->witnesses.len, quality_sim(&iso->quality),
              quality_div(&iso->quality), run->names.at ? run->names.at : "");
}

/* ---- the steps ---- */
static bool searches(const IsolateRun *run, const char *name) {
    return strcmp(run->request->search, name) == 0;
}

static bool use_options(const IsolateRun *run) {
    return searches(run, "auto") || searches(run, "options");
}

/* What the passing program alone would have ranked: reported and recorded. */
static void rank_alone(IsolateRun *run) {
    Isolation *iso = &run->result->iso;
    Buf names = { 0 };
    rank_now(run);
    const Ranking *r = &run->result->ranking;
    best_five(iso, r, &names);
    for (uint32_t i = 0; i < r->n_files && i < run->request->top; i++)
        vec_push(&iso->alone, iso->subject->map.files[r->files[i].index].name);
    live_say(iso->live, "the pair alone ranks:%s", names.at ? names.at : " nothing");
    buf_release(&names);
}

/* The seed of a case or the other half of its pair: the first witness, if it passes here. */
static void take_passing(IsolateRun *run) {
    Isolation *iso = &run->result->iso;
    Str passing = run->request->passing;
    if (!passing.len) return;
    JudgeJob judge;
    judge_init(&judge, iso->subject, passing);
    judge.fail = iso->fail;
    judge.whole = true;
    judge.clean = subject_runs(iso->subject) ? iso->clean : NULL;
    judge.skip = iso->skip;
    judge_run(&judge);
    Judgement outcome = judge.outcome;
    judge_end(&judge);
    Bits bits = bits_new(iso->subject->map.n_stmts);
    Arena scratch = { 0 };
    bool passes = outcome == JUDGED_PASSES &&
                  cov_run(iso->subject, iso->fail, passing, NULL, &bits, NULL, &scratch, NULL);
    arena_release(&scratch);
    Witness w = { .kind = WITNESS_SEED,
                  .label = STR("the passing half of the pair"),
                  .program = passing,
                  .bits = bits };
    if (!passes) {
        live_say(iso->live, "the passing half of the pair is not a witness here (%s)",
                 judgement_name(outcome));
        bits_free(&bits);
    } else if (isolation_add(iso, w))
        rank_alone(run);
}

/* A sanitizer under which the failing program itself is not clean (clang does not build it; it does
 * what gcc defines and clang does not) says nothing about its mutants. */
static void choose_sanitizers(Isolation *iso) {
    CleanJob jobs[CLEAN_SANITIZERS];
    if (!iso->clean) return;
    for (unsigned i = 0; i < CLEAN_SANITIZERS; i++) {
        clean_job_init(&jobs[i], iso->clean, iso->subject->source);
        jobs[i].compare = true;
        jobs[i].expected = iso->subject->expected;
        jobs[i].code = iso->subject->code;
        jobs[i].flags = iso->subject->beside;
        jobs[i].skip = ~(1u << i);
        pool_submit(iso->pool, &jobs[i].job);
    }
    for (unsigned i = 0; i < CLEAN_SANITIZERS; i++) pool_next(iso->pool);
    for (unsigned i = 0; i < CLEAN_SANITIZERS; i++) {
        if (jobs[i].result != CLEAN_YES) iso->skip |= 1u << i;
        if (jobs[i].reported)
            live_say(iso->live, "the failing program may be to blame itself: " STR_FMT,
                     STR_ARG(jobs[i].why));
        clean_job_end(&jobs[i]);
    }
    iso->skip |= CLEAN_TYPES; /* not for witnesses: it doubles the cost for nothing */
}

/* A step may take this share of the remaining time; 0: all of it. */
static void allow(IsolateRun *run, double share) {
    Isolation *iso = &run->result->iso;
    double time = run->request->time_s * share, until = isolation_now(iso) + time;
    iso->deadline = run->end > 0 && share > 0 && until < run->end ? until : run->end;
    bool wall = iso->deadline > 0 && !iso->cpu_clock;
    pool_until(iso->pool, wall ? iso->deadline + fmin(OVERRUN, time) : INFINITY);
}

static bool try_options(IsolateRun *run, Error *err) {
    Isolation *iso = &run->result->iso;
    allow(run, SHARE_CURES);
    return options_cures(iso, err) && options_windows(iso, err) && options_counters(iso, err) &&
           options_effects(iso, err) && options_llvm(iso, err);
}

/* auto: the nearest witnesses first. */
static bool search_all(IsolateRun *run, Error *err) {
    Isolation *iso = &run->result->iso;
    const char *ingredients = run->request->ingredients;
    SearchSpec cuts = { .name = "cuts", .most = CUTS_MOST },
               suite = { .name = "dev", .ingredients = ingredients, .most = SUITE_MOST },
               mutants = { .name = "near", .ingredients = ingredients };
    allow(run, SHARE_CUTS);
    if (!search_run(iso, &cuts, err)) return false;
    allow(run, SHARE_SUITE);
    if (ingredients && !search_run(iso, &suite, err)) return false;
    allow(run, 0);
    Error unparsed = { 0 }; /* a program that clang cannot read still has the other witnesses */
    if (!search_run(iso, &mutants, &unparsed)) live_say(iso->live, "no mutants: %s", unparsed.text);
    return true;
}

/* A smaller program may break the rule on which types alias, and no sanitizer sees that. Where the
 * failure does not need the rule, the compiler is told not to rely on it, from here on; where it
 * does, the program stays as it is: false. */
static bool may_shorten(Isolation *iso) {
    Subject *s = iso->subject;
    bool relies = s->cc.kind == CC_GCC || s->cc.kind == CC_CC1 || s->cc.kind == CC_CLANG;
    Str option = STR("-fno-strict-aliasing");
    if (!subject_runs(s) || !relies) return true;
    if (options_ask(iso, option) != JUDGED_FAILS) return false;
    iso->fail = flags_plus(&iso->arena, iso->fail, options_argv(&iso->arena, option));
    return true;
}

/* The failing run, before anything else: whatever happens later, and however little time there is,
 * it can be ranked. Covered again once the program or its options have become smaller; what fails
 * then is the smaller one, so that there is nothing more to gather where it cannot be covered. */
static bool fail_smaller(IsolateRun *run, bool *more, Error *err) {
    Isolation *iso = &run->result->iso;
    *more = true;
    if (!isolation_first_run(iso, err)) return false;
    const char *const *given = iso->fail;
    if (searches(run, "auto") && !run->request->as_given && may_shorten(iso)) {
        allow(run, SHARE_SHORTEN);
        shorten_program(iso);
    }
    allow(run, SHARE_MINIMISE);
    if (use_options(run) && !options_minimise(iso, err)) return false;
    allow(run, 0);
    if (!iso->shortened && iso->fail == given) return true;
    Error why = { 0 };
    *more = !isolation_over(iso) && isolation_first_run(iso, &why);
    if (!*more && why.text[0]) live_say(iso->live, "%s", why.text);
    return true;
}

static bool gather(IsolateRun *run, Error *err) {
    Isolation *iso = &run->result->iso;
    bool best = searches(run, "auto"), more;
    if (!fail_smaller(run, &more, err)) return false;
    if (!more) return true;
    bool crash = iso->subject->failure.kind == VERDICT_CRASH;
    if (use_options(run) && crash && !isolation_noise(iso, err)) return false;
    take_passing(run);
    if (use_options(run) && !try_options(run, err)) return false;
    allow(run, 0);
    if (best) return search_all(run, err);
    if (searches(run, "options")) return true;
    SearchSpec only = { .name = run->request->search, .ingredients = run->request->ingredients };
    return search_run(iso, &only, err);
}

/* ---- beginning and end ---- */
static void begin(IsolateRun *run, Pool *pool) {
    const IsolateRequest *request = run->request;
    IsolateResult *result = run->result;
    Isolation *iso = &result->iso;
    isolation_init(iso, &result->subject, pool, request->live ? request->live : &run->own,
                   request->seed);
    iso->tick = tick;
    iso->ticking = run;
    iso->cpu_clock = request->cpu_clock;
    iso->started = isolation_now(iso);
    iso->most_witnesses = request->most_witnesses;
    iso->twins = request->rank != RANK_PUBLISHED;
    if (request->time_s > 0 && request->cpu_clock) run->end = iso->started + request->time_s;
    iso->deadline = run->end;
}

/* Everything but the ranking of an earlier run. */
static bool isolate_anew(IsolateRun *run, Error *err) {
    IsolateResult *result = run->result;
    const IsolateRequest *request = run->request;
    if (!subject_find_failure(&result->subject, &request->subject, err)) return false;
    result->iso.fail = result->subject.fail;
    if (result->subject.note.len)
        live_say(result->iso.live, STR_FMT, STR_ARG(result->subject.note));
    bool runs = subject_runs(&result->subject);
    if (runs && clean_tools_open(&result->subject.arena, &result->clean, NULL))
        result->iso.clean = &result->clean;
    choose_sanitizers(&result->iso);
    return gather(run, err);
}

/* Why a run that was cut short has no ranking; err is unchanged where it was not. */
static bool nothing_to_rank(Error *err) {
    if (run_interrupted())
        err_set(err, STATUS_INTERRUPTED, "interrupted before there was anything to rank");
    else if (run_out_of_time())
        err_set(err, STATUS_NO, "out of time before there was anything to rank");
    return false;
}

/* Ranks what there is; a run cut short before the failing run was covered has no ranking. */
static bool conclude(IsolateRun *run, bool ok, Error *err) {
    IsolateResult *result = run->result;
    bool cut = run_interrupted() || run_out_of_time(), begun = result->iso.failing.len > 0;
    result->interrupted = run_interrupted();
    if (cut ? !begun : !ok) return nothing_to_rank(err);
    result->found = result->iso.witnesses.len > 0;
    if (!cut && !run->request->again && run->request->rank != RANK_PUBLISHED)
        isolation_last_resort(&result->iso);
    rank_now(run);
    mark(run, isolation_now(&result->iso) - result->iso.started);
    return !run->request->dump || dump_write(&result->iso, run->request->dump, err);
}

bool isolate_run(const IsolateRequest *request, IsolateResult *result, Error *err) {
    *result = (IsolateResult){ .search = request->search };
    IsolateRun run = { .request = request, .result = result };
    live_start(&run.own, true);
    if (request->time_s > 0 && !request->cpu_clock) run.end = clock_now() + request->time_s;
    run_until(run.end > 0 ? run.end : INFINITY);
    bool ok = subject_open(&result->subject, &request->subject, err);
    Pool *pool = request->again ? NULL : pool_new(request->workers);
    begin(&run, pool);
    if (ok) result->iso.fixes = changelog_fixes(&result->iso.arena, &result->subject.map);
    if (ok && request->again)
        ok = dump_read(&result->iso, request->again, err);
    else if (ok)
        ok = isolate_anew(&run, err);
    ok = conclude(&run, ok, err);
    run_until(INFINITY);
    result->iso.tick = NULL;
    result->iso.ticking = NULL;
    result->iso.ended = isolation_now(&result->iso);
    result->iso.pool = NULL;
    result->iso.live = NULL;
    if (pool) pool_free(pool);
    buf_release(&run.names);
    return ok;
}

void isolate_result_free(IsolateResult *result) {
    isolation_release(&result->iso);
    subject_free(&result->subject);
    arena_release(&result->arena);
}

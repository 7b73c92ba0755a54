/* Verification: tries everything that could speak against calling a failure a compiler bug. */
#include "hunt/verify.h"

#include "hunt/doubt.h"
#include "hunt/warned.h"
#include "variant/fitness.h"

static Verification ruled(Ruling ruling, const char *why) {
    return (Verification){ ruling, why };
}

/* VERDICT_NONE: it could not be judged, even in two more attempts. */
static VerdictKind repeat(const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
                          const Failure *failure, bool *alike) {
    VerdictKind kind = VERDICT_NONE;
    *alike = false;
    for (unsigned i = 0; i < 3 && kind == VERDICT_NONE && !run_interrupted(); i++) {
        CcJob job;
        trial_one(&job, setup, pool, subject, &failure->cell, NULL);
        kind = job.verdict.kind;
        *alike = trial_alike(&job, failure);
        cc_job_end(&job);
    }
    return kind;
}

bool fails_alike(const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
                 const Failure *failure) {
    bool alike;
    repeat(setup, pool, subject, failure, &alike);
    return alike;
}

/* ---- units ---- */
/* With units by two compilers, one must fail without the other: otherwise they disagree about
 * calling conventions, and neither is to blame. */
static bool fails_by_one(Arena *arena, const HuntSetup *setup, Pool *pool,
                         const HuntProgram *subject, const Failure *failure) {
    const UnitPlan *plan = failure->cell.units;
    for (unsigned i = 0; i < 2; i++) {
        Failure one = *failure;
        one.cell.units = units_by_one(arena, setup, plan, plan->by[i]);
        if (!one.cell.units) return true;
        one.cell.compiler = plan->by[i];
        one.cell.flags = one.cell.units->link_flags;
        if (fails_alike(setup, pool, subject, &one)) return true;
    }
    return false;
}

/* Units must work where nothing is optimised: otherwise cutting the program is to blame. */
static bool units_work(Arena *arena, const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
                       const TrialCell *cell) {
    TrialCell plain = *cell;
    plain.units = units_plain(arena, setup, cell->units);
    plain.flags = plain.units->link_flags;
    CcJob job;
    trial_one(&job, setup, pool, subject, &plain, NULL);
    bool ok = job.verdict.kind == VERDICT_OK;
    cc_job_end(&job);
    return ok;
}

/* No compiler may crash or hang, however its units were cut. */
static Verification verify_units(Arena *arena, const HuntSetup *setup, Pool *pool,
                                 const HuntProgram *subject, const Failure *failure) {
    VerdictKind kind = failure->verdict.kind;
    if (!failure->cell.units || kind == VERDICT_CRASH || kind == VERDICT_HANG)
        return ruled(RULED_BUG, NULL);
    if (!units_work(arena, setup, pool, subject, &failure->cell))
        return ruled(RULED_UNITS, "its units do not work without optimisation");
    if (!fails_by_one(arena, setup, pool, subject, failure))
        return ruled(RULED_UNITS, "it fails only with units of two compilers together");
    return ruled(RULED_BUG, NULL);
}

/* ---- is it there? ---- */
Verification verify_failure(Arena *arena, const HuntSetup *setup, Pool *pool,
                            const HuntProgram *subject, const HuntProgram *seed,
                            const Failure *failure) {
    for (unsigned i = 0; i < CAMPAIGN_REPEATS; i++) {
        bool alike;
        if (repeat(setup, pool, subject, failure, &alike) == VERDICT_NONE)
            return ruled(RULED_LATER, "the machine got in the way of repeating it");
        if (!alike) return ruled(RULED_PASSING, "it is not reproducible");
    }
    if (seed && fails_alike(setup, pool, seed, failure))
        return ruled(RULED_SEED, "the seed fails the same way");
    return verify_units(arena, setup, pool, subject, failure);
}

/* ---- is the program to blame? ---- */
static CleanResult check_clean(Arena *arena, const HuntSetup *setup, Pool *pool,
                               const HuntProgram *subject, unsigned skip, bool aligned,
                               CleanJob *job) {
    static const char *const alignment[] = { "-fsanitize=alignment", NULL };
    clean_job_init(job, &setup->clean, subject->text);
    job->flags = flags_plus(arena, cc_tolerant(CC_CLANG), subject->flags);
    if (aligned) job->flags = flags_plus(arena, job->flags, alignment);
    job->skip = skip;
    job->compare = true;
    job->expected = subject->expected, job->code = subject->code;
    pool_submit(pool, &job->job);
    pool_next(pool);
    return job->job.cancelled ? CLEAN_UNKNOWN : job->result;
}

/* All sanitizers and effective types. *untyped: not all types could be checked. */
static Verification verify_clean(Arena *arena, const HuntSetup *setup, Pool *pool,
                                 const HuntProgram *subject, bool *untyped) {
    CleanJob job;
    CleanResult result = check_clean(arena, setup, pool, subject, subject->skip, false, &job);
    const char *why = arena_fmt(arena, STR_FMT, STR_ARG(job.why));
    *untyped = job.untyped || !setup->clean.have_types;
    bool reported = job.reported;
    clean_job_end(&job);
    if (result == CLEAN_YES) return ruled(RULED_BUG, NULL);
    if (result == CLEAN_NO && setup->foreign && !reported)
        return ruled(RULED_UNCONFIRMED, "it does not do here what it does on its target, so that "
                                        "no sanitizer can check it");
    if (result == CLEAN_NO) return ruled(RULED_PROGRAM, arena_fmt(arena, "not clean: %s", why));
    return ruled(RULED_UNCONFIRMED, arena_fmt(arena, "not all sanitizers could be run: %s",
                                              *why ? why : "interrupted"));
}

/* A separate run: Csmith takes addresses of packed members, so seeds are not checked for this. */
static Verification verify_aligned(Arena *arena, const HuntSetup *setup, Pool *pool,
                                   const HuntProgram *subject) {
    CleanJob job;
    if (!setup->clean.have_clang) return ruled(RULED_BUG, NULL);
    bool bad = check_clean(arena, setup, pool, subject, ~1u, true, &job) == CLEAN_NO;
    bad = bad && job.reported;
    const char *why = bad ? arena_fmt(arena, "not aligned: " STR_FMT, STR_ARG(job.why)) : NULL;
    clean_job_end(&job);
    return bad ? ruled(RULED_PROGRAM, why) : ruled(RULED_BUG, NULL);
}

/* Where effective types could not be checked: does it go away without alias analysis by types? */
static bool aliasing_cures(Arena *arena, const HuntSetup *setup, Pool *pool,
                           const HuntProgram *subject, const Failure *failure) {
    static const char *const plain[] = { "-fno-strict-aliasing", NULL };
    Failure cured = *failure;
    if (failure->cell.units) return false;
    cured.cell.flags = flags_plus(arena, failure->cell.flags, plain);
    bool alike;
    return repeat(setup, pool, subject, &cured, &alike) == VERDICT_OK;
}

/* The cheaper checks come first; those that can only leave doubt come last. */
static Verification verify_output(Arena *arena, const HuntSetup *setup, Pool *pool,
                                  const HuntProgram *subject, const Failure *failure) {
    Error unfit = { 0 };
    if (!fitness_of_seed(subject->text, &unfit))
        return ruled(RULED_PROGRAM,
                     arena_fmt(arena, "what it does may depend on optimisation: %s", unfit.text));
    bool untyped = false;
    Verification clean = verify_clean(arena, setup, pool, subject, &untyped);
    if (clean.ruling == RULED_PROGRAM) return clean;
    Verification aligned = verify_aligned(arena, setup, pool, subject);
    if (aligned.ruling != RULED_BUG) return aligned;
    bool set = setup->clean.have_memory && clean.ruling == RULED_BUG;
    const char *warned = warned_line_runs(arena, setup, subject, set);
    if (warned) return ruled(RULED_PROGRAM, warned);
    Verification doubt = doubt_shared(arena, setup, pool, subject, failure);
    if (doubt.ruling == RULED_BUG) doubt = doubt_freedom(arena, setup, pool, subject, failure);
    if (doubt.ruling == RULED_BUG) doubt = doubt_promises(arena, setup, pool, subject, failure);
    if (doubt.ruling != RULED_BUG) return doubt;
    if (clean.ruling == RULED_BUG && untyped &&
        aliasing_cures(arena, setup, pool, subject, failure))
        return ruled(RULED_UNCONFIRMED, "it passes with -fno-strict-aliasing, and not all its "
                                        "effective types can be checked");
    return clean;
}

Verification verify_program(Arena *arena, const HuntSetup *setup, Pool *pool,
                            const HuntProgram *subject, const Failure *failure) {
    VerdictKind kind = failure->verdict.kind;
    if (kind != VERDICT_WRONG && kind != VERDICT_REJECTED) return ruled(RULED_BUG, NULL);
    Verification v = kind == VERDICT_REJECTED ? doubt_refusal(arena, setup, pool, subject, failure)
                                              : verify_output(arena, setup, pool, subject, failure);
    return run_interrupted() ? ruled(RULED_LATER, "interrupted") : v;
}

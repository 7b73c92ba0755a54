/* Verification: everything that speaks against calling a failure a compiler bug is tried. */
#include "hunt/verify.h"

#include "base/file.h"
#include "cfront/lex.h"
#include "run/workdir.h"
#include "variant/fitness.h"

const char seed_fails_alike[] = "the seed fails alike";
const char machine_in_the_way[] = "the machine did not let it be repeated";
static const char not_clean[] = "not clean: ";

bool blames_program(const char *why) {
    return str_starts(str_from(why), not_clean);
}

/* VERDICT_NONE: it could not be judged, now and twice again. */
static VerdictKind repeat(const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
                          const Failure *failure, bool *alike) {
    VerdictKind kind = VERDICT_NONE;
    *alike = false;
    for (unsigned i = 0; i < 3 && kind == VERDICT_NONE && !run_interrupted(); i++) {
        CcJob job;
        trial_one(&job, setup, pool, subject, &failure->cell, NULL);
        kind = job.verdict.kind;
        *alike = verdict_same(&job.verdict, &failure->verdict);
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

/* ---- warnings on lines that run ---- */
static const char *const warnings[] = { "-O2",
                                        "-Wuninitialized",
                                        "-Wmaybe-uninitialized",
                                        "-Wsequence-point",
                                        "-Wstrict-aliasing=3",
                                        "-Wreturn-type",
                                        "-Warray-bounds",
                                        "-fno-diagnostics-show-caret",
                                        "-fdiagnostics-color=never",
                                        NULL };
static const char *const counting[] = { "-O0", "-w", "--coverage", NULL };

static RunResult run_in(Arena *arena, const char *const *argv, const char *dir,
                        RunProfile profile) {
    RunSpec spec = { .argv = argv,
                     .dir = dir,
                     .env = profile == RUN_USER ? cc_env : NULL,
                     .profile = profile,
                     .limits = { .wall_s = 300, .cpu_s = CC_HANG_S, .output = 64u << 20 } };
    return run_one(arena, &spec);
}

typedef VEC(bool) Lines; /* by line number: it ran */

/* Reads gcov's "        5:   12:text". */
static void mark_executed(Str text, Lines *executed) {
    Str line;
    while (str_split(&text, '\n', &line)) {
        Str rest = line, count, number;
        uint64_t n;
        if (!str_split(&rest, ':', &count) || !str_split(&rest, ':', &number)) continue;
        count = str_trim(count);
        if (!str_to_u64(str_trim(number), &n) || n == 0 || !count.len) continue;
        while (executed->len <= n) vec_push(executed, false);
        if (count.at[0] >= '1' && count.at[0] <= '9') executed->at[n] = true;
    }
}

/* Fills executed by building with --coverage, running and asking gcov; false when any step fails.
 */
static bool find_executed(Arena *arena, const HuntSetup *setup, const char *dir, Lines *executed) {
    const Compiler *gcc = &setup->clean.gcc;
    const char *in = file_join(arena, dir, "program.c"), *out = file_join(arena, dir, "program");
    RunResult r = run_in(
        arena,
        compiler_argv(arena, gcc, CC_OBJECT, counting, in, file_join(arena, dir, "program.o")), dir,
        RUN_USER);
    if (!run_ok(&r)) return false;
    r = run_in(
        arena,
        compiler_argv(arena, gcc, CC_LINK, counting, file_join(arena, dir, "program.o"), out), dir,
        RUN_USER);
    if (!run_ok(&r)) return false;
    const char *const run[] = { "./program", NULL };
    r = run_in(arena, run, dir, RUN_GENERATED);
    if (r.end != RUN_EXITED) return false;
    const char *const gcov[] = { arena_fmt(arena, "gcov-%u", gcc->major), "-t", "program.o", NULL };
    r = run_in(arena, gcov, dir, RUN_USER);
    if (run_ok(&r)) mark_executed(r.out, executed);
    return run_ok(&r) && executed->len > 0;
}

/* One statement a line: a snippet is one line, of which most may never run. */
static void spread_lines(Str text, Buf *out) {
    uint32_t end = (uint32_t)text.len, from = 0;
    unsigned depth = 0;
    for (CTok t = lex_next(text, 0, end); t.kind != CTK_END; t = lex_next(text, t.range.to, end)) {
        if (lex_is(text, t, "(")) depth++;
        if (lex_is(text, t, ")") && depth) depth--;
        bool ends = lex_is(text, t, ";") || lex_is(text, t, "{") || lex_is(text, t, "}");
        if (!ends || depth) continue;
        buf_str(out, str_sub(text, from, t.range.to));
        buf_char(out, '\n');
        from = t.range.to;
    }
    buf_str(out, str_sub(text, from, text.len));
}

/* Only what may be undefined counts; other warnings are on by default. */
static bool counts(Str line) {
    static const char *const kinds[] = { "[-Wuninitialized]",    "[-Wmaybe-uninitialized]",
                                         "[-Wsequence-point]",   "[-Wstrict-aliasing]",
                                         "[-Wstrict-aliasing=]", "[-Wreturn-type]",
                                         "[-Warray-bounds]",     "[-Warray-bounds=]" };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_find(line, str_from(kinds[i]), 0) != STR_NONE) return true;
    return false;
}

/* "program.c:12:5: warning: .. [-Wx]": the first one whose line ran. */
static const char *first_running(Arena *arena, Str messages, const Lines *executed) {
    Str line;
    while (str_split(&messages, '\n', &line)) {
        size_t at = str_find(line, STR(": warning: "), 0), colon = str_find(line, STR(".c:"), 0);
        if (at == STR_NONE || colon == STR_NONE || colon > at || !counts(line)) continue;
        Str rest = str_sub(line, colon + 3, at), number;
        uint64_t n;
        if (!str_split(&rest, ':', &number) || !str_to_u64(number, &n)) continue;
        if (n < executed->len && executed->at[n])
            return arena_fmt(arena, "line %llu, which runs: " STR_FMT, (unsigned long long)n,
                             STR_ARG(str_sub(line, at + 11, line.len)));
    }
    return NULL;
}

const char *warned_line_runs(Arena *arena, const HuntSetup *setup, const HuntProgram *subject) {
    if (!setup->clean.have_gcc) return NULL;
    char *dir = workdir_new(arena, "warn");
    const char *in = file_join(arena, dir, "program.c"), *found = NULL;
    Lines executed = { 0 };
    Buf text = { 0 };
    spread_lines(subject->text, &text);
    if (file_write(in, buf_view(&text), NULL)) {
        RunResult r = run_in(arena,
                             compiler_argv(arena, &setup->clean.gcc, CC_ASSEMBLY, warnings, in,
                                           file_join(arena, dir, "warned.s")),
                             dir, RUN_USER);
        if (str_find(r.err, STR(": warning: "), 0) != STR_NONE &&
            find_executed(arena, setup, dir, &executed))
            found = first_running(arena, r.err, &executed);
    }
    buf_release(&text);
    vec_release(&executed);
    workdir_remove(dir);
    return found;
}

/* ---- all of it ---- */
static const char *unclean(Arena *arena, const HuntSetup *setup, Pool *pool,
                           const HuntProgram *subject, bool *untyped) {
    CleanJob job;
    clean_job_init(&job, &setup->clean, subject->text);
    job.flags = cc_tolerant(CC_CLANG);
    job.compare = true;
    job.expected = subject->expected, job.code = subject->code;
    pool_submit(pool, &job.job);
    pool_next(pool);
    const char *why = job.result == CLEAN_YES
                          ? NULL
                          : arena_fmt(arena, "%s" STR_FMT, not_clean, STR_ARG(job.why));
    *untyped = job.untyped || !setup->clean.have_types;
    clean_job_end(&job);
    return why;
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

/* Everything that says of wrong output that the program is to blame. */
static const char *own_doing(Arena *arena, const HuntSetup *setup, Pool *pool,
                             const HuntProgram *subject, const Failure *failure) {
    bool untyped = false;
    Error unfit = { 0 };
    if (!fitness_of_seed(subject->text, &unfit))
        return arena_fmt(arena, "%swhat it does may depend on optimisation: %s", not_clean,
                         unfit.text);
    const char *why = unclean(arena, setup, pool, subject, &untyped);
    if (!why && untyped && aliasing_cures(arena, setup, pool, subject, failure))
        why = "not clean: it passes with -fno-strict-aliasing, and not all its effective types "
              "can be checked";
    return why ? why : warned_line_runs(arena, setup, subject);
}

/* Of units by two compilers one must fail without the other: else they disagree about how functions
 * are called, which is nobody's in particular. */
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

/* Units must work where nothing is optimised: else cutting the program is to blame. */
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

const char *verify_failure(Arena *arena, const HuntSetup *setup, Pool *pool,
                           const HuntProgram *subject, const HuntProgram *seed,
                           const Failure *failure) {
    for (unsigned i = 0; i < CAMPAIGN_REPEATS; i++) {
        bool alike;
        if (repeat(setup, pool, subject, failure, &alike) == VERDICT_NONE)
            return machine_in_the_way;
        if (!alike) return "does not repeat";
    }
    if (seed && fails_alike(setup, pool, seed, failure)) return seed_fails_alike;
    VerdictKind kind = failure->verdict.kind;
    if (failure->cell.units && kind != VERDICT_CRASH && kind != VERDICT_HANG &&
        !units_work(arena, setup, pool, subject, &failure->cell))
        return "its units do not work without optimisation";
    if (failure->cell.units && kind != VERDICT_CRASH && kind != VERDICT_HANG &&
        !fails_by_one(arena, setup, pool, subject, failure))
        return "only units of two compilers fail together";
    if (failure->verdict.kind != VERDICT_WRONG)
        return NULL; /* no compiler may crash, hang, refuse */
    return own_doing(arena, setup, pool, subject, failure);
}

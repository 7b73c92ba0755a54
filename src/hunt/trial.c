/* Running a program through all compilers. All jobs of a trial read the same source file; the code
 * each compiler makes along a chain is remembered, so that identical code at two levels or in two
 * variants is linked and run once. */
#include "hunt/trial.h"

#include "base/file.h"
#include "hunt/draw.h"
#include "run/workdir.h"

void trial_memory_init(TrialMemory *memory, const HuntSetup *setup) {
    memory->known = mem_alloc((setup->compilers.len + 1) * sizeof *memory->known);
}

void trial_memory_release(TrialMemory *memory, const HuntSetup *setup) {
    for (size_t i = 0; i < setup->compilers.len; i++) map_release(&memory->known[i]);
    mem_free(memory->known);
}

const char *const *level_flags(Arena *arena, const Compiler *cc, const char *level) {
    const char *const flags[] = { level, NULL };
    return flags_plus(arena, flags, cc_tolerant(cc->kind));
}

static void add_drawn(Arena *arena, const HuntSetup *setup, size_t c, Rng *rng, TrialCells *cells) {
    const Compiler *cc = &setup->compilers.at[c];
    if (setup->random_flags)
        vec_push(cells, (TrialCell){ .compiler = c,
                                     .flags = draw_flags(arena, cc, rng),
                                     .until = CC_UNTIL_RUN,
                                     .drawn = true });
    if (setup->oracles)
        vec_push(cells, (TrialCell){ .compiler = c,
                                     .flags = draw_oracle(arena, cc, setup->levels,
                                                          setup->random_flags, rng),
                                     .until = CC_UNTIL_ASSEMBLY,
                                     .drawn = true });
}

/* One plan per program, for a randomly drawn compiler: units cost several compilations. */
static void add_units(Arena *arena, const HuntSetup *setup, Rng *rng, TrialCells *cells) {
    const UnitPlan *plan = units_draw(arena, setup, rng_below(rng, setup->compilers.len), rng);
    if (plan)
        vec_push(cells, (TrialCell){ .compiler = plan->linker,
                                     .flags = plan->link_flags,
                                     .until = CC_UNTIL_RUN,
                                     .drawn = true,
                                     .units = plan });
}

void trial_cells(Arena *arena, const HuntSetup *setup, unsigned n, bool last, Rng *rng,
                 TrialCells *cells) {
    for (size_t c = 0; c < setup->compilers.len; c++) {
        const Compiler *cc = &setup->compilers.at[c];
        if (!cc->levels) { /* one level is enough */
            vec_push(cells, (TrialCell){ .compiler = c,
                                         .flags = level_flags(arena, cc, "-O0"),
                                         .until = CC_UNTIL_RUN });
            continue;
        }
        for (const char *const *level = setup->levels; *level; level++)
            if (strcmp(*level, "-O0") != 0 || n == 0 || last)
                vec_push(cells, (TrialCell){ .compiler = c,
                                             .flags = level_flags(arena, cc, *level),
                                             .until = CC_UNTIL_RUN });
        if (n > 0) add_drawn(arena, setup, c, rng, cells);
    }
    if (setup->oracles) add_units(arena, setup, rng, cells);
}

/* The units, with cc for those that the cell's own compiler makes. */
static bool add_unit_sources(CcJob *job, const HuntSetup *setup, const HuntProgram *subject,
                             const TrialCell *cell, const Compiler *cc) {
    const UnitPlan *plan = cell->units;
    const char *why;
    Arena *arena = &job->job.arena;
    const CcUnit *made = units_make(arena, setup, plan, subject->text, &why);
    job->verdict.detail = made ? STR("") : str_from(why);
    if (!made) return false;
    CcUnit *units = arena_copy(arena, made, plan->n * sizeof *made);
    for (unsigned i = 0; cc && i < plan->n; i++)
        if (plan->by[i] == cell->compiler) units[i].cc = cc;
    job->units = units;
    job->n_units = plan->n;
    return true;
}

bool trial_job(CcJob *job, const HuntSetup *setup, const HuntProgram *subject,
               const TrialCell *cell, const Compiler *cc) {
    cc_job_init(job, cc ? cc : &setup->compilers.at[cell->compiler], cell->flags, subject->text,
                subject->compiled ? CC_UNTIL_ASSEMBLY : cell->until);
    if (subject->flags) job->flags = flags_plus(&job->job.arena, cell->flags, subject->flags);
    job->compare = true;
    job->expected = subject->expected, job->code = subject->code;
    job->compile_s = cell->compile_s > 0 ? cell->compile_s : CAMPAIGN_HANG_S;
    job->run_s = subject->run_s > 0 ? subject->run_s : CAMPAIGN_SEED_RUN_S * CAMPAIGN_RUN_FACTOR;
    return !cell->units || add_unit_sources(job, setup, subject, cell, cc);
}

void trial_one(CcJob *job, const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
               const TrialCell *cell, const Compiler *cc) {
    if (!trial_job(job, setup, subject, cell, cc)) return;
    pool_submit(pool, &job->job);
    pool_next(pool);
    if (job->job.cancelled) job->verdict.kind = VERDICT_NONE;
}

bool trial_alike(const CcJob *job, const Failure *failure) {
    Arena arena = { 0 };
    Symptom seen = symptom_of_job(&arena, job);
    bool same = symptom_same(&failure->symptom, &seen);
    arena_release(&arena);
    return same;
}

Str trial_flags(Arena *arena, const HuntSetup *setup, const TrialCell *cell) {
    return cell->units ? units_text(arena, setup, cell->units) : flags_join(arena, cell->flags);
}

static void copy_failure(Arena *arena, const CcJob *job, const TrialCell *cell,
                         Failures *failures) {
    Failure f = { .cell = *cell, .verdict = job->verdict };
    Symptom shown = symptom_of_job(arena, job);
    f.symptom = symptom_copy(arena, &shown);
    Crash *crash = &f.verdict.crash;
    f.verdict.detail = arena_str(arena, f.verdict.detail);
    crash->message = arena_str(arena, crash->message);
    crash->place = arena_str(arena, crash->place);
    crash->pass = arena_str(arena, crash->pass);
    crash->frames = arena_str(arena, crash->frames);
    crash->signature = arena_str(arena, crash->signature);
    Str said = f.verdict.kind == VERDICT_WRONG  ? job->ran.out
               : f.verdict.kind == VERDICT_LINK ? job->linked.err
                                                : job->compiled.err;
    f.actual = arena_str(arena, str_sub(said, 0, said.len > 65536 ? 65536 : said.len));
    vec_push(failures, f);
}

bool disk_is_full(Str message) {
    return str_find(message, STR("No space left"), 0) != STR_NONE;
}

static void add_timing(HuntTiming *timing, const CcJob *job) {
    if (job->n_units || job->compiled.wall_s <= 0) return;
    timing->compilations++;
    timing->cpu_s += job->compiled.cpu_s;
    if (job->compiled.cpu_s > timing->slowest_s) timing->slowest_s = job->compiled.cpu_s;
}

static void collect(Arena *arena, CcJob *job, const TrialCell *cell, TrialMemory *memory,
                    HuntCost *cost, TrialResult *result, VerdictKind *verdict) {
    cost->test += job->job.cpu_s;
    cost->compilations += job->n_units ? job->unit : job->compiled.wall_s > 0;
    cost->runs += job->ran.wall_s > 0;
    add_timing(&cost->timings[cell->compiler], job);
    *verdict = job->job.cancelled ? VERDICT_NONE : job->verdict.kind;
    if (*verdict == VERDICT_NONE) {
        result->unjudged++;
        result->full |= disk_is_full(job->verdict.detail);
    } else if (*verdict != VERDICT_OK) {
        copy_failure(arena, job, cell, &result->failures);
    } else if (job->known && !job->was_known && cell->until == CC_UNTIL_RUN) {
        map_put(&memory->known[cell->compiler],
                (Str){ (const char *)&job->code_hash, sizeof job->code_hash }, 1);
    }
}

void trial_run(Arena *arena, const HuntSetup *setup, Pool *pool, const HuntProgram *subject,
               const TrialCells *cells, const bool *skip, TrialMemory *memory, HuntCost *cost,
               TrialResult *result) {
    *result = (TrialResult){ .verdicts = ARENA_ARRAY(arena, VerdictKind, cells->len + 1) };
    Error err;
    char *dir = workdir_new(arena, "trial");
    const char *path = file_join(arena, dir, "program.c");
    if (!file_write(path, subject->text, &err)) result->full = true;
    CcJob *jobs = mem_alloc((cells->len + 1) * sizeof *jobs);
    bool *made = ARENA_ARRAY(arena, bool, cells->len + 1);
    for (size_t i = 0; i < cells->len && !result->full; i++) {
        result->verdicts[i] = VERDICT_NONE;
        if (skip && skip[i]) continue;
        made[i] = trial_job(&jobs[i], setup, subject, &cells->at[i], NULL);
        if (!made[i]) { /* not to be cut into units */
            cc_job_end(&jobs[i]);
            continue;
        }
        if (!jobs[i].n_units) {
            jobs[i].path = path;
            jobs[i].known = &memory->known[cells->at[i].compiler];
        }
        pool_submit(pool, &jobs[i].job);
    }
    for (size_t i = 0; i < cells->len && !result->full; i++) {
        if (!made[i]) continue;
        CHECK(pool_next(pool) == &jobs[i].job);
        collect(arena, &jobs[i], &cells->at[i], memory, cost, result, &result->verdicts[i]);
        cc_job_end(&jobs[i]);
    }
    mem_free(jobs);
    workdir_remove(dir);
}

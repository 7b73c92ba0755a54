/* See coverage_run.h. */
#include "isolate/coverage_run.h"
#include "base/file.h"
#include "base/quantity.h"
#include "run/workdir.h"

#include <fcntl.h>
#include <math.h>

#define READ_S 0.2 /* of the time given: to read what a compiler that was ended covered */

static const char *mapping_path(CovJob *job) {
    return file_join(&job->job.arena, job->dir, "coverage");
}

static bool step(Job *base, const RunResult *last, RunSpec *next) {
    CovJob *job = (CovJob *)base;
    Arena *arena = &job->job.arena;
    if (last) {
        job->ran = *last;
        return false;
    }
    Subject *s = job->subject;
    job->started = true;
    job->dir = workdir_new(arena, "coverage");
    /* under a relative name, at the same addresses: its working directory must not affect its
     * coverage */
    const char *in = "program.c", *out = "program.s", *map = mapping_path(job);
    if (!file_write(file_join(arena, job->dir, in), job->source, NULL) ||
        !file_write(map, STR(""), NULL))
        return false;
    const char *const more[] = {
        s->mapping ? arena_fmt(arena, "CULPRIT_COVERAGE=%s", map)
                   : arena_fmt(arena, "GCOV_PREFIX=%s/gcda", job->dir),
        job->window ? arena_fmt(arena, "CULPRIT_COVERAGE_PASS=%s", job->window) : NULL, NULL
    };
    CcGoal goal = s->cov.kind == CC_TCC ? CC_OBJECT : CC_ASSEMBLY;
    *next = (RunSpec){ .argv = compiler_argv(arena, &s->cov, goal, job->flags, in, out),
                       .dir = job->dir,
                       .env = flags_plus(arena, cc_env, more),
                       .enough = s->mapping ? s->enough
                                            : NULL, /* libgcov writes its files at the very end */
                       .steady = true,
                       .no_debug_files = true,
                       .limits = { .cpu_s = job->limit_s,
                                   .wall_s = job->wall_s > 0 ? job->wall_s : 4 * job->limit_s + 10,
                                   .output = 4 << 20 } };
    return true;
}

void cov_job_init(CovJob *job, Subject *s, const char *const *flags, Str source) {
    *job = (CovJob){ .subject = s, .flags = flags, .source = source };
    job->job.step = step;
    job->limit_s = s->failure.kind == VERDICT_HANG ? 3 * s->compile_s : 2 * s->compile_s + 5;
}

/* Of a compiler of two programs the second has a file of its own, unless the first one failed. */
static bool read_mapping(CovMap *map, const char *path, bool second, Bits *bits, Error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return second || err_errno(err, "%s", path);
    bool ok = second ? covmap_read_second(map, fd, path, bits, err)
                     : covmap_read_mapping(map, fd, path, bits, err);
    close(fd);
    return ok;
}

bool cov_job_read(CovJob *job, Bits *bits, Error *err) {
    double begin = clock_own_cpu();
    bool ok;
    if (job->job.cancelled || !job->started)
        ok = err_set(err, STATUS_NO, "interrupted");
    else if (job->subject->mapping) {
        CovMap *map = &job->subject->map;
        const char *path = mapping_path(job);
        ok = read_mapping(map, path, false, bits, err);
        if (ok && map->n_linked > 1)
            ok = read_mapping(map, arena_fmt(&job->job.arena, "%s.2", path), true, bits, err);
    } else
        ok = covmap_read_gcda(&job->subject->map, file_join(&job->job.arena, job->dir, "gcda"),
                              bits, err);
    job->read_s = clock_own_cpu() - begin;
    if (ok && job->keep_code)
        file_read(&job->job.arena, file_join(&job->job.arena, job->dir, "program.s"), &job->code,
                  NULL);
    return ok;
}

void cov_job_end(CovJob *job) {
    if (job->dir) workdir_remove(job->dir);
    job->dir = NULL;
    arena_release(&job->job.arena);
}

/* Alone, to its end. */
static void run_alone(CovJob *job) {
    Pool *pool = pool_new(1);
    pool_submit(pool, &job->job);
    pool_next(pool);
    pool_free(pool);
}

static void keep_end(RunResult *ran, const RunResult *from, Arena *arena) {
    *ran = *from;
    ran->out = arena_str(arena, from->out);
    ran->err = arena_str(arena, from->err);
}

static bool run_whole(CovJob *job, Bits *bits, RunResult *ran, Str *code, Arena *arena,
                      Error *err) {
    run_alone(job);
    if (ran) keep_end(ran, &job->ran, arena);
    bool ok = cov_job_read(job, bits, err);
    if (code) *code = arena_str(arena, job->code);
    cov_job_end(job);
    return ok;
}

bool cov_run(Subject *s, const char *const *flags, Str source, const char *window, Bits *bits,
             RunResult *ran, Arena *arena, Error *err) {
    CovJob job;
    cov_job_init(&job, s, flags, source);
    job.window = window;
    return run_whole(&job, bits, ran, NULL, arena, err);
}

bool cov_run_code(Subject *s, const char *const *flags, Str source, Bits *bits, RunResult *ran,
                  Str *code, Arena *arena, Error *err) {
    CovJob job;
    cov_job_init(&job, s, flags, source);
    job.keep_code = true;
    return run_whole(&job, bits, ran, code, arena, err);
}

static bool cover(const CoverageRequest *request, CoverageResult *result, Error *err) {
    SubjectSpec given = { .coverage = request->build, .path = request->path, .headers = true };
    Subject *s = &result->subject;
    if (!subject_open(s, &given, err)) return false;
    s->compile_s = request->limit_s / 2;
    result->bits = bits_new(s->map.n_stmts);
    CovJob job;
    const char *const *flags = flags_split(&s->arena, request->flags);
    cov_job_init(&job, s, subject_flags(s, &s->arena, flags), s->source);
    job.window = request->window;
    /* ended a moment before all is over, so that there is something to read */
    if (request->until > 0) job.wall_s = fmax(0.05, request->until - clock_now() - READ_S);
    bool ok = run_whole(&job, &result->bits, &result->ran, NULL, &s->arena, err);
    result->read_s = job.read_s;
    return ok;
}

bool coverage_run(const CoverageRequest *request, CoverageResult *result, Error *err) {
    Subject *s = &result->subject;
    *result = (CoverageResult){ 0 };
    run_until(request->until > 0 ? request->until : INFINITY);
    bool ok = cover(request, result, err);
    run_until(INFINITY);
    if (!ok && run_interrupted()) return err_set(err, STATUS_INTERRUPTED, "interrupted");
    if (!ok && request->until > 0 && clock_now() >= request->until)
        return err_set(err, STATUS_NO, "out of time before the compiler had covered anything");
    if (ok && bits_count(&result->bits) == 0 && !request->window)
        return err_set(err, STATUS_BAD,
                       "%s: it covered nothing: was it really built with coverage?", s->cov.path);
    if (ok && request->counts) {
        result->counts = mem_alloc((s->map.n_stmts + 1) * sizeof *result->counts);
        covmap_counts(&s->map, result->counts);
    }
    return ok;
}

void coverage_result_free(CoverageResult *result) {
    mem_free(result->counts);
    bits_free(&result->bits);
    subject_free(&result->subject);
}

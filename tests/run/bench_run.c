/* How many processes a second the runner starts: /bin/true, both profiles, one at a time and
 * pooled. Usage: bench-run [N] */
#include "base/quantity.h"
#include "run/run.h"
#include "run/workdir.h"

static RunSpec true_spec(RunProfile profile, const char *dir) {
    static const char *const argv[] = { "/bin/true", NULL };
    return (RunSpec){ .argv = argv, .dir = dir, .profile = profile };
}

typedef struct TrueJob {
    Job job;
    RunProfile profile;
    const char *dir;
} TrueJob;

static bool step(Job *job, const RunResult *last, RunSpec *next) {
    if (last) return false;
    *next = true_spec(((TrueJob *)job)->profile, ((TrueJob *)job)->dir);
    return true;
}

int main(int argc, char **argv) {
    uint64_t n = 500;
    if (argc > 1) str_to_u64(str_from(argv[1]), &n);
    static const char *const names[] = { "user", "generated" };
    Arena arena = { 0 };
    char *dir = workdir_new(&arena, "bench");
    for (int p = 0; p < 2; p++) {
        double start = clock_now(), cpu_before = run_children_cpu();
        for (uint64_t i = 0; i < n; i++) {
            RunSpec spec = true_spec((RunProfile)p, dir);
            Arena scratch = { 0 };
            RunResult r = run_one(&scratch, &spec);
            CHECK(run_ok(&r));
            arena_release(&scratch);
        }
        double alone = clock_now() - start, cpu = run_children_cpu() - cpu_before;
        Pool *pool = pool_new(0);
        TrueJob *jobs = mem_alloc(n * sizeof *jobs);
        start = clock_now();
        for (uint64_t i = 0; i < n; i++) {
            jobs[i] = (TrueJob){ .job = { .step = step }, .profile = (RunProfile)p, .dir = dir };
            pool_submit(pool, &jobs[i].job);
        }
        for (Job *job; (job = pool_next(pool)) != NULL;) arena_release(&job->arena);
        printf("%-10s %6.0f runs/s one at a time, %4.0f us CPU each, %6.0f runs/s over %u cores\n",
               names[p], (double)n / alone, cpu / (double)n * 1e6,
               (double)n / (clock_now() - start), pool_width(pool));
        pool_free(pool);
        mem_free(jobs);
    }
    arena_release(&arena);
    return 0;
}

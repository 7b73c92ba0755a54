/* The script runs for minutes or hours and writes its progress to a file; a clock runs beside it in
 * the pool, and each time the clock ends the progress is shown. */
#include "command/compiler_build.h"
#include "base/file.h"
#include "run/run.h"
#include "run/workdir.h"

#include <math.h>

#define TICK "2" /* seconds between two looks at the file */

/* A job of a single process. */
typedef struct OneJob {
    Job job;
    RunSpec spec;
    RunResult ran;
} OneJob;

static bool step(Job *base, const RunResult *last, RunSpec *next) {
    OneJob *one = (OneJob *)base;
    if (last) {
        one->ran = *last;
        return false;
    }
    *next = one->spec;
    return true;
}

/* The script: beside the binary's build directory, or where it was installed. */
static const char *find_script(Arena *arena) {
    static const char *const places[] = { "../libexec/culprit/compiler-build",
                                          "../scripts/compiler-build",
                                          "../../scripts/compiler-build" };
    char own[4096];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n <= 0) return NULL;
    own[n] = 0;
    *strrchr(own, '/') = 0;
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        char *path = file_join(arena, own, places[i]);
        if (access(path, X_OK) == 0) return path;
    }
    return NULL;
}

static void show(const char *progress, Live *live) {
    Arena scratch = { 0 };
    Str text;
    if (file_exists(progress) && file_read(&scratch, progress, &text, NULL) && live_due(live)) {
        text = str_trim(text);
        live_line(live, STR_FMT, STR_ARG(text));
    }
    arena_release(&scratch);
}

static void run_script(OneJob *script, const char *progress, Live *live) {
    const char *const sleep[] = { "sleep", TICK, NULL };
    OneJob clock = { .job.step = step, .spec = { .argv = sleep, .limits = { .wall_s = 60 } } };
    Pool *pool = pool_new(2);
    pool_submit(pool, &script->job);
    pool_submit(pool, &clock.job);
    for (Job *done; (done = pool_next_any(pool)) != &script->job;) {
        if (!done) break;
        arena_release(&clock.job.arena);
        clock.job.arena = (Arena){ 0 };
        show(progress, live);
        if (!run_interrupted()) pool_submit(pool, &clock.job);
    }
    pool_free(pool);
    arena_release(&clock.job.arena);
}

/* "compiler PATH" and "coverage DIR". */
static bool read_answer(Arena *arena, Str text, CompilerBuild *out) {
    *out = (CompilerBuild){ 0 };
    for (Str line, word; str_split(&text, '\n', &line);) {
        if (!str_split(&line, ' ', &word)) continue;
        Str value = str_trim(line);
        if (str_is(word, "compiler") && value.len) out->compiler = arena_cstr(arena, value);
        if (str_is(word, "coverage") && value.len) out->coverage = arena_cstr(arena, value);
    }
    return out->compiler && out->coverage;
}

static bool failed(const char *name, const RunResult *ran, Error *err) {
    Str rest = str_trim(ran->err), line = STR("");
    while (str_split(&rest, '\n', &line)) {
    }
    if (run_interrupted())
        return err_set(err, STATUS_INTERRUPTED,
                       "interrupted; culprit compilers build %s continues where it stopped", name);
    bool usage = ran->end == RUN_EXITED && ran->code == STATUS_BAD;
    if (usage)
        return err_set(err, STATUS_BAD, "%s: only gcc-11, gcc-12, tcc and llvm-14 can be built",
                       name);
    if (str_starts(line, "compiler-build: ")) line = str_sub(line, 16, line.len);
    return err_set(err, STATUS_LACKS, "%s was not built: " STR_FMT, name, STR_ARG(line));
}

bool compiler_build(Arena *arena, const char *name, unsigned jobs, bool plain, Live *live,
                    CompilerBuild *out, Error *err) {
    const char *script = find_script(arena);
    if (!script)
        return err_set(err, STATUS_LACKS,
                       "scripts/compiler-build is missing from this installation");
    const char *progress = file_join(arena, workdir_new(arena, "progress"), "line");
    const char *const argv[] = { script, name, plain ? "plain" : "coverage",
                                 plain ? "coverage" : NULL, NULL };
    const char *const env[] = { arena_fmt(arena, "CULPRIT_PROGRESS=%s", progress),
                                jobs ? arena_fmt(arena, "JOBS=%u", jobs) : NULL, NULL };
    OneJob job = { .job.step = step,
                   .spec = { .argv = argv,
                             .env = env,
                             .limits = { .wall_s = INFINITY,
                                         .cpu_s = INFINITY,
                                         .memory = RUN_UNLIMITED,
                                         .output = 1 << 20,
                                         .file_size = RUN_UNLIMITED,
                                         .processes = 512 } } };
    run_script(&job, progress, live);
    bool ok = run_ok(&job.ran) && read_answer(arena, job.ran.out, out);
    if (!ok) failed(name, &job.ran, err);
    arena_release(&job.job.arena);
    return ok;
}

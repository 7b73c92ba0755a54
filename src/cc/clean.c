/* The cleanliness check: the same program under each sanitizer, one ladder of build and run each.
 */
#include "cc/clean.h"

#include "base/file.h"
#include "run/workdir.h"

/* One sanitizer. -O1 for gcc's: at -O0 its instrumentation is slow and misses nothing less. */
typedef struct Sanitizer {
    const char *name; /* for messages */
    bool clang;       /* whose */
    const char *const *flags;
} Sanitizer;

#define COMMON "-g1", "-w", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"
static const char *const clang_address[] = { "-O0", "-fsanitize=address,undefined",
                                             "-fno-sanitize=alignment", COMMON, NULL };
static const char *const clang_memory[] = { "-O0", "-fsanitize=memory", COMMON, NULL };
static const char *const gcc_address[] = { "-O0", "-fsanitize=address,undefined",
                                           "-fno-sanitize=alignment", COMMON, NULL };
static const Sanitizer sanitizers[] = {
    { "address,undefined", true, clang_address },
    { "address,undefined", false, gcc_address },
    { "memory", true, clang_memory },
};
enum { MEMORY = 2 };

static const char *const options[] = {
    "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:strict_init_order=1:exitcode=99",
    "UBSAN_OPTIONS=print_stacktrace=0:exitcode=99", "MSAN_OPTIONS=exitcode=99", NULL
};

/* Sanitized programs are slower, and libc's start-up under them takes its own time. */
#define SLOWDOWN 4.0

static const Compiler *compiler_of(const CleanTools *tools, const Sanitizer *s) {
    return s->clang ? &tools->clang : &tools->gcc;
}

static bool works(Arena *arena, const Compiler *cc, const Sanitizer *s) {
    CcJob job;
    cc_job_init(&job, cc, s->flags, STR("int main(void) { return 3; }\n"), CC_UNTIL_RUN);
    job.compare = job.unlimited = true;
    job.code = 3;
    job.run_env = options;
    cc_job_run(&job);
    (void)arena;
    bool ok = job.verdict.kind == VERDICT_OK;
    cc_job_end(&job);
    return ok;
}

bool clean_tools_open(Arena *arena, CleanTools *tools, Error *err) {
    static const char *const clangs[] = { "clang-19", "clang", NULL };
    static const char *const gccs[] = { "gcc-12", "gcc", NULL };
    *tools = (CleanTools){ 0 };
    tools->have_clang = compiler_open_any(arena, clangs, &tools->clang, NULL) &&
                        works(arena, &tools->clang, &sanitizers[0]);
    tools->have_memory = tools->have_clang && works(arena, &tools->clang, &sanitizers[MEMORY]);
    tools->have_gcc = compiler_open_any(arena, gccs, &tools->gcc, NULL) &&
                      works(arena, &tools->gcc, &sanitizers[1]);
    return tools->have_clang || tools->have_gcc ||
           err_set(err, STATUS_LACKS,
                   "no sanitizers here; Debian has them in the packages clang-19 with "
                   "libclang-rt-19-dev, and gcc-12");
}

/* ---- the ladder ---- */
static bool have(const CleanTools *tools, unsigned tool) {
    if (tool == MEMORY) return tools->have_memory;
    return sanitizers[tool].clang ? tools->have_clang : tools->have_gcc;
}

static bool settle(CleanJob *job, CleanResult result, const char *what) {
    const Sanitizer *s = &sanitizers[job->tool];
    job->result = result;
    job->why = str_from(arena_fmt(&job->job.arena, "%s -fsanitize=%s: %s",
                                  compiler_of(job->tools, s)->name, s->name, what));
    return false;
}

static bool start_build(CleanJob *job, RunSpec *next) {
    while (job->tool < COUNT_OF(sanitizers) &&
           (!have(job->tools, job->tool) || (job->quick && job->tool)))
        job->tool++;
    if (job->tool == COUNT_OF(sanitizers)) {
        job->result = CLEAN_YES;
        return false;
    }
    Arena *arena = &job->job.arena;
    const Sanitizer *s = &sanitizers[job->tool];
    const char *const *flags = flags_plus(arena, s->flags, job->flags);
    const char *const tmp[] = { arena_fmt(arena, "TMPDIR=%s", job->dir), NULL };
    job->rung = 0;
    *next =
        (RunSpec){ .argv = compiler_command(arena, compiler_of(job->tools, s), CC_EXECUTABLE, flags,
                                            file_join(arena, job->dir, "program.c"),
                                            file_join(arena, job->dir, "program")),
                   .dir = job->dir,
                   .env = flags_plus(arena, cc_env, tmp),
                   .limits = { .cpu_s = CC_HANG_S, .wall_s = 8 * CC_HANG_S, .output = 16u << 20 } };
    return true;
}

static bool start_run(CleanJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    double limit = (job->run_s > 0 ? job->run_s : CC_RUN_S) * SLOWDOWN;
    const char **argv = ARENA_ARRAY(arena, const char *, 2);
    argv[0] = "./program";
    job->rung = 1;
    *next = (RunSpec){ .argv = argv,
                       .dir = job->dir,
                       .env = options,
                       .input = job->input,
                       .profile = RUN_GENERATED,
                       .limits = { .cpu_s = limit, .wall_s = 4 * limit, .memory = RUN_UNLIMITED } };
    return true;
}

/* The line that says what was found: "runtime error: ..", "ERROR: AddressSanitizer: ..". */
static const char *report_line(Arena *arena, Str err) {
    Str rest = err, line;
    while (str_split(&rest, '\n', &line)) {
        size_t at = str_find(line, STR("runtime error: "), 0);
        if (at == STR_NONE) at = str_find(line, STR("Sanitizer: "), 0);
        if (at != STR_NONE) return arena_cstr(arena, str_sub(line, at, line.len));
    }
    return NULL;
}

static bool judge_run(CleanJob *job, const RunResult *r, RunSpec *next) {
    Arena *arena = &job->job.arena;
    const char *report = report_line(arena, r->err);
    if (report) return settle(job, CLEAN_NO, report);
    if (r->end != RUN_EXITED && r->end != RUN_SIGNALED)
        return settle(job, CLEAN_UNKNOWN, run_describe(arena, r));
    if (r->end == RUN_SIGNALED) return settle(job, CLEAN_NO, run_describe(arena, r));
    if (!job->compare && !job->have_first) {
        job->first = *r;
        job->have_first = true;
    }
    Str expected = job->compare ? job->expected : job->first.out;
    int code = job->compare ? job->code : job->first.code;
    if (!str_eq(r->out, expected)) return settle(job, CLEAN_NO, "another output");
    if (r->code != code) return settle(job, CLEAN_NO, run_describe(arena, r));
    job->tool++;
    return start_build(job, next);
}

static bool judge(CleanJob *job, const RunResult *r, RunSpec *next) {
    if (job->rung == 1) return judge_run(job, r, next);
    return run_ok(r) ? start_run(job, next) : settle(job, CLEAN_UNKNOWN, "does not build");
}

static bool begin(CleanJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    Error err;
    job->dir = workdir_new(arena, "clean");
    if (!file_write(file_join(arena, job->dir, "program.c"), job->source, &err))
        return settle(job, CLEAN_UNKNOWN, arena_strdup(arena, err.text));
    return start_build(job, next);
}

static bool step(Job *base, const RunResult *last, RunSpec *next) {
    CleanJob *job = (CleanJob *)base;
    bool more = last ? judge(job, last, next) : begin(job, next);
    job->cpu_s = base->cpu_s;
    if (!more) {
        workdir_remove(job->dir);
        job->dir = NULL;
    }
    return more;
}

void clean_job_init(CleanJob *job, const CleanTools *tools, Str source) {
    *job = (CleanJob){
        .job = { .step = step }, .tools = tools, .source = source, .result = CLEAN_UNKNOWN
    };
}

void clean_job_run(CleanJob *job) {
    Pool *pool = pool_new(1);
    pool_submit(pool, &job->job);
    pool_next(pool);
    pool_free(pool);
}

void clean_job_end(CleanJob *job) {
    if (job->dir) workdir_remove(job->dir); /* it was cancelled */
    arena_release(&job->job.arena);
}

/* The cleanliness check: the same program under each sanitizer, one ladder of build and run each.
 */
#include "cc/clean.h"
#include "base/toolchain.h"

#include "base/file.h"
#include "cc/returns.h"
#include "cc/types.h"
#include "run/workdir.h"

/* One sanitizer. -O1 for gcc's: at -O0 its instrumentation is slow and finds no more. */
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
    { "effective types", true, types_flags },
};
enum { MEMORY = 2, TYPES = 3 };

static const char *const options[] = { "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return="
                                       "1:strict_init_order=1:symbolize=0:exitcode=99",
                                       "UBSAN_OPTIONS=print_stacktrace=0:symbolize=0:exitcode=99",
                                       "MSAN_OPTIONS=symbolize=0:exitcode=99", NULL };

/* Sanitized programs are slower, and libc's start-up under them takes its own time. */
#define SLOWDOWN 4.0

static const Compiler *compiler_of(const CleanTools *tools, const Sanitizer *s) {
    return s->clang ? &tools->clang : &tools->gcc;
}

static bool have(const CleanTools *tools, unsigned tool) {
    if (tool == MEMORY) return tools->have_memory;
    if (tool == TYPES) return tools->have_types;
    return sanitizers[tool].clang ? tools->have_clang : tools->have_gcc;
}

/* Uninitialised locals get a pattern, each compiler's own: a program that depends on one shows it
 * every time, by a different output or as a _Bool of 170, and not only when the stack happens to be
 * dirty. */
static const char *const *flags_of(Arena *arena, const CleanTools *tools, unsigned tool) {
    static const char *const pattern[] = { "-ftrivial-auto-var-init=pattern", NULL };
    const Sanitizer *s = &sanitizers[tool];
    bool knows = tool < MEMORY && compiler_of(tools, s)->major >= (s->clang ? 8 : 12);
    return knows ? flags_plus(arena, s->flags, pattern) : s->flags;
}

static void make_hosts(Arena *arena, CleanTools *tools);

static bool works(const Compiler *cc, const Sanitizer *s) {
    CcJob job;
    cc_job_init(&job, cc, s->flags, STR("int main(void) { return 3; }\n"), CC_UNTIL_RUN);
    job.compare = job.unlimited = true;
    job.code = 3;
    job.run_env = options;
    cc_job_run(&job);
    bool ok = job.verdict.kind == VERDICT_OK;
    cc_job_end(&job);
    return ok;
}

bool clean_tools_open(Arena *arena, CleanTools *tools, Error *err) {
    static const char *const clangs[] = { TOOLCHAIN_CLANG, "clang", NULL };
    static const char *const gccs[] = { TOOLCHAIN_GCC, "gcc", NULL };
    *tools = (CleanTools){ 0 };
    tools->have_clang = compiler_open_any(arena, clangs, &tools->clang, NULL);
    tools->have_memory = tools->have_clang;
    tools->have_gcc = compiler_open_any(arena, gccs, &tools->gcc, NULL);
    make_hosts(arena, tools);
    /* a working host proves that its sanitizer works */
    tools->have_clang =
        tools->have_clang && (tools->hosts[0] || works(&tools->clang, &sanitizers[0]));
    tools->have_memory =
        tools->have_clang && (tools->hosts[MEMORY] || works(&tools->clang, &sanitizers[MEMORY]));
    tools->have_types = tools->have_clang && tools->clang.major == types_clang();
    tools->have_gcc = tools->have_gcc && (tools->hosts[1] || works(&tools->gcc, &sanitizers[1]));
    return tools->have_clang || tools->have_gcc ||
           err_set(err, STATUS_LACKS,
                   "no sanitizers found; Debian has them in the packages " TOOLCHAIN_CLANG
                   " with " TOOLCHAIN_CLANG_RUNTIME ", and " TOOLCHAIN_GCC);
}

/* ---- hosts ---- */
#define HOST_FAILED 98 /* exit status of a host that cannot load its program */
static const char host_text[] =
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n"
    "#include <stdlib.h>\n"
    "#include <unistd.h>\n"
    "int main(int argc, char **argv) {\n"
    "    void *program = dlopen(\"./program.so\", RTLD_NOW | RTLD_GLOBAL);\n"
    "    void *entry = program ? dlsym(program, \"main\") : 0;\n"
    "    if (!entry) _exit(98);\n"
    "    exit(((int (*)(int, char **))entry)(argc, argv));\n"
    "}\n";

/* A sanitizer's host in dir, or NULL. */
static const char *make_host(Arena *arena, const CleanTools *tools, unsigned tool,
                             const char *dir) {
    static const char *const more[] = { "-rdynamic", "-fno-sanitize=undefined",
                                        "-Wl,--no-as-needed", NULL };
    const Sanitizer *s = &sanitizers[tool];
    const Compiler *cc = compiler_of(tools, s);
    const char *in = file_join(arena, dir, "host.c");
    const char *out = arena_fmt(arena, "%s/host%u", dir, tool);
    /* the whole runtime is linked, but the call of main is not checked: main may have any type */
    const char *const *flags = flags_plus(arena, s->flags, more);
    RunSpec object = { .argv = compiler_argv(arena, cc, CC_OBJECT, flags, in,
                                             arena_fmt(arena, "%s/host%u.o", dir, tool)),
                       .dir = dir,
                       .env = cc_env,
                       .limits = { .wall_s = 120 } };
    RunSpec link = object;
    flags = flags_plus(arena, s->flags, (const char *const[]){ "-rdynamic", more[2], NULL });
    link.argv =
        compiler_argv(arena, cc, CC_LINK, flags, arena_fmt(arena, "%s/host%u.o", dir, tool), out);
    RunResult r = run_one(arena, &object);
    if (!run_ok(&r)) return NULL;
    r = run_one(arena, &link);
    return run_ok(&r) ? out : NULL;
}

/* Does the host run a program as its sanitizer would, and report what the program does wrong? */
static bool host_works(CleanTools *tools, unsigned tool) {
    static const char *const wrong[] = {
        "int a[4]; int main(void) { volatile int k = 4; return a[k]; }\n",
        "int a[4]; int main(void) { volatile int k = 4; return a[k]; }\n",
        "int main(int n, char **v) { int x; if (n > 5) x = 1; return x ? 3 : 4; }\n",
    };
    bool works = true;
    for (int bad = 0; bad < 2 && works; bad++) {
        CleanJob job;
        clean_job_init(&job, tools,
                       bad ? str_from(wrong[tool]) : STR("int main(void) { return 3; }\n"));
        job.compare = true;
        job.code = 3;
        job.skip = ~(1u << tool);
        clean_job_run(&job);
        works = job.result == (bad ? CLEAN_NO : CLEAN_YES) && !job.alone;
        clean_job_end(&job);
    }
    return works;
}

static void make_hosts(Arena *arena, CleanTools *tools) {
    char *dir = workdir_new(arena, "sanitizers");
    tools->ld = file_find_program(arena, "ld");
    if (!tools->ld || !file_write(file_join(arena, dir, "host.c"), str_from(host_text), NULL))
        return;
    for (unsigned tool = 0; tool <= MEMORY; tool++) {
        if (!have(tools, tool)) continue;
        tools->hosts[tool] = make_host(arena, tools, tool, dir);
        if (tools->hosts[tool] && !host_works(tools, tool)) tools->hosts[tool] = NULL;
    }
}

/* ---- the ladder ---- */
static bool settle(CleanJob *job, CleanResult result, const char *what) {
    const Sanitizer *s = &sanitizers[job->tool];
    job->result = result;
    job->why =
        str_from(job->tool == TYPES ? arena_fmt(&job->job.arena, "%s: %s", s->name, what)
                                    : arena_fmt(&job->job.arena, "%s -fsanitize=%s: %s",
                                                compiler_of(job->tools, s)->name, s->name, what));
    return false;
}

enum CleanRung { RUNG_BUILD, RUNG_RELEASE, RUNG_LINK, RUNG_RUN };

static const char *host_of(const CleanJob *job) {
    return job->alone || job->tool == TYPES ? NULL : job->tools->hosts[job->tool];
}

static bool is_skipped(const CleanJob *job, unsigned tool) {
    if (!have(job->tools, tool) || (job->quick && tool)) return true;
    return job->skip >> tool & 1;
}

static RunSpec building(CleanJob *job, const char *const *argv) {
    Arena *arena = &job->job.arena;
    const char *const tmp[] = { arena_fmt(arena, "TMPDIR=%s", job->dir), NULL };
    return (
        RunSpec){ .argv = argv,
                  .dir = job->dir,
                  .env = flags_plus(arena, cc_env, tmp),
                  .limits = { .cpu_s = CC_HANG_S, .wall_s = 8 * CC_HANG_S, .output = 16u << 20 } };
}

/* ---- effective types: bitcode, with our checks, made a program ---- */
static bool start_bitcode(CleanJob *job, const char *const *flags, RunSpec *next) {
    Arena *arena = &job->job.arena;
    *next = building(job, compiler_argv(arena, &job->tools->clang, CC_OBJECT, flags,
                                        file_join(arena, job->dir, "program.c"),
                                        file_join(arena, job->dir, "program.bc")));
    return true;
}

static bool start_checked(CleanJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    Str bitcode;
    Buf checked = { 0 };
    const char *path = file_join(arena, job->dir, "program.bc");
    bool ok = file_read(arena, path, &bitcode, NULL) &&
              types_instrument(bitcode, &checked, &job->untyped) &&
              file_write(path, buf_view(&checked), NULL) &&
              file_write(file_join(arena, job->dir, "types.o"), types_runtime(), NULL);
    buf_release(&checked);
    if (!ok) return false;
    const char *const argv[] = {
        job->tools->clang.path, "-O0", "-w", "program.bc", "types.o", "-lm", "-o", "program", NULL
    };
    job->rung = RUNG_LINK;
    *next = building(job, flags_plus(arena, argv, NULL));
    return true;
}

static const char *const shared[] = { "-fPIC", NULL };

static bool start_build(CleanJob *job, RunSpec *next) {
    while (job->tool < COUNT_OF(sanitizers) && is_skipped(job, job->tool)) job->tool++;
    if (job->tool == COUNT_OF(sanitizers)) {
        job->result = CLEAN_YES;
        return false;
    }
    Arena *arena = &job->job.arena;
    const Sanitizer *s = &sanitizers[job->tool];
    bool hosted = host_of(job) != NULL;
    const char *const *flags =
        flags_plus(arena, flags_of(arena, job->tools, job->tool), job->flags);
    if (hosted) flags = flags_plus(arena, flags, shared);
    job->rung = RUNG_BUILD;
    if (job->tool == TYPES)
        return start_bitcode(
            job, flags_plus(arena, flags, (const char *const[]){ "-emit-llvm", NULL }), next);
    if (job->returns) return start_bitcode(job, flags_plus(arena, flags, returns_flags), next);
    *next = building(
        job, compiler_argv(arena, compiler_of(job->tools, s), hosted ? CC_OBJECT : CC_EXECUTABLE,
                           flags, file_join(arena, job->dir, "program.c"),
                           file_join(arena, job->dir, hosted ? "program.o" : "program")));
    return true;
}

/* The memory sanitizer once more, on bitcode whose returned values may be undefined. */
static bool start_released(CleanJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    const char *path = file_join(arena, job->dir, "program.bc");
    bool hosted = host_of(job) != NULL;
    Str bitcode;
    Buf released = { 0 };
    bool ok = file_read(arena, path, &bitcode, NULL) && returns_release(bitcode, &released) &&
              file_write(path, buf_view(&released), NULL);
    buf_release(&released);
    if (!ok) return settle(job, CLEAN_UNKNOWN, "does not build");
    const char *const *flags = clang_memory;
    if (hosted) flags = flags_plus(arena, flags, shared);
    job->rung = RUNG_RELEASE;
    *next = building(
        job, compiler_argv(arena, &job->tools->clang, hosted ? CC_OBJECT : CC_EXECUTABLE, flags,
                           path, file_join(arena, job->dir, hosted ? "program.o" : "program")));
    return true;
}

/* The program's own definitions take precedence, as they do in an executable. */
static bool start_link(CleanJob *job, RunSpec *next) {
    const char *const argv[] = { job->tools->ld, "-shared",    "-Bsymbolic", "program.o",
                                 "-o",           "program.so", NULL };
    job->rung = RUNG_LINK;
    *next = building(job, flags_plus(&job->job.arena, argv, NULL));
    return true;
}

static bool start_run(CleanJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    double limit = (job->run_s > 0 ? job->run_s : CC_RUN_S) * SLOWDOWN;
    const char **argv = ARENA_ARRAY(arena, const char *, 2);
    const char *host = host_of(job);
    argv[0] = host ? host : "./program";
    job->rung = RUNG_RUN;
    *next = (RunSpec){ .argv = argv,
                       .dir = job->dir,
                       .env = options,
                       .input = job->input,
                       .profile = RUN_GENERATED,
                       .limits = { .cpu_s = limit, .wall_s = 4 * limit, .memory = RUN_UNLIMITED } };
    return true;
}

/* What the host cannot link or load may still work as an executable of its own. */
static bool start_alone(CleanJob *job, RunSpec *next) {
    job->alone = true;
    return start_build(job, next);
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
    if (host_of(job) && r->end == RUN_EXITED && r->code == HOST_FAILED && !report)
        return start_alone(job, next);
    if (report && job->tool == MEMORY && !job->returns && job->tools->have_types) {
        job->returns = true;
        return start_build(job, next);
    }
    job->reported = report != NULL;
    if (report) return settle(job, CLEAN_NO, report);
    job->unended = r->end == RUN_TIMEOUT;
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
    job->alone = job->returns = false;
    return start_build(job, next);
}

/* Only a report counts: what cannot be checked, or does something else when its accesses are those
 * of optimised code, is not the program's fault. Callers may look at `untyped`. */
static bool judge_types(CleanJob *job, const RunResult *r, RunSpec *next) {
    const char *report = report_line(&job->job.arena, r->err);
    bool ran = job->rung == RUNG_RUN;
    if (ran && report) {
        job->reported = true;
        return settle(job, CLEAN_NO, report);
    }
    if (job->rung == RUNG_BUILD && run_ok(r) && start_checked(job, next)) return true;
    if (job->rung == RUNG_LINK && run_ok(r)) return start_run(job, next);
    bool compare = job->compare || job->have_first;
    Str expected = job->compare ? job->expected : job->first.out;
    job->untyped |= !ran || r->end != RUN_EXITED || (compare && !str_eq(r->out, expected));
    job->tool++;
    return start_build(job, next);
}

static const char *unbuilt(Arena *arena, const RunResult *r) {
    static const char full[] = "No space left on device";
    if (str_find(r->err, str_from(full), 0) != STR_NONE)
        return arena_fmt(arena, "does not build: %s", full);
    return "does not build";
}

static bool judge(CleanJob *job, const RunResult *r, RunSpec *next) {
    if (job->tool == TYPES) return judge_types(job, r, next);
    if (job->rung == RUNG_RUN) return judge_run(job, r, next);
    bool hosted = host_of(job) != NULL;
    if (job->rung == RUNG_LINK && !run_ok(r)) return start_alone(job, next);
    if (!run_ok(r)) return settle(job, CLEAN_UNKNOWN, unbuilt(&job->job.arena, r));
    if (job->returns && job->rung == RUNG_BUILD) return start_released(job, next);
    return hosted && job->rung != RUNG_LINK ? start_link(job, next) : start_run(job, next);
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

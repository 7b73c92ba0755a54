/* The ladder of one compilation: compile, link, run, compare; each rung judged as it ends. */
#include "cc/verdict.h"

#include "base/file.h"
#include "cc/foreign.h"
#include "cc/quick_link.h"
#include "run/workdir.h"

enum VerdictRung {
    RUNG_COMPILE,
    RUNG_QUICK_AS, /* without the driver; what fails there continues at RUNG_LINK */
    RUNG_LOAD,     /* run without linking; where the loader gives up, continues at RUNG_QUICK_LD */
    RUNG_QUICK_LD,
    RUNG_LINK,
    RUNG_RUN
};

#define COMPILER_MEMORY (8ull << 30) /* address space of a compiler */

static const char *const names[] = { "ok", "rejected", "crash", "hang", "link", "wrong", "none" };

const char *verdict_name(VerdictKind kind) {
    return names[kind];
}

bool verdict_parse(Str name, VerdictKind *kind) {
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i])) return *kind = (VerdictKind)i, true;
    return false;
}

/* ---- judging ---- */
static bool says(Str text, const char *what) {
    return str_find(text, str_from(what), 0) != STR_NONE;
}

/* The first line that reports an error; else the first line. */
static Str first_error(Arena *arena, Str text) {
    Str rest = text, line, first = STR("");
    while (str_split(&rest, '\n', &line)) {
        if (says(line, "error")) return workdir_hide(arena, str_trim(line));
        if (!first.len) first = str_trim(line);
    }
    return workdir_hide(arena, first);
}

/* The line that says what the machine ran out of: not the compiler's fault. Empty: none. */
static Str machine_line(Str text) {
    static const char *const lacks[] = { "No space left",          "out of memory",
                                         "memory exhausted",       "virtual memory",
                                         "Cannot allocate memory", "Killed signal terminated" };
    Str rest = text, line;
    while (str_split(&rest, '\n', &line))
        for (size_t i = 0; i < COUNT_OF(lacks); i++)
            if (says(line, lacks[i])) return str_trim(line);
    return STR("");
}

static bool lacks_something(Str text) {
    return machine_line(text).len > 0;
}

static double hang_limit(const CcJob *job) {
    return job->compile_s > 0 ? job->compile_s : CC_HANG_S;
}

static bool took_too_long(const RunResult *r, double limit) {
    return r->end == RUN_TIMEOUT || r->cpu_s > limit * 0.95 ||
           says(r->err, "CPU time limit exceeded");
}

static Verdict hang_verdict(Arena *arena, const RunResult *r, double limit) {
    return (Verdict){
        .kind = r->cpu_s > limit * 0.5 ? VERDICT_HANG : VERDICT_NONE, /* else the machine is slow */
        .detail = str_from(arena_fmt(arena, "compiles for more than %.0f s", r->cpu_s)),
    };
}

Verdict verdict_of_compile(Arena *arena, const RunResult *r, double hang_s) {
    Verdict v = { .kind = VERDICT_REJECTED, .detail = first_error(arena, r->err) };
    if (run_ok(r)) {
        v.kind = VERDICT_OK;
    } else if (took_too_long(r, hang_s)) {
        v = hang_verdict(arena, r, hang_s);
    } else if ((r->end != RUN_EXITED && r->end != RUN_SIGNALED) || lacks_something(r->err)) {
        Str lacking = machine_line(r->err);
        v.kind = VERDICT_NONE;
        v.detail = lacking.len ? lacking : str_from(run_describe(arena, r));
    } else if (crash_read(arena, r->err, r->end == RUN_SIGNALED ? r->code : 0, &v.crash)) {
        v.kind = VERDICT_CRASH;
        v.detail = v.crash.signature;
    }
    return v;
}

/* Link-time optimisation compiles while it links. */
static bool crashed_linking(CcJob *job, const RunResult *r) {
    bool compiler = says(r->err, "internal compiler error") || says(r->err, "LLVM ERROR") ||
                    says(r->err, "PLEASE submit a bug report");
    return compiler && crash_read(&job->job.arena, r->err, 0, &job->verdict.crash);
}

static VerdictKind judge_link(CcJob *job, const RunResult *r) {
    if (run_ok(r)) return VERDICT_OK;
    if (took_too_long(r, hang_limit(job)))
        return (job->verdict = hang_verdict(&job->job.arena, r, hang_limit(job))).kind;
    job->verdict.detail =
        lacks_something(r->err) ? machine_line(r->err) : first_error(&job->job.arena, r->err);
    if (r->end == RUN_EXITED && !lacks_something(r->err) && crashed_linking(job, r)) {
        job->verdict.detail = job->verdict.crash.signature;
        return VERDICT_CRASH;
    }
    return r->end == RUN_EXITED && !lacks_something(r->err) ? VERDICT_LINK : VERDICT_NONE;
}

/* Where two outputs first differ, for people. */
static Str difference(Arena *arena, Str got, Str expected) {
    size_t i = 0;
    while (i < got.len && i < expected.len && got.at[i] == expected.at[i]) i++;
    size_t begin = i;
    while (begin > 0 && expected.at[begin - 1] != '\n') begin--;
    Str rest = str_sub(got, begin, got.len), want = str_sub(expected, begin, expected.len),
        a = STR(""), b = STR("");
    str_split(&rest, '\n', &a);
    str_split(&want, '\n', &b);
    return str_from(arena_fmt(arena, "prints \"%.*s\", expected \"%.*s\"",
                              (int)(a.len > 60 ? 60 : a.len), a.at, (int)(b.len > 60 ? 60 : b.len),
                              b.at));
}

/* Not the program's doing: it did not start, or the machine got in its way. */
static bool not_judged(const RunResult *r, double limit) {
    return r->end == RUN_NOT_STARTED || r->end == RUN_CANCELLED || r->end == RUN_MEMORY ||
           (r->end == RUN_TIMEOUT && r->cpu_s < limit * 0.5);
}

Verdict verdict_of_run(Arena *arena, const RunResult *r, Str expected, int code, double run_s) {
    Str how = str_from(run_describe(arena, r));
    Verdict v = { .kind = VERDICT_WRONG, .detail = how };
    if (not_judged(r, run_s))
        v.kind = VERDICT_NONE;
    else if (r->end == RUN_TIMEOUT)
        v.detail = STR("the program does not end");
    else if (r->end != RUN_EXITED)
        v.detail = how;
    else if (!str_eq(r->out, expected))
        v.detail = difference(arena, r->out, expected);
    else if (r->code == code)
        v.kind = VERDICT_OK;
    else
        v.detail = str_from(arena_fmt(arena, STR_FMT ", expected %d", STR_ARG(how), code));
    return v;
}

static VerdictKind judge_run(CcJob *job, const RunResult *r) {
    Arena *arena = &job->job.arena;
    double limit = job->run_s > 0 ? job->run_s : CC_RUN_S;
    if (job->compare) {
        job->verdict = verdict_of_run(arena, r, job->expected, job->code, limit);
        return job->verdict.kind;
    }
    job->verdict.detail = str_from(run_describe(arena, r));
    if (not_judged(r, limit)) return VERDICT_NONE;
    return r->end == RUN_EXITED || r->end == RUN_SIGNALED ? VERDICT_OK : VERDICT_WRONG;
}

/* ---- the rungs ---- */
static const char **env_with_tmp(CcJob *job) {
    const char *const tmp[] = { arena_fmt(&job->job.arena, "TMPDIR=%s", job->dir), NULL };
    return flags_plus(&job->job.arena, cc_env, tmp);
}

static RunSpec compiler_spec(CcJob *job, const char **argv) {
    double limit = hang_limit(job);
    return (RunSpec){ .argv = argv,
                      .dir = job->dir,
                      .env = env_with_tmp(job),
                      .no_debug_files = true,
                      .limits = { .cpu_s = limit,
                                  .wall_s = 8 * limit + 20,
                                  .memory = COMPILER_MEMORY,
                                  .output = 16u << 20 } };
}

/* GCC goes through assembly (cc1 called directly), the others straight to an object file. */
static bool by_assembly(const CcJob *job) {
    return job->cc->kind == CC_GCC || job->cc->kind == CC_CC1 || job->until == CC_UNTIL_ASSEMBLY;
}

static const char *product(CcJob *job) {
    return file_join(&job->job.arena, job->dir, by_assembly(job) ? "program.s" : "program.o");
}

static const char *last_product(CcJob *job) {
    bool object = job->until == CC_UNTIL_OBJECT;
    return object ? file_join(&job->job.arena, job->dir, "program.o") : product(job);
}

static bool write_source(CcJob *job, const char *path, Str text) {
    Arena *arena = &job->job.arena;
    Error err;
    if (file_write(path, text, &err)) return true;
    job->verdict =
        (Verdict){ .kind = VERDICT_NONE, .detail = arena_str(arena, str_from(err.text)) };
    return false;
}

/* A file below the working directory, with the directories it needs. */
static bool write_below(CcJob *job, const char *name, Str text, const char **path) {
    Arena *arena = &job->job.arena;
    *path = file_join(arena, job->dir, name);
    const char *slash = strrchr(name, '/');
    Error err;
    if (slash &&
        !file_make_dirs(arena_fmt(arena, "%s/%.*s", job->dir, (int)(slash - name), name), &err)) {
        job->verdict = (Verdict){ VERDICT_NONE, .detail = arena_str(arena, str_from(err.text)) };
        return false;
    }
    return write_source(job, *path, text);
}

static bool write_files(CcJob *job) {
    const char *path;
    for (size_t i = 0; i < job->n_files; i++)
        if (!write_below(job, job->files[i].name, job->files[i].text, &path)) return false;
    return true;
}

static const char *unit_file(CcJob *job, size_t unit, const char *suffix) {
    Arena *arena = &job->job.arena;
    return file_join(arena, job->dir, arena_fmt(arena, "unit%zu%s", unit + 1, suffix));
}

static bool start_unit(CcJob *job, RunSpec *next) {
    const CcUnit *unit = &job->units[job->unit];
    const char *in, *out = unit_file(job, job->unit, ".o"), *name = unit->name;
    if (!name) name = arena_fmt(&job->job.arena, "unit%zu.c", job->unit + 1);
    if (!write_below(job, name, unit->source, &in)) return false;
    *next = compiler_spec(
        job, compiler_argv(&job->job.arena, unit->cc, CC_OBJECT, unit->flags, in, out));
    return true;
}

static bool start_compile(CcJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    job->dir = workdir_new(arena, "cc");
    const char *path = job->path;
    if (job->until == CC_UNTIL_RUN && job->cc->unrun) {
        job->verdict = (Verdict){ VERDICT_NONE, .detail = str_from(job->cc->unrun) };
        return false;
    }
    if (!write_files(job)) return false;
    if (job->n_units) return start_unit(job, next);
    if (!path && !write_below(job, job->name ? job->name : "program.c", job->source, &path))
        return false;
    CcGoal goal = by_assembly(job) ? CC_ASSEMBLY : CC_OBJECT;
    *next = compiler_spec(job, compiler_argv(arena, job->cc, goal, job->flags, path, product(job)));
    next->enough = job->enough;
    return true;
}

static bool link_units(CcJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    const char **objects = ARENA_ARRAY(arena, const char *, job->n_units + 1);
    for (size_t i = 0; i < job->n_units; i++) objects[i] = unit_file(job, i, ".o");
    const char *const *flags = flags_plus(arena, job->flags, job->link);
    job->rung = RUNG_LINK;
    *next = compiler_spec(job, compiler_command_n(arena, job->cc, CC_LINK, flags, objects,
                                                  file_join(arena, job->dir, "program")));
    return true;
}

static bool start_link(CcJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    bool object = job->until == CC_UNTIL_OBJECT; /* only cc1's assembly needs this then */
    const char *out = file_join(arena, job->dir, object ? "program.o" : "program");
    const char *const *flags = flags_plus(arena, job->flags, job->link);
    *next = compiler_spec(
        job, compiler_argv(arena, job->cc, object ? CC_OBJECT : CC_LINK, flags, product(job), out));
    return true;
}

static const char *in_dir(CcJob *job, const char *name) {
    return file_join(&job->job.arena, job->dir, name);
}

/* Without the driver where that means the same. */
static bool start_making(CcJob *job, RunSpec *next) {
    bool quick = job->until == CC_UNTIL_RUN && by_assembly(job) && !job->link &&
                 quick_link_fits(job->cc, job->flags);
    job->rung = quick ? RUNG_QUICK_AS : RUNG_LINK;
    if (!quick) return start_link(job, next);
    *next = compiler_spec(
        job, quick_link_assemble(&job->job.arena, job->cc, product(job), in_dir(job, "program.o")));
    return true;
}

static bool start_run(CcJob *job, RunSpec *next) {
    Arena *arena = &job->job.arena;
    double limit = job->run_s > 0 ? job->run_s : CC_RUN_S;
    const char *const load[] = { quick_link_loader(), "program.o", NULL }, *const run[] = {
        "./program", NULL
    };
    const char *const *reads, *const *argv = flags_plus(arena, job->rung == RUNG_LOAD ? load : run,
                                                        job->arguments);
    argv = foreign_argv(arena, job->cc, argv, &reads);
    *next = (RunSpec){ .argv = argv,
                       .dir = job->dir,
                       .reads = reads,
                       .env = job->run_env,
                       .input = job->input,
                       .profile = RUN_GENERATED,
                       .side = job->rung == RUNG_LOAD,
                       .limits = { .cpu_s = limit,
                                   .wall_s = 4 * limit + 5,
                                   .output = job->output,
                                   .memory = foreign_memory(job->cc,
                                                            job->unlimited ? RUN_UNLIMITED : 0) } };
    return true;
}

static Str hash_key(const CcJob *job) {
    return (Str){ (const char *)&job->code_hash, sizeof job->code_hash };
}

/* Is the code this compiler made the same as one already judged? */
static bool known_code(CcJob *job) {
    Str text;
    if ((!job->known && !job->runs) || !file_read(&job->job.arena, product(job), &text, NULL))
        return false;
    job->code_hash = str_hash128(text);
    return job->known && map_get(job->known, hash_key(job), NULL);
}

/* ---- runs of the same code ---- */
enum { MOST_KEPT = 1 << 16 }; /* bytes of output of a run that is remembered */

/* The driver's options may make it link more than the code. */
static bool runs_alike(const CcJob *job) {
    return job->runs && job->until == CC_UNTIL_RUN && !job->link &&
           (!by_assembly(job) || quick_link_fits(job->cc, job->flags));
}

static bool known_run(CcJob *job) {
    uint64_t at;
    if (!runs_alike(job) || !map_get(&job->runs->places, hash_key(job), &at)) return false;
    job->ran = job->runs->results.at[at];
    job->ran.cpu_s = job->ran.wall_s = 0;
    job->was_run = true;
    return true;
}

static void keep_run(CcJob *job, const RunResult *r) {
    CodeRuns *runs = job->runs;
    bool ended = r->end == RUN_EXITED || r->end == RUN_SIGNALED;
    if (!runs_alike(job) || !ended || r->out.len > MOST_KEPT ||
        !map_put(&runs->places, hash_key(job), runs->results.len))
        return;
    RunResult kept = *r;
    kept.out = arena_str(&runs->arena, r->out);
    kept.err = STR("");
    vec_push(&runs->results, kept);
}

void code_runs_release(CodeRuns *runs) {
    map_release(&runs->places);
    vec_release(&runs->results);
    arena_release(&runs->arena);
    *runs = (CodeRuns){ 0 };
}

/* After a successful rung: the next one, or the end. */
static bool climb(CcJob *job, RunSpec *next) {
    if (job->rung == RUNG_COMPILE && job->n_units)
        return ++job->unit < job->n_units ? start_unit(job, next) : link_units(job, next);
    if (job->rung == RUNG_COMPILE && job->until > CC_UNTIL_ASSEMBLY) {
        if (job->until == CC_UNTIL_OBJECT && !by_assembly(job)) return false;
        if (known_code(job)) {
            job->was_known = true;
            return false;
        }
        if (known_run(job)) {
            job->verdict.kind = judge_run(job, &job->ran);
            return false;
        }
        return start_making(job, next);
    }
    if (job->rung == RUNG_QUICK_AS && job->load && !job->cc->foreign && quick_link_loader()) {
        job->rung = RUNG_LOAD;
        return start_run(job, next);
    }
    if (job->rung == RUNG_QUICK_AS || job->rung == RUNG_LOAD) {
        job->rung = RUNG_QUICK_LD;
        *next =
            compiler_spec(job, quick_link_link(&job->job.arena, job->cc, in_dir(job, "program.o"),
                                               in_dir(job, "program")));
        return true;
    }
    if ((job->rung == RUNG_LINK || job->rung == RUNG_QUICK_LD) && job->until == CC_UNTIL_RUN) {
        job->rung = RUNG_RUN;
        return start_run(job, next);
    }
    return false;
}

static bool judge(CcJob *job, const RunResult *last, RunSpec *next) {
    if (job->rung == RUNG_COMPILE) {
        job->compiled = *last, job->compile_cpu += last->cpu_s;
        job->verdict = verdict_of_compile(&job->job.arena, last, hang_limit(job));
    } else if (job->rung == RUNG_LOAD && quick_link_gave_up(last)) {
        return climb(job, next);
    } else if (job->rung < RUNG_RUN && job->rung != RUNG_LOAD) {
        if (job->rung != RUNG_LINK && !run_ok(last)) {
            job->compile_cpu += last->cpu_s;
            job->rung = RUNG_LINK;
            return start_link(job, next);
        }
        job->linked = *last, job->compile_cpu += last->cpu_s;
        job->verdict.kind = judge_link(job, last);
    } else {
        job->ran = *last, job->run_cpu += last->cpu_s;
        job->verdict.kind = judge_run(job, last);
        keep_run(job, last);
        return false;
    }
    return job->verdict.kind == VERDICT_OK && climb(job, next);
}

static bool step(Job *base, const RunResult *last, RunSpec *next) {
    CcJob *job = (CcJob *)base;
    bool more = last ? judge(job, last, next) : start_compile(job, next);
    if (!more && job->dir) {
        if (job->until < CC_UNTIL_RUN && job->keep_product && job->verdict.kind == VERDICT_OK)
            file_read(&base->arena, last_product(job), &job->product, NULL);
        workdir_remove(job->dir);
        job->dir = NULL;
    }
    return more;
}

void cc_job_init(CcJob *job, const Compiler *cc, const char *const *flags, Str source,
                 CcUntil until) {
    *job = (CcJob){ .job = { .step = step },
                    .cc = cc,
                    .flags = flags,
                    .source = source,
                    .until = until,
                    .verdict = { .kind = VERDICT_NONE, .detail = STR("not run") } };
}

void cc_job_end(CcJob *job) {
    if (job->dir) workdir_remove(job->dir); /* it was cancelled */
    arena_release(&job->job.arena);
}

void cc_job_run(CcJob *job) {
    Pool *pool = pool_new(1);
    pool_submit(pool, &job->job);
    pool_next(pool);
    pool_free(pool);
}

bool cc_right_run(Arena *arena, Str compiler, Str good_flags, Str program, Str input, Str *output,
                  int64_t *code) {
    Compiler cc;
    const char *other = NULL;
    if (!compiler_open(arena, arena_cstr(arena, compiler), &cc, NULL)) return false;
    if (!good_flags.len) other = compiler_reference(arena, compiler, str_from(cc.target));
    if (!good_flags.len && (!other || !compiler_open(arena, other, &cc, NULL))) return false;
    CcJob job;
    cc_job_init(&job, &cc, flags_split(arena, other ? STR("-O0") : good_flags), program,
                CC_UNTIL_RUN);
    job.input = input;
    cc_job_run(&job);
    bool ok = job.verdict.kind == VERDICT_OK && job.ran.end == RUN_EXITED;
    if (ok) *output = arena_str(arena, job.ran.out), *code = job.ran.code;
    cc_job_end(&job);
    return ok;
}

/* Opening the two compilers and finding how the program fails. A GCC build directory has gcc/cc1
 * (and gcc/cc1-culprit where it was linked with culprit's runtime) with its own headers in
 * gcc/include; other builds contain the compiler under its usual name. */
#include "isolate/subject.h"
#include "base/file.h"
#include "base/toolchain.h"
#include "cfront/cfront.h"
#include "run/run.h"
#include "run/workdir.h"

#include <math.h>

/* ---- compilers ---- */
static const char *find_first(Arena *arena, const char *dir, const char *const *places) {
    for (; *places; places++) {
        const char *path = file_join(arena, dir, *places);
        if (file_exists(path) && !file_is_dir(path) && access(path, X_OK) == 0) return path;
    }
    return NULL;
}

static bool is_cplusplus(const char *path) {
    static const char *const ends[] = { ".cc", ".cpp", ".cxx", ".C", ".c++", ".ii" };
    for (size_t i = 0; path && i < COUNT_OF(ends); i++)
        if (str_ends(str_from(path), ends[i])) return true;
    return false;
}

static const char *find_instrumented(Arena *arena, const char *dir, const char *program) {
    static const char *const c[] = { "gcc/cc1-culprit", "gcc/cc1", "cc1-culprit", "cc1",
                                     "tcc-culprit",     "tcc",     "bin/clang",   "clang",
                                     "pcc/cc",          "cc",      NULL };
    static const char *const cplusplus[] = { "gcc/cc1plus-culprit",
                                             "gcc/cc1plus",
                                             "cc1plus-culprit",
                                             "cc1plus",
                                             "bin/clang++",
                                             "clang++",
                                             "c++",
                                             NULL };
    const char *found = is_cplusplus(program) ? find_first(arena, dir, cplusplus) : NULL;
    return found ? found : find_first(arena, dir, c);
}

static const char *directory_of(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return arena_fmt(arena, "%.*s", slash ? (int)(slash - path) : 0, path);
}

/* cc1 on its own does not know where its headers are; and the program is not compiled in its own
 * directory. */
static const char *const *base_flags(Arena *arena, const Compiler *cc, const char *program) {
    if (!program) program = "";
    const char **flags = ARENA_ARRAY(arena, const char *, 12);
    size_t n = 0;
    const char *cut = strrchr(program, '/');
    if (cc->kind != CC_TCC && cc->kind != CC_PCC)
        flags[n++] = "-iquote";
    else
        flags[n++] = "-I";
    flags[n++] =
        cut ? arena_fmt(arena, "%.*s", cut == program ? 1 : (int)(cut - program), program) : ".";
    char resolved[4096];
    if (realpath(flags[n - 1], resolved)) flags[n - 1] = arena_strdup(arena, resolved);
    if (cc->kind == CC_CC1) {
        const char *own = arena_fmt(arena, "%s/include", directory_of(arena, cc->path));
        if (file_is_dir(own)) {
            flags[n++] = "-isystem";
            flags[n++] = own;
        }
        if (file_is_dir(TOOLCHAIN_MULTIARCH)) {
            flags[n++] = "-isystem";
            flags[n++] = TOOLCHAIN_MULTIARCH;
        }
    } else if (cc->kind == CC_TCC) { /* a build, not an installation */
        const char *dir = directory_of(arena, cc->path);
        if (file_exists(arena_fmt(arena, "%s/libtcc1.a", dir)))
            flags[n++] = arena_fmt(arena, "-B%s", dir);
    }
    return flags;
}

/* The layouts that were written: of the compiler, or of the two programs it is made of. */
static bool take_layouts(Subject *s, const char *path, Error *err) {
    const char *paths[COV_PROGRAMS] = { path, arena_fmt(&s->arena, "%s.2", path) };
    bool ok = true;
    for (size_t i = 0; ok && i < COV_PROGRAMS && file_exists(paths[i]); i++) {
        Arena scratch = { 0 };
        Str text;
        ok = file_read(&scratch, paths[i], &text, err) && covmap_set_layout(&s->map, text, err);
        arena_release(&scratch);
    }
    s->mapping = ok && s->map.n_linked > 0;
    s->programs[0] = s->cov.path;
    if (s->map.n_linked == 2) {
        const char *dir = directory_of(&s->arena, s->cov.path);
        s->programs[0] = file_join(&s->arena, dir, "opt");
        s->programs[1] = file_join(&s->arena, dir, "llc");
    }
    return ok;
}

/* What the runtime says about itself, if the compiler has it. */
static bool read_layout(Subject *s, Error *err) {
    char *dir = workdir_new(&s->arena, "layout");
    const char *path = file_join(&s->arena, dir, "layout"), *in = file_join(&s->arena, dir, "t.c");
    const char *out = file_join(&s->arena, dir, "t.out");
    const char *const env[] = { arena_fmt(&s->arena, "CULPRIT_COVERAGE_LAYOUT=%s", path),
                                arena_fmt(&s->arena, "GCOV_PREFIX=%s", dir), NULL };
    bool ok = file_write(in, STR("int x;\n"), err);
    CcGoal goal = s->cov.kind == CC_TCC ? CC_OBJECT : CC_ASSEMBLY;
    RunSpec spec = { .argv = compiler_argv(&s->arena, &s->cov, goal, s->base, in, out),
                     .dir = dir,
                     .env = env,
                     .limits = { .wall_s = 60 } };
    Arena scratch = { 0 };
    if (ok) run_one(&scratch, &spec);
    arena_release(&scratch);
    ok = ok && take_layouts(s, path, err);
    workdir_remove(dir);
    return ok;
}

bool subject_open(Subject *s, const SubjectSpec *spec, Error *err) {
    *s = (Subject){ 0 };
    if (spec->program.len)
        s->source = arena_str(&s->arena, spec->program);
    else if (!file_read(&s->arena, spec->path, &s->source, err))
        return false;
    if (!file_is_dir(spec->coverage))
        return err_set(err, STATUS_BAD, "%s: not a directory: --coverage wants a build directory",
                       spec->coverage);
    const char *program = find_instrumented(&s->arena, spec->coverage, spec->path);
    if (!program)
        return err_set(err, STATUS_BAD,
                       "%s: no compiler in it that culprit knows (gcc/cc1, tcc, bin/clang)",
                       spec->coverage);
    const char *name = file_name(program);
    if (is_cplusplus(spec->path) && strncmp(name, "cc1", 3) == 0 && !strstr(name, "cc1plus"))
        return err_set(err, STATUS_BAD,
                       "%s is C++, and the build with coverage compiles only C: %s has no "
                       "gcc/cc1plus",
                       spec->path, spec->coverage);
    if (!compiler_open(&s->arena, program, &s->cov, err)) return false;
    if (!compiler_open(&s->arena, spec->cc ? spec->cc : program, &s->cc, err)) return false;
    if (spec->ref) {
        if (!compiler_open(&s->arena, spec->ref, &s->ref, err)) return false;
        s->has_ref = true;
    }
    s->input = arena_str(&s->arena, spec->input);
    s->base = base_flags(&s->arena, &s->cov, spec->path);
    s->beside = flags_plus(&s->arena, (const char *const[]){ s->base[0], s->base[1], NULL }, NULL);
    bool loaded = spec->headers ? covmap_load(&s->map, spec->coverage, err)
                                : covmap_load_ranked(&s->map, spec->coverage, err);
    return loaded && read_layout(s, err);
}

void subject_free(Subject *s) {
    covmap_free(&s->map);
    code_runs_release(&s->runs);
    arena_release(&s->arena);
}

const char *const *subject_flags(Subject *s, Arena *arena, const char *const *flags) {
    return flags_plus(arena, s->base, flags);
}

const char *const *subject_clang(Subject *s) {
    /* headers define these themselves for clang, so only if they are missing */
    static const char *const types[] = { "-D_Float32=float",       "-D_Float64=double",
                                         "-D_Float32x=double",     "-D_Float64x=long double",
                                         "-D_Float128=__float128", NULL };
    if (s->clang) return s->clang;
    const char *const plain[] = { "-w", s->base[0], s->base[1], NULL };
    s->clang = flags_plus(&s->arena, plain, NULL);
    const char *const *more = flags_plus(&s->arena, plain, types);
    for (int with = 0; with < 2; with++) {
        Arena scratch = { 0 };
        CfrontOptions opts = { .args = with ? more : s->clang };
        bool reads = cfront_parse(&scratch, s->source, &opts, NULL) != NULL;
        arena_release(&scratch);
        if (reads) return s->clang = opts.args;
    }
    return s->clang;
}

/* ---- how it fails ---- */
/* The text of a verdict that has to outlive its job. */
static Verdict keep_verdict(Arena *arena, const Verdict *v) {
    Verdict copy = *v;
    Str *texts[] = { &copy.crash.message, &copy.crash.place,     &copy.crash.pass,
                     &copy.crash.frames,  &copy.crash.signature, &copy.detail };
    for (size_t i = 0; i < COUNT_OF(texts); i++) *texts[i] = arena_str(arena, *texts[i]);
    return copy;
}

static const char *const *split(Subject *s, const char *text) {
    return text ? (const char *const *)flags_split(&s->arena, str_from(text)) : NULL;
}

/* Compiles (and runs) with one set of flags. */
typedef struct SubjectRun {
    Verdict verdict;
    Str out;
    int code;   /* exit status; -1: none */
    bool ended; /* it was run and ended by an exit status */
    Symptom symptom;
} SubjectRun;

static SubjectRun try_once(Subject *s, const Compiler *cc, const char *const *flags, bool run,
                           bool compare) {
    CcJob job;
    cc_job_init(&job, cc, flags, s->source, run ? CC_UNTIL_RUN : CC_UNTIL_ASSEMBLY);
    job.compile_s = s->compile_s;
    job.run_s = s->run_s;
    job.load = true;
    job.input = s->input;
    job.compare = compare;
    job.expected = s->expected;
    job.code = s->code;
    if (s->cov.kind == CC_TCC && !run) job.until = CC_UNTIL_OBJECT;
    cc_job_run(&job);
    bool exited = job.ran.end == RUN_EXITED;
    SubjectRun r = { keep_verdict(&s->arena, &job.verdict), arena_str(&s->arena, job.ran.out),
                     exited ? job.ran.code : -1, job.verdict.kind == VERDICT_OK && exited,
                     symptom_of_job(&s->arena, &job) };
    if (s->pass_s == 0) s->pass_s = job.compile_cpu;
    if (s->run_s == 0 && run) s->run_s = fmax(RUN_LEAST, RUN_FACTOR * job.run_cpu);
    if (cc == &s->cc && r.verdict.kind == VERDICT_REJECTED && !s->refused.len)
        s->refused = r.verdict.detail.len ? r.verdict.detail : STR("it is rejected");
    cc_job_end(&job);
    return r;
}

static bool failing(VerdictKind kind) {
    return kind == VERDICT_CRASH || kind == VERDICT_HANG;
}

/* The right run, with the passing options or the other compiler. False: there is none. */
static bool right_run(Subject *s) {
    SubjectRun r = try_once(s, s->has_ref ? &s->ref : &s->cc, s->pass, true, false);
    if (failing(r.verdict.kind))
        s->note = str_from(arena_fmt(
            &s->arena, "%s %s with " STR_FMT ", too", s->has_ref ? s->ref.name : s->cc.name,
            r.verdict.kind == VERDICT_HANG ? "hangs" : "crashes", STR_ARG(s->pass_text)));
    s->expected = r.out;
    s->code = r.code;
    return r.ended;
}

/* Whether it crashes before any code is generated. */
static bool is_front_end(Subject *s, const char *const *flags, const SubjectRun *r) {
    static const char *const syntax[] = { "-fsyntax-only", NULL };
    bool knows = s->cc.kind == CC_GCC || s->cc.kind == CC_CC1 || s->cc.kind == CC_CLANG;
    if (!knows || r->verdict.kind != VERDICT_CRASH) return false;
    SubjectRun only = try_once(s, &s->cc, flags_plus(&s->arena, flags, syntax), false, false);
    return symptom_same(&r->symptom, &only.symptom);
}

/* CPU seconds that the program takes where it does not hang: with the passing options or, where it
 * hangs with them too, in the front end alone; 0: not known. */
static double without_hang(Subject *s) {
    static const char *const syntax[] = { "-fsyntax-only", NULL };
    if (s->pass_s < s->compile_s / 2) return s->pass_s;
    double pass_s = s->pass_s;
    s->pass_s = 0;
    SubjectRun r = try_once(s, &s->cc, flags_plus(&s->arena, s->fail, syntax), false, false);
    double front_s = r.verdict.kind == VERDICT_HANG ? 0 : s->pass_s;
    s->pass_s = pass_s;
    return front_s;
}

static bool set_failure(Subject *s, const char *const *level, const SubjectRun *r) {
    Verdict v = r->verdict;
    s->fail = subject_flags(s, &s->arena, level);
    s->fail_text = flags_join(&s->arena, level);
    s->failure = v;
    s->want = r->symptom;
    s->front_end = is_front_end(s, s->fail, r);
    bool gcc = s->cc.kind == CC_GCC || s->cc.kind == CC_CC1;
    if (gcc && v.kind == VERDICT_CRASH && v.crash.place.len && str_starts(v.crash.message, "in "))
        s->enough = "internal compiler error: in ";
    double without = v.kind == VERDICT_HANG ? without_hang(s) : 0;
    if (without > 0) s->compile_s = fmin(s->compile_s, fmax(HANG_LEAST, HANG_FACTOR * without));
    return true;
}

/* One set of options: whether the program fails with it, and how. */
static bool fails_with(Subject *s, const char *const *options, bool runnable) {
    const char *const *flags = subject_flags(s, &s->arena, options);
    SubjectRun r = try_once(s, &s->cc, flags, false, false);
    if (failing(r.verdict.kind)) return set_failure(s, options, &r);
    if (r.verdict.kind != VERDICT_OK || !runnable) return false;
    r = try_once(s, &s->cc, flags, true, true);
    return r.verdict.kind == VERDICT_WRONG && set_failure(s, options, &r);
}

/* Without --pass: the failing options with -O0 as their level. */
static const char *const *lowest(Subject *s, const char *const *fail) {
    const char *const zero[] = { "-O0", NULL };
    VEC(const char *) kept = { 0 };
    for (; fail && *fail; fail++)
        if (strncmp(*fail, "-O", 2) != 0) vec_push(&kept, *fail);
    vec_push(&kept, NULL);
    const char *const *flags = flags_plus(&s->arena, kept.at, s->cc.levels ? zero : NULL);
    vec_release(&kept);
    return flags;
}

static void choose_pass(Subject *s, const SubjectSpec *spec) {
    const char *const *options = spec->pass   ? split(s, spec->pass)
                                 : s->has_ref ? split(s, "")
                                              : lowest(s, split(s, spec->fail));
    s->pass = s->has_ref ? options : subject_flags(s, &s->arena, options);
    s->pass_text = flags_join(&s->arena, options);
}

/* With the given options, or at the first level with which it fails. */
static bool fails_somewhere(Subject *s, const SubjectSpec *spec, bool runnable) {
    if (spec->fail) return fails_with(s, split(s, spec->fail), runnable);
    const char *const none[] = { NULL };
    if (!s->cc.levels) return fails_with(s, none, runnable);
    for (const char *const *level = cc_levels; *level && !run_interrupted(); level++) {
        const char *const one[] = { *level, NULL };
        if (fails_with(s, (const char *const *)flags_plus(&s->arena, one, NULL), runnable))
            return true;
    }
    return false;
}

/* ---- wrong with both options: the other compilers ---- */
typedef struct Opinion {
    Compiler cc;
    const char *const *flags;
    SubjectRun run;
} Opinion;

static bool same_run(const SubjectRun *a, const SubjectRun *b) {
    return a->code == b->code && str_eq(a->out, b->out);
}

/* cc1 of GCC 11 and gcc-11 are one compiler. */
static bool same_compiler(const Compiler *a, const Compiler *b) {
    bool gcc = (a->kind == CC_GCC || a->kind == CC_CC1) && (b->kind == CC_GCC || b->kind == CC_CC1);
    return (gcc || a->kind == b->kind) && strcmp(a->version, b->version) == 0;
}

/* What most of the other installed compilers say the program does. If any of them has an answer,
 * and it is not this compiler's, they become the reference. */
static bool find_reference(Subject *s, Str *asked) {
    CompilerVec found = { 0 };
    VEC(Opinion) all = { 0 };
    Buf names = { 0 };
    compilers_find(&s->arena, s->cc.target, &found);
    for (size_t i = 0; i < found.len && !run_interrupted(); i++) {
        if (same_compiler(&found.at[i], &s->cc)) continue;
        Opinion o = { found.at[i],
                      flags_plus(&s->arena, cc_tolerant(found.at[i].kind), NULL),
                      { .code = -1 } };
        buf_fmt(&names, "%s%s", names.len ? ", " : "", o.cc.name);
        o.run = try_once(s, &o.cc, o.flags, true, false);
        if (o.run.ended) vec_push(&all, o);
    }
    size_t best = 0, votes = 0;
    for (size_t i = 0; i < all.len; i++) {
        size_t n = 0;
        for (size_t k = 0; k < all.len; k++) n += same_run(&all.at[i].run, &all.at[k].run);
        if (n > votes) votes = n, best = i;
    }
    if (votes) {
        s->ref = all.at[best].cc;
        s->has_ref = true;
        s->pass = all.at[best].flags;
        s->pass_text = STR("");
        s->expected = all.at[best].run.out;
        s->code = all.at[best].run.code;
    }
    *asked = arena_str(&s->arena, buf_view(&names));
    buf_release(&names);
    vec_release(&all);
    vec_release(&found);
    return votes > 0;
}

/* Why there is no failure, in words that fit what happened. */
static bool no_failure(Subject *s, const SubjectSpec *spec, Str asked, Error *err) {
    const char *name = spec->path ? spec->path : "the program", *with = spec->fail ? spec->fail
                                                                        : s->cc.levels
                                                                            ? "any level"
                                                                            : "no option";
    if (run_interrupted())
        return err_set(err, STATUS_INTERRUPTED, "interrupted before it was known whether %s fails",
                       name);
    if (run_out_of_time())
        return err_set(err, STATUS_NO, "out of time before it was known whether %s fails", name);
    if (s->refused.len)
        return err_set(err, STATUS_BAD, "%s: %s refuses it: " STR_FMT "%s", name, s->cc.name,
                       STR_ARG(s->refused),
                       spec->cc ? "" : " (--cc names a compiler that finds its headers)");
    if (asked.len)
        return err_set(err, STATUS_NO,
                       "%s: does not fail with %s %s: the passing options (" STR_FMT
                       ") give the same, and so do " STR_FMT "%s",
                       name, s->cc.name, with, STR_ARG(s->pass_text), STR_ARG(asked),
                       spec->fail && s->cc.levels ? " (without --fail all levels are tried)" : "");
    return err_set(err, STATUS_NO, "%s: does not fail with %s %s%s%s", name, s->cc.name, with,
                   s->has_ref ? " as against " : "", s->has_ref ? s->ref.name : "");
}

bool subject_find_failure(Subject *s, const SubjectSpec *spec, Error *err) {
    s->compile_s = spec->hang_s > 0 ? spec->hang_s : HANG_FIRST;
    choose_pass(s, spec);
    bool runnable = right_run(s);
    if (fails_somewhere(s, spec, runnable)) return true;
    Str asked = { 0 }, passing = s->pass_text;
    if (!s->has_ref && !s->refused.len && !run_interrupted() && find_reference(s, &asked)) {
        if (fails_somewhere(s, spec, true)) {
            const char *too =
                passing.len ? arena_fmt(&s->arena, " with " STR_FMT ", too", STR_ARG(passing)) : "";
            s->note = str_from(arena_fmt(&s->arena, "%s fails%s: %s says what is right", s->cc.name,
                                         too, s->ref.name));
            return true;
        }
        s->pass_text = passing;
    }
    return no_failure(s, spec, asked, err);
}

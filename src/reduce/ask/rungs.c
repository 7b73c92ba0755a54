/* See rungs.h: what each rung of a question runs, and how it judges that. */
#include "reduce/ask/rungs.h"

#include "base/file.h"
#include "reduce/reduce_knobs.h"
#include "run/workdir.h"
#include "tree/words.h"
#include <math.h>

/* What a candidate must not be warned about where it is going to be run: each is a way to undefined
 * behaviour that no sanitizer detects. Unused if the start itself does not compile with them. */
const char *const rungs_strict[] = {
    "-Werror=implicit-function-declaration",
    "-Werror=implicit-int",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-Werror=return-type",
    "-Werror=format",
    "-Werror=uninitialized",
    NULL,
};

/* The same for C++, which refuses the rest by itself. */
static const char *const strict_cxx[] = {
    "-Werror=return-type",
    "-Werror=format",
    "-Werror=uninitialized",
    NULL,
};

/* What compilers of today refuse and older ones only warn about: a report of a crash on such a
 * program is one on invalid code. */
const char *const rungs_modern[] = {
    "-Werror=implicit-function-declaration",
    "-Werror=implicit-int",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    NULL,
};

/* Similar things that only some compilers warn about: a status or arguments that are whatever a
 * register holds (`void main`, `exit()`, a call of `f()` with too many arguments). */
static const char *const lint_clang[] = {
    "-Wno-everything",
    "-Werror=main",
    "-Werror=main-return-type",
    "-Werror=incompatible-library-redeclaration",
    "-Werror=deprecated-non-prototype",
    "-Werror=zero-length-array", /* no sanitizer checks what lies beyond one */
    "-Werror=array-bounds",
    "-Werror=implicit-function-declaration",
    "-Werror=implicit-int",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-Werror=return-type",
    "-Werror=format",
    "-Werror=uninitialized",
    NULL,
};
static const char *const lint_gcc[] = {
    "-Werror=main",
    "-Werror=builtin-declaration-mismatch",
    NULL,
};

/* ---- answers ---- */
static RungEnd say_no(Asking *a, const char *why) {
    a->interesting = false;
    a->why = str_from(why);
    return RUNG_ANSWERED;
}

static RungEnd saw(Asking *a, const Symptom *seen) {
    a->seen = *seen;
    a->has_seen = true;
    return RUNG_UP;
}

/* Is what was seen the same failure as the start's? */
static RungEnd is_wanted(Asking *a, const Symptom *seen) {
    const Property *o = a->property;
    saw(a, seen);
    bool same = o->want.kind == VERDICT_NONE || o->test.any_failure
                    ? seen->kind != VERDICT_OK && seen->kind != VERDICT_NONE
                    : symptom_same(&o->want, seen);
    return same ? RUNG_UP : say_no(a, symptom_text(a->arena, seen));
}

/* ---- directories and commands ---- */
static RungEnd prepare(Asking *a) {
    if (a->dir) return RUNG_UP;
    a->temp = workdir_new(a->arena, "test");
    a->dir = file_join(a->arena, a->temp, "candidate");
    const char *tmp = file_join(a->arena, a->temp, "tmp");
    Error err = { 0 };
    bool ok = file_make_dirs(a->dir, &err) && file_make_dirs(tmp, &err) &&
              fileset_write(a->property->files, a->dir, a->text, &err);
    return ok ? RUNG_UP : say_no(a, arena_strdup(a->arena, err.text));
}

static double timeout_of(const Property *o) {
    if (o->test.timeout > 0) return o->test.timeout;
    if (!o->begun) return REDUCE_TIMEOUT;
    return fmin(fmax(o->took_s * REDUCE_TIMEOUT_TIMES, REDUCE_TIMEOUT_LEAST), REDUCE_TIMEOUT);
}

double property_run_limit(const Property *o, double start) {
    if (!o->begun && !o->endless) return 0;
    double limit = fmax(start * REDUCE_RUN_TIMES, REDUCE_RUN_LEAST);
    return limit > 1 ? ceil(limit) : limit;
}

bool property_many(const Property *o) {
    return o->files->list.len > 1;
}

/* Bytes that a process and its children may write: a program that writes without end is as good as
 * one that hangs, but needs seconds of CPU time before a limit of time ends it, or the script's
 * own. RUN_UNLIMITED: as many as it likes. */
static uint64_t written_limit(const Property *o) {
    bool known = o->begun && o->wrote && o->test.timeout <= 0;
    uint64_t most =
        o->test.kind == TEST_SCRIPT && o->now.written < o->wrote ? o->now.written : o->wrote;
    return known ? (uint64_t)((double)most * REDUCE_WRITE_TIMES) + REDUCE_WRITE_MORE
                 : RUN_UNLIMITED;
}

static RungEnd run_user(const Asking *a, const char *const *argv, RunSpec *next) {
    const char **env = ARENA_ARRAY(a->arena, const char *, 4);
    env[0] = arena_fmt(a->arena, "TMPDIR=%s/tmp", a->temp);
    env[1] = "LC_ALL=C";
    *next = (RunSpec){ .argv = argv,
                       .dir = a->dir,
                       .env = env,
                       .profile = RUN_USER,
                       .limits = { .wall_s = timeout_of(a->property),
                                   .output = REDUCE_OUTPUT_BYTES,
                                   .file_size = REDUCE_FILE_BYTES,
                                   .processes = 256,
                                   .written = written_limit(a->property) } };
    return RUNG_MORE;
}

static RungEnd run_program(const Asking *a, const char *program, RunSpec *next) {
    const char **argv = ARENA_ARRAY(a->arena, const char *, 2);
    argv[0] = arena_fmt(a->arena, "%s/%s", a->dir, program);
    *next = (RunSpec){ .argv = argv,
                       .dir = a->dir,
                       .input = a->property->test.input,
                       .profile = RUN_GENERATED,
                       .limits = { .cpu_s = property_run_limit(a->property, a->property->ran_s) } };
    return RUNG_MORE;
}

typedef VEC(const char *) RungWords;

static const char **words_end(const Asking *a, RungWords *words) {
    vec_push(words, (const char *)NULL);
    const char **copy = arena_copy(a->arena, words->at, words->len * sizeof *words->at);
    vec_release(words);
    return copy;
}

static void add_all(RungWords *words, const char *const *more) {
    for (; more && *more; more++) vec_push(words, *more);
}

/* The names of the files that are compiled. */
static void add_units(const Asking *a, RungWords *words) {
    const FileSet *set = a->property->files;
    for (size_t i = 0; i < set->list.len; i++)
        if (set->list.at[i].unit && !set->list.at[i].gone) vec_push(words, set->list.at[i].name);
}

/* The program's place in a command: {}, or -, as for one that is read from standard input. */
static bool is_place(const char *const *command, const char *const *word) {
    bool output = word > command && strcmp(word[-1], "-o") == 0;
    return strcmp(*word, "{}") == 0 || (strcmp(*word, "-") == 0 && !output);
}

/* The command with the candidate's names: in their place, else at the end; then `more`. Without -w
 * where warnings must be errors: it silences those as well. */
static const char **with_files(const Asking *a, const char *const *command, bool warned,
                               const char *const *more) {
    RungWords words = { 0 };
    bool placed = false;
    for (const char *const *word = command; *word; word++) {
        if (warned && strcmp(*word, "-w") == 0) continue;
        bool here = is_place(command, word);
        placed |= here;
        if (here)
            add_units(a, &words);
        else
            vec_push(&words, *word);
    }
    if (!placed) add_units(a, &words);
    add_all(&words, more);
    return words_end(a, &words);
}

/* ---- a script ---- */
/* CPU seconds of any one process of a script, and with a little more of all together: bounded by
 * what the whole test took on the program as it is now, and at most on the start. 0: none, as for
 * users who set --timeout. */
static double script_limit(const Property *o) {
    if (!o->begun || o->test.timeout > 0) return 0;
    return fmin(o->now.cpu_s, o->ran_s) * REDUCE_SCRIPT_TIMES;
}

/* limit 0: none, but what its processes use is still measured. A process that was seen to use so
 * much may have used a look more than that. */
static void limit_time(const Property *o, double limit, RunLimits *limits) {
    limits->tree_cpu_s = limit > 0 ? limit + REDUCE_SCRIPT_MORE : REDUCE_TIMEOUT * 1000;
    if (limit <= 0) return;
    double each = fmin(o->now.each_s, o->each_s) * REDUCE_SCRIPT_TIMES + REDUCE_SCRIPT_EACH;
    limits->cpu_s = ceil(limit);
    if (each < limit) limits->each_cpu_s = each;
}

/* A candidate whose programs do not end is abandoned long before the script's own limit. A yes that
 * took that long could come from a program that we ended: it is tested again without the limit. */
RungEnd rung_script(Asking *a, const RunResult *last, RunSpec *next) {
    double limit = script_limit(a->property);
    if (last) {
        bool doubtful = a->tries++ == 0 && limit > 0 && run_ok(last) && last->cpu_s >= ceil(limit);
        a->took = (Effort){ last->cpu_s, last->each_cpu_s, last->written };
        a->endless = last->end == RUN_TIMEOUT || last->end == RUN_OVERFLOW;
        if (!doubtful) return run_ok(last) ? RUNG_UP : say_no(a, run_describe(a->arena, last));
        workdir_remove(a->temp);
        a->temp = a->dir = NULL;
    }
    if (prepare(a) != RUNG_UP) return RUNG_ANSWERED;
    const char **argv = ARENA_ARRAY(a->arena, const char *, 2);
    argv[0] = a->property->script;
    run_user(a, argv, next);
    limit_time(a->property, last ? 0 : limit, &next->limits);
    return RUNG_MORE;
}

/* ---- a command that compiles ---- */
static bool matches(const Property *o, const RunResult *r) {
    return regexec(&o->message, r->err.at ? r->err.at : "", 0, NULL, 0) == 0 ||
           regexec(&o->message, r->out.at ? r->out.at : "", 0, NULL, 0) == 0;
}

/* A command that ended by itself, not by a limit of ours. */
static bool ended(const RunResult *r) {
    return r->end == RUN_EXITED || r->end == RUN_SIGNALED;
}

static RungEnd judge_message(Asking *a, const RunResult *r) {
    bool said = ended(r) && matches(a->property, r);
    a->rejected = !said && !run_ok(r);
    if (a->property->passing)
        return run_ok(r) && !said ? RUNG_UP : say_no(a, "it fails, or writes the message as well");
    return said ? RUNG_UP : say_no(a, "the message is not there");
}

static RungEnd judge_compiler(Asking *a, const RunResult *r) {
    Property *o = a->property;
    Symptom seen = symptom_of_compile(a->arena, r, o->hang_s);
    a->rejected = seen.kind == VERDICT_REJECTED;
    if (o->passing) return run_ok(r) ? RUNG_UP : say_no(a, run_describe(a->arena, r));
    VerdictKind kind = o->test.kind == TEST_HANGS ? VERDICT_HANG : VERDICT_CRASH;
    if (o->has_message) { /* what the user says it is */
        bool fails = ended(r) && !run_ok(r) && matches(o, r);
        saw(a, &seen);
        return fails ? RUNG_UP
                     : say_no(a, seen.kind == kind ? "a crash with another message"
                                                   : symptom_text(a->arena, &seen));
    }
    if (seen.kind != kind) return say_no(a, symptom_text(a->arena, &seen));
    return is_wanted(a, &seen);
}

RungEnd rung_compile(Asking *a, const RunResult *last, RunSpec *next) {
    Property *o = a->property;
    if (last) return o->test.kind == TEST_SAYS ? judge_message(a, last) : judge_compiler(a, last);
    if (prepare(a) != RUNG_UP) return RUNG_ANSWERED;
    run_user(a, with_files(a, o->words[0], false, NULL), next);
    if (o->test.kind == TEST_HANGS) {
        next->limits.cpu_s = o->hang_s;
        next->limits.wall_s = 8 * o->hang_s + 20;
    }
    return RUNG_MORE;
}

/* ---- two commands that build programs ---- */
static RungEnd build(Asking *a, int which, const char *program, RunSpec *next) {
    if (prepare(a) != RUNG_UP) return RUNG_ANSWERED;
    RungWords more = { 0 };
    const Property *o = a->property;
    bool strict = which == 0 && o->strict && (o->c || o->cxx);
    if (strict) add_all(&more, o->c ? rungs_strict : strict_cxx);
    vec_push(&more, "-o");
    vec_push(&more, program);
    if (o->c || o->cxx) vec_push(&more, "-lm");
    return run_user(a, with_files(a, o->words[which], strict, words_end(a, &more)), next);
}

RungEnd rung_build_right(Asking *a, const RunResult *last, RunSpec *next) {
    if (!last) return build(a, 0, "a.out", next);
    a->rejected = !run_ok(last);
    return run_ok(last) ? RUNG_UP : say_no(a, "the compiler that should be right refuses it");
}

RungEnd rung_run_right(Asking *a, const RunResult *last, RunSpec *next) {
    if (!last) return run_program(a, "a.out", next);
    if (last->end != RUN_EXITED)
        return say_no(
            a, arena_fmt(a->arena, "compiled the right way: %s", run_describe(a->arena, last)));
    a->right = last->out, a->code = last->code;
    a->has_right = true;
    return RUNG_UP;
}

RungEnd rung_build_wrong(Asking *a, const RunResult *last, RunSpec *next) {
    if (!last) return build(a, 1, "b.out", next);
    a->rejected = !run_ok(last);
    return run_ok(last) ? RUNG_UP : say_no(a, "the compiler that should be wrong refuses it");
}

RungEnd rung_run_wrong(Asking *a, const RunResult *last, RunSpec *next) {
    Property *o = a->property;
    if (!last) return run_program(a, "b.out", next);
    double limit = property_run_limit(o, o->ran_s);
    Symptom seen = symptom_of_run(a->arena, last, a->right, a->code,
                                  limit > 0 ? limit : run_defaults(RUN_GENERATED).cpu_s);
    if (o->passing)
        return seen.kind == VERDICT_OK ? RUNG_UP : say_no(a, symptom_text(a->arena, &seen));
    return is_wanted(a, &seen);
}

/* ---- a failure that is known: its own ladder ---- */
static RungEnd judge_repro(Asking *a) {
    Property *o = a->property;
    ReproJob *j = &a->repro;
    a->rejected = j->rejected;
    a->has_right = j->has_right, a->right = arena_str(a->arena, j->right), a->code = j->code;
    if (!o->begun) o->ran_s = fmax(o->ran_s, j->right_cpu);
    Symptom seen = symptom_copy(a->arena, &j->seen);
    saw(a, &seen);
    const char *why = arena_cstr(a->arena, j->why);
    if (!o->passing) return j->fails ? RUNG_UP : say_no(a, why);
    return j->reached && j->seen.kind == VERDICT_OK ? RUNG_UP : say_no(a, why);
}

RungEnd rung_repro(Asking *a, const RunResult *last, RunSpec *next) {
    Property *o = a->property;
    if (!a->in_repro) {
        if (o->begun || o->endless) o->by.run_s = property_run_limit(o, o->ran_s);
        repro_job_init(&a->repro, &o->by);
        repro_job_program(&a->repro, fileset_repro(a->arena, o->files, &o->repro, a->text), false);
        a->repro.cured = o->insist && !o->passing;
        a->in_repro = true;
        last = NULL;
    }
    if (last) a->repro.job.cpu_s += last->cpu_s;
    if (a->repro.job.step(&a->repro.job, last, next)) return RUNG_MORE;
    return judge_repro(a);
}

/* ---- is it defined? ---- */
RungEnd rung_lint(Asking *a, const RunResult *last, RunSpec *next) {
    Property *o = a->property;
    const CleanTools *tools = &o->tools;
    if (!o->lint || !o->has_tools) return RUNG_UP;
    if (last) {
        a->rejected = !run_ok(last);
        return run_ok(last) ? RUNG_UP : say_no(a, "a compiler warns that it is undefined");
    }
    if (prepare(a) != RUNG_UP) return RUNG_ANSWERED;
    const Compiler *cc = tools->have_clang ? &tools->clang : &tools->gcc;
    const char *const *flags =
        flags_plus(a->arena, tools->have_clang ? lint_clang : lint_gcc, o->meant);
    RungWords units = { 0 };
    add_units(a, &units);
    const char *const *names = words_end(a, &units);
    return run_user(a, compiler_command_n(a->arena, cc, CC_SYNTAX, flags, names, NULL), next);
}

/* Begins the sanitizers' own ladder; their programs may run as long as the start's whole check
 * took. */
static void begin_clean(Asking *a) {
    Property *o = a->property;
    clean_job_init(&a->clean, &o->tools, a->text);
    a->clean.input = o->test.input;
    a->clean.flags = o->meant;
    a->clean.run_s = property_run_limit(o, o->check_s) / REDUCE_RUN_TIMES;
    a->in_clean = true;
}

/* One rung of it; false: it has its result. */
static bool climb_clean(Asking *a, const RunResult *last, RunSpec *next) {
    if (last) a->clean.job.cpu_s += last->cpu_s; /* no pool counts its time here */
    if (a->clean.job.step(&a->clean.job, last, next)) return true;
    Property *o = a->property;
    if (!o->begun) o->check_s = fmax(o->check_s, a->clean.cpu_s);
    a->undefined = a->clean.reported;
    return false;
}

static RungEnd not_clean(Asking *a) {
    a->unclean = true;
    return say_no(a, arena_fmt(a->arena, "not clean: " STR_FMT, STR_ARG(a->clean.why)));
}

RungEnd rung_clean(Asking *a, const RunResult *last, RunSpec *next) {
    Property *o = a->property;
    if (!a->in_clean) {
        if (!o->clean || !o->has_tools) return RUNG_UP;
        begin_clean(a);
        a->clean.compare = true;
        a->clean.expected = a->right;
        a->clean.code = a->code;
        if (o->begun && !o->thorough) a->clean.skip = o->seldom;
        last = NULL;
    }
    if (climb_clean(a, last, next)) return RUNG_MORE;
    if (a->clean.result == CLEAN_YES) return RUNG_UP;
    o->caught |= 1u << a->clean.tool;
    return not_clean(a);
}

/* A passing program that runs must end and be clean; one that cannot be built is let through. */
RungEnd rung_passing_clean(Asking *a, const RunResult *last, RunSpec *next) {
    const Property *o = a->property;
    if (!a->in_clean) {
        if (!o->clean || !o->has_tools || property_many(o) || !words_call_main(a->text))
            return RUNG_UP;
        begin_clean(a);
        a->clean.quick = true;
        last = NULL;
    }
    if (climb_clean(a, last, next)) return RUNG_MORE;
    return a->clean.result != CLEAN_NO && !a->clean.unended ? RUNG_UP : not_clean(a);
}

/* C++ and programs of several files: one build with the sanitizers of a compiler that has them. No
 * sanitizer of memory that was never written works here (C++ needs a library built with it); what
 * clang fills such variables with, and AddressSanitizer the heap, makes the program print something
 * else instead. */
static const char *sanitizing_compiler(Asking *a) {
    static const char *const cxx[] = { "clang++", "g++", NULL };
    const CleanTools *tools = &a->property->tools;
    if (!a->property->cxx) return tools->have_clang ? tools->clang.path : tools->gcc.path;
    for (const char *const *name = cxx; *name; name++)
        if (file_find_program(a->arena, *name)) return *name;
    return NULL;
}

RungEnd rung_build_sanitized(Asking *a, const RunResult *last, RunSpec *next) {
    static const char *const flags[] = { "-O0",
                                         "-g1",
                                         "-w",
                                         "-fsanitize=address,undefined",
                                         "-fno-sanitize=alignment",
                                         "-fno-sanitize-recover=all",
                                         NULL };
    static const char *const output[] = { "-o", "s.out", "-lm", NULL };
    if (!a->property->clean) return RUNG_UP;
    if (last) return run_ok(last) ? RUNG_UP : say_no(a, "does not build with sanitizers");
    const char *compiler = sanitizing_compiler(a);
    if (!compiler) return say_no(a, "no compiler with sanitizers is here");
    if (prepare(a) != RUNG_UP) return RUNG_ANSWERED;
    RungWords words = { 0 };
    vec_push(&words, compiler);
    add_all(&words, flags);
    if (strstr(file_name(compiler), "clang")) vec_push(&words, "-ftrivial-auto-var-init=pattern");
    add_all(&words, a->property->meant);
    add_units(a, &words);
    add_all(&words, output);
    return run_user(a, words_end(a, &words), next);
}

RungEnd rung_run_sanitized(Asking *a, const RunResult *last, RunSpec *next) {
    static const char *const env[] = { "ASAN_OPTIONS=detect_leaks=0:symbolize=0:exitcode=99",
                                       "UBSAN_OPTIONS=symbolize=0:exitcode=99", NULL };
    if (!a->property->clean) return RUNG_UP;
    if (!last) {
        run_program(a, "s.out", next);
        next->env = env;
        next->limits.memory = RUN_UNLIMITED;
        if (next->limits.cpu_s > 0) next->limits.cpu_s = ceil(next->limits.cpu_s * 4);
        return RUNG_MORE;
    }
    a->undefined = str_find(last->err, STR("runtime error: "), 0) != STR_NONE ||
                   str_find(last->err, STR("ERROR: AddressSanitizer"), 0) != STR_NONE;
    bool same = last->end == RUN_EXITED && last->code == a->code && str_eq(last->out, a->right);
    return same ? RUNG_UP : say_no(a, "not clean under the sanitizers");
}

/* See property.h. Each kind of test is a ladder; its rungs are listed in one step function. */
#include "reduce/property.h"
#include "base/file.h"
#include "reduce/reduce_knobs.h"
#include "run/workdir.h"
#include "tree/words.h"
#include <math.h>
#include <regex.h>

/* What a candidate must not be warned about where it is going to be run: each is a way to undefined
 * behaviour that no sanitizer sees. Left out when the start itself does not compile with them. */
static const char *const strict_flags[] = {
    "-Werror=implicit-function-declaration",
    "-Werror=implicit-int",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-Werror=return-type",
    "-Werror=format",
    "-Werror=uninitialized",
    NULL,
};

/* The like that only some compilers warn of: a status or arguments that are whatever a register
 * holds (`void main`, `exit()`, a call of `f()` with too much). */
static const char *const lint_clang[] = {
    "-Wno-everything",
    "-Werror=main",
    "-Werror=main-return-type",
    "-Werror=incompatible-library-redeclaration",
    "-Werror=deprecated-non-prototype",
    NULL,
};
static const char *const lint_gcc[] = {
    "-Werror=main",
    "-Werror=builtin-declaration-mismatch",
    NULL,
};

struct Property {
    PropertySpec spec;
    const char **words[2];    /* the commands, cut at blanks */
    const char *const *meant; /* those of the first that say what the program is: -D, -I, -std.. */
    regex_t message;
    bool has_message;
    Str signature; /* CRASH: of the start's crash; empty: any crash */
    bool strict;   /* DIFFERS: strict_flags are used */
    bool lint;     /* DIFFERS: lint_clang or lint_gcc are asked */
    bool clean;    /* CRASH, HANGS, passing side: a program with a main must be clean */
    CleanTools tools;
    bool has_tools;
    bool begun;     /* what the start takes is known */
    double took_s;  /* wall seconds of the slowest process on the start */
    double ran_s;   /* CPU seconds of that, or of another */
    double check_s; /* CPU seconds of the start's check for cleanness */
    char *text;     /* for property_describe */
    Arena arena;
};

static const char **cut_words(Arena *arena, const char *command) {
    VEC(const char *) words = { 0 };
    Str rest = str_from(command), word;
    while (str_split(&rest, ' ', &word))
        if (word.len) vec_push(&words, arena_cstr(arena, word));
    vec_push(&words, (const char *)NULL);
    const char **copy = arena_copy(arena, words.at, words.len * sizeof *words.at);
    vec_release(&words);
    return copy;
}

/* The words that say which program a text is, for every compiler that reads it. */
static const char *const *meaning(Arena *arena, const char *const *words) {
    static const char *const with[] = { "-D",      "-U",    "-I",    "-include", "-isystem",
                                        "-iquote", "-std=", "-ansi", NULL };
    VEC(const char *) kept = { 0 };
    for (; *words; words++)
        for (const char *const *w = with; *w; w++) {
            size_t len = strlen(*w);
            if (strncmp(*words, *w, len) != 0) continue;
            vec_push(&kept, *words);
            bool apart = !(*words)[len] && (*w)[len - 1] != '=' && strcmp(*w, "-ansi") != 0;
            if (apart && words[1]) vec_push(&kept, *++words);
            break;
        }
    vec_push(&kept, (const char *)NULL);
    const char *const *copy = arena_copy(arena, kept.at, kept.len * sizeof *kept.at);
    vec_release(&kept);
    return copy;
}

static bool open_commands(Property *o, Error *err) {
    const char *commands[] = { o->spec.command, o->spec.command2 };
    for (int i = 0; i < 2 && commands[i]; i++) {
        o->words[i] = cut_words(&o->arena, commands[i]);
        if (!o->words[i][0]) return err_set(err, STATUS_BAD, "an empty command");
        const char *found = file_find_program(&o->arena, o->words[i][0]);
        if (!found)
            return err_set(err, STATUS_LACKS,
                           "%s: no such program here; Debian's package of that "
                           "name may have it",
                           o->words[i][0]);
        if (strchr(o->words[i][0], '/')) o->words[i][0] = found; /* it is run elsewhere */
    }
    if (o->words[0]) o->meant = meaning(&o->arena, o->words[0]);
    return true;
}

static bool open_message(Property *o, Error *err) {
    if (!o->spec.message) return true;
    int bad = regcomp(&o->message, o->spec.message, REG_EXTENDED | REG_NOSUB);
    if (bad) {
        char why[128];
        regerror(bad, &o->message, why, sizeof why);
        return err_set(err, STATUS_BAD, "--message '%s': %s", o->spec.message, why);
    }
    o->has_message = true;
    return true;
}

static char *describe(Property *o) {
    const PropertySpec *s = &o->spec;
    const char *not = s->passing ? "does not fail: " : "";
    switch (s->kind) {
    case PROPERTY_SCRIPT: return arena_fmt(&o->arena, "%s exits with 0", s->script);
    case PROPERTY_CRASH:
        return arena_fmt(&o->arena, "%s%s crashes%s%s", not, s->command, s->message ? " with " : "",
                         s->message ? s->message : "");
    case PROPERTY_HANGS:
        return arena_fmt(&o->arena, "%s%s hangs for %.3g s", not, s->command, s->limit);
    case PROPERTY_MESSAGE: return arena_fmt(&o->arena, "%s%s says %s", not, s->command, s->message);
    case PROPERTY_DIFFERS:
        return arena_fmt(&o->arena, "%s%s and %s make it behave differently", not, s->command,
                         s->command2);
    }
    return "";
}

Property *property_new(const PropertySpec *spec, Error *err) {
    Property *o = mem_alloc(sizeof *o);
    o->spec = *spec;
    o->strict = spec->c;
    if (!(o->spec.limit > 0)) o->spec.limit = REDUCE_HANG;
    bool ok = open_commands(o, err) && open_message(o, err);
    if (ok && spec->kind == PROPERTY_SCRIPT) {
        char *path = realpath(spec->script, NULL);
        o->spec.script = path ? arena_strdup(&o->arena, path) : NULL;
        free(path);
        if (!o->spec.script || access(o->spec.script, X_OK))
            ok = err_set(err, STATUS_BAD, "%s: the test must be an executable file", spec->script);
    }
    if (ok && spec->kind == PROPERTY_DIFFERS && spec->c)
        ok = o->has_tools = o->lint = clean_tools_open(&o->arena, &o->tools, err);
    bool compiles = spec->kind == PROPERTY_CRASH || spec->kind == PROPERTY_HANGS;
    if (ok && compiles && spec->passing && spec->c) {
        Error none = { 0 }; /* without sanitizers this rung is left out */
        o->clean = o->has_tools = clean_tools_open(&o->arena, &o->tools, &none);
    }
    if (!ok) {
        property_free(o);
        return NULL;
    }
    o->text = describe(o);
    return o;
}

void property_free(Property *o) {
    if (!o) return;
    if (o->has_message) regfree(&o->message);
    arena_release(&o->arena);
    mem_free(o);
}

const char *property_describe(const Property *o) {
    return o->text;
}

bool property_sees_compiler(const Property *o) {
    return o->spec.kind != PROPERTY_SCRIPT;
}

void property_learn(Property *o, Str signature) {
    if (o->spec.kind == PROPERTY_CRASH && !o->has_message)
        o->signature = arena_str(&o->arena, signature);
}

void property_begin(Property *o) {
    o->begun = true;
}

bool property_relax(Property *o) {
    if (o->lint) {
        o->lint = false;
        return true;
    }
    bool was = (o->strict && o->spec.kind == PROPERTY_DIFFERS) || o->clean;
    o->strict = o->clean = false;
    return was;
}

/* ---- limits ---- */
static double timeout_of(const Property *o) {
    if (o->spec.timeout > 0) return o->spec.timeout;
    if (!o->begun) return REDUCE_TIMEOUT;
    return fmin(fmax(o->took_s * REDUCE_TIMEOUT_TIMES, REDUCE_TIMEOUT_LEAST), REDUCE_TIMEOUT);
}

/* CPU seconds of a run when the start took `start`; 0 before that is known: the runner's own. */
static double run_limit(const Property *o, double start) {
    return o->begun ? ceil(fmax(start * REDUCE_RUN_TIMES, REDUCE_RUN_LEAST)) : 0;
}

/* CPU seconds of any one process of a script; the start's whole test bounds what one of its
 * processes took. 0: none, as for users who set --timeout. */
static double script_limit(const Property *o) {
    if (!o->begun || o->spec.timeout > 0) return 0;
    return ceil(o->ran_s * REDUCE_SCRIPT_TIMES);
}

/* ---- one question ---- */
static bool answer(Asking *a, bool interesting, const char *why) {
    a->interesting = interesting;
    a->why = str_from(why);
    return false;
}

static bool prepare(Asking *a) {
    const PropertySpec *s = &a->property->spec;
    a->temp = workdir_new(a->arena, "test");
    a->dir = file_join(a->arena, a->temp, "candidate");
    const char *tmp = file_join(a->arena, a->temp, "tmp");
    Error err = { 0 };
    bool ok = file_make_dirs(a->dir, &err) && file_make_dirs(tmp, &err) &&
              file_write(file_join(a->arena, a->dir, s->name), a->text, &err);
    if (!ok) a->why = arena_str(a->arena, str_from(err.text));
    return ok;
}

static RunSpec user_command(const Asking *a, const char *const *argv) {
    const char **env = ARENA_ARRAY(a->arena, const char *, 4);
    env[0] = arena_fmt(a->arena, "TMPDIR=%s/tmp", a->temp);
    env[1] = "LC_ALL=C";
    return (RunSpec){ .argv = argv,
                      .dir = a->dir,
                      .env = env,
                      .profile = RUN_USER,
                      .limits = { .wall_s = timeout_of(a->property),
                                  .output = REDUCE_OUTPUT_BYTES,
                                  .file_size = REDUCE_FILE_BYTES,
                                  .processes = 256 } };
}

/* The command with the candidate's name: where it says {}, else at the end; then `more`. Without -w
 * where warnings are to be errors: it silences those, too. */
static const char **with_file(const Asking *a, const char *const *words, bool warned,
                              const char *const *more) {
    VEC(const char *) argv = { 0 };
    bool placed = false;
    for (; *words; words++) {
        if (warned && strcmp(*words, "-w") == 0) continue;
        bool here = strcmp(*words, "{}") == 0;
        placed |= here;
        vec_push(&argv, here ? a->property->spec.name : *words);
    }
    if (!placed) vec_push(&argv, a->property->spec.name);
    for (; more && *more; more++) vec_push(&argv, *more);
    vec_push(&argv, (const char *)NULL);
    const char **copy = arena_copy(a->arena, argv.at, argv.len * sizeof *argv.at);
    vec_release(&argv);
    return copy;
}

static bool matches(const Property *o, const RunResult *r) {
    return regexec(&o->message, r->err.at ? r->err.at : "", 0, NULL, 0) == 0 ||
           regexec(&o->message, r->out.at ? r->out.at : "", 0, NULL, 0) == 0;
}

/* A candidate whose programs do not end is given up long before the script's own limit. A yes that
 * took so long could come from a program that we ended: it is asked again without. */
static bool step_script(Asking *a, const RunResult *last, RunSpec *next) {
    double limit = script_limit(a->property);
    if (last) {
        bool doubtful = a->rung++ == 0 && limit > 0 && run_ok(last) && last->cpu_s >= limit;
        if (!doubtful) return answer(a, run_ok(last), run_describe(a->arena, last));
        asking_end(a);
    }
    if (!prepare(a)) return answer(a, false, "no place to write the candidate");
    const char **argv = ARENA_ARRAY(a->arena, const char *, 2);
    argv[0] = a->property->spec.script;
    *next = user_command(a, argv);
    if (!last) next->limits.cpu_s = limit;
    return true;
}

/* A command that ended by itself, not by a limit of ours. */
static bool ended(const RunResult *r) {
    return r->end == RUN_EXITED || r->end == RUN_SIGNALED;
}

static bool judge_crash(Asking *a, const RunResult *r) {
    Property *o = a->property;
    Crash crash = { 0 };
    bool crashed = ended(r) && !run_ok(r) &&
                   crash_read(a->arena, r->err, r->end == RUN_SIGNALED ? r->code : 0, &crash);
    a->rejected = !crashed && !run_ok(r) && r->end == RUN_EXITED;
    a->signature = crash.signature;
    if (o->spec.passing) return answer(a, run_ok(r), run_describe(a->arena, r));
    if (!crashed && !(o->has_message && matches(o, r) && !run_ok(r)))
        return answer(a, false, "no crash");
    if (o->has_message) return answer(a, matches(o, r), "a crash with another message");
    bool same = !o->signature.len || str_eq(o->signature, crash.signature);
    return answer(a, same,
                  arena_fmt(a->arena, "another crash: " STR_FMT, STR_ARG(crash.signature)));
}

static bool judge_message(Asking *a, const RunResult *r) {
    bool said = ended(r) && matches(a->property, r);
    a->rejected = !said && !run_ok(r);
    if (a->property->spec.passing) return answer(a, run_ok(r) && !said, "fails, or says it too");
    return answer(a, said, "the message is not there");
}

static bool judge_hang(Asking *a, const RunResult *r) {
    a->rejected = r->end == RUN_EXITED && r->code;
    if (a->property->spec.passing) return answer(a, run_ok(r), run_describe(a->arena, r));
    return answer(a, r->end == RUN_TIMEOUT, run_describe(a->arena, r));
}

/* ---- outputs that differ ---- */
static const char *program(const Asking *a, int which) {
    return arena_fmt(a->arena, "%s/%c.out", a->dir, which ? 'b' : 'a');
}

static bool compile_rung(Asking *a, int which, RunSpec *next) {
    VEC(const char *) more = { 0 };
    bool strict = which == 0 && a->property->strict;
    if (strict)
        for (const char *const *f = strict_flags; *f; f++) vec_push(&more, *f);
    vec_push(&more, "-o");
    vec_push(&more, program(a, which));
    vec_push(&more, "-lm");
    vec_push(&more, (const char *)NULL);
    *next = user_command(a, with_file(a, a->property->words[which], strict, more.at));
    vec_release(&more);
    return true;
}

static bool run_rung(Asking *a, int which, RunSpec *next) {
    const char **argv = ARENA_ARRAY(a->arena, const char *, 2);
    argv[0] = program(a, which);
    *next = (RunSpec){ .argv = argv,
                       .dir = a->dir,
                       .input = a->property->spec.input,
                       .profile = RUN_GENERATED,
                       .limits = { .cpu_s = run_limit(a->property, a->property->ran_s) } };
    return true;
}

static bool lint_rung(Asking *a, RunSpec *next) {
    const CleanTools *tools = &a->property->tools;
    const Compiler *cc = tools->have_clang ? &tools->clang : &tools->gcc;
    const char *const *flags =
        flags_plus(a->arena, tools->have_clang ? lint_clang : lint_gcc, a->property->meant);
    const char **argv = compiler_argv(a->arena, cc, CC_SYNTAX, flags, a->property->spec.name, NULL);
    *next = user_command(a, argv);
    return true;
}

static bool same_run(const RunResult *x, const RunResult *y) {
    return x->end == y->end && x->code == y->code && str_eq(x->out, y->out);
}

/* Begins the sanitizers' own ladder; their programs may run as long as the start's whole check
 * took.
 */
static void begin_clean(Asking *a) {
    Property *o = a->property;
    clean_job_init(&a->clean, &o->tools, a->text);
    a->clean.input = o->spec.input;
    a->clean.flags = o->meant;
    a->clean.run_s = run_limit(o, o->check_s) / REDUCE_RUN_TIMES;
    a->jobs = 1;
}

/* One rung of it; false: its result is there. */
static bool climb_clean(Asking *a, const RunResult *last, RunSpec *next) {
    if (last) a->clean.job.cpu_s += last->cpu_s; /* no pool counts for it here */
    if (a->clean.job.step(&a->clean.job, last, next)) return true;
    Property *o = a->property;
    if (!o->begun) o->check_s = fmax(o->check_s, a->clean.cpu_s);
    a->undefined = a->clean.reported;
    return false;
}

/* Hands the question on to the sanitizers. */
static bool step_clean(Asking *a, const RunResult *last, RunSpec *next) {
    if (!a->jobs) {
        if (!a->property->has_tools) return answer(a, true, "");
        begin_clean(a);
        a->clean.compare = true;
        a->clean.expected = a->first.out;
        a->clean.code = a->first.code;
        last = NULL;
    }
    if (climb_clean(a, last, next)) return true;
    return answer(a, a->clean.result == CLEAN_YES,
                  arena_fmt(a->arena, "not clean: " STR_FMT, STR_ARG(a->clean.why)));
}

/* Whether the text could be a program of its own: it has a main. */
static bool has_main(Str text) {
    for (size_t at = str_find(text, STR("main"), 0); at != STR_NONE;
         at = str_find(text, STR("main"), at + 1)) {
        size_t end = at + 4;
        while (end < text.len && (text.at[end] == ' ' || text.at[end] == '\n')) end++;
        if (end < text.len && text.at[end] == '(' && (!at || !words_is_letter(text.at[at - 1])))
            return true;
    }
    return false;
}

/* A passing program that runs must end and be clean; one that cannot be built is let through. */
static bool step_passing_clean(Asking *a, const RunResult *last, RunSpec *next) {
    if (!a->jobs) {
        begin_clean(a);
        a->clean.quick = true;
        last = NULL;
    }
    if (climb_clean(a, last, next)) return true;
    return answer(a, a->clean.result != CLEAN_NO && !a->clean.unended,
                  arena_fmt(a->arena, "not clean: " STR_FMT, STR_ARG(a->clean.why)));
}

static bool judge_command(Asking *a, const RunResult *last) {
    PropertyKind kind = a->property->spec.kind;
    if (kind == PROPERTY_CRASH) return judge_crash(a, last);
    return kind == PROPERTY_HANGS ? judge_hang(a, last) : judge_message(a, last);
}

static bool step_command(Asking *a, const RunResult *last, RunSpec *next) {
    const PropertySpec *s = &a->property->spec;
    if (a->jobs) return step_passing_clean(a, last, next);
    if (last) {
        judge_command(a, last);
        if (!a->interesting || !a->property->clean || !has_main(a->text)) return false;
        return step_passing_clean(a, NULL, next);
    }
    if (!prepare(a)) return answer(a, false, "no place to write the candidate");
    *next = user_command(a, with_file(a, a->property->words[0], false, NULL));
    if (s->kind == PROPERTY_HANGS) next->limits.wall_s = s->limit;
    return true;
}

static bool step_differs(Asking *a, const RunResult *last, RunSpec *next) {
    bool passing = a->property->spec.passing;
    switch (a->rung++) {
    case 0:
        if (!prepare(a)) return answer(a, false, "no place to write the candidate");
        return compile_rung(a, 0, next);
    case 1:
        a->rejected = !run_ok(last);
        if (!run_ok(last)) return answer(a, false, "the first compiler refuses it");
        return run_rung(a, 0, next);
    case 2:
        a->first = *last;
        if (last->end != RUN_EXITED) return answer(a, false, run_describe(a->arena, last));
        return compile_rung(a, 1, next);
    case 3:
        if (!run_ok(last)) return answer(a, false, "the second compiler refuses it");
        return run_rung(a, 1, next);
    case 4:
        if (same_run(&a->first, last) != passing)
            return answer(a, false, passing ? "behaves differently" : "behaves the same");
        if (last->end == RUN_CANCELLED || last->end == RUN_NOT_STARTED)
            return answer(a, false, run_describe(a->arena, last));
        if (a->property->lint) return lint_rung(a, next);
        last = NULL;
        break;
    case 5:
        if (!a->property->lint) break;
        a->rejected = !run_ok(last);
        if (!run_ok(last)) return answer(a, false, "a compiler warns that it is undefined");
        last = NULL;
        break;
    default: break;
    }
    return step_clean(a, last, next);
}

/* What the start's processes take bounds what the candidates' may. */
static void note_time(Property *o, const RunResult *last) {
    o->took_s = fmax(o->took_s, last->wall_s);
    o->ran_s = fmax(o->ran_s, last->cpu_s);
}

bool asking_step(Asking *a, const RunResult *last, RunSpec *next) {
    if (last && !a->property->begun) note_time(a->property, last);
    switch (a->property->spec.kind) {
    case PROPERTY_SCRIPT: return step_script(a, last, next);
    case PROPERTY_DIFFERS: return step_differs(a, last, next);
    default: return step_command(a, last, next);
    }
}

void asking_end(Asking *a) {
    if (a->temp) workdir_remove(a->temp);
    a->temp = NULL;
    if (!a->jobs) return;
    if (a->clean.dir) workdir_remove(a->clean.dir);
    arena_release(&a->clean.job.arena);
    a->jobs = 0;
}

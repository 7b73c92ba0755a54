/* See property.h. How a test becomes a ladder: commands of compilers that are known become a Repro
 * (cc/repro.h), which is the quickest way to ask and knows what the same failure is; anything else
 * is run as it was written. */
#include "reduce/ask/property.h"

#include "base/file.h"
#include "base/shell.h"
#include "cc/foreign.h"
#include "reduce/ask/rungs.h"
#include "reduce/reduce_knobs.h"
#include "run/workdir.h"
#include <math.h>

/* ---- the ladders ---- */
#define RUNG(name) { #name, rung_##name }
#define RUNGS(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__, {                                                                             \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

static const Rung by_script[] = RUNGS(RUNG(script));
static const Rung by_command[] = RUNGS(RUNG(compile));
static const Rung by_command_passing[] = RUNGS(RUNG(compile), RUNG(passing_clean));
static const Rung by_builds[] = RUNGS(RUNG(build_right), RUNG(run_right), RUNG(build_wrong),
                                      RUNG(run_wrong), RUNG(lint), RUNG(clean));
static const Rung by_builds_many[] =
    RUNGS(RUNG(build_right), RUNG(run_right), RUNG(build_wrong), RUNG(run_wrong), RUNG(lint),
          RUNG(build_sanitized), RUNG(run_sanitized));
static const Rung by_repro[] = RUNGS(RUNG(repro));
static const Rung by_repro_passing[] = RUNGS(RUNG(repro), RUNG(passing_clean));
static const Rung by_repro_run[] = RUNGS(RUNG(repro), RUNG(lint), RUNG(clean));
static const Rung by_repro_run_many[] =
    RUNGS(RUNG(repro), RUNG(lint), RUNG(build_sanitized), RUNG(run_sanitized));

static const Rung *choose_ladder(const Property *o) {
    bool many = property_many(o) || o->cxx;
    if (o->test.kind == TEST_SCRIPT) return by_script;
    if (o->by_repro && repro_runs(&o->repro)) return many ? by_repro_run_many : by_repro_run;
    if (o->by_repro) return o->passing ? by_repro_passing : by_repro;
    if (o->test.kind == TEST_DIFFERS) return many ? by_builds_many : by_builds;
    return o->passing && o->test.kind != TEST_SAYS ? by_command_passing : by_command;
}

/* ---- commands ---- */
/* The words that say which program a text is, for every compiler that reads it. */
static const char *const meaning_words[] = { "-D",      "-U",    "-I",    "-include", "-isystem",
                                             "-iquote", "-std=", "-ansi", NULL };

/* How many words of argv belong to a word of meaning: 0, 1 or 2. */
static size_t meaning_len(const char *const *argv, const char **prefix) {
    for (const char *const *w = meaning_words; *w; w++) {
        size_t len = strlen(*w);
        if (strncmp(*argv, *w, len) != 0) continue;
        *prefix = *w;
        bool apart = !(*argv)[len] && (*w)[len - 1] != '=' && strcmp(*w, "-ansi") != 0;
        return apart && argv[1] ? 2 : 1;
    }
    return 0;
}

static const char *const *meaning(Arena *arena, const char *const *words) {
    VEC(const char *) kept = { 0 };
    const char *prefix;
    for (size_t n; *words; words += n ? n : 1)
        for (size_t i = n = meaning_len(words, &prefix); i > 0; i--) vec_push(&kept, words[n - i]);
    vec_push(&kept, (const char *)NULL);
    const char *const *copy = arena_copy(arena, kept.at, kept.len * sizeof *kept.at);
    vec_release(&kept);
    return copy;
}

/* A path that exists where culprit was started, made absolute: candidates are compiled elsewhere.
 */
static const char *from_here(Arena *arena, const char *path) {
    if (!*path || path[0] == '/' || !file_exists(path)) return path;
    char *real = realpath(path, NULL);
    const char *copy = real ? arena_strdup(arena, real) : path;
    free(real);
    return copy;
}

static void make_absolute(Arena *arena, const char **words) {
    const char *prefix = NULL;
    for (size_t n; *words; words += n ? n : 1) {
        n = meaning_len((const char *const *)words, &prefix);
        if (!n || strchr("IAi", prefix[1]) == NULL) continue;
        if (n == 2)
            words[1] = from_here(arena, words[1]);
        else
            words[0] = arena_fmt(arena, "%s%s", prefix, from_here(arena, *words + strlen(prefix)));
    }
}

static bool open_words(Property *o, const char *command, const char ***out, Error *err) {
    StrVec list = { 0 };
    bool ok = shell_words(&o->arena, str_from(command), &list, err);
    const char **words = ARENA_ARRAY(&o->arena, const char *, list.len + 1);
    for (size_t i = 0; i < list.len; i++) words[i] = list.at[i].at;
    vec_release(&list);
    if (!ok) return false;
    if (!words[0]) return err_set(err, STATUS_BAD, "the command that compiles it is empty");
    const char *found = file_find_program(&o->arena, words[0]);
    if (!found)
        return err_set(err, STATUS_LACKS,
                       "%s: no such program here; Debian's package of that name may have it",
                       words[0]);
    if (strchr(words[0], '/')) words[0] = found; /* it is run elsewhere */
    make_absolute(&o->arena, words);
    *out = words;
    return true;
}

static bool open_commands(Property *o, Error *err) {
    if (o->test.command && !open_words(o, o->test.command, &o->words[0], err)) return false;
    if (o->test.command2 && !open_words(o, o->test.command2, &o->words[1], err)) return false;
    if (o->words[0]) o->meant = meaning(&o->arena, o->words[0]);
    return true;
}

static bool open_message(Property *o, Error *err) {
    if (!o->test.message) return true;
    int bad = regcomp(&o->message, o->test.message, REG_EXTENDED | REG_NOSUB);
    if (bad) {
        char why[128];
        regerror(bad, &o->message, why, sizeof why);
        return err_set(err, STATUS_BAD, "--message '%s': %s", o->test.message, why);
    }
    o->has_message = true;
    return true;
}

/* The words of meaning that a script mentions, as far as they can be read without running it. What
 * is made with their help is only ever proposed, so a wrong guess costs a test and no more. */
static const char *const *meaning_of_script(Arena *arena, const char *path) {
    Str rest = { "", 0 }, line;
    StrVec list = { 0 };
    if (!file_read(arena, path, &rest, NULL)) rest = (Str){ "", 0 };
    while (str_split(&rest, '\n', &line)) {
        Error none = { 0 };
        size_t before = list.len;
        bool ok = !str_starts(str_trim(line), "#") && shell_words(arena, line, &list, &none);
        if (!ok) list.len = before;
    }
    const char **words = ARENA_ARRAY(arena, const char *, list.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < list.len; i++)
        if (!strpbrk(list.at[i].at, "$`")) words[n++] = list.at[i].at;
    vec_release(&list);
    return meaning(arena, words);
}

static bool open_script(Property *o, Error *err) {
    if (o->test.kind != TEST_SCRIPT) return true;
    const char *given = o->passing ? o->test.passing_script : o->test.script;
    char *path = realpath(given, NULL);
    o->script = path ? arena_strdup(&o->arena, path) : NULL;
    free(path);
    if (!o->script || access(o->script, X_OK) != 0 || file_is_dir(o->script))
        return err_set(err, STATUS_BAD, "%s: the test must be an executable file", given);
    o->meant = meaning_of_script(&o->arena, o->script);
    return true;
}

/* ---- a failure ---- */
/* The flags of a plain compilation, without those that say how far it goes; NULL: it is something
 * else. */
static const char **plain_flags(Arena *arena, const char *const *words) {
    size_t n = 0;
    while (words[n]) n++;
    const char **flags = ARENA_ARRAY(arena, const char *, n + 1);
    size_t k = 0;
    for (size_t i = 1; i < n; i++) {
        if (strcmp(words[i], "{}") == 0 || strcmp(words[i], "-E") == 0 || words[i][0] != '-') {
            bool value = i > 1 && words[i - 1][0] == '-' && words[i][0] != '{'; /* --param x */
            if (!value) return NULL;
        }
        if (strcmp(words[i], "-S") == 0 || strcmp(words[i], "-c") == 0) continue;
        if (strcmp(words[i], "-o") == 0 && words[i + 1]) {
            i++;
            continue;
        }
        if (strncmp(words[i], "-x", 2) == 0) return NULL;
        flags[k++] = words[i];
    }
    return flags;
}

/* Matches the repro's files with the set's: by name, or in order. */
static void take_files(Property *o, const Repro *given) {
    const FileSet *set = o->files;
    ReproFile *files = ARENA_ARRAY(&o->arena, ReproFile, set->list.len + 1);
    for (size_t i = 0; i < set->list.len; i++) {
        const SetFile *file = &set->list.at[i];
        if (given && i < given->n_files) files[i] = given->files[i];
        files[i].name = str_from(file->name);
        files[i].text = file->original;
        files[i].unit = file->unit;
    }
    o->repro.files = files;
    o->repro.n_files = set->list.len;
}

/* Commands as a Repro; false: they are something else. */
static bool take_commands(Property *o) {
    bool differs = o->test.kind == TEST_DIFFERS;
    const char **bad = o->words[differs ? 1 : 0];
    const char **flags = plain_flags(&o->arena, bad);
    const char **good = differs ? plain_flags(&o->arena, o->words[0]) : NULL;
    if (!o->c || o->has_message || !flags || (differs && !good)) return false;
    o->repro = (Repro){ .compiler = str_from(bad[0]),
                        .flags = shell_join(&o->arena, flags),
                        .input = o->test.input,
                        .hang_s = o->test.kind == TEST_HANGS ? o->hang_s : 0,
                        .symptom = { .kind = differs                      ? VERDICT_WRONG
                                             : o->test.kind == TEST_HANGS ? VERDICT_HANG
                                                                          : VERDICT_CRASH } };
    if (differs) {
        o->repro.reference = str_from(o->words[0][0]);
        o->repro.good_flags = shell_join(&o->arena, good);
    }
    take_files(o, NULL);
    return true;
}

/* The flags with some warnings as errors. */
static const char *const *loud_flags(Arena *arena, const char *const *own,
                                     const char *const *errors) {
    const char **loud = flags_plus(arena, own, errors);
    size_t k = 0;
    for (size_t i = 0; loud[i]; i++) /* -w silences errors as well */
        if (strcmp(loud[i], "-w") != 0) loud[k++] = loud[i];
    loud[k] = NULL;
    return loud;
}

static bool knows_warnings(const Compiler *cc) {
    return cc->kind == CC_GCC || cc->kind == CC_CLANG;
}

/* Where programs run: dangerous warnings are errors in the right compilation. Where the compiler
 * crashes or hangs, what later releases refuse is an error in that very compilation, so that it
 * costs nothing: a candidate that is refused does not get as far as the failure. */
static void set_strict(Property *o) {
    if (!o->by_repro) return;
    const char *const *own = shell_argv(&o->arena, o->repro.good_flags);
    bool runs = repro_runs(&o->repro), loud = o->strict && runs && o->by.has_ref;
    if (loud && knows_warnings(&o->by.ref)) own = loud_flags(&o->arena, own, rungs_strict);
    o->by.ref_flags = own;
    for (size_t i = 0; i < o->repro.n_files && !runs; i++) {
        const ReproFile *file = &o->repro.files[i];
        if (!file->unit) continue;
        own = file->flags.len ? shell_argv(&o->arena, file->flags) : o->by.cc_flags;
        loud = o->strict && knows_warnings(o->by.by[i]);
        o->by.flags[i] = loud ? loud_flags(&o->arena, own, rungs_modern) : own;
    }
}

static bool open_repro(Property *o, Error *err) {
    if (o->test.kind == TEST_REPRO) {
        o->repro = *o->test.repro;
        take_files(o, o->test.repro);
        o->test.input = o->repro.input;
        o->meant = meaning(&o->arena, shell_argv(&o->arena, o->repro.flags));
        if (!repro_open(&o->arena, &o->repro, &o->by, err)) return false;
        o->by_repro = true;
    } else if (o->test.kind != TEST_SCRIPT && o->test.kind != TEST_SAYS && take_commands(o)) {
        Error none = { 0 }; /* then it is run as it was written */
        o->by_repro = repro_open(&o->arena, &o->repro, &o->by, &none);
        if (!o->by_repro && o->by.cc.unrun && repro_runs(&o->repro)) return *err = none, false;
    }
    if (!o->by_repro) return true;
    o->meant = flags_plus(&o->arena, foreign_reading(&o->by.cc), o->meant);
    if (repro_runs(&o->repro) && !o->by.has_ref)
        return err_set(err, STATUS_LACKS,
                       "no flags that pass are known, and there is no other compiler here to "
                       "compare with; Debian has gcc-12");
    o->repro.has_expected = false; /* that is for the start alone: every candidate has its own */
    o->by.want = (Symptom){ .kind = o->repro.symptom.kind, .refused = true };
    o->by.any = o->test.any_failure;
    set_strict(o);
    return true;
}

/* ---- what is checked ---- */
static bool runs_programs(const Property *o) {
    if (o->by_repro) return repro_runs(&o->repro);
    return o->test.kind == TEST_DIFFERS;
}

static bool open_checks(Property *o, Error *err) {
    bool runs = runs_programs(o), compiles = o->test.kind != TEST_SCRIPT && !runs;
    if (o->test.unchecked || o->test.kind == TEST_SAYS) return true;
    if (runs && !o->c && !o->cxx)
        return err_set(err, STATUS_BAD,
                       "nothing here checks programs of this language for undefined behaviour: "
                       "--unchecked reduces without this check");
    if (runs) {
        o->clean = o->strict = true;
        if (o->c) o->lint = o->has_tools = clean_tools_open(&o->arena, &o->tools, err);
        if (o->has_tools && o->tools.have_clang) o->seldom = ~CLEAN_FIRST;
        set_strict(o);
        return o->cxx || o->has_tools;
    }
    if (compiles && o->c && !o->test.any_c) {
        o->strict = true;
        set_strict(o);
    }
    if (compiles && o->passing && o->c) {
        Error none = { 0 }; /* without sanitizers this rung is left out */
        o->clean = o->has_tools = clean_tools_open(&o->arena, &o->tools, &none);
    }
    return true;
}

/* ---- in words ---- */
static char *describe_repro(Property *o) {
    const Repro *r = &o->repro;
    const char *kind = verdict_name(r->symptom.kind);
    if (o->test.kind == TEST_CRASH || o->test.kind == TEST_HANGS)
        return arena_fmt(&o->arena, "%s %s", o->test.command,
                         o->test.kind == TEST_CRASH ? "crashes" : "hangs");
    return arena_fmt(&o->arena, STR_FMT " " STR_FMT ": %s%s" STR_FMT " " STR_FMT,
                     STR_ARG(r->compiler), STR_ARG(r->flags), kind,
                     r->reference.len ? ", right with " : "", STR_ARG(r->reference),
                     STR_ARG(r->good_flags));
}

static char *describe(Property *o) {
    const ReduceTest *s = &o->test;
    const char *not = o->passing ? "does not fail: " : "";
    switch (s->kind) {
    case TEST_SCRIPT: return arena_fmt(&o->arena, "%s exits with 0", o->script);
    case TEST_CRASH:
        return arena_fmt(&o->arena, "%s%s crashes%s%s", not, s->command, s->message ? " with " : "",
                         s->message ? s->message : "");
    case TEST_HANGS:
        return arena_fmt(&o->arena, "%s%s hangs for %.3g s", not, s->command, o->hang_s);
    case TEST_SAYS: return arena_fmt(&o->arena, "%s%s says %s", not, s->command, s->message);
    case TEST_DIFFERS:
        return arena_fmt(&o->arena, "%s%s and %s make it behave differently", not, s->command,
                         s->command2);
    case TEST_REPRO: return arena_fmt(&o->arena, "%s%s", not, describe_repro(o));
    }
    return "";
}

Hash property_identity(const Property *o) {
    Arena arena = { 0 };
    Buf all = { 0 };
    Str script = { "", 0 };
    if (o->script) file_read(&arena, o->script, &script, NULL);
    buf_fmt(&all, "%s\n%d %d\n", o->text, o->test.any_failure, o->test.unchecked);
    buf_str(&all, o->test.input);
    buf_str(&all, script);
    Hash hash = str_hash128(buf_view(&all));
    buf_release(&all);
    arena_release(&arena);
    return hash;
}

/* ---- making one ---- */
Property *property_new(const PropertySpec *spec, Error *err) {
    Property *o = mem_alloc(sizeof *o);
    static const char *const nothing[] = { NULL };
    o->test = *spec->test;
    o->files = spec->files;
    o->passing = spec->passing;
    o->c = strcmp(spec->lang, "c") == 0;
    o->cxx = strcmp(spec->lang, "cpp") == 0;
    o->meant = nothing;
    o->want.kind = VERDICT_NONE;
    o->hang_s = o->test.kind != TEST_HANGS ? REDUCE_TIMEOUT
                : o->test.limit > 0        ? o->test.limit
                                           : REDUCE_HANG;
    if (o->passing && o->test.passing_script) o->test.kind = TEST_SCRIPT;
    bool ok = open_commands(o, err) && open_message(o, err) && open_script(o, err) &&
              open_repro(o, err) && open_checks(o, err);
    if (!ok) {
        property_free(o);
        return NULL;
    }
    o->text = describe(o);
    o->ladder = choose_ladder(o);
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
    return o->test.kind != TEST_SCRIPT;
}

bool property_runs(const Property *o) {
    return o->test.kind == TEST_SCRIPT || runs_programs(o);
}

const char *const *property_meaning(const Property *o) {
    return o->meant;
}

void property_learn(Property *o, const Symptom *seen) {
    if (o->passing || o->has_message) return;
    o->want = symptom_copy(&o->arena, seen);
    o->by.want = o->want;
    o->endless = seen->how == WRONG_ENDLESS;
}

/* CPU seconds of a compilation that is not a hang. */
static double compile_limit(const Property *o) {
    return o->test.timeout > 0
               ? o->test.timeout
               : fmin(fmax(o->took_s * REDUCE_TIMEOUT_TIMES, REDUCE_TIMEOUT_LEAST), CC_HANG_S);
}

void property_begin(Property *o) {
    o->begun = true;
    o->now = (Effort){ o->ran_s, o->each_s, o->wrote };
    if (o->by_repro && o->repro.symptom.kind != VERDICT_HANG) o->by.compile_s = compile_limit(o);
}

void property_took(Property *o, Effort took) {
    if (o->test.kind == TEST_SCRIPT && o->begun && took.cpu_s > 0) o->now = took;
}

bool property_swap(Property *o) {
    if (o->test.kind != TEST_DIFFERS) return false;
    const char **words = o->words[0];
    o->words[0] = o->words[1];
    o->words[1] = words;
    Error none = { 0 };
    if (o->by_repro) o->by_repro = false, open_repro(o, &none);
    o->ladder = choose_ladder(o);
    return true;
}

bool property_relax(Property *o) {
    if (o->lint) {
        o->lint = false;
        return true;
    }
    bool runs = runs_programs(o), was = o->strict || (o->clean && !runs);
    o->strict = false;
    if (!runs) o->clean = false;
    set_strict(o);
    return was;
}

bool property_thorough(Property *o, bool on) {
    o->thorough = on;
    return o->clean && o->seldom;
}

void property_beware(Property *o) {
    o->seldom &= ~o->caught;
}

bool property_has_bucket(const Property *o) {
    return o->by_repro && !o->passing && (o->by.cure || o->repro.pass.len) && !o->test.any_failure;
}

bool property_same_bug(Property *o, Pool *pool, Arena *arena, Str text, Str *why) {
    return repro_same_bug(arena, &o->by, pool, fileset_repro(arena, o->files, &o->repro, text),
                          why);
}

bool property_insist(Property *o) {
    return o->insist = o->by.cure != NULL;
}

/* ---- one question ---- */
/* What the start's processes take and write bounds what the candidates' processes may; how long one
 * ran that does not end says nothing. */
static void note_time(Property *o, const RunResult *last) {
    o->took_s = fmax(o->took_s, last->wall_s);
    if (!o->by_repro && last->end != RUN_TIMEOUT) o->ran_s = fmax(o->ran_s, last->cpu_s);
    if (last->written > o->wrote) o->wrote = last->written;
    o->each_s = fmax(o->each_s, last->each_cpu_s);
}

bool asking_step(Asking *a, const RunResult *last, RunSpec *next) {
    Property *o = a->property;
    if (last && !o->begun) note_time(o, last);
    for (; o->ladder[a->rung].step; a->rung++, last = NULL) {
        RungEnd end = o->ladder[a->rung].step(a, last, next);
        if (end == RUNG_MORE) return true;
        if (end == RUNG_ANSWERED) return false;
    }
    a->interesting = true;
    return false;
}

void asking_end(Asking *a) {
    if (a->temp) workdir_remove(a->temp);
    a->temp = NULL;
    if (a->in_repro) repro_job_end(&a->repro);
    if (a->in_clean && a->clean.dir) workdir_remove(a->clean.dir);
    if (a->in_clean) arena_release(&a->clean.job.arena);
    a->in_repro = a->in_clean = false;
}

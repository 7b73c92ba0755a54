/* A case made from the user's own files: which verdict, with which flags. */
#include "command/intake.h"

#include "base/file.h"
#include "base/quantity.h"
#include "cc/clean.h"
#include "cc/foreign.h"
#include "cc/freedom.h"
#include "cc/onefile.h"
#include "store/store.h"
#include "variant/preprocess.h"

#include <math.h>

typedef struct Trial {
    Arena arena;
    Pool *pool; /* ends what is running when time is up */
    Compiler cc;
    Str program, input;
    Str original;  /* the user's file, where program is another text */
    CcUntil until; /* CC_UNTIL_RUN for a whole program */
    Verdict verdict;
    Str output; /* of the run, where there was one */
    int code;
    Str message; /* of the compiler */
} Trial;

static void try_flags(Trial *t, Str flags, const Trial *right) {
    CcJob job;
    cc_job_init(&job, &t->cc, flags_split(&t->arena, flags), t->program, t->until);
    job.input = t->input;
    if (right) job.compare = true, job.expected = right->output, job.code = right->code;
    pool_submit(t->pool, &job.job);
    pool_next(t->pool);
    t->verdict = job.verdict;
    if (job.job.cancelled) t->verdict.kind = VERDICT_NONE;
    t->verdict.crash.signature = arena_str(&t->arena, job.verdict.crash.signature);
    t->verdict.crash.pass = arena_str(&t->arena, job.verdict.crash.pass);
    t->verdict.detail = arena_str(&t->arena, job.verdict.detail);
    t->output = arena_str(&t->arena, job.ran.out);
    t->message = arena_str(&t->arena, job.compiled.err);
    t->code = job.ran.code;
    cc_job_end(&job);
}

/* What the program should do: with the passing flags, else at this compiler's or another's -O0. */
static bool find_right(Trial *t, const Intake *in, Str *flags) {
    t->until = CC_UNTIL_RUN;
    *flags = str_from(in->good_flags ? in->good_flags : "-O0");
    /* a compiler without levels cannot judge itself */
    bool own_judge = in->good_flags || t->cc.levels;
    if (own_judge) try_flags(t, *flags, NULL);
    if (own_judge && t->verdict.kind == VERDICT_OK) return true;
    *flags = STR("");
    Compiler own = t->cc;
    const char *other = compiler_reference(&t->arena, str_from(t->cc.name), str_from(t->cc.target));
    bool ok = other && compiler_open(&t->arena, other, &t->cc, NULL);
    if (ok) try_flags(t, STR("-O0"), NULL);
    t->cc = own;
    return ok && t->verdict.kind == VERDICT_OK;
}

static bool is_failure(const Trial *t, const Trial *right) {
    VerdictKind kind = t->verdict.kind;
    return kind != VERDICT_OK && kind != VERDICT_NONE && (kind != VERDICT_REJECTED || right);
}

static bool no_failure(const Trial *t, const Intake *in, Error *err) {
    if (run_interrupted())
        return err_set(err, STATUS_INTERRUPTED, "interrupted; nothing has been saved yet");
    if (clock_now() >= in->until)
        return err_set(err, STATUS_NO, "out of time before %s failed on %s", in->compiler,
                       in->path);
    if (t->cc.unrun)
        return err_set(err, STATUS_LACKS, "%s does not crash on %s, and %s", in->compiler, in->path,
                       t->cc.unrun);
    if (t->verdict.kind == VERDICT_NONE)
        return err_set(err, STATUS_LACKS, "%s could not be tried on %s: " STR_FMT, in->compiler,
                       in->path, STR_ARG(t->verdict.detail));
    if (t->verdict.kind == VERDICT_REJECTED)
        return err_set(err, STATUS_NO, "%s refuses %s: " STR_FMT "%s", in->compiler, in->path,
                       STR_ARG(t->verdict.detail),
                       str_find(t->verdict.detail, STR("No such file"), 0) != STR_NONE
                           ? " (-I DIR says where headers are)"
                           : "");
    return err_set(err, STATUS_NO, "%s does not fail on %s%s%s", in->compiler, in->path,
                   in->flags ? " with " : " at any level", in->flags ? in->flags : "");
}

/* The flags that fail: those given, else the first level that does. */
static bool find_failure(Trial *t, const Intake *in, const Trial *right, Str *flags, Error *err) {
    const char *const given[] = { in->flags, NULL };
    const char *const *tries = in->flags ? given : cc_levels;
    for (; *tries && !run_interrupted(); tries++) {
        *flags = str_from(*tries);
        try_flags(t, *flags, right);
        if (is_failure(t, right)) return true;
    }
    return no_failure(t, in, err);
}

/* ---- the program as one text ---- */

/* "-Idir", "-DN=3" for a compiler. */
static const char **header_flags(Arena *arena, const Intake *in) {
    size_t n = 0;
    const char **flags = ARENA_ARRAY(arena, const char *, in->includes->len + in->defines->len + 1);
    for (size_t i = 0; i < in->includes->len; i++)
        flags[n++] = arena_fmt(arena, "-I" STR_FMT, STR_ARG(in->includes->at[i]));
    for (size_t i = 0; i < in->defines->len; i++)
        flags[n++] = arena_fmt(arena, "-D" STR_FMT, STR_ARG(in->defines->at[i]));
    return flags;
}

/* A program with headers of its own is stored without their macros and conditions if it fails in
 * the same way without them: what follows is about the language, not the preprocessor. */
static void prefer_plain(Trial *t, const Intake *in, const Trial *right, Str flags) {
    Str text;
    Error none;
    if (!t->original.len ||
        !preprocess_seed(&t->arena, in->path, header_flags(&t->arena, in), &text, &none))
        return;
    Trial as_given = *t;
    t->program = text;
    try_flags(t, flags, right);
    if (t->verdict.kind == as_given.verdict.kind &&
        str_eq(t->verdict.crash.signature, as_given.verdict.crash.signature))
        return;
    as_given.arena = t->arena; /* which has grown */
    *t = as_given;
}

/* ---- undefined behaviour ---- */

/* Flags that change what C says the program means. */
static const char **dialect(Arena *arena, Str flags, unsigned *skip) {
    static const char *const kept[] = { "-std=",          "-ansi",
                                        "-fwrapv",        "-fsigned-char",
                                        "-fgnu89-",       "-fshort-",
                                        "-m32",           "-fno-strict-aliasing",
                                        "-funsigned-char" };
    const char **words = flags_split(arena, flags);
    size_t n = 0;
    for (const char **word = words; *word; word++) {
        bool keep = false;
        for (size_t i = 0; i < COUNT_OF(kept); i++)
            keep |= strncmp(*word, kept[i], strlen(kept[i])) == 0;
        if (strcmp(*word, "-fno-strict-aliasing") == 0) *skip |= CLEAN_TYPES;
        if (keep) words[n++] = *word;
    }
    words[n] = NULL;
    return words;
}

/* Why the program is undefined; empty: it is not, or nothing installed can tell. */
static Str find_undefined(Trial *t, const Trial *right, Str flags) {
    CleanTools tools;
    CleanJob job;
    Error none;
    if (!clean_tools_open(&t->arena, &tools, &none)) return STR("");
    clean_job_init(&job, &tools, t->program);
    job.flags =
        flags_plus(&t->arena, foreign_reading(&t->cc), dialect(&t->arena, flags, &job.skip));
    job.compare = true, job.expected = right->output, job.code = right->code, job.input = t->input;
    pool_submit(t->pool, &job.job);
    pool_next(t->pool);
    /* another output alone may only mean that it depends on its target */
    bool undefined = job.result == CLEAN_NO && (job.reported || !t->cc.foreign);
    Str why = undefined && !job.job.cancelled ? arena_str(&t->arena, job.why) : STR("");
    clean_job_end(&job);
    return why;
}

/* ---- doubts ---- */

typedef struct Asked {
    Trial trial; /* of its own */
    const Trial *right;
} Asked;

static VerdictKind ask_text(void *user, const Compiler *cc, const char *const *flags, Str text) {
    Asked *a = user;
    a->trial.cc = *cc, a->trial.program = text;
    try_flags(&a->trial, flags_join(&a->trial.arena, flags), a->right);
    return a->trial.verdict.kind;
}

/* The newest compiler of another kind that fails as well, at the same level or at -O2. */
static const Compiler *who_shares_it(Asked *a, const Trial *t, const CompilerVec *all, Str flags) {
    static const CcKind kinds[] = { CC_GCC, CC_CLANG };
    unsigned skip = 0;
    const char *const *meaning = dialect(&a->trial.arena, flags, &skip);
    const char *level = "-O2";
    for (const char **word = flags_split(&a->trial.arena, flags); *word; word++)
        if (strncmp(*word, "-O", 2) == 0) level = *word;
    const char *const levels[] = { level, "-O2" };
    for (size_t i = 0; i < 2 * COUNT_OF(kinds); i++) {
        CcKind kind = kinds[i / 2];
        bool related = t->cc.kind == kind || (t->cc.kind == CC_CC1 && kind == CC_GCC);
        const Compiler *other = related ? NULL : compilers_newest(all, kind);
        const char *const more[] = { levels[i % 2], "-w", NULL };
        if (other && ask_text(a, other, flags_plus(&a->trial.arena, meaning, more), t->program) ==
                         VERDICT_WRONG)
            return other;
    }
    return NULL;
}

/* Why wrong code may be no bug although nothing is undefined; NULL: nothing speaks against it. */
static const char *find_doubt(Trial *t, const Trial *right, Str flags) {
    CompilerVec all = { 0 };
    Asked a = { *t, right };
    a.trial.arena = (Arena){ 0 };
    compilers_find(&a.trial.arena, t->cc.target, &all);
    const Compiler *plain = compilers_newest(&all, CC_GCC);
    const char *why = freedom_used(
        &a.trial.arena, &(FreedomQuestion){ t->program, &t->cc, flags_split(&t->arena, flags),
                                            plain ? plain : &t->cc, ask_text, &a });
    const Compiler *other = why ? NULL : who_shares_it(&a, t, &all, flags);
    if (why) why = arena_fmt(&t->arena, "%s", why);
    if (other)
        why = arena_fmt(&t->arena, "%s fails the same way, though it shares no code with %s",
                        other->name, t->cc.name);
    arena_release(&a.trial.arena);
    vec_release(&all);
    return run_interrupted() ? NULL : why;
}

/* ---- the store ---- */

/* What makes two cases of users' programs the same. */
static const char *identity(Trial *t, Str flags) {
    Buf key = { 0 };
    buf_fmt(&key, "%s\n%s\n" STR_FMT "\n%zu\n", t->cc.path, t->cc.version,
            STR_ARG(flags_join(&t->arena, flags_split(&t->arena, flags))), t->input.len);
    buf_str(&key, t->input);
    buf_str(&key, t->program);
    Hash hash = str_hash128(buf_view(&key));
    buf_release(&key);
    return arena_fmt(&t->arena, "own %016llx%016llx", (unsigned long long)hash.hi,
                     (unsigned long long)hash.lo);
}

/* A store that does not exist yet knows nothing. */
static bool find_known(const char *path, Trial *t, Str flags, int64_t *id, bool *known,
                       Error *err) {
    *known = false;
    if (!path) path = store_default_path(&t->arena, err);
    if (!path) return false;
    if (!store_exists(path)) return true;
    Store *store = store_open(path, STORE_READ, err);
    bool ok = store != NULL;
    const char *const buckets[] = { identity(t, flags), arena_fmt(&t->arena, CASE_UNCONFIRMED "%s",
                                                                  identity(t, flags)) };
    for (size_t i = 0; i < COUNT_OF(buckets) && ok && !*known; i++) {
        Case *cases;
        size_t n = 0;
        CaseFilter filter = { .bucket = buckets[i] };
        ok = store_case_list(store, &t->arena, &filter, &cases, &n, NULL, err);
        if (ok && n) *id = cases[0].id, *known = true;
    }
    store_close(store);
    return ok;
}

static bool put(const char *path, const Case *c, int64_t *id, Error *err) {
    Store *store = store_open(path, STORE_WRITE, err);
    bool ok = store && store_case_put(store, c, id, NULL, err);
    store_close(store);
    return ok;
}

static bool read_files(Trial *t, const Intake *in, Str *seed, Error *err) {
    Str text;
    OneFile one;
    if (!file_read(&t->arena, in->path, &text, err) ||
        !onefile(&t->arena, in->path, text, in->includes, in->defines, &one, err))
        return false;
    t->program = one.text;
    if (!str_eq(one.text, text)) t->original = text;
    if (in->input && !file_read(&t->arena, in->input, &t->input, err)) return false;
    if (!in->seed) return true;
    if (!file_read(&t->arena, in->seed, &text, err) ||
        !onefile(&t->arena, in->seed, text, in->includes, in->defines, &one, err))
        return false;
    *seed = one.text;
    return true;
}

/* What is right, or at least which flags pass. known: the run it must give is known. */
static bool find_passing(Trial *t, const Intake *in, Str *good, bool *known) {
    *known = find_right(t, in, good);
    if (*known) return true;
    /* not a whole program: a crash or hang is all it can show */
    t->until = CC_UNTIL_ASSEMBLY;
    *good = str_from(in->good_flags ? in->good_flags : "-O0");
    try_flags(t, *good, NULL);
    return t->verdict.kind == VERDICT_OK;
}

/* Tries the program and stores the outcome. */
static bool make_case(const char *store, Trial *t, const Intake *in, Str seed, int64_t *id,
                      bool *known, Error *err) {
    Str flags, good;
    bool runs, passes = find_passing(t, in, &good, &runs);
    Trial right = *t;
    if (!find_failure(t, in, runs ? &right : NULL, &flags, err)) return false;
    if (!in->flags && (!find_known(store, t, flags, id, known, err) || *known)) return *known;
    Str bucket = str_from(identity(t, flags)); /* before the text changes */
    prefer_plain(t, in, runs ? &right : NULL, flags);
    bool wrong = t->verdict.kind == VERDICT_WRONG;
    Case c = { .compiler = str_from(t->cc.name),
               .version = str_from(t->cc.version),
               .kind = str_from(cc_kind_name(t->cc.kind)),
               .target = str_from(t->cc.target),
               .flags = flags,
               .good_flags = passes && !str_eq(good, flags) ? good : STR(""),
               .verdict = str_from(verdict_name(t->verdict.kind)),
               .signature = t->verdict.kind == VERDICT_CRASH ? t->verdict.crash.signature
                                                             : t->verdict.detail,
               .bucket = bucket,
               .matters = t->verdict.crash.pass,
               .seed_name = str_from(in->path),
               .seed = seed,
               .variant = t->program,
               .original = t->original,
               .input = t->input,
               .expected = runs ? right.output : STR(""),
               .actual = wrong ? t->output : t->message,
               .undefined = wrong ? find_undefined(t, &right, flags) : STR(""),
               .code = runs ? right.code : 0 };
    const char *doubt = wrong && !c.undefined.len ? find_doubt(t, &right, flags) : NULL;
    if (doubt) {
        c.bucket = str_from(arena_fmt(&t->arena, CASE_UNCONFIRMED STR_FMT, STR_ARG(bucket)));
        c.notes = str_from(arena_fmt(&t->arena, "unconfirmed: %s", doubt));
    }
    if (run_interrupted())
        return err_set(err, STATUS_INTERRUPTED, "interrupted; nothing has been saved yet");
    return put(store, &c, id, err);
}

bool intake_case(const char *store, const Intake *in, int64_t *id, bool *known, Error *err) {
    Trial t = { 0 };
    Str seed = STR("");
    *known = false;
    run_until(in->until);
    bool ok = read_files(&t, in, &seed, err) && compiler_open(&t.arena, in->compiler, &t.cc, err);
    run_until(INFINITY);
    ok = ok && (!in->flags || find_known(store, &t, str_from(in->flags), id, known, err));
    if (ok && !*known) {
        t.pool = pool_new(1);
        pool_until(t.pool, in->until);
        ok = make_case(store, &t, in, seed, id, known, err);
        pool_free(t.pool);
    }
    arena_release(&t.arena);
    return ok;
}

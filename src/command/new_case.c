/* A case made of the user's own files: which verdict, with which flags. */
#include "base/toolchain.h"
#include "command/inquiry.h"

#include "base/file.h"
#include "cc/verdict.h"
#include "run/run.h"

typedef struct CaseTrial {
    Arena arena;
    Compiler cc;
    Str program, input;
    CcUntil until; /* CC_UNTIL_RUN for a whole program */
    Verdict verdict;
    Str output; /* of the run, where there was one */
    int code;
    Str message; /* of the compiler */
} CaseTrial;

static void try_flags(CaseTrial *t, Str flags, const CaseTrial *right) {
    CcJob job;
    cc_job_init(&job, &t->cc, flags_split(&t->arena, flags), t->program, t->until);
    job.input = t->input;
    if (right) job.compare = true, job.expected = right->output, job.code = right->code;
    cc_job_run(&job);
    t->verdict = job.verdict;
    t->verdict.crash.signature = arena_str(&t->arena, job.verdict.crash.signature);
    t->verdict.crash.pass = arena_str(&t->arena, job.verdict.crash.pass);
    t->verdict.detail = arena_str(&t->arena, job.verdict.detail);
    t->output = arena_str(&t->arena, job.ran.out);
    t->message = arena_str(&t->arena, job.compiled.err);
    t->code = job.ran.code;
    arena_release(&job.job.arena);
}

/* What the program should do: with the passing flags, else at -O0 of this compiler, else of
 * another. */
static bool find_right(CaseTrial *t, const NewCase *spec, Str *flags) {
    t->until = CC_UNTIL_RUN;
    *flags = str_from(spec->good_flags ? spec->good_flags : "-O0");
    /* a compiler without levels is no judge of itself */
    bool own_judge = spec->good_flags || t->cc.levels;
    if (own_judge) try_flags(t, *flags, NULL);
    if (own_judge && t->verdict.kind == VERDICT_OK) return true;
    static const char *const others[] = TOOLCHAIN_NAMES;
    *flags = STR("");
    for (const char *const *name = others; *name; name++) {
        Compiler own = t->cc;
        bool ok = compiler_open(&t->arena, *name, &t->cc, NULL);
        if (ok) try_flags(t, STR("-O0"), NULL);
        t->cc = own;
        if (ok && t->verdict.kind == VERDICT_OK) return true;
    }
    return false;
}

/* The flags that fail: those given, else the first level that does. */
static bool find_failure(CaseTrial *t, const NewCase *spec, const CaseTrial *right, Str *flags,
                         Error *err) {
    const char *const given[] = { spec->flags, NULL };
    const char *const *tries = spec->flags ? given : cc_levels;
    for (; *tries; tries++) {
        *flags = str_from(*tries);
        try_flags(t, *flags, right);
        VerdictKind kind = t->verdict.kind;
        if (kind != VERDICT_OK && kind != VERDICT_NONE && (kind != VERDICT_REJECTED || right))
            return true;
        if (run_interrupted()) break;
    }
    if (t->verdict.kind == VERDICT_REJECTED)
        return err_set(err, STATUS_NO,
                       "%s refuses %s: " STR_FMT
                       "; a case is one file: preprocess it (-E) where it "
                       "includes others",
                       spec->compiler, spec->path, STR_ARG(t->verdict.detail));
    return err_set(err, STATUS_NO, "%s does not fail on %s%s%s", spec->compiler, spec->path,
                   spec->flags ? " with " : "", spec->flags ? spec->flags : "");
}

static bool put(const char *path, const Case *c, int64_t *id, Error *err) {
    Store *store = store_open(path, STORE_WRITE, err);
    bool ok = store && store_case_put(store, c, id, NULL, err);
    store_close(store);
    return ok;
}

bool new_case(const char *store, const NewCase *spec, int64_t *id, Error *err) {
    CaseTrial t = { 0 };
    Str flags, good = STR(""), seed = STR("");
    bool ok = file_read(&t.arena, spec->path, &t.program, err) &&
              (!spec->input || file_read(&t.arena, spec->input, &t.input, err)) &&
              (!spec->seed || file_read(&t.arena, spec->seed, &seed, err)) &&
              compiler_open(&t.arena, spec->compiler, &t.cc, err);
    if (ok) {
        bool known = find_right(&t, spec, &good);
        bool passes = known;
        if (!known) { /* no whole program: a crash or hang is all it can show */
            t.until = CC_UNTIL_ASSEMBLY;
            good = str_from(spec->good_flags ? spec->good_flags : "-O0");
            try_flags(&t, good, NULL);
            passes = t.verdict.kind == VERDICT_OK;
        }
        CaseTrial right = t;
        ok = find_failure(&t, spec, known ? &right : NULL, &flags, err);
        if (ok) {
            bool wrong = t.verdict.kind == VERDICT_WRONG;
            Case c = { .compiler = str_from(t.cc.name),
                       .version = str_from(t.cc.version),
                       .kind = str_from(cc_kind_name(t.cc.kind)),
                       .target = str_from(t.cc.target),
                       .flags = flags,
                       .good_flags = passes && !str_eq(good, flags) ? good : STR(""),
                       .verdict = str_from(verdict_name(t.verdict.kind)),
                       .signature = t.verdict.kind == VERDICT_CRASH ? t.verdict.crash.signature
                                                                    : t.verdict.detail,
                       .matters = t.verdict.crash.pass,
                       .seed_name = str_from(spec->path),
                       .seed = seed,
                       .variant = t.program,
                       .input = t.input,
                       .expected = known ? right.output : STR(""),
                       .actual = wrong ? t.output : t.message,
                       .code = known ? right.code : 0 };
            ok = put(store, &c, id, err);
        }
    }
    arena_release(&t.arena);
    return ok;
}

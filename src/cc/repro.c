/* See repro.h. A question is a short ladder of compilations, one table row per verdict:
 *
 *     crash, hang       the failing compilation, as far as it has to go
 *     rejected, link    the reference accepts it; then the failing compilation
 *     wrong             the reference's program says what is right; then the failing one is run;
 *                       one that dies of a signal is run first: that needs no right answer, and
 *                       most candidates fail there already
 *
 * and, where asked, the failing compilation with the flags that cure it. Each rung is a CcJob whose
 * own processes are passed through. */
#include "cc/repro.h"

#include "base/file.h"
#include "base/shell.h"
#include "cc/blame.h"

/* ---- symptoms ---- */

static const char *how_text(Arena *arena, const Symptom *s) {
    switch (s->how) {
    case WRONG_SIGNAL: return arena_fmt(arena, "dies of signal %d", s->number);
    case WRONG_ENDLESS: return "the program does not end";
    case WRONG_FLOOD: return "the program writes endlessly";
    case WRONG_NOT:
    case WRONG_ANSWER: break;
    }
    return s->detail.len ? arena_cstr(arena, s->detail) : "unexpected output or exit status";
}

const char *symptom_text(Arena *arena, const Symptom *s) {
    const char *detail = arena_cstr(arena, s->signature.len ? s->signature : s->detail);
    switch (s->kind) {
    case VERDICT_OK: return "passes";
    case VERDICT_CRASH:
        return arena_fmt(arena, "the compiler crashes%s%s%s",
                         s->refused ? " on a program it refuses" : "", *detail ? ": " : "", detail);
    case VERDICT_HANG: return "the compiler does not end";
    case VERDICT_REJECTED: return arena_fmt(arena, "refused: " STR_FMT, STR_ARG(s->detail));
    case VERDICT_LINK: return arena_fmt(arena, "does not link: " STR_FMT, STR_ARG(s->detail));
    case VERDICT_WRONG: return arena_fmt(arena, "wrong code: %s", how_text(arena, s));
    case VERDICT_NONE: break;
    }
    return arena_fmt(arena, "could not be judged: " STR_FMT, STR_ARG(s->detail));
}

Symptom symptom_copy(Arena *arena, const Symptom *s) {
    Symptom copy = *s;
    copy.signature = arena_str(arena, s->signature);
    copy.frames = arena_str(arena, s->frames);
    copy.detail = arena_str(arena, s->detail);
    return copy;
}

static Symptom of_verdict(Arena *arena, const Verdict *v) {
    Symptom s = { .kind = v->kind, .detail = arena_str(arena, v->detail) };
    if (v->kind == VERDICT_CRASH) {
        s.signature = arena_str(arena, v->crash.signature);
        s.frames = arena_str(arena, v->crash.frames);
        s.refused = v->crash.refused;
    }
    if (v->kind == VERDICT_REJECTED || v->kind == VERDICT_LINK)
        s.signature = message_essence(arena, v->detail);
    return s;
}

/* The linker's own words: its driver says the same about every failure. */
static Str link_essence(Arena *arena, Str text, Str detail) {
    static const char *const words[] = { "undefined reference", "multiple definition",
                                         "undefined symbol",    "duplicate symbol",
                                         "relocation",          "Error: " };
    Str rest = text, line;
    while (str_split(&rest, '\n', &line))
        for (size_t i = 0; i < COUNT_OF(words); i++) {
            size_t at = str_find(line, str_from(words[i]), 0);
            if (at != STR_NONE) return message_essence(arena, str_sub(line, at, line.len));
        }
    return message_essence(arena, detail);
}

static void put_how(Symptom *s, const RunResult *ran) {
    s->number = ran->code;
    s->how = ran->end == RUN_SIGNALED   ? WRONG_SIGNAL
             : ran->end == RUN_TIMEOUT  ? WRONG_ENDLESS
             : ran->end == RUN_OVERFLOW ? WRONG_FLOOD
                                        : WRONG_ANSWER;
}

Symptom symptom_of_job(Arena *arena, const CcJob *job) {
    Symptom s = of_verdict(arena, &job->verdict);
    if (s.kind == VERDICT_WRONG) put_how(&s, &job->ran);
    if (s.kind == VERDICT_LINK) s.signature = link_essence(arena, job->linked.err, s.detail);
    return s;
}

Symptom symptom_of_compile(Arena *arena, const RunResult *ran, double hang_s) {
    Verdict v = verdict_of_compile(arena, ran, hang_s);
    return of_verdict(arena, &v);
}

Symptom symptom_of_run(Arena *arena, const RunResult *ran, Str expected, int code, double run_s) {
    Verdict v = verdict_of_run(arena, ran, expected, code, run_s);
    Symptom s = of_verdict(arena, &v);
    if (s.kind == VERDICT_WRONG) put_how(&s, ran);
    return s;
}

static bool same_wrong(const Symptom *want, const Symptom *got) {
    if (want->how == WRONG_NOT) return true;
    return want->how == got->how && (want->how != WRONG_SIGNAL || want->number == got->number);
}

bool symptom_same(const Symptom *want, const Symptom *got) {
    if (want->kind != got->kind || got->kind == VERDICT_NONE) return false;
    if (want->signature.len && !str_eq(want->signature, got->signature)) return false;
    if (want->kind == VERDICT_CRASH && got->refused && !want->refused) return false;
    return want->kind != VERDICT_WRONG || same_wrong(want, got);
}

/* ---- the failure ---- */

size_t repro_units(const Repro *repro) {
    size_t n = 0;
    for (size_t i = 0; i < repro->n_files; i++) n += repro->files[i].unit;
    return n;
}

bool repro_runs(const Repro *repro) {
    return repro->symptom.kind == VERDICT_WRONG;
}

bool repro_links(const Repro *repro) {
    Str rest = repro->flags, word;
    bool link_time = false; /* which may crash while it links */
    while (str_split(&rest, ' ', &word)) link_time |= str_starts(word, "-flto");
    return repro_runs(repro) || repro->symptom.kind == VERDICT_LINK || repro_units(repro) > 1 ||
           link_time;
}

/* ---- opening ---- */

/* Is the reference needed at all? */
static bool needs_reference(const Repro *repro) {
    VerdictKind kind = repro->symptom.kind;
    return kind == VERDICT_WRONG || kind == VERDICT_REJECTED || kind == VERDICT_LINK;
}

static bool open_reference(Arena *arena, const Repro *repro, Reproducer *out, Error *err) {
    out->ref_flags = shell_argv(arena, repro->good_flags);
    if (!repro->reference.len) return true;
    if (str_eq(repro->reference, repro->compiler) && !out->cc.aim) {
        out->ref = out->cc;
        return out->has_ref = true;
    }
    Error lacks = { 0 };
    out->has_ref = compiler_open_with(arena, arena_cstr(arena, repro->reference), out->ref_flags,
                                      &out->ref, &lacks);
    if (out->has_ref || !needs_reference(repro) || repro->has_expected) return true;
    *err = lacks;
    return false;
}

/* Which compiler compiles each file. */
static bool open_units(Arena *arena, const Repro *repro, Reproducer *out, Error *err) {
    const Compiler **by = ARENA_ARRAY(arena, const Compiler *, repro->n_files + 1);
    const char *const **flags = ARENA_ARRAY(arena, const char *const *, repro->n_files + 1);
    const Compiler *own = arena_copy(arena, &out->cc, sizeof out->cc); /* *out may be copied */
    for (size_t i = 0; i < repro->n_files; i++) {
        const ReproFile *file = &repro->files[i];
        if (!file->unit) continue;
        flags[i] = file->flags.len ? shell_argv(arena, file->flags) : out->cc_flags;
        by[i] = own;
        if (!file->compiler.len || str_eq(file->compiler, repro->compiler)) continue;
        Compiler *other = ARENA_NEW(arena, Compiler);
        if (!compiler_open_with(arena, arena_cstr(arena, file->compiler), flags[i], other, err))
            return false;
        by[i] = other;
    }
    out->by = by;
    out->flags = flags;
    return true;
}

static CcUntil how_far(const Repro *repro, const Compiler *cc) {
    if (repro_runs(repro)) return CC_UNTIL_RUN;
    if (repro_links(repro)) return CC_UNTIL_LINKED;
    return cc->kind == CC_TCC ? CC_UNTIL_OBJECT : CC_UNTIL_ASSEMBLY;
}

bool repro_open(Arena *arena, const Repro *repro, Reproducer *out, Error *err) {
    *out = (Reproducer){ .repro = repro, .want = repro->symptom, .load = true };
    if (!repro_units(repro)) return err_set(err, STATUS_BAD, "there is no program to compile");
    out->cc_flags = shell_argv(arena, repro->flags);
    if (!compiler_open_with(arena, arena_cstr(arena, repro->compiler), out->cc_flags, &out->cc,
                            err))
        return false;
    if (repro_runs(repro) && out->cc.unrun) return err_set(err, STATUS_LACKS, "%s", out->cc.unrun);
    out->cure = repro->cure.len ? shell_argv(arena, repro->cure) : NULL;
    out->until = how_far(repro, &out->cc);
    out->compile_s = repro->hang_s;
    return open_reference(arena, repro, out, err) && open_units(arena, repro, out, err);
}

/* ---- one question ---- */

typedef enum ReproRung {
    RUNG_RIGHT, /* the reference: what is right, or that it is accepted at all */
    RUNG_FAIL,  /* the failing compilation */
    RUNG_CURE,  /* the same with the cure: must pass */
    RUNG_END,
} ReproRung;

static const ReproRung ladders[][4] = {
    [VERDICT_CRASH] = { RUNG_FAIL, RUNG_CURE, RUNG_END },
    [VERDICT_HANG] = { RUNG_FAIL, RUNG_CURE, RUNG_END },
    [VERDICT_REJECTED] = { RUNG_RIGHT, RUNG_FAIL, RUNG_CURE, RUNG_END },
    [VERDICT_LINK] = { RUNG_RIGHT, RUNG_FAIL, RUNG_CURE, RUNG_END },
    [VERDICT_WRONG] = { RUNG_RIGHT, RUNG_FAIL, RUNG_CURE, RUNG_END },
    [VERDICT_NONE] = { RUNG_END },
};

static const ReproRung signal_ladder[] = { RUNG_FAIL, RUNG_RIGHT, RUNG_CURE, RUNG_END };

static ReproRung rung_of(const ReproJob *j) {
    const Symptom *want = &j->by->want;
    bool dies = want->kind == VERDICT_WRONG && want->how == WRONG_SIGNAL && !j->by->any;
    return (dies ? signal_ladder : ladders[want->kind])[j->stage];
}

static bool is_skipped(const ReproJob *j, ReproRung rung) {
    if (rung == RUNG_RIGHT) return j->has_right || !j->by->has_ref;
    return rung == RUNG_CURE && (!j->cured || !j->by->cure);
}

/* The units as a rung compiles them; NULL: one file, which a CcJob takes as it is. */
static void put_program(ReproJob *j, CcJob *cc, ReproRung rung) {
    const Reproducer *by = j->by;
    Arena *arena = &j->job.arena;
    size_t n = by->repro->n_files, units = 0;
    CcUnit *list = ARENA_ARRAY(arena, CcUnit, n + 1);
    CcFile *beside = ARENA_ARRAY(arena, CcFile, n + 1);
    size_t files = 0;
    for (size_t i = 0; i < n; i++) {
        const ReproFile *file = &j->files[i];
        if (!file->unit) {
            beside[files++] = (CcFile){ arena_cstr(arena, file->name), file->text };
            continue;
        }
        const char *const *flags = rung == RUNG_RIGHT ? by->ref_flags : by->flags[i];
        if (rung == RUNG_CURE) flags = flags_plus(arena, flags, by->cure);
        list[units++] = (CcUnit){ .cc = rung == RUNG_RIGHT ? &by->ref : by->by[i],
                                  .flags = flags,
                                  .source = file->text,
                                  .name = arena_cstr(arena, file->name) };
    }
    cc->files = beside, cc->n_files = files;
    if (units == 1) {
        cc->cc = list[0].cc, cc->flags = list[0].flags, cc->source = list[0].source;
        cc->name = list[0].name;
    } else {
        cc->units = list, cc->n_units = units;
    }
}

static void begin_rung(ReproJob *j, ReproRung rung) {
    const Reproducer *by = j->by;
    bool right = rung == RUNG_RIGHT;
    const char *const *flags = right ? by->ref_flags : by->cc_flags;
    if (rung == RUNG_CURE) flags = flags_plus(&j->job.arena, flags, by->cure);
    CcJob *cc = ARENA_NEW(&j->job.arena, CcJob);
    cc_job_init(cc, right ? &by->ref : &by->cc, flags, (Str){ "", 0 }, by->until);
    put_program(j, cc, rung);
    cc->input = by->repro->input;
    cc->arguments = by->repro->arguments;
    cc->compile_s = by->compile_s;
    cc->run_s = by->run_s;
    cc->load = by->load && !by->repro->arguments;
    cc->compare = !right && by->until == CC_UNTIL_RUN && j->has_right;
    cc->expected = j->right, cc->code = j->code;
    if (cc->compare) cc->output = REPRO_OUTPUT + 4 * j->right.len;
    j->reached |= !right;
    j->cc = cc;
    j->cc_open = true;
}

static bool finish(ReproJob *j, bool fails, const char *why) {
    j->fails = fails;
    j->why = str_from(why);
    return false;
}

/* The reference's answer; true: go on. */
static bool judge_right(ReproJob *j) {
    const CcJob *cc = j->cc;
    bool runs = j->by->until == CC_UNTIL_RUN;
    bool ok = cc->verdict.kind == VERDICT_OK && (!runs || cc->ran.end == RUN_EXITED);
    j->rejected = cc->verdict.kind == VERDICT_REJECTED || cc->verdict.kind == VERDICT_LINK;
    if (!ok) {
        j->seen = symptom_of_job(&j->job.arena, cc);
        return finish(j, false,
                      arena_fmt(&j->job.arena, "%s fails as well: %s", j->by->ref.name,
                                runs && cc->verdict.kind == VERDICT_OK
                                    ? run_describe(&j->job.arena, &cc->ran)
                                    : symptom_text(&j->job.arena, &j->seen)));
    }
    j->has_right = runs;
    j->right = arena_str(&j->job.arena, cc->ran.out);
    j->code = cc->ran.code;
    j->right_cpu = cc->run_cpu;
    return true;
}

static bool judge_fail(ReproJob *j) {
    const Reproducer *by = j->by;
    j->seen = symptom_of_job(&j->job.arena, j->cc);
    if (!j->cc->compare && j->cc->ran.end == RUN_SIGNALED) { /* whatever is right, it is not this */
        j->seen.kind = VERDICT_WRONG;
        put_how(&j->seen, &j->cc->ran);
    }
    j->cpu_s = j->cc->job.cpu_s;
    j->rejected = j->seen.kind != by->want.kind &&
                  (j->seen.kind == VERDICT_REJECTED || j->seen.kind == VERDICT_LINK);
    if (!j->cc->compare && by->want.how == WRONG_SIGNAL && j->seen.kind == VERDICT_OK)
        return finish(j, false, "dies of no signal");
    bool same = by->any ? j->seen.kind == by->want.kind : symptom_same(&by->want, &j->seen);
    return same || finish(j, false, symptom_text(&j->job.arena, &j->seen));
}

static bool judge_cure(ReproJob *j) {
    if (j->cc->verdict.kind == VERDICT_OK) return true;
    return finish(j, false,
                  arena_fmt(&j->job.arena, "another bug: " STR_FMT " does not cure it",
                            STR_ARG(j->by->repro->cure)));
}

static bool judge(ReproJob *j, ReproRung rung) {
    if (rung == RUNG_RIGHT) return judge_right(j);
    return rung == RUNG_FAIL ? judge_fail(j) : judge_cure(j);
}

static void close_cc(ReproJob *j) {
    if (j->cc_open) cc_job_end(j->cc);
    j->cc_open = false;
}

/* Begins the next rung that applies; false: the top is reached, and the failure is confirmed. */
static bool climb(ReproJob *j) {
    while (rung_of(j) != RUNG_END && is_skipped(j, rung_of(j))) j->stage++;
    if (rung_of(j) == RUNG_END) return finish(j, j->seen.kind == j->by->want.kind, "");
    begin_rung(j, rung_of(j));
    return true;
}

static bool step(Job *base, const RunResult *last, RunSpec *next) {
    ReproJob *j = (ReproJob *)base;
    if (!last && !climb(j)) return false;
    for (;;) {
        if (last) j->cc->job.cpu_s += last->cpu_s; /* no pool counts its time here */
        if (j->cc->job.step(&j->cc->job, last, next)) return true;
        last = NULL;
        bool more = judge(j, rung_of(j));
        close_cc(j);
        if (!more) return false;
        j->stage++;
        if (!climb(j)) return false;
    }
}

void repro_job_init(ReproJob *job, const Reproducer *by) {
    *job = (ReproJob){ .job = { .step = step }, .by = by, .files = by->repro->files, .own = true };
    job->seen = (Symptom){ .kind = VERDICT_NONE, .detail = STR("not asked") };
    repro_job_program(job, by->repro->files, true);
}

void repro_job_program(ReproJob *job, const ReproFile *files, bool own) {
    const Repro *repro = job->by->repro;
    job->files = files;
    job->own = own;
    job->has_right = own && repro->has_expected;
    job->right = job->has_right ? repro->expected : (Str){ "", 0 };
    job->code = job->has_right ? repro->code : 0;
}

void repro_job_end(ReproJob *job) {
    close_cc(job);
    arena_release(&job->job.arena);
}

static void run_job(ReproJob *job, Pool *pool) {
    Pool *own = pool ? NULL : pool_new(1);
    pool_submit(own ? own : pool, &job->job);
    Job *done = pool_next(own ? own : pool);
    CHECK(done == &job->job);
    if (own) pool_free(own);
}

bool repro_ask(Arena *arena, const Reproducer *by, Pool *pool, const ReproFile *files,
               Symptom *seen) {
    ReproJob job;
    repro_job_init(&job, by);
    if (files) repro_job_program(&job, files, false);
    run_job(&job, pool);
    bool fails = job.fails && !job.job.cancelled;
    if (seen) *seen = symptom_copy(arena, &job.seen);
    repro_job_end(&job);
    return fails;
}

/* LLVM: the pass at the boundary is still the same. */
static bool same_pass(Arena *arena, const Reproducer *by, Pool *pool, const ReproJob *done,
                      Str *why) {
    const Repro *repro = by->repro;
    if (!repro->pass.len || by->cc.kind != CC_CLANG || repro->n_files != 1) return true;
    CcJob job;
    cc_job_init(&job, &by->cc, by->cc_flags, done->files[0].text, by->until);
    job.compare = by->until == CC_UNTIL_RUN;
    job.expected = done->right, job.code = done->code;
    job.input = repro->input;
    job.compile_s = by->compile_s, job.run_s = by->run_s;
    BlameQuestion question = {
        .job = &job, .symptom = done->seen, .quick = true, .time_s = REPRO_BLAME_S
    };
    Blame blame;
    Error err = { 0 };
    bool known = blame_find(arena, pool, &question, &blame, &err) && blame.pass.len;
    if (known) vec_release(&blame.cures);
    if (!known || str_eq(blame.pass, repro->pass)) return true;
    *why =
        str_from(arena_fmt(arena, "another bug: it depends on the pass " STR_FMT ", not " STR_FMT,
                           STR_ARG(blame.pass), STR_ARG(repro->pass)));
    return false;
}

bool repro_same_bug(Arena *arena, const Reproducer *by, Pool *pool, const ReproFile *files,
                    Str *why) {
    ReproJob job;
    repro_job_init(&job, by);
    if (files) repro_job_program(&job, files, false);
    job.cured = true;
    run_job(&job, pool);
    bool same = job.fails || job.job.cancelled;
    *why = arena_str(arena, job.why);
    if (same && !job.job.cancelled) same = same_pass(arena, by, pool, &job, why);
    repro_job_end(&job);
    return same;
}

bool repro_learn(Arena *arena, Reproducer *by, Pool *pool, Error *err) {
    ReproJob job;
    Symptom wanted = by->want;
    by->want = (Symptom){ .kind = wanted.kind, .refused = true };
    repro_job_init(&job, by);
    run_job(&job, pool);
    Symptom seen = symptom_copy(arena, &job.seen);
    Str why = arena_str(arena, job.why);
    bool fails = job.fails && !job.job.cancelled;
    repro_job_end(&job);
    by->want = wanted;
    if (!fails)
        return err_set(err, STATUS_NO, STR_FMT " " STR_FMT " does not fail so (%s): " STR_FMT,
                       STR_ARG(by->repro->compiler), STR_ARG(by->repro->flags),
                       verdict_name(wanted.kind), STR_ARG(why));
    by->want = seen;
    return true;
}

/* Finding the flag or pass a failure depends on: sweeps of single switches over the pool, ddmin
 * when only several together cure, bisection over LLVM's numbered passes. */
#include "cc/blame.h"

#include "base/quantity.h"
#include "shrink/shrink.h"

typedef struct BlameSearch {
    Arena *arena; /* of the answer */
    Pool *pool;
    const BlameQuestion *question;
    Blame *out;
    double deadline; /* clock_now; 0: none */
} BlameSearch;

static bool out_of_time(const BlameSearch *s) {
    return run_interrupted() || (s->deadline > 0 && clock_now() > s->deadline);
}

/* A copy of the failing job with more flags. */
static CcJob *make_job(const BlameSearch *s, const char *const *more) {
    const CcJob *given = s->question->job;
    CcJob *job = mem_alloc(sizeof *job);
    cc_job_init(job, given->cc, NULL, given->source, given->until);
    job->flags = flags_plus(&job->job.arena, given->flags, more);
    job->path = given->path, job->link = given->link, job->compare = given->compare;
    job->expected = given->expected, job->code = given->code, job->input = given->input;
    job->compile_s = given->compile_s, job->run_s = given->run_s;
    job->output = given->output;
    return job;
}

/* Counts a finished job and gives it back; true when the failure was gone. */
static bool drop_job(BlameSearch *s, CcJob *job, bool *fails) {
    bool cured = !job->job.cancelled && job->verdict.kind == VERDICT_OK;
    Symptom seen = symptom_of_job(&job->job.arena, job);
    if (fails) *fails = !job->job.cancelled && symptom_same(&s->question->symptom, &seen);
    s->out->runs++;
    s->out->cpu_s += job->job.cpu_s;
    cc_job_end(job);
    mem_free(job);
    return cured;
}

static bool cures(BlameSearch *s, const char *const *more, bool *fails, int64_t *bisected,
                  Str *pass);

/* ---- GCC ---- */
/* Which of the switches cures alone: cured[i]. */
static void sweep(BlameSearch *s, const StrVec *off, bool *cured) {
    CcJob **jobs = mem_alloc(off->len * sizeof *jobs);
    for (size_t i = 0; i < off->len; i++) {
        const char *const more[] = { off->at[i].at, NULL };
        jobs[i] = make_job(s, more);
        pool_submit(s->pool, &jobs[i]->job);
    }
    for (size_t i = 0; i < off->len; i++) {
        if (out_of_time(s)) pool_cancel_all(s->pool);
        CcJob *job = (CcJob *)pool_next(s->pool);
        CHECK(job == jobs[i]);
        cured[i] = drop_job(s, job, NULL);
    }
    mem_free(jobs);
}

typedef struct Together {
    BlameSearch *search;
    const StrVec *off;
} Together;

/* For the minimiser "fails" means: these switches together cure. */
static ShrinkVerdict test_together(void *user, const uint8_t *keep, size_t n) {
    Together *t = user;
    if (out_of_time(t->search)) return SHRINK_PASSES;
    const char **more = mem_alloc((n + 1) * sizeof *more);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (keep[i]) more[k++] = t->off->at[i].at;
    bool cured = cures(t->search, more, NULL, NULL, NULL);
    mem_free(more);
    return cured ? SHRINK_FAILS : SHRINK_PASSES;
}

/* No single switch cures: a minimal set that does, if all of them together do. */
static void minimal_set(BlameSearch *s, const StrVec *off) {
    Together t = { s, off };
    uint8_t *keep = mem_alloc(off->len + 1);
    memset(keep, 1, off->len);
    if (off->len && test_together(&t, keep, off->len) == SHRINK_FAILS) {
        ShrinkPlain plain = { test_together, &t, 0 };
        ShrinkTest test = shrink_one_by_one(&plain);
        shrink_fast(&test, keep, off->len);
        Buf key = { 0 };
        for (size_t i = 0; i < off->len; i++)
            if (keep[i]) buf_fmt(&key, "%s" STR_FMT, key.len ? " " : "", STR_ARG(off->at[i]));
        s->out->key = arena_str(s->arena, buf_view(&key));
        buf_release(&key);
    }
    mem_free(keep);
}

/* Switches that disturb everything: they cure many failures they have nothing to do with. */
static bool is_broad(Str flag) {
    static const char *const broad[] = {
        "-fno-inline",           "-fno-toplevel-reorder", "-fno-ipa-",
        "-fno-tree-ter",         "-fno-tree-ccp",         "-fno-tree-fre",
        "-fno-tree-dce",         "-fno-tree-sra",         "-fno-tree-dominator",
        "-fno-tree-forwprop",    "-fno-tree-copy-prop",   "-fno-tree-pre",
        "-fno-ivopts",           "-fno-tree-ch",          "-fno-guess",
        "-fno-partial-inlining", "-fno-early-inlining",   "-fno-tree-coalesce",
        "-fno-jump-tables",      "-fno-unit-at-a-time",   "-fno-tree-bit-ccp"
    };
    for (size_t i = 0; i < COUNT_OF(broad); i++)
        if (str_starts(flag, broad[i])) return true;
    return false;
}

/* "-fdisable-tree-vrp2" -> "vrp" */
static Str pass_name(Str option) {
    Str name = str_sub(option, 10, option.len);
    size_t dash = str_find(name, STR("-"), 0);
    if (dash != STR_NONE) name = str_sub(name, dash + 1, name.len);
    while (name.len && name.at[name.len - 1] >= '0' && name.at[name.len - 1] <= '9') name.len--;
    return name;
}

/* The last pass of the pipeline whose absence cures the failure is nearest to the damage. */
static bool blame_passes(BlameSearch *s, Error *err) {
    StrVec off = { 0 };
    if (!compiler_passes_off(s->arena, s->question->job->cc, s->question->job->flags, &off, err))
        return false;
    bool *cured = mem_alloc(off.len + 1);
    sweep(s, &off, cured);
    for (size_t i = 0; i < off.len; i++)
        if (cured[i]) {
            vec_push(&s->out->cures, off.at[i]);
            s->out->pass = pass_name(off.at[i]);
        }
    mem_free(cured);
    vec_release(&off);
    return true;
}

/* Do the first n switches and the chosen ones together cure? */
static bool prefix_cures(BlameSearch *s, const StrVec *off, size_t n, const StrVec *chosen) {
    const char **more = mem_alloc((n + chosen->len + 1) * sizeof *more);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) more[k++] = off->at[i].at;
    for (size_t i = 0; i < chosen->len; i++) more[k++] = chosen->at[i].at;
    bool cured = cures(s, more, NULL, NULL, NULL);
    mem_free(more);
    return cured;
}

/* Narrow switches before broad ones: the shortest prefix of the list that cures then ends in a
 * specific one. Until the chosen switches cure on their own, the last switch of the shortest curing
 * prefix is added to them. */
static void bisect_flags(BlameSearch *s, StrVec *off) {
    StrVec order = { 0 }, chosen = { 0 };
    for (int broad = 0; broad < 2; broad++)
        for (size_t i = 0; i < off->len; i++)
            if (is_broad(off->at[i]) == (broad == 1)) vec_push(&order, off->at[i]);
    bool cured = order.len && prefix_cures(s, &order, order.len, &chosen);
    size_t limit = order.len;
    while (cured && limit && !out_of_time(s)) {
        size_t low = 0, high = limit; /* low does not cure, high does */
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (prefix_cures(s, &order, middle, &chosen))
                high = middle;
            else
                low = middle;
        }
        vec_push(&chosen, order.at[high - 1]);
        limit = high - 1;
        if (prefix_cures(s, &order, 0, &chosen)) break;
    }
    Buf key = { 0 };
    for (size_t i = 0; i < chosen.len; i++)
        buf_fmt(&key, "%s" STR_FMT, i ? " " : "", STR_ARG(chosen.at[i]));
    s->out->key = arena_str(s->arena, buf_view(&key));
    buf_release(&key);
    vec_release(&order);
    vec_release(&chosen);
}

static bool blame_gcc(BlameSearch *s, Error *err) {
    const CcJob *job = s->question->job;
    StrVec off = { 0 };
    Blame *out = s->out;
    if (!compiler_flags_off(s->arena, job->cc, job->flags, &off, err)) return false;
    if (s->question->quick) {
        bisect_flags(s, &off);
        vec_release(&off);
        return true;
    }
    bool *cured = mem_alloc(off.len + 1);
    sweep(s, &off, cured);
    for (size_t i = 0; i < off.len; i++)
        if (cured[i]) {
            vec_push(&out->cures, off.at[i]);
            if (!out->key.len || (is_broad(out->key) && !is_broad(off.at[i]))) out->key = off.at[i];
        }
    mem_free(cured);
    if (!out->cures.len) minimal_set(s, &off);
    vec_release(&off);
    if (s->question->passes && !blame_passes(s, err)) return false;
    if (!out->key.len && out->pass.len)
        out->key = str_from(arena_fmt(s->arena, "pass " STR_FMT, STR_ARG(out->pass)));
    return true;
}

/* ---- LLVM ---- */
/* The last "BISECT: running pass (N) NAME on .." of a compiler's messages. */
static void read_bisect(Arena *arena, Str text, int64_t *number, Str *name) {
    Str rest = text, line, label = STR("BISECT: running pass (");
    while (str_split(&rest, '\n', &line)) {
        size_t close = str_find(line, STR(") "), 0), on;
        if (!str_starts(line, label.at) || close == STR_NONE) continue;
        str_to_i64(str_sub(line, label.len, close), number);
        Str behind = str_sub(line, close + 2, line.len);
        on = str_find(behind, STR(" on "), 0);
        if (name) *name = arena_str(arena, str_sub(behind, 0, on == STR_NONE ? behind.len : on));
    }
}

/* Runs the job with more flags: is the failure gone, still there, and how far did LLVM count? */
static bool cures(BlameSearch *s, const char *const *more, bool *fails, int64_t *bisected,
                  Str *pass) {
    CcJob *job = make_job(s, more);
    pool_submit(s->pool, &job->job);
    pool_next(s->pool);
    if (bisected) read_bisect(s->arena, job->compiled.err, bisected, pass);
    return drop_job(s, job, fails);
}

static bool fails_at(BlameSearch *s, int64_t limit, int64_t *ran, Str *pass) {
    const char *const more[] = { "-mllvm",
                                 arena_fmt(s->arena, "-opt-bisect-limit=%lld", (long long)limit),
                                 NULL };
    bool fails = false;
    cures(s, more, &fails, ran, pass);
    return fails;
}

static void blame_llvm(BlameSearch *s) {
    int64_t good = 0, bad = 0, ran = 0;
    if (!fails_at(s, 1000000000, &bad, NULL) || bad == 0) return; /* -mllvm is not understood */
    if (fails_at(s, 0, &ran, NULL)) {
        s->out->key = STR("pass none"); /* earlier, or in a pass that is never skipped */
        return;
    }
    while (bad - good > 1 && !out_of_time(s)) {
        int64_t middle = good + (bad - good) / 2;
        if (fails_at(s, middle, &ran, NULL))
            bad = middle;
        else
            good = middle;
    }
    if (bad - good > 1) return;
    fails_at(s, bad, &ran, &s->out->pass);
    s->out->limit = bad;
    s->out->key = str_from(arena_fmt(s->arena, "pass " STR_FMT, STR_ARG(s->out->pass)));
}

bool blame_find(Arena *arena, Pool *pool, const BlameQuestion *question, Blame *out, Error *err) {
    *out = (Blame){ .key = STR("") };
    BlameSearch search = { arena, pool, question, out,
                           question->time_s > 0 ? clock_now() + question->time_s : 0 };
    const Compiler *cc = question->job->cc;
    if (cc->kind == CC_GCC || cc->kind == CC_CC1) return blame_gcc(&search, err);
    if (cc->kind == CC_CLANG) blame_llvm(&search);
    return true;
}

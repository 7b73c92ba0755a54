/* Buckets: a thousand hits of one bug are one case. The key is made of the compiler's kind, the
 * verdict, what the failure hangs on (a flag, a pass; without these the shape of the expression
 * that comes out wrong) and which installed versions fail. It is computed with the newest failing
 * version of the kind, so that one bug found in two versions is one bucket; and it depends on the
 * failing program alone, not on what was found before. */
#include "hunt/bucket.h"

#include "base/json.h"
#include "hunt/locate.h"
#include "hunt/verify.h"
#include "shrink/shrink.h"

/* ---- the snippets that matter ---- */
typedef struct SnippetMinimise {
    const BucketInput *in;
    Buf text; /* the candidate */
} SnippetMinimise;

static void render(SnippetMinimise *m, const uint8_t *keep, size_t n) {
    bool *flags = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) flags[i] = keep[i] != 0;
    buf_clear(&m->text);
    mutate_render(m->in->chain, m->in->variant, flags, &m->text);
    mem_free(flags);
}

static ShrinkVerdict still_fails(void *user, const uint8_t *keep, size_t n) {
    SnippetMinimise *m = user;
    const BucketInput *in = m->in;
    render(m, keep, n);
    HuntProgram subject = in->seed->subject;
    subject.text = buf_view(&m->text);
    CcJob job;
    trial_one(&job, in->setup, in->pool, &subject, &in->failure->cell, NULL);
    ShrinkVerdict verdict = SHRINK_UNRESOLVED;
    if (verdict_same(&job.verdict, &in->failure->verdict))
        verdict = SHRINK_FAILS;
    else if (job.verdict.kind == VERDICT_OK)
        verdict = SHRINK_PASSES;
    cc_job_end(&job);
    return verdict;
}

void minimise_snippets(Arena *arena, const BucketInput *in, uint8_t *needed, Str *text) {
    size_t n = in->variant->snippets_len;
    SnippetMinimise m = { .in = in };
    memset(needed, 1, n);
    ShrinkPlain plain = { still_fails, &m, 0 };
    ShrinkTest test = shrink_one_by_one(&plain);
    if (still_fails(&m, needed, n) == SHRINK_FAILS) {
        shrink_fast(&test, needed, n);
        render(&m, needed, n);
        *text = arena_str(arena, buf_view(&m.text));
    } else
        *text = in->variant->text; /* what is rendered is not what failed: keep that */
    buf_release(&m.text);
}

/* ---- which versions ---- */
typedef struct FailingVersions {
    json_t *failing, *passing;
    const Compiler *newest; /* failing, of the kind; never NULL */
    Buf key;                /* failing major versions */
} FailingVersions;

static bool judge(const BucketInput *in, const Compiler *cc, const HuntProgram *subject,
                  Verdict *verdict, Arena *arena) {
    CcJob job;
    trial_one(&job, in->setup, in->pool, subject, &in->failure->cell, cc);
    *verdict = job.verdict;
    verdict->crash.signature = arena_str(arena, verdict->crash.signature);
    verdict->detail = arena_str(arena, verdict->detail);
    bool fails = job.verdict.kind == in->failure->verdict.kind;
    cc_job_end(&job);
    return fails;
}

static void find_versions(Arena *arena, const BucketInput *in, const HuntProgram *subject,
                          FailingVersions *out) {
    const Compiler *found = &in->setup->compilers.at[in->failure->cell.compiler];
    *out = (FailingVersions){ .failing = json_array(), .passing = json_array(), .newest = found };
    for (size_t i = 0; i < in->setup->installed.len; i++) {
        const Compiler *cc = &in->setup->installed.at[i];
        if (cc->kind != found->kind) continue;
        Verdict verdict;
        bool same = strcmp(cc->path, found->path) == 0,
             fails = same || judge(in, cc, subject, &verdict, arena);
        const char *label = arena_fmt(arena, "%s %s", cc->name, cc->version);
        if (fails) {
            json_array_append_new(out->failing, json_text(str_from(label)));
            buf_fmt(&out->key, "%s%u", out->key.len ? "," : "", cc->major);
            if (cc->major >= out->newest->major) out->newest = cc;
        } else if (verdict.kind == VERDICT_OK) {
            json_array_append_new(out->passing, json_text(str_from(label)));
        }
    }
    if (!out->key.len) buf_fmt(&out->key, "%u", found->major); /* a path that is not installed */
}

static Str dump(Arena *arena, json_t *value) {
    Buf text = { 0 };
    json_dump_buf(value, false, &text);
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    json_decref(value);
    return copy;
}

/* ---- what it hangs on ---- */
/* The nearest set of flags that passes: a lower level, or the level without the drawn flags. */
static Str passing_flags(Arena *arena, const BucketInput *in, const HuntProgram *subject,
                         const Compiler *cc) {
    BucketInput other = *in;
    Failure failure = *in->failure;
    if (failure.cell.units) return STR("");
    other.failure = &failure;
    const char *own = in->failure->cell.flags[0];
    const char *const *levels = in->setup->levels;
    size_t n = 0, at = 0;
    for (; levels[n]; n++)
        if (strcmp(levels[n], own) == 0) at = n;
    for (size_t k = 0; k <= n; k++) {
        const char *level = k == 0      ? own
                            : k <= at   ? levels[at - k]
                            : k - 1 < n ? levels[k - 1]
                                        : NULL;
        if (!level || (k == 0 && !in->failure->cell.drawn) || (k && strcmp(level, own) == 0))
            continue;
        failure.cell.flags = level_flags(arena, cc, level);
        Verdict verdict;
        judge(&other, cc, subject, &verdict, arena);
        if (verdict.kind == VERDICT_OK) return str_from(level);
    }
    return STR("");
}

static Str blame(Arena *arena, const BucketInput *in, const HuntProgram *subject,
                 const Compiler *cc) {
    CcJob job;
    trial_job(&job, in->setup, subject, &in->failure->cell, cc);
    BlameQuestion question = {
        .job = &job, .verdict = in->failure->verdict, .quick = true, .time_s = CAMPAIGN_BLAME_S
    };
    Blame answer;
    Error err;
    if (!blame_find(arena, in->pool, &question, &answer, &err)) return STR("");
    vec_release(&answer.cures);
    return answer.key;
}

/* ---- drawn flags ---- */
/* The flags without word i, and without what belongs to it; *step: so many words. */
static const char *const *without_flag(Arena *arena, const char *const *flags, size_t i,
                                       size_t *step) {
    size_t n = 0;
    while (flags[n]) n++;
    bool pair = strcmp(flags[i], "--param") == 0 || strcmp(flags[i], "-mllvm") == 0;
    *step = pair && flags[i + 1] ? 2 : 1;
    const char **left = ARENA_ARRAY(arena, const char *, n + 1);
    memcpy(left, flags, i * sizeof *left);
    memcpy(left + i, flags + i + *step, (n - i - *step) * sizeof *left);
    return left;
}

/* Of flags drawn at random those stay that matter. */
static void simplify_flags(Arena *arena, const BucketInput *in, const HuntProgram *subject,
                           Failure *failure) {
    for (size_t i = 1, step; failure->cell.flags[i] && !run_interrupted();) {
        Failure simpler = *failure;
        simpler.cell.flags = without_flag(arena, failure->cell.flags, i, &step);
        bool quiet = failure->cell.flags[i][1] == 'w' || failure->cell.flags[i][1] == 'W';
        if (!quiet && fails_alike(in->setup, in->pool, subject, &simpler))
            *failure = simpler;
        else
            i += step;
    }
}

/* ---- units ---- */
static bool try_plan(const BucketInput *in, const HuntProgram *subject, Failure *failure,
                     const UnitPlan *plan) {
    Failure simpler = *failure;
    if (!plan) return false;
    simpler.cell.units = plan;
    simpler.cell.compiler = plan->linker;
    simpler.cell.flags = plan->link_flags;
    if (run_interrupted() || !fails_alike(in->setup, in->pool, subject, &simpler)) return false;
    *failure = simpler;
    return true;
}

/* One compiler instead of two, no link-time optimisation; what does not matter is not optimised. */
static void simplify_units(Arena *arena, const BucketInput *in, const HuntProgram *subject,
                           Failure *failure) {
    const HuntSetup *setup = in->setup;
    const UnitPlan *plan = failure->cell.units;
    for (unsigned i = 0; i < 2; i++)
        if (try_plan(in, subject, failure, units_by_one(arena, setup, plan, plan->by[i]))) break;
    try_plan(in, subject, failure, units_apart(arena, failure->cell.units));
    for (unsigned k = 0; k <= plan->n; k++)
        try_plan(in, subject, failure, units_plain_at(arena, setup, failure->cell.units, k));
}

static Str units_json(Arena *arena, const BucketInput *in, const HuntProgram *subject) {
    const UnitPlan *plan = in->failure->cell.units;
    const char *why;
    const CcUnit *units = plan ? units_make(arena, in->setup, plan, subject->text, &why) : NULL;
    if (!units) return STR("");
    json_t *list = json_array();
    for (unsigned i = 0; i < plan->n; i++) {
        json_t *item = json_object();
        json_put_text(item, "compiler", str_from(units[i].cc->name));
        json_put_text(item, "flags", flags_join(arena, units[i].flags));
        json_put_text(item, "text", units[i].source);
        json_array_append_new(list, item);
    }
    return dump(arena, list);
}

/* The expression that comes out wrong, for compilers that have no switches: in the snippets that
 * matter and the functions they brought; of a seed anywhere. */
static Str locate(Arena *arena, const BucketInput *in, const HuntProgram *subject,
                  const uint8_t *needed, const Compiler *cc) {
    size_t n = in->variant ? in->variant->snippets_len : 0, kept = 0;
    size_t *from = ARENA_ARRAY(arena, size_t, n + 1), *to = ARENA_ARRAY(arena, size_t, n + 1);
    bool *keep = ARENA_ARRAY(arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) keep[i] = needed[i];
    if (in->variant) mutate_places(in->chain, in->variant, keep, from, to);
    for (size_t i = 0; i < n; i++)
        if (keep[i] && to[i]) from[kept] = from[i], to[kept++] = to[i];
    LocateInput question = { in->setup, in->pool, cc, &in->failure->cell, subject, from, to, kept };
    Str answer = kept ? locate_expression(arena, &question) : STR("");
    if (answer.len) return answer;
    from[0] = 0, to[0] = subject->text.len; /* anywhere */
    question.ranges = 1;
    return locate_expression(arena, &question);
}

/* ---- the case ---- */
static Str snippets_json(Arena *arena, const BucketInput *in, const uint8_t *needed) {
    json_t *list = json_array();
    for (size_t i = 0; in->variant && i < in->variant->snippets_len; i++) {
        const Snippet *s = &in->variant->snippets[i];
        json_t *item = json_object();
        json_put_int(item, "id", s->id);
        json_put_text(item, "strategy", str_from(strategy_name(s->strategy)));
        json_put_int(item, "line", s->line);
        json_put_text(item, "function", s->function);
        json_put_text(item, "text", s->text);
        json_put_bool(item, "needed", needed && needed[i]);
        json_array_append_new(list, item);
    }
    return dump(arena, list);
}

static Str matrix_json(Arena *arena, const BucketInput *in) {
    json_t *list = json_array();
    for (size_t i = 0; i < in->cells->len; i++) {
        const TrialCell *cell = &in->cells->at[i];
        const Compiler *cc = &in->setup->compilers.at[cell->compiler];
        VerdictKind kind = in->trial->verdicts[i];
        if (kind == VERDICT_NONE) continue;
        json_t *item = json_object();
        json_put_text(item, "compiler", str_from(cc->name));
        json_put_text(item, "version", str_from(cc->version));
        json_put_text(item, "level", trial_flags(arena, in->setup, cell));
        json_put_text(item, "verdict", str_from(verdict_name(kind)));
        json_array_append_new(list, item);
    }
    return dump(arena, list);
}

/* "tcb, fcb": the strategies whose snippets matter. */
static Str strategies_of(Arena *arena, const BucketInput *in, const uint8_t *needed) {
    bool used[STRATEGY_COUNT] = { false };
    for (size_t i = 0; in->variant && i < in->variant->snippets_len; i++)
        if (needed[i]) used[in->variant->snippets[i].strategy] = true;
    Buf text = { 0 };
    for (int s = 0; s < STRATEGY_COUNT; s++)
        if (used[s]) buf_fmt(&text, "%s%s", text.len ? "," : "", strategy_name((Strategy)s));
    Str copy = arena_str(arena, text.len ? buf_view(&text) : STR("seed"));
    buf_release(&text);
    return copy;
}

/* The flags without those that only keep the compiler quiet, where it compiles without them too. */
static Str shown_flags(Arena *arena, const BucketInput *in, const Compiler *cc,
                       const HuntProgram *subject) {
    const char *const *all = in->failure->cell.flags, *const *quiet = cc_tolerant(cc->kind);
    size_t n = 0, q = 0;
    while (all[n]) n++;
    while (quiet[q]) q++;
    const char **own = ARENA_ARRAY(arena, const char *, n + 1);
    for (size_t i = 0; i + q < n; i++) own[i] = all[i];
    BucketInput other = *in;
    Failure failure = *in->failure;
    if (failure.cell.units) return flags_join(arena, all);
    failure.cell.flags = own;
    other.failure = &failure;
    Verdict verdict;
    return flags_join(arena, judge(&other, cc, subject, &verdict, arena) ? own : all);
}

/* What stands in the bucket's key between the kind of failure and the versions. */
static Str essence(Arena *arena, const BucketInput *in, const HuntProgram *subject,
                   const uint8_t *needed, const Compiler *newest, Case *c) {
    const Verdict *v = &in->failure->verdict;
    if (v->kind == VERDICT_CRASH) {
        Verdict at_newest = *v;
        const Compiler *found = &in->setup->compilers.at[in->failure->cell.compiler];
        if (newest != found && strcmp(newest->path, found->path) != 0)
            judge(in, newest, subject, &at_newest, arena);
        c->signature = v->crash.signature;
        c->matters = v->crash.pass;
        if (str_is(v->crash.message,
                   "-fcompare-debug failure")) { /* it says nothing of its place */
            c->matters = blame(arena, in, subject, found);
            return str_from(arena_fmt(arena, STR_FMT ", " STR_FMT, STR_ARG(v->crash.message),
                                      STR_ARG(c->matters)));
        }
        return at_newest.kind == VERDICT_CRASH ? at_newest.crash.signature : v->crash.signature;
    }
    if (v->kind == VERDICT_LINK || v->kind == VERDICT_REJECTED) {
        c->signature = v->detail;
        Str text = v->detail; /* without the place in the program */
        size_t at = str_find(text, STR("error: "), 0);
        return at == STR_NONE ? text : str_sub(text, at, text.len);
    }
    if (in->failure->cell.units) {
        c->signature = v->detail;
        c->matters = units_key(arena, in->setup, in->failure->cell.units, true);
        return units_key(arena, in->setup, in->failure->cell.units, false);
    }
    if (newest->levels) c->matters = blame(arena, in, subject, newest);
    if (!c->matters.len) { /* no switch cures: the expression; the level itself, or not even that */
        bool wrong = v->kind == VERDICT_WRONG;
        Str where = wrong ? locate(arena, in, subject, needed, newest) : STR("");
        c->matters =
            !newest->levels ? where
            : c->good_flags.len
                ? str_from(arena_fmt(arena, "level " STR_FMT "%s" STR_FMT, STR_ARG(c->good_flags),
                                     where.len ? ", " : "", STR_ARG(where)))
                : str_from(arena_fmt(arena, "all levels%s" STR_FMT, where.len ? ", " : "",
                                     STR_ARG(where)));
    }
    c->signature = v->detail;
    return c->matters.len ? c->matters : STR("always");
}

void bucket_case(Arena *arena, const BucketInput *given, const HuntProgram *subject,
                 const uint8_t *needed, Case *c) {
    BucketInput simple = *given, *in = &simple;
    Failure failure = *given->failure;
    in->failure = &failure;
    if (failure.cell.units)
        simplify_units(arena, given, subject, &failure);
    else if (failure.cell.drawn)
        simplify_flags(arena, given, subject, &failure);
    const Compiler *cc = &in->setup->compilers.at[in->failure->cell.compiler];
    const Verdict *v = &in->failure->verdict;
    *c = (Case){ .number = in->seed->number,
                 .variant_number = in->variant ? in->variant->round : 0,
                 .compiler = str_from(cc->name),
                 .version = str_from(cc->version),
                 .kind = str_from(cc_kind_name(cc->kind)),
                 .target = str_from(cc->target),
                 .flags = shown_flags(arena, in, cc, subject),
                 .verdict = str_from(verdict_name(v->kind)),
                 .seed_name = str_from(in->seed->name),
                 .seed = in->seed->subject.text,
                 .variant = subject->text,
                 .expected = subject->expected,
                 .code = subject->code,
                 .actual = in->failure->actual };
    FailingVersions versions;
    find_versions(arena, in, subject, &versions);
    c->good_flags = passing_flags(arena, in, subject, cc);
    Str what = essence(arena, in, subject, needed, versions.newest, c);
    c->bucket =
        str_from(arena_fmt(arena, "%s|%s|" STR_FMT "|" STR_FMT, cc_kind_name(cc->kind),
                           verdict_name(v->kind), STR_ARG(what), STR_ARG(buf_view(&versions.key))));
    c->snippets = snippets_json(arena, in, needed);
    c->matrix = matrix_json(arena, in);
    c->units = units_json(arena, in, subject);
    json_t *both = json_object();
    json_put(both, "failing", versions.failing);
    json_put(both, "passing", versions.passing);
    c->versions = dump(arena, both);
    c->notes = str_from(
        arena_fmt(arena, "strategies: " STR_FMT, STR_ARG(strategies_of(arena, in, needed))));
    buf_release(&versions.key);
}

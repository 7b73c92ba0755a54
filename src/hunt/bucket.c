/* Buckets: a thousand hits of one bug are one case. The key consists of the compiler's kind, the
 * verdict, the essence of the failure and which installed versions fail. What the essence is
 * depends on the kind of failure; it is taken from the newest failing version, so that one bug
 * found in two versions is one bucket; and it depends on the failing program alone, not on what was
 * found before. */
#include "hunt/bucket.h"

#include "base/json.h"
#include "hunt/locate.h"

/* A case while it is being made. */
typedef struct Bucketing {
    Arena *arena;
    const Trialled *in;
    const HuntSetup *setup;
    const Failure *failure;
    const HuntProgram *subject;
    const uint8_t *needed;
    const Compiler *cc;     /* that failed */
    const Compiler *newest; /* newest of its kind that fails; cc where none is newer */
    Case *c;
} Bucketing;

/* ---- trying a compiler ---- */
/* Does it fail the same way with these flags? *verdict is in the arena. */
static bool judge(const Bucketing *b, const Compiler *cc, const char *const *flags,
                  Verdict *verdict) {
    TrialCell cell = b->failure->cell;
    cell.flags = flags;
    CcJob job;
    trial_one(&job, b->setup, b->in->pool, b->subject, &cell, cc);
    *verdict = job.verdict;
    verdict->crash.signature = arena_str(b->arena, verdict->crash.signature);
    verdict->detail = arena_str(b->arena, verdict->detail);
    bool fails = job.verdict.kind == b->failure->verdict.kind;
    cc_job_end(&job);
    return fails;
}

/* ---- which versions ---- */
typedef struct FailingVersions {
    json_t *failing, *passing; /* "gcc-12 12.2.0" */
    Buf key;                   /* majors that fail */
} FailingVersions;

static void find_versions(Bucketing *b, FailingVersions *out) {
    *out = (FailingVersions){ .failing = json_array(), .passing = json_array() };
    b->newest = b->cc;
    for (size_t i = 0; i < b->setup->installed.len; i++) {
        const Compiler *cc = &b->setup->installed.at[i];
        if (cc->kind != b->cc->kind) continue;
        Verdict verdict = { .kind = VERDICT_NONE };
        bool same = strcmp(cc->path, b->cc->path) == 0,
             fails = same || judge(b, cc, b->failure->cell.flags, &verdict);
        const char *label = arena_fmt(b->arena, "%s %s", cc->name, cc->version);
        if (fails) {
            json_array_append_new(out->failing, json_text(str_from(label)));
            buf_fmt(&out->key, "%s%u", out->key.len ? "," : "", cc->major);
            if (cc->major >= b->newest->major) b->newest = cc;
        } else if (verdict.kind == VERDICT_OK) {
            json_array_append_new(out->passing, json_text(str_from(label)));
        }
    }
    if (!out->key.len) buf_fmt(&out->key, "%u", b->cc->major); /* a compiler given by its path */
}

static Str dump(Arena *arena, json_t *value) {
    Buf text = { 0 };
    json_dump_buf(value, false, &text);
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    json_decref(value);
    return copy;
}

/* ---- what it depends on ---- */
/* The nearest set of flags that passes: tries the level without the drawn flags, then lower levels
 * from the failing one down, then higher ones. */
static Str passing_flags(const Bucketing *b) {
    const char *own = b->failure->cell.flags[0];
    const char *const *levels = b->setup->levels;
    if (b->failure->cell.units) return STR("");
    size_t n = 0, at = 0;
    for (; levels[n]; n++)
        if (strcmp(levels[n], own) == 0) at = n;
    for (size_t k = b->failure->cell.drawn ? 0 : 1; k <= n; k++) {
        const char *level = k == 0 ? own : k <= at ? levels[at - k] : levels[k - 1];
        Verdict verdict;
        if (k && strcmp(level, own) == 0) continue;
        judge(b, b->cc, level_flags(b->arena, b->cc, level), &verdict);
        if (verdict.kind == VERDICT_OK) return str_from(level);
    }
    return STR("");
}

static Str blame(const Bucketing *b, const Compiler *cc) {
    CcJob job;
    trial_job(&job, b->setup, b->subject, &b->failure->cell, cc);
    BlameQuestion question = {
        .job = &job, .symptom = b->failure->symptom, .quick = true, .time_s = CAMPAIGN_BLAME_S
    };
    Blame answer;
    Error err;
    bool found = blame_find(b->arena, b->in->pool, &question, &answer, &err);
    if (found) vec_release(&answer.cures);
    cc_job_end(&job);
    return found ? answer.key : STR("");
}

/* The expression that comes out wrong: in the snippets that matter and the functions that came with
 * them; in a seed, anywhere. */
static Str locate(const Bucketing *b) {
    const Variant *variant = b->in->variant;
    size_t n = variant ? variant->snippets_len : 0, kept = 0;
    size_t *from = ARENA_ARRAY(b->arena, size_t, n + 1), *to = ARENA_ARRAY(b->arena, size_t, n + 1);
    bool *keep = ARENA_ARRAY(b->arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) keep[i] = b->needed[i];
    if (variant) mutate_places(b->in->chain, variant, keep, from, to);
    for (size_t i = 0; i < n; i++)
        if (keep[i] && to[i]) from[kept] = from[i], to[kept++] = to[i];
    LocateInput question = { b->setup,   b->in->pool, b->newest, &b->failure->cell,
                             b->subject, from,        to,        kept };
    Str answer = kept ? locate_expression(b->arena, &question) : STR("");
    if (answer.len) return answer;
    from[0] = 0, to[0] = b->subject->text.len; /* anywhere */
    question.ranges = 1;
    return locate_expression(b->arena, &question);
}

/* ---- the essence, by the kind of failure ----
 * Each returns what goes into the key and sets the case's signature and matters. */
static Str essence_of_crash(Bucketing *b) {
    const Verdict *v = &b->failure->verdict;
    b->c->signature = v->crash.signature;
    b->c->matters = v->crash.pass;
    if (str_is(v->crash.message, "-fcompare-debug failure")) { /* it does not say where */
        b->c->matters = blame(b, b->cc);
        return str_from(arena_fmt(b->arena, STR_FMT ", " STR_FMT, STR_ARG(v->crash.message),
                                  STR_ARG(b->c->matters)));
    }
    Verdict at_newest = *v;
    if (b->newest != b->cc) judge(b, b->newest, b->failure->cell.flags, &at_newest);
    return at_newest.kind == VERDICT_CRASH ? at_newest.crash.signature : v->crash.signature;
}

/* The compiler's or linker's message, without the place in the program. */
static Str essence_of_message(Bucketing *b) {
    Str text = b->c->signature = b->failure->verdict.detail;
    size_t at = str_find(text, STR("error: "), 0);
    return at == STR_NONE ? text : str_sub(text, at, text.len);
}

static Str essence_of_units(Bucketing *b) {
    const UnitPlan *plan = b->failure->cell.units;
    b->c->signature = b->failure->verdict.detail;
    b->c->matters = units_key(b->arena, b->setup, plan, true);
    return units_key(b->arena, b->setup, plan, false);
}

/* The switch or pass that cures it; where none does, the level, or not even that. */
static Str essence_of_behaviour(Bucketing *b) {
    b->c->signature = b->failure->verdict.detail;
    b->c->matters = b->newest->levels ? blame(b, b->newest) : STR("");
    if (b->c->matters.len) return b->c->matters;
    bool wrong = b->failure->verdict.kind == VERDICT_WRONG;
    Str where = wrong ? locate(b) : STR("");
    Str level = !b->newest->levels ? STR("")
                : b->c->good_flags.len
                    ? str_from(arena_fmt(b->arena, "level " STR_FMT, STR_ARG(b->c->good_flags)))
                    : STR("all levels");
    b->c->matters = str_from(arena_fmt(b->arena, STR_FMT "%s" STR_FMT, STR_ARG(level),
                                       level.len && where.len ? ", " : "", STR_ARG(where)));
    return b->c->matters.len ? b->c->matters : STR("always");
}

static Str essence(Bucketing *b) {
    static Str (*const by_kind[])(Bucketing *) = {
        [VERDICT_CRASH] = essence_of_crash,      [VERDICT_LINK] = essence_of_message,
        [VERDICT_REJECTED] = essence_of_message, [VERDICT_HANG] = essence_of_behaviour,
        [VERDICT_WRONG] = essence_of_behaviour,
    };
    VerdictKind kind = b->failure->verdict.kind;
    bool behaves = kind == VERDICT_HANG || kind == VERDICT_WRONG;
    return behaves && b->failure->cell.units ? essence_of_units(b) : by_kind[kind](b);
}

/* ---- the case ---- */
static Str units_json(const Bucketing *b) {
    const UnitPlan *plan = b->failure->cell.units;
    const char *why;
    const CcUnit *units =
        plan ? units_make(b->arena, b->setup, plan, b->subject->text, &why) : NULL;
    if (!units) return STR("");
    json_t *list = json_array();
    for (unsigned i = 0; i < plan->n; i++) {
        json_t *item = json_object();
        json_put_text(item, "compiler", str_from(units[i].cc->name));
        json_put_text(item, "flags", flags_join(b->arena, units[i].flags));
        json_put_text(item, "text", units[i].source);
        json_array_append_new(list, item);
    }
    return dump(b->arena, list);
}

static Str snippets_json(const Bucketing *b) {
    json_t *list = json_array();
    const Variant *variant = b->in->variant;
    for (size_t i = 0; variant && i < variant->snippets_len; i++) {
        const Snippet *s = &variant->snippets[i];
        json_t *item = json_object();
        json_put_int(item, "id", s->id);
        json_put_text(item, "strategy", str_from(strategy_name(s->strategy)));
        json_put_int(item, "line", s->line);
        json_put_text(item, "function", s->function);
        json_put_text(item, "text", s->text);
        json_put_bool(item, "needed", b->needed && b->needed[i]);
        json_array_append_new(list, item);
    }
    return dump(b->arena, list);
}

static Str matrix_json(const Bucketing *b) {
    json_t *list = json_array();
    for (size_t i = 0; i < b->in->cells->len; i++) {
        const TrialCell *cell = &b->in->cells->at[i];
        const Compiler *cc = &b->setup->compilers.at[cell->compiler];
        VerdictKind kind = b->in->result->verdicts[i];
        if (kind == VERDICT_NONE) continue;
        json_t *item = json_object();
        json_put_text(item, "compiler", str_from(cc->name));
        json_put_text(item, "version", str_from(cc->version));
        json_put_text(item, "level", trial_flags(b->arena, b->setup, cell));
        json_put_text(item, "verdict", str_from(verdict_name(kind)));
        json_array_append_new(list, item);
    }
    return dump(b->arena, list);
}

/* "tcb, fcb": the strategies whose snippets matter. */
static Str strategies_of(const Bucketing *b) {
    bool used[STRATEGY_COUNT] = { false };
    const Variant *variant = b->in->variant;
    for (size_t i = 0; variant && i < variant->snippets_len; i++)
        if (b->needed[i]) used[variant->snippets[i].strategy] = true;
    Buf text = { 0 };
    for (int s = 0; s < STRATEGY_COUNT; s++)
        if (used[s]) buf_fmt(&text, "%s%s", text.len ? "," : "", strategy_name((Strategy)s));
    Str copy = arena_str(b->arena, text.len ? buf_view(&text) : STR("seed"));
    buf_release(&text);
    return copy;
}

/* The flags without those that only silence the compiler, if it compiles without them too, and with
 * those that belong to the program. */
static Str shown_flags(const Bucketing *b) {
    const char *const *all = b->failure->cell.flags, *const *quiet = cc_tolerant(b->cc->kind);
    size_t n = 0, q = 0;
    while (all[n]) n++;
    while (quiet[q]) q++;
    if (b->failure->cell.units) return flags_join(b->arena, all);
    const char **own = ARENA_ARRAY(b->arena, const char *, n + 1);
    for (size_t i = 0; i + q < n; i++) own[i] = all[i];
    Verdict verdict;
    bool enough = judge(b, b->cc, own, &verdict);
    return flags_join(b->arena, flags_plus(b->arena, enough ? own : all, b->subject->flags));
}

static void fill(Bucketing *b) {
    const Trialled *in = b->in;
    *b->c = (Case){ .number = in->seed->number,
                    .variant_number = in->variant ? in->variant->round : 0,
                    .compiler = str_from(b->cc->name),
                    .version = str_from(b->cc->version),
                    .kind = str_from(cc_kind_name(b->cc->kind)),
                    .target = str_from(b->cc->target),
                    .flags = shown_flags(b),
                    .verdict = str_from(verdict_name(b->failure->verdict.kind)),
                    .seed_name = str_from(in->seed->name),
                    .seed = in->seed->subject.text,
                    .variant = b->subject->text,
                    .expected = b->subject->expected,
                    .code = b->subject->code,
                    .actual = b->failure->actual };
}

void bucket_case(Arena *arena, const Trialled *in, const Failure *failure,
                 const HuntProgram *subject, const uint8_t *needed, Case *c) {
    Bucketing b = { arena,
                    in,
                    in->setup,
                    failure,
                    subject,
                    needed,
                    &in->setup->compilers.at[failure->cell.compiler],
                    NULL,
                    c };
    FailingVersions versions;
    fill(&b);
    find_versions(&b, &versions);
    c->good_flags = passing_flags(&b);
    Str what = essence(&b);
    c->bucket =
        str_from(arena_fmt(arena, STR_FMT "%s%s|" STR_FMT "|" STR_FMT "|" STR_FMT, STR_ARG(c->kind),
                           b.cc->foreign ? " " : "", b.cc->foreign ? b.cc->target : "",
                           STR_ARG(c->verdict), STR_ARG(what), STR_ARG(buf_view(&versions.key))));
    c->snippets = snippets_json(&b);
    c->matrix = matrix_json(&b);
    c->units = units_json(&b);
    json_t *both = json_object();
    json_put(both, "failing", versions.failing);
    json_put(both, "passing", versions.passing);
    c->versions = dump(arena, both);
    c->notes = str_from(arena_fmt(arena, "strategies: " STR_FMT, STR_ARG(strategies_of(&b))));
    buf_release(&versions.key);
}

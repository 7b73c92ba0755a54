/* The life of one seed (Hermes, Algorithm 1, with everything around it). */
#include "hunt/hunter.h"

#include "base/json.h"
#include "base/quantity.h"
#include "hunt/bucket.h"
#include "hunt/verify.h"

typedef struct Work {
    Hunter *hunter;
    Arena arena; /* everything about this seed */
    Seed seed;
    MutateChain *chain;
    TrialMemory memory;
    Map failed;    /* compiler and flags that failed already in this chain */
    bool *refused; /* compilers that do not take the seed at all */
    VEC(Case) cases;
    CampaignTotals totals;
    HuntCost cost;
    unsigned looked;   /* failures looked into */
    unsigned doubtful; /* of these, not verified */
    unsigned unjudged; /* cells without a verdict: machine too slow or full */
    double mutate_s;   /* CPU of deriving variants */
    const char *note;  /* why the chain ended early; NULL */
    int arm;           /* the bandit's choice; -1: none */
    bool whole;        /* the program cannot be cut into units, or does not work then */
    bool spent;        /* every cell has failed already: nothing is left to try */
    bool later;        /* the machine was in the way: the seed is to be done another time */
} Work;

static void say(const Work *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(const Work *w, const char *fmt, ...) {
    char line[2000];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    w->hunter->say(w->hunter->user, line);
}

static bool out_of_time(const Work *w) {
    return w->hunter->deadline > 0 && clock_now() > w->hunter->deadline;
}

/* ---- cells that need not be tried again ---- */
static Str cell_key(Arena *arena, const TrialCell *cell) {
    return str_from(
        arena_fmt(arena, "%zu " STR_FMT, cell->compiler, STR_ARG(flags_join(arena, cell->flags))));
}

static bool *skips(Work *w, const TrialCells *cells) {
    bool *skip = ARENA_ARRAY(&w->arena, bool, cells->len + 1);
    w->spent = true;
    for (size_t i = 0; i < cells->len; i++) {
        skip[i] = w->refused[cells->at[i].compiler] || (w->whole && cells->at[i].units) ||
                  map_get(&w->failed, cell_key(&w->arena, &cells->at[i]), NULL);
        w->spent = w->spent && skip[i];
    }
    return skip;
}

/* ---- failures ---- */
/* Of all failures of a trial, those of one kind and signature make one case. */
static Str failure_key(Work *w, const Failure *f) {
    const Compiler *cc = &w->hunter->setup->compilers.at[f->cell.compiler];
    return str_from(arena_fmt(&w->arena, "%s %s " STR_FMT, cc_kind_name(cc->kind),
                              verdict_name(f->verdict.kind), STR_ARG(f->verdict.crash.signature)));
}

/* A compiler that refuses what others of its kind, or all others, take. */
static bool refusal_counts(const Work *w, const TrialCells *cells, const TrialResult *trial,
                           const Failure *f) {
    const Compiler *cc = &w->hunter->setup->compilers.at[f->cell.compiler];
    if (f->cell.drawn || cc->kind == CC_TCC || cc->kind == CC_PCC || cc->kind == CC_OTHER)
        return false;
    for (size_t i = 0; i < cells->len; i++)
        if (cells->at[i].compiler != f->cell.compiler && trial->verdicts[i] == VERDICT_OK)
            return true;
    return false;
}

/* A seed that the compiler links at no level asks for something this compiler's library lacks. */
static bool links_elsewhere(const TrialCells *cells, const TrialResult *trial, const Failure *f) {
    for (size_t i = 0; i < cells->len; i++)
        if (cells->at[i].compiler == f->cell.compiler && trial->verdicts[i] == VERDICT_OK)
            return true;
    return false;
}

/* NULL: it has become a case; else why not. */
static const char *look_into(Work *w, const TrialCells *cells, const TrialResult *trial,
                             const Failure *f, const Variant *variant) {
    const HuntSetup *setup = w->hunter->setup;
    const Compiler *cc = &setup->compilers.at[f->cell.compiler];
    HuntProgram subject = w->seed.subject;
    if (variant) subject.text = variant->text;
    w->looked++;
    Pool *pool = w->hunter->pool;
    const char *why =
        verify_failure(&w->arena, setup, pool, &subject, variant ? &w->seed.subject : NULL, f);
    uint8_t *needed = NULL;
    Failure quick = *f; /* a hang need not be waited for each time */
    quick.cell.compile_s = CAMPAIGN_HANG_AGAIN_S;
    BucketInput in = { setup,    pool,    &w->seed,
                       w->chain, variant, f->verdict.kind == VERDICT_HANG ? &quick : f,
                       cells,    trial };
    if (!why && variant) {
        needed = ARENA_ARRAY(&w->arena, uint8_t, variant->snippets_len + 1);
        minimise_snippets(&w->arena, &in, needed, &subject.text);
        if (verify_failure(&w->arena, setup, pool, &subject, &w->seed.subject, f)) {
            memset(needed, 1, variant->snippets_len); /* the whole of it was verified */
            subject.text = variant->text;
        }
    }
    if (run_interrupted()) return "interrupted";
    if (why == seed_fails_alike && f->cell.drawn) /* the seed was not tried with these flags */
        return look_into(w, cells, trial, f, NULL);
    if (why) {
        w->later |= why == machine_in_the_way;
        w->doubtful++;
        w->whole |= f->cell.units != NULL;
        if (w->hunter->verbose || f->verdict.kind == VERDICT_WRONG)
            say(w, "%s, variant %u: %s " STR_FMT ": %s: not a finding: %s", w->seed.name,
                variant ? variant->round : 0, cc->name,
                STR_ARG(trial_flags(&w->arena, setup, &f->cell)), verdict_name(f->verdict.kind),
                why);
        return why;
    }
    Case c;
    bucket_case(&w->arena, &in, &subject, needed, &c);
    vec_push(&w->cases, c);
    w->whole |= f->verdict.kind == VERDICT_WRONG; /* its units would only show the same */
    return NULL;
}

static void look_at_failures(Work *w, const TrialCells *cells, const TrialResult *trial,
                             const Variant *variant) {
    Map seen = { 0 };
    bool own_doing = false; /* of the program: nothing it prints counts */
    double before = run_children_cpu() + clock_own_cpu();
    for (size_t i = 0; i < trial->failures.len; i++) {
        const Failure *f = &trial->failures.at[i];
        if (f->verdict.kind == VERDICT_REJECTED) {
            w->whole |= f->cell.units != NULL;
            if (!variant && !f->cell.drawn) w->refused[f->cell.compiler] = true;
            if (!variant || !refusal_counts(w, cells, trial, f)) continue;
        }
        if (f->verdict.kind == VERDICT_LINK && !variant && !links_elsewhere(cells, trial, f)) {
            w->refused[f->cell.compiler] = true;
            continue;
        }
        bool known = map_get(&seen, failure_key(w, f), NULL);
        if (!known) {
            if (w->looked >= CAMPAIGN_FINDINGS || run_interrupted()) continue;
            if (own_doing && f->verdict.kind == VERDICT_WRONG) continue;
            const char *why = look_into(w, cells, trial, f, variant);
            own_doing |= why && blames_program(why);
            if (why && why != seed_fails_alike) continue;
            if (!why) map_put(&seen, failure_key(w, f), 1);
        }
        if (!f->cell.drawn) map_put(&w->failed, cell_key(&w->arena, &f->cell), 1);
    }
    map_release(&seen);
    w->cost.verify += run_children_cpu() + clock_own_cpu() - before;
}

/* ---- one program ---- */
static bool try_program(Work *w, const Variant *variant, bool last, Error *err) {
    Hunter *h = w->hunter;
    unsigned n = variant ? variant->round : 0, sibling = variant ? variant->sibling : 0;
    Rng rng = rng_stream(h->setup->seed ^ w->seed.number * 0x9e3779b97f4a7c15u, "flags",
                         n + ((uint64_t)sibling << 32));
    TrialCells cells = { 0 };
    trial_cells(&w->arena, h->setup, n, last, &rng, &cells);
    HuntProgram subject = w->seed.subject;
    if (variant) subject.text = variant->text;
    TrialResult trial;
    CampaignTotals more = { .programs = 1 };
    HuntCost before = w->cost;
    trial_run(&w->arena, h->setup, h->pool, &subject, &cells, skips(w, &cells), &w->memory,
              &w->cost, &trial);
    more.compilations = w->cost.compilations - before.compilations;
    more.runs = w->cost.runs - before.runs;
    more.compiler_cpu_s = w->cost.test - before.test;
    w->totals.programs++;
    w->unjudged += trial.unjudged;
    for (size_t i = 0; i < cells.len; i++)
        w->whole |= cells.at[i].units && trial.verdicts[i] == VERDICT_NONE;
    h->moved(h->user, &more, 0);
    if (trial.full)
        err_set(err, STATUS_BAD, "no space left for working files (/dev/shm, TMPDIR)");
    else if (!run_interrupted())
        look_at_failures(w, &cells, &trial, variant);
    vec_release(&trial.failures);
    vec_release(&cells);
    return !trial.full && !run_interrupted();
}

/* ---- the chain ---- */
static MutateChain *open_chain(const Work *w, Error *why) {
    const HuntSetup *setup = w->hunter->setup;
    Rng rng = rng_stream(setup->seed, "chain", w->seed.number);
    MutateOptions options = { .seed = rng_next(&rng),
                              .strategies = setup->strategies,
                              .expected = w->seed.subject.expected,
                              .flags = cc_tolerant(CC_CLANG),
                              .expected_code = w->seed.subject.code };
    return mutate_open(w->seed.subject.text, &options, why);
}

/* Derives and tries the variants of one round; false: the chain has come to its end. */
static bool grow_round(Work *w, bool last, Error *why, Error *err) {
    for (unsigned k = 0; k < w->hunter->setup->siblings && !out_of_time(w); k++) {
        Variant *variant = ARENA_NEW(&w->arena, Variant);
        double before = run_children_cpu() + clock_own_cpu();
        bool derived = true;
        if (k)
            mutate_sibling(w->chain, variant);
        else
            derived = mutate_next(w->chain, variant, why);
        w->mutate_s += run_children_cpu() + clock_own_cpu() - before;
        if (run_interrupted() || !derived) return false;
        if (variant->fresh && !try_program(w, variant, last, err)) return false;
        if (w->spent || (w->hunter->first && w->cases.len)) return false;
    }
    return true;
}

static bool all_refuse(const Work *w) {
    for (size_t i = 0; i < w->hunter->setup->compilers.len; i++)
        if (!w->refused[i]) return false;
    return true;
}

static bool grow_chain(Work *w, Error *err) {
    const HuntSetup *setup = w->hunter->setup;
    Error why = { 0 };
    if (all_refuse(w) || (w->hunter->first && w->cases.len)) return true;
    double before = run_children_cpu() + clock_own_cpu();
    w->chain = open_chain(w, &why);
    w->mutate_s += run_children_cpu() + clock_own_cpu() - before;
    for (unsigned round = 1; w->chain && round <= setup->variants && !out_of_time(w); round++)
        if (!grow_round(w, round == setup->variants, &why, err)) break;
    if (why.status == STATUS_LACKS || (why.status && disk_is_full(str_from(why.text))))
        return *err = why, false;
    if (!why.status && out_of_time(w)) w->note = "the time was over";
    if (why.status) w->note = arena_strdup(&w->arena, why.text);
    if (why.status && w->hunter->verbose)
        say(w, "%s: no more variants: %s", w->seed.name, why.text);
    return err->status == STATUS_DONE && !run_interrupted();
}

/* ---- recording ---- */
static Str note_json(Work *w) {
    json_t *note = json_object();
    json_put_text(note, "seed", str_from(w->seed.name));
    if (w->seed.skipped) json_put_text(note, "skipped", str_from(w->seed.skipped));
    if (w->note) json_put_text(note, "stopped", str_from(w->note));
    if (w->arm >= 0) json_put_text(note, "arm", str_from(bandit_arms[w->arm].name));
    json_put_real(note, "seed_s", w->seed.cost);
    json_put_real(note, "derive_s", w->mutate_s);
    json_put_real(note, "verify_s", w->cost.verify);
    json_put_int(note, "doubtful", w->doubtful);
    json_put_int(note, "unjudged", w->unjudged);
    Buf text = { 0 };
    json_dump_buf(note, false, &text);
    json_decref(note);
    Str copy = arena_str(&w->arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

static void tell_cases(Work *w, const int64_t *ids, const bool *is_new, uint64_t *fresh) {
    for (size_t i = 0; i < w->cases.len; i++) {
        const Case *c = &w->cases.at[i];
        *fresh += is_new[i];
        if (is_new[i] || w->hunter->verbose)
            say(w, "%s %lld: " STR_FMT " " STR_FMT ": " STR_FMT ": " STR_FMT "%s" STR_FMT,
                is_new[i] ? "new case" : "case", (long long)ids[i], STR_ARG(c->compiler),
                STR_ARG(c->flags), STR_ARG(c->verdict), STR_ARG(c->signature),
                c->matters.len ? "; hangs on " : "", STR_ARG(c->matters));
    }
}

static bool record(Work *w, double started, double cpu_before, Error *err) {
    Hunter *h = w->hunter;
    CampaignTotals *t = &w->totals;
    t->compilations = w->cost.compilations, t->runs = w->cost.runs;
    t->compiler_cpu_s = w->cost.test;
    t->total_cpu_s = run_children_cpu() + clock_own_cpu() - cpu_before;
    t->wall_s = clock_now() - started;
    t->rejected = w->seed.skipped != NULL;
    SeedDone done = { .number = w->seed.number, .totals = *t, .note = note_json(w) };
    int64_t *ids = ARENA_ARRAY(&w->arena, int64_t, w->cases.len + 1);
    bool *is_new = ARENA_ARRAY(&w->arena, bool, w->cases.len + 1);
    if (!store_seed_done(h->store, h->campaign, &done, w->cases.at, w->cases.len, ids, is_new, err))
        return false;
    CampaignTotals more = {
        .seeds = 1, .rejected = t->rejected, .findings = w->cases.len, .total_cpu_s = t->total_cpu_s
    };
    tell_cases(w, ids, is_new, &more.buckets);
    if (w->arm >= 0 && h->tally)
        bandit_learn(h->tally, (unsigned)w->arm, t->total_cpu_s, more.buckets);
    h->moved(h->user, &more, w->cost.verify);
    return true;
}

/* The setup for this seed, with what the bandit drew. */
static int choose_arm(const Hunter *hunter, uint64_t number, HuntSetup *setup) {
    *setup = *hunter->setup;
    if (!setup->bandit) return -1;
    Rng rng = rng_stream(setup->seed, "arm", number);
    unsigned arm = bandit_draw(&rng, hunter->tally);
    Error err;
    CHECK(strategies_parse(str_from(bandit_arms[arm].strategies), &setup->strategies, &err));
    setup->random_flags = bandit_arms[arm].random_flags;
    setup->oracles = bandit_arms[arm].oracles;
    return (int)arm;
}

bool hunter_do_seed(Hunter *all, uint64_t number, Error *err) {
    Hunter own = *all, *hunter = &own;
    HuntSetup setup;
    Work w = { .hunter = hunter, .arm = choose_arm(all, number, &setup) };
    own.setup = &setup;
    double started = clock_now(), cpu = run_children_cpu() + clock_own_cpu();
    trial_memory_init(&w.memory, hunter->setup);
    w.refused = ARENA_ARRAY(&w.arena, bool, hunter->setup->compilers.len + 1);
    bool ok = seed_get(&w.arena, hunter->seeds, hunter->setup, hunter->pool, number, &w.seed, err);
    ok = ok && !run_interrupted();
    if (ok && w.seed.skipped && (hunter->verbose || w.seed.later))
        say(&w, "%s: %s: %s", w.seed.name, w.seed.later ? "left for another time" : "skipped",
            w.seed.skipped);
    if (ok && !w.seed.skipped) ok = try_program(&w, NULL, false, err) && grow_chain(&w, err);
    w.later |= w.seed.later;
    if (ok && !w.later)
        ok = record(&w, started, cpu, err);
    else
        hunter->moved(
            hunter->user,
            &(CampaignTotals){ .total_cpu_s = run_children_cpu() + clock_own_cpu() - cpu },
            w.cost.verify);
    if (w.chain) mutate_close(w.chain);
    trial_memory_release(&w.memory, hunter->setup);
    map_release(&w.failed);
    vec_release(&w.cases);
    arena_release(&w.arena);
    return ok;
}

/* The life of one seed (Hermes, Algorithm 1, with everything around it). */
#include "hunt/hunter.h"

#include "base/json.h"
#include "base/quantity.h"
#include "hunt/crash/crashes.h"
#include "hunt/finding.h"
#include "hunt/seed/lend.h"

typedef VEC(Finding) Findings;

typedef struct Work {
    Hunter *hunter;
    Hunter *all; /* the worker's own, of which hunter is a copy for this seed */
    Arena arena; /* everything about this seed */
    Seed seed;
    MutateChain *chain;
    TrialMemory memory;
    Map failed;      /* compiler and flags that failed already in this chain */
    bool *refused;   /* compilers that do not accept the seed at all */
    VEC(Case) cases; /* findings */
    VEC(Case) apart; /* unconfirmed ones */
    CampaignTotals totals;
    HuntCost cost;
    unsigned looked;   /* failures looked into */
    unsigned doubtful; /* of these, not verified */
    unsigned unjudged; /* cells without a verdict: the machine was too slow or full */
    double mutate_s;   /* CPU of deriving variants */
    unsigned taken;    /* mutants that some compiler takes, where only crashes count */
    const char *note;  /* why the chain ended early; NULL */
    int arm;           /* the bandit's choice; -1: none */
    bool whole;        /* the program cannot be cut into units, or does not work in units */
    bool spent;        /* every cell has failed already: nothing is left to try */
    bool later;        /* the machine got in the way: the seed is left for another time */
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
    return w->hunter->deadline > 0 && clock_now() >= w->hunter->deadline;
}

/* After an interrupt the seed is done another time; after the time limit it is not. */
static bool halted(const Work *w) {
    return run_interrupted() || out_of_time(w);
}

/* ---- cells that need not be tried again ---- */
static Str cell_key(Arena *arena, const TrialCell *cell) {
    return str_from(
        arena_fmt(arena, "%zu " STR_FMT, cell->compiler, STR_ARG(flags_join(arena, cell->flags))));
}

/* A level for which the seed's suite skips it. */
static bool not_meant(const Work *w, const TrialCell *cell) {
    for (const char *const *level = w->seed.without; level && *level; level++)
        if (cell->flags[0] && strcmp(*level, cell->flags[0]) == 0) return true;
    return false;
}

static bool *skips(Work *w, const TrialCells *cells) {
    bool *skip = ARENA_ARRAY(&w->arena, bool, cells->len + 1);
    w->spent = true;
    for (size_t i = 0; i < cells->len; i++) {
        skip[i] = w->refused[cells->at[i].compiler] || (w->whole && cells->at[i].units) ||
                  not_meant(w, &cells->at[i]) ||
                  map_get(&w->failed, cell_key(&w->arena, &cells->at[i]), NULL);
        w->spent = w->spent && skip[i];
    }
    return skip;
}

/* ---- failures ---- */
/* A compiler that refuses what others of its kind, or all others, accept. */
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

/* A seed that the compiler links at no level needs something this compiler's library lacks. */
static bool links_elsewhere(const TrialCells *cells, const TrialResult *trial, const Failure *f) {
    for (size_t i = 0; i < cells->len; i++)
        if (cells->at[i].compiler == f->cell.compiler && trial->verdicts[i] == VERDICT_OK)
            return true;
    return false;
}

/* A refused seed only shows that the compiler is too old for it, or its library too small. */
static bool worth_a_look(Work *w, const Trialled *t, const Failure *f) {
    VerdictKind kind = f->verdict.kind;
    if (w->hunter->setup->crashes) return kind == VERDICT_CRASH || kind == VERDICT_HANG;
    if (kind == VERDICT_REJECTED) {
        w->whole |= f->cell.units != NULL;
        if (!t->variant && !f->cell.drawn) w->refused[f->cell.compiler] = true;
        return t->variant && refusal_counts(w, t->cells, t->result, f);
    }
    if (kind == VERDICT_LINK && !t->variant && !links_elsewhere(t->cells, t->result, f)) {
        w->refused[f->cell.compiler] = true;
        return false;
    }
    return true;
}

static bool explained(const Trialled *t, const Findings *known, const Failure *f) {
    for (size_t i = 0; i < known->len; i++)
        if (finding_explains(t, &known->at[i], f)) return true;
    return false;
}

static void say_refused(Work *w, const Trialled *t, const Failure *f, const Verification *v) {
    const HuntSetup *setup = w->hunter->setup;
    if (!w->hunter->verbose && f->verdict.kind != VERDICT_WRONG) return;
    Str flags = trial_flags(&w->arena, setup, &f->cell);
    say(w, "%s, variant %u: %s " STR_FMT ": %s: not a finding: %s", w->seed.name,
        t->variant ? t->variant->round : 0, setup->compilers.at[f->cell.compiler].name,
        STR_ARG(flags), verdict_name(f->verdict.kind), v->why);
}

/* Looks into one failure; true: the cell need not be tried again along this chain. */
static bool look_into(Work *w, const Trialled *t, const Failure *f, Findings *known) {
    Finding finding;
    w->looked++;
    Verification v = finding_make(&w->arena, t, f, &finding);
    bool wrong = f->verdict.kind == VERDICT_WRONG;
    switch (v.ruling) {
    case RULED_BUG:
    case RULED_UNCONFIRMED:
        if (v.ruling == RULED_BUG)
            vec_push(&w->cases, finding.c);
        else
            vec_push(&w->apart, finding.c);
        vec_push(known, finding);
        w->whole |= wrong; /* its units would only show the same again */
        return true;
    case RULED_PROGRAM: vec_push(known, finding); break;
    case RULED_LATER: w->later |= !out_of_time(w); break;
    default: break;
    }
    w->doubtful++;
    w->whole |= f->cell.units != NULL;
    say_refused(w, t, f, &v);
    return v.ruling == RULED_SEED;
}

static void look_at_failures(Work *w, const Trialled *t) {
    Findings known = { 0 };
    double before = run_children_cpu() + clock_own_cpu();
    for (size_t i = 0; i < t->result->failures.len && !run_interrupted(); i++) {
        const Failure *f = &t->result->failures.at[i];
        if (!worth_a_look(w, t, f)) continue;
        bool done = explained(t, &known, f);
        if (!done && w->looked < CAMPAIGN_FINDINGS) done = look_into(w, t, f, &known);
        if (done && !f->cell.drawn) map_put(&w->failed, cell_key(&w->arena, &f->cell), 1);
    }
    vec_release(&known);
    w->cost.verify += run_children_cpu() + clock_own_cpu() - before;
}

/* ---- one program ---- */
static bool try_program(Work *w, const Variant *variant, bool last, Error *err) {
    Hunter *h = w->hunter;
    bool kernels = h->seeds->kernels; /* nothing follows such a seed: it is tried in every way */
    unsigned n = variant ? variant->round : kernels, sibling = variant ? variant->sibling : 0;
    Rng rng = rng_stream(h->setup->seed ^ w->seed.number * 0x9e3779b97f4a7c15u, "flags",
                         n + ((uint64_t)sibling << 32));
    TrialCells cells = { 0 };
    trial_cells(&w->arena, h->setup, n, last || kernels, &rng, &cells);
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
    else
        look_at_failures(w, &(Trialled){ h->setup, h->pool, &w->seed, variant ? w->chain : NULL,
                                         variant, &cells, &trial });
    vec_release(&trial.failures);
    vec_release(&cells);
    return !trial.full;
}

/* ---- the chain ---- */
/* A seed in C89, where the functions of others need not be valid. */
static bool is_old(const Seed *seed) {
    static const char *const old[] = { "-ansi",      "-std=c89",          "-std=c90",
                                       "-std=gnu89", "-std=iso9899:1990", "-std=gnu90" };
    for (const char *const *flag = seed->subject.flags; flag && *flag; flag++)
        for (size_t i = 0; i < COUNT_OF(old); i++)
            if (strcmp(*flag, old[i]) == 0) return true;
    return false;
}

/* What chains may borrow, taken once for a worker. */
static const Lender *lender(Work *w, Error *why) {
    Hunter *all = w->all;
    bool wanted = w->hunter->setup->strategies & STRATEGY_BIT(STRATEGY_BORROW);
    if (!wanted || is_old(&w->seed)) return NULL;
    if (all->asked) return all->lender;
    all->asked = true;
    all->lender = lend_functions(all->seeds, all->setup->seed, why);
    if (all->lender && all->verbose)
        say(w, "%zu functions of the seeds are lent to others", all->lender->list.len);
    return all->lender;
}

static MutateChain *open_chain(Work *w, Error *why) {
    const HuntSetup *setup = w->hunter->setup;
    Rng rng = rng_stream(setup->seed, "chain", w->seed.number);
    const char *const *flags = flags_plus(&w->arena, cc_tolerant(CC_CLANG), w->seed.subject.flags);
    MutateOptions options = { .seed = rng_next(&rng),
                              .strategies = setup->strategies,
                              .expected = w->seed.subject.expected,
                              .flags = flags,
                              .gcc = setup->record_gcc,
                              .clang = setup->record_clang,
                              .plain = setup->plain,
                              .no_lanes = setup->no_lanes,
                              .no_reals = setup->no_reals,
                              .lender = lender(w, why),
                              .expected_code = w->seed.subject.code };
    if (why->status) return NULL;
    return mutate_open(w->seed.subject.text, &options, why);
}

/* Derives and tries the variants of one round; false: the chain has ended. */
static bool grow_round(Work *w, bool last, Error *why, Error *err) {
    for (unsigned k = 0; k < w->hunter->setup->siblings && !halted(w); k++) {
        Variant *variant = ARENA_NEW(&w->arena, Variant);
        double before = run_children_cpu() + clock_own_cpu();
        bool derived = true;
        if (k)
            mutate_sibling(w->chain, variant);
        else
            derived = mutate_next(w->chain, variant, why);
        w->mutate_s += run_children_cpu() + clock_own_cpu() - before;
        if (halted(w) || !derived) return false;
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

/* "seed: not mutated: restrict (restrict)" without its beginning: reasons are counted. */
static const char *bare_reason(const char *note) {
    static const char *const prefixes[] = { "seed: ", "not mutated: " };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        size_t n = strlen(prefixes[i]);
        if (note && strncmp(note, prefixes[i], n) == 0) note += n;
    }
    return note ? note : "no variants";
}

static bool grow_chain(Work *w, Error *err) {
    const HuntSetup *setup = w->hunter->setup;
    Error why = { 0 };
    if (halted(w) || all_refuse(w) || (w->hunter->first && w->cases.len)) return true;
    double before = run_children_cpu() + clock_own_cpu();
    w->chain = open_chain(w, &why);
    w->mutate_s += run_children_cpu() + clock_own_cpu() - before;
    for (unsigned round = 1; w->chain && round <= setup->variants && !halted(w); round++)
        if (!grow_round(w, round == setup->variants, &why, err)) break;
    if (halted(w)) {
        w->note = "out of time";
        return true;
    }
    if (why.status == STATUS_LACKS || (why.status && disk_is_full(str_from(why.text))))
        return *err = why, false;
    if (why.status) w->note = arena_strdup(&w->arena, why.text);
    if (why.status && w->hunter->verbose)
        say(w, "%s: no more variants: %s", w->seed.name, why.text);
    if (!w->chain)
        w->hunter->useless(w->hunter->user, w->seed.number, SEED_RUN, bare_reason(w->note));
    return err->status == STATUS_DONE;
}

/* ---- crashes ---- */
/* Pieces of other programs of the suite, taken once for a worker. */
static const Grafts *pieces(Hunter *all) {
    if (!all->mined) all->pieces = crash_pool(all->seeds, all->setup->seed);
    all->mined = true;
    return all->pieces;
}

/* One program through the cells; failures become cases of this round. */
static void try_cells(Work *w, Str text, const TrialCells *cells, unsigned round,
                      TrialResult *trial, Error *err) {
    Hunter *h = w->hunter;
    Seed mutant = w->seed;
    mutant.subject.text = text;
    HuntCost before = w->cost;
    size_t found = w->cases.len;
    trial_run(&w->arena, h->setup, h->pool, &mutant.subject, cells, NULL, &w->memory, &w->cost,
              trial);
    h->moved(h->user,
             &(CampaignTotals){ .compilations = w->cost.compilations - before.compilations,
                                .compiler_cpu_s = w->cost.test - before.test },
             0);
    w->unjudged += trial->unjudged;
    if (trial->full)
        err_set(err, STATUS_BAD, "no space left for working files (/dev/shm, TMPDIR)");
    else
        look_at_failures(w, &(Trialled){ h->setup, h->pool, &mutant, NULL, NULL, cells, trial });
    for (; found < w->cases.len; found++) {
        w->cases.at[found].variant_number = round;
        w->cases.at[found].seed = w->seed.subject.text;
    }
    vec_release(&trial->failures);
}

/* One compiler with one of its sets; VERDICT_NONE: it takes the seed with none of them. */
static VerdictKind try_compiler(Work *w, const CrashSets *sets, size_t compiler, Rng *rng, Str text,
                                unsigned round, Error *err) {
    TrialCells cells = { 0 };
    TrialResult trial;
    VerdictKind kind = VERDICT_NONE;
    if (!err->status && crash_sets_pick(sets, compiler, rng, &cells)) {
        try_cells(w, text, &cells, round, &trial, err);
        kind = trial.verdicts[0];
    }
    vec_release(&cells);
    return kind;
}

/* Tries a mutant; true: some compiler accepts it, so that the chain may continue from it. */
static bool try_mutant(Work *w, const CrashSets *sets, Rng *rng, Str text, unsigned round,
                       Error *err) {
    bool taken = false;
    w->totals.programs++;
    w->hunter->moved(w->hunter->user, &(CampaignTotals){ .programs = 1 }, 0);
    for (size_t c = 0; c < w->hunter->setup->compilers.len && !halted(w); c++) {
        VerdictKind kind = try_compiler(w, sets, c, rng, text, round, err);
        taken |= kind == VERDICT_OK;
        if (kind == VERDICT_REJECTED && !taken) break;
    }
    w->taken += taken;
    return taken;
}

/* A walk of mutants from the seed: no equivalence is needed where only crashes count. */
static void walk_mutants(Work *w, const Grafts *pool, const CrashSets *sets, Error *err) {
    Rng rng = rng_stream(w->hunter->setup->seed, "mutants", w->seed.number);
    Str text = w->seed.subject.text;
    Buf next = { 0 };
    for (unsigned i = 1; i <= CAMPAIGN_MUTANTS && !halted(w) && !err->status; i++) {
        double before = clock_own_cpu();
        bool made =
            crash_mutant(pool, &rng, w->hunter->seeds->medleys, w->hunter->setup->gnu, text, &next);
        w->mutate_s += clock_own_cpu() - before;
        if (!made || next.len > CAMPAIGN_SEED_SIZE) continue;
        Str copy = arena_str(&w->arena, buf_view(&next));
        if (try_mutant(w, sets, &rng, copy, i, err) && rng_chance(&rng, CAMPAIGN_WALKS))
            text = copy;
        if (w->hunter->first && w->cases.len) break;
    }
    buf_release(&next);
}

/* The seed with all its sets of options, then its mutants. */
static bool try_crashes(Work *w, Hunter *all, Error *err) {
    const HuntSetup *setup = w->hunter->setup;
    const Grafts *pool = pieces(all);
    Rng rng = rng_stream(setup->seed, "sets", w->seed.number);
    CrashSets sets;
    TrialResult trial;
    crash_sets_draw(&w->arena, setup, w->seed.machine, &rng, &sets);
    w->totals.programs++;
    w->hunter->moved(w->hunter->user, &(CampaignTotals){ .programs = 1 }, 0);
    try_cells(w, w->seed.subject.text, &sets.cells, 0, &trial, err);
    crash_sets_judge(&sets, &trial);
    if (pool && !err->status) walk_mutants(w, pool, &sets, err);
    crash_sets_release(&sets);
    return err->status == STATUS_DONE;
}

/* ---- recording ---- */
static Str note_json(Work *w) {
    json_t *note = json_object();
    json_put_text(note, "seed", str_from(w->seed.name));
    bool skipped = w->seed.use == SEED_SKIPPED;
    if (w->seed.why) json_put_text(note, skipped ? "skipped" : "not_run", str_from(w->seed.why));
    if (w->note) json_put_text(note, "stopped", str_from(w->note));
    if (w->arm >= 0) json_put_text(note, "arm", str_from(bandit_arms[w->arm].name));
    json_put_real(note, "seed_s", w->seed.cost);
    json_put_real(note, "derive_s", w->mutate_s);
    json_put_real(note, "verify_s", w->cost.verify);
    json_put_real(note, "store_s", store_spent(w->hunter->store) - w->hunter->store_s);
    json_put_int(note, "doubtful", w->doubtful);
    if (w->hunter->setup->crashes) json_put_int(note, "taken", w->taken);
    json_put_int(note, "unjudged", w->unjudged);
    Buf text = { 0 };
    json_dump_buf(note, false, &text);
    json_decref(note);
    Str copy = arena_str(&w->arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

static void add_timings(Work *w, SeedDone *done) {
    const HuntSetup *setup = w->hunter->setup;
    CompilerTiming *all = ARENA_ARRAY(&w->arena, CompilerTiming, setup->compilers.len + 1);
    for (size_t i = 0; i < setup->compilers.len; i++) {
        const HuntTiming *t = &w->cost.timings[i];
        const Compiler *cc = &setup->compilers.at[i];
        all[i] = (CompilerTiming){ str_from(cc->name), str_from(cc->version), t->compilations,
                                   t->cpu_s, t->slowest_s };
    }
    done->timings = all, done->n_timings = setup->compilers.len;
}

static void tell_cases(Work *w, const int64_t *ids, const bool *is_new, uint64_t *fresh) {
    for (size_t i = 0; i < w->cases.len; i++) {
        const Case *c = &w->cases.at[i];
        *fresh += is_new[i];
        if (is_new[i] || w->hunter->verbose)
            say(w, "%s %lld: " STR_FMT " " STR_FMT ": " STR_FMT ": " STR_FMT "%s" STR_FMT,
                is_new[i] ? "new case" : "case", (long long)ids[i], STR_ARG(c->compiler),
                STR_ARG(c->flags), STR_ARG(c->verdict), STR_ARG(c->signature),
                c->matters.len ? "; depends on " : "", STR_ARG(c->matters));
    }
}

/* Stored, but not counted as findings. */
static bool record_apart(Work *w, Error *err) {
    for (size_t i = 0; i < w->apart.len; i++) {
        Case *c = &w->apart.at[i];
        c->campaign = w->hunter->campaign;
        int64_t id;
        bool is_new;
        if (!store_case_put(w->hunter->store, c, &id, &is_new, err)) return false;
        if (is_new)
            say(w,
                "unconfirmed, stored as case %lld: " STR_FMT " " STR_FMT ": " STR_FMT ": " STR_FMT,
                (long long)id, STR_ARG(c->compiler), STR_ARG(c->flags), STR_ARG(c->verdict),
                STR_ARG(c->signature));
    }
    return true;
}

static bool record(Work *w, double started, double cpu_before, Error *err) {
    Hunter *h = w->hunter;
    CampaignTotals *t = &w->totals;
    t->compilations = w->cost.compilations, t->runs = w->cost.runs;
    t->compiler_cpu_s = w->cost.test;
    t->total_cpu_s = run_children_cpu() + clock_own_cpu() - cpu_before;
    t->wall_s = clock_now() - started;
    t->rejected = w->seed.use == SEED_SKIPPED;
    SeedDone done = { .number = w->seed.number, .totals = *t, .note = note_json(w) };
    add_timings(w, &done);
    int64_t *ids = ARENA_ARRAY(&w->arena, int64_t, w->cases.len + 1);
    bool *is_new = ARENA_ARRAY(&w->arena, bool, w->cases.len + 1);
    h->store_s = store_spent(h->store);
    if (!store_seed_done(h->store, h->campaign, &done, w->cases.at, w->cases.len, ids, is_new, err))
        return false;
    if (!record_apart(w, err)) return false;
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

/* Reports once what the seed is not good for. */
static void tell_use(Work *w) {
    Hunter *h = w->hunter;
    const char *how = w->seed.later                 ? "left for another time"
                      : w->seed.use == SEED_SKIPPED ? "skipped"
                                                    : "only compiled";
    if (w->seed.why && (h->verbose || h->named || w->seed.later))
        say(w, "%s: %s: %s", w->seed.name, how, w->seed.why);
    if (w->seed.why && !w->seed.later)
        h->useless(h->user, w->seed.number, w->seed.use, w->seed.why);
}

/* The seed itself, and its variants where it is run. */
static bool try_seed(Work *w, Hunter *all, Error *err) {
    if (w->seed.use == SEED_SKIPPED || w->seed.later) return true;
    if (w->hunter->setup->crashes) return try_crashes(w, all, err);
    w->whole = w->seed.subject.compiled || w->seed.subject.flags;
    if (!try_program(w, NULL, false, err)) return false;
    if (halted(w)) {
        w->later = !w->cases.len; /* cut short */
        return true;
    }
    return w->seed.use != SEED_RUN || w->hunter->seeds->kernels || grow_chain(w, err);
}

static void release(Work *w) {
    if (w->chain) mutate_close(w->chain);
    trial_memory_release(&w->memory, w->hunter->setup);
    map_release(&w->failed);
    vec_release(&w->cases);
    vec_release(&w->apart);
    arena_release(&w->arena);
}

bool hunter_do_seed(Hunter *all, uint64_t number, Error *err) {
    Hunter own = *all, *hunter = &own;
    HuntSetup setup;
    Work w = { .hunter = hunter, .all = all, .arm = choose_arm(all, number, &setup) };
    own.setup = &setup;
    double started = clock_now(), cpu = run_children_cpu() + clock_own_cpu();
    trial_memory_init(&w.memory, hunter->setup);
    w.refused = ARENA_ARRAY(&w.arena, bool, hunter->setup->compilers.len + 1);
    w.cost.timings = ARENA_ARRAY(&w.arena, HuntTiming, hunter->setup->compilers.len + 1);
    bool ok = seed_get(&w.arena, hunter->seeds, hunter->setup, hunter->pool, number, &w.seed, err);
    w.seed.later |= halted(&w);
    if (ok && !halted(&w)) tell_use(&w);
    ok = ok && try_seed(&w, all, err);
    bool keep = ok && !w.later && !w.seed.later && (!run_interrupted() || out_of_time(&w));
    if (keep)
        ok = record(&w, started, cpu, err);
    else
        hunter->moved(
            hunter->user,
            &(CampaignTotals){ .total_cpu_s = run_children_cpu() + clock_own_cpu() - cpu },
            w.cost.verify);
    all->recorded = keep && ok;
    all->store_s = own.store_s;
    release(&w);
    return ok && !halted(&w);
}

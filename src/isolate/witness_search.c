/* See witness_search.h. One round: choose a batch, judge it, cover what passed (and the first
 * failing twins), check strictly what would be accepted, accept in order, tell the strategy. */
#include "isolate/witness_search.h"
#include "base/file.h"
#include "base/quantity.h"
#include "isolate/csmith.h"
#include "isolate/cuts.h"
#include "isolate/isolate_knobs.h"
#include "isolate/learn/a2c.h"
#include "isolate/learn/mh.h"
#include "isolate/witness_oracle.h"
#include "perturb/hash_globals.h"
#include "perturb/ingredients.h"
#include "perturb/perturb.h"

/* ---- strategies ---- */
typedef struct WitnessSearch WitnessSearch;
typedef struct WitnessCandidate WitnessCandidate;

/* Where the programs of a strategy come from and what it learns from their outcome: one row each in
 * `choosers` below. NULL members: nothing to do. */
typedef struct SearchChooser {
    bool (*begin)(WitnessSearch *s, const SearchSpec *spec, Error *err);
    unsigned (*choose)(WitnessSearch *s, Rng *rng); /* operator or rule of the next mutant */
    /* what was chosen gave nothing new */
    void (*take_back)(WitnessSearch *s, unsigned choice);
    /* gain: of Q; distance: mean, to the witnesses before */
    void (*learn)(WitnessSearch *s, unsigned choice, bool accepted, double gain, double distance);
    void (*make)(WitnessSearch *s, WitnessCandidate *c, Arena *arena, Rng *rng);
    bool (*exhausted)(const WitnessSearch *s);
    bool foreign; /* its programs are not mutants of the failing one */
} SearchChooser;

typedef struct SearchStrategy {
    const char *name;
    const SearchChooser *by;
    unsigned choices; /* operators or rules to choose among */
    bool operators;   /* choices are RecBi's ten operators, not rules */
    bool quality;     /* accepted only when Q grows; else whenever the coverage is new */
    bool blend;       /* every other mutant is a witness with a block of the test suite in it */
} SearchStrategy;

static const SearchChooser by_a2c, by_mh, by_chance, from_suite, from_csmith, from_cuts;

static const SearchStrategy strategies[] = {
    { "recbi", &by_a2c, PERTURB_OPERATORS, true, true, false },
    { "filter", &by_chance, PERTURB_OPERATORS, true, true, false }, /* RecBi without learning */
    { "recbi-rand", &by_chance, PERTURB_OPERATORS, true, false, false }, /* .. also without Q */
    { "near", &by_a2c, PERTURB_OPERATORS, true, false, false },          /* all that is new: ours */
    { "diwi", &by_mh, PERTURB_LOCAL, false, false, false },
    { "blend", &by_mh, PERTURB_LOCAL, false, false, true }, /* DiWi's last experiment */
    { "mh", &by_mh, PERTURB_RULES, false, false, false },   /* DiWi with structural mutation */
    { "random", &by_chance, PERTURB_LOCAL, false, false, false }, /* DiWi without its search */
    { "dev", &from_suite, 1, false, false, false },
    { "csmith", &from_csmith, 1, false, false, false },
    { "cuts", &from_cuts, 1, false, false, false }, /* the program with one part less: ours */
};

/* ---- state ---- */
struct WitnessCandidate {
    unsigned choice; /* operator or rule */
    unsigned rule;   /* that was used in the end */
    Str text;        /* in the batch's arena; empty: none was made */
    Str hashed;      /* with a hash of globals; empty: not checked */
    Str label;
    JudgeJob judge;
    CovJob cov;
    Bits bits;    /* no words: not covered */
    bool blended; /* made from a witness: the choice had no part in it */
    bool strayed; /* the choice had nothing new: made with another one */
    bool new_;    /* accepted so far */
    bool strict;  /* strictly judged: still passes */
};

typedef struct WitnessSeed { /* a failing program that mutants are made from */
    Mutator *mutator;
    unsigned order; /* 0: the given one */
} WitnessSeed;

struct WitnessSearch {
    Isolation *iso;
    const SearchStrategy *strategy;
    A2c a2c;
    Mh mh;
    Ingredients *pool;
    VEC(WitnessSeed) seeds;
    VEC(Mutator *) blends;            /* of the witnesses, made as needed */
    VEC(Str) failing;                 /* texts of failing mutants, for higher orders */
    Map seen;                         /* hashes of mutants made before */
    StrVec suite;                     /* dev: paths, in random order */
    Cuts cuts;                        /* cuts */
    size_t next_given;                /* of suite or cuts */
    size_t most;                      /* of them */
    uint64_t index;                   /* of the next mutant: names its random stream */
    uint64_t fruitful;                /* the index when the last witness was taken */
    unsigned order;                   /* of the current seeds */
    unsigned dry;                     /* rounds in a row without a new mutant */
    bool used_given;                  /* the program as it was given is a seed as well */
    double gain[PERTURB_RULES];       /* RecBi: Q gained by each choice */
    uint64_t selected[PERTURB_RULES]; /* times it was chosen */
    size_t first_witness;             /* how many there were before the search */
    double begun;
    const char *const *clang; /* arguments for parsing */
    Str oracle[2];            /* of the program now, and as it was given; empty: not known */
};

#define FALLBACK_MUTANTS                                                                           \
    400 /* without a clock: higher orders after this many mutants without a witness */
#define PATIENCE (5u * FALLBACK_MUTANTS) /* .. and no more after this many since the last one */
#define HIGHER_SEEDS 8                   /* failing mutants parsed for each higher order */
#define DRY_ROUNDS 4   /* rounds without a new mutant after which there are no more */
#define TRIES_CHOSEN 8 /* for a mutant that is new, with what was chosen .. */
#define TRIES_AGAIN 24 /* .. this many times .. */
#define TRIES_ANY 24   /* .. and after that with anything */

static unsigned choose(WitnessSearch *s, Rng *rng) {
    return s->strategy->by->choose(s, rng);
}

/* The last choice gave nothing new. */
static unsigned choose_again(WitnessSearch *s, unsigned last, Rng *rng) {
    if (s->strategy->by->take_back) s->strategy->by->take_back(s, last);
    return choose(s, rng);
}

static void feedback(WitnessSearch *s, unsigned choice, bool accepted, double gain,
                     double distance) {
    s->selected[choice]++;
    s->gain[choice] += gain;
    if (s->strategy->by->learn) s->strategy->by->learn(s, choice, accepted, gain, distance);
}

/* ---- making ---- */
static bool add_seed(WitnessSearch *s, Str text, unsigned order, Error *err) {
    PerturbGuard guard = subject_runs(s->iso->subject) ? PERTURB_GUARD_OUTER : PERTURB_GUARD_NONE;
    Mutator *m = mutator_new(text, "program.c", s->clang, guard, s->pool, err);
    if (!m) return false;
    vec_push(&s->seeds, (WitnessSeed){ m, order });
    return true;
}

/* No witness by half of the budget. */
static bool fallback_due(const WitnessSearch *s) {
    const Isolation *iso = s->iso;
    if (iso->witnesses.len > s->first_witness) return false;
    double now = isolation_now(iso);
    bool due = iso->deadline > 0 ? now - s->begun > DIWI_FALLBACK * (iso->deadline - s->begun)
                                 : s->index > (uint64_t)FALLBACK_MUTANTS * (s->order + 1);
    if (!due && s->order == 0) return false;
    return !s->order || s->index % (BATCH_WIDTH * 16) == 0;
}

/* Nothing new can be made from the small program: the one it was made from has more to change. Its
 * run is one more failing run, for its mutants to be compared with. */
static void use_given(WitnessSearch *s) {
    Isolation *iso = s->iso;
    Arena scratch = { 0 };
    s->used_given = true;
    JudgeJob judge; /* the remaining options are those the shortened program needs */
    judge_init(&judge, iso->subject, iso->given);
    judge.fail = iso->fail;
    judge_run(&judge);
    bool fails = judge.outcome == JUDGED_FAILS;
    judge_end(&judge);
    Bits bits = bits_new(iso->subject->map.n_stmts);
    if (fails && add_seed(s, iso->given, s->order + 1, NULL) &&
        cov_run(iso->subject, iso->fail, iso->given, NULL, &bits, NULL, &scratch, NULL)) {
        s->order++;
        s->dry = 0;
        isolation_add_failing(iso, bits, STR("as given"), false);
    } else
        bits_free(&bits);
    arena_release(&scratch);
}

/* Failing mutants become the seeds, generation by generation: when the paper says so, and when
 * nothing new can be made from the current seeds. */
static void maybe_higher_order(WitnessSearch *s) {
    Isolation *iso = s->iso;
    if (s->dry >= DRY_ROUNDS && !s->failing.len && iso->given.len && !s->used_given) use_given(s);
    if (!s->failing.len || (s->dry < DRY_ROUNDS && !fallback_due(s))) return;
    s->order++;
    s->dry = 0;
    Rng rng = rng_stream(iso->seed, "higher", s->order);
    size_t before = s->seeds.len;
    for (int k = 0; k < HIGHER_SEEDS; k++)
        add_seed(s, s->failing.at[rng_below(&rng, s->failing.len)], s->order, NULL);
    if (s->seeds.len > before) s->failing.len = 0; /* for the next generation */
}

static const Mutator *pick_seed(WitnessSearch *s, Rng *rng) {
    size_t first = 0;
    while (first < s->seeds.len && s->seeds.at[first].order < s->order) first++;
    if (first == s->seeds.len) first = 0;
    return s->seeds.at[first + rng_below(rng, s->seeds.len - first)].mutator;
}

static bool seen_before(WitnessSearch *s, Str text) {
    Hash hash = str_hash128(text);
    return !map_put(&s->seen, (Str){ (const char *)&hash, sizeof hash }, 1);
}

static void try_mutant(WitnessSearch *s, WitnessCandidate *c, unsigned choice, Arena *arena,
                       Rng *rng) {
    Buf text = { 0 };
    const Mutator *seed = pick_seed(s, rng);
    c->rule = choice;
    bool made = s->strategy->operators ? mutator_make_operator(seed, choice, rng, &text, &c->rule)
                                       : mutator_make(seed, choice, rng, &text);
    if (made && !seen_before(s, buf_view(&text))) {
        c->text = arena_str(arena, buf_view(&text));
        c->label = str_from(perturb_rule(c->rule)->name);
    }
    buf_release(&text);
}

/* A choice that gives nothing new costs no compilation: the strategy chooses again. Only if that
 * does not help either, any choice will do. */
static void make_mutant(WitnessSearch *s, WitnessCandidate *c, Arena *arena, Rng *rng) {
    for (int again = 0; again < TRIES_AGAIN; again++) {
        for (int i = 0; i < TRIES_CHOSEN && !c->text.len; i++)
            try_mutant(s, c, c->choice, arena, rng);
        if (c->text.len) return;
        if (again + 1 < TRIES_AGAIN) c->choice = choose_again(s, c->choice, rng);
    }
    c->strayed = true;
    for (int i = 0; i < TRIES_ANY && !c->text.len; i++)
        try_mutant(s, c, (unsigned)rng_below(rng, s->strategy->choices), arena, rng);
}

/* The mutator of some witness that is a program; NULL where there is none, or clang does not accept
 * it. */
static const Mutator *pick_witness(WitnessSearch *s, Rng *rng) {
    const Isolation *iso = s->iso;
    if (iso->witnesses.len <= s->first_witness) return NULL;
    size_t at = rng_below(rng, iso->witnesses.len - s->first_witness);
    const Witness *w = &iso->witnesses.at[s->first_witness + at];
    while (s->blends.len <= at) vec_push(&s->blends, NULL);
    PerturbGuard guard = subject_runs(iso->subject) ? PERTURB_GUARD_OUTER : PERTURB_GUARD_NONE;
    if (!s->blends.at[at] && w->program.len)
        s->blends.at[at] = mutator_new(w->program, "program.c", s->clang, guard, s->pool, NULL);
    return s->blends.at[at];
}

/* DiWi's blending: a block of the test suite, with all it needs, renamed into a witness. */
static bool blend(WitnessSearch *s, WitnessCandidate *c, Arena *arena, Rng *rng) {
    if (!s->strategy->blend || !s->pool || !rng_chance(rng, 0.5)) return false;
    const Mutator *witness = pick_witness(s, rng);
    Buf text = { 0 };
    if (witness && mutator_make(witness, PERTURB_CALL, rng, &text) &&
        !seen_before(s, buf_view(&text))) {
        c->text = arena_str(arena, buf_view(&text));
        c->label = STR("blended with a block of the test suite");
        c->blended = true;
    }
    buf_release(&text);
    return c->blended;
}

static void make_perturbed(WitnessSearch *s, WitnessCandidate *c, Arena *arena, Rng *rng) {
    if (!blend(s, c, arena, rng)) make_mutant(s, c, arena, rng);
}

static void make_csmith(WitnessSearch *s, WitnessCandidate *c, Arena *arena, Rng *rng) {
    uint64_t seed = rng_below(rng, 1ull << 32);
    s->next_given++;
    if (csmith_make(arena, seed, &c->text))
        c->label =
            str_from(arena_fmt(&s->iso->arena, "csmith --seed %llu", (unsigned long long)seed));
    else
        c->text = STR("");
}

static void make_from_suite(WitnessSearch *s, WitnessCandidate *c, Arena *arena, Rng *rng) {
    (void)rng;
    if (s->next_given >= s->suite.len) return;
    const char *path = s->suite.at[s->next_given++].at;
    if (file_read(arena, path, &c->text, NULL)) c->label = str_from(file_name(path));
}

static void make_cut(WitnessSearch *s, WitnessCandidate *c, Arena *arena, Rng *rng) {
    (void)arena, (void)rng;
    if (s->next_given >= s->cuts.len) return;
    c->text = s->cuts.at[s->next_given].text;
    c->label = s->cuts.at[s->next_given++].label;
}

static void make_batch(WitnessSearch *s, WitnessCandidate *batch, Arena *arena) {
    double begin = clock_own_cpu();
    for (unsigned k = 0; k < BATCH_WIDTH; k++) {
        WitnessCandidate *c = &batch[k];
        *c = (WitnessCandidate){ 0 };
        Rng rng = rng_stream(s->iso->seed, "mutant", s->index++);
        c->choice = choose(s, &rng);
        s->strategy->by->make(s, c, arena, &rng);
        s->iso->stats.mutants += c->text.len > 0;
    }
    s->dry++;
    for (unsigned k = 0; k < BATCH_WIDTH; k++)
        if (batch[k].text.len) s->dry = 0;
    s->iso->stats.made_s += clock_own_cpu() - begin;
}

/* ---- judging and covering ---- */
static void wait_all(Isolation *iso) {
    while (pool_load(iso->pool)) {
        if (iso->deadline > 0 && isolation_now(iso) > iso->deadline + OVERRUN)
            pool_cancel_all(iso->pool);
        pool_next(iso->pool);
        isolation_tick(iso);
    }
}

static bool wants_twins(const Isolation *iso) {
    return iso->twins && iso->failing.len < TWINS_MOST;
}

/* A failing mutant that takes part in the ranking must fail through the compiler's fault alone. */
static void judge_batch(WitnessSearch *s, WitnessCandidate *batch) {
    Isolation *iso = s->iso;
    bool clean = wants_twins(iso) && subject_runs(iso->subject);
    for (unsigned k = 0; k < BATCH_WIDTH; k++)
        if (batch[k].text.len) {
            judge_init(&batch[k].judge, iso->subject, batch[k].text);
            batch[k].judge.fail = iso->fail;
            batch[k].judge.clean = clean ? iso->clean : NULL;
            batch[k].judge.skip = iso->skip;
            batch[k].judge.clean_failure = clean;
            pool_submit(iso->pool, &batch[k].judge.job);
        }
    wait_all(iso);
    for (unsigned k = 0; k < BATCH_WIDTH; k++) {
        JudgeJob *j = &batch[k].judge;
        if (!batch[k].text.len) continue;
        if (j->job.cancelled) j->outcome = JUDGED_NONE;
        iso->stats.judged += j->outcome != JUDGED_NONE;
        iso->stats.passed += j->outcome == JUDGED_PASSES;
        iso->stats.failed += j->outcome == JUDGED_FAILS;
        iso->stats.invalid += j->outcome == JUDGED_INVALID;
        iso->stats.other += j->outcome == JUDGED_OTHER;
        iso->stats.judge_s += j->job.cpu_s;
    }
}

/* Which runs need coverage: passing ones, and the first failing twins if the ranking uses them. */
static bool wants_coverage(const WitnessSearch *s, const WitnessCandidate *c) {
    if (!c->text.len) return false;
    if (c->judge.outcome == JUDGED_PASSES) return true;
    return c->judge.outcome == JUDGED_FAILS && wants_twins(s->iso);
}

static void cover_batch(WitnessSearch *s, WitnessCandidate *batch) {
    Isolation *iso = s->iso;
    bool asked[BATCH_WIDTH] = { 0 };
    for (unsigned k = 0; k < BATCH_WIDTH; k++)
        if ((asked[k] = wants_coverage(s, &batch[k]))) {
            cov_job_init(&batch[k].cov, iso->subject, iso->fail, batch[k].text);
            pool_submit(iso->pool, &batch[k].cov.job);
        }
    wait_all(iso);
    for (unsigned k = 0; k < BATCH_WIDTH; k++) {
        if (!asked[k]) continue;
        Bits bits = bits_new(iso->subject->map.n_stmts);
        bool read = cov_job_read(&batch[k].cov, &bits, NULL);
        if (read && batch[k].judge.outcome == JUDGED_FAILS && !isolation_same_crash(iso)) {
            batch[k].judge.outcome = JUDGED_OTHER;
            read = false;
        }
        const RunResult *ran = &batch[k].cov.ran;
        bool whole = ran->end == RUN_EXITED && (!ran->code || batch[k].judge.refused);
        if (batch[k].judge.outcome == JUDGED_PASSES && !whole)
            read = false; /* cut short: its coverage means nothing */
        if (read)
            batch[k].bits = bits;
        else
            bits_free(&bits);
        iso->stats.coverages++;
        iso->stats.coverage_s += batch[k].cov.job.cpu_s;
        iso->stats.read_s += batch[k].cov.read_s;
        cov_job_end(&batch[k].cov);
    }
}

/* What accepting it would gain in Q; least: its distance to the nearest witness; mean: to all. */
static double gain_of(const Isolation *iso, const Bits *bits, double *least, double *mean) {
    *mean = isolation_distance(iso, bits, least);
    double similarity = 1 - isolation_to_failing(iso, bits),
           sum = *mean * (double)iso->witnesses.len;
    Quality with = quality_with(&iso->quality, similarity, sum);
    return quality_value(&with) - quality_value(&iso->quality);
}

static bool acceptable(const WitnessSearch *s, const Bits *bits, double *gain, double *mean) {
    double least;
    *gain = gain_of(s->iso, bits, &least, mean);
    bool fresh = !s->iso->witnesses.len || least > 0;
    return fresh && (!s->strategy->quality || *gain > 0);
}

/* A mutant that passes must show what the program it was made from shows. */
static bool keeps_oracle(const WitnessSearch *s, Str text) {
    if (!subject_runs(s->iso->subject) || s->strategy->by->foreign) return true;
    for (int i = 0; i < 2; i++)
        if (s->oracle[i].len && oracle_is(text, s->clang, s->oracle[i])) return true;
    return !s->oracle[0].len;
}

static void read_oracles(WitnessSearch *s) {
    const Str programs[] = { s->iso->subject->source, s->iso->given };
    for (int i = 0; i < 2 && subject_runs(s->iso->subject); i++) {
        Buf text = { 0 };
        if (programs[i].len && oracle_text(programs[i], s->clang, &text))
            s->oracle[i] = arena_str(&s->iso->arena, buf_view(&text));
        buf_release(&text);
    }
}

/* The oracle, sanitizers, the hash of globals and all of the failing options, for those that would
 * be accepted. */
static void check_batch(WitnessSearch *s, WitnessCandidate *batch, Arena *arena) {
    Isolation *iso = s->iso;
    double gain, mean;
    bool runs = subject_runs(iso->subject), fewer = iso->fail != iso->subject->fail;
    for (unsigned k = 0; k < BATCH_WIDTH; k++) {
        WitnessCandidate *c = &batch[k];
        if (!c->bits.words || c->judge.outcome != JUDGED_PASSES) continue;
        c->new_ = acceptable(s, &c->bits, &gain, &mean) && keeps_oracle(s, c->text);
        c->strict = c->new_;
        if (!c->new_ || !(fewer || (runs && (iso->clean || iso->hash_tells)))) continue;
        if (c->judge.refused) continue; /* by an error, with whatever options */
        Buf hashed = { 0 };
        if (runs && iso->hash_tells && hash_globals(c->text, s->clang, &hashed))
            c->hashed = arena_str(arena, buf_view(&hashed));
        buf_release(&hashed);
        judge_again(&c->judge);
        c->judge.whole = true;
        c->judge.clean = iso->clean;
        c->judge.skip = iso->skip;
        c->judge.hashed = c->hashed;
        pool_submit(iso->pool, &c->judge.job);
    }
    wait_all(iso);
    for (unsigned k = 0; k < BATCH_WIDTH; k++)
        if (batch[k].new_) {
            batch[k].strict =
                !batch[k].judge.job.cancelled && batch[k].judge.outcome == JUDGED_PASSES;
            iso->stats.checked++;
            iso->stats.check_s += batch[k].judge.job.cpu_s;
        }
}

/* Its programs are not mutants of the failing one. */
static bool is_foreign(const WitnessSearch *s) {
    return s->strategy->by->foreign;
}

static void take(WitnessSearch *s, WitnessCandidate *c) {
    Isolation *iso = s->iso;
    double gain = 0, mean = 0;
    bool accepted = false, full = iso->most_witnesses && iso->witnesses.len >= iso->most_witnesses;
    if (c->bits.words && c->new_ && c->strict && !full && acceptable(s, &c->bits, &gain, &mean)) {
        bool suite = is_foreign(s);
        accepted = isolation_add(iso, (Witness){ .kind = suite ? WITNESS_SUITE : WITNESS_MUTANT,
                                                 .label = c->label,
                                                 .program = c->text,
                                                 .hashed = c->hashed,
                                                 .bits = c->bits });
        if (accepted) s->fruitful = s->index;
    } else if (c->bits.words && c->judge.outcome == JUDGED_FAILS && !c->new_)
        isolation_add_failing(iso, c->bits, c->label, is_foreign(s));
    else if (c->bits.words)
        bits_free(&c->bits);
    if (c->text.len && c->judge.outcome == JUDGED_FAILS && s->failing.len < 200 && !c->new_)
        vec_push(&s->failing, arena_str(&iso->arena, c->text));
    if (!c->blended && !c->strayed)
        feedback(s, c->choice, accepted, accepted ? gain : 0, mean);
    else if (c->strayed)
        feedback(s, c->choice, false, 0, 0);
    if (c->text.len) judge_end(&c->judge);
}

static void round_(WitnessSearch *s) {
    WitnessCandidate batch[BATCH_WIDTH];
    Arena arena = { 0 };
    maybe_higher_order(s);
    make_batch(s, batch, &arena);
    judge_batch(s, batch);
    cover_batch(s, batch);
    check_batch(s, batch, &arena);
    for (unsigned k = 0; k < BATCH_WIDTH; k++) take(s, &batch[k]);
    arena_release(&arena);
    isolation_tick(s->iso);
}

/* ---- beginning and end ---- */
static const SearchStrategy *find_strategy(const char *name) {
    for (size_t i = 0; i < COUNT_OF(strategies); i++)
        if (strcmp(strategies[i].name, name) == 0) return &strategies[i];
    return NULL;
}

static bool begin_suite(WitnessSearch *s, const SearchSpec *spec, Error *err) {
    Isolation *iso = s->iso;
    if (!spec->ingredients)
        return err_set(err, STATUS_BAD, "--search %s needs --ingredients DIR", spec->name);
    if (!file_list(&iso->arena, spec->ingredients, ".c", &s->suite, err)) return false;
    Rng rng = rng_stream(iso->seed, "suite", 0);
    if (s->suite.len) rng_shuffle(&rng, s->suite.at, s->suite.len, sizeof *s->suite.at);
    return true;
}

static bool begin_cuts(WitnessSearch *s, const SearchSpec *spec, Error *err) {
    (void)spec, (void)err;
    cuts_make(&s->iso->arena, s->iso->subject->source, s->clang, &s->cuts);
    size_t n = 0;
    for (size_t i = 0; i < s->cuts.len; i++)
        if (s->cuts.at[i].honest || !subject_runs(s->iso->subject)) s->cuts.at[n++] = s->cuts.at[i];
    s->cuts.len = n;
    return true;
}

static bool begin_csmith(WitnessSearch *s, const SearchSpec *spec, Error *err) {
    (void)s, (void)spec;
    return csmith_find(err);
}

static bool begin_mutants(WitnessSearch *s, const SearchSpec *spec, Error *err) {
    const SearchStrategy *strategy = s->strategy;
    if (strategy->blend && !spec->ingredients)
        return err_set(err, STATUS_BAD, "--search %s needs --ingredients DIR", spec->name);
    bool structural = strategy->operators || strategy->choices > PERTURB_LOCAL || strategy->blend;
    if (structural && spec->ingredients) {
        s->pool = ingredients_mine(spec->ingredients, 0, s->iso->seed, err);
        if (!s->pool) return false;
    }
    return add_seed(s, s->iso->subject->source, 0, err);
}

static bool begin_a2c(WitnessSearch *s, const SearchSpec *spec, Error *err) {
    if (!begin_mutants(s, spec, err)) return false;
    a2c_init(&s->a2c, s->strategy->choices, rng_stream(s->iso->seed, "a2c", 0));
    return true;
}

static bool begin_mh(WitnessSearch *s, const SearchSpec *spec, Error *err) {
    if (!begin_mutants(s, spec, err)) return false;
    mh_init(&s->mh, s->strategy->choices, rng_stream(s->iso->seed, "mh", 0));
    return true;
}

/* The outcome of a program with a hash of its globals. */
static Judgement judge_hashed(WitnessSearch *s, Str program) {
    Judgement outcome = JUDGED_NONE;
    Buf text = { 0 };
    if (hash_globals(program, s->clang, &text)) {
        JudgeJob job;
        judge_init(&job, s->iso->subject, buf_view(&text));
        job.fail = s->iso->fail;
        judge_run(&job);
        outcome = job.outcome;
        judge_end(&job);
    }
    buf_release(&text);
    return outcome;
}

/* The hash tells something only if the failing program still fails with it, and a program without
 * fault passes with it: a compiler that runs nothing after main prints no hash, whatever is
 * compiled. */
static void try_hash(WitnessSearch *s) {
    Isolation *iso = s->iso;
    iso->hash_tells =
        subject_runs(iso->subject) && judge_hashed(s, iso->subject->source) == JUDGED_FAILS &&
        judge_hashed(s, STR("int one = 1;\nint main(void) { return 0; }\n")) == JUDGED_PASSES;
}

/* ---- when there is nothing more ---- */
static bool suite_exhausted(const WitnessSearch *s) {
    return s->next_given >= s->suite.len || s->next_given >= s->most;
}

static bool csmith_exhausted(const WitnessSearch *s) {
    return s->next_given >= s->most || (s->iso->deadline == 0 && s->next_given > FALLBACK_MUTANTS);
}

static bool cuts_exhausted(const WitnessSearch *s) {
    return s->next_given >= s->cuts.len || s->next_given >= s->most;
}

static bool mutants_exhausted(const WitnessSearch *s) {
    if (s->dry >= DRY_ROUNDS && !s->failing.len && (s->used_given || !s->iso->given.len))
        return true;
    return s->iso->deadline == 0 && s->index - s->fruitful > PATIENCE;
}

/* ---- the choosers ---- */
static unsigned choose_any(WitnessSearch *s, Rng *rng) {
    return (unsigned)rng_below(rng, s->strategy->choices);
}

static unsigned choose_a2c(WitnessSearch *s, Rng *rng) {
    (void)rng;
    return a2c_choose(&s->a2c);
}

static void take_back_a2c(WitnessSearch *s, unsigned choice) {
    (void)choice; /* for A2C it was never chosen */
    a2c_take_back(&s->a2c);
}

static void learn_a2c(WitnessSearch *s, unsigned choice, bool accepted, double gain,
                      double distance) {
    (void)gain, (void)distance; /* RecBi: the gains so far over the times it was chosen */
    a2c_reward(&s->a2c, s->gain[choice] / (double)s->selected[choice], accepted);
}

static unsigned choose_mh(WitnessSearch *s, Rng *rng) {
    (void)rng;
    return mh_choose(&s->mh);
}

static void take_back_mh(WitnessSearch *s, unsigned choice) {
    mh_feedback(&s->mh, choice, false, 0); /* for DiWi the rule has one more failure */
    mh_take_back(&s->mh);
}

static void learn_mh(WitnessSearch *s, unsigned choice, bool accepted, double gain,
                     double distance) {
    (void)gain;
    mh_feedback(&s->mh, choice, accepted, distance);
}

static const SearchChooser by_a2c = { begin_a2c,      choose_a2c,        take_back_a2c, learn_a2c,
                                      make_perturbed, mutants_exhausted, false };
static const SearchChooser by_mh = { begin_mh,       choose_mh,         take_back_mh, learn_mh,
                                     make_perturbed, mutants_exhausted, false };
static const SearchChooser by_chance = { begin_mutants,  choose_any,        NULL, NULL,
                                         make_perturbed, mutants_exhausted, false };
static const SearchChooser from_suite = { begin_suite,     choose_any,      NULL, NULL,
                                          make_from_suite, suite_exhausted, true };
static const SearchChooser from_csmith = { begin_csmith, choose_any,       NULL, NULL,
                                           make_csmith,  csmith_exhausted, true };
static const SearchChooser from_cuts = { begin_cuts, choose_any,     NULL, NULL,
                                         make_cut,   cuts_exhausted, false };

bool search_run(Isolation *iso, const SearchSpec *spec, Error *err) {
    WitnessSearch s = { .iso = iso,
                        .strategy = find_strategy(spec->name),
                        .most = spec->most ? spec->most : SIZE_MAX,
                        .clang = subject_clang(iso->subject) };
    CHECK(s.strategy);
    iso->doing = spec->name;
    s.begun = isolation_now(iso);
    s.first_witness = iso->witnesses.len;
    bool ok = s.strategy->by->begin(&s, spec, err);
    if (ok) try_hash(&s), read_oracles(&s);
    if (iso->stats.before_s == 0) iso->stats.before_s = clock_own_cpu() + run_children_cpu();
    while (ok && !isolation_over(iso) && !s.strategy->by->exhausted(&s)) round_(&s);
    for (size_t i = 0; i < s.seeds.len; i++) mutator_free(s.seeds.at[i].mutator);
    if (s.pool) ingredients_free(s.pool);
    if (s.a2c.n) a2c_release(&s.a2c);
    if (s.mh.n) mh_release(&s.mh);
    for (size_t i = 0; i < s.blends.len; i++) mutator_free(s.blends.at[i]);
    vec_release(&s.seeds);
    vec_release(&s.blends);
    vec_release(&s.failing);
    vec_release(&s.suite);
    vec_release(&s.cuts);
    map_release(&s.seen);
    return ok;
}

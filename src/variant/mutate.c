/* The chain of variants (Algorithm 1, function EMI); see mutate.h.
 *
 * A round: parse the newest program, sample points, profile them, let each strategy add its parts,
 * render. What a variant needs later (any subset of its snippets) is in the parts. */
#include "variant/borrow/borrow.h"
#include "variant/chain.h"
#include "variant/fitness.h"
#include "variant/origin.h"
#include "variant/variant_knobs.h"

#include <time.h>

static const char *const names[STRATEGY_COUNT] = { "fcb",   "tg",     "tcb",   "identity",
                                                   "orion", "borrow", "athena" };

const char *strategy_name(Strategy strategy) {
    return names[strategy];
}

bool strategies_parse(Str list, unsigned *set, Error *err) {
    Str rest = list, word;
    *set = 0;
    while (str_split(&rest, ',', &word)) {
        unsigned bits = 0;
        if (str_is(word, "hermes")) bits = STRATEGIES_HERMES;
        if (str_is(word, "all")) bits = STRATEGY_BIT(STRATEGY_COUNT) - 1;
        for (unsigned i = 0; i < STRATEGY_COUNT; i++)
            if (str_is(word, names[i])) bits = STRATEGY_BIT(i);
        if (!bits)
            return err_set(err, STATUS_BAD,
                           "unknown strategy '" STR_FMT "'; known are fcb, tg, tcb, identity, "
                           "orion, borrow, athena, hermes and all",
                           STR_ARG(word));
        *set |= bits;
    }
    return true;
}

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A prefix for new names that the seed does not use. */
static const char *choose_prefix(Arena *arena, Str text) {
    for (unsigned n = 0;; n++) {
        const char *prefix = n ? arena_fmt(arena, "cp%u_", n) : "cp_";
        if (str_find(text, str_from(prefix), 0) == STR_NONE) return prefix;
    }
}

/* Options under which exact floating point is not what it is by the standard: signs of zeros,
 * types of constants. What names the floating environment itself is not mutated at all. */
static bool changes_reals(const char *const *flags) {
    static const char *const words[] = { "-ffast-math",
                                         "-Ofast",
                                         "-funsafe-math-optimizations",
                                         "-ffinite-math-only",
                                         "-fno-signed-zeros",
                                         "-fassociative-math",
                                         "-freciprocal-math",
                                         "-fsingle-precision-constant",
                                         "-fshort-double",
                                         "-mlong-double-",
                                         "-ffp-model=",
                                         "-frounding-math",
                                         "-mno-sse",
                                         "-mfma",
                                         "-march=",
                                         "-ffp-contract=fast",
                                         "-mgeneral-regs-only",
                                         "-msoft-float",
                                         "-fapprox-func",
                                         "-mno-80387",
                                         "-mno-fp-ret-in-387" };
    for (; flags && *flags; flags++)
        for (size_t i = 0; i < COUNT_OF(words); i++)
            if (strncmp(*flags, words[i], strlen(words[i])) == 0) return true;
    return false;
}

static const CUnit *parse(MutateChain *c, Arena *arena, Error *err) {
    const char *own = c->options.name ? c->options.name : "seed";
    CfrontOptions opts = { .name = c->round ? "variant" : own, .args = c->reading };
    return cfront_parse(arena, buf_view(&c->current.text), &opts, err);
}

static void set_defaults(MutateOptions *o) {
    if (!o->strategies) o->strategies = STRATEGIES_HERMES;
    if (o->probability <= 0) o->probability = HUNT_PROFILE_PROBABILITY;
}

/* Without others, the seed borrows from itself. */
static bool open_lender(MutateChain *c, const CUnit *unit, Error *err) {
    c->lender = c->options.lender;
    if (c->lender || !(c->options.strategies & STRATEGY_BIT(STRATEGY_BORROW))) return true;
    c->lender = c->own = lender_new();
    lender_take(c->own, unit);
    return lender_record(c->own, c->options.seed, err);
}

MutateChain *mutate_open(Str text, const MutateOptions *options, Error *err) {
    MutateChain *c = mem_alloc(sizeof *c);
    c->options = *options;
    set_defaults(&c->options);
    c->pieces.seed = arena_str(&c->arena, text);
    c->prefix = choose_prefix(&c->arena, text);
    pieces_render(&c->pieces, 0, NULL, &c->current);
    c->reading = c->options.flags;
    c->no_reals = options->no_reals || changes_reals(c->options.flags) ||
                  str_find(text, STR("__builtin_nans"), 0) != STR_NONE; /* arithmetic quiets them */
    if (options->clang) {
        const char *const aim[] = { arena_fmt(&c->arena, "--target=%s", options->clang->target),
                                    NULL };
        c->reading = flags_plus(&c->arena, aim, c->options.flags);
    }
    profiler_init(&c->profiler, c->options.flags, c->options.run_limit_s);
    c->profiler.by[0] = options->gcc, c->profiler.by[1] = options->clang;
    if (options->expected.at) {
        c->profiler.known = true;
        c->profiler.expected = arena_str(&c->arena, options->expected);
        c->profiler.code = options->expected_code;
    }
    Arena scratch = { 0 };
    const CUnit *unit = parse(c, &scratch, err);
    bool *refused;
    bool ok = unit && fitness_check(unit, &scratch, &refused, err) && origin_repeats(unit, err) &&
              open_lender(c, unit, err);
    if (ok && (c->options.strategies & STRATEGY_BIT(STRATEGY_ATHENA)))
        outline_of(&c->seed_outline, unit);
    arena_release(&scratch);
    if (ok) return c;
    mutate_close(c);
    return NULL;
}

static bool wants_values(unsigned strategies) {
    return strategies &
           (STRATEGIES_HERMES | STRATEGY_BIT(STRATEGY_IDENTITY) | STRATEGY_BIT(STRATEGY_BORROW));
}

static void apply_strategies(Round *r) {
    unsigned set = r->chain->options.strategies;
    if (wants_values(set))
        for (size_t i = 0; i < r->points.len; i++) {
            const Point *p = &r->points.at[i];
            if (p->seen) hermes_mutate(r, p, set);
        }
    /* In one chain the two take turns: their edits at one point would collide. */
    bool orion = set & STRATEGY_BIT(STRATEGY_ORION), athena = set & STRATEGY_BIT(STRATEGY_ATHENA);
    if (orion && (!athena || r->chain->round % 2)) orion_mutate(r);
    if (athena && (!orion || r->chain->round % 2 == 0)) athena_mutate(r);
}

static void round_free(Round *r) {
    if (!r) return;
    points_release(&r->points);
    arena_release(&r->arena);
    mem_free(r);
}

static unsigned line_of(Str text, size_t offset) {
    unsigned line = 1;
    for (size_t i = 0; i < offset && i < text.len; i++) line += text.at[i] == '\n';
    return line;
}

static void describe(MutateChain *c, Variant *v) {
    Snippet *list = ARENA_ARRAY(&c->arena, Snippet, c->made.len + 1);
    for (unsigned i = 0; i < c->made.len; i++) {
        const Made *m = &c->made.at[i];
        Span span = c->next.spans.at[i];
        SnippetVec needs = { 0 };
        pieces_needs(&c->pieces, i, &needs);
        list[i] = (Snippet){ .id = i,
                             .round = m->round,
                             .strategy = m->strategy,
                             .function = m->function,
                             .line = line_of(v->text, span.from),
                             .begin = span.from,
                             .end = span.to,
                             .text = m->text,
                             .needs = arena_copy(&c->arena, needs.at, needs.len * sizeof *needs.at),
                             .needs_len = needs.len };
        vec_release(&needs);
    }
    v->snippets = list;
    v->snippets_len = c->made.len;
}

/* The strategies' parts become the newest program. */
static void hand_out(MutateChain *c, Round *r, Variant *variant) {
    pieces_render(&c->pieces, (unsigned)c->made.len, NULL, &c->next);
    *variant = (Variant){ .round = c->round,
                          .sibling = r->siblings++,
                          .text = arena_str(&c->arena, buf_view(&c->next.text)),
                          .fresh = (unsigned)(c->made.len - r->made) };
    describe(c, variant);
}

static Round *round_new(MutateChain *c) {
    if (c->round > 0) {
        Rendered grown = c->next;
        c->next = c->current, c->current = grown;
    }
    Round *r = mem_alloc(sizeof *r);
    *r = (Round){ .chain = c,
                  .rng = rng_stream(c->options.seed, "variant", c->round),
                  .parts = c->pieces.list.len,
                  .made = c->made.len,
                  .distance = c->seed_distance };
    return r;
}

bool mutate_next(MutateChain *c, Variant *variant, Error *err) {
    double started = cpu_now();
    round_free(c->kept);
    Round *r = c->kept = round_new(c);
    c->cost = (MutateCost){ 0 };
    r->unit = parse(c, &r->arena, err);
    c->cost.parse_s = cpu_now() - started;
    c->round++;
    bool *refused;
    bool ok = r->unit && fitness_check(r->unit, &r->arena, &refused, err);
    if (ok) {
        points_sample(&r->arena, &r->rng, r->unit, refused, c->options.probability,
                      wants_values(c->options.strategies), &r->points);
        ok = profile_points(&c->profiler, &r->arena, r->unit, &r->points, err);
    }
    if (ok) {
        apply_strategies(r);
        hand_out(c, r, variant);
    }
    c->cost.compile_s = c->profiler.compile_s;
    c->cost.run_s = c->profiler.run_s;
    c->cost.synth_s = cpu_now() - started - c->cost.parse_s;
    return ok;
}

void mutate_sibling(MutateChain *c, Variant *variant) {
    double started = cpu_now();
    Round *r = c->kept;
    CHECK(r && r->siblings > 0);
    c->pieces.list.len = r->parts;
    c->made.len = r->made;
    c->seed_distance = r->distance;
    c->cost = (MutateCost){ 0 };
    apply_strategies(r);
    hand_out(c, r, variant);
    c->cost.synth_s = cpu_now() - started;
}

void mutate_render(MutateChain *c, const Variant *variant, const bool *keep, Buf *out) {
    Rendered text = { 0 };
    pieces_render(&c->pieces, (unsigned)variant->snippets_len, keep, &text);
    buf_clear(out);
    buf_str(out, buf_view(&text.text));
    rendered_release(&text);
}

void mutate_places(MutateChain *c, const Variant *variant, const bool *keep, size_t *from,
                   size_t *to) {
    Rendered text = { 0 };
    pieces_render(&c->pieces, (unsigned)variant->snippets_len, keep, &text);
    for (size_t i = 0; i < variant->snippets_len; i++)
        from[i] = text.spans.at[i].from, to[i] = text.spans.at[i].to;
    rendered_release(&text);
}

MutateCost mutate_cost(const MutateChain *c) {
    return c->cost;
}

void mutate_close(MutateChain *c) {
    profiler_release(&c->profiler);
    lender_free(c->own);
    outline_release(&c->seed_outline);
    round_free(c->kept);
    rendered_release(&c->current);
    rendered_release(&c->next);
    vec_release(&c->pieces.list);
    vec_release(&c->made);
    arena_release(&c->arena);
    mem_free(c);
}

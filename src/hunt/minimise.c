/* Fewer snippets, fewer flags, simpler units; see minimise.h. */
#include "hunt/minimise.h"

#include "hunt/verify.h"
#include "shrink/shrink.h"

/* ---- the snippets that matter ---- */
typedef struct SnippetMinimise {
    const Trialled *in;
    const Failure *failure;
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
    const Trialled *in = m->in;
    if (run_interrupted()) return SHRINK_UNRESOLVED;
    render(m, keep, n);
    HuntProgram subject = in->seed->subject;
    subject.text = buf_view(&m->text);
    CcJob job;
    trial_one(&job, in->setup, in->pool, &subject, &m->failure->cell, NULL);
    ShrinkVerdict verdict = SHRINK_UNRESOLVED;
    if (trial_alike(&job, m->failure))
        verdict = SHRINK_FAILS;
    else if (job.verdict.kind == VERDICT_OK)
        verdict = SHRINK_PASSES;
    cc_job_end(&job);
    return verdict;
}

void minimise_snippets(Arena *arena, const Trialled *in, const Failure *failure, uint8_t *needed,
                       Str *text) {
    size_t n = in->variant->snippets_len;
    SnippetMinimise m = { .in = in, .failure = failure };
    memset(needed, 1, n);
    ShrinkPlain plain = { still_fails, &m, 0 };
    ShrinkTest test = shrink_one_by_one(&plain);
    if (still_fails(&m, needed, n) == SHRINK_FAILS) {
        shrink_fast(&test, needed, n);
        render(&m, needed, n);
        *text = arena_str(arena, buf_view(&m.text));
    } else
        *text = in->variant->text; /* the rendered text does not fail: keep the one that did */
    buf_release(&m.text);
}

/* ---- drawn flags ---- */
/* The flags without word i and what belongs to it; *step: how many words that is. */
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

/* Of the randomly drawn flags, keeps those that matter. */
static void simplify_flags(Arena *arena, const Trialled *in, const HuntProgram *subject,
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
static bool try_plan(const Trialled *in, const HuntProgram *subject, Failure *failure,
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

/* One compiler instead of two, no link-time optimisation; units that do not matter are not
 * optimised. */
static void simplify_units(Arena *arena, const Trialled *in, const HuntProgram *subject,
                           Failure *failure) {
    const HuntSetup *setup = in->setup;
    const UnitPlan *plan = failure->cell.units;
    for (unsigned i = 0; i < 2; i++)
        if (try_plan(in, subject, failure, units_by_one(arena, setup, plan, plan->by[i]))) break;
    try_plan(in, subject, failure, units_apart(arena, failure->cell.units));
    for (unsigned k = 0; k <= plan->n; k++)
        try_plan(in, subject, failure, units_plain_at(arena, setup, failure->cell.units, k));
}

void minimise_cell(Arena *arena, const Trialled *in, const HuntProgram *subject, Failure *failure) {
    if (failure->cell.units)
        simplify_units(arena, in, subject, failure);
    else if (failure->cell.drawn)
        simplify_flags(arena, in, subject, failure);
}

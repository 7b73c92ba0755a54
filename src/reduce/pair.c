/* PPR: the difference first (along the trees, then token by token), then what both share; again
 * until nothing shrinks.
 *
 * The tree difference gives hunks of tokens (tree/gumtree.h) at two grains: whole hunks and the
 * subtrees in them; single tokens are the third. At each grain
 *   - edits are undone in the variant, any number at once (cdd): insertions, deletions,
 * replacements;
 *   - or made in the seed as well, where it still passes: they are not a difference any more; and
 * what is left of the difference is shrunk by syntax inside its own side. */
#include "base/quantity.h"
#include "reduce/bulk/items.h"
#include "reduce/bulk/unreached.h"
#include "reduce/bulk/unreferenced.h"
#include "reduce/find/delta.h"
#include "reduce/find/neighbour.h"
#include "reduce/judge.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"
#include "reduce/syntax.h"
#include "tree/gumtree.h"
#include <math.h>

/* ---- patches: any subset of the edits ---- */
typedef struct PatchTest {
    Reducer *r;
    int side; /* VARIANT: kept edits are applied to the seed, giving a new variant;
               * SEED: edits that are not kept are applied to the seed */
    const DiffHunks *hunks;
    const ShrinkRound *round;
    uint8_t *keep;
    size_t steps;
    /* The trees that the hunks refer to: the documents' own change while steps are taken. */
    Tree seed, variant;
    Buf texts[SIDES];
} PatchTest;

static bool propose_patch(void *user, size_t i, Candidate *c) {
    PatchTest *p = user;
    if (i >= p->round->count) return false;
    p->round->make(p->round, i, p->keep);
    if (p->side == SEED)
        for (size_t k = 0; k < p->round->n; k++) p->keep[k] = !p->keep[k];
    Buf text = { 0 };
    render_patch(&p->seed, &p->variant, p->hunks, p->keep, &text);
    doc_replace(&p->r->side[p->side].doc, &c->arena, buf_view(&text), &c->side[p->side]);
    buf_release(&text);
    return true;
}

static size_t first_patch(void *user, const ShrinkRound *round) {
    PatchTest *p = user;
    p->round = round;
    p->r->todo = round->count;
    size_t hit = reducer_first(p->r, propose_patch, p);
    if (hit < SHRINK_STOP) p->steps++;
    return reduce_stopped(p->r) ? SHRINK_STOP : hit;
}

typedef enum Grain { GRAIN_HUNKS, GRAIN_SUBTREES, GRAIN_TOKENS } Grain;

static void patch_begin(PatchTest *p, Reducer *r, int side, Grain grain, DiffHunks *hunks) {
    *p = (PatchTest){ .r = r, .side = side, .hunks = hunks };
    for (int s = 0; s < SIDES; s++) buf_str(&p->texts[s], doc_text(&r->side[s].doc));
    tree_parse(r->side[SEED].doc.lang, buf_view(&p->texts[SEED]), &p->seed);
    tree_parse(r->side[VARIANT].doc.lang, buf_view(&p->texts[VARIANT]), &p->variant);
    DiffHunks whole = { 0 };
    if (grain == GRAIN_TOKENS)
        tree_diff_tokens(&p->seed, &p->variant, &whole);
    else
        tree_diff(&p->seed, &p->variant, &whole);
    if (grain == GRAIN_HUNKS) {
        for (size_t i = 0; i < whole.len; i++) vec_push(hunks, whole.at[i]);
    } else if (grain == GRAIN_SUBTREES)
        tree_diff_cut(&p->seed, &p->variant, &whole, hunks);
    else
        diff_split(&whole, hunks);
    vec_release(&whole);
    p->keep = mem_alloc(hunks->len + 1);
}

static void patch_end(PatchTest *p, DiffHunks *hunks) {
    tree_release(&p->seed);
    tree_release(&p->variant);
    for (int s = 0; s < SIDES; s++) buf_release(&p->texts[s]);
    mem_free(p->keep);
    vec_release(hunks);
}

static ShrinkVerdict make_none(const ShrinkRound *round, size_t i, uint8_t *keep) {
    (void)i;
    memset(keep, 0, round->n);
    return SHRINK_FAILS;
}

/* Undoes edits in the variant, or makes them in the seed. Returns the steps taken. */
static size_t shrink_edits(Reducer *r, int side, Grain grain) {
    if (reduce_stopped(r)) return 0;
    PatchTest p;
    DiffHunks hunks = { 0 };
    patch_begin(&p, r, side, grain, &hunks);
    if (hunks.len) {
        uint8_t *keep = mem_alloc(hunks.len + 1);
        memset(keep, 1, hunks.len);
        ShrinkTest test = { first_patch, &p };
        ShrinkRound none = { .count = 1, .n = hunks.len, .make = make_none };
        if (hunks.len < 3 || first_patch(&p, &none) == SHRINK_NONE) {
            shrink_cdd(&test, keep, hunks.len);
            if (grain == GRAIN_TOKENS) shrink_minimal(&test, keep, hunks.len);
        }
        mem_free(keep);
    }
    size_t steps = p.steps;
    patch_end(&p, &hunks);
    return steps;
}

/* Shrinks what only one side has, inside that side. */
static size_t shrink_own(Reducer *r, int side, bool singles) {
    if (reduce_stopped(r)) return 0;
    Target t;
    reduce_refresh(r);
    target_init_difference(&t, r, side);
    size_t steps = singles ? syntax_minimal(&t) : syntax_sweep(&t, false);
    target_release(&t);
    return steps;
}

/* As published: what is inserted is shrunk in the variant, what is deleted in the seed, and what is
 * replaced is undone in the variant. Ours also undoes deletions and makes edits in the seed, at two
 * grains, until nothing more goes. */
static void min_tdiff(Reducer *r, bool plain) {
    reducer_phase(r, "MinTDiff");
    if (plain) {
        shrink_edits(r, VARIANT, GRAIN_SUBTREES);
        shrink_own(r, VARIANT, false);
        shrink_own(r, SEED, false);
        reducer_count_difference(r);
    }
    for (int round = 0; round < REDUCE_ROUNDS && !plain && !reduce_stopped(r); round++) {
        size_t steps = 0;
        for (int g = GRAIN_HUNKS; g <= GRAIN_SUBTREES; g++) {
            steps += shrink_edits(r, VARIANT, (Grain)g);
            steps += shrink_edits(r, SEED, (Grain)g);
        }
        steps += shrink_own(r, VARIANT, false);
        steps += shrink_own(r, SEED, false);
        reducer_count_difference(r);
        if (!steps) break;
    }
}

/* As published: ddmin over the token edits of the variant. */
static size_t min_ldiff(Reducer *r, bool plain) {
    size_t all = 0;
    reducer_phase(r, "MinLDiff");
    for (int round = 0; round < REDUCE_ROUNDS && !reduce_stopped(r); round++) {
        size_t steps = shrink_edits(r, VARIANT, GRAIN_TOKENS);
        if (!plain) steps += shrink_edits(r, SEED, GRAIN_TOKENS);
        reducer_count_difference(r);
        all += steps;
        if (!steps || plain) break;
    }
    return all;
}

/* As published: the seed is reduced along its tree, and the variant follows. */
static void min_commonality(Reducer *r, bool plain) {
    reducer_phase(r, "MinCommonality");
    for (int round = 0; round < REDUCE_ROUNDS && !reduce_stopped(r); round++) {
        size_t steps = reduce_sweeps(r, SEED, true, false);
        if (!plain) steps += reduce_sweeps(r, VARIANT, true, false);
        if (!steps || plain) break;
    }
}

/* No single token, element or edit can go any more. */
static size_t finish(Reducer *r) {
    reducer_phase(r, "minimal");
    size_t steps = 0;
    for (int s = 0; s < SIDES; s++) {
        steps += reduce_minimal(r, s, true);
        steps += shrink_own(r, s, true);
    }
    return steps;
}

static bool has(const Plan *plan, char what) {
    return strchr(plan->order, what) != NULL;
}

static void one_round(Reducer *r, const Plan *plan) {
    for (const char *what = plan->order; *what && !reduce_stopped(r); what++) {
        if (*what == 't') min_tdiff(r, plan->plain);
        if (*what == 'l') min_ldiff(r, plan->plain);
        if (*what == 'c') min_commonality(r, plan->plain);
    }
}

/* Before the paper's loop, while tests are slow: code that never runs, and top-level items, from
 * both sides with all of the difference that is in them. What is left keeps its alignment. */
static void in_bulk(Reducer *r) {
    reduce_unreferenced(r);
    if (reduce_unreached(r)) reduce_unreferenced(r);
    reduce_items(r);
}

/* The pair as it was, for a round that made it worse. */
static void keep_texts(const Reducer *r, Buf *texts) {
    for (int s = 0; s < SIDES; s++) {
        buf_clear(&texts[s]);
        buf_str(&texts[s], doc_text(&r->side[s].doc));
    }
}

static void roll_back(Reducer *r, const Buf *texts) {
    for (int s = 0; s < SIDES; s++) doc_load(&r->side[s].doc, buf_view(&texts[s]));
    reducer_count_difference(r);
}

/* ---- the failing side alone ---- */
static void take_sides(Reducer *r, bool pair, double until) {
    r->pair = r->side[SEED].on = pair;
    r->until = until;
    pool_until(r->pool, until > 0 ? until : INFINITY);
}

/* Reduces the variant as if it were alone; half of the time that is left may go there. */
static void reduce_alone(Reducer *r, const Plan *plan) {
    double until = r->until, now = clock_now();
    take_sides(r, false, until > 0 ? now + (until - now) / 2 : 0);
    reduce_single(r, plan);
    bool late = r->until > 0 && clock_now() > r->until;
    take_sides(r, true, until);
    if (late && !run_interrupted()) r->stop = false;
}

/* The shortest way where it leads anywhere: a question about one side costs half of one about both,
 * and a seed is most easily found beside what is left of the variant (neighbour.h). Else back to
 * the pair as it was, for the published loop. Interrupted: what there is of the variant is kept. */
static void shortcut(Reducer *r, const Plan *plan) {
    Buf texts[SIDES] = { { 0 } };
    keep_texts(r, texts);
    Measure before = measure_of(r);
    reduce_alone(r, plan);
    bool found = !reduce_stopped(r) && reduce_neighbour(r);
    Measure now = measure_of(r);
    bool better = found && measure_less(&now, &before);
    if (!better && !r->undone && !run_interrupted()) {
        roll_back(r, texts);
        reducer_remember(r, true);
        r->milestone = SIZE_MAX;
    }
    for (int s = 0; s < SIDES; s++) buf_release(&texts[s]);
}

/* Ablations and the published loop do what they name. */
static bool may_shortcut(const Reducer *r, const Plan *plan) {
    return !plan->plain && !plan->rounds && strcmp(plan->order, "tlc") == 0 &&
           r->side[SEED].files.list.len == 1 && r->side[VARIANT].files.list.len == 1;
}

void reduce_pair(Reducer *r, const Plan *plan) {
    unsigned most = plan->rounds ? plan->rounds : REDUCE_ROUNDS;
    Buf texts[SIDES] = { { 0 } };
    if (plan->snippets && !plan->plain) reduce_snippets(r, plan->snippets);
    if (may_shortcut(r, plan)) shortcut(r, plan);
    if (has(plan, 'c') && !plan->plain) in_bulk(r);
    for (unsigned round = 0; round < most && !reduce_stopped(r); round++) {
        Measure before = measure_of(r);
        keep_texts(r, texts);
        one_round(r, plan);
        if (has(plan, 'c') && !plan->plain) {
            reduce_sets(r, VARIANT, true, false);
            reduce_names(r, plan);
            finish(r);
        }
        reduce_refresh(r);
        Measure now = measure_of(r);
        if (measure_less(&before, &now) && !r->undone) roll_back(r, texts);
        if (!measure_less(&now, &before)) break;
    }
    for (int s = 0; s < SIDES; s++) buf_release(&texts[s]);
    if (has(plan, 'c') && !plan->plain && reduce_neighbour(r)) {
        reduce_sets(r, VARIANT, true, false);
        finish(r);
    }
    while (has(plan, 'c') && !plan->plain && reduce_judge(r) + reduce_delta(r))
        if (!(min_ldiff(r, false) + finish(r))) break;
}

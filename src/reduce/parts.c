/* Parts that pairs and single programs share; see ppr.h. */
#include "reduce/bulk/needed.h"
#include "reduce/bulk/unreached.h"
#include "reduce/bulk/unreferenced.h"
#include "reduce/find/delta.h"
#include "reduce/find/finders.h"
#include "reduce/judge.h"
#include "reduce/outdent.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"
#include "reduce/syntax.h"

void reduce_refresh(Reducer *r) {
    for (int s = 0; s < SIDES; s++)
        if (r->side[s].on) doc_refresh(&r->side[s].doc);
}

bool reduce_stopped(const Reducer *r) {
    return r->stop || r->undone;
}

static size_t measure_tokens(const Reducer *r) {
    return r->side[VARIANT].doc.count + (r->pair ? r->side[SEED].doc.count : 0);
}

size_t reduce_sweeps(Reducer *r, int side, bool paired, bool coarse) {
    size_t all = 0;
    for (int round = 0; round < REDUCE_ROUNDS && !reduce_stopped(r); round++) {
        Target t;
        reduce_refresh(r);
        target_init(&t, r, side, paired);
        const Doc *doc = &r->side[side].doc;
        bool cut_up = !parser_by_grammar(doc->parser);
        size_t before = measure_tokens(r), steps = syntax_sweep(&t, coarse);
        target_release(&t);
        all += steps;
        if (cut_up && parser_by_grammar(doc->parser)) continue;
        /* The last few tokens are left to the other passes: each sweep costs many tests. */
        if (!steps || measure_tokens(r) * 10 > before * 9) break;
    }
    return all;
}

size_t reduce_minimal(Reducer *r, int side, bool paired) {
    if (reduce_stopped(r)) return 0;
    Target t;
    reduce_refresh(r);
    target_init(&t, r, side, paired);
    bool patient = r->stuck.patient;
    r->stuck.patient |= r->pair; /* one program has a last round of its own */
    size_t steps = syntax_minimal(&t);
    r->stuck.patient = patient;
    target_release(&t);
    return steps;
}

size_t reduce_sets(Reducer *r, int side, bool paired, bool early) {
    size_t steps = 0;
    for (const Finder *f = finders; f->name && !reduce_stopped(r); f++) {
        if (early && !f->early) continue;
        reducer_phase_part(r, "sets", f->name);
        steps += sets_try(r, side, paired, f->find);
    }
    reducer_phase(r, "sets");
    return early ? steps : steps + reduce_outdent(r, side, paired);
}

/* Where hardly anything can go by itself: each value of LLVM IR has its uses. */
static bool sets_come_first(const Reducer *r) {
    const Lang *lang = r->side[VARIANT].doc.tree.lang;
    return lang && strcmp(lang_name(lang), "llvm") == 0;
}

/* Computations give way to what they gave in the run, all at once or in large parts. */
static void settle_values(Reducer *r) {
    reducer_phase_part(r, "values", "same");
    sets_try(r, VARIANT, false, find_values_coarse);
    reducer_phase_part(r, "values", "firsts");
    sets_try(r, VARIANT, false, find_firsts_coarse);
}

/* What removes most with the fewest tests, before anything is done one by one. */
static void in_bulk(Reducer *r) {
    reduce_unreferenced(r);
    reduce_needed(r);
    if (reduce_unreached(r)) reduce_unreferenced(r);
    settle_values(r);
    for (int round = 0; round < REDUCE_ROUNDS && !reduce_stopped(r); round++) {
        size_t before = r->side[VARIANT].doc.count;
        if (sets_come_first(r)) reduce_sets(r, VARIANT, false, true);
        reducer_phase(r, "syntax");
        reduce_sweeps(r, VARIANT, false, true);
        reduce_sets(r, VARIANT, false, true);
        if (r->side[VARIANT].doc.count * 10 > before * 9) break;
    }
}

static void one_round(Reducer *r, const Plan *plan) {
    reducer_phase(r, "syntax");
    reduce_sweeps(r, VARIANT, false, false);
    if (!plan->plain) reduce_sets(r, VARIANT, false, false);
    reduce_names(r, plan);
    reducer_phase(r, "minimal");
    reduce_minimal(r, VARIANT, false);
    reduce_refresh(r);
}

void reduce_single(Reducer *r, const Plan *plan) {
    unsigned most = plan->rounds ? plan->rounds : REDUCE_ROUNDS;
    r->stuck.patient = plan->plain;
    if (!plan->plain) in_bulk(r);
    if (plan->bulk) return;
    r->stuck.skipped = false;
    for (unsigned round = 0; round < most && !reduce_stopped(r); round++) {
        Measure before = measure_of(r);
        one_round(r, plan);
        Measure now = measure_of(r);
        bool smaller = measure_less(&now, &before);
        if (!smaller && (r->stuck.patient || !r->stuck.skipped)) break;
        /* What was left alone because it hung is asked at the end. */
        r->stuck.patient = plan->plain || !smaller;
        r->stuck.skipped = false;
    }
    r->stuck.patient = true;
    while (!plan->plain && reduce_judge(r) + reduce_delta(r)) {
        size_t steps = reduce_sets(r, VARIANT, false, false);
        reducer_phase(r, "minimal");
        if (!(steps + reduce_minimal(r, VARIANT, false))) break;
    }
    r->stuck.patient = false;
}

void reduce_names(Reducer *r, const Plan *plan) {
    if (plan->plain || reduce_stopped(r)) return;
    reducer_phase(r, "names");
    sets_try(r, VARIANT, true, find_renames);
    reduce_refresh(r);
}

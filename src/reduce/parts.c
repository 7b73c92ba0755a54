/* Parts that pairs and single programs share; see ppr.h. */
#include "reduce/find/delta.h"
#include "reduce/find/finders.h"
#include "reduce/judge.h"
#include "reduce/outdent.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"
#include "reduce/syntax.h"
#include "reduce/unreached.h"

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

size_t reduce_sweeps(Reducer *r, int side, bool paired) {
    size_t all = 0;
    for (int round = 0; round < REDUCE_ROUNDS && !reduce_stopped(r); round++) {
        Target t;
        reduce_refresh(r);
        target_init(&t, r, side, paired);
        const Doc *doc = &r->side[side].doc;
        bool cut_up = !doc->tree.lang;
        size_t before = measure_tokens(r), steps = syntax_sweep(&t);
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
    size_t steps = syntax_minimal(&t);
    target_release(&t);
    return steps;
}

size_t reduce_sets(Reducer *r, int side, bool paired) {
    size_t steps = 0;
    reducer_phase(r, "sets");
    for (const Finder *f = finders; f->name && !reduce_stopped(r); f++)
        steps += sets_try(r, side, paired, f->find);
    return steps + reduce_outdent(r, side, paired);
}

void reduce_single(Reducer *r, const Plan *plan) {
    unsigned most = plan->rounds ? plan->rounds : REDUCE_ROUNDS;
    if (!plan->plain) reduce_unreached(r, plan->input);
    for (unsigned round = 0; round < most && !reduce_stopped(r); round++) {
        Measure before = measure_of(r);
        reducer_phase(r, "syntax");
        reduce_sweeps(r, VARIANT, false);
        if (!plan->plain) reduce_sets(r, VARIANT, false);
        reduce_names(r, plan);
        reducer_phase(r, "minimal");
        reduce_minimal(r, VARIANT, false);
        reduce_refresh(r);
        Measure now = measure_of(r);
        if (!measure_less(&now, &before)) break;
    }
    while (!plan->plain && reduce_judge(r) + reduce_delta(r)) {
        size_t steps = reduce_sets(r, VARIANT, false);
        reducer_phase(r, "minimal");
        if (!(steps + reduce_minimal(r, VARIANT, false))) break;
    }
}

void reduce_names(Reducer *r, const Plan *plan) {
    if (plan->plain || reduce_stopped(r)) return;
    reducer_phase(r, "names");
    sets_try(r, VARIANT, true, find_renames);
    reduce_refresh(r);
}

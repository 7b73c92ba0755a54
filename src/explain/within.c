/* Following values back within changed lines; see within.h. */
#include "explain/within.h"
#include "explain/explain_knobs.h"
#include "explain/inside.h"

typedef struct Within {
    Analysis *analysis;
    const Trace *t;
    uint32_t activation; /* the call that it stays in */
    WithinSteps queue;   /* steps that were reached, the first ones already followed */
} Within;

static bool is_within(const Within *w, Step s) {
    return w->t->segments.at[trace_segment(w->t, s)].activation == w->activation &&
           inside_changed_step(w->analysis, s);
}

static void reach(Within *w, Step s) {
    if (s == STEP_NONE || w->queue.len >= WITHIN_LOOKED || !is_within(w, s)) return;
    for (size_t i = 0; i < w->queue.len; i++)
        if (w->queue.at[i] == s) return;
    vec_push(&w->queue, s);
}

/* Whoever wrote what a load read, or its first byte. */
static Step writer_of(const Trace *t, Step load) {
    Step def = t->def.at[load];
    if (def_is_mixed(def)) def = t->pool.at[def & ~DEF_MIXED];
    return def_is_step(def) ? def : STEP_NONE;
}

static void follow(Within *w, Step s) {
    const Inst *inst = trace_inst(w->t, s);
    if (inst->op == OP_LOAD) reach(w, writer_of(w->t, s));
    for (unsigned i = 0; inst->op != OP_PHI && i < inst->operands; i++)
        if (code_operand(&w->t->code, inst, i)->kind != OPERAND_BLOCK)
            reach(w, trace_source(w->t, s, i).step);
    reach(w, inside_controller(w->t, s));
}

/* What a line is known by: a value that it keeps, or a decision. */
static bool tells(const Inst *inst) {
    return inst->op == OP_STORE || inst->op == OP_CONDBR || inst->op == OP_SWITCH;
}

static bool is_listed(const Within *w, const WithinSteps *out, unsigned line) {
    for (size_t i = 0; i < out->len; i++)
        if (trace_place(w->t, out->at[i]).line == line) return true;
    return false;
}

void within_new_code(Analysis *a, Step step, WithinSteps *out) {
    const Trace *t = a->bad;
    uint32_t activation = t->segments.at[trace_segment(t, step)].activation;
    Within w = { .analysis = a, .t = t, .activation = activation };
    unsigned own = trace_place(t, step).line;
    size_t first = out->len;
    reach(&w, step);
    for (size_t i = 0; i < w.queue.len && out->len < first + WITHIN_MOST; i++) {
        Step s = w.queue.at[i];
        unsigned line = trace_place(t, s).line;
        bool parameter = trace_inst(t, s)->op == OP_STORE &&
                         code_operand(&t->code, trace_inst(t, s), 0)->kind == OPERAND_PARAM;
        if (tells(trace_inst(t, s)) && !parameter && line != own && !is_listed(&w, out, line))
            vec_push(out, s);
        follow(&w, s);
    }
    vec_release(&w.queue);
}

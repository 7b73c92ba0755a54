/* Critical predicates: branches that could have prevented a cause (the paper's Algorithm 3).
 *
 * Direct: the closest executed branch on which a generator instruction is control dependent; where
 * its function has none before it, the one its call depends on. Indirect: for each variable a
 * generator instruction reads, the executed branches since its last definition whose other arm
 * could have redefined it. Which instructions could redefine it is known for variables from the
 * code, and for all memory from the good run: what the aligned read of the good run read. Also:
 * pointers that decided where a fact reads or writes, and the values at which a slice was cut. */
#include "explain/explain_knobs.h"
#include "explain/inside.h"
#include "trace/flow.h"
#include "trace/layout.h"

typedef struct Hunt {
    Analysis *a;
    PredicateVec found;
    bool strict;  /* only what came out differently in the good run, or did not occur there */
    Map branches; /* static branch -> instances found for this cause */
} Hunt;

static uint32_t terminator(const Code *code, uint32_t block) {
    return code->blocks.at[block].first + code->blocks.at[block].count - 1;
}

static uint32_t activation_at(const Trace *t, Step s) {
    return t->segments.at[trace_segment(t, s)].activation;
}

/* The latest run before a step of a branch that controls block, in the same activation. */
static Step closest_controller(const Trace *t, uint32_t activation, uint32_t block, Step before) {
    BlockVec controllers = { 0 };
    Step best = STEP_NONE;
    flow_controllers(&t->code, block, &controllers);
    for (size_t i = 0; i < controllers.len; i++) {
        Step s = before ? trace_last_run(t, activation, terminator(&t->code, controllers.at[i]),
                                         before - 1)
                        : STEP_NONE;
        if (s != STEP_NONE && (best == STEP_NONE || s > best)) best = s;
    }
    vec_release(&controllers);
    return best;
}

Step inside_controller(const Trace *t, Step step) {
    return closest_controller(t, activation_at(t, step), trace_inst(t, step)->block, step);
}

Step inside_last_controller(const Trace *t, uint32_t activation, uint32_t block) {
    return closest_controller(t, activation, block, (Step)t->value.len);
}

Step inside_enclosing_branch(const Trace *t, Step step) {
    for (;;) {
        uint32_t activation = activation_at(t, step);
        Step s = closest_controller(t, activation, trace_inst(t, step)->block, step);
        if (s != STEP_NONE) return s;
        step = t->activations.at[activation].call;
        if (step == STEP_NONE) return STEP_NONE;
    }
}

static bool is_branch(const Trace *t, Step s) {
    return trace_inst(t, s)->op == OP_CONDBR || trace_inst(t, s)->op == OP_SWITCH;
}

Step inside_way_to_phi(const Trace *t, Step step) {
    const Inst *inst = trace_inst(t, step);
    uint32_t from = t->code.functions.at[inst->function].first_block +
                    code_operand(&t->code, inst, t->def.at[step] + 1)->index;
    Step s = trace_last_run(t, activation_at(t, step), terminator(&t->code, from), step);
    if (s == STEP_NONE || is_branch(t, s)) return s;
    return inside_enclosing_branch(t, s);
}

/* ---- collecting ---- */

static void add_predicate(Hunt *h, Predicate p) {
    struct {
        uint32_t kind, operand;
        uint64_t step, address;
    } key = { p.kind, p.kind == PRED_BRANCH ? 0 : p.operand, p.step, p.memory ? p.address : 0 };
    if (!map_put(&h->a->asked, (Str){ (const char *)&key, sizeof key }, 1)) return;
    inside_fill(h->a, &p);
    if (h->strict && p.aligned && !p.differs) return;
    vec_push(&h->found, p);
}

Predicate analysis_branch(Analysis *a, Step branch, PredicateLink link) {
    Predicate p = { .kind = PRED_BRANCH, .link = link, .step = branch, .operand = OPERAND_RESULT };
    inside_fill(a, &p);
    return p;
}

/* Many runs of one branch say the same: takes the latest few, and those that the good run decided
 * differently. */
static void add_branch(Hunt *h, Step s, PredicateLink link) {
    if (s == STEP_NONE || !is_branch(h->a->bad, s)) return;
    uint64_t inst = (uint64_t)(trace_inst(h->a->bad, s) - h->a->bad->code.insts.at);
    uint64_t *count = map_at(&h->branches, map_key_u64(&inst));
    Step good = h->a->align ? align_step(h->a->align, s) : STEP_NONE;
    bool differs = good != STEP_NONE && h->a->good->value.at[good] != h->a->bad->value.at[s];
    if (*count >= INDIRECT_MOST && !differs) return;
    ++*count;
    add_predicate(
        h, (Predicate){ .kind = PRED_BRANCH, .link = link, .step = s, .operand = OPERAND_RESULT });
}

/* What decided whether the step ran; for a phi: which way control came to it. */
static void add_direct(Hunt *h, Step step) {
    const Trace *t = h->a->bad;
    const Inst *inst = trace_inst(t, step);
    add_branch(h, inside_enclosing_branch(t, step), LINK_DIRECT);
    if (inst->op == OP_PHI) add_branch(h, inside_way_to_phi(t, step), LINK_DIRECT);
}

/* ---- indirect influence ---- */

/* A branch between two steps whose other way leads to block: it, or one that leads to it. seen:
 * blocks visited for this question; those of a loop depend on each other. */
static void walk_ways_to(Hunt *h, uint32_t activation, uint32_t block, Step from, Step to,
                         unsigned depth, Map *seen) {
    const Trace *t = h->a->bad;
    uint64_t key = block;
    if (!map_put(seen, map_key_u64(&key), 1)) return;
    BlockVec controllers = { 0 };
    flow_controllers(&t->code, block, &controllers);
    for (size_t i = 0; i < controllers.len; i++) {
        Step s = to ? trace_last_run(t, activation, terminator(&t->code, controllers.at[i]), to - 1)
                    : STEP_NONE;
        if (s != STEP_NONE && (from == STEP_NONE || s > from))
            add_branch(h, s, LINK_INDIRECT);
        else if (depth < 8)
            walk_ways_to(h, activation, controllers.at[i], from, to, depth + 1, seen);
    }
    vec_release(&controllers);
}

static void add_ways_to(Hunt *h, uint32_t activation, uint32_t block, Step from, Step to) {
    Map seen = { 0 };
    walk_ways_to(h, activation, block, from, to, 0, &seen);
    map_release(&seen);
}

static bool ran_between(const Trace *t, uint32_t activation, uint32_t inst, Step from, Step to) {
    Step s = trace_last_run(t, activation, inst, to);
    return s != STEP_NONE && (from == STEP_NONE || s > from);
}

/* Stores of the function into the variable that a load reads: its alloca, or a global by name. */
static void add_local_stores(Hunt *h, Step load, Step def) {
    const Trace *t = h->a->bad;
    const Inst *inst = trace_inst(t, load);
    const Operand *pointer = code_operand(&t->code, inst, 0);
    const Function *f = &t->code.functions.at[inst->function];
    uint32_t activation = activation_at(t, load);
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        const Inst *s = &t->code.insts.at[i];
        bool writes = false;
        if (s->op == OP_STORE) {
            const Operand *o = code_operand(&t->code, s, 1);
            writes = o->kind == pointer->kind && o->index == pointer->index &&
                     (o->kind != OPERAND_CONST || o->bits == pointer->bits);
        }
        if (writes && !ran_between(t, activation, i, def, load))
            add_ways_to(h, activation, s->block, def, load);
    }
}

/* The function's own calls to functions that write a global which the load reads. */
static bool function_writes(const Code *code, const Function *f, uint64_t address) {
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        const Inst *s = &code->insts.at[i];
        if (s->op == OP_STORE && code_operand(code, s, 1)->kind == OPERAND_CONST &&
            code_operand(code, s, 1)->bits == address)
            return true;
    }
    return false;
}

static const Function *function_at(const Code *code, uint64_t address) {
    for (size_t i = 0; i < code->functions.len; i++)
        if (code->functions.at[i].known && code->functions.at[i].address == address)
            return &code->functions.at[i];
    return NULL;
}

static void add_calls_that_store(Hunt *h, Step load, Step def) {
    const Trace *t = h->a->bad;
    const Inst *inst = trace_inst(t, load);
    const Operand *pointer = code_operand(&t->code, inst, 0);
    if (pointer->kind != OPERAND_CONST) return;
    const Function *f = &t->code.functions.at[inst->function];
    uint32_t activation = activation_at(t, load);
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        const Inst *call = &t->code.insts.at[i];
        if (call->op != OP_CALL || (call->call != CALL_NEAR && call->call != CALL_FAR)) continue;
        const Operand *callee = code_operand(&t->code, call, call->operands - 1u);
        const Function *g =
            callee->kind == OPERAND_CONST ? function_at(&t->code, callee->bits) : NULL;
        if (g && function_writes(&t->code, g, pointer->bits) &&
            !ran_between(t, activation, i, def, load))
            add_ways_to(h, activation, call->block, def, load);
    }
}

/* What the good run's read found was written by an instruction that did not run here. */
static void add_good_writer(Hunt *h, Step load, Step def) {
    const Trace *bad = h->a->bad, *good = h->a->good;
    Step g = h->a->align ? align_step(h->a->align, load) : STEP_NONE;
    if (g == STEP_NONE || trace_inst(good, g)->op != OP_LOAD) return;
    Step writer = good->def.at[g];
    /* Up the calls to one that both runs made. */
    while (def_is_step(writer)) {
        uint32_t inst =
            align_bad_inst(h->a->align, (uint32_t)(trace_inst(good, writer) - good->code.insts.at));
        uint32_t good_activation = activation_at(good, writer);
        for (uint32_t a = activation_at(bad, load); inst != CODE_NONE && a != CODE_NONE;
             a = bad->activations.at[a].parent) {
            if (align_activation(h->a->align, a) != good_activation) continue;
            if (!ran_between(bad, a, inst, def, load))
                add_ways_to(h, a, bad->code.insts.at[inst].block, def, load);
            return;
        }
        writer = good->activations.at[good_activation].call;
    }
}

static void add_indirect(Hunt *h, Step load) {
    const Trace *t = h->a->bad;
    Step def = t->def.at[load];
    if (def_is_mixed(def)) def = t->pool.at[def & ~DEF_MIXED];
    if (!def_is_step(def)) def = STEP_NONE;
    add_local_stores(h, load, def);
    add_calls_that_store(h, load, def);
    add_good_writer(h, load, def);
}

/* ---- all of them ---- */

/* What the good run decided differently first; then nearest to the failure. */
static int by_interest(const void *a, const void *b) {
    const Predicate *x = a, *y = b;
    if (x->differs != y->differs) return y->differs - x->differs;
    return x->step > y->step ? -1 : x->step < y->step;
}

/* Whether the good run says which steps of a cause matter: one of them came out differently there,
 * or did not occur. */
static bool tells_apart(const Analysis *a, const Cause *cause, const Core *core) {
    if (!a->align) return false;
    if (!inside_came_out_alike(a, cause->phi.step)) return true;
    for (size_t i = 0; i < core->facts.len; i++)
        if (!inside_came_out_alike(a, core->facts.at[i].step)) return true;
    return false;
}

void analysis_critical_predicates(Analysis *a, const Cause *cause, PredicateVec *more) {
    Hunt h = { .a = a };
    const Core *core = NULL;
    for (size_t i = 0; i < a->causes.len; i++)
        if (a->causes.at[i] == cause) core = &a->cores.at[i];
    CHECK(core);
    h.strict = tells_apart(a, cause, core);
    add_branch(&h, inside_enclosing_branch(a->bad, cause->phi.step), LINK_DIRECT);
    for (size_t i = core->facts.len; i-- > 0;) {
        const Fact *fact = &core->facts.at[i];
        const Inst *inst = trace_inst(a->bad, fact->step);
        if (h.strict && inside_came_out_alike(a, fact->step)) continue;
        add_direct(&h, fact->step);
        if (fact->kind == FACT_PATH) add_branch(&h, fact->step, LINK_DIRECT);
        if (inst->op == OP_LOAD) add_indirect(&h, fact->step);
        Predicate p = { .kind = PRED_VALUE, .step = fact->step, .operand = OPERAND_RESULT };
        p.link = fact->kind == FACT_POINTER ? LINK_ADDRESS : LINK_DATA;
        if (fact->kind == FACT_POINTER || fact->kind == FACT_CUT) add_predicate(&h, p);
    }
    if (h.found.len) qsort(h.found.at, h.found.len, sizeof *h.found.at, by_interest);
    for (size_t i = 0; i < h.found.len; i++) vec_push(more, h.found.at[i]);
    vec_release(&h.found);
    map_release(&h.branches);
}

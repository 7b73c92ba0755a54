/* The dual slice; see dual.h.
 *
 * Pointers cannot be compared by value, because the heaps of two versions differ: they agree when
 * both are NULL or neither is, and where they come from agrees (dual_pointer_differs). A branch
 * agrees when both runs continued in the same block, whatever the numbers were: renumbered tokens
 * and opcodes are not a difference by themselves. */
#include "explain/dual.h"
#include "explain/explain_knobs.h"
#include "explain/inside.h"
#include "trace/layout.h"
#include "trace/object.h"

Dual *dual_new(const Trace *bad, const Trace *good, AlignWay way) {
    Dual *d = mem_alloc(sizeof *d);
    d->bad = bad;
    d->good = good;
    d->align = align_new(bad, good, way);
    return d;
}

void dual_free(Dual *d) {
    align_free(d->align);
    for (size_t i = 0; i < d->waiting.len; i++) vec_release(&d->waiting.at[i]);
    vec_release(&d->waiting);
    vec_release(&d->nodes);
    vec_release(&d->order);
    map_release(&d->known);
    mem_free(d);
}

/* ---- nodes ---- */

static void push(Dual *d, DualNode node) {
    struct {
        Step bad, good;
        uint64_t bad_at, good_at;
    } key = { node.bad, node.good, node.bad_at, node.good_at };
    if (node.bad == STEP_NONE && node.good == STEP_NONE) return;
    if (d->nodes.len >= (d->alone ? DUAL_WIDE_MOST : DUAL_MOST) || node.cost >= DUAL_FARTHEST)
        return;
    uint64_t *slot = map_at(&d->known, (Str){ (const char *)&key, sizeof key });
    if (*slot && d->nodes.at[*slot - 1].cost <= node.cost) return;
    if (*slot) {
        d->nodes.at[*slot - 1].cost = node.cost;
        d->nodes.at[*slot - 1].via = node.via;
    } else {
        vec_push(&d->nodes, node);
        *slot = d->nodes.len;
    }
    while (d->waiting.len <= node.cost) {
        vec_push(&d->waiting, (typeof(*d->waiting.at)){ 0 });
    }
    vec_push(&d->waiting.at[node.cost], (uint32_t)*slot - 1);
}

static const Trace *side(const Dual *d, bool in_good) {
    return in_good ? d->good : d->bad;
}

static unsigned line_of(const Trace *t, Step s) {
    return s == STEP_NONE ? 0 : trace_inst(t, s)->line;
}

static uint32_t activation_of(const Trace *t, Step s) {
    return t->segments.at[trace_segment(t, s)].activation;
}

/* Whether two steps of a run belong to the same line of the same call. */
static bool same_line(const Trace *t, Step x, Step y) {
    return line_of(t, x) == line_of(t, y) &&
           (y == STEP_NONE || activation_of(t, x) == activation_of(t, y));
}

/* One more source line is one more step away, and so is the same line in another call. */
static uint32_t farther(const Dual *d, const DualNode *from, Step bad, Step good) {
    bool same = (bad == STEP_NONE || same_line(d->bad, bad, from->bad)) &&
                (good == STEP_NONE || same_line(d->good, good, from->good));
    return same ? 0 : 1;
}

static void push_pair_at(Dual *d, uint32_t via, Step bad, Step good, uint64_t bad_at,
                         uint64_t good_at, uint32_t extra) {
    DualNode node = { .bad = bad, .good = good, .bad_at = bad_at, .good_at = good_at, .via = via };
    const DualNode *from = &d->nodes.at[via];
    node.cost = from->cost + farther(d, from, bad, good) + extra;
    push(d, node);
}

/* Values that should agree were computed by calls that should: where the runs went out of step (an
 * interpreter's loop with one more iteration), this brings their calls back into step. */
static void pair_calls(Dual *d, Step bad, Step good) {
    if (bad == STEP_NONE || good == STEP_NONE) return;
    uint32_t b = activation_of(d->bad, bad), g = activation_of(d->good, good);
    const Inst *x = trace_inst(d->bad, bad), *y = trace_inst(d->good, good);
    if (align_good_inst(d->align, (uint32_t)(x - d->bad->code.insts.at)) ==
        (uint32_t)(y - d->good->code.insts.at))
        align_pair(d->align, b, g);
}

static void push_pair(Dual *d, uint32_t via, Step bad, Step good) {
    pair_calls(d, bad, good);
    push_pair_at(d, via, bad, good, 0, 0, 0);
}

static void push_single(Dual *d, uint32_t via, bool in_good, Step s, uint32_t extra) {
    if (in_good)
        push_pair_at(d, via, STEP_NONE, s, 0, 0, extra);
    else
        push_pair_at(d, via, s, STEP_NONE, 0, 0, extra);
}

void dual_start_single(Dual *d, bool in_good, Step step) {
    push(d, (DualNode){ .bad = in_good ? STEP_NONE : step,
                        .good = in_good ? step : STEP_NONE,
                        .via = DUAL_NONE });
}

void dual_start_pair(Dual *d, Step bad, Step good, uint64_t bad_at, uint64_t good_at) {
    push(d, (DualNode){
                .bad = bad, .good = good, .bad_at = bad_at, .good_at = good_at, .via = DUAL_NONE });
}

void dual_start_writers(Dual *d, Step bad, Step good, uint64_t bad_at, uint64_t good_at) {
    if (def_is_step(bad) && def_is_step(good)) dual_start_pair(d, bad, good, bad_at, good_at);
    bool alike = def_is_step(bad) && def_is_step(good) && align_step(d->align, bad) == good;
    if (alike) return;
    if (def_is_step(bad)) dual_start_single(d, false, bad);
    if (def_is_step(good)) dual_start_single(d, true, good);
}

void dual_start_operand(Dual *d, Step bad, Step good, unsigned bad_i, unsigned good_i) {
    Source b = trace_source(d->bad, bad, bad_i), g = trace_source(d->good, good, good_i);
    if (b.step != STEP_NONE && g.step != STEP_NONE)
        dual_start_pair(d, b.step, g.step, 0, 0);
    else
        dual_start_pair(d, bad, good, 0, 0);
}

/* ---- what agrees ---- */

static uint32_t inst_number(const Trace *t, Step s) {
    return (uint32_t)(trace_inst(t, s) - t->code.insts.at);
}

static bool same_code(const Dual *d, Step bad, Step good) {
    return align_good_inst(d->align, inst_number(d->bad, bad)) == inst_number(d->good, good);
}

static bool is_branch(const Inst *inst) {
    return inst->op == OP_CONDBR || inst->op == OP_SWITCH;
}

static bool went_otherwise(const Dual *d, Step bad, Step good) {
    return align_went_otherwise(d->align, bad, good);
}

static SamePlace compare_places(const Dual *d, Step bad, uint64_t x, Step good, uint64_t y) {
    return object_compare(d->align, (AddressThen){ x, bad }, (AddressThen){ y, good });
}

static bool bits_differ(const Dual *d, Type type, uint64_t bad, uint64_t good) {
    if (type_is_wide(type))
        return memcmp(d->bad->wide.at + bad, d->good->wide.at + good, type.size) != 0;
    return bad != good;
}

/* Numbers that are addresses of one place are the same. */
static bool numbers_differ(const Dual *d, Step bad, Step good, Type type, uint64_t x, uint64_t y) {
    if (!bits_differ(d, type, x, y)) return false;
    bool addresses = type.kind == TYPE_INT && type.bits == 64 && x > UINT32_MAX && y > UINT32_MAX;
    return !addresses || compare_places(d, bad, x, good, y) != PLACE_SAME;
}

static bool pointer_differs(const Dual *d, Step bad, Step good, unsigned depth);

/* Operand i of two steps of the same code. Constants that are pointers name objects: they agree. */
static bool operand_differs(const Dual *d, Step bad, Step good, unsigned i, unsigned depth) {
    Source b = trace_source(d->bad, bad, i), g = trace_source(d->good, good, i);
    if (b.type.kind != g.type.kind || b.type.size != g.type.size) return true;
    if (b.type.kind == TYPE_NONE) return false;
    if (b.type.kind != TYPE_POINTER) return numbers_differ(d, bad, good, b.type, b.value, g.value);
    if ((b.value == 0) != (g.value == 0)) return true;
    if (compare_places(d, bad, b.value, good, g.value) == PLACE_SAME) return false;
    if (b.step == STEP_NONE || g.step == STEP_NONE) return (b.step == g.step) ? false : true;
    return pointer_differs(d, b.step, g.step, depth);
}

static Step first_writer(const Trace *t, Step load) {
    Step def = t->def.at[load];
    return def_is_mixed(def) ? t->pool.at[def & ~DEF_MIXED] : def;
}

/* Whether two pointers, neither NULL, come from different places. */
static bool pointer_differs(const Dual *d, Step bad, Step good, unsigned depth) {
    const Inst *b = trace_inst(d->bad, bad), *g = trace_inst(d->good, good);
    if (b->op != g->op) return true;
    if (depth >= DUAL_POINTER_DEPTH) return false;
    switch ((Op)b->op) {
    case OP_ALLOCA: return false;
    case OP_GEP:
        if (b->operands != g->operands) return true;
        for (unsigned i = 0; i < b->operands; i++)
            if (operand_differs(d, bad, good, i, depth + 1)) return true;
        return false;
    case OP_LOAD: {
        Step x = first_writer(d->bad, bad), y = first_writer(d->good, good);
        if (!def_is_step(x) || !def_is_step(y)) return def_is_step(x) != def_is_step(y);
        if (align_step(d->align, x) != y) return true;
        const Inst *store = trace_inst(d->bad, x);
        return store->op == OP_STORE && operand_differs(d, x, y, 0, depth + 1);
    }
    case OP_CALL: {
        Step x = d->bad->def.at[bad], y = d->good->def.at[good];
        if (!def_is_step(x) || !def_is_step(y)) return def_is_step(x) != def_is_step(y);
        return !same_code(d, x, y) || (d->alone && operand_differs(d, x, y, 0, depth + 1));
    }
    case OP_STORE:
    case OP_RET:
    case OP_MOVE: return d->alone && operand_differs(d, bad, good, 0, depth + 1);
    case OP_PHI: return !same_code(d, bad, good) || d->bad->def.at[bad] != d->good->def.at[good];
    default: return !same_code(d, bad, good);
    }
}

/* Whether the results differ. */
static bool result_differs(const Dual *d, Step bad, Step good) {
    const Inst *b = trace_inst(d->bad, bad), *g = trace_inst(d->good, good);
    if (is_branch(b) && is_branch(g)) return went_otherwise(d, bad, good);
    bool stores = b->op == OP_STORE || b->op == OP_RET;
    Type x = b->type, y = g->type;
    if (stores && b->operands) x = code_operand(&d->bad->code, b, 0)->type;
    if ((g->op == OP_STORE || g->op == OP_RET) && g->operands)
        y = code_operand(&d->good->code, g, 0)->type;
    if (x.kind != y.kind) return true;
    if (x.kind == TYPE_NONE) return false;
    uint64_t v = d->bad->value.at[bad], w = d->good->value.at[good];
    bool numbers = x.kind == TYPE_INT && !type_is_wide(x) && !type_is_wide(y);
    if (x.size != y.size) return !numbers || v != w; /* a member may have become narrower */
    if (x.kind != TYPE_POINTER) return numbers_differ(d, bad, good, x, v, w);
    if ((v == 0) != (w == 0)) return true;
    if (v == 0 || compare_places(d, bad, v, good, w) == PLACE_SAME) return false;
    return pointer_differs(d, bad, good, 0);
}

/* ---- control ---- */

static void mark_source(Dual *d, uint32_t n) {
    d->nodes.at[n].source = true;
}

/* The last branch before a step of a run, in its own call, that the other run decided differently:
 * where an interpreter's loop takes another iteration, no branch of the loop itself says why. */
static Step last_otherwise(const Dual *d, bool in_good, Step s) {
    const Trace *t = side(d, in_good);
    uint32_t segment = t->segments.at[trace_segment(t, s)].before;
    for (unsigned hops = 0; segment != CODE_NONE && hops < DUAL_LOOK_BACK; hops++) {
        Step end = trace_segment_end(t, segment);
        if (end > t->segments.at[segment].first && is_branch(trace_inst(t, end - 1))) {
            Step c = end - 1;
            Step other = in_good ? align_bad_step(d->align, c) : align_step(d->align, c);
            if (other != STEP_NONE && went_otherwise(d, in_good ? other : c, in_good ? c : other))
                return c;
        }
        segment = t->segments.at[segment].before;
    }
    return STEP_NONE;
}

/* What a step that only one run made was computed from, in that run alone: more costly than what
 * both runs have. */
static void expand_operands_alone(Dual *d, uint32_t n, bool in_good, Step s) {
    const Trace *t = side(d, in_good);
    const Inst *inst = trace_inst(t, s);
    Step def = t->def.at[s];
    if (inst->op == OP_LOAD && def_is_mixed(def)) def = t->pool.at[def & ~DEF_MIXED];
    if ((inst->op == OP_LOAD || inst->op == OP_CALL) && def_is_step(def))
        push_single(d, n, in_good, def, DUAL_ALONE);
    if (inst->op == OP_CALL || inst->op == OP_PHI) return;
    for (unsigned i = 0; i < inst->operands && i < 3; i++) {
        const Operand *o = code_operand(&t->code, inst, i);
        if (o->kind == OPERAND_BLOCK || (inst->op == OP_STORE && i)) continue;
        Source from = trace_source(t, s, i);
        bool pointer = from.type.kind == TYPE_POINTER;
        if (from.step != STEP_NONE)
            push_single(d, n, in_good, from.step, pointer ? 3 * DUAL_ALONE : DUAL_ALONE);
        else if (from.holder != s)
            push_single(d, n, in_good, from.holder, DUAL_ALONE);
    }
}

/* A branch on what setjmp returned, after a longjmp: the call that jumped. */
static Step jump_behind(const Trace *t, Step branch) {
    Step s = trace_source(t, branch, 0).step;
    for (unsigned hops = 0; s != STEP_NONE && hops < DUAL_JUMP_HOPS; hops++) {
        Step from = trace_inst(t, s)->op == OP_CALL ? trace_jump(t, s) : STEP_NONE;
        if (from != STEP_NONE || trace_inst(t, s)->op == OP_CALL) return from;
        s = trace_source(t, s, 0).step;
    }
    return STEP_NONE;
}

/* The other run's call that belongs to the one of a step; CODE_NONE: none. */
static uint32_t call_beside(const Dual *d, bool in_good, Step s) {
    const Trace *t = side(d, in_good);
    uint32_t activation = activation_of(t, s);
    if (!in_good) return align_activation(d->align, activation);
    uint32_t first = t->activations.at[activation].first;
    if (first == CODE_NONE) return CODE_NONE;
    Step there = align_bad_step(d->align, t->segments.at[first].first);
    return there == STEP_NONE ? CODE_NONE : activation_of(d->bad, there);
}

/* Why the other run did not: a branch that only its code has went around this. */
static void push_guard(Dual *d, uint32_t n, bool in_good, Step s, uint32_t twin) {
    const Trace *other = side(d, !in_good);
    uint32_t activation = call_beside(d, in_good, s);
    if (activation == CODE_NONE) return;
    Step guard = inside_last_controller(other, activation, other->code.insts.at[twin].block);
    if (guard == STEP_NONE) return;
    uint32_t number = inst_number(other, guard);
    uint32_t known = in_good ? align_good_inst(d->align, number) : align_bad_inst(d->align, number);
    if (known == CODE_NONE) push_single(d, n, !in_good, guard, 0);
}

/* New code is a source, but what led to it may be one as well: it is often only written anew. */
static void push_behind(Dual *d, uint32_t n, Step s) {
    if (d->alone) expand_operands_alone(d, n, false, s);
    Step c = inside_controller(d->bad, s);
    if (c == STEP_NONE) c = d->bad->activations.at[activation_of(d->bad, s)].call;
    if (c == STEP_NONE) return;
    Step good = align_step(d->align, c);
    if (good == STEP_NONE)
        push_single(d, n, false, c, DUAL_BEHIND);
    else if (is_branch(trace_inst(d->bad, c)) && went_otherwise(d, c, good))
        push_pair_at(d, n, c, good, 0, 0, DUAL_BEHIND);
}

/* Why did only one run make this step? */
static void expand_single(Dual *d, uint32_t n) {
    bool in_good = d->nodes.at[n].bad == STEP_NONE;
    const Trace *t = side(d, in_good);
    Step s = in_good ? d->nodes.at[n].good : d->nodes.at[n].bad;
    uint32_t number = inst_number(t, s);
    uint32_t twin = in_good ? align_bad_inst(d->align, number) : align_good_inst(d->align, number);
    uint32_t activation = activation_of(t, s);
    Step call = t->activations.at[activation].call;
    if (twin == CODE_NONE) {
        mark_source(d, n);
        bool known = align_has_function(d->align, in_good, t->activations.at[activation].function);
        if (!known && call != STEP_NONE)
            push_single(d, n, in_good, call, 0);
        else if (!in_good)
            push_behind(d, n, s);
        return;
    }
    Step there = in_good ? align_bad_step(d->align, s) : align_step(d->align, s);
    if (there != STEP_NONE) { /* both made it: with what result? */
        push_pair(d, n, in_good ? there : s, in_good ? s : there);
        return;
    }
    if (d->alone) expand_operands_alone(d, n, in_good, s);
    push_guard(d, n, in_good, s, twin);
    Step c = inside_controller(t, s);
    if (c == STEP_NONE) {
        if (call != STEP_NONE) push_single(d, n, in_good, call, 0);
        return;
    }
    Step other = in_good ? align_bad_step(d->align, c) : align_step(d->align, c);
    Step jumped = jump_behind(t, c);
    if (jumped != STEP_NONE) push_single(d, n, in_good, jumped, 0);
    bool loops = trace_inst(t, c) == trace_inst(t, s);
    if (other == STEP_NONE) {
        push_single(d, n, in_good, c, 0);
        if (loops) return;
    } else if (went_otherwise(d, in_good ? other : c, in_good ? c : other)) {
        push_pair(d, n, in_good ? other : c, in_good ? c : other);
    } else {
        mark_source(d, n);
        c = last_otherwise(d, in_good, s);
        if (c == STEP_NONE) return;
        other = in_good ? align_bad_step(d->align, c) : align_step(d->align, c);
        push_pair(d, n, in_good ? other : c, in_good ? c : other);
    }
}

/* ---- where two paths diverged ---- */

typedef VEC(Step) Steps;

/* The branches that led to a step within its own call, nearest first. */
static void branches_to(const Trace *t, Step s, Steps *out) {
    vec_clear(out);
    for (Step c = inside_controller(t, s); c != STEP_NONE && out->len < DUAL_PARTING_BRANCHES;
         c = inside_controller(t, c))
        vec_push(out, c);
}

/* The steps themselves and the calls that led to them, innermost first. */
static void calls_to(const Trace *t, Step s, Steps *out) {
    vec_clear(out);
    for (; s != STEP_NONE && out->len < DUAL_PARTING_CALLS;
         s = t->activations.at[activation_of(t, s)].call)
        vec_push(out, s);
}

/* Two steps in two calls of one function: the last branch that both made and that went differently.
 */
static bool push_parting_in(Dual *d, uint32_t n, Step bad, Step good) {
    Steps x = { 0 }, y = { 0 };
    bool found = false;
    branches_to(d->bad, bad, &x);
    branches_to(d->good, good, &y);
    for (size_t i = 0; i < x.len && !found; i++)
        for (size_t k = 0; k < y.len && !found; k++) {
            if (!same_code(d, x.at[i], y.at[k]) || !went_otherwise(d, x.at[i], y.at[k])) continue;
            push_pair_at(d, n, x.at[i], y.at[k], 0, 0, 0);
            found = true;
        }
    vec_release(&x);
    vec_release(&y);
    return found;
}

static uint32_t function_of(const Trace *t, Step s) {
    return trace_inst(t, s)->function;
}

/* Two different steps that played the same role for the failure, such as two calls that each gave
 * one parameter: the branch at which the paths to them diverged, in the innermost function that
 * both lead through. */
static bool push_parting_ways(Dual *d, uint32_t n, Step bad, Step good) {
    Steps x = { 0 }, y = { 0 };
    bool found = false;
    calls_to(d->bad, bad, &x);
    calls_to(d->good, good, &y);
    for (size_t sum = 0; sum + 1 < x.len + y.len && !found; sum++)
        for (size_t i = 0; i <= sum && !found; i++) {
            if (i >= x.len || sum - i >= y.len) continue;
            Step b = x.at[i], g = y.at[sum - i];
            if (align_good_function(d->align, function_of(d->bad, b)) != function_of(d->good, g))
                continue;
            if (activation_of(d->bad, b) == 0 || same_code(d, b, g)) continue;
            found = push_parting_in(d, n, b, g);
        }
    vec_release(&x);
    vec_release(&y);
    return found;
}

/* The same, unless only one run made its step: that says more by itself. */
static bool push_parting(Dual *d, uint32_t n, Step bad, Step good) {
    return align_step(d->align, bad) != STEP_NONE && align_bad_step(d->align, good) != STEP_NONE &&
           push_parting_ways(d, n, bad, good);
}

/* ---- data ---- */

/* Two steps that one value was read from: the same step of both runs, or two different ones, which
 * must be explained. */
static void push_writers(Dual *d, uint32_t n, Step bad, Step good, uint64_t bad_at,
                         uint64_t good_at) {
    if (!def_is_step(bad) || !def_is_step(good)) {
        if (def_is_step(bad)) push_single(d, n, false, bad, 0);
        if (def_is_step(good)) push_single(d, n, true, good, 0);
        if (!def_is_step(bad) && !def_is_step(good)) {
            mark_source(d, n);
            d->nodes.at[n].init = bad == DEF_INIT && good == DEF_INIT;
        }
        return;
    }
    bool copies =
        trace_inst(d->bad, bad)->op == OP_CALL || trace_inst(d->good, good)->op == OP_CALL;
    if (!copies) bad_at = good_at = 0;
    pair_calls(d, bad, good);
    Step twin = align_step(d->align, bad);
    if (twin == good || same_code(d, bad, good)) push_pair_at(d, n, bad, good, bad_at, good_at, 0);
    if (twin == good) return;
    /* The last writer of one run came earlier in the other, or not at all. */
    if (twin == STEP_NONE) push_single(d, n, false, bad, 0);
    if (align_bad_step(d->align, good) == STEP_NONE) push_single(d, n, true, good, 0);
    if (!same_code(d, bad, good)) {
        push_parting(d, n, bad, good);
        push_single(d, n, false, bad, 1);
        push_single(d, n, true, good, 1);
        push_pair_at(d, n, bad, good, bad_at, good_at, 2);
    }
}

/* Two calls that gave one parameter different constants: a changed call, or two calls. */
static void push_holders(Dual *d, uint32_t n, Step bad, Step good) {
    if (!same_code(d, bad, good)) {
        uint32_t extra = push_parting(d, n, bad, good) ? 2 : 0;
        push_single(d, n, false, bad, extra);
        push_single(d, n, true, good, extra);
        return;
    }
    DualNode node = { .bad = bad, .good = good, .via = n, .source = true };
    node.cost = d->nodes.at[n].cost + farther(d, &d->nodes.at[n], bad, good);
    push(d, node);
}

static bool push_operand(Dual *d, uint32_t n, unsigned i) {
    Step bad = d->nodes.at[n].bad, good = d->nodes.at[n].good;
    if (!operand_differs(d, bad, good, i, 0)) return false;
    Source b = trace_source(d->bad, bad, i), g = trace_source(d->good, good, i);
    if (b.step != STEP_NONE && g.step != STEP_NONE) {
        push_pair(d, n, b.step, g.step);
        return true;
    }
    /* A constant in at least one: the code that names it, or that another call was made. */
    if (b.holder == bad && g.holder == good) return false;
    push_holders(d, n, b.holder, g.holder);
    return true;
}

static bool push_operands(Dual *d, uint32_t n) {
    const Inst *b = trace_inst(d->bad, d->nodes.at[n].bad);
    const Inst *g = trace_inst(d->good, d->nodes.at[n].good);
    bool any = false;
    for (unsigned i = 0; i < b->operands && i < g->operands; i++) {
        if (code_operand(&d->bad->code, b, i)->kind == OPERAND_BLOCK) continue;
        any |= push_operand(d, n, i);
    }
    return any;
}

static uint8_t byte_of(const Trace *t, Step s, Type type, uint32_t i) {
    if (type_is_wide(type)) return t->wide.at[t->value.at[s] + i];
    return (uint8_t)(t->value.at[s] >> (8 * i));
}

static void expand_load(Dual *d, uint32_t n) {
    Step bad = d->nodes.at[n].bad, good = d->nodes.at[n].good;
    const Inst *b = trace_inst(d->bad, bad), *g = trace_inst(d->good, good);
    uint32_t at = 0;
    while (b->type.kind != TYPE_POINTER && at + 1 < b->type.size &&
           byte_of(d->bad, bad, b->type, at) == byte_of(d->good, good, g->type, at))
        at++;
    Step x = d->bad->def.at[bad], y = d->good->def.at[good];
    if (def_is_mixed(x)) x = d->bad->pool.at[(x & ~DEF_MIXED) + at];
    if (def_is_mixed(y)) y = d->good->pool.at[(y & ~DEF_MIXED) + at];
    uint64_t p = b->checked ? trace_operand_value(d->bad, bad, 0) + at : 0;
    uint64_t q = g->checked ? trace_operand_value(d->good, good, 0) + at : 0;
    bool moved = push_operand(d, n, 0);
    if (moved && !def_is_step(x) && !def_is_step(y)) return; /* another place of a table */
    push_writers(d, n, x, y, p, q);
}

/* A copy: continues with whoever wrote the byte before it was copied. */
static bool expand_copy(Dual *d, uint32_t n) {
    DualNode node = d->nodes.at[n];
    const Copy *b = trace_copy(d->bad, node.bad, node.bad_at);
    const Copy *g = trace_copy(d->good, node.good, node.good_at);
    if (!b || !g) return false;
    uint64_t i = node.bad_at - b->to, k = node.good_at - g->to;
    push_operands(d, n);
    push_writers(d, n, d->bad->pool.at[b->pool + i], d->good->pool.at[g->pool + k], b->from + i,
                 g->from + k);
    return true;
}

/* A variadic argument that was read with va_arg. */
static bool expand_vararg(Dual *d, uint32_t n) {
    DualNode node = d->nodes.at[n];
    VarargKey x = { node.bad, node.bad_at & ~7ull }, y = { node.good, node.good_at & ~7ull };
    uint64_t i, k;
    if (!map_get(&d->bad->varargs, (Str){ (const char *)&x, sizeof x }, &i) ||
        !map_get(&d->good->varargs, (Str){ (const char *)&y, sizeof y }, &k))
        return false;
    Source b = trace_source(d->bad, node.bad, (unsigned)i);
    Source g = trace_source(d->good, node.good, (unsigned)k);
    if (b.step != STEP_NONE && g.step != STEP_NONE)
        push_pair(d, n, b.step, g.step);
    else
        push_holders(d, n, b.holder, g.holder);
    return true;
}

/* The first byte that two uninstrumented calls read differently. */
static bool expand_reads(Dual *d, uint32_t n) {
    Step bad = d->nodes.at[n].bad, good = d->nodes.at[n].good;
    size_t x = trace_first_read(d->bad, bad), y = trace_first_read(d->good, good);
    for (; x < d->bad->reads.len && d->bad->reads.at[x].step == bad && y < d->good->reads.len &&
           d->good->reads.at[y].step == good;
         x++, y++) {
        const TraceRead *r = &d->bad->reads.at[x], *q = &d->good->reads.at[y];
        for (uint32_t i = 0; i < r->size && i < q->size; i++) {
            if (d->bad->seen.at[r->bytes + i] == d->good->seen.at[q->bytes + i]) continue;
            push_writers(d, n, d->bad->pool.at[r->pool + i], d->good->pool.at[q->pool + i],
                         r->address + i, q->address + i);
            return true;
        }
    }
    return false;
}

static void expand_call(Dual *d, uint32_t n) {
    Step bad = d->nodes.at[n].bad, good = d->nodes.at[n].good;
    if (d->nodes.at[n].bad_at && (expand_copy(d, n) || expand_vararg(d, n))) return;
    Step x = d->bad->def.at[bad], y = d->good->def.at[good];
    if (def_is_step(x) && def_is_step(y)) {
        push_pair(d, n, x, y);
        if (!same_code(d, x, y)) push_operands(d, n);
        return;
    }
    bool any = push_operands(d, n);
    any |= expand_reads(d, n);
    /* Times, pids and the like differ from run to run: no change is responsible for that. */
    if (!any && !libc_is(trace_inst(d->bad, bad)->libc, LIBC_VARIES)) mark_source(d, n);
}

static void expand_phi(Dual *d, uint32_t n) {
    Step bad = d->nodes.at[n].bad, good = d->nodes.at[n].good;
    unsigned i = d->bad->def.at[bad], k = d->good->def.at[good];
    Source b = trace_source(d->bad, bad, i), g = trace_source(d->good, good, k);
    if (i == k && b.step != STEP_NONE && g.step != STEP_NONE) {
        push_pair(d, n, b.step, g.step);
        return;
    }
    Step x = inside_way_to_phi(d->bad, bad), y = inside_way_to_phi(d->good, good);
    bool both = x != STEP_NONE && y != STEP_NONE && align_step(d->align, x) == y;
    if (both && went_otherwise(d, x, y)) {
        push_pair(d, n, x, y);
        return;
    }
    if (both) mark_source(d, n);
    if (!both && x != STEP_NONE) push_single(d, n, false, x, 0);
    if (!both && y != STEP_NONE) push_single(d, n, true, y, 0);
}

/* Who wrote a byte, who wrote it where that was copied from, and so on. */
typedef struct ByteHop {
    Step step; /* the last one may be none */
    uint64_t at;
} ByteHop;
typedef VEC(ByteHop) ByteHops;

static void copies_of(const Trace *t, Step s, uint64_t at, ByteHops *out) {
    vec_push(out, ((ByteHop){ s, at }));
    while (out->len < DUAL_COPIES_MOST && def_is_step(s) && trace_inst(t, s)->op == OP_CALL) {
        const Copy *copy = at ? trace_copy(t, s, at) : NULL;
        if (!copy) break;
        uint64_t i = at - copy->to;
        s = t->pool.at[copy->pool + i];
        at = copy->from + i;
        vec_push(out, ((ByteHop){ s, at }));
    }
}

/* The nearest two copies by the same code, one in each run; false: none. */
static bool same_copies(const Dual *d, const ByteHops *x, const ByteHops *y, size_t *i, size_t *k) {
    for (size_t sum = 1; sum + 1 < x->len + y->len; sum++)
        for (*i = sum < x->len ? sum + 1 : x->len; (*i)-- > 0;) {
            *k = sum - *i;
            if (*k >= y->len || !def_is_step(x->at[*i].step) || !def_is_step(y->at[*k].step))
                continue;
            if (same_code(d, x->at[*i].step, y->at[*k].step)) return true;
        }
    return false;
}

/* Two versions may copy a byte in different ways, and one of them more often: what they did before
 * that can be compared. */
static bool expand_behind_copies(Dual *d, uint32_t n) {
    DualNode node = d->nodes.at[n];
    ByteHops x = { 0 }, y = { 0 };
    size_t i, k;
    copies_of(d->bad, node.bad, node.bad_at, &x);
    copies_of(d->good, node.good, node.good_at, &y);
    bool any = x.len > 1 || y.len > 1;
    if (any && !same_copies(d, &x, &y, &i, &k)) i = x.len - 1, k = y.len - 1;
    if (any) push_writers(d, n, x.at[i].step, y.at[k].step, x.at[i].at, y.at[k].at);
    vec_release(&x);
    vec_release(&y);
    return any;
}

/* The step that a number has its value from, whatever widths it was given on the way. */
static Step behind_casts(const Trace *t, Step s) {
    while (s != STEP_NONE) {
        unsigned op = trace_inst(t, s)->op;
        if (op != OP_ZEXT && op != OP_SEXT && op != OP_TRUNC) break;
        Source from = trace_source(t, s, 0);
        if (from.step == STEP_NONE) break;
        s = from.step;
    }
    return s;
}

/* Two steps of different code: a member that has another width is read by other code. */
static void expand_behind_casts(Dual *d, uint32_t n) {
    Step bad = behind_casts(d->bad, d->nodes.at[n].bad);
    Step good = behind_casts(d->good, d->nodes.at[n].good);
    if (bad == d->nodes.at[n].bad && good == d->nodes.at[n].good) return;
    if (trace_inst(d->bad, bad)->op == trace_inst(d->good, good)->op) push_pair(d, n, bad, good);
}

/* A writer that was asked for in one run alone, and that the other made as well: it wrote to
 * another place there. */
static bool wrote_elsewhere(Dual *d, uint32_t n, const Inst *inst) {
    uint32_t via = d->nodes.at[n].via;
    bool moves = inst->op == OP_CALL && inst->call == CALL_MEMORY;
    if (via == DUAL_NONE || (inst->op != OP_STORE && !moves)) return false;
    const DualNode *from = &d->nodes.at[via];
    if (from->bad != STEP_NONE && from->good != STEP_NONE) return false;
    return push_operand(d, n, inst->op == OP_STORE);
}

static void expand_pair(Dual *d, uint32_t n) {
    Step bad = d->nodes.at[n].bad, good = d->nodes.at[n].good;
    const Inst *b = trace_inst(d->bad, bad), *g = trace_inst(d->good, good);
    bool copies = d->nodes.at[n].bad_at != 0;
    if (d->nodes.at[n].source) return; /* a call with another constant */
    bool same = same_code(d, bad, good);
    if (!same) {
        push_single(d, n, false, bad, 0);
        push_single(d, n, true, good, 0);
        push_parting_ways(d, n, bad, good);
        if (copies && expand_behind_copies(d, n)) return;
        if (b->op != g->op) expand_behind_casts(d, n);
        if (b->op != g->op || b->operands != g->operands) return;
    }
    bool elsewhere = same && wrote_elsewhere(d, n, b);
    if (!copies && d->nodes.at[n].via != DUAL_NONE && !result_differs(d, bad, good)) return;
    switch ((Op)b->op) {
    case OP_LOAD: expand_load(d, n); break;
    case OP_CALL: expand_call(d, n); break;
    case OP_PHI: expand_phi(d, n); break;
    default:
        if (!push_operands(d, n) && same && !elsewhere) mark_source(d, n);
    }
}

void dual_run(Dual *d) {
    for (size_t cost = 0; cost < d->waiting.len; cost++)
        for (size_t i = 0; i < d->waiting.at[cost].len; i++) {
            uint32_t n = d->waiting.at[cost].at[i];
            if (d->nodes.at[n].cost != cost) continue; /* found a shorter way */
            vec_push(&d->order, n);
            if (d->nodes.at[n].bad == STEP_NONE || d->nodes.at[n].good == STEP_NONE)
                expand_single(d, n);
            else
                expand_pair(d, n);
        }
}

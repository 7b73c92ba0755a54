/* Aligning two runs (alignment.h). */
#include "trace/alignment.h"
#include "shrink/diff.h"
#include "trace/layout.h"

typedef struct AlignPair {
    uint32_t activation; /* of the other run */
    Step low, high;      /* the other run's block ran within these steps */
} AlignPair;
typedef VEC(AlignPair) Pairs;
typedef VEC(uint32_t) PairOf; /* per segment: index in pairs + 1; 0: none */

struct Align {
    const Trace *bad, *good;
    AlignWay way;
    VEC(uint32_t) good_inst, bad_inst;         /* static pairs; CODE_NONE: none */
    VEC(uint32_t) good_block, bad_block;       /* the same for blocks */
    Pairs pairs, back;                         /* of the bad run's blocks, and of the good run's */
    PairOf pair_of, back_of;                   /* per segment of the bad run, and of the good run */
    VEC(uint32_t) good_function, bad_function; /* pairs of functions; CODE_NONE: none */
    VEC(uint32_t) good_activation, bad_activation; /* pairs of activations; CODE_NONE: none */
    VEC(uint32_t) bad_calls, good_calls; /* activations sorted by the step of their call */
};

/* ---- the code ---- */

static Str base_name(const char *name) {
    Str s = str_from(name);
    while (s.len && s.at[s.len - 1] >= '0' && s.at[s.len - 1] <= '9') s.len--;
    return s;
}

/* What an instruction does, without constants and the direction of comparisons: a changed condition
 * is still the same condition. */
static void describe(const Trace *t, const Inst *inst, Buf *out) {
    buf_clear(out);
    buf_fmt(out, "%u.%u.%u.%s.", inst->op, inst->type.kind, inst->type.size,
            inst->op == OP_CALL ? inst->name : "");
    if (inst->op == OP_ALLOCA) buf_str(out, base_name(inst->name));
    if (inst->op != OP_LOAD && inst->op != OP_STORE && inst->op != OP_GEP) return;
    const Operand *o = code_operand(&t->code, inst, inst->op == OP_STORE);
    if (o->kind == OPERAND_INST) {
        const Inst *from = &t->code.insts.at[t->code.functions.at[inst->function].first + o->index];
        if (from->op == OP_ALLOCA) buf_str(out, base_name(from->name));
    } else if (o->kind == OPERAND_CONST) {
        const Global *g = code_global(&t->code, o->bits);
        if (g && g->name[0] != '.') buf_text(out, g->name);
    }
}

static void number_insts(const Trace *t, const Function *f, DiffTable *table, uint32_t *out) {
    Buf text = { 0 };
    for (uint32_t i = 0; i < f->count; i++) {
        describe(t, &t->code.insts.at[f->first + i], &text);
        out[i] = diff_number(table, buf_view(&text));
    }
    buf_release(&text);
}

static void pair_insts(Align *a, uint32_t bad, uint32_t good, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        a->good_inst.at[bad + i] = good + i;
        a->bad_inst.at[good + i] = bad + i;
    }
}

/* Blocks are pairs when their ends are, else when most of their paired instructions agree on it. */
static void pair_blocks(Align *a, const Function *f) {
    const Code *bad = &a->bad->code, *good = &a->good->code;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t b = f->first_block; b < f->first_block + f->blocks; b++) {
            const Block *block = &bad->blocks.at[b];
            if (a->good_block.at[b] != CODE_NONE) continue;
            for (uint32_t i = block->count; i-- > 0;) {
                uint32_t g = a->good_inst.at[block->first + i];
                if (g == CODE_NONE) {
                    if (pass == 0) break;
                    continue;
                }
                uint32_t to = good->insts.at[g].block;
                if (pass == 0 && g + 1 != good->blocks.at[to].first + good->blocks.at[to].count)
                    break;
                if (a->bad_block.at[to] != CODE_NONE) break;
                a->good_block.at[b] = to;
                a->bad_block.at[to] = b;
                break;
            }
        }
}

static void pair_function(Align *a, uint32_t bad, uint32_t good) {
    const Function *f = &a->bad->code.functions.at[bad], *g = &a->good->code.functions.at[good];
    a->good_function.at[bad] = good;
    a->bad_function.at[good] = bad;
    DiffTable table = { 0 };
    uint32_t *x = mem_alloc((f->count + 1) * sizeof *x), *y = mem_alloc((g->count + 1) * sizeof *y);
    number_insts(a->bad, f, &table, x);
    number_insts(a->good, g, &table, y);
    DiffHunks hunks = { 0 };
    diff_seqs((DiffSeq){ x, f->count }, (DiffSeq){ y, g->count }, &hunks);
    uint32_t i = 0, j = 0;
    for (size_t h = 0; h < hunks.len; h++) {
        pair_insts(a, f->first + i, g->first + j, (uint32_t)hunks.at[h].a - i);
        i = (uint32_t)(hunks.at[h].a + hunks.at[h].a_len);
        j = (uint32_t)(hunks.at[h].b + hunks.at[h].b_len);
    }
    pair_insts(a, f->first + i, g->first + j, f->count - i);
    pair_blocks(a, f);
    vec_release(&hunks);
    diff_table_release(&table);
    mem_free(x);
    mem_free(y);
}

static bool was_entered(const Trace *t, const Function *f) {
    return f->known && f->count && t->executed.at[f->first];
}

/* By file and name, else by name alone. */
static void pair_functions(Align *a) {
    Map exact = { 0 }, loose = { 0 };
    Buf key = { 0 };
    for (size_t i = 0; i < a->good->code.functions.len; i++) {
        const Function *g = &a->good->code.functions.at[i];
        if (!g->known) continue;
        buf_clear(&key);
        buf_fmt(&key, STR_FMT ":%s", STR_ARG(a->good->code.files.at[g->file]), g->name);
        map_put(&exact, buf_view(&key), i + 1);
        map_put(&loose, str_from(g->name), i + 1);
    }
    for (size_t i = 0; i < a->bad->code.functions.len; i++) {
        const Function *f = &a->bad->code.functions.at[i];
        uint64_t g = 0;
        if (!f->known) continue;
        buf_clear(&key);
        buf_fmt(&key, STR_FMT ":%s", STR_ARG(a->bad->code.files.at[f->file]), f->name);
        if (!map_get(&exact, buf_view(&key), &g) && !map_get(&loose, str_from(f->name), &g))
            continue;
        if (was_entered(a->bad, f) || was_entered(a->good, &a->good->code.functions.at[g - 1]))
            pair_function(a, (uint32_t)i, (uint32_t)g - 1);
    }
    buf_release(&key);
    map_release(&exact);
    map_release(&loose);
}

/* ---- the runs ---- */

static int by_call(const void *x, const void *y, void *of) {
    const Trace *trace = of;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    Step s = trace->activations.at[a].call, t = trace->activations.at[b].call;
    if (s != t) return s < t ? -1 : 1;
    return a < b ? -1 : a > b;
}

#define SORT_CALLS(trace, list)                                                                    \
    do {                                                                                           \
        for (uint32_t k = 0; k < (trace)->activations.len; k++) vec_push(list, k);                 \
        if ((list)->len)                                                                           \
            qsort_r((list)->at, (list)->len, sizeof *(list)->at, by_call,                          \
                    (void *)(uintptr_t)(trace));                                                   \
    } while (0)

/* Index in the sorted list of the first activation with this call. */
static size_t first_called(const Trace *t, const uint32_t *list, size_t n, Step call) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->activations.at[list[middle]].call < call)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct BlockRun {
    uint32_t block;
    uint32_t segment; /* its first */
    Step first, last; /* steps of the run, including those of callees in between */
} BlockRun;
typedef VEC(BlockRun) BlockRuns;

/* The blocks an activation ran, in order. */
static void collect_runs(const Trace *t, uint32_t activation, BlockRuns *out) {
    vec_clear(out);
    for (uint32_t s = t->activations.at[activation].last; s != CODE_NONE;
         s = t->segments.at[s].before) {
        const TraceSegment *g = &t->segments.at[s];
        Step end = trace_segment_end(t, s);
        if (end == g->first) continue;
        BlockRun run = { t->code.insts.at[g->inst].block, s, g->first, end - 1 };
        bool starts = g->inst == t->code.blocks.at[run.block].first;
        if (out->len && vec_last(out).block ==
                            CODE_NONE) { /* the rest of a block whose start is still to come */
            run.last = vec_last(out).last;
            out->len--;
        }
        if (!starts) run.block = CODE_NONE;
        vec_push(out, run);
    }
    for (size_t i = 0, j = out->len; i + 1 < j; i++) {
        BlockRun swap = out->at[i];
        out->at[i] = out->at[--j];
        out->at[j] = swap;
    }
}

typedef struct AlignWalk {
    Align *a;
    BlockRuns bad, good;
    VEC(uint32_t) todo; /* pairs of activations */
} AlignWalk;

/* Calls made within a pair of block runs are paired when their instructions are, in order. */
static void pair_calls(AlignWalk *w, const BlockRun *b, const BlockRun *g, uint32_t bad_act,
                       uint32_t good_act) {
    Align *a = w->a;
    const Block *block = &a->bad->code.blocks.at[b->block];
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        if (a->bad->code.insts.at[i].op != OP_CALL || a->good_inst.at[i] == CODE_NONE) continue;
        Step x = trace_last_run(a->bad, bad_act, i, b->last),
             y = trace_last_run(a->good, good_act, a->good_inst.at[i], g->last);
        if (x == STEP_NONE || y == STEP_NONE || x < b->first || y < g->first) continue;
        size_t m = first_called(a->bad, a->bad_calls.at, a->bad_calls.len, x);
        size_t n = first_called(a->good, a->good_calls.at, a->good_calls.len, y);
        for (; m < a->bad_calls.len && n < a->good_calls.len; m++, n++) {
            if (a->bad->activations.at[a->bad_calls.at[m]].call != x ||
                a->good->activations.at[a->good_calls.at[n]].call != y)
                break;
            vec_push(&w->todo, a->bad_calls.at[m]);
            vec_push(&w->todo, a->good_calls.at[n]);
        }
    }
}

static void pair_runs(AlignWalk *w, const BlockRun *b, const BlockRun *g, uint32_t bad_act,
                      uint32_t good_act) {
    Align *a = w->a;
    AlignPair p = { good_act, g->first, g->last }, q = { bad_act, b->first, b->last };
    vec_push(&a->pairs, p);
    vec_push(&a->back, q);
    a->pair_of.at[b->segment] =
        (uint32_t)a->pairs.len; /* of its first segment: align_step walks there */
    a->back_of.at[g->segment] = (uint32_t)a->back.len;
    pair_calls(w, b, g, bad_act, good_act);
}

static bool same_function(const Align *a, uint32_t bad, uint32_t good) {
    return strcmp(a->bad->code.functions.at[a->bad->activations.at[bad].function].name,
                  a->good->code.functions.at[a->good->activations.at[good].function].name) == 0;
}

/* The blocks of a run as numbers that pairs share; blocks without a pair get numbers that no other
 * has. */
static void number_runs(const Align *a, const BlockRuns *runs, bool good, uint32_t *out) {
    for (size_t i = 0; i < runs->len; i++) {
        uint32_t block = runs->at[i].block;
        if (good && block != CODE_NONE) block = a->bad_block.at[block];
        bool single = block == CODE_NONE || (!good && a->good_block.at[block] == CODE_NONE);
        out[i] = single ? CODE_NONE - 2 * (uint32_t)i - good : block;
    }
}

static void pair_range(AlignWalk *w, size_t i, size_t j, size_t n, uint32_t bad, uint32_t good) {
    for (size_t k = 0; k < n; k++) pair_runs(w, &w->bad.at[i + k], &w->good.at[j + k], bad, good);
}

static size_t find_block(const BlockRuns *runs, size_t from, uint32_t block) {
    while (from < runs->len && runs->at[from].block != block) from++;
    return from;
}

/* After paired blocks went different ways: continues at the post-dominator that both reach. */
static bool rejoin(const AlignWalk *w, uint32_t branch, size_t *i, size_t *j) {
    const Align *a = w->a;
    for (uint32_t q = a->bad->code.blocks.at[branch].post; q != CODE_NONE;
         q = a->bad->code.blocks.at[q].post) {
        if (a->good_block.at[q] == CODE_NONE) continue;
        size_t x = find_block(&w->bad, *i, q), y = find_block(&w->good, *j, a->good_block.at[q]);
        if (x == w->bad.len || y == w->good.len) continue;
        *i = x;
        *j = y;
        return true;
    }
    return false;
}

static void pair_in_step(AlignWalk *w, uint32_t bad, uint32_t good) {
    Align *a = w->a;
    uint32_t branch = CODE_NONE;
    for (size_t i = 0, j = 0; i < w->bad.len && j < w->good.len;) {
        const BlockRun *b = &w->bad.at[i], *g = &w->good.at[j];
        if (b->block == CODE_NONE || a->good_block.at[b->block] == CODE_NONE) {
            i++;
        } else if (g->block == CODE_NONE || a->bad_block.at[g->block] == CODE_NONE) {
            j++;
        } else if (a->good_block.at[b->block] == g->block) {
            pair_runs(w, b, g, bad, good);
            branch = b->block;
            i++, j++;
        } else if (branch == CODE_NONE || !rejoin(w, branch, &i, &j)) {
            break;
        }
    }
}

static void pair_common(AlignWalk *w, uint32_t bad, uint32_t good) {
    uint32_t *x = mem_alloc((w->bad.len + 1) * sizeof *x);
    uint32_t *y = mem_alloc((w->good.len + 1) * sizeof *y);
    number_runs(w->a, &w->bad, false, x);
    number_runs(w->a, &w->good, true, y);
    DiffHunks hunks = { 0 };
    diff_seqs((DiffSeq){ x, w->bad.len }, (DiffSeq){ y, w->good.len }, &hunks);
    size_t i = 0, j = 0;
    for (size_t h = 0; h < hunks.len; h++) {
        pair_range(w, i, j, hunks.at[h].a - i, bad, good);
        i = hunks.at[h].a + hunks.at[h].a_len;
        j = hunks.at[h].b + hunks.at[h].b_len;
    }
    pair_range(w, i, j, w->bad.len - i, bad, good);
    vec_release(&hunks);
    mem_free(x);
    mem_free(y);
}

static void pair_activations(AlignWalk *w, uint32_t bad, uint32_t good) {
    Align *a = w->a;
    bool paired =
        a->good_activation.at[bad] != CODE_NONE || a->bad_activation.at[good] != CODE_NONE;
    if (paired || !same_function(a, bad, good)) return;
    a->good_activation.at[bad] = good;
    a->bad_activation.at[good] = bad;
    collect_runs(a->bad, bad, &w->bad);
    collect_runs(a->good, good, &w->good);
    if (a->way == ALIGN_IN_STEP)
        pair_in_step(w, bad, good);
    else
        pair_common(w, bad, good);
}

/* All pairs in todo and the calls they made. */
static void walk(AlignWalk *w) {
    while (w->todo.len) {
        uint32_t good = vec_pop(&w->todo), bad = vec_pop(&w->todo);
        pair_activations(w, bad, good);
    }
    vec_release(&w->bad);
    vec_release(&w->good);
    vec_release(&w->todo);
}

static void pair_all(Align *a) {
    AlignWalk w = { .a = a };
    /* What was not called by instrumented code (main, constructors), in order. */
    size_t m = first_called(a->bad, a->bad_calls.at, a->bad_calls.len, STEP_NONE);
    size_t n = first_called(a->good, a->good_calls.at, a->good_calls.len, STEP_NONE);
    for (; m < a->bad_calls.len && n < a->good_calls.len; m++, n++) {
        vec_push(&w.todo, a->bad_calls.at[m]);
        vec_push(&w.todo, a->good_calls.at[n]);
    }
    walk(&w);
}

void align_pair(Align *a, uint32_t bad, uint32_t good) {
    if (a->good_activation.at[bad] != CODE_NONE || a->bad_activation.at[good] != CODE_NONE) return;
    AlignWalk w = { .a = a };
    vec_push(&w.todo, bad);
    vec_push(&w.todo, good);
    walk(&w);
}

#define FILL(list, n, byte)                                                                        \
    do {                                                                                           \
        vec_reserve(list, (n) + 1);                                                                \
        (list)->len = (n);                                                                         \
        memset((list)->at, byte, ((n) + 1) * sizeof *(list)->at);                                  \
    } while (0)

Align *align_new(const Trace *bad, const Trace *good, AlignWay way) {
    Align *a = mem_alloc(sizeof *a);
    a->way = way;
    a->bad = bad;
    a->good = good;
    FILL(&a->good_inst, bad->code.insts.len, 0xff);
    FILL(&a->bad_inst, good->code.insts.len, 0xff);
    FILL(&a->good_block, bad->code.blocks.len, 0xff);
    FILL(&a->bad_block, good->code.blocks.len, 0xff);
    FILL(&a->pair_of, bad->segments.len, 0);
    FILL(&a->back_of, good->segments.len, 0);
    FILL(&a->good_function, bad->code.functions.len, 0xff);
    FILL(&a->bad_function, good->code.functions.len, 0xff);
    FILL(&a->good_activation, bad->activations.len, 0xff);
    FILL(&a->bad_activation, good->activations.len, 0xff);
    SORT_CALLS(bad, &a->bad_calls);
    SORT_CALLS(good, &a->good_calls);
    pair_functions(a);
    pair_all(a);
    return a;
}

void align_free(Align *a) {
    vec_release(&a->good_inst);
    vec_release(&a->bad_inst);
    vec_release(&a->good_block);
    vec_release(&a->bad_block);
    vec_release(&a->pairs);
    vec_release(&a->back);
    vec_release(&a->pair_of);
    vec_release(&a->back_of);
    vec_release(&a->good_function);
    vec_release(&a->bad_function);
    vec_release(&a->good_activation);
    vec_release(&a->bad_activation);
    vec_release(&a->bad_calls);
    vec_release(&a->good_calls);
    mem_free(a);
}

const Trace *align_bad(const Align *a) {
    return a->bad;
}

const Trace *align_good(const Align *a) {
    return a->good;
}

uint32_t align_bad_inst(const Align *a, uint32_t good) {
    return a->bad_inst.at[good];
}

uint32_t align_good_inst(const Align *a, uint32_t bad) {
    return a->good_inst.at[bad];
}

uint32_t align_activation(const Align *a, uint32_t bad) {
    return a->good_activation.at[bad];
}

uint32_t align_good_block(const Align *a, uint32_t bad) {
    return a->good_block.at[bad];
}

uint32_t align_good_function(const Align *a, uint32_t bad) {
    return a->good_function.at[bad];
}

bool align_has_function(const Align *a, bool in_good, uint32_t function) {
    return (in_good ? a->bad_function.at[function] : a->good_function.at[function]) != CODE_NONE;
}

/* The other run's step for one of a run; insts and pairs are those that lead there. */
static Step across(const Trace *from, const Trace *to, Step step, const uint32_t *insts,
                   const Pairs *pairs, const PairOf *pair_of) {
    uint32_t s = trace_segment(from, step);
    const TraceSegment *segment = &from->segments.at[s];
    uint32_t inst = segment->inst + (step - segment->first),
             block = from->code.insts.at[inst].block;
    if (insts[inst] == CODE_NONE) return STEP_NONE;
    /* The pair is stored with the segment in which the block's run began. */
    while (s != CODE_NONE && from->segments.at[s].inst != from->code.blocks.at[block].first)
        s = from->segments.at[s].before;
    if (s == CODE_NONE || !pair_of->at[s]) return STEP_NONE;
    const AlignPair *p = &pairs->at[pair_of->at[s] - 1];
    Step there = trace_last_run(to, p->activation, insts[inst], p->high);
    return there == STEP_NONE || there < p->low ? STEP_NONE : there;
}

Step align_step(const Align *a, Step bad) {
    return across(a->bad, a->good, bad, a->good_inst.at, &a->pairs, &a->pair_of);
}

Step align_bad_step(const Align *a, Step good) {
    return across(a->good, a->bad, good, a->bad_inst.at, &a->back, &a->back_of);
}

/* The block a branch went to. */
static uint32_t target(const Trace *t, Step s) {
    const Inst *inst = trace_inst(t, s);
    uint64_t value = t->value.at[s];
    uint32_t first = t->code.functions.at[inst->function].first_block;
    if (inst->op == OP_CONDBR)
        return first + code_operand(&t->code, inst, value & 1 ? 2 : 1)->index;
    for (unsigned i = 2; i < inst->operands; i++)
        if (code_operand(&t->code, inst, i)->bits == value)
            return first + code_operand(&t->code, inst, i)->index;
    return first + code_operand(&t->code, inst, 1)->index;
}

bool align_went_otherwise(const Align *a, Step bad, Step good) {
    if (a->bad->value.at[bad] == a->good->value.at[good]) return false;
    uint32_t twin = align_good_block(a, target(a->bad, bad));
    return twin == CODE_NONE || twin != target(a->good, good);
}

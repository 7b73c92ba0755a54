/* Code of one function, in 16-bit words: number of sums; for each sum: number of terms added,
 * number of terms subtracted, the terms; then number of outputs; for each output: its value, number
 * of statements. Values are numbered: 0 is the constant zero, then the counters, then the sums in
 * order. */
#include "coverage_program.h"
#include "gcov_flow.h"

enum { UNSET = UINT32_MAX, ZERO = 0, MOST_VALUES = 60000 };

typedef struct Sum {
    uint32_t first; /* its terms in Compile.terms: added ones, then subtracted ones */
    uint32_t plus, minus;
    bool needed;
} Sum;

typedef struct Output {
    uint32_t value, stmt;
} Output;

typedef struct Compile {
    const GcovFunction *fn;
    uint32_t *arc, *block; /* value of each; UNSET: not known yet, counts as zero */
    VEC(Sum) sums;
    VEC(uint32_t) terms;
    VEC(Output) outputs;
} Compile;

static void add_term(Compile *c, uint32_t value, uint32_t *count) {
    if (value == UNSET || value == ZERO) return;
    vec_push(&c->terms, value);
    ++*count;
}

/* Arcs of one side of a block. */
static void add_arcs(Compile *c, uint32_t b, bool succ, uint32_t *count) {
    const GcovBlock *block = &c->fn->blocks[b];
    for (uint32_t i = 0; i < (succ ? block->n_succ : block->n_pred); i++) {
        uint32_t a = succ ? block->succ + i : c->fn->preds[block->pred + i];
        add_term(c, c->arc[a], count);
    }
}

static uint32_t end_sum(Compile *c, Sum sum) {
    if (sum.plus + sum.minus == 0) return ZERO;
    if (sum.plus == 1 && sum.minus == 0) {
        uint32_t value = c->terms.at[sum.first];
        c->terms.len = sum.first;
        return value;
    }
    vec_push(&c->sums, sum);
    return c->fn->n_counters + (uint32_t)c->sums.len;
}

static void compile_step(Compile *c, GcovStep step) {
    const GcovFunction *fn = c->fn;
    Sum sum = { .first = (uint32_t)c->terms.len };
    uint32_t i = step.index, b;
    switch (step.kind) {
    case GCOV_BLOCK_FROM_SUCC:
        add_arcs(c, i, true, &sum.plus);
        c->block[i] = end_sum(c, sum);
        return;
    case GCOV_BLOCK_FROM_PRED:
        add_arcs(c, i, false, &sum.plus);
        c->block[i] = end_sum(c, sum);
        return;
    case GCOV_ARC_FROM_SRC:
        b = fn->arcs[i].src;
        add_term(c, c->block[b], &sum.plus);
        add_arcs(c, b, true, &sum.minus);
        break;
    case GCOV_ARC_FROM_DST:
        b = fn->arcs[i].dst;
        add_term(c, c->block[b], &sum.plus);
        add_arcs(c, b, false, &sum.minus);
        break;
    default: CHECK(!"clang's functions are solved the long way");
    }
    c->arc[i] = end_sum(c, sum);
}

static int by_value(const void *a, const void *b) {
    const Output *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->stmt > y->stmt) - (x->stmt < y->stmt);
}

static void collect_outputs(Compile *c, const uint32_t *stmt_at, const uint32_t *stmts) {
    for (uint32_t b = 0; b < c->fn->n_blocks; b++)
        for (uint32_t i = stmt_at[b]; i < stmt_at[b + 1]; i++)
            if (c->block[b] != UNSET && c->block[b] != ZERO)
                vec_push(&c->outputs, (Output){ c->block[b], stmts[i] });
    if (c->outputs.len) qsort(c->outputs.at, c->outputs.len, sizeof(Output), by_value);
}

static void mark_needed(Compile *c) {
    uint32_t base = c->fn->n_counters + 1;
    for (size_t i = 0; i < c->outputs.len; i++)
        if (c->outputs.at[i].value >= base) c->sums.at[c->outputs.at[i].value - base].needed = true;
    for (size_t s = c->sums.len; s-- > 0;)
        for (uint32_t t = 0; c->sums.at[s].needed && t < c->sums.at[s].plus + c->sums.at[s].minus;
             t++) {
            uint32_t value = c->terms.at[c->sums.at[s].first + t];
            if (value >= base) c->sums.at[value - base].needed = true;
        }
}

/* Numbers the needed sums anew and writes the code. */
static void emit(CovProgram *p, Compile *c) {
    uint32_t base = c->fn->n_counters + 1, n = 0;
    uint32_t *renamed = mem_alloc((c->sums.len + 1) * sizeof *renamed);
    for (size_t s = 0; s < c->sums.len; s++)
        if (c->sums.at[s].needed) renamed[s] = base + n++;
    vec_push(&p->code, (uint16_t)n);
    for (size_t s = 0; s < c->sums.len; s++) {
        const Sum *sum = &c->sums.at[s];
        if (!sum->needed) continue;
        vec_push(&p->code, (uint16_t)sum->plus);
        vec_push(&p->code, (uint16_t)sum->minus);
        for (uint32_t t = 0; t < sum->plus + sum->minus; t++) {
            uint32_t value = c->terms.at[sum->first + t];
            vec_push(&p->code, (uint16_t)(value >= base ? renamed[value - base] : value));
        }
    }
    size_t count_at = p->code.len;
    vec_push(&p->code, 0);
    for (size_t i = 0, j; i < c->outputs.len; i = j) {
        uint32_t value = c->outputs.at[i].value, last = UNSET;
        size_t before = p->stmts.len;
        for (j = i; j < c->outputs.len && c->outputs.at[j].value == value; j++)
            if (c->outputs.at[j].stmt != last && p->stmts.len - before < UINT16_MAX)
                vec_push(&p->stmts, last = c->outputs.at[j].stmt);
        vec_push(&p->code, (uint16_t)(value >= base ? renamed[value - base] : value));
        vec_push(&p->code, (uint16_t)(p->stmts.len - before));
        p->code.at[count_at]++;
    }
    mem_free(renamed);
}

/* clang's functions: llvm-cov takes absolute values on the way, so they are no plain sums. */
static bool takes_absolute(const GcovFunction *fn) {
    for (uint32_t s = 0; s < fn->n_steps; s++)
        if (fn->steps[s].kind >= GCOV_ARC_EXCESS_SRC) return true;
    return false;
}

bool covprogram_add(CovProgram *p, const GcovFunction *fn, uint32_t counter,
                    const uint32_t *stmt_at, const uint32_t *stmts) {
    if (takes_absolute(fn) || (uint64_t)fn->n_counters + fn->n_steps + 2 > MOST_VALUES ||
        fn->n_arcs > MOST_VALUES)
        return false;
    Compile c = { .fn = fn };
    c.arc = mem_alloc((fn->n_arcs + 1) * sizeof *c.arc);
    c.block = mem_alloc((fn->n_blocks + 1) * sizeof *c.block);
    for (uint32_t a = 0, k = 0; a < fn->n_arcs; a++)
        c.arc[a] = fn->arcs[a].flags & GCOV_ARC_ON_TREE ? UNSET : ++k;
    for (uint32_t b = 0; b < fn->n_blocks; b++) c.block[b] = UNSET;
    for (uint32_t s = 0; s < fn->n_steps; s++) compile_step(&c, fn->steps[s]);
    collect_outputs(&c, stmt_at, stmts);
    mark_needed(&c);
    vec_push(&p->parts,
             (CovPart){ counter, fn->n_counters, (uint32_t)p->code.len, (uint32_t)p->stmts.len });
    emit(p, &c);
    mem_free(c.arc);
    mem_free(c.block);
    vec_release(&c.sums);
    vec_release(&c.terms);
    vec_release(&c.outputs);
    return true;
}

void covprogram_finish(CovProgram *p) {
    p->values = mem_alloc((MOST_VALUES + 8) * sizeof *p->values);
}

static void run_part(const CovProgram *p, const CovPart *part, Bits *bits) {
    int64_t *v = p->values;
    const uint16_t *code = &p->code.at[part->code];
    const uint32_t *stmts = &p->stmts.at[part->stmts];
    uint32_t next = part->n_counters + 1;
    for (unsigned n = *code++; n; n--) {
        unsigned plus = *code++, minus = *code++;
        uint64_t sum = 0;
        while (plus--) sum += (uint64_t)v[*code++];
        while (minus--) sum -= (uint64_t)v[*code++];
        v[next++] = (int64_t)sum;
    }
    for (unsigned n = *code++; n; n--) {
        bool ran = v[*code++] != 0;
        unsigned count = *code++;
        if (ran)
            for (unsigned i = 0; i < count; i++) bits_set(bits, stmts[i]);
        stmts += count;
    }
}

void covprogram_run(const CovProgram *p, const int64_t *image, const CovExtent *extents,
                    size_t n_extents, Bits *bits) {
    p->values[ZERO] = 0;
    size_t e = 0;
    for (size_t i = 0; i < p->parts.len; i++) {
        const CovPart *part = &p->parts.at[i];
        while (e < n_extents && extents[e].to <= part->counter) e++;
        if (e == n_extents) break;
        if (extents[e].from >= (uint64_t)part->counter + part->n_counters) continue;
        const int64_t *counters = image + part->counter;
        int64_t any = 0;
        for (uint32_t k = 0; k < part->n_counters; k++) any |= counters[k];
        /* no compilation counts that far: a program that smashed its memory smashed these, too */
        if (!any || (uint64_t)any >> 40) continue;
        if (i + 1 < p->parts.len) { /* the next one's code is on its way meanwhile */
            __builtin_prefetch(&p->code.at[part[1].code]);
            __builtin_prefetch(&p->stmts.at[part[1].stmts]);
        }
        memcpy(p->values + 1, counters, part->n_counters * sizeof *counters);
        run_part(p, part, bits);
    }
}

void covprogram_release(CovProgram *p) {
    vec_release(&p->parts);
    vec_release(&p->code);
    vec_release(&p->stmts);
    mem_free(p->values);
    p->values = NULL;
}

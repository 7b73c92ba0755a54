/* The plan is gcov's own propagation, run on which counts are known rather than on the counts: a
 * block is known when all its arcs out, or all its arcs in, are; an arc is known when its block and
 * all the block's other arcs on that side are. Two stacks, of blocks to try and of blocks that
 * became known, worked off in gcov's order. For clang: a depth-first walk over the tree from each
 * block, which gives an arc the excess of the subtree beyond it. */
#include "coverage/gcov_flow.h"

typedef struct FlowPlan {
    const GcovFunction *fn;
    VEC(GcovStep) steps;
    uint32_t *open_succ, *open_pred; /* per block: arcs of unknown count; never 0 at the ends */
    bool *arc_known, *block_known;
    bool *in_try, *in_known;   /* per block: it is on that stack */
    VEC(uint32_t) try_, known; /* the stacks */
} FlowPlan;

static void plan_blocks(FlowPlan *p) {
    while (p->try_.len) {
        uint32_t b = vec_pop(&p->try_);
        p->in_try[b] = false;
        if (p->open_succ[b] == 0)
            vec_push(&p->steps, (GcovStep){ GCOV_BLOCK_FROM_SUCC, b });
        else if (p->open_pred[b] == 0)
            vec_push(&p->steps, (GcovStep){ GCOV_BLOCK_FROM_PRED, b });
        else
            continue;
        p->block_known[b] = true;
        p->in_known[b] = true;
        vec_push(&p->known, b);
    }
}

/* The block at the other end of an arc that just became known. */
static void plan_touch(FlowPlan *p, uint32_t b, uint32_t open) {
    if (p->block_known[b]) {
        if (open == 1 && !p->in_known[b]) {
            p->in_known[b] = true;
            vec_push(&p->known, b);
        }
    } else if (open == 0 && !p->in_try[b]) {
        p->in_try[b] = true;
        vec_push(&p->try_, b);
    }
}

static void plan_arcs(FlowPlan *p) {
    const GcovFunction *fn = p->fn;
    while (p->known.len) {
        uint32_t b = vec_pop(&p->known);
        p->in_known[b] = false;
        const GcovBlock *block = &fn->blocks[b];
        if (p->open_succ[b] == 1) {
            uint32_t arc = UINT32_MAX;
            for (uint32_t i = 0; i < block->n_succ; i++)
                if (!p->arc_known[block->succ + i]) arc = block->succ + i;
            CHECK(arc != UINT32_MAX);
            p->arc_known[arc] = true;
            vec_push(&p->steps, (GcovStep){ GCOV_ARC_FROM_SRC, arc });
            p->open_succ[b]--;
            uint32_t dst = fn->arcs[arc].dst;
            plan_touch(p, dst, --p->open_pred[dst]);
        }
        if (p->open_pred[b] == 1) {
            uint32_t arc = UINT32_MAX;
            for (uint32_t i = 0; i < block->n_pred; i++)
                if (!p->arc_known[fn->preds[block->pred + i]]) arc = fn->preds[block->pred + i];
            CHECK(arc != UINT32_MAX);
            p->arc_known[arc] = true;
            vec_push(&p->steps, (GcovStep){ GCOV_ARC_FROM_DST, arc });
            p->open_pred[b]--;
            uint32_t src = fn->arcs[arc].src;
            plan_touch(p, src, --p->open_succ[src]);
        }
    }
}

/* More than any function has: the entry's arcs in and the exit's arcs out are never all known. */
enum { NEVER = 1u << 30 };

static void plan_gcov(FlowPlan *p) {
    const GcovFunction *fn = p->fn;
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        p->open_succ[b] = fn->blocks[b].n_succ;
        p->open_pred[b] = fn->blocks[b].n_pred;
    }
    if (fn->n_blocks >= 2) {
        if (!fn->blocks[GCOV_ENTRY].n_pred) p->open_pred[GCOV_ENTRY] = NEVER;
        if (!fn->blocks[GCOV_EXIT].n_succ) p->open_succ[GCOV_EXIT] = NEVER;
    }
    for (uint32_t a = 0; a < fn->n_arcs; a++)
        if (!(fn->arcs[a].flags & GCOV_ARC_ON_TREE)) {
            p->arc_known[a] = true;
            p->open_succ[fn->arcs[a].src]--;
            p->open_pred[fn->arcs[a].dst]--;
        }
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        p->in_try[b] = true;
        vec_push(&p->try_, b);
    }
    while (p->try_.len || p->known.len) {
        plan_blocks(p);
        plan_arcs(p);
    }
}

/* One level of the walk: at block b, reached over arc via (UINT32_MAX: a root), next arc to look
 * at. */
typedef struct Level {
    uint32_t b, via, next;
} Level;

static void plan_llvm_from(FlowPlan *p, uint32_t root) {
    const GcovFunction *fn = p->fn;
    bool *visited = p->block_known;
    VEC(Level) stack = { 0 };
    if (visited[root]) return;
    visited[root] = true;
    vec_push(&stack, (Level){ root, UINT32_MAX, 0 });
    while (stack.len) {
        Level *top = &vec_last(&stack);
        const GcovBlock *block = &fn->blocks[top->b];
        uint32_t i = top->next++, arc, to;
        if (i < block->n_pred)
            arc = fn->preds[block->pred + i], to = fn->arcs[arc].src;
        else if (i < block->n_pred + block->n_succ)
            arc = block->succ + i - block->n_pred, to = fn->arcs[arc].dst;
        else {
            if (top->via != UINT32_MAX)
                vec_push(&p->steps,
                         (GcovStep){ fn->arcs[top->via].src == top->b ? GCOV_ARC_EXCESS_SRC
                                                                      : GCOV_ARC_EXCESS_DST,
                                     top->via });
            (void)vec_pop(&stack);
            continue;
        }
        if (arc == top->via || !(fn->arcs[arc].flags & GCOV_ARC_ON_TREE) || visited[to]) continue;
        visited[to] = true;
        vec_push(&stack, (Level){ to, arc, 0 });
    }
    vec_release(&stack);
}

static void plan_function(Arena *arena, GcovFunction *fn, bool llvm) {
    uint32_t n = fn->n_blocks + 1;
    FlowPlan p = { .fn = fn };
    p.open_succ = mem_alloc(n * sizeof(uint32_t));
    p.open_pred = mem_alloc(n * sizeof(uint32_t));
    p.block_known = mem_alloc(n);
    p.in_try = mem_alloc(n);
    p.in_known = mem_alloc(n);
    p.arc_known = mem_alloc(fn->n_arcs + 1);
    if (llvm) {
        for (uint32_t b = 0; b < fn->n_blocks; b++) plan_llvm_from(&p, b);
        for (uint32_t b = 0; b < fn->n_blocks; b++)
            vec_push(&p.steps, (GcovStep){ GCOV_BLOCK_FROM_SUCC, b });
    } else
        plan_gcov(&p);
    fn->steps = arena_copy(arena, p.steps.at, p.steps.len * sizeof(GcovStep));
    fn->n_steps = (uint32_t)p.steps.len;
    mem_free(p.open_succ);
    mem_free(p.open_pred);
    mem_free(p.block_known);
    mem_free(p.in_try);
    mem_free(p.in_known);
    mem_free(p.arc_known);
    vec_release(&p.steps);
    vec_release(&p.try_);
    vec_release(&p.known);
}

void gcov_flow_plan(Arena *arena, GcovNotes *notes) {
    for (uint32_t i = 0; i < notes->n_functions; i++)
        plan_function(arena, &notes->functions[i], notes->llvm);
}

/* Unsigned: counters of a hostile file may overflow, and then wrap. */
static uint64_t sum_succ(const GcovFunction *fn, uint32_t b, const int64_t *arcs) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < fn->blocks[b].n_succ; i++) {
        uint32_t a = fn->blocks[b].succ + i;
        if (!(fn->arcs[a].flags & GCOV_ARC_CLOSING)) sum += (uint64_t)arcs[a];
    }
    return sum;
}
static uint64_t sum_pred(const GcovFunction *fn, uint32_t b, const int64_t *arcs) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < fn->blocks[b].n_pred; i++)
        sum += (uint64_t)arcs[fn->preds[fn->blocks[b].pred + i]];
    return sum;
}

/* |in - out| of block b without arc, which is still 0. Closing arcs count here. */
static int64_t excess(const GcovFunction *fn, uint32_t b, const int64_t *arcs) {
    uint64_t in = sum_pred(fn, b, arcs), out = 0;
    for (uint32_t i = 0; i < fn->blocks[b].n_succ; i++)
        out += (uint64_t)arcs[fn->blocks[b].succ + i];
    int64_t diff = (int64_t)(in - out);
    return diff < 0 ? (int64_t)(0 - (uint64_t)diff) : diff;
}

void gcov_flow_solve(const GcovFunction *fn, const int64_t *counters, int64_t *blocks,
                     int64_t *arcs) {
    memset(blocks, 0, fn->n_blocks * sizeof *blocks);
    for (uint32_t a = 0, k = 0; a < fn->n_arcs; a++)
        arcs[a] = fn->arcs[a].flags & GCOV_ARC_ON_TREE ? 0 : counters[k++];
    for (uint32_t s = 0; s < fn->n_steps; s++) {
        uint32_t i = fn->steps[s].index;
        switch (fn->steps[s].kind) {
        case GCOV_BLOCK_FROM_SUCC: blocks[i] = (int64_t)sum_succ(fn, i, arcs); break;
        case GCOV_BLOCK_FROM_PRED: blocks[i] = (int64_t)sum_pred(fn, i, arcs); break;
        case GCOV_ARC_FROM_SRC: {
            uint32_t b = fn->arcs[i].src;
            arcs[i] = (int64_t)((uint64_t)blocks[b] - sum_succ(fn, b, arcs));
            break;
        }
        case GCOV_ARC_FROM_DST: {
            uint32_t b = fn->arcs[i].dst;
            arcs[i] = (int64_t)((uint64_t)blocks[b] - sum_pred(fn, b, arcs));
            break;
        }
        case GCOV_ARC_EXCESS_SRC: arcs[i] = excess(fn, fn->arcs[i].src, arcs); break;
        case GCOV_ARC_EXCESS_DST: arcs[i] = excess(fn, fn->arcs[i].dst, arcs); break;
        }
    }
}

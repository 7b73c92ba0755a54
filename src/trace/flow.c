/* Post-dominators by the iteration of Cooper, Harvey and Kennedy on the reversed graph, with one
 * virtual exit after every block without successors. */
#include "trace/flow.h"

typedef struct Flow {
    Code *code;
    const Function *f;
    uint32_t *order; /* blocks in post-order of the reversed graph's traversal, from 0 */
    uint32_t *rank;  /* of a block in that order; the exit has rank n */
    uint32_t *post;  /* immediate post-dominator, local number; n: the exit; CODE_NONE: not yet */
    uint32_t *head, *next, *from; /* predecessor lists */
    uint32_t n;
} Flow;

static void collect_predecessors(Flow *w) {
    uint32_t edges = 0;
    for (uint32_t b = 0; b < w->n; b++) w->head[b] = CODE_NONE;
    for (uint32_t b = 0; b < w->n; b++) {
        const Block *block = &w->code->blocks.at[w->f->first_block + b];
        for (uint32_t s = 0; s < block->successors; s++, edges++) {
            uint32_t to = w->code->successors.at[block->successor + s] - w->f->first_block;
            w->from[edges] = b;
            w->next[edges] = w->head[to];
            w->head[to] = edges;
        }
    }
}

/* Depth-first over predecessors from every exit block; numbers blocks when they are left. */
static uint32_t number_blocks(Flow *w) {
    uint32_t *stack = mem_alloc((w->n + 1) * sizeof *stack),
             *edge = mem_alloc((w->n + 1) * sizeof *edge);
    uint32_t count = 0;
    for (uint32_t b = 0; b < w->n; b++) w->rank[b] = CODE_NONE;
    for (uint32_t b = 0; b < w->n; b++) {
        if (w->code->blocks.at[w->f->first_block + b].successors || w->rank[b] != CODE_NONE)
            continue;
        uint32_t depth = 0;
        stack[0] = b;
        edge[0] = w->head[b];
        w->rank[b] = 0;
        for (;;) {
            uint32_t e = edge[depth];
            if (e == CODE_NONE) {
                w->order[count] = stack[depth];
                w->rank[stack[depth]] = count++;
                if (depth-- == 0) break;
                continue;
            }
            edge[depth] = w->next[e];
            uint32_t p = w->from[e];
            if (w->rank[p] != CODE_NONE) continue;
            w->rank[p] = 0;
            stack[++depth] = p;
            edge[depth] = w->head[p];
        }
    }
    w->rank[w->n] = count;
    mem_free(stack);
    mem_free(edge);
    return count;
}

static uint32_t meet(const Flow *w, uint32_t a, uint32_t b) {
    while (a != b) {
        while (w->rank[a] < w->rank[b]) a = w->post[a];
        while (w->rank[b] < w->rank[a]) b = w->post[b];
    }
    return a;
}

static bool update(Flow *w, uint32_t b) {
    const Block *block = &w->code->blocks.at[w->f->first_block + b];
    uint32_t best = block->successors ? CODE_NONE : w->n;
    for (uint32_t s = 0; s < block->successors; s++) {
        uint32_t to = w->code->successors.at[block->successor + s] - w->f->first_block;
        if (w->rank[to] == CODE_NONE || w->post[to] == CODE_NONE) continue;
        best = best == CODE_NONE ? to : meet(w, best, to);
    }
    if (w->post[b] == best) return false;
    w->post[b] = best;
    return true;
}

static void iterate(Flow *w, uint32_t count) {
    for (uint32_t b = 0; b < w->n; b++) w->post[b] = CODE_NONE;
    w->post[w->n] = w->n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = count; i-- > 0;) changed |= update(w, w->order[i]);
    }
}

void flow_post_dominators(Code *code, uint32_t function) {
    const Function *f = &code->functions.at[function];
    uint32_t n = f->blocks, edges = 0;
    for (uint32_t b = 0; b < n; b++) edges += code->blocks.at[f->first_block + b].successors;
    uint32_t *memory = mem_alloc(sizeof(uint32_t) * ((size_t)n * 4 + 4 + (size_t)edges * 2));
    Flow w = { code, f, memory, memory + n, memory + 2 * n + 1, memory + 3 * n + 2, NULL, NULL, n };
    w.next = w.head + n;
    w.from = w.next + edges;
    collect_predecessors(&w);
    iterate(&w, number_blocks(&w));
    for (uint32_t b = 0; b < n; b++) {
        uint32_t post = w.post[b];
        code->blocks.at[f->first_block + b].post =
            post == CODE_NONE || post == n ? CODE_NONE : f->first_block + post;
    }
    mem_free(memory);
}

/* ---- control dependence ---- */

struct FlowControl {
    VEC(uint32_t) first, count; /* per block: its controllers in pool */
    VEC(uint32_t) pool;
    VEC(uint8_t) done; /* per function */
};

FlowControl *flow_control_new(void) {
    return mem_alloc(sizeof(FlowControl));
}

void flow_control_free(FlowControl *c) {
    if (!c) return;
    vec_release(&c->first);
    vec_release(&c->count);
    vec_release(&c->pool);
    vec_release(&c->done);
    mem_free(c);
}

/* From each way out of a branch, up the post-dominators to the branch's own: the branch decides
 * whether those blocks run (Ferrante, Ottenstein, Warren 1987). Counts, and when fill is set also
 * writes. */
static void walk_branches(const Code *code, const Function *f, FlowControl *c, bool fill) {
    for (uint32_t b = f->first_block; b < f->first_block + f->blocks; b++) {
        const Block *from = &code->blocks.at[b];
        for (uint32_t s = 0; from->successors > 1 && s < from->successors; s++) {
            uint32_t to = code->successors.at[from->successor + s];
            for (; to != from->post && to != CODE_NONE; to = code->blocks.at[to].post) {
                uint32_t at = c->first.at[to] + c->count.at[to];
                if (fill && c->count.at[to] && c->pool.at[at - 1] == b) continue;
                if (fill) c->pool.at[at] = b;
                c->count.at[to]++;
            }
        }
    }
}

static void make_control(const Code *code, FlowControl *c, uint32_t function) {
    const Function *f = &code->functions.at[function];
    while (c->done.len < code->functions.len) vec_push(&c->done, 0);
    while (c->first.len < code->blocks.len) {
        vec_push(&c->first, 0);
        vec_push(&c->count, 0);
    }
    c->done.at[function] = 1;
    walk_branches(code, f, c, false);
    for (uint32_t b = f->first_block; b < f->first_block + f->blocks; b++) {
        c->first.at[b] = (uint32_t)c->pool.len;
        vec_reserve(&c->pool, c->pool.len + c->count.at[b] + 1);
        c->pool.len += c->count.at[b];
        c->count.at[b] = 0;
    }
    walk_branches(code, f, c, true);
}

void flow_controllers(const Code *code, uint32_t block, BlockVec *out) {
    FlowControl *c = code->control;
    uint32_t function = code->blocks.at[block].function;
    if (function >= c->done.len || !c->done.at[function]) make_control(code, c, function);
    for (uint32_t i = 0; i < c->count.at[block]; i++)
        vec_push(out, c->pool.at[c->first.at[block] + i]);
}

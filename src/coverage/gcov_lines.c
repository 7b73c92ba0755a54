/* Loops on a line are found by enumerating circuits (Hawick and James, "Enumerating circuits and
 * loops in graphs with self-arcs and multiple-arcs", 2008), each taken with its smallest arc and
 * subtracted, in gcov's order; for clang's notes by cancelling one cycle after the other, in
 * llvm-cov's order. Both orders matter where circuits overlap. */
#include "coverage/gcov_lines.h"
#include "coverage/gcov_flow.h"

/* ---- pairs of lines and blocks ---- */
static int cmp_u32(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int by_line(const void *a, const void *b) {
    const GcovSlot *x = a, *y = b;
    int c = cmp_u32(x->source, y->source);
    if (!c) c = cmp_u32(x->line, y->line);
    if (!c) c = cmp_u32(x->group, y->group);
    if (!c) c = cmp_u32(x->fn, y->fn);
    if (!c) c = cmp_u32(x->block, y->block);
    return c ? c : y->booked - x->booked;
}

static bool same_line(const GcovSlot *x, const GcovSlot *y) {
    return x->source == y->source && x->line == y->line && x->group == y->group;
}

static uint32_t group_of(const GcovFunction *fn, uint32_t index, uint32_t source, uint32_t line) {
    bool inside =
        fn->group && fn->source == source && fn->start_line <= line && line <= fn->end_line;
    return inside ? index : GCOV_NO_GROUP;
}

static void slots_of_block(const GcovNotes *notes, uint32_t f, uint32_t b, GcovSlots *out) {
    const GcovFunction *fn = &notes->functions[f];
    const GcovBlock *block = &fn->blocks[b];
    bool inner = b != GCOV_ENTRY && b + 1 != fn->n_blocks;
    size_t last = SIZE_MAX; /* slot of the last line seen, for booking */
    for (uint32_t l = 0; l < block->n_locs; l++) {
        const GcovLoc *loc = &fn->locs[block->loc + l];
        uint32_t high = 0;
        for (uint32_t i = 0; i < loc->count; i++) {
            uint32_t line = fn->lines[loc->first + i];
            GcovSlot slot = { loc->source, line, group_of(fn, f, loc->source, line),
                              f,           b,    notes->llvm };
            vec_push(out, slot);
            if (line >= high) high = line, last = out->len - 1; /* gcov sorts the lines */
        }
        if (notes->llvm || !inner || last == SIZE_MAX) continue;
        if (loc->count)
            out->at[last].booked = true;
        else { /* a location without lines books the line before once more */
            GcovSlot again = out->at[last];
            again.booked = true;
            vec_push(out, again);
        }
    }
}

void gcov_slots(const GcovNotes *notes, GcovSlots *out) {
    for (uint32_t f = 0; f < notes->n_functions; f++)
        if (!notes->functions[f].artificial)
            for (uint32_t b = 0; b < notes->functions[f].n_blocks; b++)
                slots_of_block(notes, f, b, out);
    if (out->len) qsort(out->at, out->len, sizeof *out->at, by_line);
}

/* ---- the blocks booked under one line, of one function ---- */
typedef struct LineGraph {
    const GcovFunction *fn;
    const int64_t *arcs;   /* counts */
    const GcovSlot *slots; /* the booked ones of this function */
    size_t n;
    int64_t *left;   /* per arc of fn: what circuits have not used up */
    uint64_t budget; /* steps left: hostile graphs have too many circuits */
} LineGraph;

static bool on_line(const LineGraph *g, uint32_t block) {
    size_t low = 0, high = g->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (g->slots[mid].block < block)
            low = mid + 1;
        else
            high = mid;
    }
    return low < g->n && g->slots[low].block == block;
}

/* ---- circuits, gcov's way ---- */
typedef struct LinesWalk {
    LineGraph *g;
    uint32_t start;
    VEC(uint32_t) path;    /* arcs */
    VEC(uint32_t) blocked; /* blocks, in the order they were blocked */
    VEC(uint64_t) waiting; /* (blocked block, who waits for it) pairs */
    uint64_t total;
} LinesWalk;

static size_t blocked_at(const LinesWalk *w, uint32_t b) {
    for (size_t i = 0; i < w->blocked.len; i++)
        if (w->blocked.at[i] == b) return i;
    return SIZE_MAX;
}

static void unblock(LinesWalk *w, uint32_t first) {
    VEC(uint32_t) todo = { 0 };
    vec_push(&todo, first);
    while (todo.len) {
        uint32_t u = vec_pop(&todo);
        size_t at = blocked_at(w, u);
        if (at == SIZE_MAX) continue;
        memmove(&w->blocked.at[at], &w->blocked.at[at + 1],
                (--w->blocked.len - at) * sizeof(uint32_t));
        size_t kept = 0;
        for (size_t i = 0; i < w->waiting.len; i++)
            if (w->waiting.at[i] >> 32 == u)
                vec_push(&todo, (uint32_t)w->waiting.at[i]);
            else
                w->waiting.at[kept++] = w->waiting.at[i];
        w->waiting.len = kept;
    }
    vec_release(&todo);
}

static void take_circuit(LinesWalk *w) {
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < w->path.len; i++)
        if (w->g->left[w->path.at[i]] < least) least = w->g->left[w->path.at[i]];
    w->total += (uint64_t)least;
    for (size_t i = 0; i < w->path.len; i++) w->g->left[w->path.at[i]] -= least;
}

static bool path_used_up(const LinesWalk *w) {
    for (size_t i = 0; i < w->path.len; i++)
        if (w->g->left[w->path.at[i]] <= 0) return true;
    return false;
}

static bool usable(const LinesWalk *w, uint32_t arc) {
    uint32_t to = w->g->fn->arcs[arc].dst;
    return to >= w->start && w->g->left[arc] > 0 && on_line(w->g, to);
}

enum { CIRCUIT_DEPTH = 2000, CIRCUIT_BUDGET = 1 << 22 };

static bool circuit(LinesWalk *w, uint32_t v, unsigned depth) {
    const GcovFunction *fn = w->g->fn;
    bool found = false;
    vec_push(&w->blocked, v);
    for (uint32_t i = 0; i < fn->blocks[v].n_succ; i++) {
        uint32_t arc = fn->blocks[v].succ + i, to = fn->arcs[arc].dst;
        if (!usable(w, arc) || w->g->budget == 0) continue;
        w->g->budget--;
        vec_push(&w->path, arc);
        if (to == w->start) {
            take_circuit(w);
            found = true;
        } else if (!path_used_up(w) && blocked_at(w, to) == SIZE_MAX && depth < CIRCUIT_DEPTH)
            found |= circuit(w, to, depth + 1);
        (void)vec_pop(&w->path);
    }
    if (found) {
        unblock(w, v);
        return true;
    }
    for (uint32_t i = 0; i < fn->blocks[v].n_succ; i++) {
        uint32_t arc = fn->blocks[v].succ + i;
        if (!usable(w, arc) || blocked_at(w, fn->arcs[arc].dst) == SIZE_MAX) continue;
        uint64_t pair = (uint64_t)fn->arcs[arc].dst << 32 | v;
        bool there = false;
        for (size_t k = 0; k < w->waiting.len; k++) there |= w->waiting.at[k] == pair;
        if (!there) vec_push(&w->waiting, pair);
    }
    return false;
}

static uint64_t loops_gcov(LineGraph *g) {
    uint64_t total = 0;
    for (size_t i = 0; i < g->n; i++) {
        LinesWalk w = { .g = g, .start = g->slots[i].block };
        circuit(&w, w.start, 0);
        total += w.total;
        vec_release(&w.path);
        vec_release(&w.blocked);
        vec_release(&w.waiting);
    }
    return total;
}

/* ---- cycles, llvm-cov's way ---- */
typedef struct Cancel {
    LineGraph *g;
    bool *open;         /* per block: not yet exhausted in this round */
    uint32_t *incoming; /* per block: arc it was reached by; NONE, or ROOT */
} Cancel;
enum { NONE = UINT32_MAX, ROOT = UINT32_MAX - 1 };

/* The arc from u to a block on the way to u closes a cycle: takes its smallest count off. */
static int64_t cancel_cycle(Cancel *c, uint32_t u, uint32_t closing) {
    const GcovArc *arcs = c->g->fn->arcs;
    uint32_t head = arcs[closing].dst;
    int64_t least = c->g->left[closing];
    for (uint32_t v = u; v != head; v = arcs[c->incoming[v]].src)
        if (c->g->left[c->incoming[v]] < least) least = c->g->left[c->incoming[v]];
    c->g->left[closing] -= least;
    for (uint32_t v = u; v != head; v = arcs[c->incoming[v]].src)
        c->g->left[c->incoming[v]] -= least;
    return least;
}

typedef struct CancelLevel {
    uint32_t b, next;
} CancelLevel;

static int64_t cancel_from(Cancel *c, uint32_t src) {
    const GcovFunction *fn = c->g->fn;
    VEC(CancelLevel) stack = { 0 };
    vec_push(&stack, (CancelLevel){ src, 0 });
    c->incoming[src] = ROOT;
    int64_t taken = 0;
    while (stack.len && !taken) {
        CancelLevel *top = &vec_last(&stack);
        uint32_t u = top->b, i = top->next++;
        if (i == fn->blocks[u].n_succ) {
            c->open[u] = false;
            (void)vec_pop(&stack);
            continue;
        }
        uint32_t arc = fn->blocks[u].succ + i, to = fn->arcs[arc].dst;
        if (c->g->left[arc] <= 0 || !c->open[to] || to == u) continue;
        if (c->incoming[to] == NONE) {
            c->incoming[to] = arc;
            vec_push(&stack, (CancelLevel){ to, 0 });
        } else
            taken = cancel_cycle(c, u, arc);
    }
    vec_release(&stack);
    return taken;
}

static uint64_t loops_llvm(LineGraph *g) {
    Cancel c = { .g = g };
    c.open = mem_alloc(g->fn->n_blocks);
    c.incoming = mem_alloc(g->fn->n_blocks * sizeof(uint32_t));
    uint64_t total = 0;
    for (; g->budget; g->budget--) {
        for (size_t i = 0; i < g->n; i++) {
            c.open[g->slots[i].block] = true;
            c.incoming[g->slots[i].block] = NONE;
        }
        int64_t taken = 0;
        for (size_t i = 0; i < g->n && taken <= 0; i++)
            if (c.open[g->slots[i].block]) taken = cancel_from(&c, g->slots[i].block);
        if (taken <= 0) break;
        total += (uint64_t)taken;
    }
    mem_free(c.open);
    mem_free(c.incoming);
    return total;
}

/* ---- one line ---- */
static uint64_t entries(const LineGraph *g, bool llvm) {
    uint64_t sum = 0;
    for (size_t i = 0; i < g->n; i++) {
        uint32_t b = g->slots[i].block;
        const GcovBlock *block = &g->fn->blocks[b];
        if (llvm && b == GCOV_ENTRY) { /* its arcs in are not reliable: count its arcs out */
            for (uint32_t k = 0; k < block->n_succ; k++) sum += (uint64_t)g->arcs[block->succ + k];
            continue;
        }
        for (uint32_t k = 0; k < block->n_pred; k++) {
            uint32_t arc = g->fn->preds[block->pred + k];
            if (!on_line(g, g->fn->arcs[arc].src)) sum += (uint64_t)g->arcs[arc];
        }
    }
    return sum;
}

typedef struct Solved {
    int64_t *blocks, *arcs; /* of one function; NULL: it has no counters, all is 0 */
} Solved;

static int64_t count_line(const GcovNotes *notes, const Solved *solved, const GcovSlot *slots,
                          size_t n, int64_t *left) {
    GcovSlot *booked = mem_alloc(n * sizeof *booked);
    size_t n_booked = 0;
    uint64_t plain = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        if (slots[i].booked) booked[n_booked++] = slots[i];
        if (solved[slots[i].fn].blocks)
            plain += (uint64_t)solved[slots[i].fn].blocks[slots[i].block];
    }
    for (size_t i = 0, j; i < n_booked; i = j) {
        for (j = i + 1; j < n_booked && booked[j].fn == booked[i].fn;) j++;
        const Solved *s = &solved[booked[i].fn];
        if (!s->blocks) continue;
        const GcovFunction *fn = &notes->functions[booked[i].fn];
        LineGraph g = { fn, s->arcs, booked + i, j - i, left, CIRCUIT_BUDGET };
        count += entries(&g, notes->llvm);
        memcpy(left, s->arcs, fn->n_arcs * sizeof *left);
        count += notes->llvm ? loops_llvm(&g) : loops_gcov(&g);
    }
    mem_free(booked);
    return (int64_t)(n_booked ? count : plain);
}

void gcov_lines(const GcovNotes *notes, int64_t *const *counters, GcovLines *out) {
    Arena arena = { 0 };
    Solved *solved = ARENA_ARRAY(&arena, Solved, notes->n_functions + 1);
    uint32_t most_arcs = 0;
    for (uint32_t f = 0; f < notes->n_functions; f++) {
        const GcovFunction *fn = &notes->functions[f];
        if (fn->n_arcs > most_arcs) most_arcs = fn->n_arcs;
        if (!counters[f]) continue;
        solved[f].blocks = ARENA_ARRAY(&arena, int64_t, fn->n_blocks + 1);
        solved[f].arcs = ARENA_ARRAY(&arena, int64_t, fn->n_arcs + 1);
        gcov_flow_solve(fn, counters[f], solved[f].blocks, solved[f].arcs);
    }
    int64_t *left = ARENA_ARRAY(&arena, int64_t, most_arcs + 1);
    GcovSlots slots = { 0 };
    gcov_slots(notes, &slots);
    for (size_t i = 0, j; i < slots.len; i = j) {
        for (j = i + 1; j < slots.len && same_line(&slots.at[i], &slots.at[j]);) j++;
        GcovLine line = { slots.at[i].source, slots.at[i].line, slots.at[i].group, 0 };
        line.count = count_line(notes, solved, &slots.at[i], j - i, left);
        vec_push(out, line);
    }
    vec_release(&slots);
    arena_release(&arena);
}

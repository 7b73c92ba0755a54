/* Compiling a function: the steps of gcov_flow.h become sums over counters and earlier sums, with
 * copies resolved; each sum that a statement needs is then written out over the counters alone, as
 * two sets of them (added, subtracted). Running: one pass over the data makes a bit map of the
 * counters that are not zero, one over that map sets what they cover, one over the functions that
 * have them settles the sums. The passes take turns over stretches of counters that fit into the
 * cache; each pass prefetches what the next one will read (everything here waits for memory).
 *
 * Code of a sum, in 32-bit words: number of groups << 16 | number of entries; for each group which
 * 64 counters, those of them added (two words), those subtracted (two); for each entry word and
 * mask as in CovEntry. */
#include "coverage/coverage_program.h"
#include "coverage/gcov_flow.h"

#include <sys/mman.h>

enum { UNSET = UINT32_MAX, ZERO = 0, NO_NODE = UINT32_MAX };
/* Of one function: how many words its forms may take, how many entries its counters may have. GCC's
 * largest need a hundredth of that. */
enum { MOST_FORM_WORDS = 1 << 22, MOST_LISTED = 1 << 22 };

enum { GROUP = 5 };          /* words of a group */
enum { MOST_STMTS = 32767 }; /* of one sum: more go into another one */

typedef struct Sum {
    uint32_t first; /* its terms in Compile.terms: added ones, then subtracted ones */
    uint32_t plus, minus;
    uint32_t form; /* number of its form; UNSET: not needed */
} Sum;

typedef struct ProgramOutput {
    uint32_t value, stmt;
} ProgramOutput;

/* An entry of a counter's list while it grows. */
typedef struct ProgramNode {
    CovEntry entry;
    uint32_t next; /* NO_NODE: the last */
} ProgramNode;

/* Values are numbered: 0 is the constant zero, then the counters, then the sums in order. */
typedef struct Compile {
    const GcovFunction *fn;
    uint32_t *arc, *block; /* value of each; UNSET: not known yet, counts as zero */
    VEC(Sum) sums;
    VEC(uint32_t) terms;
    VEC(ProgramOutput) outputs; /* in the order of the statements */
    uint64_t *forms;     /* per needed sum: set of counters added, set of counters subtracted */
    uint32_t form_words; /* of one set */
    uint32_t n_forms;
    uint32_t *head, *tail; /* per counter: its list in nodes */
    VEC(ProgramNode) nodes;
} Compile;

/* ---- sums ---- */
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
    Sum sum = { .first = (uint32_t)c->terms.len, .form = UNSET };
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

static int by_stmt(const void *a, const void *b) {
    const ProgramOutput *x = a, *y = b;
    if (x->stmt != y->stmt) return x->stmt < y->stmt ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static void collect_outputs(Compile *c, const uint32_t *stmt_at, const uint32_t *stmts) {
    for (uint32_t b = 0; b < c->fn->n_blocks; b++)
        for (uint32_t i = stmt_at[b]; i < stmt_at[b + 1]; i++)
            if (c->block[b] != UNSET && c->block[b] != ZERO)
                vec_push(&c->outputs, (ProgramOutput){ c->block[b], stmts[i] });
    if (c->outputs.len) qsort(c->outputs.at, c->outputs.len, sizeof(ProgramOutput), by_stmt);
}

/* ---- sums written out over the counters: forms ---- */
static Sum *sum_of(const Compile *c, uint32_t value) {
    return value > c->fn->n_counters ? &c->sums.at[value - c->fn->n_counters - 1] : NULL;
}

static void need(Compile *c, uint32_t value) {
    Sum *sum = sum_of(c, value);
    if (sum) sum->form = 0;
}

/* Numbers the sums that statements need, directly or through other sums. */
static void number_forms(Compile *c) {
    for (size_t i = 0; i < c->outputs.len; i++) need(c, c->outputs.at[i].value);
    for (size_t s = c->sums.len; s-- > 0;) {
        const Sum *sum = &c->sums.at[s];
        for (uint32_t t = 0; sum->form != UNSET && t < sum->plus + sum->minus; t++)
            need(c, c->terms.at[sum->first + t]);
    }
    for (size_t s = 0; s < c->sums.len; s++)
        if (c->sums.at[s].form != UNSET) c->sums.at[s].form = c->n_forms++;
}

static uint64_t *form_at(const Compile *c, uint32_t form, bool minus) {
    return c->forms + (2 * (size_t)form + minus) * c->form_words;
}

/* Adds 64 counters to 64 of a form; false: a counter would count twice. */
static bool add_word(uint64_t *plus, uint64_t *minus, uint64_t p, uint64_t m) {
    if ((*plus & p) | (*minus & m)) return false;
    uint64_t new_plus = (*plus & ~m) | (p & ~*minus), new_minus = (*minus & ~p) | (m & ~*plus);
    *plus = new_plus, *minus = new_minus;
    return true;
}

static bool add_value(Compile *c, uint32_t form, uint32_t value, bool minus) {
    uint64_t *plus = form_at(c, form, minus), *less = form_at(c, form, !minus);
    const Sum *sum = sum_of(c, value);
    if (!sum) {
        uint32_t k = value - 1;
        return add_word(&plus[k / 64], &less[k / 64], 1ull << (k % 64), 0);
    }
    const uint64_t *p = form_at(c, sum->form, false), *m = form_at(c, sum->form, true);
    for (uint32_t w = 0; w < c->form_words; w++)
        if (!add_word(&plus[w], &less[w], p[w], m[w])) return false;
    return true;
}

static bool make_forms(Compile *c) {
    number_forms(c);
    c->form_words = (c->fn->n_counters + 63) / 64;
    if ((uint64_t)c->n_forms * 2 * c->form_words > MOST_FORM_WORDS ||
        c->form_words > UINT16_MAX - 1)
        return false;
    c->forms = mem_alloc(((size_t)c->n_forms * 2 * c->form_words + 1) * sizeof *c->forms);
    for (size_t s = 0; s < c->sums.len; s++) {
        const Sum *sum = &c->sums.at[s];
        for (uint32_t t = 0; sum->form != UNSET && t < sum->plus + sum->minus; t++)
            if (!add_value(c, sum->form, c->terms.at[sum->first + t], t >= sum->plus)) return false;
    }
    return true;
}

/* ---- output ---- */
static CovEntry entry_of(uint32_t stmt) {
    return (CovEntry){ stmt / 32, 1u << (stmt % 32) };
}

/* The statement becomes covered with counter k; statements come in order. */
static void list_stmt(Compile *c, uint32_t k, uint32_t stmt) {
    CovEntry e = entry_of(stmt);
    uint32_t last = c->tail[k];
    if (last != NO_NODE && c->nodes.at[last].entry.word == e.word) {
        c->nodes.at[last].entry.mask |= e.mask;
        return;
    }
    c->tail[k] = (uint32_t)c->nodes.len;
    if (last == NO_NODE)
        c->head[k] = c->tail[k];
    else
        c->nodes.at[last].next = c->tail[k];
    vec_push(&c->nodes, (ProgramNode){ e, NO_NODE });
}

static bool subtracts(const Compile *c, const Sum *sum) {
    const uint64_t *minus = form_at(c, sum->form, true);
    for (uint32_t w = 0; w < c->form_words; w++)
        if (minus[w]) return true;
    return false;
}

static uint64_t terms_of(const Compile *c, const Sum *sum) {
    const uint64_t *plus = form_at(c, sum->form, false);
    uint64_t n = 0;
    for (uint32_t w = 0; w < c->form_words; w++) n += (uint64_t)__builtin_popcountll(plus[w]);
    return n;
}

/* Every statement of a sum is listed with every one of its counters. */
static bool lists_are_short(const Compile *c) {
    uint64_t listed = 0;
    for (size_t i = 0; i < c->outputs.len && listed <= MOST_LISTED; i++) {
        const Sum *sum = sum_of(c, c->outputs.at[i].value);
        listed += sum ? terms_of(c, sum) + c->form_words : 1;
    }
    return listed <= MOST_LISTED;
}

static void list_sum(Compile *c, const Sum *sum, uint32_t stmt) {
    const uint64_t *plus = form_at(c, sum->form, false);
    for (uint32_t w = 0; w < c->form_words; w++)
        for (uint64_t left = plus[w]; left; left &= left - 1)
            list_stmt(c, 64 * w + (uint32_t)__builtin_ctzll(left), stmt);
}

static CovEntry emit_list(CovProgram *p, const Compile *c, uint32_t first) {
    if (first == NO_NODE) return (CovEntry){ 0 };
    if (c->nodes.at[first].next == NO_NODE) return c->nodes.at[first].entry;
    CovEntry list = { COV_LIST, (uint32_t)p->entries.len };
    for (uint32_t n = first; n != NO_NODE; n = c->nodes.at[n].next, list.word++)
        vec_push(&p->entries, c->nodes.at[n].entry);
    return list;
}

static void emit_group(CovProgram *p, uint32_t word, uint64_t plus, uint64_t minus) {
    uint32_t group[GROUP] = { word };
    memcpy(group + 1, &plus, sizeof plus);
    memcpy(group + 3, &minus, sizeof minus);
    for (int i = 0; i < GROUP; i++) vec_push(&p->code, group[i]);
}

/* The form's counters at their places in the image; how many groups. */
static uint32_t emit_form(CovProgram *p, const Compile *c, const Sum *sum, uint32_t counter) {
    const uint64_t *plus = form_at(c, sum->form, false), *minus = form_at(c, sum->form, true);
    uint32_t shift = counter % 64, n = 0;
    uint64_t p_over = 0, m_over = 0; /* what the shift moves into the next word */
    for (uint32_t w = 0; w <= c->form_words; w++) {
        uint64_t ps = w < c->form_words ? plus[w] : 0, ms = w < c->form_words ? minus[w] : 0;
        uint64_t p_here = ps << shift | p_over, m_here = ms << shift | m_over;
        p_over = shift ? ps >> (64 - shift) : 0;
        m_over = shift ? ms >> (64 - shift) : 0;
        if (!(p_here | m_here)) continue;
        emit_group(p, counter / 64 + w, p_here, m_here);
        n++;
    }
    return n;
}

/* The statements of some outputs; how many entries. */
static uint32_t emit_entries(CovProgram *p, const ProgramOutput *outputs, size_t n_outputs) {
    uint32_t n = 0;
    for (size_t i = 0; i < n_outputs; i++) {
        CovEntry e = entry_of(outputs[i].stmt);
        if (n && p->code.at[p->code.len - 2] == e.word)
            vec_last(&p->code) |= e.mask;
        else {
            vec_push(&p->code, e.word);
            vec_push(&p->code, e.mask);
            n++;
        }
    }
    return n;
}

static int by_value(const void *a, const void *b) {
    const ProgramOutput *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->stmt > y->stmt) - (x->stmt < y->stmt);
}

/* outputs: those of sums that subtract. */
static void emit_sums(CovProgram *p, Compile *c, uint32_t counter) {
    for (size_t i = 0, j; i < c->outputs.len; i = j) {
        uint32_t value = c->outputs.at[i].value;
        for (j = i; j < c->outputs.len && c->outputs.at[j].value == value && j - i < MOST_STMTS;)
            j++;
        size_t head = p->code.len;
        vec_push(&p->code, 0);
        uint32_t n = emit_form(p, c, sum_of(c, value), counter);
        p->code.at[head] = n << 16 | emit_entries(p, &c->outputs.at[i], j - i);
    }
}

static void emit(CovProgram *p, Compile *c, uint32_t counter) {
    size_t bytes = (c->fn->n_counters + 1) * sizeof(uint32_t), kept = 0;
    c->head = mem_alloc(bytes);
    c->tail = mem_alloc(bytes);
    memset(c->head, 255, bytes); /* NO_NODE */
    memset(c->tail, 255, bytes);
    for (size_t i = 0; i < c->outputs.len; i++) {
        ProgramOutput o = c->outputs.at[i];
        const Sum *sum = sum_of(c, o.value);
        if (!sum)
            list_stmt(c, o.value - 1, o.stmt);
        else if (subtracts(c, sum))
            c->outputs.at[kept++] = o;
        else
            list_sum(c, sum, o.stmt);
    }
    c->outputs.len = kept;
    for (uint32_t k = 0; k < c->fn->n_counters; k++)
        p->covers[counter + k] = emit_list(p, c, c->head[k]);
    if (!c->outputs.len) return;
    qsort(c->outputs.at, c->outputs.len, sizeof(ProgramOutput), by_value);
    vec_push(&p->with_sums, (CovPart){ counter, c->fn->n_counters, (uint32_t)p->code.len });
    emit_sums(p, c, counter);
}

/* clang's functions: llvm-cov takes absolute values along the way, so they are not plain sums. */
static bool takes_absolute(const GcovFunction *fn) {
    for (uint32_t s = 0; s < fn->n_steps; s++)
        if (fn->steps[s].kind >= GCOV_ARC_EXCESS_SRC) return true;
    return false;
}

static void compile_release(Compile *c) {
    mem_free(c->arc);
    mem_free(c->block);
    mem_free(c->forms);
    mem_free(c->head);
    mem_free(c->tail);
    vec_release(&c->sums);
    vec_release(&c->terms);
    vec_release(&c->outputs);
    vec_release(&c->nodes);
}

static bool compile(CovProgram *p, const GcovFunction *fn, uint32_t counter,
                    const uint32_t *stmt_at, const uint32_t *stmts) {
    Compile c = { .fn = fn };
    c.arc = mem_alloc((fn->n_arcs + 1) * sizeof *c.arc);
    c.block = mem_alloc((fn->n_blocks + 1) * sizeof *c.block);
    for (uint32_t a = 0, k = 0; a < fn->n_arcs; a++)
        c.arc[a] = fn->arcs[a].flags & GCOV_ARC_ON_TREE ? UNSET : ++k;
    for (uint32_t b = 0; b < fn->n_blocks; b++) c.block[b] = UNSET;
    for (uint32_t s = 0; s < fn->n_steps; s++) compile_step(&c, fn->steps[s]);
    collect_outputs(&c, stmt_at, stmts);
    bool ok = make_forms(&c) && lists_are_short(&c);
    if (ok) emit(p, &c, counter);
    compile_release(&c);
    return ok;
}

void covprogram_init(CovProgram *p, uint32_t words) {
    CHECK(words % 64 == 0);
    p->n_blocks = words / 64;
    p->counters = mem_alloc((p->n_blocks + 1) * sizeof *p->counters);
    p->ran = mem_alloc((p->n_blocks + 1) * sizeof *p->ran);
    p->covers = mem_alloc(((size_t)words + 1) * sizeof *p->covers);
}

bool covprogram_add(CovProgram *p, const GcovFunction *fn, uint32_t counter,
                    const uint32_t *stmt_at, const uint32_t *stmts) {
    for (uint32_t w = counter; w < counter + fn->n_counters; w++)
        p->counters[w / 64] |= 1ull << (w % 64);
    vec_push(&p->parts, (CovPart){ counter, fn->n_counters, 0 });
    bool alone = counter >= p->end; /* no counter belongs to two functions */
    if (counter + fn->n_counters > p->end) p->end = counter + fn->n_counters;
    return alone && !takes_absolute(fn) && compile(p, fn, counter, stmt_at, stmts);
}

/* Large pages, where the kernel has them: a run touches these arrays all over, and translating
 * small pages takes as long as reading them. */
static void *large_pages(size_t size) {
    enum { LARGE = 2 << 20 };
    char *at = mmap(NULL, size + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    size_t skip = (LARGE - (uintptr_t)at % LARGE) % LARGE;
    if (skip) munmap(at, skip);
    munmap(at + skip + size, LARGE - skip);
    madvise(at + skip, size, MADV_HUGEPAGE);
    return at + skip;
}

static void *move(char **to, void *from, size_t size) {
    void *at = memcpy(*to, from, size);
    mem_free(from);
    *to += size;
    return at;
}

void covprogram_finish(CovProgram *p) {
    vec_push(&p->with_sums, (CovPart){ .code = (uint32_t)p->code.len });
    size_t covers = 64 * (size_t)p->n_blocks * sizeof *p->covers,
           entries = p->entries.len * sizeof *p->entries.at,
           code = p->code.len * sizeof *p->code.at, page = 4096;
    p->large_size = (covers + entries + code + page - 1) / page * page;
    char *to = p->large = p->large_size ? large_pages(p->large_size) : NULL;
    if (to) {
        p->covers = move(&to, p->covers, covers);
        if (entries) p->entries.at = move(&to, p->entries.at, entries);
        if (code) p->code.at = move(&to, p->code.at, code);
    }
    memset(p->ran, 1, p->n_blocks * sizeof *p->ran); /* its pages exist from now on */
    memset(p->ran, 0, p->n_blocks * sizeof *p->ran);
}

/* ---- running ---- */
enum { LINE_WORDS = 16 };  /* of 32 bits, in a line of the cache */
enum { PAGE_WORDS = 512 }; /* how far ahead: the hardware prefetches up to the end of a page */

/* Which of the 64 words are nonzero counters; any: all of those or'ed together. */
static uint64_t find_set(const CovProgram *p, uint64_t block, const uint64_t *words,
                         uint64_t *any) {
    uint64_t set = 0, counters = p->counters[block];
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t eight = 0;
        __builtin_prefetch(&words[i + PAGE_WORDS]);
        for (unsigned k = 0; k < 8; k++) eight |= words[i + k];
        if (!eight) continue;
        __builtin_prefetch(&p->covers[64 * block + i]);
        uint64_t here = 0;
        for (unsigned k = 0; k < 8; k++) here |= (uint64_t)(words[i + k] != 0) << (i + k);
        set |= here & counters;
        if ((counters >> i & 255) == 255)
            *any |= eight;
        else /* some are variables of the program */
            for (uint64_t left = here & counters; left; left &= left - 1)
                *any |= words[__builtin_ctzll(left)];
    }
    return set;
}

bool covprogram_ran(const CovProgram *p, uint32_t counter, uint32_t n) {
    for (uint32_t w = counter / 64; n && w <= (counter + n - 1) / 64; w++) {
        uint64_t mask = UINT64_MAX;
        if (w == counter / 64) mask &= UINT64_MAX << (counter % 64);
        if (w == (counter + n - 1) / 64) mask &= UINT64_MAX >> (63 - (counter + n - 1) % 64);
        if (p->ran[w] & mask) return true;
    }
    return false;
}

/* No compilation counts that far: a program that smashed its memory has smashed these as well. */
enum { MOST_BITS = 40 };

static void drop_smashed(CovProgram *p, const uint64_t *image) {
    for (size_t i = 0; i < p->parts.len; i++) {
        const CovPart *part = &p->parts.at[i];
        if (!covprogram_ran(p, part->counter, part->n_counters)) continue;
        uint64_t any = 0;
        for (uint32_t k = 0; k < part->n_counters; k++) any |= image[part->counter + k];
        for (uint32_t w = part->counter; any >> MOST_BITS && w < part->counter + part->n_counters;
             w++)
            p->ran[w / 64] &= ~(1ull << (w % 64));
    }
}

static void cover(Bits *bits, uint32_t word, uint32_t mask) {
    bits->words[word / 2] |= (uint64_t)mask << (word % 2 * 32);
}

/* What the nonzero counters of blocks from .. to cover by themselves. */
static void run_counters(CovProgram *p, uint64_t from, uint64_t to, Bits *bits) {
    vec_clear(&p->todo);
    for (uint64_t b = from; b < to; b++)
        for (uint64_t left = p->ran[b]; left; left &= left - 1) {
            uint64_t w = 64 * b + (uint64_t)__builtin_ctzll(left);
            CovEntry e = p->covers[w];
            if (e.word < COV_LIST)
                cover(bits, e.word, e.mask);
            else {
                __builtin_prefetch(&p->entries.at[e.mask]);
                vec_push(&p->todo, (uint32_t)w);
            }
        }
    for (size_t i = 0; i < p->todo.len; i++) {
        CovEntry list = p->covers[p->todo.at[i]];
        const CovEntry *e = &p->entries.at[list.mask], *end = e + (list.word - COV_LIST);
        for (; e < end; e++) cover(bits, e->word, e->mask);
    }
}

static uint64_t add_up(const uint64_t *words, uint64_t which) {
    uint64_t sum = 0;
    for (; which; which &= which - 1) sum += words[__builtin_ctzll(which)];
    return sum;
}

typedef struct Group {
    uint64_t plus, minus; /* its counters that are not zero */
    uint32_t word;
} Group;

static Group read_group(const CovProgram *p, const uint32_t *code) {
    Group g = { .word = code[0] };
    memcpy(&g.plus, code + 1, sizeof g.plus);
    memcpy(&g.minus, code + 3, sizeof g.minus);
    g.plus &= p->ran[g.word];
    g.minus &= p->ran[g.word];
    return g;
}

static bool is_zero(const CovProgram *p, const uint32_t *groups, const uint32_t *end,
                    const uint64_t *image) {
    uint64_t plus = 0, minus = 0, total = 0;
    for (const uint32_t *at = groups; at < end; at += GROUP) {
        Group g = read_group(p, at);
        plus |= g.plus;
        minus |= g.minus;
    }
    if (!plus || !minus) return !plus && !minus;
    for (const uint32_t *at = groups; at < end; at += GROUP) {
        Group g = read_group(p, at);
        total += add_up(image + 64 * (size_t)g.word, g.plus);
        total -= add_up(image + 64 * (size_t)g.word, g.minus);
    }
    return total == 0;
}

static void run_part(const CovProgram *p, const CovPart *part, const uint64_t *image, Bits *bits) {
    const uint32_t *at = p->code.at + part[0].code, *end = p->code.at + part[1].code;
    while (at < end) {
        __builtin_prefetch(at + 3 * LINE_WORDS);
        const uint32_t *groups = at + 1, *entries = groups + GROUP * (at[0] >> 16);
        at = entries + 2 * (at[0] & UINT16_MAX);
        uint32_t all = is_zero(p, groups, entries, image) ? 0 : UINT32_MAX;
        for (; entries < at; entries += 2) cover(bits, entries[0], entries[1] & all);
    }
}

/* Whether one of 64 counters or fewer is not zero. */
static bool ran_small(const CovProgram *p, uint32_t counter, uint32_t n) {
    uint32_t w = counter / 64, shift = counter % 64;
    uint64_t here = p->ran[w] >> shift, over = p->ran[w + 1] << 1 << (63 - shift);
    return (here | over) << (64 - n) != 0;
}

/* The sums of the functions from `first` on whose counters lie before `end`; returns the next
 * function. */
static size_t run_sums(CovProgram *p, size_t first, uint64_t end, const uint64_t *image,
                       Bits *bits) {
    vec_clear(&p->todo);
    for (; first + 1 < p->with_sums.len; first++) {
        const CovPart *part = &p->with_sums.at[first];
        if (part->counter + part->n_counters > end) break;
        if (part->n_counters <= 64 ? !ran_small(p, part->counter, part->n_counters)
                                   : !covprogram_ran(p, part->counter, part->n_counters))
            continue;
        for (int line = 0; line < 3; line++)
            __builtin_prefetch(&p->code.at[part->code] + line * LINE_WORDS);
        vec_push(&p->todo, (uint32_t)first);
    }
    for (size_t i = 0; i < p->todo.len; i++)
        run_part(p, &p->with_sums.at[p->todo.at[i]], image, bits);
    return first;
}

/* Takes all counters as nonzero, so that everything they cover is set: for a run that smashed its
 * memory. */
static void run_smashed(CovProgram *p, const uint64_t *image, Bits *bits) {
    drop_smashed(p, image);
    bits_clear(bits);
    run_counters(p, 0, p->n_blocks, bits);
    run_sums(p, 0, UINT64_MAX, image, bits);
}

enum { STRETCH = 256 }; /* blocks whose counters, with what belongs to them, fit into a cache */

void covprogram_run(CovProgram *p, const int64_t *signed_image, const CovExtent *extents,
                    size_t n_extents, Bits *bits) {
    const uint64_t *image = (const uint64_t *)signed_image;
    uint64_t any = 0;
    size_t part = 0;
    memset(p->ran, 0, p->n_blocks * sizeof *p->ran);
    for (size_t e = 0; e < n_extents; e++) {
        uint64_t from = extents[e].from / 64, end = (extents[e].to + 63) / 64;
        for (uint64_t to; from < end; from = to) {
            to = from + STRETCH < end ? from + STRETCH : end;
            for (uint64_t b = from; b < to; b++)
                if (p->counters[b]) p->ran[b] = find_set(p, b, image + 64 * b, &any);
            run_counters(p, from, to, bits);
            part = run_sums(p, part, 64 * to, image, bits);
        }
    }
    run_sums(p, part, UINT64_MAX, image, bits);
    if (any >> MOST_BITS) run_smashed(p, image, bits);
}

void covprogram_release(CovProgram *p) {
    mem_free(p->counters);
    mem_free(p->ran);
    if (p->large) {
        munmap(p->large, p->large_size);
        p->covers = NULL;
        if (p->entries.len) p->entries.at = NULL;
        if (p->code.len) p->code.at = NULL;
    }
    mem_free(p->covers);
    vec_release(&p->entries);
    vec_release(&p->parts);
    vec_release(&p->with_sums);
    vec_release(&p->code);
    vec_release(&p->todo);
    *p = (CovProgram){ 0 };
}

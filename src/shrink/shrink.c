/* The minimisers that only take elements away: ddmin, cdd and the 1-minimal pass; see shrink.h.
 *
 * All three keep the list of indices still there, cut it into blocks, and propose in one Round what
 * the textbook proposes in one loop; after a success the next Round starts after the place of that
 * success, so nothing is tested twice in a sweep. */
#include "shrink/shrink.h"
#include <math.h>

/* Probability that a single element is needed, before anything is known (ProbDD's and CDD's value).
 */
#define CDD_START 0.1
/* A list of more than this many first-size blocks starts with larger blocks, at most this many. */
#define CDD_BLOCKS 32

/* The list as it is now, cut into blocks: element k of block i is list[bounds(i) + k]. */
typedef struct Blocks {
    size_t *list;        /* indices that are kept */
    size_t len;          /* how many */
    size_t count;        /* blocks */
    size_t size;         /* of each block but the last; 0: cut evenly into count */
    size_t from;         /* first block of this round */
    const uint8_t *keep; /* the whole subset */
    bool subsets;        /* ddmin: the subsets themselves come before the complements */
    bool back;           /* cdd: blocks count from the last one */
} Blocks;

static size_t block_start(const Blocks *b, size_t i) {
    size_t at = b->size ? i * b->size : b->len * i / b->count;
    return at < b->len ? at : b->len;
}

static void make_without(const Blocks *b, size_t block, size_t n, uint8_t *keep) {
    memcpy(keep, b->keep, n);
    size_t end = block_start(b, block + 1);
    for (size_t k = block_start(b, block); k < end; k++) keep[b->list[k]] = 0;
}

static void make_only(const Blocks *b, size_t block, size_t n, uint8_t *keep) {
    memset(keep, 0, n);
    size_t end = block_start(b, block + 1);
    for (size_t k = block_start(b, block); k < end; k++) keep[b->list[k]] = 1;
}

static ShrinkVerdict make_block(const ShrinkRound *round, size_t i, uint8_t *keep) {
    const Blocks *b = round->state;
    if (b->subsets && i < b->count) {
        make_only(b, i, round->n, keep);
        return SHRINK_FAILS;
    }
    size_t block = b->from + (b->subsets ? i - b->count : i);
    make_without(b, b->back ? b->count - 1 - block : block, round->n, keep);
    return SHRINK_FAILS;
}

static size_t ask(const ShrinkTest *test, const Blocks *b, size_t n, size_t count) {
    ShrinkRound round = { .count = count, .n = n, .make = make_block, .state = b };
    return test->first(test->user, &round);
}

static void relist(Blocks *b, const uint8_t *keep, size_t n) {
    b->keep = keep;
    b->len = 0;
    for (size_t i = 0; i < n; i++)
        if (keep[i]) b->list[b->len++] = i;
}

static size_t min_size(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t max_size(size_t a, size_t b) {
    return a > b ? a : b;
}

size_t shrink_ddmin(const ShrinkTest *test, uint8_t *keep, size_t n) {
    Blocks b = { .list = mem_alloc(sizeof(size_t) * (n + 1)) };
    relist(&b, keep, n);
    size_t parts = 2;
    while (b.len >= 1) {
        b.count = parts = min_size(parts, b.len);
        /* With two parts (or one) each subset is the complement of the other. */
        b.subsets = parts > 2;
        size_t hit = ask(test, &b, n, b.subsets ? 2 * parts : parts);
        if (hit == SHRINK_STOP) break;
        if (hit == SHRINK_NONE) {
            if (parts >= b.len) break;
            parts = min_size(2 * parts, b.len);
            continue;
        }
        bool subset = b.subsets && hit < parts;
        if (subset)
            make_only(&b, hit, n, keep);
        else
            make_without(&b, b.subsets ? hit - parts : hit, n, keep);
        parts = subset ? 2 : max_size(parts - 1, 2);
        relist(&b, keep, n);
    }
    mem_free(b.list);
    return b.len;
}

/* One sweep over blocks of one size, the last block first (what comes later uses what came before):
 * every block is tried once. False: stop. */
static bool sweep(const ShrinkTest *test, Blocks *b, uint8_t *keep, size_t n, size_t size,
                  bool *changed) {
    b->size = size;
    b->from = 0;
    b->subsets = false;
    b->back = true;
    b->count = (b->len + size - 1) / size;
    while (b->from < b->count) {
        size_t hit = ask(test, b, n, b->count - b->from);
        if (hit == SHRINK_STOP) return false;
        if (hit == SHRINK_NONE) return true;
        make_without(b, b->count - 1 - (b->from + hit), n, keep);
        b->from += hit;
        relist(b, keep, n);
        b->count--;
        *changed = true;
    }
    return true;
}

/* The block size with the best expected gain when an element is needed with probability p. */
static size_t cdd_size(double p) {
    if (p >= 0.63) return 1;
    double size = round(-1.0 / log1p(-p));
    return size < 1 ? 1 : (size_t)size;
}

size_t shrink_cdd(const ShrinkTest *test, uint8_t *keep, size_t n) {
    Blocks b = { .list = mem_alloc(sizeof(size_t) * (n + 1)) };
    relist(&b, keep, n);
    double p = CDD_START;
    while (p > 1e-9 && cdd_size(p) * CDD_BLOCKS < b.len) p *= 1 - exp(-1);
    while (b.len > 0) {
        size_t size = min_size(cdd_size(p), b.len);
        bool changed = false;
        if (!sweep(test, &b, keep, n, size, &changed) || size == 1) break;
        p /= 1 - exp(-1);
    }
    mem_free(b.list);
    return b.len;
}

/* Round of single removals, last element first; from counts elements already tried at the end. */
static ShrinkVerdict make_single(const ShrinkRound *round, size_t i, uint8_t *keep) {
    const Blocks *b = round->state;
    memcpy(keep, b->keep, round->n);
    keep[b->list[b->len - 1 - (b->from + i)]] = 0;
    return SHRINK_FAILS;
}

size_t shrink_minimal(const ShrinkTest *test, uint8_t *keep, size_t n) {
    Blocks b = { .list = mem_alloc(sizeof(size_t) * (n + 1)) };
    relist(&b, keep, n);
    /* quiet: removals that failed since the last success; all of them failing is the end. */
    size_t quiet = 0;
    while (quiet < b.len) {
        ShrinkRound round = { .count = min_size(b.len - b.from, b.len - quiet),
                              .n = n,
                              .make = make_single,
                              .state = &b };
        size_t hit = test->first(test->user, &round);
        if (hit == SHRINK_STOP) break;
        if (hit == SHRINK_NONE) {
            quiet += round.count;
            b.from = 0;
            continue;
        }
        size_t element = b.list[b.len - 1 - (b.from + hit)];
        keep[element] = 0;
        b.from += hit;
        relist(&b, keep, n);
        if (b.from >= b.len) b.from = 0;
        quiet = 0;
    }
    mem_free(b.list);
    return b.len;
}

size_t shrink_fast(const ShrinkTest *test, uint8_t *keep, size_t n) {
    shrink_cdd(test, keep, n);
    return shrink_minimal(test, keep, n);
}

const ShrinkMethod shrink_methods[] = {
    { "fast", shrink_fast }, { "ddmin", shrink_ddmin },
    { "cdd", shrink_cdd },   { "minimal", shrink_minimal },
    { NULL, NULL },
};

static size_t first_one_by_one(void *user, const ShrinkRound *round) {
    ShrinkPlain *plain = user;
    uint8_t *keep = mem_alloc(round->n + 1);
    size_t hit = SHRINK_NONE;
    for (size_t i = 0; i < round->count && hit == SHRINK_NONE; i++) {
        ShrinkVerdict want = round->make(round, i, keep);
        plain->tests++;
        if (plain->test(plain->user, keep, round->n) == want) hit = i;
    }
    mem_free(keep);
    return hit;
}

ShrinkTest shrink_one_by_one(ShrinkPlain *plain) {
    return (ShrinkTest){ .first = first_one_by_one, .user = plain };
}

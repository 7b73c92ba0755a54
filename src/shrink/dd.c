/* Zeller's dd: a failing and a passing subset move towards each other until what lies between them
 * cannot be split any further. Unlike ddmin it uses both verdicts: a passing result is progress
 * too.
 *
 * With delta = fail - pass in `parts` parts d_i, in this order:
 *     pass + d_i fails   ->  it is the new failing side, two parts
 *     fail - d_i passes  ->  it is the new passing side, two parts
 *     pass + d_i passes  ->  it is the new passing side, one part less
 *     fail - d_i fails   ->  it is the new failing side, one part less
 *     otherwise twice as many parts, until each is a single element. */
#include "shrink/shrink.h"

enum { GROW_FAILS, CUT_PASSES, GROW_PASSES, CUT_FAILS, KINDS };

typedef struct Delta {
    size_t *list;               /* elements in fail and not in pass */
    size_t len, parts;          /* their number; into how many parts they are cut */
    const uint8_t *pass, *fail; /* both ends */
} Delta;

static void make(const Delta *d, size_t kind, size_t part, size_t n, uint8_t *keep) {
    bool grow = kind == GROW_FAILS || kind == GROW_PASSES;
    memcpy(keep, grow ? d->pass : d->fail, n);
    size_t end = d->len * (part + 1) / d->parts;
    for (size_t k = d->len * part / d->parts; k < end; k++) keep[d->list[k]] = grow;
}

static ShrinkVerdict make_candidate(const ShrinkRound *round, size_t i, uint8_t *keep) {
    const Delta *d = round->state;
    size_t kind = i / d->parts;
    make(d, kind, i % d->parts, round->n, keep);
    return kind == GROW_FAILS || kind == CUT_FAILS ? SHRINK_FAILS : SHRINK_PASSES;
}

static void relist(Delta *d, size_t n) {
    d->len = 0;
    for (size_t i = 0; i < n; i++)
        if (d->fail[i] && !d->pass[i]) d->list[d->len++] = i;
}

static size_t fewer(size_t parts) {
    return parts > 3 ? parts - 1 : 2;
}

size_t shrink_dd(const ShrinkTest *test, uint8_t *pass, uint8_t *fail, size_t n) {
    Delta d = { .list = mem_alloc(sizeof(size_t) * (n + 1)), .pass = pass, .fail = fail };
    relist(&d, n);
    size_t parts = 2;
    while (d.len > 1) {
        d.parts = parts = parts < d.len ? parts : d.len;
        ShrinkRound round = { .count = KINDS * parts, .n = n, .make = make_candidate, .state = &d };
        size_t hit = test->first(test->user, &round);
        if (hit == SHRINK_STOP) break;
        if (hit == SHRINK_NONE) {
            if (parts >= d.len) break;
            parts *= 2;
            continue;
        }
        size_t kind = hit / parts;
        bool to_fail = kind == GROW_FAILS || kind == CUT_FAILS;
        uint8_t *now = mem_alloc(n + 1);
        make(&d, kind, hit % parts, n, now);
        memcpy(to_fail ? fail : pass, now, n);
        mem_free(now);
        parts = kind == GROW_FAILS || kind == CUT_PASSES ? 2 : fewer(parts);
        relist(&d, n);
    }
    mem_free(d.list);
    return d.len;
}

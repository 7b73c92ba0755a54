/* Myers' difference in linear space: find the middle of a shortest edit path by searching from both
 * ends at once, then do the same for the two halves (An O(ND) difference algorithm and its
 * variations, 1986). The halves wait on a stack of our own, so depth costs no machine stack. */
#include "shrink/diff.h"

/* Steps of one search from each end before the best place so far is taken as the middle: bounds the
 * work on long sequences that have little in common. */
#define DIFF_BOUND 2000

typedef struct Box {
    int64_t a0, a1, b0, b1; /* a[a0..a1) against b[b0..b1) */
} Box;

typedef struct DiffSearch {
    const uint32_t *a, *b; /* the sequences */
    int64_t *fore, *back;  /* furthest a-index on each diagonal, from the start and from the end */
    uint8_t *gone, *come;  /* marks: a's elements that are deleted, b's that are inserted */
} DiffSearch;

typedef struct DiffPoint {
    int64_t a, b;
} DiffPoint;

/* The furthest point of a search cut short: the one that got most of the way. */
static DiffPoint give_up(const DiffSearch *s, Box x, int64_t lo, int64_t hi, bool forward) {
    DiffPoint best = forward ? (DiffPoint){ x.a0, x.b0 } : (DiffPoint){ x.a1, x.b1 };
    for (int64_t d = lo; d <= hi; d += 2) {
        int64_t a = forward ? s->fore[d] : s->back[d];
        if (a > x.a1) a = x.a1;
        if (a < x.a0) a = x.a0;
        int64_t b = a - d;
        if (b > x.b1) b = x.b1, a = b + d;
        if (b < x.b0) b = x.b0, a = b + d;
        if (a < x.a0 || a > x.a1) continue;
        if (forward ? a + b > best.a + best.b : a + b < best.a + best.b) best = (DiffPoint){ a, b };
    }
    return best;
}

static bool step_forward(DiffSearch *s, Box x, int64_t lo, int64_t hi, int64_t blo, int64_t bhi,
                         bool odd, DiffPoint *out) {
    for (int64_t d = hi; d >= lo; d -= 2) {
        int64_t a = s->fore[d - 1] >= s->fore[d + 1] ? s->fore[d - 1] + 1 : s->fore[d + 1];
        int64_t b = a - d;
        while (a < x.a1 && b < x.b1 && s->a[a] == s->b[b]) a++, b++;
        s->fore[d] = a;
        if (odd && d >= blo && d <= bhi && s->back[d] <= a) {
            *out = (DiffPoint){ a, b };
            return true;
        }
    }
    return false;
}

static bool step_backward(DiffSearch *s, Box x, int64_t lo, int64_t hi, int64_t flo, int64_t fhi,
                          bool odd, DiffPoint *out) {
    for (int64_t d = hi; d >= lo; d -= 2) {
        int64_t a = s->back[d - 1] < s->back[d + 1] ? s->back[d - 1] : s->back[d + 1] - 1;
        int64_t b = a - d;
        while (a > x.a0 && b > x.b0 && s->a[a - 1] == s->b[b - 1]) a--, b--;
        s->back[d] = a;
        if (!odd && d >= flo && d <= fhi && a <= s->fore[d]) {
            *out = (DiffPoint){ a, b };
            return true;
        }
    }
    return false;
}

/* A point on a short edit path through the box, neither of its two ends. Both sides differ at both
 * ends of the box, so the path has at least two edits. */
static DiffPoint middle(DiffSearch *s, Box x) {
    int64_t dmin = x.a0 - x.b1, dmax = x.a1 - x.b0;
    int64_t fmid = x.a0 - x.b0, bmid = x.a1 - x.b1;
    bool odd = (fmid - bmid) & 1;
    int64_t flo = fmid, fhi = fmid, blo = bmid, bhi = bmid;
    s->fore[fmid] = x.a0;
    s->back[bmid] = x.a1;
    for (int64_t cost = 1;; cost++) {
        DiffPoint p;
        if (flo > dmin)
            s->fore[--flo - 1] = -1;
        else
            ++flo;
        if (fhi < dmax)
            s->fore[++fhi + 1] = -1;
        else
            --fhi;
        if (step_forward(s, x, flo, fhi, blo, bhi, odd, &p)) return p;
        if (blo > dmin)
            s->back[--blo - 1] = INT64_MAX;
        else
            ++blo;
        if (bhi < dmax)
            s->back[++bhi + 1] = INT64_MAX;
        else
            --bhi;
        if (step_backward(s, x, blo, bhi, flo, fhi, odd, &p)) return p;
        if (cost < DIFF_BOUND) continue;
        DiffPoint f = give_up(s, x, flo, fhi, true), b = give_up(s, x, blo, bhi, false);
        return f.a + f.b - x.a0 - x.b0 >= x.a1 + x.b1 - b.a - b.b ? f : b;
    }
}

static void search(DiffSearch *s, Box whole) {
    VEC(Box) todo = { 0 };
    vec_push(&todo, whole);
    while (todo.len) {
        Box x = vec_pop(&todo);
        while (x.a0 < x.a1 && x.b0 < x.b1 && s->a[x.a0] == s->b[x.b0]) x.a0++, x.b0++;
        while (x.a0 < x.a1 && x.b0 < x.b1 && s->a[x.a1 - 1] == s->b[x.b1 - 1]) x.a1--, x.b1--;
        if (x.a0 == x.a1 || x.b0 == x.b1) {
            memset(s->gone + x.a0, 1, (size_t)(x.a1 - x.a0));
            memset(s->come + x.b0, 1, (size_t)(x.b1 - x.b0));
            continue;
        }
        DiffPoint p = middle(s, x);
        vec_push(&todo, ((Box){ p.a, x.a1, p.b, x.b1 }));
        vec_push(&todo, ((Box){ x.a0, p.a, x.b0, p.b }));
    }
    vec_release(&todo);
}

static void collect(const DiffSearch *s, size_t a_len, size_t b_len, DiffHunks *out) {
    size_t a = 0, b = 0;
    while (a < a_len || b < b_len) {
        DiffHunk h = { a, 0, b, 0 };
        while (a < a_len && s->gone[a]) a++, h.a_len++;
        while (b < b_len && s->come[b]) b++, h.b_len++;
        if (h.a_len || h.b_len)
            vec_push(out, h);
        else
            a++, b++;
    }
}

void diff_seqs(DiffSeq a, DiffSeq b, DiffHunks *out) {
    size_t span = a.len + b.len + 4;
    int64_t *both = mem_alloc(2 * span * sizeof *both);
    uint8_t *marks = mem_alloc(a.len + b.len + 2);
    DiffSearch s = { .a = a.at,
                     .b = b.at,
                     .fore = both + b.len + 2,
                     .back = both + span + b.len + 2,
                     .gone = marks,
                     .come = marks + a.len + 1 };
    search(&s, (Box){ 0, (int64_t)a.len, 0, (int64_t)b.len });
    collect(&s, a.len, b.len, out);
    mem_free(both);
    mem_free(marks);
}

size_t diff_size(const DiffHunks *hunks) {
    size_t size = 0;
    for (size_t i = 0; i < hunks->len; i++) size += hunks->at[i].a_len + hunks->at[i].b_len;
    return size;
}

uint32_t diff_number(DiffTable *table, Str element) {
    uint64_t *at = map_at(&table->numbers, element);
    if (*at == 0) *at = table->numbers.len;
    return (uint32_t)(*at - 1);
}

void diff_table_release(DiffTable *table) {
    map_release(&table->numbers);
}

void diff_split_lines(Str text, StrVec *lines) {
    size_t from = 0;
    while (from < text.len) {
        const char *nl = memchr(text.at + from, '\n', text.len - from);
        size_t to = nl ? (size_t)(nl - text.at) + 1 : text.len;
        vec_push(lines, str_sub(text, from, to));
        from = to;
    }
}

void diff_lines(Str a, Str b, DiffHunks *out, StrVec *lines_a, StrVec *lines_b) {
    StrVec own_a = { 0 }, own_b = { 0 };
    DiffTable table = { 0 };
    VEC(uint32_t) na = { 0 }, nb = { 0 };
    diff_split_lines(a, &own_a);
    diff_split_lines(b, &own_b);
    for (size_t i = 0; i < own_a.len; i++) vec_push(&na, diff_number(&table, own_a.at[i]));
    for (size_t i = 0; i < own_b.len; i++) vec_push(&nb, diff_number(&table, own_b.at[i]));
    diff_seqs((DiffSeq){ na.at, na.len }, (DiffSeq){ nb.at, nb.len }, out);
    for (size_t i = 0; lines_a && i < own_a.len; i++) vec_push(lines_a, own_a.at[i]);
    for (size_t i = 0; lines_b && i < own_b.len; i++) vec_push(lines_b, own_b.at[i]);
    vec_release(&na);
    vec_release(&nb);
    vec_release(&own_a);
    vec_release(&own_b);
    diff_table_release(&table);
}

void diff_patch(const StrVec *a, const StrVec *b, const DiffHunks *hunks, const uint8_t *use,
                Buf *out) {
    size_t at = 0;
    for (size_t h = 0; h < hunks->len; h++) {
        const DiffHunk *hunk = &hunks->at[h];
        if (use && !use[h]) continue;
        while (at < hunk->a) buf_str(out, a->at[at++]);
        at = hunk->a + hunk->a_len;
        for (size_t k = 0; k < hunk->b_len; k++) buf_str(out, b->at[hunk->b + k]);
    }
    while (at < a->len) buf_str(out, a->at[at++]);
}

void diff_split(const DiffHunks *hunks, DiffHunks *out) {
    for (size_t h = 0; h < hunks->len; h++) {
        const DiffHunk *hunk = &hunks->at[h];
        for (size_t k = 0; k < hunk->a_len; k++)
            vec_push(out, ((DiffHunk){ hunk->a + k, 1, hunk->b, 0 }));
        for (size_t k = 0; k < hunk->b_len; k++)
            vec_push(out, ((DiffHunk){ hunk->a + hunk->a_len, 0, hunk->b + k, 1 }));
    }
}

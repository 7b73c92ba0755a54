/* Hunks of bad -> good that never reach from one function into another.
 *
 * The shortest difference of two files that were rewritten pairs the closing brace of one function
 * with that of another, and a hunk between them belongs to neither: reverting it leaves half a
 * function behind. So functions are aligned first, by name, in the order that most of them share
 * (the longest increasing subsequence), then those of one gap that are much alike under two names.
 * Lines are compared within such a pair; between pairs only with lines outside of functions. A
 * function that one version lacks comes or goes as a whole. */
#include "change/change.h"
#include "change/change_knobs.h"
#include "change/ctext.h"
#include "change/declare.h"

typedef struct AnchorFunction {
    size_t from, to; /* lines */
    Str name;        /* empty: not found */
    size_t nth;      /* how many of this name come before it */
    size_t partner;  /* in the other version; NO_PARTNER */
} AnchorFunction;
typedef VEC(AnchorFunction) AnchorFunctions;

#define NO_PARTNER ((size_t)-1)

/* A stretch of both files whose lines are compared with each other. */
typedef struct AnchorGap {
    size_t a, a_end, b, b_end;
    size_t fa, fa_end, fb, fb_end; /* functions within, none of them paired */
} AnchorGap;

typedef struct Anchors {
    const ChangeFile *file;
    const StrVec *bad_lines, *good_lines;
    AnchorFunctions bad, good;
    DiffTable table;
    uint32_t unlike; /* counts down: numbers that equal no other */
    DiffHunks *out;
} Anchors;

/* ---- functions ---- */

static Str lines_text(const StrVec *lines, size_t from, size_t to) {
    if (from == to) return (Str){ "", 0 };
    Str first = lines->at[from], last = lines->at[to - 1];
    return (Str){ first.at, (size_t)(last.at + last.len - first.at) };
}

/* The word before the first parenthesis. */
static Str name_of(Str text) {
    CScan scan = cscan_start(text, false);
    CToken before = { 0 };
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END && !str_is(t.text, "{"); before = t)
        if (before.kind == CTOKEN_WORD && str_is(t.text, "(")) return before.text;
    return (Str){ "", 0 };
}

static void read_functions(const StrVec *lines, AnchorFunctions *out) {
    PieceVec pieces = { 0 };
    Map seen = { 0 };
    declare_pieces(lines, &pieces);
    for (size_t i = 0; i < pieces.len; i++) {
        const DeclPiece *p = &pieces.at[i];
        if (p->kind != PIECE_FUNCTION || (out->len && p->from < vec_last(out).to)) continue;
        Str name = name_of(lines_text(lines, p->from, p->to));
        size_t nth = name.len ? (*map_at(&seen, name))++ : 0;
        vec_push(out, ((AnchorFunction){ p->from, p->to, name, nth, NO_PARTNER }));
    }
    map_release(&seen);
    vec_release(&pieces);
}

/* ---- pairs ---- */

/* candidate[i]: the function of good that has the name of function i of bad; NO_PARTNER. */
static void find_names(const Anchors *w, size_t *candidate) {
    Map places = { 0 };
    Arena scratch = { 0 };
    for (size_t j = 0; j < w->good.len; j++) {
        const AnchorFunction *f = &w->good.at[j];
        char *key = arena_fmt(&scratch, "%zu:" STR_FMT, f->nth, STR_ARG(f->name));
        map_put(&places, str_from(key), j);
    }
    for (size_t i = 0; i < w->bad.len; i++) {
        const AnchorFunction *f = &w->bad.at[i];
        char *key = arena_fmt(&scratch, "%zu:" STR_FMT, f->nth, STR_ARG(f->name));
        uint64_t at;
        candidate[i] = f->name.len && map_get(&places, str_from(key), &at) ? at : NO_PARTNER;
    }
    map_release(&places);
    arena_release(&scratch);
}

/* The longest increasing subsequence of the candidates become pairs. */
static void pair_by_name(Anchors *w) {
    size_t n = w->bad.len, len = 0;
    Arena scratch = { 0 };
    size_t *candidate = ARENA_ARRAY(&scratch, size_t, n + 1);
    size_t *tail = ARENA_ARRAY(&scratch, size_t, n + 1); /* the end of a subsequence per length */
    size_t *before = ARENA_ARRAY(&scratch, size_t, n + 1);
    find_names(w, candidate);
    for (size_t i = 0; i < n; i++) {
        if (candidate[i] == NO_PARTNER) continue;
        size_t lo = 0, hi = len;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (candidate[tail[mid]] < candidate[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        before[i] = lo ? tail[lo - 1] : NO_PARTNER;
        tail[lo] = i;
        if (lo == len) len++;
    }
    for (size_t i = len ? tail[len - 1] : NO_PARTNER; i != NO_PARTNER; i = before[i]) {
        w->bad.at[i].partner = candidate[i];
        w->good.at[candidate[i]].partner = i;
    }
    arena_release(&scratch);
}

/* Functions of one gap that are alike, in order: the same function under another name. */
static void pair_by_likeness(Anchors *w, size_t fa, size_t fa_end, size_t fb, size_t fb_end) {
    if ((fa_end - fa) * (fb_end - fb) > ANCHOR_MOST) return;
    for (size_t i = fa; i < fa_end; i++)
        for (size_t j = fb; j < fb_end; j++) {
            AnchorFunction *x = &w->bad.at[i], *y = &w->good.at[j];
            double like = ctext_likeness(lines_text(w->bad_lines, x->from, x->to),
                                         lines_text(w->good_lines, y->from, y->to));
            if (like < SPLIT_LIKENESS) continue;
            x->partner = j;
            y->partner = i;
            fb = j + 1;
            break;
        }
}

static void pair_functions(Anchors *w) {
    pair_by_name(w);
    size_t fa = 0, fb = 0;
    for (size_t i = 0; i <= w->bad.len; i++) {
        size_t j = i < w->bad.len ? w->bad.at[i].partner : w->good.len;
        if (j == NO_PARTNER) continue;
        pair_by_likeness(w, fa, i, fb, j);
        fa = i + 1, fb = j + 1;
    }
}

/* ---- hunks ---- */

/* Numbers of lines; those of functions that have no partner equal no other. */
static void number_lines(Anchors *w, const StrVec *lines, size_t from, size_t to,
                         const AnchorFunctions *all, size_t alone, size_t end, uint32_t *out) {
    for (size_t l = from; l < to; l++) {
        while (alone < end && all->at[alone].to <= l) alone++;
        bool within = alone < end && l >= all->at[alone].from;
        *out++ = within ? w->unlike-- : diff_number(&w->table, lines->at[l]);
    }
}

static void push(Anchors *w, size_t a, size_t a_end, size_t b, size_t b_end) {
    if (a < a_end || b < b_end) vec_push(w->out, ((DiffHunk){ a, a_end - a, b, b_end - b }));
}

/* Where the first function begins in lines [from, to); to: there is none. */
static size_t first_function(const AnchorFunction *f, size_t n, size_t from, size_t to) {
    for (size_t i = 0; i < n && f[i].from < to; i++)
        if (f[i].from >= from) return f[i].from;
    return to;
}

/* The end of what begins at from: a function, or the lines before the next one. */
static size_t chunk_end(const AnchorFunction *f, size_t n, size_t from, size_t to) {
    for (size_t i = 0; i < n; i++)
        if (f[i].from == from) return f[i].to;
    return first_function(f, n, from, to);
}

/* One hunk of a gap: what stands before the first functions is one change, then each function goes
 * or comes alone. */
static void split_hunk(Anchors *w, const AnchorGap *g, DiffHunk h) {
    const AnchorFunction *bad = w->bad.len ? w->bad.at + g->fa : NULL;
    const AnchorFunction *good = w->good.len ? w->good.at + g->fb : NULL;
    size_t n_bad = g->fa_end - g->fa, n_good = g->fb_end - g->fb;
    size_t a_end = h.a + h.a_len, b_end = h.b + h.b_len;
    size_t a = first_function(bad, n_bad, h.a, a_end);
    size_t b = first_function(good, n_good, h.b, b_end);
    push(w, h.a, a, h.b, b);
    for (size_t next; a < a_end; a = next) {
        next = chunk_end(bad, n_bad, a, a_end);
        push(w, a, next, b, b);
    }
    for (size_t next; b < b_end; b = next) {
        next = chunk_end(good, n_good, b, b_end);
        push(w, a_end, a_end, b, next);
    }
}

/* What came or went as a whole can often stand at several places that differ in nothing but where
 * its first lines are counted: those of the comment before it or of the one behind. Within a
 * comment it would close one that another change opens, so it moves up to where it begins outside.
 */
static void slide_out(const ChangeFile *file, DiffHunk *hunk, size_t least_a, size_t least_b) {
    bool came = hunk->a_len > 0;
    if (came == (hunk->b_len > 0)) return;
    const StrVec *lines = came ? &file->bad_lines : &file->good_lines;
    const uint8_t *inside = came ? file->bad_inside : file->good_inside;
    size_t at = came ? hunk->a : hunk->b, len = came ? hunk->a_len : hunk->b_len, up = 0;
    while (inside[at - up] && hunk->a - up > least_a && hunk->b - up > least_b &&
           str_eq(lines->at[at - up - 1], lines->at[at - up + len - 1]))
        up++;
    if (inside[at - up]) return;
    hunk->a -= up;
    hunk->b -= up;
}

static void compare(Anchors *w, const AnchorGap *g) {
    size_t n = g->a_end - g->a, m = g->b_end - g->b;
    uint32_t *a = mem_alloc((n + 1) * sizeof *a), *b = mem_alloc((m + 1) * sizeof *b);
    DiffHunks hunks = { 0 };
    number_lines(w, w->bad_lines, g->a, g->a_end, &w->bad, g->fa, g->fa_end, a);
    number_lines(w, w->good_lines, g->b, g->b_end, &w->good, g->fb, g->fb_end, b);
    diff_seqs((DiffSeq){ a, n }, (DiffSeq){ b, m }, &hunks);
    for (size_t i = 0, a_end = g->a, b_end = g->b; i < hunks.len; i++) {
        DiffHunk h = hunks.at[i];
        h.a += g->a, h.b += g->b;
        if (w->file->is_c) slide_out(w->file, &h, a_end, b_end);
        a_end = h.a + h.a_len, b_end = h.b + h.b_len;
        split_hunk(w, g, h);
    }
    vec_release(&hunks);
    mem_free(a);
    mem_free(b);
}

/* Gaps and pairs in turn. */
static void walk(Anchors *w) {
    AnchorGap gap = { 0 };
    for (size_t i = 0; i < w->bad.len; i++) {
        const AnchorFunction *x = &w->bad.at[i];
        if (x->partner == NO_PARTNER) continue;
        const AnchorFunction *y = &w->good.at[x->partner];
        gap.a_end = x->from, gap.b_end = y->from;
        gap.fa_end = i, gap.fb_end = x->partner;
        compare(w, &gap);
        AnchorGap pair = { x->from, x->to, y->from, y->to, 0, 0, 0, 0 };
        compare(w, &pair);
        gap = (AnchorGap){ .a = x->to, .b = y->to, .fa = i + 1, .fb = x->partner + 1 };
    }
    gap.a_end = w->bad_lines->len, gap.b_end = w->good_lines->len;
    gap.fa_end = w->bad.len, gap.fb_end = w->good.len;
    compare(w, &gap);
}

/* Where much else was moved past functions, or what looks like functions is none, the shortest
 * difference says more. */
static void prefer_short(const ChangeFile *file, DiffHunks *out) {
    DiffHunks plain = { 0 };
    diff_lines(file->bad, file->good, &plain, NULL, NULL);
    if ((double)diff_size(out) > ANCHOR_WORTH * (double)diff_size(&plain)) {
        vec_clear(out);
        for (size_t i = 0; i < plain.len; i++) vec_push(out, plain.at[i]);
    }
    vec_release(&plain);
}

void change_hunks(const ChangeFile *file, DiffHunks *out) {
    Anchors w = { .file = file,
                  .bad_lines = &file->bad_lines,
                  .good_lines = &file->good_lines,
                  .unlike = UINT32_MAX,
                  .out = out };
    read_functions(w.bad_lines, &w.bad);
    read_functions(w.good_lines, &w.good);
    pair_functions(&w);
    walk(&w);
    prefer_short(file, out);
    diff_table_release(&w.table);
    vec_release(&w.bad);
    vec_release(&w.good);
}

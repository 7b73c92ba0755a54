/* Variants as anchored parts; see pieces.h.
 *
 * Rendering sorts the kept parts by (text they are in, place, order) once and then copies each text
 * from left to right, descending into the parts at each place. */
#include "variant/pieces.h"

typedef struct Renderer {
    const Pieces *p;
    const bool *live;    /* by snippet */
    VEC(uint32_t) order; /* live parts, sorted by (anchor, at, kind, order) */
    Rendered *out;
} Renderer;

/* What closes at a place comes before what opens there; a deletion starts after what opens. */
static int kind_rank(PieceKind kind) {
    return kind == PIECE_BEHIND ? 0 : kind == PIECE_BEFORE ? 1 : 2;
}

static int order_parts(const void *pa, const void *pb, void *pieces) {
    const Pieces *sorting = pieces;
    uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
    const Piece *a = &sorting->list.at[ia], *b = &sorting->list.at[ib];
    if (a->anchor != b->anchor) return a->anchor < b->anchor ? -1 : 1;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    if (a->kind != b->kind) return kind_rank(a->kind) - kind_rank(b->kind);
    if (a->kind == PIECE_BEHIND) {
        if (a->round != b->round) return a->round > b->round ? -1 : 1;
        if (a->start != b->start) return a->start > b->start ? -1 : 1;
    }
    return ia < ib ? -1 : ia > ib;
}

static size_t first_child(const Renderer *r, int anchor) {
    size_t low = 0, high = r->order.len;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (r->p->list.at[r->order.at[mid]].anchor < anchor)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void copy_bytes(Renderer *r, int anchor, Str text, uint32_t from, uint32_t to) {
    if (from >= to) return;
    vec_push(&r->out->segments, (Segment){ (uint32_t)r->out->text.len, anchor, from });
    buf_add(&r->out->text, text.at + from, to - from);
}

static void widen(Renderer *r, unsigned snippet, uint32_t from) {
    Span *span = &r->out->spans.at[snippet];
    if (span->to == 0) span->from = from;
    span->to = (uint32_t)r->out->text.len;
}

static void emit(Renderer *r, int anchor, Str text) {
    uint32_t done = 0;
    for (size_t i = first_child(r, anchor); i < r->order.len; i++) {
        const uint32_t number = r->order.at[i];
        const Piece *part = &r->p->list.at[number];
        if (part->anchor != anchor) break;
        if (part->at < done) continue; /* inside a deletion */
        copy_bytes(r, anchor, text, done, part->at);
        done = part->at;
        uint32_t from = (uint32_t)r->out->text.len;
        emit(r, (int)number, part->text);
        if (!part->aside) widen(r, part->snippet, from);
        if (part->kind == PIECE_DELETE) done = part->to;
    }
    copy_bytes(r, anchor, text, done, (uint32_t)text.len);
}

/* keep, without the snippets that need a dropped one. Needed snippets have smaller numbers. */
static bool *close_keep(const Pieces *p, unsigned snippets, const bool *keep) {
    bool *live = mem_alloc(snippets + 1);
    for (unsigned i = 0; i < snippets; i++) live[i] = !keep || keep[i];
    for (size_t i = 0; i < p->list.len; i++) {
        const Piece *part = &p->list.at[i];
        if (part->anchor == PIECE_SEED || part->snippet >= snippets) continue;
        if (!live[p->list.at[part->anchor].snippet]) live[part->snippet] = false;
    }
    return live;
}

void pieces_render(const Pieces *pieces, unsigned snippets, const bool *keep, Rendered *out) {
    bool *live = close_keep(pieces, snippets, keep);
    Renderer r = { .p = pieces, .live = live, .out = out };
    buf_clear(&out->text);
    vec_clear(&out->segments);
    vec_clear(&out->spans);
    for (unsigned i = 0; i < snippets; i++) vec_push(&out->spans, (Span){ 0, 0 });
    for (uint32_t i = 0; i < pieces->list.len; i++)
        if (pieces->list.at[i].snippet < snippets && live[pieces->list.at[i].snippet])
            vec_push(&r.order, i);
    if (r.order.len)
        qsort_r(r.order.at, r.order.len, sizeof *r.order.at, order_parts, (void *)pieces);
    emit(&r, PIECE_SEED, pieces->seed);
    buf_room(&out->text, 1)[0] = 0;
    vec_release(&r.order);
    mem_free(live);
}

void rendered_release(Rendered *r) {
    buf_release(&r->text);
    vec_release(&r->segments);
    vec_release(&r->spans);
}

Segment rendered_origin(const Rendered *r, uint32_t offset) {
    size_t low = 0, high = r->segments.len;
    CHECK(high > 0 && offset < r->text.len);
    while (high - low > 1) {
        size_t mid = (low + high) / 2;
        if (r->segments.at[mid].from <= offset)
            low = mid;
        else
            high = mid;
    }
    Segment s = r->segments.at[low];
    return (Segment){ offset, s.anchor, s.at + (offset - s.from) };
}

bool rendered_is_seed(const Rendered *r, uint32_t from, uint32_t to) {
    for (uint32_t at = from; at < to; at++)
        if (rendered_origin(r, at).anchor != PIECE_SEED) return false;
    return true;
}

int pieces_owner(const Pieces *pieces, const Rendered *r, uint32_t offset) {
    int anchor = rendered_origin(r, offset).anchor;
    return anchor == PIECE_SEED ? -1 : (int)pieces->list.at[anchor].snippet;
}

void pieces_before(Pieces *p, const Rendered *r, unsigned snippet, unsigned round, uint32_t offset,
                   Str text) {
    Segment at = rendered_origin(r, offset);
    vec_push(&p->list, (Piece){ .snippet = snippet,
                                .round = round,
                                .kind = PIECE_BEFORE,
                                .text = text,
                                .anchor = at.anchor,
                                .at = at.at,
                                .start = offset });
}

void pieces_aside(Pieces *p, const Rendered *r, unsigned snippet, unsigned round, uint32_t offset,
                  Str text) {
    pieces_before(p, r, snippet, round, offset, text);
    vec_last(&p->list).aside = true;
}

void pieces_around(Pieces *p, const Rendered *r, unsigned snippet, unsigned round, uint32_t from,
                   uint32_t to, Str open, Str close) {
    CHECK(from < to);
    pieces_before(p, r, snippet, round, from, open);
    Segment last = rendered_origin(r, to - 1);
    vec_push(&p->list, (Piece){ .snippet = snippet,
                                .round = round,
                                .kind = PIECE_BEHIND,
                                .text = close,
                                .anchor = last.anchor,
                                .at = last.at + 1,
                                .start = from });
}

bool pieces_delete(Pieces *p, const Rendered *r, unsigned snippet, unsigned round, uint32_t from,
                   uint32_t to, Str instead) {
    CHECK(from < to);
    Segment first = rendered_origin(r, from), last = rendered_origin(r, to - 1);
    if (first.anchor != last.anchor || last.at < first.at) return false;
    vec_push(&p->list, (Piece){ .snippet = snippet,
                                .round = round,
                                .kind = PIECE_DELETE,
                                .text = instead,
                                .anchor = first.anchor,
                                .at = first.at,
                                .to = last.at + 1,
                                .start = from });
    return true;
}

void pieces_needs(const Pieces *p, unsigned snippet, SnippetVec *out) {
    for (size_t i = 0; i < p->list.len; i++) {
        const Piece *part = &p->list.at[i];
        if (part->snippet != snippet || part->anchor == PIECE_SEED) continue;
        unsigned needed = p->list.at[part->anchor].snippet;
        bool known = needed == snippet;
        for (size_t j = 0; j < out->len; j++) known = known || out->at[j] == needed;
        if (!known) vec_push(out, needed);
    }
}

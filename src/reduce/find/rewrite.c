/* See rewrite.h. */
#include "reduce/find/rewrite.h"
#include "tree/words.h"

void rewrite_init(Rewrite *w, const Target *target, Arena *arena) {
    *w = (Rewrite){ .target = target, .arena = arena };
}

void rewrite_release(Rewrite *w) {
    vec_release(&w->pieces);
    vec_release(&w->parts);
}

void rewrite_clear(Rewrite *w) {
    vec_clear(&w->pieces);
    vec_clear(&w->parts);
}

void rewrite_at(Rewrite *w, CRange range) {
    vec_push(&w->parts, ((RewritePart){ range, (uint32_t)w->pieces.len, 0 }));
}

void rewrite_text(Rewrite *w, Str text) {
    vec_push(&w->pieces, ((RewritePiece){ .text = text.at ? text : STR("") }));
    vec_last(&w->parts).n++;
}

void rewrite_source(Rewrite *w, CRange source) {
    vec_push(&w->pieces, ((RewritePiece){ .source = source }));
    vec_last(&w->parts).n++;
}

void rewrite_keep(Rewrite *w, CRange range, CRange part) {
    if (range.from < part.from) rewrite_drop(w, (CRange){ range.from, part.from });
    if (part.to < range.to) rewrite_drop(w, (CRange){ part.to, range.to });
}

/* ---- tokens of a range ---- */
static uint32_t token_at(const Tree *t, uint32_t byte) {
    size_t low = 0, high = t->tokens.len;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (t->tokens.at[mid].start < byte)
            low = mid + 1;
        else
            high = mid;
    }
    return (uint32_t)low;
}

static bool is_sign(const Tree *t, size_t token, char c) {
    const TreeToken *k = &t->tokens.at[token];
    return k->end == k->start + 1 && t->text.at[k->start] == c;
}

void rewrite_drop_element(Rewrite *w, CRange element, CRange list) {
    const Tree *t = &target_doc(w->target)->tree;
    uint32_t first = token_at(t, element.from), end = token_at(t, element.to);
    CRange gone = element;
    if (end < t->tokens.len && t->tokens.at[end].start < list.to && is_sign(t, end, ','))
        gone.to = t->tokens.at[end].end;
    else if (first && t->tokens.at[first - 1].start >= list.from && is_sign(t, first - 1, ','))
        gone.from = t->tokens.at[first - 1].start;
    rewrite_drop(w, gone);
}

/* ---- what is written ---- */
static void write_piece(Buf *out, Str text) {
    if (out->len && text.len && words_stick(out->at[out->len - 1], text.at[0])) buf_char(out, ' ');
    buf_str(out, text);
}

/* The other side's text for tokens [first, end): between their ends' partners, or between those of
 * the tokens around them; our own where nothing corresponds. */
static Str twin_source(const Rewrite *w, uint32_t first, uint32_t end) {
    const Target *t = w->target;
    const Tree *own = &target_doc(t)->tree, *other = &t->r->side[!t->side].doc.tree;
    uint32_t from = t->partner[first], to = t->partner[end - 1];
    if (from == UINT32_MAX && first && t->partner[first - 1] != UINT32_MAX)
        from = t->partner[first - 1] + 1;
    if (to == UINT32_MAX && end < own->tokens.len && t->partner[end] != UINT32_MAX &&
        t->partner[end])
        to = t->partner[end] - 1;
    if (from == UINT32_MAX || to == UINT32_MAX || to < from || to >= other->tokens.len)
        return str_sub(own->text, own->tokens.at[first].start, own->tokens.at[end - 1].end);
    return str_sub(other->text, other->tokens.at[from].start, other->tokens.at[to].end);
}

static void write_pieces(const Rewrite *w, const RewritePart *part, bool twin, Buf *out) {
    const Tree *t = &target_doc(w->target)->tree;
    for (uint32_t i = part->first; i < part->first + part->n; i++) {
        const RewritePiece *p = &w->pieces.at[i];
        if (p->text.at) {
            write_piece(out, p->text);
            continue;
        }
        uint32_t first = token_at(t, p->source.from), end = token_at(t, p->source.to);
        if (end <= first) continue;
        write_piece(out,
                    twin ? twin_source(w, first, end)
                         : str_sub(t->text, t->tokens.at[first].start, t->tokens.at[end - 1].end));
    }
}

/* ---- from ranges to tokens ---- */
/* What happens at a token: parts that come before it, and at most one that covers it. */
typedef struct Slot {
    uint32_t token;
    uint32_t end;  /* after the tokens that are covered; token: none is */
    uint32_t part; /* in the order of the text */
} Slot;
typedef VEC(Slot) Slots;

static int by_place(const void *a, const void *b) {
    const Slot *x = a, *y = b;
    if (x->token != y->token) return x->token < y->token ? -1 : 1;
    bool ix = x->end == x->token, iy = y->end == y->token;
    if (ix != iy) return ix ? -1 : 1;
    if (x->end != y->end) return x->end > y->end ? -1 : 1; /* the outer one first */
    return x->part < y->part ? -1 : x->part > y->part;
}

static void list_slots(const Rewrite *w, Slots *slots) {
    const Tree *t = &target_doc(w->target)->tree;
    for (uint32_t i = 0; i < w->parts.len; i++) {
        CRange r = w->parts.at[i].range;
        uint32_t first = token_at(t, r.from), end = r.to > r.from ? token_at(t, r.to) : first;
        if (first == end && !w->parts.at[i].n) continue;
        vec_push(slots, ((Slot){ first, end, i }));
    }
    if (slots->len) qsort(slots->at, slots->len, sizeof(Slot), by_place);
}

/* Of the tokens covered, the one that carries what is written: the first that the other side has
 * too. */
static uint32_t carrier(const Target *t, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end && t->paired; i++)
        if (t->partner[i] != UINT32_MAX) return i;
    return first;
}

/* The text with blanks where it would stick to what is around the token. */
static Str finished(const Rewrite *w, uint32_t token, Buf *text) {
    const Tree *t = &target_doc(w->target)->tree;
    const TreeToken *k = &t->tokens.at[token];
    Buf out = { 0 };
    if (!text->len) return (Str){ 0 };
    if (k->start && words_stick(t->text.at[k->start - 1], text->at[0])) buf_char(&out, ' ');
    buf_str(&out, buf_view(text));
    if (k->end < t->text.len && words_stick(text->at[text->len - 1], t->text.at[k->end]))
        buf_char(&out, ' ');
    Str done = arena_str(w->arena, buf_view(&out));
    buf_release(&out);
    return done;
}

/* Everything that slots [from, to) do: insertions before one token, and what covers it. */
static void write_slot(const Rewrite *w, const Slots *slots, size_t from, size_t to,
                       DocEdits *edits) {
    const Target *t = w->target;
    const Tree *tree = &target_doc(t)->tree;
    Slot cover = slots->at[to - 1];
    bool covered = cover.end > cover.token;
    uint32_t end = covered ? cover.end : cover.token + 1;
    uint32_t at = carrier(t, cover.token, end);
    DocEdit edit = { .token = at };
    for (int twin = 0; twin < (t->paired ? 2 : 1); twin++) {
        Buf text = { 0 };
        for (size_t i = from; i < to; i++)
            write_pieces(w, &w->parts.at[slots->at[i].part], twin, &text);
        if (!covered)
            write_piece(&text, twin ? twin_source(w, at, at + 1) : tree_token_text(tree, at));
        *(twin ? &edit.twin : &edit.text) = finished(w, at, &text);
        buf_release(&text);
    }
    for (uint32_t i = cover.token; i < end; i++)
        vec_push(edits, i == at ? edit : ((DocEdit){ .token = i }));
}

void rewrite_add(Rewrite *w, EditSets *out) {
    const Tree *tree = &target_doc(w->target)->tree;
    Slots slots = { 0 };
    DocEdits edits = { 0 };
    uint32_t done = 0; /* tokens before it are covered */
    bool ok = true;
    list_slots(w, &slots);
    for (size_t i = 0; i < slots.len;) {
        size_t to = i + 1;
        while (to < slots.len && slots.at[to - 1].end == slots.at[i].token &&
               slots.at[to].token == slots.at[i].token)
            to++;
        ok &= slots.at[i].token < tree->tokens.len;
        if (ok && slots.at[i].token >= done) {
            write_slot(w, &slots, i, to, &edits);
            done = vec_last(&edits).token + 1;
        }
        i = to;
    }
    if (ok && edits.len) sets_add(w->target, out, &edits);
    vec_release(&edits);
    vec_release(&slots);
}

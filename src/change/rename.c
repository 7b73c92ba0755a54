/* Names that were changed throughout; see rename.h. */
#include "change/rename.h"
#include "change/change_knobs.h"
#include "change/ctext.h"
#include "change/declare.h"
#include "shrink/diff.h"

typedef VEC(CToken) Tokens;

static void scan_line(Str line, bool inside, Tokens *out) {
    vec_clear(out);
    CScan scan = cscan_start(line, inside);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) vec_push(out, t);
}

static bool has(const Map *map, Str word) {
    return map_get(map, word, NULL);
}

/* One file's lines, marked where they start within a comment. */
typedef struct Lines {
    StrVec at;
    uint8_t *inside;
} Lines;

static Lines read_lines(Arena *arena, Str text) {
    Lines lines = { 0 };
    diff_split_lines(text, &lines.at);
    lines.inside = ARENA_ARRAY(arena, uint8_t, lines.at.len + 1);
    ctext_mark_comments(&lines.at, lines.inside);
    return lines;
}

static void keep_words(Renames *r, const Lines *lines, size_t from, size_t to) {
    Tokens tokens = { 0 };
    for (size_t i = from; i < to; i++) {
        scan_line(lines->at.at[i], lines->inside[i], &tokens);
        for (size_t k = 0; k < tokens.len; k++)
            if (tokens.at[k].kind == CTOKEN_WORD) map_put(&r->kept, tokens.at[k].text, 1);
    }
    vec_release(&tokens);
}

static void note_declared(const Lines *lines, Map *named) {
    PieceVec pieces = { 0 };
    StrVec names = { 0 };
    declare_pieces(&lines->at, &pieces);
    for (size_t i = 0; i < pieces.len; i++)
        if (pieces.at[i].kind != PIECE_FUNCTION) declare_names(&lines->at, &pieces.at[i], &names);
    for (size_t i = 0; i < names.len; i++) map_put(named, names.at[i], 1);
    vec_release(&names);
    vec_release(&pieces);
}

/* ---- votes ---- */

/* Whether two lines are the same except for words that no unchanged line contains. */
static bool differ_by_names(const Renames *r, const Tokens *a, const Tokens *b) {
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        CToken x = a->at[i], y = b->at[i];
        if (x.kind != y.kind) return false;
        if (str_eq(x.text, y.text)) continue;
        if (x.kind != CTOKEN_WORD || has(&r->kept, x.text) || has(&r->kept, y.text)) return false;
    }
    return true;
}

static void vote(Renames *r, Str from, Str to) {
    Arena scratch = { 0 };
    Str key = str_from(arena_fmt(&scratch, STR_FMT " " STR_FMT, STR_ARG(from), STR_ARG(to)));
    uint64_t *votes = map_at(&r->votes, key);
    if (++*votes == 1)
        vec_push(&r->suggested, ((Rename){ arena_str(&r->arena, from), arena_str(&r->arena, to) }));
    ++*map_at(&r->voters, from);
    arena_release(&scratch);
}

static void hear(Renames *r, const Lines *good, const Lines *bad, DiffHunk hunk) {
    Tokens x = { 0 }, y = { 0 };
    for (size_t i = 0; hunk.a_len == hunk.b_len && i < hunk.a_len; i++) {
        scan_line(good->at.at[hunk.b + i], good->inside[hunk.b + i], &x);
        scan_line(bad->at.at[hunk.a + i], bad->inside[hunk.a + i], &y);
        if (!differ_by_names(r, &x, &y)) continue;
        for (size_t k = 0; k < x.len; k++)
            if (x.at[k].kind == CTOKEN_WORD && !has(&r->kept, x.at[k].text))
                vote(r, x.at[k].text, y.at[k].text);
    }
    vec_release(&x);
    vec_release(&y);
}

void rename_add(Renames *r, Str good, Str bad) {
    Lines old = read_lines(&r->arena, good), now = read_lines(&r->arena, bad);
    DiffHunks hunks = { 0 };
    diff_lines(bad, good, &hunks, NULL, NULL);
    size_t from = 0;
    for (size_t h = 0; h < hunks.len; h++) {
        keep_words(r, &now, from, hunks.at[h].a);
        from = hunks.at[h].a + hunks.at[h].a_len;
    }
    keep_words(r, &now, from, now.at.len);
    note_declared(&old, &r->old_named);
    note_declared(&now, &r->named);
    for (size_t h = 0; h < hunks.len; h++) hear(r, &old, &now, hunks.at[h]);
    vec_release(&hunks);
    vec_release(&old.at);
    vec_release(&now.at);
}

/* ---- the outcome ---- */

static uint64_t votes_for(const Renames *r, Str from, Str to) {
    Arena scratch = { 0 };
    uint64_t votes = 0;
    Str key = str_from(arena_fmt(&scratch, STR_FMT " " STR_FMT, STR_ARG(from), STR_ARG(to)));
    map_get(&r->votes, key, &votes);
    arena_release(&scratch);
    return votes;
}

static bool stands(const Renames *r, const Rename *s) {
    uint64_t votes = votes_for(r, s->from, s->to), all = 0;
    map_get(&r->voters, s->from, &all);
    if (str_eq(s->from, s->to) || votes < RENAME_VOTES) return false;
    if ((double)votes < RENAME_SHARE * (double)all) return false;
    if (has(&r->kept, s->from) || has(&r->kept, s->to)) return false;
    return has(&r->old_named, s->from) && has(&r->named, s->to);
}

void rename_settle(Renames *r) {
    Map taken = { 0 };
    for (size_t i = 0; i < r->suggested.len; i++)
        if (stands(r, &r->suggested.at[i])) ++*map_at(&taken, r->suggested.at[i].to);
    for (size_t i = 0; i < r->suggested.len; i++) {
        uint64_t claims = 0;
        const Rename *s = &r->suggested.at[i];
        map_get(&taken, s->to, &claims);
        if (claims != 1 || !stands(r, s)) continue;
        vec_push(&r->settled, *s);
        map_put(&r->to, s->from, r->settled.len);
    }
    map_release(&taken);
}

Str rename_apply(const Renames *r, Str text, Arena *arena) {
    Buf out = { 0 };
    size_t done = 0;
    uint64_t which;
    CScan scan = cscan_start(text, false);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        if (t.kind != CTOKEN_WORD || !map_get(&r->to, t.text, &which)) continue;
        size_t here = (size_t)(t.text.at - text.at);
        buf_str(&out, str_sub(text, done, here));
        buf_str(&out, r->settled.at[which - 1].to);
        done = here + t.text.len;
    }
    if (!done) return text;
    buf_str(&out, str_sub(text, done, text.len));
    Str renamed = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return renamed;
}

void rename_release(Renames *r) {
    map_release(&r->kept);
    map_release(&r->old_named);
    map_release(&r->named);
    map_release(&r->votes);
    map_release(&r->voters);
    map_release(&r->to);
    vec_release(&r->suggested);
    vec_release(&r->settled);
    arena_release(&r->arena);
    *r = (Renames){ 0 };
}

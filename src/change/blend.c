/* Changes in parts; see blend.h. */
#include "change/blend.h"
#include "change/ctext.h"

typedef enum BlendKind { BLEND_BY_TOKENS, BLEND_BY_LINES, BLEND_BY_WORDS } BlendKind;

typedef struct BlendText {
    StrVec at; /* views into the text: tokens, lines with their newlines, or words and newlines */
    BlendKind kind;
} BlendText;

/* ---- pieces ---- */

/* Marks that make one operator where nothing stands between them. */
static bool is_operator(Str first, char next) {
    static const char *const pairs[] = {
        "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", ".."
    };
    if (first.len == 2) return next == '=' && (str_is(first, "<<") || str_is(first, ">>"));
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (pairs[i][0] == first.at[0] && pairs[i][1] == next) return true;
    return false;
}

static bool has_directives(Str text) {
    CScan scan = cscan_start(text, false);
    while (cscan_next(&scan).kind != CTOKEN_END)
        if (scan.directive) return true;
    return false;
}

static void read_tokens(Str text, StrVec *out) {
    CScan scan = cscan_start(text, false);
    bool mark = false; /* the last one is of marks */
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        Str *last = out->len ? &vec_last(out) : NULL;
        bool joins = mark && t.kind == CTOKEN_MARK && last->at + last->len == t.text.at &&
                     is_operator(*last, t.text.at[0]);
        if (joins)
            last->len++;
        else
            vec_push(out, t.text);
        mark = t.kind == CTOKEN_MARK;
    }
}

static void read_words(Str text, StrVec *out) {
    for (size_t i = 0, end; i < text.len; i = end) {
        end = i + 1;
        if (text.at[i] == ' ' || text.at[i] == '\t') continue;
        while (text.at[i] != '\n' && end < text.len && !strchr(" \t\n", text.at[end])) end++;
        vec_push(out, str_sub(text, i, end));
    }
}

static void read_pieces(Str text, BlendText *pieces) {
    switch (pieces->kind) {
    case BLEND_BY_TOKENS: read_tokens(text, &pieces->at); break;
    case BLEND_BY_LINES: diff_split_lines(text, &pieces->at); break;
    case BLEND_BY_WORDS: read_words(text, &pieces->at); break;
    }
}

static void hunks_of(const BlendText *bad, const BlendText *good, DiffHunks *out) {
    DiffTable table = { 0 };
    uint32_t *a = mem_alloc((bad->at.len + 1) * sizeof *a);
    uint32_t *b = mem_alloc((good->at.len + 1) * sizeof *b);
    for (size_t i = 0; i < bad->at.len; i++) a[i] = diff_number(&table, bad->at.at[i]);
    for (size_t i = 0; i < good->at.len; i++) b[i] = diff_number(&table, good->at.at[i]);
    diff_seqs((DiffSeq){ a, bad->at.len }, (DiffSeq){ b, good->at.len }, out);
    diff_table_release(&table);
    mem_free(a);
    mem_free(b);
}

/* ---- parts ---- */

static size_t start_of(Str text, const BlendText *pieces, size_t i) {
    return i < pieces->at.len ? (size_t)(pieces->at.at[i].at - text.at) : text.len;
}

static size_t end_of(Str text, const BlendText *pieces, size_t i) {
    return (size_t)(pieces->at.at[i].at - text.at) + pieces->at.at[i].len;
}

static bool starts_line(Str text, size_t at) {
    while (at && (text.at[at - 1] == ' ' || text.at[at - 1] == '\t')) at--;
    return !at || text.at[at - 1] == '\n';
}

/* What goes takes the blanks behind it along where it stood at the beginning of a line, and what
 * comes brings those that were behind it. */
static void add_part(Blend *blend, const BlendText *bad, const BlendText *good, DiffHunk h) {
    BlendPart part = { .from = start_of(blend->bad, bad, h.a) };
    part.to = part.from;
    if (h.a_len) {
        part.to = end_of(blend->bad, bad, h.a + h.a_len - 1);
        if (!h.b_len && starts_line(blend->bad, part.from))
            part.to = start_of(blend->bad, bad, h.a + h.a_len);
    }
    if (h.b_len) {
        size_t from = start_of(blend->good, good, h.b);
        size_t to = h.a_len ? end_of(blend->good, good, h.b + h.b_len - 1)
                            : start_of(blend->good, good, h.b + h.b_len);
        part.comes = str_sub(blend->good, from, to);
    }
    vec_push(&blend->parts, part);
}

/* Both end where a declaration may: one can stand beside the other. */
static bool can_stand_beside(Str bad, Str good) {
    bad = str_trim(bad), good = str_trim(good);
    return bad.len && good.len && strchr(";},", bad.at[bad.len - 1]) &&
           bad.at[bad.len - 1] == good.at[good.len - 1];
}

/* The line before a change ends a declaration, or is none. */
static bool begins_declaration(const ChangeFile *file, DiffHunk cut) {
    if (!cut.a) return true;
    CLine line = ctext_line(file->bad_lines.at[cut.a - 1], file->bad_inside[cut.a - 1]);
    return line.directive || !line.last || strchr(";},{", line.last);
}

/* Each of the lines ends a member, an enumerator or a prototype. */
static bool stand_alone(const BlendText *pieces, size_t from, size_t len) {
    for (size_t i = from; i < from + len; i++) {
        CLine line = ctext_line(pieces->at.at[i], false);
        if (line.brackets || line.lowest || !line.last || !strchr(";,", line.last)) return false;
    }
    return true;
}

/* All that comes, and behind it all that goes, line by line where lines stand alone. */
static void add_beside(Blend *blend, const BlendText *bad, const BlendText *good, DiffHunk h) {
    size_t step = stand_alone(good, h.b, h.b_len) ? 1 : h.b_len;
    for (size_t i = 0; i < h.b_len; i += step)
        add_part(blend, bad, good, (DiffHunk){ h.a, 0, h.b + i, step });
    step = stand_alone(bad, h.a, h.a_len) ? 1 : h.a_len;
    for (size_t i = 0; i < h.a_len; i += step)
        add_part(blend, bad, good, (DiffHunk){ h.a + i, step, h.b + h.b_len, 0 });
}

/* Words that are names of sources or objects, and nothing else but the lines they stand on. */
static bool are_files(const BlendText *words, size_t from, size_t len) {
    static const char *const ends[] = { ".o", ".c", ".h", ".lo", ".obj" };
    for (size_t i = from; i < from + len; i++) {
        Str word = words->at.at[i];
        bool is = str_is(word, "\\") || str_is(word, "\n");
        for (size_t e = 0; e < COUNT_OF(ends); e++) is |= str_ends(word, ends[e]);
        if (!is) return false;
    }
    return true;
}

/* Names of files come and go apart from each other. */
static void add_words(Blend *blend, const BlendText *bad, const BlendText *good, DiffHunk h) {
    if (!are_files(bad, h.a, h.a_len) || !are_files(good, h.b, h.b_len)) {
        add_part(blend, bad, good, h);
        return;
    }
    if (h.b_len) add_part(blend, bad, good, (DiffHunk){ h.a, 0, h.b, h.b_len });
    if (!h.a_len) return;
    add_part(blend, bad, good, (DiffHunk){ h.a, h.a_len, h.b + h.b_len, 0 });
    vec_last(&blend->parts).spared = true;
}

static BlendKind kind_of(const Blend *blend, bool is_c, bool beside) {
    if (!is_c) return BLEND_BY_WORDS;
    if (has_directives(blend->bad) || has_directives(blend->good)) return BLEND_BY_LINES;
    return beside && can_stand_beside(blend->bad, blend->good) ? BLEND_BY_LINES : BLEND_BY_TOKENS;
}

void blend_read(const ChangeSet *set, size_t change, bool function, Blend *blend) {
    const ChangeFile *file = &set->files.at[set->changes.at[change].file];
    bool is_c = file->is_c;
    *blend = (Blend){ .bad = change_bad_text(set, change), .good = change_good_text(set, change) };
    if (set->changes.at[change].kind != CHANGE_LINES) return;
    if (!is_c && !change_is_build_file(change_path(set, change))) return;
    bool beside = !function && begins_declaration(file, file->cuts.at[set->changes.at[change].cut]);
    BlendText bad = { .kind = kind_of(blend, is_c, beside) }, good = bad;
    DiffHunks hunks = { 0 };
    read_pieces(blend->bad, &bad);
    read_pieces(blend->good, &good);
    hunks_of(&bad, &good, &hunks);
    for (size_t i = 0; i < hunks.len; i++) {
        if (!is_c)
            add_words(blend, &bad, &good, hunks.at[i]);
        else if (beside && bad.kind == BLEND_BY_LINES)
            add_beside(blend, &bad, &good, hunks.at[i]);
        else
            add_part(blend, &bad, &good, hunks.at[i]);
    }
    if (blend->parts.len == 1 && !blend->parts.at[0].spared) vec_clear(&blend->parts);
    vec_release(&hunks);
    vec_release(&bad.at);
    vec_release(&good.at);
}

void blend_release(Blend *blend) {
    vec_release(&blend->parts);
}

/* ---- texts ---- */

static bool is_word_char(char c) {
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Two words that meet stay two. */
static void put(Buf *out, Str text) {
    Str before = buf_view(out);
    if (text.len && before.len && is_word_char(before.at[before.len - 1]) &&
        (is_word_char(text.at[0]) || text.at[0] == '\\'))
        buf_char(out, ' ');
    buf_str(out, text);
}

/* begins: where in out each used part begins and ends; NULL. */
static void put_parts(const Blend *blend, const uint8_t *use, Buf *out, size_t *begins) {
    size_t at = 0, start = buf_view(out).len;
    for (size_t i = 0; i < blend->parts.len; i++) {
        const BlendPart *part = &blend->parts.at[i];
        if (!use[i]) continue;
        put(out, str_sub(blend->bad, at, part->from));
        if (begins) begins[2 * i] = buf_view(out).len - start;
        put(out, part->comes);
        if (begins) begins[2 * i + 1] = buf_view(out).len - start;
        at = part->to;
    }
    put(out, str_sub(blend->bad, at, blend->bad.len));
}

void blend_text(const Blend *blend, const uint8_t *use, Buf *out) {
    Buf text = { 0 };
    put_parts(blend, use, &text, NULL);
    buf_str(out, buf_view(&text));
    buf_release(&text);
}

/* Byte offsets of a line (from 1) of a text. */
static void line_bounds(Str text, size_t line, size_t *from, size_t *to) {
    *from = 0;
    while (line-- > 1 && *from < text.len) {
        size_t end = str_find(text, STR("\n"), *from);
        *from = end == STR_NONE ? text.len : end + 1;
    }
    size_t end = str_find(text, STR("\n"), *from);
    *to = end == STR_NONE ? text.len : end;
}

size_t blend_part_at(const Blend *blend, const uint8_t *use, size_t line, size_t column) {
    Buf text = { 0 };
    size_t *begins = mem_alloc((2 * blend->parts.len + 1) * sizeof *begins);
    size_t from, to, best = NO_PART;
    put_parts(blend, use, &text, begins);
    line_bounds(buf_view(&text), line, &from, &to);
    if (column) from = to = from + column - 1;
    for (size_t i = 0; i < blend->parts.len && best == NO_PART; i++)
        if (use[i] && begins[2 * i] <= to && begins[2 * i + 1] >= from) best = i;
    mem_free(begins);
    buf_release(&text);
    return best;
}

BlendName blend_part_name(const Blend *blend, size_t part, Str name) {
    const BlendPart *p = &blend->parts.at[part];
    bool was = ctext_has_word(p->comes, name);
    bool now = ctext_has_word(str_sub(blend->bad, p->from, p->to), name);
    return was == now ? BLEND_NOTHING : was ? BLEND_BRINGS : BLEND_TAKES;
}

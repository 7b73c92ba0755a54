/* Lines are aligned first (Myers); each hunk of differing lines is then compared token by token, so
 * that a line in which one constant changed shows just that constant. Tokens here are what a reader
 * sees as one: a word, a number, a string, a run of blanks, a single sign. */
#include "report/pairdiff.h"

#include "shrink/diff.h"

typedef VEC(PairRow) RowVec;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static size_t token_end(Str text, size_t at) {
    char c = text.at[at++];
    if (c == '\n') return at;
    if (c == ' ' || c == '\t') {
        while (at < text.len && (text.at[at] == ' ' || text.at[at] == '\t')) at++;
    } else if (is_word(c)) {
        while (at < text.len && is_word(text.at[at])) at++;
    } else if (c == '"' || c == '\'') {
        while (at < text.len && text.at[at] != c && text.at[at] != '\n')
            at += text.at[at] == '\\' && at + 1 < text.len && text.at[at + 1] != '\n' ? 2 : 1;
        if (at < text.len && text.at[at] == c) at++;
    }
    return at < text.len ? at : text.len;
}

static void split_tokens(Str text, StrVec *tokens) {
    for (size_t at = 0; at < text.len;) {
        size_t end = token_end(text, at);
        vec_push(tokens, str_sub(text, at, end));
        at = end;
    }
}

/* One side of a hunk: its tokens, and which of them the other side lacks. */
typedef struct DiffSide {
    StrVec tokens;
    uint8_t *marked; /* in the arena, one per token */
    DiffSeq seq;     /* the tokens as numbers */
} DiffSide;

static void side_init(DiffSide *side, Arena *arena, Str text, DiffTable *table) {
    *side = (DiffSide){ 0 };
    split_tokens(text, &side->tokens);
    uint32_t *numbers = ARENA_ARRAY(arena, uint32_t, side->tokens.len + 1);
    for (size_t i = 0; i < side->tokens.len; i++)
        numbers[i] = diff_number(table, side->tokens.at[i]);
    side->seq = (DiffSeq){ numbers, side->tokens.len };
    side->marked = ARENA_ARRAY(arena, uint8_t, side->tokens.len + 1);
}

/* Blanks and newlines are marked like the rest, but are not counted as tokens of the difference. */
static size_t mark(DiffSide *side, size_t from, size_t len) {
    size_t counted = 0;
    for (size_t i = from; i < from + len; i++) {
        side->marked[i] = 1;
        char c = side->tokens.at[i].at[0];
        counted += c != ' ' && c != '\t' && c != '\n';
    }
    return counted;
}

/* The side's lines as spans, the first line's number given. */
static PairLine *side_lines(DiffSide *side, Arena *arena, size_t number, size_t n_lines) {
    PairLine *lines = ARENA_ARRAY(arena, PairLine, n_lines + 1);
    size_t line = 0, start = 0;
    for (size_t i = 0; i <= side->tokens.len && line < n_lines; i++) {
        bool end = i == side->tokens.len || side->tokens.at[i].at[0] == '\n';
        if (!end) continue;
        PairSpan *spans = ARENA_ARRAY(arena, PairSpan, i - start + 1);
        size_t n = 0;
        for (size_t k = start; k < i; k++) {
            Str token = side->tokens.at[k];
            if (n && spans[n - 1].marked == side->marked[k])
                spans[n - 1].text.len += token.len;
            else
                spans[n++] = (PairSpan){ token, side->marked[k] };
        }
        lines[line++] = (PairLine){ number++, spans, n };
        start = i + 1;
    }
    return lines;
}

static Str region(const StrVec *lines, size_t from, size_t len) {
    if (!len) return STR("");
    const char *start = lines->at[from].at;
    Str last = lines->at[from + len - 1];
    return (Str){ start, (size_t)(last.at + last.len - start) };
}

static size_t add_hunk(Arena *arena, RowVec *rows, const DiffHunk *h, const StrVec *a,
                       const StrVec *b) {
    DiffTable table = { 0 };
    DiffHunks hunks = { 0 };
    DiffSide left, right;
    side_init(&left, arena, region(a, h->a, h->a_len), &table);
    side_init(&right, arena, region(b, h->b, h->b_len), &table);
    diff_seqs(left.seq, right.seq, &hunks);
    size_t tokens = 0;
    for (size_t i = 0; i < hunks.len; i++)
        tokens += mark(&left, hunks.at[i].a, hunks.at[i].a_len) +
                  mark(&right, hunks.at[i].b, hunks.at[i].b_len);
    PairLine *l = side_lines(&left, arena, h->a + 1, h->a_len);
    PairLine *r = side_lines(&right, arena, h->b + 1, h->b_len);
    for (size_t i = 0; i < h->a_len || i < h->b_len; i++)
        vec_push(rows, (PairRow){ false,
                                  { i < h->a_len ? l[i] : (PairLine){ 0 },
                                    i < h->b_len ? r[i] : (PairLine){ 0 } } });
    vec_release(&hunks);
    vec_release(&left.tokens);
    vec_release(&right.tokens);
    diff_table_release(&table);
    return tokens;
}

static PairLine plain_line(Arena *arena, Str line, size_t number) {
    PairSpan *span = ARENA_NEW(arena, PairSpan);
    if (str_ends(line, "\n")) line.len--;
    span->text = line;
    return (PairLine){ number, span, line.len ? 1 : 0 };
}

static void add_same(Arena *arena, RowVec *rows, const StrVec *a, size_t at_a, size_t at_b,
                     size_t len) {
    for (size_t i = 0; i < len; i++)
        vec_push(rows, (PairRow){ true,
                                  { plain_line(arena, a->at[at_a + i], at_a + i + 1),
                                    plain_line(arena, a->at[at_a + i], at_b + i + 1) } });
}

PairDiff pairdiff(Arena *arena, Str a, Str b) {
    DiffHunks hunks = { 0 };
    StrVec lines_a = { 0 }, lines_b = { 0 };
    RowVec rows = { 0 };
    PairDiff result = { 0 };
    diff_lines(a, b, &hunks, &lines_a, &lines_b);
    size_t at_a = 0, at_b = 0;
    for (size_t i = 0; i < hunks.len; i++) {
        const DiffHunk *h = &hunks.at[i];
        add_same(arena, &rows, &lines_a, at_a, at_b, h->a - at_a);
        result.tokens += add_hunk(arena, &rows, h, &lines_a, &lines_b);
        at_a = h->a + h->a_len, at_b = h->b + h->b_len;
    }
    add_same(arena, &rows, &lines_a, at_a, at_b, lines_a.len - at_a);
    result.rows = arena_copy(arena, rows.at, rows.len * sizeof *rows.at);
    result.len = rows.len;
    vec_release(&rows);
    vec_release(&hunks);
    vec_release(&lines_a);
    vec_release(&lines_b);
    return result;
}

/* Literals come down a ladder: 0, 1, the same of a type as wide or as unsigned, half of the digits,
 * half of the value, one digit less, as a decimal number, without a suffix. A small value with a
 * suffix comes before a large one without: 4294967295 in place of 0xFFFFFFFFUL has its type by its
 * size, and could never become small again. All that read alike come down together before each does
 * by itself (a size and the bound of the loop over it). In a large program whole blocks of literals
 * become 0 or 1 at once: one by one they would cost a test each and take no token away. */
#include "reduce/find/finders.h"

enum { LARGE = 1000, SMALLEST_BLOCK = 16, RUNGS = 16 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_number(const Doc *doc, uint32_t token) {
    Str text = tree_token_text(&doc->tree, token);
    size_t sign = text.len && text.at[0] == '-'; /* as LLVM IR and JSON read it */
    if (!doc->alive[token] || text.len < 2) return false;
    return is_digit(text.at[sign]) || (text.at[0] == '.' && is_digit(text.at[1]));
}

/* Without a suffix of letters. */
static Str bare_number(Str text) {
    bool hex = text.len > 2 && (text.at[1] == 'x' || text.at[1] == 'X');
    size_t end = text.len;
    while (end > 1 && strchr(hex ? "uUlL" : "uUlLfF", text.at[end - 1])) end--;
    return str_sub(text, 0, end);
}

typedef struct Rungs {
    Str at[RUNGS];
    size_t n;
} Rungs;

static void add_rung(Rungs *rungs, Str now, Str next) {
    if (!next.len || next.len >= now.len || rungs->n == RUNGS) return;
    for (size_t i = 0; i < rungs->n; i++)
        if (str_eq(rungs->at[i], next)) return;
    rungs->at[rungs->n++] = next;
}

/* 0 and 1 of the literal's own type: as wide, as unsigned, and both. */
static void add_typed(Arena *arena, Str text, Str bare, uint64_t value, Rungs *rungs) {
    Str suffix = str_sub(text, bare.len, text.len);
    bool wide = value > INT32_MAX, positive = false;
    for (size_t i = 0; i < suffix.len; i++) {
        wide |= suffix.at[i] == 'l' || suffix.at[i] == 'L';
        positive |= suffix.at[i] == 'u' || suffix.at[i] == 'U';
    }
    const char *const suffixes[] = { wide ? "L" : "", positive ? "U" : "",
                                     wide && positive ? "UL" : "" };
    for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
        if (!*suffixes[i]) continue;
        add_rung(rungs, text, str_from(arena_fmt(arena, "0%s", suffixes[i])));
        add_rung(rungs, text, str_from(arena_fmt(arena, "1%s", suffixes[i])));
    }
}

static void find_rungs(Arena *arena, Str text, Rungs *rungs) {
    uint64_t value;
    Str bare = bare_number(text);
    add_rung(rungs, text, STR("0"));
    add_rung(rungs, text, STR("1"));
    if (text.at[0] == '-') {
        add_rung(rungs, text, str_sub(text, 1, text.len));
        return;
    }
    if (str_to_u64(bare, &value)) {
        add_typed(arena, text, bare, value, rungs);
        Str decimal = str_from(arena_fmt(arena, "%llu", (unsigned long long)value));
        add_rung(rungs, text, str_sub(decimal, 0, (decimal.len + 1) / 2));
        add_rung(rungs, text, str_from(arena_fmt(arena, "%llu", (unsigned long long)value / 2)));
        add_rung(rungs, text, str_sub(decimal, 0, decimal.len - 1));
        add_rung(rungs, text, decimal);
    } else {
        size_t whole = 0;
        while (whole < bare.len && is_digit(bare.at[whole])) whole++;
        add_rung(rungs, text, str_sub(bare, 0, whole));
    }
    add_rung(rungs, text, bare);
}

/* Every literal of [from, end) that reads like `like` (empty: any) becomes `text`. */
static void add_literals(const Target *t, const uint32_t *numbers, size_t from, size_t end,
                         Str like, Str text, EditSets *out) {
    const Doc *doc = target_doc(t);
    DocEdits edits = { 0 };
    for (size_t i = from; i < end; i++)
        if (!like.len || str_eq(tree_token_text(&doc->tree, numbers[i]), like))
            vec_push(&edits, ((DocEdit){ .token = numbers[i], .text = text }));
    sets_add(t, out, &edits);
    vec_release(&edits);
}

static void find_blocks(const Target *t, const uint32_t *numbers, size_t n, EditSets *out) {
    for (size_t size = n; size >= SMALLEST_BLOCK; size /= 2)
        for (size_t from = 0; from < n; from += size) {
            size_t end = from + size < n ? from + size : n;
            add_literals(t, numbers, from, end, (Str){ 0 }, STR("0"), out);
            add_literals(t, numbers, from, end, (Str){ 0 }, STR("1"), out);
        }
}

static void find_each(const Target *t, const uint32_t *numbers, size_t n, EditSets *out) {
    const Doc *doc = target_doc(t);
    Map counts = { 0 };
    for (size_t i = 0; i < n; i++) ++*map_at(&counts, tree_token_text(&doc->tree, numbers[i]));
    for (size_t i = 0; i < n; i++) {
        Str text = tree_token_text(&doc->tree, numbers[i]);
        uint64_t *count = map_at(&counts, text);
        Rungs rungs = { 0 };
        find_rungs(&out->arena, text, &rungs);
        for (size_t k = 0; k < rungs.n && *count > 1; k++)
            add_literals(t, numbers, i, n, text, rungs.at[k], out);
        *count = 0; /* together only once */
        for (size_t k = 0; k < rungs.n; k++)
            add_literals(t, numbers, i, i + 1, (Str){ 0 }, rungs.at[k], out);
    }
    map_release(&counts);
}

void find_literals(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    VEC(uint32_t) numbers = { 0 };
    (void)shapes;
    out->ordered = out->together = true;
    for (uint32_t i = 0; i < doc->tree.tokens.len; i++)
        if (is_number(doc, i)) vec_push(&numbers, i);
    if (doc->count > LARGE)
        find_blocks(t, numbers.at, numbers.len, out);
    else
        find_each(t, numbers.at, numbers.len, out);
    vec_release(&numbers);
}

/* Windows of tokens, as C-Vise's clex removes them: up to 16 in a row whose brackets match, and any
 * one or two. For the end, on small programs. Where the test rejects what is not a program, the
 * compiler alone is the judge: it may crash before it reads the end. */
#include "reduce/find/finders.h"
#include "reduce/reduce_knobs.h"

static char sign(const Doc *doc, uint32_t token) {
    const TreeToken *t = &doc->tree.tokens.at[token];
    return t->end - t->start == 1 ? doc->tree.text.at[t->start] : 'a';
}

static bool is_balanced(const Doc *doc, uint32_t from, uint32_t end) {
    size_t depth = 0;
    for (uint32_t i = from; i < end; i++) {
        char c = sign(doc, i);
        bool closes = strchr(")]}", c) != NULL;
        if (closes && !depth) return false;
        depth += strchr("([{", c) != NULL;
        depth -= closes;
    }
    return !depth;
}

static bool begins_line(const Doc *doc, uint32_t token) {
    Str space = render_space_before(&doc->tree, token);
    return token == 0 || str_find(space, STR("\n"), 0) != STR_NONE;
}

/* In a text of lines: what is left of the last line goes on where the window began, if there is
 * something before it in its line. Otherwise it would begin a line. */
static void add_joined(const Target *t, uint32_t from, uint32_t end, EditSets *out) {
    const Doc *doc = target_doc(t);
    uint32_t n = (uint32_t)doc->tree.tokens.len, stop = end;
    bool crosses = false;
    for (uint32_t i = from + 1; i < end; i++) crosses |= begins_line(doc, i);
    if (doc->tree.lang || !crosses || end == n || begins_line(doc, end) || begins_line(doc, from))
        return;
    while (stop < n && (stop == end || !begins_line(doc, stop))) stop++;
    const TreeToken *tokens = doc->tree.tokens.at;
    Str rest = str_sub(doc->tree.text, tokens[end].start, tokens[stop - 1].end);
    DocEdits edits = { 0 };
    vec_push(&edits, ((DocEdit){ .token = from, .text = rest }));
    for (uint32_t i = from + 1; i < stop; i++) vec_push(&edits, ((DocEdit){ .token = i }));
    sets_add(t, out, &edits);
    vec_release(&edits);
}

void find_windows(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    uint32_t n = (uint32_t)doc->tree.tokens.len;
    (void)shapes;
    out->ordered = true;
    out->unasked = t->r->minds;
    if (doc->count > REDUCE_WINDOW_TOKENS) return;
    for (uint32_t len = REDUCE_WINDOW_RUN; len > 0; len--)
        for (uint32_t end = n; end >= len; end--) {
            if (len > 2 && !is_balanced(doc, end - len, end)) continue;
            DocEdits edits = { 0 };
            for (uint32_t i = end - len; i < end; i++) vec_push(&edits, ((DocEdit){ .token = i }));
            sets_add(t, out, &edits);
            vec_release(&edits);
            add_joined(t, end - len, end, out);
        }
}

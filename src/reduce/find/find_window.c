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
        }
}

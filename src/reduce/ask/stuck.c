/* See stuck.h. */
#include "reduce/ask/stuck.h"
#include "reduce/reduce_knobs.h"

static Str living_text(const Doc *doc, size_t token) {
    return doc->other[token].at ? doc->other[token] : tree_token_text(&doc->tree, token);
}

static void add_word(Buf *out, Str word) {
    buf_str(out, word);
    buf_char(out, '\n');
}

/* A few living words before or after a token. */
static void add_around(Buf *out, const Doc *doc, size_t token, bool after) {
    size_t i = token;
    for (int found = 0; found < REDUCE_STUCK_AROUND;) {
        if (after ? ++i >= doc->tree.tokens.len : i-- == 0) return;
        if (!doc->alive[i]) continue;
        add_word(out, living_text(doc, i));
        found++;
    }
}

/* False: the change is too large to come again. */
static bool key_of(const Doc *doc, const DocChange *change, Hash *key) {
    if (!change->touched || change->whole || !change->n_edits ||
        change->n_edits > REDUCE_STUCK_EDITS)
        return false;
    Buf text = { 0 };
    add_around(&text, doc, change->edits[0].token, false);
    for (size_t i = 0; i < change->n_edits; i++) {
        const DocEdit *e = &change->edits[i];
        bool next = i && e->token == change->edits[i - 1].token + 1;
        if (!doc->alive[e->token]) continue;
        buf_char(&text, next ? '+' : '-');
        add_word(&text, living_text(doc, e->token));
        if (e->text.at) add_word(&text, e->text);
    }
    add_around(&text, doc, change->edits[change->n_edits - 1].token, true);
    *key = str_hash128(buf_view(&text));
    buf_release(&text);
    return true;
}

static Str map_key(const Hash *key) {
    return (Str){ (const char *)key, sizeof *key };
}

/* ---- loops ---- */
static bool is_loop(const Doc *doc, uint32_t node) {
    static const char *const kinds[] = { "for_statement",    "while_statement", "do_statement",
                                         "for_range_loop",   "for_expression",  "while_expression",
                                         "for_in_statement", "loop_expression" };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (doc_is_kind(doc, node, kinds[i])) return true;
    return false;
}

/* The innermost loop that all edits are inside of, but not the whole of it, as it reads. */
static bool loop_of(const Doc *doc, const DocChange *change, Hash *key) {
    if (!change->touched || change->whole || !change->n_edits) return false;
    const Tree *t = &doc->tree;
    uint32_t first = change->edits[0].token, last = change->edits[change->n_edits - 1].token;
    uint32_t node = t->tokens.at[first].node;
    while (node && !(is_loop(doc, node) && t->nodes.at[node].token_end > last))
        node = t->nodes.at[node].parent;
    if (!node || change->n_edits >= doc_alive(doc, node)) return false;
    Buf text = { 0 };
    for (uint32_t i = t->nodes.at[node].token; i < t->nodes.at[node].token_end; i++)
        if (doc->alive[i]) add_word(&text, living_text(doc, i));
    *key = str_hash128(buf_view(&text));
    buf_release(&text);
    return true;
}

bool stuck_took(const Stuck *stuck, double cpu_s) {
    return stuck->usual_s > 0 && cpu_s > stuck->usual_s * REDUCE_STUCK_TIMES + REDUCE_STUCK_SECONDS;
}

void stuck_note(Stuck *stuck, size_t i, const Doc *doc, const DocChange *change) {
    StuckNote note = { .i = i };
    if (key_of(doc, change, &note.key)) vec_push(&stuck->noted, note);
    note.loop = true;
    if (loop_of(doc, change, &note.key)) vec_push(&stuck->noted, note);
}

void stuck_settle(Stuck *stuck, size_t hit, size_t tokens) {
    for (size_t k = 0; k < stuck->noted.len; k++) {
        const StuckNote *note = &stuck->noted.at[k];
        if (note->i >= hit) continue;
        if (note->loop)
            ++*map_at(&stuck->loops, map_key(&note->key));
        else
            map_put(&stuck->when, map_key(&note->key), tokens);
    }
    stuck->noted.len = 0;
}

static bool is_known(const Stuck *stuck, const Doc *doc, const DocChange *change) {
    Hash key;
    uint64_t tokens, times;
    if (key_of(doc, change, &key) && map_get(&stuck->when, map_key(&key), &tokens) &&
        doc->count * 2 > tokens)
        return true;
    return stuck->loops.len && loop_of(doc, change, &key) &&
           map_get(&stuck->loops, map_key(&key), &times) && times >= REDUCE_STUCK_LOOP;
}

bool stuck_knows(Stuck *stuck, const Doc *doc, const DocChange *change) {
    if (stuck->patient || !stuck->when.len || !is_known(stuck, doc, change)) return false;
    return stuck->skipped = true;
}

void stuck_release(Stuck *stuck) {
    map_release(&stuck->when);
    map_release(&stuck->loops);
    vec_release(&stuck->noted);
}

/* Names, in any language: everything that mentions one goes; each becomes as short as possible. */
#include "reduce/find/finders.h"
#include "tree/words.h"

static bool is_name(const Tree *t, size_t token) {
    const TreeNode *leaf = &t->nodes.at[t->tokens.at[token].node];
    char c = t->text.at[t->tokens.at[token].start];
    return (leaf->flags & NODE_NAMED) && leaf->size == 1 && words_is_letter(c) &&
           !(c >= '0' && c <= '9') && strstr(lang_kind_name(t->lang, leaf->kind), "identifier");
}

/* The distinct names in order of first occurrence. */
static void list_names(const Doc *doc, StrVec *names, Map *counts) {
    for (uint32_t i = 0; i < doc->tree.tokens.len; i++) {
        if (!doc->alive[i] || !is_name(&doc->tree, i)) continue;
        Str text = tree_token_text(&doc->tree, i);
        if (++*map_at(counts, text) == 1) vec_push(names, text);
    }
}

void find_names(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    StrVec names = { 0 };
    Map counts = { 0 };
    TokenIndex index;
    token_index_init(&index, doc);
    if (doc->count <= SETS_HUGE) list_names(doc, &names, &counts);
    for (size_t k = 0; k < names.len; k++) {
        DocEdits edits = { 0 };
        bool ok = true;
        EACH_TOKEN_LIKE(i, &index, names.at[k])
        ok = ok && sets_drop_around(doc, shapes, doc->tree.tokens.at[i].node, &edits);
        if (ok) sets_add(t, out, &edits);
        vec_release(&edits);
    }
    token_index_release(&index);
    vec_release(&names);
    map_release(&counts);
}

/* The n-th short name: a, b, .., z, A, .., Z, aa, .. */
static Str short_name(Arena *arena, size_t n) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (n < 52) return arena_str(arena, (Str){ &letters[n], 1 });
    return str_from(arena_fmt(arena, "%c%c", letters[(n / 52 - 1) % 52], letters[n % 52]));
}

static void add_rename(const Target *t, const TokenIndex *index, Str from, Str to,
                       DocEdits *edits) {
    EACH_TOKEN_LIKE(i, index, from)
    if (is_name(&target_doc(t)->tree, i)) vec_push(edits, ((DocEdit){ .token = i, .text = to }));
}

/* Names any side has must not be taken. */
static void note_taken(const Target *t, Map *taken) {
    for (int s = 0; s < SIDES; s++) {
        const Doc *doc = &t->r->side[s].doc;
        for (uint32_t i = 0; t->r->side[s].on && i < doc->tree.tokens.len; i++)
            map_put(taken, tree_token_text(&doc->tree, i), 1);
    }
}

void find_renames(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    out->ordered = out->together = true;
    StrVec names = { 0 };
    Map counts = { 0 }, taken = { 0 };
    TokenIndex index;
    token_index_init(&index, doc);
    list_names(doc, &names, &counts);
    note_taken(t, &taken);
    size_t next = 0;
    for (size_t k = 0; k < names.len; k++) {
        if (names.at[k].len < 2 || str_is(names.at[k], "main")) continue;
        Str to;
        do to = short_name(&out->arena, next++);
        while (map_get(&taken, to, NULL));
        if (to.len >= names.at[k].len) continue;
        DocEdits one = { 0 };
        add_rename(t, &index, names.at[k], to, &one);
        sets_add(t, out, &one);
        vec_release(&one);
    }
    token_index_release(&index);
    vec_release(&names);
    map_release(&counts);
    map_release(&taken);
}

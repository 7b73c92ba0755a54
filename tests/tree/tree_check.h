/* What must hold for the tree of any text, checked on the tree and its text alone:
 *   1. nodes nest and tokens are in order; between two tokens there is nothing but white space;
 *   2. all tokens written out give back the same bytes;
 *   3. for any two trees, all hunks of their difference applied to the first give the bytes of the
 *      second, at every grain, along the trees (GumTree) and without them (Myers);
 *   4. none of them applied gives the tokens of the first;
 *   5. laid out it has the same bytes but for white space.
 * Each check appends what is wrong to `why` and returns false. */
#ifndef CULPRIT_TREE_CHECK_H
#define CULPRIT_TREE_CHECK_H

#include "base/rng.h"
#include "tree/gumtree.h"
#include "tree/pretty.h"
#include "tree/render.h"
#include "tree/words.h"

static inline bool tree_fault(Buf *why, const char *what, size_t place) {
    buf_fmt(why, "%s (at %zu)", what, place);
    return false;
}

static inline bool tree_check_nodes(const Tree *t, Buf *why) {
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        const TreeNode *n = &t->nodes.at[i], *p = &t->nodes.at[n->parent];
        if (i != 0 && !(n->parent < i && i < n->parent + p->size))
            return tree_fault(why, "node outside of its parent", i);
        if (n->token > n->token_end || n->token < p->token || n->token_end > p->token_end)
            return tree_fault(why, "node with tokens its parent has not", i);
        if (n->start > n->end || n->end > t->text.len)
            return tree_fault(why, "node without a range", i);
    }
    return true;
}

static inline bool tree_check_tokens(const Tree *t, Buf *why) {
    for (size_t i = 0; i < t->tokens.len; i++) {
        const TreeToken *k = &t->tokens.at[i];
        if (k->start >= k->end || (i > 0 && k[-1].end > k->start))
            return tree_fault(why, "token out of order", i);
        if (k->node >= t->nodes.len) return tree_fault(why, "token without a node", i);
        Str space = render_space_before(t, i);
        for (size_t j = 0; j < space.len; j++)
            if (!strchr(" \t\n\r\f\v", space.at[j]))
                return tree_fault(why, "text that is in no token", k->start);
    }
    return true;
}

static inline bool tree_check_round_trip(const Tree *t, Buf *why) {
    Buf out = { 0 };
    render_kept(t, NULL, &out);
    bool same = str_eq(buf_view(&out), t->text);
    buf_release(&out);
    return same || tree_fault(why, "tokens that do not give back the text", t->tokens.len);
}

static inline bool tree_check_layout(const Tree *t, Buf *why) {
    Buf out = { 0 };
    pretty_text(t, &out);
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < t->text.len && words_is_space(t->text.at[i])) i++;
        while (j < out.len && words_is_space(out.at[j])) j++;
        if (i >= t->text.len || j >= out.len || t->text.at[i] != out.at[j]) break;
    }
    bool same = i >= t->text.len && j >= out.len;
    buf_release(&out);
    return same || tree_fault(why, "laid out it is another text", i);
}

static inline bool tree_check(const Tree *t, Buf *why) {
    return tree_check_nodes(t, why) && tree_check_tokens(t, why) && tree_check_round_trip(t, why) &&
           tree_check_layout(t, why);
}

static inline bool tree_stands_at(Str text, size_t at, Str token) {
    return text.len - at >= token.len && memcmp(text.at + at, token.at, token.len) == 0;
}

/* The tokens of t in their order, with nothing but white space between (a token may begin with
 * white space itself: text in quotes). */
static inline bool tree_is_spelt(Str text, const Tree *t) {
    size_t at = 0;
    for (size_t i = 0; i < t->tokens.len; i++) {
        Str token = tree_token_text(t, i);
        while (!tree_stands_at(text, at, token))
            if (at >= text.len || !words_is_space(text.at[at++])) return false;
        at += token.len;
    }
    while (at < text.len && words_is_space(text.at[at])) at++;
    return at == text.len;
}

static inline bool tree_check_hunks(const Tree *a, const Tree *b, const DiffHunks *hunks,
                                    Buf *why) {
    Buf out = { 0 };
    render_patch(a, b, hunks, NULL, &out);
    bool good = str_eq(buf_view(&out), b->text) ||
                tree_fault(why, "patch that does not give the other text", hunks->len);
    if (good) {
        buf_clear(&out);
        uint8_t *none = mem_alloc(hunks->len + 1);
        render_patch(a, b, hunks, none, &out);
        mem_free(none);
        good = tree_is_spelt(buf_view(&out), a) ||
               tree_fault(why, "nothing patched, other tokens", hunks->len);
    }
    buf_release(&out);
    return good;
}

typedef void TreeDiff(const Tree *a, const Tree *b, DiffHunks *out);

static inline bool tree_check_diff(const Tree *a, const Tree *b, TreeDiff *diff, Buf *why) {
    DiffHunks hunks = { 0 }, cut = { 0 }, single = { 0 };
    diff(a, b, &hunks);
    tree_diff_cut(a, b, &hunks, &cut);
    diff_split(&hunks, &single);
    bool good = tree_check_hunks(a, b, &hunks, why) && tree_check_hunks(a, b, &cut, why) &&
                tree_check_hunks(a, b, &single, why);
    if (good && (diff_size(&cut) != diff_size(&hunks) || diff_size(&single) != diff_size(&hunks)))
        good = tree_fault(why, "grains that are not alike in size", diff_size(&hunks));
    vec_release(&hunks), vec_release(&cut), vec_release(&single);
    return good;
}

static inline bool tree_check_pair(const Tree *a, const Tree *b, Buf *why) {
    return tree_check_diff(a, b, tree_diff, why) && tree_check_diff(a, b, tree_diff_tokens, why);
}

/* A random text near t: up to five times a subtree is taken out or another put in its place. */
static inline void tree_mutate(const Tree *t, Rng *rng, Buf *out) {
    size_t edits = rng_below(rng, 6);
    buf_str(out, t->text);
    for (size_t e = 0; e < edits; e++) {
        const TreeNode *n = &t->nodes.at[rng_below(rng, t->nodes.len)];
        const TreeNode *m = &t->nodes.at[rng_below(rng, t->nodes.len)];
        if (n->end > out->len) continue;
        Buf next = { 0 };
        buf_add(&next, out->at, n->start);
        if (rng_chance(rng, 0.5)) buf_str(&next, str_sub(t->text, m->start, m->end));
        buf_add(&next, out->at + n->end, out->len - n->end);
        buf_release(out);
        *out = next;
    }
}

#endif

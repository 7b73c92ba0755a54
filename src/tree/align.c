/* From matched nodes to hunks of tokens; see gumtree.h. */
#include "tree/gumtree.h"

typedef struct Numbers {
    uint32_t *a, *b; /* tokens as numbers, equal for equal text */
} Numbers;

static Numbers number_tokens(const Tree *a, const Tree *b) {
    Numbers n = { mem_alloc(a->tokens.len * 4 + 4), mem_alloc(b->tokens.len * 4 + 4) };
    DiffTable table = { 0 };
    for (size_t i = 0; i < a->tokens.len; i++) n.a[i] = diff_number(&table, tree_token_text(a, i));
    for (size_t i = 0; i < b->tokens.len; i++) n.b[i] = diff_number(&table, tree_token_text(b, i));
    diff_table_release(&table);
    return n;
}

static void numbers_release(Numbers *n) {
    mem_free(n->a);
    mem_free(n->b);
}

/* a's tokens -> b's, for tokens of the same text whose leaves are matched; else UINT32_MAX. */
static uint32_t *matched_tokens(const Tree *a, const Tree *b, const Numbers *n) {
    TreeMatch match;
    tree_match(a, b, &match);
    uint32_t *to = mem_alloc(a->tokens.len * 4 + 4);
    for (size_t i = 0; i < a->tokens.len; i++) {
        uint32_t leaf = a->tokens.at[i].node, other = match.to_b[leaf];
        to[i] = UINT32_MAX;
        if (other == TREE_UNMATCHED || a->nodes.at[leaf].size > 1 || b->nodes.at[other].size > 1)
            continue;
        const TreeNode *y = &b->nodes.at[other];
        if (y->token_end == y->token + 1 && n->a[i] == n->b[y->token]) to[i] = y->token;
    }
    tree_match_release(&match);
    return to;
}

/* Keeps in `to` only a longest increasing subsequence, which does not cross (patience sorting). */
static void keep_uncrossed(uint32_t *to, size_t n) {
    VEC(uint32_t) tops = { 0 }; /* index into to: the smallest end of a row of each length */
    uint32_t *before = mem_alloc(n * 4 + 4);
    for (uint32_t i = 0; i < n; i++) {
        if (to[i] == UINT32_MAX) continue;
        size_t lo = 0, hi = tops.len;
        while (lo < hi) {
            size_t mid = (lo + hi) / 2;
            if (to[tops.at[mid]] < to[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        before[i] = lo ? tops.at[lo - 1] : UINT32_MAX;
        if (lo == tops.len)
            vec_push(&tops, i);
        else
            tops.at[lo] = i;
    }
    uint8_t *stay = mem_alloc(n + 1);
    for (uint32_t i = tops.len ? vec_last(&tops) : UINT32_MAX; i != UINT32_MAX; i = before[i])
        stay[i] = 1;
    for (size_t i = 0; i < n; i++)
        if (!stay[i]) to[i] = UINT32_MAX;
    vec_release(&tops);
    mem_free(before);
    mem_free(stay);
}

/* The difference of a[a0..a1) and b[b0..b1), moved to its place. */
static void fill(const Numbers *n, size_t a0, size_t a1, size_t b0, size_t b1, DiffHunks *out) {
    size_t from = out->len;
    if (a0 == a1 && b0 == b1) return;
    diff_seqs((DiffSeq){ n->a + a0, a1 - a0 }, (DiffSeq){ n->b + b0, b1 - b0 }, out);
    for (size_t h = from; h < out->len; h++) out->at[h].a += a0, out->at[h].b += b0;
    /* Runs that meet without an anchor between them are one hunk. */
    if (from && from < out->len) {
        DiffHunk *x = &out->at[from - 1], *y = &out->at[from];
        if (x->a + x->a_len == y->a && x->b + x->b_len == y->b) {
            x->a_len += y->a_len, x->b_len += y->b_len;
            memmove(y, y + 1, (out->len - from - 1) * sizeof *y);
            out->len--;
        }
    }
}

void tree_diff(const Tree *a, const Tree *b, DiffHunks *out) {
    Numbers n = number_tokens(a, b);
    uint32_t *to = matched_tokens(a, b, &n);
    keep_uncrossed(to, a->tokens.len);
    size_t a0 = 0, b0 = 0;
    for (size_t i = 0; i < a->tokens.len; i++) {
        if (to[i] == UINT32_MAX) continue;
        fill(&n, a0, i, b0, to[i], out);
        a0 = i + 1, b0 = to[i] + 1;
    }
    fill(&n, a0, a->tokens.len, b0, b->tokens.len, out);
    mem_free(to);
    numbers_release(&n);
}

void tree_diff_tokens(const Tree *a, const Tree *b, DiffHunks *out) {
    Numbers n = number_tokens(a, b);
    fill(&n, 0, a->tokens.len, 0, b->tokens.len, out);
    numbers_release(&n);
}

/* Where the largest subtree ends that begins with token `at` and lies before token `end`. */
static size_t subtree_end(const Tree *t, size_t at, size_t end) {
    uint32_t node = t->tokens.at[at].node;
    size_t reached = at + 1;
    while (node && t->nodes.at[node].token == at && t->nodes.at[node].token_end <= end) {
        if (t->nodes.at[node].token_end > reached) reached = t->nodes.at[node].token_end;
        node = t->nodes.at[node].parent;
    }
    return reached;
}

static size_t count_subtrees(const Tree *t, size_t at, size_t len) {
    size_t count = 0;
    for (size_t end = at + len; at < end; count++) at = subtree_end(t, at, end);
    return count;
}

void tree_diff_cut(const Tree *a, const Tree *b, const DiffHunks *hunks, DiffHunks *out) {
    for (size_t h = 0; h < hunks->len; h++) {
        const DiffHunk *x = &hunks->at[h];
        if (count_subtrees(a, x->a, x->a_len) <= 1 && count_subtrees(b, x->b, x->b_len) <= 1) {
            vec_push(out, *x);
            continue;
        }
        for (size_t at = x->a, next; at < x->a + x->a_len; at = next) {
            next = subtree_end(a, at, x->a + x->a_len);
            vec_push(out, ((DiffHunk){ at, next - at, x->b, 0 }));
        }
        for (size_t at = x->b, next; at < x->b + x->b_len; at = next) {
            next = subtree_end(b, at, x->b + x->b_len);
            vec_push(out, ((DiffHunk){ x->a + x->a_len, 0, at, next - at }));
        }
    }
}

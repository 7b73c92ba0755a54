/* See target.h. */
#include "reduce/target.h"
#include "tree/gumtree.h"

static void align(Target *t) {
    const Tree *own = &t->r->side[t->side].doc.tree, *other = &t->r->side[!t->side].doc.tree;
    t->partner = mem_alloc((own->tokens.len + 1) * sizeof(uint32_t));
    t->back = mem_alloc((other->tokens.len + 1) * sizeof(uint32_t));
    memset(t->partner, 0xff, own->tokens.len * sizeof(uint32_t));
    memset(t->back, 0xff, other->tokens.len * sizeof(uint32_t));
    DiffHunks hunks = { 0 };
    tree_diff_tokens(own, other, &hunks);
    uint32_t a = 0, b = 0;
    for (size_t h = 0; h <= hunks.len; h++) {
        size_t end = h < hunks.len ? hunks.at[h].a : own->tokens.len;
        for (; a < end; a++, b++) t->partner[a] = b, t->back[b] = a;
        if (h == hunks.len) break;
        a += (uint32_t)hunks.at[h].a_len, b += (uint32_t)hunks.at[h].b_len;
    }
    vec_release(&hunks);
}

void target_init(Target *t, Reducer *r, int side, bool paired) {
    *t = (Target){ .r = r, .side = side, .paired = paired && r->pair };
    if (t->paired) align(t);
}

void target_init_difference(Target *t, Reducer *r, int side) {
    target_init(t, r, side, true);
    t->paired = false;
    size_t n = r->side[side].doc.tree.tokens.len;
    t->only = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) t->only[i] = t->partner[i] == UINT32_MAX;
}

void target_release(Target *t) {
    mem_free(t->partner);
    mem_free(t->back);
    mem_free(t->only);
}

/* The other side's tokens strictly between two corresponding tokens that both go, with nothing of
 * their own to stay between them. */
static void add_inner(const Target *t, uint32_t before, uint32_t after, DocEdits *out) {
    const Doc *other = &t->r->side[!t->side].doc;
    for (uint32_t i = before + 1; i < after; i++)
        if (other->alive[i] && t->back[i] == UINT32_MAX) vec_push(out, ((DocEdit){ i, { 0 } }));
}

/* Whether a living common token of this side stands between tokens a and b. */
static bool common_between(const Target *t, uint32_t a, uint32_t b) {
    const Doc *doc = target_doc(t);
    for (uint32_t i = a + 1; i < b; i++)
        if (doc->alive[i] && t->partner[i] != UINT32_MAX) return true;
    return false;
}

static void follow(const Target *t, const DocEdit *edits, size_t n, bool inner, DocEdits *out) {
    const Doc *doc = target_doc(t), *other = &t->r->side[!t->side].doc;
    uint32_t last = UINT32_MAX; /* the last common token that goes */
    for (size_t e = 0; e < n; e++) {
        uint32_t token = edits[e].token;
        if (!doc->alive[token] || t->partner[token] == UINT32_MAX) continue;
        uint32_t twin = t->partner[token];
        if (inner && !edits[e].text.at && last != UINT32_MAX && !common_between(t, last, token))
            add_inner(t, t->partner[last], twin, out);
        if (other->alive[twin]) vec_push(out, ((DocEdit){ twin, edits[e].text }));
        last = edits[e].text.at ? UINT32_MAX : token;
    }
}

bool target_has_inner(const Target *t, const DocEdit *edits, size_t n) {
    if (!t->paired) return false;
    DocEdits with = { 0 }, without = { 0 };
    follow(t, edits, n, true, &with);
    follow(t, edits, n, false, &without);
    bool more = with.len > without.len;
    vec_release(&with);
    vec_release(&without);
    return more;
}

bool target_propose(const Target *t, const DocEdit *edits, size_t n, bool inner, Candidate *c) {
    const Doc *doc = target_doc(t);
    bool any = false;
    for (size_t e = 0; e < n && !any; e++) any = doc->alive[edits[e].token];
    if (!any) return false;
    doc_change(doc, &c->arena, edits, n, &c->side[t->side]);
    if (!t->paired) return true;
    DocEdits twins = { 0 };
    follow(t, edits, n, inner, &twins);
    if (twins.len)
        doc_change(&t->r->side[!t->side].doc, &c->arena, twins.at, twins.len, &c->side[!t->side]);
    vec_release(&twins);
    return true;
}

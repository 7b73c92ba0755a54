/* See target.h. */
#include "reduce/target.h"
#include "tree/gumtree.h"

/* Times a deletion is closed on one side and mirrored on the other. */
#define TARGET_MIRRORS 4

static void align(Target *t) {
    const Tree *own = &t->r->side[t->side].doc.tree, *other = &t->r->side[!t->side].doc.tree;
    t->partner = mem_alloc((own->tokens.len + 1) * sizeof(uint32_t));
    t->back = mem_alloc((other->tokens.len + 1) * sizeof(uint32_t));
    memset(t->partner, 0xff, own->tokens.len * sizeof(uint32_t));
    memset(t->back, 0xff, other->tokens.len * sizeof(uint32_t));
    DiffHunks hunks = { 0 };
    tree_diff(own, other, &hunks);
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
    for (int s = 0; s < SIDES; s++)
        if (t->uses[s].doc) uses_release(&t->uses[s]);
}

/* The other side's tokens strictly between two corresponding tokens that both go, with nothing of
 * their own to stay between them. */
static void add_inner(const Target *t, uint32_t before, uint32_t after, DocEdits *out) {
    const Doc *other = &t->r->side[!t->side].doc;
    for (uint32_t i = before + 1; i < after; i++)
        if (other->alive[i] && t->back[i] == UINT32_MAX) vec_push(out, ((DocEdit){ .token = i }));
}

/* Whether a living common token of this side is between tokens a and b. */
static bool common_between(const Target *t, uint32_t a, uint32_t b) {
    const Doc *doc = target_doc(t);
    for (uint32_t i = a + 1; i < b; i++)
        if (doc->alive[i] && t->partner[i] != UINT32_MAX) return true;
    return false;
}

/* Whether all tokens that only this side has after the common token `edge` go, from edit e on;
 * *next gets where the other side's own tokens there end. */
static bool hunk_goes(const Target *t, const DocEdits *edits, size_t e, uint32_t edge,
                      uint32_t *next) {
    const Doc *doc = target_doc(t);
    size_t n = doc->tree.tokens.len;
    *next = (uint32_t)t->r->side[!t->side].doc.tree.tokens.len;
    for (uint32_t i = edge + 1; i < n; i++) {
        if (!doc->alive[i]) continue;
        if (t->partner[i] != UINT32_MAX) {
            *next = t->partner[i];
            break;
        }
        if (e == edits->len || edits->at[e].token != i || edits->at[e].text.at) return false;
        e++;
    }
    return true;
}

/* What the other side loses with these edits; true: inner tokens are among it. */
static bool follow(const Target *t, const DocEdits *edits, bool inner, DocEdits *out) {
    const Doc *doc = target_doc(t), *other = &t->r->side[!t->side].doc;
    uint32_t last = UINT32_MAX; /* the last common token that goes */
    uint32_t edge = UINT32_MAX; /* the last common token that goes or changes */
    bool any = false;
    for (size_t e = 0; e < edits->len; e++) {
        uint32_t token = edits->at[e].token, next;
        Str text = edits->at[e].text;
        size_t was = out->len;
        if (!doc->alive[token]) continue;
        if (t->partner[token] == UINT32_MAX) {
            /* Where one side's part of a difference goes, the other side's goes with it. */
            if (inner && edge != UINT32_MAX && hunk_goes(t, edits, e, edge, &next)) {
                add_inner(t, t->partner[edge], next, out);
                last = UINT32_MAX;
            }
            edge = UINT32_MAX;
            any |= out->len > was;
            continue;
        }
        uint32_t twin = t->partner[token];
        if (inner && !text.at && last != UINT32_MAX && !common_between(t, last, token))
            add_inner(t, t->partner[last], twin, out);
        any |= out->len > was;
        Str own = edits->at[e].twin.at ? edits->at[e].twin : text;
        if (other->alive[twin]) vec_push(out, ((DocEdit){ .token = twin, .text = own }));
        last = text.at ? UINT32_MAX : token;
        edge = token;
    }
    return any;
}

static void need_uses(Target *t) {
    if (t->has_uses) return;
    t->has_uses = true;
    for (int s = 0; s < SIDES; s++)
        if (s == t->side || t->paired) uses_init(&t->uses[s], &t->r->side[s].doc);
}

/* Common tokens that go on the other side but not yet on this one: they go here as well. False:
 * there are none. */
static bool mirror(const Target *t, const DocEdits *twins, DocEdits *edits) {
    const Doc *doc = target_doc(t);
    DocEdits all = { 0 };
    size_t e = 0;
    bool added = false;
    for (size_t i = 0; i < twins->len; i++) {
        uint32_t token = t->back[twins->at[i].token];
        if (token == UINT32_MAX || !doc->alive[token]) continue;
        for (; e < edits->len && edits->at[e].token < token; e++) vec_push(&all, edits->at[e]);
        if (e < edits->len && edits->at[e].token == token) continue;
        vec_push(&all, ((DocEdit){ .token = token, .text = twins->at[i].text }));
        added = true;
    }
    for (; e < edits->len; e++) vec_push(&all, edits->at[e]);
    vec_release(edits);
    *edits = all;
    return added;
}

/* Closes the edits of both sides over what uses what is gone. */
static UsesClosed close_both(Target *t, UsesHow how, bool inner, DocEdits *edits, DocEdits *twins,
                             bool *has_inner) {
    UsesClosed all = { 0 };
    for (int round = 0; round < TARGET_MIRRORS; round++) {
        UsesClosed own = uses_close(&t->uses[t->side], how, edits);
        all.added |= own.added, all.unwrapped |= own.unwrapped;
        if (!t->paired) break;
        vec_clear(twins);
        *has_inner = follow(t, edits, inner, twins);
        UsesClosed other = uses_close(&t->uses[!t->side], how, twins);
        all.added |= other.added, all.unwrapped |= other.unwrapped;
        if (!other.added || !mirror(t, twins, edits)) break;
    }
    return all;
}

static bool may_all(const Target *t, const DocEdits *edits) {
    for (size_t e = 0; e < edits->len; e++)
        if (target_may(t, edits->at[e].token) == false) return false;
    return true;
}

/* What each way does. */
typedef struct WayForm {
    bool closes; /* over what uses what is gone .. */
    UsesHow how; /* .. so */
    bool outer;  /* tokens that only the other side has, between tokens that go, stay */
} WayForm;
static const WayForm forms[WAYS] = {
    [WAY_DROP] = { true, USES_DROP, false },
    [WAY_DROP_OUTER] = { true, USES_DROP, true },
    [WAY_UNWRAP] = { true, USES_UNWRAP, false },
    [WAY_UNWRAP_OUTER] = { true, USES_UNWRAP, true },
    [WAY_TIDY] = { true, USES_TIDY, false },
    [WAY_PLAIN] = { false, USES_DROP, false },
    [WAY_PLAIN_OUTER] = { false, USES_DROP, true },
};

/* Would closing the edits add anything? Where it would not, the closed form was the same. */
static bool closing_adds(Target *t, const DocEdits *edits) {
    DocEdits copy = { 0 }, twins = { 0 };
    bool has_inner;
    for (size_t i = 0; i < edits->len; i++) vec_push(&copy, edits->at[i]);
    need_uses(t);
    bool added = close_both(t, USES_DROP, true, &copy, &twins, &has_inner).added;
    vec_release(&copy);
    vec_release(&twins);
    return added;
}

/* The edits as they are, with what follows on the other side; false: the same as one before. */
static bool form_plain(Target *t, bool outer, bool plain, DocEdits *edits, DocEdits *twins) {
    bool has_inner = t->paired && follow(t, edits, true, twins);
    if (outer && !has_inner) return false;
    if (outer) {
        vec_clear(twins);
        follow(t, edits, false, twins);
    }
    return plain || closing_adds(t, edits);
}

/* The edits closed over their uses; false: the same as one before. */
static bool form_closed(Target *t, const WayForm *form, DocEdits *edits, DocEdits *twins) {
    bool has_inner = false;
    need_uses(t);
    if (form->how == USES_TIDY && !t->uses[t->side].minds_unused) return false;
    UsesClosed closed = close_both(t, form->how, !form->outer, edits, twins, &has_inner);
    if (form->how == USES_TIDY && !closed.added) return false;
    if (form->how == USES_UNWRAP && !closed.unwrapped) return false;
    if (form->outer && t->paired) {
        DocEdits with = { 0 };
        has_inner = follow(t, edits, true, &with);
        vec_release(&with);
    }
    return (!form->outer || has_inner) && (!t->only || may_all(t, edits));
}

void target_propose(Target *t, const DocEdits *given, TargetWay way, bool plain, Candidate *c) {
    const Doc *doc = target_doc(t);
    bool any = false;
    for (size_t e = 0; e < given->len && !any; e++) any = doc->alive[given->at[e].token];
    const WayForm *form = &forms[way];
    if (!any || (form->outer && !t->paired)) return;
    DocEdits edits = { 0 }, twins = { 0 };
    for (size_t e = 0; e < given->len; e++) vec_push(&edits, given->at[e]);
    if (form->closes ? form_closed(t, form, &edits, &twins)
                     : form_plain(t, form->outer, plain, &edits, &twins)) {
        doc_change(doc, &c->arena, edits.at, edits.len, &c->side[t->side]);
        if (twins.len)
            doc_change(&t->r->side[!t->side].doc, &c->arena, twins.at, twins.len,
                       &c->side[!t->side]);
    }
    vec_release(&edits);
    vec_release(&twins);
}

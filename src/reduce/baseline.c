/* dd and ddmin on the variant's tokens, blind to syntax: what the paper compares with.
 *
 * A subset of tokens fails when the variant's test accepts it, and passes when the seed's test
 * does. So a candidate wanted to fail is a change of the variant, one wanted to pass a change of
 * the seed, and the two documents are the two ends that dd moves. */
#include "reduce/ppr.h"

typedef struct BlindTest {
    Reducer *r;
    Tree tree; /* of the variant at the start */
    Buf text;
    const ShrinkRound *round;
    uint8_t *keep;
} BlindTest;

static bool propose_blind(void *user, size_t i, Candidate *c) {
    BlindTest *b = user;
    if (i >= b->round->count) return false;
    int side = b->round->make(b->round, i, b->keep) == SHRINK_FAILS ? VARIANT : SEED;
    Buf text = { 0 };
    render_kept(&b->tree, b->keep, &text);
    doc_replace(&b->r->side[side].doc, &c->arena, buf_view(&text), &c->side[side]);
    buf_release(&text);
    return true;
}

static size_t first_blind(void *user, const ShrinkRound *round) {
    BlindTest *b = user;
    b->round = round;
    b->r->todo = round->count;
    size_t hit = reducer_first(b->r, propose_blind, b);
    return reduce_stopped(b->r) ? SHRINK_STOP : hit;
}

static void blind_begin(BlindTest *b, Reducer *r) {
    *b = (BlindTest){ .r = r };
    buf_str(&b->text, doc_text(&r->side[VARIANT].doc));
    tree_parse(r->side[VARIANT].doc.lang, buf_view(&b->text), &b->tree);
    b->keep = mem_alloc(b->tree.tokens.len + 1);
    r->blind = true;
}

static void blind_end(BlindTest *b) {
    b->r->blind = false;
    tree_release(&b->tree);
    buf_release(&b->text);
    mem_free(b->keep);
    reduce_refresh(b->r);
}

void reduce_dd(Reducer *r) {
    BlindTest b;
    reducer_phase(r, "dd");
    blind_begin(&b, r);
    doc_load(&r->side[SEED].doc, (Str){ "", 0 });
    size_t n = b.tree.tokens.len;
    uint8_t *pass = mem_alloc(n + 1), *fail = mem_alloc(n + 1);
    memset(fail, 1, n);
    ShrinkTest test = { first_blind, &b };
    shrink_dd(&test, pass, fail, n);
    mem_free(pass);
    mem_free(fail);
    blind_end(&b);
}

void reduce_ddmin(Reducer *r) {
    BlindTest b;
    reducer_phase(r, "ddmin");
    blind_begin(&b, r);
    size_t n = b.tree.tokens.len;
    uint8_t *keep = mem_alloc(n + 1);
    memset(keep, 1, n);
    ShrinkTest test = { first_blind, &b };
    shrink_ddmin(&test, keep, n);
    mem_free(keep);
    blind_end(&b);
}

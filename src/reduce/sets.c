/* See sets.h. */
#include "reduce/sets.h"
#include "reduce/find/finders.h"
#include "reduce/ppr.h"
#include "tree/words.h"

static int by_token(const void *a, const void *b) {
    const DocEdit *x = a, *y = b;
    return x->token < y->token ? -1 : x->token > y->token;
}

/* Tokens of a replacement text: runs of letters, and of signs that are not brackets. */
static size_t count_words(Str text) {
    size_t n = 0;
    char last = ' ';
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        bool letter = words_is_letter(c), same = letter == words_is_letter(last);
        if (!words_is_space(c) && (!same || words_is_space(last) || strchr("(){}[];,", c))) n++;
        last = c;
    }
    return n;
}

/* Tokens that go where a text takes the place of a token: one that is a string has many words. */
static int64_t gain_of(Str token, Str text) {
    size_t own = count_words(token), words = count_words(text);
    if (!words) return 1;
    return words > own ? (int64_t)own - (int64_t)words : 0;
}

void sets_add(const Target *t, EditSets *out, DocEdits *edits) {
    const Doc *doc = target_doc(t);
    if (edits->len) qsort(edits->at, edits->len, sizeof(DocEdit), by_token);
    size_t n = 0;
    int64_t gain = 0, shorter = 0;
    for (size_t i = 0; i < edits->len; i++) {
        const DocEdit *e = &edits->at[i];
        if (!doc->alive[e->token] || (n && edits->at[n - 1].token == e->token)) continue;
        Str token = tree_token_text(&doc->tree, e->token);
        gain += e->text.at ? gain_of(token, e->text) : 1;
        shorter += (int64_t)token.len - (int64_t)e->text.len;
        edits->at[n++] = *e;
    }
    edits->len = n;
    if (!n || gain < 0 || (gain == 0 && shorter <= 0)) return;
    EditSet set = { arena_copy(&out->arena, edits->at, n * sizeof(DocEdit)), n, gain, 0 };
    vec_push(&out->list, set);
}

static int by_gain(const void *a, const void *b) {
    const EditSet *x = a, *y = b;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* In a program of more tokens than SETS_LARGE each finder proposes at most SETS_MOST sets, the
 * best: the sweeps remove more, and faster. */
enum { SETS_LARGE = 4000, SETS_MOST = 200 };

void sets_order(EditSets *sets, const Doc *doc) {
    for (size_t i = 0; i < sets->list.len; i++) sets->list.at[i].at = i;
    if (sets->list.len && !sets->ordered)
        qsort(sets->list.at, sets->list.len, sizeof(EditSet), by_gain);
    if (doc->count > SETS_LARGE && sets->list.len > SETS_MOST) sets->list.len = SETS_MOST;
}

/* ---- tokens with the same text ---- */
void token_index_init(TokenIndex *index, const Doc *doc) {
    size_t n = doc->tree.tokens.len;
    *index = (TokenIndex){ .next = mem_alloc((n + 1) * sizeof(uint32_t)) };
    for (size_t i = n; i-- > 0;) {
        if (!doc->alive[i]) continue;
        uint64_t *first = map_at(&index->first, tree_token_text(&doc->tree, i));
        index->next[i] = *first ? (uint32_t)*first - 1 : UINT32_MAX;
        *first = i + 1;
    }
}

void token_index_release(TokenIndex *index) {
    map_release(&index->first);
    mem_free(index->next);
}

uint32_t token_index_first(const TokenIndex *index, Str text) {
    uint64_t first = 0;
    map_get(&index->first, text, &first);
    return first ? (uint32_t)first - 1 : UINT32_MAX;
}

void sets_drop_node(const Doc *doc, uint32_t node, DocEdits *edits) {
    sets_keep_only(doc, node, UINT32_MAX, edits);
}

void sets_keep_only(const Doc *doc, uint32_t node, uint32_t inside, DocEdits *edits) {
    const TreeNode *n = &doc->tree.nodes.at[node];
    uint32_t from = 0, to = 0;
    if (inside != UINT32_MAX)
        from = doc->tree.nodes.at[inside].token, to = doc->tree.nodes.at[inside].token_end;
    for (uint32_t i = n->token; i < n->token_end; i++)
        if (doc->alive[i] && !(i >= from && i < to)) vec_push(edits, ((DocEdit){ .token = i }));
}

/* The child at `place` of the row with what must go with it; false: it cannot go. */
static bool drop_element(const Doc *doc, const Row *row, size_t place, DocEdits *edits) {
    Elements elements = { 0 };
    row_elements(row, doc, &elements);
    bool found = false;
    for (size_t e = 0; e < elements.len && !found; e++) {
        if (place < elements.at[e].first || place > elements.at[e].last) continue;
        found = true;
        for (uint32_t k = elements.at[e].first; k <= elements.at[e].last; k++)
            sets_drop_node(doc, row->child.at[k], edits);
    }
    vec_release(&elements);
    return found;
}

bool sets_drop_around(const Doc *doc, const Shapes *shapes, uint32_t node, DocEdits *edits) {
    for (; node; node = doc->tree.nodes.at[node].parent) {
        Row row;
        row_init(&row, doc, shapes, doc->tree.nodes.at[node].parent);
        bool done = false;
        for (size_t i = 0; i < row.child.len && !done && row.known; i++)
            if (row.child.at[i] == node) done = drop_element(doc, &row, i, edits);
        row_release(&row);
        if (done) return true;
    }
    return false;
}

/* ---- trying them ---- */
/* Several sets as one: all, the halves of them, the quarters, down to parts of at least LEAST_PART
 * sets. */
enum { LEVELS = 5, LEAST_PART = 4 };

typedef struct SetTest {
    Target *t;
    EditSets *sets;
    size_t from;
    size_t batch, batches; /* tried before single sets: parts [batch, batches), numbered by size */
} SetTest;

static void add_set(DocEdits *edits, const EditSet *set) {
    for (size_t i = 0; i < set->n; i++) vec_push(edits, set->edits[i]);
}

/* Where two want the same token, the first one has it. */
static void settle_edits(DocEdits *edits) {
    size_t n = 0;
    qsort(edits->at, edits->len, sizeof(DocEdit), by_token);
    for (size_t i = 0; i < edits->len; i++)
        if (!n || edits->at[n - 1].token != edits->at[i].token) edits->at[n++] = edits->at[i];
    edits->len = n;
}

static size_t count_batches(size_t n) {
    size_t levels = n > 2 ? 2 : 0;
    while (levels && levels < LEVELS && n >> levels >= LEAST_PART) levels++;
    return levels ? ((size_t)1 << levels) - 1 : 0;
}

static void propose_batch(const SetTest *s, size_t which, Candidate *c) {
    size_t n = s->sets->list.len, parts = 1;
    while (which + 1 >= parts * 2) parts *= 2;
    size_t part = which + 1 - parts, first = n * part / parts, end = n * (part + 1) / parts;
    DocEdits edits = { 0 };
    for (size_t k = first; k < end; k++) add_set(&edits, &s->sets->list.at[k]);
    settle_edits(&edits);
    target_propose(s->t, &edits, WAY_TIDY, true, c);
    if (!c->side[s->t->side].touched) target_propose(s->t, &edits, WAY_PLAIN, true, c);
    c->unasked = s->sets->unasked;
    vec_release(&edits);
}

static bool propose_set(void *user, size_t i, Candidate *c) {
    SetTest *s = user;
    if (s->batch + i < s->batches) {
        propose_batch(s, s->batch + i, c);
        return true;
    }
    i -= s->batches - s->batch;
    if (s->sets->coarse) return false;
    size_t k = s->from + i / WAYS_ONLY_PLAIN;
    if (k >= s->sets->list.len) return false;
    const EditSet *set = &s->sets->list.at[k];
    DocEdits edits = { .at = set->edits, .len = set->n };
    TargetWay way = (TargetWay)(WAY_TIDY + i % WAYS_ONLY_PLAIN);
    target_propose(s->t, &edits, way, true, c);
    c->unasked = s->sets->unasked;
    return true;
}

size_t sets_try(Reducer *r, int side, bool paired, FindSets find) {
    size_t steps = 0, from = 0, batch = 0;
    bool batches = true; /* until one by one is what helps */
    while (!reduce_stopped(r)) {
        Target t;
        Shapes shapes;
        EditSets sets = { 0 };
        reduce_refresh(r);
        target_init(&t, r, side, paired);
        shapes_init(&shapes, target_doc(&t));
        if (target_doc(&t)->tree.lang || finder_is_blind(find)) find(&t, &shapes, &sets);
        sets_order(&sets, target_doc(&t));
        SetTest test = { &t, &sets, from, 0, 0 };
        if (batches && sets.together) test.batches = count_batches(sets.list.len);
        test.batch = batch < test.batches ? batch : test.batches;
        r->todo = sets.list.len > from ? sets.list.len - from : 0;
        size_t hit = r->todo ? reducer_first(r, propose_set, &test) : SHRINK_NONE;
        shapes_release(&shapes);
        target_release(&t);
        vec_release(&sets.list);
        arena_release(&sets.arena);
        if (hit >= SHRINK_STOP) break;
        batches = test.batch + hit < test.batches;
        if (batches)
            batch = test.batch + hit; /* larger parts were refused */
        else
            from += (test.batch + hit - test.batches) / WAYS_ONLY_PLAIN;
        steps++;
    }
    return steps;
}

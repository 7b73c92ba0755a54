/* See snippets.h. A hunk of the difference belongs to the smallest snippet whose place contains all
 * of it; a snippet takes with it the hunks of all snippets inside it. Hunks of no snippet stay. */
#include "reduce/snippets.h"
#include "base/json.h"
#include "reduce/ppr.h"
#include "tree/gumtree.h"

#define NO_SNIPPET UINT32_MAX

/* ---- reading ---- */
/* A guard's text has its two halves with " ... " between: the first one says where it begins. */
static void find_by_text(Str variant, Str text, ReduceSnippet *s) {
    size_t cut = str_find(text, STR(" ... "), 0);
    Str head = cut == STR_NONE ? text : str_sub(text, 0, cut);
    size_t at = head.len ? str_find(variant, head, 0) : STR_NONE;
    if (at == STR_NONE) return;
    s->begin = at, s->end = at + head.len;
}

bool snippets_read(Arena *arena, Str text, const char *name, Str variant, ReduceSnippets *out,
                   Error *err) {
    json_t *json = json_parse(text, name, err);
    if (!json) return false;
    const json_t *list = json_is_array(json) ? json : json_object_get(json, "snippets");
    if (!json_is_array(list)) {
        json_decref(json);
        return err_set(err, STATUS_BAD, "%s is not a list of snippets", name);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_get_bool(item, "needed", true)) continue;
        ReduceSnippet s = { .id = (uint64_t)json_get_int(item, "id", (int64_t)i), .needed = true };
        s.strategy = arena_str(arena, json_get_text(item, "strategy"));
        s.function = arena_str(arena, json_get_text(item, "function"));
        const json_t *needs = json_object_get(item, "needs");
        s.n_needs = json_array_size(needs);
        uint64_t *ids = ARENA_ARRAY(arena, uint64_t, s.n_needs + 1);
        for (size_t k = 0; k < s.n_needs; k++)
            ids[k] = (uint64_t)json_integer_value(json_array_get(needs, k));
        s.needs = ids;
        int64_t begin = json_get_int(item, "begin", -1), end = json_get_int(item, "end", -1);
        if (begin >= 0 && end > begin && (uint64_t)end <= variant.len)
            s.begin = (size_t)begin, s.end = (size_t)end;
        else if (begin < 0)
            find_by_text(variant, json_get_text(item, "text"), &s);
        vec_push(out, s);
    }
    json_decref(json);
    return true;
}

/* ---- which hunks belong to which ---- */
typedef struct SnippetTest {
    Reducer *r;
    Tree seed, variant; /* of the start */
    Buf texts[SIDES];
    DiffHunks hunks;
    uint32_t *owner; /* hunk -> snippet, or NO_SNIPPET */
    uint8_t *use;    /* scratch: hunk by hunk */
    uint8_t *keep;   /* scratch: snippet by snippet */
    const ReduceSnippets *snippets;
    const ShrinkRound *round;
    size_t steps;
} SnippetTest;

/* The smallest snippet that holds bytes [from, end). */
static uint32_t smallest_around(const ReduceSnippets *list, size_t from, size_t end) {
    uint32_t best = NO_SNIPPET;
    for (uint32_t i = 0; i < list->len; i++) {
        const ReduceSnippet *s = &list->at[i];
        if (s->begin > from || s->end < end || s->begin >= s->end) continue;
        if (best == NO_SNIPPET || s->end - s->begin < list->at[best].end - list->at[best].begin)
            best = i;
    }
    return best;
}

/* Whether a snippet is in the subset: it and all those around it are kept. */
static bool is_in(const SnippetTest *t, uint32_t snippet) {
    const ReduceSnippet *s = &t->snippets->at[snippet];
    if (!t->keep[snippet]) return false;
    for (size_t k = 0; k < s->n_needs; k++)
        for (size_t i = 0; i < t->snippets->len; i++)
            if (t->snippets->at[i].id == s->needs[k] && !t->keep[i]) return false;
    return true;
}

static void find_owners(SnippetTest *t) {
    const Tree *v = &t->variant;
    for (size_t h = 0; h < t->hunks.len; h++) {
        const DiffHunk *k = &t->hunks.at[h];
        size_t last = k->b_len ? k->b + k->b_len - 1 : k->b;
        t->owner[h] = NO_SNIPPET;
        if (last >= v->tokens.len) continue;
        size_t end = k->b_len ? v->tokens.at[last].end : v->tokens.at[last].start;
        t->owner[h] = smallest_around(t->snippets, v->tokens.at[k->b].start, end);
    }
}

static bool propose_subset(void *user, size_t i, Candidate *c) {
    SnippetTest *t = user;
    if (i >= t->round->count) return false;
    t->round->make(t->round, i, t->keep);
    for (size_t h = 0; h < t->hunks.len; h++)
        t->use[h] = t->owner[h] == NO_SNIPPET || is_in(t, t->owner[h]);
    Buf text = { 0 };
    render_patch(&t->seed, &t->variant, &t->hunks, t->use, &text);
    doc_replace(&t->r->side[VARIANT].doc, &c->arena, buf_view(&text), &c->side[VARIANT]);
    buf_release(&text);
    return true;
}

static size_t first_subset(void *user, const ShrinkRound *round) {
    SnippetTest *t = user;
    t->round = round;
    t->r->todo = round->count;
    size_t hit = reducer_first(t->r, propose_subset, t);
    if (hit < SHRINK_STOP) t->steps++;
    return reduce_stopped(t->r) ? SHRINK_STOP : hit;
}

size_t reduce_snippets(Reducer *r, ReduceSnippets *snippets) {
    if (!r->pair || !snippets->len || reduce_stopped(r)) return 0;
    reducer_phase(r, "snippets");
    size_t n = snippets->len;
    SnippetTest t = { .r = r, .snippets = snippets };
    for (int s = 0; s < SIDES; s++) buf_str(&t.texts[s], doc_text(&r->side[s].doc));
    tree_parse(r->side[SEED].doc.lang, buf_view(&t.texts[SEED]), &t.seed);
    tree_parse(r->side[VARIANT].doc.lang, buf_view(&t.texts[VARIANT]), &t.variant);
    tree_diff(&t.seed, &t.variant, &t.hunks);
    t.owner = mem_alloc((t.hunks.len + 1) * sizeof *t.owner);
    t.use = mem_alloc(t.hunks.len + 1);
    t.keep = mem_alloc(n + 1);
    uint8_t *keep = mem_alloc(n + 1);
    find_owners(&t);
    for (size_t i = 0; i < n; i++) keep[i] = snippets->at[i].end > 0;
    ShrinkTest test = { first_subset, &t };
    shrink_fast(&test, keep, n);
    for (size_t i = 0; i < n; i++) snippets->at[i].needed = keep[i];
    mem_free(keep);
    mem_free(t.owner), mem_free(t.use), mem_free(t.keep);
    vec_release(&t.hunks);
    tree_release(&t.seed), tree_release(&t.variant);
    for (int s = 0; s < SIDES; s++) buf_release(&t.texts[s]);
    reduce_refresh(r);
    return t.steps;
}

/* ---- what is left ---- */
void snippets_say(const ReduceSnippets *list, Buf *out) {
    size_t needed = 0;
    for (size_t i = 0; i < list->len; i++) needed += list->at[i].needed;
    buf_fmt(out, "%zu of %zu snippets matter", needed, list->len);
    for (size_t i = 0; i < list->len; i++) {
        const ReduceSnippet *s = &list->at[i];
        if (!s->needed) continue;
        buf_fmt(out, "%s " STR_FMT, needed ? ":" : ",", STR_ARG(s->strategy));
        if (s->function.len) buf_fmt(out, " in " STR_FMT, STR_ARG(s->function));
        needed = 0; /* the first one is printed */
    }
}

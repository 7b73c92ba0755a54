/* See rows.h. In long rows (thousands of top-level items) children with the same neighbours are
 * alike: the grammar is asked about one of each sort. */
#include "reduce/rows.h"
#include "reduce/reduce_knobs.h"

void shapes_init(Shapes *s, const Doc *doc) {
    size_t n = doc->tree.nodes.len;
    s->kind = mem_alloc((n + 1) * sizeof(uint16_t));
    s->loose = mem_alloc(n + 1);
    for (size_t i = 0; i < n; i++) s->kind[i] = doc->tree.nodes.at[i].kind;
}

void shapes_release(Shapes *s) {
    mem_free(s->kind);
    mem_free(s->loose);
}

static bool is_extra(const Row *row, const Doc *doc, size_t i) {
    return doc->tree.nodes.at[row->child.at[i]].flags & (NODE_EXTRA | NODE_ERROR);
}

/* Whether the grammar allows the row without what is gone (and without extras). */
static LangAnswer allowed(const Row *row, const Doc *doc, const uint8_t *gone) {
    uint16_t small[64] = { 0 }, *kinds = row->kind.len <= 64 ? small : mem_alloc(row->kind.len * 2);
    size_t n = 0;
    for (size_t i = 0; i < row->kind.len; i++)
        if (!(gone && gone[i]) && !is_extra(row, doc, i)) kinds[n++] = row->kind.at[i];
    LangAnswer answer = lang_allows(doc->tree.lang, doc->tree.nodes.at[row->node].kind, kinds, n);
    if (kinds != small) mem_free(kinds);
    return answer;
}

void row_init(Row *row, const Doc *doc, const Shapes *shapes, uint32_t node) {
    *row = (Row){ .node = node };
    const Tree *t = &doc->tree;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c)) {
        if (!doc_alive(doc, c)) continue;
        vec_push(&row->child, c);
        vec_push(&row->kind, shapes->kind[c]);
    }
    row->known = t->lang && !shapes->loose[node] && !(t->nodes.at[node].flags & NODE_ERROR) &&
                 row->child.len && allowed(row, doc, NULL) == LANG_YES;
}

void row_release(Row *row) {
    vec_release(&row->child);
    vec_release(&row->kind);
}

/* The shortest run of children around i that may be removed by itself; length 0: none. */
static Element find_span(const Row *row, const Doc *doc, uint32_t i, uint8_t *gone) {
    uint32_t n = (uint32_t)row->child.len;
    for (uint32_t len = 1; len <= REDUCE_SPAN; len++)
        for (uint32_t back = 0; back < len; back++) {
            if (back > i || i - back + len > n) continue;
            uint32_t first = i - back;
            memset(gone + first, 1, len);
            bool ok = allowed(row, doc, gone) == LANG_YES;
            memset(gone + first, 0, len);
            if (ok) return (Element){ first, first + len - 1 };
        }
    return (Element){ 1, 0 };
}

static bool named(const Row *row, const Doc *doc, size_t i) {
    return lang_kind_named(doc->tree.lang, row->kind.at[i]);
}

/* Elements of a known row. A literal token is an element only when it goes alone (an optional
 * keyword): otherwise it goes with its neighbours. */
static void known_elements(const Row *row, const Doc *doc, Elements *out) {
    size_t n = row->child.len;
    uint8_t *gone = mem_alloc(n + 1);
    Map sorts = { 0 }; /* kinds of a child and its neighbours -> the span found, relative */
    for (uint32_t i = 0; i < n; i++) {
        if (is_extra(row, doc, i)) {
            vec_push(out, ((Element){ i, i }));
            continue;
        }
        uint16_t key[3] = { i ? row->kind.at[i - 1] : 0, row->kind.at[i],
                            i + 1 < n ? row->kind.at[i + 1] : 0 };
        uint64_t *at = map_at(&sorts, (Str){ (const char *)key, sizeof key });
        Element e = { 1, 0 };
        /* Value: 0 not asked, 1 none, else 2 + back * 16 + length. */
        if (*at == 0 || n <= 48) {
            e = find_span(row, doc, i, gone);
            *at = e.first > e.last ? 1 : 2 + (uint64_t)(i - e.first) * 16 + (e.last - e.first);
        } else if (*at > 1) {
            uint32_t back = (uint32_t)((*at - 2) / 16), len = (uint32_t)((*at - 2) % 16);
            if (back <= i && i - back + len < n) e = (Element){ i - back, i - back + len };
        }
        if (e.first > e.last || (!named(row, doc, i) && e.first != e.last)) continue;
        if (out->len && vec_last(out).first == e.first && vec_last(out).last == e.last) continue;
        vec_push(out, e);
    }
    map_release(&sorts);
    mem_free(gone);
}

void row_elements(const Row *row, const Doc *doc, Elements *out) {
    if (row->known) {
        known_elements(row, doc, out);
        return;
    }
    for (uint32_t i = 0; i < row->child.len; i++) vec_push(out, ((Element){ i, i }));
}

/* A literal token between things: what repair may remove. */
static bool is_separator(const Row *row, const Doc *doc, size_t i) {
    return !named(row, doc, i) &&
           !strchr("(){}[]", lang_kind_name(doc->tree.lang, row->kind.at[i])[0]);
}

bool row_repair(const Row *row, const Doc *doc, uint8_t *gone) {
    if (!row->known) return true;
    if (allowed(row, doc, gone) == LANG_YES) return true;
    size_t n = row->child.len;
    for (size_t i = 0; i < n; i++) {
        if (!gone[i]) continue;
        size_t end = i;
        while (end < n && gone[end]) end++;
        for (int k = 0; k < 2; k++) {
            size_t s = k ? end : i - 1;
            if (s >= n || gone[s] || !is_separator(row, doc, s)) continue;
            gone[s] = 1;
            if (allowed(row, doc, gone) == LANG_YES) return true;
            gone[s] = 0;
        }
        i = end;
    }
    return false;
}

bool row_fits(const Row *row, const Doc *doc, size_t place, const uint16_t *kinds, size_t n) {
    if (!row->known) return true;
    VEC(uint16_t) now = { 0 };
    for (size_t i = 0; i < row->kind.len; i++) {
        if (i == place)
            for (size_t k = 0; k < n; k++) vec_push(&now, kinds[k]);
        else if (!is_extra(row, doc, i))
            vec_push(&now, row->kind.at[i]);
    }
    LangAnswer answer =
        lang_allows(doc->tree.lang, doc->tree.nodes.at[row->node].kind, now.at, now.len);
    vec_release(&now);
    return answer == LANG_YES;
}

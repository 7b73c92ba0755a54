/* See doc.h. Rendering a candidate costs one pass over the living tokens; the edits for incremental
 * parsing come from the same pass: between two tokens that both texts share, the bytes between them
 * are compared, and only where they differ is there an edit. */
#include "reduce/doc.h"
#include "reduce/find/model.h"

static void drop_tree(Doc *doc) {
    tree_release(&doc->tree);
    mem_free(doc->alive);
    mem_free(doc->other);
    mem_free(doc->at);
    mem_free(doc->end);
    mem_free(doc->before);
    arena_release(&doc->texts);
    doc->alive = NULL, doc->other = NULL, doc->at = doc->end = doc->before = NULL;
}

static void count_before(Doc *doc) {
    uint32_t n = 0;
    for (size_t i = 0; i < doc->tree.tokens.len; i++) doc->before[i] = n, n += doc->alive[i];
    doc->before[doc->tree.tokens.len] = n;
}

void doc_refresh(Doc *doc) {
    drop_tree(doc);
    Tree tree;
    parser_tree(doc->parser, &tree);
    /* The tree refers to a copy of its own: the parser's text changes. */
    buf_clear(&doc->base);
    buf_str(&doc->base, tree.text);
    tree.text = buf_view(&doc->base);
    doc->tree = tree;
    size_t n = tree.tokens.len;
    doc->alive = mem_alloc(n + 1);
    memset(doc->alive, 1, n);
    doc->other = mem_alloc((n + 1) * sizeof(Str));
    doc->at = mem_alloc((n + 1) * sizeof(uint32_t));
    doc->end = mem_alloc((n + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        doc->at[i] = tree.tokens.at[i].start, doc->end[i] = tree.tokens.at[i].end;
    doc->before = mem_alloc((n + 1) * sizeof(uint32_t));
    count_before(doc);
    doc->count = n;
}

void doc_load(Doc *doc, Str text) {
    Buf copy = { 0 };
    buf_str(&copy, text);
    parser_set(doc->parser, buf_view(&copy));
    buf_release(&copy);
    doc_refresh(doc);
    doc->version++;
}

void doc_init(Doc *doc, const Lang *lang, Str text) {
    *doc = (Doc){ .lang = lang, .parser = parser_new(lang) };
    doc_load(doc, text);
}

void doc_release(Doc *doc) {
    drop_tree(doc);
    buf_release(&doc->base);
    parser_free(doc->parser);
    model_free(doc->model);
    *doc = (Doc){ 0 };
}

Str doc_text(const Doc *doc) {
    return parser_text(doc->parser);
}

bool doc_is_kind(const Doc *doc, uint32_t node, const char *kind) {
    return strcmp(lang_kind_name(doc->tree.lang, doc->tree.nodes.at[node].kind), kind) == 0;
}

uint32_t doc_child(const Doc *doc, uint32_t node, const char *kind) {
    const Tree *t = &doc->tree;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c))
        if (doc_is_kind(doc, c, kind)) return c;
    return 0;
}

uint32_t doc_child_as(const Doc *doc, uint32_t node, const char *role) {
    const Tree *t = &doc->tree;
    unsigned field = lang_field(t->lang, role);
    for (uint32_t c = tree_first_child(t, node); c && field; c = tree_next_child(t, node, c))
        if (t->nodes.at[c].field == field) return c;
    return 0;
}

size_t doc_alive(const Doc *doc, uint32_t node) {
    const TreeNode *n = &doc->tree.nodes.at[node];
    return doc->before[n->token_end] - doc->before[n->token];
}

/* ---- rendering a candidate ---- */
typedef struct DocWriter {
    const Doc *doc;
    Buf text;
    VEC(TreeEdit) bytes;
    uint32_t old_end, new_end; /* ends of the last token both texts share */
} DocWriter;

/* The bytes between the last shared token and old_at (in the candidate: new_at) are an edit if they
 * differ. */
static void note_gap(DocWriter *w, uint32_t old_at, uint32_t new_at) {
    Str old = str_sub(doc_text(w->doc), w->old_end, old_at);
    Str now = str_sub(buf_view(&w->text), w->new_end, new_at);
    if (!str_eq(old, now))
        vec_push(&w->bytes, ((TreeEdit){ w->old_end, old_at, new_at - w->new_end }));
}

static void write_tokens(DocWriter *w, const DocEdit *edits, size_t n) {
    const Doc *doc = w->doc;
    Render render = { .out = &w->text };
    size_t e = 0;
    for (uint32_t i = 0; i < doc->tree.tokens.len; i++) {
        while (e < n && edits[e].token < i) e++;
        bool edited = e < n && edits[e].token == i;
        if (!doc->alive[i] || (edited && !edits[e].text.at)) continue;
        Str text = edited ? edits[e].text : doc->other[i];
        render_token(&render, &doc->tree, i, text);
        if (edited) continue;
        uint32_t len = doc->end[i] - doc->at[i], to = (uint32_t)w->text.len;
        note_gap(w, doc->at[i], to - len);
        w->old_end = doc->end[i], w->new_end = to;
    }
    render_end(&render, &doc->tree);
    note_gap(w, (uint32_t)doc_text(doc).len, (uint32_t)w->text.len);
}

void doc_change(const Doc *doc, Arena *arena, const DocEdit *edits, size_t n, DocChange *change) {
    DocWriter w = { .doc = doc };
    write_tokens(&w, edits, n);
    *change = (DocChange){ .touched = true, .n_edits = n, .n_bytes = w.bytes.len };
    change->text = arena_str(arena, buf_view(&w.text));
    change->edits = arena_copy(arena, edits, n * sizeof *edits);
    for (size_t i = 0; i < n; i++)
        if (edits[i].text.at) change->edits[i].text = arena_str(arena, edits[i].text);
    change->bytes = arena_copy(arena, w.bytes.at ? (void *)w.bytes.at : "",
                               w.bytes.at ? w.bytes.len * sizeof(TreeEdit) : 1);
    buf_release(&w.text);
    vec_release(&w.bytes);
}

void doc_replace(const Doc *doc, Arena *arena, Str text, DocChange *change) {
    Str old = doc_text(doc);
    size_t most = old.len < text.len ? old.len : text.len, front = 0, back = 0;
    while (front < most && old.at[front] == text.at[front]) front++;
    while (back < most - front && old.at[old.len - 1 - back] == text.at[text.len - 1 - back])
        back++;
    *change = (DocChange){ .touched = true, .whole = true, .n_bytes = 1 };
    change->text = arena_str(arena, text);
    change->bytes = ARENA_NEW(arena, TreeEdit);
    *change->bytes = (TreeEdit){ (uint32_t)front, (uint32_t)(old.len - back),
                                 (uint32_t)(text.len - back - front) };
}

bool doc_worse(Doc *doc, const DocChange *change) {
    size_t own = parser_own_errors(doc->parser);
    return parser_errors(doc->parser, change->text, change->bytes, change->n_bytes, own + 1) > own;
}

/* Where the living tokens are in the text that was just accepted. */
static void locate(Doc *doc) {
    Buf text = { 0 };
    Render render = { .out = &text };
    for (uint32_t i = 0; i < doc->tree.tokens.len; i++) {
        if (!doc->alive[i]) continue;
        Str own = doc->other[i].at ? doc->other[i] : tree_token_text(&doc->tree, i);
        render_token(&render, &doc->tree, i, doc->other[i]);
        doc->end[i] = (uint32_t)text.len;
        doc->at[i] = (uint32_t)(text.len - own.len);
    }
    buf_release(&text);
}

void doc_accept(Doc *doc, const DocChange *change) {
    parser_accept(doc->parser, change->text, change->bytes, change->n_bytes);
    doc->version++;
    if (change->whole) {
        doc_refresh(doc);
        return;
    }
    for (size_t i = 0; i < change->n_edits; i++) {
        const DocEdit *e = &change->edits[i];
        if (e->text.at)
            doc->other[e->token] = arena_str(&doc->texts, e->text);
        else if (doc->alive[e->token])
            doc->alive[e->token] = 0, doc->count--;
    }
    count_before(doc);
    locate(doc);
}

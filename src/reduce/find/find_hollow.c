/* Functions without what they do, in languages that refuse a function which ends without its value:
 * a body that never ends stands in for any of them, whatever the type (Go: `panic(0)`, Rust:
 * `loop {}`); and a function without its result, and with nothing in it. */
#include "reduce/find/finders.h"

/* What a body becomes; NULL: this language needs none, an emptied body will do. */
static const char *endless(const Lang *lang) {
    static const struct {
        const char *lang, *text;
    } all[] = { { "go", "panic(0)" }, { "rust", "loop {}" } };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (strcmp(lang_name(lang), all[i].lang) == 0) return all[i].text;
    return NULL;
}

/* The text in place of what the body holds between its brackets; NULL: nothing. */
static void replace_inside(const Doc *doc, uint32_t body, const char *text, DocEdits *edits) {
    const TreeNode *n = &doc->tree.nodes.at[body];
    for (uint32_t i = n->token + 1; i + 1 < n->token_end; i++) {
        if (!doc->alive[i]) continue;
        vec_push(edits, ((DocEdit){ .token = i, .text = text ? str_from(text) : (Str){ 0 } }));
        text = NULL;
    }
}

/* With the arrow before it, where there is one. */
static void drop_result(const Doc *doc, uint32_t result, DocEdits *edits) {
    uint32_t token = doc->tree.nodes.at[result].token;
    if (token && str_is(tree_token_text(&doc->tree, token - 1), "->"))
        vec_push(edits, ((DocEdit){ .token = token - 1 }));
    sets_drop_node(doc, result, edits);
}

static bool is_bracketed(const Doc *doc, uint32_t body) {
    const TreeNode *n = &doc->tree.nodes.at[body];
    return body && n->token_end > n->token + 1 &&
           str_is(tree_token_text(&doc->tree, n->token), "{");
}

void find_hollows(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    const char *text = endless(doc->tree.lang);
    (void)shapes;
    out->together = true;
    for (uint32_t n = 1; text && n < doc->tree.nodes.len; n++) {
        uint32_t body = doc_child_as(doc, n, "body"), result = doc_child_as(doc, n, "result");
        if (!result) result = doc_child_as(doc, n, "return_type");
        if (!result || !is_bracketed(doc, body)) continue;
        DocEdits edits = { 0 };
        replace_inside(doc, body, text, &edits);
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
}

void find_procedures(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    for (uint32_t n = 1; endless(doc->tree.lang) && n < doc->tree.nodes.len; n++) {
        uint32_t body = doc_child_as(doc, n, "body"), result = doc_child_as(doc, n, "result");
        if (!result) result = doc_child_as(doc, n, "return_type");
        if (!result || !is_bracketed(doc, body)) continue;
        DocEdits edits = { 0 };
        drop_result(doc, result, &edits);
        replace_inside(doc, body, NULL, &edits);
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
}

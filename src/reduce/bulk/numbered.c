/* See numbered.h. */
#include "reduce/bulk/numbered.h"
#include "reduce/ppr.h"

/* `%7`, `7:`: the digits with what stands before them. */
static bool is_number(Str token) {
    bool value = token.len > 1 && token.at[0] == '%';
    bool label = token.len > 1 && token.at[token.len - 1] == ':';
    if (!value && !label) return false;
    for (size_t i = value; i < token.len - label; i++)
        if (token.at[i] < '0' || token.at[i] > '9') return false;
    return true;
}

/* A block that no label begins, and that is still mentioned: the first one of a function, which has
 * the number after the parameters'. Empty: there is none. */
static Str first_block(const Doc *doc, uint32_t function) {
    const Tree *t = &doc->tree;
    const TreeNode *f = &t->nodes.at[function];
    Map defined = { 0 };
    Str found = { 0 };
    for (uint32_t i = f->token; i < f->token_end; i++) {
        Str text = tree_token_text(t, i),
            next = tree_token_text(t, i + 1 < f->token_end ? i + 1 : i);
        bool argument = doc_is_kind(doc, t->nodes.at[t->tokens.at[i].node].parent, "var") &&
                        i < t->nodes.at[doc_child(doc, function, "function_body")].token;
        if (!is_number(text)) continue;
        if (text.at[0] != '%')
            map_put(&defined, str_sub(text, 0, text.len - 1), 1);
        else if (argument || str_is(next, "="))
            map_put(&defined, str_sub(text, 1, text.len), 1);
    }
    for (uint32_t i = f->token; i < f->token_end && !found.len; i++) {
        Str text = tree_token_text(t, i);
        if (is_number(text) && text.at[0] == '%' &&
            !map_get(&defined, str_sub(text, 1, text.len), NULL))
            found = str_sub(text, 1, text.len);
    }
    map_release(&defined);
    return found;
}

static void write_named(const Doc *doc, Buf *out) {
    const Tree *t = &doc->tree;
    Map open = { 0 }; /* the first token of a body -> its function + 1 */
    uint32_t at = 0;
    for (uint32_t n = 1; n < t->nodes.len; n++) {
        uint32_t body = doc_is_kind(doc, n, "fn_define") ? doc_child(doc, n, "function_body") : 0;
        uint64_t token = body ? t->nodes.at[body].token : 0;
        if (body) map_put(&open, map_key_u64(&token), n + 1);
    }
    for (uint32_t i = 0; i < t->tokens.len; i++) {
        Str text = tree_token_text(t, i);
        uint64_t token = i, function = 0;
        buf_str(out, str_sub(t->text, at, t->tokens.at[i].start));
        at = t->tokens.at[i].end;
        if (!is_number(text))
            buf_str(out, text);
        else if (text.at[0] == '%')
            buf_fmt(out, "%%v" STR_FMT, STR_ARG(str_sub(text, 1, text.len)));
        else
            buf_fmt(out, "v" STR_FMT, STR_ARG(text));
        Str first = map_get(&open, map_key_u64(&token), &function)
                        ? first_block(doc, (uint32_t)function - 1)
                        : (Str){ 0 };
        if (first.len) buf_fmt(out, "\nv" STR_FMT ":", STR_ARG(first));
    }
    buf_str(out, str_sub(t->text, at, t->text.len));
    map_release(&open);
}

void reduce_name_numbers(Reducer *r) {
    reduce_refresh(r);
    for (int k = 0; k < SIDES && !reduce_stopped(r); k++) {
        Doc *doc = &r->side[k].doc;
        bool ours = r->side[k].on && doc->tree.lang && parser_by_grammar(doc->parser) &&
                    strcmp(lang_name(doc->tree.lang), "llvm") == 0;
        if (!ours) continue;
        Buf text = { 0 };
        write_named(doc, &text);
        bool same = str_eq(buf_view(&text), doc_text(doc));
        if (!same && reducer_ask_text(r, k, buf_view(&text), NULL)) doc_load(doc, buf_view(&text));
        buf_release(&text);
    }
    reducer_count_difference(r);
}

/* See judge.h. */
#include "reduce/judge.h"
#include "reduce/find/finders.h"
#include "reduce/ppr.h"
#include "reduce/reduce_knobs.h"

/* A token of one byte; '\0': a longer one, or the end. */
static char sign(const Doc *doc, size_t token) {
    if (token >= doc->tree.tokens.len) return '\0';
    const TreeToken *t = &doc->tree.tokens.at[token];
    return t->end - t->start == 1 ? doc->tree.text.at[t->start] : '\0';
}

static bool opens(char c) {
    return c == '(' || c == '[' || c == '{';
}

static bool closes(char c) {
    return c == ')' || c == ']' || c == '}';
}

/* Whether the brackets of [from, end) match among themselves (of whatever kind: the compiler checks
 * the rest). */
static bool balanced(const Doc *doc, size_t from, size_t end) {
    size_t depth = 0;
    for (size_t i = from; i < end; i++) {
        char c = sign(doc, i);
        if (closes(c) && !depth) return false;
        depth += opens(c);
        depth -= closes(c);
    }
    return !depth;
}

static void add_run(const Target *t, size_t from, size_t end, EditSets *out) {
    DocEdits edits = { 0 };
    for (size_t i = from; i < end; i++) vec_push(&edits, ((DocEdit){ .token = (uint32_t)i }));
    sets_add(t, out, &edits);
    vec_release(&edits);
}

static void add_constant(const Target *t, size_t from, size_t end, const char *text,
                         EditSets *out) {
    DocEdits edits = { 0 };
    for (size_t i = from; i < end; i++) vec_push(&edits, ((DocEdit){ .token = (uint32_t)i }));
    edits.at[0].text = str_from(text);
    sets_add(t, out, &edits);
    vec_release(&edits);
}

/* A bracket pair: with everything in it, only its inside, only the brackets themselves, or 0 in its
 * place. */
static void add_bracket(const Target *t, size_t open, size_t close, EditSets *out) {
    add_run(t, open, close + 1, out);
    add_run(t, open + 1, close, out);
    if (close > open + 1) add_constant(t, open, close + 1, "0", out);
    DocEdits two = { 0 };
    vec_push(&two, ((DocEdit){ .token = (uint32_t)open }));
    vec_push(&two, ((DocEdit){ .token = (uint32_t)close }));
    sets_add(t, out, &two);
    vec_release(&two);
}

static void find_brackets(const Target *t, EditSets *out) {
    const Doc *doc = target_doc(t);
    VEC(size_t) stack = { 0 };
    for (size_t i = 0; i < doc->tree.tokens.len; i++) {
        char c = sign(doc, i);
        if (opens(c)) vec_push(&stack, i);
        if (closes(c) && stack.len) add_bracket(t, vec_pop(&stack), i, out);
    }
    vec_release(&stack);
}

/* Expressions without a name, whose values only the compiler knows: sizes mostly. */
static void find_constants(const Target *t, EditSets *out) {
    static const char *const values[] = { "1", "4", "8", "16" };
    const Doc *doc = target_doc(t);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        const TreeNode *node = &doc->tree.nodes.at[n];
        const char *kind = lang_kind_name(doc->tree.lang, node->kind);
        if (node->token_end < node->token + 2 || !strstr(kind, "_expression")) continue;
        bool names = false;
        for (uint32_t i = node->token; i < node->token_end && !names; i++) {
            uint32_t leaf = doc->tree.tokens.at[i].node;
            names = strstr(lang_kind_name(doc->tree.lang, doc->tree.nodes.at[leaf].kind),
                           "identifier") != NULL;
        }
        for (size_t k = 0; k < COUNT_OF(values) && !names; k++)
            add_constant(t, node->token, node->token_end, values[k], out);
    }
}

/* A name in an expression, which may be a header's: only what it stands for keeps the header. One
 * that is no longer than a constant has nothing to give. */
static void find_named(const Target *t, EditSets *out) {
    static const char *const places[] = { "argument_list", "return_statement", "init_declarator",
                                          "initializer_list", "parenthesized_expression" };
    const Doc *doc = target_doc(t);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        const TreeNode *node = &doc->tree.nodes.at[n];
        if (node->size != 1 || node->token_end != node->token + 1) continue;
        const char *kind = lang_kind_name(doc->tree.lang, node->kind);
        bool name = strcmp(kind, "identifier") == 0 || strcmp(kind, "null") == 0 ||
                    strcmp(kind, "true") == 0 || strcmp(kind, "false") == 0;
        bool placed =
            doc_is_kind(doc, node->parent, "binary_expression") ||
            (doc_is_kind(doc, node->parent, "assignment_expression") && n > node->parent + 1);
        for (size_t i = 0; i < COUNT_OF(places); i++)
            placed |= doc_is_kind(doc, node->parent, places[i]);
        if (name && placed) add_constant(t, node->token, node->token_end, "0", out);
    }
}

/* Whole statements, whether or not something must take their place: what comes next may do. */
static void find_statements(const Target *t, EditSets *out) {
    const Doc *doc = target_doc(t);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        const TreeNode *node = &doc->tree.nodes.at[n];
        const char *kind = lang_kind_name(doc->tree.lang, node->kind);
        if (strstr(kind, "_statement") || strcmp(kind, "declaration") == 0)
            add_run(t, node->token, node->token_end, out);
    }
}

static void find_runs(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    size_t n = doc->tree.tokens.len;
    (void)shapes;
    out->ordered = true;
    find_constants(t, out);
    find_named(t, out);
    find_brackets(t, out);
    find_statements(t, out);
    for (size_t len = REDUCE_JUDGE_RUN; len > 0; len--)
        for (size_t from = n; from-- > 0;)
            if (from + len <= n && balanced(doc, from, from + len))
                add_run(t, from, from + len, out);
}

/* What compilers accept and the grammar does not: a type left out where `int` is meant, no
 * semicolon at the end of a struct, attributes wherever a typedef had them. */
static void find_dialect(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    const Tree *tree = &doc->tree;
    out->unasked = true;
    find_attributed(t, shapes, out);
    for (uint32_t n = 1; n < tree->nodes.len; n++) {
        const TreeNode *node = &tree->nodes.at[n];
        const char *kind = lang_kind_name(tree->lang, node->kind);
        const char *in = lang_kind_name(tree->lang, tree->nodes.at[node->parent].kind);
        bool type =
            strcmp(kind, "primitive_type") == 0 || strcmp(kind, "sized_type_specifier") == 0;
        bool declared = strcmp(in, "declaration") == 0 || strcmp(in, "type_definition") == 0 ||
                        strcmp(in, "function_definition") == 0;
        bool last = strcmp(kind, ";") == 0 && strcmp(in, "field_declaration") == 0 &&
                    sign(doc, node->token_end) == '}';
        if ((type && declared) || last) add_run(t, node->token, node->token_end, out);
    }
}

static bool wanted(const Doc *doc) {
    if (!doc->tree.lang || doc->count > REDUCE_JUDGE_TOKENS) return false;
    const char *name = lang_name(doc->tree.lang);
    return strcmp(name, "c") == 0 || strcmp(name, "cpp") == 0;
}

/* Whether the test refuses a text that does not begin like a program: then a compiler reads it. A
 * test that only looks for words would accept anything. */
static bool minds_syntax(Reducer *r) {
    Buf text = { 0 };
    buf_text(&text, ") ");
    buf_str(&text, doc_text(&r->side[VARIANT].doc));
    bool minds = !reducer_ask_text(r, VARIANT, buf_view(&text), NULL);
    buf_release(&text);
    return minds;
}

/* The finders of the end; true: one of them found something. */
static bool last_round(Reducer *r, int s) {
    size_t steps = 0;
    for (const Finder *f = last_finders; f->name && !steps; f++) {
        reducer_phase_part(r, "judge", f->name);
        steps += sets_try(r, s, true, f->find);
    }
    return steps > 0;
}

/* Languages that the other finders of this pass do not speak. */
static size_t judge_others(Reducer *r) {
    size_t all = 0;
    r->minds = false;
    while (!reduce_stopped(r) && last_round(r, VARIANT)) all++;
    reduce_refresh(r);
    return all;
}

size_t reduce_judge(Reducer *r) {
    size_t all = 0, steps = 1;
    reduce_refresh(r);
    if (reduce_stopped(r)) return 0;
    if (!wanted(&r->side[VARIANT].doc)) return r->pair ? 0 : judge_others(r);
    reducer_phase(r, "judge");
    r->minds = minds_syntax(r);
    while (steps && !reduce_stopped(r)) {
        steps = 0;
        for (int s = SIDES - 1; s >= 0; s--) {
            if (!r->side[s].on) continue;
            reducer_phase_part(r, "judge", "runs");
            steps += sets_try(r, s, true, find_runs);
            reducer_phase_part(r, "judge", "dialect");
            steps += sets_try(r, s, true, find_dialect);
            if (!steps) steps += last_round(r, s);
        }
        all += steps;
    }
    reduce_refresh(r);
    return all;
}

/* Loops and steps with fewer tokens: `a += 1` becomes `a++`, `for (; a;)` becomes `while (a)`, and
 * so does `for (; a < 3; a++) b[a] = 0;`, whose step goes where its variable is used: `b[a++]`. */
#include "reduce/find/finders.h"

static bool is_text(const Doc *doc, uint32_t token, const char *text) {
    return token < doc->tree.tokens.len && str_is(tree_token_text(&doc->tree, token), text);
}

static void edit(DocEdits *edits, uint32_t token, const char *text) {
    DocEdit one = { .token = token };
    if (text) one.text = str_from(text);
    vec_push(edits, one);
}

static void add(const Target *t, EditSets *out, DocEdits *edits) {
    sets_add(t, out, edits);
    vec_release(edits);
}

/* ---- steps ---- */
/* `a = a`, with this token as the sign between: the tokens of the right one end at *end. */
static bool is_repeated(const Doc *doc, const TreeNode *node, uint32_t sign, uint32_t *end) {
    uint32_t len = sign - node->token;
    *end = sign + 1 + len;
    if (*end >= node->token_end) return false;
    for (uint32_t i = 0; i < len; i++)
        if (!str_eq(tree_token_text(&doc->tree, node->token + i),
                    tree_token_text(&doc->tree, sign + 1 + i)))
            return false;
    return true;
}

static void find_step(const Target *t, uint32_t n, EditSets *out) {
    const Doc *doc = target_doc(t);
    const TreeNode *node = &doc->tree.nodes.at[n];
    uint32_t last = node->token_end - 1, left = tree_first_child(&doc->tree, n), sign, end;
    if (!left || !is_text(doc, last, "1")) return;
    sign = doc->tree.nodes.at[left].token_end;
    bool plus = is_text(doc, sign, "+="), minus = is_text(doc, sign, "-=");
    DocEdits edits = { 0 };
    if ((plus || minus) && sign + 1 == last) {
        edit(&edits, sign, plus ? "++" : "--");
        edit(&edits, last, NULL);
    } else if (is_text(doc, sign, "=") && is_repeated(doc, node, sign, &end) && end + 1 == last) {
        plus = is_text(doc, end, "+"), minus = is_text(doc, end, "-");
        if (plus || minus) edit(&edits, sign, plus ? "++" : "--");
        for (uint32_t i = sign + 1; (plus || minus) && i <= last; i++) edit(&edits, i, NULL);
    }
    add(t, out, &edits);
}

/* ---- loops ---- */
typedef struct ForLoop {
    uint32_t first, second; /* its semicolons */
    uint32_t close;         /* its bracket */
    uint32_t end;           /* of its body */
} ForLoop;

/* `for (; ..; ..) ..`; false: it is something else. */
static bool read_for(const Doc *doc, uint32_t n, ForLoop *loop) {
    const Tree *t = &doc->tree;
    const TreeNode *node = &t->nodes.at[n];
    *loop = (ForLoop){ .first = node->token + 2, .end = node->token_end };
    if (!is_text(doc, node->token + 1, "(") || !is_text(doc, loop->first, ";")) return false;
    for (uint32_t c = tree_first_child(t, n); c; c = tree_next_child(t, n, c)) {
        uint32_t token = t->nodes.at[c].token;
        if (t->nodes.at[c].token_end != token + 1) continue;
        if (is_text(doc, token, ";") && token > loop->first && !loop->close) loop->second = token;
        if (is_text(doc, token, ")")) loop->close = token;
    }
    return loop->second && loop->close;
}

static void as_while(const ForLoop *loop, DocEdits *edits) {
    bool forever = loop->second == loop->first + 1;
    edit(edits, loop->first - 2, "while");
    edit(edits, loop->first, forever ? "1" : NULL);
    for (uint32_t i = loop->second; i < loop->close; i++) edit(edits, i, NULL);
}

/* The only place where the body has a variable; 0: it has none, or several, and a step at one of
 * them might come before or after another as the compiler likes. */
static uint32_t only_place(const Doc *doc, const ForLoop *loop, Str variable) {
    uint32_t place = 0;
    for (uint32_t i = loop->close + 1; i < loop->end; i++) {
        if (!str_eq(tree_token_text(&doc->tree, i), variable)) continue;
        if (place) return 0;
        place = i;
    }
    return place;
}

/* The step behind the variable where the body has it. */
static void move_step(const Target *t, const ForLoop *loop, EditSets *out) {
    const Doc *doc = target_doc(t);
    uint32_t name = loop->second + 1, step = name + 1;
    if (step + 1 != loop->close || (!is_text(doc, step, "++") && !is_text(doc, step, "--"))) return;
    Str variable = tree_token_text(&doc->tree, name);
    uint32_t place = only_place(doc, loop, variable);
    if (!place) return;
    DocEdits edits = { 0 };
    as_while(loop, &edits);
    edit(&edits, place,
         arena_fmt(&out->arena, STR_FMT STR_FMT, STR_ARG(variable),
                   STR_ARG(tree_token_text(&doc->tree, step))));
    add(t, out, &edits);
}

static void find_loop(const Target *t, uint32_t n, EditSets *out) {
    ForLoop loop;
    if (!read_for(target_doc(t), n, &loop)) return;
    if (loop.second + 1 == loop.close) {
        DocEdits edits = { 0 };
        as_while(&loop, &edits);
        add(t, out, &edits);
    } else
        move_step(t, &loop, out);
}

void find_loops(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    if (!sets_speaks_c(doc)) return;
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        if (doc_is_kind(doc, n, "assignment_expression")) find_step(t, n, out);
        if (doc_is_kind(doc, n, "for_statement")) find_loop(t, n, out);
    }
}

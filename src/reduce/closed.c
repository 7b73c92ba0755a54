/* Deletions of top-level items that take their users along.
 *
 * Cutting a large program into runs of items mostly gives programs that do not compile: something
 * that is left uses something that is gone. Here an item goes together with all that (directly or
 * not) uses a name it introduces, so most candidates compile and the first few tests take most of
 * the program away. A name is introduced by the item where it stands first, outside any body or
 * parameter list: true enough in any language, and a wrong guess costs a test, never the result. */
#include "reduce/syntax.h"
#include "tree/words.h"

typedef VEC(uint32_t) Indices;

typedef struct Closed {
    Target *t;
    Doc *doc;
    Indices items;  /* children of the root with living tokens */
    Indices *users; /* item by item: items that use a name of it */
    uint8_t *gone;  /* scratch */
    uint8_t *keep;  /* scratch */
    Indices stack;  /* scratch */
    const ShrinkRound *round;
    size_t steps;
} Closed;

/* Kinds whose names are their own affair: bodies, blocks, parameter lists. */
static bool hides_names(const Tree *t, uint32_t node) {
    static const char *const parts[] = { "compound_statement", "block", "body", "parameter",
                                         "field_declaration_list" };
    const char *name = lang_kind_name(t->lang, t->nodes.at[node].kind);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

static bool is_exposed(const Tree *t, uint32_t node, uint32_t item) {
    for (;; node = t->nodes.at[node].parent) {
        if (hides_names(t, node)) return false;
        if (node == item || !node) return true;
    }
}

static bool is_name(const Tree *t, size_t token) {
    const TreeNode *leaf = &t->nodes.at[t->tokens.at[token].node];
    char c = t->text.at[t->tokens.at[token].start];
    return (leaf->flags & NODE_NAMED) && leaf->size == 1 && words_is_letter(c) &&
           !(c >= '0' && c <= '9');
}

/* Whether a token can introduce a name for the item it stands in. The C grammar takes int8_t and
 * the like for built-in types: those only a typedef introduces. */
static bool introduces(const Tree *t, size_t token, uint32_t item) {
    uint32_t leaf = t->tokens.at[token].node;
    bool type = strcmp(lang_kind_name(t->lang, t->nodes.at[item].kind), "type_definition") == 0;
    bool name = strstr(lang_kind_name(t->lang, t->nodes.at[leaf].kind), "identifier");
    return (name || (type && str_ends(tree_token_text(t, token), "_t"))) &&
           is_exposed(t, leaf, item);
}

static void find_users(Closed *c) {
    const Tree *t = &c->doc->tree;
    Map owners = { 0 }; /* name -> item + 1 */
    Map edges = { 0 };  /* (owner, user): known */
    for (uint32_t i = 0; i < c->items.len; i++) {
        const TreeNode *item = &t->nodes.at[c->items.at[i]];
        /* A body that the grammar did not see as one belongs to what stands before it. */
        if (i && hides_names(t, c->items.at[i])) {
            vec_push(&c->users[i - 1], i);
            vec_push(&c->users[i], i - 1);
        }
        for (uint32_t k = item->token; k < item->token_end; k++) {
            if (!c->doc->alive[k] || !is_name(t, k)) continue;
            uint64_t *owner = map_at(&owners, tree_token_text(t, k));
            if (!*owner && introduces(t, k, c->items.at[i])) *owner = i + 1;
            if (!*owner || *owner == i + 1) continue;
            uint64_t edge = (*owner - 1) << 32 | i;
            if (map_put(&edges, map_key_u64(&edge), 1)) vec_push(&c->users[*owner - 1], i);
        }
    }
    map_release(&owners);
    map_release(&edges);
}

/* Adds to c->gone what uses what is gone. */
static void close_over(Closed *c) {
    vec_clear(&c->stack);
    for (uint32_t i = 0; i < c->items.len; i++)
        if (c->gone[i]) vec_push(&c->stack, i);
    while (c->stack.len) {
        const Indices *users = &c->users[vec_pop(&c->stack)];
        for (size_t k = 0; k < users->len; k++)
            if (!c->gone[users->at[k]]) {
                c->gone[users->at[k]] = 1;
                vec_push(&c->stack, users->at[k]);
            }
    }
}

static bool propose_closed(void *user, size_t i, Candidate *cand) {
    Closed *c = user;
    if (i / 2 >= c->round->count) return false;
    c->round->make(c->round, i / 2, c->keep);
    for (size_t k = 0; k < c->items.len; k++) c->gone[k] = !c->keep[k];
    close_over(c);
    DocEdits edits = { 0 };
    for (size_t k = 0; k < c->items.len; k++) {
        const TreeNode *item = &c->doc->tree.nodes.at[c->items.at[k]];
        for (uint32_t token = item->token; c->gone[k] && token < item->token_end; token++)
            if (c->doc->alive[token]) vec_push(&edits, ((DocEdit){ token, { 0 } }));
    }
    if (edits.len && !((i & 1) && !target_has_inner(c->t, edits.at, edits.len)))
        target_propose(c->t, edits.at, edits.len, !(i & 1), cand);
    vec_release(&edits);
    return true;
}

static size_t first_closed(void *user, const ShrinkRound *round) {
    Closed *c = user;
    c->round = round;
    c->t->r->todo = round->count;
    size_t hit = reducer_first(c->t->r, propose_closed, c);
    if (hit >= SHRINK_STOP) return hit;
    c->steps++;
    return hit / 2;
}

size_t syntax_closed(Target *t) {
    Closed c = { .t = t, .doc = target_doc(t) };
    const Tree *tree = &c.doc->tree;
    if (!tree->lang) return 0;
    for (uint32_t i = tree_first_child(tree, 0); i; i = tree_next_child(tree, 0, i))
        if (doc_alive(c.doc, i)) vec_push(&c.items, i);
    size_t n = c.items.len;
    c.users = mem_alloc((n + 1) * sizeof *c.users);
    c.gone = mem_alloc(n + 1);
    c.keep = mem_alloc(n + 1);
    uint8_t *keep = mem_alloc(n + 1);
    memset(keep, 1, n);
    find_users(&c);
    ShrinkTest test = { first_closed, &c };
    if (n > 1) shrink_cdd(&test, keep, n);
    for (size_t i = 0; i < n; i++) vec_release(&c.users[i]);
    vec_release(&c.items), vec_release(&c.stack);
    mem_free(c.users), mem_free(c.gone), mem_free(c.keep), mem_free(keep);
    return c.steps;
}

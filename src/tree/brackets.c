/* See brackets.h. One pass over the text with a stack of what is open: items, and between them
 * blocks, which begin at their brace. An item ends after a `;`, or after a `}` that nothing
 * continues. */
#include "tree/brackets.h"
#include "tree/words.h"

enum { BRACKETS_DEEPEST = 2000 };

typedef struct BracketWalk {
    Tree *tree;
    size_t piece;        /* bytes of a token at most */
    size_t grain;        /* bytes of an item or a block at least */
    VEC(uint32_t) open;  /* items around us */
    size_t done;         /* bytes before it are tokens already */
    unsigned round;      /* round and square brackets that are open in this item */
    VEC(unsigned) outer; /* the same for the items around it */
    size_t deeper;       /* braces that are open below BRACKETS_DEEPEST: they are text */
} BracketWalk;

/* Tokens for the bytes up to `to`, in the innermost item; white space is none. */
static void flush(BracketWalk *w, size_t to) {
    Tree *t = w->tree;
    uint32_t parent = w->open.len ? vec_last(&w->open) : 0;
    while (w->done < to) {
        while (w->done < to && words_is_space(t->text.at[w->done])) w->done++;
        size_t from = w->done, end = to - from > w->piece ? from + w->piece : to;
        w->done = end;
        while (end > from && words_is_space(t->text.at[end - 1])) end--;
        if (end == from) continue;
        uint32_t token = (uint32_t)t->tokens.len;
        TreeToken made = { (uint32_t)from, (uint32_t)end, (uint32_t)t->nodes.len };
        vec_push(&t->tokens, made);
        vec_push(&t->nodes, ((TreeNode){ .start = (uint32_t)from,
                                         .end = (uint32_t)end,
                                         .parent = parent,
                                         .size = 1,
                                         .token = token,
                                         .token_end = token + 1,
                                         .kind = TREE_KIND_WORD }));
    }
}

static void open_item(BracketWalk *w, size_t at) {
    Tree *t = w->tree;
    TreeNode node = { .start = (uint32_t)at,
                      .parent = w->open.len ? vec_last(&w->open) : 0,
                      .token = (uint32_t)t->tokens.len,
                      .kind = TREE_KIND_LINE,
                      .flags = NODE_NAMED };
    vec_push(&t->nodes, node);
    vec_push(&w->open, (uint32_t)t->nodes.len - 1);
    vec_push(&w->outer, w->round);
    w->round = 0;
}

static void close_item(BracketWalk *w, size_t at) {
    Tree *t = w->tree;
    flush(w, at);
    TreeNode *n = &t->nodes.at[vec_pop(&w->open)];
    w->round = vec_pop(&w->outer);
    n->end = (uint32_t)at;
    n->size = (uint32_t)(t->nodes.len - (size_t)(n - t->nodes.at));
    n->token_end = (uint32_t)t->tokens.len;
}

size_t brackets_skip(Str s, size_t at) {
    char c = s.at[at];
    if (c == '"' || c == '\'') {
        size_t i = at + 1;
        while (i < s.len && s.at[i] != c && s.at[i] != '\n') i += s.at[i] == '\\' ? 2 : 1;
        return i < s.len ? i + 1 : s.len;
    }
    bool line = c == '/' && at + 1 < s.len && s.at[at + 1] == '/';
    if (c == '/' && at + 1 < s.len && s.at[at + 1] == '*') {
        size_t end = str_find(s, STR("*/"), at + 2);
        return end == STR_NONE ? s.len : end + 2;
    }
    while (line && at < s.len && s.at[at] != '\n') at++;
    return at;
}

bool brackets_go_on(Str s, size_t at) {
    while (at < s.len && words_is_space(s.at[at])) at++;
    if (at == s.len) return false;
    Str rest = str_sub(s, at, at + 5 < s.len ? at + 5 : s.len);
    return strchr(";,)", s.at[at]) || str_starts(rest, "while") || str_starts(rest, "else") ||
           str_starts(rest, "catch");
}

/* Items and blocks of fewer bytes are not told apart from what is around them: a text costs what
 * its length says, whatever it consists of. */
static size_t grain_of(size_t len) {
    enum { LEAST = 16, MOST_GRAINS = 500 * 1000 };
    return len / MOST_GRAINS > LEAST ? len / MOST_GRAINS : LEAST;
}

static size_t length_to(const BracketWalk *w, size_t to) {
    return to - w->tree->nodes.at[vec_last(&w->open)].start;
}

/* Ends the item that began with its text; one that is too short continues with what follows. */
static void end_item(BracketWalk *w, size_t to) {
    if (length_to(w, to) >= w->grain) close_item(w, to);
}

/* Ends the block; one that is too short is text of the item around it. */
static void end_block(BracketWalk *w, size_t to) {
    Tree *t = w->tree;
    if (length_to(w, to) >= w->grain) {
        close_item(w, to);
        return;
    }
    uint32_t block = vec_pop(&w->open);
    w->round = vec_pop(&w->outer);
    w->done = t->nodes.at[block].start;
    t->tokens.len = t->nodes.at[block].token;
    t->nodes.len = block;
    const TreeNode *before = &vec_last(&t->nodes); /* what flush made of the text before it */
    uint32_t around = w->open.len ? vec_last(&w->open) : 0;
    if (before->kind != TREE_KIND_WORD || before->parent != around) return;
    w->done = before->start;
    t->nodes.len--;
    t->tokens.len--;
}

static bool in_block(const BracketWalk *w) {
    return w->tree->text.at[w->tree->nodes.at[vec_last(&w->open)].start] == '{';
}

/* An opening brace inside an item: a block begins. */
static void open_brace(BracketWalk *w, size_t at) {
    if (w->open.len >= BRACKETS_DEEPEST) {
        w->deeper++;
        return;
    }
    flush(w, at);
    open_item(w, at);
}

/* A closing brace: the item inside ends, then perhaps the one around it. */
static void close_brace(BracketWalk *w, size_t at) {
    if (w->deeper) {
        w->deeper--;
        return;
    }
    while (w->open.len && !in_block(w)) close_item(w, at);
    if (!w->open.len) return;
    end_block(w, at + 1);
    bool item = w->open.len && !in_block(w);
    if (item && !w->round && !brackets_go_on(w->tree->text, at + 1)) end_item(w, at + 1);
}

void brackets_walk(Tree *t, size_t piece) {
    BracketWalk w = { .tree = t, .grain = grain_of(t->text.len) };
    w.piece = piece > w.grain ? piece : w.grain;
    Str s = t->text;
    vec_push(&t->nodes, ((TreeNode){ .end = (uint32_t)s.len, .flags = NODE_NAMED }));
    for (size_t at = 0; at < s.len;) {
        char c = s.at[at];
        size_t behind = brackets_skip(s, at);
        bool fresh = !w.open.len || (in_block(&w) && w.open.len < BRACKETS_DEEPEST);
        bool inside = !w.open.len || at > t->nodes.at[vec_last(&w.open)].start;
        if (fresh && inside && !words_is_space(c) && c != '}') {
            flush(&w, at);
            open_item(&w, at);
        }
        if (behind > at) {
            at = behind;
            continue;
        }
        if (c == '(' || c == '[') w.round++;
        if ((c == ')' || c == ']') && w.round) w.round--;
        if (c == '{' && w.open.len && t->nodes.at[vec_last(&w.open)].start < at) open_brace(&w, at);
        if (c == ';' && w.open.len && !w.round && !w.deeper) end_item(&w, at + 1);
        if (c == '}') close_brace(&w, at);
        at++;
    }
    while (w.open.len) close_item(&w, s.len);
    flush(&w, s.len);
    t->nodes.at[0].size = (uint32_t)t->nodes.len;
    t->nodes.at[0].token_end = (uint32_t)t->tokens.len;
    vec_release(&w.open);
    vec_release(&w.outer);
}

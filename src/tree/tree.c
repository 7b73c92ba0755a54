/* Compact trees from tree-sitter's, and incremental parsing of candidates; see tree.h. */
#include "tree/tree.h"
#include "base/quantity.h"
#include "tree/brackets.h"
#include "tree/chunks.h"
#include "tree/veil.h"
#include "tree/words.h"
#include <time.h>
#include <tree_sitter/api.h>

/* What a grammar may take of memory: so much for each byte of the text, and so much for any text.
 * A word costs tree-sitter and us (tree, document) 200 bytes, one that ends a statement three times
 * that. A text that would take more is read by its brackets first: what reduce takes in all stays
 * below 20 times the text and 200 MB. */
#define TREE_BYTES_EACH 20u
#define TREE_BYTES_ALWAYS (96u * 1000 * 1000)
#define TREE_WORD_BYTES 200u
/* The same where tree-sitter's tree of only a part of the text is there at a time (chunks.h). */
#define TREE_CHUNK_WORD_BYTES 120u
/* Bytes of such a part: at least, and more than that of one item only up to the second. */
#define TREE_CHUNK_BYTES (64u * 1024)
#define TREE_CHUNK_MOST (1024u * 1024)
/* Tokens of a text larger than that: pieces of lines. */
#define TREE_PIECE_BYTES 128
/* A text of more bytes, most of them inside errors, is read as lines and words. */
#define TREE_HOPELESS_BYTES 16384
/* Edits of a text above which it is parsed anew. */
#define TREE_MOST_EDITS 2000
/* CPU seconds a whole parse may take (error recovery on hostile input); candidates get the same. */
#define TREE_MOST_SECONDS 10.0

struct Parser {
    const Lang *lang; /* NULL: lines */
    TSParser *ts;
    TSTree *tree;    /* of text; NULL: lines */
    Buf text;        /* the accepted text */
    size_t errors;   /* of it */
    double seconds;  /* spent parsing */
    double until;    /* when the running parse is given up */
    size_t hopeless; /* a text of this length was mostly errors: none near it is parsed; 0: none */
};

Parser *parser_new(const Lang *lang) {
    Parser *p = mem_alloc(sizeof *p);
    p->lang = lang;
    if (lang) {
        p->ts = ts_parser_new();
        CHECK(ts_parser_set_language(p->ts, lang_parser(lang)));
    }
    return p;
}

void parser_free(Parser *p) {
    if (!p) return;
    if (p->tree) ts_tree_delete(p->tree);
    if (p->ts) ts_parser_delete(p->ts);
    buf_release(&p->text);
    mem_free(p);
}

/* ---- parsing ---- */
static const char *read_text(void *payload, uint32_t byte, TSPoint point, uint32_t *len) {
    (void)point;
    Str shown = veil_read(payload, byte);
    *len = (uint32_t)shown.len;
    return shown.at;
}

/* CPU seconds of this thread: a busy machine does not give up on a text that an idle one would
 * parse. */
static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool too_slow(TSParseState *state) {
    const Parser *p = state->payload;
    return cpu_now() > p->until;
}

static TSTree *parse(Parser *p, TSTree *old, Str text) {
    double began = clock_now();
    p->until = cpu_now() + TREE_MOST_SECONDS;
    Veil veil;
    veil_init(&veil, p->lang, text);
    TSInput input = { .payload = &veil, .read = read_text, .encoding = TSInputEncodingUTF8 };
    TSParseOptions options = { .payload = p, .progress_callback = too_slow };
    TSTree *tree = ts_parser_parse_with_options(p->ts, old, input, options);
    if (!tree) ts_parser_reset(p->ts);
    veil_release(&veil);
    p->seconds += clock_now() - began;
    return tree;
}

/* ERROR and MISSING nodes, entering only what has errors in it. */
static size_t count_errors(const TSTree *tree, size_t limit) {
    TSNode root = ts_tree_root_node(tree);
    if (!ts_node_has_error(root)) return 0;
    size_t errors = 0;
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    bool more = true;
    while (more && errors < limit) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        errors += ts_node_is_error(node) || ts_node_is_missing(node);
        if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
        while (!(more = ts_tree_cursor_goto_next_sibling(&cursor)) &&
               ts_tree_cursor_goto_parent(&cursor)) {
        }
    }
    ts_tree_cursor_delete(&cursor);
    return errors;
}

/* Too many words, if one costs `each` bytes. */
static bool exceeds(Str text, size_t each) {
    size_t most = (TREE_BYTES_EACH * text.len + TREE_BYTES_ALWAYS) / each, words = 0;
    for (size_t at = 0; text.len > most / 2 && at < text.len && words <= most; words++)
        if (str_is(words_next(text, &at), ";")) words += 2;
    return words > most;
}

/* Too many words to be parsed as a whole. */
static bool is_huge(Str text) {
    return exceeds(text, TREE_WORD_BYTES);
}

/* Bytes inside ERROR nodes, the outermost ones counted. */
static size_t error_bytes(const TSTree *tree) {
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    size_t bytes = 0;
    for (bool more = true; more;) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        bool error = ts_node_is_error(node);
        if (error) bytes += ts_node_end_byte(node) - ts_node_start_byte(node);
        if (!error && ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
        while (!(more = ts_tree_cursor_goto_next_sibling(&cursor)) &&
               ts_tree_cursor_goto_parent(&cursor)) {
        }
    }
    ts_tree_cursor_delete(&cursor);
    return bytes;
}

/* A large text that is mostly errors: parsing it is slow and its tree says nothing. */
static bool is_hopeless(const Parser *p) {
    return p->errors && p->text.len > TREE_HOPELESS_BYTES && error_bytes(p->tree) > p->text.len / 2;
}

bool parser_set(Parser *p, Str text) {
    Buf old = p->text;
    p->text = (Buf){ 0 };
    buf_str(&p->text, text);
    buf_release(&old);
    if (p->tree) ts_tree_delete(p->tree);
    p->tree = NULL;
    p->errors = 0;
    bool fits = !is_huge(text) && (!p->hopeless || text.len < p->hopeless / 4);
    if (p->lang && fits) p->tree = parse(p, NULL, buf_view(&p->text));
    if (p->tree) p->errors = count_errors(p->tree, SIZE_MAX);
    if (!p->tree || !is_hopeless(p)) return p->tree || !p->lang;
    ts_tree_delete(p->tree);
    p->tree = NULL;
    p->errors = 0;
    p->hopeless = text.len;
    return false;
}

/* Moves *point over text[from..to). */
static void advance(Str text, size_t from, size_t to, TSPoint *point) {
    while (from < to) {
        const char *nl = memchr(text.at + from, '\n', to - from);
        if (!nl) {
            point->column += (uint32_t)(to - from);
            return;
        }
        point->row++;
        point->column = 0;
        from = (size_t)(nl - text.at) + 1;
    }
}

/* The accepted tree moved by the edits, ready to be reused by a parse of text. */
static TSTree *edited(const Parser *p, Str text, const TreeEdit *edits, size_t n) {
    TSTree *tree = ts_tree_copy(p->tree);
    Str old = buf_view(&p->text);
    TSPoint old_at = { 0, 0 }, new_at = { 0, 0 };
    uint32_t old_byte = 0, new_byte = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t same = edits[i].start - old_byte;
        advance(text, new_byte, new_byte + same, &new_at);
        new_byte += same;
        old_at =
            new_at; /* edits are applied one after the other: before this one all is new text */
        TSInputEdit edit = { .start_byte = new_byte, .start_point = new_at };
        edit.old_end_byte = new_byte + (edits[i].end - edits[i].start);
        advance(old, edits[i].start, edits[i].end, &old_at);
        edit.old_end_point = old_at;
        advance(text, new_byte, new_byte + edits[i].len, &new_at);
        new_byte += edits[i].len;
        edit.new_end_byte = new_byte;
        edit.new_end_point = new_at;
        ts_tree_edit(tree, &edit);
        old_byte = edits[i].end;
    }
    return tree;
}

/* Whether parsing from the start takes less memory, and hardly longer: moving a tree by an edit
 * copies all nodes on the way to it, so that many edits copy the whole tree, and what remains of a
 * text that loses more than half needs less than that copy. */
static bool is_other_text(const Parser *p, Str text, size_t n) {
    return n > TREE_MOST_EDITS || text.len < p->text.len / 2;
}

static TSTree *reparse(Parser *p, Str text, const TreeEdit *edits, size_t n) {
    if (is_other_text(p, text, n)) return parse(p, NULL, text);
    double began = clock_now();
    TSTree *base = edited(p, text, edits, n);
    p->seconds += clock_now() - began;
    TSTree *tree = parse(p, base, text);
    ts_tree_delete(base);
    return tree;
}

size_t parser_errors(Parser *p, Str text, const TreeEdit *edits, size_t n, size_t limit) {
    if (!p->tree) return 0;
    TSTree *tree = reparse(p, text, edits, n);
    if (!tree) return limit;
    size_t errors = count_errors(tree, limit);
    ts_tree_delete(tree);
    return errors;
}

void parser_accept(Parser *p, Str text, const TreeEdit *edits, size_t n) {
    TSTree *tree = p->tree ? reparse(p, text, edits, n) : NULL;
    if (!tree) {
        parser_set(p, text);
        return;
    }
    ts_tree_delete(p->tree);
    p->tree = tree;
    p->errors = count_errors(tree, SIZE_MAX);
    Buf copy = { 0 };
    buf_str(&copy, text);
    buf_release(&p->text);
    p->text = copy;
}

size_t parser_own_errors(const Parser *p) {
    return p->errors;
}

Str parser_text(const Parser *p) {
    return buf_view(&p->text);
}

double parser_seconds(const Parser *p) {
    return p->seconds;
}

/* ---- compact trees ---- */
/* Adds the tokens between the last one and byte `to`, which no leaf covers, to the innermost node.
 */
static void add_gap(Tree *t, size_t *at, size_t to, uint32_t node) {
    while (*at < to) {
        Str word = words_next(str_sub(t->text, 0, to), at);
        if (!word.len) break;
        uint32_t start = (uint32_t)(word.at - t->text.at);
        vec_push(&t->tokens, ((TreeToken){ start, start + (uint32_t)word.len, node }));
    }
    *at = to;
}

/* base: where the text that was parsed begins in the tree's. */
static uint32_t add_node(Tree *t, TSNode node, uint32_t base, uint32_t parent, uint16_t field) {
    TreeNode n = { .start = base + ts_node_start_byte(node), .end = base + ts_node_end_byte(node) };
    if (n.end > t->text.len) n.end = (uint32_t)t->text.len;
    if (n.start > n.end) n.start = n.end;
    n.parent = parent;
    n.size = 1;
    n.kind = (uint16_t)lang_kind_of_symbol(t->lang, ts_node_symbol(node));
    n.field = field;
    n.flags = (uint16_t)((ts_node_is_named(node) ? NODE_NAMED : 0) |
                         (ts_node_is_error(node) ? NODE_ERROR : 0) |
                         (ts_node_is_missing(node) ? NODE_MISSING : 0) |
                         (ts_node_is_extra(node) ? NODE_EXTRA : 0));
    t->errors += (n.flags & (NODE_ERROR | NODE_MISSING)) != 0;
    vec_push(&t->nodes, n);
    return (uint32_t)t->nodes.len - 1;
}

/* Ends node i: what is left of its text becomes tokens (a leaf: one token). */
static void close_node(Tree *t, uint32_t i, size_t *at) {
    TreeNode *n = &t->nodes.at[i];
    n->size = (uint32_t)t->nodes.len - i;
    if (n->size == 1 && !(n->flags & NODE_ERROR) && n->start < n->end && n->start >= *at) {
        vec_push(&t->tokens, ((TreeToken){ n->start, n->end, i }));
        *at = n->end;
    } else if (n->end > *at) {
        add_gap(t, at, n->end, i);
    }
    n->token_end = (uint32_t)t->tokens.len;
}

static void open_node(Tree *t, uint32_t i, size_t *at) {
    TreeNode *n = &t->nodes.at[i];
    if (n->start > *at) add_gap(t, at, n->start, n->parent);
    n->token = (uint32_t)t->tokens.len;
}

/* Everything below `top`, the cursor's node. */
static void walk_below(Tree *t, TSTreeCursor *cursor, uint32_t base, uint32_t top, size_t *at) {
    uint32_t node = top;
    for (;;) {
        if (ts_tree_cursor_goto_first_child(cursor)) {
            node = add_node(t, ts_tree_cursor_current_node(cursor), base, node,
                            ts_tree_cursor_current_field_id(cursor));
            open_node(t, node, at);
            continue;
        }
        for (;;) {
            if (node == top) return;
            close_node(t, node, at);
            node = t->nodes.at[node].parent;
            if (ts_tree_cursor_goto_next_sibling(cursor)) break;
            ts_tree_cursor_goto_parent(cursor);
        }
        node = add_node(t, ts_tree_cursor_current_node(cursor), base, node,
                        ts_tree_cursor_current_field_id(cursor));
        open_node(t, node, at);
    }
}

static void walk(Tree *t, const TSTree *tree) {
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    size_t at = 0;
    add_node(t, ts_tree_cursor_current_node(&cursor), 0, 0, 0);
    /* The root covers all, whatever white space or junk stands around it. */
    t->nodes.at[0].start = 0, t->nodes.at[0].end = (uint32_t)t->text.len;
    walk_below(t, &cursor, 0, 0, &at);
    close_node(t, 0, &at);
    ts_tree_cursor_delete(&cursor);
}

/* ---- in chunks ---- */
/* One chunk: what is below its root comes below the root of all, or if its root is an error, that
 * error does. */
static void walk_chunk(Tree *t, const TSTree *tree, Chunk chunk, size_t *at) {
    TSNode root = ts_tree_root_node(tree);
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    uint32_t base = (uint32_t)chunk.start, top = 0;
    if (!t->nodes.len || ts_node_is_error(root)) top = add_node(t, root, base, 0, 0);
    if (top) open_node(t, top, at);
    walk_below(t, &cursor, base, top, at);
    if (top) close_node(t, top, at);
    add_gap(t, at, chunk.end, 0);
    ts_tree_cursor_delete(&cursor);
}

/* A text that is too large to be parsed as a whole: item by item, with only our own tree kept.
 * False: it is too large even so, or mostly errors, or too slow. */
static bool walk_chunks(Tree *t, const Lang *lang) {
    if (exceeds(t->text, TREE_CHUNK_WORD_BYTES)) return false;
    Parser *p = parser_new(lang);
    size_t at = 0, bad = 0, end = 0;
    bool ok = true;
    t->lang = lang;
    while (ok && end < t->text.len) {
        Chunk chunk = chunk_next(t->text, end, TREE_CHUNK_BYTES);
        Str text = str_sub(t->text, chunk.start, chunk.end);
        TSTree *tree = text.len <= TREE_CHUNK_MOST ? parse(p, NULL, text) : NULL;
        end = chunk.end;
        ok = tree != NULL && p->seconds < TREE_MOST_SECONDS * 3;
        if (!tree) break;
        bad += ts_node_has_error(ts_tree_root_node(tree)) ? error_bytes(tree) : 0;
        walk_chunk(t, tree, chunk, &at);
        ts_tree_delete(tree);
    }
    ok = ok && t->nodes.len && bad <= t->text.len / 2;
    if (ok) {
        t->nodes.at[0].start = 0, t->nodes.at[0].end = (uint32_t)t->text.len;
        close_node(t, 0, &at);
    } else {
        tree_release(t);
        *t = (Tree){ .text = t->text };
    }
    parser_free(p);
    return ok;
}

/* The next piece of a line of a huge text: up to TREE_PIECE_BYTES, no white space at its ends. */
static Str next_piece(Str text, size_t to, size_t *at) {
    while (*at < to && words_is_space(text.at[*at])) ++*at;
    size_t from = *at, end = to - from > TREE_PIECE_BYTES ? from + TREE_PIECE_BYTES : to;
    *at = end;
    while (end > from && words_is_space(text.at[end - 1])) end--;
    return str_sub(text, from, end);
}

/* The tree of lines: root, lines, words (pieces of lines in a huge text). */
static void walk_lines(Tree *t) {
    Str text = t->text;
    bool huge = is_huge(text);
    vec_push(&t->nodes, ((TreeNode){ .end = (uint32_t)text.len, .flags = NODE_NAMED }));
    for (size_t from = 0; from < text.len;) {
        const char *nl = memchr(text.at + from, '\n', text.len - from);
        size_t to = nl ? (size_t)(nl - text.at) + 1 : text.len;
        uint32_t line = (uint32_t)t->nodes.len;
        TreeNode node = { .start = (uint32_t)from, .end = (uint32_t)to, .kind = TREE_KIND_LINE };
        node.token = (uint32_t)t->tokens.len;
        node.flags = NODE_NAMED;
        vec_push(&t->nodes, node);
        for (size_t at = from; at < to;) {
            Str word = huge ? next_piece(text, to, &at) : words_next(str_sub(text, 0, to), &at);
            if (!word.len) break;
            uint32_t start = (uint32_t)(word.at - text.at), token = (uint32_t)t->tokens.len;
            vec_push(&t->tokens,
                     ((TreeToken){ start, start + (uint32_t)word.len, (uint32_t)t->nodes.len }));
            vec_push(&t->nodes, ((TreeNode){ .start = start,
                                             .end = start + (uint32_t)word.len,
                                             .parent = line,
                                             .size = 1,
                                             .token = token,
                                             .token_end = token + 1,
                                             .kind = TREE_KIND_WORD }));
        }
        t->nodes.at[line].size = (uint32_t)t->nodes.len - line;
        t->nodes.at[line].token_end = (uint32_t)t->tokens.len;
        if (t->nodes.at[line].size == 1) t->nodes.len--; /* an empty line is white space */
        from = to;
    }
    t->nodes.at[0].size = (uint32_t)t->nodes.len;
    t->nodes.at[0].token_end = (uint32_t)t->tokens.len;
}

/* Not parsed as a whole: in chunks or by brackets where the language has them and only the size is
 * in the way. */
static void walk_text(Tree *t, const Lang *lang) {
    if (!lang || strcmp(lang_name(lang), "python") == 0 || !is_huge(t->text))
        walk_lines(t);
    else if (!walk_chunks(t, lang))
        brackets_walk(t, TREE_PIECE_BYTES);
}

bool parser_by_grammar(const Parser *p) {
    return p->tree != NULL;
}

void parser_tree(const Parser *p, Tree *tree) {
    *tree = (Tree){ .lang = p->tree ? p->lang : NULL, .text = buf_view(&p->text) };
    if (p->tree)
        walk(tree, p->tree);
    else
        walk_text(tree, p->lang);
}

void tree_parse(const Lang *lang, Str text, Tree *tree) {
    Parser *p = parser_new(lang);
    parser_set(p, text);
    *tree = (Tree){ .lang = p->tree ? lang : NULL, .text = text };
    if (p->tree)
        walk(tree, p->tree);
    else
        walk_text(tree, lang);
    parser_free(p);
}

void tree_release(Tree *t) {
    vec_release(&t->nodes);
    vec_release(&t->tokens);
}

Str tree_token_text(const Tree *t, size_t token) {
    return str_sub(t->text, t->tokens.at[token].start, t->tokens.at[token].end);
}

Str tree_node_text(const Tree *t, size_t node) {
    return str_sub(t->text, t->nodes.at[node].start, t->nodes.at[node].end);
}

void tree_dump(const Tree *t, FILE *out) {
    VEC(uint32_t) ends = { 0 }; /* of the open nodes */
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        const TreeNode *n = &t->nodes.at[i];
        while (ends.len && vec_last(&ends) <= i) ends.len--;
        for (size_t k = 0; k < ends.len && k < 60; k++) fputs("  ", out);
        fprintf(out, "%s%s%s [%u, %u)", t->lang ? lang_kind_name(t->lang, n->kind) : "text",
                n->flags & NODE_ERROR ? " ERROR" : "", n->flags & NODE_MISSING ? " MISSING" : "",
                n->start, n->end);
        if (n->size == 1) fprintf(out, " '" STR_FMT "'", STR_ARG(tree_node_text(t, i)));
        fputc('\n', out);
        vec_push(&ends, i + n->size);
    }
    vec_release(&ends);
}

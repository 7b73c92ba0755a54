/* Finders of edit sets for declarations of C and C++: a variable gives way to its value, a struct
 * is defined where it is used, neighbours of one type share it, names of a standard header give way
 * to the types they stand for and the header goes; see sets.h. */
#include "reduce/find/finders.h"
#include "tree/words.h"

static Str word(const Doc *doc, uint32_t token) {
    return tree_token_text(&doc->tree, token);
}

static size_t width(const TreeNode *n) {
    return n->token_end - n->token;
}

/* ---- what the other side has there ---- */
/* The token of the other side that corresponds; UINT32_MAX: none. */
static uint32_t twin_of(const Target *t, uint32_t token) {
    return t->paired ? t->partner[token] : UINT32_MAX;
}

/* The text of tokens [from, end] of one of the sides, an empty string where there are none. */
static Str text_of(const Target *t, int side, uint32_t from, uint32_t end) {
    const Tree *tree = &t->r->side[side].doc.tree;
    if (from == UINT32_MAX || end == UINT32_MAX || end < from) return (Str){ 0 };
    return str_sub(tree->text, tree->tokens.at[from].start, tree->tokens.at[end].end);
}

/* The same without the token at `but`. */
static Str text_without(const Target *t, int side, uint32_t from, uint32_t but, uint32_t end,
                        Arena *arena) {
    if (from == UINT32_MAX || but == UINT32_MAX || end == UINT32_MAX) return (Str){ 0 };
    Str head = but > from ? text_of(t, side, from, but - 1) : STR("");
    Str tail = but < end ? text_of(t, side, but + 1, end) : STR("");
    return str_from(arena_fmt(arena, STR_FMT " " STR_FMT, STR_ARG(head), STR_ARG(tail)));
}

/* ---- a variable's value in its place ---- */
/* The last child of a node, and the first one, where there are three of them with a `=` between:
 * `x = E`, `*x = E` (a declarator). */
static bool reads_assign(const Doc *doc, uint32_t node, uint32_t *left, uint32_t *right) {
    const Tree *t = &doc->tree;
    uint32_t at[4] = { 0 }, n = 0;
    for (uint32_t c = tree_first_child(t, node); c && n < 4; c = tree_next_child(t, node, c))
        at[n++] = c;
    bool name = n && (doc_is_kind(doc, at[0], "identifier") ||
                      doc_is_kind(doc, at[0], "pointer_declarator"));
    if (n != 3 || !name || !doc_is_kind(doc, at[1], "=")) return false;
    *left = at[0], *right = at[2];
    return true;
}

/* Whether the name at this token is being declared here. */
static bool declares(const Doc *doc, uint32_t token) {
    const Tree *t = &doc->tree;
    uint32_t node = t->tokens.at[token].node, parent = t->nodes.at[node].parent;
    if (doc_is_kind(doc, parent, "declaration")) return true;
    return doc_is_kind(doc, parent, "init_declarator") && t->nodes.at[parent].token == token;
}

/* Every other use of the name becomes the value; declarations of it and `gone` go. */
static void add_inline(const Target *t, const Shapes *shapes, const TokenIndex *index,
                       uint32_t gone, uint32_t left, uint32_t right, EditSets *out) {
    const Doc *doc = target_doc(t);
    const TreeNode *g = &doc->tree.nodes.at[gone], *value = &doc->tree.nodes.at[right];
    Str name = word(doc, doc->tree.nodes.at[left].token_end - 1);
    Str text = tree_node_text(&doc->tree, right);
    Str twin = text_of(t, !t->side, twin_of(t, value->token), twin_of(t, value->token_end - 1));
    DocEdits edits = { 0 };
    bool ok = sets_drop_around(doc, shapes, gone, &edits);
    size_t uses = 0;
    EACH_TOKEN_LIKE(i, index, name) {
        if ((i >= g->token && i < g->token_end) || !ok) continue;
        uint32_t node = doc->tree.tokens.at[i].node;
        if (declares(doc, i)) {
            ok = sets_drop_around(doc, shapes, node, &edits);
        } else {
            vec_push(&edits, ((DocEdit){ i, text, twin }));
            uses++;
        }
    }
    size_t dropped = edits.len - uses;
    if (ok && uses && dropped > uses * (width(value) - 1)) sets_add(t, out, &edits);
    vec_release(&edits);
}

void find_inlines(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    TokenIndex index;
    token_index_init(&index, doc);
    bool small = sets_speaks_c(doc) && doc->count <= SETS_HUGE;
    for (uint32_t n = 1; small && n < doc->tree.nodes.len; n++) {
        uint32_t left, right, parent = doc->tree.nodes.at[n].parent;
        bool init = doc_is_kind(doc, n, "init_declarator");
        bool assign = doc_is_kind(doc, n, "assignment_expression") &&
                      doc_is_kind(doc, parent, "expression_statement");
        if ((init || assign) && reads_assign(doc, n, &left, &right))
            add_inline(t, shapes, &index, init ? n : parent, left, right, out);
    }
    token_index_release(&index);
}

/* ---- a struct where it is first used ---- */
/* The definition `struct S {..}` with a semicolon after it and nothing between: the semicolon; 0:
 * something else. */
static uint32_t semicolon_after(const Doc *doc, uint32_t node) {
    const Tree *t = &doc->tree;
    uint32_t next = tree_next_child(t, t->nodes.at[node].parent, node);
    return next && doc_is_kind(doc, next, ";") ? next : 0;
}

static void add_move(const Target *t, uint32_t def, uint32_t semicolon, uint32_t tag, bool bare,
                     EditSets *out) {
    const Doc *doc = target_doc(t);
    const Tree *tree = &doc->tree;
    const TreeNode *d = &tree->nodes.at[def];
    uint32_t end = d->token_end - 1, other = twin_of(t, d->token), other_end = twin_of(t, end);
    Arena *arena = &out->arena;
    Str text = bare ? text_without(t, t->side, d->token, tag, end, arena)
                    : text_of(t, t->side, d->token, end);
    Str twin = bare ? text_without(t, !t->side, other, twin_of(t, tag), other_end, arena)
                    : text_of(t, !t->side, other, other_end);
    DocEdits edits = { 0 };
    for (uint32_t i = d->token_end + 1; i + 1 < tree->tokens.len && !edits.len; i++) {
        if (!str_eq(word(doc, i), word(doc, d->token)) || !str_eq(word(doc, i + 1), word(doc, tag)))
            continue;
        vec_push(&edits, ((DocEdit){ i, text, twin }));
        vec_push(&edits, ((DocEdit){ .token = i + 1 }));
    }
    if (edits.len) {
        sets_drop_node(doc, def, &edits);
        sets_drop_node(doc, semicolon, &edits);
        sets_add(t, out, &edits);
    }
    vec_release(&edits);
}

void find_moves(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    for (uint32_t n = 1; sets_speaks_c(doc) && n < doc->tree.nodes.len; n++) {
        if (!doc_is_kind(doc, n, "struct_specifier") && !doc_is_kind(doc, n, "union_specifier"))
            continue;
        uint32_t semicolon = semicolon_after(doc, n), tag = 0, body = 0;
        for (uint32_t c = tree_first_child(&doc->tree, n); c;
             c = tree_next_child(&doc->tree, n, c)) {
            if (doc_is_kind(doc, c, "type_identifier")) tag = doc->tree.nodes.at[c].token;
            if (doc_is_kind(doc, c, "field_declaration_list")) body = c;
        }
        if (!semicolon || !tag || !body) continue;
        add_move(t, n, semicolon, tag, true, out);
        add_move(t, n, semicolon, tag, false, out);
    }
}

/* ---- a typedef by its words alone ---- */
static bool is_word(Str word) {
    return words_is_letter(word.at[0]) && !(word.at[0] >= '0' && word.at[0] <= '9');
}

/* The end of the declaration that begins at `from`: its semicolon; *name gets the last word outside
 * brackets that is not part of an attribute. 0: none. */
static uint32_t read_typedef(const Doc *doc, uint32_t from, uint32_t *name) {
    size_t depth = 0;
    *name = 0;
    for (uint32_t i = from + 1; i < doc->tree.tokens.len; i++) {
        Str text = word(doc, i);
        if (strchr("([{", text.at[0])) depth++;
        if (strchr(")]}", text.at[0]) && depth) depth--;
        if (depth) continue;
        if (str_is(text, ";")) return *name ? i : 0;
        if (is_word(text) && !str_is(text, "__attribute__")) *name = i;
    }
    return 0;
}

void find_attributed(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    for (uint32_t i = 0; sets_speaks_c(doc) && i < doc->tree.tokens.len; i++) {
        uint32_t name = 0, end = str_is(word(doc, i), "typedef") ? read_typedef(doc, i, &name) : 0;
        if (end < i + 3) continue;
        DocEdit type = { .text = text_without(t, t->side, i + 1, name, end - 1, &out->arena) };
        /* Between its ends: the type itself may be what differs. */
        uint32_t first = twin_of(t, i), last = twin_of(t, end);
        if (first != UINT32_MAX && last != UINT32_MAX && last > first)
            type.twin =
                text_without(t, !t->side, first + 1, twin_of(t, name), last - 1, &out->arena);
        DocEdits edits = { 0 };
        for (uint32_t k = i; k <= end; k++) vec_push(&edits, ((DocEdit){ .token = k }));
        for (uint32_t k = end + 1; k < doc->tree.tokens.len; k++) {
            type.token = k;
            if (str_eq(word(doc, k), word(doc, name))) vec_push(&edits, type);
        }
        size_t gone = end + 1 - i, uses = edits.len - gone;
        if (gone > uses * (gone - 4)) sets_add(t, out, &edits);
        vec_release(&edits);
    }
}

/* ---- neighbours of one type ---- */
/* The end of the common beginning of two declarations, counted in tokens: the whole type, up to the
 * first declarator; 0: they have none. */
static size_t same_type(const Doc *doc, uint32_t a, uint32_t b) {
    const Tree *t = &doc->tree;
    size_t len[2] = { 0 };
    uint32_t node[2] = { a, b };
    for (int k = 0; k < 2; k++)
        for (uint32_t c = tree_first_child(t, node[k]); c; c = tree_next_child(t, node[k], c)) {
            const char *kind = lang_kind_name(t->lang, t->nodes.at[c].kind);
            if (strcmp(kind, "identifier") == 0 || strcmp(kind, "field_identifier") == 0 ||
                strstr(kind, "declarator"))
                break;
            len[k] += width(&t->nodes.at[c]);
        }
    if (!len[0] || len[0] != len[1]) return 0;
    for (size_t i = 0; i < len[0]; i++)
        if (!str_eq(word(doc, t->nodes.at[a].token + (uint32_t)i),
                    word(doc, t->nodes.at[b].token + (uint32_t)i)))
            return 0;
    return len[0];
}

void find_merges(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    const Tree *tree = &doc->tree;
    (void)shapes;
    for (uint32_t n = 1; sets_speaks_c(doc) && n < tree->nodes.len; n++) {
        uint32_t parent = tree->nodes.at[n].parent, next = tree_next_child(tree, parent, n);
        const char *kind =
            doc_is_kind(doc, n, "field_declaration") ? "field_declaration" : "declaration";
        if (!next || !doc_is_kind(doc, n, kind) || !doc_is_kind(doc, next, kind)) continue;
        size_t len = same_type(doc, n, next);
        const TreeNode *a = &tree->nodes.at[n], *b = &tree->nodes.at[next];
        if (!len || width(b) <= len + 1) continue;
        DocEdits edits = { 0 };
        vec_push(&edits, ((DocEdit){ .token = a->token_end - 1, .text = STR(",") }));
        for (uint32_t i = 0; i < len; i++) vec_push(&edits, ((DocEdit){ .token = b->token + i }));
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
}

/* ---- names of standard headers ---- */
static const struct {
    const char *name, *exact, *like; /* the type it is, and one that is often as good */
} header_types[] = {
    { "int8_t", "signed char", "char" },
    { "uint8_t", "unsigned char", "char" },
    { "int16_t", "short", "short" },
    { "uint16_t", "unsigned short", "short" },
    { "int32_t", "int", "int" },
    { "uint32_t", "unsigned", "int" },
    { "int64_t", "long", "long" },
    { "uint64_t", "unsigned long", "long" },
    { "intptr_t", "long", "long" },
    { "uintptr_t", "unsigned long", "long" },
    { "ptrdiff_t", "long", "long" },
    { "size_t", "unsigned long", "long" },
    { "wchar_t", "int", "int" },
    { "bool", "_Bool", "int" },
    { "true", "1", "1" },
    { "false", "0", "0" },
    { "NULL", "0", "0" },
    { "FILE", "void", "void" },
};

enum { EXACT, LIKE, INT, FORMS };

static Str header_type(Str name, int form) {
    for (size_t k = 0; k < COUNT_OF(header_types); k++)
        if (str_is(name, header_types[k].name)) {
            Str like = str_from(header_types[k].like);
            if (form == INT && like.at[0] > '9') return STR("int");
            return form == EXACT ? str_from(header_types[k].exact) : like;
        }
    return (Str){ 0 };
}

void find_headers(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    DocEdits includes = { 0 };
    for (uint32_t n = 1; sets_speaks_c(doc) && n < doc->tree.nodes.len; n++)
        if (doc_is_kind(doc, n, "preproc_include")) sets_drop_node(doc, n, &includes);
    for (int form = FORMS - 1; form >= 0 && includes.len; form--) {
        DocEdits edits = { 0 };
        for (size_t i = 0; i < includes.len; i++) vec_push(&edits, includes.at[i]);
        size_t more = 0;
        for (uint32_t i = 0; i < doc->tree.tokens.len; i++) {
            Str with = header_type(word(doc, i), form);
            if (with.at) vec_push(&edits, ((DocEdit){ .token = i, .text = with }));
            more += with.at && memchr(with.at, ' ', with.len);
        }
        if (more <= includes.len) sets_add(t, out, &edits);
        vec_release(&edits);
    }
    vec_release(&includes);
}

/* Functions of the old style: `int f(a, b) int a; char *b; { .. }` becomes `int f(int a, char *b)
 * { .. }`, which is shorter, and which all the finders of parameters know. */
#include "reduce/find/finders.h"
#include "tree/words.h"

typedef struct OldStyle {
    const Doc *doc;
    uint32_t node; /* the definition */
    uint32_t list; /* its brackets, with names only */
    Arena *arena;
} OldStyle;

static Str source(const Doc *doc, uint32_t from, uint32_t end) {
    const TreeToken *tokens = doc->tree.tokens.at;
    return str_sub(doc->tree.text, tokens[from].start, tokens[end - 1].end);
}

/* The brackets of the function; 0: it declares none, or is not of the old style. */
static uint32_t names_of(const Doc *doc, uint32_t node) {
    if (!doc_is_kind(doc, node, "function_definition") || !doc_child(doc, node, "declaration"))
        return 0;
    uint32_t d = node;
    for (uint32_t next = node; next && !doc_is_kind(doc, d, "function_declarator");) {
        next = 0;
        for (uint32_t c = tree_first_child(&doc->tree, d); c && !next;
             c = tree_next_child(&doc->tree, d, c))
            if (strstr(lang_kind_name(doc->tree.lang, doc->tree.nodes.at[c].kind), "_declarator"))
                next = c;
        d = next ? next : d;
    }
    uint32_t list = doc_child(doc, d, "parameter_list");
    return list && doc_child(doc, list, "identifier") ? list : 0;
}

/* Whether a declarator in [from, end) introduces this name. */
static bool introduces(const Doc *doc, uint32_t from, uint32_t end, Str name) {
    for (uint32_t i = from; i < end; i++)
        if (str_eq(tree_token_text(&doc->tree, i), name)) return true;
    return false;
}

/* Where the declarator that begins at this token ends: at a comma or semicolon outside brackets. */
static uint32_t declarator_end(const Doc *doc, uint32_t token, uint32_t end) {
    int depth = 0;
    for (; token < end; token++) {
        Str text = tree_token_text(&doc->tree, token);
        char c = text.len == 1 ? text.at[0] : 'a';
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (!depth && (c == ',' || c == ';')) break;
    }
    return token;
}

/* The type and the declarator of the name, as this declaration has them; empty: it has not. */
static Str from_declaration(const OldStyle *o, uint32_t declaration, Str name) {
    const Tree *t = &o->doc->tree;
    unsigned field = lang_field(t->lang, "declarator");
    uint32_t first = t->nodes.at[declaration].token, end = t->nodes.at[declaration].token_end;
    uint32_t specifiers = 0;
    for (uint32_t c = tree_first_child(t, declaration); c; c = tree_next_child(t, declaration, c)) {
        if (t->nodes.at[c].field != field) continue;
        uint32_t from = t->nodes.at[c].token, to = declarator_end(o->doc, from, end);
        if (!specifiers) specifiers = from;
        if (specifiers == first || !introduces(o->doc, from, to, name)) continue;
        Str type = source(o->doc, first, specifiers), declarator = source(o->doc, from, to);
        return str_from(
            arena_fmt(o->arena, STR_FMT " " STR_FMT, STR_ARG(type), STR_ARG(declarator)));
    }
    return (Str){ 0 };
}

static Str typed(const OldStyle *o, Str name) {
    for (uint32_t c = tree_first_child(&o->doc->tree, o->node); c;
         c = tree_next_child(&o->doc->tree, o->node, c)) {
        Str text =
            doc_is_kind(o->doc, c, "declaration") ? from_declaration(o, c, name) : (Str){ 0 };
        if (text.len) return text;
    }
    return str_from(arena_fmt(o->arena, "int " STR_FMT, STR_ARG(name)));
}

static void modernise(const OldStyle *o, DocEdits *edits) {
    const Tree *t = &o->doc->tree;
    for (uint32_t c = tree_first_child(t, o->list); c; c = tree_next_child(t, o->list, c)) {
        uint32_t token = t->nodes.at[c].token;
        if (doc_is_kind(o->doc, c, "identifier"))
            vec_push(edits,
                     ((DocEdit){ .token = token, .text = typed(o, tree_token_text(t, token)) }));
    }
    for (uint32_t c = tree_first_child(t, o->node); c; c = tree_next_child(t, o->node, c))
        if (doc_is_kind(o->doc, c, "declaration")) sets_drop_node(o->doc, c, edits);
}

void find_oldstyles(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    out->together = true;
    for (uint32_t n = 1; strcmp(lang_name(doc->tree.lang), "c") == 0 && n < doc->tree.nodes.len;
         n++) {
        OldStyle o = { .doc = doc, .node = n, .list = names_of(doc, n), .arena = &out->arena };
        DocEdits edits = { 0 };
        if (o.list) modernise(&o, &edits);
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
}

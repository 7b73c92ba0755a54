/* What a program shows with less: `if (E) puts("wrong");` at the end of main becomes `return E;`,
 * and so does a call that passes E; of an initialiser that counts its way to one element only that
 * one is left, by its name: `{ 0, 0, 6 }` becomes `{ .c = 6 }` or `{ [2] = 6 }`. What only has to
 * be written needs no value: `printf("%ld", E)` becomes `printf("0")`, which warnings about formats
 * forbid step by step, and `printf("%d %s", 5, "a")` becomes `printf("5 a")`. */
#include "reduce/find/finders.h"
#include "reduce/find/model.h"
#include "reduce/find/rewrite.h"

enum { MOST_NAMED = 4 }; /* elements of one initialiser tried by their names */

static CRange range_of(const Tree *t, uint32_t node) {
    return (CRange){ t->nodes.at[node].start, t->nodes.at[node].end };
}

/* ---- a status instead of an output ---- */
/* The body of `main`; 0: this is something else. */
static uint32_t main_body(const Doc *doc, uint32_t node) {
    uint32_t declarator = doc_is_kind(doc, node, "function_definition")
                              ? doc_child(doc, node, "function_declarator")
                              : 0;
    uint32_t name = declarator ? doc_child(doc, declarator, "identifier") : 0;
    if (!name || !str_is(tree_node_text(&doc->tree, name), "main")) return 0;
    return doc_child(doc, node, "compound_statement");
}

/* The expression in place of all from `from` on to the end of the body. */
static void add_return(const Doc *doc, Rewrite *w, uint32_t body, uint32_t from, CRange value,
                       EditSets *out) {
    const Tree *t = &doc->tree;
    rewrite_clear(w);
    rewrite_at(w, (CRange){ t->nodes.at[from].start, t->nodes.at[body].end - 1 });
    rewrite_text(w, STR("return "));
    rewrite_source(w, value);
    rewrite_text(w, STR(";"));
    rewrite_add(w, out);
}

static void find_shown(const Doc *doc, Rewrite *w, uint32_t body, uint32_t node, EditSets *out) {
    const Tree *t = &doc->tree;
    uint32_t asked = doc_is_kind(doc, node, "if_statement")
                         ? doc_child(doc, node, "parenthesized_expression")
                         : 0;
    if (asked)
        add_return(doc, w, body, node,
                   (CRange){ t->nodes.at[asked].start + 1, t->nodes.at[asked].end - 1 }, out);
    uint32_t call = doc_is_kind(doc, node, "expression_statement")
                        ? doc_child(doc, node, "call_expression")
                        : 0;
    uint32_t list = call ? doc_child(doc, call, "argument_list") : 0;
    for (uint32_t c = list ? tree_first_child(t, list) : 0; c; c = tree_next_child(t, list, c))
        if ((t->nodes.at[c].flags & NODE_NAMED) && !doc_is_kind(doc, c, "string_literal"))
            add_return(doc, w, body, node, range_of(t, c), out);
}

void find_shows(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    Rewrite w;
    (void)shapes;
    if (!sets_speaks_c(doc)) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        uint32_t body = main_body(doc, n);
        for (uint32_t c = body ? tree_first_child(&doc->tree, body) : 0; c;
             c = tree_next_child(&doc->tree, body, c))
            find_shown(doc, &w, body, c, out);
    }
    rewrite_release(&w);
}

/* ---- an output without values ---- */
/* The arguments of a call, if the first is a format for the others; 0: they are something else. */
static uint32_t formatted_arguments(const Doc *doc, uint32_t node) {
    const Tree *t = &doc->tree;
    uint32_t list =
        doc_is_kind(doc, node, "call_expression") ? doc_child(doc, node, "argument_list") : 0;
    uint32_t format = list ? doc_child(doc, list, "string_literal") : 0;
    bool values = format && str_find(tree_node_text(t, format), STR("%"), 0) != STR_NONE;
    return values && t->nodes.at[list].end > t->nodes.at[format].end + 1 ? list : 0;
}

/* One conversion of a format, `%-5ld`. */
typedef struct Conversion {
    Str flags; /* with width and precision */
    char kind; /* d, u, x, g, s, .. */
    size_t end;
} Conversion;

static Conversion conversion_at(Str format, size_t percent) {
    size_t flags = percent + 1, at = flags;
    while (at < format.len && strchr("-+ #0123456789.", format.at[at])) at++;
    Conversion c = { .flags = str_sub(format, flags, at) };
    while (at < format.len && strchr("hljzt", format.at[at])) at++;
    c.kind = at < format.len ? format.at[at] : '\0';
    c.end = at + 1;
    return c;
}

/* What it makes of a literal; false: of this one nothing is known. */
static bool write_converted(Arena *arena, Conversion c, Str literal, Buf *out) {
    const char *text = arena_fmt(arena, STR_FMT, STR_ARG(literal));
    char *end = NULL;
    if (c.kind == 's' && !c.flags.len && literal.len > 1 && literal.at[0] == '"') {
        buf_str(out, str_sub(literal, 1, literal.len - 1));
        return literal.at[literal.len - 1] == '"';
    }
    bool real = c.kind && strchr("gfe", c.kind), whole = c.kind && strchr("diuxXo", c.kind);
    if ((!real && !whole) || c.flags.len > 8 || literal.len > 40) return false;
    const char *format =
        arena_fmt(arena, "%%" STR_FMT "%s%c", STR_ARG(c.flags), whole ? "ll" : "", c.kind);
    char made[400];
    int n = 0;
    if (real)
        n = snprintf(made, sizeof made, format, strtod(text, &end));
    else if (c.kind == 'd' || c.kind == 'i')
        n = snprintf(made, sizeof made, format, strtoll(text, &end, 0));
    else
        n = snprintf(made, sizeof made, format, strtoull(text, &end, 0));
    if (end == text || end[strspn(end, "uUlLf")] || n < 0 || (size_t)n >= sizeof made) return false;
    buf_fmt(out, "%s", made);
    return true;
}

/* The string that `format, literals..` comes to, with its quotes; false: some are no literals. */
static bool spell_out(const Tree *t, uint32_t list, Arena *arena, Buf *out) {
    uint32_t argument = tree_first_child(t, list);
    while (argument && !(t->nodes.at[argument].flags & NODE_NAMED))
        argument = tree_next_child(t, list, argument);
    Str format = argument ? tree_node_text(t, argument) : (Str){ 0 };
    for (size_t at = 0; at < format.len;) {
        size_t percent = str_find(format, STR("%"), at);
        if (percent == STR_NONE) percent = format.len;
        buf_str(out, str_sub(format, at, percent));
        if ((at = percent) == format.len) break;
        Conversion c = conversion_at(format, percent);
        do argument = argument ? tree_next_child(t, list, argument) : 0;
        while (argument && !(t->nodes.at[argument].flags & NODE_NAMED));
        if (!argument || !write_converted(arena, c, tree_node_text(t, argument), out)) return false;
        at = c.end;
    }
    return true;
}

static void add_format(Rewrite *w, CRange range, Str text, EditSets *out) {
    rewrite_clear(w);
    rewrite_at(w, range);
    rewrite_text(w, text);
    rewrite_add(w, out);
}

void find_formats(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    Rewrite w;
    (void)shapes;
    if (!sets_speaks_c(doc)) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t n = 1; n < doc->tree.nodes.len; n++) {
        uint32_t list = formatted_arguments(doc, n);
        if (!list) continue;
        Buf text = { 0 };
        add_format(&w, range_of(&doc->tree, list), STR("(\"0\")"), out);
        if (spell_out(&doc->tree, list, &out->arena, &text)) {
            Str spelled = str_from(arena_fmt(&out->arena, "(" STR_FMT ")", STR_ARG(text)));
            add_format(&w, range_of(&doc->tree, list), spelled, out);
        }
        buf_release(&text);
    }
    rewrite_release(&w);
}

/* ---- one element by its name ---- */
/* What stands before the element at this place of a list; empty: it has no name. */
static Str designator(Arena *arena, const CType *type, uint32_t index) {
    if (type->kind == CT_ARRAY || type->kind == CT_OPEN)
        return str_from(arena_fmt(arena, "[%u]", index));
    if (type->kind != CT_RECORD || index >= type->record->n_fields) return (Str){ 0 };
    Str name = type->record->fields[index].name;
    return name.len ? str_from(arena_fmt(arena, "." STR_FMT, STR_ARG(name))) : (Str){ 0 };
}

static void add_named(const Model *m, Rewrite *w, const CExpr *list, EditSets *out) {
    uint32_t index = 0;
    size_t tried = 0;
    for (const CExpr *e = list->first; e && tried < MOST_NAMED; e = e->next, index++) {
        Str name = designator(w->arena, list->type, index);
        if (!index || !name.len || str_is(model_text(m, e->range), "0")) continue;
        tried++;
        rewrite_clear(w);
        rewrite_at(w, list->range);
        rewrite_text(w, STR("{"));
        rewrite_text(w, name);
        rewrite_text(w, STR("="));
        rewrite_source(w, e->range);
        rewrite_text(w, STR("}"));
        rewrite_add(w, out);
    }
}

void find_designators(const Target *t, const Shapes *shapes, EditSets *out) {
    const Model *m = model_of(t);
    Rewrite w;
    (void)shapes;
    if (!m) return;
    rewrite_init(&w, t, &out->arena);
    for (uint32_t i = 0; i < m->unit->n_exprs; i++) {
        const CExpr *e = m->unit->exprs[i];
        if (e->kind == CE_LIST && e->type && !(e->flags & CF_MACRO)) add_named(m, &w, e, out);
    }
    rewrite_release(&w);
}

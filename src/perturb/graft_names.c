/* Kinds of nodes by name, and what names mean: who declares them, and how they are used. Types are
 * not computed: whether a name is followed, subscripted, called or plain is enough to put another
 * one in its place that mostly fits. */
#include "perturb/graft_impl.h"

/* ---- kinds ---- */
static void mark(GraftKinds *k, const char *names, uint8_t bits) {
    Str rest = str_from(names), name;
    char one[64];
    while (str_split(&rest, ' ', &name)) {
        snprintf(one, sizeof one, STR_FMT, STR_ARG(name));
        k->is[lang_kind(k->lang, one, true)] |= bits;
    }
    k->is[0] = GN_NEVER; /* unknown, errors */
}

static void mark_all(GraftKinds *k) {
    mark(k,
         "identifier number_literal char_literal call_expression subscript_expression "
         "pointer_expression field_expression conditional_expression assignment_expression "
         "unary_expression binary_expression update_expression cast_expression sizeof_expression "
         "parenthesized_expression comma_expression true false alignof_expression "
         "generic_expression",
         GN_EXPRESSION);
    mark(k,
         "compound_statement expression_statement if_statement switch_statement while_statement "
         "do_statement for_statement return_statement goto_statement labeled_statement",
         GN_STATEMENT);
    mark(k,
         "pointer_declarator array_declarator function_declarator init_declarator "
         "parenthesized_declarator attributed_declarator",
         GN_DECLARATOR);
    mark(k, "while_statement do_statement for_statement", GN_LOOP | GN_BREAKS);
    mark(k, "switch_statement", GN_BREAKS);
    mark(k, "primitive_type sized_type_specifier", GN_TYPE);
    mark(k,
         "gnu_asm_expression preproc_def preproc_if preproc_ifdef preproc_include preproc_call "
         "preproc_function_def preproc_else preproc_elif comment seh_try_statement "
         "macro_type_specifier ERROR",
         GN_NEVER);
}

typedef struct KindWanted {
    unsigned *where;
    const char *name;
} KindWanted;

bool graft_kinds_init(GraftKinds *k, Arena *arena, Error *err) {
    k->lang = lang_builtin("c", err);
    if (!k->lang) return false;
    k->is = ARENA_ARRAY(arena, uint8_t, lang_kinds(k->lang) + 1);
    mark_all(k);
    const KindWanted kinds[] = {
        { &k->identifier, "identifier" },
        { &k->type_identifier, "type_identifier" },
        { &k->statement_identifier, "statement_identifier" },
        { &k->number, "number_literal" },
        { &k->call, "call_expression" },
        { &k->subscript, "subscript_expression" },
        { &k->follow, "pointer_expression" },
        { &k->member, "field_expression" },
        { &k->block, "compound_statement" },
        { &k->declaration, "declaration" },
        { &k->parameter, "parameter_declaration" },
        { &k->parameters, "parameter_list" },
        { &k->function, "function_definition" },
        { &k->function_declarator, "function_declarator" },
        { &k->pointer_declarator, "pointer_declarator" },
        { &k->array_declarator, "array_declarator" },
        { &k->init, "init_declarator" },
        { &k->type_definition, "type_definition" },
        { &k->structure, "struct_specifier" },
        { &k->union_, "union_specifier" },
        { &k->enumeration, "enum_specifier" },
        { &k->labeled, "labeled_statement" },
        { &k->go_to, "goto_statement" },
        { &k->break_, "break_statement" },
        { &k->continue_, "continue_statement" },
        { &k->case_, "case_statement" },
        { &k->unit, "translation_unit" },
        { &k->for_, "for_statement" },
        { &k->arguments, "argument_list" },
        { &k->assignment, "assignment_expression" },
        { &k->update, "update_expression" },
        { &k->cast, "cast_expression" },
        { &k->descriptor, "type_descriptor" },
        { &k->field_declaration, "field_declaration" },
        { &k->binary, "binary_expression" },
        { &k->expression_statement, "expression_statement" },
        { &k->return_, "return_statement" },
        { &k->parenthesized, "parenthesized_expression" },
        { &k->initializers, "initializer_list" },
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        *kinds[i].where = lang_kind(k->lang, kinds[i].name, true);
    const KindWanted fields[] = {
        { &k->f_declarator, "declarator" },
        { &k->f_type, "type" },
        { &k->f_function, "function" },
        { &k->f_argument, "argument" },
        { &k->f_value, "value" },
        { &k->f_left, "left" },
        { &k->f_body, "body" },
        { &k->f_operator, "operator" },
        { &k->f_name, "name" },
        { &k->f_condition, "condition" },
    };
    for (size_t i = 0; i < COUNT_OF(fields); i++)
        *fields[i].where = lang_field(k->lang, fields[i].name);
    return true;
}

/* ---- walking ---- */
uint32_t graft_child_by_field(const Tree *t, uint32_t node, unsigned field) {
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c))
        if (t->nodes.at[c].field == field) return c;
    return 0;
}

uint32_t graft_children(const Tree *t, uint32_t node, uint32_t kind) {
    uint32_t n = 0;
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c))
        n += kind ? t->nodes.at[c].kind == kind : (t->nodes.at[c].flags & NODE_NAMED) != 0;
    return n;
}

/* The end of the block, loop or function that a declaration belongs to. */
static uint32_t scope_end(const GraftKinds *k, const Tree *t, uint32_t node) {
    while (node) {
        node = t->nodes.at[node].parent;
        unsigned kind = t->nodes.at[node].kind;
        if (kind == k->block || kind == k->for_ || kind == k->function) break;
    }
    return t->nodes.at[node].end;
}

/* ---- declarations ---- */
static const GraftName *find_name(const GraftNames *names, Str name) {
    for (size_t i = names->len; i > 0; i--)
        if (str_eq(names->at[i - 1].name, name)) return &names->at[i - 1];
    return NULL;
}

static GraftClass class_of_type(const GraftKinds *k, const Tree *t, uint32_t type,
                                const GraftNames *names) {
    unsigned kind = type ? t->nodes.at[type].kind : 0;
    if (kind == k->structure || kind == k->union_) return GRAFT_RECORD;
    if (!type || kind != k->type_identifier) return GRAFT_SCALAR;
    const GraftName *known = find_name(names, tree_node_text(t, type));
    /* a typedef keeps in arity what it stands for */
    return known && known->class == GRAFT_TYPE ? (GraftClass)known->arity : GRAFT_SCALAR;
}

static uint32_t count_parameters(const GraftKinds *k, const Tree *t, uint32_t declarator) {
    for (uint32_t c = tree_first_child(t, declarator); c; c = tree_next_child(t, declarator, c)) {
        if (t->nodes.at[c].kind != k->parameters) continue;
        uint32_t n = graft_children(t, c, k->parameter);
        return n == 1 && str_is(tree_node_text(t, c), "(void)") ? 0 : n;
    }
    return 0;
}

/* Down from a declarator to its name; what lies between tells what it is. */
static bool read_declarator(const GraftKinds *k, const Tree *t, uint32_t node, GraftClass class,
                            GraftName *out) {
    for (;;) {
        unsigned kind = t->nodes.at[node].kind;
        if (kind == k->identifier || kind == k->type_identifier) break;
        if (kind == k->function_declarator) {
            class = GRAFT_CALL;
            out->arity = count_parameters(k, t, node);
        } else if ((kind == k->pointer_declarator || kind == k->array_declarator) &&
                   class != GRAFT_CALL)
            class = GRAFT_POINTER;
        uint32_t below = graft_child_by_field(t, node, k->f_declarator);
        for (uint32_t c = tree_first_child(t, node); !below && c; c = tree_next_child(t, node, c))
            if (k->is[t->nodes.at[c].kind] & GN_DECLARATOR || t->nodes.at[c].kind == k->identifier)
                below = c;
        if (!below) return false;
        node = below;
    }
    out->name = tree_node_text(t, node);
    out->class = class;
    return true;
}

static void read_declaration(const GraftKinds *k, const Tree *t, uint32_t node, GraftNames *out) {
    const TreeNode *n = &t->nodes.at[node];
    uint32_t type = graft_child_by_field(t, node, k->f_type);
    GraftClass class = class_of_type(k, t, type, out);
    for (uint32_t c = tree_first_child(t, node); c; c = tree_next_child(t, node, c)) {
        if (t->nodes.at[c].field != k->f_declarator) continue;
        GraftName name = { .from = n->kind == k->function ? n->start : n->end,
                           .to = scope_end(k, t, node) };
        if (!read_declarator(k, t, c, class, &name)) continue;
        if (n->kind == k->type_definition) {
            name.arity = name.class;
            name.class = GRAFT_TYPE;
        }
        vec_push(out, name);
    }
}

static void read_label(const GraftKinds *k, const Tree *t, uint32_t node, GraftNames *out) {
    uint32_t function = node, label = tree_first_child(t, node);
    while (function && t->nodes.at[function].kind != k->function)
        function = t->nodes.at[function].parent;
    vec_push(out, (GraftName){ .name = tree_node_text(t, label),
                               .class = GRAFT_LABEL,
                               .from = t->nodes.at[function].start,
                               .to = t->nodes.at[function].end });
}

void graft_names(const GraftKinds *k, const Tree *t, uint32_t root, GraftNames *out) {
    for (uint32_t i = root; i < root + t->nodes.at[root].size; i++) {
        unsigned kind = t->nodes.at[i].kind;
        if (kind == k->declaration || kind == k->parameter || kind == k->type_definition ||
            kind == k->function)
            read_declaration(k, t, i, out);
        else if (kind == k->labeled)
            read_label(k, t, i, out);
    }
}

/* ---- uses ---- */
bool graft_is_use(const GraftKinds *k, const Tree *t, uint32_t node) {
    const TreeNode *n = &t->nodes.at[node], *p = &t->nodes.at[n->parent];
    if (!(k->is[n->kind] & GN_EXPRESSION) || node == 0) return false;
    if (p->kind == k->init) return n->field == k->f_value;
    bool holder = k->is[p->kind] & GN_EXPRESSION || p->kind == k->arguments ||
                  p->kind == k->expression_statement || p->kind == k->return_ ||
                  p->kind == k->initializers || k->is[p->kind] & GN_STATEMENT;
    return holder && p->kind != k->labeled && p->kind != k->go_to;
}

GraftClass graft_use(const GraftKinds *k, const Tree *t, uint32_t node, uint32_t *arity) {
    const TreeNode *n = &t->nodes.at[node], *p = &t->nodes.at[n->parent];
    *arity = 0;
    if (p->kind == k->call && n->field == k->f_function) {
        uint32_t list = node + n->size;
        *arity = list < n->parent + p->size ? graft_children(t, list, 0) : 0;
        return GRAFT_CALL;
    }
    if (p->kind == k->subscript && n->field == k->f_argument) return GRAFT_POINTER;
    if (p->kind == k->follow && t->text.at[p->start] == '*') return GRAFT_POINTER;
    if (p->kind == k->member && n->field == k->f_argument) {
        Str rest = str_sub(t->text, n->end, p->end);
        return str_starts(str_trim(rest), "->") ? GRAFT_POINTER : GRAFT_RECORD;
    }
    return GRAFT_SCALAR;
}

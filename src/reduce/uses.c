/* See uses.h. Everything is one pass over the nodes and two over the tokens: which unit a node is
 * in, which tokens introduce names and where these hold, which name every other token refers to (of
 * the scopes that introduce it and contain the token, the innermost). */
#include "reduce/uses.h"
#include "tree/words.h"

/* ---- kinds by their names ---- */
enum {
    IS_BLOCK = 1,       /* its children are units */
    IS_NAME = 2,        /* a leaf that names something */
    IS_DECLARATOR = 4,  /* stands between a name and its declaration */
    IS_DECLARATION = 8, /* introduces names */
    IS_TYPE = 16,       /* introduces the name of a type, for the block around its unit */
    IS_IF = 32,         /* guards something */
    IS_RETURN = 64,     /* carries a value out */
    IS_LABEL = 128,     /* a leaf that names a place */
};

static bool has_part(const char *name, const char *const *parts) {
    for (; *parts; parts++)
        if (strstr(name, *parts)) return true;
    return false;
}

static uint8_t classify(const char *name) {
    static const char *const blocks[] = { "compound_statement", "block",     "body",
                                          "declaration_list",   "case",      "source_file",
                                          "translation_unit",   "program",   "module",
                                          "switch_default",     "spec_list", NULL };
    static const char *const declarations[] = { "declaration", "definition", "_item",
                                                "parameter",   "_spec",      NULL };
    static const char *const fields[] = { "field_identifier", "property_identifier", NULL };
    static const char *const types[] = { "_specifier", "enumerator", NULL };
    uint8_t what = 0;
    if (has_part(name, blocks)) what |= IS_BLOCK;
    if (strstr(name, "_declarator")) return IS_DECLARATOR;
    if (strcmp(name, "statement_identifier") == 0 || strcmp(name, "label_name") == 0)
        return IS_LABEL;
    if (strstr(name, "identifier") && !has_part(name, fields)) what |= IS_NAME;
    if (has_part(name, types) && !strstr(name, "_list"))
        what |= IS_TYPE;
    else if (has_part(name, declarations) && !strstr(name, "_list"))
        what |= IS_DECLARATION;
    if (strcmp(name, "if_statement") == 0 || strcmp(name, "if_expression") == 0) what |= IS_IF;
    if (strcmp(name, "return_statement") == 0 || strcmp(name, "return_expression") == 0)
        what |= IS_RETURN;
    return what;
}

static uint8_t class_of(const Uses *u, uint32_t node) {
    return u->class_of[u->doc->tree.nodes.at[node].kind];
}

static void read_language(Uses *u) {
    const Lang *lang = u->doc->tree.lang;
    unsigned n = lang_kinds(lang);
    u->class_of = mem_alloc(n + 1);
    for (unsigned k = 1; k < n; k++)
        if (lang_kind_named(lang, k)) u->class_of[k] = classify(lang_kind_name(lang, k));
    u->field_body = (uint16_t)lang_field(lang, "body");
    u->field_condition = (uint16_t)lang_field(lang, "condition");
    u->field_label = (uint16_t)lang_field(lang, "label");
    u->field_consequence = (uint16_t)lang_field(lang, "consequence");
    u->field_declarator = (uint16_t)lang_field(lang, "declarator");
    u->field_name = (uint16_t)lang_field(lang, "name");
    u->field_pattern = (uint16_t)lang_field(lang, "pattern");
    u->field_path = (uint16_t)lang_field(lang, "path");
    u->minds_unused = strcmp(lang_name(lang), "go") == 0;
}

/* ---- units ---- */
static void find_units(Uses *u) {
    const Tree *t = &u->doc->tree;
    for (uint32_t i = 1; i < t->nodes.len; i++) {
        const TreeNode *n = &t->nodes.at[i];
        bool block = !n->parent || (class_of(u, n->parent) & IS_BLOCK);
        bool own = block && (n->flags & NODE_NAMED) && (!n->field || n->field == u->field_body);
        u->unit[i] = own ? i : u->unit[n->parent];
    }
}

/* ---- declarations ---- */
static bool is_role(const Uses *u, uint16_t field) {
    return field &&
           (field == u->field_declarator || field == u->field_name || field == u->field_pattern);
}

static uint32_t child_with_field(const Uses *u, uint32_t node, uint16_t field) {
    const Tree *t = &u->doc->tree;
    for (uint32_t c = tree_first_child(t, node); c && field; c = tree_next_child(t, node, c))
        if (t->nodes.at[c].field == field) return c;
    return 0;
}

static bool kind_is(const Uses *u, uint32_t node, const char *kind) {
    const Tree *t = &u->doc->tree;
    return strcmp(lang_kind_name(t->lang, t->nodes.at[node].kind), kind) == 0;
}

/* The list of names around this leaf that stands before such a sign; 0: it is in none. */
static uint32_t list_before(const Uses *u, uint32_t leaf, const char *sign) {
    const Tree *t = &u->doc->tree;
    uint32_t list = t->nodes.at[leaf].parent;
    if (!u->minds_unused || !t->nodes.at[list].field || !kind_is(u, list, "expression_list"))
        return 0;
    uint32_t next = t->nodes.at[list].token_end;
    return next < t->tokens.len && str_is(tree_token_text(t, next), sign) ? list : 0;
}

/* The import whose path this leaf is, where that has no other name; 0: it is none. */
static uint32_t import_of(const Uses *u, uint32_t leaf) {
    const Tree *t = &u->doc->tree;
    uint32_t path = t->nodes.at[leaf].parent, spec = t->nodes.at[path].parent;
    bool imports = u->minds_unused && u->field_path && t->nodes.at[path].field == u->field_path &&
                   kind_is(u, spec, "import_spec");
    return imports && !child_with_field(u, spec, u->field_name) ? spec : 0;
}

/* The declaration that introduces the name at this leaf; 0: the leaf uses a name. */
static uint32_t declaration_of(const Uses *u, uint32_t leaf) {
    const Tree *t = &u->doc->tree;
    uint32_t list = list_before(u, leaf, ":="), import = import_of(u, leaf);
    if (list || import) return list ? t->nodes.at[list].parent : import;
    if (class_of(u, leaf) & IS_LABEL)
        return t->nodes.at[leaf].field == u->field_label &&
                       t->nodes.at[leaf].token == t->nodes.at[t->nodes.at[leaf].parent].token
                   ? t->nodes.at[leaf].parent
                   : 0;
    for (uint32_t n = leaf; n;) {
        uint32_t parent = t->nodes.at[n].parent;
        uint8_t what = class_of(u, parent);
        bool role = is_role(u, t->nodes.at[n].field);
        bool plain = !t->nodes.at[n].field && (n == leaf || (class_of(u, n) & IS_DECLARATOR));
        if (what & IS_DECLARATOR) {
            if (!role && !plain) return 0;
            n = parent;
            continue;
        }
        if (what & IS_TYPE)
            return role && (child_with_field(u, parent, u->field_body) || !u->field_body ||
                            strstr(lang_kind_name(t->lang, t->nodes.at[parent].kind), "enumerator"))
                       ? parent
                       : 0;
        bool through = plain && n != leaf;
        return (what & IS_DECLARATION) && (role || through) ? parent : 0;
    }
    return 0;
}

static uint32_t outermost_unit(const Uses *u, uint32_t node) {
    uint32_t unit = u->unit[node];
    while (unit && u->doc->tree.nodes.at[unit].parent)
        unit = u->unit[u->doc->tree.nodes.at[unit].parent];
    return unit;
}

/* What holds this unit; lists of specifications hold nothing themselves. */
static uint32_t holder_of(const Uses *u, uint32_t unit) {
    const Tree *t = &u->doc->tree;
    uint32_t holder = t->nodes.at[unit].parent;
    while (holder &&
           str_ends(str_from(lang_kind_name(t->lang, t->nodes.at[holder].kind)), "spec_list"))
        holder = t->nodes.at[u->unit[holder]].parent;
    return holder;
}

/* Where a name that this declaration introduces is valid. */
static uint32_t scope_of(const Uses *u, uint32_t declaration, bool label) {
    const Tree *t = &u->doc->tree;
    if (label) return outermost_unit(u, declaration);
    uint32_t unit = u->unit[declaration];
    if (!unit) return 0;
    if (class_of(u, declaration) & IS_TYPE) return holder_of(u, unit);
    if (!(class_of(u, declaration) & IS_DECLARATION)) return unit; /* the head of a loop */
    uint32_t d = declaration;
    while (d != unit && (class_of(u, t->nodes.at[d].parent) & IS_DECLARATION))
        d = t->nodes.at[d].parent;
    return d == unit ? holder_of(u, unit) : unit;
}

/* ---- names ---- */
typedef struct Holds {
    uint32_t scope, symbol;
} Holds;
typedef VEC(Holds) HoldsList;
typedef struct Names {
    Map ids;                /* name (labels: with a colon before) -> id + 1 */
    VEC(uint32_t) of_token; /* its id + 1; 0: no name */
    VEC(HoldsList) holds;   /* id -> where it is introduced */
} Names;

static bool is_named_type(const Tree *t, size_t token) {
    return str_ends(tree_token_text(t, token), "_t");
}

static uint32_t name_of_token(const Uses *u, Names *names, size_t token) {
    const Tree *t = &u->doc->tree;
    uint32_t leaf = t->tokens.at[token].node;
    if (t->nodes.at[leaf].size != 1 || !(t->nodes.at[leaf].flags & NODE_NAMED)) return 0;
    uint8_t what = class_of(u, leaf);
    bool import = import_of(u, leaf) != 0;
    if (!(what & (IS_NAME | IS_LABEL)) && !is_named_type(t, token) && !import) return 0;
    Str text = tree_token_text(t, token);
    for (size_t i = text.len; import && i > 0; i--)
        if (text.at[i - 1] == '/') {
            text = (Str){ text.at + i, text.len - i };
            break;
        }
    char label[64];
    if ((what & IS_LABEL) && text.len < sizeof label - 1) {
        label[0] = ':';
        memcpy(label + 1, text.at, text.len);
        text = (Str){ label, text.len + 1 };
    }
    uint64_t *id = map_at(&names->ids, text);
    if (!*id) {
        vec_push(&names->holds, (HoldsList){ 0 });
        *id = names->holds.len;
    }
    return (uint32_t)*id;
}

static void add_to_symbol(Uses *u, uint32_t symbol, uint32_t token, uint32_t *last) {
    u->symbol[token] = symbol + 1;
    u->next[token] = UINT32_MAX;
    if (last[symbol] != UINT32_MAX)
        u->next[last[symbol]] = token;
    else
        u->first.at[symbol] = token;
    last[symbol] = token;
}

/* The symbol of the name in this scope, made where there is none. */
static uint32_t introduce(Uses *u, Names *names, uint32_t id, uint32_t scope) {
    HoldsList *holds = &names->holds.at[id - 1];
    for (size_t i = 0; i < holds->len; i++)
        if (holds->at[i].scope == scope) return holds->at[i].symbol;
    vec_push(holds, ((Holds){ scope, (uint32_t)u->first.len }));
    vec_push(&u->first, UINT32_MAX);
    return (uint32_t)u->first.len - 1;
}

/* Imports and the variables of functions, where the language minds; not `_`. */
static bool must_serve(const Uses *u, uint32_t leaf, uint32_t declaration, uint32_t scope) {
    if (!u->minds_unused || kind_is(u, leaf, "blank_identifier")) return false;
    return list_before(u, leaf, ":=") || kind_is(u, declaration, "import_spec") ||
           (scope && kind_is(u, declaration, "var_spec"));
}

static void find_declarations(Uses *u, Names *names) {
    const Tree *t = &u->doc->tree;
    for (uint32_t i = 0; i < t->tokens.len; i++) {
        uint32_t id = name_of_token(u, names, i), leaf = t->tokens.at[i].node;
        uint32_t d = id ? declaration_of(u, leaf) : 0;
        vec_push(&names->of_token, id);
        if (!d) continue;
        bool label = class_of(u, leaf) & IS_LABEL;
        uint32_t scope = scope_of(u, d, label);
        introduce(u, names, id, scope);
        u->declares[i] = must_serve(u, leaf, d, scope) ? USES_MUST_SERVE : USES_MAY_IDLE;
    }
}

/* The innermost scope around the leaf that introduces the name. */
static uint32_t resolve(const Uses *u, const Names *names, uint32_t id, uint32_t leaf) {
    const HoldsList *holds = &names->holds.at[id - 1];
    uint32_t best = 0, symbol = UINT32_MAX;
    for (size_t i = 0; i < holds->len; i++) {
        uint32_t scope = holds->at[i].scope;
        if (leaf < scope || leaf >= scope + u->doc->tree.nodes.at[scope].size) continue;
        if (symbol == UINT32_MAX || scope > best) best = scope, symbol = holds->at[i].symbol;
    }
    return symbol;
}

static void link_tokens(Uses *u, const Names *names) {
    const Tree *t = &u->doc->tree;
    uint32_t *last = mem_alloc((u->first.len + 1) * sizeof *last);
    memset(last, 0xff, (u->first.len + 1) * sizeof *last);
    for (uint32_t i = 0; i < t->tokens.len; i++) {
        uint32_t id = names->of_token.at[i];
        uint32_t symbol = id ? resolve(u, names, id, t->tokens.at[i].node) : UINT32_MAX;
        if (symbol != UINT32_MAX) add_to_symbol(u, symbol, i, last);
    }
    mem_free(last);
}

/* A body that the grammar did not recognise as one (`f(a) { .. }` without a type) belongs to what
 * precedes it: their first tokens count as one name, introduced by both. */
static void link_stray_bodies(Uses *u) {
    const Tree *t = &u->doc->tree;
    uint32_t before = 0;
    for (uint32_t i = tree_first_child(t, 0); i; i = tree_next_child(t, 0, i)) {
        const TreeNode *n = &t->nodes.at[i], *b = &t->nodes.at[before];
        bool stray = before && (class_of(u, i) & IS_BLOCK) && n->token < n->token_end &&
                     b->token < b->token_end && !u->symbol[n->token];
        /* The token before the body is the one that is tied: usually a closing bracket. */
        uint32_t tie = b->token_end ? b->token_end - 1 : 0;
        before = i;
        if (!stray || u->symbol[tie]) continue;
        vec_push(&u->first, tie);
        u->symbol[tie] = u->symbol[n->token] = (uint32_t)u->first.len;
        u->next[tie] = n->token;
        u->next[n->token] = UINT32_MAX;
        u->declares[tie] = u->declares[n->token] = 1;
    }
}

void uses_init(Uses *u, const Doc *doc) {
    *u = (Uses){ .doc = doc };
    size_t nodes = doc->tree.nodes.len + 1, tokens = doc->tree.tokens.len + 1;
    u->unit = mem_alloc(nodes * sizeof(uint32_t));
    u->symbol = mem_alloc(tokens * sizeof(uint32_t));
    u->next = mem_alloc(tokens * sizeof(uint32_t));
    u->declares = mem_alloc(tokens);
    u->gone = mem_alloc(tokens);
    if (!doc->tree.lang) return;
    Names names = { 0 };
    read_language(u);
    find_units(u);
    find_declarations(u, &names);
    link_tokens(u, &names);
    link_stray_bodies(u);
    for (size_t i = 0; i < names.holds.len; i++) vec_release(&names.holds.at[i]);
    vec_release(&names.holds);
    vec_release(&names.of_token);
    map_release(&names.ids);
}

void uses_release(Uses *u) {
    mem_free(u->unit);
    mem_free(u->symbol);
    mem_free(u->next);
    mem_free(u->declares);
    mem_free(u->gone);
    mem_free(u->class_of);
    vec_release(&u->first);
    vec_release(&u->stack);
    *u = (Uses){ 0 };
}

/* ---- closing ---- */
/* Of a token: stays, removed, replaced by 0, given, replaced by _. */
enum { STAYS, GOES, IS_ZERO, IS_GIVEN, IS_BLANK };

static void take_away(Uses *u, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++) {
        if (!u->doc->alive[i] || u->gone[i] == GOES) continue;
        u->gone[i] = GOES;
        if (u->declares[i]) vec_push(&u->stack, i);
    }
}

/* `return 0` in place of a return whose value uses what is gone. */
static bool return_nothing(Uses *u, uint32_t unit) {
    const Tree *t = &u->doc->tree;
    uint32_t value = 0, inside = tree_first_child(t, unit);
    /* Where `return x` is an expression, it is in a statement of its own. */
    if (!(class_of(u, unit) & IS_RETURN) && inside && (class_of(u, inside) & IS_RETURN))
        unit = inside;
    if (!(class_of(u, unit) & IS_RETURN)) return false;
    for (uint32_t c = tree_first_child(t, unit); c; c = tree_next_child(t, unit, c))
        if (t->nodes.at[c].flags & NODE_NAMED) value = c;
    if (!value) return false;
    const TreeNode *v = &t->nodes.at[value];
    uint32_t first = v->token;
    while (first < v->token_end && !u->doc->alive[first]) first++;
    if (first == v->token_end || u->gone[first]) return false;
    take_away(u, first + 1, v->token_end);
    u->gone[first] = IS_ZERO;
    return true;
}

static bool unwrap(Uses *u, uint32_t unit, uint32_t token) {
    const Tree *t = &u->doc->tree;
    if (!(class_of(u, unit) & IS_IF)) return false;
    uint32_t condition = child_with_field(u, unit, u->field_condition);
    uint32_t guarded = child_with_field(u, unit, u->field_consequence);
    if (!condition || !guarded || !doc_alive(u->doc, guarded)) return false;
    const TreeNode *c = &t->nodes.at[condition], *g = &t->nodes.at[guarded];
    if (token < c->token || token >= c->token_end) return false;
    take_away(u, t->nodes.at[unit].token, g->token);
    take_away(u, g->token_end, t->nodes.at[unit].token_end);
    return true;
}

static void drop_use(Uses *u, UsesHow how, uint32_t token, UsesClosed *closed) {
    const Tree *t = &u->doc->tree;
    uint32_t unit = u->unit[t->tokens.at[token].node];
    closed->added = true;
    if (!unit)
        take_away(u, token, token + 1);
    else if (how == USES_UNWRAP && unwrap(u, unit, token))
        closed->unwrapped = true;
    else if (!return_nothing(u, unit))
        take_away(u, t->nodes.at[unit].token, t->nodes.at[unit].token_end);
}

static void write_edits(Uses *u, const DocEdits *given, DocEdits *out) {
    size_t g = 0;
    for (uint32_t i = 0; i < u->doc->tree.tokens.len; i++) {
        while (g < given->len && given->at[g].token < i) g++;
        if (u->gone[i] == GOES)
            vec_push(out, ((DocEdit){ .token = i }));
        else if (u->gone[i] == IS_ZERO)
            vec_push(out, ((DocEdit){ .token = i, .text = STR("0") }));
        else if (u->gone[i] == IS_BLANK)
            vec_push(out, ((DocEdit){ .token = i, .text = STR("_") }));
        else if (u->gone[i] == IS_GIVEN)
            vec_push(out, given->at[g]);
    }
}

/* A variable that is declared anew (`x, err := f()` after another err) is still there. */
static bool still_declared(const Uses *u, uint32_t token) {
    uint32_t symbol = u->symbol[token];
    if (u->declares[token] != USES_MUST_SERVE || !symbol) return false;
    for (uint32_t k = u->first.at[symbol - 1]; k != UINT32_MAX; k = u->next[k])
        if (u->declares[k] && u->doc->alive[k] && u->gone[k] == STAYS) return true;
    return false;
}

/* What uses what is gone goes, until nothing does. */
static void drop_users(Uses *u, UsesHow how, UsesClosed *closed) {
    while (u->stack.len) {
        uint32_t token = vec_pop(&u->stack), symbol = u->symbol[token];
        if (!symbol || still_declared(u, token)) continue;
        for (uint32_t k = u->first.at[symbol - 1]; k != UINT32_MAX; k = u->next[k])
            if (u->doc->alive[k] && u->gone[k] == STAYS) drop_use(u, how, k, closed);
    }
}

/* ---- what nothing uses any more ---- */
/* Nothing but assignments and declarations is left of the symbol of this token; and something of it
 * went. */
static bool idles(const Uses *u, uint32_t token) {
    uint32_t symbol = u->symbol[token];
    bool lost = false;
    for (uint32_t k = symbol ? u->first.at[symbol - 1] : UINT32_MAX; k != UINT32_MAX;
         k = u->next[k]) {
        if (!u->doc->alive[k]) continue;
        lost |= u->gone[k] == GOES || u->gone[k] == IS_GIVEN;
        bool stays = u->gone[k] == STAYS && !u->declares[k];
        if (stays && !list_before(u, u->doc->tree.tokens.at[k].node, "=")) return false;
    }
    return lost;
}

/* Whether a name of [from, end) other than this one stays, and is not `_`. */
static bool others_stay(const Uses *u, uint32_t from, uint32_t end, uint32_t token) {
    for (uint32_t k = from; k < end; k++) {
        uint32_t leaf = u->doc->tree.tokens.at[k].node;
        bool name = class_of(u, leaf) & IS_NAME && !kind_is(u, leaf, "blank_identifier");
        if (k != token && name && u->doc->alive[k] && u->gone[k] == STAYS) return true;
    }
    return false;
}

/* A list before `:=`: with its declaration where that is a statement, else with the sign. */
static void drop_list(Uses *u, uint32_t list) {
    const TreeNode *n = &u->doc->tree.nodes.at[list], *d = &u->doc->tree.nodes.at[n->parent];
    bool all = class_of(u, n->parent) & IS_DECLARATION;
    take_away(u, all ? d->token : n->token, all ? d->token_end : n->token_end + 1);
}

static void drop_idle(Uses *u, uint32_t token) {
    const Tree *t = &u->doc->tree;
    uint32_t leaf = t->tokens.at[token].node, list = list_before(u, leaf, ":=");
    uint32_t spec = list ? 0 : declaration_of(u, leaf),
             value = list ? 0 : t->nodes.at[spec].token_end;
    if (spec && kind_is(u, spec, "var_spec")) /* its names come first, side by side */
        for (value = token;
             value + 2 < t->nodes.at[spec].token_end && str_is(tree_token_text(t, value + 1), ",");)
            value += 2;
    uint32_t from = list ? t->nodes.at[list].token : t->nodes.at[spec].token;
    uint32_t end = list ? t->nodes.at[list].token_end : value + 1;
    bool import = spec && kind_is(u, spec, "import_spec");
    if (!import && others_stay(u, from, end, token))
        u->gone[token] = IS_BLANK;
    else if (list)
        drop_list(u, list);
    else if (u->unit[spec])
        take_away(u, t->nodes.at[u->unit[spec]].token, t->nodes.at[u->unit[spec]].token_end);
}

/* Declarations that must be used and are not, with what assigns to them, until there are none. */
static void drop_unused(Uses *u, UsesClosed *closed) {
    bool any = u->minds_unused;
    while (any) {
        any = false;
        for (uint32_t i = 0; i < u->doc->tree.tokens.len; i++) {
            bool here = u->doc->alive[i] && u->gone[i] == STAYS;
            if (!here || u->declares[i] != USES_MUST_SERVE || !idles(u, i)) continue;
            drop_idle(u, i);
            drop_users(u, USES_DROP, closed);
            any = closed->added = true;
        }
    }
}

UsesClosed uses_close(Uses *u, UsesHow how, DocEdits *edits) {
    UsesClosed closed = { 0 };
    if (!u->doc->tree.lang || (how == USES_TIDY && !u->minds_unused)) return closed;
    vec_clear(&u->stack);
    for (size_t i = 0; i < edits->len; i++) {
        uint32_t token = edits->at[i].token;
        if (edits->at[i].text.at)
            u->gone[token] = IS_GIVEN;
        else
            take_away(u, token, token + 1);
    }
    if (how == USES_TIDY) vec_clear(&u->stack);
    drop_users(u, how, &closed);
    drop_unused(u, &closed);
    if (closed.added) {
        DocEdits all = { 0 };
        write_edits(u, edits, &all);
        vec_release(edits);
        *edits = all;
    }
    memset(u->gone, STAYS, u->doc->tree.tokens.len);
    return closed;
}
